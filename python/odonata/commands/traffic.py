"""`odonata traffic`: synthetic traffic, offered and accepted."""

from __future__ import annotations

from typing import Any

import click

from .. import core, patterns, text, units
from ..names import check_pattern
from ..options import BESIDE, COMMON, COUNTERS, option, with_options
from ..progress import Progress
from .cli_request import Request, given_by_hand, stopped
from .command import command

LOADS_WANTED = "loads above 0 and at most 1: `0.3`, `0.1,0.5`, or FIRST:LAST:STEP"
SPAN_WANTED = f"a span of simulated time such as `100us`: {units.SPAN}"


@command("traffic")
@click.argument("pattern", required=False)
@option("--load", metavar="LOADS", help="Offered load: `0.3`, `0.1,0.5` or `0.1:0.9:0.1`.")
@option("--packet", metavar="BYTES", help="Payload of a packet.  [default: 2Ki]")
@option("--time", metavar="SPAN", help="Simulated span measured.  [default: 40us]")
@option("--warmup", metavar="SPAN", help="Simulated span before it.  [default: 20us]")
@option(
    "--slices",
    metavar="N",
    help="Cut the measured span into N parts and print a row each: what a fault does, over time.",
)
@click.option(
    "--ordered",
    is_flag=True,
    help="Packets between two NICs arrive as they were sent, on switches that keep flows.",
)
@option(
    "--nodes",
    metavar="N",
    help="Between so many nodes, placed by --placement.  [default: all compute nodes]",
)
@click.option(
    "--alone/--no-alone",
    default=True,
    show_default=True,
    help="With --background, run the same without it too, and show by how much it slows.",
)
@with_options(COUNTERS, BESIDE[0], *COMMON)
def traffic(pattern: str | None, **given: Any) -> int:
    """Offer synthetic traffic and see how much is accepted.

    PATTERN: uniform, adversarial:K (to the group K further on), group-shift:K, shift:K, hotspot:K,
    incast:K, random-permutation, worst-permutation, all-to-all, random-all-to-all.
    """
    request = Request(given)
    wrong = request.wrong
    check_pattern(wrong, pattern or "nothing")
    loads: list[float] = []
    if given["load"] is None:
        wrong.add("loads", "nothing", LOADS_WANTED)
    else:
        loads = wrong.read("loads", given["load"], units.read_loads, LOADS_WANTED, [])
    packet, time, warmup = patterns.PACKET_BYTES, patterns.TIME_S, patterns.WARMUP_S
    if given["packet"] is not None:
        packet = wrong.read(
            "packet_bytes", given["packet"], units.read_bytes, f"a size of {units.SIZE}", packet
        )
    if given["time"] is not None:
        time = wrong.read("time_s", given["time"], units.read_span, SPAN_WANTED, time)
    if given["warmup"] is not None:
        warmup = wrong.read("warmup_s", given["warmup"], units.read_span, SPAN_WANTED, warmup)
    slices = wrong.integer("slices", given["slices"], 0, 0, 10_000)
    nodes = None if given["nodes"] is None else wrong.integer("nodes", given["nodes"], None)
    if nodes is not None and not isinstance(request.placement, str):
        wrong.add("placement", given["placement"], "a placement by name: traffic has no ranks")
    if request.background and nodes is None:
        wrong.add("nodes", "nothing", "nodes for the traffic that is measured beside a background")
    if packet < 1:
        wrong.add("packet_bytes", given["packet"], "at least 1 byte")
    if time <= 0:
        wrong.add("time_s", given["time"], "a span above 0")
    request.finish()
    deaf = ["mpi"] if given["nodes"] is not None else ["placement", "mpi"]
    unheard = [f"--{name}" for name in deaf if given_by_hand(name)]
    if unheard:
        request.note(f"changes nothing in synthetic traffic: {', '.join(unheard)}")
    stop = core.Stop()
    with Progress(f"traffic {pattern}", request.quiet) as tick:
        result = patterns.traffic(
            pattern,
            request.machine,
            loads=loads,
            packet_bytes=packet,
            time_s=time,
            warmup_s=warmup,
            fidelity=request.fidelity,
            seed=request.seed,
            threads=request.threads,
            nodes=nodes,
            placement=request.placement if isinstance(request.placement, str) else "contiguous",
            background=request.background,
            slices=slices,
            ordered=given["ordered"],
            alone=given["alone"],
            traffic_class=request.traffic_class,
            tick=tick,
            stop=stop,
        )
    if not request.as_json:
        print(text.traffic(result.summary), flush=True)
    request.tell_counters(result.summary, given["counters"])
    request.deliver(result.summary, result.data)
    return stopped(stop, result.summary)
