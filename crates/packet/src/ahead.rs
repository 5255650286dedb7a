//! Looking ahead: memory is asked for some events before it is needed.
//!
//! A hop touches a dozen cache lines of a network far larger than any cache, and most of them are
//! found only by way of another. The events to come are known, so a block of them is looked at
//! several times while those before it are handled, a step further along such a chain each time;
//! when its turn comes everything is there. Nothing that anybody could see depends on it.
//!
//! Heads are looked at together, and all others together: told apart once, without a branch, for no
//! processor can guess which an event is.

use base::prefetch;
use des::{BLOCK, Item, LOOKS, Queue, What};
use machine::{Hop, LinkId, Machine, NicId};
use net::{HOST, MsgId};

use crate::loads::Fetching;
use crate::nic::Nic;
use crate::{
    Arrival, ArrivalId, DueId, LaneId, NONE, Packet, PacketId, PacketNetwork, TransitId, kind,
};

/// Networks up to this size, bytes of links and channels, are better off without: looking ahead
/// takes a third of the speed of `dragonfly-1056` (0.6 MB) and makes `cascade-3k` (4.5 MB) half as
/// fast again (docs/performance.md). Between the two nothing was measured [estimate].
pub(crate) const CACHED: usize = 2 << 20;

/// How many events ahead a glance is at networks that need no more.
const GLANCE: usize = 3;

/// Events of a block: the packets of heads, and all others.
#[derive(Clone, Copy)]
struct Seen {
    heads: List<PacketId>,
    others: List<What>,
}

/// As many as a block has at most. Adding what may not be wanted is no branch.
#[derive(Clone, Copy)]
struct List<T> {
    items: [T; BLOCK],
    len: usize,
}

impl<T: Copy> List<T> {
    #[inline(always)]
    fn add_if(&mut self, is_wanted: bool, item: T) {
        self.items[self.len % BLOCK] = item;
        self.len += usize::from(is_wanted);
    }
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = T> {
        self.items[..self.len].iter().copied()
    }
}

impl Seen {
    const NOTHING: Seen = Seen {
        heads: List { items: [PacketId(NONE); BLOCK], len: 0 },
        others: List { items: [What::NOTHING; BLOCK], len: 0 },
    };
    #[inline(always)]
    fn of(block: &[Item; BLOCK]) -> Seen {
        let mut seen = Seen::NOTHING;
        for &Item { what, .. } in block {
            let is_head = what.kind() == kind::HEAD;
            seen.heads.add_if(is_head, PacketId(what.arg()));
            seen.others.add_if(!is_head, what);
        }
        seen
    }
}

/// The blocks that are looked at, by turns.
pub(crate) struct Ahead {
    blocks: [Seen; LOOKS],
    turn: usize,
    /// Which links a packet may take is likely to be told without asking for loads.
    is_likely: bool,
}

impl Ahead {
    pub fn new(machine: &Machine) -> Ahead {
        Ahead { blocks: [Seen::NOTHING; LOOKS], turn: 0, is_likely: machine.are_links_likely() }
    }
}

impl PacketNetwork {
    /// Looks at a block for the first time, and further at those before it. Tells which messages
    /// may be told of soon.
    #[inline(never)]
    pub(crate) fn fetch(
        &mut self,
        block: &[Item; BLOCK],
        machine: &Machine,
        mut tell: impl FnMut(MsgId),
    ) {
        let turn = (self.ahead.turn + 1) % LOOKS;
        self.ahead.turn = turn;
        self.ahead.blocks[turn] = Seen::of(block);
        let back = |by: usize| &self.ahead.blocks[(turn + LOOKS - by) % LOOKS];

        let seen = back(0);
        for id in seen.heads.iter() {
            self.packets.prefetch(id);
        }
        for what in seen.others.iter() {
            self.first_look(what);
        }
        let seen = back(1);
        for p in self.packets_of(seen) {
            self.fetch_channel(p.input, p.input_vc);
            prefetch(&machine.nic_switch[p.dst]);
        }
        for what in seen.others.iter() {
            self.second_look(what);
        }
        let seen = back(2);
        for p in self.packets_of(seen) {
            if is_last_hop(p, machine) {
                self.arrivals.prefetch(p.arrival);
                self.fetch_receiver(p.dst);
            } else {
                machine.prefetch_pair(p.at, p.dst);
            }
        }
        for what in seen.others.iter() {
            self.third_look(what);
        }
        let seen = back(3);
        for p in self.packets_of(seen) {
            if is_last_hop(p, machine) {
                self.fetch_origin(p.arrival);
            } else {
                machine.prefetch_crossing(p.at, p.dst, p.luck());
            }
        }
        for what in seen.others.iter() {
            self.fourth_look(what);
        }
        let seen = back(4);
        for p in self.packets_of(seen) {
            if !is_last_hop(p, machine) {
                self.fetch_ways(p, machine);
            } else if let Some(id) = self.fetch_acks(p.arrival) {
                tell(id);
            }
        }
        for what in seen.others.iter() {
            if let Some(id) = self.last_look(what) {
                tell(id);
            }
        }
    }

