"""HACC: cosmology, with a long-range force by Fourier transforms and short-range subcycles.

Sources: SWFFT, distribution.c and dfft: every change of pencils goes by way of blocks. Points per
rank of "Scaling MPI Applications on Aurora". Costs of particles on CPU cores are estimates.
"""

import math

from odonata.app import App, Phases, lognormal
from odonata.app.shapes import balanced

COMPLEX = 16  # bytes of a grid point
PARTICLE = 36  # bytes: position, velocity, potential in 32 bits, 64-bit number [estimate]
TRANSFORMS = 4  # a step: one forward, one inverse for each gradient [estimate]
SUBCYCLES = 4  # of the short-range force a step [estimate]
OVERLOAD = 8.0  # grid cells of the overload zone [estimate]
DEPOSIT = 40e-9  # seconds of a core for a particle, deposit and interpolation [estimate]
SHORT_RANGE = 1.5e-6  # seconds of a core for a particle and subcycle [estimate]
FFT_RATE = 2e9  # flop/s of a core in a transform [estimate]


def side(a: Phases) -> int:
    """Points of the grid along an axis."""
    return a.points or round((a.points_per_rank * a.ranks) ** (1 / 3))


def transform(a: Phases, n: int) -> None:
    """Blocks to pencils, a transform, pencils to blocks, for each axis."""
    points = float(n) ** 3 / a.ranks
    for axis in range(3):
        shape = list(balanced(a.ranks, 2))
        shape.insert(axis, 1)
        pencils = a.grid(shape)
        with a.phase("redistribution"):
            a.remap(a.grid_of_ranks, pencils, (n, n, n), COMPLEX)
        with a.phase("fft"):
            a.compute(seconds=5 * points * math.log2(n) / FFT_RATE)
        with a.phase("redistribution"):
            a.remap(pencils, a.grid_of_ranks, (n, n, n), COMPLEX)


def step(a: Phases) -> None:
    n = side(a)
    particles = float(n) ** 3 / a.ranks
    box = [n / extent for extent in a.shape]
    with a.loop(a.steps):
        with a.phase("density"):
            a.compute(seconds=DEPOSIT * particles)
            a.halo(width=1, bytes=8, box=box, periodic=True)
        with a.loop(TRANSFORMS):
            transform(a, n)
        with a.phase("overload"):
            a.halo(width=min(OVERLOAD, *box), bytes=PARTICLE, box=box, periodic=True)
        with a.phase("short range"), a.loop(SUBCYCLES):
            a.compute(seconds=SHORT_RANGE * particles, imbalance=lognormal(0.05))
        with a.phase("step length"):
            a.allreduce(8)


model = App(
    step,
    grid=3,
    options={"points": 0, "points_per_rank": 7.96e6, "steps": 10},
    ranks_per_unit=8,  # 96 on a node of Aurora [S]
    merit=lambda a, seconds: float(side(a)) ** 3 * a.steps / seconds,
    unit="particle/s",
    title="HACC",
    uncertainty=0.3,  # of the times of particles and transforms [estimate]
)
