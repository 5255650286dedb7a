"""The figure of docs/lab/tuning-aurora.md: time of an allgather against ranks, by algorithm.

    python docs/figures/tuning.py [--draw]

Aurora, 8 ranks per node, so that all numbers of ranks are powers of two, as recursive doubling
needs; all ranks call at once, in closed form. Each point is one command:

    odonata tune allgather --machine aurora --nodes NODES --ppn 8 --sizes 8,16Ki

The rows are kept in `tuning.json`. Existing rows are not computed again; with `--draw` none are.
"""

import json
from pathlib import Path

import kept
from matplotlib.figure import Figure

import odonata as od
from odonata import plot

NODES = [1, 4, 16, 64, 256, 1024, 2048, 4096, 8192]
SIZES = {8: "8 B a rank", 16384: "16 KiB a rank"}
ALGORITHMS = {"ring": "ring", "recursive_doubling": "recursive doubling", "brucks": "Bruck"}
DATA = Path(__file__).with_suffix(".json")
COLUMNS = ("ranks", "bytes", "algorithm", "latency_s", "method", "error")


def main() -> None:
    """Compute all points and draw them."""
    given, data = kept.options(__doc__), kept.read(DATA)
    for nodes in [] if given.draw else NODES:
        if str(nodes) not in data:
            aurora = od.machine("aurora")
            found = od.tune("allgather", aurora, nodes=nodes, ppn=8, sizes=list(SIZES))
            data[str(nodes)] = [{key: row[key] for key in COLUMNS} for row in found.rows
                                if row["algorithm"] in ALGORITHMS]  # fmt: skip
            kept.write(DATA, json.dumps(data, indent=1) + "\n")
            print(f"{nodes} nodes", flush=True)
    rows = [row for rows in data.values() for row in rows if row["latency_s"] is not None]
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    for ax, (size, title) in zip(figure.subplots(1, 2), SIZES.items(), strict=True):
        plot.axes(ax)
        for (name, label), color in zip(ALGORITHMS.items(), plot.LINES, strict=False):
            mine = [r for r in rows if (r["algorithm"], r["bytes"]) == (name, size)]
            mine.sort(key=lambda row: row["ranks"])
            xs = [row["ranks"] for row in mine]
            ys = [row["latency_s"] * 1e6 for row in mine]
            ax.loglog(xs, ys, "-", lw=1.6, color=color, label=label)
            for row, x, y in zip(mine, xs, ys, strict=True):
                face = color if row["method"] == "exact" else "white"
                ax.plot(x, y, "o", ms=4.5, color=color, mfc=face)
        ax.set_xlabel("ranks")
        ax.set_ylabel("latency (us)")
        ax.set_title(f"allgather, {title}", loc="left", fontsize=11)
        ax.legend(frameon=False, fontsize=9)
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=140)
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
