"""Comparison of two results: what differs in the request, and where the time differs.

Both are directories of `--out`. Times are compared per call, share, distance and kind of link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import text, units
from .tables import rows_of

# Keys of a summary that are the request: what a user selects.
REQUEST = (
    "kind", "name", "program", "trace", "machine", "ranks", "nodes", "ppn", "placement", "routing",
    "fidelity", "mpi", "seed", "compute", "buffers", "window", "background", "noise", "class",
    "pattern", "file_system", "command", "odonata",
)  # fmt: skip
# Changes below this share of the larger value are not marked.
EQUAL = 1e-9

Rows = Sequence[Mapping[str, Any]]


def compare(
    first: tuple[Mapping[str, Any], Mapping[str, Rows]],
    second: tuple[Mapping[str, Any], Mapping[str, Rows]],
) -> dict[str, Any]:
    """The comparison of two results: a summary and its tables each."""
    (a, of_a), (b, of_b) = first, second
    found: dict[str, Any] = {
        "kind": "comparison",
        "changed": changed(a, b),
        "time": pair(a.get("time_s"), b.get("time_s")),
        "digests": [a.get("digest"), b.get("digest")],
    }
    found["shares"] = joined(shares(of_a), shares(of_b), "share", ["time_s"])
    found["calls"] = joined(
        per_rank(a, table(a, of_a, "calls")), per_rank(b, table(b, of_b, "calls")),
        "function", ["time_s", "calls", "bytes"],
    )  # fmt: skip
    found["distance"] = joined(
        table(a, of_a, "distance"), table(b, of_b, "distance"), "distance", ["bytes", "messages"]
    )
    kinds = ["bytes", "utilization_mean", "utilization_max", "stalled_s"]
    found["link_kinds"] = joined(
        table(a, of_a, "link_kinds"), table(b, of_b, "link_kinds"), "kind", kinds
    )
    found["links"] = joined(links(of_a), links(of_b), "link", ["busy_s", "bytes"])
    found["rows"] = series(a, b, of_a, of_b)
    return found


def table(summary: Mapping[str, Any], data: Mapping[str, Rows], name: str) -> Rows:
    return data.get(name) or rows_of(summary.get(name))


def changed(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of the request that differ."""
    return [
        {"key": key, "first": a.get(key), "second": b.get(key)}
        for key in REQUEST
        if a.get(key) != b.get(key)
    ]


def pair(first: Any, second: Any) -> dict[str, Any]:
    """Two values with their difference, and their ratio if the first is not zero."""
    row = {"first": first, "second": second, "difference": None, "ratio": None}
    if isinstance(first, (int, float)) and isinstance(second, (int, float)):
        row["difference"] = second - first
        row["ratio"] = second / first if first else None
    return row


def shares(data: Mapping[str, Rows]) -> Rows:
    """Mean time per rank in computation, waiting, transfer and after its end."""
    ranks = data.get("ranks") or []
    split = text.shares(ranks) if ranks else {}
    return [{"share": name, "time_s": value["mean"]} for name, value in split.items()]


def per_rank(summary: Mapping[str, Any], calls: Rows) -> Rows:
    """Calls with their mean time per rank."""
    ranks = max(int(summary.get("ranks") or 1), 1)
    return [{**call, "time_s": (call.get("time_s") or 0.0) / ranks} for call in calls]


def links(data: Mapping[str, Rows]) -> Rows:
    return [{**row, "link": f"{row['from']} -> {row['to']}"} for row in data.get("links") or ()]


def joined(first: Rows, second: Rows, key: str, columns: Iterable[str]) -> list[dict[str, Any]]:
    """Rows with the same key side by side, the largest difference of the first column first."""
    columns = list(columns)
    of_first = {row[key]: row for row in first}
    of_second = {row[key]: row for row in second}
    rows = []
    for name in {**of_first, **of_second}:
        one, other = of_first.get(name, {}), of_second.get(name, {})
        row: dict[str, Any] = {key: name}
        row |= {column: pair(one.get(column) or 0, other.get(column) or 0) for column in columns}
        rows.append(row)
    rows.sort(key=lambda row: (-abs(row[columns[0]]["difference"] or 0), str(row[key])))
    return rows


