//! Sampled shifts of an all-to-all predict the time of all shifts.

use api::{BenchRow, bench};
use serde_json::json;

fn simulate(shifts: Option<u32>, seed: u64) -> Result<BenchRow, String> {
    simulate_on(264, 2048, shifts, seed)
}

fn simulate_on(nodes: u32, bytes: u64, shifts: Option<u32>, seed: u64) -> Result<BenchRow, String> {
    let request = json!({"machine": {"name": "dragonfly-1056"}, "name": "put_alltoall",
                     "nodes": nodes, "ppn": 1, "placement": "contiguous",
                     "sizes": [bytes], "routing": "ugal",
                     "shifts": shifts, "seed": seed});
    let request = serde_json::from_value(request).expect("a request");
    let result = bench(&request, &mut |_| true).map_err(|c| c[0].to_string())?;
    Ok(result.rows[0].clone())
}

fn rate(row: &BenchRow) -> f64 {
    row.bandwidth.expect("what each rank sends")
}

/// Nineteen of twenty samples should be within their stated error of the mean of whole runs. Two of
/// forty are expected outside, at most four are allowed.
#[test]
fn samples_are_within_their_error_of_the_whole() {
    let whole = |seed| simulate(Some(263), seed).expect("legal");
    let sample = whole(1).sample.expect("says what was played");
    assert_eq!((sample.method, sample.error, sample.rounds), (Some("exact"), Some(0.0), 263));
    let mean = (1..4).map(|seed| rate(&whole(seed))).sum::<f64>() / 3.0;
    let mut beyond = 0;
    for seed in 10..30 {
        for shifts in [None, Some(40)] {
            let row = simulate(shifts, seed).expect("legal");
            let sample = row.sample.expect("says what was played");
            assert_eq!(sample.rounds_simulated, shifts.unwrap_or(64));
            let error = sample.error.expect("five parts or eight");
            assert!(error > 0.0 && error < 0.9, "{error}");
            let off = rate(&row) / mean - 1.0;
            beyond += u32::from(off.abs() > error);
        }
    }
    assert!(beyond <= 4, "{beyond} of 40 samples are beyond their error");
}

/// A last batch of one or three shifts takes nearly as long as one of eight.
#[test]
fn a_last_batch_of_few_shifts_is_a_batch() {
    let mut beyond = 0;
    for (nodes, seed) in [74, 97, 98, 100].into_iter().flat_map(|n| [(n, 1), (n, 2), (n, 3)]) {
        let whole = rate(&simulate_on(nodes, 8, Some(nodes - 1), seed).expect("legal"));
        let row = simulate_on(nodes, 8, None, seed).expect("legal");
        let error = row.sample.expect("some were played").error.expect("eight parts");
        beyond += u32::from((rate(&row) / whole - 1.0).abs() > error);
    }
    assert!(beyond <= 2, "{beyond} of 12 samples are beyond their error");
}

#[test]
fn too_few_shifts_and_too_many_are_refused() {
    for shifts in [0, 31, 264] {
        let input_error = simulate(Some(shifts), 1).expect_err("not so many");
        let expected = format!("shifts: found `{shifts}`");
        assert!(input_error.starts_with(&expected), "{input_error}");
        assert!(input_error.contains("from 32 to 263"), "{input_error}");
    }
}
