//! The way of a packet that has no choice any more is known as soon as it enters a link: it carries
//! the next link along. At the switch nobody asks a table then, and who looks ahead finds that link
//! by way of the packet alone.

use machine::{Hop, LinkId, Machine, Route, SwitchId};

use crate::{NONE, Packet, PacketId, PacketNetwork};

/// In `Packet::next` beside the link that is foretold: it leads to another group.
const CROSSES: u32 = 31;

impl Packet {
    /// The link that is foretold, if one is; of one that is not on its way to a switch, anything.
    #[inline(always)]
    pub(crate) fn next_link(&self) -> LinkId {
        LinkId(self.next & ((1 << CROSSES) - 1))
    }
}

impl PacketNetwork {
    /// `packet` is on its way to switch `to`: how will it go on from there?
    #[inline(always)]
    pub(crate) fn foretell(&mut self, packet: PacketId, to: SwitchId, machine: &Machine) {
        let p = &mut self.packets[packet];
        p.next = match machine.single_path_hop(to, p.dst, p.route) {
            Some((after, hop)) => hop.link.0 | u32::from(after.class - p.route.class) << CROSSES,
            None => NONE,
        };
    }

    /// The next hop of a packet whose head has come to a switch, and its route from then on, as
    /// `Machine::single_path_hop` says. Nothing if it may have a choice.
    #[inline(always)]
    pub(crate) fn foretold(&self, p: &Packet) -> Option<(Route, Hop)> {
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
