"""`odonata tune`: the best algorithm of a collective."""

from __future__ import annotations

from typing import Any

import click

from .. import benchmarks, core, tuning, units
from ..options import CLASS, MACHINE, RULES, WHOLE, fidelity, option, with_options
from ..progress import Progress
from .cli_request import SIZES_WANTED, Request, stopped
from .command import command


@command("tune")
@click.argument("collective", required=False)
@option("--nodes", metavar="LIST", help="Numbers of nodes: `32,512,2048`.")
@option("--ppn", "-ppn", metavar="P", help="Ranks per node.  [default: 1]")
@option("--sizes", metavar="SIZES", help="Bytes: `8:1Mi` doubles, `8,1Ki` lists.  [default: 8:1Mi]")
@option(
    "--messages",
    metavar="N",
    help="Most messages that are simulated of one call; with --fidelity flow a tenth as many, but "
    "for six waves of an alltoall's rounds. Of a longer one some rounds are, by some ranks, where "
    "they stand for all (`~`, and the error; more messages, more rounds); else it is left out. "
    " [default: 2000000]",
)
@click.option("--all", "whole", is_flag=True, help="Print the time of every algorithm as well.")
@with_options(RULES, *MACHINE, CLASS, fidelity("loggp"), *WHOLE)
def tune(collective: str | None, **given: Any) -> int:
    """Try every algorithm of COLLECTIVE and print which is fastest, beside the library's choice.

    COLLECTIVE: bcast, reduce, allreduce, allgather, allgatherv, alltoall, alltoallv, gather,
    scatter, reduce_scatter, reduce_scatter_block. With --out, DIR/mpich.json and DIR/openmpi.conf
    carry the choice to MPICH and Open MPI (docs/tuning.md).
    """
    request = Request(given)
    request.use_rules(given["coll_rules"])
    wrong = request.wrong
    known = wrong.word("collective", collective or "nothing", tuning.COLLECTIVES, "a collective")
    nodes = wrong.read("nodes", given["nodes"] or "", tuning.read_counts, tuning.NODES_WANTED, [2])
    ppn = wrong.integer("ppn", given["ppn"], 1)
    sizes = wrong.read("sizes", given["sizes"] or tuning.SIZES, units.read_sizes, SIZES_WANTED, [8])
    messages = wrong.integer("messages", given["messages"], benchmarks.MESSAGES)
    if known and min(nodes) * ppn < 2:
        wrong.add("nodes", min(nodes), "at least 2 ranks")
    request.finish()
    stop = core.Stop()
    with Progress(f"tune {collective}", request.quiet) as tick:
        jobs = [request.job(n, ppn) for n in nodes]
        result = tuning.run(collective, jobs, sizes, request.fidelity, messages, tick, stop)
    request.tell_notes(result.summary)
    if not request.as_json:
        print(tuning.shown(result, given["whole"]))
    events, wall = (result.summary[key] for key in ("events", "wall_s"))
    request.note(f"{units.show_count(events)} events in {units.show_time(wall)}")
    request.deliver(result.summary, result.data, texts=result.files)
    return stopped(stop, result.summary)
