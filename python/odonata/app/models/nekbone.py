"""Nekbone: conjugate gradients on spectral elements, as in the flow solver Nek5000.

Sources: Nek5000/Nekbone, cg.f and the flops that it counts; elements per rank and ranks per node
from "Scaling MPI Applications on Aurora".
"""

import math
from collections.abc import Mapping
from typing import Any

from odonata.app import App, Phases


def cg(a: Phases) -> None:
    ex, ey, ez = a.box  # elements of a rank
    n = a.points  # of an element along each axis
    elements = ex * ey * ez
    nodes = elements * n**3
    # Neighboring elements share the points of their faces, edges and corners.
    points = [e * (n - 1) + 1 for e in (ex, ey, ez)]
    with a.loop(a.iterations):
        with a.phase("ax"):
            # Derivatives as products of small matrices: 12 n flops a point. Reads the vector and
            # six geometric factors, writes the result.
            a.compute(flops=nodes * (12 * n + 19), bytes=nodes * 8 * 8, kernel="stencil")
        with a.phase("dssum"):
            a.compute(bytes=2 * 8 * 2 * sum(points[i] * points[j]
                                            for i, j in ((0, 1), (0, 2), (1, 2))))  # packing
            a.halo(width=1, bytes=8, box=points)
        with a.phase("dot"):
            for _ in range(3):  # glsc3
                a.compute(flops=nodes * 3, bytes=nodes * 3 * 8)
                a.allreduce(8)
        with a.phase("vectors"):
            # add2s1, add2s2 twice, and masks.
            a.compute(flops=nodes * 6, bytes=nodes * 9 * 8)


def flops(a: Phases) -> float:
    """The flops that Nekbone counts."""
    n = a.points
    elements = a.box[0] * a.box[1] * a.box[2]
    return elements * n**3 * (12 * n + 19 + 15) * a.iterations * a.ranks


def native(a: Phases, seconds: float, run: Mapping[str, Any]) -> list[str]:
    """The lines of set_timer_flop_cnt, with the flops that cg.f counts."""
    n, elements = a.points, int(a.box[0] * a.box[1] * a.box[2])
    operator = (12 * n + 19) * n**3 * elements * a.iterations
    vectors = 15 * n**3 * elements * (a.iterations + 1)
    rate = (operator + vectors) / seconds / 1e6
    exponent = math.floor(math.log10(seconds)) + 1  # Fortran's mantissa is below 1
    return [
        f"nelt = {elements:7d}, np = {a.ranks:9d}, nx1 = {n:7d}, "
        f"elements ={elements * a.ranks:10d}",
        f"Tot MFlops = {rate * a.ranks:12.4E}, MFlops      = {rate:12.4E}",
        f"Setup Flop = {operator:12.4E}, Solver Flop = {vectors:12.4E}",
        f"Solve Time = {seconds / 10.0**exponent:8.4f}E{exponent:+03d}",
    ]


model = App(
    cg,
    grid=3,
    options={"ex": 35, "ey": 30, "ez": 40, "points": 10, "iterations": 100},
    box=("ex", "ey", "ez"),
    merit=lambda a, seconds: flops(a) / seconds,
    unit="flop/s",
    title="Nekbone",
    native=native,
)
