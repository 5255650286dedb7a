"""Runs a program with odonata, or with the reference library, PyPI's `mpich`.

One command line runs one program with N ranks; a time limit ends it with all its processes. Other
modules compare the results.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
# Git ignores everything fetched or built here, and `make clean` removes it.
CACHE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "conformance"
COMPILER = ROOT / "python" / "odonata" / "_bin" / "odonata-mpicc"

# The reference. MPICH has the standard ABI, so one binary runs with both libraries.
REFERENCE = "mpich==5.0.2"

# Seconds until a run is killed after SIGTERM.
GRACE_S = 10


def toml(text: str) -> dict[str, Any]:
    """The tables of a TOML file."""
    return tomllib.loads(text)


@dataclass(frozen=True)
class Done:
    """The result of a run: `code` is None if it exceeded its time limit."""

    code: int | None
    out: str
    err: str


@dataclass(frozen=True)
class Twin:
    """Ranks on a simulated machine; `python` is the interpreter with odonata."""

    machine: str = "dragonfly-1056"
    ppn: int = 3
    options: tuple[str, ...] = ()
    name = "twin"

    @property
    def python(self) -> str:
        return sys.executable

    def command(self, ranks: int, program: list[str]) -> list[str]:
        return [
            *(self.python, "-m", "odonata", "run", "-n", str(ranks), "--ppn", str(self.ppn)),
            *("--machine", self.machine, "--compute", "none", "--quiet", *self.options),
            *("--", *program),
        ]

    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
        return {**_plain_environment(), "PYTHONPATH": path.rstrip(os.pathsep)}


@dataclass(frozen=True)
class Reference:
    """Ranks on this machine, with the reference library in a virtual environment."""

    home: Path
    # Variables of the library, NAME=VALUE.
    knobs: tuple[str, ...] = ()
    name = "reference"

    @property
    def python(self) -> str:
        return str(self.home / "bin" / "python")

    def command(self, ranks: int, program: list[str]) -> list[str]:
        return [str(self.home / "bin" / "mpiexec"), "-n", str(ranks), *program]

    def environment(self) -> dict[str, str]:
        # More ranks than cores: a waiting rank yields at once, which is three times faster.
        yielding = {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1", "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}
        return {
            **_plain_environment(),
            **yielding,
            **dict(knob.split("=", 1) for knob in self.knobs),
            "LD_LIBRARY_PATH": str(self.home / "lib"),
        }


def _plain_environment() -> dict[str, str]:
    """The environment without variables of MPI libraries, which would affect the comparison."""
    knobs = ("FI_", "MPIR_", "MPICH_", "HYDRA_", "ODONATA_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(knobs)}
    kept["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', os.defpath)}"
    return kept


def run(
    place: Twin | Reference, ranks: int, program: list[str], *, seconds: float, cwd: Path
) -> Done:
    """Runs `program`; ends it after `seconds`."""
    process = subprocess.Popen(
        place.command(ranks, program),
        cwd=cwd,
        env=place.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
        return Done(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
    try:
        out, err = process.communicate(timeout=GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Done(None, out, err)


def reference(*packages: str) -> Reference:
    """The reference library and `packages`, fetched by pip if they are missing."""
    home = CACHE / "reference"
    if not (home / "bin" / "python").exists():
        venv.create(home, with_pip=True, clear=True)
    wanted = [REFERENCE, *packages]
    stamp = home / "packages.txt"
    have = set(stamp.read_text(encoding="utf-8").split()) if stamp.exists() else set()
    if not have >= set(wanted):
        pip(str(home / "bin" / "python"), "install", *wanted)
        stamp.write_text("\n".join(sorted(have | set(wanted))) + "\n", encoding="utf-8")
    return Reference(home)


def pip(python: str, *arguments: str) -> None:
    """pip with the settings of this machine's user."""
    command = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"pip {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")


def compiled(source: Path, *, threads: bool = False) -> Path:
    """Compiles a C program with odonata's wrapper; both libraries run the result."""
    out = CACHE / "bin" / source.stem
    newest = max(p.stat().st_mtime for p in source.parent.glob("*.[ch]"))
    header = COMPILER.parents[1] / "_include" / "mpi.h"
    newest = max(newest, header.stat().st_mtime)
    if out.exists() and out.stat().st_mtime > newest:
        return out
    out.parent.mkdir(parents=True, exist_ok=True)
    fresh = out.with_suffix(f".{os.getpid()}")
    command = ["sh", COMPILER, "-O1", "-g0", "-w", source, "-o", fresh, "-lm"]
    subprocess.run([*command, *(["-pthread"] if threads else [])], check=True)
    fresh.replace(out)
    return out


def python_tag() -> str:
    """Identifies the wheels that fit this Python."""
    return f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"
