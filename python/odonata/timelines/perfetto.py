"""Writes a timeline as a Perfetto trace: protobuf packets, encoded with arrays.

Fields and numbers are those of `perfetto/trace/trace_packet.proto`. Perfetto counts nanoseconds;
the exact duration in picoseconds is an argument of each slice.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from . import records as tl

Bytes = NDArray[np.uint8]
# Type of a track event.
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
# Numbers of interned names of arguments.
ARGUMENTS = ("bytes", "peer", "tag", "duration_ps", "waiting_ps", "communicator", "round")
ROUND_NAMES = "round of {}"
# Numbers of interned categories.
CATEGORIES = ("mpi", "operation", "compute", "message", "round")
# Interned names of slices that are neither functions nor operations.
OTHERS = ("compute", "send", "receive")
RANK_TRACKS = 10  # bits of a track's number that select one of its rank
MESSAGES, FIRST_LANE, FIRST_ROUNDS = 1, 2, 512
LINK_TRACKS, NODE_TRACKS, QUEUE_TRACKS = 1 << 50, 1 << 51, 1 << 52
# Two tracks per storage target: its rate and its backlog.
TARGET_TRACKS = 1 << 53
SEQUENCE = b"\x50\x01"  # trusted_packet_sequence_id 1
NEEDS_STATE = b"\x68\x02"  # sequence_flags SEQ_NEEDS_INCREMENTAL_STATE
NS = 1000  # picoseconds


def write(source: Path, target: Path) -> None:
    """Convert the records of `source`."""
    records = tl.open_records(source)
    with target.open("wb") as file:
        head(file, records.footer)
        writer = Writer(file, records.footer)
        for block in records.blocks():
            writer.block(block)


@functools.lru_cache(maxsize=1 << 16)
def varint(value: int) -> bytes:
    """A number in the variable-length encoding of protobuf."""
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, value: int | str | bytes) -> bytes:
    """A field with a number, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def head(file: BinaryIO, footer: dict[str, Any]) -> None:
    """Names, and the tracks of nodes, ranks and links."""
    interned = b""
    for number, name in enumerate(CATEGORIES, 1):
        interned += field(1, field(1, number) + field(2, name))
    for number, name in enumerate(names(footer), 1):
        interned += field(2, field(1, number) + field(2, name))
    for number, name in enumerate(ARGUMENTS, 1):
        interned += field(3, field(1, number) + field(2, name))
    # sequence_flags SEQ_INCREMENTAL_STATE_CLEARED
    packet(file, field(12, interned) + SEQUENCE + field(13, 1))
    for node, name in enumerate(footer["nodes"]):
        process = field(1, node + 1) + field(6, f"node {name}")
        track(file, NODE_TRACKS + node, field(3, process))
    selected = footer["selected_ranks"]
    for rank, node in enumerate(footer["node_of_rank"][: footer["ranks"]]):
        if selected and not any(first <= rank <= last for first, last in selected):
            continue
        thread = field(1, node + 1) + field(2, rank + len(footer["nodes"]) + 1)
        uuid = (rank + 1) << RANK_TRACKS
        track(file, uuid, field(4, thread + field(5, f"rank {rank}")))
        track(file, uuid + MESSAGES, field(5, uuid) + field(2, "messages"))
        track(file, uuid + FIRST_LANE, field(5, uuid) + field(2, "operations"))
    for link in footer["links"]:
        name = f"{link['kind']} {link['from']} -> {link['to']}"
        track(file, LINK_TRACKS + link["link"], field(2, name) + field(8, field(6, "B/s")))
    for nic, name in footer["nics"]:
        track(file, QUEUE_TRACKS + nic, field(2, f"queue of {name}") + field(8, field(6, "B")))
    for file_system, target, name in footer["targets"]:
        uuid = target_track(file_system, target)
        track(file, uuid, field(2, name) + field(8, field(6, "B/s")))
        track(file, uuid + 1, field(2, f"backlog of {name}") + field(8, field(6, "ns")))


def names(footer: dict[str, Any]) -> list[str]:
    """Names of slices, from number 1 on."""
    rounds = [ROUND_NAMES.format(name) for name in footer["operations"]]
    return [*OTHERS, *footer["operations"], *footer["functions"], *rounds]


def target_track(file_system: Any, target: Any) -> Any:
    """The track of a storage target's rate; that of its backlog is the next one."""
    return TARGET_TRACKS + (file_system << 33) + (target << 1)


def packet(file: BinaryIO, content: bytes) -> None:
    file.write(field(1, content))


def track(file: BinaryIO, uuid: int, rest: bytes) -> None:
    """A track descriptor."""
    packet(file, field(60, field(1, uuid) + rest) + SEQUENCE)


