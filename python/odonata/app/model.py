"""A model: its function, its options, and its figure of merit."""

from __future__ import annotations

import inspect
import linecache
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..errors import Diagnostics, InputError
from ..units import Unreadable, read_bytes
from . import phases as limits
from . import shapes
from .phases import ModelStopped, Phases, input_error


@dataclass
class App:
    """An application model.

    `function` gets `Phases` and makes its calls. `grid` is the number of axes of the process grid,
    or a function from the number of ranks to the shape. `options` are the parameters with their
    defaults. `box` has the cells of one rank along each axis: names of options, or numbers. With
    strong scaling, the box of the first number of nodes is divided among more ranks.

    `merit` computes the figure of merit, in `unit`, from `Phases` and the time in seconds. `native`
    has the lines of the application's own output for these and the run: its phases, and `steps` of
    the loop that `Phases.sampled` makes. `choices` are the values of options that select an
    algorithm; `--advise` tries them.
    """

    function: Callable[[Phases], None]
    grid: int | Callable[[int], Sequence[int]] = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    box: Sequence[str | float] = ()
    ppn: int = 12
    first_fastest: bool = False
    merit: Callable[[Phases, float], float] | None = None
    unit: str = ""
    title: str = ""
    is_checked: bool = False
    native: Callable[[Phases, float, Mapping[str, Any]], list[str]] | None = None
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    file: str = field(init=False)

    def __post_init__(self) -> None:
        self.file = inspect.getsourcefile(self.function) or "<model>"

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
        except InputError:
            raise
        except ModelStopped as stopped:
            wrong = phases.wrong
            wrong.add(self._line(sys.exc_info()[2]), str(stopped), "a model that ends")
            raise InputError(wrong.list) from None
        except Exception as error:
            at = self._line(sys.exc_info()[2])
            found = f"{type(error).__name__}: {error}"
            raise input_error(at, found, f"no error in the model: `{source(at)}`") from error
        phases.wrong.raise_any()
        return phases

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
