"""Names of nodes and parts for people."""

from __future__ import annotations

from .suite import Suite


def name_of(suite: Suite, node: int) -> str:
    """The host on the real machine, or the name in the machine file."""
    if suite.campaign.hosts:
        return suite.campaign.hosts[suite.campaign.nodes.index(node)]
    return suite.wiring.names[node]


def described(suite: Suite, part: str) -> str:
    """A part with the names of its nodes, for people."""
    what, _, where = part.partition(" ")
    first, colon, nic = where.partition(":")
    if first.isdecimal() and (colon or what == "node"):
        name = name_of(suite, int(first))
        return f"{what} {name}" + (f":{nic}" if colon else "")
    return part
