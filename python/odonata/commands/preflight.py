"""`odonata preflight`: the node count at which each limit is reached."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .. import tables, text
from ..checks import Checks
from ..options import options_of
from ..preflight import check_runs, predict_limits
from .command import command


@command("preflight")
@click.argument("rundirs", nargs=-1, metavar="RUNDIR...")
@options_of("preflight")
def preflight(rundirs: tuple[str, ...], as_json: bool) -> None:
    """Predict the node count at which each resource limit is reached.

    RUNDIR: a directory written by `odonata run --out`; one per number of nodes, at least two.

    odonata preflight on-8-nodes on-16-nodes
    """
    wrong = Checks()
    runs = []
    if not rundirs:
        wrong.add("rundir", "nothing", "directories written by `odonata run --out`")
    for name in rundirs:
        if (summary := tables.summary_of(Path(name) / tables.SUMMARY)) is None:
            wrong.add("rundir", name, "a directory written by `odonata run --out`")
        else:
            runs.append(summary)
    if not wrong.list:
        check_runs(wrong, runs)
    wrong.finish()
    rows = predict_limits(runs)
    if as_json:
        print(json.dumps({"rows": rows}))
    else:
        print(text.preflight(rows, runs))
