"""Shamrock: smoothed particle hydrodynamics on patches of an octree, with sparse exchanges.

Sources: Shamrock, sph/Solver.cpp and sparse_exchange.cpp; examples/benchmarks/
sph_weak_scale_test.py. Rate of a tile of Aurora from published timers.
"""

from odonata.app import App, Phases, normal

# Particles/s of a tile while all twelve of a node compute: 124e6 particles/s and 3.25 s per step
# are 33.6e6 particles per tile, and 2.43 s are outside of MPI [published, 2026-04]. A tile alone
# has 14.6e6.
RATE = 33.6e6 / 2.43
# Relative deviation between tiles. On one node a tile waits 0.64 s in allreduce and allgather and
# computes 2.43 s [published, 2026-04]; the largest of 12 normal factors is 1.63 deviations above
# their mean. That it is normal is an estimate.
IMBALANCE = 0.64 / 2.43 / 1.63
SKIN = 2.4  # mean distances: the kernel's radius of two smoothing lengths of 1.2 [estimate]
PATCH = 2e7  # particles, above which a patch is split [sph_weak_scale_test.py]
HEADER = 16  # bytes of a message's description [sparse_exchange.cpp]
SMOOTHING = 2  # iterations of the smoothing length a step [estimate]


def exchange(a: Phases, bytes: float) -> None:
    """sparse_exchange: counts, descriptions, then the messages of the skins."""
    side = a.particles ** (1 / 3)
    patches = max(1, round(a.particles / PATCH))
    messages = 26 * patches
    a.allgather(8)
    a.allgatherv(messages * HEADER)
    a.halo(width=SKIN, bytes=bytes, box=(side, side, side), periodic=True)


def step(a: Phases) -> None:
    compute = a.particles / RATE

    def kernel(share: float) -> None:
        a.compute(seconds=share * compute, imbalance=normal(IMBALANCE), noise=normal(0.01))

    with a.loop(a.steps):
        with a.phase("predictor"):
            kernel(0.05)
        with a.phase("patches"):
            a.allgather(8)
            a.allgather(64)  # load of each rank's patches
        with a.phase("positions"):
            exchange(a, 32)
        with a.phase("smoothing length"), a.loop(SMOOTHING):
            kernel(0.4 / SMOOTHING)
            a.allreduce(8)
            a.allreduce(8)
        with a.phase("fields"):
            exchange(a, 100)
        with a.phase("alpha"):
            kernel(0.15)
            exchange(a, 8)
        with a.phase("forces"):
            kernel(0.35)
        with a.phase("corrector"):
            kernel(0.05)
            for _ in range(4):
                a.allreduce(8)
        with a.phase("step length"):
            a.allreduce(8)


model = App(
    step,
    grid=3,
    options={"particles": 32e6, "steps": 10},
    merit=lambda a, seconds: a.particles * a.ranks * a.steps / seconds,
    unit="particle/s",
    title="Shamrock",
    uncertainty=0.16,  # as its deviation between tiles [estimate]
)
