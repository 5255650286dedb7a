"""The report on a parameter sweep: the table, and its results as curves.

The horizontal axis is what differs most within a point (message size, offered load), or else the
numeric key of the grid with the most values. Each combination of the other keys of the grid is a
line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import text, units
from ..files import read_text
from ..tables import damaged, read_parquet
from . import drawings

# Results that are drawn, with the label of the axis and the words of its marks.
RESULTS = {
    "accepted": ("accepted load", lambda value: f"{value:.3g}"),
    "latency_mean_s": ("mean latency", drawings.tick_time),
    "latency_s": ("latency", drawings.tick_time),
    "bandwidth_B_per_s": ("bandwidth", units.show_rate),
    "time_s": ("time", drawings.tick_time),
    "figure_of_merit": ("figure of merit", lambda value: f"{value:.3g}"),
}
# Columns of rows within a point, as horizontal axes.
WITHIN = {"bytes": ("message size, bytes", units.short_size),
          "offered": ("offered load", lambda value: f"{value:.2g}")}  # fmt: skip
MOST_LINES = len(drawings.LINES)
MOST_ROWS = 1000
ERROR = "error"  # the last column of the table of a sweep (docs/sweeps.md)
Rows = Sequence[Mapping[str, Any]]


def read(path: Path) -> dict[str, Any]:
    """The study and the rows of the directory of a sweep; `InputError` if they are damaged."""
    try:
        study = json.loads(read_text(path / "sweep.json"))["study"]
        rows = read_parquet(path / "table.parquet").to_pylist()
        return {"study": dict(study or {}), "rows": rows, "name": path.stem}
    except FileNotFoundError:
        raise damaged(path, "the sweep has no table yet: run it to its end") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged(path, f"{type(error).__name__}: {error}") from None


def study_text(study: Mapping[str, Any]) -> str:
    """The study, in the notation of its file."""
    tables = [("[base]", study.get("base") or {}), ("[grid]", study.get("grid") or {})]
    tables += [("[[point]]", point) for point in study.get("point") or []]
    lines: list[str] = []
    for title, table in tables:
        if table:
            lines += [title, *(f"{key} = {toml(value)}" for key, value in table.items()), ""]
    return "\n".join(lines).rstrip()


def toml(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def content(found: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of the page: curves, their legend, the table, and notes."""
    rows: Rows = found["rows"]
    keys = keys_of(found["study"], rows)
    good = [row for row in rows if row.get(ERROR) is None]
    at = axis(good, keys)
    pictures, lines = [], []
    if at is not None:
        lines = names_of(good, keys, at[0])[:MOST_LINES]
        pictures = [curve(good, keys, at, lines, result) for result in RESULTS]
    failed = len({row["point"] for row in rows if row.get(ERROR) is not None})
    notes = [f"{failed:,} points have an error instead of a result."] if failed else []
    if len(rows) > MOST_ROWS:
        notes.append(f"The first {MOST_ROWS:,} of {len(rows):,} rows.")
    if at is not None and len(names_of(good, keys, at[0])) > MOST_LINES:
        notes.append(f"The curves show the first {MOST_LINES} combinations of the grid.")
    colors = [f"var(--{color})" for color in drawings.LINES]
    return {
        "title": f"Sweep {found['name']}",
        "headline": text.counted(len({row["point"] for row in rows}), "point"),
        "curve": "".join(pictures),
        "legend": [(colors[n], name) for n, name in enumerate(lines) if name],
        "rows": [shown(row, keys) for row in rows[:MOST_ROWS]],
        "footnotes": notes,
    }


def keys_of(study: Mapping[str, Any], rows: Rows) -> list[str]:
    """Keys of the study that differ between points."""
    grid = study.get("grid") or {}
    points = study.get("point") or []
    named = [*grid, *(key for point in points for key in point)]
    known = [key for key in dict.fromkeys(named) if rows and key in rows[0]]
    return [key for key in known if len({str(row[key]) for row in rows}) > 1]


def axis(rows: Rows, keys: Sequence[str]) -> tuple[str, str, Any] | None:
    """Column, label and words of the horizontal axis; None without one."""
    for name, (label, words) in WITHIN.items():
        if len({row.get(name) for row in rows} - {None}) > 1:
            return name, label, words
    numeric = [key for key in keys if all(is_number(row[key]) for row in rows)]
    if not numeric:
        return None
    best = max(numeric, key=lambda key: len({row[key] for row in rows}))
    return best, best.replace("_", " "), lambda value: f"{value:,.4g}"


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def line_of(row: Mapping[str, Any], keys: Sequence[str], at: str) -> str:
    """The name of the line of a row: the values of the other keys."""
    return ", ".join(f"{key} {row[key]}" for key in keys if key != at)


def names_of(rows: Rows, keys: Sequence[str], at: str) -> list[str]:
    return list(dict.fromkeys(line_of(row, keys, at) for row in rows))


def curve(
    rows: Rows, keys: Sequence[str], at: tuple[str, str, Any], names: Sequence[str], result: str
) -> str:
    """One result over the horizontal axis; the mean of rows that share a place."""
    name, label, words = at
    label_y, words_y = RESULTS[result]
    lines: dict[str, dict[float, list[float]]] = {line: {} for line in names}
    for row in rows:
        line, x, y = line_of(row, keys, name), row.get(name), row.get(result)
        if line in lines and is_number(x) and is_number(y):
            lines[line].setdefault(x, []).append(y)
    series = [
        (line, [(x, sum(ys) / len(ys)) for x, ys in sorted(places.items())])
        for line, places in lines.items()
    ]
    if max((len(points) for _, points in series), default=0) < 2:
        return ""
    # A logarithmic axis has no place for 0.
    logarithmic = name != "offered" and all(x > 0 for _, points in series for x, _ in points)
    return drawings.curve(series, label, label_y, logarithmic, words, words_y)


def shown(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, str]:
    """A row of the table: what differs, and the results."""
    cells = {"point": f"{row['point']:,}"}
    cells |= {key.replace("_", " "): str(row[key]) for key in keys}
    if row.get("bytes") is not None:
        cells["message"] = units.show_size(row["bytes"])
    if row.get("offered") is not None:
        cells["offered"] = f"{row['offered']:.3f}"
    for name, (label, words) in RESULTS.items():
        if name in row:
            words = units.show_time if name.endswith("_s") else words
            cells[label] = "-" if row[name] is None else words(row[name])
    if row.get(ERROR) is not None:
        cells["error"] = str(row[ERROR])[:120]
    return cells
