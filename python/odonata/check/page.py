"""The page of a campaign: faulty parts, stages, and the heat map of pairs. One HTML file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .naming import described, name_of
from .suite import INVERSE_IMPACT, Suite

MOST_SIDE = 128  # cells per side of the heat map; more nodes share a cell
SIDE = 448  # pixels of the heat map
TICKS = 8  # labels per axis of the heat map
MOST_SETS = 10  # rows of the table of sets
# Stages whose result is a count, without a prediction.
COUNTED = ("health", "loopback", "counters")
LEFT, TOP = 48, 24  # pixels of the labels
GRAY = 'fill="#9aa7b5" fill-opacity="0.35"'
LABELS = ((1.0, "0.95 and more"), (0.93, "0.9 to 0.95"), (0.85, "0.8 to 0.9"),
          (0.7, "0.6 to 0.8"), (0.3, "below 0.6"))  # fmt: skip
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem;
  color: #1c2430; background: #fff; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #dde3ea;
  vertical-align: top; } td.n, th.n { text-align: right; }
.bad { color: #a4161a; font-weight: 600; } .good { color: #1b6b3a; font-weight: 600; }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
.tile { border: 1px solid #dde3ea; border-radius: .4rem; padding: .4rem .7rem; min-width: 5rem; }
.tile b { display: block; font-size: 1.3rem; } .muted { color: #5a6675; }
svg text { font: 11px system-ui, sans-serif; fill: #1c2430; }
@media (prefers-color-scheme: dark) {
  body { background: #14181d; color: #dfe5ec; } th, td, .tile { border-color: #343c46; }
  .bad { color: #ff8a8a; } .good { color: #7fd6a0; } .muted { color: #9aa7b5; }
  svg text { fill: #dfe5ec; } }
"""


def html(suite: Suite, found: Mapping[str, Any]) -> str:
    """The whole page."""
    findings = found["findings"]
    verdict = (f'<span class="bad">{count(len(findings), "faulty part")}</span>' if findings
               else '<span class="good">no faulty part</span>')  # fmt: skip
    tiles = [
        ("nodes passed", f"{len(found['passed']):,}"),
        ("nodes failed", f"{len(found['failed']):,}"),
        ("nodes not run", f"{len(found['not_run']):,}"), ("rounds", f"{found['rounds']:,}"),
        ("node-hours", f"{found['node_hours']:,.1f}"),
        ("false alarms expected", few(found["false_alarms"])),
        ("network timeouts", f"{found['network_timeouts']:,}"),
    ]  # fmt: skip
    parts = [[escape(described(suite, one["part"])), escape(location(suite, one["part"])),
              escape(one["stage"]), "<br>".join(map(escape, one["evidence"])),
              escape(names(suite, one["nodes"]) or "none")] for one in findings]  # fmt: skip
    notes = [*found["observations"], *(f"not run: {text}" for text in found["broken"])]
    seen = "".join(f"<li>{escape(text)}</li>" for text in notes)
    body = [
        f"<h1>Fabric check {escape(found['name'])}: {verdict}</h1>",
        f'<p class="muted">{escape(found["machine"])}, {found["nodes"]:,} nodes, '
        f"{'simulated' if found['backend'] == 'twin' else 'measured'}; references: "
        f"{escape(referred(suite))}; odonata {escape(found['odonata'])}</p>",
        '<div class="tiles">'
        + "".join(f'<div class="tile"><b>{value}</b>{name}</div>' for name, value in tiles)
        + "</div>",
        "<h2>Faulty parts</h2>",
        table(["part", "location", "found by", "evidence", "nodes to drain"], parts)
        if parts
        else "<p>none</p>",
        f"<h2>Observations</h2><ul>{seen}</ul>" if seen else "",
        "<h2>Stages</h2>",
        stage_table(found["stages"]),
        note(
            "Units are NICs, pairs of NICs, sets of nodes, links or ports. The median is that of "
            "measured over predicted, or 1 below four units; noise is the deviation of a repeat. "
            "A unit is slow if it is below bound x median in most repeats."
        ),
        sets(found["stages"]),
        '<h2 id="pairs">Pairs of nodes</h2>',
        heat_map(suite.heat, suite.campaign.nodes, "nodes", found["failed"]),
        '<h2 id="links">Links between switches</h2>',
        heat_map(suite.link_heat, sorted(suite.wiring.groups), "switches"),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(found['name'])}: fabric check</title>"
        '<meta name="viewport" content="width=device-width">'
        f"<style>{STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def referred(suite: Suite) -> str:
    """What measurements are compared with."""
    if suite.campaign.reference == "sets":
        return "median of sets of equal size"
    return f"predictions of the digital twin, {suite.campaign.fidelity} fidelity"


