"""MPI libraries: presets by name, profiles and rules in files of the user's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import door
from .errors import Complaints
from .files import read_text, why


def libraries() -> list[str]:
    """The names of the MPI libraries whose protocols and algorithms odonata knows."""
    return json.loads(door.ask("libraries"))


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
    except (OSError, ValueError, AttributeError):
        return ()  # complained of by `check_names`
    return tuple(json.loads(door.ask("deaf_to", asked["mpi"], asked.get("mpi_toml"))))


def rules_request(wrong: Complaints, path: Any) -> dict[str, str] | None:
    """The name and the text of a file that says which algorithms collectives use."""
    if path is None:
        return None
    try:
        return {"name": Path(path).name, "text": read_text(path)}
    except (OSError, ValueError, TypeError) as error:
        wrong.add("coll_rules", path or "an empty name", f"a readable file of rules ({why(error)})")
        return None
