"""Weight, color and aligned tables on terminals, by rich; the same text without them elsewhere.

rich is imported when the first styled text is made: never for a pipe or a file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

# Wider than any table: the terminal wraps lines, rich does not.
WIDTH = 10_000


class Cell(str):
    """The text of a cell, with a style of rich."""

    style = ""


def styled(text: str, style: str) -> Cell:
    """A cell in a style of rich, such as `green` or `bold red`."""
    cell = Cell(text)
    cell.style = style
    return cell


def takes_style(to: TextIO) -> bool:
    """Whether a stream is a terminal that supports weight and color, which are not disabled."""
    return to.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


class Terminal:
    """Text for a stream, stderr unless given: styled if it is a terminal."""

    def __init__(self, to: TextIO | None = None):
        to = to or sys.stderr  # not a default argument: the stream may have been replaced
        self.is_styled = takes_style(to)

    def bold(self, text: str) -> str:
        return self.paint(text, "bold")

    def dim(self, text: str) -> str:
        return self.paint(text, "dim")

    def paint(self, text: str, style: str) -> str:
        """The text in a style of rich."""
        if not (self.is_styled and text):
            return text
        from rich.text import Text

        return rendered(Text(text, style=style))

    def columns(
        self, rows: Iterable[Sequence[str]], sides: str = "", gap: str = "  ", header: bool = True
    ) -> list[str]:
        """Rows as aligned lines; `sides` has one of `<` and `>` for each column.

        On a terminal the first row is bold if it is a `header`, and cells have their styles.
        """
        rows = [list(row) for row in rows]
        if not rows:
            return []
        sides = sides.ljust(len(rows[0]), ">")
        return table(rows, sides, gap, header) if self.is_styled else aligned(rows, sides, gap)


def aligned(rows: Sequence[Sequence[str]], sides: str, gap: str) -> list[str]:
    """Rows as lines of plain text."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        gap.join(
            cell.ljust(width) if side == "<" else cell.rjust(width)
            for cell, width, side in zip(row, widths, sides, strict=True)
        ).rstrip()
        for row in rows
    ]


def table(rows: Sequence[Sequence[str]], sides: str, gap: str, header: bool) -> list[str]:
    """Rows as lines of styled text."""
    from rich.table import Table
    from rich.text import Text

    found = Table(box=None, show_header=False, pad_edge=False, padding=(0, len(gap), 0, 0))
    for side in sides:
        found.add_column(justify="left" if side == "<" else "right", no_wrap=True)
    for nth, row in enumerate(rows):
        is_head = header and nth == 0
        cells = [Text(str(c), "bold" if is_head else getattr(c, "style", "")) for c in row]
        found.add_row(*cells)
    return rendered(found).split("\n")


def rendered(what: Any) -> str:
    """What rich writes on a terminal as wide as it needs, without the final line end."""
    import io

    from rich.console import Console

    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=WIDTH, legacy_windows=False,
                      highlight=False)  # fmt: skip
    console.print(what)
    return text.getvalue().removesuffix("\n")
