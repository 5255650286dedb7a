//! Floor 4: the network in closed form. A message costs what it would cost alone in the packet
//! network, plus its turn at the two NICs, as in the LogGP model (Alexandrov, Ionescu, Schauser,
//! Scheiman, SPAA 1995). Derivation and limits in docs/models/loggp.md.
//!
//! Knows the idle path and the occupancy of NICs. Refuses to know contention between them.
//!
//! The one idea: packets in a row are a pipeline, so a message needs its path's latency once, its
//! slowest stage once a packet, and nothing else.

mod nic;

use std::cell::Cell;

use base::{Gap, IndexVec, Slab, Span, Time};
use des::{EventCode, Phase, Queue};
use machine::{
    ByKind, Folding, Idle, LinkId, LinkKind, LoadView, Machine, NicId, NicParams, Route, Routing,
};

use net::{
    Completion, Counters, Cx, Failure, LinkTraffic, LostAt, LostId, Message, MsgId, NetEvent,
    NetworkModel, Origin, Packetization, Undeliverable,
};

use crate::nic::Nic;

base::ids! {
    /// A message under way.
    FlightId,
    /// A message that is answered when it has come.
    AskId,
}

/// What happens in a closed-form network.
#[derive(Clone, Copy, Debug)]
pub enum LogGpEvent {
    /// The head of `flight`, sent by `src`, has reached the receiver's NIC.
    HeadArrives { src: NicId, flight: FlightId },
    /// The NIC `src` gives up what it has sent in vain.
    GiveUp { src: NicId, lost: LostId },
}

impl NetEvent for LogGpEvent {
    #[inline]
    fn pack(self) -> (u8, u32, u32) {
        match self {
            LogGpEvent::HeadArrives { src, flight } => (0, src.0, flight.0),
            LogGpEvent::GiveUp { src, lost } => (1, src.0, lost.0),
        }
    }
    #[inline]
    fn unpack(kind: u8, source: u32, arg: u32) -> Self {
        let src = NicId(source);
        match kind {
            0 => LogGpEvent::HeadArrives { src, flight: FlightId(arg) },
            _ => LogGpEvent::GiveUp { src, lost: LostId(arg) },
        }
    }
}

/// One cache line, and on one.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Flight {
    id: MsgId,
    dst: NicId,
    /// It is answered, as this says.
    ask: Option<AskId>,
    is_lone: bool,
    /// From the head at the receiver to the tail there, if the receiver is idle; and on until it is
    /// seen, if it is not answered.
    rest: Span,
    /// How long the receiver's link is taken, and its NIC.
    taken: Span,
    kept: Span,
    /// How long both NICs' host interfaces are taken, counting both directions.
    shared: Span,
    /// How much later its tail leaves than it would alone once its head has: others' packets go in
    /// between, and what comes in at the same time shares the host.
    late: Span,
}
const _: () = assert!(size_of::<Flight>() == 64);

/// The state of a closed-form network.
pub struct LogGpNetwork {
    params: NicParams,
    nics: IndexVec<NicId, Nic>,
    /// Whose state each NIC's is; empty if each has its own.
    twin: IndexVec<NicId, NicId>,
    flights: Slab<FlightId, Flight>,
    asks: Slab<AskId, Message>,
    undeliverable: Undeliverable,
    /// Latency and gap of links of each kind: columns of all of them would be read here and there.
    /// None where a plan of faults makes links of a kind differ.
    kinds: Option<ByKind>,
    /// Links of one path, and of all sampled paths.
    path: Vec<LinkId>,
    used: Vec<LinkId>,
    /// What goes by the last path walked is counted when the next has been: by then its links'
    /// counters have been fetched.
    uncounted: Uncounted,
}

/// What goes by these links.
struct Uncounted {
    path: Vec<LinkId>,
    carried: LinkTraffic,
}

impl Uncounted {
    fn count(&self, counters: &mut Counters) {
        for &link in &self.path {
            counters.links[link] += self.carried;
        }
    }
}

/// How many events ahead memory is asked for: that of a message under way, and half as many ahead
/// what it names. A read outside the caches takes as long as one or two events.
const AHEAD: usize = 4;
/// Of fewer messages under way at once caches hold all [estimate].
const MANY: usize = 1 << 12;

/// How many of a message's packets are asked for their way.
const SAMPLES: u32 = 8;

