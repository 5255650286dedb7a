"""Bad input: all diagnostics at once, exit 2, nothing on stdout, nothing started or overwritten."""

from __future__ import annotations

import json
import re

import pytest

import odonata as od

LATENCY = ("bench", "latency", "--machine", "aurora")
TRAFFIC = ("traffic", "uniform", "--machine", "dragonfly-1056")
RUN = ("run", "-n", "2", "--machine", "aurora")
TRUE = ("--", "true")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        # unknown names, with the nearest
        ((*LATENCY[:3], "aurra"), ["--machine", "aurra", "did you mean `aurora`?"]),
        (("show", "aurra"), ["MACHINE", "did you mean `aurora`?"]),
        (("show",), ["MACHINE", "nothing"]),
        # keys of the machine file, named like options
        (("show", "aurora", "--set", "nodes=4"), ["\n  nodes\n", "a key of machine files"]),
        ((*LATENCY, "--ppn", "4", "--set", "ppn=4"), ["\n  ppn\n", "a key of machine files"]),
        ((*LATENCY, "--set", "routing=foo"), ["\n  routing\n", "found   foo\n"]),
        ((*LATENCY, "--routing", "foo", "--set", "routing=minimal"), ["\n  --routing\n"]),
        (("faults", "aurra", "random:3"), ["MACHINE", "did you mean `aurora`?"]),
        (("sho", "aurora"), ["command", "did you mean `show`?"]),
        (("bench", "latencies", "--machine", "aurora"), ["NAME", "did you mean `latency`?"]),
        ((*LATENCY, "--nods", "2"), ["--nods", "did you mean `--nodes`?"]),
        ((*LATENCY, "--routing", "minmal"), ["--routing", "did you mean `minimal`?"]),
        ((*LATENCY, "--placement", "randm"), ["--placement", "did you mean `random`?"]),
        ((*LATENCY, "--mpi", "mpch"), ["--mpi", "did you mean `mpich`?"]),
        ((*LATENCY, "--fidelity", "flaw"), ["--fidelity", "packet, flow, loggp", "nearest: flow"]),
        (("traffic", "uniform", "--machine", "dragonfly-1056", "--load", "0.1", "--fidelity",
          "flow"), ["--fidelity", "single packets"]),
        ((*LATENCY, "--buffers", "gpus"), ["--buffers", "did you mean `gpu`?"]),
        ((*LATENCY, "--nic-policy", "nearest"), ["--nic-policy", "block, numa"]),
        ((*RUN, "--env", "MPICH_OFI_NIC_POLICY=USER", *TRUE),
         ["--env", "MPICH_OFI_NIC_POLICY=USER", "round-robin"]),
        ((*RUN, "--env", "MPIR_CVAR_CH4_OFI_MAX_NICS=all", *TRUE), ["--env", "-1 for all NICs"]),
        (("bench", "latency", "--machine", "dragonfly-1056", "--buffers", "gpu"),
         ["--buffers", "nodes of `dragonfly-1056` have no GPUs"]),
        (("bench", "put_latency", "--machine", "aurora", "--buffers", "gpu"),
         ["--buffers", "CPUs poll host memory"]),
        (("traffic", "unifrm", "--machine", "aurora", "--load", "0.1"), ["mean `uniform`?"]),
        # machine files
        ((*LATENCY, "--set", "nic.widnow=3"), ["nic.widnow", "nic.window"]),
        ((*LATENCY, "--set", "switch.latency=350"), ["switch.latency", "350"]),
        ((*LATENCY, "--set", "links.edge.rate=200"), ["mean `200 Gbit/s` or `200 GB/s`?"]),
        ((*LATENCY, "--set", "switch.latency=25 GB/s"), ["switch.latency", "25 GB/s"]),
        ((*LATENCY, "--set", "window"), ["--set", "KEY=VALUE"]),
        ((*LATENCY[:2], "--machine", "no.toml"), ["--machine", "no.toml", "No such file"]),
        # numbers
        ((*LATENCY, "--nodes", "two"), ["--nodes", "two", "whole number"]),
        ((*LATENCY, "--nodes", "0"), ["--nodes", "at least 1"]),
        ((*LATENCY, "--nodes", "1"), ["--nodes", "at least 2 ranks"]),
        ((*LATENCY, "--nodes", "10625"), ["10625", "10624"]),
        ((*LATENCY, "--seed", "-1"), ["--seed"]),
        ((*LATENCY, "--sizes", "1:4Xi"), ["--sizes", "1:4Xi", "1:4Mi"]),
        ((*LATENCY, "--sizes", "4M"), ["--sizes", "4Mi", "4MB"]),
        (("traffic", "uniform", "--machine", "aurora", "--load", "0.1:0.9"),
         ["--load", "did you mean `0.1:0.9:0.1`?"]),
        (("traffic", "uniform", "--machine", "aurora", "--load", "1.5"), ["--load", "at most 1"]),
        (("traffic", "uniform", "--machine", "aurora"), ["--load", "nothing"]),
        (("traffic", "shift", "--machine", "aurora", "--load", "0.1"), ["PATTERN", "shift:1"]),
        (("traffic", "uniform", "--machine", "aurora", "--load", "0.1", "--time", "20"),
         ["--time", "did you mean `20 us`?"]),
        ((*LATENCY, "--sizes", "1e400"), ["--sizes", "1e400", "2^63"]),
        ((*LATENCY, "--sizes", "18446744073709551616"), ["--sizes", "2^63"]),
        ((*LATENCY, "--nodes", "100000"), ["--nodes", "found   100000"]),
        ((*LATENCY, "--nodes", "5000000000"), ["--nodes", "5000000000", "at most"]),
        (("show", ""), ["MACHINE", "empty"]),
        ((*TRAFFIC, "--load", "0.1:nan:0.1"), ["--load", "0.1:nan:0.1"]),
        ((*TRAFFIC, "--load", "0.1:0.9:nan"), ["--load", "0.1:0.9:nan"]),
        ((*TRAFFIC, "--load", "1e-9"), ["--load", "found   1e-9"]),
        ((*TRAFFIC, "--load", "0.1", "--packet", "1e999999999999"), ["--packet"]),
        ((*TRAFFIC, "--load", "0.1", "--packet", "8Ki"), ["--packet", "found   8Ki"]),
        ((*TRAFFIC, "--load", "0.1", "--packet", ""), ["--packet", "found   nothing"]),
        ((*TRAFFIC, "--load", "0.1", "--time", ""), ["--time", "found   nothing"]),
        ((*TRAFFIC, "--load", "0.1", "--time", "2000s"), ["--time", "found   2000s"]),
        ((*TRAFFIC, "--load", "0.1", "--warmup", "1e400s"), ["--warmup", "1e400s"]),
        (("bench", "bcast", "--machine", "aurora", "--fidelity", "auto", "--tolerance", "10"),
         ["--tolerance", "found   10\n", "did you mean `10%`?"]),
        (("bench", "bcast", "--machine", "aurora", "--nodes", "4", "--error-bars"),
         ["--fidelity", "found   packet\n", "for error bars"]),
        (("bench", "bcast", "--machine", "aurora", "--nodes", "3", "--fidelity", "auto",
          "--tolerance", "10%"), ["--nodes", "found   3\n", "for error bars"]),
        (("bench", "latency", "--machine", "aurora", "--fidelity", "auto", "--tolerance", "10%"),
         ["NAME", "found   latency\n", "for error bars"]),
        (("bench", "bcast", "--machine", "aurora", "--nodes", "65", "--placement", "one-group"),
         ["--placement", "found   one-group\n", "65 free nodes: no group has more than 64"]),
        ((*TRAFFIC, "--load", "0.1", "--nodes", "1057"), ["--nodes", "found   1057", "1 rank on"]),
        ((*LATENCY, "--background", "uniform:2"), ["--background", "found   uniform:2\n"]),
        (("bench", "bcast", "--machine", "aurora", "--fidelity", "auto", "--tolerance", "nan"),
         ["--tolerance", "found   nan\n", "a share above 0", "numbers are finite"]),
        # run
        ((*RUN, "--env", "MPIR_CVAR_BCAST_INTRA_ALGORITHM=binom", *TRUE),
         ["--env", "found   MPIR_CVAR_BCAST_INTRA_ALGORITHM=binom"]),
        ((*RUN, "--", "no-such-program"), ["PROGRAM", "no-such-program", "PATH"]),
        ((*RUN, "--", "./no-such-program"), ["PROGRAM", "./no-such-program"]),
        (RUN, ["PROGRAM", "after `--`"]),
        (("run", "--machine", "aurora", *TRUE), ["-n", "nothing"]),
        ((*RUN, "--ppn", "x", *TRUE), ["--ppn", "whole number"]),
        ((*RUN, "--hostfile", "nowhere", *TRUE), ["--hostfile", "nowhere", "No such file"]),
        ((*RUN, "--wdir", "nowhere", *TRUE), ["--wdir", "nowhere", "directory"]),
        ((*RUN, "--env", "novalue", *TRUE), ["--env", "NAME=VALUE"]),
        ((*RUN, "--compute", "mesured", *TRUE), ["--compute", "did you mean `measured`?"]),
        ((*RUN, "--compute", "-1", *TRUE), ["--compute", "positive factor"]),
        (("run", "-n", "10625", "--ppn", "1", "--machine", "aurora", *TRUE), ["10625", "10624"]),
        # results
        (("report", "."), ["RUNDIR", "odonata run --out"]),
        ((*LATENCY, "--out", ""), ["--out", "empty"]),
        ((*LATENCY, "--out", "/proc/odonata"), ["--out", "can be written to"]),
        ((*LATENCY, "--force"), ["--force", "--out"]),
    ],
)  # fmt: skip
def test_one_problem(odonata, arguments, expected):
    done = odonata(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    head = "odonata: error: 1 problem in the input; nothing was run"
    assert done.stderr.startswith(head), done.stderr
    plain = done.stderr.replace(",", "")
    for words in expected:
        assert words.replace(",", "") in plain, done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--ranks", "64"), {"RECORD": "a.parquet", "--record": "-o made.parquet"}),
        (("-o", "b"), {"RECORD": "a.parquet", "--ranks": "whole number of at least 4"}),
        (("-o", "/"), {"RECORD": "a.parquet", "--ranks": "whole number", "--record": "found   /"}),
    ],
)
def test_all_problems_of_an_extrapolation(odonata, arguments, expected):
    done = odonata("extrapolate", "a.parquet", *arguments)
    first, *diagnostics = done.stderr.split("\n\n")
    assert done.returncode == 2 and first.startswith(f"odonata: error: {len(expected)} problems in")
    found = {text.split()[0]: text for text in diagnostics}
    assert found.keys() == expected.keys() and all(expected[a] in found[a] for a in expected), found


