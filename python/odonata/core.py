"""The one way into the Rust core: `enter` asks, listens for Ctrl-C, and translates errors.

Requests and answers are JSON; the contract is `_core.pyi`. Nothing else imports `_core`.
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
from typing import Any

from .errors import InputError, NoRoom, diagnostics_from_json

Tick = Callable[[dict[str, Any]], None]


# Where a complaint is of this computer, and not of the input.
OF_COMPUTER = "limits of this process"
_SURROGATES = re.compile("[\ud800-\udfff]")


def word(text: str) -> str:
    """How a request carries a word of the operating system's, which need not be Unicode: each byte
    as the character of that number."""
    return os.fsencode(text).decode("latin-1")


def unword(text: str) -> str:
    """The word that an answer carries so."""
    return os.fsdecode(text.encode("latin-1"))


def plain(value: Any) -> Any:
    """A request without what is not Unicode: such letters are replaced, and complained of where
    they matter."""
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
        said = str(error).lower()  # by the loader, which may also lack room for a library's TLS
        if "cannot allocate memory" in said and "static tls" not in said:
            raise MemoryError(str(error)) from None
        raise ImportError(
            f"odonata's compiled core does not load ({error}); build it with `make demo` or "
            "`maturin develop --release`"
        ) from error
    return _core


@dataclass
class Stop:
    """Whether somebody asked the run to stop, and by which signal."""

    signal: int | None = None
    _before: dict[int, Any] = field(default_factory=dict)

    def __enter__(self) -> Stop:
        # Signals can only be caught in the main thread; elsewhere its owner decides when to stop.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _heard(self, number: int, _frame: object) -> None:
        self.signal = number


class Looked(Exception):
    """A request was complete, and looked at instead of run."""


Look = Callable[[str, dict[str, Any]], None]
_LOOK: ContextVar[Look | None] = ContextVar("look", default=None)


@contextmanager
def looking(look: Look) -> Iterator[None]:
    """Inside, `enter` only gives a request to `look` and raises `Looked`."""
    before = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(before)


def enter(
    function: str,
    request: dict[str, Any],
    tick: Tick | None = None,
    stop: Stop | None = None,
    data: Any = None,
) -> Any:
    """Ask the core's long-running `function`, with `data` if it takes any; its answer.

    Ctrl-C ends the run within a second. With a `stop` of the caller's the answer is what was
    there by then and `stop.signal` says so; without one, `KeyboardInterrupt` is raised.
    """
    if look := _LOOK.get():
        look(function, request)
        raise Looked
    module = core()
    own = Stop()
    heard = stop or own

    def on_tick(text: str) -> bool:
        if tick is not None and heard.signal is None:
            tick(json.loads(text))
        return heard.signal is None

    try:
        with heard:
            given = () if data is None else (data,)
            answer = getattr(module, function)(json.dumps(plain(request)), *given, on_tick)
    except module.InputError as error:
        if heard.signal is not None:  # stopped before there was anything to write
            raise KeyboardInterrupt from None
        found = diagnostics_from_json(str(error))
        if len(found) == 1 and found[0].at == OF_COMPUTER:
            raise NoRoom(found[0].wanted) from None
        raise InputError(found) from None
    if stop is None and own.signal is not None:
        raise KeyboardInterrupt
    if isinstance(answer, tuple):  # what is not JSON comes beside it
        return json.loads(answer[0]), dict(answer[1])
    return json.loads(answer)


def check_record(header: dict[str, Any], columns: dict[str, bytes]) -> None:
    """`InputError` of all that is wrong with the rows of a record."""
    module = core()
    try:
        module.check_record(json.dumps(header), columns)
    except module.InputError as error:
        raise InputError(diagnostics_from_json(str(error))) from None


def ask(function: str, *arguments: Any) -> Any:
    """Ask one of the core's quick questions; its answer, read if it is JSON."""
    module = core()
    arguments = tuple(json.dumps(plain(a)) if isinstance(a, dict) else plain(a) for a in arguments)
    try:
        return getattr(module, function)(*arguments)
    except module.InputError as error:
        raise InputError(diagnostics_from_json(str(error))) from None
