"""The compiler wrappers and launchers under their usual names, through any links."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import odonata as od
import pytest
from odonata import launchers, synonyms

PACKAGE = Path(od.__file__).parent
SCRIPTS = PACKAGE / "_bin"
NAMES = SCRIPTS / "mpi"
# No environment variable names a compiler.
CLEAN = {k: v for k, v in os.environ.items() if not k.endswith(("CC", "CXX", "FC"))}
SOURCE = "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n"


def call(command, cwd, **variables):
    """Run a command with a timeout: a wrapper that calls itself does not end."""
    path = variables.pop("PATH", CLEAN["PATH"])
    return subprocess.run(list(map(str, command)), cwd=cwd, env={**CLEAN, "PATH": path} | variables,
                          capture_output=True, text=True, timeout=60)  # fmt: skip


@pytest.fixture
def linked(tmp_path):
    """A folder with a chain of links to the wrapper, `mpicc` first, and a source."""
    (tmp_path / "hello.c").write_text(SOURCE)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chain").symlink_to(SCRIPTS / "odonata-mpicc")
    (tmp_path / "bin" / "mpicc").symlink_to("chain")
    return tmp_path


def path_with(folder: Path) -> str:
    return f"{folder}{os.pathsep}{CLEAN['PATH']}"


@pytest.mark.parametrize("value", (None, "mpicc", "chain -O1", "env mpicc", "odonata-mpicc"))
def test_a_link_to_the_wrapper_does_not_call_itself(linked, value):
    """`make CC=mpicc` exports CC to the wrapper, which then uses its default compiler."""
    variables = {} if value is None else {"CC": value}
    path = os.pathsep.join([path_with(linked / "bin"), str(SCRIPTS)])
    done = call(["mpicc", "hello.c", "-o", "hello"], linked, PATH=path, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    assert (linked / "hello").exists()


@pytest.mark.parametrize("name", ("MPICH_CC", "OMPI_CC", "I_MPI_CC"))
def test_a_variable_that_names_the_wrapper_is_refused(linked, name):
    done = call(["mpicc", "hello.c"], linked, PATH=path_with(linked / "bin"), **{name: "mpicc -g"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"mpicc: {name} names `mpicc -g`, which is this wrapper: name the compiler, as in -cc=gcc\n"
    )


def test_an_option_or_a_default_that_names_the_wrapper_is_refused(linked):
    path = path_with(linked / "bin")
    done = call(["mpicc", "-cc=mpicc", "hello.c"], linked, PATH=path)
    assert done.returncode == 2 and "-cc names `mpicc`, which is this wrapper" in done.stderr
    (linked / "bin" / "cc").symlink_to("mpicc")
    for variables in ({}, {"CC": "mpicc"}):
        done = call(["mpicc", "hello.c"], linked, PATH=path, **variables)
        assert done.returncode == 2 and "the compiler `cc` is this wrapper" in done.stderr
    done = call(["mpicc", "hello.c"], linked, PATH=path, CC="gcc")
    assert done.returncode == 0, done.stderr


def test_a_script_that_calls_the_wrapper_is_named(linked):
    script = linked / "bin" / "my-cc"
    script.write_text('#!/bin/sh\nexec mpicc "$@"\n')
    script.chmod(0o755)
    done = call(["mpicc", "hello.c"], linked, PATH=path_with(linked / "bin"), CC="my-cc")
    assert done.returncode == 2
    assert "the compiler `my-cc` calls this wrapper again" in done.stderr


def test_the_folder_of_usual_names(odonata, tmp_path):
    done = odonata("wrappers")
    assert done.returncode == 0
    folder = Path(done.stdout.rstrip("\n"))
    names = {"mpicc", "mpicxx", "mpic++", "mpiCC", "mpifort", "mpif90", "mpif77"}
    names |= {"mpiexec", "mpirun", "srun"}
    assert {p.name for p in folder.iterdir()} == names
    assert all(os.access(p, os.X_OK) for p in folder.iterdir())
    # They are not installed into the environment's commands.
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    commands = project.split("[project.scripts]")[1].split("\n[")[0]
    assert not any(f"\n{name} " in commands for name in names)
    (tmp_path / "hello.c").write_text(SOURCE)
    shutil.copy(tmp_path / "hello.c", tmp_path / "hello.cc")
    for name, source in (("mpicc", "hello.c"), ("mpiCC", "hello.cc"), ("mpic++", "hello.cc")):
        done = call([name, source, "-o", name], tmp_path, PATH=path_with(folder))
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dashes", ("-", "--"))
def test_queries_of_build_systems(tmp_path, dashes):
    include, library = PACKAGE / "_include", PACKAGE / "_lib"

    def answer(*query):
        done = call([NAMES / "mpicc", *query], tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.rstrip("\n")

    whole = f"cc -I{include} -L{library} a.c -lmpi_abi -Wl,-rpath,{library}"
    assert answer("-show", "a.c") == answer(f"{dashes}showme", "a.c") == whole
    assert answer("-compile_info") == f"cc -I{include}"
    links = f"-L{library} -lmpi_abi -Wl,-rpath,{library}"
    assert answer("-link_info") == f"cc {links}"
    expected = {"command": "cc", "compile": f"-I{include}", "link": links, "libs": "mpi_abi",
                "incdirs": str(include), "libdirs": str(library)}  # fmt: skip
    assert {what: answer(f"{dashes}showme:{what}") for what in expected} == expected
    assert "odonata" in answer(f"{dashes}showme:version")
    done = call([NAMES / "mpicc", "--showme:nothing"], tmp_path)
    assert done.returncode == 2 and "expected command, compile, link" in done.stderr


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake")
def test_cmake_finds_mpi_by_the_usual_names(tmp_path):
    (tmp_path / "hello.c").write_text(SOURCE)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\nproject(hello C)\nfind_package(MPI REQUIRED)\n"
        "add_executable(hello hello.c)\ntarget_link_libraries(hello MPI::MPI_C)\n"
        'message(STATUS "launcher ${MPIEXEC_EXECUTABLE}")\n'
    )
    done = call(["cmake", "-B", "build", "."], tmp_path, PATH=path_with(NAMES))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"launcher {NAMES}/mpiexec" in done.stdout
    done = call(["cmake", "--build", "build"], tmp_path, PATH=path_with(NAMES))
    assert done.returncode == 0, done.stdout + done.stderr
    shown = subprocess.run(["ldd", tmp_path / "build" / "hello"], capture_output=True, text=True)
    assert str(PACKAGE / "_lib" / "libmpi_abi.so.1") in shown.stdout


def test_objects_of_the_other_abi_are_named_at_link_time(tmp_path):
    (tmp_path / "hello.c").write_text(SOURCE)
    for abi in ((), ("-abi=mpich",)):
        done = call([NAMES / "mpicc", *abi, "-c", "hello.c", "-o", f"part{len(abi)}.o"], tmp_path)
        assert done.returncode == 0, done.stderr
    same = call([NAMES / "mpicc", "part0.o", "-o", "same"], tmp_path)
    assert (same.returncode, same.stderr) == (0, "")
    other = call([NAMES / "mpicc", "part1.o", "-o", "other"], tmp_path)
    assert "warning: part1.o was compiled with the mpi.h of the other ABI" in other.stderr
    other = call([NAMES / "mpicc", "-abi=mpich", "part0.o", "-o", "other"], tmp_path)
    assert "part0.o" in other.stderr and "odonata-mpicc -abi=mpich" in other.stderr


def test_launchers_run_the_program(odonata, tmp_path):
    """In a shell with `odonata` on its PATH, as with the folder of usual names."""
    script = tmp_path / "say.sh"
    script.write_text('#!/bin/sh\necho "rank $ODONATA_RANK $GREETING"\n')
    script.chmod(0o755)
    path = f"{NAMES}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{CLEAN['PATH']}"
    for command in (
        ["mpiexec", "-n", 2, "-ppn", 1, "--bind-to", "core", "-genv", "GREETING", "hi"],
        ["mpirun", "-np", 2, "-x", "GREETING=hi", "--map-by", "ppr:2:node"],
        ["srun", "-N", 2, "-c", 4, "--export=ALL,GREETING=hi"],
    ):
        done = call([*command, script], tmp_path, PATH=path, ODONATA_MACHINE="dragonfly-1056",
                    ODONATA_RUN_OPTIONS="--quiet --compute none")  # fmt: skip
        assert sorted(done.stdout.splitlines()) == ["rank 0 hi", "rank 1 hi"], done.stderr
        done = call([command[0], "--version"], tmp_path, PATH=path)
        assert (done.returncode, done.stdout.split()[:3]) == (0, [command[0], "of", "odonata"])
        done = call([*command, script], tmp_path, PATH=path)
        assert done.returncode == 2
        assert "ODONATA_MACHINE" in done.stderr and "export ODONATA_MACHINE=aurora" in done.stderr


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("mpiexec", "./a -n 3", "-n 1 -- ./a -n 3"),
        ("mpiexec", "-n 4 -ppn 2 ./a", "-n 4 --ppn 2 -- ./a"),
        ("mpiexec", "--np 8 --hostfile h -wdir /x -l ./a", "-l -n 8 --hostfile h --wdir /x -- ./a"),
        ("mpirun", "-np 4 -N 2 --mca pml ob1 --oversubscribe ./a",
         "--env OMPI_MCA_pml=ob1 -n 4 --ppn 2 -- ./a"),
        ("mpiexec", "-n 4 --map-by ppr:2:node:PE=4 -- ./a", "-n 4 --ppn 2 -- ./a"),
        ("mpiexec", "-n 2 --depth=4 --cpu-bind list:1:2 ./a", "-n 2 -- ./a"),
        ("mpiexec", "-n 1 -genv A 1 -env B=2 -genvall ./a", "--env A=1 --env B=2 -n 1 -- ./a"),
        ("srun", "./a", "-n 1 -- ./a"),
        ("srun", "-N4 --ntasks-per-node=8 --gpus-per-node 8 ./a", "--ppn 8 -n 32 -- ./a"),
        ("srun", "-n 8 -N 2 -m cyclic ./a", "-n 8 --placement round-robin --ppn 4 -- ./a"),
        ("srun", "-n 2 -K --kill-on-bad-exit ./a", "-n 2 -- ./a"),
        ("srun", "-n 2 -K1 --kill-on-bad-exit=0 ./a", "-n 2 -- ./a"),
        ("srun", "-n8 -c7 -l -t 10 -A project --mpi=pmix ./a", "-l -n 8 -- ./a"),
        # Options of `odonata run`, which launchers accept, too.
        ("mpiexec", "-n 2 --umask 022 --rlimits CORE --pmi cray ./a", "-n 2 -- ./a"),
        ("mpiexec", "-n 2 --ntasks-per-node 2 --chdir /x ./a", "-n 2 --ppn 2 --wdir /x -- ./a"),
        ("srun", "--acctg-freq=1 --tmp 5 --epilog e ./a", "-n 1 -- ./a"),
        # A value that must follow an equals sign.
        ("srun", "--bcast --propagate --resv-ports ./a", "-n 1 -- ./a"),
        ("srun", "--bcast=/tmp/a --propagate=STACK --no-kill=off ./a", "-n 1 -- ./a"),
        # A variable in one argument or two, with or without a value.
        ("mpiexec", "-n 1 -genv A=1 ./a", "--env A=1 -n 1 -- ./a"),
        ("mpiexec", "-n 1 -genv A= -env B 2 ./a", "--env A= --env B=2 -n 1 -- ./a"),
        ("mpiexec", "-n 1 -e A=1 -x B=2 -x C ./a", "--env A=1 --env B=2 -n 1 -- ./a"),
        ("srun", "--export A=1,B ./a", "--env A=1 -n 1 -- ./a"),
        # Letters with different meanings per launcher.
        ("mpiexec", "-N 2 -c 4 -q ./a", "--quiet --ppn 2 -n 4 -- ./a"),
        ("srun", "-N 2 -c 4 -q debug -Q ./a", "--quiet -n 2 -- ./a"),
        ("mpiexec", "-n 2 -H a,b -machine c ./a", "-n 2 -- ./a"),
        ("srun", "-H -w a -x b -r 1 -L c -e d -D /x ./a", "--wdir /x -n 1 -- ./a"),
        ("srun", "-lu -OI5 -n2 ./a", "-l -n 2 -- ./a"),
        # The order of ranks on nodes.
        ("mpirun", "-n 4 --map-by node --rank-by core ./a", "-n 4 --placement round-robin -- ./a"),
        ("mpirun", "-n 4 -bynode ./a", "-n 4 --placement round-robin -- ./a"),
        ("mpirun", "-n 4 -ppr 2:node ./a", "-n 4 --ppn 2 -- ./a"),
        ("srun", "-n 4 --distribution=block:cyclic,Pack ./a", "-n 4 -- ./a"),
        ("srun", "-n 4 --distribution=*:block ./a", "-n 4 -- ./a"),
    ],
)  # fmt: skip
def test_options_of_launchers(name, arguments, expected):
    found, _ = launchers.command_of(name, arguments.split(), {"ODONATA_MACHINE": "aurora"})
    assert found == ["run", "--machine", "aurora", *expected.split()]


def test_an_export_of_none_is_noted():
    words = ["--export=NONE,A=1", "./a"]
    found, ignored = launchers.command_of("srun", words, {"ODONATA_MACHINE": "aurora"})
    assert found[3:] == ["--env", "A=1", "-n", "1", "--", "./a"]
    assert ignored == ["--export=NONE"]


@pytest.mark.parametrize("name", ("mpiexec", "srun"))
def test_launchers_accept_what_run_accepts(name):
    """Options without effect, with the same number of values, unless the letter differs."""
    differing = launchers.SRUN if name == "srun" else launchers.MPIEXEC
    for option, (words, _) in synonyms.WITHOUT_EFFECT.items():
        one_dash = len(option) > 2 and option[1] != "-"
        if option in differing or name == "srun" and one_dash:
            continue
        given = [option, *["x"] * words]
        found, ignored = launchers.command_of(name, [*given, "./a"], {"ODONATA_MACHINE": "aurora"})
        assert found[3:] == ["-n", "1", "--", "./a"], option
        assert ignored == [" ".join(given)]
    for option in differing:
        is_known = option in synonyms.EXPLANATIONS or option in ("-ppr", "--mpi")
        assert len(option) == 2 or is_known, option


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        # By meaning, not by spelling.
        ("srun", "--multi-prog", "--jobs FILE"),
        ("srun", "--het-group=1", "--jobs FILE"),
        ("mpiexec", "--configfile", "--jobs FILE"),
        ("mpiexec", "-m", "`--placement` here"),
        ("mpirun", "--map-by ppr:2:socket", "`--ppn`, `--placement` or `--hostfile`"),
        ("srun", "-m plane=4", "NODE[:RANKS]"),
        ("srun", "--distribution=arbitrary", "NODE[:RANKS]"),
        # Misspelled options are corrected to the launcher's own options.
        ("srun", "--ntask", "did you mean `--ntasks`?"),
        ("srun", "--ntasks-per-gpus=1", "did you mean `--ntasks-per-gpu`?"),
        ("mpiexec", "-hostfil", "did you mean `-hostfile`?"),
        ("mpiexec", "--cpu-bnd=x", "did you mean `--cpu-bind`?"),
        ("mpiexec", "-frob", None),
        ("srun", "-Z", None),
    ],
)
def test_a_launcher_never_suggests_an_option_of_another_meaning(name, arguments, expected):
    with pytest.raises(od.InputError) as caught:
        launchers.command_of(name, [*arguments.split(), "./a"], {"ODONATA_MACHINE": "aurora"})
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.hint is None if expected is None else expected in diagnostic.hint


def test_all_errors_of_launcher_options_are_reported_at_once():
    with pytest.raises(od.InputError) as caught:
        launchers.command_of("mpiexec", ["-frob", "-n", "2", "./a", ":", "./b"], {})
    assert [c.at for c in caught.value.diagnostics] == ["option", "program", "ODONATA_MACHINE"]
    with pytest.raises(od.InputError) as caught:
        launchers.command_of("srun", ["-N", "all"], {"ODONATA_MACHINE": "x",
                                                     "ODONATA_RUN_OPTIONS": "'"})  # fmt: skip
    assert [c.at for c in caught.value.diagnostics] == ["-N", "ODONATA_RUN_OPTIONS", "srun"]
