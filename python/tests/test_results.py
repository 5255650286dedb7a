"""Results: JSON keys that scripts depend on, the OSU format, tables on disk."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import json
import multiprocessing
import os
import random
import re
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import odonata as od
from odonata import files, patterns, report, tables, text
from odonata.errors import Diagnostics, InputError

SMALL = ("--machine", "dragonfly-1056")


def test_show(odonata):
    done = odonata("show", "aurora", "--json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    # Published counts of the machine (the machine's own tests check every one of them).
    assert (shown["nodes"], shown["endpoints"], shown["switches"]) == (10_624, 84_992, 5_600)
    assert (shown["links"], shown["fabric_ports"], shown["groups"]) == (117_914, 241_428, 175)
    for key in ("injection_B_per_s", "global_B_per_s", "bisection_B_per_s", "storage_B_per_s"):
        assert shown[key] > 0, key
    near = shown["zero_load_latency_s"]
    assert 0 < near["same_switch"] < near["same_group"] < near["other_group"]
    shown = odonata("show", "aurora").stdout
    assert all(word in shown for word in ("10,624", "source", "routing", "storage", "31.0 TB/s"))
    assert "chassis" not in shown and "chassis" in odonata("show", "cascade-3k").stdout
    # ALCF's documents: 1,024 DAOS servers of 32 targets, 40 and 20 servers of Flare.
    daos = {"kind": "daos", "mounts": ["/daos"], "servers": 1024, "targets": 32 * 1024}
    flare = {"kind": "lustre", "mounts": ["/lus/flare"], "servers": 60, "targets": 160}
    found = json.loads(done.stdout)["file_systems"]
    assert found[0] == {"name": "daos", **daos, "gateways": 0}
    assert found[1] == {"name": "flare", **flare, "gateways": 48}
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "daos daos at /daos: 1,024 servers, 32,768 targets" in lines
    at = "flare lustre at /lus/flare: 60 servers, 160 targets, behind 48 gateways"
    assert at in lines
    routed = odonata("show", "aurora", "--routing", "valiant").stdout
    assert "valiant" in routed and "valiant" not in shown


def test_show_of_one_group_omits_global_links(odonata):
    """4 x 4 pairs of switches with a link of 8 GB/s per direction; one switch is not halved."""
    one = ("show", "dragonfly-1056", "--set", "groups.compute.count=1")
    rows = dict(line.split(maxsplit=1) for line in odonata(*one).stdout.splitlines() if " " in line)
    assert rows["bisection"] == "256 GB/s, both ways" and rows["global"] == "-"
    assert rows["injection"] == "256 GB/s, one way"  # 32 NICs
    switch = odonata(*one, "--set", "groups.compute.switches=1", "--set", "switch.ports=32")
    rows = dict(line.split(maxsplit=1) for line in switch.stdout.splitlines() if " " in line)
    assert rows["bisection"] == "-" and rows["injection"] == "256 GB/s, one way"


def test_headers_state_routing_and_the_owner_of_bandwidth(odonata, tmp_path):
    load = ("--load", "0.1", "--time", "1us", "--warmup", "1us")
    assert "routing ugal," in odonata("traffic", "uniform", *SMALL, *load).stdout
    changed = ("--set", "routing=minimal")
    assert "routing minimal," in odonata("traffic", "uniform", *SMALL, *load, *changed).stdout
    named = od.machine("dragonfly-1056").source
    (tmp_path / "silent.toml").write_text(re.sub("(?m)^routing.*", "", named))
    silent = ("--machine", "silent.toml")
    assert "routing ugal," in odonata("traffic", "uniform", *silent, *load).stdout
    found = odonata("bench", "bisect", *SMALL, "--sizes", "8", "--nodes", "2").stdout
    assert "per rank" in found.partition("# Size")[0]


def test_machines(odonata):
    done = odonata("machines")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:5] == ["name", "nodes", "NICs", "switches", "groups"]
    assert [line.split()[0] for line in lines[1:]] == od.presets()


def test_bench_prints_the_osu_format(odonata):
    done = odonata("bench", "latency", *SMALL, "--sizes", "1:1Ki")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    head = [line for line in lines if line.startswith("#")]
    assert "odonata" in head[0] and "# Size       Avg Latency(us)" in head
    rows = [line.split() for line in lines if not line.startswith("#")]
    assert [int(size) for size, _ in rows] == [2**n for n in range(11)]
    assert all(0.1 < float(us) < 100 for _, us in rows)


@pytest.mark.parametrize(
    ("name", "column"),
    [("latency", "latency_s"), ("put_latency", "latency_s"), ("multi_lat", "latency_s"),
     ("get_latency", "latency_s"), ("put_bw", "messages_per_s"), ("put_bibw", "messages_per_s"),
     ("get_bw", "bandwidth_B_per_s"),
     ("bw", "bandwidth_B_per_s"), ("bibw", "bandwidth_B_per_s"), ("mbw_mr", "messages_per_s"),
     ("barrier", "latency_s")] + [(name, "latency_s") for name in
     ("allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "bcast", "reduce",
      "reduce_scatter", "gather", "scatter", "scan", "exscan")],
)  # fmt: skip
def test_every_benchmark(odonata, name, column):
    arguments = ("bench", name, *SMALL, "--nodes", "4", "--ppn", "2", "--sizes", "64,4Ki")
    done = odonata(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [r["bytes"] for r in rows] == ([0] if name == "barrier" else [64, 4096])
    assert all(r[column] > 0 for r in rows)
    text = [line for line in odonata(*arguments).stdout.splitlines() if line[:1] != "#"]
    assert len(text) == len(rows)


def test_traffic(odonata):
    done = odonata("traffic", "uniform", *SMALL, "--load", "0.1:0.3:0.1", "--time", "5us",
                   "--warmup", "5us", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [r["offered"] for r in result["rows"]] == pytest.approx([0.1, 0.2, 0.3])
    keys = {"offered", "accepted", "latency_mean_s", "latency_p99_s", "hops_mean",
            "nonminimal_fraction"}  # fmt: skip
    for row in result["rows"]:
        assert keys <= set(row)
        # Far below saturation all offered load is accepted, up to random fluctuations.
        assert row["accepted"] == pytest.approx(row["offered"], rel=0.1)
        assert row["latency_mean_s"] <= row["latency_p99_s"]
    keys = {"events", "packets", "packet_hops", "wall_s", "bytes_per_endpoint"}
    assert keys <= set(result["engine"])


def test_both_engines_predict_the_same_and_are_named(odonata):
    command = ("traffic", "uniform", *SMALL, "--load", "0.01,0.5", "--time", "2us",
               "--warmup", "1us", "--seed", "5")  # fmt: skip
    in_windows = ("--set", "switch.credit_epoch=6 ns")

    def result(*more):
        done = odonata(*command, *more, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    event, window = (result(*in_windows, "--engine", name) for name in ("event", "window"))
    assert event["rows"] == window["rows"] and event["link_kinds"] == window["link_kinds"]
    selected = {"reason": "it was selected", "loads": [0.01, 0.5]}
    assert event["engine"]["engines"] == [{"name": "event", **selected}]
    short = "packets are in transit for more than six windows"
    assert window["engine"]["engines"] == [{"name": "window", "general": short, **selected}]
    long = ("--set", "switch.credit_epoch=300 ns", "--set", "switch.latency=350 ns")
    longer = result(*long, "--engine", "window")
    assert longer["engine"]["engines"] == [{"name": "window", **selected}]
    # The preset has no credit epoch.
    assert [used["name"] for used in result()["engine"]["engines"]] == ["event"]
    refused = odonata(*command, "--engine", "window")
    assert refused.returncode == 2 and "switch.credit_epoch" in refused.stderr
    text = odonata(*command, *in_windows, "--engine", "window").stdout
    assert "# window engine: it was selected" in text


def test_threads_change_no_result_and_are_named(odonata):
    command = ("--machine", "aurora", "--fidelity", "packet", "--engine", "window")
    spread = (*command, "--nodes", "256", "--placement", "group-spread")

    def result(*more):
        done = odonata(*more, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    bench = ("bench", "alltoall", *spread, "--sizes", "2Ki")
    one, three = result(*bench), result(*bench, "--threads", "3")
    same = ("rows", "digest", "counters", "link_kinds")
    assert {key: one[key] for key in same} == {key: three[key] for key in same}
    assert "threads" not in one["engine"]
    assert three["engine"]["threads"] == [{"requested": 3, "used": 3, "reason": None}]
    assert "# 3 of 3 threads" in odonata(*bench, "--threads", "3").stdout

    def reason(*more):
        done = odonata("bench", "barrier", *command, "--nodes", "200", *more)
        return next(line for line in done.stdout.splitlines() if " threads" in line)

    assert reason("--threads", "3").endswith("1 of 3 threads: few events occur per window")
    of_events = reason("--threads", "3", "--engine", "event")
    assert of_events.endswith("1 of 3 threads: the event engine uses one thread")

    tune = ("tune", "bcast", *command, "--nodes", "200", "--sizes", "8")
    one, two = odonata(*tune), odonata(*tune, "--threads", "2")
    assert one.stdout == two.stdout and two.stderr.count(" of 2 threads") == 1


def test_values_without_a_measured_packet_are_null(odonata):
    """With this seed, no packet is sent or arrives within 1 ps, and both happen within 100 ns."""
    command = ("traffic", "uniform", *SMALL, "--load", "0.1", "--warmup", "2us", "--quiet")
    kinds = ("mean", "p50", "p99")
    latencies = [f"{of}_{kind}_s" for of in ("latency", "least") for kind in kinds]
    [row] = json.loads(odonata(*command, "--time", "1ps", "--json").stdout)["rows"]
    assert row["packets"] == 0 and row["accepted"] == 0
    assert {row[key] for key in (*latencies, "hops_mean", "nonminimal_fraction")} == {None}
    shown = odonata(*command, "--time", "1ps").stdout.splitlines()[2].split()
    assert shown == ["0.100", "0.000", *"-----"]
    [row] = json.loads(odonata(*command, "--time", "100ns", "--json").stdout)["rows"]
    assert row["accepted"] > 0 and row["hops_mean"] >= 1
    assert all(row[key] > 0 for key in latencies)


def test_latencies_beyond_saturation_are_lower_bounds(odonata, tmp_path):
    """Minimal routing carries 1/32 of adversarial traffic on `dragonfly-1056`."""
    done = odonata("traffic", "adversarial:1", *SMALL, "--routing", "minimal",
                   "--load", "0.02,0.3,0.5", "--time", "5us", "--warmup", "5us", "--quiet",
                   "--out", "r")  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    marked = [[cell.startswith(">") for cell in line.split()] for line in lines[2:5]]
    assert marked == [[False] * 8, *[[False, False, True, True, True, False, False, False]] * 2]
    [foot] = [line for line in lines if "lower bound" in line]
    rows = json.loads((tmp_path / "r" / "summary.json").read_text())["rows"]
    shares = [f"{r['offered']:g}: {100 * r['unfinished'] / r['packets']:.1f} %" for r in rows]
    assert f"(load {', '.join(shares[1:])})" in foot
    assert odonata("report", "r", "--no-published").returncode == 0
    page = (tmp_path / "r" / "report.html").read_text()
    assert page.count("<td>&gt;") == 4 and foot.removeprefix("# >") in page


def test_a_note_states_a_sufficient_warm_up(odonata, tmp_path):
    """A packet of 2 KiB takes 0.4 us through an empty `dragonfly-1056`."""
    machine = od.machine("dragonfly-1056")
    short = {"time_s": 100e-9, "warmup_s": 100e-9, "loads": [0.2]}
    [note] = od.traffic("uniform", machine, **short).summary["notes"]
    assert "longer than the warm-up of 100.0 ns" in note and "`accepted` is too low" in note
    [enough] = re.findall("a warm-up of ([0-9]+) ns suffices", note)
    assert 400 <= int(enough) <= 1000
    long = {**short, "time_s": 5e-6, "warmup_s": int(enough) * 1e-9}
    found = od.traffic("uniform", machine, **long)
    assert found.summary["notes"] == []
    assert found.rows[0]["accepted"] == pytest.approx(0.2, rel=0.05)  # 4,000 packets: 3 sigma
    # Queueing causes no note: beyond saturation, latencies exceed any warm-up.
    slow = machine.with_(routing="minimal")
    beyond = {"time_s": 5e-6, "warmup_s": 2e-6, "loads": [0.05, 0.5]}
    assert od.traffic("adversarial:1", slow, **beyond).summary["notes"] == []

    done = odonata("traffic", "uniform", *SMALL, "--load", "0.1,0.2", "--time", "1ps",
                   "--warmup", "2us", "--quiet", "--out", "r")  # fmt: skip
    expected = "no packet arrived in the window of 1.00 ps at load 0.1, 0.2"
    assert [expected in line for line in done.stdout.splitlines() if "note: " in line] == [True]
    assert odonata("report", "r", "--no-published").returncode == 0
    page = (tmp_path / "r" / "report.html").read_text()
    assert expected in page and "<svg" not in page  # no points at 0


def test_the_median_of_all_is_not_below_its_bound():
    """A packet arrives if its latency is shorter than the remaining simulation, which lasts at
    least `longest_s`."""
    draw = random.Random(3)
    for _ in range(200):
        longest_s = draw.uniform(0.5, 3)
        took = [draw.expovariate(1.0) for _ in range(draw.randrange(1, 30))]
        came = sorted(t for t in took if t < draw.uniform(longest_s, 2 * longest_s))
        row = {"packets": len(took), "unfinished": len(took) - len(came),
               "latency_p50_s": came[(len(came) - 1) // 2] if came else 0.0}  # fmt: skip
        bound = patterns.least_median(row, longest_s)
        assert 0 < bound <= sorted(took)[(len(took) - 1) // 2]


def test_run_prints_one_object_whatever_the_program_prints(odonata, program):
    done = odonata("run", "-n", "4", "--ppn", "2", *SMALL, "--json", "--", "python",
                   program("ring"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    keys = {"time_s", "ranks", "nodes", "machine", "fidelity", "digest", "exit_code", "messages",
            "bytes", "mpi_calls", "blocking_calls", "wall_s"}  # fmt: skip
    assert keys <= set(result)
    assert (result["ranks"], result["nodes"], result["machine"]) == (4, 2, "dragonfly-1056")
    assert result["exit_code"] == 0 and result["time_s"] > 0
    assert "sum 6" in done.stderr  # stdout of the program goes to stderr


def test_out_has_the_tables(odonata, program, tmp_path):
    done = odonata("run", "-n", "4", "--ppn", "2", *SMALL, "--out", "results", "--", "python",
                   program("ring"), "100")  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = tmp_path / "results"
    summary = json.loads((results / "summary.json").read_text())
    assert summary["ranks"] == 4 and summary["format"].startswith("odonata")
    assert not (results / "trace.json").exists()
    read = {p.stem: pyarrow.parquet.read_table(p) for p in results.glob("*.parquet")}
    assert read["ranks"].column("rank").to_pylist() == [0, 1, 2, 3]
    for column in ("compute_s", "waiting_s", "transfer_s", "other_s"):
        assert column in read["ranks"].column_names
    # Each of 4 ranks sends 3 messages of 100 bytes to its right; others are of the allgather.
    ring = {(m["src"], m["dst"]): m for m in read["messages"].to_pylist()}
    for rank in range(4):
        assert ring[rank, (rank + 1) % 4]["bytes"] >= 300
    assert sum(read["messages"].column("messages").to_pylist()) == summary["messages"]
    assert sum(read["distance"].column("bytes").to_pylist()) == summary["bytes"]
    calls = {c["function"]: c for c in read["calls"].to_pylist()}
    # mpi4py calls the large-count variant, which tables show as the same function.
    assert calls["MPI_Sendrecv"]["calls"] == 12
    assert not [name for name in calls if name.endswith("_c")]


BOTH_WIDTHS = """
#include <mpi.h>
int main(void)
{
    char in[8], out[8] = {0};
    MPI_Init(0, 0);
    MPI_Sendrecv(out, 3, MPI_CHAR, 0, 0, in, 3, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(out, 5, MPI_CHAR, 0, 0, in, 5, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
"""


def test_both_count_variants_of_a_call_are_one_row(odonata, tmp_path):
    (tmp_path / "both.c").write_text(BOTH_WIDTHS)
    compiler = Path(od.__file__).with_name("_bin") / "odonata-mpicc"
    subprocess.run(["sh", compiler, "both.c", "-o", "both"], cwd=tmp_path, check=True)
    done = odonata("run", "-n", "2", *SMALL, "--json", "--", "./both")
    assert done.returncode == 0, done.stderr
    rows = [row for row in json.loads(done.stdout)["calls"] if "Sendrecv" in row["function"]]
    assert [(row["function"], row["calls"]) for row in rows] == [("MPI_Sendrecv", 4)]


def test_rows_of_calls_without_time_are_omitted():
    def shown(finalize_s):
        calls = [
            {"function": "MPI_Send", "time_s": 1e-6, "calls": 4, "bytes": 8},
            {"function": "MPI_Irecv", "time_s": 0.0, "calls": 4, "bytes": 0},
            {"function": "(between calls)", "time_s": 0.0, "calls": 0, "bytes": 0},
            {"function": "MPI_Finalize", "time_s": finalize_s, "calls": 4, "bytes": 0},
        ]
        return text.run({"ranks": 4}, {"calls": calls})  # fmt: skip

    assert "MPI_Send" in shown(0.0) and "MPI_Irecv" in shown(0.0)
    assert "MPI_Finalize" not in shown(3.9e-9) and "between calls" not in shown(0.0)
    assert "MPI_Finalize" in shown(4.1e-9)  # 4 ranks: above 1 ns each


def test_only_mpi_calls_are_counted_as_calls_and_as_blocking(odonata, tmp_path):
    (tmp_path / "sleeps.py").write_text(
        "import os, signal, time\nfrom mpi4py import MPI\n"
        "for _ in range(20):\n    time.sleep(1e-3)\n"
        "os.kill(os.getpid(), signal.SIGSEGV)\n"
    )
    done = odonata("run", "-n", "2", *SMALL, "--json", "--", "python", "sleeps.py")
    assert done.returncode == 128 + 11, done.stderr
    result = json.loads(done.stdout)
    calls = {row["function"]: row["calls"] for row in result["calls"]}
    assert calls.pop("(between calls)") == 0
    assert sum(calls.values()) == result["mpi_calls"] > 0
    # The program sleeps and makes no blocking call.
    assert result["blocking_calls"] == 0
    assert result["hand_overs"] >= 2 * 20


def test_every_result_saves_and_reports(tmp_path):
    machine = od.machine("dragonfly-1056")
    results = [od.bench.barrier(machine.job(nodes=2)),
               od.traffic("uniform", machine, loads=[0.1], time_s=1e-6, warmup_s=1e-6),
               od.run(machine.job(nodes=1), ["true"])]  # fmt: skip
    assert [type(r) for r in results] == [od.BenchResult, od.TrafficResult, od.RunResult]
    for number, result in enumerate(results):
        result.save(tmp_path / str(number))
        kind = json.loads((tmp_path / str(number) / "summary.json").read_text())["kind"]
        assert kind == ("bench", "traffic", "run")[number]
    page = tmp_path / "page.html"
    results[0].report(page)
    assert "barrier" in page.read_text()


def test_python_tables():
    job = od.machine("dragonfly-1056").job(nodes=2, ppn=1)
    result = od.bench.latency(job, sizes=[8, 64])
    assert isinstance(result.table, pyarrow.Table)
    assert result.table.column("bytes").to_pylist() == [8, 64]
    ax = result.plot()
    assert ax.get_xscale() == "log" and len(ax.lines) >= 1


def test_traffic_plot_draws_its_bounds():
    machine = od.machine("dragonfly-1056").with_(routing="minimal")
    result = od.traffic("uniform", machine, loads=[0.1], time_s=2e-6, warmup_s=2e-6)
    ax = result.plot(bounds={"a bound": 0.25})
    assert any(list(line.get_ydata()) == [0.25, 0.25] for line in ax.lines)
    assert any("a bound" in words.get_text() for words in ax.texts)


@contextlib.contextmanager
def files_of_at_most(n_bytes: int):
    """Longer files fail as on a full disk, but with another error number."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def content(path) -> dict[str, bytes]:
    return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}


FITS = {"rows": [{"bytes": 8}]}
FITS_NOT = {**FITS, "more": [{"number": n * n} for n in range(20_000)]}


def test_results_that_do_not_fit_leave_nothing(tmp_path):
    def write(path, data, **more):
        with pytest.raises(OSError) as caught, files_of_at_most(16 << 10):
            tables.write(path, {}, data, **more)
        assert caught.value.errno == errno.EFBIG
        return caught.value.filename

    new = tmp_path / "not" / "there"
    assert write(new, FITS_NOT) == str(new / "more.parquet")
    assert write(new, FITS, texts={"a.conf": "x" * 20_000}) == str(new / "a.conf")
    assert list(tmp_path.iterdir()) == []
    old = tmp_path / "old"
    tables.write(old, {"kind": "bench"}, FITS)
    before = content(old)
    assert write(old, FITS_NOT, force=True) == str(old / "more.parquet")
    assert content(old) == before and sorted(before) == ["rows.parquet", "summary.json"]


RECORDED = [{"rank": 0, "op": "send"}]


def test_only_listed_files_of_an_earlier_result_are_replaced(tmp_path):
    old = tmp_path / "old"
    tables.write(old, {"kind": "run"}, {"ranks": [{"rank": 0}], "links": [{"link": 0}]})
    for name in ("mine", "rec"):
        pyarrow.parquet.write_table(tables.table(RECORDED), old / f"{name}.parquet")
    (old / "dir.parquet").mkdir()
    tables.write(old, {"kind": "run"}, {"ranks": [{"rank": 1}]}, force=True)
    assert sorted(p.name for p in old.iterdir()) == [
        "dir.parquet", "mine.parquet", "ranks.parquet", "rec.parquet", "summary.json"]  # fmt: skip
    # Nor is a foreign table read as part of the result.
    assert tables.read(old)[1] == {"ranks": [{"rank": 1}]}


def test_results_without_a_list_of_files_have_the_standard_tables(tmp_path):
    old = tmp_path / "old"
    listed = {"files": [{"name": "a.conf", "text": "x"}, {"name": "../b.conf"}]}
    (tmp_path / "b.conf").write_text("mine")
    data = {"ranks": [{"rank": 0}], "links": [{"link": 0}]}
    tables.write(old, {"kind": "tune", **listed}, data, texts={"a.conf": "x"})
    summary = json.loads((old / "summary.json").read_text())
    assert summary.pop("contents") == ["ranks.parquet", "links.parquet", "a.conf"]
    (old / "summary.json").write_text(json.dumps(summary))
    (old / "mine.parquet").write_text("mine")
    assert set(tables.read(old)[1]) == {"ranks", "links"}
    tables.write(old, {"kind": "bench"}, FITS, force=True)
    assert sorted(content(old)) == ["mine.parquet", "rows.parquet", "summary.json"]
    assert (tmp_path / "b.conf").read_text() == "mine"


def test_a_record_survives_replaced_results(odonata, program, tmp_path):
    command = ("run", "-n", "2", *SMALL, "--out", "r", "--quiet")
    record = tmp_path / "r" / "rec.parquet"
    for more in ((), ("--force", "--record", record)):
        done = odonata(*command, *more, "--", "python", program("ring"))
        assert done.returncode == 0, done.stderr
    recorded = record.read_bytes()
    done = odonata("replay", record, *SMALL, "--out", "r", "--force", "--quiet")
    assert done.returncode == 0 and record.read_bytes() == recorded, done.stderr


def test_only_files_of_results_are_replaced(tmp_path):
    """A file or directory of the user may have the name of a file of the next result."""
    old = tmp_path / "old"
    for made in (lambda path: path.write_text("mine"), lambda path: path.mkdir()):
        tables.write(old, {"kind": "run"}, {"ranks": [{"rank": 0}], "calls": [{"calls": 1}]},
                     force=True)  # fmt: skip
        made(old / "rows.parquet")
        before = content(old)
        # It is reported before a run, and is not replaced without --force.
        with pytest.raises(InputError, match=r"`rows\.parquet` in it is no result"):
            tables.write(old, {}, {"calls": [{"calls": 2}]}, force=True)
        with pytest.raises(FileExistsError) as caught:
            tables.put(old, {}, {"calls": [{"calls": 2}], **FITS}, {}, True)
        assert caught.value.filename == str(old / "rows.parquet")
        assert content(old) == before and (old / "rows.parquet").exists()
        if (old / "rows.parquet").is_file():
            (old / "rows.parquet").unlink()


def in_a_child(act) -> int:
    """The exit code of a child process that runs only this function."""
    if (child := os.fork()) == 0:
        try:
            act()
            os._exit(0)
        except KeyboardInterrupt:
            os._exit(130)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


LATER = {"rows": [{"bytes": 16}], "links": [{"link": 1}]}


OLDS = {**FITS, "ranks": [{"rank": 0}]}


def whole(out) -> None:
    """Checks that the tables belong to the summary."""
    summary, data = tables.read(out)
    assert data == (LATER if summary["kind"] == "new" else OLDS)


@pytest.mark.parametrize("over_old", [False, True])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("at", range(10))
def test_an_interrupted_write_leaves_a_complete_result_or_none(
    tmp_path, at, how, over_old
):
    """At each step: when files are opened for writing, moved and removed."""
    out = tmp_path / "out"
    if over_old:
        tables.write(out, {"kind": "old"}, OLDS)

    def write():
        step = itertools.count()
        for name in ("replace", "unlink", "open"):
            def stop(path, *more, real=getattr(Path, name), **named):
                if next(step) == at and path.parent == out:
                    os.kill(os.getpid(), how)
                return real(path, *more, **named)

            setattr(Path, name, stop)
        tables.put(out, {"kind": "new"}, LATER, {}, over_old)

    ended = in_a_child(write)
    assert ended in (0, 130, -signal.SIGKILL)
    if how == signal.SIGINT and out.exists():
        # Either nothing is written or everything.
        assert (out / "summary.json").exists()
        assert not [p for p in out.iterdir() if p.name.startswith(".")]
    if (out / "summary.json").exists():
        whole(out)
    wrong = Diagnostics()
    tables.check_out(wrong, out, True)
    assert wrong.list == []
    tables.write(out, {"kind": "again"}, {"calls": [{"calls": 1}]}, force=True)
    assert sorted(content(out)) == ["calls.parquet", "summary.json"]


@pytest.mark.parametrize("error", [OSError(errno.EIO, "no more"), KeyboardInterrupt()])
@pytest.mark.parametrize("move", range(4))
def test_a_failed_move_leaves_a_complete_result_or_none(
    tmp_path, monkeypatch, error, move
):
    out = tmp_path / "out"
    tables.write(out, {"kind": "old"}, OLDS)
    moves, real = itertools.count(), Path.replace

    def replace(path, to):
        if next(moves) >= move:
            raise error
        return real(path, to)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(type(error)) as caught:
        tables.put(out, {"kind": "new"}, LATER, {}, True)
    monkeypatch.setattr(Path, "replace", real)
    if isinstance(error, OSError):
        assert Path(caught.value.filename).parent == out and ".odonata" not in str(caught.value)
    if (out / "summary.json").exists():
        whole(out)
    wrong = Diagnostics()
    tables.check_out(wrong, out, True)
    assert wrong.list == []
    tables.write(out, {"kind": "again"}, {"calls": [{"calls": 1}]}, force=True)
    assert sorted(content(out)) == ["calls.parquet", "summary.json"]


def test_the_summary_is_written_last(tmp_path, monkeypatch):
    moved = []
    real = Path.replace
    monkeypatch.setattr(Path, "replace", lambda path, to: (moved.append(to.name), real(path, to)))
    for force in (False, True):
        tables.write(tmp_path / "out", {}, LATER, force, {"a.conf": "text"})
        # No summary exists meanwhile: the earlier one is removed first.
        assert moved.pop() == "summary.json"
        assert not force or moved.pop(0).endswith("-summary.json")
        assert sorted(moved) == ["a.conf", "links.parquet", "rows.parquet"]
        moved.clear()


@pytest.mark.parametrize("force", [False, True])
def test_of_two_concurrent_writes_one_is_complete_and_both_report_correctly(tmp_path, force):
    """The second write is refused, or with `force` replaces the first completely."""
    out = tmp_path / "out"
    meet = multiprocessing.get_context("fork").Barrier(2)

    def write(by):
        meet.wait()
        tables.put(out, {"by": by}, {n: [{"by": by}] * 300 for n in LATER}, {}, force)

    if (child := os.fork()) == 0:
        os._exit(in_a_child(lambda: write(0)))
    ended = [None, in_a_child(lambda: write(1))]
    ended[0] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert sorted(ended) == ([0, 0] if force else [0, 1])
    summary, data = tables.read(out)
    assert {row["by"] for name in LATER for row in data[name]} == {summary["by"]}
    assert force or ended[summary["by"]] == 0
    assert sorted(content(out)) == ["links.parquet", "rows.parquet", "summary.json"]


def test_a_write_that_waits_for_another_run_reports_it(tmp_path, monkeypatch):
    """The other process ends as soon as the message is printed."""
    monkeypatch.setattr(tables, "LOCK_NOTICE_S", 0)
    messages = []
    other = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)

    def notify(words):
        messages.append(words)
        os.close(other)

    tables.put(tmp_path / "." / ".", {"kind": "bench"}, FITS, {}, notify=notify)
    assert tables.read(tmp_path)[1] == FITS
    assert len(messages) == 1 and os.path.relpath(tmp_path) in messages[0]
    tables.put(tmp_path, {"kind": "bench"}, FITS, {}, force=True, notify=messages.append)
    assert len(messages) == 1


def test_names_that_are_no_unicode(tmp_path):
    out = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff"))
    tables.write(out, {"kind": "bench"}, FITS)
    assert tables.read(out)[1] == FITS


def test_the_check_before_a_run_leaves_nothing(tmp_path):
    wrong = Diagnostics()
    with files_of_at_most(0):
        tables.check_out(wrong, tmp_path / "new", False)
        tables.check_out(wrong, tmp_path, False)
    assert len(wrong.list) == 2 and list(tmp_path.iterdir()) == []
    tables.check_out(wrong, tmp_path / "new" / "deep", False)
    assert len(wrong.list) == 2 and list(tmp_path.iterdir()) == []


def test_impossible_directories_are_reported_before_a_run(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("mine")
    for out in ("link", "link/deep", "file/deep", "x" * 300, "nul\0"):
        wrong = Diagnostics()
        tables.check_out(wrong, tmp_path / out, False)
        assert [c.at for c in wrong.list] == ["out"], out


def test_a_text_that_does_not_fit_leaves_the_earlier_file(tmp_path):
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    link.symlink_to(page)
    for path in (page, link):
        for before in (None, "earlier"):
            if before:
                page.write_text(before)
            with pytest.raises(OSError) as caught, files_of_at_most(16 << 10):
                files.write_text(path, "x" * 20_000)
            assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))
            assert (page.read_text() if page.exists() else None) == before
            assert set(tmp_path.iterdir()) == {link, page} if before else {link}
        page.unlink()
    assert link.is_symlink()


