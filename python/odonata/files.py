"""Files of the user's: their text, and what is wrong with one that has none."""

from __future__ import annotations

import errno
import os
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
