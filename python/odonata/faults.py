"""The fault schedule of a machine: a TOML file, or faults drawn from a seed.

`"random:7"` draws eight faults from seed 7, `"random:7:100"` a hundred. Any other text is the path
of a file, whose keys the core checks (docs/models/faults.md).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .errors import Diagnostics
from .files import read_text, why

WANTED = (
    "a schedule's FILE.toml, or random:SEED or random:SEED:N for N faults drawn from a seed; "
    "SEED of at most 18 digits, N of at most 6"
)
DRAWN = 8  # default number of faults of a random schedule


def fault_schedule(wrong: Diagnostics, given: Any) -> dict[str, Any] | None:
    """The schedule in the core's form."""
    if given is None:
        return None
    if isinstance(given, str) and given.partition(":")[0] == "random" and not given.endswith(
        ".toml"
    ):
        found = re.fullmatch(r"random:([0-9]{1,18})(?::([0-9]{1,6}))?", given)
        if not found:
            wrong.add("faults", given, WANTED, "such as `random:7` or `random:7:100`")
            return None
        return {"seed": int(found[1]), "n": int(found[2] or DRAWN)}
    if not isinstance(given, (str, Path)) or not str(given):
        wrong.add("faults", given if given else "nothing", WANTED)
        return None
    try:
        return {"name": str(given), "toml": read_text(given)}
    except (OSError, ValueError, TypeError) as error:
        wrong.add("faults", given, f"{WANTED} ({why(error)})")
        return None
