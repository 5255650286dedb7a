//! The benchmarks at smoke sizes: they run, and nothing is allocated after warm-up.

use base::Span;
use bench::{Counting, benchmarks, footprint};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, because the allocator counts for the whole process.
#[test]
fn a_running_network_does_not_allocate() {
    for benchmark in benchmarks(Span::us(16)) {
        let measurement = benchmark.measure();
        println!("{measurement}");
        assert!(measurement.outcome.row.packets > 1_000, "{benchmark:?} measures nothing");
        assert!(
            (measurement.outcome.row.accepted / benchmark.load - 1.0).abs() < 0.05,
            "{benchmark:?}"
        );
        assert_eq!(measurement.allocations, 0, "{benchmark:?}");
    }
    let weight = footprint("dragonfly-1056");
    assert_eq!(weight.endpoints, 1_056);
    // A bound, not a target: 15 links per endpoint with columns of 24 B to 64 B and four channels
    // each.
    assert!(weight.network_bytes < 4_000 * u64::from(weight.endpoints), "{weight}");
}
