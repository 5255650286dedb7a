//! Layer 4: closed-form network. A message takes the time it would take alone in the packet
//! network, plus its wait at the two NICs, as in the LogGP model (Alexandrov, Ionescu, Schauser,
//! Scheiman, SPAA 1995). Derivation and limits: docs/models/loggp.md.
//!
//! This crate models idle paths and occupied NICs. It has no contention between NICs.
//!
//! Design: consecutive packets form a pipeline, so a message takes the latency of its path once and
//! the time of its slowest stage once per packet.

mod nic;

use std::cell::Cell;

use base::{Gap, IndexVec, Slab, Span, Time};
use des::{EventCode, Phase, Queue};
use machine::{
    Folding, Idle, LinkId, LinkKind, LinkKindTable, LoadView, Machine, NicId, NicParams, Route,
    Routing,
};

use net::{
    Completion, Counters, Cx, Failure, LinkTraffic, LostAt, LostId, Message, MsgId, NetEvent,
    NetworkModel, Origin, Packetization, PrecomputedReady, Prefetch, Sharded, Undeliverable,
    Windowed,
};

use crate::nic::Nic;

base::ids! {
    /// A message in flight.
    InFlightId,
    /// A message that is answered when it has arrived.
    RequestId,
}

/// Events of a closed-form network.
#[derive(Clone, Copy, Debug)]
pub enum LogGpEvent {
    /// The head of `in_flight`, sent by `src`, has reached the receiver's NIC.
    HeadArrives { src: NicId, in_flight: InFlightId },
    /// The NIC `src` gives up a message after all retransmissions.
    GiveUp { src: NicId, lost: LostId },
}

impl NetEvent for LogGpEvent {
    #[inline]
    fn pack(self) -> (u8, u32, u32) {
        match self {
            LogGpEvent::HeadArrives { src, in_flight } => (0, src.0, in_flight.0),
            LogGpEvent::GiveUp { src, lost } => (1, src.0, lost.0),
        }
    }
    #[inline]
    fn unpack(kind: u8, source: u32, arg: u32) -> Self {
        let src = NicId(source);
        match kind {
            0 => LogGpEvent::HeadArrives { src, in_flight: InFlightId(arg) },
            _ => LogGpEvent::GiveUp { src, lost: LostId(arg) },
        }
    }
}

/// Exactly one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct InFlight {
    id: MsgId,
    dst: NicId,
    /// The message to answer, if any.
    request: Option<RequestId>,
    is_single_packet: bool,
    /// From arrival of the head to arrival of the tail, with an idle receiver; for a message
    /// without answer also to its completion.
    rest: Span,
    /// Time for which the receiver's link is occupied, and its NIC.
    taken: Span,
    nic_taken: Span,
    /// Time for which both NICs' host interfaces are occupied, both directions together.
    shared: Span,
    /// Delay of the tail relative to the head at the sender, because of interleaved messages and of
    /// receives that share the host interface.
    tail_delay: Span,
}
const _: () = assert!(size_of::<InFlight>() == 64);

/// State of a closed-form network.
pub struct LogGpNetwork {
    params: NicParams,
    nics: IndexVec<NicId, Nic>,
    /// The NIC whose state represents each NIC; empty if each has its own.
    representative: IndexVec<NicId, NicId>,
    messages: Slab<InFlightId, InFlight>,
    requests: Slab<RequestId, Message>,
    undeliverable: Undeliverable,
    /// Latency and gap of links by kind, which avoids reads of per-link columns. None if a fault
    /// schedule makes links of a kind differ.
    kinds: Option<LinkKindTable>,
    /// Links of one path, and of all sampled paths.
    path: Vec<LinkId>,
    used: Vec<LinkId>,
    /// Traffic of the last path is counted when the next has been computed; by then its counters
    /// have been prefetched.
    uncounted: Uncounted,
}

/// Traffic to add to these links.
struct Uncounted {
    path: Vec<LinkId>,
    traffic: LinkTraffic,
}

impl Uncounted {
    fn count(&self, counters: &mut Counters) {
        for &link in &self.path {
            counters.links[link] += self.traffic;
        }
    }
}

