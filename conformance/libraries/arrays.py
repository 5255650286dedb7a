"""h5py over mpi4py: independent and collective access to contiguous, chunked and resized datasets.

Usage: arrays.py FILE. Rank 0 prints `h5py: N elements verified`."""

import sys

import h5py
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
ROWS, COLUMNS = 12 * world.size, 250
expected = np.arange(ROWS * COLUMNS, dtype="f8").reshape(ROWS, COLUMNS)
mine = slice(world.rank, None, world.size)
band = slice(COLUMNS * world.rank // world.size, COLUMNS * (world.rank + 1) // world.size)
verified = 0


def verify(found, wanted) -> None:
    global verified
    assert np.array_equal(found, wanted)
    verified += found.size


def open_file(mode: str) -> h5py.File:
    return h5py.File(sys.argv[1], mode, driver="mpio", comm=world)


with open_file("w") as file:
    file.atomic = False
    plain = file.create_dataset("plain", (ROWS, COLUMNS), "f8")
    plain[mine] = expected[mine]
    chunked = file.create_dataset("group/chunked", (ROWS, COLUMNS), "f4", chunks=(5, 32))
    with chunked.collective:
        chunked[:, band] = expected[:, band]
    shape = {"maxshape": (None, COLUMNS), "chunks": True}
    growing = file.create_dataset("growing", (0, COLUMNS), "i8", **shape)
    for step in range(3):
        growing.resize((step + 1) * world.size, axis=0)
        with growing.collective:
            growing[step * world.size + world.rank] = expected[step].astype("i8") + world.rank
    file.attrs["rows"] = ROWS
    how = {"chunks": (6, 50), "compression": "gzip"}
    packed = file.create_dataset("packed", (ROWS, COLUMNS), "f8", **how)
    with packed.collective:
        packed[:, band] = expected[:, band]

with open_file("r+") as file:
    assert file.attrs["rows"] == ROWS and list(file["group"]) == ["chunked"]
    other = slice((world.rank + 1) % world.size, None, world.size)
    verify(file["plain"][other], expected[other])
    with file["plain"].collective:
        verify(file["plain"][:, band], expected[:, band])
    verify(file["group/chunked"][other], expected[other].astype("f4"))
    with file["packed"].collective:
        verify(file["packed"][other], expected[other])
    for step in range(3):
        rows = file["growing"][step * world.size : (step + 1) * world.size]
        ranks = np.arange(world.size).reshape(-1, 1)
        verify(rows, expected[step].astype("i8") + ranks)
    # Collective reads need not wait for other ranks.
    world.Barrier()
    file["plain"][mine] = -expected[mine]

if world.rank == 0:
    with h5py.File(sys.argv[1], "r") as file:
        verify(file["plain"][:], -expected)
        verify(file["packed"][:], expected)
total = world.reduce(verified)
if world.rank == 0:
    print(f"h5py: {total} elements verified")