/// What a message costs between the two NICs.
struct Way {
    /// Of the head.
    latency: Span,
    /// From the first head's coming to the last tail's.
    stream: Span,
    /// How long before that the last but one's came.
    last: Span,
}

impl Way {
    /// Of packets that follow each other every `pace`, the last of which takes `last` more. For
    /// what a message of several keeps beside its bytes the second waits, and all behind it.
    fn new(latency: Span, p: &NicParams, cut: Packetization, pace: Span, last: Span) -> Way {
        let wait = p.multipacket_wait(cut.packets, pace);
        let stream = pace * (cut.packets - 1) + wait + last;
        Way { latency, stream, last: if cut.packets == 2 { wait + last } else { last } }
    }
}

/// A network with no load, which knows whether anybody asked for it: where nobody did there was
/// nothing to choose from.
#[derive(Default)]
struct Quiet {
    asked: Cell<bool>,
}

impl Quiet {
    #[inline]
    fn say(&self) -> u32 {
        self.asked.set(true);
        0
    }
}

impl LoadView for Quiet {
    #[inline]
    fn near(&self, _: LinkId) -> u32 {
        self.say()
    }
    #[inline]
    fn far(&self, _: LinkId) -> u32 {
        self.say()
    }
    #[inline]
    fn downstream(&self, _: LinkId) -> u32 {
        self.say()
    }
    #[inline]
    fn anywhere(&self, _: LinkId) -> u32 {
        self.say()
    }
}

impl LogGpNetwork {
    /// Packets in a row are a pipeline: stage `j` begins packet `k` when its head is there and
    /// packet `k - 1` has left, and ends it when it has served it for `S_j` and its tail has come.
    /// So equal packets leave every `max S_j`, and the last, which may be shorter, takes the
    /// longest of its own times more.
    ///
    /// Packets choose among equal ways each by its own draw. A link that a share of them takes is
    /// a stage for that share only; the first few packets stand for all of them. Under UGAL what a
    /// link between switches cannot take goes round it, so only the NICs' own links set the pace.
    /// The message's packets are counted on the ways walked, shared out evenly.
    fn way(
        &mut self,
        msg: &Message,
        cut: Packetization,
        headers: u64,
        cx: &mut Cx<'_>,
    ) -> Result<Way, LostAt> {
        let machine = cx.machine;
        // Packets in order all follow the first.
        let in_order = msg.in_order && machine.keeps_flows;
        let draw = if in_order { Message::draw_in_order(msg.draw) } else { msg.draw };
        let load = Quiet::default();
        let route = machine.find_path(msg.src, msg.dst, draw, &load, &mut self.path)?;
        // By minimal routing all go one way where the first had no other.
        let is_lone =
            machine.routing == Routing::Minimal && !load.asked.get() && machine.faults.is_none();
        let wire = msg.bytes + cut.packets * headers;
        if cut.packets > 1 && !in_order && !is_lone {
            return Ok(self.many_ways(msg, cut, headers, route, cx));
        }
        let (latency, slowest) = self.take_way(route, cut.packets, wire, cx);
        let p = &self.params;
        let host = p.host_gap.max(p.host_gap_one_way);
        let stage = |bytes: u64| host.span(bytes).max(slowest.span(bytes + headers));
        let (pace, last) = (stage(p.packet_payload), stage(cut.rest));
        Ok(Way::new(latency, p, cut, pace, last))
    }

    /// The same where packets go several ways, of which the first is walked.
    fn many_ways(
        &mut self,
        msg: &Message,
        cut: Packetization,
        headers: u64,
        first: Route,
        cx: &mut Cx<'_>,
    ) -> Way {
        let machine = cx.machine;
        let samples = cut.packets.min(u64::from(SAMPLES));
        let share = |n: u64, nth: u64| n / samples + u64::from(nth < n % samples);
        let (mut latency, mut slowest, mut route) = (Span::ZERO, Gap::ZERO, first);
        self.used.clear();
        for nth in 0..samples {
            if nth > 0 {
                let draw = Message::packet_draw(msg.draw, nth as u32);
                let way = machine.find_path(msg.src, msg.dst, draw, &Idle, &mut self.path);
                route = way.expect("a way that the first packet had");
            }
            let packets = share(cut.packets, nth);
            let wire = share(msg.bytes, nth) + packets * headers;
            let (its_latency, its_slowest) = self.take_way(route, packets, wire, cx);
            (latency, slowest) = (latency.max(its_latency), slowest.max(its_slowest));
            self.used.extend_from_slice(&self.uncounted.path);
        }
        let p = &self.params;
        let host = p.host_gap.max(p.host_gap_one_way);
        let full = |gap: Gap| gap.span(p.packet_payload + headers);
        let edges = self.edges(msg.src, msg.dst, machine);
        let edge = edges[0].max(edges[1]);
        let mut pace = host.span(p.packet_payload).max(full(edge));
        // Links between switches that are no slower than the NICs' own set no pace.
        if slowest > edge && !machine.routing.is_adaptive() {
            self.used.sort_unstable();
            for same in self.used.chunk_by(|a, b| a == b) {
                let taken = full(machine.links.gap[same[0]]).0 * same.len() as u64;
                pace = pace.max(Span(taken / samples));
            }
        }
        let last = host.span(cut.rest).max(slowest.span(cut.rest + headers));
        Way::new(latency, p, cut, pace, last)
    }

