"""Built-in benchmarks: `odonata.bench.allreduce(job, sizes=[8, 1 << 20])` and its siblings.

Each predicts the result of the OSU micro-benchmark of the same name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from . import core
from .benchmarks import KINDS, MESSAGES, TWIN_PACKETS, ask
from .errors import SimulatedFailure
from .machines import Job
from .results import BenchRow, Sweep

if TYPE_CHECKING:
    import matplotlib.axes


@dataclass
class BenchResult(Sweep[BenchRow]):
    """Rows by message size, and the summary they came with.

    Columns of a row:

    - `bytes`, and `latency_s`, `bandwidth_B_per_s` or `messages_per_s`
    - GPCNeT's tests and `bisect`: `latency_p99_s` or `bandwidth_p99_B_per_s`, the 99th percentile
      over the iterations of all ranks
    - collectives: `algorithm`, `method` (`exact`, `sampled`), `error` (relative, half of the 95 %
      confidence interval), `rounds`, `rounds_played` and `ranks_played`
    - with error bars: `band_low` and `band_high`, relative to the time; `twin_nodes` of the largest
      scaled-down replica, and `twin_error`, the largest error of all replicas; None without any.
      `summary["twins"]` has all replicas.
    """

    name: str
    summary: dict[str, Any] = field(repr=False)

    @property
    def nodes(self) -> int:
        """Nodes of the job."""
        return int(self.summary["nodes"])

    @property
    def ppn(self) -> int:
        """Ranks per node."""
        return int(self.summary["ppn"])

    @property
    def sizes(self) -> list[int]:
        """Message sizes, bytes."""
        return [row["bytes"] for row in self.rows]

    @property
    def latencies(self) -> list[float]:
        """Latency per message size, seconds; empty for a bandwidth test."""
        return [row["latency_s"] for row in self.rows if "latency_s" in row]

    @property
    def bandwidths(self) -> list[float]:
        """Bandwidth per message size, bytes per second; empty for a latency test."""
        return [row["bandwidth_B_per_s"] for row in self.rows if "bandwidth_B_per_s" in row]

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """The curve, log-log, with published measurements of the same case if there are any."""
        from . import plot

        return plot.bench(self, ax)


def run(
    name: str,
    job: Job,
    sizes: Iterable[int] | None = None,
    fidelity: str = "packet",
    messages: int = MESSAGES,
    *,
    buffers: str = "host",
    window: int | None = None,
    shifts: int | None = None,
    error_bars: bool = False,
    twin_packets: int = TWIN_PACKETS,
    tolerance: float | str | None = None,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> BenchResult:
    """Run the benchmark `name`. For each benchmark there is also a function of its name.

    `buffers` is the memory of messages: `"host"`, or `"gpu"` for the memory of the ranks' GPUs.
    `window` is the number of messages in flight per pair in bandwidth tests; the default is 64.
    `shifts` is the number of simulated shifts of `put_alltoall`; the others are extrapolated.

    At loggp fidelity, a call of a collective with more than `messages` messages (at flow fidelity a
    tenth) is sampled: representative rounds and ranks are simulated. Tests of GPCNeT and dgnettest
    with more messages per iteration are refused.

    `error_bars` also runs a collective on scaled-down replicas, by packets as well, and reports the
    possible error. A replica sends at most `twin_packets` packets. Fidelity `"auto"` selects the
    cheapest one whose error bars are within `tolerance`, relative to the time, such as 0.1 or
    `"10%"`. `summary["fidelity"]` has the selection and `summary["candidates"]` the reasons.
    """
    summary = ask(
        name, job, sizes, fidelity, messages,
        buffers=buffers, window=window, shifts=shifts, error_bars=error_bars,
        twin_packets=twin_packets, tolerance=tolerance, tick=tick, stop=stop,
    )  # fmt: skip
    result = BenchResult(name, summary)
    if failure := summary.get("failure"):
        raise SimulatedFailure.of(failure, result)
    return result


class Benchmark(Protocol):
    """A benchmark by name: `run` with the arguments that most predictions need."""

    def __call__(
        self,
        job: Job,
        *,
        sizes: Iterable[int] | None = None,
        fidelity: str = "packet",
        buffers: str = "host",
        window: int | None = None,
        error_bars: bool = False,
        tolerance: float | str | None = None,
    ) -> BenchResult: ...


def _benchmark(name: str) -> Benchmark:
    def measure(
        job: Job,
        *,
        sizes: Iterable[int] | None = None,
        fidelity: str = "packet",
        buffers: str = "host",
        window: int | None = None,
        error_bars: bool = False,
        tolerance: float | str | None = None,
    ) -> BenchResult:
        return run(
            name, job, sizes, fidelity,
            buffers=buffers, window=window, error_bars=error_bars, tolerance=tolerance,
        )  # fmt: skip

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = f"Predict what the benchmark of this name prints: {KINDS[name].title}."
    return measure


latency = _benchmark("latency")
bw = _benchmark("bw")
bibw = _benchmark("bibw")
mbw_mr = _benchmark("mbw_mr")
multi_lat = _benchmark("multi_lat")
put_latency = _benchmark("put_latency")
get_latency = _benchmark("get_latency")
put_bw = _benchmark("put_bw")
put_bibw = _benchmark("put_bibw")
get_bw = _benchmark("get_bw")
put_alltoall = _benchmark("put_alltoall")
allreduce = _benchmark("allreduce")
allgather = _benchmark("allgather")
allgatherv = _benchmark("allgatherv")
alltoall = _benchmark("alltoall")
alltoallv = _benchmark("alltoallv")
bcast = _benchmark("bcast")
reduce = _benchmark("reduce")
reduce_scatter = _benchmark("reduce_scatter")
barrier = _benchmark("barrier")
gather = _benchmark("gather")
scatter = _benchmark("scatter")
scan = _benchmark("scan")
exscan = _benchmark("exscan")
rr_lat = _benchmark("rr_lat")
rr_get_lat = _benchmark("rr_get_lat")
rr_bw = _benchmark("rr_bw")
rr_put_bw = _benchmark("rr_put_bw")
rr_bw_sync = _benchmark("rr_bw_sync")
nat_bw = _benchmark("nat_bw")
multiple_allreduce = _benchmark("multiple_allreduce")
multiple_alltoall = _benchmark("multiple_alltoall")
bisect = _benchmark("bisect")
