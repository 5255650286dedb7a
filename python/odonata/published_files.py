"""Published measurements of file systems, and the predictions for them.

The measurements are in `data/published/storage.toml`: runs of IOR and mdtest with the options of
`odonata bench`, each with its source, what differs from the measurement, and which results set a
parameter of the model.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import bands, core, published
from .errors import SimulatedFailure
from .io_benchmarks import io_bench
from .machines import machine

# Largest error of a result that passes, as a fraction, by its unit.
BOUNDS = {"B_per_s": 0.15, "per_s": 0.30}


@dataclass(frozen=True)
class Result:
    """A measured rate of a phase: bytes or operations per second."""

    phase: str
    rate: float | None = None
    operations: float | None = None
    sets: str = ""  # the parameter of which it is the source

    @property
    def unit(self) -> str:
        return "per_s" if self.rate is None else "B_per_s"

    @property
    def measured(self) -> float:
        value = self.operations if self.rate is None else self.rate
        if value is None:
            raise ValueError(f"phase `{self.phase}`: neither `rate` nor `operations`")
        return value


@dataclass(frozen=True)
class FileRun:
    """A run of IOR or mdtest, and what was measured."""

    id: str
    what: str
    source: str
    conditions: str
    machine: str  # a preset, or a file beside the data
    file_system: str
    benchmark: str
    options: str
    results: tuple[Result, ...]
    nodes: int
    ppn: int = 1
    set: Mapping[str, Any] = field(default_factory=dict)
    fidelity: str = "loggp"
    per: int | None = None  # bytes per operation, if it is not a transfer or a file
    slow: bool = False


@functools.cache
def runs() -> tuple[FileRun, ...]:
    """All runs, in the file's order."""
    content = published.content("storage")
    found = []
    for entry in content["run"]:
        results = tuple(Result(**result) for result in entry["results"])
        source = content["sources"][entry["source"]]
        found.append(FileRun(**{**entry, "results": results, "source": source}))
    return tuple(found)


def predict(
    run: FileRun,
    fidelity: str | None = None,
    *,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> list[dict[str, Any]]:
    """A row per result; fewer if the prediction was stopped.

    Rows have `measured_B_per_s` and `predicted_B_per_s`, or `measured_per_s` and
    `predicted_per_s`. `fidelity` replaces that of the run.
    """
    name = run.machine
    of = machine(str(published.DATA / name) if name.endswith(".toml") else name)
    job = (of.with_(run.set) if run.set else of).job(nodes=run.nodes, ppn=run.ppn)
    summary = io_bench(
        run.benchmark, job, run.options, run.file_system, fidelity or run.fidelity,
        tick=tick, stop=stop,
    )  # fmt: skip
    if failure := summary.get("failure"):
        raise SimulatedFailure.of(failure, None)
    phases = {} if summary["interrupted"] else {row["phase"]: row for row in summary["rows"]}
    return [
        row_of(run, result, phases[result.phase])
        for result in run.results
        if result.phase in phases
    ]


def row_of(run: FileRun, result: Result, phase: Mapping[str, Any]) -> dict[str, Any]:
    if result.unit == "B_per_s":
        predicted = phase["rate_B_per_s"]
    elif run.per is not None:
        predicted = phase["rate_B_per_s"] / run.per
    else:
        predicted = phase["operations_per_s"]
    error = predicted / result.measured - 1.0
    return {
        "id": run.id,
        "what": run.what,
        "machine": run.machine,
        "phase": result.phase,
        f"measured_{result.unit}": result.measured,
        f"predicted_{result.unit}": predicted,
        "error": error,
        "passes": abs(error) <= BOUNDS[result.unit],
        **bands.checked(
            run.source, bands.storage_kinds(result.unit), run.fidelity, result.measured,
            predicted, is_input=bool(result.sets),
        ),
        "conditions": run.conditions,
        "sets": result.sets,
        "source": run.source,
    }
