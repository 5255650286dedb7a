"""A call of a DUMPI trace with its arguments."""

from __future__ import annotations

import re


class Call:
    """One call with its arguments as text."""

    def __init__(self, at: str, name: str, entered: float):
        self.at, self.name, self.entered = at, name, entered
        self.returned = entered
        self.arguments: dict[str, str] = {}

    def word(self, *names: str) -> str:
        for name in names:
            if name in self.arguments:
                return self.arguments[name]
        raise KeyError(names[0])

    def number(self, *names: str) -> int:
        return int(self.word(*names).strip("[]").split(" ", 1)[0])

    def numbers(self, *names: str) -> list[int]:
        text = self.word(*names)
        if text.startswith("<IGNORED>"):
            return []
        return [int(part.split("(")[0]) for part in text.strip("[]").split(",") if part.strip()]

    def name_of(self, *names: str) -> str:
        """`2 (MPI_COMM_WORLD)`: the name, or the number if it has none."""
        word = self.word(*names)
        match = re.search(r"\((\w+)\)", word)
        return match[1] if match else word.split(" ", 1)[0]
