"""`odonata report`: a result as one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from .. import tables
from ..checks import Checks
from ..files import write_text
from ..options import options_of
from ..streams import say
from .command import command


@command("report")
@click.argument("rundir", required=False)
@options_of("report")
def write(
    rundir: str | None, output: str | None, published: bool, force: bool, quiet: bool
) -> None:
    """Write the results in RUNDIR as one self-contained HTML file.

    RUNDIR: a directory written with --out by `run`, `replay`, `bench`, `app`, `tune` or `traffic`,
    or the directory of a parameter sweep, STUDY.sweep.
    Two results are compared by `odonata compare`.
    """
    from .. import report
    from ..sweeps import store

    wrong = Checks()
    path = Path(rundir or "nothing")
    is_sweep = (path / "sweep.json").is_file() and store.is_ours(path)
    if not rundir or not (is_sweep or tables.is_ours(path)):
        wrong.add("rundir", path, "a directory written by `odonata run --out`")
    if output is not None or not wrong.list:
        target = path / tables.REPORT if output is None else output
        report.check_target(wrong, target, force)
    wrong.finish()
    if is_sweep:
        page = report.of_sweep(path, report.date_of(path / "table.parquet"))
    else:
        page = report.of_directory(path, published)
    write_text(target, page)
    if not quiet:
        say(f"odonata: wrote {target}")
