"""Synthetic open-loop traffic: offered load in, accepted load and latency out.

`odonata.traffic("adversarial:1", machine, loads=[0.1, 0.2])`. Patterns:

- `uniform`, `random-permutation`
- `adversarial:K`: each group sends to the group K further on
- `group-shift:K`: each endpoint to the one K further on in its group
- `shift:K`: each endpoint to the one K further on in the machine
- `hotspot:K`: all endpoints to K of them
- `incast:K`: K endpoints to one
- `worst-permutation`: each endpoint to its counterpart in the next group
- `all-to-all`: each endpoint to all others in turn
- `random-all-to-all`: the same in random order
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import background_traffic, core, tables
from .errors import Diagnostics, InputError
from .machines import Machine, check_names, is_machine
from .names import check_class, check_pattern, check_placement
from .results import Sweep, TrafficRow
from .units import MOST, MOST_SECONDS, show_time
from .version import version

if TYPE_CHECKING:
    import matplotlib.axes

PACKET_BYTES = 2048
# Several times the crossing of an idle dragonfly (about 3 us).
TIME_S, WARMUP_S = 40e-6, 20e-6
# At so small a load packets rarely interact, so that their latency is unloaded.
QUIET = 0.02
# Relative deficit of accepted load that is invisible in three digits.
SLIGHT = 0.005


@dataclass
class TrafficResult(Sweep[TrafficRow]):
    """Rows by offered load, and the summary they came with.

    A row has the loads offered and accepted, latencies, hops, the share of non-minimal packets.
    """

    pattern: str
    summary: dict[str, Any] = field(repr=False)

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


def traffic(
    pattern: str,
    machine: Machine,
    *,
    loads: Iterable[float],
    packet_bytes: int = PACKET_BYTES,
    time_s: float = TIME_S,
    warmup_s: float = WARMUP_S,
    fidelity: str = "packet",
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
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> TrafficResult:
    """Offer `pattern` at each of `loads` (fractions of the injection rate) to an empty machine.

    Measured for `time_s` of simulated time after `warmup_s`. With `nodes`, traffic is between that
    many nodes, placed like a job's. `background` (of the other nodes) and `traffic_class` are as
    for `Machine.job`. The traffic is then also run without the background, unless `alone` is
    false.

    `faults` is the file of a schedule or `"random:SEED:N"`. `slices` divides the measured time into
    that many parts, with a row for each in `summary["slices"]`. `ordered` packets between two NICs
    arrive in order, on machines whose switches keep flows.
    """
    if faults is not None and isinstance(machine, Machine):
        machine = machine.with_(faults=faults)

    wrong = Diagnostics()
    check_pattern(wrong, pattern)
    is_machine(wrong, machine)
    check_names(wrong, machine, fidelity, "mpich")
    given = wrong.sequence("loads", loads, "a list of loads, at least one")
    wanted = "a fraction of the injection rate: above 0, at most 1"
    loads = [wrong.number("loads", load, wanted, 0, 1, open_low=True) for load in given]
    packet_bytes = wrong.whole("packet_bytes", packet_bytes, 1, MOST)
    wanted = "a simulated span in seconds"
    time_s = wrong.number("time_s", time_s, f"{wanted}, above 0", 0, MOST_SECONDS, open_low=True)
    warmup_s = wrong.number("warmup_s", warmup_s, wanted, 0, MOST_SECONDS)
    seed = wrong.whole("seed", seed, 0, 2**63 - 1)
    threads = wrong.whole("threads", threads)
    slices = wrong.whole("slices", slices, 0, 10_000)
    if nodes is not None:
        nodes = wrong.whole("nodes", nodes)
    check_placement(wrong, placement)
    others = background_traffic.background(wrong, background)
    check_class(wrong, traffic_class)
    if others and nodes is None:
        wrong.add("background", "no `nodes`", "`nodes` for the traffic that is measured")
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
    }
    answer = core.enter("traffic", request, tick, stop)
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
    return TrafficResult(pattern, summary)


def unmeasured(row: Mapping[str, Any]) -> Iterator[str]:
    """The columns whose value is 0 because no packet was measured: in a short time, or at a small
    load."""
    if row["packets"] == row["unfinished"]:
        yield from ("latency_mean_s", "latency_p50_s", "latency_p99_s")
    if not row["packets"]:
        yield from ("least_mean_s", "least_p50_s", "least_p99_s")
    if not row["hops_mean"]:  # a path has at least one switch
        yield from ("hops_mean", "nonminimal_fraction")


def least_median(row: Mapping[str, Any], longest_s: float) -> float:
    """A lower bound of the median, whatever the latency of packets in flight.

    The simulation continues for `longest_s` after the window, so each of them is older than that.
    Values that are not below a median do not lower it.
    """
    if row["packets"] == row["unfinished"]:
        return longest_s
    return min(row["latency_p50_s"], longest_s) if row["unfinished"] else row["latency_p50_s"]


def too_short(
    request: Mapping[str, Any], answer: Mapping[str, Any], stop: core.Stop | None
) -> list[str]:
    """What so short a warm-up or window cannot measure, and a sufficient one."""
    if answer.get("interrupted"):
        return []
    time_s, warmup_s = request["time_s"], request["warmup_s"]
    empty = [row for row in answer["rows"] if not row["hops_mean"]]
    # No latency is below the unloaded one.
    late = all(row["least_mean_s"] > warmup_s for row in answer["rows"] if row["packets"])
    alone = quiet(request, stop) if empty or late else None
    enough = rounded_up(alone["latency_p99_s"]) if alone else ""
    notes = []
    if alone and alone["latency_mean_s"] - warmup_s > SLIGHT * time_s:
        taken = show_time(alone["latency_mean_s"])
        notes.append(
            f"packets take {taken} where nobody is in their way, longer than the warm-up of "
            f"{show_time(warmup_s)}: too little arrives in the window, and `accepted` is too low; "
            f"a warm-up of {enough} would do"
        )
    if empty:
        loads = ", ".join(f"{row['offered']:g}" for row in empty)
        longer = f"a window of {enough}" if alone else "a longer window"
        notes.append(
            f"no packet arrived in the window of {show_time(time_s)} at load {loads}: "
            f"{longer} tells more"
        )
    return notes


def quiet(request: Mapping[str, Any], stop: core.Stop | None) -> Mapping[str, Any] | None:
    """The closed form's row for negligible load on the machine without faults.

    It is fast. Measured rows cannot replace it: slightly above saturation all packets may arrive,
    late.
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
        "slices": 0,
        "time_s": WARMUP_S,
        "warmup_s": WARMUP_S,
    }
    try:
        [row] = core.enter("traffic", request, None, stop)["rows"]
    except (InputError, ValueError):  # refused by the closed form, or stopped
        return None
    return row if row["packets"] > row["unfinished"] else None


def rounded_up(seconds: float) -> str:
    """A span rounded up to one digit and its unit."""
    power = 10.0 ** math.floor(math.log10(seconds))
    return show_time(math.ceil(seconds / power * (1 - 1e-9)) * power, 1)
