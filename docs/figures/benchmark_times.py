"""Time every benchmark on Aurora, in closed form and with flows; write docs/lab/benchmark-times.md.

    python docs/figures/benchmark_times.py [--budget SECONDS] [--check]

One rank per node on 64, 1,024 and 9,658 nodes, every power of two up to 4 MiB. A size ends by
itself, is refused before it starts, or is stopped after a minute of CPU time. A run has several
sizes, so that they share the machine. Results are kept in `benchmark-times.json`; a call starts
runs until `--budget` is spent. `--check` measures nothing and fails if the page differs from the
results.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import odonata as od
from odonata import benchmarks, core
from odonata.errors import InputError

DATA = Path(__file__).with_name("benchmark-times.json")
PAGE = Path(__file__).resolve().parents[1] / "lab" / "benchmark-times.md"
NODES = (64, 1024, 9658)
FIDELITIES = ("loggp", "flow")
SIZES = [1 << k for k in range(23)]
# Sizes of a run on more than 64 nodes.
GROUPS = [[0, 1, 1 << 11, 1 << 16, 1 << 22], *(SIZES[k::6] for k in range(6))]
LONGEST_S = 60.0
Times = dict[str, float | str]
Record = Callable[[int, float | str], None]
CAPTION = """\
CPU time of `odonata bench NAME --machine aurora --nodes N --sizes S`, one rank per node, for each
power of two from 1 B to 4 MiB. Machine: two shared cores (AMD EPYC, Zen 5), 0.1.0, 2026-11-29. A
cell has the longest time over the sizes, in seconds."""
NOTES = """\
- `refused`: with these sizes the run is an input error before it starts. The error states the
  number of messages, the estimated time, and the `--messages` that allows it.
