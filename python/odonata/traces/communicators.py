"""Communicators of OTF2 archives, as those of a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .schedule import Schedule


def word_of(constant: Any) -> str:
    """`BCAST` of `CollectiveOp.BCAST`."""
    return str(constant).rpartition(".")[2]


class Communicators:
    """Communicators of a trace, as those of a record: their numbers and members."""

    def __init__(self, schedule: Schedule, ranks: dict[Any, int]):
        self.schedule, self.ranks = schedule, ranks
        self.found: dict[Any, tuple[int, Sequence[int]] | None] = {}
        self.has_world = False

    def of(self, communicator: Any, rank: int) -> tuple[int, Sequence[int]] | None:
        """Number and members, as ranks of the world, of a communicator that this rank uses.
        None: its members are unknown, as of an intercommunicator."""
        group = getattr(communicator, "group", None)
        is_self = word_of(getattr(group, "group_type", None)) == "COMM_SELF"
        key = (communicator, rank) if is_self else communicator
        if key not in self.found:
            members = [rank] if is_self else self.members(group)
            self.found[key] = (self.number(members), members) if members else None
        return self.found[key]

    def members(self, group: Any) -> list[int] | None:
        locations = getattr(group, "members", None) or ()
        members = [self.ranks.get(location, -1) for location in locations]
        valid = members and min(members) >= 0 and len(set(members)) == len(members)
        return members if valid else None

    def number(self, members: list[int]) -> int:
        """The first communicator of all ranks in their order is the world, number 0."""
        if not self.has_world and members == list(range(len(self.ranks))):
            self.has_world = True
            return 0
        return self.separate(members)

    def separate(self, members: Sequence[int]) -> int:
        """A communicator of its own, as a window has one."""
        number = len(self.schedule.communicators) + 1
        self.schedule.communicators[number] = list(members)
        return number
