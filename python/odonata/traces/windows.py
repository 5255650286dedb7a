"""Events of one-sided communication of OTF2 archives: which call begins an access, and which waits.

A call on a window returns before its access begins, so its event may follow the call. The event
belongs to the last call of its kind before it. An access ends in the first call that synchronizes
and does not end before the event of its completion.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..timelines.otf2 import COMPLETED, POSTED, SYNCHRONIZATION
from .communicators import Communicators
from .paraver import ACCESS_CALLS, Access, Call, Transfer
from .schedule import MOST_CALLS, Schedule, TraceError

# Calls that wait for accesses, and those that also wait for accesses with requests.
SYNCHRONIZES = (
    "Win_fence", "Win_complete", "Win_unlock", "Win_unlock_all", "Win_flush", "Win_flush_all",
    "Win_flush_local", "Win_flush_local_all", "Win_free",
)  # fmt: skip
COMPLETES_REQUESTS = (
    *SYNCHRONIZES, "Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany",
    "Testsome",
)  # fmt: skip
LOCKS, UNLOCKS = ("Win_lock", "Win_lock_all"), ("Win_unlock", "Win_unlock_all")
REQUESTS = {"Rput", "Rget", "Raccumulate", "Rget_accumulate"}
AFTER_EXPOSURE = (*SYNCHRONIZES, "Win_post", "Win_start")
SENDERS = {POSTED: "Win_post", COMPLETED: "Win_complete"}
RECEIVERS = {POSTED: ("Win_start",), COMPLETED: ("Win_wait", "Win_test")}
KINDS = {"RmaPut": "put", "RmaGet": "get", "RmaAtomic": "atomic"}


@dataclass(eq=False)
class Begun:
    """An access whose calls are not known yet."""

    access: Access
    kind: str
    time: int
    end: int | None = None


@dataclass
class Events:
    """The events of one rank, in the order of their times."""

    accesses: list[Begun] = field(default_factory=list)
    # Events of accesses by kind, also of those that are not replayed.
    n_accesses: Counter[str] = field(default_factory=Counter)
    open: dict[tuple[Any, int], Begun] = field(default_factory=dict)
    # Windows and targets whose locks are requested and not yet granted.
    requested: set[tuple[int, int]] = field(default_factory=set)
    locks: list[tuple[int, Access]] = field(default_factory=list)
    # Empty messages between epochs: time, tag (POSTED or COMPLETED), and the other side.
    sent: list[tuple[int, int, Transfer]] = field(default_factory=list)
    received: list[tuple[int, int, Transfer]] = field(default_factory=list)


class Windows:
    """Collects the events of all ranks."""

    def __init__(self, schedule: Schedule, communicators: Communicators):
        self.schedule, self.communicators = schedule, communicators
        self.of_rank: dict[int, Events] = defaultdict(Events)
        self.numbers: dict[tuple[Any, int], tuple[int, Any]] = {}
        # Sum of the ranks of all windows and of the calls that one event stands for: a lock of all
        # ranks, or an epoch with a group.
        self.implied = 0

    def take(self, rank: int, event: Any, inside: Call | None) -> bool:
        """Whether it is an event of one-sided communication."""
        kind = type(event).__name__
        if kind in KINDS:
            self.access(rank, event, KINDS[kind])
        elif kind.startswith("RmaOpComplete"):
            begun = self.of_rank[rank].open.pop((event.win, event.matching_id), None)
            if begun:
                begun.end = event.time
        elif kind in ("RmaRequestLock", "RmaAcquireLock", "RmaReleaseLock"):
            self.lock(rank, event, kind)
        elif kind == "RmaGroupSync":
            self.group_sync(rank, event, inside)
        elif kind in ("MpiSend", "MpiIsend", "MpiRecv", "MpiIrecv"):
            return self.message(rank, event, kind.endswith("end"))
        else:
            return kind in ("RmaWinCreate", "RmaWinDestroy")
        return True

    def window(self, win: Any, rank: int) -> tuple[int, Any] | None:
        """The number of a window, as of a communicator, and its members."""
        found = self.communicators.of(win.comm, rank)
        if found is None:
            self.schedule.unsupported["window without its ranks"] += 1
            return None
        communicator, members = found
        if (win, communicator) not in self.numbers:
            self.count(len(members))
            self.numbers[win, communicator] = self.communicators.separate(members), members
        return self.numbers[win, communicator]

    def count(self, calls: int) -> None:
        self.implied += calls
        if self.implied > MOST_CALLS:
            raise TraceError("calls", f"more than {MOST_CALLS:,}", "a shorter trace")

    def access(self, rank: int, event: Any, kind: str) -> None:
        self.of_rank[rank].n_accesses[kind] += 1
        found = self.window(event.win, rank)
        if found is None or not 0 <= event.remote < len(found[1]):
            self.schedule.unsupported["access to an unknown rank"] += 1
            return
        context, members = found
        peer, op = members[event.remote], "atomic" if kind == "atomic" else "access"
        if kind == "atomic":
            sizes = event.bytes_sent, event.bytes_received
        else:
            sizes = (event.bytes, 0) if kind == "put" else (0, event.bytes)
        of = self.of_rank[rank]
        begun = Begun(Access(op, peer, context, *sizes), kind, event.time)
        of.accesses.append(begun)
        of.open[event.win, event.matching_id] = begun

    def lock(self, rank: int, event: Any, kind: str) -> None:
        """A lock of one rank's part of a window, or of all if there is no such rank."""
        found = self.window(event.win, rank)
        if found is None:
            return
        context, members = found
        is_one = 0 <= event.remote < len(members)
        peers = [members[event.remote]] if is_one else list(members)
        self.count(len(peers))
        of = self.of_rank[rank]
        for peer in peers:
            if kind == "RmaReleaseLock":
                of.locks.append((event.time, Access("unlock", peer, context)))
                continue
            if kind == "RmaAcquireLock" and (context, peer) in of.requested:
                of.requested.discard((context, peer))
                continue
            if kind == "RmaRequestLock":
                of.requested.add((context, peer))
            is_shared = str(event.lock_type).endswith("SHARED")
            access = Access("lock_shared" if is_shared else "lock", peer, context)
            of.locks.append((event.time, access))

    def group_sync(self, rank: int, event: Any, inside: Call | None) -> None:
        """A post, start, complete or wait, with the group of its other side."""
        found = self.window(event.win, rank)
        if found is None or inside is None:
            self.schedule.unsupported["RmaGroupSync outside MPI"] += inside is None
            return
        waits = inside.name in RECEIVERS[COMPLETED]
        members = () if waits else self.group(event.group)
        self.count(2 * len(members))
        context = found[0]

        def ends(tag: int) -> list[Transfer]:
            return [Transfer(member, tag, 0, context) for member in members]

        if inside.name == "Win_post":
            inside.sends, inside.receives = ends(POSTED), ends(COMPLETED)
        elif inside.name == "Win_start":
            inside.receives = ends(POSTED)
        elif inside.name == "Win_complete":
            inside.sends = ends(COMPLETED)
        elif waits:
            inside.closes.add(context)

    def group(self, group: Any) -> Sequence[int]:
        """The ranks of a group; a group of unknown ranks is counted and has none."""
        found = getattr(group, "members", None)
        if found:
            found = self.communicators.members(group)
        if found is None:
            self.schedule.unsupported["group of unknown ranks"] += 1
        return found or ()

    def message(self, rank: int, event: Any, is_send: bool) -> bool:
        """Whether it is one of the messages between epochs that our timelines have."""
        communicator = event.communicator
        if not str(getattr(communicator, "name", "")).startswith(SYNCHRONIZATION):
            return False
        found = self.communicators.of(communicator, rank)
        other = event.receiver if is_send else event.sender
        if found is None or not 0 <= other < len(found[1]) or event.msg_tag not in SENDERS:
            return False
        context, members = found
        transfer = Transfer(members[other], event.msg_tag, event.msg_length, context)
        of = self.of_rank[rank]
        (of.sent if is_send else of.received).append((event.time, event.msg_tag, transfer))
        return True

    def assign(self, tasks: list[list[Call]]) -> None:
        """Give each event to its call."""
        for rank, of in self.of_rank.items():
            calls = CallIndex(tasks[rank])
            for time, access in of.locks:
                names = UNLOCKS if access.op == "unlock" else LOCKS
                if call := self.found(calls.before(names, time)):
                    call.accesses.append(access)
            for begun in of.accesses:
                self.assign_access(calls, begun)
            for time, tag, transfer in of.sent:
                if call := self.found(calls.before((SENDERS[tag],), time)):
                    call.sends.append(transfer)
            for time, tag, transfer in of.received:
                if tag == COMPLETED and self.exposes(calls, time, transfer):
                    continue
                if call := self.found(calls.after(RECEIVERS[tag], time)):
                    call.receives.append(transfer)

    def count_missing(self, tasks: list[list[Call]]) -> None:
        """Count calls without the event of their access. Events may follow later calls of their
        kind, so only the numbers of both are compared."""
        for rank, calls in enumerate(tasks):
            names = Counter(call.name for call in calls)
            for kind, of_kind in ACCESS_CALLS.items():
                missing = sum(names[name] for name in of_kind)
                missing -= self.of_rank[rank].n_accesses[kind]
                if missing > 0:
                    label = f"{kind} without its event, as to MPI_PROC_NULL or of 0 bytes"
                    self.schedule.unsupported[label] += missing

    def exposes(self, calls: CallIndex, time: int, transfer: Transfer) -> bool:
        """Adds a receive to the post with messages that it belongs to, if there is one."""
        posts = calls.posts(transfer.context)
        at = bisect_right(posts, time, key=lambda call: call.begin)
        if not at:
            return False
        post = posts[at - 1]
        post.receives.append(transfer)
        end = calls.after(RECEIVERS[COMPLETED], time)
        if end is None or at < len(posts) and end.begin > posts[at].begin:
            # A wait that has nothing to wait for is not in a timeline.
            end = calls.after(AFTER_EXPOSURE, time)
        if end is not None:
            end.closes.add(transfer.context)
        return True

    def found(self, call: Call | None) -> Call | None:
        if call is None:
            self.schedule.unsupported["event of a window without its call"] += 1
        return call

    def assign_access(self, calls: CallIndex, begun: Begun) -> None:
        own = self.found(calls.before(ACCESS_CALLS[begun.kind], begun.time))
        if own is None:
            return
        own.accesses.append(begun.access)
        end = begun.time if begun.end is None else begun.end
        if begun.end is not None and own.begin < end <= own.end:
            own.awaits.append(begun.access)
            return
        names = COMPLETES_REQUESTS if own.name in REQUESTS else SYNCHRONIZES
        after = calls.after(names, max(end, own.end))
        if after is not None:
            after.awaits.append(begun.access)


