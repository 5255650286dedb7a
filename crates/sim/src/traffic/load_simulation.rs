//! Simulation of one load: sources, network and measurement, as a whole or in shards.
//!
//! It is not a `World`: it has sources instead of ranks, and a shard has a part of the machine.
//! Both run in `event_loop::run`.

use std::sync::{Arc, Mutex};

use base::{Digest, Slab, Span, Time, prefetch};
use des::{EventCode, Item, PREFETCH_BLOCK, Phase, Queue, Units};
use machine::{Machine, NicId};
use net::{
    Counters, Cx, Event, FAILED, Failure, HOST, MsgId, NetworkModel, Partition, READY, Sharded,
    Windowed,
};

use super::histogram::Histogram;
use super::request::{Engine, Finish, LoadOutcome, TrafficRequest, TrafficSetting};
use super::slices::Slice;
use crate::background::Background;
use crate::engine::EngineChoice;
use crate::event_loop::{Simulation, run};
use crate::patterns::Destinations;
use crate::rated_pattern::RatedPattern;
use crate::shard_pool::{Alone, Member, ShardPool, Tick};
use crate::timeline::Timeline;

mod by_turns;
mod outcome;

/// A packet in flight, as its source stores it.
#[derive(Clone, Copy)]
struct GeneratedPacket {
    at: Time,
    nth: u32,
    from: u32,
}

/// A sending NIC: generation time of its last packet, and the number of packets so far.
#[derive(Clone, Copy)]
struct Source {
    generated_at: Time,
    generated: u32,
}

/// One load, or one shard of it.
struct LoadSimulation<'a, N: NetworkModel> {
    machine: &'a Machine,
    net: N,
    queue: Queue,
    counters: Counters,
    delivered: Vec<(MsgId, Time)>,
    traffic: Traffic<'a>,
    events: u64,
    now: Time,
    /// Events from here on are not handled.
    until: Time,
}

/// Sources and measurement: all of the simulation except the network.
struct Traffic<'a> {
    watch: Watch,
    /// The measured pattern, then the background. Sources are numbered pattern after pattern.
    patterns: Vec<RatedPattern<'a>>,
    /// The first source of each pattern.
    firsts: Vec<u32>,
    /// Number of sources of the measured pattern.
    measured: u32,
    sources: Vec<Source>,
    /// Packets of the block that is prefetched.
    seen: Vec<MsgId>,
    in_flight: Slab<MsgId, GeneratedPacket>,
    /// Of all deliveries; a sum, so that it does not depend on their order.
    digest: u64,
    /// Packets generated in the window; those that arrived in it; the latencies of those generated
    /// in it; and those of them that were given up.
    packets: u64,
    arrived: u64,
    latencies: Histogram,
    given_up: u64,
    /// All packets generated in the window have been counted.
    all_counted: bool,
    slices: Vec<Slice>,
    /// Messages of each background that arrived in the window.
    background_counts: Vec<u64>,
    /// Sum of the generation times of the window's packets that have not arrived, modulo 2^128: a
    /// packet may arrive in another thread than that of its source.
    generation_sum: u128,
}

impl<'a, N: NetworkModel> LoadSimulation<'a, N> {
    fn new(
        (net, queue): (N, Queue),
        machine: &'a Machine,
        destinations: &'a Destinations,
        request: &TrafficRequest,
        setting: &'a TrafficSetting,
        load: (f64, Watch),
    ) -> Self {
        let n_links = machine.links.gap.len();
        LoadSimulation {
            machine,
            net,
            queue,
            counters: Counters::new(n_links),
            delivered: Vec::with_capacity(1 << 8),
            traffic: Traffic::new(machine, destinations, request, setting, load),
            events: 0,
            now: Time::ZERO,
            until: Time::ZERO,
        }
    }

    /// Schedules the first packet of every NIC for which `is_here` holds.
    fn start(&mut self, is_here: impl Fn(NicId) -> bool) {
        let (net, traffic, mut cx) = self.split();
        net.start(&mut cx);
        for at in 0..traffic.patterns.len() {
            let (to, first) = (traffic.patterns[at].to, traffic.firsts[at]);
            for at in (0..to.participants()).filter(|&at| to.sends(at) && is_here(to.nic(at))) {
                let next = (first + at, traffic.next_generation(first + at));
                traffic.schedule(next, net, &mut cx);
            }
        }
    }

