"""Predicts the node count at which a program reaches each resource limit.

Every run records the peak use of each limited resource (`summary.json`, `limits`). A power law in
the number of nodes is fitted to the runs of two or more sizes. It predicts where the use reaches
its bound. See docs/models/limits.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .errors import MOST, Diagnostics

NEAR = 0.25  # fraction of the bound: a factor of four
# Smaller exponents count as no growth: 10 % more on 1,000 times the nodes.
FLAT = 0.015
# Memory per rank that differs by less between runs counts as equal: the kernel counts pages, and an
# allocator requests 132 KiB at once.
SAME_MEMORY = 128 * 1024
# Largest deviation of memory growth from a line.
STRAIGHT = 0.05
SAME = ("kind", "name", "machine", "mpi", "ppn", "placement")


def near(limits: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The limits whose use is within a factor of four of the bound, nearest first."""
    found = [row for row in limits["uses"] if (row["share"] or 0) >= NEAR]
    return sorted(found, key=lambda row: -row["share"])


def predict_limits(runs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For every limit, the growth of its use with the nodes and where it reaches the bound.

    `runs` are summaries of runs (`RunResult.summary`) of at least two sizes, on one machine with
    one library. The columns of a row:

    - `limit`, `nodes` and `used` (lists, smallest first), `bound`
    - `fixed`: the part that is always in use; for memory also the part that does not grow
    - `exponent` of the power law through the rest; None if a run used nothing
    - `off`: the largest deviation of a point from the law
    - `hit_nodes`: the nodes of the smallest run that reached the bound, else those at which the law
      exceeds it; None if it does not grow

    Quantities that some run did not record have no row. Raises `InputError`.
    """
    wrong = Diagnostics()
    runs = list(runs)
    check_runs(wrong, runs)
    wrong.raise_any()
    ordered = sorted(runs, key=lambda run: run["nodes"])
    rows = []
    nodes = [run["nodes"] for run in ordered]
    for uses in in_common(ordered):
        used = [use["used"] for use in uses]
        last = uses[-1]
        if last["bound"] is None:
            continue
        row = {key: last[key] for key in ("limit", "bound", "fixed", "parameter", "cure")}
        if last["limit"] == "memory":
            same = SAME_MEMORY * ordered[0]["ppn"]
            fixed, grown = fixed_and_growing(nodes, used, last["fixed"], same)
            row["fixed"] = fixed
        else:
            grown = growth(nodes, [count - last["fixed"] for count in used])
        row |= {"nodes": nodes, "used": used, "exponent": None, "off": None}
        full = (n for n, u in zip(nodes, used, strict=True) if u >= last["bound"])
        row["hit_nodes"] = next(full, None)
        if grown:
            exponent, factor, off = grown
            row |= {"exponent": exponent, "off": off}
            if exponent > FLAT and row["hit_nodes"] is None:
                row["hit_nodes"] = meets(factor, exponent, last["bound"] - row["fixed"])
        rows.append(row)
    return sorted(rows, key=lambda row: row["hit_nodes"] or math.inf)


def in_common(runs: Sequence[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], ...]]:
    """The use of each run, for all limits that every run recorded."""
    tables = [{use["limit"]: use for use in run["limits"]["uses"]} for run in runs]
    names = [name for name in tables[0] if all(name in of for of in tables)] if tables else []
    return [tuple(of[name] for of in tables) for name in names]


Law = tuple[float, float, float]  # exponent, factor, worst relative miss


def fixed_and_growing(
    nodes: Sequence[int], used: Sequence[int], fixed: int, same: int
) -> tuple[int, Law | None]:
    """The constant part of memory, and the law of the rest: used = constant + factor n^exponent.

    A program's memory holds its working set, which may be most of it, and state about other ranks.
    `fixed` is the memory before either, as measured at the end of a small process. Differences
    below `same` count as none.
    """
    span = max(used) - min(used)
    if span <= same and min(used) > 0:
        flat = sum(used) / len(used)
        return 0, (0.0, flat, max(abs(flat / u - 1) for u in used))
    line = fitted(nodes, used, 1.0)
    if line and max(misses(nodes, used, *line, 1.0)) <= max(STRAIGHT * span, same):
        return relative(nodes, used, *line, 1.0)
    if len(set(nodes)) > 2:
        # In steps of 0.01, because memory is measured to a few percent.
        ks = (hundredths / 100 for hundredths in range(10, 401))
        laws = [(*fit, k) for k in ks if (fit := fitted(nodes, used, k))]
        if laws:
            nearest = min(laws, key=lambda law: sum(m * m for m in misses(nodes, used, *law)))
            return relative(nodes, used, *nearest)
    return fixed, growth(nodes, [count - fixed for count in used])


def fitted(nodes: Sequence[int], used: Sequence[int], k: float) -> tuple[float, float] | None:
    """Constant and factor by least squares; None if either is negative."""
    x = [n**k for n in nodes]
    mean_x, mean_u = sum(x) / len(x), sum(used) / len(used)
    spread = sum((a - mean_x) ** 2 for a in x)
    factor = sum((a - mean_x) * (u - mean_u) for a, u in zip(x, used, strict=True)) / spread
    constant = mean_u - factor * mean_x
    # A proportional law has a constant of less than `same`.
    return (max(constant, 0.0), factor) if factor > 0 and constant > -0.01 * mean_u else None


def misses(
    nodes: Sequence[int], used: Sequence[int], constant: float, factor: float, k: float
) -> list[float]:
    """The deviation of a law from each run."""
    return [abs(constant + factor * n**k - u) for n, u in zip(nodes, used, strict=True)]


def relative(
    nodes: Sequence[int], used: Sequence[int], constant: float, factor: float, k: float
) -> tuple[int, Law]:
    """The same with the largest deviation relative to the total use."""
    off = misses(nodes, used, constant, factor, k)
    return round(constant), (k, factor, max(o / u for o, u in zip(off, used, strict=True)))


def growth(nodes: Sequence[int], used: Sequence[int]) -> Law | None:
    """Exponent, factor and largest relative deviation of the power law that fits the logarithms
    best (least squares); None if a run used nothing."""
    if min(used) <= 0:
        return None
    x, y = [math.log(n) for n in nodes], [math.log(u) for u in used]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    exponent = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    factor = math.exp(mean_y - exponent * mean_x)
    off = max(abs(factor * n**exponent / u - 1) for n, u in zip(nodes, used, strict=True))
    return exponent, factor, off


def meets(factor: float, exponent: float, bound: int) -> int | None:
    """The smallest node count at which the law exceeds the bound; None above any machine."""
    logarithm = (math.log(max(bound, 1)) - math.log(factor)) / exponent
    if logarithm >= math.log(MOST):
        return None
    full = math.exp(logarithm)
    # Logarithms are inexact at whole numbers.
    return math.floor(full * (1 + 1e-9)) + 1


def check_runs(wrong: Diagnostics, runs: Sequence[Mapping[str, Any]]) -> None:
    """Add a diagnostic unless one law can describe these runs."""
    if not all(map(is_whole, runs)):
        wrong.add("rundir", "a result without `limits`", "results of `odonata run` or `bench`")
        return
    for run in runs:
        if run.get("failure") or run.get("interrupted"):
            found = f"a run on {run['nodes']} nodes that did not come to its end"
            wrong.add("rundir", found, "runs that did; with `--limits warn` limits do not end them")
    sizes = sorted({run["nodes"] for run in runs})
    if len(sizes) < 2:
        shown = ", ".join(map(str, sizes)) or "nothing"
        wanted = "runs on at least two numbers of nodes: one size predicts nothing"
        wrong.add("rundir", f"{shown} nodes", wanted)
    for key in SAME:
        found = sorted({str(run.get(key)) for run in runs})
        if len(found) > 1:
            wrong.add("rundir", f"{key} {' and '.join(found)}", f"runs with the same {key}")
    if len({str(run["limits"].get("machine_digest")) for run in runs}) > 1:
        found = f"machines called {runs[0].get('machine')} that differ"
        wrong.add("rundir", found, "runs with one machine file, and the same --set")
    for uses in in_common(runs):
        if len({use["bound"] for use in uses}) > 1:
            wrong.add("rundir", f"runs with other bounds of {uses[0]['limit']}",
                      "runs with the same FI_CXI_ settings, --limits and node.memory")  # fmt: skip
            break


def is_whole(run: Any) -> bool:
    """Whether a summary is complete; a file may be damaged or edited."""
    try:
        uses = run["limits"]["uses"]
        names = [use["limit"] for use in uses]
        return (
            all(is_count(run[key]) and 1 <= run[key] <= MOST for key in ("nodes", "ppn"))
            and all(isinstance(run[key], str) for key in ("machine", "mpi"))
            and isinstance(run["limits"], Mapping)
            and isinstance(uses, list)
            and len(set(names)) == len(names)
            and all(map(is_use, uses))
        )
    except (KeyError, TypeError):
        return False


def is_use(use: Mapping[str, Any]) -> bool:
    """Whether a limit's row is complete; an unlimited resource has no bound."""
    return (
        isinstance(use["limit"], str)
        and all(is_amount(use[key]) for key in ("used", "fixed"))
        and (use["bound"] is None or is_amount(use["bound"]))
        and all(use[key] is None or isinstance(use[key], str) for key in ("parameter", "cure"))
    )


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_amount(value: Any) -> bool:
    """Whether a value is a number from 0 to 2^64."""
    return (is_count(value) or isinstance(value, float)) and 0 <= value < 2**64
