"""The figure of docs/models/io-benchmarks.md: rates of IOR on DAOS and Lustre against nodes, ranks
per node, transfer size, object class and stripe count.

    python docs/figures/storage.py [--draw]

DAOS is Aurora's with 128 servers, Lustre is LUMI-F. Each point is one command, in closed form:

    odonata bench ior --machine MACHINE --file-system NAME --nodes N --ppn P --io-options OPTIONS

The rates are kept in `storage.json`. Existing points are not computed again; with `--draw` none
are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kept
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import odonata as od
from odonata import plot
from odonata.io_benchmarks import io_bench

DATA = Path(__file__).with_suffix(".json")
NODES = [1, 4, 16, 64, 256]
RANKS = [1, 2, 4, 8, 16]
TRANSFERS = [1 << n for n in range(10, 25, 2)]
# Largest number of transfers of a rank.
MOST = 64
SYSTEMS = {"daos": ("aurora", {"storage.daos.servers": 128}), "lustref1": ("lumi-g", {})}
DFS = "-a DFS --dfs.oclass="
Point = tuple[str, int, int, str]


def sized(transfer: int, each: int) -> str:
    """A transfer size, and a block of at most `each` bytes or `MOST` transfers."""
    return f"-t {transfer} -b {max(1, min(each // transfer, MOST)) * transfer}"


def classes(oclass: str) -> list[Point]:
    chunk = " --dfs.chunk_size=2m" if oclass.startswith("EC") else ""
    return [("daos", n, 16, f"{DFS}{oclass}{chunk} -t 16m -b 64m") for n in NODES]


def stripes(count: int) -> list[Point]:
    options = f"-O lustreStripeCount={count} -e -C -t 16m -b 64m"
    return [("lustref1", n, 8, options) for n in NODES]


def files(system: str, options: str) -> list[Point]:
    own = f"{DFS}SX " if system == "daos" else "-e -C "
    return [(system, n, 8, f"{own}{options} -t 4m -b 64m") for n in NODES]


def per_node(system: str) -> list[Point]:
    own = f"{DFS}SX " if system == "daos" else "-e -C "
    return [(system, 16, p, f"{own}-F -t 1m -b 64m") for p in RANKS]


def transfers(system: str) -> list[Point]:
    own = f"{DFS}SX " if system == "daos" else "-e -C "
    return [(system, 16, 8, f"{own}-F {sized(t, 64 << 20)}") for t in TRANSFERS]


# Of each panel: title, label of the horizontal axis, its values, and lines of points.
PANELS: list[tuple[str, str, list[int], dict[str, list[Point]]]] = [
    ("DAOS, 16 ranks per node, 16 MiB: classes", "nodes", NODES,
     {name: classes(name) for name in ("SX", "RP_2GX", "EC_16P2GX")}),
    ("Lustre, shared file, 8 ranks per node: stripes", "nodes", NODES,
     {name: stripes(count) for name, count in (("1", 1), ("8", 8), ("all (58)", -1))}),
    ("shared file and file per process, 4 MiB", "nodes", NODES,
     {"DAOS, shared": files("daos", ""), "DAOS, per process": files("daos", "-F"),
      "Lustre, shared": files("lustref1", "-O lustreStripeCount=-1"),
      "Lustre, per process": files("lustref1", "-F")}),
    ("16 nodes, 1 MiB", "ranks per node", RANKS,
     {"DAOS": per_node("daos"), "Lustre": per_node("lustref1")}),
    ("16 nodes, 8 ranks per node", "transfer (B)", TRANSFERS,
     {"DAOS": transfers("daos"), "Lustre": transfers("lustref1")}),
]  # fmt: skip


def key(point: Point) -> str:
    system, nodes, ppn, options = point
    return f"{system} {nodes}x{ppn} {options}"


def rates(point: Point) -> list[float]:
    """Bytes per second, written and read."""
    system, nodes, ppn, options = point
    name, changes = SYSTEMS[system]
    job = od.machine(name).with_(changes).job(nodes=nodes, ppn=ppn)
    summary = io_bench("ior", job, f"{options} -w -r", system, "loggp")
    return [row["rate_B_per_s"] for row in summary["rows"]]


def main() -> None:
    """Compute all points and draw them."""
    given, data = kept.options(__doc__), kept.read(DATA)
    every = [p for *_, lines in PANELS for points in lines.values() for p in points]
    for point in [] if given.draw else every:
        if key(point) not in data:
            data[key(point)] = rates(point)
            kept.write(DATA, kept.lines(data))
            print(key(point), flush=True)
    figure = Figure(figsize=(13, 8), layout="constrained")
    axes: list[Axes] = list(figure.subplots(2, 3).flat)
    for ax, panel in zip(axes, PANELS, strict=False):
        draw(ax, data, *panel)
    axes[-1].axis("off")
    axes[-1].plot([], [], "k-", label="write")
    axes[-1].plot([], [], "k--", label="read")
    axes[-1].legend(frameon=False, loc="center left")
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=110)
    print(f"wrote {out.name}")


def draw(
    ax: Axes, data: dict[str, Any], title: str, label: str, xs: list[int],
    lines: dict[str, list[Point]],
) -> None:  # fmt: skip
    plot.axes(ax)
    for (name, points), color in zip(lines.items(), plot.LINES, strict=False):
        for nth, style in enumerate(("o-", "s--")):
            ys = [data[key(point)][nth] / 1e9 for point in points]
            ax.loglog(xs, ys, style, ms=3.5, lw=1.5, color=color, label=name if nth == 0 else None)
    ax.set_xlabel(label)
    ax.set_ylabel("GB/s")
    ax.set_title(title, loc="left", fontsize=10)
    ax.legend(frameon=False, fontsize=8)


if __name__ == "__main__":
    main()