def test_all_problems_at_once(odonata):
    done = odonata("run", "-n", "zero", "--machine", "aurora", "--set", "nic.widnow=3",
                   "--fidelity", "flaw", "--sizes", "1", "--", "no-such-program")  # fmt: skip
    # An unknown option is the only diagnostic: the meaning of the rest is then uncertain.
    assert done.returncode == 2 and "--sizes" in done.stderr
    done = odonata("run", "-n", "zero", "--machine", "aurora", "--set", "nic.widnow=3",
                   "--fidelity", "flaw", "--", "no-such-program")  # fmt: skip
    assert done.returncode == 2
    for words in ("-n", "nic.widnow", "flaw", "no-such-program", "4 problems"):
        assert words in done.stderr, done.stderr


def test_unreadable_host_file(odonata, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_bytes(b"\xff\xfe\x00nonsense")
    done = odonata(*RUN, "--hostfile", hosts, *TRUE)
    assert done.returncode == 2 and "--hostfile" in done.stderr


def test_more_ranks_than_slots_in_the_host_file(odonata, tmp_path):
    (tmp_path / "hosts").write_text("0:2\n1:2\n")
    done = odonata("run", "-n", "5", "--machine", "aurora", "--hostfile", "hosts", *TRUE)
    assert done.returncode == 2, done.stderr
    assert "5" in done.stderr and "4" in done.stderr


def test_an_existing_file_is_not_overwritten(odonata, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    for more in ((), ("--force",)):
        done = odonata(*LATENCY, "--sizes", "8", "--out", "mine", *more)
        assert done.returncode == 2 and "--out" in done.stderr
        assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    (tmp_path / "file").write_text("also mine")
    done = odonata(*LATENCY, "--sizes", "8", "--out", "file")
    assert done.returncode == 2 and "not a file" in done.stderr
    assert (tmp_path / "file").read_text() == "also mine"


def test_earlier_results_need_force(odonata, tmp_path):
    once = (*LATENCY, "--sizes", "8", "--out", "results", "--quiet")
    assert odonata(*once).returncode == 0
    before = (tmp_path / "results" / "summary.json").read_bytes()
    done = odonata(*once)
    assert done.returncode == 2 and "--force" in done.stderr
    assert (tmp_path / "results" / "summary.json").read_bytes() == before
    assert odonata(*once, "--force").returncode == 0


def test_a_machine_file_of_the_user(odonata, tmp_path):
    text = odonata("show", "dragonfly-1056", "--toml").stdout
    (tmp_path / "mine.toml").write_text(text.replace("[switch]", "[swich]"))
    done = odonata("show", "mine.toml")
    assert done.returncode == 2 and "swich" in done.stderr and "switch" in done.stderr
    (tmp_path / "mine.toml").write_text(text)
    ours, preset = (odonata("show", m, "--json").stdout for m in ("mine.toml", "dragonfly-1056"))
    assert ours.replace('"mine"', '"dragonfly-1056"') == preset
    short = odonata("show", "mine")
    assert short.returncode == 2 and "did you mean `mine.toml`?" in short.stderr, short.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0\n", ["nodes: 1 node\n", "each of 2 ranks"]),
        ("0\n99999\n", ["nodes: node 99999 for rank 1"]),
        # 300 million ranks are counted and refused; a list of them would exhaust the memory.
        ("0:999999\n" * 300, ["nodes: 299,999,700 ranks", "at most"]),
        ("0\nx\n", ["nodes:2", "found   x"]),
    ],
)
def test_placement_files(odonata, tmp_path, text, expected):
    (tmp_path / "nodes").write_text(text)
    done = odonata(*RUN, "--placement", "nodes", *TRUE)
    assert done.returncode == 2 and "1 problem" in done.stderr
    for words in expected:
        assert words in done.stderr, done.stderr


