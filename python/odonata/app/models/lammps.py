"""LAMMPS, rhodopsin: molecular dynamics with long-range electrostatics by Fourier transforms.

Sources: bench/in.rhodo, comm_brick.cpp, pppm.cpp, bench/log.6Oct16 (shares of the time); atoms per
rank of "Scaling MPI Applications on Aurora", with two threads a rank on CPU cores.
"""

import math
from collections.abc import Mapping
from typing import Any

from odonata.app import App, Phases, lognormal
from odonata.app.shapes import balanced

DENSITY = 0.104  # atoms per cubic angstrom [bench/data.rhodo]
GHOST = 12.0  # angstrom: cutoff 10 and skin 2 [in.rhodo]
GRID = 0.81  # points of the PPPM grid per atom [log.6Oct16]
ORDER = 5  # of PPPM's stencils [in.rhodo]
REBUILDS = 0.11  # of the neighbor list per step [log.6Oct16]
ATOM = 2.8e-6  # seconds of a rank per atom and step [estimate]
THREADS = 2  # of a rank ["Scaling MPI Applications on Aurora"]
STEP_NS = 2e-6  # a time step of 2 fs [in.rhodo]
FFT_RATE = 4e9  # flop/s of a rank in a transform [estimate]


def ghosts(a: Phases, bytes: int) -> None:
    """Six messages, axis by axis, with the ghosts received before."""
    side = a.atoms ** (1 / 3)
    width = GHOST * DENSITY ** (1 / 3)  # mean distances of atoms
    a.halo(width=width, bytes=bytes, box=(side, side, side), periodic=True, order="sweep")


def transform(a: Phases, n: int) -> None:
    """A transform of pencils: two transpositions."""
    rows, columns = balanced(a.ranks, 2)
    pencils = [a.grid(shape) for shape in ((1, rows, columns), (rows, 1, columns),
                                           (rows, columns, 1))]  # fmt: skip
    points = float(n) ** 3 / a.ranks
    a.compute(seconds=5 * points * math.log2(n) / FFT_RATE)
    for source, target in zip(pencils, pencils[1:], strict=False):
        a.remap(source, target, (n, n, n), 16)
        a.compute(seconds=5 * points * math.log2(n) / FFT_RATE)


def pppm(a: Phases) -> None:
    n = round((GRID * a.atoms * a.ranks) ** (1 / 3))
    box = [n / extent for extent in a.shape]
    rows, columns = balanced(a.ranks, 2)
    first = a.grid((1, rows, columns))
    last = a.grid((rows, columns, 1))
    a.halo(width=ORDER // 2 + 1, bytes=8, box=box, periodic=True, order="sweep")  # density
    a.remap(a.grid_of_ranks, first, (n, n, n), 8)
    transform(a, n)
    for _ in range(3):  # one per component of the field
        transform(a, n)
        a.remap(last, a.grid_of_ranks, (n, n, n), 8)
    a.halo(width=ORDER // 2 + 1, bytes=24, box=box, periodic=True, order="sweep")  # field


def step(a: Phases) -> None:
    with a.loop(a.steps):
        with a.phase("comm"):
            ghosts(a, 24)  # positions
        with a.phase("pair"):
            a.compute(seconds=0.69 * ATOM * a.atoms, imbalance=lognormal(0.02))
        with a.phase("neighbor"):
            a.compute(seconds=0.12 * ATOM * a.atoms)
        with a.phase("kspace"):
            pppm(a)
            a.compute(seconds=0.08 * ATOM * a.atoms)
        with a.phase("bond"):
            a.compute(seconds=0.035 * ATOM * a.atoms)
        with a.phase("comm"):
            ghosts(a, 24)  # forces, in the other direction
        with a.phase("modify"):
            ghosts(a, 24)  # SHAKE
            a.compute(seconds=0.04 * ATOM * a.atoms)
            for doubles in (1, 6, 6, 1):  # temperature, virial, pressure
                a.allreduce(8 * doubles)


SECTIONS = (("Pair", "pair"), ("Bond", "bond"), ("Kspace", "kspace"), ("Neigh", "neighbor"),
            ("Comm", "comm"), ("Modify", "modify"))  # fmt: skip


def native(a: Phases, seconds: float, run: Mapping[str, Any]) -> list[str]:
    """The loop time, the performance and the breakdown of finish.cpp. Times are means over ranks:
    the model does not have their minimum and maximum."""
    step, atoms = seconds / a.steps, a.atoms * a.ranks
    times = {row["phase"]: row["time_s"] for row in run["phases"]}
    rows = [(label, times.pop(phase, 0.0)) for label, phase in SECTIONS]
    other = sum(times.values())
    return [
        f"Loop time of {seconds:.6g} on {a.ranks * THREADS} procs for {a.steps} steps with "
        f"{atoms} atoms",
        "",
        f"Performance: {86400 / step * STEP_NS:.3f} ns/day, {step / STEP_NS / 3600:.3f} hours/ns, "
        f"{1 / step:.3f} timesteps/s",
        "",
        "MPI task timing breakdown:",
        "Section |  min time  |  avg time  |  max time  |%varavg| %total",
        "-" * 63,
        *(f"{label:<8s}| {mean:<10.5g} | {mean:<10.5g} | {mean:<10.5g} |{0.0:6.1f} |"
          f"{100 * mean / seconds:6.2f}" for label, mean in rows),
        f"Other   |            | {other:<10.4g} |            |       |{100 * other / seconds:6.2f}",
    ]  # fmt: skip


model = App(
    step,
    grid=3,
    options={"atoms": 287_000, "steps": 100},
    ranks_per_unit=8,  # 96 on a node of Aurora [S]
    merit=lambda a, seconds: float(a.atoms) * a.ranks * a.steps / seconds,
    unit="atom step/s",
    title="LAMMPS rhodopsin",
    uncertainty=0.3,  # of the time per atom [estimate]
    native=native,
)
