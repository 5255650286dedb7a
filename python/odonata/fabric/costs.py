"""The predicted cost of an action for the jobs on the fabric, before it is taken.

Each job is an all-to-all of its nodes at flow fidelity, once on the fabric as it is and once with
the targets out of service. The routes are those after the next routing sweep.
"""

from __future__ import annotations

from typing import Any

from ..benchmarking import bench
from ..errors import InputError, SimulatedFailure
from ..fabrics import machine_of, without_bit_errors
from ..machines import Machine
from .plane import Answer, Plane

# Bytes between two nodes: large enough for bandwidth to dominate latency.
SIZE = 1 << 20
# Nodes of a job that take part, evenly spread: 64 take 0.2 s, 256 take 6 s.
NODES = 64
# Jobs of one answer, the largest first.
JOBS = 8
METHOD = (
    f"All-to-all of {SIZE >> 20} MiB at flow fidelity, with routes after the next routing sweep; "
    f"at most {NODES} evenly spread nodes of each job. Bit errors are not included."
)


class Costs:
    """Predictions for one fabric."""

    def __init__(self, plane: Plane) -> None:
        self.plane = plane

    def predict(self, targets: list[str]) -> Answer:
        """The throughput of each job now and without the targets. Called in a thread."""
        try:
            now = self.plane.submit(self.plane.fabric_state).result()
            then = self.plane.submit(self.plane.fabric_state, targets).result()
            jobs = [
                {"name": name, **cost(self.machine(now), self.machine(then), sample(nodes))}
                for name, nodes in self.jobs()
            ]
        except InputError as error:
            found = error.diagnostics[0]
            text = f"{found.at} `{found.found}`: expected {found.wanted}"
            return Answer(400, refused(400, text))
        return Answer(200, {"targets": targets, "jobs": jobs, "method": METHOD})

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
        return sorted(found, key=lambda job: -len(job[1]))[:JOBS]

    def machine(self, state: dict[str, Any]) -> Machine:
        """The machine of the fabric in a state."""
        schedule = without_bit_errors(state["toml"])
        return machine_of(self.plane.request["machine"], state, schedule)


def sample(nodes: list[int]) -> list[int]:
    """At most `NODES` of the nodes, evenly spread."""
    n = len(nodes)
    return nodes if n <= NODES else [nodes[k * n // NODES] for k in range(NODES)]


def cost(now: Machine, then: Machine, nodes: list[int]) -> dict[str, float]:
    """Throughput per node, in Gbit/s, before and after, and the relative change."""
    before, after = throughput(now, nodes), throughput(then, nodes)
    change = after / before - 1 if before else 0.0
    return {"before_gbit_s": before, "after_gbit_s": after, "change": change, "nodes": len(nodes)}


def throughput(machine: Machine, nodes: list[int]) -> float:
    """Gbit/s that each node sends; 0 if messages are lost for good."""
    job = machine.job(nodes=len(nodes), ppn=1, placement=nodes, limits="off")
    try:
        latency_s = bench("alltoall", job, [SIZE], "flow").latencies[0]
    except SimulatedFailure:
        return 0.0
    return (len(nodes) - 1) * SIZE * 8 / latency_s / 1e9


def refused(status: int, message: str) -> dict[str, Any]:
    """The document of an error."""
    return {
        "message": message,
        "statusCode": status,
        "documentKind": "com:services:common:models:ServiceErrorResponse",
        "errorCode": 0,
    }
