"""The figure of docs/models/switch.md: queueing delay inside a switch of 64 ports.

    python docs/figures/switch.py

Time is in slots of one packet on a link. A packet arrives at each port with the probability `load`
per slot, for any other port alike. Without an inside, every output sends one packet per slot from
any input. With an inside, an input has one bus, which gives the crossbar one packet per slot, or
`speed` packets if the inside is faster than the links. Requests and grants are matched by round
robin (iSLIP, McKeown 1999, three iterations). A mean wait is the mean number of packets in the
switch divided by the arrival rate (Little's law). Takes some minutes.
"""

from pathlib import Path

import kept
import numpy as np
from matplotlib.figure import Figure

PORTS = 64
SLOT_NS = 2_132 * 0.04  # A packet of 2 KiB with its overhead at 25 GB/s.
LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
SLOTS, WARMUP = 12_000, 3_000


def matched(wanted, grants, accepts):
    """One round of requests, grants and accepts with the pointers of iSLIP: pairs (in, out)."""
    inputs = np.full(PORTS, -1)
    outputs = np.full(PORTS, -1)
    every = np.arange(PORTS)
    for iteration in range(3):
        open_ = wanted & (inputs < 0)[:, None] & (outputs < 0)[None, :]
        asked = open_.any(axis=0)
        if not asked.any():
            break
        turn = np.where(open_, (every[:, None] - grants[None, :]) % PORTS, PORTS)
        granted = np.zeros_like(open_)
        granted[turn.argmin(axis=0)[asked], every[asked]] = True
        turn = np.where(granted, (every[None, :] - accepts[:, None]) % PORTS, PORTS)
        takes = granted.any(axis=1)
        chosen = turn.argmin(axis=1)
        inputs[takes] = chosen[takes]
        outputs[chosen[takes]] = every[takes]
        if iteration == 0:
            grants[chosen[takes]] = (every[takes] + 1) % PORTS
            accepts[takes] = (chosen[takes] + 1) % PORTS
    taken = inputs >= 0
    return every[taken], inputs[taken]


def wait(load, speed, seed=1):
    """Mean wait of a packet in slots; `speed` None is an ideal output-queued switch."""
    draw = np.random.default_rng(seed)
    queues = np.zeros((PORTS, PORTS), dtype=int)  # by input and output
    leaving = np.zeros(PORTS, dtype=int)  # behind the crossbar
    grants, accepts = np.zeros(PORTS, dtype=int), np.zeros(PORTS, dtype=int)
    every = np.arange(PORTS)
    held = came = 0
    for slot in range(SLOTS + WARMUP):
        come = draw.random(PORTS) < load
        to = (every + draw.integers(1, PORTS, PORTS)) % PORTS
        queues[every[come], to[come]] += 1
        if speed is None:
            leaving += queues.sum(axis=0)
            queues[:] = 0
        else:
            for _ in range(speed):
                inputs, outputs = matched(queues > 0, grants, accepts)
                queues[inputs, outputs] -= 1
                leaving[outputs] += 1
        leaving = np.maximum(leaving - 1, 0)
        if slot >= WARMUP:
            held += queues.sum() + leaving.sum()
            came += come.sum()
    return held / came


kept.options(__doc__, draw=False)
figure = Figure(figsize=(7.5, 4.6), layout="constrained")
ax = figure.subplots()
theory = [(PORTS - 1) / PORTS * load / (2 * (1 - load)) for load in LOADS]
ax.plot(LOADS, np.multiply(theory, SLOT_NS), "k:", label="no inside, theory")
for label, speed, mark in (
    ("no inside", None, "o"),
    ("inside as fast as a link", 1, "s"),
    ("inside twice as fast", 2, "^"),
):
    waits = np.array([wait(load, speed) for load in LOADS]) * SLOT_NS
    ax.plot(LOADS, waits, mark + "-", label=label)
    print(f"{label:26}" + "".join(f"{w:8.1f}" for w in waits))
print(f"{'theory':26}" + "".join(f"{w * SLOT_NS:8.1f}" for w in theory))
ax.axhline(350, color="gray", lw=0.8)
ax.annotate("crossing the switch, 350 ns", (0.1, 350), (0, 4), textcoords="offset points")
ax.set(xlabel="load of every port", ylabel="mean wait in the switch (ns)", ylim=(0, 900))
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
out = Path(__file__).with_suffix(".png")
figure.savefig(out, dpi=140)
print(f"wrote {out.name}")
