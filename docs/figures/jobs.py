"""The figure of docs/lab/job-spread-over-groups.md: 384 nodes over 1, 2, 3 and 6 groups.

    python docs/figures/jobs.py [--draw]

An all-to-all of puts in random shifts on `cascade-3k` (3,072 nodes, Aries): payload per second and
node against message size. The job has the machine to itself, or the other 2,688 nodes send uniform
traffic at 0.3 of their injection rate. Each point is one command:

    odonata bench put_alltoall --machine cascade-3k --nodes 384 --placement group-spread:K \\
        --sizes 512,2Ki,8Ki [--background uniform:0.3@2Ki] \\
        --set nic.packet_payload="512 B" --set nic.packet_overhead="192 B" \\
        --set nic.response="96 B" --set nic.window=128 --set adaptive.quantum="4 KiB"

One simulated packet stands for eight packets of Aries with their headers, which makes the run eight
times as fast. The effect is printed for the idle machine. `jobs.json` keeps the numbers, each with
the relative error of sampled shifts. Existing points are not computed again; with `--draw` none
are.
"""

from pathlib import Path

import kept
from matplotlib.figure import Figure

import odonata as od
from odonata import plot

DATA = Path(__file__).with_suffix(".json")
GROUPS = (1, 2, 3, 6)
SIZES = [512, 2048, 8192]
BUSY = "uniform:0.3@2Ki"
TRAINS = {"nic.packet_payload": "512 B", "nic.packet_overhead": "192 B", "nic.response": "96 B",
          "nic.window": 128, "adaptive.quantum": "4 KiB"}  # fmt: skip


def measure(groups: int, background: str | None, trains: bool, size: int) -> list[float]:
    """Payload per node in GB/s in one placement, and its relative error."""
    machine = od.machine("cascade-3k").with_(TRAINS if trains else None)
    placement = f"group-spread:{groups}"
    job = machine.job(nodes=384, placement=placement, background=background)
    row = od.bench.put_alltoall(job, sizes=[size]).rows[0]
    return [round(row["bandwidth_B_per_s"] / 1e9, 4), round(row["error"], 4)]


def main() -> None:
    """Compute all points and draw them."""
    points = [(g, None, trains, s) for trains in (True, False) for g in GROUPS for s in SIZES]
    points += [(g, BUSY, True, s) for s in (2048, 512, 8192) for g in GROUPS]
    given, data = kept.options(__doc__), kept.read(DATA)
    rates = {}
    for point in points:
        groups, background, trains, size = point
        word = "trains" if trains else "packets"
        name = f"{groups} groups, {background or 'idle'}, {word}, {size} B"
        if name not in data and given.draw:
            continue
        if name not in data:
            data[name] = measure(*point)
            kept.write(DATA, kept.lines(data))
        rate, error = rates[point] = data[name]
        print(f"{name}: {rate:.3f} GB/s a node ±{100 * error:.1f} %", flush=True)
    draw(rates)


def draw(rates: dict[tuple[int, str | None, bool, int], list[float]]) -> None:
    """Payload rate per node, alone and with background traffic."""
    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for ax in (left, right):
        plot.axes(ax)
        ax.set_xscale("log", base=2)
        ax.set_xticks(SIZES, ["512 B", "2 KiB", "8 KiB"])
        ax.set_xlabel("message size")
    for color, groups in zip(plot.LINES, GROUPS, strict=False):
        word = f"{groups} group{'s' if groups > 1 else ''}"
        for background, style in ((None, "o-"), (BUSY, "s--")):
            sizes = [s for s in SIZES if (groups, background, True, s) in rates]
            found = [rates[groups, background, True, s] for s in sizes]
            bars = [rate * error for rate, error in found]
            label = f"{word}, {'busy' if background else 'idle'}"
            left.errorbar(sizes, [rate for rate, _ in found], bars, fmt=style, color=color, ms=4,
                          lw=1.6, capsize=2, elinewidth=0.9, label=label)  # fmt: skip
        sizes = [s for s in SIZES if (groups, BUSY, True, s) in rates]
        share = [rates[groups, BUSY, True, s][0] / rates[groups, None, True, s][0] for s in sizes]
        right.plot(sizes, share, "o-", color=color, ms=4, lw=1.6, label=word)
    left.axhline(7.5, color=plot.INK, lw=1, ls=":")
    left.text(SIZES[0], 7.42, "host interface, both ways at once", va="top", fontsize=8)
    left.set_ylim(0, 8)
    left.set_ylabel("payload a second and node (GB/s)")
    left.set_title("384 nodes of cascade-3k, all to all", loc="left", fontsize=11)
    right.set_ylim(0.8, 1.02)
    right.set_title("busy / idle", loc="left", fontsize=11)
    left.legend(fontsize=8, frameon=False, ncols=2)
    right.legend(fontsize=8, frameon=False, ncols=2, loc="lower right")
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=140)
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
