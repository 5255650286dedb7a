"""An all-to-all of the even ranks, while the odd ranks write a checkpoint from the same nodes.

    odonata run -n 64 --ppn 8 --machine lumi-c --compute none -- python examples/overlap.py both DIR

The first argument is `mpi` (only the all-to-all), `io` or `both`; DIR is below a mount.
"""

import mmap
import os
import sys

import numpy
from mpi4py import MPI

ITERATIONS, BLOCK = 8, 64 << 10
TRANSFERS, TRANSFER = 8, 4 << 20

mode, directory = sys.argv[1:]
world = MPI.COMM_WORLD
is_writer = world.rank % 2 == 1
mine = world.Split(int(is_writer))
if is_writer:
    path = f"{directory}/checkpoint.{mine.rank}"
    checkpoint = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_DIRECT)
    page = mmap.mmap(-1, TRANSFER)  # direct writes need aligned memory
else:
    send = numpy.zeros(BLOCK * mine.size, dtype=numpy.uint8)
    received = numpy.empty_like(send)

world.Barrier()
start = MPI.Wtime()
if is_writer and mode != "mpi":
    for nth in range(TRANSFERS):
        os.pwrite(checkpoint, page, nth * TRANSFER)
    os.fsync(checkpoint)
elif not is_writer and mode != "io":
    for _ in range(ITERATIONS):
        mine.Alltoall(send, received)
mine.Barrier()
seconds = MPI.Wtime() - start
if mine.rank == 0 and is_writer and mode != "mpi":
    rate = mine.size * TRANSFERS * TRANSFER / seconds
    print(f"checkpoint {1e3 * seconds:.2f} ms, {rate / 1e9:.1f} GB/s", flush=True)
if mine.rank == 0 and not is_writer and mode != "io":
    print(f"all-to-all {1e6 * seconds / ITERATIONS:.1f} us", flush=True)
