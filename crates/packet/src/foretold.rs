//! The way of a packet that has no choice any more is known as soon as it enters a link: it carries
//! the next link along. At the switch nobody asks a table then, and who looks ahead finds that link
//! by way of the packet alone.

use machine::{Hop, LinkId, Machine, Route, SwitchId};

use crate::{NONE, Packet, PacketId, PacketNetwork, mark};

impl PacketNetwork {
    /// `packet` is on its way to switch `to`: how will it go on from there?
    #[inline(always)]
    pub(crate) fn foretell(&mut self, packet: PacketId, to: SwitchId, machine: &Machine) {
        let p = &mut self.packets[packet];
        p.marks &= !mark::CROSSES;
        p.next = NONE;
        if let Some((after, hop)) = machine.only_hop(to, p.dst, p.route) {
            p.next = hop.link.0;
            p.marks |= if after.class > p.route.class { mark::CROSSES } else { 0 };
        }
    }

    /// The next hop of a packet whose head has come to a switch, and its route from then on, as
    /// `Machine::only_hop` says. Nothing if it may have a choice.
    #[inline(always)]
    pub(crate) fn foretold(&self, p: &Packet) -> Option<(Route, Hop)> {
        let (link, route) = (LinkId(p.next), p.route);
        let after = Route {
            via: route.via,
            class: route.class + u8::from(p.marks & mark::CROSSES != 0),
            decided: true,
            passed: true,
            hops: route.hops + u8::from(!self.is_edge(link)),
        };
        (p.next != NONE).then_some((after, Hop { link, vc: route.class }))
    }
}
