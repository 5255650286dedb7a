"""A process of `odonata fabric serve` for the checks of this directory."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
from typing import Any

from odonata.fabric_commands.client import Client


class Service:
    """A served fabric whose time stands, in a directory that is removed at the end."""

    def __init__(self, machine: str, *more: str) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.token = ""
        self.place = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "odonata", "fabric", "serve", "--machine", machine, "--port",
             str(port), "--speed", "0", "--rate", "0", *more],
            cwd=self.place.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.said = ""

    def __enter__(self) -> Service:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if "admin token: " in line:
                self.token = line.split()[-1]
            if "page: " in line:
                self.client = Client(self.address, self.token)
                return self
        raise RuntimeError(self.said)

    def __exit__(self, *_: Any) -> None:
        self.process.terminate()
        said = self.process.communicate()[0]
        if re.search("Traceback|panicked", said):
            print(said)
        self.place.cleanup()
