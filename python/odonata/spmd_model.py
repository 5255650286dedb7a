"""The SPMD model of recorded ranks: programs with the number of ranks as a parameter.

A **program** lists the calls of one class of ranks: all ranks, or one root and the rest, or the
positions of a grid, whose borders lack neighbors. A call's partner follows a rule: a constant
offset around all ranks, the rank with one bit inverted, a constant rank, or a neighbor on a grid.
With recordings of two numbers of ranks, numbers and repetitions may depend on the number of ranks.

Nothing is guessed beyond that. Ambiguous recordings are refused, and so are models that do not
reproduce the recordings exactly.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

WORLD = 0
PRIVATE = 3 << 30  # Bits of a context that mark the library's own messages.
PAIRWISE = {
    "send", "ssend", "bsend", "recv", "probe", "mprobe", "iprobe",
    "access", "atomic", "lock", "lock_shared", "unlock",
}  # fmt: skip
ANNOUNCING = {"packs", "unpacks"}  # They announce the next call and have its partner.
# They never complete.
ENDLESS = ANNOUNCING | {"register", "deregister", "file_lookup", "file_layout"}
LINKED = {"mrecv", "cancel"}  # `other` is the number of another call.
NUMBERS = ("bytes", "back", "span_ps", "root", "length", "tag", "scale")
LINE = 64  # bytes of a cache line; `back` of non-contiguous data counts whole lines
# Repetitions of a loop that depend on the number of ranks; the longest loop explains most.
COUNTS: dict[str, Callable[[int], int]] = {
    "n": lambda n: n,
    "n - 1": lambda n: n - 1,
    "n - 2": lambda n: n - 2,
    "n / 2": lambda n: n // 2,
    "log2 n": lambda n: max(n - 1, 0).bit_length(),
}
LONGEST_BODY = 64
ALIKE = "ranks that all do alike, but for the first, the last or the borders of a grid"
# The MPI functions that a call may be.
FUNCTIONS = {
    "send": "MPI_Send or MPI_Isend", "ssend": "MPI_Ssend", "bsend": "MPI_Bsend",
    "recv": "MPI_Recv or MPI_Irecv", "probe": "MPI_Probe", "mprobe": "MPI_Mprobe",
    "iprobe": "MPI_Iprobe", "mrecv": "MPI_Mrecv", "access": "MPI_Put or MPI_Get",
    "atomic": "MPI_Accumulate or its kin", "lock": "MPI_Win_lock", "unlock": "MPI_Win_unlock",
    "lock_shared": "MPI_Win_lock (shared)", "pause": "computation", "exit": "MPI_Finalize",
    "delay": "a sleep",
}


class IrregularError(Exception):
    """An irregularity: its place, the value found, and a regular one."""

    # Whether the ranks make the same calls.
    is_close = False

    def __init__(self, at: str, found: str, wanted: str):
        super().__init__(f"{at}: {found}")
        self.at, self.found, self.wanted = at, found, wanted


@dataclass
class Recording:
    """The rows of a record by rank, and its header."""

    name: str
    header: dict[str, Any]
    rows: list[list[dict[str, Any]]]

    @property
    def ranks(self) -> int:
        return len(self.rows)

    @functools.cached_property
    def kinds(self) -> list[dict[int, int]]:
        """By rank and communicator: the number of its kind, from 1."""
        found: list[dict[int, int]] = [{} for _ in self.rows]
        for own, kind in enumerate(contexts_of(self), 1):
            for rank, context in kind.items():
                found[rank][context] = own
        return found

    def at(self, rank: int, nth: int) -> str:
        op = self.rows[rank][nth]["op"] if 0 <= nth < len(self.rows[rank]) else "its end"
        return f"{self.name}, rank {rank}, call {nth} ({op})"


@dataclass(frozen=True)
class Token:
    """A call without its numbers.

    `needs` are distances back in the program. None means all completing calls of the step before.
    That rule is equivalent if they are all of these (`is_whole`), and the only one possible if
    their number depends on the number of ranks.
    """

    op: str
    tag: str  # "is" a constant, or a constant plus `scale` times the "own" rank or the "peer"
    context: int
    flags: int
    grain: int
    other: int
    lengths: int
    begins: bool
    family: str
    needs: tuple[int, ...] | None = field(default=(), compare=False)
    is_whole: bool = field(default=False, compare=False)
    who: str = "all"  # ranks that make it, as in `Program.has`; "members" of its communicator
    # A step begins at this call, on any rank, if the step before has any of these.
    triggers: frozenset[tuple[int, int]] = field(default=frozenset(), compare=False)


@dataclass
class Call:
    """One call of a program in one recording: its numbers, and its computation by rank.

    `peers` has the number of its partner for each family of rules that fits.
    """

    token: Token
    numbers: dict[str, int]
    after: list[int]
    peers: dict[str, int]


@dataclass(frozen=True)
class Number:
    """A number that may depend on the number of ranks, and in a loop on the round `k`.

    `base`, `n - base`, `base / n` or `base n`; `base` grows by `step` per round, or doubles.
    "faces": `base` over the extents of a grid in all directions in which a call has none.
    """

    base: Fraction
    form: str = "is"
    step: int | Fraction = 0
    doubles: bool = False
    delta: tuple[int, ...] = ()

    def of(self, n: int, k: int = 0) -> int:
        base = self.base * 2**k if self.doubles else self.base + self.step * k
        match self.form:
            case "is":
                return round(base)
            case "minus":
                return round(n - base)
            case "per":
                return round(base / n)
            case "faces":
                return round(base / across(n, self.delta))
            case _:
                return round(base * n)


@dataclass
class Item:
    """Calls that are made `count` times (a name of `COUNTS`), or once."""

    calls: list[tuple[Token, dict[str, Number]]]
    after: list[list[list[int]]]  # Of each round and call, by rank of the largest recording.
    count: str | None = None


@dataclass
class Program:
    """The calls of a class of ranks, and its members.

    `closes`: every step ends with a pause, which is no call of its own here. `pauses` has the
    computation before it by the call that it follows: of each recorded rank.
    """

    who: str
    items: list[Item]
    dims: int = 0
    periodic: tuple[bool, ...] = ()
    closes: bool = False
    pauses: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    def calls(self, n: int) -> int:
        """Calls of one of `n` ranks, at most; a list of lengths counts a call for each 64."""
        def each(item: Item) -> int:
            lists = sum(int(token.lengths) for token, _ in item.calls)
            return len(item.calls) + lists * (n // 64)

        return sum(each(item) * (COUNTS[item.count](n) if item.count else 1) for item in self.items)

    def has(self, rank: int, n: int) -> bool:
        """Whether `rank` of `n` has this program."""
        return is_one(self.who, rank, n)


def is_one(who: str, rank: int, n: int) -> bool:
    """Whether `rank` of `n` is a member."""
    return {"first": rank == 0, "others": rank > 0, "last": rank == n - 1}.get(
        who, who == "all" or rank < n - 1
    )


@dataclass(frozen=True)
class Part:
    """Disjoint communicators: the members of the one that contains a rank.

    "all"; "blocks" of `size` ranks; as many "shares" of all ranks as that; "turns", one rank in
    `size`; or those of a grid of `size` dimensions that differ in the directions `free` only.
    """

    how: str
    size: int = 0
    free: tuple[int, ...] = ()
    some: frozenset[int] = frozenset()  # existing colors, if not all

    def color(self, rank: int, n: int) -> int:
        """A number that is common to the members of one communicator only."""
        match self.how:
            case "all":
                return 0
            case "blocks":
                return rank // self.size
            case "shares":
                return rank * self.size // n
            case "turns":
                return rank % self.size
            case _:
                shape = grid(n, self.size)
                fixed = [0 if d in self.free else at for d, at in enumerate(place(rank, shape))]
                return rank_at(fixed, shape)


@functools.cache
def grid(n: int, dims: int) -> tuple[int, ...]:
    """As balanced a grid as `MPI_Dims_create` makes: factors of `n`, the largest first."""
    best: tuple[int, ...] = (n, *[1] * (dims - 1))

    def search(
        rest: int, most: int, left: int, chosen: tuple[int, ...]
    ) -> Iterator[tuple[int, ...]]:
        if left == 1:
            if rest <= most:
                yield (*chosen, rest)
            return
        for factor in range(1, min(rest, most) + 1):
            if rest % factor == 0:
                yield from search(rest // factor, factor, left - 1, (*chosen, factor))

    for shape in search(n, n, dims, ()):
        if (shape[0] - shape[-1], shape) < (best[0] - best[-1], best):
            best = shape
    return best


def across(n: int, delta: Sequence[int]) -> int:
    """Boxes in a grid's section across this direction."""
    shape = grid(n, len(delta))
    return math.prod(extent for extent, by in zip(shape, delta) if by == 0)


