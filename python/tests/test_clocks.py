"""Clocks that programs read outside of MPI; each program checks its own results."""

from __future__ import annotations

import subprocess
from datetime import datetime, timezone
from pathlib import Path

import pytest

import odonata as od
from odonata import clocks

COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicxx"
SMALL = ("--machine", "dragonfly-1056", "--compute", "none", "--quiet")
PROGRAM = Path(__file__).with_name("programs") / "clocks.cc"
READS = "import time as t; print(t.time(), t.monotonic()); from mpi4py import MPI; print(t.time())"


def seconds(*date: int) -> int:
    return int(datetime(*date, tzinfo=timezone.utc).timestamp())


def test_cxx(odonata, tmp_path):
    out = tmp_path / "clocks"
    subprocess.run(["sh", COMPILER, "-O1", PROGRAM, "-o", out, "-pthread"], check=True)
    done = odonata("run", "-n", 2, *SMALL, "--", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "good\n" * 2


def test_a_program_sees_the_same_times_again(odonata):
    times = {odonata("run", "-n", 1, *SMALL, "--", "python", "-c", READS).stdout for _ in range(2)}
    assert len(times) == 1, times
    first = float(times.pop().split()[0])
    assert seconds(2026, 1, 1) <= first < seconds(2026, 1, 1) + 60


THREADS = """
import threading, time
from mpi4py import MPI
def work():
    for _ in range(%d): pass
others = [threading.Thread(target=work) for _ in range(2)]
begun = time.monotonic()
[t.start() for t in others]
work()
[t.join() for t in others]
assert time.monotonic() - begun < 1e-3
"""


def test_waiting_for_the_interpreter_takes_no_simulated_time(odonata):
    """Threads that compute alternate every 5 ms of real time, none of which is charged."""
    done = odonata("run", "-n", 1, *SMALL, "--", "python", "-c", THREADS % 3_000_000)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("epoch", "date"),
    [
        ("2030-05-05", (2030, 5, 5)),
        ("2030-05-05T12:30:00", (2030, 5, 5, 12, 30)),
        ("2030-05-05T12:30:00Z", (2030, 5, 5, 12, 30)),
        ("2030-05-05T12:30:00+02:00", (2030, 5, 5, 10, 30)),
        ("1970-01-01", (1970, 1, 1)),
    ],
)
def test_epoch(odonata, epoch, date):
    done = odonata("run", "-n", 1, *SMALL, "--epoch", epoch, "--", "date", "+%s")
    assert (done.returncode, done.stdout) == (0, f"{seconds(*date)}\n"), done.stderr


def test_now_and_real_are_today(odonata):
    today = datetime.now(timezone.utc).timestamp()
    for how in (("--epoch", "now"), ("--clock", "real")):
        done = odonata("run", "-n", 1, *SMALL, *how, "--", "date", "+%s")
        assert 0 <= int(done.stdout) - int(today) < 3600, done.stderr


def test_invalid_clocks_are_reported(odonata):
    done = odonata("run", "-n", 1, *SMALL, "--epoch", "may", "--clock", "reel", "--", "true")
    assert done.returncode == 2
    assert "did you mean `real`?" in done.stderr and "2026-01-01T12:30:00" in done.stderr


def test_preloads_of_the_user_follow(odonata):
    done = odonata("run", "-n", 1, *SMALL, "--env", "LD_PRELOAD=libm.so.6", "--", "sh", "-c",
                   "echo $LD_PRELOAD")  # fmt: skip
    assert done.stdout == f"{clocks.LIBRARY}:libm.so.6\n", done.stderr
