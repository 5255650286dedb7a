"""Files of computed points, and the options of the scripts that draw figures.

A script stores each point as soon as it is computed. An interrupted script thus continues where it
ended. `make.py` removes the points of other predictions.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any


def options(about: str | None, draw: bool = True) -> argparse.Namespace:
    """The command line of a script with this docstring: `--draw`, if it keeps points."""
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    if draw:
        parser.add_argument("--draw", action="store_true", help="compute nothing, draw kept points")
    return parser.parse_args()


def read(path: Path) -> dict[str, Any]:
    """The points of a file; none if it does not exist."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(path: Path, text: str) -> None:
    """Write a file at once: an interruption leaves the old content or the new one."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def lines(data: dict[str, Any]) -> str:
    """JSON with one line per point, for readable differences."""
    points = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in data.items())
    return "{\n" + ",\n".join(points) + "\n}\n"
