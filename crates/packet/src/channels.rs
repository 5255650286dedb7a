//! Virtual channels of all links: positions, available credit, and credits in transit.

use base::{Time, prefetch_at, with_capacity};
use machine::{Hop, LinkId, Machine};

use crate::credit::{Buffer, Channel, LinkType};
use crate::voq::VoqList;

/// Positions of channels: those of the NICs' links come first.
#[derive(Clone, Copy)]
struct ChannelLayout {
    /// Number of links of NICs (edge links).
    edge_links: u32,
    /// Channels of a link of a NIC, and of a link between switches.
    channels_per_link: [u32; 2],
    /// Subtracted from the link's number times its channels: 0 for a link of a NIC. For a link
    /// between switches, the channels that the NICs' links lack compared with it.
    offset: [u32; 2],
}

impl ChannelLayout {
    fn new(machine: &Machine) -> ChannelLayout {
        let (edge_links, of_edge) = (2 * machine.n_nics(), u32::from(machine.n_vnets));
        let of_fabric = of_edge * u32::from(machine.n_vcs);
        let channels = machine.links.gap.len() as u64 * u64::from(of_fabric);
        assert!(u32::try_from(channels).is_ok(), "fewer than 2^32 virtual channels");
        ChannelLayout {
            edge_links,
            channels_per_link: [of_edge, of_fabric],
            offset: [0, edge_links * (of_fabric - of_edge)],
        }
    }
    /// The first channel of a link, or of the one after the last. Branchless, since the two kinds
    /// of links alternate unpredictably.
    #[inline(always)]
    fn first(&self, link: LinkId) -> usize {
        let kind = usize::from(link.0 >= self.edge_links);
        (link.0 * self.channels_per_link[kind] - self.offset[kind]) as usize
    }
}

/// Links of NICs come first and have one channel per virtual network; all others have one per
/// virtual network and route class.
pub(crate) struct Channels {
    /// Route classes.
    n_vcs: u8,
    n_vnets: u8,
    layout: ChannelLayout,
    /// By link and channel.
    all: Vec<Channel>,
    /// Credit of each channel that its sender can use, in cells, as of the epoch of its last
    /// `Channel::collect`.
    credits: Vec<u16>,
}

impl Channels {
    /// Idle channels, whose credits are added by link (`add_credits`).
    pub fn new(machine: &Machine) -> Channels {
        let layout = ChannelLayout::new(machine);
        let n = layout.first(LinkId(machine.links.gap.len() as u32));
        let (mut all, credits) = (with_capacity(n), with_capacity(n));
        all.resize(n, Channel::IDLE);
        Channels { n_vcs: machine.n_vcs, n_vnets: machine.n_vnets, layout, all, credits }
    }

    /// Sets the initial credit of the channels of `link`, the one after those set so far.
    pub fn add_credits(&mut self, link: LinkId, cells: u16) {
        self.credits.resize(self.layout.first(LinkId(link.0 + 1)), cells);
    }

    /// Position of a virtual channel.
    #[inline]
    fn at(&self, link: LinkId, vc: u8) -> usize {
        self.layout.first(link) + usize::from(vc)
    }
    /// Links below this number are links of NICs.
    #[inline]
    pub fn edge_links(&self) -> u32 {
        self.layout.edge_links
    }
    /// Whether it is an injection or an ejection link.
    #[inline]
    pub fn is_edge(&self, link: LinkId) -> bool {
        link.0 < self.layout.edge_links
    }
    /// The channel of a route class in virtual network `vnet` on links between switches.
    #[inline]
    pub fn fabric_vc(&self, vnet: u8, class: u8) -> u8 {
        vnet * self.n_vcs + class
    }
    /// A hop whose `vc` is a route class, with the channel of that class in virtual network `vnet`.
    #[inline]
    pub fn on_vnet(&self, vnet: u8, hop: Hop) -> Hop {
        let vc = if self.is_edge(hop.link) { vnet } else { self.fabric_vc(vnet, hop.vc) };
        Hop { vc, ..hop }
    }
    /// The route class of a channel of `vnet`, the inverse of `on_vnet`; 0 on links of NICs.
    pub fn route_class(&self, vnet: u8, hop: Hop) -> u8 {
        if self.is_edge(hop.link) { 0 } else { hop.vc - vnet * self.n_vcs }
    }
    /// Those channels of `link` that belong to `vnet`, one bit each.
    pub fn of_vnet(&self, link: LinkId, vnet: u8) -> u32 {
        let vcs = if self.is_edge(link) { 1 } else { u32::from(self.n_vcs) };
        ((1 << vcs) - 1) << (u32::from(vnet) * vcs)
    }

