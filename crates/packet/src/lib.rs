//! Floor 4: the network packet by packet: virtual cut-through switches with finite input buffers,
//! credits in batches, and NICs with windows. The model is argued in docs/models/packet.md, its
//! freedom from deadlock in docs/models/deadlock.md.
//!
//! Knows when a packet may move. Refuses to know where to: every turn is `Machine::next_hop`'s.
//!
//! The one idea: a packet is its head. A link is held from the moment a head enters it until the
//! tail has left, a buffer from the grant until the tail has gone on; both ends are known when the
//! grant is made, so no tail is ever an event.

mod ahead;
mod classes;
mod congestion;
mod credit;
mod due;
mod faults;
mod flows;
mod foretold;
mod hold;
mod lanes;
mod link;
mod loads;
mod nic;
mod quiet;
mod responses;
mod shard;

pub use shard::Mail;

use base::{Gap, IndexVec, Slab, Span, Time};
use des::{EventCode, Item, PREFETCH_BLOCK, Phase, Queue};
use machine::{Arbitration, Hop, LinkId, Machine, NicId, NicParams, Route, Routing, SwitchId};
use net::{Counters, Cx, Failure, Message, MsgId, NetEvent, NetworkModel, Origin, Partition};

use ahead::Ahead;
use classes::Shares;
use congestion::Congestion;
use credit::{Channel, Classes};
use due::Due;
use faults::Faulty;
use flows::Flows;
use lanes::Lanes;
use link::Wire;
use loads::{Loads, Reports};
use nic::Nic;
use shard::Shards;

base::ids! {
    /// A packet in the network.
    PacketId,
    /// An acknowledgement on its way back.
    DueId,
    /// A message that has packets to be made, with its sender.
    TransitId,
    /// A message that has not arrived whole, with its receiver.
    ArrivalId,
    /// A packet that is lost, until its NIC knows.
    LostId,
}

/// "No such packet, lane or message" in an intrusive list.
const NONE: u32 = u32::MAX;

/// No event is due.
const NEVER: Time = Time(u64::MAX);

/// What happens in a packet network.
#[derive(Clone, Copy, Debug)]
pub enum PacketEvent {
    /// The head of `packet` stands at the far end of `link`, ready for a decision.
    Head { packet: PacketId, link: LinkId },
    /// A credit for the buffer at the far end of `link` is home, and somebody waits for it.
    Credit { link: LinkId, vc: u8 },
    /// A credit is home that was on its way for longer than this link counts ahead: a much slower
    /// link kept it, or it was known before its packet had gone.
    Home { link: LinkId, vc: u8, cells: u16 },
    /// `link` is free again and somebody waits for it.
    Free { link: LinkId },
    /// The NIC has understood the command and fetched the data.
    Ready { nic: NicId, transit: TransitId },
    /// `link` has rested for as long as the ceiling of somebody who waits for it asks.
    Allowed { link: LinkId },
    /// An acknowledgement is back at `nic`, whose class `vnet` waits for it.
    Ack { nic: NicId, vnet: u8 },
    /// The host interface of `nic` is free again and somebody waits for it.
    Host { nic: NicId },
    /// The response `packet` is ready to leave `nic`, which has taken the request.
    Respond { nic: NicId, packet: PacketId },
    /// The timer of a packet that was lost runs out at `nic`.
    Lost { nic: NicId, lost: LostId },
    /// The plan's `nth` change happens to `link`.
    Change { link: LinkId, nth: u32 },
    /// What the switch before `link`, a NIC's, says of its congestion is at a sender.
    Order { link: LinkId, word: u32 },
    /// A credit that `nic` had no use for is back at the switch that gave it.
    Return { nic: NicId, word: u32 },
}

