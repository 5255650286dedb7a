"""Replay a schedule: GOAL as text or binary, or a record of `odonata run --record`."""

from __future__ import annotations

import contextlib
import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import core, devices, launch, records, timelines, traces
from .errors import Diagnostics, SimulatedFailure
from .files import opened, read_rest, why
from .machines import Job, Machine

PARQUET = b"PAR1"
BINARY_GOAL = (4223).to_bytes(8, "little")  # spcl/LogGOPSim, `txt2bin.re`
HEAD = 4096  # bytes that identify the format of a file
MOST_NAMED = 8  # kinds of unsupported records in a note


@dataclass
class ReplayResult(launch.RunResult):
    """The prediction for a schedule; `calls` is empty."""


@dataclass(frozen=True)
class Trace:
    """A schedule's file: its content for the core, and the header of a record."""

    path: Path
    data: bytes | dict[str, bytes]
    header: dict[str, Any] | None = None

    @property
    def ppn(self) -> int:
        """Ranks per node of the recorded run; 1 if unknown."""
        ppn = ((self.header or {}).get("recorded") or {}).get("ppn")
        return ppn if isinstance(ppn, int) and ppn > 0 else 1

    @property
    def time_s(self) -> float | None:
        """Time of the recorded run, seconds; None if unknown."""
        time = ((self.header or {}).get("recorded") or {}).get("time_s")
        return float(time) if isinstance(time, (int, float)) and time > 0 else None

    def notes(self) -> list[str]:
        """Notes on a record that limit the validity of its times."""
        header, found = self.header or {}, []
        if made := header.get("extrapolated"):
            sizes = " and ".join(str(of["ranks"]) for of in made["recordings"])
            found.append(
                f"extrapolated, not recorded: {header['ranks']:,} ranks from recordings of {sizes}"
            )
        if made := header.get("converted"):
            found += made["notes"]
            if lost := made["unsupported"]:
                most = sorted(lost.items(), key=lambda item: (-item[1], item[0]))
                words = ", ".join(f"{name} ({count:,})" for name, count in most[:MOST_NAMED])
                more = f" and {len(most) - MOST_NAMED} more kinds" if len(most) > MOST_NAMED else ""
                total = sum(lost.values())
                found.append(f"{total:,} records of the trace are not replayed: {words}{more}")
        if header.get("partial"):
            found.append(f"the recorded run did not end well: {header['partial']}")
        if header.get("vain_polls"):
            found.append(
                f"{header['vain_polls']} unsuccessful polls are replayed for as long as they "
                "lasted when recorded"
            )
        return found


def read(wrong: Diagnostics, path: Any) -> Trace | None:
    """The file in any of the formats; None if it is invalid."""
    before = len(wrong.list)
    wanted = traces.WANTED
    try:
        file = Path(os.fspath(path))
        if not os.fspath(path):
            raise TypeError
        if file.is_dir():
            file = first_of(file)
        with opened(file) as stream:
            head = stream.read(HEAD)
            is_parquet = head.startswith(PARQUET)
            if not is_parquet and (form := traces.format_of(file, head)):
                converted = traces.read(wrong, file, form)
                return None if converted is None else Trace(file, converted[1], converted[0])
            if not is_parquet and not is_schedule(head):
                wrong.add("trace", path, f"{wanted}; this file is none of them")
                return None
            data: Any = head + read_rest(stream, path)
    except TypeError:
        wrong.add("trace", path if path is not None else "nothing", wanted)
        return None
    except (OSError, ValueError, MemoryError) as error:
        wrong.add("trace", path, f"{wanted} that can be read ({why(error)})")
        return None
    header = None
    if is_parquet:
        header, data = records.read(wrong, file, data)
    return None if len(wrong.list) > before else Trace(file, data, header)


