//! `bench agree` and `bench flows` at small sizes.

use bench::{agree, sharing};

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(String::from).collect()
}

/// Every row is present, and flows are close to packets: exact at the receivers of incast and
/// hotspot, and within 50 % elsewhere.
#[test]
fn flows_agree_with_packets_on_three_groups() {
    let rows = agree::table(&words("dragonfly-1056 ugal 65536 16 8192 groups.compute.count=3"));
    assert_eq!(rows.len(), 9 + 1 + 5);
    for row in &rows {
        for [flow, packet] in [row.last_s, row.mean_s] {
            let off = flow / packet - 1.0;
            assert!(flow > 0.0 && off.abs() < 0.5, "{row:?}");
        }
        if row.what.starts_with("incast") {
            assert!((row.last_s[0] / row.last_s[1] - 1.0).abs() < 0.02, "{row:?}");
        }
    }
}

/// A new flow changes its own rate; with finer fairness more other flows change, too.
#[test]
fn finer_fairness_changes_more_flows() {
    let changed = |to: &str| {
        let done = sharing::changes(&words(&format!("dragonfly-1056 10000 10 {to}")));
        done.changed
    };
    let (coarse, fine) = (changed("6"), changed("63"));
    assert!(coarse >= 0.5 && fine > 3.0 * coarse, "{coarse} {fine}");
}
