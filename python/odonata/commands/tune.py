"""`odonata tune`: the fastest algorithm of a collective."""

from __future__ import annotations

from typing import Any

import click

from .. import core, tuning, units
from ..options import options_of
from ..progress import Progress
from .cli_request import SIZES_WANTED, Request, stopped
from .command import command


@command("tune")
@click.argument("collective", required=False)
@options_of("tune")
def tune(collective: str | None, **given: Any) -> int:
    """Compare all algorithms of COLLECTIVE, and print the fastest and the library's choice.

    COLLECTIVE: barrier, bcast, reduce, allreduce, allgather, allgatherv, alltoall, alltoallv,
    gather, scatter, reduce_scatter, reduce_scatter_block. With --out, the files DIR/mpich.json and
    DIR/openmpi.conf select the fastest algorithms in MPICH and Open MPI (docs/tuning.md).
    """
    request = Request(given)
    request.use_rules(given["coll_rules"])
    wrong = request.wrong
    known = wrong.word("collective", collective or "nothing", tuning.COLLECTIVES, "a collective")
    nodes = wrong.read("nodes", given["nodes"] or "", tuning.read_counts, tuning.NODES_WANTED, [2])
    ppn = wrong.count("tune", "ppn", given["ppn"])
    sizes = wrong.read("sizes", given["sizes"], units.read_sizes, SIZES_WANTED, [8])
    messages = wrong.count("tune", "messages", given["messages"])
    if known and min(nodes) * ppn < 2:
        wrong.add("nodes", min(nodes), "at least 2 ranks")
    request.finish()
    stop = core.Stop()
    with Progress(f"tune {collective}", request.quiet, form=given["progress"]) as tick:
        jobs = [request.job(n, ppn) for n in nodes]
        result = tuning.run(collective, jobs, sizes, request.fidelity, messages, tick, stop)
    request.print_notes(result.summary)
    request.print_threads(result.summary)
    if not request.as_json:
        print(tuning.shown(result, given["whole"]))
    events, wall = (result.summary[key] for key in ("events", "wall_s"))
    request.note(f"{units.show_count(events)} events in {units.show_time(wall)}")
    request.deliver(result.summary, result.data, texts=result.files)
    return stopped(stop, result.summary)
