//! Prefetching: memory is fetched some events before it is needed.
//!
//! A hop touches a dozen cache lines of a network far larger than any cache, most of them found
//! only through another. Since upcoming events are known, each block of events is visited several
//! times while earlier blocks are handled. Each visit follows the chain of reads one step further,
//! so all lines are present when the block's turn comes. Prefetching has no observable effect.
//!
//! Events of one kind are processed together. They are sorted once, without branches, since their
//! kind is unpredictable. Heads are sorted again once their packets are present. With a precomputed
//! next link they need two stages, at the last switch four, and with a routing choice all of them.

use base::{Slab, prefetch, prefetch_all_at, prefetch_at};
use des::{EventCode, Item, PREFETCH_BLOCK, PREFETCH_STAGES, Queue};
use machine::{Hop, LinkId, Machine, NicId};
use net::{HOST, MsgId};

use crate::link::ones;
use crate::loads::Fetching;
use crate::nic::Nic;
use crate::voq::VoqList;
use crate::{
    AckLineId, Arrival, ArrivalId, NONE, Packet, PacketId, PacketNetwork, TransitId, kind,
};

/// Networks up to this size, bytes of links and channels, are faster without. Prefetching costs a
/// third of the speed of `dragonfly-1056` (0.6 MB) and makes `cascade-3k` (4.5 MB) 1.5 times as
/// fast (docs/performance.md). Sizes in between were not measured [estimate].
pub(crate) const SMALL_BYTES: usize = 2 << 20;

/// Prefetch distance, events, in small networks.
const SMALL_DISTANCE: usize = 3;

/// Events of a block, sorted by what has to be fetched.
#[derive(Clone, Copy)]
struct SortedBlock {
    heads: List<PacketId>,
    ready: List<EventCode>,
    free: List<LinkId>,
    others: List<EventCode>,
    /// Of the heads: packets with a routing choice, packets whose next hop is known, and packets at
    /// their NIC or at the switch before it.
    undecided: List<PacketId>,
    forwarding: List<PacketId>,
    last: List<PacketId>,
}

/// Capacity of a block. Conditional appending needs no branch.
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

impl SortedBlock {
    const NONE: SortedBlock = SortedBlock {
        heads: List::of(PacketId(NONE)),
        ready: List::of(EventCode::NONE),
        free: List::of(LinkId(NONE)),
        others: List::of(EventCode::NONE),
        undecided: List::of(PacketId(NONE)),
        forwarding: List::of(PacketId(NONE)),
        last: List::of(PacketId(NONE)),
    };

