"""Running a model on numbers of nodes: `run(model, machine, nodes=[8, 64])`."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .. import bands, core, timelines
from .._vocabulary import BUFFERS, SCALINGS, AppRow, Buffers, Fidelity, Scaling
from ..benchmarks import MESSAGES
from ..errors import Diagnostics, InputError, SimulatedFailure
from ..files import why
from ..machines import Job, Machine, is_machine
from ..progress import part_of
from ..results import Sweep
from ..units import Unreadable
from ..version import version
from . import advice
from .checking import is_checked, request_of
from .model import App, limited
from .phases import Phases, input_error

if TYPE_CHECKING:
    import matplotlib.axes

NODES_WANTED = "numbers of nodes: `32`, a list `32,512`, or a doubling range `128:8192`"
BUILT_IN = (
    "hpl", "hpl-mxp", "graph500", "hpcg", "hacc", "nekbone", "amr-wind", "lammps", "fmm",
    "shamrock",
)  # fmt: skip
WANTED = f"a model: {', '.join(BUILT_IN)}, or a Python file that defines `model = App(...)`"


@dataclass
class AppResult(Sweep[AppRow]):
    """Rows by number of nodes.

    `figure_of_merit` has the unit `unit`; `low` and `high` are its band: the residuals of
    `summary["bands"]` and the errors of the run (`errors` of `summary["runs"]`), as independent
    factors. Among these errors is the uncertainty of the computing units' rates.

    `efficiency` is the figure of merit per node (weak and strong scaling) relative to the first
    row. `summary["runs"]` has the phases of each row.
    """

    name: str
    summary: dict[str, Any] = field(repr=False)
    native: list[str] = field(default_factory=list, repr=False)
    """Lines of the application's own output."""

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """The figure of merit against nodes, with the ideal line."""
        from .. import plot

        return plot.app(self, ax)


def load(name: str) -> App:
    """A model of odonata by its name, or that of a Python file."""
    if name in BUILT_IN:
        module = importlib.import_module(f"odonata.app.models.{name.replace('-', '_')}")
        return module.model
    if not name.endswith(".py"):
        wrong = Diagnostics()
        wrong.word("model", name or "nothing", BUILT_IN, WANTED)
        wrong.raise_any()
    path = os.path.abspath(name)
    try:
        with open(path, "rb") as file:
            code = file.read()
    except OSError as error:
        raise input_error("model", name, f"{WANTED} ({why(error)})") from None
    return of_source(path, code)


def try_load(wrong: Diagnostics, name: str) -> App | None:
    """The model; None after its problems were added to `wrong`."""
    try:
        return load(name)
    except InputError as error:
        wrong.extend(error)
        return None


def of_source(path: str, code: bytes) -> App:
    """The model that a file defines."""
    spec = importlib.util.spec_from_loader("odonata_model", loader=None, origin=path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = path
    sys.modules[spec.name] = module
    try:
        with limited():
            exec(compile(code, path, "exec"), module.__dict__)
    except SyntaxError as error:
        raise input_error(f"{path}:{error.lineno}", error.msg, "a Python file") from None
    except (Exception, SystemExit) as error:
        trace = sys.exc_info()[2]
        lines = []
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == path:
                lines.append(trace.tb_lineno)
            trace = trace.tb_next
        found = f"{type(error).__name__}: {error}"
        at = f"{path}:{lines[-1] if lines else 1}"
        raise input_error(at, found, "a file that can be imported") from error
    model = getattr(module, "model", None)
    if not isinstance(model, App):
        raise input_error(path, "no `model`", "a line `model = App(...)`")
    return model


def known_name(model: App) -> str | None:
    """The name of a model of odonata, by which its measurements are found; its title may differ."""
    folder = os.path.join(os.path.dirname(__file__), "models")
    files = {os.path.join(folder, f"{name.replace('-', '_')}.py"): name for name in BUILT_IN}
    return files.get(os.path.abspath(model.file))


def read_nodes(text: str) -> list[int]:
    """`32`, `32,512` or `128:8192`, which doubles and ends with the last number."""
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"([1-9][0-9]{0,8})(?::([1-9][0-9]{0,8}))?", part.strip())
        if match is None:
            raise Unreadable("")
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise Unreadable(f"did you mean `{last}:{first}`?")
        while first < last:
            found.append(first)
            first *= 2
        found.append(last)
    return sorted(set(found))


