"""`odonata bench`: a built-in benchmark."""

from __future__ import annotations

import os
from typing import Any

import click

from .. import bench, benchmarks, core, launch, names, text, units
from ..options import (
    BESIDE, BUFFERS, CHOICE, COUNTERS, LIMITS, NICS, PREFLIGHT, RULES, option, with_options,
)  # fmt: skip
from ..progress import Progress
from .cli_request import SIZES_WANTED, Request, stopped
from .command import command


@command("bench")
@click.argument("name", required=False)
@option("--nodes", metavar="N", help="Nodes of the job.  [default: 2]")
@option("--ppn", "-ppn", metavar="P", help="Ranks per node.  [default: 1]")
@option("--sizes", metavar="SIZES", help="Bytes: `1:4Mi` doubles, `8,1Ki` lists.")
@option("--window", "-W", metavar="N", help="Messages a pair has in flight.  [default: 64]")
@option(
    "--shifts",
    metavar="N",
    help="Of put_alltoall, how many of the shifts are played: some tell what all take.  "
    "[default: 64]",
)
@option(
    "--messages",
    metavar="N",
    help="With --fidelity loggp, most messages that are simulated of one call of a collective; "
    "with flow a tenth as many, but for six waves of an alltoall's rounds. Of a longer one some "
    "rounds are, by some ranks, where they stand for all: more messages, more rounds. An iteration "
    "of GPCNeT's and dgnettest's tests with more is refused, by packets, too.  [default: 2000000]",
)
@click.option(
    "--error-bars",
    is_flag=True,
    help="With --fidelity loggp or flow, how far off a collective's times may be: it is run on "
    "fewer nodes too, there by packets as well.",
)
@option(
    "--twin-packets",
    metavar="N",
    help="Most packets that such a smaller twin sends.  [default: 500000]",
)
@option(
    "--tolerance",
    metavar="SHARE",
    help="With --fidelity auto, how far error bars may reach, such as `10%`.",
)
@with_options(BUFFERS, RULES, LIMITS, PREFLIGHT, COUNTERS, NICS, *BESIDE, *CHOICE)
def run(name: str | None, **given: Any) -> int:
    """Run a built-in benchmark and print the OSU 7 text format.

    NAME: latency, bw, bibw, mbw_mr, multi_lat, put_latency, get_latency, put_bw, put_bibw, get_bw,
    put_alltoall, allreduce, allgather, allgatherv, alltoall, alltoallv, bcast, reduce,
    reduce_scatter, barrier, gather, scatter, scan, exscan; GPCNeT's rr_lat, rr_get_lat, rr_bw,
    rr_put_bw, rr_bw_sync, nat_bw, multiple_allreduce, multiple_alltoall; dgnettest's bisect.
    """
    request = Request(given, (names.AUTO,))
    request.use_rules(given["coll_rules"])
    wrong = request.wrong
    known = wrong.word("benchmark", name or "nothing", benchmarks.NAMES, "a benchmark")
    nodes = wrong.integer("nodes", given["nodes"], 2)
    ppn = wrong.integer("ppn", given["ppn"], 1)
    sizes = None
    if given["sizes"] is not None:
        sizes = wrong.read("sizes", given["sizes"], units.read_sizes, SIZES_WANTED, None)
    window = None
    if given["window"] is not None:
        window = wrong.integer("window", given["window"], 64, 1, 1 << 16)
    shifts = None
    if given["shifts"] is not None:
        shifts = wrong.integer("shifts", given["shifts"], 64)
    messages = wrong.integer("messages", given["messages"], benchmarks.MESSAGES)
    packets = wrong.integer("twin_packets", given["twin_packets"], benchmarks.TWIN_PACKETS)
    if given["tolerance"] is not None:
        benchmarks.share_of(wrong, given["tolerance"])
    benchmarks.check_tolerance(wrong, request.fidelity, given["tolerance"])
    if known and nodes * ppn < benchmarks.KINDS[name].least_ranks:
        wrong.add("nodes", nodes, f"at least {benchmarks.KINDS[name].least_ranks} ranks for {name}")
    wrong.word("buffers", given["buffers"], benchmarks.BUFFERS, "one of")
    request.finish()
    unheard = launch.knobs(os.environ)
    if unheard:
        request.note(f"set, but built-in benchmarks do not listen: {', '.join(unheard)}")
    if name == "barrier" and sizes is not None:
        request.note("changes nothing in a barrier, which has no size: --sizes")
    stop = core.Stop()
    with Progress(name, request.quiet) as tick:
        job = request.job(nodes, ppn)
        result = bench.run(
            name, job, sizes, request.fidelity, messages,
            buffers=given["buffers"], window=window, shifts=shifts, error_bars=given["error_bars"],
            twin_packets=packets, tolerance=given["tolerance"], tick=tick, stop=stop,
        )  # fmt: skip
    request.tell_notes(result.summary)
    request.tell_limits(result.summary, given["preflight"])
    if not request.as_json:
        print(text.osu(result.summary), flush=True)
    request.tell_counters(result.summary, given["counters"])
    request.deliver(result.summary, result.data)
    return stopped(stop, result.summary)
