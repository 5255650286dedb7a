"""`launch-dfuse.sh POOL:CONTAINER...`: mounts containers at /tmp/POOL/CONTAINER on all nodes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import daos, dfuse, mounting


def pairs_of(words: Sequence[str], name: str) -> list[tuple[str, str]]:
    """Pools and containers. Raises `CommandError`."""
    if not words:
        raise daos.CommandError(f"usage: {name} POOL:CONTAINER...")
    pairs = []
    for word in words:
        pool, colon, container = word.partition(":")
        if not colon:
            raise daos.CommandError(f"'{word}': POOL:CONTAINER expected")
        pairs.append((daos.checked(pool, "pool"), daos.checked(container, "container")))
    return pairs


def place_of(pool: str, container: str) -> str:
    """Where the scripts of Aurora mount a container."""
    return f"/tmp/{pool}/{container}"


def main(words: Sequence[str]) -> int:
    """Run `launch-dfuse.sh` with these arguments. Returns the exit status."""
    try:
        for pool, container in pairs_of(words, "launch-dfuse.sh"):
            dfuse.mount(pool, container, place_of(pool, container))
    except (daos.CommandError, mounting.MountError) as error:
        print(f"launch-dfuse.sh: {error}", file=sys.stderr)
        return 1
    return 0
