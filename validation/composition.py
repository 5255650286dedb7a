"""Compositions of models with the default message budget, compared with simulations as a whole.

    composition.py MODEL MACHINE NODES [NODES] ...
"""

from __future__ import annotations

import sys

import odonata as od
from odonata import core
from odonata.app import checking, running
from odonata.benchmarks import MESSAGES

ENOUGH = 10**10  # messages, so that three iterations of each loop are simulated


def main(name: str, machine: str, *counts: str) -> None:
    model, of = running.load(name), od.machine(machine)
    ppn = model.ranks_per_node(of)
    print("| nodes | whole | composition | error |\n|---|---|---|---|")
    for nodes in map(int, counts):
        job, phases = of.job(nodes=nodes, ppn=ppn), model.phases(nodes, ppn, model.options)
        whole, composed = (
            core.enter("app", {**checking.request_of(job, "loggp", phases, budget),
                               "method": method}, None)["time_s"]
            for method, budget in (("simulate", ENOUGH), ("compose", MESSAGES))
        )  # fmt: skip
        error = f"{100 * (composed / whole - 1):+.1f} %"
        print(f"| {nodes} | {whole:.4g} s | {composed:.4g} s | {error} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
