"""Matplotlib figures as SVG text, for pages that need no other file."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import matplotlib.figure

# Colors of the shares of a rank's time, distinguishable in gray and to color-blind readers.
COLORS = {"compute": "#4c6a92", "waiting": "#d9a441", "transfer": "#3f8f7f", "other": "#a3a9b2"}
# Text stays text: it can be searched and copied, and has the font of the page. Identifiers are
# hashes of what they name, so equal figures are equal text.
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "odonata"}


def svg(
    figure: matplotlib.figure.Figure,
    label: str,
    colors: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
) -> str:
    """The figure as an `<svg>` element that shrinks with the page.

    `label` describes it to readers who cannot see it. `colors` maps hexadecimal colors to what the
    page calls them, such as CSS variables. `titles` has, by the gid of an artist, what a browser
    shows while the pointer is on it; the artist becomes a group of class `hover`.
    """
    import matplotlib
    from markupsafe import escape

    text = io.StringIO()
    for ax in figure.axes:  # names may have a `$`; only tick labels are formulas
        legend = ax.get_legend()
        for words in (ax.title, *ax.texts, *(legend.get_texts() if legend else ())):
            words.set_parse_math(False)
    with matplotlib.rc_context(STYLE):
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
    body = text.getvalue()
    body = body[body.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    head, body = body.split(">", 1)
    # Axes hold all their data, so nothing has to be clipped; ids of groups would repeat on a page.
    body = re.sub(r' clip-path="url\(#\w+\)"', "", body)
    body = re.sub(r"<defs>\s*<(clipPath|style).*?</defs>\s*", "", body, flags=re.DOTALL)
    body = re.sub(r" font-family: [^;\"]*;", "", body)
    # Coordinates are attribute values; the numbers of labels are text and stay.
    body = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\.[0-9]{3})[0-9]+", r"\1", tag[0]), body)
    for gid, words in (titles or {}).items():
        group = f'<g class="hover"><title>{escape(words)}</title>'
        body = body.replace(f'<g id="{gid}">', group, 1)
    body = re.sub(r'<g id="[\w.]+"', "<g", body)
    for color, name in (colors or {}).items():
        body = body.replace(color, name)
    body = re.sub(r">\s+<", "><", body)
    view = re.search(r'viewBox="[^"]*"', head)
    assert view is not None, "matplotlib writes a view box"
    style = f"width:100%;max-width:{figure.get_figwidth() * 72:.0f}px;height:auto"
    return (
        f'<svg {view[0]} xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
        f'aria-label="{escape(label)}" style="{style}">{body.strip()}'
    )
