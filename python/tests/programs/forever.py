"""Exchanges messages until it is stopped; rank 0 reports the start."""

from mpi4py import MPI

comm = MPI.COMM_WORLD
other = comm.rank ^ 1
out, into = bytearray(8), bytearray(8)
comm.Barrier()
if comm.rank == 0:
    print("begun", flush=True)
while True:
    comm.Sendrecv(out, other, 0, into, other, 0)
