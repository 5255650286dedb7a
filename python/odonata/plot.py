"""Figures. Every function draws on a matplotlib `Axes` (a new one unless given) and returns it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import published, units
from .benchmarks import KINDS
from .results import Result, Sweep

if TYPE_CHECKING:
    import matplotlib.axes

# Distinguishable in gray and to color-blind readers; the report uses the same four for the shares.
COLORS = {"compute": "#4c6a92", "waiting": "#d9a441", "transfer": "#3f8f7f", "other": "#a3a9b2"}
LINES = ("#33568a", "#c2602d", "#3f8f7f", "#7a5a9e", "#8a6d1b", "#5f6b7a")
INK, FAINT = "#333a44", "#d6dae0"


def axes(ax: matplotlib.axes.Axes | None, size: tuple[float, float] = (6.4, 4.2)):
    """`ax`, or new axes in the house's style."""
    if ax is None:
        from matplotlib.figure import Figure

        # A figure of its own, not pyplot's: nothing global, nothing to close.
        ax = Figure(figsize=size, layout="constrained").subplots()
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(INK)
    ax.tick_params(colors=INK, labelsize=9)
    ax.grid(True, color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def bench(result: Sweep, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """A benchmark's curve, log-log; published latencies of the same machine beside it."""
    ax = axes(ax)
    s = result.summary
    column = KINDS[s["name"]].column
    rows = [r for r in result.rows if r["bytes"] > 0] or result.rows
    scale = 1e6 if column == "latency_s" else 1e-9
    sizes = [r["bytes"] for r in rows]
    label = f"{s['machine']}, predicted"
    ax.loglog(sizes, [r[column] * scale for r in rows], "o-", ms=3.5, lw=1.6,
              color=LINES[0], label=label)  # fmt: skip
    barred = [r for r in rows if r.get("band_low") is not None]
    if barred:
        low, high = ([r["latency_s"] * scale * (1 + r[end]) for r in barred]
                     for end in ("band_low", "band_high"))  # fmt: skip
        ax.fill_between([r["bytes"] for r in barred], low, high, color=LINES[0], alpha=0.2, lw=0,
                        label="by packets, from smaller twins")  # fmt: skip
    if s["name"] == "latency":
        measured = [c for c in published.LATENCIES if c.preset == s["machine"]
                    and c.benchmark == s["name"]]  # fmt: skip
        for curve, color in zip(measured, LINES[1:]):  # noqa: B905 - as many as there are
            ax.loglog(*zip(*curve.points, strict=True), "x", ms=6, mew=1.6, color=color,
                      label=f"{curve.what} (published)")  # fmt: skip
    sizes_axis(ax)
    ax.set_ylabel("one-way latency (us)" if column == "latency_s" else "bandwidth (GB/s)")
    if s["name"] not in ("latency", "multi_lat", "put_latency") and column == "latency_s":
        ax.set_ylabel("latency (us)")
    ax.set_title(f"{s['name']}: {s['nodes']} nodes x {s['ppn']}",
                 loc="left", fontsize=11, color=INK)  # fmt: skip
    ax.legend(frameon=False, fontsize=8)
    return ax


def sizes_axis(ax: matplotlib.axes.Axes) -> None:
    """Message sizes as powers of two, from just left of the smallest."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    ax.set_xscale("log", base=2)
    ax.set_xlim(left=min(min(line.get_xdata()) for line in ax.lines) / 1.5)
    ax.xaxis.set_major_locator(LogLocator(base=2, numticks=9))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda size, _: units.short_size(size)))
    ax.set_xlabel("message size (bytes)")


def traffic(
    results: Sequence[Sweep],
    ax: matplotlib.axes.Axes | None = None,
    bounds: Mapping[str, float] | None = None,
) -> matplotlib.axes.Axes:
    """Offered against accepted load, a line a result; bounds as labeled dashed lines."""
    ax = axes(ax)
    top = 0.0
    for result, color in zip(results, LINES):  # noqa: B905 - colors outnumber results
        rows = result.rows
        offered = [r["offered"] for r in rows]
        top = max([top, *offered])
        routing = result.summary.get("routing") or "machine's routing"
        ax.plot(offered, [r["accepted"] for r in rows], "o-", ms=4, lw=1.6, color=color,
                label=f"{result.summary['pattern']}, {routing}")  # fmt: skip
    top = top or 1.0
    ax.plot([0, top], [0, top], color=FAINT, lw=1.2, zorder=1)
    for name, bound in (bounds or {}).items():
        ax.axhline(bound, color=INK, lw=0.9, ls=(0, (4, 3)))
        ax.annotate(f"{name}: {bound:.3g}", (top, bound), xytext=(0, 3), fontsize=8, color=INK,
                    textcoords="offset points", ha="right")  # fmt: skip
    ax.set_xlim(0, top * 1.02)
    ax.set_ylim(0, None)
    ax.set_xlabel("offered load (fraction of injection rate)")
    ax.set_ylabel("accepted load")
    ax.legend(frameon=False, fontsize=8)
    return ax


def ranks(result: Result, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """Where every rank's time went, stacked."""
    ax = axes(ax)
    rows = result.data.get("ranks") or []
    shares(ax, rows)
    ax.set_ylabel("time (ms)")
    ax.set_xlabel("rank")
    ax.legend(frameon=False, fontsize=8, ncols=4)
    return ax


def shares(
    ax: matplotlib.axes.Axes, rows: Sequence[Mapping[str, Any]], named: bool = False
) -> None:
    """Stacked areas of compute, waiting, transfer and other over the ranks, milliseconds.

    With `named`, the bands carry their names where they are tall enough to be read.
    """
    bands: dict[str, tuple[float, float]] = {}
    edges = list(range(len(rows) + 1))
    below = [0.0] * len(rows)
    for share, color in COLORS.items():
        above = [b + 1e3 * (r.get(f"{share}_s") or 0.0) for b, r in zip(below, rows, strict=True)]
        if any(a > b for a, b in zip(above, below, strict=True)):
            ax.fill_between(edges, [*below, below[-1]], [*above, above[-1]], step="post",
                            color=color, lw=0, label=share)  # fmt: skip
            bands[share] = (sum(below) / len(below), sum(above) / len(above))
        below = above
    tallest = max(below, default=0.0)
    for share, (low, high) in bands.items() if named else ():
        if high - low > 0.05 * tallest:
            ax.text(len(rows) / 2, (low + high) / 2, share, color="white", fontsize=9,
                    ha="center", va="center")  # fmt: skip
    ax.set_xlim(0, len(rows))
    ax.set_ylim(0, None)
    ax.grid(False)


def demo(curves: Sequence[Mapping[str, Any]], runs: Mapping[str, Result], path: str) -> None:
    """The demo's picture: published points beside predictions, and a solver under two placements.

    `curves` are rows of `published.compare`; `runs` the solver's runs by placement.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, *rest = figure.subplots(1, 1 + len(runs), width_ratios=[2.2] + [1.4] * len(runs))
    axes(left)
    names = list(dict.fromkeys(row["what"] for row in curves))
    for name, color in zip(names, LINES):  # noqa: B905 - colors outnumber curves
        rows = [row for row in curves if row["what"] == name]
        sizes = [row["bytes"] for row in rows]
        left.loglog(sizes, [row["predicted_s"] * 1e6 for row in rows], "-", lw=1.5, color=color)
        left.loglog(sizes, [row["measured_s"] * 1e6 for row in rows], "o", ms=4.5, mfc="white",
                    mec=color, mew=1.4, label=name)  # fmt: skip
    sizes_axis(left)
    left.set_ylabel("one-way latency (us)")
    left.set_title("Published (circles) and predicted (lines)", loc="left", fontsize=11, color=INK)
    left.legend(frameon=False, fontsize=8)
    most = max((r.summary["time_s"] for r in runs.values()), default=0.0) * 1e3
    for ax, (placement, result) in zip(rest, runs.items(), strict=True):
        axes(ax)
        shares(ax, result.data.get("ranks") or [], named=True)
        ax.set_ylim(0, most * 1.12)
        ax.set_xlabel("rank")
        spent = result.summary["time_s"] * 1e3
        ax.set_title(f"{placement}: {spent:.2f} ms", loc="left", fontsize=11, color=INK)
    if rest:
        rest[0].set_ylabel("time (ms)")
    figure.savefig(path, dpi=160)


def tune(
    result: Sweep, ax: matplotlib.axes.Axes | None = None, size: int | None = None
) -> matplotlib.axes.Axes:
    """Time against ranks, a line an algorithm, at one message size; estimates are hollow."""
    ax = axes(ax)
    rows = [row for row in result.rows if row["latency_s"] is not None]
    size = min((row["bytes"] for row in rows), default=0) if size is None else size
    names = list(dict.fromkeys(row["algorithm"] for row in rows if row["bytes"] == size))
    for nth, name in enumerate(names):
        mine = [row for row in rows if row["bytes"] == size and row["algorithm"] == name]
        color = LINES[nth % len(LINES)]
        points = [(row["ranks"], row["latency_s"] * 1e6) for row in mine]
        ax.loglog(*zip(*points, strict=True), "-", lw=1.6, color=color, label=name)
        for row, point in zip(mine, points, strict=True):
            is_whole = row["method"] == "exact"
            ax.plot(*point, "o", ms=4.5, color=color, mfc=color if is_whole else "white")
    ax.set_xlabel("ranks")
    ax.set_ylabel("latency (us)")
    s = result.summary
    title = f"{s['collective']}, {units.short_size(size)} B: {s['ppn']} ranks a node"
    ax.set_title(title, loc="left", fontsize=11, color=INK)
    ax.legend(frameon=False, fontsize=8)
    return ax


def sweep(
    rows: Sequence[Mapping[str, Any]],
    x: str,
    y: str,
    by: Sequence[str],
    ax: matplotlib.axes.Axes | None = None,
) -> matplotlib.axes.Axes:
    """Column `y` against `x`, a line for each value of `by`: the mean, from least to most."""
    ax = axes(ax)
    rows = [row for row in rows if row[x] is not None and isinstance(row[y], (int, float))]
    names = list(dict.fromkeys(tuple(row[name] for name in by) for row in rows))
    at = sorted({row[x] for row in rows})
    is_number = all(isinstance(place, (int, float)) for place in at)
    for nth, name in enumerate(names):
        mine: dict[Any, list[float]] = {}
        for row in rows:
            if tuple(row[key] for key in by) == name:
                mine.setdefault(row[x], []).append(row[y])
        places = sorted(mine)
        found = [mine[place] for place in places]
        spots = places if is_number else [at.index(place) for place in places]
        color = LINES[nth % len(LINES)]
        label = ", ".join(map(str, name)) or None
        ax.plot(spots, [sum(f) / len(f) for f in found], "o-", ms=4, lw=1.6, color=color,
                label=label)  # fmt: skip
        if any(len(f) > 1 for f in found):
            ax.fill_between(spots, list(map(min, found)), list(map(max, found)), color=color,
                            alpha=0.2, lw=0)  # fmt: skip
    if is_number and spread(at) >= 8:
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda place, _: units.short_size(place))
    elif not is_number:
        ax.set_xticks(range(len(at)), at)
    if spread([row[y] for row in rows]) >= 10:
        ax.set_yscale("log")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if by and names:
        ax.legend(title=", ".join(by), title_fontsize=8, frameon=False, fontsize=8)
    return ax


def spread(values: Sequence[float]) -> float:
    """The largest over the smallest; 1 where a logarithm has no place."""
    return max(values) / min(values) if values and min(values) > 0 else 1.0
