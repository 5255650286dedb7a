//! Fabric validation tests, on networks small enough to compute the result in advance.

use api::{BenchRow, bench};
use serde_json::{Value, json};

fn run_bench(more: Value) -> Result<BenchRow, String> {
    let mut request = json!({"machine": {"name": "aurora"}, "ppn": 1, "placement": "contiguous",
                         "fidelity": "loggp", "mpi": "none", "seed": 1});
    let of = request.as_object_mut().expect("an object");
    of.extend(more.as_object().expect("an object").clone());
    let request = serde_json::from_value(request).expect("a request");
    let result = bench(&request, &mut |_| true).map_err(|c| c[0].to_string())?;
    Ok(result.rows[0].clone())
}

fn simulate(name: &str, nodes: u32, bytes: u64) -> BenchRow {
    run_bench(json!({"name": name, "nodes": nodes, "sizes": [bytes]})).expect("legal")
}

/// With two nodes, both neighbors are the same rank: two gets at once take one get plus the gap
/// between two commands, and GPCNeT reports half of it.
#[test]
fn a_ring_of_two_gets_twice_at_once() {
    let one = simulate("get_latency", 2, 8).latency_s.expect("a latency");
    let row = simulate("rr_get_lat", 2, 8);
    let gap = 59e-9; // `command_gap` of aurora
    let both = row.latency_s.expect("a latency");
    assert!((both - (one + gap) / 2.0).abs() < 50e-12, "{both} {one}");
    assert_eq!(row.latency_p99_s, row.latency_s, "nothing contends");
}

/// One message each way at once costs no more than one, except for the second command and the
/// second arrival; half of that is reported.
#[test]
fn a_ring_of_two_exchanges_in_little_more_than_one_latency() {
    let one = simulate("latency", 2, 8).latency_s.expect("a latency");
    let both = 2.0 * simulate("rr_lat", 2, 8).latency_s.expect("a latency");
    assert!(both > one && both < one + 2.0 * 59e-9 + 1e-12, "{both} {one}");
}

/// A rank's rate is limited by what its NIC moves in both directions at once: half of 42 GB/s. (In
/// closed form messages take turns at both NICs, and rings lose half of it.)
#[test]
fn rings_of_long_messages_fill_the_host_interface() {
    for name in ["nat_bw", "rr_bw", "rr_put_bw", "rr_bw_sync"] {
        let packets = json!({"name": name, "nodes": 4, "sizes": [1 << 19], "fidelity": "packet"});
        let row = run_bench(packets).expect("legal");
        let (rate, kept) = (row.bandwidth.expect("a rate"), row.bandwidth_p99.expect("a rate"));
        assert!(rate < 21e9 && rate > 0.93 * 21e9, "{name}: {rate}");
        assert!(kept <= rate * 1.001, "{name}: {kept} {rate}");
    }
}

/// Two ranks, one message each way: a ping-pong. dgnettest counts both.
#[test]
fn a_bisection_of_two_is_a_ping_pong() {
    let one = simulate("latency", 2, 1 << 17).latency_s.expect("a latency");
    let rate = simulate("bisect", 2, 1 << 17).bandwidth.expect("a rate");
    let expected = f64::from(1 << 17) / one;
    assert!((rate / expected - 1.0).abs() < 1e-9, "{rate} {expected}");
}

/// Warm-up rounds are those before the first, however few there are.
#[test]
fn a_bisection_of_one_round_is_that_of_two_ranks() {
    let run_bench = |iterations: u32| {
        let request = json!({"machine": {"name": "aurora"}, "fidelity": "loggp", "mpi": "none",
        "placement": "contiguous", "seed": 1, "alone": false, "jobs": [
            {"name": "a", "ranks": 2, "ppn": 1, "bench": "bisect", "bytes": 1 << 17,
             "iterations": iterations},
        ]});
        let request = serde_json::from_value(request).expect("a request");
        let mut jobs = api::jobs(&request, Box::new(|_| true)).expect("legal").jobs;
        jobs.remove(0).bench.expect("it ended").bandwidth.expect("a rate")
    };
    let expected =
        f64::from(1 << 17) / simulate("latency", 2, 1 << 17).latency_s.expect("a latency");
    for iterations in [1, 2, 3] {
        let rate = run_bench(iterations);
        assert!((rate / expected - 1.0).abs() < 1e-9, "{iterations}: {rate} {expected}");
    }
}

