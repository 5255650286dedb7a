"""Reads OTF2 archives of MPI programs, as Score-P and `--timeline` write them.

It uses the package `otf2` of the OTF2 project, in a process of its own: on a damaged archive the C
library may end its process. Calls are the regions whose names begin with `MPI_`.
A message belongs to the call in which its event is; a nonblocking receive to the call of its
request, or to the oldest `MPI_Irecv` without a message. The time between calls is computation.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .communicators import Communicators, word_of
from .paraver import (
    COLLECTIVES,
    COMMUNICATOR,
    RECEIVED,
    ROOT,
    SENT,
    SKIPPED,
    Call,
    Reader,
    Transfer,
    assign_receives,
)
from .schedule import Schedule, TraceError
from .windows import Windows

PS_PER_S = 10**12
WANTED = "an OTF2 archive of an MPI program"
SENDS = ("MpiSend", "MpiIsend")
RECEIVES = ("MpiRecv", "MpiIrecv")
# Score-P records the creation of a communicator without its messages (OTF2 3.1, CREATE_HANDLE):
# all ranks then gather a color and a key.
CREATION = "allgather"
COLOR_AND_KEY = 8  # bytes


@dataclass(frozen=True)
class Converted:
    """A record that another process has converted."""

    header: dict[str, Any]
    columns: dict[str, bytes]

    def record(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        return self.header, self.columns


# The library can loop on damaged archives. An intact one is read at more than 1 MB/s.
LEAST_TIME_S, LEAST_RATE = 60.0, 1e5  # bytes per second


def time_limit_s(path: Path) -> float:
    """Time in which an intact archive is read. Its events are in a folder named as its anchor."""
    events = path.with_suffix("").glob("*")
    return LEAST_TIME_S + sum(file.stat().st_size for file in events) / LEAST_RATE


def read(path: Path) -> Converted:
    """The record of an archive. Reading ends after a time that no intact archive needs."""
    with tempfile.TemporaryDirectory(prefix="odonata-otf2-") as folder:
        result = Path(folder) / "record"
        words = [sys.executable, "-m", __name__, os.path.abspath(path), str(result)]
        limit = time_limit_s(path)
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=limit
            )
        except subprocess.TimeoutExpired:
            reason = f"the OTF2 library did not end within {limit:.0f} s"
            raise TraceError(path.name, reason, WANTED) from None
        if done.returncode or not result.exists():
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            reason = lines[-1] if lines else f"the OTF2 library ended with {done.returncode}"
            raise TraceError(path.name, reason, WANTED)
        with result.open("rb") as file:
            found = pickle.load(file)  # written by our own process
    if isinstance(found, tuple) and len(found) == 3:
        raise TraceError(*found)
    return Converted(*found)


def main(path: Path, result: Path) -> None:
    """Write the record of an archive, or its error, to a file."""
    found: Any
    try:
        found = read_here(path).record()
    except TraceError as error:
        found = (error.at, str(error.found), error.wanted)
    with result.open("wb") as file:
        pickle.dump(found, file)


def read_here(path: Path) -> Schedule:
    """The schedule of an archive, read in this process."""
    try:
        otf2 = importlib.import_module("otf2")
    except (ImportError, OSError) as error:
        wanted = "the package otf2: pip install 'odonata[otf2]'"
        raise TraceError(path.name, error, wanted) from None
    try:
        with contextlib.closing(otf2.reader.Reader(str(path))) as trace:
            return convert(trace)
    except TraceError:
        raise
    # The package raises its own errors and those of Python on damaged archives.
    except Exception as error:
        raise TraceError(path.name, str(error) or type(error).__name__, WANTED) from None


def convert(trace: Any) -> Schedule:
    """The schedule of an open archive."""
    unit = PS_PER_S / trace.timer_resolution
    locations = list(trace.definitions.locations)
    masters: dict[Any, Any] = {}
    for location in locations:
        masters.setdefault(location.group, location)
    ranks = {location: rank for rank, location in enumerate(masters.values())}
    schedule = Schedule(len(ranks), "OTF2 trace")
    has_windows = bool(list(trace.definitions.rma_wins))
    if len(locations) > len(ranks):
        others = len(locations) - len(ranks)
        schedule.unsupported["location of a thread or a device"] += others
    reader = Events(schedule, ranks)
    for location, event in trace.events:
        if location in ranks:
            reader.take(ranks[location], event)
    reader.finish()
    if has_windows:
        reader.windows.count_missing(reader.tasks)
    for rank, calls in enumerate(reader.tasks):
        origin = reader.first
        for call in calls:
            call.begin, call.end = call.begin - origin, call.end - origin
        Reader(rank, schedule.ranks[rank], unit, has_windows=has_windows).take(calls)
    return schedule


def is_send(call: Call) -> bool:
    return "send" in call.name.lower() or call.name.startswith("Start")


class Events:
    """Collects the calls of all ranks."""

    def __init__(self, schedule: Schedule, ranks: dict[Any, int]):
        self.schedule = schedule
        self.communicators = Communicators(schedule, ranks)
        self.windows = Windows(schedule, self.communicators)
        self.tasks: list[list[Call]] = [[] for _ in ranks]
        self.inside: dict[int, Call] = {}
        self.depth: dict[int, int] = defaultdict(int)
        self.requests: dict[tuple[int, int], Call] = {}
        self.received: list[tuple[int, int, Transfer]] = []
        self.first = 0
        self.has_begun = False

    def take(self, rank: int, event: Any) -> None:
        kind = type(event).__name__
        if not self.has_begun:
            self.first, self.has_begun = event.time, True
        if kind in ("Enter", "Leave"):
            self.edge(rank, event, kind == "Enter")
        elif self.windows.take(rank, event, self.inside.get(rank)):
            pass
        elif kind in SENDS:
            call, end = self.call(rank, kind), self.end(rank, event, event.receiver)
            if call and end:
                call.sends.append(end)
        elif kind == "MpiIrecvRequest":
            call = self.call(rank, kind)
            if call:
                self.requests[rank, event.request_id] = call
        elif kind in RECEIVES:
            end = self.end(rank, event, event.sender)
            call = self.requests.pop((rank, getattr(event, "request_id", -1)), None)
            if call and end:
                call.receives.append(end)
            elif end:
                self.received.append((rank, event.time, end))
        elif kind == "MpiCollectiveEnd":
            call = self.call(rank, kind)
            if call:
                sizes = event.size_sent, event.size_received
                self.collective(rank, call, event, event.communicator, sizes)
        elif kind == "RmaCollectiveEnd":
            call = self.call(rank, kind)
            if call:
                sizes = event.bytes_sent, event.bytes_received
                self.collective(rank, call, event, event.win.comm, sizes)
        elif kind not in ("MpiCollectiveBegin", "MpiIsendComplete", "RmaCollectiveBegin"):
            self.schedule.unsupported[kind] += 1

    def edge(self, rank: int, event: Any, enters: bool) -> None:
        """A rank enters or leaves a region; those within an MPI call belong to it."""
        name = event.region.name
        if not enters:
            if self.depth[rank]:
                self.depth[rank] -= 1
                if not self.depth[rank]:
                    self.inside.pop(rank).end = event.time
        elif self.depth[rank]:
            self.depth[rank] += 1
        elif name.startswith("MPI_"):
            self.depth[rank] = 1
            call = Call(name.removeprefix("MPI_").removesuffix("_c"), event.time)
            self.inside[rank] = call
            self.tasks[rank].append(call)

    def call(self, rank: int, kind: str) -> Call | None:
        found = self.inside.get(rank)
        if kind in SENDS and (found is None or not is_send(found)):
            # It departs after its nonblocking call.
            before = reversed(self.tasks[rank])
            found = next((call for call in before if is_send(call)), found)
        if found is None:
            self.schedule.unsupported[f"{kind} outside MPI"] += 1
        return found

    def end(self, rank: int, event: Any, peer: int) -> Transfer | None:
        """This rank's end of a message with rank `peer` of the event's communicator."""
        found = self.communicators.of(event.communicator, rank)
        if found is None or not 0 <= peer < len(found[1]):
            self.schedule.unsupported["message of a communicator without its members"] += 1
            return None
        context, members = found
        return Transfer(members[peer], event.msg_tag, event.msg_length, context)

    def collective(
        self, rank: int, call: Call, event: Any, communicator: Any, sizes: tuple[int, int]
    ) -> None:
        """Adds a collective to a call: its communicator, sizes, and root in the communicator."""
        found = self.communicators.of(communicator, rank)
        if found is None:
            self.schedule.unsupported["collective of a communicator without its members"] += 1
            call.name = SKIPPED
            return
        context, members = found
        size, received = sizes
        name = call.name.lower()
        if name not in COLLECTIVES:
            # A function that contains a collective, such as MPI_Comm_split.
            name = word_of(event.collective_op).lower()
            if name.startswith("create_handle"):
                name, size = CREATION, size or COLOR_AND_KEY
            elif name.startswith("destroy_handle") and call.name == "Win_free":
                name = "barrier"
        if name not in COLLECTIVES:
            call.name = SKIPPED
            return
        events = {SENT: size, RECEIVED: received, COMMUNICATOR: context}
        root = getattr(event.root, "value", event.root)
        if isinstance(root, int) and 0 <= root < len(members):
            events[ROOT] = root
        call.collectives.append((name, events))

    def finish(self) -> None:
        for rank, call in self.inside.items():
            raise TraceError(f"rank {rank}", f"MPI_{call.name} does not end", "a complete trace")
        self.windows.assign(self.tasks)
        assign_receives(self.schedule, self.tasks, self.received)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
