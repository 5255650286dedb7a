"""The stages of a campaign, from nodes to the system, and the search for the faulty part.

Each stage uses only nodes that passed the stages before. A suspicion is confirmed with other
partners before a part is named.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import formats, isolation, patterns
from . import statistics as robust
from .campaign import Campaign
from .errors import CannotRun
from .journal import Journal
from .load import LOADED
from .patterns import Test
from .twin import Measured, Predictions
from .wiring import Wiring

Nic = tuple[int, int]
CLUSTER = 0.75  # share of a switch's or node's NICs that must be bad to name the whole [estimate]
# Corrected bit-error rates: about 1e-11 is normal (HPE); ten times as much is not [estimate].
MOST_BER = 1e-10
CONTROLS = 16  # sound units in a test of suspects
# Exchanges of a simulation with flows; more take hours on one core [estimate].
MOST_FLOWS = 50_000
CLOSED = "recorded and not judged, because the closed form has no contention"
MOST_CELLS = 40_000  # of the heat map
# What a failed check of cxi_healthcheck says about the part.
PART_OF_CHECK = {
    "pci_check": "nic", "pci_error_check": "nic", "mac_check": "nic", "fw_version_check": "nic",
    "link_check": "cable", "link_flap_check": "cable", "codeword_rate_check": "cable",
    "link_properties_check": "port",
}  # fmt: skip
# Units of values. All are rates, of which a larger one is better; 1/s is that of a latency.
SET_UNIT = "B/s per node"
RATES = {"mbw_mr": "B/s", "ior_write": "B/s", "ior_read": "B/s", "rr_bw": "B/s per rank"}
BENCHMARK_S = 25.0  # of a benchmark on the twin: its launch and test [estimate]
GROUP_WRITE = ("ior_write_group", 4 << 20)  # with minimal routing
INVERSE_IMPACT = "1/impact"  # time alone over time beside congestors
BENCHMARKS = {
    "mbw_mr": (("mbw_mr", 1 << 20),),
    "multi_lat": (("multi_lat", 8),),
    "gpcnet": (("rr_lat", 8), ("rr_bw", 1 << 17), ("multiple_allreduce", 8)),
    "gpcnet_load": (
        ("rr_lat_loaded", 8),
        ("rr_bw_sync_loaded", 1 << 17),
        ("multiple_allreduce_loaded", 8),
    ),
    "sizes": tuple(("alltoall", 1 << k) for k in range(6, 17, 2)),
    "storage": (("ior_write", 4 << 20), ("ior_read", 4 << 20)),
}


def unit_of(benchmark: str) -> str:
    return INVERSE_IMPACT if benchmark.endswith(LOADED) else RATES.get(benchmark, "1/s")


@dataclass
class Finding:
    """A faulty part."""

    part: str
    stage: str
    evidence: list[str] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)  # nodes that must not run jobs

    def row(self) -> dict[str, Any]:
        return {"part": self.part, "stage": self.stage, "evidence": self.evidence,
                "nodes": self.nodes}  # fmt: skip


@dataclass
class StageRow:
    """What a stage measured."""

    stage: str
    test: str
    units: int
    slow: int
    outliers: int
    center: float  # measured over predicted, of all units
    sigma: float
    bound: float
    false_alarms: float
    rounds: int
    nodes: int
    seconds: float
    values: list[float] = field(default_factory=list)  # median of the repeats, of few units
    predicted: list[float] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    unit: str = SET_UNIT  # of values and predictions
    is_judged: bool = True  # else its values are only recorded


class Suite:
    """One campaign. `backend` is the twin or a launcher on a real machine."""

    def __init__(
        self, campaign: Campaign, wiring: Wiring, backend: Any,
        predictions: Predictions, journal: Journal,
        tick: Callable[[str], None] | None = None,
    ):  # fmt: skip
        self.campaign, self.wiring, self.backend = campaign, wiring, backend
        self.predictions, self.journal = predictions, journal
        self.tick = tick or (lambda _: None)
        nodes = campaign.nodes
        self.switches, self.groups = wiring.switches, wiring.groups
        self.ppn = min(map(len, self.switches.values()))
        if campaign.launcher is not None and campaign.launcher.ppn:
            self.ppn = campaign.launcher.ppn
        self.findings: list[Finding] = []
        self.observations: list[str] = []
        self.suspicions: list[str] = []  # slow groups, or the system
        self.is_congested = False
        self.broken: list[str] = []  # stages that could not run, and why
        self.stages: list[StageRow] = []
        self.good = list(nodes)
        self.tested: set[int] = set()
        self.heat: list[tuple[int, int, float]] = []  # node, node, ratio
        self.link_heat: list[tuple[int, int, float]] = []  # switch, switch, ratio
        self.slow_nics: dict[Nic, float] = {}
        self.failed_checks: dict[Nic, list[str]] = {}
        self.now = 0.0
        self.node_seconds = 0.0
        self.timeouts = 0
        self.ports: dict[str, formats.Port] | None = None
        self.tests: list[tuple[Test, list[list[float]]]] = []  # set tests, for other rules

    def run(self) -> None:
        for stage in self.campaign.stages:
            self.tick(stage)
            try:
                self.stage(stage)
            except CannotRun as error:
                self.broken.append(f"{stage}: {error}")
        self.explain()

    def stage(self, stage: str) -> None:
        """Run one stage."""
        if stage in BENCHMARKS:
            self.benchmarks(stage)
            return
        if stage in ("switch", "group", "system") and stage in self.campaign.commands:
            self.dgnettest(stage)
        getattr(self, stage)()
        if stage == "loopback" or (stage == "health" and "loopback" not in self.campaign.stages):
            self.judge_nics(stage)

    def record(self, row: StageRow) -> None:
        """Keep the row of a test under a name of its own."""
        same = sum(one.test == row.test or one.test.startswith(f"{row.test}, run ")
                   for one in self.stages)  # fmt: skip
        if same:
            row.test += f", run {same + 1}"
        self.stages.append(row)

    # Measurements

    def once(self, key: str, nodes: int, measure: Callable[[], Any]) -> Any:
        """A measurement with its duration, from the journal if it is there."""
        found = self.journal.get(key)
        if found is None:
            found = measure()
            self.journal.put(key, found)
        self.now += found["took_s"]
        self.node_seconds += found["took_s"] * nodes
        return found

    def repeats(self, test: Test) -> list[list[float]]:
        """All repeats of a test."""
        found = []
        for repeat in range(self.campaign.repeats):
            self.tick(f"{test.name} {repeat + 1}/{self.campaign.repeats}")

            def measure(repeat: int = repeat) -> dict[str, Any]:
                done: Measured = self.backend.measure(test, repeat, self.now)
                return {"values": done.values, "took_s": done.took_s, "timeouts": done.timeouts}

            one = self.once(f"{test.key} {repeat}", len(test.nodes), measure)
            self.timeouts += one["timeouts"]
            found.append(one["values"])
        return found

    def compared(
        self, stage: str, test: Test, labels: Sequence[str], keep: bool = False,
        like: robust.Comparison | None = None, controls: Sequence[int] = (),
    ) -> robust.Comparison:  # fmt: skip
        """Measure a test, compare it with the twin's prediction, and record the stage."""
        before = self.now
        values = self.repeats(test)
        self.tested.update(test.nodes[rank // test.ppn] for pair in test.pairs for rank in pair)
        predicted = self.predicted(test, values)
        error = self.campaign.error
        found = robust.compare(values, predicted, self.campaign.margin, error, like,
                               controls)  # fmt: skip
        middle = [statistics.median(column) for column in zip(*values, strict=True)]
        self.record(StageRow(
            stage, test.name, len(predicted), len(found.slow), len(found.outliers), found.center,
            found.sigma, found.bound, found.false_alarms,
            len(test.rounds) if test.apart else 1, len(test.nodes), self.now - before,
            middle if keep else [], predicted if keep else [], list(labels) if keep else [],
        ))  # fmt: skip
        if not test.apart:
            self.tests.append((test, values))
        return found

    def predicted(self, test: Test, values: Sequence[Sequence[float]]) -> list[float]:
        """The twin's prediction; with `reference = "sets"` the median of units of equal size."""
        if self.campaign.reference == "twin":
            key = f"{test.key} predicted"
            found: list[float] | None = self.journal.get(key)
            if found is None:
                found = self.predictions.of(test)
                self.journal.put(key, found)
            return found
        sizes = [2] * len(test.pairs) if test.apart else [len(ranks) for ranks in test.sets]
        by_size: dict[int, list[float]] = {}
        for column, size in zip(zip(*values, strict=True), sizes, strict=True):
            by_size.setdefault(size, []).append(statistics.median(column))
        return [statistics.median(by_size[size]) for size in sizes]

    def text(self, key: str, nodes: int, took_s: float, read: Callable[[], Any]) -> Any:
        """What the tools of the nodes report, in the form that `read` returns."""
        return self.once(key, nodes, lambda: {"found": read(), "took_s": took_s})["found"]

    # Nodes and NICs

    def health(self) -> None:
        def read() -> list[Any]:
            found = formats.read_healthcheck(self.backend.health_text(tuple(self.good)))
            return [[self.node(host), nic, failed] for (host, nic), failed in found.items()
                    if failed]  # fmt: skip

        for node, nic, failed in self.text("health", len(self.good), 20.0, read):
            self.failed_checks[node, nic] = failed
        self.record(self.text_row("health", len(self.failed_checks)))

    def text_row(self, stage: str, slow: int, **more: Any) -> StageRow:
        units = len(self.good) * self.ppn
        zero = {"center": 1.0, "sigma": 0.0, "bound": 0.0, "false_alarms": 0.0}
        return StageRow(stage, stage, units, slow, 0, rounds=1, nodes=len(self.good),
                        seconds=20.0, **{**zero, **more})  # fmt: skip

    def node(self, host: str) -> int:
        """The number of a host in the machine file."""
        if self.campaign.hosts:
            hosts = self.campaign.hosts
            short = [name.partition(".")[0] for name in hosts]
            if host in hosts:
                at = hosts.index(host)
            elif short.count(host.partition(".")[0]) == 1:
                at = short.index(host.partition(".")[0])
            else:
                raise CannotRun(f"the output names host `{host}`, which is not in the campaign")
            return self.campaign.nodes[at]
        try:
            return int(host.removeprefix("nid"))
        except ValueError:
            raise CannotRun(f"the output names host `{host}`, wanted nidNUMBER") from None

    def loopback(self) -> None:
        """The bandwidth of each NIC through its own switch port."""
        nodes = tuple(self.good)
        repeats: list[dict[Nic, float]] = []
        for repeat in range(self.campaign.repeats):

            def read(repeat: int = repeat) -> list[Any]:
                found = formats.read_loopback(self.backend.loopback_text(nodes, repeat))
                return [[self.node(host), nic, rate] for (host, nic), rate in found.items()]

            rows = self.text(f"loopback {repeat}", len(nodes), 20.0, read)
            repeats.append({(node, nic): rate for node, nic, rate in rows})
        # Hosts print in any order, and a NIC may be missing in a repeat.
        names = sorted(set.intersection(*map(set, repeats)))
        missing = sorted(set.union(*map(set, repeats)) - {*names})
        if missing or not names:
            raise CannotRun(f"loopback: no rate in each repeat of {missing or 'any NIC'}")
        self.tested.update(node for node, _ in names)
        values = [[rates[name] for name in names] for rates in repeats]
        middle = statistics.median(values[0])
        found = robust.compare(values, [middle] * len(names), self.campaign.margin,
                               self.campaign.error)  # fmt: skip
        self.slow_nics = {names[i]: found.ratios[i] for i in found.slow}
        self.record(self.text_row(
            "loopback", len(found.slow), sigma=found.sigma, bound=found.bound,
            false_alarms=found.false_alarms,
        ))  # fmt: skip

    def judge_nics(self, stage: str) -> None:
        self.name_nics(stage, dict(self.slow_nics), self.failed_checks)
        self.slow_nics = {}

    def name_nics(
        self, stage: str, slow: Mapping[Nic, float], checks: Mapping[Nic, list[str]]
    ) -> None:
        """Name the part behind slow NICs and failed checks: switch, node, NIC, cable or port."""
        left = dict(slow)
        unchecked = {nic for nic in slow if not checks.get(nic)}
        for whole, name in ((self.nics_of_switches(), "switch"), (self.nics_of_nodes(), "node")):
            for number, nics in whole.items():
                bad = [nic for nic in nics if nic in unchecked and nic in left]
                nodes = {node for node, _ in bad}
                # A NIC that passed its loopback is not slow by itself.
                least = 1 if len(nics) == 1 and stage not in ("health", "loopback") else 2
                is_whole = len(bad) >= max(least, CLUSTER * len(nics))
                if is_whole and (name == "node" or len(nodes) > 1):
                    text = f"{len(bad)} of {len(nics)} NICs are slow, "
                    text += f"median {statistics.median(slow[b] for b in bad):.2f} of the expected"
                    self.add(f"{name} {number}", stage, [text], {node for node, _ in nics})
                    for nic in bad:
                        del left[nic]
        for nic in sorted({*left, *(n for n, failed in checks.items() if failed)}):
            failed = checks.get(nic, [])
            kinds = [PART_OF_CHECK[check] for check in failed if check in PART_OF_CHECK]
            what = kinds[0] if kinds else "node" if failed else "nic"
            where = f"{nic[0]}" if what == "node" else f"{nic[0]}:{nic[1]}"
            evidence = [f"cxi_healthcheck: {check} failed" for check in failed]
            if nic in slow:
                evidence.append(f"{slow[nic]:.2f} of the expected bandwidth")
            self.add(f"{what} {where}", stage, evidence, {nic[0]})

    def nics_of_switches(self) -> dict[int, list[Nic]]:
        found: dict[int, list[Nic]] = {}
        for node, switches in self.switches.items():
            for nic, switch in enumerate(switches):
                found.setdefault(switch, []).append((node, nic))
        return found

    def nics_of_nodes(self) -> dict[int, list[Nic]]:
        return {node: [(node, nic) for nic in range(self.ppn)] for node in self.switches}

    def add(self, part: str, stage: str, evidence: list[str], nodes: Iterable[int] = ()) -> None:
        """A finding; further evidence for a part that is known is appended to it."""
        known = next((one for one in self.findings if one.part == part), None)
        if known is None:
            known = Finding(part, stage)
            self.findings.append(known)
        known.evidence += [words for words in evidence if words not in known.evidence]
        known.nodes = sorted({*known.nodes, *nodes})
        self.good = [node for node in self.good if node not in nodes]

    # Sets

    def sets_of(self, of_node: Callable[[int], Any], least: int) -> dict[Any, list[int]]:
        """Good nodes by set, as places in `self.good`."""
        found: dict[Any, list[int]] = {}
        for place, node in enumerate(self.good):
            found.setdefault(of_node(node), []).append(place)
        return {key: places for key, places in found.items() if len(places) >= least}

    def switch_set(self, node: int) -> tuple[int, ...]:
        return tuple(sorted(set(self.switches[node])))

    def pairs(self) -> None:
        """Disjoint pairs of neighbors, all NICs and both directions at once."""
        nodes = self.neighbors()
        if len(nodes) < 2:
            return
        half = len(nodes) // 2
        ppn = self.ppn
        pairs = [(2 * k * ppn + i, (2 * k + 1) * ppn + i) for k in range(half) for i in range(ppn)]
        slow, found = self.pair_test("pairs", "pairs", nodes, [pairs])
        failed = self.nics_of_failed()
        self.confirm("pairs", slow, found)
        if failed:  # last, because partners must be sound
            again = self.with_sound_partners("pairs", "pairs: failed nodes", failed, found)
            self.name_nics("pairs", again or {}, {})

    def neighbors(self) -> list[int]:
        """The good nodes such that two that follow each other are at the same switches. Odd ones
        are paired within their group if possible, else with one of another group."""
        found: list[int] = []
        left = self.good
        for of_node in (self.switch_set, self.wiring.group_of, lambda _: 0):
            sets: dict[Any, list[int]] = {}
            for node in left:
                sets.setdefault(of_node(node), []).append(node)
            found += [node for nodes in sets.values() for node in nodes[: len(nodes) // 2 * 2]]
            left = [nodes[-1] for nodes in sets.values() if len(nodes) % 2]
        return found + left

    def pair_test(
        self, stage: str, name: str, nodes: Sequence[int], rounds: list[list[patterns.Pair]],
        like: robust.Comparison | None = None, controls: Sequence[int] = (),
    ) -> tuple[list[tuple[Nic, Nic, float]], robust.Comparison]:  # fmt: skip
        """Measure pairs of NICs apart; the slow ones with their ratios."""
        ppn = self.ppn
        test = Test(name, tuple(nodes), ppn, self.campaign.size, 8, rounds, apart=True)
        result = self.compared(stage, test, [], like=like, controls=controls)
        pairs = test.pairs

        def nic(rank: int) -> Nic:
            return nodes[rank // ppn], rank % ppn

        if len(self.heat) < MOST_CELLS:
            for (a, b), ratio in zip(pairs, result.ratios, strict=True):
                self.heat.append((nic(a)[0], nic(b)[0], ratio))
        slow = [(nic(pairs[i][0]), nic(pairs[i][1]), result.ratios[i]) for i in result.slow]
        return slow, result

    def confirm(
        self, stage: str, slow: Sequence[tuple[Nic, Nic, float]], like: robust.Comparison
    ) -> None:
        """Measure each NIC of slow pairs with a partner that is not suspect, and name the parts."""
        suspects = sorted({nic for a, b, _ in slow for nic in (a, b)})
        if not suspects:
            return
        found = self.with_sound_partners(stage, f"{stage}: confirm", suspects, like)
        if found is None:
            found = {nic: ratio for a, b, ratio in slow for nic in (a, b)}
        self.name_nics(stage, found, {})

    @property
    def is_judged_by_model(self) -> bool:
        """Whether measurements of a real machine are compared with predictions."""
        return not self.campaign.is_twin and self.campaign.reference == "twin"

    def switch_of(self, node: int, nic: int) -> int:
        return self.switches[node][nic % len(self.switches[node])]

    def nics_of_failed(self) -> list[Nic]:
        """The other NICs of nodes with a bad NIC or cable, whose host may be slow as well."""
        known = {one.part.partition(" ")[2] for one in self.findings}
        switches = {int(one.part.removeprefix("switch ")) for one in self.findings
                    if one.part.startswith("switch ")}  # fmt: skip
        nodes = sorted({int(where.partition(":")[0]) for where in known if ":" in where})
        return [
            (node, nic) for node in nodes for nic in range(self.ppn)
            if f"{node}:{nic}" not in known and self.switch_of(node, nic) not in switches
        ]  # fmt: skip

    def with_sound_partners(
        self, stage: str, name: str, suspects: Sequence[Nic], like: robust.Comparison
    ) -> dict[Nic, float] | None:
        """Those suspect NICs that are slow with a partner that is not suspect, with their ratios.
        None if there is no partner."""
        bad_nodes = {node for node, _ in suspects}
        partners = [node for node in self.good if node not in bad_nodes]
        if not partners:
            return None
        rounds: list[list[patterns.Pair]] = []
        taken: list[set[Nic]] = []
        nodes = [*sorted(bad_nodes), *partners]
        place = {node: i for i, node in enumerate(nodes)}
        near: dict[Any, list[int]] = {}
        for node in partners:
            near.setdefault(self.switch_set(node), []).append(node)
        for node, nic in suspects:
            # A partner at the same switch uses no other part that could be faulty.
            choices = near.get(self.switch_set(node), partners)
            turn = 0
            while True:
                if turn == len(rounds):
                    rounds.append([])
                    taken.append(set())
                free = next((p for p in choices if (p, nic) not in taken[turn]), None)
                if free is not None:
                    break
                turn += 1
            taken[turn].add((free, nic))
            rounds[turn].append((place[node] * self.ppn + nic, place[free] * self.ppn + nic))
        # Pairs of sound NICs in the same test: what its values are without a fault.
        sound = [
            pair
            for members in near.values()
            for pair in zip(members[::2], members[1::2], strict=False)
        ]
        count = sum(map(len, rounds))
        rounds.append([(place[a] * self.ppn + k % self.ppn, place[b] * self.ppn + k % self.ppn)
                       for k, (a, b) in enumerate(sound[:CONTROLS])])  # fmt: skip
        controls = range(count, count + len(rounds[-1]))
        again, _ = self.pair_test(stage, name, nodes, rounds, like, controls)
        return {a if a[0] in bad_nodes else b: ratio for a, b, ratio in again
                if a[0] in bad_nodes or b[0] in bad_nodes}  # fmt: skip

    def set_stage(
        self, stage: str, sets: Mapping[Any, list[int]], label: str, most_flows: int | None = None
    ) -> list[Any]:  # fmt: skip
        """Bisection and all-to-all on all sets at once; the keys of slow sets."""
        if not sets:
            return []
        slow: set[int] = set()
        keys = list(sets)
        places = [sets[key] for key in keys]
        names = [f"{label} {key if isinstance(key, int) else '-'.join(map(str, key))}".strip()
                 for key in keys]  # fmt: skip
        for kind in ("bisect", "all2all"):
            test = patterns.set_test(kind, f"{stage} {kind}", self.good, self.ppn, places,
                                     self.campaign.size, self.campaign.rounds)  # fmt: skip
            is_large = most_flows is not None and len(test.pairs) > most_flows
            is_closed = self.campaign.fidelity == "loggp" or is_large
            found = self.compared(
                stage, replace(test, fidelity="loggp") if is_large else test, names, keep=True
            )  # fmt: skip
            if is_closed and most_flows is not None and self.is_judged_by_model:
                self.observations.append(f"{test.name}: {CLOSED}")
                self.stages[-1].slow = 0
                self.stages[-1].is_judged = False
            else:
                slow.update(found.slow)
        return [keys[i] for i in sorted(slow)]

    def switch(self) -> None:
        """Sets of nodes at the same switches."""
        sets = self.sets_of(self.switch_set, 2)
        nodes_of = {key: [self.good[place] for place in places] for key, places in sets.items()}
        for key in self.set_stage("switch", sets, "switches"):
            self.isolate("switch", nodes_of[key])

    def dgnettest(self, stage: str) -> None:
        """The vendor's test, if the campaign names it. Its sets are compared with the median, and
        the suite's own test of the stage, which follows, finds the part."""

        def read() -> dict[str, Any]:
            found = formats.read_dgnettest(self.backend.tool(stage, tuple(self.good)))
            rows = {test: list(map(list, sets.items())) for test, sets in found.rows.items()}
            return {"rows": rows, "passed": found.passed}

        found = self.text(f"dgnettest {stage}", len(self.good), 60.0, read)
        for test, rows in found["rows"].items():
            values = [value * 1e6 for _, value in rows]
            middle = [statistics.median(values)] * len(values)
            result = robust.compare([values], middle, self.campaign.margin, self.campaign.error)
            labels = [f"set {nth}" for nth, _ in rows]
            self.record(StageRow(
                stage, f"dgnettest {test}", len(values), len(result.slow), 0, result.center,
                result.sigma, result.bound, result.false_alarms, 1, len(self.good), 60.0,
                values, middle, labels,
            ))  # fmt: skip
            self.observations += [
                f"dgnettest {test}: {labels[i]} has {values[i] / 1e6:,.0f} MB/s per node, "
                f"{result.ratios[i]:.2f} of the median"
                for i in result.slow
            ]
        if found["passed"] is False:
            self.observations.append(f"dgnettest reports FAILED at {stage} level")

    def isolate(self, stage: str, nodes: Sequence[int]) -> None:
        """Find the bad nodes of a slow set by the method of the campaign."""
        method = self.campaign.isolation
        partners = [node for node in self.good if node not in nodes]
        least = len(nodes) + 2 * robust.LEAST_UNITS
        if method == "pairs" or len(nodes) < 4 or len(partners) < least:
            rounds = patterns.round_robin(range(len(nodes)), self.ppn)
            slow, result = self.pair_test(stage, f"{stage}: round robin", nodes, rounds)
            count: dict[Nic, int] = {}
            for a, b, _ in slow:
                count[a] = count.get(a, 0) + 1
                count[b] = count.get(b, 0) + 1
            # A bad NIC is slow with most partners; its partners only with it.
            bad = {nic for nic, n in count.items() if n > (len(nodes) - 1) / 2}
            self.confirm(stage, [one for one in slow if bad & {one[0], one[1]}], result)
            return

        found: list[robust.Comparison] = []

        def is_slow(groups: list[list[int]]) -> list[bool]:
            """Each group with as many sound partners, beside pairs of sound nodes."""
            chosen: list[int] = []
            sets: list[list[int]] = []
            free = iter(partners)
            controls = [[next(free), next(free)] for _ in range(robust.LEAST_UNITS)]
            for members in [
                *([*group, *(next(free) for _ in group)] for group in groups),
                *controls,
            ]:
                sets.append(list(range(len(chosen), len(chosen) + len(members))))
                chosen += members
            test = patterns.set_test("bisect", f"{stage}: {method}", chosen, self.ppn, sets,
                                     self.campaign.size, self.campaign.rounds)  # fmt: skip
            at = range(len(groups), len(sets))
            found.append(self.compared(stage, test, [], controls=at))
            return [i in found[-1].slow for i in range(len(groups))]

        if method == "halves":
            slow_nodes, _ = isolation.halves(nodes, is_slow)
        else:
            slow_nodes, _ = isolation.overlapping(nodes, 4, 3, 1, is_slow)
        nics = [(node, nic) for node in slow_nodes for nic in range(self.ppn)]
        self.confirm(stage, [(nic, nic, 0.0) for nic in nics], found[-1])

    def group(self) -> None:
        """Groups. If nodes and switches have passed, a slow group has a bad local cable."""
        sets = self.sets_of(self.wiring.group_of, 4)
        nodes_of = {key: [self.good[place] for place in places] for key, places in sets.items()}
        for key in self.set_stage("group", sets, "group"):
            self.suspicions.append(f"group {key}")
            if "switch" not in self.campaign.stages:
                self.descend(nodes_of[key])

    def descend(self, nodes: Sequence[int]) -> None:
        """Follow the suspicion of a group down to the sets at its switches."""
        sets: dict[Any, list[int]] = {}
        for place, node in enumerate(self.good):
            if node in nodes:
                sets.setdefault(self.switch_set(node), []).append(place)
        sets = {key: places for key, places in sets.items() if len(places) > 1}
        nodes_of = {key: [self.good[place] for place in places] for key, places in sets.items()}
        for key in self.set_stage("group", sets, "switches"):
            self.isolate("group", nodes_of[key])

    def system(self) -> None:
        """All good nodes as one set."""
        if len({self.wiring.group_of(node) for node in self.good}) < 2:
            return
        everything: dict[Any, list[int]] = {(): list(range(len(self.good)))}
        if self.set_stage("system", everything, "all nodes", MOST_FLOWS):
            self.suspicions.append("system")

    def explain(self) -> None:
        """A slow group or system in which no part was found is itself a finding, unless its ports
        were paused by other jobs."""
        for part in self.suspicions:
            if self.is_congested:
                self.observations.append(f"{part} is slow while ports are paused")
            elif not any(self.is_in(one, part) for one in self.findings):
                self.add(part, part.partition(" ")[0], ["slow, and no part of it was found"])

    def is_in(self, one: Finding, part: str) -> bool:
        """Whether a finding explains a slow group or system."""
        if part == "system":
            return True
        group = int(part.removeprefix("group "))
        ends = [int(word) for word in re.findall(r"s([0-9]+)", one.part.partition(" ")[2])]
        return any(self.wiring.group_of(node) == group for node in one.nodes) or any(
            self.groups.get(switch) == group for switch in ends
        )

    # Cables

    def note_routing(self, stage: str) -> None:
        """State that a stage with minimal routing has no variables for it."""
        launcher = self.campaign.launcher
        if launcher is not None and not launcher.minimal_env:
            self.observations.append(
                f"{stage}: without launcher.minimal_env adaptive routing may hide a slow cable"
            )

    def links(self) -> None:
        """Each link as the only minimal path of a pair of NICs, in parallel by edge coloring."""
        self.note_routing("links")
        at_switch: dict[int, list[tuple[int, int]]] = {}
        for place, node in enumerate(self.good):
            for nic, switch in enumerate(self.switches[node][: self.ppn]):
                at_switch.setdefault(switch, []).append((place, nic))
        edges, names = [], []
        for cable in self.wiring.cables:
            for a, b in dict.fromkeys(cable.links):
                if a in at_switch and b in at_switch:
                    edges.append((a, b))
                    names.append(cable.name)
        slow: dict[int, list[float]] = {}
        like: robust.Comparison | None = None
        tested: list[int] = []
        for is_local in (True, False):
            chosen = [i for i, name in enumerate(names) if name.startswith("s") == is_local]
            for attempt in range(2):  # the second with other NICs, for slow links only
                if attempt:
                    chosen = [i for i in chosen if i in slow]
                # Few links have no sound median: sound ones run in the same test.
                is_few = attempt or len(chosen) < robust.LEAST_UNITS
                known: robust.Comparison | None = like if is_few else None
                sound = [i for i in tested if i not in slow and i not in chosen]
                controls = sound[:CONTROLS] if is_few else []
                if chosen:
                    what = "local" if is_local else "global"
                    like = self.link_test(
                        what, chosen, controls, edges, at_switch, attempt, slow, known
                    )
                    tested += chosen
        self.name_links(edges, names, {i for i, found in slow.items() if len(found) == 2}, slow)

    def link_test(
        self, what: str, chosen: Sequence[int], controls: Sequence[int],
        edges: Sequence[tuple[int, int]],
        at_switch: Mapping[int, list[tuple[int, int]]], attempt: int, slow: dict[int, list[float]],
        like: robust.Comparison | None,
    ) -> robust.Comparison:  # fmt: skip
        chosen = [*chosen, *controls]
        order = self.in_order([edges[i] for i in chosen])
        chosen = [chosen[i] for i in order]
        colors = patterns.colored([edges[i] for i in chosen])
        rounds, units = [], []
        for color in colors:
            pairs = []
            for i in color:
                a, b = (at_switch[end] for end in edges[chosen[i]])
                first = a[attempt % len(a)]
                others = [nic for nic in b if nic[0] != first[0]]
                if others:
                    second = others[attempt % len(others)]
                    pairs.append((first[0] * self.ppn + first[1], second[0] * self.ppn + second[1]))
                    units.append(chosen[i])
            rounds.append(pairs)
        rounds = [pairs for pairs in rounds if pairs]
        name = f"links {what}" + (": confirm" if attempt else "")
        # The closed form has no queue within the network, so links are tested with flows.
        fidelity = "flow" if self.campaign.fidelity == "loggp" else None
        test = Test(name, tuple(self.good), self.ppn, self.campaign.size, 8, rounds, apart=True,
                    routing="minimal", fidelity=fidelity)  # fmt: skip
        at = [i for i, unit in enumerate(units) if unit in controls]
        result = self.compared("links", test, [], like=like, controls=at)
        for unit, ratio in zip(units, result.ratios, strict=True):
            if len(self.link_heat) < MOST_CELLS:
                self.link_heat.append((*edges[unit], ratio))
        for i in result.slow:
            if i not in at:
                slow.setdefault(units[i], []).append(result.ratios[i])
        return result

    def in_order(self, edges: Sequence[tuple[int, int]]) -> list[int]:
        """The order of the circle method within each group."""
        by_group: dict[tuple[int, int], list[int]] = {}
        for i, (a, b) in enumerate(edges):
            by_group.setdefault((self.groups[a], self.groups[b]), []).append(i)
        found = []
        for members in by_group.values():
            order = patterns.in_circle_order([edges[i] for i in members])
            found += [members[i] for i in order]
        return found

    def name_links(
        self, edges: Sequence[tuple[int, int]], names: Sequence[str], bad: set[int],
        slow: Mapping[int, list[float]],
    ) -> None:  # fmt: skip
        """Name the switch of which most links are slow, else cables or their ports."""
        of_switch: dict[int, list[int]] = {}
        for i, ends in enumerate(edges):
            for end in ends:
                of_switch.setdefault(end, []).append(i)
        for switch, links in sorted(of_switch.items()):
            hit = [i for i in links if i in bad]
            if len(hit) >= 3 and len(hit) >= CLUSTER * len(links):
                nodes = {node for node, switches in self.switches.items() if switch in switches}
                self.add(f"switch {switch}", "links",
                         [f"{len(hit)} of {len(links)} links are slow"], nodes)  # fmt: skip
                bad = bad - set(hit)
        ports = self.read_ports() if bad and "counters" in self.campaign.stages else {}
        for i in sorted(bad):
            port = ports.get(names[i])
            if port is not None and port.is_congested:
                self.observations.append(f"link s{edges[i][0]}-s{edges[i][1]} is slow and paused")
                continue
            evidence = [f"link s{edges[i][0]}-s{edges[i][1]}: "
                        f"{statistics.median(slow[i]):.2f} of the expected bandwidth"]  # fmt: skip
            what = "cable"
            if port is not None and port.policy != "ok":
                what = "port"
                evidence.append(f"port policy {port.policy}")
            elif port is not None and port.lanes < 4:
                evidence.append(f"{port.lanes} of 4 lanes")
            self.add(f"{what} {names[i]}", "links", evidence)

    # Counters

    def read_ports(self) -> dict[str, formats.Port]:
        """The counters of all ports, read once per stage that uses them."""
        if self.ports is None:

            def read() -> list[Any]:
                rows = formats.read_counters(self.backend.counters_text(self.now))
                return [vars(row) for row in rows]

            rows = self.text(f"counters {len(self.stages)}", 0, 5.0, read)
            self.ports = {row["port"]: formats.Port(**row) for row in rows}
        return self.ports

    def counters(self) -> None:
        """Flaps, errors and discards of the ports since the campaign began."""
        self.ports = None
        known = {one.part.partition(" ")[2]: one for one in self.findings}
        bad = 0
        ports = self.read_ports()
        for name, port in ports.items():
            evidence = []
            if port.flaps:
                evidence.append(f"{port.flaps} flaps, the last at {port.last_flap_s:.0f} s")
            if port.ber > MOST_BER:
                evidence.append(f"bit-error rate {port.ber:.1e}")
            if port.discards:
                evidence.append(f"{port.discards} packets discarded")
            if port.lanes < 4:
                evidence.append(f"{port.lanes} of 4 lanes")
            if port.policy != "ok":
                evidence.append(f"port policy {port.policy}")
            if not evidence:
                continue
            bad += 1
            node = int(name.partition(":")[0]) if ":" in name else None
            what = "port" if port.policy != "ok" else "cable"
            if one := known.get(name):
                if one.part == f"nic {name}" and not any("pci" in e for e in one.evidence):
                    one.part = f"{what} {name}"  # slow, and now it is known why
                what = one.part.partition(" ")[0]
            self.add(f"{what} {name}", "counters", evidence, () if node is None else {node})
        paused = max((port.paused for port in ports.values()), default=0.0)
        self.is_congested = paused > formats.PAUSED
        if self.is_congested:
            self.observations.append(
                f"congestion by other jobs: ports were paused for up to {paused:.0%} of the time"
            )
        self.record(self.text_row("counters", bad))

    # The whole machine

    def benchmark(
        self, name: str, size: int, nodes: tuple[int, ...], ppn: int, repeat: int
    ) -> tuple[float, float]:  # fmt: skip
        """The value of a benchmark, and its duration. A table of several benchmarks is measured
        with the first of them, so the others take no time on a real machine."""
        wall = time.monotonic()
        value = self.backend.benchmark(name, size, nodes, ppn, repeat, self.now)
        return value, BENCHMARK_S if self.campaign.is_twin else time.monotonic() - wall

    def benchmarks(self, stage: str) -> None:
        """Benchmarks on all good nodes, compared with the twin's prediction."""
        nodes = tuple(self.good)
        ppn = self.ppn
        for name, size in BENCHMARKS[stage]:
            values = []
            before = self.now
            for repeat in range(self.campaign.repeats):

                def measure(repeat: int = repeat, name: str = name, size: int = size) -> Any:
                    value, took_s = self.benchmark(name, size, nodes, ppn, repeat)
                    return {"values": [value], "took_s": took_s, "timeouts": 0}

                key = f"{name} {size} {nodes} {repeat}"
                values.append(self.once(key, len(nodes), measure)["values"])
            if self.campaign.reference == "twin":
                predicted = [self.predictions.benchmark(name, size, nodes, ppn)]
            else:  # recorded only: there is nothing to compare one number with
                predicted = [statistics.median(v[0] for v in values)]
            error = self.campaign.error
            found = robust.compare(values, predicted, self.campaign.margin, error)
            label = f"{name} {size}"
            self.record(StageRow(
                stage, label, 1, len(found.slow), len(found.outliers), found.ratios[0],
                found.sigma, found.bound, found.false_alarms, 1, len(nodes), self.now - before,
                [statistics.median(v[0] for v in values)], predicted, [label],
                unit_of(name),
            ))  # fmt: skip
            if found.slow:
                self.observations.append(
                    f"{label} reaches {found.ratios[0]:.2f} of the prediction on all good nodes"
                )

    def storage_links(self) -> None:
        """IOR from one group after the other: the global links from each to the file system."""
        self.note_routing("storage_links")
        sets = self.sets_of(self.wiring.group_of, 2)
        groups = {key: tuple(self.good[place] for place in at) for key, at in sets.items()}
        before = self.now
        values = []
        for repeat in range(self.campaign.repeats):
            rates = []
            for group, nodes in groups.items():
                self.tick(f"storage of group {group} {repeat + 1}/{self.campaign.repeats}")

                def measure(repeat: int = repeat, nodes: tuple[int, ...] = nodes) -> Any:
                    name, size = GROUP_WRITE
                    rate, took_s = self.benchmark(name, size, nodes, 1, repeat)
                    return {"values": [rate / len(nodes)], "took_s": took_s, "timeouts": 0}

                key = f"{GROUP_WRITE[0]} {nodes} {repeat}"
                rates += self.once(key, len(nodes), measure)["values"]
            values.append(rates)
        if not groups:
            return
        if self.campaign.reference == "twin":
            predicted = [self.predictions.benchmark(*GROUP_WRITE, nodes, 1) / len(nodes)
                         for nodes in groups.values()]  # fmt: skip
        else:
            median = statistics.median(statistics.median(rates) for rates in values)
            predicted = [median] * len(groups)
        self.tested.update(*groups.values())
        found = robust.compare(values, predicted, self.campaign.margin, self.campaign.error)
        middle = [statistics.median(column) for column in zip(*values, strict=True)]
        self.record(StageRow(
            "storage_links", "IOR write by group", len(groups), len(found.slow),
            len(found.outliers), found.center, found.sigma, found.bound, found.false_alarms,
            len(groups), sum(map(len, groups.values())), self.now - before, middle, predicted,
            [f"group {group}" for group in groups],
        ))  # fmt: skip
        for i in found.slow:
            text = f"IOR writes {found.ratios[i]:.2f} of the expected bandwidth to the file system"
            self.add(f"storage g{list(groups)[i]}", "storage_links", [text])
