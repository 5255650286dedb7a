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
    ids: tuple[str, ...], fidelity: str | None, as_json: bool, quiet: bool
) -> int:
    """Predict published measurements, and print the errors of the predictions.

    ID: a published curve; all curves if none is named. A curve passes with a mean error of at most
    5 % and a worst error of at most 15 %. A single number passes with an error of at most 10 %. The
    exit code is 1 if any fails.
    """
    from .. import published

    wrong = Checks()
    machines.check_names(wrong, None, fidelity or "packet", "mpich")
    curves = published.chosen(wrong, ids)
    wrong.finish()
    found, rows, stop = [], [], core.Stop()
    for nth, curve in enumerate(curves, 1):
        try:
            with Progress(f"validate {curve.id}, {nth} of {len(curves)}", quiet) as tick:
                of_curve = published.predict(curve, fidelity, tick=tick, stop=stop)
        except KeyboardInterrupt:  # before the core started, or with nothing predicted
            stop.signal = stop.signal or signal.SIGINT
        if stop.signal:
            break
        rows += of_curve
        found.append(published.verdict(of_curve))
        if not as_json:
            print(comparison(of_curve, found[-1]), end="\n\n", flush=True)
    if as_json:
        bounds = {"mean": published.MEAN, "worst": published.WORST, "single": published.SINGLE}
        about = {"curves_wanted": len(curves), "interrupted": bool(stop.signal)}
        print(json.dumps({"bounds": bounds, "curves": found, "rows": rows, **about}))
    elif found:
        print(table(found, published.MEAN, published.WORST, published.SINGLE))
    summary = {"rows": found, "rows_wanted": len(curves), "interrupted": bool(stop.signal)}
    return stopped(stop, summary) or int(not all(v["passes"] for v in found))


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


def passes(verdict: Mapping[str, Any]) -> Cell:
    """The verdict on a curve in a word."""
    return styled("pass", "green") if verdict["passes"] else styled("FAIL", "bold red")
