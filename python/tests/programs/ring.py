"""Every rank sends its number around a ring; rank 0 prints the sum. An argument adds a payload."""

import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
payload = bytearray(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
total = held = rank
for _ in range(size - 1):
    arriving = bytearray(len(payload))
    payload[:4] = held.to_bytes(4, "little")
    comm.Sendrecv(payload, (rank + 1) % size, 0, arriving, (rank - 1) % size, 0)
    held = int.from_bytes(arriving[:4], "little")
    total += held
assert total == size * (size - 1) // 2
sums = comm.allgather(total)
if rank == 0:
    print(f"sum {sums[0]}", flush=True)
