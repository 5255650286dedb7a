"""Score `odonata check` on the twin: campaigns with planted faults, drawn by seed.

    python docs/figures/fabric_check.py run ROWS.jsonl --size 128 --seconds 500
    python docs/figures/fabric_check.py table ROWS.jsonl
    python docs/figures/fabric_check.py page docs/figures/fabric_check.jsonl

`run` appends one row per campaign and continues where the file ends. Sizes and their numbers of
campaigns are those of `SIZES`; the first ones of each size have no fault. `table` prints recall,
precision and cost, beside the rule of dgnettest on the same simulated machine. `page` writes this
table to docs/models/fabric-check.md.
"""

from __future__ import annotations

import argparse
import json
import random
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
FIDELITY = {128: "loggp", 1024: "loggp", 10_624: "flow"}
SERIES = {
    1: "seeds with which two defects were corrected, of an earlier version, in closed form",
    2: "fresh seeds, of an earlier version; both missed faults are slow hosts of nodes that had "
       "failed for a NIC, whose other NICs were not measured",
    3: "fresh seeds, of this version; all of Aurora with flows",
}  # fmt: skip
PAGE = Path(__file__).parents[1] / "models" / "fabric-check.md"
BEGIN, END = "<!-- docs/figures/fabric_check.py -->\n", "<!-- end -->"
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


def dgnettest(suite: Suite, faults: list[Planted]) -> dict[str, Any]:
    """Faults found by dgnettest's rule on sets of switches and groups, false alarms, and cost."""
    nodes = suite.campaign.nodes
    wiring = suite.wiring
    found: set[int] = set()
    false = 0
    node_seconds = 0.0
    for stage, of_node in (("switch", suite.switch_set), ("group", wiring.group_of)):
        sets: dict[object, list[int]] = {}
        for place, node in enumerate(nodes):
            sets.setdefault(of_node(node), []).append(place)
        for kind in ("bisect", "all2all"):
            test = patterns.set_test(kind, f"dgnettest {stage} {kind}", nodes, suite.ppn,
                                     list(sets.values()), 131_072, 8)  # fmt: skip
            measured = suite.backend.measure(test, 0, 0.0)
            node_seconds += measured.took_s * len(nodes)
            keys = list(sets.values())
            for i in robust.below_mean(measured.values):
                members = {nodes[place] for place in keys[i]}
                switches = {s for node in members for s in wiring.switches[node]}
                groups = {wiring.groups[s] for s in switches}
                hit = {k for k, f in enumerate(faults) if touches(f, members, switches, groups)}
                found |= hit
                false += not hit
    return {"rule_found": found, "rule_false": false, "rule_node_seconds": node_seconds}


class Scorer:
    """Campaigns of one size. Their predictions are shared."""

    def __init__(self, size: int, series: int):
        self.size, self.series = size, series
        self.machine = od.machine("aurora")
        self.nodes = tuple(range(size))
        self.wiring = Wiring(self.machine, self.nodes)
        self.predictions = Predictions(self.machine, FIDELITY[size], self.wiring)

    def row(self, number: int, journal: Path | None) -> dict[str, Any]:
        """Run a campaign and score it."""
        size, wiring = self.size, self.wiring
        seed = number + 1000 * (self.series - 1)
        faults = draw(seed, size, wiring, number)
        campaign = Campaign(
            "", f"{size}-{seed}", self.machine, self.nodes, (), DEFAULT_STAGES, 3, FIDELITY[size],
            "pairs", "twin", 0.08, 0.25, 131_072, 8, None, {}, Twin(seed=seed, faults=faults),
        )  # fmt: skip
        backend = Backend(campaign, wiring, self.predictions)
        cpu = time.process_time()
        suite = Suite(campaign, wiring, backend, self.predictions, Journal(journal, str(faults)))
        suite.run()
        cpu = time.process_time() - cpu
        planted = [fault for fault in faults if fault.kind != "congestion"]
        parts = {fault.part for fault in planted}
        places = {place_of(part) for part in parts}
        named = {one.part for one in suite.findings}
        found = {place_of(part) for part in named}
        rule = dgnettest(suite, planted)
        by_rule = rule.pop("rule_found")
        self.predictions.forget()
        return {
            "series": self.series, "size": size, "number": number, "fidelity": FIDELITY[size],
            "planted": sorted(parts), "named": sorted(named),
            "congestion": len(faults) > len(planted),
            # Of each fault: its kind, whether it was found, named right, and found by the rule.
            "faults": [[fault.kind, place_of(fault.part) in found, fault.part in named,
                        nth in by_rule] for nth, fault in enumerate(planted)],
            "hits": len(places & found),
            "missed": sorted(places - found), "false": sorted(found - places),
            "right": len(parts & named), "rule_hits": len(by_rule),
            "rounds": sum(r.rounds for r in suite.stages),
            "node_seconds": suite.node_seconds, "cpu_s": round(cpu, 2), "broken": suite.broken,
            **rule,
        }  # fmt: skip


def run(path: Path, size: int, series: int, first: int, limit_s: float) -> None:
    done = set()
    if path.exists():
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        done = {row["number"] for row in rows if key_of(row)[:2] == (series, size)}
    scorer = Scorer(size, series)
    began = time.monotonic()
    longest = 0.0
    for number in range(first, SIZES[size][0]):
        if number in done:
            continue
        wall = time.monotonic()
        if wall - began + longest > limit_s:
            return
        # A campaign on all nodes takes longer than a time limit may allow.
        journal = path.with_suffix(f".{series}.{number}.journal") if size > 5_000 else None
        row = scorer.row(number, journal)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        longest = max(longest, time.monotonic() - wall)


