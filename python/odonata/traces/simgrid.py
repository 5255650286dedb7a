"""Reads SimGrid's time-independent traces, as SMPI writes and replays them.

A line is `RANK ACTION ARGUMENTS`. One file has the actions of all ranks, or a list of files, one
per rank. Actions and arguments are those of SimGrid's `src/smpi/internals/smpi_replay.cpp`; sizes
are numbers of elements of a datatype. Computation is in flops, at one flop per nanosecond.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..files import read_text
from .schedule import ANY, ANY_TAG, RankCalls, Schedule, TraceError

# Bytes of SimGrid's datatypes by number (`smpi_datatype.cpp`).
SIZES = dict(enumerate((
    8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8,
)))  # fmt: skip
DOUBLE, BYTE = 0, 6
PS_PER_FLOP = 1000
LINE = re.compile(r"p?(\d{1,9})\s+([A-Za-z_]+)\s*(.*)")
WANTED = "RANK ACTION ARGUMENTS, an action of SimGrid"
IGNORED = {"init", "comm_size", "location"}


def is_trace(head: str, path: Path) -> bool:
    """Whether a file with this beginning may be such a trace, or a list of them."""
    for line in head.splitlines()[:50]:
        words = line.partition("#")[0].strip()
        if words:
            match = LINE.fullmatch(words)
            if match:
                return match[2].lower() in ACTIONS or match[2].lower() in IGNORED
            return is_listed(words, path)
    return False


def is_listed(words: str, path: Path) -> bool:
    try:
        return bool(words) and (path.parent / words).is_file()
    except (OSError, ValueError):
        return False


def read(path: Path) -> Schedule:
    """The schedule of a trace."""
    text = read_text(path)
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    named = [line for line in lines if line]
    if named and not LINE.fullmatch(named[0]) and is_listed(named[0], path):
        actions: list[tuple[str, int, str]] = []
        for name in named:
            actions += numbered(path.parent / name)
    else:
        actions = [(f"line {n}", n, line) for n, line in enumerate(lines, 1) if line]
    by_rank: dict[int, list[tuple[str, str, list[str]]]] = defaultdict(list)
    for at, _, line in actions:
        match = LINE.fullmatch(line)
        if not match:
            raise TraceError(at, line, WANTED)
        by_rank[int(match[1])].append((at, match[2].lower(), match[3].split()))
    ranks = max(by_rank, default=-1) + 1
    if ranks != len(by_rank):
        missing = next(rank for rank in range(ranks) if rank not in by_rank)
        raise TraceError("ranks", f"nothing of rank {missing}", "actions of each rank from 0 on")
    schedule = Schedule(ranks, "SimGrid time-independent trace")
    for rank, calls in enumerate(schedule.ranks):
        reader = Reader(rank, calls)
        for at, action, words in by_rank[rank]:
            try:
                reader.take(action, words)
            except (ValueError, IndexError, OverflowError):
                found = " ".join([action, *words])
                raise TraceError(at, found, f"the arguments of `{action}`") from None
            except TraceError as error:
                raise TraceError(at, f"{error.at} {error.found}", error.wanted) from None
    schedule.notes.append("computation: 1 flop is 1 ns; --compute FACTOR scales it")
    return schedule


def numbered(path: Path) -> Iterator[tuple[str, int, str]]:
    """The lines of one of several files."""
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        raise TraceError(str(path), error, "a readable file of actions") from None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].strip()
        if words:
            yield f"{path.name}, line {number}", number, words


class Reader:
    """Converts the actions of one rank."""

    def __init__(self, rank: int, calls: RankCalls):
        self.rank, self.calls = rank, calls
        self.default = BYTE
        self.requests: dict[tuple[int, int, int], deque[int]] = defaultdict(deque)
        self.last: list[tuple[int, int, int]] = []

    @property
    def size(self) -> int:
        return len(self.calls.schedule.ranks)

    def take(self, action: str, words: Sequence[str]) -> None:
        if action == "init":
            # SMPI: an argument selects doubles, for traces of older versions.
            self.default = DOUBLE if words else BYTE
        elif action in IGNORED:
            pass
        elif action in ACTIONS:
            ACTIONS[action](self, words)
        else:
            self.calls.schedule.unsupported[action] += 1

    def bytes_of(self, words: Sequence[str], size: int, kind: int) -> int:
        """The size at one place and the datatype at another, in bytes."""
        return int(float(words[size]) * self.width(words, kind))

    def width(self, words: Sequence[str], kind: int) -> int:
        number = int(words[kind]) if len(words) > kind else self.default
        if number not in SIZES:
            raise TraceError("datatype", number, "a predefined datatype of SimGrid")
        return SIZES[number]

    def message(self, words: Sequence[str]) -> tuple[int, int, int]:
        """Peer, tag and bytes: `PEER TAG SIZE [TYPE]`, or `PEER SIZE` in older traces."""
        if len(words) == 2:
            words = [words[0], "0", words[1]]
        return int(words[0]), int(words[1]), self.bytes_of(words, 2, 3)

    def send(self, words: Sequence[str]) -> None:
        peer, tag, size = self.message(words)
        self.calls.wait([self.calls.send(peer, max(tag, 0), size)])

    def isend(self, words: Sequence[str]) -> None:
        peer, tag, size = self.message(words)
        self.add((self.rank, peer, tag), self.calls.send(peer, max(tag, 0), size))

    def received(self, words: Sequence[str]) -> tuple[tuple[int, int, int], int]:
        peer, tag, size = self.message(words)
        source = ANY if peer < 0 else peer
        # A receive matches messages that are shorter, so an absent size is no limit.
        return (peer, self.rank, tag), self.calls.recv(source, ANY_TAG if tag < 0 else tag, size)

    def recv(self, words: Sequence[str]) -> None:
        self.calls.wait([self.received(words)[1]])

    def irecv(self, words: Sequence[str]) -> None:
        self.add(*self.received(words))

    def add(self, key: tuple[int, int, int], call: int) -> None:
        self.requests[key].append(call)
        self.last.append(key)

    def wait(self, words: Sequence[str]) -> None:
        """`SOURCE DESTINATION TAG`, or the last request in older traces."""
        if words:
            key = int(words[0]), int(words[1]), int(words[2])
        elif self.last:
            key = self.last[-1]
        else:
            raise TraceError("wait", "no request", "isend or irecv before it")
        if self.requests[key]:
            self.last.remove(key)
            self.calls.wait([self.requests[key].popleft()])

    def waitall(self, words: Sequence[str]) -> None:
        self.calls.wait([call for calls in self.requests.values() for call in calls])
        self.requests.clear()
        self.last.clear()

    def sendrecv(self, words: Sequence[str]) -> None:
        """`SEND_SIZE DESTINATION RECEIVE_SIZE SOURCE [TYPE TYPE]`."""
        sent = self.calls.send(int(words[1]), 0, self.bytes_of(words, 0, 4))
        source = int(words[3])
        got = self.calls.recv(ANY if source < 0 else source, 0, self.bytes_of(words, 2, 5))
        self.calls.wait([sent, got])

    def compute(self, words: Sequence[str]) -> None:
        self.calls.compute(float(words[0]) * PS_PER_FLOP)

    def sleep(self, words: Sequence[str]) -> None:
        self.calls.compute(float(words[0]) * 1e12)

    def finalize(self, words: Sequence[str]) -> None:
        self.calls.end()

    def collective(self, op: str, size: int = 0, **how: object) -> None:
        self.calls.wait([self.calls.collective(op, size, **how)])  # type: ignore[arg-type]

    def barrier(self, words: Sequence[str]) -> None:
        self.collective("barrier")

    def bcast(self, words: Sequence[str]) -> None:
        self.collective("bcast", self.bytes_of(words, 0, 2), root=self.root(words, 1))

    def root(self, words: Sequence[str], at: int) -> int:
        root = int(words[at]) if len(words) > at else 0
        self.calls.check_peer(root)
        return root

    def reduce(self, words: Sequence[str]) -> None:
        size = self.bytes_of(words, 0, 3)
        self.calls.compute(float(words[1]) * PS_PER_FLOP)
        self.collective("reduce", size, root=self.root(words, 2), grain=self.width(words, 3))

    def alltoall(self, words: Sequence[str]) -> None:
        self.collective("alltoall", self.bytes_of(words, 0, 2))

    def allgather(self, words: Sequence[str]) -> None:
        self.collective("allgather", self.bytes_of(words, 0, 2))

    def gather(self, words: Sequence[str]) -> None:
        self.collective("gather", self.bytes_of(words, 0, 3), root=self.root(words, 2))

    def scatter(self, words: Sequence[str]) -> None:
        self.collective("scatter", self.bytes_of(words, 1, 4), root=self.root(words, 2))

    def numbers(self, words: Sequence[str], first: int, width: int) -> list[int]:
        found = words[first : first + self.size]
        if len(found) < self.size:
            raise IndexError
        return [int(float(word)) * width for word in found]

    def allgatherv(self, words: Sequence[str]) -> None:
        width = self.width(words, 1 + self.size)
        self.collective("allgatherv", lengths=self.numbers(words, 1, width))

    def gatherv(self, words: Sequence[str]) -> None:
        width = self.width(words, 2 + self.size)
        lengths = self.numbers(words, 1, width)
        self.collective("gatherv", lengths=lengths, root=self.root(words, 1 + self.size))

    def scatterv(self, words: Sequence[str]) -> None:
        width = self.width(words, 2 + self.size)
        lengths = self.numbers(words, 0, width)
        self.collective("scatterv", lengths=lengths, root=self.root(words, 1 + self.size))

    def alltoallv(self, words: Sequence[str]) -> None:
        n = self.size
        sent = self.numbers(words, 1, self.width(words, 2 + 2 * n))
        got = self.numbers(words, 2 + n, self.width(words, 3 + 2 * n))
        self.collective("alltoallv", lengths=[*sent, *got])

    def reducescatter(self, words: Sequence[str]) -> None:
        width = self.width(words, self.size + 1)
        lengths = self.numbers(words, 0, width)
        self.calls.compute(float(words[self.size]) * PS_PER_FLOP)
        self.collective("reduce_scatter", grain=width, lengths=lengths)


def reducing(op: str) -> Callable[[Reader, Sequence[str]], None]:
    """The reader of a reduction without a root: `SIZE FLOPS [TYPE]`."""

    def take(reader: Reader, words: Sequence[str]) -> None:
        size = reader.bytes_of(words, 0, 2)
        reader.calls.compute(float(words[1]) * PS_PER_FLOP)
        reader.collective(op, size, grain=reader.width(words, 2))

    return take


ACTIONS: dict[str, Callable[[Reader, Sequence[str]], None]] = {
    "send": Reader.send, "isend": Reader.isend, "recv": Reader.recv, "irecv": Reader.irecv,
    "wait": Reader.wait, "waitall": Reader.waitall, "sendrecv": Reader.sendrecv,
    "compute": Reader.compute, "sleep": Reader.sleep, "finalize": Reader.finalize,
    "barrier": Reader.barrier, "bcast": Reader.bcast, "reduce": Reader.reduce,
    "allreduce": reducing("allreduce"), "scan": reducing("scan"),
    "exscan": reducing("exscan"), "alltoall": Reader.alltoall,
    "allgather": Reader.allgather, "gather": Reader.gather, "scatter": Reader.scatter,
    "allgatherv": Reader.allgatherv, "gatherv": Reader.gatherv, "scatterv": Reader.scatterv,
    "alltoallv": Reader.alltoallv, "reducescatter": Reader.reducescatter,
}  # fmt: skip
