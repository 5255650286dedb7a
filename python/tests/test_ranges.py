"""Values that docs/reference/ranges.md lists as refused are refused, and errors state the range."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from odonata import cli

SECTIONS = (ROOT / "docs" / "reference" / "ranges.md").read_text().split("## ")
SMALL = ("--machine", "dragonfly-1056")
AURORA = ("--machine", "aurora", "--quiet")
BASE = {
    "run": (("-n", "2", *SMALL), ("--", "true")),
    "bench": (SMALL, ("bw",)),
    "traffic": ((*SMALL, "--load", "0.1"), ("uniform",)),
    "replay": (SMALL, ("a.goal",)),
    "sweep": ((), ("study.toml",)),
    "extrapolate": (("-o", "made.parquet"), ("a.parquet",)),
}
STUDY = """
[base]
command = "bench"
name = "latency"
machine = "dragonfly-1056"
[grid]
seed = [1]
"""


def rows(section: str) -> list[tuple[str, str, str]]:
    """The message for each refused value: the option or variable, the range, the value."""
    found = re.findall(r"(?m)^\| `([^`]+)` \| (.*) \| (`.*`) \|$", section)
    return [(of, accepted, value) for of, accepted, values in found
            for value in re.findall("`([^`]*)`", values)]  # fmt: skip


OPTIONS, VARIABLES = rows(SECTIONS[1]), rows(SECTIONS[2])


@pytest.fixture
def refused(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "a.goal").write_text("num_ranks 1\nrank 0 {\ncalc 1\n}\n")

    def run(*words: str) -> str:
        code = cli.code_of(list(words))
        result = capfd.readouterr()
        assert code == 2 and result.out == "", result.err
        return " ".join(result.err.split())

    return run


@pytest.mark.parametrize(("option", "accepted", "value"), OPTIONS)
def test_an_option_states_its_range(refused, option, accepted, value):
    command, name = option.split()
    first, last = BASE[command]
    given = [name, value] if not name.startswith("--") else [f"{name}={value}"]
    output = refused(command, *first, *given, *last)
    assert accepted.strip("`") in output, output
    assert value in output


@pytest.mark.parametrize(("name", "accepted", "value"), VARIABLES)
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_variable_states_its_range(refused, monkeypatch, name, accepted, value, by_hand):
    mpi = ("--mpi", "cray-mpich") if name.startswith("MPICH_") else ()
    if not by_hand:
        monkeypatch.setenv(name, value)
    env = ("--env", f"{name}={value}") if by_hand else ()
    output = refused("run", "-n", "2", *AURORA, *mpi, *env, "--", "true")
    assert f"{name}={value}" in output and accepted in output
    assert ("--env" if by_hand else "environment") in output


def test_the_provider_replaces_an_invalid_size_by_its_default(odonata):
    """As fi_cxi(7) documents."""
    done = odonata("run", "-n", "2", *AURORA[:2], "--env", "FI_CXI_DEFAULT_TX_SIZE=0", "--", "true")
    assert done.returncode == 0
    assert re.search("FI_CXI_DEFAULT_TX_SIZE=0: .* 16 to 16384 .* 1024", done.stderr), done.stderr


def test_there_are_rows():
    assert len(OPTIONS) > 40 and len(VARIABLES) > 15
