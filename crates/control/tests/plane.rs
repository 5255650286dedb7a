//! The control plane as clients see it: requests, sweeps, link states, faults, failover.

mod common;

use common::{call, get, link_of, machine, phase, plane_of, running, target};
use control::{ControlPlane, Options};
use serde_json::{Value, json};

/// Deployment at 10 s takes 264 polls of 0.2 ms and as many changes of 0.1 ms; then links tune for
/// 3 to 5 s.
#[test]
fn a_cold_fabric_is_in_sync_after_one_deployment_sweep() {
    let mut plane = plane_of("dragonfly-1056", Options::published());
    let work = 264.0 * (200e-6 + 100e-6);
    plane.advance(10.0 + work - 1e-3);
    assert_eq!(plane.status()["synchronizedSwitches"]["synchronized"], 0);
    plane.advance(10.0 + work + 1e-3);
    assert_eq!(plane.status()["synchronizedSwitches"]["synchronized"], 264);
    plane.advance(10.0 + work + 2.999);
    assert_eq!(plane.status()["edge"]["online"], 0);
    plane.advance(10.0 + work + 5.001);
    let status = plane.status();
    assert_eq!(status["edge"], json!({ "online": 1_056, "total": 1_056 }));
    assert_eq!(status["fabric"]["online"], status["fabric"]["total"]);
}

#[test]
fn a_policy_mismatch_keeps_a_link_down_until_both_ends_agree() {
    let mut plane = running();
    let (link, ports) = link_of(&mut plane, "global");
    let slow = json!({ "documentSelfLink": "slow", "state": "ONLINE", "speed": "BS_32G" });
    assert_eq!(call(&mut plane, "POST", "/fabric/port-policies", slow).status, 201);
    let wish = json!({ "portPolicyLinks": ["/fabric/port-policies/slow"] });
    assert_eq!(call(&mut plane, "PATCH", &ports[0], wish.clone()).status, 200);
    plane.advance(9.9);
    assert_eq!(phase(&mut plane, &link), "ONLINE", "the sweep is at 10 s");
    plane.advance(11.0);
    assert_eq!(phase(&mut plane, &link), "MISMATCH");
    plane.advance(1_000.0);
    assert_eq!(phase(&mut plane, &link), "MISMATCH");
    assert_eq!(plane.status()["health"]["Configuration"], "UNHEALTHY");
    assert_eq!(call(&mut plane, "PATCH", &ports[1], wish).status, 200);
    plane.advance(1_011.0);
    assert_eq!(phase(&mut plane, &link), "TUNING");
    plane.advance(1_020.0);
    assert_eq!(phase(&mut plane, &link), "ONLINE");
}

/// A change of a policy document reaches all ports that have it, at both ends at once.
#[test]
fn a_changed_policy_is_deployed_to_all_its_ports() {
    let mut plane = running();
    let offline = json!({ "state": "OFFLINE" });
    call(&mut plane, "PATCH", "/fabric/port-policies/edge-policy", offline);
    plane.advance(11.0);
    let status = plane.status();
    assert_eq!(status["edge"]["online"], 0);
    assert_eq!(status["fabric"]["online"], status["fabric"]["total"]);
    let response = call(&mut plane, "DELETE", "/fabric/port-policies/edge-policy", Value::Null);
    assert_eq!(response.status, 409, "it is in use");
}

/// Routing sweeps are at multiples of 5 s and take 264 x 0.1 ms.
#[test]
fn routing_learns_of_a_flap_with_its_next_sweep_only() {
    let mut plane = running();
    let (link, _) = link_of(&mut plane, "global");
    plane.advance(8.0);
    let flap = json!({ "target": target(&link), "kind": "FLAP" });
    assert_eq!(call(&mut plane, "POST", "/simulation/faults", flap).status, 201);
    plane.advance(9.99);
    let now = get(&mut plane, &link);
    assert_eq!((&now["status"]["phase"], &now["isRouted"]), (&json!("TUNING"), &json!(true)));
    plane.advance(10.2);
    assert_eq!(get(&mut plane, &link)["isRouted"], false);
    plane.advance(14.9);
    let now = get(&mut plane, &link);
    assert_eq!((&now["status"]["phase"], &now["isRouted"]), (&json!("ONLINE"), &json!(false)));
    assert_eq!((&now["flapCount"], &now["flapScore"]), (&json!(1), &json!(1)));
    plane.advance(15.2);
    assert_eq!(get(&mut plane, &link)["isRouted"], true);
}

