//! Layer 4: packet-level network with virtual cut-through switches, finite input buffers, batched
//! credits, and NICs with windows. Model: docs/models/packet.md; deadlock freedom:
//! docs/models/deadlock.md.
//!
//! This crate decides when a packet may move. `Machine::next_hop` decides where to.
//!
//! Design: a packet is represented by its head. A link is occupied from the entry of the head until
//! the tail has left, a buffer from the grant until the tail has left it. Both ends are known when
//! the grant is made, so tails need no events.

mod classes;
mod congestion;
mod credit;
mod faults;
mod flows;
mod idle_check;
mod link;
mod loads;
mod next_hop;
mod nic;
mod pending_acks;
mod prefetch;
mod responses;
mod shard;
mod throttle;
mod voq;

pub use shard::Mail;

use base::{Gap, IndexVec, Slab, Span, Time};
use des::{EventCode, Item, PREFETCH_BLOCK, Phase, Queue};
use machine::{Arbitration, Hop, LinkId, Machine, NicId, NicParams, Route, Routing, SwitchId};
use net::{Counters, Cx, Failure, Message, MsgId, NetEvent, NetworkModel, Origin, Partition};

use classes::Shares;
use congestion::Congestion;
use credit::{Channel, LinkTypes};
use faults::FaultState;
use flows::Flows;
use link::OutputPort;
use loads::{Loads, Reports};
use nic::Nic;
use pending_acks::AckLine;
use prefetch::Prefetcher;
use shard::Shards;
use voq::VoqStore;

base::ids! {
    /// A packet in the network.
    PacketId,
    /// A cache line of pending acknowledgements.
    AckLineId,
    /// A message at its sender, until all its packets have been made.
    TransitId,
    /// A message at its receiver, until all its packets have arrived.
    ArrivalId,
    /// A lost packet, until its NIC detects the loss.
    LostId,
}

/// "No packet, queue or message" in an intrusive list.
const NONE: u32 = u32::MAX;

/// No event is pending.
const NEVER: Time = Time(u64::MAX);

/// Events of a packet network.
#[derive(Clone, Copy, Debug)]
pub enum PacketEvent {
    /// The head of `packet` is at the far end of `link`, ready for a routing decision.
    Head { packet: PacketId, link: LinkId },
    /// A credit for `link` has returned, and a packet waits for it.
    Credit { link: LinkId, vc: u8 },
    /// A credit returns that was in transit for longer than the slots of its channel
    /// (`Channel::due`) cover. Either its packet left the buffer by a link more than four times
    /// slower than `link`, or the credit was computed long before its packet left the buffer.
    LateCredit { link: LinkId, vc: u8, cells: u16 },
    /// `link` is free and packets wait for it.
    Free { link: LinkId },
    /// The NIC has processed the command and fetched the data.
    Ready { nic: NicId, transit: TransitId },
    /// A waiting traffic class may use `link` again under its ceiling.
    Allowed { link: LinkId },
    /// An acknowledgement is back at `nic`, and virtual network `vnet` waits for it.
    Ack { nic: NicId, vnet: u8 },
    /// The host interface of `nic` is free, and a packet or message waits for it.
    Host { nic: NicId },
    /// The response `packet` is ready to leave `nic`, which has taken the request.
    Respond { nic: NicId, packet: PacketId },
    /// The retransmission timer of a lost packet expires at `nic`.
    Lost { nic: NicId, lost: LostId },
    /// The `nth` change of the fault schedule applies to `link`.
    Change { link: LinkId, nth: u32 },
    /// A congestion notice about ejection link `link` has reached a sender.
    Notice { link: LinkId, word: u32 },
    /// An endpoint credit (of congestion management, not of a buffer) that `nic` could not use has
    /// returned to the switch that gave it.
    EndpointCredit { nic: NicId, word: u32 },
}

