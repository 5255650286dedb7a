//! One network in shards: each has the switches of some groups and the NICs at them, and a world
//! of its own around it. What happens in a shard concerns the others only by way of links between
//! groups, and never sooner than the shortest of these takes: so long may each go on by itself.
//!
//! Nothing here decides anything. A packet that crosses, a credit that goes home, an
//! acknowledgement: each is put into a bag for the shard it concerns, with the instant at which it
//! comes, and there becomes what it would have been had both ends lain in one shard.

use base::{Slab, Time};
use des::Phase;
use machine::{Hop, LinkId, Machine, NicId, SwitchId};
use net::{Cx, MsgId, Partition};

use crate::credit::Buffer;
use crate::{Arrival, ArrivalId, NONE, Packet, PacketEvent, PacketNetwork};

/// A network's knowledge that it is a part of one.
pub(crate) struct Shards {
    pub partition: Partition,
    /// What goes to each shard.
    bags: Vec<Mail>,
    /// By shard: numbers in use there for messages of ours.
    lent: Vec<Slab<ArrivalId, ()>>,
    /// By shard: its messages that arrive here.
    guests: Vec<Vec<Arrival>>,
}

/// What one shard tells another at the end of a window, one column a kind.
#[derive(Default)]
pub struct Mail {
    heads: Vec<(Time, LinkId, Packet)>,
    credits: Vec<(Time, Hop, u16)>,
    acks: Vec<(Time, NicId, u8)>,
    /// Acknowledgements once more, by the flow that the packet was of.
    flows: Vec<(Time, u32)>,
    /// Orders about congestion, and credits handed back.
    orders: Vec<(Time, LinkId, u32)>,
    returns: Vec<(Time, NicId, u32)>,
    opened: Vec<(ArrivalId, Arrival)>,
    closed: Vec<ArrivalId>,
    delivered: Vec<(MsgId, Time)>,
}

impl ArrivalId {
    const BITS: u32 = 26;

    /// As packets name it that came from another shard.
    fn of_guest(self, shard: usize) -> ArrivalId {
        assert!(self.0 >> Self::BITS == 0, "more than 2^26 messages between two shards");
        ArrivalId(self.0 | (shard as u32 + 1) << Self::BITS)
    }
    /// The shard that a message comes from, if it is another one, and its number there.
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
            bags: (0..n).map(|_| Mail::default()).collect(),
            lent: (0..n).map(|_| Slab::with_capacity(0)).collect(),
            guests: vec![Vec::new(); n],
        })
    }

    /// By shard: messages of ours that have not arrived there.
    pub fn lent(&self) -> impl Iterator<Item = usize> {
        self.lent.iter().map(Slab::live)
    }

    pub fn bytes(&self) -> usize {
        let bag = |m: &Mail| m.heads.capacity() * size_of::<(Time, LinkId, Packet)>();
        self.bags.iter().map(bag).sum::<usize>()
            + self.lent.iter().map(Slab::bytes).sum::<usize>()
            + self.guests.iter().map(|g| g.capacity() * size_of::<Arrival>()).sum::<usize>()
    }
}

