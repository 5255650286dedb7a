//! 1,000 random schedules of requests, faults and kills of managers by seed: the same schedule
//! gives the same digest, and the final documents are those of the acknowledged requests in order.

use std::collections::BTreeMap;

use base::{below, draw};
use control::{ControlPlane, Options, Request};
use machine::{Machine, MachineSpec, preset};
use serde_json::{Value, json};

/// Four groups, so that a schedule takes milliseconds.
fn machine() -> Machine {
    let set = [("groups.compute.count", "4"), ("groups.compute.global_ports", "4")];
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    let text = preset("dragonfly-1056").expect("a preset");
    MachineSpec::parse("small", text, &set).and_then(|spec| spec.resolve()).expect("legal")
}

fn request(method: &str, path: &str, body: Value) -> Request {
    let (method, path, owner) = (method.to_string(), path.to_string(), "test".to_string());
    Request { method, path, query: String::new(), body: Some(body), owner }
}

const POLICIES: [&str; 3] = ["fabric-policy", "edge-policy", "p"];

/// The `nth` request of a schedule.
fn nth_request(seed: u64, nth: u32, ports: &[String]) -> Request {
    let pick = |n: u32, which| below(draw(seed, 1, nth, which), n);
    let port = &ports[pick(ports.len() as u32, 0) as usize];
    let name = port.rsplit('/').next().expect("a name");
    match pick(10, 1) {
        0..=4 => {
            let policy = format!("/fabric/port-policies/{}", POLICIES[pick(3, 2) as usize]);
            request("PATCH", port, json!({ "portPolicyLinks": [policy], "note": nth }))
        }
        5 => request("PATCH", "/fabric/port-policies/p", json!({ "autoneg": pick(2, 3) == 0 })),
        6 => {
            let kind = ["FLAP", "DOWN"][pick(2, 4) as usize];
            let body = json!({ "target": name, "kind": kind, "durationSeconds": pick(60, 5) });
            request("POST", "/simulation/faults", body)
        }
        7 | 8 => {
            let path = ["/simulation/managers/fm-a", "/simulation/managers/fm-b"];
            let state = ["UP", "DOWN"][pick(2, 6) as usize];
            request("PATCH", path[pick(2, 7) as usize], json!({ "state": state }))
        }
        _ => request("POST", "/simulation/failover", json!({})),
    }
}

/// Runs a schedule; returns the plane and the acknowledged requests.
fn run(machine: &Machine, seed: u64, ports: &[String]) -> (ControlPlane, Vec<Request>) {
    let options = Options { start: "running".into(), ..Options::published() };
    let mut plane = ControlPlane::new(machine.clone(), seed, options).expect("legal options");
    let policy = json!({ "documentSelfLink": "p", "state": "ONLINE", "autoneg": true });
    let mut acknowledged = Vec::new();
    let mut now = 0.0;
    for nth in 0..40 {
        now += f64::from(below(draw(seed, 2, nth, 0), 12_000)) * 1e-3;
        plane.advance(now);
        let request = match nth {
            0 => request("POST", "/fabric/port-policies", policy.clone()),
            nth => nth_request(seed, nth, ports),
        };
        if plane.apply(&request).status < 300 {
            acknowledged.push(request);
        }
    }
    (plane, acknowledged)
}

/// Policies and note of each port.
type Ports<'a> = BTreeMap<&'a str, (&'a Value, u64)>;

/// What the last acknowledged requests set, by path, and the versions of documents.
fn expected(acknowledged: &[Request]) -> (Ports<'_>, BTreeMap<&str, u64>) {
    let (mut ports, mut versions) = (BTreeMap::new(), BTreeMap::new());
    for request in acknowledged.iter().filter(|request| request.method == "PATCH") {
        *versions.entry(request.path.as_str()).or_insert(0) += 1;
        if let Some(body) = request.body.as_ref().filter(|b| b.get("portPolicyLinks").is_some()) {
            let note = body["note"].as_u64().expect("a number");
            ports.insert(request.path.as_str(), (&body["portPolicyLinks"], note));
        }
    }
    (ports, versions)
}

#[test]
fn the_state_is_that_of_the_acknowledged_requests_in_order() {
    let machine = machine();
    let options = Options::published();
    let mut plane = ControlPlane::new(machine.clone(), 0, options).expect("legal options");
    let all = Request { body: None, ..request("GET", "/fabric/ports", Value::Null) };
    let links = plane.apply(&all).body["documentLinks"].as_array().expect("links").clone();
    let name = |link: &Value| link.as_str().expect("a path").to_string();
    let ports: Vec<String> = links.iter().step_by(7).map(name).collect();
    let mut policies_in_use = 0;
    for seed in 0..1_000 {
        let (mut plane, acknowledged) = run(&machine, seed, &ports);
        if seed < 100 {
            let (again, _) = run(&machine, seed, &ports);
            assert_eq!(plane.digest(), again.digest(), "seed {seed}");
        }
        for manager in ["fm-a", "fm-b"] {
            let path = format!("/simulation/managers/{manager}");
            plane.apply(&request("PATCH", &path, json!({ "state": "UP" })));
        }
        plane.advance(plane.now().seconds() + 200.0);
        let (set, versions) = expected(&acknowledged);
        for (path, (policies, note)) in set {
            policies_in_use += 1;
            let found = plane.apply(&Request { body: None, ..request("GET", path, Value::Null) });
            assert_eq!(&found.body["portPolicyLinks"], policies, "seed {seed}: {path}");
            assert_eq!(found.body["note"], note, "seed {seed}: {path}");
            assert_eq!(found.body["documentVersion"], versions[path], "seed {seed}: {path}");
        }
        let status = plane.status();
        let switches = &status["synchronizedSwitches"];
        assert_eq!(switches["synchronized"], switches["total"], "seed {seed}");
    }
    assert!(policies_in_use > 5_000, "the schedules change ports");
}
