"""The figures of docs/models/aries-alltoall.md: all-to-alls of puts in random shifts on Cascade.

    python docs/figures/aries.py [--draw]

Each point is one command. `aries.json` keeps the command, the payload rate per node (GB/s) and its
relative error. Existing points are not computed again; with `--draw` none are. Commands run one at
a time, each for at most an hour. From 512 B on, one simulated packet stands for eight packets of
Aries with their headers.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import kept
from matplotlib.figure import Figure

from odonata import plot

DATA = Path(__file__).with_suffix(".json")
TRAINS = ["nic.packet_payload=512 B", "nic.packet_overhead=192 B", "nic.response=96 B",
          "nic.window=128"]  # fmt: skip
STEP = ["adaptive.quantum=4 KiB"]  # of adaptive modes
MODES = ("adaptive-0", "adaptive-1", "adaptive-2", "adaptive-3", "min-hash", "nmin-hash",
         "in-order")  # fmt: skip
SIZES = (64, 512, 4096, 16384, 65536)
SEEDS = (1, 2, 3)
GROUPS = (8, 16, 32, 64)
# Shifts by nodes and size; 64, the default, otherwise.
SHIFTS = {(3072, 65536): 40, (6144, 65536): 40}


def point(machine: str, nodes: int, size: int, *more: str, trains: bool = True) -> list[str]:
    """The command of one point, without the program's name."""
    trains = trains and size >= 512
    adapts = not any("hash" in word or word == "in-order" for word in more)
    sets = TRAINS + (STEP if adapts else []) if trains else []
    sets = [word for s in sets for word in ("--set", s)]
    shifts = SHIFTS.get((nodes, size))
    if shifts and "--shifts" not in more:
        more = ("--shifts", str(shifts), *more)
    return ["bench", "put_alltoall", "--machine", machine, "--nodes", str(nodes),
            "--sizes", str(size), *more, *sets]  # fmt: skip


def modes() -> dict[tuple, list[str]]:
    """Every routing mode and size on 3,072 nodes; for the error also three seeds of the default,
    single packets, and all shifts."""
    points = {}
    for mode in MODES:
        for size in SIZES:
            points[mode, size, 1] = point("cascade-3k", 3072, size, "--routing", mode)
    for seed in SEEDS[1:]:
        for size in SIZES[:3]:
            command = point("cascade-3k", 3072, size, "--routing", MODES[0], "--seed", str(seed))
            points[MODES[0], size, seed] = command
    single = point("cascade-3k", 3072, 512, "--routing", MODES[0], trains=False)
    points[MODES[0], 512, 0] = single
    whole = point("cascade-3k", 3072, 512, "--routing", MODES[0], "--shifts", "3071")
    points[MODES[0], 512, "whole"] = whole
    return points


def jobs() -> dict[tuple, list[str]]:
    """Smaller jobs, for which all shifts can be simulated at 4 KiB."""
    points = {}
    for nodes, groups in ((384, 1), (384, 6), (1152, 3)):
        spread = ("--placement", f"group-spread:{groups}")
        for size in SIZES[1:3]:
            for seed in SEEDS:
                command = point("cascade-3k", nodes, size, *spread, "--seed", str(seed))
                points["job", nodes, groups, size, seed] = command
            command = point("cascade-3k", nodes, size, *spread, "--shifts", str(nodes - 1))
            points["job", nodes, groups, size, "whole"] = command
    return points


def systems() -> dict[tuple, list[str]]:
    """Systems of 8 to 64 groups, all nodes to all nodes; 8 groups are `cascade-3k`."""
    points = {(8, size): modes()[MODES[0], size, 1] for size in SIZES}
    for groups in GROUPS[1:]:
        for size in SIZES:
            command = point("cascade-24k", 384 * groups, size)
            points[groups, size] = [*command, "--set", f"groups.compute.count={groups}"]
    return points


