"""The equations of smoothed particle hydrodynamics, for the particles of one patch.

Conservative form with variable smoothing lengths (Price et al., PASA 35, e031, 2018): cubic spline
kernel, artificial viscosity with a switch after Cullen and Dehnen (MNRAS 408, 669, 2010), and
artificial conductivity. Functions take the particles of a patch and the pairs of `neighbors`, whose
first index is a particle of the patch, and whose second one may be a ghost.
"""

from dataclasses import dataclass

import numpy as np

GAMMA = 5 / 3
H_FACT = 1.2  # smoothing length in units of the particle spacing: 58 neighbors
ALPHA_MAX, BETA = 1.0, 2.0  # viscosity
DECAY = 0.1  # viscosity decays over h / (0.1 c)
COURANT, FORCE = 0.15, 0.25  # limits of the time step


def kernel(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cubic spline of support 2 and its derivative, in units of 1 / h^3."""
    inner, outer = np.maximum(1 - q, 0), np.maximum(2 - q, 0)
    w = (0.25 * outer * outer * outer - inner * inner * inner) / np.pi
    slope = (3 * inner * inner - 0.75 * outer * outer) / np.pi
    return w, slope


@dataclass
class Pairs:
    """Neighbors: indices, separations (unit vectors and lengths), sorted by the first index."""

    i: np.ndarray
    j: np.ndarray
    r: np.ndarray
    unit: np.ndarray
    n: int

    def sum(self, terms: np.ndarray) -> np.ndarray:
        """Sums of a term per pair over the neighbors of each particle, in a fixed order."""
        return np.bincount(self.i, terms, self.n)


def neighbors(x: np.ndarray, radius: np.ndarray, n: int) -> Pairs:
    """Pairs of one of the first n particles and any other within the larger of their radii.

    Cells have half the largest radius. Those along z are contiguous, so each particle has 25 ranges
    of candidates.
    """
    width = radius.max() / 2
    cells = ((x - x.min(axis=0)) / width).astype(np.int64) + 2
    dims = cells.max(axis=0) + 3
    flat = (cells[:, 0] * dims[1] + cells[:, 1]) * dims[2] + cells[:, 2]
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(dims.prod() + 1))
    off = np.arange(-2, 3)
    columns = ((off[:, None] * dims[1] + off) * dims[2]).ravel()
    first = starts[flat[:n, None] + columns - 2].ravel()
    count = starts[flat[:n, None] + columns + 3].ravel() - first
    i = np.repeat(np.arange(n), count.reshape(n, -1).sum(axis=1))
    within = np.arange(len(i)) - np.repeat(np.cumsum(count) - count, count)
    j = order[np.repeat(first, count) + within]
    apart = x[i] - x[j]
    squared = np.einsum("pk,pk->p", apart, apart)
    near = (squared < np.maximum(radius[i], radius[j]) ** 2) & (i != j)
    i, j, apart, r = i[near], j[near], apart[near], np.sqrt(squared[near])
    return Pairs(i, j, r, apart / r[:, None], n)


def smoothing_length(pairs: Pairs, h: np.ndarray, most: np.ndarray, tolerance: float):
    """Solve sum W(r, h) = (H_FACT / h)^3 by Newton's method, up to a length `most` per particle.

    Returns the lengths and the last relative changes.
    """
    h, change = h.copy(), np.full(len(h), np.inf)
    for _ in range(50):
        if not (change > tolerance).any():
            break
        q = pairs.r / h[pairs.i]
        w, slope = kernel(q)
        excess = pairs.sum(w) + 1 / np.pi - H_FACT**3
        new = h - excess / np.maximum(-pairs.sum(q * slope), 1e-3) * h
        new = np.minimum(np.clip(new, 0.8 * h, 1.2 * h), most)
        active = change > tolerance
        change[active] = np.abs(new - h)[active] / h[active]
        h[active] = new[active]
    return h, change


def omega(pairs: Pairs, h: np.ndarray) -> np.ndarray:
    """The correction for gradients of the smoothing length."""
    q = pairs.r / h[pairs.i]
    w, slope = kernel(q)
    return -pairs.sum(q * slope) / (3 * (pairs.sum(w) + 1 / np.pi))


@dataclass
class State:
    """Fields of a patch's particles and of its ghosts, behind them."""

    mass: float
    v: np.ndarray
    u: np.ndarray
    h: np.ndarray
    omega: np.ndarray

    def __post_init__(self) -> None:
        y = H_FACT / self.h
        self.rho = self.mass * y * y * y
        self.pressure = (GAMMA - 1) * self.rho * self.u
        self.sound = np.sqrt(GAMMA * self.pressure / self.rho)


def divergence(pairs: Pairs, s: State) -> np.ndarray:
    """The divergence of the velocity."""
    i, j, n = pairs.i, pairs.j, pairs.n
    h = s.h[:n]
    slope = kernel(pairs.r / h[i])[1]
    speed = np.einsum("pk,pk->p", s.v[i] - s.v[j], pairs.unit)
    return -s.mass / (s.omega[:n] * s.rho[:n] * h**2 * h**2) * pairs.sum(speed * slope)


def viscosity(alpha, before, divv, s: State, dt: float) -> np.ndarray:
    """The viscosity parameter after a step: raised where compression grows, else decaying."""
    n = len(alpha)
    h, sound = s.h[:n], s.sound[:n]
    growth = np.where(divv < 0, np.maximum((before - divv) / dt, 0), 0)
    wanted = np.minimum(10 * h * h * growth / (sound * sound), ALPHA_MAX)
    rate = DECAY * sound / h * dt
    return np.where(wanted > alpha, wanted, (alpha + wanted * rate) / (1 + rate))


def forces(pairs: Pairs, s: State, alpha: np.ndarray):
    """Acceleration, rate of the specific energy, and largest signal speed of each particle."""
    i, j, n, m = pairs.i, pairs.j, pairs.n, s.mass
    hi, hj = s.h[i], s.h[j]
    slope_i = kernel(pairs.r / hi)[1] / (hi * hi * hi * hi)
    slope_j = kernel(pairs.r / hj)[1] / (hj * hj * hj * hj)
    speed = np.einsum("pk,pk->p", s.v[i] - s.v[j], pairs.unit)
    approach = np.maximum(-speed, 0)

    def stress(k: np.ndarray, slope: np.ndarray) -> np.ndarray:
        viscous = 0.5 * s.rho[k] * (alpha[k] * s.sound[k] + BETA * approach) * approach
        return m * (s.pressure[k] + viscous) / (s.omega[k] * s.rho[k] * s.rho[k]) * slope

    mine, theirs = stress(i, slope_i), stress(j, slope_j)
    a = np.stack([-pairs.sum((mine + theirs) * pairs.unit[:, k]) for k in range(3)], axis=1)
    gap = np.sqrt(2 * np.abs(s.pressure[i] - s.pressure[j]) / (s.rho[i] + s.rho[j]))
    slopes = slope_i / (s.omega[i] * s.rho[i]) + slope_j / (s.omega[j] * s.rho[j])
    conduction = 0.5 * m * gap * (s.u[i] - s.u[j]) * slopes
    du = pairs.sum(mine * speed + conduction)
    # Each particle has neighbors, so every segment of the sorted pairs has an element.
    starts = np.searchsorted(i, np.arange(n))
    signal = np.maximum.reduceat(s.sound[j] + BETA * approach, starts)
    return a, du, np.maximum(signal, s.sound[:n])


def time_step(s: State, a: np.ndarray, signal: np.ndarray) -> float:
    """The largest stable step of a patch."""
    h = s.h[: len(a)]
    push = np.sqrt(np.einsum("pk,pk->p", a, a))
    return float(min((COURANT * h / signal).min(), (FORCE * np.sqrt(h / push)).min()))
