"""One-sided communication of DUMPI traces: windows, their epochs and their groups.

A window has the number of a communicator. All ranks create the windows of a communicator in one
order, so the n-th one of each rank is the same window.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..timelines.otf2 import COMPLETED, LIBRARY_MESSAGES, POSTED
from .dumpi_call import Call
from .schedule import MOST_CALLS, RankCalls, Schedule, TraceError

KEYS = 8  # bytes that a rank gathers from each other one when a window is created
RETURN_GROUPS = ("Comm_group", "Comm_remote_group", "File_get_group", "Win_get_group")
EMPTY = "MPI_GROUP_EMPTY"
SILENT = ("Win_set_name", "Win_get_name", "Win_get_attr", "Win_set_attr")


class Windows:
    """The windows of all ranks."""

    def __init__(self, schedule: Schedule):
        self.schedule = schedule
        self.numbers: dict[tuple[int, int], int] = {}
        self.created: dict[tuple[int, int], int] = defaultdict(int)
        # Ranks of all windows: each window has its own list in the record.
        self.members = 0

    def create(self, rank: int, context: int, members: list[int]) -> int:
        """The number of the window that a rank creates next on a communicator."""
        nth = self.created[rank, context]
        self.created[rank, context] += 1
        if (context, nth) not in self.numbers:
            self.members += len(members)
            if self.members > MOST_CALLS:
                found = f"more than {MOST_CALLS:,} ranks of all windows"
                raise TraceError("windows", found, "a shorter trace")
            number = len(self.schedule.communicators) + 1
            self.numbers[context, nth] = number
            self.schedule.communicators[number] = members
        return self.numbers[context, nth]


@dataclass
class Window:
    """A window of one rank."""

    number: int
    members: Sequence[int]
    # Targets and calls of accesses that no call has waited for.
    pending: list[tuple[int, int]] = field(default_factory=list)
    # Targets whose locks are held, except those that the program assumes.
    locked: set[int] = field(default_factory=set)
    # Of the epoch since the last start, and of that since the last post.
    targets: Sequence[int] = ()
    awaited: Sequence[int] = ()


class RankWindows:
    """Converts the one-sided calls of one rank."""

    def __init__(self, rank: int, calls: RankCalls, windows: Windows):
        self.rank, self.calls, self.all = rank, calls, windows
        self.windows: dict[str, Window] = {}
        self.groups: dict[str, Sequence[int]] = {}

    def of(self, call: Call) -> Window:
        name = call.name_of("win")
        if name not in self.windows:
            raise TraceError("window", name, "a window that MPI_Win_create has created")
        return self.windows[name]

    def group(self, call: Call) -> Sequence[int]:
        found = self.group_of(call)
        if found is None:
            wanted = "a group of a communicator or window, or a part of one by MPI_Group_incl"
            raise TraceError("group", call.name_of("group"), wanted)
        return found

    def group_of(self, call: Call) -> Sequence[int] | None:
        """The members of the call's group; None if they are unknown."""
        name = call.name_of("group")
        return () if name == EMPTY else self.groups.get(name)

    def take_group(self, name: str, call: Call, members: Sequence[int] | None) -> None:
        """A call that returns or frees a group; `members` are those of its communicator. A group
        of unknown members is forgotten: its uses are refused."""
        if name.startswith("Group_") and "newgroup" in call.arguments:
            self.define(call.name_of("newgroup"), self.part(name, call))
        elif name == "Win_get_group":
            window = self.windows.get(call.name_of("win"))
            self.define(call.name_of("group"), window.members if window else None)
        elif name in (*RETURN_GROUPS, "Group_free") and "group" in call.arguments:
            self.define(call.name_of("group"), members)

    def define(self, group: str, members: Sequence[int] | None) -> None:
        if members is None:
            self.groups.pop(group, None)
        else:
            self.groups[group] = members

    def part(self, name: str, call: Call) -> Sequence[int] | None:
        """The members of the new group of a call on groups, if they are known."""
        if name not in ("Group_incl", "Group_excl"):
            return None
        old, ranks = self.group_of(call), call.numbers("ranks")
        if old is None or not all(0 <= rank < len(old) for rank in ranks):
            return None
        if name == "Group_incl":
            return [old[rank] for rank in ranks]
        excluded = set(ranks)
        return [member for rank, member in enumerate(old) if rank not in excluded]

    def take(self, name: str, call: Call, size: int) -> bool:
        """Whether it is a one-sided call; `size` are the bytes of an access."""
        if name in ("Put", "Get", "Accumulate"):
            self.access(name, call, size)
        elif name == "Win_fence":
            window = self.of(call)
            self.flush(window)
            self.barrier(window)
        elif name == "Win_free":
            window = self.of(call)
            self.flush(window)
            self.barrier(window)
            del self.windows[call.name_of("win")]
        elif name in ("Win_lock", "Win_unlock"):
            self.lock(name, call)
        elif name in ("Win_post", "Win_start", "Win_complete", "Win_wait", "Win_test"):
            self.epoch(name, call)
        else:
            return name in SILENT
        return True

    def create(self, call: Call, context: int, members: list[int]) -> None:
        number = self.all.create(self.rank, context, members)
        self.windows[call.name_of("win")] = Window(number, members)
        self.calls.wait([self.calls.collective("allgather", KEYS, context=context)])

    def barrier(self, window: Window) -> None:
        self.calls.wait([self.calls.collective("barrier", context=window.number)])

    def flush(self, window: Window, target: int | None = None) -> None:
        """Wait for the accesses of a window, or for those of one target."""
        found = [one for to, one in window.pending if target in (None, to)]
        window.pending = [one for one in window.pending if target not in (None, one[0])]
        if found:
            self.calls.wait(found)

    def access(self, name: str, call: Call, size: int) -> None:
        window, target = self.of(call), call.number("targetrank")
        if target < 0 or size == 0:  # MPI_PROC_NULL
            return
        out, back = (0, size) if name == "Get" else (size, 0)
        op = "atomic" if name == "Accumulate" else "access"
        one = self.calls.access(op, window.members[target], window.number, out, back)
        window.pending.append((target, one))

    def lock(self, name: str, call: Call) -> None:
        window, target = self.of(call), call.number("winrank")
        if target < 0:
            return
        peer = window.members[target]
        if name == "Win_unlock":
            self.flush(window, target)
            if target in window.locked:
                window.locked.remove(target)
                self.calls.access("unlock", peer, window.number)
        elif "NOCHECK" not in call.word("assertion"):
            op = "lock_shared" if "SHARED" in call.word("locktype") else "lock"
            window.locked.add(target)
            self.calls.wait([self.calls.access(op, peer, window.number)])

    def epoch(self, name: str, call: Call) -> None:
        window = self.of(call)
        context = window.number | LIBRARY_MESSAGES
        if name == "Win_complete":
            self.flush(window)
            self.notify(window.targets, COMPLETED, context)
            window.targets = ()
        elif name in ("Win_wait", "Win_test"):
            if name == "Win_wait" or call.number("flag"):
                self.calls.wait(window.awaited)
                window.awaited = ()
        else:
            others = self.group(call)
            is_checked = "NOCHECK" not in call.word("assertion")
            if name == "Win_post":
                self.notify(others if is_checked else [], POSTED, context)
                window.awaited = self.receive(others, COMPLETED, context)
            else:
                window.targets = others
                if is_checked and others:
                    self.calls.wait(self.receive(others, POSTED, context))

    def notify(self, others: Sequence[int], tag: int, context: int) -> None:
        for other in others:
            self.calls.send(other, tag, 0, op="bsend", context=context)

    def receive(self, others: Sequence[int], tag: int, context: int) -> list[int]:
        return [self.calls.recv(other, tag, 0, context=context) for other in others]
