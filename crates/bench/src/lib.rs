//! Benchmarks of the engine: cost per hop, memory per machine, and absence of allocations in steady
//! state. Each parameter has a smoke value and a real value; smoke values run in every test run,
//! without a clock.

pub mod agree;
pub mod closed_form;
pub mod count;
pub mod kernel;
pub mod peers;
pub mod sharing;

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use api::Fidelity;
use base::{Span, Time};
use machine::{Machine, MachineSpec};
use net::NetworkModel;
use packet::PacketNetwork;
use sim::traffic::{EngineChoice, Finish, LoadOutcome, TrafficRequest, TrafficRow, one_load};

static CALLS: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);

/// A counting allocator; a program enables it with `#[global_allocator]`.
pub struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the contract of the caller is that of the callee.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(size as u64, Ordering::Relaxed);
        LIVE.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

/// Allocator calls so far; always zero without `Counting`.
pub fn allocations() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

/// Bytes allocated now.
pub fn live_bytes() -> u64 {
    LIVE.load(Ordering::Relaxed)
}

/// Core time of this thread, s. On a shared machine, wall time includes other processes.
struct OnCore {
    cpu: Option<f64>,
    wall: Instant,
}

impl OnCore {
    fn begin() -> OnCore {
        OnCore { cpu: on_core_s(), wall: Instant::now() }
    }
    /// Since the start; wall time if the system does not report core time.
    fn s(&self) -> f64 {
        match (self.cpu, on_core_s()) {
            (Some(before), Some(after)) => after - before,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Linux only: the first field of proc(5)'s schedstat of this thread, in ns.
fn on_core_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// A preset with modified keys.
pub fn preset(name: &str, set: &[(&str, &str)]) -> Machine {
    let text = machine::preset(name).unwrap_or_else(|| panic!("no preset `{name}`"));
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse(name, text, &set)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|input_errors| panic!("{name}: {input_errors:?}"))
}

/// A traffic benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    pub machine: &'static str,
    pub routing: &'static str,
    pub pattern: &'static str,
    pub packet_bytes: u64,
    pub load: f64,
    pub warmup: Span,
    pub window: Span,
}

/// Result of a benchmark.
pub struct Measurement {
    pub benchmark: Benchmark,
    pub outcome: LoadOutcome,
    /// Core time, s.
    pub cpu_s: f64,
    /// Allocator calls between the end of the warm-up and the end of the window.
    pub allocations: u64,
    pub endpoints: u32,
}

/// Loads of the comparison with other simulators (COMPARE.md) and similar ones: packets of 64 B as
/// there, and of 2 KiB as on Slingshot. `size` is the simulated time of the 2 KiB runs; a 64 B run
/// takes an eighth of it.
pub fn benchmarks(size: Span) -> Vec<Benchmark> {
    let mut benchmarks = Vec::new();
    for (packet_bytes, window) in [(2048, size), (64, Span(size.0 / 8))] {
        for (routing, load) in [("minimal", 0.3), ("minimal", 0.7), ("ugal", 0.3), ("ugal", 0.7)] {
            benchmarks.push(Benchmark {
                machine: "dragonfly-1056",
                routing,
                pattern: "uniform",
                packet_bytes,
                load,
                // Long enough for queues to reach their maximum length.
                warmup: Span(window.0 * 3),
                window,
            });
        }
    }
    benchmarks
}

impl Benchmark {
    fn request(&self) -> TrafficRequest {
        TrafficRequest {
            pattern: self.pattern.into(),
            loads: vec![self.load],
            packet_bytes: self.packet_bytes,
            warmup: self.warmup,
            window: self.window,
            seed: 1,
            threads: 1,
            engine: EngineChoice::Event,
        }
    }

