"""Times of benchmarks that `docs/figures/benchmark_times.py` measures."""

from __future__ import annotations

import pytest
from conftest import script

TIMES = script("docs/figures/benchmark_times")


def test_no_time_of_a_size_is_too_short(monkeypatch) -> None:
    """Sizes of 1 s and 30 s, with ticks after 0, 16 and 31 s: the tick of the first is late."""
    now = 0.0

    def predict(name, job, sizes, fidelity, tick, stop):
        nonlocal now
        for now, done in ((0.0, 0), (16.0, 1)):
            tick({"parts": (done, 2)})
        now = 31.0
        return {"rows": [{}, {}]}

    monkeypatch.setattr(TIMES.time, "process_time", lambda: now)
    monkeypatch.setattr(TIMES.benchmarks, "predict", predict)
    found: dict[int, float | str] = {}
    assert TIMES.timed("allreduce", None, "loggp", [8, 16], found.__setitem__) == []
    assert found[8] >= 1 and found[16] >= 30 and max(found.values()) <= 31


@pytest.mark.parametrize("last, word", [(60.5, "stopped"), (59.5, None)])
def test_a_size_is_stopped_after_a_minute(monkeypatch, last: float, word: str | None) -> None:
    now = 0.0

    def predict(name, job, sizes, fidelity, tick, stop):
        nonlocal now
        for now in (0.0, last):
            tick({"parts": (0, 1)})
        if stop.signal:
            raise KeyboardInterrupt
        return {"rows": [{}]}

    monkeypatch.setattr(TIMES.time, "process_time", lambda: now)
    monkeypatch.setattr(TIMES.benchmarks, "predict", predict)
    found: dict[int, float | str] = {}
    left = TIMES.timed("allreduce", None, "loggp", [8, 16][: 1 + bool(word)], found.__setitem__)
    assert (found, left) == ({8: word or last}, [16] if word else [])
