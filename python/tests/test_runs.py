"""Programs on the simulated machine: results, exit codes, determinism, failures."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

import odonata as od
from odonata import cli, core

SMALL = ("--machine", "dragonfly-1056")


def test_the_programs_status_and_streams_are_its_own(odonata, program):
    done = odonata("run", "-np", "2", "-ppn", "1", *SMALL, "--quiet", "--", "python",
                   program("status"), "7")  # fmt: skip
    assert done.returncode == 7
    assert done.stdout.splitlines() == ["on stdout"] * 2
    # With --quiet, too, stderr names the rank with this status, as odonata itself may exit with 2.
    *own, ours = done.stderr.splitlines()
    assert own == ["on stderr"] * 2 and ours.startswith("odonata: 2 of 2 ranks ended with")


def test_labels(odonata, program):
    done = odonata("run", "-n", "2", "-l", *SMALL, "--quiet", "--", "python", program("status"),
                   "0")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[0] on stdout", "[1] on stdout"]


def test_environment_and_directory(odonata, program, tmp_path):
    (tmp_path / "there").mkdir()
    done = odonata("run", "-n", "4", "--ntasks-per-node", "2", *SMALL, "--env", "GIVEN=a=b",
                   "--env", "OMP_NUM_THREADS=3", "--wdir", "there", "--quiet", "--", "python",
                   program("environment"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    variables = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert variables == {
        "MPI4PY_MPIABI": "mpich",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "3",
        "GIVEN": "a=b",
        "cwd": str(tmp_path / "there"),
        "library": "_lib",
        "hosts": "2",
    }


def test_variables_of_the_user_have_precedence(odonata, program):
    done = odonata("run", "-n", "1", *SMALL, "--quiet", "--", "python", program("environment"),
                   env={"OPENBLAS_NUM_THREADS": "5"})  # fmt: skip
    assert "OPENBLAS_NUM_THREADS=5" in done.stdout, done.stderr


def test_host_file(odonata, program, tmp_path):
    (tmp_path / "hosts").write_text("7:2\n3:1\n9:1\n")
    done = odonata("run", "-n", "4", *SMALL, "--hostfile", "hosts", "--json", "--", "python",
                   program("environment"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["nodes"], result["placement"]) == (3, "host file")
    assert "hosts=3" in done.stderr


def test_variables_that_are_not_modeled_get_a_note(odonata, program):
    done = odonata("run", "-n", "1", *SMALL, "--env", "FI_CXI_SOMETHING_NEW=1", "--", "python",
                   program("ring"))  # fmt: skip
    assert done.returncode == 0
    assert done.stderr.count("FI_CXI_SOMETHING_NEW") == 1 and "not modeled" in done.stderr


def test_an_algorithm_can_be_forced(odonata, tmp_path):
    (tmp_path / "gather.py").write_text(
        "from mpi4py import MPI\n"
        "comm = MPI.COMM_WORLD\n"
        "whole = bytearray(64 * comm.size)\n"
        "comm.Allgather(bytearray([comm.rank]) * 64, whole)\n"
        "assert whole == b''.join(bytes([r]) * 64 for r in range(comm.size))\n"
    )

    def run(*more):
        return odonata("run", "-n", "8", "--ppn", "1", *SMALL, "--compute", "none", "--json",
                       *more, "--", "python", "gather.py")  # fmt: skip

    algorithm = "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM"
    chosen = run()
    ring, bruck = (run("--env", f"{algorithm}={name}") for name in ("ring", "brucks"))
    for done in (chosen, ring, bruck):
        assert done.returncode == 0, done.stderr
        assert "not modeled" not in done.stderr
    # For 64-B blocks the number of rounds decides: a ring has 7, Bruck 3.
    assert json.loads(ring.stdout)["messages"] > json.loads(bruck.stdout)["messages"]
    assert json.loads(ring.stdout)["time_s"] > json.loads(bruck.stdout)["time_s"]
    refused = run("--env", f"{algorithm}=rign")
    assert refused.returncode == 2 and "ring" in refused.stderr


@pytest.mark.parametrize("ranks", [1, 2, 7, 32])
def test_ring(odonata, program, ranks):
    done = odonata("run", "-n", ranks, "--ppn", "4", *SMALL, "--quiet", "--", "python",
                   program("ring"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"sum {ranks * (ranks - 1) // 2}\n"


def test_repeated_runs_have_the_same_digest(odonata, program):
    def outcome(*more):
        done = odonata("run", "-n", "16", "--ppn", "4", "--machine", "aurora", "--compute", "none",
                       "--json", *more, "--", "python", program("ring"), "30000")  # fmt: skip
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        return result["digest"], result["time_s"]

    first = outcome()
    assert outcome() == first
    assert outcome("--threads", "2") == first
    # Another placement is another prediction with another digest.
    assert outcome("--placement", "group-spread") != first


def test_the_benchmark_agrees_with_the_program_it_imitates(odonata, tmp_path):
    """A ping-pong by a live program and by the built-in benchmark takes the same time."""
    (tmp_path / "pingpong.py").write_text(
        "from mpi4py import MPI\n"
        "comm, buffer = MPI.COMM_WORLD, bytearray(1024)\n"
        "def trip():\n"
        "    if comm.rank == 0:\n"
        "        comm.Send(buffer, 1); comm.Recv(buffer, 1)\n"
        "    else:\n"
        "        comm.Recv(buffer, 0); comm.Send(buffer, 0)\n"
        "trip()\n"
        "start = MPI.Wtime()\n"
        "for _ in range(100): trip()\n"
        "if comm.rank == 0: print((MPI.Wtime() - start) / 200)\n"
    )
    done = odonata("run", "-n", "2", "--machine", "aurora", "--compute", "none", "--quiet", "--",
                   "python", "pingpong.py")  # fmt: skip
    assert done.returncode == 0, done.stderr
    job = od.machine("aurora").job(nodes=2, ppn=1)
    expected = od.bench.latency(job, sizes=[1024]).rows[0]["latency_s"]
    assert float(done.stdout) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(
    ("name", "ranks", "code", "expected"),
    [
        ("deadlock", 2, 1, ["deadlock", "rank 0", "rank 1", "MPI_Recv", "dragonfly-1056-0000"]),
        ("abort3", 4, 3, ["rank 2", "MPI_Abort", "3"]),
        ("early_exit", 4, 5, ["rank 1", "status 5", "MPI_Finalize"]),
        ("killed", 4, 137, ["rank 1", "SIGKILL", "MPI_Barrier"]),
    ],
)
def test_failures(odonata, program, tmp_path, name, ranks, code, expected):
    done = odonata("run", "-n", ranks, "--ppn", "1", *SMALL, "--out", "results", "--", "python",
                   program(name))  # fmt: skip
    assert done.returncode == code, done.stderr
    for words in expected:
        assert words in done.stderr, done.stderr
    assert "No prediction  ended early, after " in done.stderr
    assert "Predicted time" not in done.stderr
    summary = json.loads((tmp_path / "results" / "summary.json").read_text())
    assert summary["exit_code"] == code and summary["failure"]["ranks"]


def test_an_exit_status_is_reported_as_by_launchers(odonata, tmp_path):
    """A program ends normally with a nonzero status; MPI has no error."""
    script = tmp_path / "status.py"
    script.write_text(
        "import sys\nfrom mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\n"
        "sys.exit(7 if MPI.COMM_WORLD.rank in eval(sys.argv[1]) else 0)\n"
    )
    words = ("--json", "--", "python", script)
    for bad, error in (
        ([1], "rank 1 ended with exit status 7"),
        ([1, 3], "2 of 4 ranks ended with an exit status other than 0: rank 1 with 7"),
    ):
        done = odonata("run", "-n", 4, *SMALL, *words, str(bad))
        assert done.returncode == 7 and f"odonata: {error}\n" in done.stderr, done.stderr
        summary = json.loads(done.stdout)
        assert summary["nonzero_exits"] == {"ranks": len(bad), "first": 1, "status": 7}
        assert summary["failure"] is None
    done = odonata("run", "-n", 4, *SMALL, "--quiet", *words, "[1]")
    assert done.stderr == "odonata: rank 1 ended with exit status 7\n"
    done = odonata("run", "-n", 4, *SMALL, *words, "[]")
    assert done.returncode == 0 and "exit status" not in done.stderr, done.stderr
    assert "nonzero_exits" not in json.loads(done.stdout)
    jobs = tmp_path / "jobs.toml"
    program = f"python {script} [0]"
    jobs.write_text(f"[[job]]\nname = 'ill'\nprogram = '{program}'\nranks = 2\nppn = 1\n")
    done = odonata("run", "--jobs", jobs, *SMALL)
    assert done.returncode == 7 and "job ill: rank 0 ended with exit status 7" in done.stderr
    done = odonata("run", "--jobs", jobs, *SMALL, "--quiet")
    assert done.stderr == "odonata: job ill: rank 0 ended with exit status 7\n"


@pytest.mark.parametrize(
    "other",
    [
        "threading.Event().wait",  # waits for another thread
        "lambda: os.read(os.pipe()[0], 1)",  # blocks outside of MPI: 10 s timeout
    ],
)
def test_a_deadlock_is_reported_despite_other_threads(odonata, tmp_path, other):
    script = tmp_path / "threads.py"
    script.write_text(
        "import os, threading\nfrom mpi4py import MPI\n"
        f"threading.Thread(target={other}, daemon=True).start()\n"
        "MPI.COMM_WORLD.Recv(bytearray(1), source=1 - MPI.COMM_WORLD.rank)\n"
    )
    done = odonata("run", "-n", 2, *SMALL, "--quiet", "--", "python", script)
    assert done.returncode == 1, done.stderr
    assert "deadlock: 2 ranks wait" in done.stderr, done.stderr


def test_python_raises_simulated_failure(program):
    import sys

    job = od.machine("dragonfly-1056").job(nodes=2, ppn=1)
    with pytest.raises(od.SimulatedFailure) as caught:
        od.run(job, [sys.executable, str(program("deadlock"))])
    assert caught.value.kind == "deadlock"
    assert [r["rank"] for r in caught.value.ranks] == [0, 1]
    assert caught.value.result.exit_code == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_from_outside(odonata, program, tmp_path, number, code):
    running = odonata.start("run", "-n", "4", "--ppn", "2", *SMALL, "--out", "results", "--",
                            "python", program("forever"))  # fmt: skip
    assert running.stdout.readline() == "begun\n"
    running.send_signal(number)
    _, errors = running.communicate(timeout=120)
    assert running.returncode == code, errors
    assert "interrupted" in errors
    summary = json.loads((tmp_path / "results" / "summary.json").read_text())
    assert summary["exit_code"] == code and summary["time_s"] > 0


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
@pytest.mark.parametrize(
    "arguments",
    [("bench", "latency", *SMALL, "--sizes", "8,16,32"),
     ("traffic", "uniform", *SMALL, "--load", "0.1,0.2,0.3", "--time", "1us", "--warmup", "1us")],
)  # fmt: skip
def test_a_stopped_sweep_reports_missing_points(monkeypatch, capsys, arguments, quiet):
    whole = core.enter

    def stopped_after_two(function, request, tick, stop):
        answer = whole(function, request, tick, stop)
        stop.signal = signal.SIGINT
        return {**answer, "rows": answer["rows"][:2], "interrupted": True}

    monkeypatch.setattr(core, "enter", stopped_after_two)
    assert cli.code_of([*arguments, *quiet]) == 130
    assert "odonata: interrupted: 2 of 3 rows\n" in capsys.readouterr().err


def test_a_run_without_mpi_has_a_note(odonata):
    done = odonata("run", "-n", "2", *SMALL, "--", "true")
    assert done.returncode == 0 and done.stderr.count("nothing was predicted") == 1
    assert "No prediction  no rank called MPI" in done.stderr
    assert "no rank" not in odonata("run", "-n", "2", *SMALL, "--quiet", "--", "true").stderr
    # A failed program has no such note.
    assert "nothing was" not in odonata("run", "-n", "2", *SMALL, "--", "false").stderr


def test_killed_from_outside_leaves_no_rank(odonata, program):
    running = odonata.start("run", "-n", "4", *SMALL, "--", "python", program("forever"))
    assert running.stdout.readline() == "begun\n"
    running.kill()
    # Both pipes close when the last process that holds them ends: odonata and every rank.
    running.communicate(timeout=120)
    assert running.returncode == -signal.SIGKILL


def test_a_benchmark_stops_too(odonata):
    running = odonata.start("bench", "alltoall", "--machine", "aurora", "--nodes", "4000",
                            "--ppn", "8", "--sizes", "4Ki:1Mi")  # fmt: skip
    # Only odonata's handler catches SIGTERM: once it is installed, Ctrl-C is handled, too. Earlier,
    # Python may be interrupted anywhere in its start.
    status = Path(f"/proc/{running.pid}/status")
    caught = re.compile(r"SigCgt:\s*([0-9a-f]+)")
    while running.poll() is None:
        if int(caught.search(status.read_text())[1], 16) >> (signal.SIGTERM - 1) & 1:
            break
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=240)
    assert running.returncode == 130 and "odonata: interrupted" in errors, errors
