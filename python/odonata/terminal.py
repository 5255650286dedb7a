"""Weight, color and aligned tables on terminals, by rich; the same text without them elsewhere.

rich is imported when the first styled text is made: never for a pipe or a file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO


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
    # An empty NO_COLOR disables nothing: https://no-color.org
    return to.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def escaped(text: str) -> str:
    """Text from outside as one line, with control characters as escapes."""
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(letter: str) -> str:
    """A letter, or its escape in Python; of a byte that is no UTF-8, the byte."""
    if letter.isprintable():
        return letter
    code = ord(letter)
    is_byte = 0xDC80 <= code <= 0xDCFF  # `surrogateescape`
    return f"\\x{code - 0xDC00:02x}" if is_byte else repr(letter)[1:-1]


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

        Control characters in cells become escapes. On a terminal the first row is bold if it is a
        `header`, and cells have their styles.
        """
        rows = [[like(cell, escaped(cell)) for cell in row] for row in rows]
        if not rows:
            return []
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        sides = sides.ljust(len(widths), ">")
        lines = []
        for nth, row in enumerate(rows):
            parts = [
                like(cell, cell.ljust(width) if side == "<" else cell.rjust(width))
                for cell, width, side in zip(row, widths, sides, strict=True)
            ]
            while parts and not parts[-1].strip():  # a line ends with its last letter
                parts.pop()
            if parts:
                parts[-1] = like(parts[-1], parts[-1].rstrip())
            style = "bold" if header and nth == 0 else ""
            lines.append(self.assembled(parts, gap, style))
        return lines

    def assembled(self, parts: Sequence[Cell], gap: str, style: str) -> str:
        """Cells as one line: in a style of rich, or in their own styles if it is empty."""
        if not self.is_styled:
            return gap.join(parts)
        from rich.text import Text

        return rendered(Text(gap).join(Text(str(part), style or part.style) for part in parts))


def like(cell: str, text: str) -> Cell:
    """A text in the style of a cell."""
    return styled(text, getattr(cell, "style", ""))


def rendered(what: Any) -> str:
    """What rich writes on a terminal, without the final line end. The terminal wraps lines."""
    import io

    from rich.console import Console

    text = io.StringIO()
    console = Console(file=text, force_terminal=True, no_color=False, legacy_windows=False,
                      highlight=False)  # fmt: skip
    console.print(what, soft_wrap=True)
    return text.getvalue().removesuffix("\n")
