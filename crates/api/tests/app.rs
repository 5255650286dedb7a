//! Application models: simulated as a whole, and composed of parts.

use api::{AppRequest, AppResult, app};
use serde_json::{Value, json};

fn run(nodes: u32, ppn: u32, method: &str, messages: u64, program: &Value) -> AppResult {
    let request = json!({"machine": {"name": "aurora"}, "fidelity": "loggp", "nodes": nodes,
        "ppn": ppn, "program": program, "messages": messages, "method": method});
    let request: AppRequest = serde_json::from_value(request).expect("a request");
    app(&request, &mut |_| true).expect("valid")
}

/// The errors of a request for 16 ranks on 4 nodes of Aurora.
fn errors(more: &Value) -> Vec<machine::InputError> {
    let [recv, send] = ring(0, 16, 100_000);
    let program = json!({"ranks": 16, "grids": [{"shape": [16, 1]}], "phases": ["main"],
        "body": [repeat(10.0, &[recv, send])]});
    let mut request = json!({"machine": {"name": "aurora"}, "fidelity": "loggp", "nodes": 4,
        "ppn": 4, "program": program});
    let more = more.as_object().expect("an object").clone();
    request.as_object_mut().expect("an object").extend(more);
    let request: AppRequest = serde_json::from_value(request).expect("a request");
    app(&request, &mut |_| true).err().unwrap_or_default()
}

#[test]
fn an_unknown_method_is_refused() {
    let found = errors(&json!({"method": "simulated"}));
    assert_eq!((found.len(), found[0].at.as_str()), (1, "method"));
    assert_eq!(found[0].hint.as_deref(), Some("simulate"));
}

/// The message budget that the error names is sufficient.
#[test]
fn a_timeline_of_a_composition_is_refused() {
    let with =
        |messages: u64| errors(&json!({"messages": messages, "timeline": {"path": "/dev/null"}}));
    let found = with(20);
    assert_eq!((found.len(), found[0].at.as_str()), (1, "timeline"));
    let needed = found[0].expected.split("--messages ").nth(1).expect("a budget");
    let needed: u64 = needed.trim_end_matches("`)").parse().expect("a number");
    assert_eq!(with(needed - 1), found);
    assert_eq!(with(needed), []);
}

/// The message budget that the only error requires.
fn needed(errors: &[machine::InputError]) -> u64 {
    assert_eq!((errors.len(), errors[0].at.as_str()), (1, "messages"));
    let budget = errors[0].expected.split("at least ").nth(1).expect("a budget");
    budget.split(' ').next().expect("a word").parse().expect("a number")
}

/// With contention in the network, exchanges of ranks that are not consecutive on a node cannot be
/// cut. They are refused unless the budget allows all of them, and others unless it allows the
/// fewest planes that stand for all.
#[test]
fn exchanges_on_all_nodes_exceed_no_budget() {
    let side =
        |by: i32| json!({"rule": "offset", "grid": 0, "by": [by, 0], "periodic": [true, true]});
    let body = [
        call(json!({"call": "recv", "request": 1, "from": side(-1), "bytes": 8, "tag": 0})),
        call(json!({"call": "send", "request": 1, "to": side(1), "bytes": 8, "tag": 0})),
        call(json!({"call": "wait", "of": 1})),
    ];
    let program = json!({"ranks": 16, "grids": [{"shape": [16, 1]}], "phases": ["main"],
        "body": body});
    for fidelity in ["flow", "packet"] {
        let with = |placement: &str, messages: u64| {
            errors(&json!({"fidelity": fidelity, "placement": placement, "messages": messages,
                "method": "compose", "program": program}))
        };
        let of_planes = needed(&with("contiguous", 5));
        assert_eq!(with("contiguous", of_planes), []);
        let of_all = needed(&with("round-robin", of_planes));
        assert!(of_all > of_planes, "{fidelity}: {of_all} {of_planes}");
        assert_eq!(with("round-robin", of_all), []);
    }
    let loggp = json!({"placement": "round-robin", "messages": 20, "method": "compose"});
    assert_eq!(errors(&loggp), []);
}

