"""Tables: the core's rows as Arrow, and results on disk.

Column names end in their unit (`time_s`, `bytes`). A result directory holds one Parquet file per
table and `summary.json`, which names them. `summary.json` identifies a directory as a result and
lists the files that belong to it. Other files in the directory are never changed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from .errors import Diagnostics, InputError
from .files import is_passing, naming, passing, read_text

if TYPE_CHECKING:
    import pyarrow

FORMAT = "odonata-results/1"
SUMMARY = "summary.json"
REPORT = "report.html"
TRIAL = "trial"
# Limits on a table that is read: 2^25 rows of a record, which take 4 GB.
MOST_CELLS = 15 << 25
MOST_BYTES = 3 << 30
LOCK_NOTICE_S = 1  # waiting time for a lock before a message is printed, seconds of wall time
# Files of results whose `summary.json` has no `contents`.
TABLES = ("background", "calls", "counters", "distance", "jobs", "link_kinds", "links",
          "messages", "ranks", "rows")  # fmt: skip
# Identifies a file as a report; `report/page.html` has it in its first lines.
MARK = '<meta name="generator" content="odonata">'


def rows_of(value: Any) -> list[dict[str, Any]]:
    """A table as rows, from rows or from columns."""
    if isinstance(value, Mapping):
        names = list(value)
        return [dict(zip(names, row, strict=True)) for row in zip(*value.values(), strict=True)]
    return [dict(row) for row in value or ()]


def table(value: Any) -> pyarrow.Table:
    """A table as Arrow, which pandas and Polars read without a copy."""
    import pyarrow

    if isinstance(value, Mapping):
        return pyarrow.table(dict(value))
    return pyarrow.Table.from_pylist(list(value or ()))


def check_out(wrong: Diagnostics, text: str | Path, force: bool) -> Path:
    """The directory for results: new or empty, or with `force` an earlier result.

    A trial file is written and removed to check that the directory is writable.
    """
    wanted = "a new or empty directory"
    if not isinstance(text, (str, os.PathLike)) or not os.fspath(text):
        wrong.add("out", text or "an empty name", wanted)
        return Path()
    path = Path(os.path.abspath(os.path.expanduser(text)))
    try:
        holds_any = path.is_dir() and not all(map(is_passing, path.iterdir()))
        if path.exists() and not path.is_dir():
            wrong.add("out", text, f"{wanted}, not a file")
        elif holds_any and not earlier(path):
            wrong.add("out", text, f"{wanted}; this one holds files that are not results")
        elif holds_any and not force:
            wrong.add("out", text, wanted, "it holds an earlier result: --force replaces it")
        elif holds_any and (strange := taken(all_places(path), earlier(path))):
            wrong.add("out", text, f"{wanted}; `{strange.name}` in it is no result")
        else:
            probe(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        wrong.add("out", text, f"a place that can be written to ({reason})")
    return path


def probe(path: Path) -> None:
    """Write and remove a trial file where the directory is or will be; `OSError` if that fails.

    The directory itself is not created, since a concurrent process may be about to create it.
    """
    for nearest in (path, *path.parents):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            nearest.lstat()  # a dangling link exists here and fails below
            break
    trial = passing(nearest / TRIAL)
    try:
        trial.write_bytes(b"written\n")
    finally:
        with contextlib.suppress(OSError):
            trial.unlink()


def is_trial(path: Path) -> bool:
    """Whether a file is the trial of `probe`, which a killed process leaves behind."""
    return is_passing(path) and path.name.endswith(f"-{TRIAL}")


def is_ours(path: Path) -> bool:
    """Whether a directory holds results of odonata."""
    return summary_of(path / SUMMARY) is not None


def summary_of(file: Path) -> dict[str, Any] | None:
    """The summary in a file that odonata wrote; None of any other file."""
    try:
        if file.is_file():  # reading a pipe might not end
            found = json.loads(read_text(file))
            return found if found["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return None


def contents(summary: Mapping[str, Any], path: Path) -> list[Path]:
    """The files of an earlier result except its summary."""
    names = summary.get("contents")
    if names is None:
        texts = [text.get("name") for text in each(summary.get("files")) if isinstance(text, dict)]
        names = [*(f"{name}.parquet" for name in TABLES), *texts]
    plain = [name for name in each(names) if isinstance(name, str) and Path(name).name == name]
    return [path / name for name in plain if os.path.isfile(path / name)]


def each(value: Any) -> Sequence[Any]:
    """The elements of a list; none of any other value, as in an edited summary."""
    return value if isinstance(value, list) else ()


def earlier(path: Path) -> set[Path]:
    """Files of a directory that belong to an earlier result, its report included.

    They may be replaced. Files of a process that was killed before it moved its summary count too;
    the waiting summary names them.
    """
    found = set()
    waiting = [file for file in leftovers(path) if file.name.endswith(f"-{SUMMARY}")]
    for file in (path / SUMMARY, *waiting):
        if (summary := summary_of(file)) is not None:
            found |= {file, *contents(summary, path)}
    with contextlib.suppress(OSError):
        if found and is_report(path / REPORT):
            found.add(path / REPORT)
    return found


def leftovers(path: Path) -> set[Path]:
    """Temporary files in a directory, left by writes that did not end."""
    files = path.iterdir() if path.is_dir() else ()
    return {file for file in files if is_passing(file) and file.is_file()}


def all_places(path: Path) -> list[Path]:
    """All paths that a result may use in a directory."""
    return [path / SUMMARY, *(path / f"{name}.parquet" for name in TABLES)]


def is_place(path: Path, file: Any) -> bool:
    """Whether a result in a directory may use the path of this file."""
    if not isinstance(file, (str, os.PathLike)):
        return False
    return Path(os.path.abspath(file)) in (*all_places(path), path / REPORT)


def taken(places: Iterable[Path], old: set[Path]) -> Path | None:
    """The first of these paths that exists and does not belong to an earlier result."""
    return next((p for p in places if p not in old and os.path.lexists(p)), None)


def is_report(path: Path) -> bool:
    """Whether a file is a report of odonata."""
    if not path.is_file():
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
    """Write a result directory; `InputError` if it holds other files."""
    wrong = Diagnostics()
    checked = check_out(wrong, path, force)
    wrong.raise_any()
    put(checked, summary, tables, texts or {}, force)


def put(
    path: Path,
    summary: Mapping[str, Any],
    tables: Mapping[str, Any],
    texts: Mapping[str, str],
    force: bool = False,
    notify: Callable[[str], None] | None = None,
) -> None:
    """Write to the place that `check_out` accepted. `texts` are further files by name; `notify` is
    called with the reason if this waits for long.

    All files are written under temporary names first and moved when all are complete, so a full
    disk leaves the directory unchanged. `summary.json` is moved last: a directory that has one is
    complete.
    """
    made = [p for p in (path, *path.parents) if not p.exists()]
    columns = {name: table(value) for name, value in tables.items()}
    columns = {name: value for name, value in columns.items() if value.num_columns}
    names = [*(f"{name}.parquet" for name in columns), *texts]
    about = {**summary, "format": FORMAT, "contents": names}
    texts = {**texts, SUMMARY: json.dumps(about, indent=1) + "\n"}
    token = os.urandom(8).hex()
    parts = {path / name: passing(path / name, token) for name in (*names, SUMMARY)}
    away = passing(path / SUMMARY)  # temporary name of the earlier summary
    is_whole = False
    try:
        path.mkdir(parents=True, exist_ok=True)
        with alone(path, notify) as is_alone:
            path.mkdir(parents=True, exist_ok=True)  # the earlier owner of the lock may have failed
            left, old = leftovers(path), earlier(path)
            check_places(path, parts, old, is_free=force or not old - left)
            old = old | left if is_alone else old - left
            write_parts(parts, columns, texts)
            is_whole = True
            try:
                take_places(parts, old, away)
            except KeyboardInterrupt:  # between two files: complete the move
                take_places(parts, old, away)
                raise
    except BaseException:
        # After the move has begun both summaries stay: they name the files to replace next time.
        has_begun = is_whole and not all(part.exists() for part in parts.values())
        if not has_begun:
            with contextlib.suppress(OSError):
                away.replace(path / SUMMARY)
        for whole, part in parts.items():
            if not (has_begun and whole.name == SUMMARY):
                with contextlib.suppress(OSError):
                    part.unlink()
        remove_empty(made)
        raise


@contextlib.contextmanager
def alone(path: Path, notify: Callable[[str], None] | None = None) -> Iterator[bool]:
    """Inside, no other process of this host puts results into a directory. False if it cannot be
    locked. Locks on NFS do not reach other hosts."""
    is_alone = False
    held = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            wait_for(held, path, notify)
            is_alone = True
        yield is_alone
    finally:
        os.close(held)


def wait_for(held: int, path: Path, notify: Callable[[str], None] | None) -> None:
    """Lock an open directory, with a message if another process holds the lock for long."""
    if notify is None:
        fcntl.flock(held, fcntl.LOCK_EX)
        return
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    words = f"waiting for another run, which is writing its results to {os.path.relpath(path)}"
    timer = threading.Timer(LOCK_NOTICE_S, notify, (words,))  # a lock has no time limit
    timer.daemon = True
    timer.start()
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
    finally:
        timer.cancel()


def write_parts(
    parts: Mapping[Path, Path], columns: Mapping[str, pyarrow.Table], texts: Mapping[str, str]
) -> None:
    """Write tables and texts under their temporary names."""
    from pyarrow import parquet

    for whole, part in parts.items():
        # Arrow rejects names that are not Unicode, but accepts an open file.
        with naming(whole), part.open("wb") as file:
            if whole.name in texts:
                file.write(texts[whole.name].encode())
            else:
                parquet.write_table(columns[whole.stem], file)


def check_places(path: Path, places: Iterable[Path], old: set[Path], is_free: bool) -> None:
    """`FileExistsError` if another run has written results meanwhile, or another file is there."""
    if not is_free:
        raise FileExistsError(errno.EEXIST, "another run's results came there meanwhile", str(path))
    if strange := taken(places, old):
        raise FileExistsError(errno.EEXIST, "that is no result of ours", str(strange))


def take_places(parts: Mapping[Path, Path], old: set[Path], away: Path) -> None:
    """Move complete files to their names and remove the files they replace.

    A second call continues an interrupted move.
    """
    *first, (summary, waiting) = parts.items()
    if not waiting.exists():
        return
    moves = [(summary, away)] if summary in old else []
    for source, target in [*moves, *((part, whole) for whole, part in first)]:
        if source.exists():
            with naming(summary if target == away else target):
                source.replace(target)
    for gone in (*sorted(old - set(parts)), away):  # last, since it names the others
        with contextlib.suppress(OSError):  # not named by the new summary
            gone.unlink()
    with naming(summary):
        waiting.replace(summary)


def remove_empty(directories: Iterable[Path]) -> None:
    """Remove directories that are empty, inner ones first."""
    for directory in directories:
        with contextlib.suppress(OSError):
            directory.rmdir()


def read(path: Path) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """A result directory: the summary, and every table as rows."""
    from pyarrow import ArrowException

    try:
        summary = json.loads(read_text(path / SUMMARY))
        data = {}
        for file in contents(summary, path):
            if file.suffix == ".parquet":
                with file.open("rb") as opened:
                    data[file.stem] = read_parquet(opened).to_pylist()
        return summary, data
    except (OSError, ValueError, RecursionError, ArrowException) as error:
        raise damaged(path, (str(error).splitlines() or ["unreadable"])[0]) from None


def read_parquet(file: BinaryIO) -> pyarrow.Table:
    """The table in an open Parquet file.

    Read by this thread alone. A thread of Arrow may still hold the file when Python ends; its
    release then needs the interpreter and aborts the process (apache/arrow 34314).
    """
    from pyarrow import parquet

    return table_of(parquet.ParquetFile(file, pre_buffer=False))


def table_of(file: Any) -> pyarrow.Table:
    """The content of an open `ParquetFile`; `ValueError` beyond `MOST_CELLS` or `MOST_BYTES`.

    A small file may hold very many equal values. Only the counts of the metadata are read, because
    pyarrow aborts the process on damaged metadata of a column.
    """
    import pyarrow

    cells = file.metadata.num_rows * file.metadata.num_columns
    if cells > MOST_CELLS:
        raise ValueError(f"{cells:,} values, where at most {MOST_CELLS:,} are read")
    found, size = [], 0
    for batch in file.iter_batches(use_threads=False):
        size += batch.nbytes
        if size > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES:,} bytes of values")
        found.append(batch)
    return pyarrow.Table.from_batches(found, file.schema_arrow)


def damaged(path: Path, reason: str) -> InputError:
    """The error for results that cannot be read."""
    wrong = Diagnostics()
    wrong.add("rundir", path, f"results as `odonata run --out` wrote them ({reason})")
    return InputError(wrong.list)
