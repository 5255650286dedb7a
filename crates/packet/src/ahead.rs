//! Looking ahead: memory is asked for some events before it is needed.
//!
//! A hop touches a dozen cache lines of a network far larger than any cache, and most of them are
//! found only by way of another. The events to come are known, so a block of them is looked at
//! several times while those before it are handled, a step further along such a chain each time;
//! when its turn comes everything is there. Nothing that anybody could see depends on it.
//!
//! Events of a sort are looked at together: told apart once, without a branch, for no processor can
//! guess which an event is. So are heads, once their packets are there: where the next link is
//! foretold they need two looks, at the last switch four, to ask for a way as many as there are.

use base::{Slab, prefetch, prefetch_all_at, prefetch_at};
use des::{EventCode, Item, PREFETCH_BLOCK, PREFETCH_STAGES, Queue};
use machine::{Hop, LinkId, Machine, NicId};
use net::{HOST, MsgId};

use crate::lanes::Round;
use crate::link::ones;
use crate::loads::Fetching;
use crate::nic::Nic;
use crate::{Arrival, ArrivalId, DueId, NONE, Packet, PacketId, PacketNetwork, TransitId, kind};

/// Networks up to this size, bytes of links and channels, are better off without: looking ahead
/// takes a third of the speed of `dragonfly-1056` (0.6 MB) and makes `cascade-3k` (4.5 MB) half as
/// fast again (docs/performance.md). Between the two nothing was measured [estimate].
pub(crate) const CACHED: usize = 2 << 20;

/// How many events ahead a glance is at networks that need no more.
const GLANCE: usize = 3;

/// Events of a block, sorted by what there is to fetch for them.
#[derive(Clone, Copy)]
struct Seen {
    heads: List<PacketId>,
    ready: List<EventCode>,
    free: List<LinkId>,
    others: List<EventCode>,
    /// Of the heads: those that will ask for their way, those whose way on is known, and those that
    /// are known to be at their NIC or the switch before it.
    asking: List<PacketId>,
    going: List<PacketId>,
    last: List<PacketId>,
}

/// As many as a block has at most. Adding what may not be wanted is no branch.
#[derive(Clone, Copy)]
struct List<T> {
    items: [T; PREFETCH_BLOCK],
    len: usize,
}

impl<T: Copy> List<T> {
    const fn of(item: T) -> Self {
        List { items: [item; PREFETCH_BLOCK], len: 0 }
    }
    #[inline(always)]
    fn add_if(&mut self, is_wanted: bool, item: T) {
        self.items[self.len % PREFETCH_BLOCK] = item;
        self.len += usize::from(is_wanted);
    }
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = T> {
        self.items[..self.len].iter().copied()
    }
}

impl Seen {
    const NONE: Seen = Seen {
        heads: List::of(PacketId(NONE)),
        ready: List::of(EventCode::NONE),
        free: List::of(LinkId(NONE)),
        others: List::of(EventCode::NONE),
        asking: List::of(PacketId(NONE)),
        going: List::of(PacketId(NONE)),
        last: List::of(PacketId(NONE)),
    };

    #[inline(always)]
    fn begin(&mut self, block: &[Item; PREFETCH_BLOCK]) {
        let Seen { heads, ready, free, others, asking, going, last } = self;
        (heads.len, ready.len, free.len, others.len) = (0, 0, 0, 0);
        (asking.len, going.len, last.len) = (0, 0, 0);
        for &Item { code, .. } in block {
            let (kind, source) = (code.kind(), code.source());
            let [is_head, is_ready, is_free] =
                [kind::HEAD, kind::READY, kind::FREE].map(|wanted| kind == wanted);
            heads.add_if(is_head, PacketId(code.arg()));
            ready.add_if(is_ready, code);
            free.add_if(is_free, LinkId(source));
            others.add_if(!(is_head | is_ready | is_free), code);
        }
    }

    /// Sorts the heads by what their packets tell. Some may have gone on by now, and name anything.
    #[inline(always)]
    fn sort(&mut self, packets: &Slab<PacketId, Packet>, links: u32, edges: u32) {
        for id in self.heads.iter() {
            let p = &packets[id];
            let is_last = (p.at.0 == NONE) | (p.next < edges);
            let is_known = p.next_link().0 < links;
            self.last.add_if(is_last, id);
            self.going.add_if(is_known & !is_last, id);
            self.asking.add_if(!(is_known | is_last), id);
        }
    }
}

