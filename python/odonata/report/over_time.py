"""The timeline of the report: states of ranks over time, and loads of links.

The page has single calls of short runs, and else the shares of each state per group of ranks and
interval; `timeline.js` draws them on a canvas and zooms.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import units
from ..tables import rows_of
from . import drawings

SCRIPT = Path(__file__).with_name("timeline.js")
STATES = ("compute", "waiting", "transfer")
Rows = Sequence[Mapping[str, Any]]


def content(s: Mapping[str, Any], data: Mapping[str, Rows]) -> dict[str, Any] | None:
    """The content of the sections; None if the result has no timeline."""
    cells, loads = rows_of(data.get("timeline")), rows_of(data.get("link_load"))
    if not cells and not loads:
        return None
    about = s.get("timeline") or {}
    first, last = span_of(s, about)
    rows = max((cell["row"] for cell in cells), default=-1) + 1
    bins = max(512, max(cell["bin"] for cell in (*cells, *loads)) + 1)
    slices = rows_of(data.get("slices"))
    kinds = series([row for row in loads if row["link"] == "mean"], "kind", (first, last), bins)
    return {
        "has_ranks": bool(cells),
        "note": note(s, about, rows, bool(slices)) if cells else "",
        "json": payload(cells, slices, rows, bins, (first, last)) if cells else "",
        "script": SCRIPT.read_text(encoding="utf-8"),
        "kinds": drawings.curve(
            kinds, "time", "load", False, drawings.tick_time, units.show_percent, marks=False
        ) if kinds else "",
        "kind_names": [name.replace("_", " ") for name, _ in kinds],
        "colors": [f"var(--{name})" for name in drawings.LINES] * 2,
        "links": drawings.loads([row for row in loads if row["link"] != "mean"], bins,
                                (first, last)),
    }  # fmt: skip


def span_of(s: Mapping[str, Any], about: Mapping[str, Any]) -> tuple[float, float]:
    """The part of the run that the timeline covers, seconds."""
    window = about.get("window")
    end = about["time_s"] if "time_s" in about else s["time_s"]
    if not window:
        return 0.0, end
    first, last = map(units.read_span, window.split(":"))
    return first, min(last, end)


def note(s: Mapping[str, Any], about: Mapping[str, Any], rows: int, has_slices: bool) -> str:
    """What a row of the drawing is, and what the timeline omits."""
    ranks = s["ranks"]
    words = "Each row is a rank, grouped by node."
    if ranks > rows:
        words = f"Each row is the mean of {ranks / rows:.3g} ranks, grouped by node."
    words += " Zoom shows single calls." if has_slices else " Shares per interval."
    if about.get("window"):
        words += f" The window is {about['window']}."
    if about.get("ranks"):
        words += f" Only ranks {about['ranks']} are recorded."
    return words


def payload(
    cells: Rows, slices: Rows, rows: int, bins: int, span: tuple[float, float]
) -> str:
    """The data of the drawing as JSON: shares as bytes in base64, and single calls."""
    shares = bytearray(rows * bins * len(STATES))
    labels = [""] * rows
    for cell in cells:
        at = (cell["row"] * bins + cell["bin"]) * len(STATES)
        for nth, state in enumerate(STATES):
            shares[at + nth] = round(255 * min(max(cell[state], 0.0), 1.0))
        labels[cell["row"]] = f"rank {cell['first_rank']}, {cell['node']}"
    names = sorted({one["name"] for one in slices})
    number = {name: at for at, name in enumerate(names)}
    found = {
        "first": span[0], "last": span[1], "rows": rows, "bins": bins, "labels": labels,
        "shares": base64.b64encode(shares).decode("ascii"), "names": names,
        "slices": [
            [one["row"], number[one["name"]], one["begin_s"], one["ready_s"], one["end_s"],
             one["bytes"], one["rank"]]
            for one in slices
        ],
    }  # fmt: skip
    # `</script>` in a name would end the element.
    return json.dumps(found, separators=(",", ":")).replace("<", "\\u003c")


def series(
    rows: Rows, key: str, span: tuple[float, float], bins: int
) -> list[tuple[str, list[tuple[float, float]]]]:
    """The load of each kind of link over time; intervals without a row are zero."""
    width = (span[1] - span[0]) / bins
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row[key], [0.0] * bins)[row["bin"]] = row["load"]
    return [
        (name, [(span[0] + (at + 0.5) * width, value) for at, value in enumerate(values)])
        for name, values in sorted(found.items())
    ]
