"""Fortran programs on the simulated machine. C programs call the Fortran entry points, too, so
most of them are tested without a Fortran compiler."""

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

# The project requires Rust, a C compiler and Python, but no Fortran compiler.
needs_fortran = pytest.mark.skipif(
    shutil.which(FC.split()[0]) is None, reason=f"no Fortran compiler: {FC}"
)
# The layout of array descriptors depends on the compiler; the library reads gfortran's.
needs_gfortran = pytest.mark.skipif(
    shutil.which(FC.split()[0]) is None
    or "GNU Fortran" not in subprocess.run([*FC.split(), "--version"], capture_output=True,
                                           text=True).stdout,
    reason=f"not gfortran, or no Fortran compiler: {FC}",
)  # fmt: skip


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment in which modules are compiled into an empty cache."""
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
@pytest.mark.parametrize("name", ("fixed.f", "module.f90", "f08.f90", "names08.f90"))
def test_programs(odonata, build, name, ranks):
    good(odonata, build("odonata-mpifort", Path(name).stem, PROGRAMS / name), ranks)


@needs_fortran
@pytest.mark.parametrize("interface", ("use mpi", "include 'mpif.h'"))
def test_names_of_either_interface(odonata, build, tmp_path, interface):
    text = (PROGRAMS / "names.f90").read_text()
    if interface != "use mpi":
        # An include must follow `implicit none`.
        text = text.replace("  use mpi\n  implicit none\n", f"  implicit none\n  {interface}\n")
    source = tmp_path / "names.f90"
    source.write_text(text)
    good(odonata, build("odonata-mpifort", "names", source), 2)


# A tool that replaces procedures of `mpi_f08` under the standard's names, and calls the profiling
# names, generic and specific.
TOOL = """
subroutine MPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror)
  use mpi_f08, only: MPI_Datatype, MPI_Comm, PMPI_Send
  implicit none
  type(*), dimension(..), intent(in) :: buf
  integer, intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  print '(a,i0,a,i0)', 'send ', count, ' rank ', rank(buf)
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine
subroutine MPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror)
  use mpi_f08, only: MPI_Datatype, MPI_Comm, MPI_Request, PMPI_Irecv_f08ts
  implicit none
  type(*), dimension(..) :: buf
  integer, intent(in) :: count, source, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  type(MPI_Request) :: request
  integer, optional, intent(out) :: ierror
  print '(a,i0)', 'irecv ', count
  call PMPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror)
end subroutine
subroutine MPI_Comm_rank_f08(comm, rank, ierror)
  use mpi_f08, only: MPI_Comm, PMPI_Comm_rank
  implicit none
  type(MPI_Comm), intent(in) :: comm
  integer, intent(out) :: rank
  integer, optional, intent(out) :: ierror
  print '(a)', 'comm_rank'
  call PMPI_Comm_rank(comm, rank, ierror)
end subroutine
"""
TRACED = """
program traced
  use mpi_f08
  implicit none
  integer :: me, a(3, 4), got(2), i
  type(MPI_Request) :: r
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  a = reshape([(i, i = 1, 12)], [3, 4])
  call MPI_Irecv(got, 2, MPI_INTEGER, me, 1, MPI_COMM_SELF, r)
  call MPI_Send(a(2, 1:4:2), 2, MPI_INTEGER, me, 1, MPI_COMM_SELF)
  call MPI_Wait(r, MPI_STATUS_IGNORE)
  print '(2i3)', got
  call MPI_Finalize()
end program
"""


@needs_gfortran
@pytest.mark.parametrize("kind", ("object", "shared library"))
def test_a_tool_can_replace_procedures_of_mpi_f08(odonata, build, tmp_path, kind):
    main, tool = tmp_path / "traced.f90", tmp_path / "tool.f90"
    main.write_text(TRACED)
    tool.write_text(TOOL)
    run = ("run", "-n", 1, "--machine", "dragonfly-1056", "--quiet", "--")
    plain = odonata(*run, build("odonata-mpifort", "plain", main))
    assert (plain.returncode, plain.stdout) == (0, "  2  8\n"), plain.stderr
    options = ("-c",) if kind == "object" else ("-shared", "-fPIC")
    part = build("odonata-mpifort", "tool.o" if kind == "object" else "libtool.so", *options, tool)
    done = odonata(*run, build("odonata-mpifort", "traced", main, part))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "comm_rank\nirecv 2\nsend 2 rank 1\n  2  8\n"


def test_entry_points_of_mpi_f08_have_mpichs_names():
    """The names of MPICH's libmpifort.so.12 and of the standard, for tools in other languages."""
    library = WRAPPERS.parent / "_lib" / "libmpifort.so.12"
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True)
    found = {line.split()[-1] for line in listed.stdout.splitlines()}
    for name in ("send_f08ts", "send_f08ts_large", "isend_f08ts", "allreduce_f08ts", "put_f08ts",
                 "file_write_at_all_f08ts", "neighbor_alltoallw_init_f08ts_large", "comm_rank_f08",
                 "type_size_f08_large", "wtime_f08", "buffer_detach_f08", "win_create_f08ts",
                 "free_mem_f08ts", "get_address_f08ts", "ialltoallv_f08ts_large"):  # fmt: skip
        for prefix in ("mpi_", "pmpi_", "pmpir_"):
            assert f"{prefix}{name}_" in found


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
def test_non_contiguous_sections_are_refused_in_nonblocking_calls(odonata, build, tmp_path):
    source = tmp_path / "sections.f90"
    source.write_text(SECTIONS)
    program = build("odonata-mpifort", "sections", source)
    done = odonata("run", "-n", 1, "--machine", "dragonfly-1056", "--quiet", "--", program)
    assert done.stdout.split() == ["fine", "so", "far"], done.stderr
    assert done.returncode == 1
    assert "MPI_Isend uses its buffer after it has returned" in done.stderr


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
def test_c_and_fortran_of_a_program_need_one_abi(odonata, build, tmp_path):
    main, part = tmp_path / "main.f90", tmp_path / "part.c"
    main.write_text(MAIN)
    part.write_text(PART)
    run = ("run", "-n", 3, "--machine", "dragonfly-1056", "--quiet", "--")
    right = build("odonata-mpicc", "right.o", "-abi=mpich", "-c", part)
    done = odonata(*run, build("odonata-mpifort", "mixed", main, right))
    assert (done.returncode, done.stdout) == (0, " 2.0\n"), done.stderr
    # C of the standard ABI: as a shared library, whose MPI library did not create the handle, and
    # as an object, whose handles are unknown to the loaded MPI library.
    wrong = build("odonata-mpicc", "libwrong.so", "-shared", "-fPIC", part)
    done = odonata(*run, build("odonata-mpifort", "broken", main, wrong))
    assert done.returncode != 0
    assert "two MPI libraries" in done.stderr and "`most_of_` in libwrong.so" in done.stderr
    assert f"compile C beside Fortran ({part}) with `odonata-mpicc -abi=mpich`" in done.stderr
    wrong = build("odonata-mpicc", "wrong.o", "-c", part)
    done = odonata(*run, build("odonata-mpifort", "broken", main, wrong))
    assert done.returncode != 0
    assert "It is MPI_MAX in the MPI-5 standard ABI, and this is libmpi.so.12" in done.stderr
    assert f"`most_of_` in broken was compiled with another mpi.h ({part})" in done.stderr
    assert "odonata-mpicc -abi=mpich" in done.stderr


