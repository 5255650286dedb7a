"""Patches: the leaves of an octree in Hilbert order, distributed over ranks by their load.

A patch is an interval of Hilbert keys. Its first key, at the resolution of BITS per direction, and
its level identify it, and its eight children are eight equal parts of the interval.
"""

import numpy as np
from exchange import Exchange
from particles import BITS, PARTICLE, Box

LEAF = np.dtype([("key", "i8"), ("level", "i8"), ("count", "i8"), ("owner", "i8"), ("reach", "f8")])


def turn(x: list[np.ndarray], k: int, b: int) -> None:
    """One step of Skilling's algorithm: invert or exchange the bits below bit b."""
    low = (1 << b) - 1
    is_up = (x[k] >> b & 1).astype(bool)
    swap = np.where(is_up, 0, (x[0] ^ x[k]) & low)
    x[0] = x[0] ^ np.where(is_up, low, swap)
    x[k] = x[k] ^ swap


def hilbert_keys(cells: np.ndarray, bits: int = BITS) -> np.ndarray:
    """Keys of integer cells (n, 3) on the Hilbert curve (Skilling, AIP Conf. Proc. 707, 2004)."""
    x = [cells[:, k].astype(np.int64) for k in range(3)]
    for b in range(bits - 1, 0, -1):
        for k in range(3):
            turn(x, k, b)
    x[1] ^= x[0]
    x[2] ^= x[1]
    flip = np.zeros_like(x[0])
    for b in range(bits - 1, 0, -1):
        flip = np.where(x[2] >> b & 1, flip ^ ((1 << b) - 1), flip)
    keys = np.zeros_like(flip)
    for b in range(bits - 1, -1, -1):
        for k in range(3):
            keys = keys << 1 | ((x[k] ^ flip) >> b & 1)
    return keys


def hilbert_cells(keys: np.ndarray, bits: int = BITS) -> np.ndarray:
    """The inverse of hilbert_keys."""
    x = [np.zeros_like(keys) for _ in range(3)]
    for b in range(bits):
        for k in range(3):
            x[k] |= (keys >> (3 * b + 2 - k) & 1) << b
    gray = x[2] >> 1
    x[2] ^= x[1]
    x[1] ^= x[0]
    x[0] ^= gray
    for b in range(1, bits):
        for k in (2, 1, 0):
            turn(x, k, b)
    return np.stack(x, axis=1)


