"""Two ranks, each of which waits for a message of the other."""

from mpi4py import MPI

other = 1 - MPI.COMM_WORLD.rank
MPI.COMM_WORLD.Recv(bytearray(8), source=other, tag=7)
