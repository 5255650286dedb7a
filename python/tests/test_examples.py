"""Every example runs and prints its documented result."""

from __future__ import annotations

import re
import subprocess
import sys

from pathlib import Path

import odonata as od
import pytest
from conftest import ROOT

EXAMPLES = ROOT / "examples"
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"


def solver(odonata, ranks, *more):
    done = odonata("run", "-n", ranks, "--ppn", "4", "--machine", "dragonfly-1056", "--compute",
                   "none", "--quiet", "--", "python", EXAMPLES / "cg3d.py", *more)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answer right" in done.stdout
    return done.stdout


@pytest.mark.parametrize("halo", ["isend", "sendrecv"])
def test_the_solver_has_the_same_result_on_any_number_of_ranks(odonata, halo):
    found = set()
    for ranks in (1, 2, 3, 8, 12):
        text = solver(odonata, ranks, "--points", 16, "--halo", halo)
        found.add(re.search(r"steps (\d+)   residual ([0-9.e-]+)", text).groups())
    assert len(found) == 1, found


def test_the_solver_detects_a_wrong_result(odonata):
    done = odonata("run", "-n", "2", "--machine", "dragonfly-1056", "--quiet", "--", "python",
                   EXAMPLES / "cg3d.py", "--points", 16, "--most", 5)  # fmt: skip
    assert done.returncode == 1 and "answer WRONG" in done.stdout


def test_the_solver_is_the_same_on_aurora_twice(odonata):
    first = solver(odonata, 8, "--points", 12)
    assert solver(odonata, 8, "--points", 12) == first


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("swfft", [16]), ("bfs2d", [10]), ("fmm", ["get"]), ("fmm", ["put", 3, 7])],
)
def test_the_programs_of_application_models_check_their_results(
    odonata, tmp_path, name, arguments
):
    program = tmp_path / name
    source = EXAMPLES / "apps" / f"{name}.c"
    subprocess.run(["sh", COMPILER, "-O1", "-Wall", "-Werror", source, "-o", program, "-lm"],
                   check=True)  # fmt: skip
    for ranks in (1, 8, 16):
        done = odonata("run", "-n", ranks, "--machine", "aurora", "--compute", "none", "--quiet",
                       "--", program, *arguments)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.rstrip().endswith(": ok")


def example(name, *arguments):
    done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], capture_output=True,
                          text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_01_machine():
    text = example("01_machine.py")
    assert "10,624 nodes" in text and "4 switches on the path" in text
    assert re.search(r"refused: switch.latncy: .*switch.latency", text)


def test_02_bench():
    text = example("02_bench.py")
    # The machine file's DMA latency is 580 ns. At 12.4 GB/s, 128 B into the NIC and 64 more out of
    # it add 15 ns. The link and the receiver's copy of 64 more bytes add 5 ns.
    assert 595 <= int(re.search(r"DMA step .*: (\d+) ns", text)[1]) <= 605
    assert float(re.search(r"against packets: ([0-9.]+)", text)[1]) == pytest.approx(1, rel=0.01)
    times = [float(t) for t in re.findall(r"allreduce .*: ([0-9.]+) us", text)]
    assert len(times) == 3 and times == sorted(times)


def test_03_traffic(tmp_path):
    text = example("03_traffic.py", tmp_path / "figure.png")
    accepted = {
        line.split()[0]: [float(x) for x in re.findall(r"0\.\d+", line.split("of")[0])]
        for line in text.splitlines()
        if "accepts" in line
    }
    # One link per group: 1/32 of the injection rate, less the headers' share of the link.
    assert accepted["minimal"][-1] < 1 / 32
    assert accepted["minimal"][-1] > 0.9 / 32
    assert accepted["valiant"][-1] > 10 * accepted["minimal"][-1]
    assert accepted["valiant"][-1] < 0.5
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def figures(benchmark):
    """Output and rows of a `make bench` script with small sizes; each row has its values."""
    done = subprocess.run(
        [sys.executable, ROOT / "crates/bench/live" / benchmark, "smoke"],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("  ") and line.strip()]
    assert all(any(c.isdigit() for c in line.split()[-1]) for line in lines)
    return done.stdout, lines


def test_benchmarks_of_live_runs_work():
    text, lines = figures("live.py")
    assert len(lines) == 7
    assert "64-rank MPI_Allreduce: 1 sleeps per rank" in text


def test_benchmarks_against_mpich_work():
    _, lines = figures("beside.py")
    assert len(lines) == 4


def test_benchmarks_of_live_files_work():
    _, lines = figures("files.py")
    assert len(lines) == 6


def test_benchmarks_of_the_preload_library_work():
    _, lines = figures("preload.py")
    assert len(lines) == 7
