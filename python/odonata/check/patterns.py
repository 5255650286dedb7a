"""Tests of a fabric as rounds of pairs of ranks: fixed sets, round robin, links.

A test is the same on the twin and on a real machine. Ranks are numbered by node: node `i` of the
test has the ranks `i * ppn` to `(i + 1) * ppn - 1`, one per NIC.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

Pair = tuple[int, int]
T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Test:
    """Rounds of exchanges on nodes.

    With `apart` each round is measured for itself, and a value is the rate of a pair. Otherwise the
    rounds follow each other, and a value is the bandwidth per node of a set of nodes.
    """

    name: str
    nodes: tuple[int, ...]
    ppn: int
    size: int  # bytes of a message
    window: int  # messages in flight per pair and direction
    rounds: list[list[Pair]] = field(repr=False)
    sets: tuple[tuple[int, ...], ...] = ()  # ranks of each set, unless rounds are apart
    apart: bool = False
    both: bool = False  # both directions at once
    routing: str | None = None
    fidelity: str | None = None  # on the twin, if not that of the campaign

    @functools.cached_property
    def key(self) -> str:
        """Identifies what is measured, in the journal."""
        parts = [self.name, self.nodes, self.ppn, self.size, self.window, self.rounds, self.sets]
        parts += [self.apart, self.both, self.routing, self.fidelity]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def values(self, answer: Mapping[str, Any]) -> list[float]:
        """Bytes per second of each pair, or per node of each set, from the measured times."""
        moved = self.size * self.window * 2  # both directions
        if self.apart:
            return [moved / time for times in answer["pairs_s"] for time in times]
        sent = [0] * (len(self.nodes) * self.ppn)
        for pairs in self.rounds:
            for a, b in pairs:
                sent[a] += 1
                sent[b] += 1
        times = answer["ranks_s"]
        # As in dgnettest, both messages of an exchange count for each rank of a bisection.
        counted = 1 if self.both else 2
        found = []
        for ranks in self.sets:
            bytes_sent = sum(sent[rank] for rank in ranks) * self.size * self.window
            longest = max(times[rank] for rank in ranks)
            nodes = len({rank // self.ppn for rank in ranks})
            found.append(counted * bytes_sent / longest / nodes)
        return found

    @property
    def pairs(self) -> list[Pair]:
        """The pairs in the order of the values."""
        return [pair for pairs in self.rounds for pair in pairs]


def circle(n: int) -> list[list[Pair]]:
    """Round robin by the circle method: every pair once, in n - 1 rounds (n even) or n."""
    return [circle_round(n, nth) for nth in range(n + n % 2 - 1)]


def spread(count: int, most: int) -> list[int]:
    """At most `most` of the numbers below `count`, evenly spaced."""
    if count <= most:
        return list(range(count))
    return [i * count // most for i in range(most)]


def bisection(ranks: Sequence[int], ppn: int, most: int) -> list[list[Pair]]:
    """Exchanges between the two halves of the nodes of a set, at growing distance (dgnettest)."""
    half = len(ranks) // ppn // 2 * ppn
    first, second = ranks[:half], ranks[len(ranks) - half :]
    return [
        [(first[i], second[(i + shift) % half]) for i in range(half)]
        for shift in spread(half, most)
    ]


def all_to_all(ranks: Sequence[int], ppn: int, most: int) -> list[list[Pair]]:
    """Exchanges of all ranks with all others; pairs within a node are left out."""
    found = []
    for nth in spread(len(ranks) + len(ranks) % 2 - 1, most):
        pairs = circle_round(len(ranks), nth)
        real = ((ranks[a], ranks[b]) for a, b in pairs)
        found.append([(a, b) for a, b in real if a // ppn != b // ppn])
    return found


def circle_round(n: int, nth: int) -> list[Pair]:
    """One round of `circle(n)`."""
    size = n + n % 2
    last = size - 1
    found = [(nth, last)] if last < n else []
    for i in range(1, size // 2):
        a, b = (nth + i) % last, (nth - i) % last
        found.append((min(a, b), max(a, b)))
    return found


def merged(rounds_of_sets: Iterable[list[list[Pair]]]) -> list[list[Pair]]:
    """The rounds of several disjoint sets that run at once."""
    found: list[list[Pair]] = []
    for rounds in rounds_of_sets:
        for nth, pairs in enumerate(rounds):
            if nth == len(found):
                found.append([])
            found[nth].extend(pairs)
    return found


def round_robin(nodes: Sequence[int], ppn: int) -> list[list[Pair]]:
    """All pairs of nodes in turns; rank i of a node exchanges with rank i of the other."""
    return [
        [(nodes[a] * ppn + i, nodes[b] * ppn + i) for a, b in pairs for i in range(ppn)]
        for pairs in circle(len(nodes))
    ]


def colored(edges: Sequence[tuple[T, T]]) -> list[list[int]]:
    """Edge coloring: rounds of edges (by index) without a common end.

    The greedy rule needs at most 2 d - 1 rounds at degree d; edges in the order of the circle
    method need d.
    """
    used: dict[Hashable, set[int]] = {}
    found: list[list[int]] = []
    for nth, (a, b) in enumerate(edges):
        taken = used.setdefault(a, set()) | used.setdefault(b, set())
        color = next(c for c in range(len(taken) + 1) if c not in taken)
        used[a].add(color)
        used[b].add(color)
        while len(found) <= color:
            found.append([])
        found[color].append(nth)
    return found


def in_circle_order(edges: Sequence[tuple[T, T]]) -> list[int]:
    """Indices of edges such that the greedy coloring of a complete graph is optimal."""
    ends = sorted({end for edge in edges for end in edge})  # type: ignore[type-var]
    place = {end: i for i, end in enumerate(ends)}
    last = len(ends) + len(ends) % 2 - 1

    def turn(nth: int) -> tuple[int, int]:
        a, b = sorted(place[end] for end in edges[nth])
        # In round r of the circle method r meets the last, and r + i meets r - i.
        return ((2 * a if b == last else a + b) % last if last > 0 else 0, nth)

    return sorted(range(len(edges)), key=turn)


def set_test(
    kind: str, name: str, nodes: Sequence[int], ppn: int, sets: Sequence[Sequence[int]],
    size: int, most: int,
) -> Test:  # fmt: skip
    """`bisect` or `all2all` on all sets at once. Sets are places in `nodes`."""
    ranks = [tuple(place * ppn + i for place in places for i in range(ppn)) for places in sets]
    rule = bisection if kind == "bisect" else all_to_all
    rounds = merged(rule(of_set, ppn, most) for of_set in ranks)
    return Test(name, tuple(nodes), ppn, size, 1 if kind == "bisect" else 2, rounds, tuple(ranks),
                both=kind != "bisect")  # fmt: skip