/// Kinds of events in the queue.
mod kind {
    pub const HEAD: u8 = 0;
    pub const CREDIT: u8 = 1;
    pub const FREE: u8 = 2;
    pub const READY: u8 = net::READY;
    pub const ACK: u8 = 4;
    pub const HOST: u8 = 5;
    pub const HOME: u8 = 6;
    pub const RESPOND: u8 = 7;
    pub const ALLOWED: u8 = 8;
    pub const LOST: u8 = 9;
    pub const CHANGE: u8 = 10;
    pub const ORDER: u8 = 11;
    pub const RETURN: u8 = 12;
}

impl NetEvent for PacketEvent {
    #[inline(always)]
    fn pack(self) -> (u8, u32, u32) {
        match self {
            PacketEvent::Head { packet, link } => (kind::HEAD, link.0, packet.0),
            PacketEvent::Credit { link, vc } => (kind::CREDIT, link.0, vc.into()),
            PacketEvent::Home { link, vc, cells } => {
                (kind::HOME, link.0, u32::from(vc) | u32::from(cells) << 8)
            }
            PacketEvent::Free { link } => (kind::FREE, link.0, 0),
            PacketEvent::Allowed { link } => (kind::ALLOWED, link.0, 0),
            PacketEvent::Ready { nic, transit } => (kind::READY, nic.0, transit.0),
            PacketEvent::Ack { nic, vnet } => (kind::ACK, nic.0, vnet.into()),
            PacketEvent::Host { nic } => (kind::HOST, nic.0, 0),
            PacketEvent::Respond { nic, packet } => (kind::RESPOND, nic.0, packet.0),
            PacketEvent::Lost { nic, lost } => (kind::LOST, nic.0, lost.0),
            PacketEvent::Change { link, nth } => (kind::CHANGE, link.0, nth),
            PacketEvent::Order { link, word } => (kind::ORDER, link.0, word),
            PacketEvent::Return { nic, word } => (kind::RETURN, nic.0, word),
        }
    }
    #[inline]
    fn unpack(kind: u8, source: u32, arg: u32) -> Self {
        let (link, nic) = (LinkId(source), NicId(source));
        match kind {
            kind::HEAD => PacketEvent::Head { packet: PacketId(arg), link },
            kind::CREDIT => PacketEvent::Credit { link, vc: arg as u8 },
            kind::HOME => PacketEvent::Home { link, vc: arg as u8, cells: (arg >> 8) as u16 },
            kind::FREE => PacketEvent::Free { link },
            kind::ALLOWED => PacketEvent::Allowed { link },
            kind::READY => PacketEvent::Ready { nic, transit: TransitId(arg) },
            kind::ACK => PacketEvent::Ack { nic, vnet: arg as u8 },
            kind::HOST => PacketEvent::Host { nic },
            kind::RESPOND => PacketEvent::Respond { nic, packet: PacketId(arg) },
            kind::LOST => PacketEvent::Lost { nic, lost: LostId(arg) },
            kind::CHANGE => PacketEvent::Change { link, nth: arg },
            kind::ORDER => PacketEvent::Order { link, word: arg },
            kind::RETURN => PacketEvent::Return { nic, word: arg },
            _ => unreachable!("no such kind of event"),
        }
    }
}

/// A packet in the network. One cache line: a hop touches a packet once.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Packet {
    /// When the tail stands where the head was last seen.
    tail: Time,
    /// When the head left the NIC: its age.
    born: Time,
    /// What its way is drawn from; the lower half of one in order is the name of its flow.
    draw: u64,
    route: Route,
    arrival: ArrivalId,
    dst: NicId,
    /// Wire bytes.
    bytes: u16,
    /// Sum of the latencies of the links so far, ps: the acknowledgement needs as long.
    traveled: u32,
    /// The link it came in by, whose far-end buffer it occupies.
    input: LinkId,
    /// Behind it in its lane, or in the receiver's queue. On its way to a switch: the link by which
    /// it will leave that, if it has no choice any more: see `foretold`.
    next: u32,
    /// Where it is or will be next; nothing if that is a NIC.
    at: SwitchId,
    /// Of the buffer that it occupies.
    cells: u16,
    input_class: u8,
    input_vc: u8,
    /// The virtual network it goes by.
    vnet: u8,
    /// What is rarely so: bits of `mark`.
    marks: u8,
}
const _: () = assert!(size_of::<Packet>() == 64);

