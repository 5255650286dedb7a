"""Concurrent jobs, background traffic and noise, from the command line and from Python."""

from __future__ import annotations

import json
import re
import sys

import pytest

import odonata as od
from odonata import text as texts

MACHINE = ("--machine", "dragonfly-1056", "--quiet", "--json")


def job(**keys: object) -> str:
    """A `[[job]]` table; strings, numbers and lists of JSON are valid TOML."""
    return "\n".join(["[[job]]", *(f"{k} = {json.dumps(v)}" for k, v in keys.items()), ""])


@pytest.fixture
def jobs(odonata, tmp_path):
    """Runs `odonata run --jobs` on a file with this text; returns the process and its JSON."""

    def run(*arguments: object):
        *options, text = arguments
        (tmp_path / "jobs.toml").write_text(str(text))
        done = odonata("run", *MACHINE, "--jobs", "jobs.toml", *options)
        return done, json.loads(done.stdout) if done.stdout else None

    return run


def test_programs_and_benchmarks_run_concurrently(jobs, program):
    ring = [sys.executable, str(program("ring"))]
    text = (
        job(name="ring", program=ring, ranks=8, ppn=2, compute="none", placement="group-spread")
        + job(bench="alltoall", bytes="16Ki", nodes=16, iterations=2, placement="group-spread")
        + "[[background]]\npattern = 'uniform'\nload = 0.3\n"
    )
    done, first = jobs(text)
    assert done.returncode == 0, done.stderr
    ring_row, bench_row = first["jobs"]
    assert (ring_row["name"], bench_row["name"]) == ("ring", "2 alltoall")
    assert ring_row["mpi_calls"] > 0 and ring_row["messages"] > 0
    assert ring_row["slowdown"] == pytest.approx(ring_row["time_s"] / ring_row["alone_s"])
    assert ring_row["slowdown"] > 1, "its few messages meet others at every switch"
    assert bench_row["bench"]["latency_s"] > 0 and bench_row["alone_bench"]["latency_s"] > 0
    assert first["time_s"] == max(row["time_s"] for row in first["jobs"])
    # The jobs use 4 and 16 of 1,056 nodes with one NIC each.
    assert first["background"][0]["nics"] == 1036
    assert first["background"][0]["accepted"] == pytest.approx(0.3, rel=0.03)
    _, second = jobs(text)
    for result in (first, second):
        result.pop("wall_s"), result["engine"].pop("wall_s")
        # Memory of the programs' processes is measured by the operating system, so it varies.
        uses = result["limits"]["uses"]
        (memory,) = (use for use in uses if use["limit"] == "memory")
        uses.remove(memory)
    assert {key for key in first if first[key] != second[key]} == set()
    assert first.keys() == second.keys()


def test_a_job_that_fails_ends_alone(jobs, program):
    python = [sys.executable]
    done, found = jobs(
        job(name="bad", program=[*python, str(program("deadlock"))], ranks=2, compute="none")
        + job(name="good", program=[*python, str(program("ring"))], ranks=4, compute="none")
    )
    bad, good = found["jobs"]
    assert done.returncode == found["exit_code"] == 1
    assert bad["failure"]["kind"] == "deadlock" and bad["slowdown"] is None
    assert {r["rank"] for r in bad["failure"]["ranks"]} <= {0, 1}
    assert good["failure"] is None and good["exit_code"] == 0 and good["slowdown"] == 1
    assert "job bad: deadlock" in done.stderr


def test_a_rank_outside_of_mpi_has_no_call(odonata, tmp_path):
    (tmp_path / "leaves.py").write_text(
        "import sys\nfrom mpi4py import MPI\n"
        "if MPI.COMM_WORLD.rank == 1:\n    MPI.Finalize()\n    sys.exit(3)\n"
        "MPI.COMM_WORLD.recv(source=1)\n"
    )
    done = odonata("run", "-n", 2, *MACHINE, "--", sys.executable, "leaves.py")
    waits, left = json.loads(done.stdout)["failure"]["ranks"]
    assert waits["call"].startswith("MPI_Mprobe") and left["call"] is None
    assert left["detail"] == "has left MPI_Finalize; its process exited with status 3"
    assert f"on {left['node']}: has left MPI_Finalize" in done.stderr


def test_a_failed_job_ends_at_once(jobs, tmp_path):
    (tmp_path / "dies.py").write_text(
        "import os, signal, time\nfrom mpi4py import MPI\n"
        "if MPI.COMM_WORLD.rank == 1:\n"
        "    time.sleep(1e-5)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "MPI.COMM_WORLD.recv(source=1)\n"
    )
    _, found = jobs(
        job(program=[sys.executable, str(tmp_path / "dies.py")], ranks=2, compute="none")
        + job(bench="alltoall", bytes="1Mi", nodes=4)
    )
    bad, other = found["jobs"]
    assert bad["failure"]["kind"] == "killed" and bad["time_s"] < 0.1 * other["time_s"]
    parts = sum(bad[f"{part}_s"] for part in ("compute", "waiting", "transfer"))
    assert 0 < parts <= bad["time_s"] * (1 + 1e-9)


