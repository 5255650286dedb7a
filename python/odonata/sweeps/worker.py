"""A process that runs points, one after another, like `odonata ... --json`.

The client writes a line of JSON per point and reads a line per result. A worker that dies loses no
other point, and it never outlives its client. Output of a point goes to files of the worker,
because programs that it runs may print, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

from ..commands.sweepable import SWEEPABLE
from ..errors import InputError, SimulatedFailure
from . import study

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>: signal to receive when the parent's thread ends
LAST_OUTPUT = 4000  # characters of a worker's last output
# Keys of a summary that the table has already or that differ between runs.
LEFT_OUT = {"odonata", "kind", "command", "interrupted", "rows_wanted", "wall_s"}


class Died(Exception):
    """The worker ended before it answered; the message states how."""


class Worker:
    """The client's side. The first point starts the process, and the next one after its death."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None
        self._stderr: IO[bytes] | None = None
        self._closed = False
        self._lock = threading.Lock()

    def run(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The result; `Died` if the process ended."""
        with self._lock:
            if self._closed:
                raise Died("it was stopped")
            process = self._process = self._process or self._started()
        line = b""
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        if line.endswith(b"\n"):
            return json.loads(line)
        code = process.wait()
        self._process = None
        raise Died(ended(code) + last_words(self._stderr))

    def _started(self) -> subprocess.Popen:
        self._stderr = tempfile.TemporaryFile(buffering=0)
        # It has this process's search path, not modules of the present directory.
        program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import main; main()"
        return subprocess.Popen(
            [sys.executable, "-c", program, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,  # the client handles Ctrl-C of the terminal
        )

    def close(self) -> None:
        """End the process permanently; a waiting client gets `Died`."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            process.kill()
            process.wait()


def ended(code: int) -> str:
    """How a process ended."""
    if code >= 0:
        return f"its process ended with exit code {code}"
    try:
        return f"its process was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"its process was killed by signal {-code}"


def last_words(file: IO[bytes] | None) -> str:
    """The last part of a file, if any."""
    if file is None:
        return ""
    file.seek(max(0, file.seek(0, os.SEEK_END) - LAST_OUTPUT))
    words = file.read().decode(errors="replace").strip()
    return f": {words}" if words else ""


def main() -> None:
    """The worker's side of the protocol."""
    die_with(int(sys.argv[1]))
    # Programs of a point inherit descriptors 0, 1 and 2, so the protocol uses others.
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    printed = tempfile.TemporaryFile(buffering=0)
    errors = os.fdopen(os.dup(2), "r+b", buffering=0)
    for line in requests:
        for number, file in ((1, printed), (2, errors)):
            file.seek(0)
            file.truncate()
            os.dup2(file.fileno(), number)
        answers.write(json.dumps(answer(json.loads(line), printed)) + "\n")
        answers.flush()


def die_with(parent: int) -> None:
    """Let the kernel kill this process when the parent ends, which may have happened."""
    import ctypes  # less than a millisecond

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def answer(request: Mapping[str, Any], printed: IO[bytes]) -> dict[str, Any]:
    """The result of a point: `rows` of the table, `about` with their common columns, an `error` or
    None, and `again` if another try may succeed."""
    found: dict[str, Any] = {"worker": f"{socket.gethostname()}:{os.getpid()}", "wall_s": 0.0}
    if study.version() != request["version"]:
        return {**found, **failed(f"another odonata is installed here: {study.version()}")}
    try:
        os.chdir(request["wdir"])
    except OSError as error:
        return {**found, **failed(f"no directory {request['wdir']} here ({error.strerror})")}
    for name in study.library_variables(os.environ):
        del os.environ[name]
    os.environ.update(request["variables"])
    begun = time.perf_counter()
    come_to = run_command(request["argv"], printed)
    found["wall_s"] = time.perf_counter() - begun
    return {**found, **come_to}


def run_command(argv: Sequence[str], printed: IO[bytes]) -> dict[str, Any]:
    """The result of the command line."""
    command, *rest = argv
    try:
        line = [command, "--json", *rest]
        code = SWEEPABLE.main(line, prog_name="odonata", standalone_mode=False)
        sys.stdout.flush()
        printed.seek(0)
        summary = json.loads(printed.read())
    except SimulatedFailure as error:
        rows = rows_of(error.result.summary) if error.result is not None else []
        return {"rows": [*rows, {}], "about": {}, "error": str(error), "again": False}
    except InputError as error:
        return {**failed(str(error)), "again": False}
    except BaseException as error:  # a bug of odonata, lack of memory, or a signal
        return failed(f"{type(error).__name__}: {error}")
    rows = rows_of(summary)
    failures = [row["failure"] for row in (summary, *rows) if row.get("failure")]
    error = failures[0]["message"] if failures else f"exit code {code}" if code else None
    again = bool(summary.get("interrupted"))
    about, rows = scalars(summary), [scalars(row) for row in rows]
    about |= {"notes": "; ".join(summary["notes"])} if summary.get("notes") else {}
    return {"rows": rows, "about": about, "error": error, "again": again}


def failed(error: str) -> dict[str, Any]:
    """A result without rows; another try may succeed."""
    return {"rows": [{}], "about": {}, "error": error, "again": True}


def rows_of(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row per size, load or job; one row for a program."""
    return summary.get("rows", summary.get("jobs", [{}]))


def scalars(row: Mapping[str, Any]) -> dict[str, Any]:
    """The values that fit into cells of a row and do not depend on wall time."""
    return {
        key: value
        for key, value in row.items()
        if key not in LEFT_OUT and not isinstance(value, (dict, list))
    }
