"""Sweeps: many questions asked at once, on the cores of this machine or on a Dask cluster.

`odonata.sweep("study.toml")` asks what `odonata sweep study.toml` does. What is finished is on
disk and never computed again, however the sweep ends.
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
from . import crew
from . import study as studies
from .store import ERROR, Store
from .study import Point

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    import pyarrow

TRIES = 3
MOST_WORKERS = 4096  # processes of this machine
# How often Ctrl-C is listened for and the progress is told, seconds of wall time.
LOOK_S = 0.1

Tick = Callable[[Mapping[str, Any]], None]


@dataclass
class SweepResult:
    """Rows of all points that are finished, in the order of the study.

    `table` has the columns `point` (its number, from 1), the keys of the questions, what the
    commands answered, and `error`: null, or why there is no answer. What depends on the clock and
    on who computed is apart, in `wall`: a row a point with `wall_s`, `worker` and `tries`.
    `summary` counts `points`, of these `finished` (their answers are kept) and `failed` (they have
    an error), and those `computed` now.
    """

    summary: dict[str, Any]
    table: pyarrow.Table = field(repr=False)
    wall: pyarrow.Table = field(repr=False)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One mapping a row of the table."""
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
        """Column `y` against column `x`, a line for each value of the columns `by`.

        Where several points share an `x`, such as seeds, the line is their mean and a band goes
        from the least to the most. A latency that packets had not come for is drawn hollow, as what
        it is at least. Of several columns `by` each has colors, marks or dashes of its own.
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
    """Ask every question of a study that is not answered yet; the table of all answers.

    `study` is a file (docs/sweeps.md) or a mapping with the same tables: `{"base": {"command":
    "bench", "name": "allreduce", "machine": "aurora"}, "grid": {"nodes": [2, 64], "sizes": [8]}}`.
    Finished points are kept in `out`: STUDY.sweep beside the file unless said; of a mapping nothing
    is kept unless `out` is given. `workers` processes of this machine (as many as it has cores) or
    the Dask cluster of `scheduler`, an address or a scheduler file, compute. A point whose process
    dies is tried `tries` times. Raises `InputError` before anything is started; what fails later
    is told in the table. `tick` hears of progress, ten times a second.
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
        hands: crew.Crew
        hands = crew.Local(workers, tries) if scheduler is None else crew.Dask(scheduler, tries)
        with contextlib.closing(store):
            with contextlib.closing(hands):
                store.open(tables, [point.key for point in points])
                counts, failed = ask(points, store, hands, tick, stop)
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


def ask(
    points: Sequence[Point],
    store: Store,
    hands: crew.Crew,
    tick: Tick | None,
    stop: core.Stop | None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Have a crew answer what the store does not know: counts, and errors of those given up."""
    first: dict[str, Point] = {}  # of points that ask the same
    for point in points:
        first.setdefault(point.key, point)
    todo = [point for key, point in first.items() if not store.has(key)]
    failed: dict[str, str] = {}
    left, began, last = len(todo), time.monotonic(), 0.0
    told: queue.Queue[crew.Told] = queue.Queue()
    own = core.Stop()
    heard = stop or own
    with heard:
        hands.start(todo, store, told)
        while left and heard.signal is None:
            with contextlib.suppress(queue.Empty):
                found = told.get(timeout=LOOK_S)
                if isinstance(found, BaseException):
                    raise found
                point, error = found
                left -= 1
                if error is not None:
                    failed[point.key] = error
            if tick is not None and time.monotonic() - last >= LOOK_S:
                last = time.monotonic()
                counts = {"points": len(first), "left": left, "asked": len(todo)}
                tick({**counts, "failed": len(failed), "wall_s": last - began})
    if own.signal is not None:
        raise KeyboardInterrupt
    counts = {
        "asked": len(todo),
        "computed": len(todo) - left - len(failed),
        "interrupted": heard.signal is not None,
        "wall_s": time.monotonic() - began,
    }
    return counts, failed