class Column:
    """Bytes of each row, of which `mask` selects some; a row's length is the sum of its mask."""

    def __init__(self, data: Bytes, mask: NDArray[np.bool_]):
        self.data, self.mask = data, mask

    def lengths(self) -> NDArray[np.int64]:
        return self.mask.sum(axis=1)


def constant(n: int, data: bytes) -> Column:
    """The same bytes in each row."""
    one = np.frombuffer(data, np.uint8)
    return Column(np.broadcast_to(one, (n, len(one))), np.ones((n, len(one)), bool))


def varints(values: NDArray[Any]) -> Column:
    """A number in each row; negative ones take ten bytes."""
    rest = values.astype(np.int64).view(np.uint64)
    largest = int(rest.max(initial=0))
    width = max(1, -(-largest.bit_length() // 7))
    shifts = np.arange(width, dtype=np.uint64) * np.uint64(7)
    parts = rest[:, None] >> shifts
    mask = parts > 0
    mask[:, 0] = True
    data = (parts & np.uint64(127)).astype(np.uint8)
    data[:, :-1] |= mask[:, 1:].astype(np.uint8) << 7
    return Column(data, mask)


def only(column: Column, rows: NDArray[np.bool_]) -> Column:
    """A column that is empty in all other rows."""
    return Column(column.data, column.mask & rows[:, None])


def joined(columns: Sequence[Column]) -> Column:
    return Column(
        np.concatenate([column.data for column in columns], axis=1),
        np.concatenate([column.mask for column in columns], axis=1),
    )


def message(n: int, tag: bytes, columns: Sequence[Column]) -> Column:
    """A field whose value is a message with these columns."""
    content = joined(columns)
    return joined([constant(n, tag), varints(content.lengths()), content])


def argument(n: int, name: str, values: NDArray[Any], is_signed: bool = False) -> Column:
    """A debug annotation: field 4 of a track event."""
    number = varint(ARGUMENTS.index(name) + 1)
    tag = b"\x20" if is_signed else b"\x18"
    return message(n, b"\x22", [constant(n, b"\x08" + number + tag), varints(values)])


def packets(time: NDArray[Any], event: Sequence[Column]) -> Column:
    """Packets of a trace with track events."""
    n = len(time)
    content = [
        constant(n, b"\x40"),
        varints(time),
        constant(n, SEQUENCE + NEEDS_STATE),
        message(n, b"\x5a", event),
    ]
    return message(n, b"\x0a", content)


class Writer:
    """Writes blocks of records as packets."""

    def __init__(self, file: BinaryIO, footer: dict[str, Any]):
        self.file, self.footer = file, footer
        self.first_operation = len(OTHERS) + 1
        self.first_function = self.first_operation + len(footer["operations"])
        self.first_round = self.first_function + len(footer["functions"])
        self.atomic = footer["operations"].index("atomic")
        self.lanes: set[int] = set()
        self.flow = 0

    def block(self, block: NDArray[Any]) -> None:
        kind = block["kind"]
        rank = block["rank"].astype(np.int64)
        base = (rank + 1) << RANK_TRACKS
        slices = np.isin(kind, (tl.OPERATION, tl.CALL, tl.COMPUTE, tl.ROUND))
        if slices.any():
            some = block[slices]
            lane = some["lane"].astype(np.int64)
            is_operation, is_round = some["kind"] == tl.OPERATION, some["kind"] == tl.ROUND
            of_lane = np.where(is_round, FIRST_ROUNDS + lane, FIRST_LANE + lane)
            track_of = base[slices] + np.where(is_operation | is_round, of_lane, 0)
            self.name_lanes(track_of[is_operation & (lane > 0)], "operations")
            self.name_lanes(track_of[is_round], "rounds")
            self.slices(some, track_of)
        if (kind == tl.MESSAGE).any():
            self.messages(block[kind == tl.MESSAGE])
        if (kind == tl.LINK).any():
            self.links(block[kind == tl.LINK])
        if (kind == tl.QUEUE).any():
            some = block[kind == tl.QUEUE]
            self.counters(some["end"], QUEUE_TRACKS + some["rank"].astype(np.int64), some["bytes"])
        if (kind == tl.TARGET).any():
            self.targets(block[kind == tl.TARGET])

    def name_lanes(self, tracks: NDArray[np.int64], name: str) -> None:
        """Describe the tracks of rounds, and of operations that overlap with others."""
        for uuid in np.unique(tracks).tolist():
            if uuid not in self.lanes:
                self.lanes.add(uuid)
                parent = uuid >> RANK_TRACKS << RANK_TRACKS
                track(self.file, uuid, field(5, parent) + field(2, name))

    def slices(self, some: NDArray[Any], tracks: NDArray[np.int64]) -> None:
        n = len(some)
        kind, op = some["kind"], some["op"].astype(np.int64)
        name = np.where(kind == tl.OPERATION, self.first_operation + op, self.first_function + op)
        name[kind == tl.COMPUTE] = 1
        is_round = kind == tl.ROUND
        name[is_round] = self.first_round + op[is_round]
        category = np.select([kind == tl.CALL, kind == tl.OPERATION, is_round], [1, 2, 5], 3)
        begin, end = some["begin"], some["end"]
        is_compute = (kind == tl.COMPUTE) | is_round
        waiting = np.minimum(np.maximum(some["ready"], begin), end) - begin
        has_peer = some["peer"] != tl.NO_PEER
        # The tag of an atomic access is the number of bytes that return.
        is_atomic = (kind == tl.OPERATION) & (op == self.atomic)
        has_tag = (some["tag"] != -1) & ~is_round & ~is_atomic
        event = [
            constant(n, b"\x48\x01\x58"),
            varints(tracks),
            constant(n, b"\x50"),
            varints(name),
            constant(n, b"\x18"),
            varints(category),
            argument(n, "duration_ps", end - begin),
            only(argument(n, "bytes", some["bytes"]), ~is_compute),
            only(argument(n, "waiting_ps", waiting), ~is_compute),
            only(argument(n, "peer", some["peer"]), has_peer),
            only(argument(n, "tag", some["tag"], True), has_tag),
            only(argument(n, "round", np.maximum(some["tag"], 0)), is_round),
            only(argument(n, "communicator", some["context"]), some["context"] != 0),
        ]
        first = packets(begin // NS, event)
        last = packets(end // NS, [constant(n, b"\x48\x02\x58"), varints(tracks)])
        self.put(joined([first, last]))

    def messages(self, some: NDArray[Any]) -> None:
        """An instant at each end, with a flow from one to the other."""
        n = len(some)
        numbers = np.arange(self.flow + 1, self.flow + 1 + n, dtype="<u8")
        self.flow += n
        flow = Column(numbers.view(np.uint8).reshape(n, 8), np.ones((n, 8), bool))
        rounds = (some["flags"] & tl.COLLECTIVE) != 0
        about = [
            argument(n, "bytes", some["bytes"]),
            only(argument(n, "tag", some["tag"], True), some["tag"] != -1),
            only(argument(n, "round", some["op"]), rounds),
        ]
        ends = []
        # flow_ids is field 47, terminating_flow_ids field 48.
        for at, of, other, name, tag in (
            ("begin", "rank", "peer", 2, b"\xf9\x02"),
            ("end", "peer", "rank", 3, b"\x81\x03"),
        ):
            tracks = ((some[of].astype(np.int64) + 1) << RANK_TRACKS) + MESSAGES
            event = [
                constant(n, b"\x48\x03\x58"),
                varints(tracks),
                constant(n, b"\x50" + varint(name) + b"\x18\x04" + tag),
                flow,
                argument(n, "peer", some[other]),
                *about,
            ]
            ends.append(packets(some[at] // NS, event))
        self.put(joined(ends))

    def links(self, some: NDArray[Any]) -> None:
        """The mean rate of a link between two samples, then zero until the next record.

        There is no zero if the next record begins where this one ends.
        """
        tracks = LINK_TRACKS + some["rank"].astype(np.int64)
        span = np.maximum(some["end"] - some["begin"], 1)
        rate = (some["bytes"] * (1e12 / span)).round()
        order = np.lexsort((some["begin"], some["rank"]))
        ranks, begin, end = (some[name][order] for name in ("rank", "begin", "end"))
        is_last = np.ones(len(some), bool)
        is_last[order[:-1]] = (ranks[1:] != ranks[:-1]) | (begin[1:] != end[:-1])
        # A zero and a rate at one time would be in this order.
        self.counters(some["end"][is_last], tracks[is_last], np.zeros(int(is_last.sum())))
        self.counters(some["begin"], tracks, rate)

    def targets(self, some: NDArray[Any]) -> None:
        """The rate of a storage target between two samples, and its backlog at the second."""
        tracks = target_track(some["op"].astype(np.int64), some["rank"].astype(np.int64))
        span = np.maximum(some["end"] - some["begin"], 1)
        rate = (some["bytes"] * (1e12 / span)).round()
        self.counters(some["end"], tracks, np.zeros(len(some)))
        self.counters(some["begin"], tracks, rate)
        self.counters(some["end"], tracks + 1, (some["ready"] - some["end"]) // NS)

    def counters(self, time: NDArray[Any], tracks: NDArray[Any], values: NDArray[Any]) -> None:
        """Values of counters at single times."""
        n = len(tracks)
        head = [constant(n, b"\x48\x04\x58"), varints(tracks), constant(n, b"\xf0\x01")]
        self.put(packets(time // NS, [*head, varints(values.astype(np.int64))]))

    def put(self, column: Column) -> None:
        self.file.write(column.data[column.mask].tobytes())