/// With contention in the network, collectives of rows are simulated in all rows. They are refused
/// unless the budget allows that.
#[test]
fn collectives_of_rows_exceed_no_budget() {
    let body = [call(json!({"call": "collective", "kind": "allreduce", "bytes": 8,
        "partition": 0}))];
    let program = json!({"ranks": 16, "grids": [{"shape": [4, 4]}], "phases": ["main"],
        "partitions": [{"grid": 0, "axes": [1]}], "body": body});
    for fidelity in ["flow", "packet"] {
        let with = |messages: u64| {
            errors(&json!({"fidelity": fidelity, "messages": messages, "method": "compose",
                "program": program}))
        };
        let least = needed(&with(20));
        assert_eq!(with(least), []);
        assert_eq!(needed(&with(least - 1)), least);
    }
    assert_eq!(errors(&json!({"messages": 20, "method": "compose", "program": program})), []);
}

/// Many small collectives of rows count as much together as fewer large ones. Any smaller budget
/// requires the same, and a larger one is no obstacle.
#[test]
fn many_parts_exceed_no_budget_together() {
    let sum = |nth: u64| {
        call(json!({"call": "collective", "kind": "allreduce", "bytes": 64 + 8 * nth,
            "partition": 0}))
    };
    let with = |parts: u64, messages: u64| {
        let body: Vec<Value> = (0..parts).map(sum).collect();
        let program = json!({"ranks": 16, "grids": [{"shape": [4, 4]}], "phases": ["main"],
            "partitions": [{"grid": 0, "axes": [1]}], "body": body});
        errors(&json!({"fidelity": "flow", "messages": messages, "method": "compose",
            "program": program}))
    };
    let of_one = needed(&with(1, 20));
    let of_all = 20 * of_one;
    for messages in [20, of_one, 8 * of_one + 10, of_all - 1] {
        assert_eq!(needed(&with(20, messages)), of_all);
    }
    assert_eq!(with(20, of_all), []);
    assert_eq!(with(20, 8 * of_all), []);
}

/// `all` simulates each iteration of a loop, and one iteration of a sample.
#[test]
fn all_iterations_are_simulated_except_those_that_samples_represent() {
    let sum = call(json!({"call": "collective", "kind": "allreduce", "bytes": 8}));
    let program = |sample: &Value| {
        json!({"ranks": 4, "grids": [{"shape": [4]}], "phases": ["main"],
            "body": [sample, repeat(20.0, std::slice::from_ref(&sum))]})
    };
    let sample = json!({"do": "loop", "count": 50.0, "is_sample": true, "body": [sum]});
    let result = run(4, 1, "all", 10_000_000, &program(&sample));
    assert_eq!((result.iterations, result.phases[0].calls), (20, 70.0));
    let once = run(4, 1, "all", 10_000_000, &program(&repeat(1.0, std::slice::from_ref(&sum))));
    assert!((result.simulated_s / once.simulated_s - 1.0).abs() < 0.01);
    assert_eq!(run(4, 1, "simulate", 10_000_000, &program(&sample)).iterations, 3);
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
        "to": "from_next"}));
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

