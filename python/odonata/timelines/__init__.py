"""Timelines of runs: what to record, and the files of viewers.

The core writes records of a fixed size while it simulates (docs/timelines.md). This package
converts them for Perfetto, Paraver and OTF2, a block of records at a time.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import core, units
from ..errors import Diagnostics
from ..files import passing, why

# The module that writes each format, by the ending of the file.
FORMATS = {
    ".pftrace": "perfetto",
    ".perfetto-trace": "perfetto",
    ".prv": "paraver",
    ".otf2": "otf2",
    ".odtl": "",
}
# Endings of files that are written beside a timeline.
BESIDE = (".pcf", ".row", ".def")
WANTED = "a file that ends in `.pftrace` (Perfetto), `.prv` (Paraver), `.otf2` or `.odtl`"
MOST_RANK = 2**31 - 1


@dataclass(frozen=True)
class Timeline:
    """A timeline to record: `path` ends in `.pftrace`, `.prv`, `.otf2` or `.odtl`.

    `window` is a part of the run (`"1ms:2ms"`), `ranks` are ranges (`"0-7,64"`), and `sample` is
    the interval between two samples of the links (`"1us"`). By default a timeline has the whole run
    and all ranks.
    """

    path: str | Path
    window: str | None = None
    ranks: str | None = None
    sample: str | float | None = None

    @property
    def format(self) -> str:
        """Name of the module that writes it; empty for the records themselves."""
        return FORMATS[Path(self.path).suffix]

    def request(self) -> dict[str, Any]:
        """The part of a request. The records of a converted timeline have a temporary name."""
        wrong = Diagnostics()
        found = check(wrong, self)
        wrong.raise_any()
        path = Path(os.path.abspath(self.path))
        records = passing(path, "0" * 16) if self.format else path
        return {**found, "path": core.word(os.fspath(records))}


def check(wrong: Diagnostics, timeline: Any) -> dict[str, Any]:
    """The request of a timeline without its path; diagnostics of everything that is wrong."""
    if not isinstance(timeline, Timeline):
        wrong.add("timeline", timeline, 'a Timeline, such as `odonata.Timeline("run.pftrace")`')
        return {}
    try:
        path = Path(os.fspath(timeline.path))
        if path.suffix not in FORMATS:
            wrong.add("timeline", timeline.path or "nothing", WANTED)
        elif path.is_dir() or path.exists() and not path.is_file():
            wrong.add("timeline", path, f"{WANTED}, not a directory or a device")
        elif not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            wrong.add("timeline", path, "a place that can be written to")
        elif path.suffix == ".otf2":
            importlib.import_module(".otf2", __name__).check(wrong)
    except (OSError, ValueError, TypeError) as error:
        wrong.add("timeline", timeline.path, f"{WANTED} ({why(error)})")
    return {
        "window_s": window_of(wrong, timeline.window),
        "ranks": ranks_of(wrong, timeline.ranks),
        "sample_s": sample_of(wrong, timeline.sample),
    }


def check_traffic(wrong: Diagnostics, timeline: Any, loads: int) -> None:
    """Add diagnostics of a timeline that synthetic traffic does not have: it has no ranks."""
    if not isinstance(timeline, Timeline):
        return
    suffix = Path(os.fspath(timeline.path)).suffix
    if FORMATS.get(suffix) not in ("perfetto", ""):
        wanted = "FILE.pftrace or FILE.odtl: traffic has links and no ranks"
        wrong.add("timeline", timeline.path, wanted)
    if loads > 1:
        wrong.add("timeline", timeline.path, "one load with a timeline (`--load 0.5`)")
    if timeline.ranks is not None:
        wrong.add("timeline_ranks", timeline.ranks, "no ranks: traffic has none")


def window_of(wrong: Diagnostics, text: str | None) -> tuple[float, float] | None:
    """`1ms:2ms`, in seconds."""
    if text is None:
        return None
    wanted = f"START:END, each {units.SPAN}"
    try:
        first, colon, last = text.partition(":")
        found = units.read_span(first), units.read_span(last)
        if colon and found[0] < found[1]:
            return found
        wrong.add("timeline_window", text, "a start before its end: `1ms:2ms`")
    except (units.Unreadable, AttributeError, TypeError) as error:
        wrong.add("timeline_window", text or "nothing", wanted, str(error) or None)
    return None


def ranks_of(wrong: Diagnostics, text: str | None) -> list[tuple[int, int]]:
    """`0-7,64`: the first and the last rank of each range."""
    found: list[tuple[int, int]] = []
    for part in str(text).split(",") if text is not None else ():
        match = re.fullmatch(r"\s*([0-9]{1,10})(?:-([0-9]{1,10}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or last > MOST_RANK:
            wrong.add("timeline_ranks", text or "nothing", "ranges of ranks, such as `0-7,64`")
            return []
        found.append((first, last))
    return found


def sample_of(wrong: Diagnostics, value: str | float | None) -> float | None:
    """An interval in seconds."""
    if value is None:
        return None
    try:
        found = units.read_span(value) if isinstance(value, str) else float(value)
        if 1e-9 <= found < 1e6:
            return found
        wrong.add("timeline_sample", value, "at least 1 ns")
    except (units.Unreadable, TypeError, ValueError) as error:
        wrong.add("timeline_sample", value or "nothing", units.SPAN, str(error) or None)
    return None


def finish(timeline: Timeline | None, answer: dict[str, Any]) -> dict[str, Any]:
    """Convert the records that a run has written; the answer then describes the file.

    Returns the tables of the timeline for the report.
    """
    row = answer.pop("timeline", None)
    if timeline is None or row is None:
        return {}
    tables: dict[str, Any] = {}
    path = Path(os.path.abspath(timeline.path))
    found = {"file": str(timeline.path), **row, "window": timeline.window, "ranks": timeline.ranks}
    records = passing(path, "0" * 16) if timeline.format else path
    try:
        if row["unwritten"] is None:
            aggregate = importlib.import_module(".aggregate", __name__)
            tables, found["time_s"] = aggregate.tables(records)
            if timeline.format:
                writer = importlib.import_module(f".{timeline.format}", __name__)
                writer.write(records, path)
    except OSError as error:
        found["unwritten"] = f"{path}: {why(error)}"
    except Exception as error:  # the result of the run must not be lost
        found["unwritten"] = f"{path}: {type(error).__name__}: {error}"
    finally:
        if timeline.format:
            with contextlib.suppress(OSError):
                records.unlink()
    answer["timeline"] = found
    return {name: value for name, value in tables.items() if value}


def outcome(row: dict[str, Any]) -> str:
    """What the command line prints about a timeline."""
    if row["unwritten"]:
        return f"the timeline is not complete: {row['unwritten']}"
    if not row["operations"] and not row["messages"]:
        return f"wrote {row['file']}: {row['samples']:,} samples of links"
    words = f"wrote {row['file']}: {row['operations']:,} operations"
    if row["calls"]:
        words += f", {row['calls']:,} calls"
    words += f", {row['messages']:,} messages, {row['samples']:,} samples of counters"
    if row["omitted"]:
        words += f"; {row['omitted']:,} records are outside the selected window and ranks"
    return words
