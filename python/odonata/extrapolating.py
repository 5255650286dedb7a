"""Extrapolates recordings of a regular program to more ranks (docs/extrapolation.md)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from . import core, merging, playing, records, spmd_model, replaying
from .errors import Diagnostic, Diagnostics, InputError
from .files import why
from .spmd_model import IrregularError, Recording

# With one rank or one partner too many rules fit.
LEAST_RANKS = 4
MOST_ROWS = 20_000_000
# Keys of a recording's header that do not hold for other numbers of ranks.
OWN = ("time_s", "digest", "nodes", "placement")


@dataclass(frozen=True)
class Extrapolation:
    """Description of an extrapolated record: its file, ranks and calls, the recordings and the
    rules."""

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
    """Extrapolate recordings of a regular program to `ranks` ranks.

    `recordings` are records of `odonata.run(..., record=FILE)` of one program on one or several
    numbers of ranks. `record` is the file to write, for `odonata.replay`; its header states that it
    is extrapolated. An irregular program raises `InputError` with the rank and the call.
    """
    wrong = Diagnostics()
    wanted = wrong.whole("ranks", ranks, LEAST_RANKS)
    found = check(wrong, recordings, None if wrong.list else wanted, record)
    wrong.raise_any()
    return make(wrong, found, wanted, record)


def check(
    wrong: Diagnostics,
    recordings: str | Path | Sequence[str | Path],
    ranks: int | None,
    record: str | Path | None,
) -> list[Recording]:
    """Read the recordings and check all arguments; None stands for an invalid recording."""
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
    wrong: Diagnostics, found: list[Recording], ranks: int, record: str | Path
) -> Extrapolation:
    """Write the record after `check` has found no problem."""
    found.sort(key=lambda of: of.ranks)
    try:
        programs, parts = understood(found)
    except IrregularError as error:
        wrong.add(error.at, error.found, error.wanted)
        wrong.raise_any()
    return write(wrong, Path(record), programs, parts, found, ranks)


def understood(
    found: Sequence[Recording],
) -> tuple[Sequence[spmd_model.Program], Sequence[spmd_model.Part]]:
    """The programs of all ranks, and their communicators; or `IrregularError`."""
    parts = spmd_model.parts_of(found)
    simple, first = None, None
    try:
        simple = spmd_model.programs(found)
        for of in found:
            playing.check(simple, of, parts)
        # In a small grid, neighbors may fit an offset in one direction and exclusive or in another.
        if len(found) == 1 or not any(map(is_mixed, simple)):
            return simple, parts
    except IrregularError as error:
        simple, first = None, error
    if len(found) == 1:
        # It would not determine the kind of grid or tree.
        raise first
    try:
        programs, parts = merging.programs(found)
        for of in found:
            playing.check(programs, of, parts)
        return programs, parts
    except IrregularError as error:
        if simple is not None:
            return simple, parts
        # If ranks make the same calls, this is closer to the cause.
        raise first if first.is_close else error from None


def is_mixed(program: spmd_model.Program) -> bool:
    """Whether partners in one communicator follow rules of several families."""
    families: dict[int, set[str]] = {}
    for item in program.items:
        for token, _ in item.calls:
            if token.family in ("off", "xor", "to"):
                families.setdefault(token.context, set()).add(token.family)
    return any(len(some) > 1 for some in families.values())


def read(wrong: Diagnostics, name: Any) -> Recording | None:
    """A recording by ranks; None if it is invalid."""
    sub = Diagnostics()
    trace = replaying.read(sub, name)
    of_file(wrong, name, sub.list)
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
    assert isinstance(trace.data, dict), "a record has a header"
    try:
        core.check_record(records.of_core(trace.header), trace.data)
    except InputError as error:
        # Mismatched collectives are reported by the search for rules, in more detail.
        if not all(c.wanted.startswith("the same as row") for c in error.diagnostics):
            of_file(wrong, name, error.diagnostics)
            return None
    rows: list[list[dict[str, Any]]] = [[] for _ in range(n)]
    for row in records.rows(trace.header, trace.data):
        rows[row["rank"]].append(row)
    faulty = next((r for r, rank_rows in enumerate(rows) if not is_sound(rank_rows)), None)
    if faulty is not None:
        wrong.add("recordings", f"{name}: rank {faulty}", "calls that need earlier ones")
        return None
    if idle := [rank for rank, rank_rows in enumerate(rows) if not rank_rows]:
        found = f"{name}: no calls of rank {idle[0]}"
        wrong.add("recordings", found, "a recording of all ranks, which call MPI or exit")
        return None
    # A record lists members only for communicators with collective calls.
    known = {context for context, _ in trace.header["communicators"]} | {spmd_model.WORLD}
    users: dict[int, list[int]] = {}
    for rank, rank_rows in enumerate(rows):
        for context in sorted({row["context"] & ~spmd_model.PRIVATE for row in rank_rows} - known):
            users.setdefault(context, []).append(rank)
    trace.header["communicators"] += [[context, ranks] for context, ranks in users.items()]
    for context, members in trace.header["communicators"]:
        if not members or members != sorted(set(members)) or members[-1] >= n:
            shown = ", ".join(map(str, members[:4])) + (", ..." if len(members) > 4 else "")
            wrong.add(
                "recordings", f"{name}: communicator {context} of ranks {shown}",
                "communicators whose ranks are in the order of the world",
            )  # fmt: skip
            return None
    return Recording(str(name), trace.header, rows)


def is_sound(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether a rank's calls depend on earlier calls only, and not on computation."""
    return all(
        all(need < nth for need in row["needs"])
        and (row["op"] not in spmd_model.LINKED
             or row["other"] < nth and rows[row["other"]]["op"] != "pause")
        for nth, row in enumerate(rows)
    )  # fmt: skip


