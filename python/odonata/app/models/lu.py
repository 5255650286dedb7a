"""The problem of HPL and HPL-MxP: the LU factorization of a matrix that fills the memory."""

import math

from odonata.app import Phases
from odonata.app.shapes import balanced


def grid(ranks: int) -> tuple[int, ...]:
    """P x Q, with P at most Q."""
    return balanced(ranks, 2)[::-1]


def order(a: Phases, entry: int) -> int:
    """Order of the matrix: `n`, or a multiple of the block that fills the stated memory with
    entries of `entry` bytes."""
    if a.n:
        return int(a.n)
    return int(math.sqrt(a.gigabytes * 1e9 * a.ranks / entry) / a.nb) * a.nb


def flops(n: float) -> float:
    """Of factorization and solution, as HPL counts them (HPL_pdtest.c)."""
    return 2 / 3 * n**3 + 3 / 2 * n**2
