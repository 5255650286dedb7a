"""The libraries that make paths below mounts refer to simulated file systems, and the summary of
calls on their files.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import core
from .units import show_bytes, show_count, show_time

_FOLDER = Path(__file__).resolve().parent / "_lib"
# Preloaded into the ranks; and the MPI library for processes of a rank that do not use MPI.
PRELOADED = _FOLDER / "libodonata_io.so"
MPI_LIBRARY = _FOLDER / "libmpi.so.12"
# Commands of job scripts, such as `lfs` and `daos`: the first directory of the ranks' PATH in runs
# with mounts.
COMMANDS = _FOLDER.parent / "_bin" / "storage"


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
    rows: Sequence[Mapping[str, Any]] = (io or {}).get("file_systems", ())
    return [
        f"I/O      {row['name']} ({row['kind']}): {show_count(row['operations'])} operations, "
        f"{show_bytes(row['bytes_written'])} written, {show_bytes(row['bytes_read'])} read; "
        f"{show_time(row['time_s'])} in all calls"
        for row in rows
    ] + [f"         {row['limit']}" for row in (io or {}).get("limits", ()) if row["limit"]]