def test_a_text_is_written_to_the_target_of_links(tmp_path):
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    link.symlink_to("page.html")
    for text in ("new", "replaced"):
        files.write_text(link, text)
        assert link.is_symlink() and page.read_text() == text
    page.chmod(0o640)
    files.write_text(link, "with the rights it had")
    assert stat.S_IMODE(page.stat().st_mode) == 0o640
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError) as caught:
        files.write_text(tmp_path / "a", "circle")
    assert caught.value.errno == errno.ELOOP and (tmp_path / "a").is_symlink()


def test_open_files_are_written_in_place(tmp_path):
    """Like the target of /dev/stdout, under any name."""
    page = tmp_path / "page.html"
    with page.open("w+b") as file:
        for name in (page, f"/dev/fd/{file.fileno()}"):
            files.write_text(name, f"by {name}")
            assert os.path.samestat(page.stat(), os.fstat(file.fileno()))
            assert page.read_text() == f"by {name}"
        page.unlink()
        files.write_text(f"/dev/fd/{file.fileno()}", "of no name")
        file.seek(0)
        assert file.read() == b"of no name" and list(tmp_path.iterdir()) == []


def test_pipes_and_devices_are_written_in_place(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    wrong = Diagnostics()
    report.check_target(wrong, pipe)
    files.write_text(pipe, "text")
    reader.join(60)
    assert wrong.list == [] and read == ["text"] and stat.S_ISFIFO(pipe.stat().st_mode)
    if os.geteuid():
        pytest.skip("copies of devices are made by root only")
    for minor, error in ((3, None), (7, errno.ENOSPC)):  # of /dev/null and /dev/full [null(4)]
        device, link = tmp_path / f"device-{minor}", tmp_path / f"link-{minor}"
        try:
            os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, minor))
            device.open("wb").close()
        except OSError:
            pytest.skip("no devices can be made here")
        link.symlink_to(device)
        for path in (device, link):
            report.check_target(wrong, path)
            try:
                files.write_text(path, "text")
                assert error is None
            except OSError as caught:
                assert caught.errno == error
        assert wrong.list == [] and link.is_symlink() and stat.S_ISCHR(device.stat().st_mode)


