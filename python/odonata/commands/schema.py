"""`odonata schema`: the vocabulary of requests and results."""

from __future__ import annotations

import sys

from .. import core
from .command import command


@command("schema")
def schema() -> None:
    """Print names, options, defaults and result fields as a JSON Schema."""
    sys.stdout.write(core.query("schema") + "\n")
