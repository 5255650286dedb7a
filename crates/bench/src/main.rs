//! `cargo run --release -p bench [-- smoke]`: prints the yardsticks. Rates are by time on a core,
//! so others do not count; but they share its caches: repeat it and trust the best.

use base::Span;
use bench::{Counting, Reading, Yard, weigh, yards};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let smoke = std::env::args().nth(1).is_some_and(|a| a == "smoke");
    let size = if smoke { Span::us(20) } else { Span::us(200) };
    println!("{}", Reading::HEADER);
    for yard in yards(size) {
        println!("{}", yard.read());
    }
    let presets: &[&'static str] =
        if smoke { &["dragonfly-1056"] } else { &["dragonfly-1056", "cascade-24k", "aurora"] };
    for &name in presets {
        println!("{}", weigh(name));
    }
    if !smoke {
        // The whole of Aurora under load: what caches make of 85,000 endpoints.
        let yard = Yard {
            machine: "aurora",
            routing: "minimal",
            pattern: "uniform",
            packet_bytes: 2048,
            load: 0.3,
            warmup: Span::us(5),
            window: Span::us(5),
        };
        println!("{}\n{}", Reading::HEADER, yard.read());
    }
}
