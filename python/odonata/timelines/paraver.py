"""Writes a timeline as a Paraver trace: `.prv`, with `.pcf` (names) and `.row` (labels) beside it.

The format is that of BSC's "Paraver: parallel program visualization and analysis tool, tracefile
description" (version 3.0). Types and values of events are those of Extrae where it has them.
Paraver counts nanoseconds.
"""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from . import records as tl

NS = 1000  # picoseconds
LINES = 1 << 20  # lines that are sorted at once
# Extrae's types of events: point-to-point, collective and other calls.
POINT_TO_POINT, COLLECTIVE, OTHER = 50000001, 50000002, 50000003
# Bytes that a call sends and, of collectives, receives; whether a rank is the root, and the
# communicator, of which the world is number 1.
SENT, RECEIVED, ROOT, COMMUNICATOR = 50100001, 50100002, 50100003, 50100004
# Extrae's values; other functions have their number from `FIRST` on.
VALUES = {
    "MPI_Send": 1, "MPI_Recv": 2, "MPI_Isend": 3, "MPI_Irecv": 4, "MPI_Wait": 5, "MPI_Waitall": 6,
    "MPI_Bcast": 7, "MPI_Barrier": 8, "MPI_Reduce": 9, "MPI_Allreduce": 10, "MPI_Alltoall": 11,
    "MPI_Alltoallv": 12, "MPI_Gather": 13, "MPI_Gatherv": 14, "MPI_Scatter": 15,
    "MPI_Scatterv": 16, "MPI_Allgather": 17, "MPI_Allgatherv": 18, "MPI_Init": 31,
    "MPI_Finalize": 32, "MPI_Bsend": 33, "MPI_Ssend": 34, "MPI_Sendrecv": 41,
}  # fmt: skip
FIRST = 1000
COLLECTIVES = {
    "Bcast", "Barrier", "Reduce", "Allreduce", "Alltoall", "Alltoallv", "Alltoallw", "Gather",
    "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Reduce_scatter",
    "Reduce_scatter_block", "Scan", "Exscan",
}  # fmt: skip
SENDERS = {"Send", "Recv", "Isend", "Irecv", "Wait", "Waitall", "Waitany", "Waitsome", "Test",
           "Testall", "Testany", "Testsome", "Bsend", "Ssend", "Rsend", "Ibsend", "Issend",
           "Irsend", "Sendrecv", "Sendrecv_replace", "Probe", "Iprobe", "Mprobe", "Improbe",
           "Mrecv", "Imrecv", "Start", "Startall"}  # fmt: skip
# Extrae's states.
RUNNING, WAITING, BLOCKING_SEND, WAIT, COLLECTIVE_STATE, OTHERS = 1, 3, 4, 8, 13, 15
STATES = (
    "Idle", "Running", "Not created", "Waiting a message", "Blocking Send", "Synchronization",
    "Test/Probe", "Scheduling and Fork/Join", "Wait/WaitAll", "Blocked", "Immediate Send",
    "Immediate Receive", "I/O", "Group Communication", "Tracing Disabled", "Others",
    "Send Receive",
)  # fmt: skip

Line = tuple[int, str]


def write(source: Path, target: Path) -> None:
    """Convert the records of `source`."""
    records = tl.open_records(source)
    footer = records.footer
    calls = tl.Calls(records)
    used: set[int] = set()
    with target.open("w", encoding="ascii") as file:
        file.write(header(footer))
        for context, members in sorted(calls.communicators.members.items()):
            tasks = ":".join(str(rank + 1) for rank in members)
            file.write(f"c:1:{context + 1}:{len(members)}:{tasks}\n")
        for _, line in ordered(lines(records, calls, used), target.parent):
            file.write(line)
    target.with_suffix(".pcf").write_text(legend(calls.names, used), encoding="ascii")
    target.with_suffix(".row").write_text(labels(footer), encoding="utf-8")


