"""Reads Paraver traces of MPI programs, as Extrae writes them.

MPI calls are events of the types 50000001 to 50000003; their values have names in the `.pcf` file
beside the trace. A message is a communication record. Its send belongs to the call that contains
its time; its receive to the first call that can complete it, and to the oldest `MPI_Irecv` that
has no message yet. The time between calls is computation.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from ..files import MOST_DATA, opened, read_text
from ..timelines.paraver import VALUES
from .schedule import ONE_SIDED, OPS, RankCalls, Schedule, TraceError

MAGIC = b"#Paraver"
CALLS = (50000001, 50000002, 50000003)
SENT, RECEIVED, ROOT, COMMUNICATOR = 50100001, 50100002, 50100003, 50100004
HEADER = re.compile(r"#Paraver \(.*?\):(\d+)(_ns)?:(.*)")
TASKS = re.compile(r"(\d+)\(([\d:,]*)\)(?:,(\d+))?")
# Name of a call whose communication is counted as unsupported elsewhere.
SKIPPED = "skipped"
SILENT = {"Init", "Init_thread", "Finalize", SKIPPED}
CREATION = re.compile(r"Comm_(split|i?dup|create).*")
NS, US = 1000, 10**6


class Transfer(NamedTuple):
    """One end of a message: the other rank of the world, tag, bytes and communicator."""

    peer: int
    tag: int
    size: int
    context: int = 0


@dataclass
class Call:
    """One MPI call of a task."""

    name: str
    begin: int
    end: int = -1
    events: dict[int, int] = field(default_factory=dict)
    sends: list[Transfer] = field(default_factory=list)
    receives: list[Transfer] = field(default_factory=list)
    # Collectives, if the format has those within a call, and their events.
    collectives: list[tuple[str, dict[int, int]]] = field(default_factory=list)
    # Accesses and locks of windows that it begins, and those whose completion it waits for.
    accesses: list[Access] = field(default_factory=list)
    awaits: list[Access] = field(default_factory=list)
    # Windows whose exposure epochs it ends.
    closes: set[int] = field(default_factory=set)


@dataclass(eq=False)
class Access:
    """An access to the memory of a rank of the world, or a lock of a window."""

    op: str
    peer: int
    context: int
    size: int = 0
    back: int = 0
    # Number of its call, from that call on.
    number: int = -1


def read(path: Path) -> Schedule:
    """The schedule of a trace."""
    names = names_of(path.with_suffix(".pcf"))
    tasks: list[list[Call]] = []
    inside: dict[int, Call] = {}
    messages: list[tuple[int, int, int, int, int, int]] = []
    schedule: Schedule | None = None
    unit = US
    try:
        stream = opened(path, MOST_DATA)
    except OSError as error:
        raise TraceError(str(path), error, "a readable file") from None
    with stream:
        for number, raw in enumerate(stream, 1):
            line = raw.decode("latin-1").strip()
            try:
                if schedule is None:
                    ranks, unit = ranks_of(line)
                    schedule = Schedule(ranks, "Paraver trace")
                    tasks = [[] for _ in range(ranks)]
                elif line.startswith("2:"):
                    event(schedule, names, tasks, inside, line)
                elif line.startswith("3:"):
                    messages.append(message(line, len(tasks)))
                elif line.startswith("c:"):
                    communicator(schedule, line)
                elif line and not line.startswith(("1:", "#")):
                    raise ValueError
            except (ValueError, IndexError):
                wanted = "a line of a Paraver trace, version 3.0"
                raise TraceError(f"line {number}", line[:80], wanted) from None
    if schedule is None:
        raise TraceError(str(path), "nothing", "a Paraver trace")
    for rank, call in inside.items():
        raise TraceError(f"rank {rank}", f"{call.name} does not end", "a complete trace")
    name_roots(schedule, tasks)
    assign(schedule, tasks, messages)
    for rank, calls in enumerate(tasks):
        Reader(rank, schedule.ranks[rank], unit).take(calls)
    return schedule


def names_of(path: Path) -> dict[int, dict[int, str]]:
    """Names of the values of MPI events: those of the `.pcf` file, else Extrae's."""
    found: dict[int, dict[int, str]] = {
        kind: {value: name for name, value in VALUES.items()} for kind in CALLS
    }
    try:
        lines = read_text(path).splitlines()
    except (OSError, ValueError):
        return found
    kinds: list[int] = []
    mode = ""
    for line in lines:
        words = line.split()
        if not words or line.strip() in ("EVENT_TYPE", "VALUES", "STATES"):
            mode = line.strip() or ""
            kinds = [] if mode == "EVENT_TYPE" else kinds
        elif mode == "EVENT_TYPE" and len(words) > 1 and words[1].isdigit():
            kinds.append(int(words[1]))
        elif mode == "VALUES" and words[0].isdigit() and len(words) > 1:
            for kind in kinds:
                if kind in found:
                    found[kind][int(words[0])] = words[1]
    return found


