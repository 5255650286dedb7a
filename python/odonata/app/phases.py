"""The calls of an application model. They become a phase program, which the core expands."""

from __future__ import annotations

import itertools
import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..errors import Diagnostics, InputError
from . import shapes

Distribution = dict[str, Any]
MOST_CALLS = 1 << 20  # of one model at one size; more take minutes to read
MOST_SECONDS = 60.0  # wall time of a model's function at one size
MOST_BYTES = 1 << 40  # of a message; the core's limit
BLOCKING, OVERLAPPED, OWN, OFFLOADED = 0, 1, 2, 3  # requests of calls


def normal(sigma: float) -> Distribution:
    """A factor with mean 1 and this relative standard deviation, not below 0."""
    return {"kind": "normal", "sigma": float(sigma)}


def uniform(width: float) -> Distribution:
    """A factor between `1 - width` and `1 + width`."""
    return {"kind": "uniform", "width": float(width)}


def exponential(mean: float) -> Distribution:
    """A factor with mean 1 and an exponential tail: rare long delays."""
    return {"kind": "exponential", "mean": float(mean)}


def lognormal(sigma: float) -> Distribution:
    """A factor with mean 1 whose logarithm has this standard deviation."""
    return {"kind": "log_normal", "sigma": float(sigma)}


def counts() -> Distribution:
    """A Poisson number of elements of `grain` bytes each, for particles and vertices."""
    return {"kind": "counts"}


def resolved(spread: Distribution | None, size: float, grain: int) -> Distribution | None:
    """The distribution of this mean size: `counts` depend on it."""
    if spread is None or spread["kind"] != "counts":
        return spread
    return {"kind": "poisson", "mean": size / grain} if size > 0 else None


PANELS = ("1ring", "1ringM", "2ring", "2ringM", "long", "longM")


# Kinds of computation and precisions of the machine file.
KERNELS = ("stream", "gemm", "stencil", "spmv", "gauss_seidel", "fft", "pair", "tree", "panel")
PRECISIONS = ("fp64", "fp32", "fp16", "fp8")


class ModelStopped(Exception):
    """The model makes too many calls, or takes too long."""


@dataclass(frozen=True)
class Grid:
    """A process grid of all ranks."""

    number: int
    shape: tuple[int, ...]
    first_fastest: bool

    def place(self, rank: int) -> tuple[int, ...]:
        """Coordinates of a rank."""
        found = [0] * len(self.shape)
        axes = range(len(self.shape))
        for axis in axes if self.first_fastest else reversed(axes):
            rank, found[axis] = divmod(rank, self.shape[axis])
        return tuple(found)


