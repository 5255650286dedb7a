"""Background traffic on nodes without a job, and noise.

`"uniform:0.4"` is a pattern of `odonata traffic` and a load; `"uniform:0.4@64Ki"` sends messages of
that size instead of packets, `"uniform:0.4,bulk-data"` has a traffic class.
`"writes:flare:200GB/s"` and `"reads:flare:0.4"` move data to and from the servers of a file system.
A mapping can also name the nodes. `"25us/1ms"` is noise: each core is interrupted for 25 us of
every millisecond.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import names, units
from .errors import MOST, Diagnostics

BACKGROUND = (
    "PATTERN:LOAD[@BYTES][,CLASS], such as `uniform:0.4` or `adversarial:1:0.2@64Ki,bulk-data`"
)
NOISE = "LENGTH/PERIOD, such as `25us/1ms`: away for so long every so often"
_KEYS = ("pattern", "load", "rate", "bytes", "nodes", "class")


def background(wrong: Diagnostics, given: Any) -> tuple[dict[str, Any], ...]:
    """Background traffic in the core's form, from one or several texts or mappings. Diagnostics
    number several ones."""
    if given is None:
        return ()
    if isinstance(given, (str, Mapping)):
        given = [given]
    if not isinstance(given, Sequence):
        wrong.add("background", given, BACKGROUND)
        return ()
    found = []
    for nth, one in enumerate(given, 1):
        sub = Diagnostics()
        found.append((of_mapping if isinstance(one, Mapping) else of_text)(sub, one))
        at = "background" if len(given) == 1 else f"background {nth}"
        for c in sub.list:
            wrong.add(at, c.found, c.wanted, c.hint)
    return tuple(found)


def of_text(wrong: Diagnostics, text: Any) -> dict[str, Any]:
    """`uniform:0.4`, `adversarial:1:0.2@64Ki,bulk-data`."""
    rest, comma, name = text.partition(",") if isinstance(text, str) else ("", "", "")
    words, at, size = rest.partition("@")
    pattern, colon, load = words.rpartition(":")
    try:
        found: dict[str, Any] = {"pattern": pattern}
        if load.endswith("B/s"):
            found["rate"] = units.read_bytes(load.removesuffix("/s"))
        else:
            found["load"] = float(load)
        if at:
            found["bytes"] = units.read_bytes(size)
        if comma:
            found["class"] = name
    except units.Unreadable as error:
        wrong.add("background", text or "nothing", BACKGROUND, str(error) or None)
        return {}
    except ValueError:
        colon = ""
    if not colon:
        hint = f"such as `{text}:0.4`" if isinstance(text, str) and text else None
        wrong.add("background", text or "nothing", BACKGROUND, hint)
        return {}
    sub = Diagnostics()
    found = of_mapping(sub, found)
    for c in sub.list:
        wrong.add("background", text, c.wanted, c.hint)
    return found


def of_mapping(wrong: Diagnostics, given: Mapping[str, Any]) -> dict[str, Any]:
    """`{"pattern": "uniform", "load": 0.4, "bytes": 65536, "nodes": [64, 65]}`."""
    found: dict[str, Any] = {}
    for key in given:
        if key not in _KEYS:
            wrong.unknown_key("background", key, f"keys {', '.join(_KEYS)}", key, _KEYS)
    sub = Diagnostics()
    pattern = found["pattern"] = given.get("pattern")
    # The core has the list of file systems.
    is_storage = isinstance(pattern, str) and pattern.startswith(("writes:", "reads:"))
    if not is_storage:
        names.check_pattern(sub, pattern or "nothing")
    if is_storage and given.get("rate") is not None:
        found["rate"] = sub.number("rate", given["rate"], "bytes per second", 0, 1e15)
        found["load"] = 0.0
    else:
        wanted = "a load of 0 to 1: a fraction of the injection rate"
        found["load"] = sub.number("load", given.get("load", "nothing"), wanted, 0, 1)
    size = given.get("bytes")
    if isinstance(size, str):
        try:
            size = units.read_bytes(size)
        except units.Unreadable as error:
            sub.add("bytes", size, "a size in bytes", str(error) or None)
            size = None
    if size is not None:
        found["bytes"] = sub.whole("bytes", size, 1, MOST)
    if given.get("class") is not None:
        names.check_class(sub, given["class"])
        found["class"] = given["class"]
    if given.get("nodes") is not None:
        named = sub.sequence("nodes", given["nodes"], "a list of nodes, by number")
        found["nodes"] = [sub.whole("nodes", node, 0) for node in named]
    for c in sub.list:
        wrong.add("background", c.found, c.wanted, c.hint)
    return found


def noise(wrong: Diagnostics, given: Any) -> dict[str, float] | None:
    """`"25us/1ms"` in the core's form."""
    if given is None:
        return None
    length, slash, period = given.partition("/") if isinstance(given, str) else ("", "", "")
    try:
        if not slash:
            raise units.Unreadable("")
        found = {"length_s": units.read_span(length), "period_s": units.read_span(period)}
    except units.Unreadable as error:
        wrong.add("noise", given or "nothing", NOISE, str(error) or None)
        return None
    if not found["length_s"] < found["period_s"]:
        wrong.add("noise", given, "a pulse shorter than its period")
    return found
