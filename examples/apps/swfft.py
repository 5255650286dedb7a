"""Model of swfft.c: a transform forward and one back, then the comparison of the result.

    odonata app check examples/apps/swfft.py --machine aurora -n 8,27,64 --problem points=32 -- \\
        ./swfft {points}
"""

import math

from odonata.app import App, Phases
from odonata.app.shapes import balanced


def transforms(a: Phases) -> None:
    n = a.points
    cells = n**3 / a.ranks
    for _ in range(2):
        for axis in range(3):
            shape = list(balanced(a.ranks, 2))
            shape.insert(axis, 1)
            pencils = a.grid(shape)
            a.remap(a.grid_of_ranks, pencils, (n, n, n), 16)
            a.compute(flops=5 * cells * math.log2(n), kernel="fft", size=n)
            a.remap(pencils, a.grid_of_ranks, (n, n, n), 16)
    a.allreduce(4, grain=4)


model = App(transforms, grid=3, options={"points": 32}, unit="", title="swfft")
