"""Arguments, variables and paths need not be Unicode: they reach the program unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import odonata as od
import pytest

ODD = b"n\xe4me\xff \n\"'\\x80 \xc3\xa9"
SMALL = ("--machine", "dragonfly-1056", "--compute", "none")
# Writes its arguments and variables as bytes.
SCRIPT = """
import os, sys
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 0:
    with open("seen", "wb") as out:
        words = [os.fsencode(w) for w in sys.argv[1:]]
        out.write(b"\\0".join([*words, os.environb[b"ODD"], os.getcwdb()]))
"""


def run(odonata, *words: object, cwd: bytes | None = None, env: dict | None = None):
    command = [sys.executable, "-m", "odonata", *words]
    return subprocess.run(
        [w if isinstance(w, bytes) else str(w) for w in command],
        cwd=cwd or odonata.cwd,
        env={**os.environb, **{os.fsencode(k): os.fsencode(v) for k, v in odonata.env.items()},
             **(env or {})},
        capture_output=True,
        timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize("warm", ["auto", "none"])
def test_arguments_variables_and_directories_pass_unchanged(odonata, warm):
    here = os.fsencode(odonata.cwd) + b"/dir\xfe"
    os.mkdir(here)
    with open(here + b"/see\xfd.py", "w") as script:
        script.write(SCRIPT)
    given = [ODD, b"", b"x" * 100_000, b"--\xff=1"]
    done = run(
        odonata, "run", "-n", 2, *SMALL, "--warm", warm, "--env", b"ODD=v\xff\n=", "--out",
        b"out\xff", "--record", b"rec\xff.parquet", "--json", "--", sys.executable, b"see\xfd.py",
        *given, cwd=here,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with open(here + b"/seen", "rb") as seen:
        assert seen.read().split(b"\0") == [*given, b"v\xff\n=", here]
    assert json.loads(done.stdout)["program"][2] == os.fsdecode(ODD)
    with open(here + b"/out\xff/summary.json", "rb") as summary:
        assert json.load(summary)["exit_code"] == 0
    again = run(odonata, "replay", b"rec\xff.parquet", "--machine", "aurora", "--quiet", cwd=here)
    assert again.returncode == 0, again.stderr


def test_a_program_may_have_any_name(odonata):
    path = os.fsencode(odonata.cwd) + b"/pro\xffgram"
    with open(path, "w") as script:
        script.write('#!/bin/sh\nprintf %s "$0" > name\n')
    os.chmod(path, 0o755)
    done = run(odonata, "run", "-n", 1, *SMALL, "--", b"./pro\xffgram")
    assert done.returncode == 0, done.stderr
    assert (odonata.cwd / "name").read_bytes().endswith(b"/pro\xffgram")
    done = run(odonata, "run", "-n", 1, *SMALL, "--", b"./pro\xfegram")
    assert done.returncode == 2 and b"program" in done.stderr


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--set", b"routing=\xff"), b"routing"),
        (("--set", b"\xff=1"), b"wanted"),
        (("--machine", b"\xff"), b"machine"),
        (("--machine", b"\xff.toml"), b"machine"),
        (("--fidelity", b"\xff"), b"fidelity"),
        (("--placement", b"\xff"), b"placement"),
        (("--mpi", b"\xff"), b"mpi"),
        (("--hostfile", b"\xff"), b"host file"),
        (("--faults", b"\xff"), b"faults"),
        (("--class", b"\xff"), b"class"),
        (("--background", b"\xff:0.1"), b"background"),
        (("--epoch", b"\xff"), b"epoch"),
        (("--warm", b"\xff"), b"warm"),
        (("--wdir", b"\xff"), b"wdir"),
    ],
)
def test_options_that_must_be_text_are_rejected_otherwise(odonata, options, named):
    done = run(odonata, "run", "-n", 1, *SMALL, *options, "--", "true")
    assert done.returncode == 2, done.stderr
    assert b"Traceback" not in done.stderr and named in done.stderr


def test_modeled_variables_must_be_text_and_others_are_passed(odonata):
    """A modeled variable needs a valid value; any other one is passed to the program."""
    modeled = {b"MPIR_CVAR_BCAST_INTRA_ALGORITHM": b"\xff"}
    done = run(odonata, "run", "-n", 2, *SMALL, "--", "true", env=modeled)
    assert done.returncode == 2 and b"MPIR_CVAR_BCAST_INTRA_ALGORITHM" in done.stderr
    script = 'printf %s "$MPICH_X" > seen'
    done = run(odonata, "run", "-n", 1, *SMALL, "--", "sh", "-c", script, env={b"MPICH_X": b"\xff"})
    assert done.returncode == 0, done.stderr
    assert (odonata.cwd / "seen").read_bytes() == b"\xff"


def test_concurrent_jobs_take_bytes_as_well(tmp_path):
    machine = od.machine("dragonfly-1056")
    place = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    os.mkdir(place)
    words = ["sh", "-c", 'printf "%s %s" "$1" "$ODD" > seen', "sh", os.fsdecode(b"a\xfe")]
    job = {"program": words, "ranks": 1, "wdir": place, "env": {"ODD": os.fsdecode(b"b\xfd")}}
    od.jobs(machine, [job], alone=False)
    with open(os.path.join(place, "seen"), "rb") as seen:
        assert seen.read() == b"a\xfe b\xfd"