def key_of(row: Mapping[str, Any]) -> tuple[int, int, int]:
    """Series, size and number of a row."""
    return row.get("series", 1), row["size"], row["number"]


def share(part: float, whole: float) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def scores(rows: list[dict[str, Any]]) -> list[str]:
    """A table with a row per size, and one for all."""
    lines = [
        "| nodes | campaigns | faults | recall | precision | right part | rounds | node-hours |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in (*SIZES, None):
        of_size = [row for row in rows if size in (None, row["size"])]
        if not of_size:
            continue
        faults = sum(len(row["planted"]) for row in of_size)
        hits, right = (sum(row[key] for row in of_size) for key in ("hits", "right"))
        named = hits + sum(len(row["false"]) for row in of_size)
        rounds = sum(row["rounds"] for row in of_size) / len(of_size)
        hours = sum(row["node_seconds"] for row in of_size) / len(of_size) / 3600
        lines.append(f"| {size or 'all':,} | " if size else "| all | ")
        lines[-1] += (f"{len(of_size)} | {faults} | {share(hits, faults)} | {share(hits, named)} | "
                      f"{share(right, hits)} | {rounds:.0f} | {hours:,.0f} |")  # fmt: skip
    return lines


def by_kind(rows: list[dict[str, Any]]) -> list[str]:
    """A table with a row per kind of fault: this suite beside dgnettest's rule."""
    counts: dict[str, list[int]] = {}
    for row in rows:
        for kind, *hits in row["faults"]:
            of_kind = counts.setdefault(kind, [0, 0, 0, 0])
            counts[kind] = [n + m for n, m in zip(of_kind, (1, *hits), strict=True)]
    if not counts:
        return []
    lines = [
        "| kind | faults | found | right part | found by the rule |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| `{kind}` | {n} | {found} | {right} | {rule} |"
              for kind, (n, found, right, rule) in sorted(counts.items())]  # fmt: skip
    return lines


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """Alarms without faults, and the cost of both procedures."""
    sound = [row for row in rows if not row["planted"]]
    alarms = sum(bool(row["named"]) for row in sound)
    with_jobs = sum(bool(row["congestion"]) for row in rows)
    faults = sum(len(row["planted"]) for row in rows)
    rule_hits, rule_false = (sum(row[key] for row in rows) for key in ("rule_hits", "rule_false"))
    lines = [
        f"- Without faults: {len(sound)} campaigns, {alarms} with an alarm.",
        f"- With congestion by other jobs: {with_jobs} campaigns.",
        f"- dgnettest's rule: recall {share(rule_hits, faults)}, {rule_false} false alarms.",
    ]
    for size in SIZES:
        of_size = [row for row in rows if row["size"] == size]
        if of_size:
            hours, rule = (sum(row[key] for row in of_size) / len(of_size) / 3600
                           for key in ("node_seconds", "rule_node_seconds"))  # fmt: skip
            cpu = sum(row["cpu_s"] for row in of_size) / len(of_size)
            lines.append(f"- Cost on {size:,} nodes: {hours:,.0f} node-hours, simulated in "
                         f"{cpu:.0f} s of a core; the rule's four tests {rule:,.1f}.")  # fmt: skip
    return lines


def table(rows: list[dict[str, Any]]) -> str:
    """The scores of each series, the newest first, and those of all fresh seeds."""
    text: list[str] = []
    fresh = [row for row in rows if key_of(row)[0] > 1]
    series = {key_of(row)[0] for row in rows}
    newest = [row for row in rows if key_of(row)[0] == max(series)]
    for number in sorted(series, reverse=True):
        text += [*textwrap.wrap(f"Series {number}: {SERIES[number]}.", 100), ""]
        text += [*scores([row for row in rows if key_of(row)[0] == number]), ""]
    text += ["All campaigns of fresh seeds:", "", *notes(fresh), ""]
    n_faults = sum(len(row["planted"]) for row in newest)
    # Rows of earlier versions have no list of faults, only of places.
    n_without = sum(len(row["planted"]) for row in fresh if not row["faults"])
    text += textwrap.wrap(
        f"The recall of series {max(series)} rests on {n_faults} faults. The larger counts of "
        f"faults are of an earlier version. For {n_without} faults of fresh seeds no kind is "
        "stored; the table does not contain them.", 100,
    )  # fmt: skip
    text += ["", f"Faults of series {max(series)} by kind:", "", *by_kind(newest)]
    return "\n".join(text).rstrip("\n") + "\n"


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The last row of each campaign."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return list({key_of(row): row for row in rows}.values())


def page(path: Path) -> str:
    """The page of scores with the table of these rows."""
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    return before + begin + "\n" + table(read_rows(path)) + end + after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("run", "table", "page"))
    parser.add_argument("rows", type=Path)
    parser.add_argument("--size", type=int, choices=tuple(SIZES), default=128)
    parser.add_argument("--series", type=int, default=2, help="each series has its own seeds")
    parser.add_argument("--first", type=int, default=0, help="number of the first campaign")
    parser.add_argument("--seconds", type=float, default=500.0)
    given = parser.parse_args()
    if given.action == "run":
        run(given.rows, given.size, given.series, given.first, given.seconds)
    elif given.action == "table":
        print(table(read_rows(given.rows)), end="")
    else:
        PAGE.write_text(page(given.rows), encoding="utf-8")


if __name__ == "__main__":
    main()