    /// So many packets, of so many bytes on the wire, take the way walked: its latency, and its
    /// slowest link.
    fn take_way(&mut self, route: Route, packets: u64, wire: u64, cx: &mut Cx<'_>) -> (Span, Gap) {
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
        self.uncounted.carried = LinkTraffic { bytes: wire, packets };
        (latency, slowest)
    }

    /// Gaps of the links out of one NIC and into another.
    #[inline]
    fn edges(&self, src: NicId, dst: NicId, machine: &Machine) -> [Gap; 2] {
        match &self.kinds {
            Some(kinds) => [LinkKind::Injection, LinkKind::Ejection].map(|kind| kinds.of(kind).1),
            None => [machine.injection(src), machine.ejection(dst)].map(|l| machine.links.gap[l]),
        }
    }

    /// The NIC whose state this one's is.
    #[inline]
    fn own(&self, nic: NicId) -> NicId {
        if self.twin.is_empty() { nic } else { self.twin[nic] }
    }

    #[inline]
    fn nic(&mut self, nic: NicId) -> &mut Nic {
        let own = self.own(nic);
        &mut self.nics[own]
    }

    /// How long a stage of `gap` a byte is taken by a whole message, `overhead` bytes a packet.
    fn occupancy(&self, gap: base::Gap, cut: Packetization, overhead: u64) -> Span {
        let last = gap.span(cut.rest + overhead);
        match cut.packets {
            1 => last,
            n => gap.span(self.params.packet_payload + overhead) * (n - 1) + last,
        }
    }

    /// The head of `msg` leaves at `start` at the earliest; its packets have so many bytes of
    /// headers.
    fn launch(&mut self, id: MsgId, msg: &Message, start: Time, headers: u64, cx: &mut Cx<'_>) {
        let machine = cx.machine;
        let cut = Packetization::new(msg.bytes, self.params.packet_payload);
        let Way { latency, stream, last } = match self.way(msg, cut, headers, cx) {
            Ok(way) => way,
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

        let (head, late) = self.nic(src).send(start, cx.now, [first, out], shared);
        // Handling it keeps the host interface, not the link.
        let kept = into.max(host_taken + msg.target_handling());
        let is_answered = msg.completion != Completion::Target;
        let ask = is_answered.then(|| self.asks.insert(*msg));
        let completion_delay = match is_answered {
            true => Span::ZERO,
            false => {
                let ahead = msg.ahead(&self.params);
                msg.completion_delay(&self.params) + Span(ahead.0.saturating_sub(last.0))
            }
        };
        let (rest, is_lone) = (stream + completion_delay, cut.packets == 1);
        let flight = self.flights.insert_with(|| Flight {
            id,
            dst,
            ask,
            is_lone,
            rest,
            taken: into,
            kept,
            shared,
            late,
        });
        cx.at(head + latency, Phase::Arrive, LogGpEvent::HeadArrives { src, flight });
    }

    /// There is no way for a message, which sets out at `start`: it is lost at `at`.
    #[cold]
    fn lose(&mut self, what: (MsgId, Message), at: LostAt, start: Time, cx: &mut Cx<'_>) {
        let src = what.1.src;
        let (when, lost) = self.undeliverable.lose(what, at, start, &cx.machine.retry);
        cx.at(when, Phase::Arrive, LogGpEvent::GiveUp { src, lost });
    }

    fn count(cut: Packetization, bytes: u64, cx: &mut Cx<'_>) {
        cx.counters.injected_packets += cut.packets;
        cx.counters.delivered_packets += cut.packets;
        cx.counters.delivered_payload += bytes;
    }
}

impl NetworkModel for LogGpNetwork {
    type Event = LogGpEvent;
    type Mail = ();

