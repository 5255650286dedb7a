"""The machine under test is a real one: measurements are commands, started by its launcher."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import formats
from .campaign import Campaign
from .errors import CannotRun
from .load import LOADED
from .patterns import Test
from .twin import Measured

SOURCE = Path(__file__).with_name("fabric_test.c")
REPETITIONS = 20  # of a test by the test program
# The row of GPCNeT's table for each benchmark, and the number that makes its unit bytes or seconds.
GPCNET = {
    "rr_lat": ("RR Two-sided Lat", 1e-6),
    "rr_bw": ("RR Two-sided BW", float(1 << 20)),
    "rr_bw_sync": ("RR Two-sided BW+Sync", float(1 << 20)),
    "multiple_allreduce": ("Multiple Allreduce", 1e-6),
}
OSU = {"mbw_mr": 1e6, "multi_lat": 1e-6, "alltoall": 1e-6}
IS_RATE = ("mbw_mr", "rr_bw", "ior_write", "ior_read", "ior_write_group")
IOR = {"ior_write": "write", "ior_read": "read", "ior_write_group": "write"}
STAGE_OF = {"ior_write_group": "storage_links", "ior_write": "storage", "ior_read": "storage",
            "mbw_mr": "mbw_mr", "multi_lat": "multi_lat", "alltoall": "sizes",
            "rr_lat": "gpcnet", "rr_bw": "gpcnet", "multiple_allreduce": "gpcnet"}  # fmt: skip


class Launched:
    """Measures by commands."""

    def __init__(self, campaign: Campaign, directory: Path):
        assert campaign.launcher is not None
        self.campaign, self.launcher, self.directory = campaign, campaign.launcher, directory
        self.host = dict(zip(campaign.nodes, campaign.hosts, strict=True))
        self._texts: dict[str, str] = {}

    # Tests of MPI

    def program(self) -> str:
        """The path of the test program; it is compiled unless the campaign names one."""
        if self.launcher.program:
            base = os.path.dirname(os.path.abspath(self.campaign.path))
            return os.path.join(base, self.launcher.program)
        # A changed source or compiler is another program. A kill leaves no half of one.
        identity = self.launcher.compiler.encode() + b"\0" + SOURCE.read_bytes()
        target = self.directory / f"fabric_test-{hashlib.sha256(identity).hexdigest()[:12]}"
        if not target.exists():
            part = target.with_suffix(".part")
            command = [*shlex.split(self.launcher.compiler), "-O2", "-o", str(part), str(SOURCE)]
            self.run("compiler", command)
            os.replace(part, target)
        return str(target.resolve())

    def measure(self, test: Test, repeat: int, start_s: float) -> Measured:
        plan = self.directory / f"plan-{test.key}.txt"
        plan.write_text(plan_text(test), encoding="utf-8")
        hosts = [self.host[node] for node in test.nodes]
        words = self.words(self.launcher.command, hosts, test.ppn,
                           [self.program(), str(plan.resolve())])  # fmt: skip
        wall = time.monotonic()
        more = self.launcher.minimal_env if test.routing == "minimal" else {}
        text = self.run(test.name, words, more)
        took = time.monotonic() - wall
        plan.unlink()
        values = test.values(read_times(test, text))
        timeouts = formats.read_counter_report(text).timeouts
        return Measured(values, took, timeouts or 0)

    def words(self, template: str, hosts: list[str], ppn: int, program: list[str]) -> list[str]:
        """The command line of a template. `{program}` and `{bind}` may become several words."""
        values = {"n": str(len(hosts) * ppn), "ppn": str(ppn), "nodes": str(len(hosts)),
                  "hosts": ",".join(hosts)}  # fmt: skip
        found: list[str] = []
        for word in shlex.split(template):
            if word == "{program}":
                found += program
            elif word == "{bind}":
                found += shlex.split(self.launcher.bindings)
            else:
                found.append(re.sub(r"{(n|ppn|nodes|hosts)}", lambda m: values[m[1]], word))
        return found

    def run(self, what: str, words: list[str], more: Mapping[str, str] | None = None) -> str:
        """The standard output of a command, with more variables."""
        env = {**os.environ, **self.launcher.env, **(more or {})}
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, env=env, errors="replace",
                timeout=self.launcher.time_limit, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            limit = self.launcher.time_limit
            raise CannotRun(f"{what}: `{words[0]}` exceeded its limit of {limit:g} s") from None
        except OSError as error:
            raise CannotRun(f"{what}: `{words[0]}`: {error.strerror}") from None
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["no output"]
            raise CannotRun(f"{what}: `{words[0]}` ended with {done.returncode}: {last[0]}")
        return done.stdout

    # Other tools

    def tool(self, stage: str, nodes: tuple[int, ...]) -> str:
        hosts = [self.host[node] for node in nodes]
        ppn = self.launcher.ppn or 1
        # Like its prediction, this stage needs minimal routing to show a single cable.
        more = self.launcher.minimal_env if stage == "storage_links" else {}
        return self.run(stage, self.words(self.campaign.commands[stage], hosts, ppn, []), more)

    def health_text(self, nodes: tuple[int, ...]) -> str:
        return self.tool("health", nodes)

    def loopback_text(self, nodes: tuple[int, ...], repeat: int) -> str:
        return self.tool("loopback", nodes)

    def counters_text(self, now_s: float) -> str:
        return self.tool("counters", self.campaign.nodes)

    def benchmark(self, name: str, size: int, nodes: tuple[int, ...], ppn: int, repeat: int,
                  start_s: float) -> float:  # fmt: skip
        """Bytes per second, or calls per second, of a benchmark's output."""
        stage = "gpcnet_load" if name.endswith(LOADED) else STAGE_OF[name]
        key = f"{stage} {repeat} {nodes}"
        if key not in self._texts:
            self._texts[key] = self.tool(stage, nodes)
        try:
            if stage == "gpcnet":
                row, unit = GPCNET[name]
                value = formats.read_gpcnet(self._texts[key])["isolated"][row]["mean"] * unit
            elif stage == "gpcnet_load":
                row, _ = GPCNET[name.removesuffix(LOADED)]
                value = formats.read_gpcnet(self._texts[key])["impact"][row]["mean"]
            elif name in IOR:
                value = formats.read_ior(self._texts[key])[IOR[name]]
            else:
                value = formats.read_osu(self._texts[key])[size] * OSU[name]
        except KeyError as error:
            raise CannotRun(f"{stage}: the output has no row {error}") from None
        return value if name in IS_RATE else 1 / value


