//! Open-loop synthetic traffic: every NIC sends packets at a rate of its own, whatever becomes of
//! them, and the network shows what it carries. Theory beside it: docs/models/saturation.md.
//!
//! A load is a world of its own: sources, an infinite queue at every NIC, one packet a message.
//! Sources start at rest; after the warm-up a window is measured; sources then go on until every
//! packet of the window has arrived, for at most as long again, so late packets meet the same load.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use base::{Digest, Slab, Span, Time, draw, uniform};
use des::{Phase, Queue};
use machine::{Complaint, Machine, NicId};
use net::{Counters, Cx, Event, Message, MsgId, NetworkModel, Origin};
use serde::{Deserialize, Serialize};

use crate::background::Background;
use crate::outcome::Fidelity;
pub use crate::patterns::{Destinations, PATTERNS};
use crate::world::Progress;

/// A sweep over offered loads.
#[derive(Clone, Debug)]
pub struct TrafficRequest {
    /// One of `PATTERNS`.
    pub pattern: String,
    /// Offered wire bytes as a fraction of what the injection links carry.
    pub loads: Vec<f64>,
    /// Payload of a packet.
    pub packet_bytes: u64,
    pub warmup: Span,
    /// What is measured, after the warm-up.
    pub window: Span,
    pub seed: u64,
    /// Loads run at once; 0 is as many as cores. Never changes a result.
    pub threads: usize,
}

/// Where traffic takes place, and beside what.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The NICs it is between, in the order of their numbers; none for all of compute nodes.
    pub nics: Vec<NicId>,
    /// What other nodes send meanwhile: in the way of what is measured, and not counted.
    pub background: Vec<Background>,
}

/// What came of one load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrafficRow {
    pub offered: f64,
    /// Wire bytes delivered in the window, as a fraction of what the injection links carry.
    pub accepted: f64,
    /// From generation to delivery, packets generated in the window and delivered before the end.
    /// The mean is exact; percentiles come from a histogram and are within 0.4 %.
    pub latency_mean_s: f64,
    pub latency_p50_s: f64,
    pub latency_p99_s: f64,
    /// Switches visited by a packet, mean over those that arrived in the window.
    pub hops_mean: f64,
    pub nonminimal_fraction: f64,
    /// Packets generated in the window, and those of them still under way at the end.
    pub packets: u64,
    pub unfinished: u64,
    /// Fingerprint of every delivery of the run.
    pub digest: String,
}

/// What it cost to find out, all loads together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficEngine {
    pub events: u64,
    pub packets: u64,
    pub packet_hops: u64,
    pub wall_s: f64,
    /// Memory of the network, the queue and the sources of the largest world, per NIC.
    pub bytes_per_endpoint: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrafficResult {
    pub pattern: String,
    pub machine: String,
    pub fidelity: String,
    /// In the order of the loads asked for; those finished, if interrupted.
    pub rows: Vec<TrafficRow>,
    pub interrupted: bool,
    pub engine: TrafficEngine,
}

/// When a run of one load is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// Once the window's packets have arrived, or have had as long as warm-up and window took.
    Measured,
    /// Sources stop with the window, and the run lasts until the network is empty and its laws of
    /// conservation have been checked.
    Empty,
}

/// What one world did.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOutcome {
    pub row: TrafficRow,
    pub events: u64,
    /// Packets generated in the whole run, and what the network counted.
    pub generated: u64,
    pub counters: Counters,
    pub bytes: usize,
    pub interrupted: bool,
}

const STREAM_GAP: u32 = 0x6761_7073;
const STREAM_ROUTE: u32 = 0x726f_7574;

impl Destinations {
    /// The time between its packets `nth - 1` and `nth`: exponential gaps make a Poisson stream.
    pub(crate) fn gap(&self, from: u32, nth: u64, mean_ps: f64) -> Span {
        let luck = draw(self.seed(), STREAM_GAP, self.nic(from).0, nth);
        Span(((-ln(uniform(luck)) * mean_ps) as u64).max(1))
    }
    /// What its `nth` packet's route is drawn from.
    pub(crate) fn route_draw(&self, from: u32, nth: u64) -> u64 {
        draw(self.seed(), STREAM_ROUTE, self.nic(from).0, nth)
    }
}

/// Counts of latencies in steps of 1/128 of an octave's start: within 0.4 % at a bin's middle.
struct Histogram {
    bins: Vec<u64>,
    count: u64,
    sum: u128,
}

impl Histogram {
    const STEPS: u32 = 7;

