"""From the words of a command line to values, collecting every complaint on the way.

Options reach us as text on purpose: click would stop at the first bad one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from . import door, machines, units
from .errors import Complaints, InputError
from .machines import Machine, why

T = TypeVar("T")


class Checks(Complaints):
    """Complaints about a command line."""

    def integer(self, at: str, text: str | None, default: int | None, least: int = 1) -> int:
        """A whole number of at least `least`; `default` where the option was not given."""
        if text is None:
            if default is not None:
                return default
            self.add(at, "nothing", f"a whole number of at least {least}")
        elif re.fullmatch(r"[0-9]{1,18}", text) and int(text) >= least:
            return int(text)
        else:
            self.add(at, text, f"a whole number of at least {least}")
        return max(least, 1) if default is None else default

    def read(self, at: str, text: str, reader: Callable[[str], T], wanted: str, default: T) -> T:
        """A value with a reader of its own."""
        try:
            return reader(text)
        except units.Unreadable as error:
            self.add(at, text, wanted, str(error) or None)
            return default

    def machine(self, text: str | None, changes: Iterable[str], routing: str | None) -> Machine:
        """A preset or a machine file, changed by `--set KEY=VALUE`."""
        pairs = []
        for change in changes:
            key, equals, value = change.partition("=")
            if key.strip() and equals:
                pairs.append((key.strip(), value.strip()))
            else:
                self.add("--set", change, "KEY=VALUE, KEY a dotted key of the machine file")
        if text is None:
            self.add("--machine", "nothing", "a preset (`odonata machines`) or a machine file")
            return Machine("")
        if not (text.endswith(".toml") or os.sep in text):
            return Machine(text, None, tuple(pairs), routing)
        try:
            named = Machine.from_toml(text)
        except InputError as error:
            self.add("--machine", text, error.complaints[0].wanted)
            return Machine("")
        return Machine(named.name, named.toml, tuple(pairs), routing)

    def placement(self, text: str) -> str | tuple[int, ...]:
        """A placement by name, or a file with the node of every rank."""
        if text in machines.PLACEMENTS:
            return text
        if not os.path.exists(text):
            self.word("--placement", text, (*machines.PLACEMENTS, "FILE"), "a placement")
            return machines.PLACEMENTS[0]
        try:
            lines = Path(text).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            self.add("--placement", text, f"a readable placement file ({why(error)})")
            return machines.PLACEMENTS[0]
        nodes: list[int] = []
        for number, line in enumerate(lines, 1):
            words = line.partition("#")[0].strip()
            match = re.fullmatch(r"([0-9]{1,9})(?::([0-9]{1,6}))?", words)
            if match:
                nodes += [int(match[1])] * int(match[2] or 1)
            elif words:
                self.add(f"{text}:{number}", words, "NODE or NODE:RANKS, one line after another")
        if not nodes:
            self.add("--placement", text, "a file that names at least one node")
        return tuple(nodes) or machines.PLACEMENTS[0]

    def environment(self, given: Iterable[str]) -> dict[str, str]:
        """`--env K=V`."""
        found = {}
        for pair in given:
            key, equals, value = pair.partition("=")
            if key and equals:
                found[key] = value
            else:
                self.add("--env", pair, "NAME=VALUE")
        return found

    def compute(self, text: str) -> str | float:
        """`measured`, `none` or a positive factor."""
        if text in ("measured", "none"):
            return text
        try:
            factor = float(text)
        except ValueError:
            factor = -1.0
        if not 0 < factor < 1e9:
            near = next((w for w in ("measured", "none") if w[:2] == text[:2]), None)
            self.add(
                "--compute",
                text,
                "`measured`, `none` or a positive factor",
                f"did you mean `{near}`?" if near else None,
            )
        return factor

    def finish(self, machine: Machine | None = None) -> None:
        """Raise if anything is wrong; then the core also looks at the machine, for the rest."""
        if self.list and machine is not None and machine.name:
            try:
                request: dict[str, Any] = {"machine": machine.request(), "routing": machine.routing}
                if machine.toml is not None or machine.name in machines.presets():
                    door.ask("show", request)
            except InputError as error:
                self.extend(error)
        self.raise_any()
