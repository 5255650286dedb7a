//! Runs with the state of a fabric manager's control plane, and snapshots of it.

use api::{BenchRequest, ControlRequest, bench, control_plane, restored, snapshot};
use control::Request;
use serde_json::{Value, json};

/// Two groups of 32 nodes with four links between them, all at 8 GB/s.
fn machine() -> Value {
    json!({
        "name": "dragonfly-1056",
        "set": [
            ["groups.compute.count", "2"],
            ["global.links.compute.compute", "4"],
            ["routing", "minimal"],
        ],
    })
}

fn request() -> ControlRequest {
    let options = json!({ "start": "running" });
    let request = json!({ "machine": machine(), "options": options });
    serde_json::from_value(request).expect("a request")
}

fn post(path: &str, body: Value) -> Request {
    let (method, query, owner) = ("POST".to_string(), String::new(), "test".to_string());
    Request { method, path: path.to_string(), query, body: Some(body), owner }
}

/// Seconds of one all-to-all of all nodes at flow fidelity, with the faults of a state.
fn alltoall(state: &Value) -> f64 {
    let mut machine = machine();
    machine["faults"] = json!({ "name": "state", "toml": state["toml"] });
    let request = json!({
        "machine": machine, "name": "alltoall", "nodes": 64, "ppn": 1, "sizes": [16_384],
        "fidelity": "flow",
    });
    let request: BenchRequest = serde_json::from_value(request).expect("a request");
    let result = bench(&request, &mut |_| true).unwrap_or_else(|errors| panic!("{errors:?}"));
    result.rows[0].latency_s.expect("a time")
}

/// Half of the traffic crosses between the groups. Its time is that of the four links between them;
/// with three it is 4/3 of that. Until the sweep the sources still choose among four. The switch of
/// the failed link passes its quarter to others: at best evenly, at worst all to one, which then
/// has twice its share.
#[test]
fn throughput_before_a_fault_until_the_sweep_and_after() {
    let mut plane = control_plane(&request()).expect("a legal request");
    let state = |plane: &control::ControlPlane| plane.fabric_state(&[]).expect("no targets");
    let before = alltoall(&state(&plane));
    let crossing = 32.0 * 32.0 * 16_384.0 / 4.0 / 8e9;
    // Messages are sent in batches and choose links at random, so links are not always busy.
    assert!(before > crossing && before < 1.5 * crossing, "{before} {crossing}");
    let query = "$filter=linkType eq 'global'&$top=1".to_string();
    let links = Request {
        method: "GET".to_string(),
        query,
        body: None,
        ..post("/fabric/links", Value::Null)
    };
    let link = plane.apply(&links).body["documentLinks"][0].as_str().expect("a link").to_string();
    let target = link.rsplit('/').next().expect("a name");
    plane.advance(1.0);
    let fault = json!({ "target": target, "kind": "DOWN" });
    assert_eq!(plane.apply(&post("/simulation/faults", fault)).status, 201);
    plane.advance(1.1);
    assert_eq!(state(&plane)["staleLinks"], 1);
    let until = alltoall(&state(&plane));
    plane.advance(6.0);
    assert_eq!(state(&plane)["staleLinks"], 0);
    let after = alltoall(&state(&plane));
    let ratio = |time: f64| time / before;
    assert!((1.2..1.5).contains(&ratio(after)), "after: {}", ratio(after));
    assert!((1.2..2.2).contains(&ratio(until)), "until: {}", ratio(until));
    assert!(until > 0.95 * after, "knowledge of the fault does not slow the job down");
}

#[test]
fn a_snapshot_repeats_the_state() {
    let request = request();
    let mut plane = control_plane(&request).expect("a legal request");
    plane.advance(3.25);
    plane.apply(&post("/simulation/faults", json!({ "kind": "STORM", "count": 50, "seconds": 9 })));
    plane.advance(7.0);
    plane.apply(&post("/fabric/vlans", json!({ "documentSelfLink": "v", "id": 7 })));
    plane.advance(20.0);
    let text = serde_json::to_string(&snapshot(&request, &plane)).expect("plain data");
    let mut again = restored(&serde_json::from_str(&text).expect("a snapshot")).expect("legal");
    assert_eq!(again.digest(), plane.digest());
    assert_eq!(again.status(), plane.status());
    plane.advance(500.0);
    again.advance(500.0);
    assert_eq!(again.digest(), plane.digest());
}

/// All problems of a request are reported at once.
#[test]
fn wrong_options_are_input_errors() {
    let wrong = json!({
        "machine": "dragonfly-1056",
        "options": { "routing_s": 0, "start": "warm", "failover_s": -1 },
    });
    let wrong: ControlRequest = serde_json::from_value(wrong).expect("it parses");
    let errors = control_plane(&wrong).err().expect("it is wrong");
    let at: Vec<&str> = errors.iter().map(|error| error.at.as_str()).collect();
    assert_eq!(at, ["options.routing_s", "options.failover_s", "options.start"]);
    let unknown = json!({ "machine": "aurrora" });
    let unknown: ControlRequest = serde_json::from_value(unknown).expect("it parses");
    assert_eq!(
        control_plane(&unknown).err().expect("it is wrong")[0].hint.as_deref(),
        Some("aurora")
    );
}
