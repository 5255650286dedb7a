//! Precomputed next hops. Once a packet has no routing choice left, its next link is computed when
//! it enters a link, and is stored in the packet. The switch needs no routing tables then, and
//! prefetching finds the next link from the packet alone.

use machine::{Hop, LinkId, Machine, Route, SwitchId};

use crate::channels::Channels;
use crate::packet::{NONE, Packet};

/// Bit of `Packet::next` next to the precomputed link: it is a global link.
const CROSSES: u32 = 31;

impl Packet {
    /// The precomputed link, if there is one. Arbitrary for a packet that is not in transit to a
    /// switch.
    #[inline(always)]
    pub(crate) fn next_link(&self) -> LinkId {
        LinkId(self.next & ((1 << CROSSES) - 1))
    }

    /// It is in transit to switch `to`: computes its next hop from there.
    #[inline(always)]
    pub(crate) fn precompute_next_hop(&mut self, to: SwitchId, machine: &Machine) {
        self.next = match machine.single_path_hop(to, self.dst, self.route) {
            Some((after, hop)) => hop.link.0 | u32::from(after.class - self.route.class) << CROSSES,
            None => NONE,
        };
    }
}

impl Channels {
    /// The next hop of a packet whose head is at a switch, and its route after that, equal to
    /// `Machine::single_path_hop`. None if it may have a choice.
    #[inline(always)]
    pub(crate) fn precomputed_hop(&self, p: &Packet) -> Option<(Route, Hop)> {
        if p.next == NONE {
            return None;
        }
        let (link, route) = (p.next_link(), p.route);
        let after = Route {
            via: route.via,
            class: route.class + (p.next >> CROSSES) as u8,
            decided: true,
            passed: true,
            hops: route.hops + u8::from(!self.is_edge(link)),
        };
        Some((after, Hop { link, vc: route.class }))
    }
}
