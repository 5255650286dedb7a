"""The machine under test is the twin: measurements are simulations with planted faults.

A measurement is the simulated value, a systematic error of its test, and noise of the repeat. Both
are drawn from the campaign's seed, so a resumed campaign continues as it would have.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import benchmarking, core, io_benchmarks
from ..machines import Machine
from . import formats, load, parts
from .campaign import Campaign
from .errors import CannotRun
from .faults import Planted
from .patterns import Test
from .wiring import Wiring

# Wall time of one test on the machine: the launch and dgnettest's default measurement [estimate].
LAUNCH_S = 15.0
TEST_S = 10.0
LOOPBACK_GBIT_S = 185.0  # the middle of 182 to 187 (HPE, fabric validation)
LOOPBACK_SHARE = {"pcie": 0.5, "policy": 0.5}  # of the link's rate; others by their lanes
# A link's corrected bit-error rate without a fault (HPE: about 1e-11 is normal).
NORMAL_BER = 1e-11
COUNTED_BITS = 8e11  # 4 s of 200 Gbit/s, as cxiberstat measures
# Phases of IOR, one rank and file per node, on the machine's first file system.
IOR = {"ior_write": "write", "ior_read": "read", "ior_write_group": "write"}
IOR_OPTIONS = "-t 4m -b 64m -F -w -r"
RETRY_S = 1.07  # a lost packet waits for its timer (docs/models/faults.md)


@dataclass
class Measured:
    """Values of a test's units, and how long it took on the machine."""

    values: list[float]
    took_s: float
    timeouts: int = 0


def simulate(
    machine: Machine, test: Test, fidelity: str, tick: core.Tick | None = None
) -> list[float]:
    """The twin's value of each unit of a test."""
    machine = replace(machine, routing=test.routing) if test.routing else machine
    placement = [node for node in test.nodes for _ in range(test.ppn)]
    job = machine.job(nodes=len(test.nodes), ppn=test.ppn, placement=placement, limits="off")
    request = {
        **job.request(test.fidelity or fidelity),
        "nodes": len(test.nodes),
        "ppn": test.ppn,
        "bytes": test.size,
        "window": test.window,
        "rounds": test.rounds,
        "apart": test.apart,
        "both": test.both,
    }
    answer = core.enter("exchanges", request, tick)
    if answer["failure"]:
        raise CannotRun(f"{test.name}: {answer['failure']['message']}")
    return test.values(answer)


class Predictions:
    """The twin's values without faults, each computed once."""

    def __init__(self, machine: Machine, fidelity: str, wiring: Wiring):
        self.machine, self.fidelity, self.wiring = machine, fidelity, wiring
        self._found: dict[str, list[float]] = {}
        self._kept: set[str] = set()

    def forget(self) -> None:
        """Drop predictions that were used once, to bound the memory of many campaigns."""
        self._found = {key: value for key, value in self._found.items() if key in self._kept}

    def of(self, test: Test, tick: core.Tick | None = None) -> list[float]:
        """The values of a test. Its independent parts are simulated one by one."""
        return parts.joined(test, self.wiring, lambda part: self.of_part(part, tick))

    def of_part(self, part: parts.Part, tick: core.Tick | None = None) -> list[float]:
        """The values of a part, from an equal part if one is known."""
        test = parts.moved(part, self.wiring)
        if test.key not in self._found:
            self._found[test.key] = simulate(self.machine, test, self.fidelity, tick)
        else:
            self._kept.add(test.key)
        return self._found[test.key]

    def benchmark(self, name: str, size: int, nodes: tuple[int, ...], ppn: int) -> float:
        key = f"{name} {size} {nodes} {ppn}"
        if key not in self._found:
            self._found[key] = [benchmark(self.machine, self.fidelity, name, size, nodes, ppn)]
        return self._found[key][0]


def benchmark(
    machine: Machine, fidelity: str, name: str, size: int, nodes: tuple[int, ...], ppn: int
) -> float:
    """A built-in benchmark on nodes: bytes per second, or calls per second for a latency. Beside
    congestors, the inverse of their impact."""
    if name.endswith(load.LOADED):
        test = name.removesuffix(load.LOADED)
        return 1 / load.congestion_impact(machine, test, size, nodes, ppn)
    if name == "ior_write_group":  # only minimal routing and contention show a single cable
        machine, fidelity = replace(machine, routing="minimal"), "flow"
    if name in IOR:
        job = machine.job(nodes=len(nodes), ppn=1, placement=list(nodes), limits="off")
        rows = io_benchmarks.io_bench("ior", job, IOR_OPTIONS, None, fidelity)["rows"]
        return next(row["rate_B_per_s"] for row in rows if row["phase"] == IOR[name])
    placement = [node for node in nodes for _ in range(ppn)]
    job = machine.job(nodes=len(nodes), ppn=ppn, placement=placement, limits="off")
    row = benchmarking.bench(name, job, [size], fidelity).rows[0]  # type: ignore[arg-type]
    if "bandwidth_B_per_s" in row:
        return row["bandwidth_B_per_s"]
    return 1 / row["latency_s"]


