"""Texts of the fabric manager's commands, and the parts of its service that need no fabric.

Expected texts are those of HewlettPackard/shs-docs (port_configuration.md and
fabric_links_troubleshooting.md before 2024-09-06).
"""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
from odonata.fabric import resources, roles
from odonata.fabric.limits import RateLimit, is_local
from odonata.fabric.store import Lease, Store, StoreError, hashed
from odonata.fabric_commands import flaps, fmn, go_text

PORT = {
    "conn_port": "x3001c0r41j31p0",
    "documentAuthPrincipalLink": "/core/authz/system-user",
    "documentEpoch": 0,
    "documentExpirationTimeMicros": 0,
    "documentKind": "com:services:fabric:models:PortState",
    "documentOwner": "5849ea8c-a060-4496-8d8a-4f2495b04f74",
    "documentSelfLink": "/fabric/ports/x3001c0r41j31p0",
    "documentUpdateAction": "POST",
    "documentUpdateTimeMicros": 1616639307727047,
    "documentVersion": 0,
    "id": "x3001c0r41a0l48",
    "portPolicyLinks": ["/fabric/port-policies/fabric-policy"],
}
PORT_TABLE = """
+------------------------------+---------------------------------------+
|             KEY              |                 VALUE                 |
+------------------------------+---------------------------------------+
| conn_port                    | x3001c0r41j31p0                       |
| documentAuthPrincipalLink    | /core/authz/system-user               |
| documentEpoch                |                                     0 |
| documentExpirationTimeMicros |                                     0 |
| documentKind                 | com:services:fabric:models:PortState  |
| documentOwner                | 5849ea8c-a060-4496-8d8a-4f2495b04f74  |
| documentSelfLink             | /fabric/ports/x3001c0r41j31p0         |
| documentUpdateAction         | POST                                  |
| documentUpdateTimeMicros     | 1.616639307727047e+15                 |
| documentVersion              |                                     0 |
| id                           | x3001c0r41a0l48                       |
| portPolicyLinks              | [/fabric/port-policies/fabric-policy] |
+------------------------------+---------------------------------------+"""
LINKS_TABLE = """
+---------------+-----------------------------------------------+
|      KEY      |                     VALUE                     |
+---------------+-----------------------------------------------+
| documentCount |                                             2 |
| documentLinks | /fabric/links/x3000c0r41j11p1-x3000c0r42j18p1 |
|             1 | /fabric/links/x3000c0r41j11p0-x3000c0r42j18p0 |
| totalCount    |                                             2 |
+---------------+-----------------------------------------------+"""
# Breaks such that lines are about equally long: `j16p1` alone, although `j18p0` fits behind it.
STATE_MAP = (
    "map[edgePortStateMap:map[x3000c0r42j10p0:ONLINE fabricPortStateMap:map[x3000c0r42j16p0:ONLINE "
    "x3000c0r42j16p1:ONLINE x3000c0r42j18p0:ONLINE x3000c0r42j18p1:ONLINE x3000c0r42j20p0:ONLINE "
    "x3000c0r42j20p1:ONLINE x3000c0r42j21p0:ONLINE x3000c0r42j21p1:ONLINE x3000c0r42j22p0:ONLINE "
    "x3000c0r42j22p1:ONLINE x3000c0r42j2p0:ONLINE x3000c0r42j2p1:ONLINE] "
    "switchLink:/fabric/switches/x3000c0r42b0]"
)
STATUS = {
    "edge": {"online": 127, "total": 128},
    "fabric": {"online": 46, "total": 48},
    "portsReported": {"reported": 175, "total": 176},
    "synchronizedSwitches": {"synchronized": 4, "total": 4},
    "incompleteSwitches": [],
    "downedLinks": {
        "edge": ["x3001c0r42j15p1-x1000c0s0b0n0h0"],
        "fabric": ["x3000c0r41j13p0-x3001c0r41j31p0"],
    },
    "offlineSwitches": [],
    "activeTopology": "template-policy",
    "health": dict.fromkeys(fmn.HEALTH, "HEALTHY"),
}
STATUS_TEXT = """Edge: 127 / 128
Fabric: 46 / 48
Ports Reported: 175 / 176
Fully Synchronized Switches: 4 / 4

Switches with Incomplete Configuration Synchronization Requiring Review:

Downed links:
Edge: x3001c0r42j15p1
Fabric: x3000c0r41j13p0
Fabric: x3001c0r41j31p0"""


def test_documents_have_the_documented_table():
    assert go_text.document(PORT) == PORT_TABLE.strip()
    links = [f"/fabric/links/x3000c0r41j11p{n}-x3000c0r42j18p{n}" for n in (1, 0)]
    found = go_text.document({"documentCount": 2, "documentLinks": links, "totalCount": 2})
    assert found == LINKS_TABLE.strip()


def test_long_cells_break_as_documented():
    lines = go_text.wrapped(STATE_MAP)
    assert " ".join(lines) == STATE_MAP
    assert lines[1:4] == [
        "fabricPortStateMap:map[x3000c0r42j16p0:ONLINE",
        "x3000c0r42j16p1:ONLINE",
        "x3000c0r42j18p0:ONLINE x3000c0r42j18p1:ONLINE",
    ]


@pytest.mark.parametrize(
    "value, text",
    [
        ({"tx": True, "rx": True}, "map[rx:true tx:true]"),
        (["a", "b"], "[a b]"),
        (None, "<nil>"),
        (10000, "10000"),
        (1616673000239000, "1.616673000239e+15"),
        # %v of float64 in Go: strconv.FormatFloat(x, 'g', -1, 64).
        (1000000, "1e+06"),
        (0.25, "0.25"),
    ],
)
def test_values_are_those_of_go(value, text):
    assert go_text.value(value) == text


