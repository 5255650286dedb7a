"""The page of a campaign: faulty parts, stages, and the heat map of pairs. One HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from .naming import described, name_of
from .suite import INVERSE_IMPACT, Suite

MOST_SIDE = 128  # cells per side of the heat map; more nodes share a cell
SIDE = 640  # pixels of the heat map
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem;
  color: #1c2430; background: #fff; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #dde3ea;
  vertical-align: top; } td.n, th.n { text-align: right; }
.bad { color: #a4161a; font-weight: 600; } .good { color: #1b6b3a; font-weight: 600; }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
.tile { border: 1px solid #dde3ea; border-radius: .4rem; padding: .5rem .9rem; min-width: 7rem; }
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
        ("false alarms expected", f"{found['false_alarms']:.1g}"),
        ("network timeouts", f"{found['network_timeouts']:,}"),
    ]  # fmt: skip
    parts = [[escape(described(suite, one["part"])), escape(one["stage"]),
              "<br>".join(map(escape, one["evidence"])),
              escape(names(suite, one["nodes"]))] for one in findings]  # fmt: skip
    notes = [*found["observations"], *(f"not run: {text}" for text in found["broken"])]
    seen = "".join(f"<li>{escape(text)}</li>" for text in notes)
    body = [
        f"<h1>{escape(found['name'])}: {verdict}</h1>",
        f'<p class="muted">{escape(found["machine"])}, {found["nodes"]:,} nodes, '
        f"{'simulated' if found['backend'] == 'twin' else 'measured'}; references: "
        f"{escape(referred(suite))}; odonata {escape(found['odonata'])}</p>",
        '<div class="tiles">'
        + "".join(f'<div class="tile"><b>{value}</b>{name}</div>' for name, value in tiles)
        + "</div>",
        "<h2>Faulty parts</h2>",
        table(["part", "stage", "evidence", "nodes to drain"], parts) if parts else "<p>none</p>",
        f"<h2>Observations</h2><ul>{seen}</ul>" if seen else "",
        "<h2>Stages</h2>",
        stage_table(found["stages"]),
        sets(found["stages"]),
        "<h2>Pairs of nodes</h2>",
        heat_map(suite.heat, suite.campaign.nodes, "nodes in the order of the campaign"),
        "<h2>Links between switches</h2>",
        heat_map(suite.link_heat, sorted(suite.wiring.groups), "switches by number"),
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
        rows.append([
            escape(row["stage"]), escape(row["test"]), f"{row['nodes']:,}", f"{row['rounds']:,}",
            f"{row['units']:,}", slow, f"{row['center']:.3f}", f"{row['sigma']:.2%}",
            f"{row['bound']:.2f}", f"{row['seconds']:,.0f}",
        ])  # fmt: skip
    heads = ["stage", "test", "nodes", "rounds", "units", "slow", "of prediction", "noise", "bound",
             "s"]  # fmt: skip
    return table(heads, rows, 8)


def sets(stages: Sequence[Mapping[str, Any]]) -> str:
    """Bandwidths of the sets: measured and predicted."""
    rows = []
    for row in stages:
        for label, value, predicted in zip(row["labels"], row["values"], row["predicted"],
                                           strict=True):  # fmt: skip
            ratio = value / predicted / row["center"]
            shown = f"{ratio:.2f}"
            if ratio < row["bound"]:
                shown = f'<span class="bad">{shown}</span>'
            rows.append((ratio, [escape(row["test"]), escape(label),
                                 quantity(value, row["unit"]),
                                 quantity(predicted, row["unit"]), shown]))  # fmt: skip
    if not rows:
        return ""
    lowest = [row for _, row in sorted(rows, key=lambda one: one[0])[:20]]
    heads = ["test", "set", "measured", "predicted", "ratio"]
    return "<h2>Sets with the lowest ratios</h2>" + table(heads, lowest, 3)


def quantity(value: float, unit: str) -> str:
    """A rate in GB/s. The inverse of a rate of calls is a latency in us."""
    if unit == INVERSE_IMPACT:
        return f"{1 / value:,.2f}x slower"
    return f"{1e6 / value:,.2f} us" if unit == "1/s" else f"{value / 1e9:,.2f} G{unit}"


def heat_map(cells: Sequence[tuple[int, int, float]], items: Sequence[int], title: str) -> str:
    """The lowest ratio of each pair of items."""
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
    rects = "".join(
        f'<rect x="{40 + x * cell}" y="{20 + y * cell}" width="{cell}" height="{cell}" '
        f'fill="{color(ratio)}"><title>{x * per_cell} {y * per_cell}: {ratio:.2f}</title></rect>'
        for (x, y), ratio in sorted(worst.items())
    )
    keys = "".join(
        f'<rect x="{60 + side}" y="{20 + 18 * i}" width="12" height="12" fill="{color(ratio)}"/>'
        f'<text x="{78 + side}" y="{30 + 18 * i}">{label}</text>'
        for i, (ratio, label) in enumerate(((1.0, "0.95 and more"), (0.93, "0.9 to 0.95"),
                                            (0.85, "0.8 to 0.9"), (0.7, "0.6 to 0.8"),
                                            (0.3, "below 0.6")))
    )  # fmt: skip
    return (
        f'<svg width="{side + 190}" height="{side + 40}" role="img" '
        f'aria-label="Measured over expected bandwidth, {title}">'
        f'<rect x="40" y="20" width="{side}" height="{side}" fill="none" stroke="#9aa7b5"/>{rects}'
        f'{keys}<text x="40" y="14">{title}'
        f"{f', {per_cell} per cell' if per_cell > 1 else ''}; "
        f"measured over expected bandwidth</text></svg>"
    )


def color(ratio: float) -> str:
    for least, name in ((0.95, "#2a9d6f"), (0.9, "#a8c64a"), (0.8, "#f2b134"), (0.6, "#e4572e")):
        if ratio >= least:
            return name
    return "#8b1e3f"
