"""What operators do, over the API of a served fabric: docs/fabric/scenarios.md."""

from __future__ import annotations

import http.client
import json
import os
import re
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from odonata.benchmarking import bench
from odonata.fabric_commands.client import Client, ClientError
from odonata.fabrics import machine_of
from odonata.io_benchmarks import io_bench
from served_fabric import serve

__all__ = ["serve"]  # a fixture
NODES = 32


@pytest.fixture
def client(serve) -> Client:
    return serve("--no-auth").wait().client("none")


def advance(client: Client, seconds: float) -> float:
    return client.request("POST", "/simulation/clock/advance", {"seconds": seconds})["nowSeconds"]


def until(
    client: Client, is_so: Callable[[], Any], step_s: float = 1, most_s: float = 400
) -> float:
    """Advance until something holds. Returns the simulated time."""
    now_s = advance(client, 0)
    end_s = now_s + most_s
    while not is_so():
        assert now_s < end_s, "never"
        now_s = advance(client, step_s)
    return now_s


def link_of(client: Client, kind: str) -> dict[str, Any]:
    page = client.get(f"/fabric/links?$filter=linkType%20eq%20'{kind}'&$limit=1&expand=true")
    [found] = page["documents"].values()
    return found


def seconds_of_all_to_all(client: Client) -> float:
    """An all-to-all of nodes of two halves of the machine, on the fabric as it is."""
    state = client.get("/simulation/state")
    machine = machine_of(client.get("/simulation/machine"), state, state["toml"])
    half = machine.summary["nodes"] // 2
    nodes = [*range(NODES // 2), *range(half, half + NODES // 2)]
    job = machine.job(nodes=NODES, placement=nodes, limits="off")
    return bench("alltoall", job, [1 << 20], "flow").latencies[0]


def stale(client: Client) -> int:
    """Links that are down although routing uses them."""
    return client.get("/simulation/state")["staleLinks"]


def test_a_mismatch_keeps_a_cable_down_until_both_ends_agree(client):
    link = link_of(client, "local")
    here, there = (client.get(port) for port in link["portLinks"])
    policy = {"documentSelfLink": "no-autoneg", "autoneg": False, "state": "ONLINE"}
    client.request("POST", "/fabric/port-policies", policy)
    both = {"portPolicyLinks": [*here["portPolicyLinks"], "/fabric/port-policies/no-autoneg"]}
    client.request("PATCH", here["documentSelfLink"], both)

    def phase() -> str:
        return client.get(link["documentSelfLink"])["status"]["phase"]

    advance(client, 60)
    assert phase() == "MISMATCH"
    status = client.get("/simulation/status")
    assert status["downedLinks"]["fabric"] == [link["name"]]
    assert status["health"]["Configuration"] == "UNHEALTHY"
    client.request("PATCH", there["documentSelfLink"], both)
    until(client, lambda: phase() == "ONLINE", most_s=60)


@pytest.mark.parametrize("interval_s", [1, 5, 60])
def test_routes_avoid_a_failed_link_after_the_next_sweep(client, interval_s):
    client.request("PATCH", "/simulation/sweeps", {"routing": {"intervalSeconds": interval_s}})
    advance(client, 2 * interval_s + 10)
    before = seconds_of_all_to_all(client)
    link = link_of(client, "global")
    client.request("POST", "/simulation/faults", {"target": link["name"], "kind": "DOWN"})
    failed_s = advance(client, 0.001)
    assert stale(client) == 1
    avoided_s = until(client, lambda: stale(client) == 0, step_s=interval_s / 10)
    assert avoided_s - failed_s <= 1.2 * interval_s + 1
    # One of many links between two groups: routes around it keep the throughput.
    assert seconds_of_all_to_all(client) == pytest.approx(before, rel=0.1)


def test_what_removing_cables_costs_a_job(client):
    """One job at packet fidelity: now, from the failure to the routing sweep, and after it."""
    switches = client.get("/fabric/switches?expand=true")["documents"].values()
    groups = {one["displayName"].removesuffix("b0"): one["grpId"] for one in switches}
    nodes: dict[str, None] = {}
    for group in (0, 1):
        switch = next(one for one in switches if one["grpId"] == group)
        path = f"/fabric/ports?$filter=switchLink%20eq%20'{switch['documentSelfLink']}'"
        for port in client.get(f"{path}&expand=true")["documents"].values():
            if port["portType"] == "edge":
                nodes[port["dst_port"].rpartition("h")[0]] = None
    for name in ("j", "other"):
        client.request("POST", "/simulation/jobs", {"name": name, "nodes": list(nodes)})
    path = "/fabric/links?$filter=linkType%20eq%20'global'&expand=true"
    cables = [
        link["name"]
        for link in client.get(path)["documents"].values()
        if {groups[end.partition("j")[0]] for end in link["name"].split("-")} == {0, 1}
    ]
    ask = {"job": "j", "fidelity": "packet"}

    def cost(targets: list[str]) -> dict[str, float]:
        found = client.request("POST", "/simulation/costs", {"targets": targets, **ask})
        [job] = found["jobs"]
        assert job["name"] == "j"
        return job

    one = cost(cables[:1])
    assert one["after_gbit_s"] == pytest.approx(one["before_gbit_s"], rel=0.05)
    # Without a link between its groups the traffic crosses a third one.
    every = cost(cables)
    assert every["before_gbit_s"] == one["before_gbit_s"]
    assert every["until_gbit_s"] < 0.95 * every["before_gbit_s"]
    assert 0 < every["after_gbit_s"] < 0.95 * every["before_gbit_s"]
    for wrong in ({"job": "none"}, {"fidelity": "packet", "job": None}, {"fidelity": ["flow"]}):
        with pytest.raises(ClientError) as caught:
            client.request("POST", "/simulation/costs", {"targets": cables[:1], **ask, **wrong})
        assert caught.value.status in (400, 404)


@pytest.mark.parametrize("interval_s", [1, 5, 60])
def test_a_flapping_link_during_an_all_to_all_of_packets(client, interval_s):
    """Throughput before a flap, until the routing sweep, and after it."""
    client.request("PATCH", "/simulation/sweeps", {"routing": {"intervalSeconds": interval_s}})
    advance(client, 2 * interval_s + 10)
    link = link_of(client, "global")["name"]

    def rate() -> tuple[float, float]:
        state = client.get("/simulation/state")
        machine = machine_of(client.get("/simulation/machine"), state, state["dynamicToml"])
        half = machine.summary["nodes"] // 2
        nodes = [*range(8), *range(half, half + 8)]
        job = machine.job(nodes=16, placement=nodes, limits="off")
        return 1 / bench("alltoall", job, [1 << 16], "packet").latencies[0], state["staleLinks"]

    before, _ = rate()
    client.request("POST", "/simulation/faults", {"target": link, "kind": "FLAP"})
    advance(client, 0.001)
    until, stale_links = rate()
    assert stale_links == 1
    # A link tunes for 3 to 5 s: with sweeps of 60 s it is up again before routing learns of it.
    advance(client, 2 * interval_s + 10)
    after, stale_links = rate()
    assert stale_links == 0
    assert after == before  # all links are up and routed
    assert until <= 1.05 * before


def test_without_a_manager_routes_stay_as_they_are(client):
    link = link_of(client, "global")
    for name in ("fm-a", "fm-b"):
        client.request("PATCH", f"/simulation/managers/{name}", {"state": "DOWN"})
    client.request("POST", "/simulation/faults", {"target": link["name"], "kind": "DOWN"})
    advance(client, 600)
    assert stale(client) == 1
    with pytest.raises(ClientError) as caught:
        client.get("/fabric/switches")
    assert caught.value.status == 503
    client.request("PATCH", "/simulation/managers/fm-b", {"state": "UP"})
    until(client, lambda: stale(client) == 0)
    assert client.get(link["documentSelfLink"])["isRouted"] is False


def stages(client: Client, name: str) -> list[str]:
    found = client.get(f"/fabric/maintenances/{name}")
    return [step["stage"] for step in found["history"]]


@pytest.mark.parametrize("drain", [True, False])
def test_maintenance_beside_a_job(client, drain):
    client.request("POST", "/simulation/jobs", {"name": "big", "nodeCount": 2048})
    link = link_of(client, "global")
    assert link["load"] > 0
    body = {"name": "swap", "targets": [link["name"]], "drain": drain}
    client.request("POST", "/fabric/maintenances", body)
    loads = []

    def is_offline() -> bool:
        found = client.get(link["documentSelfLink"])
        loads.append(found["load"])
        return found["status"]["phase"] == "OFFLINE"

    until(client, is_offline, step_s=0.25)
    # Traffic has left the link before it goes down, or not.
    assert (loads[-2] == 0) is drain
    until(client, lambda: stages(client, "swap")[-1] in ("FINISHED", "FAILED"))
    order = ["DRAINING", "OFFLINE", "DIAGNOSING", "RESTORING", "FINISHED"]
    assert stages(client, "swap") == [s for s in order if drain or s != "DRAINING"]
    assert client.get(link["documentSelfLink"])["status"]["phase"] == "ONLINE"


def test_a_failover_during_maintenance(client):
    link = link_of(client, "local")
    client.request("POST", "/fabric/maintenances", {"name": "swap", "targets": [link["name"]]})
    until(client, lambda: "OFFLINE" in stages(client, "swap"), step_s=0.5)
    client.request("PATCH", "/simulation/managers/fm-a", {"state": "DOWN"})
    with pytest.raises(ClientError):
        client.get("/fabric/maintenances/swap")
    roles = until_active(client)
    assert roles == {"fm-a": "DOWN", "fm-b": "ACTIVE"}
    until(client, lambda: stages(client, "swap")[-1] == "FINISHED")


def until_active(client: Client) -> dict[str, str]:
    def roles() -> dict[str, str]:
        page = client.get("/simulation/managers?expand=true")
        return {one["name"]: one["role"] for one in page["documents"].values()}

    until(client, lambda: "ACTIVE" in roles().values())
    return roles()


def test_profiles_and_group_load_are_part_of_the_state(client):
    def keys() -> dict[str, str]:
        return dict(client.get("/simulation/state")["set"])

    before = keys()
    client.request("PATCH", "/fabric/qos/template-policy", {"profile": "HPC"})
    kinds = {group["kind"] for group in client.get("/simulation/layout")["groups"]}
    client.request("PATCH", "/fabric/routing/template-policy", {"groupLoad": ["cpu"]})
    advance(client, 30)
    changed = keys().items() - before.items()
    off = {f"groups.{kind}.group_load" for kind in kinds - {"cpu"}}
    assert {key for key, value in changed if value == "off"} == off
    assert ("classes.profile", "hpc") in changed
    state = client.get("/simulation/state")
    machine = machine_of(client.get("/simulation/machine"), state, state["toml"])
    assert machine.summary["nodes"]  # the core accepts the keys


def test_group_load_on_the_groups_of_the_storage(serve):
    """Reads of 32 nodes from DAOS at packet fidelity, on an Aurora of eight compute groups."""
    changes = ("groups.compute.count=8", "storage.daos.client_path=dfs")
    more = [word for change in changes for word in ("--set", change)]
    client = serve("--no-auth", "--machine", "aurora", *more).wait().client("none")

    def key() -> str | None:
        return dict(client.get("/simulation/state")["set"]).get("groups.daos.group_load")

    def reads(kinds: list[str]) -> tuple[float, str]:
        before = key()
        client.request("PATCH", "/fabric/routing/template-policy", {"groupLoad": kinds})
        assert key() == before  # until the next routing sweep
        advance(client, 10)
        state = client.get("/simulation/state")
        machine = machine_of(client.get("/simulation/machine"), state, state["toml"])
        job = machine.job(nodes=32, ppn=4, limits="off")
        found = io_bench("ior", job, "-t 4m -b 4m -F", "daos", "packet")
        [rate] = [row["rate_B_per_s"] for row in found["rows"] if row["phase"] == "read"]
        return rate, found["digest"]

    (rate, digest), (without, other) = reads(["daos"]), reads([])
    assert digest != other  # the switches of the storage choose other routes
    # Without other traffic all intermediate groups have the same load: there is little to gain.
    assert without == pytest.approx(rate, rel=0.05)


def test_short_sweeps_overload_a_manager(client):
    advance(client, 60)
    calm = client.get("/simulation/sweeps")
    assert calm["managerDemand"] < 1
    every = {name: {"intervalSeconds": 0.01} for name in ("deployment", "routing", "topology")}
    client.request("PATCH", "/simulation/sweeps", every)
    advance(client, 30)
    busy = client.get("/simulation/sweeps")
    assert busy["managerDemand"] > 1
    missed = sum(busy[name]["missed"] - calm[name]["missed"] for name in every)
    assert missed > 0


# docs/fabric/scenarios.md has the figures of 100,000.
EVENTS = int(os.environ.get("ODONATA_STORM_EVENTS", 20_000))
TOPICS = {
    "CrayFabricTelemetry": "cray-fabric-telemetry",
    "CrayFabricCritTelemetry": "cray-fabric-crit-telemetry",
    "CrayFabricHealth": "cray-fabric-health",
}


def test_a_storm_of_events_is_complete(client):
    """A stream that starts behind a storm has every event once, in order."""
    first = client.get("/simulation/status")["events"]
    storm = {"kind": "STORM", "count": 5_000, "seconds": 60}
    while (last := client.get("/simulation/status")["events"]) < first + EVENTS:
        client.request("POST", "/simulation/faults", storm)
        advance(client, 120)
    numbers: dict[str, list[int]] = {topic: [] for topic in TOPICS.values()}
    for since in range(first, last, 10_000):
        page = client.get(f"/simulation/events?since={since}&limit={min(10_000, last - since)}")
        for n, event in enumerate(page["events"], since):
            numbers[TOPICS[event["MessageId"].partition(".")[0]]].append(n)
    for topic, expected in numbers.items():
        assert ids(client, topic, first, len(expected)) == expected, topic


def ids(client: Client, topic: str, first: int, count: int) -> list[int]:
    """The numbers of the first events of a stream."""
    if not count:
        return []
    connection = http.client.HTTPConnection(client.address.removeprefix("http://"), timeout=60)
    path = f"/sma-telemetry-api/v1/stream/{topic}?batchsize=1&count={count}&since={first}"
    connection.request("GET", path)
    text = connection.getresponse().read()
    connection.close()
    return [int(n) for n in re.findall(rb"(?m)^id: (\d+)$", text)]


def test_the_cost_of_an_action_is_predicted(client):
    nodes = client.get("/fabric/switches?$limit=1&expand=true")
    [switch] = nodes["documents"].values()
    client.request("POST", "/simulation/jobs", {"name": "small", "nodes": list(range(8))})
    uplinks = [link.rpartition("/")[2] for link in switch["edgePortLinks"]]
    one = switch["fabricPortLinks"][0].rpartition("/")[2]
    none = client.request("POST", "/simulation/costs", {"targets": [one]})
    assert [job["name"] for job in none["jobs"]] == ["small"]
    assert none["jobs"][0]["before_gbit_s"] > 0
    all_of_it = client.request("POST", "/simulation/costs", {"targets": uplinks[:64]})
    assert all_of_it["jobs"][0]["after_gbit_s"] < none["jobs"][0]["before_gbit_s"]
    with pytest.raises(ClientError) as caught:
        client.request("POST", "/simulation/costs", {"targets": ["x9"]})
    assert caught.value.status == 400


def test_files_of_the_cabling(client):
    def text(name: str) -> str:
        with urllib.request.urlopen(f"{client.address}/simulation/cabling/{name}") as answer:
            return answer.read().decode()

    rows = text("point-to-point").splitlines()
    assert rows[0].startswith("cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,stage")
    status = client.get("/simulation/status")
    links = status["edge"]["total"] + status["fabric"]["total"] // 2
    assert len(rows) - 1 == links
    ends = {tuple(row.split(",")[n] for n in (1, 3)) for row in rows[1:]}
    assert len(ends) == links
    # Each NIC has an address of its own; the template has each end of each link.
    arp = [row.split() for row in text("arp").splitlines()]
    nics = {far for _, far in ends if "h" in far}
    assert len(nics) == status["edge"]["total"] and {row[2] for row in arp} == nics
    assert len({row[0] for row in arp}) == len({row[1] for row in arp}) == len(arp)
    assert all(row[1].startswith("02:00:00:") for row in arp)
    switches = json.loads(text("fabric-template"))["switches"]
    inner = {(port["conn_port"], port["dst_port"]) for s in switches for port in s["fabricPorts"]}
    edges = {(port["conn_port"], port["nic"]) for s in switches for port in s["edgePorts"]}
    both = {pair for pair in ends if pair[1] not in nics}
    assert inner == both | {(b, a) for a, b in both} and edges == ends - both
