//! Error bars: packet times lie within them, and they leave the prediction unchanged.

use api::{BenchRequest, BenchResult, BenchRow, bench};

fn request_for(name: &str, fidelity: &str, nodes: u32, ppn: u32, sizes: &[u64]) -> BenchRequest {
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

/// The interval in which a row places the packet time.
fn band(row: &BenchRow) -> (f64, f64) {
    let (time, band) = (row.latency_s.expect("a collective"), row.band.expect("asked for"));
    let end = |end: Option<f64>| time * (1.0 + end.expect("there are replicas"));
    (end(band.band_low), end(band.band_high))
}

/// The large call with packets, which the replicas have not seen, lies within the bars.
#[test]
fn packets_lie_within_the_bars() {
    let (mut within, mut all, mut out) = (0, 0, Vec::new());
    for fidelity in ["loggp", "flow"] {
        for name in ["allreduce", "allgather", "alltoall", "bcast", "reduce_scatter"] {
            let sizes = [8, 4_096, 65_536];
            let barred = answer(&request_for(name, fidelity, 64, 1, &sizes));
            let packets = answer(&request_for(name, "packet", 64, 1, &sizes));
            for (row, packets) in barred.rows.iter().zip(&packets.rows) {
                let (low, high) = band(row);
                let time = packets.latency_s.expect("a collective");
                // Tolerance for a picosecond of rounding, and for the effect of barriers on the
                // start of a call.
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
    // The job fills two groups, its replicas one, or half of two: some errors appear only with two.
    assert!(5 * within >= 4 * all, "{within} of {all}: {out:#?}");
}

/// Replicas are additional runs.
#[test]
fn bars_change_no_prediction() {
    let barred = request_for("allreduce", "loggp", 32, 2, &[8, 65_536]);
    let bare = BenchRequest { error_bars: false, ..barred.clone() };
    let (barred, bare) = (answer(&barred), answer(&bare));
    for (with, without) in barred.rows.iter().zip(&bare.rows) {
        assert_eq!(BenchRow { band: None, ..with.clone() }, *without);
    }
    assert_eq!((bare.replicas.len(), bare.rows.len()), (0, 2));
    assert_eq!(format!("{:?}", barred.limits), format!("{:?}", bare.limits));
}

/// Replicas have at most half of the nodes, fewer where the packet budget requires it, with all
/// ranks of their nodes. Their errors follow their definition.
#[test]
fn replicas_have_the_requested_size() {
    let mut request = request_for("allreduce", "loggp", 48, 2, &[8, 65_536]);
    let result = answer(&request);
    for row in &result.rows {
        let replicas: Vec<_> =
            result.replicas.iter().filter(|replica| replica.bytes == row.bytes).collect();
        let largest =
            replicas.iter().map(|replica| replica.nodes).max().expect("there are replicas");
        assert_eq!(row.band.expect("asked for").replica_nodes, Some(largest));
        // The largest power of two that is at most half of 48.
        assert!(row.bytes > 8 || largest == 16, "{largest}");
        let sizes: Vec<u32> = replicas.iter().map(|replica| replica.nodes).collect();
        let expected = [largest / 4, largest / 2, largest].into_iter().filter(|&n| n >= 2);
        assert_eq!(sizes, expected.flat_map(|n| [n, n]).collect::<Vec<_>>());
        for replica in replicas {
            assert_eq!(replica.ranks, 2 * replica.nodes);
            assert!((replica.packet_s / replica.latency_s - 1.0 - replica.error).abs() < 1e-12);
        }
    }
    // 64 KiB between fewer than 2 ranks is no message: no replica is that small.
    request.replica_packets = 1;
    let none = answer(&request);
    assert!(none.replicas.is_empty());
    assert!(none.rows.iter().all(|row| row.band.expect("asked for").band_low.is_none()));
}

#[test]
fn unavailable_error_bars_are_input_errors() {
    let mut request = request_for("allreduce", "loggp", 3, 2, &[8]);
    let input_error = |request: &BenchRequest| {
        let input_errors = bench(request, &mut |_| true).expect_err("no bars");
        assert_eq!(input_errors.len(), 1, "{input_errors:?}");
        (input_errors[0].at.clone(), input_errors[0].expected.clone())
    };
    let (at, expected) = input_error(&request);
    assert!(at == "nodes" && expected.contains("at least 4"), "{at}: {expected}");
    request.nodes = 8;
    request.common.fidelity = "packet".into();
    let (at, expected) = input_error(&request);
    assert!(at == "fidelity" && expected.contains("`loggp` or `flow`"), "{at}: {expected}");
    request.common.fidelity = "loggp".into();
    for name in ["latency", "rr_lat"] {
        request.name = name.into();
        let (at, expected) = input_error(&request);
        assert!(at == "benchmark" && expected.starts_with("a collective"), "{at}: {expected}");
    }
    // An interrupted run has the sizes that were done.
    (request.name, request.nodes) = ("alltoall".into(), 64);
    assert!(bench(&request, &mut |_| false).expect("a result").interrupted);
}

/// The farther end of the widest bars.
fn reach(result: &BenchResult) -> f64 {
    let ends = result.rows.iter().flat_map(|row| {
        let band = row.band.expect("asked for");
        [band.band_low, band.band_high].map(|end| end.expect("there are replicas").abs())
    });
    ends.fold(0.0, f64::max)
}

/// The cheapest fidelity whose bars are within the tolerance, and the results of the others.
#[test]
fn the_cheapest_fidelity_within_the_tolerance_is_chosen() {
    let sizes = [4_096, 131_072];
    let [loggp, flow] =
        ["loggp", "flow"].map(|fidelity| answer(&request_for("alltoall", fidelity, 32, 1, &sizes)));
    let packet = answer(&request_for("alltoall", "packet", 32, 1, &sizes));
    let (wide, narrow) = (reach(&loggp), reach(&flow));
    assert!(narrow < wide, "no tolerance lies between them: {narrow} {wide}");
    let between = |share: f64| narrow + share * (wide - narrow);
    let auto = |tolerance: f64, messages: u64| {
        let requested = request_for("alltoall", "auto", 32, 1, &sizes);
        let requested =
            BenchRequest { tolerance: Some(tolerance), messages, error_bars: false, ..requested };
        bench(&requested, &mut |_| true)
    };
    let all = 1 << 30;
    for (tolerance, expected, looked_at) in [
        (1.001 * wide, &loggp, &["loggp"][..]),
        (between(0.9), &flow, &["loggp", "flow"]),
        (between(0.1), &flow, &["loggp", "flow"]),
        (0.999 * narrow, &packet, &["loggp", "flow", "packet"]),
    ] {
        let found = auto(tolerance, all).expect("one is within");
        assert_eq!((found.fidelity, &found.rows), (expected.fidelity, &expected.rows));
        assert_eq!(found.digest, expected.digest);
        let names: Vec<_> = found.candidates.iter().map(|row| row.fidelity.name()).collect();
        assert_eq!(names, looked_at);
        let (chosen, others) = found.candidates.split_last().expect("one is chosen");
        assert!(chosen.is_chosen && others.iter().all(|row| !row.is_chosen));
        for (row, own) in found.candidates.iter().zip([&loggp, &flow]) {
            let ends = [row.band_low, row.band_high].map(|end| end.expect("bars").abs());
            assert_eq!(ends[0].max(ends[1]), reach(own));
        }
    }
    // 992 messages of 128 KiB are 63,488 packets: no fidelity is within the tolerance and the
    // budget, which is an error.
    let none = auto(0.999 * narrow, 10_000).expect_err("packets are too many");
    assert_eq!((none.len(), none[0].at.as_str()), (1, "tolerance"));
    for text in ["loggp at ", "flow at ", "packet at 131072 B, a call of more than 10000 packets"] {
        assert!(none[0].expected.contains(text), "{}", none[0].expected);
    }
}

#[test]
fn an_invalid_tolerance_is_an_input_error() {
    let input_error = |name: &str, fidelity: &str, nodes: u32, tolerance: Option<f64>| {
        let requested = request_for(name, fidelity, nodes, 1, &[8]);
        let requested = BenchRequest { tolerance, error_bars: false, ..requested };
        let input_errors = bench(&requested, &mut |_| true).expect_err("not meant");
        assert_eq!(input_errors.len(), 1, "{input_errors:?}");
        (input_errors[0].at.clone(), input_errors[0].expected.clone())
    };
    for (fidelity, tolerance) in
        [("auto", None), ("auto", Some(0.0)), ("auto", Some(f64::NAN)), ("flow", Some(0.1))]
    {
        assert_eq!(input_error("allreduce", fidelity, 8, tolerance).0, "tolerance");
    }
    assert_eq!(input_error("latency", "auto", 8, Some(0.1)).0, "benchmark");
    assert_eq!(input_error("allreduce", "auto", 3, Some(0.1)).0, "nodes");
    // Another fidelity may support what one does not.
    let mut requested = request_for("allreduce", "auto", 8, 1, &[8]);
    (requested.tolerance, requested.error_bars) = (Some(1.0), false);
    let background = serde_json::json!([{ "pattern": "uniform", "load": 0.1 }]);
    requested.common.background = serde_json::from_value(background).expect("traffic");
    let found = bench(&requested, &mut |_| true).expect("packets have it");
    assert_eq!(found.fidelity.name(), "packet");
    let whys: Vec<&str> = found.candidates.iter().map(|row| row.why.as_str()).collect();
    assert!(whys[..2].iter().all(|why| why.contains("background traffic")), "{whys:?}");
}
