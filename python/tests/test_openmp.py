"""OpenMP in ranks: waiting threads are not charged, but the slowest thread is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import odonata as od
from odonata import openmp

COMPILER = Path(openmp.__file__).parent / "_bin" / "odonata-mpicc"
ROUNDS = 20
# Policies that a user may set: none, and each one with which waiting threads spin.
ACTIVE = [(), ("OMP_WAIT_POLICY=active",), ("GOMP_SPINCOUNT=infinite", "KMP_BLOCKTIME=infinite")]


@pytest.fixture(scope="module", params=["gcc", "clang"])
def regions(request, tmp_path_factory):
    """The program, linked with the OpenMP runtime of the compiler."""
    compiler = request.param
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed: its OpenMP runtime is not tested")
    out = tmp_path_factory.mktemp(compiler) / "regions"
    source = Path(__file__).with_name("programs") / "regions.c"
    command = ["sh", COMPILER, f"-cc={compiler}", "-O1", "-fopenmp", source, "-o", out]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode and compiler == "clang":
        pytest.skip("LLVM's OpenMP runtime is not installed (Debian: libomp-dev)")
    assert built.returncode == 0, built.stderr
    return out


def computed(program, first: int, others: int, threads: int = 2, env=()) -> float:
    """Charged computation of all ranks in seconds."""
    env = dict(setting.split("=") for setting in (f"OMP_NUM_THREADS={threads}", *env))
    job = od.machine("dragonfly-1056").job(nodes=2, ppn=4)
    result = od.run(job, [str(program), str(ROUNDS), str(first), str(others)], env=env)
    return sum(result.ranks["compute_s"].to_pylist())


@pytest.mark.parametrize("env", ACTIVE, ids=["unset", "active", "runtimes' own"])
def test_threads_that_wait_are_not_charged(regions, env):
    """Eight ranks of two threads share few cores. If waiting threads spun, they would be charged
    for the time slices of all others, many times the work."""
    alone = computed(regions, 40, 40, threads=1)
    assert computed(regions, 40, 40, env=env) < 2 * alone


def test_a_region_takes_as_long_as_its_slowest_thread(regions):
    caller = computed(regions, 100, 0)
    other = computed(regions, 0, 100)
    assert 0.5 * caller < other < 2 * caller


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, {"OMP_WAIT_POLICY": "passive"}),
        ({"OMP_WAIT_POLICY": "PASSIVE"}, {"OMP_WAIT_POLICY": "PASSIVE"}),
        ({"GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0ms"}, {"OMP_WAIT_POLICY": "passive"}),
        ({"OMP_WAIT_POLICY": " Active"}, {"GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}),
        ({"KMP_BLOCKTIME": "200"}, {"GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}),
        ({"GOMP_SPINCOUNT": "10k"}, {"GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}),
    ],
)
def test_how_threads_are_made_to_sleep(given, wanted):
    assert openmp.waiting(given) == wanted
    follows = "OMP_WAIT_POLICY" in wanted
    assert (openmp.note(given) is None) == follows


def test_a_policy_that_is_not_followed_gets_a_note(odonata):
    words = ("--machine", "dragonfly-1056", "--", "printenv", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    done = odonata("run", "-n", 1, "--env", "OMP_WAIT_POLICY=active", *words)
    assert done.stdout.split() == ["active", "0"]
    assert "OMP_WAIT_POLICY=active: OpenMP threads sleep while they wait" in done.stderr