class CallIndex:
    """The calls of a rank, by their names and times."""

    def __init__(self, calls: list[Call]):
        self.calls = calls
        self.of_names: dict[tuple[str, ...], tuple[list[Call], list[int], list[int]]] = {}
        self.of_contexts: dict[int, list[Call]] | None = None

    def of(self, names: tuple[str, ...]) -> tuple[list[Call], list[int], list[int]]:
        """The calls of these names, their begins and their ends."""
        if names not in self.of_names:
            some = [call for call in self.calls if call.name in names]
            begins, ends = [call.begin for call in some], [call.end for call in some]
            self.of_names[names] = some, begins, ends
        return self.of_names[names]

    def posts(self, context: int) -> list[Call]:
        """The posts that send messages of this communicator. All calls have their sends."""
        if self.of_contexts is None:
            self.of_contexts = defaultdict(list)
            for call in self.of(("Win_post",))[0]:
                for of in {one.context for one in call.sends}:
                    self.of_contexts[of].append(call)
        return self.of_contexts.get(context, [])

    def before(self, names: tuple[str, ...], time: int) -> Call | None:
        """The last of these calls that begins by this time."""
        some, begins, _ = self.of(names)
        at = bisect_right(begins, time)
        return some[at - 1] if at else None

    def after(self, names: tuple[str, ...], time: int) -> Call | None:
        """The first of these calls that does not end before this time."""
        some, _, ends = self.of(names)
        at = bisect_left(ends, time)
        return some[at] if at < len(some) else None
