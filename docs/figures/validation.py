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
from matplotlib.patches import Patch, Rectangle

from odonata import bands

ROOT = Path(__file__).resolve().parents[2]
PICTURE = Path(__file__).with_suffix(".png")
SCRIPT = ROOT / "docs" / "reference" / "predictions.py"
# Of points inside their band or not.
COLORS = {True: ("tab:blue", "in the band"), False: ("tab:red", "outside")}


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
    """One line per kind and organization, with its points and their bands."""
    places = sorted({(group(one), one.organization) for one in points}, reverse=True)
    figure = Figure(figsize=(9, 0.22 * len(places) + 1.2), layout="constrained")
    axes = figure.subplots()
    for one in points:
        height = places.index((group(one), one.organization))
        band = bands.band_of(one.kinds, "packet", without=one.source)
        low, high = 1 / band.factor, band.factor
        box = Rectangle((low, height - 0.35), high - low, 0.7, color="0.88", zorder=1)
        axes.add_patch(box)
        color, _ = COLORS[low <= one.ratio <= high]
        axes.plot(one.ratio, height, "o", color=color, ms=4, alpha=0.6, mew=0)
    axes.axvline(1.0, color="0.5", lw=0.8)
    groups = [kind for kind, _ in places]
    for place, (kind, organization) in enumerate(places):
        axes.text(-0.01, place, organization, transform=axes.get_yaxis_transform(), fontsize=7,
                  ha="right", va="center")  # fmt: skip
        if place and groups[place - 1] != kind:
            axes.axhline(place - 0.5, color="0.6", lw=0.8)
    for kind in dict.fromkeys(groups):
        middle = groups.index(kind) + (groups.count(kind) - 1) / 2
        axes.text(1.01, middle, kind, transform=axes.get_yaxis_transform(), va="center")
    for color, words in COLORS.values():
        axes.plot([], [], "o", color=color, ms=4, mew=0, label=words)
    handles, _ = axes.get_legend_handles_labels()
    handles.append(Patch(color="0.88", label="band from all other organizations"))
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
    ticks = (0.125, 0.25, 0.5, 1, 2, 4, 8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([])
    axes.set_ylim(-0.5, len(places) - 0.5)
    axes.set_xlabel("measured / predicted")
    figure.savefig(PICTURE, dpi=120)


if __name__ == "__main__":
    kept.options(__doc__, draw=False)
    draw(residuals())
