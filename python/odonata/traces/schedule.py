"""Builds a record (docs/record-format.md) from the calls of another tool's trace.

A rank's calls are appended in its program order. A wait ends a step; the next one needs what was
waited for. Computation precedes the call after it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import Diagnostics

OPS = (
    "pause", "exit", "send", "ssend", "bsend", "recv", "barrier", "bcast", "reduce", "allreduce",
    "allgather", "allgatherv", "alltoall", "alltoallv", "gather", "gatherv", "scatter", "scatterv",
    "reduce_scatter", "reduce_scatter_block", "scan", "exscan", "probe", "delay",
    "access", "atomic", "lock", "lock_shared", "unlock",
)  # fmt: skip
ONE_SIDED = OPS[-5:]
CODES = {name: code for code, name in enumerate(OPS)}
MOST_RANKS = 1 << 20
MOST_CALLS = 1 << 25
MOST_BYTES = 1 << 40
MOST_PS = 1 << 62
ANY, ANY_TAG = 2**32 - 1, -1
ANY_SOURCE_FLAG, ANY_TAG_FLAG, COMMUTES, PREDEFINED = 1, 2, 4, 8
REDUCTIONS = {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
# Code of `array` of each column, which has the width of the record's column.
COLUMNS = {
    "step": "I", "op": "B", "after_ps": "Q", "peer": "I", "tag": "i", "context": "I",
    "bytes": "Q", "back": "Q", "span_ps": "Q", "root": "I", "grain": "Q", "flags": "B",
}  # fmt: skip
ZEROS = {"other": 4}
# Bytes of the elements of a reduction whose type a trace does not have.
DOUBLE = 8


class TraceError(Exception):
    """A trace that cannot be read: where, what was found, and what is wanted."""

    def __init__(self, at: str, found: object, wanted: str):
        super().__init__(at, found, wanted)
        self.at, self.found, self.wanted = at, found, wanted

    def report(self, wrong: Diagnostics) -> None:
        wrong.add(f"trace, {self.at}", str(self.found)[:120] or "nothing", self.wanted)


class RankCalls:
    """The calls of one rank."""

    def __init__(self, schedule: Schedule):
        self.schedule = schedule
        self.columns = {name: array(code) for name, code in COLUMNS.items()}
        self.needs, self.needs_end = array("I"), array("I")
        self.lengths, self.lengths_end = array("Q"), array("I")
        self.step = 0
        self.after = 0
        self._waits: Sequence[int] | None = None
        self.ended = False

    def __len__(self) -> int:
        return len(self.columns["op"])

    def compute(self, ps: float) -> None:
        """Computation before the next call, picoseconds."""
        if not 0 <= ps < MOST_PS:
            raise TraceError("computation", ps, "a time of at most 50 days")
        self.after += round(ps)

    def call(self, op: str, **values: Any) -> int:
        """A call that is not waited for; returns its number."""
        needs: Sequence[int] = ()
        if self._waits is not None:
            self.step += 1
            needs, self._waits = self._waits, None
        self.schedule.count()
        lengths = values.pop("lengths", ())
        row = {
            "step": self.step, "op": CODES[op], "after_ps": self.after, "grain": 1, **values,
        }  # fmt: skip
        self.after = 0
        try:
            for name, column in self.columns.items():
                column.append(row.get(name, 0))
            self.lengths.extend(lengths)
        except (OverflowError, TypeError):
            raise TraceError(op, values, "numbers within the limits of MPI") from None
        self.needs.extend(needs)
        self.needs_end.append(len(self.needs))
        self.lengths_end.append(len(self.lengths))
        return len(self) - 1

    def wait(self, calls: Iterable[int]) -> None:
        """Wait for these calls."""
        pause = self.call("pause")
        self._waits = sorted({*calls, pause})

    def blocking(self, op: str, **values: Any) -> None:
        self.wait([self.call(op, **values)])

    def send(self, to: int, tag: int, size: int, *, op: str = "send", context: int = 0) -> int:
        self.check_peer(to)
        return self.call(op, peer=to, tag=tag, bytes=checked(size), context=context)

    def recv(self, source: int, tag: int, size: int, *, context: int = 0) -> int:
        """A receive; a source of `ANY` and a tag of `ANY_TAG` are wildcards."""
        if source != ANY:
            self.check_peer(source)
        flags = (source == ANY) * ANY_SOURCE_FLAG | (tag == ANY_TAG) * ANY_TAG_FLAG
        return self.call("recv", peer=source, tag=tag, bytes=checked(size), context=context,
                         flags=flags)  # fmt: skip

    def collective(
        self,
        op: str,
        size: int = 0,
        *,
        root: int = 0,
        grain: int = DOUBLE,
        lengths: Sequence[int] = (),
        context: int = 0,
    ) -> int:
        """A collective; `size` is its block or vector. Operators are taken as predefined."""
        values: dict[str, Any] = {
            "bytes": checked(size), "root": root, "context": context, "flags": PREDEFINED,
        }  # fmt: skip
        if op in REDUCTIONS:
            total = checked(size)
            whole = grain if grain > 0 and total % grain == 0 and not any(
                length % grain for length in lengths
            ) else 1  # fmt: skip
            values |= {"grain": whole, "flags": COMMUTES | PREDEFINED}
        return self.call(op, lengths=[checked(length) for length in lengths], **values)

    def access(self, op: str, peer: int, context: int, size: int = 0, back: int = 0) -> int:
        """An access to the memory of a rank, or a lock of its part of a window."""
        self.check_peer(peer)
        sizes = {"bytes": checked(size), "back": checked(back)}
        return self.call(op, peer=peer, context=context, **sizes)

    def check_peer(self, rank: int) -> None:
        if not 0 <= rank < len(self.schedule.ranks):
            wanted = f"a rank below {len(self.schedule.ranks)}"
            raise TraceError("peer", rank, wanted)

    def end(self) -> None:
        """The rank makes no more calls."""
        if not self.ended:
            self.wait(())
            self.call("exit")
            self.ended = True


class Schedule:
    """The calls of all ranks, and what of the trace they do not have."""

    def __init__(self, ranks: int, kind: str):
        if not 1 <= ranks <= MOST_RANKS:
            raise TraceError("ranks", ranks, f"1 to {MOST_RANKS:,} ranks")
        self.kind = kind
        self.calls = 0
        self.ranks = [RankCalls(self) for _ in range(ranks)]
        self.communicators: dict[int, list[int]] = {}
        self.unsupported: Counter[str] = Counter()
        self.notes: list[str] = []

    def count(self) -> None:
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise TraceError("calls", f"more than {MOST_CALLS:,}", "a shorter trace")

    def record(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The header of the record and its columns, as `records.read` returns them."""
        import numpy as np

        for rank in self.ranks:
            rank.end()
        columns: dict[str, bytes] = {}
        for name in COLUMNS:
            columns[name] = b"".join(rank.columns[name].tobytes() for rank in self.ranks)
        sizes = [len(rank) for rank in self.ranks]
        total = sum(sizes)
        columns["rank"] = np.repeat(np.arange(len(sizes), dtype="<u4"), sizes).tobytes()
        columns |= {name: bytes(width * total) for name, width in ZEROS.items()}
        for name in ("needs", "lengths"):
            ends, before = [], 0
            for rank in self.ranks:
                ends.append(np.frombuffer(getattr(rank, f"{name}_end"), "<u4") + before)
                before += len(getattr(rank, name))
            columns[f"{name}_end"] = np.concatenate(ends).astype("<u4").tobytes()
            columns[name] = b"".join(getattr(rank, name).tobytes() for rank in self.ranks)
        header = {
            "format": "odonata-record/1",
            "ranks": len(self.ranks),
            "communicators": [[key, members] for key, members in self.communicators.items()],
            "core_speed": 1.0,
            "env": [],
            "vain_polls": 0,
            "partial": None,
            "recorded": {},
            "ops": list(OPS),
            "converted": {"from": self.kind, "unsupported": dict(self.unsupported),
                          "notes": self.notes},
        }  # fmt: skip
        return header, columns


def checked(size: float) -> int:
    """A number of bytes."""
    if not 0 <= size < MOST_BYTES:
        raise TraceError("size", size, "0 to 2^40 bytes")
    return int(size)
