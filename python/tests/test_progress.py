"""Progress of long commands: the estimate, and the machine-readable line."""

from __future__ import annotations

import io
import json

import pytest

from odonata import progress


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


def test_no_line_unless_requested(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(progress.VARIABLE, raising=False)
    out = io.StringIO()
    progress.Progress("run", to=out)({"time_s": 1.0, "wall_s": 5.0})
    assert out.getvalue() == ""
