"""Python's clocks agree with MPI's, sleep in simulated time, and end every wait."""

import datetime
import os
import queue
import threading
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
simulated = "ODONATA_RANK" in os.environ
LONG, SHORT = (100_000.0 if simulated else 0.001), 0.01

clocks = [time.time, time.monotonic, time.perf_counter, MPI.Wtime, lambda: time.time_ns() * 1e-9]
clocks.append(lambda: datetime.datetime.now(datetime.timezone.utc).timestamp())


def check(span, act):
    """Every clock measures `span` for `act`, or slightly more."""
    before = [clock() for clock in clocks]
    act()
    took = [clock() - then for clock, then in zip(clocks, before)]
    slack = 1e-3 if simulated else 60
    assert all(span * (1 - 1e-6) - 1e-6 <= t < span * (1 + 1e-6) + slack for t in took), took


check(LONG, lambda: time.sleep(LONG))
check(0, world.Barrier)
# Waits with a timeout are real, and the timeout also passes in simulated time.
check(SHORT, lambda: threading.Event().wait(SHORT))
lock = threading.Lock()
lock.acquire()
check(SHORT, lambda: lock.acquire(timeout=SHORT))


def empty():
    try:
        queue.Queue().get(timeout=SHORT)
    except queue.Empty:
        return
    raise AssertionError


check(SHORT, empty)

rang = []
timer = threading.Timer(SHORT, rang.append, ("rang",))
timer.start()
timer.join()
assert rang == ["rang"]


def until(clock):
    end = clock() + 1e-4
    while clock() < end:
        pass


# Loops end, in a thread that never calls MPI too.
for clock in clocks[:3]:
    until(clock)
    thread = threading.Thread(target=until, args=(clock,))
    thread.start()
    thread.join()

if simulated:
    assert datetime.datetime.now(datetime.timezone.utc).year == 2026
    # All ranks read the same date.
    dates = world.allgather(int(time.time()))
    assert len(set(dates)) == 1, dates
assert time.process_time() < 1000

if world.rank == 0:
    print(f"clocks: {world.size} ranks: good")
