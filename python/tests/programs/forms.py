"""Forms of regular programs, executed in order and three times: `forms.py FORM...`.

Each form has its own communicator, as libraries do."""

import sys

import numpy as np
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK, SIZE = WORLD.rank, WORLD.size
NONE = MPI.PROC_NULL


class Grid:
    """Neighbors without wrap; `strong`: all have equal parts of 96 points in each direction."""

    def __init__(self, dims: int, strong: bool):
        self.shape = MPI.Compute_dims(SIZE, dims)
        self.comm = WORLD.Create_cart(self.shape)
        boxes = [96 // extent for extent in self.shape]
        faces = [8 * int(np.prod(boxes)) // box for box in boxes]
        self.bytes = faces if strong else [512] * dims

    def sendrecv(self) -> None:
        for axis, length in enumerate(self.bytes):
            low, high = self.comm.Shift(axis, 1)
            for to, source, tag in ((high, low, axis), (low, high, axis + 8)):
                self.comm.Sendrecv(bytearray(length), to, tag, bytearray(length), source, tag)

    def isend(self) -> None:
        pending = []
        for axis, length in enumerate(self.bytes):
            low, high = self.comm.Shift(axis, 1)
            pending += [self.comm.Irecv(bytearray(length), low, axis)]
            pending += [self.comm.Irecv(bytearray(length), high, axis + 8)]
            pending += [self.comm.Isend(bytearray(length), high, axis)]
            pending += [self.comm.Isend(bytearray(length), low, axis + 8)]
        MPI.Request.Waitall(pending)
        self.comm.Barrier()


def tags(comm: MPI.Comm = WORLD.Create_cart(MPI.Compute_dims(SIZE, 2))) -> None:
    """The tag of a message contains the rank of its sender."""
    for axis in (0, 1):
        low, high = comm.Shift(axis, 1)
        source = 10 * low + axis if low != NONE else 0
        comm.Sendrecv(bytearray(64), high, 10 * RANK + axis, bytearray(64), low, source)


def line(comm: MPI.Comm = WORLD.Dup()) -> None:
    up, down = (RANK + 1 if RANK + 1 < SIZE else NONE), (RANK - 1 if RANK else NONE)
    comm.Sendrecv(bytearray(800), up, 1, bytearray(800), down, 1)
    comm.Sendrecv(bytearray(800), down, 2, bytearray(800), up, 2)


def root(comm: MPI.Comm = WORLD.Dup()) -> None:
    if RANK:
        comm.Send(bytearray(64), 0)
    else:
        for source in range(1, SIZE):
            comm.Recv(bytearray(64), source)
    comm.Barrier()


def tree(comm: MPI.Comm = WORLD.Dup()) -> None:
    bit = 1
    while bit < SIZE:
        if RANK & bit:
            comm.Send(bytearray(64), RANK - bit)
            break
        if RANK + bit < SIZE:
            comm.Recv(bytearray(64), RANK + bit)
        bit *= 2
    comm.Barrier()


def objects() -> None:
    """Messages of pickled Python objects."""
    WORLD.allreduce(1.5, MPI.MAX)
    WORLD.bcast({"a": 1}, 0)
    WORLD.barrier()


class Parts:
    def __init__(self) -> None:
        cart = WORLD.Create_cart(MPI.Compute_dims(SIZE, 2))
        self.row, self.column = cart.Sub([False, True]), cart.Sub([True, False])
        self.half, self.odd = WORLD.Split(2 * RANK // SIZE), WORLD.Split(RANK % 2)
        self.node = WORLD.Split_type(MPI.COMM_TYPE_SHARED)
        self.leaders = WORLD.Split(0 if self.node.rank == 0 else MPI.UNDEFINED)

    def run(self) -> None:
        one, total = np.ones(100), np.ones(100)
        self.row.Allreduce(one, total)
        self.column.Bcast(bytearray(1000), 0)
        self.half.Allreduce(one, total)
        self.odd.Barrier()
        self.node.Reduce(one, total if self.node.rank == 0 else None)
        if self.node.rank == 0:
            self.leaders.Allreduce(one, total)
        self.node.Bcast(bytearray(800), 0)


FORMS = {
    "sendrecv2": Grid(2, True).sendrecv,
    "sendrecv3": Grid(3, True).sendrecv,
    "isend2": Grid(2, True).isend,
    "isend3": Grid(3, False).isend,
    "parts": Parts().run,
    **{form.__name__: form for form in (tags, line, root, tree, objects)},
}
for _ in range(3):
    for name in sys.argv[1:]:
        FORMS[name]()
