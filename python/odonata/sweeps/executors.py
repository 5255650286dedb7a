"""The executors of a sweep: processes of this machine, or a Dask cluster.

An executor receives points and reports for each, in any order, that it is finished (and on disk) or
the error with which it failed. Only the process that started the sweep writes files.
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

# Reports of an executor: a point with None or its error; or an exception that ends the sweep.
Report = tuple[Point, str | None] | BaseException
SCHEDULER_S = 10  # limit for the first result of a scheduler
LISTEN_S = 0.02  # interval at which results are collected, seconds of wall time


class Executor(Protocol):
    def start(self, points: Sequence[Point], store: Store, reports: queue.Queue[Report]) -> None:
        """Begin; returns at once."""

    def close(self) -> None:
        """Stop all computation. Points that were finished are then on disk."""


def attempts(worker: Worker, request: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The result of a point, with the number of `tries`."""
    result: dict[str, Any] = {}
    for nth in range(1, most + 1):
        try:
            result = worker.run(request)
        except Died as error:
            result = failed(str(error))
        result["tries"] = nth
        if not result["again"]:
            break
    return result


def settle(
    point: Point, result: Mapping[str, Any], store: Store, reports: queue.Queue[Report]
) -> None:
    """Store a result, or report that there is none."""
    if result["again"]:
        tries = result["tries"]
        times = "once" if tries == 1 else f"{tries} times"
        reports.put((point, f"given up, tried {times}: {result['error']}"))
    else:
        store.put(point, result)
        reports.put((point, None))


class Local:
    """Processes of this machine, with a thread that waits for each."""

    def __init__(self, workers: int, tries: int):
        self._most = workers
        self.workers: list[Worker] = []
        self.tries = tries
        self._threads: list[threading.Thread] = []
        self._stopped = False

    def start(self, points: Sequence[Point], store: Store, reports: queue.Queue[Report]) -> None:
        todo: queue.SimpleQueue[Point] = queue.SimpleQueue()
        for point in points:
            todo.put(point)
        self.workers = [Worker() for _ in range(min(self._most, len(points)))]
        for worker in self.workers:
            thread = threading.Thread(
                target=self._work, args=(worker, todo, store, reports), daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def _work(
        self,
        worker: Worker,
        todo: queue.SimpleQueue[Point],
        store: Store,
        reports: queue.Queue[Report],
    ) -> None:
        try:
            while not self._stopped:
                point = todo.get_nowait()
                store.begun(point)
                result = attempts(worker, point.request(), self.tries)
                if not (self._stopped and result["again"]):  # it was killed by `stop`
                    settle(point, result, store, reports)
        except queue.Empty:
            pass
        except BaseException as error:  # such as a full disk
            reports.put(error)
        finally:
            worker.close()

    def close(self) -> None:
        self._stopped = True
        for worker in self.workers:
            worker.close()
        for thread in self._threads:
            thread.join()


class Dask:
    """A Dask cluster: its workers compute, this process writes.

    Dask moves the points of a dead worker to others. It gives up a point that was on several
    workers when they died (`distributed.scheduler.allowed-failures`).
    """

    def __init__(self, address: str, tries: int):
        self.tries = tries
        self._futures: dict[Any, Point] = {}
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._client = connected(address)

    def start(self, points: Sequence[Point], store: Store, reports: queue.Queue[Report]) -> None:
        for point in points:
            store.begun(point)
            future = self._client.submit(
                run_on_worker, point.request(), self.tries, key=f"odonata-{point.key}", pure=False
            )
            self._futures[future] = point
        self._thread = threading.Thread(target=self._collect, args=(store, reports), daemon=True)
        self._thread.start()

    def _collect(self, store: Store, reports: queue.Queue[Report]) -> None:
        from distributed import as_completed

        try:
            # Results are fetched on arrival: until then they are lost if their worker dies.
            done = as_completed(
                list(self._futures), self._client.loop, with_results=True, raise_errors=False
            )
            while self._futures and not self._stopped.wait(LISTEN_S):
                batch = []
                for future, result in done.next_batch(block=False):
                    batch.append((self._futures.pop(future), result))
                    future.release()  # else Dask computes it again if its worker dies
                for point, result in batch:
                    # The state may have changed since: the death of a worker resets it.
                    if isinstance(result, dict):
                        settle(point, result, store, reports)
                    else:  # Dask's own, such as a KilledWorker
                        why = result[1] if isinstance(result, tuple) else result
                        reports.put((point, f"given up by Dask: {type(why).__name__}: {why}"))
                if self._client.status != "running":
                    for point in self._futures.values():
                        reports.put((point, "given up: the Dask scheduler has gone"))
                    self._futures.clear()
        except BaseException as error:
            reports.put(error)

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
        wrong.add("scheduler", address, "Dask with odonata: `pip install 'odonata[dask]'`")
        wrong.raise_any()
    is_file = isinstance(address, str) and address.endswith(".json")
    if is_file and not os.path.isfile(address):
        wrong.add("scheduler", address, f"{wanted}; there is no such file")
        wrong.raise_any()
    where = {"scheduler_file" if is_file else "address": address}
    try:
        return Client(**where, timeout=SCHEDULER_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        wrong.add("scheduler", address or "nothing", f"{wanted} ({error})")
        wrong.raise_any()


_of_thread = threading.local()


def run_on_worker(request: Mapping[str, Any], tries: int) -> dict[str, Any]:
    """On a Dask worker: compute a point in the process that belongs to this thread.

    A separate process is needed because a thread of a Dask worker is not the main thread, and
    because a crash must not end the Dask worker.
    """
    if not hasattr(_of_thread, "worker"):
        _of_thread.worker = Worker()
    return attempts(_of_thread.worker, request, tries)