    fn packets_of(&self, seen: &Seen) -> impl Iterator<Item = &Packet> {
        seen.heads.iter().map(|id| &self.packets[id])
    }

    /// The links that a packet may take next.
    #[inline(always)]
    fn fetch_ways(&self, p: &Packet, machine: &Machine) {
        if self.ahead.is_likely {
            for link in machine.likely_links(p.at, p.dst, p.route, p.luck()) {
                prefetch(&self.wires[link]);
                let hop = self.on(p.vnet, Hop { link, vc: p.route.class });
                prefetch(&self.rooms[self.channel(hop.link, hop.vc)]);
            }
            return;
        }
        let mut route = p.route;
        let fetching = Fetching { net: self, vnet: p.vnet, class: route.class };
        let hop = machine.next_hop(p.at, p.dst, &mut route, p.luck(), &fetching);
        prefetch(&self.wires[hop.link]);
        let hop = self.on(p.vnet, hop);
        self.fetch_channel(hop.link, hop.vc);
    }

    /// What a network of no more than `CACHED` has to do: its packets come and go, so they are in
    /// the second cache at best. It is not asked whether the event is of a packet at all.
    #[inline]
    pub(crate) fn glance(&self, queue: &Queue) -> Option<MsgId> {
        if let Some(what) = queue.ahead(GLANCE) {
            self.packets.prefetch(PacketId(what.arg()));
        }
        None
    }

    /// What the event itself names.
    #[inline]
    fn first_look(&self, what: What) {
        let (link, source) = (LinkId(what.source()), what.source() as usize);
        match what.kind() {
            kind::FREE => {
                prefetch(&self.wires[link]);
                if self.is_edge(link) {
                    prefetch(&self.nics.raw[source % self.nics.len()]);
                    self.fetch_channel(link, 0);
                }
            }
            kind::CREDIT | kind::HOME => {
                prefetch(&self.wires[link]);
                self.fetch_channel(link, what.arg() as u8);
            }
            kind::READY => {
                self.transits.prefetch(TransitId(what.arg()));
                self.fetch_sender(source);
            }
            kind::ACK | kind::HOST => self.fetch_sender(source),
            kind::RESPOND => {
                self.packets.prefetch(PacketId(what.arg()));
                self.fetch_sender(source);
            }
            HOST if source < self.nics.len() => self.fetch_sender(source),
            _ => {}
        }
    }

    /// Who waits for a link; which acknowledgements are due.
    #[inline]
    fn second_look(&self, what: What) {
        match what.kind() {
            kind::FREE => {
                let link = LinkId(what.source());
                if self.is_edge(link) {
                    self.fetch_lane(link);
                    if let Some(nic) = self.nics.raw.get(link.0 as usize) {
                        self.fetch_first(nic);
                    }
                } else {
                    let waited_for = self.wires[link].waited_for;
                    self.fetch_channel(link, waited_for.trailing_zeros() as u8 % 32);
                }
            }
            kind::READY | kind::ACK => {
                self.dues.prefetch(DueId(self.nics[NicId(what.source())].acks.first));
            }
            kind::HOST => {
                let nic = &self.nics[NicId(what.source())];
                if nic.held != NONE {
                    self.packets.prefetch(PacketId(nic.held));
                } else {
                    self.fetch_first(nic);
                }
            }
            _ => {}
        }
    }

    /// What these name in turn.
    #[inline]
    fn third_look(&self, what: What) {
        match what.kind() {
            kind::FREE => {
                let link = LinkId(what.source());
                if self.is_edge(link) { self.fetch_waiting(link) } else { self.fetch_lane(link) }
            }
            kind::READY | kind::ACK => {
                let first = self.nics[NicId(what.source())].acks.first;
                if first != NONE {
                    self.dues.prefetch(DueId(self.dues[DueId(first)].after));
                }
            }
            kind::HOST => {
                if let Some(p) = self.held_packet(what) {
                    self.fetch_channel(p.input, p.input_vc);
                    self.arrivals.prefetch(p.arrival);
                }
            }
            _ => {}
        }
    }