class Phases:
    """What a model's function receives: the ranks, and the calls that all of them make.

    Options of the model are attributes. `shape` is that of the process grid, `box` the cells of
    one rank along each axis.
    """

    def __init__(
        self,
        file: str,
        nodes: int,
        ppn: int,
        grid: Callable[[int], Sequence[int]],
        first_fastest: bool,
        options: Mapping[str, Any],
        box: Sequence[float],
        seed: int = 1,
    ):
        self._file, self._options = file, dict(options)
        self.nodes, self.ppn, self.ranks, self.seed = nodes, ppn, nodes * ppn, seed
        self.wrong = Diagnostics()
        self._grids: list[Grid] = []
        self._partitions: list[dict[str, Any]] = []
        self._file_systems: list[str] = []
        self._files = 0
        self._phases = ["main"]
        self._phase = 0
        self._where: list[dict[str, int]] = []
        self._body: list[dict[str, Any]] = []
        self._steps: list[tuple[Any, list[dict[str, Any]]]] = []
        self._overlap: str | None = None
        self._depth = 0
        self._streams = itertools.count(1)
        self._tags = itertools.count(0)
        self._calls = 0
        self._deadline = time.monotonic() + MOST_SECONDS
        shape = tuple(grid(self.ranks))
        self.grid_of_ranks = self.grid(shape, first_fastest)
        self.shape, self.box = shape, tuple(box)

    def __getattr__(self, name: str) -> Any:
        options = self.__dict__.get("_options", {})
        if name in options:
            return options[name]
        raise AttributeError(f"the model has no option `{name}`, and `Phases` no such call")

    # Structure

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Calls inside belong to this phase, which results show as a row."""
        if not (isinstance(name, str) and name):
            self._wrong(f"phase {name!r}", "a name")
            name = "main"
        if name not in self._phases:
            self._phases.append(name)
        before, self._phase = self._phase, self._phases.index(name)
        try:
            yield
        finally:
            self._phase = before

    @contextmanager
    def loop(self, count: float) -> Iterator[None]:
        """Repeat the calls inside `count` times. A few iterations are simulated."""
        count = self._number("loop", count, 0, 1e15, "a number of iterations from 0 to 1e15")
        with self._nested({"do": "loop", "count": count}):
            yield

    def sampled(self, values: Sequence[Any], about: int = 17) -> Iterator[Any]:
        """Iterate over a sample of `values`, for loops whose iterations change gradually.

        Each sample follows its predecessor in `values`, which warms up. The time of the others is
        interpolated linearly; the error is stated.
        """
        values = list(values)
        at = shapes.sample(len(values), max(int(about), 3))
        fine = shapes.weights(at, len(values)) if at else []
        half = sorted({*range(0, len(at), 2), len(at) - 1} if at else ())
        coarse = dict(zip(half, shapes.weights([at[k] for k in half], len(values)), strict=True)) \
            if at else {}  # fmt: skip
        is_sample = len(at) < len(values)
        for nth, position in enumerate(at):
            begin = len(self._body)
            node: dict[str, Any] = {"do": "loop", "count": 1.0}
            if is_sample:
                # The iteration before warms up: what moves between iterations, such as the owner of
                # a panel, moves between these two.
                warm_up = {"do": "loop", "count": 0.0, "is_sample": True}
                with self._nested(warm_up):
                    yield values[max(position - 1, 0)]
                position = max(position, 1)
                node |= {"count": fine[nth], "coarse": coarse.get(nth, 0.0), "is_sample": True}
            with self._nested(node):
                yield values[position]
            if self._depth == 0:
                self._steps.append((values[position], self._body[begin:]))

    def sampled_steps(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """The iterations of `sampled` that are simulated, outside of loops: each value, and the
        program of this iteration alone, with its warm-up."""
        for value, nodes in self._steps:
            *warm_up, step = nodes
            body = [*warm_up, {**step, "count": 1.0, "coarse": 1.0}]
            yield value, {**self.program(), "body": body}

    @contextmanager
    def where(
        self,
        axis: int = 0,
        at: int | None = None,
        first: int = 0,
        end: int | None = None,
        step: int = 1,
        root: int = 0,
        grid: Grid | None = None,
    ) -> Iterator[None]:
        """Only ranks with this coordinate on `axis` make the calls inside: `at`, or from `first` to
        `end`, exclusively, every `step`; counted from the coordinate `root`."""
        of = grid or self.grid_of_ranks
        extent = self._axis(axis, of)
        if at is not None:
            first, end, step = at, at + 1, 1
        end = extent if end is None else end
        if not (0 <= first and end <= extent and step > 0):
            self._wrong(f"where: {first} to {end}", f"coordinates of axis {axis}: 0 to {extent}")
            first, end, step = 0, extent, 1
        self._where.append({
            "grid": of.number, "axis": axis, "from": int(first), "to": int(end), "step": int(step),
            "root": int(root) % extent,
        })  # fmt: skip
        try:
            yield
        finally:
            self._where.pop()

    @contextmanager
    def overlap(self, offload: bool = False) -> Iterator[None]:
        """Communication and computation inside run at the same time; both end at the end.

        By default calls do not block, and computation follows them on the CPU. With `offload`
        computation runs on the rank's device, while the CPU makes the calls one after the other.
        """
        if self._overlap is not None:
            self._wrong("overlap in overlap", "one level of overlap")
        before, self._overlap = self._overlap, "device" if offload else "cpu"
        try:
            yield
        finally:
            self._overlap = before
            self._call("wait", of=OFFLOADED if offload else OVERLAPPED)

    def grid(self, shape: Sequence[int], first_fastest: bool = False) -> Grid:
        """Another process grid of all ranks."""
        extents = tuple(int(extent) for extent in shape)
        if math.prod(extents) != self.ranks or not extents or min(extents) < 1:
            self._wrong(f"grid {extents}", f"a shape of {self.ranks} ranks")
            extents = (self.ranks,)
        made = Grid(len(self._grids), extents, bool(first_fastest))
        for known in self._grids:
            if (known.shape, known.first_fastest) == (made.shape, made.first_fastest):
                return known
        self._grids.append(made)
        return made

    def compute(
        self,
        flops: float = 0.0,
        bytes: float = 0.0,
        kernel: str = "stream",
        precision: str = "fp64",
        *,
        size: float = 0.0,
        link_bytes: float = 0.0,
        seconds: float | None = None,
        host: bool = False,
        imbalance: Distribution | None = None,
        noise: Distribution | None = None,
    ) -> None:
        """Computation of each rank, from the rates of its device, or `seconds`.

        `bytes` move between the device and its memory, `link_bytes` between host and GPU. `size`
        is the order of a matrix or the number of points, on which the efficiency of a kernel
        depends. With `host`, it occupies the CPU also in `overlap(offload=True)`. `imbalance` is a
        factor per rank, `noise` one per call.
        """
        amount = {
            name: self._number(f"compute: {name}", value, 0, 1e30, "a number from 0 to 1e30")
            for name, value in (
                ("flops", flops), ("bytes", bytes), ("size", size), ("link_bytes", link_bytes)
            )
        }  # fmt: skip
        if seconds is not None:
            wanted = "seconds from 0 to 1e6"
            amount["seconds"] = self._number("compute: seconds", seconds, 0, 1e6, wanted)
        if kernel not in KERNELS:
            self._wrong(f"compute: kernel {kernel}", f"one of {', '.join(KERNELS)}")
        if precision not in PRECISIONS:
            self._wrong(f"compute: precision {precision}", f"one of {', '.join(PRECISIONS)}")
        for name, one in (("imbalance", imbalance), ("noise", noise)):
            if one is not None and not isinstance(one, dict):
                self._wrong(f"compute: {name} {one}", "a distribution, such as `normal(0.1)`")
            elif one is not None and one["kind"] == "counts":
                self._wrong("compute: counts", "a distribution without elements: normal, uniform")
        offloads = self._overlap == "device" and not host
        self._call(
            "compute", OFFLOADED if offloads else BLOCKING, **amount, kernel=kernel,
            precision=precision, is_offloaded=offloads, imbalance=imbalance, noise=noise,
            stream=next(self._streams),
        )  # fmt: skip

    # Messages

    def halo(
        self,
        width: int = 1,
        bytes: int = 8,
        corners: bool = True,
        periodic: bool | Sequence[bool] = False,
        *,
        box: Sequence[float] | None = None,
        order: str = "isend",
        grid: Grid | None = None,
    ) -> None:
        """Exchange a layer of `width` cells of `bytes` each with the neighbors on the grid.

        With `corners`, neighbors at edges and corners too. The default `order`, `isend`, posts all
        receives and sends, and then waits for all. `send` posts all receives, and sends are
        blocking. `sweep` exchanges axis by axis, each with the layers received so far, which covers
        the corners.
        """
        of = grid or self.grid_of_ranks
        cells = [float(n) for n in (box if box is not None else self.box)]
        if len(cells) != len(of.shape):
            return self._wrong(f"halo: a box of {len(cells)} axes", f"{len(of.shape)}, as the grid")
        if order == "sweep":
            return self._sweep(width, bytes, periodic, cells, of)
        directions = self._directions(of, bool(corners))
        size = {
            by: self._size(
                "halo", math.prod(width if by[k] else cells[k] for k in range(len(by))) * bytes
            )
            for by in directions
        }
        neighbors = [(self._offset(of, by, periodic), size[by]) for by in directions]
        return self.exchange(neighbors, order=order)

    def exchange(
        self, neighbors: Iterable[tuple[dict[str, Any], Any]], *, order: str = "isend"
    ) -> None:
        """Send to each of these partners and receive as much from it, in one order for all.

        A neighbor is a pair of a partner, `self.offset(...)`, and bytes.
        """
        if order not in ("isend", "send"):
            return self._wrong(f"order `{order}`", "`isend` or `send`")
        neighbors = list(neighbors)  # it is read twice
        if not all(isinstance(partner, dict) and "rule" in partner for partner, _ in neighbors):
            return self._wrong("exchange: no partner", "pairs of `a.offset(...)` and bytes")
        neighbors = [(partner, self._size("exchange", size)) for partner, size in neighbors]
        tag = next(self._tags) % 32768
        for partner, size in neighbors:
            self._message("recv", partner, size, tag, OWN)
        for partner, size in neighbors:
            self._message("send", partner, size, tag, OWN if order == "isend" else BLOCKING)
        self._wait(OWN)
        return None

    def offset(
        self, *by: int, periodic: bool | Sequence[bool] = False, grid: Grid | None = None
    ) -> dict[str, Any]:
        """The partner at this distance along each axis. Beyond a boundary that is not periodic
        there is none, and no message."""
        of = grid or self.grid_of_ranks
        if len(by) != len(of.shape) or not all(isinstance(step, int) for step in by):
            self._wrong(f"offset {by}", f"{len(of.shape)} whole numbers, as the grid has axes")
            by = (0,) * len(of.shape)
        return self._offset(of, by, periodic)

    def _directions(self, of: Grid, corners: bool) -> list[tuple[int, ...]]:
        """Directions to neighbors, in the order of their ranks."""
        every = itertools.product((-1, 0, 1), repeat=len(of.shape))
        found = [by[::-1] if of.first_fastest else by for by in every if any(by)]
        return [by for by in found if corners or sum(map(abs, by)) == 1]

    def _sweep(
        self, width: int, bytes: int, periodic: Any, cells: list[float], of: Grid
    ) -> None:
        for axis in range(len(cells)):
            area = math.prod(n for k, n in enumerate(cells) if k != axis)
            size = self._size("halo", area * width * bytes)
            for step in (-1, 1):
                by = tuple(step if k == axis else 0 for k in range(len(cells)))
                back = tuple(-n for n in by)
                tag = next(self._tags) % 32768
                self._message("recv", self._offset(of, back, periodic), size, tag, OWN)
                self._message("send", self._offset(of, by, periodic), size, tag, BLOCKING)
                self._wait(OWN)
            cells[axis] += 2 * width

    def _offset(self, of: Grid, by: Sequence[int], periodic: Any) -> dict[str, Any]:
        wraps = [bool(periodic)] * len(by) if isinstance(periodic, (bool, int)) else list(periodic)
        return {"rule": "offset", "grid": of.number, "by": list(by), "periodic": wraps}

    def _message(self, what: str, partner: dict[str, Any], size: Any, tag: int, own: int) -> None:
        side = "to" if what == "send" else "from"
        request = OVERLAPPED if self._overlap == "cpu" else own
        self._call(what, request, **{side: partner}, bytes=size, tag=tag)

    def _wait(self, of: int) -> None:
        if self._overlap != "cpu":
            self._call("wait", of=of)

    def remap(
        self,
        source: Grid,
        target: Grid,
        extent: Sequence[int],
        bytes: int,
    ) -> None:
        """Change from one block decomposition of a box of cells, `extent`, to another.

        Each rank sends the overlap of its box with those of others, `bytes` per cell. All receives
        and sends are posted, then all are waited for.
        """
        cells = [int(self._number("remap", n, 1, 2**40, "cells from 1 to 2^40")) for n in extent]
        for grid in (source, target):
            if len(grid.shape) != len(cells):
                return self._wrong(f"remap: {len(cells)} axes", f"{len(grid.shape)}, as the grid")
        more = {
            "from": {"grid": source.number}, "to": {"grid": target.number}, "extent": cells,
            "bytes": self._size("remap", bytes), "tag": next(self._tags) % 32768,
        }  # fmt: skip
        own = OVERLAPPED if self._overlap == "cpu" else OWN
        self._call("remap_recv", own, **more)
        self._call("remap_send", own, **more)
        self._wait(OWN)
        return None

    def sparse(
        self,
        bytes: float,
        *,
        spread: Distribution | None = None,
        probability: float = 1.0,
        partners: int | None = None,
        periodic: bool | Sequence[bool] = True,
        grain: int = 8,
        grid: Grid | None = None,
    ) -> None:
        """Messages of drawn sizes to neighbors, for particles, patches or graphs.

        The partners are all neighbors on the grid, or `partners` random ranks. Each message exists
        with `probability` and has `bytes` in the mean, with the deviation `spread`, in multiples of
        `grain`. The receivers know the sizes.
        """
        of = grid or self.grid_of_ranks
        wanted = "a probability above 0, at most 1"
        chance = self._number("sparse: probability", probability, 1e-9, 1, wanted)
        mean = self._number("sparse", bytes, 0, MOST_BYTES, "bytes of a message")
        size = {
            "mean": mean, "spread": resolved(spread, mean, int(grain)) or uniform(0.0),
            "probability": chance, "grain": int(grain),
        }  # fmt: skip
        rules: list[tuple[dict[str, Any], dict[str, Any]]] = []
        if partners is None:
            for by in self._directions(of, True):
                back = tuple(-n for n in by)
                rules.append((self._offset(of, by, periodic), self._offset(of, back, periodic)))
        else:
            most = self.ranks - 1
            count = int(self._number("partners", partners, 0, most, f"at most {most} partners"))
            draws = random.Random(f"{self.seed} {next(self._streams)}")
            for shift in sorted(draws.sample(range(1, self.ranks), count)):
                rules.append(({"rule": "shift", "by": shift}, {"rule": "shift", "by": -shift}))
        tag = next(self._tags) % 32768
        sizes = [size | {"stream": next(self._streams)} for _ in rules]
        for (_, source), one in zip(rules, sizes, strict=True):
            self._message("recv", source, one, tag, OWN)
        for (target, _), one in zip(rules, sizes, strict=True):
            self._message("send", target, one, tag, OWN)
        self._wait(OWN)

    def links(
        self,
        pairs: Sequence[tuple[int, int, float]],
        spread: Distribution | Sequence[Distribution | None] | None = None,
    ) -> list[Link]:
        """Messages of an irregular decomposition, which `messages` sends: source and destination,
        and the mean number of elements. With `spread`, of all or of each, the number is drawn, once
        per iteration."""
        if spread is None or isinstance(spread, dict):
            spread = [spread] * len(pairs)
        found = []
        for (source, target, elements), one in zip(pairs, spread, strict=True):
            for rank in (source, target):
                if not 0 <= rank < self.ranks:
                    self._wrong(f"links: rank {rank}", f"a rank below {self.ranks}")
                    return []
            elements = self._number("links", elements, 0, MOST_BYTES, "a number of elements")
            drawn = resolved(one, elements, 1)
            found.append(Link(int(source), int(target), elements, drawn, next(self._streams)))
        return found

    def messages(
        self,
        links: Sequence[Link],
        bytes: int | Sequence[int],
        head: int = 0,
        order: str = "list",
    ) -> None:
        """Send a message along each link: `bytes` for each of its elements, for all links or each,
        and a header of `head` bytes. Along the same links numbers of elements are the same. Each
        rank posts its receives and sends in the order of the links, and waits for all of them. With
        the order `isend` it posts receives first, with `send` sends are blocking, too. With
        `around`, both go by the distance to the other rank, and sends are blocking.
        """
        if order not in ("list", "isend", "send", "around"):
            return self._wrong(f"order `{order}`", "`list`, `isend`, `send` or `around`")
        tag, of = next(self._tags) % 32768, self.grid((self.ranks,))
        grains = [bytes] * len(links) if isinstance(bytes, (int, float)) else list(bytes)
        first = self._size("messages", head)
        posts = []
        for link, each in zip(links, grains, strict=True):
            grain = self._size("messages", each)
            size: Any = round(link.elements) * grain + first
            if link.spread is not None:
                size = {"mean": link.elements * grain, "spread": link.spread, "probability": 1.0,
                        "grain": grain, "head": first, "stream": link.stream}  # fmt: skip
            posts += [("recv", link.target, link.source, size),
                      ("send", link.source, link.target, size)]  # fmt: skip
        if order == "around":
            posts.sort(key=lambda post: (post[0], (post[2] - post[1]) % self.ranks))
        elif order != "list":
            posts.sort(key=lambda post: post[0])
        for what, own, other, size in posts:
            request = BLOCKING if order in ("send", "around") and what == "send" else OWN
            with self.where(axis=0, at=own, grid=of):
                self._message(what, {"rule": "rank", "rank": other}, size, tag, request)
        self._wait(OWN)
        return None

    def shift(
        self, by: int, bytes: int, axis: int | None = None, grid: Grid | None = None
    ) -> None:
        """Send to the rank at this distance around all ranks, or around an axis of the grid, and
        receive from the other side."""
        of = grid or self.grid_of_ranks
        if axis is not None:
            self._axis(axis, of)

        def partner(step: int) -> dict[str, Any]:
            if axis is None:
                return {"rule": "shift", "by": step}
            steps = [step if k == axis else 0 for k in range(len(of.shape))]
            return self._offset(of, steps, True)

        tag, size = next(self._tags) % 32768, self._size("shift", bytes)
        self._message("recv", partner(-int(by)), size, tag, OWN)
        self._message("send", partner(int(by)), size, tag, OWN)
        self._wait(OWN)

    # Panels of dense linear algebra, along one axis of the grid

    def panel_bcast(
        self, bytes: float, axis: int, root: int = 0, algorithm: str = "1ringM"
    ) -> None:
        """Broadcast a panel along an axis, as HPL does: `1ring`, `1ringM`, `2ring`, `2ringM`,
        `long` or `longM` (HPL_bcast.c). `M` serves the next owner first."""
        size, q = self._size("panel_bcast", bytes), self._axis(axis, self.grid_of_ranks)
        line = Line(self, axis, root % q, q)
        middle = (q + 1) // 2
        match algorithm:
            case _ if q == 1:
                pass
            case "1ring":
                line.chain(0, q - 1, size)
            case "1ringM":
                line.hop(0, 1, size)
                if q > 2:
                    line.hop(0, 2, size)
                    line.chain(2, q - 1, size)
            case "2ring":
                line.chain(0, middle - 1 if q > 2 else 1, size)
                if q > 2:
                    line.hop(0, middle, size)
                    line.chain(middle, q - 1, size)
            case "2ringM":
                line.hop(0, 1, size)
                if q > 2:
                    half = 2 + (q - 1) // 2
                    line.hop(0, 2, size)
                    if half < q:
                        line.hop(0, half, size)
                    line.chain(2, min(half, q) - 1, size)
                    line.chain(half, q - 1, size)
            case "long":
                line.spread(size)
                line.roll(size)
            case "longM":
                line.hop(0, 1, size)
                line.spread(size)
                line.roll(size)
            case _:
                self._wrong(f"panel_bcast: `{algorithm}`", f"one of {', '.join(PANELS)}")

    def swap_rows(self, bytes: float, axis: int, root: int = 0, algorithm: str = "long") -> None:
        """Exchange rows along an axis and spread them: `long` (spread and roll) or `binary`
        (binary exchange), as HPL's `SWAP` (HPL_pdlaswp01T.c, HPL_pdlaswp00T.c)."""
        size, p = self._size("swap_rows", bytes), self._axis(axis, self.grid_of_ranks)
        line = Line(self, axis, root % p, p)
        if algorithm not in ("long", "binary"):
            self._wrong(f"swap_rows: `{algorithm}`", "`long` or `binary`")
        elif p > 1 and algorithm == "long":
            line.spread(size)
            line.roll(size)
        elif p > 1:
            line.exchange(size)

    # One-sided

    def get(self, bytes: int, **more: Any) -> None:
        """`MPI_Get`: see `access`."""
        self.access(0, bytes, **more)

    def put(self, bytes: int, **more: Any) -> None:
        """`MPI_Put`: see `access`."""
        self.access(bytes, 0, **more)

    def accumulate(self, bytes: int, **more: Any) -> None:
        """`MPI_Accumulate`: see `access`."""
        self.access(bytes, 0, atomic=True, **more)

    def access(
        self,
        out: int,
        back: int,
        *,
        count: int = 1,
        to: int | str = "all",
        shift: int | None = None,
        atomic: bool = False,
    ) -> None:
        """`count` accesses to windows of other ranks, which `fence` completes.

        `to` is one rank, or the other ranks in turn: from the next one on (`all`), or from rank 0
        on (`same`), so that all ranks access the same target at a time. `shift` is the distance to
        one rank. `out` bytes go to the target, `back` bytes return.
        """
        wanted = "a number of accesses below 2^32"
        number = int(self._number("access: count", count, 0, 2**32 - 1, wanted))
        if shift is not None:
            targets = {"one": {"rule": "shift", "by": int(shift)}}
        elif to in ("all", "same"):
            targets = "from_next" if to == "all" else "from_first"
        else:
            most = self.ranks - 1
            rank = int(self._number("access: to", to, 0, most, f"a rank from 0 to {most}"))
            targets = {"one": {"rule": "rank", "rank": rank}}
        self._call(
            "access", OVERLAPPED, to=targets, count=number, out=self._size("access", out),
            back=self._size("access", back), atomic=atomic,
        )  # fmt: skip

    def flush(self) -> None:
        """`MPI_Win_flush_all`: own accesses complete."""
        self._call("wait", of=OVERLAPPED)

    def fence(self) -> None:
        """`MPI_Win_fence`: own accesses complete, then a barrier."""
        self.flush()
        self.collective("barrier")

    # Files

    def file(self, per_rank: bool = False, file_system: str = "") -> File:
        """A file that all ranks share, or one per rank, on a file system of the machine (the first
        by default)."""
        if file_system not in self._file_systems:
            self._file_systems.append(str(file_system))
        made = File(self, self._file_systems.index(file_system), self._files, bool(per_rank))
        self._files += self.ranks if per_rank else 1
        return made

    # Collectives

    def collective(
        self,
        kind: str,
        bytes: float | Sequence[float] = 0,
        *,
        axes: int | Sequence[int] | None = None,
        grid: Grid | None = None,
        root: int = 0,
        grain: int = 8,
        spread: Distribution | Sequence[Distribution | None] | None = None,
    ) -> None:
        """A collective call of all ranks, or of those that differ only in the coordinates `axes`.

        `bytes` is the vector (broadcast, reductions, scans) or one rank's block (others). Of
        `alltoallv` it may be a list: the block for the member at each distance, from the rank
        itself on. `spread` varies the blocks of `allgatherv` and its kin, all or each of the list.
        """
        if isinstance(bytes, str):
            return self._wrong(f"{kind}: bytes `{bytes}`", "a number")
        several = [] if isinstance(bytes, (int, float)) else [float(b) for b in bytes]
        if not isinstance(bytes, (int, float)) and not several:
            return self._wrong(f"{kind}: no blocks", "bytes, or a list of bytes")
        mean = float(bytes) if isinstance(bytes, (int, float)) else sum(several) / len(several)
        size = self._size(kind, mean)
        if spread is None or isinstance(spread, dict):
            each, of_all = [spread] * len(several), resolved(spread, mean, int(grain))
        else:
            each, of_all = list(spread), None
        if len(each) != len(several):
            return self._wrong(f"{kind}: {len(each)} spreads", f"{len(several)}, as blocks")
        blocks = [
            {"bytes": self._size(kind, one), "spread": resolved(own, one, int(grain))}
            for one, own in zip(several, each, strict=True)
        ]
        partition, members = None, self.ranks
        if axes is not None:
            of = grid or self.grid_of_ranks
            chosen = [axes] if isinstance(axes, int) else list(axes)
            members = math.prod(self._axis(axis, of) for axis in chosen)
            made = {"grid": of.number, "axes": chosen}
            if made not in self._partitions:
                self._partitions.append(made)
            partition = self._partitions.index(made)
        if not 0 <= root < members:
            return self._wrong(f"{kind}: root {root}", f"a rank from 0 to {members - 1}")
        self._needs_all(kind, axes, grid or self.grid_of_ranks)
        self._call(
            "collective", OVERLAPPED if self._overlap == "cpu" else BLOCKING, kind=kind,
            bytes=size, partition=partition, root=root, grain=int(grain), blocks=blocks,
            spread=of_all, stream=next(self._streams),
        )  # fmt: skip
        return None

    def _needs_all(self, kind: str, axes: int | Sequence[int] | None, of: Grid) -> None:
        """All members of a collective must call it: `where` selects none of them alone."""
        chosen = range(len(of.shape)) if axes is None else [axes] if isinstance(axes, int) else axes
        for one in self._where:
            extent = self._grids[one["grid"]].shape[one["axis"]]
            is_part = one["to"] - one["from"] < extent or one["step"] > 1
            if is_part and (axes is None or (one["grid"] == of.number and one["axis"] in chosen)):
                found = f"{kind} of ranks of which `where` selects some on axis {one['axis']}"
                return self._wrong(found, "all members, or `axes` without this one")
        return None

    def barrier(self, **more: Any) -> None:
        self.collective("barrier", 0, **more)

    def bcast(self, bytes: int, **more: Any) -> None:
        self.collective("bcast", bytes, **more)

    def reduce(self, bytes: int, **more: Any) -> None:
        self.collective("reduce", bytes, **more)

    def allreduce(self, bytes: int, **more: Any) -> None:
        self.collective("allreduce", bytes, **more)

    def allgather(self, bytes: int, **more: Any) -> None:
        self.collective("allgather", bytes, **more)

    def allgatherv(self, bytes: float, **more: Any) -> None:
        self.collective("allgatherv", bytes, **more)

    def alltoall(self, bytes: int, **more: Any) -> None:
        self.collective("alltoall", bytes, **more)

    def alltoallv(self, bytes: float | Sequence[float], **more: Any) -> None:
        self.collective("alltoallv", bytes, **more)

    # The program

    def _call(self, what: str, request: int = BLOCKING, **fields: Any) -> None:
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise ModelStopped(f"more than {MOST_CALLS:,} calls: use `a.loop` for repeated ones")
        if self._calls % 1024 == 0 and time.monotonic() > self._deadline:
            raise ModelStopped(f"the function runs for more than {MOST_SECONDS:.0f} s")
        node = {"do": "call", "call": what, "phase": self._phase, "request": request, **fields}
        if self._where:
            node["where"] = [dict(one) for one in self._where]
        self._body.append(node)

    @contextmanager
    def _nested(self, node: dict[str, Any]) -> Iterator[None]:
        self._depth += 1
        outer, self._body = self._body, []
        try:
            yield
        finally:
            inner, self._body = self._body, outer
            self._depth -= 1
        if inner:
            self._body.append({**node, "body": inner})

    def program(self) -> dict[str, Any]:
        """The phase program; `InputError` with all problems of the model's calls."""
        self.wrong.raise_any()
        return {
            "ranks": self.ranks,
            "grids": [
                {"shape": list(g.shape), "first_fastest": g.first_fastest} for g in self._grids
            ],
            "partitions": self._partitions,
            "file_systems": self._file_systems,
            "phases": self._phases,
            "body": self._body,
        }

    # Checks

    def _place(self) -> str:
        """The line of the model that makes the current call."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return f"{self._file}:{frame.f_lineno}"
            frame = frame.f_back  # type: ignore[assignment]
        return self._file

    def _wrong(self, found: Any, wanted: str) -> None:
        if len(self.wrong.list) < 40:
            self.wrong.add(self._place(), found, wanted)

    def _number(self, what: str, value: Any, low: float, high: float, wanted: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not low <= number <= high:
            self._wrong(f"{what} {value}", wanted)
            return low
        return number

    def _size(self, what: str, value: Any) -> int:
        """Whole bytes of a message."""
        number = self._number(what, value, 0, MOST_BYTES, f"bytes from 0 to {MOST_BYTES}")
        return round(number)

    def _axis(self, axis: Any, of: Grid) -> int:
        """The extent of an axis."""
        if isinstance(axis, int) and 0 <= axis < len(of.shape):
            return of.shape[axis]
        self._wrong(f"axis {axis}", f"an axis of a grid of {len(of.shape)}")
        return 1


@dataclass(frozen=True)
class Link:
    """A message from a rank to another, and its mean number of elements."""

    source: int
    target: int
    elements: float
    spread: Distribution | None
    stream: int


@dataclass
class File:
    """A file of a model; its calls block."""

    a: Phases
    file_system: int
    number: int
    per_rank: bool

    def create(self) -> None:
        """Create and open it for writing."""
        self._call("create")

    def open(self) -> None:
        """Open an existing file for reading."""
        self._call("open")

    def write(
        self, bytes: float, transfer: float = 0, offset: float = 0, direct: bool = False
    ) -> None:
        """Each rank writes `bytes`, in transfers of `transfer` bytes. In a shared file the ranks'
        parts follow each other from `offset` on."""
        self._move("write", bytes, transfer, offset, direct)

    def read(
        self, bytes: float, transfer: float = 0, offset: float = 0, direct: bool = False
    ) -> None:
        """The same for reading."""
        self._move("read", bytes, transfer, offset, direct)

    def sync(self) -> None:
        """`fsync`."""
        self._call("sync")

    def close(self) -> None:
        self._call("close")

    def _move(
        self, step: str, bytes: float, transfer: float, offset: float, direct: bool
    ) -> None:
        size = self.a._size(step, bytes)
        each = self.a._size(step, transfer) or size
        if not each:
            return
        start = self.a._size(step, offset)
        self._call(step, bytes=each, count=-(-size // each), offset=start, direct=bool(direct))

    def _call(self, step: str, **more: Any) -> None:
        self.a._call(
            "file", step=step, file_system=self.file_system, file=self.number,
            per_rank=self.per_rank, **more,
        )  # fmt: skip


@dataclass
class Line:
    """The ranks along one axis of the grid, counted from a root around the axis."""

    a: Phases
    axis: int
    root: int
    extent: int

    def hop(self, start: int, end: int, size: int) -> None:
        """A message from one rank to another."""
        self.step(size, end - start, start, start + 1)

    def chain(self, first: int, last: int, size: int) -> None:
        """From `first` to `last`, each to the next after it has received."""
        if first < last:
            self.step(size, 1, first, last)

    def step(self, size: int, by: int, first: int, end: int, every: int = 1) -> None:
        """From each of these ranks to that at the distance `by`; receives come first."""
        tag = next(self.a._tags) % 32768
        with self.a.where(self.axis, first=first + by, end=end + by, step=every, root=self.root):
            self.a._message("recv", self.neighbor(-by), size, tag, BLOCKING)
        with self.a.where(self.axis, first=first, end=end, step=every, root=self.root):
            self.a._message("send", self.neighbor(by), size, tag, BLOCKING)

    def neighbor(self, by: int) -> dict[str, Any]:
        of = self.a.grid_of_ranks
        direction = [by if axis == self.axis else 0 for axis in range(len(of.shape))]
        return self.a._offset(of, direction, True)

    def spread(self, size: int) -> None:
        """Scatter equal pieces from the root along a binomial tree."""
        piece, width = size // self.extent, 1
        while 2 * width < self.extent:
            width *= 2
        while width >= 1:
            full = range(width, self.extent - width + 1, 2 * width)
            if full:
                self.step(piece * width, width, 0, full[-1] - width + 1, 2 * width)
            last = (full[-1] + 2 * width) if full else width
            if last < self.extent:
                self.hop(last - width, last, piece * (self.extent - last))
            width //= 2

    def roll(self, size: int) -> None:
        """Pass pieces around the ring until each rank has all."""
        piece = size // self.extent
        with self.a.loop(self.extent - 1):
            tag = next(self.a._tags) % 32768
            self.a._message("recv", self.neighbor(-1), piece, tag, OWN)
            self.a._message("send", self.neighbor(1), piece, tag, OWN)
            self.a._wait(OWN)

    def exchange(self, size: int) -> None:
        """Binary exchange; ranks beyond a power of two join before and after it."""
        power = 1 << (self.extent.bit_length() - 1)
        beyond = self.extent - power
        if beyond:
            self.step(size, -power, power, self.extent)
        mask = 1
        while mask < power:
            tag = next(self.a._tags) % 32768
            partner = {"rule": "axis_xor", "grid": self.a.grid_of_ranks.number, "axis": self.axis,
                       "root": self.root, "by": mask}  # fmt: skip
            with self.a.where(self.axis, first=0, end=power, root=self.root):
                self.a._message("recv", partner, size, tag, OWN)
                self.a._message("send", partner, size, tag, OWN)
            self.a._wait(OWN)
            mask *= 2
        if beyond:
            self.step(size, power, 0, beyond)


def input_error(at: str, found: Any, wanted: str) -> InputError:
    """One problem of a model."""
    wrong = Diagnostics()
    wrong.add(at, found, wanted)
    return InputError(wrong.list)
