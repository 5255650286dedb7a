"""Several concurrent jobs on one machine: the time of each, with the others and alone.

`odonata.jobs(machine, [{"program": ["python", "app.py"], "ranks": 64, "ppn": 8},
{"bench": "alltoall", "bytes": "64Ki", "nodes": 32}])`; on the command line,
`odonata run --jobs FILE`, whose `[[job]]` tables have the same keys.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import background_traffic, clocks, core, fileio, io_benchmarks, launch, machines, names
from . import tables, units
from . import warm as forker
from .benchmarks import NAMES
from .errors import Diagnostic, Diagnostics, InputError, SimulatedFailure
from .files import read_text, why
from .libraries import libraries, library_request, rules_request
from .machines import Machine
from .results import JobRow, Result
from .version import version

if TYPE_CHECKING:
    import pyarrow

KEYS = (
    "name", "program", "bench", "bytes", "iterations", "messages", "io_options", "file_system",
    "ranks", "nodes", "ppn", "placement", "env", "wdir", "compute", "class",
)  # fmt: skip
FILE_KEYS = ("job", "background", "noise", "warmup")
# Places of diagnostics that concern all jobs; with a file these are no options.
OF_FILE = (*FILE_KEYS, "class", "env")
# Default sizes of a benchmark: large enough for contention.
BYTES = 1 << 16
MOST_WARMUP_S = 1
# Larger numbers are taken for typing errors.
MOST_JOBS, MOST_KEYS = 10_000, 1_000
_NESTED = ("distance", "bench", "alone_bench", "failure", "file_io", "replaced_files",
           "phases", "alone_phases")  # fmt: skip


@dataclass
class JobsResult(Result):
    """The prediction for each job, with the others and alone."""

    summary: dict[str, Any] = field(repr=False)
    data: dict[str, Any] = field(repr=False)

    @property
    def time(self) -> float:
        """Time from the common start to the end of the last job, seconds."""
        return float(self.summary["time_s"])

    @property
    def rows(self) -> list[JobRow]:
        """One mapping per job: `name`, `time_s`, `alone_s`, `slowdown`, `digest` and counters."""
        jobs: list[JobRow] = self.summary["jobs"]
        return jobs

    @property
    def slowdowns(self) -> dict[str, float | None]:
        """By job: time with the other jobs divided by time alone; None if it did not run alone."""
        return {row["name"]: row.get("slowdown") for row in self.rows}

    @property
    def table(self) -> pyarrow.Table:
        """The rows as Arrow."""
        return tables.table(self.data["jobs"])

    @property
    def exit_code(self) -> int:
        """Exit code of `odonata run --jobs`: 0, or that of the first job that failed."""
        return int(self.summary["exit_code"])


def jobs(
    machine: Machine,
    entries: Sequence[Mapping[str, Any]],
    *,
    background: Any = None,
    noise: str | None = None,
    warmup_s: float | None = None,
    alone: bool = True,
    fidelity: str = "packet",
    mpi: str = "mpich",
    seed: int = 1,
    limits: str = "fail",
    coll_rules: str | Path | None = None,
    storage_class: str | None = None,
    engine: str = "auto",
    threads: int = 1,
    label: bool = False,
    check: bool = True,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> JobsResult:
    """Run concurrent jobs on `machine`, starting together, and each job alone on the same nodes.

    An entry has `program` (a command line or its words) or `bench` (a built-in benchmark, with
    `bytes`, `iterations` and `messages`; `ior` and `mdtest` with `io_options` and `file_system`).
    Further keys are `ranks` or `nodes`, `ppn`, `placement`
    (on the nodes that earlier jobs leave free), `name`, `env`, `wdir`, `compute` and `class`.
    `background`, `noise`, `limits`, `coll_rules`, `storage_class`, `engine` and `threads` are as
    for `Machine.job`. With `alone`, programs run twice: with the others, and alone. With `check`, a
    job that fails raises `SimulatedFailure`.
    """
    wrong = Diagnostics()
    machines.is_machine(wrong, machine)
    entries = wrong.sequence("jobs", entries, "a list of jobs, at least one")
    checked = checked_request(
        wrong, machine, entries, background=background, noise=noise, warmup_s=warmup_s,
        fidelity=fidelity, mpi=mpi, seed=seed, limits=limits, coll_rules=coll_rules,
        storage_class=storage_class, engine=engine, threads=threads, label=label,
    )  # fmt: skip
    if wrong.list:
        wrong.extend(InputError(checked.diagnostics()))
    wrong.raise_any()
    try:
        answer = core.enter("jobs", {**checked.request, "alone": alone}, tick, stop)
    except InputError as error:
        raise InputError(map(checked.as_given, error.diagnostics)) from None
    for row, requested in zip(answer["jobs"], checked.request["jobs"], strict=True):
        of_files(answer, row, requested)
    data = {
        "links": tables.rows_of(answer.pop("link_table")),
        "counters": tables.rows_of(answer.pop("counter_table")),
        "jobs": [
            {key: value for key, value in row.items() if key not in _NESTED}
            for row in answer["jobs"]
        ],
        "background": tables.rows_of(answer["background"]),
    }
    summary = {
        "odonata": version(),
        "kind": "jobs",
        "routing": machine.routing,
        "seed": seed,
        "counters": data["counters"],
        **answer,
    }
    result = JobsResult(summary, data)
    if check:
        raise_failure(result)
    return result


def of_files(answer: dict[str, Any], row: dict[str, Any], job: Mapping[str, Any]) -> None:
    """Notes about the files that a job's ranks opened."""
    if (seen := row.pop("files", None)) is None:
        return
    environment = {core.unword(key): core.unword(value) for key, value in job["env"]}
    wdir = core.unword(job["wdir"])
    if lost := fileio.replaced(seen, environment, wdir, row["time_s"]):
        row["replaced_files"] = lost
        answer.setdefault("notes", []).append(f"job {row['name']}: {fileio.note(lost)}")
    if found := fileio.of_run(seen, job["compute"]):
        row["file_io"] = found