def plan_text(test: Test) -> str:
    """The plan of a test, as the test program reads it."""
    name = re.sub(r"\W+", "-", test.name)
    lines = [f"test {name} {test.size} {test.window} {test.ppn} {int(test.apart)} "
             f"{int(test.both)} {REPETITIONS}"]  # fmt: skip
    lines += ["set " + " ".join(map(str, ranks)) for ranks in test.sets]
    lines += ["round " + " ".join(f"{a}-{b}" for a, b in pairs) for pairs in test.rounds]
    return "\n".join(lines) + "\n"


def read_times(test: Test, text: str) -> Mapping[str, Any]:
    """Times of pairs or ranks in the output of the test program."""
    pairs: dict[tuple[int, int, int], float] = {}
    ranks: dict[int, float] = {}
    for _, line in formats.lines_by_host(text):
        words = line.split()
        if words[:1] == ["pair"] and len(words) == 6:
            nth, a, b = map(int, words[1:4])
            pairs[nth, a, b] = float(words[4])
        elif words[:1] == ["rank"] and len(words) == 3:
            ranks[int(words[1])] = float(words[2])
    try:
        if test.apart:
            return {"pairs_s": [[pairs[nth, min(p), max(p)] for p in of_round]
                                for nth, of_round in enumerate(test.rounds)]}  # fmt: skip
        return {"ranks_s": [ranks[rank] for rank in range(len(test.nodes) * test.ppn)]}
    except KeyError as error:
        raise CannotRun(f"{test.name}: the test program printed no time of {error}") from None
