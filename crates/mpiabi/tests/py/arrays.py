"""NumPy arrays without pickling: strides, large counts, persistent and collective forms."""

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
me, np = world.rank, world.size
after, before = (me + 1) % np, (me - 1) % np


def halo():
    """A 2-D field in strips: a Laplacian of x^2 + y^2 is 4 everywhere inside."""
    rows, columns = 8, 33
    y, x = numpy.mgrid[me * rows - 1 : (me + 1) * rows + 1, 0:columns].astype(float)
    exact = x * x + y * y
    field = exact.copy()
    field[0] = field[-1] = -1.0
    up, down = (me - 1, me + 1)
    above = up if up >= 0 else MPI.PROC_NULL
    below = down if down < np else MPI.PROC_NULL
    world.Sendrecv(field[1], above, recvbuf=field[-1], source=below)
    world.Sendrecv(field[-2], below, recvbuf=field[0], source=above)
    if above == MPI.PROC_NULL:
        field[0] = exact[0]
    if below == MPI.PROC_NULL:
        field[-1] = exact[-1]
    laplacian = (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
        - 4 * field[1:-1, 1:-1]
    )  # fmt: skip
    assert numpy.array_equal(laplacian, numpy.full_like(laplacian, 4.0))


def columns():
    """A column is sent by its type; the rest of the matrix is unchanged."""
    a = numpy.arange(12.0).reshape(3, 4) + 100 * me
    column = MPI.DOUBLE.Create_vector(3, 1, 4).Commit()
    b = numpy.full((3, 4), -1.0)
    world.Sendrecv([a[0, 1:], 1, column], after, recvbuf=[b[0, 2:], 1, column], source=before)
    assert numpy.array_equal(b[:, 2], numpy.arange(12.0).reshape(3, 4)[:, 1] + 100 * before)
    assert (numpy.delete(b, 2, axis=1) == -1).all()
    column.Free()


def reductions():
    mine = numpy.arange(1000, dtype="i8") * (me + 1)
    total = numpy.empty_like(mine)
    world.Allreduce(mine, total)
    assert numpy.array_equal(total, numpy.arange(1000) * (np * (np + 1) // 2))
    world.Allreduce(MPI.IN_PLACE, mine, op=MPI.MAX)
    assert numpy.array_equal(mine, numpy.arange(1000) * np)
    largest = numpy.empty(1, dtype="f8")
    request = world.Iallreduce(numpy.array([float(me)]), largest, op=MPI.MAX)
    request.Wait()
    assert largest[0] == np - 1
    counts = [r + 1 for r in range(np)]
    everything = numpy.empty(sum(counts), dtype="i4")
    world.Allgatherv(numpy.full(me + 1, me, dtype="i4"), [everything, counts])
    assert numpy.array_equal(everything, numpy.repeat(numpy.arange(np), counts))


def clock():
    t = [MPI.Wtime() for _ in range(3)]
    assert t[0] < t[1] < t[2]
    world.Barrier()
    assert MPI.Wtime() > t[2]


halo()
columns()
reductions()
clock()
if me == 0:
    print(f"arrays: {np} ranks: good")
