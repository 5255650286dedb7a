"""`dfuse` and `start-dfuse.sh`: mount a container of a simulated DAOS system at a directory.

The mount is visible on all nodes of the job. The client path of all mounts (caching, interception)
is that of the machine file (`client_path`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from . import daos, mounting

# Options of dfuse(1), and whether they have a value; those that set caches or threads have the
# values of the machine file, which a note states.
OPTIONS = {
    "--mountpoint": "mountpoint",
    "-m": "mountpoint",
    "--pool": "pool",
    "--container": "container",
    "--cont": "container",
}
INERT = {"--foreground", "-f", "--multi-user", "--singlethread", "-S"}
OF_MACHINE = {
    "--disable-caching": False,
    "--disable-wb-cache": False,
    "--enable-caching": False,
    "--enable-wb-cache": False,
    "--thread-count": True,
    "-t": True,
    "--eq-count": True,
    "-e": True,
}


def main(words: Sequence[str]) -> int:
    """Run `dfuse` with these arguments. Returns the exit status."""
    try:
        return _run(words)
    except (daos.CommandError, mounting.MountError) as error:
        print(f"dfuse: {error}", file=sys.stderr)
        return 1


def _run(words: Sequence[str]) -> int:
    todo, named = list(words), []
    while todo:
        word = todo.pop(0)
        name, equals, _ = word.partition("=")
        if name in INERT:
            continue
        if name in OF_MACHINE:
            if OF_MACHINE[name] and not equals and todo:
                todo.pop(0)
            print(
                f"dfuse: note: {name}: the machine file's client_path and dfuse_threads apply",
                file=sys.stderr,
            )
            continue
        named.append(word)
        if name in OPTIONS and not equals and todo:
            named.append(todo.pop(0))
    given, rest = daos.split(named, OPTIONS)
    for key in ("mountpoint", "pool", "container"):
        if key not in given and rest:
            given[key] = rest.pop(0)
        if not given.get(key):
            raise daos.CommandError(f"no {key}: dfuse MOUNTPOINT POOL CONTAINER")
    if rest:
        raise daos.CommandError(f"unexpected argument '{rest[0]}'")
    if not os.path.isdir(given["mountpoint"]):
        raise daos.CommandError(f"{given['mountpoint']}: the mountpoint is no directory")
    mount(given["pool"], given["container"], os.path.abspath(given["mountpoint"]))
    return 0


def mount(pool: str, container: str, at: str) -> None:
    """Mounts a container, which must exist. Raises `MountError` or `CommandError`."""
    row = daos.system()
    path = daos.directory_of(pool, container)
    if not os.path.isdir(path):
        raise daos.CommandError(
            f"failed to open container {pool}:{container}: {daos.der('DER_NONEXIST')}"
        )
    root = str(row["mounts"][0])
    backing = next(m.backing for m in mounting.of_the_run() if m.path == root)
    mounting.add(mounting.Mounted(row["number"], at, backing + path.removeprefix(root)))
    # The store has the directories above a mount that the computer does not have.
    store = backing.removesuffix(root)
    if store != backing:
        os.makedirs(store + at, exist_ok=True)
