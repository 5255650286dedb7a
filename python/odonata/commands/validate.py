"""`odonata validate`: predictions compared with published measurements."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import click

from .. import bands, core, machines
from ..checks import Checks
from ..files import write_text
from ..options import options_of
from ..progress import Progress, form_of, part_of
from ..terminal import Cell, Terminal, styled
from ..text import counted
from ..units import show_percent, show_rate, show_time
from .cli_request import stopped
from .command import command

Rows = Sequence[Mapping[str, Any]]


@command("validate")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@options_of("validate")
def validate(
    ids: tuple[str, ...],
    every: bool,
    held_out: bool,
    page: str | None,
    fidelity: str | None,
    as_json: bool,
    quiet: bool,
    progress: str | None,
) -> int:
    """Predict published measurements, and print the errors of the predictions.

    ID: a published curve, a run on a file system or a result of an application; all that are quick
    to predict if none is named. A curve passes with a mean error of at most 5 % and a worst error
    of at most 15 %. A single number, and a result of an application, passes with an error of at
    most 10 %. On file systems, a bandwidth passes with an error of at most 15 %, a rate of
    operations with at most 30 %. The exit code is 1 if any fails.
    """
    from .. import published, published_apps, published_files, validation_page

    wrong = Checks()
    if page and not Path(page).resolve().parent.is_dir():
        wrong.add("page", page, "a file in an existing directory")
    machines.check_names(wrong, None, fidelity or "packet", "mpich")
    known = published.held_out() if held_out else (
        *published.curves(), *published_files.runs(), *published_apps.runs()
    )  # fmt: skip
    wanted = published.chosen(wrong, ids, known, every)
    wrong.finish()
    of_curves: list[Rows] = []
    of_files: list[Rows] = []
    of_apps: list[Rows] = []
    stop = core.Stop()
    line = Progress("validate", quiet, form=form_of(progress))
    for nth, one in enumerate(wanted, 1):
        predict, into, show = {
            published.Curve: (published.predict, of_curves, comparison),
            published_files.FileRun: (published_files.predict, of_files, file_comparison),
            published_apps.AppRun: (published_apps.predict, of_apps, app_comparison),
        }[type(one)]
        try:
            line.title = f"validate {one.id}, {nth} of {len(wanted)}"
            tick = part_of(line, nth - 1, len(wanted))
            rows = predict(one, fidelity, tick=tick, stop=stop)  # type: ignore[arg-type]
            line.wipe()
        except KeyboardInterrupt:  # before the core started, or with nothing predicted
            stop.signal = stop.signal or signal.SIGINT
        if stop.signal:
            break
        into.append(rows)
        if not as_json:
            print(show(rows), end="\n\n", flush=True)
    found = [published.verdict(rows) for rows in of_curves]
    points, rates, results = (list(chain(*rows)) for rows in (of_curves, of_files, of_apps))
    checked = bands.cross_validation([*points, *rates, *results])
    if page:
        write_text(page, validation_page.html([*points, *rates, *results], checked))
    if as_json:
        bounds = {"mean": published.MEAN, "worst": published.WORST, "single": published.SINGLE}
        answer = {
            "bounds": bounds,
            "curves": found,
            "rows": points,
            "storage": {"bounds": published_files.BOUNDS, "rows": rates},
            "applications": {"bound": published_apps.BOUND, "rows": results},
            **checked,
            "curves_wanted": len(wanted),
            "interrupted": bool(stop.signal),
        }
        print(json.dumps(answer))
    else:
        if found:
            print(table(found, published.MEAN, published.WORST, published.SINGLE))
        if rates:
            print(file_table(rates))
        if results:
            print(app_table(results))
        if checked["points"]:
            print(coverage_lines(checked))
    done = len(found) + len(of_files) + len(of_apps)
    summary = {"rows": [{}] * done, "rows_wanted": len(wanted), "interrupted": bool(stop.signal)}
    passed = all(one["passes"] for one in (*found, *rates, *results))
    return stopped(stop, summary) or int(not passed)


def coverage_lines(checked: Mapping[str, Any]) -> str:
    """How many measurements are in their bands, and how wide these are."""
    lines = [
        f"{show_percent(checked['coverage_of_points'])} of {counted(checked['points'], 'point')} "
        f"in bands of the other organizations; mean over {counted(checked['sources'], 'source')} "
        f"{show_percent(checked['coverage'][bands.ALL])}, over "
        f"{counted(checked['organizations'], 'organization')} "
        f"{show_percent(checked['coverage_of_organizations'])}; median ratio of the ends "
        f"{checked['median_width']:.2f}"
    ]
    for kind, share in checked["coverage"].items():
        if kind != bands.ALL:
            lines.append(f"  {kind}: {share if isinstance(share, str) else show_percent(share)}")
    return "\n".join(lines)


def comparison(rows: Rows) -> str:
    """A published curve beside its prediction, a column a point, and how far off it is."""
    from .. import published

    first, verdict = rows[0], published.verdict(rows)
    unit, show = ("s", show_time) if "measured_s" in first else ("B_per_s", show_rate)
    lines = [
        f"{first['id']}: {first['what']}",
        f"  source      {first['source']}",
        f"  conditions  {first['conditions']}",
        f"  inputs      {first['sets']}",
    ]
    cells = [("    bytes", "published", "predicted", "error")]
    for row in rows:
        size = f"{row['bytes']:,}" + " at 99 %" * (row["statistic"] == "p99")
        pair = (show(row[f"{end}_{unit}"]) for end in ("measured", "predicted"))
        cells.append((size, *pair, f"{100 * row['error']:+.1f} %"))
    screen = Terminal(sys.stdout)
    lines += screen.columns(cells, ">>>>")
    outcome = passes(verdict)
    outcome = screen.paint(outcome, outcome.style)
    mean, worst = show_percent(verdict["mean_error"]), show_percent(verdict["worst_error"])
    return "\n".join([*lines, f"  {outcome}: off by {mean} on the mean, {worst} at worst"])


def table(found: Sequence[Mapping[str, Any]], mean: float, worst: float, one: float) -> str:
    """All curves in a table, and the bounds they are held to; those of one number to `one`."""
    cells = [("curve", "points", "mean", "worst", "")]
    for v in found:
        off = (show_percent(v["mean_error"]), show_percent(v["worst_error"]))
        cells.append((v["id"], str(v["points"]), *off, passes(v)))
    bad = sum(not v["passes"] for v in found)
    bounds = f"{show_percent(mean)} on the mean, {show_percent(worst)} at worst"
    if any(v["sizes"] == 1 for v in found):
        bounds += f", {show_percent(one)} for a single number"
    good = f"{counted(len(found) - bad, 'curve')} of {len(found)} within {bounds}"
    return "\n".join([*Terminal(sys.stdout).columns(cells, "<>>><"), good])


def file_comparison(rows: Rows) -> str:
    """A run on a file system: its phases, measured and predicted."""
    first = rows[0]
    screen = Terminal(sys.stdout)
    lines = [
        f"{first['id']}: {first['what']}",
        f"  source      {first['source']}",
        f"  conditions  {first['conditions']}",
    ]
    lines += [f"  input       {row['phase']}: {row['sets']}" for row in rows if row["sets"]]
    cells = [("    phase", "published", "predicted", "error", "")]
    return "\n".join([*lines, *screen.columns(cells + [file_cells(row) for row in rows], "<>>><")])


def file_cells(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Cells of a phase: name, published and predicted rate, error, verdict."""
    unit = published_unit(row)
    show = show_rate if unit == "B_per_s" else show_count_rate
    pair = (show(row[f"{end}_{unit}"]) for end in ("measured", "predicted"))
    return (f"    {row['phase']}", *pair, f"{100 * row['error']:+.1f} %", passes(row))