    fn split(&mut self) -> (&mut N, &mut Traffic<'a>, Cx<'_>) {
        let cx = Cx {
            now: self.now,
            machine: self.machine,
            queue: &mut self.queue,
            delivered: &mut self.delivered,
            counters: &mut self.counters,
        };
        (&mut self.net, &mut self.traffic, cx)
    }

    /// Handles events before `end`, which is not 0. Returns false if the caller stopped the run.
    fn run_until(&mut self, end: Time, tick: &mut Tick<'_>) -> bool {
        self.until = end;
        let goes_on = run(self, 1 << 14, |load| tick(load.now, load.events));
        if goes_on {
            // Other shards may still report events at `end`, but no earlier ones.
            self.now = Time(end.0 - 1);
        }
        goes_on
    }

    /// The same in parallel with the other shards. `exchange` sends and receives their mail.
    fn run_together<M>(
        &mut self,
        end: Time,
        member: &mut Member<M>,
        exchange: impl Fn(&Member<M>, &mut N, &mut Cx<'_>),
        tick: &mut Tick<'_>,
    ) -> bool {
        let mut goes_on = true;
        let mut windows = 0u32;
        loop {
            // Below 2^63: one bit is reserved for a stop request.
            let next = self.queue.earliest_bound().0.min(u64::MAX >> 1);
            let (mut first, mut all_go_on) = (u64::MAX >> 1, true);
            for word in member.all_gather(next << 1 | u64::from(goes_on)) {
                first = first.min(word >> 1);
                all_go_on &= word & 1 == 1;
            }
            let has_ended = first >= end.0.min(u64::MAX >> 1);
            if has_ended || !all_go_on {
                self.now = if has_ended { end } else { self.now };
                return all_go_on;
            }
            let stop = end.min(member.shard_pool.alone.end(Time(first)));
            goes_on = self.run_until(stop, tick);
            // An idle shard also calls its callback.
            windows += 1;
            if windows.is_multiple_of(1 << 12) {
                goes_on &= tick(self.now, self.events);
            }
            let (net, traffic, mut cx) = self.split();
            exchange(member, net, &mut cx);
            traffic.collect(net, cx.delivered);
        }
    }

    /// Wire bytes so far on the links of receivers to which a whole background sends.
    fn received(&self, background: &[Background]) -> Vec<u64> {
        if !background.iter().any(|b| b.to.is_incast()) {
            return vec![0; background.len()];
        }
        let mut counters = Counters::new(self.machine.links.gap.len());
        self.net.report(&mut counters);
        let of = |b: &Background| counters.links[self.machine.ejection(b.to.nic(0))].bytes;
        background.iter().map(of).collect()
    }

    /// The same as `run_together`, with samples of the links on the way.
    fn advance<M>(
        &mut self,
        end: Time,
        member: &mut Member<M>,
        exchange: impl Fn(&Member<M>, &mut N, &mut Cx<'_>),
        tick: &mut Tick<'_>,
        timeline: Option<&Mutex<Timeline>>,
    ) -> bool {
        let Some(timeline) = timeline else {
            return self.run_together(end, member, exchange, tick);
        };
        let mut timeline = timeline.lock().expect("one simulation records");
        loop {
            let next = timeline.next_sample();
            let goes_on = self.run_together(end.min(next), member, &exchange, tick);
            if !goes_on || next > end {
                return goes_on;
            }
            self.sample(next, &mut timeline);
            if next == end {
                return true;
            }
        }
    }

    /// Records the bytes that links have carried until `now`.
    fn sample(&self, now: Time, timeline: &mut Timeline) {
        timeline.begin_sample(self.counters.links.len());
        self.net.carried(&self.counters, |link, bytes| timeline.sample(now, link, bytes));
        timeline.end_sample(now);
    }

    fn bytes(&self) -> usize {
        self.net.bytes()
            + self.queue.bytes()
            + self.traffic.in_flight.bytes()
            + self.traffic.sources.len() * size_of::<Source>()
    }
}

impl<N: NetworkModel> Simulation for LoadSimulation<'_, N> {
    #[inline]
    fn step(&mut self) -> bool {
        let Some((now, code)) = self.queue.pop_before(self.until) else { return false };
        self.now = now;
        self.events += 1;
        let (net, traffic, mut cx) = self.split();
        traffic.prefetch(net, &mut cx);
        if code.kind() == READY && traffic.is_kept::<N>() || code.kind() == HOST {
            traffic.send(MsgId(code.arg()), net, &mut cx);
        } else {
            net.dispatch(code, &mut cx);
        }
        if !cx.delivered.is_empty() {
            traffic.collect(net, cx.delivered);
        }
        true
    }

    #[inline]
    fn events(&self) -> u64 {
        self.events
    }
}

impl<'a> Traffic<'a> {
    fn new(
        machine: &'a Machine,
        destinations: &'a Destinations,
        request: &TrafficRequest,
        setting: &'a TrafficSetting,
        (load, watch): (f64, Watch),
    ) -> Self {
        let measured = destinations.participants();
        let wire = request.packet_bytes + machine.nic.packet_overhead;
        let bytes = request.packet_bytes;
        let first = RatedPattern::new(machine, destinations, (bytes, wire), load);
        let mut patterns = vec![first.on(setting.vnet, setting.in_order)];
        let (mut firsts, mut n) = (vec![0], measured);
        for background in &setting.background {
            patterns.push(RatedPattern::of_background(machine, background));
            firsts.push(n);
            n += background.to.participants();
        }
        Traffic {
            watch,
            patterns,
            firsts,
            measured,
            sources: vec![Source { generated_at: Time::ZERO, generated: 0 }; n as usize],
            seen: Vec::with_capacity(PREFETCH_BLOCK),
            in_flight: Slab::with_capacity(8 * n as usize),
            digest: 0,
            packets: 0,
            arrived: 0,
            latencies: Histogram::new(),
            given_up: 0,
            all_counted: false,
            slices: vec![Slice::default(); setting.slices as usize],
            background_counts: vec![0; setting.background.len()],
            generation_sum: 0,
        }
    }

