"""Parts of the fabric manager's service, in this process: its guard, clock, log and feed."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from odonata.fabric import login, openapi, plane as plane_module, service as service_module
from odonata.fabric.plane import Plane
from odonata.fabric.service import Service, Settings
from odonata.fabric.store import Store, StoreError
from odonata.fabric_commands.client import Client, ClientError
from served_fabric import serve

__all__ = ["serve"]  # a fixture
FABRIC = {
    "machine": {"name": "dragonfly-1056", "toml": None, "file": None, "like": [], "set": [
        ["groups.compute.count", "4"], ["groups.compute.global_ports", "4"]]},
    "seed": 1,
    "options": {"start": "running"},
}  # fmt: skip


@pytest.fixture
def plane(tmp_path):
    found = Plane(Store(tmp_path / "fabric.sqlite"), FABRIC, 0.0)
    yield found
    found.close()


def answer(
    app: Any, method: str, path: str, body: Any = None, state: dict[str, Any] | None = None,
    **headers: str,
) -> tuple[int, Any]:  # fmt: skip
    """Status and document of one request to an ASGI application."""
    data = b"" if body is None else json.dumps(body).encode()
    pairs = {"host": "localhost", "content-type": "application/json", **headers}
    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "http_version": "1.1", "scheme": "http", "client": ("127.0.0.1", 1),
        "server": ("localhost", 80), "state": state or {},
        "headers": [(name.encode(), value.encode()) for name, value in pairs.items()],
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": data, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    text = b"".join(part.get("body", b"") for part in sent[1:])
    return sent[0]["status"], json.loads(text) if text else None


def test_a_resource_refuses_a_request_without_a_role(plane):
    """Also if a request passes the guard, such as one for an open path that has no route."""
    inner = Service(plane, Settings()).app.app
    path = "/fabric/port-policies/fabric-policy"
    state = {"owner": "x", "role": None, "token": ""}
    assert answer(inner, "PATCH", path, {"autoneg": False}, state)[0] == 401
    assert answer(inner, "PATCH", path, {"autoneg": False}, {**state, "role": "admin"})[0] == 200


def test_wrong_tokens_are_limited(plane):
    service = Service(plane, Settings(rate=5))
    statuses = [
        answer(service.app, "GET", "/fabric/vlans", authorization=f"Bearer {n}")[0]
        for n in range(20)
    ]
    assert statuses[:5] == [401] * 5 and 429 in statuses[5:]
    # A client with a token is not limited by them.
    token = plane.submit(plane.store.create_token, "me", "admin").result()
    service.load_tokens()
    assert answer(service.app, "GET", "/fabric/vlans", authorization=f"Bearer {token}")[0] == 200


def test_a_basic_token_outside_ascii_is_a_wrong_token(plane):
    service = Service(plane, Settings(rate=5))
    statuses = [
        answer(service.app, "GET", "/fabric/vlans", authorization="Basic \xe9")[0]
        for _ in range(20)
    ]
    assert statuses[:5] == [401] * 5 and 429 in statuses[5:]


@pytest.mark.parametrize("secret", ["wrong", "\ud800"])
def test_a_login_with_a_wrong_secret_is_refused(plane, secret):
    service = Service(plane, Settings())
    assert answer(service.app, "POST", login.LOGIN, {"client_secret": secret})[0] == 401


@pytest.mark.parametrize("speed", [1, 300, 10_000])
def test_the_time_follows_every_speed(plane, monkeypatch, speed):
    wall = [plane._ticked]
    monkeypatch.setattr(plane_module.time, "monotonic", lambda: wall[0])
    plane.submit(plane.set_speed, float(speed)).result()
    for _ in range(5):
        wall[0] += 0.1
        while plane.submit(plane.tick).result() > 0:
            pass
    assert plane.core.now_s == pytest.approx(0.5 * speed, abs=1e-5)


def test_the_end_of_time_is_reported(plane):
    service = Service(plane, Settings(needs_token=False))
    month = {"seconds": 31 * 86_400}
    plane.core.advance(plane.core.end_s - 60)
    assert answer(service.app, "POST", "/simulation/clock/advance", month)[0] == 409
    assert answer(service.app, "GET", "/simulation/health")[1]["state"] == "ACTIVE"
    assert answer(service.app, "POST", "/simulation/clock/advance", {"seconds": 60})[0] == 200
    health = answer(service.app, "GET", "/simulation/health")[1]
    assert health["state"] == "DEGRADED" and "end" in health["problem"]


class Panic(BaseException):
    """Like a panic of the core, which is not an Exception."""


@pytest.mark.parametrize("error", [sqlite3.OperationalError, Panic])
def test_the_health_shows_that_the_clock_stands(plane, monkeypatch, error):
    service = Service(plane, Settings(needs_token=False))
    monkeypatch.setattr(service_module, "TICK_S", 0.01)
    fails = [True]
    tick = plane.tick

    def failing() -> float:
        if fails[0]:
            raise error("database or disk is full")
        return tick()

    monkeypatch.setattr(plane, "tick", failing)

    async def run(until: str) -> Any:
        task = asyncio.create_task(service.run_clock())
        while json.loads((await service.health(None)).body)["state"] != until:
            assert not task.done()
            await asyncio.sleep(0.01)
        task.cancel()
        return json.loads((await service.health(None)).body)

    assert "disk is full" in asyncio.run(run("DEGRADED"))["problem"]
    fails[0] = False
    assert "problem" not in asyncio.run(run("ACTIVE"))


def logged(path: Path, at_s: float, request: dict[str, Any]) -> None:
    """Append to a log what this version did not acknowledge."""
    store = Store(path)
    store.append([(at_s, json.dumps(request))])
    store.close()


def test_a_log_that_is_refused_or_gives_another_state_is_an_error(tmp_path):
    path = tmp_path / "a.sqlite"
    first = Plane(Store(path), FABRIC, 0.0)
    post = {"method": "POST", "path": "/fabric/vlans", "query": "", "owner": "me",
            "body": {"id": 7, "name": "a", "status": "ONLINE"}}  # fmt: skip
    assert first.write(post).result().status == 201
    first.close()
    Plane(Store(path), FABRIC).close()  # the same log
    logged(path, 1.0, post)  # exists
    with pytest.raises(StoreError, match="acknowledged request 2.*exists"):
        Plane(Store(path), FABRIC)
    store = Store(path)
    store.db.execute("DELETE FROM log WHERE n = 2")
    changed = json.dumps({**post, "owner": "other"})
    store.db.execute("UPDATE log SET request = ? WHERE n = 1", (changed,))
    store.close()
    with pytest.raises(StoreError, match="another state"):
        Plane(Store(path), FABRIC)


def test_the_description_has_every_path(plane):
    service = Service(plane, Settings())
    paths = openapi.description(True)["paths"]
    page = {"/", "/simulation/page/{name}", "/openapi", "/openapi.json"}
    for route in service.own:
        if route.path in page:
            continue
        methods = {method.lower() for method in route.methods} - {"head"}
        assert methods <= paths[route.path].keys(), route.path
    assert "/port-sets/edge-ports/status" in paths


def test_the_layout_is_compared_for_readers_and_changes_only(plane, monkeypatch):
    service = Service(plane, Settings())
    feed, layouts = service.feed, []
    layout = plane.layout
    monkeypatch.setattr(plane, "layout", lambda: layouts.append(1) or layout())

    async def collect(wall_s: float) -> int:
        feed._compared -= wall_s  # as if so much time had passed
        await feed.collect()
        return len(layouts)

    async def run() -> None:
        assert await collect(60) == 1
        await plane_call(plane.core.advance, 11.0)
        assert await collect(60) == 1  # nothing has changed
        plane.write({"method": "POST", "path": "/simulation/jobs", "query": "", "owner": "me",
                     "body": {"name": "j", "nodeCount": 8}}).result()  # fmt: skip
        assert await collect(2) == 1  # no reader
        reader = feed.changes()
        await anext(reader)
        assert await collect(2) == 2
        step = json.loads((await anext(reader)).removeprefix("data: "))
        assert step["loads"] and step["status"]["nowSeconds"] == 11.0
        await collect(2)
        step = json.loads((await anext(reader)).removeprefix("data: "))
        assert len(layouts) == 2 and step["loads"] == []
        await reader.aclose()
        assert feed.readers == 0

    async def plane_call(function: Any, *arguments: Any) -> Any:
        return await asyncio.wrap_future(plane.submit(function, *arguments))

    asyncio.run(run())


def test_a_refusal_whose_document_is_cut_has_its_status():
    """A service that is killed within an answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def cut() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 503 Unavailable\r\nContent-Length: 100\r\n\r\n{")

        thread = threading.Thread(target=cut)
        thread.start()
        with pytest.raises(ClientError) as caught:
            Client(f"http://127.0.0.1:{server.getsockname()[1]}", "x").get("/fabric/vlans")
        thread.join()
    assert caught.value.status == 503


def test_a_standby_of_another_machine_is_refused_at_once(serve, odonata, tmp_path):
    state = tmp_path / "a.sqlite"
    serve("--state", state).wait()
    done = odonata("fabric", "serve", "--machine", "lumi-g", "--state", state)
    assert done.returncode == 2 and "another machine" in done.stderr
