"""Published measurements and the predictions for them.

The measurements are data: `data/published/*.toml`, each curve with its source and with what
differs between the measurement and the prediction. Points that set a parameter of the model prove
nothing by agreeing; the key `sets` names them. No curve was fitted as a whole.
"""

from __future__ import annotations

import functools
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from . import bands, benchmarks, core, tables
from .errors import Diagnostics, SimulatedFailure
from .machines import machine

# Largest error of a curve that passes, as fractions: of the mean of its points, and of its worst
# point; and of a single number.
MEAN, WORST = 0.05, 0.15
SINGLE = 0.10

DATA = Path(__file__).with_name("data") / "published"
# MiB/s, which GPCNeT and dgnettest print, in MB/s.
MIB = 1.048576


@dataclass(frozen=True)
class Curve:
    """One measured quantity over message size, and the benchmark and job that predict it."""

    id: str
    what: str
    source: str
    conditions: str
    sets: str  # which points are inputs of the model
    preset: str
    points: tuple[tuple[int, float], ...]  # bytes; microseconds, or MB/s of a bandwidth
    tail: float | None = None  # value that 99 of 100 iterations keep, of a curve of one point
    benchmark: str = "latency"
    mpi: str = "mpich"
    nodes: int = 2
    ppn: int = 1
    placement: str = "contiguous"
    node_runs: tuple[tuple[int, int], ...] = ()  # instead: first node, and number of nodes
    buffers: str = "host"
    nic_policy: str | None = None
    window: int | None = None
    parts: int = 1  # the measurement is the predicted bandwidth divided by this
    profile: str = ""  # how the library differs from its profile, as lines of a profile file
    fidelity: str = "packet"
    slow: bool = False  # predicted only if it is named, or with `--all`
    inputs: tuple[int, ...] = ()  # sizes of the points that are inputs of the model
    origin: str = ""  # the measurement's source, if it is not the beginning of `source`

    @property
    def measured_by(self) -> str:
        """The source; `organizations` has the organization that measured it."""
        return self.origin or re.split("[,;]", self.source)[0]

    def kinds(self, size: int, statistic: str) -> bands.Kinds:
        return bands.benchmark_kinds(
            self.benchmark, size, self.nodes, self.buffers, self.mpi, statistic
        )

    def predicted_points(self) -> list[tuple[int, str]]:
        """Size and statistic of each row of `predict`."""
        tails = [] if self.tail is None else [(self.points[0][0], "p99")]
        return [(size, "mean") for size, _ in self.points] + tails

    @property
    def column(self) -> str:
        """The column of the benchmark's rows that is compared."""
        return benchmarks.KINDS[self.benchmark].column

    @property
    def unit(self) -> float:
        """Factor from a point's number to seconds or bytes per second."""
        return 1e-6 if self.column == "latency_s" else 1e6


def content(name: str) -> dict[str, Any]:
    """What `data/published/NAME.toml` has."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


def read(name: str) -> Iterator[Curve]:
    """The curves of `data/published/NAME.toml`, in the file's order.

    A curve has the keys of `Curve`, each of which `[defaults]` may give for the whole file.
    `profile` is the name of an entry of `[profiles]`. `unit` is the unit of the numbers: `us`,
    `MB/s` or `MiB/s`.
    """
    of_file = content(name)
    for entry in of_file["curve"]:
        keys = {**of_file.get("defaults", {}), **entry}
        unit, points, tail = keys.pop("unit"), keys.pop("points"), keys.pop("tail", None)
        keys["inputs"] = tuple(keys.pop("inputs", ()))
        if "profile" in keys:
            keys["profile"] = of_file["profiles"][keys["profile"]]
        curve = Curve(**keys, points=(), tail=None)
        values = tuple((size, in_unit(curve, size, number, unit)) for size, number in points)
        if tail is not None:
            tail = in_unit(curve, points[0][0], tail, unit)
        yield replace(curve, points=values, tail=tail)


def in_unit(curve: Curve, size: int, number: float, unit: str) -> float:
    """A published number in microseconds if the curve is a latency, in MB/s otherwise.

    A rate of a collective in MiB/s per rank becomes the time of a call in which each rank sends
    `size` bytes to every rank, itself included.
    """
    if unit == "MiB/s":
        rate = number * MIB
        ranks = curve.nodes * curve.ppn
        return ranks * size / rate if curve.column == "latency_s" else rate
    if unit != ("us" if curve.column == "latency_s" else "MB/s"):
        raise ValueError(f"{curve.id}: unit `{unit}`")
    return number


@functools.cache
def latencies() -> tuple[Curve, ...]:
    """Curves that are quick to predict: every report repeats them."""
    return tuple(read("latencies"))


@functools.cache
def curves() -> tuple[Curve, ...]:
    """All curves, in the order of the table in the README."""
    files = ("curves", "dgnettest-all2all", "dgnettest-bisect", "gpcnet", "elbert-nics", "spock",
             "aurora", "further")  # fmt: skip
    return latencies() + tuple(curve for name in files for curve in read(name))


@functools.cache
def held_out() -> tuple[Curve, ...]:
    """Curves that were set aside before their errors were computed, to check the bands once."""
    return tuple(read("held-out"))


@functools.cache
def organizations() -> dict[str, str]:
    """The organization of each source: the units that the error bars leave out."""
    of_file = content("organizations")["organizations"]
    return {source: name for name, sources in of_file.items() for source in sources}


class Measurement(Protocol):
    """A curve, a run on a file system or a result of an application."""

    @property
    def id(self) -> str: ...
    @property
    def slow(self) -> bool: ...


def chosen(
    wrong: Diagnostics, ids: Sequence[str], measurements: Sequence[Measurement], every: bool
) -> list[Measurement]:
    """The measurements with these ids, each once. If `ids` is empty, all that are quick to predict,
    or `every` one. Unknown ids are added to `wrong`."""
    known: dict[str, Measurement] = {one.id: one for one in measurements}
    ids = tuple(dict.fromkeys(ids))
    named = [name for name in ids if wrong.word("curve", name, known, "a published measurement")]
    if ids:
        return [known[name] for name in named]
    return [one for one in known.values() if every or not one.slow]


def compare() -> list[dict[str, Any]]:
    """Predict every point of `latencies()`: one row per point, with the error as a fraction.

    Times are `measured_s` and `predicted_s`.
    """
    return [row for curve in latencies() for row in predict(curve)]


def placement_of(curve: Curve) -> str | list[int]:
    """The placement of the curve's job: its name, or the node of each rank."""
    if not curve.node_runs:
        return curve.placement
    nodes = [first + n for first, count in curve.node_runs for n in range(count)]
    return [node for node in nodes for _ in range(curve.ppn)]


