//! The yardsticks at their smoke sizes: they run, and after warm-up nothing allocates.

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
    // A tripwire, not a target: 15 links an endpoint of 24 B to 64 B a column, with four channels.
    assert!(weight.network_bytes < 4_000 * u64::from(weight.endpoints), "{weight}");
}
