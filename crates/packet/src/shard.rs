//! Shards: each has the switches of some groups and their NICs, with an event queue of its own.
//! Shards interact only by links between groups, never sooner than the latency of the shortest of
//! them. They can advance independently for that time.
//!
//! Nothing is decided here. A packet, credit or acknowledgement for another shard goes to the
//! mailbox of that shard with its time of arrival, and is processed there as if both ends were in
//! one shard.

use base::{Slab, Time};
use des::Phase;
use machine::{Hop, LinkId, Machine, NicId, SwitchId};
use net::{Cx, MsgId, Partition};

use crate::credit::Buffer;
use crate::{Arrival, ArrivalId, NONE, Packet, PacketEvent, PacketNetwork};

/// State of a network that is one shard of several.
pub(crate) struct Shards {
    pub partition: Partition,
    /// Outgoing mail, by shard.
    mailboxes: Vec<Mail>,
    /// By shard: numbers in use there for messages of this shard.
    lent_ids: Vec<Slab<ArrivalId, ()>>,
    /// By shard: its messages that arrive here.
    remote_arrivals: Vec<Vec<Arrival>>,
}

/// Mail from one shard to another at the end of a time window, one column per kind.
#[derive(Default)]
pub struct Mail {
    heads: Vec<(Time, LinkId, Packet)>,
    credits: Vec<(Time, Hop, u16)>,
    acks: Vec<(Time, NicId, u8)>,
    /// Acknowledgement times for ordered flows, by flow key.
    flows: Vec<(Time, u32)>,
    /// Congestion notices, and returned endpoint credits (`credits` has those of buffers).
    notices: Vec<(Time, LinkId, u32)>,
    endpoint_credit_returns: Vec<(Time, NicId, u32)>,
    opened: Vec<(ArrivalId, Arrival)>,
    closed: Vec<ArrivalId>,
    delivered: Vec<(MsgId, Time)>,
}

impl ArrivalId {
    const BITS: u32 = 26;

    /// The id that packets from another shard carry.
    fn as_remote(self, shard: usize) -> ArrivalId {
        assert!(self.0 >> Self::BITS == 0, "more than 2^26 messages between two shards");
        ArrivalId(self.0 | (shard as u32 + 1) << Self::BITS)
    }
    /// The shard of origin of a message, if it is another one, and its number there.
    #[inline]
    pub(crate) fn origin(self) -> Option<(usize, ArrivalId)> {
        let shard = self.0 >> Self::BITS;
        (shard != 0).then(|| (shard as usize - 1, ArrivalId(self.0 & ((1 << Self::BITS) - 1))))
    }
}

impl Shards {
    pub fn new(partition: Partition) -> Box<Shards> {
        let n = partition.shards;
        Box::new(Shards {
            partition,
            mailboxes: (0..n).map(|_| Mail::default()).collect(),
            lent_ids: (0..n).map(|_| Slab::with_capacity(0)).collect(),
            remote_arrivals: vec![Vec::new(); n],
        })
    }

    /// By shard: messages of this shard that have not arrived there.
    pub fn lent_ids(&self) -> impl Iterator<Item = usize> {
        self.lent_ids.iter().map(Slab::live)
    }

    pub fn bytes(&self) -> usize {
        let mailbox = |m: &Mail| m.heads.capacity() * size_of::<(Time, LinkId, Packet)>();
        self.mailboxes.iter().map(mailbox).sum::<usize>()
            + self.lent_ids.iter().map(Slab::bytes).sum::<usize>()
            + self
                .remote_arrivals
                .iter()
                .map(|g| g.capacity() * size_of::<Arrival>())
                .sum::<usize>()
    }
}

impl PacketNetwork {
    /// Creates the receiver's record of a message; returns the id that its packets carry.
    #[inline(always)]
    pub(crate) fn open(
        &mut self,
        arrival: impl FnOnce() -> Arrival,
        dst: NicId,
        machine: &Machine,
    ) -> ArrivalId {
        if self.shards.is_none() {
            return self.arrivals.insert_with(arrival);
        }
        self.open_in_shards(arrival(), machine.nic_switch[dst])
    }

    #[inline(never)]
    fn open_in_shards(&mut self, arrival: Arrival, dst: SwitchId) -> ArrivalId {
        let shards = self.shards.as_mut().expect("called only with shards");
        let to = shards.partition.of[dst];
        if to == self.own {
            return self.arrivals.insert(arrival);
        }
        let number = shards.lent_ids[usize::from(to)].insert(());
        let id = number.as_remote(usize::from(self.own));
        shards.mailboxes[usize::from(to)].opened.push((number, arrival));
        id
    }

    /// The receiver's record of a message.
    #[inline]
    pub(crate) fn arrival(&mut self, id: ArrivalId) -> &mut Arrival {
        match id.origin() {
            None => &mut self.arrivals[id],
            Some((from, number)) => {
                &mut self.shards.as_mut().expect("remote arrivals come from shards").remote_arrivals
                    [from][number.0 as usize]
            }
        }
    }

