"""`odonata bench`: a built-in benchmark."""

from __future__ import annotations

import os
from typing import Any

import click

from .. import benchmarks, core, io_benchmarks, launch, names, text, units
from .._vocabulary import BUFFERS
from ..benchmarking import bench
from ..options import options_of
from ..progress import Progress
from . import launchers
from .cli_request import SIZES_WANTED, Request, stopped
from .command import command


@command("bench")
@click.argument("name", required=False)
@options_of("bench")
def run(name: str | None, **given: Any) -> int:
    """Predict a benchmark of OSU, GPCNeT or dgnettest, and print OSU's text format.

    NAME, OSU: latency, bw, bibw, mbw_mr, multi_lat, put_latency, get_latency, put_bw, put_bibw,
    get_bw, put_alltoall, allreduce, allgather, allgatherv, alltoall, alltoallv, bcast, reduce,
    reduce_scatter, reduce_scatter_block, barrier, gather, gatherv, scatter, scatterv, scan, exscan.
    GPCNeT: rr_lat, rr_get_lat, rr_bw, rr_put_bw, rr_bw_sync, nat_bw, multiple_allreduce,
    multiple_alltoall. dgnettest: bisect. File systems: ior, mdtest.

    odonata bench allreduce -n 64 --ppn 8 --machine aurora

    odonata bench ior --io-options "-t 1m -b 64m -F -e" --nodes 16 --ppn 8 --machine aurora
    """
    if name in io_benchmarks.NAMES:
        return measure_files(name, given)
    request = Request(given, (names.AUTO,))
    request.use_rules(given["coll_rules"])
    wrong = request.wrong
    known = wrong.word("benchmark", name or "nothing", benchmarks.NAMES, "a benchmark")
    nodes, ppn = launchers.bench_nodes(wrong, given)
    for option in ("file_system", "io_options", "storage_class"):
        if given[option] is not None:
            wrong.add(option, given[option], "`ior` or `mdtest` with it")
    sizes = None
    if given["sizes"] is not None:
        sizes = wrong.read("sizes", given["sizes"], units.read_sizes, SIZES_WANTED, None)
    window, shifts = (
        None if given[name] is None else wrong.count("bench", name, given[name])
        for name in ("window", "shifts")
    )
    messages = wrong.count("bench", "messages", given["messages"])
    packets = wrong.count("bench", "twin_packets", given["twin_packets"])
    if given["tolerance"] is not None:
        benchmarks.share_of(wrong, given["tolerance"])
    benchmarks.check_tolerance(wrong, request.fidelity, given["tolerance"])
    if known and nodes * ppn < benchmarks.KINDS[name].least_ranks:
        at, found = ("nodes", nodes) if given["ranks"] is None else ("ranks", nodes * ppn)
        wrong.add(at, found, f"at least {benchmarks.KINDS[name].least_ranks} ranks for {name}")
    wrong.word("buffers", given["buffers"], BUFFERS, "one of")
    request.finish()
    ignored = launch.library_variables(os.environ)
    if ignored:
        request.note(f"set, but built-in benchmarks ignore it: {', '.join(ignored)}")
    if name == "barrier" and sizes is not None:
        request.note("--sizes has no effect on a barrier, which has no size")
    stop = core.Stop()
    progress = Progress(name, request.quiet, form=given["progress"])
    with request.on_fabric(f"bench-{name}", nodes), progress as tick:
        job = request.job(nodes, ppn)
        result = bench(
            name, job, sizes, request.fidelity, messages,
            buffers=given["buffers"], window=window, shifts=shifts, error_bars=given["error_bars"],
            twin_packets=packets, tolerance=given["tolerance"], tick=tick, stop=stop,
        )  # fmt: skip
    request.print_notes(result.summary)
    request.print_limits(result.summary, given["preflight"])
    if not request.as_json:
        print(text.osu(result.summary), flush=True)
    request.print_counters(result.summary, given["counters"])
    lost = request.print_timeline(result.summary)
    request.deliver(result.summary, result.data)
    return stopped(stop, result.summary) or lost


def measure_files(name: str, given: dict[str, Any]) -> int:
    """IOR or mdtest on a file system of the machine."""
    request = Request(given)
    if given["timeline"] is not None:
        request.wrong.add("timeline", given["timeline"], f"no timeline: {name} has none")
    nodes, ppn = launchers.bench_nodes(request.wrong, given)
    request.finish()
    stop = core.Stop()
    progress = Progress(name, request.quiet, form=given["progress"])
    with request.on_fabric(f"bench-{name}", nodes), progress as tick:
        job = request.job(nodes, ppn)
        summary = io_benchmarks.io_bench(
            name, job, given["io_options"] or "", given["file_system"], request.fidelity,
            tick=tick, stop=stop,
        )  # fmt: skip
    if not request.as_json:
        print(io_benchmarks.table(summary), flush=True)
    request.print_threads(summary.get("engine") or {})
    request.deliver(summary, {})
    return stopped(stop, summary) or (1 if summary.get("failure") else 0)
