"""Requests per second and latency of a served fabric under load.

    python conformance/fabric/load.py [--machine aurora] [--seconds 20]

32 clients send GET and PATCH requests, beside 1,000 subscribers of telemetry and storms of faults.
Prints one line per verb, and the resident memory at the start and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from serving import Service

CLIENTS, SUBSCRIBERS = 32, 1000
STREAM = "/sma-telemetry-api/v1/stream/cray-fabric-telemetry?batchsize=100"


def main() -> int:
    """Serve, load, print. Returns 1 if a request or a subscriber failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--machine", default="aurora")
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    with Service(given.machine) as service:
        return asyncio.run(load(service, given.seconds))


def resident_mb(pid: int) -> float:
    """Resident memory of a process."""
    text = Path(f"/proc/{pid}/statm").read_text(encoding="ascii")
    return int(text.split()[1]) * 4096 / 1e6


async def load(service: Service, seconds: float) -> int:
    """All clients at once."""
    before = resident_mb(service.process.pid)
    port = int(service.address.rpartition(":")[2])
    received = [0] * SUBSCRIBERS
    readers = [
        asyncio.create_task(subscribe(port, service.token, received, n)) for n in range(SUBSCRIBERS)
    ]
    await asyncio.sleep(3)
    end = time.monotonic() + seconds
    times: dict[str, list[float]] = {"GET": [], "PATCH": []}
    ports = service.client.get(f"/fabric/ports?$limit={CLIENTS}")["documentLinks"]
    clients = [client(port, service.token, ports[n], n, end, times) for n in range(CLIENTS)]
    failed = sum(await asyncio.gather(*clients, storms(port, service.token, end)))
    await asyncio.sleep(2)
    for reader in readers:
        reader.cancel()
    for verb, found in times.items():
        found.sort()
        if found:
            half, most = found[len(found) // 2], found[len(found) * 99 // 100]
            print(f"{verb:6} {len(found) / seconds:8.0f} per s, median {half * 1e3:6.1f} ms, "
                  f"99 % {most * 1e3:6.1f} ms")  # fmt: skip
    print(f"subscribers: {SUBSCRIBERS}, events each: {min(received)} to {max(received)}")
    after = resident_mb(service.process.pid)
    print(f"resident memory: {before:.0f} MB, then {after:.0f} MB; failed requests: {failed}")
    return int(failed > 0 or min(received) != max(received))


async def subscribe(port: int, token: str, received: list[int], n: int) -> None:
    """Count the events of a stream."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    writer.write(request("GET", STREAM, token, None))
    async for line in reader:
        if line.startswith(b"data: "):
            received[n] += line.count(b'"MessageId"')


def request(verb: str, path: str, token: str, body: object) -> bytes:
    """The bytes of a request."""
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
    if data:
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
    return (head + "\r\n").encode() + data


async def answer(reader: asyncio.StreamReader) -> int:
    """The status of an answer, whose body is read."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    )
    await reader.readexactly(length)
    return int(head.split()[1])


async def client(
    port: int, token: str, link: str, n: int, end: float, times: dict[str, list[float]]
) -> int:
    """Nine GETs per PATCH on one connection. Returns the number of failed requests."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    failed, count = 0, n
    while time.monotonic() < end:
        verb = "PATCH" if count % 10 == 0 else "GET"
        body = {"note": f"client {n}, {count}"} if verb == "PATCH" else None
        start = time.monotonic()
        writer.write(request(verb, link, token, body))
        failed += await answer(reader) != 200
        times[verb].append(time.monotonic() - start)
        count += 1
    writer.close()
    return failed


async def storms(port: int, token: str, end: float) -> int:
    """A storm of faults per second."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    failed = 0
    while time.monotonic() < end:
        storm = {"kind": "STORM", "count": 20, "seconds": 5}
        for path, body, wanted in (
            ("/simulation/faults", storm, 201), ("/simulation/clock/advance", {"seconds": 5}, 200)
        ):  # fmt: skip
            writer.write(request("POST", path, token, body))
            failed += await answer(reader) != wanted
        await asyncio.sleep(1)
    writer.close()
    return failed


if __name__ == "__main__":
    sys.exit(main())
