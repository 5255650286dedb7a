"""Extrapolated recordings equal recordings of runs on as many ranks."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAMS
from pyarrow import parquet

import odonata as od
from odonata import merging, records, spmd_model

MACHINE = ("--machine", "dragonfly-1056", "--fidelity", "loggp")
EXAMPLES = Path(__file__).parents[2] / "examples"
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"


@pytest.fixture
def recorded(odonata, tmp_path):
    """Records a program on a number of ranks; returns the file."""

    def run(ranks: int, program: str, *words: object, compute: str = "none"):
        file = tmp_path / f"{program}-{'-'.join(map(str, words))}-{ranks}.parquet"
        how = ("--ppn", 2, *MACHINE, "--compute", compute, "--quiet", "--record", file)
        path = PROGRAMS / f"{program}.py"
        done = odonata("run", "-n", ranks, *how, "--", "python", path, *words)
        assert done.returncode == 0, done.stderr
        return file

    return run


def rows_of(file) -> list[dict]:
    """All columns except computation, which differs between runs."""
    rows = parquet.read_table(file).drop_columns(["after_ps"]).to_pylist()
    # Name communicators by their members, and equal ones by the order of their numbers: numbers
    # have gaps that depend on the rank count.
    users: dict[int, set[int]] = {}
    for row in rows:
        users.setdefault(row["context"], set()).add(row["rank"])
    seen: dict[tuple[int, ...], int] = {}
    names = {}
    for context in sorted(users):
        members = tuple(sorted(users[context]))
        seen[members] = seen.get(members, 0) + 1
        names[context] = f"{seen[members]} of {members}"
    return [{**row, "context": names[row["context"]]} for row in rows]


def written(file, steps):
    """A record by hand: the steps of every rank, each a list of calls with their columns."""
    header = {
        "format": records.FORMAT, "ranks": len(steps), "communicators": [], "core_speed": 1.0,
        "env": [], "vain_polls": 0, "partial": None, "recorded": {},
    }  # fmt: skip
    blank = dict.fromkeys(records.PLAIN, 0) | {"grain": 1, "needs": [], "lengths": []}
    rows = []
    for rank, mine in enumerate(steps):
        needs, at = [], 0
        for step, calls in enumerate(mine):
            for nth, (op, fields) in enumerate(calls):
                row = {**blank, "rank": rank, "step": step, "op": op, **fields}
                rows.append({**row, "needs": [] if nth else needs})
            # Informational rows never complete (docs/record-format.md).
            informational = ("packs", "unpacks", "register", "deregister")
            needs = [at + nth for nth, (op, _) in enumerate(calls) if op not in informational]
            at += len(calls)
    records.write_rows(file, header, rows)
    return file


def all_to_all(n: int, apart: dict | None = None, message: int = 1536, window: bool = False):
    """Each rank with all others at once, three times; `apart` is the layout of the data."""
    def calls(rank: int):
        if window:
            yield "register", {}
        for away in range(1, n):
            source, to = {"peer": (rank - away) % n}, {"peer": (rank + away) % n}
            for how, op, other in (("unpacks", "recv", source), ("packs", "send", to)):
                if apart:
                    yield how, {**other, "bytes": message, **apart}
                yield op, {**other, "bytes": message}
        if window:
            yield "deregister", {}

    return [[list(calls(rank)) for _ in range(3)] for rank in range(n)]


# The type of the values is irrelevant here.
DOUBLES = {"grain": 40320}


def lines(rows: int, length: int, stride: int) -> int:
    """Bytes of the 64-B lines that rows touch; the first row begins a line, no line is skipped."""
    return -(-((rows - 1) * stride + length) // 64) * 64


PATTERNS = [
    ((8, 16), 64, "exchange", ("doubling",)),
    ((8, 16), 32, "exchange", ("dissemination",)),
    ((8, 16), 32, "exchange", ("pairwise",)),
    ((8, 16), 32, "exchange", ("half",)),
    ((8, 16), 64, "exchange", ("collectives",)),
    ((8,), 32, "halo", (1, 0, 2, 128)),
    ((9,), 36, "halo", (2, 0, 3, 1024)),
    ((9, 16), 36, "halo", (2, 0, 2, 1024)),
    ((27,), 64, "halo", (3, 1, 2, 512)),
    ((16,), 64, "halo", (1, 1, 2, 512)),
    # Of two ranks in a direction each is both neighbors of the other.
    ((8, 16), 64, "halo", (2, 1, 2, 512)),
    ((8, 16), 64, "halo", (3, 1, 2, 512)),
]


@pytest.mark.parametrize(
    ("few", "many", "program", "words"), PATTERNS, ids=lambda v: str(v).replace(" ", "")
)
def test_extrapolation_equals_a_recording_on_as_many_ranks(
    odonata, tmp_path, recorded, few, many, program, words
):
    """All rows are equal, so time and digest of a replay are equal as well."""
    small = [recorded(n, program, *words) for n in few]
    large = recorded(many, program, *words)
    made = tmp_path / "made.parquet"
    done = odonata("extrapolate", *small, "--ranks", many, "-o", made)
    assert done.returncode == 0, done.stderr
    assert rows_of(made) == rows_of(large)
    times = []
    for file in (made, large):
        played = odonata("replay", file, *MACHINE, "--json", "--quiet")
        assert played.returncode == 0, played.stderr
        result = json.loads(played.stdout)
        times.append((result["time_s"], result["messages"], result["bytes"], result["digest"]))
    assert times[0] == times[1]


def test_extrapolated_recordings_and_replays_are_marked(odonata, tmp_path, recorded):
    small, made = recorded(9, "halo", 2, 0, 1, 64), tmp_path / "made.parquet"
    done = odonata("extrapolate", small, "--ranks", 16, "-o", made, "--json")
    result = json.loads(done.stdout)
    assert result["ranks"] == 16 and result["recordings"] == [{"file": str(small), "ranks": 9}]
    assert result["rules"] == ["all ranks: a grid of 2 dimensions (--)"]
    header = json.loads(parquet.read_schema(made).metadata[b"odonata"])
    assert header["extrapolated"]["recordings"] == result["recordings"]
    # Results of the smaller run are not in the header of the larger one.
    assert not {"time_s", "digest", "nodes"} & header["recorded"].keys()
    played = odonata("replay", made, *MACHINE, "--json")
    words = "extrapolated, not recorded: 16 ranks from recordings of 9"
    assert words in played.stderr
    assert json.loads(played.stdout)["extrapolated"]["rules"] == result["rules"]
    again = odonata("extrapolate", made, "--ranks", 64, "-o", tmp_path / "more.parquet")
    assert again.returncode == 2 and "what was recorded, not what was extrap" in again.stderr


@pytest.mark.parametrize(
    ("few", "many", "words", "diagnostic"),
    [
        ((8, 16), 32, "scrambled", "rank 0, call 1 (recv)"),
        # A recording on a second number of ranks is necessary.
        ((8,), 32, "doubling", "call 4 (recv)"),
        ((8,), 32, "half", "call 1 (recv)"),
        ((8, 16), 48, "doubling", "a power of two"),
        ((8, 16), 12, "pairwise", "at least the 16 of the largest recording"),
        ((8, 8), 32, "pairwise", "recordings of different numbers of ranks"),
    ],
)
def test_irregular_programs_are_refused(
    odonata, tmp_path, recorded, few, many, words, diagnostic
):
    small = [recorded(n, "exchange", words) for n in few]
    made = tmp_path / "made.parquet"
    done = odonata("extrapolate", *small, "--ranks", many, "-o", made)
    assert done.returncode == 2 and diagnostic in done.stderr, done.stderr
    assert "extrapolated" not in done.stdout and not made.exists()


def test_computation_is_that_of_recorded_ranks(odonata, tmp_path, recorded):
    small, made = recorded(8, "halo", 1, 0, 2, 64, compute="measured"), tmp_path / "made.parquet"
    assert odonata("extrapolate", small, "--ranks", 32, "-o", made).returncode == 0

    def spent(file) -> dict[int, list[tuple[str, int]]]:
        found: dict[int, list[tuple[str, int]]] = {}
        for row in parquet.read_table(file).to_pylist():
            found.setdefault(row["rank"], []).append((row["op"], row["after_ps"]))
        return found

    few, many = spent(small), spent(made)
    assert set(many) == set(range(32))
    # Durations are recorded ones, of ranks in turn: of 8 recorded ranks, 11 starts like 3.
    recorded_ones = {call for calls in few.values() for call in calls}
    assert all(call in recorded_ones for calls in many.values() for call in calls)
    assert sum(after for calls in many.values() for _, after in calls) > 0
    assert many[3][0] == few[3][0] and many[11][0] == few[3][0]


def test_a_damaged_or_foreign_file_is_refused(tmp_path, recorded):
    goal = tmp_path / "a.goal"
    goal.write_text("num_ranks 1\nrank 0 {\ncalc 1000\n}\n")
    small = recorded(8, "halo", 1, 0, 1, 64)
    for given, ranks, at in (
        ([goal], 32, "recordings"),
        ([tmp_path / "none"], 32, "trace"),
        ([], 32, "recordings"),
        ([small], 3, "ranks"),
        ([small], True, "ranks"),
    ):
        with pytest.raises(od.InputError) as refused:
            od.extrapolate(given, ranks=ranks, record=tmp_path / "made.parquet")
        assert at in {diagnostic.at for diagnostic in refused.value.diagnostics}
    cut = tmp_path / "cut.parquet"
    table = parquet.read_table(small)
    parquet.write_table(table.drop_columns(["needs"]), cut)
    with pytest.raises(od.InputError, match="no column `needs`"):
        od.extrapolate(cut, ranks=32, record=tmp_path / "made.parquet")


def test_a_recording_is_not_written_over(odonata, recorded):
    few, more = (recorded(n, "exchange", "doubling") for n in (8, 16))
    before = more.read_bytes()
    done = odonata("extrapolate", few, more, "--ranks", 32, "-o", more)
    assert done.returncode == 2 and "another file" in done.stderr, done.stderr
    assert more.read_bytes() == before


def test_more_calls_than_memory_holds_are_refused_at_once(odonata, tmp_path, recorded):
    small = [recorded(n, "exchange", "pairwise") for n in (8, 16)]
    done = odonata("extrapolate", *small, "--ranks", 20_000, "-o", tmp_path / "big.parquet")
    assert done.returncode == 2 and "a rank makes" in done.stderr, done.stderr
    assert not list(tmp_path.glob("big*"))


@pytest.mark.parametrize("how", [{"apart": {"back": 2560, **DOUBLES}}, {"window": True}], ids=str)
def test_informational_rows_are_no_calls_of_the_step_before(tmp_path, how):
    """All ranks wait for all calls, so that their number depends on the number of ranks."""
    few = [written(tmp_path / f"{n}.parquet", all_to_all(n, **how)) for n in (4, 5)]
    made = tmp_path / "made.parquet"
    od.extrapolate(few, ranks=8, record=made)
    assert rows_of(made) == rows_of(written(tmp_path / "8.parquet", all_to_all(8, **how)))
    played = od.replay(od.machine("dragonfly-1056"), made, fidelity="loggp")
    assert played.exit_code == 0


def made_of_lines(tmp_path, few, many, message, back) -> dict:
    """Columns of non-contiguous data on `n` ranks, from recordings of fewer."""
    files = []
    for n in few:
        steps = all_to_all(n, {"back": back(n), **DOUBLES}, message(n))
        files.append(written(tmp_path / f"{n}.parquet", steps))
    made = tmp_path / "made.parquet"
    od.extrapolate(files, ranks=many, record=made)
    # The reader rejects a file with more lines than bytes.
    played = od.replay(od.machine("dragonfly-1056"), made, fidelity="loggp")
    assert played.exit_code == 0
    result = {(row["bytes"], row["back"]) for row in rows_of(made) if row["op"] == "packs"}
    assert len(result) == 1
    message, touched = result.pop()
    return {"bytes": message, "back": touched}


@pytest.mark.parametrize("few", [(4, 5), (5, 8), (4, 5, 10)], ids=str)
@pytest.mark.parametrize("many", [10, 20, 40])
def test_lines_are_divided_like_their_bytes(tmp_path, few, many):
    """1,000 rows of 24 B at a stride of 40 B, divided among the ranks."""
    result = made_of_lines(
        tmp_path, few, many, lambda n: 24 * 1000 // n, lambda n: lines(1000 // n, 24, 40)
    )
    assert result["bytes"] == 24 * 1000 // many
    assert abs(result["back"] - lines(1000 // many, 24, 40)) <= 64


def test_there_are_no_more_lines_than_bytes(tmp_path):
    """One line per byte: 1,000 / 16 bytes are rounded to 62 or 63, 64,000 / 16 are exact."""
    result = made_of_lines(tmp_path, (4, 5), 16, lambda n: 1000 // n, lambda n: 64 * (1000 // n))
    assert result["bytes"] in (62, 63) and result["back"] <= 64 * result["bytes"]


def test_lines_grow_with_the_bytes_in_them(tmp_path):
    """Even if recordings have one line: one row of 8 B per rank at a stride of 10 B."""
    assert lines(4, 8, 10) == lines(6, 8, 10) == 64
    result = made_of_lines(tmp_path, (4, 6), 32, lambda n: 8 * n, lambda n: lines(n, 8, 10))
    assert result["back"] >= result["bytes"] == 8 * 32


def test_lines_without_proportion_to_the_bytes_are_refused(tmp_path):
    with pytest.raises(od.InputError, match="back that no rule explains"):
        made_of_lines(tmp_path, (4, 5), 8, lambda n: 24000 // n, lambda n: 64 * n * n * n)


def same_but_for_sends(odonata, made, large) -> None:
    """Calls, peers, tags, bytes and steps are equal. Dependencies on sends that no rank waited for
    vary with time, so the times of replays agree within a thousandth."""
    mine, theirs = rows_of(made), rows_of(large)
    assert len(mine) == len(theirs)
    offsets = {}
    for nth, row in enumerate(theirs):
        offsets.setdefault(row["rank"], nth)
    for a, b in zip(mine, theirs):
        differ = set(a.pop("needs")) ^ set(b.pop("needs"))
        assert a == b
        assert {theirs[offsets[b["rank"]] + need]["op"] for need in differ} <= {"send"}, a
    times = []
    for file in (made, large):
        played = odonata("replay", file, *MACHINE, "--json", "--quiet")
        assert played.returncode == 0, played.stderr
        result = json.loads(played.stdout)
        times.append((result["messages"], result["bytes"], result["time_s"]))
    assert times[0] == (*times[1][:2], pytest.approx(times[1][2], rel=1e-3))


@pytest.mark.parametrize(
    ("few", "many", "program"),
    [
        ((8, 16), 64, ("patches",)),
        ((8, 16), 64, ("cg3d.py", "--points", 16)),
        ((8, 16), 32, ("cg3d.py", "--points", 16, "--halo", "sendrecv")),
    ],
    ids=str,
)
def test_the_examples_are_regular(odonata, tmp_path, few, many, program):
    if program[0] == "patches":
        made = [COMPILER, "-O1", EXAMPLES / "patches.c", "-o", tmp_path / "patches"]
        subprocess.run(["sh", *made], check=True)
        words = [tmp_path / "patches"]
    else:
        words = ["python", EXAMPLES / program[0], *program[1:]]
    files = {}
    for n in (*few, many):
        files[n] = tmp_path / f"on-{n}.parquet"
        how = ("--ppn", 8, *MACHINE, "--compute", "none", "--quiet", "--record", files[n])
        done = odonata("run", "-n", n, *how, "--", *words)
        assert done.returncode == 0, done.stderr
    made = tmp_path / "made.parquet"
    done = odonata("extrapolate", *(files[n] for n in few), "--ranks", many, "-o", made)
    assert done.returncode == 0, done.stderr
    same_but_for_sends(odonata, made, files[many])


def test_many_forms_are_regular_at_once(odonata, tmp_path, recorded):
    """Grids without wrap, faces that shrink with the grid, tags that contain ranks, a root, trees,
    Python objects, and communicators of rows, halves, nodes and one rank per node."""
    forms = ("sendrecv2", "sendrecv3", "isend2", "isend3", "tags", "line", "root", "tree",
             "objects", "parts")  # fmt: skip
    few, large = [recorded(n, "forms", *forms) for n in (8, 16)], recorded(64, "forms", *forms)
    made = tmp_path / "made.parquet"
    result = od.extrapolate(few, ranks=64, record=made)
    same_but_for_sends(odonata, made, large)
    for words in ("a grid of 2 dimensions (--)", "a grid of 3 dimensions (---)", "n - 1 times",
                  "a binomial tree", "bytes of faces in inverse", "log2 n times"):  # fmt: skip
        assert words in result.rules[0], result.rules


def ring(n: int):
    """Every rank receives from the left and sends to the right, then all call a barrier."""
    def steps(rank: int):
        left, right = (rank - 1) % n, (rank + 1) % n
        talk = [("recv", {"peer": left, "bytes": 64}), ("send", {"peer": right, "bytes": 64})]
        return [talk, [("barrier", {"flags": 8})], talk]

    return [steps(rank) for rank in range(n)]


def changed(n: int, rank: int, step: int, nth: int, **fields):
    """The ring with one call of one rank changed."""
    made = ring(n)
    op, known = made[rank][step][nth]
    made[rank][step] = list(made[rank][step])
    made[rank][step][nth] = (fields.pop("op", op), {**known, **fields})
    return made


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        # The message names rank, call, function and the field that differs.
        (lambda n: changed(n, 3, 2, 1, bytes=100),
         ["rank 3, call 4 (send)", "bytes 100, where rank 0 has 64"]),
        (lambda n: changed(n, 3, 2, 1, tag=9),
         ["rank 3, call 4 (send)", "tag 9, where rank 0 has 0"]),
        (lambda n: changed(n, 3, 2, 0, peer=0),
         ["rank 3, call 3 (recv)", "MPI_Recv or MPI_Irecv with rank 0, tag 0, 64 B",
          "where most ranks have the rank 7 further on"]),
        (lambda n: changed(n, 3, 1, 0, op="bcast", bytes=8),
         ["rank 3, call 2 (bcast)", "MPI_Bcast of 8 B, root 0, where rank 0 has MPI_Barrier"]),
        (lambda n: changed(n, 3, 2, 1, op="ssend"),
         ["rank 3, call 4 (ssend)", "MPI_Ssend with rank 4, tag 0, 64 B", "most ranks make 0"]),
        (lambda n: [mine[:2] if rank == 3 else mine for rank, mine in enumerate(ring(n))],
         ["rank 3, call 0 (recv)", "1 such call of rank 3, where most ranks make 2"]),
        (lambda n: [[*mine[:2], [mine[2][0]], [mine[2][1]]] if rank == 3 else mine
                    for rank, mine in enumerate(ring(n))],
         ["rank 3, call 4 (send)", "MPI_Send or MPI_Isend with rank 4", "wait"]),
    ],
)  # fmt: skip
def test_a_refusal_states_the_difference(tmp_path, wrong, expected):
    few = [written(tmp_path / f"{n}.parquet", wrong(n)) for n in (8, 16)]
    with pytest.raises(od.InputError) as refused:
        od.extrapolate(few, ranks=32, record=tmp_path / "made.parquet")
    result = str(refused.value)
    assert all(words in result for words in expected), result
    assert not (tmp_path / "made.parquet").exists()


def around(n: int, ops: list[str]) -> spmd_model.Recording:
    """Calls with both neighbors in all directions of a periodic grid, tag 1 up, tag 2 down."""
    blank = dict.fromkeys(records.PLAIN, 0) | {"grain": 1, "needs": [], "lengths": [], "step": 0}
    shape, directions = spmd_model.grid(n, 3), ((1, 0, 0), (0, 1, 0), (0, 0, 1))

    def row(rank: int, op: str, direction: tuple[int, ...], by: int):
        to = spmd_model.neighbor(rank, [by * d for d in direction], shape, [True] * 3)
        return {**blank, "rank": rank, "op": op, "peer": to, "tag": 1 if by > 0 else 2}

    rows = [
        [row(rank, op, direction, by) for op in ops for direction in directions for by in (1, -1)]
        for rank in range(n)
    ]
    return spmd_model.Recording(f"on {n}", {"communicators": []}, rows)


def test_few_operations_are_tried_up_first_and_down_first():
    # On 8 ranks both neighbors of a direction are the same rank, on 16 not in the first.
    ops = sorted(spmd_model.PAIRWISE)[: merging.MOST_EITHER_WAY + 1]
    few = [around(n, ops[:-1]) for n in (8, 16)]
    each = [merging.made_of(of)[0] for of in few]
    merging.families(few, each)
    for made in each:
        first = [call for call in made[0] if call.key == ("gridppp 1 0 0", 0)]
        assert [call.numbers["tag"] for call in first] == [1] * len(ops[:-1])
    few = [around(n, ops) for n in (8, 16)]
    each = [merging.made_of(of)[0] for of in few]
    match = f"on 8, rank 0.* {len(ops)} operations"
    with pytest.raises(spmd_model.IrregularError, match=match) as no:
        merging.families(few, each)
    assert no.value.wanted.startswith(f"at most {merging.MOST_EITHER_WAY} such operations")


def test_messages_that_one_recording_lacks_are_refused(tmp_path):
    silent = [[[("barrier", {"flags": 8})]] for _ in range(8)]
    few = [written(tmp_path / f"{len(made)}.parquet", made) for made in (silent, ring(16))]
    with pytest.raises(od.InputError, match="barrier of 0 B on 8, recv .* of 64 B on 16"):
        od.extrapolate(few, ranks=32, record=tmp_path / "made.parquet")


def test_a_call_that_disappears_with_computation_is_refused(tmp_path):
    def steps(n: int):
        return [
            [[("barrier", {}), ("pause", {})], [("cancel", {"other": 1}), ("pause", {})]]
            for _ in range(n)
        ]

    few = [written(tmp_path / f"{n}.parquet", steps(n)) for n in (8, 16)]
    with pytest.raises(od.InputError, match="rank 0.*calls that need earlier ones"):
        od.extrapolate(few, ranks=32, record=tmp_path / "made.parquet")


def test_a_tag_that_no_message_can_have_is_refused(tmp_path):
    def steps(n: int):
        tag = 20_000_000
        return [
            [[("recv", {"peer": (rank - 1) % n, "tag": tag * ((rank - 1) % n), "bytes": 8}),
              ("send", {"peer": (rank + 1) % n, "tag": tag * rank, "bytes": 8})]]
            for rank in range(n)
        ]  # fmt: skip

    few = [written(tmp_path / f"{n}.parquet", steps(n)) for n in (8, 16)]
    od.extrapolate(few, ranks=64, record=tmp_path / "made.parquet")
    with pytest.raises(od.InputError, match="tag 2540000000.*to 2\\^31"):
        od.extrapolate(few, ranks=128, record=tmp_path / "made.parquet")