/// Prefetch distance in events for the data that a message refers to; twice that for the message
/// itself. A read from memory takes as long as one or two events.
const PREFETCH_DISTANCE: usize = 4;
/// With fewer messages in flight the state fits in caches [estimate].
const MANY_IN_FLIGHT: usize = 1 << 12;

/// Number of packets of a message whose routes are computed.
const SAMPLES: u32 = 8;

/// Times of a message between the two NICs.
struct PathTiming {
    /// Of the head.
    latency: Span,
    /// From arrival of the first head to arrival of the last tail.
    transfer: Span,
    /// The last part of `transfer`, after arrival of the last but one tail.
    last: Span,
}

impl PathTiming {
    /// For packets that follow each other every `pace`, the last of which takes `last`. The
    /// per-message cost of a message of several packets delays the second packet and all behind it.
    fn new(latency: Span, p: &NicParams, cut: Packetization, pace: Span, last: Span) -> PathTiming {
        let wait = p.multipacket_wait(cut.packets, pace);
        let transfer = pace * (cut.packets - 1) + wait + last;
        PathTiming { latency, transfer, last: if cut.packets == 2 { wait + last } else { last } }
    }
}

/// Zero load, with a record whether the routing has read any load. If it has not, there was no
/// choice.
#[derive(Default)]
struct IdleProbe {
    was_used: Cell<bool>,
}

impl IdleProbe {
    #[inline]
    fn note_use(&self) -> u32 {
        self.was_used.set(true);
        0
    }
}

impl LoadView for IdleProbe {
    #[inline]
    fn near(&self, _: LinkId) -> u32 {
        self.note_use()
    }
    #[inline]
    fn far(&self, _: LinkId) -> u32 {
        self.note_use()
    }
    #[inline]
    fn downstream(&self, _: LinkId) -> u32 {
        self.note_use()
    }
    #[inline]
    fn remote_backlog(&self, _: LinkId) -> u32 {
        self.note_use()
    }
}

impl LogGpNetwork {
    /// Consecutive packets form a pipeline: stage `j` begins packet `k` when its head has arrived
    /// and packet `k - 1` has left, and ends it when it has been served for `S_j` and its tail has
    /// arrived. Equal packets leave every `max S_j`, and the last, which may be shorter, adds its
    /// own longest time.
    ///
    /// Packets choose among equal paths by their own draws. A link used by a share of them is a
    /// stage for that share only; the first few packets represent all. Under adaptive routing,
    /// traffic that a link between switches cannot take uses other paths, so only the links of NICs
    /// set the pace. The packets are counted on the computed paths in equal parts.
    fn path_timing(
        &mut self,
        msg: &Message,
        cut: Packetization,
        headers: u64,
        cx: &mut Cx<'_>,
    ) -> Result<PathTiming, LostAt> {
        let machine = cx.machine;
        // Ordered packets all follow the first.
        let in_order = msg.in_order && machine.keeps_flows;
        let draw = if in_order { Message::draw_in_order(msg.draw) } else { msg.draw };
        let load = IdleProbe::default();
        let route = machine.find_path(msg.src, msg.dst, draw, &load, &mut self.path)?;
        // Under minimal routing all packets take one path if the first had no choice.
        let is_single_path =
            machine.routing == Routing::Minimal && !load.was_used.get() && machine.faults.is_none();
        let wire = msg.bytes + cut.packets * headers;
        if cut.packets > 1 && !in_order && !is_single_path {
            return Ok(self.multipath_timing(msg, cut, headers, route, cx));
        }
        let (latency, slowest) = self.count_path(route, cut.packets, wire, cx);
        let p = &self.params;
        let host = p.host_gap.max(p.host_gap_one_way);
        let stage = |bytes: u64| host.span(bytes).max(slowest.span(bytes + headers));
        let (pace, last) = (stage(p.packet_payload), stage(cut.rest));
        Ok(PathTiming::new(latency, p, cut, pace, last))
    }

