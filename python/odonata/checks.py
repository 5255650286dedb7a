"""Values of command line options, read from their text, with a diagnostic for each bad one.

click passes options as text: it would stop at the first bad value. Diagnostics name arguments as
the Python API does; `suggestions.spelled` replaces these by names of options.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from . import core, machines, names, units
from ._vocabulary import BY_COMMAND, default_count
from .errors import MOST, Diagnostics, InputError, whole_wanted
from .files import read_text, why
from .machines import Machine

T = TypeVar("T")

# Several times the cores of the largest preset. It bounds the memory that a mistyped file takes.
MOST_PLACED = 1 << 22
MOST_REPORTED = 1_000  # diagnostics after which a file is not read on


class Checks(Diagnostics):
    """Diagnostics of a command line."""

    def integer(
        self, at: str, text: str | None, default: int | None, least: int = 1, most: int = MOST
    ) -> int:
        """A whole number from `least` to `most`; `default` if the option is absent."""
        if text is None and default is not None:
            return default
        before = len(self.list)
        if text is not None and re.fullmatch(r"[0-9]{1,400}", text):
            number = self.whole(at, int(text), least, most)
            if len(self.list) == before:
                return number
        else:
            self.add(at, text or "nothing", whole_wanted(least, most))
        return max(least, 1) if default is None else default

    def count(self, command: str, name: str, text: str | None) -> int:
        """A whole number in the declared range of an option, or its default."""
        declared = BY_COMMAND[command, name]
        default = None if declared.default is None else default_count(command, name)
        return self.integer(name, text, default, declared.least, declared.most)

    def read(self, at: str, text: str, reader: Callable[[str], T], wanted: str, default: T) -> T:
        """A value that `reader` reads; `default` after a diagnostic."""
        try:
            return reader(text)
        except units.Unreadable as error:
            self.add(at, text or "nothing", wanted, str(error) or None)
            return default

    def machine(
        self, text: str | None, changes: Iterable[str], routing: str | None
    ) -> Machine | None:
        """A preset or a machine file with the keys of `--set`; None after a diagnostic."""
        pairs = []
        for change in changes:
            key, equals, value = change.partition("=")
            if key.strip() and equals:
                pairs.append((key.strip(), value.strip()))
            else:
                wanted = "KEY=VALUE, KEY a dotted key of the machine file"
                self.add("changes", change or "nothing", wanted)
        if not text:
            found = "nothing" if text is None else "an empty name"
            self.add("machine", found, "a preset (`odonata machines`) or a machine file")
            return None
        if not (text.endswith(".toml") or os.sep in text):
            return Machine(text, None, tuple(pairs), routing)
        try:
            named = Machine.from_toml(text)
        except InputError as error:
            self.extend(error)
            return None
        return replace(named, changes=tuple(pairs), routing=routing)

    def placement(self, text: str) -> str | tuple[int, ...]:
        """A placement by name, or by a file with the node of each rank."""
        if not os.path.exists(text) or text in names.PLACEMENTS:
            known = names.check_placement(self, text, ["FILE"])
            return text if known else names.PLACEMENTS[0]
        try:
            lines = read_text(text).splitlines()
        except (OSError, ValueError) as error:
            self.add("placement", text, f"a readable placement file ({why(error)})")
            return names.PLACEMENTS[0]
        named: list[tuple[int, int]] = []
        before = len(self.list)
        for number, line in enumerate(lines, 1):
            words = line.partition("#")[0].strip()
            match = re.fullmatch(r"([0-9]{1,9})(?::([0-9]{1,6}))?", words)
            if match:
                named.append((int(match[1]), int(match[2] or 1)))
            elif words:
                self.add(f"{text}:{number}", words, "NODE or NODE:RANKS, one line after another")
            if len(named) > MOST_PLACED or len(self.list) > MOST_REPORTED:
                break
        ranks = sum(count for _, count in named)
        if ranks > MOST_PLACED:
            self.add("placement", f"{text}: {ranks:,} ranks", f"at most {MOST_PLACED:,} ranks")
        elif not ranks and len(self.list) == before:
            self.add("placement", text, "a file that names at least one node")
        if len(self.list) > before:
            return names.PLACEMENTS[0]
        return tuple(node for node, count in named for _ in range(count))

    def environment(self, given: Iterable[str]) -> dict[str, str]:
        """Variables of `--env NAME=VALUE`."""
        found = {}
        for pair in given:
            key, equals, value = pair.partition("=")
            if key and equals:
                found[key] = value
            else:
                self.add("env", pair or "nothing", "NAME=VALUE")
        return found

    def finish(self, machine: Machine | None = None) -> None:
        """Raise `InputError` if there are diagnostics; the core first adds those of the machine."""
        if self.list and machine is not None:
            try:
                request: dict[str, Any] = {"machine": machine.request(), "routing": machine.routing}
                if machine.toml is not None or machine.name in machines.presets():
                    core.query("show", request)
            except InputError as error:
                self.extend(error)
        self.raise_any()