def predict(
    curve: Curve,
    fidelity: str | None = None,
    *,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> list[dict[str, Any]]:
    """The rows of one curve; fewer than its points if the prediction was stopped.

    Of bandwidths, rows have `measured_B_per_s` and `predicted_B_per_s`. `fidelity` replaces the
    curve's own.
    """
    sizes = [size for size, _ in curve.points]
    with tempfile.TemporaryDirectory() as folder:
        mpi = curve.mpi
        if curve.profile:
            profile = Path(folder) / f"{mpi}.toml"
            profile.write_text(f'like = "{mpi}"\n{curve.profile}', encoding="utf-8")
            mpi = str(profile)
        job = machine(curve.preset).job(
            nodes=curve.nodes,
            ppn=curve.ppn,
            mpi=mpi,
            placement=placement_of(curve),
            nic_policy=curve.nic_policy,
        )
        summary = benchmarks.predict(
            curve.benchmark, job, sizes, fidelity or curve.fidelity,
            buffers=curve.buffers, window=curve.window, tick=tick, stop=stop,
        )  # fmt: skip
    if failure := summary.get("failure"):
        raise SimulatedFailure.of(failure, None)
    predicted = tables.rows_of(summary["rows"])
    unit = "s" if curve.column == "latency_s" else "B_per_s"
    points = [("mean", curve.column, *point) for point in curve.points]
    if curve.tail is not None:
        predicted *= 2
        points.append(("p99", curve.column.replace("_", "_p99_", 1), sizes[0], curve.tail))
    rows = []
    for (statistic, column, size, number), row in zip(points, predicted):
        measured, estimate = number * curve.unit, row[column] / curve.parts
        kinds = curve.kinds(size, statistic)
        rows.append(
            {
                "id": curve.id,
                "what": curve.what,
                "preset": curve.preset,
                "bytes": size,
                "statistic": statistic,
                f"measured_{unit}": measured,
                f"predicted_{unit}": estimate,
                "error": estimate / measured - 1.0,
                **bands.checked(
                    curve.measured_by, kinds, summary["fidelity"], measured, estimate,
                    is_input=size in curve.inputs,
                ),
                "conditions": curve.conditions,
                "sets": curve.sets,
                "source": curve.source,
            }
        )
    return rows


def verdict(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean and largest error of the rows of one curve, as fractions, and whether it passes.

    Rows of a single message size are held to the bound of a single number.
    """
    errors = [abs(row["error"]) for row in rows]
    mean, worst = sum(errors) / len(errors), max(errors)
    sizes = {row["bytes"] for row in rows}
    bounds = (MEAN, WORST) if len(sizes) > 1 else (SINGLE, SINGLE)
    return {
        "id": rows[0]["id"],
        "points": len(rows),
        "sizes": len(sizes),
        "mean_error": mean,
        "worst_error": worst,
        "passes": mean <= bounds[0] and worst <= bounds[1],
    }
