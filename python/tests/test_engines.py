"""The engines of packet networks: which one a run of jobs names, and what excludes windows."""

from __future__ import annotations

import json

import pytest

MACHINE = ("--machine", "dragonfly-1056")
EPOCH = ("--set", "switch.credit_epoch=10 ns")
WINDOW = ("--engine", "window")
SELECTED = "it was selected"


@pytest.fixture
def commands(program):
    """A benchmark and a program, as `odonata` is called with further options."""
    ring = ("--", "python", program("ring"))
    return {
        "bench": lambda *more: ("bench", "latency", *MACHINE, "--sizes", 8, *more),
        "run": lambda *more: ("run", "-n", 4, *MACHINE, "--compute", "none", *more, *ring),
    }


def result(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("command", ["bench", "run"])
def test_jobs_name_their_engine_and_its_reason(odonata, commands, command):
    of = commands[command]
    results = {}
    for engine, name, reason in (
        ("event", "event", SELECTED),
        ("window", "window", SELECTED),
        ("auto", "event", "few events occur per window"),
    ):
        done = odonata(*of(*EPOCH, "--engine", engine))
        assert f"{name} engine: {reason}" in done.stdout + done.stderr
        results[engine] = result(odonata(*of(*EPOCH, "--engine", engine, "--json")))
        assert results[engine]["engine"]["engines"] == [{"name": name, "reason": reason}]
    assert len({each["digest"] for each in results.values()}) == 1


@pytest.mark.parametrize("command", ["bench", "run"])
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "the machine has no switch.credit_epoch"),
        ((*EPOCH, "--timeline", "run.pftrace"), "a timeline is recorded in the order of time"),
        ((*EPOCH, "--faults", "random:1"), "the machine has a fault schedule"),
        ((*EPOCH, "--fidelity", "flow"), "only packets have engines"),
        ((*EPOCH, "--set", "nic.recv_latency=9 ns"), "switch.credit_epoch exceeds"),
    ],
)
def test_windows_are_refused_with_the_reason(odonata, commands, command, options, reason):
    done = odonata(*commands[command](*options, *WINDOW))
    assert done.returncode == 2 and "nothing was run" in done.stderr
    assert "engine" in done.stderr and reason in done.stderr


@pytest.mark.parametrize("options", [(), ("--timeline", "t.pftrace"), ("--faults", "random:1")])
def test_without_a_credit_epoch_no_engine_is_named(odonata, commands, options):
    """Jobs have no choice then, whatever else excludes windows."""
    bench = commands["bench"]
    done = odonata(*bench(*options))
    assert done.returncode == 0 and "engine" not in done.stdout
    epoch = odonata(*bench(*EPOCH, *options))
    assert epoch.returncode == 0 and "# event engine: " in epoch.stdout