def series(
    a: Mapping[str, Any], b: Mapping[str, Any], of_a: Mapping[str, Rows], of_b: Mapping[str, Rows]
) -> list[dict[str, Any]]:
    """Rows of two benchmarks or two traffic sweeps, by size or load."""
    one, other = table(a, of_a, "rows"), table(b, of_b, "rows")
    if not one or not other:
        return []
    if a.get("kind") == "tune":
        return joined(of_algorithms(one), of_algorithms(other), "call", ["latency_s"])
    for key, columns in (
        ("bytes", ("latency_s", "bandwidth_B_per_s", "messages_per_s")),
        ("offered", ("accepted", "latency_mean_s", "latency_p99_s")),
        ("nodes", ("time_s", "figure_of_merit")),
    ):
        if all(key in row for row in (*one, *other)):
            there = [c for c in columns if any(c in row for row in (*one, *other))]
            rows = joined(one, other, key, there) if there else []
            return sorted(rows, key=lambda row: row[key])
    return []


def of_algorithms(rows: Rows) -> Rows:
    """Rows of a tuning under the name of their call."""
    return [
        {**row, "call": f"{row['nodes']:,} nodes, {row['bytes']:,} B, {row['algorithm']}"}
        for row in rows
    ]


WORDS: dict[str, Callable[[Any], str]] = {
    "time_s": units.show_time, "busy_s": units.show_time, "stalled_s": units.show_time,
    "latency_s": units.show_time, "latency_mean_s": units.show_time,
    "latency_p99_s": units.show_time, "bytes": units.show_bytes, "messages": units.show_count,
    "calls": units.show_count, "utilization_mean": units.show_percent,
    "utilization_max": units.show_percent, "bandwidth_B_per_s": units.show_rate,
    "messages_per_s": units.show_count,
}  # fmt: skip


def shown(column: str, value: Any) -> str:
    """A value of a column as text."""
    if value is None:
        return "-"
    return WORDS.get(column, lambda v: f"{v:.4g}")(value)


def change(row: Mapping[str, Any]) -> str:
    """`+12.3 %`, `=`, or `new` and `gone`."""
    first, second = row["first"], row["second"]
    if not isinstance(first, (int, float)) or not isinstance(second, (int, float)):
        return ""
    if abs(second - first) <= EQUAL * max(abs(first), abs(second)):
        return "="
    if not first:
        return "new"
    return "gone" if not second else f"{100 * (second / first - 1):+.1f} %"


TITLES = {
    "shares": "Where the time went, mean per rank", "calls": "By MPI call, time per rank",
    "distance": "By distance", "link_kinds": "Links by kind", "links": "Busiest links",
    "rows": "By size or load",
}  # fmt: skip
MOST_ROWS = {"calls": 12, "links": 10}


def sections(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tables of a comparison as text."""
    out = []
    for name, title in TITLES.items():
        rows = found[name][: MOST_ROWS.get(name, 200)]
        if not rows:
            continue
        key, *columns = rows[0]
        lines = []
        for row in rows:
            label = units.show_size(row[key]) if key == "bytes" else str(row[key])
            cells = [label if name in ("links", "calls") else label.replace("_", " ")]
            for column in columns:
                of = row[column]
                cells += [shown(column, of["first"]), shown(column, of["second"]), change(of)]
            lines.append(cells)
        out.append({"title": title, "key": key, "columns": columns, "rows": lines})
    return out


def words(found: Mapping[str, Any], names: Sequence[str]) -> str:
    """A comparison for the terminal."""
    out = [f"A: {names[0]}", f"B: {names[1]}", ""]
    if not found["changed"]:
        out.append("The requests are equal.")
    for row in found["changed"]:
        out.append(f"{row['key']}: {value_of(row['first'])} -> {value_of(row['second'])}")
    time = found["time"]
    if time["first"] is not None and time["second"] is not None:
        first, second = (units.show_time(time[which], 4) for which in ("first", "second"))
        out += ["", f"time: {first} -> {second}, {change(time)}"]
    if found["digests"][0] and found["digests"][0] == found["digests"][1]:
        out.append("The digests are equal: both runs have the same events.")
    for section in sections(found):
        head = [section["key"]]
        for column in section["columns"]:
            name = column.removesuffix("_s").removesuffix("_B_per_s").replace("_", " ")
            head += [f"{name} A", "B", "change"]
        table_rows = [head, *section["rows"]]
        widths = [max(len(row[at]) for row in table_rows) for at in range(len(head))]
        out += ["", section["title"]]
        for row in table_rows:
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            out.append("  " + "  ".join(cells).rstrip())
    return "\n".join(out)


def value_of(value: Any) -> str:
    """A value of a request as text."""
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