/// Products of matrices in 16 and 8 bits may have an efficiency of their own.
#[test]
fn short_products_have_an_efficiency() {
    let seconds = |precision: &str, set: &Value| {
        let compute = call(json!({"call": "compute", "flops": 1e15, "kernel": "gemm",
            "precision": precision}));
        let program = json!({"ranks": 1, "grids": [{"shape": [1]}], "phases": ["main"],
            "body": [compute]});
        let request = json!({"machine": {"name": "aurora", "set": set}, "fidelity": "loggp",
            "nodes": 1, "ppn": 1, "program": program});
        let request: AppRequest = serde_json::from_value(request).expect("a request");
        app(&request, &mut |_| true).expect("valid").computations[0].time_s
    };
    let all = ("node.device.efficiency.gemm", "0.5");
    let short = ("node.device.efficiency.gemm_fp16", "0.25");
    for (precision, of_short) in [("fp64", 1.0), ("fp32", 1.0), ("fp16", 2.0), ("fp8", 2.0)] {
        let [one, half, both] = [json!([]), json!([all]), json!([all, short])]
            .map(|set| seconds(precision, &set) - 10e-6); // `launch` of Aurora
        assert!((half / one / 2.0 - 1.0).abs() < 1e-6, "{precision}: {half} {one}");
        assert!((both / half / of_short - 1.0).abs() < 1e-6, "{precision}: {both} {half}");
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

/// The seconds of a program on a machine without deviations of computation, one rank per node.
fn seconds(ranks: u32, method: &str, shape: &[u32], body: &Value) -> f64 {
    let program = json!({"ranks": ranks, "grids": [{"shape": shape}], "phases": ["main"],
        "partitions": [{"grid": 0, "axes": [0]}], "body": body});
    let request = json!({"machine": {"name": "dragonfly-1056"}, "fidelity": "loggp",
        "nodes": ranks, "ppn": 1, "program": program, "method": method});
    let request: AppRequest = serde_json::from_value(request).expect("a request");
    let result = app(&request, &mut |_| true).expect("valid");
    assert!(result.failure.is_none(), "{:?}", result.failure);
    result.time_s
}

fn repeat(count: f64, body: &[Value]) -> Value {
    json!({"do": "loop", "count": count, "body": body})
}

fn barrier() -> Value {
    call(json!({"call": "collective", "kind": "barrier"}))
}

/// Computation of ranks 0 and 1.
fn half(seconds: f64) -> Value {
    let only = json!([{"grid": 0, "axis": 0, "from": 0, "to": 2}]);
    call(json!({"call": "compute", "seconds": seconds, "where": only}))
}

fn offloaded(seconds: f64) -> Value {
    call(json!({"call": "compute", "seconds": seconds, "is_offloaded": true, "request": 3}))
}

fn host(seconds: f64) -> Value {
    call(json!({"call": "compute", "seconds": seconds}))
}

fn assert_near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} instead of {expected}");
}

/// Ranks outside a loop wait for all of its iterations, also of nested loops.
#[test]
fn loops_of_some_ranks_delay_the_others() {
    let wait = call(json!({"call": "wait", "of": 1}));
    for (body, expected) in [
        (json!([repeat(1000.0, &[half(1e-3)]), barrier()]), 1.0),
        (json!([repeat(20.0, &[repeat(50.0, &[half(1e-3)])]), barrier()]), 1.0),
        (json!([repeat(20.0, &[repeat(50.0, &[half(1e-3)]), barrier()])]), 1.0),
        // Without a barrier, the end of the application is that of its last rank.
        (json!([repeat(1000.0, &[half(1e-3)])]), 1.0),
        // Waiting for nothing is no part in the loop.
        (json!([repeat(1000.0, &[half(1e-3), wait]), barrier()]), 1.0),
        (json!([half(0.5), repeat(500.0, &[half(1e-3)]), barrier()]), 1.0),
    ] {
        for method in ["simulate", "compose"] {
            assert_near(seconds(4, method, &[4], &body), expected);
        }
    }
}

/// A panel of which one column of ranks computes the parts in turn delays all columns alike.
#[test]
fn panels_take_as_long_on_any_number_of_columns() {
    let time = |q: u32, method: &str| {
        let sum = call(json!({"call": "collective", "kind": "allreduce", "bytes": 8192,
            "partition": 0, "where": [{"grid": 0, "axis": 1, "from": 0, "to": 1}]}));
        let body = [&[repeat(512.0, &[sum])][..], &ring(1, q, 8)].concat();
        seconds(4 * q, method, &[4, q], &json!(body))
    };
    for method in ["simulate", "compose"] {
        let one = time(1, method);
        for q in [2, 4, 8] {
            let several = time(q, method);
            // Columns differ in their distances, and the ring takes microseconds.
            assert!((several / one - 1.0).abs() < 0.1, "{method} {q}: {several} {one}");
        }
    }
}