    /// Prefetches what upcoming events need, in the network and here.
    #[inline]
    fn prefetch<N: NetworkModel>(&mut self, net: &mut N, cx: &mut Cx<'_>) {
        if let Some(id) = net.prefetch_next(cx.queue, cx.machine) {
            self.in_flight.prefetch(id);
        }
        if cx.queue.has_prefetch()
            && let Some(block) = cx.queue.next_prefetch_block()
        {
            net.prefetch_block(block, cx.machine, |id| self.in_flight.prefetch(id));
            if self.is_kept::<N>() {
                self.prefetch_block(block);
            }
        }
    }

    /// Prefetches packets that will soon be ready, and the sources of packets before them.
    #[inline]
    fn prefetch_block(&mut self, block: &[Item; PREFETCH_BLOCK]) {
        let sources = &self.sources[..];
        for id in self.seen.drain(..) {
            prefetch(&sources[self.in_flight[id].from as usize]);
        }
        let ready = block.iter().filter(|item| item.code.kind() == READY);
        for id in ready.map(|item| MsgId(item.code.arg())) {
            self.in_flight.prefetch(id);
            self.seen.push(id);
        }
    }

    /// Whether packets are held here until they can leave their NICs. Generation and readiness are
    /// then one event, and the network has no such event. If several patterns share NICs, commands
    /// must come in order, so the network gets packets when they are generated.
    #[inline]
    fn is_kept<N: NetworkModel>(&self) -> bool {
        N::PRECOMPUTES_READY && self.patterns.len() == 1
    }

    /// The pattern of a source, and its position in the pattern.
    #[inline]
    fn pattern(&self, source: u32) -> (RatedPattern<'a>, u32) {
        if source < self.measured {
            return (self.patterns[0], source);
        }
        let at = self.pattern_number(source);
        (self.patterns[at], source - self.firsts[at])
    }

