"""Bands around predictions, from the residuals of published measurements.

A residual is the logarithm of measured over predicted. `data/bands.json`, which
docs/reference/predictions.py writes, has for each kind of prediction the factor that covers a new
measurement of a new source with a probability of `LEVEL`. No run is needed. Method and assumptions:
docs/models/error-bars.md.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

DATA = Path(__file__).with_name("data") / "bands.json"

LEVEL = 0.9
# Sources of which a kind needs at least this number. One is left out in the cross-validation, and a
# quantile of 0.9 needs nine others.
LEAST = 10
# Ratio of the ends of a band above which the measurement that would narrow it is named.
WIDE = 2.0

ALL, NETWORK, STORAGE, APPLICATIONS = "all", "network", "storage", "applications"
POINT_TO_POINT = ("latency", "bw", "bibw", "mbw_mr", "multi_lat")
ONE_SIDED = ("put_latency", "get_latency", "put_bw", "put_bibw", "get_bw", "put_alltoall")
UNDER_LOAD = ("rr_lat", "rr_get_lat", "rr_bw", "rr_put_bw", "rr_bw_sync", "nat_bw",
              "multiple_allreduce", "multiple_alltoall", "bisect")  # fmt: skip
# Largest messages of the size classes of collectives, bytes.
SHORT, MEDIUM = 1 << 10, 64 << 10

# From general to specific.
Kinds = tuple[str, ...]
# Tests that load the network, and benchmarks with background traffic.
LOADED: Kinds = (ALL, NETWORK, "under load")


@dataclass(frozen=True)
class Residual:
    """One point of a measurement that is no input of the model."""

    source: str
    kinds: Kinds
    ratio: float  # measured over predicted

    @property
    def score(self) -> float:
        return abs(math.log(self.ratio))


def benchmark_kinds(
    name: str, size: int, nodes: int, buffers: str, mpi: str, statistic: str = "mean"
) -> Kinds:
    """Kinds of a result of `odonata bench`."""
    memory = {"host": "host", "gpu": "GPU"}[buffers]
    if statistic == "p99":
        return (ALL, "99th percentiles")
    if name in POINT_TO_POINT:
        where = "within a node" if nodes == 1 else "between nodes"
        return (ALL, NETWORK, "point-to-point", f"point-to-point, {memory} buffers, {where}")
    if name in ONE_SIDED:
        return (ALL, NETWORK, "one-sided", f"one-sided, {memory} buffers")
    if name in UNDER_LOAD:
        return LOADED
    length = "short" if size <= SHORT else "medium" if size <= MEDIUM else "long"
    of_size = f"collectives, {length} messages, {memory} buffers"
    library = "a profile file" if mpi.endswith(".toml") else mpi.removesuffix("-aurora")
    return (ALL, NETWORK, "collectives", of_size, f"{of_size}, {library}")


def storage_kinds(unit: str) -> Kinds:
    """Kinds of a rate of a file system, in bytes or operations per second."""
    what = {"B_per_s": "bandwidth", "per_s": "operations"}[unit]
    return (ALL, STORAGE, f"{STORAGE}, {what}")


def application_kinds(name: str) -> Kinds:
    return (ALL, APPLICATIONS, f"{APPLICATIONS}, {name}")


def program_kinds(has_files: bool) -> Kinds:
    """Kinds of the time of a program. No measurement of a program's time is in the data."""
    return (ALL, "programs with files" if has_files else "programs")


# What to measure, by the beginning of a kind.
MEASUREMENTS = (
    ("point-to-point", "`osu_latency` and `osu_bw` between two ranks"),
    ("one-sided", "`osu_put_latency` and `osu_get_bw` between two nodes"),
    ("under load", "GPCNeT's `network_load_test`, or dgnettest's `bisect`"),
    ("99th percentiles", "GPCNeT's `network_test` with its 99th percentiles"),
    ("collectives", "the OSU test of this collective, library and size"),
    (STORAGE, "IOR and mdtest with their options and numbers of servers"),
    (APPLICATIONS, "the time of this application on a known number of nodes"),
    ("programs", "the time of this program on a known number of nodes"),
)


