"""Tables: the core's rows as Arrow, and results on disk.

Column names carry their unit (`time_s`, `bytes`). A result directory holds one Parquet file a
table and `summary.json`; the latter is also how we recognize a directory as ours.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Complaints, InputError
from .files import naming

if TYPE_CHECKING:
    import pyarrow

FORMAT = "odonata-results/1"
SUMMARY = "summary.json"
REPORT = "report.html"
# How a file is known to be a report of ours; the report's `page.html` has it in its first lines.
MARK = '<meta name="generator" content="odonata">'


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


def check_out(wrong: Complaints, text: str | Path, force: bool) -> Path:
    """Where results go: a new or empty directory, or with `force` an earlier result of ours.

    That it can be written to is proven by writing, and what was made for that is removed.
    """
    wanted = "a new or empty directory"
    if not isinstance(text, (str, os.PathLike)) or not os.fspath(text):
        wrong.add("out", text or "an empty name", wanted)
        return Path()
    path = Path(os.path.abspath(os.path.expanduser(text)))
    try:
        if path.exists() and not path.is_dir():
            wrong.add("out", text, f"{wanted}, not a file")
        elif path.is_dir() and any(path.iterdir()) and not is_ours(path):
            wrong.add("out", text, f"{wanted}; this one holds files that are not results")
        elif path.is_dir() and any(path.iterdir()) and not force:
            wrong.add("out", text, wanted, "it holds an earlier result: --force replaces it")
        else:
            probe(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        wrong.add("out", text, f"a place that can be written to ({reason})")
    return path


def probe(path: Path) -> None:
    """Write into the directory to be, and leave everything as it was; `OSError` if that fails."""
    made = [p for p in (path, *path.parents) if not p.exists()]
    trial = path / f".odonata-{os.getpid()}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        trial.write_bytes(b"written\n")
    finally:
        with contextlib.suppress(OSError):
            trial.unlink()
        remove_empty(made)


def is_ours(path: Path) -> bool:
    """Whether a directory holds results that we wrote."""
    try:
        return json.loads((path / SUMMARY).read_text(encoding="utf-8"))["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        return False


def is_report(path: Path) -> bool:
    """Whether a file is a report that we wrote."""
    with path.open("rb") as file:
        return MARK.encode() in file.read(4096)


def write(
    path: str | Path,
    summary: Mapping[str, Any],
    tables: Mapping[str, Any],
    force: bool = False,
    texts: Mapping[str, str] | None = None,
) -> None:
    """Write a result directory, unless something else is there."""
    wrong = Complaints()
    checked = check_out(wrong, path, force)
    wrong.raise_any()
    put(checked, summary, tables, texts or {})


def put(
    path: Path, summary: Mapping[str, Any], tables: Mapping[str, Any], texts: Mapping[str, str]
) -> None:
    """Write to where `check_out` allowed; `texts` are files of other forms, by name.

    All is written beside what is there, and takes its place when all is whole: what does not fit
    leaves the directory as it was. `summary.json` comes last, and says so.
    """
    from pyarrow import parquet

    made = [p for p in (path, *path.parents) if not p.exists()]
    parts: dict[Path, Path] = {}
    texts = {**texts, SUMMARY: json.dumps({"format": FORMAT, **summary}, indent=1) + "\n"}

    def part(name: str) -> Path:
        return parts.setdefault(path / name, path / f"{name}.part")

    try:
        path.mkdir(parents=True, exist_ok=True)
        for name, value in tables.items():
            columns = table(value)
            if columns.num_columns:
                with naming(path / f"{name}.parquet"):
                    parquet.write_table(columns, part(f"{name}.parquet"))
        for name, text in texts.items():
            with naming(path / name):
                part(name).write_text(text, encoding="utf-8")
    except BaseException:
        for written in parts.values():
            with contextlib.suppress(OSError):
                written.unlink()
        remove_empty(made)
        raise
    if is_ours(path):
        for old in (path / SUMMARY, *beside(path), *path.glob("*.parquet")):
            old.unlink(missing_ok=True)
    for whole, written in parts.items():
        written.replace(whole)


def remove_empty(directories: Iterable[Path]) -> None:
    """Remove directories, inner ones first, of which nothing has come."""
    for directory in directories:
        with contextlib.suppress(OSError):
            directory.rmdir()


def beside(path: Path) -> Iterable[Path]:
    """Files of other forms beside an earlier result: its report, and what `odonata tune` wrote."""
    with contextlib.suppress(OSError):
        if is_report(path / REPORT):
            yield path / REPORT
    summary = json.loads((path / SUMMARY).read_text(encoding="utf-8"))
    listed = summary.get("files")
    for file in listed if isinstance(listed, list) else ():
        name = file.get("name") if isinstance(file, dict) else None
        if isinstance(name, str) and (path / name).is_file() and Path(name).name == name:
            yield path / name


def read(path: Path) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """A result directory: the summary, and every table as rows."""
    from pyarrow import ArrowException, parquet

    names: Iterable[Path] = sorted(path.glob("*.parquet"))
    try:
        summary = json.loads((path / SUMMARY).read_text(encoding="utf-8"))
        return summary, {p.stem: parquet.read_table(p).to_pylist() for p in names}
    except (OSError, ValueError, ArrowException) as error:
        raise damaged(path, str(error).splitlines()[0]) from None


def damaged(path: Path, reason: str) -> InputError:
    """What to raise about results that cannot be read."""
    wrong = Complaints()
    wrong.add("rundir", path, f"results as `odonata run --out` wrote them ({reason})")
    return InputError(wrong.list)