def note(text: str) -> str:
    return f'<p class="muted">{text}</p>'


def few(number: float) -> str:
    """A number of events; one event in thousands of campaigns is as good as none."""
    return "&lt; 0.001" if number < 0.001 else f"{number:.2g}"


def location(suite: Suite, part: str) -> str:
    """Where a technician finds a part: group, switch and node."""
    what, _, where = part.partition(" ")
    numbers = [int(digits) for digits in re.findall(r"[0-9]+", where)]
    groups = suite.wiring.groups
    if what in ("group", "system"):
        return part
    if what == "switch":
        return f"group {groups[numbers[0]]}"
    if what == "storage":
        return f"between group {numbers[0]} and the servers of the file system"
    if where.startswith("s"):
        return f"group {groups[numbers[0]]}, switches {numbers[0]} and {numbers[1]}"
    if where.startswith("g"):
        return f"between groups {numbers[0]} and {numbers[1]}"
    node = numbers[0]
    if ":" in where:
        switch = suite.switch_of(node, numbers[1])
        return f"group {groups[switch]}, switch {switch}, node {node}"
    return f"group {suite.wiring.group_of(node)}, node {node}"


def count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def names(suite: Suite, nodes: Sequence[int]) -> str:
    shown = [name_of(suite, node) for node in nodes[:8]]
    more = len(nodes) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> str:
    """Rows of HTML; the last `numbers` columns are numbers."""
    text = len(heads) - numbers

    def line(tag: str, row: Sequence[str]) -> str:
        cells = (f"<{tag}{' class=n' if i >= text else ''}>{v}</{tag}>" for i, v in enumerate(row))
        return f"<tr>{''.join(cells)}</tr>"

    lines = "".join(line("td", row) for row in rows)
    return f"<table>{line('th', [escape(name) for name in heads])}{lines}</table>"


