//! Packets in the network, and the ids of records that packets, events and lists refer to.

use base::{Slab, Time};
use machine::{Hop, LinkId, NicId, NicParams, Route, SwitchId};
use net::Message;

base::ids! {
    /// A packet in the network.
    PacketId,
    /// A cache line of pending acknowledgements.
    AckLineId,
    /// A message at its sender, until all its packets have been made.
    TransitId,
    /// A message at its receiver, until all its packets have arrived.
    ArrivalId,
}

/// "No packet, queue or message" in an intrusive list.
pub(crate) const NONE: u32 = u32::MAX;

/// No event is pending.
pub(crate) const NEVER: Time = Time(u64::MAX);

/// A packet in the network. One cache line, touched once per hop.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Packet {
    /// When the tail arrives at the far end of `input`, the last link that the head entered.
    pub tail: Time,
    /// When the head left the NIC; defines the age.
    pub born: Time,
    /// Random draw for its route. In the lower half, an ordered packet has the key of its flow.
    pub draw: u64,
    pub route: Route,
    pub arrival: ArrivalId,
    pub dst: NicId,
    /// Wire bytes.
    pub bytes: u16,
    /// Sum of the latencies of all links so far, ps; the acknowledgement takes as long. That of a
    /// response contains the links of its request.
    pub traveled: u32,
    /// The link it arrived by, whose far-end buffer it occupies.
    pub input: LinkId,
    /// Next packet in its virtual output queue or in the receiver's queue. In transit to a switch:
    /// the output link there, if the packet has no choice any more (`precomputed_hop`).
    pub next: u32,
    /// The switch it is at or in transit to; none for a NIC.
    pub at: SwitchId,
    /// Cells of the buffer that it occupies.
    pub cells: u16,
    pub input_type: u8,
    pub input_vc: u8,
    /// Virtual network.
    pub vnet: u8,
    /// Rare properties: bits of `mark`.
    pub marks: u8,
}
const _: () = assert!(size_of::<Packet>() == 64);

impl Packet {
    /// The hop by which it arrived.
    #[inline]
    pub fn input_hop(&self) -> Hop {
        Hop { link: self.input, vc: self.input_vc }
    }

    /// The key of its flow, if it is ordered.
    #[inline]
    pub fn flow(&self) -> Option<u32> {
        (self.marks & mark::ORDERED != 0).then_some(self.draw as u32)
    }

    /// Random draw for its route and its faults, without the number of its flow.
    #[inline]
    pub fn routing_draw(&self) -> u64 {
        match self.flow() {
            None => self.draw,
            Some(_) => Message::draw_in_order(self.draw),
        }
    }
}

/// All packets in the network.
pub(crate) type Packets = Slab<PacketId, Packet>;

/// Bits of a packet's marks.
pub(crate) mod mark {
    /// Sent on an endpoint credit: its receiver is congested.
    pub const ENDPOINT_CREDIT: u8 = 1;
    /// Packets of its flow must not overtake it.
    pub const ORDERED: u8 = 2;
    /// It chooses the path of its flow.
    pub const LEADS: u8 = 4;
}

/// The virtual network of responses, on machines whose NICs send them.
pub(crate) const RESPONSE_VNET: u8 = 1;

/// Whether packets of `vnet` are responses.
#[inline]
pub(crate) fn is_response(vnet: u8, nic: &NicParams) -> bool {
    vnet >= RESPONSE_VNET && nic.response > 0
}
