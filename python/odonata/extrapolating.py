"""A recorded pattern on more ranks: a record that was made, not taken (docs/recording.md)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from . import records, regular, replaying
from .errors import Complaints
from .files import why
from .regular import IrregularError, Recording

# Who is alone or has one partner looks regular in too many ways.
LEAST_RANKS = 4
MOST_ROWS = 5_000_000
# Of what is told of a recording, what holds for no other number of ranks.
OWN = ("time_s", "digest", "nodes", "placement")


@dataclass(frozen=True)
class Extrapolation:
    """What an extrapolated record was made of: its file, ranks and calls, from which recordings,
    by which rules."""

    file: str
    ranks: int
    calls: int
    recordings: list[dict[str, Any]]
    rules: list[str]


def extrapolate(
    recordings: str | Path | Sequence[str | Path],
    *,
    ranks: int,
    record: str | Path,
) -> Extrapolation:
    """Write what `ranks` ranks would do, where those of `recordings` do it by rules.

    `recordings` are records of `odonata.run(..., record=FILE)` of one program on several numbers of
    ranks, or one. `record` is the file to write, for `odonata.replay`; it says of itself that it
    is extrapolated. What is not regular raises `InputError`, with the rank and the call.
    """
    wrong = Complaints()
    wanted = wrong.whole("ranks", ranks, LEAST_RANKS)
    found = check(wrong, recordings, None if wrong.list else wanted, record)
    wrong.raise_any()
    return make(wrong, found, wanted, record)


def check(
    wrong: Complaints,
    recordings: str | Path | Sequence[str | Path],
    ranks: int | None,
    record: str | Path | None,
) -> list[Recording]:
    """The recordings, read, and complaints of them and the rest; None was complained of already."""
    names = [recordings] if isinstance(recordings, (str, os.PathLike)) else list(recordings)
    if not names:
        wrong.add("recordings", "nothing", "one or more records of `odonata run --record`")
    records.check_target(wrong, record)
    found = [of for name in names if (of := read(wrong, name)) is not None]
    compare(wrong, found, ranks)
    for of in found:
        with contextlib.suppress(OSError, TypeError, ValueError):
            if os.path.samefile(of.name, record or ""):
                wrong.add("record", record, "another file than what was recorded")
    return found


def make(
    wrong: Complaints, found: list[Recording], ranks: int, record: str | Path
) -> Extrapolation:
    """Write the record of what `check` found nothing wrong with."""
    found.sort(key=lambda of: of.ranks)
    try:
        programs = regular.programs(found)
        for of in found:
            regular.check(programs, of)
    except IrregularError as error:
        wrong.add(error.at, error.found, error.wanted)
        wrong.raise_any()
    return write(wrong, Path(record), programs, found, ranks)


def read(wrong: Complaints, name: Any) -> Recording | None:
    """A recording by ranks; None after a complaint."""
    trace = replaying.read(wrong, name)
    if trace is None:
        return None
    if trace.header is None:
        wrong.add("recordings", name, "a record of `odonata run --record`, not a GOAL schedule")
        return None
    if trace.header.get("extrapolated"):
        wrong.add("recordings", name, "what was recorded, not what was extrapolated")
        return None
    if trace.header.get("partial"):
        wrong.add("recordings", name, "a recording of a run that ended well")
        return None
    n = trace.header["ranks"]
    if not LEAST_RANKS <= n <= records.MOST_READ:
        wanted = f"a recording of {LEAST_RANKS} to {records.MOST_READ} ranks"
        wrong.add("recordings", f"{name}: {n} ranks", wanted)
        return None
    rows: list[list[dict[str, Any]]] = [[] for _ in range(n)]
    for row in records.rows(trace.path):
        if row["rank"] >= n:
            wrong.add("recordings", f"{name}: rank {row['rank']}", f"ranks below {n}")
            return None
        rows[row["rank"]].append(row)
    if faulty := next((r for r, mine in enumerate(rows) if not is_sound(mine)), None):
        wrong.add("recordings", f"{name}: rank {faulty}", "calls that need earlier ones")
        return None
    for context, members in trace.header["communicators"]:
        if members != list(range(n)):
            shown = ", ".join(map(str, members[:4])) + (", ..." if len(members) > 4 else "")
            wrong.add(
                "recordings", f"{name}: communicator {context} of ranks {shown}",
                "communicators of all ranks, in their order",
            )  # fmt: skip
            return None
    return Recording(str(name), trace.header, rows)


def is_sound(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether a rank's calls name calls before them only."""
    return all(
        all(need < nth for need in row["needs"])
        and (row["op"] not in regular.LINKED or row["other"] < nth)
        for nth, row in enumerate(rows)
    )


