"""The files of a sweep.

    DIR/sweep.json       the study; it identifies the directory of a sweep
    DIR/points/KEY.parquet   a finished point, written atomically
    DIR/attempts.jsonl   a line whenever a point is started or finished
    DIR/table.parquet    all rows, in the order of the study
    DIR/wall.parquet     the wall time and worker of each point

One sweep at a time writes. It holds `lock`, which is released when its process ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Diagnostics
from ..files import is_passing, read_text, why
from ..machines import toml_value
from ..tables import is_trial, probe, read_parquet
from ..version import version
from .study import Point

if TYPE_CHECKING:
    import pyarrow

FORMAT = "odonata-sweep/1"
ERROR = "error"  # the last column: null, or why there is no result
COST = ("wall_s", "worker", "tries")  # of a point; stored in a separate table
_META = b"odonata"


class Store:
    """A sweep's directory, held until `close`."""

    def __init__(self, wrong: Diagnostics, path: str | Path):
        self.path = Path(os.path.abspath(os.path.expanduser(path)))
        self._lock: int | None = None
        self._kept: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {}
        self._log = threading.Lock()
        wanted = "a new or empty directory, or an earlier sweep's"
        try:
            if self.path.exists() and not self.path.is_dir():
                wrong.add("out", path, f"{wanted}, not a file")
            elif self.path.is_dir() and any(self.path.iterdir()) and not is_ours(self.path):
                wrong.add("out", path, f"{wanted}; this one holds other files")
            else:
                probe(self.path)
        except (OSError, ValueError) as error:
            wrong.add("out", path, f"a place that can be written to ({why(error)})")

    def open(self, study: Mapping[str, Any], keys: Iterable[str]) -> None:
        """Lock the directory and read which of `keys` are finished. `InputError` if another sweep
        holds the lock."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wrong = Diagnostics()
            wrong.add("out", self.path, "a directory that no other sweep writes to just now")
            wrong.raise_any()
        # Remove temporary files of killed sweeps. A process that tests just now whether it may
        # write here does not mind; other files of passing names may be a result's that is written.
        for part in [*self.path.rglob("*.part"), *filter(is_trial, self.path.iterdir())]:
            part.unlink(missing_ok=True)
        about = {"format": FORMAT, "odonata": version(), "study": study}
        self._write(self.path / "sweep.json", json.dumps(about, indent=1, default=str).encode())
        (self.path / "points").mkdir(exist_ok=True)
        for key in set(keys):
            self._recall(key)

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def has(self, key: str) -> bool:
        """Whether a point is finished."""
        return key in self._kept

    def _file(self, key: str) -> Path:
        return self.path / "points" / f"{key}.parquet"

    def _recall(self, key: str) -> None:
        """Read a finished point. A damaged file counts as missing and is replaced."""
        from pyarrow import ArrowException

        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, ArrowException):
            with self._file(key).open("rb") as file:
                found = read_parquet(file)
            self._kept[key] = found.to_pylist(), json.loads(found.schema.metadata[_META])

    def begun(self, point: Point) -> None:
        """Record that a point is started."""
        self._note({"point": point.number, "key": point.key, "begun": time.time()})

    def put(self, point: Point, answer: Mapping[str, Any]) -> None:
        """Store a finished point. Afterwards neither a crash nor a power failure loses it.

        Columns of the point's keys are not repeated; where names coincide, the row's are kept.
        """
        about = {k: v for k, v in answer["about"].items() if k not in point.columns()}
        rows = [{**about, **row, ERROR: None} for row in answer["rows"] or [{}]]
        rows[-1][ERROR] = answer["error"]
        cost = {name: answer[name] for name in COST}
        found = columns(rows).replace_schema_metadata({_META: json.dumps(cost)})
        self._write_table(self._file(point.key), found)
        self._kept[point.key] = found.to_pylist(), cost
        self._note({"point": point.number, "key": point.key, "finished": time.time(), **cost})

    def tables(
        self, points: Sequence[Point], failed: Mapping[str, str]
    ) -> tuple[pyarrow.Table, pyarrow.Table]:
        """Return and write all rows in the order of the study, and the cost of each point.

        `failed` has the error of each point without a result, by key.
        """
        rows: list[dict[str, Any]] = []
        costs: list[dict[str, Any]] = []
        for point in points:
            head = {"point": point.number, **point.columns()}
            if point.key in self._kept:
                found, cost = self._kept[point.key]
                costs.append({"point": point.number, **cost})
            elif point.key in failed:
                found = [{ERROR: failed[point.key]}]
            else:
                continue
            rows += [{**head, **row} for row in found]
        keys_of_points = (name for point in points for name in point.columns())
        answered = (
            name for row in rows for name, cell in row.items() if cell is not None and name != ERROR
        )
        names = dict.fromkeys(["point", *keys_of_points, *answered])
        every = columns(rows, [*names, ERROR]), columns(costs, ["point", *COST])
        for name, found in zip(("table", "wall"), every, strict=True):
            self._write_table(self.path / f"{name}.parquet", found)
        return every

    def _write_table(self, path: Path, table: pyarrow.Table) -> None:
        import pyarrow
        from pyarrow import parquet

        sink = pyarrow.BufferOutputStream()
        parquet.write_table(table, sink)
        self._write(path, sink.getvalue())

    def _write(self, path: Path, content: Any) -> None:
        """Write a file atomically and flush it to the disk."""
        part = path.with_name(f"{path.name}.{threading.get_ident()}.part")
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)  # else a power failure loses the new name
        finally:
            os.close(directory)

    def _note(self, what: Mapping[str, Any]) -> None:
        with self._log, open(self.path / "attempts.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(what) + "\n")


def is_ours(path: Path) -> bool:
    """Whether a directory belongs to a sweep, even one that was killed at its start."""
    if all(p.name == "lock" or p.suffix == ".part" or is_passing(p) for p in path.iterdir()):
        return True
    try:
        return json.loads(read_text(path / "sweep.json"))["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def columns(rows: Sequence[Mapping[str, Any]], names: Sequence[str] | None = None) -> pyarrow.Table:
    """Rows as Arrow, columns in the order of `names` or of their first cells."""
    import pyarrow

    if names is None:
        names = list(dict.fromkeys(name for row in rows for name in row))
    return pyarrow.table({name: column([row.get(name) for row in rows], name) for name in names})


def column(cells: Sequence[Any], name: str) -> pyarrow.Array:
    """Cells of one type: whole numbers, else numbers, else text; null for missing ones.

    The type of a name depends on the command: `nodes` is a number or a list.
    """
    import pyarrow

    kinds = {type(cell) for cell in cells if cell is not None}
    if name == ERROR or not (kinds <= {int, float} or kinds == {bool}):
        texts = [None if cell is None else toml_value(cell) for cell in cells]
        return pyarrow.array(texts, pyarrow.string())
    if kinds == {int} and all(cell is None or abs(cell) < 2**63 for cell in cells):
        return pyarrow.array(cells, pyarrow.int64())
    if kinds == {bool} or not kinds:
        return pyarrow.array(cells)
    numbers = [None if cell is None else float(cell) for cell in cells]
    return pyarrow.array(numbers, pyarrow.float64())