/// The blocks that are looked at, by turns.
pub(crate) struct Ahead {
    /// Nothing while somebody looks.
    blocks: Option<Box<[Seen; PREFETCH_STAGES]>>,
    turn: usize,
    /// Which links a packet may take is likely to be told without asking for loads.
    is_likely: bool,
}

impl Ahead {
    pub fn new(machine: &Machine) -> Ahead {
        let blocks = Some(Box::new([Seen::NONE; PREFETCH_STAGES]));
        Ahead { blocks, turn: 0, is_likely: machine.are_links_likely() }
    }
}

impl PacketNetwork {
    /// Looks at a block for the first time, and further at those before it. Tells which messages
    /// may be told of soon.
    #[inline(never)]
    pub(crate) fn fetch(
        &mut self,
        block: &[Item; PREFETCH_BLOCK],
        machine: &Machine,
        mut tell: impl FnMut(MsgId),
    ) {
        let turn = (self.ahead.turn + 1) % PREFETCH_STAGES;
        self.ahead.turn = turn;
        let mut blocks = self.ahead.blocks.take().expect("nobody else looks");
        let back = |by: usize| (turn + PREFETCH_STAGES - by) % PREFETCH_STAGES;

        let seen = &mut blocks[back(0)];
        seen.begin(block);
        seen.heads.iter().for_each(|id| self.packets.prefetch(id));
        for code in seen.ready.iter() {
            self.transits.prefetch(TransitId(code.arg()));
            self.fetch_sender(code.source() as usize);
        }
        seen.free.iter().for_each(|link| self.fetch_freed(link));
        seen.others.iter().for_each(|code| self.first_look(code));

        let seen = &mut blocks[back(1)];
        seen.sort(&self.packets, self.wires.len() as u32, self.layout.ends());
        for p in self.packets_of(&seen.heads) {
            self.fetch_channel(p.input, p.input_vc);
        }
        for p in self.packets_of(&seen.going) {
            self.fetch_way(p, p.next_link());
        }
        for p in self.packets_of(&seen.last) {
            self.arrivals.prefetch(p.arrival);
            self.fetch_receiver(p.dst);
        }
        for p in self.packets_of(&seen.asking) {
            machine.nic_switch.prefetch(p.dst);
        }
        for code in seen.ready.iter() {
            self.fetch_dues(&self.nics[NicId(code.source())]);
        }
        seen.free.iter().for_each(|link| self.fetch_waiting_for(link));
        seen.others.iter().for_each(|code| self.second_look(code));

        let seen = &blocks[back(2)];
        for p in self.packets_of(&seen.last) {
            self.fetch_origin(p.arrival);
        }
        for p in self.asking(seen) {
            machine.prefetch_pair(p.at, p.dst);
        }
        for code in seen.ready.iter() {
            self.fetch_more_dues(&self.nics[NicId(code.source())]);
        }
        for link in seen.free.iter() {
            if self.is_edge(link) { self.fetch_waiting(link) } else { self.fetch_lanes(link) }
        }
        seen.others.iter().for_each(|code| self.third_look(code));

        let seen = &blocks[back(3)];
        for p in self.packets_of(&seen.last) {
            if let Some(id) = self.fetch_acks(p.arrival) {
                tell(id);
            }
        }
        for p in self.asking(seen) {
            machine.prefetch_global_link(p.at, p.dst, p.routing_draw());
        }
        for link in seen.free.iter() {
            if !self.is_edge(link) {
                self.fetch_waiting(link);
            } else if let Some(p) = self.waiting_packet(link) {
                self.fetch_channel(p.input, p.input_vc);
                self.arrivals.prefetch(p.arrival);
            }
        }
        seen.others.iter().for_each(|code| self.fourth_look(code));

        let seen = &blocks[back(4)];
        for p in self.asking(seen) {
            self.fetch_ways(p, machine);
        }
        for link in seen.free.iter() {
            if let Some(p) = self.waiting_packet(link) {
                match self.is_edge(link) {
                    true => self.fetch_origin(p.arrival),
                    false => self.fetch_channel(p.input, p.input_vc),
                }
            }
        }
        for code in seen.others.iter() {
            if let Some(id) = self.last_look(code) {
                tell(id);
            }
        }

        let seen = &blocks[back(5)];
        for link in seen.free.iter().filter(|&link| self.is_edge(link)) {
            if let Some(p) = self.waiting_packet(link)
                && let Some(id) = self.fetch_acks(p.arrival)
            {
                tell(id);
            }
        }
        self.ahead.blocks = Some(blocks);
    }

    fn packets_of(&self, ids: &List<PacketId>) -> impl Iterator<Item = &Packet> {
        ids.iter().map(|id| &self.packets[id])
    }