    #[inline(always)]
    fn begin(&mut self, block: &[Item; PREFETCH_BLOCK]) {
        let SortedBlock { heads, ready, free, others, undecided, forwarding, last } = self;
        (heads.len, ready.len, free.len, others.len) = (0, 0, 0, 0);
        (undecided.len, forwarding.len, last.len) = (0, 0, 0);
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

    /// Sorts the heads by their packets. Freed or reused packets may contain arbitrary values.
    #[inline(always)]
    fn sort(&mut self, packets: &Slab<PacketId, Packet>, links: u32, edges: u32) {
        for id in self.heads.iter() {
            let p = &packets[id];
            let is_last = (p.at.0 == NONE) | (p.next < edges);
            let is_known = p.next_link().0 < links;
            self.last.add_if(is_last, id);
            self.forwarding.add_if(is_known & !is_last, id);
            self.undecided.add_if(!(is_known | is_last), id);
        }
    }
}

/// The blocks in progress, as a ring.
pub(crate) struct Prefetcher {
    /// None while stages run.
    blocks: Option<Box<[SortedBlock; PREFETCH_STAGES]>>,
    /// Position of the newest block in the ring.
    newest: usize,
    /// The candidate links of a packet can be predicted without link loads.
    is_likely: bool,
}

impl Prefetcher {
    pub fn new(machine: &Machine) -> Prefetcher {
        let blocks = Some(Box::new([SortedBlock::NONE; PREFETCH_STAGES]));
        Prefetcher { blocks, newest: 0, is_likely: machine.are_links_likely() }
    }
}

impl PacketNetwork {
    /// First stage of a new block, and the next stages of those before it. Reports messages that
    /// may complete soon.
    #[inline(never)]
    pub(crate) fn prefetch_stages(
        &mut self,
        block: &[Item; PREFETCH_BLOCK],
        machine: &Machine,
        mut report: impl FnMut(MsgId),
    ) {
        let newest = (self.prefetcher.newest + 1) % PREFETCH_STAGES;
        self.prefetcher.newest = newest;
        let mut blocks = self.prefetcher.blocks.take().expect("stages do not nest");
        let back = |by: usize| (newest + PREFETCH_STAGES - by) % PREFETCH_STAGES;

        let sorted = &mut blocks[back(0)];
        sorted.begin(block);
        sorted.heads.iter().for_each(|id| self.packets.prefetch(id));
        for code in sorted.ready.iter() {
            self.transits.prefetch(TransitId(code.arg()));
            self.fetch_sender(code.source() as usize);
        }
        sorted.free.iter().for_each(|link| self.fetch_freed(link));
        sorted.others.iter().for_each(|code| self.other_stage_1(code));

        let sorted = &mut blocks[back(1)];
        sorted.sort(&self.packets, self.ports.len() as u32, self.layout.edge_links());
        for p in self.packets_of(&sorted.heads) {
            self.fetch_channel(p.input, p.input_vc);
        }
        for p in self.packets_of(&sorted.forwarding) {
            self.fetch_candidate(p, p.next_link());
        }
        for p in self.packets_of(&sorted.last) {
            self.arrivals.prefetch(p.arrival);
            self.fetch_receiver(p.dst);
        }
        for p in self.packets_of(&sorted.undecided) {
            machine.nic_switch.prefetch(p.dst);
        }
        for code in sorted.ready.iter() {
            self.fetch_first_acks(&self.nics[NicId(code.source())]);
        }
        sorted.free.iter().for_each(|link| self.fetch_waiting_for(link));
        sorted.others.iter().for_each(|code| self.other_stage_2(code));

        let sorted = &blocks[back(2)];
        for p in self.packets_of(&sorted.last) {
            self.fetch_origin(p.arrival);
        }
        for p in self.undecided(sorted) {
            machine.prefetch_pair(p.at, p.dst);
        }
        for code in sorted.ready.iter() {
            self.fetch_next_acks(&self.nics[NicId(code.source())]);
        }
        for link in sorted.free.iter() {
            if self.is_edge(link) { self.fetch_waiting(link) } else { self.fetch_voqs(link) }
        }
        sorted.others.iter().for_each(|code| self.other_stage_3(code));

        let sorted = &blocks[back(3)];
        for p in self.packets_of(&sorted.last) {
            if let Some(id) = self.fetch_ack_line(p.arrival) {
                report(id);
            }
        }
        for p in self.undecided(sorted) {
            machine.prefetch_global_link(p.at, p.dst, p.routing_draw());
        }
        for link in sorted.free.iter() {
            if !self.is_edge(link) {
                self.fetch_waiting(link);
            } else if let Some(p) = self.waiting_packet(link) {
                self.fetch_channel(p.input, p.input_vc);
                self.arrivals.prefetch(p.arrival);
            }
        }
        sorted.others.iter().for_each(|code| self.other_stage_4(code));

        let sorted = &blocks[back(4)];
        for p in self.undecided(sorted) {
            self.fetch_candidates(p, machine);
        }
        for link in sorted.free.iter() {
            if let Some(p) = self.waiting_packet(link) {
                match self.is_edge(link) {
                    true => self.fetch_origin(p.arrival),
                    false => self.fetch_channel(p.input, p.input_vc),
                }
            }
        }
        for code in sorted.others.iter() {
            if let Some(id) = self.other_stage_5(code) {
                report(id);
            }
        }

        let sorted = &blocks[back(5)];
        for link in sorted.free.iter().filter(|&link| self.is_edge(link)) {
            if let Some(p) = self.waiting_packet(link)
                && let Some(id) = self.fetch_ack_line(p.arrival)
            {
                report(id);
            }
        }
        self.prefetcher.blocks = Some(blocks);
    }

    fn packets_of(&self, ids: &List<PacketId>) -> impl Iterator<Item = &Packet> {
        ids.iter().map(|id| &self.packets[id])
    }

