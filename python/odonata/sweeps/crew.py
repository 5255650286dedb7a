"""Who computes the points of a sweep: processes of this machine, or a Dask cluster.

A crew is given points and tells of each, in whatever order, that it is finished (and on disk) or
with which error it was given up. The process that started the sweep does all the writing.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..errors import Diagnostics
from .store import Store
from .study import Point
from .worker import Died, Worker, failed

# What a crew tells: a point and None or its error; or an exception that ends the sweep.
Told = tuple[Point, str | None] | BaseException
ANSWERS_S = 10  # how long a scheduler may take to answer at all
LISTEN_S = 0.02  # how often answers that have come are taken, seconds of wall time


class Crew(Protocol):
    def start(self, points: Sequence[Point], store: Store, tell: queue.Queue[Told]) -> None:
        """Begin; returns at once."""

    def close(self) -> None:
        """Stop whatever is going on. What was finished before is on disk afterwards."""


def attempts(worker: Worker, question: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The answer to a question, with the number of `tries` it took."""
    answer: dict[str, Any] = {}
    for nth in range(1, most + 1):
        try:
            answer = worker.ask(question)
        except Died as error:
            answer = failed(str(error))
        answer["tries"] = nth
        if not answer["again"]:
            break
    return answer


def settle(point: Point, answer: Mapping[str, Any], store: Store, tell: queue.Queue[Told]) -> None:
    """Keep an answer, or tell that there is none."""
    if answer["again"]:
        tries = answer["tries"]
        times = "once" if tries == 1 else f"{tries} times"
        tell.put((point, f"given up, tried {times}: {answer['error']}"))
    else:
        store.put(point, answer)
        tell.put((point, None))


class Local:
    """Processes of this machine, and a thread to wait for each."""

    def __init__(self, workers: int, tries: int):
        self._most = workers
        self.workers: list[Worker] = []
        self.tries = tries
        self._threads: list[threading.Thread] = []
        self._stopped = False

    def start(self, points: Sequence[Point], store: Store, tell: queue.Queue[Told]) -> None:
        todo: queue.SimpleQueue[Point] = queue.SimpleQueue()
        for point in points:
            todo.put(point)
        self.workers = [Worker() for _ in range(min(self._most, len(points)))]
        for worker in self.workers:
            thread = threading.Thread(
                target=self._work, args=(worker, todo, store, tell), daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def _work(
        self, worker: Worker, todo: queue.SimpleQueue[Point], store: Store, tell: queue.Queue[Told]
    ) -> None:
        try:
            while not self._stopped:
                point = todo.get_nowait()
                store.begun(point)
                answer = attempts(worker, point.question(), self.tries)
                if not (self._stopped and answer["again"]):  # it was our stopping that killed it
                    settle(point, answer, store, tell)
        except queue.Empty:
            pass
        except BaseException as error:  # such as a full disk
            tell.put(error)
        finally:
            worker.close()

    def close(self) -> None:
        self._stopped = True
        for worker in self.workers:
            worker.close()
        for thread in self._threads:
            thread.join()


class Dask:
    """A Dask cluster: its workers answer, we write.

    Points of a Dask worker that dies go to the others; Dask itself gives a point up that was there
    when several workers died (`distributed.scheduler.allowed-failures`).
    """

    def __init__(self, address: str, tries: int):
        self.tries = tries
        self._futures: dict[Any, Point] = {}
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._client = connected(address)

    def start(self, points: Sequence[Point], store: Store, tell: queue.Queue[Told]) -> None:
        for point in points:
            store.begun(point)
            future = self._client.submit(
                answer_there, point.question(), self.tries, key=f"odonata-{point.key}", pure=False
            )
            self._futures[future] = point
        self._thread = threading.Thread(target=self._collect, args=(store, tell), daemon=True)
        self._thread.start()

    def _collect(self, store: Store, tell: queue.Queue[Told]) -> None:
        from distributed import as_completed

        try:
            # Answers are fetched as they come, before we look: until then they die with a worker.
            done = as_completed(
                list(self._futures), self._client.loop, with_results=True, raise_errors=False
            )
            while self._futures and not self._stopped.wait(LISTEN_S):
                batch = []
                for future, answer in done.next_batch(block=False):
                    batch.append((self._futures.pop(future), answer))
                    future.release()  # or Dask computes it again where its worker dies
                for point, answer in batch:
                    # Its state is that of now: a worker that has died since takes it back.
                    if isinstance(answer, dict):
                        settle(point, answer, store, tell)
                    else:  # Dask's own, such as a KilledWorker
                        why = answer[1] if isinstance(answer, tuple) else answer
                        tell.put((point, f"given up by Dask: {type(why).__name__}: {why}"))
                if self._client.status != "running":
                    for point in self._futures.values():
                        tell.put((point, "given up: the Dask scheduler has gone"))
                    self._futures.clear()
        except BaseException as error:
            tell.put(error)

    def close(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
        if self._client.status == "running":
            self._client.cancel(list(self._futures))
        self._client.close()


def connected(address: str) -> Any:
    """A client of the scheduler at an address, or of the one that wrote a scheduler file."""
    wrong = Diagnostics()
    wanted = "where a Dask scheduler answers: `tcp://HOST:8786`, or a scheduler file (FILE.json)"
    try:
        from distributed import Client
    except ImportError:
        wrong.add("scheduler", address, "Dask beside odonata: `pip install 'odonata[dask]'`")
        wrong.raise_any()
    is_file = isinstance(address, str) and address.endswith(".json")
    if is_file and not os.path.isfile(address):
        wrong.add("scheduler", address, f"{wanted}; there is no such file")
        wrong.raise_any()
    where = {"scheduler_file" if is_file else "address": address}
    try:
        return Client(**where, timeout=ANSWERS_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        wrong.add("scheduler", address or "nothing", f"{wanted} ({error})")
        wrong.raise_any()


_mine = threading.local()


def answer_there(question: Mapping[str, Any], tries: int) -> dict[str, Any]:
    """On a Dask worker: the answer, by a process that belongs to the thread that is asked.

    A process of its own, because a thread of a Dask worker is not the main thread, and because a
    crash must not take the Dask worker along.
    """
    if not hasattr(_mine, "worker"):
        _mine.worker = Worker()
    return attempts(_mine.worker, question, tries)
