"""Synthetic open-loop traffic: offered load in, accepted load and latency out.

`odonata.traffic("adversarial:1", machine, load=[0.1, 0.2])`. An endpoint is a NIC. Patterns:

- `uniform`: each packet to a random endpoint;
- `adversarial:K`: each group sends to the group K further on;
- `group-shift:K`, `shift:K`: each endpoint sends to the one K further on in its group, or in the
  machine;
- `hotspot:K`: all endpoints send to K endpoints; `incast:K`: K endpoints send to one;
- `random-permutation`; `worst-permutation`: each endpoint sends to the same position in the next
  group;
- `all-to-all`: each endpoint sends to all others in turn; `random-all-to-all`: in random order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import background_traffic, core, tables, timelines
from ._vocabulary import Engine, Fidelity
from .errors import Diagnostics, InputError
from .machines import Machine, check_names, is_machine
from .names import check_class, check_engine, check_pattern, check_placement, renamed
from .results import Sweep, TrafficRow
from .units import MOST, MOST_SECONDS, Unreadable, read_bytes, read_loads, read_span, show_time
from .version import version

if TYPE_CHECKING:
    import matplotlib.axes

# Warm-up and window of an idle machine: a packet crosses an idle dragonfly in about 3 us.
IDLE_S = 20e-6
# A load so small that packets rarely meet.
QUIET = 0.02
# A relative error of the accepted load that does not show in three digits.
SLIGHT = 0.005


@dataclass
class TrafficResult(Sweep[TrafficRow]):
    """Rows by offered load, and a summary. `tables` has the loads of links over time.

    A row has offered and accepted load, latencies, hops, and the fraction of nonminimal packets.
    """

    pattern: str
    summary: dict[str, Any] = field(repr=False)
    tables: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def data(self) -> dict[str, Any]:
        """The tables, by name."""
        return {**super().data, **self.tables}

    @property
    def routing(self) -> str:
        """Routing algorithm of the machine."""
        return str(self.summary["routing"])

    @property
    def offered(self) -> list[float]:
        """Offered loads, fractions of the injection rate."""
        return [row["offered"] for row in self.rows]

    @property
    def accepted(self) -> list[float]:
        """Accepted load per offered load, fractions of the injection rate."""
        return [row["accepted"] for row in self.rows]

    @property
    def latencies(self) -> list[float | None]:
        """Mean latency of the packets that arrived, seconds; None where none arrived."""
        return [row["latency_mean_s"] for row in self.rows]

    def plot(
        self, ax: matplotlib.axes.Axes | None = None, bounds: Mapping[str, float] | None = None
    ) -> matplotlib.axes.Axes:
        """Offered against accepted load; `bounds` are drawn as labeled horizontal lines."""
        from . import plot

        return plot.traffic([self], ax, bounds)


@renamed(loads="load", packet_bytes="packet", time_s="time", warmup_s="warmup")
def traffic(
    pattern: str,
    machine: Machine,
    *,
    load: float | str | Iterable[float],
    packet: int | str = "2Ki",
    time: float | str = "40us",
    warmup: float | str = "20us",
    fidelity: Fidelity = "packet",
    seed: int = 1,
    threads: int = 1,
    nodes: int | None = None,
    placement: str = "contiguous",
    background: Any = None,
    traffic_class: str | None = None,
    faults: str | Path | None = None,
    slices: int = 0,
    ordered: bool = False,
    alone: bool = True,
    engine: Engine = "auto",
    timeline: timelines.Timeline | None = None,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> TrafficResult:
    """Simulate `pattern` at each `load`, a fraction of the injection rate.

    `packet` is the payload of a packet in bytes. After `warmup`, `time` seconds are measured. Texts
    are read as on the command line: `load="0.1:0.9:0.1"`, `time="40us"`.

    With `nodes`, only so many nodes take part, placed like those of a job. The other nodes may have
    `background` traffic, as for `Machine.job`; `alone` then also runs without it, for comparison.
    `traffic_class` is the class of the measured traffic. `faults` is the file of a fault schedule,
    or `"random:SEED:N"`. `slices` divides the measured time into so many parts, with a row each in
    `summary["slices"]`. `ordered` delivers the packets of each pair of NICs in order, on switches
    that keep flows. `engine` selects how packets are simulated, which does not change the result.
    `timeline` records the links of a single load over time, for Perfetto (`.pftrace`) or as records
    (`.odtl`).
    """
    if faults is not None and isinstance(machine, Machine):
        machine = machine.with_(faults=faults)

    wrong = Diagnostics()
    check_pattern(wrong, pattern)
    is_machine(wrong, machine)
    check_names(wrong, machine, fidelity, "mpich")
    wanted = "a fraction of the injection rate: above 0, at most 1"
    if isinstance(load, str):
        loads = read(wrong, "load", load, read_loads, wanted, [])
    else:
        given = [load] if isinstance(load, (int, float)) else load
        given = wrong.sequence("load", given, "a list of loads, at least one")
        loads = [wrong.number("load", each, wanted, 0, 1, open_low=True) for each in given]
    packet = read(wrong, "packet", packet, read_bytes, "a size in bytes", 1)
    packet_bytes = wrong.whole("packet", packet, 1, MOST)
    wanted = "a simulated time in seconds"
    time = read(wrong, "time", time, read_span, wanted, 1.0)
    time_s = wrong.number("time", time, f"{wanted}, above 0", 0, MOST_SECONDS, open_low=True)
    warmup = read(wrong, "warmup", warmup, read_span, wanted, 1.0)
    warmup_s = wrong.number("warmup", warmup, wanted, 0, MOST_SECONDS)
    seed = wrong.whole("seed", seed, 0, 2**63 - 1)
    threads = wrong.whole("threads", threads)
    slices = wrong.whole("slices", slices, 0, 10_000)
    if nodes is not None:
        nodes = wrong.whole("nodes", nodes)
    check_placement(wrong, placement)
    others = background_traffic.background(wrong, background)
    check_class(wrong, traffic_class)
    check_engine(wrong, engine)
    if others and nodes is None:
        wrong.add("background", "no `nodes`", "`nodes` for the traffic that is measured")
    if timeline is not None:
        timelines.check(wrong, timeline)
        timelines.check_traffic(wrong, timeline, len(loads))
    wrong.raise_any()
    request = {
        "machine": machine.request(),
        "fidelity": fidelity,
        "routing": machine.routing,
        "seed": seed,
        "threads": threads,
        "nodes": nodes,
        "placement": placement,
        "background": list(others),
        "alone": bool(alone),
        "class": traffic_class,
        "pattern": pattern,
        "loads": loads,
        "packet_bytes": packet_bytes,
        "time_s": time_s,
        "warmup_s": warmup_s,
        "slices": slices,
        "ordered": bool(ordered),
        "engine": engine,
        "timeline": timeline.request() if timeline is not None else None,
    }
    answer = core.enter("traffic", request, tick, stop)
    over_time = timelines.finish(timeline, answer)
    notes = too_short(request, answer, stop)
    for row in answer["rows"]:
        row["least_p50_s"] = least_median(row, warmup_s + time_s)
        row.update(dict.fromkeys(unmeasured(row)))
    parts = [
        {"offered": row["offered"], **part}
        for row in answer["rows"]
        for part in row.pop("slices", ())
    ]
    if parts:
        answer["slices"] = parts
    summary = {
        "odonata": version(),
        "kind": "traffic",
        "pattern": pattern,
        "machine": machine.name,
        "fidelity": fidelity,
        "routing": answer["routing"],
        "packet_bytes": packet_bytes,
        "measured_s": time_s,
        "warmup_s": warmup_s,
        "seed": seed,
        "nodes": nodes,
        "placement": placement if nodes is not None else None,
        "background": list(others),
        "class": traffic_class,
        "ordered": bool(ordered),
        "rows_wanted": len(loads),
        "notes": notes,
        "counters": tables.rows_of(answer.pop("counter_table")),
        **answer,
    }
    return TrafficResult(pattern, summary, over_time)


def read(
    wrong: Diagnostics, at: str, value: Any, reader: Callable[[str], Any], wanted: str, default: Any
) -> Any:
    """A value that may be text with a unit; `default` after a diagnostic."""
    if not isinstance(value, str):
        return value
    try:
        return reader(value)
    except Unreadable as error:
        wrong.add(at, value or "nothing", wanted, str(error) or None)
        return default


def unmeasured(row: Mapping[str, Any]) -> Iterator[str]:
    """Columns that are 0 because no packet was measured, in a short time or at a small load."""
    if row["packets"] == row["unfinished"]:
        yield from ("latency_mean_s", "latency_p50_s", "latency_p99_s")
    if not row["packets"]:
        yield from ("least_mean_s", "least_p50_s", "least_p99_s")
    if not row["hops_mean"]:  # a packet passes at least one switch
        yield from ("hops_mean", "nonminimal_fraction")


def least_median(row: Mapping[str, Any], longest_s: float) -> float:
    """A lower bound of the median, including packets in flight at the end.

    The simulation continues for `longest_s` after the window, so these packets are older than that.
    Values that are not below a median do not lower it.
    """
    if row["packets"] == row["unfinished"]:
        return longest_s
    return min(row["latency_p50_s"], longest_s) if row["unfinished"] else row["latency_p50_s"]


def too_short(
    request: Mapping[str, Any], answer: Mapping[str, Any], stop: core.Stop | None
) -> list[str]:
    """Notes on a warm-up or window that is too short, with one that suffices."""
    if answer.get("interrupted"):
        return []
    time_s, warmup_s = request["time_s"], request["warmup_s"]
    empty = [row for row in answer["rows"] if not row["hops_mean"]]
    # No latency is below that of an idle machine.
    late = all(row["least_mean_s"] > warmup_s for row in answer["rows"] if row["packets"])
    alone = quiet(request, stop) if empty or late else None
    enough = rounded_up(alone["latency_p99_s"]) if alone else ""
    notes = []
    if alone and alone["latency_mean_s"] - warmup_s > SLIGHT * time_s:
        taken = show_time(alone["latency_mean_s"])
        notes.append(
            f"packets take {taken} on an idle machine, longer than the warm-up of "
            f"{show_time(warmup_s)}: too little arrives in the window, and `accepted` is too low; "
            f"a warm-up of {enough} suffices"
        )
    if empty:
        loads = ", ".join(f"{row['offered']:g}" for row in empty)
        longer = f"a window of {enough}" if alone else "a longer window"
        notes.append(
            f"no packet arrived in the window of {show_time(time_s)} at load {loads}: "
            f"use {longer}"
        )
    return notes


def quiet(request: Mapping[str, Any], stop: core.Stop | None) -> Mapping[str, Any] | None:
    """The row of an idle machine without faults, in closed form, which takes little time.

    Rows of the traffic itself do not suffice: slightly beyond saturation all packets may arrive,
    but late.
    """
    request = {
        **request,
        "machine": {**request["machine"], "faults": None},
        "fidelity": "loggp",
        "loads": [min(QUIET, *request["loads"])],
        "background": [],
        "alone": False,
        "class": None,
        "ordered": False,
        "engine": "auto",
        "slices": 0,
        "time_s": IDLE_S,
        "warmup_s": IDLE_S,
    }
    try:
        [row] = core.enter("traffic", request, None, stop)["rows"]
    except (InputError, ValueError):  # refused by the closed form, or stopped
        return None
    return row if row["packets"] > row["unfinished"] else None


def rounded_up(seconds: float) -> str:
    """The time, rounded up to one digit and its unit."""
    power = 10.0 ** math.floor(math.log10(seconds))
    return show_time(math.ceil(seconds / power * (1 - 1e-9)) * power, 1)
