"""SimGrid's SMPI and odonata on the same collectives, interleaved: wall time and memory.

    apt install libsimgrid-dev             # Debian: smpicc, smpirun
    python crates/bench/peers/simgrid.py   # [--seconds 300] [--ranks 64,256] [--out FILE.json]

Both run one collective by the same algorithm on the same dragonfly (`dragonfly-1024.toml`; the
script writes an equivalent platform file for SimGrid). Times include start-up. Runs are stopped
after `--seconds`. Predicted times are not compared: SMPI models another library, with its own
factors.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Groups, routers per group and nodes per router, as in dragonfly-1024.toml.
GROUPS, ROUTERS, NODES = 16, 16, 4
HOSTS = GROUPS * ROUTERS * NODES
PLATFORM = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="dragonfly" prefix="n" suffix="" radical="0-{HOSTS - 1}" speed="1Gf" bw="10GBps"
           lat="100ns" sharing_policy="SPLITDUPLEX" topology="DRAGONFLY"
           topo_parameters="{GROUPS},1;1,1;{ROUTERS},1;{NODES}"/>
</platform>
"""
# Open MPI's rules file: one algorithm for all job and message sizes of one collective.
RULES = "1\n{collective}\n1\n1\n1\n0 {algorithm} 0 0\n"


@dataclass(frozen=True)
class Work:
    """One collective: its name, SMPI's name of the algorithm, both numbers in Open MPI's rules."""

    collective: str
    algorithm: str
    theirs: str
    rules: tuple[int, int]
    bytes: int

    def messages(self, ranks: int) -> int:
        if self.collective == "allreduce":
            return ranks * (ranks.bit_length() - 1)
        return ranks * (ranks - 1)


WORKS = (
    Work("allreduce", "recursive doubling", "rdb", (2, 3), 8),
    Work("allreduce", "recursive doubling", "rdb", (2, 3), 1 << 20),
    Work("alltoall", "ring", "ring", (3, 2), 4096),
    Work("alltoall", "linear", "basic_linear", (3, 1), 4096),
)


# Runs a command and prints the peak memory of it or one of its children.
WATCHED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.exit(code)
"""


@dataclass(frozen=True)
class Cost:
    """Cost of one run: wall time and peak memory; none if it was stopped."""

    wall_s: float | None
    peak_bytes: int | None
    predicted_s: float | None

    def __str__(self) -> str:
        if self.wall_s is None:
            return "stopped"
        return f"{self.wall_s:.2f} s, {self.peak_bytes / 1e6:,.0f} MB"


def cost(command: list[str], seconds: float, folder: Path, predicted) -> Cost:
    """Runs a command; its process group is killed after `seconds`."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", WATCHED, *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Cost(None, None, None)
    wall = time.monotonic() - began
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{err}")
    peak = int(re.search(r"^peak (\d+)", out, re.MULTILINE)[1])
    return Cost(wall, peak, predicted(out))


def theirs(work: Work, ranks: int, seconds: float, folder: Path) -> Cost:
    # Ranks in order, with several per host if there are more ranks than hosts.
    ppn = max(1, ranks // HOSTS)
    hosts = "".join(f"n{rank // ppn}\n" for rank in range(ranks))
    (folder / "hosts").write_text(hosts, encoding="utf-8")
    command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts"]
    command += ["--cfg=smpi/simulate-computation:no", "--log=root.threshold:error"]
    command += [f"--cfg=smpi/{work.collective}:{work.theirs}"]
    command += ["./smpi", work.collective, str(work.bytes)]
    read = re.compile(r"^simulated (\S+)", re.MULTILINE)
    return cost(command, seconds, folder, lambda out: float(read.search(out)[1]))


def ours(work: Work, fidelity: str, ranks: int, seconds: float, folder: Path) -> Cost:
    ppn = max(1, ranks // HOSTS)
    collective, algorithm = work.rules
    rules = folder / "rules.conf"
    rules.write_text(RULES.format(collective=collective, algorithm=algorithm), encoding="utf-8")
    command = [sys.executable, "-m", "odonata", "bench", work.collective, "--json"]
    command += ["--machine", str(HERE / "dragonfly-1024.toml"), "--fidelity", fidelity]
    command += ["--nodes", str(ranks // ppn), "--ppn", str(ppn), "--sizes", str(work.bytes)]
    # Every message of every rank, without NIC resource limits.
    command += ["--messages", str((1 << 31) - 1), "--limits", "off"]
    command += ["--mpi", "openmpi", "--coll-rules", str(rules)]

    def predicted(out: str) -> float:
        (row,) = json.loads(out.splitlines()[0])["rows"]
        if row["method"] != "exact":
            sys.exit(f"not all messages were simulated: {row}")
        return row["latency_s"]

    return cost(command, seconds, folder, predicted)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--seconds", type=float, default=300, help="limit per run")
    asked.add_argument("--ranks", default="64,256,1024,4096")
    asked.add_argument("--out", type=Path, help="all numbers as JSON")
    options = asked.parse_args()
    if shutil.which("smpirun") is None:
        sys.exit("SimGrid is not installed: apt install libsimgrid-dev")
    found = []
    with tempfile.TemporaryDirectory(prefix="odonata-") as name:
        folder = Path(name)
        (folder / "platform.xml").write_text(PLATFORM, encoding="utf-8")
        compiled = ["smpicc", "-O2", "-w", str(HERE / "smpi.c"), "-o", str(folder / "smpi")]
        subprocess.run(compiled, check=True)
        print("| collective | algorithm | ranks | messages | SimGrid | flow | loggp | ratio |")
        print("|---|---|---|---|---|---|---|---|")
        for work in WORKS:
            # A program that was stopped is not run with more ranks.
            late = set()
            for ranks in map(int, options.ranks.split(",")):
                row = {}
                for who in ("SimGrid", "flow", "loggp"):
                    if who in late:
                        row[who] = Cost(None, None, None)
                    elif who == "SimGrid":
                        row[who] = theirs(work, ranks, options.seconds, folder)
                    else:
                        row[who] = ours(work, who, ranks, options.seconds, folder)
                    if row[who].wall_s is None:
                        late.add(who)
                print(line(work, ranks, row, options.seconds), flush=True)
                found.append({**asdict(work), "ranks": ranks} | {
                    who: asdict(cost) for who, cost in row.items()
                })  # fmt: skip
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def line(work: Work, ranks: int, row: dict[str, Cost], seconds: float) -> str:
    """A row of the table. The ratio is to flows, which share links as SimGrid does."""
    their, flow = row["SimGrid"].wall_s, row["flow"].wall_s
    if flow is None:
        ratio = ""
    else:
        ratio = f"{'> ' if their is None else ''}{(their or seconds) / flow:.1f}"
    what = f"{work.collective}, {work.bytes:,} B"
    cells = [what, work.algorithm, f"{ranks:,}", f"{work.messages(ranks):,}"]
    return "| " + " | ".join([*cells, *map(str, row.values()), ratio]) + " |"


if __name__ == "__main__":
    main()
