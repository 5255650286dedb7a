"""`python -m odonata.demo`: the demonstration of `make demo`.

Two unmodified programs on a simulated Aurora: the ping-pong of mpi4py, and a numpy solver on 128
ranks in two placements. Then published and predicted latencies, a report and a picture. The exit
code is 1 if an answer is wrong.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from . import launch, machines, plot, published, report, text, units
from .errors import Error, InputError, SimulatedFailure
from .launch import RunResult
from .progress import Progress
from .terminal import Terminal

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
SOLVER = ROOT / "examples" / "cg3d.py"
OUT = Path("out/demo")
RANKS, PPN = 128, 8
PLACEMENTS = ("contiguous", "group-spread")


def main() -> int:
    began = time.monotonic()
    OUT.mkdir(parents=True, exist_ok=True)
    aurora = machines.machine("aurora")
    facts = aurora.summary
    say(f"Aurora, predicted: {facts['nodes']:,} nodes, {facts['endpoints']:,} NICs, "
        f"{facts['switches']:,} switches, {facts['links']:,} links")  # fmt: skip

    title("mpi4py's own ping-pong between two nodes")
    pair = aurora.job(nodes=2, ppn=1)
    pingpong = [sys.executable, "-m", "mpi4py.bench", "pingpong", "--loop", "50", "--loop-large",
                "10", "--skip", "2", "--max-size", str(4 << 20)]  # fmt: skip
    step("ping-pong", lambda tick: launch.run(pair, pingpong, compute="none", tick=tick))

    nodes = RANKS // PPN
    title(f"A numpy solver (examples/cg3d.py): {RANKS} ranks on {nodes} nodes, two placements")
    solver = [sys.executable, str(SOLVER)]
    runs: dict[str, RunResult] = {}
    for placement in PLACEMENTS:
        job = aurora.job(nodes=nodes, ppn=PPN, placement=placement)
        runs[placement] = step(
            placement, lambda tick, job=job: launch.run(job, solver, compute="none", tick=tick)
        )
    say("")
    for line in comparison(runs):
        say(line)

    title("Published latencies beside predicted ones")
    rows = step("published", lambda _: published.compare())
    for line in latencies(rows):
        say(line)

    title("With the time between MPI calls measured and charged")
    job = aurora.job(nodes=nodes, ppn=PPN)
    measured = step("measured", lambda tick: launch.run(job, solver, tick=tick))
    measured.summary["command"] = (
        f"odonata run -n {RANKS} --ppn {PPN} --machine aurora -- python examples/cg3d.py"
    )
    page = report.html(measured.summary, measured.data, published_rows=rows)
    (OUT / "report.html").write_text(page, encoding="utf-8")
    plot.demo(rows, runs, str(OUT / "picture.png"))

    wrong = [name for name, run in {**runs, "measured": measured}.items() if run.exit_code]
    title("Done")
    say(f"wrote    {OUT / 'report.html'} and {OUT / 'picture.png'}")
    say(f"answers  {'WRONG: ' + ', '.join(wrong) if wrong else 'right in every run'}")
    say(f"cost     {cost(time.monotonic() - began)}")
    return 1 if wrong else 0


def say(words: str) -> None:
    print(words, flush=True)


def title(words: str) -> None:
    say("\n" + Terminal(sys.stdout).bold(words))


def step(name: str, work: Callable[[Progress], T]) -> T:
    """Do one piece of work with a progress line."""
    sys.stdout.flush()
    with Progress(name) as tick:
        return work(tick)


def comparison(runs: Mapping[str, RunResult]) -> list[str]:
    """The placements side by side: communication alone, since compute is not charged."""
    rows = [("placement", "predicted", "waiting", "transfer", "between groups", "digest")]
    for placement, run in runs.items():
        split = text.shares(run.data["ranks"])
        moved = sum(d["bytes"] for d in run.data["distance"]) or 1
        far = sum(d["bytes"] for d in run.data["distance"] if d["distance"] == "global")
        waiting, transfer = (units.show_time(split[s]["mean"]) for s in ("waiting", "transfer"))
        rows.append((placement, units.show_time(run.time), waiting, transfer,
                     f"{units.show_percent(far / moved)} of bytes",
                     str(run.summary["digest"])))  # fmt: skip
    first, last = list(runs.values())[0], list(runs.values())[-1]
    lines = Terminal(sys.stdout).columns(rows, "<>>>><")
    change = last.time / first.time - 1.0
    lines.append(f"{PLACEMENTS[-1]} is {abs(change) * 100:.1f} % "
                 f"{'slower' if change > 0 else 'faster'} than {PLACEMENTS[0]}")  # fmt: skip
    return lines


def latencies(rows: list[dict[str, Any]]) -> list[str]:
    """Every published point and its prediction, one block per curve."""
    lines: list[str] = []
    for what in dict.fromkeys(row["what"] for row in rows):
        curve = [row for row in rows if row["what"] == what]
        lines.append(f"{what} ({curve[0]['source']})")
        lines.append(f"  inputs of the model: {curve[0]['sets']}")
        lines += Terminal(sys.stdout).columns(
            [
                ("  size", *(units.show_size(r["bytes"]) for r in curve)),
                ("  published", *(units.show_time(r["measured_s"]) for r in curve)),
                ("  predicted", *(units.show_time(r["predicted_s"]) for r in curve)),
                ("  error", *(f"{100 * r['error']:+.1f} %" for r in curve)),
            ],
            "<",
        )
    return lines


def cost(wall: float) -> str:
    """Wall clock and memory of the demonstration."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    rank = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return (f"{wall:.0f} s of wall clock on {os.cpu_count()} cores; at most "
            f"{units.show_bytes(own)} here and {units.show_bytes(rank)} in a rank")  # fmt: skip


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        print(text.diagnostics(error.diagnostics), file=sys.stderr)
        sys.exit(2)
    except SimulatedFailure as error:
        failure = {"kind": error.kind, "message": str(error), "ranks": error.ranks}
        print(text.failure(failure), file=sys.stderr)
        sys.exit(1)
    except Error as error:
        sys.exit(f"odonata: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
