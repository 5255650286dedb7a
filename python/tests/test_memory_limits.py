"""Limits of address space or files, as batch systems set them: jobs that fit run."""

from __future__ import annotations

import re
import resource
import subprocess
import sys

import pytest

MIB = 1 << 20
RING = ("--machine", "aurora", "--compute", "none", "--quiet")


def limited(odonata, limits: dict[int, int], *arguments: object):
    """Runs the command under these resource limits; returns the finished process."""

    def limit() -> None:
        for which, bytes_ in limits.items():
            resource.setrlimit(which, (bytes_, bytes_))

    about = {"cwd": odonata.cwd, "env": odonata.env, "capture_output": True, "text": True}
    words = odonata.arguments(*arguments)
    return subprocess.run(words, timeout=300, preexec_fn=limit, **about)


# Rendezvous messages to every other rank, and a reduction with a user-defined operator, which
# works in memory of the simulator.
SCRIPT = """
import array
from mpi4py import MPI
world = MPI.COMM_WORLD
own = MPI.Op.Create(lambda a, b, t: memoryview(b).cast("B").__setitem__(
    slice(None), bytes(x | y for x, y in zip(memoryview(a).cast("B"), memoryview(b).cast("B")))))
for size in (8, 1 << 20):
    data = bytes([1 << world.rank]) * size
    for shift in range(1, world.size):
        got = bytearray(size)
        to, of = (world.rank + shift) % world.size, (world.rank - shift) % world.size
        world.Sendrecv(data, to, 0, got, of, 0)
        assert got == bytes([1 << of]) * size
    total = bytearray(min(size, 4096))
    world.Allreduce([data[: len(total)], MPI.BYTE], [total, MPI.BYTE], own)
    assert set(total) == {(1 << world.size) - 1}
window = MPI.Win.Allocate(1 << 16, comm=world)
window.Fence()
window.Put(bytes(8), (world.rank + 1) % world.size)
window.Fence()
window.Free()
if world.rank == 0:
    print("good")
"""


@pytest.mark.parametrize(
    "limits",
    [
        {resource.RLIMIT_AS: 4096 * MIB},  # ulimit -v 4194304
        {resource.RLIMIT_AS: 2048 * MIB},
        {resource.RLIMIT_FSIZE: 512 * MIB},
    ],
)
def test_a_small_job_runs(odonata, limits):
    done = limited(odonata, limits, "run", "-n", 4, "--ppn", 2, *RING, "--", "python", "-c", SCRIPT)
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


def test_a_limit_changes_no_prediction(odonata, program):
    digests = set()
    for limits in ({}, {resource.RLIMIT_AS: 4096 * MIB}):
        done = limited(odonata, limits, "run", "-n", 4, *RING[:-1], "--", "python", program("ring"))
        assert done.returncode == 0, done.stderr
        digests |= set(re.findall(r"Digest +([0-9a-f]{16})", done.stderr))
    assert len(digests) == 1


def test_too_small_a_limit_reports_the_required_memory(odonata):
    limits = {resource.RLIMIT_AS: 2048 * MIB}
    run = ("run", "-n", 1000, "--ppn", 100, *RING, "--")
    done = limited(odonata, limits, *run, "true")
    assert done.returncode == 1, done.stderr
    need = int(re.search(r"need ([0-9]+) KiB of address space", done.stderr)[1])
    assert need > 2048 * 1024 and "2097152 KiB" in done.stderr and "ulimit -v" in done.stderr
    assert "Traceback" not in done.stderr
    # The stated requirement is sufficient.
    done = limited(odonata, {resource.RLIMIT_AS: (need + 4096) * 1024}, *run, "true")
    assert done.returncode == 0, done.stderr


def test_a_limit_that_the_program_sets_itself_is_explained(odonata):
    script = 'ulimit -v 4194304; exec "$0" -c "from mpi4py import MPI"'
    done = odonata("run", "-n", 2, *RING, "--", "sh", "-c", script, sys.executable)
    assert done.returncode != 0, done.stderr
    assert "address space" in done.stderr and "ulimit -v" in done.stderr


def test_a_benchmark_without_memory_ends_with_an_error(odonata):
    """All of Aurora at packet fidelity does not fit."""
    job = ("--machine", "aurora", "--nodes", "10624", "--ppn", "8", "--sizes", "64Ki", "--quiet")
    done = limited(odonata, {resource.RLIMIT_AS: 500 * MIB}, "bench", "alltoall", *job)
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "out of memory" in done.stderr and "Traceback" not in done.stderr
    assert "panicked" not in done.stderr
