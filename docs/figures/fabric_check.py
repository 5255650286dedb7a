"""Score `odonata check` on the twin: campaigns with planted faults, drawn by seed.

    python docs/figures/fabric_check.py run ROWS.jsonl --size 128 --seconds 500
    python docs/figures/fabric_check.py table ROWS.jsonl

`run` appends one row per campaign and continues where the file ends. Sizes and their numbers of
campaigns are those of `SIZES`; the first ones of each size have no fault. `table` prints recall,
precision and cost, beside the rule of dgnettest on the same simulated machine.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import odonata as od
from odonata.check import patterns
from odonata.check import statistics as robust
from odonata.check.campaign import DEFAULT_STAGES, Campaign, Twin
from odonata.check.faults import Planted
from odonata.check.journal import Journal
from odonata.check.suite import Suite
from odonata.check.twin import Predictions
from odonata.check.twin import Twin as Backend
from odonata.check.wiring import Wiring

# Nodes of Aurora: campaigns, and how many of them without faults.
SIZES = {128: (240, 80), 1024: (50, 18), 10_624: (10, 2)}
KINDS = ("lanes-nic", "lanes-link", "ber-nic", "ber-link", "pcie", "flap-nic", "flap-link",
         "slow-host", "policy-nic", "policy-link", "late-sweep", "switch")  # fmt: skip


def draw_fault(rng: random.Random, wiring: Wiring, kind: str, seconds: float) -> Planted:
    """A fault of a kind at a random place."""
    what, _, where = kind.partition("-")
    what = kind if kind in ("slow-host", "late-sweep") else what
    lanes = rng.choice((2, 3))
    ber = 10 ** rng.uniform(-9, -5)
    start, length = rng.uniform(0, seconds), rng.uniform(3, 5)
    node = rng.choice(wiring.nodes)
    if what in ("pcie",) or where == "nic":
        place, at = "nic", (node, rng.randrange(len(wiring.switches[node])))
    elif what == "slow-host":
        place, at = "node", (node,)
    elif what == "switch":
        place, at = "switch", (rng.choice(sorted(wiring.groups)),)
    else:
        # Half of the cables between groups, of which there are fewer.
        is_global = rng.random() < 0.5
        cables = [c for c in wiring.cables if (c.groups[0] != c.groups[1]) == is_global]
        cable = rng.choice(cables)
        if is_global:
            place, at = "groups", (*cable.groups, cable.nth)
        else:
            place, at = "switches", (*sorted(cable.links[0]), cable.nth)
    return Planted(what, place, at, lanes, ber, start, length)


def draw(seed: int, size: int, wiring: Wiring, number: int) -> list[Planted]:
    """The faults of a campaign: one of each kind in turn, and up to three more."""
    rng = random.Random(f"faults {size} {seed}")
    if number < SIZES[size][1]:
        return []
    kinds = [KINDS[number % len(KINDS)]]
    kinds += [rng.choice(KINDS) for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3)))]
    found: dict[str, Planted] = {}
    for kind in kinds:
        # Flaps fall into the first ten minutes; every campaign lasts longer.
        fault = draw_fault(rng, wiring, kind, 600.0)
        found.setdefault(fault.part.partition(" ")[2], fault)
    faults = list(found.values())
    if rng.random() < 0.2:  # other jobs, which are no fault
        faults.append(Planted("congestion", "system", (), start_s=rng.uniform(0, 600),
                              length_s=300.0, share=0.6))  # fmt: skip
    return faults


def place_of(part: str) -> str:
    """A part without its kind: a NIC, its cable and its port are at one place."""
    what, _, where = part.partition(" ")
    return f"{what} {where}" if what in ("node", "switch") else where


def touches(fault: Planted, nodes: set[int], switches: set[int], groups: set[int]) -> bool:
    """Whether a set of nodes uses the faulty part."""
    if fault.place in ("nic", "node"):
        return fault.at[0] in nodes
    if fault.place == "switch":
        return fault.at[0] in switches
    ends = set(fault.at[:2])
    return ends <= (switches if fault.place == "switches" else groups)


def dgnettest(suite: Suite, faults: list[Planted]) -> tuple[int, int]:
    """Faults found by dgnettest's rule on sets of switches and groups, and false alarms."""
    nodes = suite.campaign.nodes
    wiring = suite.wiring
    found: set[int] = set()
    false = 0
    for stage, of_node in (("switch", suite.switch_set), ("group", wiring.group_of)):
        sets: dict[object, list[int]] = {}
        for place, node in enumerate(nodes):
            sets.setdefault(of_node(node), []).append(place)
        for kind in ("bisect", "all2all"):
            test = patterns.set_test(kind, f"dgnettest {stage} {kind}", nodes, suite.ppn,
                                     list(sets.values()), 131_072, 8)  # fmt: skip
            values = suite.backend.measure(test, 0, 0.0).values
            keys = list(sets.values())
            for i in robust.below_mean(values):
                members = {nodes[place] for place in keys[i]}
                switches = {s for node in members for s in wiring.switches[node]}
                groups = {wiring.groups[s] for s in switches}
                hit = {k for k, f in enumerate(faults) if touches(f, members, switches, groups)}
                found |= hit
                false += not hit
    return len(found), false


