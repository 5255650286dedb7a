"""Generates the rows of a record for the ranks of an SPMD program, one rank at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from . import spmd_model
from .spmd_model import (
    COUNTS,
    LINE,
    LINKED,
    PAIRWISE,
    PRIVATE,
    ANNOUNCING,
    IrregularError,
    Part,
    Program,
    Recording,
    Token,
    is_near,
    is_one,
)  # fmt: skip

PAUSE = {
    "op": "pause", "peer": 0, "tag": 0, "context": 0, "bytes": 0, "back": 0, "span_ps": 0,
    "other": 0, "root": 0, "grain": 1, "flags": 0, "needs": [], "lengths": [],
}  # fmt: skip
# Between two calls of a rank, only requests that it waited for and completed sends complete.
SENDS = {"send", "bsend"}


class Communicators:
    """The communicators of `n` ranks by kind: their numbers, and the members of each."""

    def __init__(self, parts: Sequence[Part], n: int, first: int = 1):
        self.of: list[dict[int, int]] = []
        self.colors: list[list[int]] = []
        members: dict[int, list[int]] = {}
        for part in parts:
            colors = [part.color(rank, n) for rank in range(n)]
            numbers: dict[int, int] = {}
            for rank, color in enumerate(colors):
                if part.some and color not in part.some:
                    continue
                if color not in numbers:
                    numbers[color] = first
                    first += 1
                members.setdefault(numbers[color], []).append(rank)
            self.of.append(numbers)
            self.colors.append(colors)
        self.members = members

    def context(self, own: int, rank: int) -> int:
        """The communicator of the `own`th kind that contains a rank; 0 is the world."""
        return self.of[own - 1][self.colors[own - 1][rank]] if own else 0

    def has(self, own: int, rank: int) -> bool:
        """Whether a communicator of the `own`th kind contains a rank."""
        return not own or self.colors[own - 1][rank] in self.of[own - 1]

    def size(self, own: int, rank: int, n: int) -> int:
        return len(self.members[self.context(own, rank)]) if own else n

    def named(self, known: Sequence[dict[int, int]]) -> Communicators:
        """The same with the numbers of a recording, by kind and rank."""
        self.members = {}
        for own, of_rank in enumerate(known):
            self.of[own] = {self.colors[own][r]: context for r, context in of_rank.items()}
            for rank, context in sorted(of_rank.items()):
                self.members.setdefault(context, []).append(rank)
        return self


class Slot:
    """One call of a program on `n` ranks, with the numbers of this round."""

    __slots__ = ("after", "blank", "family", "item", "number", "scale", "tag", "token")

    def __init__(
        self, token: Token, value: dict[str, int], item: tuple[int, int], after: Sequence[int]
    ):
        self.token, self.item, self.after = token, item, after
        self.family, self.number = token.family, value["peer"]
        self.tag, self.scale = value["tag"], value["scale"]
        bytes_, back = value["bytes"], value["back"]
        if token.op in ANNOUNCING:
            # A record may have at most one cache line per byte.
            back = min(back, LINE * bytes_)
        if token.op not in PAIRWISE | ANNOUNCING and token.grain > 1:
            bytes_ -= bytes_ % token.grain
        self.blank = {
            "op": token.op, "bytes": bytes_, "back": back, "span_ps": value["span_ps"],
            "root": value["root"], "grain": token.grain, "flags": token.flags,
            "length": value["length"],
        }  # fmt: skip


    def peer(self, rank: int, n: int, periodic: Sequence[bool]) -> int | None:
        """The partner of a rank's call; None if there is none."""
        if self.family in ("none", "behind"):
            return self.number
        return spmd_model.peer_of(self.family, self.number, rank, n, periodic)


def unrolled(program: Program, n: int) -> list[Slot]:
    """The calls of a program on `n` ranks, those of all ranks in one list."""
    slots = []
    for at, item in enumerate(program.items):
        for k in range(COUNTS[item.count](n) if item.count else 1):
            for nth, (token, numbers) in enumerate(item.calls):
                value = {name: rule.of(n, k) for name, rule in numbers.items()}
                after = item.after[k % len(item.after)][nth]
                slots.append(Slot(token, value, (at, nth), after))
    return slots


def rows_of(
    found: Sequence[Program], n: int, communicators: Communicators
) -> Iterator[list[dict[str, Any]]]:
    """The rows of each of `n` ranks, rank by rank."""
    scripts = [unrolled(program, n) for program in found]
    for rank in range(n):
        which = next(at for at, program in enumerate(found) if program.has(rank, n))
        yield play(found[which], scripts[which], rank, n, communicators)


