"""Calls per second on simulated files.

    python crates/bench/live/files.py [smoke]

The CPU time is that of all processes of a run, less that of a run with one call per rank. Results
depend on the load of the machine: compare ratios within one run. `smoke` runs small sizes and is
part of the tests.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from pathlib import Path

from live import ONE_CORE, compile_c, run

# Title, kind, ranks, directory, loops per rank.
ROWS = (
    ("stat, 1 rank", "stat", 1, "/lus/flare", 100_000),
    ("stat, 8 ranks", "stat", 8, "/lus/flare", 12_500),
    ("read of 4 KiB, 8 ranks", "read", 8, "/lus/flare", 12_500),
    ("write of 4 KiB, 8 ranks", "write", 8, "/lus/flare", 12_500),
    ("create, close, unlink, 8 ranks", "create", 8, "/lus/flare", 1_000),
    ("stat on DAOS, 8 ranks", "stat", 8, "/daos", 6_000),
)


def cost(program: str, ranks: int, words: list[str]) -> tuple[float, float, float]:
    """CPU time of all processes and wall time of the calls, s, and their number."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said, _ = run(ranks, 1, [program, *words], ONE_CORE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds, calls = map(float, said.split())
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return used, seconds, calls


def main() -> None:
    smoke = sys.argv[1:] == ["smoke"]
    print(f"{'calls on simulated files, one core':<44}{'per CPU second':>16}{'per second':>14}")
    with tempfile.TemporaryDirectory() as folder:
        program = str(compile_c("files", Path(folder)))
        for what, kind, ranks, directory, loops in ROWS:
            loops = 200 if smoke else loops
            start, _, _ = cost(program, ranks, [directory, kind, "1"])
            used, seconds, calls = cost(program, ranks, [directory, kind, str(loops)])
            rate = calls / max(used - start, 1e-3)
            print(f"  {what:<42}{rate:>16,.0f}{calls / seconds:>14,.0f}", flush=True)


if __name__ == "__main__":
    os.environ.pop("OMP_NUM_THREADS", None)
    main()
