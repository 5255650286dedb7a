"""Diagnostics in terms of the command line: `--load` for `loads`, and the value as typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .errors import Diagnostic

# Names of the Python API and the core that differ on the command line.
SPELLED = {
    "ranks": "-n",
    "program": "PROGRAM",
    "pattern": "PATTERN",
    "benchmark": "NAME",
    "rundir": "RUNDIR",
    "changes": "--set",
    "host file": "--hostfile",
    "collective": "COLLECTIVE",
    "coll_rules": "--coll-rules",
    "nic_policy": "--nic-policy",
    "error_bars": "--error-bars",
    "twin_packets": "--twin-packets",
    "messages": "--messages",
    "study": "STUDY",
    "trace": "FILE",
    "recordings": "RECORD",
    **dict.fromkeys(("load", "loads"), "--load"),
    **dict.fromkeys(("packet", "packet_bytes"), "--packet"),
    **dict.fromkeys(("time", "time_s"), "--time"),
    **dict.fromkeys(("warmup", "warmup_s"), "--warmup"),
    **{
        word: f"--{word}"
        for word in ("machine", "routing", "congestion", "fidelity", "placement", "mpi", "nodes",
                     "ppn", "wdir", "hostfile", "compute", "clock", "epoch", "seed", "threads",
                     "sizes", "out", "output", "env", "background", "noise", "jobs",
                     "faults", "slices", "class", "limits", "workers", "scheduler", "tries",
                     "record", "buffers", "window", "shifts", "tolerance", "warm", "ordered")
    },
}  # fmt: skip
# Names that differ in one command.
OF_COMMAND = {
    **dict.fromkeys((("show", "machine"), ("faults", "machine")), "MACHINE"),
    ("bench", "ranks"): "--nodes",
    ("tune", "ranks"): "--nodes",
    ("traffic", "ranks"): "--nodes",
    ("replay", "ranks"): "FILE",
    ("run", "nodes"): "-n",
    ("faults", "faults"): "PLAN",
    ("extrapolate", "ranks"): "--ranks",
    ("extrapolate", "trace"): "RECORD",
}
# The core's message for a key that no machine file has.
NO_KEY = "a key of machine files"
# Quantities that the core reports in its own units.
AS_TYPED = ("--sizes", "--load", "--packet", "--time", "--warmup")


def spelled(c: Diagnostic, command: str, typed: Mapping[str, Any]) -> Diagnostic:
    """A diagnostic in terms of `command`; `typed` has the value of each option."""
    at = OF_COMMAND.get((command, c.at)) or SPELLED.get(c.at, c.at)
    found = c.found
    # A place within a file keeps the file's name, whatever it begins with.
    if any(c.at.startswith(f"{typed.get(file)}, ") for file in ("--machine", "machine", "--jobs")):
        return c
    # A key of the machine file is no option, even if an option has the same name.
    if any(str(pair).partition("=")[0].strip() == c.at for pair in typed.get("--set") or ()) and (
        c.wanted == NO_KEY or typed.get(at) != found
    ):
        return c
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
    elif c.at.startswith("fault ") and (plan := typed.get("--faults") or typed.get("plan")):
        at = f"{plan}, {c.at}"
    elif c.at.startswith("trace, "):
        place = c.at.removeprefix("trace, ")
        at = f"{typed.get('FILE') or typed.get('trace')}, {place}"
    elif c.at.startswith("env."):
        name = c.at.removeprefix("env.")
        by_hand = any(str(pair).startswith(f"{name}=") for pair in typed.get("--env") or ())
        at, found = "--env" if by_hand else "environment", f"{name}={found}"
    return Diagnostic(at, found, c.wanted, c.hint)