def test_a_benchmark_uses_the_nodes_of_its_list(odonata, tmp_path):
    """A run on two nodes is refused if its list places both ranks on one node."""
    for nodes, code in (("7\n7\n", 2), ("7\n5\n", 0)):
        (tmp_path / "nodes").write_text(nodes)
        ranks = ("--nodes", "2", "-ppn", "1", "--placement", "nodes")
        done = odonata(*LATENCY, *ranks, "--sizes", "8")
        assert done.returncode == code, done.stderr
        assert ("ranks on 2 nodes" in done.stderr) == (code == 2), done.stderr


def test_errors_in_a_file_name_the_file(odonata, tmp_path):
    """With its line or key; for a changed key, the key is named."""

    def errors(*arguments):
        done = odonata(*arguments)
        assert done.returncode == 2, done.stderr
        return done.stderr

    source = odonata("show", "dragonfly-1056", "--toml").stdout
    assert source
    (tmp_path / "mine.toml").write_text(source.replace("window", "widnow"))
    bench = ("bench", "latency", "--machine")
    for command in ((*bench, "mine.toml"), ("show", "mine.toml")):
        assert "\n  mine.toml, nic.widnow\n" in errors(*command)
    text = errors(*bench, "mine.toml", "--set", "nic.window=x")
    assert "\n  nic.window\n" in text and "\n  mine.toml, nic.widnow\n" in text
    (tmp_path / "broken.toml").write_text("\nname = = 3\n")
    assert "\n  ./broken.toml, line 2\n" in errors(*bench, "./broken.toml")
    (tmp_path / "nodes").write_text("1:40\n")
    text = errors("run", "-n", 40, *TRAFFIC[2:], "--placement", "nodes", *TRUE)
    assert "\n  --placement\n    found   nodes: 40 ranks on a node\n" in text
    text = errors("run", "-n", 40, *TRAFFIC[2:], "--hostfile", "nodes", *TRUE)
    assert "\n  --hostfile\n    found   nodes: 40 ranks on a node\n" in text
    ranks = "".join(f"rank {i} {{\nl1: calc 1\n}}\n" for i in range(1057))
    (tmp_path / "large.goal").write_text(f"num_ranks 1057\n{ranks}")
    text = errors("replay", "large.goal", *TRAFFIC[2:])
    assert "\n  FILE\n    found   large.goal: 1057 ranks\n" in text


