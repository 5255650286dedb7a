"""Tables of a timeline for the report: `crates/api/src/timeline/tables.rs`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import core
from . import records as tl

Tables = dict[str, dict[str, list[Any]]]


def tables(source: Path) -> tuple[Tables, float]:
    """The tables `timeline`, `slices` and `link_load`, and the time of the run, seconds."""
    found = core.timeline_tables(source)
    time_s = found.pop("time_s")
    if "slices" in found:
        # Operations have the names of the MPI functions that viewers show.
        shown = {name: tl.mpi_name(name) for name in tl.open_records(source).footer["operations"]}
        found["slices"]["name"] = [shown.get(name, name) for name in found["slices"]["name"]]
    return found, time_s
