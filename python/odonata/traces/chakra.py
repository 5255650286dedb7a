"""Reads MLCommons Chakra execution traces: JSON, or protobuf as in `et_def.proto`.

There is one file per rank, whose name has the rank's number (`trace.0.et`). A file has a header
and nodes: computation, messages and collectives, with their dependencies. The nodes of a rank are
executed one after another in an order that satisfies the dependencies; messages and collectives
that nothing depends on yet are not waited for.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..files import read_bytes
from .schedule import DOUBLE, RankCalls, Schedule, TraceError

RANK = re.compile(r"(.*?)(\d+)((?:\.\w+)?)")
COMP, SEND, RECV, COLLECTIVE = 4, 5, 6, 7
TYPES = {
    "INVALID_NODE": 0, "METADATA_NODE": 1, "MEM_LOAD_NODE": 2, "MEM_STORE_NODE": 3,
    "COMP_NODE": COMP, "COMM_SEND_NODE": SEND, "COMM_RECV_NODE": RECV,
    "COMM_COLL_NODE": COLLECTIVE, "STORAGE_NODE": 8, "BATCH_NODE": 9, "CHECKPOINT_NODE": 10,
}  # fmt: skip
COLLECTIVES = (
    "allreduce", "reduce", "allgather", "gather", "scatter", "bcast", "alltoall",
    "reduce_scatter_block", "reduce_scatter_block", "barrier",
)  # fmt: skip
NAMES = {
    "ALL_REDUCE": 0, "REDUCE": 1, "ALL_GATHER": 2, "GATHER": 3, "SCATTER": 4, "BROADCAST": 5,
    "ALL_TO_ALL": 6, "REDUCE_SCATTER": 7, "REDUCE_SCATTER_BLOCK": 8, "BARRIER": 9,
}  # fmt: skip
# Field numbers of the scalar values of an attribute, and how they are encoded.
DOUBLES, FLOATS, SIGNED, ZIGZAG, TEXTS = {3}, {5}, {7, 9}, {15, 17}, {29}
PS_PER_US = 10**6
WANTED = "a Chakra execution trace, JSON or protobuf"


@dataclass
class Node:
    """One node of a rank."""

    id: int = 0
    name: str = ""
    type: int = 0
    needs: list[int] = field(default_factory=list)
    duration_us: int = 0
    attributes: dict[str, Any] = field(default_factory=dict)


def is_trace(head: bytes, path: Path) -> bool:
    """Whether a file with this beginning may be such a trace."""
    if path.suffix == ".et":
        return True
    return head.lstrip()[:1] in (b"{", b"[") and path.suffix == ".json"


def files_of(path: Path) -> list[Path]:
    """The files of all ranks: those whose names differ in the rank's number only."""
    match = RANK.fullmatch(path.name)
    if not match:
        return [path]
    found = {}
    for file in path.parent.iterdir():
        of = RANK.fullmatch(file.name)
        if of and (of[1], of[3]) == (match[1], match[3]):
            found[int(of[2])] = file
    for rank in range(len(found)):
        if rank not in found:
            wanted = "a file of each rank from 0 on, such as `trace.0.et`"
            raise TraceError(str(path.parent), f"no file of rank {rank}", wanted)
    return [found[rank] for rank in range(len(found))]


def read(path: Path) -> Schedule:
    """The schedule of a trace."""
    files = files_of(path)
    schedule = Schedule(len(files), "Chakra execution trace")
    groups: dict[str, list[int]] = {}
    for rank, file in enumerate(files):
        try:
            nodes = read_nodes(read_bytes(file))
        except (OSError, ValueError, RecursionError, struct.error, IndexError) as error:
            raise TraceError(file.name, error, WANTED) from None
        try:
            Reader(rank, schedule.ranks[rank], groups).take(ordered(nodes))
        except TraceError as error:
            raise TraceError(f"{file.name}, {error.at}", error.found, error.wanted) from None
    return schedule