/// Event codes in the queue.
mod kind {
    pub const HEAD: u8 = 0;
    pub const CREDIT: u8 = 1;
    pub const FREE: u8 = 2;
    pub const READY: u8 = net::READY;
    pub const ACK: u8 = 4;
    pub const HOST: u8 = 5;
    pub const LATE_CREDIT: u8 = 6;
    pub const RESPOND: u8 = 7;
    pub const ALLOWED: u8 = 8;
    pub const LOST: u8 = 9;
    pub const CHANGE: u8 = 10;
    pub const NOTICE: u8 = 11;
    pub const ENDPOINT_CREDIT: u8 = 12;
}

impl NetEvent for PacketEvent {
    #[inline(always)]
    fn pack(self) -> (u8, u32, u32) {
        match self {
            PacketEvent::Head { packet, link } => (kind::HEAD, link.0, packet.0),
            PacketEvent::Credit { link, vc } => (kind::CREDIT, link.0, vc.into()),
            PacketEvent::LateCredit { link, vc, cells } => {
                (kind::LATE_CREDIT, link.0, u32::from(vc) | u32::from(cells) << 8)
            }
            PacketEvent::Free { link } => (kind::FREE, link.0, 0),
            PacketEvent::Allowed { link } => (kind::ALLOWED, link.0, 0),
            PacketEvent::Ready { nic, transit } => (kind::READY, nic.0, transit.0),
            PacketEvent::Ack { nic, vnet } => (kind::ACK, nic.0, vnet.into()),
            PacketEvent::Host { nic } => (kind::HOST, nic.0, 0),
            PacketEvent::Respond { nic, packet } => (kind::RESPOND, nic.0, packet.0),
            PacketEvent::Lost { nic, lost } => (kind::LOST, nic.0, lost.0),
            PacketEvent::Change { link, nth } => (kind::CHANGE, link.0, nth),
            PacketEvent::Notice { link, word } => (kind::NOTICE, link.0, word),
            PacketEvent::EndpointCredit { nic, word } => (kind::ENDPOINT_CREDIT, nic.0, word),
        }
    }
    #[inline]
    fn unpack(kind: u8, source: u32, arg: u32) -> Self {
        let (link, nic) = (LinkId(source), NicId(source));
        match kind {
            kind::HEAD => PacketEvent::Head { packet: PacketId(arg), link },
            kind::CREDIT => PacketEvent::Credit { link, vc: arg as u8 },
            kind::LATE_CREDIT => {
                PacketEvent::LateCredit { link, vc: arg as u8, cells: (arg >> 8) as u16 }
            }
            kind::FREE => PacketEvent::Free { link },
            kind::ALLOWED => PacketEvent::Allowed { link },
            kind::READY => PacketEvent::Ready { nic, transit: TransitId(arg) },
            kind::ACK => PacketEvent::Ack { nic, vnet: arg as u8 },
            kind::HOST => PacketEvent::Host { nic },
            kind::RESPOND => PacketEvent::Respond { nic, packet: PacketId(arg) },
            kind::LOST => PacketEvent::Lost { nic, lost: LostId(arg) },
            kind::CHANGE => PacketEvent::Change { link, nth: arg },
            kind::NOTICE => PacketEvent::Notice { link, word: arg },
            kind::ENDPOINT_CREDIT => PacketEvent::EndpointCredit { nic, word: arg },
            _ => unreachable!("no such event code"),
        }
    }
}

/// A packet in the network. One cache line, touched once per hop.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Packet {
    /// When the tail arrives at the far end of `input`, the last link that the head entered.
    tail: Time,
    /// When the head left the NIC; defines the age.
    born: Time,
    /// Random draw for its route. In the lower half, an ordered packet has the key of its flow.
    draw: u64,
    route: Route,
    arrival: ArrivalId,
    dst: NicId,
    /// Wire bytes.
    bytes: u16,
    /// Sum of the latencies of all links so far, ps; the acknowledgement takes as long.
    traveled: u32,
    /// The link it arrived by, whose far-end buffer it occupies.
    input: LinkId,
    /// Next packet in its virtual output queue or in the receiver's queue. In transit to a switch:
    /// the output link there, if the packet has no choice any more (`precomputed_hop`).
    next: u32,
    /// The switch it is at or in transit to; none for a NIC.
    at: SwitchId,
    /// Cells of the buffer that it occupies.
    cells: u16,
    input_type: u8,
    input_vc: u8,
    /// Virtual network.
    vnet: u8,
    /// Rare properties: bits of `mark`.
    marks: u8,
}
const _: () = assert!(size_of::<Packet>() == 64);

