"""A 3-D Poisson solver: conjugate gradients on a 7-point stencil, with numpy and mpi4py.

    mpiexec -n 8 python examples/cg3d.py                  # on a real machine
    odonata run -n 128 --ppn 8 --machine aurora -- python examples/cg3d.py   # on a simulated one

The program does not use odonata. The grid is divided into boxes, one per rank, on a Cartesian
communicator. An iteration exchanges the six faces of every box and reduces two numbers over all
ranks.

The right-hand side is computed from a known solution, so the result can be checked. The exit code
is 0 only if the solver converged, the true residual agrees, and the solution is correct at every
grid point. That holds for any number of ranks.
"""

import argparse
import sys

import numpy as np
from mpi4py import MPI


def split(points: int, parts: int, part: int) -> tuple[int, int]:
    """First point and number of points of a part; the first parts take the remainder."""
    each, rest = divmod(points, parts)
    return part * each + min(part, rest), each + (part < rest)


class Box:
    """This rank's box of the grid, and its six neighbors."""

    def __init__(self, points: int, halo: str):
        dims = MPI.Compute_dims(MPI.COMM_WORLD.size, 3)
        if points < max(dims):
            raise SystemExit(f"cg3d: a grid of {points}^3 is too small for {dims} boxes")
        self.comm = MPI.COMM_WORLD.Create_cart(dims, periods=[False] * 3)
        self.dims = dims
        starts = [split(points, d, c) for d, c in zip(dims, self.comm.coords, strict=True)]
        self.start = [s for s, _ in starts]
        self.shape = tuple(n for _, n in starts)
        self.points = points
        self.exchange = {"isend": self.exchange_isend, "sendrecv": self.exchange_sendrecv}[halo]
        # Per face: neighbor, slice to send, ghost slice to fill, two buffers.
        self.faces = []
        inner = slice(1, -1)
        for axis in range(3):
            low, high = self.comm.Shift(axis, 1)
            others = [n for a, n in enumerate(self.shape) if a != axis]
            for neighbor, mine, ghost in ((low, 1, 0), (high, -2, -1)):
                cut = [inner] * 3
                cut[axis] = mine
                fill = [inner] * 3
                fill[axis] = ghost
                buffers = np.empty(others), np.empty(others)
                self.faces.append((neighbor, tuple(cut), tuple(fill), *buffers))

    def field(self) -> np.ndarray:
        """A field on this box with a layer of ghost points around it: zero on the boundary."""
        return np.zeros([n + 2 for n in self.shape])

    def exchange_isend(self, field: np.ndarray) -> None:
        """Fill the ghost points: all six faces at once."""
        arriving = [
            self.comm.Irecv(into, source=neighbor, tag=face ^ 1)
            for face, (neighbor, _, _, _, into) in enumerate(self.faces)
        ]
        leaving = []
        for face, (neighbor, cut, _, out, _) in enumerate(self.faces):
            out[...] = field[cut]
            leaving.append(self.comm.Isend(out, dest=neighbor, tag=face))
        MPI.Request.Waitall(arriving)
        for neighbor, _, fill, _, into in self.faces:
            if neighbor != MPI.PROC_NULL:
                field[fill] = into
        MPI.Request.Waitall(leaving)

    def exchange_sendrecv(self, field: np.ndarray) -> None:
        """Fill the ghost points, one direction after the other."""
        for face, (neighbor, cut, _, out, _) in enumerate(self.faces):
            opposite, _, fill, _, into = self.faces[face ^ 1]
            out[...] = field[cut]
            self.comm.Sendrecv(out, neighbor, face, into, opposite, face)
            if opposite != MPI.PROC_NULL:
                field[fill] = into

    def dot(self, a: np.ndarray, b: np.ndarray) -> float:
        """The inner product over all ranks."""
        part = np.array([np.vdot(a, b)])
        total = np.empty(1)
        self.comm.Allreduce(part, total, MPI.SUM)
        return float(total[0])

    def apply(self, field: np.ndarray) -> np.ndarray:
        """The negative Laplacian, times the square of the grid spacing."""
        self.exchange(field)
        f = field
        return (
            6.0 * f[1:-1, 1:-1, 1:-1]
            - f[:-2, 1:-1, 1:-1] - f[2:, 1:-1, 1:-1]
            - f[1:-1, :-2, 1:-1] - f[1:-1, 2:, 1:-1]
            - f[1:-1, 1:-1, :-2] - f[1:-1, 1:-1, 2:]
        )  # fmt: skip

    def known(self) -> np.ndarray:
        """The known solution: smooth, zero on the boundary.

        Not an eigenvector of the operator, for which the solver would need one step.
        """
        axes = []
        for start, count in zip(self.start, self.shape, strict=True):
            x = (np.arange(start, start + count) + 1.0) / (self.points + 1)
            axes.append(x * (1.0 - x) * np.exp(x))
        field = self.field()
        field[1:-1, 1:-1, 1:-1] = 8.0 * np.einsum("i,j,k->ijk", *axes)
        return field


def solve(box: Box, right: np.ndarray, tolerance: float, most: int) -> tuple[np.ndarray, int]:
    """Conjugate gradients from zero until the residual has fallen by `tolerance`."""
    inner = (slice(1, -1),) * 3
    solution, direction = box.field(), box.field()
    residual = right.copy()
    direction[inner] = residual
    norm = first = box.dot(residual, residual)
    steps = 0
    while norm > tolerance**2 * first and steps < most:
        image = box.apply(direction)
        step = norm / box.dot(direction[inner], image)
        solution[inner] += step * direction[inner]
        residual -= step * image
        norm, before = box.dot(residual, residual), norm
        direction[inner] = residual + (norm / before) * direction[inner]
        steps += 1
    return solution, steps


def main() -> int:
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--points", type=int, default=48, help="grid points in each direction")
    parse.add_argument("--tolerance", type=float, default=1e-9, help="fall of the residual")
    parse.add_argument("--most", type=int, default=2000, help="give up after so many steps")
    parse.add_argument("--halo", choices=["isend", "sendrecv"], default="isend")
    args = parse.parse_args()

    box = Box(args.points, args.halo)
    known = box.known()
    right = box.apply(known)
    box.comm.Barrier()
    start = MPI.Wtime()
    solution, steps = solve(box, right, args.tolerance, args.most)
    elapsed = MPI.Wtime() - start

    true = right - box.apply(solution)
    residual = (box.dot(true, true) / box.dot(right, right)) ** 0.5
    error = box.comm.allreduce(float(np.abs(solution - known).max()), MPI.MAX)
    # The operator's condition number is about 0.4 (points + 1)^2. It bounds the ratio of error and
    # residual, and of the true residual and the one of the recurrence.
    allowed = args.tolerance * (args.points + 1) ** 2
    right_answer = steps < args.most and residual < 2 * args.tolerance and error < allowed
    if box.comm.rank == 0:
        print(f"cg3d: {args.points}^3 points on {box.comm.size} ranks, "
              f"{' x '.join(map(str, box.dims))} boxes")  # fmt: skip
        print(f"steps {steps}   residual {residual:.2e}   error {error:.2e}, allowed {allowed:.1e}")
        print(f"time {elapsed * 1e3:.3f} ms   per step {elapsed / max(steps, 1) * 1e6:.2f} us")
        print("answer right" if right_answer else "answer WRONG")
    return 0 if right_answer else 1


if __name__ == "__main__":
    sys.exit(main())
