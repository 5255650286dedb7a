"""Mounts of containers that commands of the job add: the file that all its processes share.

Its layout is that of `crates/workload/src/mount_file.rs`: a header with the version and the number
of entries, then entries of 1,024 bytes with whether it is removed, its length, and its text.
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

MOUNTS = "ODONATA_MOUNTS"
FILE = "ODONATA_MOUNT_FILE"
# Entries of the file, and mounts of a process (crates/workload/src/file_request.rs).
MOST_ENTRIES, MOST_MOUNTS = 16, 14
HEADER, ENTRY, TEXT = 8, 1024, 1016


class MountError(Exception):
    """A mount that is not possible; the text is the reason."""


@dataclass(frozen=True)
class Mounted:
    """A mount: the file system's number, where programs see it, and its directory on the disk."""

    number: int
    path: str
    backing: str


def encode(path: str) -> str:
    """A path in the form of `encode_mounts` of `crates/workload`."""
    plain = re.compile(rb"[A-Za-z0-9/._-]")
    return "".join(
        chr(byte) if plain.match(bytes([byte])) else f"%{byte:02x}" for byte in os.fsencode(path)
    )


def decode(text: str) -> Mounted:
    """One entry."""
    number, path, backing = text.split("=")
    plain = [
        os.fsdecode(re.sub(rb"%(..)", lambda m: bytes([int(m[1], 16)]), part.encode()))
        for part in (path, backing)
    ]
    return Mounted(int(number), plain[0], plain[1])


def of_the_run() -> list[Mounted]:
    """Mounts that every process of the run has from its start."""
    return [decode(text) for text in os.environ.get(MOUNTS, "").split(":") if text]


@contextmanager
def _locked() -> Iterator[int]:
    """The descriptor of the file, with an exclusive lock."""
    if FILE not in os.environ:
        raise MountError("no simulated file system is mounted in this run")
    fd = os.open(os.environ[FILE], os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)


def _entries(fd: int) -> list[tuple[bool, str]]:
    """Whether each entry is removed, and its text."""
    _, count = struct.unpack("<II", os.pread(fd, HEADER, 0))
    found = []
    for i in range(count):
        data = os.pread(fd, ENTRY, HEADER + ENTRY * i)
        removed, length = struct.unpack_from("<II", data)
        found.append((removed != 0, data[8 : 8 + length].decode()))
    return found


def _change(fd: int, index: int, entry: bytes) -> None:
    """Writes the beginning of an entry, and then the header with the next version."""
    os.pwrite(fd, entry, HEADER + ENTRY * index)
    version, count = struct.unpack("<II", os.pread(fd, HEADER, 0))
    os.pwrite(fd, struct.pack("<I", max(count, index + 1)), 4)
    os.pwrite(fd, struct.pack("<I", (version + 1) & 0xFFFFFFFF), 0)


def mounted() -> list[Mounted]:
    """Mounts that commands have added and not removed."""
    if FILE not in os.environ:
        return []
    with _locked() as fd:
        return [decode(text) for removed, text in _entries(fd) if not removed]


def add(mount: Mounted) -> None:
    """Mounts a directory of a store. Raises `MountError`."""
    text = f"{mount.number}={encode(mount.path)}={encode(mount.backing)}"
    with _locked() as fd:
        entries = _entries(fd)
        for removed, other in entries:
            if not removed and decode(other).path == mount.path:
                raise MountError(f"{mount.path} is a mount already")
        if (True, text) in entries:
            return _change(fd, entries.index((True, text)), struct.pack("<I", 0))
        if len(entries) >= MOST_ENTRIES or len(of_the_run()) + len(entries) >= MOST_MOUNTS:
            raise MountError(f"a run has at most {MOST_MOUNTS} mounts, with those removed")
        if len(text) > TEXT:
            raise MountError(f"{mount.path} is too long")
        _change(fd, len(entries), struct.pack("<II", 0, len(text)) + text.encode())
    return None


def remove(path: str) -> None:
    """Removes a mount of `add`. Raises `MountError`."""
    with _locked() as fd:
        for i, (removed, text) in enumerate(_entries(fd)):
            if not removed and decode(text).path == path:
                return _change(fd, i, struct.pack("<I", 1))
    raise MountError(f"{path} is not a mount of dfuse")
