"""Cost of the preload library of simulated file systems for programs that use none of their files.

    python crates/bench/live/preload.py [smoke]

Each program runs alternately without and with the library, which knows four mounts, on one core.
The table has the CPU time of the fastest run and the median of the ratios of neighboring runs.
`smoke` runs small sizes and is part of the tests.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PRELOAD = HERE.parents[2] / "python/odonata/_lib/libodonata_io.so"
MOUNTS = ("/lus/flare", "/lus/gecko", "/daos", "/scratch")
# Title, program (those of plain_files.c have loops), loops.
ROWS = (
    ("open, write, seek, read, fstat, close", "calls", 60_000),
    ("pread of 4 KiB", "transfers", 400_000),
    ("stat", "stat", 200_000),
    ("divisions", "sum", 100_000_000),
    ("find /usr/share", "find /usr/share -newer /etc/passwd", None),
    ("tar of /usr/include", "tar cf /dev/null -C /usr/include .", None),
    ("python -c 'import numpy'", f"{sys.executable} -c 'import numpy'", None),
)


def cpu_time(command: list[str], environment: dict[str, str]) -> float:
    """CPU time of a program, s: what it prints, or that of the process."""
    one_core = {min(os.sched_getaffinity(0))}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, one_core),
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if Path(command[0]).name == "plain_files":
        return float(done.stdout)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    smoke = sys.argv[1:] == ["smoke"]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "plain_files"
        subprocess.run(["cc", "-O2", HERE / "plain_files.c", "-o", program], check=True)
        mounts = ":".join(f"{i}={mount}={folder}/store{mount}" for i, mount in enumerate(MOUNTS))
        plain = {k: v for k, v in os.environ.items() if not k.startswith("ODONATA_")}
        loaded = {**plain, "LD_PRELOAD": str(PRELOAD), "ODONATA_MOUNTS": mounts}
        print(f"{'CPU time, s':<40}{'without':>10}{'with':>10}{'ratio':>9}")
        for what, words, loops in ROWS:
            command = ["sh", "-c", f"exec {words}"]
            if loops:
                command = [str(program), f"{folder}/file", words, str(100 if smoke else loops)]
            pairs = [
                (cpu_time(command, plain), cpu_time(command, loaded))
                for _ in range(1 if smoke else 15)
            ]
            least = [min(column) for column in zip(*pairs, strict=True)]
            ratio = statistics.median(b / a if a > 0 else 1.0 for a, b in pairs)
            print(f"  {what:<38}{least[0]:>10.3f}{least[1]:>10.3f}{ratio:>9.3f}", flush=True)


if __name__ == "__main__":
    main()
