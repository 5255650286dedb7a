"""HPCG: conjugate gradients with a multigrid preconditioner on a 27-point stencil.

Sources: hpcg-benchmark/hpcg, CG.cpp, ComputeMG_ref.cpp, ExchangeHalo.cpp; ROCm/rocHPCG,
ComputeMG.cpp, ComputeSYMGS.cpp, ComputeSPMV.cpp, ComputeRestriction.cpp.
"""

from collections.abc import Mapping
from typing import Any

from odonata.app import App, Phases

LEVELS = 4  # of the multigrid preconditioner [CG.cpp]
POINTS = 27  # of the stencil
COLORS = 8  # of the rows, in rocHPCG: one for each corner of a cell


def exchange(a: Phases, n: list[int]) -> None:
    """ExchangeHalo.cpp: all receives, blocking sends in turn, waits in turn."""
    a.halo(width=1, bytes=8, corners=True, box=n, order="send")


def sweep(a: Phases, n: list[int], kernel: str, share: float = 1.0) -> None:
    """A pass over the matrix: 2 flops per nonzero, of which each is 12 bytes: value and column.

    `share` is the part of the matrix that is read.
    """
    rows = n[0] * n[1] * n[2]
    flops, bytes = 2 * POINTS * rows * share, (12 * POINTS * share + 24) * rows
    a.compute(flops=flops, bytes=bytes, kernel=kernel)


def exchange_with(a: Phases, n: list[int], kernel: str, share: float) -> None:
    """The halo is exchanged while the rows that do not need it are computed (rocHPCG)."""
    with a.overlap(offload=True):
        sweep(a, n, kernel, share)
        exchange(a, n)


def smooth(a: Phases, n: list[int], is_zero: bool) -> None:
    """A symmetric Gauss-Seidel: a forward and a backward pass. `is_zero`: the vector is zero."""
    if a.code == "reference":
        exchange(a, n)
        sweep(a, n, "gauss_seidel")
        sweep(a, n, "gauss_seidel")
    elif is_zero:
        # ComputeSYMGSZeroGuess reads entries below the diagonal forward, and those above it
        # backward. The halo is zero.
        sweep(a, n, "gauss_seidel", 0.5)
        sweep(a, n, "gauss_seidel", 0.5)
    else:
        exchange_with(a, n, "gauss_seidel", 1 / COLORS)
        sweep(a, n, "gauss_seidel", 1 - 1 / COLORS)
        sweep(a, n, "gauss_seidel")


def restrict(a: Phases, n: list[int]) -> None:
    """The residual on the coarse grid. rocHPCG computes it for rows of the coarse grid only."""
    rows = n[0] * n[1] * n[2]
    exchange(a, n)
    if a.code == "reference":
        sweep(a, n, "spmv")
        a.compute(flops=rows / 8, bytes=24 * rows / 8, kernel="stream")
    else:
        sweep(a, [size // 2 for size in n], "spmv")


def multigrid(a: Phases, n: list[int], level: int) -> None:
    """ComputeMG_ref.cpp."""
    smooth(a, n, is_zero=True)
    if level == LEVELS - 1:
        return
    restrict(a, n)
    multigrid(a, [size // 2 for size in n], level + 1)
    rows = n[0] * n[1] * n[2]
    a.compute(flops=rows / 8, bytes=24 * rows / 8, kernel="stream")  # prolongation
    smooth(a, n, is_zero=False)


def multiply(a: Phases, n: list[int]) -> None:
    if a.code == "reference":
        exchange(a, n)
        sweep(a, n, "spmv")
    else:
        exchange_with(a, n, "spmv", 1.0)


def dot(a: Phases, rows: float, bytes: float = 16) -> None:
    """`bytes` are read per row: of two vectors, or of one."""
    a.compute(flops=2 * rows, bytes=bytes * rows, kernel="stream")
    a.allreduce(8)


def cg(a: Phases) -> None:
    n = [int(size) for size in a.box]
    rows = n[0] * n[1] * n[2]
    with a.loop(a.iterations):
        with a.phase("mg"):
            multigrid(a, n, 0)
        with a.phase("dot"):
            dot(a, rows)
        with a.phase("waxpby"):
            a.compute(flops=2 * rows, bytes=24 * rows, kernel="stream")
        with a.phase("spmv"):
            multiply(a, n)
        with a.phase("dot"):
            dot(a, rows)
        with a.phase("waxpby"):
            a.compute(flops=4 * rows, bytes=48 * rows, kernel="stream")
        with a.phase("dot"):
            # The norm of the residual. rocHPCG computes it with the residual's update
            # (ComputeFusedWAXPBYDot).
            dot(a, rows, 8 if a.code == "reference" else 0)


def flops(a: Phases) -> float:
    """The flops that HPCG counts: those of the reference, whatever the program computes."""
    n = [int(size) for size in a.box]
    rows = float(n[0] * n[1] * n[2])
    levels = sum((5 if k < LEVELS - 1 else 2) * 8.0**-k for k in range(LEVELS))
    total = levels * 2 * POINTS * rows + 2 * POINTS * rows + 3 * 2 * rows + 3 * 2 * rows
    return total * a.iterations * a.ranks


def native(a: Phases, seconds: float, run: Mapping[str, Any]) -> list[str]:
    """Lines of the summary of ReportResults.cpp."""
    rating = flops(a) / seconds / 1e9
    axes = list(zip("xyz", a.shape, a.box, strict=True))
    return [
        f"Machine Summary::Distributed Processes={a.ranks}",
        *(f"Global Problem Dimensions::Global n{x}={int(p * n)}" for x, p, n in axes),
        *(f"Processor Dimensions::np{x}={p}" for x, p, _ in axes),
        *(f"Local Domain Dimensions::n{x}={int(n)}" for x, _, n in axes),
        f"Benchmark Time Summary::Total={seconds:g}",
        f"GFLOP/s Summary::Raw Total={rating:g}",
        f"Final Summary::HPCG result is VALID with a GFLOP/s rating of={rating:g}",
    ]


model = App(
    cg,
    grid=3,
    first_fastest=True,
    options={"nx": 104, "ny": 104, "nz": 104, "iterations": 50, "code": "reference"},
    box=("nx", "ny", "nz"),
    merit=lambda a, seconds: flops(a) / seconds if seconds > 0 else 0.0,
    unit="flop/s",
    title="hpcg",
    native=native,
    is_checked=True,  # with examples/apps/cg27.c, by python/tests/test_app.py
)