def of_file(wrong: Diagnostics, name: Any, found: Sequence[Diagnostic]) -> None:
    """Diagnostics of one of several recordings, each with the name of its file."""
    for c in found:
        is_named = c.at == "trace" and str(name) in c.found
        at = c.at if is_named or not name else c.at.replace("trace", str(name), 1)
        wrong.add(at, c.found, c.wanted, c.hint)


def out_of_range(program: spmd_model.Program, ranks: int) -> tuple[str, str, str] | None:
    """For an invalid call: its name, the value found, the expected value."""
    for slot in playing.unrolled(program, ranks):
        op = slot.token.op
        for name in ("bytes", "back", "span_ps", "length"):
            if not 0 <= slot.blank[name] < 1 << 63:
                return op, f"{name} {slot.blank[name]}", "a number from 0 on"
        if not 0 <= slot.blank["root"] < ranks:
            return op, f"root {slot.blank['root']}", f"a rank below {ranks}"
        for rank in (0, ranks - 1) if slot.scale else (0,):
            if -1 <= slot.tag + slot.scale * rank < 1 << 31:
                continue
            for at in range(ranks):
                peer = slot.peer(at, ranks, program.periodic)
                tag = slot.tag + slot.scale * (at if slot.token.tag == "own" else peer or 0)
                if peer is not None and not -1 <= tag < 1 << 31:
                    return f"rank {at}, {op}", f"tag {tag}", "a tag from 0 to 2^31 - 1"
    return None


def compare(wrong: Diagnostics, found: Sequence[Recording], ranks: int | None) -> None:
    """Check that the recordings are of one program on different, smaller numbers of ranks."""
    sizes = [of.ranks for of in found]
    if len(set(sizes)) < len(sizes):
        wrong.add("recordings", f"{sizes} ranks", "recordings of different numbers of ranks")
    for key in ("env", "core_speed"):
        if any(of.header[key] != found[0].header[key] for of in found):
            wrong.add("recordings", f"several `{key}`", "recordings made alike")
    if sizes and ranks is not None and ranks < max(sizes):
        wrong.add("ranks", ranks, f"at least the {max(sizes)} of the largest recording")


def write(
    wrong: Diagnostics,
    path: Path,
    programs: Sequence[spmd_model.Program],
    parts: Sequence[spmd_model.Part],
    found: Sequence[Recording],
    ranks: int,
) -> Extrapolation:
    """Write the record, with its sources in the header."""
    largest = found[-1]
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
    communicators = playing.Communicators(parts, ranks)
    for program in programs:
        if bad := out_of_range(program, ranks):
            wrong.add(f"{bad[0]} on {ranks} ranks", bad[1], bad[2])
            break
    wrong.raise_any()
    made = Extrapolation(
        file=str(path),
        ranks=ranks,
        calls=0,
        recordings=[{"file": of.name, "ranks": of.ranks} for of in found],
        rules=spmd_model.described(programs),
    )
    recorded = largest.header["recorded"]
    header = {
        **largest.header,
        "ranks": ranks,
        "communicators": [[number, who] for number, who in communicators.members.items()],
        "recorded": {key: value for key, value in recorded.items() if key not in OWN},
        "extrapolated": {k: v for k, v in asdict(made).items() if k in ("recordings", "rules")},
    }
    header.pop("ops", None)
    try:
        rows = playing.rows_of(programs, ranks, communicators)
        calls = records.write_rows(path, header, (row for rank_rows in rows for row in rank_rows))
    except OSError as error:
        wrong.add("record", path, f"a place that can be written to ({why(error)})")
        wrong.raise_any()
    return replace(made, calls=calls)
