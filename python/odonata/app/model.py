"""A model: its function, its options, and its figure of merit."""

from __future__ import annotations

import inspect
import linecache
import numbers
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..errors import Diagnostics, InputError
from ..machines import Machine
from ..units import Unreadable, read_bytes
from . import phases as limits
from . import shapes
from .phases import ModelStopped, Phases, input_error

# Attributes of `Phases` that the model's function reads.
RESERVED = {"ranks", "nodes", "ppn", "shape", "box", "seed", "grid_of_ranks", "wrong"}


@dataclass
class App:
    """An application model.

    `function` gets `Phases` and makes its calls. `grid` is the number of axes of the process grid,
    or a function from the number of ranks to the shape. `options` are the parameters with their
    defaults. `box` has the cells of one rank along each axis: names of options, or numbers. With
    strong scaling, the box of the first number of nodes is divided among more ranks.

    `ppn` is the default number of ranks per node. Without it there are `ranks_per_unit` on each
    computing unit of the machine (`[node.device]`), or on each NIC if the machine has no rates.

    `merit` computes the figure of merit, in `unit`, from `Phases` and the time in seconds. `native`
    has the lines of the application's own output for these and the run: its phases, and `steps` of
    the loop that `Phases.sampled` makes. `choices` are the values of options that select an
    algorithm; `--advise` tries them. `uncertainty` is that of computations whose time the function
    states, relative.
    """

    function: Callable[[Phases], None]
    grid: int | Callable[[int], Sequence[int]] = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    box: Sequence[str | float] = ()
    ppn: int | None = None
    ranks_per_unit: int = 1
    first_fastest: bool = False
    merit: Callable[[Phases, float], float] | None = None
    unit: str = ""
    title: str = ""
    is_checked: bool = False
    uncertainty: float = 0.0
    native: Callable[[Phases, float, Mapping[str, Any]], list[str]] | None = None
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    file: str = field(init=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"App({self.function!r}): the first argument must be a function")
        try:
            self.file = inspect.getsourcefile(self.function) or "<model>"
        except TypeError:  # built in
            self.file = "<model>"
        if not (callable(self.grid) or isinstance(self.grid, int)):
            raise TypeError(f"grid={self.grid!r}: a number of axes or a function")
        for name in self.options:
            if hasattr(Phases, name) or name in RESERVED:
                raise ValueError(f"option `{name}` is the name of a call or attribute of `Phases`")
        names = [name for name in self.box if isinstance(name, str)]
        for name in (*names, *self.choices):
            if name not in self.options:
                raise ValueError(f"`{name}` is not among the options")
        for name in names:
            if not isinstance(self.options[name], (int, float)):
                raise TypeError(f"option `{name}` of the box must be a number")

    def ranks_per_node(self, machine: Machine) -> int:
        """The default on this machine."""
        if self.ppn is not None:
            return self.ppn
        summary = machine.summary
        units = summary["units_per_node"] or summary["nics_per_node"]
        return max(units, 1) * self.ranks_per_unit

    def shape(self, ranks: int) -> tuple[int, ...]:
        """The shape of the process grid."""
        return shapes.balanced(ranks, self.grid) if isinstance(self.grid, int) \
            else tuple(self.grid(ranks))  # fmt: skip

    def values(self, wrong: Diagnostics, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options with values of the user, which have the types of the defaults."""
        found = dict(self.options)
        for name, value in given.items():
            if name not in self.options:
                legal = ", ".join(self.options) or "none: this model has no options"
                wrong.unknown_key("problem", name, f"an option of the model: {legal}", name,
                                  self.options)  # fmt: skip
                continue
            found[name] = self._value(wrong, name, value)
        return found

    def _value(self, wrong: Diagnostics, name: str, value: Any) -> Any:
        default = self.options[name]
        try:
            match default:
                case bool():
                    words = {"true": True, "yes": True, "1": True}
                    words |= {"false": False, "no": False, "0": False}
                    return value if isinstance(value, bool) else words[str(value).lower()]
                case int():
                    return value if isinstance(value, int) else read_bytes(str(value))
                case float():
                    return float(value)
                case _:
                    return str(value)
        except (ValueError, KeyError, Unreadable, TypeError):
            wrong.add(f"problem, {name}", value, f"a value like {default!r}")
            return default

    def local(self, values: Mapping[str, Any], ranks: int, first: int | None) -> list[float]:
        """Cells of one rank; with strong scaling those of `first` ranks are divided."""
        box = [float(values[n]) if isinstance(n, str) else float(n) for n in self.box]
        if first is None or first == ranks:
            return box
        before, after = self.shape(first), self.shape(ranks)
        return [cells * a / b for cells, a, b in zip(box, before, after, strict=True)]

    def phases(
        self,
        nodes: int,
        ppn: int,
        values: Mapping[str, Any],
        first_ranks: int | None = None,
        seed: int = 1,
    ) -> Phases:
        """Run the function for this number of nodes. `InputError` has the line of each problem."""
        try:
            box = self.local(values, nodes * ppn, first_ranks)
            phases = Phases(
                self.file, nodes, ppn, self.shape, self.first_fastest, values, box, seed
            )
            with limited():
                self.function(phases)
        except ModelStopped as stopped:
            wrong = phases.wrong
            wrong.add(self._line(sys.exc_info()[2]), str(stopped), "a model that ends")
            raise InputError(wrong.list) from None
        except (Exception, SystemExit) as error:
            raise self.error_in(error) from error
        phases.wrong.raise_any()
        return phases

    def merit_of(self, phases: Phases, seconds: float) -> float:
        """The figure of merit, or 1 / s without a function for it; `InputError` with the line."""
        if self.merit is None:
            return 1 / seconds
        with self.guarded():
            value = self.merit(phases, seconds)
        # NumPy's scalars are real numbers, too.
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not value > 0:
            at = f"{self.file}:{self.merit.__code__.co_firstlineno}" \
                if hasattr(self.merit, "__code__") else "model: merit"  # fmt: skip
            raise input_error(at, f"merit {value!r}", "a figure of merit above 0")
        return float(value)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Errors of the model's functions become an `InputError` with file and line."""
        try:
            yield
        except (Exception, SystemExit) as error:
            raise self.error_in(error) from error

    def error_in(self, error: BaseException) -> InputError:
        """An error in a function of the model, with its file and line."""
        if isinstance(error, InputError):
            return error
        at = self._line(error.__traceback__)
        found = f"{type(error).__name__}: {error}"
        return input_error(at, found, f"no error in the model: `{source(at)}`")

    def _line(self, trace: Any) -> str:
        """The last line of the model in a traceback."""
        lines = [(f.filename, f.lineno) for f in traceback.extract_tb(trace)]
        own = [line for line in lines if line[0] == self.file] or lines
        return f"{own[-1][0]}:{own[-1][1]}"


@contextmanager
def limited() -> Iterator[None]:
    """Stop a function that takes longer than `MOST_SECONDS` of wall time, even without calls.

    Only the main thread can be interrupted; elsewhere `Phases` checks the time at its calls.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: Any) -> None:
        raise ModelStopped(f"the function runs for more than {limits.MOST_SECONDS:.0f} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limits.MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def source(at: str) -> str:
    """The text of a line, as `FILE:LINE`."""
    file, _, line = at.rpartition(":")
    return linecache.getline(file, int(line)).strip() if line.isdigit() else ""
