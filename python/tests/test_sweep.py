"""`odonata sweep`: points, results, stored points, and no repeated computation."""

from __future__ import annotations

import itertools
import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import GUARD_S, ROOT

import odonata as od
from odonata import plot
from odonata.errors import Diagnostics
from odonata.sweeps import command, study
from odonata.sweeps import executors

BASE = {
    "command": "bench",
    "name": "allreduce",
    "machine": "dragonfly-1056",
    "fidelity": "loggp",
}
STUDY = """
[base]
command = "bench"
machine = "dragonfly-1056"
fidelity = "loggp"

[grid]
name = ["allreduce"]
nodes = [4, 2]
sizes = ["8,64Ki"]
mpi = ["openmpi", "mpich"]

[[point]]
command = "traffic"
pattern = "uniform"
load = [0.1, 0.2]
fidelity = "packet"
time = "1us"
warmup = "1us"
"""


def points(tables):
    """The points of a valid study."""
    wrong = Diagnostics()
    found = study.points(wrong, tables)
    assert wrong.list == []
    return found


def diagnostics(tables):
    wrong = Diagnostics()
    study.points(wrong, tables)
    return {c.at: c for c in wrong.list}


def attempts(directory):
    return [json.loads(line) for line in (directory / "attempts.jsonl").read_text().splitlines()]


def test_the_grid_is_multiplied_and_points_are_not():
    grid = {"nodes": [4, 2], "set": {"nic": {"window": [64, 32]}}, "seed": [1, 2, 3]}
    found = points({"base": BASE, "grid": grid, "point": [{"nodes": 8}, {"name": "bcast"}]})
    assert [p.number for p in found] == list(range(1, 15))
    assert len({p.key for p in found}) == 14
    columns = ("nodes", "set.nic.window", "seed")
    shown = [tuple(p.given_keys[key] for key in columns) for p in found[:12]]
    assert shown == [(n, w, s) for n in (4, 2) for w in (64, 32) for s in (1, 2, 3)]
    assert found[0].argv[0] == "bench" and {"--nodes=4", "--set=nic.window=64"} <= {*found[0].argv}
    assert found[12].given_keys == {**BASE, "nodes": 8}
    assert found[13].given_keys == {**BASE, "name": "bcast"}


def test_values_are_those_of_the_command_line():
    listed = {"sizes": [8, 1024], "set": ["nic.window=64", "node.cores=8"], "nodes": 8}
    (bench,) = points({"base": BASE, "point": [listed]})
    assert {"--sizes=8,1024", "--set=nic.window=64", "--set=node.cores=8"} <= {*bench.argv}
    run = {"command": "run", "machine": "dragonfly-1056", "n": 2, "program": "sh -c 'exit 0'"}
    one, other = points({"point": [run, {**run, "program": ["sh", "-c", "exit 0"]}]})
    assert one.argv[-4:] == ("--", "sh", "-c", "exit 0") and one.key == other.key
    assert one.given_keys["ranks"] == 2
    traffic = {"command": "traffic", "machine": "dragonfly-1056", "pattern": "uniform"}
    (found,) = points({"base": traffic, "point": [{"load": 0.1, "alone": False, "ordered": True}]})
    assert {"--load=0.1", "--no-alone", "--ordered"} <= {*found.argv}


