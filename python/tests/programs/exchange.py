"""Exchanges messages by a rule, twice: `exchange.py PATTERN`."""

import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
TOTAL = 1 << 16


def swap(to: int, source: int, length: int = 64, tag: int = 0) -> None:
    world.Sendrecv(bytearray(length), to, tag, bytearray(length), source, tag)


def doubling() -> None:
    bit = 1
    while bit < size:
        swap(rank ^ bit, rank ^ bit, 64 * bit)
        bit *= 2


def dissemination() -> None:
    away = 1
    while away < size:
        swap((rank + away) % size, (rank - away) % size)
        away *= 2


def pairwise() -> None:
    for away in range(1, size):
        swap((rank + away) % size, (rank - away) % size, TOTAL // size)


def half() -> None:
    other = (rank + size // 2) % size
    swap(other, other)


def collectives() -> None:
    world.Bcast(bytearray(256), 0)
    block = TOTAL // size
    world.Alltoall(bytearray(TOTAL), bytearray(TOTAL))
    world.Allgatherv(bytearray(block), [bytearray(TOTAL), [block] * size])
    world.Barrier()


def scrambled() -> None:
    """Each rank's partner follows from the digits of pi, if that relation is mutual."""
    order = sorted(range(size), key=lambda r: "3141592653589793"[r % 16] + str(r * 7 % size))
    pairs = dict(zip(order[::2], order[1::2]))
    pairs |= {b: a for a, b in pairs.items()}
    swap(pairs[rank], pairs[rank])


for _ in range(2):
    globals()[sys.argv[1]]()
