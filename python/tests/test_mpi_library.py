"""The MPI library on the simulated machine: programs that check every result themselves."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import odonata as od

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "crates" / "mpiabi" / "tests"
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"
C_PROGRAMS = sorted(p.stem for p in (TESTS / "c").glob("*.c"))
PY_PROGRAMS = sorted(p.stem for p in (TESTS / "py").glob("*.py"))
# One rank, a power of two on several nodes, and neither.
RANKS = (1, 4, 7)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The path of a C program, compiled with the wrapper."""
    folder = tmp_path_factory.mktemp("c")

    def build(name: str) -> Path:
        out = folder / name
        if not out.exists():
            source = TESTS / "c" / f"{name}.c"
            command = ["sh", COMPILER, "-O1", "-Wall", "-Werror", source, "-o", out]
            subprocess.run(command, check=True)
        return out

    return build


def check(odonata, name: str, ranks: int, *command: object) -> None:
    done = odonata("run", "-n", ranks, "--ppn", 3, "--machine", "dragonfly-1056", "--quiet",
                   "--compute", "none", "--", *command)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{name}: {ranks} ranks: good\n", done.stderr


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", C_PROGRAMS)
def test_c(odonata, compiled, name, ranks):
    check(odonata, name, ranks, compiled(name))


@pytest.mark.parametrize("arguments", ("0", "1", "2", "3", "3 early", "0 early"))
def test_thread_levels_of_sessions(odonata, compiled, arguments):
    """The level that MPI_Init_thread requests, and whether a session precedes it."""
    check(odonata, "levels", 2, compiled("levels"), *arguments.split())


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", PY_PROGRAMS)
def test_python(odonata, name, ranks):
    check(odonata, name, ranks, "python", TESTS / "py" / f"{name}.py")


@pytest.mark.parametrize("name", C_PROGRAMS)
def test_without_odonata_a_program_is_a_job_of_one_rank(compiled, name):
    done = subprocess.run([compiled(name)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{name}: 1 ranks: good\n"
