"""The part of a report about file systems: phases, files, servers, targets, and two drawings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import figures
from ..units import show_bytes, show_count, show_percent, show_rate, show_time
from . import drawings

# Rows of each table.
MOST_ROWS = 8
# Lines of the drawing of rates: the key of a row, its name and its color.
RATES = (
    ("bytes_written", "written by calls", "accent"),
    ("bytes_read", "read by calls", "second"),
    ("bytes_to_servers", "data to servers", "transfer"),
    ("bytes_from_servers", "data from servers", "fourth"),
)


def content(io: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What the page shows of each file system, by name."""
    io = io or {}
    names = list(dict.fromkeys(row["file_system"] for row in io.get("phases") or ()))
    return [of_file_system(io, name) for name in names]


def of_file_system(io: Mapping[str, Any], name: str) -> dict[str, Any]:
    def own(table: str) -> list[Mapping[str, Any]]:
        return [row for row in io.get(table) or () if row["file_system"] == name]

    phases, files, targets = own("phases"), own("files"), own("targets")
    servers = sorted(own("servers"), key=lambda row: -row["busy_s"])
    media, rates = own("media"), own("rates")
    limits = [row["limit"] for row in own("limits") if row["limit"]]
    return {
        "name": name,
        "limit": limits[0] if limits else "",
        "time": time_of_calls(own("time")),
        "phases": [phase_row(row) for row in phases],
        "files": [file_row(row) for row in files[:MOST_ROWS]],
        "more_files": max(len(files) - MOST_ROWS, 0),
        "servers": [server_row(row) for row in servers[:MOST_ROWS]],
        "server_load": spread_of([row["busy_s"] / row["threads"] for row in servers], "server"),
        "targets": [target_row(row) for row in targets[:MOST_ROWS]],
        "target_load": media_words(media[0]) if media else "",
        "gateways": [gateway_words(row) for row in own("gateways")],
        "counters": [(row["name"], show_count(row["count"])) for row in own("counters")],
        "rates": rates_over_time(rates[0]) if rates else "",
        "loads": load_over_targets(media[0]) if media and media[0]["used"] > 1 else "",
    }


