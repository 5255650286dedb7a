"""IOR and mdtest on a simulated file system: `io_bench("ior", job, "-t 1m")`."""

from __future__ import annotations

from typing import Any

from . import bands, core, filesystems
from .machines import Job
from .units import show_bytes, show_rate, show_time
from .version import version

NAMES = ("ior", "mdtest")
# The result that `low` and `high` of a row surround, and its unit.
COLUMNS = {"ior": ("rate_B_per_s", "B_per_s"), "mdtest": ("operations_per_s", "per_s")}


def io_bench(
    name: str,
    job: Job,
    options: str = "",
    file_system: str | None = None,
    fidelity: str = "loggp",
    *,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> dict[str, Any]:
    """Predict IOR or mdtest. `options` are those of the program; see docs/models/io-benchmarks.md.

    The result has `rows`, one per phase, and `io`: phases, files, servers and media. `low` and
    `high` are the band of `rate_B_per_s` of IOR, and of `operations_per_s` of mdtest.
    """
    job.check(fidelity, ())
    request = {
        **job.request(fidelity),
        "name": name,
        "nodes": job.nodes,
        "ppn": job.ppn,
        "file_system": file_system,
        "io_options": options,
    }
    answer: dict[str, Any] = core.enter("io_bench", request, tick, stop)
    column, unit = COLUMNS[name]
    kinds = bands.storage_kinds(unit)
    answer["bands"] = bands.add(answer["rows"], column, lambda _: kinds, fidelity)
    return {
        "odonata": version(),
        "kind": "io_bench",
        "seed": job.seed,
        "ppn": job.ppn,
        "options": options,
        **answer,
    }


def table(summary: dict[str, Any]) -> str:
    """The phases as text, and what limited them."""
    lines = [
        f"# {summary['name']} on {summary['file_system']} of {summary['machine']}: "
        f"{summary['nodes']} nodes x {summary['ppn']} ranks, {summary['fidelity']}"
    ]
    lines.append(f"{'phase':8} {'time':>12} {'bytes':>12} {'rate':>14} {'operations/s':>14}")
    for row in summary["rows"]:
        lines.append(
            f"{row['phase']:8} {show_time(row['time_s']):>12} {show_bytes(row['bytes']):>12} "
            f"{show_rate(row['rate_B_per_s']):>14} {row['operations_per_s']:>14.1f}"
        )
        wall = row.get("stonewall")
        if wall is not None:
            lines.append(
                f"  stonewall after {show_time(wall['time_s'])}: {wall['operations_min']} to "
                f"{wall['operations_max']} operations per rank, {show_rate(wall['rate_B_per_s'])}, "
                f"{wall['operations_per_s']:.1f} operations/s"
            )
    lines += bands.lines(summary["bands"])
    lines += [line.strip() for line in filesystems.lines(summary.get("io"))]
    failure = summary.get("failure")
    if failure is not None:
        lines.append(f"failed: {failure['message']}")
    return "\n".join(lines)
