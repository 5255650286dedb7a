"""Model of LAMMPS' benchmark in.rhodo: time steps without a new neighbor list and without output.

    python validation/validate.py rhodo        # builds LAMMPS, compares

Sources: comm_brick.cpp, pppm.cpp, gridcomm.cpp, fft3d.cpp, remap.cpp; bench/in.rhodo and data.rhodo
(box, cutoff, skin). The grid of PPPM is the one that LAMMPS prints. Numbers of ghost atoms are
drawn: the mean is that of a uniform density.
"""

import itertools
import math

from odonata.app import App, Phases, normal
from odonata.app.shapes import balanced

ATOMS, BOX = 32_000, (55.0, 77.0, 72.7261)  # angstrom [data.rhodo]
GHOST, SKIN = 12.0, 2.0  # angstrom: cutoff and skin [in.rhodo]
GRID, ORDER = (25, 32, 32), 5  # of PPPM, as LAMMPS prints
NEIGHBORS = 376  # per atom in its list with the skin [bench/log.6Oct16]; half of them with Newton
PAIR = 60  # flops of a pair: Lennard-Jones with switch, and a table of the Coulomb force [estimate]
MODIFY = 1000  # bytes per atom: integration, bonds and SHAKE [estimate]
SPREAD = 0.05  # of the atoms in a layer: protein, lipids and water [estimate]

Ranges = tuple[tuple[int, int], ...]  # first and end of a block of the grid, by axis