/// Loops on the CPU and on the device run at the same time, as long as all of their iterations.
#[test]
fn loops_overlap_with_all_iterations() {
    let wait = call(json!({"call": "wait", "of": 3}));
    for (body, expected) in [
        (json!([offloaded(1.0), repeat(500.0, &[host(1e-3)]), wait]), 1.0),
        (json!([offloaded(0.3), repeat(500.0, &[host(1e-3)]), wait]), 0.5),
        (json!([offloaded(1.0), repeat(500.0, &[host(1e-3), barrier()]), wait]), 1.0),
        (json!([repeat(500.0, &[offloaded(1e-3)]), host(0.3), wait]), 0.5),
        (json!([offloaded(0.1), repeat(500.0, &[offloaded(1e-3), host(5e-4)]), wait]), 0.6),
    ] {
        for method in ["simulate", "compose"] {
            // A barrier of four ranks takes microseconds.
            let found = seconds(4, method, &[4], &body);
            assert!((found / expected - 1.0).abs() < 0.02, "{method} {found} {expected}: {body}");
        }
    }
}

/// The CPU starts the device after its own computation.
#[test]
fn offloaded_computation_starts_after_the_cpu() {
    let wait = call(json!({"call": "wait", "of": 3}));
    let body = json!([offloaded(1.0), host(1.0), offloaded(1.0), wait]);
    assert_near(seconds(2, "simulate", &[2], &body), 2.0);
    let body = json!([offloaded(1.0), host(0.5), offloaded(1.0), host(2.0), offloaded(1.0), wait]);
    assert_near(seconds(2, "simulate", &[2], &body), 3.5);
}

/// A message of two ranks delays all ranks of a composition by its time, not by the mean.
#[test]
fn exchanges_of_some_ranks_delay_the_others() {
    let column = json!([{"grid": 0, "axis": 0, "from": 0, "to": 2}]);
    let side = json!({"rule": "xor", "by": 1});
    let body = json!([
        repeat(
            100.0,
            &[
                call(
                    json!({"call": "recv", "from": side, "bytes": 1 << 20, "tag": 0, "request": 2,
            "where": column})
                ),
                call(json!({"call": "send", "to": side, "bytes": 1 << 20, "tag": 0, "request": 2,
            "where": column})),
                call(json!({"call": "wait", "of": 2, "where": column})),
            ]
        ),
        barrier()
    ]);
    let time = |method: &str| seconds(8, method, &[8], &body);
    let (whole, parts) = (time("simulate"), time("compose"));
    assert!((parts / whole - 1.0).abs() < 0.05, "{parts} {whole}");
}

/// All time of a program is in its phases, also where other ranks and the device wait for omitted
/// iterations, and some iterations are delayed.
#[test]
fn phases_have_all_time_of_loops_that_delay() {
    let (ring, wait) = (ring(0, 8, 1 << 20), call(json!({"call": "wait", "of": 3})));
    let noisy = call(json!({"call": "compute", "seconds": 1e-4,
        "noise": {"kind": "exponential", "mean": 0.5}}));
    let inner = [&[noisy, offloaded(5e-5)][..], &ring[..]].concat();
    let some = call(json!({"call": "compute", "seconds": 2e-4,
        "where": [{"grid": 0, "axis": 0, "from": 0, "to": 2}],
        "noise": {"kind": "exponential", "mean": 0.5}}));
    let body =
        json!([offloaded(0.05), repeat(300.0, &inner), wait, repeat(400.0, &[some]), barrier()]);
    let program = json!({"ranks": 8, "grids": [{"shape": [8, 1]}], "phases": ["main"],
        "body": body});
    let result = run(2, 4, "simulate", 10_000_000, &program);
    let of_phases: f64 = result.phases.iter().map(|row| row.time_s).sum();
    // Ranks leave the barrier up to a microsecond before the last one.
    let without_s = result.simulated_s - of_phases;
    assert!((0.0..2e-6).contains(&without_s), "{without_s} {}", result.simulated_s);
    assert!((result.time_s / result.simulated_s - 1.0).abs() < 1e-6);
    // 400 of 200 us, and 300 of at least 100 us.
    assert!(result.time_s > 0.11, "{}", result.time_s);
}

