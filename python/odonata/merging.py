"""Merges ranks with different calls into one program: ranks at borders lack neighbors, and some
rounds have only part of the ranks.

The calls of all ranks are put into one order that contains the order of each rank. A call is
identified by its operation, by the rule of its partner (a neighbor on a grid, a rank with another
bit, ...) and by the number of such calls before it. The rule determines which ranks make it: those
that have such a partner. Steps end where those of all recorded ranks do.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from . import spmd_model
from .spmd_model import Call, IrregularError, Item, Number, Part, Program, Recording, Token, is_one

# Rules of partners in the order in which they are tried. Those of grids include the periodic
# directions.
GRIDS = [
    (f"grid{''.join('p' if wraps else '-' for wraps in periodic)}", dims)
    for dims in (1, 2, 3, 4)
    for periodic in itertools.product((False, True), repeat=dims)
]
PARTNERS = (
    "partners by one rule: an offset around all ranks or along them, neighbors on a grid of "
    "`MPI_Dims_create`, ranks that differ in one bit, or the first; the same rule on all ranks "
    "with such a partner"
)
MAKERS = "calls of all ranks, of the first or the last, of the rest, or of a communicator"
SMALLEST = 2  # Extent of a grid in any direction.
# Operations that may each go up or down first around a grid: 2^6 orders are tried per grid.
MOST_EITHER_WAY = 6


@dataclass
class Made:
    """A call of one rank."""

    row: int
    token: Token
    numbers: dict[str, int]
    peer: int
    begins: bool
    pause: int | None = None  # Computation before the pause that ends its step.
    key: tuple[Any, ...] = ()


@dataclass
class Merged:
    """The calls of a recording in one order, and for each rank the positions of its calls."""

    order: list[tuple[Any, ...]]
    where: dict[tuple[Any, ...], int]
    made: list[list[Made]]
    program: list[Call] = field(default_factory=list)


def made_of(of: Recording) -> tuple[list[list[Made]], bool]:
    """The calls of each rank, without pauses, and whether steps end with pauses."""
    rows = of.rows
    closes = all(
        rank_rows[at]["op"] == "pause"
        for rank_rows in rows
        for at in range(len(rank_rows))
        if at + 1 == len(rank_rows) or rank_rows[at + 1]["step"] != rank_rows[at]["step"]
    )
    found = []
    for rank, rank_rows in enumerate(rows):
        calls: list[Made] = []
        for at, (token, numbers) in enumerate(spmd_model.tokens(of, rank)):
            step = rank_rows[at]["step"]
            begins = at == 0 or rank_rows[at - 1]["step"] != step
            ends = at + 1 == len(rank_rows) or rank_rows[at + 1]["step"] != step
            if closes and ends and not begins:
                calls[-1].pause = rank_rows[at]["after_ps"]
                continue
            token = replace(token, begins=False, needs=None)
            kept = {name: numbers[name] for name in spmd_model.NUMBERS}
            calls.append(Made(at, token, kept, numbers["peer"], begins))
        found.append(calls)
    return found, closes


def partners(
    rule: str, dims: int, rank: int, peer: int, n: int, second: bool = False
) -> tuple[str, int] | None:
    """The family and number of a partner by this rule; None if the rule does not fit.

    Two ranks of a periodic grid may be neighbors in both directions. The first direction counts, or
    with `second` the other one.
    """
    match rule:
        case "around":
            return "off", (peer - rank) % n
        case "line":
            return "line", peer - rank
        case "bits" | "tree":
            bit = rank ^ peer
            if bit & (bit - 1) or not bit:
                return None
            return ("tree " if rule == "tree" else "") + ("up" if peer > rank else "down"), bit
        case "swap":
            return "xor", rank ^ peer
        case "root":
            return ("root out", peer) if rank == 0 else ("root in", 0) if peer == 0 else None
    shape = spmd_model.grid(n, dims)
    if min(shape) < SMALLEST:
        return None
    wraps = [mark == "p" for mark in rule.removeprefix("grid")]
    directions = [
        delta
        for delta in itertools.product((-1, 0, 1), repeat=dims)
        if any(delta) and spmd_model.neighbor(rank, delta, shape, wraps) == peer
    ]
    if len(directions) not in (1, 2):
        return None
    return " ".join([rule, *map(str, directions[second and len(directions) == 2])]), 0


def named(
    rule: str, dims: int, upward: frozenset[str], made: Sequence[tuple[int, Made]], n: int
) -> list[tuple[str, int] | None]:
    """The partner of each call by this rule. Where both directions lead to one rank, operations in
    `upward` use the upper one first."""
    known: dict[tuple[int, int, bool], tuple[str, int] | None] = {}
    before: dict[tuple[int, str, int], int] = {}
    found = []
    for rank, call in made:
        op = call.token.op
        nth = before[rank, op, call.peer] = before.get((rank, op, call.peer), -1) + 1
        second = (nth % 2 == 1) != (op in upward)
        key = (rank, call.peer, second)
        if key not in known:
            known[key] = partners(rule, dims, rank, call.peer, n, second)
        found.append(known[key])
    return found


def rules() -> Iterator[tuple[str, int]]:
    yield "around", 0
    for rule, dims in GRIDS:
        yield rule, dims
    for rule in ("tree", "bits", "root", "line", "swap"):
        yield rule, 0


def orders(
    rule: str, dims: int, recordings: Sequence[Recording], of: Sequence[Sequence[tuple[int, Made]]]
) -> Iterator[frozenset[str]]:
    """Sets of operations that use the upper direction first, smallest sets first. Only operations
    between ranks that are neighbors in both directions have a choice."""
    yield frozenset()
    if "p" not in rule or not rule.startswith("grid"):
        return
    every = frozenset(call.token.op for made in of for _, call in made)
    choice: dict[str, str] = {}  # With the place of the first such call.
    for recording, made in zip(recordings, of):
        down = named(rule, dims, frozenset(), made, recording.ranks)
        up = named(rule, dims, every, made, recording.ranks)
        for (rank, call), one, other in zip(made, down, up):
            if one != other:
                choice.setdefault(call.token.op, recording.at(rank, call.row))
    ops = sorted(choice)
    if len(ops) > MOST_EITHER_WAY:
        raise IrregularError(
            choice[ops[0]], f"{len(ops)} operations ({', '.join(ops)}) between ranks that are "
            "neighbors both ways around a grid, with other tags by direction than in another "
            "recording", f"at most {MOST_EITHER_WAY} such operations in one communicator",
        )  # fmt: skip
    for k in range(1, len(ops) + 1):
        yield from map(frozenset, itertools.combinations(ops, k))


def explains(
    names: Sequence[tuple[str, int] | None], made: Sequence[tuple[int, Made]], n: int
) -> set[int]:
    """The number of calls of each name per rank, if all ranks with such a partner make as many;
    None otherwise."""
    counts: dict[tuple[Any, ...], dict[int, int]] = {}
    for (rank, call), found in zip(made, names):
        if found is None or spmd_model.peer_of(*found, rank, n) != call.peer:
            return set()
        of = counts.setdefault((call.token.op, *found), {})
        of[rank] = of.get(rank, 0) + 1
    for (_, family, number), of in counts.items():
        who = {r for r in range(n) if spmd_model.peer_of(family, number, r, n) is not None}
        if of.keys() != who or len(set(of.values())) > 1:
            return set()
    return {count for of in counts.values() for count in of.values()}


def families(recordings: Sequence[Recording], each: Sequence[list[list[Made]]]) -> None:
    """Find the rule of partners for each communicator, or each tag in it, and name calls by it."""
    groups: dict[int, list[list[tuple[int, Made]]]] = {}
    for at, made in enumerate(each):
        for rank, calls in enumerate(made):
            for call in calls:
                if call.token.family == "":
                    of = groups.setdefault(call.token.context, [[] for _ in each])
                    of[at].append((rank, call))
    for context, of in groups.items():
        if settled(recordings, of):
            continue
        tags: dict[int, list[list[tuple[int, Made]]]] = {}
        for at, calls in enumerate(of):
            for rank, call in calls:
                tags.setdefault(call.numbers["tag"], [[] for _ in each])[at].append((rank, call))
        for tag, some in sorted(tags.items()):
            if not settled(recordings, some):
                raise unexplained(recordings, of, context, tag if len(tags) > 1 else None)


def settled(recordings: Sequence[Recording], of: Sequence[Sequence[tuple[int, Made]]]) -> bool:
    """Name the calls by the first rule that explains all partners; False if there is none."""
    # A direction with two ranks may be periodic or not: it is then taken as the other directions,
    # if as much goes in all directions.
    for alike, (rule, dims) in itertools.product((True, False), rules()):
        for upward in orders(rule, dims, recordings, of):
            each = [named(rule, dims, upward, made, r.ranks) for r, made in zip(recordings, of)]
            counts = list(map(explains, each, of, (r.ranks for r in recordings)))
            if not all(counts) or alike and max(map(len, counts)) > 1:
                break
            tags = {tags_of(names, made) for names, made in zip(each, of)}
            if rule.startswith("grid") and len(tags) > 1:
                # Another order of directions may match the tags of other recordings.
                continue
            for names, made in zip(each, of):
                for (_, call), found in zip(made, names):
                    assert found is not None, "it explains all"
                    call.key = found
            return True
    return False


def tags_of(
    names: Sequence[tuple[str, int] | None], made: Sequence[tuple[int, Made]]
) -> frozenset[Any]:
    """The tags by direction; empty if they depend on the rank."""
    found: dict[Any, set[int]] = {}
    for (_, call), name in zip(made, names):
        found.setdefault((call.token.op, name), set()).add(call.numbers["tag"])
    return frozenset((direction, *tags) for direction, tags in found.items() if len(tags) == 1)


def unexplained(
    recordings: Sequence[Recording],
    of: Sequence[Sequence[tuple[int, Made]]],
    context: int,
    tag: int | None,
) -> IrregularError:
    """Report the first call whose partner does not follow the rule of most ranks."""
    where = "the world" if context == 0 else f"communicator {context & ~spmd_model.PRIVATE}"
    what = f"{where}, tag {tag}" if tag is not None else where
    for recording, made in zip(recordings, of):
        odd = min(
            (others(rule, dims, made, recording.ranks) for rule, dims in rules()), key=len,
        )  # fmt: skip
        if not odd:
            continue
        rank, call, count, most = min(odd, key=lambda one: (one[2] < one[3], one[0], one[1].row))
        same = f"{count} such call{'s' * (count != 1)} of rank {rank}"
        return IrregularError(
            recording.at(rank, call.row),
            f"in {what}: {spmd_model.in_words(recording.rows[rank][call.row])}; {same}, where most "
            f"ranks make {most}", PARTNERS,
        )  # fmt: skip
    # A recording may have no such calls at all.
    recording, (rank, call) = next((r, made[0]) for r, made in zip(recordings, of) if made)
    return IrregularError(
        recording.at(rank, call.row),
        f"in {what}: partners that follow another rule on {recordings[0].ranks} ranks than on "
        f"{recordings[-1].ranks}", PARTNERS,
    )  # fmt: skip


def others(
    rule: str, dims: int, made: Sequence[tuple[int, Made]], n: int
) -> list[tuple[int, Made, int, int]]:
    """Calls that break this rule or whose number differs from that of most ranks: (rank, call,
    number on this rank, number on most ranks)."""
    calls: dict[tuple[Any, ...], dict[int, list[Made]]] = {}
    odd = []
    for rank, call in made:
        found = partners(rule, dims, rank, call.peer, n)
        if found is None:
            odd.append((rank, call, 1, 0))
            continue
        calls.setdefault((call.token.op, *found), {}).setdefault(rank, []).append(call)
    for (_, family, number), by_rank in calls.items():
        who = [r for r in range(n) if spmd_model.peer_of(family, number, r, n) is not None]
        if not who:  # a rank that is none
            odd += [(r, some[0], len(some), 0) for r, some in by_rank.items()]
            continue
        counts = [len(by_rank.get(r, ())) for r in who]
        most = max(sorted(set(counts)), key=counts.count)
        for r, count in zip(who, counts):
            if count != most:
                some = by_rank.get(r) or next(iter(by_rank.values()))
                holder = r if r in by_rank else next(iter(by_rank))
                odd.append((holder, some[-1], len(by_rank.get(holder, ())), most))
    return odd


def name_calls(each: Sequence[list[list[Made]]]) -> None:
    """Give each call a name that equals the name of the same call on other ranks."""
    for made in each:
        for calls in made:
            seen: dict[tuple[Any, ...], int] = {}
            for call in calls:
                token = call.token
                family, number = call.key if token.family == "" else ("none", 0)
                kind = (number, family, token.op, token.context, token.flags, token.grain,
                        token.lengths)  # fmt: skip
                seen[kind] = seen.get(kind, 0) + 1
                call.key = (*kind, seen[kind])


def in_one_order(
    of: Recording, made: list[list[Made]], like: dict[tuple[Any, ...], int] | None
) -> Merged:
    """All calls in one order. Where ranks leave it open it is that of `like`, or by names."""
    after: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
    waits: dict[tuple[Any, ...], int] = {}
    for calls in made:
        for call in calls:
            after.setdefault(call.key, set())
            waits.setdefault(call.key, 0)
        for one, other in itertools.pairwise(call.key for call in calls):
            if other not in after[one]:
                after[one].add(other)
                waits[other] += 1

    customs = customary(made)

    def turn(key: tuple[Any, ...]) -> tuple[Any, ...]:
        # A key begins with a number, which is 0 except for partners that few ranks have.
        return ((like or {}).get(key, 1 << 60), key[0], customs.get(direction_of(key), 0), key)

    ready = [turn(key) for key, count in waits.items() if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        key = heapq.heappop(ready)[-1]
        order.append(key)
        for other in after[key]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, turn(other))
    if len(order) < len(after):
        raise crossed(of, made, set(order))
    return Merged(order, {key: at for at, key in enumerate(order)}, made)


def direction_of(key: tuple[Any, ...]) -> tuple[str, int] | None:
    """What a call along one axis of a grid is, and whether up or down, whichever axis it is."""
    delta = [by for by in spmd_model.delta_of(key[1]) if by]
    return (key[2], delta[0]) if len(delta) == 1 else None


def customary(made: list[list[Made]]) -> dict[tuple[str, int] | None, int]:
    """The order in which ranks with both neighbors along an axis call them, for axes along which
    none has both."""
    before: dict[tuple[Any, Any], int] = {}
    for calls in made:
        # By axis and by how often such calls have been made: ways that have been called.
        called: dict[tuple[str, int], list[tuple[str, int]]] = {}
        for call in calls:
            direction = direction_of(call.key)
            if direction is None:
                continue
            others = called.setdefault((call.key[1].replace("-1", "1"), call.key[-1]), [])
            for other in others:
                before[other, direction] = before.get((other, direction), 0) + 1
            others.append(direction)
    directions = {direction for pair in before for direction in pair}
    score = {
        one: sum(before.get((one, other), 0) > before.get((other, one), 0) for other in directions)
        for one in directions
    }
    return {direction: len(directions) - wins for direction, wins in score.items()}


def crossed(of: Recording, made: list[list[Made]], order: set[Any]) -> IrregularError:
    """Two ranks that make two calls in opposite orders."""
    first: dict[Any, tuple[int, int]] = {}
    for rank, calls in enumerate(made):
        left = [call for call in calls if call.key not in order]
        for one, other in itertools.pairwise(left):
            if (other.key, one.key) in first:
                there, nth = first[other.key, one.key]
                return IrregularError(
                    of.at(rank, one.row), f"{one.token.op} before {other.token.op}, which rank "
                    f"{there} makes the other way round from its call {nth} on",
                    "calls of one kind in one order on all ranks",
                )  # fmt: skip
            first.setdefault((one.key, other.key), (rank, one.row))
    rank = next(rank for rank, calls in enumerate(made) if any(c.key not in order for c in calls))
    call = next(call for call in made[rank] if call.key not in order)
    return IrregularError(
        of.at(rank, call.row), f"{call.token.op} in another order than on other ranks",
        "calls of one kind in one order on all ranks",
    )  # fmt: skip


def described(of: Recording, merged: Merged) -> None:
    """Makes each call of the order one call of a program, with the numbers of its ranks."""
    by_key: dict[tuple[Any, ...], list[tuple[int, Made]]] = {key: [] for key in merged.order}
    for rank, calls in enumerate(merged.made):
        for call in calls:
            by_key[call.key].append((rank, call))
    places = [{call.row: merged.where[call.key] for call in calls} for calls in merged.made]
    for at, key in enumerate(merged.order):
        made = by_key[key]
        rank, first = made[0]
        token, numbers = first.token, dict(first.numbers)
        is_pair = token.family == ""
        tag = spmd_model.tag_rule([(r, call.peer, call.numbers["tag"]) for r, call in made])
        if tag is None:
            raise IrregularError(
                of.at(rank, first.row), "tags " + ", ".join(
                    f"{call.numbers['tag']} on rank {r}" for r, call in made[:4]) + ", ...",
                "one tag, or a multiple of the rank or of its partner beside one",
            )  # fmt: skip
        numbers |= {"tag": tag[1], "scale": tag[2]}
        for r, call in made:
            for name in ("bytes", "back", "span_ps", "root", "length"):
                if call.numbers[name] != numbers[name]:
                    raise IrregularError(
                        of.at(r, call.row),
                        f"{name} {call.numbers[name]}, where rank {rank} has {numbers[name]} in "
                        f"its call {first.row}", "the same on all ranks that make the call",
                    )  # fmt: skip
        who = "all" if is_pair else who_makes(of, merged, at, made)
        other = token.other
        if token.op in spmd_model.LINKED:
            linked = {at - places[r][call.row - call.token.other] for r, call in made}
            if len(linked) > 1:
                raise IrregularError(
                    of.at(rank, first.row), f"{token.op} of calls {sorted(linked)} before it",
                    "that of one call",
                )  # fmt: skip
            other = linked.pop()
        token = replace(token, tag=tag[0], who=who, other=other)
        after = [of.rows[r][call.row]["after_ps"] for r, call in made]
        peers = {key[1]: key[0]} if is_pair else {"none": first.peer}
        merged.program.append(Call(token, numbers, after, peers))


def who_makes(of: Recording, merged: Merged, at: int, made: Sequence[tuple[int, Made]]) -> str:
    """The name of the ranks that make a call without a partner."""
    n, ranks = of.ranks, {rank for rank, _ in made}
    for who in ("all", "first", "others", "last", "before"):
        if ranks == {rank for rank in range(n) if is_one(who, rank, n)}:
            return who
    rank, call = made[0]
    own = call.token.context & ~spmd_model.PRIVATE
    members = {r for r in range(n) if not own or own in of.kinds[r].values()}
    if ranks == members:
        return "members"
    own_words = spmd_model.in_words(of.rows[rank][call.row])
    if 2 * len(ranks) < len(members):
        other = min(members - ranks)
        its = next((c for c in merged.made[other] if merged.where[c.key] > at), None)
        theirs = spmd_model.in_words(of.rows[other][its.row]) if its else "no more calls"
        raise IrregularError(
            of.at(rank, call.row), f"{own_words}, where rank {other} has {theirs}", MAKERS
        )
    other = min(members - ranks)
    its = next((c for c in merged.made[other] if merged.where[c.key] > at), None)
    row = its.row if its else len(of.rows[other])
    theirs = spmd_model.in_words(of.rows[other][row]) if its else "no more calls"
    raise IrregularError(of.at(other, row), f"{theirs}, where rank {rank} has {own_words}", MAKERS)


def programs(recordings: Sequence[Recording]) -> tuple[list[Program], list[Part]]:
    """The one program of all ranks, and their communicators."""
    parts = spmd_model.parts_of(recordings)
    found = [made_of(of) for of in recordings]
    each = [made for made, _ in found]
    closes = all(closes for _, closes in found)
    if not closes and any(closes for _, closes in found):
        raise IrregularError(
            recordings[0].name, "steps that end with pauses in one recording only", "so in all"
        )
    families(recordings, each)
    name_calls(each)
    # The largest recording has most ranks whose neighbors are all there.
    largest = in_one_order(recordings[-1], each[-1], None)
    merged = [
        in_one_order(of, made, largest.where) for of, made in zip(recordings[:-1], each[:-1])
    ]
    merged.append(largest)
    for of, one in zip(recordings, merged):
        described(of, one)
    items = spmd_model.unified([one.program for one in merged], recordings, [0] * len(recordings))
    program = Program("all", faces_alike(items, recordings, merged), closes=closes, parts=parts)
    ids = [ids_of(items, of.ranks) for of in recordings]
    divide(program, recordings, merged, ids)
    need(program, recordings, merged, ids)
    for one, names in zip(merged[-1:], ids[-1:]):
        for calls in one.made:
            for call in calls:
                if call.pause is not None:
                    at = names[one.where[call.key]]
                    program.pauses.setdefault(at, []).append(call.pause)
    return [program], parts


def ids_of(items: Sequence[Item], n: int) -> list[tuple[int, int]]:
    """By call of the unrolled program: its item and its place there."""
    return [
        (at, nth)
        for at, item in enumerate(items)
        for _ in range(spmd_model.COUNTS[item.count](n) if item.count else 1)
        for nth in range(len(item.calls))
    ]


def faces_alike(
    items: list[Item], recordings: Sequence[Recording], merged: Sequence[Merged]
) -> list[Item]:
    """Where faces of a grid shrink with it, those shrink too that did not yet, for the grid of the
    recordings grew in other directions: unless as long a message of another direction stays."""
    calls = [pair for item in items for pair in item.calls]
    near = [(t, n) for t, n in calls if t.family.startswith("grid")]
    stay = {
        (n["bytes"].base, t.op)
        for t, n in near
        if n["bytes"].form == "is" and not fits_faces(t, n["bytes"], recordings)
    }
    if not any(n["bytes"].form == "faces" for _, n in near):
        return items
    for item in items:
        for token, numbers in item.calls:
            own = numbers["bytes"]
            if (
                token.family.startswith("grid")
                and own.form == "is"
                and (own.base, token.op) not in stay
                and fits_faces(token, own, recordings)
            ):
                delta = spmd_model.delta_of(token.family)
                base = own.base * spmd_model.across(recordings[0].ranks, delta)
                numbers["bytes"] = Number(Fraction(base), "faces", delta=delta)
    return items


def fits_faces(token: Token, rule: Number, recordings: Sequence[Recording]) -> bool:
    """Whether a number that stays could as well be that of a face, as far as recordings show."""
    delta = spmd_model.delta_of(token.family)
    return len({spmd_model.across(of.ranks, delta) for of in recordings}) == 1 and not rule.step


def divide(
    program: Program,
    recordings: Sequence[Recording],
    merged: Sequence[Merged],
    ids: Sequence[list[tuple[int, int]]],
) -> None:
    """Finds where steps end: before which calls, if which others were made in them.

    A rank waits for receives, not for sends that are through at once, so where it waits depends on
    which of its neighbors there are.
    """
    begun: dict[tuple[int, int], set[tuple[int, int]]] = {}
    spanned: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for one, names in zip(merged, ids):
        for calls in one.made:
            made: set[tuple[int, int]] = set()
            for a, b in itertools.pairwise(calls):
                here, there = one.where[a.key], one.where[b.key]
                made.add(names[here])
                if b.begins:
                    begun.setdefault(names[there], set()).update(made)
                    made = set()
                    continue
                for at in range(here + 1, there + 1):
                    spanned.setdefault(names[at], set()).update(made)
    triggers = {name: made - spanned.get(name, set()) for name, made in begun.items()}
    for name, made in by_other_axes(merged[-1], ids[-1], triggers).items():
        triggers[name] = triggers.get(name, set()) | made - spanned.get(name, set())
    for at, item in enumerate(program.items):
        item.calls = [
            (replace(token, triggers=frozenset(triggers.get((at, nth), ()))), numbers)
            for nth, (token, numbers) in enumerate(item.calls)
        ]
    for of, one, names in zip(recordings, merged, ids):
        where = [triggers.get(name, set()) for name in names]
        for rank, calls in enumerate(one.made):
            made = set()
            for a, b in itertools.pairwise(calls):
                here, there = one.where[a.key], one.where[b.key]
                made.add(names[here])
                ends = any(not made.isdisjoint(where[at]) for at in range(here + 1, there + 1))
                if ends != b.begins:
                    raise IrregularError(
                        of.at(rank, b.row),
                        f"{spmd_model.in_words(of.rows[rank][b.row])}, "
                        f"{'after' if b.begins else 'without'} a wait for the calls before it, "
                        f"{'without' if b.begins else 'after'} which it is made on other ranks",
                        "ranks that wait at the same calls",
                    )
                if ends:
                    made = set()


def by_other_axes(
    one: Merged, names: Sequence[tuple[int, int]], triggers: dict[tuple[int, int], set[Any]]
) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """Where steps end among the calls along one axis of a grid, by those along another: no recorded
    rank may have both neighbors along the one."""
    keys: dict[tuple[int, int], tuple[Any, ...]] = {}
    for key, name in zip(one.order, names):
        keys.setdefault(name, key)
    found: dict[tuple[int, int], set[tuple[int, int]]] = {}

    def along(key: tuple[Any, ...], axis: int) -> tuple[int, int] | None:
        delta = spmd_model.delta_of(key[1])
        by = next(filter(None, delta))
        turned = [by if d == axis else 0 for d in range(len(delta))]
        family = " ".join([key[1].split()[0], *map(str, turned)])
        at = one.where.get((key[0], family, *key[2:]))
        return None if at is None else names[at]

    for name, made in triggers.items():
        key = keys[name]
        if direction_of(key) is None:
            continue
        delta = spmd_model.delta_of(key[1])
        own = next(d for d, by in enumerate(delta) if by)
        its = [
            keys[t] for t in made
            if direction_of(keys[t]) and spmd_model.delta_of(keys[t][1])[own]
        ]  # fmt: skip
        for axis in range(len(delta)):
            if axis != own and (there := along(key, axis)) is not None:
                same = [of for of in its if len(spmd_model.delta_of(of[1])) == len(delta)]
                turned = {along(of, axis) for of in same}
                found.setdefault(there, set()).update(t for t in turned if t is not None)
    return found


def need(
    program: Program,
    recordings: Sequence[Recording],
    merged: Sequence[Merged],
    ids: Sequence[list[tuple[int, int]]],
) -> None:
    """Finds what steps need where that is not the step before."""
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    for of, one, names in zip(recordings, merged, ids):
        places = [{call.row: one.where[call.key] for call in calls} for calls in one.made]
        for rank, calls in enumerate(one.made):
            rows, start = of.rows[rank], 0
            for call in calls[1:]:
                if not call.begins:
                    continue
                last, start = start, call.row
                whole = set(spmd_model.completing(rows, last, call.row))
                differ = whole ^ set(rows[call.row]["needs"])
                if all(rows[need]["op"] in ("send", "bsend") for need in differ):
                    continue
                at = one.where[call.key]
                needs = tuple(
                    at - places[rank][need] for need in rows[call.row]["needs"]
                    if need in places[rank]
                )  # fmt: skip
                name = names[at]
                if program.closes or found.setdefault(name, needs) != needs:
                    ops = ", ".join(f"{need} ({rows[need]['op']})" for need in sorted(differ)[:4])
                    raise IrregularError(
                        of.at(rank, call.row),
                        f"a step that needs calls {ops} otherwise than the step before it",
                        "steps that need all calls of the one before",
                    )
    for (at, nth), needs in found.items():
        token, numbers = program.items[at].calls[nth]
        # It is known for this call only, so the step has to begin with it.
        program.items[at].calls[nth] = (replace(token, begins=True, needs=needs), numbers)