impl PacketNetwork {
    /// A message begins, for its receiver as well: what its packets are to call it.
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
        let shards = self.shards.as_mut().expect("asked only where there are shards");
        let to = shards.partition.of[dst];
        if to == self.own {
            return self.arrivals.insert(arrival);
        }
        let number = shards.lent[usize::from(to)].insert(());
        let id = number.of_guest(usize::from(self.own));
        shards.bags[usize::from(to)].opened.push((number, arrival));
        id
    }

    /// What the receiver knows of a message.
    #[inline]
    pub(crate) fn arrival(&mut self, id: ArrivalId) -> &mut Arrival {
        match id.origin() {
            None => &mut self.arrivals[id],
            Some((from, number)) => {
                &mut self.shards.as_mut().expect("guests come from shards").guests[from]
                    [number.0 as usize]
            }
        }
    }

    /// The message has arrived whole, and will have been seen then.
    #[inline]
    pub(crate) fn close(&mut self, id: ArrivalId, msg: MsgId, seen: Time, cx: &mut Cx<'_>) {
        match id.origin() {
            None => {
                self.arrivals.free(id);
                cx.delivered.push((msg, seen));
            }
            Some((from, number)) => {
                let bag = self.bag(from);
                bag.closed.push(number);
                bag.delivered.push((msg, seen));
            }
        }
    }

    /// All of a message has come that is told of elsewhere.
    pub(crate) fn dismiss(&mut self, id: ArrivalId) {
        match id.origin() {
            None => self.arrivals.free(id),
            Some((from, number)) => self.bag(from).closed.push(number),
        }
    }

    /// The sender in another shard has its acknowledgement `back` then.
    pub(crate) fn mail_ack(&mut self, from: usize, nic: NicId, vnet: u8, back: Time) {
        self.bag(from).acks.push((back, nic, vnet));
    }

    /// A packet of a flow that comes from another shard will have been acknowledged `then`.
    pub(crate) fn mail_flow(&mut self, to: usize, name: u32, then: Time) {
        self.bag(to).flows.push((then, name));
    }

    /// The head of `packet` will stand at the far end of `link` `then`, in another shard.
    pub(crate) fn emigrate(&mut self, packet: crate::PacketId, link: LinkId, then: Time, to: u8) {
        let moved = self.packets[packet];
        self.packets.free(packet);
        self.bag(usize::from(to) - 1).heads.push((then, link, moved));
    }

    /// A credit will be `home` then, in another shard.
    pub(crate) fn mail_credit(&mut self, buffer: Buffer, home: Time, to: u8) {
        let Buffer { hop, cells, .. } = buffer;
        self.bag(usize::from(to) - 1).credits.push((home, hop, cells));
    }

    /// The shard that a switch is in, if it is another one.
    pub(crate) fn shard_of(&self, switch: SwitchId) -> Option<usize> {
        let to = self.shards.as_ref()?.partition.of[switch];
        (to != self.own).then_some(usize::from(to))
    }

    /// A sender in another shard hears `then` what is said of the congestion of `link`.
    pub(crate) fn mail_order(&mut self, to: usize, then: Time, link: LinkId, word: u32) {
        self.bag(to).orders.push((then, link, word));
    }

    /// A credit is back `then` in another shard.
    pub(crate) fn mail_return(&mut self, to: usize, then: Time, nic: NicId, word: u32) {
        self.bag(to).returns.push((then, nic, word));
    }

    pub(crate) fn bag(&mut self, to: usize) -> &mut Mail {
        &mut self.shards.as_mut().expect("only shards send mail").bags[to]
    }

    /// Takes what shard `from` tells, all of it for instants not before now.
    pub(crate) fn open_mail(&mut self, from: usize, mail: &mut Mail, cx: &mut Cx<'_>) {
        let shards = self.shards.as_mut().expect("only shards get mail");
        let guests = &mut shards.guests[from];
        for (number, arrival) in mail.opened.drain(..) {
            let at = number.0 as usize;
            if guests.len() <= at {
                guests.resize(at + 1, arrival);
            }
            guests[at] = arrival;
        }
        for number in mail.closed.drain(..) {
            shards.lent[from].free(number);
        }
        for (then, link, mut packet) in mail.heads.drain(..) {
            // Each shard numbers classes for itself.
            packet.input_class = self.wires[link].class;
            debug_assert!(packet.at.0 != NONE, "a NIC's link within one shard");
            let packet = self.packets.insert(packet);
            cx.at(then, Phase::Arrive, PacketEvent::Head { packet, link });
        }
        for (home, hop, cells) in mail.credits.drain(..) {
            let class = self.wires[hop.link].class;
            self.take_back(Buffer { hop, cells, class }, home, cx);
        }
        for (back, nic, vnet) in mail.acks.drain(..) {
            self.expect_ack(nic, vnet, back, cx);
        }
        for (then, name) in mail.flows.drain(..) {
            self.flows.hear(name, then);
        }
        for (then, link, word) in mail.orders.drain(..) {
            cx.at(then, Phase::Arrive, PacketEvent::Order { link, word });
        }
        for (then, nic, word) in mail.returns.drain(..) {
            cx.at(then, Phase::Arrive, PacketEvent::Return { nic, word });
        }
        cx.delivered.append(&mut mail.delivered);
    }
}
