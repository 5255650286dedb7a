"""Shapes of process grids, and samples of loops."""

from __future__ import annotations

import math
from collections.abc import Sequence


def divisors(number: int) -> list[int]:
    low = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    return sorted({*low, *(number // d for d in low)})


def balanced(ranks: int, dimensions: int) -> tuple[int, ...]:
    """The factors of `ranks` that differ least, the largest first, as `MPI_Dims_create` makes."""
    if dimensions == 1:
        return (ranks,)
    best: tuple[int, ...] = (ranks, *[1] * (dimensions - 1))
    for last in divisors(ranks):
        if last**dimensions > ranks:
            break
        shape = tuple(sorted((*balanced(ranks // last, dimensions - 1), last), reverse=True))
        if (shape[0] - shape[-1], shape) < (best[0] - best[-1], best):
            best = shape
    return best


def sample(count: int, about: int) -> list[int]:
    """At most `about` positions of `count`, with both ends, denser toward them."""
    if count <= about:
        return list(range(count))
    steps = about - 1
    at = (round((count - 1) * (1 - math.cos(math.pi * k / steps)) / 2) for k in range(about))
    return sorted(set(at))


def weights(positions: Sequence[int], count: int) -> list[float]:
    """The weight of each position in a sum over `range(count)`, linear between positions."""
    found = [0.0] * len(positions)
    for nth, (low, high) in enumerate(zip(positions, positions[1:])):  # noqa: B905 - shifted
        width = high - low
        # The positions low to high - 1, of which the share (i - low) / width counts for the next.
        found[nth] += width - (width - 1) / 2
        found[nth + 1] += (width - 1) / 2
    found[-1] += 1
    return found
