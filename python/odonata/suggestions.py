"""Diagnostics of the command line: names of options, such as `--load`, and values as typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ._vocabulary import OPTIONS
from .errors import Diagnostic

# Names of arguments in the Python API and the core, and on the command line.
SPELLED = {
    **{o.name: next(f for f in o.flags if f.startswith("--")).partition("/")[0] for o in OPTIONS},
    "ranks": "-n",
    "program": "PROGRAM",
    "pattern": "PATTERN",
    "benchmark": "NAME",
    "rundir": "RUNDIR",
    "host file": "--hostfile",
    "collective": "COLLECTIVE",
    "study": "STUDY",
    "trace": "FILE",
    "recordings": "RECORD",
    "class": "--class",
    "loads": "--load",
    "packet_bytes": "--packet",
    "time_s": "--time",
    "warmup_s": "--warmup",
}
# Names that differ between commands.
OF_COMMAND = {
    **dict.fromkeys((("show", "machine"), ("faults", "machine")), "MACHINE"),
    ("bench", "ranks"): "--nodes",
    ("tune", "ranks"): "--nodes",
    ("traffic", "ranks"): "--nodes",
    ("replay", "ranks"): "FILE",
    ("run", "nodes"): "-n",
    ("faults", "faults"): "SCHEDULE",
    ("extrapolate", "ranks"): "--ranks",
    ("extrapolate", "trace"): "RECORD",
}
# The expected value in the core's diagnostic of an unknown key of a machine file.
NO_KEY = "a key of machine files"
# Options whose value is shown as typed, not in the core's units.
AS_TYPED = ("--sizes", "--load", "--packet", "--time", "--warmup")


def spelled(c: Diagnostic, command: str, typed: Mapping[str, Any]) -> Diagnostic:
    """The diagnostic for the user of `command`; `typed` has the value of each option."""
    at = OF_COMMAND.get((command, c.at)) or SPELLED.get(c.at, c.at)
    found = c.found
    # A diagnostic of a file names the file.
    if any(c.at.startswith(f"{typed.get(file)}, ") for file in ("--machine", "machine", "--jobs")):
        return c
    # A key of the machine file may have the name of an option.
    if any(str(pair).partition("=")[0].strip() == c.at for pair in typed.get("--set") or ()) and (
        c.wanted == NO_KEY or typed.get(at) != found
    ):
        return c
    if c.at == "ranks" and command == "bench" and typed.get("-n"):
        at = "-n"
    value = typed.get(at)
    if at in AS_TYPED and value:
        found = value
    elif at == "--nodes" and c.at == "ranks" and typed.get("--ppn"):
        found = f"{value or 2} nodes of {typed['--ppn']} ranks each"
    elif at == "FILE" and c.at == "ranks":
        found = f"{typed.get('trace')}: {found} ranks"
    elif c.at in ("placement", "host file") and re.match(r"(ranks on )?[0-9]+ ", found):
        found = f"{value}: {found}"
    elif rank := re.fullmatch(r"placement, rank ([0-9]+)", c.at):
        at, found = "--placement", f"{typed.get('--placement')}: node {found} for rank {rank[1]}"
    elif nth := re.fullmatch(r"background ([0-9]+)", c.at):
        at, whole = "--background", str(typed["--background"][int(nth[1]) - 1])
        found = whole if found in whole else f"{whole}: {found}" if whole else found
    elif line := re.fullmatch(r"host file, line ([0-9]+)", c.at):
        at = f"{typed.get('--hostfile')}:{line[1]}"
    elif c.at.startswith("coll_rules."):
        file = typed.get("--coll-rules") or c.at.removeprefix("coll_rules.")
        at, found = "--coll-rules", found or str(file)
    elif c.at.startswith("mpi."):
        at, found = "--mpi", found or str(typed.get("--mpi"))
    elif c.at.startswith("fault ") and (schedule := typed.get("--faults") or typed.get("schedule")):
        at = f"{schedule}, {c.at}"
    elif c.at.startswith("trace, "):
        place = c.at.removeprefix("trace, ")
        at = f"{typed.get('FILE') or typed.get('trace')}, {place}"
    elif c.at.startswith("env."):
        name = c.at.removeprefix("env.")
        by_hand = any(str(pair).startswith(f"{name}=") for pair in typed.get("--env") or ())
        at, found = "--env" if by_hand else "environment", f"{name}={found}"
    return Diagnostic(at, found, c.wanted, c.hint)
