"""Every exit code that docs/reference/exit-codes.md lists can be produced."""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import sys

import pytest
from conftest import PROGRAMS, ROOT

PAGE = (ROOT / "docs" / "reference" / "exit-codes.md").read_text()
RUN = ("run", "-n", "2", "--machine", "dragonfly-1056", "--quiet", "--")
STUDY = """
[base]
command = "replay"
machine = "dragonfly-1056"
[[point]]
trace = "deadlock.goal"
"""
DEADLOCK = "num_ranks 2\nrank 0 {\nrecv 8b from 1\n}\nrank 1 {\nrecv 8b from 0\n}\n"
BUG = """
import sys
from odonata import cli
def fails(*arguments, **options):
    raise RuntimeError("a bug")
cli.cli.main = fails
cli.main(["machines"])
"""


def succeeds(odonata):
    return [odonata("machines").returncode, odonata(*RUN, "true").returncode]


def job_fails(odonata):
    return [odonata(*RUN, "python", PROGRAMS / "deadlock.py").returncode]


def results_are_not_written(odonata):
    with open("/dev/full", "w") as full:
        done = subprocess.run(odonata.arguments("machines"), env=odonata.env, stdout=full,
                              stderr=subprocess.PIPE)  # fmt: skip
    assert b"No space left" in done.stderr
    return [done.returncode]


def lacks_memory(odonata):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 27, 1 << 27))  # noqa: E731
    words = odonata.arguments("bench", "latency", "--machine", "aurora")
    done = subprocess.run(words, env=odonata.env, stderr=subprocess.PIPE, preexec_fn=limit)
    assert b"out of memory" in done.stderr
    return [done.returncode]


def is_not_met(odonata):
    (odonata.cwd / "deadlock.goal").write_text(DEADLOCK)
    (odonata.cwd / "study.toml").write_text(STUDY)
    study = odonata("sweep", "study.toml", "--workers", "1")
    return [odonata("validate", "elbert_rr_lat_13").returncode, study.returncode]


def is_refused(odonata):
    return [odonata("show", "aurra").returncode, odonata("frobnicate").returncode]


def is_a_bug(odonata):
    done = subprocess.run([sys.executable, "-c", BUG], env=odonata.env, capture_output=True,
                          text=True)  # fmt: skip
    assert "a bug of odonata" in done.stderr
    return [done.returncode]


def ended_by(odonata, number):
    running = odonata.start(*RUN[:-2], "--", "python", PROGRAMS / "forever.py")
    assert running.stdout.readline()  # the ranks have started
    running.send_signal(number)
    running.communicate(timeout=60)
    return [running.returncode]


def by_a_rank(odonata, code, seen):
    done = odonata(*RUN, "python", "-c", code)
    assert done.returncode == seen, done.stderr
    return [done.returncode]


PRODUCED = {
    "0": [succeeds],
    "1": [job_fails, results_are_not_written, lacks_memory, is_not_met],
    "2": [is_refused],
    "70": [is_a_bug],
    "130": [lambda odonata: ended_by(odonata, signal.SIGINT)],
    "143": [lambda odonata: ended_by(odonata, signal.SIGTERM)],
    "128 + n": [lambda odonata: by_a_rank(
        odonata, "import os; os.kill(os.getpid(), 11)", 128 + signal.SIGSEGV)],
    "other": [
        lambda odonata: by_a_rank(odonata, "raise SystemExit(3)", 3),
        lambda odonata: by_a_rank(
            odonata, "from mpi4py import MPI; MPI.COMM_WORLD.Abort(258)", 258 % 256),
        lambda odonata: by_a_rank(
            odonata, "from mpi4py import MPI; MPI.COMM_WORLD.Abort(256)", 1),
    ],
}  # fmt: skip


def listed() -> list[str]:
    return re.findall(r"(?m)^\| ([0-9]+(?: \+ n)?|other) \|", PAGE)


def test_the_page_lists_the_codes_that_are_produced_here():
    assert list(dict.fromkeys(listed())) == list(PRODUCED)
    assert listed().count("1") == len(PRODUCED["1"])


@pytest.mark.parametrize("code", PRODUCED)
def test_a_code_of_the_page_is_produced(odonata, code):
    for produce in PRODUCED[code]:
        for seen in produce(odonata):
            if code.isdigit():
                assert seen == int(code)


def test_the_help_lists_the_codes_and_the_page(odonata):
    output = odonata("--help").stdout
    assert "docs/reference/exit-codes.md" in output
    for code in ("0", "1", "2", "70"):
        assert re.search(rf"\b{code} ", output), output


def test_the_summary_has_the_exit_code(odonata):
    done = odonata(*RUN[:-2], "--json", "--quiet", "--", "python", PROGRAMS / "deadlock.py")
    result = json.loads(done.stdout)
    assert (done.returncode, result["exit_code"], result["failure"]["kind"]) == (1, 1, "deadlock")