    fn pattern_number(&self, source: u32) -> usize {
        self.firsts.partition_point(|&first| first <= source) - 1
    }

    /// Generation time of the next packet of a source.
    #[inline(always)]
    fn next_generation(&self, source: u32) -> Time {
        let (pattern, at) = self.pattern(source);
        let Source { generated_at, generated: nth } = self.sources[source as usize];
        pattern.next_generation(at, generated_at, nth)
    }

    /// Schedules the next packet of a source, which was generated at `at`.
    fn schedule<N: NetworkModel>(
        &mut self,
        (source, at): (u32, Time),
        net: &mut N,
        cx: &mut Cx<'_>,
    ) {
        let (pattern, position) = self.pattern(source);
        let nth = self.sources[source as usize].generated;
        if at >= self.watch.sources_end {
            return;
        }
        self.sources[source as usize] = Source { generated_at: at, generated: nth + 1 };
        self.count(source, at);
        let id = self.in_flight.insert(GeneratedPacket { at, nth, from: source });
        let nic = pattern.to.nic(position);
        let ready = if self.is_kept::<N>() { net.ready(nic, pattern.bytes, at) } else { at };
        let code = match ready > at {
            true => EventCode::new(Phase::Arrive, READY, nic.0, id.0),
            false => Event::<N::Event>::host(Phase::Resume, source, id.0),
        };
        cx.queue.push(ready, code);
    }

    /// Counts a packet that is generated at `at`.
    #[inline]
    fn count(&mut self, source: u32, at: Time) {
        if self.watch.is_window(at) && source < self.measured && !self.all_counted {
            self.packets += 1;
            self.generation_sum = self.generation_sum.wrapping_add(u128::from(at.0));
        }
    }

    /// At the end of the window: counts packets generated in it that their sources have not
    /// reached, because earlier packets are not ready to leave.
    fn count_all(&mut self) {
        for source in 0..self.measured {
            let Source { mut generated_at, generated: mut nth } = self.sources[source as usize];
            let (pattern, at) = self.pattern(source);
            // A source without packets never sends.
            while nth > 0 && generated_at < self.watch.end {
                generated_at = pattern.next_generation(at, generated_at, nth);
                nth += 1;
                self.count(source, generated_at);
            }
        }
        self.all_counted = true;
    }

    /// Packet `id` may leave; schedules the next one of its source.
    fn send<N: NetworkModel>(&mut self, id: MsgId, net: &mut N, cx: &mut Cx<'_>) {
        let GeneratedPacket { nth, from, .. } = self.in_flight[id];
        // A logarithm has a latency of a hundred cycles; starting it here hides them.
        let next = (from, self.next_generation(from));
        let (pattern, at) = self.pattern(from);
        let msg = pattern.message(at, nth);
        if self.is_kept::<N>() {
            net.leave(id, msg, cx);
        } else {
            net.inject(id, msg, cx);
        }
        self.schedule(next, net, cx);
    }

    /// Processes deliveries.
    fn collect<N: NetworkModel>(&mut self, net: &mut N, delivered: &mut Vec<(MsgId, Time)>) {
        let watch = self.watch;
        while let Some((id, seen)) = delivered.pop() {
            let GeneratedPacket { at, nth, from } = self.in_flight[id];
            self.in_flight.free(id);
            self.digest(from, nth, seen);
            if seen == FAILED {
                self.give_up(net.failure(id), from, watch.is_window(at));
                continue;
            }
            if from >= self.measured {
                if watch.is_window(seen) {
                    let pattern = self.pattern_number(from);
                    self.background_counts[pattern - 1] += 1;
                }
                continue;
            }
            self.measure(at, seen);
        }
    }

    /// A measured packet that was generated at `at` is complete at `seen`.
    #[inline]
    fn measure(&mut self, at: Time, seen: Time) {
        let watch = self.watch;
        self.arrived += u64::from(watch.is_window(seen));
        if !self.slices.is_empty() && watch.is_window(seen) {
            Slice::note(&mut self.slices, watch.start, watch.end, seen, seen.since(at));
        }
        if watch.is_window(at) {
            self.latencies.add(seen.since(at));
            self.generation_sum = self.generation_sum.wrapping_sub(u128::from(at.0));
        }
    }

