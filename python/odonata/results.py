"""Results: their rows as typed mappings, and how they are saved, reported and shown.

Rows are plain mappings at run time, with column names that end in their unit. The `TypedDict`s
below and in `_vocabulary` give type checkers the type of each column; a key is absent where a
benchmark does not measure it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, cast

from . import _vocabulary, tables
from ._vocabulary import TrafficRow as TrafficRow

if TYPE_CHECKING:
    import pandas
    import pyarrow


class Ends(TypedDict, total=False):
    """The band of a result, in its unit; `summary["bands"]` describes it. None if its kind has no
    measurements."""

    low: float | None
    high: float | None


class BenchRow(_vocabulary.BenchRow, Ends, total=False):
    """A message size of a benchmark."""


class TuneRow(_vocabulary.TuneRow, Ends, total=False):
    """An algorithm at a message size."""


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
        """Write the HTML report; `force` replaces a file that is not an odonata report."""
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
