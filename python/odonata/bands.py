"""Bands around predictions, from the residuals of published measurements.

A residual is the logarithm of measured over predicted. `data/bands.json`, which
docs/reference/predictions.py writes, has for each kind of prediction the factor that covers a new
measurement of a new organization with a probability of `LEVEL`. No run is needed. Method and
assumptions: docs/models/error-bars.md.
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
# Sources from which the coverage of a kind is stated; with fewer it is "not validated".
LEAST = 10
# Ratio of the ends of a band above which the measurement that would narrow it is named.
WIDE = 2.0

ALL, NETWORK, STORAGE, APPLICATIONS = "all", "network", "storage", "applications"
POINT_TO_POINT = ("latency", "bw", "bibw", "mbw_mr", "multi_lat")
ONE_SIDED = ("put_latency", "get_latency", "put_bw", "put_bibw", "get_bw", "put_alltoall")
UNDER_LOAD = ("rr_lat", "rr_get_lat", "rr_bw", "rr_put_bw", "rr_bw_sync", "nat_bw",
              "multiple_allreduce", "multiple_alltoall", "bisect")  # fmt: skip
# Largest messages of the size classes, bytes.
SHORT, MEDIUM = 1 << 10, 64 << 10
NOT_VALIDATED = "not validated"

# From general to specific. A part after a colon refines a kind for the width of its band; the kind
# before the colon is that of which measurements are counted.
Kinds = tuple[str, ...]
# Tests that load the network, and benchmarks with background traffic.
LOADED: Kinds = (ALL, NETWORK, "under load")


@dataclass(frozen=True)
class Residual:
    """One point of a measurement that is no input of the model."""

    source: str
    organization: str
    kinds: Kinds
    ratio: float  # measured over predicted

    @property
    def score(self) -> float:
        return abs(math.log(self.ratio))


def counted_kind(kind: str) -> str:
    """A kind without its refinement."""
    return kind.partition(":")[0]


def size_class(size: int) -> str:
    return "short" if size <= SHORT else "medium" if size <= MEDIUM else "long"


def benchmark_kinds(
    name: str, size: int, nodes: int, buffers: str, mpi: str, statistic: str = "mean"
) -> Kinds:
    """Kinds of a result of `odonata bench`."""
    memory = {"host": "host", "gpu": "GPU"}[buffers]
    if statistic == "p99":
        return (ALL, "99th percentiles")
    if name in POINT_TO_POINT:
        where = "within a node" if nodes == 1 else "between nodes"
        kind = f"point-to-point, {memory} buffers, {where}"
        return (ALL, NETWORK, "point-to-point", kind, f"{kind}: {size_class(size)} messages")
    if name in ONE_SIDED:
        return (ALL, NETWORK, "one-sided", f"one-sided, {memory} buffers")
    if name in UNDER_LOAD:
        return LOADED
    of_size = f"collectives, {size_class(size)} messages, {memory} buffers"
    library = "a profile file" if mpi.endswith(".toml") else mpi.removesuffix("-aurora")
    return (ALL, NETWORK, "collectives", of_size, f"{of_size}, {library}")


def storage_kinds(unit: str) -> Kinds:
    """Kinds of a rate of a file system, in bytes or operations per second."""
    what = {"B_per_s": "bandwidth", "per_s": "operations"}[unit]
    return (ALL, STORAGE, f"{STORAGE}, {what}")


def application_kinds(name: str) -> Kinds:
    return (ALL, APPLICATIONS, f"{APPLICATIONS}: {name}")


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


# Bands of predictions


@dataclass(frozen=True)
class Band:
    """A factor for either side of a prediction, and the kind whose measurements count for it."""

    kind: str  # of the prediction, with its refinement
    used: str  # the most specific kind with measurements
    factor: float
    sources: int  # of the kind without its refinement
    organizations: int  # that measured them

    @property
    def is_measured(self) -> bool:
        return self.sources > 0

    @property
    def is_validated(self) -> bool:
        """Whether there are enough sources to state a coverage."""
        return self.sources >= LEAST


@functools.cache
def content() -> dict[str, Any]:
    """`data/bands.json`. `fidelities` has rows by fidelity and kind; rows that do not depend on
    the fidelity are in `any`. `organizations` has that of each source."""
    return json.loads(DATA.read_text(encoding="utf-8"))


@functools.cache
def rows_of(fidelity: str) -> dict[str, dict[str, Any]]:
    """The rows of `data/bands.json` for a fidelity."""
    by_fidelity = content()["fidelities"]
    return {**by_fidelity["any"], **by_fidelity[fidelity]}


def band_of(kinds: Kinds, fidelity: str, without: str | None = None) -> Band:
    """The band of the most specific kind with measurements; for the cross-validation without those
    of the organization of the source `without`."""
    table = rows_of(fidelity)
    used = next(kind for kind in reversed(kinds) if kind in table)
    factor = table[used]["factor"]
    if without is not None:
        factor = table[used]["without"].get(content()["organizations"][without], factor)
    row = table.get(counted_kind(kinds[-1]), {"sources": 0, "organizations": 0})
    return Band(kinds[-1], used, factor, row["sources"], row["organizations"])


def ends(value: float, band: Band, low: float = 0.0, high: float = 0.0) -> tuple[float, float]:
    """Both ends around a prediction. `low` and `high` are its relative errors from scaled-down
    replicas or sampling, which the factor multiplies."""
    return value * max(1.0 + low, 0.0) / band.factor, value * (1.0 + high) * band.factor


def independent_ends(value: float, band: Band, errors: Iterable[float]) -> tuple[float, float]:
    """Both ends around a prediction whose relative errors have other causes than the residuals.

    The logarithms of the factors of independent causes add up as squares.
    """
    factor = math.exp(math.hypot(math.log(band.factor), *map(math.log1p, errors)))
    return value / factor, value * factor


def add(
    rows: Iterable[dict[str, Any]],
    column: str,
    kinds_of: Callable[[Mapping[str, Any]], Kinds],
    fidelity: str,
) -> list[dict[str, Any]]:
    """Add `low` and `high` around `column` to rows; the bands, for the summary.

    Both are None if no measurement of the kind is known. The relative errors of a time that
    replicas (`band_low`, `band_high`) or sampling (`error`) state are part of them. Replicas
    include sampling.
    """
    used = []
    for row in rows:
        value = row.get(column)
        row["low"] = row["high"] = None
        if value is None:
            continue
        band = band_of(kinds_of(row), fidelity)
        used.append(band)
        if not band.is_measured:
            continue
        error = row.get("error") or 0.0
        low, high = row.get("band_low"), row.get("band_high")
        low, high = (-error if low is None else low), (error if high is None else high)
        row["low"], row["high"] = ends(value, band, low, high)
    return summary_of(used, fidelity)


def summary_of(bands: Iterable[Band], fidelity: str) -> list[dict[str, Any]]:
    """The distinct bands of a result, for its summary. A level and a coverage are stated for
    validated kinds, a factor for kinds with measurements."""
    table = rows_of(fidelity)
    return [
        {
            "kind": band.kind,
            "validation": "validated" if band.is_validated else NOT_VALIDATED,
            "residuals_of": band.used,
            "factor": band.factor if band.is_measured else None,
            "level": LEVEL if band.is_validated else None,
            "coverage": table[counted_kind(band.kind)]["coverage"] if band.is_validated else None,
            "sources": band.sources,
            "organizations": band.organizations,
            "sources_wanted": LEAST,
            "narrowed_by": measurement(band.kind) if band.factor**2 > WIDE else None,
        }
        for band in dict.fromkeys(bands)
    ]


def lines(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """The bands of a summary as text: one line per kind, and the measurements that narrow them."""
    shown = []
    by_kind: dict[str, list[Mapping[str, Any]]] = {}
    for one in found:
        by_kind.setdefault(counted_kind(one["kind"]), []).append(one)
    unmeasured = [kind for kind, of in by_kind.items() if of[0]["factor"] is None]
    for kind, of in by_kind.items():
        if kind in unmeasured:
            continue
        first = of[0]
        among = f"{first['sources']} sources of {first['organizations']} organizations"
        if first["validation"] == "validated":
            head = f"{100 * first['level']:.0f} % band"
            tail = f"cross-validated coverage {100 * first['coverage']:.0f} %, {among}"
        else:
            head = f"range, {NOT_VALIDATED}"
            tail = f"{first['sources']} of {first['sources_wanted']} sources"
        shown.append(f"{head}: {factors_of(of)}; {kind}: {tail}")
    if unmeasured:
        shown.append(f"{NOT_VALIDATED}, no measurement: {'; '.join(unmeasured)}")
    wanted = dict.fromkeys(one["narrowed_by"] for one in found if one["narrowed_by"])
    if wanted:
        shown.append(f"measurements that would narrow it: {'; '.join(wanted)}")
    return shown


def factors_of(found: Sequence[Mapping[str, Any]]) -> str:
    """The factors of the refinements of a kind."""
    by_factor = {one["factor"]: one["kind"].partition(": ")[2] for one in found}
    if len(by_factor) == 1:
        (value,) = by_factor
        return f"1/{value:.2f} to {value:.2f} times the prediction"
    each = (f"{value:.2f} ({words})" for value, words in by_factor.items())
    return f"prediction divided or multiplied by {', '.join(each)}"


# Cross-validation


def checked(
    source: str, kinds: Kinds, fidelity: str, measured: float, predicted: float, is_input: bool
) -> dict[str, Any]:
    """Columns of a row of `odonata validate`: the band without measurements of the source's
    organization, and whether the measurement lies in it."""
    low, high = ends(predicted, band_of(kinds, fidelity, without=source))
    return {
        "kinds": list(kinds),
        "measured_by": source,
        "organization": content()["organizations"][source],
        "is_input": is_input,
        "low": low,
        "high": high,
        "is_covered": low <= measured <= high,
    }


def cross_validation(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Coverage of all rows and by kind, inputs of the model excepted.

    Each source has the same weight; `coverage_of_organizations` gives the same weight to each
    organization. `median_width` is the median ratio of the ends of a band.
    """
    counted = [row for row in rows if not row["is_input"]]
    found: dict[str, Any] = {ALL: coverage(counted)}
    kinds = {kind for row in counted for kind in row["kinds"] if counted_kind(kind) == kind}
    for kind in sorted(kinds - {ALL}):
        of_kind = [row for row in counted if kind in row["kinds"]]
        enough = len({row["measured_by"] for row in of_kind}) >= LEAST
        found[kind] = coverage(of_kind) if enough else NOT_VALIDATED
    inside = [row["is_covered"] for row in counted]
    return {
        "coverage": found,
        "coverage_of_organizations": coverage(counted, "organization"),
        "coverage_of_points": sum(inside) / len(inside) if inside else None,
        "median_width": median(row["high"] / row["low"] for row in counted) if counted else None,
        "sources": len({row["measured_by"] for row in counted}),
        "organizations": len({row["organization"] for row in counted}),
        "points": len(counted),
    }


def coverage(rows: Iterable[Mapping[str, Any]], by: str = "measured_by") -> float | None:
    """Share of covered rows, the mean over sources or organizations; None without rows."""
    groups: dict[str, list[bool]] = {}
    for row in rows:
        groups.setdefault(row[by], []).append(row["is_covered"])
    shares = [sum(of) / len(of) for of in groups.values()]
    return sum(shares) / len(shares) if shares else None
