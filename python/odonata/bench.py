"""Built-in benchmarks: `odonata.bench.allreduce(job, sizes=[8, 1 << 20])` and its siblings.

Each measures what the OSU micro-benchmark of the same name measures, on the predicted machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import __version__, door
from .errors import Complaints, SimulatedFailure
from .machines import Job, is_job
from .results import Sweep
from .units import MOST, read_sizes

if TYPE_CHECKING:
    import matplotlib.axes


@dataclass(frozen=True)
class Kind:
    """What a benchmark is called, what it measures, and its sizes unless the user says others."""

    title: str
    column: str = "latency_s"
    sizes: str = "1:1Mi"
    least_ranks: int = 2


BUFFERS = ("host", "gpu")

KINDS = {
    "latency": Kind("MPI Latency Test", sizes="1:4Mi"),
    "bw": Kind("MPI Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "bibw": Kind("MPI Bi-Directional Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "mbw_mr": Kind("MPI Multiple Bandwidth / Message Rate Test", "bandwidth_B_per_s", "1:4Mi"),
    "multi_lat": Kind("MPI Multi Latency Test", sizes="1:4Mi"),
    "put_latency": Kind("MPI_Put Latency Test", sizes="1:4Mi"),
    "get_latency": Kind("MPI_Get Latency Test", sizes="1:4Mi"),
    "put_bw": Kind("MPI_Put Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "put_bibw": Kind("MPI_Put Bi-Directional Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "get_bw": Kind("MPI_Get Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "put_alltoall": Kind("MPI_Put Random-Shift All-to-All Test", "bandwidth_B_per_s", "64:16Ki"),
    "allreduce": Kind("MPI Allreduce Latency Test", sizes="4:1Mi"),
    "allgather": Kind("MPI Allgather Latency Test"),
    "allgatherv": Kind("MPI Allgatherv Latency Test"),
    "alltoall": Kind("MPI Alltoall Latency Test"),
    "alltoallv": Kind("MPI Alltoallv Latency Test"),
    "bcast": Kind("MPI Broadcast Latency Test"),
    "reduce": Kind("MPI Reduce Latency Test", sizes="4:1Mi"),
    "reduce_scatter": Kind("MPI Reduce_scatter Latency Test", sizes="4:1Mi"),
    "barrier": Kind("MPI Barrier Latency Test", sizes="0"),
    "gather": Kind("MPI Gather Latency Test"),
    "scatter": Kind("MPI Scatter Latency Test"),
    "scan": Kind("MPI Scan Latency Test", sizes="4:1Mi"),
    "exscan": Kind("MPI Exscan Latency Test", sizes="4:1Mi"),
}
NAMES = tuple(KINDS)

# Most messages of one call of a collective that are simulated unless said, and most packets that a
# smaller twin sends.
MESSAGES = 2_000_000
TWIN_PACKETS = 500_000


@dataclass
class BenchResult(Sweep):
    """Rows by message size, and the summary they came with.

    A row has `bytes` and `latency_s`, `bandwidth_B_per_s` or `messages_per_s`; that of a collective
    also `algorithm`, `method` (`exact`, `sampled`), `error` (relative, half of what holds the time
    19 times of 20), `rounds`, `rounds_played` and `ranks_played`. With error bars it has `band_low`
    and `band_high`, relative to the time, `twin_nodes` of the largest twin and `twin_error`, the
    largest of all, or None if no twin was small enough; `summary["twins"]` has all of them.
    """

    name: str
    summary: dict[str, Any] = field(repr=False)

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """The curve, log-log; published points beside it where somebody measured this."""
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
    error_bars: bool = False,
    twin_packets: int = TWIN_PACKETS,
    tick: door.Tick | None = None,
    stop: door.Stop | None = None,
) -> BenchResult:
    """Run the benchmark called `name`; one function of that name stands for each.

    `buffers` says where messages lie: `"host"`, or `"gpu"` for the memory of the ranks' GPUs. At
    loggp fidelity one call of a collective of more than `messages` messages (at flow fidelity a
    tenth) is not simulated whole where some of its rounds, by some ranks, stand for all.
    `error_bars` runs a collective on fewer nodes too, there by packets as well, and says how far
    off the prediction may be; such a twin sends at most `twin_packets` packets.
    """
    wrong = Complaints()
    wrong.word("buffers", buffers, BUFFERS, "one of")
    known = wrong.word("benchmark", name, NAMES, "a benchmark")
    if is_job(wrong, job) and known and job.ranks < KINDS[name].least_ranks:
        wrong.add("ranks", job.ranks, f"at least {KINDS[name].least_ranks} for {name}")
    chosen = [] if sizes is None else check_sizes(wrong, sizes)
    messages = wrong.whole("messages", messages)
    twin_packets = wrong.whole("twin_packets", twin_packets)
    wrong.raise_any()
    job.check(fidelity)
    if sizes is None or name == "barrier":  # a barrier has no size
        chosen = read_sizes(KINDS[name].sizes)
    request = {
        **job.request(fidelity),
        "name": name,
        "nodes": job.nodes,
        "ppn": job.ppn,
        "sizes": chosen,
        "buffers": buffers,
        "messages": messages,
        "error_bars": bool(error_bars),
        "twin_packets": twin_packets,
    }
    answer = door.enter("bench", request, tick, stop)
    summary = {
        "odonata": __version__,
        "kind": "bench",
        "name": name,
        "machine": job.machine.name,
        "fidelity": fidelity,
        "nodes": job.nodes,
        "ppn": job.ppn,
        "buffers": buffers,
        "error_bars": bool(error_bars),
        "seed": job.seed,
        "background": list(job.background),
        "noise": job.noise,
        "class": job.traffic_class,
        "rows_wanted": len(chosen),
        **answer,
    }
    result = BenchResult(name, summary)
    if failure := summary.get("failure"):
        raise SimulatedFailure(
            failure["message"], failure["kind"], failure.get("ranks") or (), result
        )
    return result


def check_sizes(wrong: Complaints, sizes: Any) -> list[int]:
    """Message sizes, bytes."""
    given = wrong.sequence("sizes", sizes, "a list of sizes in bytes, at least one")
    return [wrong.whole("sizes", size, 0, MOST) for size in given]


def _benchmark(name: str):
    def measure(
        job: Job,
        *,
        sizes: Iterable[int] | None = None,
        fidelity: str = "packet",
        buffers: str = "host",
        error_bars: bool = False,
    ) -> BenchResult:
        return run(name, job, sizes, fidelity, buffers=buffers, error_bars=error_bars)

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = f"Predict what osu_{name} would print: {KINDS[name].title}."
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