def test_the_digest_covers_all_inputs_of_a_point(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(od.machine("dragonfly-1056").source)
    run = {"command": "run", "machine": "mine.toml", "ranks": 2, "program": ["true"]}

    def key(**more):
        (point,) = points({"point": [{**run, **more}]})
        return point.key

    first = key()
    assert first == key(np=None) and first != key(seed=2) and first != key(program=["sh"])
    assert key(seed=2) == key(seed="2")
    Path("mine.toml").write_text(Path("mine.toml").read_text() + "\n# another\n")
    assert first != (second := key())
    monkeypatch.setenv("FI_CXI_RDZV_THRESHOLD", "4096")
    assert second != key()
    monkeypatch.delenv("FI_CXI_RDZV_THRESHOLD")
    Path("rules.txt").write_text("a")
    named = key(env={"APP_RULES": "rules.txt"})
    Path("rules.txt").write_text("b")
    assert named != key(env={"APP_RULES": "rules.txt"})
    monkeypatch.setattr(study, "package_version", lambda: "another")
    assert second != key()


def machine_file():
    """The tables if a machine file is given as a study."""
    return {"about": "", "routing": "ugal", "groups": {}, "links": {}, "nic": {}, "switch": {}}


@pytest.mark.parametrize(
    ("tables", "at", "expected"),
    [
        ({}, "study", "no points"),
        ({"base": BASE, "gird": {"nodes": [2]}}, "study", "did you mean `grid`?"),
        ({"base": BASE, "grid": {"nods": [2, 4]}}, "[grid]", "did you mean `nodes`?"),
        ({"base": {**BASE, "command": "bensh"}, "grid": {"nodes": [2]}}, "[base] command",
         "did you mean `bench`?"),
        ({"base": BASE, "grid": {"nodes": 2}}, "[grid] nodes", "belongs in [base]"),
        ({"base": BASE, "grid": {"nodes": []}}, "[grid] nodes", "at least one"),
        ({"base": {**BASE, "sizes": "4M"}, "grid": {"nodes": [2]}}, "[base] sizes", "4Mi"),
        ({"base": {**BASE, "json": True}, "grid": {"nodes": [2]}}, "[base]",
         "keeps what comes out"),
        # All points would write the same file, which is no part of the result.
        ({"base": {"command": "run", "machine": "aurora", "n": 1, "program": "true"},
          "grid": {"record": ["a.parquet"]}}, "[grid]", "keeps what comes out"),
        ({"base": BASE, "grid": {"nodes": [2, 99_999]}}, "[grid] nodes (point 2)", "1056"),
        ({"base": BASE, "grid": {"nodes": [2, 4], "ppn": [1, 999]}},
         "[grid] ppn (2 points, the first is 2)", "cores"),
        ({"base": BASE, "grid": {"set": ["nic.widnow=3"]}}, "[grid] set", "`nic.window`"),
        ({"base": {**BASE, "set": {"nic": {"widnow": 3}}}, "grid": {"nodes": [2]}},
         "[base] set.nic.widnow", "`nic.window`"),
        ({"base": BASE, "grid": {"set": {"nodes": [3]}}}, "[grid] set.nodes", "of machine files"),
        # 4 edge, 7 local and 8 global ports, with two links to each of 32 groups, of 15 ports.
        ({"base": {**BASE, "set": {"groups": {"compute": {"global_ports": 8}}}},
          "grid": {"set": {"global": {"links": {"compute": {"compute": [1, 2]}}}}}},
         "switch.ports (point 2)", "[grid] set.global.links.compute.compute = 2"),
        (machine_file(), "study", "a machine file"),
        ({"base": BASE, "point": [{"nodes": 2}, {"machine": "aurra"}]}, "[[point]] 2: machine",
         "did you mean `aurora`?"),
        ({"base": BASE, "point": [{"nodes": [2, 4]}]}, "[[point]] 1: nodes", "a list in [grid]"),
        ({"base": {"command": "bench", "name": "bw"}, "grid": {"seed": [1]}}, "[base] machine",
         "a preset"),
        ({"base": {**BASE, "command": "traffic"}, "grid": {"seed": [1]}}, "[base]", "pattern"),
        ({"base": BASE, "grid": {"ppn": [True]}}, "[grid] ppn", "whole number"),
        ({"base": BASE, "grid": {"ppn": [{"a": 1}]}}, "[grid] ppn", "text, a number"),
        ({"base": {"command": "traffic", "machine": "aurora", "pattern": "uniform", "load": 0.1},
          "grid": {"ordered": ["yes"]}}, "[grid] ordered", "true or false"),
        ({"base": BASE, "grid": {"seed": list(range(2000)), "ppn": list(range(2000))}}, "[grid]",
         "4,000,000 points"),
    ],
)  # fmt: skip
def test_errors_name_the_table_and_the_key(tables, at, expected):
    found = diagnostics(tables)
    assert list(found) == [at]
    assert expected in str(found[at])


def test_all_errors_are_reported_and_nothing_is_started(odonata, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY.replace("[4, 2]", "[4, 0]") + 'name = "x"')
    done = odonata("sweep", "study.toml", "--workers", "none", "--tries", 0)
    assert done.returncode == 2 and done.stdout == ""
    for words in ("--workers", "--tries", "[grid] nodes (2 points", "[[point]] 1\n    found"):
        assert words in done.stderr, done.stderr
    assert "4 problems" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["study.toml"]


@pytest.mark.parametrize(
    ("content", "expected"), [(None, "No such file"), (b"[base", "TOML"), (b"\xff", "utf-8")]
)
def test_unreadable_studies(odonata, tmp_path, content, expected):
    if content is not None:
        (tmp_path / "study.toml").write_bytes(content)
    done = odonata("sweep", "study.toml")
    assert done.returncode == 2 and expected in done.stderr, done.stderr


def test_the_table_has_the_results_of_the_commands(odonata, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    done = odonata("sweep", "study.toml", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    machine = od.machine("dragonfly-1056")
    expected = []
    for nodes in (4, 2):
        for mpi in ("openmpi", "mpich"):
            job = machine.job(nodes=nodes, mpi=mpi)
            for row in od.bench.allreduce(job, sizes=[8, 1 << 16], fidelity="loggp").rows:
                expected.append((nodes, mpi, row["bytes"], row["latency_s"], row["algorithm"]))
    keys = ("nodes", "mpi", "bytes", "latency_s", "algorithm")
    assert [tuple(row[key] for key in keys) for row in rows[:8]] == expected
    loads = od.traffic("uniform", machine, loads=[0.1, 0.2], time_s=1e-6, warmup_s=1e-6).rows
    assert [row["digest"] for row in rows[8:]] == [row["digest"] for row in loads]
    assert [row["accepted"] for row in rows[8:]] == [row["accepted"] for row in loads]
    assert [row["point"] for row in rows] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert {row["command"] for row in rows[8:]} == {"traffic"} and rows[8]["bytes"] is None
    assert not any(key.startswith("wall") for key in rows[0])
    for key in rows[0]:
        assert key == "error" or any(row[key] is not None for row in rows), f"{key} is empty"
    kept = tmp_path / "study.sweep"
    assert {p.name for p in kept.iterdir()} == {
        "attempts.jsonl", "lock", "points", "sweep.json", "table.parquet", "wall.parquet"
    }  # fmt: skip
    shown = odonata("sweep", "study.toml")
    assert "5 of them known already" in shown.stderr
    assert len([line for line in shown.stdout.splitlines() if line[0] != "#"]) == 10


def test_finished_points_are_not_computed_again(tmp_path):
    grid = {"nodes": [2, 4], "sizes": ["8", "64"]}
    out = tmp_path / "out"
    first = od.sweep({"base": BASE, "grid": grid}, out=out)
    assert (first.summary["points"], first.summary["computed"]) == (4, 4)
    again = od.sweep({"base": BASE, "grid": grid}, out=out)
    assert again.summary["computed"] == 0 and again.table.equals(first.table)
    more = od.sweep({"base": BASE, "grid": {**grid, "nodes": [8, 2, 4]}}, out=out)
    assert (more.summary["points"], more.summary["computed"]) == (6, 2)
    assert more.table.slice(2).drop(["point"]).equals(first.table.drop(["point"]))
    # Two equal points are one computation.
    twice = od.sweep({"base": BASE, "point": [{"nodes": 16}, {"nodes": "16"}]}, out=out)
    assert (twice.summary["points"], twice.summary["computed"]) == (2, 1)
    assert len(twice.rows) == 2 * len({row["bytes"] for row in twice.rows})
    command = [line["key"] for line in attempts(out) if "begun" in line]
    assert len(command) == len(set(command)) == 7
    # A damaged file is no result.
    point = next((out / "points").iterdir())
    point.write_bytes(point.read_bytes()[:-8])
    assert od.sweep({"base": BASE, "grid": {**grid, "nodes": [8, 2, 4]}, "point": [
        {"nodes": 16}]}, out=out).summary["computed"] == 1  # fmt: skip


def test_modules_of_the_working_directory_are_not_imported(odonata, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    for name in ("json", "types", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('mine')")
    # Like the installed `odonata`, which does not add its directory to the path.
    start = "import sys; del sys.path[0]; from odonata.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", start, "sweep", "study.toml", "--workers", "1", "--tries", "1"],
        cwd=tmp_path, env=odonata.env, capture_output=True, text=True, timeout=GUARD_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_kept_results_need_no_temporary_directory(tmp_path, monkeypatch):
    (tmp_path / "passing").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "passing"))
    made = []
    monkeypatch.setattr(tempfile, "TemporaryDirectory", lambda **more: made.append(more))
    od.sweep({"base": BASE, "grid": {"nodes": [2]}}, out=tmp_path / "out")
    assert made == []


def test_every_kind_of_point_in_one_table(program):
    python = sys.executable
    jobs = {"command": "run", "program": [python, str(program("ring"))], "compute": "none"}
    found = od.sweep({"base": {"machine": "dragonfly-1056", "seed": 3}, "point": [
        {"command": "tune", "collective": "bcast", "nodes": [2, 4], "sizes": [8]},
        {**jobs, "ranks": 4},
        {"command": "run", "ranks": 2, "program": [python, str(program("deadlock"))]},
        {"command": "bench", "name": "latency", "sizes": "8,16"},
    ]})  # fmt: skip
    assert found.summary["failed"] == 1
    by = {n: [row for row in found.rows if row["point"] == n] for n in (1, 2, 3, 4)}
    # The point has a list of node counts, and each row has one of them.
    assert {row["nodes"] for row in by[1]} == {2, 4}
    assert sum(row["is_winner"] for row in by[1]) == 2
    machine = od.machine("dragonfly-1056")
    alone = od.run(machine.job(nodes=4, seed=3), jobs["program"], compute="none")
    assert [row["time_s"] for row in by[2]] == [alone.time] and alone.time > 0
    assert "deadlock" in by[3][0]["error"] and by[3][0]["exit_code"] == 1
    assert [row["bytes"] for row in by[4]] == [8, 16]


def test_a_mapping_writes_no_files_and_plots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    grid = {"name": ["allreduce", "alltoall"], "nodes": [2, 4, 32], "sizes": [64], "ppn": [1, 2]}
    found = od.sweep({"base": BASE, "grid": grid})
    assert list(tmp_path.iterdir()) == [] and found.summary["out"] is None
    assert found.table.num_rows == 12 and found.wall.num_rows == 12
    ax = found.plot(x="nodes", y="latency_s", by="name")
    assert [line.get_label() for line in ax.lines] == ["allreduce", "alltoall"]
    by = {}
    for row in found.rows:
        by.setdefault((row["name"], row["nodes"]), []).append(row["latency_s"])
    for line in ax.lines:
        mean = [sum(by[line.get_label(), n]) / 2 for n in (2, 4, 32)]
        assert list(line.get_ydata()) == pytest.approx(mean)
    assert len(ax.collections) == 2  # from least to most
    assert found.plot(x="name", y="latency_s").get_xticklabels()[0].get_text() == "allreduce"
    with pytest.raises(od.InputError, match="did you mean `latency_s`"):
        found.plot(x="nodes", y="latency")


def test_latencies_of_some_packets_are_marked():
    rows = [{"point": n, "unfinished": n, "latency_mean_s": mean, "least_mean_s": 2e-6}
            for n, mean in ((0, 1e-6), (1, 1.5e-6), (2, None))]  # fmt: skip
    *shown, foot = command.shown(rows).splitlines()
    assert [line.count("*") for line in shown] == [0, 0, 0, 1, 0] and "1.50 µs*" in shown[3]
    assert foot.startswith("# * of the packets that had come")
    assert "*" not in command.shown(rows[:1])


def test_notes_are_in_the_table_and_below_the_printed_one():
    """The latency of a packet in an empty machine is between 200 ns and 2 us."""
    words = {"command": "traffic", "pattern": "uniform", "machine": "dragonfly-1056",
             "time": "200ns", "load": "0.1,0.2"}  # fmt: skip
    found = od.sweep({"base": words, "grid": {"warmup": ["200ns", "2us"]}})
    late = [row["notes"] for row in found.rows]
    assert late[0] == late[1] and "warm-up of 200" in late[0] and late[2:] == [None, None]
    assert command.shown(found.rows).splitlines()[-1] == f"# note: {late[0]} (point 1)"


def results(**columns):
    """Rows of a traffic table, with all columns that plots need."""
    some = {"offered": 0.1, "unfinished": 0, "hops_mean": 3.0, "error": None}
    return [{**some, **dict(zip(columns, cells, strict=True))} for cells in zip(*columns.values())]


def styles(lines):
    return [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in lines]


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_lines_of_a_plot_differ_and_its_legend_leaves_room(columns):
    """24 lines of one column, 18 of two, 32 of three, whose number the plot states."""
    counts = {1: (24,), 2: (6, 3), 3: (4, 2, 4)}[columns]
    by = [f"a rather long name of column {n}" for n in range(columns)]
    rows = [{**dict(zip(by, name, strict=True)), "nodes": n, "bytes": n + sum(name), "error": None}
            for name in itertools.product(*map(range, counts)) for n in (2, 4)]  # fmt: skip
    ax = plot.sweep(rows, "nodes", "bytes", by)
    assert len(set(styles(ax.lines))) == len(ax.lines) == len(rows) // 2
    if columns == 1:  # in gray, too
        assert len({look[1:] for look in styles(ax.lines)}) == 24
    assert (f"{len(ax.lines)} lines" in ax.get_title(loc="left")) == (columns == 3)
    output = [words.get_text() for words in ax.get_legend().get_texts()]
    assert len(output) == (24 if columns == 1 else sum(counts) + len(by))
    figure = ax.figure
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # warns if axes have no room
        figure.draw_without_rendering()
    box, whole = ax.get_legend().get_window_extent(), figure.bbox
    assert box.x0 >= ax.bbox.x1 and box.x1 <= whole.x1 and box.y0 >= 0 and box.y1 <= whole.y1
    assert ax.bbox.width > 5 * figure.dpi and ax.bbox.height > 3 * figure.dpi


def test_a_latency_of_some_packets_is_drawn_as_lower_bound():
    rows = results(offered=[0.1, 0.1, 0.2, 0.2, 0.3, 0.3], latency_mean_s=[2e-6, 4e-6, 3e-6, None]
                   + [1e-6, None], least_mean_s=[2e-6, 4e-6, 8e-6, 9e-6, 1e-6, None],
                   unfinished=[0, 0, 5, 7, 0, 0])  # fmt: skip
    ax = plot.sweep(rows, "offered", "latency_mean_s", ())
    line, hollow = ax.lines
    assert list(line.get_xdata()) == [0.1, 0.2]
    assert list(line.get_ydata()) == pytest.approx([3e-6, 8.5e-6])
    assert list(hollow.get_xdata()) == [0.2] and hollow.get_markerfacecolor() == "white"
    assert ax.get_title(loc="left") == "1 left out: no latency_mean_s"
    output = [words.get_text() for words in ax.get_legend().get_texts()]
    assert output[0].startswith("band: least to most of\n2 points") and "lower bound" in output[1]


def test_accepted_load_without_packets_is_not_drawn():
    rows = results(offered=[0.1, 0.2], accepted=[0.0, 0.2], hops_mean=[None, 3.0])
    assert list(plot.sweep(rows, "offered", "accepted", ()).lines[0].get_xdata()) == [0.2]
    found = SimpleNamespace(rows=rows, summary={"pattern": "uniform"})
    ax = plot.traffic([found] * 8)
    assert list(ax.lines[0].get_xdata()) == [0.2]
    assert len(set(styles(ax.lines[:8]))) == 8


def test_axes_have_suitable_units_and_are_linear_for_fractions():
    rows = results(offered=[0.05, 0.8], nodes=[2, 64], least_mean_s=[2e-6, 3e-6],
                   wait_s=[1e-6, 0.1], rate_B_per_s=[1e9, 24e9])  # fmt: skip
    for y, label, is_log in (("least_mean_s", "least_mean (µs)", False),
                             ("offered", "offered", False),
                             ("wait_s", "wait (ms, logarithmic)", True),
                             ("rate_B_per_s", "rate (GB/s, logarithmic)", True)):  # fmt: skip
        ax = plot.sweep(rows, "nodes", y, ())
        assert ax.get_ylabel() == label and (ax.get_yscale() == "log") == is_log
        assert ax.get_xlabel() == "nodes (logarithmic)"
    words = plot.sweep(rows, "nodes", "least_mean_s", ()).yaxis.get_major_formatter()
    assert words(2.5e-6) == "2.5"


def test_a_simulated_failure_is_a_result(odonata, tmp_path):
    (tmp_path / "study.toml").write_text("""
[base]
command = "run"
machine = "dragonfly-1056"
compute = "none"
n = 1
[grid]
program = [["sh", "-c", "echo >> ran; exit 3"], ["sh", "-c", "echo >> ran"]]
""")
    for _ in range(2):
        done = odonata("sweep", "study.toml", "--json")
        assert done.returncode == 1, done.stderr
        found = json.loads(done.stdout)
        assert (found["failed"], found["finished"]) == (1, 2)
        assert [row["error"] for row in found["rows"]] == ["exit code 3", None]
        assert [row["exit_code"] for row in found["rows"]] == [3, 0]
    assert (tmp_path / "ran").read_text() == "\n\n"
    assert "1 failed" in odonata("sweep", "study.toml").stderr


# The shell's parent is the worker.
DEADLY = """
[base]
command = "run"
machine = "dragonfly-1056"
compute = "none"
n = 1
[grid]
program = [
    ["sh", "-c", "echo >> always; kill -9 $PPID; sleep 60"],
    ["sh", "-c", "echo >> once; [ $(wc -l < once) = 2 ] || kill -9 $PPID"],
    ["sh", "-c", "echo >> never"],
]
"""


def test_the_death_of_a_worker_affects_no_other_point(odonata, tmp_path):
    (tmp_path / "study.toml").write_text(DEADLY)
    done = odonata("sweep", "study.toml", "--json", "--tries", 3, "--workers", 1)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    first, *others = (row["error"] for row in found["rows"])
    assert "tried 3 times" in first and "SIGKILL" in first and others == [None, None]
    assert (found["failed"], found["finished"]) == (1, 2)
    lines = [len((tmp_path / n).read_text().splitlines()) for n in ("always", "once", "never")]
    assert lines == [3, 2, 1]
    # Only points without a result are run again.
    assert odonata("sweep", "study.toml", "--tries", 1).returncode == 1
    lines = [len((tmp_path / n).read_text().splitlines()) for n in ("always", "once", "never")]
    assert lines == [4, 2, 1]


ENDLESS = """
[base]
command = "run"
machine = "dragonfly-1056"
n = 1
[grid]
program = [["true"], ["sh", "-c", "echo > begun; sleep 600"], ["false"]]
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_sweep_keeps_finished_points(odonata, tmp_path, number, code):
    (tmp_path / "study.toml").write_text(ENDLESS)
    running = odonata.start("sweep", "study.toml", "--workers", 1, "--quiet")
    while running.poll() is None and not (tmp_path / "begun").exists():
        pass
    running.send_signal(number)
    printed, errors = running.communicate(timeout=120)
    assert running.returncode == code, errors
    assert "interrupted: 1 of 3 points are kept" in errors
    assert len([line for line in printed.splitlines() if line[0] != "#"]) == 1
    assert len(list((tmp_path / "study.sweep" / "points").iterdir())) == 1


def test_only_one_sweep_writes_and_its_workers_end_with_it(odonata, tmp_path):
    (tmp_path / "study.toml").write_text(ENDLESS)
    running = odonata.start("sweep", "study.toml")
    while running.poll() is None and not (tmp_path / "begun").exists():
        pass
    done = odonata("sweep", "study.toml")
    assert done.returncode == 2 and "no other sweep" in done.stderr
    running.kill()
    running.communicate(timeout=120)
    assert odonata.left() == []


def test_a_foreign_file_is_not_overwritten(odonata, tmp_path):
    (tmp_path / "study.sweep").mkdir()
    (tmp_path / "study.sweep" / "thesis.tex").write_text("years of work")
    (tmp_path / "study.toml").write_text(STUDY)
    done = odonata("sweep", "study.toml")
    assert done.returncode == 2 and "other files" in done.stderr
    assert [p.name for p in (tmp_path / "study.sweep").iterdir()] == ["thesis.tex"]


def test_leftovers_of_killed_sweeps_do_not_interfere(tmp_path):
    """A user's file with a similar name is not removed, nor a partial file of a result."""
    out = tmp_path / "kept"
    out.mkdir()
    (out / ".odonata-0123456789abcdef-trial").write_text("written")
    (out / ".odonata-0123456789abcdef-rows.parquet").write_text("half of a res")
    command = {"base": BASE, "point": [{"nodes": 2, "sizes": 8}]}
    assert od.sweep(command, out=out).summary["finished"] == 1
    (out / ".odonata-trial").write_text("mine")
    od.sweep(command, out=out)
    left = sorted(path.name for path in out.iterdir() if path.name.startswith("."))
    assert left == [".odonata-0123456789abcdef-rows.parquet", ".odonata-trial"]


def test_in_a_thread_of_the_user(tmp_path):
    found = []
    grid = {"nodes": [2, 4]}
    command = threading.Thread(target=lambda: found.append(od.sweep({"base": BASE, "grid": grid})))
    command.start()
    command.join()
    assert found[0].summary["computed"] == 2


def test_the_progress_line():
    tick = {"points": 200, "left": 150, "asked": 160, "failed": 2, "wall_s": 4.0}
    line = command.drawn(tick)
    assert "50 of 200" in line and "2 failed" in line and "2.5/s" in line and "1:00 left" in line
    assert "left" not in command.drawn({**tick, "asked": 150})


def test_the_example(odonata, tmp_path):
    odonata.cwd = ROOT
    done = odonata("sweep", "examples/04_sweep.toml", "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["failed"] == 0 and found["points"] == found["finished"] > 10


class Future:
    def __init__(self, status):
        self.status = status

    def release(self):
        pass


def test_a_received_result_counts_although_its_worker_died(monkeypatch):
    """Dask resets a future to `pending` if its worker dies, even after it returned a result."""
    distributed = pytest.importorskip("distributed")
    came = {"again": False, "tries": 1, "rows": []}
    executor = object.__new__(executors.Dask)
    future, broken = Future("pending"), Future("error")
    executor._futures = {future: "first", broken: "second"}
    executor._client = SimpleNamespace(status="running", loop=None)
    executor._stopped = threading.Event()
    batches = [[(future, came), (broken, (KeyError, KeyError("gone"), None))]]
    done = SimpleNamespace(next_batch=lambda block: batches.pop())
    monkeypatch.setattr(distributed, "as_completed", lambda *_, **__: done)
    kept, queued = [], queue.Queue()
    store = SimpleNamespace(put=lambda point, answer: kept.append((point, answer)))
    executor._collect(store, queued)
    assert kept == [("first", came)]
    assert queued.get() == ("first", None)
    point, error = queued.get()
    assert point == "second" and "KeyError" in error
