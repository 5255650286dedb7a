"""`fusermount3 -u PATH`: unmounts a container that `dfuse` has mounted. For other paths, and with
other options, it becomes the computer's own command.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

from . import mounting

UNMOUNT = ("-u", "-uz", "-z", "-q", "-uq", "--")


def main(words: Sequence[str]) -> int:
    """Run `fusermount3` with these arguments. Returns the exit status."""
    paths = [word for word in words if word not in UNMOUNT]
    options = [word for word in words if word in UNMOUNT]
    path = os.path.abspath(paths[0]) if len(paths) == 1 else ""
    unmounts = any(word.startswith("-u") for word in options)
    if unmounts and any(mount.path == path for mount in mounting.mounted()):
        mounting.remove(path)
        return 0
    own = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_bin/storage")
    directories = os.environ.get("PATH", os.defpath).split(os.pathsep)
    others = [one for one in directories if os.path.realpath(one) != os.path.realpath(own)]
    real = shutil.which("fusermount3", path=os.pathsep.join(others))
    if real is None:
        print(f"fusermount3: entry for {path or paths} not found in /etc/mtab", file=sys.stderr)
        return 1
    os.execv(real, ["fusermount3", *words])
