"""Telemetry: events and changes of the fabric to many readers.

The service reads the events of the control plane once and encodes each once. Every reader has its
own position. A reader that is further behind than the kept events reads them from the control
plane, so that a slow reader loses none that the control plane still has.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from .plane import Plane

# Topics of Cray-HPE/hms-hmcollector, by the start of the MessageId.
TOPICS = {
    "cray-fabric-telemetry": ("CrayFabricTelemetry",),
    "cray-fabric-perf-telemetry": ("CrayFabricPerfTelemetry",),
    "cray-fabric-crit-telemetry": ("CrayFabricCritTelemetry", "CrayFabricCriticalTelemetry"),
    "cray-fabric-health": ("CrayFabricHealth",),
}
# Events of one call of the control plane.
PART = 10_000
# Events in memory, and changes for streams; a stream further behind reads the layout again.
KEPT_EVENTS = 100_000
KEPT_CHANGES = 300
# Changes for the time slider, and their rows, of 12 bytes each.
KEPT_PAST = 20_000
KEPT_ROWS = 2_000_000
# Steps of the load of a link in the changes that the page gets.
LOAD_STEPS = 32
# States of switches in the layout; changes have their numbers.
SWITCH_STATES = ("ONLINE", "INCOMPLETE", "UNREACHABLE", "OFFLINE")
# A comment keeps connections open across idle times.
KEEP_ALIVE_S = 15.0
# Wall seconds between two comparisons of the layout: with pages that show it, and without, for the
# time slider of later ones.
CHANGES_S = 1.0
CHANGES_UNSEEN_S = 30.0


@dataclass(frozen=True)
class Packed:
    """An answer as bytes."""

    data: bytes
    is_gzip: bool


class Snapshot:
    """States and loads of all switches and links, as arrays."""

    def __init__(self, layout: dict[str, Any]) -> None:
        self.time_s = layout["nowSeconds"]
        states = [SWITCH_STATES.index(state) for state in layout["switches"]["state"]]
        self.switches = np.array(states, dtype=np.int16)
        links = layout["links"]
        self.links = np.array(links["phase"], dtype=np.int16)
        loads = np.array(links["load"], dtype=np.float64)
        self.loads = np.rint(np.clip(loads, 0, 1) * LOAD_STEPS).astype(np.int16)

    def changes(self, before: Snapshot) -> dict[str, Any]:
        """What differs from an earlier one: [index, before, now] of each."""
        found: dict[str, Any] = {"nowSeconds": self.time_s}
        for name in ("switches", "links", "loads"):
            old, new = getattr(before, name), getattr(self, name)
            at = np.flatnonzero(old != new)
            found[name] = np.stack([at, old[at], new[at]], axis=1).astype(np.int32)
        return found


class Past:
    """The changes of states, for the time slider; loads are not included."""

    def __init__(self) -> None:
        self.steps: deque[tuple[float, Any, Any]] = deque()
        self.rows = 0
        self.since_s: float | None = None

    def add(self, step: dict[str, Any]) -> None:
        """Keep a step, and forget the oldest ones beyond the limits."""
        if self.since_s is None:
            self.since_s = step["nowSeconds"]
        rows = len(step["switches"]) + len(step["links"])
        if rows:
            self.steps.append((step["nowSeconds"], step["switches"], step["links"]))
            self.rows += rows
        while len(self.steps) > KEPT_PAST or self.rows > KEPT_ROWS:
            self.since_s, switches, links = self.steps.popleft()
            self.rows -= len(switches) + len(links)

    def document(self) -> dict[str, Any]:
        """The steps in order."""
        steps = [
            {"nowSeconds": now_s, "switches": switches.tolist(), "links": links.tolist()}
            for now_s, switches, links in self.steps
        ]
        return {"sinceSeconds": self.since_s, "steps": steps}


class Feed:
    """Readers of events and of changes."""

    def __init__(self, plane: Plane) -> None:
        self.plane = plane
        self.next = 0
        self.kept: deque[tuple[int, str, str]] = deque(maxlen=KEPT_EVENTS)  # number, topic, text
        self._changed = asyncio.Event()  # of the next news; a new one each time
        self.is_ended = False
        self.readers = 0
        self.shown: Snapshot | None = None
        self.steps: deque[str] = deque(maxlen=KEPT_CHANGES)
        self.past = Past()
        self.n_steps = 0
        self._collecting = asyncio.Lock()
        self._compared = -CHANGES_UNSEEN_S
        self._digest = ""  # of the state that was compared last
        self._layout: tuple[float, bytes, bytes] | None = None

    # Events.

    async def collect(self) -> None:
        """Read new events, and compare the layout from time to time."""
        before = self.next, self.n_steps
        async with self._collecting:
            await self._collect_events()
            loop_s = asyncio.get_running_loop().time()
            if loop_s - self._compared >= (CHANGES_S if self.readers else CHANGES_UNSEEN_S):
                self._compared = loop_s
                await self._compare()
        if (self.next, self.n_steps) != before:
            self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _collect_events(self) -> None:
        while True:
            found = await self._call(self.plane.events, self.next, PART)
            first = found["next"] - len(found["events"])
            for n, event in enumerate(found["events"], first):
                text = json.dumps(event, separators=(",", ":"))
                self.kept.append((n, topic_of(event["MessageId"]), text))
            self.next = found["next"]
            if len(found["events"]) < PART:
                return

    async def _call(self, function: Any, *arguments: Any) -> Any:
        return await asyncio.wrap_future(self.plane.submit(function, *arguments))

    async def _after(self, n: int) -> tuple[int, list[tuple[int, str, str]]]:
        """The next position and the events from number `n` on, at most a part."""
        first = self.kept[0][0] if self.kept else self.next
        if n < first:
            found = await self._call(self.plane.events, n, PART)
            start = found["next"] - len(found["events"])
            rows = [
                (k, topic_of(event["MessageId"]), json.dumps(event, separators=(",", ":")))
                for k, event in enumerate(found["events"], start)
            ]
            return found["next"], rows
        rows = list(islice(self.kept, n - first, n - first + PART))
        return n + len(rows), rows

    async def stream(
        self, topic: str, batch: int, count: int, since: int | None
    ) -> AsyncIterator[str]:
        """Server-sent events of a topic: `count` messages (0: no end) of up to `batch` events.

        A message is sent when it is full or when there are no more events now. Its id is the number
        of its last event.
        """
        at = self.next if since is None else since
        sent = 0
        yield ": stream of " + topic + "\n\n"
        while not self.is_ended:
            at, rows = await self._after(at)
            found = [(n, text) for n, its_topic, text in rows if its_topic == topic]
            for start in range(0, len(found), batch):
                part = found[start : start + batch]
                # A message is the payload of a Redfish event, as a controller sends it.
                texts = ",".join(f'{{"Events":[{text}]}}' for _, text in part)
                yield f'id: {part[-1][0]}\ndata: {{"metrics":{{"messages":[{texts}]}}}}\n\n'
                sent += 1
                if sent == count:
                    return
            if not rows and (line := await self._wait(lambda at=at: self.next > at)):
                yield line

    async def _wait(self, has_more: Callable[[], bool]) -> str:
        """Wait for something new. Returns a comment after an idle time, to keep the connection."""
        if has_more() or self.is_ended:
            return ""
        try:
            await asyncio.wait_for(self._changed.wait(), KEEP_ALIVE_S)
        except asyncio.TimeoutError:
            return ": idle\n\n"
        return ""

    # The page.

    async def _compare(self) -> None:
        """Compare the layout with the last one, if anything has changed."""
        digest = (await self._call(self.plane.digest))["digest"]
        if self.shown is not None and digest == self._digest:
            if self.readers:
                status = await self._call(self.plane.status)
                same: dict[str, list[int]] = {"switches": [], "links": [], "loads": []}
                self._add({"nowSeconds": status["nowSeconds"], **same, "status": status})
            return
        self._digest = digest
        text = await self._call(self.plane.layout)
        new = Snapshot(await asyncio.to_thread(json.loads, text))
        if self.shown is not None:
            step = new.changes(self.shown)
            self.past.add(step)
            names = ("switches", "links", "loads")
            rows = {name: step[name].tolist() for name in names}
            self._add({**step, **rows, "status": await self._call(self.plane.status)})
        self.shown = new

    def _add(self, step: dict[str, Any]) -> None:
        self.steps.append(json.dumps(step, separators=(",", ":")))
        self.n_steps += 1

    async def changes(self) -> AsyncIterator[str]:
        """Server-sent events with the changes from now on."""
        at = self.n_steps
        self.readers += 1
        try:
            yield "retry: 1000\n\n"
            while not self.is_ended:
                first = self.n_steps - len(self.steps)
                if at < first:
                    yield "event: reload\ndata: {}\n\n"
                    at = self.n_steps
                for step in list(islice(self.steps, at - first, None)):
                    yield f"data: {step}\n\n"
                    at += 1
                if line := await self._wait(lambda at=at: self.n_steps > at):
                    yield line
        finally:
            self.readers -= 1

    def history(self) -> dict[str, Any]:
        """The kept changes of states."""
        return self.past.document()

    async def packed_layout(self, is_gzip: bool) -> Packed:
        """The layout that the changes refer to. One text serves all pages of one instant."""
        text = (await self._call(self.plane.layout)).encode()
        return Packed(await asyncio.to_thread(gzip.compress, text, 1) if is_gzip else text, is_gzip)

    def end(self) -> None:
        """End all readers."""
        self.is_ended = True
        self._wake()


def topic_of(message_id: str) -> str:
    """The topic of an event, from its MessageId."""
    for topic, prefixes in TOPICS.items():
        if message_id.startswith(prefixes):
            return topic
    raise ValueError(f"MessageId {message_id}")


def prometheus(plane: Plane) -> str:
    """Counts of the fabric in the text format of Prometheus."""
    lines = []
    for name, value in flat(plane.status()):
        metric = "odonata_fabric_" + "".join(c if c.isalnum() else "_" for c in name)
        lines += [f"# TYPE {metric} gauge", f"{metric} {value}"]
    lines += ["# TYPE odonata_fabric_time_seconds gauge"]
    lines += [f"odonata_fabric_time_seconds {plane.core.now_s}"]
    return "\n".join(lines) + "\n"


def flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, float]]:
    """Names and values of all numbers in nested objects."""
    found: list[tuple[str, float]] = []
    for name, value in values.items():
        if isinstance(value, dict):
            found += flat(value, f"{prefix}{name}_")
        elif isinstance(value, (int, float)):
            found.append((prefix + name, float(value)))
    return found
