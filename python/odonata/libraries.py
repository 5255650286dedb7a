"""MPI libraries: presets by name, and profiles and rules in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import core
from .errors import Diagnostics
from .files import read_text, why


def libraries() -> list[str]:
    """Names of the MPI libraries whose protocols and algorithms are modeled."""
    return json.loads(core.query("libraries"))


def library_request(mpi: str) -> dict[str, str]:
    """The request for a preset library, or for the profile in a file."""
    if not mpi.endswith(".toml"):
        return {"mpi": mpi}
    path = Path(mpi)
    return {"mpi": path.stem, "mpi_toml": read_text(path)}


def deaf_to(mpi: str) -> tuple[str, ...]:
    """Prefixes of variables that this library ignores and others honor."""
    try:
        request = library_request(mpi)
        prefixes = core.query("unsupported_prefixes", request["mpi"], request.get("mpi_toml"))
        return tuple(json.loads(prefixes))
    except (OSError, ValueError, AttributeError):  # a name may not be Unicode
        return ()  # `check_names` adds the diagnostic


class RulesFile(NamedTuple):
    """A file that selects collective algorithms, and its format if a variable states it: MPICH's
    `generic`, `compositions` or `posix`, or `openmpi`.
    """

    path: str | Path
    format: str | None = None


def rules_request(wrong: Diagnostics, files: Any) -> list[dict[str, str | None]]:
    """Names and texts of files that select collective algorithms: a path, or a sequence of
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