impl Packet {
    /// The hop by which it came in.
    #[inline]
    fn came(&self) -> Hop {
        Hop { link: self.input, vc: self.input_vc }
    }
}

/// Bits of a packet's marks.
mod mark {
    /// It was sent on credit: its receiver is congested.
    pub const CREDITED: u8 = 1;
    /// It must not be overtaken by others of its flow.
    pub const ORDERED: u8 = 2;
    /// It finds a way for its flow.
    pub const LEADS: u8 = 4;
}

/// A message as its sender knows it, until its last packet is made.
#[derive(Clone, Copy, Debug)]
struct Transit {
    draw: u64,
    /// Payload not yet given to packets.
    unsent: u64,
    arrival: ArrivalId,
    src: NicId,
    dst: NicId,
    /// Packets made so far, of all there will be.
    made: u32,
    packets: u32,
    /// Behind it in the sender's round.
    next: u32,
    vnet: u8,
    /// The receiver's who gave credit, if it stands in the round to send one packet on that.
    hold: u32,
    /// The flow that it is of; nothing unless it is to be in order.
    flow: u32,
}

/// A message as its receiver knows it, until its last packet is there. One that is told to its
/// sender is another such row there: it lacks the responses.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// When the last byte so far was through, for a full packet `ahead` later.
    done: Time,
    /// From the last tail's arrival to what the receiver can see.
    completion_delay: Span,
    /// How much longer full packets take into memory than the last.
    ahead: Span,
    id: MsgId,
    src: NicId,
    /// What it takes of the receiver's host interface beside its bytes' time, ps.
    handling: u32,
    /// Packets the receiver still lacks.
    missing: u32,
    /// Payload that responses have still to take back, and what they are to call the message where
    /// they come from; nothing if the message is told of here.
    back: u64,
    asker: ArrivalId,
}

/// The state of a packet network: columns by link, by link and virtual channel, and by NIC.
pub struct PacketNetwork {
    n_vcs: u8,
    layout: link::Layout,
    /// Virtual networks from this one on carry responses.
    responses_from: u8,
    params: NicParams,
    /// NICs take what comes: their host interfaces have no limit.
    takes_at_once: bool,
    /// Links are shared by no classes, and nothing happens to them.
    is_plain: bool,
    /// It does not fit into a processor's caches, so that looking ahead pays.
    is_large: bool,
    /// Busy links are promised to who waits alone: see `is_promising`.
    promises: bool,
    classes: Classes,
    wires: IndexVec<LinkId, Wire>,
    /// By link: since when it has stalled, if it has, and for how long it had before.
    stalls: IndexVec<LinkId, (Time, Span)>,
    reports: Reports,
    /// By link and channel; see `PacketNetwork::channel`.
    channels: Vec<Channel>,
    /// Cells that may be sent by each of them, as of its epoch.
    rooms: Vec<u16>,
    nics: IndexVec<NicId, Nic>,
    shares: Shares,
    lanes: Lanes,
    /// Turns given so far, if they are not by age.
    turns: u64,
    arbitration: Arbitration,
    dues: Slab<DueId, Due>,
    packets: Slab<PacketId, Packet>,
    transits: Slab<TransitId, Transit>,
    arrivals: Slab<ArrivalId, Arrival>,
    /// Which shard this is, and what it must know if it is not the only one.
    own: u8,
    shards: Option<Box<Shards>>,
    /// What a machine with a plan of faults needs beside.
    faults: Option<Box<Faulty>>,
    congestion: Congestion,
    flows: Flows,
    ahead: Ahead,
}

impl NetworkModel for PacketNetwork {
    type Event = PacketEvent;
    type Mail = Mail;
    const COUNTS_RESPONSES: bool = true;

    fn build(machine: &Machine) -> Self {
        Self::with(machine, None)
    }