def test_a_placement_contradicts_a_host_file(odonata, tmp_path):
    (tmp_path / "hosts").write_text("0\n1\n")
    done = odonata(*RUN, "--hostfile", "hosts", "--placement", "random", *TRUE)
    assert done.returncode == 2 and "--placement" in done.stderr and "host file" in done.stderr
    assert odonata(*RUN, "--hostfile", "hosts", *TRUE).returncode == 0


def test_options_without_effect_on_traffic_are_noted(odonata):
    short = ("--load", "0.01", "--time", "1us", "--warmup", "1us")
    done = odonata(*TRAFFIC, *short, "--placement", "random")
    assert done.returncode == 0 and done.stderr.count("no effect") == 1
    assert "--placement" in done.stderr and "--mpi" not in done.stderr
    assert odonata(*TRAFFIC, *short).stderr == ""


def test_options_without_effect_on_other_commands_are_noted(odonata):
    barrier = ("bench", "barrier", "--machine", "dragonfly-1056")
    done = odonata(*barrier, "--sizes", "8")
    assert done.returncode == 0 and "no effect on a barrier" in done.stderr
    assert odonata(*barrier).stderr == ""
    warm = ("run", "-n", "2", "--machine", "dragonfly-1056", "--warm")
    done = odonata(*warm, "no_such_module", *TRUE)
    assert done.returncode == 0 and "not a Python script" in done.stderr, done.stderr
    assert "--warm" not in odonata(*warm, "none", *TRUE).stderr
    done = odonata(*warm, "no_such_module", "--", "python", "-c", "1")
    assert "`no_such_module` cannot be imported" in done.stderr, done.stderr