def out_of_range(row: dict[str, Any], ranks: int) -> tuple[str, str, str] | None:
    """Of a call that cannot be: its name, what was found, what was expected."""
    for name in ("bytes", "back", "span_ps"):
        if not 0 <= row[name] < 1 << 63:
            return row["op"], f"{name} {row[name]}", "a number from 0 on"
    if any(not 0 <= length < 1 << 63 for length in row["lengths"]):
        return row["op"], f"lengths of {row['lengths'][0]}", "numbers from 0 on"
    if not 0 <= row["root"] < ranks:
        return row["op"], f"root {row['root']}", f"a rank below {ranks}"
    return None


def compare(wrong: Complaints, found: Sequence[Recording], ranks: int | None) -> None:
    """Complain unless recordings are of one program on different numbers of ranks, none of more."""
    sizes = [of.ranks for of in found]
    if len(set(sizes)) < len(sizes):
        wrong.add("recordings", f"{sizes} ranks", "recordings of different numbers of ranks")
    for key in ("env", "core_speed"):
        if any(of.header[key] != found[0].header[key] for of in found):
            wrong.add("recordings", f"several `{key}`", "recordings made alike")
    if len({len(of.header["communicators"]) for of in found}) > 1:
        wrong.add("recordings", "several numbers of communicators", "recordings of one program")
    if sizes and ranks is not None and ranks < max(sizes):
        wrong.add("ranks", ranks, f"at least the {max(sizes)} of the largest recording")


def write(
    wrong: Complaints,
    path: Path,
    programs: Sequence[regular.Program],
    found: Sequence[Recording],
    ranks: int,
) -> Extrapolation:
    """Write the record, with what it was made of in its head."""
    largest = found[-1]
    contexts = sorted(context for context, _ in largest.header["communicators"])
    for program in programs:
        for count in {item.count for item in program.items if item.count == "log2 n"}:
            if ranks & (ranks - 1) and all(of.ranks & (of.ranks - 1) == 0 for of in found):
                wanted = f"a power of two, as in the recordings: calls are repeated {count} times"
                wrong.add("ranks", ranks, wanted)
    each = max(program.calls(ranks) for program in programs)
    if each * ranks > MOST_ROWS:
        wrong.add(
            "ranks", ranks,
            f"as few as make {MOST_ROWS:,} calls in all; a rank makes {each:,}",
        )  # fmt: skip
    wrong.raise_any()
    rows = regular.rows_of(programs, ranks, contexts)
    for rank, mine in enumerate(rows):
        if bad := next(filter(None, (out_of_range(row, ranks) for row in mine)), None):
            wrong.add(f"rank {rank}, {bad[0]}", bad[1], bad[2])
            break
    wrong.raise_any()
    made = Extrapolation(
        file=str(path),
        ranks=ranks,
        calls=sum(map(len, rows)),
        recordings=[{"file": of.name, "ranks": of.ranks} for of in found],
        rules=regular.said(programs),
    )
    recorded = largest.header["recorded"]
    header = {
        **largest.header,
        "ranks": ranks,
        "communicators": [[context, list(range(ranks))] for context in contexts],
        "recorded": {key: value for key, value in recorded.items() if key not in OWN},
        "extrapolated": {k: v for k, v in asdict(made).items() if k in ("recordings", "rules")},
    }
    header.pop("ops", None)
    try:
        records.write_rows(path, header, (row for mine in rows for row in mine))
    except OSError as error:
        wrong.add("record", path, f"a place that can be written to ({why(error)})")
        wrong.raise_any()
    return made
