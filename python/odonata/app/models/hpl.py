"""HPL: the LU factorization of the TOP500 list, in the order of rocHPL or of the classic code.

Sources: netlib HPL 2.3; ROCm/rocHPL, pdgesv. rocHPL splits the trailing matrix, so that the next
panel is factorized and broadcast, and rows are exchanged, while the devices multiply.
"""

import math

from odonata.app import App, Phases
from odonata.app.shapes import balanced

DOUBLE = 8


def order(a: Phases) -> int:
    """Order of the matrix: a multiple of the block that fills the stated memory."""
    if a.n:
        return int(a.n)
    return int(math.sqrt(a.gigabytes * 1e9 * a.ranks / DOUBLE) / a.nb) * a.nb


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


def lu(a: Phases) -> None:
    nb, n = a.nb, order(a)
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


def flops(a: Phases) -> float:
    n = float(order(a))
    return 2 / 3 * n**3 + 3 / 2 * n**2


model = App(
    lu,
    grid=lambda ranks: balanced(ranks, 2)[::-1],
    options={
        "n": 0,  # 0: from `gigabytes`
        "gigabytes": 59.8,  # of one rank: 718 GB a node of 12 [derived]
        "nb": 512,  # [rocHPL]
        "broadcast": "1ringM",
        "swap": "long",
        "split": True,  # rocHPL's order; False: the classic one
    },
    ppn=12,
    merit=lambda a, seconds: flops(a) / seconds,
    unit="flop/s",
    title="HPL",
)
