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
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
class ComputingRow:
    """Computation of one phase: seconds per rank of the program and of the model."""

    phase: str
    program_s: float = 0.0
    model_s: float = 0.0

    def __str__(self) -> str:
        words = f"computation of {self.phase}: program {show_time(self.program_s)}, model "
        more = f", {100 * (self.model_s / self.program_s - 1):+.1f} %" if self.program_s else ""
        return words + show_time(self.model_s) + more


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
    # By phase: computation alone, the mean over ranks.
    computing: list[ComputingRow] = field(default_factory=list)

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
            {
                **vars(size), "differences": [vars(one) for one in size.differences],
                "computing": [vars(one) for one in size.computing],
            }
            for size in self.sizes
        ]  # fmt: skip
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
                lines += [f"  {row}" for row in size.computing]
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
    for nth, (n, of) in enumerate(zip(ranks, listings, strict=True)):
        tick = part_of(whole_tick, nth, len(ranks))
        ppn = PPN if n % PPN == 0 else 1
        job = machine.job(nodes=n // ppn, ppn=ppn)
        rows, seconds = recorded(job, words, tick)
        size = compared(n, of.calls, rows)
        size.program_s, size.model_s = seconds, time_of(job, of.phases, tick)
        if computes:
            # Each rank is charged its own CPU time, so it has a core, also where cores are shared.
            own = replace(job, machine=machine.with_({"node.device.count": ppn}))
            rows, size.program_computing_s = recorded(own, words, tick, "measured")
            answer = played(own, of.phases, tick)
            size.model_computing_s = float(answer["time_s"])
            found = gaps(of, rows, seconds_of(own, of.phases, tick))
            size.computing = by_phase(found, answer, n)
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


@dataclass(frozen=True)
class Listing:
    """The calls of a model by rank. `computed` has the computations before each call, which may be
    the end: phase, kernel and number."""

    calls: list[list[Call]]
    computed: list[dict[int, list[tuple[str, str, int]]]]
    phases: Phases


def listing(model: App, ranks: int, values: Mapping[str, Any]) -> Listing:
    phases = model.phases(ranks, 1, values)
    answer = calls_of(phases)
    members = {int(key): tuple(found) for key, found in answer["communicators"].items()}
    names = answer["phases"]
    made = Listing([], [], phases)
    for rows in answer["ranks"]:
        calls: list[Call] = []
        computed: dict[int, list[tuple[str, str, int]]] = {}
        for op, phase, peer, size, back, of, low, high, optional, grain, head, blocks in rows:
            if op == "compute":
                one = (names[phase], answer["kernels"][peer], peer)
                computed.setdefault(len(calls), []).append(one)
                continue
            ranges = tuple((low, high) for low, high in blocks)
            calls.append(Call(
                op, names[phase], peer, size, back, members[of], low, high, optional, grain, head,
                ranges,
            ))  # fmt: skip
        made.calls.append(calls)
        made.computed.append(computed)
    return made


def request_of(
    job: Job, fidelity: str, phases: Phases, messages: int, buffers: str = "host"
) -> dict[str, Any]:
    """A request of the core."""
    return {
        **job.request(fidelity), "nodes": job.nodes, "ppn": job.ppn, "buffers": buffers,
        "program": phases.program(), "messages": messages,
    }  # fmt: skip


def time_of(job: Job, phases: Phases, tick: core.Tick | None) -> float:
    """The time of the model without computation."""
    return float(played(job, phases, tick, computes=False)["time_s"])


def played(
    job: Job, phases: Phases, tick: core.Tick | None, computes: bool = True
) -> dict[str, Any]:
    """The model in closed form, with all iterations."""
    def without(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = [node for node in nodes if node.get("call") != "compute"]
        return [n | {"body": without(n["body"])} if "body" in n else n for n in kept]

    request = request_of(job, "loggp", phases, MESSAGES)
    if not computes:
        request["program"]["body"] = without(request["program"]["body"])
    answer: dict[str, Any] = core.enter("app", {**request, "method": "all"}, tick)
    return answer


def seconds_of(job: Job, phases: Phases, tick: core.Tick | None) -> list[float]:
    """The model's seconds of each computation by its number, the mean over ranks."""
    found: list[dict[str, Any]] = []

    def visit(nodes: Sequence[Mapping[str, Any]]) -> None:
        for node in nodes:
            visit(node.get("body", ()))
            if node.get("call") == "compute":
                own = {"phase": len(found), "request": 0, "is_offloaded": False}
                none = {"kind": "normal", "sigma": 0.0}
                found.append({**node, **own, "where": [], "imbalance": none, "noise": none})

    # Each is made once, in a phase of its own.
    request = request_of(job, "loggp", phases, MESSAGES)
    visit(request["program"]["body"])
    names = [str(number) for number in range(len(found))] or ["0"]
    request["program"] |= {"phases": names, "body": found}
    answer = core.enter("app", {**request, "method": "all"}, tick)
    seconds = {row["phase"]: float(row["compute_s"]) for row in answer["phases"]}
    return [seconds.get(name, 0.0) for name in names]


def recorded(
    job: Job, program: Sequence[str], tick: core.Tick | None, compute: str = "none"
) -> tuple[list[list[dict[str, Any]]], float]:
    """The calls of the program by rank, and its time. Each call has the members of its
    communicator, and the time of the rank's computation before it. With computation there is a last
    row for the end."""
    with tempfile.TemporaryDirectory(prefix="odonata-check-") as directory:
        file = Path(directory) / "recording.parquet"
        run = launch.run(job, program, fidelity="loggp", compute=compute, record=file, tick=tick)
        wrong = Diagnostics()
        header, columns = records.read(wrong, file, file.read_bytes())
        wrong.raise_any()
        world = tuple(range(job.ranks))
        members = {context: tuple(found) for context, found in header["communicators"]}
        rows: list[list[dict[str, Any]]] = [[] for _ in range(job.ranks)]
        before_ps = [0] * job.ranks
        for row in records.rows(header, columns):
            before_ps[row["rank"]] += row["after_ps"]
            if row["op"] in IGNORED or row["context"] & PRIVATE or row["op"].startswith("file_"):
                continue
            row["members"] = members.get(row["context"], world)
            row["computing_s"] = 1e-12 * before_ps[row["rank"]]
            before_ps[row["rank"]] = 0
            rows[row["rank"]].append(row)
        for rank in range(job.ranks if compute != "none" else 0):
            rows[rank].append({"op": "exit", "computing_s": 1e-12 * before_ps[rank]})
        return rows, run.time


@dataclass(frozen=True)
class Gap:
    """The computation of a rank before one of the model's calls, and the kernels that the model has
    there with their seconds; those of stated times are empty."""

    rank: int
    call: int
    phase: str
    seconds: float
    kernels: tuple[str, ...]
    model_s: tuple[float, ...]
    # Before the first call, where programs have their set-up, too.
    is_first: bool


def gaps(
    of: Listing, rows: Sequence[Sequence[Mapping[str, Any]]], model_s: Sequence[float]
) -> Iterator[Gap]:
    """The computations of a program between calls of its model, whose computations take `model_s`.

    The computations before the first call and after the last one are among them only if the model
    computes there. Computation that the model does not have belongs to the phase of the next call.
    """
    for rank, found in enumerate(rows):
        yield from gaps_of(rank, of.calls[rank], of.computed[rank], found, model_s)


def gaps_of(
    rank: int,
    calls: Sequence[Call],
    computed: Mapping[int, Sequence[tuple[str, str, int]]],
    rows: Sequence[Mapping[str, Any]],
    model_s: Sequence[float],
) -> Iterator[Gap]:
    """The same for one rank."""
    start = start_of(calls, rows) if calls else 0
    done, last = -1, start - 1  # the latest call of the model, and that of the recording
    end = (len(calls), len(rows) - 1 if not calls else None)
    for nth, at in (*pairs(calls, rows, start), end):
        at = last + 1 if at is None else at
        is_end = nth == len(calls)
        if at >= len(rows) or not (is_end or is_equal(calls[nth], rows[at], None)):
            return
        own = [one for k in range(done + 1, nth + 1) for one in computed.get(k, ())]
        if own or (done >= 0 and not is_end):
            phase = own[-1][0] if own else calls[nth].phase
            seconds = sum(row["computing_s"] for row in rows[last + 1 : at + 1])
            kernels = tuple(kernel for _, kernel, _ in own)
            theirs = tuple(model_s[number] for _, _, number in own)
            yield Gap(rank, nth, phase, seconds, kernels, theirs, nth == 0 and bool(calls))
        done, last = nth, at


def by_phase(found: Iterable[Gap], answer: Mapping[str, Any], ranks: int) -> list[ComputingRow]:
    """Computation of program and model between the same calls, in the order of the model's
    phases."""
    rows = {row["phase"]: ComputingRow(row["phase"]) for row in answer["phases"]}
    for gap in found:
        if gap.is_first:
            continue
        row = rows.setdefault(gap.phase, ComputingRow(gap.phase))
        row.program_s += gap.seconds / ranks
        row.model_s += sum(gap.model_s) / ranks
    return list(rows.values())


def compared(
    ranks: int,
    calls: Sequence[Sequence[Call]],
    rows: Sequence[Sequence[Mapping[str, Any]]],
) -> SizeCheck:
    """All ranks of one size: calls, and the distribution of drawn sizes."""
    size = compared_calls(ranks, calls, rows)
    size.finish()
    return size


def compared_calls(
    ranks: int,
    calls: Sequence[Sequence[Call]],
    rows: Sequence[Sequence[Mapping[str, Any]]],
) -> SizeCheck:
    """The calls alone. Of each rank, the first difference counts."""
    size = SizeCheck(ranks)
    for rank in range(ranks):
        mine, found = calls[rank], rows[rank]
        start = start_of(mine, found)
        at = start
        for nth, at in pairs(mine, found, start):
            row = found[at] if at < len(found) else None
            if row is None or not is_equal(mine[nth], row, size):
                size.differences.append(difference(rank, at, mine[nth], row))
                break
            size.calls += 1
        else:
            size.before.update(row["op"] for row in found[:start])
            rest = found[at + 1 if mine else start :]
            size.after.update(row["op"] for row in rest)
            repeated = repetition(mine, rest)
            if repeated is not None:
                size.differences.append(
                    Difference(rank, at + repeated, mine[-1].phase, "further iterations",
                               "the end of the model's calls")
                )  # fmt: skip
    return size


def pairs(
    calls: Sequence[Call], rows: Sequence[Mapping[str, Any]], start: int
) -> Iterator[tuple[int, int]]:
    """Numbers of calls of the model and of the recording, in order. Calls that are drawn are
    skipped, with the messages that the program sends and receives instead."""
    at, nth = start, 0
    while nth < len(calls):
        if calls[nth].is_optional:
            while nth < len(calls) and calls[nth].is_optional:
                nth += 1
            while at < len(rows) and rows[at]["op"] in PAIRWISE:
                at += 1
            continue
        yield nth, at
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
