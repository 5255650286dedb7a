"""The figure of docs/models/saturation-measured.md: offered against accepted load, with bounds.

    python docs/figures/saturation.py

Four routings on `dragonfly-1056`, 2 KiB packets, uniform and adversarial:1 traffic. The bounds are
derived in docs/models/saturation-bounds.md. Takes a minute or two.
"""

from pathlib import Path

import kept
from matplotlib.figure import Figure

import odonata as od
from odonata import plot

ROUTINGS = ("minimal", "valiant", "ugal-l", "slingshot")
PANELS = {
    "uniform": ([0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0], {"minimal": 1.0, "Valiant": 0.507}),
    "adversarial:1": (
        [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8],
        {"minimal, 1/(a p)": 1 / 32, "Valiant": 0.484, "any mixture": 0.516},
    ),
}

kept.options(__doc__, draw=False)
figure = Figure(figsize=(11, 4.6), layout="constrained")
for ax, (pattern, (loads, bounds)) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
    results = []
    for routing in ROUTINGS:
        machine = od.machine("dragonfly-1056").with_(routing=routing)
        results.append(
            od.traffic(pattern, machine, load=loads, time=20e-6, warmup=20e-6, threads=2)
        )
        accepted = " ".join(f"{row['accepted']:.3f}" for row in results[-1].rows)
        print(f"{pattern:14} {routing:8} {accepted}")
    plot.traffic(results, bounds=bounds, ax=ax)
    ax.set_title(pattern, loc="left", fontsize=11)
out = Path(__file__).with_suffix(".png")
figure.savefig(out, dpi=140)
print(f"wrote {out.name}")
