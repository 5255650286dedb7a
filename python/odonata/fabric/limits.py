"""Limits per client: rate of requests, size of bodies, and origins of browsers."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable

# Clients whose rate is remembered; the one idle longest is forgotten.
CLIENTS = 4096


class RateLimit:
    """A token bucket per client: `rate` requests per second, and as many at once."""

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        self.rate = rate
        self.clock = clock
        self.buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # level, time

    def admits(self, client: str) -> bool:
        """Whether a request of this client is admitted now."""
        if self.rate <= 0:
            return True
        now = self.clock()
        level, then = self.buckets.pop(client, (self.rate, now))
        level = min(self.rate, level + (now - then) * self.rate)
        is_admitted = level >= 1
        self.buckets[client] = (level - is_admitted, now)
        if len(self.buckets) > CLIENTS:
            self.buckets.popitem(last=False)
        return is_admitted


def is_local(host: str) -> bool:
    """Whether a Host header names this computer. A page of another site cannot make a browser send
    one, so that it cannot reach the service by DNS rebinding."""
    return re.fullmatch(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", host.lower()) is not None
