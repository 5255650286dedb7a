"""One vocabulary: the core declares names and options, and Python uses them."""

from __future__ import annotations

import inspect
import json
import pickle
import subprocess
import sys

import numpy
import pytest
from conftest import ROOT

import odonata as od
from odonata import _core, _vocabulary, benchmarks, cli, libraries, machines, options

COMMANDS = cli.cli.commands
MACHINE = "dragonfly-1056"


def test_the_generated_file_is_not_stale():
    script = ROOT / "python" / "generate_vocabulary.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_command_prints_the_schema(odonata):
    done = odonata("schema")
    assert done.returncode == 0 and json.loads(done.stdout) == json.loads(_core.schema())


def test_options_of_commands_are_the_declared_ones():
    for name, command in COMMANDS.items():
        declared = {o.name for o in _vocabulary.OPTIONS if name in o.commands.split()}
        shown = {p.name for p in command.params if isinstance(p, options.DeclaredOption)}
        assert shown == declared, name


def test_help_has_sections_and_no_synonyms(odonata):
    said = odonata("run", "--help").stdout
    titles = [line for line in said.splitlines() if line.endswith(":") and line[:1].isalpha()]
    assert titles == ["Machine:", "Job:", "Program:", "Model:", "Output:", "Options:"]
    assert "-n, --ranks N" in said and "--ntasks" not in said


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("bench", _vocabulary.BENCHMARKS),
        ("tune", _vocabulary.COLLECTIVES),
        ("traffic", _vocabulary.PATTERNS),
    ],
)
def test_the_help_text_lists_all_names(command, names):
    words = (COMMANDS[command].help or "").replace(",", " ").replace(".", " ").split()
    assert set(names) <= set(words)


def test_lists_that_the_core_also_answers():
    assert libraries.libraries() == list(_vocabulary.LIBRARIES)
    assert set(machines.presets()) >= {"aurora", MACHINE}
    assert benchmarks.NAMES == tuple(benchmarks.KINDS)


def test_arguments_have_the_names_of_options():
    """Of a function and its command; what only one of them can have is listed."""
    only_python = {"tick", "stop", "pattern", "name", "job", "collective", "check", "trace"}
    of_job = {"placement", "ranks", "mpi", "seed", "threads", "background", "noise", "ppn",
              "nodes", "faults", "traffic_class", "limits", "coll_rules", "nic_policy"}  # fmt: skip
    for command, function in (("bench", od.bench), ("traffic", od.traffic), ("tune", od.tune)):
        declared = {o.name for o in _vocabulary.OPTIONS if command in o.commands.split()}
        arguments = set(inspect.signature(function).parameters)
        assert arguments - only_python <= declared, command
    assert of_job <= set(inspect.signature(od.Machine.job).parameters) | {"self"}


def test_bench_is_a_function_with_the_benchmarks_as_attributes():
    job = od.machine(MACHINE).job(nodes=2)
    rows = [found(job, sizes=[8]).rows for found in (od.bench.latency, od.bench.get_latency)]
    assert od.bench("latency", job, sizes=[8]).rows == rows[0] != rows[1]
    assert od.bench.run("latency", job, [8]).rows == rows[0]
    assert "allreduce" in dir(od.bench)
    with pytest.raises(AttributeError):
        od.bench.nothing  # noqa: B018


@pytest.mark.parametrize("name", ["gatherv", "scatterv", "reduce_scatter_block"])
def test_every_benchmark_of_the_core_can_be_run(name):
    job = od.machine(MACHINE).job(nodes=2, ppn=2)
    [row] = od.bench(name, job, sizes=[1024]).rows
    assert row["latency_s"] > 0 and row["algorithm"]


def test_the_algorithms_of_a_barrier_are_compared_once():
    found = od.tune("barrier", od.machine(MACHINE), nodes=4)
    assert {row["bytes"] for row in found.rows} == {0} and found.winners[4, 0]


def test_ranks_and_nodes_are_counted_as_in_run(odonata):
    def found(*words: str) -> tuple[int, int]:
        done = odonata("bench", "barrier", "--machine", MACHINE, "--json", *words)
        assert done.returncode == 0, done.stderr
        summary = json.loads(done.stdout)
        return summary["nodes"], summary["ppn"]

    assert found("-n", "8", "--ppn", "4") == found("--nodes", "2", "--ppn", "4") == (2, 4)
    assert found("-np", "4") == (4, 1)
    assert found("-n", "8", "--nodes", "4") == (4, 2)
    assert found() == (2, 1)
    done = odonata("bench", "barrier", "--machine", MACHINE, "-n", "5", "--ppn", "2")
    assert done.returncode == 2 and "-n" in done.stderr and "a multiple of" in done.stderr
    done = odonata("bench", "barrier", "--machine", MACHINE, "-n", "1")
    assert done.returncode == 2 and "at least 2" in done.stderr


def test_quantities_are_the_same_text_in_python_and_on_the_command_line(odonata):
    machine = od.machine(MACHINE)
    given = {"packet": "1Ki", "time": "1us", "warmup": "1us"}
    rows = od.traffic("uniform", machine, load="0.1,0.2", **given).rows
    older = {"packet_bytes": 1024, "time_s": 1e-6, "warmup_s": 1e-6}
    assert od.traffic("uniform", machine, loads=[0.1, 0.2], **older).rows == rows
    assert od.traffic("uniform", machine, load=0.1, **given).rows == rows[:1]
    words = [f"--{name}={text}" for name, text in given.items()]
    done = odonata(
        "traffic", "uniform", "--machine", MACHINE, "--load=0.1,0.2", *words, "--json"
    )
    assert [row["digest"] for row in json.loads(done.stdout)["rows"]] == [
        row["digest"] for row in rows
    ]
    with pytest.raises(od.InputError) as wrong:
        od.traffic("uniform", machine, load="2", packet="4M", time="5", warmup="-1us")
    assert [c.at for c in wrong.value.diagnostics] == ["load", "packet", "time", "warmup"]


def test_python_reads_sizes_as_the_command_line_does():
    job = od.machine("spock").job(nodes=2)
    assert od.bench("latency", job, sizes="8:32").sizes == [8, 16, 32]
    with pytest.raises(od.InputError, match="`M` is ambiguous"):
        od.bench("latency", job, sizes="8:4M")


def test_a_benchmark_can_be_pickled():
    assert pickle.loads(pickle.dumps(od.bench)) is od.bench
    assert pickle.loads(pickle.dumps(od.bench.allreduce)).func is od.bench


def test_numbers_that_python_does_not_print_are_input_errors():
    machine = od.machine("spock")
    for call in (
        lambda: machine.job(nodes=[10**5000]),
        lambda: od.bench("latency", machine.job(nodes=2), fidelity="auto", tolerance=10**5000),
        lambda: od.traffic(10**5000, machine, load=0.1),
    ):
        with pytest.raises(od.InputError):
            call()


def test_ranks_of_a_job_are_whole_numbers_of_any_kind():
    machine = od.machine("spock")
    assert machine.job(ranks=numpy.int64(8), ppn=2).nodes == 4
    with pytest.raises(od.InputError, match="ranks: found"):
        machine.job(ranks="8")
