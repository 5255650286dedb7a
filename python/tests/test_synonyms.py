"""Names of other tools: options of launchers, names of benchmarks, placements and patterns."""

from __future__ import annotations

import re

import click
import pytest

from odonata import benchmarks, cli, names, options, synonyms
from odonata.commands import launchers
from odonata.commands.command import option_hint
from odonata.errors import Diagnostics

RUN = cli.cli.commands["run"]
OPTIONS = {
    name: {
        option
        for param in command.params
        if not getattr(param, "hidden", False)
        for option in param.opts
    }
    for name, command in cli.cli.commands.items()
}


def hint(odonata, *arguments: str) -> str:
    """The hint for the only error of a command line; empty if there is none."""
    done = odonata(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("odonata: error: 1 problem"), done.stderr
    return done.stderr.partition("hint")[2].strip()


def test_options_without_effect_are_accepted_with_a_note(odonata):
    given = ["--cpu-bind", "depth", "-d8", "--gpus-per-task=1", "--mem-bind", "local",
             "-envall", "--bind-to", "core", "--map-by", "socket", "--exclusive=user",
             "-K1", "-c", "4"]  # fmt: skip
    noted = ["--cpu-bind", "-d", "--gpus-per-task", "--mem-bind", "-envall", "--bind-to",
             "--map-by socket", "--exclusive", "-K", "-c"]  # fmt: skip
    # Other launchers' spellings of options that exist: ranks, directory, variables, labels.
    same = ["--ntasks", "2", "--chdir", "/", "-genv", "A", "1", "--export=ALL,B=2", "--label"]
    program = ["sh", "-c", "echo $A $B $PWD"]
    done = odonata("run", *same, *given, "--machine", "aurora", "--", *program)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[0] 1 2 /", "[1] 1 2 /"]
    for option in noted:
        assert f"odonata: {option} has no effect here: " in done.stderr, done.stderr
    quiet = odonata("run", *same, *given, "--machine", "aurora", "--quiet", "--", *program)
    assert quiet.returncode == 0 and "effect" not in quiet.stderr


def test_options_without_effect_are_read_with_their_values():
    """They hide no option of `odonata run` itself."""
    for option, (words, _) in synonyms.WITHOUT_EFFECT.items():
        known = OPTIONS["run"] | synonyms.MEANS.keys() | synonyms.EXPLANATIONS.keys()
        assert option not in known, option
        arguments = ["-n", "2", option, *["x"] * words, "--", "program", option]
        context = RUN.make_context("run", arguments)
        assert context.params["program"] == ("program", option), option
        (found,) = context.meta[launchers.KEY]
        assert found[0] == option
    assert not OPTIONS["run"] & {*launchers.REFUSED, *launchers.MAPPINGS, *launchers.VARIABLES}


def test_a_variable_may_be_empty(odonata):
    program = ("sh", "-c", "echo ${A-unset}.")
    done = odonata("run", "-n", "1", "--genv", "A", "", "--machine", "aurora", "--", *program)
    assert (done.returncode, done.stdout) == (0, ".\n"), done.stderr


@pytest.mark.parametrize(
    ("given", "variables", "noted"),
    [
        ("--export=ALL", [], []),
        ("--export=A=1,B", ["A=1"], []),
        ("--export=NONE", [], ["--export=NONE"]),
        ("--export NIL,A=1", ["A=1"], ["--export=NIL"]),
        ("-genvnone", [], ["-genvnone"]),
        # Name and value in two arguments or in one, in which case the second is the program.
        ("-genv A 1", ["A=1"], []),
        ("-genv A=1", ["A=1"], []),
        ("-env A= --genv B=1=2 -genv=C=3", ["A=", "B=1=2", "C=3"], []),
        ("--bcast", [], ["--bcast"]),
        ("--propagate=STACK --bcast=/tmp/a", [], ["--bcast", "--propagate"]),
    ],
)
def test_variables_and_values_do_not_consume_the_program(given, variables, noted):
    own = ["app", "-genv", "A=1", "--bcast=x"]
    context = RUN.make_context("run", ["-n", "2", *given.split(), *own])
    assert context.params["program"] == tuple(own)
    wrong = Diagnostics()
    with context:
        notes, found = launchers.given(wrong)
    assert [*found, *context.params["env"]] == variables and not wrong.list
    assert sorted(note.partition(" has no effect here: ")[0] for note in notes) == noted


@pytest.mark.parametrize("before", [(), ("--",)])
def test_arguments_of_the_program_stay_as_they_are(before):
    own = ("app", "-K1", "--exclusive=user", "--", "--immediate=3")
    context = RUN.make_context("run", ["-n", "2", "-K1", *before, *own])
    assert context.params["program"] == own


@pytest.mark.parametrize(
    ("given", "placed"),
    [
        (("--nodes", "2"), [0, 1]),
        (("--nodes", "2", "--ntasks-per-node", "2"), [0, 0, 1, 1]),
        (("--nodes", "2", "-n", "4"), [0, 0, 1, 1]),
        (("--nodes", "2", "-n", "3", "--ppn", "2"), [0, 0, 1]),
    ],
)
def test_nodes_are_counted_as_by_srun(odonata, given, placed):
    program = ("sh", "-c", "echo $PALS_NODEID")
    done = odonata("run", *given, "--machine", "aurora", "--quiet", "--", *program)
    assert sorted(map(int, done.stdout.split())) == placed, done.stderr


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("--nodes", "3", "-n", "4"), "a number that divides the 4 ranks"),
        (("--nodes", "2", "-n", "8", "--ppn", "2"), "wanted  4, the nodes that 8 ranks fill"),
        (("--nodes", "two", "-n", "8"), "found   two"),
        (("--nodes", "0",), "a whole number of at least 1"),
        (("-n", "2", "--map-by", "ppr:2:node"), "`--ppn 2` does this"),
        (("-n", "2", "--map-by", "node"), "`--placement round-robin` does this"),
    ],
)  # fmt: skip
def test_unsupported_launcher_options_are_refused(odonata, given, expected):
    done = odonata("run", *given, "--machine", "aurora", "--", "true")
    assert done.returncode == 2 and expected in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("command", "option", "expected"),
    [
        # By meaning, not by spelling.
        ("run", "-N", "`--nodes` here"),
        ("run", "-w", "did you mean `--hostfile`?"),
        ("run", "--distribution", "did you mean `--placement`?"),
        ("run", "-e", "2> FILE"),
        ("run", "--output", "redirect them by the shell"),
        ("run", "--multi-prog", "--jobs FILE"),
        ("run", "-hosts", "did you mean `--hostfile`?"),
        ("run", "-configfile", "--jobs FILE"),
        ("run", "--mca", "`--env OMPI_MCA_NAME=VALUE`"),
        ("run", "-machine", "is `--machine`"),
        ("run", "-bynode", "`--placement round-robin` does this"),
        ("run", "-rpn", "did you mean `--ppn`?"),
        ("bench", "-N", "`--ppn` here"),
        ("tune", "--ntasks", "`--nodes` and `--ppn`"),
        ("tune", "-n", "`--nodes` and `--ppn`"),
        ("bench", "--ranks-per-node", "did you mean `--ppn`?"),
        ("bench", "--label", "no option for labels"),
        ("bench", "--hostfile", "did you mean `--placement`?"),
        ("bench", "--cpu-bind", "leave it out"),
        ("replay", "--np", "no option for the number of ranks"),
        ("extrapolate", "--ntasks", "did you mean `-n`?"),
        # Misspelled options are still found; one letter or a dissimilar name is not.
        ("bench", "--nods", "did you mean `--nodes`?"),
        ("bench", "--placment", "did you mean `--placement`?"),
        ("bench", "-Z", ""),
        ("bench", "--foo", ""),
    ],
)
def test_an_option_of_another_meaning_is_never_suggested(odonata, command, option, expected):
    found = hint(odonata, command, option, "2")
    assert expected in found and bool(expected) == bool(found), found


