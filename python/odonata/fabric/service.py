"""The ASGI application: routes, authentication, limits, telemetry and the live page."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import math
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import costs, login, openapi, resources, roles, telemetry
from .limits import RateLimit, is_local
from .plane import Answer, Plane
from .store import hashed

LOG = logging.getLogger(__name__)

BASE = "/apis/fabric-manager"
PAGE = Path(__file__).with_name("page")
# Paths without a token: the page has no data of its own, and probes need the health.
OPEN = ("/", "/simulation/page", "/simulation/health", "/openapi.json", "/openapi", login.LOGIN)
# Where a job's session token is accepted, as libfabric sends it.
MULTICASTS = "/fabric/collectives/multicasts"
SESSION = "session"
ERROR_KIND = "com:services:common:models:ServiceErrorResponse"
MOST_BODY = 1 << 20
TICK_S = 0.1
# Wall time of advances in a row, before events are passed on.
ADVANCING_S = 0.5
# Files of the cabling and their types.
CABLING = {"point-to-point": "text/csv", "fabric-template": "application/json", "arp": "text/plain"}
MOST_TARGETS = 64
# What a page of another site may not do with this one, and no source but this service.
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


@dataclass(frozen=True)
class Settings:
    """How a service answers."""

    needs_token: bool = True
    is_loopback: bool = True  # bound to this computer only
    rate: float = 1000.0  # requests per second and client; 0: unlimited


class Refused(Exception):
    """An error answer."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers


def document(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer."""
    text = json.dumps(body, separators=(",", ":"), allow_nan=False)
    return Response(text, status, headers, media_type="application/json")


def refusal(error: Refused) -> Response:
    """The document of an error."""
    body = {
        "message": error.message,
        "statusCode": error.status,
        "documentKind": ERROR_KIND,
        "errorCode": 0,
    }
    return document(body, error.status, error.headers)


class Service:
    """The routes and what they share."""

    def __init__(self, plane: Plane, settings: Settings) -> None:
        self.plane, self.settings = plane, settings
        self.roles: dict[str, tuple[str, str]] = {}  # name and role by hash of a token
        self.load_tokens()
        self.feed = telemetry.Feed(plane)
        self.predicting = asyncio.Semaphore(1)  # predictions take a core each
        self.costs = costs.Costs(plane)
        self.clock_problem = ""  # why the time stands or lags; shown by the health
        self.app = self.application()

    def load_tokens(self) -> None:
        """Read the tokens from the store."""
        self.roles = {sha: (name, role) for name, role, sha in self.plane.store.tokens()}

    def application(self) -> ASGIApp:
        """The application with its guards."""
        self.own = [
            Route("/", self.page),
            Route("/simulation/page/{name}", self.page_file),
            Route("/simulation/health", self.health),
            Route("/openapi.json", self.openapi),
            Route("/openapi", self.openapi_page),
            Route(login.LOGIN, self.login, methods=["POST"]),
            Route("/simulation/status", self.status),
            Route("/simulation/layout", self.layout),
            Route("/simulation/history", self.history),
            Route("/simulation/events", self.events),
            Route("/simulation/stream", self.page_stream),
            Route("/simulation/state", self.fabric_state),
            Route("/simulation/machine", self.machine),
            Route("/simulation/digest", self.digest),
            Route("/simulation/cabling/{file}", self.cabling),
            Route("/simulation/costs", self.cost, methods=["POST"]),
            Route("/simulation/clock", self.clock, methods=["GET", "PATCH"]),
            Route("/simulation/clock/advance", self.advance, methods=["POST"]),
            Route("/simulation/tokens", self.tokens, methods=["GET", "POST"]),
            Route("/simulation/tokens/{name}", self.delete_token, methods=["DELETE"]),
            Route("/simulation/prometheus", self.prometheus),
            Route("/metrics", self.metrics),
            Route("/sma-telemetry-api/v1/ping", self.ping),
            Route("/sma-telemetry-api/v1/stream", self.topics),
            Route("/sma-telemetry-api/v1/stream/{topic}", self.stream),
        ]
        methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
        app = Starlette(
            routes=[*self.own, Route("/{path:path}", self.resource, methods=methods)],
            lifespan=self.lifespan,
            exception_handlers={
                Refused: self.refused,
                404: self.not_found,
                405: self.not_allowed,
                Exception: self.failed,
            },
        )
        return Guard(app, self)

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """Run the clock while the service runs."""
        ticker = asyncio.create_task(self.run_clock())
        try:
            yield
        finally:
            ticker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticker
            self.feed.end()
            await asyncio.to_thread(self.plane.close)

    async def run_clock(self) -> None:
        """Move the simulated time and pass on its events."""
        while True:
            started = time.monotonic()
            try:
                while await self.plane_call(self.plane.tick) > 0:
                    if time.monotonic() - started > ADVANCING_S:
                        break
                await self.feed.collect()
                self.clock_problem = ""
            except (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # a panic of the core is not an Exception
                # The time goes on with the next tick that succeeds, such as one that can be stored.
                LOG.exception("the clock stands")
                self.clock_problem = f"{type(error).__name__}: {error}"
            await asyncio.sleep(max(0.0, TICK_S - (time.monotonic() - started)))

    # Errors.

    async def refused(self, _request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return refusal(error)

    async def not_found(self, request: Request, _error: Exception) -> Response:
        return refusal(Refused(404, f"Service not found: {request.scope['path']}"))

    async def not_allowed(self, request: Request, error: Exception) -> Response:
        headers = getattr(error, "headers", None)
        return refusal(Refused(405, f"Action not supported: {request.method}", headers))

    async def failed(self, _request: Request, _error: Exception) -> Response:
        # The log has the traceback; an answer shows nothing of the inside.
        return refusal(Refused(500, "internal error; the log of the service has the reason"))

    # Resources of the fabric manager.

    async def resource(self, request: Request) -> Response:
        """A collection or a document."""
        # The path that was admitted: that of `request.url` may come from the Host header.
        path = request.scope["path"].rstrip("/")
        self.check_own(request.method, path)
        if request.state.role is None:  # open paths have routes of their own
            raise Refused(401, "a valid bearer token is needed", {"WWW-Authenticate": "Bearer"})
        target = resources.find(path)
        method = "GET" if request.method == "HEAD" else request.method
        allowed = {"Allow": ", ".join(target.verbs if target else ("GET",))}
        if target is not None and method not in target.verbs:
            raise Refused(405, f"Action not supported: {method}", allowed)
        body = None if method in ("GET", "DELETE") else await body_of(request)
        if request.state.role == SESSION:
            await self.check_session(request.state.token, body or {})
        asked = {
            "method": method,
            "path": path,
            "query": request.url.query,
            "body": body,
            "owner": request.state.owner,
        }
        answer = await self.answer(asked)
        return document(answer.body, answer.status, allowed if answer.status == 405 else None)

    async def check_session(self, token: str, body: dict[str, Any]) -> None:
        """Refuse a session token that is not that of the job in a body."""
        job = body.get("jobID")
        is_name = isinstance(job, str) and re.fullmatch(r"[\w.:-]{1,128}", job, re.ASCII)
        asked = {"method": "GET", "path": f"/fabric/collectives/jobs/{job}", "query": "",
                 "body": None, "owner": SESSION}  # fmt: skip
        found = await self.answer(asked) if is_name else Answer(404, {})
        if found.status == 503:
            raise Refused(503, "no fabric manager is active")
        own = found.body.get("sessionToken", "") if found.status == 200 else ""
        if not own or not hmac.compare_digest(own.encode(), token.encode()):
            raise Refused(401, "the session token is not that of the job")

    def check_own(self, method: str, path: str) -> None:
        """Refuse another verb of a path of the service itself."""
        verbs = {
            verb
            for route in self.own
            if route.path_regex.fullmatch(path)
            for verb in route.methods or ()
        }
        if verbs:
            allowed = {"Allow": ", ".join(sorted(verbs))}
            raise Refused(405, f"Action not supported: {method}", allowed)

    async def answer(self, asked: dict[str, Any]) -> Answer:
        """The answer of the control plane."""
        is_read = asked["method"] == "GET"
        found = self.plane.read(asked) if is_read else self.plane.write(asked)
        return await asyncio.wrap_future(found)

    async def metrics(self, request: Request) -> Response:
        """The OData query of `/metrics`."""
        answer = await self.plane_call(self.plane.metrics, request.url.query)
        return document(answer.body, answer.status)

    async def plane_call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.wrap_future(self.plane.submit(function, *arguments))

    # Own extensions: state, clock, tokens.

    async def health(self, _request: Request) -> Response:
        """Whether the service answers and its clock runs, and the simulated time."""
        now_s, problem = self.plane.core.now_s, self.clock_problem
        if not problem and now_s >= self.plane.core.end_s:
            problem = f"the simulated time has reached its end, {self.plane.core.end_s:g} s"
        found = {"state": "DEGRADED" if problem else "ACTIVE", "nowSeconds": now_s}
        if problem:
            found["problem"] = problem
        return document(found)

    async def status(self, _request: Request) -> Response:
        return document(await self.plane_call(self.plane.status))

    async def fabric_state(self, _request: Request) -> Response:
        """The faults of the present state, as `--faults` of other commands accepts them."""
        return document(await self.plane_call(self.plane.fabric_state))

    async def machine(self, _request: Request) -> Response:
        """The machine, as requests of other commands accept it."""
        return document(self.plane.request["machine"])

    async def cabling(self, request: Request) -> Response:
        """A file of the cabling: point-to-point CSV, fabric template, or static ARP table."""
        name = request.path_params["file"]
        if name not in CABLING:
            raise Refused(404, f"files of the cabling: {', '.join(CABLING)}")
        text = await self.plane_call(self.plane.cabling, name)
        return Response(text, media_type=CABLING[name])

    async def digest(self, _request: Request) -> Response:
        """A hash of all changes of state, and the number of logged requests."""
        return document(await self.plane_call(self.plane.digest))

    async def layout(self, request: Request) -> Response:
        """All groups, switches and links, for the page."""
        packed = await self.feed.packed_layout("gzip" in request.headers.get("accept-encoding", ""))
        headers = {"Cache-Control": "no-store"}
        if packed.is_gzip:
            headers["Content-Encoding"] = "gzip"
        return Response(packed.data, 200, headers, media_type="application/json")

    async def history(self, _request: Request) -> Response:
        return document(self.feed.history())

    async def events(self, request: Request) -> Response:
        """Events from a number on: `?since=N&limit=M`."""
        since = number(request, "since", 0, 0, 2**53)
        limit = number(request, "limit", 100, 1, 10_000)
        return document(await self.plane_call(self.plane.events, since, limit))

    async def cost(self, request: Request) -> Response:
        """The predicted cost of taking targets out of service, for the jobs on the fabric."""
        body = await body_of(request)
        targets = body.get("targets")
        is_list = isinstance(targets, list) and 0 < len(targets) <= MOST_TARGETS
        if not is_list or not all(isinstance(target, str) for target in targets):
            raise Refused(400, f"`targets` is a list of 1 to {MOST_TARGETS} xnames")
        job, fidelity = body.get("job"), body.get("fidelity", "flow")
        if fidelity not in list(costs.METHODS) or (fidelity == "packet" and job is None):
            raise Refused(400, "`fidelity` is flow, or packet with a `job`")
        if not (job is None or isinstance(job, str)) or set(body) - {"targets", "job", "fidelity"}:
            raise Refused(400, "the body is {targets, job: a name, fidelity}")
        async with self.predicting:
            answer = await asyncio.to_thread(self.costs.predict, targets, job, fidelity)
        return document(answer.body, answer.status)

    async def clock(self, request: Request) -> Response:
        """The simulated time and its speed; PATCH {speed} changes the speed."""
        if request.method == "PATCH":
            body = await body_of(request)
            speed = quantity(body, "speed", 10_000)
            await self.plane_call(self.plane.set_speed, speed)
        return document(await self.plane_call(self.time))

    def time(self) -> dict[str, float]:
        lag_s = self.plane.owed_s
        return {"nowSeconds": self.plane.core.now_s, "speed": self.plane.speed, "lagSeconds": lag_s}

    async def advance(self, request: Request) -> Response:
        """Advance the simulated time: POST {seconds}."""
        body = await body_of(request)
        end_s = self.plane.core.now_s + quantity(body, "seconds", 31 * 86_400)
        if end_s > self.plane.core.end_s:
            raise Refused(409, f"the simulated time ends at {self.plane.core.end_s:g} s")
        now_s = self.plane.core.now_s
        while (reached_s := await self.plane_call(self.plane.advance_to, end_s)) < end_s:
            await self.feed.collect()
            if reached_s == now_s:  # the core counts whole microseconds
                break
            now_s = reached_s
        await self.feed.collect()
        return document(await self.plane_call(self.time))

    async def tokens(self, request: Request) -> Response:
        """The names and roles of tokens; POST {name, role} creates one and shows it once."""
        if request.method == "GET":
            found = sorted(self.roles.values())
            return document({"tokens": [{"name": name, "role": role} for name, role in found]})
        body = await body_of(request)
        name, role = body.get("name"), body.get("role")
        if not (isinstance(name, str) and 0 < len(name) <= 64 and name.isidentifier()):
            raise Refused(400, "`name` is an identifier of at most 64 characters")
        if not isinstance(role, str) or role not in roles.ROLES:
            raise Refused(400, f"`role` is one of {', '.join(roles.ROLES)}")
        if set(body) - {"name", "role"}:
            raise Refused(400, "the body is {name, role}")
        if any(name == known for known, _ in self.roles.values()):
            raise Refused(409, f"a token `{name}` exists")
        token = await self.plane_call(self.plane.store.create_token, name, role)
        self.load_tokens_of([(name, role, hashed(token))])
        return document({"name": name, "role": role, "token": token}, 201)

    async def login(self, request: Request) -> Response:
        """The token of a secret."""
        try:
            kind = request.headers.get("content-type", "")
            secret = login.secret_of(kind, await request.body())
        except ValueError as error:
            raise Refused(400, str(error)) from None
        if self.holder(secret) is None:
            raise Refused(401, "the secret is no token of this service")
        return document(login.granted(secret))

    def holder(self, token: str) -> tuple[str, str] | None:
        """Name and role of a token."""
        try:
            sha = hashed(token.strip())
        except UnicodeEncodeError:  # JSON can hold half of a surrogate pair
            return None
        for known, found in self.roles.items():
            if hmac.compare_digest(known, sha):
                return found
        return None

    def load_tokens_of(self, rows: list[tuple[str, str, str]]) -> None:
        self.roles |= {sha: (name, role) for name, role, sha in rows}

    async def delete_token(self, request: Request) -> Response:
        """Revoke a token."""
        name = request.path_params["name"]
        if not await self.plane_call(self.plane.store.delete_token, name):
            raise Refused(404, f"no token `{name}`")
        self.roles = {sha: found for sha, found in self.roles.items() if found[0] != name}
        return Response(status_code=204)

    # Telemetry.

    async def prometheus(self, _request: Request) -> Response:
        text = await self.plane_call(telemetry.prometheus, self.plane)
        return Response(text, media_type="text/plain; version=0.0.4")

    async def ping(self, _request: Request) -> Response:
        """Whether the streams answer: clients wait for it after a lost connection."""
        return document({"api": "sma-telemetry-api", "version": "v1"})

    async def topics(self, _request: Request) -> Response:
        """The telemetry topics."""
        return document({"streams": [{"name": topic} for topic in telemetry.TOPICS]})

    async def stream(self, request: Request) -> Response:
        """A telemetry topic as server-sent events."""
        topic = request.path_params["topic"]
        if topic not in telemetry.TOPICS:
            raise Refused(404, f"topics: {', '.join(telemetry.TOPICS)}")
        batch = number(request, "batchsize", number(request, "batch", 1, 1, 10_000), 1, 10_000)
        count = number(request, "count", 0, 0, 2**53)
        last = request.headers.get("last-event-id", "")
        since = int(last) + 1 if last.isascii() and last.isdigit() and len(last) < 16 else None
        if "since" in request.query_params:
            since = number(request, "since", 0, 0, 2**53)
        lines = self.feed.stream(topic, batch, count, since)
        return StreamingResponse(
            lines, headers={"Cache-Control": "no-store"}, media_type="text/event-stream"
        )

    async def page_stream(self, _request: Request) -> Response:
        """Changes of switches and links, for the page."""
        return StreamingResponse(
            self.feed.changes(),
            headers={"Cache-Control": "no-store"},
            media_type="text/event-stream",
        )

    # Page and OpenAPI.

    async def page(self, _request: Request) -> Response:
        text = (PAGE / "index.html").read_text(encoding="utf-8")
        return Response(text, headers=PAGE_HEADERS, media_type="text/html")

    async def page_file(self, request: Request) -> Response:
        kinds = {"page.js": "text/javascript", "page.css": "text/css"}
        name = request.path_params["name"]
        if name not in kinds:
            raise Refused(404, f"no file `{name}` of the page")
        text = (PAGE / name).read_text(encoding="utf-8")
        return Response(text, headers=PAGE_HEADERS, media_type=kinds[name])

    async def openapi(self, _request: Request) -> Response:
        return document(openapi.description(self.settings.needs_token))

    async def openapi_page(self, _request: Request) -> Response:
        text = openapi.page(openapi.description(self.settings.needs_token))
        return Response(text, headers=PAGE_HEADERS, media_type="text/html")


class Guard:
    """Around the application: base paths, hosts, sizes, rates, tokens and roles."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service
        self.rate = RateLimit(service.settings.rate, time.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            scope = self.admitted(scope)
        except Refused as error:
            await refusal(error)(scope, receive, send)
            return
        await self.app(scope, limited(receive), send)

    def admitted(self, scope: Scope) -> Scope:
        """The request with its owner, or an error."""
        # Clients join a base path and an absolute path (sat: `fabric-manager//fabric/ports`).
        path = re.sub("/{2,}", "/", scope["path"])
        for base in (BASE, "/apis"):
            if path.startswith(f"{base}/"):
                path = path.removeprefix(base)
                break
        # Both names are in use (sma, dai-ds).
        if path.startswith("/sma-telemetry/"):
            path = "/sma-telemetry-api/" + path.removeprefix("/sma-telemetry/")
        scope = {**scope, "path": path, "raw_path": path.encode()}
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        self.check_browser(scope["method"], headers)
        size = headers.get(b"content-length", "0")
        if not size.isdigit() or int(size) > MOST_BODY:
            raise Refused(413, f"a body has at most {MOST_BODY} bytes")
        client = scope["client"][0] if scope.get("client") else "local"
        token = login.token_of(headers.get(b"authorization", ""))
        owner, role = self.identity(scope["method"], path, token)
        is_known = role is not None and role != SESSION
        # Wrong tokens and those of sessions count for the address of the client.
        if not self.rate.admits(owner if is_known else f"address {client}"):
            raise Refused(429, "too many requests", {"Retry-After": "1"})
        if role is None and not is_open(path):
            raise Refused(401, "a valid bearer token is needed", {"WWW-Authenticate": "Bearer"})
        if role is not None and role != SESSION and not roles.may(role, scope["method"], path):
            raise Refused(403, f"role {role} may not {scope['method']} {path}")
        state = {"owner": owner, "role": role, "token": token}
        scope["state"] = {**scope.get("state", {}), **state}
        return scope

    def check_browser(self, method: str, headers: dict[bytes, str]) -> None:
        """Reject what only a page of another site makes a browser send."""
        host = headers.get(b"host", "")
        if self.service.settings.is_loopback and not is_local(host):
            raise Refused(403, "the service answers for localhost only")
        origin = headers.get(b"origin")
        if method not in roles.READ and origin and origin.partition("://")[2] != host:
            raise Refused(403, "requests of other sites are not accepted")

    def identity(self, method: str, path: str, token: str) -> tuple[str, str | None]:
        """The owner and the role of a request; no role on open paths and with a wrong token."""
        if is_open(path):
            return "anonymous", None
        found = self.service.holder(token) if token else None
        if found is not None:
            return found
        if not self.service.settings.needs_token:
            return "anonymous", "admin"
        if token and method == "POST" and path.rstrip("/") == MULTICASTS:
            return SESSION, SESSION  # checked with the job in the body
        return "anonymous", None


def is_open(path: str) -> bool:
    """Whether a path needs no token."""
    return path in OPEN or path.startswith("/simulation/page/")


def limited(receive: Receive) -> Receive:
    """A body without a length that still ends at the limit."""
    size = 0

    async def next_part() -> Message:
        nonlocal size
        part = await receive()
        if part["type"] == "http.request":
            size += len(part.get("body", b""))
            if size > MOST_BODY:
                raise Refused(413, f"a body has at most {MOST_BODY} bytes")
        return part

    return next_part


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object of a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    # A form of another site can send other types without the browser's consent check. A body
    # without a type is that of a client without a browser (sat); a browser adds its origin, which
    # the guard has checked.
    if kind not in ("", "application/json"):
        raise Refused(415, "the body is application/json")
    try:
        found = json.loads(await request.body(), parse_constant=no_constant)
    except ClientDisconnect:
        raise Refused(400, "the body ended early") from None
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON") from None
    if not isinstance(found, dict):
        raise Refused(400, "the body is a JSON object")
    return found


def no_constant(word: str) -> Any:
    """JSON has no NaN and no infinities."""
    raise ValueError(word)


def number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """A whole number of the query."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 18 and least <= int(text) <= most):
        raise Refused(400, f"`{name}` is a whole number from {least} to {most}")
    return int(text)


def quantity(body: dict[str, Any], name: str, most: float) -> float:
    """The only value of a body, from 0 to `most`."""
    value = body.get(name)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not (0 <= value <= most) or not math.isfinite(value) or len(body) > 1:
        raise Refused(400, f"the body is {{{name}: 0 to {most:g}}}")
    return float(value)