    fn divides(machine: &Machine) -> bool {
        // This policy looks at links all over the machine; and timers of lost packets are no mail.
        !matches!(machine.routing, Routing::UgalG { .. }) && machine.faults.is_none()
    }

    fn build_part(machine: &Machine, partition: &Partition, own: u8) -> Self {
        Self::with(machine, Some((partition, own)))
    }

    fn outgoing(&mut self, to: usize) -> &mut Mail {
        self.bag(to)
    }

    fn incoming(&mut self, from: usize, mail: &mut Mail, cx: &mut Cx<'_>) {
        self.open_mail(from, mail, cx);
    }

    fn start(&mut self, cx: &mut Cx<'_>) {
        if self.is_large {
            cx.queue.enable_prefetch();
        }
        if self.faults.is_some() {
            self.schedule_changes(cx);
        }
    }

    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        self.command(id, msg, cx);
    }

    const PRECOMPUTES_READY: bool = true;

    fn ready(&mut self, src: NicId, bytes: u64, at: Time) -> Time {
        let ready = self.ready_at(src, Origin::Nic, bytes, bytes, at);
        self.nics[src].ready = ready;
        ready
    }

    fn leave(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_>) {
        let transit = self.begin(id, msg, cx);
        self.set_out(transit, cx);
    }

    #[inline(always)]
    fn handle(&mut self, ev: PacketEvent, cx: &mut Cx<'_>) {
        match ev {
            PacketEvent::Head { packet, link } => self.arrive(packet, link, cx),
            PacketEvent::Credit { link, vc } => self.credit(link, vc, cx),
            PacketEvent::Home { link, vc, cells } => self.come_home(Hop { link, vc }, cells, cx),
            PacketEvent::Free { link } => {
                self.wires[link].armed = false;
                self.serve(link, cx);
            }
            PacketEvent::Ready { transit, .. } => self.send_off(transit, cx),
            PacketEvent::Allowed { link } => self.allow(link, cx),
            PacketEvent::Ack { nic, vnet } => self.acknowledge(nic, vnet, cx),
            PacketEvent::Host { nic } => self.serve_host(nic, cx),
            PacketEvent::Respond { nic, packet } => self.owe(packet, nic, cx),
            PacketEvent::Lost { nic, lost } => self.time_out(nic, lost, cx),
            PacketEvent::Change { nth, .. } => self.change(nth, cx),
            PacketEvent::Order { link, word } => self.heed(link, word, cx),
            PacketEvent::Return { nic, word } => self.handed_back(nic, word, cx),
        }
    }

    #[inline(always)]
    fn dispatch(&mut self, what: EventCode, cx: &mut Cx<'_>) {
        // Most are heads; the others are told apart elsewhere, or a processor would have to guess
        // among all of them each time.
        if what.kind() == kind::HEAD {
            self.arrive(PacketId(what.arg()), LinkId(what.source()), cx);
        } else {
            self.take_up_other(what, cx);
        }
    }

    #[inline]
    fn prefetch_next(&self, queue: &Queue, _: &Machine) -> Option<MsgId> {
        if self.is_large { None } else { self.glance(queue) }
    }

    #[inline]
    fn prefetch_block(
        &mut self,
        block: &[Item; PREFETCH_BLOCK],
        machine: &Machine,
        tell: impl FnMut(MsgId),
    ) {
        if self.is_large {
            self.fetch(block, machine, tell);
        }
    }

    fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.failure_of(id)
    }

    fn report(&self, counters: &mut Counters) {
        self.report_links(counters);
        for (nic, state) in self.nics.iter() {
            // An injection link is numbered as its NIC.
            let requests = self.wires[LinkId(nic.0)].packets - state.responses;
            if requests > 0 {
                counters.nic(nic).requests += requests;
            }
        }
        self.shares.report(counters);
        counters.congestion = self.congestion.counts;
    }

    fn bytes(&self) -> usize {
        self.held()
    }

    fn assert_quiet(&self, machine: &Machine) {
        self.check_quiet(machine);
    }
}

