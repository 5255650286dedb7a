"""`odonata extrapolate`: the recording of a regular program on more ranks."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from .. import extrapolating
from ..checks import Checks
from ..options import options_of
from ..streams import say
from .command import command


@command("extrapolate")
@click.argument("recordings", nargs=-1, metavar="RECORD...")
@options_of("extrapolate")
def extrapolate(
    recordings: tuple[str, ...],
    ranks: str | None,
    record: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Extrapolate recordings of a regular program to more ranks.

    RECORD: recordings of one program by `odonata run --record`, on one or several numbers of ranks.
    A program with irregular communication is refused. The new recording and its replays are
    marked as extrapolated (docs/extrapolation.md).

    odonata extrapolate on-8.parquet on-16.parquet --ranks 4096 -o on-4096.parquet
    """
    wrong = Checks()
    wanted = wrong.integer("ranks", ranks, None, extrapolating.LEAST_RANKS)
    found = extrapolating.check(wrong, recordings, None if wrong.list else wanted, record)
    if record is None:
        wrong.add("record", "nothing", "a file for the record to write, such as `-o made.parquet`")
    wrong.finish()
    made = extrapolating.make(wrong, found, wanted, record or "")
    if as_json:
        print(json.dumps({"kind": "extrapolate", **asdict(made)}))
    if not quiet:
        sizes = " and ".join(str(of["ranks"]) for of in made.recordings)
        say(f"odonata: extrapolated {made.calls:,} calls of {made.ranks:,} ranks from recordings "
            f"of {sizes} ranks in {made.file}")  # fmt: skip
        for rule in made.rules:
            say(f"odonata: {rule}")
