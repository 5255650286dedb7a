"""Programs of others on simulated file systems: fio, fs_mark, SQLite, git, tar, rsync, cp, Python.

Each check is a script that runs in one simulation, on one mount, and tests its own results. Its
last line is its verdict. Debian's fio, fs_mark and rsync are fetched by apt; git, tar, cp and
Python's sqlite3 are those of this system. A missing program is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import debian
import places

HERE = Path(__file__).resolve().parent
MACHINE = "aurora"
MOUNTS = {"Lustre": "/lus/flare", "DAOS": "/daos"}
SECONDS = 300
ENGINES = ("sync", "psync", "pvsync", "mmap", "posixaio", "libaio")
JOURNALS = ("delete", "truncate", "persist", "wal")
# Programs of this system that checks call.
NEEDED = ("bash", "git", "tar", "cp", "mv", "find", "diff", "dd", "awk", "sha256sum")


@dataclass(frozen=True)
class Check:
    """A script and its arguments; `{mount}`, `{tree}` and `{scratch}` are directories."""

    name: str
    script: str
    arguments: tuple[str, ...] = ("{mount}",)
    # Whether `make test` runs it.
    part: bool = False


CHECKS = (
    *(
        Check(f"fio, {engine}", "fio.sh", (engine, "{mount}"), part=engine == "psync")
        for engine in ENGINES
    ),
    Check("fio, io_uring", "io_uring.sh"),
    Check("fs_mark", "fs_mark.sh"),
    *(
        Check(f"SQLite, {mode}", "databases.py", ("{mount}", mode), part=mode == "wal")
        for mode in JOURNALS
    ),
    Check("git", "git.sh", ("{mount}", "{scratch}")),
    *(
        Check(name, "roundtrips.sh", (name, "{mount}", "{tree}", "{scratch}"), part=name == "tar")
        for name in ("tar", "rsync", "cp")
    ),
    Check("shutil, pathlib", "library.py", ("{mount}", "{tree}")),
)


@dataclass(frozen=True)
class Programs:
    """Where the checks find programs and data."""

    path: str
    libraries: str
    tree: Path


def main(*, part: bool, names: list[str] = ()) -> bool:
    """Runs the checks on each mount and prints a table; true if all pass."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        print(f"programs: missing on this system: {', '.join(missing)}")
        return False
    chosen = [c for c in CHECKS if (c.part or not part) and (not names or c.name in names)]
    if unknown := set(names) - {check.name for check in CHECKS}:
        print(f"programs: unknown checks: {', '.join(sorted(unknown))}")
        return False
    home = debian.binaries(["fio", "fsmark", "rsync"], places.CACHE)
    path = os.pathsep.join([str(home / "usr" / "bin"), os.environ.get("PATH", os.defpath)])
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        subprocess.run([sys.executable, HERE / "tree.py", "make", tree], check=True)
        where = Programs(path, debian.library_path(home), tree)
        runs = [(check, mount, where, Path(scratch)) for check in chosen for mount in MOUNTS]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            results = list(pool.map(lambda run: outcome(*run), runs))
    failed = 0
    print(f"  {'program':18} {'mount':7} {'s':>6}  result")
    for (check, mount, *_), (seconds, fine, text) in zip(runs, results, strict=True):
        print(f"  {check.name:18} {mount:7} {seconds:6.1f}  {'' if fine else 'FAILED: '}{text}")
        failed += not fine
    print(f"programs: {len(runs)} runs, {failed} failed")
    return failed == 0


def outcome(check: Check, mount: str, where: Programs, scratch: Path) -> tuple[float, bool, str]:
    """Real seconds, whether the check passed, and its last line or its errors."""
    work = Path(tempfile.mkdtemp(dir=scratch))
    places_of = {"mount": MOUNTS[mount], "tree": str(where.tree), "scratch": str(work)}
    arguments = [argument.format(**places_of) for argument in check.arguments]
    interpreter = sys.executable if check.script.endswith(".py") else "bash"
    environment = (f"PATH={where.path}", f"LD_LIBRARY_PATH={where.libraries}")
    script = str(HERE / check.script)
    program = ["env", *environment, interpreter, script, *arguments]
    start = time.monotonic()
    twin = places.Twin(MACHINE, 1)
    done = places.run(twin, 1, program, seconds=SECONDS, cwd=work)
    seconds = time.monotonic() - start
    subprocess.run(["chmod", "-R", "u+w", work], check=False)
    lines = done.out.splitlines()
    if done.code == 0 and lines:
        return seconds, True, lines[-1]
    how = "time limit exceeded" if done.code is None else f"exit code {done.code}"
    output = "\n".join([*lines[-12:], *done.err.splitlines()[-12:]])
    return seconds, False, f"{how}\n{output}"