class Octree:
    """All leaves, on every rank, and the particles of this rank's leaves by key."""

    def __init__(self, box: Box, exchange: Exchange, split: int):
        self.box, self.exchange, self.split = box, exchange, split
        self.me, self.ranks = exchange.comm.rank, exchange.comm.size
        self.leaves = np.zeros(0, LEAF)
        self.mine: dict[int, np.ndarray] = {}

    def start(self, particles: np.ndarray, level: int) -> None:
        """Distribute the initial particles, which any rank may hold, to leaves of one level."""
        n = 8**level
        self.leaves = np.zeros(n, LEAF)
        self.leaves["key"] = np.arange(n) << 3 * (BITS - level)
        self.leaves["level"] = level
        low, high = self.bounds(self.leaves)
        self.leaves = self.leaves[np.all(low < self.box.size - 1e-9, axis=1)]
        self.leaves["owner"] = np.arange(len(self.leaves)) * self.ranks // len(self.leaves)
        self.mine = {int(a["key"]): np.zeros(0, PARTICLE) for a in self.leaves if self.owns(a)}
        self.deliver(particles, self.find(particles["x"]))
        self.balance()

    def owns(self, leaf: np.void) -> bool:
        return leaf["owner"] == self.me

    def bounds(self, leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper corners."""
        width = 1 << (BITS - leaves["level"])[:, None]
        cells = hilbert_cells(leaves["key"]) // width * width
        return cells * self.box.cell, (cells + width) * self.box.cell

    def find(self, x: np.ndarray) -> np.ndarray:
        """Index of the leaf that holds each position."""
        keys = hilbert_keys((x / self.box.cell).astype(np.int64))
        return np.searchsorted(self.leaves["key"], keys, side="right") - 1

    def reattribute(self) -> None:
        """Move particles that have left their patch to the patch that they are in."""
        leaving = [np.zeros(0, PARTICLE)]
        for leaf, held in self.patches():
            width = 1 << (BITS - int(self.leaves["level"][leaf]))
            corner = hilbert_cells(self.leaves["key"][leaf : leaf + 1]) // width
            away = np.any((held["x"] / self.box.cell).astype(int) // width != corner, axis=1)
            leaving.append(held[away])
            self.mine[int(self.leaves["key"][leaf])] = held[~away]
        moving = np.concatenate(leaving)
        self.deliver(moving, self.find(moving["x"]))

    def deliver(self, particles: np.ndarray, to: np.ndarray) -> None:
        """Send particles to the leaves `to`, by their index: one message per leaf."""
        messages = []
        arriving: dict[int, list[np.ndarray]] = {}
        for leaf in np.unique(to).tolist():
            part = particles[to == leaf]
            if self.owns(self.leaves[leaf]):
                arriving.setdefault(leaf, []).append(part)
            else:
                messages.append((int(self.leaves["owner"][leaf]), part.view(np.uint8)))
        for _, data in self.exchange(messages):
            part = data.view(PARTICLE)
            arriving.setdefault(int(self.find(part["x"][:1])[0]), []).append(part)
        for leaf, parts in arriving.items():
            key = int(self.leaves["key"][leaf])
            self.mine[key] = canonical([self.mine[key], *parts])

    def balance(self) -> None:
        """Split large patches, and distribute equal loads along the curve."""
        rows = [row for leaf in self.leaves if self.owns(leaf) for row in self.split_up(leaf)]
        self.leaves, _ = self.exchange.gather(np.array(rows, LEAF))
        self.leaves.sort(order="key")
        load = self.leaves["count"]
        middle = np.cumsum(load) - load / 2
        owners = np.minimum(middle * self.ranks // load.sum(), self.ranks - 1).astype(int)
        messages = []
        for leaf, owner in zip(self.leaves, owners.tolist(), strict=True):
            if self.owns(leaf) and owner != self.me:
                held = self.mine.pop(int(leaf["key"]))
                if len(held):
                    messages.append((owner, held.view(np.uint8)))
        self.leaves["owner"] = owners
        for leaf in self.leaves[owners == self.me]:
            self.mine.setdefault(int(leaf["key"]), np.zeros(0, PARTICLE))
        for _, data in self.exchange(messages):
            part = data.view(PARTICLE)
            self.mine[int(self.leaves["key"][self.find(part["x"][:1])[0]])] = part

    def split_up(self, leaf: np.void) -> list[np.void]:
        """The leaf, or its descendants of at most `split` particles each."""
        held = self.mine[int(leaf["key"])]
        if len(held) <= self.split:
            leaf["count"] = len(held)
            return [leaf]
        del self.mine[int(leaf["key"])]
        children = np.zeros(8, LEAF)
        children["level"], children["owner"] = leaf["level"] + 1, self.me
        shift = 3 * (BITS - int(leaf["level"]) - 1)
        children["key"] = leaf["key"] + (np.arange(8) << shift)
        cells = (held["x"] / self.box.cell).astype(np.int64)
        which = hilbert_keys(cells) - leaf["key"] >> shift
        inside = np.all(self.bounds(children)[0] < self.box.size - 1e-9, axis=1)
        for n in np.flatnonzero(inside).tolist():
            self.mine[int(children["key"][n])] = held[which == n]
        return [row for child in children[inside] for row in self.split_up(child)]

    def patches(self) -> list[tuple[int, np.ndarray]]:
        """This rank's patches in Hilbert order: index of the leaf, and particles."""
        own = np.flatnonzero(self.leaves["owner"] == self.me)
        return [(leaf, self.mine[int(self.leaves["key"][leaf])]) for leaf in own.tolist()]

    def share_reach(self, reach: list[float]) -> None:
        """Distribute how far the particles of each patch interact."""
        # Owners grow along the curve, so rank order is the order of the leaves.
        self.leaves["reach"], _ = self.exchange.gather(np.array(reach, float))

    def interfaces(self) -> list[tuple[int, int, int, np.ndarray]]:
        """Pairs of leaves, the first of this rank, that interact: indices, and number and vector of
        a periodic shift of the first."""
        low, high = self.bounds(self.leaves)
        grid = np.stack(np.meshgrid(*[[-1, 0, 1]] * 3, indexing="ij"), axis=-1).reshape(27, 1, 3)
        shifts = grid * self.box.size
        pairs = []
        for leaf, _ in self.patches():
            reach = np.maximum(self.leaves["reach"], self.leaves["reach"][leaf])
            gap = np.maximum(low[leaf] + shifts - high, low - (high[leaf] + shifts))
            near = (np.maximum(gap, 0) ** 2).sum(axis=2) < reach**2
            near[13, leaf] = False  # itself, without a shift
            for image, other in np.argwhere(near).tolist():
                pairs.append((leaf, other, image, shifts[image, 0]))
        return pairs


def canonical(parts: list[np.ndarray]) -> np.ndarray:
    """Particles in the order of their numbers, so that sums do not depend on the ranks."""
    held = np.concatenate(parts)
    return held[np.argsort(held["id"], kind="stable")]
