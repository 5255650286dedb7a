"""Benchmarks of live runs: calls per second, start-up and memory of many ranks.

    python crates/bench/live/live.py [smoke]

Results depend on the load of the machine: compare ratios within one run. `smoke` runs small sizes
and is part of the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ONE_CORE = {min(os.sched_getaffinity(0))}


def compile_c(name: str, into: Path) -> Path:
    program = into / name
    compiler = HERE.parents[2] / "python/odonata/_bin/odonata-mpicc"
    subprocess.run([compiler, "-O2", HERE / f"{name}.c", "-o", program], check=True)
    return program


def run(
    ranks: int, ppn: int, program: list[str], cores: set[int] | None = None, warm: str = "auto"
) -> tuple[str, dict]:
    """Output of the program, and odonata's summary of the run."""
    command = [sys.executable, "-m", "odonata", "run", "-n", str(ranks), "--ppn", str(ppn),
               "--machine", "aurora", "--compute", "none", "--clock", "real", "--warm", warm,
               "--quiet", "--json", "--", *program]  # fmt: skip
    affinity = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=affinity)
    if done.returncode != 0:
        sys.exit(done.stderr)
    # With --json the output of the ranks goes to stderr.
    return done.stderr.strip(), json.loads(done.stdout)


def calls_a_second(calls: str, cores: dict[str, set[int]], smoke: bool) -> None:
    print(f"{'MPI calls per second':<44}" + "".join(f"{name:>14}" for name in cores))
    loops = 200 if smoke else 20_000
    for what, kind, ranks, n in [
        ("2 ranks in turn, MPI_Recv", "blocking", 2, loops),
        ("64 ranks at once, MPI_Allreduce", "round", 64, max(1, loops // 64)),
        ("1,024 ranks at once, MPI_Allreduce", "round", 1024, 1 if smoke else 20),
        ("2 ranks, MPI_Isend and MPI_Irecv", "isend", 2, loops // 4),
        ("local to the rank, MPI_Comm_rank", "local", 1, loops * 100),
    ]:
        if smoke and ranks > 64:
            continue
        row = f"  {what:<42}"
        for which in cores.values():
            said, _ = run(ranks, min(ranks, 8), [calls, kind, str(n)], which)
            seconds, made = map(float, said.split())
            row += f"{made / seconds:>14,.0f}"
        print(row, flush=True)


def collectives(calls: str, smoke: bool) -> None:
    """One sleep per rank for any number of ranks. Sleeps are counted, so no clock is needed."""
    ranks, rounds = (64, (2, 7)) if smoke else (1024, (5, 25))
    runs = [run(ranks, 8, [calls, "round", str(n)]) for n in rounds]
    asleep = runs[1][1]["hand_overs"] - runs[0][1]["hand_overs"]
    sleeps = asleep / (rounds[1] - rounds[0]) / ranks
    wall = float(runs[1][0].split()[0]) / rounds[1]
    print(f"\n{ranks:,}-rank MPI_Allreduce: {sleeps:g} sleeps per rank, {wall * 1e3:.1f} ms")


def starts(memory: str, smoke: bool) -> None:
    head = f"{'ranks on one machine':<44}{'KiB per rank':>14}{'start, s':>14}{'ms per rank':>14}"
    print(f"\n{head}")
    python = [sys.executable, str(HERE / "memory.py")]
    for what, program, ranks, warm in [
        ("C", [memory], 64 if smoke else 4096, "auto"),
        ("Python, mpi4py, numpy, forked", python, 4 if smoke else 1024, "auto"),
        ("Python, mpi4py, numpy, each by itself", python, 4 if smoke else 64, "none"),
    ]:
        kib, summary = run(ranks, 8, program, warm=warm)
        took = summary["start"]["wall_s"]
        print(
            f"  {ranks:>5,} {what:<36}{float(kib):>14,.0f}{took:>14.1f}{took / ranks * 1e3:>14.1f}",
            flush=True,
        )


def main() -> None:
    smoke = sys.argv[1:] == ["smoke"]
    with tempfile.TemporaryDirectory() as folder:
        calls = str(compile_c("calls", Path(folder)))
        memory = str(compile_c("memory", Path(folder)))
        cores = {"one core": ONE_CORE}
        if len(os.sched_getaffinity(0)) > 1:
            cores["all cores"] = os.sched_getaffinity(0)
        calls_a_second(calls, cores, smoke)
        collectives(calls, smoke)
        starts(memory, smoke)


if __name__ == "__main__":
    main()
