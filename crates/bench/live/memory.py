"""Memory that belongs to one Python rank alone, in KiB, mean over ranks: printed by rank 0."""

import numpy  # noqa: F401 - what a rank of a real program has loaded
from mpi4py import MPI

comm = MPI.COMM_WORLD
comm.Barrier()
with open("/proc/self/smaps_rollup") as rollup:
    words = [line.split() for line in rollup]
mine = sum(int(w[1]) for w in words if w[0] in ("Private_Dirty:", "Private_Clean:"))
total = comm.reduce(mine)
if comm.rank == 0:
    print(f"{total / comm.size:.1f}")
