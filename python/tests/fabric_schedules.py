"""Random schedules of requests, kills of managers and kills of the service, by seed.

A schedule has a model: what the acknowledged requests in order leave behind. The model is
independent of the control plane.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

POLICIES = ("fabric-policy", "edge-policy", "p")
MANAGERS = ("fm-a", "fm-b")


@dataclass(frozen=True)
class Step:
    """One request, or `advance` of the clock by seconds."""

    method: str
    path: str
    body: Any = None
    seconds: float = 0.0


def setup() -> Step:
    """Creates the policy that the others change."""
    body = {"documentSelfLink": "p", "state": "ONLINE", "autoneg": True}
    return Step("POST", "/fabric/port-policies", body)


def draw_step(draw: random.Random, nth: int, ports: list[str]) -> Step:
    """The `nth` request of a schedule."""
    port = draw.choice(ports)
    kind = draw.randrange(12)
    if kind < 4:
        policy = f"/fabric/port-policies/{draw.choice(POLICIES)}"
        return Step("PATCH", port, {"portPolicyLinks": [policy], "note": nth})
    if kind == 4:
        return Step("PATCH", "/fabric/port-policies/p", {"autoneg": draw.random() < 0.5})
    if kind == 5:
        vlan = draw.randrange(2, 8)
        return Step("POST", "/fabric/vlans", {"id": vlan, "name": f"v{nth}", "status": "ONLINE"})
    if kind == 6:
        return Step("DELETE", f"/fabric/vlans/{draw.randrange(2, 8)}")
    if kind == 7:
        seconds = draw.choice((1, 2, 5, 10))
        return Step("PATCH", "/simulation/sweeps", {"routing": {"intervalSeconds": seconds}})
    if kind == 8:
        fault = {"target": port.rpartition("/")[2], "kind": draw.choice(("FLAP", "DOWN")),
                 "durationSeconds": draw.randrange(60)}  # fmt: skip
        return Step("POST", "/simulation/faults", fault)
    if kind in (9, 10):
        manager = f"/simulation/managers/{draw.choice(MANAGERS)}"
        return Step("PATCH", manager, {"state": draw.choice(("UP", "DOWN", "UP"))})
    return Step("POST", "/simulation/failover", {})


@dataclass
class Model:
    """What the acknowledged requests leave behind."""

    ports: dict[str, tuple[list[str], int]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    autoneg: bool = True
    vlans: dict[int, str] = field(default_factory=dict)
    interval_s: float = 5
    managers: dict[str, str] = field(default_factory=dict)

    def add(self, step: Step) -> None:
        """An acknowledged request."""
        path, body = step.path, step.body
        if step.method == "PATCH" and path.startswith("/fabric/"):
            self.versions[path] = self.versions.get(path, 0) + 1
        if path.startswith("/fabric/ports/"):
            self.ports[path] = (body["portPolicyLinks"], body["note"])
        elif path == "/fabric/port-policies/p":
            self.autoneg = body["autoneg"]
        elif path == "/fabric/vlans":
            self.vlans[body["id"]] = body["name"]
        elif path.startswith("/fabric/vlans/"):
            del self.vlans[int(path.rpartition("/")[2])]
        elif path == "/simulation/sweeps":
            self.interval_s = body["routing"]["intervalSeconds"]
        elif path.startswith("/simulation/managers/"):
            self.managers[path.rpartition("/")[2]] = body["state"]

    def differences(self, get: Callable[[str], Any]) -> list[str]:
        """How documents, with both managers up, differ from the model."""
        found = []

        def check(what: str, is_value: Any, wanted: Any) -> None:
            if is_value != wanted:
                found.append(f"{what}: {is_value}, expected {wanted}")

        for path, (policies, note) in self.ports.items():
            document = get(path)
            check(path, (document["portPolicyLinks"], document.get("note")), (policies, note))
        for path, version in self.versions.items():
            check(f"version of {path}", get(path)["documentVersion"], version)
        check("autoneg", get("/fabric/port-policies/p")["autoneg"], self.autoneg)
        links = set(get("/fabric/vlans")["documentLinks"]) - {"/fabric/vlans/1"}
        check("vlans", links, {f"/fabric/vlans/{n}" for n in self.vlans})
        for n, name in self.vlans.items():
            check(f"vlan {n}", get(f"/fabric/vlans/{n}")["name"], name)
        interval_s = get("/simulation/sweeps")["routing"]["intervalSeconds"]
        check("routing sweep", interval_s, self.interval_s)
        return found
