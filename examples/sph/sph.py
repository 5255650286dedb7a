"""Sedov's blast wave by smoothed particle hydrodynamics, on patches of an octree.

    mpiexec -n 8 python examples/sph/sph.py --time 0.04              # on a real machine
    odonata run -n 24 --ppn 12 --machine aurora -- python examples/sph/sph.py --steps 4

The program has the phases and the MPI calls of Shamrock (README.md lists them). It does not use
odonata. The exit code is 0 only if energy and momentum are conserved and, with --time, the blast
has the radius of the analytic solution and is round. The particles at the end, of which a digest is
printed, are the same to the last bit on any number of ranks.
"""

import argparse
import sys
from collections.abc import Callable

import hydro
import numpy as np
import sedov
from exchange import Exchange
from mpi4py import MPI
from octree import Octree
from particles import Box

H_TOLERANCE = 1e-6  # relative change of a smoothing length that has converged
WIDER = 1.1  # neighbors and ghosts suffice while smoothing lengths grow by this factor
COLD = 1e-5  # specific energy outside of the blast
V_TOLERANCE = 1e-2  # largest correction of a velocity, in units of the mean velocity
WIDTH = {"x": 3, "v": 3}  # numbers per particle of a field; else 1


class Patch:
    """A leaf of this rank, with its particles, ghosts and neighbors."""

    def __init__(self, leaf: int, held: np.ndarray):
        self.leaf, self.held, self.n = leaf, held, len(held)
        self.own: dict[str, np.ndarray] = {name: held[name] for name in ("x", "v", "u", "h")}
        self.ghosts: dict[str, np.ndarray] = {}

    def all(self, name: str) -> np.ndarray:
        """A field of the particles and of the ghosts behind them."""
        return np.concatenate([self.own[name], self.ghosts[name]])


