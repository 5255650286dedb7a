"""Tables of a timeline for the report: states of groups of ranks and loads of links over time.

Their size is bounded for any run: at most `ROWS` groups of ranks, `BINS` intervals and `LINKS`
links; single calls only of runs with at most `SLICES`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import records as tl

BINS = 512
ROWS = 256
LINKS = 40
SLICES = 30_000
STATES = ("compute", "waiting", "transfer")
Tables = dict[str, dict[str, list[Any]]]


def tables(source: Path) -> Tables:
    """The tables `timeline`, `slices` and `link_load`."""
    records = tl.open_records(source)
    footer = records.footer
    first, last = footer["window_s"] or (0.0, footer["time_s"])
    span = round(min(last, footer["time_s"]) * 1e12) - round(first * 1e12)
    if span <= 0:
        return {}
    origin = round(first * 1e12)
    links = LinkLoads(footer, origin, span)
    found: Tables = {}
    if footer["ranks"]:
        states = States(footer, origin, span)
        calls = tl.Calls(records)
        for block in records.blocks():
            states.add_calls(calls.of(block), calls)
            states.add(0, block[block["kind"] == tl.COMPUTE], "begin", "end")
            links.add(block[block["kind"] == tl.LINK])
        found = {"timeline": states.table(), "slices": states.slice_table()}
    else:
        for block in records.blocks():
            links.add(block[block["kind"] == tl.LINK])
    links.choose()
    for block in records.blocks():
        links.add_busiest(block[block["kind"] == tl.LINK])
    return {**found, "link_load": links.table()}


class Histogram:
    """Time per row and interval, of slices with a begin and an end."""

    def __init__(self, rows: int, origin: int, span: int):
        self.origin, self.width = origin, max(span / BINS, 1.0)
        self.partial = np.zeros((rows, BINS + 1))
        self.whole = np.zeros((rows, BINS + 2))

    def add(
        self,
        rows: NDArray[Any],
        begin: NDArray[Any],
        end: NDArray[Any],
        weight: NDArray[Any] | float = 1.0,
    ) -> None:
        """Adds `weight` times the time in each interval."""
        low = np.clip((begin.astype(np.float64) - self.origin) / self.width, 0, BINS)
        high = np.clip((end.astype(np.float64) - self.origin) / self.width, 0, BINS)
        first, last = np.floor(low).astype(int), np.floor(high).astype(int)
        same = first == last
        weights = np.broadcast_to(np.asarray(weight, float), low.shape)
        add_at(self.partial, rows[same], first[same], ((high - low) * weights)[same])
        more = ~same
        rows, first, last, weights = rows[more], first[more], last[more], weights[more]
        add_at(self.partial, rows, first, (first + 1 - low[more]) * weights)
        add_at(self.partial, rows, last, (high[more] - last) * weights)
        add_at(self.whole, rows, first + 1, weights)
        add_at(self.whole, rows, last, -weights)

    def shares(self) -> NDArray[np.float64]:
        """The part of each interval that is covered."""
        return (self.partial + np.cumsum(self.whole, axis=1)[:, :-1])[:, :BINS]


def add_at(
    target: NDArray[np.float64], rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]
) -> None:
    """Adds values at places that may repeat."""
    places = rows * target.shape[1] + columns
    target += np.bincount(places, values, target.size).reshape(target.shape)


class States:
    """What ranks do, and single calls while there are few."""

    def __init__(self, footer: dict[str, Any], origin: int, span: int):
        self.footer, self.n = footer, footer["ranks"]
        nodes = np.array(footer["node_of_rank"][: self.n])
        order = np.argsort(nodes, kind="stable")
        self.rows = min(self.n, ROWS)
        self.row_of = np.empty(self.n, int)
        self.row_of[order] = np.arange(self.n) * self.rows // self.n
        self.sizes = np.bincount(self.row_of, minlength=self.rows)
        self.first_rank = order[np.searchsorted(np.sort(self.row_of), np.arange(self.rows))]
        self.histograms = [Histogram(self.rows, origin, span) for _ in STATES]
        self.slices: list[tuple[Any, ...]] | None = []

    def add(self, state: int, some: NDArray[Any], begin: str, end: str) -> None:
        rows = self.row_of[some["rank"]]
        self.histograms[state].add(rows, some[begin], some[end])
        if state == 0:
            self.keep(some, lambda op: "compute")

    def add_calls(self, some: NDArray[Any], calls: tl.Calls) -> None:
        ready = np.clip(some["ready"], some["begin"], some["end"])
        some = some.copy()
        some["ready"] = ready
        self.add(1, some, "begin", "ready")
        self.add(2, some, "ready", "end")
        self.keep(some[some["end"] > some["begin"]], calls.names.__getitem__)

    def keep(self, some: NDArray[Any], name: Any) -> None:
        """Single calls; none if there are too many."""
        if self.slices is None:
            return
        columns = (some[key].tolist() for key in ("rank", "op", "begin", "ready", "end", "bytes"))
        rows = zip(*columns, strict=True)
        self.slices += [(rank, name(op), *rest) for rank, op, *rest in rows]
        if len(self.slices) > SLICES:
            self.slices = None

    def table(self) -> dict[str, list[Any]]:
        """A row per group of ranks and interval in which any state has a share."""
        shares = [h.shares() / self.sizes[:, None] for h in self.histograms]
        row, at = np.nonzero(sum(shares) > 1e-4)
        nodes, of_rank = self.footer["nodes"], self.footer["node_of_rank"]
        found: dict[str, list[Any]] = {"row": row.tolist(), "bin": at.tolist()}
        for state, values in zip(STATES, shares, strict=True):
            found[state] = np.round(np.minimum(values[row, at], 1.0), 4).tolist()
        ranks = self.first_rank[row]
        found["first_rank"] = ranks.tolist()
        found["node"] = [nodes[of_rank[rank]] for rank in ranks]
        return found

    def slice_table(self) -> dict[str, list[Any]]:
        if not self.slices:
            return {}
        names = ("rank", "name", "begin", "ready", "end", "bytes")
        columns = dict(zip(names, map(list, zip(*self.slices, strict=True)), strict=True))
        found: dict[str, list[Any]] = {"rank": columns["rank"], "name": columns["name"]}
        for name in ("begin", "ready", "end"):
            found[f"{name}_s"] = [ps * 1e-12 for ps in columns[name]]
        found["row"] = self.row_of[columns["rank"]].tolist()
        return {**found, "bytes": columns["bytes"]}


class LinkLoads:
    """Loads of links over time. A first pass finds the busiest links and the mean of each kind, a
    second one the loads of the busiest, so memory does not depend on the number of links."""

    def __init__(self, footer: dict[str, Any], origin: int, span: int):
        self.links, self.origin, self.span = footer["links"], origin, span
        self.numbers = np.array([link["link"] for link in self.links], int)
        self.capacity = np.array([link["bytes_per_s"] for link in self.links])
        self.kinds = sorted({link["kind"] for link in self.links})
        self.kind_of = np.array([self.kinds.index(link["kind"]) for link in self.links], int)
        self.total = np.zeros(len(self.links))
        self.of_kinds = Histogram(len(self.kinds), origin, span)
        self.busiest = np.zeros(0, int)

    def loads(self, some: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rows and mean loads of samples."""
        rows = np.searchsorted(self.numbers, some["rank"])
        span = np.maximum(some["end"] - some["begin"], 1)
        return rows, some["bytes"] / (span * 1e-12) / self.capacity[rows]

    def add(self, some: NDArray[Any]) -> None:
        """The first pass."""
        if len(some):
            rows, load = self.loads(some)
            self.of_kinds.add(self.kind_of[rows], some["begin"], some["end"], load)
            volume = some["bytes"] / self.capacity[rows]
            self.total += np.bincount(rows, volume, len(self.total))

    def choose(self) -> None:
        """Ends the first pass."""
        self.busiest = np.argsort(-self.total, kind="stable")[:LINKS]
        self.place = np.full(len(self.links), -1)
        self.place[self.busiest] = np.arange(len(self.busiest))
        self.of_busiest = Histogram(len(self.busiest), self.origin, self.span)

    def add_busiest(self, some: NDArray[Any]) -> None:
        """The second pass."""
        if len(some):
            rows, load = self.loads(some)
            at = self.place[rows]
            some, at, load = some[at >= 0], at[at >= 0], load[at >= 0]
            self.of_busiest.add(at, some["begin"], some["end"], load)

    def table(self) -> dict[str, list[Any]]:
        """The loads of the busiest links, and the mean of each kind of link as link `mean`."""
        if not self.links:
            return {}
        found: dict[str, list[Any]] = {"link": [], "kind": [], "bin": [], "load": []}

        def add(name: str, kind: str, values: NDArray[np.float64]) -> None:
            at = np.nonzero(values > 1e-4)[0]
            found["link"] += [name] * len(at)
            found["kind"] += [kind] * len(at)
            found["bin"] += at.tolist()
            found["load"] += np.round(values[at], 4).tolist()

        counts = np.bincount(self.kind_of, minlength=len(self.kinds))
        means = self.of_kinds.shares() / counts[:, None]
        for kind, values in zip(self.kinds, means, strict=True):
            add("mean", kind, values)
        shares = self.of_busiest.shares()
        for row, values in zip(self.busiest.tolist(), shares, strict=True):
            link = self.links[row]
            add(f"{link['from']} -> {link['to']}", link["kind"], values)
        return found
