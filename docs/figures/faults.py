"""The figure of docs/models/fault-effects.md: throughput before, during and after a fault.

    python docs/figures/faults.py

Nine groups of `dragonfly-1056`, four links between any two. Left: one of the four between groups 0
and 1 is down for a while, and all traffic uses these links. Right: a switch of group 0 is down.
Other switches learn of a fault 20 us later. Takes a few seconds.
"""

import tempfile
from pathlib import Path

import kept
from matplotlib.figure import Figure

import odonata as od

DOWN, UP, END = 200, 400, 600  # us
SLICES = 60
MACHINE = {
    "groups.compute.count": 9,
    "global.links.compute.compute": 4,
    "retry.sweep": "20 us",
}
PANELS = {
    # Capacity of the four links over the injection rate of 32 NICs: 0.125; of three links 0.094.
    "one of four links between groups, adversarial:1 at 0.11": (
        "adversarial:1", 0.11, "groups = [0, 1]\ncable = 0"
    ),
    "a switch of eight, uniform at 0.2": ("uniform", 0.2, "switch = 0"),
}  # fmt: skip
ROUTINGS = ("minimal", "ugal-l", "slingshot")

kept.options(__doc__, draw=False)
figure = Figure(figsize=(11, 4.2), layout="constrained")
axes = figure.subplots(1, 2)
for ax, (title, (pattern, load, part)) in zip(axes, PANELS.items(), strict=True):
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.toml"
        times = f'from = "{DOWN} us"\nuntil = "{UP} us"\n'
        plan.write_text(f"[[fault]]\n{part}\n{times}", encoding="utf-8")
        for routing in ROUTINGS:
            machine = od.machine("dragonfly-1056").with_(MACHINE, routing=routing, faults=plan)
            result = od.traffic(
                pattern, machine, load=[load], nodes=64, placement="group-spread:2",
                warmup=20e-6, time=(END - 20) * 1e-6, slices=SLICES,
            )  # fmt: skip
            parts = result.summary["slices"]
            times = [(p["begin_s"] + p["end_s"]) / 2 * 1e6 for p in parts]
            ax.plot(times, [p["accepted"] for p in parts], label=routing, linewidth=1.4)

            def mean(low, high, parts=parts, times=times):
                half = (END - 20) / SLICES / 2
                chosen = [
                    p["accepted"]
                    for p, at in zip(parts, times, strict=True)
                    if low <= at - half + 1e-6 and at + half <= high + 1e-6
                ]
                return sum(chosen) / len(chosen)

            row = result.rows[0]
            spans = ((20, DOWN), (DOWN + 10, DOWN + 30), (DOWN + 50, UP), (UP + 50, END))
            means = " ".join(f"{mean(*span):.4f}" for span in spans)
            print(f"{pattern:14} {routing:10} {means}  lost {row['packets_lost']}", flush=True)
    ax.axvspan(DOWN, UP, color="0.92", zorder=0)
    ax.axhline(load, color="0.6", linewidth=0.8, linestyle=":")
    ax.set_title(title, loc="left", fontsize=10)
    ax.set_xlabel("time, us")
    ax.set_ylim(0, load * 1.35)
    ax.set_ylabel("accepted, of the injection rate")
    ax.legend(frameon=False, loc="lower right")
out = Path(__file__).with_suffix(".png")
figure.savefig(out, dpi=140)
print(f"wrote {out.name}")