    fn build(machine: &Machine) -> Self {
        let n_nics = machine.n_nics() as usize;
        LogGpNetwork {
            params: machine.nic.clone(),
            nics: IndexVec::zeros(n_nics),
            twin: IndexVec::new(),
            flights: Slab::with_capacity(n_nics),
            asks: Slab::with_capacity(0),
            undeliverable: Undeliverable::default(),
            kinds: machine.faults.is_none().then(|| machine.links.by_kind()),
            path: Vec::with_capacity(32),
            used: Vec::with_capacity(32 * SAMPLES as usize),
            uncounted: Uncounted { path: Vec::with_capacity(32), carried: LinkTraffic::default() },
        }
    }

    fn fold(&mut self, _: &Machine, folding: Folding) {
        self.twin = folding.representative;
    }

    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        debug_assert!(msg.src != msg.dst, "a message to oneself does not use the network");
        let mut enter = cx.now;
        if msg.origin != Origin::Answer {
            let gap = self.params.message_gap;
            let nic = self.nic(msg.src);
            enter = enter.max(nic.enters);
            nic.enters = enter + gap;
        }
        let start = enter + msg.injection_delay(&self.params);
        self.launch(id, &msg, start, self.params.packet_overhead, cx);
    }

    fn handle(&mut self, ev: LogGpEvent, cx: &mut Cx<'_>) {
        let flight = match ev {
            LogGpEvent::HeadArrives { flight, .. } => flight,
            LogGpEvent::GiveUp { lost, .. } => return self.undeliverable.give_up(lost, cx),
        };
        let Flight { id, dst, ask, is_lone, rest, taken, kept, shared, late } =
            self.flights[flight];
        self.flights.free(flight);
        let begin = self.nic(dst).take(cx.now, [taken, kept], shared, is_lone);
        let done = begin.max(cx.now + late) + rest;
        let Some(ask) = ask else {
            cx.delivered.push((id, done));
            return;
        };
        let msg = self.asks[ask];
        self.asks.free(ask);
        let (src, dst, bytes) = (msg.dst, msg.src, msg.completion.back());
        let (back, headers) = (
            Message { src, dst, bytes, completion: Completion::Target, ..msg },
            self.params.response,
        );
        if bytes > 0 {
            return self.launch(id, &back, done + self.params.fetch(bytes), headers, cx);
        }
        // A response that brings nothing takes nobody's time.
        match self.way(&back, Packetization::new(0, 1), headers, cx) {
            Ok(Way { latency, stream, .. }) => {
                let completion_delay = msg.completion_delay(&self.params);
                cx.delivered.push((id, done + latency + stream + completion_delay));
            }
            Err(at) => self.lose((id, back), at, done, cx),
        }
    }

    fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.undeliverable.failure(id)
    }

    #[inline]
    fn prefetch_next(&self, queue: &Queue, _: &Machine) -> Option<MsgId> {
        if self.flights.peak() < MANY {
            return None;
        }
        let flight = |what: EventCode| (what.kind() == 0).then(|| FlightId(what.arg()));
        if let Some(flight) = queue.ahead(2 * AHEAD).and_then(flight) {
            self.flights.prefetch(flight);
        }
        let flight = queue.ahead(AHEAD).and_then(flight)?;
        let Flight { id, dst, .. } = self.flights[flight];
        base::prefetch(&self.nics[self.own(dst)]);
        Some(id)
    }

    #[inline]
    fn prefetch(&self, nic: NicId) {
        base::prefetch(&self.nics[self.own(nic)]);
        self.flights.prefetch_free();
    }

    fn report(&self, counters: &mut Counters) {
        self.uncounted.count(counters);
    }

    fn bytes(&self) -> usize {
        self.nics.len() * size_of::<Nic>()
            + self.twin.len() * size_of::<NicId>()
            + self.flights.bytes()
            + self.asks.bytes()
            + (self.path.capacity() + self.used.capacity()) * size_of::<LinkId>()
    }

    fn assert_quiet(&self, _: &Machine) {
        assert_eq!(self.flights.live(), 0, "messages left in the network");
        assert_eq!(self.undeliverable.live(), 0, "messages whose timers have not run out");
    }
}
