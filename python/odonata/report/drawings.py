"""Drawings of the report as SVG text, in the colors of the page: they follow light and dark.

Drawn by matplotlib. Points and columns have titles, which browsers show under the pointer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import figures
from ..figures import COLORS
from ..units import show_bytes, show_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS = 512  # more ranks than this are averaged with their neighbors
MOST_CELLS = 256  # more ranks than this share cells of the message matrix

# Colors of `page.html`, by the name of their CSS variable.
PAPER, PANEL, SOFT, RULE = "#fffffe", "#f5f6f8", "#5c6775", "#dfe3e8"
LINES = {"accent": "#2f5d9b", "second": "#c2602d", "transfer": COLORS["transfer"],
         "fourth": "#7a5a9e"}  # fmt: skip
VARIABLES = {
    color: f"var(--{name})"
    for name, color in {
        "paper": PAPER, "panel": PANEL, "soft": SOFT, "rule": RULE, **LINES, **COLORS,
    }.items()
}  # fmt: skip


def blank(width: int, height: int) -> tuple[Figure, Axes]:
    """Axes in a figure of this many pixels of the page, with horizontal grid lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
    figure.get_layout_engine().set(w_pad=0, h_pad=0)
    ax = figure.subplots()
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.grid(axis="y", color=RULE, linewidth=1)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, labelsize=11.5, labelcolor=SOFT, pad=6)
    ax.xaxis.label.set(color=SOFT, fontsize=12)
    ax.yaxis.label.set(color=SOFT, fontsize=12)
    return figure, ax


def tick_time(seconds: float) -> str:
    """A round time for an axis: `250 µs`, `1.5 ms`, `0`."""
    number, unit = show_time(seconds, 6).split()
    return f"{float(number):g} {unit}" if seconds else "0"


def binned(values: Sequence[float], most: int) -> list[float]:
    """At most `most` values: means of equal stretches."""
    count = len(values)
    if count <= most:
        return list(values)
    cuts = [i * count // most for i in range(most + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in zip(cuts, cuts[1:], strict=False)]


def rank_axis(axis: Any, ranks: int) -> None:
    """Whole ranks as ticks, in the middle of their columns."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

    found = MaxNLocator(8, integer=True).tick_values(0, max(ranks - 1, 1))
    axis.set_major_locator(FixedLocator([t + 0.5 for t in found if 0 <= t < ranks]))
    axis.set_major_formatter(FuncFormatter(lambda at, _: f"{int(at):,}"))


def time_by_rank(ranks: Sequence[Mapping[str, Any]]) -> str:
    """Stacked time of every rank: compute, waiting, transfer, other."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    figure, ax = blank(1040, 260)
    columns = {
        s: binned([float(r.get(f"{s}_s") or 0.0) for r in ranks], MOST_COLUMNS) for s in COLORS
    }
    count = len(columns["compute"])
    edges = [i * len(ranks) / max(count, 1) for i in range(count + 1)]
    below = [0.0] * count
    for share, values in columns.items():
        above = [b + v for b, v in zip(below, values, strict=True)]
        if any(values):
            ax.fill_between(edges, [*below, below[-1]], [*above, above[-1]], step="post",
                            color=COLORS[share], lw=0)  # fmt: skip
        below = above
    top = max(below, default=0.0) or 1.0
    titles = {}
    for i in range(count):
        first, last = i * len(ranks) // count, (i + 1) * len(ranks) // count - 1
        name = f"rank {first}" if last <= first else f"ranks {first} to {last}, mean"
        words = [name, *(f"{s} {show_time(columns[s][i])}" for s in COLORS if columns[s][i])]
        titles[f"rank{i}"] = "\n".join(words)
        ax.fill_between(edges[i : i + 2], 0, top, facecolor="none", lw=0, gid=f"rank{i}")
    ax.set(xlim=(0, max(len(ranks), 1)), ylim=(0, top), xlabel="rank")
    ax.yaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 2.5, 5, 10)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: tick_time(seconds)))
    rank_axis(ax.xaxis, len(ranks))
    return figures.svg(figure, "Where the time of every rank went", VARIABLES, titles)