def test_a_second_programs_deadlock_names_its_own_ranks(jobs, program):
    done, found = jobs(
        job(bench="barrier", nodes=4)
        + job(program=[sys.executable, str(program("deadlock"))], ranks=2, compute="none")
    )
    assert done.returncode == 1
    ranks = found["jobs"][1]["failure"]["ranks"]
    assert ranks and {r["rank"] for r in ranks} <= {0, 1}
    for r in ranks:
        assert "rank 4" not in r["detail"] and "rank 5" not in r["detail"], r


def test_background_and_noise_for_a_single_program(odonata, program):
    def run(*more: str):
        words = ("run", "-n", 4, *MACHINE, "--compute", "none", "--placement", "group-spread")
        done = odonata(*words, *more, "--", sys.executable, program("ring"))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    alone, nothing = run(), run("--background", "uniform:0")
    assert (alone["digest"], alone["time_s"]) == (nothing["digest"], nothing["time_s"])
    assert nothing["background"] == []
    busy = run("--background", "uniform:0.5@16Ki", "--background", "adversarial:1:0.01")
    assert busy["time_s"] > alone["time_s"] and len(busy["background"]) == 2
    noisy = run("--noise", "1us/2us")
    assert noisy["time_s"] > alone["time_s"]


def test_all_errors_of_a_jobs_file_are_reported_at_once(jobs, odonata, tmp_path):
    done, _ = jobs(
        "noize = 1\n"
        + job(program="no-such-program", ranks=2, placment="random")
        + job(bench="alltoal", nodes=2, bytes="64K", placement="group-sprea")
        + job(ranks=2)
    )
    assert done.returncode == 2
    for words in ("noize", "did you mean `noise`?", "job 1: program", "job 1: placment",
                  "did you mean `placement`?", "job 2: bench", "did you mean `alltoall`?",
                  "job 2: bytes", "job 2: placement", "job 3: program"):  # fmt: skip
        assert words in done.stderr, words
    done, _ = jobs(job(bench="bw", ranks=2, placement=[3, 4]) * 2)
    assert done.returncode == 2 and "jobs.toml, job 2: placement" in done.stderr
    for text in ("job = 3\n", "job = []\n", ""):
        done, _ = jobs(text)
        assert done.returncode == 2 and "`[[job]]` tables" in done.stderr, text
    one = job(bench="bw", ranks=2)
    for text in ("background = 3\n", "background = 'uniform'\n", "noise = 3\n", "warmup = 'x'\n"):
        done, _ = jobs(text + one)
        assert done.returncode == 2 and "wanted" in done.stderr, text
    done, found = jobs("--no-alone", "background = 'uniform:0.1'\nwarmup = '5us'\n" + one)
    assert done.returncode == 0 and found["background"][0]["offered"] == 0.1
    assert found["jobs"][0]["slowdown"] is None
    done, _ = jobs("--clock", "real", one)
    assert done.returncode == 2 and "--clock" in done.stderr
    done, _ = jobs("[[job]\n")
    assert done.returncode == 2 and "jobs.toml, line 1" in done.stderr
    done = odonata("run", *MACHINE, "-n", 2, "--jobs", "jobs.toml", "--", "true")
    assert done.returncode == 2 and "-n" in done.stderr and "PROGRAM" in done.stderr
    done = odonata("run", *MACHINE, "--jobs", "nowhere.toml")
    assert done.returncode == 2 and "--jobs" in done.stderr


def test_errors_of_a_jobs_file_name_the_file(jobs):
    """All at once, and none about an option that is not given."""

    def errors(*arguments):
        done, _ = jobs(*arguments)
        assert done.returncode == 2, done.stderr
        return re.findall(r"\n  (\S.*)\n    found   (.*)", done.stderr)

    several = (
        "noise = '2ms/1ms'\nwarmup = '5 s'\n"
        + job(name="a", bench="bw", nodes=2, placement="randm")
        + job(name="a", bench="bw", nodes=2)
        + "[[background]]\npattern = 'uniform'\nload = 3\n"
    )
    assert errors(several) == [
        ("jobs.toml, job 1: placement", "randm"), ("jobs.toml, job 2: name", "a"),
        ("jobs.toml, background", "3"), ("jobs.toml, noise", "2ms/1ms"),
        ("jobs.toml, warmup", "5 s"),
    ]  # fmt: skip
    # Errors that only the core detects, of one job or of several, name keys of the file.
    for more in ("", job(bench="bw", nodes=2)):
        assert errors(job(bench="bw", nodes=1) + more) == [("jobs.toml, job 1: nodes", "1")]
        text = errors(job(bench="bw", nodes=2000, ppn=2) + more)
        assert text == [("jobs.toml, job 1: nodes", "2000 nodes of 2 ranks each")]
    traffic = "[[background]]\npattern = 'shift:5000'\nload = 0.1\n"
    one = job(bench="bw", nodes=2)
    assert errors(one + traffic) == [("jobs.toml, background", "shift:5000")]
    assert errors("--background", "shift:5000:0.1", one) == [("--background", "shift:5000")]
    assert errors("--noise", "2ms/1ms", one) == [("--noise", "2ms/1ms")]


