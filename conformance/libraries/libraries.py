"""Parallel HDF5, h5py and PnetCDF on simulated file systems.

Programs write and read arrays through a library and test every element. HDF5 is Debian's, built for
MPICH's ABI. h5py is built from PyPI's source for it, and PnetCDF from Debian's source. The latter
requires autoconf, automake, libtool and m4. A library that cannot be built is a failure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import debian
import places

HERE = Path(__file__).resolve().parent
MOUNTS = {"Lustre": "/lus/flare", "DAOS": "/daos"}
RANKS = (1, 5, 8)
SECONDS = 300
H5PY = "h5py==3.12.1"
HDF5 = [
    "libhdf5-mpich-103-1", "libhdf5-mpich-hl-100", "libhdf5-mpich-dev", "libsz2", "libaec0",
]  # fmt: skip
# What builds h5py, besides the packages of this Python.
H5PY_TOOLS = ["cython>=3,<3.1", "numpy>=2.2,<2.3", "pkgconfig", "setuptools>=61,<80", "wheel"]
AUTOTOOLS = ("autoreconf", "libtoolize", "m4", "make")


@dataclass(frozen=True)
class Program:
    """A command without its file, folders of libraries, and variables `NAME=VALUE`."""

    command: tuple[str, ...]
    libraries: str = ""
    variables: tuple[str, ...] = ()


def main(*, part: bool) -> bool:
    """Runs each program on each mount; true if all verify their data."""
    makers: dict[str, Callable[[], Program]] = {"hdf5": hdf5, "pnetcdf": pnetcdf, "h5py": h5py}
    wrong = runs = 0
    for name, make in makers.items():
        if part and name != "hdf5":
            continue
        try:
            program = make()
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            output = getattr(error, "stdout", None) or ""
            print(f"libraries: {name} cannot be built: {error}\n{output[-3000:]}")
            wrong += 1
            continue
        for mount in MOUNTS:
            for ranks in RANKS[1:2] if part else RANKS:
                runs += 1
                wrong += not passes(program, name, mount, ranks)
    print(f"libraries: {runs} runs, {wrong} failed")
    return wrong == 0


def passes(program: Program, name: str, mount: str, ranks: int) -> bool:
    # The folder of odonata's MPI library is in the variable, too.
    script = 'export LD_LIBRARY_PATH="$0:$LD_LIBRARY_PATH"; exec env "$@"'
    command = ["sh", "-c", script, program.libraries, *program.variables, *program.command]
    command.append(f"{MOUNTS[mount]}/{name}.data")
    work = places.CACHE / "work" / name
    work.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    done = places.run(places.Twin("aurora", 2), ranks, command, seconds=SECONDS, cwd=work)
    lines = done.out.splitlines()
    fine = done.code == 0 and bool(lines) and lines[-1].endswith("elements verified")
    result = lines[-1] if fine else f"FAILED: exit code {done.code}\n{done.out}{done.err[-3000:]}"
    print(f"  {name:8} {mount:7} {ranks} ranks {time.monotonic() - start:6.1f} s  {result}")
    return fine


def build(command: list[object], cwd: Path, **variables: str) -> None:
    """Runs a step of a build; its output is in the error if it fails."""
    subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **variables},
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def compiled(name: str, *options: object) -> Path:
    """The program of `NAME.c`, rebuilt if the source is newer."""
    source, out = HERE / f"{name}.c", places.CACHE / "bin" / f"with-{name}"
    if not out.exists() or out.stat().st_mtime < source.stat().st_mtime:
        out.parent.mkdir(parents=True, exist_ok=True)
        build(["sh", places.COMPILER, "-O1", source, "-o", out, *options], HERE)
    return out


def hdf5_home() -> Path:
    return debian.binaries(HDF5, places.CACHE, with_dependencies=False)


def hdf5() -> Program:
    home = hdf5_home()
    (library,) = home.glob("usr/lib/*/libhdf5_mpich.so")
    options = ("-abi=mpich", f"-I{home}/usr/include/hdf5/mpich", f"-L{library.parent}")
    # The library needs libmpich.so.12 by name, which odonata provides when the program runs.
    program = compiled("hdf5", *options, "-lhdf5_mpich", "-Wl,--allow-shlib-undefined")
    return Program((str(program),), debian.library_path(home))


def h5py() -> Program:
    home = hdf5_home()
    libraries = debian.library_path(home)
    installed, tools = places.CACHE / "h5py", places.CACHE / "h5py-build"
    if not (installed / "h5py").exists():
        if not (tools / "Cython").exists():
            places.pip(sys.executable, "install", "--target", str(tools), *H5PY_TOOLS)
        compiler = places.CACHE / "bin" / "mpicc-mpich"
        compiler.parent.mkdir(parents=True, exist_ok=True)
        # The wrapper would take the compiler named by CC, which is this script.
        script = f'#!/bin/sh\nunset CC; exec sh "{places.COMPILER}" -abi=mpich "$@"\n'
        compiler.write_text(script, encoding="utf-8")
        compiler.chmod(0o755)
        (folder,) = home.glob("usr/lib/*/hdf5/mpich")
        own = places.COMPILER.parents[1] / "_lib"
        pip = [sys.executable, "-m", "pip", "--quiet", "install", "--no-build-isolation"]
        build(
            [*pip, "--no-deps", "--no-binary", "h5py", "--target", installed, H5PY],
            places.CACHE,
            PYTHONPATH=str(tools),
            LD_LIBRARY_PATH=f"{libraries}{os.pathsep}{own}",
            HDF5_MPI="ON",
            HDF5_INCLUDEDIR=str(home / "usr" / "include" / "hdf5" / "mpich"),
            HDF5_LIBDIR=str(folder),
            CC=str(compiler),
            CFLAGS="-O0",
            LDFLAGS=f"-Wl,--allow-shlib-undefined -L{folder.parents[1]}",
        )
    path = os.pathsep.join([str(installed), str(places.ROOT / "python")])
    # mpi4py must use the ABI that HDF5 is built for.
    variables = (f"PYTHONPATH={path}", "MPI4PY_MPIABI=mpich")
    return Program((sys.executable, str(HERE / "arrays.py")), libraries, variables)


def pnetcdf() -> Program:
    missing = [tool for tool in AUTOTOOLS if shutil.which(tool) is None]
    if missing:
        raise FileNotFoundError(f"this system lacks {', '.join(missing)}")
    home = debian.source("pnetcdf", [], places.CACHE)
    installed = home / "installed"
    if not (installed / "lib" / "libpnetcdf.a").exists():
        compiler = str(places.COMPILER)
        configure = ["--disable-fortran", "--disable-cxx", "--disable-shared", "--enable-static"]
        build(["autoreconf", "--install"], home)
        build(["./configure", *configure, f"--prefix={installed}"], home, MPICC=compiler)
        build(["make", "--silent", "--directory=src", "install"], home)
    options = (f"-I{installed}/include", f"-L{installed}/lib", "-lpnetcdf", "-lm")
    return Program((str(compiled("pnetcdf", *options)),))
