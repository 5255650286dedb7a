"""Graph500: breadth-first search of a Kronecker graph, in two dimensions with switched directions.

Sources: graph500/graph500; Ueno and others (2016), "Extreme scale breadth-first search on
supercomputers". Problem: "Scaling MPI Applications on Aurora".
"""

import math
from collections.abc import Mapping
from typing import Any

from odonata.app import App, Phases, lognormal

EDGES = 16  # per vertex [graph500]
# Share of all vertices that each level of a search finds, and whether it goes up from unvisited
# vertices [estimate]. Of 7 to 9 levels, two or three find nearly all vertices.
LEVELS = ((1e-7, False), (1e-4, False), (0.03, False), (0.55, True), (0.12, True), (2e-3, True),
          (1e-5, False), (1e-8, False))  # fmt: skip
CHECKS = 2.0  # edges examined per unvisited vertex of a level from below [estimate]
VISITED = 0.7  # of all vertices; the others have no edges [estimate]
ACCESS = 64  # bytes of memory per edge, a cache line: neighbors are random


def top_down(a: Phases, found: float, vertices: float) -> None:
    columns = a.shape[1]
    frontier = found * vertices / a.ranks
    edges = found * vertices * EDGES * 2 / a.ranks
    a.allgatherv(math.ceil(frontier) * 8, axes=0, spread=lognormal(0.3))
    a.compute(bytes=edges * ACCESS, kernel="tree")
    # Pairs of vertex and parent, to the ranks of the row.
    a.alltoallv(math.ceil(edges / columns) * 16, axes=1, spread=lognormal(0.3))
    a.compute(bytes=edges * ACCESS, kernel="tree")


def bottom_up(a: Phases, unvisited: float, vertices: float) -> None:
    columns = a.shape[1]
    bitmap = vertices / a.ranks / 8
    a.allgather(math.ceil(bitmap), axes=0)
    checked = unvisited * vertices * CHECKS / a.ranks
    with a.loop(columns):
        a.compute(bytes=checked / columns * ACCESS, kernel="tree")
        a.shift(1, math.ceil(bitmap), axis=1)
    a.alltoallv(8, axes=1)


def search(a: Phases) -> None:
    vertices = 2.0**a.scale
    with a.loop(a.roots):
        unvisited = VISITED
        for found, is_up in LEVELS:
            with a.phase("bottom up" if is_up else "top down"):
                if is_up:
                    bottom_up(a, unvisited, vertices)
                else:
                    top_down(a, found, vertices)
            with a.phase("count"):
                a.allreduce(8)
            unvisited -= min(found, unvisited)


def native(a: Phases, seconds: float, run: Mapping[str, Any]) -> list[str]:
    """Statistics of the reference code (main.c); all searches take the same time in the model."""
    time = seconds / a.roots
    edges = EDGES * 2.0**a.scale
    names = ("min", "firstquartile", "median", "thirdquartile", "max", "mean")
    rows: list[tuple[str, float]] = [
        ("SCALE", a.scale), ("edgefactor", EDGES), ("NBFS", a.roots),
        ("num_mpi_processes", a.ranks), *((f"bfs  {name}_time", time) for name in names),
        ("bfs  stddev_time", 0.0), *((f"bfs  {name}_TEPS", edges / time) for name in names[:-1]),
        ("bfs  harmonic_mean_TEPS", edges / time),
    ]  # fmt: skip
    return [f"{name + ':':31} {value:g}" for name, value in rows]


model = App(
    search,
    grid=2,
    options={"scale": 42, "roots": 64},
    ppn=8,
    merit=lambda a, seconds: EDGES * 2.0**a.scale * a.roots / seconds,
    unit="TEPS",
    title="Graph500 BFS",
    native=native,
)
