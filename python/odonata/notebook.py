"""Results in notebooks: a short HTML table, and a plot where there is a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import figures, units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 20
PAGE = """
<div>
<p><b>{{ title }}</b><br/>{{ facts | join(", ") }}</p>
{% if warning %}<p><b>{{ warning }}</b></p>{% endif %}
{% if rows %}
<table>
<thead>
<tr>{% for name in names %}<th style="{{ styles[loop.index0] }}">{{ name }}</th>{% endfor %}</tr>
</thead>
<tbody>
{% for row in rows %}
<tr>{% for cell in row %}<td style="{{ styles[loop.index0] }}">{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>
{% endif %}
{% if left_out %}<p>{{ left_out }} more {{ "row" if left_out == 1 else "rows" }}</p>{% endif %}
{{ figure }}
</div>
"""


@dataclass
class View:
    """What a notebook shows of a result."""

    title: str
    facts: list[str]
    names: Sequence[str] = ()
    rows: list[Sequence[str]] = field(default_factory=list)
    warning: str = ""
    has_curve: bool = False


def html(result: Any) -> str:
    """A result as HTML: a run, a replay, a benchmark, traffic, a tuning or several jobs."""
    kind = result.summary.get("kind", "run")
    view = VIEWS[kind](result.summary, result.data)
    return render(view, result.plot() if view.has_curve else None)


def table(title: str, facts: list[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of any keys as HTML."""
    names = list(rows[0]) if rows else []
    cells = [[plain(row.get(name)) for name in names] for row in rows[: MOST_ROWS + 1]]
    view = View(title, facts, names, [*cells, *([[]] * (len(rows) - len(cells)))])
    return render(view, None)


def counted(number: int, thing: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def plain(value: Any) -> str:
    """A value of a table as text."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def render(view: View, axes: Axes | None) -> str:
    """The HTML of a view, with the plot of its axes."""
    import jinja2
    from markupsafe import Markup

    figure = ""
    if axes is not None and axes.figure is not None:
        figure = Markup(figures.svg(axes.figure, view.title))
    sides = ["left", *["right"] * (len(view.names) - 1)]
    template = jinja2.Environment(autoescape=True, trim_blocks=True).from_string(PAGE)
    return template.render(
        title=view.title,
        facts=view.facts,
        warning=view.warning,
        names=view.names,
        styles=[f"text-align:{side};padding:1px 12px 1px 0" for side in sides],
        rows=view.rows[:MOST_ROWS],
        left_out=max(len(view.rows) - MOST_ROWS, 0),
        figure=figure,
    )


def run(s: Mapping[str, Any], data: Mapping[str, Any]) -> View:
    """The predicted time of a program, and where it went."""
    failure = s.get("failure")
    title = f"Predicted time {units.show_time(s['time_s'], 4)} on {s['machine']}"
    warning = ""
    if failure:
        title = f"No prediction on {s['machine']}"
        kind = str(failure["kind"]).replace("_", " ")
        message = str(failure["message"])
        warning = message if kind in message else f"{kind}: {message}"
    facts = [
        f"{counted(s['ranks'], 'rank')} on {counted(s['nodes'], 'node')}",
        f"{s['placement']} placement",
        f"{s['fidelity']} fidelity",
        f"compute {s['compute']}",
        f"{units.show_count(s['messages'])} messages",
        f"{units.show_bytes(s['bytes'])} payload",
    ]
    ranks = data.get("ranks") or []
    rows = []
    for share in ("compute", "waiting", "transfer", "other"):
        times = [float(rank.get(f"{share}_s") or 0.0) for rank in ranks]
        if any(times):
            spread = (sum(times) / len(times), min(times), max(times))
            rows.append([share, *(units.show_time(time) for time in spread)])
    names = ("time per rank", "mean", "least", "most")
    has_curve = len(ranks) > 1 and not failure
    return View(title, facts, names, rows, warning, has_curve)


def bench(s: Mapping[str, Any], data: Mapping[str, Any]) -> View:
    """A benchmark by message size."""
    rows = data["rows"]
    is_rate = any("bandwidth_B_per_s" in row for row in rows)
    column = "bandwidth_B_per_s" if is_rate else "latency_s"
    show = units.show_rate if is_rate else units.show_time
    names = ["message", "bandwidth" if is_rate else "latency"]
    has_algorithm = any(row.get("algorithm") for row in rows)
    cells = []
    for row in rows:
        cell = [units.show_size(row["bytes"]), show(row.get(column))]
        if has_algorithm:
            cell.append(str(row.get("algorithm") or "-").replace("_", " "))
        cells.append(cell)
    if has_algorithm:
        names.append("algorithm")
    facts = [counted(s["nodes"], "node"), f"{counted(s['ppn'], 'rank')} per node",
             f"{s['fidelity']} fidelity"]  # fmt: skip
    title = f"{s['name']} on {s['machine']}"
    return View(title, facts, names, cells, has_curve=len(rows) > 1)


def traffic(s: Mapping[str, Any], data: Mapping[str, Any]) -> View:
    """Offered and accepted load, latencies and hops."""
    rows = data["rows"]
    cells = []
    for row in rows:
        bound = ">" if row.get("unfinished") else ""
        times = [row.get(f"{'least' if bound else 'latency'}_{of}_s") for of in ("mean", "p99")]
        cells.append(
            [
                f"{row['offered']:.3f}",
                f"{row['accepted']:.3f}",
                *("-" if time is None else bound + units.show_time(time) for time in times),
                "-" if row.get("hops_mean") is None else f"{row['hops_mean']:.2f}",
                units.show_percent(row.get("nonminimal_fraction")),
            ]
        )
    names = ("offered", "accepted", "mean latency", "99 % below", "hops", "nonminimal")
    facts = [f"{s['routing']} routing", f"{s['fidelity']} fidelity",
             f"{s['packet_bytes']:,} B packets"]  # fmt: skip
    curve = sum(bool(row.get("hops_mean")) for row in rows) > 1
    return View(f"{s['pattern']} traffic on {s['machine']}", facts, names, cells, has_curve=curve)


def tune(s: Mapping[str, Any], data: Mapping[str, Any]) -> View:
    """The fastest algorithm of each call beside the library's."""
    calls: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for row in data["rows"]:
        calls.setdefault((row["nodes"], row["bytes"]), []).append(row)
    cells = []
    for (nodes, size), rows in calls.items():
        cell = [f"{nodes:,}", units.show_size(size)]
        for key in ("is_winner", "is_default"):
            row = next((row for row in rows if row[key]), None)
            time = None if row is None else row["latency_s"]
            cell += [row["algorithm"] if row else "-", units.show_time(time)]
        cells.append(cell)
    names = ("nodes", "message", "fastest", "time", "library's choice", "time")
    facts = [s["mpi"], f"{counted(s['ppn'], 'rank')} per node", f"{s['fidelity']} fidelity"]
    curve = len({nodes for nodes, _ in calls}) > 1
    return View(f"{s['collective']} on {s['machine']}", facts, names, cells, has_curve=curve)


def jobs(s: Mapping[str, Any], data: Mapping[str, Any]) -> View:
    """Each job's time beside the others and alone."""
    cells = [
        [
            row["name"],
            f"{row['ranks']:,}",
            f"{row['nodes']:,}",
            "failed" if row.get("failure") else units.show_time(row["time_s"], 4),
            units.show_time(row.get("alone_s"), 4),
            "-" if row.get("slowdown") is None else f"{row['slowdown']:.3f}x",
        ]
        for row in s["jobs"]
    ]
    names = ("job", "ranks", "nodes", "time", "alone", "slowdown")
    title = f"{counted(len(cells), 'job')} on {s['machine']}"
    return View(title, [f"{s['fidelity']} fidelity"], names, cells)


VIEWS = {"run": run, "replay": run, "bench": bench, "traffic": traffic, "tune": tune, "jobs": jobs}
