"""Faults planted on the twin: what they do to links, and what the tools of a node report.

A kind of fault is represented by what a measurement can see of it: lost lanes of a link, or an
interruption. Everything else is state that tools and counters report (docs/models/fabric-check.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import Diagnostics
from .wiring import Wiring

# Kinds, and the places where they can be.
KINDS: dict[str, tuple[str, ...]] = {
    "lanes": ("nic", "switches", "groups"),
    "ber": ("nic", "switches", "groups"),
    "flap": ("nic", "switches", "groups"),
    "policy": ("nic", "switches", "groups"),
    "pcie": ("nic",),
    "slow-host": ("node",),
    "late-sweep": ("switches", "groups"),
    "switch": ("switch",),
    "congestion": ("system",),
}
PLACES = ("nic", "node", "switches", "groups", "switch")
KEYS = ("kind", *PLACES, "cable", "lanes", "ber", "from", "length", "share")


@dataclass(frozen=True)
class Planted:
    """One fault. `at` is `(node, nic)`, `(node,)`, `(switch, switch, cable)`,
    `(group, group, cable)` or `(switch,)`."""

    kind: str
    place: str
    at: tuple[int, ...]
    lanes: int = 2
    ber: float = 0.0
    start_s: float = 0.0  # of a flap or congestion, since the start of the campaign
    length_s: float = 0.0
    share: float = 1.0  # bandwidth that congestion leaves

    @property
    def part(self) -> str:
        """The faulty part, as a verdict names it."""
        return part_of(self.kind, self.place, self.at)

    def has_effect(self, fidelity: str) -> bool:
        """Whether simulations of an idle machine have it. Only packets have bit errors."""
        if self.kind == "ber":
            return fidelity == "packet"
        return self.kind not in ("flap", "congestion")

    def schedule(self, wiring: Wiring, fidelity: str) -> str:
        """Its rows in a fault schedule (docs/models/faults.md); empty without an effect there.

        A NIC with half of its PCIe lanes and a port with the policy of half the rate are a link
        with two lanes. A slow host delays all of its NICs.
        """
        if not self.has_effect(fidelity):
            return ""
        lanes = 2 if self.kind in ("policy", "pcie") else self.lanes
        effect = f"lanes = {lanes}\n"
        if self.kind in ("late-sweep", "ber"):
            effect = f"ber = {self.ber!r}\n" if self.kind == "ber" else ""
        where = []
        if self.place == "nic":
            where = [f'nic_link = "{self.at[0]}:{self.at[1]}"\n']
        elif self.place in ("switches", "groups"):
            a, b, cable = self.at
            where = [f"{self.place} = [{a}, {b}]\ncable = {cable}\n"]
        elif self.place == "node":
            nics = len(wiring.nics_of_node(self.at[0]))
            where = [f'nic_link = "{self.at[0]}:{nic}"\n' for nic in range(nics)]
        elif self.place == "switch":
            nics_of = wiring.nics_of_switch(self.at[0])
            where = [f'nic_link = "{node}:{nic}"\n' for node, nic in nics_of]
            where += [f"switches = [{a}, {b}]\n" for a, b in wiring.links_of_switch(self.at[0])]
        return "".join(f"[[fault]]\n{row}{effect}" for row in where)


def part_of(kind: str, place: str, at: tuple[int, ...]) -> str:
    """The name of a part: `nic 12:3`, `cable 12:3`, `port g0-g1#2`, `node 12`, `switch 5`."""
    if kind == "congestion":
        return "congestion"
    if place == "nic":
        what = {"pcie": "nic", "policy": "port"}.get(kind, "cable")
        return f"{what} {at[0]}:{at[1]}"
    if place in ("switches", "groups"):
        letter = "s" if place == "switches" else "g"
        what = "port" if kind == "policy" else "cable"
        return f"{what} {letter}{at[0]}-{letter}{at[1]}#{at[2]}"
    return f"{place} {at[0]}"


def read_fault(wrong: Diagnostics, at: str, row: Any) -> Planted | None:
    """A row `[[twin.fault]]`."""
    if not isinstance(row, Mapping):
        wrong.add(at, row, "a table, [[twin.fault]]")
        return None
    for key in row:
        if key not in KEYS:
            wrong.unknown_key(f"{at}.{key}", key, f"one of {', '.join(KEYS)}", key, KEYS)
    kind = row.get("kind", "")
    if not wrong.word(f"{at}.kind", kind, KINDS, "one of"):
        return None
    legal = KINDS[kind]
    given = [place for place in PLACES if place in row]
    where: tuple[int, ...]
    if kind == "congestion":
        place, where = "system", ()
    elif len(given) != 1 or given[0] not in legal:
        wrong.add(at, ", ".join(given) or "nothing", f"one of {', '.join(legal)} for {kind}")
        return None
    else:
        place = given[0]
        found = place_of(wrong, f"{at}.{place}", place, row[place])
        if found is None:
            return None
        where = found
        if place in ("switches", "groups"):
            where = (*sorted(where), wrong.whole(f"{at}.cable", row.get("cable", 0), 0))
    lanes = row.get("lanes", 2)
    if lanes not in (2, 3):
        wrong.add(f"{at}.lanes", lanes, "2 or 3, of 4")
        lanes = 2
    number = wrong.number
    return Planted(
        kind, place, where, lanes,
        number(f"{at}.ber", row.get("ber", 1e-7), "a bit-error rate of at most 1e-4", 0.0, 1e-4)
        if kind == "ber" else 0.0,
        number(f"{at}.from", row.get("from", 0), "seconds since the start", 0.0, 1e9),
        number(f"{at}.length", row.get("length", 4), "seconds", 0.0, 1e9),
        number(f"{at}.share", row.get("share", 0.6), "a share from 0 to 1", 0.01, 1.0),
    )  # fmt: skip


def check_places(
    wrong: Diagnostics, faults: Sequence[Planted], wiring: Wiring, no_nodes: Collection[int] = ()
) -> None:  # fmt: skip
    """Report faults at parts that the nodes of the campaign do not use. `no_nodes` are groups of
    servers, if the campaign tests the links to them; the core checks the number of the cable."""
    cables = {cable.name for cable in wiring.cables}
    for nth, fault in enumerate(faults, 1):
        at = f"twin.fault.{nth}.{fault.place}"
        where = fault.part.partition(" ")[2]
        if fault.place in ("nic", "node") and fault.at[0] not in wiring.switches:
            wrong.add(at, where, "a node of the campaign (`nodes`)")
        elif fault.place == "nic" and fault.at[1] >= len(wiring.switches[fault.at[0]]):
            most = len(wiring.switches[fault.at[0]]) - 1
            wrong.add(at, where, f"a NIC from 0 to {most} of node {fault.at[0]}")
        elif fault.place == "switch" and fault.at[0] not in wiring.groups:
            wrong.add(at, where, "a switch to which a node of the campaign is attached")
        elif fault.place == "groups" and is_to_servers(fault, wiring, no_nodes):
            continue
        elif fault.place in ("switches", "groups") and where not in cables:
            wrong.add(at, where, near_cables(where, cables, fault.place))


def is_to_servers(fault: Planted, wiring: Wiring, no_nodes: Collection[int]) -> bool:
    a, b = fault.at[:2]
    own = set(wiring.groups.values())
    return (a in own and b in no_nodes) or (b in own and a in no_nodes)


def near_cables(name: str, cables: set[str], place: str) -> str:
    """What is expected instead of a cable that does not exist."""
    same = sum(one.startswith(name.partition("#")[0] + "#") for one in cables)
    if same:
        return f"a `cable` from 0 to {same - 1}" if same > 1 else "`cable` 0, the only one"
    return f"two {place} of the campaign's nodes that a cable joins"


def place_of(wrong: Diagnostics, at: str, place: str, value: Any) -> tuple[int, ...] | None:
    if place == "nic":
        parts = str(value).split(":")
        if len(parts) == 2 and all(p.isdecimal() for p in parts):
            return (int(parts[0]), int(parts[1]))
        wrong.add(at, value, '"NODE:NIC", numbers')
        return None
    if place in ("node", "switch"):
        return (wrong.whole(at, value, 0),)
    if isinstance(value, list) and len(value) == 2 and value[0] != value[1]:
        return tuple(wrong.whole(at, one, 0) for one in value)
    wrong.add(at, value, "two different numbers, such as [0, 5]")
    return None