def run(path: Path, size: int, first: int, limit_s: float) -> None:
    done = set()
    if path.exists():
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        done = {row["number"] for row in rows if row["size"] == size}
    machine = od.machine("aurora")
    nodes = tuple(range(size))
    wiring = Wiring(machine, nodes)
    predictions = Predictions(machine, "loggp")
    began = time.monotonic()
    longest = 0.0
    for number in range(first, SIZES[size][0]):
        if number in done:
            continue
        wall = time.monotonic()
        if wall - began + longest > limit_s:
            return
        faults = draw(number, size, wiring, number)
        campaign = Campaign(
            "", f"{size}-{number}", machine, nodes, (), DEFAULT_STAGES, 3, "loggp", "pairs",
            "twin", 0.08, 0.25, 131_072, 8, None, {}, Twin(seed=number, faults=faults),
        )  # fmt: skip
        backend = Backend(campaign, wiring, predictions)
        # A campaign on all nodes takes longer than a time limit may allow.
        journal = path.with_suffix(f".{number}.journal") if size > 5_000 else None
        suite = Suite(campaign, wiring, backend, predictions, Journal(journal, str(faults)))
        suite.run()
        planted = [fault for fault in faults if fault.kind != "congestion"]
        parts = {fault.part for fault in planted}
        places = {place_of(part) for part in parts}
        named = {one.part for one in suite.findings}
        found = {place_of(part) for part in named}
        by_rule, false_by_rule = dgnettest(suite, planted)
        row = {
            "size": size, "number": number, "planted": sorted(parts), "named": sorted(named),
            "kinds": [fault.kind for fault in faults], "hits": len(places & found),
            "missed": sorted(places - found), "false": sorted(found - places),
            "right": len(parts & named), "rounds": sum(r.rounds for r in suite.stages),
            "node_seconds": suite.node_seconds, "rule_hits": by_rule, "rule_false": false_by_rule,
        }  # fmt: skip
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        predictions.forget()
        longest = max(longest, time.monotonic() - wall)


def share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def table(path: Path) -> None:
    read = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    rows = list({(row["size"], row["number"]): row for row in read}.values())
    print("| nodes | campaigns | faults | recall | precision | right part | rounds | node-hours |")
    print("|---|---|---|---|---|---|---|---|")
    for size in (*SIZES, None):
        of_size = [row for row in rows if size in (None, row["size"])]
        if not of_size:
            continue
        faults = sum(len(row["planted"]) for row in of_size)
        hits = sum(row["hits"] for row in of_size)
        false = sum(len(row["false"]) for row in of_size)
        right = sum(row["right"] for row in of_size)
        rounds = sum(row["rounds"] for row in of_size) / len(of_size)
        hours = sum(row["node_seconds"] for row in of_size) / len(of_size) / 3600
        print(f"| {size or 'all'} | {len(of_size)} | {faults} | {share(hits, faults)} | "
              f"{share(hits, hits + false)} | {share(right, hits)} | {rounds:.0f} | "
              f"{hours:,.0f} |")  # fmt: skip
    sound = [row for row in rows if not row["planted"]]
    alarms = sum(bool(row["named"]) for row in sound)
    print(f"\nwithout faults: {len(sound)} campaigns, {alarms} with an alarm")
    faults = sum(len(row["planted"]) for row in rows)
    rule_hits = sum(row["rule_hits"] for row in rows)
    rule_false = sum(row["rule_false"] for row in rows)
    print(f"dgnettest's rule: recall {share(rule_hits, faults)}, {rule_false} false alarms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("run", "table"))
    parser.add_argument("rows", type=Path)
    parser.add_argument("--size", type=int, choices=tuple(SIZES), default=128)
    parser.add_argument("--first", type=int, default=0, help="number of the first campaign")
    parser.add_argument("--seconds", type=float, default=500.0)
    given = parser.parse_args()
    if given.action == "run":
        run(given.rows, given.size, given.first, given.seconds)
    else:
        table(given.rows)


if __name__ == "__main__":
    main()