def place(rank: int, shape: Sequence[int]) -> tuple[int, ...]:
    """A rank's coordinates, the last counting fastest, as in `MPI_Cart_coords`."""
    coordinates = []
    for extent in reversed(shape):
        rank, at = divmod(rank, extent)
        coordinates.append(at)
    return tuple(reversed(coordinates))


def rank_at(coordinates: Sequence[int], shape: Sequence[int]) -> int:
    rank = 0
    for at, extent in zip(coordinates, shape):
        rank = rank * extent + at
    return rank


def neighbor(
    rank: int, delta: Sequence[int], shape: Sequence[int], periodic: Sequence[bool]
) -> int | None:
    """The rank at the distance `delta` on a grid; None beyond a border."""
    found = []
    for at, by, extent, wraps in zip(place(rank, shape), delta, shape, periodic):
        to = at + by
        if wraps:
            to %= extent
        elif not 0 <= to < extent:
            return None
        found.append(to)
    return rank_at(found, shape)


def peer_of(
    family: str, number: int, rank: int, n: int, periodic: Sequence[bool] = ()
) -> int | None:
    """The partner of a call of `rank` by its rule; None if there is none."""
    match family:
        case "root out":
            return number if rank == 0 and number < n else None
        case "root in":
            return 0 if rank else None
        case "line":
            return rank + number if 0 <= rank + number < n else None
        case "up":
            return rank + number if not rank & number and rank + number < n else None
        case "down":
            return rank - number if rank & number else None
        case "tree up":
            return rank + number if rank % (2 * number) == 0 and rank + number < n else None
        case "tree down":
            return rank - number if rank % (2 * number) == number else None
        case "off":
            return (rank + number) % n
        case "xor":
            return rank ^ number if rank ^ number < n else None
        case "to":
            return number
        case _:
            delta = delta_of(family)
            wraps = periodic or [mark == "p" for mark in family.split()[0].removeprefix("grid")]
            return neighbor(rank, delta, grid(n, len(delta)), wraps)


