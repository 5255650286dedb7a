"""The progress line: simulated time, events, rate, wall clock; on a terminal only."""

from __future__ import annotations

import shutil
import sys
from typing import Any, TextIO

from .units import show_count, show_time


class Progress:
    """Redraws one line of `to` at every tick, and wipes it when done."""

    def __init__(self, title: str, quiet: bool = False, to: TextIO | None = None):
        self.title = title
        self.to = to or sys.stderr
        self.on = self.to.isatty() and not quiet
        self._drawn = False
        self._furthest: dict[str, float] = {}

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.wipe()

    def wipe(self) -> None:
        """Leave the line empty for whatever is said next."""
        if self._drawn:
            self.to.write("\r\033[K")
            self.to.flush()
            self._drawn = False

    def __call__(self, tick: dict[str, Any]) -> None:
        if not self.on:
            return
        # While ranks start or compute, ticks know of no simulated time: what was reached stays.
        for key in ("time_s", "events"):
            tick[key] = self._furthest[key] = max(tick.get(key) or 0, self._furthest.get(key, 0))
        self.draw(line(self.title, tick))

    def draw(self, words: str) -> None:
        """Put these words on the line."""
        if not self.on:
            return
        width = shutil.get_terminal_size().columns - 1
        self.to.write("\r\033[K" + words[:width])
        self.to.flush()
        self._drawn = True


def line(title: str, tick: dict[str, Any]) -> str:
    """What a tick says, on one line."""
    wall, events = tick.get("wall_s") or 0.0, tick.get("events")
    parts = [title]
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
    return " | ".join(parts)


def clock(seconds: float) -> str:
    """`1:05`, `2:03:04`."""
    seconds = max(0, round(seconds))
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