def raise_failure(result: JobsResult) -> None:
    """Raise `SimulatedFailure` if a job failed by itself or because the run ended."""
    failed = [row for row in result.rows if row.get("failure")]
    for row in sorted(failed, key=lambda row: row["failure"]["kind"] == "interrupted"):
        failure = row["failure"]
        message = f"job {row['name']}: {failure['message']}"
        raise SimulatedFailure(message, failure["kind"], failure["ranks"], result)


@dataclass
class JobsRequest:
    """The request for the core. It contains only entries without known errors, so that the core can
    report the remaining problems even of a request that is refused."""

    request: dict[str, Any] | None  # none for an unknown machine
    entries: Sequence[Any]
    # Numbers of the request's jobs and backgrounds in the input.
    jobs: list[int]
    backgrounds: list[int]
    is_background_numbered: bool

    def diagnostics(self) -> list[Diagnostic]:
        """The core's diagnostics; nothing is run."""
        try:
            if self.request is not None:
                core.query("check_jobs", self.request)
        except InputError as error:
            return list(map(self.as_given, error.diagnostics))
        return []

    def as_given(self, c: Diagnostic) -> Diagnostic:
        """A diagnostic of the core in terms of the entries.

        The core does not number a single job, counts ranks where nodes may be given, and knows one
        size per benchmark.
        """
        if nth := re.fullmatch(r"background(?: ([0-9]+))?", c.at):
            number = self.backgrounds[int(nth[1] or 1) - 1]
            at = f"background {number}" if self.is_background_numbered else "background"
            return Diagnostic(at, c.found, c.wanted, c.hint)
        known = re.fullmatch(rf"(?:job ([0-9]+): )?((?:{'|'.join(KEYS)}|sizes)\b.*)", c.at)
        if not known or (not known[1] and len(self.jobs) != 1):
            return c
        number, at, found = self.jobs[int(known[1] or 1) - 1], known[2], c.found
        job = self.entries[number - 1]
        if at == "sizes":
            at = "bytes"
        elif at == "ranks" and job.get("ranks") is None:
            at, found = "nodes", str(job["nodes"])
            if job.get("ppn", 1) != 1:
                found = f"{found} nodes of {job['ppn']} ranks each"
        return Diagnostic(f"job {number}: {at}", found, c.wanted, c.hint)