def ranks_of(line: str) -> tuple[int, int]:
    """Number of tasks in the header, and picoseconds per unit of time."""
    match = HEADER.fullmatch(line)
    if not match:
        raise ValueError
    rest = match[3]
    # NODES(CPUS):APPLICATIONS:TASKS(...), or `0` for the nodes.
    parts = re.fullmatch(r"\d+(?:\([\d,]*\))?:(\d+):(.*)", rest)
    if not parts:
        raise ValueError
    if parts[1] != "1":
        raise TraceError("header", f"{parts[1]} applications", "one application")
    tasks = TASKS.match(parts[2])
    if not tasks:
        raise ValueError
    threads = [one.split(":")[0] for one in tasks[2].split(",") if one]
    if any(one != "1" for one in threads):
        raise TraceError("header", "tasks with several threads", "one thread per task")
    if len(threads) != int(tasks[1]):
        raise ValueError
    return len(threads), NS if match[2] else US


def task_of(words: list[str], first: int, n: int) -> int:
    """The task of a record whose CPU is at `first`."""
    task = int(words[first + 2])
    if not 1 <= task <= n:
        raise ValueError
    return task - 1


def event(
    schedule: Schedule,
    names: dict[int, dict[int, str]],
    tasks: list[list[Call]],
    inside: dict[int, Call],
    line: str,
) -> None:
    """An event record: `2:CPU:APPL:TASK:THREAD:TIME:TYPE:VALUE...`."""
    words = line.split(":")
    rank, time = task_of(words, 1, len(tasks)), int(words[5])
    pairs = [(int(a), int(b)) for a, b in zip(words[6::2], words[7::2], strict=True)]
    for kind, value in pairs:
        if kind not in CALLS:
            continue
        if value == 0:
            call = inside.pop(rank, None)
            if call is None or time < call.begin:
                raise ValueError
            call.end = time
        elif rank in inside:
            raise ValueError
        else:
            name = names[kind].get(value)
            if name is None:
                schedule.unsupported[f"MPI call {kind}:{value} without a name"] += 1
                name = "MPI_Unknown"
            inside[rank] = Call(name.removeprefix("MPI_").removesuffix("_c"), time)
            tasks[rank].append(inside[rank])
    if rank in inside:
        inside[rank].events.update(pairs)


def message(line: str, n: int) -> tuple[int, int, int, int, int, int]:
    """A communication record: sender, time, receiver, time, bytes and tag."""
    words = line.split(":")
    src, dst = task_of(words, 1, n), task_of(words, 7, n)
    return src, int(words[5]), dst, int(words[11]), int(words[13]), int(words[14])


def communicator(schedule: Schedule, line: str) -> None:
    """`c:APPL:NUMBER:TASKS:TASK:...`; the first one is the world."""
    words = list(map(int, line.split(":")[2:]))
    members = [task - 1 for task in words[2:]]
    if len(members) != words[1] or not all(0 <= m < len(schedule.ranks) for m in members):
        raise ValueError
    if len(members) < len(schedule.ranks):
        schedule.communicators[words[0]] = members


def name_roots(schedule: Schedule, tasks: list[list[Call]]) -> None:
    """Extrae marks the call of a collective's root; replaces the mark by the root's rank."""
    roots: dict[tuple[int, int], int] = {}
    numbered: list[tuple[tuple[int, int], Call]] = []
    for rank, calls in enumerate(tasks):
        counts: dict[int, int] = {}
        for call in calls:
            if call.name.lower() not in COLLECTIVES:
                continue
            context = call.events.get(COMMUNICATOR, 0)
            members = schedule.communicators.get(context)
            key = context, counts.setdefault(context, 0)
            counts[context] += 1
            if call.events.get(ROOT):
                roots[key] = members.index(rank) if members and rank in members else rank
            numbered.append((key, call))
    for key, call in numbered:
        call.events[ROOT] = roots.get(key, 0)