    /// The message is complete, and visible at `seen`.
    #[inline]
    pub(crate) fn close(&mut self, id: ArrivalId, msg: MsgId, seen: Time, cx: &mut Cx<'_>) {
        match id.origin() {
            None => {
                self.arrivals.free(id);
                cx.delivered.push((msg, seen));
            }
            Some((from, number)) => {
                let mailbox = self.mailbox(from);
                mailbox.closed.push(number);
                mailbox.delivered.push((msg, seen));
            }
        }
    }

    /// A message is complete whose completion is reported at the other end.
    pub(crate) fn close_unreported(&mut self, id: ArrivalId) {
        match id.origin() {
            None => self.arrivals.free(id),
            Some((from, number)) => self.mailbox(from).closed.push(number),
        }
    }

    /// The sender in another shard gets its acknowledgement at `ack_at`.
    pub(crate) fn mail_ack(&mut self, from: usize, nic: NicId, vnet: u8, ack_at: Time) {
        self.mailbox(from).acks.push((ack_at, nic, vnet));
    }

    /// A packet of a flow of another shard will be acknowledged at `then`.
    pub(crate) fn mail_flow(&mut self, to: usize, name: u32, then: Time) {
        self.mailbox(to).flows.push((then, name));
    }

    /// The head of `packet` arrives at the far end of `link` at `then`, in another shard.
    pub(crate) fn mail_head(&mut self, packet: crate::PacketId, link: LinkId, then: Time, to: u8) {
        let moved = self.packets[packet];
        self.packets.free(packet);
        self.mailbox(usize::from(to) - 1).heads.push((then, link, moved));
    }

    /// A credit arrives at `returns_at`, in another shard.
    pub(crate) fn mail_credit(&mut self, buffer: Buffer, returns_at: Time, to: u8) {
        let Buffer { hop, cells, .. } = buffer;
        self.mailbox(usize::from(to) - 1).credits.push((returns_at, hop, cells));
    }

    /// The shard of a switch, if it is another one.
    pub(crate) fn shard_of(&self, switch: SwitchId) -> Option<usize> {
        let to = self.shards.as_ref()?.partition.of[switch];
        (to != self.own).then_some(usize::from(to))
    }

    /// A congestion notice about `link` reaches a sender in another shard at `then`.
    pub(crate) fn mail_notice(&mut self, to: usize, then: Time, link: LinkId, word: u32) {
        self.mailbox(to).notices.push((then, link, word));
    }

    /// A returned endpoint credit arrives at `then` in another shard.
    pub(crate) fn mail_endpoint_credit_return(
        &mut self,
        to: usize,
        then: Time,
        nic: NicId,
        word: u32,
    ) {
        self.mailbox(to).endpoint_credit_returns.push((then, nic, word));
    }

    pub(crate) fn mailbox(&mut self, to: usize) -> &mut Mail {
        &mut self.shards.as_mut().expect("only shards send mail").mailboxes[to]
    }

    /// Processes the mail of shard `from`; none of it is for a time before now.
    pub(crate) fn receive_mail(&mut self, from: usize, mail: &mut Mail, cx: &mut Cx<'_>) {
        let shards = self.shards.as_mut().expect("only shards get mail");
        let remote_arrivals = &mut shards.remote_arrivals[from];
        for (number, arrival) in mail.opened.drain(..) {
            let at = number.0 as usize;
            if remote_arrivals.len() <= at {
                remote_arrivals.resize(at + 1, arrival);
            }
            remote_arrivals[at] = arrival;
        }
        for number in mail.closed.drain(..) {
            shards.lent_ids[from].free(number);
        }
        for (then, link, mut packet) in mail.heads.drain(..) {
            // Each shard numbers link types for itself.
            packet.input_type = self.ports[link].link_type;
            debug_assert!(packet.at.0 != NONE, "links of NICs are within one shard");
            let packet = self.packets.insert(packet);
            cx.at(then, Phase::Arrive, PacketEvent::Head { packet, link });
        }
        for (returns_at, hop, cells) in mail.credits.drain(..) {
            let link_type = self.ports[hop.link].link_type;
            self.schedule_credit(Buffer { hop, cells, link_type }, returns_at, cx);
        }
        for (ack_at, nic, vnet) in mail.acks.drain(..) {
            self.expect_ack(nic, vnet, ack_at, cx);
        }
        for (then, name) in mail.flows.drain(..) {
            self.flows.acknowledge(name, then);
        }
        for (then, link, word) in mail.notices.drain(..) {
            cx.at(then, Phase::Arrive, PacketEvent::Notice { link, word });
        }
        for (then, nic, word) in mail.endpoint_credit_returns.drain(..) {
            cx.at(then, Phase::Arrive, PacketEvent::EndpointCredit { nic, word });
        }
        cx.delivered.append(&mut mail.delivered);
    }
}