    /// Packets with a routing choice that are still in transit to a switch.
    fn undecided(&self, sorted: &SortedBlock) -> impl Iterator<Item = &Packet> {
        self.packets_of(&sorted.undecided).filter(|p| p.at.0 != NONE)
    }

    /// A candidate next link of a packet, and its credits.
    #[inline(always)]
    fn fetch_candidate(&self, p: &Packet, link: LinkId) {
        self.ports.prefetch(link);
        let hop = self.on_vnet(p.vnet, Hop { link, vc: p.route.class });
        prefetch_at(&self.credits, self.channel(hop.link, hop.vc));
    }

    /// All candidate next links of a packet.
    #[inline(always)]
    fn fetch_candidates(&self, p: &Packet, machine: &Machine) {
        if self.prefetcher.is_likely {
            for link in machine.likely_links(p.at, p.dst, p.route, p.routing_draw()) {
                self.fetch_candidate(p, link);
            }
            return;
        }
        let mut route = p.route;
        let fetching = Fetching { net: self, vnet: p.vnet, class: route.class };
        let hop = machine.next_hop(p.at, p.dst, &mut route, p.routing_draw(), &fetching);
        self.ports.prefetch(hop.link);
        let hop = self.on_vnet(p.vnet, hop);
        self.fetch_channel(hop.link, hop.vc);
    }

    /// Prefetching for networks up to `SMALL_BYTES`: only the packet, which is at best in the L2
    /// cache. The event is not checked to be a head.
    #[inline]
    pub(crate) fn prefetch_small(&self, queue: &Queue) -> Option<MsgId> {
        if let Some(code) = queue.ahead(SMALL_DISTANCE) {
            self.packets.prefetch(PacketId(code.arg()));
        }
        None
    }

    /// A link that becomes free.
    #[inline]
    fn fetch_freed(&self, link: LinkId) {
        self.ports.prefetch(link);
        self.reports.fetch(link);
        if self.is_edge(link) {
            prefetch_at(&self.nics.raw, link.0 as usize % self.nics.len());
            self.fetch_channel(link, 0);
        }
    }

    /// The VOQs that wait for it; the acknowledgements that are due.
    #[inline]
    fn fetch_waiting_for(&self, link: LinkId) {
        if self.is_edge(link) {
            self.fetch_voqs(link);
            if let Some(nic) = self.nics.raw.get(link.0 as usize) {
                self.fetch_first(nic);
            }
        } else {
            self.fetch_channels(link);
        }
    }

