"""Fortran programs on the twin. What a Fortran compiler would call is called from C, too, so that
much of it is tested where there is no such compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import odonata as od

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "crates" / "mpifort" / "tests" / "f"
WRAPPERS = Path(od.__file__).parent / "_bin"
FC = os.environ.get("FC", "gfortran")
RANKS = (1, 4, 7)

# The project asks for Rust, a C compiler and Python, and for no Fortran compiler.
needs_fortran = pytest.mark.skipif(
    shutil.which(FC.split()[0]) is None, reason=f"no Fortran compiler: {FC}"
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Where modules are compiled into a cache that begins empty."""
    return {**os.environ, "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "FC": FC}


@pytest.fixture(scope="module")
def build(tmp_path_factory, environment):
    folder = tmp_path_factory.mktemp("f")

    def build(wrapper: str, out: str, *arguments: object) -> Path:
        command = ["sh", WRAPPERS / wrapper, "-O1", *arguments, "-o", folder / out]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return folder / out

    return build


def good(odonata, program: Path, ranks: int) -> None:
    done = odonata("run", "-n", ranks, "--ppn", 3, "--machine", "dragonfly-1056", "--quiet",
                   "--compute", "none", "--", program)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"{program.name}: {ranks} ranks: good\n", done.stderr


@pytest.mark.parametrize("ranks", RANKS)
def test_entry_points(odonata, build, ranks):
    source = PROGRAMS / "entries.c"
    options = ("-abi=mpich", "-std=gnu11", "-Wall", "-Wno-strict-prototypes", "-Werror")
    good(odonata, build("odonata-mpicc", "entries", *options, source, "-lmpifort"), ranks)


@needs_fortran
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", ("fixed.f", "module.f90", "f08.f90"))
def test_programs(odonata, build, name, ranks):
    good(odonata, build("odonata-mpifort", Path(name).stem, PROGRAMS / name), ranks)


SECTIONS = """
program sections
  use mpi_f08
  implicit none
  integer :: a(10, 4) = 1, got(20)
  integer, allocatable :: none(:)
  type(MPI_Request) :: r(4)
  call MPI_Init()
  ! All of these are in one piece, or nothing.
  call MPI_Isend(none, 0, MPI_INTEGER, 0, 1, MPI_COMM_SELF, r(1))
  call MPI_Isend(a(1:0:2, 1), 0, MPI_INTEGER, 0, 1, MPI_COMM_SELF, r(2))
  call MPI_Isend(a(:, 2:3), 20, MPI_INTEGER, 0, 1, MPI_COMM_SELF, r(3))
  call MPI_Irecv(got, 0, MPI_INTEGER, 0, 1, MPI_COMM_SELF, r(4))
  call MPI_Waitall(1, r(4:), MPI_STATUSES_IGNORE)
  ! Copied while the call lasts, which is long enough.
  call MPI_Sendrecv(a(1, :), 4, MPI_INTEGER, 0, 2, got(::5), 4, MPI_INTEGER, 0, 2, &
                    MPI_COMM_SELF, MPI_STATUS_IGNORE)
  if (any(got(::5) /= 1)) error stop 'not received'
  print *, 'fine so far'
  flush (6)
  call MPI_Isend(a(1, :), 4, MPI_INTEGER, 0, 3, MPI_COMM_SELF, r(1))
  print *, 'never'
end program
"""


@needs_fortran
def test_a_section_in_pieces_is_refused_where_it_would_be_gone(odonata, build, tmp_path):
    source = tmp_path / "sections.f90"
    source.write_text(SECTIONS)
    program = build("odonata-mpifort", "sections", source)
    done = odonata("run", "-n", 1, "--machine", "dragonfly-1056", "--quiet", "--", program)
    assert done.stdout.split() == ["fine", "so", "far"], done.stderr
    assert done.returncode == 1
    assert "MPI_Isend keeps its buffer after it has returned" in done.stderr


MAIN = """
program mixed
  use mpi
  implicit none
  integer :: ierr, me
  real(8) :: most
  call MPI_Init(ierr)
  call most_of(MPI_COMM_WORLD, most)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  if (me == 0) print '(f4.1)', most
  call MPI_Finalize(ierr)
end program
"""
PART = """
#include <mpi.h>
void most_of_(int *of, double *most)
{
    int me;
    MPI_Comm comm = MPI_Comm_f2c(*of);
    MPI_Comm_rank(comm, &me);
    double mine = me;
    MPI_Allreduce(&mine, most, 1, MPI_DOUBLE, MPI_MAX, comm);
}
"""


@needs_fortran
def test_c_and_fortran_in_one_program_speak_one_abi(odonata, build, tmp_path):
    main, part = tmp_path / "main.f90", tmp_path / "part.c"
    main.write_text(MAIN)
    part.write_text(PART)
    run = ("run", "-n", 3, "--machine", "dragonfly-1056", "--quiet", "--")
    right = build("odonata-mpicc", "right.o", "-abi=mpich", "-c", part)
    done = odonata(*run, build("odonata-mpifort", "mixed", main, right))
    assert (done.returncode, done.stdout) == (0, " 2.0\n"), done.stderr
    # Its C in the standard ABI: another library, which is told of a handle that it never made.
    wrong = build("odonata-mpicc", "libwrong.so", "-shared", "-fPIC", part)
    done = odonata(*run, build("odonata-mpifort", "broken", main, wrong))
    assert done.returncode != 0
    assert "odonata-mpicc -abi=mpich" in done.stderr


@needs_fortran
def test_cmake_can_read_what_the_wrapper_shows(environment):
    command = ["sh", WRAPPERS / "odonata-mpifort", "-show"]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    folders = [w[2:] for w in shown.stdout.split() if w.startswith("-L")]
    names = [w[2:] for w in shown.stdout.split() if w.startswith("-l")]
    assert {"mpifort", "mpi"} <= set(names)
    for name in names:
        found = [f for f in folders for end in ("a", "so") if Path(f, f"lib{name}.{end}").exists()]
        assert found, name
    included = [Path(w[2:]) for w in shown.stdout.split() if w.startswith("-I")]
    for file in ("mpif.h", "mpi.mod", "mpi_f08.mod"):
        assert any((folder / file).exists() for folder in included), file


KIND = """
program kinds
  use mpi
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  print '(i0)', kind(MPI_Wtime())
  call MPI_Finalize(ierr)
end program
"""


@needs_fortran
@pytest.mark.parametrize("place", ("use mpi", "mpif.h"))
def test_options_of_the_compiler_are_the_programs_own(tmp_path, environment, place):
    """Modules of one set of options are not another's, and keep to none of them; from a folder
    with a space in its name, and with a home that cannot be written."""
    shutil.copytree(WRAPPERS.parent, tmp_path / "a b" / "odonata", symlinks=True,
                    ignore=shutil.ignore_patterns("_core*", "__pycache__"))  # fmt: skip
    source = tmp_path / "kinds.f90"
    text = KIND
    if place == "mpif.h":
        text = KIND.replace("  use mpi\n", "").replace("none\n", "none\n  include 'mpif.h'\n")
    source.write_text(text)
    wrapper = tmp_path / "a b" / "odonata" / "_bin" / "odonata-mpifort"
    none = {"XDG_CACHE_HOME": "/proc/none", "TMPDIR": str(tmp_path)}
    for options in ("-fdefault-real-8", "", "-std=f2008 -Wall -Werror"):
        compiled = {**environment, **none, "FC": f"{FC} {options}"}
        command = ["sh", wrapper, source, "-o", tmp_path / "kinds"]
        done = subprocess.run(command, env=compiled, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        done = subprocess.run([tmp_path / "kinds"], capture_output=True, text=True)
        assert done.stdout == "8\n", (options, done.stderr)


@needs_fortran
def test_integers_that_are_not_the_librarys_are_refused(environment):
    command = ["sh", WRAPPERS / "odonata-mpifort", "-fdefault-integer-8", "program.f90"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and "integers of 8 bytes" in done.stderr


@pytest.mark.parametrize(
    "compiler, said",
    [("no-such-compiler", "cannot run the Fortran compiler `no-such-compiler`; FC names another"),
     ("true", "`true` cannot compile")],
)  # fmt: skip
def test_a_compiler_that_is_none_is_named(tmp_path, compiler, said):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "FC": compiler}
    command = ["sh", WRAPPERS / "odonata-mpifort", "program.f90"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert said in done.stderr
    assert not list(tmp_path.rglob("*.a")), "half a cache would be taken for a whole one"


def test_programs_that_mpich_linked_find_names_of_ours(odonata, tmp_path):
    """Debian's MPICH has other names for the same libraries: a program asks for those."""
    library = WRAPPERS.parent / "_lib"
    program = tmp_path / "debian"
    source = tmp_path / "debian.c"
    source.write_text(
        "#include <mpi.h>\n#include <stdio.h>\nvoid mpi_comm_size_(int *, int *, int *);\n"
        "int main(void) { int n, world = 0x44000000, e; MPI_Init(0, 0);\n"
        'mpi_comm_size_(&world, &n, &e); printf("%d\\n", n); return MPI_Finalize(); }\n'
    )
    command = ["cc", f"-I{WRAPPERS.parent}/_include/mpich", source, "-o", program,
               "-Wl,--no-as-needed", "-Wl,--copy-dt-needed-entries",
               library / "libmpichfort.so.12", library / "libmpich.so.12"]  # fmt: skip
    subprocess.run(command, check=True)
    needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
    assert "[libmpich.so.12]" in needed and "[libmpichfort.so.12]" in needed
    done = odonata("run", "-n", 3, "--machine", "dragonfly-1056", "--quiet", "--", program)
    assert (done.returncode, done.stdout) == (0, "3\n3\n3\n"), done.stderr
