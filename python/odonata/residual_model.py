"""How far a prediction is from a measurement of a new organization: a hierarchical model.

The logarithm of the size of a residual is a sum of a mean and normal effects. Kinds from general to
specific have an effect each, and so have the organization that measured, the organization for the
kind, and the point. The standard deviations of the effects are those of the largest restricted
likelihood, with a weak prior. So a kind with few measurements is predicted from related kinds, with
a larger deviation. docs/models/error-bars.md has the equations.

The module has no knowledge of benchmarks. docs/reference/predictions.py uses it; commands read its
results from `data/bands.json`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Chain = tuple[str, ...]
Vector = NDArray[np.float64]

# Added to a residual before its logarithm, so that residuals far below it differ little. It is the
# worst error of a curve that passes.
OFFSET = 0.15
# Prior of each standard deviation: median and spread of its logarithm [estimate].
PRIOR, PRIOR_SPREAD = 0.5, 1.0
# Steps of the logarithm of a standard deviation in the search for the largest likelihood. The last
# one is far larger than rounding errors, so that results do not depend on the linear algebra.
FIRST_STEP, LAST_STEP = 0.4, 0.05
# Kinds of a chain, without the one of all.
LEVELS = 4
# Organizations from which a kind has a multiplier of its own [choice]: with fewer, a quantile of
# 0.9 is among the points of one organization.
CALIBRATED = 7


@dataclass(frozen=True)
class Point:
    """A residual: who measured it, its kinds from general to specific, and |ln ratio|."""

    organization: str
    kinds: Chain
    residual: float

    @property
    def size(self) -> float:
        return math.log(self.residual + OFFSET)


class Cells:
    """Points by organization and kinds. Count, mean and deviations of a cell are sufficient."""

    def __init__(self, points: Iterable[Point]) -> None:
        sizes: dict[tuple[str, Chain], list[float]] = {}
        for point in points:
            sizes.setdefault((point.organization, point.kinds), []).append(point.size)
        self.keys = sorted(sizes)
        self.organizations = [organization for organization, _ in self.keys]
        self.chains = [chain for _, chain in self.keys]
        self.counts = np.array([len(sizes[key]) for key in self.keys], float)
        self.means = np.array([sum(sizes[key]) / len(sizes[key]) for key in self.keys])
        self.squares = sum(
            (size - mean) ** 2
            for key, mean in zip(self.keys, self.means, strict=True)
            for size in sizes[key]
        )


def shared_kinds(some: Sequence[Chain], others: Sequence[Chain]) -> list[Vector]:
    """For each level, which pairs have the same kind there."""
    return [
        np.array([
            [float(len(a) > level and len(b) > level and a[level] == b[level]) for b in others]
            for a in some
        ]).reshape(len(some), len(others))
        for level in range(1, LEVELS + 1)
    ]  # fmt: skip


def equal(names: Sequence[object]) -> Vector:
    return np.array([[float(a == b) for b in names] for a in names])


@dataclass(frozen=True)
class Deviations:
    """Standard deviations: of each level, organization, organization and kind, and point."""

    logarithms: Vector

    @property
    def variances(self) -> Vector:
        return np.exp(2.0 * self.logarithms)


def effects(cells: Cells) -> list[Vector]:
    return [*shared_kinds(cells.chains, cells.chains), equal(cells.organizations),
            equal(cells.keys)]  # fmt: skip


def covariance(variances: Vector, of_effects: Sequence[Vector], counts: Vector) -> Vector:
    """The covariance of the means of cells."""
    total = np.diag(variances[-1] / counts)
    for variance, shared in zip(variances[:-1], of_effects, strict=True):
        total += variance * shared
    return total


def cost(logarithms: Vector, cells: Cells, of_effects: Sequence[Vector]) -> float:
    """The negative logarithm of the restricted likelihood and the prior, up to a constant."""
    variances = np.exp(2.0 * logarithms)
    root = np.linalg.cholesky(covariance(variances, of_effects, cells.counts))
    white = np.linalg.solve(root, np.column_stack([cells.means, np.ones(len(cells.means))]))
    ones = white[:, 1] @ white[:, 1]
    rest = white[:, 0] - white[:, 1] * (white[:, 1] @ white[:, 0]) / ones
    free = cells.counts.sum() - len(cells.means)  # deviations within cells
    return float(
        np.log(np.diag(root)).sum()
        + 0.5 * (np.log(ones) + rest @ rest + cells.squares / variances[-1])
        + free * logarithms[-1]
        + 0.5 * (((logarithms - math.log(PRIOR)) / PRIOR_SPREAD) ** 2).sum()
    )


def fit(cells: Cells) -> Deviations:
    """The deviations of the lowest cost, by steps along one coordinate at a time."""
    of_effects = effects(cells)
    place = np.full(LEVELS + 3, math.log(PRIOR))
    lowest, step = cost(place, cells, of_effects), FIRST_STEP
    while step >= LAST_STEP:
        before = lowest
        for axis in range(len(place)):
            for move in (step, -step):
                while True:
                    tried = place.copy()
                    tried[axis] += move
                    value = cost(tried, cells, of_effects)
                    if value >= lowest - 1e-6:
                        break
                    place, lowest = tried, value
        if lowest == before:
            step /= 2
    return Deviations(place)


def predict(cells: Cells, deviations: Deviations, chains: Sequence[Chain]) -> tuple[Vector, Vector]:
    """Mean and standard deviation of the size of a point of a new organization, for each chain.

    Levels below the end of a chain are unknown kinds.
    """
    variances = deviations.variances
    inverse = np.linalg.inv(covariance(variances, effects(cells), cells.counts))
    ones = np.ones(len(cells.means))
    weight = ones @ inverse @ ones
    mean = ones @ inverse @ cells.means / weight
    near, kinds = np.zeros((len(chains), len(ones))), shared_kinds(chains, cells.chains)
    for variance, shared in zip(variances[:LEVELS], kinds, strict=True):
        near += variance * shared
    means = mean + near @ inverse @ (cells.means - mean)
    spread = variances.sum() - np.einsum("ij,jk,ik->i", near, inverse, near)
    spread += (1.0 - near @ inverse @ ones) ** 2 / weight
    return means, np.sqrt(spread)


def quantile(scores: Mapping[str, Sequence[float]], level: float) -> float:
    """The quantile of scores by organization, each organization with the same weight."""
    weighted = sorted(
        (score, 1.0 / len(scores) / len(of)) for of in scores.values() for score in of
    )
    total = 0.0
    for score, weight in weighted:
        total += weight
        if total >= level - 1e-12:
            return score
    raise AssertionError("the weights of scores have the sum 1")


def scores_of(points: Sequence[Point], deviations: Deviations) -> list[tuple[Point, float]]:
    """How many deviations above the mean each point is, predicted from all other organizations."""
    scores: list[tuple[Point, float]] = []
    for organization in sorted({point.organization for point in points}):
        own = [point for point in points if point.organization == organization]
        others = [point for point in points if point.organization != organization]
        chains = sorted({point.kinds for point in own})
        means, spreads = predict(Cells(others), deviations, chains)
        at = {chain: n for n, chain in enumerate(chains)}
        scores += [
            (point, float((point.size - means[at[point.kinds]]) / spreads[at[point.kinds]]))
            for point in own
        ]
    return scores


def multipliers(points: Sequence[Point], deviations: Deviations, level: float) -> dict[str, float]:
    """For the kind of all points, and each that at least `CALIBRATED` organizations measured, how
    many deviations above the mean the quantile is."""
    scores: dict[str, dict[str, list[float]]] = {}
    for point, score in scores_of(points, deviations):
        for kind in point.kinds:
            scores.setdefault(kind, {}).setdefault(point.organization, []).append(score)
    general = {point.kinds[0] for point in points}
    return {
        kind: quantile(of, level)
        for kind, of in scores.items()
        if kind in general or len(of) >= CALIBRATED
    }


def factors(points: Sequence[Point], chains: Sequence[Chain], level: float) -> list[float]:
    """For each chain the factor on either side of a prediction that covers a point of a new
    organization with the probability `level`. The multiplier is the largest one of its kinds, so
    that the level holds for each of them."""
    cells = Cells(points)
    deviations = fit(cells)
    by_kind = multipliers(points, deviations, level)
    means, spreads = predict(cells, deviations, chains)
    times = [max(by_kind[kind] for kind in chain if kind in by_kind) for chain in chains]
    return [
        math.exp(max(math.exp(mean + multiplier * spread) - OFFSET, 0.0))
        for mean, multiplier, spread in zip(means, times, spreads, strict=True)
    ]
