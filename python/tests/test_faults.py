"""Fault schedules from the command line and from Python."""

from __future__ import annotations

import json
import sys

import pytest

import odonata as od

MACHINE = ("--machine", "dragonfly-1056", "--quiet")
# Short timers and sweeps for small machines.
FAST = ("--set", "retry.timeout=30us", "--set", "retry.sweep=5us")


@pytest.fixture
def schedule(tmp_path):
    """Writes a fault schedule; returns its file name."""

    def write(text: str) -> str:
        (tmp_path / "schedule.toml").write_text(text)
        return "schedule.toml"

    return write


def test_all_errors_of_a_schedule_are_reported_at_once(odonata, schedule):
    path = schedule(
        "bre = 1e-12\n[[fault]]\ngroup = [0, 1]\n"
        "[[fault]]\ngroups = [0, 99]\nuntl = '3 s'\nlanes = 5\n"
        "[[fault]]\nnic_link = '5:9'\nfrom = '3'\n"
        "[[fault]]\nswitch = 3\nlanes = 2\nuntil = '0 s'\n"
    )
    done = odonata("traffic", "uniform", *MACHINE, "--load", "0.3", "--faults", path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    for words in (
        "fault schedule: bre", "did you mean `groups`?", "did you mean `until`?", "from 0 to 32",
        "2 or 3 of 4", "one of the 1 NICs", "did you mean `3 ns`?", "an end after its `from`",
    ):  # fmt: skip
        assert words in done.stderr, words
    shown = odonata("faults", "dragonfly-1056", path)
    assert shown.returncode == 2 and shown.stderr == done.stderr
    assert done.stderr.count("schedule.toml, fault 3: ") == 2
    for given in ("random:x", "nofile.toml", "random:1:", "random:1:999999"):
        done = odonata("traffic", "uniform", *MACHINE, "--load", "0.3", "--faults", given)
        assert done.returncode == 2 and "--faults" in done.stderr
        done = odonata("faults", "dragonfly-1056", given)
        assert done.returncode == 2 and "SCHEDULE" in done.stderr


def test_flows_and_the_closed_form_refuse_temporary_faults(odonata, schedule):
    for fidelity in ("flow", "loggp"):
        more = ("--fidelity", fidelity, "--faults", "random:1")
        done = odonata("bench", "latency", *MACHINE, "--nodes", "2", *more)
        assert done.returncode == 2 and "`packet` with temporary faults" in done.stderr
        more = ("--fidelity", fidelity, "--faults", schedule("ber = 1e-9\n"))
        done = odonata("bench", "latency", *MACHINE, "--nodes", "2", *more)
        assert done.returncode == 2 and "bit errors" in done.stderr


def test_algorithms_are_compared_on_whole_machines(odonata):
    assert "--faults" not in odonata("tune", "--help").stdout
    done = odonata("tune", "bcast", "--nodes", 2, *MACHINE, "--faults", "random:1")
    assert done.returncode == 2 and "an option of `odonata tune`" in done.stderr


def test_error_bars_are_of_whole_machines(odonata, schedule):
    broken = ("--faults", schedule("[[fault]]\nswitches = [0, 1]\nlanes = 2\n"))
    call = ("bench", "allreduce", *MACHINE, "--nodes", "8", "--sizes", "8", *broken)
    done = odonata(*call, "--fidelity", "flow", "--error-bars")
    assert done.returncode == 2 and "replicas would not have" in done.stderr
    done = odonata(*call, "--fidelity", "auto", "--tolerance", "10%")
    assert done.returncode == 0 and "auto: packet" in done.stdout


def test_a_dead_cable_is_reported_equally_at_every_fidelity(odonata, schedule):
    """A job with an unreachable node fails for that reason, and others continue."""
    path = schedule("[[fault]]\nnic_link = '3:0'\n[[fault]]\nnic_link = '1:0'\nlanes = 2\n")
    errors, times = set(), []
    for fidelity in ("packet", "flow", "loggp"):
        more = (*MACHINE, "--sizes", "64Ki", "--fidelity", fidelity, "--faults", path)
        done = odonata("bench", "bcast", *more, "--nodes", "4")
        assert done.returncode == 1 and "sent 5 times (4 retries) and lost" in done.stderr
        errors.add(done.stderr)
        done = odonata("bench", "bcast", *more, "--nodes", "3", "--json")
        assert done.returncode == 0, done.stderr
        times.append(json.loads(done.stdout)["rows"][0]["latency_s"])
    assert len(errors) == 1, errors
    assert max(times) < 1.05 * min(times), times


def test_a_random_schedule_is_printed_as_drawn(odonata, schedule):
    drawn = odonata("faults", "dragonfly-1056", "random:3:30")
    assert drawn.returncode == 0 and drawn.stdout.count("[[fault]]") == 30
    again = odonata("faults", "dragonfly-1056", schedule(drawn.stdout))
    assert again.stdout == drawn.stdout
    rows = [
        odonata("traffic", "uniform", *MACHINE, "--load", "0.2", "--time", "5us", "--json",
                "--warmup", "2us", "--faults", given)
        for given in ("random:3:30", "schedule.toml")
    ]  # fmt: skip
    first, second = (json.loads(done.stdout)["rows"] for done in rows)
    assert first == second and first[0]["packets_lost"] > 0


def test_traffic_notes_packets_that_still_wait_for_a_timer(odonata, schedule):
    """Timers take 1.07 s and the run microseconds, so no packet is retransmitted."""
    short = ("--load", "0.2", "--time", "5us", "--warmup", "2us")
    for fault, is_noted in (("", True), ("lanes = 2", False)):
        path = schedule(f"[[fault]]\nnic_link = '1:0'\nfrom = '1 us'\n{fault}\n")
        done = odonata("traffic", "uniform", *MACHINE, *short, "--faults", path)
        assert done.returncode == 0 and "0 network timeouts" in done.stdout, done.stderr
        assert ("still waiting for a timer at the end" in done.stdout) == is_noted, done.stdout


def test_slices_show_the_start_and_end_of_a_fault(odonata, schedule):
    path = schedule("[[fault]]\nswitch = 0\nfrom = '40 us'\nuntil = '80 us'\n")
    # Four of the 32 nodes of group 0 are attached to the switch.
    done = odonata("traffic", "uniform", *MACHINE, "--set", "retry.sweep=5us", "--nodes", "32",
                   "--load", "0.4", "--warmup", "20us", "--time", "60us", "--slices", "3",
                   "--faults", path, "--json")  # fmt: skip
    found = json.loads(done.stdout)
    before, *during = (part["accepted"] for part in found["slices"])
    # A slice has 1,000 packets: 3 % is one standard deviation.
    assert before == pytest.approx(0.4, rel=0.1)
    # 28/32 of the senders send, to 27 of 31 other nodes.
    for accepted in during:
        assert accepted == pytest.approx(0.4 * 28 / 32 * 27 / 31, rel=0.12)
    assert found["rows"][0]["packets_lost"] > 0


def test_an_abandoned_message_ends_its_job_with_the_reason(odonata, schedule, program):
    path = schedule("[[fault]]\nnic = '1:0'\n")
    ring = [sys.executable, str(program("ring"))]
    done = odonata("run", "-n", "4", "--machine", "dragonfly-1056", "--compute", "none",
                   "--faults", path, "--json", "--", *ring)  # fmt: skip
    assert done.returncode == 1 and "network timeout" in done.stderr
    found = json.loads(done.stdout)
    assert found["failure"]["kind"] == "fault"
    for words in ("dragonfly-1056-00001 nic0", "sent 5 times (4 retries)"):
        assert words in found["failure"]["message"]
    # Five times 2^30 ns after it was sent.
    assert found["time_s"] == pytest.approx(5 * 1.073741824, rel=1e-3)
    assert found["network"]["network_timeouts"] >= 5


def test_a_flap_causes_retries_and_no_failure(odonata, schedule, program):
    path = schedule("[[fault]]\nnic_link = '1:0'\nfrom = 'start'\nflap = '3 s'\n")
    ring = [sys.executable, str(program("ring"))]
    done = odonata("run", "-n", "4", "--machine", "dragonfly-1056", "--compute", "none",
                   "--faults", path, "--json", "--", *ring)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # The fourth packet, sent after three timers, finds the link up.
    assert 3 * 1.0737 < found["time_s"] < 4 * 1.0737
    assert found["network"]["packets_lost"] == found["network"]["packets_resent"] > 0


def test_a_node_that_dies_ends_its_job(odonata, schedule, program):
    path = schedule("[[fault]]\nnode = 2\nfrom = '1 us'\n")
    ring = [sys.executable, str(program("ring"))]
    done = odonata("run", "-n", "4", "--machine", "dragonfly-1056", "--compute", "none",
                   "--faults", path, "--", *ring)  # fmt: skip
    assert done.returncode == 1
    assert "node dragonfly-1056-00002 went down at 1.00 us with 1 rank" in done.stderr


def test_nodes_that_are_down_get_no_job(tmp_path):
    (tmp_path / "schedule.toml").write_text("[[fault]]\nnode = 0\n")
    job = od.machine("dragonfly-1056").job(
        nodes=2, placement=[0, 1], faults=tmp_path / "schedule.toml"
    )
    with pytest.raises(od.InputError, match="nodes that are up"):
        od.bench.latency(job, sizes=[8])


def test_a_benchmark_reports_its_failure(odonata, schedule):
    path = schedule("[[fault]]\nnic = '1:0'\n")
    done = odonata("bench", "latency", *MACHINE, *FAST, "--faults", path, "--sizes", "8")
    assert done.returncode == 1 and "network timeout" in done.stderr



def test_lost_responses_are_requested_again(odonata, schedule):
    path = schedule("[[fault]]\nnic_link = '1:0'\nfrom = '1 us'\nflap = '3 s'\n")
    done = odonata("bench", "allreduce", "--machine", "cascade-3k", "--nodes", "4", "--sizes", "8",
                   "--quiet", "--faults", path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "network timeout" in done.stdout and "0 messages given up" in done.stdout
