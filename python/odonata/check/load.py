"""GPCNeT's network_load_test on the twin: network tests beside congestors.

As in GPCNeT 1.3 (`network_load_test.c`), 80 % of the nodes run congestors and the others the
network tests, in random order. Here three quarters of the congestors are background traffic of
4 KiB messages: an all-to-all, and two incasts. The fourth, a broadcast by gets, loads only the
injection link of its root, so its nodes are idle.
"""

from __future__ import annotations

import random
from typing import Any

from ..machines import Machine
from ..multi_job import jobs

CONGESTORS = 0.8  # share of the nodes
KINDS = 4
MESSAGE = "4Ki"
LOADED = "_loaded"  # ending of the names of these tests
SEED = 1  # of the order of nodes; the same for prediction and measurement


def congestion_impact(
    machine: Machine, name: str, size: int, nodes: tuple[int, ...], ppn: int
) -> float:
    """Time of a network test beside the congestors, divided by its time alone."""
    tested, groups = divided(nodes)
    placement = [node for node in tested for _ in range(ppn)]
    entry = {"bench": name, "bytes": size, "nodes": len(tested), "ppn": ppn, "placement": placement}
    # Only packets have background traffic.
    found = jobs(machine, [entry], background=background(groups, ppn), limits="off")
    slowdown = found.rows[0]["slowdown"]
    assert slowdown is not None  # the job also runs alone
    return slowdown


def divided(nodes: tuple[int, ...]) -> tuple[list[int], list[list[int]]]:
    """Nodes of the network tests, and those of each congestor."""
    order = list(nodes)
    random.Random(SEED).shuffle(order)
    count = max(2, len(order) - round(CONGESTORS * len(order)))
    tested, rest = sorted(order[:count]), order[count:]
    return tested, [sorted(rest[nth::KINDS]) for nth in range(KINDS)]


def background(groups: list[list[int]], nics: int) -> list[dict[str, Any]]:
    """The traffic of all-to-all, two-sided incast and put incast."""
    found = []
    for nth, nodes in enumerate(groups[:3]):
        pattern = f"incast:{len(nodes) * nics - 1}" if nth else "random-all-to-all"
        if len(nodes) > 1:
            found.append({"pattern": pattern, "load": 1.0, "bytes": MESSAGE, "nodes": nodes})
    return found
