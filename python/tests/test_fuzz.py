"""A small part of `make fuzz`: some damaged inputs of each kind, always the same ones."""

from __future__ import annotations

import sys

import pytest
from conftest import ROOT
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(ROOT / "fuzz"))

import cases  # noqa: E402
import judge  # noqa: E402
import mutations  # noqa: E402

# The same cases in each run, and no example database beside the sources.
SAME = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)  # fmt: skip
IN_PROCESS, COMMANDS = 50, 2
FEW = {"otf2": 3}  # each case starts a process


@pytest.mark.parametrize("kind", cases.KINDS)
def test_damaged_inputs_in_process(tmp_path, kind):
    @settings(SAME, max_examples=FEW.get(kind, IN_PROCESS))
    @given(cases.KINDS[kind]())
    def kept(case):
        found = judge.here(case, tmp_path / "place")
        wrong = judge.wrong_with(case, found)
        assert wrong is None, f"{wrong}\n{case.shown()}\n{found.stderr[-3000:]}"

    kept()


@pytest.mark.parametrize("kind", ["machine", "study", "schedule", "option"])
def test_damaged_inputs_through_the_command(tmp_path, kind):
    @settings(SAME, max_examples=COMMANDS)
    @given(cases.KINDS[kind]())
    def kept(case):
        found = judge.command(case, tmp_path / "place")
        wrong = judge.wrong_with(case, found)
        assert wrong is None, f"{wrong}\n{case.shown()}\n{found.stderr[-3000:]}"

    kept()


@pytest.mark.parametrize("kind", sorted(set(cases.KINDS) - {"option"}))
def test_inputs_are_valid_before_they_are_damaged(tmp_path, kind, monkeypatch):
    """Otherwise all cases would be rejected for the same reason."""
    monkeypatch.setattr(cases, "damaged", lambda _, tree: tree)
    monkeypatch.setattr(cases, "damaged_text", lambda _, text: text.encode())
    monkeypatch.setattr(cases, "damaged_bytes", lambda _, data: data)
    monkeypatch.setattr(cases, "parquet_file", lambda _, data: data)
    seen = set()

    @settings(SAME, max_examples=FEW.get(kind, 25))
    @given(cases.KINDS[kind]())
    def accepted(case):
        key = (case.argv, *case.files.values())
        if key not in seen:
            seen.add(key)
            found = judge.here(case, tmp_path / "place")
            assert found.code == 0, f"{case.shown()}\n{found.stderr}"

    accepted()


@pytest.mark.parametrize(("code", "stdout", "stderr", "wrong"), [
    (0, "a table", "", None),
    (1, "", "deadlock: ...", None),
    (1, "", "", "exit code 1 without a message"),
    (70, "", "Traceback (most recent call last):\n  boom", "Traceback"),
    (101, "", "thread 'main' panicked at src/lib.rs:1:1:\nboom", "panicked at"),
    (134, "", "memory allocation failed", "exit code 134"),
    (2, "", "odonata: error: 1 problem\n\n  --nodes\n    found   0\n    wanted  more", None),
    (2, "", "odonata: error: 1 problem\n\n  --nodes\n    found   0",
     "does not state what is expected"),
    (2, "half a table", "odonata: error: 1 problem\n\n  --nodes\n    wanted  more", "on stdout"),
    (2, "", "no", "without a diagnostic"),
])  # fmt: skip
def test_the_judge_finds_broken_guarantees(code, stdout, stderr, wrong):
    found = judge.Outcome(code, stdout, stderr, {}, {}, 0.1)
    output = judge.wrong_with(judge.Case("option", ("show",)), found)
    assert output is None if wrong is None else wrong in output


def test_the_judge_checks_files_and_time():
    refused = "odonata: error: 1 problem\n\n  --nodes\n    wanted  more"
    case = judge.Case("option", ("show",))
    found = judge.Outcome(2, "", refused, {}, {"out/rows.parquet": 3}, 0.1)
    assert "files written" in judge.wrong_with(case, found)
    for code, output in ((0, ""), (2, refused)):
        slow = judge.Outcome(code, "", output, {}, {}, 21)
        assert "longer than 20 s" in judge.wrong_with(case, slow)


def test_a_written_tree_is_read_back_unchanged():
    import json

    tree = {"a b": [1, 2.5, True, "é\"\n"], "c": {"d": "x", "e": [{"f": 1}]}}
    assert cases.tree_of(mutations.toml(tree).decode()) == tree
    assert json.loads(mutations.to_json(tree)) == tree
    assert mutations.Nested(3, False).text("a=") == "[[[]]]"
    assert mutations.Nested(2, True).text("a=") == "{a={a=1}}"


def test_strategies_change_their_input():
    text = (ROOT / "machines" / "dragonfly-1056.toml").read_text()
    found = []

    @settings(SAME, max_examples=30)
    @given(st.data())
    def changed(data):
        found.append(cases.toml_file(data.draw, text))

    changed()
    assert sum(one != text.encode() for one in found) >= 25 and len(set(found)) >= 25
