"""`odonata traffic`: synthetic traffic."""

from __future__ import annotations

from typing import Any

import click

from .. import core, patterns, text, timelines, units
from ..names import check_pattern
from ..options import options_of
from ..progress import Progress
from .cli_request import Request, given_by_hand, stopped
from .command import command

LOADS_WANTED = "loads above 0 and at most 1: `0.3`, `0.1,0.5`, or FIRST:LAST:STEP"
SPAN_WANTED = f"a simulated time such as `100us`: {units.SPAN}"


@command("traffic")
@click.argument("pattern", required=False)
@options_of("traffic")
def traffic(pattern: str | None, **given: Any) -> int:
    """Simulate synthetic traffic, and print the accepted load and the latency.

    PATTERN: uniform, adversarial:K (to the group K further on), group-shift:K, shift:K, hotspot:K,
    incast:K, random-permutation, worst-permutation, all-to-all, random-all-to-all
    (docs/models/saturation.md).

    odonata traffic uniform --load 0.1:0.9:0.1 --machine aurora
    """
    request = Request(given)
    wrong = request.wrong
    check_pattern(wrong, pattern or "nothing")
    loads: list[float] = []
    if given["load"] is None:
        wrong.add("load", "nothing", LOADS_WANTED)
    else:
        loads = wrong.read("load", given["load"], units.read_loads, LOADS_WANTED, [])
    size = f"a size of {units.SIZE}"
    packet = wrong.read("packet", given["packet"], units.read_bytes, size, 1)
    time = wrong.read("time", given["time"], units.read_span, SPAN_WANTED, 1.0)
    warmup = wrong.read("warmup", given["warmup"], units.read_span, SPAN_WANTED, 1.0)
    slices = wrong.count("traffic", "slices", given["slices"])
    nodes = None if given["nodes"] is None else wrong.integer("nodes", given["nodes"], None)
    if nodes is not None and not isinstance(request.placement, str):
        wrong.add("placement", given["placement"], "a placement by name: traffic has no ranks")
    if request.background and nodes is None:
        wrong.add("nodes", "nothing", "the nodes of the measured traffic, which has a background")
    if packet < 1:
        wrong.add("packet", given["packet"], "at least 1 byte")
    if time <= 0:
        wrong.add("time", given["time"], "a time above 0")
    if request.timeline is not None:
        timelines.check_traffic(wrong, request.timeline, len(loads))
    request.finish()
    ineffective = ["mpi"] if given["nodes"] is not None else ["placement", "mpi"]
    ignored = [f"--{name}" for name in ineffective if given_by_hand(name)]
    if ignored:
        request.note(f"no effect on synthetic traffic: {', '.join(ignored)}")
    stop = core.Stop()
    name = f"traffic-{pattern.partition(':')[0]}"
    on_all = nodes is None
    used = int(request.machine.summary["nodes"]) if on_all and request.fabric else nodes or 0
    # Without saturation a load ends soon after its measured time.
    expected = len(loads) * (time + warmup)
    progress = Progress(f"traffic {pattern}", request.quiet, None, expected, given["progress"])
    with request.on_fabric(name, used), progress as tick:
        result = patterns.traffic(
            pattern,
            request.machine,
            load=loads,
            packet=packet,
            time=time,
            warmup=warmup,
            fidelity=request.fidelity,
            seed=request.seed,
            threads=request.threads,
            nodes=nodes,
            placement=request.placement if isinstance(request.placement, str) else "contiguous",
            background=request.background,
            slices=slices,
            ordered=given["ordered"],
            alone=given["alone"],
            engine=given["engine"],
            traffic_class=request.traffic_class,
            timeline=request.timeline,
            tick=tick,
            stop=stop,
        )
    if not request.as_json:
        print(text.traffic(result.summary), flush=True)
    request.print_counters(result.summary, given["counters"])
    lost = request.print_timeline(result.summary)
    request.deliver(result.summary, result.data)
    return stopped(stop, result.summary) or lost
