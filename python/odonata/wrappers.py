"""`odonata-mpicc`, `-mpicxx` and `-mpifort`: compile an MPI program with odonata's libraries."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent / "_bin"


def mpicc() -> None:
    _become("odonata-mpicc")


def mpicxx() -> None:
    _become("odonata-mpicxx")


def mpifort() -> None:
    _become("odonata-mpifort")


def _become(name: str) -> None:
    script = SCRIPTS / name
    if not script.exists():
        sys.exit(f"{name}: `{script}` is missing; this installation has no compiler wrapper")
    # Through the shell, because a wheel may have lost the executable bit.
    os.execv("/bin/sh", ["/bin/sh", str(script), *sys.argv[1:]])