def measurement(kind: str) -> str:
    return next(words for start, words in MEASUREMENTS if kind.startswith(start))


# Factors from residuals


def factor(scores: Mapping[str, Sequence[float]], level: float = LEVEL) -> float | None:
    """The factor that covers a new point of a new source with a probability of at least `level`.

    Each of K sources has the weight 1 / (K + 1), shared by its points; the rest is at infinity.
    Hierarchical conformal prediction: Lee, Barber and Willett, "Distribution-free inference with
    hierarchical data" (2023), section 3. None if there are too few sources.
    """
    share = 1.0 / (len(scores) + 1)
    points = sorted((score, share / len(of)) for of in scores.values() for score in of)
    total = 0.0
    for score, weight in points:
        total += weight
        if total >= level - 1e-12:
            return math.exp(score)
    return None


def without(scores: Mapping[str, Sequence[float]], source: str) -> float | None:
    """The factor from all other sources."""
    return factor({other: of for other, of in scores.items() if other != source})


def by_kind(residuals: Iterable[Residual]) -> dict[str, dict[str, list[float]]]:
    """Scores by kind and source."""
    found: dict[str, dict[str, list[float]]] = {}
    for one in residuals:
        for kind in one.kinds:
            found.setdefault(kind, {}).setdefault(one.source, []).append(one.score)
    return found


def factors(residuals: Iterable[Residual]) -> dict[str, dict[str, Any]]:
    """The content of `data/bands.json` for one fidelity: of each kind the numbers of sources and
    points. With enough sources also the factor, those without one source, the cross-validated
    coverage and the median ratio of the ends."""
    table = {}
    for kind, scores in sorted(by_kind(residuals).items()):
        row: dict[str, Any] = {"sources": len(scores), "points": sum(map(len, scores.values()))}
        if len(scores) >= LEAST:
            row["factor"] = factor(scores)
            row["without"] = {source: without(scores, source) for source in sorted(scores)}
            shares = [
                sum(math.exp(score) <= row["without"][source] for score in of) / len(of)
                for source, of in scores.items()
            ]
            row["coverage"] = sum(shares) / len(shares)
            widths = (row["without"][source] ** 2 for source, of in scores.items() for _ in of)
            row["median_width"] = median(widths)
        table[kind] = row
    return table


# Bands of predictions


@dataclass(frozen=True)
class Band:
    """A factor for either side of a prediction, and the kind from whose residuals it is."""

    kind: str  # of the prediction, the most specific one
    used: str  # of the residuals
    factor: float
    sources: int  # of `kind`

    @property
    def is_validated(self) -> bool:
        """Whether the residuals are those of the prediction's own kind."""
        return self.kind == self.used


@functools.cache
def content() -> dict[str, dict[str, dict[str, Any]]]:
    """`data/bands.json`: rows by fidelity and kind."""
    return json.loads(DATA.read_text(encoding="utf-8"))["fidelities"]


def band_of(kinds: Kinds, fidelity: str, without: str | None = None) -> Band:
    """The band of the most specific kind with enough sources; for the cross-validation without
    those of one source."""
    table = content()[fidelity]
    used = next(kind for kind in reversed(kinds) if "factor" in table.get(kind, {}))
    row = table[used]
    value = row["without"].get(without, row["factor"])
    return Band(kinds[-1], used, value, table.get(kinds[-1], {}).get("sources", 0))


def ends(value: float, band: Band, low: float = 0.0, high: float = 0.0) -> tuple[float, float]:
    """Both ends around a prediction. `low` and `high` are its relative errors from scaled-down
    replicas or sampling, which the factor multiplies."""
    return value * max(1.0 + low, 0.0) / band.factor, value * (1.0 + high) * band.factor