    /// The same for packets on several paths, the first of which has been computed.
    fn multipath_timing(
        &mut self,
        msg: &Message,
        cut: Packetization,
        headers: u64,
        first: Route,
        cx: &mut Cx<'_>,
    ) -> PathTiming {
        let machine = cx.machine;
        let samples = cut.packets.min(u64::from(SAMPLES));
        let share = |n: u64, nth: u64| n / samples + u64::from(nth < n % samples);
        let (mut latency, mut slowest, mut route) = (Span::ZERO, Gap::ZERO, first);
        self.used.clear();
        for nth in 0..samples {
            if nth > 0 {
                let draw = Message::packet_draw(msg.draw, nth as u32);
                let found = machine.find_path(msg.src, msg.dst, draw, &Idle, &mut self.path);
                route = found.expect("the first packet found a path");
            }
            let packets = share(cut.packets, nth);
            let wire = share(msg.bytes, nth) + packets * headers;
            let (its_latency, its_slowest) = self.count_path(route, packets, wire, cx);
            (latency, slowest) = (latency.max(its_latency), slowest.max(its_slowest));
            self.used.extend_from_slice(&self.uncounted.path);
        }
        let p = &self.params;
        let host = p.host_gap.max(p.host_gap_one_way);
        let full = |gap: Gap| gap.span(p.packet_payload + headers);
        let edges = self.edges(msg.src, msg.dst, machine);
        let edge = edges[0].max(edges[1]);
        let mut pace = host.span(p.packet_payload).max(full(edge));
        // Links between switches that are no slower than those of NICs do not set the pace.
        if slowest > edge && !machine.routing.is_adaptive() {
            self.used.sort_unstable();
            for same in self.used.chunk_by(|a, b| a == b) {
                let taken = full(machine.links.gap[same[0]]).0 * same.len() as u64;
                pace = pace.max(Span(taken / samples));
            }
        }
        let last = host.span(cut.rest).max(slowest.span(cut.rest + headers));
        PathTiming::new(latency, p, cut, pace, last)
    }

    /// Counts `packets` of `wire` bytes in total on the computed path; returns its latency and its
    /// slowest link.
    fn count_path(
        &mut self,
        route: Route,
        packets: u64,
        wire: u64,
        cx: &mut Cx<'_>,
    ) -> (Span, Gap) {
        self.uncounted.count(cx.counters);
        let (mut latency, mut slowest) = (Span::ZERO, Gap::ZERO);
        let last = self.path.len() - 1;
        for (nth, &link) in self.path.iter().enumerate() {
            base::prefetch(&cx.counters.links[link]);
            let links = &cx.machine.links;
            let of_kind = match &self.kinds {
                Some(kinds) if nth == 0 => kinds.of(LinkKind::Injection),
                Some(kinds) if nth == last => kinds.of(LinkKind::Ejection),
                Some(kinds) => kinds.between_switches(link, links),
                None => (links.latency[link], links.gap[link]),
            };
            latency += of_kind.0;
            slowest = slowest.max(of_kind.1);
        }
        cx.counters.hops += packets * (self.path.len() as u64 - 1);
        cx.counters.nonminimal += if route.is_minimal() { 0 } else { packets };
        std::mem::swap(&mut self.path, &mut self.uncounted.path);
        self.uncounted.traffic = LinkTraffic { bytes: wire, packets };
        (latency, slowest)
    }

    /// Gaps of the injection link of one NIC and the ejection link of another.
    #[inline]
    fn edges(&self, src: NicId, dst: NicId, machine: &Machine) -> [Gap; 2] {
        match &self.kinds {
            Some(kinds) => [LinkKind::Injection, LinkKind::Ejection].map(|kind| kinds.of(kind).1),
            None => [machine.injection(src), machine.ejection(dst)].map(|l| machine.links.gap[l]),
        }
    }

    /// The NIC whose state represents this one.
    #[inline]
    fn own(&self, nic: NicId) -> NicId {
        if self.representative.is_empty() { nic } else { self.representative[nic] }
    }

    #[inline]
    fn nic(&mut self, nic: NicId) -> &mut Nic {
        let own = self.own(nic);
        &mut self.nics[own]
    }