- `limit`: with these sizes the run ends with a limit of the machine, such as the memory of a node.
- `stopped`: with these sizes the run was stopped after a minute.
- `not measured`, or `-` for all sizes: `python docs/figures/benchmark_times.py` adds them.
"""


def run(name: str, nodes: int, fidelity: str, sizes: list[int], record: Record) -> None:
    """Record CPU seconds of each size, or `refused` or `stopped`, of one run with all sizes."""
    job = od.machine("aurora").job(nodes=nodes, ppn=1)
    left = list(sizes)
    while left:
        try:
            left = timed(name, job, fidelity, left, record)
        except InputError as error:
            size = refused_size(error, left)
            record(size, "refused")
            left.remove(size)


def refused_size(error: InputError, sizes: list[int]) -> int:
    """The size that an error names: `messages of 4096 B`, `an iteration at 4096 B`."""
    for diagnostic in error.diagnostics:
        for number in re.findall(r"(\d+) B", f"{diagnostic}"):
            if int(number) in sizes:
                return int(number)
    raise error


def timed(name: str, job: Any, fidelity: str, sizes: list[int], record: Record) -> list[int]:
    """Record times by size. A size that takes longer than a minute is stopped; return the rest.

    A size ends between two ticks. Its time is counted from the last tick before its begin to the
    first one after its end, so that none is too short.
    """
    stop = core.Stop()
    ended = 0
    # The present size begins after `begin` and before `begun`.
    begin = begun = before = time.process_time()

    def end(now: float) -> None:
        nonlocal begin, begun, ended
        record(sizes[ended], round(now - begin, 2))
        ended += 1
        begin, begun = before, now

    def tick(progress: Any) -> None:
        nonlocal before
        now = time.process_time()
        while (parts := progress.get("parts")) and parts[0] > ended:
            end(now)
        if now - begun > LONGEST_S:
            stop.signal = signal.SIGINT
        before = now

    word = "stopped"
    try:
        summary = benchmarks.predict(name, job, sizes, fidelity, tick=tick, stop=stop)
        if summary.get("failure"):
            word = "limit"
        now = time.process_time()
        while ended < len(summary["rows"]):
            end(now)
    except KeyboardInterrupt:
        pass
    if ended < len(sizes):
        record(sizes[ended], word)
    return sizes[ended + 1 :]


def jobs() -> Iterator[tuple[str, int, str, list[int]]]:
    """Name, nodes, fidelity and sizes of each run; large jobs last, in coarse steps first.

    They have few sizes per run, which then ends within the budget of a call.
    """
    names = [name for name in benchmarks.NAMES if name not in ("ior", "mdtest")]
    for fidelity, name in itertools.product(FIDELITIES, names):
        yield name, NODES[0], fidelity, sizes_of(name)
    for group, fidelity, nodes, name in itertools.product(GROUPS, FIDELITIES, NODES[1:], names):
        yield name, nodes, fidelity, [size for size in sizes_of(name) if size in group]


def measure(budget: float) -> None:
    """Add missing times to the file. Several calls of this program may do so at once."""
    start = time.monotonic()
    for name, nodes, fidelity, sizes in jobs():
        column = f"{nodes} {fidelity}"
        known = stored().get(name, {}).get(column, {})
        if missing := [size for size in sizes if str(size) not in known]:
            if time.monotonic() - start > budget:
                return
            run(name, nodes, fidelity, missing, partial(keep, name, column))


def sizes_of(name: str) -> list[int]:
    return [0] if name == "barrier" else SIZES


def keep(name: str, column: str, size: int, result: float | str) -> None:
    """Store a result at once, so that a call that is killed loses one size."""
    found = stored()
    found.setdefault(name, {}).setdefault(column, {})[str(size)] = result
    new = DATA.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(in_order(found), indent=1) + "\n", encoding="utf-8")
    new.replace(DATA)


def stored() -> dict[str, Any]:
    return json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}


def in_order(found: dict[str, Any]) -> dict[str, Any]:
    """Benchmarks as listed, and sizes from long to short."""
    return {
        name: {
            column: dict(sorted(times.items(), key=lambda pair: -int(pair[0])))
            for column, times in found[name].items()
        }
        for name in benchmarks.NAMES
        if name in found
    }


def text_of(size: int) -> str:
    """A size with a binary unit."""
    for unit, shift in (("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift:
            return f"{size >> shift} {unit}"
    return f"{size} B"


def cell(times: Times, sizes: list[int]) -> str:
    """The longest time, and the sizes that are refused, were stopped, or are missing."""
    if not times:
        return "-"
    numbers = [value for value in times.values() if not isinstance(value, str)]
    parts = [f"{max(numbers):.1f}"] if numbers else []
    words = {size: times.get(str(size), "not measured") for size in sizes}
    for word in ("refused", "limit", "stopped", "not measured"):
        found = [size for size in sizes if words[size] == word]
        if found:
            parts.append(f"{word}: {spans(found, sizes)}")
    return ", ".join(parts)


def spans(found: list[int], sizes: list[int]) -> str:
    """Runs of successive sizes: `8 B`, `1 KiB to 4 MiB`."""
    texts, first = [], found[0]
    for size, after in itertools.zip_longest(found, found[1:]):
        follows = after is not None and sizes.index(after) == sizes.index(size) + 1
        if not follows:
            one = first == size
            texts.append(text_of(first) if one else f"{text_of(first)} to {text_of(size)}")
            first = after
    return " and ".join(texts)


def page(found: dict[str, Any]) -> str:
    """The page with a table per fidelity."""
    note = "<!-- Written by docs/figures/benchmark_times.py; do not edit this page. -->"
    caption = textwrap.wrap(CAPTION, 100, break_on_hyphens=False)
    lines = ["# Times of all benchmarks", "", note, "", *caption, "", NOTES]
    for fidelity, title in zip(FIDELITIES, ("Closed form", "Flows"), strict=True):
        lines += [f"## {title}", "", "| benchmark | " + " | ".join(map(str, NODES)) + " nodes |"]
        lines += ["|---|" + "---|" * len(NODES)]
        for name, row in found.items():
            columns = (row.get(f"{nodes} {fidelity}", {}) for nodes in NODES)
            cells = (cell(times, sizes_of(name)) for times in columns)
            lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Measure what is missing, and write or check the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=float, default=500.0, help="seconds of this call")
    parser.add_argument("--check", action="store_true", help="only check the page")
    given = parser.parse_args()
    if given.check:
        return int(PAGE.read_text(encoding="utf-8") != page(stored()))
    measure(given.budget)
    PAGE.write_text(page(stored()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
