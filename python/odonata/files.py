"""Files of the user's: their text, what is wrong with one that has none, and one written whole.

What is being written has a name of ours, hidden and nobody else's, until it takes its place; a
process that is killed leaves it behind, and nobody takes it for a file of the user's.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

PASSING = ".odonata-"
MOST_TEXT = 1 << 26  # characters; a machine or host file longer than this is some other file


def read_text(path: str | Path) -> str:
    """The text of a file of the user's, unless it is too long to be what it should be."""
    with open(os.fspath(path), encoding="utf-8") as file:
        text = file.read(MOST_TEXT + 1)
    if len(text) > MOST_TEXT:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))
    return text


def why(error: Exception) -> str:
    """What the operating system said, without its number."""
    return getattr(error, "strerror", None) or str(error)


def passing(whole: Path, token: str | None = None) -> Path:
    """What a file is called beside its place until it is whole. One `token` is of one result."""
    return whole.with_name(f"{PASSING}{token or secrets.token_hex(8)}-{whole.name}")


def is_passing(path: Path) -> bool:
    return path.name.startswith(PASSING)


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Inside, an `OSError` is of this file: that of a full disk names none, others the passing
    one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        # Arrow's own words have the number in them, and no file.
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error


def write_text(path: str | Path, text: str) -> None:
    """Write a text file; what was written of one that does not fit is removed."""
    path = Path(path)
    with naming(path), path.open("w", encoding="utf-8") as file:
        try:
            file.write(text)
            file.flush()
        except BaseException:
            if path.is_file() and not path.is_symlink():  # as /dev/stdout is
                path.unlink()
            raise
