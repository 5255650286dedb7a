"""Built-in benchmarks: `odonata.bench("allreduce", job, sizes=[8, 1 << 20])`.

Each predicts the result of the benchmark of the same name of OSU, GPCNeT or dgnettest.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from . import core
from ._vocabulary import Benchmark, Buffers, FidelityOrAuto
from .benchmarks import MESSAGES, NAMES, TWIN_PACKETS, predict
from .errors import SimulatedFailure
from .machines import Job
from .results import BenchRow, Sweep

if TYPE_CHECKING:
    import matplotlib.axes


@dataclass
class BenchResult(Sweep[BenchRow]):
    """Rows by message size, and a summary.

    A row has `bytes` and `latency_s`, `bandwidth_B_per_s` or `messages_per_s`. `low` and `high` are
    the band of its time or bandwidth, from residuals of measurements, which `summary["bands"]`
    describes; None for a kind without measurements. GPCNeT's tests and
    `bisect` add `latency_p99_s` or `bandwidth_p99_B_per_s`, the 99th percentile over the iterations
    of all ranks. Collectives add `algorithm`, `method` (`exact` or `sampled`), `error` (half of the
    95 % confidence interval, relative), `rounds`, `rounds_played` and `ranks_played`. Error bars
    add `band_low` and `band_high` (relative to the time), `twin_nodes` of the largest scaled-down
    run, and `twin_error`, the largest error of all; None if no run was small enough.
    `summary["twins"]` lists these runs.
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
        """The curve on logarithmic axes, with published measurements if there are any."""
        from . import plot

        return plot.bench(self, ax)


class NamedBenchmark(Protocol):
    """A benchmark by its name. Its arguments are those of `Benchmarks.__call__` after `name`."""

    def __call__(
        self,
        job: Job,
        sizes: Iterable[int] | str | None = None,
        fidelity: FidelityOrAuto = "packet",
        messages: int = MESSAGES,
        *,
        buffers: Buffers = "host",
        window: int | None = None,
        shifts: int | None = None,
        error_bars: bool = False,
        twin_packets: int = TWIN_PACKETS,
        tolerance: float | str | None = None,
        tick: core.Tick | None = None,
        stop: core.Stop | None = None,
    ) -> BenchResult: ...


class Benchmarks:
    """`odonata.bench`, a function. `bench.allreduce(job)` is `bench("allreduce", job)`."""

    __name__ = "bench"

    def __reduce__(self) -> str:
        return "bench"  # pickled by name, as functions are

    def __call__(
        self,
        name: Benchmark,
        job: Job,
        sizes: Iterable[int] | str | None = None,
        fidelity: FidelityOrAuto = "packet",
        messages: int = MESSAGES,
        *,
        buffers: Buffers = "host",
        window: int | None = None,
        shifts: int | None = None,
        error_bars: bool = False,
        twin_packets: int = TWIN_PACKETS,
        tolerance: float | str | None = None,
        tick: core.Tick | None = None,
        stop: core.Stop | None = None,
    ) -> BenchResult:
        """Predict the benchmark `name` for a job.

        `sizes` are message sizes in bytes or a text such as `"8:64Ki"`, by default those of OSU.
        `buffers` is the memory of the messages: `"host"`, or `"gpu"` for that of the ranks' GPUs.
        `window` is the number of messages in flight per pair in a bandwidth test, by default 64.
        `shifts` is the number of simulated shifts of `put_alltoall`, from which the time of all is
        estimated.

        `messages` is the message budget of one collective call with fidelity `"loggp"`; a tenth of
        it with `"flow"`. Longer calls are sampled: representative rounds and ranks are simulated.
        An iteration of a GPCNeT or dgnettest test above the budget is refused.

        `error_bars` estimates the error of a collective's time from runs with packets on fewer
        nodes, each with at most `twin_packets` packets. Fidelity `"auto"` selects the cheapest
        model whose error bars are within `tolerance` of the time, such as 0.1 or `"10%"`;
        `summary["fidelity"]` has the choice, `summary["candidates"]` the reasons.
        """
        summary = predict(
            name, job, sizes, fidelity, messages,
            buffers=buffers, window=window, shifts=shifts, error_bars=error_bars,
            twin_packets=twin_packets, tolerance=tolerance, tick=tick, stop=stop,
        )  # fmt: skip
        result = BenchResult(name, summary)
        if failure := summary.get("failure"):
            raise SimulatedFailure.of(failure, result)
        return result

    @property
    def run(self) -> Benchmarks:
        """The function itself: `bench.run` is an older name of `bench`."""
        return self

    def __getattr__(self, name: str) -> NamedBenchmark:
        if name not in NAMES:
            raise AttributeError(f"`odonata.bench` has no benchmark `{name}`")
        return cast("NamedBenchmark", functools.partial(self, name))

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *NAMES])


bench = Benchmarks()
bench.__doc__ = Benchmarks.__call__.__doc__
