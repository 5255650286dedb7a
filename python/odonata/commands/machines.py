"""`odonata machines`, `odonata show` and `odonata faults`: machines and fault schedules."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import click

from .. import core, machines, text
from ..checks import Checks
from ..faults import fault_schedule
from ..machines import Machine
from ..options import options_of
from .command import command


@command("machines")
@options_of("machines")
def list_machines(as_json: bool) -> None:
    """List the preset machines."""
    rows = [{**Machine(name).summary, "name": name} for name in machines.presets()]
    for row in rows:
        row.setdefault("source", Machine(row["name"]).setting("source"))
    if as_json:
        print(json.dumps({"machines": rows}))
    else:
        print(text.machines(rows))


@command()
@click.argument("machine", required=False)
@options_of("show")
def show(
    machine: str | None,
    changes: tuple[str, ...],
    node_kind: str | None,
    routing: str | None,
    as_json: bool,
    as_toml: bool,
) -> None:
    """Print the parts of MACHINE: their numbers, bandwidths, and latencies without load."""
    wrong = Checks()
    found = wrong.machine(machine, machines.with_node_kind(changes, node_kind), routing)
    machines.check_names(wrong, found, "packet", "mpich")
    if as_json and as_toml:
        wrong.add("--toml", "--json --toml", "one of the two")
    wrong.finish(found)
    assert found is not None, "reported above"
    if as_toml:
        sys.stdout.write(found.source)
        return
    summary = found.summary
    if as_json:
        print(json.dumps(summary))
    else:
        routed = found.routing or found.setting("routing")
        print(text.show(summary, found.setting("source"), routed))


@command("faults")
@click.argument("machine", required=False)
@click.argument("schedule", required=False, metavar="SCHEDULE")
@options_of("faults")
def draw_faults(
    machine: str | None, schedule: str | None, changes: tuple[str, ...], node_kind: str | None
) -> None:
    """Print a fault schedule for MACHINE as TOML.

    SCHEDULE: `random:SEED:N` draws N random faults from SEED. A file is checked and printed.

    odonata faults aurora random:7:20 > faults.toml
    """
    wrong = Checks()
    found = wrong.machine(machine, machines.with_node_kind(changes, node_kind), None)
    broken = fault_schedule(wrong, schedule or "")
    machines.check_names(wrong, found, "packet", "mpich")
    wrong.finish(found)
    assert found is not None, "reported above"
    sys.stdout.write(core.query("faults", replace(found, faults=broken).request()))
