"""MPICH's own Fortran tests, from Debian's source package, run with odonata.

Each program prints "No Errors" or an error. exceptions.toml names the programs that do not print
it, with the reason. An exception that is no longer needed fails the run, too. Tests of
MPI_Comm_spawn are left out, because a job's ranks are fixed at its start. So are a few I/O tests
that are not in the archive, because scripts of MPICH's maintainers generate them.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import debian
import places

HERE = Path(__file__).resolve().parent
CACHE = places.CACHE / "fortran"
WRAPPERS = places.COMPILER.parent
SECONDS = 120
# Names of the Fortran interfaces in the archive, and their file extensions.
INTERFACES = {"f77": "f", "f90": "f90", "f08": "f90"}
# The results of MPICH's configure script for this compiler and these libraries.
CONFIGURED = "#define F77_NAME_LOWER_USCORE 1\n#define HAVE_FORTRAN_BINDING 1\n"
TYPES = {"@F77_MPI_ADDRESS@": "integer*8", "@F77_MPI_OFFSET@": "integer*8"}


def main() -> bool:
    """Whether all programs pass, except those in exceptions.toml."""
    if shutil.which(shlex.split(os.environ.get("FC", "gfortran"))[0]) is None:
        print("fortran: no compiler: install gfortran, or set FC")
        return False
    tests = debian.source("mpich", ["test"], CACHE) / "test" / "mpi"
    configure(tests)
    reasons = places.toml((HERE / "exceptions.toml").read_text(encoding="utf-8"))
    good, wrong, excused = 0, [], set()
    for interface, folder, name, ranks in programs(tests):
        error = outcome(tests, interface, folder, name, ranks)
        test = f"{interface}/{folder.name}/{name}"
        if error is None:
            good += 1
        elif test in reasons:
            excused.add(test)
        else:
            wrong.append(f"fortran: {test}: {error}")
    wrong += [f"fortran: {t} is excused and passes" for t in reasons if t not in excused]
    print(f"fortran: {good} programs find no errors, {len(excused)} are excused", *wrong, sep="\n")
    return not wrong


def configure(tests: Path) -> None:
    (tests / "include" / "mpitestconf.h").write_text(CONFIGURED, encoding="utf-8")
    for template in tests.glob("f77/*/*.h.in"):
        text = template.read_text(encoding="utf-8")
        for name, value in TYPES.items():
            text = text.replace(name, value)
        template.with_suffix("").write_text(text, encoding="utf-8")
    # Tests of one folder include declarations of another.
    shutil.copy(tests / "f77/attr/attraints.h", tests / "f77/rma")


def programs(tests: Path):
    """Interface, folder, name and ranks of each program."""
    for interface, end in INTERFACES.items():
        for folder in sorted(p for p in (tests / interface).iterdir() if p.is_dir()):
            lists = [p for p in (folder / "testlist", folder / "testlist.in") if p.exists()]
            if folder.name == "spawn" or not lists:
                continue
            # configure may replace the beginning of a line.
            for line in re.sub(r"@\w+@", "", lists[0].read_text(encoding="utf-8")).splitlines():
                words = line.split()
                if words and words[0][0] != "#" and (folder / f"{words[0]}.{end}").exists():
                    yield interface, folder, words[0], int(words[1])


def outcome(tests: Path, interface: str, folder: Path, name: str, ranks: int) -> str | None:
    """The error of a program; None if it passes."""
    built = CACHE / "built" / interface
    built.mkdir(parents=True, exist_ok=True)
    common = built / "mtest.o"
    fortran = ["sh", WRAPPERS / "odonata-mpifort", "-O1", "-w", "-J", built, "-I", built]
    if not common.exists():
        mtest = tests / f"util/mtest_{interface}.{INTERFACES[interface]}"
        made = compiled([*fortran, "-c", mtest, "-o", common])
        if made:
            return made
    # A program with several sources has a list in the Makefile.
    makefile = (folder / "Makefile.am").read_text(encoding="utf-8")
    listed = re.search(rf"^{name}_SOURCES\s*=(.*)$", makefile, re.M)
    sources = listed[1].split() if listed else [f"{name}.{INTERFACES[interface]}"]
    parts: list[Path] = []
    for source in (s for s in sources if not s.endswith(".h")):
        path = folder / source
        if source.endswith(".c"):
            # C sources of f08 are in f90's folders.
            path = next(p for p in (path, *tests.glob(f"f*/*/{source}")) if p.exists())
            part = built / f"{folder.name}_{path.stem}.o"
            made = compiled(["sh", WRAPPERS / "odonata-mpicc", "-abi=mpich", "-w", "-c",
                             "-I", tests / "include", path, "-o", part])  # fmt: skip
            if made:
                return made
            path = part
        parts.append(path)
    program = built / f"{folder.name}_{name}"
    made = compiled([*fortran, "-I", folder, *parts, common, "-o", program])
    if made:
        return made
    twin = places.Twin(ppn=1)
    done = places.run(twin, ranks, [str(program)], seconds=SECONDS, cwd=built)
    if done.code == 0 and "No Errors" in done.out:
        return None
    return f"ended with {done.code}: {(done.out + done.err)[-500:]}"


def compiled(command: list) -> str | None:
    """The message of a compiler that fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return None if done.returncode == 0 else f"does not compile: {done.stderr[-500:]}"
