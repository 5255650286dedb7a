"""A stencil's communication: `halo.py DIMENSIONS PERIODIC STEPS BYTES`.

Neighbors on a grid exchange this many bytes, then all ranks call an allreduce."""

import array
import sys

from mpi4py import MPI

dims, periodic, steps, size = (int(word) for word in sys.argv[1:])
world = MPI.COMM_WORLD
shape = MPI.Compute_dims(world.size, dims)
grid = world.Create_cart(shape, periods=[bool(periodic)] * dims)
out, total = bytearray(size), array.array("d", [0.0])
for _ in range(steps):
    pending = []
    for axis in range(dims):
        for peer in grid.Shift(axis, 1):
            if peer != MPI.PROC_NULL:
                pending.append(grid.Irecv(bytearray(size), peer, axis))
                pending.append(grid.Isend(out, peer, axis))
    MPI.Request.Waitall(pending)
    grid.Allreduce(array.array("d", [1.0]), total)
assert total[0] == world.size
