"""Fixtures of all tests of the Python package: a command line that leaves nothing behind."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).with_name("programs")
# A shell that starts the tests in the background ignores Ctrl-C for all their processes.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A limit against hanging, far above the duration of any test; not an expectation.
GUARD_S = 300


def script(path: str) -> ModuleType:
    """A script of the tree, by its path without `.py`, as a module."""
    file = ROOT / f"{path}.py"
    spec = importlib.util.spec_from_file_location(file.stem, file)
    loaded = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent))  # as when it is run
    try:
        spec.loader.exec_module(loaded)
    finally:
        sys.path.remove(str(file.parent))
    return loaded


def table_of_messages(result) -> list[tuple[int, int, int, int]]:
    """Messages and bytes between each pair of ranks."""
    rows = result.data["messages"]
    return sorted((row["src"], row["dst"], row["messages"], row["bytes"]) for row in rows)


class CommandLine:
    """Runs `odonata` as a user would, and finds every process that it started."""

    def __init__(self, cwd: Path):
        self.cwd = cwd
        self.mark = f"ODONATA_TEST={uuid.uuid4()}"
        name, value = self.mark.split("=")
        self.env = {**os.environ, name: value}
        # Programs run with the test's own Python, whatever PATH the shell has.
        self.env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{self.env['PATH']}"
        prefixes = ("FI_", "MPIR_CVAR_", "MPICH_", "OMPI_MCA_")
        for name in [k for k in self.env if k.startswith(prefixes)]:
            del self.env[name]
        # Without it each rank writes a line in two pieces, which may mix with another rank's.
        self.env.pop("PYTHONUNBUFFERED", None)

    def arguments(self, *arguments: object) -> list[str]:
        return [sys.executable, "-m", "odonata", *map(str, arguments)]

    def __call__(self, *arguments: object, env: dict[str, str] | None = None):
        """The finished process, with its output as text."""
        return subprocess.run(
            self.arguments(*arguments),
            cwd=self.cwd,
            env={**self.env, **(env or {})},
            capture_output=True,
            text=True,
            timeout=GUARD_S,
        )

    def start(self, *arguments: object) -> subprocess.Popen:
        return subprocess.Popen(
            self.arguments(*arguments),
            cwd=self.cwd,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def alive(self) -> list[int]:
        """Processes with the mark in their environment: odonata, its ranks and their children."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if self.mark.encode() not in (entry / "environ").read_bytes().split(b"\0"):
                    continue
                # A zombie has ended; its parent, which may be the test, has not reaped it.
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if state != "Z":
                found.append(int(entry.name))
        return found

    def left(self, timeout_s: float = 10) -> list[int]:
        """Processes that are still alive after the timeout: the orphan reaper, which ends what a
        killed launcher leaves, needs a moment."""
        deadline = time.monotonic() + timeout_s
        while (alive := self.alive()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return alive


def shared_memory() -> set[str]:
    return {p.name for p in Path("/dev/shm").iterdir() if "odonata" in p.name}


@pytest.fixture
def odonata(tmp_path: Path):
    """The command line; after the test no process and no shared memory may be left."""
    before = shared_memory()
    command = CommandLine(tmp_path)
    yield command
    assert command.left() == [], "processes outlived the run"
    assert shared_memory() <= before, "shared memory outlived the run"


@pytest.fixture
def program():
    """The path of one of the small MPI programs beside this file."""
    return lambda name: PROGRAMS / f"{name}.py"
