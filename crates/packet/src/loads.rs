//! Link loads as a switch sees them when it decides a packet's route.
//!
//! Inputs per link: the bytes queued at its near end (`OutputPort::queue`), the credits of its
//! channels, and the reports of other switches (`Reports`).

use base::Time;
use machine::{Hop, LinkId, LoadView, Machine, Route};

use crate::link::Links;
use crate::packet::Packet;

/// Loads of links as seen by the switch at their near end.
pub(crate) struct Loads<'a> {
    pub links: &'a Links,
    pub now: Time,
    /// The channel whose credits `far` reads: that of the packet's virtual network and current
    /// route class. It is the channel of the next hop, unless the decision itself increases the
    /// class. Other channels of the link are ignored, so minimal and nonminimal packets that use
    /// different channels are distinguished (UGAL-L_VC in Kim, Dally, Scott and Abts, ISCA 2008).
    pub vc: u8,
}

impl LoadView for Loads<'_> {
    #[inline]
    fn near(&self, link: LinkId) -> u32 {
        self.links.port(link).queue(self.now)
    }

    /// Bytes sent whose credit has not returned, less the bandwidth-delay product. A link that
    /// transmits at full rate into an empty switch always has a round trip of credits outstanding.
    /// Those bytes are on the cable, not in a queue, and do not count as load.
    #[inline]
    fn far(&self, link: LinkId) -> u32 {
        let port = self.links.port(link);
        let link_type = &self.links.types[port.link_type];
        let reserved = match port.reserved_on(self.vc, self.now) {
            0 => 0,
            bytes => link_type.cell.count(bytes.into()),
        };
        self.links.channels.load(link, self.vc, link_type, reserved, self.now)
    }

    #[inline]
    fn downstream(&self, link: LinkId) -> u32 {
        self.links.reported_queue(link, self.now)
    }

    #[inline]
    fn remote_backlog(&self, link: LinkId) -> u32 {
        self.near(link) + self.far(link)
    }
}

/// A view without loads that prefetches the memory a decision will read.
pub(crate) struct Fetching<'a> {
    pub links: &'a Links,
    pub vnet: u8,
    /// As in `Loads::vc`, within the virtual network.
    pub class: u8,
}

impl Fetching<'_> {
    #[inline]
    fn fetch(&self, link: LinkId) {
        let hop = self.links.channels.on_vnet(self.vnet, Hop { link, vc: self.class });
        self.links.prefetch_candidate(hop);
    }
}

impl LoadView for Fetching<'_> {
    #[inline]
    fn near(&self, link: LinkId) -> u32 {
        self.fetch(link);
        0
    }
    #[inline]
    fn far(&self, _: LinkId) -> u32 {
        0
    }
    #[inline]
    fn downstream(&self, link: LinkId) -> u32 {
        self.links.prefetch_report(link);
        self.near(link)
    }
    #[inline]
    fn remote_backlog(&self, link: LinkId) -> u32 {
        self.near(link)
    }
}

impl Links {
    /// The next hop of a packet from its current switch, by its routing policy.
    #[inline(always)]
    pub fn next_hop(
        &self,
        p: &Packet,
        routing_draw: u64,
        now: Time,
        machine: &Machine,
    ) -> (Route, Hop) {
        let only = self.channels.precomputed_hop(p);
        debug_assert_eq!(
            only,
            machine.single_path_hop(p.at, p.dst, p.route),
            "the precomputed hop is right"
        );
        if let Some(only) = only {
            return only;
        }
        let Packet { mut route, dst, at, vnet, .. } = *p;
        let loads = self.loads(vnet, route.class, now);
        let hop = machine.next_hop(&self.view, at, dst, &mut route, routing_draw, &loads);
        (route, hop)
    }

    /// The loads that a packet of `vnet` with route class `class` considers.
    #[inline(always)]
    pub fn loads(&self, vnet: u8, class: u8, now: Time) -> Loads<'_> {
        Loads { links: self, now, vc: self.channels.fabric_vc(vnet, class) }
    }
}
