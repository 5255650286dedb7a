"""Ends of ranks: after output, without MPI_Finalize, by a signal, and by Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import odonata as od

BIN = Path(od.__file__).parent / "_bin"
MACHINE = ("--machine", "dragonfly-1056", "--ppn", "1")


@pytest.fixture
def build(tmp_path):
    """Compiles source text as C or C++."""

    def compiled(text: str, kind: str = "c") -> Path:
        compiler = BIN / ("odonata-mpicc" if kind == "c" else "odonata-mpicxx")
        source, out = tmp_path / f"program.{kind}", tmp_path / "program"
        source.write_text(text)
        subprocess.run(["sh", compiler, "-O0", "-w", source, "-o", out], check=True)
        return out

    return compiled


ABORTS = """
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
struct Last { ~Last() { std::fputs("destructor\\n", stdout); } } last;
static std::ofstream file("log");
static void handler() { std::puts("handler"); }
int main(int argc, char **argv)
{
    std::ios::sync_with_stdio(false);
    MPI_Init(&argc, &argv);
    std::atexit(handler);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        file << "in a file\\n";
        std::cout << "cout\\n";
        std::printf("printf\\n");
        if (argc > 1)
            MPI_Send(0, 1, MPI_INT, 99, 0, MPI_COMM_WORLD); /* no such rank: a fatal error */
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::puts("never");
    MPI_Finalize();
}
"""


@pytest.mark.parametrize("how", ["abort", "error"])
def test_output_before_an_abort_is_written(odonata, build, tmp_path, how):
    """MPICH calls `exit`: buffers are written, exit handlers and destructors run."""
    program = build(ABORTS, "cc")
    done = odonata("run", "-n", 2, *MACHINE, "--quiet", "--", program, *["x"] * (how == "error"))
    assert done.returncode == 7 if how == "abort" else done.returncode not in (0, 7)
    lines = ["cout", "destructor", "handler", "printf"]
    assert sorted(done.stdout.splitlines()) == lines, done.stderr
    assert (tmp_path / "log").read_text() == "in a file\n"


def test_an_exit_handler_may_finalize_after_an_abort(odonata, build):
    """The call has no effect; output is written, and the exit code is that of the abort."""
    text = """
    #include <mpi.h>
    #include <stdio.h>
    #include <stdlib.h>
    static void handler(void) { puts("handler"); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }
    int main(int argc, char **argv)
    {
        MPI_Init(&argc, &argv);
        atexit(handler);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    """
    done = odonata("run", "-n", 1, *MACHINE, "--quiet", "--", build(text))
    assert (done.returncode, done.stdout) == (3, "handler\n"), done.stderr


def test_of_simultaneous_aborts_that_of_the_lowest_rank_counts(odonata, build):
    """The order in which processes exit is irrelevant: rank 0 computes for much longer."""
    text = """
    #include <mpi.h>
    int main(int argc, char **argv)
    {
        int rank;
        volatile long turns;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Barrier(MPI_COMM_WORLD);
        for (turns = rank ? 0 : 500000000; turns > 0; --turns);
        MPI_Abort(MPI_COMM_WORLD, 3 + rank);
    }
    """
    words = (*MACHINE, "--compute", "none", "--quiet", "--", build(text))
    done = odonata("run", "-n", 2, *words)
    assert done.returncode == 3, done.stderr
    assert "rank 0 " in done.stderr and "code 3" in done.stderr


LEAVES = """
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
static void finalize(void) { MPI_Finalize(); }
int main(int argc, char **argv)
{
    int rank, mask = atoi(argv[1]), status = atoi(argv[2]), how = atoi(argv[3]);
    if (how == 2)
        atexit(finalize);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (how == 4) {
        if (mask >> rank & 1)
            _exit(status);
        MPI_Finalize();
        return 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (mask >> rank & 1) {
        if (how == 1)
            _exit(status);
        exit(status);
    }
    if (how == 3)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.parametrize(
    ("mask", "status", "how", "code", "expected"),
    [
        (0b111, 0, 0, 0, "3 of 3 ranks exited with status 0 without MPI_Finalize, first rank 0"),
        (0b111, 0, 1, 0, "3 of 3 ranks exited with status 0 without MPI_Finalize, first rank 0"),
        (0b010, 0, 0, 0, "1 of 3 ranks exited with status 0 without MPI_Finalize, first rank 1"),
        (0b010, 0, 4, 0, "1 of 3 ranks exited with status 0 without MPI_Finalize, first rank 1"),
        (0b111, 0, 2, 0, None),
        (0b010, 0, 3, 1, "00001 exited with status 0 without MPI_Finalize"),
        (0b110, 5, 0, 5, "exited with status 5 without MPI_Finalize"),
    ],
    ids=["all", "all by _exit", "one", "one at the start", "exit handler", "others wait",
         "with a status"],
)  # fmt: skip
def test_without_finalize(odonata, build, mask, status, how, code, expected):
    done = odonata("run", "-n", 3, *MACHINE, "--json", "--", build(LEAVES), mask, status, how)
    assert done.returncode == code, done.stderr
    if expected is None:
        assert "MPI_Finalize" not in done.stderr
    else:
        assert expected in done.stderr
    assert (code == 0) == ("Predicted time" in done.stderr)


def test_a_wrapper_script_with_status_0_does_not_hide_a_crash(odonata, build):
    program = build("""
    #include <mpi.h>
    #include <stdlib.h>
    int main(int argc, char **argv)
    {
        MPI_Init(&argc, &argv);
        MPI_Barrier(MPI_COMM_WORLD);
        abort();
    }
    """)
    words = (*MACHINE, "--", "sh", "-c", '"$0"; true', program)
    done = odonata("run", "-n", 2, *words)
    assert done.returncode == 1, done.stderr
    assert "Predicted time" not in done.stderr


def test_leaving_with_and_without_finalize_takes_the_same_time(odonata, build):
    program = build(LEAVES)
    words = ("run", "-n", 3, *MACHINE, "--compute", "none", "--json", "--", program)
    times = {json.loads(odonata(*words, mask, 0, 0).stdout)["time_s"] for mask in (0, 0b111)}
    assert len(times) == 1


DIES = """
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
static void add(void *in, void *out, int *n, MPI_Datatype *type) { raise(SIGSEGV); }
int main(int argc, char **argv)
{
    int rank, value = 1, sum, how = atoi(argv[1]);
    MPI_Op op;
    if (how == 0) raise(SIGSEGV);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (how == 1 && rank == 0) MPI_Send((void *)64, 4096, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (how == 2 && rank == 0) raise(SIGFPE);
    if (how == 3) {
        MPI_Op_create(add, 1, &op);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    }
    if (how == 4 && rank == 0) MPI_Comm_size(MPI_COMM_WORLD, (int *)64);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
"""


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (0, r"signal 11 \(SIGSEGV\) before MPI_Init$"),
        (1, r"signal 11 \(SIGSEGV\) in MPI_Send$"),
        (2, r"signal 8 \(SIGFPE\) outside MPI, after MPI_Barrier had returned$"),
        (3, r"signal 11 \(SIGSEGV\) in MPI_Allreduce\(4 B"),
        (4, r"signal 11 \(SIGSEGV\) in MPI_Comm_size$"),
    ],
)
def test_a_signal_is_reported_with_its_call(odonata, build, how, expected):
    done = odonata("run", "-n", 2, *MACHINE, "--", build(DIES), how)
    assert done.returncode in (128 + 11, 128 + 8), done.stderr
    assert re.search(rf"rank \d on \S+ was killed by {expected}", done.stderr, re.M), done.stderr


# Modules that the command imports in this order; it is interrupted during each import.
INTERRUPTED_IN = ["odonata.__main__", "odonata.cli", "click", "odonata.launch"]


@pytest.mark.parametrize("module", INTERRUPTED_IN)
def test_ctrl_c_while_it_starts(tmp_path, module):
    """SIGINT in the middle of an import, where no `try` is on the stack."""
    (tmp_path / "sitecustomize.py").write_text(f"""
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
""")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "odonata", "run", "-n", "2", *MACHINE, "--", "true"],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "odonata: interrupted\n")