def test_the_result_directory_is_checked_first_and_left_clean(odonata, tmp_path):
    done = odonata(*LATENCY, "--nodes", "10625", "--sizes", "8", "--out", "a/b")
    assert done.returncode == 2 and list(tmp_path.iterdir()) == []


def wrong(call) -> list[str]:
    """The places of the diagnostics of a Python call."""
    with pytest.raises(od.InputError) as caught:
        call()
    return [c.at for c in caught.value.diagnostics]


def test_python_arguments_of_the_wrong_type(tmp_path):
    machine = od.machine("dragonfly-1056")
    job = machine.job(nodes=2)
    for given in ({"nodes": 2.5}, {"nodes": "2"}, {"nodes": 2, "seed": -1}, {"nodes": True},
                  {"nodes": 2, "threads": 0}, {"nodes": 2, "ppn": 1.0},
                  {"nodes": 2, "placement": [0, -1]}, {"nodes": 10**10}):  # fmt: skip
        assert wrong(lambda given=given: machine.job(**given)) == list(given)[-1:], given
    for sizes in ([-1], 8, [], "8:1", [2**64], [1.5]):
        assert wrong(lambda sizes=sizes: od.bench.latency(job, sizes=sizes)) == ["sizes"]
    for loads in (0, [], [0], [1.1], [float("nan")], ["x"], "x", None):
        assert wrong(lambda loads=loads: od.traffic("uniform", machine, load=loads)) == ["load"]
    assert wrong(lambda: od.traffic("uniform", "aurora", loads=[0.1])) == ["machine"]
    assert wrong(lambda: od.bench.latency(None)) == ["job"]
    assert wrong(lambda: od.machine(None)) == ["machine"]
    assert wrong(lambda: od.run(job, "true")) == ["program"]
    assert wrong(lambda: od.run(job, ["true"], compute=float("nan"))) == ["compute"]
    assert wrong(lambda: od.run(job, ["true"], env={"A": 1})) == ["env"]
    assert wrong(lambda: od.bench.latency(job, fidelity=None)) == ["fidelity"]
    for share in (10, "10", 0, float("nan"), float("inf"), True, "x", [0.1]):
        options = {"fidelity": "auto", "tolerance": share}
        found = wrong(lambda options=options: od.bench.bcast(job, sizes=[8], **options))
        assert found == ["tolerance"]
    with pytest.raises(od.InputError, match="did you mean `10%`"):
        od.bench.bcast(job, sizes=[8], fidelity="auto", tolerance=10)
    four = machine.job(nodes=4)
    for share in (0.5, "1000%", 1):
        found = od.bench.bcast(four, sizes=[8], fidelity="auto", tolerance=share)
        assert found.summary["candidates"]