    pub fn measure(self) -> Measurement {
        let machine = preset(self.machine, &[("routing", self.routing)]);
        let request = self.request();
        let (start, end) = (Time::ZERO + self.warmup, Time::ZERO + self.warmup + self.window);
        let (mut first, mut last) = (None, 0);
        let mut tick = |now: Time, _: u64| {
            if start <= now && now < end {
                last = allocations();
                first.get_or_insert(last);
            }
            true
        };
        let began = OnCore::begin();
        let finish = Finish::Measured;
        let outcome = one_load(&machine, Fidelity::Packet, &request, self.load, finish, &mut tick)
            .unwrap_or_else(|input_errors| panic!("{self:?}: {input_errors:?}"));
        Measurement {
            benchmark: self,
            outcome,
            cpu_s: began.s(),
            allocations: last - first.expect("the window has 2^14 events or more"),
            endpoints: machine.n_nics(),
        }
    }
}

impl Measurement {
    pub const HEADER: &'static str = "machine        routing pattern  packet load accepted \
        | Mevents/s packets/s    hops/s ns/hop events/hop B/endpoint allocations";

    /// Core time per packet, s, and switches per packet.
    fn a_packet(&self) -> (f64, f64) {
        let counted = &self.outcome.counters;
        let packets = counted.delivered_packets as f64;
        (self.cpu_s / packets, counted.hops as f64 / packets)
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measurement { benchmark, outcome, cpu_s, allocations, endpoints } = self;
        let (packets, hops) = (outcome.counters.delivered_packets, outcome.counters.hops);
        let rate = |n: u64| n as f64 / cpu_s;
        write!(
            f,
            "{:14} {:7} {:8} {:6} {:4.2} {:8.3} | {:9.2} {:9.0} {:9.0} {:6.1} {:10.2} {:10.0} \
             {:11}",
            benchmark.machine,
            benchmark.routing,
            benchmark.pattern,
            benchmark.packet_bytes,
            benchmark.load,
            outcome.row.accepted,
            rate(outcome.events) * 1e-6,
            rate(packets),
            rate(hops),
            1e9 / rate(hops),
            outcome.events as f64 / hops as f64,
            outcome.bytes as f64 / f64::from(*endpoints),
            allocations,
        )
    }
}

/// One network on one thread and on several, interleaved.
pub struct ThreadScaling {
    pub benchmark: Benchmark,
    pub threads: usize,
    /// Best wall times, s, on one thread and on several.
    pub alone_s: f64,
    pub together_s: f64,
    pub packets: u64,
    /// Memory, bytes: every shard has columns for the whole machine.
    pub bytes: [usize; 2],
    pub endpoints: u32,
}

/// Runs `benchmark` on one thread and on `threads` threads, `rounds` times each, and asserts equal
/// results.
pub fn thread_scaling(benchmark: Benchmark, threads: usize, rounds: u32) -> ThreadScaling {
    let machine = preset(benchmark.machine, &[("routing", benchmark.routing)]);
    let run = |threads| {
        let request = TrafficRequest { threads, ..benchmark.request() };
        let began = Instant::now();
        let done = one_load(
            &machine,
            Fidelity::Packet,
            &request,
            benchmark.load,
            Finish::Measured,
            &mut |_, _| true,
        );
        let done = done.unwrap_or_else(|input_errors| panic!("{benchmark:?}: {input_errors:?}"));
        (began.elapsed().as_secs_f64(), done)
    };
    let (mut alone_s, mut together_s) = (f64::INFINITY, f64::INFINITY);
    let (mut packets, mut bytes) = (0, [0; 2]);
    for _ in 0..rounds {
        let ((a, alone), (t, together)) = (run(1), run(threads));
        assert_eq!(alone.row, together.row, "{benchmark:?}: the prediction depends on threads");
        alone_s = alone_s.min(a);
        together_s = together_s.min(t);
        packets = alone.counters.delivered_packets;
        bytes = [alone.bytes, together.bytes];
    }
    let endpoints = machine.n_nics();
    ThreadScaling { benchmark, threads, alone_s, together_s, packets, bytes, endpoints }
}

/// Packets delivered in `benchmark` by this engine, with credit epochs of this length.
pub(crate) fn delivered_by(benchmark: Benchmark, engine: &str, epoch: &str) -> u64 {
    let machine = preset(
        benchmark.machine,
        &[("routing", benchmark.routing), ("switch.credit_epoch", epoch)],
    );
    let known = EngineChoice::ALL.into_iter().find(|choice| choice.name() == engine);
    let engine = known.unwrap_or_else(|| panic!("no engine `{engine}`"));
    let request = TrafficRequest { engine, ..benchmark.request() };
    let (load, finish) = (benchmark.load, Finish::Measured);
    let done = one_load(&machine, Fidelity::Packet, &request, load, finish, &mut |_, _| true);
    let done = done.unwrap_or_else(|input_errors| panic!("{benchmark:?}: {input_errors:?}"));
    done.counters.delivered_packets
}

/// Times of the event engine, and of the window engine on one thread and on several, which
/// alternate.
pub struct EnginePair {
    benchmark: Benchmark,
    threads: usize,
    /// Core times of both engines on one thread, least of all rounds, s.
    core_s: [f64; 2],
    /// Wall times of the window engine on one thread and on `threads`, of each round, s.
    wall_s: Vec<[f64; 2]>,
    packets: u64,
    /// Of the event engine, and the window engine on one thread and on `threads`.
    bytes: [usize; 3],
    endpoints: u32,
}

/// Runs `benchmark` by both engines in turn, `rounds` times each, and asserts equal results. The
/// window engine runs on one thread, and on `threads` threads if they are more. `epoch` is the
/// length of a window.
pub fn engine_pair(benchmark: Benchmark, epoch: &str, threads: usize, rounds: u32) -> EnginePair {
    let set = [("routing", benchmark.routing), ("switch.credit_epoch", epoch)];
    let machine = preset(benchmark.machine, &set);
    let run = |engine, threads| {
        let request = TrafficRequest { engine, threads, ..benchmark.request() };
        let (core, wall) = (OnCore::begin(), Instant::now());
        let (load, finish) = (benchmark.load, Finish::Measured);
        let done = one_load(&machine, Fidelity::Packet, &request, load, finish, &mut |_, _| true);
        let done = done.unwrap_or_else(|input_errors| panic!("{benchmark:?}: {input_errors:?}"));
        (core.s(), wall.elapsed().as_secs_f64(), done)
    };
    let (mut core_s, mut wall_s) = ([f64::INFINITY; 2], Vec::new());
    let (mut packets, mut bytes) = (0, [0; 3]);
    for _ in 0..rounds {
        let (of_events, _, events) = run(EngineChoice::Event, 1);
        let (of_windows, alone_s, windows) = run(EngineChoice::Window, 1);
        assert_eq!(events.row, windows.row, "{benchmark:?}: the prediction depends on the engine");
        core_s = [core_s[0].min(of_events), core_s[1].min(of_windows)];
        packets = events.counters.delivered_packets;
        bytes = [events.bytes, windows.bytes, 0];
        if threads > 1 {
            let (_, together_s, windows) = run(EngineChoice::Window, threads);
            assert_eq!(events.row, windows.row, "{benchmark:?}: it depends on threads");
            wall_s.push([alone_s, together_s]);
            bytes[2] = windows.bytes;
        }
    }
    let endpoints = machine.n_nics();
    EnginePair { benchmark, threads, core_s, wall_s, packets, bytes, endpoints }
}

impl fmt::Display for EnginePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = |n: usize| n as f64 / f64::from(self.endpoints);
        let rate = |engine: usize| self.packets as f64 / self.core_s[engine];
        write!(
            f,
            "{}, {}, {}, {} B, load {}: {:.0} packets/s ({:.0} B per endpoint) by events, {:.0} \
             ({:.0} B per endpoint) by windows: {:.2} times as fast, same digest",
            self.benchmark.machine,
            self.benchmark.routing,
            self.benchmark.pattern,
            self.benchmark.packet_bytes,
            self.benchmark.load,
            rate(0),
            per(self.bytes[0]),
            rate(1),
            per(self.bytes[1]),
            self.core_s[0] / self.core_s[1],
        )?;
        if self.wall_s.is_empty() {
            return Ok(());
        }
        let least = |at: usize| self.wall_s.iter().map(|s| s[at]).fold(f64::INFINITY, f64::min);
        let mut ratios: Vec<f64> = self.wall_s.iter().map(|s| s[0] / s[1]).collect();
        ratios.sort_by(f64::total_cmp);
        write!(
            f,
            "; wall {:.2} s on one thread, {:.2} s on {} ({:.0} B per endpoint): {:.2} times as \
             fast (by round, median {:.2}, {:.2} to {:.2})",
            least(0),
            least(1),
            self.threads,
            per(self.bytes[2]),
            least(0) / least(1),
            ratios[ratios.len() / 2],
            ratios[0],
            ratios[ratios.len() - 1],
        )
    }
}

