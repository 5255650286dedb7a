"""Live runs against the same binary on PyPI's `mpich`: one-sided operations, and start-up.

    python crates/bench/live/beside.py [smoke]

Prints CPU time of all processes of a run, and wall time. Results depend on the load of the machine:
compare the ratios. `smoke` runs small sizes without MPICH and is part of the tests.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "conformance"))

import places  # noqa: E402

# Title, ranks, program, loops, number of runs (the fastest counts).
ROWS = (
    ("4 threads per rank, Put 4 B, flush", 2, "onesided threads", 50_000, 3),
    ("Get_accumulate of 10 integers, flush", 3, "onesided accumulate", 50_000, 3),
    ("Get_accumulate of 10 integers, one flush", 3, "onesided many", 50_000, 3),
    ("start and end of an empty program", 2, "hello", None, 10),
)


def compiled(name: str, into: Path) -> Path:
    program = into / name
    command = ["sh", places.COMPILER, "-O2", HERE / f"{name}.c", "-o", program, "-pthread"]
    subprocess.run(command, check=True)
    return program


def cost(place: places.Twin | places.Reference, ranks: int, program: list[str]) -> list[float]:
    """CPU time and wall time, s."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command, env = place.command(ranks, program), place.environment()
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begun
    return [after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall]


def main() -> None:
    smoke = sys.argv[1:] == ["smoke"]
    twin = places.Twin("aurora", 1, ("--clock", "real"))
    both = [twin] if smoke else [twin, places.reference()]
    heads = ("CPU, s", "wall, s", "MPICH", "wall, s", "CPU", "wall")
    print(f"{'odonata and MPICH':<46}" + "".join(f"{head:>9}" for head in heads))
    with tempfile.TemporaryDirectory() as folder:
        programs = {name: str(compiled(name, Path(folder))) for name in ("onesided", "hello")}
        for what, ranks, words, loops, runs in ROWS:
            name, *rest = words.split()
            if loops:
                rest.append("20" if smoke else str(loops))
            row = []
            for place in both:
                costs = [
                    cost(place, ranks, [programs[name], *rest])
                    for _ in range(1 if smoke else runs)
                ]
                row += [min(column) for column in zip(*costs, strict=True)]
            shown = "".join(f"{x:>9.2f}" for x in row)
            if not smoke:
                shown += f"{row[0] / row[2]:>8.1f}x{row[1] / row[3]:>8.1f}x"
            print(f"  {what:<44}{shown}", flush=True)


if __name__ == "__main__":
    os.environ.pop("OMP_NUM_THREADS", None)
    main()