def test_status_has_the_documented_lines():
    assert fmn.status(STATUS, has_details=True) == STATUS_TEXT
    assert fmn.status(STATUS, has_details=False) == "\n".join(STATUS_TEXT.splitlines()[:4])
    quick = fmn.quick(STATUS).splitlines()
    assert "Edge Total: 128 Online: 127, Offline: 1" in quick
    assert quick[1:5] == ["Topology Status", "Active: template-policy", "Health", "------"]
    assert quick[-1] == "Offline Switches:"


def test_flaps_have_the_documented_columns():
    link = {
        "documentSelfLink": "/fabric/links/x3000c0r41j13p0-x3001c0r41j31p0",
        "flapCount": 0, "secondsSinceLastFlap": 960.0, "flapPeriodSeconds": 1920.0, "flapScore": 6,
    }  # fmt: skip
    name, total, since, period, scores, combined = flaps.line(link).split("|")
    assert name == " x3000c0r41j13p0<->x3001c0r41j31p0 "
    assert total == "0     /     0  "
    assert (since.strip(), period) == ("0:16:00 / 0:16:00", "0:32:00 / 0:32:00")
    assert (scores.strip(), combined.strip()) == ("6/6", "12")
    widths = [len(part) for part in flaps.RULE.split("+")]
    assert widths == [len(part) for part in flaps.HEAD.split("|")]


def test_each_command_has_a_script():
    directory = resources.__file__.replace("fabric/resources.py", "_bin/fabric")
    import os

    scripts = {name for name in os.listdir(directory) if name.startswith("fmn-")}
    assert scripts == {f"fmn-{name}" for name in (*fmn.COMMANDS, *fmn.NOT_MODELED)}
    assert all(os.access(f"{directory}/{name}", os.X_OK) for name in scripts)


# Roles: Cray-HPE/cray-opa, hmn.yaml.
RIGHTS = [
    ("admin", "DELETE", "/fabric/port-policies/a", True),
    ("operator", "GET", "/metrics", True),
    ("operator", "PATCH", "/fabric/ports/x1c0r0j1p0", True),
    ("operator", "POST", "/telemetry", True),
    ("operator", "PATCH", "/host-settings", True),
    ("operator", "DELETE", "/fabric/port-policies/a", False),
    ("operator", "POST", "/certmgr/switch-certificates", False),
    ("operator", "GET", "/simulation/tokens", False),
    ("guest", "GET", "/fabric/ports", True),
    ("guest", "GET", "/metrics", False),
    ("guest", "PATCH", "/fabric/ports/x1c0r0j1p0", False),
    ("guest", "GET", "/fabric/rosetta-auth-token", False),
    ("wlm", "GET", "/fabric/switches", True),
    ("wlm", "POST", "/fabric/collectives/jobs", True),
    ("wlm", "DELETE", "/fabric/collectives/jobs/cluster-1", True),
    ("wlm", "PATCH", "/fabric/ports/x1c0r0j1p0", False),
    ("wlm", "POST", "/fabric/collectives-not", False),
    ("security", "POST", "/certmgr/switch-certificates", True),
    ("security", "PATCH", "/fabric/rosetta-auth-token", True),
    ("security", "GET", "/fabric/switches", False),
    ("unknown", "GET", "/fabric/switches", False),
]


@pytest.mark.parametrize("role, method, path, is_allowed", RIGHTS)
def test_each_role_has_its_rights(role, method, path, is_allowed):
    assert roles.may(role, method, path) is is_allowed


def test_the_rate_of_each_client_is_limited():
    seconds = itertools.chain([0.0] * 12, [0.5] * 8)
    limit = RateLimit(10, lambda: next(seconds))
    assert [limit.admits("a") for _ in range(11)] == [True] * 10 + [False]
    assert limit.admits("b")  # at the same time
    assert [limit.admits("a") for _ in range(6)] == [True] * 5 + [False]


def test_only_this_computer_is_local():
    assert all(map(is_local, ("localhost:8000", "127.0.0.1", "[::1]:8000", "LOCALHOST")))
    assert not any(map(is_local, ("example.org", "127.0.0.1.example.org", "", "[::2]:80")))


def test_a_store_keeps_its_log_and_hashes_tokens(tmp_path):
    path = tmp_path / "fabric.sqlite"
    store = Store(path)
    store.append([(1.5, '{"a":1}'), (2.5, '{"b":2}')])
    token = store.create_token("night", "operator")
    # Not closed: a killed process does not close its file either.
    again = Store(path)
    assert list(again.entries()) == [(1, 1.5, '{"a":1}'), (2, 2.5, '{"b":2}')]
    assert list(again.entries(after=1)) == [(2, 2.5, '{"b":2}')]
    assert again.tokens() == [("night", "operator", hashed(token))]
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert token.encode() not in stored
    assert again.delete_token("night") and not again.delete_token("night")


def test_another_file_is_no_store(tmp_path):
    path = tmp_path / "fabric.sqlite"
    path.write_bytes(b"not a database, but long enough to be read as one" * 20)
    with pytest.raises(StoreError, match="cannot use"):
        Store(path)


def test_one_process_has_the_lease(tmp_path):
    path = tmp_path / "fabric.sqlite"
    code = (
        "import sys, pathlib; from odonata.fabric.store import Lease\n"
        "print(Lease(pathlib.Path(sys.argv[1])).take())"
    )
    lease = Lease(path)
    assert lease.take()
    found = [sys.executable, "-c", code, str(path)]
    assert subprocess.run(found, capture_output=True, text=True, check=True).stdout == "False\n"
    lease.release()
    assert subprocess.run(found, capture_output=True, text=True, check=True).stdout == "True\n"
