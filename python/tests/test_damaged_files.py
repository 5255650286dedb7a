"""Files that are damaged, endless, too deep or no files: exit code 2 with an error, at once."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pyarrow as pa
import pytest
from conftest import PROGRAMS
from pyarrow import parquet

import odonata as od
from odonata import cli
from odonata.errors import Diagnostics
from odonata.preflight import predict_limits
from odonata.sweeps import study as studies

SMALL = ("--machine", "dragonfly-1056")
RUN = ("run", "-n", "2", *SMALL)
BENCH = ("bench", "latency", *SMALL, "--sizes", "8")
TRUE = ("--", "true")
# A command for each kind of file, with the option that names it.
READERS = {
    "machine": lambda file: ("show", file),
    "profile": lambda file: (*BENCH, "--mpi", file),
    "faults": lambda file: (*BENCH, "--faults", file),
    "placement": lambda file: (*BENCH, "--placement", file),
    "rules": lambda file: (*BENCH, "--coll-rules", file),
    "hosts": lambda file: (*RUN, "--hostfile", file, *TRUE),
    "jobs": lambda file: ("run", *SMALL, "--jobs", file),
    "study": lambda file: ("sweep", file),
    "schedule": lambda file: ("replay", file, *SMALL),
    "recording": lambda file: ("extrapolate", file, "--ranks", "8", "-o", "made.parquet"),
}
# Limits of time and memory within which a file must be rejected.
TIMEOUT_S, MEMORY_KB = 20, 1 << 20


@pytest.fixture
def refused(tmp_path, monkeypatch, capfd):
    """Runs a command in this process, because there are many; returns its error output."""
    monkeypatch.chdir(tmp_path)

    def run(*words) -> str:
        capfd.readouterr()
        code = cli.code_of(list(map(str, words)))
        result = capfd.readouterr()
        assert code == 2, result.err[-3000:]
        assert result.out == "" and "    wanted  " in result.err
        return result.err

    return run


def refused_apart(odonata, words) -> str:
    """The same for a process with a limited heap, which is killed at the timeout."""
    limited = ["sh", "-c", f'ulimit -d {MEMORY_KB}; exec "$@"', "-", *odonata.arguments(*words)]
    done = subprocess.run(limited, cwd=odonata.cwd, env=odonata.env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_S)  # fmt: skip
    assert done.returncode == 2, done.stderr[-3000:]
    assert done.stdout == "" and "    wanted  " in done.stderr
    return done.stderr


def endless(kind: str, at) -> str:
    """The name of a file or device that has no end."""
    if kind == "pipe":
        os.mkfifo(at / "pipe.toml")
        return "./pipe.toml"
    if kind == "sparse":
        with open(at / "sparse.toml", "wb") as file:
            file.truncate(1 << 40)
        return "./sparse.toml"
    if kind == "directory":
        (at / "folder.toml").mkdir()
        return "./folder.toml"
    return kind


@pytest.mark.parametrize("kind", ["/dev/zero", "pipe", "sparse", "directory"])
@pytest.mark.parametrize("reader", READERS)
def test_endless_files_are_not_read(odonata, refused, tmp_path, reader, kind):
    name = endless(kind, tmp_path)
    if reader == "profile" and kind == "/dev/zero":
        os.symlink("/dev/zero", tmp_path / "zero.toml")  # a profile needs this suffix
        name = "zero.toml"
    is_apart = reader == "schedule"  # a schedule is read as a whole
    words = READERS[reader](name)
    assert name in (refused_apart(odonata, words) if is_apart else refused(*words))


def test_a_pipe_from_another_program_is_read(odonata, tmp_path):
    goal = b"num_ranks 1\nrank 0 {\ncalc 1000\n}\n"
    machine = subprocess.run(odonata.arguments("show", "dragonfly-1056", "--toml"),
                             env=odonata.env, capture_output=True).stdout  # fmt: skip
    replay, show = ("replay", "/dev/stdin", *SMALL), ("show", "/dev/stdin")
    for words, data in ((replay, goal), (show, machine)):
        done = subprocess.run(odonata.arguments(*words), input=data, env=odonata.env,
                              capture_output=True, timeout=TIMEOUT_S)  # fmt: skip
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", [
    "a = " + "[" * 60_000 + "]" * 60_000,
    "a = " + "{b = " * 60_000 + "1" + "}" * 60_000,
    ".".join(["a"] * 50_000) + " = 1",
    "[" + ".".join(["a"] * 50_000) + "]\nb = 1",
    "[base]\nset = " + "{a = " * 200 + "1" + "}" * 200,
])  # fmt: skip
@pytest.mark.parametrize("reader", ["study", "machine", "jobs", "faults", "profile"])
def test_deeply_nested_files_are_refused(refused, tmp_path, reader, text):
    (tmp_path / "deep.toml").write_text(text)
    output = refused(*READERS[reader]("./deep.toml"))
    assert "deep.toml" in output and len(output) < 4000, output


def test_a_study_that_repeats_itself_is_checked_once(odonata, tmp_path):
    study = {"base": {"command": "bench", "name": "latency", "machine": "dragonfly-1056"},
             "grid": {"sizes": [8] * 50, "nodes": ["2x"] * 50}}  # fmt: skip
    wrong = Diagnostics()
    assert len(studies.points(wrong, study)) == 2_500
    assert [(c.at, c.found) for c in wrong.list] == [("[grid] nodes", "2x")]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Results and recordings of a program on 4 and 8 ranks."""
    at = tmp_path_factory.mktemp("results")
    for ranks in (4, 8):
        job = od.machine("dragonfly-1056").job(nodes=ranks // 2, ppn=2)
        result = od.run(job, ["python", str(PROGRAMS / "ring.py")], compute="none",
                        record=at / f"on-{ranks}.parquet")  # fmt: skip
        result.save(at / f"run-{ranks}")
    return at


def summary_without(path, *keys, value=None):
    """The summary with one of its values removed or replaced."""
    summary = json.loads((path / "summary.json").read_text())
    inner = summary
    for key in keys[:-1]:
        inner = inner[key]
    if value is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return summary


OF_USE = ("limit", "used", "fixed", "bound", "parameter", "cure")
KEYS = [("nodes",), ("ppn",), ("machine",), ("mpi",), ("limits",), ("limits", "uses"),
        *(("limits", "uses", 0, key) for key in OF_USE)]  # fmt: skip


def preflight(summaries) -> str:
    """The error of preflight for these summaries, in this process because cases are many."""
    with pytest.raises(od.InputError) as caught:
        predict_limits(summaries)
    return str(caught.value)


@pytest.mark.parametrize("keys", KEYS)
def test_preflight_refuses_a_summary_that_lacks_a_key(results, keys):
    damaged = summary_without(results / "run-4", *keys)
    whole = json.loads((results / "run-8" / "summary.json").read_text())
    assert "results of `odonata run`" in preflight([damaged, whole])


@pytest.mark.parametrize("value", [-1, "1", [], {}, True, float("nan"), 1e400, 2**70])
@pytest.mark.parametrize("keys", [("nodes",), ("ppn",), ("limits",), ("limits", "uses"),
                                  ("limits", "uses", 0), ("limits", "uses", 0, "used"),
                                  ("limits", "uses", 0, "bound")])  # fmt: skip
def test_preflight_refuses_a_summary_with_another_kind_of_value(results, keys, value):
    if (keys, value) == (("limits", "uses"), []):
        return  # a run without limits
    damaged = summary_without(results / "run-4", *keys, value=value)
    whole = json.loads((results / "run-8" / "summary.json").read_text())
    assert "results of `odonata run`" in preflight([damaged, whole])


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '"format"', "[" * 60_000,
                                     '{"format": "odonata-results/1"}', "\0" * 100])  # fmt: skip