impl fmt::Display for ThreadScaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = |n: usize| n as f64 / f64::from(self.endpoints);
        write!(
            f,
            "{}, {}, {}, {} B, load {}: {:.2} s ({:.0} packets/s, {:.0} B per endpoint) on one \
             thread, {:.2} s ({:.0} B per endpoint) on {}: {:.2} times as fast, same digest",
            self.benchmark.machine,
            self.benchmark.routing,
            self.benchmark.pattern,
            self.benchmark.packet_bytes,
            self.benchmark.load,
            self.alone_s,
            self.packets as f64 / self.alone_s,
            per(self.bytes[0]),
            self.together_s,
            per(self.bytes[1]),
            self.threads,
            self.alone_s / self.together_s,
        )
    }
}

/// Time and memory to build a whole machine.
pub struct Footprint {
    pub name: &'static str,
    pub endpoints: u32,
    pub links: usize,
    /// From the machine file to a resolved machine, and from that to an idle network.
    pub resolve_s: f64,
    pub build_s: f64,
    pub machine_bytes: u64,
    pub network_bytes: u64,
}

/// Builds the preset `name`.
pub fn footprint(name: &'static str) -> Footprint {
    let (empty, began) = (live_bytes(), Instant::now());
    let machine = preset(name, &[]);
    let (machine_bytes, resolve_s) = (live_bytes() - empty, began.elapsed().as_secs_f64());
    let began = Instant::now();
    let net = PacketNetwork::build(&machine);
    Footprint {
        name,
        endpoints: machine.n_nics(),
        links: machine.links.gap.len(),
        resolve_s,
        build_s: began.elapsed().as_secs_f64(),
        machine_bytes,
        network_bytes: net.bytes() as u64,
    }
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = |bytes: u64| bytes as f64 / f64::from(self.endpoints);
        write!(
            f,
            "{}: {} endpoints, {} links; resolved in {:.3} s to {:.1} MB ({:.0} B per endpoint), \
             network built in {:.3} s: {:.1} MB ({:.0} B per endpoint)",
            self.name,
            self.endpoints,
            self.links,
            self.resolve_s,
            self.machine_bytes as f64 * 1e-6,
            per(self.machine_bytes),
            self.build_s,
            self.network_bytes as f64 * 1e-6,
            per(self.network_bytes),
        )
    }
}

/// Saturates `dragonfly-1056` for `window`, then runs until the network is empty, which asserts
/// that every credit has returned. Returns packets generated and delivered, and the row of the
/// load.
pub fn saturate_and_drain(routing: &str, pattern: &str, window: Span) -> (u64, u64, TrafficRow) {
    let machine = preset("dragonfly-1056", &[("routing", routing)]);
    let request = TrafficRequest {
        pattern: pattern.into(),
        loads: vec![0.9],
        packet_bytes: 2048,
        warmup: Span::ZERO,
        window,
        seed: 1,
        threads: 1,
        engine: EngineChoice::Event,
    };
    let done = one_load(&machine, Fidelity::Packet, &request, 0.9, Finish::Empty, &mut |_, _| true)
        .unwrap_or_else(|input_errors| panic!("{input_errors:?}"));
    (done.generated, done.counters.delivered_packets, done.row)
}
