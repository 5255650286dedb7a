"""The predicted cost of an action for the jobs on the fabric, before it is taken.

Each job is an all-to-all of its nodes, once on the fabric as it is and once with the targets out of
service, with the routes after the next routing sweep. At packet fidelity a third run has the time
before that sweep: the targets are down, and only the switches at their ends know it.
"""

from __future__ import annotations

from typing import Any

from ..benchmarking import bench
from ..errors import InputError, SimulatedFailure
from ..fabrics import machine_of, without_bit_errors
from ..machines import Machine
from .plane import Answer, Plane

# Bytes between two nodes: large enough for bandwidth to dominate latency. Packets are one by one,
# so that there are fewer.
SIZES = {"flow": 1 << 20, "packet": 1 << 17}
# Nodes of a job that take part, evenly spread: 64 take 0.2 s, 256 take 6 s.
NODES = 64
# Jobs of one answer, the largest first.
JOBS = 8
METHODS = {
    "flow": f"All-to-all of {SIZES['flow'] >> 20} MiB at flow fidelity, with routes after the next "
    f"routing sweep; at most {NODES} evenly spread nodes of each job. Bit errors are not included.",
    "packet": f"All-to-all of {SIZES['packet'] >> 10} KiB at packet fidelity; at most {NODES} "
    "evenly spread nodes of the job. `until_gbit_s` is the rate from the failure of the targets to "
    "the next routing sweep, `after_gbit_s` that after it.",
}


class Costs:
    """Predictions for one fabric."""

    def __init__(self, plane: Plane) -> None:
        self.plane = plane

    def predict(self, targets: list[str], job: str | None, fidelity: str) -> Answer:
        """The throughput of each job, or of one, now and without the targets. Called in a
        thread."""
        try:
            now = self.plane.submit(self.plane.fabric_state).result()
            then = self.plane.submit(self.plane.fabric_state, targets).result()
            chosen = [(name, nodes) for name, nodes in self.jobs() if job in (None, name)]
            if job is not None and not chosen:
                return Answer(404, refused(404, f"no job `{job}` of at least two nodes"))
            machines = self.machines(now, then, fidelity)
            jobs = [
                {"name": name, **cost(machines, sample(nodes), fidelity)}
                for name, nodes in chosen[:JOBS]
            ]
        except InputError as error:
            found = error.diagnostics[0]
            text = f"{found.at} `{found.found}`: expected {found.wanted}"
            return Answer(400, refused(400, text))
        return Answer(200, {"targets": targets, "jobs": jobs, "method": METHODS[fidelity]})

    def jobs(self) -> list[tuple[str, list[int]]]:
        """Names and nodes of the jobs with at least two nodes, the largest first."""
        asked = {
            "method": "GET", "path": "/simulation/jobs", "query": "expand=true&$limit=1000",
            "body": None, "owner": "service",
        }  # fmt: skip
        page = self.plane.read(asked).result()
        found = [
            (link.rpartition("/")[2], page.body["documents"][link].get("nodes", []))
            for link in page.body["documentLinks"]
        ]
        found = [(name, nodes) for name, nodes in found if len(nodes) > 1]
        return sorted(found, key=lambda job: -len(job[1]))

    def machines(
        self, now: dict[str, Any], then: dict[str, Any], fidelity: str
    ) -> dict[str, Machine]:
        """The machine of the fabric as it is, with the targets down, and until routing knows it."""
        if fidelity == "flow":
            schedules = {
                "before": without_bit_errors(now["toml"]),
                "after": without_bit_errors(then["toml"]),
            }
        else:
            schedules = {
                "before": now["dynamicToml"],
                "until": now["dynamicToml"] + just_failed(now["toml"], then["toml"]),
                "after": then["dynamicToml"],
            }
        request = self.plane.request["machine"]
        return {name: machine_of(request, now, text) for name, text in schedules.items()}


def sample(nodes: list[int]) -> list[int]:
    """At most `NODES` of the nodes, evenly spread."""
    n = len(nodes)
    return nodes if n <= NODES else [nodes[k * n // NODES] for k in range(NODES)]


def just_failed(now: str, then: str) -> str:
    """The faults of a schedule that another one does not have, which begin just after the start."""
    known = set(now.split("[[fault]]"))
    new = [row for row in then.split("[[fault]]") if row not in known]
    return "".join(f'[[fault]]{row}from = "1 ns"\n' for row in new)


def cost(machines: dict[str, Machine], nodes: list[int], fidelity: str) -> dict[str, float]:
    """Throughput per node, in Gbit/s, and the relative change after the next routing sweep."""
    rates = {f"{name}_gbit_s": throughput(one, nodes, fidelity) for name, one in machines.items()}
    before, after = rates["before_gbit_s"], rates["after_gbit_s"]
    change = after / before - 1 if before else 0.0
    return {**rates, "change": change, "nodes": len(nodes)}


def throughput(machine: Machine, nodes: list[int], fidelity: str) -> float:
    """Gbit/s that each node sends; 0 if messages are lost for good."""
    size = SIZES[fidelity]
    job = machine.job(nodes=len(nodes), ppn=1, placement=nodes, limits="off")
    try:
        latency_s = bench("alltoall", job, [size], fidelity).latencies[0]
    except SimulatedFailure:
        return 0.0
    return (len(nodes) - 1) * size * 8 / latency_s / 1e9


def refused(status: int, message: str) -> dict[str, Any]:
    """The document of an error."""
    return {
        "message": message,
        "statusCode": status,
        "documentKind": "com:services:common:models:ServiceErrorResponse",
        "errorCode": 0,
    }
