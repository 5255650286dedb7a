"""`odonata compare`: two results side by side."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .. import comparing, tables
from ..checks import Checks
from ..files import write_text
from ..options import options_of
from ..streams import say
from .command import command


@command("compare")
@click.argument("first", required=False, metavar="A")
@click.argument("second", required=False, metavar="B")
@options_of("compare")
def compare(
    first: str | None, second: str | None, output: str | None, force: bool, as_json: bool
) -> None:
    """Compare two results: what differs in the request, and where the time differs.

    A and B: directories written by `run`, `replay`, `bench`, `app` or `traffic` with --out.

    odonata compare out/contiguous out/random -o comparison.html
    """
    from .. import report

    wrong = Checks()
    paths = []
    for at, name in (("A", first), ("B", second)):
        path = Path(name or "nothing")
        if not name or not tables.is_ours(path):
            wrong.add(at, path, "a directory written with --out")
        paths.append(path)
    if output is not None:
        report.check_target(wrong, output, force)
    wrong.finish()
    date = report.date_of(paths[1] / tables.SUMMARY)
    results = [tables.read(path) for path in paths]
    names = [str(path) for path in paths]
    try:
        found = comparing.compare(results[0], results[1])
        words = comparing.words(found, names)
        page = "" if output is None else report.of_comparison(found, names, date)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise tables.damaged(paths[0], f"{type(error).__name__}: {error}") from None
    if as_json:
        print(json.dumps({"first": names[0], "second": names[1], **found}), flush=True)
    else:
        print(words, flush=True)
    if output is not None:
        write_text(output, page)
        say(f"odonata: wrote {output}")
