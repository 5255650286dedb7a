"""`odonata check`: validation of a fabric."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import click

from ..check import campaign as campaigns
from ..check import running
from ..errors import Diagnostics
from ..options import options_of
from ..progress import Progress, clock, form_of
from ..streams import say
from .command import command


@command("check")
@click.argument("campaign", required=False, metavar="CAMPAIGN")
@options_of("check")
def check(
    campaign: str | None,
    out: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    progress: str | None,
) -> int:
    """Validate a fabric: run the tests of CAMPAIGN, a TOML file, and name faulty parts.

    Stages proceed from nodes to the system. Each set of nodes is compared with the prediction of
    the digital twin for that set. The machine under test is the real one, through a launcher, or
    the twin with planted faults (docs/check-a-fabric.md). After a crash the same command
    continues.

    Exit codes: 0 all tests passed; 1 a part is faulty; 2 no part is faulty, but the input is wrong
    or a stage could not run.
    """
    form = form_of(progress)
    given = campaigns.read(campaign or "")
    directory = Path(out) if out is not None else Path(given.path).with_suffix(".check")
    if force and (directory / running.JOURNAL).exists():
        shutil.copyfile(directory / running.JOURNAL, directory / f"{running.JOURNAL}.old")
        (directory / running.JOURNAL).unlink()
    wrong = Diagnostics()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        wrong.add("out", directory, f"a directory that can be created ({error.strerror})")
    wrong.raise_any()
    with Progress("check", quiet, form=form) as line:
        stages, begun = list(given.stages), 0

        def show(words: str) -> None:
            nonlocal begun
            begun = stages.index(words) if words in stages else begun
            wall = line.elapsed()
            parts = ("check", f"stage {begun + 1} of {len(stages)}", words, clock(wall))
            line.count(begun, len(stages), wall, " | ".join(parts), words)

        found = running.run(given, directory, tick=show)
    if as_json:
        print(json.dumps(found))
    else:
        print(running.shown(found))
    sys.stdout.flush()
    if not quiet:
        say(f"odonata: wrote {directory}")
    return 1 if found["findings"] else 2 if found["broken"] else 0
