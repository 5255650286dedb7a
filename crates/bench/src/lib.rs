//! Yardsticks of the engine: what a packet's hop costs, what a machine weighs, and that a running
//! network asks the allocator for nothing. Parameters have smoke and real values; the smoke ones
//! run in every test run, without looking at the clock.

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

use base::{Span, Time};
use machine::{Machine, MachineSpec};
use net::NetworkModel;
use packet::PacketNetwork;
use sim::api::Fidelity;
use sim::traffic::{Finish, LoadOutcome, TrafficRequest, TrafficRow, one_load};

static CALLS: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);

/// An allocator that counts. Whoever wants the counts declares it `#[global_allocator]`.
pub struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller's promise is the callee's.
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

/// Calls of the allocator so far; zero for ever without `Counting`.
pub fn allocations() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

/// Bytes allocated now.
pub fn live_bytes() -> u64 {
    LIVE.load(Ordering::Relaxed)
}

/// Seconds of this thread on a core: on a shared machine the wall clock counts the others.
struct OnCore {
    cpu: Option<f64>,
    wall: Instant,
}

impl OnCore {
    fn begin() -> OnCore {
        OnCore { cpu: on_core_s(), wall: Instant::now() }
    }
    /// Since it began; by the wall where the system does not tell.
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

/// A preset, with some keys set otherwise.
pub fn preset(name: &str, set: &[(&str, &str)]) -> Machine {
    let text = machine::preset(name).unwrap_or_else(|| panic!("no preset `{name}`"));
    let set: Vec<_> = set.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
    MachineSpec::parse(name, text, &set)
        .and_then(|spec| spec.resolve())
        .unwrap_or_else(|input_errors| panic!("{name}: {input_errors:?}"))
}

/// One yardstick of traffic.
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

/// What one yardstick read.
pub struct Measurement {
    pub benchmark: Benchmark,
    pub outcome: LoadOutcome,
    /// Seconds on a core.
    pub cpu_s: f64,
    /// Calls of the allocator between the end of the warm-up and the end of the window.
    pub allocations: u64,
    pub endpoints: u32,
}

/// The load of facts/peers.md and its neighbors: 64 B packets as there, 2 KiB as Slingshot's.
/// `size` is the simulated time of the 2 KiB runs; a 64 B run takes an eighth of it.
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
                // Long enough for queues to have had their longest.
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

    /// What a packet takes, seconds on a core, and how many switches it visits.
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

/// One world on one thread and on several, in turn.
pub struct ThreadScaling {
    pub benchmark: Benchmark,
    pub threads: usize,
    /// Wall seconds of the best of each, alone and together.
    pub alone_s: f64,
    pub together_s: f64,
    pub packets: u64,
    /// Bytes an endpoint: every shard has columns for the whole machine.
    pub bytes: [usize; 2],
    pub endpoints: u32,
}

/// Runs `benchmark` alone and on `threads` threads, `rounds` times each; both must tell the same.
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
        assert_eq!(alone.row, together.row, "{benchmark:?}: threads change what is predicted");
        alone_s = alone_s.min(a);
        together_s = together_s.min(t);
        packets = alone.counters.delivered_packets;
        bytes = [alone.bytes, together.bytes];
    }
    let endpoints = machine.n_nics();
    ThreadScaling { benchmark, threads, alone_s, together_s, packets, bytes, endpoints }
}

impl fmt::Display for ThreadScaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per = |n: usize| n as f64 / f64::from(self.endpoints);
        write!(
            f,
            "{}, {}, {}, {} B, load {}: {:.2} s ({:.0} packets/s, {:.0} B an endpoint) on one \
             thread, {:.2} s ({:.0} B an endpoint) on {}: {:.2} times as fast, same digest",
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

/// What it takes to have a whole machine stand there.
pub struct Footprint {
    pub name: &'static str,
    pub endpoints: u32,
    pub links: usize,
    /// From text to a resolved machine, and from that to an idle network.
    pub resolve_s: f64,
    pub build_s: f64,
    pub machine_bytes: u64,
    pub network_bytes: u64,
}

/// Builds the preset `name` whole.
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
            "{}: {} endpoints, {} links; resolved in {:.3} s to {:.1} MB ({:.0} B an endpoint), \
             network built in {:.3} s: {:.1} MB ({:.0} B an endpoint)",
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

/// Saturates `dragonfly-1056` for `window`, then runs until no packet is left (which asserts that
/// every credit is home): packets generated and delivered, and the load's row.
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
    };
    let done = one_load(&machine, Fidelity::Packet, &request, 0.9, Finish::Empty, &mut |_, _| true)
        .unwrap_or_else(|input_errors| panic!("{input_errors:?}"));
    (done.generated, done.counters.delivered_packets, done.row)
}
