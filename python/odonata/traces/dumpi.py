"""Reads DUMPI traces in their text form, as `dumpi2ascii` of SST DUMPI writes them.

There is one file per rank, whose name ends in the rank's number. A call is a line `MPI_Send
entering at walltime 1.5, ...`, its arguments (`int count=100`), and a line `MPI_Send returning at
walltime 1.6, ...`. The wall time between two calls is computation.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..files import MOST_DATA, opened
from .dumpi_call import Call
from .dumpi_windows import RETURN_GROUPS, RankWindows, Windows
from .schedule import ANY, ANY_TAG, RankCalls, Schedule, TraceError

EDGE = re.compile(r"(MPI_\w+) (entering|returning) at walltime (\d+\.?\d*)\b.*")
ARGUMENT = re.compile(r"[\w ]+? (\w+)(?:\[(\d*)\])?=(.*)")
RANK = re.compile(r"(.*?)(\d+)(\.\w+)?")
ENTERING = " entering at walltime "
# Bytes of the predefined datatypes; the number of a datatype is not the same in all versions.
SIZES = {
    "MPI_CHAR": 1, "MPI_SIGNED_CHAR": 1, "MPI_UNSIGNED_CHAR": 1, "MPI_BYTE": 1, "MPI_PACKED": 1,
    "MPI_CHARACTER": 1, "MPI_WCHAR": 4, "MPI_SHORT": 2, "MPI_UNSIGNED_SHORT": 2, "MPI_INT": 4,
    "MPI_UNSIGNED": 4, "MPI_INTEGER": 4, "MPI_LOGICAL": 4, "MPI_LONG": 8, "MPI_UNSIGNED_LONG": 8,
    "MPI_LONG_LONG_INT": 8, "MPI_LONG_LONG": 8, "MPI_UNSIGNED_LONG_LONG": 8, "MPI_FLOAT": 4,
    "MPI_REAL": 4, "MPI_DOUBLE": 8, "MPI_DOUBLE_PRECISION": 8, "MPI_LONG_DOUBLE": 16,
    "MPI_COMPLEX": 8, "MPI_DOUBLE_COMPLEX": 16, "MPI_2INT": 8, "MPI_DOUBLE_INT": 12,
    "MPI_FLOAT_INT": 8, "MPI_REAL8": 8, "MPI_INTEGER4": 4, "MPI_INTEGER8": 8, "MPI_REAL4": 4,
}  # fmt: skip
ANY_SOURCES, ANY_TAGS = {"MPI_ANY_SOURCE", "-1"}, {"MPI_ANY_TAG", "-1"}
WORLD, SELF = "MPI_COMM_WORLD", "MPI_COMM_SELF"
# Calls that move nothing; their time is not charged.
SILENT = re.compile(
    r"MPI_(Init|Init_thread|Initialized|Finalized|Comm_(rank|size|free|set_\w+|get_\w+)"
    r"|Type_\w+|Op_\w+|Get_\w+|Wtime|Wtick|Errhandler_\w+|Attr_\w+|Keyval_\w+"
    r"|Pcontrol|Info_\w+|Cart_\w+|Dims_create|Address|Query_thread|Request_free)"
)
PS = 10**12


def is_trace(head: str) -> bool:
    """Whether a file with this beginning is such a trace."""
    return ENTERING in head and any(EDGE.fullmatch(line) for line in head.splitlines())


def files_of(path: Path) -> list[Path]:
    """The files of all ranks, in their order: of a directory, or beside one of them."""
    match = RANK.fullmatch(path.name)
    place, pattern = (path, None) if path.is_dir() else (path.parent, match)
    found: dict[int, Path] = {}
    for file in sorted(place.iterdir()):
        of = RANK.fullmatch(file.name)
        if not of or not file.is_file():
            continue
        if pattern is None or (of[1], of[3]) == (pattern[1], pattern[3]):
            if int(of[2]) in found:
                raise TraceError(str(place), file.name, "one file per rank")
            found[int(of[2])] = file
    if not found:
        return [path]
    for rank in range(len(found)):
        if rank not in found:
            wanted = "a file of each rank from 0 on, such as `dumpi-0000.txt`"
            raise TraceError(str(place), f"no file of rank {rank}", wanted)
    return [found[rank] for rank in range(len(found))]


def read(path: Path) -> Schedule:
    """The schedule of a trace."""
    files = files_of(path)
    schedule = Schedule(len(files), "DUMPI trace")
    communicators = Communicators(schedule)
    windows = Windows(schedule)
    readers = [
        Reader(rank, calls, communicators, windows) for rank, calls in enumerate(schedule.ranks)
    ]
    for reader, file in zip(readers, files, strict=True):
        for call in calls_of(file):
            reader.splits(call)
    communicators.complete()
    for reader, file in zip(readers, files, strict=True):
        for call in calls_of(file):
            try:
                reader.take(call)
            except (KeyError, ValueError, IndexError, OverflowError):
                raise TraceError(call.at, call.name, f"the arguments of {call.name}") from None
            except TraceError as error:
                found = f"{error.at} {error.found}"
                raise TraceError(call.at, found, error.wanted) from None
    return schedule


def calls_of(file: Path) -> Iterator[Call]:
    """The calls in a file, in their order."""
    try:
        stream = opened(file, MOST_DATA)
    except OSError as error:
        raise TraceError(str(file), error, "a readable file") from None
    call: Call | None = None
    with stream:
        for number, raw in enumerate(stream, 1):
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            edge = EDGE.fullmatch(line)
            at = f"{file.name}, line {number}"
            if edge and edge[2] == "entering":
                if call is not None:
                    raise TraceError(at, line, f"the return of {call.name} before it")
                call = Call(at, edge[1], float(edge[3]))
            elif edge:
                if call is None or call.name != edge[1]:
                    raise TraceError(at, line, f"{edge[1]} entering before it returns")
                call.returned = float(edge[3])
                if call.returned < call.entered:
                    raise TraceError(at, line, "a return after the call")
                yield call
                call = None
            elif call is not None and (argument := ARGUMENT.fullmatch(line)):
                call.arguments[argument[1]] = argument[3]
    if call is not None:
        raise TraceError(str(file), f"{call.name} does not return", "a complete file")


class Communicators:
    """The communicators of all ranks: their members follow from the calls of all ranks."""

    def __init__(self, schedule: Schedule):
        self.schedule = schedule
        self.world = list(range(len(schedule.ranks)))
        # By rank and name: number of the communicator.
        self.contexts: list[dict[str, int]] = [{} for _ in schedule.ranks]
        # By old communicator and number of its split: color, key, rank and new name.
        self.pending: dict[tuple[int, int], list[tuple[int, int, int, str]]] = defaultdict(list)
        self.rounds: list[dict[int, int]] = [defaultdict(int) for _ in schedule.ranks]

    def context(self, rank: int, name: str) -> int:
        if name == WORLD:
            return 0
        found = self.contexts[rank].get(name)
        if found is None:
            wanted = "MPI_COMM_WORLD, or the result of MPI_Comm_split or MPI_Comm_dup of it"
            raise TraceError("communicator", name, wanted)
        return found

    def members(self, context: int) -> list[int]:
        if context == 0:
            return self.world
        return self.schedule.communicators[context]

    def join(self, rank: int, old: str, color: int, key: int, new: str) -> None:
        """A rank calls `MPI_Comm_split` of the world."""
        if old != WORLD:
            return  # Uses of `new` are refused.
        nth = self.rounds[rank][0]
        self.rounds[rank][0] += 1
        self.pending[0, nth].append((color, key, rank, new))

    def complete(self) -> None:
        context = 0
        for _, all_joined in sorted(self.pending.items()):
            groups: dict[int, list[tuple[int, int, int, str]]] = defaultdict(list)
            for one in all_joined:
                if one[0] >= 0:
                    groups[one[0]].append(one)
            for _, group in sorted(groups.items()):
                context += 1
                group.sort(key=lambda one: one[1:3])
                self.schedule.communicators[context] = [rank for _, _, rank, _ in group]
                for _, _, rank, name in group:
                    self.contexts[rank][name] = context


class Reader:
    """Converts the calls of one rank."""

    def __init__(self, rank: int, calls: RankCalls, communicators: Communicators, windows: Windows):
        self.rank, self.calls, self.communicators = rank, calls, communicators
        self.windows = RankWindows(rank, calls, windows)
        self.requests: dict[int, int] = {}
        self.returned: float | None = None

    def splits(self, call: Call) -> None:
        """Collects the members of communicators."""
        try:
            if call.name == "MPI_Comm_split":
                self.communicators.join(
                    self.rank, call.name_of("oldcomm", "comm"), call.number("color"),
                    call.number("key"), call.name_of("newcomm"),
                )  # fmt: skip
            elif call.name == "MPI_Comm_dup":
                old = call.name_of("oldcomm", "comm")
                self.communicators.join(self.rank, old, 0, self.rank, call.name_of("newcomm"))
        except (KeyError, ValueError):
            raise TraceError(call.at, call.name, "the arguments of the call") from None

    def take(self, call: Call) -> None:
        if self.returned is not None:
            self.calls.compute(max(call.entered - self.returned, 0.0) * PS)
        self.returned = call.returned
        name = call.name.removeprefix("MPI_")
        if name in RETURN_GROUPS or name.startswith("Group_"):
            members = self.known_members(call) if name == "Comm_group" else None
            self.windows.take_group(name, call, members)
            return
        if SILENT.fullmatch(call.name):
            return
        if name in ("Comm_split", "Comm_dup"):
            context = self.communicators.context(self.rank, call.name_of("oldcomm", "comm"))
            self.calls.wait([self.calls.collective("allgather", 8, context=context)])
        elif name == "Finalize":
            self.calls.end()
        elif name == "Win_create":
            self.windows.create(call, *self.context(call))
        elif self.windows.take(name, call, self.accessed(name, call)):
            pass
        elif self.message(name, call) or self.completion(name, call) or self.collective(name, call):
            pass
        else:
            self.calls.schedule.unsupported[call.name] += 1

    def size(self, call: Call, count: str, kind: str) -> int:
        return call.number(count) * self.width(call, kind)

    def width(self, call: Call, kind: str) -> int:
        name = call.name_of(kind)
        if name not in SIZES:
            # A derived datatype: the text form has no layout.
            self.calls.schedule.unsupported[f"size of datatype {name}, taken as 8 B"] += 1
        return SIZES.get(name, 8)

    def accessed(self, name: str, call: Call) -> int:
        """Bytes of an access; 0 of other calls."""
        is_access = name in ("Put", "Get", "Accumulate")
        return self.size(call, "origincount", "origintype") if is_access else 0

    def context(self, call: Call) -> tuple[int, list[int]]:
        context = self.communicators.context(self.rank, call.name_of("comm"))
        return context, self.communicators.members(context)

    def known_members(self, call: Call) -> Sequence[int] | None:
        """The members of the call's communicator; None if they are unknown."""
        name = call.name_of("comm")
        try:
            return [self.rank] if name == SELF else self.context(call)[1]
        except TraceError:
            return None

    def sent(self, call: Call, op: str, names: tuple[str, str, str, str]) -> int | None:
        count, kind, dest, tag = names
        context, members = self.context(call)
        peer = call.number(dest)
        if peer < 0:  # MPI_PROC_NULL
            return None
        return self.calls.send(members[peer], call.number(tag), self.size(call, count, kind),
                               op=op, context=context)  # fmt: skip

    def received(self, call: Call, names: tuple[str, str, str, str]) -> int | None:
        count, kind, source, tag = names
        context, members = self.context(call)
        word = call.name_of(source)
        if word in ANY_SOURCES:
            peer = ANY
        elif call.number(source) < 0:
            return None
        else:
            peer = members[call.number(source)]
        label = call.name_of(tag)
        number = ANY_TAG if label in ANY_TAGS else call.number(tag)
        return self.calls.recv(peer, number, self.size(call, count, kind), context=context)

    def message(self, name: str, call: Call) -> bool:
        send, recv = ("count", "datatype", "dest", "tag"), ("count", "datatype", "source", "tag")
        kinds = {"s": "ssend", "b": "bsend", "r": "send", "": "send"}
        if match := re.fullmatch(r"(I?)([sbr]?)send", name, re.IGNORECASE):
            one = self.sent(call, kinds[match[2].lower()], send)
            self.begun(call, one, is_blocking=not match[1])
        elif name in ("Recv", "Irecv"):
            self.begun(call, self.received(call, recv), is_blocking=name == "Recv")
        elif name in ("Sendrecv", "Sendrecv_replace"):
            one_size = name == "Sendrecv_replace"
            out = ("count", "datatype") if one_size else ("sendcount", "sendtype")
            back = ("count", "datatype") if one_size else ("recvcount", "recvtype")
            both = (self.sent(call, "send", (*out, "dest", "sendtag")),
                    self.received(call, (*back, "source", "recvtag")))  # fmt: skip
            self.calls.wait([one for one in both if one is not None])
        else:
            return False
        return True

    def begun(self, call: Call, one: int | None, is_blocking: bool) -> None:
        if is_blocking:
            if one is not None:
                self.calls.wait([one])
        elif one is not None:
            self.requests[call.number("request")] = one

    def completion(self, name: str, call: Call) -> bool:
        if name in ("Wait", "Waitall"):
            wanted = [call.number("request")] if name == "Wait" else call.numbers("requests")
        elif name == "Waitany":
            requests, index = call.numbers("requests"), call.number("index")
            wanted = [requests[index]] if 0 <= index < len(requests) else []
        elif name == "Waitsome":
            requests = call.numbers("requests")
            wanted = [requests[index] for index in call.numbers("indices")]
        elif name in ("Test", "Testall"):
            done = call.number("flag") != 0
            wanted = [call.number("request")] if name == "Test" else call.numbers("requests")
            wanted = wanted if done else []
        else:
            return False
        found = [self.requests.pop(one) for one in wanted if one in self.requests]
        if found:
            self.calls.wait(found)
        return True

    def collective(self, name: str, call: Call) -> bool:
        if name in ("Gatherv", "Scatterv"):
            self.ragged(call, name == "Gatherv")
            return True
        if name not in COLLECTIVES:
            return False
        op = COLLECTIVES[name]
        context, members = self.context(call)
        how: dict[str, Any] = {"context": context}
        size = 0
        if op in ("bcast", "reduce", "allreduce", "scan", "exscan"):
            size, how["grain"] = self.size(call, "count", "datatype"), self.width(call, "datatype")
        elif op == "reduce_scatter":
            how["grain"] = self.width(call, "datatype")
            how["lengths"] = [n * how["grain"] for n in call.numbers("recvcounts")]
        elif op in ("allgather", "alltoall", "gather"):
            size = self.size(call, "sendcount", "sendtype")
        elif op == "scatter":
            size = self.size(call, "recvcount", "recvtype")
        elif op == "allgatherv":
            how["lengths"] = self.lengths(call, "recvcounts", "recvtype", len(members))
        elif op == "alltoallv":
            sent = self.lengths(call, "sendcounts", "sendtype", len(members))
            how["lengths"] = sent + self.lengths(call, "recvcounts", "recvtype", len(members))
        if op in ("bcast", "reduce", "gather", "scatter"):
            how["root"] = call.number("root")
            if not 0 <= how["root"] < len(members):
                raise TraceError("root", how["root"], f"a rank below {len(members)}")
        self.calls.wait([self.calls.collective(op, size, **how)])
        return True

    def ragged(self, call: Call, is_gather: bool) -> None:
        """`MPI_Gatherv` or `MPI_Scatterv`: only the root has all lengths, so it becomes messages
        between the root and the others."""
        context, members = self.context(call)
        root = members[call.number("root")]
        context |= LIBRARY
        if self.rank != root:
            names = ("sendcount", "sendtype") if is_gather else ("recvcount", "recvtype")
            size = self.size(call, *names)
            one = (self.calls.send(root, 0, size, context=context) if is_gather
                   else self.calls.recv(root, 0, size, context=context))  # fmt: skip
            self.calls.wait([one])
            return
        names = ("recvcounts", "recvtype") if is_gather else ("sendcounts", "sendtype")
        lengths = self.lengths(call, *names, len(members))
        move = self.calls.recv if is_gather else self.calls.send
        others = [pair for pair in zip(members, lengths, strict=True) if pair[0] != root]
        self.calls.wait([move(peer, 0, size, context=context) for peer, size in others])

    def lengths(self, call: Call, counts: str, kind: str, n: int) -> list[int]:
        """Lengths of `n` blocks."""
        found = call.numbers(counts)
        if len(found) != n:
            raise TraceError(counts, len(found), f"{n} numbers")
        width = self.width(call, kind)
        return [one * width for one in found]


# Context of messages of the MPI library itself.
LIBRARY = 1 << 30
COLLECTIVES = {
    "Barrier": "barrier", "Bcast": "bcast", "Reduce": "reduce", "Allreduce": "allreduce",
    "Allgather": "allgather", "Allgatherv": "allgatherv", "Alltoall": "alltoall",
    "Alltoallv": "alltoallv", "Gather": "gather", "Scatter": "scatter",
    "Reduce_scatter": "reduce_scatter", "Scan": "scan", "Exscan": "exscan",
}  # fmt: skip