def test_an_argument_is_given_by_one_of_its_names():
    machine = od.machine("dragonfly-1056")
    both = {"load": 0.1, "loads": [0.1], "time": "2us", "time_s": 2e-6, "warmup": "2us"}
    with pytest.raises(od.InputError) as caught:
        od.traffic("uniform", machine, **both)
    found = [(c.at, c.wanted) for c in caught.value.diagnostics]
    assert found == [
        ("loads", "one of its names only: `load` is given, too"),
        ("time_s", "one of its names only: `time` is given, too"),
    ]


def test_python_refuses_the_same_result_directories(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    result = od.bench.latency(od.machine("dragonfly-1056").job(nodes=2), sizes=[8])
    assert wrong(lambda: result.save(tmp_path, force=True)) == ["out"]
    assert wrong(lambda: result.report(tmp_path / "thesis.tex")) == ["output"]
    assert (tmp_path / "thesis.tex").read_text() == "years of work"
    result.save(tmp_path / "new")
    assert wrong(lambda: result.save(tmp_path / "new")) == ["out"]
    result.save(tmp_path / "new", force=True)
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["rows.parquet", "summary.json"]


def test_python_raises_the_same_diagnostics():
    with pytest.raises(od.InputError) as caught:
        od.machine("aurra")
    assert [c.hint for c in caught.value.diagnostics] == ["did you mean `aurora`?"]
    with pytest.raises(od.InputError) as caught:
        od.bench.latency(od.machine("aurora").job(nodes=2, ppn=1), fidelity="flaw")
    assert "nearest: flow" in str(caught.value)
    with pytest.raises(od.InputError) as caught:
        od.run(od.machine("aurora").job(nodes=1, ppn=1), ["no-such-program"])
    assert isinstance(caught.value, od.Error)


def test_windows_are_for_tests_of_bandwidth(odonata):
    def rate(*more):
        done = odonata("bench", "bw", "--machine", "aurora", "--sizes", "8", "--json", *more)
        return json.loads(done.stdout)["rows"][0]["messages_per_s"]

    # One message at a time takes a round trip each, in which a window of 64 sends many.
    assert rate("--window", "1") * 4 < rate() == rate("-W", "64")
    for words, wanted in [
        (("bw", "--window", "0"), "1"),
        (("bw", "--window", "65537"), "65536"),
        (("bw", "--window", "x"), "whole number"),
        (("latency", "--window", "8"), "bandwidth"),
        (("mbw_mr", "--window", "65536", "--nodes", "512", "--ppn", "4"), "at most"),
    ]:
        done = odonata("bench", *words, "--machine", "aurora", "--sizes", "8")
        assert done.returncode == 2, words
        assert "--window" in done.stderr and wanted in done.stderr, words


def test_some_shifts_represent_all(odonata):
    bench = ("put_alltoall", "--machine", "dragonfly-1056", "--nodes", "66", "--sizes", "8,1Ki")
    output = odonata("bench", *bench).stdout
    line = r"^# ~ extrapolated from 64 of 65 shifts: 8 B ±\S+ %, 1024 B ±\S+ %$"
    assert re.search(line, output, re.M), output
    assert "~" not in odonata("bench", *bench, "--shifts", "65").stdout
    for words, wanted in [
        ((*bench, "--shifts", "66"), "from 32 to 65"),
        ((*bench, "--shifts", "x"), "whole number"),
        (("bw", "--machine", "aurora", "--shifts", "64"), "put_alltoall"),
    ]:
        done = odonata("bench", *words)
        assert done.returncode == 2 and "--shifts" in done.stderr and wanted in done.stderr, words


@pytest.mark.parametrize("name", ["env.toml", "mpi.toml", "coll_rules.toml", "mpi"])
def test_errors_name_a_machine_file_as_given(odonata, tmp_path, name):
    """Even if its name starts with a word that names another location of errors."""
    (tmp_path / name).write_text("[nic]\nwidnow = 1\n")
    machine = f"./{name}" if "." not in name else name
    done = odonata("show", machine)
    assert done.returncode == 2 and f"{machine}, nic.widnow" in done.stderr, done.stderr
    done = odonata("bench", "latency", "--machine", machine)
    assert done.returncode == 2 and f"{machine}, nic.widnow" in done.stderr, done.stderr


def test_errors_name_a_jobs_file_as_given(odonata, tmp_path):
    (tmp_path / "env.toml").write_text("[[job]]\nranks = 2\nfrobs = 3\ncommand = ['true']\n")
    done = odonata("run", "--machine", "dragonfly-1056", "--jobs", "env.toml")
    assert done.returncode == 2 and "  env.toml, job 1" in done.stderr, done.stderr


@pytest.mark.parametrize("machine", [None, "aurora"])
def test_an_invalid_machine_is_reported_with_other_errors(machine):
    """Alone and together with another error."""
    calls = {
        "job 1: bench": lambda name: od.jobs(machine, [{"bench": name, "nodes": 2}]),
        "collective": lambda name: od.tune(name, machine, nodes=2),
        "pattern": lambda name: od.traffic(name, machine, loads=[0.1]),
    }
    right = {"collective": "allreduce", "pattern": "uniform", "job 1: bench": "bw"}
    for at, call in calls.items():
        for name, output in ((right[at], ["machine"]), ("nonesuch", ["machine", at])):
            with pytest.raises(od.InputError) as error:
                call(name)
            assert sorted(c.at for c in error.value.diagnostics) == sorted(output)


def test_a_variable_is_reported_with_an_invalid_machine(odonata):
    wrong = ("--set", "nic.window=0", "--env", "MPIR_CVAR_CH4_OFI_MAX_NICS=all")
    done = odonata(*RUN, *wrong, *TRUE)
    assert done.returncode == 2 and "2 problems" in done.stderr, done.stderr
    assert "nic.window" in done.stderr and "-1 for all NICs" in done.stderr
