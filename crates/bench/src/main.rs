//! `cargo run --release -p bench [-- MODE]` prints benchmarks. Modes:
//!
//! - none: all benchmarks; `smoke`: the same with small sizes
//! - `shards`: one network on two threads
//! - `windows [ROUNDS [LOADS [THREADS]]]`: the event engine and the window engine in turn
//! - `peers`: other simulators on the same work
//! - `agree`: flows against packets
//! - `flows`: cost of a change among many flows
//! - `staggered`: messages by flows that begin one after another
//! - `closed`: cost of messages and ranks in closed form
//! - `count`: instructions per packet against recorded counts
//! - `kernel`: networks against loops without a model
//! - `soak`: saturates `dragonfly-1056` for a simulated millisecond and accounts for every packet
//!
//! Rates use core time, so other processes do not count, but they share the caches. Repeat a run
//! and use the best result.

use base::Span;
use bench::{
    Benchmark, Counting, Measurement, benchmarks, footprint, saturate_and_drain, thread_scaling,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mode = args.first().map_or("", String::as_str);
    if mode == "one" {
        return one(&args[1..]);
    }
    if mode == "soak" {
        return soak();
    }
    if mode == "shards" {
        return shards(Span::us(1), 3);
    }
    if mode == "windows" {
        return windows(&args[1..]);
    }
    if mode == "agree" {
        bench::agree::table(&args[1..]);
        return;
    }
    if mode == "closed" {
        return closed_form(&args[1..]);
    }
    if mode == "few" {
        return bench::closed_form::few(&args[1..]);
    }
    if mode == "flows" {
        bench::sharing::changes(&args[1..]);
        return;
    }
    if mode == "staggered" {
        return bench::agree::staggered(&args[1..]);
    }
    if mode == "peers" {
        return bench::peers::compare();
    }
    if mode == "kernel" {
        return kernel();
    }
    if mode == "packets" {
        return bench::count::packets(&args[1..]);
    }
    if mode == "count" {
        let fine = bench::count::count(args.get(1).is_some_and(|a| a == "--write"));
        std::process::exit(i32::from(!fine));
    }
    let smoke = mode == "smoke";
    let size = if smoke { Span::us(20) } else { Span::us(200) };
    // First, because it reads the peak memory of the process.
    let nodes = if smoke { 128 } else { bench::closed_form::NODES };
    println!("{}", bench::closed_form::with_baseline("aurora", nodes, bench::closed_form::PPN, 4));
    println!("{}", Measurement::HEADER);
    for benchmark in benchmarks(size) {
        println!("{}", benchmark.measure());
    }
    let presets: &[&'static str] =
        if smoke { &["dragonfly-1056"] } else { &["dragonfly-1056", "cascade-24k", "aurora"] };
    for &name in presets {
        println!("{}", footprint(name));
    }
    shards(Span::ns(if smoke { 50 } else { 1_000 }), if smoke { 1 } else { 2 });
    if !smoke {
        // The whole of Aurora under load: effect of caches with 85,000 endpoints.
        let benchmark = Benchmark {
            machine: "aurora",
            routing: "minimal",
            pattern: "uniform",
            packet_bytes: 2048,
            load: 0.3,
            warmup: Span::us(5),
            window: Span::us(5),
        };
        println!("{}\n{}", Measurement::HEADER, benchmark.measure());
    }
}

/// Networks and loops of their size without a model, for two target rates.
fn kernel() {
    for (machine, routing, packet_bytes, window) in
        [("dragonfly-1056", "minimal", 64, Span::us(20)), ("aurora", "ugal", 2048, Span::us(8))]
    {
        let (pattern, load, warmup) = ("uniform", 0.3, window);
        let benchmark = Benchmark { machine, routing, pattern, packet_bytes, load, warmup, window };
        println!("{}", bench::kernel::lower_bound(benchmark, 100_000_000));
    }
}

/// One network on two threads. `size` is the simulated time for small packets.
fn shards(size: Span, rounds: u32) {
    for (machine, routing, packet_bytes, load, size) in [
        ("dragonfly-1056", "minimal", 64, 0.3, size * 4),
        ("cascade-3k", "adaptive-0", 64, 0.5, size),
        ("aurora", "slingshot", 2048, 0.3, size * 2),
    ] {
        let benchmark = Benchmark {
            machine,
            routing,
            pattern: "uniform",
            packet_bytes,
            load,
            warmup: size,
            window: size,
        };
        println!("{}", thread_scaling(benchmark, 2, rounds));
    }
}

/// The event engine and the window engine in turn: `windows [ROUNDS [LOADS [THREADS [MACHINE
/// [LENGTH_US]]]]]`. LENGTH_US is the simulated time at a load of 1, half of it warm-up; other
/// loads have about as many packets.
fn windows(args: &[String]) {
    let number =
        |at: usize, or: f64| args.get(at).map_or(or, |text| text.parse::<f64>().expect("a number"));
    let loads = args.get(1).map_or("0.05,0.1,0.3,0.6", String::as_str);
    for load in loads.split(',').map(|text| text.parse::<f64>().expect("a load")) {
        let window = Span::from_seconds(number(4, 2.0) / 2.0 * 1e-6 / load);
        let benchmark = Benchmark {
            machine: args.get(3).map_or("aurora", |name| name.clone().leak()),
            routing: "ugal",
            pattern: "uniform",
            packet_bytes: 2048,
            load,
            warmup: window,
            window,
        };
        let (rounds, threads) = (number(0, 1.0) as u32, number(2, 1.0) as usize);
        println!("{}", bench::engine_pair(benchmark, "350 ns", threads, rounds));
    }
}

/// Messages in closed form: `closed MACHINE NODES PPN CALLS`; by default as many ranks as in the
/// measurement of LogGOPSim.
fn closed_form(args: &[String]) {
    let number = |text: &String| text.parse::<u32>().expect("a number");
    let (machine, [nodes, ppn, calls]) = match args {
        [] => ("aurora", [bench::closed_form::NODES, bench::closed_form::PPN, 4]),
        [machine, rest @ ..] if rest.len() == 3 => {
            (machine.as_str(), [0, 1, 2].map(|at: usize| number(&rest[at])))
        }
        _ => panic!("bench closed MACHINE NODES PPN CALLS"),
    };
    println!("{}", bench::closed_form::with_baseline(machine, nodes, ppn, calls as usize));
}

/// One benchmark, for a profiler: `one MACHINE ROUTING PATTERN BYTES LOAD WINDOW_US`.
fn one(args: &[String]) {
    let [machine, routing, pattern, bytes, load, us] = args else {
        panic!("bench one MACHINE ROUTING PATTERN BYTES LOAD WINDOW_US");
    };
    let window = Span::from_seconds(us.parse::<f64>().expect("microseconds") * 1e-6);
    let benchmark = Benchmark {
        machine: machine.clone().leak(),
        routing: routing.clone().leak(),
        pattern: pattern.clone().leak(),
        packet_bytes: bytes.parse().expect("bytes"),
        load: load.parse().expect("a load"),
        warmup: window,
        window,
    };
    println!("{}\n{}", Measurement::HEADER, benchmark.measure());
}

/// Loads beyond saturation, then no traffic until the network is empty.
fn soak() {
    println!("dragonfly-1056, load 0.9 for 1 ms, 2 KiB packets, then until empty");
    let heads = ["routing", "pattern", "generated", "delivered", "accepted"];
    println!("{:<8} {:<14} {:>10} {:>10} {:>9}", heads[0], heads[1], heads[2], heads[3], heads[4]);
    for routing in ["minimal", "valiant", "ugal"] {
        for pattern in ["uniform", "adversarial:1"] {
            let (generated, delivered, row) = saturate_and_drain(routing, pattern, Span::ms(1));
            let accepted = row.accepted;
            println!("{routing:<8} {pattern:<14} {generated:>10} {delivered:>10} {accepted:>9.3}");
            assert_eq!((generated, row.unfinished), (delivered, 0), "packets are missing");
        }
    }
}