def delta_of(family: str) -> tuple[int, ...]:
    """The direction of a neighbor on a grid; None for other partners."""
    return tuple(int(word) for word in family.split()[1:]) if family.startswith("grid") else ()


def completing(rows: Sequence[dict[str, Any]], first: int, behind: int) -> list[int]:
    """Those of the calls that others can depend on."""
    return [nth for nth in range(first, behind) if rows[nth]["op"] not in ENDLESS]


def contexts_of(of: Recording) -> list[dict[int, int]]:
    """The communicators of a recording by kinds: by rank, the one that contains it.

    Communicators from one call are disjoint and have consecutive numbers.
    """
    kinds: list[dict[int, int]] = []
    for context, members in sorted(of.header["communicators"]):
        if not kinds or any(rank in kinds[-1] for rank in members):
            kinds.append({})
        kinds[-1] |= dict.fromkeys(members, context)
    return kinds


def parts_of(recordings: Sequence[Recording]) -> list[Part]:
    """The rule of members for each kind of communicators, valid for all recordings."""
    each = [contexts_of(of) for of in recordings]
    if len({len(kinds) for kinds in each}) > 1:
        counts = " and ".join(str(len(kinds)) for kinds in each)
        raise IrregularError(
            recordings[0].name, f"{counts} kinds of communicators in the recordings",
            "as many in all",
        )  # fmt: skip
    grids = [
        Part("grid", dims, free)
        for dims in (2, 3, 4)
        for some in range(1, dims)
        for free in itertools.combinations(range(dims), some)
    ]

    def rules(own: int) -> Iterator[Part]:
        """If several fit, the first: independent of the number of ranks, halves, rows of a grid."""
        sizes, turns, shares = set(), set(), set()
        for of, kinds in zip(recordings, each):
            context = min(kinds[own].values())
            members = sorted(rank for rank, its in kinds[own].items() if its == context)
            sizes.add(len(members))
            turns.update(b - a for a, b in itertools.pairwise(members[:2]))
            shares.add(max(of.ranks // len(members), 1))
        yield Part("all")
        yield from (Part("blocks", size) for size in sorted(sizes))
        yield from (Part("turns", size) for size in sorted(turns))
        yield Part("shares", 2)
        yield from grids
        yield from (Part("shares", size) for size in sorted(shares))

    def only(part: Part, own: int) -> Part | None:
        """The rule, restricted to existing communicators; None if it does not fit."""
        used: set[frozenset[int]] = set()
        for of, kinds in zip(recordings, each):
            colors = [part.color(rank, of.ranks) for rank in range(of.ranks)]
            pairs = {(colors[rank], context) for rank, context in kinds[own].items()}
            some = frozenset(color for color, _ in pairs)
            if not len(pairs) == len(some) == len({context for _, context in pairs}):
                return None
            if any(colors[rank] in some and rank not in kinds[own] for rank in range(of.ranks)):
                return None
            whole = len(some) == len(set(colors))
            used.add(frozenset() if whole else some)
        return replace(part, some=used.pop()) if len(used) == 1 else None

    found = []
    for own in range(len(each[0])):
        part = next(filter(None, (only(part, own) for part in rules(own))), None)
        if part is None:
            of, context = recordings[-1], min(each[-1][own].values())
            members = next(m for c, m in of.header["communicators"] if c == context)
            shown = ", ".join(map(str, members[:6])) + (", ..." if len(members) > 6 else "")
            raise IrregularError(
                f"{of.name}, communicator {context}", f"ranks {shown}",
                "all ranks, blocks or shares of them, one in so many, or rows of a grid",
            )  # fmt: skip
        found.append(part)
    return found


def tokens(of: Recording, rank: int) -> list[tuple[Token, dict[str, int]]]:
    """The calls of a rank, without rules of partners."""
    rows, found = of.rows[rank], []
    known = of.kinds[rank]
    size = {context: len(members) for context, members in of.header["communicators"]}
    before = -1
    starts: list[int] = []
    for nth, row in enumerate(rows):
        begins = row["step"] != before
        before = row["step"]
        if begins:
            starts.append(nth)
        own = row["context"] & ~PRIVATE
        if own != WORLD and own not in known:
            wanted = "a communicator that the header knows"
            raise IrregularError(of.at(rank, nth), f"communicator {own}", wanted)
        context = (known[own] if own != WORLD else 0) | row["context"] & PRIVATE
        if row["op"].startswith("file_"):
            wanted = "no calls on simulated file systems, which have no rule yet"
            raise IrregularError(of.at(rank, nth), row["op"], wanted)
        lengths = row["lengths"]
        members = size.get(own, of.ranks)
        if len(set(lengths)) > 1 or len(lengths) % members:
            raise IrregularError(
                of.at(rank, nth), "blocks of several lengths", "blocks of one length"
            )
        needs = tuple(nth - need for need in row["needs"])
        announced = nth
        while rows[announced]["op"] in ANNOUNCING and announced + 1 < len(rows):
            announced += 1
        last = starts[-2:-1]
        is_whole = begins and bool(last) and list(row["needs"]) == completing(rows, last[0], nth)
        token = Token(
            op=row["op"], tag="is", context=context, flags=row["flags"], grain=row["grain"],
            other=nth - row["other"] if row["op"] in LINKED else row["other"],
            lengths=len(lengths) // members, begins=begins, needs=needs, is_whole=is_whole,
            family="" if rows[announced]["op"] in PAIRWISE else "none",
        )  # fmt: skip
        numbers = {name: row[name] for name in ("bytes", "back", "span_ps", "root", "tag")}
        numbers |= {"length": lengths[0] if lengths else 0, "scale": 0}
        numbers["peer"] = row["peer"]
        found.append((token, numbers))
    return found


def with_family(token: Token, family: str) -> Token:
    return Token(**{**token.__dict__, "family": family})


def with_needs(same: Sequence[Token]) -> Token | None:
    """The call, if its dependencies follow one rule at all places."""
    if len({token.needs for token in same}) == 1:
        is_whole = all(token.is_whole for token in same)
        return Token(**{**same[0].__dict__, "is_whole": is_whole})
    if all(token.is_whole for token in same):
        return Token(**{**same[0].__dict__, "needs": None})
    return None


def aligned(of: Recording, ranks: Sequence[int]) -> list[Call]:
    """The program of ranks with equal calls, if one rule per call explains the partners."""
    n = of.ranks
    each = [tokens(of, rank) for rank in ranks]
    calls = []
    for nth, same in enumerate(zip(*each)):
        token, numbers = with_needs([token for token, _ in same]), dict(same[0][1])
        tagged = [(r, of_rank["peer"], of_rank["tag"]) for r, (_, of_rank) in zip(ranks, same)]
        form = tag_rule(tagged)
        if form is not None and token is not None:
            token = replace(token, tag=form[0])
            same = [(t, {**of_rank, "tag": form[1], "scale": form[2]}) for t, of_rank in same]
            numbers |= {"tag": form[1], "scale": form[2]}
        if token is None:
            raise IrregularError(
                of.at(ranks[0], nth), "needs that differ from rank to rank",
                "the same on all ranks of its kind",
            )  # fmt: skip
        for rank, (_, theirs) in zip(ranks, same):
            for name in NUMBERS:
                if theirs[name] != numbers[name]:
                    raise IrregularError(
                        of.at(rank, nth),
                        f"{name} {theirs[name]}, where rank {ranks[0]} has {numbers[name]}",
                        "the same on all ranks of its kind",
                    )
        if token.family == "":
            peers = [theirs["peer"] for _, theirs in same]
            rules = {
                "to": {peer for peer in peers},
                "off": {(peer - rank) % n for rank, peer in zip(ranks, peers)},
                "xor": {peer ^ rank for rank, peer in zip(ranks, peers)},
            }
            allowed = {name: found.pop() for name, found in rules.items() if len(found) == 1}
            if not allowed:
                one = odd_one(of, nth, list(zip(ranks, peers)))
                if one is not None:
                    raise one
                shown = ", ".join(f"{r} with {p}" for r, p in list(zip(ranks, peers))[:4])
                raise IrregularError(
                    of.at(ranks[0], nth), f"partners {shown}, ...",
                    "partners by one rule: an offset around all ranks, exclusive or, one rank "
                    "for all, or neighbors on a grid",
                )  # fmt: skip
        else:
            allowed = {"none": numbers["peer"]}
        del numbers["peer"]
        after = [of.rows[rank][nth]["after_ps"] for rank in ranks]
        calls.append(Call(token, numbers, after, allowed))
    return calls


def odd_one(
    of: Recording, nth: int, pairs: Sequence[tuple[int, int]]
) -> IrregularError | None:
    """The first partner that breaks the rule of most ranks."""
    n = of.ranks
    for word, number in (
        ("the rank {} further on", lambda rank, peer: (peer - rank) % n),
        ("rank {}", lambda rank, peer: peer),
    ):
        numbers = [number(rank, peer) for rank, peer in pairs]
        most = max(sorted(set(numbers)), key=numbers.count)
        if 2 * numbers.count(most) > len(numbers):
            rank = next(rank for (rank, _), own in zip(pairs, numbers) if own != most)
            return IrregularError(
                of.at(rank, nth),
                f"{in_words(of.rows[rank][nth])}, where most ranks have {word.format(most)}",
                "partners by one rule: an offset around all ranks, exclusive or, one rank "
                "for all, or neighbors on a grid",
            )
    return None


def tag_rule(made: Sequence[tuple[int, int, int]]) -> tuple[str, int, int] | None:
    """The rule of tags for triples (rank, partner, tag): a constant, or a constant plus a multiple
    of the rank or of its partner."""
    first = made[0]
    if all(tag == first[2] for _, _, tag in made):
        return "is", first[2], 0
    found = []
    for form, at in (("own", 0), ("peer", 1)):
        other = next((one for one in made if one[at] != first[at]), None)
        if other is None or (other[2] - first[2]) % (other[at] - first[at]):
            continue
        scale = (other[2] - first[2]) // (other[at] - first[at])
        base = first[2] - scale * first[at]
        if all(one[2] == base + scale * one[at] for one in made):
            found.append((form, base, scale))
    # At a constant distance both fit; the one with the smaller constant is chosen.
    return min(found, key=lambda rule: abs(rule[1]), default=None)


def on_grid(
    of: Recording, dims: int, periodic: tuple[bool, ...], behind: bool
) -> list[Call] | None:
    """The program of a grid's positions, merged from all ranks; None if it is no such grid.

    A call is identified by its operation, its direction and the number of such calls before it. The
    order of calls must follow from the orders of ranks. The ends of computation are counted like
    other calls or, `behind`, belong to the call before them, and are missing where that is.
    """
    n, shape = of.ranks, grid(of.ranks, dims)
    if min(shape) < 2:
        return None
    near = [d for d in itertools.product((-1, 0, 1), repeat=dims) if any(d)]
    calls: dict[tuple[Any, ...], Call] = {}
    lists: list[list[tuple[Any, ...]]] = []
    for rank in range(n):
        by_peer: dict[int, list[str]] = {}
        for delta in near:
            peer = neighbor(rank, delta, shape, periodic)
            if peer is not None and peer != rank:
                by_peer.setdefault(peer, []).append(" ".join(["grid", *map(str, delta)]))
        seen: dict[tuple[Any, ...], int] = {}
        rank_keys = []
        for nth, (token, numbers) in enumerate(tokens(of, rank)):
            if token.family == "":
                families = by_peer.get(numbers["peer"], ())
                if len(families) != 1:
                    return None
                token = with_family(token, families[0])
            peers = {token.family: 0 if token.family != "none" else numbers["peer"]}
            numbers = {name: numbers[name] for name in NUMBERS}
            plain = Token(**{**token.__dict__, "begins": False, "needs": (), "other": 0})
            before = None
            if behind and rank_keys and token.op == "pause":
                before, plain = rank_keys[-1], with_family(plain, "behind")
                token, peers = with_family(token, "behind"), {"behind": 0}
            kind = (plain, *sorted(numbers.items()), before)
            seen[kind] = seen.get(kind, 0) + 1
            key = (*kind, seen[kind])
            calls.setdefault(key, Call(token, numbers, [], peers)).after.append(
                of.rows[rank][nth]["after_ps"]
            )
            rank_keys.append(key)
        lists.append(rank_keys)
    order = merged(lists)
    if order is None:
        return None
    where = {key: nth for nth, key in enumerate(order)}
    places = [{key: at for at, key in enumerate(rank_keys)} for rank_keys in lists]
    heads: dict[int, list[tuple[bool, set[int]]]] = {}
    program = []
    for nth, key in enumerate(order):
        begins, other = nth == 0, 0
        for rank, rank_keys in enumerate(lists):
            at = places[rank].get(key)
            if at is None:
                continue
            rows = of.rows[rank]
            if at and rank_keys[at - 1] == order[nth - 1]:
                begins = begins or rows[at]["step"] != rows[at - 1]["step"]
            if rows[at]["op"] in LINKED:
                other = nth - where[rank_keys[rows[at]["other"]]]
        call = calls[key]
        token = Token(**{**call.token.__dict__, "begins": begins, "needs": ()})
        if token.op in LINKED:
            token = Token(**{**token.__dict__, "other": other})
        program.append(Call(token, call.numbers, call.after, call.peers))
    # The first call of a rank in a step has the dependencies of the step.
    for rank, rank_keys in enumerate(lists):
        rows, start, last = of.rows[rank], 0, 0
        for at, key in enumerate(rank_keys):
            if at and rows[at]["step"] == rows[at - 1]["step"]:
                continue
            last, start = start, at
            head = next(n for n in range(where[key], -1, -1) if program[n].token.begins)
            is_whole = at > 0 and list(rows[at]["needs"]) == completing(rows, last, at)
            needs = {where[rank_keys[need]] for need in rows[at]["needs"]}
            heads.setdefault(head, []).append((is_whole, needs))
    for head, found in heads.items():
        needed = sorted(set().union(*(needs for _, needs in found)))
        needs = None if all(whole for whole, _ in found) else tuple(head - n for n in needed)
        call = program[head]
        call.token = Token(**{**call.token.__dict__, "needs": needs, "is_whole": needs is None})
    return program


def merged(lists: list[list[Any]]) -> list[Any] | None:
    """The only order that contains all lists; None if there is none or more than one."""
    after: dict[Any, set[Any]] = {}
    waits: dict[Any, int] = {}
    for rank_keys in lists:
        for key in rank_keys:
            after.setdefault(key, set())
            waits.setdefault(key, 0)
        for one, other in itertools.pairwise(rank_keys):
            if other not in after[one]:
                after[one].add(other)
                waits[other] += 1
    order: list[Any] = []
    ready = [key for key, count in waits.items() if count == 0]
    while ready:
        if len(ready) > 1:
            return None
        key = ready.pop()
        order.append(key)
        for other in after[key]:
            waits[other] -= 1
            if waits[other] == 0:
                ready.append(other)
    return order if len(order) == len(after) else None


def fitting(
    values: Sequence[Sequence[int]],
    ns: Sequence[int],
    is_rank: bool,
    delta: tuple[int, ...] = (),
) -> Number | None:
    """The rule of numbers by recording and round, if any. `delta` is the direction of a call on a
    grid."""
    forms: dict[str, Callable[[int, int], Fraction]] = {"is": lambda v, _: Fraction(v)}
    if delta:
        forms["faces"] = lambda v, n: Fraction(v * across(n, delta))
    if is_rank:
        forms |= {"minus": lambda v, n: Fraction(n - v)}
    forms |= {"per": lambda v, n: Fraction(v * n), "times": lambda v, n: Fraction(v, n)}
    for form, base_of in forms.items():
        base = base_of(values[0][0], ns[0])
        rules = [Number(base, form, delta=delta if form == "faces" else ())]
        if len(values[0]) > 1 and form in ("is", "minus"):
            step = base_of(values[0][1], ns[0]) - base
            rules += [Number(base, form, 0, True), Number(base, form, int(step))]
        for rule in rules:
            if all(
                rule.of(n, k) == value
                for n, row in zip(ns, values)
                for k, value in enumerate(row)
            ):
                return rule
    return None


def in_lines(values: Sequence[Sequence[int]], ns: Sequence[int], of: Number) -> Number | None:
    """The rule of cache lines of the bytes, rounded up: proportional to the bytes, whose rule is
    `of`, to within one line."""
    at = [(n, k, v) for n, row in zip(ns, values) for k, v in enumerate(row)]
    pairs = [(of.of(n, k), v) for n, k, v in at]
    if any(b <= 0 for b, _ in pairs):
        return None
    most, touched = max(pairs)
    low = max(Fraction(v - LINE, b) for b, v in pairs)
    high = min(Fraction(v + LINE, b) for b, v in pairs)
    each_byte = min(max(Fraction(touched, most), low), high)
    rule = Number(of.base * each_byte, of.form, of.step * each_byte, of.doubles)
    return rule if all(is_near(rule.of(n, k), v) for n, k, v in at) else None


def is_near(one: int, other: int) -> bool:
    """Whether two numbers of bytes are equal to within one line."""
    return abs(one - other) <= LINE


def is_plain(name: str, value: int, n: int) -> bool:
    """Whether one recording determines a number for other numbers of ranks."""
    if name == "root":
        return value == 0
    plain = {"off": (1, n - 1), "xor": (1,), "to": (0,), "line": (1, -1)}
    plain |= dict.fromkeys(("up", "down", "tree up", "tree down"), ())
    return value in plain.get(name, (value,))


def rules_of(
    same: Sequence[Sequence[Call]], recordings: Sequence[Recording]
) -> tuple[Token, dict[str, Number]] | str:
    """One call, by recording and round, with the rules of its numbers, or the unexplained one."""
    ns = [of.ranks for of in recordings]

    delta = next(filter(None, map(delta_of, same[0][0].peers)), ())

    def rule_of(name: str, values: list[list[int]], is_rank: bool) -> Number | None:
        if len(ns) > 1:
            return fitting(values, ns, is_rank, delta if name == "bytes" else ())
        value = values[0][0]
        if not is_plain(name, value, ns[0]):
            return None
        is_behind = is_rank and value == ns[0] - 1
        return Number(Fraction(1), "minus") if is_behind else Number(Fraction(value))

    found = {}
    for name in NUMBERS:
        values = [[call.numbers[name] for call in rounds] for rounds in same]
        rule = None
        if name == "back" and same[0][0].token.op in ANNOUNCING and len(ns) > 1:
            rule = in_lines(values, ns, found["bytes"])
        rule = rule or rule_of(name, values, name == "root")
        if rule is None:
            return name
        found[name] = rule
    calls = [call for rounds in same for call in rounds]
    token = with_needs([call.token for call in calls])
    if token is None:
        return "needs"
    for family in calls[0].peers:
        if all(family in call.peers for call in calls):
            values = [[call.peers[family] for call in rounds] for rounds in same]
            rule = rule_of(family, values, family in ("off", "xor", "to"))
            if rule is not None:
                return with_family(token, family), {**found, "peer": rule}
    return "peer"


def unified(
    each: Sequence[list[Call]], recordings: Sequence[Recording], ranks: Sequence[int]
) -> list[Item]:
    """One program from those of the recordings, ordered by their numbers of ranks."""
    ns = [of.ranks for of in recordings]
    items: list[Item] = []
    at = [0] * len(each)
    while any(here < len(calls) for here, calls in zip(at, each)):
        now = [calls[here] if here < len(calls) else None for here, calls in zip(at, each)]
        what = "calls"
        if len({call and call.token for call in now}) == 1:
            rules = rules_of([[call] for call in now], recordings)  # type: ignore[list-item]
            if not isinstance(rules, str):
                after = [[now[-1].after]]  # type: ignore[union-attr]
                items.append(Item([rules], after))
                at = [here + 1 for here in at]
                continue
            what = rules
        loop = len(ns) > 1 and looped(each, at, items, recordings)
        if not loop:
            shown = " and ".join(map(str, ns))
            where = recordings[0].at(ranks[0], at[0])
            if len(ns) == 1:
                call = now[0]
                value = call.numbers.get(what, call.peers)  # type: ignore[union-attr]
                raise IrregularError(
                    where, f"{what} {value} of {ns[0]} ranks, which one recording cannot explain",
                    "recordings of two numbers of ranks, or a partner one rank away",
                )  # fmt: skip
            raise IrregularError(
                where, f"{what} that no rule explains on {shown} ranks: {values_of(what, now, ns)}",
                "numbers that are constant, in proportion to the ranks or in inverse proportion, "
                f"and calls repeated {', '.join(COUNTS)} times",
            )  # fmt: skip
    return items


def values_of(what: str, now: Sequence[Call | None], ns: Sequence[int]) -> str:
    """The values of recordings at a call that no rule explains, as text."""
    def of(call: Call | None) -> str:
        if call is None:
            return "no more calls"
        if what in call.numbers:
            return str(call.numbers[what])
        if what == "peer":
            return " or ".join(f"{family} {number}" for family, number in call.peers.items())
        token, numbers = call.token, call.numbers
        family = next((f" ({family})" for family in call.peers if family != "none"), "")
        return f"{token.op}{family} of {numbers['bytes']} B"

    return ", ".join(f"{of(call)} on {n}" for call, n in zip(now, ns))


def in_words(row: dict[str, Any]) -> str:
    """A call with its arguments and possible MPI functions, as text."""
    names = FUNCTIONS.get(row["op"], f"MPI_{row['op'].capitalize()}")
    if row["op"] in PAIRWISE:
        return f"{names} with rank {row['peer']}, tag {row['tag']}, {row['bytes']} B"
    if row["op"] in ("pause", "exit", "delay"):
        return names
    return f"{names} of {row['bytes']} B, root {row['root']}"


def difference(of: Recording) -> IrregularError:
    """Report the first call of a rank that differs from rank 0's."""
    plain = ("op", "context", "flags", "grain", "bytes", "root", "lengths")
    first = of.rows[0]
    for rank, rank_rows in enumerate(of.rows):
        for nth, (row, its) in enumerate(itertools.zip_longest(rank_rows, first)):
            if row and its and all(row[name] == its[name] for name in plain):
                continue
            found = in_words(row) if row else f"the end after {len(rank_rows)} calls"
            theirs = in_words(its) if its else f"made all of its {len(first)} calls"
            return IrregularError(of.at(rank, nth), f"{found}, where rank 0 has {theirs}", ALIKE)
    for rank, rank_rows in enumerate(of.rows):
        for nth, (row, its) in enumerate(zip(rank_rows, first)):
            if row["peer"] != its["peer"] or row["tag"] != its["tag"]:
                return IrregularError(
                    of.at(rank, nth), f"{in_words(row)}, where rank 0 has {in_words(its)}", ALIKE
                )
    return IrregularError(of.name, "ranks that wait at other calls than each other", ALIKE)


def looped(
    each: Sequence[list[Call]],
    at: list[int],
    items: list[Item],
    recordings: Sequence[Recording],
) -> bool:
    """Make a loop of the last calls if that explains the differences of recordings from here."""
    ns = [of.ranks for of in recordings]
    plain = next((k for k, item in enumerate(reversed(items)) if item.count), len(items))
    for name, count in COUNTS.items():
        for body in range(1, LONGEST_BODY + 1):
            counts = [count(n) for n in ns]
            # The calls after the loop may equal its beginning.
            for beyond in range(2 * body):
                back = body * counts[0] + beyond
                if counts[0] < 2 or back > plain:
                    continue
                starts = [here - back for here in at]
                item = loop_of(each, starts, body, counts, recordings)
                if item is None:
                    continue
                ends = [start + body * rounds for start, rounds in zip(starts, counts)]
                if not agree_behind(each, ends, beyond, recordings):
                    continue
                item.count = name
                del items[len(items) - back :]
                items.append(item)
                at[:] = ends
                return True
    return False


def agree_behind(
    each: Sequence[list[Call]],
    ends: Sequence[int],
    beyond: int,
    recordings: Sequence[Recording],
) -> bool:
    """Whether recordings agree from there on, for a number of calls or to their ends."""
    rests = [calls[end : end + beyond + 1] for calls, end in zip(each, ends)]
    if len({tuple(call.token for call in rest) for rest in rests}) > 1:
        return False
    behind = zip(*rests)
    return not any(isinstance(rules_of([[c] for c in same], recordings), str) for same in behind)


def loop_of(
    each: Sequence[list[Call]],
    starts: Sequence[int],
    body: int,
    counts: Sequence[int],
    recordings: Sequence[Recording],
) -> Item | None:
    """These calls of each recording as one loop, if they are one."""
    calls = []
    for nth in range(body):
        same = [
            calls[start + nth : start + body * count : body]
            for calls, start, count in zip(each, starts, counts)
        ]
        if any(len(rounds) != count for rounds, count in zip(same, counts)):
            return None
        token = same[0][0].token
        if any(call.token != token for rounds in same for call in rounds):
            return None
        rules = rules_of(same, recordings)
        if isinstance(rules, str):
            return None
        calls.append(rules)
    largest, start = each[-1], starts[-1]
    after = [
        [largest[start + k * body + nth].after for nth in range(body)] for k in range(counts[-1])
    ]
    return Item(calls, after)


def kinds(of: Recording) -> dict[str, list[int]] | None:
    """Ranks with equal calls, by the name of their class; None for other groupings."""
    groups: dict[Any, list[int]] = {}
    for rank in range(of.ranks):
        groups.setdefault(tuple(token for token, _ in tokens(of, rank)), []).append(rank)
    n, found = of.ranks, sorted(groups.values())
    if len(found) == 1:
        return {"all": found[0]}
    if found == [[0], list(range(1, n))]:
        return {"first": found[0], "others": found[1]}
    if found == [list(range(n - 1)), [n - 1]]:
        return {"before": found[0], "last": found[1]}
    return None


def programs(recordings: Sequence[Recording]) -> list[Program]:
    """The programs of all recordings' ranks; raises `IrregularError`."""
    first: IrregularError | None = None
    groups = [kinds(of) for of in recordings]
    if all(found is not None and found.keys() == (groups[0] or {}).keys() for found in groups):
        try:
            found = []
            for who in groups[0] or {}:
                ranks = [group[who] for group in groups]  # type: ignore[index]
                each = [aligned(of, rank) for of, rank in zip(recordings, ranks)]
                found.append(Program(who, unified(each, recordings, ranks[0])))
            return found
        except IrregularError as error:
            first = error
            first.is_close = True
    for dims in (1, 2, 3, 4):
        wraps = itertools.product(*[(False, True)] * dims)
        for periodic, behind in itertools.product(wraps, (False, True)):
            each = [on_grid(of, dims, periodic, behind) for of in recordings]
            if any(calls is None for calls in each):
                continue
            with contextlib.suppress(IrregularError):
                items = unified(each, recordings, [0])  # type: ignore[arg-type]
                found = [Program("all", items, dims, periodic)]
                return found
    if first is None:
        first = difference(recordings[0])
    raise first


def described(found: Sequence[Program]) -> list[str]:
    """The pattern as text."""
    lines = []
    for program in found:
        who = {"all": "all ranks", "before": "ranks before the last"}.get(
            program.who, f"{program.who} rank{'s' * (program.who == 'others')}"
        )
        families = {token.family for item in program.items for token, _ in item.calls}
        words = {"off": "offsets around all ranks", "xor": "exclusive or", "to": "one rank for all"}
        words |= {"line": "offsets along all ranks", "root out": "the first with each other",
                  "up": "ranks that differ in a bit", "tree up": "a binomial tree"}
        forms = [word for family, word in words.items() if family in families]
        if program.dims and any(map(delta_of, families)):
            wraps = "".join("p" if wrap else "-" for wrap in program.periodic)
            forms.append(f"a grid of {program.dims} dimensions ({wraps})")
        elif grids := sorted({family.split()[0] for family in families if delta_of(family)}):
            forms += [f"a grid of {len(g) - 4} dimensions ({g[4:]})" for g in grids]
        if any(number.form == "faces" for item in program.items for _, numbers in item.calls
               for number in numbers.values()):  # fmt: skip
            forms.append("bytes of faces in inverse proportion to their extents")
        forms += sorted({part.how for part in program.parts} - {"all"})
        loops = sorted({item.count for item in program.items if item.count})
        forms += [f"calls repeated {count} times" for count in loops]
        scaled = {
            f"{name} in {'inverse ' * (rule.form == 'per')}proportion to the ranks"
            for item in program.items
            for _, numbers in item.calls
            for name, rule in numbers.items()
            if rule.form in ("per", "times")
        }
        lines.append(f"{who}: {', '.join([*forms, *sorted(scaled)]) or 'collectives'}")
    return lines
