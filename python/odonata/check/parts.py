"""Independent parts of a test. Traffic within a group uses only links of that group, so a test of
groups, switches or neighbors is a simulation per group.

Equal parts are simulated once. A part is moved to the first group of the campaign in which its
nodes are attached in the same form, unless a fault touches it. So a campaign on a whole machine
costs little more than one on a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .faults import Planted
from .patterns import Test
from .wiring import Wiring


@dataclass(frozen=True)
class Part:
    """A part of a test. `places` are the indices of its values among those of the whole."""

    test: Test
    places: list[int]
    groups: frozenset[int]


def parts_of(test: Test, wiring: Wiring) -> Iterator[Part]:
    """The parts in the order of their first nodes. Groups between which there is traffic, or that
    share a set, are one part."""
    ppn = test.ppn
    of_node = [wiring.group_of(node) for node in test.nodes]
    units = test.pairs if test.apart else test.sets
    first = joined_groups(
        {of_node[rank // ppn] for rank in ranks} for ranks in (*test.pairs, *test.sets)
    )  # fmt: skip
    members: dict[int, list[int]] = {}  # places of nodes
    for place, group in enumerate(of_node):
        members.setdefault(first.get(group, group), []).append(place)
    if len(members) == 1:
        yield Part(test, list(range(len(units))), frozenset(of_node))
        return
    owner = [0] * len(of_node)
    new = [0] * (len(of_node) * ppn)  # the rank within the part
    for part, places in members.items():
        for at, place in enumerate(places):
            owner[place] = part
            new[place * ppn : (place + 1) * ppn] = range(at * ppn, (at + 1) * ppn)
    rounds: dict[int, list[list[tuple[int, int]]]] = {part: [] for part in members}
    for of_round in test.rounds:
        for of_part in rounds.values():
            of_part.append([])
        for a, b in of_round:
            rounds[owner[a // ppn]][-1].append((new[a], new[b]))
    values: dict[int, list[int]] = {part: [] for part in members}
    for at, ranks in enumerate(units):
        values[owner[ranks[0] // ppn]].append(at)
    for part, places in members.items():
        if not values[part]:
            continue
        sets = () if test.apart else tuple(
            tuple(new[rank] for rank in test.sets[at]) for at in values[part]
        )  # fmt: skip
        kept = [of_round for of_round in rounds[part] if of_round or not test.apart]
        nodes = tuple(test.nodes[place] for place in places)
        yield Part(replace(test, nodes=nodes, rounds=kept, sets=sets), values[part],
                   frozenset(of_node[place] for place in places))  # fmt: skip


def joined_groups(sets: Iterable[set[int]]) -> dict[int, int]:
    """The first group of each connected component, for groups that are joined by a set."""
    parent: dict[int, int] = {}

    def root(group: int) -> int:
        while parent.get(group, group) != group:
            group = parent[group]
        return group

    for one in sets:
        if len(one) > 1:
            roots = {root(group) for group in one}
            for group in (*roots, *one):
                parent[group] = min(roots)
    return {group: root(group) for group in parent}


def joined(
    test: Test, wiring: Wiring, values_of: Callable[[Part], Sequence[float]]
) -> list[float]:  # fmt: skip
    """The values of a test from those of its parts."""
    found: dict[int, float] = {}
    for part in parts_of(test, wiring):
        found.update(zip(part.places, values_of(part), strict=True))
    return [found[place] for place in range(len(found))]


def touching(faults: Iterable[Planted], part: Part, wiring: Wiring) -> list[Planted]:
    """The faults that can change the values of a part."""
    nodes = set(part.test.nodes)

    def touches(fault: Planted) -> bool:
        if fault.place in ("nic", "node"):
            return fault.at[0] in nodes
        if len(part.groups) > 1:  # adaptive routes cross other groups
            return True
        is_local = fault.place in ("switch", "switches")
        return is_local and wiring.groups[fault.at[0]] in part.groups

    return [fault for fault in faults if touches(fault)]


def moved(part: Part, wiring: Wiring) -> Test:
    """The test in the first group of the campaign where its nodes are attached in the same form.

    The result depends on the campaign only, so a resumed campaign has the same predictions.
    """
    if len(part.groups) > 1:
        return part.test
    (group,) = part.groups
    node_0, switch_0, kind_0 = wiring.starts[group]
    attached = [(node - node_0, [switch - switch_0 for switch in wiring.switches[node]])
                for node in part.test.nodes]  # fmt: skip
    for node_1, switch_1, kind_1 in (wiring.starts[other] for other in sorted(wiring.starts)):
        if kind_1 == kind_0 and all(
            wiring.switches.get(node_1 + node) == [switch_1 + switch for switch in at]
            for node, at in attached
        ):
            return replace(part.test, nodes=tuple(node_1 + node for node, _ in attached))
    raise AssertionError("a part fits its own group")
