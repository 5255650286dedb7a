//! Shards: each has the switches of some units of the topology (on a dragonfly, groups) and their
//! NICs, with an event queue of its own. Shards interact only by links between units, never sooner
//! than the latency of the shortest of them. They can advance independently for that time.
//!
//! Nothing is decided here. A packet, credit or acknowledgement for another shard goes to the
//! mailbox of that shard with its time of arrival, and is processed there as if both ends were in
//! one shard.

use base::Time;
use machine::{Hop, LinkId, NicId, SwitchId};
use net::{MsgId, Partition};

use crate::credit::Buffer;
use crate::message::Arrival;
use crate::packet::{ArrivalId, Packet};

/// Mail from one shard to another at the end of a time window, one column per kind.
#[derive(Default)]
pub struct Mail {
    pub(crate) heads: Vec<(Time, LinkId, Packet)>,
    pub(crate) credits: Vec<(Time, Hop, u16)>,
    pub(crate) acks: Vec<(Time, NicId, u8)>,
    /// Acknowledgement times for ordered flows, by flow key.
    pub(crate) flows: Vec<(Time, u32)>,
    /// Congestion notices, and returned endpoint credits (`credits` has those of buffers).
    pub(crate) notices: Vec<(Time, LinkId, u32)>,
    pub(crate) endpoint_credit_returns: Vec<(Time, NicId, u32)>,
    pub(crate) opened: Vec<(ArrivalId, Arrival)>,
    pub(crate) closed: Vec<ArrivalId>,
    pub(crate) delivered: Vec<(MsgId, Time)>,
}

/// Outgoing mail of a network that is one shard of several.
pub(crate) struct Mailboxes {
    own: u8,
    /// None if the network is not divided.
    shards: Option<Box<Outgoing>>,
}

struct Outgoing {
    partition: Partition,
    /// By shard.
    mailboxes: Vec<Mail>,
    /// Shards with mail since the last `take_addressees`, one bit each.
    addressees: u64,
}

impl Mailboxes {
    pub fn new(part: Option<(&Partition, u8)>) -> Mailboxes {
        let outgoing = |(partition, _): (&Partition, u8)| {
            let mailboxes = (0..partition.shards).map(|_| Mail::default()).collect();
            Box::new(Outgoing { partition: partition.clone(), mailboxes, addressees: 0 })
        };
        Mailboxes { own: part.map_or(0, |(_, own)| own), shards: part.map(outgoing) }
    }

    /// The number of this shard.
    pub fn own(&self) -> u8 {
        self.own
    }

    /// The shard of a switch, if it is another one.
    pub fn shard_of(&self, switch: SwitchId) -> Option<usize> {
        let to = self.shards.as_ref()?.partition.of[switch];
        (to != self.own).then_some(usize::from(to))
    }

    /// The mailbox for shard `to`, for its contents to be taken.
    pub fn outgoing(&mut self, to: usize) -> &mut Mail {
        &mut self.shards.as_mut().expect("only shards send mail").mailboxes[to]
    }

    /// Shards with mail since the last call, one bit each.
    pub fn take_addressees(&mut self) -> u64 {
        std::mem::take(&mut self.shards.as_mut().expect("only shards send mail").addressees)
    }

    /// The mailbox for shard `to`, for mail to be added.
    fn mailbox(&mut self, to: usize) -> &mut Mail {
        let shards = self.shards.as_mut().expect("only shards send mail");
        shards.addressees |= 1 << to;
        &mut shards.mailboxes[to]
    }

    /// The head of `packet` arrives at the far end of `link` at `then`.
    pub fn send_head(&mut self, to: usize, packet: Packet, link: LinkId, then: Time) {
        self.mailbox(to).heads.push((then, link, packet));
    }

    /// A credit arrives at `returns_at`.
    pub fn send_credit(&mut self, to: usize, buffer: Buffer, returns_at: Time) {
        let Buffer { hop, cells, .. } = buffer;
        self.mailbox(to).credits.push((returns_at, hop, cells));
    }

    /// A sender gets its acknowledgement at `ack_at`.
    pub fn send_ack(&mut self, to: usize, nic: NicId, vnet: u8, ack_at: Time) {
        self.mailbox(to).acks.push((ack_at, nic, vnet));
    }

    /// A packet of a flow will be acknowledged at `then`.
    pub fn send_flow_ack(&mut self, to: usize, flow_key: u32, then: Time) {
        self.mailbox(to).flows.push((then, flow_key));
    }

    /// A congestion notice about `link` reaches a sender at `then`.
    pub fn send_notice(&mut self, to: usize, link: LinkId, word: u32, then: Time) {
        self.mailbox(to).notices.push((then, link, word));
    }

    /// A returned endpoint credit arrives at `then`.
    pub fn send_endpoint_credit(&mut self, to: usize, nic: NicId, word: u32, then: Time) {
        self.mailbox(to).endpoint_credit_returns.push((then, nic, word));
    }

    /// A message of this shard has got `number` at its receiver.
    pub fn send_opened(&mut self, to: usize, number: ArrivalId, arrival: Arrival) {
        self.mailbox(to).opened.push((number, arrival));
    }

    /// The message `number` of shard `to` has arrived.
    pub fn send_closed(&mut self, to: usize, number: ArrivalId) {
        self.mailbox(to).closed.push(number);
    }

    /// The message is complete, and visible at `seen`.
    pub fn send_delivered(&mut self, to: usize, msg: MsgId, seen: Time) {
        self.mailbox(to).delivered.push((msg, seen));
    }

    pub fn held(&self) -> usize {
        let of_mail = |m: &Mail| m.heads.capacity() * size_of::<(Time, LinkId, Packet)>();
        self.shards.iter().flat_map(|shards| &shards.mailboxes).map(of_mail).sum()
    }
}
