"""`odonata validate`: predictions compared with published measurements."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from .. import core, machines
from ..checks import Checks
from ..options import options_of
from ..progress import Progress
from ..terminal import Cell, Terminal, styled
from ..text import counted
from ..units import show_percent, show_rate, show_time
from .cli_request import stopped
from .command import command


@command("validate")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@options_of("validate")
def validate(
    ids: tuple[str, ...], every: bool, fidelity: str | None, as_json: bool, quiet: bool
) -> int:
    """Predict published measurements, and print the errors of the predictions.

    ID: a published curve, or a run on a file system; all that are quick to predict if none is
    named. A curve passes with a mean error of at most 5 % and a worst error of at most 15 %. A
    single number passes with an error of at most 10 %. On file systems, a bandwidth passes with an
    error of at most 15 %, a rate of operations with at most 30 %. The exit code is 1 if any fails.
    """
    from .. import published, published_files

    wrong = Checks()
    machines.check_names(wrong, None, fidelity or "packet", "mpich")
    wanted = published.chosen(wrong, ids, published_files.runs(), every)
    wrong.finish()
    found, rows, files, stop = [], [], [], core.Stop()
    for nth, one in enumerate(wanted, 1):
        of_file_system = isinstance(one, published_files.FileRun)
        predict = published_files.predict if of_file_system else published.predict
        try:
            with Progress(f"validate {one.id}, {nth} of {len(wanted)}", quiet) as tick:
                of_one = predict(one, fidelity, tick=tick, stop=stop)  # type: ignore[arg-type]
        except KeyboardInterrupt:  # before the core started, or with nothing predicted
            stop.signal = stop.signal or signal.SIGINT
        if stop.signal:
            break
        if of_file_system:
            files.append(of_one)
            shown = "" if as_json else file_comparison(of_one)
        else:
            rows += of_one
            found.append(published.verdict(of_one))
            shown = "" if as_json else comparison(of_one, found[-1])
        if shown:
            print(shown, end="\n\n", flush=True)
    of_files = [row for of_one in files for row in of_one]
    if as_json:
        bounds = {"mean": published.MEAN, "worst": published.WORST, "single": published.SINGLE}
        storage = {"bounds": published_files.BOUNDS, "rows": of_files}
        about = {"curves_wanted": len(wanted), "interrupted": bool(stop.signal)}
        answer = {"bounds": bounds, "curves": found, "rows": rows, "storage": storage, **about}
        print(json.dumps(answer))
    else:
        if found:
            print(table(found, published.MEAN, published.WORST, published.SINGLE))
        if of_files:
            print(file_table(of_files))
    done = len(found) + len(files)
    summary = {"rows": [{}] * done, "rows_wanted": len(wanted), "interrupted": bool(stop.signal)}
    passed = all(v["passes"] for v in found) and published_files.passes(of_files)
    return stopped(stop, summary) or int(not passed)


def comparison(rows: Sequence[Mapping[str, Any]], verdict: Mapping[str, Any]) -> str:
    """A published curve beside its prediction, a column a point, and how far off it is."""
    first = rows[0]
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


def file_comparison(rows: Sequence[Mapping[str, Any]]) -> str:
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


def file_table(rows: Sequence[Mapping[str, Any]]) -> str:
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


def published_unit(row: Mapping[str, Any]) -> str:
    return "B_per_s" if "measured_B_per_s" in row else "per_s"


def show_count_rate(rate: float) -> str:
    return f"{rate / 1e3:,.1f} k/s"


def passes(verdict: Mapping[str, Any]) -> Cell:
    """The verdict on a curve or phase in a word."""
    return styled("pass", "green") if verdict["passes"] else styled("FAIL", "bold red")
