"""The clocks that a program reads behind MPI's back: whose they are, and what they show first."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import date, datetime, timezone
from pathlib import Path

from .errors import Diagnostics, nearest

LIBRARY = Path(__file__).resolve().parent / "_lib" / "libodonata_clock.so"
# When simulated jobs begin, so that a program that asks for the date does the same every time.
EPOCH = "2026-01-01"
CLOCKS = ("virtual", "real")


def variables(
    wrong: Diagnostics, clock: str, epoch: str, environment: Mapping[str, str]
) -> dict[str, str]:
    """What gives the ranks those clocks, and the names of their nodes, beside `environment`."""
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
    # An address sanitizer wants to be first in that list, unless told that it need not be.
    theirs = environment.get("ASAN_OPTIONS", os.environ.get("ASAN_OPTIONS"))
    leave = "verify_asan_link_order=0"
    found["ASAN_OPTIONS"] = f"{leave}:{theirs}" if theirs else leave
    if clock == "virtual":
        found["ODONATA_EPOCH"] = str(seconds)
        if epoch != "now":  # files named by the date are named alike in the next run
            found["ODONATA_STARTED"] = str(time.time_ns())
    return found


def seconds_of(wrong: Diagnostics, epoch: str) -> int:
    """Seconds since 1970: of `now`, or of a date or time, which is UTC unless it says so."""
    if epoch == "now":
        return int(time.time())
    seconds = -1
    try:
        # A date alone is one of midnight; Python 3.10 knows no `Z`.
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