impl Packet {
    /// The hop by which it arrived.
    #[inline]
    fn input_hop(&self) -> Hop {
        Hop { link: self.input, vc: self.input_vc }
    }
}

/// Bits of a packet's marks.
mod mark {
    /// Sent on an endpoint credit: its receiver is congested.
    pub const ENDPOINT_CREDIT: u8 = 1;
    /// Packets of its flow must not overtake it.
    pub const ORDERED: u8 = 2;
    /// It chooses the path of its flow.
    pub const LEADS: u8 = 4;
}

/// A message at its sender, until its last packet has been made.
#[derive(Clone, Copy, Debug)]
struct Transit {
    draw: u64,
    /// Payload not yet packetized, bytes.
    unsent: u64,
    arrival: ArrivalId,
    src: NicId,
    dst: NicId,
    /// Packets made so far, and in total.
    made: u32,
    packets: u32,
    /// Next message in the NIC's round-robin list.
    next: u32,
    vnet: u8,
    /// The throttled destination whose endpoint credit allows it to send one packet now, if any.
    throttle: u32,
    /// Its flow; none unless the message is ordered.
    flow: u32,
}

/// A message at its receiver, until its last packet has arrived. If completion is reported at the
/// initiator, a second record there counts the responses.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// When the last byte so far had passed the host interface; for full packets plus
    /// `staging_lead`.
    done: Time,
    /// From arrival of the last tail to the visible completion.
    completion_delay: Span,
    /// How much longer a full packet takes into memory than the last one.
    staging_lead: Span,
    id: MsgId,
    src: NicId,
    /// Time the message occupies the receiver's host interface in addition to its bytes, ps.
    handling: u32,
    /// Packets that have not arrived yet.
    missing: u32,
    /// Payload that responses still have to return, and the record at the initiator that counts
    /// them; none if completion is reported here.
    response_bytes: u64,
    initiator: ArrivalId,
}

/// State of a packet network: arrays by link, by link and virtual channel, and by NIC.
pub struct PacketNetwork {
    n_vcs: u8,
    layout: link::ChannelLayout,
    /// First virtual network that carries responses.
    responses_from: u8,
    params: NicParams,
    /// The host interfaces of NICs have no limit.
    host_is_unlimited: bool,
    /// No traffic classes share links, and there is no fault schedule.
    is_plain: bool,
    /// The state exceeds the processor's caches, so prefetching pays off.
    is_large: bool,
    /// Busy links may be reserved by a packet that waits alone (`can_reserve`).
    reserves: bool,
    link_types: LinkTypes,
    ports: IndexVec<LinkId, OutputPort>,
    /// By link: start of the current stall, if any, and the sum of all previous ones.
    stalls: IndexVec<LinkId, (Time, Span)>,
    reports: Reports,
    /// By link and channel; see `PacketNetwork::channel`.
    channels: Vec<Channel>,
    /// Credit of each channel that its sender can use, in cells, as of the epoch of its last
    /// `Channel::collect`.
    credits: Vec<u16>,
    nics: IndexVec<NicId, Nic>,
    shares: Shares,
    voqs: VoqStore,
    /// Arbitration keys assigned so far, for round robin.
    arbitrations: u64,
    arbitration: Arbitration,
    ack_lines: Slab<AckLineId, AckLine>,
    packets: Slab<PacketId, Packet>,
    transits: Slab<TransitId, Transit>,
    arrivals: Slab<ArrivalId, Arrival>,
    /// Which shard this is, and its state if there are several.
    own: u8,
    shards: Option<Box<Shards>>,
    /// Additional state of a machine with a fault schedule.
    faults: Option<Box<FaultState>>,
    congestion: Congestion,
    flows: Flows,
    prefetcher: Prefetcher,
}