def measure(
    command: list[str], data: dict[str, list[float]], draw_only: bool
) -> list[float] | None:
    """Payload per node in GB/s and its relative error; None after the time limit."""
    name = "odonata " + " ".join(f'"{word}"' if " " in word else word for word in command)
    if name not in data and draw_only:
        return None
    if name not in data:
        run = ["nice", "-n", "19", "timeout", "3600", sys.executable, "-m", "odonata", *command,
               "--json"]  # fmt: skip
        done = subprocess.run(run, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{name}: ended with {done.returncode} {done.stderr[-300:]}", flush=True)
            return None
        row = json.loads(done.stdout)["rows"][0]
        data[name] = [round(row["bandwidth_B_per_s"] / 1e9, 4), round(row["error"], 4)]
        kept.write(DATA, kept.lines(data))
    rate, error = data[name]
    print(f"{rate:.3f} GB/s ±{100 * error:.1f} %  {name}", flush=True)
    return data[name]


def packets(key: tuple) -> int:
    """An estimate of a point's cost, for sorting."""
    nodes = 384 * key[0] if isinstance(key[0], int) else 3072
    if key[0] == "job":
        nodes = key[1]
    shifts = nodes if key[-1] == "whole" else 64
    size = key[1] if isinstance(key[0], int) else key[-2]
    return nodes * shifts * size


def main() -> None:
    """Compute missing points and draw the figures."""
    given, data = kept.options(__doc__), kept.read(DATA)
    # Small points first, so that an interrupted run has most of the figure.
    wanted = {**modes(), **jobs(), **systems()}
    found = {key: measure(wanted[key], data, given.draw) for key in sorted(wanted, key=packets)}
    draw(found)


def draw(found: dict) -> None:
    """Payload rate per node against message size: by routing mode, and by size of the system."""
    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for ax in (left, right):
        plot.axes(ax)
        ax.set_xscale("log", base=2)
        ax.set_xticks(SIZES, [f"{s} B" if s < 1024 else f"{s >> 10} KiB" for s in SIZES])
        ax.set_xlabel("message size")
        ax.set_yscale("log")
        ax.set_ylim(0.1, 10)
        ax.set_yticks([0.1, 0.2, 0.5, 1, 2, 5, 10], ["0.1", "0.2", "0.5", "1", "2", "5", "10"])
        ax.axhline(7.5, color=plot.INK, lw=1, ls=":")
        ax.text(SIZES[0], 7.8, "host interface, both ways at once", fontsize=8)
    for color, mode in zip(plot.LINES * 2, MODES, strict=False):
        style = "o-" if mode.startswith("adaptive") else "s--"
        curve(left, [(s, found[mode, s, 1]) for s in SIZES], style, color, mode)
    for color, groups in zip(plot.LINES, GROUPS, strict=False):
        label = f"{groups} groups, {384 * groups:,} nodes"
        curve(right, [(s, found[groups, s]) for s in SIZES], "o-", color, label)
    left.set_ylabel("payload a second and node (GB/s)")
    left.set_title("all to all on 3,072 nodes, by routing mode", loc="left", fontsize=11)
    right.set_title("all to all, by size of the system", loc="left", fontsize=11)
    left.legend(fontsize=8, frameon=False, loc="lower right")
    right.legend(fontsize=8, frameon=False, loc="lower right")
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=140)
    print(f"wrote {out.name}")


def curve(ax, points: list, style: str, color: str, label: str) -> None:
    """The computed points, with the error that sampled shifts add."""
    points = [(size, *measured) for size, measured in points if measured is not None]
    sizes, rates, errors = zip(*points, strict=True)
    bars = [rate * error for rate, error in zip(rates, errors, strict=True)]
    ax.errorbar(sizes, rates, bars, fmt=style, color=color, ms=4, lw=1.6, capsize=2, elinewidth=0.9,
                label=label)  # fmt: skip


if __name__ == "__main__":
    main()