    /// Adds a delivery to the digest.
    #[inline]
    fn digest(&mut self, from: u32, nth: u32, seen: Time) {
        let mut digest = Digest::default();
        digest.mix(seen.0);
        digest.mix(u64::from(from) << 32 | u64::from(nth));
        self.digest = self.digest.wrapping_add(digest.0);
    }

    /// The network has given up a packet.
    #[cold]
    fn give_up(&mut self, why: Option<Failure>, from: u32, was_awaited: bool) {
        assert!(why.is_some(), "the network says why a message failed");
        self.given_up += u64::from(from < self.measured && was_awaited);
    }

    /// Number of measured packets generated before `now`.
    fn sent(&self, now: Time) -> u64 {
        let all = self.sources[..self.measured as usize].iter();
        all.map(|s| u64::from(s.generated) - u64::from(s.generated > 0 && s.generated_at >= now))
            .sum()
    }
}

/// Times that a simulation checks for.
#[derive(Clone, Copy)]
struct Watch {
    start: Time,
    end: Time,
    sources_end: Time,
}

impl Watch {
    fn is_window(&self, t: Time) -> bool {
        self.start <= t && t < self.end
    }
}

/// All inputs of the simulation of one load.
pub(super) struct Load<'a> {
    pub machine: &'a Machine,
    pub destinations: &'a Destinations,
    pub request: &'a TrafficRequest,
    pub setting: &'a TrafficSetting,
    pub load: f64,
    pub finish: Finish,
    /// Records the links of a load that is simulated as a whole.
    pub timeline: Option<&'a Mutex<Timeline>>,
}

/// Result of one shard, or of the whole simulation.
struct ShardOutcome {
    /// Packets delivered in the window, their hops, and those on nonminimal paths.
    sums: (u64, u64, u64),
    /// Packets generated in the window, all generated packets, and those that arrived in the
    /// window.
    packets: u64,
    generated: u64,
    arrived: u64,
    latencies: Histogram,
    slices: Vec<Slice>,
    background_counts: Vec<u64>,
    received: Vec<u64>,
    generation_sum: u128,
    /// End of the simulation.
    now: Time,
    digest: u64,
    events: u64,
    counters: Counters,
    bytes: usize,
    interrupted: bool,
}

impl ShardOutcome {
    fn merge(mut self, other: ShardOutcome) -> ShardOutcome {
        let (a, b) = (&mut self.sums, other.sums);
        *a = (a.0 + b.0, a.1 + b.1, a.2 + b.2);
        self.packets += other.packets;
        self.generated += other.generated;
        self.arrived += other.arrived;
        self.latencies.merge(&other.latencies);
        self.slices.iter_mut().zip(&other.slices).for_each(|(a, b)| a.merge(b));
        self.background_counts.iter_mut().zip(&other.background_counts).for_each(|(a, b)| *a += b);
        self.received.iter_mut().zip(&other.received).for_each(|(a, b)| *a += b);
        self.generation_sum = self.generation_sum.wrapping_add(other.generation_sum);
        self.digest = self.digest.wrapping_add(other.digest);
        self.events += other.events;
        self.counters.merge(&other.counters);
        self.bytes += other.bytes;
        self.interrupted |= other.interrupted;
        self
    }
}

/// Sends the mail of a shard to the others, and takes theirs.
fn exchange<N: Sharded>(member: &Member<N::Mail>, net: &mut N, cx: &mut Cx<'_>) {
    member.post(|to, mailbox| std::mem::swap(net.outgoing(to), mailbox));
    member.take(|from, mailbox| net.incoming(from, mailbox, cx));
}

/// How often a run checks whether the last packet of the window has arrived: this number of times
/// per duration of warm-up and window. Shards stop together, which excludes arbitrary instants.
const LOOKS: u64 = 64;

