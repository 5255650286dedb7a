"""Rank 1 leaves without MPI_Finalize while the others wait for it."""

import os

from mpi4py import MPI

if MPI.COMM_WORLD.rank == 1:
    os._exit(5)
MPI.COMM_WORLD.Barrier()