    /// Those that will ask for their way and are still on their way to a switch.
    fn asking(&self, seen: &Seen) -> impl Iterator<Item = &Packet> {
        self.packets_of(&seen.asking).filter(|p| p.at.0 != NONE)
    }

    /// A link that a packet may take next, and its room.
    #[inline(always)]
    fn fetch_way(&self, p: &Packet, link: LinkId) {
        self.wires.prefetch(link);
        let hop = self.on(p.vnet, Hop { link, vc: p.route.class });
        prefetch_at(&self.rooms, self.channel(hop.link, hop.vc));
    }

    /// The links that a packet may take next.
    #[inline(always)]
    fn fetch_ways(&self, p: &Packet, machine: &Machine) {
        if self.ahead.is_likely {
            for link in machine.likely_links(p.at, p.dst, p.route, p.routing_draw()) {
                self.fetch_way(p, link);
            }
            return;
        }
        let mut route = p.route;
        let fetching = Fetching { net: self, vnet: p.vnet, class: route.class };
        let hop = machine.next_hop(p.at, p.dst, &mut route, p.routing_draw(), &fetching);
        self.wires.prefetch(hop.link);
        let hop = self.on(p.vnet, hop);
        self.fetch_channel(hop.link, hop.vc);
    }

    /// What a network of no more than `CACHED` has to do: its packets come and go, so they are in
    /// the second cache at best. It is not asked whether the event is of a packet at all.
    #[inline]
    pub(crate) fn glance(&self, queue: &Queue) -> Option<MsgId> {
        if let Some(code) = queue.ahead(GLANCE) {
            self.packets.prefetch(PacketId(code.arg()));
        }
        None
    }

    /// A link that is free again.
    #[inline]
    fn fetch_freed(&self, link: LinkId) {
        self.wires.prefetch(link);
        self.reports.fetch(link);
        if self.is_edge(link) {
            prefetch_at(&self.nics.raw, link.0 as usize % self.nics.len());
            self.fetch_channel(link, 0);
        }
    }

    /// Who waits for it; which acknowledgements are due.
    #[inline]
    fn fetch_waiting_for(&self, link: LinkId) {
        if self.is_edge(link) {
            self.fetch_lanes(link);
            if let Some(nic) = self.nics.raw.get(link.0 as usize) {
                self.fetch_first(nic);
            }
        } else {
            self.fetch_channels(link);
        }
    }

    /// What the event itself names.
    #[inline]
    fn first_look(&self, code: EventCode) {
        let (link, source) = (LinkId(code.source()), code.source() as usize);
        match code.kind() {
            kind::CREDIT | kind::HOME => {
                self.wires.prefetch(link);
                self.reports.fetch(link);
                self.fetch_channel(link, code.arg() as u8);
            }
            kind::ACK | kind::HOST => {
                self.fetch_sender(source);
                prefetch_all_at(&self.nics.raw, source);
            }
            kind::RESPOND => {
                self.packets.prefetch(PacketId(code.arg()));
                self.fetch_sender(source);
            }
            HOST if source < self.nics.len() => self.fetch_sender(source),
            _ => {}
        }
    }

    /// What it will have to do with.
    #[inline]
    fn second_look(&self, code: EventCode) {
        match code.kind() {
            kind::CREDIT => self.fetch_channels(LinkId(code.source())),
            kind::ACK => self.fetch_dues(&self.nics[NicId(code.source())]),
            kind::HOST => {
                let nic = &self.nics[NicId(code.source())];
                if nic.held != NONE {
                    self.packets.prefetch(PacketId(nic.held));
                } else {
                    self.fetch_first(nic);
                }
            }
            _ => {}
        }
    }

    /// What that names in turn.
    #[inline]
    fn third_look(&self, code: EventCode) {
        match code.kind() {
            kind::CREDIT => self.fetch_lanes(LinkId(code.source())),
            kind::ACK => self.fetch_more_dues(&self.nics[NicId(code.source())]),
            kind::HOST => {
                if let Some(p) = self.held_packet(code) {
                    self.fetch_channel(p.input, p.input_vc);
                    self.arrivals.prefetch(p.arrival);
                }
            }
            _ => {}
        }
    }

    #[inline]
    fn fourth_look(&self, code: EventCode) {
        match code.kind() {
            kind::CREDIT => self.fetch_waiting(LinkId(code.source())),
            kind::HOST => {
                if let Some(p) = self.held_packet(code) {
                    self.fetch_origin(p.arrival);
                }
            }
            _ => {}
        }
    }

