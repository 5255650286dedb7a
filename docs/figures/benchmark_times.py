"""Time every benchmark on Aurora, in closed form and with flows; write docs/lab/benchmark-times.md.

    python docs/figures/benchmark_times.py [--every K] [--budget SECONDS] [--check]

One rank per node on 64, 1,024 and 9,658 nodes, every power of two up to 4 MiB, in steps of at least
K, coarse steps first. A run ends by itself, is refused before it starts, or is stopped after a
minute of CPU time. Results are kept in `benchmark-times.json`; a call adds missing ones until
`--budget` is spent. `--check` measures nothing and fails if the page differs from the results.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import odonata as od
from odonata import benchmarks, core
from odonata.errors import InputError

DATA = Path(__file__).with_name("benchmark-times.json")
PAGE = Path(__file__).resolve().parents[1] / "lab" / "benchmark-times.md"
NODES = (64, 1024, 9658)
FIDELITIES = ("loggp", "flow")
LONGEST_S = 60.0
CAPTION = """\
CPU time of `odonata bench NAME --machine aurora --nodes N --sizes S`, one rank per node, one size
per run; sizes {sizes}. Machine: two shared cores (AMD EPYC, Zen 5), 0.1.0, 2026-11-28. A cell has
the longest time over the sizes, in seconds."""
NOTES = """\
- `refused`: with these sizes the run is an input error before it starts. The error states the
  number of messages, the estimated time, and the `--messages` that allows it.
- `stopped`: with these sizes the run was stopped after a minute.
- `-`: not measured; `python docs/figures/benchmark_times.py` adds it.
"""


def run(name: str, nodes: int, fidelity: str, size: int) -> float | str:
    """CPU seconds of a run, or `refused` or `stopped`."""
    start = time.process_time()
    stop = core.Stop()

    def tick(_: Any) -> None:
        if time.process_time() - start > LONGEST_S:
            stop.signal = signal.SIGINT

    job = od.machine("aurora").job(nodes=nodes, ppn=1)
    try:
        summary = benchmarks.predict(name, job, [size], fidelity, tick=tick, stop=stop)
    except InputError:
        return "refused"
    except KeyboardInterrupt:
        return "stopped"
    stopped = summary["interrupted"] or stop.signal is not None
    return "stopped" if stopped else round(time.process_time() - start, 2)


def jobs(every: int) -> Iterator[tuple[str, str, int, int, str]]:
    """Name, column, size, nodes and fidelity of each run; coarse steps of sizes first."""
    for step in (22, 11, 4, 2, 1):
        if step < every:
            return
        for nodes, fidelity in itertools.product(NODES, FIDELITIES):
            for name in benchmarks.NAMES:
                if name in ("ior", "mdtest"):
                    continue
                sizes = [0] if name == "barrier" else [1 << k for k in range(22, -1, -step)]
                for size in sizes:
                    yield name, f"{nodes} {fidelity}", size, nodes, fidelity


def measure(every: int, budget: float) -> None:
    """Add missing times to the file. Several calls of this program may do so at once."""
    start = time.monotonic()
    for name, column, size, nodes, fidelity in jobs(every):
        if str(size) in stored().get(name, {}).get(column, {}):
            continue
        if time.monotonic() - start > budget:
            return
        seconds = run(name, nodes, fidelity, size)
        found = stored()
        found.setdefault(name, {}).setdefault(column, {})[str(size)] = seconds
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


def cell(times: dict[str, float | str]) -> str:
    """The longest time, and the sizes that are refused or were stopped."""
    numbers = [value for value in times.values() if not isinstance(value, str)]
    parts = [f"{max(numbers):.1f}"] if numbers else []
    for word in ("refused", "stopped"):
        sizes = sorted(int(size) for size, value in times.items() if value == word)
        if sizes:
            span = text_of(sizes[0]) + (f" to {text_of(sizes[-1])}" if len(sizes) > 1 else "")
            parts.append(f"{word}: {span}")
    return ", ".join(parts) or "-"


def page(found: dict[str, Any]) -> str:
    """The page with a table per fidelity."""
    sizes = sorted({int(s) for row in found.values() for times in row.values() for s in times})
    listed = ", ".join(text_of(size) for size in sizes if size)
    note = "<!-- Written by docs/figures/benchmark_times.py; do not edit this page. -->"
    caption = textwrap.wrap(CAPTION.format(sizes=listed), 100, break_on_hyphens=False)
    lines = ["# Times of all benchmarks", "", note, "", *caption, "", NOTES]
    for fidelity, title in zip(FIDELITIES, ("Closed form", "Flows"), strict=True):
        lines += [f"## {title}", "", "| benchmark | " + " | ".join(map(str, NODES)) + " nodes |"]
        lines += ["|---|" + "---|" * len(NODES)]
        for name, row in found.items():
            cells = (cell(row.get(f"{nodes} {fidelity}", {})) for nodes in NODES)
            lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Measure what is missing, and write or check the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="least step of powers of two")
    parser.add_argument("--budget", type=float, default=500.0, help="seconds of this call")
    parser.add_argument("--check", action="store_true", help="only check the page")
    given = parser.parse_args()
    if given.check:
        return int(PAGE.read_text(encoding="utf-8") != page(stored()))
    measure(given.every, given.budget)
    PAGE.write_text(page(stored()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
