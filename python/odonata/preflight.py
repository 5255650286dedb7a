"""Which limits a program came near, and at how many nodes it would meet them.

Every run keeps the most it had in use of whatever there is only so much of (`summary.json`,
`limits`). From runs of two sizes or more each is a power of the number of nodes, and that says
where it meets its bound if it goes on growing as it did. See docs/models/limits.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .errors import MOST, Diagnostics

NEAR = 0.25  # of its bound: a factor of four
# Growth slower than this is none: a tenth more on a thousand times the nodes.
FLAT = 0.015
# Memory that differs by less than this between runs, a rank, is the same: the kernel counts pages,
# and an allocator asks it for 132 KiB at once.
SAME_MEMORY = 128 * 1024
# How far a line may be from what memory grew by, for it to be a line.
STRAIGHT = 0.05
SAME = ("kind", "name", "machine", "mpi", "ppn", "placement")


def near(limits: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The limits a run came within a factor of four of, nearest first."""
    found = [row for row in limits["uses"] if (row["share"] or 0) >= NEAR]
    return sorted(found, key=lambda row: -row["share"])


def foretell(runs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For every limit, how its use grew with the number of nodes and where that meets the bound.

    `runs` are summaries of runs (`RunResult.summary`) of at least two sizes, on one machine with
    one library. A row has `limit`, `nodes` and `used` (lists, smallest first), `bound`, `fixed`
    (what of it is always in use; of memory also what by the law does not grow), `exponent` of the
    power law through the rest (None where a run used nothing), `off` (by how much the law misses a
    point at most), and `hit_nodes`: the number of nodes of the smallest run that used all there is,
    or else where the law is beyond it, None if it does not grow. What not every run has counted
    (memory, of results written by earlier releases) has no row. Raises `InputError`.
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
            fixed, grown = beside(nodes, used, last["fixed"], SAME_MEMORY * ordered[0]["ppn"])
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
    """What each run used of every limit that all of them counted."""
    tables = [{use["limit"]: use for use in run["limits"]["uses"]} for run in runs]
    names = [name for name in tables[0] if all(name in of for of in tables)] if tables else []
    return [tuple(of[name] for of in tables) for name in names]


Law = tuple[float, float, float]  # exponent, factor, worst relative miss


def beside(
    nodes: Sequence[int], used: Sequence[int], fixed: int, same: int
) -> tuple[int, Law | None]:
    """What memory does not grow by, and the law of the rest: used = constant + factor n^exponent.

    A program's memory is what it works on and what it knows of others, and the first of these may
    be most of it. `fixed`: what was there before any of that, as exactly as the ends of a small
    process are known; `same`: a difference that is none.
    """
    span = max(used) - min(used)
    if span <= same and min(used) > 0:
        flat = sum(used) / len(used)
        return 0, (0.0, flat, max(abs(flat / u - 1) for u in used))
    line = fitted(nodes, used, 1.0)
    if line and max(misses(nodes, used, *line, 1.0)) <= max(STRAIGHT * span, same):
        return told(nodes, used, *line, 1.0)
    if len(set(nodes)) > 2:
        # To a hundredth: the exponent of what is measured to a few percent.
        ks = (hundredths / 100 for hundredths in range(10, 401))
        laws = [(*fit, k) for k in ks if (fit := fitted(nodes, used, k))]
        if laws:
            nearest = min(laws, key=lambda law: sum(m * m for m in misses(nodes, used, *law)))
            return told(nodes, used, *nearest)
    return fixed, growth(nodes, [count - fixed for count in used])


def fitted(nodes: Sequence[int], used: Sequence[int], k: float) -> tuple[float, float] | None:
    """Constant and factor, least squares; None if either were less than nothing."""
    x = [n**k for n in nodes]
    mean_x, mean_u = sum(x) / len(x), sum(used) / len(used)
    spread = sum((a - mean_x) ** 2 for a in x)
    factor = sum((a - mean_x) * (u - mean_u) for a, u in zip(x, used, strict=True)) / spread
    constant = mean_u - factor * mean_x
    # What is proportional goes through nothing but for what does not count as a difference.
    return (max(constant, 0.0), factor) if factor > 0 and constant > -0.01 * mean_u else None


def misses(
    nodes: Sequence[int], used: Sequence[int], constant: float, factor: float, k: float
) -> list[float]:
    """By how much a law is off, run by run."""
    return [abs(constant + factor * n**k - u) for n, u in zip(nodes, used, strict=True)]


def told(
    nodes: Sequence[int], used: Sequence[int], constant: float, factor: float, k: float
) -> tuple[int, Law]:
    """The same with the worst miss relative to all that was used."""
    off = misses(nodes, used, constant, factor, k)
    return round(constant), (k, factor, max(o / u for o, u in zip(off, used, strict=True)))


def growth(nodes: Sequence[int], used: Sequence[int]) -> Law | None:
    """Exponent, factor and worst relative miss of the power law nearest to the points in the
    logarithm (least squares); None where something was not used at all."""
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
    """The least number of nodes at which the law is beyond the bound; None if nobody has them."""
    logarithm = (math.log(max(bound, 1)) - math.log(factor)) / exponent
    if logarithm >= math.log(MOST):
        return None
    full = math.exp(logarithm)
    # Logarithms put whole numbers a little beside themselves.
    return math.floor(full * (1 + 1e-9)) + 1


def check_runs(wrong: Diagnostics, runs: Sequence[Mapping[str, Any]]) -> None:
    """Complain unless these are runs that one law can go through."""
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
        wanted = "runs on at least two numbers of nodes: nothing is foretold from one"
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
    """Whether a summary has what is looked at here; a file may have been damaged or edited."""
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
    """Whether a limit's row is complete; one that nothing limits has no bound."""
    return (
        isinstance(use["limit"], str)
        and all(is_amount(use[key]) for key in ("used", "fixed"))
        and (use["bound"] is None or is_amount(use["bound"]))
        and all(use[key] is None or isinstance(use[key], str) for key in ("parameter", "cure"))
    )


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_amount(value: Any) -> bool:
    """Whether a value is a number from 0 to what 64 bits hold."""
    return (is_count(value) or isinstance(value, float)) and 0 <= value < 2**64