def run(
    model: App | str,
    machine: Machine,
    *,
    nodes: int | Iterable[int] | str,
    ppn: int | None = None,
    problem: Mapping[str, Any] | None = None,
    scaling: Scaling = "weak",
    fidelity: Fidelity = "loggp",
    messages: int = MESSAGES,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
    native: bool = False,
    advise: bool = False,
    buffers: Buffers = "host",
    **job: Any,
) -> AppResult:
    """Predict an application on each number of nodes.

    `model` is an `App`, the name of a model of odonata or a Python file. `problem` sets options of
    the model. `messages` limits the simulated messages per number of nodes. With `native`, the
    result has the lines of the application's own output, with `advise` its summary has the
    alternatives of the last number of nodes (`advice`). `buffers` is the memory of messages: `host`
    or `gpu`. Other arguments (`placement`, `mpi`, `seed`, ...) are those of `Machine.job`.
    """
    wrong = Diagnostics()
    is_machine(wrong, machine)
    name = model if isinstance(model, str) else model.title or model.function.__name__
    found = load(model) if isinstance(model, str) else model
    values = found.values(wrong, problem or {})
    if isinstance(nodes, str):
        try:
            counts = read_nodes(nodes)
        except Unreadable as error:
            wrong.add("nodes", nodes, NODES_WANTED, str(error) or None)
            counts = [1]
    else:
        several = [nodes] if isinstance(nodes, int) else list(nodes)
        counts = [wrong.whole("nodes", count) for count in several]
    wrong.word("scaling", scaling, SCALINGS, "a scaling")
    wrong.word("buffers", buffers, BUFFERS, "one of")
    wrong.raise_any()
    own = found.ranks_per_node(machine) if ppn is None else ppn
    jobs = [machine.job(nodes=count, ppn=own, **job) for count in counts]
    return play(
        found, name, jobs, values, scaling, fidelity, messages, tick, stop, native, advise,
        buffers,
    )  # fmt: skip


def play(
    model: App,
    name: str,
    jobs: Sequence[Job],
    values: Mapping[str, Any],
    scaling: str,
    fidelity: str,
    messages: int,
    tick: core.Tick | None,
    stop: core.Stop | None,
    is_native: bool = False,
    advise: bool = False,
    buffers: str = "host",
) -> AppResult:
    """The same for checked options and jobs that differ in their nodes alone. `name` is
    displayed."""
    rows: list[dict[str, Any]] = []
    runs: list[dict[str, Any]] = []
    native: list[str] = []
    first = jobs[0].ranks if scaling == "strong" else None
    jobs[0].check(fidelity)
    summary: dict[str, Any] = {
        "odonata": version(), "kind": "app", "name": name, "machine": jobs[0].machine.name,
        "mpi": jobs[0].mpi, "fidelity": fidelity, "ppn": jobs[0].ppn, "seed": jobs[0].seed,
        "scaling": scaling, "problem": dict(values), "is_checked": is_checked(model),
        "buffers": buffers,
    }  # fmt: skip
    kinds = bands.application_kinds(known_name(model) or name)
    # All sizes are checked before the first is simulated.
    traced = [model.phases(j.nodes, int(j.ppn or 1), values, first, j.seed) for j in jobs]
    measured: dict[str, Any] | None = None
    cut: dict[str, Any] | None = None
    whole_tick = tick
    for nth, (job, phases) in enumerate(zip(jobs, traced, strict=True)):
        tick = part_of(whole_tick, nth, len(jobs))
        request = request_of(job, fidelity, phases, messages, buffers)
        answer = core.enter("app", request, tick, stop)
        timelines.finish(job.timeline, answer)
        answer.pop("nic_counters", None)  # for the report of a library, which models do not print
        runs.append(answer)
        if answer["interrupted"] or answer["failure"]:
            break
        if answer["method"] == "composed":
            if measured is None:
                estimated = answer["messages_estimated"]
                several = replicas(model, job, values, first, messages / max(estimated, 1.0))
                compared = [
                    composition(one, fidelity, messages, tick, stop, buffers) for one in several
                ]
                measured = max(compared, key=lambda one: one["error"])
            answer["composition"] = measured
            answer["errors"]["composition"] = measured["error"]
        rows.append(row_of(model, phases, answer, rows, kinds, fidelity))
        if is_native and model.native:
            steps, cut = steps_of(job, phases, fidelity, messages, tick, stop, buffers)
            if cut:  # the output is computed from all steps
                break
            with model.guarded():
                native += [""] if native else []
                native += model.native(phases, answer["time_s"], {**answer, "steps": steps})
    summary["bands"] = bands.summary_of([bands.band_of(kinds, fidelity)], fidelity)
    summary |= {"rows": rows, "runs": runs, "digest": [one["digest"] for one in runs]}
    last = cut or runs[-1]
    summary["interrupted"] = bool(last["interrupted"])
    result = AppResult(name, summary, native)
    if advise and rows and not summary["interrupted"] and not last["failure"]:
        found = advice.advise(summary, model, jobs[-1], values, messages, tick, stop)
        summary |= {"advice": found, "interrupted": found["interrupted"]}
    if last["failure"]:
        raise SimulatedFailure.of(last["failure"], result)
    return result