    fn new() -> Self {
        Histogram { bins: vec![0; 58 << Self::STEPS], count: 0, sum: 0 }
    }
    /// Values below 128 have a bin each; above, the seven bits below the leading one choose.
    fn bin(ps: u64) -> usize {
        let octave = (63 - (ps | 1).leading_zeros()).saturating_sub(Self::STEPS);
        ((u64::from(octave) << Self::STEPS) + (ps >> octave)) as usize
    }
    fn add(&mut self, latency: Span) {
        self.bins[Self::bin(latency.0)] += 1;
        self.count += 1;
        self.sum += u128::from(latency.0);
    }
    fn mean_s(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64 * 1e-12
    }
    /// The least value that a share `q` of all does not exceed, at its bin's middle.
    fn quantile_s(&self, q: f64) -> f64 {
        let wanted = (q * self.count as f64).ceil() as u64;
        let mut seen = 0;
        for (bin, &count) in self.bins.iter().enumerate() {
            seen += count;
            if count > 0 && seen >= wanted {
                let octave = (bin as u64 >> Self::STEPS).saturating_sub(1);
                let low = (bin as u64 - (octave << Self::STEPS)) << octave;
                return (low as f64 + ((1u64 << octave) - 1) as f64 / 2.0) * 1e-12;
            }
        }
        0.0
    }
}

/// Natural logarithm by +, -, x and / alone, which IEEE 754 rounds alike everywhere: arrival times
/// must not depend on whose mathematical library was linked. Relative error below 1e-14.
fn ln(x: f64) -> f64 {
    debug_assert!(x.is_normal() && x > 0.0);
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut m = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh z; |z| < 0.172, so eleven terms leave less than 1e-17.
    let z = (m - 1.0) / (m + 1.0);
    let (square, mut sum) = (z * z, 0.0);
    for k in (0..11).rev() {
        sum = sum * square + 1.0 / f64::from(2 * k + 1);
    }
    2.0 * z * sum + f64::from(exponent) * std::f64::consts::LN_2
}

/// A packet under way, as its source remembers it.
#[derive(Clone, Copy)]
struct Born {
    at: Time,
    nth: u32,
    from: u32,
}

/// Who sends to whom, what and how often.
struct Stream<'a> {
    to: &'a Destinations,
    /// Its first source; they are numbered one stream after the other.
    first: u32,
    bytes: u64,
    /// Mean time between two messages of one NIC, ps.
    mean_gap: f64,
}

struct World<'a, N: NetworkModel> {
    machine: &'a Machine,
    /// The one that is measured, then the background.
    streams: Vec<Stream<'a>>,
    /// Sources of the first.
    measured: u32,
    net: N,
    queue: Queue,
    counters: Counters,
    delivered: Vec<(MsgId, Time)>,
    under_way: Slab<MsgId, Born>,
    /// Packets generated by each NIC.
    generated: Vec<u32>,
    events: u64,
    now: Time,
    digest: Digest,
    latencies: Histogram,
}

impl<'a, N: NetworkModel> World<'a, N> {
    fn new(
        machine: &'a Machine,
        destinations: &'a Destinations,
        request: &TrafficRequest,
        background: &'a [Background],
        load: f64,
    ) -> Self {
        let measured = destinations.participants();
        let n_links = machine.links.gap.len();
        let wire = request.packet_bytes + machine.nic.packet_overhead;
        let mean_gap = |to: &Destinations, wire: u64, load: f64| {
            machine.links.gap[machine.injection(to.nic(0))].span(wire).0 as f64 / load
        };
        let mut streams = vec![Stream {
            to: destinations,
            first: 0,
            bytes: request.packet_bytes,
            mean_gap: mean_gap(destinations, wire, load),
        }];
        let mut n = measured;
        for b in background {
            let mean_gap = mean_gap(&b.to, b.wire(machine), b.load);
            streams.push(Stream { to: &b.to, first: n, bytes: b.bytes, mean_gap });
            n += b.to.participants();
        }
        World {
            machine,
            streams,
            measured,
            net: N::build(machine),
            queue: Queue::new(),
            counters: Counters::new(n_links),
            delivered: Vec::with_capacity(1 << 8),
            under_way: Slab::with_capacity(4 * n as usize),
            generated: vec![0; n as usize],
            events: 0,
            now: Time::ZERO,
            digest: Digest::default(),
            latencies: Histogram::new(),
        }
    }