def first_of(folder: Path) -> Path:
    """The first file of a trace that is a directory; `OSError` if there is none."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    anchors = [file for file in files if file.suffix == ".otf2"]
    for file in anchors or files:
        with opened(file) as stream:
            if traces.format_of(file, stream.read(HEAD)):
                return file
    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(folder))


def is_schedule(head: bytes) -> bool:
    """Whether a file with this beginning may be a GOAL schedule: text has no NUL."""
    return head.startswith(BINARY_GOAL) or b"\0" not in head


def check_timeline(wrong: Diagnostics, timeline: Any, trace: Any) -> None:
    """Add a diagnostic if the timeline would replace a file of the trace."""
    if isinstance(timeline, timelines.Timeline) and trace is not None:
        with contextlib.suppress(OSError, TypeError, ValueError):
            path = Path(timeline.path)
            written = [path, *(path.with_suffix(suffix) for suffix in timelines.BESIDE)]
            if any(file.exists() and file.samefile(trace) for file in written):
                wrong.add("timeline", path, "another file than the trace")


def factor_of(wrong: Diagnostics, how: Any) -> float:
    """The factor of recorded computation: `recorded`, `none` or a number."""
    if how in ("recorded", "none"):
        return 1.0 if how == "recorded" else 0.0
    try:
        factor = -1.0 if isinstance(how, bool) else float(how)
    except (TypeError, ValueError, OverflowError):
        factor = -1.0
    if not 0 < factor < 1e9:
        found = "nothing" if how == "" else how
        wrong.add("compute", found, "`recorded`, `none` or a positive factor below 1e9")
    return factor


def core_speed(trace: Trace | None) -> float | None:
    """The core speed of the machine of a record; None if the trace has none, as GOAL."""
    header = trace.header if trace is not None else None
    return float(header["core_speed"]) if header else None


def replay(
    machine: Machine,
    trace: str | Path,
    *,
    ppn: int | None = None,
    fidelity: str = "packet",
    compute: str | float = "recorded",
    compute_device: str | None = None,
    check: bool = True,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
    **job: Any,
) -> ReplayResult:
    """Run a schedule's ranks on `machine` and predict its time.

    `trace` is a file: GOAL, as text or binary, or a record of `odonata.run(..., record=FILE)`.
    `ppn` is the number of ranks per node; the default is that of the record, or 1. `compute` is the
    cost of its computation: `"recorded"`, `"none"` or a factor. GOAL counts it in nanoseconds, so
    1000 makes them microseconds. Other arguments (`placement`, `mpi`, `seed`, ...) are those of
    `Machine.job`. `compute_device` is the machine on whose device the computation was recorded, and
    a rate: `"frontier"`, `"frontier:memory_rate"` (docs/traces.md). With `check`, a simulated
    failure (a deadlock) raises `SimulatedFailure`.
    """
    wrong = Diagnostics()
    found = read(wrong, trace)
    factor = factor_of(wrong, compute)
    check_timeline(wrong, job.get("timeline"), trace)
    if not isinstance(machine, Machine):
        wrong.add("machine", machine, "a Machine, such as `odonata.machine(NAME)`")
    else:
        factor *= devices.factor(wrong, compute_device, machine, core_speed(found))
    wrong.raise_any()
    assert found is not None, "reported above"
    one = machine.job(nodes=1, ppn=found.ppn if ppn is None else ppn, **job)
    return play(one, found, fidelity, compute, factor, check, tick, stop)


def play(
    job: Job,
    trace: Trace,
    fidelity: str,
    compute: str | float,
    factor: float,
    check: bool,
    tick: core.Tick | None,
    stop: core.Stop | None,
) -> ReplayResult:
    """Replay a schedule that has been read. It determines the number of ranks."""
    job.check(fidelity)
    header = trace.header
    request = {
        **job.request(fidelity),
        "ppn": job.ppn,
        "factor": factor,
        "env": header["env"] if header else [],
        "record": header and records.of_core(header),
    }
    answer = core.enter("replay", request, tick, stop, trace.data)
    over_time = timelines.finish(job.timeline, answer)
    what = {"kind": "replay", "trace": str(trace.path)}
    if header and header.get("converted"):
        what["converted"] = header["converted"]
    if header and header.get("extrapolated"):
        what["extrapolated"] = header["extrapolated"]
    found = launch.result_of(answer, job, fidelity, compute, what)
    found.data.update(over_time)
    result = ReplayResult(found.summary, found.data)
    if check and result.failure:
        raise SimulatedFailure.of(result.failure, result)
    return result
