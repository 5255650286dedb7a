//! Error bars: what packets say lies within them, and the prediction stays what it was.

use sim::api::{BenchRequest, BenchResult, BenchRow, bench};

fn ask(name: &str, fidelity: &str, nodes: u32, ppn: u32, sizes: &[u64]) -> BenchRequest {
    let request = serde_json::json!({
        "machine": { "name": "dragonfly-1056" },
        "fidelity": fidelity,
        "name": name,
        "nodes": nodes,
        "ppn": ppn,
        "sizes": sizes,
        "error_bars": fidelity != "packet",
        "twin_packets": 50_000,
    });
    serde_json::from_value(request).expect("a request")
}

fn answer(request: &BenchRequest) -> BenchResult {
    bench(request, &mut |_| true).unwrap_or_else(|c| panic!("{c:#?}"))
}

/// Between which times a row says that packets' lie.
fn band(row: &BenchRow) -> (f64, f64) {
    let (time, band) = (row.latency_s.expect("a collective"), row.band.expect("asked for"));
    let end = |end: Option<f64>| time * (1.0 + end.expect("there are twins"));
    (end(band.band_low), end(band.band_high))
}

/// What the bars are for: the large call by packets, which the bars' twins have not seen.
#[test]
fn packets_lie_within_the_bars() {
    let (mut within, mut all, mut out) = (0, 0, Vec::new());
    for fidelity in ["loggp", "flow"] {
        for name in ["allreduce", "allgather", "alltoall", "bcast", "reduce_scatter"] {
            let sizes = [8, 4_096, 65_536];
            let barred = answer(&ask(name, fidelity, 64, 1, &sizes));
            let packets = answer(&ask(name, "packet", 64, 1, &sizes));
            for (row, packets) in barred.rows.iter().zip(&packets.rows) {
                let (low, high) = band(row);
                let time = packets.latency_s.expect("a collective");
                // A picosecond of rounding, and what barriers before a call do to its begin.
                let is_within = (0.995 * low..=1.005 * high).contains(&time);
                all += 1;
                within += u32::from(is_within);
                if !is_within {
                    let what = format!("{fidelity} {name} {}", row.bytes);
                    out.push(format!("{what}: {time} not in {low}..{high}"));
                }
            }
        }
    }
    // The job fills two groups, its twins one, or half of two: some errors begin only there.
    assert!(5 * within >= 4 * all, "{within} of {all}: {out:#?}");
}

/// Twins are run beside the question, not instead of it.
#[test]
fn bars_change_no_prediction() {
    let barred = ask("allreduce", "loggp", 32, 2, &[8, 65_536]);
    let bare = BenchRequest { error_bars: false, ..barred.clone() };
    let (barred, bare) = (answer(&barred), answer(&bare));
    for (with, without) in barred.rows.iter().zip(&bare.rows) {
        assert_eq!(BenchRow { band: None, ..with.clone() }, *without);
    }
    assert_eq!((bare.twins.len(), bare.rows.len()), (0, 2));
    assert_eq!(format!("{:?}", barred.limits), format!("{:?}", bare.limits));
}

/// Twins are of half of the nodes at most, smaller where they would be of too many packets, each
/// with all its nodes' ranks, and their errors are what they say.
#[test]
fn twins_are_as_large_as_asked() {
    let mut request = ask("allreduce", "loggp", 48, 2, &[8, 65_536]);
    let result = answer(&request);
    for row in &result.rows {
        let twins: Vec<_> = result.twins.iter().filter(|twin| twin.bytes == row.bytes).collect();
        let largest = twins.iter().map(|twin| twin.nodes).max().expect("there are twins");
        assert_eq!(row.band.expect("asked for").twin_nodes, Some(largest));
        // The largest power of two that is at most half of 48.
        assert!(row.bytes > 8 || largest == 16, "{largest}");
        let sizes: Vec<u32> = twins.iter().map(|twin| twin.nodes).collect();
        let wanted = [largest / 4, largest / 2, largest].into_iter().filter(|&n| n >= 2);
        assert_eq!(sizes, wanted.flat_map(|n| [n, n]).collect::<Vec<_>>());
        for twin in twins {
            assert_eq!(twin.ranks, 2 * twin.nodes);
            assert!((twin.packet_s / twin.latency_s - 1.0 - twin.error).abs() < 1e-12);
        }
    }
    // 64 KiB to fewer than 2 ranks is nothing: no twin is that small.
    request.twin_packets = 1;
    let none = answer(&request);
    assert!(none.twins.is_empty());
    assert!(none.rows.iter().all(|row| row.band.expect("asked for").band_low.is_none()));
}

#[test]
fn bars_that_cannot_be_had_are_complained_of() {
    let mut request = ask("allreduce", "loggp", 3, 2, &[8]);
    let complaint = |request: &BenchRequest| {
        let complaints = bench(request, &mut |_| true).expect_err("no bars");
        assert_eq!((complaints.len(), complaints[0].at.as_str()), (1, "error_bars"));
        complaints[0].wanted.clone()
    };
    assert!(complaint(&request).contains("at least 4 nodes"));
    request.nodes = 8;
    request.common.fidelity = "packet".into();
    assert!(complaint(&request).contains("`loggp` or `flow`"));
    request.common.fidelity = "loggp".into();
    request.name = "latency".into();
    assert!(complaint(&request).contains("a collective"));
    // Who stops it has the sizes that were done.
    (request.name, request.nodes) = ("alltoall".into(), 64);
    assert!(bench(&request, &mut |_| false).expect("a result").interrupted);
}