    /// Everybody's first packet is on its way to being.
    fn start(&mut self) {
        for at in 0..self.streams.len() {
            let Stream { to, first, .. } = self.streams[at];
            (0..to.participants())
                .filter(|&at| to.sends(at))
                .for_each(|at| self.schedule(first + at));
        }
    }

    /// The stream a source is of, and its place there.
    #[inline]
    fn stream(&self, source: u32) -> (&Stream<'a>, u32) {
        let stream = match source < self.measured {
            true => &self.streams[0],
            false => &self.streams[self.streams.partition_point(|s| s.first <= source) - 1],
        };
        (stream, source - stream.first)
    }

    /// Schedules the next packet of a source.
    fn schedule(&mut self, source: u32) {
        let nth = self.generated[source as usize];
        let (stream, at) = self.stream(source);
        let gap = stream.to.gap(at, u64::from(nth), stream.mean_gap);
        self.queue.push(self.now + gap, Event::<N::Event>::host(Phase::Resume, source, 0));
    }

    fn generate(&mut self, source: u32) {
        let nth = self.generated[source as usize];
        self.generated[source as usize] = nth + 1;
        let (&Stream { to, bytes, .. }, at) = self.stream(source);
        let msg = Message {
            src: to.nic(at),
            dst: to.to(at, u64::from(nth)),
            bytes,
            // The packet is there; fetching it is not what is studied.
            origin: Origin::Nic,
            vnet: 0,
            draw: to.route_draw(at, u64::from(nth)),
        };
        let id = self.under_way.insert(Born { at: self.now, nth, from: source });
        let (net, mut cx) = self.split();
        net.inject(id, msg, &mut cx);
    }

    fn split(&mut self) -> (&mut N, Cx<'_>) {
        let cx = Cx {
            now: self.now,
            machine: self.machine,
            queue: &mut self.queue,
            delivered: &mut self.delivered,
            counters: &mut self.counters,
        };
        (&mut self.net, cx)
    }

    /// Handles events before `end`; `false` says somebody pulled the plug.
    fn run_until(&mut self, end: Time, watch: &mut Watch<'_>) -> bool {
        while let Some((now, what)) = self.queue.pop_before(end) {
            self.now = now;
            self.events += 1;
            self.net.look_ahead(&self.queue, self.machine);
            match Event::of(what) {
                Event::Net(event) => {
                    let (net, mut cx) = self.split();
                    net.handle(event, &mut cx);
                    self.collect(watch);
                }
                Event::Host { rank, .. } => {
                    if self.now < watch.sources_end {
                        self.generate(rank);
                        self.schedule(rank);
                    }
                }
            }
            if self.events.is_multiple_of(1 << 14) && !(watch.tick)(self.now, self.events) {
                return false;
            }
            if watch.measured.is_some_and(|left| left == 0) {
                return true;
            }
        }
        // Nothing earlier can be asked for after this.
        self.now = end;
        true
    }

