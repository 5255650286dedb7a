"""HPL-MxP: LU in low precision without pivots, then refinement in double precision.

Sources: ROCm/rocHPL-MxP, pgetrf; at-aaims/OpenMxP, panel_trf_gdirect.hpp; hpl-mxp.org.
"""

from collections.abc import Mapping
from typing import Any

from odonata.app import App, Phases
from odonata.app.models import lu
from odonata.app.phases import PANELS

SINGLE = 4  # bytes: the matrix is stored in 32 bits
BLOCK = 64  # columns that a device factorizes or solves at a time [estimate]


def diagonal(a: Phases, row: int, column: int) -> None:
    """The owner factorizes and inverts a block, and broadcasts it along its row and column.

    By rings, as panels are: rocHPL-MxP has one setting for all broadcasts. OpenMxP's default is a
    ring, too.
    """
    nb = a.nb
    with a.phase("diagonal"):
        with a.where(axis=0, at=row), a.where(axis=1, at=column):
            # rocSOLVER factorizes, and rocBLAS inverts, on the device. The CPU waits for it.
            a.compute(flops=2 * nb**3, bytes=4 * nb * nb, kernel="gemm", precision="fp32",
                      size=BLOCK, host=True)
        with a.where(axis=0, at=row):
            a.panel_bcast(4 * nb * nb, axis=1, root=column, algorithm=a.broadcast)
        with a.where(axis=1, at=column):
            a.panel_bcast(4 * nb * nb, axis=0, root=row, algorithm=a.broadcast)


def panel(a: Phases, axis: int, at: int, length: float) -> None:
    """L or U on the ranks that own it: the update with the panels of the step before, and the
    product with the inverse of the diagonal block, in 16 bits. The CPU waits for it."""
    with a.phase("panels"), a.where(axis=axis, at=at):
        a.compute(flops=4 * a.nb**2 * length, bytes=2 * SINGLE * a.nb * length, kernel="gemm",
                  precision="fp16", size=min(a.nb, length), host=True)


def factorize(a: Phases, n: int) -> None:
    nb = a.nb
    p, q = a.shape
    for k in a.sampled(range(n // nb)):
        left = n - k * nb
        rows, columns = left / p, left / q
        row, column = k % p, k % q
        with a.overlap(offload=True):
            with a.phase("update"):
                # With the panels of the step before, in 16 bits into 32.
                a.compute(flops=2 * nb * rows * columns, bytes=2 * SINGLE * rows * columns,
                          kernel="gemm", precision="fp16", size=min(rows, columns))
            diagonal(a, row, column)
            panel(a, 1, column, rows)
            panel(a, 0, row, columns)
            with a.phase("panels"):
                a.panel_bcast(2 * nb * rows, axis=1, root=column, algorithm=a.broadcast)
                a.panel_bcast(2 * nb * columns, axis=0, root=row, algorithm=a.broadcast)


def refine(a: Phases, n: int) -> None:
    nb = a.nb
    p, q = a.shape
    with a.phase("refinement"), a.loop(a.refinements):
        # Entries of the matrix are computed again, about 10 operations each [estimate].
        a.compute(flops=12 * n / p * n / q, kernel="stream")
        a.allreduce(int(n / p) * 8, axes=1)
        a.allreduce(int(n / q) * 8, axes=0)
        with a.loop(2 * (n // nb)):
            # A block of the solution goes down its column, partial sums go along its row. Kernels
            # solve it a few rows at a time.
            with a.loop(nb // BLOCK):
                a.compute(flops=BLOCK * nb, bytes=SINGLE * BLOCK * nb)
            a.bcast(4 * nb, axes=0)
            a.reduce(4 * nb, axes=1)


def solve(a: Phases) -> None:
    n = lu.order(a, SINGLE)
    factorize(a, n)
    refine(a, n)


def native(a: Phases, seconds: float, run: Mapping[str, Any]) -> list[str]:
    """The result lines of HPLMXP_ptest. Residuals are not computed."""
    n, (p, q) = lu.order(a, SINGLE), a.shape
    gigaflops = lu.flops(n) / seconds / 1e9
    return [
        "=" * 80,
        "T/V                N    NB     P     Q               Time                 Gflops",
        "-" * 80,
        f"WR{PANELS.index(a.broadcast)}{n:17d} {a.nb:5d} {p:5d} {q:5d} {seconds:18.2f}     "
        f"{gigaflops:18.3e}",
        f"Final Score:    {gigaflops:7.4e} GFLOPS ",
    ]


model = App(
    solve,
    grid=lu.grid,
    options={
        "n": 0,  # 0: from `gigabytes`
        "gigabytes": 56.0,  # of one rank [estimate]
        "nb": 2560,  # [rocHPL-MxP]
        "broadcast": "1ringM",
        "refinements": 3,  # [estimate]; at most 50
    },
    merit=lambda a, seconds: lu.flops(lu.order(a, SINGLE)) / seconds,
    unit="flop/s",
    title="HPL-MxP",
    native=native,
    choices={"broadcast": PANELS},
)
