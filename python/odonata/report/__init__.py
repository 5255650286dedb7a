"""The HTML report: one file without references, for light and dark screens and for paper.

`html(summary, tables)` takes the content of a result directory. This module selects the content,
`page.html` is the layout, and `drawings.py` has the plots.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .. import comparing, published, tables, text, units
from ..benchmarks import KINDS
from ..errors import Diagnostics
from ..files import why, write_text
from ..version import version
from . import drawings, over_time, storage

PAGE = Path(__file__).with_name("page.html")
COMPARISON = Path(__file__).with_name("comparison.html")
HOTTEST = 8


def check_target(wrong: Diagnostics, target: str | Path, force: bool = False) -> Path:
    """The file for a report: new or an earlier report, or with `force` any file."""
    at = "output"
    if not isinstance(target, (str, os.PathLike)) or not os.fspath(target):
        wrong.add(at, target or "an empty name", "a file to write")
        return Path()
    path = Path(target)
    try:
        whole = Path(os.path.realpath(path))
        if path.is_dir():
            wrong.add(at, target, "a file, not a directory", f"such as `{path / 'report.html'}`")
        elif not whole.parent.is_dir():
            wrong.add(at, target, "a file in a directory that exists")
        elif path.is_file() and not force and path.stat().st_size and not tables.is_report(path):
            wrong.add(at, target, "a new file or an earlier report; this is something else",
                      "--force replaces it")  # fmt: skip
        elif path.is_file():
            path.open("ab").close()
        elif not is_there(path):
            tables.probe(whole.parent)
        elif not os.access(path, os.W_OK):  # opening a pipe would wait for a reader, and end it
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        wrong.add(at, target, f"a file that can be written ({why(error)})")
    return path


def is_there(path: Path) -> bool:
    """Whether the target of a path's links exists; `OSError` if they form a cycle."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


def write(
    path: str | Path,
    summary: Mapping[str, Any],
    data: Mapping[str, Sequence[Mapping[str, Any]]],
    force: bool = False,
) -> None:
    """Write the report to a file; `InputError` if it is another file."""
    check_kind("result", kind_of(summary), summary)
    wrong = Diagnostics()
    target = check_target(wrong, path, force)
    wrong.raise_any()
    write_text(target, html(summary, data))


def of_directory(path: Path, with_published: bool = True) -> str:
    """The report on a result directory; `InputError` if its contents are damaged."""
    import jinja2

    summary, data = tables.read(path)
    check_kind("rundir", path, summary)
    date = date_of(path / tables.SUMMARY)
    rows = published.compare() if with_published else []
    try:
        return html(summary, data, published_rows=rows, date=date)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError,
            jinja2.UndefinedError) as error:  # fmt: skip
        reason = f"{type(error).__name__}: {error}"
        raise tables.damaged(path, reason) from None


def of_sweep(path: Path, date: str = "") -> str:
    """The report on the directory of a parameter sweep; `InputError` if it is damaged."""
    from . import sweeps

    found = sweeps.read(path)
    rows = found["rows"]
    same = {name: {row.get(name) for row in rows} for name in ("machine", "fidelity")}
    summary = {"kind": "sweep", "odonata": version(), "command": sweeps.study_text(found["study"])}
    for name, values in same.items():
        summary[name] = values.pop() if len(values) == 1 else "several"
    return html(summary, found, with_published=False, date=date)


def html(
    summary: Mapping[str, Any],
    data: Mapping[str, Sequence[Mapping[str, Any]]],
    with_published: bool = True,
    published_rows: Sequence[Mapping[str, Any]] | None = None,
    date: str = "",
) -> str:
    """The report on a run, a replay, a benchmark, a traffic sweep or several jobs.

    `published_rows` are rows of `published.compare()`, if they exist already.
    """
    import jinja2

    loader = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    loader.filters.update(
        time=units.show_time,
        bytes=units.show_bytes,
        count=units.show_count,
        percent=units.show_percent,
        size=units.show_size,
    )
    if with_published and published_rows is None:
        published_rows = published.compare()
    kind = kind_of(summary)
    content = contents()[kind]
    page = loader.from_string(PAGE.read_text(encoding="utf-8"))
    return page.render(
        s=summary,
        date=date,
        kind=kind,
        interrupted=text.interrupted(summary),
        published=grouped(published_rows or []),
        published_curves=published_curves(grouped(published_rows or [])),
        engine=text.engine(summary.get("engine") or {}, rates=kind in ("bench", "traffic")),
        storage=storage.content(summary.get("io")),
        **content(summary, data),
    )


def date_of(summary: Path) -> str:
    """The date of a result: when its summary was written, UTC."""
    written = datetime.fromtimestamp(summary.stat().st_mtime, timezone.utc)
    return written.strftime("%Y-%m-%d %H:%M UTC")


