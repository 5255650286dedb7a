"""Figures. Each function draws on a matplotlib `Axes` (new by default) and returns it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import published, text, units
from .benchmarks import KINDS
from .figures import COLORS
from .results import Result, Sweep

if TYPE_CHECKING:
    import matplotlib.axes

LINES = ("#33568a", "#c2602d", "#3f8f7f", "#7a5a9e", "#8a6d1b", "#5f6b7a")
INK, FAINT = "#333a44", "#d6dae0"
# Distinguish lines beyond their color.
DASHES, MARKS = ("-", "--", ":", "-."), "os^DvP"
# The number of lines that `style` can distinguish.
MOST_LINES = len(LINES) * len(DASHES)
# Legends with more entries are placed beside the axes.
MOST_INSIDE = 5
# Columns of traffic: latency of the packets that arrived, and its lower bound over all packets.
BOUNDS = {f"latency_{which}_s": f"least_{which}_s" for which in ("mean", "p50", "p99")}
# Other columns that cover only packets that arrived.
OF_ARRIVED = ("accepted", "hops_mean", "nonminimal_fraction")


def axes(ax: matplotlib.axes.Axes | None, size: tuple[float, float] = (6.4, 4.2)):
    """`ax`, or new axes, in odonata's style."""
    if ax is None:
        from matplotlib.figure import Figure

        # Not a figure of pyplot: no global state, and nothing to close.
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
    """The curve of a benchmark, with published latencies of the same machine."""
    ax = axes(ax)
    s = result.summary
    column = KINDS[s["name"]].column
    rows = [r for r in result.rows if r["bytes"] > 0] or result.rows
    sizes = [r["bytes"] for r in rows]
    label = f"{s['machine']}, predicted"
    values = [r[column] for r in rows]
    ax.plot(sizes, values, "o-", ms=3.5, lw=1.6, color=LINES[0], label=label)
    barred = [r for r in rows if r.get("band_low") is not None]
    if barred:
        low, high = ([r["latency_s"] * (1 + r[end]) for r in barred]
                     for end in ("band_low", "band_high"))  # fmt: skip
        ax.fill_between([r["bytes"] for r in barred], low, high, color=LINES[0], alpha=0.2, lw=0,
                        label="error band, from packet-level replicas")  # fmt: skip
        values += [*low, *high]
    if s["name"] == "latency":
        measured = [c for c in published.latencies() if c.preset == s["machine"]
                    and c.benchmark == s["name"]]  # fmt: skip
        for curve, color in zip(measured, LINES[1:]):  # noqa: B905 - as many as there are
            published_at, published_us = zip(*curve.points, strict=True)
            seconds = [microseconds * 1e-6 for microseconds in published_us]
            ax.plot(published_at, seconds, "x", ms=6, mew=1.6, color=color,
                    label=f"{curve.what} (published)")  # fmt: skip
            values += seconds
    sizes_axis(ax)
    scale(ax.yaxis, column, values, 10)
    if ax.get_yscale() == "linear":
        ax.set_ylim(0, None)
    ax.set_title(f"{s['name']}: {text.counted(s['nodes'], 'node')} x {s['ppn']}",
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
    """Offered against accepted load, one line per result; `bounds` are dashed lines with labels."""
    is_ours, ax = ax is None, axes(ax)
    top = 0.0
    keys = []
    for nth, result in enumerate(results):
        # A window in which nothing arrived is too short for a point.
        rows = [row for row in result.rows if row.get("hops_mean")]
        top = max([top, *(row["offered"] for row in result.rows)])
        routing = result.summary.get("routing") or "machine's routing"
        keys += ax.plot([r["offered"] for r in rows], [r["accepted"] for r in rows], ms=4, lw=1.6,
                        label=f"{result.summary['pattern']}, {routing}", **style(nth))  # fmt: skip
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
    legend(ax, keys, None, is_ours)
    return ax


def ranks(result: Result, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """The time of each rank, stacked: compute, waiting, transfer and other."""
    ax = axes(ax)
    rows = result.data.get("ranks") or []
    shares(ax, rows)
    scale(ax.yaxis, "time_s", [ax.get_ylim()[1]], 10)
    ax.set_xlabel("rank")
    ax.legend(frameon=False, fontsize=8, ncols=4, loc="lower left", bbox_to_anchor=(0, 1),
              borderaxespad=0.2)  # fmt: skip
    return ax


def shares(
    ax: matplotlib.axes.Axes, rows: Sequence[Mapping[str, Any]], named: bool = False
) -> None:
    """Stacked areas of compute, waiting, transfer and other over the ranks, seconds.

    With `named`, each band that is tall enough carries its name.
    """
    bands: dict[str, tuple[float, float]] = {}
    edges = list(range(len(rows) + 1))
    below = [0.0] * len(rows)
    for share, color in COLORS.items():
        above = [b + (r.get(f"{share}_s") or 0.0) for b, r in zip(below, rows, strict=True)]
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
    """The picture of the demo: published and predicted latencies, and a solver in two placements.

    `curves` are rows of `published.compare`, `runs` the runs of the solver by placement.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, *rest = figure.subplots(1, 1 + len(runs), width_ratios=[2.2] + [1.4] * len(runs))
    axes(left)
    names = list(dict.fromkeys(row["what"] for row in curves))
    for name, color in zip(names, LINES):  # noqa: B905 - colors outnumber curves
        rows = [row for row in curves if row["what"] == name]
        sizes = [row["bytes"] for row in rows]
        left.plot(sizes, [row["predicted_s"] for row in rows], "-", lw=1.5, color=color)
        left.plot(sizes, [row["measured_s"] for row in rows], "o", ms=4.5, mfc="white",
                  mec=color, mew=1.4, label=name)  # fmt: skip
    sizes_axis(left)
    scale(left.yaxis, "latency_s", [row["measured_s"] for row in curves], 10)
    left.set_title("Published (circles) and predicted (lines)", loc="left", fontsize=11, color=INK)
    left.legend(frameon=False, fontsize=8)
    most = max((r.summary["time_s"] for r in runs.values()), default=0.0)
    for ax, (placement, result) in zip(rest, runs.items(), strict=True):
        axes(ax)
        shares(ax, result.data.get("ranks") or [], named=True)
        ax.set_ylim(0, most * 1.12)
        ax.set_xlabel("rank")
        spent = units.show_time(result.summary["time_s"])
        ax.set_title(f"{placement}: {spent}", loc="left", fontsize=11, color=INK)
        scale(ax.yaxis, "time_s", [most], 10)
    for ax in rest[1:]:
        ax.set_ylabel("")
    figure.savefig(path, dpi=160)


def tune(
    result: Sweep, ax: matplotlib.axes.Axes | None = None, size: int | None = None
) -> matplotlib.axes.Axes:
    """Time against ranks, one line per algorithm, at one message size; estimates are hollow."""
    is_ours, ax = ax is None, axes(ax)
    rows = [row for row in result.rows if row["latency_s"] is not None]
    size = min((row["bytes"] for row in rows), default=0) if size is None else size
    names = list(dict.fromkeys(row["algorithm"] for row in rows if row["bytes"] == size))
    for nth, name in enumerate(names):
        own = [row for row in rows if row["bytes"] == size and row["algorithm"] == name]
        line_style = style(nth)
        points = [(row["ranks"], row["latency_s"]) for row in own]
        ax.plot(*zip(*points, strict=True), ms=4.5, lw=1.6, label=name, **line_style)
        for row, point in zip(own, points, strict=True):
            if row["method"] != "exact":
                ax.plot(*point, ms=4.5, mfc="white", **{**line_style, "ls": "none"})
    drawn = [row for row in rows if row["bytes"] == size]
    scale(ax.xaxis, "ranks", [row["ranks"] for row in drawn], 2)
    scale(ax.yaxis, "latency_s", [row["latency_s"] for row in drawn], 10)
    s = result.summary
    each = text.counted(s["ppn"], "rank")
    title = f"{s['collective']}, {units.short_size(size)} B: {each} per node"
    ax.set_title(title, loc="left", fontsize=11, color=INK)
    legend(ax, ax.get_legend_handles_labels()[0], None, is_ours)
    return ax


def sweep(
    rows: Sequence[Mapping[str, Any]],
    x: str,
    y: str,
    by: Sequence[str],
    ax: matplotlib.axes.Axes | None = None,
) -> matplotlib.axes.Axes:
    """Column `y` against `x`, one line per value of `by`: the mean, and a band from least to most.

    Latencies with packets in flight at the end are lower bounds, drawn hollow. A place where a row
    has no value has no mean. Axes are in seconds and bytes, with labels in a suitable unit.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    is_ours, ax = ax is None, axes(ax)
    rows = [row for row in rows if row[x] is not None and speaks_of(row, y)]
    at = sorted({row[x] for row in rows})
    is_number = all(isinstance(place, (int, float)) for place in at)
    lines: dict[tuple, dict[Any, list]] = {}
    for row in rows:
        own = lines.setdefault(tuple(row[key] for key in by), {})
        own.setdefault(row[x], []).append(value_of(row, y))
    styles, keys, title = styles_of(list(lines), by)
    lacking, most, is_hollow, drawn = 0, 1, False, []
    for line_style, (name, own) in zip(styles, lines.items(), strict=True):
        places = [p for p in sorted(own) if all(value is not None for value, _ in own[p])]
        lacking += len(own) - len(places)
        spots = places if is_number else [at.index(place) for place in places]
        found = [[value for value, _ in own[place]] for place in places]
        means = [sum(f) / len(f) for f in found]
        label = ", ".join(map(str, name)) or None
        ax.plot(spots, means, ms=4.5, lw=1.6, label=label, **line_style)
        if hollow := [n for n, p in enumerate(places) if any(least for _, least in own[p])]:
            is_hollow = True
            ax.plot([spots[n] for n in hollow], [means[n] for n in hollow], ms=4.5, mfc="white",
                    **{**line_style, "ls": "none"}, label="_at least")  # fmt: skip
        if any(len(f) > 1 for f in found):
            most = max(most, *map(len, found))
            alpha = 0.2 if len(lines) <= 4 else 0.08  # many bands would overlap
            ax.fill_between(spots, list(map(min, found)), list(map(max, found)),
                            color=line_style["color"], alpha=alpha, lw=0)  # fmt: skip
        drawn += [value for f in found for value in f]
    scale(ax.xaxis, x, at if is_number else [], 2)
    if not is_number:
        ax.set_xticks(range(len(at)), at)
    scale(ax.yaxis, y, drawn, 10)
    if most > 1:
        words = f"band: least to most of\n{most} points, line: mean"
        keys.append(Patch(color=INK, alpha=0.2, lw=0, label=words))
    if is_hollow:
        words = "hollow: lower bound,\npackets in flight"
        keys.append(Line2D([], [], ls="none", marker="o", mfc="white", color=INK, label=words))
    if keys:
        legend(ax, keys, title, is_ours)
    notes = []
    if len(lines) > MOST_LINES:
        notes.append(f"{len(lines)} lines: `plot.sweep` draws a part, given some of the rows")
    if lacking:
        notes.append(f"{lacking} left out: no {y}")
    if notes:
        ax.set_title("; ".join(notes), loc="left", fontsize=9, color=INK)
    return ax


def speaks_of(row: Mapping[str, Any], y: str) -> bool:
    """Whether a row has a column, or lacks it only because no packet arrived or it failed."""
    if isinstance(row[y], (int, float)) or row.get("error"):
        return True
    return row.get("offered") is not None and y in {*BOUNDS, *BOUNDS.values(), *OF_ARRIVED}


def value_of(row: Mapping[str, Any], y: str) -> tuple[float | None, bool]:
    """The value of a row to draw, if any, and whether it is a lower bound."""
    if y in BOUNDS and row.get("unfinished"):
        return row.get(BOUNDS[y]), True
    is_empty = y == "accepted" and row.get("offered") is not None and not row.get("hops_mean")
    return None if is_empty else row[y], False


def style(nth: int) -> dict[str, Any]:
    """The style of the `nth` line, distinct among `MOST_LINES` lines, also in gray.

    Each color has a mark of its own; dashes change when the colors repeat.
    """
    turn = nth // len(LINES)
    return {"color": LINES[nth % len(LINES)], "ls": DASHES[turn % len(DASHES)],
            "marker": MARKS[nth % len(MARKS)]}  # fmt: skip


def styles_of(
    names: Sequence[tuple], by: Sequence[str]
) -> tuple[list[dict[str, Any]], list[Any], str | None]:
    """The style of each line, the entries of the legend, and its title.

    With more than `MOST_INSIDE` lines one column of `by` selects the color, another the mark, and a
    third the dashes, if there are enough. The legend then lists values instead of lines.
    """
    from matplotlib.lines import Line2D

    values = [list(dict.fromkeys(column)) for column in zip(*names, strict=True)]
    order = sorted((n for n, of in enumerate(values) if len(of) > 1), key=lambda n: -len(values[n]))
    features = [("color", LINES), ("marker", MARKS), ("ls", DASHES)]
    if len(order) == 2 and len(values[order[1]]) <= len(DASHES):
        del features[1]
    fits = 2 <= len(order) <= len(features) and all(
        len(values[n]) <= len(of) for n, (_, of) in zip(order, features, strict=False)
    )
    if len(names) <= MOST_INSIDE or not fits:
        styles = [style(n) for n in range(len(names))]
        keys = [Line2D([], [], ms=4.5, lw=1.6, label=", ".join(map(str, name)), **line_style)
                for name, line_style in zip(names, styles, strict=True) if by]  # fmt: skip
        return styles, keys, ", ".join(by) or None
    styles = [{"color": INK, "ls": "-", "marker": "o"} for _ in names]
    keys = []
    for n, (feature, of) in sorted(zip(order, features, strict=False)):
        keys.append(Line2D([], [], ls="none", label=f"{by[n]}:"))
        for value, mark in zip(values[n], of, strict=False):
            line_style = {"color": INK, "ls": "none" if feature == "marker" else "-", feature: mark}
            keys.append(Line2D([], [], ms=4.5, lw=1.6, label=str(value), **line_style))
            for name, line in zip(names, styles, strict=True):
                line |= {feature: mark} if name[n] == value else {}
    return styles, keys, None


def legend(ax: matplotlib.axes.Axes, keys: Sequence[Any], title: str | None, is_ours: bool) -> None:
    """A legend of `keys`, beside the axes if it is long; a new figure grows to hold it."""
    # Long enough to show dashes beside a mark.
    about = {"title": title, "title_fontsize": 8, "frameon": False, "fontsize": 8,
             "handlelength": 3.6}  # fmt: skip
    if len(keys) <= MOST_INSIDE:
        ax.legend(handles=keys, **about)
        return
    columns = -(-len(keys) // 24)
    if is_ours:
        # Inches per letter and per line in the legend's size, with margins.
        words = [title or "", *(key.get_label() for key in keys)]
        letters = max(len(line) for entry in words for line in entry.split("\n"))
        width, height = ax.figure.get_size_inches()
        ax.figure.set_size_inches(width + columns * (0.8 + 0.07 * letters),
                                  max(height, 0.9 + 0.17 * -(-len(keys) // columns)))  # fmt: skip
    ax.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0,
              ncols=columns, **about)  # fmt: skip


def scale(axis: Any, column: str, values: Sequence[float], base: int) -> None:
    """Label an axis with its column and a suitable unit.

    Counts and values with a unit that span a factor of 8 or more get a logarithmic axis, which the
    label states. Fractions do not.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    name, unit, factor = unit_of(column, max(values, default=0.0))
    is_log = spread(values) >= 8 and (unit or all(float(v).is_integer() for v in values))
    if is_log:
        getattr(axis.axes, f"set_{axis.axis_name}scale")("log", base=base)
        axis.set_major_locator(LogLocator(base, (1, 2, 5) if base == 10 else (1,), numticks=12))
        axis.set_minor_locator(NullLocator())
    if values:
        words = units.short_size if column == "bytes" else lambda v: f"{v * factor:,.10g}"
        axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))
    about = ", ".join(word for word in (unit, "logarithmic" if is_log else "") if word)
    axis.set_label_text(f"{name} ({about})" if about else name)


def unit_of(column: str, top: float) -> tuple[str, str, float]:
    """A column's name without its unit, a unit for values up to `top`, and the factor to it."""
    kinds = {
        "_B_per_s": (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0)),
        "_s": (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9), ("ps", 1e-12)),
    }
    for end, units_of in kinds.items():
        if column.endswith(end) and (end == "_B_per_s" or not column.endswith("_per_s")):
            unit, size = next((u for u in units_of if top >= u[1]), units_of[-1])
            return column.removesuffix(end), unit, 1 / size
    return column, "", 1.0


def spread(values: Sequence[float]) -> float:
    """The largest over the smallest value; 1 if one is not positive."""
    return max(values) / min(values) if values and min(values) > 0 else 1.0


def app(result: Sweep, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
    """The figure of merit of an application against nodes, with its error bar and the ideal."""
    ax = axes(ax)
    rows, s = result.rows, result.summary
    nodes = [row["nodes"] for row in rows]
    values = [row["figure_of_merit"] for row in rows]
    ax.fill_between(nodes, [row["low"] for row in rows], [row["high"] for row in rows],
                    color=LINES[0], alpha=0.2, lw=0, label="error bar")  # fmt: skip
    ax.plot(nodes, values, "o-", ms=3.5, lw=1.6, color=LINES[0], label="predicted")
    ideal = [row["figure_of_merit"] / row["efficiency"] for row in rows]
    ax.plot(nodes, ideal, "--", lw=1.0, color=INK, label="efficiency 100 %")
    for row in rows:
        # Losses of a few percent do not show on logarithmic axes.
        ax.annotate(f"{100 * row['efficiency']:.0f} %", (row["nodes"], row["figure_of_merit"]),
                    (4, -11), textcoords="offset points", fontsize=7, color=INK)  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set_xticks(nodes, [str(count) for count in nodes])
    ax.set_yscale("log")
    ax.set_xlabel("nodes")
    ax.set_ylabel(rows[0]["unit"] if rows else "")
    ax.set_title(f"{s['name']} on {s['machine']}, {s['scaling']} scaling",
                 loc="left", fontsize=11, color=INK)  # fmt: skip
    ax.legend(frameon=False, fontsize=8)
    return ax
