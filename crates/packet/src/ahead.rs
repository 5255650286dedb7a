//! Looking ahead: memory is asked for some events before it is needed.
//!
//! A hop touches a dozen cache lines of a network far larger than any cache, and most of them are
//! found only by way of another. The events to come are known, so each of them is looked at several
//! times while its predecessors are handled, a step further along such a chain each time; when its
//! turn comes everything is there. Nothing that anybody could see depends on it.

use base::prefetch;
use des::{Queue, What};
use machine::{LinkId, Machine, NicId};
use net::{HOST, MsgId};

use crate::loads::Fetching;
use crate::{
    Arrival, ArrivalId, DueId, LaneId, NONE, Packet, PacketId, PacketNetwork, TransitId, kind,
};

/// Networks up to this size, bytes of links and channels, are better off without: looking ahead
/// takes a third of the speed of `dragonfly-1056` (0.6 MB) and makes `cascade-3k` (4.5 MB) half as
/// fast again (docs/performance.md). Between the two nothing was measured [estimate].
pub(crate) const CACHED: usize = 2 << 20;

/// How many events ahead a glance is at networks that need no more.
const GLANCE: usize = 3;

/// How many events ahead each look is: a step is as long as memory needs at the rate of events.
const STEP: usize = 7;

impl PacketNetwork {
    /// One step of each look. Says which message may be told of soon.
    #[inline]
    pub(crate) fn fetch(&self, queue: &Queue, machine: &Machine) -> Option<MsgId> {
        if let Some(what) = queue.ahead(5 * STEP) {
            self.first_look(what);
        }
        if let Some(what) = queue.ahead(4 * STEP) {
            self.second_look(what, machine);
        }
        if let Some(what) = queue.ahead(3 * STEP) {
            self.third_look(what, machine);
        }
        let comes = queue.ahead(2 * STEP).and_then(|what| self.fourth_look(what, machine));
        let taken = queue.ahead(STEP).and_then(|what| self.last_look(what, machine));
        comes.or(taken)
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
            kind::HEAD => {
                self.packets.prefetch(PacketId(what.arg()));
                if self.is_edge(link) && source >= self.nics.len() {
                    prefetch(&self.nics.raw[source - self.nics.len()]);
                }
            }
            kind::FREE => prefetch(&self.wires[link]),
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

    /// What a packet names; who waits for a link; which acknowledgements are due.
    #[inline]
    fn second_look(&self, what: What, machine: &Machine) {
        match what.kind() {
            kind::HEAD => {
                let p = &self.packets[PacketId(what.arg())];
                self.fetch_channel(p.input, p.input_vc);
                if p.at.0 == NONE {
                    self.arrivals.prefetch(p.arrival);
                } else {
                    machine.prefetch_ends(p.at, p.dst);
                }
            }
            kind::FREE => {
                let link = LinkId(what.source());
                let waited_for = self.wires[link].waited_for;
                if waited_for != 0 {
                    self.fetch_channel(link, waited_for.trailing_zeros() as u8);
                } else if (link.0 as usize) < self.nics.len() {
                    self.fetch_sender(link.0 as usize);
                }
            }
            kind::READY | kind::ACK => {
                self.dues.prefetch(DueId(self.nics[NicId(what.source())].acks.first));
            }
            kind::HOST => {
                let nic = &self.nics[NicId(what.source())];
                if nic.held != NONE {
                    self.packets.prefetch(PacketId(nic.held));
                }
            }
            _ => {}
        }
    }

    /// What these name in turn.
    #[inline]
    fn third_look(&self, what: What, machine: &Machine) {
        match what.kind() {
            kind::HEAD => {
                let p = &self.packets[PacketId(what.arg())];
                if p.at.0 == NONE {
                    self.fetch_origin(p.arrival);
                } else {
                    machine.prefetch_pair(p.at, p.dst);
                }
            }
            kind::FREE => {
                if let Some(last) = self.last_lane(LinkId(what.source())) {
                    self.lanes.prefetch(last);
                }
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
    fn fourth_look(&self, what: What, machine: &Machine) -> Option<MsgId> {
        match what.kind() {
            kind::HEAD => {
                let p = &self.packets[PacketId(what.arg())];
                if p.at.0 == NONE {
                    return self.fetch_acks(p.arrival);
                }
                machine.prefetch_crossing(p.at, p.dst, p.luck());
            }
            kind::FREE => {
                if let Some(last) = self.last_lane(LinkId(what.source())) {
                    self.packets.prefetch(self.lanes[LaneId(self.lanes[last].next)].head);
                }
            }
            kind::HOST => {
                if let Some(p) = self.held_packet(what) {
                    self.fetch_origin(p.arrival);
                }
            }
            _ => {}
        }
        None
    }

    /// The links a packet may take, by asking for its way with a view that only fetches; and who
    /// hears of a packet that leaves.
    #[inline]
    fn last_look(&self, what: What, machine: &Machine) -> Option<MsgId> {
        match what.kind() {
            kind::HEAD => {
                let p = &self.packets[PacketId(what.arg())];
                if p.at.0 != NONE {
                    let mut route = p.route;
                    let fetching = Fetching { net: self, vnet: p.vnet, class: route.class };
                    let hop = machine.next_hop(p.at, p.dst, &mut route, p.luck(), &fetching);
                    prefetch(&self.wires[hop.link]);
                    let hop = self.on(p.vnet, hop);
                    self.fetch_channel(hop.link, hop.vc);
                }
            }
            kind::FREE => {
                if let Some(last) = self.last_lane(LinkId(what.source())) {
                    let p = &self.packets[self.lanes[LaneId(self.lanes[last].next)].head];
                    self.fetch_channel(p.input, p.input_vc);
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

    /// The NIC that will have the acknowledgement.
    #[inline]
    fn fetch_origin(&self, arrival: ArrivalId) {
        if arrival.origin().is_none() {
            prefetch(&self.nics[self.arrivals[arrival].src]);
        }
    }

    /// That NIC's acknowledgements, and which message it is.
    #[inline]
    fn fetch_acks(&self, arrival: ArrivalId) -> Option<MsgId> {
        if arrival.origin().is_some() {
            return None;
        }
        let Arrival { src, id, .. } = self.arrivals[arrival];
        self.dues.prefetch(DueId(self.nics[src].acks.last));
        Some(id)
    }

    /// What a NIC that sends will touch.
    #[inline]
    fn fetch_sender(&self, nic: usize) {
        prefetch(&self.nics.raw[nic]);
        prefetch(&self.wires.raw[nic]);
        self.fetch_channel(LinkId(nic as u32), 0);
    }

    /// The state of a channel.
    #[inline]
    fn fetch_channel(&self, link: LinkId, vc: u8) {
        let at = self.channel(link, vc);
        prefetch(&self.channels[at]);
        prefetch(&self.rooms[at]);
    }
}