    #[inline]
    fn fourth_look(&self, what: What) {
        match what.kind() {
            kind::FREE => {
                let link = LinkId(what.source());
                if !self.is_edge(link) {
                    self.fetch_waiting(link);
                } else if let Some(p) = self.waiting_packet(link) {
                    self.fetch_channel(p.input, p.input_vc);
                    self.arrivals.prefetch(p.arrival);
                }
            }
            kind::HOST => {
                if let Some(p) = self.held_packet(what) {
                    self.fetch_origin(p.arrival);
                }
            }
            _ => {}
        }
    }

    /// Where a packet that leaves was, and who hears of one that is taken.
    #[inline]
    fn last_look(&self, what: What) -> Option<MsgId> {
        match what.kind() {
            kind::FREE => {
                let link = LinkId(what.source());
                if let Some(p) = self.waiting_packet(link) {
                    match self.is_edge(link) {
                        true => self.fetch_origin(p.arrival),
                        false => self.fetch_channel(p.input, p.input_vc),
                    }
                }
            }
            kind::HOST => {
                if let Some(p) = self.held_packet(what) {
                    return self.fetch_acks(p.arrival);
                }
            }
            _ => {}
        }
        None
    }

    /// The packet that a host interface will take.
    #[inline]
    fn held_packet(&self, what: What) -> Option<&Packet> {
        let held = self.nics[NicId(what.source())].held;
        (held != NONE).then(|| &self.packets[PacketId(held)])
    }

    /// The last lane of the first channel of `link` that somebody waits for.
    #[inline]
    fn last_lane(&self, link: LinkId) -> Option<LaneId> {
        let waited_for = self.wires[link].waited_for;
        if waited_for == 0 {
            return None;
        }
        let vc = waited_for.trailing_zeros() as u8;
        Some(LaneId(self.channels[self.channel(link, vc)].last))
    }

    #[inline]
    fn fetch_lane(&self, link: LinkId) {
        if let Some(last) = self.last_lane(link) {
            self.lanes.prefetch(last);
        }
    }

    /// The packet that is the next of that channel, if its lane is alone.
    #[inline]
    fn fetch_waiting(&self, link: LinkId) {
        if let Some(p) = self.waiting_packet(link) {
            prefetch(p);
        }
    }

    #[inline]
    fn waiting_packet(&self, link: LinkId) -> Option<&Packet> {
        let last = self.last_lane(link)?;
        Some(&self.packets[self.lanes[LaneId(self.lanes[last].next)].head])
    }

    /// A message, if this shard has it. What was a packet may be none by now, and name anything.
    #[inline]
    fn arrival_here(&self, id: ArrivalId) -> Option<&Arrival> {
        if id.origin().is_some() { None } else { self.arrivals.get(id) }
    }

    /// The NIC that will have the acknowledgement.
    #[inline]
    fn fetch_origin(&self, arrival: ArrivalId) {
        if let Some(arrival) = self.arrival_here(arrival) {
            prefetch(&self.nics[arrival.src]);
        }
    }

    /// That NIC's acknowledgements, and which message it is.
    #[inline]
    fn fetch_acks(&self, arrival: ArrivalId) -> Option<MsgId> {
        let &Arrival { src, id, .. } = self.arrival_here(arrival)?;
        self.dues.prefetch(DueId(self.nics[src].acks.last));
        Some(id)
    }

    /// The message that a NIC sends next, and what comes back to it next.
    #[inline]
    fn fetch_first(&self, nic: &Nic) {
        self.transits.prefetch(TransitId(nic.first));
        self.dues.prefetch(DueId(nic.acks.first));
    }

    /// What a NIC that sends will touch.
    #[inline]
    fn fetch_sender(&self, nic: usize) {
        prefetch(&self.nics.raw[nic]);
        prefetch(&self.wires.raw[nic]);
        self.fetch_channel(LinkId(nic as u32), 0);
    }

    /// A NIC that receives, and the way out to it.
    #[inline]
    fn fetch_receiver(&self, nic: NicId) {
        prefetch(&self.nics[nic]);
        let link = LinkId(self.nics.len() as u32 + nic.0);
        prefetch(&self.wires[link]);
        self.fetch_channel(link, 0);
    }

    /// The state of a channel.
    #[inline]
    fn fetch_channel(&self, link: LinkId, vc: u8) {
        let at = self.channel(link, vc);
        prefetch(&self.channels[at]);
        prefetch(&self.rooms[at]);
    }
}

/// Whether a packet has come to its NIC, or to the switch before it.
#[inline(always)]
fn is_last_hop(p: &Packet, machine: &Machine) -> bool {
    (p.at.0 == NONE) | (p.at == machine.nic_switch[p.dst])
}