#[test]
fn a_link_with_a_fault_is_retried_until_it_is_repaired() {
    let mut plane = running();
    let (link, _) = link_of(&mut plane, "local");
    let fault = json!({ "target": target(&link), "kind": "DOWN", "durationSeconds": 60 });
    call(&mut plane, "POST", "/simulation/faults", fault);
    plane.advance(59.9);
    assert_eq!(phase(&mut plane, &link), "FAULTY");
    // Attempts are 10 + 5 s apart, and one takes at most 5 s.
    plane.advance(60.1 + 15.0 + 5.0);
    assert_eq!(phase(&mut plane, &link), "ONLINE");
    let limited = json!({ "autoRetry": { "enabled": true, "always": false, "num_retries": 2 } });
    call(&mut plane, "PATCH", "/fabric/port-policies/fabric-policy", limited);
    plane.advance(100.0);
    let fault = json!({ "target": target(&link), "kind": "DOWN", "durationSeconds": 60 });
    call(&mut plane, "POST", "/simulation/faults", fault);
    plane.advance(131.0);
    assert_eq!(phase(&mut plane, &link), "FAILED", "after two attempts of 15 s");
    plane.advance(500.0);
    assert_eq!(phase(&mut plane, &link), "FAILED", "the repair alone does not help");
    let port = get(&mut plane, &link)["portLinks"][0].as_str().expect("a path").to_string();
    assert_eq!(call(&mut plane, "PATCH", &port, json!({ "action": "RESET" })).status, 200);
    plane.advance(506.0);
    assert_eq!(phase(&mut plane, &link), "ONLINE");
}

#[test]
fn the_standby_takes_over_after_the_failover_time() {
    let mut plane = running();
    let (link, ports) = link_of(&mut plane, "global");
    call(&mut plane, "PATCH", "/simulation/managers/fm-a", json!({ "state": "DOWN" }));
    assert_eq!(call(&mut plane, "GET", "/fabric/switches", Value::Null).status, 503);
    let flap = json!({ "target": target(&link), "kind": "FLAP" });
    call(&mut plane, "POST", "/simulation/faults", flap);
    plane.advance(29.9);
    assert_eq!(get(&mut plane, "/simulation/managers/fm-b")["role"], "STANDBY");
    plane.advance(30.1);
    assert_eq!(get(&mut plane, "/simulation/managers/fm-b")["role"], "ACTIVE");
    let none = json!({ "portPolicyLinks": [] });
    assert_eq!(call(&mut plane, "PATCH", &ports[0], none).status, 200);
    plane.advance(39.9);
    assert_eq!(phase(&mut plane, &link), "ONLINE");
    plane.advance(41.0);
    assert_eq!(phase(&mut plane, &link), "OFFLINE");
}

/// Without a manager nothing changes in configurations and routes; links still come back.
#[test]
fn an_outage_of_both_managers_stops_sweeps() {
    let mut plane = running();
    let (link, ports) = link_of(&mut plane, "global");
    call(&mut plane, "PATCH", &ports[0], json!({ "portPolicyLinks": [] }));
    for manager in ["fm-b", "fm-a"] {
        let path = format!("/simulation/managers/{manager}");
        call(&mut plane, "PATCH", &path, json!({ "state": "DOWN" }));
    }
    plane.advance(3_600.0);
    assert_eq!(plane.status()["isManaged"], false);
    call(&mut plane, "PATCH", "/simulation/managers/fm-b", json!({ "state": "UP" }));
    plane.advance(3_631.0);
    assert_eq!(phase(&mut plane, &link), "ONLINE");
    plane.advance(3_641.0);
    assert_eq!(phase(&mut plane, &link), "OFFLINE", "acknowledged before the outage");
}

/// 264 switches x 0.1 s are 26.4 s of work, so two of three sweeps of 10 s are missed.
#[test]
fn sweeps_fall_behind_their_intervals_under_overload() {
    let slow = Options { poll_deployment_s: 0.1, start: "running".into(), ..Options::published() };
    let mut plane = plane_of("dragonfly-1056", slow);
    plane.advance(1_000.0);
    let sweeps = get(&mut plane, "/simulation/sweeps");
    let number = |path: &str| sweeps.pointer(path).and_then(Value::as_f64).expect("a number");
    assert!(
        number("/managerDemand") > 2.6 && number("/managerLoad") > 26.4 / 30.0 - 0.02,
        "{sweeps}"
    );
    assert!((32.0..=34.0).contains(&number("/deployment/completed")), "{sweeps}");
    assert!((65.0..=67.0).contains(&number("/deployment/missed")), "{sweeps}");
}

