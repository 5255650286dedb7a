"""Progress of long commands: the estimate, and the machine-readable line."""

from __future__ import annotations

import io
import json

import pytest

from odonata import cli, progress


def test_the_estimate_is_in_proportion_to_simulated_time():
    tick = {"time_s": 0.25, "wall_s": 10.0, "events": 1000}
    assert progress.share_of(tick, 1.0) == 0.25
    assert progress.remaining(0.25, 10.0) == 30.0
    words = progress.line("replay", {**tick, "share": 0.25})
    assert "25 %" in words and "about 0:30 left" in words
    # An expectation that was too short never reaches the end.
    assert progress.share_of({"time_s": 2.0}, 1.0) < 1
    assert progress.share_of(tick, None) is None and progress.share_of({}, 1.0) is None
    assert "left" not in progress.line("run", tick)


def test_lines_for_programs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(progress.VARIABLE, "json")
    out = io.StringIO()
    with progress.Progress("replay", quiet=True, to=out, expected_s=2.0) as tick:
        for at in range(1, 41):
            tick({"time_s": 0.05 * at, "events": 100 * at, "wall_s": 0.1 * at})
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [round(line["wall_s"]) for line in lines] == [1, 2, 3, 4]
    assert [line["share"] for line in lines] == pytest.approx([0.25, 0.5, 0.75, 0.999])
    assert lines[1]["events_per_s"] == pytest.approx(1000)
    assert lines[1]["remaining_s"] == pytest.approx(2.0)
    assert {line["progress"] for line in lines} == {"replay"}


def test_parts_of_a_command_are_a_share():
    assert progress.share_of({"parts": (3, 12)}, None) == 0.25
    assert progress.share_of({"parts": (0, 12)}, None) is None
    ticks = []
    one = progress.part_of(ticks.append, 2, 4)
    assert one is not None
    one({"time_s": 1.0, "parts": (1, 2)})
    assert ticks[0]["parts"] == (2.5, 4) and ticks[0]["wall_s"] >= 0
    assert progress.part_of(None, 0, 1) is None


@pytest.mark.parametrize(
    "words",
    [
        ["tune", "alltoall", "--machine", "aurora", "--nodes", "2,8", "--ppn", "8", "--sizes",
         "8,1024,65536", "--fidelity", "loggp"],
        ["app", "hpcg", "--machine", "aurora", "--nodes", "8,16,32,64", "--messages", "200000"],
        ["traffic", "uniform", "--machine", "dragonfly-1056", "--load", "0.1:0.7:0.2", "--time",
         "10us", "--warmup", "5us"],
    ],
)  # fmt: skip
def test_commands_report_shares_as_json(words, monkeypatch, capsys):
    monkeypatch.setattr(progress, "LINE_S", 0.0)
    assert cli.code_of([*words, "--progress", "json", "--quiet"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    shares = [line["share"] for line in lines if line["share"] is not None]
    assert shares and shares == sorted(shares) and 0 < shares[-1] < 1
    assert {line["progress"].split()[0] for line in lines} == {words[0]}
    walls = [line["wall_s"] for line in lines]
    assert walls == sorted(walls)


def test_a_sweep_reports_its_points(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(progress, "LINE_S", 0.0)
    study = tmp_path / "s.toml"
    study.write_text('[base]\ncommand = "bench"\nname = "latency"\nmachine = "aurora"\n'
                     'fidelity = "loggp"\n[grid]\nsizes = [8, 16, 32]\n')  # fmt: skip
    words = ["sweep", str(study), "--workers", "1", "--progress", "json", "--quiet"]
    assert cli.code_of(words) == 0
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert {line["parts"][1] for line in lines} == {3}
    assert all(line["share"] == line["parts"][0] / 3 for line in lines)


def test_the_form_is_checked(capsys):
    for words in (["replay", "x"], ["sweep", "x"], ["validate"], ["check", "x"]):
        assert cli.code_of([*words, "--progress", "often"]) == 2
        assert "one of: line, json, none" in capsys.readouterr().err


def test_none_is_silent():
    out = io.StringIO()
    with progress.Progress("run", to=out, form="none") as tick:
        tick({"time_s": 1.0, "wall_s": 5.0})
    assert out.getvalue() == ""


def test_no_line_unless_requested(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    out = io.StringIO()
    progress.Progress("run", to=out)({"time_s": 1.0, "wall_s": 5.0})
    assert out.getvalue() == ""
