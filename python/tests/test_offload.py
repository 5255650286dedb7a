"""Collectives by switches and NICs: right bytes in a live program, and notes where none do."""

from __future__ import annotations

import json
import sys

FORCED = "MPIR_CVAR_{}_INTRA_ALGORITHM=offload"
PROGRAM = """
import numpy as np
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
mine = np.array([rank + 1, -rank, 7, rank * rank], dtype="i8")
total = np.empty_like(mine)
world.Allreduce(mine, total)
assert list(total) == [sum(f) for f in zip(*([r + 1, -r, 7, r * r] for r in range(size)))]
world.Reduce(mine, total, op=MPI.MAX, root=size - 1)
if rank == size - 1:
    assert list(total) == [size, 0, 7, (size - 1) ** 2], total
word = np.array([41 + rank], dtype="i8")
world.Bcast(word, root=2)
assert word[0] == 43
requests = []
for i in range(12):
    out = np.empty(1, dtype="i8")
    requests.append((world.Iallreduce(np.array([i], dtype="i8"), out), out))
for i, (request, out) in enumerate(requests):
    request.Wait()
    assert out[0] == i * size
# Too long for switches.
many = np.ones(100)
world.Allreduce(MPI.IN_PLACE, many)
assert (many == size).all()
world.Barrier()
print("right")
"""


def run(odonata, ppn: int, forced: bool, machine: str = "aurora"):
    env = []
    for kind in ("ALLREDUCE", "REDUCE", "BCAST", "BARRIER") if forced else ():
        env += ["--env", FORCED.format(kind)]
    return odonata("run", "-n", 6, "--ppn", ppn, "--machine", machine, "--json", "--quiet",
                   "--compute", "none", *env, "--", sys.executable, "-c", PROGRAM)  # fmt: skip


def test_a_program_gets_the_right_bytes(odonata):
    for ppn, machine in ((1, "aurora"), (2, "aurora"), (3, "aurora"), (2, "cascade-3k")):
        found = {}
        for forced in (False, True):
            done = run(odonata, ppn, forced, machine)
            assert done.returncode == 0, done.stderr
            found[forced] = json.loads(done.stdout[done.stdout.index("{") :])
        assert found[True]["messages"] < found[False]["messages"]
        assert found[True]["limits"]["reduction_timeouts"] == 0


def test_offloading_is_refused_on_a_machine_without_it(odonata):
    done = run(odonata, 1, True, "dragonfly-1056")
    assert done.returncode == 2 and "Slingshot" in done.stderr, done.stderr


def test_tuning_shows_the_gain_of_offloading(odonata):
    words = ("tune", "allreduce", "--nodes", 32, "--sizes", "8,64", "--json", "--quiet")
    for ppn, name, machine in (
        (1, "offload", "aurora"),
        (2, "alpha:offload", "aurora"),
        (1, "offload", "cascade-3k"),
    ):
        done = odonata(*words, "--ppn", ppn, "--machine", machine)
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)["rows"]
        by = {(row["bytes"], row["algorithm"]): row for row in rows}
        (own,) = [row for row in rows if row["is_default"] and row["bytes"] == 8]
        assert by[8, name]["latency_s"] < own["latency_s"]
        assert not by[8, name]["is_winner"]  # not implemented in a library
        assert (64, name) not in by
    done = odonata(*words, "--machine", "dragonfly-1056")
    assert done.returncode == 0 and "offload" not in done.stdout, done.stdout


LATE = """
import time
from mpi4py import MPI
world = MPI.COMM_WORLD
first, second = world.Dup(), world.Dup()
requests = []
import numpy as np
one, out, other = np.ones(1), np.empty(1), np.empty(1)
if world.rank < 2:
    requests.append(first.Iallreduce(one, out))
time.sleep(0.05)
if BETWEEN:
    second.Allreduce(one, other)
time.sleep(0.01)
if world.rank == 2:
    requests.append(first.Iallreduce(one, out))
MPI.Request.Waitall(requests)
"""


def test_a_late_rank_causes_a_timeout_despite_other_reductions(odonata):
    """Two ranks wait 60 ms for the third, longer than the 32 ms timeout of switches."""
    for between in (False, True):
        done = odonata("run", "-n", 3, "--ppn", 1, "--machine", "aurora", "--json", "--quiet",
                       "--env", FORCED.format("ALLREDUCE"), "--", sys.executable, "-c",
                       LATE.replace("BETWEEN", str(between)))  # fmt: skip
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout[done.stdout.index("{") :])
        assert found["limits"]["reduction_timeouts"] == 1, between