/// The same collective in a communicator of one rank per node, alone on its NIC, takes the same
/// time.
#[test]
fn collectives_side_by_side_on_nics_of_their_own_are_one() {
    for (multiple, alone, bytes) in
        [("multiple_allreduce", "allreduce", 8), ("multiple_alltoall", "alltoall", 4096)]
    {
        let of = |name: &str, ppn: u32| {
            let request = json!({"name": name, "nodes": 8, "ppn": ppn, "sizes": [bytes],
                             "mpi": "cray-mpich"});
            self::run_bench(request).expect("legal")
        };
        let one = of(alone, 1).latency_s.expect("a latency");
        for ppn in [1, 8] {
            let row = of(multiple, ppn);
            let took = row.latency_s.unwrap_or_else(|| 7.0 * 4096.0 / row.bandwidth.expect("one"));
            assert!((took / one - 1.0).abs() < 0.05, "{multiple}, {ppn} a node: {took} {one}");
        }
    }
}

#[test]
fn ranks_without_a_partner_are_refused() {
    let one_node = json!({"name": "rr_lat", "nodes": 1, "ppn": 8, "sizes": [8]});
    assert!(run_bench(one_node).expect_err("one node").contains("at least two nodes"));
    assert!(run_bench(json!({"name": "bisect", "nodes": 1, "ppn": 8, "sizes": [8]})).is_ok());
    let dealt = |name: &str| {
        let request = json!({"name": name, "nodes": 4, "ppn": 2, "sizes": [8],
                         "placement": "round-robin"});
        self::run_bench(request).expect_err("neighbors in number are on other nodes")
    };
    for name in ["rr_lat", "multiple_allreduce", "bisect"] {
        assert!(
            dealt(name).starts_with("placement: found `8 ranks, 2 per node`"),
            "{}",
            dealt(name)
        );
    }
    // Consecutive ranks share a node in pairs, and so do others.
    let on = |name: &str, nodes: [u32; 8]| {
        let request = json!({"name": name, "nodes": 4, "ppn": 2, "sizes": [8],
                         "placement": {"nodes": nodes}});
        self::run_bench(request)
    };
    let again = "equally many ranks on every node, in order";
    for name in ["rr_lat", "multiple_allreduce", "bisect"] {
        for nodes in [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2, 0, 0]] {
            assert!(
                on(name, nodes).expect_err("a node twice").ends_with(again),
                "{name} {nodes:?}"
            );
        }
        assert!(on(name, [3, 3, 2, 2, 0, 0, 1, 1]).is_ok());
    }
    assert!(on("rr_lat", [0; 8]).expect_err("one node").contains("at least two nodes"));
    assert!(on("bisect", [0; 8]).expect_err("one node four times").ends_with(again));
}

