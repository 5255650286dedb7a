"""The libraries that make paths below mounts refer to simulated file systems, and the summary of
calls on their files.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import core
from .terminal import escaped
from .units import show_bytes, show_count, show_percent, show_rate, show_time

_FOLDER = Path(__file__).resolve().parent / "_lib"
# Preloaded into the ranks; and the MPI library for processes of a rank that do not use MPI.
PRELOADED = _FOLDER / "libodonata_io.so"
MPI_LIBRARY = _FOLDER / "libmpi.so.12"
# Commands of job scripts, such as `lfs` and `daos`: the first directory of the ranks' PATH in runs
# with mounts.
COMMANDS = _FOLDER.parent / "_bin" / "storage"
# Phases in a summary.
MOST_PHASES = 4


def libraries() -> dict[str, str]:
    """The parts of a request that name them; none if they are not installed."""
    if not PRELOADED.is_file():
        return {}
    # The loader splits LD_PRELOAD at spaces and colons: then it has to find the library by its
    # name.
    path = str(PRELOADED)
    preloaded = PRELOADED.name if any(c in path for c in " :") else path
    return {
        "io_library": core.word(preloaded),
        "mpi_library": core.word(str(MPI_LIBRARY)),
        "storage_commands": core.word(str(COMMANDS)),
        "interpreter": core.word(sys.executable),
    }


def lines(io: Mapping[str, Any] | None) -> list[str]:
    """The summary of a run's calls on simulated files."""
    io = io or {}
    rows: Sequence[Mapping[str, Any]] = io.get("file_systems") or ()
    found = [
        f"I/O      {of_job(row)}{row['name']} ({row['kind']}): "
        f"{show_count(row['operations'])} operations, "
        f"{show_bytes(row['bytes_written'])} written, {show_bytes(row['bytes_read'])} read; "
        f"{show_time(row['time_s'])} in all calls"
        for row in rows
    ]
    names = dict.fromkeys(row["file_system"] for row in io.get("phases") or ())
    for name in names:
        found += of_file_system(io, name, len(names) > 1)
    return found


def of_job(row: Mapping[str, Any]) -> str:
    return f"job {escaped(row['job'])}, " if row.get("job") else ""


def of_file_system(io: Mapping[str, Any], name: str, is_named: bool) -> list[str]:
    """Parts of the time, the phases with most bytes, the busiest target, and the limit."""

    def own(table: str) -> list[Mapping[str, Any]]:
        return [row for row in io.get(table) or () if row["file_system"] == name]

    found = []
    for row in own("time"):
        parts = [(what, row[f"{what}_s"]) for what in ("data", "locks", "metadata")]
        total = sum(seconds for _, seconds in parts)
        if total:
            shares = ", ".join(f"{what} {show_percent(s / total)}" for what, s in parts if s)
            found.append(f"time in calls: {shares}")
    moved = sorted((row for row in own("phases") if row["bytes"]), key=lambda row: -row["bytes"])
    found += [
        f"{row['phase']} from {show_time(row['start_s'])}: {show_bytes(row['bytes'])} in "
        f"{show_time(row['time_s'])}, {show_rate(row['rate_B_per_s'])}"
        for row in sorted(moved[:MOST_PHASES], key=lambda row: row["start_s"])
    ]
    for row in own("media"):
        if row["used"] > 1 and (busiest := own("targets")):
            found.append(
                f"{row['used']:,} of {row['media']:,} media used; {busiest[0]['target']} busy for "
                f"{show_time(row['busy_max_s'])}, {row['imbalance']:.2f} times their mean"
            )
    found += [row["limit"] for row in own("limits") if row["limit"]]
    about = f"{name}: " if is_named else ""
    return [f"         {about}{line}" for line in found]
