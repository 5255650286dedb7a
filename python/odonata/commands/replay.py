"""`odonata replay`: a GOAL schedule, or the recording of a run."""

from __future__ import annotations

from typing import Any

import click

from .. import core, devices, launch, text
from ..options import options_of
from ..progress import Progress
from ..replaying import check_timeline, core_speed, factor_of, play, read
from ..streams import say
from .cli_request import Request
from .command import command


@command("replay")
@click.argument("trace", required=False, metavar="FILE")
@options_of("replay")
def replay(trace: str | None, **given: Any) -> int:
    """Simulate the calls in FILE, without the program.

    FILE: a GOAL schedule, text or binary, or a recording of `odonata run --record`.

    odonata replay dissemination_16.goal --machine aurora
    """
    request = Request(given)
    request.use_rules(given["coll_rules"])
    factor = factor_of(request.wrong, given["compute"])
    found = read(request.wrong, trace)
    ppn = request.wrong.integer("ppn", given["ppn"], found.ppn if found is not None else 1)
    check_timeline(request.wrong, request.timeline, trace)
    if not request.wrong.list:
        factor *= devices.factor(
            request.wrong, given["compute_device"], request.machine, core_speed(found)
        )
    request.finish()
    assert found is not None, "reported above"
    stop = core.Stop()
    progress = Progress("replay", request.quiet, None, found.time_s, given["progress"])
    with progress as tick:
        job = request.job(1, ppn)
        result = play(job, found, request.fidelity, given["compute"], factor, False, tick, stop)
    summary = result.summary
    summary["exit_code"] = 128 + stop.signal if stop.signal else result.exit_code
    if result.failure:
        say(text.failure(result.failure))
    if not request.quiet:
        say(text.run(summary, result.data))
    request.print_limits(summary, given["preflight"], bool(result.failure))
    request.print_counters(summary, given["counters"])
    request.print_notes(summary)
    env = dict((found.header or {}).get("env", ()))
    fabric = request.machine.setting("fabric")
    for words in (*found.notes(), *launch.ignored_variables([env], request.mpi, fabric, False)):
        request.note(words)
    if summary["unreceived"] and not result.failure:
        request.note(f"{summary['unreceived']:,} messages were never received")
    lost = request.print_timeline(summary)
    request.deliver(summary, result.data)
    return summary["exit_code"] or lost
