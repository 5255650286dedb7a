"""Particles, their initial lattice, and the periodic box."""

from dataclasses import dataclass

import numpy as np

PARTICLE = np.dtype(
    [("id", "i8"), ("x", "f8", 3), ("v", "f8", 3), ("u", "f8"), ("h", "f8"), ("alpha", "f8"),
     ("divv", "f8"), ("a", "f8", 3), ("du", "f8")]
)  # fmt: skip
BITS = 15  # levels of the octree; the finest cells have coordinates of 15 bits


@dataclass
class Box:
    """A periodic box of blocks, each a nearly cubic hexagonal close-packed lattice.

    per_block  particles along x in a block
    blocks     number of blocks in each direction
    """

    per_block: int
    blocks: tuple[int, int, int] = (1, 1, 1)

    def __post_init__(self) -> None:
        n = self.per_block
        # Rows and layers of a lattice with unit spacing repeat after two.
        rows, layers = 2 * round(n / 3**0.5), 2 * round(n * 1.5**0.5 / 2)
        self.block = np.array([n, rows * 0.75**0.5, layers * (2 / 3) ** 0.5])
        scale = self.block.prod() ** (1 / 3)  # a block has the volume 1
        self.spacing = 1 / scale
        self.block /= scale
        self.counts = np.array([n, rows, layers]) * self.blocks
        self.size = self.block * self.blocks
        self.particles = int(self.counts.prod())
        # The root of the octree is 2^k blocks wide; `cell` is its finest resolution.
        widest = max(self.blocks)
        self.cell = self.block * (1 << (widest - 1).bit_length()) / (1 << BITS)

    def lattice(self, part: int, parts: int) -> np.ndarray:
        """A contiguous part of the particles, at rest."""
        index = np.arange(self.particles * part // parts, self.particles * (part + 1) // parts)
        held = np.zeros(len(index), PARTICLE)
        held["id"] = index
        # The middle of two neighbors is an inversion center of the lattice: that of the box.
        half = self.counts // 2
        middle = (self.site(half) + self.site(half + [0, 0, 1])) / 2
        x = self.site(np.stack(np.unravel_index(index, self.counts), axis=-1))
        held["x"] = self.wrap((x - middle) * self.spacing + self.size / 2)
        return held

    @staticmethod
    def site(ijk: np.ndarray) -> np.ndarray:
        """Positions on the lattice with unit spacing."""
        i, j, k = np.moveaxis(ijk, -1, 0)
        return np.stack(
            [i + (j + k) % 2 / 2, (j + k % 2 / 3) * 0.75**0.5, k * (2 / 3) ** 0.5], axis=-1
        )

    def wrap(self, x: np.ndarray) -> np.ndarray:
        """Positions in the box; rounding can turn a negative zero into the size of the box."""
        x = x % self.size
        return np.where(x < self.size, x, 0.0)
