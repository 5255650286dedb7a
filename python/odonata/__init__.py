"""odonata: a digital twin of dragonfly supercomputers.

    import odonata as od

    aurora = od.machine("aurora")
    job = aurora.job(nodes=512, ppn=12, placement="contiguous")
    od.bench("allreduce", job, sizes=[8, 1 << 20]).table  # a pyarrow.Table
    od.run(job, ["python", "app.py"]).time                # predicted seconds
    od.sweep("study.toml").table                          # a parameter sweep

Arguments have the names of the command line's options; results are tables. Errors: `InputError`
(a list of diagnostics) and `SimulatedFailure` (the simulated job failed), both an `Error`.
"""

from __future__ import annotations

from . import interrupts

interrupts.end_at_once()

from importlib import import_module  # noqa: E402 - longer imports follow

TYPE_CHECKING = False  # true for type checkers; the import of `typing` takes too long here
if TYPE_CHECKING:
    from .benchmarking import BenchResult, bench
    from .errors import Diagnostic, Error, InputError, SimulatedFailure
    from .extrapolating import Extrapolation, extrapolate
    from .launch import RunResult, run
    from .machines import Job, Machine, machine, presets
    from .patterns import TrafficResult, traffic
    from .replaying import ReplayResult, replay
    from .sweeps import SweepResult, sweep
    from .multi_job import JobsResult, jobs
    from .timelines import Timeline
    from .tuning import TuneResult, tune
    from .version import __version__ as __version__

__all__ = [
    "BenchResult",
    "Diagnostic",
    "Error",
    "Extrapolation",
    "InputError",
    "Job",
    "JobsResult",
    "Machine",
    "ReplayResult",
    "RunResult",
    "SimulatedFailure",
    "SweepResult",
    "Timeline",
    "TrafficResult",
    "TuneResult",
    "bench",
    "extrapolate",
    "jobs",
    "machine",
    "presets",
    "replay",
    "run",
    "sweep",
    "traffic",
    "tune",
]

# The module of each name. A module is imported when it is used first: the command `odonata` imports
# this package before it can handle Ctrl-C, so the import has to be short.
_NAMES = {
    "benchmarking": ["BenchResult", "bench"],
    "errors": ["Diagnostic", "Error", "InputError", "SimulatedFailure"],
    "extrapolating": ["Extrapolation", "extrapolate"],
    "launch": ["RunResult", "run"],
    "machines": ["Job", "Machine", "machine", "presets"],
    "patterns": ["TrafficResult", "traffic"],
    "replaying": ["ReplayResult", "replay"],
    "sweeps": ["SweepResult", "sweep"],
    "multi_job": ["JobsResult", "jobs"],
    "timelines": ["Timeline"],
    "tuning": ["TuneResult", "tune"],
    "version": ["__version__"],
}
_MODULE = {name: module for module, names in _NAMES.items() for name in names}


def _find(name: str) -> object:
    if name in _MODULE:
        found = getattr(import_module(f".{_MODULE[name]}", __name__), name)
    elif name.startswith("_") or not name.isidentifier():
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    else:
        try:
            found = import_module(f".{name}", __name__)
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
            raise AttributeError(f"module `{__name__}` has no attribute `{name}`") from None
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # a type checker would accept every name
    __getattr__ = _find


def __dir__() -> list[str]:
    """The public names only: modules behind them stay importable."""
    return sorted([*__all__, "__version__"])