def stage_table(stages: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for row in stages:
        slow = f'<span class="bad">{row["slow"]:,}</span>' if row["slow"] else "0"
        center, sigma, bound = f"{row['center']:.3f}", f"{row['sigma']:.2%}", f"{row['bound']:.2f}"
        if row["stage"] in COUNTED:
            center = "-"
            sigma, bound = (sigma, bound) if row["bound"] else ("-", "-")
        rows.append([
            escape(row["stage"]), escape(row["test"]), f"{row['nodes']:,}", f"{row['rounds']:,}",
            f"{row['units']:,}", slow, center, sigma, bound, f"{row['seconds']:,.0f}",
        ])  # fmt: skip
    heads = ["stage", "test", "nodes", "rounds", "units", "slow", "median", "noise", "bound",
             "seconds"]  # fmt: skip
    return table(heads, rows, 8)


def sets(stages: Sequence[Mapping[str, Any]]) -> str:
    """Bandwidths of the sets: measured and predicted."""
    rows = []
    for row in stages:
        for label, value, predicted in zip(row["labels"], row["values"], row["predicted"],
                                           strict=True):  # fmt: skip
            ratio = value / predicted / row["center"]
            shown = f"{ratio:.2f}"
            if row["is_judged"] and ratio < row["bound"]:
                shown = f'<span class="bad">{shown}</span>'
            rows.append((ratio, [escape(row["test"]), escape(label),
                                 quantity(value, row["unit"]),
                                 quantity(predicted, row["unit"]), shown]))  # fmt: skip
    if not rows:
        return ""
    lowest = [row for _, row in sorted(rows, key=lambda one: one[0])[:MOST_SETS]]
    heads = ["test", "set", "measured", "predicted", "ratio"]
    return (
        "<h2>Lowest results of sets and benchmarks</h2>"
        + table(heads, lowest, 3)
        + note("The ratio is measured over predicted, divided by the median of its test.")
    )


def quantity(value: float, unit: str) -> str:
    """A rate in GB/s. The inverse of a rate of calls is a latency in us."""
    if unit == INVERSE_IMPACT:
        return f"{1 / value:,.2f}x slower"
    return f"{1e6 / value:,.2f} us" if unit == "1/s" else f"{value / 1e9:,.2f} G{unit}"


def heat_map(
    cells: Sequence[tuple[int, int, float]], items: Sequence[int], what: str,
    failed: Sequence[int] = (),
) -> str:  # fmt: skip
    """The lowest ratio of each pair of items, with gray bands for items that failed."""
    if not cells:
        return "<p>not measured</p>"
    per_cell = -(-len(items) // MOST_SIDE)
    place = {item: i // per_cell for i, item in enumerate(items)}
    worst: dict[tuple[int, int], float] = {}
    for a, b, ratio in cells:
        for key in ((place[a], place[b]), (place[b], place[a])):
            worst[key] = min(ratio, worst.get(key, 9.0))
    across = max(place.values()) + 1
    cell = max(SIDE // across, 1)
    side = across * cell
    bands = "".join(
        f'<rect x="{LEFT}" y="{TOP + at * cell}" width="{side}" height="{cell}" {GRAY}/>'
        f'<rect x="{LEFT + at * cell}" y="{TOP}" width="{cell}" height="{side}" {GRAY}/>'
        for at in sorted({place[item] for item in failed})
    )
    rects = "".join(
        f'<rect x="{LEFT + x * cell}" y="{TOP + y * cell}" width="{cell}" height="{cell}" '
        f'fill="{color(ratio)}"><title>{what} {items[x * per_cell]} and {items[y * per_cell]}: '
        f"{ratio:.2f}</title></rect>"
        for (x, y), ratio in sorted(worst.items())
    )
    ticks = "".join(
        f'<text x="{LEFT + at * cell}" y="{TOP - 6}">{items[at * per_cell]}</text>'
        f'<text x="{LEFT - 6}" y="{TOP + at * cell + 9}" text-anchor="end">'
        f"{items[at * per_cell]}</text>"
        for at in range(0, across, -(-across // TICKS))
    )
    shared = f" Each cell stands for {per_cell} x {per_cell} {what}." if per_cell > 1 else ""
    return (
        f'<svg width="{LEFT + side + 190}" height="{TOP + side + 8}" role="img" '
        f'aria-label="Measured over expected bandwidth of pairs of {what}">'
        f'<rect x="{LEFT}" y="{TOP}" width="{side}" height="{side}" fill="none" '
        f'stroke="#9aa7b5"/>{bands}{rects}{ticks}{legend(LEFT + side + 20, bool(failed))}</svg>'
        + note(f"Lowest measured over expected bandwidth of each pair of {what}, by number. "
               f"White pairs are not measured.{shared}")
    )  # fmt: skip


def legend(x: int, with_failed: bool) -> str:
    rows = [(f'fill="{color(ratio)}"', label) for ratio, label in LABELS]
    rows += [(GRAY, "failed node")] if with_failed else []
    return "".join(
        f'<rect x="{x}" y="{TOP + 18 * i}" width="12" height="12" {fill}/>'
        f'<text x="{x + 18}" y="{TOP + 10 + 18 * i}">{label}</text>'
        for i, (fill, label) in enumerate(rows)
    )


def color(ratio: float) -> str:
    for least, name in ((0.95, "#2a9d6f"), (0.9, "#a8c64a"), (0.8, "#f2b134"), (0.6, "#e4572e")):
        if ratio >= least:
            return name
    return "#8b1e3f"
