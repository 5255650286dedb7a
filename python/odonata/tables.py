"""Tables: the core's rows as Arrow, and results on disk.

Column names carry their unit (`time_s`, `bytes`). A result directory holds one Parquet file a
table and `summary.json`; the latter is also how we recognise a directory as ours.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Complaints

if TYPE_CHECKING:
    import pyarrow

FORMAT = "odonata-results/1"
SUMMARY = "summary.json"


def rows_of(value: Any) -> list[dict[str, Any]]:
    """A table as rows, whether it came as rows or as columns."""
    if isinstance(value, Mapping):
        names = list(value)
        return [dict(zip(names, row, strict=True)) for row in zip(*value.values(), strict=True)]
    return [dict(row) for row in value or ()]


def table(value: Any) -> pyarrow.Table:
    """A table as Arrow; pandas and Polars take it without a copy."""
    import pyarrow

    if isinstance(value, Mapping):
        return pyarrow.table(dict(value))
    return pyarrow.Table.from_pylist(list(value or ()))


def check_out(wrong: Complaints, text: str, force: bool) -> Path:
    """Where results go: a new or empty directory, or with `force` an earlier result of ours."""
    path = Path(os.path.abspath(os.path.expanduser(text)))
    wanted = "a new or empty directory"
    if path.exists() and not path.is_dir():
        wrong.add("--out", text, f"{wanted}, not a file")
    elif path.is_dir() and any(path.iterdir()):
        if not is_ours(path):
            wrong.add("--out", text, f"{wanted}; this one holds files that are not results")
        elif not force:
            wrong.add("--out", text, wanted, "it holds an earlier result: --force replaces it")
    if path.is_dir():
        parent = path
    else:
        parent = next((p for p in path.parents if p.exists()), path)
    if not os.access(parent, os.W_OK | os.X_OK):
        wrong.add("--out", text, f"a place that can be written to (`{parent}` cannot)")
    return path


def is_ours(path: Path) -> bool:
    """Whether a directory holds results that we wrote."""
    try:
        return json.loads((path / SUMMARY).read_text())["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        return False


def write(path: Path, summary: Mapping[str, Any], tables: Mapping[str, Any]) -> None:
    """Write a result directory. `summary.json` comes last: where it is, the rest is whole."""
    from pyarrow import parquet

    path.mkdir(parents=True, exist_ok=True)
    if is_ours(path):
        for old in (path / SUMMARY, path / "trace.json", *path.glob("*.parquet")):
            old.unlink(missing_ok=True)
    for name, value in tables.items():
        columns = table(value)
        if columns.num_columns:
            parquet.write_table(columns, path / f"{name}.parquet")
    text = json.dumps({"format": FORMAT, **summary}, indent=1) + "\n"
    part = path / (SUMMARY + ".part")
    part.write_text(text)
    part.replace(path / SUMMARY)


def read(path: Path) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """A result directory: the summary, and every table as rows."""
    from pyarrow import parquet

    summary = json.loads((path / SUMMARY).read_text())
    names: Iterable[Path] = sorted(path.glob("*.parquet"))
    return summary, {p.stem: parquet.read_table(p).to_pylist() for p in names}
