"""Results in notebooks: a self-contained table and plot of the result's numbers."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

import odonata as od
from odonata import notebook

MACHINE = od.machine("dragonfly-1056")
SHORT = {"time_s": 1e-6, "warmup_s": 1e-6}


def shown(result) -> tuple[list[list[str]], str]:
    """The cells of the table, row by row, and the whole text."""
    text = result._repr_html_()
    page = xml.fromstring(text)  # well-formed
    rows = [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]
    assert "<script" not in text and not re.search(r'href="(?!#|data:)', text)
    return rows, text


def test_of_a_benchmark():
    result = od.bench.allreduce(MACHINE.job(nodes=4), sizes=[8, 1024])
    rows, text = shown(result)
    assert [row[0] for row in rows] == ["message", "8 B", "1 KiB"]
    assert "allreduce on dragonfly-1056" in text and text.count("<svg") == 1
    single = od.bench.barrier(MACHINE.job(nodes=2))
    assert "<svg" not in shown(single)[1]  # a point is no curve


def test_of_traffic_tuning_and_jobs():
    traffic = od.traffic("uniform", MACHINE, loads=[0.1, 0.2], **SHORT)
    rows, text = shown(traffic)
    assert [row[0] for row in rows[1:]] == ["0.100", "0.200"] and "<svg" in text
    rows, text = shown(od.tune("bcast", MACHINE, nodes=[2, 4], sizes=[8]))
    assert [row[:2] for row in rows[1:]] == [["2", "8 B"], ["4", "8 B"]] and "<svg" in text
    jobs = od.jobs(MACHINE, [{"bench": "barrier", "nodes": 2, "name": "<b>&", "iterations": 2}])
    rows, text = shown(jobs)
    assert rows[1][0] == "<b>&" and rows[1][-1] == "1.000x" and "<svg" not in text


def test_of_a_run_and_of_one_that_failed(program):
    job = MACHINE.job(nodes=2)
    rows, text = shown(od.run(job, [sys.executable, str(program("ring"))], compute="none"))
    assert {row[0] for row in rows} <= {"time per rank", "compute", "waiting", "transfer", "other"}
    assert "Predicted time" in text and "<svg" in text
    with pytest.raises(od.SimulatedFailure) as caught:
        od.run(job, [sys.executable, str(program("deadlock"))], compute="none")
    rows, text = shown(caught.value.result)
    assert "No prediction" in text and "deadlock" in text and "<svg" not in text


def test_of_a_sweep_the_first_rows():
    base = {"command": "bench", "name": "barrier", "machine": "dragonfly-1056", "fidelity": "loggp"}
    nodes = list(range(2, 24))
    rows, text = shown(od.sweep({"base": base, "grid": {"nodes": nodes}}))
    at = rows[0].index("nodes")
    assert [int(row[at]) for row in rows[1:]] == nodes[: notebook.MOST_ROWS]
    assert "2 more rows" in text and "22 points" in text


def test_nothing_is_imported_before_it_is_shown():
    code = (
        "import sys, odonata as od\n"
        "r = od.bench.barrier(od.machine('dragonfly-1056').job(nodes=2), fidelity='loggp')\n"
        "print({'matplotlib', 'jinja2', 'pyarrow', 'rich'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