def checked_request(
    wrong: Diagnostics,
    machine: Machine,
    entries: Sequence[Any],
    *,
    background: Any,
    noise: Any,
    warmup_s: Any,
    fidelity: str,
    mpi: str,
    seed: Any,
    limits: str,
    coll_rules: Any,
    storage_class: str | None = None,
    engine: str = "auto",
    threads: Any = 1,
    label: bool = False,
) -> JobsRequest:
    """The request for the core, and the problems that are found without it."""
    own = Diagnostics()
    machines.check_names(own, machine, fidelity, mpi)
    jobs = all_of(own, entries, label)
    seed = own.whole("seed", seed, 0, 2**63 - 1)
    backgrounds = background_traffic.background(own, background)
    shaken = background_traffic.noise(own, noise)
    if warmup_s is not None:
        wanted = f"a simulated span of at most {MOST_WARMUP_S} s"
        warmup_s = own.number("warmup", warmup_s, wanted, 0, MOST_WARMUP_S)
    names.check_limits(own, limits)
    names.check_engine(own, engine)
    threads = own.whole("threads", threads)
    names.check_class(own, storage_class, "storage_class")
    rules = rules_request(own, coll_rules)
    wrong.extend(InputError(own.list))

    # Diagnostics name jobs and backgrounds by their numbers.
    bad = {c.at.partition(":")[0] for c in own.list}
    sound = [nth for nth in range(1, len(jobs) + 1) if f"job {nth}" not in bad]
    accepted = [nth for nth in range(1, len(backgrounds) + 1)
             if not bad & {"background", f"background {nth}"}]  # fmt: skip
    if "mpi" in bad:  # variables that another library reads are unknown
        jobs = [{**job, "env": []} if "env" in job else job for job in jobs]
    request = None
    if "machine" not in bad and isinstance(machine, Machine):
        request = {
            "machine": machine.request(),
            "fidelity": fidelity if "fidelity" not in bad else names.FIDELITIES[0],
            "routing": machine.routing if "routing" not in bad else None,
            **library_request(mpi if "mpi" not in bad else libraries()[0]),
            "rules": rules,
            "seed": seed,
            "limits": limits if "limits" not in bad else "off",
            "engine": engine if "engine" not in bad else "auto",
            "threads": threads if "threads" not in bad else 1,
            "storage_class": storage_class if "storage_class" not in bad else None,
            "background": [backgrounds[nth - 1] for nth in accepted],
            "noise": shaken if "noise" not in bad else None,
            "jobs": [jobs[nth - 1] for nth in sound],
        }
        if warmup_s is not None:
            request["warmup_s"] = warmup_s
    return JobsRequest(request, entries, sound, accepted, len(backgrounds) > 1)


def foreseen(machine: Machine, entries: Sequence[Any], **options: Any) -> list[Diagnostic]:
    """All problems that `jobs` would report; nothing is run."""
    wrong = Diagnostics()
    found = checked_request(wrong, machine, entries, **options)
    wrong.extend(InputError(found.diagnostics()))
    return wrong.list


def name_origins(result: JobsResult, backgrounds: Sequence[Any], origins: Sequence[str]) -> None:
    """Add to the rows of backgrounds where each was requested. Without load there is no row."""
    pairs = zip(background_traffic.background(Diagnostics(), backgrounds), origins, strict=True)
    loads = [origin for one, origin in pairs if one["load"] > 0 or one.get("rate")]
    for row, origin in zip(result.data["background"], loads, strict=True):
        row["origin"] = origin
    result.summary["background"] = result.data["background"]


def all_of(wrong: Diagnostics, entries: Sequence[Any], label: bool) -> list[dict[str, Any]]:
    """The jobs in the core's form."""
    if len(entries) > MOST_JOBS:
        wrong.add("jobs", f"{len(entries):,} jobs", f"at most {MOST_JOBS:,} jobs")
        return []
    jobs = [entry(wrong, given, i, label) for i, given in enumerate(entries, 1)]
    called = [job.get("name") for job in jobs]
    for i, name in enumerate(called):
        if name is not None and name in called[:i]:
            wrong.add(f"job {i + 1}: name", name, "a name of its own for each job")
    return jobs


