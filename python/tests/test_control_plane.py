"""The class `ControlPlane`: requests, time, telemetry and snapshots."""

import threading

import pytest

from odonata.core import ControlPlane
from odonata.errors import InputError

RUNNING = {"machine": "dragonfly-1056", "options": {"start": "running"}}


def call(plane, method, path, body=None, query=""):
    request = {"method": method, "path": path, "query": query, "body": body, "owner": "test"}
    answer = plane.apply(request)
    return answer["status"], answer["body"]


def test_a_flap_is_an_event_and_a_document():
    plane = ControlPlane(RUNNING)
    _, page = call(plane, "GET", "/fabric/links", query="$filter=linkType eq 'global'&$top=1")
    (link,) = page["documentLinks"]
    fault = {"kind": "FLAP", "target": link.rsplit("/", 1)[1]}
    assert call(plane, "POST", "/simulation/faults", fault)[0] == 201
    plane.advance(1)
    assert call(plane, "GET", link)[1]["status"]["phase"] == "TUNING"
    events = plane.events(0, 100)
    kinds = [event["MessageId"].split(".")[0] for event in events["events"]]
    assert kinds == ["CrayFabricTelemetry"] * 2 + ["CrayFabricCritTelemetry"] * 2
    plane.advance(6)  # tuning takes at most 5 s
    assert call(plane, "GET", link)[1]["status"]["phase"] == "ONLINE"


def test_a_snapshot_repeats_the_digest():
    plane = ControlPlane(RUNNING)
    plane.advance(2.5)
    call(plane, "POST", "/simulation/faults", {"kind": "STORM", "count": 20, "seconds": 5})
    plane.advance(9)
    again = ControlPlane.restore(plane.snapshot())
    assert (again.now_s, again.digest()) == (plane.now_s, plane.digest())


def test_threads_share_a_plane():
    plane = ControlPlane(RUNNING)
    made = []

    def create(first):
        for number in range(first, first + 20):
            body = {"documentSelfLink": f"v{number}", "id": number}
            made.append(call(plane, "POST", "/fabric/vlans", body)[0])

    threads = [threading.Thread(target=create, args=(first,)) for first in (100, 200, 300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [201] * 60
    assert call(plane, "GET", "/fabric/vlans")[1]["totalCount"] == 61  # and the default one


def test_errors_of_the_user():
    with pytest.raises(InputError, match="aurora"):
        ControlPlane({"machine": "aurrora"})
    plane = ControlPlane(RUNNING)
    with pytest.raises(InputError, match="targets"):
        plane.fabric_state(["x1c0r0b0"])
    with pytest.raises(InputError, match="header"):
        plane.compare_cabling("nothing")


def test_cabling_is_read_back():
    plane = ControlPlane(RUNNING)
    text = plane.cabling("point-to-point")
    assert plane.compare_cabling(text) == {"missing": [], "extra": [], "changed": []}
    shorter = "\n".join(text.splitlines()[:-1])
    assert len(plane.compare_cabling(shorter)["missing"]) == 1


def test_a_day_of_aurora():
    """8,640 deployment sweeps and 10,000 faults, which leave their telemetry."""
    faults = {"count": 10_000, "seconds": 86_400}
    plane = ControlPlane({"machine": "aurora", "options": {"random_faults": faults}})
    plane.advance(86_400)
    _, sweeps = call(plane, "GET", "/simulation/sweeps")
    for kind, due in (("deployment", 8_640), ("routing", 17_280), ("topology", 8_640)):
        done = sweeps[kind]["completed"] + sweeps[kind]["missed"]
        assert due - 1 <= done <= due, kind
    _, flapped = call(plane, "GET", "/fabric/links", query="$filter=flapCount gt 0&$limit=1")
    assert 5_000 < flapped["totalCount"] < 10_000
    assert plane.events(0, 1)["lost"] == 0
