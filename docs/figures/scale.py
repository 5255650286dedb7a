"""The figure and the table of docs/will-it-scale.md: a step of examples/patches.c against nodes.

    odonata-mpicc -O2 examples/patches.c -o patches
    python docs/figures/scale.py ./patches

Runs the program on 8, 16 and 32 nodes, with MPICH's own rules and with Bruck's algorithm. `tune`
predicts the two collectives there and on up to 2,048 nodes. Two minutes.
"""

import argparse
import subprocess
from pathlib import Path

from matplotlib.figure import Figure

import odonata as od
from odonata import plot

PPN = 12
RUN_ON = (8, 16, 32)
NODES = (8, 16, 32, 64, 128, 256, 512, 1024, 2048)
# 48 patches per rank, and the largest tag of MPICH on Slingshot.
MET_AT = 524_287 / (48 * PPN)
BRUCKS = "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=brucks"


def live(program: str, nodes: int, *more: str) -> float:
    """Predicted microseconds per step of the program."""
    command = ["odonata", "run", "-n", str(nodes * PPN), "-ppn", str(PPN), "--machine", "aurora",
               "--compute", "none", "--quiet", *more, "--", program, "local"]  # fmt: skip
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(said.split(": ")[1].split()[0])


def tuned(collective: str, size: int) -> dict[tuple[int, str], float]:
    """Microseconds of each algorithm; `default` is the choice of MPICH's rules."""
    found = od.tune(collective, od.machine("aurora"), nodes=NODES, ppn=PPN, sizes=[size])
    times = {}
    for row in found.rows:
        if row["latency_s"] is not None:
            times[row["nodes"], row["algorithm"]] = 1e6 * row["latency_s"]
            if row["is_default"]:
                times[row["nodes"], "default"] = 1e6 * row["latency_s"]
    return times


def main() -> None:
    """Measure, print the table, draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="examples/patches.c, compiled")
    program = parser.parse_args().program
    gather, short, reduce = tuned("allgather", 384), tuned("allgather", 8), tuned("allreduce", 8)
    runs = {(n, "default"): live(program, n) for n in RUN_ON}
    runs |= {(n, "brucks"): live(program, n, "--env", BRUCKS) for n in RUN_ON}
    exchange = runs[8, "default"] - gather[8, "default"] - reduce[8, "default"]
    lines: dict[str, list[float]] = {}
    for name, gathered in (("default", gather), ("brucks", gather), ("8 B", short)):
        which = "default" if name == "default" else "brucks"
        for n in NODES:
            total = exchange + gathered[n, which] + reduce[n, "default"]
            lines.setdefault(name, []).append(total)
            print(f"| {n:,} nodes, {name} | {exchange:.0f} | {gathered[n, which]:,.0f} "
                  f"| {reduce[n, 'default']:.0f} | {total:,.0f} "
                  f"| {runs.get((n, name), float('nan')):.0f} |")  # fmt: skip
    draw(lines, runs)


def draw(lines: dict[str, list[float]], runs: dict[tuple[int, str], float]) -> None:
    """Time per step against nodes: predictions of `tune` as lines, runs as points."""
    figure = Figure(figsize=(7.4, 4.6), layout="constrained")
    ax = figure.subplots()
    plot.axes(ax)
    names = {
        "default": "384 B a rank, MPICH's rules (a ring from 32 nodes on)",
        "brucks": "384 B a rank, Bruck's algorithm",
        "8 B": "8 B a rank, Bruck's algorithm",
    }
    for (name, title), color in zip(names.items(), plot.LINES, strict=False):
        ax.plot(NODES, lines[name], "-", color=color, lw=1.6, label=title)
        points = [(n, runs[n, name]) for n in RUN_ON if (n, name) in runs]
        if points:
            ax.plot(*zip(*points, strict=True), "o", color=color, ms=6)
    ax.axvline(MET_AT, color=plot.INK, lw=0.9, ls=":")
    ax.text(MET_AT * 0.95, ax.get_ylim()[1] * 0.7, "tags by mesh\nend here", fontsize=8, ha="right",
            va="top")  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xticks(NODES, [f"{n:,}" for n in NODES])
    ax.set_xlabel("nodes of Aurora, 12 ranks each (points: the program run; lines: added up)")
    ax.set_ylabel("time of a step, µs")
    ax.legend(fontsize=8, frameon=False, loc="upper left")
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=140)
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
