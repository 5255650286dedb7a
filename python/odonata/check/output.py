"""Results of a campaign as files: JSON, lists of nodes, JUnit XML, ReFrame, and a page."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..version import version
from . import formats, page
from .naming import name_of
from .suite import INVERSE_IMPACT, Suite

FILES = ("result.json", "passed.txt", "failed.txt", "not-run.txt", "sets.txt",
         "junit.xml", "reframe_check.py", "report.html")  # fmt: skip


def summary(suite: Suite) -> dict[str, Any]:
    """The result as plain data."""
    campaign = suite.campaign
    failed = sorted({node for one in suite.findings for node in one.nodes})
    not_run = sorted(set(campaign.nodes) - suite.tested - set(failed))
    passed = [node for node in campaign.nodes if node not in {*failed, *not_run}]
    return {
        "odonata": version(),
        "kind": "check",
        "name": campaign.name,
        "machine": campaign.machine.name,
        "fidelity": campaign.fidelity,
        "backend": "twin" if campaign.is_twin else "launcher",
        "nodes": len(campaign.nodes),
        "findings": [one.row() for one in suite.findings],
        "observations": suite.observations,
        "broken": suite.broken,
        "stages": [dataclasses.asdict(row) for row in suite.stages],
        "false_alarms": sum(row.false_alarms for row in suite.stages),
        "rounds": sum(row.rounds for row in suite.stages),
        "network_timeouts": suite.timeouts,
        "seconds": suite.now,
        "node_hours": suite.node_seconds / 3600,
        "passed": passed,
        "failed": failed,
        "not_run": not_run,
    }


def write(out: Path, suite: Suite, found: Mapping[str, Any]) -> None:
    """All files. Each replaces its predecessor at once."""
    texts = {
        "result.json": json.dumps(found, indent=1) + "\n",
        "sets.txt": sets(suite),
        "junit.xml": junit(found),
        "reframe_check.py": reframe(suite, found),
        "report.html": page.html(suite, found),
    }
    for name, key in (("passed", "passed"), ("failed", "failed"), ("not-run", "not_run")):
        texts[f"{name}.txt"] = "".join(f"{name_of(suite, node)}\n" for node in found[key])
    for name, text in texts.items():
        part = out / f".{name}.part"
        part.write_text(text, encoding="utf-8")
        os.replace(part, out / name)


def sets(suite: Suite) -> str:
    """The tests of sets as dgnettest prints them."""
    texts = [
        f"# {test.name}, {len(test.nodes)} nodes\n"
        + formats.dgnettest(test.name.split()[-1], test.size, test.sets, test.ppn, values)
        for test, values in suite.tests
    ]
    return "\n".join(texts) + "\n" if texts else ""


def junit(found: Mapping[str, Any]) -> str:
    """One test suite per stage, one test case per test, and a case per faulty part."""
    root = ElementTree.Element("testsuites", name=found["name"])
    by_stage: dict[str, list[Mapping[str, Any]]] = {}
    for row in found["stages"]:
        by_stage.setdefault(row["stage"], []).append(row)
    for stage, rows in by_stage.items():
        parts = [one for one in found["findings"] if one["stage"] == stage]
        suite = ElementTree.SubElement(
            root, "testsuite", name=stage, tests=str(len(rows) + len(parts)),
            failures=str(len(parts)), errors="0", skipped="0",
            time=f"{sum(row['seconds'] for row in rows):.1f}",
        )  # fmt: skip
        for row in rows:
            case = case_of(suite, stage, row["test"], row["seconds"])
            out = ElementTree.SubElement(case, "system-out")
            out.text = (f"{row['units']} units, {row['slow']} slow, "
                        f"{row['center']:.3f} of the prediction")  # fmt: skip
        for one in parts:
            case = case_of(suite, stage, one["part"], 0.0)
            failure = ElementTree.SubElement(case, "failure", message=one["part"])
            failure.text = "\n".join(one["evidence"])
    ElementTree.indent(root)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(root, encoding="unicode")
        + "\n"
    )


def case_of(
    suite: ElementTree.Element, stage: str, name: str, seconds: float
) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=f"fabric.{stage}", name=name, time=f"{seconds:.1f}"
    )


# Factor and unit of quantities whose inverse is a rate, by the unit of that rate.
SCALE = {"1/s": (1e6, "us"), INVERSE_IMPACT: (1.0, "x")}

REFRAME = '''"""ReFrame test of a fabric, written by `odonata check`.

