"""Writes a timeline as a Perfetto trace: `crates/api/src/timeline/perfetto.rs`."""

from __future__ import annotations

from pathlib import Path

from .. import core


def write(source: Path, target: Path) -> None:
    """Convert the records of `source`."""
    core.write_perfetto(source, target)
