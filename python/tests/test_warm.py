"""Forked Python ranks: a program cannot distinguish them from separately started ranks."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from odonata import warm

SMALL = ("--machine", "dragonfly-1056", "--compute", "none")

# The state of the interpreter, printed by rank 1 of 2, which is not the first forked rank.
FACES = """
import atexit, os, sys
import numpy
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 1:
    main = sys.modules["__main__"]
    assert main.__dict__ is globals()
    seen = {k: repr(v) for k, v in globals().items() if k.startswith("__") and k != "__builtins__"}
    seen.pop("__loader__"), seen.pop("__warningregistry__", None)
    print(sorted(seen.items()), type(__loader__), type(__builtins__))
    print(sys.argv, sys.path, getattr(sys, "orig_argv", None), sys.flags, sys.warnoptions)
    print(os.getcwd(), os.environ["ODONATA_RANK"], "ODONATA_WARM" in os.environ)
    print(sys.stdin.read(), sys.stdout.line_buffering, sys.stdout.encoding, os.getpgid(0) > 0)
    print(sorted(int(fd) > 2 for fd in os.listdir("/proc/self/fd")))
    print(sorted(getattr(v, "__name__", "") for v in vars(MPI).values()))
    print(MPI.__spec__.name, MPI.__file__, type(MPI.__loader__), MPI.Query_thread())
    print(MPI.COMM_WORLD.Get_errhandler() == MPI.ERRORS_RETURN)
    atexit.register(print, "at exit")
