"""What every result can do: be saved, reported and handed to pandas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import tables

if TYPE_CHECKING:
    import pandas
    import pyarrow


class Result:
    """A summary and its tables."""

    summary: dict[str, Any]
    data: dict[str, Any]

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write `summary.json` and the tables as Parquet into a new or empty directory.

        `force` replaces an earlier result, and removes the report beside it: `save` first, then
        `report`. Other files beside it stay; a directory of anything else is never touched.
        """
        tables.write(path, self.summary, self.data, force)

    def report(self, path: str | Path, force: bool = False) -> None:
        """Write the HTML report; `force` replaces a file that is not a report of ours.

        Runs, replays, jobs, benchmarks and traffic have one; a `TuneResult` raises `InputError`.
        """
        from . import report

        report.write(path, self.summary, self.data, force)


class Sweep(Result):
    """A result of rows, one a size or a load."""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One mapping a row."""
        return tables.rows_of(self.summary["rows"])

    @property
    def data(self) -> dict[str, Any]:  # type: ignore[override]
        """The rows as the one table of a result directory."""
        return {"rows": self.rows}

    @property
    def counters(self) -> pyarrow.Table:
        """What NICs counted, all rows together: one row a counter (docs/models/counters.md)."""
        return tables.table(self.summary.get("counters"))

    @property
    def table(self) -> pyarrow.Table:
        """The rows as Arrow; times in seconds, sizes in bytes."""
        return tables.table(self.summary["rows"])

    def to_pandas(self) -> pandas.DataFrame:
        """The table for pandas, which must be installed."""
        try:
            import pandas  # noqa: F401 - Arrow's own message does not say what to do
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: `pip install pandas`") from error
        return self.table.to_pandas()
