"""Clocks that a program reads outside MPI: real or simulated, and their first value."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import date, datetime, timezone
from pathlib import Path

from .errors import Diagnostics, nearest

LIBRARY = Path(__file__).resolve().parent / "_lib" / "libodonata_clock.so"
# Start of simulated jobs: programs that read the date are reproducible.
EPOCH = "2026-01-01"
CLOCKS = ("virtual", "real")


def variables(
    wrong: Diagnostics, clock: str, epoch: str, environment: Mapping[str, str]
) -> dict[str, str]:
    """Variables that provide the clocks and node names, in addition to `environment`."""
    if clock not in CLOCKS:
        near = nearest(clock, CLOCKS) if isinstance(clock, str) else None
        hint = f"did you mean `{near}`?" if near else None
        wrong.add("clock", clock or "nothing", "`virtual` or `real`", hint)
    seconds = seconds_of(wrong, epoch)
    if not LIBRARY.is_file():
        return {}
    # The loader splits the list at spaces and colons: then it has to find the library by its name.
    path = str(LIBRARY)
    first = LIBRARY.name if any(c in path for c in " :") else path
    others = environment.get("LD_PRELOAD", os.environ.get("LD_PRELOAD"))
    found = {"LD_PRELOAD": f"{first}:{others}" if others else first}
    # An address sanitizer must be first in that list unless its check is disabled.
    theirs = environment.get("ASAN_OPTIONS", os.environ.get("ASAN_OPTIONS"))
    leave = "verify_asan_link_order=0"
    found["ASAN_OPTIONS"] = f"{leave}:{theirs}" if theirs else leave
    if clock == "virtual":
        found["ODONATA_EPOCH"] = str(seconds)
        if epoch != "now":  # files named by the date have equal names in the next run
            found["ODONATA_STARTED"] = str(time.time_ns())
    return found


def seconds_of(wrong: Diagnostics, epoch: str) -> int:
    """Seconds since 1970 of `now`, or of a date or time, in UTC by default."""
    if epoch == "now":
        return int(time.time())
    seconds = -1
    try:
        # A date alone means midnight; Python 3.10 does not parse `Z`.
        text = epoch.removesuffix("Z")
        is_date = len(text) == len("2026-01-01")
        when = datetime.combine(date.fromisoformat(text), datetime.min.time()) if is_date else None
        when = when or datetime.fromisoformat(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=timezone.utc)
        seconds = int(when.timestamp())
    except (AttributeError, ValueError, OverflowError):
        pass
    if seconds < 0:
        wanted = "`now`, or a date such as `2026-01-01` or `2026-01-01T12:30:00`, from 1970 to 9999"
        wrong.add("epoch", epoch or "nothing", wanted)
    return seconds
