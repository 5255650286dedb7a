"""MPI libraries: presets by name, profiles and rules in files of the user's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from . import core
from .errors import Diagnostics
from .files import read_text, why


def libraries() -> list[str]:
    """The names of the MPI libraries whose protocols and algorithms odonata knows."""
    return json.loads(core.ask("libraries"))


def library_request(mpi: str) -> dict[str, str]:
    """A preset library by name, or the profile in a file of the user's."""
    if not mpi.endswith(".toml"):
        return {"mpi": mpi}
    path = Path(mpi)
    return {"mpi": path.stem, "mpi_toml": read_text(path)}


def deaf_to(mpi: str) -> tuple[str, ...]:
    """How the variables begin that this library does not listen to, though others do."""
    try:
        asked = library_request(mpi)
        prefixes = core.ask("unsupported_prefixes", asked["mpi"], asked.get("mpi_toml"))
        return tuple(json.loads(prefixes))
    except (OSError, ValueError, AttributeError):  # a name with bytes that are no text, too
        return ()  # complained of by `check_names`


class RulesFile(NamedTuple):
    """A file that says which algorithms collectives use, and its format, if a variable says it:
    `generic`, `compositions` or `posix` of MPICH's, or `openmpi`.
    """

    path: str | Path
    format: str | None = None


def rules_request(wrong: Diagnostics, files: Any) -> list[dict[str, str | None]]:
    """The names and the texts of files that say which algorithms collectives use: a path, or a
    sequence of `RulesFile`.
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