def entry(wrong: Diagnostics, given: Any, number: int, label: bool) -> dict[str, Any]:
    """One job in the core's form; diagnostics name it by its number."""
    sub = Diagnostics()
    found = _entry(sub, given, number, label) if isinstance(given, Mapping) else {}
    if not isinstance(given, Mapping):
        sub.add("job", given, f"a mapping with keys among {', '.join(KEYS)}")
    for c in sub.list:
        wrong.add(f"job {number}: {c.at}", c.found, c.wanted, c.hint)
    return found


def _entry(
    wrong: Diagnostics, given: Mapping[str, Any], number: int, label: bool
) -> dict[str, Any]:
    unknown(wrong, given, KEYS)
    ppn = wrong.whole("ppn", given.get("ppn", 1))
    if given.get("ranks") is None and given.get("nodes") is None:
        wrong.add("ranks", "nothing", "`ranks` or `nodes`")
    nodes = None if given.get("nodes") is None else wrong.whole("nodes", given["nodes"])
    ranks = wrong.whole("ranks", given.get("ranks", (nodes or 1) * ppn))
    if nodes is not None and not (nodes - 1) * ppn < ranks <= nodes * ppn and not wrong.list:
        wrong.add("ranks", ranks, f"what fills {nodes} nodes of {ppn} ranks each")
    found: dict[str, Any] = {"ranks": ranks, "ppn": ppn, "placement": _placement(wrong, given)}
    names.check_class(wrong, given.get("class"))
    found["class"] = given.get("class")
    has = [key for key in ("program", "bench") if given.get(key) is not None]
    if len(has) != 1:
        wrong.add("program", " and ".join(has) or "nothing", "either `program` or `bench`")
        return found
    of = _program if has == ["program"] else _bench
    task, name = of(wrong, given, label)
    if given.get("name") is not None and not isinstance(given["name"], str):
        wrong.add("name", given["name"], "a text")
    found["name"] = str(given.get("name", f"{number} {name}"))
    return {**found, **task}


def unknown(wrong: Diagnostics, given: Mapping[str, Any], known: Sequence[str]) -> None:
    """Add a diagnostic for each unknown key."""
    if len(given) > MOST_KEYS:
        wrong.add("keys", f"{len(given):,} keys", f"keys among {', '.join(known)}")
        return
    for key in given:
        if key not in known:
            wanted = f"a key of {', '.join(known)}"
            wrong.unknown_key(str(key), given[key], wanted, key, known)


def _placement(wrong: Diagnostics, given: Mapping[str, Any]) -> Any:
    where = given.get("placement", names.PLACEMENTS[0])
    if isinstance(where, str):
        names.check_placement(wrong, where, ["a list of nodes, one a rank"])
        return where
    named = wrong.sequence("placement", where, "a name or the node of every rank")
    return {"nodes": [wrong.whole("placement", node, 0) for node in named]}


def _program(
    wrong: Diagnostics, given: Mapping[str, Any], label: bool
) -> tuple[dict[str, Any], str]:
    words = given["program"]
    if isinstance(words, str):
        try:
            words = shlex.split(words)
        except ValueError as error:
            wrong.add("program", words, f"a command line ({error})")
            words = ["true"]
    for key in ("bytes", "iterations", "messages"):
        if given.get(key) is not None:
            wrong.add(key, given[key], f"`bench` with it: a program has no `{key}`")
    wdir = launch.path_of(wrong, "wdir", given.get("wdir")) or os.getcwd()
    own = launch.check_environment(wrong, given.get("env"))
    environment = launch.environment_of(own)
    environment |= clocks.variables(wrong, "virtual", clocks.EPOCH, environment)
    launch.check_variables(wrong, environment)
    program = launch.check_program(wrong, words, wdir, environment)
    task = {
        **launch.words_of(
            program,
            forker.command(program, wdir, environment) if program else None,
            environment,
            os.path.abspath(wdir),
        ),
        "label": label,
        "compute": launch.compute_of(wrong, given.get("compute", "measured")),
    }
    return task, os.path.basename(program[-1]) if program else "program"