@pytest.mark.parametrize("command", ["preflight", "report"])
def test_a_damaged_result_directory_is_refused(refused, tmp_path, results, command, content):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "summary.json").write_text(content)
    more = ("--no-published",) if command == "report" else (results / "run-8",)
    output = refused(command, "run", *more)
    assert "RUNDIR" in output
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["summary.json"]


def damaged_record(path, change):
    """A recording with other columns or rows, as bytes."""
    table = change(parquet.read_table(path))
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def cell(name, row, value):
    """A change of one value, in a given row or in the first row with a given operation."""
    def change(table):
        values = table.column(name).to_pylist()
        at = table.column("op").to_pylist().index(row) if isinstance(row, str) else row
        values[at] = value
        nth = table.column_names.index(name)
        return table.set_column(nth, name, pa.array(values, table.column(name).type))
    return change


def typed(name, *kinds):
    def change(table):
        nth, column = table.column_names.index(name), table.column(name)
        for kind in kinds:
            column = column.cast(kind, safe=False)
        return table.set_column(nth, name, column)
    return change


DAMAGE = {
    "a column less": lambda table: table.drop_columns(["peer"]),
    "a column twice": lambda table: table.append_column("peer", table.column("peer")),
    "no rows": lambda table: table.slice(0, 0),
    "half of the rows": lambda table: table.slice(0, table.num_rows // 2 + 1),
    "rows in another order": lambda table: table.take(list(range(table.num_rows))[::-1]),
    "no head": lambda table: table.replace_schema_metadata(None),
    "a head that is no JSON": lambda table: table.replace_schema_metadata({b"odonata": b"{"}),
    "a deep head": lambda table: table.replace_schema_metadata({b"odonata": b"[" * 60_000}),
    "a head without keys": lambda table: table.replace_schema_metadata(
        {b"odonata": b'{"format": "odonata-record/1"}'}),
    "a rank that is none": cell("rank", 0, 77),
    "a partner that is none": cell("peer", "send", 4_000_000),
    "an unknown call": cell("op", 2, "frobnicate"),
    "a step too far": cell("step", 2, 4_000_000_000),
    "a call that needs itself": cell("needs", 1, [1]),
    "a call that needs none of its rank's": cell("needs", 1, [4_000_000_000]),
    "nothing where a value must be": cell("bytes", 0, None),
    "dates for numbers": typed("peer", pa.int32(), pa.date32()),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_recording_is_refused(refused, tmp_path, results, what):
    """Both readers name the file, and no partial extrapolation is left."""
    for ranks in (4, 8):
        data = (results / f"on-{ranks}.parquet").read_bytes()
        (tmp_path / f"on-{ranks}.parquet").write_bytes(data)
    (tmp_path / "on-4.parquet").write_bytes(damaged_record(results / "on-4.parquet", DAMAGE[what]))
    both = ("on-4.parquet", "on-8.parquet")
    assert "on-4.parquet" in refused("extrapolate", *both, "--ranks", "16", "-o", "o.parquet")
    assert not (tmp_path / "o.parquet").exists()
    if what not in ("no rows", "half of the rows"):  # the other half is a valid recording
        assert re.search("  (FILE|on-4.parquet, .*)\n", refused("replay", "on-4.parquet", *SMALL))


def test_a_small_file_of_very_many_values_is_refused(refused, tmp_path):
    """Parquet stores a thousand million equal values in half a megabyte."""
    rows = pa.nulls(1 << 20, pa.uint32())
    with parquet.ParquetWriter(tmp_path / "many.parquet", pa.schema({"rank": rows.type})) as writer:
        for _ in range(513):
            writer.write_table(pa.table({"rank": rows}))
    assert (tmp_path / "many.parquet").stat().st_size < 1 << 20
    assert "537,919,488 values" in refused("replay", "many.parquet", *SMALL)


def test_control_characters_are_shown_as_codes(refused):
    output = refused("show", "a\x1b[31m\u202e\nb" + "x" * 5000)
    assert "\x1b" not in output and "\\x1b[31m\\u202e\\nbxxx" in output and len(output) < 2000


def test_very_many_problems_are_counted(refused, tmp_path):
    (tmp_path / "nodes").write_text("99999:900000\n")
    shown = refused(*BENCH, "--placement", "nodes")
    assert "899980 more ranks" in shown and len(shown) < 8000
    (tmp_path / "m.toml").write_text("".join(f"k{n} = 1\n" for n in range(3000)))
    shown = refused("show", "./m.toml")
    # The core returns a thousand problems, and the number of all others.
    assert "1,001 problems" in shown.splitlines()[0] and shown.splitlines()[-1] == "  and 951 more"
    keys = "".join(f"k{n} = 1\n" for n in range(200))
    points = "".join(f"[[point]]\nseed = {n}\n{keys}" for n in range(15))
    base = '[base]\ncommand = "bench"\nname = "latency"\n'
    (tmp_path / "s.toml").write_text(base + points)
    shown = refused("sweep", "s.toml")
    assert "1,001 problems" in shown.splitlines()[0] and shown.splitlines()[-1] == "  and 951 more"


def test_a_record_name_is_a_file_name(odonata, tmp_path):
    """A name with a colon is no address, as which Arrow would read it."""
    done = odonata(*RUN, "--quiet", "--record", "s3:one", "--", "python", PROGRAMS / "ring.py")
    assert done.returncode == 0, done.stderr
    assert odonata("replay", "s3:one", *SMALL).returncode == 0