impl NetworkModel for PacketNetwork {
    type Event = PacketEvent;
    type Mail = Mail;
    const COUNTS_RESPONSES: bool = true;

    fn build(machine: &Machine) -> Self {
        Self::with(machine, None)
    }

    fn can_be_sharded(machine: &Machine) -> bool {
        // `ugal-g` uses loads of links all over the machine, and timers of lost packets cross no
        // cable.
        !matches!(machine.routing, Routing::UgalG { .. }) && machine.faults.is_none()
    }

    fn build_part(machine: &Machine, partition: &Partition, own: u8) -> Self {
        Self::with(machine, Some((partition, own)))
    }

    fn outgoing(&mut self, to: usize) -> &mut Mail {
        self.mailbox(to)
    }

    fn incoming(&mut self, from: usize, mail: &mut Mail, cx: &mut Cx<'_>) {
        self.receive_mail(from, mail, cx);
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
        let transit = self.open_message(id, msg, cx);
        self.start(transit, cx);
    }

    #[inline(always)]
    fn handle(&mut self, ev: PacketEvent, cx: &mut Cx<'_>) {
        match ev {
            PacketEvent::Head { packet, link } => self.arrive(packet, link, cx),
            PacketEvent::Credit { link, vc } => self.credit(link, vc, cx),
            PacketEvent::LateCredit { link, vc, cells } => {
                self.late_credit(Hop { link, vc }, cells, cx)
            }
            PacketEvent::Free { link } => {
                self.ports[link].armed = false;
                self.serve(link, cx);
            }
            PacketEvent::Ready { transit, .. } => self.enqueue_message(transit, cx),
            PacketEvent::Allowed { link } => self.allow(link, cx),
            PacketEvent::Ack { nic, vnet } => self.acknowledge(nic, vnet, cx),
            PacketEvent::Host { nic } => self.serve_host(nic, cx),
            PacketEvent::Respond { nic, packet } => self.enqueue_response(packet, nic, cx),
            PacketEvent::Lost { nic, lost } => self.time_out(nic, lost, cx),
            PacketEvent::Change { nth, .. } => self.change(nth, cx),
            PacketEvent::Notice { link, word } => self.receive_notice(link, word, cx),
            PacketEvent::EndpointCredit { nic, word } => self.settle_endpoint_credit(nic, word, cx),
        }
    }

    #[inline(always)]
    fn dispatch(&mut self, code: EventCode, cx: &mut Cx<'_>) {
        // Most events are heads. The others are distinguished elsewhere, which avoids one
        // unpredictable branch over all codes.
        if code.kind() == kind::HEAD {
            self.arrive(PacketId(code.arg()), LinkId(code.source()), cx);
        } else {
            self.dispatch_other(code, cx);
        }
    }

    #[inline]
    fn prefetch_next(&self, queue: &Queue, _: &Machine) -> Option<MsgId> {
        if self.is_large { None } else { self.prefetch_small(queue) }
    }

    #[inline]
    fn prefetch_block(
        &mut self,
        block: &[Item; PREFETCH_BLOCK],
        machine: &Machine,
        tell: impl FnMut(MsgId),
    ) {
        if self.is_large {
            self.prefetch_stages(block, machine, tell);
        }
    }

    fn failure(&mut self, id: MsgId) -> Option<Failure> {
        self.failure_of(id)
    }