def test_a_program_that_imports_odonata_keeps_its_handler():
    text = (
        "import signal; before = signal.getsignal(signal.SIGINT); import odonata; "
        "assert signal.getsignal(signal.SIGINT) is before is signal.default_int_handler"
    )
    subprocess.run([sys.executable, "-c", text], check=True)


@pytest.mark.parametrize("option", ["-m mine", "-mmine"])
def test_a_module_run_by_name_that_imports_odonata_keeps_its_handler(tmp_path, option):
    """The interpreter imports the package before it sets the name of the module."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("import odonata")
    (tmp_path / "mine" / "__main__.py").write_text(
        "import signal; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    )
    subprocess.run([sys.executable, *option.split(), "x"], cwd=tmp_path, check=True)


def test_sigint_that_is_ignored_stays_ignored(odonata):
    """A shell script ignores SIGINT for commands in the background."""
    command = "trap '' INT; exec " + " ".join(odonata.arguments("run", "-n", 1, *MACHINE, "--",
                                                                "true"))  # fmt: skip
    done = subprocess.run(["sh", "-c", command], env=odonata.env, cwd=odonata.cwd, timeout=60)
    assert done.returncode == 0
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def test_an_interrupted_comparison_keeps_loads_apart():
    """The light load ends first, with background and without; then the heavy one is interrupted."""
    stop, counts = od.core.Stop(), [0]

    def tick(now: dict) -> None:
        counts.append(now["events"])
        begins = next((i for i, n in enumerate(counts[1:], 1) if n < counts[i - 1]), None)
        if begins and counts[-1] > counts[begins - 1] / 2:
            stop.signal = signal.SIGINT

    found = od.traffic(
        "uniform", od.machine("dragonfly-1056"), load=[0.9, 0.001], time=1e-4, warmup=5e-5,
        nodes=512, background="uniform:0.001", threads=2, tick=tick, stop=stop,
    )  # fmt: skip
    assert stop.signal and len(found.rows) == 2
    assert found.rows[0].get("alone_mean_s") is None
