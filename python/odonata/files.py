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
from typing import BinaryIO

PASSING = ".odonata-"
MOST_TEXT = 1 << 24  # bytes; a machine or host file longer than this is some other file
MOST_DATA = 1 << 31  # bytes of a schedule or a table


def read_bytes(path: str | Path, most: int = MOST_DATA) -> bytes:
    """The content of a regular file or an inherited pipe; `OSError` of any other kind, or if it is
    longer than `most` bytes."""
    with opened(path, most) as file:
        return read_rest(file, path, most)


def read_rest(file: BinaryIO, path: str | Path, most: int = MOST_DATA) -> bytes:
    """What is left of an open file; `OSError` if that is longer than `most` bytes."""
    parts, left = [], most
    while left >= 0 and (part := file.read(min(left + 1, 1 << 20))):
        parts.append(part)
        left -= len(part)
    if left < 0:
        raise too_long(path)
    return b"".join(parts)


def read_text(path: str | Path) -> str:
    """The text of a file of the user's, unless it is too long to be what it should be."""
    text = read_bytes(path, MOST_TEXT).decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def opened(path: str | Path, most: int = MOST_DATA) -> BinaryIO:
    """A file that is open to be read, once its kind is known to have an end.

    Devices but /dev/null and pipes in the file system are refused: a read may never end, and the
    open of a pipe waits for its writer. A pipe that this process inherited, such as /dev/stdin, has
    a writer.
    """
    # Without waiting: some files of /proc block as pipes do.
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        found = os.fstat(number)
        kind = stat.S_IFMT(found.st_mode)
        if kind == stat.S_IFDIR:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        is_null = kind == stat.S_IFCHR and found.st_rdev == os.makedev(1, 3)
        is_inherited = kind == stat.S_IFIFO and is_open(found, number)
        if not (kind == stat.S_IFREG or is_null or is_inherited):
            raise OSError(errno.EINVAL, "neither a regular file nor a pipe", os.fspath(path))
        if kind == stat.S_IFREG and found.st_size > most:
            raise too_long(path)
        os.set_blocking(number, is_inherited)
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def too_long(path: str | Path) -> OSError:
    return OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))


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


def is_open(found: os.stat_result, but: int = -1) -> bool:
    """Whether this process has a file open, under another number than `but`."""
    try:
        numbers = list(map(int, os.listdir("/dev/fd")))
    except OSError:  # no /proc, so nothing that leads to what we have open
        return False
    for number in numbers:
        with contextlib.suppress(OSError):  # the listing's own
            if number != but and os.path.samestat(os.fstat(number), found):
                return True
    return False
