"""Texts of the tools of a fabric: readers for all, and writers for those that the twin stands in
for.

Sources: HPE Slingshot Host Software guides (cxi_healthcheck, cxi_gpu_loopback_bw, dgnettest), OSU
Micro-Benchmarks, GPCNeT, Cray MPICH (counter report). Lines may have the prefix `host: ` of pdsh.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import CannotRun

# The checks of cxi_healthcheck (HPE Slingshot Host Software guide).
CHECKS = (
    "pci_check", "mac_check", "link_check", "link_properties_check", "link_flap_check",
    "dmesg_check", "service_check", "run_idle_check", "trs_leak_check", "ping_check",
    "codeword_rate_check", "pci_error_check", "fw_version_check",
)  # fmt: skip


class Unreadable(CannotRun):
    """The text of a tool has no result of the expected form."""


def lines_by_host(text: str) -> Iterator[tuple[str, str]]:
    """Host and line; without pdsh's prefix the host of the line before."""
    host = ""
    for line in text.splitlines():
        match = re.match(r"([\w.\-]+): (.*)", line)
        if match and match[1] not in ("Device", "Check"):
            host, line = match[1], match[2]
        yield host, line


# Health


def healthcheck(host: str, devices: Sequence[Iterable[str]]) -> str:
    """The text of cxi_healthcheck on all devices of a host, under pdsh. Each device is given by
    the checks that fail."""
    found = []
    for nth, failed in enumerate(devices):
        found.append(f"{host}: Device: cxi{nth}")
        found += [
            f"{host}: Check: {check:<22} Result: {'Fail' if check in failed else 'Pass'}"
            for check in CHECKS
        ]
    return "\n".join(found)


def read_healthcheck(text: str) -> dict[tuple[str, int], list[str]]:
    """Failed checks by host and device. A skipped check has not failed."""
    found: dict[tuple[str, int], list[str]] = {}
    device = 0
    for host, line in lines_by_host(text):
        if match := re.match(r"\s*Device\s*: cxi(\d+)", line):
            device = int(match[1])
            found.setdefault((host, device), [])
        elif match := re.match(r"\s*Check: (\S+)\s+Result: (\S+)", line):
            failed = found.setdefault((host, device), [])
            if match[2].lower().startswith("fail"):
                failed.append(match[1])
    if not found:
        raise Unreadable("no line `Check: NAME  Result: Pass`")
    return found


LOOPBACK_BYTES = 524_288  # default size of cxi_gpu_loopback_bw


def loopback(host: str, rates: Sequence[float]) -> str:
    """The text of cxi_gpu_loopback_bw on each device of a host, Gbit/s, under pdsh."""
    lines = []
    for nth, rate in enumerate(rates):
        packets = rate * 1e9 / 8 / 2048 / 1e6
        lines += [
            "---------------------------------------------------",
            "    CXI Loopback Bandwidth Test",
            f"Device           : cxi{nth}",
            "RDMA Size[B]      Writes  BW[Gb/s]  PktRate[Mpkt/s]",
            f"{LOOPBACK_BYTES:>12}{round(rate * 15e9 / 8 / LOOPBACK_BYTES):>12}{rate:>10.2f}"
            f"{packets:>17.6f}",
        ]
    return "\n".join(f"{host}: {line}" for line in lines)


def read_loopback(text: str) -> dict[tuple[str, int], float]:
    """Gbit/s by host and device."""
    found = {}
    device = 0
    for host, line in lines_by_host(text):
        if match := re.match(r"\s*Device\s*: cxi(\d+)", line):
            device = int(match[1])
        elif match := re.match(r"\s*\d+\s+\d+\s+([\d.]+)\s+[\d.]+\s*$", line):
            found[host, device] = float(match[1])
    if not found:
        raise Unreadable("no row below `RDMA Size[B]  Writes  BW[Gb/s]`")
    return found


# Counters of ports


COLUMNS = ("port", "flaps", "last_flap_s", "ber", "lanes", "policy", "discards", "paused")


