"""Types: a user's script passes `mypy --strict`, and wrong uses of results are found."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import odonata as od
from odonata import benchmarking

SCRIPT = ROOT / "python" / "tests" / "programs" / "typed.py"

pytest.importorskip("mypy")


def strict(script, cache) -> str:
    """What `mypy --strict` prints about a script."""
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), str(script)]
    return subprocess.run(words, capture_output=True, text=True, cwd=script.parent).stdout


def test_a_script_passes_strict_checks_and_mistakes_in_it_do_not(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.read_text())
    assert strict(script, tmp_path / "cache").startswith("Success"), strict(script, tmp_path)
    script.write_text(
        "import odonata as od\n"
        'job = od.machine("aurora").job(nodes=2)\n'
        "found = od.bench.latency(job, sizes=[8])\n"
        "name: str = found.latencies[0]\n"
        'found.rows[0]["latency_us"]\n'
        "od.bench.latency(job, size=[8])\n"
        "od.run(job, program=['a'], fidelty='flow')\n"
        'od.bench("latncy", job)\n'
        'od.traffic("uniform", od.machine("aurora"), load=0.1, fidelity="flaw")\n'
    )
    lines = re.findall(r"^script\.py:(\d+): error", strict(script, tmp_path / "cache"), re.M)
    assert lines == ["4", "5", "6", "7", "8", "9"]


def test_the_script_runs(program, tmp_path):
    words = [sys.executable, str(SCRIPT), str(program("ring"))]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "did you mean `aurora`?" in done.stdout


def test_a_named_benchmark_has_all_arguments():
    whole = inspect.signature(benchmarking.Benchmarks.__call__)
    found = inspect.signature(benchmarking.NamedBenchmark.__call__)
    wanted = [p for name, p in whole.parameters.items() if name != "name"]
    assert list(found.parameters.values()) == wanted
    assert found.return_annotation == whole.return_annotation


def test_dir_shows_public_names():
    assert dir(od) == sorted([*od.__all__, "__version__"])
    assert od.launch.run is od.run  # modules stay reachable
