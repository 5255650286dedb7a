"""The fabric manager's service, as its clients use it: processes, requests, roles and recovery.

The requests follow the public facts on the real manager's clients; no test reads the server.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from odonata.fabric_commands.client import Client, ClientError
from served_fabric import MACHINE, Service, serve

__all__ = ["serve"]  # a fixture
SWITCHES, GROUPS = 160, 10  # `odonata machines`
PAGE = Path(__file__).resolve().parents[1] / "odonata" / "fabric" / "page"


def refusal(client: Client, method: str, path: str, body: Any = None) -> int:
    """The status of a request that is refused."""
    with pytest.raises(ClientError) as caught:
        client.request(method, path, body)
    return caught.value.status


def raw(service: Service, method: str, path: str, headers: dict[str, str], body: bytes = b""):
    """Status, headers and document of a request with any headers."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return found


def test_a_client_written_from_the_facts_works(serve):
    service = serve().wait()
    client = service.client()
    page = client.get("/fabric/switches")
    assert page["totalCount"] == len(page["documentLinks"]) == SWITCHES
    link = page["documentLinks"][0]
    assert re.fullmatch(r"/fabric/switches/x\d{1,4}c[0-7]r\d+b0", link)
    switch = client.get(f"/apis/fabric-manager{link}")
    fields = ("grpId", "swcNum", "agentLink", "edgePortLinks", "fabricPortLinks", "IP")
    assert all(field in switch for field in fields) and switch["documentSelfLink"] == link
    kept = ("documentVersion", "documentEpoch", "documentUpdateTimeMicros", "documentOwner")
    assert all(field in switch for field in kept)
    port = client.get(switch["fabricPortLinks"][0])
    assert port["switchLink"] == link and port["documentKind"].endswith(":models:PortState")
    # A copy of a policy, OFFLINE, as `sat swap` makes it: POST, PATCH of the port, and back.
    policies = port["portPolicyLinks"]
    copy = {**client.get(policies[0]), "state": "OFFLINE", "documentSelfLink": "OFFLINE-copy"}
    client.request("POST", "/fabric/port-policies", copy)
    assert refusal(client, "POST", "/fabric/port-policies", copy) == 409
    changed = {"portPolicyLinks": ["/fabric/port-policies/OFFLINE-copy"]}
    after = client.request("PATCH", port["documentSelfLink"], changed)
    assert after["documentUpdateAction"] == "PATCH"
    assert after["portPolicyLinks"] == changed["portPolicyLinks"]
    assert refusal(client, "GET", "/fabric/ports/x1c0r0j99p9") == 404
    assert refusal(client, "DELETE", "/fabric/port-policies/OFFLINE-copy") == 409  # in use
    client.request("PATCH", port["documentSelfLink"], {"portPolicyLinks": policies})
    client.request("DELETE", "/fabric/port-policies/OFFLINE-copy")
    assert refusal(client, "GET", "/fabric/port-policies/OFFLINE-copy") == 404


