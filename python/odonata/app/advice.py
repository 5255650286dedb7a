"""Which placement, collective algorithm, class, library, NIC mapping, routing or access of NICs to
GPU memory would help.

Each alternative changes one setting of the job and is predicted like the job itself. The absolute
error of a prediction is common to both, so a gain counts if it exceeds the errors of sampling,
repetition and composition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .. import core, tuning
from .._vocabulary import COLLECTIVES, LIBRARIES, NIC_POLICIES, PLACEMENTS
from ..benchmarks import MESSAGES
from ..errors import InputError
from ..libraries import deaf_to
from ..machines import Job
from ..text import counted
from ..units import show_percent, show_time
from .checking import request_of
from .model import App

LEAST = 0.01  # gain that counts, at least
MATTERS = 0.02  # share of the time in a phase whose collectives are tried
CLASSES = ("low-latency", "bulk-data")  # docs/models/classes.md; Aries has none
ROUTINGS = ("minimal", "adaptive-0", "adaptive-3")  # in closed form, routes do not matter
GPU_ACCESS = "MPIR_CVAR_CH4_OFI_ENABLE_HMEM"  # whether NICs access GPU memory; one has no effect
NOT_TRIED = {"none", "group-spread:K"}


@dataclass(frozen=True)
class Alternative:
    """One changed setting, as a user writes it."""

    words: str
    job: Job
    values: Mapping[str, Any]
    env: tuple[tuple[str, str], ...] = ()


def advise(
    summary: Mapping[str, Any],
    model: App,
    job: Job,
    values: Mapping[str, Any],
    messages: int,
    tick: core.Tick | None,
    stop: core.Stop | None,
) -> dict[str, Any]:
    """The alternatives of the last number of nodes of a result, the fastest first.

    After an interruption, the result has those that were predicted, and how many were not.
    """
    fidelity, run = summary["fidelity"], summary["runs"][-1]
    first = summary["rows"][0]["ranks"] if summary["scaling"] == "strong" else None
    job = replace(job, timeline=None)
    rows: list[dict[str, Any]] = []
    refused: list[str] = []
    tried = 0
    interrupted = False
    # Listed at first: the number of those that are left after an interruption is known.
    found = list(alternatives(model, job, values, run, fidelity, first, refused, stop))
    if summary["buffers"] == "gpu" and "MPIR_CVAR_" not in deaf_to(job.mpi):
        found += [
            Alternative(f"{GPU_ACCESS}={value}", job, values, ((GPU_ACCESS, value),))
            for value in "01"
        ]
    for one in found:
        if stop is not None and stop.signal:
            interrupted = True
            break
        try:
            phases = model.phases(
                int(one.job.nodes), int(one.job.ppn or 1), one.values, first, one.job.seed
            )
            request = request_of(one.job, fidelity, phases, messages, summary["buffers"])
            request["env"] = [list(pair) for pair in one.env]
            # Alike, so that their errors are.
            method = "compose" if run["method"] == "composed" else "simulate"
            answer = core.enter("app", {**request, "method": method}, tick, stop)
        except InputError:
            tried += 1
            refused.append(one.words)  # the machine or the library does not have it
            continue
        if answer["interrupted"]:
            interrupted = True
            break
        tried += 1
        if answer["failure"]:
            refused.append(one.words)
            continue
        # The uncertainty of rates is common to both.
        own = sum(error for name, error in run["errors"].items() if name != "rates")
        error = own + sum(answer["errors"].values())
        gain = 1 - answer["time_s"] / run["time_s"]
        rows.append({
            "change": one.words, "time_s": answer["time_s"], "gain": gain,
            "error": error, "helps": gain > max(error, LEAST),
        })  # fmt: skip
    rows.sort(key=lambda row: row["time_s"])
    return {
        "nodes": run["nodes"], "time_s": run["time_s"], "rows": rows, "refused": refused,
        "interrupted": interrupted, "not_tried": len(found) - tried,
    }  # fmt: skip


def alternatives(
    model: App,
    job: Job,
    values: Mapping[str, Any],
    run: Mapping[str, Any],
    fidelity: str,
    first: int | None,
    refused: list[str],
    stop: core.Stop | None,
) -> Iterator[Alternative]:
    """Settings that differ from the job's in one place. Variables whose algorithms cannot be listed
    are added to `refused`."""
    for placement in PLACEMENTS:
        if placement not in (job.placement, *NOT_TRIED):
            yield Alternative(f"--placement {placement}", replace(job, placement=placement), values)
    for library in LIBRARIES:
        if library not in (job.mpi, *NOT_TRIED):
            yield Alternative(f"--mpi {library}", replace(job, mpi=library), values)
    for policy in NIC_POLICIES:
        if policy != (job.nic_policy or NIC_POLICIES[0]):
            yield Alternative(f"--nic-policy {policy}", replace(job, nic_policy=policy), values)
    for name, choices in model.choices.items():
        for choice in choices:
            if choice != values[name]:
                words = f"--problem {name}={choice}"
                yield Alternative(words, job, {**values, name: choice})
    if fidelity != "loggp":
        for name in CLASSES:
            if name != job.traffic_class:
                yield Alternative(f"--class {name}", replace(job, traffic_class=name), values)
        for routing in ROUTINGS:
            if routing != job.machine.routing:
                machine = job.machine.with_(routing=routing)
                yield Alternative(f"--routing {routing}", replace(job, machine=machine), values)
    if "MPIR_CVAR_" not in deaf_to(job.mpi):
        for kind in collectives(model, job, values, run, first):
            if stop is not None and stop.signal:
                return
            name = f"MPIR_CVAR_{kind.upper()}_INTRA_ALGORITHM"
            try:
                names = algorithms(job, kind, stop)
            except InputError:
                refused.append(name)
                continue
            for algorithm in names:
                yield Alternative(f"{name}={algorithm}", job, values, ((name, algorithm),))


def collectives(
    model: App, job: Job, values: Mapping[str, Any], run: Mapping[str, Any], first: int | None
) -> list[str]:
    """Collectives in phases of which communication is a considerable part of the time."""
    matter = {
        row["phase"] for row in run["phases"] if row["communication_s"] > MATTERS * run["time_s"]
    }
    phases = model.phases(int(job.nodes), int(job.ppn or 1), values, first, job.seed)
    program = phases.program()
    found: dict[str, None] = {}

    def visit(nodes: list[dict[str, Any]]) -> None:
        for node in nodes:
            visit(node.get("body", []))
            kind = node.get("kind")
            if kind in COLLECTIVES and program["phases"][node["phase"]] in matter:
                found[kind] = None

    visit(program["body"])
    return list(found)


def algorithms(job: Job, kind: str, stop: core.Stop | None) -> list[str]:
    """Algorithms of a collective by name, which two nodes suffice to list."""
    small = replace(job, nodes=2, ppn=1, ranks=2, placement="contiguous")
    rows = tuning.run(kind, [small], [8], "loggp", MESSAGES, None, stop).rows
    return list(dict.fromkeys(row["algorithm"].partition(":")[0] for row in rows))


def lines(advice: Mapping[str, Any], fidelity: str) -> list[str]:
    """The advice as text."""
    rows = advice["rows"]
    helping = [row for row in rows if row["helps"]]
    where = f"on {counted(advice['nodes'], 'node')}"
    found = []
    if helping:
        found.append(f"# changes that help {where}, of {len(rows)} that were predicted")
        found += [
            f"{row['change']}: {show_time(row['time_s'])}, {show_percent(row['gain'])} less"
            for row in helping
        ]
    elif advice["interrupted"]:
        found.append(f"# no change that helps {where} is among the {len(rows)} predicted")
    elif rows:
        best = rows[0]
        found.append(
            f"# none of {len(rows)} changes helps {where} by more than the error of "
            f"{show_percent(max(best['error'], LEAST))}; the fastest is {best['change']}"
        )
    else:
        found.append(f"# no change can be predicted {where}")
    if advice["interrupted"]:
        left = counted(advice["not_tried"], "change")
        found.append(f"# interrupted: {left} not tried")
    if fidelity == "loggp":
        found.append(
            "# in closed form there is no contention: classes and routings were not tried, and "
            "placements differ in distances alone (`--fidelity flow`)"
        )
    if advice["refused"]:
        found.append(f"# not possible here: {', '.join(advice['refused'])}")
    return found
