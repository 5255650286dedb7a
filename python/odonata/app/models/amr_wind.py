"""AMR-Wind: incompressible flow of the atmosphere, with multigrid solvers of AMReX.

Sources: Exawind/amr-wind, incflo_advance.cpp; AMReX, MLMG and MLCGSolver. The domain grows in x and
y at 256 cells in z, as in "Scaling MPI Applications on Aurora".
"""

from collections.abc import Mapping
from typing import Any

from odonata.app import App, Phases

CELL = 8  # bytes of a value
LEAST = 32  # cells along an axis of a box on GPUs, below which AMReX agglomerates boxes [AMReX]
BOTTOM_ITERATIONS = 12  # of BiCGStab at the bottom [estimate]


def ghosts(a: Phases, n: list[float], values: int, width: int = 1) -> None:
    """FillBoundary of columns: neighbors in x and y, periodic."""
    a.halo(width=width, bytes=CELL * values * int(n[2]), periodic=True, box=n[:2])


def smooth(a: Phases, n: list[float]) -> None:
    """Red-black Gauss-Seidel: two half passes, with ghost cells before each."""
    cells = n[0] * n[1] * n[2]
    for _ in range(2):
        ghosts(a, n, 1)
        # Half of the cells: solution (read and written), right side, coefficients of 4 faces.
        a.compute(flops=cells / 2 * 13, bytes=cells / 2 * 7 * CELL, kernel="stencil")


def bottom(a: Phases, cells: float) -> None:
    """BiCGStab on the coarsest level, on one rank of each node: five reductions an iteration."""
    nodes = a.grid((a.nodes, a.ppn))
    with a.where(axis=1, at=0, grid=nodes):
        with a.loop(BOTTOM_ITERATIONS):
            for size in (8, 8, 8, 16, 8):  # dot, dot, norm, two dots at once, norm
                a.compute(flops=cells * a.ppn * 5, bytes=cells * a.ppn * 4 * CELL, kernel="stencil")
                a.allreduce(size, axes=0, grid=nodes)


def solve(a: Phases, name: str, components: int = 1) -> None:
    """MLMG: V-cycles, with two smooths before and after the coarser level, and a norm each."""
    levels = [[float(c) for c in a.box]]
    while min(levels[-1]) > LEAST:
        levels.append([c / 2 for c in levels[-1]])
    with a.phase(name), a.loop(a.cycles * components):
        for n in levels:
            for _ in range(2):
                smooth(a, n)
            cells = n[0] * n[1] * n[2]
            ghosts(a, n, 1)
            a.compute(flops=cells * 14, bytes=cells * 8 * CELL, kernel="stencil")  # residual
        bottom(a, levels[-1][0] * levels[-1][1] * levels[-1][2])
        for n in reversed(levels):
            for _ in range(2):
                smooth(a, n)
        a.allreduce(8)


def step(a: Phases) -> None:
    cells = a.box[0] * a.box[1] * a.box[2]
    with a.loop(a.steps):
        with a.phase("ghosts"):
            ghosts(a, list(a.box), 4, width=3)
        solve(a, "mac projection")
        with a.phase("advection"):
            # Godunov: slopes and fluxes of temperature and three velocities.
            ghosts(a, list(a.box), 4, width=3)
            a.compute(flops=cells * 4 * 150, bytes=cells * 4 * 20 * CELL, kernel="stencil")
        solve(a, "diffusion", components=4)
        solve(a, "nodal projection")
        with a.phase("step length"):
            a.allreduce(8)  # largest velocity, for the next step
        with a.phase("statistics"):
            a.compute(bytes=cells * 4 * CELL)
            a.allreduce(int(a.box[2]) * CELL * 8)  # averages over planes of 8 quantities


def seconds_of(run: Mapping[str, Any], name: str) -> float:
    """Time of a phase."""
    return sum(float(row["time_s"]) for row in run["phases"] if row["phase"] == name)


def native(a: Phases, seconds: float, run: Mapping[str, Any]) -> list[str]:
    """Lines of each step (incflo::Evolve, SimTime::new_timestep, io::print_mlmg_info): iterations
    of each solver, and the wall-clock time. The flow is not computed, so there are no step length,
    CFL number and residuals. All steps take the mean time."""
    each = seconds / a.steps
    before = seconds_of(run, "step length") / a.steps  # compute_dt
    after = seconds_of(run, "statistics") / a.steps  # post_advance_work
    head = f"  {'System':<26}{'Iters':>6}{'Initial residual':>22}{'Final residual':>22}"
    names = ("MAC_projection", "temperature_solve", "velocity_solve", "Nodal_projection")
    found = []
    for nth in range(1, a.steps + 1):
        found += ["", 78 * "=", f"Step: {nth}", "", "Godunov:", head, "  " + 76 * "-"]
        found += [f"  {name:<26}{a.cycles:>6}{'-':>22}{'-':>22}" for name in names]
        found += [
            "",
            f"WallClockTime in Evolve() for step {nth}: Pre: {before:.3g} "
            f"Solve: {each - before - after:.4g} Post: {after:.3g} Total: {each:.4g}",
            f"Cumulative WallClockTime in Evolve(): {nth * each:.4g}",
        ]
    return [*found, "", 78 * "=", ""]


model = App(
    step,
    grid=2,
    options={"nx": 256, "ny": 256, "nz": 256, "steps": 10, "cycles": 8},
    box=("nx", "ny", "nz"),
    merit=lambda a, seconds: a.box[0] * a.box[1] * a.box[2] * a.ranks * a.steps / seconds,
    unit="cell/s",
    title="AMR-Wind",
    native=native,
)