def _bench(wrong: Diagnostics, given: Mapping[str, Any], _: bool) -> tuple[dict[str, Any], str]:
    name = given["bench"]
    if name in io_benchmarks.NAMES:
        return _files(wrong, given)
    wrong.word("bench", name, (*NAMES, *io_benchmarks.NAMES), "a benchmark")
    for key in ("io_options", "file_system"):
        if given.get(key) is not None:
            wrong.add(key, given[key], "`ior` or `mdtest` with it")
    size = given.get("bytes", 0 if name == "barrier" else BYTES)
    if isinstance(size, str):
        try:
            size = units.read_bytes(size)
        except units.Unreadable as error:
            wrong.add("bytes", size, "a size in bytes", str(error) or None)
            size = 0
    for key in ("env", "wdir", "compute"):
        if given.get(key) is not None:
            wrong.add(key, given[key], f"`program` with it: a benchmark has no `{key}`")
    task = {"bench": name, "bytes": wrong.whole("bytes", size, 0, units.MOST)}
    if given.get("iterations") is not None:
        task["iterations"] = wrong.whole("iterations", given["iterations"])
    if given.get("messages") is not None:
        task["messages"] = wrong.whole("messages", given["messages"])
    return task, str(name)


def _files(wrong: Diagnostics, given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """IOR or mdtest as a job."""
    for key in ("env", "wdir", "compute", "bytes", "iterations", "messages"):
        if given.get(key) is not None:
            wrong.add(key, given[key], f"no `{key}`: `{given['bench']}` has `io_options`")
    task = {"bench": given["bench"]}
    for key in ("io_options", "file_system"):
        if given.get(key) is not None:
            if not isinstance(given[key], str):
                wrong.add(key, given[key], "a text")
            task[key] = str(given[key])
    return task, str(given["bench"])


def read_file(wrong: Diagnostics, path: str | Path) -> dict[str, Any]:
    """A jobs file: `[[job]]` and `[[background]]` tables, `noise`, `warmup`."""
    try:
        text = read_text(path)
    except (OSError, ValueError, TypeError) as error:
        wrong.add("jobs", path or "nothing", f"a readable jobs file ({why(error)})")
        return {}
    try:
        found = json.loads(core.query("toml_to_json", text))
    except InputError as error:
        for c in error.diagnostics:
            wrong.add(f"{path}, {c.at}", "", f"TOML ({c.wanted})")
        return {}
    sub = Diagnostics()
    unknown(sub, found, FILE_KEYS)
    if not isinstance(found.get("job"), list) or not found["job"]:
        wrong.add("jobs", path, "a file with `[[job]]` tables, at least one")
        found["job"] = []
    all_of(sub, found["job"], False)
    if not isinstance(found.get("background", []), list):
        found["background"] = [found["background"]]
    background_traffic.background(sub, found.get("background"))
    background_traffic.noise(sub, found.get("noise"))
    if found.get("warmup") is not None:
        found["warmup"] = _warmup(sub, found["warmup"])
    for c in sub.list:
        wrong.add(f"{path}, {c.at}", c.found, c.wanted, c.hint)
    return found


def _warmup(wrong: Diagnostics, given: Any) -> float | None:
    """A simulated span in seconds; None if it is invalid."""
    try:
        span = units.read_span(str(given))
    except units.Unreadable as error:
        wrong.add("warmup", given, "a simulated span, such as `20us`", str(error) or None)
        return None
    if span > MOST_WARMUP_S:
        wrong.add("warmup", given, f"a simulated span of at most {MOST_WARMUP_S} s")
        return None
    return span


def in_file(
    c: Diagnostic, path: str | Path, file: Mapping[str, Any], typed: Mapping[str, Any]
) -> Diagnostic:
    """A diagnostic with the jobs file's name, unless it concerns an option.

    Backgrounds of options come before those of the file; each group is numbered by itself.
    """
    at, by_hand = c.at, bool(typed.get(c.at))
    if nth := re.fullmatch(r"background(?: ([0-9]+))?", at):
        number, all_typed = int(nth[1] or 1), len(typed["background"])
        by_hand = number <= all_typed
        several = all_typed if by_hand else len(file["background"])
        number -= 0 if by_hand else all_typed
        at = f"background {number}" if several > 1 else "background"
    theirs = at.startswith(("job ", "background")) or at in OF_FILE
    at = f"{path}, {at}" if theirs and not by_hand else at
    return Diagnostic(at, c.found, c.wanted, c.hint)
