"""The control plane with a clock and a log.

One thread owns the control plane and the store. Writes that wait at the same time share one commit
(group commit). A write is applied, logged and then acknowledged; if the log fails, the control
plane is rebuilt from the log, so that the state never contains a request without its entry.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from .. import core
from ..version import version
from .store import Store, StoreError

T = TypeVar("T")
READS = frozenset({"GET", "HEAD"})
# Requests that share one commit.
BATCH = 256
# Simulated time that is reserved on disk beyond the present, in wall seconds times the speed. After
# a crash the clock continues at the end of the reservation: no client sees it go back.
RESERVE_WALL_S = 2.0
# Simulated seconds per call of `advance`, so that requests wait only briefly.
STEP_S = 30.0
# Wall seconds of simulated time that a clock behind its speed catches up; more is skipped.
CATCH_UP_WALL_S = 10.0


@dataclass(frozen=True)
class Answer:
    """Status and document of a request."""

    status: int
    body: Any


def encoded(request: dict[str, Any]) -> str:
    """A request as JSON. Half of a surrogate pair is no character: it is replaced."""
    return json.dumps(core.plain(request), sort_keys=True)


def check_fabric(store: Store, request: dict[str, Any]) -> None:
    """Refuse the file of another fabric."""
    stored = store.fact("fabric")
    if stored is not None and stored != request:
        raise StoreError(f"`{store.path}` has a fabric of another machine, seed or start")


class Plane:
    """A control plane, its simulated clock and its log."""

    def __init__(self, store: Store, request: dict[str, Any], speed: float | None = None) -> None:
        self.store = store
        check_fabric(store, request)
        if store.fact("fabric") is None:
            first = 1.0 if speed is None else speed
            facts = {"fabric": request, "clock_s": 0.0, "speed": first, "version": version()}
            store.set_facts(facts)
        elif speed is not None:
            store.set_facts({"speed": speed})
        self.request = request
        self.speed: float = store.fact("speed")
        self.reserved_s: float = store.fact("clock_s")
        self.applied = 0
        self.core: Any = None
        self.is_rebuilt = False  # the core has the state of the log
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="control-plane")
        self._writes: SimpleQueue[tuple[dict[str, Any], Future[Answer]]] = SimpleQueue()
        self._lock = threading.Lock()  # serializes clock changes of the service
        self.rebuild()
        self.catch_up_clock()
        self._ticked = time.monotonic()
        self.owed_s = 0.0  # simulated time that the clock is behind its speed

    # Recovery.

    def rebuild(self) -> None:
        """Start from the log."""
        self.is_rebuilt = False
        self.core = core.ControlPlane(self.request)
        self.applied = 0
        self.follow()
        self.is_rebuilt = True

    def follow(self) -> int:
        """Apply the entries of the log that are new. Returns their number."""
        before = self.applied
        checkpoint = self.store.fact("checkpoint")
        for n, at_s, text in self.store.entries(self.applied):
            self._compare(checkpoint)
            if at_s > self.core.now_s:
                self.core.advance(at_s)
            answer = self.core.apply(json.loads(text))
            if answer["status"] >= 400:
                why = answer["body"].get("message")
                raise StoreError(f"{self._origin()} has acknowledged request {n}, and odonata "
                                 f"{version()} refuses it: {why}")  # fmt: skip
            self.applied = n
        self._compare(checkpoint)
        return self.applied - before

    def _compare(self, checkpoint: dict[str, Any] | None) -> None:
        """Refuse a log that gives another state than it gave to the process that ended last."""
        if checkpoint is None or checkpoint["requests"] != self.applied:
            return
        self.core.advance(checkpoint["now_s"])
        if self.core.digest() != checkpoint["digest"]:
            raise StoreError(f"{self._origin()} has reached another state with the same requests "
                             f"than odonata {version()}")  # fmt: skip

    def _origin(self) -> str:
        """The version that has used the file last."""
        return f"odonata {self.store.fact('version') or 'of an earlier version'}"

    def catch_up_clock(self) -> None:
        """Move to the end of the time that an earlier process may have shown."""
        self.reserved_s = self.store.fact("clock_s")
        if self.reserved_s > self.core.now_s:
            self.core.advance(self.reserved_s)

    # Requests, from any thread.

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Run a function in the thread that owns the control plane."""
        return self._worker.submit(function, *arguments)

    def read(self, request: dict[str, Any]) -> Future[Answer]:
        """The answer to a request that changes nothing."""
        return self.submit(self._apply, request)

    def write(self, request: dict[str, Any]) -> Future[Answer]:
        """The answer to a request that may change the state, once its entry is on disk."""
        answer: Future[Answer] = Future()
        self._writes.put((request, answer))
        self._worker.submit(self._commit)
        return answer

    def _apply(self, request: dict[str, Any]) -> Answer:
        if not self.is_rebuilt:
            raise StoreError(f"`{self.store.path}` could not be read again")
        found = self.core.apply(request)
        return Answer(found["status"], found.get("body"))

    def _commit(self) -> None:
        """Apply the waiting writes, log them and acknowledge them."""
        waiting: list[tuple[dict[str, Any], Future[Answer]]] = []
        while len(waiting) < BATCH:
            try:
                waiting.append(self._writes.get_nowait())
            except Empty:
                break
        entries: list[tuple[float, str]] = []
        answers: list[tuple[Future[Answer], Answer]] = []
        for request, future in waiting:
            text = encoded(request)
            try:
                answer = self._apply(json.loads(text))  # as a replay reads it
            except BaseException as error:  # a panic of the core is not an Exception
                future.set_exception(error)
                continue
            if answer.status < 400:
                entries.append((self.core.now_s, text))
            answers.append((future, answer))
        try:
            self._log(entries)
        except sqlite3.Error as error:
            for future, _ in answers:
                future.set_exception(error)
            self.rebuild()
            self.catch_up_clock()
            return
        for future, answer in answers:
            future.set_result(answer)

    def _log(self, entries: Sequence[tuple[float, str]]) -> None:
        if entries:
            self.store.append(entries)
            self.applied += len(entries)

    # The clock, in the owning thread.

    def tick(self) -> float:
        """Follow the wall clock by the speed, at most one step. Returns the time still owed."""
        if not self.is_rebuilt:
            self.rebuild()
            self.catch_up_clock()
        now = time.monotonic()
        elapsed, self._ticked = now - self._ticked, now
        most_s = CATCH_UP_WALL_S * self.speed
        self.owed_s = min(self.owed_s + elapsed * self.speed, most_s)
        before_s = self.core.now_s
        reached_s = self.advance_to(before_s + self.owed_s)
        # The core counts microseconds, and does not go beyond its end.
        done = self.owed_s <= STEP_S or reached_s == self.core.end_s
        self.owed_s = 0.0 if done else self.owed_s - (reached_s - before_s)
        return self.owed_s

    def advance_to(self, to_s: float) -> float:
        """Advance the simulated time, at most one step. Returns the time reached."""
        to_s = min(to_s, self.core.now_s + STEP_S, self.core.end_s)
        if to_s > self.reserved_s:
            reserved_s = to_s + RESERVE_WALL_S * self.speed
            self.store.set_facts({"clock_s": reserved_s})
            self.reserved_s = reserved_s
        if to_s > self.core.now_s:
            self.core.advance(to_s)
        return self.core.now_s

    def set_speed(self, speed: float) -> None:
        """Simulated seconds per wall second; 0: the time stands."""
        self.tick()
        self.speed, self.owed_s = speed, 0.0
        self.reserved_s = self.core.now_s
        self.store.set_facts({"speed": speed, "clock_s": self.reserved_s})

    def close(self) -> None:
        """Store the time reached and end the thread."""

        def last() -> None:
            if self.is_rebuilt:
                facts = {"requests": self.applied, "now_s": self.core.now_s,
                         "digest": self.core.digest()}  # fmt: skip
                now = {"clock_s": self.core.now_s, "checkpoint": facts, "version": version()}
                self.store.set_facts(now)
            self.store.close()

        self.submit(last).result()
        self._worker.shutdown()

    # Views, in the owning thread.

    def digest(self) -> dict[str, Any]:
        """A hash of all changes of state, and the requests in the log."""
        return {
            "digest": self.core.digest(),
            "requests": self.applied,
            "nowSeconds": self.core.now_s,
        }

    def cabling(self, file: str) -> str:
        """A file of the cabling."""
        return self.core.cabling(file)

    def status(self) -> dict[str, Any]:
        """The counts of `fmn-show-status`."""
        return self.core.status()

    def layout(self) -> str:
        """Groups, switches and links, as JSON."""
        return self.core.layout_text()

    def events(self, since: int, limit: int) -> dict[str, Any]:
        """Events from number `since` on, and the number after them."""
        return self.core.events(since, limit)

    def metrics(self, query: str) -> Answer:
        """The answer to an OData query."""
        found = self.core.metrics(query)
        return Answer(found["status"], found["body"])

    def fabric_state(self, targets: Sequence[str] = ()) -> dict[str, Any]:
        """Faults of the present state as other requests accept them, and of targets that are down
        in addition."""
        return self.core.fabric_state(list(targets))
