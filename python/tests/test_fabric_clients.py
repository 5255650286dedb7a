"""Public clients of the fabric manager, request by request: docs/fabric/clients.md.

Each test sends what a client sends, with its headers, and reads the answers as the client does. The
sources are named in each test; their code is not used.
"""

from __future__ import annotations

import base64
import http.client
import json
import urllib.parse
from datetime import datetime
from typing import Any

import pytest
from odonata.fabric_commands.client import Client
from served_fabric import Service, serve

__all__ = ["serve"]  # a fixture
JOBS = "/fabric/collectives/jobs"
LOGIN = "/keycloak/realms/shasta/protocol/openid-connect/token"


def call(
    service: Service, method: str, path: str, headers: dict[str, str], body: str | None = None
) -> tuple[int, Any]:
    """Status and document of a request with exactly these headers."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    data = body.encode() if body is not None else b""
    if body is not None:
        connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text) if text else None


def wlm_token(service: Service) -> str:
    body = {"name": "slurm", "role": "wlm"}
    return service.client().request("POST", "/simulation/tokens", body)["token"]


def basic(service: Service) -> str:
    """`fm_auth=BASIC`: the user is `cxi`, the password is in a file `passwd`."""
    pair = f"cxi:{wlm_token(service)}".encode()
    return "Basic " + base64.b64encode(pair).decode()


def oauth(service: Service) -> str:
    """`fm_auth=OAUTH`: the files client-id, client-secret and endpoint."""
    form = (f"grant_type=client_credentials&client_id=slurm&client_secret={wlm_token(service)}"
            "&scope=openid")  # fmt: skip
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    status, found = call(service, "POST", LOGIN, kind, form)
    assert status == 200  # any other status is an error to Slurm
    return f"Bearer {found['access_token']}"


@pytest.mark.parametrize("login", [basic, oauth])
def test_slurm(serve, login):
    """SchedMD/slurm, src/plugins/switch/hpe_slingshot/{rest,collectives}.c. All requests have the
    type application/json, also those without a body."""
    service = serve().wait()
    headers = {"Content-Type": "application/json", "Authorization": login(service)}

    def slurm(method: str, path: str, body: str | None = None) -> tuple[int, Any]:
        return call(service, method, path, headers, body)

    # slingshot_setup_collectives: a GET, and a POST after 404.
    status, found = slurm("GET", f"{JOBS}/cluster-17")
    assert status == 404 and found
    job = '{ "jobID": "cluster-17", "mcastLimit": 10 }'
    status, found = slurm("POST", JOBS, job)
    assert 200 <= status <= 299 and isinstance(found["sessionToken"], str)
    session = found["sessionToken"]
    # The second step of the job finds it.
    assert slurm("GET", f"{JOBS}/cluster-17")[1]["sessionToken"] == session
    # _cleanup_thread: a slash at the end; the links begin with the path and the name of the
    # cluster.
    status, found = slurm("GET", f"{JOBS}/")
    assert found["documentLinks"] == [f"{JOBS}/cluster-17"]
    multicast = libfabric(service, session, "cluster-17", "0")
    assert multicast[0] in (200, 201)
    assert slurm("GET", f"{JOBS}/cluster-17")[1]["jobSteps"] == {"0": [multicast[1]["mcastID"]]}
    # slingshot_release_collectives_job_step; 404 is accepted, too.
    status, found = slurm("PATCH", f"{JOBS}/cluster-17", '{ "jobSteps": { "0": null } }')
    assert status == 200 and found["jobSteps"] == {}
    client = service.client()
    assert client.get("/fabric/collectives/multicasts")["documentLinks"] == []
    assert slurm("PATCH", f"{JOBS}/cluster-18", '{ "jobSteps": { "0": null } }')[0] == 404
    # slingshot_release_collectives_job.
    assert 200 <= slurm("DELETE", f"{JOBS}/cluster-17")[0] <= 299
    assert slurm("GET", f"{JOBS}/")[1]["documentLinks"] == []


def nic_addresses(service: Service, n: int) -> list[int]:
    """Addresses of NICs in 20 bits: the low ones of their algorithmic MAC addresses."""
    found = service.client().get(
        f"/fabric/ports?$filter=portType%20eq%20'edge'&$top={n}&expand=true"
    )
    texts = [one["mac"].replace(":", "") for one in found["documents"].values()]
    return [int(text, 16) & 0xFFFFF for text in texts]


def libfabric(service: Service, session: str, job: str, step: str) -> tuple[int, Any]:
    """ofiwg/libfabric, prov/cxi/src/{cxip_coll,cxip_curl}.c: _start_curl, cxip_curl_perform."""
    headers = {
        "Accept": "application/json",
        "Content-Type": "application/json",
        "charset": "utf-8",
        "Authorization": f"Bearer {session}",
    }
    macs = ",".join(
        f'"{nic >> 16 & 0xF:01X}:{nic >> 8 & 0xFF:02X}:{nic & 0xFF:02X}"'
        for nic in nic_addresses(service, 3)
    )
    body = (f'{{"macs":[{macs}],"vni": 10,"timeout":20000,"jobID":"{job}",'
            f'"jobStepID":"{step}"}}')  # fmt: skip
    return call(service, "POST", "/fabric/collectives/multicasts", headers, body)


def test_libfabric(serve):
    """The answer as _cxip_create_mcast_cb reads it; the token of a job is good for its trees."""
    service = serve().wait()
    client = service.client()
    sessions = {}
    for job in ("c-1", "c-2"):
        body = {"jobID": job, "mcastLimit": 2}
        sessions[job] = client.request("POST", JOBS, body)["sessionToken"]
    roots = []
    for _ in range(2):
        status, found = libfabric(service, sessions["c-1"], "c-1", "0")
        assert status in (200, 201)
        assert isinstance(found["mcastID"], int) and 0 <= found["mcastID"] < 8192
        octets = found["hwRoot"].split(":")
        assert len(octets) == 6
        # The sum of all octets is compared with the addresses of the NICs.
        roots.append(sum(int(octet, 16) << 8 * n for n, octet in enumerate(reversed(octets))))
    assert roots == nic_addresses(service, 2)  # a NIC is the root of one tree
    assert libfabric(service, sessions["c-1"], "c-1", "0")[0] == 429  # mcastLimit
    assert libfabric(service, sessions["c-1"], "c-2", "0")[0] == 401
    assert libfabric(service, "x", "c-2", "0")[0] == 401
    assert libfabric(service, sessions["c-2"], "../c-2", "0")[0] == 401
    # A session token reads nothing.
    bearer = {"Authorization": f"Bearer {sessions['c-1']}"}
    assert call(service, "GET", "/fabric/collectives/multicasts", bearer)[0] == 401
    typed = {**bearer, "Content-Type": "application/json"}
    assert call(service, "POST", JOBS, typed, "{}")[0] == 401


def test_sat(serve):
    """Cray-HPE/sat, sat/apiclient/gateway.py, sat/cli/swap/ports.py: `sat swap cable`."""
    service = serve().wait()
    admin = service.client()
    form = urllib.parse.urlencode(
        {"grant_type": "password", "client_id": "shasta", "username": "me",
         "password": service.token, "scope": "openid"}
    )  # fmt: skip
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    token = call(service, "POST", LOGIN, kind, form)[1]["access_token"]
    bearer = {"Authorization": f"Bearer {token}"}

    def sat(method: str, *parts: str, body: str | None = None, **more: str) -> tuple[int, Any]:
        # Absolute paths follow the base path: two slashes.
        path = "/apis/fabric-manager/" + "/".join(parts)
        return call(service, method, path, {**bearer, **more}, body)

    links = sat("GET", "fabric/ports")[1]["documentLinks"]
    jack = links[-1].rpartition("/")[2].rpartition("p")[0]
    ports = [link for link in links if link.rpartition("/")[2].startswith(f"{jack}p")]
    far = [sat("GET", link)[1]["dst_port"] for link in ports]
    ports += [f"/fabric/ports/{port}" for port in far if "j" in port]
    before = {link: sat("GET", link)[1]["portPolicyLinks"][0] for link in ports}
    for link in ports:
        name = "OFFLINE-" + before[link].rpartition("/")[2]
        offline = f"/fabric/port-policies/{name}"
        if sat("GET", offline)[0] == 404:
            policy = json.dumps({"state": "OFFLINE", "documentSelfLink": name})
            typed = {"Content-Type": "application/json"}
            assert sat("POST", "/fabric/port-policies", body=policy, **typed)[0] < 400
        # A text without a type.
        changed = json.dumps({"portPolicyLinks": [offline]})
        assert sat("PATCH", link, body=changed)[0] == 200
    phases = lambda: {  # noqa: E731
        admin.get(link)["status"]["phase"] for link in ports
    }
    admin.request("POST", "/simulation/clock/advance", {"seconds": 30})
    assert phases() == {"OFFLINE"}
    assert enabled(sat, ports) == {False}
    for link in ports:
        assert sat("PATCH", link, body=json.dumps({"portPolicyLinks": [before[link]]}))[0] == 200
    admin.request("POST", "/simulation/clock/advance", {"seconds": 60})
    assert phases() == {"ONLINE"}
    assert enabled(sat, ports) == {True}
    # `sat swap switch` puts back the first policy of the ports of one switch.
    switch = admin.get(admin.get(ports[0])["switchLink"])
    for link in [*switch["edgePortLinks"], *switch["fabricPortLinks"]]:
        first = admin.get(link)["portPolicyLinks"][0]
        assert sat("PATCH", link, body=json.dumps({"portPolicyLinks": [first]}))[0] == 200
    admin.request("POST", "/simulation/clock/advance", {"seconds": 60})
    assert admin.get("/simulation/status")["downedLinks"]["fabricCount"] == 0


def enabled(sat: Any, ports: list[str]) -> set[bool]:
    """`status.enable` of the ports in the port sets of the first generation."""
    names = {link.rpartition("/")[2] for link in ports}
    found: set[bool] = set()
    for name in ("fabric-ports", "edge-ports"):
        rows = sat("GET", "port-sets", name, "status")[1]["ports"]
        found |= {row["status"]["enable"] for row in rows if row["xname"] in names}
    return found


def test_slingshot_network_operator(serve):
    """HPE's sshot-net-operator (tapms reconciler): partition, block and VLAN of a tenant. Its types
    are those of Go, so a number where it has a text is an error."""
    service = serve().wait()
    client = service.client()
    tenant = "x-tenant"
    dfas, edges = addresses_of_node(client, node=0)
    partition = {"partitionName": tenant, "vniCount": 10, "vniRanges": ["100-109"],
                 "edgePortDFAs": dfas}  # fmt: skip
    found = client.request("POST", "/fabric/vni/partitions", partition)
    assert found["documentSelfLink"] == f"/fabric/vni/partitions/{tenant}"
    block = {"vniBlockName": f"{tenant}-b", "partitionName": tenant, "vniRanges": ["100-109"],
             "portDFAs": dfas}  # fmt: skip
    found = client.request("POST", "/fabric/vni/blocks", block)
    assert found["portDFAs"] == dfas
    task = found["enforcementTaskServiceLink"]
    client.request("POST", "/simulation/clock/advance", {"seconds": 20})
    assert client.get(task)["taskInfo"]["stage"] == "FINISHED"
    # The number of a new VLAN is the first that no link ends with.
    taken = {int(link.rpartition("/")[2]) for link in client.links("/fabric/vlans")}
    vlan = min(set(range(1, 4095)) - taken)
    body = {"id": vlan, "name": tenant, "status": "ONLINE"}
    link = client.request("POST", "/fabric/vlans", body)["documentSelfLink"]
    assert link == f"/fabric/vlans/{vlan}"
    policy = {"allowedVlans": [link], "nativeVlanId": link, "isUntaggedAllowed": True,
              "documentSelfLink": tenant}  # fmt: skip
    made = client.request("POST", "/fabric/port-policies", policy)
    assert made["documentSelfLink"] == f"/fabric/port-policies/{tenant}"
    for port in edges:
        path = f"/fabric/ports/{port}"
        policies = [made["documentSelfLink"], *client.get(path)["portPolicyLinks"]]
        client.request("PATCH", path, {"portPolicyLinks": policies})
    for link in client.links("/fabric/port-policies"):
        found = client.get(link)
        assert isinstance(found.get("nativeVlanId", ""), str)
        assert all(isinstance(one, str) for one in found.get("allowedVlans", []))
        for name in ("autoRetry", "headShellReset"):
            assert isinstance(found.get(name, {}).get("duration_sec", 0), int)
    client.request("POST", "/simulation/clock/advance", {"seconds": 30})
    assert client.get("/simulation/status")["downedLinks"]["edgeCount"] == 0
    for port in edges:
        path = f"/fabric/ports/{port}"
        policies = client.get(path)["portPolicyLinks"][1:]
        client.request("PATCH", path, {"portPolicyLinks": policies})
    for link in (made["documentSelfLink"], f"/fabric/vlans/{vlan}",
                 f"/fabric/vni/blocks/{tenant}-b", f"/fabric/vni/partitions/{tenant}"):  # fmt: skip
        client.request("DELETE", link)


def addresses_of_node(client: Client, node: int) -> tuple[list[int], list[str]]:
    """The edge ports of a node and their addresses (CalculateEdgePortDFA)."""
    name = client.get("/fabric/ports?$filter=portType%20eq%20'edge'&$top=1&expand=true")
    [port] = name["documents"].values()
    xname = port["dst_port"][:-2]
    dfas, edges = [], []
    switch = client.get(port["switchLink"])
    for edge in switch["edgePorts"]:
        if client.get(f"/fabric/ports/{edge['conn_port']}")["dst_port"][:-2] == xname:
            dfas.append(switch["grpId"] << 23 | switch["swcNum"] << 18 | edge["portNum"] << 12)
            edges.append(edge["conn_port"])
    assert dfas
    return dfas, edges


def test_telemetry_clients(serve):
    """Cray's telemetry_client.py (sma tools): a ping, then a stream by `batchsize`, `count` and
    `stream_id`. unifiedcontrolsystem/dai-ds reads `metrics.messages[].Events[].Oem.Sensors[]` of
    the same streams at another base path."""
    service = serve().wait()
    client = service.client()
    bearer = {"authorization": f"Bearer {service.token}", "Content-Type": "application/json"}
    api = "/apis/sma-telemetry-api/v1"
    assert call(service, "GET", f"{api}/ping", bearer)[0] == 200
    names = [one["name"] for one in call(service, "GET", f"{api}/stream", bearer)[1]["streams"]]
    assert "cray-fabric-crit-telemetry" in names
    client.request("POST", "/simulation/faults", {"kind": "STORM", "count": 50, "seconds": 10})
    client.request("POST", "/simulation/clock/advance", {"seconds": 20})
    for base in (api, "/apis/sma-telemetry/v1"):
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        query = "batchsize=8&count=4&stream_id=1&since=0"
        path = f"{base}/stream/cray-fabric-crit-telemetry?{query}"
        connection.request("GET", path, headers={**bearer, "Last-Event-ID": "0"})
        answer = connection.getresponse()
        assert answer.status == 200
        lines = [line for line in answer.read().decode().splitlines() if line.startswith("data: ")]
        connection.close()
        batches = [json.loads(line.removeprefix("data: "))["metrics"]["messages"] for line in lines]
        assert [len(batch) for batch in batches] == [8] * 4
        for message in sum(batches, []):
            for event in message["Events"]:
                assert event["MessageId"].startswith("CrayFabricCritTelemetry.")
                for sensor in event["Oem"]["Sensors"]:
                    assert datetime.fromisoformat(sensor["Timestamp"].replace("Z", "+00:00"))
                    assert sensor["Location"] and isinstance(sensor["Value"], str)
