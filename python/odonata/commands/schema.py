"""`odonata schema`: the vocabulary of requests and results."""

from __future__ import annotations

import sys

from .. import core
from .command import command


@command("schema")
def schema() -> None:
    """Print names, options, defaults and result fields as a JSON Schema.

    `$defs` has `bench_options`, which validates the options of `odonata bench` by their names in
    Python, `bench_row`, the fields of its rows, and the same of other commands.
    """
    sys.stdout.write(core.query("schema") + "\n")
