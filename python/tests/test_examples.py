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
    [("swfft", [16]), ("bfs2d", [10]), ("fmm", ["get"]), ("fmm", ["put", 37, 7])],
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


def blast(odonata, ranks, *more):
    return odonata("run", "-n", ranks, "--ppn", "4", "--machine", "aurora", "--compute", "none",
                   "--quiet", "--", "python", EXAMPLES / "sph" / "sph.py", "--particles", 12,
                   "--split", 60, *more)  # fmt: skip


def test_the_blast_is_the_same_with_every_exchange(odonata):
    """To the last bit, on any number of ranks, also while patches are few for the ranks."""
    found = set()
    for ranks, more in (
        (1, ()),
        (3, ("--receive", "probe")),
        (5, ("--tags", "global", "--total", "allreduce", "--in-flight", 3)),
        (7, ("--setup", "root", "--in-flight", 0)),
        (70, ()),
    ):
        done = blast(odonata, ranks, "--steps", 2, *more)
        assert done.returncode == 0, done.stdout + done.stderr
        found.add(re.search(r"digest ([0-9a-f]{16})", done.stdout).group(1))
    assert len(found) == 1, found


CHECKS = """
import sys
sys.path.insert(0, "examples/sph")
import hydro, numpy as np, octree, sedov
from particles import Box

cells = np.stack(np.meshgrid(*[np.arange(8)] * 3, indexing="ij"), -1).reshape(-1, 3)
keys = octree.hilbert_keys(cells, 3)
assert sorted(keys.tolist()) == list(range(512))
assert (octree.hilbert_cells(keys, 3) == cells).all()
steps = np.abs(np.diff(cells[np.argsort(keys)], axis=0)).sum(axis=1)
assert (steps == 1).all(), "consecutive cells are neighbors"
assert (octree.hilbert_keys(cells << 12) >> 36 == keys).all(), "a cube is an interval"

# Kamm and Timmes (LA-UR-07-2849) and textbooks: 1.152 for 5/3.
assert abs(sedov.solution()[0] - 1.152) < 1e-3

# A uniform lattice: twelve nearest neighbors, density 1, no force.
box = Box(8)
held = box.lattice(0, 1)
x = held["x"]
apart = x - x[0]
apart -= box.size * np.round(apart / box.size)
near = np.sqrt((apart**2).sum(axis=1)) / box.spacing
assert np.count_nonzero((near > 0.999) & (near < 1.001)) == 12
q = np.linspace(0, 2, 20001)
w, slope = hydro.kernel(q)
assert abs((4 * np.pi * q * q * w).sum() * (q[1] - q[0]) - 1) < 1e-6
assert np.abs(np.gradient(w, q) - slope).max() < 1e-4
rng = np.random.default_rng(1)
x, radius = rng.random((300, 3)), rng.uniform(0.1, 0.3, 300)
pairs = hydro.neighbors(x, radius, 100)
r = np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))[:100]
within = r < np.maximum(radius[:100, None], radius)
within[np.arange(100), np.arange(100)] = False
assert set(zip(pairs.i.tolist(), pairs.j.tolist())) == set(zip(*map(list, np.nonzero(within))))
print("all right")
"""


def test_the_parts_of_the_blast(odonata):
    odonata.cwd.joinpath("examples").symlink_to(EXAMPLES)
    odonata.cwd.joinpath("checks.py").write_text(CHECKS)
    done = odonata("run", "-n", 1, "--machine", "aurora", "--quiet", "--", "python", "checks.py")
    assert done.returncode == 0 and done.stdout == "all right\n", done.stdout + done.stderr


def test_the_blast_detects_a_wrong_result(odonata):
    """Steps beyond the stability limit do not conserve energy."""
    odonata.cwd.joinpath("examples").symlink_to(EXAMPLES)
    odonata.cwd.joinpath("unstable.py").write_text(
        "import sys; sys.path.insert(0, 'examples/sph')\n"
        "import hydro, sph\n"
        "hydro.COURANT, hydro.FORCE = 0.6, 1.0\n"
        "sys.exit(sph.main())\n"
    )
    done = odonata("run", "-n", 1, "--machine", "aurora", "--quiet", "--", "python", "unstable.py",
                   "--particles", 12, "--split", 400, "--steps", 6)  # fmt: skip
    assert done.returncode == 1 and "answer WRONG" in done.stdout, done.stdout + done.stderr
