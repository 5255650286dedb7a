//! Application models: simulated as a whole, and composed of parts.

use api::{AppRequest, AppResult, app};
use serde_json::{Value, json};

fn run(nodes: u32, ppn: u32, method: &str, messages: u64, program: &Value) -> AppResult {
    let request = json!({"machine": {"name": "aurora"}, "fidelity": "loggp", "nodes": nodes,
        "ppn": ppn, "program": program, "messages": messages, "method": method});
    let request: AppRequest = serde_json::from_value(request).expect("a request");
    app(&request, &mut |_| true).expect("valid")
}

fn call(fields: Value) -> Value {
    let mut node = json!({"do": "call", "phase": 0});
    let fields = fields.as_object().expect("fields").clone();
    node.as_object_mut().expect("an object").extend(fields);
    node
}

/// A ring along the axis of a grid, from coordinate 0 to the last one.
fn ring(axis: u32, extent: u32, bytes: u64) -> [Value; 2] {
    let by = [i32::from(axis == 0), i32::from(axis == 1)];
    let side =
        |by: [i32; 2]| json!({"rule": "offset", "grid": 0, "by": by, "periodic": [true, true]});
    let only = |from: u32, to: u32| json!([{"grid": 0, "axis": axis, "from": from, "to": to}]);
    [
        call(json!({"call": "recv", "from": side(by.map(|x| -x)), "bytes": bytes, "tag": 0,
            "where": only(1, extent)})),
        call(json!({"call": "send", "to": side(by), "bytes": bytes, "tag": 0,
            "where": only(0, extent - 1)})),
    ]
}

/// Panels along rows and columns, computation and a sum, in a loop, composed of parts on some of
/// the ranks. The time contains all computation. Executions of a chain overlap in a part, and the
/// sum prevents that in the whole, so that the parts take less.
#[test]
fn chains_of_parts_take_at_most_the_whole() {
    let (p, q) = (12, 16);
    let body = [
        &ring(1, q, 1 << 20)[..],
        &[call(json!({"call": "compute", "seconds": 2e-3}))],
        &ring(0, p, 1 << 18)[..],
        &[call(json!({"call": "collective", "kind": "allreduce", "bytes": 8}))],
    ]
    .concat();
    let program = json!({"ranks": p * q, "grids": [{"shape": [p, q]}], "phases": ["main"],
        "body": [{"do": "loop", "count": 40.0, "body": body}]});
    let whole = run(16, 12, "simulate", 10_000_000, &program);
    let parts = run(16, 12, "auto", 200, &program);
    assert_eq!((whole.method, parts.method), ("simulated", "composed"));
    assert!(whole.failure.is_none() && parts.failure.is_none());
    let (parts_s, whole_s) = (parts.time_s, whole.time_s);
    assert!((40.0 * 2e-3..whole_s).contains(&parts_s), "{parts_s} {whole_s}");
    // 40 iterations with 15 of 16 and 11 of 12 ranks sending.
    let messages = whole.phases[0].messages;
    assert!((messages - 40.0 * (15.0 / 16.0 + 11.0 / 12.0)).abs() < 1e-6, "{messages}");
}

/// A sweep of accesses has as many targets as stated, and never the rank itself.
#[test]
fn accesses_are_counted() {
    let access = call(json!({"call": "access", "request": 1, "count": 40, "out": 0, "back": 4096,
        "sweeps": true, "to": {"rule": "shift", "by": 1}}));
    let program = json!({"ranks": 16, "grids": [{"shape": [16]}], "phases": ["main"],
        "body": [access, call(json!({"call": "wait", "of": 1}))]});
    let result = run(4, 4, "simulate", 1_000_000, &program);
    assert!(result.failure.is_none());
    assert_eq!(result.phases[0].messages, 40.0);
    assert_eq!(result.phases[0].bytes, 40.0 * 4096.0);
}

/// A roofline: the longer of arithmetic and memory time, in the time of a tile of Aurora.
#[test]
fn computation_follows_the_roofline() {
    for (flops, bytes, limit) in [(1e9, 1e10, "memory"), (1e12, 1e6, "flops")] {
        let compute = call(json!({"call": "compute", "flops": flops, "bytes": bytes,
            "kernel": "stream", "precision": "fp64"}));
        let program = json!({"ranks": 12, "grids": [{"shape": [12]}], "phases": ["main"],
            "body": [compute]});
        let result = run(1, 12, "simulate", 1_000_000, &program);
        let row = &result.computations[0];
        assert_eq!(row.limit, limit);
        // machines/aurora.toml: 17 Tflop/s, 1 TB/s, 10 us to start; tiles differ by 2 %.
        let expected = f64::max(flops / 17e12, bytes / 1e12) + 10e-6;
        assert!((row.time_s / expected - 1.0).abs() < 0.03, "{} {expected}", row.time_s);
        let energy = result.energy.expect("aurora has power");
        assert!(energy.total > energy.units && energy.units > 0.0);
    }
}

#[test]
fn a_machine_without_rates_is_refused() {
    let compute = call(json!({"call": "compute", "flops": 1.0, "kernel": "stream",
        "precision": "fp64"}));
    let program = json!({"ranks": 2, "grids": [{"shape": [2]}], "phases": ["main"],
        "body": [compute]});
    let request = json!({"machine": {"name": "dragonfly-1056"}, "fidelity": "loggp", "nodes": 2,
        "ppn": 1, "program": program});
    let request: AppRequest = serde_json::from_value(request).expect("a request");
    let errors = app(&request, &mut |_| true).expect_err("no rates");
    assert!(errors[0].expected.contains("[node.device]"), "{errors:?}");
}
