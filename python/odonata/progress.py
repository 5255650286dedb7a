"""The progress line: simulated time, events, rate, wall clock; on a terminal only, by rich.

Where the end is known, the line also has the percentage and the estimated remaining time. With
`--progress json`, or ODONATA_PROGRESS=json in the environment, each second of a command prints one
JSON object on stderr instead.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from ._vocabulary import PROGRESS
from .errors import Diagnostics
from .terminal import takes_style
from .units import show_count, show_time

if TYPE_CHECKING:
    from rich.console import Console


VARIABLE = "ODONATA_PROGRESS"
LINE_S = 1.0  # wall time between two machine-readable lines, seconds


class Progress:
    """Redraws one line of `to` at every tick, and clears it when done.

    `expected_s` is the simulated time at the end, if it is known. A tick may have `parts`, the
    completed parts of the command and all of them. `form` is `line`, `json` or `none`.
    """

    def __init__(
        self,
        title: str,
        quiet: bool = False,
        to: TextIO | None = None,
        expected_s: float | None = None,
        form: str | None = None,
    ):
        self.title = title
        self.expected_s = expected_s
        self.to = to or sys.stderr
        self.is_json = (form or os.environ.get(VARIABLE)) == "json"
        self._last_line = 0.0
        self._began = time.monotonic()
        is_terminal = self.to.isatty() and os.environ.get("TERM") != "dumb"
        self.on = is_terminal and not quiet and form in (None, "line")
        self._drawn = False
        self._console: Console | None = None
        self._furthest: dict[str, float] = {}

    def __enter__(self) -> Progress:
        return self

    def elapsed(self) -> float:
        """Wall time since the start of the command, seconds."""
        return time.monotonic() - self._began

    def __exit__(self, *_: object) -> None:
        self.wipe()

    def wipe(self) -> None:
        """Clear the line for the next output."""
        if self._drawn:
            self._clear()
            self.to.flush()
            self._drawn = False

    def _clear(self) -> Console:
        """Clear the line and return the console that writes it."""
        from rich.console import Console
        from rich.control import Control
        from rich.segment import ControlType

        if self._console is None:
            self._console = Console(file=self.to, highlight=False)
        erase = (ControlType.ERASE_IN_LINE, 2)
        self._console.control(Control(ControlType.CARRIAGE_RETURN, erase))
        return self._console

    def __call__(self, tick: dict[str, Any]) -> None:
        if not (self.on or self.is_json):
            return
        # Ticks lack the simulated time while ranks start or compute; the last value is shown.
        for key in ("time_s", "events"):
            tick[key] = self._furthest[key] = max(tick.get(key) or 0, self._furthest.get(key, 0))
        tick["share"] = share_of(tick, self.expected_s)
        if self.is_json:
            self.report(tick)
        else:
            self.draw(line(self.title, tick))

    def count(self, done: int, total: int, wall_s: float, words: str, phase: str = "") -> None:
        """Report completed parts of a command that is no single simulation; `words` is the line."""
        if self.is_json:
            share = done / total if total else None
            self.report({"wall_s": wall_s, "parts": (done, total), "share": share, "phase": phase})
        else:
            self.draw(words)

    def report(self, tick: dict[str, Any]) -> None:
        """Print the tick as a JSON object, at most once per second of wall clock."""
        wall = tick.get("wall_s") or 0.0
        if wall - self._last_line < LINE_S:
            return
        self._last_line = wall
        events = tick.get("events") or 0
        found = {
            "progress": self.title, "time_s": tick.get("time_s"), "events": events,
            "events_per_s": events / wall if wall else None, "wall_s": wall,
            "phase": tick.get("phase"), "parts": tick.get("parts"), "share": tick["share"],
            "remaining_s": remaining(tick["share"], wall),
        }  # fmt: skip
        print(json.dumps(found), file=self.to, flush=True)

    def draw(self, words: str) -> None:
        """Put these words on the line, cut to its width."""
        if not self.on:
            return
        from rich.text import Text

        console = self._clear()
        title, bar, rest = words.partition(" | ")
        is_styled = takes_style(self.to)
        text = Text.assemble((title, "bold" if is_styled else ""), bar + rest)
        text.truncate(console.width - 1, overflow="ellipsis")
        console.print(text, end="", no_wrap=True)
        self.to.flush()
        self._drawn = True


def form_of(given: str | None) -> str | None:
    """The form of --progress, checked; `InputError` for another word."""
    wrong = Diagnostics()
    if given is not None:
        wrong.word("progress", given, PROGRESS, "one of")
    wrong.raise_any()
    return given


def part_of(
    tick: Callable[[dict[str, Any]], Any] | None, done: int, total: int
) -> Callable[[dict[str, Any]], Any] | None:
    """A tick of one of several parts of a command."""
    if tick is None:
        return None
    began = time.monotonic()
    before = getattr(tick, "elapsed", lambda: 0.0)()

    def one(found: dict[str, Any]) -> Any:
        # Parts of a part count as fractions of it.
        inner = found.get("parts")
        share = inner[0] / inner[1] if inner and inner[1] else 0.0
        wall = before + time.monotonic() - began
        return tick({**found, "parts": (done + share, total), "wall_s": wall})

    return one


def share_of(tick: dict[str, Any], expected_s: float | None) -> float | None:
    """The part of the work that is done, below 1; None if the end is unknown.

    That is the part of the expected simulated time, or of the parts of the command.
    """
    if expected_s and tick.get("time_s"):
        return min(tick["time_s"] / expected_s, 0.999)
    parts = tick.get("parts")
    if parts and parts[1] > 1 and parts[0]:
        return float(min(parts[0] / parts[1], 0.999))
    return None


def remaining(share: float | None, wall: float) -> float | None:
    """The estimated remaining wall time, seconds."""
    return wall * (1 / share - 1) if share and wall else None


def line(title: str, tick: dict[str, Any]) -> str:
    """A tick as one line."""
    wall, events = tick.get("wall_s") or 0.0, tick.get("events")
    parts = [title]
    share = tick.get("share")
    if share:
        parts.append(f"{100 * share:.0f} %")
    phase = tick.get("phase") or (None if events else "starting")
    if phase:
        parts.append(str(phase))
    if tick.get("time_s"):
        parts.append(f"simulated {show_time(tick['time_s'])}")
    if events:
        parts.append(f"{show_count(events)} events")
        if wall > 0:
            parts.append(f"{show_count(events / wall)}/s")
    if wall:
        parts.append(clock(wall))
    left = remaining(share, wall)
    if left is not None:
        parts.append(f"about {clock(left)} left")
    return " | ".join(parts)


def clock(seconds: float) -> str:
    """`1:05`, `2:03:04`."""
    seconds = max(0, round(seconds))
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
