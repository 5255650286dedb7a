"""Rates of computing devices, `[node.device]` of machine files, to scale recorded computation."""

from __future__ import annotations

import json
import re
from typing import Any

from . import core
from .errors import Diagnostics, InputError
from .machines import Machine, machine

RATE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:[eE][0-9]+)?)\s*([kMGTP]?)(?:flop|B)/s\s*")
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
KEYS = ("fp64", "fp32", "matrix_fp64", "matrix_fp32", "matrix_fp16", "memory_rate")
WANTED = (
    "a machine with a device, and after a colon one of its rates: `frontier`, "
    f"`frontier:memory_rate` ({', '.join(KEYS)})"
)


def factor(
    wrong: Diagnostics, given: Any, target: Machine | None, core_speed: float | None
) -> float:
    """The factor of computation that was recorded on the device `given`, NAME or NAME:RATE.

    It is the rate of that device over the rate of the device of `target`. The core multiplies
    computation by `core_speed`, that of the recording, over the core speed of the target. Devices
    have no such speed, so the factor cancels it; None if there is none.
    """
    if given is None or target is None:
        return 1.0
    name, _, key = str(given).partition(":")
    key = key or KEYS[0]
    if not name or key not in KEYS:
        wrong.add("compute_device", given or "nothing", WANTED)
        return 1.0
    try:
        recorded = value(machine(name), f"node.device.{key}")
    except InputError as error:
        wrong.list.extend(error.diagnostics)
        return 1.0
    own = value(target, f"node.device.{key}")
    for of, rate in ((name, recorded), (target.name, own)):
        if not rate:
            wrong.add("compute_device", f"{of} without node.device.{key}", WANTED)
    if not recorded or not own:
        return 1.0
    cores = 1.0 if core_speed is None else (value(target, "node.core_speed") or 1.0) / core_speed
    return recorded / own * cores


def value(of: Machine, path: str) -> float | None:
    """A number or a rate in a machine file, in a change to it, or in the files it is `like`."""
    for change, text in reversed(of.changes):
        if change == path:
            return number(text.strip('"'))
    for text in of.texts():
        found: Any = json.loads(core.query("toml_to_json", text))
        for key in path.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        if found is not None:
            return number(found)
    return None


def number(found: Any) -> float | None:
    """`17 Tflop/s` as 17e12; None if it is neither a number nor a rate."""
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        return float(found)
    match = RATE.fullmatch(str(found))
    if match:
        return float(match[1]) * PREFIXES[match[2]]
    try:
        return float(found)
    except (TypeError, ValueError):
        return None
