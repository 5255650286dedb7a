"""Values and tables as the Go programs of the fabric manager print them."""

from __future__ import annotations

import math
import re
from typing import Any

# Widest line of a cell whose words are shorter (the table library's default).
WIDTH = 30
# JSON numbers are float64 in Go, whose %v has an exponent from here on (strconv.FormatFloat with
# 'g' and the shortest digits).
EXPONENT_FROM = 1e6
# What the table library aligns to the right: decimal numbers, also in the column of keys.
NUMBER = re.compile(r"-?\d+(\.\d+)?")


def value(found: Any) -> str:
    """A value of a document, as Go's %v."""
    if found is None:
        return "<nil>"
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, (int, float)):
        return number(found)
    if isinstance(found, dict):
        return "map[" + " ".join(f"{key}:{value(found[key])}" for key in sorted(found)) + "]"
    if isinstance(found, list):
        return "[" + " ".join(map(value, found)) + "]"
    return str(found)


def number(found: float) -> str:
    """A number with the shortest digits; large ones such as 1.616669889357003e+15."""
    if abs(found) < EXPONENT_FROM:
        return str(int(found)) if found == int(found) else repr(found)
    exponent = math.floor(math.log10(abs(found)))
    digits = repr(float(found)).replace(".", "").split("e")[0].strip("0").lstrip("-")
    mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
    return f"{'-' if found < 0 else ''}{mantissa}e+{exponent:02d}"


def wrapped(text: str) -> list[str]:
    """The lines of a cell: breaks at blanks such that the squares of the free widths, except that
    of the last line, have the least sum."""
    words = text.split(" ")
    limit = max(WIDTH, *map(len, words))
    best = [0.0] * (len(words) + 1)
    after = [len(words)] * len(words)
    for first in reversed(range(len(words))):
        best[first], width = math.inf, -1
        for end in range(first + 1, len(words) + 1):
            width += 1 + len(words[end - 1])
            if width > limit:
                break
            cost = best[end] + (0 if end == len(words) else (limit - width) ** 2)
            if cost < best[first]:
                best[first], after[first] = cost, end
    lines, at = [], 0
    while at < len(words):
        lines.append(" ".join(words[at : after[at]]))
        at = after[at]
    return lines


def document(found: dict[str, Any]) -> str:
    """A document as the table KEY | VALUE, with sorted keys. A list of links has a row each."""
    rows: list[tuple[str, str]] = []
    for key in sorted(found):
        its = found[key]
        many = isinstance(its, list) and (key == "documentLinks" or has_maps(its))
        for n, one in enumerate(its if many and its else [its]):
            for k, line in enumerate(wrapped(value(one))):
                name = (key if n == 0 else str(n)) if k == 0 else ""
                rows.append((name, line))
    left = max([len("KEY"), *(len(row[0]) for row in rows)])
    right = max([len("VALUE"), *(len(row[1]) for row in rows)])
    rule = f"+{'-' * (left + 2)}+{'-' * (right + 2)}+"
    lines = [rule, f"| {centered('KEY', left)} | {centered('VALUE', right)} |", rule]
    for name, line in rows:
        lines.append(f"| {aligned(name, left)} | {aligned(line, right)} |")
    return "\n".join([*lines, rule])


def aligned(text: str, width: int) -> str:
    """Numbers to the right, other texts to the left."""
    return text.rjust(width) if NUMBER.fullmatch(text) else text.ljust(width)


def has_maps(found: list[Any]) -> bool:
    """Whether a list has documents, which the table shows in rows of their own."""
    return any(isinstance(one, dict) for one in found)


def centered(text: str, width: int) -> str:
    """Centered text; an odd blank is on the right."""
    free = width - len(text)
    return " " * (free // 2) + text + " " * (free - free // 2)


def centered_left(text: str, width: int) -> str:
    """Centered text as Python's prettytable has it; an odd blank is on the left."""
    free = width - len(text)
    return " " * (free - free // 2) + text + " " * (free // 2)


def columns(head: list[str], rows: list[list[str]]) -> str:
    """A table with centered cells, as the topology tool prints it."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [rule, joined(head, widths), rule, *(joined(row, widths) for row in rows), rule]
    return "\n".join(lines)


def joined(cells: list[str], widths: list[int]) -> str:
    """A row of such a table."""
    shown = [f" {centered_left(cell, width)} " for cell, width in zip(cells, widths, strict=True)]
    return "|" + "|".join(shown) + "|"