PAUSED = 0.2  # share of time in pauses that indicates congestion by others [estimate]


@dataclass
class Port:
    """Counters of a cable's ports since the campaign began. `port` is `NODE:NIC`, or two switches
    or groups and a number: `s3-s9#0`, `g0-g5#1`."""

    port: str
    flaps: int = 0
    last_flap_s: float = 0.0
    ber: float = 0.0  # corrected bit errors, of both ends the larger
    lanes: int = 4
    policy: str = "ok"  # or the name of the deviating policy
    discards: int = 0
    paused: float = 0.0  # share of the time in which the port was paused

    @property
    def is_congested(self) -> bool:
        """Whether pauses explain a low bandwidth: nothing of the port itself deviates."""
        return self.paused > PAUSED and self.lanes == 4 and self.policy == "ok"


def counters(ports: Iterable[Port]) -> str:
    """A CSV table of ports."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in ports:
        writer.writerow([one.port, one.flaps, f"{one.last_flap_s:g}", f"{one.ber:.3g}", one.lanes,
                         one.policy, one.discards, f"{one.paused:.3f}"])  # fmt: skip
    return out.getvalue()


def read_counters(text: str) -> list[Port]:
    """The same, read. Columns other than `port` are optional."""
    rows = csv.DictReader(io.StringIO(text))
    if not rows.fieldnames or "port" not in rows.fieldnames:
        raise Unreadable(f"no CSV header with `port` and some of {', '.join(COLUMNS[1:])}")
    found = []
    for number, row in enumerate(rows, 2):
        one = Port(row["port"])
        try:
            for name in COLUMNS[1:]:
                if row.get(name):
                    kind = type(getattr(one, name))
                    setattr(one, name, kind(row[name]))
        except ValueError as error:
            raise Unreadable(f"line {number} of the counters: {error}") from None
        found.append(one)
    return found


# dgnettest


@dataclass
class NetTest:
    """Rows of dgnettest: bandwidth per node by test and set, MB/s, and its own verdict."""

    rows: dict[str, dict[int, float]] = field(default_factory=dict)
    nodes: dict[int, str] = field(default_factory=dict)
    passed: bool | None = None


def read_dgnettest(text: str) -> NetTest:
    """The means over the iterations of each set."""
    found = NetTest()
    sums: dict[tuple[str, int], list[float]] = {}
    for _, line in lines_by_host(text):
        parts = line.split()
        if len(parts) == 10 and all(number(p) is not None for p in parts[1:]):
            sums.setdefault((parts[0], int(parts[3])), []).append(float(parts[9]))
        elif "PASSED" in line or "FAILED" in line:
            found.passed = "FAILED" not in line
        elif match := re.search(r"for set (\d+) location \S+ \d+ nodes: (\S+)", line):
            found.nodes[int(match[1])] = match[2]
    for (test, nth), values in sums.items():
        found.rows.setdefault(test, {})[nth] = sum(values) / len(values)
    if not found.rows:
        raise Unreadable("no rows `Test Iter Bytes Set Base Ranks Reps Secs BW/proc BW/node`")
    return found


def dgnettest(
    test: str,
    size: int,
    sets: Sequence[Sequence[int]],
    ppn: int,
    repeats: Sequence[Sequence[float]],
) -> str:
    """The table of dgnettest for sets of ranks; `repeats` has bytes per second per node. `Secs` is
    the time in which a rank moves its `Bytes`."""
    lines = ["Test       Iter    Bytes   Set    Base   Ranks    Reps      Secs   BW/proc   BW/node"]
    for iteration, values in enumerate(repeats):
        for nth, (ranks, rate) in enumerate(zip(sets, values, strict=True)):
            lines.append(
                f"{test:<10} {iteration:>4} {size:>8} {nth:>5} {ranks[0]:>7} {len(ranks):>7} "
                f"{1:>7} {size * ppn / rate:>9.6f} {rate / ppn / 1e6:>9.1f} {rate / 1e6:>9.1f}"
            )
    return "\n".join(lines)


# OSU and GPCNeT


def number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def read_osu(text: str) -> dict[int, float]:
    """The first result column by message size: MB/s or us."""
    found = {}
    for line in text.splitlines():
        parts = line.split()
        if len(parts) >= 2 and parts[0].isdecimal() and number(parts[1]) is not None:
            found[int(parts[0])] = float(parts[1])
    if not found:
        raise Unreadable("no rows `SIZE VALUE` as OSU's benchmarks print them")
    return found


# Section of GPCNeT's output by the words of its title; the first that fits.
GPCNET_SECTIONS = (
    ("Key Results", "impact"), ("running with Congestion", "congested"),
    ("Isolated Congestion", "congestors"), ("Isolated Network", "isolated"),
)  # fmt: skip


def read_gpcnet(text: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Mean and 99th percentile by section and test, in the units of the table.

    network_test prints the section `isolated`. network_load_test also prints `congested`, and in
    `impact` the ratio of both. In its verbose form a table of each test has the congestors' rows.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    section = "isolated"
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 1:
            section = next((key for words, key in GPCNET_SECTIONS if words in line), section)
        elif "Avg" in cells:
            columns = cells
        elif len(cells) == len(columns) and cells[0]:
            values = dict(zip(columns, cells, strict=True))
            mean, p99 = (re.match(r"([\d.]+)X?$", values.get(key, "")) for key in ("Avg", "99%"))
            if mean and p99:
                unit = re.search(r"\(([^)]*)\)", cells[0])
                name = re.sub(r"\s*\([^)]*\)", "", cells[0])
                row = {"unit": values.get("Units") or (unit[1] if unit else "")}
                row |= {"mean": float(mean[1]), "p99": float(p99[1])}
                found.setdefault(section, {}).setdefault(name, row)
    if not found:
        raise Unreadable("no rows of GPCNeT's table `| Name | Avg | 99% | Units |`")
    return found


def read_ior(text: str) -> dict[str, float]:
    """Bytes per second of `write` and `read`, from the summary of IOR."""
    rows = re.findall(r"Max (Write|Read):\s+([\d.]+) MiB/sec", text)
    if not rows:
        raise Unreadable("no line `Max Write: ... MiB/sec` of IOR")
    return {phase.lower(): float(value) * (1 << 20) for phase, value in rows}


# Cray MPICH


# Name and three values of a row below `Computed Ratios`; the name has blanks.
RATIO = re.compile(r"(\S.*?)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)")


@dataclass
class CounterReport:
    """Network timeouts, the counter summary, and ratios computed of counters."""

    timeouts: int | None = None
    counters: dict[str, dict[str, float]] = field(default_factory=dict)  # samples, min, mean, max
    ratios: dict[str, dict[str, float]] = field(default_factory=dict)  # min, mean, max


def read_counter_report(text: str) -> CounterReport:
    """The report of a program's MPI library. A part that is absent is empty."""
    found = CounterReport()
    part = ""
    for line in text.splitlines():
        words = line.split()
        if match := re.search(r"MPICH Slingshot Network Summary: (\d+) network timeouts", line):
            found.timeouts = int(match[1])
        elif "MPICH Slingshot CXI Counter Summary:" in line:
            part = "counters"
        elif words[:2] == ["Computed", "Ratios"]:
            part = "ratios"
        elif part == "counters" and len(words) == 8:
            values = [number(word) for word in words[1:]]
            if None not in values:
                keys: Mapping[str, int] = {"samples": 0, "min": 1, "mean": 3, "max": 5}
                found.counters[words[0]] = {key: float(values[at] or 0) for key, at in keys.items()}
        elif part == "ratios" and (match := RATIO.fullmatch(line.strip())):
            columns = zip(("min", "mean", "max"), match.groups()[1:], strict=True)
            found.ratios[match[1]] = {key: float(value) for key, value in columns}
    return found
