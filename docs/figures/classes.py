"""The figure of docs/models/classes.md: bandwidth share of traffic classes, and their latency.

    python docs/figures/classes.py

`dragonfly-1056`, minimal routes, adversarial traffic: all traffic between two neighboring groups
uses one link. Eight nodes of each group are measured, the other 24 send background traffic. Left:
the measured class demands the whole link, while bulk data and best effort each demand a growing
share. Lines show the share that docs/models/classes.md assures. Right: light traffic with the same
background, in a class of its own and in a class of the background. Each point is one command:

    odonata traffic adversarial:1 --machine dragonfly-1056 --routing minimal --nodes 264 \\
        --placement group-spread --set classes.profile=hpc --class CLASS --load L/8 --time 200us \\
        --background adversarial:1:X/24,bulk-data --background adversarial:1:X/24,best-effort
"""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import kept
from matplotlib.figure import Figure

import odonata as od
from odonata import plot

ATTACKS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
# Assured and ceiling, of profile HPC.
MEASURED = {"dedicated-access": (0.5, 1.0), "low-latency": (0.15, 0.3), "best-effort": (0.1, 1.0)}
OTHERS = {"bulk-data": 0.15, "best-effort": 0.10}
LIGHT = 0.02
ALL = 1.2


def measure(point: tuple[str, float, float]) -> dict:
    """Share of a class that demands `load` of the link while each other one demands `attack`."""
    name, load, attack = point
    machine = od.machine("dragonfly-1056").with_({"classes.profile": "hpc"}, routing="minimal")
    others = [
        f"adversarial:1:{attack / 24:.6f},{c}"
        for c in OTHERS
        if attack and (load == LIGHT or c != name)
    ]
    row = od.traffic(
        "adversarial:1", machine, load=[load / 8], nodes=264, placement="group-spread",
        background=others or "uniform:0", traffic_class=name, time=200e-6, warmup=100e-6,
    ).rows[0]  # fmt: skip
    share = row["accepted"] * 8
    print(f"{name:16} wants {load:.2f} beside {attack:.1f}: {share:.3f} of the link, mean "
          f"{row['latency_mean_s'] * 1e6:.2f} us, p99 {row['latency_p99_s'] * 1e6:.2f} us",
          flush=True)  # fmt: skip
    return {"share": share, **row}


def entitled(name: str, attack: float) -> float:
    """The assured share plus an equal part of the rest, up to the ceiling."""
    least, most = MEASURED[name]
    got = {c: min(attack, share) for c, share in OTHERS.items() if c != name}
    left = 1 - least - sum(got.values())
    if name == "low-latency":  # of higher priority: its turns come first
        return min(most, least + left)
    wants = {c: attack - share for c, share in got.items()} | {name: most - least}
    extra = 0.0
    for n, (c, want) in enumerate(sorted(wants.items(), key=lambda item: item[1])):
        turn = min(want, left / (len(wants) - n))
        left -= turn
        extra = turn if c == name else extra
    return least + extra


def main() -> None:
    """Compute all points and draw them."""
    kept.options(__doc__, draw=False)
    points = [(name, ALL, attack) for name in MEASURED for attack in ATTACKS]
    light = ("low-latency", "best-effort")
    points += [(name, LIGHT, attack) for name in light for attack in ATTACKS]
    with ProcessPoolExecutor(2) as pool:
        found = dict(zip(points, pool.map(measure, points), strict=True))
    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for ax in (left, right):
        plot.axes(ax)
        ax.set_xlabel("what bulk data and best effort each want of the link")
    fine = [i / 100 for i in range(101)]
    for color, name in zip(plot.LINES, MEASURED, strict=False):
        got = [found[name, ALL, attack]["share"] for attack in ATTACKS]
        left.plot(fine, [entitled(name, x) for x in fine], color=color, lw=1.2)
        left.plot(ATTACKS, got, "o", color=color, ms=5, label=name)
    left.set_ylim(0, 1.05)
    left.set_ylabel("share of the link")
    left.set_title("A class that wants all of it (lines: what it is due)", loc="left", fontsize=11)
    left.legend(fontsize=8, frameon=False)
    words = {"low-latency": "in low latency", "best-effort": "in best effort, as half of it"}
    for color, (name, word) in zip(plot.LINES, words.items(), strict=False):
        rows = [found[name, LIGHT, attack] for attack in ATTACKS]
        for key, style in (("mean", "-"), ("p99", "--")):
            values = [row[f"latency_{key}_s"] * 1e6 for row in rows]
            right.plot(ATTACKS, values, f"o{style}", color=color, ms=4, lw=1.6,
                       label=f"{word}, {key}")  # fmt: skip
    right.set_yscale("log")
    right.set_ylabel("latency of light traffic (us)")
    right.set_title(f"{LIGHT:.0%} of the link beside the attack", loc="left", fontsize=11)
    right.legend(fontsize=8, frameon=False)
    out = Path(__file__).with_suffix(".png")
    figure.savefig(out, dpi=140)
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
