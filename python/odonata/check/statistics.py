"""Robust comparison of measurements with their predictions.

A ratio is measured value over prediction. The median of all ratios of a test removes what the
prediction gets wrong everywhere. A value is slow if it is below the median by more than the margin
and by more than four robust standard deviations, in most of its repeats.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

MAD_TO_SIGMA = 1.4826  # of a normal distribution
DEVIATIONS = 4.0  # validation suites' usual limit of a robust z [facts: isolation, 1]
LEAST_UNITS = 4  # below this number the median says nothing; the prediction's own bounds hold


@dataclass
class Comparison:
    """Ratios of a test's units and which are slow."""

    ratios: list[float]  # median of the repeats, relative to `center`
    slow: list[int]
    center: float
    sigma: float  # of one repeat of one unit, relative
    outliers: list[int]  # slow in a minority of repeats
    bound: float  # units below this ratio are slow
    false_alarms: float  # expected number without any fault


def compare(
    repeats: Sequence[Sequence[float]], predicted: Sequence[float], margin: float, error: float,
    like: Comparison | None = None, controls: Sequence[int] = (),
) -> Comparison:  # fmt: skip
    """Compare repeats of all units with the predictions.

    `error` is the error bar of the predictions, which bounds a test of few units. A test of
    suspects has no sound median of its own. Its center is that of its `controls`, which are units
    that were sound before. With few of them it is that of `like`, an earlier comparison of the
    same kind of test.
    """
    ratios = [
        [value / expected for value, expected in zip(values, predicted, strict=True)]
        for values in repeats
    ]
    n = len(predicted)
    is_many = n >= LEAST_UNITS
    if len(controls) >= LEAST_UNITS:
        is_many = True
        centers = [statistics.median(values[i] for i in controls) for values in ratios]
    elif like is not None:
        is_many = True
        centers = [like.center] * len(ratios)
    else:
        centers = [statistics.median(values) if is_many else 1.0 for values in ratios]
    scaled = [[r / center for r in values] for values, center in zip(ratios, centers, strict=True)]
    sigma = spread_of(scaled, is_many) if like is None else like.sigma
    bound = min(1 - (margin if is_many else max(margin, error)), 1 - DEVIATIONS * sigma)
    times_slow = [sum(values[i] < bound for values in scaled) for i in range(n)]
    needed = len(repeats) // 2 + 1
    middle = [statistics.median(values[i] for values in scaled) for i in range(n)]
    return Comparison(
        middle,
        [i for i in range(n) if times_slow[i] >= needed],
        statistics.median(centers),
        sigma,
        [i for i in range(n) if 0 < times_slow[i] < needed],
        bound,
        n * chance(bound, sigma, len(repeats), needed),
    )


def spread_of(scaled: Sequence[Sequence[float]], is_many: bool) -> float:
    """The robust relative standard deviation of one value."""
    if is_many:
        found = [abs(r - 1) for values in scaled for r in values]
        return MAD_TO_SIGMA * statistics.median(found)
    if len(scaled) > 1:
        means = [statistics.median(column) for column in zip(*scaled, strict=True)]
        off = [abs(r / m - 1) for values in scaled for r, m in zip(values, means, strict=True)]
        return MAD_TO_SIGMA * statistics.median(off)
    return 0.0


def chance(bound: float, sigma: float, repeats: int, needed: int) -> float:
    """The probability that a sound unit with normal noise is below `bound` in `needed` repeats."""
    if sigma <= 0:
        return 0.0
    once = 0.5 * math.erfc((1 - bound) / sigma / math.sqrt(2))
    return sum(
        math.comb(repeats, k) * once**k * (1 - once) ** (repeats - k)
        for k in range(needed, repeats + 1)
    )


def below_mean(values: Sequence[float], share: float = 0.9) -> list[int]:
    """dgnettest's rule: sets below 0.9 of the mean of all (its option -T)."""
    limit = share * statistics.fmean(values) if values else 0.0
    return [i for i, value in enumerate(values) if value < limit]
