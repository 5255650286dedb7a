"""Memory and lag of the fabric manager's service over an hour of simulated storms.

    python docs/figures/fabric_storms.py [--machine aurora] [--flaps 5000] [--minutes 60]

Each simulated minute has a storm of flaps. One reader follows a telemetry stream and one the stream
of the live page. Prints a table for docs/fabric/scenarios.md: resident memory, events, and the wall
time from the end of a minute until the reader has its last event.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from odonata.fabric_commands.client import Client

PORT = 8731
ADDRESS = f"http://127.0.0.1:{PORT}"


def resident_mb(pid):
    """Resident memory of a process, in MB (10^6 bytes)."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    [row] = [row for row in text.splitlines() if row.startswith("VmRSS")]
    return int(row.split()[1]) * 1024 / 1e6


class Reader(threading.Thread):
    """Reads a stream of server-sent events."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.answer = urllib.request.urlopen(f"{ADDRESS}{path}", timeout=600)
        self.last = -1  # number of the last event
        self.events = 0
        self.start()

    def run(self):
        for line in self.answer:
            if line.startswith(b"id: "):
                self.last = int(line[4:])
            elif line.startswith(b"data: "):
                self.events += line.count(b'"MessageId"') or 1


def serve(machine, folder):
    """A service whose time stands until it is advanced."""
    command = [sys.executable, "-m", "odonata", "fabric", "serve", "--machine", machine,
               "--port", str(PORT), "--speed", "0", "--rate", "0", "--no-auth",
               "--state", str(Path(folder) / "storm.sqlite")]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    while "page: " not in process.stderr.readline():
        assert process.poll() is None, "the service ended"
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return process


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--machine", default="aurora")
    parser.add_argument("--flaps", type=int, default=5_000)
    parser.add_argument("--minutes", type=int, default=60)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process = serve(given.machine, folder)
        try:
            measure(process.pid, given)
        finally:
            process.terminate()
            process.wait()


def measure(pid, given):
    client = Client(ADDRESS, "none")
    client.request("POST", "/simulation/jobs", {"name": "j", "nodeCount": 512})
    telemetry = Reader("/sma-telemetry-api/v1/stream/cray-fabric-telemetry?batchsize=1000")
    page = Reader("/simulation/stream")
    first = client.get("/simulation/status")["eventTotals"][0]  # CrayFabricTelemetry
    print("| simulated minute | resident, MB | events | lag of the stream, s |")
    print("|---|---|---|---|")
    started = time.perf_counter()
    for minute in range(given.minutes + 1):
        if minute:
            storm = {"kind": "STORM", "count": given.flaps, "seconds": 60}
            client.request("POST", "/simulation/faults", storm)
            client.request("POST", "/simulation/clock/advance", {"seconds": 60})
        ended = time.perf_counter()
        total = client.get("/simulation/status")
        wanted = total["eventTotals"][0] - first
        while telemetry.events < wanted:
            time.sleep(0.01)
            assert time.perf_counter() - ended < 120, (telemetry.events, wanted)
        if minute % max(1, given.minutes // 6) == 0:
            lag_s = time.perf_counter() - ended
            row = f"| {minute} | {resident_mb(pid):.0f} | {total['events']} | {lag_s:.2f} |"
            print(row, flush=True)
    wall_s = time.perf_counter() - started
    print(f"\n{json.dumps({'wall_s': round(wall_s, 1), 'steps_of_the_page': page.events})}")
    assert telemetry.events == wanted, "each event once"


main()
