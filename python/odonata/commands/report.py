"""`odonata report`: one HTML file about a result."""

from __future__ import annotations

from pathlib import Path

import click

from .. import tables
from ..checks import Checks
from ..files import write_text
from ..options import option
from ..streams import say
from .command import command


@command("report")
@click.argument("rundir", required=False)
@option("-o", "--output", metavar="FILE", help="Where to write.  [default: RUNDIR/report.html]")
@click.option(
    "--published/--no-published",
    default=True,
    show_default=True,
    help="Predict published latencies again and show them side by side.",
)
@click.option("--force", is_flag=True, help="Replace FILE even if it is no report.")
@click.option("--quiet", is_flag=True, help="Do not say where it was written.")
def write(
    rundir: str | None, output: str | None, published: bool, force: bool, quiet: bool
) -> None:
    """Write one self-contained HTML file about the results in RUNDIR.

    RUNDIR: what `run`, `replay`, `bench` or `traffic` wrote with `--out`; of `tune` there is no
    report.
    """
    from .. import report

    wrong = Checks()
    path = Path(rundir or "nothing")
    if not rundir or not tables.is_ours(path):
        wrong.add("rundir", path, "a directory written by `odonata run --out`")
    if output is not None or not wrong.list:
        target = path / tables.REPORT if output is None else output
        report.check_target(wrong, target, force)
    wrong.finish()
    page = report.of_directory(path, published)
    write_text(target, page)
    if not quiet:
        say(f"odonata: wrote {target}")
