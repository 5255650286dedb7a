"""HPL: the LU factorization of the TOP500 list, in the order of rocHPL or of the classic code.

Sources: netlib HPL 2.3; ROCm/rocHPL, pdgesv. rocHPL splits the trailing matrix, so that the next
panel is factorized and broadcast, and rows are exchanged, while the devices multiply.
"""

from collections.abc import Mapping
from typing import Any

from odonata.app import App, Phases
from odonata.app.models import lu
from odonata.app.phases import PANELS

DOUBLE = 8


def factorize(a: Phases, rows: float, owner: int) -> None:
    """A panel on the ranks of one column: a pivot search for each of its columns."""
    nb = a.nb
    with a.where(axis=1, at=owner):
        with a.phase("pdfact"):
            with a.loop(nb):
                # HPL_pdmxswp exchanges the largest entry and two rows of the panel.
                a.allreduce((2 * nb + 4) * DOUBLE, axes=0)
            a.compute(flops=rows * nb * nb, bytes=rows * nb * DOUBLE, kernel="panel", size=rows,
                      link_bytes=2 * rows * nb * DOUBLE, host=True)


def update(a: Phases, rows: float, columns: float) -> None:
    with a.phase("update"):
        a.compute(flops=2 * a.nb * rows * columns + a.nb**2 * columns,
                  bytes=2 * rows * columns * DOUBLE, kernel="gemm", size=min(rows, columns))


def factor(a: Phases) -> None:
    nb, n = a.nb, lu.order(a, DOUBLE)
    p, q = a.shape
    for k in a.sampled(range(n // nb)):
        left = n - k * nb
        rows, columns = left / p, left / q
        owner = (k + 1) % q

        def communicate() -> None:
            factorize(a, rows, owner)
            with a.phase("Lbcast"):
                a.panel_bcast(nb * rows * DOUBLE, axis=1, root=owner, algorithm=a.broadcast)
            with a.phase("laswp"):
                a.swap_rows(2 * nb * columns * DOUBLE, axis=0, root=k % p, algorithm=a.swap)

        if a.split:
            with a.overlap(offload=True):
                update(a, rows, columns)
                communicate()
        else:
            communicate()
            update(a, rows, columns)


def native(a: Phases, seconds: float, run: Mapping[str, Any]) -> list[str]:
    """rocHPL's table of steps (HPL_pdgesvK2, split update), and the result lines of HPL_pdtest.c.
    The recursion of the panel is not modeled: C2R4 is printed.
    """
    n, (p, q) = lu.order(a, DOUBLE), a.shape
    variant = f"WR{int(a.split)}{PANELS.index(a.broadcast)}C2R4"
    gigaflops = lu.flops(n) / seconds / 1e9
    return [
        *(table(a, n, run) if a.split else []),
        "=" * 80,
        "T/V                N    NB     P     Q               Time                 Gflops",
        "-" * 80,
        f"{variant}{n:12d} {a.nb:5d} {p:5d} {q:5d} {seconds:18.2f}     {gigaflops:18.4e}",
    ]


def table(a: Phases, n: int, run: Mapping[str, Any]) -> list[str]:
    """The sampled steps. Times of a panel are those of the ranks that factorize it; all parts of
    the update have the rate of the whole, since the model does not split its product."""
    rule = "-" * 164
    found = [
        rule,
        "   %   | Column    | Step Time (s) ||         DGEMM GFLOPS         || pdfact (s) "
        "| pmxswp (s) | Lbcast (s) | laswp (s) | GPU Sync (s) | Step GFLOPS | Overall GFLOPS",
        "       |           |               |  Small   |  First   | Second   |            "
        "|            |            |           |              |             |               ",
        rule,
    ]
    for step in lu.steps(run):
        column = step.number * a.nb
        gemm = lu.rate_of(step.run, "gemm")
        panel, search = step.of("pdfact"), step.of("pdfact", part="communication_s")
        # At the end of an overlap, outside of its phases, CPUs wait for the devices.
        waiting = step.of("main") + step.of("update")
        cells = [
            f"{100 * column / n:5.1f}% | {column:09d} |    {step.time_s:9.7f}  |",
            f" {gemm:9.3e}|" * 3,
            f"  {panel * a.shape[1]:9.3e} |  {search * a.shape[1]:9.3e} |",
            f"  {step.of('Lbcast'):9.3e} | {step.of('laswp'):9.3e} |   {waiting:9.3e}  |",
            f"  {lu.step_flops(n - column, a.nb) / step.time_s / 1e9:9.3e}  |",
            f"    {lu.done_flops(n, n - column) / step.elapsed_s / 1e9:9.3e}   ",
        ]
        found.append("".join(cells))
    return found


model = App(
    factor,
    grid=lu.grid,
    options={
        "n": 0,  # 0: from `gigabytes`
        "gigabytes": 59.8,  # of one rank: 718 GB a node of 12 [derived]
        "nb": 512,  # [rocHPL]
        "broadcast": "1ringM",
        "swap": "long",
        "split": True,  # rocHPL's order; False: the classic one
    },
    merit=lambda a, seconds: lu.flops(lu.order(a, DOUBLE)) / seconds,
    unit="flop/s",
    title="HPL",
    native=native,
    choices={"broadcast": PANELS, "swap": ("long", "binary")},
)
