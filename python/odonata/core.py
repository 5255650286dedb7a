"""The API of the Rust core: `enter` runs a request, handles Ctrl-C and translates errors.

Requests and answers are JSON; `_core.pyi` declares the functions. No other module imports `_core`.
"""

from __future__ import annotations

import json
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import InputError, NoRoom, diagnostics_from_json

Tick = Callable[[dict[str, Any]], None]


# The place of a diagnostic that concerns this computer and not the input.
OF_COMPUTER = "limits of this process"
_SURROGATES = re.compile("[\ud800-\udfff]")


def word(text: str) -> str:
    """Encode a string of the operating system, which need not be Unicode, for a request: each byte
    becomes the character of that number."""
    return os.fsencode(text).decode("latin-1")


def unword(text: str) -> str:
    """Decode a string that an answer has in that form."""
    return os.fsdecode(text.encode("latin-1"))


def plain(value: Any) -> Any:
    """A request in which surrogates are replaced. Where they matter, a diagnostic reports them."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATES.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {plain(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def core() -> Any:
    """The compiled module; imported late, because `odonata --help` does not need it."""
    try:
        from . import _core
    except ImportError as error:
        message = str(error).lower()  # the loader may also lack room for a library's TLS
        if "cannot allocate memory" in message and "static tls" not in message:
            raise MemoryError(str(error)) from None
        raise ImportError(
            f"odonata's compiled core does not load ({error}); build it with `make demo` or "
            "`maturin develop --release`"
        ) from error
    return _core


@dataclass
class Stop:
    """Whether a signal has requested that the run stops, and which."""

    signal: int | None = None
    _before: dict[int, Any] = field(default_factory=dict)

    def __enter__(self) -> Stop:
        # Signals can only be caught in the main thread; other threads are stopped by their owner.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._caught)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _caught(self, number: int, _frame: object) -> None:
        self.signal = number


class DryRunEnded(Exception):
    """A request was complete and was inspected instead of run."""


Inspect = Callable[[str, dict[str, Any]], None]
_INSPECT: ContextVar[Inspect | None] = ContextVar("inspect", default=None)


@contextmanager
def dry_run(inspect: Inspect) -> Iterator[None]:
    """Inside, `enter` only passes the request to `inspect` and raises `DryRunEnded`."""
    before = _INSPECT.set(inspect)
    try:
        yield
    finally:
        _INSPECT.reset(before)


def enter(
    function: str,
    request: dict[str, Any],
    tick: Tick | None = None,
    stop: Stop | None = None,
    data: Any = None,
) -> Any:
    """Call the core's long-running `function`, with `data` if it takes any, and return its answer.

    Ctrl-C ends the run within a second. If the caller passes `stop`, the answer is the result so
    far and `stop.signal` is set. Without it, `KeyboardInterrupt` is raised.
    """
    if inspect := _INSPECT.get():
        inspect(function, request)
        raise DryRunEnded
    module = core()
    own = Stop()
    stopper = stop or own

    def on_tick(text: str) -> bool:
        if tick is not None and stopper.signal is None:
            tick(json.loads(text))
        return stopper.signal is None

    try:
        with stopper:
            given = () if data is None else (data,)
            answer = getattr(module, function)(json.dumps(plain(request)), *given, on_tick)
    except module.InputError as error:
        if stopper.signal is not None:  # stopped before there was anything to write
            raise KeyboardInterrupt from None
        found = diagnostics_from_json(str(error))
        if len(found) == 1 and found[0].at == OF_COMPUTER:
            raise NoRoom(found[0].wanted) from None
        raise InputError(found) from None
    if stop is None and own.signal is not None:
        raise KeyboardInterrupt
    if isinstance(answer, tuple):  # binary columns are the second part
        return json.loads(answer[0]), dict(answer[1])
    return json.loads(answer)


def check_record(header: dict[str, Any], columns: dict[str, bytes]) -> None:
    """Raise `InputError` with all problems of a record's rows."""
    module = core()
    try:
        module.check_record(json.dumps(header), columns)
    except module.InputError as error:
        raise InputError(diagnostics_from_json(str(error))) from None


