"""Storms: random MPI programs, run with odonata and with the reference library.

A storm is a C program `NAME SEED ROUNDS`. The seed alone determines what every rank does in each
round. Rank 0 prints one line per round with a digest of all received data; only values that MPI
defines may enter a digest. The outputs of both libraries must be equal byte for byte. One binary
runs with both, because they have the same ABI.
"""

from __future__ import annotations

import dataclasses
import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import places

HERE = Path(__file__).resolve().parent
RANKS = (2, 3, 5, 8)
ROUNDS = 250
# Time limit of one run in seconds; the slowest takes about 60 on one core.
LIMIT_S = 900

# Storms `NAME SEED ROUNDS THREADS`, whose threads all call MPI.
THREADED = ("p2p",)
THREADS = 3

# Simulated file systems of Aurora, on which the storm of files also runs.
MOUNTS = ("/lus/flare", "/daos")
# Hints with which it takes other paths: the default ones, small buffers of aggregators, no
# aggregation.
HINTS = ("/dev/null", HERE / "hints" / "aggregation", HERE / "hints" / "sieving")

# What `make test` runs, with fixed seeds: a new failure then comes from a change of the code.
PART_SEEDS = (1,)
PART_ROUNDS = 12
PART_RANKS = (3, 8)

# Machines and ranks per node, with different shares of traffic on the node, switch and network.
TWINS = (
    places.Twin("dragonfly-1056", 3),
    places.Twin("aurora", 2),
    places.Twin("frontier", 8),
    places.Twin("dragonfly-1056", 1, ("--fidelity", "loggp")),
    places.Twin("aurora", 4, ("--mpi", "cray-mpich")),
)


@dataclasses.dataclass(frozen=True)
class Run:
    """One comparison: a storm, its seed, and where it runs."""

    name: str
    seed: int
    rounds: int
    ranks: int
    twin: places.Twin
    # Threads of each rank, for the storm that takes a number of them.
    threads: int = 1
    # Simulated file system for the storm of files; elsewhere and with the reference, real files.
    mount: str = ""

    def __str__(self) -> str:
        where = f"{self.twin.machine}, {self.twin.ppn} per node"
        arguments = " ".join(self.arguments())
        hints = " ".join(Path(option).name for option in self.twin.options if "HINTS" in option)
        files = f", in {self.mount}, hints: {hints}" if self.mount else ""
        return f"{self.name} {arguments}, {self.ranks} ranks on {where}{files}"

    def arguments(self) -> list[str]:
        more = [] if self.threads == 1 else [str(self.threads)]
        return [str(self.seed), str(self.rounds), *more]


def known() -> list[str]:
    return sorted(p.stem for p in HERE.glob("*.c"))


def first_difference(ours: str, theirs: str) -> str:
    """Describes the first line in which two outputs differ."""
    a, b = ours.splitlines(), theirs.splitlines()
    for nth, (x, y) in enumerate(zip(a, b, strict=False), 1):
        if x != y:
            return f"line {nth}: odonata `{x}`, reference `{y}`"
    return f"odonata wrote {len(a)} lines, the reference {len(b)}"


def compare(run: Run, reference: places.Reference, program: Path) -> str | None:
    """A description of the first difference, or None."""
    arguments = [str(program), *run.arguments()]
    kind = f"{run.name}-{run.seed}-{run.ranks}-{run.twin.ppn}-{run.threads}"
    kind += run.mount.replace("/", "-")
    work = places.CACHE / "work" / kind
    found = []
    for place in (run.twin, reference):
        # Storms of files write their files to one folder per library.
        folder = work / place.name
        folder.mkdir(parents=True, exist_ok=True)
        mount = [run.mount] if run.mount and place is run.twin else []
        program_here = [*arguments, *mount]
        done = places.run(place, run.ranks, program_here, seconds=LIMIT_S, cwd=folder)
        if done.code != 0:
            how = "time limit exceeded" if done.code is None else f"exit code {done.code}"
            return f"{place.name}: {how}\n{_tail(done.out)}\n{_tail(done.err)}".rstrip()
        found.append(done.out)
    ours, theirs = found
    if len(theirs.splitlines()) < run.rounds:
        return f"the storm wrote {len(theirs.splitlines())} lines in {run.rounds} rounds"
    return None if ours == theirs else first_difference(ours, theirs)


def _tail(text: str, lines: int = 12) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines()[-lines:])


def plan(
    *, part: bool, chosen: list[str], seed: int | None, rounds: int | None, ranks: list[int] | None
) -> list[Run]:
    """Every run, each with a seed. The machines rotate, so that each storm runs on all of them."""
    runs = []
    for i, name in enumerate(chosen):
        for j, n in enumerate(ranks or (PART_RANKS if part else RANKS)):
            seeds = PART_SEEDS if part else [secrets.randbelow(2**31)]
            for s in seeds if seed is None else [seed]:
                many = rounds or (PART_ROUNDS if part else ROUNDS)
                runs.append(Run(name, s, many, n, TWINS[(i + j) % len(TWINS)]))
                for m, mount in enumerate(MOUNTS if name == "files" else ()):
                    hints = ("--env", f"ROMIO_HINTS={HINTS[(j + m) % len(HINTS)]}")
                    twin = places.Twin("aurora", 1 + j, hints)
                    runs.append(Run(name, s, many, n, twin, mount=mount))
                if name in THREADED:
                    runs.append(dataclasses.replace(runs[-1], threads=THREADS))
    return runs


def main(*, part: bool, names: list[str], seed=None, rounds=None, ranks=None) -> bool:
    """Runs storms and prints which differ; true if none does."""
    reference = places.reference()
    chosen = names or known()
    programs = {name: places.compiled(HERE / f"{name}.c", threads=True) for name in chosen}
    runs = plan(part=part, chosen=chosen, seed=seed, rounds=rounds, ranks=ranks)
    bad = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = pool.map(lambda r: compare(r, reference, programs[r.name]), runs)
        for run, wrong in zip(runs, results, strict=True):
            print(f"  {run}: {wrong or 'equal'}", flush=True)
            bad += wrong is not None
    total = sum(run.rounds for run in runs)
    print(f"storms: {total} rounds in {len(runs)} runs, {bad} of them not equal")
    return bad == 0