"""

ENDS = {
    "returns": "",
    "exit": "import sys; sys.exit(3)",
    "words": "import sys; sys.exit('words')",
    "raises": "def f():\n    raise ValueError('bad')\nf()",
    "chained": "try:\n    1/0\nexcept Exception as e:\n    raise ValueError('bad') from e",
    "group": "class E(BaseException): pass\nraise E('b')",
    "thread": "import threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(1), print('t'))).start()",
    "hook": "import sys\nsys.excepthook = lambda *a: print('mine', a[0])\nraise KeyError(1)",
    "file": "f = open('kept', 'w'); f.write('x' * 10)\n"
    "class D:\n    def __del__(s): print('del')\nd = D()",
    "mpi": "from mpi4py import MPI\nclass D:\n    def __init__(s): s.c = MPI.COMM_WORLD.Dup()\n"
    "    def __del__(s): s.c.Free(); print('freed', MPI.Is_finalized())\nd = D()",
    "silent": "import os; os._exit(4)",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "interrupt": "raise KeyboardInterrupt",
    "syntax": "x = = 1",
    "initialize": "import mpi4py\nmpi4py.rc.initialize = False\nfrom mpi4py import MPI\n"
    "print(MPI.Is_initialized())",
    "late": "def f():\n    from mpi4py import MPI\n    return MPI.COMM_WORLD.rank\nf()",
    "sets": "import os\nos.environ['OMP_NUM_THREADS'] = '2'\nimport numpy\nprint(1)",
    "random": "import numpy, random\nfrom mpi4py import MPI\n"
    "x = MPI.COMM_WORLD.allgather((numpy.random.random(), random.random()))\n"
    "print(len(set(a for a, _ in x)), len(set(b for _, b in x)))",
}


def both(odonata, *arguments, **more):
    """The same job with forked ranks, and with separately started ranks."""
    done = {}
    assert "--" in arguments
    for how in ("auto", "none"):
        run = odonata("run", *SMALL, "--json", "--quiet", "-l", "--warm", how, *arguments, **more)
        # With --json, output of ranks goes to stderr, in undefined order.
        answer = json.loads(run.stdout) if run.stdout else {"start": None, "calls": []}
        # Of several killed ranks, any may be noticed first.
        lines = [line for line in run.stderr.splitlines() if not line.startswith("odonata: rank")]
        lines = [re.sub("0x[0-9a-f]+", "0x", line) for line in lines]
        done[how] = (run.returncode, sorted(lines), answer)
    return done["auto"], done["none"]


def check_same(forked, plain, expect_forked=True):
    assert forked[2]["start"]["forked"] is expect_forked, forked[2]["start"]
    assert plain[2]["start"]["forked"] is False
    assert forked[:2] == plain[:2]
    assert forked[2]["digest"] == plain[2]["digest"]
    calls = [{c["function"]: c["calls"] for c in side[2]["calls"]} for side in (forked, plain)]
    assert calls[0] == calls[1]


@pytest.mark.parametrize("method", ["script", "module", "command", "shebang", "options"])
def test_a_rank_sees_what_a_fresh_interpreter_shows(odonata, tmp_path, method):
    script = tmp_path / "deep" / "faces.py"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\n{FACES}")
    script.chmod(0o755)
    words = {
        "script": ["python", "deep/faces.py", "a", "-b"],
        "module": ["python", "-m", "deep.faces", "a", "-b"],
        "command": ["python", "-c", FACES, "a", "-b"],
        "shebang": ["deep/faces.py", "a", "-b"],
        "options": ["python", "-uB", "-W", "ignore", "-X", "utf8", "deep/faces.py"],
    }[method]
    forked, plain = both(odonata, "-n", "2", "--", *words)
    assert plain[0] == 0, plain[1]
    check_same(forked, plain)


@pytest.mark.parametrize("end", ENDS)
def test_a_rank_ends_as_a_fresh_interpreter_would(odonata, tmp_path, end):
    script = tmp_path / "ends.py"
    script.write_text(ENDS[end] + "\n")
    forked, plain = both(odonata, "-n", "3", "--", "python", script)
    # The interpreter reports a script that does not compile.
    assert forked[2]["start"]["forked"] is (end != "syntax"), forked
    assert forked[0] == plain[0]
    assert forked[1] == plain[1]


def test_imports_after_mpi_take_no_simulated_time(odonata, tmp_path):
    """A fresh interpreter takes thousands of locks during imports, and reads the clock for each."""
    script = tmp_path / "late.py"
    script.write_text(
        "from mpi4py import MPI\n"
        "begun = MPI.Wtime()\n"
        "import numpy, email.message, queue\n"
        "took = MPI.Wtime() - begun\n"
        "queue.Queue().put(1)\n"
        "MPI.COMM_WORLD.barrier()\n"
        "print(round(took / MPI.Wtick()))\n"
    )
    forked, plain = both(odonata, "-n", "3", "--", "python", script)
    check_same(forked, plain)
    assert plain[1] == [f"[{rank}] 1" for rank in range(3)]


def test_labels_and_input_reach_forked_ranks(odonata, tmp_path):
    script = tmp_path / "says.py"
    script.write_text("import os, sys\nfrom mpi4py import MPI\n"
                      "os.write(2, b'raw\\n')\nprint(MPI.COMM_WORLD.rank)\n")  # fmt: skip
    done = odonata("run", "-n", "70", "-l", *SMALL, "--quiet", "--", "python", script)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == sorted(f"[{r}] {r}" for r in range(70))
    assert sorted(done.stderr.splitlines()) == sorted(f"[{r}] raw" for r in range(70))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"random.py": "x = 1"}, "random"),
        ({"numpy/__init__.py": "x = 1"}, "numpy"),
    ],
)
def test_modules_that_the_scripts_folder_shadows_are_not_shared(odonata, tmp_path, files, why):
    beside = tmp_path / "scripts"
    for name, text in files.items():
        (beside / name).parent.mkdir(exist_ok=True, parents=True)
        (beside / name).write_text(text)
    (beside / "app.py").write_text(
        f"import {why}\nprint({why}.x)\nfrom mpi4py import MPI\nimport helper\n"
    )
    (beside / "helper.py").write_text("import random, numpy\n")
    forked, plain = both(odonata, "-n", "2", "--", "python", "scripts/app.py")
    assert why in forked[2]["start"]["unfit"]
    check_same(forked, plain, expect_forked=False)


def test_a_module_that_starts_a_thread_is_not_shared(odonata, tmp_path):
    beside = tmp_path / "site"
    beside.mkdir()
    (beside / "busy.py").write_text(
        "import threading\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    )
    (tmp_path / "app.py").write_text("print('runs')\n")
    path = f"{beside}:{os.environ.get('PYTHONPATH', '')}"
    done = odonata("run", "-n", "2", "-l", *SMALL, "--json", "--quiet", "--warm", "busy", "--",
                   "python", "app.py", env={"PYTHONPATH": path})  # fmt: skip
    start = json.loads(done.stdout)["start"]
    assert (start["forked"], start["unfit"]) == (False, "an import started a thread")
    assert sorted(done.stderr.splitlines()) == ["[0] runs", "[1] runs"]


def test_a_missing_module_is_reported(odonata, tmp_path):
    (tmp_path / "app.py").write_text("print('runs')\n")
    done = odonata("run", "-n", "2", *SMALL, "--warm", "numpy,nosuch", "--", "python", "app.py")
    assert (done.returncode, done.stdout) == (0, "runs\n" * 2)
    assert "its own interpreter: `nosuch` cannot be imported" in done.stderr


def test_keys_that_name_no_variable_are_ignored(odonata, tmp_path):
    (tmp_path / "keys.py").write_text(
        "import numpy\nfrom mpi4py import MPI\n"
        "rows = numpy.zeros(4)\nrows[...] = 1\nrows[2] = 2\nseen = {}\nseen[None] = 3\n"
        "seen.setdefault(3, []), seen.setdefault((1, 2), 0), seen.setdefault(b'x', 0)\n"
        "print(rows.sum())\n"
    )
    forked, plain = both(odonata, "-n", "2", "--", "python", "keys.py")
    check_same(forked, plain)
    assert forked[0] == 0 and len(forked[1]) == 2, forked[1]


def test_command_lines_with_forked_ranks(tmp_path):
    script = tmp_path / "tool"
    python = Path(sys.executable).name
    head = [str(warm.BOOTSTRAP), "auto"]
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def of(*words):
        return warm.command(list(words), str(tmp_path), env)

    assert of(python, "a.py", "-x") == [python, *head, "a.py", "-x"]
    assert of(python, "-m", "a", "-x") == [python, *head, "-m", "a", "-x"]
    assert of(python, "-uW", "ignore", "a.py") is None  # a flag with a value after other flags
    assert of(python, "-u", "-Wignore", "-c", "x") == [python, "-u", "-Wignore", *head, "-c", "x"]
    odd = (["-i", "a.py"], ["-"], [], ["-V"], ["-m"], ["-x", "a.py"], ["-X", "importtime", "a"])
    for words in odd:
        assert of(python, *words) is None, words
    assert of("sh", "-c", "python a.py") is None
    assert of("nothing-of-that-name") is None
    for line, words in {
        f"#!{sys.executable} -u": [sys.executable, "-u"],
        f"#!/usr/bin/env {python}": [python],
    }.items():
        script.write_text(f"{line}\nprint()\n")
        script.chmod(0o755)
        assert of("./tool", "x") == [*words, *head, str(script), "x"]
    script.write_text("#!/bin/sh\n")
    assert of("./tool") is None
    assert warm.command([python, "a.py"], str(tmp_path), env, "none") is None
    assert warm.command([python, "a.py"], str(tmp_path), {**env, "PYTHONINSPECT": "1"}) is None