def of_comparison(found: Mapping[str, Any], names: Sequence[str], date: str = "") -> str:
    """The page of a comparison (`comparing.compare`) of two results with these names."""
    import jinja2

    page = PAGE.read_text(encoding="utf-8")
    style = page[page.index("<style>") : page.index("</style>") + len("</style>")]
    time = found["time"]
    loader = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    value_of = comparing.value_of
    return loader.from_string(COMPARISON.read_text(encoding="utf-8")).render(
        style=style,
        names=names,
        version=version(),
        date=date,
        ratio="-" if time["ratio"] is None else f"{time['ratio']:.3f}x",
        time=[units.show_time(time[which], 4) for which in ("first", "second")],
        changed=[(c["key"], value_of(c["first"]), value_of(c["second"])) for c in found["changed"]],
        sections=comparing.sections(found),
    )


def contents() -> dict[str, Callable[..., dict[str, Any]]]:
    """The function for the content of a page, by kind of result."""
    return {
        "run": run_content, "replay": run_content, "bench": bench_content,
        "traffic": traffic_content, "jobs": jobs_content, "io_bench": io_bench_content,
        "tune": tune_content, "app": app_content, "sweep": sweep_content,
    }  # fmt: skip


def kind_of(summary: Mapping[str, Any]) -> Any:
    """The kind of result of a summary."""
    return summary.get("kind", "run")


def check_kind(at: str, found: Any, summary: Mapping[str, Any]) -> None:
    """Raise an error for a result that has no report."""
    kind = kind_of(summary)
    if isinstance(kind, str) and kind in contents():
        return
    wrong = Diagnostics()
    wrong.add(at, found, f"results of {', '.join(contents())}: there is no report of `{kind}`")
    wrong.raise_any()


