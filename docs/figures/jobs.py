"""The figure of docs/models/jobs.md: a 384-node job over 1, 2, 3 and 6 groups, idle and busy.

    python docs/figures/jobs.py

An all-to-all of puts in random shifts on `cascade-3k` (3,072 nodes, Aries): payload a second and
node against message size, with the machine to itself and with the other 2,688 nodes sending
uniform traffic at 0.3 of their injection rate. Each point is one command:

    odonata bench put_alltoall --machine cascade-3k --nodes 384 --placement group-spread:K \\
        --sizes 512,2Ki,8Ki [--background uniform:0.3@2Ki] \\
        --set nic.packet_payload="512 B" --set nic.packet_overhead="192 B" \\
        --set nic.response="96 B" --set nic.window=128

Eight of Aries' packets travel as one here, headers and all, which makes it eight times as fast;
what that changes is printed, on the idle machine. Two at a time; some minutes.
"""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from matplotlib.figure import Figure

import odonata as od
from odonata import plot

GROUPS = (1, 2, 3, 6)
SIZES = [512, 2048, 8192]
BUSY = "uniform:0.3@2Ki"
TRAINS = {"nic.packet_payload": "512 B", "nic.packet_overhead": "192 B", "nic.response": "96 B",
          "nic.window": 128}  # fmt: skip


def measure(point: tuple[int, str | None, bool]) -> list[dict]:
    """The rows of one placement."""
    groups, background, trains = point
    machine = od.machine("cascade-3k").with_(TRAINS if trains else None)
    placement = f"group-spread:{groups}"
    job = machine.job(nodes=384, placement=placement, background=background)
    rows = od.bench.put_alltoall(job, sizes=SIZES).rows
    rates = " ".join(f"{row['bandwidth_B_per_s'] / 1e9:.2f}" for row in rows)
    word = "trains" if trains else "packets"
    print(f"{placement} {background or 'idle':16} {word:7} GB/s a node: {rates}", flush=True)
    return rows


def main() -> None:
    """Measure all points and draw them."""
    points = [(groups, background, True) for background in (BUSY, None) for groups in GROUPS]
    points += [(groups, None, False) for groups in GROUPS]
    with ProcessPoolExecutor(2) as pool:
        found = dict(zip(points, pool.map(measure, points), strict=True))
    draw({point: [row["bandwidth_B_per_s"] / 1e9 for row in rows] for point, rows in found.items()})


def draw(rates: dict[tuple[int, str | None, bool], list[float]]) -> None:
    """What a node sends, and what the others leave of it."""
    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for ax in (left, right):
        plot.axes(ax)
        ax.set_xscale("log", base=2)
        ax.set_xticks(SIZES, ["512 B", "2 KiB", "8 KiB"])
        ax.set_xlabel("message size")
    for color, groups in zip(plot.LINES, GROUPS, strict=False):
        idle, busy = rates[groups, None, True], rates[groups, BUSY, True]
        word = f"{groups} group{'s' if groups > 1 else ''}"
        left.plot(SIZES, idle, "o-", color=color, ms=4, lw=1.6, label=f"{word}, idle")
        left.plot(SIZES, busy, "s--", color=color, ms=4, lw=1.6, label=f"{word}, busy")
        left_of_it = [b / i for b, i in zip(busy, idle, strict=True)]
        right.plot(SIZES, left_of_it, "o-", color=color, ms=4, lw=1.6, label=word)
    left.axhline(7.5, color=plot.INK, lw=1, ls=":")
    left.text(SIZES[0], 7.42, "host interface, both ways at once", va="top", fontsize=8)
    left.set_ylim(0, 8)
    left.set_ylabel("payload a second and node (GB/s)")
    left.set_title("384 nodes of cascade-3k, all to all", loc="left", fontsize=11)
    right.set_ylim(0.7, 1)
    right.set_title("busy / idle", loc="left", fontsize=11)
    left.legend(fontsize=8, frameon=False, ncols=2)
    right.legend(fontsize=8, frameon=False, ncols=2)
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=140)
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
