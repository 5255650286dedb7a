"""`odonata extrapolate`: a recorded pattern on more ranks."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from .. import extrapolating
from ..checks import Checks
from ..streams import say
from .command import command


@command("extrapolate")
@click.argument("recordings", nargs=-1, metavar="RECORD...")
@click.option("-n", "--ranks", metavar="N", help="Ranks of the record that is written.")
@click.option("-o", "--record", metavar="FILE", help="The record to write.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option("--quiet", is_flag=True, help="No words about it.")
def extrapolate(
    recordings: tuple[str, ...],
    ranks: str | None,
    record: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write what more ranks would do, from recordings of a few that do it by rules.

    RECORD: what `odonata run --record` wrote of one program, on one number of ranks or several.
    What is not regular is refused. The record written, and each replay of it, says that it is
    extrapolated.

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