def test_errors_that_depend_on_the_machine_are_reported_with_others(jobs, tmp_path):
    """Jobs and backgrounds without other errors are checked against the machine. Errors have the
    numbers of the file, and none is repeated."""

    def errors(*arguments):
        done, _ = jobs(*arguments)
        assert done.returncode == 2, done.stderr
        return re.findall(r"\n  (\S.*)\n    found   (.*)", done.stderr)

    text = (
        job(bench="alltoal", nodes=2)
        + job(bench="bw", nodes=3000)
        + job(bench="bw", nodes=2, **{"class": "low-latancy"})
        + "[[background]]\npattern = 'unifrom'\nload = 0.1\n"
        + "[[background]]\npattern = 'shift:5000'\nload = 0.1\n"
    )
    options = ("--seed", "x", "--background", "uniform:0.1,low", "--background", "uniform:7",
               "--mpi", "mpch", "--limits", "sometimes")  # fmt: skip
    found = errors(*options, text)
    assert sorted(found) == sorted([
        ("--seed", "x"), ("--mpi", "mpch"), ("--limits", "sometimes"),
        ("--background", "uniform:7"), ("--background", "uniform:0.1,low"),
        ("jobs.toml, job 1: bench", "alltoal"), ("jobs.toml, job 2: nodes", "3000"),
        ("jobs.toml, job 3: class", "low-latancy"), ("jobs.toml, background 1", "unifrom"),
        ("jobs.toml, background 2", "shift:5000"),
    ])  # fmt: skip
    # Without a valid job, without a machine, and without a file.
    one = job(bench="alltoal", nodes=2)
    wrong = ("jobs.toml, job 1: bench", "alltoal")
    assert errors("--background", "shift:5000:0.1", one) == [wrong, ("--background", "shift:5000")]
    assert errors("--machine", "nowhere", one) == [("--machine", "nowhere"), wrong]
    assert errors("--faults", "random:1:x", one) == [("--faults", "random:1:x"), wrong]
    text = "[[job]\n"  # no TOML
    assert errors("--background", "shift:5000:0.1", text) == [("--background", "shift:5000")]


def test_backgrounds_are_listed_with_their_origin(odonata, tmp_path):
    """A background without load has no effect and no row."""
    (tmp_path / "jobs.toml").write_text(
        job(bench="barrier", nodes=2)
        + "[[background]]\npattern = 'shift:7'\nload = 0\n"
        + "[[background]]\npattern = 'uniform'\nload = 0.1\n"
    )
    done = odonata("run", "--machine", "dragonfly-1056", "--no-alone", "--jobs", "jobs.toml",
                   "--background", "shift:3:0.2")  # fmt: skip
    assert "\nLoad     shift:3 traffic of 1,054 NICs (--background): 0.2 of" in done.stderr
    assert "\nLoad     uniform traffic of 1,054 NICs (jobs.toml): 0.1 of" in done.stderr
    assert done.stderr.count("\nLoad  ") == 2


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--background", "uniform", "such as `uniform:0.4`"),
        ("--background", "unifrom:0.4", "did you mean `uniform`?"),
        ("--background", "uniform:1.5", "0 to 1"),
        ("--background", "uniform:0.4@64K", "ambiguous"),
        ("--background", "shift:2000:0.4", "K from 1 to"),
        ("--noise", "25us", "LENGTH/PERIOD"),
        ("--noise", "2ms/1ms", "shorter than its period"),
    ],
)
def test_background_and_noise_are_checked(odonata, option, value, expected):
    done = odonata("bench", "latency", "--machine", "dragonfly-1056", option, value)
    assert done.returncode == 2 and option in done.stderr and expected in done.stderr, done.stderr


