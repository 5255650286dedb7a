"""The page of `odonata validate`: every measurement with its prediction and its band.

One HTML file without scripts. The figure has a line per kind and organization, so that a reader
sees which measurements lie outside the band of all other organizations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from . import bands
from .units import show_percent, show_rate, show_time
from .version import version

Row = Mapping[str, Any]

LINE, WIDTH, LEFT, RIGHT = 18, 560, 190, 210  # pixels of the figure
TICKS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem;
  color: #1c2430; background: #fff; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #dde3ea; }
td.n, th.n { text-align: right; } details { margin: .3rem 0; } summary { cursor: pointer; }
.bad { color: #a4161a; font-weight: 600; } .muted { color: #5a6675; font-size: .9rem; }
svg text { font: 11px system-ui, sans-serif; fill: #1c2430; } .in { fill: #1f6fb2; }
.out { fill: #c1121f; } .band { fill: #d8dee6; } .axis { stroke: #8b96a5; }
@media (prefers-color-scheme: dark) {
  body { background: #14181d; color: #dfe5ec; } th, td { border-color: #343c46; }
  .bad { color: #ff8a8a; } .muted { color: #9aa7b5; } svg text { fill: #dfe5ec; }
  .in { fill: #6db3f2; } .out { fill: #ff6b6b; } .band { fill: #343c46; } }
"""


def html(rows: Sequence[Row], checked: Mapping[str, Any]) -> str:
    """The whole page, from rows of curves, file systems and applications."""
    counted = [row for row in rows if not row["is_input"]]
    parts = [
        "<h1>Predictions and published measurements</h1>",
        f'<p class="muted">odonata {escape(version())}, odonata validate: {len(rows)} points, '
        f"{len(rows) - len(counted)} of them inputs of the model, which do not count.</p>",
    ]
    if counted:
        parts += [
            "<h2>Coverage of the bands</h2>", coverage_table(checked), *map(paragraph, METHOD),
            "<h2>Measurements and bands</h2>", figure(counted),
        ]  # fmt: skip
    parts.append("<h2>Points</h2>")
    by_id: dict[str, list[Row]] = {}
    for row in rows:
        by_id.setdefault(row["id"], []).append(row)
    parts += [measurement(of) for of in by_id.values()]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>odonata validate</title>\n<style>{STYLE}</style></head>\n"
        "<body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