/// Ranks wait once for the slowest, not in each of the collectives that follow a computation.
#[test]
fn parts_wait_as_often_as_computations_are_executed() {
    let sum = call(json!({"call": "collective", "kind": "allreduce", "bytes": 8}));
    let slow = call(json!({"call": "compute", "seconds": 0.01,
        "imbalance": {"kind": "normal", "sigma": 0.05}}));
    let body = json!([repeat(20.0, &[slow, repeat(200.0, &[sum])])]);
    let program = json!({"ranks": 96, "grids": [{"shape": [96]}], "phases": ["main"],
        "body": body});
    let whole = run(8, 12, "simulate", 10_000_000, &program).time_s;
    let parts = run(8, 12, "compose", 10_000_000, &program).time_s;
    // The largest of 96 deviations has a standard deviation of 0.4 of one.
    assert!((parts / whole - 1.0).abs() < 0.06, "{parts} {whole}");
}

/// Collectives of rows and columns take as long in some of the communicators as in all.
#[test]
fn some_communicators_represent_all() {
    for axis in [0, 1] {
        let exchange = call(json!({"call": "collective", "kind": "alltoall", "bytes": 20_000,
            "partition": 0}));
        let program = json!({"ranks": 768, "grids": [{"shape": [24, 32]}], "phases": ["main"],
            "partitions": [{"grid": 0, "axes": [axis]}], "body": [repeat(10.0, &[exchange])]});
        let whole = run(64, 12, "simulate", 100_000_000, &program);
        let parts = run(64, 12, "auto", 30_000, &program);
        assert_eq!((whole.method, parts.method), ("simulated", "composed"));
        let (whole, parts) = (whole.time_s, parts.time_s);
        assert!((parts / whole - 1.0).abs() < 0.1, "{axis}: {parts} {whole}");
    }
}

/// Reductions of all ranks that exceed the budget take as long as whole ones.
#[test]
fn reductions_of_all_ranks_are_extrapolated() {
    for bytes in [8, 4096] {
        let sum = call(json!({"call": "collective", "kind": "allreduce", "bytes": bytes}));
        let program = json!({"ranks": 1536, "grids": [{"shape": [1536]}], "phases": ["main"],
            "body": [repeat(10.0, &[sum])]});
        let whole = run(128, 12, "compose", 100_000_000, &program);
        let parts = run(128, 12, "compose", 5_000, &program);
        // Fewer ranks were simulated.
        assert_ne!(whole.digest, parts.digest);
        let (whole, parts) = (whole.time_s, parts.time_s);
        // Four of seven rounds between nodes are extrapolated, from 2 and 8 nodes.
        assert!((parts / whole - 1.0).abs() < 0.15, "{bytes}: {parts} {whole}");
    }
}

/// Pieces pass around a ring while other ranks of the nodes send long messages through the same
/// NICs for a small part of that time. The iterations that are omitted are not delayed by them.
#[test]
fn omitted_iterations_are_not_delayed_by_what_ends_before() {
    let only = |at: u32| json!([{"grid": 0, "axis": 1, "from": at, "to": at + 1}]);
    let side = |by: i32| json!({"rule": "offset", "grid": 0, "by": [by, 0], "periodic": [true]});
    let message = |name: &str, at: u32, bytes: u64, request: u8| {
        let (partner, by) = if name == "send" { ("to", 1) } else { ("from", -1) };
        call(json!({"call": name, partner: side(by), "bytes": bytes, "tag": at,
            "request": request, "where": only(at)}))
    };
    let wait = |of: u8, at: u32| call(json!({"call": "wait", "of": of, "where": only(at)}));
    let exchange = |at: u32, bytes: u64| {
        [message("recv", at, bytes, 2), message("send", at, bytes, 2), wait(2, at)]
    };
    let (long, piece) = (exchange(1, 4 << 20), exchange(0, 4096));
    let times = 30;
    let few: Vec<Value> = (0..times).flat_map(|_| long.clone()).collect();
    let time = |ring: &[Value]| {
        let body = [&few[..], ring, &[barrier()]].concat();
        let program = json!({"ranks": 8, "grids": [{"shape": [4, 2]}], "phases": ["main"],
            "body": body});
        let request = json!({"machine": {"name": "dragonfly-1056"}, "fidelity": "loggp",
            "nodes": 4, "ppn": 2, "program": program, "method": "simulate"});
        let request: AppRequest = serde_json::from_value(request).expect("a request");
        app(&request, &mut |_| true).expect("valid").time_s
    };
    let every: Vec<Value> = (0..2000).flat_map(|_| piece.clone()).collect();
    let (exact, found) = (time(&every), time(&[repeat(2000.0, &piece)]));
    // Time passes for up to 13 iterations more with a long message each, 170 us.
    assert!((found / exact - 1.0).abs() < 0.2, "{found} {exact}");
}

