"""Notes about the files that ranks open outside mounts: no file system is simulated there.

Files opened by MPI-IO take the times of the machine file's `[local_storage]`; all others take this
computer's CPU time. Simulated dates repeat, so a file named by its date may replace one of an
earlier run.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

from . import core
from .units import show_rate, show_time

DAY_S = 86_400
MOST_NAMED = 3  # files that a note lists
COUNTS = ("mpi_opens", "mpi_transfers", "opened_to_write", "opened_to_read")


def of_run(seen: Mapping[str, Any], compute: str | float) -> dict[str, Any] | None:
    """Statistics of the files of a run, with a note; None if there were none."""
    if not any(seen[key] for key in COUNTS):
        return None
    found = {key: value for key, value in seen.items() if key != "replaced"}
    return {**found, "note": "; ".join(words(found, compute))}


def words(found: Mapping[str, Any], compute: str | float) -> list[str]:
    """The note: how the time of files is charged."""
    notes = ["outside mounts no file system is simulated"]
    if found["mpi_opens"] or found["mpi_transfers"]:
        rate, node = (show_rate(found[f"storage_{key}B_per_s"]) for key in ("", "node_"))
        notes.append(
            f"MPI-IO ({found['mpi_opens']:,} opens, {found['mpi_transfers']:,} reads and writes) "
            f"has the speed of [local_storage] in the machine file: {node} per node, {rate} in "
            f"all, {show_time(found['storage_latency_s'])} each; opening takes nothing"
        )
    written, read = found["opened_to_write"], found["opened_to_read"]
    if written or read:
        how = "no time" if compute == "none" else "the CPU time that this computer spends on them"
        kinds = [f"{n:,} to {do}" for n, do in ((written, "write"), (read, "read")) if n]
        notes.append(f"files opened without MPI ({', '.join(kinds)}) take {how}")
    return notes


def replaced(
    seen: Mapping[str, Any], environment: Mapping[str, str], wdir: str, span_s: float
) -> list[str]:
    """Files of an earlier run that this one replaced and whose names contain its date."""
    began = environment.get("ODONATA_EPOCH", "")
    if not began.isdigit():
        return []
    dates = patterns(int(began), span_s)
    here = os.path.realpath(wdir) + os.sep
    found = []
    for path in map(core.unword, seen["replaced"]):
        # What was there before the program began is none of its names.
        own = path.removeprefix(here) if path.startswith(here) else os.path.basename(path)
        if any(date.search(own) for date in dates) or has_seconds(own, int(began), span_s):
            found.append(path)
    return found


def note(found: Iterable[str]) -> str:
    """A note about such files."""
    names = [os.path.relpath(path) for path in found]
    shown = ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")
    if len(names) == 1:
        what, date = f"a file of an earlier run is replaced: {shown}", "its name has"
    else:
        what = f"{len(names):,} files of an earlier run are replaced: {shown}"
        date = "their names have"
    return f"{what}; {date} the simulated date, which every run begins with: --epoch now"


def patterns(began: int, span_s: float) -> list[re.Pattern[str]]:
    """The dates of a run as they occur in file names: each day, in local time and UTC."""
    found = {}
    moments = {began, began + min(int(span_s), 3 * DAY_S)}
    moments |= {began + day * DAY_S for day in range(4) if day * DAY_S <= span_s}
    for moment in moments:
        for day in (time.gmtime(moment), time.localtime(moment)):
            year, short = f"{day.tm_year:04}", f"{day.tm_year % 100:02}"
            month, date = f"0?{day.tm_mon}", f"0?{day.tm_mday}"
            month2, date2 = f"{day.tm_mon:02}", f"{day.tm_mday:02}"
            name = f"{time.strftime('%b', day)}[a-z]*"
            part, start, end = "[-_./ ,]+", "(?<![0-9])", "(?![0-9])"
            for text in (
                f"{start}{year}{part}{month}{part}{date}{end}",
                f"{start}{year}{month2}{date2}",
                f"{start}{short}{month2}{date2}{end}",
                f"{start}{short}{part}{month2}{part}{date2}{end}",
                f"{start}{month}{part}{date}{part}{year}{end}",
                f"{start}{date}{part}{month}{part}{year}{end}",
                f"{start}{month2}{part}{date2}{part}{short}{end}",
                f"{start}{date2}{part}{month2}{part}{short}{end}",
                f"{start}(?:{month2}{date2}|{date2}{month2})(?:{year}|{short}){end}",
                f"{start}{date}[-_./ ,]*{name}[-_./ ,]*(?:{year}|{short}){end}",
                f"{name}[-_./ ,]*{date}{end}.*?(?:{year}|{short}){end}",
                f"{start}{year}[-_./ ,]*{name}[-_./ ,]*{date}{end}",
                f"{start}{year}[-_.]?{day.tm_yday:03}{end}",
            ):
                found[text] = re.compile(text, re.IGNORECASE)
    return list(found.values())


def has_seconds(name: str, began: int, span_s: float) -> bool:
    """Whether a name contains a time of the run, as seconds since 1970 or parts of a second."""
    digits = len(str(began))
    for number in re.findall("[0-9]{9,19}", name):
        of_second = len(number) - digits
        if of_second in (0, 3, 6, 9) and began <= int(number[:digits]) <= began + span_s + 1:
            return True
    return False
