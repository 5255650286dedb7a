"""The built-in benchmarks: names, measured quantities, and their requests to the core.

`crates/sim/src/bench.rs` defines what each one does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import core, names, tables
from .errors import Diagnostics
from .machines import Job, is_job
from .units import MOST, Unreadable, read_share, read_sizes
from .version import version


@dataclass(frozen=True)
class Kind:
    """Name, measured quantity and default sizes of a benchmark."""

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
    "rr_lat": Kind("GPCNeT RR Two-sided Lat", sizes="8"),
    "rr_get_lat": Kind("GPCNeT RR Get Lat", sizes="8"),
    "rr_bw": Kind("GPCNeT RR Two-sided BW", "bandwidth_B_per_s", "128Ki"),
    "rr_put_bw": Kind("GPCNeT RR Put BW", "bandwidth_B_per_s", "128Ki"),
    "rr_bw_sync": Kind("GPCNeT RR Two-sided BW+Sync", "bandwidth_B_per_s", "128Ki"),
    "nat_bw": Kind("GPCNeT Nat Two-sided BW", "bandwidth_B_per_s", "128Ki"),
    "multiple_allreduce": Kind("GPCNeT Multiple Allreduce", sizes="8"),
    "multiple_alltoall": Kind("GPCNeT Multiple Alltoall", "bandwidth_B_per_s", "4Ki"),
    "bisect": Kind("Bisection Bandwidth Test", "bandwidth_B_per_s", "128Ki"),
}
NAMES = tuple(KINDS)

# Default limits: simulated messages per call of a collective, and packets of a scaled-down
# replica.
MESSAGES = 2_000_000
TWIN_PACKETS = 500_000


def ask(
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
) -> dict[str, Any]:
    """The summary of a benchmark, see `bench.run`; it may have a `failure`."""
    wrong = Diagnostics()
    wrong.word("buffers", buffers, BUFFERS, "one of")
    known = wrong.word("benchmark", name, NAMES, "a benchmark")
    if is_job(wrong, job) and known and job.ranks < KINDS[name].least_ranks:
        wrong.add("ranks", job.ranks, f"at least {KINDS[name].least_ranks} for {name}")
    chosen = [] if sizes is None else check_sizes(wrong, sizes)
    messages = wrong.whole("messages", messages)
    if window is not None:
        window = wrong.whole("window", window)
    if shifts is not None:
        shifts = wrong.whole("shifts", shifts)
    twin_packets = wrong.whole("twin_packets", twin_packets)
    check_tolerance(wrong, fidelity, tolerance)
    if tolerance is not None:
        tolerance = share_of(wrong, tolerance)
    wrong.raise_any()
    job.check(fidelity, (names.AUTO,))
    if sizes is None or name == "barrier":  # a barrier has no size
        chosen = read_sizes(KINDS[name].sizes)
    request = {
        **job.request(fidelity),
        "name": name,
        "nodes": job.nodes,
        "ppn": job.ppn,
        "sizes": chosen,
        "buffers": buffers,
        "window": window,
        "shifts": shifts,
        "messages": messages,
        "error_bars": bool(error_bars),
        "twin_packets": twin_packets,
        "tolerance": tolerance,
    }
    is_auto = fidelity == names.AUTO
    answer = core.enter("bench", request, tick, stop)
    return {
        "odonata": version(),
        "kind": "bench",
        "name": name,
        "machine": job.machine.name,
        "fidelity": fidelity,
        "nodes": job.nodes,
        "ppn": job.ppn,
        "buffers": buffers,
        **({"window": window} if window else {}),
        "error_bars": answer["fidelity"] != "packet" if is_auto else bool(error_bars),
        "seed": job.seed,
        "background": list(job.background),
        "noise": job.noise,
        "class": job.traffic_class,
        "rows_wanted": len(chosen),
        "counters": tables.rows_of(answer.pop("counter_table")),
        **answer,
    }


def share_of(wrong: Diagnostics, tolerance: Any) -> float:
    """A tolerance as the command line reads it, which a number is as well: 10 may mean 10 %."""
    try:
        return read_share(str(tolerance))
    except Unreadable as error:
        found, wanted = str(tolerance) or "nothing", "a share above 0, such as `10%` or `0.1`"
        wrong.add("tolerance", found, wanted, str(error) or None)
        return 1.0


def check_tolerance(wrong: Diagnostics, fidelity: str, tolerance: Any) -> None:
    """Check that a tolerance is given if and only if the fidelity is `auto`."""
    if fidelity == names.AUTO and tolerance is None:
        wrong.add("tolerance", "nothing", "a share above 0 with fidelity `auto`, such as 0.1")
    elif fidelity != names.AUTO and tolerance is not None:
        wrong.add("tolerance", tolerance, "fidelity `auto` with it: others are used as given")


def check_sizes(wrong: Diagnostics, sizes: Any) -> list[int]:
    """Message sizes, bytes."""
    given = wrong.sequence("sizes", sizes, "a list of sizes in bytes, at least one")
    return [wrong.whole("sizes", size, 0, MOST) for size in given]
