"""A user's script with annotations that `mypy --strict` accepts."""

from __future__ import annotations

import sys

import odonata as od
from odonata.results import BenchRow


def fastest(result: od.TuneResult) -> str:
    nodes = max(result.nodes)
    return result.winners[nodes, 8]


def largest(rows: list[BenchRow]) -> BenchRow:
    return max(rows, key=lambda row: row["bytes"])


def main(program: str) -> None:
    machine: od.Machine = od.machine("dragonfly-1056").with_(routing="minimal")
    job: od.Job = machine.job(nodes=4, ppn=2)

    bench: od.BenchResult = od.bench.allreduce(job, sizes=[8, 1024])
    latency_us: list[float] = [1e6 * seconds for seconds in bench.latencies]
    print(bench.machine, bench.nodes, bench.sizes, latency_us, largest(bench.rows)["latency_s"])

    # Every argument of `od.bench` is one of a named benchmark.
    od.bench.allreduce(job, [8], "flow", 1_000_000, error_bars=True, twin_packets=100_000)
    od.bench.bw(job, sizes="8", buffers="host", window=8)
    od.bench.put_alltoall(machine.job(nodes=66), sizes="8", shifts=32)
    od.bench.bcast(job, [8], "auto", tolerance="10%", tick=lambda tick: None)

    traffic = od.traffic("uniform", machine, load=[0.1, 0.2], time=2e-6, warmup=2e-6)
    accepted: float = max(traffic.accepted)
    print(traffic.routing, accepted, [row["hops_mean"] for row in traffic.rows])

    print(fastest(od.tune("bcast", machine, nodes=[2, 4], sizes=[8])))

    try:
        run: od.RunResult = od.run(job, [sys.executable, program], compute="none")
        milliseconds: float = 1e3 * run.time
        print(milliseconds, run.n_ranks, run.n_bytes, run.digest, run.failure is None)
    except od.SimulatedFailure as failure:
        print(failure)

    entries = [{"bench": "allreduce", "bytes": 8, "nodes": 2, "iterations": 3}]
    slowdown: dict[str, float | None] = od.jobs(machine, entries).slowdowns
    base = {"command": "bench", "name": "barrier", "machine": "dragonfly-1056"}
    study = {"base": base, "grid": {"nodes": [2, 4]}}
    sweep: od.SweepResult = od.sweep(study, workers=1)
    print(slowdown, sweep.points, sweep.failed)

    try:
        od.machine("auorra")
    except od.InputError as error:
        print([diagnostic.hint for diagnostic in error.diagnostics])


if __name__ == "__main__":
    main(sys.argv[1])
