"""The command line's stdout and stderr, which may be closed, full, or a pipe without a reader."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO


def mend_streams() -> None:
    """Make closed streams fail like a full disk; characters they cannot encode become `?`."""
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:  # the lowest free number is this one; nothing can be written to it
            os.open(os.devnull, mode)
    # Without a context: they are the process's own.
    sys.stdout = sys.stdout or open(1, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False, encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def say(words: str) -> None:
    """Print a message for the user on stderr; failures to print are ignored."""
    try:
        print(words, file=sys.stderr, flush=True)
    except OSError:
        silence(2)


def silence(number: int) -> None:
    """Redirect a failing stream to /dev/null, so that Python's last flush succeeds."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, number)
    os.close(nothing)


@contextlib.contextmanager
def stdout_for_json(wanted: bool) -> Iterator[TextIO]:
    """With `--json`, stdout has only the object: output of the ranks goes to stderr."""
    if not wanted:
        yield sys.stdout
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(os.dup(kept), "w", encoding="utf-8") as stdout:
            yield stdout
    finally:
        os.dup2(kept, 1)
        os.close(kept)
