"""Tables: the core's rows as Arrow, and results on disk.

Column names carry their unit (`time_s`, `bytes`). A result directory holds one Parquet file a
table and `summary.json`, which names them; that is also how we know a directory as ours, and which
files in it: others may lie beside them, and are never touched.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Complaints, InputError
from .files import naming

if TYPE_CHECKING:
    import pyarrow

FORMAT = "odonata-results/1"
SUMMARY = "summary.json"
REPORT = "report.html"
# Results from before `summary.json` had `tables` may have any of these.
UNNAMED = ("background", "calls", "counters", "distance", "jobs", "link_kinds", "links",
           "messages", "ranks", "rows")  # fmt: skip
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
    return summary_of(path / SUMMARY) is not None


def summary_of(file: Path) -> dict[str, Any] | None:
    """A summary that we wrote; None of anything else."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return found if found["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def table_files(summary: Mapping[str, Any], path: Path) -> list[Path]:
    """The files of the tables of an earlier result."""
    listed = summary.get("tables", UNNAMED)
    return files_in(path, [f"{name}.parquet" for name in each(listed)])


def each(value: Any) -> Sequence[Any]:
    """What is in a list; nothing of what is none, as where somebody has edited a summary."""
    return value if isinstance(value, (list, tuple)) else ()


def files_in(path: Path, names: Iterable[Any]) -> list[Path]:
    """Those of `names` that are files of the directory itself."""
    plain = [name for name in names if isinstance(name, str) and Path(name).name == name]
    return [path / name for name in plain if (path / name).is_file()]


def earlier(path: Path) -> set[Path]:
    """What of a directory is an earlier result, the report on it included: what may be replaced."""
    summary = summary_of(path / SUMMARY)
    if summary is None:
        return set()
    listed = [file.get("name") for file in each(summary.get("files")) if isinstance(file, dict)]
    found = {path / SUMMARY, *table_files(summary, path), *files_in(path, listed)}
    with contextlib.suppress(OSError):
        if is_report(path / REPORT):
            found.add(path / REPORT)
    return found


def is_report(path: Path) -> bool:
    """Whether a file is a report that we wrote."""
    if not path.is_file():  # a pipe would not be read to its end
        return False
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
    columns = {name: table(value) for name, value in tables.items()}
    columns = {name: value for name, value in columns.items() if value.num_columns}
    about = {"format": FORMAT, "tables": list(columns), **summary}
    texts = {**texts, SUMMARY: json.dumps(about, indent=1) + "\n"}

    def part(name: str) -> Path:
        return parts.setdefault(path / name, path / f"{name}.part")

    try:
        path.mkdir(parents=True, exist_ok=True)
        for name, value in columns.items():
            with naming(path / f"{name}.parquet"):
                parquet.write_table(value, part(f"{name}.parquet"))
        for name, text in texts.items():
            with naming(path / name):
                part(name).write_text(text, encoding="utf-8")
    except BaseException:
        for written in parts.values():
            with contextlib.suppress(OSError):
                written.unlink()
        remove_empty(made)
        raise
    for old in earlier(path):
        old.unlink(missing_ok=True)
    for whole, written in parts.items():
        written.replace(whole)


def remove_empty(directories: Iterable[Path]) -> None:
    """Remove directories, inner ones first, of which nothing has come."""
    for directory in directories:
        with contextlib.suppress(OSError):
            directory.rmdir()


def read(path: Path) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """A result directory: the summary, and every table as rows."""
    from pyarrow import ArrowException, parquet

    try:
        summary = json.loads((path / SUMMARY).read_text(encoding="utf-8"))
        files = table_files(summary, path)
        return summary, {file.stem: parquet.read_table(file).to_pylist() for file in files}
    except (OSError, ValueError, ArrowException) as error:
        raise damaged(path, str(error).splitlines()[0]) from None


def damaged(path: Path, reason: str) -> InputError:
    """What to raise about results that cannot be read."""
    wrong = Complaints()
    wrong.add("rundir", path, f"results as `odonata run --out` wrote them ({reason})")
    return InputError(wrong.list)
