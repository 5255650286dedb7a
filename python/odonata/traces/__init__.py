"""Traces of other tools, converted to records (docs/traces.md).

`read` detects the format by content and converts the trace, or reports what is wrong with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import Diagnostics
from .schedule import TraceError

WANTED = (
    "a GOAL schedule, a record of `odonata run --record`, or a trace: OTF2, Paraver, Chakra, "
    "DUMPI as text, SimGrid's actions"
)


def format_of(path: Path, head: bytes) -> str | None:
    """The module that reads a file with this beginning; None if it is no trace."""
    if head.startswith(b"#Paraver"):
        return "paraver"
    if path.suffix == ".otf2":
        return "otf2"
    from . import chakra, dumpi, simgrid

    if chakra.is_trace(head, path):
        return "chakra"
    text = head.decode("utf-8", "replace")
    if dumpi.is_trace(text):
        return "dumpi"
    return "simgrid" if b"\0" not in head and simgrid.is_trace(text, path) else None


def read(
    wrong: Diagnostics, path: Path, form: str
) -> tuple[dict[str, Any], dict[str, bytes]] | None:
    """The header and the columns of a record with the calls of a trace; None if it is invalid."""
    from importlib import import_module

    try:
        record: tuple[dict[str, Any], dict[str, bytes]]
        record = import_module(f".{form}", __name__).read(path).record()
        return record
    except TraceError as error:
        error.report(wrong)
    except (OSError, ValueError, MemoryError) as error:
        wrong.add("trace", path, f"{WANTED} that can be read ({error})")
    return None
