"""Files of the user's: their text, what is wrong with one that has none, and one written whole."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

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


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Inside, an `OSError` that names no file is of this one: that of a full disk names none."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
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