def assign(
    schedule: Schedule, tasks: list[list[Call]], messages: list[tuple[int, int, int, int, int, int]]
) -> None:
    """Gives each message to the calls that send and receive it."""
    begins = [[call.begin for call in calls] for calls in tasks]
    received = []
    for src, sent, dst, got, size, tag in sorted(messages, key=lambda m: (m[1], m[3])):
        at = bisect_right(begins[src], sent) - 1
        while at >= 0 and "send" not in tasks[src][at].name.lower():
            at -= 1
        if at < 0:
            schedule.unsupported["message without its send"] += 1
            continue
        tasks[src][at].sends.append(Transfer(dst, tag, size))
        received.append((dst, got, Transfer(src, tag, size)))
    assign_receives(schedule, tasks, received)


def assign_receives(
    schedule: Schedule, tasks: list[list[Call]], messages: list[tuple[int, int, Transfer]]
) -> None:
    """Gives each message (receiver, time and the sender's end) to the call that receives it."""
    ends = [sorted((call.end, at) for at, call in enumerate(calls)) for calls in tasks]
    posted = [deque(call for call in calls if call.name == "Irecv") for calls in tasks]
    for dst, got, transfer in sorted(messages, key=lambda m: m[1]):
        first = bisect_right(ends[dst], (got, -1))
        later = (tasks[dst][at] for _, at in ends[dst][first:])
        receiver = next((call for call in later if completes(call.name)), None)
        if receiver is None:
            schedule.unsupported["message without its receive"] += 1
        elif receiver.name in BLOCKING or not posted[dst] or posted[dst][0].begin > receiver.begin:
            receiver.receives.append(transfer)
        else:
            posted[dst].popleft().receives.append(transfer)


COLLECTIVES = {op for op in OPS if op not in ("send", "recv", "ssend", "bsend", "probe", "delay",
                                              "pause", "exit", *ONE_SIDED)}  # fmt: skip
# Calls that begin accesses, by the kind of their events.
ACCESS_CALLS = {
    "put": ("Put", "Rput"),
    "get": ("Get", "Rget"),
    "atomic": ("Accumulate", "Raccumulate", "Get_accumulate", "Rget_accumulate", "Fetch_and_op",
               "Compare_and_swap"),
}  # fmt: skip
ALL_ACCESS_CALLS = {name for names in ACCESS_CALLS.values() for name in names}
# Calls that may have no message, and calls that send none.
WITHOUT_DATA = ("Test", "Send", "Recv", "Ssend", "Bsend", "Comm_", "Iprobe")
BLOCKING = ("Recv", "Sendrecv", "Sendrecv_replace")


def is_one_sided(name: str) -> bool:
    """Whether a call is one on a window."""
    return name.startswith("Win_") or name in ALL_ACCESS_CALLS


def numbers(accesses: list[Access]) -> list[int]:
    return [access.number for access in accesses]


def completes(name: str) -> bool:
    """Whether a call can complete a receive."""
    return name.startswith(("Wait", "Recv", "Sendrecv", "Test", "Mrecv"))