    /// The credit of `hop`, on a link of `link_type`, if it covers `cells` now.
    #[inline(always)]
    pub fn sufficient_credit(
        &mut self,
        hop: Hop,
        cells: u16,
        link_type: &LinkType,
        now: Time,
    ) -> Option<&mut u16> {
        let at = self.at(hop.link, hop.vc);
        let credit = &mut self.credits[at];
        link_type.admits(cells, credit, || &mut self.all[at], now).then_some(credit)
    }

    /// Takes `cells` of the credit of `hop`, which has as many.
    #[inline(always)]
    pub fn take_credit(&mut self, hop: Hop, cells: u16) {
        let at = self.at(hop.link, hop.vc);
        self.credits[at] -= cells;
    }

    /// Bytes sent whose credit has not returned, less the bandwidth-delay product. Cells that are
    /// `reserved` have not been sent.
    #[inline]
    pub fn load(
        &self,
        link: LinkId,
        vc: u8,
        link_type: &LinkType,
        reserved: u16,
        now: Time,
    ) -> u32 {
        let at = self.at(link, vc);
        let mut outstanding = link_type.cells - self.credits[at] - reserved;
        if outstanding > link_type.bdp {
            outstanding -= self.all[at].uncollected(link_type, now);
        }
        link_type.cell.bytes(outstanding.saturating_sub(link_type.bdp))
    }

    /// The VOQs that wait for a channel.
    #[inline]
    pub fn waiting(&self, link: LinkId, vc: u8) -> VoqList {
        self.all[self.at(link, vc)].waiting
    }

    /// The same, to be changed.
    #[inline]
    pub fn waiting_mut(&mut self, link: LinkId, vc: u8) -> &mut VoqList {
        let at = self.at(link, vc);
        &mut self.all[at].waiting
    }

    /// The credit for `buffer` returns at `returns_at`, for which there is a slot. Returns whether
    /// a packet waits for it.
    #[inline(always)]
    pub fn add_credit(
        &mut self,
        buffer: Buffer,
        returns_at: Time,
        link_type: &LinkType,
        now: Time,
    ) -> bool {
        let at = self.at(buffer.hop.link, buffer.hop.vc);
        let channel = &mut self.all[at];
        channel.add_credit(buffer.cells, returns_at, || &mut self.credits[at], link_type, now);
        channel.waits_for_credit
    }

    /// A packet lacks nothing but credit of this channel. Returns the time of the event that the
    /// caller schedules, if any.
    pub fn await_credit(
        &mut self,
        link: LinkId,
        vc: u8,
        link_type: &LinkType,
        now: Time,
    ) -> Option<Time> {
        let at = self.at(link, vc);
        let channel = &mut self.all[at];
        channel.waits_for_credit = true;
        channel.next_credit_event(&mut self.credits[at], link_type, now)
    }

    /// A `Credit` event occurs. Returns whether a packet waits for it.
    pub fn credit_event(&mut self, link: LinkId, vc: u8, link_type: &LinkType, now: Time) -> bool {
        let at = self.at(link, vc);
        let channel = &mut self.all[at];
        let is_awaited = channel.credit_event(&mut self.credits[at], link_type, now);
        if is_awaited {
            channel.waits_for_credit = false;
        }
        is_awaited
    }

    /// Prefetches the state of a channel.
    #[inline]
    pub fn prefetch(&self, link: LinkId, vc: u8) {
        let at = self.at(link, vc);
        prefetch_at(&self.all, at);
        prefetch_at(&self.credits, at);
    }

    /// Prefetches the available credit of a channel.
    #[inline]
    pub fn prefetch_credit(&self, hop: Hop) {
        prefetch_at(&self.credits, self.at(hop.link, hop.vc));
    }

    /// Asserts that all credits of `link` are available or in transit, and that no packet waits.
    pub fn assert_idle(&self, link: LinkId, link_type: &LinkType) {
        let vcs = if self.is_edge(link) { 1 } else { self.n_vcs };
        for vc in 0..vcs * self.n_vnets {
            let at = self.at(link, vc);
            let channel = &self.all[at];
            let credit = self.credits[at] + channel.in_transit();
            assert_eq!(credit, link_type.cells, "{link:?} {vc}: lost credit");
            assert!(!channel.is_armed(), "{link:?} {vc}: expects an event that is not pending");
            assert_eq!(channel.waiting, VoqList::EMPTY, "{link:?} {vc}: packets wait");
        }
    }

    /// Bytes of the channels without their available credit.
    pub fn state_bytes(&self) -> usize {
        size_of_val(&self.all[..])
    }

    /// Bytes of memory held.
    pub fn held(&self) -> usize {
        size_of_val(&self.all[..]) + size_of_val(&self.credits[..])
    }
}
