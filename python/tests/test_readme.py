"""README's picture, its validation summary and the table of docs/validation.md are of the current
predictions, and README's commands run in a fresh shell."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT, script

import odonata as od
from odonata import demo, published

# Curves that take more than a second to predict; `--measure` predicts them, too.
LONG = ("elbert_osu_mbw_mr", "elbert_osu_mbw_mr_long", "elbert_osu_multi_lat", "xc_put_bw")
README = (ROOT / "README.md").read_text()
VALIDATION = (ROOT / "docs" / "validation.md").read_text()


PREDICTIONS, FLIGHT = script("docs/reference/predictions"), script("docs/figures/first_flight")
VERDICTS = json.loads(PREDICTIONS.DATA.read_text())
DATA = json.loads(FLIGHT.DATA.read_text())


def test_all_curves_and_failures_are_shown():
    """All curves are in the table, and all failures in README's summary."""
    assert list(VERDICTS) == [curve.id for curve in published.curves()]
    shown = README.split("## Validation")[1].split("## ")[0]
    for name, v in VERDICTS.items():
        single = v["points"] == 1
        bounds = (published.SINGLE, published.SINGLE) if single else (
            published.MEAN, published.WORST)  # fmt: skip
        assert v["passes"] == (v["mean"] <= bounds[0] and v["worst"] <= bounds[1]), name
        if not single:
            verdict = "pass" if v["passes"] else "FAILS"
            cells = rf"{v['points']} \| [^|]* % \| [^|]* % \| \d+ of \d+ \| {verdict}"
            row = rf"(?m)^\| `{name}` \| [^|]* \| [^|]* \| {cells} \|$"
            assert re.search(row, VALIDATION), name
        assert v["passes"] == (f"`{name}` | {100 * v['worst']:.1f} %" not in shown), name


def test_the_pages_show_the_predictions():
    command = [sys.executable, ROOT / "docs" / "reference" / "predictions.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = PREDICTIONS.summary(VERDICTS)
    assert f"predictions.py: summary -->\n{text}\n<!-- end -->" in README


@pytest.mark.parametrize("curve", [c for c in published.curves()
                                   if len(c.points) > 1 and c.id not in LONG],
                         ids=lambda curve: curve.id)  # fmt: skip
def test_the_table_is_current(curve):
    """If it fails, run `docs/reference/predictions.py --measure`."""
    assert PREDICTIONS.verdict_of(curve) == VERDICTS[curve.id]


def test_the_picture_shows_current_latencies():
    """If it fails, run docs/figures/first_flight.py."""
    today = FLIGHT.latencies()
    for point, shown in zip(today, DATA["latencies"], strict=True):
        for key in ("measured_s", "predicted_s"):
            assert point.pop(key) == pytest.approx(shown[key], rel=1e-9)
        assert point.items() <= shown.items()


def test_the_picture_shows_the_current_solver(tmp_path):
    """If it fails, run docs/figures/first_flight.py. The second placement replays the recorded
    calls: it is faster and predicts the same time to the picosecond."""
    first, second = demo.PLACEMENTS
    record = tmp_path / "solver.parquet"
    machine = od.machine("aurora")
    job = machine.job(nodes=demo.RANKS // demo.PPN, ppn=demo.PPN, placement=first)
    run = od.run(job, [sys.executable, str(demo.SOLVER)], compute="none", record=record)
    shown = DATA["solver"]
    assert (run.time, run.summary["digest"]) == (shown[first]["time_s"], shown[first]["digest"])
    replayed = od.replay(machine, record, placement=second)
    assert replayed.time == shown[second]["time_s"]
    for placement in demo.PLACEMENTS:
        assert len(shown[placement]["ranks"]) == demo.RANKS


def test_the_picture_is_drawn_from_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(FLIGHT, "PICTURE", tmp_path / "picture.png")
    FLIGHT.draw(DATA)
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert f"]({FLIGHT.DATA.with_suffix('.png').relative_to(ROOT)})" in README


def test_readme_states_errors_in_the_summary_only():
    text = re.sub(r"(?s)## Validation.*?## ", "", README)
    assert not re.search(r"within \d+ %", text)


def test_the_commands_of_readme_run_in_a_fresh_shell(tmp_path):
    """Without an activated environment and with the system's PATH. Jobs are smaller than shown, the
    traffic is short, and the fabric manager prints its help."""
    block = README.split("## Commands")[1].split("```")[1]
    commands = [line.partition("#")[0].strip() for line in block.splitlines() if line.strip()]
    assert all(c.startswith(".venv/bin/odonata ") for c in commands)
    names = [c.split()[1] for c in commands]
    assert names == ["show", "run", "report", "bench", "app", "traffic", "fabric"]
    shell = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for command in commands:
        command = command.replace(".venv/bin/odonata", f"{sys.executable} -m odonata", 1)
        command = command.replace(" -n 128 ", " -n 8 ").replace("0.1:0.9:0.1", "0.1")
        command = command.replace("128:1024", "16:32")
        command = command.replace("serve --machine lumi", "serve --machine lumi --help")
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=shell,
                              capture_output=True, text=True, timeout=300)  # fmt: skip
        assert done.returncode == 0, (command, done.stderr[-2000:])
