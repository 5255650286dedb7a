"""The `python` of the ranks: that of an activated environment, any with mpi4py, or odonata's own.

After `make demo`, or in a batch job, no environment is activated. `python` is then the system's or
missing, and lacks mpi4py and other packages of odonata's environment.
"""

from __future__ import annotations

import functools
import glob
import os
import shutil
import sys
from collections.abc import Mapping

# Where distributions put packages, below an interpreter's prefix.
PACKAGES = ("lib*/python3*/*-packages", "local/lib/python3*/*-packages")


def path_of_ranks(environment: Mapping[str, str]) -> str:
    """PATH with the directory of odonata's own interpreter: last where the user's `python` can run
    MPI programs, else first."""
    path = environment.get("PATH", os.defpath)
    ours = os.path.dirname(os.path.abspath(sys.executable))
    if ours in path.split(os.pathsep):
        return path
    theirs = shutil.which("python", path=path) or shutil.which("python3", path=path)
    comes_first = not is_activated(environment, path) and (
        theirs is None or has_mpi4py(sys.executable) and not has_mpi4py(theirs)
    )
    return os.pathsep.join([ours, path] if comes_first else [path, ours])


def is_activated(environment: Mapping[str, str], path: str) -> bool:
    """Whether the shell is in a virtual environment, or one of conda's."""
    roots = (environment.get(name) for name in ("VIRTUAL_ENV", "CONDA_PREFIX"))
    return any(root and os.path.join(root, "bin") in path.split(os.pathsep) for root in roots)


@functools.cache
def has_mpi4py(python: str) -> bool:
    """Whether mpi4py is installed for an interpreter, which is not started: that is slow."""
    places = {os.path.dirname(os.path.dirname(p)) for p in (python, os.path.realpath(python))}
    places = {glob.escape(place) for place in places} | {os.path.expanduser("~/.local")}
    found = (os.path.join(place, packages, "mpi4py") for place in places for packages in PACKAGES)
    return any(any(glob.iglob(pattern)) for pattern in found)
