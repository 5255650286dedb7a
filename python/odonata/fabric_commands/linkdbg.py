"""`linkdbg -L fabric|edge`: downed links, with a problem synopsis and an action code each.

The columns are public, the codes are not: those below are this service's own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from . import go_text
from .client import Client, ClientError
from .fmn import downed_ports

USAGE = "usage: linkdbg -L fabric|edge"
# Action by the phase of a link.
ACTIONS = {
    "OFFLINE": "A2: restore the port policy",
    "MISMATCH": "A1: update the policy of one port",
    "NO_PEER": "A3: examine the partner's switch",
    "FAULTY": "A4: reseat or replace the cable",
    "TUNING": "A0: look again in 5 s",
    "FAILED": "A4: reseat or replace the cable",
}


def main(words: Sequence[str]) -> int:
    """Run `linkdbg` with these arguments. Returns the exit status."""
    if len(words) != 2 or words[0] != "-L" or words[1] not in ("fabric", "edge"):
        print(USAGE, file=sys.stderr)
        return 2
    kind = words[1]
    try:
        client = Client()
        down = downed_ports(client.get("/simulation/status"), kind)
        ports = [client.get(f"/fabric/ports/{name}") for name in down]
    except ClientError as error:
        print(f"linkdbg: {error}", file=sys.stderr)
        return 1
    print(f"{len(ports)} downed links ({kind})")
    if ports:
        head = ["Action code", "PROBLEM SYNOPSIS", "port", "partner"]
        print(go_text.columns(head, [row(port) for port in ports]))
    return 0


def row(port: dict[str, Any]) -> list[str]:
    """The row of a port that is down."""
    status = port["status"]
    return [ACTIONS[status["phase"]], status["reason"], port["conn_port"], port["dst_port"]]