class Twin:
    """Measures on the twin."""

    def __init__(self, campaign: Campaign, wiring: Wiring, predictions: Predictions):
        self.campaign, self.wiring = campaign, wiring
        self.faults = campaign.twin.faults
        self.machine, self.has_effect = self.with_faults(self.faults)
        self.predictions = predictions
        self._values: dict[str, list[float]] = {}

    def with_faults(self, faults: Sequence[Planted]) -> tuple[Machine, bool]:
        """The machine with faults, and whether they change a simulation."""
        rows = "".join(fault.schedule(self.wiring, self.campaign.fidelity) for fault in faults)
        machine = self.campaign.machine
        if not rows:
            return machine, False
        return replace(machine, faults={"name": "twin.fault", "toml": rows}), True

    def simulated(self, part: parts.Part) -> list[float]:
        """The values of a part of a test. Without a fault near they are the prediction."""
        machine, has_effect = self.with_faults(parts.touching(self.faults, part, self.wiring))
        if not has_effect:
            return self.predictions.of_part(part)
        return simulate(machine, part.test, self.campaign.fidelity)

    def rng(self, *words: object) -> random.Random:
        return random.Random(":".join(map(str, (self.campaign.twin.seed, *words))))

    def noisy(self, values: list[float], key: str, repeat: int) -> list[float]:
        """With the test's systematic error and the noise of this repeat."""
        twin = self.campaign.twin
        bias = math.exp(self.rng("bias", key.partition(" ")[0]).gauss(0, twin.bias))
        draw = self.rng("noise", key, repeat).gauss
        return [value * bias * math.exp(draw(0, twin.noise)) for value in values]

    # Tests of MPI

    def measure(self, test: Test, repeat: int, start_s: float) -> Measured:
        if test.key not in self._values:
            self._values[test.key] = parts.joined(test, self.wiring, self.simulated)
        values = self.noisy(list(self._values[test.key]), f"{test.name} {test.key}", repeat)
        rounds = len(test.rounds) if test.apart else 1
        took = LAUNCH_S + TEST_S * rounds / (10 if test.apart else 1)
        timeouts = 0
        for fault in self.faults:
            if fault.start_s < start_s + took and start_s < fault.start_s + fault.length_s:
                hit = self.touched(fault, test)
                if fault.kind == "flap":
                    lost = math.ceil(fault.length_s / RETRY_S) * RETRY_S
                    timeouts += math.ceil(fault.length_s / RETRY_S) * len(hit)
                    values = [v * TEST_S / (TEST_S + lost) if i in hit else v
                              for i, v in enumerate(values)]  # fmt: skip
                elif fault.kind == "congestion":
                    values = [v * fault.share if i in hit else v for i, v in enumerate(values)]
        return Measured(values, took, timeouts)

    def touched(self, fault: Planted, test: Test) -> set[int]:
        """The units that an interruption of this part delays: those that send through it."""
        group = [self.wiring.group_of(node) for node in test.nodes]
        ppn = test.ppn

        def uses(pair: tuple[int, int]) -> bool:
            a, b = (rank // ppn for rank in pair)
            if fault.kind == "congestion":
                return group[a] != group[b]
            if fault.place == "nic":
                node, nic = fault.at
                return any(test.nodes[r // ppn] == node and r % ppn == nic for r in pair)
            ends = [self.switch(test.nodes[r // ppn], r % ppn) for r in pair]
            if fault.place == "groups":
                return sorted({group[a], group[b]}) == list(fault.at[:2])
            return sorted(ends) == list(fault.at[:2])

        if test.apart:
            return {i for i, pair in enumerate(test.pairs) if uses(pair)}
        of_rank = {rank: i for i, ranks in enumerate(test.sets) for rank in ranks}
        return {of_rank[pair[0]] for pair in test.pairs if uses(pair)}

    def switch(self, node: int, nic: int) -> int:
        switches = self.wiring.switches[node]
        return switches[nic % len(switches)]

    def benchmark(self, name: str, size: int, nodes: tuple[int, ...], ppn: int, repeat: int,
                  start_s: float) -> float:  # fmt: skip
        key = f"{name} {size} {nodes} {ppn}"
        if key not in self._values:
            if self.has_effect:
                machine, fidelity = self.machine, self.campaign.fidelity
                self._values[key] = [benchmark(machine, fidelity, name, size, nodes, ppn)]
            else:
                self._values[key] = [self.predictions.benchmark(name, size, nodes, ppn)]
        value = self.noisy(self._values[key], f"{name} {key}", repeat)[0]
        for fault in self.congestion(start_s, start_s + LAUNCH_S + TEST_S):
            value *= fault.share
        return value

    def congestion(self, start_s: float, end_s: float) -> list[Planted]:
        found = (fault for fault in self.faults if fault.kind == "congestion")
        return [f for f in found if f.start_s < end_s and start_s < f.start_s + f.length_s]

    # Stand-ins for tools that need root

    @functools.cached_property
    def by_nic(self) -> dict[tuple[int, int], list[Planted]]:
        found: dict[tuple[int, int], list[Planted]] = {}
        for fault in self.faults:
            if fault.place == "nic":
                found.setdefault((fault.at[0], fault.at[1]), []).append(fault)
            elif fault.place == "switch":
                for nic in self.wiring.nics_of_switch(fault.at[0]):
                    found.setdefault(nic, []).append(fault)
        return found

    def nics(self, node: int) -> int:
        return len(self.wiring.switches[node])

    def health_text(self, nodes: tuple[int, ...]) -> str:
        """cxi_healthcheck on each node."""
        texts = []
        for node in nodes:
            devices = [self.failed_checks(node, nic) for nic in range(self.nics(node))]
            texts.append(formats.healthcheck(f"nid{node}", devices))
        return "\n".join(texts)

    def failed_checks(self, node: int, nic: int) -> set[str]:
        failed = set()
        for fault in self.by_nic.get((node, nic), ()):
            check = {"pcie": "pci_check", "policy": "link_properties_check",
                     "lanes": "codeword_rate_check"}.get(fault.kind)  # fmt: skip
            if check:
                failed.add(check)
            # The limit of the corrected rate: ten times what is normal [estimate].
            if fault.kind == "ber" and fault.ber > 10 * NORMAL_BER:
                failed.add("codeword_rate_check")
        return failed

    def loopback_text(self, nodes: tuple[int, ...], repeat: int) -> str:
        """cxi_gpu_loopback_bw on each NIC of each node."""
        texts = []
        twin = self.campaign.twin
        for node in nodes:
            draw = self.rng("loopback", node, repeat).gauss
            rates = []
            for nic in range(self.nics(node)):
                # Half of the PCIe lanes, or n of four lanes of the link.
                planted = self.by_nic.get((node, nic), ())
                visible = [fault for fault in planted if fault.has_effect("loggp")]
                shares = [LOOPBACK_SHARE.get(f.kind, f.lanes / 4) for f in visible]
                share = min(shares, default=1.0)
                limit = LOOPBACK_GBIT_S if share == 1 else 192 * share
                rates.append(limit * math.exp(draw(0, twin.noise * 0.7)))
            texts.append(formats.loopback(f"nid{node}", rates))
        return "\n".join(texts)

    def counters_text(self, now_s: float) -> str:
        """Counters of the ports of all cables since the campaign began."""
        ports = []
        rows: dict[str, list[Planted]] = {}
        for fault in self.faults:
            if fault.place in ("nic", "switches", "groups"):
                rows.setdefault(fault.part.partition(" ")[2], []).append(fault)
        paused = max((1 - f.share for f in self.congestion(0.0, now_s)), default=0.0)
        draw = self.rng("counters").random
        for name in self.wiring.ports:
            # The number of errors in the counted bits, Poisson with a mean of 8.
            port = formats.Port(name, ber=poisson(NORMAL_BER * COUNTED_BITS, draw) / COUNTED_BITS)
            if name.startswith("g"):
                port.paused = paused
            for fault in rows.get(name, ()):
                if fault.kind == "flap" and fault.start_s <= now_s:
                    port.flaps, port.last_flap_s = 1, fault.start_s
                elif fault.kind == "ber":
                    port.ber = fault.ber
                elif fault.kind == "lanes":
                    port.lanes, port.ber = fault.lanes, 1e-8  # lost lanes have errors [estimate]
                elif fault.kind == "policy":
                    port.policy = "BS_100G"
                elif fault.kind == "late-sweep":
                    # Packets sent to the link until the sweep; 1 s of routing reports [estimate].
                    port.discards = 12
            ports.append(port)
        return formats.counters(ports)


def poisson(mean: float, draw: Any) -> int:
    """Knuth's method; the mean is small."""
    limit, product, found = math.exp(-mean), draw(), 0
    while product > limit:
        product *= draw()
        found += 1
    return found