impl PacketNetwork {
    #[inline(never)]
    fn take_up_other(&mut self, what: EventCode, cx: &mut Cx<'_>) {
        self.handle(PacketEvent::unpack(what.kind(), what.source(), what.arg()), cx);
    }

    /// The whole network, or one shard of it.
    fn with(machine: &Machine, part: Option<(&Partition, u8)>) -> Self {
        let n_nics = machine.n_nics() as usize;
        let (wires, channels, rooms, classes) = link::columns(machine, part);
        let params = machine.nic.clone();
        let shares = Shares::new(machine, classes.all());
        let is_plain = shares.is_off() && machine.faults.is_none();
        let faults = Faulty::new(machine, wires.iter().map(|(_, wire)| wire.class));
        // Beyond these guesses the arenas grow, while a run warms up. What is not used is no
        // memory.
        let mut net = PacketNetwork {
            n_vcs: machine.n_vcs,
            layout: link::Layout::new(machine),
            responses_from: if params.response > 0 { responses::VNET } else { u8::MAX },
            takes_at_once: params.host_gap == Gap::ZERO && params.host_gap_one_way == Gap::ZERO,
            promises: link::may_promise(machine),
            is_large: size_of_val(&wires.raw[..]) + size_of_val(&channels[..]) > ahead::CACHED,
            shares,
            is_plain,
            params,
            classes,
            stalls: IndexVec::zeros(wires.len()),
            wires,
            reports: Reports::new(machine),
            channels,
            rooms,
            nics: IndexVec::filled(Nic::IDLE, n_nics),
            lanes: Lanes::with_capacity(n_nics),
            turns: 0,
            arbitration: machine.arbitration,
            dues: Slab::with_capacity(n_nics),
            packets: Slab::with_capacity(8 * n_nics),
            transits: Slab::with_capacity(n_nics),
            arrivals: Slab::with_capacity(8 * n_nics),
            congestion: Congestion::new(machine),
            flows: Flows::new(machine, part),
            ahead: Ahead::new(machine),
            own: part.map_or(0, |(_, own)| own),
            shards: part.map(|(partition, _)| Shards::new(partition.clone())),
            faults,
        };
        net.begin_faulty(machine);
        net
    }

    /// The head of `packet` stands at the far end of `link`.
    #[inline(always)]
    fn arrive(&mut self, packet: PacketId, link: LinkId, cx: &mut Cx<'_>) {
        let p = &self.packets[packet];
        if p.at.0 == NONE {
            // Ejection links follow the injection links, each numbered as its NIC.
            return self.receive(packet, NicId(link.0 - self.nics.len() as u32), cx);
        }
        if self.faults.is_some() {
            return self.decide_around(packet, cx);
        }
        if p.marks & mark::ORDERED != 0 {
            return self.arrive_in_order(packet, cx);
        }
        let (route, hop) = self.decide(p, p.draw, cx);
        self.request(packet, route, self.on(p.vnet, hop), cx);
    }

    /// Where a packet goes from the switch it stands at, as its policy has it.
    #[inline(always)]
    fn decide(&self, p: &Packet, routing_draw: u64, cx: &Cx<'_>) -> (Route, Hop) {
        let only = self.foretold(p);
        debug_assert_eq!(only, cx.machine.single_path_hop(p.at, p.dst, p.route), "it was foretold");
        if let Some(only) = only {
            return only;
        }
        let Packet { mut route, dst, at, vnet, .. } = *p;
        let loads = Loads { net: self, now: cx.now, vc: vnet * self.n_vcs + route.class };
        let hop = cx.machine.next_hop(at, dst, &mut route, routing_draw, &loads);
        (route, hop)
    }

    /// Schedules the decision about `link` for when it is free. Called only if somebody waits.
    #[inline]
    fn arm(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let wire = &mut self.wires[link];
        if !wire.armed {
            wire.armed = true;
            cx.at(wire.free_at, Phase::Decide, PacketEvent::Free { link });
        }
    }
}
