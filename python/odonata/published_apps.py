"""Published results of applications, and the predictions for them.

The results are in `data/published/applications.toml`: runs of models of `odonata app`, each with
its source, what differs from the measurement, and which parameter of the model it sets.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import bands, core, published
from ._vocabulary import Buffers
from .app import running
from .machines import machine

# Largest error of a result that passes, as a fraction.
BOUND = 0.10


@dataclass(frozen=True)
class AppRun:
    """A run of an application, and its measured figure of merit or time."""

    id: str
    what: str
    source: str
    conditions: str
    app: str
    machine: str
    nodes: int
    ppn: int
    measured: float
    unit: str  # that of the model's figure of merit, or `s` for the time
    origin: str  # the measurement's source, as a unit of the error bars
    sets: str = ""  # the parameter of which it is the source
    problem: Mapping[str, Any] = field(default_factory=dict)
    mpi: str = "mpich"  # a name, or a profile relative to data/published
    buffers: Buffers = "host"
    fidelity: str = "loggp"
    slow: bool = False


@functools.cache
def runs() -> tuple[AppRun, ...]:
    """All runs, in the file's order."""
    content = published.content("applications")
    return tuple(AppRun(**{**content["defaults"], **entry}) for entry in content["run"])


def predict(
    run: AppRun,
    fidelity: str | None = None,
    *,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> list[dict[str, Any]]:
    """The row of a run; none if the prediction was stopped. `fidelity` replaces that of the run."""
    mpi = str(published.DATA / run.mpi) if run.mpi.endswith(".toml") else run.mpi
    result = running.run(
        run.app, machine(run.machine), nodes=run.nodes, ppn=run.ppn, problem=run.problem,
        fidelity=fidelity or run.fidelity, mpi=mpi, buffers=run.buffers,
        tick=tick, stop=stop,
    )  # fmt: skip
    return [row_of(run, row, fidelity or run.fidelity) for row in result.rows]


def row_of(run: AppRun, row: Mapping[str, Any], fidelity: str) -> dict[str, Any]:
    """Rows have `measured`, `predicted` and `unit`."""
    predicted = row["time_s"] if run.unit == "s" else row["figure_of_merit"]
    error = predicted / run.measured - 1.0
    return {
        "id": run.id,
        "what": run.what,
        "machine": run.machine,
        "app": run.app,
        "nodes": run.nodes,
        "measured": run.measured,
        "predicted": predicted,
        "unit": run.unit,
        "error": error,
        "passes": abs(error) <= BOUND,
        **bands.checked(
            run.origin, bands.application_kinds(run.app), fidelity, run.measured, predicted,
            is_input=bool(run.sets),
        ),
        "conditions": run.conditions,
        "sets": run.sets,
        "source": run.source,
    }  # fmt: skip