def grouped(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Published rows by curve."""
    curves: dict[str, dict[str, Any]] = {}
    for row in rows:
        curve = curves.setdefault(row["what"], {**row, "rows": []})
        curve["rows"].append(row)
    for curve in curves.values():
        errors = sorted(abs(r["error"]) for r in curve["rows"])
        curve["median"] = errors[len(errors) // 2]
    return list(curves.values())


def published_curves(curves: Sequence[Mapping[str, Any]]) -> str:
    """All curves in one drawing: published points as rings on predicted lines."""
    predicted = [(c["what"], [(r["bytes"], r["predicted_s"]) for r in c["rows"]]) for c in curves]
    measured = [[(r["bytes"], r["measured_s"]) for r in c["rows"]] for c in curves]
    if not curves:
        return ""
    return drawings.curve(
        predicted, "message size, bytes", "one-way latency", True,
        units.short_size, drawings.tick_time, measured,
    )  # fmt: skip


def run_content(
    s: Mapping[str, Any], data: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """The content of the page of a run."""
    ranks = data.get("ranks") or []
    split = text.shares(ranks) if ranks else {}
    total = sum(v["mean"] for v in split.values()) or 1.0
    calls = sorted(data.get("calls") or [], key=lambda c: -(c.get("time_s") or 0.0))
    in_calls = sum(c.get("time_s") or 0.0 for c in calls) or 1.0
    distance = data.get("distance") or []
    moved = sum(d.get("bytes") or 0 for d in distance) or 1
    links = sorted(data.get("links") or [], key=lambda r: -(r.get("busy_s") or 0.0))
    messages = data.get("messages") or []
    return {
        "title": program_name(s.get("program") or [s.get("trace") or ""]),
        "headline": units.show_time(s.get("time_s"), 4),
        "unpredicted": text.unpredicted(s),
        "split": [
            {"name": k, "meaning": text.MEANING[k], "share": v["mean"] / total, **v}
            for k, v in split.items()
            if v["max"] > 0
        ],
        "by_rank": drawings.time_by_rank(ranks) if ranks else "",
        "calls": [
            {**c, "share": (c.get("time_s") or 0.0) / in_calls,
             "per_rank": (c.get("time_s") or 0.0) / max(len(ranks), 1)}
            for c in calls
        ],
        "distance": [
            {**d, "name": text.distance_name(d), "share": (d.get("bytes") or 0) / moved}
            for d in distance
        ],
        "matrix": drawings.matrix(messages, s["ranks"]) if messages and s.get("ranks") else "",
        "links": links[:HOTTEST],
        "link_kinds": data.get("link_kinds") or [],
        "busiest": links[0].get("utilization") if links else None,
        "over_time": over_time.content(s, data),
        "topology": drawings.topology(links),
        "curve": "",
        "legend": [],
        "rows": [],
        "failure": s.get("failure"),
    }  # fmt: skip


def program_name(program: Sequence[str]) -> str:
    """The program's words without the interpreter and without directories."""
    words = [Path(w).name if "/" in w else w for w in program]
    if len(words) > 1 and words[0].startswith("python"):
        words = words[2:] if words[1] == "-m" else words[1:]
    return " ".join(words) or "run"


def plain_content(title: str, headline: str, curve: str, rows: Sequence[Any]) -> dict[str, Any]:
    """A page of one curve and one table."""
    return {
        "title": title, "headline": headline, "curve": curve, "rows": rows, "split": [],
        "by_rank": "", "calls": [], "distance": [], "matrix": "", "links": [], "link_kinds": [],
        "busiest": None, "failure": None, "unpredicted": "", "footnotes": [], "over_time": None,
        "topology": "", "legend": [],
    }  # fmt: skip


def bench_content(
    s: Mapping[str, Any], data: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """The content of the page of a benchmark."""
    rows = data.get("rows") or s["rows"]
    column = KINDS[s["name"]].column
    words = units.show_time if column == "latency_s" else units.show_rate
    marks = drawings.tick_time if column == "latency_s" else units.show_rate
    best = min if column == "latency_s" else max
    points = [(r["bytes"], r[column]) for r in rows]
    picture = drawings.curve([(s["name"], points)], "message size, bytes",
                        "latency" if column == "latency_s" else "bandwidth",
                        True, units.short_size, marks) if len(points) > 1 else ""  # fmt: skip
    shown = [
        {"message": units.show_size(r["bytes"]), "predicted": words(r[column])}
        | ({"algorithm": r["algorithm"].replace("_", " ")} if r.get("algorithm") else {})
        for r in rows
    ]
    headline = words(best(r[column] for r in rows)) if rows else "-"
    return plain_content(s["name"], headline, picture, shown)


def io_bench_content(
    s: Mapping[str, Any], data: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """The content of the page of a benchmark of a file system."""
    shown = [
        {
            "phase": r["phase"],
            "time": units.show_time(r["time_s"]),
            "bytes": units.show_bytes(r["bytes"]),
            "rate": units.show_rate(r["rate_B_per_s"]),
            "operations/s": units.show_count(r["operations_per_s"]),
        }
        for r in s["rows"]
    ]
    plain = plain_content(f"{s['name']} on {s['file_system']}", "", "", shown)
    best = max((r["rate_B_per_s"] for r in s["rows"]), default=0)
    operations = max((r["operations_per_s"] for r in s["rows"]), default=0)
    headline = units.show_rate(best) if best else f"{units.show_count(operations)} operations/s"
    return {**plain, "headline": headline, "failure": s.get("failure")}


def jobs_content(
    s: Mapping[str, Any], data: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """The content of the page of several jobs."""
    links = sorted(data.get("links") or [], key=lambda r: -(r.get("busy_s") or 0.0))
    shown = [
        {
            "job": r["name"],
            "ranks": f"{r['ranks']:,}",
            "nodes": f"{r['nodes']:,}",
            "time": units.show_time(r["time_s"], 4) if not r.get("failure") else "failed",
            "alone": units.show_time(r.get("alone_s"), 4),
            "slowdown": "-" if r.get("slowdown") is None else f"{r['slowdown']:.3f}x",
            "messages": units.show_count(r["messages"]),
            "bytes": units.show_bytes(r["bytes"]),
        }
        for r in s["jobs"]
    ]
    jobs = text.counted(len(shown), "job")
    plain = plain_content(jobs, units.show_time(s.get("time_s"), 4), "", shown)
    failed = [r for r in s["jobs"] if r.get("failure")]
    # Jobs that were interrupted by the failure of another come last.
    failed.sort(key=lambda r: r["failure"]["kind"] == "interrupted")
    return {
        **plain,
        "unpredicted": f"{len(failed)} of {jobs} failed" if failed else "",
        "links": links[:HOTTEST],
        "link_kinds": s.get("link_kinds") or [],
        "busiest": links[0].get("utilization") if links else None,
        "failure": {**failed[0]["failure"], "job": failed[0]["name"]} if failed else None,
    }


MOST_ALGORITHMS = 3  # lines in the drawing of a tuning, the fastest ones
LIBRARY = "choice of the library"  # the last line


def tune_content(
    s: Mapping[str, Any], data: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """The content of the page of a comparison of algorithms."""
    rows = data.get("rows") or s["rows"]
    timed = [r for r in rows if r.get("latency_s") is not None]
    nodes = max((r["nodes"] for r in timed), default=0)
    series: dict[str, list[tuple[float, float]]] = {}
    library: list[tuple[float, float]] = []
    for row in timed:
        if row["nodes"] == nodes and row["bytes"] > 0:
            point = row["bytes"], row["latency_s"]
            series.setdefault(row["algorithm"], []).append(point)
            library += [point] if row.get("is_default") else []
    fastest = sorted(series.items(), key=lambda item: (min(t for _, t in item[1]), item[0]))
    lines = [(name.replace("_", " "), points) for name, points in fastest[:MOST_ALGORITHMS]]
    lines += [(LIBRARY, sorted(library))] if library else []
    longest = max((len(points) for _, points in lines), default=0)
    label = f"latency on {nodes:,} nodes"
    picture = drawings.curve(lines, "message size, bytes", label, True, units.short_size,
                             drawings.tick_time) if longest > 1 else ""  # fmt: skip
    shown = []
    for (count, size), call in sorted(calls_of(rows).items()):
        best = next((r for r in call if r.get("is_winner")), None)
        own = next((r for r in call if r.get("is_default")), None)
        ratio = "-"
        if best and own and own.get("latency_s"):
            ratio = f"{own['latency_s'] / best['latency_s']:.2f}x"
        shown.append({
            "nodes": f"{count:,}", "message": units.show_size(size),
            "fastest": best["algorithm"].replace("_", " ") if best else "-",
            "time": units.show_time(best["latency_s"]) if best else "-",
            "library": own["algorithm"].replace("_", " ") if own else "-",
            "library's time": units.show_time(own["latency_s"]) if own else "-", "ratio": ratio,
        })  # fmt: skip
    name = str(s.get("collective") or s.get("name") or "algorithms")
    headline = units.show_time(min((r["latency_s"] for r in timed), default=None))
    colors = [f"var(--{color})" for color in drawings.LINES]
    plain = plain_content(f"Algorithms of {name}", headline, picture, shown)
    return {**plain, "legend": [(colors[at], line[0]) for at, line in enumerate(lines)]}


def calls_of(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[int, int], list[Mapping[str, Any]]]:
    """Rows by number of nodes and message size."""
    found: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["nodes"], row["bytes"]), []).append(row)
    return found


def app_content(
    s: Mapping[str, Any], data: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """The content of the page of an application model."""
    rows = data.get("rows") or s["rows"]
    points = [(r["nodes"], r["time_s"]) for r in rows]
    picture = drawings.curve([("time", points)], "nodes", "time", True, lambda v: f"{v:,.0f}",
                             drawings.tick_time) if len(points) > 1 else ""  # fmt: skip
    shown = [
        {
            "nodes": f"{r['nodes']:,}", "ranks": f"{r['ranks']:,}",
            "time": units.show_time(r["time_s"], 4),
            "figure of merit": f"{r['figure_of_merit']:.4g} {r['unit']}",
            "efficiency": units.show_percent(r["efficiency"]),
        }
        for r in rows
    ]  # fmt: skip
    headline = units.show_time(min((r["time_s"] for r in rows), default=None), 4)
    plain = plain_content(s["name"], headline, picture, shown)
    phases = (s.get("runs") or [{}])[-1].get("phases") or []
    for row in phases:
        plain["footnotes"].append(
            f"{row['phase']} on {rows[-1]['nodes']:,} nodes: computation "
            f"{units.show_time(row['compute_s'])}, communication "
            f"{units.show_time(row['communication_s'])}"
        )
    return plain


def sweep_content(s: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the page of a parameter sweep."""
    from . import sweeps

    return {**plain_content("", "", "", []), **sweeps.content(data)}


def traffic_content(
    s: Mapping[str, Any], data: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """The content of the page of a traffic sweep."""
    rows = data.get("rows") or s["rows"]
    # If no packet arrived, the window was too short.
    points = [(r["offered"], r["accepted"]) for r in rows if r.get("hops_mean")]
    picture = drawings.curve([(s["pattern"], points)], "offered load", "accepted load", False,
                        lambda v: f"{v:.2g}", lambda v: f"{v:.2g}")  # fmt: skip
    late = [(r["offered"], r["latency_mean_s"]) for r in rows if r.get("latency_mean_s")]
    if late and points:
        picture += drawings.curve([("mean latency", late)], "offered load", "mean latency", False,
                                  lambda v: f"{v:.2g}", drawings.tick_time)  # fmt: skip
    shown = [
        {
            "offered": f"{r['offered']:.3f}",
            "accepted": f"{r['accepted']:.3f}",
            "mean latency": text.at_least(r, "mean", units.show_time),
            "99 % below": text.at_least(r, "p99", units.show_time),
            "hops": "-" if r.get("hops_mean") is None else f"{r['hops_mean']:.2f}",
            "nonminimal": units.show_percent(r.get("nonminimal_fraction")),
        }
        for r in rows
    ]
    headline = units.show_percent(max((r["accepted"] for r in rows), default=None))
    if rows and not points:
        headline = "nothing arrived"
    plain = plain_content(f"{s['pattern']} traffic", headline, picture, shown)
    plain["footnotes"] = [*text.missing(rows), *(s.get("notes") or ())]
    return {**plain, "over_time": over_time.content(s, data)}
