"""Puts, gets, locks, atomics and a file."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
me, n = comm.rank, comm.size
window = MPI.Win.Allocate(1 << 16, comm=comm)
window.Fence()
window.Put(bytes(4096), (me + 1) % n)
window.Fence()
window.Lock(0)
window.Accumulate([bytes(8), MPI.BYTE], 0, op=MPI.REPLACE)
window.Unlock(0)
into = bytearray(1 << 15)
window.Lock(me ^ 1, MPI.LOCK_SHARED)
window.Get(into, me ^ 1)
window.Unlock(me ^ 1)
comm.Barrier()
window.Free()
file = MPI.File.Open(comm, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Write_at_all(me * 100_000, bytes(100_000))
file.Read_at(0, bytearray(1000))
file.Close()
