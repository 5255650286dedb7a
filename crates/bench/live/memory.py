"""Memory of a Python rank, KiB, mean over ranks; printed by rank 0.

Proportional share of its mappings, and their page tables.
"""

from pathlib import Path

import numpy  # noqa: F401 - loaded by ranks of real programs
from mpi4py import MPI

comm = MPI.COMM_WORLD
comm.Barrier()
SELF = Path("/proc/self")
with (
    open(SELF / "smaps_rollup", encoding="utf-8") as rollup,
    open(SELF / "status", encoding="utf-8") as status,
):
    words = [line.split() for line in (*rollup, *status)]
mine = sum(int(w[1]) for w in words if w[0] in ("Pss:", "VmPTE:"))
total = comm.reduce(mine)
if comm.rank == 0:
    print(f"{total / comm.size:.1f}")
