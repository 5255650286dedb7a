"""The calls of an application model. They become a phase program, which the core expands."""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
        self._phases = ["main"]
        self._phase = 0
        self._where: list[dict[str, int]] = []
        self._body: list[dict[str, Any]] = []
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
        if name not in self._phases:
            self._phases.append(str(name))
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

    def sampled(self, values: Sequence[Any], about: int = 30) -> Iterator[Any]:
        """Iterate over a sample of `values`, for loops whose iterations change gradually.

        The time of the others is interpolated linearly; the error is stated.
        """
        values = list(values)
        at = shapes.sample(len(values), max(int(about), 3))
        fine = shapes.weights(at, len(values)) if at else []
        half = sorted({*range(0, len(at), 2), len(at) - 1} if at else ())
        coarse = dict(zip(half, shapes.weights([at[k] for k in half], len(values)), strict=True)) \
            if at else {}  # fmt: skip
        is_sample = len(at) < len(values)
        for nth, position in enumerate(at):
            node: dict[str, Any] = {"do": "loop", "count": 1.0}
            if is_sample:
                node |= {"count": fine[nth], "coarse": coarse.get(nth, 0.0), "is_sample": True}
            with self._nested(node):
                yield values[position]

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

    # Computation

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
        imbalance: Distribution | None = None,
        noise: Distribution | None = None,
    ) -> None:
        """Computation of each rank, from the rates of its device, or `seconds`.

        `bytes` move between the device and its memory, `link_bytes` between host and GPU. `size`
        is the order of a matrix or the number of points, on which the efficiency of a kernel
        depends. `imbalance` is a factor per rank, `noise` one per call.
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
        offloads = self._overlap == "device"
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
        self, neighbors: Sequence[tuple[dict[str, Any], Any]], *, order: str = "isend"
    ) -> None:
        """Send to each of these partners and receive as much from it, in one order for all."""
        if order not in ("isend", "send"):
            return self._wrong(f"order `{order}`", "`isend` or `send`")
        tag = next(self._tags) % 32768
        for partner, size in neighbors:
            self._message("recv", partner, size, tag, OWN)
        for partner, size in neighbors:
            self._message("send", partner, size, tag, OWN if order == "isend" else BLOCKING)
        self._wait(OWN)
        return None

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

    # Collectives

    def collective(
        self,
        kind: str,
        bytes: int = 0,
        *,
        axes: int | Sequence[int] | None = None,
        grid: Grid | None = None,
        root: int = 0,
        grain: int = 8,
        spread: Distribution | None = None,
    ) -> None:
        """A collective call of all ranks, or of those that differ only in the coordinates `axes`.

        `bytes` is the vector (broadcast, reductions, scans) or one rank's block (others). `spread`
        varies the blocks of `allgatherv` and its kin.
        """
        size = self._size(kind, bytes)
        partition, members = None, self.ranks
        if axes is not None:
            of = grid or self.grid_of_ranks
            several = [axes] if isinstance(axes, int) else list(axes)
            members = math.prod(self._axis(axis, of) for axis in several)
            made = {"grid": of.number, "axes": several}
            if made not in self._partitions:
                self._partitions.append(made)
            partition = self._partitions.index(made)
        if not 0 <= root < members:
            return self._wrong(f"{kind}: root {root}", f"a rank from 0 to {members - 1}")
        self._call(
            "collective", OVERLAPPED if self._overlap == "cpu" else BLOCKING, kind=kind,
            bytes=size, partition=partition, root=root, grain=int(grain), spread=spread,
            stream=next(self._streams),
        )  # fmt: skip
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

    def allgatherv(self, bytes: int, **more: Any) -> None:
        self.collective("allgatherv", bytes, **more)

    def alltoall(self, bytes: int, **more: Any) -> None:
        self.collective("alltoall", bytes, **more)

    def alltoallv(self, bytes: int, **more: Any) -> None:
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


def input_error(at: str, found: Any, wanted: str) -> InputError:
    """One problem of a model."""
    wrong = Diagnostics()
    wrong.add(at, found, wanted)
    return InputError(wrong.list)
