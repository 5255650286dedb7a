"""The analytic solution of Sedov's blast wave, comparison with it, and pictures."""

from functools import cache

import numpy as np
from hydro import GAMMA, H_FACT
from mpi4py import MPI
from particles import Box


@cache
def solution() -> tuple[float, np.ndarray]:
    """Radius in units of (E t^2 / rho)^(1/5), and rows of r / R, density, velocity and pressure.

    The self-similar equations of a strong point explosion (Sedov, 1959), in units of the density in
    front, the speed D of the shock, and rho D^2, integrated inward from the shock.
    """

    def slopes(x: float, y: np.ndarray) -> np.ndarray:
        g, f, q = y
        df = 1.5 * f * (f - x) - 3 * q / g + 2 * GAMMA * q * f / (g * x)
        df /= (f - x) ** 2 - GAMMA * q / g
        spread = df + 2 * f / x
        return np.array([-g * spread, df * (f - x), 3 * q - GAMMA * q * spread]) / (f - x)

    strong = 2 / (GAMMA + 1)
    y = np.array([(GAMMA + 1) / (GAMMA - 1), strong, strong])
    x = np.linspace(1, 0.02, 4001)
    rows = [y]
    for a, b in zip(x[:-1].tolist(), x[1:].tolist(), strict=True):
        d = b - a
        k1 = slopes(a, y)
        k2 = slopes(a + d / 2, y + d / 2 * k1)
        k3 = slopes(a + d / 2, y + d / 2 * k2)
        y = y + d / 6 * (k1 + 2 * k2 + 2 * k3 + slopes(b, y + d * k3))
        rows.append(y)
    g, f, q = np.array(rows).T
    terms = x * x * (g * f * f / 2 + q / (GAMMA - 1))
    energy = float(np.sum((terms[1:] + terms[:-1]) / 2 * -np.diff(x)))
    # E = 4 pi rho D^2 R^3 `energy`, and D = 2 R / (5 t).
    return (25 / (16 * np.pi * energy)) ** 0.2, np.stack([x, g, f, q])[:, ::-1]


def radius(time: float) -> float:
    """Of the shock, for the energy 1 and the density 1."""
    return solution()[0] * time**0.4


def profiles(comm: MPI.Comm, box: Box, held: list[np.ndarray], mass: float):
    """Radii, and mean densities of shells in six directions (along x, y and z) and in all."""
    width = box.spacing / 2
    bins = int(box.size.min() / 2 / width)
    sums = np.zeros((2, 6, bins))
    for part in held:
        apart = part["x"] - box.size / 2
        axis = np.abs(apart).argmax(axis=1)
        along = np.take_along_axis(apart, axis[:, None], axis=1)[:, 0]
        shell = (np.sqrt((apart**2).sum(axis=1)) / width).astype(int)
        within = shell < bins
        index = (2 * axis + (along > 0))[within], shell[within]
        np.add.at(sums[0], index, 1)
        np.add.at(sums[1], index, mass * (H_FACT / part["h"][within]) ** 3)
    comm.Allreduce(MPI.IN_PLACE, sums)
    every = np.concatenate([sums, sums.sum(axis=1, keepdims=True)], axis=1)
    return (np.arange(bins) + 0.5) * width, every[1] / np.maximum(every[0], 1)


def front(r: np.ndarray, density: np.ndarray) -> float:
    """Where the density has its maximum, by a parabola. The kernel smooths the shock, but symmetric
    smoothing keeps the place of its peak."""
    k = int(density.argmax())
    before, peak, after = density[k - 1 : k + 2]
    return float(r[k] + (before - after) / (before - 2 * peak + after) / 2 * (r[1] - r[0]))


def check(comm: MPI.Comm, box: Box, held: list[np.ndarray], mass: float, time: float) -> bool:
    """Compare the radius of the shock, in all directions, with the solution."""
    r, density = profiles(comm, box, held, mass)
    *sides, found = (front(r, one) for one in density)
    exact, allowed = radius(time), box.spacing / 2
    error, spread = abs(found - exact), max(sides) - min(sides)
    if comm.rank == 0:
        print(f"radius {found:.4f}, solution {exact:.4f}   six directions differ by {spread:.4f}   "
              f"allowed {allowed:.4f}, a shell")  # fmt: skip
    return error < allowed and spread < allowed


def picture(comm: MPI.Comm, box: Box, held: list[np.ndarray], mass: float, time: float, file: str):
    """Write a slice of the density through the center, and its radial profile."""
    every = comm.gather(np.concatenate(held) if held else None)
    if comm.rank:
        return
    from matplotlib.figure import Figure

    all_of = np.concatenate([part for part in every if part is not None])
    apart = all_of["x"] - box.size / 2
    density = mass * (H_FACT / all_of["h"]) ** 3
    near = np.abs(apart[:, 2]) < box.spacing
    figure = Figure(figsize=(9.6, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    dots = left.scatter(apart[near, 0], apart[near, 1], c=density[near], s=6, cmap="magma", lw=0)
    angle = np.linspace(0, 2 * np.pi, 200)
    left.plot(radius(time) * np.cos(angle), radius(time) * np.sin(angle), "c--", lw=0.9)
    left.set(aspect="equal", xlabel="x", ylabel="y")
    figure.colorbar(dots, ax=left, label="density, particles within one spacing of z = 0")
    r = np.sqrt((apart**2).sum(axis=1))
    right.plot(r, density, ".", color="0.6", ms=1.5, label="particles", rasterized=True)
    shells, mean = profiles(MPI.COMM_SELF, box, [all_of], mass)
    filled = mean[-1] > 0
    right.plot(shells[filled], mean[-1][filled], color="#b03060", label="mean of shells")
    x, g, _, _ = solution()[1]
    exact = np.concatenate([g, [1, 1]])
    right.plot(np.concatenate([x, [1, 10]]) * radius(time), exact, "k--", lw=1, label="solution")
    right.set(xlim=(0, 0.5), xlabel="radius", ylabel="density")
    right.legend(frameon=False)
    figure.suptitle(f"{box.particles:,} particles at time {time:.3f}", fontsize=10)
    figure.savefig(file, dpi=110)