    fn report(&self, counters: &mut Counters) {
        self.report_links(counters);
        for (nic, state) in self.nics.iter() {
            // An injection link has the number of its NIC.
            let requests = self.ports[LinkId(nic.0)].packets - state.responses;
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

    fn assert_idle(&self, machine: &Machine) {
        self.check_idle(machine);
    }
}

impl PacketNetwork {
    #[inline(never)]
    fn dispatch_other(&mut self, code: EventCode, cx: &mut Cx<'_>) {
        self.handle(PacketEvent::unpack(code.kind(), code.source(), code.arg()), cx);
    }

    /// The whole network, or one shard of it.
    fn with(machine: &Machine, part: Option<(&Partition, u8)>) -> Self {
        let n_nics = machine.n_nics() as usize;
        let (ports, channels, credits, link_types) = link::link_arrays(machine, part);
        let params = machine.nic.clone();
        let shares = Shares::new(machine, link_types.all());
        let is_plain = shares.is_off() && machine.faults.is_none();
        let faults = FaultState::new(machine, ports.iter().map(|(_, port)| port.link_type));
        // Initial capacities are guesses; arenas grow during warm-up. Unused capacity is not backed
        // by memory.
        let mut net = PacketNetwork {
            n_vcs: machine.n_vcs,
            layout: link::ChannelLayout::new(machine),
            responses_from: if params.response > 0 { responses::VNET } else { u8::MAX },
            host_is_unlimited: params.host_gap == Gap::ZERO && params.host_gap_one_way == Gap::ZERO,
            reserves: link::may_reserve(machine),
            is_large: size_of_val(&ports.raw[..]) + size_of_val(&channels[..])
                > prefetch::SMALL_BYTES,
            shares,
            is_plain,
            params,
            link_types,
            stalls: IndexVec::zeros(ports.len()),
            ports,
            reports: Reports::new(machine),
            channels,
            credits,
            nics: IndexVec::filled(Nic::IDLE, n_nics),
            voqs: VoqStore::with_capacity(n_nics),
            arbitrations: 0,
            arbitration: machine.arbitration,
            ack_lines: Slab::with_capacity(n_nics),
            packets: Slab::with_capacity(8 * n_nics),
            transits: Slab::with_capacity(n_nics),
            arrivals: Slab::with_capacity(8 * n_nics),
            congestion: Congestion::new(machine),
            flows: Flows::new(machine, part),
            prefetcher: Prefetcher::new(machine),
            own: part.map_or(0, |(_, own)| own),
            shards: part.map(|(partition, _)| Shards::new(partition.clone())),
            faults,
        };
        net.apply_initial_faults(machine);
        net
    }

    /// The head of `packet` is at the far end of `link`.
    #[inline(always)]
    fn arrive(&mut self, packet: PacketId, link: LinkId, cx: &mut Cx<'_>) {
        let p = &self.packets[packet];
        if p.at.0 == NONE {
            // Ejection links follow the injection links, in the order of their NICs.
            return self.receive(packet, NicId(link.0 - self.nics.len() as u32), cx);
        }
        if self.faults.is_some() {
            return self.route_around_faults(packet, cx);
        }
        if p.marks & mark::ORDERED != 0 {
            return self.arrive_in_order(packet, cx);
        }
        let (route, hop) = self.decide(p, p.draw, cx);
        self.request(packet, route, self.on_vnet(p.vnet, hop), cx);
    }

    /// The next hop of a packet from its current switch, by its routing policy.
    #[inline(always)]
    fn decide(&self, p: &Packet, routing_draw: u64, cx: &Cx<'_>) -> (Route, Hop) {
        let only = self.precomputed_hop(p);
        debug_assert_eq!(
            only,
            cx.machine.single_path_hop(p.at, p.dst, p.route),
            "the precomputed hop is right"
        );
        if let Some(only) = only {
            return only;
        }
        let Packet { mut route, dst, at, vnet, .. } = *p;
        let loads = Loads { net: self, now: cx.now, vc: vnet * self.n_vcs + route.class };
        let hop = cx.machine.next_hop(at, dst, &mut route, routing_draw, &loads);
        (route, hop)
    }

    /// Schedules the arbitration of `link` for the time when it is free. Called only if packets
    /// wait.
    #[inline]
    fn arm(&mut self, link: LinkId, cx: &mut Cx<'_>) {
        let port = &mut self.ports[link];
        if !port.armed {
            port.armed = true;
            cx.at(port.free_at, Phase::Decide, PacketEvent::Free { link });
        }
    }
}
