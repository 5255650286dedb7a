"""Traffic: the load that a dragonfly accepts, by routing policy.

    python examples/03_traffic.py [FIGURE.png]

Adversarial traffic sends all packets of a group to the next group. Minimal routing uses one link
per group: with p = 4 endpoints on each of a = 8 switches, 1 / (a p) = 1/32 of the injection rate.
Valiant routing spreads the packets over all groups. Each packet then crosses two global links
instead of one, so at most half of the capacity of the group's a h = 32 global links is available.
"""

import sys

import odonata as od

LOADS = [0.02, 0.1, 0.3, 0.5, 0.7]
BOUNDS = {"one link a group": 1 / 32, "half the global links": 0.5}

results = []
for routing in ("minimal", "valiant", "ugal"):
    dragonfly = od.machine("dragonfly-1056").with_(routing=routing)
    result = od.traffic("adversarial:1", dragonfly, load=LOADS, time="20us", warmup="20us")
    accepted = "  ".join(f"{row['accepted']:.3f}" for row in result.rows)
    print(f"{routing:8} accepts {accepted}  of {LOADS}")
    results.append(result)

if len(sys.argv) > 1:
    from odonata import plot

    ax = plot.traffic(results, bounds=BOUNDS)
    ax.figure.savefig(sys.argv[1], dpi=150)
    print(f"wrote {sys.argv[1]}")
