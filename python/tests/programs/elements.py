"""Alltoall with blocks of this many bytes, as bytes and as doubles: time of rank 0 in us."""

import sys

from mpi4py import MPI

comm, block = MPI.COMM_WORLD, int(sys.argv[1])
given, taken = bytearray(comm.size * block), bytearray(comm.size * block)
for element in (MPI.BYTE, MPI.DOUBLE):
    # Ranks enter the first call at different times, so it is not timed.
    for _ in range(3):
        begun = MPI.Wtime()
        comm.Alltoall([given, element], [taken, element])
        took = MPI.Wtime() - begun
    if comm.rank == 0:
        print(took * 1e6)