def query(function: str, *arguments: Any) -> Any:
    """Call one of the core's quick functions and return its answer."""
    module = core()
    arguments = tuple(json.dumps(plain(a)) if isinstance(a, dict) else plain(a) for a in arguments)
    try:
        return getattr(module, function)(*arguments)
    except module.InputError as error:
        raise InputError(diagnostics_from_json(str(error))) from None


def timeline_tables(source: Path) -> dict[str, Any]:
    """The tables of the report, from the records of a timeline, and `time_s`; `OSError` if they are
    damaged."""
    found: dict[str, Any] = json.loads(core().timeline_tables(os.fspath(source)))
    return found


def write_perfetto(source: Path, target: Path) -> None:
    """Convert the records of a timeline for Perfetto."""
    core().write_perfetto(os.fspath(source), os.fspath(target))


class ControlPlane:
    """The control plane of a fabric manager, in simulated time.

    Its state is a function of the request and of the requests that `apply` got, with their times.
    Its methods may be called from any thread.
    """

    def __init__(self, request: dict[str, Any], _snapshot: bytes | None = None) -> None:
        module = core()
        try:
            if _snapshot is None:
                self._plane = module.ControlPlane(json.dumps(plain(request)))
            else:
                self._plane = module.ControlPlane.restore(_snapshot)
        except module.InputError as error:
            raise InputError(diagnostics_from_json(str(error))) from None

    @classmethod
    def restore(cls, snapshot: bytes) -> ControlPlane:
        """The control plane of a snapshot."""
        return cls({}, _snapshot=snapshot)

    @property
    def now_s(self) -> float:
        """Simulated seconds."""
        return float(self._plane.now_s)

    @property
    def end_s(self) -> float:
        """The end of simulated time: `advance` goes no further."""
        return float(self._plane.END_S)

    def apply(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a REST request: `method`, `path`, `query`, `body`, `owner`. The answer has
        `status` and `body`."""
        return json.loads(self._plane.apply(json.dumps(plain(request))))

    def advance(self, to_s: float) -> None:
        """Run sweeps, links and faults up to a time."""
        self._plane.advance(to_s)

    def events(self, since: int, limit: int) -> dict[str, Any]:
        """Telemetry events from number `since` on, at most `limit`, and the number of the next."""
        return json.loads(self._plane.events(since, limit))

    def metrics(self, query: str) -> dict[str, Any]:
        """A query of metrics: the part of its address after `?`."""
        return json.loads(self._plane.metrics(query))

    def status(self) -> dict[str, Any]:
        """The counts of `fmn-show-status`."""
        return json.loads(self._plane.status())

    def layout(self) -> dict[str, Any]:
        """Arrays of groups, switches and links, for pages that draw them."""
        return json.loads(self._plane.layout())

    def fabric_state(self, targets: list[str]) -> dict[str, Any]:
        """The state as fault schedules (`toml` of faults from the start, `dynamicToml`) and keys of
        the machine file (`set`), with the components of these xnames down in addition."""
        try:
            return json.loads(self._plane.fabric_state(json.dumps(targets)))
        except core().InputError as error:
            raise InputError(diagnostics_from_json(str(error))) from None

    def cabling(self, file: str) -> str:
        """A file of the cabling: `point-to-point` (CSV), `fabric-template` (JSON) or `arp`."""
        return str(self._plane.cabling(file))

    def compare_cabling(self, text: str) -> dict[str, list[str]]:
        """How a point-to-point file differs from the machine: `missing`, `extra` and `changed`
        links."""
        try:
            return json.loads(self._plane.compare_cabling(text))
        except core().InputError as error:
            raise InputError(diagnostics_from_json(str(error))) from None

    def layout_text(self) -> str:
        """The same as JSON, for answers that pass it on."""
        return str(self._plane.layout())

    def digest(self) -> str:
        """A hash of all changes of state."""
        return str(self._plane.digest())

    def snapshot(self) -> bytes:
        """What `restore` needs to repeat the state."""
        return bytes(self._plane.snapshot())