def test_the_python_api_takes_the_same(tmp_path):
    machine = od.machine("dragonfly-1056")
    result = od.jobs(
        machine,
        [
            {"bench": "allreduce", "bytes": 64, "nodes": 8, "placement": "one-group"},
            {"bench": "bw", "bytes": "64Ki", "nodes": 2, "placement": [100, 101]},
        ],
        background={"pattern": "uniform", "load": 0.2, "nodes": list(range(500, 600))},
        noise="1us/1ms",
    )
    assert result.table.num_rows == 2 and result.rows[0]["slowdown"] >= 1
    result.save(tmp_path / "out")
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "1 allreduce" in page and f"{result.rows[0]['slowdown']:.3f}x" in page
    with pytest.raises(od.InputError) as error:
        od.jobs(machine, [{"bench": "bw", "nodes": 2, "nodse": 2}], background=7)
    assert {c.at for c in error.value.diagnostics} == {"job 1: nodse", "background"}
    with pytest.raises(od.InputError) as error:
        several = ["uniform:0.1", "unifrom:0.1", "shift:5000:0.1"]
        od.jobs(machine, [{"bench": "bww", "nodes": 2}, {"bench": "bw", "nodes": 1}],
                background=several)  # fmt: skip
    output = ["background 2", "background 3", "job 1: bench", "job 2: nodes"]
    assert sorted(c.at for c in error.value.diagnostics) == output
    job = machine.job(nodes=4, placement="group-spread", background="uniform:0.5")
    quiet = machine.job(nodes=4, placement="group-spread")
    busy, idle = (od.bench.allreduce(j, sizes=[8]).rows[0]["latency_s"] for j in (job, quiet))
    assert busy > idle


def test_traffic_between_some_nodes_with_background(odonata):
    words = ("traffic", "uniform", "--machine", "dragonfly-1056", "--load", 0.2, "--time", "10us",
             "--nodes", 64, "--placement", "random")  # fmt: skip

    def rows(*more: str):
        done = odonata(*words, *more, "--json", "--quiet")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["rows"]

    (alone,), (beside,) = rows(), rows("--background", "all-to-all:0.6")
    assert beside["latency_p99_s"] > alone["latency_p99_s"]
    assert rows("--background", "all-to-all:0") == [alone]
    text = odonata(*words, "--background", "uniform:0.1").stdout
    assert "between 64 nodes, random placement" in text and "background uniform:0.1" in text
    done = odonata(*words[:6], "--background", "uniform:0.1")
    assert done.returncode == 2 and "--nodes" in done.stderr


def test_victims_pass_an_incast_where_congestion_is_managed(odonata):
    def row(management: str) -> dict:
        done = odonata(
            "traffic", "uniform", "--machine", "dragonfly-1056", "--congestion", management,
            "--load", "0.1", "--nodes", "64", "--packet", "512", "--warmup", "60us",
            "--time", "20us", "--background", "incast:64:1@16Ki", "--json", "--quiet",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["rows"][0]

    on, off = row("on"), row("off")
    assert on["onsets"] == 1 and on["holds"] >= 64 and off["holds"] == 0
    counts = {"nics": 1, "onsets": 2, "holds": 65}
    [line] = texts.congestion(counts)
    assert line == "1 NIC congested 2 times, senders throttled 65 times"
    assert texts.congestion({**counts, "onsets": 1})[0].startswith("1 NIC congested, senders")
    assert on["least_mean_s"] <= 1.1 * on["alone_mean_s"]
    assert on["background"][0]["receiver"] > 0.95
    assert off["least_mean_s"] > 2 * off["alone_mean_s"]
    assert on["alone_mean_s"] == off["alone_mean_s"]

    done = odonata("traffic", "uniform", "--machine", "lumi-g", "--load", "0.1",
                   "--congestion", "maybe")  # fmt: skip
    assert done.returncode == 2 and "one of: on, off" in done.stderr


def test_offloaded_benchmarks_are_refused_without_offloading_switches(jobs, tmp_path):
    profile = tmp_path / "mine.toml"
    profile.write_text(
        'like = "mpich"\nversion = "1"\n[collectives]\nallreduce = [{ use = "offload" }]\n'
    )
    done, found = jobs("--mpi", profile, job(bench="allreduce", bytes="8", nodes=4))
    assert done.returncode == 2 and found is None, done.stdout
    assert "allreduce" in done.stderr and "Slingshot" in done.stderr


def test_a_fabric_test_among_jobs_has_the_message_limit_of_one_alone():
    """Three nodes of one rank each: two messages per rank and iteration."""
    job = {"bench": "rr_lat", "nodes": 3}
    with pytest.raises(od.InputError) as error:
        od.jobs(od.machine("aurora"), [job, {**job, "messages": 5}], fidelity="loggp")
    assert [(c.at, c.found) for c in error.value.diagnostics] == [("job 2: messages", "5")]
    assert od.jobs(od.machine("aurora"), [{**job, "messages": 6}], fidelity="loggp").rows
    with pytest.raises(od.InputError) as error:
        od.jobs(od.machine("aurora"), [{"program": "true", "ranks": 2, "messages": 6}])
    assert [c.at for c in error.value.diagnostics] == ["job 1: messages"]
