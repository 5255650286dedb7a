"""Matplotlib figures as SVG text, for pages that need no other file."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import matplotlib.figure

# Text stays text: it can be searched and copied, and uses the font of the page. Identifiers are
# hashes of what they name, so equal figures are equal text.
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "odonata"}


def svg(figure: matplotlib.figure.Figure, label: str) -> str:
    """The figure as an `<svg>` element as wide as its place; `label` describes it to readers
    that cannot see it."""
    import matplotlib
    from markupsafe import escape

    text = io.StringIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
    body = text.getvalue()
    body = body[body.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    width = figure.get_figwidth() * 72
    head, rest = body.split(">", 1)
    view = re.search(r'viewBox="[^"]*"', head)
    assert view is not None, "matplotlib writes a view box"
    style = f"width:100%;max-width:{width:.0f}pt;height:auto"
    return (
        f'<svg {view[0]} xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'aria-label="{escape(label)}" style="{style}">{rest}'
    )