    /// Stage 1: what the event names.
    #[inline]
    fn other_stage_1(&self, code: EventCode) {
        let (link, source) = (LinkId(code.source()), code.source() as usize);
        match code.kind() {
            kind::CREDIT | kind::LATE_CREDIT => {
                self.ports.prefetch(link);
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

    /// Stage 2: what the event will touch.
    #[inline]
    fn other_stage_2(&self, code: EventCode) {
        match code.kind() {
            kind::CREDIT => self.fetch_channels(LinkId(code.source())),
            kind::ACK => self.fetch_first_acks(&self.nics[NicId(code.source())]),
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

    /// Stage 3: what that refers to.
    #[inline]
    fn other_stage_3(&self, code: EventCode) {
        match code.kind() {
            kind::CREDIT => self.fetch_voqs(LinkId(code.source())),
            kind::ACK => self.fetch_next_acks(&self.nics[NicId(code.source())]),
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
    fn other_stage_4(&self, code: EventCode) {
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

    /// Stage 5: the message of a packet that is taken.
    #[inline]
    fn other_stage_5(&self, code: EventCode) -> Option<MsgId> {
        if code.kind() != kind::HOST {
            return None;
        }
        self.fetch_ack_line(self.held_packet(code)?.arrival)
    }

    /// The packet that a host interface will take.
    #[inline]
    fn held_packet(&self, code: EventCode) -> Option<&Packet> {
        let held = self.nics[NicId(code.source())].held;
        (held != NONE).then(|| &self.packets[PacketId(held)])
    }

    /// The channels of `link` with waiting packets.
    #[inline]
    fn fetch_channels(&self, link: LinkId) {
        ones(self.ports[link].waited_for).for_each(|vc| self.fetch_channel(link, vc));
    }

    /// The VOQs of each of these channels.
    #[inline]
    fn lists(&self, link: LinkId) -> impl Iterator<Item = VoqList> {
        let lists = ones(self.ports[link].waited_for);
        lists.map(move |vc| self.channels[self.channel(link, vc)].waiting)
    }

    #[inline]
    fn fetch_voqs(&self, link: LinkId) {
        self.lists(link).for_each(|list| self.voqs.prefetch(list));
    }

    /// The next of their packets, if it has credit.
    #[inline]
    fn fetch_waiting(&self, link: LinkId) {
        if let Some(p) = self.waiting_packet(link) {
            prefetch(p);
        }
    }

    #[inline]
    fn waiting_packet(&self, link: LinkId) -> Option<&Packet> {
        let voqs = self.lists(link).map(|list| self.voqs.first(list));
        Some(&self.packets[voqs.min_by_key(|voq| voq.arbitration_key)?.head])
    }

    /// A message of this shard. A reused packet may name an arbitrary one.
    #[inline]
    fn arrival_here(&self, id: ArrivalId) -> Option<&Arrival> {
        if id.origin().is_some() { None } else { self.arrivals.get(id) }
    }

    /// The NIC that will get the acknowledgement.
    #[inline]
    fn fetch_origin(&self, arrival: ArrivalId) {
        if let Some(arrival) = self.arrival_here(arrival) {
            self.nics.prefetch(arrival.src);
        }
    }

    /// That NIC's pending acknowledgements; returns the message if its completion will be reported.
    #[inline]
    fn fetch_ack_line(&self, arrival: ArrivalId) -> Option<MsgId> {
        let &Arrival { src, id, .. } = self.arrival_here(arrival)?;
        self.ack_lines.prefetch(AckLineId(self.nics[src].acks.last));
        (id.0 != NONE).then_some(id)
    }

    /// The message that a NIC sends next, and its next acknowledgements.
    #[inline]
    fn fetch_first(&self, nic: &Nic) {
        self.transits.prefetch(TransitId(nic.first));
        self.fetch_first_acks(nic);
    }

    /// Pending acknowledgements, if the NIC will check them.
    #[inline]
    fn fetch_first_acks(&self, nic: &Nic) {
        if nic.checks_acks() {
            self.ack_lines.prefetch(AckLineId(nic.acks.first));
        }
    }
    #[inline]
    fn fetch_next_acks(&self, nic: &Nic) {
        if nic.checks_acks() && nic.acks.first != NONE {
            self.ack_lines.prefetch(AckLineId(self.ack_lines[AckLineId(nic.acks.first)].after));
        }
    }

    /// State of a sending NIC.
    #[inline]
    fn fetch_sender(&self, nic: usize) {
        prefetch_at(&self.nics.raw, nic);
        prefetch_at(&self.ports.raw, nic);
        self.fetch_channel(LinkId(nic as u32), 0);
    }

    /// State of a receiving NIC and its ejection link.
    #[inline]
    fn fetch_receiver(&self, nic: NicId) {
        self.nics.prefetch(nic);
        let link = LinkId(self.nics.len() as u32 + nic.0);
        self.ports.prefetch(link);
        self.fetch_channel(link, 0);
    }

    /// State of a channel.
    #[inline]
    fn fetch_channel(&self, link: LinkId, vc: u8) {
        let at = self.channel(link, vc);
        prefetch_at(&self.channels, at);
        prefetch_at(&self.credits, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Span, Time};
    use machine::MachineSpec;
    use net::NetworkModel;

    /// A retransmission of a lost response belongs to no message of the caller, which would look it
    /// up in its tables.
    #[test]
    fn messages_without_an_id_are_not_reported() {
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let machine = MachineSpec::parse("it", text, &[]).and_then(|spec| spec.resolve());
        let mut net = PacketNetwork::build(&machine.expect("presets are legal"));
        for (id, reported) in [(MsgId(7), Some(MsgId(7))), (MsgId(NONE), None)] {
            let arrival = net.arrivals.insert(Arrival {
                done: Time::ZERO,
                completion_delay: Span::ZERO,
                staging_lead: Span::ZERO,
                id,
                src: NicId(3),
                handling: 0,
                missing: 1,
                response_bytes: 0,
                initiator: ArrivalId(NONE),
            });
            assert_eq!(net.fetch_ack_line(arrival), reported);
        }
    }
}