def play(
    program: Program, slots: Sequence[Slot], rank: int, n: int, communicators: Communicators
) -> list[dict[str, Any]]:
    """The rows of one rank."""
    rows: list[dict[str, Any]] = []
    emitted: list[int] = []  # By call of the program: its row, or that of none.
    starts: list[int] = []
    state = _State()
    index = rank - 1 if program.who == "others" else rank
    peers: dict[tuple[str, int], int | None] = {}
    for here, slot in enumerate(slots):
        token = slot.token
        if token.begins:
            state.begins, state.token, state.here = True, token, here
        elif not token.triggers.isdisjoint(state.made):
            state.begins, state.token = True, None
        key = (slot.family, slot.number)
        peer: int | None
        if slot.family == "none":
            is_its = token.who == "members" or is_one(token.who, rank, n)
            peer = slot.number if is_its else None
        elif slot.family == "behind":
            peer = 0 if emitted[-1] >= 0 else None
        elif key in peers:
            peer = peers[key]
        else:
            peer = peers[key] = spmd_model.peer_of(*key, rank, n, program.periodic)
        # A rank makes no call on a communicator that does not contain it.
        if peer is None or not communicators.has(token.context & ~PRIVATE, rank):
            emitted.append(-1)
            continue
        begins = state.begins or not rows
        if begins and rows and program.closes:
            close(program, rows, starts[-1], slots[state.last], rank)
        if begins:
            needs = needs_of(state, rows, starts, emitted) if rows else []
            starts.append(len(rows))
            state.made = set()
        emitted.append(len(rows))
        own = token.context & ~PRIVATE
        tag = slot.tag + slot.scale * (rank if token.tag == "own" else peer)
        row = {
            **slot.blank, "rank": rank, "step": len(starts) - 1, "peer": peer,
            "needs": needs if begins else [], "after_ps": slot.after[index % len(slot.after)],
            "tag": tag, "context": communicators.context(own, rank) | token.context & PRIVATE,
            "other": emitted[here - token.other] if token.op in LINKED else token.other,
        }  # fmt: skip
        length = row.pop("length")
        row["lengths"] = (
            [length] * (token.lengths * communicators.size(own, rank, n)) if token.lengths else []
        )
        rows.append(row)
        state.begins, state.last, state.token = False, here, None
        state.made.add(slot.item)
    if program.closes and rows:
        close(program, rows, starts[-1], slots[state.last], rank)
    return rows


class _State:
    """The position of a rank: whether a step begins with its next call and which call caused
    that, the last call, and the calls of the step."""

    begins = False
    token: Token | None = None
    here = last = 0

    def __init__(self) -> None:
        self.made: set[tuple[int, int]] = set()


def close(
    program: Program, rows: list[dict[str, Any]], start: int, slot: Slot, rank: int
) -> None:
    """The end of the computation of a step, after its calls; a step may have no calls."""
    if len(rows) - start == 1 and rows[start]["op"] == "pause":
        return
    after = program.pauses.get(slot.item) or [0]
    pause = {**PAUSE, "rank": rank, "step": rows[-1]["step"], "after_ps": after[rank % len(after)]}
    rows.append(pause)


def needs_of(
    state: _State, rows: Sequence[dict[str, Any]], starts: Sequence[int], emitted: Sequence[int]
) -> list[int]:
    """The calls that a step needs."""
    token = state.token
    if token is None or token.needs is None:
        return spmd_model.completing(rows, starts[-1], len(rows)) if starts else []
    named = (emitted[state.here - back] for back in token.needs)
    return [row for row in named if row >= 0]


def check(found: Sequence[Program], of: Recording, parts: Sequence[Part] = ()) -> None:
    """Check that the pattern reproduces the recording exactly.

    Exceptions are computation, one cache line of non-contiguous data, and dependencies on sends
    that a rank did not wait for, which depend on timing.
    """
    communicators = Communicators(parts, of.ranks).named(spmd_model.contexts_of(of))
    loose = any(program.closes for program in found)
    for rank, rows in enumerate(rows_of(found, of.ranks, communicators)):
        own = of.rows[rank]
        for nth, (expected, theirs) in enumerate(zip(rows, own)):
            for name, value in theirs.items():
                is_lines = name == "back" and expected["op"] in ANNOUNCING
                if name == "after_ps" or is_lines and is_near(expected[name], value):
                    continue
                if name == "needs" and loose:
                    differ = set(expected[name]) ^ set(value)
                    if all(own[need]["op"] in SENDS for need in differ):
                        continue
                if expected[name] != value:
                    raise IrregularError(
                        of.at(rank, nth), f"{name} {value}, where the pattern has {expected[name]}",
                        "the value of the same call on other ranks",
                    )  # fmt: skip
        if len(rows) != len(own):
            raise IrregularError(
                of.at(rank, min(len(rows), len(own))),
                f"{len(own)} calls, where the pattern has {len(rows)}",
                "as many calls as in the pattern",
            )

