"""`odonata fabric events PLAN`: requests to a fabric at given simulated times.

A plan is a TOML file with a list `event`. Each event has a time `at`, seconds or `"HH:MM:SS"` since
the start of the fabric, a `request` such as `"POST /simulation/faults"`, and a `body`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import core
from .errors import Diagnostics
from .fabric_commands.client import Client, ClientError
from .files import read_text, why

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
AT_WANTED = 'seconds, or a text such as "08:30:00"'
REQUEST_WANTED = f'a verb ({", ".join(VERBS)}) and a path, such as "PATCH /fabric/ports/x1c0r0j1p0"'
KEYS = ("at", "request", "body")
MOST_S = 1e8


@dataclass(frozen=True)
class Event:
    """A request at a simulated time."""

    at_s: float
    method: str
    path: str
    body: dict[str, Any] | None


def read(path: str | Path) -> list[Event]:
    """The events of a plan, by time. Raises all problems of the file."""
    wrong = Diagnostics()
    try:
        found = json.loads(core.query("toml_to_json", read_text(path)))
    except (OSError, ValueError) as error:
        wrong.add("plan", str(path), f"a readable TOML file ({why(error)})")
        wrong.raise_any()
    rows = found.get("event")
    if set(found) != {"event"} or not isinstance(rows, list) or not rows:
        wrong.add("plan", str(path), "a list of [[event]] and nothing else")
        wrong.raise_any()
    events = [event(wrong, f"event {n}", row) for n, row in enumerate(rows, 1)]
    wrong.raise_any()
    return sorted((one for one in events if one), key=lambda one: one.at_s)


def event(wrong: Diagnostics, where: str, row: Any) -> Event | None:
    """An event; None after a diagnostic."""
    if not isinstance(row, dict):
        wrong.add(where, row, "a table")
        return None
    for key in row.keys() - set(KEYS):
        wrong.add(f"{where}, {key}", row[key], f"one of the keys {', '.join(KEYS)}")
    at_s = seconds(row.get("at"))
    if at_s is None:
        wrong.add(f"{where}, at", row.get("at", "nothing"), AT_WANTED)
    method, _, path = str(row.get("request", "")).partition(" ")
    if method not in VERBS or not re.fullmatch(r"/[!-~]+", path):
        wrong.add(f"{where}, request", row.get("request", "nothing"), REQUEST_WANTED)
        return None
    body = row.get("body")
    if body is not None and not isinstance(body, dict):
        wrong.add(f"{where}, body", body, "a table")
        return None
    has_body = method in ("POST", "PUT", "PATCH")
    return Event(at_s or 0.0, method, path, (body or {}) if has_body else None)


def seconds(value: Any) -> float | None:
    """A time of a plan in seconds, or None."""
    if isinstance(value, str) and (found := re.fullmatch(r"(\d{1,5}):(\d\d):(\d\d)", value)):
        hours, minutes, rest = map(int, found.groups())
        return 3600.0 * hours + 60 * minutes + rest
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= MOST_S else None


def play(client: Client, events: Sequence[Event], show: Callable[[dict[str, Any]], None]) -> int:
    """Send the requests at their times. Returns the number of refused ones.

    The simulated time must stand (`--speed 0`): it is advanced to each event.
    """
    clock = client.get("/simulation/clock")
    now_s = clock["nowSeconds"]
    if clock["speed"]:
        raise ClientError(0, "the simulated time moves; serve with --speed 0 or stop it")
    refused = 0
    for one in events:
        if one.at_s > now_s:
            clock = client.request(
                "POST", "/simulation/clock/advance", {"seconds": one.at_s - now_s}
            )
            now_s = clock["nowSeconds"]
        row = {"at_s": now_s, "request": f"{one.method} {one.path}"}
        try:
            row["answer"] = client.request(one.method, one.path, one.body)
        except ClientError as error:
            if not error.status:
                raise
            row["error"] = {"status": error.status, "message": str(error)}
            refused += 1
        show(row)
    return refused
