"""`odonata replay`: a schedule, or a run written down."""

from __future__ import annotations

from typing import Any

import click

from .. import door, launch, text
from ..options import BESIDE, COMMON, COUNTERS, LIMITS, PREFLIGHT, RULES, option, with_options
from ..progress import Progress
from ..replaying import factor_of, play, read
from ..streams import say
from .asked import Request
from .command import command


@command("replay")
@click.argument("trace", required=False, metavar="FILE")
@option("--ppn", "-ppn", metavar="P", help="Ranks per node.  [default: 1, or as recorded]")
@option(
    "--compute",
    metavar="HOW",
    default="recorded",
    show_default=True,
    help="What computation costs: recorded, none, or a factor of recorded. GOAL counts it in "
    "nanoseconds: 1000 makes them microseconds.",
)
@with_options(RULES, LIMITS, PREFLIGHT, COUNTERS, *BESIDE, *COMMON)
def replay(trace: str | None, **given: Any) -> int:
    """Replay a schedule of FILE: GOAL, as text or binary, or a record of `odonata run --record`.

    odonata replay dissemination_16.goal --machine aurora
    """
    asked = Request(given)
    asked.use_rules(given["coll_rules"])
    factor = factor_of(asked.wrong, given["compute"])
    found = read(asked.wrong, trace)
    ppn = asked.wrong.integer("ppn", given["ppn"], found.ppn if found is not None else 1)
    asked.finish()
    assert found is not None, "complained of above"
    stop = door.Stop()
    with Progress("replay", asked.quiet) as tick:
        job = asked.job(1, ppn)
        result = play(job, found, asked.fidelity, given["compute"], factor, False, tick, stop)
    summary = result.summary
    summary["exit_code"] = 128 + stop.signal if stop.signal else result.exit_code
    if result.failure:
        say(text.failure(result.failure))
    if not asked.quiet:
        say(text.run(summary, result.data))
    asked.tell_limits(summary, given["preflight"], bool(result.failure))
    asked.tell_counters(summary, given["counters"])
    asked.tell_notes(summary)
    env = dict((found.header or {}).get("env", ()))
    fabric = asked.machine.told("fabric")
    for words in (*found.notes(), *launch.unheard([env], asked.mpi, fabric, False)):
        asked.note(words)
    if summary["unreceived"] and not result.failure:
        asked.note(f"{summary['unreceived']:,} messages were never received")
    asked.deliver(summary, result.data)
    return summary["exit_code"]