def test_suggested_options_are_options_of_the_command():
    for command, legal in OPTIONS.items():
        for option in (*synonyms.MEANS, *synonyms.EXPLANATIONS, *synonyms.WITHOUT_EFFECT):
            found = synonyms.for_option(option, command, legal)
            if found and found.text.startswith("did you mean"):
                assert found.text.split("`")[1] in legal


def test_suggested_options_are_in_the_help_text():
    """A misspelled synonym is answered with the option that `--help` shows."""
    named = set()
    for name, command in cli.cli.commands.items():
        context = click.Context(command, info_name=name)
        known = {word for param in command.params for word in options.documented(param)}
        for param in command.params:
            for synonym in getattr(param, "synonyms", ()):
                typed = click.NoSuchOption(f"{synonym}x", ctx=context)
                found = re.findall("did you mean `(.+)`", option_hint(typed) or "")
                assert known >= set(found), (name, synonym)
                named |= set(found)
    assert "--load" in named


def test_a_study_names_documented_keys(odonata, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text('[[point]]\ncommand = "traffic"\nloadss = 0.1\n', encoding="utf-8")
    done = odonata("sweep", study)
    assert done.returncode == 2 and "did you mean `load`?" in done.stderr, done.stderr
    assert "loads," not in done.stderr and "packet-bytes" not in done.stderr


@pytest.mark.parametrize(
    ("kind", "word", "want"),
    [
        ("benchmark", "osu_latency", "latency"),
        ("benchmark", "osu_bw", "bw"),
        ("benchmark", "osu_bibw", "bibw"),
        ("benchmark", "osu_mbw_mr", "mbw_mr"),
        ("benchmark", "osu_multi_lat", "multi_lat"),
        ("benchmark", "osu_put_latency", "put_latency"),
        ("benchmark", "osu_get_bw", "get_bw"),
        ("benchmark", "osu_allreduce", "allreduce"),
        ("benchmark", "osu_reduce_scatter", "reduce_scatter"),
        ("benchmark", "OSU_Alltoall", "alltoall"),
        ("benchmark", "PingPong", "latency"),
        ("benchmark", "IMB-PingPong", "latency"),
        ("benchmark", "Reduce_scatter", "reduce_scatter"),
        ("benchmark", "Biband", "bibw"),
        ("benchmark", "all_reduce_perf", "allreduce"),
        ("benchmark", "MPI_Bcast", "bcast"),
        ("benchmark", "ping-pong", "latency"),
        # Not an unrelated name with a similar spelling.
        ("benchmark", "osu_latency_mt", None),
        ("benchmark", "osu_iallreduce", None),
        ("benchmark", "osu_acc_latency", None),
        ("benchmark", "Sendrecv", None),
        ("placement", "cyclic", "round-robin"),
        ("placement", "block", "contiguous"),
        ("placement", "Packed", "contiguous"),
        ("placement", "linear", "contiguous"),
        ("placement", "round_robin", "round-robin"),
        ("placement", "scatter", "round-robin"),
        ("placement", "plane=4", None),
        ("pattern", "uniform_random", "uniform"),
        ("pattern", "bad_dragon", "adversarial:K"),
        ("pattern", "group_attack:2", "adversarial:2"),
        ("pattern", "neighbor", "shift:K"),
        ("pattern", "randperm", "random-permutation"),
        ("pattern", "all2all", "all-to-all"),
        ("pattern", "tornado", None),
        ("pattern", "bitcomp", None),
        ("routing", "min", "minimal"),
        ("routing", "VAL", "valiant"),
        ("routing", "prog-adaptive", "par"),
        ("mpi", "cray_mpich", "cray-mpich"),
        ("mpi", "pmi2", None),
    ],
)  # fmt: skip
def test_meanings_of_names_of_other_tools(kind, word, want):
    legal = {
        "benchmark": benchmarks.NAMES, "placement": names.PLACEMENTS, "pattern": names.PATTERNS,
        "routing": names.ROUTINGS, "mpi": ("mpich", "cray-mpich", "openmpi"),
    }[kind]  # fmt: skip
    found = synonyms.meant(kind, word, legal)
    assert isinstance(found, synonyms.Hint) if want is None else found == want


def test_the_table_lists_existing_names():
    for kind, legal in (
        ("benchmark", benchmarks.NAMES),
        ("placement", names.PLACEMENTS),
        ("pattern", names.PATTERNS),
        ("routing", names.ROUTINGS),
        ("fidelity", names.FIDELITIES),
    ):
        for word, found in synonyms.WORDS[kind].items():
            assert isinstance(found, synonyms.Hint) or found in legal, (kind, word)
            assert word == synonyms.plain(word), (kind, word)


def test_hints_do_not_depend_on_the_place_of_a_name(odonata, tmp_path):
    latency = ("bench", "latency", "--machine", "dragonfly-1056")
    assert "`latency`" in hint(odonata, "bench", "osu_latency", *latency[2:])
    assert "`round-robin`" in hint(odonata, *latency, "--placement", "cyclic")
    assert "`uniform`" in hint(odonata, *latency, "--background", "uniform_random:0.4")
    assert "`adversarial:K`" in hint(
        odonata, "traffic", "bad_dragon", *latency[2:], "--load", "0.1"
    )
    jobs = tmp_path / "jobs.toml"
    jobs.write_text('[[job]]\nbench = "osu_alltoall"\nranks = 4\nplacement = "cyclic"\n')
    done = odonata("run", "--jobs", jobs, "--machine", "dragonfly-1056")
    assert done.returncode == 2
    for word in ("did you mean `alltoall`?", "did you mean `round-robin`?"):
        assert word in done.stderr, done.stderr
