"""The report of network timeouts and NIC counters that Cray MPICH prints at the end of a program.

`MPICH_OFI_CXI_COUNTER_REPORT` selects its parts (man page `intro_mpi` of Cray MPICH):

| value | report |
|---|---|
| 0 | nothing |
| 1 | the line of network timeouts |
| 2 | also the summary of counters |
| 3 | 1, and all counters of NICs with timeouts |
| 4 | 2, and all counters of NICs with timeouts |
| 5 | 2, and all counters of all NICs |

`..._COUNTER_REPORT_FILE` is the prefix of files, one per node, that receive the counters of NICs.
`..._COUNTER_VERBOSE` adds to the summary which NIC has the extremes. `..._COUNTER_FILE` names a
file with the counters to report, one per line. Names of the retry handler begin with `rh:`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import Diagnostics
from .files import read_text, why

PREFIX = "MPICH_OFI_CXI_COUNTER_"
WITH_SUMMARY, OF_TIMEOUTS, OF_ALL = ("2", "4", "5"), ("3", "4"), ("5",)
# The retry handler's names of counters that the telemetry has under another name.
ALIASES = {"rh:spt_timeouts": "pct_spt_timeouts"}
TRUE = ("1", "true", "yes", "on")


@dataclass
class Settings:
    """What is reported."""

    level: str = "0"
    file: str = ""
    verbose: bool = False
    names: list[str] = field(default_factory=list)  # empty: all


def settings(wrong: Diagnostics, env: Mapping[str, str], wdir: str) -> Settings:
    """The settings of a program's environment. Only values 0 to 5 get here."""
    found = Settings(env.get(f"{PREFIX}REPORT", "0"), env.get(f"{PREFIX}REPORT_FILE", ""))
    if found.file:
        found.file = os.path.join(wdir, found.file)
        where = os.path.dirname(found.file) or "."
        if not os.path.isdir(where):
            wrong.add(f"env.{PREFIX}REPORT_FILE", found.file, "a prefix in a directory that exists")
    found.verbose = env.get(f"{PREFIX}VERBOSE", "0").lower() in TRUE
    if path := env.get(f"{PREFIX}FILE"):
        try:
            lines = read_text(os.path.join(wdir, path)).splitlines()
            found.names = [name for line in lines if (name := line.partition("#")[0].strip())]
        except (OSError, ValueError) as error:
            wrong.add(f"env.{PREFIX}FILE", path, f"a readable file of counter names ({why(error)})")
    return found


def report(
    given: Settings, summary: Mapping[str, Any], nics: Mapping[str, Any] | None
) -> tuple[str, dict[str, str]]:
    """The text, and the texts of files by path."""
    if given.level == "0":
        return "", {}
    timeouts = (summary.get("network") or {}).get("network_timeouts", 0)
    lines = [f"MPICH Slingshot Network Summary: {timeouts} network timeouts"]
    if given.level in WITH_SUMMARY:
        rows = chosen(summary["counters"], given.names)
        lines += ["", "MPICH Slingshot CXI Counter Summary:"]
        lines += table(rows, float(summary["time_s"]), given.verbose)
        known = {row["name"] for row in summary["counters"]}
        missing = [name for name in given.names if ALIASES.get(name, name) not in known]
        if missing:
            lines.append(f"Counters without data: {', '.join(missing)}")
    details = details_of(given, summary, nics)
    if not given.file:
        for text in details.values():
            lines += ["", text.rstrip("\n")]
        return "\n".join(lines), {}
    return "\n".join(lines), {f"{given.file}.{host}": text for host, text in details.items()}


def chosen(rows: Iterable[Mapping[str, Any]], names: list[str]) -> list[Mapping[str, Any]]:
    """The rows of these names, in their order and under their spelling; all without names."""
    if not names:
        return list(rows)
    by_name = {row["name"]: row for row in rows}
    return [{**by_name[at], "name": name} for name in names
            if (at := ALIASES.get(name, name)) in by_name]  # fmt: skip


def table(rows: Iterable[Mapping[str, Any]], seconds: float, verbose: bool) -> list[str]:
    """One row per counter: samples are NICs; each number is followed by its rate."""
    heads = ("Counter", "Samples", "Min", "(/s)", "Mean", "(/s)", "Max", "(/s)")
    widths = (38, 9, 15, 15, 15, 15, 15, 15)

    def line(cells: tuple[str, ...]) -> str:
        return "".join(
            f"{cell:<{width}}" if i == 0 else f"{cell:>{width}}"
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )

    found = [line(heads)]
    for row in rows:
        cells = [row["name"], str(row["nics"])]
        for value in (row["min"], row["mean"], row["max"]):
            cells += [f"{value:.0f}", f"{value / seconds if seconds > 0 else 0.0:.1f}"]
        found.append(line(tuple(cells)))
        if verbose and row["max_nic"]:
            found.append(f"  max at {row['max_nic']}")
    return found


def details_of(
    given: Settings, summary: Mapping[str, Any], nics: Mapping[str, Any] | None
) -> dict[str, str]:
    """All counters of the NICs that the level selects, as a text per host."""
    if given.level not in (*OF_TIMEOUTS, *OF_ALL) or nics is None:
        return {}
    counts = nics["counts"]
    names = [n for n in given.names if ALIASES.get(n, n) in counts] or sorted(counts)
    timeouts = counts.get("pct_spt_timeouts", [0] * len(nics["nics"]))
    found: dict[str, str] = {}
    for at, nic in enumerate(nics["nics"]):
        host, _, device = nic.rpartition(" nic")
        if given.level in OF_ALL or timeouts[at]:
            lines = [f"{host} cxi{device} {name} {counts[ALIASES.get(name, name)][at]}"
                     for name in names]  # fmt: skip
            found[host] = found.get(host, "") + "\n".join(lines) + "\n"
    return found
