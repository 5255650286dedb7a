"""`odonata validate`: what others measured, predicted."""

from __future__ import annotations

import json

import click

from .. import door, machines, text
from ..checks import Checks
from ..options import option
from ..progress import Progress
from .asked import stopped
from .command import command


@command("validate")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@option("--fidelity", metavar="NAME", help="packet, flow or loggp.  [default: each curve's own]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option("--quiet", is_flag=True, help="No progress line.")
def validate(
    ids: tuple[str, ...], fidelity: str | None, as_json: bool, quiet: bool
) -> int:
    """Predict what others measured, and show how far off that is.

    ID: a published curve, all of them if none is named. The exit code is 1 if one of them is off by
    more than it may be: 5 % on the mean of its points, 15 % at worst, 10 % if it is one number.
    """
    from .. import published

    wrong = Checks()
    machines.check_names(wrong, None, fidelity or "packet", "mpich")
    curves = published.chosen(wrong, ids)
    wrong.finish()
    found, rows, stop = [], [], door.Stop()
    for nth, curve in enumerate(curves, 1):
        with Progress(f"validate {curve.id}, {nth} of {len(curves)}", quiet) as tick:
            of_curve = published.predict(curve, fidelity, tick=tick, stop=stop)
        if stop.signal:
            break
        rows += of_curve
        found.append(published.verdict(of_curve))
        if not as_json:
            print(text.published(of_curve, found[-1]), end="\n\n", flush=True)
    if as_json:
        bounds = {"mean": published.MEAN, "worst": published.WORST, "single": published.SINGLE}
        print(json.dumps({"bounds": bounds, "curves": found, "rows": rows}))
    elif found:
        print(text.verdicts(found, published.MEAN, published.WORST, published.SINGLE))
    summary = {"rows": found, "rows_wanted": len(curves), "interrupted": bool(stop.signal)}
    return stopped(stop, summary) or int(not all(v["passes"] for v in found))
