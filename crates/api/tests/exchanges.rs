//! Exchanges of explicit pairs: rounds apart and chained, faults, wiring, input errors.

use api::{ExchangesRequest, ExchangesResult, WiringRequest, exchanges, wiring};
use serde_json::{Value, json};

fn request(rounds: Value, more: Value) -> ExchangesRequest {
    let mut request = json!({
        "machine": {"name": "dragonfly-1056"}, "fidelity": "loggp", "nodes": 4, "ppn": 1,
        "bytes": 65536, "window": 2, "rounds": rounds, "apart": true, "both": false,
    });
    for (key, value) in more.as_object().expect("a mapping") {
        request[key] = value.clone();
    }
    serde_json::from_value(request).expect("a request")
}

fn run(rounds: Value, more: Value) -> ExchangesResult {
    exchanges(&request(rounds, more), &mut |_| true).expect("legal")
}

/// A chain of equal rounds takes as long as the rounds apart, since each ends with all data
/// received and a sender that waits for its own receive.
#[test]
fn rounds_apart_are_independent_and_rounds_in_a_chain_follow() {
    for fidelity in ["loggp", "flow", "packet"] {
        let apart = run(json!([[[0, 1], [2, 3]], [[0, 2]]]), json!({"fidelity": fidelity}));
        assert_eq!(apart.pairs_s.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        let chain = json!({"fidelity": fidelity, "apart": false});
        let chained = run(json!([[[0, 1], [2, 3]], [[0, 2]]]), chain);
        let sum = apart.pairs_s[0][0] + apart.pairs_s[1][0];
        assert!((chained.ranks_s[0] / sum - 1.0).abs() < 0.05, "{fidelity}: {chained:?}, {sum}");
        // Rank 1 takes part in the first round only.
        assert!(chained.ranks_s[1] <= apart.pairs_s[0][0], "{fidelity}");
        assert!(chained.ranks_s[1] < chained.ranks_s[0] * 0.7, "{fidelity}: {chained:?}");
        // Both directions at once take less than one after the other, and more than one of them.
        let both = run(json!([[[0, 1]]]), json!({"fidelity": fidelity, "both": true}));
        let share = both.pairs_s[0][0] / apart.pairs_s[0][0];
        assert!((0.5..0.95).contains(&share), "{fidelity}: {share}");
    }
}

/// A NIC with two of four lanes takes up to twice as long, and only its own pair.
#[test]
fn a_fault_delays_its_own_pair_only() {
    let faults = "[[fault]]\nnic_link = \"1:0\"\nlanes = 2\n";
    let machine = json!({"machine": {
        "name": "dragonfly-1056", "faults": {"name": "f", "toml": faults}
    }, "bytes": 1 << 20});
    let (sound, bad) = (
        run(json!([[[0, 1], [2, 3]]]), json!({"bytes": 1 << 20})),
        run(json!([[[0, 1], [2, 3]]]), machine),
    );
    let share = bad.pairs_s[0][0] / sound.pairs_s[0][0];
    assert!((1.5..2.05).contains(&share), "{share}");
    assert!((bad.pairs_s[0][1] / sound.pairs_s[0][1] - 1.0).abs() < 0.02);
}

/// dragonfly-1056: 33 groups of 8 switches with 4 nodes each, one NIC per node.
#[test]
fn wiring_lists_switches_groups_and_cables() {
    let request = json!({"machine": {"name": "dragonfly-1056"}, "nodes": [0, 3, 4, 32]});
    let request: WiringRequest = serde_json::from_value(request).expect("a request");
    let found = wiring(&request).expect("legal");
    assert_eq!(found.nic_switches, [[0], [0], [1], [8]]);
    assert_eq!(found.groups.into_iter().collect::<Vec<_>>(), [(0, 0), (1, 0), (8, 1)]);
    assert_eq!(found.starts.into_iter().collect::<Vec<_>>(), [(0, [0, 0, 0]), (1, [32, 8, 0])]);
    let local: Vec<_> = found.cables.iter().filter(|c| c.groups == [0, 0]).collect();
    assert_eq!(local.len(), 1);
    assert_eq!(local[0].links, [[0, 1]]);
    let global: Vec<_> = found.cables.iter().filter(|c| c.groups == [0, 1]).collect();
    assert_eq!(global.iter().map(|c| c.nth).collect::<Vec<_>>(), [0]);
    assert!(global[0].links.iter().all(|[a, b]| *a < 8 && (8..16).contains(b)));
}

#[test]
fn input_errors_are_reported() {
    for (rounds, more, at) in [
        (json!([[[0, 4]]]), json!({}), "rounds.0"),
        (json!([[[0, 1]], [[0, 1], [1, 2]]]), json!({}), "rounds.1"),
        (json!([[[0, 1]]]), json!({"window": 0}), "window"),
        (json!([[[0, 1]]]), json!({"fidelity": "exact"}), "fidelity"),
    ] {
        let found = exchanges(&request(rounds, more), &mut |_| true).expect_err("refused");
        assert!(found.iter().any(|error| error.at == at), "{at}: {found:?}");
    }
    let request = json!({"machine": {"name": "dragonfly-1056"}, "nodes": [1056]});
    let request: WiringRequest = serde_json::from_value(request).expect("a request");
    assert_eq!(wiring(&request).expect_err("refused")[0].at, "nodes");
}