def time_of_calls(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """Parts of the time of all calls, with their shares."""
    if not rows:
        return []
    parts = [(what, rows[0][f"{what}_s"]) for what in ("data", "locks", "metadata")]
    total = sum(seconds for _, seconds in parts) or 1.0
    return [(what, show_time(s), show_percent(s / total)) for what, s in parts if s > 0]


def phase_row(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "phase": row["phase"],
        "start": show_time(row["start_s"]),
        "time": show_time(row["time_s"]),
        "operations": show_count(row["operations"]),
        "bytes": show_bytes(row["bytes"]) if row["bytes"] else "-",
        "rate": show_rate(row["rate_B_per_s"]) if row["bytes"] else "-",
        "operations/s": show_count(row["operations_per_s"]),
        "in calls": show_time(row["call_time_s"]),
        "errors": f"{row['errors']:,}",
    }


def file_row(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "file": row["path"] or f"file {row['file']}",
        "written": show_bytes(row["bytes_written"]),
        "read": show_bytes(row["bytes_read"]),
        "operations": show_count(row["reads"] + row["writes"]),
        "rate": show_rate(row["rate_B_per_s"]),
        "in data": show_time(row["read_time_s"] + row["write_time_s"]),
        "in locks": show_time(row["lock_time_s"]),
        "in metadata": show_time(row["metadata_time_s"]),
    }


def server_row(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "server": row["name"],
        "host, port": f"{row['host']}, {row['port']}",
        "in": show_bytes(row["bytes_in"]),
        "out": show_bytes(row["bytes_out"]),
        "requests": show_count(row["requests"]),
        "busy per thread": show_time(row["busy_s"] / row["threads"]),
        "waiting": show_time(row["waiting_s"]),
        "longest queue": f"{row['queue_max']:,}",
    }


def target_row(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "target": row["target"],
        "written": show_bytes(row["bytes_written"]),
        "read": show_bytes(row["bytes_read"]),
        "accesses": show_count(row["accesses"]),
        "busy": show_time(row["busy_s"]),
        "waiting": show_time(row["waiting_s"]),
    }


def spread_of(values: Sequence[float], what: str) -> str:
    """How evenly load is spread."""
    mean = sum(values) / max(len(values), 1)
    if not mean:
        return ""
    times = max(values) / mean
    return f"{len(values):,} {what}s served requests; the busiest {times:.2f} times the mean"


def media_words(row: Mapping[str, Any]) -> str:
    if not row["used"]:
        return ""
    return (
        f"{row['used']:,} of {row['media']:,} media were accessed; the busiest "
        f"{show_time(row['busy_max_s'])}, {row['imbalance']:.2f} times their mean"
    )


def gateway_words(row: Mapping[str, Any]) -> str:
    return (
        f"{row['gateways']:,} gateway ports: {show_bytes(row['bytes_to_servers'])} to servers, "
        f"{show_bytes(row['bytes_to_clients'])} to clients; messages waited "
        f"{show_time(row['credit_waiting_s'])} for credits and "
        f"{show_time(row['buffer_waiting_s'])} for buffers in all"
    )


def rates_over_time(row: Mapping[str, Any]) -> str:
    """Bytes per second of calls and of servers, in steps of one bin."""
    from matplotlib.ticker import FuncFormatter

    width = row["width_s"]
    lines = [(name, color, row[key]) for key, name, color in RATES if any(row[key])]
    if not lines:
        return ""
    figure, ax = drawings.blank(1040, 260)
    widen(figure)
    for name, color, values in lines:
        edges = [nth * width for nth in range(len(values) + 1)]
        ax.stairs([v / width for v in values], edges, color=drawings.LINES[color], lw=2, label=name)
    ax.legend(frameon=False, ncols=4, loc="upper left", bbox_to_anchor=(0, 1.16), fontsize=11.5,
              labelcolor=drawings.SOFT)  # fmt: skip
    ax.set_xlim(0, len(lines[0][2]) * width)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("time")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda s, _: drawings.tick_time(s)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: show_rate(v) if v else "0"))
    return figures.svg(figure, "Rate over time", drawings.VARIABLES)


def load_over_targets(row: Mapping[str, Any]) -> str:
    """Time that each medium was busy; columns of several media show the mean and the longest."""
    from matplotlib.ticker import FuncFormatter

    busy = row["busy_s"]
    means = drawings.binned(busy, drawings.MOST_COLUMNS)
    count = len(means)
    cuts = [nth * len(busy) // count for nth in range(count + 1)]
    most = [max(busy[a:b]) for a, b in zip(cuts, cuts[1:], strict=False)]
    figure, ax = drawings.blank(1040, 220)
    widen(figure)
    if count < len(busy):
        ax.stairs(most, cuts, color=drawings.LINES["second"], lw=1, label="longest of a column")
    ax.stairs(means, cuts, fill=True, color=drawings.LINES["accent"], lw=0,
              label="mean of a column" if count < len(busy) else None)  # fmt: skip
    if count < len(busy):
        ax.legend(frameon=False, ncols=2, loc="upper left", bbox_to_anchor=(0, 1.18),
                  fontsize=11.5, labelcolor=drawings.SOFT)  # fmt: skip
    ax.set_xlim(0, len(busy))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("medium")
    drawings.rank_axis(ax.xaxis, len(busy))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda s, _: drawings.tick_time(s)))
    return figures.svg(figure, "Busy time of each medium", drawings.VARIABLES)


def widen(figure: Any) -> None:
    """Leave a margin for labels with units, whose font may be wider on the page."""
    figure.get_layout_engine().set(w_pad=0.15)
