"""HPCG: conjugate gradients with a multigrid preconditioner on a 27-point stencil.

Sources: hpcg-benchmark/hpcg, CG.cpp, ComputeMG_ref.cpp, ExchangeHalo.cpp.
"""

from odonata.app import App, Phases

LEVELS = 4  # of the multigrid preconditioner [CG.cpp]
POINTS = 27  # of the stencil


def exchange(a: Phases, n: list[int]) -> None:
    """ExchangeHalo.cpp: all receives, blocking sends in turn, waits in turn."""
    a.halo(width=1, bytes=8, corners=True, box=n, order="send")


def sweep(a: Phases, n: list[int], kernel: str) -> None:
    """A pass over the matrix: 2 flops per nonzero, of which each is 12 bytes: value and column."""
    rows = n[0] * n[1] * n[2]
    a.compute(flops=2 * POINTS * rows, bytes=(12 * POINTS + 24) * rows, kernel=kernel)


def multigrid(a: Phases, n: list[int], level: int) -> None:
    """ComputeMG_ref.cpp. A symmetric Gauss-Seidel is an exchange, a forward and a backward pass."""
    def smooth() -> None:
        exchange(a, n)
        sweep(a, n, "gauss_seidel")
        sweep(a, n, "gauss_seidel")

    smooth()
    if level == LEVELS - 1:
        return
    exchange(a, n)
    sweep(a, n, "spmv")
    rows = n[0] * n[1] * n[2]
    a.compute(flops=rows / 8, bytes=24 * rows / 8, kernel="stream")  # restriction
    multigrid(a, [size // 2 for size in n], level + 1)
    a.compute(flops=rows / 8, bytes=24 * rows / 8, kernel="stream")  # prolongation
    smooth()


def dot(a: Phases, rows: float) -> None:
    a.compute(flops=2 * rows, bytes=16 * rows, kernel="stream")
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
            exchange(a, n)
            sweep(a, n, "spmv")
        with a.phase("dot"):
            dot(a, rows)
        with a.phase("waxpby"):
            a.compute(flops=4 * rows, bytes=48 * rows, kernel="stream")
        with a.phase("dot"):
            dot(a, rows)


def flops(a: Phases) -> float:
    """The flops that HPCG counts."""
    n = [int(size) for size in a.box]
    rows = float(n[0] * n[1] * n[2])
    levels = sum((5 if k < LEVELS - 1 else 2) * 8.0**-k for k in range(LEVELS))
    total = levels * 2 * POINTS * rows + 2 * POINTS * rows + 3 * 2 * rows + 3 * 2 * rows
    return total * a.iterations * a.ranks


model = App(
    cg,
    grid=3,
    first_fastest=True,
    options={"nx": 104, "ny": 104, "nz": 104, "iterations": 50},
    box=("nx", "ny", "nz"),
    ppn=12,
    merit=lambda a, seconds: flops(a) / seconds if seconds > 0 else 0.0,
    unit="flop/s",
    title="hpcg",
    is_checked=True,  # with examples/apps/cg27.c, by python/tests/test_app.py
)
