//! Floor 4: the network packet by packet: virtual cut-through switches with finite input buffers,
//! credits by the byte, and NICs with windows. The model is argued in docs/models/packet.md, its
//! freedom from deadlock in docs/models/deadlock.md.
//!
//! Knows when a packet may move. Refuses to know where to: every turn is `Machine::next_hop`'s.
//!
//! The one idea: a packet is its head. A link is held from the moment a head enters it until the
//! tail has left, a buffer from the grant until the tail has gone on; both ends are known when the
//! grant is made, so no tail is ever an event.

mod due;
mod link;
mod loads;
mod nic;
mod quiet;

use base::{IndexVec, Slab, Span, Time};
use des::Phase;
use machine::{LinkId, Machine, NicId, NicParams, Route};
use net::{Cx, Message, MsgId, NetworkModel};

use due::Due;
use link::{Channel, Lane, Wire};
use loads::{Loads, Reports};
use nic::Nic;

base::ids! {
    /// A packet in the network.
    PacketId,
    /// Packets that wait for one link and virtual channel and came in by the same link.
    LaneId,
    /// A credit or an acknowledgement on its way home.
    DueId,
    /// A message between its command and its delivery.
    TransitId,
}

/// "No such packet, lane or message" in an intrusive list.
const NONE: u32 = u32::MAX;

/// No event is due.
const NEVER: Time = Time(u64::MAX);

/// What happens in a packet network.
///
/// With a tag of a whole word what follows it is copied in whole words. With a tag of a byte the
/// compiler moved it in overlapping halves, and reading those back cost 8 % of a run.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum PacketEvent {
    /// The head of `packet` stands at the far end of `link`, ready for a decision.
    Head { packet: PacketId, link: LinkId },
    /// A credit for the buffer at the far end of `link` is home, and somebody waits for it.
    Credit { link: LinkId, vc: u8 },
    /// `link` is free again and somebody waits for it.
    Free { link: LinkId },
    /// The NIC has understood the command and fetched the data.
    Ready { transit: TransitId },
    /// An acknowledgement is back at `nic`, which waits for it.
    Ack { nic: NicId },
    /// The host interface of `nic` is free again and somebody waits for it.
    Host { nic: NicId },
    /// The receiver sees the message.
    Deliver { msg: MsgId },
}
const _: () = assert!(size_of::<PacketEvent>() <= 12);

/// A packet in the network. One cache line: a hop touches a packet once.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Packet {
    /// When the tail stands where the head was last seen.
    tail: Time,
    /// When the head left the NIC: its age.
    born: Time,
    draw: u64,
    route: Route,
    transit: TransitId,
    dst: NicId,
    /// Wire bytes.
    bytes: u32,
    /// Sum of the latencies of the links so far, ps: the acknowledgement needs as long.
    traveled: u32,
    /// The link it came in by, whose far-end buffer it occupies.
    input: LinkId,
    /// Behind it in its lane, or in the receiver's queue.
    next: u32,
    input_vc: u8,
}
const _: () = assert!(size_of::<Packet>() == 64);

/// A message under way.
#[derive(Clone, Copy, Debug)]
struct Transit {
    draw: u64,
    /// Payload not yet given to packets.
    unsent: u64,
    /// When the last byte so far reached the receiver's memory.
    done: Time,
    id: MsgId,
    src: NicId,
    dst: NicId,
    /// From the last tail's arrival to what the receiver can see.
    seen_after: Span,
    /// Packets made so far.
    made: u32,
    /// Packets the receiver still lacks.
    missing: u32,
    /// Behind it in the sender's round.
    next: u32,
}

/// The state of a packet network: columns by link, by link and virtual channel, and by NIC.
pub struct PacketNetwork {
    n_vcs: u32,
    params: NicParams,
    wires: IndexVec<LinkId, Wire>,
    reports: Reports,
    /// `link * n_vcs + vc`.
    channels: Vec<Channel>,
    nics: IndexVec<NicId, Nic>,
    lanes: Slab<LaneId, Lane>,
    dues: Slab<DueId, Due>,
    packets: Slab<PacketId, Packet>,
    transits: Slab<TransitId, Transit>,
}

impl NetworkModel for PacketNetwork {
    type Event = PacketEvent;

    fn build(machine: &Machine) -> Self {
        let n_nics = machine.n_nics() as usize;
        let (wires, channels) = link::columns(machine);
        // Beyond these guesses the arenas grow, once, while a run warms up.
        PacketNetwork {
            n_vcs: u32::from(machine.n_vcs),
            params: machine.nic.clone(),
            wires,
            reports: Reports::new(machine),
            channels,
            nics: IndexVec::filled(Nic::IDLE, n_nics),
            lanes: Slab::with_capacity(n_nics),
            dues: Slab::with_capacity(4 * n_nics),
            packets: Slab::with_capacity(4 * n_nics),
            transits: Slab::with_capacity(2 * n_nics),
        }
    }

    fn inject(&mut self, id: MsgId, msg: Message, cx: &mut Cx<'_, PacketEvent>) {
        self.command(id, msg, cx);
    }

    #[inline]
    fn handle(&mut self, ev: PacketEvent, cx: &mut Cx<'_, PacketEvent>) {
        match ev {
            PacketEvent::Head { packet, link } => self.arrive(packet, link, cx),
            PacketEvent::Credit { link, vc } => self.credit(link, vc, cx),
            PacketEvent::Free { link } => {
                self.wires[link].armed = false;
                self.serve(link, cx);
            }
            PacketEvent::Ready { transit } => self.ready(transit, cx),
            PacketEvent::Ack { nic } => self.acknowledge(nic, cx),
            PacketEvent::Host { nic } => self.serve_host(nic, cx),
            PacketEvent::Deliver { msg } => cx.delivered.push(msg),
        }
    }

    fn bytes(&self) -> usize {
        self.held()
    }

    fn assert_quiet(&self, machine: &Machine) {
        self.check_quiet(machine);
    }
}

impl PacketNetwork {
    /// The head of `packet` stands at the far end of `link`.
    #[inline]
    fn arrive(&mut self, packet: PacketId, link: LinkId, cx: &mut Cx<'_, PacketEvent>) {
        let at = self.wires[link].to;
        if at.0 == NONE {
            // Ejection links follow the injection links, each numbered as its NIC.
            return self.receive(packet, link, NicId(link.0 - self.nics.len() as u32), cx);
        }
        let Packet { mut route, dst, draw, .. } = self.packets[packet];
        let loads = Loads { net: self, now: cx.now };
        let hop = cx.machine.next_hop(at, dst, &mut route, draw, &loads);
        let p = &mut self.packets[packet];
        p.route = route;
        p.input = link;
        self.request(packet, hop, cx);
    }

    /// Schedules the decision about `link` for when it is free. Called only if somebody waits.
    #[inline]
    fn arm(&mut self, link: LinkId, cx: &mut Cx<'_, PacketEvent>) {
        let wire = &mut self.wires[link];
        if !wire.armed {
            wire.armed = true;
            cx.at(wire.free_at, Phase::Decide, link, PacketEvent::Free { link });
        }
    }
}
