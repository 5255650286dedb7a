"""`slingshot-topology-tool --cmd "show ..."`: switches, links and counters."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import go_text
from .client import Client, ClientError
from .fmn import downed_ports

USAGE = 'usage: slingshot-topology-tool --cmd "show THING [XNAME]"'
SWITCHES = (
    "xname", "type", "snum", "gnum", "edge_count", "fabric_count", "uptime", "up_ports", "flap",
    "checkidle", "pktIn", "pktOut", "drops", "dscrds",
)  # fmt: skip
PORTS = (
    "xname", "type", "dst", "hostname", "port_num", "status", "ptype", "subtype", "mtu", "mac",
    "mactype", "speed",
)  # fmt: skip
MTU = 9216  # bytes (shs-docs)


def main(words: Sequence[str]) -> int:
    """Run the tool with these arguments. Returns the exit status."""
    if len(words) != 2 or words[0] != "--cmd":
        print(USAGE, file=sys.stderr)
        return 2
    asked = words[1].split()
    for length in (4, 3, 2):
        run = COMMANDS.get(" ".join(asked[:length]))
        if run is not None:
            break
    else:
        print(f"slingshot-topology-tool: modeled: {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        return run(Client(), asked[length:])
    except ClientError as error:
        print(f"slingshot-topology-tool: {error}", file=sys.stderr)
        return 1


def table(head: Sequence[str], rows: list[dict[str, Any]]) -> None:
    """Print rows with these columns."""
    print(go_text.columns(list(head), [[str(row.get(name, "")) for name in head] for row in rows]))


def show_switches(client: Client, _rest: list[str]) -> int:
    """`show switches`."""
    rows = []
    for one in client.documents("/fabric/switches"):
        counters = one.get("counters", {})
        rows.append({
            "xname": one["documentSelfLink"].rpartition("/")[2].removesuffix("b0"),
            "type": one.get("switchType", "Colorado"),
            "snum": one["swcNum"],
            "gnum": one["grpId"],
            "edge_count": len(one.get("edgePortLinks", [])),
            "fabric_count": len(one.get("fabricPortLinks", [])),
            "uptime": one.get("uptimeSeconds", 0),
            "up_ports": one.get("upPorts", ""),
            "flap": counters.get("flaps", 0),
            "checkidle": "Pass",
            "pktIn": counters.get("pktIn", 0),
            "pktOut": counters.get("pktOut", 0),
            "drops": counters.get("drops", 0),
            "dscrds": counters.get("discards", 0),
        })  # fmt: skip
    table(SWITCHES, rows)
    return 0


def show_fabric(client: Client, _rest: list[str]) -> int:
    """`show fabric`: every fabric port."""
    rows = []
    for one in client.documents("/fabric/ports"):
        if one["portType"] == "edge":
            continue
        rows.append({
            "xname": one["conn_port"],
            "type": "fabric",
            "dst": one["dst_port"].rpartition("p")[0],
            "hostname": "unknown",
            "port_num": one["portNumber"],
            "status": str(one["status"]["state"] == "ONLINE"),
            "ptype": "Fabric",
            "subtype": one["portSubtype"].capitalize(),
            "mtu": MTU,
            "mac": one["mac"],
            "mactype": "algorithmic",
            "speed": one["status"]["speed"],
        })  # fmt: skip
    table(PORTS, rows)
    return 0


def show_health(client: Client, _rest: list[str]) -> int:
    """`show links health`: the downed links."""
    found = client.get("/simulation/status")
    print("Displaying the Downed Links and required diagnostics action for each link:")
    rows = [
        [kind.capitalize(), port]
        for kind in ("edge", "fabric")
        for port in downed_ports(found, kind)
    ]
    print(go_text.columns(["type", "rosprt xname"], rows))
    return 0


def show_telemetry(client: Client, rest: list[str]) -> int:
    """`show switch counters|perfcounters|ports XNAME`: metrics of a switch or port, as JSON."""
    if len(rest) != 1:
        print(USAGE, file=sys.stderr)
        return 2
    where = rest[0]
    found = client.get(f"/metrics?$filter=Location%20eq%20'{where}'&$limit=10000")
    print(json.dumps(found, indent=2))
    return 0


def show_ports(client: Client, rest: list[str]) -> int:
    """`show switch ports XNAME`."""
    if len(rest) != 1:
        print(USAGE, file=sys.stderr)
        return 2
    switch = client.get(f"/fabric/switches/{rest[0].removesuffix('b0')}b0")
    links = [*switch.get("edgePortLinks", []), *switch.get("fabricPortLinks", [])]
    print(json.dumps([client.get(link) for link in links], indent=2))
    return 0


def show_cables(client: Client, _rest: list[str]) -> int:
    """`show cables`: links and their states."""
    rows = [
        {"cable": one["documentSelfLink"].rpartition("/")[2], "type": one["linkType"],
         "state": one["status"]["state"]}
        for one in client.documents("/fabric/links")
    ]  # fmt: skip
    table(("cable", "type", "state"), rows)
    return 0


COMMANDS: dict[str, Callable[[Client, list[str]], int]] = {
    "show switches": show_switches,
    "show fabric": show_fabric,
    "show links health": show_health,
    "show switch counters": show_telemetry,
    "show switch perfcounters": show_telemetry,
    "show switch error_flags": show_telemetry,
    "show switch ports": show_ports,
    "show cables": show_cables,
}