def test_pages_are_complete_and_errors_are_documents(serve):
    service = serve().wait()
    client = service.client()
    everything = client.get("/fabric/ports")["documentLinks"]
    path, found, pages = "/fabric/ports?$limit=1500", [], 0
    while path:
        page = client.get(path)
        found += page["documentLinks"]
        pages += 1
        path = page.get("nextPageLink")
    assert found == everything and len(set(found)) == len(found)
    assert pages == -(-len(everything) // 1500)
    edge = client.get("/fabric/ports?$filter=portType%20eq%20'edge'&$limit=1")
    assert 0 < edge["totalCount"] < len(everything)
    metric = "/metrics?$filter=PhysicalContext%20eq%20'Congestion.rxBW'&$top=3"
    assert len(client.get(metric)["value"]) == 3
    bearer = {"Authorization": f"Bearer {service.token}"}
    for method, path, status in (
        ("GET", "/fabric/nothing", 404), ("DELETE", "/fabric/switches", 405),
        ("GET", "/fabric/ports?$limit=x", 400), ("PATCH", "/fabric/ports/x1", 400),
    ):  # fmt: skip
        found_status, headers, text = raw(service, method, path, bearer)
        assert found_status == status, (method, path, text)
        document = json.loads(text)
        assert document["statusCode"] == status
        assert {"message", "statusCode", "documentKind", "errorCode"} <= document.keys()
        assert status != 405 or headers["allow"] == "GET"


def test_tokens_and_roles(serve):
    service = serve().wait()
    admin = service.client()
    policy = "/fabric/port-policies/fabric-policy"

    def token(role: str) -> Client:
        body = {"name": f"the_{role}", "role": role}
        return service.client(admin.request("POST", "/simulation/tokens", body)["token"])

    operator, guest, wlm, security = map(token, ("operator", "guest", "wlm", "security"))
    job = {"jobID": "cluster-7", "mcastLimit": 2}
    assert "sessionToken" in wlm.request("POST", "/fabric/collectives/jobs", job)
    wlm.request("DELETE", "/fabric/collectives/jobs/cluster-7")
    assert refusal(wlm, "PATCH", policy, {"state": "ONLINE"}) == 403
    assert guest.get("/fabric/switches")["totalCount"] == SWITCHES
    assert refusal(guest, "PATCH", policy, {"state": "ONLINE"}) == 403
    assert refusal(guest, "GET", "/metrics") == 403
    operator.request("PATCH", policy, {"state": "ONLINE"})
    assert refusal(operator, "DELETE", policy) == 403
    assert refusal(operator, "POST", "/simulation/tokens", {"name": "x", "role": "admin"}) == 403
    assert refusal(security, "GET", "/fabric/switches") == 403
    security.get("/fabric/rosetta-auth-token")
    # An owner is the name of its token.
    assert admin.get(policy)["documentOwner"] == "the_operator"
    for wrong in ("", "x" * 43, service.token + "x"):
        headers = {"Authorization": f"Bearer {wrong}"}
        status, found, _ = raw(service, "GET", "/fabric/switches", headers)
        assert (status, found["www-authenticate"]) == (401, "Bearer")
    admin.request("DELETE", "/simulation/tokens/the_guest")
    assert refusal(guest, "GET", "/fabric/switches") == 401
    # Neither a token that is printed at the start nor one of a request is in the log, also not
    # with the reason of a failure.
    database = sqlite3.connect(service.state)
    database.execute("DROP TABLE log")
    database.commit()
    database.close()
    assert refusal(admin, "PATCH", policy, {"state": "ONLINE"}) == 500
    service.end()
    log = "".join(service.lines[3:])
    assert "no such table: log" in log
    assert service.token not in log and operator.token not in log


def test_other_sites_and_large_bodies_are_refused(serve):
    service = serve("--no-auth").wait()
    path, kind = "/fabric/port-policies/fabric-policy", {"Content-Type": "application/json"}
    assert raw(service, "GET", path, {"Host": "example.org"})[0] == 403
    body = b'{"state": "OFFLINE"}'
    other = {**kind, "Origin": "http://example.org"}
    assert raw(service, "PATCH", path, other, body)[0] == 403
    assert raw(service, "PATCH", path, {"Content-Type": "text/plain"}, body)[0] == 415
    large = b'{"state": "' + b"x" * (1 << 20) + b'"}'
    assert raw(service, "PATCH", path, kind, large)[0] == 413
    for wrong in (b"{", b"[]", b"NaN", b'{"a": NaN}', b"[" * 100_000, b"\xff"):
        assert raw(service, "PATCH", path, kind, wrong)[0] == 400, wrong[:10]
    half = json.dumps({"documentSelfLink": "half", "state": "\ud800"}).encode()
    assert raw(service, "POST", "/fabric/port-policies", kind, half)[0] == 400
    assert json.loads(raw(service, "GET", path, {})[2])["state"] == "ONLINE"


def test_no_acknowledged_request_is_lost(serve):
    """Kills during writes: what was acknowledged is there, in order, and nothing twice."""
    service = serve().wait()
    token, acknowledged = service.token, []
    draw = random.Random(7)
    for round_number in range(3):
        client = service.client(token)
        end = threading.Timer(0.2 + 0.3 * draw.random(), service.end, (signal.SIGKILL,))
        end.start()
        n = 0
        while True:
            name = f"p{round_number}-{n}"
            try:
                client.request("POST", "/fabric/port-policies", {"documentSelfLink": name})
                if n % 5 == 0:
                    client.request("POST", "/simulation/clock/advance", {"seconds": 0.5})
            except ClientError as error:
                assert error.status == 0, error
                break
            acknowledged.append(f"/fabric/port-policies/{name}")
            n += 1
        end.join()
        service = serve(port=service.port).wait()
    found = service.client(token).links("/fabric/port-policies")
    ours = {link for link in found if re.search(r"/p\d+-\d+$", link)}
    assert len(acknowledged) > 10 and set(acknowledged) <= ours
    # A request without an answer may be in the log: the one that follows the last answer of a
    # round, and no other.
    last = {name: n for name, n in (re.findall(r"p(\d+)-(\d+)$", a)[0] for a in acknowledged)}
    pending = {f"/fabric/port-policies/p{r}-{int(last.get(str(r), -1)) + 1}" for r in range(3)}
    assert ours - set(acknowledged) <= pending
    digest = service.client(token).get("/simulation/digest")
    service.end(signal.SIGKILL)
    again = serve(port=service.port).wait()
    assert again.client(token).get("/simulation/digest") == digest


def test_a_standby_takes_over(serve):
    active = serve().wait()
    active.client().request("POST", "/fabric/port-policies", {"documentSelfLink": "mine"})
    standby = serve().wait("standby: another process")
    assert standby.process.poll() is None
    active.end(signal.SIGKILL)
    standby.wait()
    # Tokens are in the file, too.
    found = standby.client(active.token).get("/fabric/port-policies/mine")
    assert found["documentSelfLink"] == "/fabric/port-policies/mine"


def test_streams_have_all_events_in_order(serve):
    service = serve().wait()
    client = service.client()
    link = client.get("/fabric/links?$limit=1")["documentLinks"][0].rpartition("/")[2]
    bearer = {"Authorization": f"Bearer {service.token}", "Last-Event-ID": "0"}
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    path = "/apis/sma-telemetry-api/v1/stream/cray-fabric-telemetry?count=3&batchsize=1"
    connection.request("GET", path, headers=bearer)
    answer = connection.getresponse()
    assert answer.getheader("content-type").startswith("text/event-stream")
    for _ in range(3):
        fault = {"target": link, "kind": "DOWN", "durationSeconds": 5}
        client.request("POST", "/simulation/faults", fault)
        client.request("POST", "/simulation/clock/advance", {"seconds": 60})
    text = answer.read().decode()
    connection.close()
    numbers = [int(n) for n in re.findall(r"(?m)^id: (\d+)$", text)]
    assert len(numbers) == 3 and numbers == sorted(set(numbers))
    for line in re.findall(r"(?m)^data: (.*)$", text):
        [message] = json.loads(line)["metrics"]["messages"]
        [event] = message["Events"]
        assert event["MessageId"].startswith("CrayFabricTelemetry")
        sensor = event["Oem"]["Sensors"][0]
        assert {"Timestamp", "Location", "ParentalIndex", "PhysicalContext", "Index",
                "DeviceSpecificContext", "SubIndex", "Value"} <= sensor.keys()  # fmt: skip
    prometheus = raw(service, "GET", "/simulation/prometheus", bearer)[2].decode()
    assert "odonata_fabric_edge_online " in prometheus


def test_commands_of_the_real_manager(serve, odonata):
    service = serve().wait()
    env = {**odonata.env, "ODONATA_FABRIC": service.address, "ODONATA_FABRIC_TOKEN": service.token}
    place = odonata("fabric", "commands").stdout.strip()

    def run(name: str, *words: str, status: int = 0) -> str:
        done = subprocess.run(
            [f"{place}/{name}", *words], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done.stderr
        return done.stdout

    assert f"Fully Synchronized Switches: {SWITCHES} / {SWITCHES}" in run("fmn-show-status")
    assert "Runtime:HEALTHY" in run("fmn-show-status", "-q")
    assert "| autoneg " in run("fmctl", "get", "port-policies/fabric-policy")
    ports = json.loads(run("fmctl", "get", "ports?$limit=1", "--raw"))["documentLinks"]
    name = ports[0].rpartition("/")[2]
    run("fmctl", "create", "port-policies/other", "autoneg=false", "state=ONLINE")
    run("fmctl", "update", f"ports/{name}", "portPolicyLinks=/fabric/port-policies/other")
    assert "[/fabric/port-policies/other]" in run("fmctl", "get", f"ports/{name}")
    kind = "edge" if service.client().get(ports[0])["portType"] == "edge" else "fabric"
    assert odonata("fabric", "advance", "30", env=env).returncode == 0
    assert name in run("fmn-show-status", "--details")
    assert "policies of the two ports differ" in run("linkdbg", "-L", kind)
    assert "combined score" in run("show-flaps")
    assert "xname" in run("slingshot-topology-tool", "--cmd", "show switches")
    assert run("fmn-show-lag", status=2) == ""
    assert run("fmctl", "get", "ports/x9", status=1) == ""
    env["ODONATA_FABRIC_TOKEN"] = "wrong"
    run("fmn-show-status", status=1)


PLAN = """
[[event]]
at = "00:00:20"
request = "POST /fabric/port-policies"
body = { documentSelfLink = "late" }

[[event]]
at = 5
request = "GET /fabric/port-policies/late"
"""


def test_a_plan_is_played_at_simulated_times(serve, odonata, tmp_path):
    service = serve("--no-auth").wait()
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    done = odonata("fabric", "events", plan, "--fabric", service.address, "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["at_s"] for row in rows] == [5, 20]
    assert rows[0]["error"]["status"] == 404 and done.returncode == 1
    micros = rows[1]["answer"]["documentUpdateTimeMicros"]
    now_s = service.client("none").get("/simulation/clock")["nowSeconds"]
    assert now_s == 20 and micros % 1_000_000 == 0
    for wrong in ("x = 1", "event = []", '[[event]]\nat = "x"\nrequest = "FETCH /"\nmore = 1'):
        plan.write_text(wrong)
        assert odonata("fabric", "events", plan).returncode == 2


def test_a_run_uses_the_state_of_the_fabric(serve, odonata):
    service = serve("--no-auth").wait()
    client = service.client("none")
    command = ("bench", "alltoall", "--nodes", 16, "--sizes", "1Mi", "--fidelity", "flow",
               "--json", "--quiet")  # fmt: skip

    def seconds(*more: object) -> float:
        done = odonata(*command, *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["rows"][0]["latency_s"]

    plain = seconds("--machine", MACHINE)
    assert seconds("--fabric", service.address) == plain
    # Links of the first switch at half of their lanes.
    switch = client.get(client.get("/fabric/switches?$limit=1")["documentLinks"][0])
    for link in switch["edgePortLinks"]:
        fault = {"target": link.rpartition("/")[2], "kind": "LANES", "lanes": 2}
        client.request("POST", "/simulation/faults", fault)
    client.request("POST", "/simulation/clock/advance", {"seconds": 60})
    assert seconds("--fabric", service.address) > 1.5 * plain
    assert client.get("/simulation/jobs")["documentLinks"] == []
    both = odonata(*command, "--machine", MACHINE, "--fabric", service.address)
    assert both.returncode == 2 and "--machine" in both.stderr


def test_wrong_options_are_reported_together(odonata):
    done = odonata("fabric", "serve", "--machine", "lumi", "--port", "0", "--speed", "-1",
                   "--host", "0.0.0.0")  # fmt: skip
    assert done.returncode == 2
    for word in ("machine", "--port", "--speed", "--host"):
        assert word in done.stderr


def test_a_state_file_belongs_to_one_fabric(serve, odonata, tmp_path):
    serve("--state", tmp_path / "a.sqlite").wait().end()
    done = odonata("fabric", "serve", "--machine", "lumi-g", "--state", tmp_path / "a.sqlite")
    assert done.returncode == 2 and "another machine" in done.stderr


def test_the_page_loads_nothing_from_elsewhere():
    for name in os.listdir(PAGE):
        text = (PAGE / name).read_text()
        assert not re.search(r"https?://|//[a-z]+\.|@import", text), name
    html = (PAGE / "index.html").read_text()
    assert not re.search(r"(?i)<script>|\son[a-z]+=|style=", html)  # the policy forbids inline code


def test_time_follows_the_wall_clock(serve):
    service = serve("--no-auth", speed=100).wait()
    client = service.client("none")
    before, start = client.get("/simulation/clock")["nowSeconds"], time.monotonic()
    while client.get("/simulation/clock")["nowSeconds"] < before + 50:
        assert time.monotonic() - start < 60
    service.end(signal.SIGKILL)
    again = serve("--no-auth", port=service.port).wait()
    # No client sees the time go back.
    assert again.client("none").get("/simulation/clock")["nowSeconds"] >= before + 50


def test_the_host_of_a_request_names_no_resource(serve):
    """Without a token, on an open path, with a document in the Host header."""
    service = serve().wait()
    host = f"localhost:{service.port}/fabric/port-policies/edge-policy?"
    headers = {"Host": host, "Content-Type": "application/json"}
    status, *_ = raw(service, "PATCH", "/", headers, b"{}")
    assert status in (400, 403)


def test_an_advance_that_is_no_whole_number_of_steps_ends(serve):
    client = serve().wait().client()
    for _ in range(3):
        client.request("POST", "/simulation/clock/advance", {"seconds": 0.1})


def test_files_that_the_page_does_not_have_are_not_found(serve):
    service = serve().wait()
    assert raw(service, "GET", "/simulation/page/page.js", {})[0] == 200
    assert raw(service, "GET", "/simulation/page/openapi.js", {})[0] == 404
