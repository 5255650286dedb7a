//! Prefetching: memory is fetched some events before it is needed.
//!
//! A hop touches a dozen cache lines of a network far larger than any cache, most of them found
//! only through another. Since upcoming events are known, each block of events is visited several
//! times while earlier blocks are handled. Each visit follows the chain of reads one step further,
//! so all lines are present when the block is handled. Prefetching has no observable effect.
//!
//! Events of one kind are processed together. They are sorted once, without branches, since their
//! kind is unpredictable. Heads are sorted again once their packets are present. With a precomputed
//! next link they need two stages, at the last switch four, and with a routing choice all of them.

use base::prefetch;
use des::{EventCode, Item, PREFETCH_BLOCK, PREFETCH_STAGES, Queue};
use machine::{Hop, LinkId, Machine, NicId};
use net::{HOST, INJECT, MsgId};

use crate::arrivals::Arrivals;
use crate::endpoints::Endpoints;
use crate::event::kind;
use crate::fabric::Fabric;
use crate::link::Links;
use crate::loads::Fetching;
use crate::message::Arrival;
use crate::nic::{Nic, Nics};
use crate::packet::{AckLineId, ArrivalId, NONE, Packet, PacketId, Packets, TransitId};

/// Networks up to this size, bytes of links and channels, are faster without. Prefetching costs a
/// third of the speed of `dragonfly-1056` (0.6 MB) and makes `cascade-3k` (4.5 MB) 1.5 times as
/// fast (docs/performance.md). Sizes in between were not measured [estimate].
const SMALL_BYTES: usize = 2 << 20;

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
    const fn new(item: T) -> Self {
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
        heads: List::new(PacketId(NONE)),
        ready: List::new(EventCode::NONE),
        free: List::new(LinkId(NONE)),
        others: List::new(EventCode::NONE),
        undecided: List::new(PacketId(NONE)),
        forwarding: List::new(PacketId(NONE)),
        last: List::new(PacketId(NONE)),
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
    fn sort(&mut self, packets: &Packets, links: u32, edges: u32) {
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

/// The blocks in progress.
pub(crate) struct Prefetcher {
    /// The state of the network exceeds the processor's caches, so prefetching pays off.
    pub is_large: bool,
    /// A ring.
    blocks: Box<[SortedBlock; PREFETCH_STAGES]>,
    /// Position of the newest block in the ring.
    newest: usize,
}

impl Prefetcher {
    pub fn new(links: &Links) -> Prefetcher {
        Prefetcher {
            is_large: links.state_bytes() > SMALL_BYTES,
            blocks: Box::new([SortedBlock::NONE; PREFETCH_STAGES]),
            newest: 0,
        }
    }

    /// Prefetching for networks up to `SMALL_BYTES`: only the packet, which is at best in the L2
    /// cache. The event is not checked to be a head.
    #[inline]
    pub fn prefetch_small(&self, packets: &Packets, queue: &Queue) {
        if let Some(code) = queue.ahead(SMALL_DISTANCE) {
            packets.prefetch(PacketId(code.arg()));
        }
    }

    /// First stage of a new block, and the next stages of those before it. Reports messages that
    /// may complete soon.
    #[inline(never)]
    pub fn prefetch_stages(
        &mut self,
        block: &[Item; PREFETCH_BLOCK],
        view: &View<'_>,
        machine: &Machine,
        mut report: impl FnMut(MsgId),
    ) {
        let newest = (self.newest + 1) % PREFETCH_STAGES;
        self.newest = newest;
        let blocks = &mut self.blocks;
        let back = |by: usize| (newest + PREFETCH_STAGES - by) % PREFETCH_STAGES;

        let sorted = &mut blocks[back(0)];
        sorted.begin(block);
        sorted.heads.iter().for_each(|id| view.packets.prefetch(id));
        for code in sorted.ready.iter() {
            view.nics.transits.prefetch(TransitId(code.arg()));
            view.fetch_sender(NicId(code.source()));
        }
        sorted.free.iter().for_each(|link| view.fetch_freed(link));
        sorted.others.iter().for_each(|code| view.other_stage_1(code));

        let sorted = &mut blocks[back(1)];
        let channels = &view.links.channels;
        sorted.sort(view.packets, view.links.len() as u32, channels.edge_links());
        for p in view.packets_of(&sorted.heads) {
            view.links.channels.prefetch(p.input, p.input_vc);
        }
        for p in view.packets_of(&sorted.forwarding) {
            view.fetch_candidate(p, p.next_link());
        }
        for p in view.packets_of(&sorted.last) {
            view.arrivals.prefetch(p.arrival);
            view.fetch_receiver(p.dst);
        }
        for p in view.packets_of(&sorted.undecided) {
            machine.nic_switch.prefetch(p.dst);
        }
        for code in sorted.ready.iter() {
            view.fetch_first_acks(view.nics.nic(NicId(code.source())));
        }
        sorted.free.iter().for_each(|link| view.fetch_waiting_for(link));
        sorted.others.iter().for_each(|code| view.other_stage_2(code));

        let sorted = &blocks[back(2)];
        for p in view.packets_of(&sorted.last) {
            view.fetch_origin(p.arrival);
        }
        for p in view.undecided(sorted) {
            machine.prefetch_pair(p.at, p.dst);
        }
        for code in sorted.ready.iter() {
            view.fetch_next_acks(view.nics.nic(NicId(code.source())));
        }
        for link in sorted.free.iter() {
            if view.links.channels.is_edge(link) {
                view.fetch_waiting(link)
            } else {
                view.links.prefetch_voqs(link)
            }
        }
        sorted.others.iter().for_each(|code| view.other_stage_3(code));

        let sorted = &blocks[back(3)];
        for p in view.packets_of(&sorted.last) {
            if let Some(id) = view.fetch_ack_line(p.arrival) {
                report(id);
            }
        }
        for p in view.undecided(sorted) {
            machine.prefetch_global_link(p.at, p.dst, p.routing_draw());
        }
        for link in sorted.free.iter() {
            if !view.links.channels.is_edge(link) {
                view.fetch_waiting(link);
            } else if let Some(p) = view.waiting_packet(link) {
                view.links.channels.prefetch(p.input, p.input_vc);
                view.arrivals.prefetch(p.arrival);
            }
        }
        sorted.others.iter().for_each(|code| view.other_stage_4(code));

        let sorted = &blocks[back(4)];
        for p in view.undecided(sorted) {
            view.fetch_candidates(p, machine);
        }
        for link in sorted.free.iter() {
            if let Some(p) = view.waiting_packet(link) {
                match view.links.channels.is_edge(link) {
                    true => view.fetch_origin(p.arrival),
                    false => view.links.channels.prefetch(p.input, p.input_vc),
                }
            }
        }
        for code in sorted.others.iter() {
            if let Some(id) = view.other_stage_5(code) {
                report(id);
            }
        }

        let sorted = &blocks[back(5)];
        for link in sorted.free.iter().filter(|&link| view.links.channels.is_edge(link)) {
            if let Some(p) = view.waiting_packet(link)
                && let Some(id) = view.fetch_ack_line(p.arrival)
            {
                report(id);
            }
        }
    }
}

/// The state that prefetching reads.
pub(crate) struct View<'a> {
    links: &'a Links,
    packets: &'a Packets,
    nics: &'a Nics,
    arrivals: &'a Arrivals,
}

impl<'a> View<'a> {
    pub fn new(fabric: &'a Fabric, endpoints: &'a Endpoints) -> View<'a> {
        let (Fabric { links, packets, .. }, Endpoints { nics, arrivals, .. }) = (fabric, endpoints);
        View { links, packets, nics, arrivals }
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
        let hop = self.links.channels.on_vnet(p.vnet, Hop { link, vc: p.route.class });
        self.links.prefetch_candidate(hop);
    }

    /// All candidate next links of a packet.
    #[inline(always)]
    fn fetch_candidates(&self, p: &Packet, machine: &Machine) {
        let mut route = p.route;
        let fetching = Fetching { links: self.links, vnet: p.vnet, class: route.class };
        let (view, draw) = (&self.links.view, p.routing_draw());
        let hop = machine.next_hop(view, p.at, p.dst, &mut route, draw, &fetching);
        self.links.prefetch(hop.link);
        let hop = self.links.channels.on_vnet(p.vnet, hop);
        self.links.channels.prefetch(hop.link, hop.vc);
    }

    /// A link that becomes free.
    #[inline]
    fn fetch_freed(&self, link: LinkId) {
        self.links.prefetch(link);
        self.links.prefetch_report(link);
        if self.links.channels.is_edge(link) {
            self.nics.prefetch(NicId(link.0 % self.nics.len() as u32));
            self.links.channels.prefetch(link, 0);
        }
    }

    /// The VOQs that wait for it; the acknowledgements that are due.
    #[inline]
    fn fetch_waiting_for(&self, link: LinkId) {
        if self.links.channels.is_edge(link) {
            self.links.prefetch_voqs(link);
            if (link.0 as usize) < self.nics.len() {
                self.fetch_first(self.nics.nic(NicId(link.0)));
            }
        } else {
            self.links.prefetch_channels(link);
        }
    }

    /// Stage 1: what the event names.
    #[inline]
    fn other_stage_1(&self, code: EventCode) {
        let (link, nic) = (LinkId(code.source()), NicId(code.source()));
        match code.kind() {
            kind::CREDIT | kind::LATE_CREDIT => {
                self.links.prefetch(link);
                self.links.prefetch_report(link);
                self.links.channels.prefetch(link, code.arg() as u8);
            }
            kind::ACK | kind::HOST => {
                self.fetch_sender(nic);
                self.nics.prefetch_whole(nic);
            }
            kind::RESPOND => {
                self.packets.prefetch(PacketId(code.arg()));
                self.fetch_sender(nic);
            }
            INJECT => self.fetch_sender(nic),
            HOST if (nic.0 as usize) < self.nics.len() => self.fetch_sender(nic),
            _ => {}
        }
    }

    /// Stage 2: what the event will touch.
    #[inline]
    fn other_stage_2(&self, code: EventCode) {
        match code.kind() {
            kind::CREDIT => self.links.prefetch_channels(LinkId(code.source())),
            kind::ACK => self.fetch_first_acks(self.nics.nic(NicId(code.source()))),
            kind::HOST => {
                let nic = self.nics.nic(NicId(code.source()));
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
            kind::CREDIT => self.links.prefetch_voqs(LinkId(code.source())),
            kind::ACK => self.fetch_next_acks(self.nics.nic(NicId(code.source()))),
            kind::HOST => {
                if let Some(p) = self.held_packet(code) {
                    self.links.channels.prefetch(p.input, p.input_vc);
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
        let held = self.nics.nic(NicId(code.source())).held;
        (held != NONE).then(|| &self.packets[PacketId(held)])
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
        self.links.next_waiting(link, self.packets)
    }

    /// The NIC that will get the acknowledgement.
    #[inline]
    fn fetch_origin(&self, arrival: ArrivalId) {
        if let Some(arrival) = self.arrivals.get_here(arrival) {
            self.nics.prefetch(arrival.src);
        }
    }

    /// That NIC's pending acknowledgements; returns the message if its completion will be reported.
    #[inline]
    fn fetch_ack_line(&self, arrival: ArrivalId) -> Option<MsgId> {
        let &Arrival { src, id, .. } = self.arrivals.get_here(arrival)?;
        self.nics.ack_lines.prefetch(AckLineId(self.nics.nic(src).acks.last));
        (id.0 != NONE).then_some(id)
    }

    /// The message that a NIC sends next, and its next acknowledgements.
    #[inline]
    fn fetch_first(&self, nic: &Nic) {
        self.nics.transits.prefetch(TransitId(nic.first));
        self.fetch_first_acks(nic);
    }

    /// Pending acknowledgements, if the NIC will check them.
    #[inline]
    fn fetch_first_acks(&self, nic: &Nic) {
        if nic.checks_acks() {
            self.nics.ack_lines.prefetch(AckLineId(nic.acks.first));
        }
    }
    #[inline]
    fn fetch_next_acks(&self, nic: &Nic) {
        if nic.checks_acks() && nic.acks.first != NONE {
            self.nics
                .ack_lines
                .prefetch(AckLineId(self.nics.ack_lines[AckLineId(nic.acks.first)].after));
        }
    }

    /// State of a sending NIC.
    #[inline]
    fn fetch_sender(&self, nic: NicId) {
        self.nics.prefetch(nic);
        self.links.prefetch(LinkId(nic.0));
        self.links.channels.prefetch(LinkId(nic.0), 0);
    }

    /// State of a receiving NIC and its ejection link.
    #[inline]
    fn fetch_receiver(&self, nic: NicId) {
        self.nics.prefetch(nic);
        let link = LinkId(self.nics.len() as u32 + nic.0);
        self.links.prefetch(link);
        self.links.channels.prefetch(link, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Span, Time};
    use machine::MachineSpec;

    /// A retransmission of a lost response belongs to no message of the caller, which would look it
    /// up in its tables.
    #[test]
    fn messages_without_an_id_are_not_reported() {
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let machine = MachineSpec::parse("it", text, &[]).and_then(|spec| spec.resolve());
        let machine = machine.expect("presets are legal");
        let fabric = Fabric::new(&machine, None);
        let mut endpoints = Endpoints::new(&machine, None, &fabric);
        for (id, reported) in [(MsgId(7), Some(MsgId(7))), (MsgId(NONE), None)] {
            let arrival = endpoints.arrivals.insert(Arrival {
                done: Time::ZERO,
                completion_delay: Span::ZERO,
                staging_lead: Span::ZERO,
                id,
                src: NicId(3),
                handling: 0,
                missing: 1,
                dropped: 0,
                response_bytes: 0,
                initiator: ArrivalId(NONE),
            });
            assert_eq!(View::new(&fabric, &endpoints).fetch_ack_line(arrival), reported);
        }
    }
}