/// Messages counted here: a ring's rank has two neighbors, with eight messages each where rates are
/// measured. Each rank of a communicator has one for each other rank. Half of a bisection's ranks
/// send one and receive one.
#[test]
fn an_iteration_above_the_message_budget_is_refused_with_a_reason() {
    let of = |name: &str, fidelity: &str, messages: u64| {
        let request = json!({"name": name, "nodes": 4, "ppn": 2, "sizes": [4096],
                         "fidelity": fidelity, "mpi": "cray-mpich", "messages": messages,
                         "env": [["MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "pairwise"]]});
        self::run_bench(request)
    };
    for (name, all) in [
        ("rr_lat", 2 * 8),
        ("rr_get_lat", 2 * 8),
        ("rr_bw", 16 * 8),
        ("multiple_alltoall", 2 * 4 * 3),
        ("bisect", 8),
    ] {
        for (fidelity, cost) in [("loggp", 1), ("flow", 10), ("packet", 1)] {
            let requested = all * cost;
            let text = of(name, fidelity, requested - 1).expect_err("too many");
            let expected =
                format!("messages: found `{}`, expected at least {requested}, ", requested - 1);
            assert!(text.starts_with(&expected), "{name}, {fidelity}: {text}");
            assert!(text.contains(&format!("up to {all} messages")), "{name}, {fidelity}: {text}");
            assert!(of(name, fidelity, requested).is_ok(), "{name}, {fidelity}");
        }
    }
}

/// As for a single benchmark: four rings of two ranks per node have 2 x 8 messages per iteration.
#[test]
fn an_iteration_above_a_jobs_message_budget_is_refused() {
    let run_bench = |fidelity: &str, messages: u64| {
        let request = json!({"machine": {"name": "aurora"}, "fidelity": fidelity,
        "mpi": "cray-mpich", "placement": "contiguous", "seed": 1, "alone": false, "jobs": [
            {"name": "a", "ranks": 8, "ppn": 2, "bench": "rr_lat", "bytes": 8},
            {"name": "b", "ranks": 8, "ppn": 2, "bench": "rr_lat", "bytes": 8,
             "messages": messages},
        ]});
        let request = serde_json::from_value(request).expect("a request");
        api::check_jobs(&request).map_err(|c| c[0].to_string())
    };
    for (fidelity, requested) in [("loggp", 16), ("flow", 160), ("packet", 16)] {
        let text = run_bench(fidelity, requested - 1).expect_err("too many");
        let expected =
            format!("job 2: messages: found `{}`, expected at least {requested}, ", requested - 1);
        assert!(text.starts_with(&expected), "{fidelity}: {text}");
        assert_eq!(run_bench(fidelity, requested), Ok(()));
    }
    // Without a pair of ranks on two nodes there is nothing to count.
    let half = json!({"machine": {"name": "aurora"}, "fidelity": "loggp", "jobs": [
        {"name": "a", "ranks": 4, "ppn": 8, "bench": "multiple_alltoall", "bytes": 8}]});
    let half = serde_json::from_value(half).expect("a request");
    let text = api::check_jobs(&half).expect_err("one node")[0].to_string();
    assert!(text.contains("at least two nodes"), "{text}");
}

#[test]
fn a_concurrent_job_is_refused_like_a_single_one() {
    let run_bench = |ppn: u32| {
        let request = json!({"machine": {"name": "aurora"}, "fidelity": "loggp", "mpi": "mpich",
        "placement": "contiguous", "seed": 1, "alone": false, "jobs": [
            {"name": "a", "ranks": 8, "ppn": 2, "bench": "rr_lat", "bytes": 8},
            {"name": "b", "ranks": 8, "ppn": ppn, "bench": "rr_lat", "bytes": 8},
        ]});
        let request = serde_json::from_value(request).expect("a request");
        api::jobs(&request, Box::new(|_| true)).map_err(|c| c[0].to_string())
    };
    let row = run_bench(2).expect("legal").jobs.remove(1).bench.expect("it ended");
    let (mean, tail) = (row.latency_s.expect("measured"), row.latency_p99_s.expect("measured"));
    assert!(tail > mean * (1.0 - 1e-12) && mean > 1e-6, "{mean} {tail}");
    assert!(run_bench(8).expect_err("one node").contains("at least two nodes"));
    assert!(
        run_bench(3).expect_err("a last node of two").contains("equally many ranks on every node")
    );
}

/// Flows of benchmarks that would take longer than a minute are refused before they begin. The
/// error states the budget with which they begin.
#[test]
fn benchmarks_of_more_than_a_minute_state_the_budget_that_they_need() {
    let flows = |(name, bytes): (&str, u64), more: Value, goes_on: bool| {
        let mut request = json!({"machine": {"name": "aurora"}, "name": name, "sizes": [bytes],
            "nodes": 9658, "ppn": 1, "placement": "contiguous", "fidelity": "flow",
            "mpi": "mpich"});
        let of = request.as_object_mut().expect("an object");
        of.extend(more.as_object().expect("an object").clone());
        let request = serde_json::from_value(request).expect("a request");
        bench(&request, &mut |_| goes_on).map(|result| result.interrupted)
    };
    for what in [
        ("put_bw", 1 << 16),
        ("get_bw", 1 << 16),
        ("put_alltoall", 1 << 12),
        ("scatterv", 1 << 16),
        ("multiple_alltoall", 64),
        ("rr_lat", 8),
        ("rr_get_lat", 1 << 16),
        ("rr_bw_sync", 1 << 16),
    ] {
        let found = flows(what, json!({}), true).expect_err("refused");
        assert_eq!((found.len(), found[0].at.as_str()), (1, "messages"), "{what:?}");
        let number = found[0].expected.trim_start_matches("at least ").split(',').next();
        let needed: u64 = number.expect("a number").parse().expect("a number");
        assert!(flows(what, json!({"messages": needed - 1}), true).is_err(), "{what:?}");
        assert_eq!(flows(what, json!({"messages": needed}), false), Ok(true), "{what:?}");
    }
    // These begin.
    for (what, more) in [
        (("put_alltoall", 1 << 12), json!({"shifts": 32})),
        (("put_alltoall", 1 << 11), json!({})),
        (("alltoall", 64), json!({})),
        (("rr_get_lat", 1 << 11), json!({})),
        (("rr_bw_sync", 1 << 16), json!({"nodes": 1024})),
        (("multiple_allreduce", 1 << 22), json!({"nodes": 1024})),
    ] {
        assert_eq!(flows(what, more, false), Ok(true), "{what:?}");
    }
}
