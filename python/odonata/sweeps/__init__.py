"""Parameter sweeps on the cores of this machine or on a Dask cluster.

`odonata.sweep("study.toml")` corresponds to `odonata sweep study.toml`. Finished points are on disk
and are never computed again, however the sweep ends.
"""

from __future__ import annotations

import contextlib
import os
import queue
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import core
from ..errors import Diagnostics
from ..results import to_pandas
from ..version import version
from . import executors
from . import study as studies
from .store import ERROR, Store
from .study import Point

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    import pyarrow

TRIES = 3
MOST_WORKERS = 4096  # processes of this machine
# Interval at which Ctrl-C is checked and progress is reported, seconds of wall time.
POLL_S = 0.1

Tick = Callable[[Mapping[str, Any]], None]


@dataclass
class SweepResult:
    """Rows of all points that are finished, in the order of the study.

    `table` has the columns `point` (its number, from 1), the keys of the study, the results of the
    commands, and `error`: null, or why there is no result. `wall` has what depends on clock and
    worker: one row per point with `wall_s`, `worker` and `tries`. `summary` counts `points`, of
    these `finished` (with a stored result) and `failed` (with an error), and those `computed` now.
    """

    summary: dict[str, Any]
    table: pyarrow.Table = field(repr=False)
    wall: pyarrow.Table = field(repr=False)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One mapping per row of the table."""
        return self.table.to_pylist()

    @property
    def points(self) -> int:
        """Points of the study."""
        return int(self.summary["points"])

    @property
    def finished(self) -> int:
        """Points whose results are stored."""
        return int(self.summary["finished"])

    @property
    def failed(self) -> int:
        """Points that have an error instead of a result."""
        return int(self.summary["failed"])

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame; pandas must be installed."""
        return to_pandas(self.table)

    def _repr_html_(self) -> str:
        """The first rows of the table, for notebooks."""
        from .. import notebook

        counts = f"{self.finished} finished, {self.failed} failed"
        return notebook.table(f"{self.points} points", [counts], self.rows)

    def plot(
        self,
        x: str,
        y: str,
        by: str | Sequence[str] = (),
        ax: matplotlib.axes.Axes | None = None,
    ) -> matplotlib.axes.Axes:
        """Plot column `y` against column `x`, with a line for each value of the columns `by`.

        Where several points share an `x`, such as seeds, the line is their mean and a band covers
        minimum to maximum. A latency is drawn hollow, as a lower bound, if packets were still in
        flight at the end. Each of several columns `by` has its own colors, marks or dashes.
        """
        from .. import plot

        by = (by,) if isinstance(by, str) else tuple(by)
        wrong = Diagnostics()
        for at, name in (("x", x), ("y", y), *(("by", name) for name in by)):
            wrong.word(at, name, self.table.column_names, "a column")
        wrong.raise_any()
        return plot.sweep(self.rows, x, y, by, ax)


def sweep(
    study: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    tries: int = TRIES,
    tick: Tick | None = None,
    stop: core.Stop | None = None,
) -> SweepResult:
    """Run every point of a study that has no result yet, and return the table of all results.

    `study` is a file (docs/sweeps.md) or a mapping with the same tables: `{"base": {"command":
    "bench", "name": "allreduce", "machine": "aurora"}, "grid": {"nodes": [2, 64], "sizes": [8]}}`.
    Finished points are stored in `out`; the default is STUDY.sweep beside the file, and nothing for
    a mapping. Points run in `workers` processes of this machine (default: one per core), or on the
    Dask cluster of `scheduler`, an address or a scheduler file. A point whose process dies is tried
    `tries` times. Raises `InputError` before anything is started; later failures are reported in
    the table. `tick` is called with the progress, ten times per second.
    """
    wrong = Diagnostics()
    is_file = isinstance(study, (str, os.PathLike))
    tables = studies.read(wrong, study) if is_file else study
    if out is None and is_file and Path(study).name:
        out = Path(study).with_suffix(".sweep")
    workers = len(os.sched_getaffinity(0)) if workers is None else workers
    workers = wrong.whole("workers", workers, 1, MOST_WORKERS)
    tries = wrong.whole("tries", tries)
    passing = contextlib.nullcontext(out)
    if out is None:
        passing = tempfile.TemporaryDirectory(prefix="odonata-")
    with passing as place:
        store = Store(wrong, place)
        points = [] if is_file and tables is None else studies.points(wrong, tables)
        wrong.raise_any()
        executor: executors.Executor
        if scheduler is None:
            executor = executors.Local(workers, tries)
        else:
            executor = executors.Dask(scheduler, tries)
        with contextlib.closing(store):
            with contextlib.closing(executor):
                store.open(tables, [point.key for point in points])
                counts, failed = run_points(points, store, executor, tick, stop)
            table, wall = store.tables(points, failed)
    bad = {row["point"] for row in table.select(["point", ERROR]).to_pylist() if row[ERROR]}
    summary = {
        "odonata": version(),
        "kind": "sweep",
        "points": len(points),
        "finished": sum(store.has(point.key) for point in points),
        "failed": len(bad),
        **counts,
        "out": None if out is None else str(out),
    }
    return SweepResult(summary, table, wall)


def run_points(
    points: Sequence[Point],
    store: Store,
    executor: executors.Executor,
    tick: Tick | None,
    stop: core.Stop | None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Run all points without a stored result; return counts, and the errors of failed points."""
    first: dict[str, Point] = {}  # of equal points
    for point in points:
        first.setdefault(point.key, point)
    todo = [point for key, point in first.items() if not store.has(key)]
    failed: dict[str, str] = {}
    left, began, last = len(todo), time.monotonic(), 0.0
    reports: queue.Queue[executors.Report] = queue.Queue()
    own = core.Stop()
    stopper = stop or own
    with stopper:
        executor.start(todo, store, reports)
        while left and stopper.signal is None:
            with contextlib.suppress(queue.Empty):
                found = reports.get(timeout=POLL_S)
                if isinstance(found, BaseException):
                    raise found
                point, error = found
                left -= 1
                if error is not None:
                    failed[point.key] = error
            if tick is not None and time.monotonic() - last >= POLL_S:
                last = time.monotonic()
                counts = {"points": len(first), "left": left, "asked": len(todo)}
                tick({**counts, "failed": len(failed), "wall_s": last - began})
    if own.signal is not None:
        raise KeyboardInterrupt
    counts = {
        "asked": len(todo),
        "computed": len(todo) - left - len(failed),
        "interrupted": stopper.signal is not None,
        "wall_s": time.monotonic() - began,
    }
    return counts, failed
