"""The state of a served fabric equals that of the acknowledged requests in order.

For any order and timing of requests, kills of manager, standby and service. CI runs a part;
docs/fabric/scenarios.md has the command and the figures of 1,000 schedules and 100 kills.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fabric_schedules import MANAGERS, Model, Step, draw_step, setup
from odonata import core
from odonata.fabric.plane import Answer, Plane
from odonata.fabric.store import Store
from odonata.fabric_commands.client import ClientError
from served_fabric import serve

__all__ = ["serve"]  # a fixture
# Seeds of the schedules: from the first one to before the second one.
FIRST, END = (int(n) for n in os.environ.get("ODONATA_FABRIC_SCHEDULES", "0:20").split(":"))
KILLS = int(os.environ.get("ODONATA_FABRIC_KILLS", 2))
STEPS = 30
# A schedule decides what a crash leaves behind, so nothing has to wait for a disk.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
CHANGES = [["groups.compute.count", "4"], ["groups.compute.global_ports", "4"]]
FABRIC = {
    "machine": {"name": "dragonfly-1056", "toml": None, "file": None, "like": [], "set": CHANGES},
    "seed": 1,
    "options": {"start": "running"},
}


class Crashed(Exception):
    """The process ends here."""


class Process:
    """A service process in this one, which can crash at any point of a commit."""

    def __init__(self, path: Path, draw: random.Random) -> None:
        self.path, self.draw = path, draw
        self.plane = Plane(Store(path), FABRIC, 0.0)

    def call(self, step: Step) -> Answer:
        asked = {"method": step.method, "path": step.path, "query": "", "body": step.body,
                 "owner": "test"}  # fmt: skip
        found = self.plane.read(asked) if step.method == "GET" else self.plane.write(asked)
        return found.result()

    def get(self, path: str) -> Any:
        return self.call(Step("GET", path)).body

    def advance(self, seconds: float) -> None:
        end_s = self.plane.core.now_s + seconds
        while self.plane.submit(self.plane.advance_to, end_s).result() < end_s - 1e-6:
            pass

    def crash(self, step: Step | None) -> Path:
        """The files as a kill leaves them, possibly within the commit of a request. What was
        acknowledged has been synchronized; a part of what was written since then is there."""
        wal = Path(f"{self.path}-wal")
        kept = wal.stat().st_size if wal.exists() else 0
        if step is not None:
            self.call(step)
        copy = self.path.with_name(f"{self.draw.randrange(1 << 60):x}.sqlite")
        shutil.copy(self.path, copy)
        if wal.exists():
            data = wal.read_bytes()
            # A checkpoint restarts the file: all of it is synchronized then.
            kept = kept if kept <= len(data) else len(data)
            data = data[: self.draw.randint(kept, len(data))]
            Path(f"{copy}-wal").write_bytes(data + self.draw.randbytes(self.draw.choice((0, 37))))
        self.plane.close()
        return copy


def run(folder: Path, seed: int) -> int:
    """One schedule. Returns its number of kills."""
    draw = random.Random(seed)
    process = Process(folder / f"{seed}.sqlite", draw)
    ports = process.get("/fabric/ports")["documentLinks"][::7]
    model, kills = Model(), 0
    assert process.call(setup()).status == 201
    for nth in range(STEPS):
        process.advance(draw.choice((0.0, 0.3, 2.0, 11.0)) * draw.random())
        step = draw_step(draw, nth, ports)
        if draw.random() < 0.15:
            within = step if draw.random() < 0.7 else None
            before = process.plane.applied
            was_s = process.plane.core.now_s
            process = Process(process.crash(within), draw)
            kills += 1
            assert process.plane.core.now_s >= was_s, "the time goes back"
            # The request was not acknowledged: it is there as a whole, or not at all.
            assert process.plane.applied - before in ((0, 1) if within else (0,))
            if process.plane.applied > before:
                assert within is not None
                model.add(within)
            continue
        if process.call(step).status < 400:
            model.add(step)
    finish(process, model, seed)
    return kills


def finish(process: Process, model: Model, seed: int) -> None:
    """Compare with the model, and with a control plane that got the log without any kill."""
    for name in MANAGERS:
        state = process.get(f"/simulation/managers/{name}")["state"]
        assert state == model.managers.get(name, "UP"), f"seed {seed}: {name}"
    for name in MANAGERS:
        process.call(Step("PATCH", f"/simulation/managers/{name}", {"state": "UP"}))
    process.advance(200)
    assert model.differences(process.get) == [], f"seed {seed}"
    again = core.ControlPlane(FABRIC)
    for _, at_s, text in process.plane.submit(lambda: list(process.plane.store.entries())).result():
        again.advance(at_s)
        assert again.apply(json.loads(text))["status"] < 400
    again.advance(process.plane.core.now_s)
    assert again.digest() == process.plane.core.digest(), f"seed {seed}"
    process.plane.close()


def test_schedules_with_kills_at_any_point_of_a_commit():
    kills = 0
    for seed in range(FIRST, END):
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            kills += run(Path(folder), seed)
    print(f"{END - FIRST} schedules, {kills} kills")
    assert kills > 2 * (END - FIRST)


@pytest.mark.parametrize("with_standby", [False, True])
def test_schedules_with_killed_processes(serve, with_standby):
    """kill -9 while a client writes; the next process, or its standby, continues."""
    draw = random.Random(11 + with_standby)
    service = serve().wait()
    token = service.token
    model, lost = Model(), 0
    client = service.client(token)
    ports = client.get("/fabric/ports?$limit=400")["documentLinks"][::7]
    first = setup()
    client.request(first.method, first.path, first.body)
    nth = 0
    for _ in range(KILLS):
        standby = serve().wait("standby: another process") if with_standby else None
        if standby and draw.random() < 0.3:
            standby.end(signal.SIGKILL)
            standby = serve().wait("standby: another process")
        end = threading.Timer(0.05 + 0.4 * draw.random(), service.end, (signal.SIGKILL,))
        before = client.get("/simulation/digest")["requests"]
        acknowledged = 0
        end.start()
        while True:
            nth += 1
            step = draw_step(draw, nth, ports)
            try:
                client.request(step.method, step.path, step.body)
            except ClientError as error:
                if error.status == 0:
                    break  # no answer: the request may be in the log, or not
                continue
            model.add(step)
            acknowledged += 1
        end.join()
        service = standby.wait() if standby else serve(port=service.port).wait()
        client = service.client(token)
        extra = client.get("/simulation/digest")["requests"] - before - acknowledged
        assert extra in (0, 1)
        if extra:
            model.add(step)
            lost += 1
    for name in MANAGERS:
        client.request("PATCH", f"/simulation/managers/{name}", {"state": "UP"})
    client.request("POST", "/simulation/clock/advance", {"seconds": 200})
    assert model.differences(client.get) == []
    print(f"{KILLS} kills, {nth} requests, {lost} logged without an answer")
    digest = client.get("/simulation/digest")
    service.end(signal.SIGKILL)
    started = time.monotonic()
    assert serve(port=service.port).wait().client(token).get("/simulation/digest") == digest
    print(f"restart {time.monotonic() - started:.1f} s")
