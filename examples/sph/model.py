"""Model of sph.py: steps in which particles stay in their patches, on the initial octree.

    odonata app check examples/sph/model.py --machine aurora -n 8,27,64 -- \\
        python examples/sph/sph.py --particles {particles} --split {split} --steps {steps}

The decomposition is that of the program: patches in Hilbert order, in equal parts. The particles of
an interface are drawn: those of a lattice are a few more or less than the volume holds.
"""

import itertools
import math

from odonata.app import App, Phases, normal

BITS = 15  # of the program's Hilbert keys
H_FACT, WIDER = 1.2, 1.1  # smoothing length in mean distances; margin of the ghosts (hydro.py)
# Arrays that NumPy reads or writes, 8 B per element (hydro.py): per candidate of the search, per
# pair and Newton step, per pair in divergence and omega, and per pair in forces [estimate].
SEARCH, NEWTON, FIELDS, FORCES = 40, 25, 50, 110
STEPS = 3  # of Newton's method per time step [estimate]
GHOST = 24  # bytes of a position, which is compared with each neighbor patch
SPREAD = 0.1  # of the particles of an interface: planes of the lattice, or parts of them [estimate]


def cell_of(key: int) -> list[int]:
    """The cell of a Hilbert key (Skilling, AIP Conf. Proc. 707, 2004)."""
    x = [sum((key >> (3 * b + 2 - k) & 1) << b for b in range(BITS)) for k in range(3)]
    gray = x[2] >> 1
    x = [x[0] ^ gray, x[1] ^ x[0], x[2] ^ x[1]]
    for b in range(1, BITS):
        low = (1 << b) - 1
        for k in (2, 1, 0):
            if x[k] >> b & 1:
                x[0] ^= low
            else:
                swap = (x[0] ^ x[k]) & low
                x[0], x[k] = x[0] ^ swap, x[k] ^ swap
    return x


def lattice(n: int) -> tuple[int, list[float]]:
    """Particles, and sides of the box in distances of neighbors (particles.py)."""
    counts = [n, 2 * round(n / 3**0.5), 2 * round(n * 1.5**0.5 / 2)]
    sides = [counts[0], counts[1] * 0.75**0.5, counts[2] * (2 / 3) ** 0.5]
    return math.prod(counts), sides


def octree(a: Phases) -> tuple[int, list[tuple[int, int, float]]]:
    """Number of patches; per interface of patches of two ranks: both ranks, and the particles."""
    particles, sides = lattice(a.particles)
    level = 0
    while particles > a.split * 8**level:
        level += 1
    m, patches = 2**level, 8**level
    widths = [side / m for side in sides]
    density = particles / math.prod(sides)
    reach = 2 * WIDER * H_FACT * density ** (-1 / 3)
    if level == 0 or reach > min(widths):
        raise ValueError("patches must be wider than the reach of a particle, and several")
    cells = [tuple(x >> BITS - level for x in cell_of(k << 3 * (BITS - level)))
             for k in range(patches)]  # fmt: skip
    at = {cell: k for k, cell in enumerate(cells)}
    shape = (1.0, 1.0, math.pi / 4, math.pi / 6)  # of the reach around a face, an edge, a corner
    faces = []
    for k, cell in enumerate(cells):
        found = []
        for by in itertools.product((-1, 0, 1), repeat=3):
            if not any(by):
                continue
            there = [x + d for x, d in zip(cell, by, strict=True)]
            # The periodic image of the patch: shifted where its neighbor is across the boundary.
            image = [(x < 0) - (x >= m) for x in there]
            volume = shape[sum(map(abs, by))]
            volume *= math.prod(reach if d else w for d, w in zip(by, widths, strict=True))
            found.append((image, at[tuple(x % m for x in there)], volume))
        faces += [(k, other, volume) for _, other, volume in sorted(found)]
    owner = [(2 * k + 1) * a.ranks // (2 * patches) for k in range(patches)]
    links = [(owner[k], owner[other], density * volume) for k, other, volume in faces]
    return patches, [link for link in links if link[0] != link[1]]


def gather(a: Phases, bytes: int, rows: list[int]) -> None:
    """Rows of all ranks: the counts, then the rows."""
    a.allgather(4)
    mean = sum(rows) / len(rows)
    if mean:
        deviation = math.sqrt(sum((n / mean - 1) ** 2 for n in rows) / len(rows))
        a.allgatherv(mean * bytes, grain=bytes, spread=normal(deviation))


def steps(a: Phases) -> None:
    patches, pairs = octree(a)
    particles = lattice(a.particles)[0] / patches
    links = a.links(pairs, normal(SPREAD))
    messages, held, none = [0] * a.ranks, [0] * a.ranks, [0] * a.ranks
    for source, _, _ in pairs:
        messages[source] += 1
    for k in range(patches):
        held[(2 * k + 1) * a.ranks // (2 * patches)] += 1

    def exchange(bytes: int) -> None:
        gather(a, 16, messages)
        a.messages(links, bytes, head=24)

    # Cells of the search have half the largest reach, and 125 of them are searched.
    width = WIDER * H_FACT
    candidates = particles * 125 * width**3
    found = particles * 4 / 3 * math.pi * (2 * width) ** 3

    def each_patch(kernel: str, bytes: float) -> None:
        if len(set(held)) == 1:
            a.compute(bytes=bytes * held[0], kernel=kernel)
            return
        for rank, n in enumerate(held):
            with a.where(axis=0, at=rank):
                a.compute(bytes=bytes * n, kernel=kernel)

    with a.loop(a.steps):
        with a.phase("reattribution"):
            gather(a, 16, none)
        with a.phase("load balance"):
            gather(a, 40, held)
            gather(a, 16, none)
        with a.phase("smoothing length"):
            gather(a, 8, held)
            each_patch("stream", 26 * GHOST * particles)
            exchange(32)
            each_patch("tree", 8 * SEARCH * candidates)
            each_patch("pair", 8 * NEWTON * STEPS * found)
            a.allreduce(8)
            a.allreduce(8)
        for nth in range(a.corrections):
            with a.phase("fields"):
                if nth == 0:
                    each_patch("stencil", 8 * FIELDS / 2 * found)
                exchange(48)
                if nth == 0:
                    each_patch("stencil", 8 * FIELDS / 2 * found)
                    exchange(8)
            with a.phase("forces"):
                each_patch("pair", 8 * FORCES * found)
            with a.phase("corrector"):
                a.allreduce(8)
                a.allreduce(8)
        with a.phase("time step"):
            a.allreduce(8)


model = App(
    steps,
    grid=1,
    options={
        "particles": 16,  # along x
        "split": 128,  # most particles of a patch
        "steps": 2,
        "corrections": 2,  # passes of the corrector
    },
    unit="1/s",
    title="SPH on patches",
)