/// Packets that enter a switch per window, from which on windows are faster: on whole Aurora with
/// windows of 350 ns, loads above 0.09 (docs/performance.md).
const MIN_PACKETS: f64 = 5.5;

impl Load<'_> {
    /// Simulates one load of packets on `threads` threads, if the network can be divided.
    pub fn run_packets<N: NetworkModel>(&self, threads: usize, tick: &mut Tick<'_>) -> LoadOutcome {
        let machine = self.machine;
        let (mut engine, windows) = self.engine::<N>();
        let partition =
            Partition::new(machine, if N::can_be_sharded(machine) { threads } else { 1 });
        let alone = match &windows {
            Some((length, _)) if partition.shards > 1 => Some(Alone::UntilMultipleOf(*length)),
            Some(_) => None,
            None => partition.lookahead(machine).map(Alone::For),
        };
        let queue = || match &windows {
            Some((length, units)) => Queue::in_windows(*length, units.clone()),
            None => Queue::new(),
        };
        if windows.is_some() {
            match self.run_turns(&partition, tick) {
                Ok(whole) => return LoadOutcome { engine: Some(engine), ..self.outcome(whole) },
                Err(reason) => engine.general = Some(reason),
            }
        }
        let whole = match alone {
            None => self.run_whole::<N>(queue(), tick),
            Some(alone) => self.run_shards::<N>(&partition, alone, queue, tick),
        };
        LoadOutcome { engine: Some(engine), ..self.outcome(whole) }
    }

    /// Simulates one load as a whole, event by event.
    pub fn run<N: NetworkModel>(&self, tick: &mut Tick<'_>) -> LoadOutcome {
        self.outcome(self.run_whole::<N>(Queue::new(), tick))
    }

    fn run_whole<N: NetworkModel>(&self, queue: Queue, tick: &mut Tick<'_>) -> ShardOutcome {
        let shard_pool = Arc::new(ShardPool::<()>::new(1, Alone::For(Span(u64::MAX))));
        let (net, member) = (N::build(self.machine), Member::new(&shard_pool, 0));
        self.run_shard((net, queue), |_| true, member, |_, _, _| {}, tick)
    }

    /// The engine of this load, and its windows and units.
    fn engine<N: Windowed>(&self) -> (Engine, Option<(Span, Units)>) {
        let Load { machine, destinations, request, setting, load, .. } = *self;
        let event = |reason| (Engine { uses_windows: false, reason, general: None }, None);
        if request.engine == EngineChoice::Event {
            return event("it was selected");
        }
        let length = match N::window_length(machine, request.latest_end()) {
            Ok(length) => length,
            Err(reason) => return event(reason),
        };
        if self.timeline.is_some() {
            return event("a timeline is recorded in the order of time");
        }
        let mut reason = "it was selected";
        if request.engine == EngineChoice::Auto {
            if machine.faults.is_some()
                || machine.initial_fabric().later_bias_changes().next().is_some()
            {
                return event(
                    "faults or changes of biases need the general implementation, which is not \
                     faster",
                );
            }
            let gap = machine.links.gap[machine.injection(destinations.nic(0))];
            let packet = gap.span(request.packet_bytes + machine.nic.packet_overhead);
            let nics = f64::from(destinations.senders()) / f64::from(machine.n_switches());
            let packets = load * nics * length.0 as f64 / packet.0 as f64;
            if packets < MIN_PACKETS {
                return event("few packets enter a switch per window");
            }
            reason = "many packets enter a switch per window";
        }
        let patterns =
            std::iter::once(destinations).chain(setting.background.iter().map(|b| &b.to));
        let nics = patterns.flat_map(|to| (0..to.participants()).map(|at| to.nic(at)));
        let mut units = N::units(machine);
        units.by_source(&[HOST], nics.map(|nic| machine.nic_switch[nic].0 as u16).collect());
        (Engine { uses_windows: true, reason, general: None }, Some((length, units)))
    }

    fn run_shards<N: NetworkModel>(
        &self,
        partition: &Partition,
        alone: Alone,
        queue: impl Fn() -> Queue + Sync,
        tick: &mut Tick<'_>,
    ) -> ShardOutcome {
        let machine = self.machine;
        let shards = ShardPool::run(partition.shards, alone, tick, |member, tick| {
            let own = member.own;
            let net = N::build_part(machine, partition, own as u8);
            let is_here = |nic| usize::from(partition.of[machine.nic_switch[nic]]) == own;
            self.run_shard((net, queue()), is_here, member, exchange, tick)
        });
        let all = shards.into_iter().reduce(ShardOutcome::merge);
        all.expect("there is a shard")
    }

    /// The time after `now`, at or after the end of the measurement, of the next check whether all
    /// packets have arrived. With credit epochs it is the end of one, where windows end.
    fn next_look(&self, now: Time) -> Time {
        let limit = self.request.latest_end();
        let step = Span((limit.0 / (2 * LOOKS)).max(1));
        let next = match self.machine.credit_epoch {
            None => now + step,
            Some(epoch) => {
                let epochs = step.0.div_ceil(epoch.0).max(1);
                Time((now.0 / epoch.0 + epochs) * epoch.0)
            }
        };
        limit.min(next)
    }

    /// Simulates one shard, or the whole.
    fn run_shard<N: NetworkModel, M>(
        &self,
        net: (N, Queue),
        is_here: impl Fn(NicId) -> bool,
        mut member: Member<M>,
        exchange: impl Fn(&Member<M>, &mut N, &mut Cx<'_>),
        tick: &mut Tick<'_>,
    ) -> ShardOutcome {
        let Load { machine, destinations, request, setting, load, finish, timeline } = *self;
        let start = Time::ZERO + request.warmup;
        let end = start + request.window;
        let limit = request.latest_end();
        let sources_end = if finish == Finish::Empty { end } else { limit };
        let at = (load, Watch { start, end, sources_end });
        let mut simulation = LoadSimulation::new(net, machine, destinations, request, setting, at);
        simulation.start(is_here);

        let member = &mut member;
        let mut on = simulation.advance(start, member, &exchange, tick, timeline);
        let before = sums(&simulation.counters);
        let mut received = simulation.received(&setting.background);
        on = on && simulation.advance(end, member, &exchange, tick, timeline);
        for (n, now) in received.iter_mut().zip(simulation.received(&setting.background)) {
            *n = now - *n;
        }
        let after = sums(&simulation.counters);
        simulation.traffic.count_all();
        let packets = simulation.traffic.packets;
        match finish {
            Finish::Measured => {
                let mut now = end;
                while on && now < limit && {
                    // A packet is counted in the shard of its source.
                    let traffic = &simulation.traffic;
                    let lacks = packets - traffic.latencies.count - traffic.given_up;
                    member.all_gather(lacks).sum::<u64>() > 0
                } {
                    now = self.next_look(now);
                    on = simulation.advance(now, member, &exchange, tick, timeline);
                }
            }
            Finish::Empty => {
                on = on && simulation.run_together(Time(u64::MAX), member, &exchange, tick);
                if on {
                    simulation.net.assert_idle(machine);
                    assert_eq!(simulation.traffic.in_flight.live(), 0, "a packet was lost");
                }
            }
        }
        if let Some(timeline) = timeline {
            let mut timeline = timeline.lock().expect("one simulation records");
            simulation.sample(simulation.now, &mut timeline);
        }
        simulation.net.report(&mut simulation.counters);
        let (bytes, now) = (simulation.bytes(), simulation.now);
        let LoadSimulation { traffic, counters, events, .. } = simulation;
        ShardOutcome {
            sums: (after.0 - before.0, after.1 - before.1, after.2 - before.2),
            packets,
            generated: traffic.sent(now),
            arrived: traffic.arrived,
            digest: traffic.digest,
            events,
            bytes,
            interrupted: !on,
            latencies: traffic.latencies,
            slices: traffic.slices,
            background_counts: traffic.background_counts,
            received,
            generation_sum: traffic.generation_sum,
            now,
            counters,
        }
    }
}

/// Packets delivered, their hops, and those on nonminimal paths.
fn sums(c: &Counters) -> (u64, u64, u64) {
    (c.delivered_packets, c.hops, c.nonminimal)
}
