"""The picture of README.md, as `make demo` draws it, with its numbers.

    python docs/figures/first_flight.py [--draw]

Runs the solver of the demonstration in two placements and predicts the published latencies. With
`--draw` it draws the numbers of `first-flight.json`. A test fails if the prediction differs from
that file; then run this script and check the picture.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import kept

from odonata import demo, launch, machines, plot, published

PICTURE = Path(__file__).with_name("first-flight.png")
DATA = PICTURE.with_suffix(".json")
# Columns of a published point and of a rank that the picture needs.
POINT = ("what", "bytes", "measured_s", "predicted_s")
SHARES = ("rank", *(f"{share}_s" for share in plot.COLORS))


def latencies() -> list[dict[str, Any]]:
    """The published latencies and their predictions."""
    return [{key: row[key] for key in POINT} for row in published.compare()]


def solver(placement: str) -> dict[str, Any]:
    """Communication time of the solver in one placement."""
    job = machines.machine("aurora").job(
        nodes=demo.RANKS // demo.PPN, ppn=demo.PPN, placement=placement
    )
    result = launch.run(job, [sys.executable, str(demo.SOLVER)], compute="none")
    ranks = [{key: row.get(key) for key in SHARES} for row in result.data["ranks"]]
    return {"time_s": result.time, "digest": result.summary["digest"], "ranks": ranks}


def draw(data: dict[str, Any]) -> None:
    runs = {
        placement: launch.RunResult({"time_s": run["time_s"]}, {"ranks": run["ranks"]})
        for placement, run in data["solver"].items()
    }
    plot.demo(data["latencies"], runs, str(PICTURE))


def text_of(data: dict[str, Any]) -> str:
    """JSON with one line per point and per rank, for readable differences."""
    points = ",\n".join(f"  {json.dumps(point)}" for point in data["latencies"])
    runs = ",\n".join(f'  "{placement}": {run_text(run)}'
                      for placement, run in data["solver"].items())  # fmt: skip
    return f'{{\n "latencies": [\n{points}\n ],\n "solver": {{\n{runs}\n }}\n}}\n'


def run_text(run: dict[str, Any]) -> str:
    head = json.dumps({key: value for key, value in run.items() if key != "ranks"})
    ranks = ",\n".join(f"   {json.dumps(rank)}" for rank in run["ranks"])
    return f'{head[:-1]}, "ranks": [\n{ranks}\n  ]}}'


def main() -> None:
    if not kept.options(__doc__).draw:
        found = {"latencies": latencies(), "solver": {p: solver(p) for p in demo.PLACEMENTS}}
        kept.write(DATA, text_of(found))
    draw(kept.read(DATA))
    print(f"wrote {PICTURE.name}")


if __name__ == "__main__":
    main()