    /// Who hears of a packet that is taken.
    #[inline]
    fn last_look(&self, code: EventCode) -> Option<MsgId> {
        if code.kind() != kind::HOST {
            return None;
        }
        self.fetch_acks(self.held_packet(code)?.arrival)
    }

    /// The packet that a host interface will take.
    #[inline]
    fn held_packet(&self, code: EventCode) -> Option<&Packet> {
        let held = self.nics[NicId(code.source())].held;
        (held != NONE).then(|| &self.packets[PacketId(held)])
    }

    /// The channels of `link` that somebody waits for.
    #[inline]
    fn fetch_channels(&self, link: LinkId) {
        ones(self.wires[link].waited_for).for_each(|vc| self.fetch_channel(link, vc));
    }

    /// Who waits for each of them.
    #[inline]
    fn rounds(&self, link: LinkId) -> impl Iterator<Item = Round> {
        let rounds = ones(self.wires[link].waited_for);
        rounds.map(move |vc| self.channels[self.channel(link, vc)].round)
    }

    #[inline]
    fn fetch_lanes(&self, link: LinkId) {
        self.rounds(link).for_each(|round| self.lanes.prefetch(round));
    }

    /// The packet that is the next of them, if there is room for it.
    #[inline]
    fn fetch_waiting(&self, link: LinkId) {
        if let Some(p) = self.waiting_packet(link) {
            prefetch(p);
        }
    }

    #[inline]
    fn waiting_packet(&self, link: LinkId) -> Option<&Packet> {
        let lanes = self.rounds(link).map(|round| self.lanes.first(round));
        Some(&self.packets[lanes.min_by_key(|lane| lane.turn)?.head])
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
            self.nics.prefetch(arrival.src);
        }
    }

    /// That NIC's acknowledgements, and which message it is, if anybody will be told.
    #[inline]
    fn fetch_acks(&self, arrival: ArrivalId) -> Option<MsgId> {
        let &Arrival { src, id, .. } = self.arrival_here(arrival)?;
        self.dues.prefetch(DueId(self.nics[src].acks.last));
        (id.0 != NONE).then_some(id)
    }

    /// The message that a NIC sends next, and what comes back to it next.
    #[inline]
    fn fetch_first(&self, nic: &Nic) {
        self.transits.prefetch(TransitId(nic.first));
        self.fetch_dues(nic);
    }

    /// Acknowledgements on their way back, if the NIC will look at them.
    #[inline]
    fn fetch_dues(&self, nic: &Nic) {
        if nic.looks_back() {
            self.dues.prefetch(DueId(nic.acks.first));
        }
    }
    #[inline]
    fn fetch_more_dues(&self, nic: &Nic) {
        if nic.looks_back() && nic.acks.first != NONE {
            self.dues.prefetch(DueId(self.dues[DueId(nic.acks.first)].after));
        }
    }

    /// What a NIC that sends will touch.
    #[inline]
    fn fetch_sender(&self, nic: usize) {
        prefetch_at(&self.nics.raw, nic);
        prefetch_at(&self.wires.raw, nic);
        self.fetch_channel(LinkId(nic as u32), 0);
    }

    /// A NIC that receives, and the way out to it.
    #[inline]
    fn fetch_receiver(&self, nic: NicId) {
        self.nics.prefetch(nic);
        let link = LinkId(self.nics.len() as u32 + nic.0);
        self.wires.prefetch(link);
        self.fetch_channel(link, 0);
    }

    /// The state of a channel.
    #[inline]
    fn fetch_channel(&self, link: LinkId, vc: u8) {
        let at = self.channel(link, vc);
        prefetch_at(&self.channels, at);
        prefetch_at(&self.rooms, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Span, Time};
    use machine::MachineSpec;
    use net::NetworkModel;

    /// What was lost is asked for again in the name of nobody, and whoever runs the world would
    /// look for such a message among its own.
    #[test]
    fn messages_without_an_id_are_not_reported() {
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let machine = MachineSpec::parse("it", text, &[]).and_then(|spec| spec.resolve());
        let mut net = PacketNetwork::build(&machine.expect("presets are legal"));
        for (id, told) in [(MsgId(7), Some(MsgId(7))), (MsgId(NONE), None)] {
            let arrival = net.arrivals.insert(Arrival {
                done: Time::ZERO,
                completion_delay: Span::ZERO,
                ahead: Span::ZERO,
                id,
                src: NicId(3),
                handling: 0,
                missing: 1,
                back: 0,
                asker: ArrivalId(NONE),
            });
            assert_eq!(net.fetch_acks(arrival), told);
        }
    }
}
