"""Layouts of Lustre: the extended attribute `lustre.lov` in the form of `struct lov_user_md`
(lustre_user.h of the Lustre sources).
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

ATTRIBUTE = "lustre.lov"
# Objects of a file, by component (`crates/live`).
OBJECTS = "odonata.objects"
# The MDTs of a directory, as a text.
MDTS = "lustre.lmv"
V1, V3, COMPOSITE = 0x0BD10BD0, 0x0BD30BD0, 0x0BD60BD0
RAID0, MDT, OVERSTRIPING = 1, 0x100, 0x200
ANY = 0xFFFF
EOF = (1 << 64) - 1
POOL_NAME = 15
PLAIN, HEADER, ENTRY = 32, 32, 48


@dataclass(frozen=True)
class Component:
    """A part of a layout. `end` is `EOF` for the last. `count` is -1 for one stripe per OST; 0, as
    `size`, is the default of the file system. `index` is the first OST, or -1.
    """

    end: int = EOF
    count: int = 0
    size: int = 0
    index: int = -1
    pool: str = ""
    on_mdt: bool = False
    overstriping: bool = False

    @property
    def pattern(self) -> str:
        """Its name in `lfs getstripe`."""
        if self.on_mdt:
            return "mdt"
        return "raid0,overstriped" if self.overstriping else "raid0"


def pack(components: Sequence[Component]) -> bytes:
    """The value of the attribute."""
    if len(components) == 1 and components[0].end == EOF and not components[0].on_mdt:
        return _plain(components[0])
    parts = [_plain(component) for component in components]
    at = HEADER + ENTRY * len(parts)
    entries, start = b"", 0
    for i, (component, part) in enumerate(zip(components, parts, strict=True)):
        entries += struct.pack("<IIQQII16x", i + 1, 0, start, component.end, at, len(part))
        start, at = component.end, at + len(part)
    header = struct.pack("<IIIHH16x", COMPOSITE, at, 0, 0, len(parts))
    return header + entries + b"".join(parts)


def _plain(component: Component) -> bytes:
    pattern = MDT if component.on_mdt else RAID0
    pattern |= OVERSTRIPING if component.overstriping else 0
    count = 0 if component.on_mdt else component.count & 0xFFFF
    magic = V3 if component.pool else V1
    index = ANY if component.index < 0 else component.index
    data = struct.pack("<II16xIHH", magic, pattern, component.size, count, index)
    return data + (component.pool.encode().ljust(POOL_NAME + 1, b"\0") if component.pool else b"")


def unpack(value: bytes) -> list[Component]:
    """The components of a value of `pack`."""
    (magic,) = struct.unpack_from("<I", value)
    if magic != COMPOSITE:
        return [_component(value)]
    (n,) = struct.unpack_from("<H", value, 14)
    found = []
    for i in range(n):
        end, at, length = struct.unpack_from("<QII", value, HEADER + ENTRY * i + 16)
        found.append(replace(_component(value[at : at + length]), end=end))
    return found


def _component(value: bytes) -> Component:
    magic, pattern, size, count, index = struct.unpack_from("<II16xIHH", value)
    pool = value[PLAIN : PLAIN + POOL_NAME + 1].split(b"\0")[0].decode() if magic == V3 else ""
    return Component(
        count=-1 if count == ANY else count,
        size=size,
        index=-1 if index == ANY else index,
        pool=pool,
        on_mdt=bool(pattern & MDT),
        overstriping=bool(pattern & OVERSTRIPING),
    )


def default(system: dict[str, Any]) -> list[Component]:
    """The layout of new files in a directory without a default."""
    return [
        Component(
            end=EOF if row["end"] is None else row["end"],
            count=0 if row["on_mdt"] else row["stripes"],
            size=row["stripe_size"],
            pool=row["pool"],
            on_mdt=row["on_mdt"],
        )
        for row in system["layout"]
    ]


def read(path: str, system: dict[str, Any]) -> list[Component]:
    """The layout of a file, or the default of a directory. Zeros are replaced by the default."""
    try:
        own = unpack(os.getxattr(path, ATTRIBUTE))
    except OSError as error:
        if error.errno != errno.ENODATA:
            raise
        return default(system)
    last = default(system)[-1]
    return [
        part
        if part.on_mdt
        else replace(part, count=part.count or last.count, size=part.size or last.size)
        for part in own
    ]


def objects(path: str) -> list[list[tuple[int, int]]]:
    """The OST and the number of each object of a file, by component; none if unknown."""
    try:
        text = os.getxattr(path, OBJECTS).decode()
    except OSError as error:
        if error.errno in (errno.ENODATA, errno.EOPNOTSUPP):
            return []
        raise
    rows = []
    for line in text.split("\n"):
        pairs = [word.split(":") for word in line.split()]
        rows.append([(int(ost), int(number)) for ost, number in pairs])
    return rows
