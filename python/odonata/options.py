"""Options that several commands share, each declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click


def option(*names: str, help: str, **more: Any) -> Callable:
    """An option whose value stays text; see `checks`."""
    return click.option(*names, help=help, type=str, **more)


MACHINE = (
    option("--machine", metavar="NAME|FILE", help="A preset (`odonata machines`) or NAME.toml."),
    option(
        "--set",
        "changes",
        metavar="KEY=VALUE",
        multiple=True,
        help="Change a key of the machine file, dotted; may be given again.",
    ),
)
ROUTING = option(
    "--routing",
    metavar="NAME",
    help="minimal, valiant, ugal-l, par, slingshot, adaptive-0, ...; see docs/models/routing.md.",
)
FAULTS = option(
    "--faults",
    metavar="PLAN",
    help="Fault schedule: a file (docs/models/faults.md), or `random:SEED:N` for N "
    "faults drawn from a seed, which `odonata faults` prints.",
)
CONGESTION = option(
    "--congestion",
    metavar="on|off",
    help="Congestion management: throttle senders that overload a NIC.  [default: the machine's]",
)
BESIDE = (
    click.option(
        "--background",
        metavar="PATTERN:LOAD",
        multiple=True,
        help="Traffic of nodes without a job: a pattern of `odonata traffic` and a load, such as "
        "`uniform:0.4`. With a message size: `uniform:0.4@64Ki`. With a traffic class: "
        "`uniform:0.4,bulk-data`. May be given again.",
    ),
    option(
        "--noise",
        metavar="LENGTH/PERIOD",
        help="Noise of the operating system: `25us/1ms` interrupts every core for 25 us of every "
        "millisecond.",
    ),
)
CLASS = option(
    "--class",
    "traffic_class",
    metavar="NAME",
    help="Traffic class on Slingshot: best-effort, low-latency, bulk-data, ... of the machine's "
    "profile (docs/models/classes.md).  [default: best-effort]",
)
LIMITS = option(
    "--limits",
    metavar="off|warn|fail",
    default="fail",
    show_default=True,
    help="Reaction if a NIC, the library or a node runs out of a resource "
    "(docs/models/limits.md): the run fails like on the machine (fail), continues with a note "
    "(warn), or nothing is limited (off).",
)
PREFLIGHT = click.option(
    "--preflight",
    is_flag=True,
    help="Also list every limit whose use is within a factor of four of the bound. `odonata "
    "preflight` predicts from several runs at how many nodes each is reached.",
)
COUNTERS = click.option(
    "--counters",
    is_flag=True,
    help="Also print the counters of NICs and links, under the names of the machine's own "
    "counters (docs/models/counters.md).",
)
NICS = option(
    "--nic-policy",
    metavar="NAME",
    help="Assignment of ranks to NICs of their node: block (in order), numa (of the rank's CPU), "
    "round-robin, gpu (of its GPU), single (the first). Or user:0:0-3;1:4-7: NIC 0 for ranks 0 to "
    "3 of each node, NIC 1 for ranks 4 to 7.  [default: block]",
)
BUFFERS = option(
    "--buffers",
    metavar="host|gpu",
    default="host",
    show_default=True,
    help="Memory of messages: that of the host, or of the ranks' GPUs "
    "(docs/models/gpu-buffers.md).",
)
RULES = option(
    "--coll-rules",
    metavar="FILE",
    help="Algorithms of collectives: a tuning file of MPICH "
    "(MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE and related variables) or Open MPI "
    "(coll_tuned_dynamic_rules_filename), as `odonata tune` writes them (docs/tuning.md).  "
    "[default: the library's own rules]",
)


def fidelity(default: str, more: str = "") -> Callable:
    return option(
        "--fidelity",
        metavar="NAME",
        default=default,
        show_default=True,
        help="packet (every packet), flow (fair shares of links) or loggp (closed form, no "
        f"contention){more}.",
    )


PLAIN = (
    ROUTING,
    FAULTS,
    CONGESTION,
    option(
        "--placement",
        metavar="NAME|FILE",
        default="contiguous",
        show_default=True,
        help="contiguous, round-robin, random, one-group, group-spread (over all groups), "
        "group-spread:K (over K of them), or a file with NODE[:RANKS] lines.",
    ),
    option(
        "--mpi",
        metavar="NAME|FILE",
        default="mpich",
        show_default=True,
        help="MPI library whose protocols and algorithms are modeled, or a profile (FILE.toml).",
    ),
    option("--seed", metavar="N", help="Seed of every random draw.  [default: 1]"),
    option("--threads", metavar="N", help="Threads of the simulator; results never depend on it."),
    option("--out", metavar="DIR", help="Write tables as Parquet and summary.json to DIR."),
    click.option(
        "--force",
        is_flag=True,
        help="Let --out replace an earlier result: its summary, its tables, the files of `tune` "
        "and the report on it. Other files in DIR stay.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout."),
    click.option("--quiet", is_flag=True, help="No progress line, no notes, no summary."),
)
WHOLE = tuple(o for o in PLAIN if o is not FAULTS)  # for whole machines
COMMON = (*MACHINE, CLASS, fidelity("packet"), *PLAIN)
AUTO = fidelity("packet", "; auto: the cheapest that is within --tolerance of packets")
CHOICE = (*MACHINE, CLASS, AUTO, *PLAIN)


def with_options(*options: Callable) -> Callable:
    return lambda command: functools.reduce(lambda c, o: o(c), reversed(options), command)
