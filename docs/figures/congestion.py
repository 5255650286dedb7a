"""The figure of docs/models/congestion-validation.md: victims of an incast or an all-to-all.

    python docs/figures/congestion.py

Victims are packets of 512 B (on Aries 64 B, one packet) between random NICs of 64 nodes, at a tenth
of their injection rate. The background runs on all other nodes. One command prints the slowdown of
the victims, as a mean and a 99th percentile:

    odonata traffic uniform --machine lumi-g --load 0.1 --nodes 64 --placement random \\
        --packet 512 --warmup 100us --time 60us --background incast:64:1@32Ki [--congestion off]

Packets in flight at the end count with their age, so such a point is a lower bound. Two commands
run at a time; all take some minutes.
"""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import kept
from matplotlib.figure import Figure

import odonata as od
from odonata import plot

SENDERS = (4, 16, 64, 256)
LOADS = (0.1, 0.2, 0.3, 0.4)
# Name, preset, congestion management, bytes per packet of the victims.
FABRICS = (
    ("Slingshot", "lumi-g", "on", 512),
    ("Slingshot, management off", "lumi-g", "off", 512),
    ("Aries", "cascade-3k", "off", 64),
)


def measure(point: tuple[int, str]) -> dict:
    """The row of one fabric with one background."""
    fabric, background = point
    name, preset, management, packet = FABRICS[fabric]
    machine = od.machine(preset).with_({"congestion.management": management})
    incast = background.startswith("incast")
    result = od.traffic(
        "uniform",
        machine,
        load=[0.1],
        packet=packet,
        nodes=64,
        placement="random",
        warmup=100e-6 if incast else 20e-6,
        time=60e-6 if incast else 20e-6,
        background=background,
    )
    row = result.rows[0]
    busy = row["background"][0].get("receiver")
    print(
        f"{name:26} {background:20}"
        f" mean {row['alone_mean_s'] * 1e6:.2f} us x{impact(row, 'mean'):.2f}"
        f" p99 {row['alone_p99_s'] * 1e6:.2f} us x{impact(row, 'p99'):.2f}"
        f" missing {row['unfinished'] / row['packets']:.3f}"
        f" accepted {row['background'][0]['accepted']:.4f}"
        + (f" receiver busy {busy:.3f}" if busy is not None else "")
        + f" onsets {row['onsets']} holds {row['holds']}",
        flush=True,
    )
    return row


def impact(row: dict, which: str) -> float:
    """Latency with the background over latency alone."""
    return row[f"least_{which}_s"] / row[f"alone_{which}_s"]


def main() -> None:
    """Compute all points and draw them."""
    kept.options(__doc__, draw=False)
    incasts = [f"incast:{k}:1@32Ki" for k in SENDERS]
    around = [f"all-to-all:{load}@2Ki" for load in LOADS]
    points = [(f, b) for f in range(len(FABRICS)) for b in (*incasts, *around)]
    with ProcessPoolExecutor(2) as pool:
        found = dict(zip(points, pool.map(measure, points), strict=True))
    draw(found, incasts, around)


def draw(found: dict[tuple[int, str], dict], incasts: list[str], around: list[str]) -> None:
    """Slowdown against the senders of the incast, and against the load of the all-to-all."""
    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for ax, xs, backgrounds in ((left, SENDERS, incasts), (right, LOADS, around)):
        plot.axes(ax)
        ax.axhline(1.1, color=plot.INK, lw=0.9, ls=":")
        for fabric, color in zip(range(len(FABRICS)), plot.LINES, strict=False):
            name = FABRICS[fabric][0]
            for which, style in (("mean", "o-"), ("p99", "s--")):
                ys = [impact(found[fabric, b], which) for b in backgrounds]
                word = "mean" if which == "mean" else "99th percentile"
                ax.plot(xs, ys, style, color=color, ms=4, lw=1.6, label=f"{name}, {word}")
    left.set_xscale("log", base=2)
    left.set_xticks(SENDERS, [str(k) for k in SENDERS])
    left.set_yscale("log")
    left.set_xlabel("senders of the incast")
    left.set_ylabel("victims' latency, times that alone")
    left.set_title("beside an incast", loc="left", fontsize=11)
    left.text(SENDERS[0], 1.13, "1.1", fontsize=8, va="bottom")
    right.set_xticks(LOADS)
    right.set_xlabel("offered load of the all-to-all")
    right.set_title("beside an all-to-all", loc="left", fontsize=11)
    left.legend(fontsize=8, frameon=False)
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=140)
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
