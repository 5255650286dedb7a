"""A process of `odonata fabric serve`, for tests."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import CommandLine
from odonata.fabric_commands.client import Client

MACHINE = "lumi-c"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Service:
    """A process of `odonata fabric serve`."""

    def __init__(self, odonata: CommandLine, *more: object, port: int = 0, speed: object = 0):
        self.odonata = odonata
        self.port = port or free_port()
        self.process = subprocess.Popen(
            odonata.arguments(
                "fabric", "serve", "--machine", MACHINE, "--port", self.port, "--speed", speed,
                "--rate", 0, *more,
            ),
            cwd=odonata.cwd, env=odonata.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        )  # fmt: skip
        self.lines: list[str] = []

    def wait(self, what: str = "page: ") -> Service:
        """Wait until a line begins with a text."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if what in line:
                return self
        raise AssertionError("".join(self.lines))

    @property
    def state(self) -> Path:
        """The file of its log, unless a test names another one."""
        return Path(self.odonata.cwd) / f"fabric-{MACHINE}.sqlite"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        [line] = [line for line in self.lines if "admin token: " in line]
        return line.split()[-1]

    def client(self, token: str | None = None) -> Client:
        return Client(self.address, token or self.token)

    def end(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.wait()
        if self.process.stdout is not None:
            self.lines += self.process.stdout.readlines()
            self.process.stdout.close()


@pytest.fixture
def serve(odonata: CommandLine) -> Iterator[Any]:
    """Starts services, and kills those that still run at the end."""
    started: list[Service] = []

    def start(*more: object, **how: Any) -> Service:
        started.append(Service(odonata, *more, **how))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.end(signal.SIGKILL)