    /// Time for which a whole message occupies a stage of `gap` per byte, with `overhead` bytes per
    /// packet.
    fn occupancy(&self, gap: base::Gap, cut: Packetization, overhead: u64) -> Span {
        let last = gap.span(cut.rest + overhead);
        match cut.packets {
            1 => last,
            n => gap.span(self.params.packet_payload + overhead) * (n - 1) + last,
        }
    }

    /// Sends `msg`, whose head leaves at `start` at the earliest, with `headers` bytes per packet.
    fn launch(&mut self, id: MsgId, msg: &Message, start: Time, headers: u64, cx: &mut Cx<'_>) {
        let machine = cx.machine;
        let cut = Packetization::new(msg.bytes, self.params.packet_payload);
        let PathTiming { latency, transfer, last } = match self.path_timing(msg, cut, headers, cx) {
            Ok(timing) => timing,
            Err(at) => return self.lose((id, *msg), at, start, cx),
        };
        Self::count(cut, msg.bytes, cx);

        let Message { src, dst, .. } = *msg;
        let p = &self.params;
        let host = p.host_gap.max(p.host_gap_one_way);
        let edges = self.edges(src, dst, machine);
        let host_taken = self.occupancy(host, cut, 0);
        let taken = |link: Gap| {
            let all = self.occupancy(link, cut, headers).max(host_taken);
            if cut.packets == 1 {
                return all;
            }
            let pace = host.span(p.packet_payload).max(link.span(p.packet_payload + headers));
            all + p.multipacket_wait(cut.packets, pace)
        };
        let [out, into] = edges.map(taken);
        let mut shared = self.occupancy(p.host_gap, cut, 0);
        if cut.packets > 1 {
            shared += p.multipacket_message;
        }
        let first = Packetization { packets: 1, rest: msg.bytes.min(p.packet_payload) };
        let first = self.occupancy(edges[0], first, headers).min(out);

        let (head, tail_delay) = self.nic(src).send(start, cx.now, [first, out], shared);
        // Handling occupies the host interface, not the link.
        let nic_taken = into.max(host_taken + msg.target_handling());
        let is_answered = msg.completion != Completion::Target;
        let request = is_answered.then(|| self.requests.insert(*msg));
        let completion_delay = match is_answered {
            true => Span::ZERO,
            false => {
                let staging_lead = msg.staging_lead(&self.params);
                msg.completion_delay(&self.params) + Span(staging_lead.0.saturating_sub(last.0))
            }
        };
        let (rest, is_single_packet) = (transfer + completion_delay, cut.packets == 1);
        let in_flight = self.messages.insert_with(|| InFlight {
            id,
            dst,
            request,
            is_single_packet,
            rest,
            taken: into,
            nic_taken,
            shared,
            tail_delay,
        });
        cx.at(head + latency, Phase::Arrive, LogGpEvent::HeadArrives { src, in_flight });
    }

    /// A message without a route, sent from `start` on, is lost at `at`.
    #[cold]
    fn lose(&mut self, code: (MsgId, Message), at: LostAt, start: Time, cx: &mut Cx<'_>) {
        let src = code.1.src;
        let (when, lost) = self.undeliverable.lose(code, at, start, &cx.machine.retry);
        cx.at(when, Phase::Arrive, LogGpEvent::GiveUp { src, lost });
    }

    fn count(cut: Packetization, bytes: u64, cx: &mut Cx<'_>) {
        cx.counters.injected_packets += cut.packets;
        cx.counters.delivered_packets += cut.packets;
        cx.counters.delivered_payload += bytes;
    }
}

impl PrecomputedReady for LogGpNetwork {}

impl Windowed for LogGpNetwork {}

impl Sharded for LogGpNetwork {
    type Mail = ();
}

impl Prefetch for LogGpNetwork {
    #[inline]
    fn prefetch_next(&self, queue: &Queue, _: &Machine) -> Option<MsgId> {
        if self.messages.peak() < MANY_IN_FLIGHT {
            return None;
        }
        let in_flight = |code: EventCode| (code.kind() == 0).then(|| InFlightId(code.arg()));
        if let Some(in_flight) = queue.ahead(2 * PREFETCH_DISTANCE).and_then(in_flight) {
            self.messages.prefetch(in_flight);
        }
        let in_flight = queue.ahead(PREFETCH_DISTANCE).and_then(in_flight)?;
        let InFlight { id, dst, .. } = self.messages[in_flight];
        base::prefetch(&self.nics[self.own(dst)]);
        Some(id)
    }

