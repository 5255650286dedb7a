"""Recorded runs that are replayed, and schedules of other tools."""

from __future__ import annotations

import json
import random
import struct

import pytest
from conftest import PROGRAMS
from pyarrow import parquet

import odonata as od

JOB = ("-n", 6, "--ppn", 2, "--machine", "dragonfly-1056")


def json_of(odonata, command: str, *arguments: object) -> dict:
    done = odonata(command, "--json", "--quiet", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("compute", ["none", "measured"])
@pytest.mark.parametrize("fidelity", ["packet", "loggp"])
@pytest.mark.parametrize("program", ["everything", "windows"])
def test_a_replay_takes_as_long_as_the_run(odonata, tmp_path, program, fidelity, compute):
    """To the picosecond: all kinds of sends, wildcards, polls, probes, collectives, windows."""
    record = tmp_path / "run.parquet"
    words = ("python", PROGRAMS / f"{program}.py", tmp_path / "data")
    how = ("--fidelity", fidelity, "--seed", 7)
    ran = json_of(odonata, "run", *JOB, *how, "--compute", compute, "--record", record, "--",
                  *words)  # fmt: skip
    assert ran["record"]["file"] == str(record)
    replayed = json_of(odonata, "replay", record, "--machine", "dragonfly-1056", *how)
    assert replayed["time_s"] == ran["time_s"]
    assert (replayed["messages"], replayed["bytes"]) == (ran["messages"], ran["bytes"])
    assert replayed["calls_done"] == ran["record"]["calls"]


def test_a_record_is_a_table_of_calls(odonata, tmp_path):
    record = tmp_path / "run.parquet"
    words = ("python", PROGRAMS / "everything.py")
    json_of(odonata, "run", *JOB, "--compute", "none", "--record", record, "--", *words)
    rows = parquet.read_table(record).to_pylist()
    assert {"send", "ssend", "recv", "mprobe", "mrecv", "iprobe", "allreduce"} <= {
        r["op"] for r in rows
    }
    # The master's receives from MPI_ANY_SOURCE have the actual source and a flag for the wildcard.
    wild = [r for r in rows if r["op"] == "recv" and r["flags"] & 3 == 3]
    assert len(wild) == 3 * 5 and {r["rank"] for r in wild} == {0}
    assert sorted((r["peer"], r["tag"]) for r in wild) == [
        (peer, tag) for peer in range(1, 6) for tag in (10, 11, 12)
    ]
    # The header lists the communicator of a collective on half of the world.
    header = json.loads(parquet.read_schema(record).metadata[b"odonata"])
    members = {context: ranks for context, ranks in header["communicators"]}
    halves = {r["context"] for r in rows if r["op"] == "allreduce"}
    assert sorted(members[context] for context in halves) == [[0, 2, 4], [1, 3, 5]]


def test_computation_can_be_omitted_or_scaled(odonata, tmp_path):
    file = tmp_path / "a.goal"
    file.write_text("num_ranks 1\nrank 0 {\ncalc 1000\n}\n")
    times = {}
    for compute in ("recorded", "none", "1000"):
        machine = ("--machine", "dragonfly-1056", "--compute", compute)
        times[compute] = json_of(odonata, "replay", file, *machine)["time_s"]
    # A call takes effect, and completes, at the earliest a picosecond after it is made.
    for compute, expected in (("recorded", 1e-6), ("none", 0.0), ("1000", 1e-3)):
        assert times[compute] == pytest.approx(expected, abs=2.1e-12), compute


def test_a_run_that_deadlocked_deadlocks_again(odonata, tmp_path):
    record = tmp_path / "run.parquet"
    machine = ("--machine", "dragonfly-1056")
    words = ("python", PROGRAMS / "deadlock.py")
    ran = odonata("run", "-n", 2, *machine, "--record", record, "--", *words)
    assert ran.returncode == 1 and "deadlock" in ran.stderr
    assert "did not end well" in ran.stderr
    again = odonata("replay", record, *machine)
    assert again.returncode == 1 and "deadlock: 2 ranks wait" in again.stderr, again.stderr
    assert "the recorded run did not end well: deadlock" in again.stderr


def test_threads_in_mpi_cannot_be_recorded_and_are_reported(odonata, tmp_path):
    record = tmp_path / "run.parquet"
    words = ("python", PROGRAMS / "threads.py")
    done = odonata(
        "run", "-n", 2, "--machine", "dragonfly-1056", "--record", record, "--quiet", "--", *words
    )
    assert done.returncode == 0, done.stderr
    assert "nothing was recorded: rank 0 called MPI from one thread while another" in done.stderr
    assert not record.exists()


def tree(ranks: int) -> str:
    """A broadcast along a binomial tree, as LogGOPSim's example `binary_tree_16.goal` has it."""
    lines = [f"num_ranks {ranks}", ""]
    for rank in range(ranks):
        lines.append(f"rank {rank} {{")
        high = 1 << rank.bit_length() >> 1
        labels = 0
        if rank:
            labels += 1
            lines.append(f"l{labels}: recv 1b from {rank - high} tag 0")
        step = max(2 * high, 1)
        while rank + step < ranks:
            labels += 1
            lines.append(f"l{labels}: send 1b to {rank + step} tag 0")
            if rank:
                lines.append(f"l{labels} requires l1")
            step *= 2
        lines.append("}\n")
    return "\n".join(lines)


def test_a_schedule_of_another_tool(odonata, tmp_path):
    file = tmp_path / "binary_tree_16.goal"
    file.write_text(tree(16))
    out = tmp_path / "out"
    found = json_of(odonata, "replay", file, "--machine", "dragonfly-1056", "--out", out)
    assert (found["ranks"], found["messages"], found["bytes"]) == (16, 15, 15)
    assert odonata("report", out, "--no-published").returncode == 0
    # The path of the tree to the last of 8 nodes has four messages in sequence, each with the time
    # of an isolated pair, and the calls between them.
    pair = tmp_path / "pair.goal"
    pair.write_text(tree(2))
    one = json_of(odonata, "replay", pair, "--machine", "dragonfly-1056")["time_s"]
    assert 4 * one < found["time_s"] < 8 * one


def binary(parts: list[tuple[list[tuple], list[list[int]]]]) -> bytes:
    """A file in the format of `txt2bin`: operations, and for each its dependents."""
    body, places = b"", []
    origin = 6 + 16 * len(parts)
    for operations, needed_by in parts:
        start = origin + len(body)
        waits = [sum(i in those for those in needed_by) for i in range(len(operations))]
        roots = [i for i, n in enumerate(waits) if n == 0]
        body += struct.pack(f"<II{len(roots)}I", len(operations), len(roots), *roots)
        numbers: list[int] = []
        for (kind, peer, size, tag), n, those in zip(operations, waits, needed_by, strict=True):
            body += struct.pack("<IBIQIBB", n, kind, peer, size, tag, 0, 0)
            body += struct.pack("<II", len(those), len(numbers))
            numbers += those
            body += struct.pack("<II", 0, len(numbers))
        body += struct.pack(f"<{len(numbers)}I", *numbers)
        places.append((start, origin + len(body)))
    head = struct.pack("<QIBB", 4223, len(parts), 0, 0)
    return head + b"".join(struct.pack("<QQ", *place) for place in places) + body


def test_the_binary_form_is_the_same_schedule(odonata, tmp_path):
    text = tmp_path / "a.goal"
    text.write_text(
        "num_ranks 2\nrank 0 {\na: calc 700\nb: send 4096b to 1 tag 3\nb requires a\n}\n"
        "rank 1 {\nrecv 4096b from 0 tag 3\n}\n"
    )
    packed = tmp_path / "a.bin"
    send, recv, calc = 1, 2, 3
    packed.write_bytes(
        binary([([(calc, 0, 700, 0), (send, 1, 4096, 3)], [[1], []]), ([(recv, 0, 4096, 3)], [[]])])
    )
    found = [json_of(odonata, "replay", f, "--machine", "dragonfly-1056") for f in (text, packed)]
    assert found[0]["digest"] == found[1]["digest"]


def test_all_errors_are_reported_at_once(odonata, tmp_path):
    file = tmp_path / "a.goal"
    file.write_text("num_ranks 2\nrank 0 {\nsend 8 to 1\nsend 8b to 7\n}\nrank 1 {\nrec 1\n}\n")
    done = odonata("replay", file, "--machine", "dragonfly-1056", "--ppn", 0)
    assert done.returncode == 2 and "--ppn" in done.stderr
    done = odonata("replay", file, "--machine", "dragonfly-1056", "--placement", "one-grup")
    assert done.returncode == 2
    done = odonata("replay", file, "--machine", "dragonfly-1056")
    assert done.returncode == 2
    for words in (f"{file}, line 3", "wanted  `b`", f"{file}, line 7", "`requires`"):
        assert words in done.stderr


def test_a_broken_record_is_refused(odonata, tmp_path):
    record = tmp_path / "run.parquet"
    words = ("python", PROGRAMS / "everything.py")
    json_of(odonata, "run", *JOB, "--compute", "none", "--record", record, "--", *words)
    whole = record.read_bytes()
    machine, broken = od.machine("dragonfly-1056"), tmp_path / "broken.parquet"
    seed, refused = 20261122, 0
    draw = random.Random(seed)
    for trial in range(60):
        data = bytearray(whole)
        if trial % 4 == 0:
            del data[draw.randrange(len(data)) :]
        else:
            data[draw.randrange(4, len(data))] ^= 1 << draw.randrange(8)
        broken.write_bytes(data)
        try:
            od.replay(machine, broken, fidelity="loggp", check=False)
        except od.InputError:
            refused += 1
        except Exception as error:
            raise AssertionError(f"seed {seed}, trial {trial}") from error
    assert refused >= 15


def test_ranks_with_another_order_of_collectives_are_reported(odonata, tmp_path):
    """The order of rows agrees, but by its dependencies one rank starts the second call first."""
    (tmp_path / "two.py").write_text(
        "import numpy\nfrom mpi4py import MPI\nfor n in (4, 8):\n"
        "    MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, numpy.zeros(n))\n"
    )
    record = tmp_path / "run.parquet"
    json_of(odonata, "run", *JOB, "--compute", "none", "--record", record, "--", "python", "two.py")
    table = parquet.read_table(record)
    rows = table.to_pylist()
    first, second = (row for row in rows if row["op"] == "allreduce" and row["rank"] == 2)
    first["after_ps"], second["needs"] = 10**9, first["needs"]
    parquet.write_table(table.from_pylist(rows, schema=table.schema), record)
    done = odonata("replay", record, "--machine", "dragonfly-1056", "--quiet")
    assert done.returncode == 1
    assert "rank 0 called Allreduce of 32 B, rank 2 Allreduce of 64 B" in done.stderr


def test_a_record_replaces_nothing_but_a_record(odonata, tmp_path):
    taken = tmp_path / "data.txt"
    taken.write_text("mine")
    done = odonata("run", "-n", 1, "--machine", "dragonfly-1056", "--record", taken, "--", "true")
    assert done.returncode == 2 and "--record" in done.stderr
    assert taken.read_text() == "mine"
    # A record that is renamed over a device would replace it.
    done = odonata("run", "-n", 1, "--machine", "dragonfly-1056", "--record", "/dev/null", "true")
    assert done.returncode == 2 and "or a device" in done.stderr


def test_a_record_does_not_replace_files_of_the_results(odonata):
    run = ("run", "-n", "2", "--machine", "dragonfly-1056", "--out", "out")
    for name, noted in (("ranks.parquet", True), ("summary.json", True), ("mine.parquet", False)):
        done = odonata(*run, "--record", f"out/{name}", "--", "true")
        # For any name, the directory of the record does not exist yet.
        assert done.returncode == 2 and "a place that can be written to" in done.stderr
        assert ("files of --out" in done.stderr) == noted, done.stderr


def test_an_unwritable_record_does_not_affect_other_results(odonata, tmp_path):
    (tmp_path / "gone").mkdir()
    words = ("--record", "gone/run.parquet", "--out", "out", "--json", "--", "rm", "-r", "gone")
    done = odonata("run", "-n", 1, "--machine", "dragonfly-1056", *words)
    assert done.returncode == 1 and "cannot write the record to gone/run.parquet" in done.stderr
    json_of = json.loads(done.stdout)
    assert json_of["exit_code"] == 0 and json_of["record"]["file"] is None
    assert (tmp_path / "out" / "summary.json").exists()


def test_computation_cannot_be_scaled_beyond_the_clock(odonata, tmp_path):
    """Each duration is within the 50 days of a rank's clock, but their sum is not."""
    file = tmp_path / "a.goal"
    file.write_text("num_ranks 1\nrank 0 {\n" + "calc 4000000000\n" * 6 + "}\n")
    machine = od.machine("dragonfly-1056")
    assert od.replay(machine, file, compute=1e5).time == pytest.approx(24e5)
    with pytest.raises(od.InputError, match="50 days"):
        od.replay(machine, file, compute=9e5)


@pytest.mark.parametrize("mpi", ["openmpi", "mine.toml"])
def test_a_replay_honors_the_variables_of_its_own_library(odonata, tmp_path, mpi):
    (tmp_path / "gather.py").write_text(
        "from mpi4py import MPI\n"
        "comm = MPI.COMM_WORLD\n"
        "comm.Allgather(bytearray(64), bytearray(64 * comm.size))\n"
    )
    (tmp_path / "mine.toml").write_text('like = "openmpi"\n')
    algorithm = "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM"
    common = ("run", "-n", 8, "--machine", "dragonfly-1056", "--compute", "none", "--json")
    messages = {}
    for env in (f"{algorithm}=ring", f"{algorithm}=brucks"):
        for of in ("mpich", mpi):
            record = f"{env}-{of.removesuffix('.toml')}.parquet"
            options = ("--env", env, "--mpi", of, "--record", record)
            done = odonata(*common, *options, "--", "python", "gather.py")
            assert done.returncode == 0, done.stderr
            assert (f"not read by `{of}`: {algorithm}" in done.stderr) == (of == mpi)
            messages[env, of] = json.loads(done.stdout)["messages"]
    assert messages[f"{algorithm}=ring", "mpich"] > messages[f"{algorithm}=brucks", "mpich"]
    assert messages[f"{algorithm}=ring", mpi] == messages[f"{algorithm}=brucks", mpi]
    # A variable that the recorded run read and the replayed library does not.
    done = odonata("replay", f"{algorithm}=ring-mpich.parquet", "--machine", "dragonfly-1056",
                   "--mpi", mpi, "--json")  # fmt: skip
    assert done.returncode == 0 and f"not read by `{mpi}`: {algorithm}" in done.stderr
    assert json.loads(done.stdout)["messages"] == messages[f"{algorithm}=ring", mpi]


def test_nics_of_a_schedule_are_those_of_the_machine(odonata, tmp_path):
    """Four NICs take a quarter of the time of one; each NIC that a node lacks is an error."""

    def schedule(name: str, nics):
        lines = ["num_ranks 2"]
        for rank, (how, to) in enumerate((("send", "to 1"), ("recv", "from 0"))):
            lines += [f"rank {rank} {{"]
            lines += [f"{how} 4194304b {to} tag {tag} nic {nic}" for tag, nic in enumerate(nics)]
            lines += ["}"]
        file = tmp_path / name
        file.write_text("\n".join(lines) + "\n")
        return file

    machine = od.machine("frontier")
    one, four = (
        od.replay(machine, schedule(name, nics), fidelity="loggp").summary["time_s"]
        for name, nics in (("one.goal", [0] * 4), ("four.goal", range(4)))
    )
    # Less than 4 by the time before the first byte: latencies and a rendezvous.
    assert 3.6 < one / four < 4
    done = odonata("replay", schedule("five.goal", [0, 4, 3, 9]), "--machine", "frontier")
    assert done.returncode == 2 and done.stdout == ""
    for line, nic in ((4, 4), (6, 9), (10, 4), (12, 9)):
        assert f"five.goal, line {line}\n    found   nic {nic}\n" in done.stderr, done.stderr
    assert "a NIC of the node of rank 1, 0 to 3" in done.stderr
    assert done.stderr.startswith("odonata: error: 4 problems in")