def read_nodes(data: bytes) -> list[Node]:
    """The nodes in a file."""
    if data.lstrip()[:1] in (b"{", b"["):
        return list(nodes_of_json(json.loads(data)))
    return list(nodes_of_protobuf(data))


def nodes_of_json(found: Any) -> Iterator[Node]:
    """The nodes of the JSON form: a list, or an object with the list `nodes`."""
    nodes = found.get("nodes") if isinstance(found, dict) else found
    if not isinstance(nodes, list):
        raise ValueError("no list of nodes")
    for one in nodes:
        if not isinstance(one, dict):
            raise ValueError("a node that is no object")
        kind = one.get("type", 0)
        if "id" not in one:
            continue  # the header
        needs = [*one.get("ctrl_deps", ()), *one.get("data_deps", ())]
        duration = one.get("duration_micros", one.get("durationMicros", 0))
        yield Node(
            number(one["id"]), str(one.get("name", "")),
            TYPES.get(kind, 0) if isinstance(kind, str) else number(kind),
            list(map(number, needs)), number(duration),
            attributes_of_json(one.get("attr", one.get("attrs", []))),
        )  # fmt: skip


def number(value: Any) -> int:
    """A whole number; protobuf's JSON form writes long ones as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"{value!r} is no number")
    found = int(value)
    if not 0 <= found < 1 << 63:
        raise ValueError(f"{value} is out of range")
    return found


def attributes_of_json(found: Any) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    if not isinstance(found, list):
        raise ValueError("attributes that are no list")
    for one in found:
        if not isinstance(one, dict):
            raise ValueError("an attribute that is no object")
        values = [v for key, v in one.items() if key.endswith(("_val", "Val", "_list", "List"))]
        if values:
            value = values[0]
            attributes[str(one.get("name"))] = (
                value.get("values", []) if isinstance(value, Mapping) else value
            )
    return attributes


def fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """The fields of a protobuf message: number, wire type and value."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
            yield key >> 3, kind, value
            continue
        if kind == 2:
            size, at = varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(f"wire type {kind}")
        if at + size > len(data):
            raise ValueError("a field beyond the end")
        yield key >> 3, kind, data[at : at + size]
        at += size


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def nodes_of_protobuf(data: bytes) -> Iterator[Node]:
    """Messages with their length before each; the first is the header."""
    at = 0
    is_header = True
    while at < len(data):
        size, at = varint(data, at)
        if at + size > len(data):
            raise ValueError("the file ends within a node")
        if not is_header:
            yield node_of(data[at : at + size])
        is_header = False
        at += size


def node_of(data: bytes) -> Node:
    node = Node()
    for key, kind, value in fields(data):
        if key == 1 and kind == 0:
            node.id = value
        elif key == 2 and kind == 2:
            node.name = value.decode("utf-8", "replace")
        elif key == 3 and kind == 0:
            node.type = value
        elif key in (4, 5):
            node.needs += [value] if kind == 0 else packed(value)
        elif key == 7 and kind == 0:
            node.duration_us = value
        elif key == 10 and kind == 2:
            name, found = attribute_of(value)
            node.attributes[name] = found
    return node


def packed(data: bytes) -> list[int]:
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def attribute_of(data: bytes) -> tuple[str, Any]:
    name, found = "", None
    for key, kind, value in fields(data):
        if key == 1 and kind == 2:
            name = value.decode("utf-8", "replace")
        elif key in DOUBLES and kind == 1:
            found = struct.unpack("<d", value)[0]
        elif key in FLOATS and kind == 5:
            found = struct.unpack("<f", value)[0]
        elif key in TEXTS and kind == 2:
            found = value.decode("utf-8", "replace")
        elif kind == 0 and key >= 7:
            if key in ZIGZAG:
                value = value >> 1 ^ -(value & 1)
            elif key in SIGNED and value >= 1 << 63:
                value -= 1 << 64
            found = value
        elif kind == 2 and key >= 8:
            parts = [[part] if k == 0 else packed(part) for _, k, part in fields(value)]
            found = [one for part in parts for one in part]
        elif kind in (1, 5) and key in (19, 21, 23, 25):
            found = int.from_bytes(value, "little", signed=key > 22)
    return name, found


