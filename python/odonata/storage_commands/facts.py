"""The file systems of the run, from the environment of the ranks."""

from __future__ import annotations

import json
import os
from typing import Any

from . import mounting

# Written by `crates/api/src/file_system_facts.rs`.
VARIABLE = "ODONATA_FILE_SYSTEMS"


class NotHereError(Exception):
    """The path is not on a file system of the kind that the command needs."""


def file_systems(kind: str | None = None) -> list[dict[str, Any]]:
    """All that are mounted, or those of one kind."""
    rows: list[dict[str, Any]] = json.loads(os.environ.get(VARIABLE, "[]"))
    return [row for row in rows if kind in (None, row["kind"])]


def is_below(path: str, mount: str) -> bool:
    """Whether a path is that of a mount or below it."""
    return path == mount or path.startswith(mount + "/")


def mount_of(path: str, kind: str) -> tuple[dict[str, Any], str]:
    """The file system of a path, and its mount there. Raises `NotHereError`."""
    path = os.path.abspath(path)
    rows = file_systems()
    mounts = [(row, mount) for row in rows for mount in row["mounts"]]
    by_number = {row["number"]: row for row in rows}
    mounts += [(by_number[m.number], m.path) for m in mounting.mounted() if m.number in by_number]
    found = [(row, mount) for row, mount in mounts if is_below(path, mount)]
    if not found:
        raise NotHereError(path)
    row, mount = max(found, key=lambda pair: len(pair[1]))
    if row["kind"] != kind:
        raise NotHereError(path)
    return row, mount


def read_size(text: str) -> int:
    """A size in bytes: a number with one of the suffixes k, m, g, t, p, in powers of 1,024."""
    text = text.strip().lower()
    for ending in ("ib", "b"):
        if text.endswith(ending) and text[: -len(ending)][-1:] in set("kmgtp"):
            text = text[: -len(ending)]
            break
    power = "kmgtp".find(text[-1:]) + 1 if text[-1:] else 0
    digits = text[:-1] if power else text
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(text)
    return int(digits) << 10 * power
