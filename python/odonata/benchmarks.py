"""The built-in benchmarks, and the request that runs one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import bands, core, names, tables, timelines
from ._vocabulary import BENCHMARK_ENTRIES, BENCHMARKS, BUFFERS, default_count
from .errors import Diagnostics, printed
from .machines import Job, is_job
from .units import MOST, SIZES, Unreadable, read_share, read_sizes
from .version import version


@dataclass(frozen=True)
class BenchmarkKind:
    """A benchmark's title, the column with its result, and its default sizes."""

    title: str
    column: str
    sizes: str
    least_ranks: int = 2


KINDS = {name: BenchmarkKind(*entry) for name, entry in BENCHMARK_ENTRIES.items()}
NAMES = BENCHMARKS

MESSAGES = default_count("bench", "messages")
TWIN_PACKETS = default_count("bench", "twin_packets")


def predict(
    name: str,
    job: Job,
    sizes: Iterable[int] | str | None = None,
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
    """The summary of a benchmark, see `odonata.bench`; it may have a `failure`."""
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

    def kinds(row: Mapping[str, Any]) -> bands.Kinds:
        if job.background:
            return bands.LOADED
        return bands.benchmark_kinds(name, row["bytes"], job.nodes, buffers, job.mpi)

    rows, column = tables.rows_of(answer["rows"]), KINDS[name].column
    answer |= {"rows": rows, "bands": bands.add(rows, column, kinds, answer["fidelity"])}
    timelines.finish(job.timeline, answer)
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
    """A tolerance, as a number or as text. A number above 1 is refused: 10 may mean 10 %."""
    text = printed(tolerance)
    try:
        return read_share(text)
    except Unreadable as error:
        found, wanted = text or "nothing", "a share above 0, such as `10%` or `0.1`"
        wrong.add("tolerance", found, wanted, str(error) or None)
        return 1.0


def check_tolerance(wrong: Diagnostics, fidelity: str, tolerance: Any) -> None:
    """Add a diagnostic unless fidelity `auto` has a tolerance, and others have none."""
    if fidelity == names.AUTO and tolerance is None:
        wrong.add("tolerance", "nothing", "a share above 0 with fidelity `auto`, such as 0.1")
    elif fidelity != names.AUTO and tolerance is not None:
        wrong.add("tolerance", tolerance, "fidelity `auto` with it: others are used as given")


def check_sizes(wrong: Diagnostics, sizes: Any) -> list[int]:
    """Message sizes in bytes: a list, or a text as on the command line (`8:64Ki`)."""
    if isinstance(sizes, str):
        try:
            return read_sizes(sizes)
        except Unreadable as error:
            hint = str(error) or None
            wrong.add("sizes", sizes or "nothing", f"sizes in bytes: {SIZES}", hint)
            return []
    given = wrong.sequence("sizes", sizes, "a list of sizes in bytes, at least one")
    return [wrong.whole("sizes", size, 0, MOST) for size in given]
