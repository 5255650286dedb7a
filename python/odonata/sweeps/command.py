"""`odonata sweep`: parameter sweeps, and the table of their results."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from .. import core, text
from ..commands.command import command
from ..options import options_of
from ..progress import Progress, clock, form_of
from ..streams import say
from ..terminal import Terminal
from ..units import show_rate, show_size, show_time
from . import TRIES, sweep
from .store import ERROR

# Numbers that are no counts.
PLAIN = ("seed", "point")
# Columns of traffic about packets that have arrived.
BAND = ("low", "high")
# Columns that bands belong to.
PREDICTED = ("latency_s", "bandwidth_B_per_s", "messages_per_s", "time_s")
SURVIVORS = ("latency_mean_s", "latency_p50_s", "latency_p99_s")
FOOT = "# * of the packets that had come at the end; with the age of the `unfinished`: least_..._s"


@command("sweep")
@click.argument("study", required=False)
@options_of("sweep")
def sweep_command(
    study: str | None,
    out: str | None,
    workers: str | None,
    scheduler: str | None,
    tries: str | None,
    as_json: bool,
    quiet: bool,
    progress: str | None,
) -> int:
    """Run every point of the parameter sweep in STUDY, a TOML file, and print one table.

    `[base]` has the keys that all points share. `[grid]` has lists, and each combination of their
    values is a point. Each `[[point]]` is one more. Keys are a command (`command = "bench"`), its
    arguments and its options. Finished points are stored: after Ctrl-C or a crash, the same command
    continues (docs/sweeps.md).
    """
    stop = core.Stop()
    with Progress("sweep", quiet, form=form_of(progress)) as line:

        def show(tick: Mapping[str, Any]) -> None:
            done = tick["asked"] - tick["left"]
            line.count(done, tick["asked"], tick["wall_s"], drawn(tick))

        result = sweep(
            study or "",
            out=out,
            workers=whole(workers),
            scheduler=scheduler,
            tries=TRIES if tries is None else whole(tries),
            tick=show,
            stop=stop,
        )
    if as_json:
        print(json.dumps({**result.summary, "rows": result.rows}))
    else:
        print(shown(result.rows))
    sys.stdout.flush()
    if stop.signal or not quiet:
        say(f"odonata: {counted(result.summary)}")
    return 128 + stop.signal if stop.signal else int(result.summary["failed"] > 0)


def whole(text: str | None) -> Any:
    """A number, or the text, which `sweep` reports as invalid."""
    return int(text) if text and re.fullmatch("[0-9]{1,400}", text) else text


def drawn(tick: Mapping[str, Any]) -> str:
    """`sweep | ██████████           | 100 of 200 | 2 failed | 31.2/s | 0:03 left`."""
    points, left, wall = tick["points"], tick["left"], tick["wall_s"]
    bar = text.bar((points - left) / points, 20).ljust(20)
    parts = ["sweep", bar, f"{points - left:,} of {points:,}"]
    if tick["failed"]:
        parts.append(f"{tick['failed']:,} failed")
    if now := tick["asked"] - left:
        parts += [f"{now / wall:.1f}/s", f"{clock(left * wall / now)} left"]
    else:
        parts.append(clock(wall))
    return " | ".join(parts)


def counted(summary: Mapping[str, Any]) -> str:
    """The outcome of a sweep in one line."""
    points, finished, failed = (summary[key] for key in ("points", "finished", "failed"))
    if summary["interrupted"]:
        kept = f"{finished:,} of {points:,} points are kept in {summary['out']}"
        return f"interrupted: {kept}; the same command goes on"
    before = summary["points"] - summary["asked"]
    words = [text.counted(points, "point"), f"{before:,} of them known already" if before else ""]
    words += [f"{failed:,} failed" if failed else "", f"table in {summary['out']}"]
    return ", ".join(word for word in words if word)


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table without digests. Constant columns are listed above it, notes below it."""
    names = [name for name in (rows[0] if rows else ()) if name not in ("digest", "notes")]
    same = [n for n in names if n != "point" and len({row[n] for row in rows}) == 1]
    head = [f"# {n}  {cell_of(rows[0], n)}" for n in same if rows[0][n] is not None]
    differ = [name for name in names if name not in same]
    cells = [[f"# {differ[0]}", *differ[1:]]] if rows else []
    cells += [[cell_of(row, name) + mark(name, row) for name in differ] for row in rows]
    sides = "".join("<" if is_text(rows, name) else ">" for name in differ)
    foot = [FOOT] if any(mark(name, row) for row in rows for name in differ) else []
    return "\n".join([*head, *Terminal(sys.stdout).columns(cells, sides), *foot, *notes(rows)])


def notes(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The notes of all results, each once with its points."""
    noted: dict[str, dict[int, None]] = {}
    for row in rows:
        if row.get("notes"):
            noted.setdefault(row["notes"], {})[row["point"]] = None
    return [f"# note: {note} ({of_points(list(points))})" for note, points in noted.items()]


def of_points(points: Sequence[int]) -> str:
    if len(points) == 1:
        return f"point {points[0]}"
    return f"{len(points)} points, the first is {points[0]}"


def mark(name: str, row: Mapping[str, Any]) -> str:
    """A star at latencies that cover arrived packets only."""
    some = name in SURVIVORS and row[name] is not None and row.get("unfinished")
    return "*" if some else ""


def is_text(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(isinstance(row[name], str) for row in rows)


def cell_of(row: Mapping[str, Any], name: str) -> str:
    """The cell of a column; ends of a band have the unit of what they bound."""
    bounded = (one for one in PREDICTED if row.get(one) is not None)
    return cell(next(bounded, name) if name in BAND else name, row[name])


def cell(name: str, value: Any) -> str:
    """A value in a suitable unit; the end of the column's name is its stored unit."""
    if value is None:
        return ""
    if name == ERROR:
        return " ".join(str(value).split())
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if name.endswith("_B_per_s"):
        return show_rate(value)
    if name.endswith("_s") and not name.endswith("_per_s"):
        return show_time(value)
    if name == "bytes":
        return show_size(int(value))
    return f"{value:,}" if isinstance(value, int) and name not in PLAIN else f"{value:.6g}"
