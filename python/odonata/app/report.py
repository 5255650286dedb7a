"""The result of a model as text: a row per number of nodes, phases, and what limits the time."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from .. import bands
from ..terminal import Terminal
from ..text import counted
from ..units import show_bytes, show_count, show_percent, show_time
from . import advice
from .running import AppResult

LEAST = 0.005  # share of the time that the breakdown shows
PREFIXES = (("E", 1e18), ("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))


def show_merit(value: float, unit: str) -> str:
    """`1.35 Eflop/s`."""
    for prefix, scale in PREFIXES:
        if abs(value) >= scale:
            return f"{value / scale:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def shown(result: AppResult) -> str:
    """The table of all numbers of nodes, and the phases of the last."""
    s = result.summary
    lines = [
        f"# odonata app {s['name']} on {s['machine']}, {s['mpi']}, {s['fidelity']} fidelity, "
        f"{s['scaling']} scaling" + (", buffers in GPU memory" if s["buffers"] == "gpu" else ""),
        f"# {s['ppn']} ranks per node; " + ", ".join(f"{k}={v}" for k, v in s["problem"].items()),
    ]
    if not s["is_checked"]:
        lines.append("# the model was not compared with its program (`odonata app check`)")
    cells: list[tuple[str, ...]] = [
        ("# nodes", "ranks", "time", "figure of merit", "low", "high", "efficiency")
    ]
    for row in result.rows:
        unit = row["unit"]
        cells.append((
            f"{row['nodes']:,}", f"{row['ranks']:,}", show_time(row["time_s"]),
            show_merit(row["figure_of_merit"], unit), show_merit(row["low"], unit),
            show_merit(row["high"], unit), show_percent(row["efficiency"]),
        ))  # fmt: skip
    lines += Terminal(sys.stdout).columns(cells, ">" * 7)
    lines += [f"# {line}" for line in bands.lines(s["bands"])]
    if result.rows:
        lines += ["", *breakdown(s["runs"][len(result.rows) - 1])]
    if "advice" in s:
        lines += ["", *advice.lines(s["advice"], s["fidelity"])]
    return "\n".join(lines)


def breakdown(run: Mapping[str, Any]) -> list[str]:
    """Phases of one run: mean over ranks."""
    lines = [
        f"# phases on {counted(run['nodes'], 'node')}, mean over ranks",
        "# communication: what computation does not hide, with waiting for slower ranks",
    ]
    cells: list[tuple[str, ...]] = [
        ("# phase", "time", "share", "computation", "communication", "messages", "bytes")
    ]
    for row in run["phases"]:
        cells.append((
            row["phase"], show_time(row["time_s"]), show_percent(share(row["time_s"], run)),
            show_time(row["compute_s"]), show_time(row["communication_s"]),
            show_count(row["messages"]), show_bytes(row["bytes"]),
        ))  # fmt: skip
    rest = run["time_s"] - sum(row["time_s"] for row in run["phases"])
    if share(rest, run) > LEAST:
        cells.append(("(end)", show_time(rest), show_percent(share(rest, run)), "", "", "", ""))
    lines += Terminal(sys.stdout).columns(cells, "<" + ">" * 6)
    if share(rest, run) > LEAST:
        lines.append("# (end): ranks wait for the last one to end")
    lines.append(f"# limiting resource: {limit(run)}")
    if energy := run.get("energy"):
        lines.append(f"# energy: {show_merit(energy['energy_J'], 'J')}, "
                     f"{show_merit(energy['energy_J'] / run['time_s'], 'W')}")  # fmt: skip
    if made := run.get("composition"):
        lines.append(
            f"# composed of distinct parts; on {counted(made['nodes'], 'node')} this differs by "
            f"{show_percent(made['error'])} from the simulation of the whole"
        )
    return lines


def share(seconds: float, run: Mapping[str, Any]) -> float:
    return seconds / run["time_s"] if run["time_s"] > 0 else 0.0


def limit(run: Mapping[str, Any]) -> str:
    """What takes the largest part of the time."""
    parts: dict[str, float] = {}
    for row in run["computations"]:
        words = {"memory": "memory of the computing units", "flops": "arithmetic",
                 "link": "links between host and computing units"}  # fmt: skip
        if row["limit"] == "stated":
            name = "computation whose time the model states"
        else:
            name = f"{words.get(row['limit'], row['limit'])} ({row['kernel']})"
        parts[name] = parts.get(name, 0.0) + row["time_s"]
    for row in run["phases"]:
        parts[f"communication ({row['phase']})"] = row["communication_s"]
    name, seconds = max(parts.items(), key=lambda part: part[1], default=("nothing", 0.0))
    return f"{name}, {show_percent(share(seconds, run))} of the time"
