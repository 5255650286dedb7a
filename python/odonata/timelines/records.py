"""Reads the records of a timeline, a block at a time.

A file has 16 bytes that identify it, records of 56 bytes, a JSON object, and the length of that
object in 8 bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"odonata-tl/1\n\0\0\0"
RECORD = np.dtype(
    [
        ("kind", "u1"), ("lane", "u1"), ("op", "<u2"), ("rank", "<u4"), ("begin", "<u8"),
        ("end", "<u8"), ("ready", "<u8"), ("bytes", "<u8"), ("peer", "<u4"), ("tag", "<i4"),
        ("context", "<u4"), ("flags", "<u4"),
    ]
)  # fmt: skip
OPERATION, CALL, MESSAGE, LINK, COMPUTE = 1, 2, 3, 4, 5
COLLECTIVE, UNFINISHED = 1, 2  # bits of flags
BLOCK = 1 << 16  # records that are read at once
NO_PEER = 2**32 - 1
MOST_FOOTER = 1 << 30


@dataclass
class Records:
    """The records of a timeline. `footer` has the names of ranks, operations and links."""

    path: Path
    footer: dict[str, Any]
    count: int

    def blocks(self) -> Iterator[NDArray[Any]]:
        """Arrays of `RECORD`, in the order in which the records ended."""
        with self.path.open("rb") as file:
            file.seek(len(MAGIC))
            left = self.count
            while left:
                n = min(left, BLOCK)
                data = file.read(n * RECORD.itemsize)
                if len(data) < n * RECORD.itemsize:
                    raise OSError(None, "the file ends within its records", str(self.path))
                yield np.frombuffer(data, RECORD)
                left -= n


def open_records(path: str | Path) -> Records:
    """The records of a file; `OSError` if it is damaged or something else."""
    path = Path(path)
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise OSError(None, "no timeline of odonata", str(path))
        file.seek(max(len(MAGIC), size - 8))
        length = int.from_bytes(file.read(8), "little")
        rest = size - len(MAGIC) - 8 - length
        if length > MOST_FOOTER or rest < 0 or rest % RECORD.itemsize:
            raise OSError(None, "a timeline that was not completed", str(path))
        file.seek(-8 - length, os.SEEK_END)
        try:
            footer = json.loads(file.read(length))
        except (ValueError, RecursionError):
            raise OSError(None, "a timeline with a damaged end", str(path)) from None
    return Records(path, footer, rest // RECORD.itemsize)


def mpi_name(name: str) -> str:
    """The MPI function that a viewer shows for an operation: `MPI_Allreduce` for `allreduce`."""
    return NAMES.get(name) or f"MPI_{name.capitalize()}"


NAMES = {
    "iprobe": "MPI_Iprobe", "lock": "MPI_Win_lock", "unlock": "MPI_Win_unlock",
    "atomic": "MPI_Accumulate", "read": "MPI_File_read", "write": "MPI_File_write",
    "delay": "sleep", "file": "file call", "mrecv": "MPI_Mrecv",
}  # fmt: skip


class Calls:
    """The MPI calls of the ranks, one after another per rank: what viewers without overlapping
    calls show.

    A run of a program records its calls. Other runs record operations, of which nonblocking ones
    overlap: each has the part of its time in which its rank neither computes nor is in one that
    ended earlier.
    """

    def __init__(self, records: Records):
        footer = records.footer
        self.records = records
        self.has_calls = footer["counts"]["calls"] > 0
        operations = [mpi_name(name) for name in footer["operations"]]
        self.names: list[str] = footer["functions"] if self.has_calls else operations
        self._until = [0] * footer["ranks"]

    def of(self, block: NDArray[Any]) -> NDArray[Any]:
        """The calls of a block; their records have the times to show."""
        if self.has_calls:
            return block[block["kind"] == CALL]
        some = block[np.isin(block["kind"], (OPERATION, COMPUTE))].copy()
        until = self._until
        begins = some["begin"].tolist()
        ranks, ends = some["rank"].tolist(), some["end"].tolist()
        for at, rank in enumerate(ranks):
            begins[at] = min(max(begins[at], until[rank]), ends[at])
            until[rank] = max(until[rank], ends[at])
        some["begin"] = begins
        return some[some["kind"] == OPERATION]