class Reader:
    """Converts the calls of one task."""

    def __init__(self, rank: int, calls: RankCalls, unit: float, *, has_windows: bool = False):
        self.rank, self.calls, self.unit = rank, calls, unit
        # Whether the trace has the accesses of one-sided calls.
        self.has_windows = has_windows
        self.open: list[int] = []
        # By window: receives that its exposure epoch awaits.
        self.exposed: dict[int, list[int]] = {}

    def take(self, calls: list[Call]) -> None:
        end = 0
        for call, following in zip_longest(calls, islice(calls, 1, None)):
            self.calls.compute((call.begin - end) * self.unit)
            end = call.end
            self.one(call)
            if self.has_windows:
                self.count_missing(call, following)
        self.calls.wait(self.open)

    def one(self, call: Call) -> None:
        name = call.name
        if self.has_windows and is_one_sided(name):
            self.one_sided(call)
            return
        nonblocking = name in ("Isend", "Irecv", "Issend", "Ibsend", "Irsend", "Start", "Startall")
        begun = [self.calls.recv(*one[:3], context=one.context) for one in call.receives]
        op = {"Ssend": "ssend", "Issend": "ssend", "Bsend": "bsend", "Ibsend": "bsend"}.get(name)
        begun += [
            self.calls.send(*one[:3], op=op or "send", context=one.context) for one in call.sends
        ]
        awaited = numbers(call.awaits)
        lower = name.lower()
        if name in SILENT:
            pass
        elif call.collectives:
            for op, events in call.collectives:
                self.collective(op, events)
        elif lower in COLLECTIVES:
            self.collective(lower, call.events)
        elif name.startswith("Wait"):
            self.calls.wait([*self.open, *begun, *awaited])
            self.open = []
        elif nonblocking:
            self.open += begun
        elif begun or awaited:
            self.calls.wait([*begun, *awaited])
        elif CREATION.fullmatch(name) or not name.startswith(WITHOUT_DATA):
            self.calls.schedule.unsupported[f"MPI_{name}"] += 1

    def one_sided(self, call: Call) -> None:
        """A call on a window: what it begins, and what it waits for."""
        calls, name = self.calls, call.name
        if not name.startswith("Win_lock"):
            self.begin(call.accesses, unlocks=False)
        if call.awaits:
            calls.wait(numbers(call.awaits))
        for one in call.sends:
            calls.send(*one[:3], op="bsend", context=one.context)
        if name == "Win_post" and call.receives:
            context = call.receives[0].context
            self.exposed[context] = self.receives(call.receives)
        elif call.receives:
            calls.wait(self.receives(call.receives))
        if name.startswith("Win_lock") and call.accesses:
            self.begin(call.accesses, unlocks=False)
            calls.wait(numbers(call.accesses))
        self.begin(call.accesses, unlocks=True)
        for op, events in call.collectives:
            self.collective(op, events)
        for context in sorted(call.closes):
            calls.wait(self.exposed.pop(context, ()))

    def count_missing(self, call: Call, following: Call | None) -> None:
        """Count a call that lacks its collective or its lock. Our timelines have a call that waits
        twice as two, of which the first one ends when the second one begins."""
        name, missing = call.name, ""
        if name in ("Win_fence", "Win_free") and not call.collectives:
            continues = following and (following.name, following.begin) == (name, call.end)
            missing = "" if continues and call.awaits else "its collective"
        elif name.startswith("Win_lock") and not call.accesses:
            missing = "its lock, as with MPI_MODE_NOCHECK or of MPI_PROC_NULL"
        if missing:
            self.calls.schedule.unsupported[f"MPI_{name} without {missing}"] += 1

    def receives(self, transfers: list[Transfer]) -> list[int]:
        return [self.calls.recv(*one[:3], context=one.context) for one in transfers]

    def begin(self, accesses: list[Access], *, unlocks: bool) -> None:
        for access in accesses:
            if (access.op == "unlock") == unlocks:
                access.number = self.calls.access(
                    access.op, access.peer, access.context, access.size, access.back
                )

    def collective(self, op: str, events: dict[int, int]) -> None:
        context = events.get(COMMUNICATOR, 0)
        members = self.calls.schedule.communicators.get(context)
        if members is None:
            context, members = 0, list(range(len(self.calls.schedule.ranks)))
        n = len(members)
        # What a rank sends and receives in all; a root may count its data once per rank.
        size = min(filter(None, (events.get(SENT), events.get(RECEIVED))), default=0)
        if op in ("alltoall", "reduce_scatter_block"):
            size = (events.get(SENT) or size) // n
        elif op == "scatter" and not events.get(RECEIVED):
            size //= n
        if op in ("allgatherv", "alltoallv", "gatherv", "scatterv", "reduce_scatter"):
            # The trace has a rank's total only.
            self.calls.schedule.unsupported[f"lengths of {op}, taken as equal"] += 1
            equal = {"allgatherv": "allgather", "alltoallv": "alltoall", "gatherv": "gather",
                     "scatterv": "scatter", "reduce_scatter": "reduce_scatter_block"}  # fmt: skip
            size = size // n if op in ("alltoallv", "reduce_scatter") else size
            op = equal[op]
        root = events.get(ROOT, 0)
        self.calls.wait([self.calls.collective(op, size, root=root, context=context)])
