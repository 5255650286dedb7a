"""Reads the user's files with limits, and writes files atomically.

A file is written under a hidden temporary name and then renamed. A process that is killed leaves
the temporary file behind; its name cannot be mistaken for one of the user's.
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
MOST_TEXT = 1 << 24  # bytes; longer than any machine or host file
MOST_DATA = 1 << 31  # bytes of a schedule or a table


def read_bytes(path: str | Path, most: int = MOST_DATA) -> bytes:
    """The content of a regular file or an inherited pipe; `OSError` of any other kind, or if it is
    longer than `most` bytes."""
    with opened(path, most) as file:
        return read_rest(file, path, most)


def read_rest(file: BinaryIO, path: str | Path, most: int = MOST_DATA) -> bytes:
    """The rest of an open file; `OSError` if it is longer than `most` bytes."""
    parts, left = [], most
    while left >= 0 and (part := file.read(min(left + 1, 1 << 20))):
        parts.append(part)
        left -= len(part)
    if left < 0:
        raise too_long(path)
    return b"".join(parts)


def read_text(path: str | Path) -> str:
    """The text of a user's file; an error if it is too long for its purpose."""
    text = read_bytes(path, MOST_TEXT).decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def opened(path: str | Path, most: int = MOST_DATA) -> BinaryIO:
    """Open a file for reading if its kind guarantees an end.

    Devices except /dev/null, and pipes in the file system, are refused: a read may never end, and
    opening a pipe waits for its writer. An inherited pipe, such as /dev/stdin, has a writer.
    """
    # Nonblocking: some files of /proc block like pipes.
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
    """The operating system's message, without its error number."""
    return getattr(error, "strerror", None) or str(error)


def passing(whole: Path, token: str | None = None) -> Path:
    """The temporary name of a file, in its directory. One `token` belongs to one result."""
    return whole.with_name(f"{PASSING}{token or os.urandom(8).hex()}-{whole.name}")


def is_passing(path: Path) -> bool:
    """Whether a file has a temporary name. A similar prefix alone is not enough."""
    return re.match(rf"{re.escape(PASSING)}[0-9a-f]{{16}}-.", path.name) is not None


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Inside, each `OSError` names this file. A full disk names none, and other errors the
    temporary one."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        # Arrow's message has the error number and no file name.
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error


# The directory accepts no new file: no permission, a file system of which only
# the file itself can be written, a file mounted by itself.
FIXED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)


def write_text(path: str | Path, text: str) -> None:
    """Replace a text file atomically, or leave the old one. Links are followed.

    A device, a pipe, a file that this process has open (such as the target of /dev/stdout) and a
    file that cannot be replaced are written in place.
    """
    content = text.encode("utf-8", "replace")  # file names need not be Unicode
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
    """Whether this file is replaced by a new one: a file that this process does not have open."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return True
    return stat.S_ISREG(found.st_mode) and not is_open(found)


def is_open(found: os.stat_result, but: int = -1) -> bool:
    """Whether this process has a file open under another descriptor than `but`."""
    try:
        numbers = list(map(int, os.listdir("/dev/fd")))
    except OSError:  # no /proc, so no path leads to an open file
        return False
    for number in numbers:
        with contextlib.suppress(OSError):  # the descriptor of the listing itself
            if number != but and os.path.samestat(os.fstat(number), found):
                return True
    return False
