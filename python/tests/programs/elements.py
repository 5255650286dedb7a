"""Alltoalls of so many bytes a block, as bytes and as doubles: what each takes rank 0, us."""

import sys

from mpi4py import MPI

comm, block = MPI.COMM_WORLD, int(sys.argv[1])
given, taken = bytearray(comm.size * block), bytearray(comm.size * block)
for element in (MPI.BYTE, MPI.DOUBLE):
    # The first is called by ranks that have not all come.
    for _ in range(3):
        begun = MPI.Wtime()
        comm.Alltoall([given, element], [taken, element])
        took = MPI.Wtime() - begun
    if comm.rank == 0:
        print(took * 1e6)