References are the predictions of the twin.

    reframe -c {file} -r

`ODONATA` is the command, by default `odonata`.
"""

import json
import os
import re

import reframe as rfm
import reframe.utility.sanity as sn

CAMPAIGN = {campaign!r}
# Of quantities whose inverse is a rate: factor and unit.
SCALE = {scale!r}


@rfm.simple_test
class FabricCheck(rfm.RunOnlyRegressionTest):
    descr = {descr!r}
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    local = True
    sourcesdir = None
    executable = os.environ.get("ODONATA", "odonata")
    executable_opts = ["check", CAMPAIGN, "--out", "check", "--json", "--quiet"]
    time_limit = "24h"
    # Value, lower and upper bound relative to it, unit.
    reference = {{
        "*": {{
{references}
        }}
    }}

    @run_before("sanity")
    def read(self):
        with open(os.path.join(self.stagedir, "check", "result.json")) as file:
            self.result = json.load(file)

    @sanity_function
    def no_faulty_part(self):
        wrong = [one["part"] for one in self.result["findings"]] + self.result["broken"]
        return sn.assert_eq(len(wrong), 0, msg="faulty or not run: " + ", ".join(wrong))

    @run_before("performance")
    def measure(self):
        self.perf_variables = {{
            name: sn.make_performance_function(sn.defer(value), unit)
            for name, value, unit in values(self.result)
        }}


def values(result):
    """Name, value and unit of each test of which the result keeps values: the slowest unit."""
    for row in result["stages"]:
        if row["values"]:
            slowest = min(row["values"])
            name = re.sub(r"\\W+", "_", row["test"])
            if row["unit"].startswith("B/s"):
                yield name, slowest / 1e6, "M" + row["unit"]
            else:
                yield name, SCALE[row["unit"]][0] / slowest, SCALE[row["unit"]][1]
'''


def reframe(suite: Suite, found: Mapping[str, Any]) -> str:
    """A ReFrame test that runs the campaign, with references for the slowest unit of each test."""
    lines = [
        f'            "{name}": ({value:.6g}, {lower}, {upper}, "{unit}"),'
        for name, value, lower, upper, unit in references(found, suite.campaign.error)
    ]
    return REFRAME.format(
        file="reframe_check.py", campaign=os.path.abspath(suite.campaign.path),
        descr=f"fabric of {found['machine']}, {found['nodes']} nodes",
        references="\n".join(lines), scale=SCALE,
    )  # fmt: skip


def references(
    found: Mapping[str, Any], error: float
) -> Iterator[tuple[str, float, float | None, float | None, str]]:
    """Name, predicted value, lower and upper bound relative to it, and unit of each test.

    A rate may be below the prediction by the error bar. A latency is the inverse of a rate. A test
    that is not judged has no bounds.
    """
    for row in found["stages"]:
        if not row["predicted"]:
            continue
        name = re.sub(r"\W+", "_", row["test"])
        slowest = min(row["predicted"])
        is_judged = row["is_judged"]
        if row["unit"].startswith("B/s"):
            yield name, slowest / 1e6, -error if is_judged else None, None, f"M{row['unit']}"
        else:
            factor, unit = SCALE[row["unit"]]
            upper = round(1 / (1 - error) - 1, 4) if is_judged else None
            yield name, factor / slowest, None, upper, unit
