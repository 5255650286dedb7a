"""Yardsticks of live runs: calls a second, start-up and memory of many ranks.

    python crates/bench/live/live.py [smoke]

Figures depend on what else the machine does: compare ratios within one run. `smoke` runs small
sizes and is part of the tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ONE_CORE = {min(os.sched_getaffinity(0))}


def compile_c(name: str, into: Path) -> Path:
    program = into / name
    compiler = HERE.parents[2] / "python/odonata/_bin/odonata-mpicc"
    subprocess.run([compiler, "-O2", HERE / f"{name}.c", "-o", program], check=True)
    return program


def run(
    ranks: int, ppn: int, program: list[str], cores: set[int] | None = None
) -> tuple[str, float]:
    """What the program printed, and seconds of the wall clock from start to end."""
    command = [sys.executable, "-m", "odonata", "run", "-n", str(ranks), "--ppn", str(ppn),
               "--machine", "aurora", "--compute", "none", "--quiet", "--", *program]  # fmt: skip
    affinity = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    began = time.monotonic()
    done = subprocess.run(command, check=True, capture_output=True, text=True, preexec_fn=affinity)
    return done.stdout.strip(), time.monotonic() - began


def main() -> None:
    smoke = sys.argv[1:] == ["smoke"]
    with tempfile.TemporaryDirectory() as folder:
        calls = str(compile_c("calls", Path(folder)))
        memory = str(compile_c("memory", Path(folder)))
        cores = {"one core": ONE_CORE}
        if len(os.sched_getaffinity(0)) > 1:
            cores["all cores"] = os.sched_getaffinity(0)
        print(f"{'MPI calls per second':<44}" + "".join(f"{name:>14}" for name in cores))
        loops = 200 if smoke else 20_000
        for what, kind, ranks, n in [
            ("2 ranks in turn, MPI_Recv", "blocking", 2, loops),
            ("64 ranks at once, MPI_Allreduce", "round", 64, max(1, loops // 64)),
            ("1,024 ranks at once, MPI_Allreduce", "round", 1024, 1 if smoke else 20),
            ("2 ranks, MPI_Isend and MPI_Irecv", "isend", 2, loops // 4),
            ("answered by the rank, MPI_Comm_rank", "local", 1, loops * 100),
        ]:
            if smoke and ranks > 64:
                continue
            row = f"  {what:<42}"
            for which in cores.values():
                said, _ = run(ranks, min(ranks, 8), [calls, kind, str(n)], which)
                seconds, made = map(float, said.split())
                row += f"{made / seconds:>14,.0f}"
            print(row, flush=True)
        print(f"\n{'ranks on one machine':<44}{'KiB a rank':>14}{'wall s':>14}")
        python = [sys.executable, str(HERE / "memory.py")]
        for what, program, ranks in [
            ("C", [memory], 64 if smoke else 1024),
            ("Python, mpi4py, numpy", python, 4 if smoke else 256),
        ]:
            kib, wall = run(ranks, 8, program)
            print(f"  {ranks:>5,} {what:<36}{float(kib):>14,.0f}{wall:>14.1f}", flush=True)


if __name__ == "__main__":
    main()