/// While the device computes, a wait of the CPU is no exposed communication.
#[test]
fn offloaded_computation_hides_communication() {
    let phase = |mut node: Value, phase: u32| {
        node["phase"] = json!(phase);
        node
    };
    let first = json!([{"grid": 0, "axis": 0, "from": 0, "to": 1}]);
    let late = phase(call(json!({"call": "compute", "seconds": 0.3, "where": first})), 2);
    let body = json!([
        phase(offloaded(0.2), 1),
        late,
        phase(barrier(), 2),
        call(json!({"call": "wait", "of": 3}))
    ]);
    let program = json!({"ranks": 4, "grids": [{"shape": [4]}],
        "phases": ["main", "update", "panel"], "body": body});
    let request = json!({"machine": {"name": "dragonfly-1056"}, "fidelity": "loggp", "nodes": 4,
        "ppn": 1, "program": program});
    let request: AppRequest = serde_json::from_value(request).expect("a request");
    let result = app(&request, &mut |_| true).expect("valid");
    let row = |name: &str| result.phases.iter().find(|row| row.phase == name).expect("a phase");
    // Rank 0 computes 0.3 s on its CPU; the devices of the others are busy for 0.2 of these.
    assert_near(row("update").compute_s, 0.75 * 0.2);
    assert_near(row("panel").communication_s, 0.75 * 0.1);
    assert_near(result.time_s, 0.3);
}

/// Computations of the device belong to their own phases, except while the CPU computes.
#[test]
fn offloaded_computations_belong_to_their_phases() {
    let phase = |mut node: Value, phase: u32| {
        node["phase"] = json!(phase);
        node
    };
    let wait = call(json!({"call": "wait", "of": 3}));
    let offloads = [phase(offloaded(0.2), 1), phase(offloaded(0.3), 2)];
    let host = |seconds: f64| call(json!({"call": "compute", "seconds": seconds}));
    let [first, second] = offloads.clone();
    // The body, and computation in "main", "a" and "b".
    let cases = [
        (json!([first, second, wait]), [0.0, 0.2, 0.3]),
        (json!([first, second, first, wait]), [0.0, 0.4, 0.3]),
        (json!([first, second, host(0.1), wait]), [0.1, 0.1, 0.3]),
        (json!([first, second, host(0.4), wait]), [0.4, 0.0, 0.1]),
        (json!([first, host(0.4), second, wait]), [0.4, 0.0, 0.3]),
        (json!([first, second, barrier(), host(0.1), barrier(), wait]), [0.1, 0.1, 0.3]),
        (json!([repeat(8.0, &[first, second, wait])]), [0.0, 1.6, 2.4]),
    ];
    for (body, expected) in cases {
        let program = json!({"ranks": 2, "grids": [{"shape": [2]}], "phases": ["main", "a", "b"],
            "body": body});
        let request = json!({"machine": {"name": "dragonfly-1056"}, "fidelity": "loggp",
            "nodes": 2, "ppn": 1, "program": program, "method": "simulate"});
        let request: AppRequest = serde_json::from_value(request).expect("a request");
        let result = app(&request, &mut |_| true).expect("valid");
        for (name, expected) in ["main", "a", "b"].into_iter().zip(expected) {
            let row = result.phases.iter().find(|row| row.phase == name);
            let found = row.map_or(0.0, |row| row.compute_s);
            assert!((found - expected).abs() < 1e-3, "{name}: {found} {expected}: {body}");
        }
    }
}