#[test]
fn a_maintenance_drains_takes_offline_tests_and_restores() {
    let mut plane = running();
    let job = json!({ "name": "j", "nodeCount": 1_056, "rateGbitPerNic": 8 });
    assert_eq!(call(&mut plane, "POST", "/simulation/jobs", job).status, 201);
    let (link, _) = link_of(&mut plane, "global");
    plane.advance(1.0);
    assert!(get(&mut plane, &link)["load"].as_f64().expect("a load") > 0.0);
    let order = json!({ "name": "m", "targets": [target(&link)] });
    let created = call(&mut plane, "POST", "/fabric/maintenances", order.clone());
    assert_eq!((created.status, &created.body["stage"]), (201, &json!("DRAINING")));
    let again = json!({ "name": "other", "targets": [target(&link)] });
    assert_eq!(call(&mut plane, "POST", "/fabric/maintenances", again).status, 409);
    plane.advance(5.1);
    let stage = |plane: &mut ControlPlane| get(plane, "/fabric/maintenances/m")["stage"].clone();
    assert_eq!(stage(&mut plane), "OFFLINE", "drained by the routing sweep at 5 s");
    assert_eq!(get(&mut plane, &link)["load"], 0.0);
    plane.advance(10.5);
    assert_eq!(
        (stage(&mut plane), phase(&mut plane, &link)),
        ("DIAGNOSING".into(), "OFFLINE".into())
    );
    plane.advance(41.0);
    assert_eq!(stage(&mut plane), "RESTORING");
    plane.advance(70.0);
    assert_eq!((stage(&mut plane), phase(&mut plane, &link)), ("FINISHED".into(), "ONLINE".into()));
    assert!(get(&mut plane, &link)["load"].as_f64().expect("a load") > 0.0);
    // A link with bit errors fails its test and stays offline until the operator cancels.
    let errors = json!({ "target": target(&link), "kind": "BER", "ber": 1e-6 });
    call(&mut plane, "POST", "/simulation/faults", errors);
    let order = json!({ "name": "n", "targets": [target(&link)], "drain": false });
    call(&mut plane, "POST", "/fabric/maintenances", order);
    plane.advance(200.0);
    assert_eq!(get(&mut plane, "/fabric/maintenances/n")["stage"], "FAILED");
    assert_eq!(phase(&mut plane, &link), "OFFLINE");
    call(&mut plane, "PATCH", "/fabric/maintenances/n", json!({ "action": "CANCEL" }));
    plane.advance(220.0);
    assert_eq!(phase(&mut plane, &link), "ONLINE");
}

/// Each flap of a link is two events of its ports that go down, two errors, and two events up.
#[test]
fn a_storm_loses_no_event() {
    let mut plane = running();
    let storm = json!({ "kind": "STORM", "count": 50_000, "seconds": 120 });
    assert_eq!(call(&mut plane, "POST", "/simulation/faults", storm).status, 201);
    let (mut next, mut seen, mut errors) = (0, 0u64, 0u64);
    for second in 1..=130 {
        plane.advance(f64::from(second));
        let page = plane.events(next, 1_000_000);
        assert_eq!(page["lost"], 0);
        let events = page["events"].as_array().expect("events");
        let is_error =
            |event: &&Value| event["MessageId"] == "CrayFabricCritTelemetry.HardwareErrors";
        errors += events.iter().filter(is_error).count() as u64;
        seen += events.len() as u64;
        next = page["next"].as_u64().expect("a number");
    }
    assert_eq!(seen, next);
    assert_eq!(plane.status()["events"], next);
    // Flaps of a link that is still tuning are no new loss.
    assert!(errors > 10_000 && seen > 100_000, "{errors} errors, {seen} events");
}

#[test]
fn vni_blocks_are_enforced_by_the_next_deployment_sweep() {
    let mut plane = running();
    let block = json!({ "documentSelfLink": "b", "vniRanges": ["100-199"] });
    let made = call(&mut plane, "POST", "/fabric/vni/blocks", block);
    assert_eq!(made.status, 201);
    let task = made.body["enforcementTaskServiceLink"].as_str().expect("a link").to_string();
    assert_eq!(get(&mut plane, &task)["taskInfo"]["stage"], "STARTED");
    plane.advance(11.0);
    assert_eq!(get(&mut plane, &task)["taskInfo"]["stage"], "FINISHED");
    for wrong in ["0-5", "9-3", "70000", "x"] {
        let block = json!({ "documentSelfLink": "c", "vniRanges": [wrong] });
        assert_eq!(call(&mut plane, "POST", "/fabric/vni/blocks", block).status, 400, "{wrong}");
    }
}