PASSED = """
#include <mpi.h>
int pass_comm(void) { int n; return MPI_Comm_size(MPI_COMM_WORLD, &n); }
int pass_type(void) { int n; return MPI_Type_size(MPI_DOUBLE, &n); }
int pass_op(void) { int n; return MPI_Op_commutative(MPI_SUM, &n); }
int pass_info(void) { int n; return MPI_Info_get_nkeys(MPI_INFO_ENV, &n); }
int pass_group(void) { int n; return MPI_Group_size(MPI_GROUP_EMPTY, &n); }
int pass_request(void)
{
    MPI_Request r = (MPI_Request)VALUE;
    return MPI_Request_free(&r);
}
int pass_made(void) { int n; return MPI_Comm_size((MPI_Comm)MADE, &n); }
"""
CALLS = """
#include <mpi.h>
int WHAT(void);
int main(void) { MPI_Init(0, 0); WHAT(); return MPI_Finalize(); }
"""
# Handles of requests and communicators that each library returns.
STANDARD = ("-DVALUE=(intptr_t)0x4b000002", "-DMADE=(intptr_t)0x41000001")
MPICH = ("-DVALUE=0xac000101", "-DMADE=0x84000101")


@pytest.mark.parametrize(
    "what, named",
    [("pass_comm", "MPI_COMM_WORLD"), ("pass_type", "MPI_DOUBLE"), ("pass_op", "MPI_SUM"),
     ("pass_info", "MPI_INFO_ENV"), ("pass_group", "MPI_GROUP_EMPTY"),
     ("pass_request", "a Request that the program has created"),
     ("pass_made", "a Comm that the program has created")],
)  # fmt: skip
@pytest.mark.parametrize("wrong", ("standard", "mpich"))
def test_handles_of_the_other_abi_are_named_with_the_caller(
    odonata, build, tmp_path, what, named, wrong
):
    part, main = tmp_path / "part.c", tmp_path / "main.c"
    part.write_text("#include <stdint.h>\n" + PASSED)
    main.write_text(CALLS.replace("WHAT", what))
    mpich = ("-abi=mpich",)
    of_part, of_main = ((), mpich) if wrong == "standard" else (mpich, ())
    made = STANDARD if wrong == "standard" else MPICH
    source = part
    part = build("odonata-mpicc", f"{wrong}.o", *of_part, *made, "-w", "-c", part)
    program = build("odonata-mpicc", f"{what}-{wrong}", *of_main, main, part)
    done = odonata("run", "-n", 1, "--machine", "dragonfly-1056", "--quiet", "--", program)
    assert done.returncode != 0
    assert f"It is {named} in " in done.stderr
    assert f"`{what}` in {program.name} was compiled with another mpi.h ({source})" in done.stderr
    assert "compile its source again with `odonata-mpicc" in done.stderr


@needs_fortran
def test_cmake_can_read_the_wrapper_output(environment):
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
def test_modules_are_cached_per_compiler_options(tmp_path, environment, place):
    """Each set of options has modules of its own; the folder's name has a space, and the home
    directory is not writable."""
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
    "compiler, expected",
    [("no-such-compiler", "cannot run the Fortran compiler `no-such-compiler`; FC names another"),
     ("true", "`true` cannot compile")],
)  # fmt: skip
def test_an_invalid_compiler_is_named(tmp_path, compiler, expected):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "FC": compiler}
    command = ["sh", WRAPPERS / "odonata-mpifort", "program.f90"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert expected in done.stderr
    assert not list(tmp_path.rglob("*.a")), "half a cache would be taken for a whole one"


def test_programs_linked_with_mpich_find_our_libraries(odonata, tmp_path):
    """Debian's MPICH has other names for the same libraries: a program is linked to those."""
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