class Blast:
    """The state of the simulation on this rank, and its phases."""

    def __init__(self, args: argparse.Namespace):
        self.box = Box(args.particles, tuple(args.blocks))
        self.exchange = Exchange(MPI.COMM_WORLD, args.receive, args.tags, args.total,
                                 args.represents, args.in_flight)  # fmt: skip
        self.tree = Octree(self.box, self.exchange, args.split)
        self.mass = float(self.box.size.prod()) / self.box.particles
        self.time, self.dt = 0.0, 0.0
        self.clock: dict[str, float] = {}
        held = self.box.lattice(self.tree.me, self.tree.ranks)
        held["h"], held["u"] = hydro.H_FACT * self.box.spacing, COLD
        self.heat(held)
        level = 0
        while args.setup == "tree" and self.box.particles > args.split * 8**level:
            level += 1
        self.tree.start(held, level)
        self.smooth()
        self.share_gas(first=True)
        self.accelerate()
        for patch, a, du in zip(self.patches, self.a, self.du, strict=True):
            patch.held["a"], patch.held["du"] = a, du
        self.limit_step()

    def timed(self, name: str, phase: Callable, *arguments):
        start = MPI.Wtime()
        result = phase(*arguments)
        self.clock[name] = self.clock.get(name, 0) + MPI.Wtime() - start
        return result

    def heat(self, held: np.ndarray) -> None:
        """Add the energy 1 in the center, distributed like the kernel."""
        apart = held["x"] - self.box.size / 2
        distance = np.sqrt(np.einsum("pk,pk->p", apart, apart))
        weight = hydro.kernel(distance / (2 * hydro.H_FACT * self.box.spacing))[0]
        # Few particles have weights; their sum is exact, so it does not depend on the ranks.
        every, _ = self.exchange.gather(weight[weight > 0])
        held["u"] += weight / (np.sort(every).sum() * self.mass)

    def step(self) -> None:
        self.timed("predictor", self.predict)
        self.timed("reattribution", self.tree.reattribute)
        self.timed("load balance", self.tree.balance)
        self.timed("smoothing length", self.smooth)
        first, is_correct = True, False
        while not is_correct:
            self.timed("fields", self.share_gas, first)
            self.timed("forces", self.accelerate)
            is_correct = self.timed("corrector", self.correct)
            first = False
        self.time += self.dt
        self.timed("time step", self.limit_step)

    def predict(self) -> None:
        """Positions after the step, velocities and energies as if accelerations were constant."""
        for held in self.tree.mine.values():
            held["v"] += self.dt * held["a"]
            half = held["v"] - 0.5 * self.dt * held["a"]
            held["x"] = self.box.wrap(held["x"] + self.dt * half)
            held["u"] += self.dt * held["du"]

    def smooth(self) -> None:
        """Ghost zones, neighbors and smoothing lengths; again with wider ghosts if necessary."""
        while True:
            self.patches = [Patch(leaf, held) for leaf, held in self.tree.patches()]
            self.tree.share_reach([2 * WIDER * p.held["h"].max(initial=0) for p in self.patches])
            self.find_ghosts()
            self.share(["x", "h"])
            waiting = largest = 0.0
            for p in self.patches:
                p.pairs = hydro.neighbors(p.all("x"), 2 * WIDER * p.all("h"), p.n)
                most = WIDER * p.held["h"]
                h, change = hydro.smoothing_length(p.pairs, p.held["h"], most, H_TOLERANCE)
                waiting += np.count_nonzero((change > H_TOLERANCE) | (h >= most))
                largest = max(largest, h.max(initial=0))
                p.held["h"] = h
            self.largest_h = self.exchange.reduce(largest, MPI.MAX)
            if self.exchange.reduce(waiting, MPI.SUM) == 0:
                break
        for p in self.patches:
            p.own["omega"] = hydro.omega(p.pairs, p.held["h"])

    def find_ghosts(self) -> None:
        """Per interface: indices of the particles that the other leaf needs."""
        low, high = self.tree.bounds(self.tree.leaves)
        reach = self.tree.leaves["reach"]
        by_leaf = {p.leaf: p for p in self.patches}
        self.faces = []
        for leaf, other, image, shift in self.tree.interfaces():
            p = by_leaf[leaf]
            x = p.held["x"] + shift
            gap = np.maximum(np.maximum(low[other] - x, x - high[other]), 0)
            near = np.maximum(2 * WIDER * p.held["h"], reach[other])
            which = np.flatnonzero(np.einsum("pk,pk->p", gap, gap) < near * near)
            if len(which):
                self.faces.append((p, other, image, shift, which))

    def share(self, names: list[str]) -> None:
        """Exchange fields of the ghosts: a message per interface with a patch of another rank."""
        widths = [WIDTH.get(name, 1) for name in names]
        messages, arrived = [], []
        for p, other, image, shift, which in self.faces:
            columns = [p.own[name][which].reshape(len(which), -1) for name in names]
            if names[0] == "x":
                columns[0] = columns[0] + shift
            data = np.concatenate(columns, axis=1)
            owner = int(self.tree.leaves["owner"][other])
            if owner == self.tree.me:
                arrived.append((other, p.leaf, image, data))
            else:
                head = np.array([other, p.leaf, image], np.int64)
                messages.append((owner, np.concatenate([head.view("u1"), data.ravel().view("u1")])))
        for _, data in self.exchange(messages):
            head = data[:24].view(np.int64).tolist()
            arrived.append((*head, data[24:].view(float).reshape(-1, sum(widths))))
        # The order of a patch's ghosts, and so of its sums, does not depend on the ranks.
        rows_of: dict[int, list[np.ndarray]] = {p.leaf: [] for p in self.patches}
        for other, _, _, data in sorted(arrived, key=lambda one: one[:3]):
            rows_of[other].append(data)
        for p in self.patches:
            rows = np.concatenate([np.zeros((0, sum(widths))), *rows_of[p.leaf]])
            parts = np.split(rows, np.cumsum(widths)[:-1], axis=1)
            for name, part in zip(names, parts, strict=True):
                p.ghosts[name] = part if part.shape[1] > 1 else part[:, 0]

    def share_gas(self, first: bool) -> None:
        """Exchange the fields that forces need, and viscosity parameters once per step."""
        self.share(["v", "u", "h", "omega"])
        for p in self.patches:
            p.state = hydro.State(self.mass, *(p.all(name) for name in ("v", "u", "h", "omega")))
            if first:
                divv = hydro.divergence(p.pairs, p.state)
                alpha, old = p.held["alpha"], p.held["divv"]
                if self.dt:
                    alpha = hydro.viscosity(alpha, old, divv, p.state, self.dt)
                p.own["alpha"] = p.held["alpha"] = alpha
                p.held["divv"] = divv
        if first:
            self.share(["alpha"])

    def accelerate(self) -> None:
        found = [hydro.forces(p.pairs, p.state, p.all("alpha")) for p in self.patches]
        self.a, self.du, self.signal = ([f[k] for f in found] for k in range(3))

    def correct(self) -> bool:
        """Replace the predicted by the new acceleration; false if it changes velocities much."""
        most = squares = 0.0
        for p, a, du in zip(self.patches, self.a, self.du, strict=True):
            held = p.held
            change = 0.5 * self.dt * (a - held["a"])
            held["v"] += change
            held["u"] += 0.5 * self.dt * (du - held["du"])
            held["a"], held["du"] = a, du
            most = max(most, np.einsum("pk,pk->p", change, change).max(initial=0))
            squares += float((held["v"] ** 2).sum())
        squares = self.exchange.reduce(squares, MPI.SUM) / self.box.particles
        return self.exchange.reduce(most, MPI.MAX) <= V_TOLERANCE**2 * squares

    def limit_step(self) -> None:
        """The stability limit over all particles."""
        each = zip(self.patches, self.a, self.signal, strict=True)
        steps = [hydro.time_step(p.state, a, signal) for p, a, signal in each if p.n]
        self.dt = self.exchange.reduce(min(steps, default=np.inf), MPI.MIN)

    def totals(self) -> np.ndarray:
        """Energy, and momentum in three directions, and the sum of their absolute values."""
        mine = np.zeros(5)
        for held in self.tree.mine.values():
            v = held["v"]
            mine[0] += self.mass * (held["u"].sum() + 0.5 * (v * v).sum())
            mine[1:4] += self.mass * v.sum(axis=0)
            mine[4] += self.mass * np.abs(v).sum()
        total = np.empty(5)
        MPI.COMM_WORLD.Allreduce(mine, total)
        return total

    def digest(self) -> int:
        """A sum over particles of a hash of all bits of position, velocity, energy and length."""
        mine = np.zeros(1, np.uint64)
        for held in self.tree.mine.values():
            names = ("id", "x", "v", "u", "h")
            columns = [held[name].reshape(len(held), -1).astype(float) for name in names]
            words = np.concatenate(columns, axis=1).view(np.uint64)
            mixed = np.zeros(len(held), np.uint64)
            for word in words.T:
                mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
                mixed ^= mixed >> np.uint64(29)
            mine += mixed.sum(dtype=np.uint64)
        total = np.empty_like(mine)
        MPI.COMM_WORLD.Allreduce(mine, total)
        return int(total[0])