def matrix(messages: Sequence[Mapping[str, Any]], ranks: int) -> str:
    """Bytes from every rank to every other: darker is more, on a logarithmic scale."""
    import numpy

    cells = min(ranks, MOST_CELLS)
    volume = numpy.zeros((cells, cells), dtype=numpy.int64)
    for m in messages:
        at = (m["src"] * cells // ranks, m["dst"] * cells // ranks)
        volume[at] += m.get("bytes") or m.get("messages") or 0
    filled = volume > 0
    top, least = (int(volume[filled].max()), int(volume[filled].min())) if filled.any() else (0, 1)
    span = math.log(top / least) if top > least else 0.0
    weight = numpy.log(numpy.maximum(volume, least) / least) / span if span else 1.0
    pixels = numpy.empty((cells, cells, 4))
    pixels[..., :3] = numpy.array((0x4A, 0x7E, 0xBF)) / 255
    pixels[..., 3] = numpy.where(filled, 0.22 + 0.78 * weight, 0.0)

    figure, ax = blank(460, 430)
    ax.grid(False)
    ax.fill_between((0, ranks), 0, ranks, color=PANEL, lw=0, zorder=-1)
    ax.imshow(pixels, interpolation="none", extent=(0, ranks, ranks, 0))
    ax.set(xlabel="to rank", ylabel="from rank", xlim=(0, ranks), ylim=(ranks, 0))
    rank_axis(ax.xaxis, ranks)
    rank_axis(ax.yaxis, ranks)
    return figures.svg(figure, f"Message matrix; the largest cell is {show_bytes(top)}", VARIABLES)


def curve(
    series: Sequence[tuple[str, Sequence[tuple[float, float]]]],
    x_label: str,
    y_label: str,
    logarithmic: bool,
    x_words: Callable[[float], str],
    y_words: Callable[[float], str],
    rings: Sequence[Sequence[tuple[float, float]]] = (),
    marks: bool = True,
) -> str:
    """Lines through points; both axes logarithmic, or both linear from 0.

    `rings` are measured points of each series, drawn without a line. Without `marks` the points of
    lines are not marked.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    lines = [[p for p in line if not logarithmic or min(p) > 0] for _, line in series]
    points = [p for line in (*lines, *rings) for p in line]
    if not points:
        return ""
    figure, ax = blank(1040, 350)
    titles: dict[str, str] = {}
    for number, ((name, _), line) in enumerate(zip(series, lines, strict=True)):
        color = list(LINES.values())[number % len(LINES)]
        ax.plot(*zip(*line, strict=True), color=color, lw=2, solid_joinstyle="round")
        dots = {"ms": 4.8 if rings else 6.4, "mfc": color, "mew": 0}
        if not marks:
            continue
        titles |= mark(ax, line, f"dot{number}n", dots, f"{name}, predicted", x_words, y_words)
        if number < len(rings):
            dots = {"ms": 8.0, "mfc": PAPER, "mec": color, "mew": 2.0}
            words = f"{name}, published"
            titles |= mark(ax, rings[number], f"ring{number}n", dots, words, x_words,
                           show_time)  # fmt: skip
    if logarithmic:
        ax.set(xscale="log", yscale="log")
        ax.xaxis.set_major_locator(LogLocator(4, numticks=16))
        ys = [y for _, y in points]
        if max(ys) / min(ys) < 10:  # less than a decade: round numbers, from 0
            ax.set_yscale("linear")
            ax.set_ylim(0, 1.08 * max(ys))
        else:
            ax.yaxis.set_major_locator(LogLocator(10, numticks=12))
            ax.set_ylim(10 ** math.floor(math.log10(min(ys))), 10 ** math.ceil(math.log10(max(ys))))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_minor_locator(NullLocator())
        low, high = min(x for x, _ in points), max(x for x, _ in points)
        margin = (high / low) ** 0.012 if high > low else 1.1
        ax.set_xlim(low / margin, high * margin)
    else:
        ax.set_xlim(0, 1.02 * max(x for x, _ in points))
        ax.set_ylim(0, 1.04 * max(y for _, y in points))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: x_words(x)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: y_words(y) if y else "0"))
    ax.set_xlabel(x_label)
    ax.set_title(y_label, loc="left", fontsize=12, color=SOFT, pad=10)
    return figures.svg(figure, f"{y_label} over {x_label}", VARIABLES, titles)


def mark(
    ax: Axes,
    points: Iterable[tuple[float, float]],
    gid: str,
    marker: Mapping[str, Any],
    name: str,
    x_words: Callable[[float], str],
    y_words: Callable[[float], str],
) -> dict[str, str]:
    """Draw points, each an artist of its own; the title of each by its gid."""
    titles = {}
    for nth, (x, y) in enumerate(points):
        ax.plot([x], [y], "o", gid=f"{gid}{nth}", clip_on=False, zorder=3, **marker)
        titles[f"{gid}{nth}"] = f"{name}: {x_words(x)}, {y_words(y)}"
    return titles


def loads(rows: Sequence[Mapping[str, Any]], bins: int, span: tuple[float, float]) -> str:
    """Load of links over time: one row per link, in the order of `rows`."""
    import numpy
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    names = list(dict.fromkeys(row["link"] for row in rows))
    if not names:
        return ""
    number = {name: at for at, name in enumerate(names)}
    values = numpy.zeros((len(names), bins))
    for row in rows:
        values[number[row["link"]], row["bin"]] = row["load"]
    pixels = numpy.empty((len(names), bins, 4))
    pixels[..., :3] = numpy.array((0xC2, 0x60, 0x2D)) / 255
    pixels[..., 3] = numpy.clip(values, 0, 1) ** 0.6
    figure, ax = blank(1040, 34 + 15 * len(names))
    ax.grid(False)
    ax.fill_between(span, 0, len(names), color=PANEL, lw=0, zorder=-1)
    ax.imshow(pixels, interpolation="none", extent=(*span, len(names), 0), aspect="auto")
    ax.set(xlim=span, ylim=(len(names), 0))
    ax.set_yticks([at + 0.5 for at in range(len(names))], names, fontsize=9.5)
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=(1, 2, 2.5, 5, 10)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: tick_time(seconds)))
    return figures.svg(figure, "Load of the busiest links over time", VARIABLES)


MOST_LABELS = 64  # groups whose names are drawn


def topology(links: Sequence[Mapping[str, Any]]) -> str:
    """Groups on a circle: lines for the busiest link between two, disks for the busiest within."""
    within: dict[int, float] = {}
    between: dict[tuple[int, int], float] = {}
    for row in links:
        ends = [group_of(row.get(end) or "") for end in ("from", "to")]
        busy = float(row.get("utilization") or 0.0)
        if None in ends:
            continue
        first, last = sorted(end for end in ends if end is not None)
        if first == last:
            within[first] = max(within.get(first, 0.0), busy)
        else:
            between[first, last] = max(between.get((first, last), 0.0), busy)
            within.setdefault(first, 0.0)
            within.setdefault(last, 0.0)
    if len(within) < 2:
        return ""
    figure, ax = blank(520, 520)
    ax.grid(False)
    ax.set_axis_off()
    groups = sorted(within)
    angle = {group: 2 * math.pi * at / len(groups) for at, group in enumerate(groups)}
    place = {group: (math.sin(a), math.cos(a)) for group, a in angle.items()}
    top = max((*within.values(), *between.values())) or 1.0
    titles: dict[str, str] = {}
    for nth, ((a, b), busy) in enumerate(sorted(between.items(), key=lambda item: item[1])):
        share = busy / top
        ax.plot(*zip(place[a], place[b], strict=True), color=LINES["second"],
                alpha=0.12 + 0.88 * share, lw=0.6 + 4.4 * share, gid=f"line{nth}",
                solid_capstyle="round")  # fmt: skip
        titles[f"line{nth}"] = f"groups {a} and {b}: {100 * busy:.3g} % busy"
    for nth, group in enumerate(groups):
        share = within[group] / top
        x, y = place[group]
        ax.plot([x], [y], "o", ms=13, mfc=PAPER, mec=SOFT, mew=1, zorder=3)
        ax.plot([x], [y], "o", ms=13, mfc=LINES["accent"], alpha=share, mew=0, zorder=4,
                gid=f"group{nth}")  # fmt: skip
        titles[f"group{nth}"] = f"group {group}: busiest link {100 * within[group]:.3g} % busy"
        if len(groups) <= MOST_LABELS:
            ax.text(1.1 * x, 1.1 * y, f"g{group}", ha="center", va="center", color=SOFT,
                    fontsize=10)  # fmt: skip
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
    return figures.svg(figure, "Busiest links of groups of switches", VARIABLES, titles)


def group_of(end: str) -> int | None:
    """The group of a switch, by its name: `g3 switch17`; None of a NIC."""
    match = re.match(r"g([0-9]+) ", end)
    return int(match[1]) if match else None