def test_a_file_in_a_read_only_directory_is_written_in_place():
    with tempfile.TemporaryDirectory() as name:  # not below a directory that only root can read
        page = Path(name) / "page.html"
        page.write_text("earlier")
        page.chmod(0o666)
        Path(name).chmod(0o555)
        before = page.stat()

        def write():
            if os.geteuid() == 0:
                os.seteuid(65534)  # an unprivileged user; root has all permissions
            files.write_text(page, "in place")

        assert in_a_child(write) == 0
        assert page.read_text() == "in place" and os.path.samestat(page.stat(), before)
        Path(name).chmod(0o755)


def test_a_full_disk_is_named(odonata, tmp_path):
    """The command runs with `ulimit` in place of a full disk, in blocks of 512 B."""
    small = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh"]
    command = odonata.arguments("bench", "latency", *SMALL, "--sizes", "1:64Ki", "--out", "results")
    done = subprocess.run([*small, *command], cwd=tmp_path, env=odonata.env, capture_output=True,
                          text=True, timeout=60)  # fmt: skip
    expected = f"odonata: cannot write `{tmp_path / 'results' / 'rows.parquet'}`: File too large"
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == expected, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_machines_with_equal_files_are_equal(tmp_path):
    copies = [tmp_path / "here.toml", tmp_path / "there" / "here.toml"]
    copies[1].parent.mkdir()
    for copy in copies:
        copy.write_text("[nic]\n")
    here, there = (od.Machine.from_toml(copy) for copy in copies)
    assert here == there and hash(here) == hash(there)