    #[inline]
    fn prefetch(&self, nic: NicId) {
        base::prefetch(&self.nics[self.own(nic)]);
        self.messages.prefetch_free();
    }
}

impl NetworkModel for LogGpNetwork {
    type Event = LogGpEvent;

    fn build(machine: &Machine) -> Self {
        let mut changes = machine.initial_fabric().later_bias_changes();
        assert!(changes.next().is_none(), "messages know only the biases of the start");
        let n_nics = machine.n_nics() as usize;
        LogGpNetwork {
            params: machine.nic.clone(),
            nics: IndexVec::zeros(n_nics),
            representative: IndexVec::new(),
            messages: Slab::with_capacity(n_nics),
            requests: Slab::with_capacity(0),
            undeliverable: Undeliverable::default(),
            kinds: machine.faults.is_none().then(|| machine.links.by_kind()),
            path: Vec::with_capacity(32),
            used: Vec::with_capacity(32 * SAMPLES as usize),
            uncounted: Uncounted { path: Vec::with_capacity(32), traffic: LinkTraffic::default() },
        }
    }

    fn fold(&mut self, _: &Machine, folding: Folding) {
        self.representative = folding.representative;
    }

    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        debug_assert!(msg.src != msg.dst, "a message to oneself does not use the network");
        let mut enter = cx.now;
        if msg.origin != Origin::Response {
            let gap = self.params.message_gap;
            let nic = self.nic(msg.src);
            enter = enter.max(nic.enters);
            nic.enters = enter + gap;
        }
        let start = enter + msg.injection_delay(&self.params);
        self.launch(id, &msg, start, self.params.packet_overhead, cx);
    }

    fn handle(&mut self, ev: LogGpEvent, cx: &mut Cx<'_>) {
        let in_flight = match ev {
            LogGpEvent::HeadArrives { in_flight, .. } => in_flight,
            LogGpEvent::GiveUp { lost, .. } => return self.undeliverable.give_up(lost, cx),
        };
        let InFlight {
            id,
            dst,
            request,
            is_single_packet,
            rest,
            taken,
            nic_taken,
            shared,
            tail_delay,
        } = self.messages[in_flight];
        self.messages.free(in_flight);
        let begin = self.nic(dst).take(cx.now, [taken, nic_taken], shared, is_single_packet);
        let done = begin.max(cx.now + tail_delay) + rest;
        let Some(request) = request else {
            cx.delivered.push((id, done));
            return;
        };
        let msg = self.requests[request];
        self.requests.free(request);
        let (src, dst, bytes) = (msg.dst, msg.src, msg.completion.response_bytes());
        let (back, headers) = (
            Message { src, dst, bytes, completion: Completion::Target, ..msg },
            self.params.response,
        );
        if bytes > 0 {
            return self.launch(id, &back, done + self.params.fetch(bytes), headers, cx);
        }
        // A response without data occupies no NIC.
        match self.path_timing(&back, Packetization::new(0, 1), headers, cx) {
            Ok(PathTiming { latency, transfer, .. }) => {
                let completion_delay = msg.completion_delay(&self.params);
                cx.delivered.push((id, done + latency + transfer + completion_delay));
            }
            Err(at) => self.lose((id, back), at, done, cx),
        }
    }

    fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.undeliverable.failure(id)
    }

    fn report(&self, counters: &mut Counters) {
        self.uncounted.count(counters);
    }

    fn bytes(&self) -> usize {
        self.nics.len() * size_of::<Nic>()
            + self.representative.len() * size_of::<NicId>()
            + self.messages.bytes()
            + self.requests.bytes()
            + (self.path.capacity() + self.used.capacity()) * size_of::<LinkId>()
    }

    fn assert_idle(&self, _: &Machine) {
        assert_eq!(self.messages.live(), 0, "messages left in the network");
        assert_eq!(self.undeliverable.live(), 0, "messages whose timers have not run out");
    }
}
