"""The figure of docs/performance.md: time and memory of a prediction against nodes of Aurora.

    python docs/figures/cost.py [--most NODES] [--draw]

Each point is one command in its own process:

    odonata bench NAME --machine aurora --nodes NODES --ppn 12 --sizes SIZE --fidelity NAME

Time is the CPU time of the process and memory its largest resident set. Both are less those of
`odonata show aurora`, which loads and builds the machine. The legend has the exponent, the slope of
a line through the logarithms. Points in `cost.json` are not measured again; with `--draw` none are.
`--most` leaves out larger node counts.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import kept

PPN = 12
NODES = (128, 256, 512, 1024, 2048, 4096, 8192, 10_624)
COMMANDS = {
    "allreduce, 8 B, loggp": ("allreduce", "8", "loggp"),
    "allreduce, 1 MiB, loggp": ("allreduce", "1Mi", "loggp"),
    "allgather, 1 KiB, loggp": ("allgather", "1Ki", "loggp"),
    "alltoall, 1 KiB, loggp": ("alltoall", "1Ki", "loggp"),
    "allreduce, 8 B, flow": ("allreduce", "8", "flow"),
    "allreduce, 8 B, packet": ("allreduce", "8", "packet"),
}
KEPT = Path(__file__).with_suffix(".json")


def measured(*command: str) -> dict[str, float]:
    """CPU seconds and bytes of a command of odonata."""
    full = [sys.executable, "-m", "odonata", *command]
    process = subprocess.Popen(full, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: status {status}")
    return {"cpu_s": used.ru_utime + used.ru_stime, "memory_bytes": 1024 * used.ru_maxrss}


def measure(most: int) -> None:
    """Measure the machine alone, and missing points up to a node count."""
    data = kept.read(KEPT)
    asked = {("machine", "0"): ("show", "aurora")}
    for name, (collective, size, fidelity) in COMMANDS.items():
        for nodes in map(str, (n for n in NODES if n <= most)):
            asked[name, nodes] = (
                "bench", collective, "--machine", "aurora", "--nodes", nodes, "--ppn", str(PPN),
                "--sizes", size, "--fidelity", fidelity, "--quiet",
            )  # fmt: skip
    for (name, nodes), command in asked.items():
        points = data.setdefault(name, {})
        if nodes not in points:
            points[nodes] = measured(*command)
            kept.write(KEPT, json.dumps(data, indent=1) + "\n")
            print(name, nodes, points[nodes], flush=True)


def exponent(nodes: list[int], values: list[float]) -> float:
    """The slope of the straight line through the logarithms."""
    import numpy as np

    return float(np.polyfit(np.log(nodes), np.log(values), 1)[0])


def draw() -> None:
    """Time and memory, log-log."""
    # Import after all measurements: a child's peak memory starts at that of its parent.
    from matplotlib.figure import Figure

    from odonata import plot

    data = kept.read(KEPT)
    machine = data["machine"]["0"]
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    for ax, (key, unit, title) in zip(
        figure.subplots(1, 2),
        (("cpu_s", 1, "CPU time (s)"), ("memory_bytes", 2**20, "memory (MiB)")),
        strict=True,
    ):
        plot.axes(ax)
        for name, color in zip(COMMANDS, plot.LINES, strict=False):
            values = sorted((int(n), point[key]) for n, point in data.get(name, {}).items())
            points = [(n, (v - machine[key]) / unit) for n, v in values if v > machine[key]]
            if len(points) < 2:
                continue
            xs, ys = (list(column) for column in zip(*points, strict=True))
            label = f"{name}: nodes^{exponent(xs, ys):.2f}"
            ax.loglog(xs, ys, "o-", ms=4, lw=1.6, color=color, label=label)
        ax.set_xlabel("nodes of Aurora, 12 ranks each")
        ax.set_title(f"{title}, without the machine's", loc="left", fontsize=11)
        ax.legend(frameon=False, fontsize=8)
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=140)
    print(f"wrote {out.name}; the machine alone: {machine['cpu_s']:.2f} s, "
          f"{machine['memory_bytes'] / 2**20:.0f} MiB")  # fmt: skip


def main() -> None:
    """Measure what is missing and draw."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--most", type=int, default=max(NODES))
    asked.add_argument("--draw", action="store_true")
    given = asked.parse_args()
    if not given.draw:
        measure(given.most)
    draw()


if __name__ == "__main__":
    main()
