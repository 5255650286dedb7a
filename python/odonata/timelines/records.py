"""Reads the records of a timeline, a block at a time.

A file has 16 bytes that identify it, records of 56 bytes, a JSON object, and the length of that
object in 8 bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"odonata-tl/3\n\0\0\0"
RECORD = np.dtype(
    [
        ("kind", "u1"), ("lane", "u1"), ("op", "<u2"), ("rank", "<u4"), ("begin", "<u8"),
        ("end", "<u8"), ("ready", "<u8"), ("bytes", "<u8"), ("peer", "<u4"), ("tag", "<i4"),
        ("context", "<u4"), ("flags", "<u4"),
    ]
)  # fmt: skip
# Of a call, also the block or vector of its collective, and the operation that this is.
SHOWN = np.dtype(
    [*((name, RECORD[name]) for name in RECORD.names or ()), ("block", "<u8"), ("within", "<u2")]
)
NO_OPERATION = 2**16 - 1
OPERATION, CALL, MESSAGE, LINK, COMPUTE, ROUND, QUEUE, TARGET = range(1, 9)
COLLECTIVE, UNFINISHED, EXCLUSIVE = 1, 2, 4  # bits of flags
BLOCK = 1 << 16  # records that are read at once
NO_PEER = 2**32 - 1
MOST_TIME = 2**62  # picoseconds
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
        self._until = np.zeros(footer["ranks"], np.int64)
        # Operations after those of point-to-point messages and files are collectives.
        self._first_collective = footer["operations"].index("barrier")
        kinds = {mpi_name(name) for name in footer["operations"][self._first_collective :]}
        # Functions on communicators, windows and files may contain a collective.
        self._collective_functions = [
            at for at, name in enumerate(footer["functions"])
            if name in kinds or name.startswith(("MPI_Comm_", "MPI_Win_", "MPI_File_"))
        ]  # fmt: skip
        self._collectives: dict[int, tuple[int, ...]] = {}
        self._takes_a_block_per_rank = np.array([
            name in ("alltoall", "scatter", "reduce_scatter_block")
            for name in footer["operations"]
        ])  # fmt: skip
        self.communicators = Communicators(footer)

    def of(self, block: NDArray[Any]) -> NDArray[Any]:
        """The calls of a block, as `SHOWN`: with the times to show, the bytes that the rank
        contributes, and of collectives the block or vector, and the root as `peer`."""
        if self.has_calls:
            return self.of_calls(block)
        found = block[np.isin(block["kind"], (OPERATION, COMPUTE))]
        some = shown(found)
        some["begin"] = np.minimum(np.maximum(some["begin"], self.ended(some)), some["end"])
        some = some[some["kind"] == OPERATION]
        blocks = self._takes_a_block_per_rank[some["op"]]
        sizes = self.communicators.sizes(some["context"][blocks])
        some["bytes"][blocks] *= sizes
        is_collective = some["op"] >= self._first_collective
        some["within"][is_collective] = some["op"][is_collective]
        return some

    def ended(self, some: NDArray[Any]) -> NDArray[np.uint64]:
        """For each record, when the last record before it of its rank ended."""
        found = np.empty(len(some), np.uint64)
        order = np.argsort(some["rank"], kind="stable")
        ranks, ends = some["rank"][order], some["end"][order].astype(np.int64)
        # A running maximum per rank: the ends of each rank are moved above those of lower ranks.
        first = np.flatnonzero(np.r_[True, ranks[1:] != ranks[:-1]])
        span = int(ends.max(initial=0)) + 1
        if span < MOST_TIME // max(len(first), 1):
            offset = np.repeat(np.arange(len(first)) * span, np.diff(np.r_[first, len(ends)]))
            highest = np.maximum.accumulate(ends + offset) - offset
        else:
            groups = np.split(ends, first[1:])
            highest = np.concatenate([np.maximum.accumulate(group) for group in groups])
        before = np.r_[0, highest[:-1]]
        before[first] = 0
        found[order] = np.maximum(before, self._until[ranks])
        np.maximum.at(self._until, some["rank"], some["end"].astype(np.int64))
        return found

    def of_calls(self, block: NDArray[Any]) -> NDArray[Any]:
        """Calls of functions. The operation of a collective is recorded before its call."""
        last = self._collectives
        first = self._first_collective
        is_operation = (block["kind"] == OPERATION) & (block["op"] >= first)
        is_call = (block["kind"] == CALL) & np.isin(block["op"], self._collective_functions)
        some = shown(block[block["kind"] == CALL])
        number = np.cumsum(block["kind"] == CALL) - 1
        rows = np.nonzero(is_operation | is_call)[0]
        for at in rows.tolist():
            row = block[at]
            if row["kind"] == OPERATION:
                keys = ("end", "bytes", "peer", "context", "op")
                last[int(row["rank"])] = tuple(int(row[key]) for key in keys)
            elif found := last.get(int(row["rank"])):
                if row["begin"] <= found[0] <= row["end"]:
                    del last[int(row["rank"])]
                    one = some[number[at]]
                    _, one["block"], one["peer"], one["context"], one["within"] = found
        return some


class Communicators:
    """The communicators of a run. 0 is the world, which also has the messages of the library
    itself."""

    def __init__(self, footer: dict[str, Any]):
        n = footer["ranks"]
        self.members: dict[int, Sequence[int]] = {0: range(n)}
        self.members |= dict(footer["communicators"])
        self._rank_in: dict[int, Mapping[int, int]] = {}

    def sizes(self, contexts: NDArray[Any]) -> NDArray[np.uint64]:
        """The number of ranks of each communicator."""
        return np.array([len(self.members[context]) for context in contexts.tolist()], "u8")

    def rank_in(self, context: int, rank: int) -> int | None:
        """The rank in a communicator of a rank of the world; None if it is no member."""
        if context == 0:
            return rank
        if context not in self._rank_in:
            members = self.members.get(context, ())
            self._rank_in[context] = {member: at for at, member in enumerate(members)}
        return self._rank_in[context].get(rank)

    def of_message(self, context: int, sender: int, receiver: int) -> tuple[int, int, int]:
        """The communicator of a message, and the ranks of both ends there. Messages between
        groups are shown in the world."""
        ends = self.rank_in(context, sender), self.rank_in(context, receiver)
        if ends[0] is None or ends[1] is None:
            return 0, sender, receiver
        return context, ends[0], ends[1]


def shown(records: NDArray[Any]) -> NDArray[Any]:
    """Records with columns for a collective."""
    found = np.zeros(len(records), SHOWN)
    for name in RECORD.names or ():
        found[name] = records[name]
    found["block"] = records["bytes"]
    found["within"] = NO_OPERATION
    return found


def received(name: str, size: int, block: int, is_root: bool, n: int) -> int:
    """The bytes that a rank receives in a collective of `n` ranks; `size` is what it
    contributes."""
    word = name.removeprefix("MPI_").lower()
    if word in ("allgather", "alltoall"):
        return n * block
    if word in ("gather", "reduce"):
        return (n * block if word == "gather" else block) if is_root else 0
    if word in ("bcast", "scatter", "allreduce", "scan", "exscan", "reduce_scatter_block"):
        return block
    return size
