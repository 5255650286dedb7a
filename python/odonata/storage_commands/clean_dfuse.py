"""`clean-dfuse.sh POOL:CONTAINER...`: unmounts what `launch-dfuse.sh` has mounted."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from . import daos, mounting
from .launch_dfuse import pairs_of, place_of


def main(words: Sequence[str]) -> int:
    """Run `clean-dfuse.sh` with these arguments. Returns the exit status."""
    try:
        for pool, container in pairs_of(words, "clean-dfuse.sh"):
            mounting.remove(place_of(pool, container))
    except (daos.CommandError, mounting.MountError) as error:
        print(f"clean-dfuse.sh: {error}", file=sys.stderr)
        return 1
    return 0
