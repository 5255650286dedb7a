"""Files of the user's: their text, what is wrong with one that has none, and one written whole.

What is being written has a name of ours, hidden and nobody else's, until it takes its place; a
process that is killed leaves it behind, and nobody takes it for a file of the user's.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
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
    return whole.with_name(f"{PASSING}{token or os.urandom(8).hex()}-{whole.name}")


def is_passing(path: Path) -> bool:
    """Whether a file has such a name; what only begins alike is somebody else's."""
    return re.match(rf"{re.escape(PASSING)}[0-9a-f]{{16}}-.", path.name) is not None


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


# Of a directory, or a file in it, that takes no new one: no right to, a file system of which only
# the file itself can be written, a file mounted by itself.
FIXED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole, or leave what was there; through links, to where they lead.

    Where that is a device or a pipe, where we have it open, as what /dev/stdout leads to, or where
    it cannot be replaced, it is written in place.
    """
    content = text.encode("utf-8", "replace")  # names of files need not be Unicode
    with naming(path):
        whole = Path(os.path.realpath(path))
        if not is_replaced(path):
            write_in_place(path, content)
            return
        part = passing(whole.with_name("text"))  # a longer name may be too long
        try:
            part.write_bytes(content)
            with contextlib.suppress(FileNotFoundError):
                part.chmod(stat.S_IMODE(whole.stat().st_mode))
            part.replace(whole)
        except OSError as error:
            if error.errno not in FIXED or not whole.exists():
                raise
            write_in_place(whole, content)
        finally:
            with contextlib.suppress(OSError):
                part.unlink()


def write_in_place(path: str | Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def is_replaced(path: str | Path) -> bool:
    """Whether a new file takes the place of this one: of a file that nobody here has open."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return True
    return stat.S_ISREG(found.st_mode) and not is_open(found)


def is_open(found: os.stat_result) -> bool:
    """Whether this process has a file open."""
    try:
        numbers = list(map(int, os.listdir("/dev/fd")))
    except OSError:  # no /proc, so nothing that leads to what we have open
        return False
    for number in numbers:
        with contextlib.suppress(OSError):  # the listing's own
            if os.path.samestat(os.fstat(number), found):
                return True
    return False
