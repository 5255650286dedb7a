"""One vocabulary: the core declares names and options, and Python uses them."""

from __future__ import annotations

import inspect
import json
import pickle
import re
import shlex
import subprocess
import sys

import click
import jsonschema
import numpy
import pytest
from conftest import ROOT

import odonata as od
from odonata import _core, _vocabulary, benchmarks, cli, libraries, machines, options, results

COMMANDS = cli.cli.commands
MACHINE = "dragonfly-1056"


def test_the_generated_file_is_not_stale():
    script = ROOT / "python" / "generate_vocabulary.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_command_prints_the_schema(odonata):
    done = odonata("schema")
    assert done.returncode == 0 and json.loads(done.stdout) == json.loads(_core.schema())


SCHEMA = json.loads(_core.schema())
COMMAND_LINE = r"(?m)^\s*(?:\$ )?(?:\.venv/bin/)?(odonata [a-z].* --machine .*)$"


def is_legal(name: str, value: object) -> bool:
    """Whether the schema's definition `name` accepts a value."""
    whole = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    return jsonschema.Draft202012Validator(whole).is_valid(value)


def requests_of_pages() -> list[tuple[str, str, dict]]:
    """Commands with a machine that the pages show: the line, the command, and the options in it."""
    found = []
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = page.read_text().replace("\\\n", " ")
        for line in re.findall(COMMAND_LINE, text):
            if "--machine aurra" in line:
                continue  # shown with its errors
            _, name, *words = shlex.split(line, comments=True)
            if name == "fabric":
                continue  # a group, whose options are not those of a request
            try:
                context = COMMANDS[name].make_context(name, words)
            except click.UsageError:
                continue  # an option of another launcher, or `...`
            found.append((line, name, request_of(context)))
    return found


def request_of(context: click.Context) -> dict:
    """The options given on a command line, with whole numbers as numbers."""
    request = {}
    for name, value in context.params.items():
        option = _vocabulary.BY_COMMAND.get((context.info_name, name))
        if option and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            is_number = option.most and isinstance(value, str)
            request[name] = int(value) if is_number else (
                list(value) if option.is_repeatable else value
            )  # fmt: skip
    return request


def test_the_schema_accepts_the_requests_of_the_pages():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    found = requests_of_pages()
    assert len(found) > 50
    for line, command, request in found:
        assert is_legal(f"{command}_options", request), line


@pytest.mark.parametrize(
    ("command", "option", "legal", "illegal"),
    [
        ("bench", "fidelity", ["auto", "flow"], ["fast", 1]),
        ("tune", "fidelity", ["loggp"], ["auto"]),
        ("bench", "placement", ["random", "group-spread:4", "nodes.txt", [0, 0, 1]], [[-1], 4]),
        ("traffic", "placement", ["one-group", "group-spread:4"], ["group-spread:0", "nodes.txt"]),
        ("bench", "background", ["uniform:0.5", ["uniform:0.5", "incast:0.1"]], [[0.5], 4]),
        ("run", "nic_policy", ["numa", "user:0:0-3;1:4-7"], ["nearest"]),
        ("replay", "mpi", ["openmpi", "mine/cray.toml"], ["openmpi5"]),
        ("run", "compute", ["none", "0.5", 0.5], [True]),
        ("tune", "nodes", [32, "32,512", [32, 512]], [0.5, ["32"]]),
        ("traffic", "load", [0.3, "0.1:0.9:0.1", [0.1, 0.5]], [True]),
        ("bench", "sizes", [8, "8:1Mi", [8, 1024]], [True]),
        ("bench", "window", [1, 65_536], [0, 65_537, "64"]),
        ("run", "limits", ["warn"], ["on"]),
        ("bench", "routing", ["ugal-l"], ["fastest"]),
    ],
)
def test_the_schema_has_the_legal_values_of_options(command, option, legal, illegal):
    least = {"machine": "aurora", "ranks": 2, "nodes": 2, "load": "0.3"}
    declared = SCHEMA["$defs"][f"{command}_options"]["properties"]
    base = {name: value for name, value in least.items() if name in declared}
    for value in legal:
        assert is_legal(f"{command}_options", {**base, option: value}), value
    for value in illegal:
        assert not is_legal(f"{command}_options", {**base, option: value}), value


def test_the_schema_states_the_required_options():
    for command, request, without in [
        ("bench", {"machine": "spock"}, ["machine"]),
        ("tune", {"machine": "spock", "nodes": "2"}, ["machine", "nodes"]),
        ("traffic", {"machine": "spock", "load": "0.1"}, ["machine", "load"]),
        ("run", {"machine": "spock", "ranks": 2}, ["machine", "ranks"]),
        ("run", {"machine": "spock", "nodes": 2}, ["nodes"]),
        ("run", {"machine": "spock", "jobs": "jobs.toml"}, ["jobs"]),
        ("extrapolate", {"ranks": 64, "record": "on-64.parquet"}, ["ranks", "record"]),
    ]:
        assert is_legal(f"{command}_options", request)
        assert not is_legal(f"{command}_options", {**request, "no_such_option": 1})
        for name in without:
            less = {key: value for key, value in request.items() if key != name}
            assert not is_legal(f"{command}_options", less), name


@pytest.mark.parametrize("pattern", _vocabulary.PATTERNS)
def test_the_schema_has_the_numbers_of_patterns(pattern):
    assert is_legal("pattern", pattern.replace(":K", ":12"))
    if ":" in pattern:
        assert not any(is_legal("pattern", pattern.replace("K", k)) for k in ("K", "0", "-1", ""))


def test_rows_have_declared_fields_only():
    machine = od.machine(MACHINE)
    given = {"load": 0.3, "packet": "1Ki", "time": "2us", "warmup": "1us", "slices": 2,
             "faults": "random:1:2", "nodes": 64, "background": "incast:4:0.1"}  # fmt: skip
    [row] = od.traffic("uniform", machine, **given).rows
    assert row.keys() == _vocabulary.TrafficRow.__annotations__.keys()
    job = machine.job(nodes=8, faults="random:1:2", background="uniform:0.1")
    for name in ("latency", "bw", "mbw_mr", "allreduce", "put_alltoall"):
        [row] = od.bench(name, job, sizes=[1024]).rows
        assert row.keys() <= results.BenchRow.__annotations__.keys(), name
    rows = od.tune("bcast", machine, nodes=4, sizes=[8]).rows
    assert {key for row in rows for key in row} <= results.TuneRow.__annotations__.keys()


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
              "nodes", "faults", "traffic_class", "limits", "coll_rules", "nic_policy",
              "storage_class"}  # fmt: skip
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
