"""odonata: a digital twin of dragonfly supercomputers.

    import odonata as od

    aurora = od.machine("aurora")
    job = aurora.job(nodes=512, ppn=12, placement="contiguous")
    od.bench.allreduce(job, sizes=[8, 1 << 20]).table     # a pyarrow.Table
    od.run(job, ["python", "app.py"]).time                # predicted seconds
    od.sweep("study.toml").table                          # many questions, one table

Keyword arguments in, tables out. Errors: `InputError` (a list of complaints) and
`SimulatedFailure` (the simulated machine said no), both under `Error`.
"""

from . import bench
from .bench import BenchResult
from .errors import Complaint, Error, InputError, SimulatedFailure
from .extrapolating import Extrapolation, extrapolate
from .launch import RunResult, run
from .machines import Job, Machine, machine, presets
from .patterns import TrafficResult, traffic
from .replaying import ReplayResult, replay
from .sweeps import SweepResult, sweep
from .together import JobsResult, jobs
from .tuning import TuneResult, tune
from .version import __version__

__all__ = [
    "BenchResult",
    "Complaint",
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