def ordered(nodes: Sequence[Node]) -> list[Node]:
    """The nodes in an order in which each follows those that it needs, otherwise by id."""
    import heapq

    by_id = {node.id: node for node in nodes}
    if len(by_id) != len(nodes):
        raise TraceError("nodes", "two with one id", "different ids")
    waiting: dict[int, int] = {}
    followers: dict[int, list[int]] = {}
    for node in nodes:
        needs = {need for need in node.needs if need in by_id and need != node.id}
        waiting[node.id] = len(needs)
        for need in needs:
            followers.setdefault(need, []).append(node.id)
    ready = [node.id for node in nodes if not waiting[node.id]]
    heapq.heapify(ready)
    found = []
    while ready:
        one = heapq.heappop(ready)
        found.append(by_id[one])
        for other in followers.get(one, ()):
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(ready, other)
    if len(found) < len(nodes):
        stuck = min(one for one, count in waiting.items() if count)
        raise TraceError("dependencies", f"a cycle through node {stuck}", "no cycle")
    return found


class Reader:
    """Converts the nodes of one rank."""

    def __init__(self, rank: int, calls: RankCalls, groups: dict[str, list[int]]):
        self.rank, self.calls, self.groups = rank, calls, groups
        self.open: dict[int, int] = {}

    def take(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.wait_for(node)
            try:
                self.one(node)
            except (ValueError, TypeError, IndexError, OverflowError):
                wanted = "attributes as in the Chakra schema"
                raise TraceError(f"node {node.id}", node.name, wanted) from None
            except TraceError as error:
                at = f"node {node.id}, {error.at}"
                raise TraceError(at, error.found, error.wanted) from None
        self.calls.wait(self.open.values())

    def wait_for(self, node: Node) -> None:
        """Waits for the communication that a node needs."""
        found = [self.open.pop(need) for need in node.needs if need in self.open]
        if found:
            self.calls.wait(found)

    def one(self, node: Node) -> None:
        of = node.attributes
        if node.type == COMP:
            self.calls.compute(node.duration_us * PS_PER_US)
        elif node.type == SEND:
            peer = number(of["comm_dst"]) if "comm_dst" in of else -1
            size, tag = number(of.get("comm_size", 0)), number(of.get("comm_tag", 0))
            self.open[node.id] = self.calls.send(peer, tag, size)
        elif node.type == RECV:
            peer = number(of["comm_src"]) if "comm_src" in of else -1
            size, tag = number(of.get("comm_size", 0)), number(of.get("comm_tag", 0))
            self.open[node.id] = self.calls.recv(peer, tag, size)
        elif node.type == COLLECTIVE:
            self.collective(node)
        elif node.type != 1:
            name = next((name for name, one in TYPES.items() if one == node.type), "unknown type")
            self.calls.schedule.unsupported[f"node of {name}"] += 1

    def collective(self, node: Node) -> None:
        of = node.attributes
        kind = of.get("comm_type", 0)
        op = COLLECTIVES[NAMES[kind] if isinstance(kind, str) and kind in NAMES else number(kind)]
        context, n = self.context(of.get("pg_name") or of.get("comm_group") or "")
        size = number(of.get("comm_size", 0))
        # The size is that of a rank's input. A block of these is one part of it.
        if op in ("alltoall", "scatter", "reduce_scatter_block"):
            size //= n
        grain = 4 if size % DOUBLE and size % 4 == 0 else DOUBLE
        root = number(of.get("root_rank", of.get("comm_root", 0)))
        one = self.calls.collective(op, size, root=root, grain=grain, context=context)
        self.open[node.id] = one

    def context(self, group: Any) -> tuple[int, int]:
        """A process group. Groups other than all ranks are not in the trace's nodes."""
        if group not in ("", "0", 0):
            self.calls.schedule.unsupported[f"process group {group}, taken as all ranks"] += 1
        return 0, len(self.calls.schedule.ranks)
