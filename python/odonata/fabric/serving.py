"""The process of a fabric's service: active, or standby until the active one has ended."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from .plane import Plane, check_fabric
from .service import Service, Settings
from .store import Lease, Store

# Between two attempts of a standby to become active.
STANDBY_S = 0.2


@dataclass(frozen=True)
class Serving:
    """Where and how to serve."""

    host: str
    port: int
    store: Path
    speed: float | None
    settings: Settings
    certificate: str | None = None
    key: str | None = None


def wait_for_lease(lease: Lease, store: Store, say: Callable[[str], None]) -> None:
    """Wait until the active process has ended."""
    if lease.take():
        return
    say(f"standby: another process serves `{store.path}`")
    while not lease.take():
        time.sleep(STANDBY_S)
    say("standby: the active process has ended; taking over")


def serve(how: Serving, request: dict[str, Any], say: Callable[[str], None]) -> int:
    """Serve until a signal. Returns the exit code."""
    lease = Lease(how.store)
    store = Store(how.store)
    check_fabric(store, request)  # a standby of another machine could never take over
    wait_for_lease(lease, store, say)
    started = time.monotonic()
    plane = Plane(store, request, how.speed)
    service = Service(plane, how.settings)
    scheme = "https" if how.certificate else "http"
    where = f"{scheme}://{how.host}:{how.port}"
    config = uvicorn.Config(
        service.app,
        host=how.host,
        port=how.port,
        log_level="warning",
        access_log=False,  # nothing of a request is logged, so no token either
        ssl_certfile=how.certificate,
        ssl_keyfile=how.key,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    server = Announced(config, lambda: announce(service, where, time.monotonic() - started, say))
    try:
        server.run()
    finally:
        lease.release()
    return 0 if server.started else 1


class Announced(uvicorn.Server):
    """A server that reports when it accepts connections."""

    def __init__(self, config: uvicorn.Config, report: Callable[[], None]) -> None:
        super().__init__(config)
        self.report = report

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.report()


def announce(service: Service, where: str, took_s: float, say: Callable[[str], None]) -> None:
    """Print the address and a new token of the administrator."""
    fabric = service.plane.request["machine"]["name"]
    replayed = service.plane.applied
    say(f"fabric of {fabric} at {where} ({took_s:.1f} s, {replayed} requests replayed)")
    if not service.settings.needs_token:
        say(f"page: {where}/ (no tokens: every client is admin)")
        return
    # One name per start: tokens of earlier starts stay valid until they are revoked.
    name = f"admin_{os.getpid()}"
    token = service.plane.submit(service.plane.store.create_token, name, "admin").result()
    service.load_tokens()
    say(f"admin token: {token}")
    say(f"page: {where}/#token={token}")