def header(footer: dict[str, Any]) -> str:
    """The line that describes the machine and the tasks. It has no date, so that equal runs have
    equal files."""
    end = -(-round(footer["time_s"] * 1e12) // NS)
    of_rank = footer["node_of_rank"][: footer["ranks"]]
    counts = [0] * len(footer["nodes"])
    for node in of_rank:
        counts[node] += 1
    cpus = ",".join(map(str, counts))
    tasks = ",".join(f"1:{node + 1}" for node in of_rank)
    return (
        f"#Paraver (01/01/70 at 00:00):{end}_ns:{len(counts)}({cpus}):1:{len(of_rank)}({tasks})\n"
    )


def type_of(name: str) -> int:
    """The type of events that a function belongs to."""
    word = name.removeprefix("MPI_")
    if word in COLLECTIVES:
        return COLLECTIVE
    return POINT_TO_POINT if word in SENDERS else OTHER


def value_of(names: list[str]) -> list[int]:
    return [VALUES.get(name, FIRST + at) for at, name in enumerate(names)]


def state_of(name: str) -> int:
    """The state in a call."""
    if type_of(name) == COLLECTIVE:
        return COLLECTIVE_STATE
    if "Wait" in name:
        return WAIT
    if "recv" in name.lower() or "robe" in name:
        return WAITING
    return BLOCKING_SEND if "send" in name.lower() else OTHERS


def lines(records: tl.Records, calls: tl.Calls, used: set[int]) -> Iterator[Line]:
    """The lines of the trace with their times, in no order. Adds the functions to `used`."""
    values, names = value_of(calls.names), calls.names
    communicators = calls.communicators
    types, states = [type_of(name) for name in names], [state_of(name) for name in names]
    for block in records.blocks():
        some = calls.of(block)
        used.update(some["op"].tolist())
        keys = ("rank", "op", "begin", "end", "bytes", "block", "peer", "context")
        columns = (some[key].tolist() for key in keys)
        for rank, op, begin, end, size, part, root, context in zip(*columns, strict=True):
            who = f"{rank + 1}:1:{rank + 1}:1"
            begin, end = begin // NS, end // NS
            if end > begin:
                yield begin, f"1:{who}:{begin}:{end}:{states[op]}\n"
            about = f":{SENT}:{size}" if size else ""
            if types[op] == COLLECTIVE:
                is_root = communicators.rank_in(context, rank) == root
                n = len(communicators.members[context])
                back = tl.received(names[op], size, part, is_root, n)
                about += f":{RECEIVED}:{back}:{ROOT}:{int(is_root)}:{COMMUNICATOR}:{context + 1}"
            yield begin, f"2:{who}:{begin}:{types[op]}:{values[op]}{about}\n"
            yield end, f"2:{who}:{end}:{types[op]}:0\n"
        some = block[block["kind"] == tl.COMPUTE]
        columns = (some[key].tolist() for key in ("rank", "begin", "end"))
        for rank, begin, end in zip(*columns, strict=True):
            begin, end = begin // NS, end // NS
            if end > begin:
                yield begin, f"1:{rank + 1}:1:{rank + 1}:1:{begin}:{end}:{RUNNING}\n"
        # Paraver draws a line for each message, so those within collectives are left out.
        is_user = (block["kind"] == tl.MESSAGE) & (block["flags"] & tl.COLLECTIVE == 0)
        some = block[is_user]
        columns = (some[key].tolist() for key in ("rank", "peer", "begin", "end", "bytes", "tag"))
        for rank, peer, begin, end, size, tag in zip(*columns, strict=True):
            begin, end = begin // NS, end // NS
            yield (
                begin,
                (
                    f"3:{rank + 1}:1:{rank + 1}:1:{begin}:{begin}:"
                    f"{peer + 1}:1:{peer + 1}:1:{end}:{end}:{size}:{tag}\n"
                ),
            )


def ordered(all_lines: Iterable[Line], place: Path) -> Iterator[Line]:
    """The lines in the order of their times, with bounded memory. Lines of one time stay in order,
    so a call ends before the next one begins."""
    parts: list[IO[str]] = []
    part: list[Line] = []
    try:
        for line in all_lines:
            part.append(line)
            if len(part) == LINES:
                parts.append(stored(part, place))
                part = []
        part.sort(key=lambda line: line[0])
        if not parts:
            yield from part
            return
        stored_lines = (map(restored, file) for file in parts)
        yield from heapq.merge(*stored_lines, part, key=lambda line: line[0])
    finally:
        for file in parts:
            file.close()


def stored(part: list[Line], place: Path) -> IO[str]:
    """A temporary file with these lines, sorted."""
    part.sort(key=lambda line: line[0])
    file = tempfile.TemporaryFile("w+", encoding="ascii", dir=place)
    file.writelines(f"{time} {line}" for time, line in part)
    file.seek(0)
    return file


def restored(text: str) -> Line:
    time, _, line = text.partition(" ")
    return int(time), line


def legend(names: list[str], used: set[int]) -> str:
    """The `.pcf` file: names of states, types and used values."""
    out = ["DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"]
    out.append("STATES")
    out += [f"{at}    {name}" for at, name in enumerate(STATES)]
    for kind, title in (
        (POINT_TO_POINT, "MPI Point-to-point"),
        (COLLECTIVE, "MPI Collective Comm"),
        (OTHER, "MPI Other"),
    ):
        out += ["", "EVENT_TYPE", f"9    {kind}    {title}", "VALUES"]
        values = value_of(names)
        out += [f"{values[op]}   {names[op]}" for op in sorted(used) if type_of(names[op]) == kind]
        out.append("0   Outside MPI")
    out += ["", "EVENT_TYPE", f"1    {SENT}    MPI send size", f"1    {RECEIVED}    MPI recv size"]
    out += ["", "EVENT_TYPE", f"1    {ROOT}    MPI Global OP is root?"]
    out += [f"1    {COMMUNICATOR}    MPI Global OP communicator", ""]
    return "\n".join(out) + "\n"


def labels(footer: dict[str, Any]) -> str:
    """The `.row` file: labels of CPUs, nodes and threads."""
    n, of_rank = footer["ranks"], footer["node_of_rank"]
    nodes = footer["nodes"]
    out = [f"LEVEL CPU SIZE {n}"]
    out += [f"{rank + 1}.{nodes[of_rank[rank]]}" for rank in range(n)]
    out += ["", f"LEVEL NODE SIZE {len(nodes)}", *nodes]
    out += ["", f"LEVEL THREAD SIZE {n}", *(f"rank {rank}" for rank in range(n))]
    return "\n".join(out) + "\n"
