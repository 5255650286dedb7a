"""The problem of HPL and HPL-MxP: the LU factorization of a matrix that fills the memory."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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


def step_flops(left: float, nb: float) -> float:
    """Of a step with `left` rows, as rocHPL counts them."""
    panel = 2 / 3 * nb**3 - nb**2 / 2 - nb / 6
    return panel + 2 * left * nb**2 - left * nb + 2 * nb * left**2


def done_flops(n: float, left: float) -> float:
    """Until `left` rows are left, as rocHPL counts them."""
    return 2 / 3 * (n**3 - left**3) - (n**2 - left**2) / 2 - (n - left) / 6


@dataclass(frozen=True)
class Step:
    """A sampled step: its number, its result, the factor of its times, and the time from the
    beginning to the end of the step."""

    number: int
    run: Mapping[str, Any]
    factor: float
    elapsed_s: float

    @property
    def time_s(self) -> float:
        return self.factor * float(self.run["time_s"])

    def of(self, phase: str, part: str = "time_s") -> float:
        """Time of a phase, mean over ranks, s."""
        return self.factor * sum(r[part] for r in self.run["phases"] if r["phase"] == phase)


def steps(run: Mapping[str, Any]) -> list[Step]:
    """Sampled steps but the first, as rocHPL prints them.

    Steps between two samples take times on a line. Each sample was simulated alone, so it does not
    overlap the next one; all times have the factor with which they add up to the whole.
    """
    found = list(dict(run["steps"]).items())
    elapsed = [(found[0][0] + 1) * found[0][1]["time_s"]] if found else [0.0]
    for (low, before), (high, after) in zip(found, found[1:]):  # noqa: B905 - shifted
        first, last, count = before["time_s"], after["time_s"], high - low
        # Steps low + 1 to high, of which the last takes `last`.
        elapsed.append(elapsed[-1] + count * first + (last - first) * (count + 1) / 2)
    factor = run["time_s"] / elapsed[-1] if elapsed[-1] > 0 else 1.0
    return [
        Step(number, of, factor, factor * until)
        for (number, of), until in zip(found[1:], elapsed[1:], strict=True)
    ]


def rate_of(run: Mapping[str, Any], kernel: str) -> float:
    """Gflop/s of one rank in a kernel."""
    rows = [row for row in run["computations"] if row["kernel"] == kernel]
    return sum(row["flops"] for row in rows) / sum(row["time_s"] for row in rows) / 1e9
