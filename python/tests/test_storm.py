"""Kill storms: whichever process is killed, and whenever, nothing of the job remains.

`ODONATA_STORM=N` sets the number of kills per kind of victim and job (default 3; 50
before a release), `ODONATA_SEED` repeats a storm.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import PROGRAMS, shared_memory

MOMENTS = int(os.environ.get("ODONATA_STORM", "3"))
SEED = int(os.environ.get("ODONATA_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 32)
RANKS = 6
STEPS = "300"
# A limit against hanging, not an expectation: killed processes end at once.
GUARD_S = 60
COMPILER = Path(__file__).parents[1] / "odonata" / "_bin" / "odonata-mpicc"
C_PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    if (fork() == 0) { setsid(); execlp("sleep", "sleep", "300", NULL); _exit(1); }
    MPI_Init(&argc, &argv);
    for (int i = 0, sum, one = 1; i < 20 * atoi(argv[1]); i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


@pytest.fixture(scope="module")
def c_program(tmp_path_factory):
    at = tmp_path_factory.mktemp("storm")
    (at / "storm.c").write_text(C_PROGRAM)
    subprocess.run([COMPILER, "-O1", at / "storm.c", "-o", at / "storm"], check=True)
    return str(at / "storm")


def jobs(c_program):
    script = str(PROGRAMS / "storm.py")
    return {
        "C": [c_program, STEPS],
        "shell": ["sh", "-c", f"{c_program} {STEPS}; true"],
        "Python": ["--warm", "none", "--", sys.executable, script, STEPS],
        "forked": [sys.executable, script, STEPS],
    }


def is_rank(pid: int) -> bool:
    """Whether the process was started by the launcher or by a rank, but is no `sleep`."""
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
        return b"ODONATA_JOB=" in environ and b"sleep" not in Path(f"/proc/{pid}/comm").read_bytes()
    except OSError:
        return False


def victims(odonata, launcher: int, victim: str) -> list[int]:
    if victim == "launcher":
        return [launcher]
    return [pid for pid in odonata.alive() if pid != launcher and is_rank(pid)]


def rank_of(pid: int) -> str | None:
    """The rank in the environment of a process; forked ranks have that of their parent."""
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return None
    return next((e[13:].decode() for e in environ if e.startswith(b"ODONATA_RANK=")), None)


def none_left(odonata) -> list[int]:
    """Processes that remain when none should, after the kernel's delay."""
    until = time.monotonic() + GUARD_S
    while (left := odonata.alive()) and time.monotonic() < until:
        time.sleep(0.01)
    return left


def start(odonata, words):
    words = words if "--" in words else ["--", *words]
    return odonata.start("run", "-n", RANKS, "--machine", "dragonfly-1056", "--quiet", *words)


@pytest.mark.parametrize("victim", ["rank", "launcher"])
@pytest.mark.parametrize("kind", ["C", "shell", "Python", "forked"])
def test_after_a_kill_no_process_stays(odonata, c_program, kind, victim):
    print(f"ODONATA_SEED={SEED}")
    draw = random.Random(f"{SEED} {kind} {victim}")
    odonata.env["STORM_HELPERS"] = "1"
    before = shared_memory()
    words = jobs(c_program)[kind]
    began = time.monotonic()
    whole = start(odonata, words)
    output = whole.communicate(timeout=GUARD_S * 5)[1]
    assert whole.returncode == 0, output
    normal = time.monotonic() - began
    assert none_left(odonata) == [], "after an undisturbed run"
    for moment in range(MOMENTS):
        # Kills happen at random wall-clock times. Tests do not depend on the time, only on the
        # state afterwards.
        running = start(odonata, words)
        time.sleep(draw.uniform(0, normal))
        found = sorted(victims(odonata, running.pid, victim))
        killed = draw.choice(found) if found else None
        rank = rank_of(killed) if killed is not None else None
        if killed is not None:
            try:
                os.kill(killed, signal.SIGKILL)
            except ProcessLookupError:
                killed = None
        output = running.communicate(timeout=GUARD_S)[1]
        left = none_left(odonata)
        assert left == [], f"moment {moment}: {victim} {killed} was killed, {left} go on"
        assert shared_memory() <= before
        if victim == "launcher" or killed is None:
            continue
        # If the parent of forked ranks dies, ranks may be started one by one instead. A shell may
        # die before or after its rank, and the kill of a finished rank has no effect.
        if running.returncode != 0:
            named = re.search(r"\brank (\d+) on ", output)
            assert named, output
            assert rank in (None, named[1]), f"moment {moment}: {output}"
