"""The figure of docs/models/error-bars.md: published measurements over predictions, by kind, with
the band that the other organizations give each of them.

    python docs/figures/validation.py

The points are those of docs/reference/predictions.py; nothing is predicted here.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import kept
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from odonata import bands

ROOT = Path(__file__).resolve().parents[2]
PICTURE = Path(__file__).with_suffix(".png")
SCRIPT = ROOT / "docs" / "reference" / "predictions.py"


def predictions() -> Any:
    spec = importlib.util.spec_from_file_location("predictions", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def residuals() -> list[bands.Residual]:
    """Every point that is no input, at the fidelity of its curve."""
    of = predictions()
    stored = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (of.DATA, of.OTHERS, of.STORAGE, of.APPLICATIONS)
    ]
    return list(of.residuals(*stored, of.PACKET))


def group(one: bands.Residual) -> str:
    """The row of a point: a kind without buffers, sizes, libraries and names of applications."""
    of_network = one.kinds[1] in (bands.NETWORK, bands.STORAGE)
    return one.kinds[2] if of_network else one.kinds[1]


def draw(points: list[bands.Residual]) -> None:
    groups = sorted({group(one) for one in points})
    sources = sorted({one.source for one in points})
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    for one in points:
        row, of = groups.index(group(one)), sources.index(one.source)
        height = row + (of + 0.5) / len(sources) - 0.5
        band = bands.band_of(one.kinds, "packet", without=one.source)
        low, high = 1 / band.factor, band.factor
        box = Rectangle((low, height - 0.01), high - low, 0.02, color="0.85", zorder=1)
        axes.add_patch(box)
        inside = low <= one.ratio <= high
        axes.plot(one.ratio, height, ".", color="tab:blue" if inside else "tab:red", ms=4)
    axes.axvline(1.0, color="0.5", lw=0.8)
    for row in range(1, len(groups)):
        axes.axhline(row - 0.5, color="0.9", lw=0.8)
    ticks = (0.125, 0.25, 0.5, 1, 2, 4, 8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks(range(len(groups)), groups)
    axes.set_ylim(-0.5, len(groups) - 0.5)
    axes.set_xlabel("measured / predicted; gray: band from all other organizations")
    figure.savefig(PICTURE, dpi=120)


if __name__ == "__main__":
    kept.options(__doc__, draw=False)
    draw(residuals())