def test_only_exact_names_of_temporary_files_are_removed(tmp_path):
    """Names that only start like temporary ones stay, and a summary may list impossible names."""
    out = tmp_path / "out"
    (out / ".odonata-cache").mkdir(parents=True)
    wrong = Diagnostics()
    tables.check_out(wrong, out, False)
    assert [c.at for c in wrong.list] == ["out"], "it is not empty"
    tables.write(tmp_path / "mine", {}, FITS)
    notes = tmp_path / "mine" / ".odonata-notes.txt"
    notes.write_text("mine")
    summary = json.loads((tmp_path / "mine" / "summary.json").read_text())
    summary["contents"] += ["x" * 300 + ".parquet", "..", "nul\0"]
    (tmp_path / "mine" / "summary.json").write_text(json.dumps(summary))
    tables.write(tmp_path / "mine", {}, LATER, force=True)
    assert notes.read_text() == "mine"


def test_reading_results_leaves_no_threads(tmp_path):
    tables.write(tmp_path / "results", {"kind": "run"}, {"ranks": [{"rank": 0}]})
    code = """if True:
        import os, pathlib, pyarrow.parquet
        from odonata import tables
        before = os.listdir("/proc/self/task")
        summary, data = tables.read(pathlib.Path("results"))
        assert data["ranks"]
        assert os.listdir("/proc/self/task") == before"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()


def test_a_rewritten_summary_lists_its_own_contents(tmp_path):
    tables.write(tmp_path / "first", {"kind": "new"}, FITS)
    tables.write(tmp_path / "second", tables.read(tmp_path / "first")[0], LATER)
    assert tables.read(tmp_path / "second")[1] == LATER


def test_a_too_deeply_nested_summary_is_invalid(tmp_path):
    tables.write(tmp_path / "out", {}, FITS)
    (tmp_path / "out" / "summary.json").write_text("[" * 200_000)
    assert not tables.is_ours(tmp_path / "out")
    with pytest.raises(InputError):
        tables.read(tmp_path / "out")
