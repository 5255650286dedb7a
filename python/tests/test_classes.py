"""Traffic classes from the command line and from Python: where they are set, and their effect."""

from __future__ import annotations

import json

import odonata as od
import pytest

SMALL = ("--machine", "dragonfly-1056", "--quiet", "--json")
LATENCY = ("bench", "latency", "--sizes", "8", *SMALL)


def rows(odonata, *words):
    done = odonata(*words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["rows"]


def test_a_ceiling_limits_bandwidth_and_best_effort_is_the_default(odonata):
    words = ("bench", "bw", "--sizes", "1Mi", *SMALL)
    plain = rows(odonata, *words)
    assert rows(odonata, *words, "--class", "best-effort") == plain
    assert rows(odonata, *words, "--class", "TC_BULK_DATA") == plain
    (free,), (capped,) = plain, rows(odonata, *words, "--class", "LOW_LATENCY")
    ratio = capped["bandwidth_B_per_s"] / free["bandwidth_B_per_s"]
    assert 0.045 < ratio < 0.056  # LL_BE_BD_ET: 5 %
    changed = rows(odonata, *words, "--class", "low-latency", "--set", "classes.profile=HPC")[0]
    assert 0.28 < changed["bandwidth_B_per_s"] / free["bandwidth_B_per_s"] < 0.32


def test_flows_have_classes(odonata):
    words = ("bench", "bw", "--sizes", "1Mi", "--class", "low-latency", *SMALL)
    rates = [
        rows(odonata, *words, "--fidelity", name)[0]["bandwidth_B_per_s"]
        for name in ("packet", "flow")
    ]
    assert abs(rates[1] / rates[0] - 1) < 0.01


def test_background_of_another_class_does_not_interfere(odonata):
    # Both cross the only link from group 0 to group 1.
    words = ("traffic", "adversarial:1", "--nodes", 264, "--placement", "group-spread", "--load",
             0.002, "--routing", "minimal", "--time", "20us", *SMALL)  # fmt: skip

    def p99(own: str, others: str) -> float:
        background = f"adversarial:1:0.06,{others}"
        found = rows(odonata, *words, "--class", own, "--background", background)
        return found[0]["latency_p99_s"]

    assert p99("low-latency", "bulk-data") < p99("bulk-data", "bulk-data") / 3


def test_jobs_have_classes_of_their_own(odonata, tmp_path):
    file = tmp_path / "jobs.toml"
    job = 'bench = "bw"\nbytes = "1Mi"\nnodes = 2\niterations = 1\n'
    file.write_text(f'[[job]]\n{job}\n[[job]]\n{job}class = "TC_LOW_LATENCY"\n')
    done = odonata("run", "--jobs", file, *SMALL, "--no-alone")
    assert done.returncode == 0, done.stderr
    usual, capped = json.loads(done.stdout)["jobs"]
    assert capped["time_s"] > 10 * usual["time_s"]
    file.write_text(f'[[job]]\n{job}class = "low-latancy"\n')
    done = odonata("run", "--jobs", file, *SMALL)
    assert done.returncode == 2 and "did you mean `low-latency`" in done.stderr, done.stderr
    done = odonata("run", "--jobs", file, *SMALL, "--class", "bulk-data")
    assert done.returncode == 2 and "--class" in done.stderr, done.stderr


def test_congestion_is_reported_and_managed_in_each_class(odonata):
    words = ("--machine", "lumi-g", "--set", "groups.gpu.count=2", "--quiet")
    incast = ("--background", "incast:64:1@32Ki")
    other = ("--background", "uniform:0.1,bulk-data")
    bench = ("bench", "latency", "--sizes", "8", *words)
    assert "congested" not in odonata(*bench, *other).stdout
    for background in (incast, incast + other, incast + other + ("--congestion", "on")):
        done = odonata(*bench, *background)
        assert done.returncode == 0, done.stderr
        assert "# 1 NIC congested, senders throttled" in done.stdout
    off = odonata(*bench, *incast, *other, "--congestion", "off")
    assert off.returncode == 0 and "congested" not in off.stdout, off.stderr


@pytest.mark.parametrize("name", ["MPICH_OFI_DEFAULT_TCLASS", "FI_CXI_DEFAULT_TCLASS"])
def test_the_variables_are_honored(odonata, name):
    words = ("run", "-n", 2, *SMALL[:-2], "--compute", "none")
    program = (
        "from mpi4py import MPI; w = MPI.COMM_WORLD; b = bytearray(1 << 20)\n"
        "w.Send(b, 1) if w.rank == 0 else w.Recv(b, 0)\n"
        "w.rank or print(MPI.Wtime())"
    )

    def time(*more) -> float:
        done = odonata(*words, "--json", *more, "--", "python", "-c", program)
        assert done.returncode == 0, done.stderr
        assert "not modeled" not in done.stderr
        return json.loads(done.stdout)["time_s"]

    plain = time()
    assert time("--env", f"{name}=TC_BEST_EFFORT") == plain
    assert time("--env", f"{name}=TC_LOW_LATENCY") > 5 * plain
    assert time("--env", f"{name}=TC_LOW_LATENCY", "--class", "bulk-data") == plain
    done = odonata(*words, "--env", f"{name}=TC_SCAVENGER", "--", "true")
    assert done.returncode == 2 and f"{name}=TC_SCAVENGER" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((*LATENCY, "--class", "low-latancy"), ["--class", "did you mean `low-latency`"]),
        ((*LATENCY, "--background", "uniform:0.1,bulk"), ["bulk", "did you mean `bulk-data`"]),
        ((*LATENCY, "--class", "low-latency", "--fidelity", "loggp"), ["--fidelity", "packet"]),
        ((*LATENCY, "--set", "classes.low-latency.cieling=4"), ["classes.low-latency.ceiling"]),
        ((*LATENCY, "--set", "classes.low-latency.ceiling=1"), ["at least the 2 %"]),
        (("bench", "latency", "--machine", "cascade-3k", "--class", "bulk-data"),
         ["--class", "only traffic class"]),
        (("bench", "latency", "--machine", "cascade-3k", "--set",
          "classes.best-effort.ceiling=50"), ["without a ceiling"]),
    ],
)  # fmt: skip
def test_invalid_classes_are_reported(odonata, words, expected):
    done = odonata(*words)
    assert done.returncode == 2, done.stderr
    assert all(word in done.stderr for word in expected), done.stderr


def test_the_python_api_takes_the_same():
    machine = od.machine("dragonfly-1056")
    plain, capped = (
        od.bench.bw(machine.job(nodes=2, traffic_class=name), sizes=[1 << 20]).rows[0]
        for name in (None, "low-latency")
    )
    assert capped["bandwidth_B_per_s"] < 0.06 * plain["bandwidth_B_per_s"]
    with pytest.raises(od.InputError) as error:
        machine.job(nodes=2, traffic_class=7)
    assert [c.at for c in error.value.diagnostics] == ["class"]
    others = {"pattern": "uniform", "load": 0.2, "class": "bulk-data"}
    result = od.traffic("uniform", machine, loads=[0.01], nodes=8, background=others, time_s=5e-6,
                        traffic_class="TC_LOW_LATENCY")  # fmt: skip
    assert result.summary["class"] == "TC_LOW_LATENCY"