def report(blast: Blast, steps: int, setup: float, elapsed: float, energy: float) -> bool:
    """Print results; whether energy and momentum are conserved."""
    comm, box = MPI.COMM_WORLD, blast.box
    total, digest = blast.totals(), blast.digest()
    drift = abs(total[0] / energy - 1)
    momentum = float(np.abs(total[1:4]).max() / max(total[4], 1e-300))
    clocks = np.array(list(blast.clock.values()))
    comm.Allreduce(MPI.IN_PLACE, clocks, MPI.MAX)
    if comm.rank == 0:
        print(f"sph: {box.particles} particles in {len(blast.tree.leaves)} patches "
              f"on {comm.size} ranks")  # fmt: skip
        print(f"{steps} steps to time {blast.time:.6f}   energy {total[0]:.6f}, changed by "
              f"{drift:.1e}   momentum {momentum:.1e}")  # fmt: skip
        print(f"set-up {1e6 * setup:.1f} us   step {1e6 * elapsed / max(steps, 1):.1f} us   "
              f"messages per exchange {blast.exchange.largest}")  # fmt: skip
        for name, spent in zip(blast.clock, clocks.tolist(), strict=True):
            print(f"  {name:17} {1e6 * spent / steps:8.1f} us per step")
        print(f"digest {digest:016x}")
    return drift < 1e-3 and momentum < 1e-9


def options() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--particles", type=int, default=16, help="along x, per block")
    parse.add_argument("--blocks", type=int, nargs=3, default=[1, 1, 1], help="of the box")
    parse.add_argument("--split", type=int, default=128, help="most particles per patch")
    parse.add_argument("--steps", type=int, default=4, help="number of steps")
    parse.add_argument("--time", type=float, help="run to this time, and check the blast")
    for name, values, text in (
        ("--receive", ["sizes", "probe"], "lengths of messages: from headers, or by MPI_Probe"),
        ("--tags", ["sender", "global"], "of a message: its number at its sender, or in the job"),
        ("--total", ["sum", "allreduce"], "of a vector allgather: from the counts, or by MPI"),
        ("--setup", ["tree", "root"], "initial patches: of final size, or the whole box as one"),
    ):
        parse.add_argument(name, choices=values, default=values[0], help=text)
    parse.add_argument("--represents", type=int, default=1, help="global tags of a larger job")
    parse.add_argument("--in-flight", type=int, default=128, help="most requests; 0: any number")
    parse.add_argument("--picture", help="write a slice and the profile to this file (matplotlib)")
    args = parse.parse_args()
    if args.particles < 6 or args.split < 8 or args.steps < 0 or min(args.blocks) < 1:
        parse.error("at least 6 particles along x, 8 per patch, 0 steps and 1 block are necessary")
    box = Box(args.particles, tuple(args.blocks))
    reached = 0 if args.time is None else sedov.radius(max(args.time, 0))
    if args.time is not None and not 3 * box.spacing < reached < 0.45 * box.size.min():
        parse.error("at --time the blast must have a radius of 3 spacings to 0.45 boxes")
    return args


def main() -> int:
    args = options()
    begin, steps = MPI.Wtime(), 0
    blast = Blast(args)
    energy = blast.totals()[0]
    start = MPI.Wtime()
    while blast.time < args.time if args.time else steps < args.steps:
        if args.time:
            blast.dt = min(blast.dt, args.time - blast.time)
        blast.step()
        steps += 1
    is_right = report(blast, steps, start - begin, MPI.Wtime() - start, energy)
    held = list(blast.tree.mine.values())
    if args.time is not None:
        is_right &= sedov.check(MPI.COMM_WORLD, blast.box, held, blast.mass, blast.time)
    if args.picture:
        sedov.picture(MPI.COMM_WORLD, blast.box, held, blast.mass, blast.time, args.picture)
    if MPI.COMM_WORLD.rank == 0:
        print("answer right" if is_right else "answer WRONG")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