def pencils(a: Phases, shape: tuple[int, int, int], first: int) -> list[Ranges]:
    """Blocks of all ranks. Axis `first` of the process grid changes fastest with the rank."""
    found = []
    for rank in range(a.ranks):
        at = [0, 0, 0]
        others = [axis for axis in range(3) if axis != first]
        at[first], rest = rank % shape[first], rank // shape[first]
        for axis in others:
            at[axis], rest = rest % shape[axis], rest // shape[axis]
        found.append(tuple((at[k] * GRID[k] // shape[k], (at[k] + 1) * GRID[k] // shape[k])
                           for k in range(3)))  # fmt: skip
    return found


class Step:
    """The decompositions of one number of ranks."""

    def __init__(self, a: Phases):
        self.a, self.p = a, a.shape
        ranks = range(a.ranks)
        self.places = [a.grid_of_ranks.place(rank) for rank in ranks]
        self.bricks = [self.brick(place) for place in self.places]
        # Slabs while there are planes enough [pppm.cpp, set_grid_local].
        across = (1, a.ranks) if GRID[2] >= a.ranks else tuple(balanced(a.ranks, 2))[::-1]
        self.first = pencils(a, (1, *across), 1)
        one = max(n for n in range(1, math.isqrt(a.ranks) + 1) if a.ranks % n == 0)
        self.second = pencils(a, (one, 1, a.ranks // one), 0)
        self.third = pencils(a, (one, a.ranks // one, 1), 0)

    def brick(self, place: tuple[int, ...]) -> Ranges:
        # The cells whose lower corner is in the part of the box [comm.cpp, partition_grid].
        return tuple((math.ceil(at * cells / n), math.ceil((at + 1) * cells / n))
                     for at, n, cells in zip(place, self.p, GRID, strict=True))  # fmt: skip

    def outer(self, rank: int) -> Ranges:
        """The brick with its ghost cells."""
        found = []
        for axis in range(3):
            scale, width = GRID[axis] / BOX[axis], BOX[axis] / self.p[axis]
            low, high = self.places[rank][axis] * width, (self.places[rank][axis] + 1) * width
            first = math.floor((low - SKIN / 2) * scale + 0.5) - (ORDER - 1) // 2
            last = math.floor((high + SKIN / 2) * scale + 0.5) + ORDER // 2
            found.append((first, last + 1))
        return tuple(found)

    def neighbor(self, rank: int, axis: int, by: int) -> int:
        at = list(self.places[rank])
        at[axis] = (at[axis] + by) % self.p[axis]
        return (at[0] * self.p[1] + at[1]) * self.p[2] + at[2]

    def swaps(self) -> list[tuple[int, int]]:
        """Axis and direction of the messages of ghosts."""
        return [(axis, by) for axis in range(3) if self.p[axis] > 1 for by in (-1, 1)]

    def atoms(self, back: bool = False) -> None:
        """Ghost atoms, with the ghosts received before; `back`: their forces, in reverse order."""
        width = [side / n for side, n in zip(BOX, self.p, strict=True)]
        for axis, by in self.swaps()[::-1] if back else self.swaps():
            sides = [w + 2 * GHOST * (k < axis) for k, w in enumerate(width)]
            sides[axis] = GHOST
            mean = ATOMS * math.prod(sides) / math.prod(BOX)
            pairs = [(rank, self.neighbor(rank, axis, -by if back else by), mean)
                     for rank in range(self.a.ranks)]  # fmt: skip
            self.a.messages(self.a.links(pairs, normal(SPREAD)), 24, order="send")

    def ghosts(self, bytes: int, back: bool = False) -> None:
        """Ghost cells of the grid: a plane goes to the rank that needs it, or `back` from it."""
        for axis, by in self.swaps()[::-1] if back else self.swaps():
            pairs = []
            for rank in range(self.a.ranks):
                needs = self.neighbor(rank, axis, by)
                inner, outer = self.bricks[needs], self.outer(needs)
                planes = outer[axis][1] - inner[axis][1] if by < 0 else \
                    inner[axis][0] - outer[axis][0]  # fmt: skip
                wide = [outer[k] if k < axis else inner[k] for k in range(3)]
                cells = [planes if k == axis else end - first
                         for k, (first, end) in enumerate(wide)]  # fmt: skip
                ends = (needs, rank) if back else (rank, needs)
                pairs.append((*ends, math.prod(cells)))
            self.a.messages(self.a.links(pairs), bytes, order="send")

    def remap(self, source: list[Ranges], target: list[Ranges], bytes: int) -> None:
        pairs = []
        for one, other in itertools.permutations(range(self.a.ranks), 2):
            cells = math.prod(
                max(min(a[1], b[1]) - max(a[0], b[0]), 0)
                for a, b in zip(source[one], target[other], strict=True)
            )
            if cells:
                pairs.append((one, other, cells))
        self.a.messages(self.a.links(pairs), bytes, order="around")

    def transform(self, target: list[Ranges]) -> None:
        """From planes or pencils along x to those along y, along z, and to the target, with
        transforms along each axis."""
        self.lines(self.first, 0)
        self.remap(self.first, self.second, 16)
        self.lines(self.second, 1)
        self.remap(self.second, self.third, 16)
        self.lines(self.third, 2)
        self.remap(self.third, target, 16)

    def lines(self, blocks: list[Ranges], axis: int) -> None:
        """Transforms of the lines along an axis, of which ranks have different numbers."""
        of, n = self.a.grid((self.a.ranks,)), GRID[axis]
        for rank, block in enumerate(blocks):
            cells = math.prod(end - first for first, end in block)
            if cells:
                with self.a.where(axis=0, at=rank, grid=of):
                    self.a.compute(flops=5 * cells * math.log2(n), kernel="fft", size=n)


def steps(a: Phases) -> None:
    step, atoms = Step(a), ATOMS / a.ranks
    with a.loop(a.steps):
        with a.phase("comm"):
            step.atoms()
        with a.phase("pair"):
            a.compute(flops=atoms * NEIGHBORS / 2 * PAIR, kernel="pair")
        with a.phase("kspace"):
            a.compute(flops=atoms * ORDER**3 * 3, kernel="stencil")  # charges to the grid
            step.ghosts(8, back=True)  # density
            step.remap(step.bricks, step.first, 8)
            step.transform(step.first)
            for _ in range(3):  # components of the field
                step.transform(step.bricks)
            step.ghosts(24)
            a.compute(flops=atoms * ORDER**3 * 8, kernel="stencil")  # field to the atoms
            a.allreduce(48)  # virial
        with a.phase("comm"):
            step.atoms(back=True)
        with a.phase("modify"):
            step.atoms()  # SHAKE
            a.compute(bytes=atoms * MODIFY, kernel="stream")
            for doubles in (1, 6, 6, 6, 6):  # temperature and pressure
                a.allreduce(8 * doubles)


model = App(
    steps,
    grid=3,
    options={"steps": 3},
    merit=lambda a, seconds: float(ATOMS) * a.steps / seconds,
    unit="atom step/s",
    title="LAMMPS rhodopsin of 32,000 atoms",
)