def file_table(rows: Rows) -> str:
    """All phases of runs on file systems in a table."""
    cells = [("file system", "phase", "published", "predicted", "error", "", "")]
    for row in rows:
        phase, *others = file_cells(row)
        cells.append((row["id"], phase.strip(), *others, "input" if row["sets"] else ""))
    good = sum(row["passes"] for row in rows)
    end = (
        f"{counted(good, 'rate')} of {len(rows)} within 15.0 % for bytes, 30.0 % for operations; "
        f"{sum(bool(row['sets']) for row in rows)} are inputs of the model"
    )
    return "\n".join(["", *Terminal(sys.stdout).columns(cells, "<<>>><<"), end])


def app_comparison(rows: Rows) -> str:
    """A result of an application, measured and predicted."""
    (row,) = rows
    inputs = [f"  input       {row['sets']}"] if row["sets"] else []
    _, _, measured, predicted, error, verdict, _ = app_cells(row)
    word = Terminal(sys.stdout).paint(verdict, verdict.style)
    return "\n".join([
        f"{row['id']}: {row['what']}",
        f"  source      {row['source']}",
        f"  conditions  {row['conditions']}",
        *inputs,
        f"  {word}: published {measured}, predicted {predicted}, {error}",
    ])  # fmt: skip


def app_cells(row: Mapping[str, Any]) -> tuple[Any, ...]:
    from ..app.report import show_merit

    pair = (
        show_time(row[end]) if row["unit"] == "s" else show_merit(row[end], row["unit"])
        for end in ("measured", "predicted")
    )
    error = f"{100 * row['error']:+.1f} %"
    nodes = f"{row['nodes']:,}"
    return (row["id"], nodes, *pair, error, passes(row), "input" if row["sets"] else "")


def app_table(rows: Rows) -> str:
    """All results of applications in a table."""
    cells = [("application", "nodes", "published", "predicted", "error", "", "")]
    cells += [app_cells(row) for row in rows]
    good = sum(row["passes"] for row in rows)
    end = (
        f"{counted(good, 'result')} of {len(rows)} within 10.0 %; "
        f"{sum(bool(row['sets']) for row in rows)} are inputs of the model"
    )
    return "\n".join(["", *Terminal(sys.stdout).columns(cells, "<>>>><<"), end])


def published_unit(row: Mapping[str, Any]) -> str:
    return "B_per_s" if "measured_B_per_s" in row else "per_s"


def show_count_rate(rate: float) -> str:
    return f"{rate / 1e3:,.1f} k/s"


def passes(verdict: Mapping[str, Any]) -> Cell:
    """The verdict on a curve or phase in a word."""
    return styled("pass", "green") if verdict["passes"] else styled("FAIL", "bold red")