#[test]
fn collectives_have_sessions_limits_and_steps() {
    let mut plane = running();
    let job = json!({ "jobID": "c-7", "mcastLimit": 2 });
    let made = call(&mut plane, "POST", "/fabric/collectives/jobs", job);
    assert_eq!(made.status, 201);
    assert!(made.body["sessionToken"].is_string());
    let mac = |port: &Value| port["mac"].clone();
    let page = get(&mut plane, "/fabric/ports?$filter=portType eq 'edge'&$top=3&expand=true");
    let macs: Vec<Value> =
        page["documents"].as_object().expect("ports").values().map(mac).collect();
    let tree = json!({ "jobID": "c-7", "jobStepID": "0", "macs": macs, "timeout": 0 });
    for want in [201, 201, 429] {
        let made = call(&mut plane, "POST", "/fabric/collectives/multicasts", tree.clone());
        assert_eq!(made.status, want, "{}", made.body);
    }
    let steps = get(&mut plane, "/fabric/collectives/jobs/c-7")["jobSteps"].clone();
    assert_eq!(steps, json!({ "0": [1, 2] }));
    let steps = json!({ "jobSteps": { "0": null } });
    assert_eq!(call(&mut plane, "PATCH", "/fabric/collectives/jobs/c-7", steps).status, 200);
    assert_eq!(get(&mut plane, "/fabric/collectives/multicasts")["totalCount"], 0);
    assert_eq!(call(&mut plane, "DELETE", "/fabric/collectives/jobs/c-7", Value::Null).status, 200);
}

/// The schedule of a state is legal for the machine, and has the link that routing does not know.
#[test]
fn the_state_is_a_fault_schedule() {
    let mut plane = running();
    let (global, _) = link_of(&mut plane, "global");
    let (edge, _) = link_of(&mut plane, "edge");
    for (link, kind) in [(&global, "DOWN"), (&edge, "LANES")] {
        let fault = json!({ "target": target(link), "kind": kind, "lanes": 3 });
        assert_eq!(call(&mut plane, "POST", "/simulation/faults", fault).status, 201);
    }
    plane.advance(1.0);
    let machine = machine("dragonfly-1056");
    let parse = |state: &Value, key: &str| {
        let text = state[key].as_str().expect("text").to_string();
        machine::faults::FaultSchedule::parse("state", &text, &machine).expect("legal").faults
    };
    let state = plane.fabric_state(&[]).expect("no targets");
    assert_eq!(parse(&state, "toml").len(), 2);
    assert_eq!((&state["staleLinks"], parse(&state, "dynamicToml").len()), (&json!(1), 2));
    let delay = state["routingDelaySeconds"].as_f64().expect("a time");
    assert!((delay - (4.0 + 264.0 * 1e-4)).abs() < 1e-9, "{delay}");
    plane.advance(6.0);
    let state = plane.fabric_state(&[target(&edge).to_string()]).expect("a known link");
    assert_eq!(state["staleLinks"], 0);
    assert_eq!(parse(&state, "toml").len(), 2);
    assert!(plane.fabric_state(&["x1c0r0b0".to_string()]).is_err());
}

#[test]
fn errors_are_documents() {
    let mut plane = running();
    for (method, path, body, status) in [
        ("GET", "/fabric/ports/x9c9r9j9p9", Value::Null, 404),
        ("GET", "/nothing", Value::Null, 404),
        ("DELETE", "/fabric/ports", Value::Null, 405),
        ("TRACE", "/fabric/ports", Value::Null, 405),
        ("POST", "/fabric/vlans", json!([]), 400),
        ("POST", "/fabric/vlans", json!({ "documentSelfLink": "a/b c", "id": 2 }), 400),
        ("POST", "/fabric/vlans", json!({ "name": "v", "id": "two" }), 400),
        ("GET", "/fabric/ports?$filter=(", Value::Null, 400),
        ("PATCH", "/simulation/sweeps", json!({ "routing": { "intervalSeconds": 0 } }), 400),
        ("POST", "/simulation/faults", json!({ "kind": "DOWN", "target": "x1" }), 400),
    ] {
        let response = call(&mut plane, method, path, body);
        assert_eq!(response.status, status, "{method} {path}: {}", response.body);
        let fields = ["message", "statusCode", "documentKind", "errorCode"];
        assert!(fields.iter().all(|name| response.body.get(name).is_some()));
    }
}

#[test]
fn pages_cover_a_collection_once() {
    let mut plane = running();
    let mut path = "/fabric/switches?$limit=100".to_string();
    let mut seen = Vec::new();
    loop {
        let page = get(&mut plane, &path);
        assert_eq!(page["totalCount"], 264);
        seen.extend(page["documentLinks"].as_array().expect("links").clone());
        match page.get("nextPageLink").and_then(Value::as_str) {
            Some(next) => path = next.to_string(),
            None => break,
        }
    }
    assert_eq!(seen.len(), 264);
    seen.sort_by_key(|link| link.to_string());
    seen.dedup();
    assert_eq!(seen.len(), 264);
}