def steps_of(
    job: Job,
    phases: Phases,
    fidelity: str,
    messages: int,
    tick: core.Tick | None,
    stop: core.Stop | None,
    buffers: str = "host",
) -> tuple[list[tuple[Any, dict[str, Any]]], dict[str, Any] | None]:
    """The sampled iterations of a model's loop, each after its warm-up: value and result; and the
    result that was interrupted or failed, if any, after which no more are simulated."""
    request = request_of(replace(job, timeline=None), fidelity, phases, messages, buffers)
    found: list[tuple[Any, dict[str, Any]]] = []
    for value, program in phases.sampled_steps():
        answer = core.enter("app", {**request, "program": program}, tick, stop)
        if answer["interrupted"] or answer["failure"]:
            return found, answer
        found.append((value, answer))
    return found, None


def replicas(
    model: App, job: Job, values: Mapping[str, Any], first: int | None, share: float
) -> list[tuple[Job, Phases]]:
    """The model on as many nodes as the message budget allows, a share of those of the job, and
    on a quarter of them."""
    most = max(int(job.nodes * share), 1)
    found = [replica(model, job, values, first, most)]
    if found[0][0].nodes >= 4:
        found.append(replica(model, job, values, first, found[0][0].nodes // 4))
    return found


def replica(
    model: App, job: Job, values: Mapping[str, Any], first: int | None, most: int
) -> tuple[Job, Phases]:
    """The model on at most as many nodes: a power of two."""
    nodes = 1 << (most.bit_length() - 1)
    while True:
        small = replace(job, nodes=nodes, ranks=nodes * int(job.ppn or 1))
        try:
            return small, model.phases(nodes, int(job.ppn or 1), values, first, job.seed)
        except InputError:
            # A model need not be valid on any number of nodes.
            if nodes == 1:
                return job, model.phases(job.nodes, int(job.ppn or 1), values, first, job.seed)
            nodes //= 2


def composition(
    small: tuple[Job, Phases],
    fidelity: str,
    messages: int,
    tick: core.Tick | None,
    stop: core.Stop | None,
    buffers: str = "host",
) -> dict[str, Any]:
    """The error of composing a time from parts, measured where the whole can be simulated."""
    job, phases = small
    job = replace(job, timeline=None)
    request = request_of(job, fidelity, phases, messages, buffers)
    whole = core.enter("app", {**request, "method": "simulate"}, tick, stop)
    parts = core.enter("app", {**request, "method": "compose"}, tick, stop)
    error = abs(parts["time_s"] / whole["time_s"] - 1) if whole["time_s"] > 0 else 0.0
    return {"nodes": job.nodes, "simulated_s": whole["time_s"], "composed_s": parts["time_s"],
            "error": error}  # fmt: skip


def rates_error(model: App, answer: dict[str, Any]) -> float:
    """Of the time, if all rates of computing units differ by their uncertainty.

    Computation that communication hides counts, too, but no more than the whole time.
    """
    of_kernels = sum(
        row["time_s"] * (model.uncertainty if row["limit"] == "stated" else row["uncertainty"])
        for row in answer["computations"]
    )
    computed = sum(row["time_s"] for row in answer["computations"])
    seconds = max(answer["time_s"], computed)
    return of_kernels / seconds if seconds > 0 else 0.0


def row_of(
    model: App,
    phases: Phases,
    answer: dict[str, Any],
    before: list[dict[str, Any]],
    kinds: bands.Kinds,
    fidelity: str,
) -> dict[str, Any]:
    """The row of one number of nodes."""
    seconds = answer["time_s"]
    if seconds <= 0:
        found = f"takes no time on {answer['nodes']} nodes"
        raise input_error("model", found, "calls or computation: a larger problem, or more ranks")
    answer["errors"]["rates"] = rates_error(model, answer)
    band = bands.band_of(kinds, fidelity)
    fast, slow = bands.independent_ends(seconds, band, answer["errors"].values())
    value = model.merit_of(phases, seconds)
    row = {
        "nodes": answer["nodes"], "ranks": answer["ranks"], "time_s": seconds,
        "figure_of_merit": value, "unit": model.unit if model.merit else "1/s", "efficiency": 1.0,
        "low": model.merit_of(phases, slow), "high": model.merit_of(phases, fast),
    }  # fmt: skip
    if before:
        base = before[0]
        growth = row["nodes"] / base["nodes"] if model.merit else 1
        row["efficiency"] = value / base["figure_of_merit"] / growth
    return row
