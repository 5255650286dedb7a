"""Comparison of a model with its program: `odonata app check MODEL -- ./program`.

The program runs with a few numbers of ranks, and its calls are recorded. The calls of each rank in
the model must be a part of those in the recording, in the same order: operation, partner, bytes and
communicator. Calls before and after that part are counted; they are the set-up and the end of the
program.
"""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import core, launch, records
from ..benchmarks import MESSAGES
from ..errors import Diagnostics
from ..machines import Job, Machine
from ..progress import part_of
from ..units import show_time
from .model import App
from .phases import Phases, input_error

# Rows of a recording that are not calls of a model.
IGNORED = {
    "pause", "exit", "delay", "packs", "unpacks", "register", "deregister", "probe", "iprobe",
    "mprobe", "cancel", "lock", "lock_shared", "unlock", "read", "write",
}  # fmt: skip
PRIVATE = 3 << 30  # bits of the contexts of the library's own messages
ANY_SOURCE = 1  # bit of `flags`
PAIRWISE = {"send", "ssend", "recv", "access", "atomic"}
ROOTED = {"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"}
COMPARED = 48  # calls by which the start of the model's part is found
MOST_SHOWN = 20  # differences of one size
PPN = 8  # ranks per node of the runs, if it divides their number
STAMP = ".checked.json"


@dataclass(frozen=True)
class Call:
    """A call of the model."""

    op: str
    phase: str
    peer: int
    bytes: int
    back: int
    members: tuple[int, ...]
    low: int | None
    high: int | None
    is_optional: bool
    # Drawn bytes are `head` and a multiple of `grain`.
    grain: int = 1
    head: int = 0
    # Ranges of the blocks of `alltoallv`, if they differ: sent to each member, then received.
    blocks: tuple[tuple[int, int], ...] = ()


@dataclass
class Difference:
    """The first difference of a rank: the number of the call in its recording, from 0."""

    rank: int
    call: int
    phase: str
    found: str
    expected: str

    def __str__(self) -> str:
        where = f"rank {self.rank}, call {self.call}, phase {self.phase}"
        return f"{where}: found {self.found}; expected {self.expected}"


@dataclass
class SizeCheck:
    """The comparison with one number of ranks."""

    ranks: int
    calls: int = 0
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    drawn: int = 0
    outside: int = 0
    differences: list[Difference] = field(default_factory=list)
    # Without computation, with the same network model: of the program, and of the model.
    program_s: float = 0.0
    model_s: float = 0.0
    # The same with computation, if rates of this computer are given.
    program_computing_s: float | None = None
    model_computing_s: float | None = None

    @property
    def is_equal(self) -> bool:
        return not self.differences

    def finish(self) -> None:
        """Drawn sizes: at most 5 % outside of their range, within three standard deviations."""
        allowed = 0.05 * self.drawn + 3 * math.sqrt(0.05 * 0.95 * self.drawn)
        if self.outside > allowed:
            found = f"{self.outside:,} of {self.drawn:,} drawn sizes outside of their 95 % range"
            expected = f"at most {math.floor(allowed):,}"
            self.differences.append(Difference(0, 0, "all", found, expected))


@dataclass
class CheckResult:
    """The comparison with all numbers of ranks."""

    name: str
    sizes: list[SizeCheck]

    @property
    def is_equal(self) -> bool:
        return all(size.is_equal for size in self.sizes)

    def row(self) -> dict[str, Any]:
        """All of it for JSON."""
        sizes = [
            {**vars(size), "differences": [vars(one) for one in size.differences]}
            for size in self.sizes
        ]
        return {"name": self.name, "sizes": sizes, "is_equal": self.is_equal}

    def text(self) -> str:
        lines = []
        for size in self.sizes:
            words = "equal" if size.is_equal else "different"
            drawn = f", {size.drawn:,} sizes drawn" if size.drawn else ""
            lines.append(
                f"{size.ranks} ranks: {words}, {size.calls:,} calls compared{drawn}; "
                f"before: {listed(size.before)}; after: {listed(size.after)}"
            )
            lines.append(
                f"  time without computation: program {show_time(size.program_s)}, "
                f"model {show_time(size.model_s)}"
            )
            if size.program_computing_s is not None and size.model_computing_s is not None:
                difference_s = size.model_computing_s / size.program_computing_s - 1
                lines.append(
                    f"  time with computation: program {show_time(size.program_computing_s)}, "
                    f"model {show_time(size.model_computing_s)}, {100 * difference_s:+.1f} %"
                )
            lines += [f"  {difference}" for difference in size.differences[:MOST_SHOWN]]
            more = len(size.differences) - MOST_SHOWN
            if more > 0:
                lines.append(f"  and {more} more ranks")
        return "\n".join(lines)


def listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {op}" for op, count in sorted(counts.items())) or "none"


def check(
    model: App,
    name: str,
    machine: Machine,
    program: Sequence[str],
    ranks: Sequence[int] = (8, 27, 64),
    values: Mapping[str, Any] | None = None,
    tick: core.Tick | None = None,
    computes: bool = False,
) -> CheckResult:
    """Run the program with each number of ranks, and compare its calls with the model's.

    With `computes`, the machine has the rates of this computer (`odonata app rates`), and the times
    with computation are compared, too.

    `{option}` in the program's arguments is replaced by the value of the model's option.
    """
    wrong = Diagnostics()
    given = dict(model.options) if values is None else dict(values)
    if len(ranks) < 2:
        wrong.add("ranks", list(ranks), "at least two numbers of ranks")
    words = [filled(wrong, word, given) for word in program]
    if not words:
        wrong.add("program", "nothing", "a program after `--`")
    wrong.raise_any()
    listings = [listing(model, n, given) for n in ranks]
    sizes = []
    whole_tick = tick
    for nth, (n, (calls, phases)) in enumerate(zip(ranks, listings, strict=True)):
        tick = part_of(whole_tick, nth, len(ranks))
        ppn = PPN if n % PPN == 0 else 1
        job = machine.job(nodes=n // ppn, ppn=ppn)
        rows, seconds = recorded(job, words, tick)
        size = compared(n, calls, rows)
        size.program_s, size.model_s = seconds, time_of(job, phases, tick)
        if computes:
            # Each rank is charged its own CPU time, so it has a core, also where cores are shared.
            own = replace(job, machine=machine.with_({"node.device.count": ppn}))
            measured = launch.run(own, words, fidelity="loggp", compute="measured", tick=tick)
            size.program_computing_s = measured.time
            size.model_computing_s = time_of(own, phases, tick, computes=True)
        sizes.append(size)
    result = CheckResult(name, sizes)
    if result.is_equal:
        stamp(model, result)
    return result


def filled(wrong: Diagnostics, word: str, values: Mapping[str, Any]) -> str:
    """An argument of the program with options of the model."""
    try:
        return word.format_map({key: str(value) for key, value in values.items()})
    except (KeyError, IndexError, ValueError):
        legal = ", ".join(f"{{{name}}}" for name in values)
        wrong.add("program", word, f"options of the model in braces: {legal}")
        return word


def calls_of(phases: Phases) -> dict[str, Any]:
    """The calls of all ranks, as the core lists them."""
    request = {"program": phases.program(), "seed": phases.seed}
    answer: dict[str, Any] = json.loads(core.query("app_calls", request))
    return answer


def listing(
    model: App, ranks: int, values: Mapping[str, Any]
) -> tuple[list[list[Call]], Phases]:
    """The model's calls by rank."""
    phases = model.phases(ranks, 1, values)
    answer = calls_of(phases)
    members = {int(key): tuple(found) for key, found in answer["communicators"].items()}
    names = answer["phases"]
    calls = [
        [
            Call(
                op, names[phase], peer, size, back, members[of], low, high, optional, grain, head,
                tuple((low, high) for low, high in blocks),
            )
            for op, phase, peer, size, back, of, low, high, optional, grain, head, blocks in rows
        ]
        for rows in answer["ranks"]
    ]
    return calls, phases


def request_of(job: Job, fidelity: str, phases: Phases, messages: int) -> dict[str, Any]:
    """A request of the core."""
    return {
        **job.request(fidelity), "nodes": job.nodes, "ppn": job.ppn,
        "program": phases.program(), "messages": messages,
    }  # fmt: skip


def time_of(
    job: Job, phases: Phases, tick: core.Tick | None, computes: bool = False
) -> float:
    """The time of the model, without computation unless it `computes`."""
    def without(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = [node for node in nodes if node.get("call") != "compute"]
        return [n | {"body": without(n["body"])} if "body" in n else n for n in kept]

    request = request_of(job, "loggp", phases, MESSAGES)
    if not computes:
        request["program"]["body"] = without(request["program"]["body"])
    answer = core.enter("app", {**request, "method": "all"}, tick)
    return float(answer["time_s"])


def recorded(
    job: Job, program: Sequence[str], tick: core.Tick | None
) -> tuple[list[list[dict[str, Any]]], float]:
    """The calls of the program by rank, with the members of their communicators, and its time
    without computation."""
    with tempfile.TemporaryDirectory(prefix="odonata-check-") as directory:
        file = Path(directory) / "recording.parquet"
        run = launch.run(job, program, fidelity="loggp", compute="none", record=file, tick=tick)
        wrong = Diagnostics()
        header, columns = records.read(wrong, file, file.read_bytes())
        wrong.raise_any()
        world = tuple(range(job.ranks))
        members = {context: tuple(found) for context, found in header["communicators"]}
        rows: list[list[dict[str, Any]]] = [[] for _ in range(job.ranks)]
        for row in records.rows(header, columns):
            if row["op"] in IGNORED or row["context"] & PRIVATE or row["op"].startswith("file_"):
                continue
            row["members"] = members.get(row["context"], world)
            rows[row["rank"]].append(row)
        return rows, run.time


def compared(
    ranks: int,
    calls: Sequence[Sequence[Call]],
    rows: Sequence[Sequence[Mapping[str, Any]]],
) -> SizeCheck:
    """All ranks of one size. Of each rank, the first difference counts."""
    size = SizeCheck(ranks)
    for rank in range(ranks):
        mine, found = calls[rank], rows[rank]
        start = start_of(mine, found)
        at = start
        for call, row in pairs(mine, found, start):
            if row is None or not is_equal(call, row, size):
                size.differences.append(difference(rank, at, call, row))
                break
            at += 1
            size.calls += 1
        else:
            size.before.update(row["op"] for row in found[:start])
            rest = found[at:]
            size.after.update(row["op"] for row in rest)
            repeated = repetition(mine, rest)
            if repeated is not None:
                size.differences.append(
                    Difference(rank, at + repeated, mine[-1].phase, "further iterations",
                               "the end of the model's calls")
                )  # fmt: skip
    size.finish()
    return size


def pairs(
    calls: Sequence[Call], rows: Sequence[Mapping[str, Any]], start: int
) -> Iterator[tuple[Call, Mapping[str, Any] | None]]:
    """Calls of the model and of the recording in order. Calls that are drawn are skipped, with the
    messages that the program sends and receives instead."""
    at, nth = start, 0
    while nth < len(calls):
        if calls[nth].is_optional:
            while nth < len(calls) and calls[nth].is_optional:
                nth += 1
            while at < len(rows) and rows[at]["op"] in PAIRWISE:
                at += 1
            continue
        yield calls[nth], rows[at] if at < len(rows) else None
        at, nth = at + 1, nth + 1


def start_of(calls: Sequence[Call], rows: Sequence[Mapping[str, Any]]) -> int:
    """Where the model's calls begin in a recording: where most of the first ones agree."""
    if not calls:
        return len(rows)
    head = calls[:COMPARED]
    best, most = 0, -1
    ops = [call.op for call in head]
    for start in range(max(len(rows) - len(calls) + 1, 1)):
        part = rows[start : start + len(head)]
        if sum(op == row["op"] for op, row in zip(ops, part)) <= most:  # noqa: B905 - may end
            continue
        score = sum(is_equal(call, row, None) for call, row in zip(head, part))  # noqa: B905
        if score > most:
            best, most = start, score
        if most == len(head):
            break
    return best


def repetition(calls: Sequence[Call], rest: Sequence[Mapping[str, Any]]) -> int | None:
    """Where the last calls of the model occur again: the program has more iterations."""
    tail = list(calls[-8:])
    if len(tail) < 8 or not any(call.op in PAIRWISE for call in tail):
        tail = list(calls[-64:])
    if not any(call.op in PAIRWISE for call in tail):
        return None
    for start in range(len(rest) - len(tail) + 1):
        part = rest[start : start + len(tail)]
        if all(is_equal(call, row, None) for call, row in zip(tail, part, strict=True)):
            return start
    return None


def is_equal(call: Call, row: Mapping[str, Any], size: SizeCheck | None) -> bool:
    """Whether a recorded call is the model's. Sizes that are drawn are counted in `size`."""
    if call.op != row["op"] or call.back != row["back"]:
        return False
    if call.op in PAIRWISE:
        any_source = call.op == "recv" and row["flags"] & ANY_SOURCE
        if call.peer != row["peer"] and not any_source:
            return False
    else:
        if call.members != row["members"] or (call.op in ROOTED and call.peer != row["root"]):
            return False
        if row["lengths"] and call.op != "reduce_scatter":
            return are_equal(call, row["lengths"], size)
        if row["lengths"]:
            return True
    if call.low is not None and call.high is not None:
        counted = None if call.op == "recv" else size
        return is_drawn(call, row["bytes"], (call.low, call.high), counted)
    if call.op == "recv":
        return bool(row["bytes"] >= call.bytes)  # the buffer may be longer than the message
    return bool(row["bytes"] == call.bytes)


def are_equal(call: Call, lengths: Sequence[int], size: SizeCheck | None) -> bool:
    """Whether recorded blocks of a collective are the model's."""
    if call.low is None and not call.blocks:
        return all(length == call.bytes for length in lengths)
    ranges = call.blocks or ((call.low or 0, call.high or 0),) * len(lengths)
    if len(ranges) != len(lengths):
        return False
    pairs = zip(ranges, lengths, strict=True)
    return all([is_drawn(call, length, within, size) for within, length in pairs])


def is_drawn(
    call: Call, length: int, within: tuple[int, int], size: SizeCheck | None
) -> bool:
    """Whether a length consists of whole elements. Those outside of the range are counted."""
    if size is not None:
        size.drawn += 1
        size.outside += not within[0] <= length <= within[1]
    return length >= call.head and (length - call.head) % max(call.grain, 1) == 0


def difference(rank: int, at: int, call: Call, row: Mapping[str, Any] | None) -> Difference:
    """A call of the model and what was recorded."""
    if row is None:
        found = "the end of the recording"
    elif row["op"] in PAIRWISE:
        found = described(row["op"], row["peer"], row["bytes"], row["back"])
    else:
        found = f"{row['op']} of {row['bytes']:,} B, {len(row['members'])} ranks"
        if row["lengths"]:
            found += f", blocks of {', '.join(str(n) for n in row['lengths'][:MOST_SHOWN])} B"
        found += f", root {row['root']}" if row["op"] in ROOTED else ""
    if call.op in PAIRWISE:
        expected = described(call.op, call.peer, call.bytes, call.back)
        if call.low is not None and call.high is not None:
            expected += f", drawn: {call.head} B and a multiple of {call.grain} B"
    else:
        expected = f"{call.op} of {call.bytes:,} B, {len(call.members)} ranks"
        if call.low is not None or call.blocks:
            expected = f"{call.op} of multiples of {call.grain} B, {len(call.members)} ranks"
        expected += f", root {call.peer}" if call.op in ROOTED else ""
    return Difference(rank, at, call.phase, found, expected)


def described(op: str, peer: int, size: int, back: int) -> str:
    side = "from" if op == "recv" else "to"
    more = f", {back:,} B back" if back else ""
    return f"{op} {side} rank {peer}, {size:,} B{more}"


def digest(model: App) -> str:
    """Of the model's file."""
    try:
        return hashlib.sha256(Path(model.file).read_bytes()).hexdigest()
    except OSError:
        return ""


def stamp(model: App, result: CheckResult) -> None:
    """Note beside a user's model that its present text was checked."""
    if model.is_checked:
        return
    text = {"sha256": digest(model), "ranks": [size.ranks for size in result.sizes]}
    try:
        Path(model.file + STAMP).write_text(json.dumps(text) + "\n", encoding="utf-8")
    except OSError as error:
        raise input_error("model", model.file + STAMP, f"a file that can be written ({error})") \
            from None  # fmt: skip


def is_checked(model: App) -> bool:
    """Whether the present text of the model was compared with its program."""
    if model.is_checked:
        return True
    try:
        found = json.loads(Path(model.file + STAMP).read_text(encoding="utf-8"))
        return isinstance(found, dict) and found.get("sha256") == digest(model)
    except (OSError, ValueError):
        return False
