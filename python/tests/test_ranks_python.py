"""The `python` that ranks find, by the rules of docs/run-your-program.md."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from odonata.interpreters import has_mpi4py, path_of_ranks

OURS = str(Path(os.path.abspath(sys.executable)).parent)


def interpreter(root: Path, packages: str | None = None) -> str:
    """A directory for PATH with an executable `python`, and mpi4py in `packages` if given."""
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "python").write_text("#!/bin/sh\n")
    (root / "bin" / "python").chmod(0o755)
    if packages is not None:
        (root / packages / "mpi4py").mkdir(parents=True)
    return str(root / "bin")


def test_a_fresh_shell_has_the_python_of_odonata(odonata, tmp_path):
    """README's second command after `make demo`, without an activated environment: the system's
    `python` is first on PATH, or there is none."""
    system = interpreter(tmp_path / "system")
    run = ("run", "-n", "2", "--machine", "dragonfly-1056", "--quiet", "--", "python", "-c",
           "from mpi4py import MPI; print(MPI.COMM_WORLD.size)")  # fmt: skip
    for path in (system, str(tmp_path)):
        shell = {"PATH": path, "VIRTUAL_ENV": "", "CONDA_PREFIX": ""}
        done = odonata(*run, env=shell)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "2\n2\n"


@pytest.mark.parametrize("packages", ["lib/python3.12/site-packages", "lib/python3/dist-packages",
                                      "lib64/python3.11/site-packages"])  # fmt: skip
def test_a_python_with_mpi4py_stays_first(tmp_path, packages):
    theirs = interpreter(tmp_path / "cray", packages)
    assert has_mpi4py(f"{theirs}/python")
    assert path_of_ranks({"PATH": theirs}) == f"{theirs}{os.pathsep}{OURS}"


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_an_activated_environment_stays_first(tmp_path, variable):
    theirs = interpreter(tmp_path / "mine")
    shell = {"PATH": theirs, variable: str(tmp_path / "mine")}
    assert path_of_ranks(shell) == f"{theirs}{os.pathsep}{OURS}"
    # An environment that is set, but not on PATH, is not active.
    shell[variable] = str(tmp_path / "other")
    assert path_of_ranks(shell) == f"{OURS}{os.pathsep}{theirs}"


def test_a_path_with_the_directory_is_left_alone(tmp_path):
    theirs = interpreter(tmp_path / "system")
    path = os.pathsep.join([theirs, OURS, "/bin"])
    assert path_of_ranks({"PATH": path}) == path


def test_a_path_of_the_user_is_left_alone(odonata, tmp_path):
    done = odonata("run", "-n", "1", "--machine", "dragonfly-1056", "--quiet", "--env",
                   "PATH=/usr/bin:/bin", "--", "sh", "-c", "echo $PATH")  # fmt: skip
    assert done.stdout == "/usr/bin:/bin\n", done.stderr
