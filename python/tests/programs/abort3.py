"""Rank 2 aborts with code 3 while the others wait for it."""

from mpi4py import MPI

if MPI.COMM_WORLD.rank == 2:
    MPI.COMM_WORLD.Abort(3)
MPI.COMM_WORLD.Barrier()
