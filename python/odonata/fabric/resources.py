"""The resources of the fabric manager's API: collections, their verbs and the fields of documents.

Paths, verbs and fields are those that public clients and guides show. `is_own` marks an extension
of this service, because the original is not public (docs/fabric/differences.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
FLAG: dict[str, Any] = {"type": "boolean"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
NUMBER: dict[str, Any] = {"type": "number", "minimum": 0}
OBJECT: dict[str, Any] = {"type": "object"}
# The link of a VLAN, as sshot-net-operator sends it.
VLAN: dict[str, Any] = {"type": "string", "pattern": "^/fabric/vlans/[0-9]{1,4}$"}
ONLINE: dict[str, Any] = {"type": "string", "enum": ["ONLINE", "OFFLINE"]}


@dataclass(frozen=True)
class Collection:
    """A collection and the documents in it."""

    path: str
    about: str
    fields: dict[str, Any]
    of_collection: tuple[str, ...] = ("GET",)
    of_document: tuple[str, ...] = ("GET",)
    required: tuple[str, ...] = ()  # of a POST
    is_own: bool = False


CHANGED = ("GET", "PATCH", "PUT")
CREATED = ("GET", "POST")
DELETED = ("GET", "PATCH", "PUT", "DELETE")

_RETRY = {
    "type": "object",
    "properties": {"enabled": FLAG, "always": FLAG, "num_retries": COUNT, "duration_sec": COUNT},
}
_PORT_POLICY = {
    "state": ONLINE,
    "autoneg": FLAG,
    "speed": {"type": "string", "enum": ["BS_100G", "BS_200G"]},
    "flowControl": {"type": "object", "properties": {"rx": FLAG, "tx": FLAG}},
    "loopback": TEXT,
    "mac": TEXT,
    "precode": TEXT,
    "autoRetry": _RETRY,
    "headShellReset": _RETRY,
    "allowedVlans": {"type": "array", "items": VLAN},
    "nativeVlanId": VLAN,
    "isUntaggedAllowed": FLAG,
}

COLLECTIONS = (
    Collection("/fabric/switches", "Switches", {"switchPolicyLink": TEXT, "switchLabelList": TEXTS},
               of_document=CHANGED),
    Collection("/fabric/ports", "Ports and their policies", {"portPolicyLinks": TEXTS},
               of_document=CHANGED),
    Collection("/fabric/port-policies", "Port policies", _PORT_POLICY, CREATED, DELETED),
    Collection("/fabric/links", "Links: the xnames of both ports, joined by -", {}),
    Collection("/fabric/agents", "Agents of the switches", {}),
    Collection("/fabric/topology-policies", "Topology policies", {}),
    Collection("/fabric/topology-maps", "State of all switches and ports",
               {"sweepIntervalInMilliseconds": COUNT}, of_document=("GET", "PATCH")),
    Collection("/fabric/health-engines", "Health of the fabric", {}),
    Collection("/fabric/vni/partitions", "VNI partitions",
               {"partitionName": TEXT, "vniCount": COUNT, "vniRanges": TEXTS, "edgePortDFAs":
                {"type": "array", "items": COUNT}}, CREATED, DELETED),
    Collection("/fabric/vni/blocks", "VNI blocks",
               {"vniBlockName": TEXT, "partitionName": TEXT, "vniRanges": TEXTS, "portDFAs":
                {"type": "array", "items": COUNT}}, CREATED, DELETED),
    Collection("/fabric/vlans", "VLANs", {"id": COUNT, "name": TEXT, "status": ONLINE},
               CREATED, DELETED),
    Collection("/fabric/collectives/jobs", "Jobs of accelerated collectives",
               {"jobID": TEXT, "mcastLimit": COUNT, "jobSteps": OBJECT}, CREATED,
               ("GET", "PATCH", "DELETE"), ("jobID",)),
    Collection("/fabric/collectives/multicasts", "Multicast trees of accelerated collectives",
               {"jobID": TEXT, "jobStepID": TEXT, "macs": TEXTS, "timeout": COUNT}, CREATED,
               ("GET", "DELETE"), ("jobID", "macs")),
    Collection("/fabric/maintenances", "Orchestrated maintenance",
               {"targets": TEXTS, "drain": FLAG, "hold": FLAG, "action": {"type": "string", "enum":
                ["RESTORE", "CANCEL"]}}, CREATED, ("GET", "PATCH", "DELETE"), ("targets",),
               is_own=True),
    Collection("/fabric/link-policies", "Link policies", {}, CREATED, DELETED, is_own=True),
    Collection("/fabric/switch-policies", "Switch policies", {}, CREATED, DELETED, is_own=True),
    Collection("/fabric/routing", "Routing bias and group load",
               {"nonminimalShift": COUNT, "nonminimalAdd": COUNT, "groupLoad": TEXTS},
               of_document=CHANGED, is_own=True),
    Collection("/fabric/qos", "QoS profile of the fabric", {"profile": TEXT},
               of_document=CHANGED, is_own=True),
    Collection("/telemetry", "Telemetry settings", {"enabled": FLAG}, CREATED, DELETED),
    Collection("/switch-telemetry", "Telemetry settings of switches", {"enabled": FLAG}, CREATED,
               DELETED),
    Collection("/certmgr/switch-certificates", "Certificates of switches", {}, CREATED, DELETED),
    Collection("/fabric/vni/enforcement-tasks", "Progress of the enforcement of VNI blocks", {}),
    Collection("/simulation/faults", "Injected faults",
               {"target": TEXT, "kind": {"type": "string", "enum": [
                   "DOWN", "FLAP", "LANES", "BER", "AGENT_DOWN", "STORM", "RANDOM"]},
                "lanes": COUNT, "ber": NUMBER, "delaySeconds": NUMBER, "durationSeconds": NUMBER,
                "count": COUNT, "seconds": NUMBER},
               CREATED, ("GET", "DELETE"), ("kind",), is_own=True),
    Collection("/simulation/jobs", "Jobs on the fabric",
               {"nodes": {"type": "array", "items": {"anyOf": [COUNT, TEXT]}},
                "nodeCount": COUNT, "rateGbitPerNic": NUMBER, "name": TEXT},
               CREATED, ("GET", "DELETE"), is_own=True),
    Collection("/simulation/managers", "The active-standby pair of managers",
               {"state": {"type": "string", "enum": ["UP", "DOWN"]}},
               of_document=("GET", "PATCH"), is_own=True),
)  # fmt: skip
BY_PATH = {one.path: one for one in COLLECTIONS}


# Single documents: path, verbs, and fields of a change.
_INTERVAL = {"type": "object", "properties": {"intervalSeconds": NUMBER}}
SINGLE = (
    Collection("/simulation/sweeps", "The periodic sweeps and their intervals",
               {"deployment": _INTERVAL, "routing": _INTERVAL, "topology": _INTERVAL},
               of_collection=("GET", "PATCH"), is_own=True),
    Collection("/host-settings", "Settings of hosts", {}, of_collection=CHANGED),
    Collection("/fabric/rosetta-auth-token", "Token of the switches", {}, of_collection=CHANGED),
    Collection("/simulation/impacts", "Effect of removing targets on the loads of links",
               {"targets": TEXTS}, of_collection=("POST",), required=("targets",), is_own=True),
    *(Collection(f"/port-sets{name}", "Port sets of the first generation", {}) for name in
      ("", "/fabric-ports", "/fabric-ports/status", "/edge-ports", "/edge-ports/status")),
    Collection("/simulation", "The extensions of the simulation", {}, is_own=True),
    Collection("/simulation/failover", "Make the standby manager the active one", {},
               of_collection=("POST",), is_own=True),
)  # fmt: skip
BY_SINGLE_PATH = {one.path: one for one in SINGLE}


@dataclass(frozen=True)
class Target:
    """What a path names: a collection, or one document of it."""

    collection: Collection
    name: str | None

    @property
    def verbs(self) -> tuple[str, ...]:
        """The methods it accepts."""
        return self.collection.of_collection if self.name is None else self.collection.of_document


def find(path: str) -> Target | None:
    """The target of a path, or None."""
    plain = "/" + path.strip("/")
    if plain in BY_SINGLE_PATH:
        return Target(BY_SINGLE_PATH[plain], None)
    if plain in BY_PATH:
        return Target(BY_PATH[plain], None)
    parent, _, name = plain.rpartition("/")
    found = BY_PATH.get(parent)
    return Target(found, name) if found and name else None
