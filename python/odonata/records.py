"""Recorded runs on disk: one Parquet file with a row per call (docs/record-format.md).

The core produces and checks the values. This module converts them to columns and back.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Diagnostics
from .files import opened, why
from .tables import table_of

if TYPE_CHECKING:
    import pyarrow

FORMAT = "odonata-record/1"
KEY = b"odonata"
# Columns with one value per row, and with a list per row; `op` is a column of names.
PLAIN = {
    "rank": "uint32", "step": "uint32", "after_ps": "uint64", "peer": "uint32", "tag": "int32",
    "context": "uint32", "bytes": "uint64", "back": "uint64", "span_ps": "uint64",
    "other": "uint32", "root": "uint32", "grain": "uint64", "flags": "uint8",
}  # fmt: skip
# Largest number of ranks whose pattern is searched; rows that are written at once.
MOST_READ = 4096
ROWS_AT_ONCE = 1 << 16
LISTS = {"needs": "uint32", "lengths": "uint64"}


def check_target(wrong: Diagnostics, path: Any) -> None:
    """Add a diagnostic unless the record, if any, can be written there."""
    if path is None:
        return
    wanted = "a new file, or an earlier record to replace"
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        wrong.add("record", path or "an empty name", wanted)
        return
    try:
        target = Path(path)
        if target.exists() and not target.is_file():
            wrong.add("record", path, f"{wanted}, not a directory or a device")
        elif target.exists() and target.stat().st_size and not is_record(target):
            wrong.add("record", path, f"{wanted}; this is something else")
        elif not os.access(target if target.exists() else target.absolute().parent, os.W_OK):
            wrong.add("record", path, "a place that can be written to")
    except (OSError, ValueError) as error:
        wrong.add("record", path, f"a place that can be written to ({why(error)})")


def is_record(path: Path) -> bool:
    """Whether a file is a record."""
    from pyarrow import ArrowException, parquet

    try:
        with opened(path) as file:
            found = json.loads((parquet.read_schema(file).metadata or {})[KEY])
        return str(found["format"]).startswith("odonata-record/")
    except (OSError, ValueError, KeyError, TypeError, RecursionError, ArrowException):
        return False


def write(
    path: Path,
    recorded: dict[str, Any],
    columns: Mapping[str, bytes],
    summary: Mapping[str, Any],
    env: Sequence[Sequence[str]],
) -> dict[str, Any]:
    """Write the record unless it cannot be replayed, and return the outcome.

    A file that cannot be written is reported as `unwritten`, so that the run's result is kept.
    """
    written = {key: recorded[key] for key in ("calls", "vain_polls", "refused")}
    failure = summary.get("failure") or {}
    written |= {"partial": failure.get("message"), "unwritten": None, "file": None}
    if recorded["refused"]:
        return written
    kept = ("odonata", "machine", "fidelity", "routing", "placement", "mpi", "seed", "compute",
            "program", "ppn", "nodes", "time_s", "digest")  # fmt: skip
    header = {
        "format": FORMAT,
        "ranks": recorded["ranks"],
        "communicators": recorded["communicators"],
        "core_speed": recorded["core_speed"],
        "env": list(env),
        "vain_polls": recorded["vain_polls"],
        "partial": written["partial"],
        "recorded": {key: summary.get(key) for key in kept},
    }
    from pyarrow import parquet

    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    table = to_table(recorded["ops"], columns)
    table = table.replace_schema_metadata({KEY: json.dumps(header).encode()})
    try:
        with part.open("wb") as file:  # Arrow takes names for addresses
            parquet.write_table(table, file, compression="zstd")
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        return {**written, "unwritten": f"{path}: {why(error)}"}
    return {**written, "file": str(path)}


def rows(header: Mapping[str, Any], columns: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    """The rows of a record, in order."""
    for batch in to_table(header["ops"], columns).to_batches(ROWS_AT_ONCE):
        yield from batch.to_pylist()


def write_rows(path: Path, header: Mapping[str, Any], given: Iterable[Mapping[str, Any]]) -> int:
    """Write a record of generated rows and return their number."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([
        *((name, pa.type_for_alias(kind)) for name, kind in list(PLAIN.items())[:2]),
        ("op", pa.dictionary(pa.int32(), pa.string())),
        ("needs", pa.large_list(pa.uint32())),
        *((name, pa.type_for_alias(kind)) for name, kind in list(PLAIN.items())[2:]),
        ("lengths", pa.large_list(pa.uint64())),
    ], metadata={KEY: json.dumps(header).encode()})  # fmt: skip
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with (
            part.open("wb") as file,  # Arrow takes names for addresses
            parquet.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            batch, count = [], 0
            for row in given:
                batch.append(row)
                count += 1
                if len(batch) == ROWS_AT_ONCE:
                    writer.write_table(pa.Table.from_pylist(batch, schema))
                    batch = []
            writer.write_table(pa.Table.from_pylist(batch, schema))
        part.replace(path)
        return count
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def outcome(written: Mapping[str, Any]) -> str:
    """The outcome of writing a record, as a sentence."""
    if written["refused"]:
        return f"nothing was recorded: {written['refused']}, which cannot be written down"
    if written["unwritten"]:
        return f"cannot write the record to {written['unwritten']}"
    partly = " of a run that did not end well" if written["partial"] else ""
    return f"recorded {written['calls']:,} calls{partly} in {written['file']}"


def to_table(ops: Sequence[str], columns: Mapping[str, bytes]) -> pyarrow.Table:
    """The core's columns as Arrow."""
    import pyarrow as pa

    def values(name: str, kind: str) -> pa.Array:
        of = pa.type_for_alias(kind)
        data = columns[name]
        return pa.Array.from_buffers(
            of, len(data) * 8 // of.bit_width, [None, pa.py_buffer(data)]
        )

    found = {name: values(name, kind) for name, kind in PLAIN.items()}
    found["op"] = pa.DictionaryArray.from_arrays(
        values("op", "uint8").cast(pa.int32()), pa.array(list(ops))
    )
    for name, kind in LISTS.items():
        ends = values(f"{name}_end", "uint32").cast(pa.int64())
        starts = pa.concat_arrays([pa.array([0], pa.int64()), ends])
        found[name] = pa.LargeListArray.from_arrays(starts, values(name, kind))
    order = ("rank", "step", "op", "needs", *list(PLAIN)[2:], "lengths")
    return pa.table({name: found[name] for name in order})


def read(
    wrong: Diagnostics, path: Path, data: bytes
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The header of the record in `data`, with the names of its operations as `ops`, and its
    columns.

    Empty if the file is invalid.
    """
    import pyarrow as pa
    from pyarrow import parquet

    wanted = "a record as `odonata run --record` writes it"
    try:
        table = table_of(parquet.ParquetFile(pa.BufferReader(data)))
    except (OSError, ValueError, MemoryError, pa.ArrowException) as error:
        reason = (str(error).splitlines() or ["unreadable"])[0]
        wrong.add("trace", path, f"{wanted} ({reason})")
        return {}, {}
    header = header_of(wrong, path, (table.schema.metadata or {}).get(KEY))
    columns: dict[str, bytes] = {}
    for name in ("op", *PLAIN, *LISTS):
        if table.column_names.count(name) != 1:
            found = f"{'two columns' if name in table.column_names else 'no column'} `{name}`"
            wrong.add("trace", found, "each column of docs/record-format.md once")
            continue
        try:
            columns |= of_column(header, name, table.column(name))
        except (ValueError, OverflowError, pa.ArrowException) as error:
            reason = (str(error).splitlines() or ["unreadable"])[0]
            wrong.add("trace", f"column `{name}`: {reason}", f"values of {kind_of(name)}")
    return header, columns


def of_core(header: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a header that the core reads."""
    return {key: header[key] for key in ("ranks", "communicators", "ops", "core_speed")}


def kind_of(name: str) -> str:
    """The type of a column, for messages."""
    return PLAIN.get(name) or (f"lists of {LISTS[name]}" if name in LISTS else "text")


def of_column(header: dict[str, Any], name: str, column: pyarrow.ChunkedArray) -> dict[str, bytes]:
    """A column's values as bytes for the core; the names of operations go into the header."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if name == "op":
        coded = column.cast(pa.string()).combine_chunks().dictionary_encode()
        if isinstance(coded, pa.ChunkedArray):
            coded = coded.combine_chunks()
        header["ops"] = coded.dictionary.to_pylist()
        return {"op": raw(coded.indices.cast(pa.uint8()))}
    if column.null_count:
        raise ValueError(f"{column.null_count} rows without a value")
    if name in PLAIN:
        return {name: raw(column.cast(pa.type_for_alias(PLAIN[name])))}
    lists = column.cast(pa.large_list(pa.type_for_alias(LISTS[name])))
    ends = pc.cumulative_sum(pc.list_value_length(lists).cast(pa.uint32()))
    return {name: raw(pc.list_flatten(lists)), f"{name}_end": raw(ends)}


def raw(values: pyarrow.Array | pyarrow.ChunkedArray) -> bytes:
    """Values of a fixed width as little-endian bytes."""
    import pyarrow as pa

    if values.null_count:
        raise ValueError("a value is missing")
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
    width = values.type.bit_width // 8
    buffer = values.buffers()[1]
    if buffer is None:
        return b""
    return buffer.slice(values.offset * width, len(values) * width).to_pybytes()


def header_of(wrong: Diagnostics, path: Path, text: bytes | None) -> dict[str, Any]:
    """The checked header of a record; empty if it is invalid."""
    try:
        header = json.loads(text or b"")
        found = header["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        wrong.add("trace", path, "a record as `odonata run --record` writes it, with its header")
        return {}
    if found != FORMAT:
        wrong.add("trace", found, f"a record of format {FORMAT}")
        return {}

    def is_whole(value: Any, most: int) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most

    def is_communicator(pair: Any) -> bool:
        return (
            isinstance(pair, list) and len(pair) == 2 and is_whole(pair[0], 2**32 - 1)
            and isinstance(pair[1], list) and all(is_whole(r, 2**32 - 1) for r in pair[1])
        )  # fmt: skip

    def is_made(made: Any) -> bool:
        of = made.get("recordings") if isinstance(made, dict) else None
        return made is None or (
            isinstance(of, list)
            and all(isinstance(one, dict) and is_whole(one.get("ranks"), 2**32) for one in of)
        )

    def is_variable(pair: Any) -> bool:
        return isinstance(pair, list) and len(pair) == 2 and all(isinstance(w, str) for w in pair)

    speed = header.get("core_speed")
    checks = {
        "ranks": is_whole(header.get("ranks"), 2**63),
        "core_speed": isinstance(speed, (int, float)) and math.isfinite(speed) and speed > 0,
        "communicators": isinstance(header.get("communicators"), list)
        and all(map(is_communicator, header["communicators"])),
        "env": isinstance(header.get("env"), list) and all(map(is_variable, header["env"])),
        "recorded": isinstance(header.get("recorded"), dict),
        "extrapolated": is_made(header.get("extrapolated")),
    }
    for key, good in checks.items():
        if not good:
            at = f"header, {key}: {header.get(key)!r}"[:80]
            wrong.add("trace", at, "see docs/record-format.md")
    return header if all(checks.values()) else {}