    /// Takes note of what was delivered.
    fn collect(&mut self, watch: &mut Watch<'_>) {
        while let Some((id, seen)) = self.delivered.pop() {
            let Born { at, nth, from } = self.under_way[id];
            self.under_way.free(id);
            self.digest.mix(seen.0);
            self.digest.mix(u64::from(from) << 32 | u64::from(nth));
            if from >= self.measured {
                continue;
            }
            if watch.is_window(seen) {
                watch.arrived += 1;
            }
            if watch.is_window(at) {
                self.latencies.add(seen.since(at));
                if let Some(left) = &mut watch.measured {
                    *left -= 1;
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        self.net.bytes()
            + self.queue.bytes()
            + self.under_way.bytes()
            + self.generated.len() * size_of::<u32>()
    }
}

/// What is watched for while a world runs.
struct Watch<'t> {
    start: Time,
    end: Time,
    sources_end: Time,
    /// Packets that arrived in the window.
    arrived: u64,
    /// After the window: packets generated in it and not here yet; the run ends with the last.
    measured: Option<u64>,
    tick: &'t mut dyn FnMut(Time, u64) -> bool,
}

impl Watch<'_> {
    fn is_window(&self, t: Time) -> bool {
        self.start <= t && t < self.end
    }
}

/// One load, one world.
fn one<N: NetworkModel>(
    machine: &Machine,
    destinations: &Destinations,
    request: &TrafficRequest,
    background: &[Background],
    load: f64,
    finish: Finish,
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> LoadOutcome {
    let mut world = World::<N>::new(machine, destinations, request, background, load);
    world.start();
    let start = Time::ZERO + request.warmup;
    let end = start + request.window;
    let limit = end + request.warmup + request.window;
    let sources_end = if finish == Finish::Empty { end } else { limit };
    let mut watch = Watch { start, end, sources_end, arrived: 0, measured: None, tick };

    let sent = |world: &World<'_, N>| {
        world.generated[..world.measured as usize].iter().map(|&n| u64::from(n)).sum::<u64>()
    };
    let mut on = world.run_until(start, &mut watch);
    let (before, sent_before) = (sums(&world.counters), sent(&world));
    on = on && world.run_until(end, &mut watch);
    let after = sums(&world.counters);
    let packets = sent(&world) - sent_before;
    if on {
        match finish {
            Finish::Measured => {
                watch.measured = Some(packets - world.latencies.count);
                on = world.run_until(limit, &mut watch);
            }
            Finish::Empty => {
                on = world.run_until(Time(u64::MAX), &mut watch);
                if on {
                    world.net.assert_quiet(machine);
                    assert_eq!(world.under_way.live(), 0, "a packet was lost");
                }
            }
        }
    }
    let wire = request.packet_bytes + machine.nic.packet_overhead;
    let rate = machine.links.gap[machine.injection(NicId(0))].bytes_per_s();
    let full = f64::from(destinations.senders()) * rate * request.window.seconds();
    let arrived = (after.0 - before.0).max(1) as f64;
    let row = TrafficRow {
        offered: load,
        accepted: (watch.arrived * wire) as f64 / full,
        latency_mean_s: world.latencies.mean_s(),
        latency_p50_s: world.latencies.quantile_s(0.50),
        latency_p99_s: world.latencies.quantile_s(0.99),
        hops_mean: (after.1 - before.1) as f64 / arrived,
        nonminimal_fraction: (after.2 - before.2) as f64 / arrived,
        packets,
        unfinished: packets - world.latencies.count,
        digest: format!("{:016x}", world.digest.0),
    };
    world.net.report(&mut world.counters);
    LoadOutcome {
        row,
        events: world.events,
        generated: sent(&world),
        bytes: world.bytes(),
        counters: world.counters,
        interrupted: !on,
    }
}

/// Packets delivered, their hops, and those that went a longer way.
fn sums(c: &Counters) -> (u64, u64, u64) {
    (c.delivered_packets, c.hops, c.nonminimal)
}

/// Runs one load of `request` on its own; `finish` says how it ends.
pub fn one_load(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    load: f64,
    finish: Finish,
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> Result<LoadOutcome, Vec<Complaint>> {
    one_load_at(machine, fidelity, request, &Place::default(), load, finish, tick)
}

/// The same between some NICs, and beside other traffic.
pub fn one_load_at(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    place: &Place,
    load: f64,
    finish: Finish,
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> Result<LoadOutcome, Vec<Complaint>> {
    let to = &check(machine, request, place)?;
    let beside = &place.background;
    Ok(match fidelity {
        Fidelity::Packet => {
            one::<packet::PacketNetwork>(machine, to, request, beside, load, finish, tick)
        }
        Fidelity::LogGp => {
            one::<loggp::LogGpNetwork>(machine, to, request, beside, load, finish, tick)
        }
    })
}

/// Everything that is wrong with `request`, or who sends to whom.
fn check(
    machine: &Machine,
    request: &TrafficRequest,
    place: &Place,
) -> Result<Destinations, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let to = match &place.nics[..] {
        [] => Destinations::parse(&request.pattern, machine, request.seed),
        nics => Destinations::among(&request.pattern, machine, nics.to_vec(), request.seed),
    };
    if request.loads.is_empty() {
        complaints.push(Complaint::new("loads", "", "one load or more"));
    }
    for &load in &request.loads {
        // Below one in a million a run is longer than anybody waits; above 16 it only queues.
        if !(1e-6..=16.0).contains(&load) {
            let wanted = "a fraction of the injection rate, from 0.000001 to 16";
            complaints.push(Complaint::new("load", load.to_string(), wanted));
        }
    }
    let most = machine.nic.packet_payload;
    if request.packet_bytes > most {
        let wanted = format!("one packet's payload, at most {most} B on this machine");
        complaints.push(Complaint::new("packet", request.packet_bytes.to_string(), wanted));
    }
    if request.packet_bytes + machine.nic.packet_overhead == 0 {
        let wanted = "1 B or more: packets of this machine have no overhead";
        complaints.push(Complaint::new("packet", "0", wanted));
    }
    if request.window == Span::ZERO {
        complaints.push(Complaint::new("time", "0 s", "a time above zero"));
    }
    // 2^32 sequence numbers of a source, and the clock's 213 days, are far beyond this.
    if request.window.0.saturating_add(request.warmup.0) > Span::ms(1_000_000).0 {
        let found = format!("{:e} s", request.window.seconds() + request.warmup.seconds());
        complaints.push(Complaint::new("time", found, "at most 1,000 s with the warm-up"));
    }
    match to {
        Ok(to) if complaints.is_empty() => Ok(to),
        Ok(_) => Err(complaints),
        Err(complaint) => {
            complaints.insert(0, complaint);
            Err(complaints)
        }
    }
}

/// What a thread says to the one who waits.
enum News {
    Progress { index: usize, now: Time, events: u64 },
    Done { index: usize, outcome: Box<LoadOutcome> },
}

/// Runs all loads of `request`. `tick` hears of progress and says whether to go on.
pub fn traffic(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TrafficResult, Vec<Complaint>> {
    traffic_at(machine, fidelity, request, &Place::default(), tick)
}

/// The same between some NICs, and beside other traffic.
pub fn traffic_at(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    place: &Place,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TrafficResult, Vec<Complaint>> {
    check(machine, request, place)?;
    #[allow(clippy::disallowed_methods)] // Real time, reported beside the results.
    let began = Instant::now();
    let n = request.loads.len();
    let threads = match request.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    };
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut outcomes: Vec<Option<LoadOutcome>> = vec![None; n];
    std::thread::scope(|scope| {
        let (say, hear) = mpsc::channel();
        for _ in 0..threads.min(n) {
            let (say, next, stop) = (say.clone(), &next, &stop);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= n || stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let mut tell = |now, events| {
                        let _ = say.send(News::Progress { index, now, events });
                        !stop.load(Ordering::Relaxed)
                    };
                    let load = request.loads[index];
                    let finish = Finish::Measured;
                    let done =
                        one_load_at(machine, fidelity, request, place, load, finish, &mut tell);
                    let outcome = Box::new(done.expect("the request was checked"));
                    let _ = say.send(News::Done { index, outcome });
                }
            });
        }
        drop(say);
        // Simulated time and events of all worlds together.
        let mut sums = vec![(Time::ZERO, 0); n];
        for news in hear {
            match news {
                News::Progress { index, now, events } => {
                    sums[index] = (now, events);
                    let now = Time(sums.iter().map(|s| s.0.0).sum());
                    let events = sums.iter().map(|s| s.1).sum();
                    if !tick(Progress::at(now, events)) {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                News::Done { index, outcome } => outcomes[index] = Some(*outcome),
            }
        }
    });
    let finished = || outcomes.iter().flatten();
    let bytes = finished().map(|o| o.bytes).max().unwrap_or(0);
    let engine = TrafficEngine {
        events: finished().map(|o| o.events).sum(),
        packets: finished().map(|o| o.counters.delivered_packets).sum(),
        packet_hops: finished().map(|o| o.counters.hops).sum(),
        wall_s: began.elapsed().as_secs_f64(),
        bytes_per_endpoint: bytes as f64 / f64::from(machine.n_nics()),
    };
    let rows: Vec<TrafficRow> =
        finished().filter(|o| !o.interrupted).map(|o| o.row.clone()).collect();
    Ok(TrafficResult {
        pattern: request.pattern.clone(),
        machine: machine.name.clone(),
        fidelity: match fidelity {
            Fidelity::Packet => "packet".into(),
            Fidelity::LogGp => "loggp".into(),
        },
        interrupted: rows.len() < n,
        rows,
        engine,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_library_s_within_its_error() {
        for i in 1..100_000u64 {
            let x = uniform(draw(1, 2, 3, i));
            let (got, want) = (ln(x), x.ln());
            assert!((got - want).abs() <= 1e-14 * want.abs().max(1e-2), "ln({x}) = {got}, {want}");
        }
    }

    #[test]
    fn a_histogram_is_within_its_stated_error() {
        for ps in (0..1_000u64).chain((10..63).map(|b| (1 << b) + (1 << (b - 3)) + 1)) {
            let mut h = Histogram::new();
            h.add(Span(ps));
            let got = h.quantile_s(0.5) * 1e12;
            assert!((got - ps as f64).abs() <= 0.004 * ps as f64, "{ps} ps read as {got}");
        }
    }
}
