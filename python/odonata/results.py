"""Results: their rows as typed mappings, and how they are saved, reported and shown.

Rows are plain mappings at run time, with column names that end in their unit. The `TypedDict`s
below give type checkers the type of each column; a key is absent where a benchmark does not
measure it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, cast

from . import tables

if TYPE_CHECKING:
    import pandas
    import pyarrow


class BenchRow(TypedDict, total=False):
    """One message size of a benchmark."""

    bytes: int
    latency_s: float  # seconds, mean over the ranks
    latency_min_s: float
    latency_max_s: float
    latency_p99_s: float  # 99 of 100 iterations take at most this long
    bandwidth_B_per_s: float  # bytes per second
    bandwidth_p99_B_per_s: float  # 99 of 100 iterations reach at least this rate
    messages_per_s: float
    algorithm: str
    method: str  # `exact` or `sampled`
    error: float  # relative, half of a 95 % confidence interval
    rounds: int
    rounds_played: int
    ranks_played: int
    band_low: float | None  # error bars, relative to the time
    band_high: float | None
    twin_nodes: int | None
    twin_error: float | None


class TrafficRow(TypedDict, total=False):
    """One offered load of synthetic traffic."""

    offered: float  # fraction of the injection rate
    accepted: float  # fraction of the injection rate
    latency_mean_s: float | None  # seconds, of the packets that arrived
    latency_p50_s: float | None
    latency_p99_s: float | None
    least_mean_s: float | None  # lower bound over all packets, seconds
    least_p50_s: float | None
    least_p99_s: float | None
    hops_mean: float | None
    nonminimal_fraction: float | None
    packets: int
    unfinished: int  # packets that had not arrived at the end
    alone_mean_s: float | None  # the same without background traffic, seconds
    alone_p99_s: float | None
    onsets: int
    holds: int
    digest: str


class TuneRow(TypedDict, total=False):
    """One algorithm at one message size on one number of nodes."""

    nodes: int
    ranks: int
    bytes: int
    algorithm: str
    latency_s: float | None  # seconds, mean over the ranks; None if not simulated
    latency_max_s: float | None
    method: str  # `exact` or `sampled`
    error: float  # relative, half of a 95 % confidence interval
    rounds: int
    rounds_played: int
    ranks_played: int
    messages: float  # sent per rank, mean
    bytes_sent: float  # per rank, mean
    network_bytes: float  # between nodes, whole call
    global_bytes: float  # between groups, whole call
    is_default: bool
    is_winner: bool


class JobRow(TypedDict, total=False):
    """One of several jobs."""

    name: str
    ranks: int
    nodes: int
    time_s: float  # seconds after the common start
    alone_s: float | None  # the same job alone, seconds
    slowdown: float | None  # time_s / alone_s
    messages: int
    bytes: int
    packets: int
    wire_bytes: int
    digest: str
    exit_code: int
    failure: Failure | None


class FailedRank(TypedDict, total=False):
    """What one rank did when the simulated job failed."""

    rank: int
    node: str
    call: str | None
    detail: str | None


class Failure(TypedDict, total=False):
    """Why a simulated job ended early."""

    kind: str  # such as `deadlock` or `abort`
    message: str
    ranks: list[FailedRank]


class Result:
    """A summary and its tables."""

    summary: dict[str, Any]
    data: dict[str, Any]

    @property
    def machine(self) -> str:
        """Name of the simulated machine."""
        return str(self.summary["machine"])

    @property
    def fidelity(self) -> str:
        """`packet`, `flow` or `loggp`."""
        return str(self.summary["fidelity"])

    @property
    def seed(self) -> int:
        """Seed of all random draws."""
        return int(self.summary["seed"])

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write `summary.json` and the tables as Parquet into a new or empty directory.

        `force` replaces an earlier result and removes its report; write the new report after
        `save`. Other files in the directory stay. A directory without a result is never changed.
        """
        tables.write(path, self.summary, self.data, force)

    def report(self, path: str | Path, force: bool = False) -> None:
        """Write the HTML report; `force` replaces a file that is not an odonata report.

        A `TuneResult` has no report and raises `InputError`.
        """
        from . import report

        report.write(path, self.summary, self.data, force)

    def _repr_html_(self) -> str:
        """A short table, and a plot if there is a curve, for notebooks."""
        from . import notebook

        return notebook.html(self)


Row = TypeVar("Row", bound=Mapping[str, Any])


class Sweep(Result, Generic[Row]):
    """A result with one row per message size, load or algorithm."""

    @property
    def rows(self) -> list[Row]:
        """One mapping per row; column names end in their unit."""
        return cast("list[Row]", tables.rows_of(self.summary["rows"]))

    @property
    def data(self) -> dict[str, Any]:  # type: ignore[override]
        """The table of a result directory: `rows`."""
        return {"rows": self.rows}

    @property
    def counters(self) -> pyarrow.Table:
        """NIC counters over all rows, one row per counter (docs/models/counters.md)."""
        return tables.table(self.summary.get("counters"))

    @property
    def table(self) -> pyarrow.Table:
        """The rows as Arrow; times in seconds, sizes in bytes."""
        return tables.table(self.summary["rows"])

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame; pandas must be installed."""
        return to_pandas(self.table)


def to_pandas(table: pyarrow.Table) -> pandas.DataFrame:
    """An Arrow table as a pandas data frame; `ImportError` names the fix if pandas is missing."""
    try:
        import pandas  # noqa: F401 - Arrow's message does not name the fix
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas: `pip install pandas`") from error
    return table.to_pandas()
