"""MPI libraries: presets by name, profiles and tuning files of the user."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import core
from .errors import Diagnostics
from .files import read_text, why


def libraries() -> list[str]:
    """Names of the MPI libraries that odonata models."""
    return json.loads(core.ask("libraries"))


def library_request(mpi: str) -> dict[str, str]:
    """A preset library by name, or the profile in a user's file."""
    if not mpi.endswith(".toml"):
        return {"mpi": mpi}
    path = Path(mpi)
    return {"mpi": path.stem, "mpi_toml": read_text(path)}


def deaf_to(mpi: str) -> tuple[str, ...]:
    """Prefixes of variables that only other libraries read."""
    try:
        request = library_request(mpi)
        prefixes = core.ask("unsupported_prefixes", request["mpi"], request.get("mpi_toml"))
        return tuple(json.loads(prefixes))
    except (OSError, ValueError, AttributeError):  # also for names that are not Unicode
        return ()  # reported by `check_names`


class RulesFile(NamedTuple):
    """A tuning file of collectives, and its format if a variable determines it: `generic`,
    `compositions` or `posix` of MPICH, or `openmpi`.
    """

    path: str | Path
    format: str | None = None


def rules_request(wrong: Diagnostics, files: Any) -> list[dict[str, str | None]]:
    """Names and texts of tuning files of collectives, given as a path or a sequence of
    `RulesFile`.
    """
    if files is None:
        return []
    if not isinstance(files, Sequence) or isinstance(files, (str, bytes)):
        files = (RulesFile(files),)
    found: list[dict[str, str | None]] = []
    for file in files:
        path, of = file if isinstance(file, RulesFile) else (file, None)
        try:
            found.append({"name": Path(path).name, "text": read_text(path), "format": of})
        except (OSError, ValueError, TypeError) as error:
            wanted = f"a readable file of rules ({why(error)})"
            wrong.add("coll_rules", path or "an empty name", wanted)
    return found
