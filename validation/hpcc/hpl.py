"""Model of HPL as HPCC contains it: without look-ahead, with binary exchange and ring broadcast.

    python validation/validate.py hpl        # builds the program, writes its input, compares

Sources: HPL_pdgesv0.c, HPL_pdmxswp.c, HPL_1ring.c, HPL_pdlaswp00T.c, HPL_numroc.c. The matrix is
random, so each set of rows is equally likely to have the pivots of a panel: the rows that a rank
sends have a hypergeometric distribution.
"""

import math

from odonata.app import App, Phases, normal
from odonata.app.shapes import balanced

DOUBLE = 8


def local(n: int, nb: int, distance: int, extent: int) -> int:
    """Of n cyclic rows or columns, those of the rank at this distance from the owner of the first
    block (HPL_numroc)."""
    blocks = n // nb
    whole = blocks // extent * nb
    rest = blocks % extent
    return whole + (nb if distance < rest else n % nb if distance == rest else 0)


class Step:
    """One panel: its width, its owners, and what is left of the matrix."""

    def __init__(self, a: Phases, k: int):
        self.a, self.nb = a, a.nb
        self.p, self.q = a.shape
        self.left = a.n - k * a.nb
        self.width = min(a.nb, self.left)
        self.row, self.column = k % self.p, k % self.q
        self.rows = [local(self.left, a.nb, d, self.p) for d in range(self.p)]
        # With the right-hand side, and without the panel.
        self.columns = [local(self.left + 1, a.nb, d, self.q) for d in range(self.q)]
        self.columns[0] -= self.width

    def rank(self, down: int, across: int) -> int:
        """The rank at these distances from the owner of the panel's first block."""
        return (self.row + down) % self.p * self.q + (self.column + across) % self.q

    def swap(
        self, pairs: list[tuple[int, int]], across: list[int], there: list, back: list
    ) -> None:
        """Both ranks of a pair send: sizes of the first's and of the second's message."""
        links, bytes = [], []
        for nth, one in enumerate(across):
            for (first, second), ahead, behind in zip(pairs, there, back, strict=True):
                ends = self.rank(first, one), self.rank(second, one)
                for (source, target), (elements, deviation, size) in (
                    (ends, ahead(nth)), (ends[::-1], behind(nth))
                ):  # fmt: skip
                    if elements > 0:
                        spread = normal(deviation / elements) if deviation else None
                        links += self.a.links([(source, target, elements)], spread)
                        bytes.append(size)
        self.a.messages(links, bytes, order="send")

    def factorize(self) -> None:
        """A pivot search per column (HPL_pdmxswp): the largest entry with its row, and the first
        row, which the ranks of the smallest distances forward."""
        short, long = self.width + 4, 2 * self.width + 4
        power = 1 << (self.p.bit_length() - 1)
        beyond = self.p - power if self.p > 1 else 0

        def fixed(size: int):
            return lambda nth: (1, 0, DOUBLE * size)

        def one(source: int, target: int, size: int) -> None:
            ends = self.rank(source, 0), self.rank(target, 0)
            self.a.messages(self.a.links([(*ends, 1)]), DOUBLE * size, order="send")

        with self.a.loop(self.width):
            # Half of the panel is updated after the average column.
            with self.a.where(axis=1, at=self.column):
                for down, rows in enumerate(self.rows):
                    with self.a.where(axis=0, at=(self.row + down) % self.p):
                        self.a.compute(flops=rows * self.width, kernel="panel")
            for d in range(beyond):
                if d == 0:
                    self.swap([(0, power)], [0], [fixed(self.width)], [fixed(short)])
                else:
                    one(power + d, d, short)
            by = 1
            while by < power:
                pairs = [(d, d ^ by) for d in range(power) if not d & by]
                there = [fixed(long if d < by else short) for d, _ in pairs]
                self.swap(pairs, [0], there, [fixed(short)] * len(pairs))
                by *= 2
            self.spread_beyond(power, beyond, one, self.width)
            for d in range(beyond):
                one(d, power + d, short)

    def spread_beyond(self, power: int, beyond: int, one, size: int) -> None:
        """Broadcast among the ranks beyond a power of two, along a binomial tree."""
        by = 1 << max((beyond - 1).bit_length() - 1, 0)
        while by >= 1 and beyond > 1:
            for d in range(0, beyond - by, 2 * by):
                one(power + d, power + d + by, size)
            by //= 2

    def broadcast(self) -> None:
        """The panel along each row, from rank to rank."""
        for across in range(self.q - 1):
            links, bytes = [], []
            for down in range(self.p):
                ends = self.rank(down, across), self.rank(down, across + 1)
                below = self.rows[down] - (self.width if down == 0 else 0)
                length = below * self.width + self.width**2 + self.width + 1
                links += self.a.links([(*ends, 1)])
                bytes.append(DOUBLE * length)
            self.a.messages(links, bytes, order="send")

    def pivots(self, ranks: range) -> tuple[float, float]:
        """Rows of the panel's pivots that these ranks of a column have: mean and deviation."""
        share = sum(self.rows[d] for d in ranks if d) / self.left
        mean = self.width * share
        others = (self.left - self.width) / max(self.left - 1, 1)
        return mean, math.sqrt(mean * (1 - share) * others)

    def exchange(self) -> None:
        """Rows of U, which the owner's row of ranks has, for those of the pivots."""
        power = 1 << (self.p.bit_length() - 1)
        beyond = self.p - power
        # With the right-hand side, and without the panel.
        columns = self.columns
        across = [d for d in range(self.q) if columns[d] > 0]

        def upper(nth: int):
            return self.width, 0, DOUBLE * columns[across[nth]]

        def pivots(ranks):
            return lambda nth: (*self.pivots(ranks), DOUBLE * (columns[across[nth]] + 1))

        def one(pairs: list[tuple[int, int]], size) -> None:
            none = [lambda nth: (0, 0, 0)] * len(pairs)
            self.swap(pairs, across, [size] * len(pairs), none)

        def held(d: int, by: int) -> list[int]:
            """Ranks whose rows a rank has after the steps below `by`."""
            near = [e for e in range(power) if e // by == d // by]
            return near + [e + power for e in near if e < beyond]

        for d in range(beyond):
            if d == 0:
                self.swap([(0, power)], across, [upper], [pivots([power])])
            else:
                one([(power + d, d)], pivots([power + d]))
        by = 1
        while by < power:
            pairs = [(d, d ^ by) for d in range(power) if not d & by]
            there = [upper if d < by else pivots(held(d, by)) for d, _ in pairs]
            back = [pivots(held(e, by)) for _, e in pairs]
            self.swap(pairs, across, there, back)
            by *= 2
        self.spread_beyond(power, beyond, lambda s, t, _: one([(s, t)], upper), self.width)
        one([(d, power + d) for d in range(beyond)], upper)

    def update(self) -> None:
        """A triangular solve of the rows of U by all ranks of a column, then the product."""
        for down, rows in enumerate(self.rows):
            below = rows - (self.width if down == 0 else 0)
            for across, columns in enumerate(self.columns):
                flops = columns * self.width * (self.width + 2 * below)
                with self.a.where(axis=0, at=(self.row + down) % self.p), \
                        self.a.where(axis=1, at=(self.column + across) % self.q):  # fmt: skip
                    self.a.compute(flops=flops, kernel="gemm")


def factorization(a: Phases) -> None:
    if a.n % a.nb:
        raise ValueError("n must be a multiple of nb")
    for k in range(a.n // a.nb):
        step = Step(a, k)
        with a.phase("pdfact"):
            step.factorize()
        with a.phase("bcast"):
            step.broadcast()
        with a.phase("laswp"):
            if step.p > 1:
                step.exchange()
        with a.phase("update"):
            step.update()


model = App(
    factorization,
    grid=lambda ranks: balanced(ranks, 2)[::-1],
    options={"n": 512, "nb": 64},
    merit=lambda a, seconds: (2 / 3 * a.n**3 + 3 / 2 * a.n**2) / seconds,
    unit="flop/s",
    title="HPL of HPCC",
)