METHOD = (
    "A band of 90 % is around each prediction, from the residuals of all organizations except the "
    "one that measured. Sources of one organization share machines and staff, so that they are "
    "left out together. The coverage is the share of measurements in their bands, the mean over "
    "sources.",
    "Assumptions: effects of kinds, organizations and points on the logarithm of a residual are "
    "normal, and a new organization is like those in the data. A kind with fewer than "
    f"{bands.LEAST} sources is not validated: its band is predicted from related kinds.",
)


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def coverage_table(checked: Mapping[str, Any]) -> str:
    """Coverage of all points and by kind."""
    by_kind = {kind: share for kind, share in checked["coverage"].items() if kind != bands.ALL}
    open_kinds = [kind for kind, share in by_kind.items() if share == bands.NOT_VALIDATED]
    lines = {
        "all points, mean over sources": checked["coverage"][bands.ALL],
        "all points, mean over organizations": checked["coverage_of_organizations"],
        "all points": checked["coverage_of_points"],
        **{kind: share for kind, share in by_kind.items() if kind not in open_kinds},
    }
    cells = ((kind, show_percent(share)) for kind, share in lines.items())
    text = (
        f"{checked['points']} points of {checked['sources']} sources of "
        f"{checked['organizations']} organizations; median ratio of the ends of a band "
        f"{checked['median_width']:.2f}."
    )
    if open_kinds:
        text += f" Not validated, fewer than {bands.LEAST} sources: {'; '.join(open_kinds)}."
    return table(("kind", "coverage"), cells, "<>") + paragraph(text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> str:
    """Cells as text; `<` and `>` align a column."""
    marks = ["" if side == "<" else ' class="n"' for side in align]
    top = "".join(f"<th{mark}>{escape(name)}</th>" for mark, name in zip(marks, head, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{m}>{escape(text)}</td>" for m, text in zip(marks, row, strict=True))
        + "</tr>"
        for row in rows
    )  # fmt: skip
    return f"<table><tr>{top}</tr>{body}</table>"


def group(row: Row) -> str:
    """The kind of a row of the figure, without buffers, sizes, libraries and names."""
    of_network = row["kinds"][1] in (bands.NETWORK, bands.STORAGE)
    return str(row["kinds"][2 if of_network else 1])


def figure(rows: Sequence[Row]) -> str:
    """Measured over predicted on a logarithmic axis, with bands: a line per kind and organization,
    as SVG."""
    low, high = math.log(TICKS[0]) - 0.3, math.log(TICKS[-1]) + 0.3

    def across(ratio: float) -> float:
        share = (math.log(ratio) - low) / (high - low)
        return round(LEFT + WIDTH * min(max(share, 0.0), 1.0), 1)

    def place(row: Row) -> tuple[str, str]:
        return group(row), row["organization"]

    lines, height, last = [], 0, ""
    for (kind, organization), of in groupby(sorted(rows, key=place), key=place):
        middle = height + LINE / 2
        if kind != last:
            lines.append(f'<line class="axis" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{height}" '
                         f'y2="{height}"/>')  # fmt: skip
            lines.append(f'<text x="{LEFT + WIDTH + 8}" y="{middle + 4}">{escape(kind)}</text>')
        lines.append(f'<text x="{LEFT - 8}" y="{middle + 4}" text-anchor="end">'
                     f"{escape(organization)}</text>")  # fmt: skip
        points = list(of)
        for row in points:
            ends = [across(row[end] / predicted(row)) for end in ("low", "high")]
            lines.append(f'<rect class="band" x="{ends[0]}" y="{height + 3}" '
                         f'width="{ends[1] - ends[0]:.1f}" height="{LINE - 6}"/>')  # fmt: skip
        for row in points:
            mark = "in" if row["is_covered"] else "out"
            place_x = across(measured(row) / predicted(row))
            lines.append(f'<circle class="{mark}" cx="{place_x}" cy="{middle}" r="2.5">'
                         f"<title>{escape(row['id'])}</title></circle>")  # fmt: skip
        height, last = height + LINE, kind
    for tick in TICKS:
        lines.append(f'<text x="{across(tick)}" y="{height + 16}" text-anchor="middle">{tick:g}'
                     "</text>")  # fmt: skip
    one = across(1.0)
    lines.append(f'<line class="axis" x1="{one}" x2="{one}" y1="0" y2="{height}"/>')
    wide = LEFT + WIDTH + RIGHT
    return (
        f'<svg viewBox="0 0 {wide} {height + 24}" width="100%" role="img" '
        f'aria-label="measured over predicted">{"".join(lines)}</svg>'
        '<p class="muted">Measured over predicted. Gray: the band. Blue: a measurement in its '
        "band. Red: outside. Values beyond the axis are at its ends.</p>"
    )


SHOWN: Mapping[str, Callable[[float], str]] = {
    "s": show_time,
    "B_per_s": show_rate,
    "per_s": lambda rate: f"{rate:,.0f}/s",
}


def column_of(row: Row, end: str) -> str:
    """The column of the measured or predicted value: its name has the unit, or `unit` has it."""
    return next((f"{end}_{unit}" for unit in SHOWN if f"{end}_{unit}" in row), end)


def measured(row: Row) -> float:
    return float(row[column_of(row, "measured")])


def predicted(row: Row) -> float:
    return float(row[column_of(row, "predicted")])


def shown(row: Row, value: float) -> str:
    from .app.report import show_merit

    unit = column_of(row, "measured").removeprefix("measured").removeprefix("_") or row["unit"]
    return SHOWN[unit](value) if unit in SHOWN else show_merit(value, unit)


def measurement(rows: Sequence[Row]) -> str:
    """One curve, run on a file system or result of an application."""
    first = rows[0]
    outside = sum(not row["is_covered"] for row in rows if not row["is_input"])
    verdict = f' <span class="bad">{outside} of {len(rows)} outside</span>' if outside else ""
    cells = (
        (
            str(row.get("phase") or row.get("nodes") or f"{row['bytes']:,}")
            + " at 99 %" * (row.get("statistic") == "p99"),
            shown(row, measured(row)), shown(row, predicted(row)),
            f"{100 * row['error']:+.1f} %",
            f"{shown(row, row['low'])} to {shown(row, row['high'])}",
            "input" if row["is_input"] else "in" if row["is_covered"] else "outside",
        )
        for row in rows
    )  # fmt: skip
    what = "phase" if "phase" in first else "nodes" if "nodes" in first else "bytes"
    head = (what, "measured", "predicted", "error", "band", "")
    return (
        f"<details><summary>{escape(first['id'])}: {escape(first['what'])}{verdict}</summary>"
        f'<p class="muted">Source: {escape(first["source"])} ({escape(first["organization"])}). '
        f"Conditions: {escape(first['conditions'])}.</p>"
        + table(head, cells, ">>>>><") + "</details>"
    )  # fmt: skip
