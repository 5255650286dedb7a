"""The wiring of a campaign's nodes: switches, groups, and the cables between them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from .. import core
from ..machines import Machine


@dataclass(frozen=True)
class Cable:
    """A local cable has equal groups. `links` are pairs of switches."""

    groups: tuple[int, int]
    nth: int  # among the cables of its two switches or groups
    links: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        """`s3-s9#0` for a cable between switches of a group, `g0-g5#1` between groups."""
        a, b = self.groups
        if a == b:
            a, b = sorted(self.links[0])
            return f"s{a}-s{b}#{self.nth}"
        return f"g{a}-g{b}#{self.nth}"


class Wiring:
    """Where the nodes are attached. Nodes, switches and groups have the machine's numbers."""

    def __init__(self, machine: Machine, nodes: Sequence[int]):
        request = {"machine": machine.request(), "nodes": list(nodes)}
        found = json.loads(core.query("wiring", request))
        self.nodes = tuple(nodes)
        self.names: dict[int, str] = dict(zip(nodes, found["names"], strict=True))
        self.switches: dict[int, list[int]] = dict(zip(nodes, found["nic_switches"], strict=True))
        self.groups = {int(switch): group for switch, group in found["groups"].items()}
        # First node, first switch and kind of each group; groups of a kind are equal.
        self.starts: dict[int, tuple[int, int, int]] = {
            int(group): tuple(start) for group, start in found["starts"].items()
        }
        self.cables = [
            Cable(tuple(row["groups"]), row["nth"], tuple(map(tuple, row["links"])))
            for row in found["cables"]
        ]

    def nics_of_node(self, node: int) -> list[tuple[int, int]]:
        return [(node, nic) for nic in range(len(self.switches.get(node, ())))]

    def nics_of_switch(self, switch: int) -> list[tuple[int, int]]:
        return [(node, nic) for node, switches in self.switches.items()
                for nic, at in enumerate(switches) if at == switch]  # fmt: skip

    def links_of_switch(self, switch: int) -> list[tuple[int, int]]:
        """Pairs of switches, each once."""
        found = (link for cable in self.cables for link in cable.links if switch in link)
        return list(dict.fromkeys(found))

    def group_of(self, node: int) -> int:
        return self.groups[self.switches[node][0]]

    @property
    def ports(self) -> list[str]:
        """The ports whose counters are read: of NICs, of local and of global cables."""
        nics = [f"{node}:{nic}" for node in self.nodes for node, nic in self.nics_of_node(node)]
        return nics + [cable.name for cable in self.cables]