def add(
    rows: Iterable[dict[str, Any]],
    column: str,
    kinds_of: Callable[[Mapping[str, Any]], Kinds],
    fidelity: str,
) -> list[dict[str, Any]]:
    """Add `low` and `high` around `column` to rows; the bands, for the summary.

    The relative errors of a time that replicas (`band_low`, `band_high`) or sampling (`error`)
    state are part of it. Replicas include sampling.
    """
    used = []
    for row in rows:
        value = row.get(column)
        if value is None:
            row["low"] = row["high"] = None
            continue
        band = band_of(kinds_of(row), fidelity)
        error = row.get("error") or 0.0
        low, high = row.get("band_low"), row.get("band_high")
        low, high = (-error if low is None else low), (error if high is None else high)
        row["low"], row["high"] = ends(value, band, low, high)
        used.append(band)
    return summary_of(used, fidelity)


def summary_of(bands: Iterable[Band], fidelity: str) -> list[dict[str, Any]]:
    """The distinct bands of a result, for its summary."""
    table = content()[fidelity]
    return [
        {
            "kind": band.kind,
            "validation": "validated" if band.is_validated else "not validated",
            "residuals_of": band.used,
            "factor": band.factor,
            "level": LEVEL,
            "coverage": table[band.used]["coverage"],
            "sources": band.sources,
            "sources_wanted": LEAST,
            "narrowed_by": measurement(band.kind) if band.factor**2 > WIDE else None,
        }
        for band in dict.fromkeys(bands)
    ]


def lines(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """The bands of a summary as text: a line for each factor, and one for kinds without any."""
    shown = []
    by_factor = {(one["residuals_of"], one["factor"]): one for one in found}
    for (used, value), one in by_factor.items():
        whose = "all kinds" if used == ALL else used
        shown.append(
            f"{100 * one['level']:.0f} % band: 1/{value:.2f} to {value:.2f} times the prediction, "
            f"from residuals of {whose} (cross-validated coverage {100 * one['coverage']:.0f} %)"
        )
    open_kinds = [one for one in found if one["validation"] != "validated"]
    if open_kinds:
        counts = (f"{one['kind']} ({one['sources']} of {one['sources_wanted']} sources)"
                  for one in open_kinds)  # fmt: skip
        shown.append(f"not validated by kind: {'; '.join(counts)}")
    wanted = dict.fromkeys(one["narrowed_by"] for one in found if one["narrowed_by"])
    if wanted:
        shown.append(f"measurements that would narrow it: {'; '.join(wanted)}")
    return shown


# Cross-validation


def checked(
    source: str, kinds: Kinds, fidelity: str, measured: float, predicted: float, is_input: bool
) -> dict[str, Any]:
    """Columns of a row of `odonata validate`: the band without the row's own source, and whether
    the measurement lies in it."""
    low, high = ends(predicted, band_of(kinds, fidelity, without=source))
    return {
        "kinds": list(kinds),
        "measured_by": source,
        "is_input": is_input,
        "low": low,
        "high": high,
        "is_covered": low <= measured <= high,
    }


def cross_validation(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Coverage of all rows and by kind, inputs of the model excepted.

    Each source has the same weight. `median_width` is the median ratio of the ends of a band.
    """
    counted = [row for row in rows if not row["is_input"]]
    found: dict[str, Any] = {ALL: coverage(counted)}
    for kind in sorted({kind for row in counted for kind in row["kinds"]} - {ALL}):
        of_kind = [row for row in counted if kind in row["kinds"]]
        enough = len({row["measured_by"] for row in of_kind}) >= LEAST
        found[kind] = coverage(of_kind) if enough else "not validated"
    inside = [row["is_covered"] for row in counted]
    return {
        "coverage": found,
        "coverage_of_points": sum(inside) / len(inside) if inside else None,
        "median_width": median(row["high"] / row["low"] for row in counted) if counted else None,
        "sources": len({row["measured_by"] for row in counted}),
        "points": len(counted),
    }


def coverage(rows: Iterable[Mapping[str, Any]]) -> float | None:
    """Share of covered rows, the mean over sources; None without rows."""
    by_source: dict[str, list[bool]] = {}
    for row in rows:
        by_source.setdefault(row["measured_by"], []).append(row["is_covered"])
    shares = [sum(of) / len(of) for of in by_source.values()]
    return sum(shares) / len(shares) if shares else None
