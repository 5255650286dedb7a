//! Topologies of networks: which switches a link joins, the paths through them, and the policies
//! that choose among the paths.
//!
//! A topology is a directory here and a variant of `Topology`. The rest of the crate calls the
//! methods of `Topology`, and other crates those of `Machine`: neither depends on its coordinates.

pub(crate) mod dragonfly;

use base::IndexVec;

use crate::fabric::FabricView;
use crate::folding::Folding;
use crate::{GroupId, Hop, LinkId, Links, LoadView, Machine, NicId, Route, Routing, SwitchId};
use dragonfly::Dragonfly;

#[derive(Clone, Debug)]
pub enum Topology {
    Dragonfly(Dragonfly),
    // The only topology so far; others become variants here.
}

impl Topology {
    /// The next hop between switches toward `dst`, and whether it begins a new virtual-channel
    /// class; `None` at the switch of `dst`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // The inputs of every routing decision.
    pub(crate) fn next(
        &self,
        at: SwitchId,
        dst_switch: SwitchId,
        dst: NicId,
        routing: Routing,
        route: &mut Route,
        draw: u64,
        load: &impl LoadView,
    ) -> Option<(LinkId, bool)> {
        match self {
            Topology::Dragonfly(net) => net.next(at, dst_switch, dst, routing, route, draw, load),
        }
    }

    /// See `Machine::single_path_hop`.
    #[inline(always)]
    pub(crate) fn single_path_hop(
        &self,
        machine: &Machine,
        at: SwitchId,
        dst: NicId,
        route: Route,
    ) -> Option<(Route, Hop)> {
        match self {
            Topology::Dragonfly(net) => net.single_path_hop(machine, at, dst, route),
        }
    }

    /// See `Machine::next_hop_with_faults`.
    #[allow(clippy::too_many_arguments)] // The inputs of every routing decision.
    pub(crate) fn next_hop_with_faults(
        &self,
        machine: &Machine,
        fabric: &FabricView,
        at: SwitchId,
        to: (NicId, &mut Route, u64),
        flow_hop: Option<(Route, Hop)>,
        load: &impl LoadView,
        input_hop: (LinkId, u8),
    ) -> Option<Hop> {
        match self {
            Topology::Dragonfly(net) => {
                net.next_hop_with_faults(machine, fabric, at, to, flow_hop, load, input_hop)
            }
        }
    }

    /// Whether there is exactly one minimal path between any two switches.
    #[inline]
    pub(crate) fn has_single_paths(&self) -> bool {
        match self {
            Topology::Dragonfly(net) => net.has_single_paths,
        }
    }

    /// Maximum hops between switches of any path of `machine`.
    pub(crate) fn max_hops(&self, machine: &Machine) -> u32 {
        match self {
            Topology::Dragonfly(net) => net.max_hops(machine),
        }
    }

    /// Hops between switches of the longest minimal route.
    pub(crate) fn longest_minimal(&self) -> u32 {
        match self {
            Topology::Dragonfly(net) => net.longest(),
        }
    }

    /// The switch that a link out of `at` leads to, if that can be computed. It saves a read of the
    /// links' columns, which are far apart in memory, so that a walk would stall on them.
    #[inline]
    pub(crate) fn computed_neighbor(&self, at: SwitchId, link: LinkId) -> Option<SwitchId> {
        match self {
            Topology::Dragonfly(net) => net.row_neighbor(at, link),
        }
    }

    /// The links from one switch to another, in order.
    pub fn links_between(&self, from: SwitchId, to: SwitchId) -> Vec<LinkId> {
        match self {
            Topology::Dragonfly(net) => net.links_between(from, to),
        }
    }

    /// The links from one group to another, in order.
    pub(crate) fn links_between_groups(
        &self,
        from: GroupId,
        to: GroupId,
    ) -> impl ExactSizeIterator<Item = LinkId> {
        match self {
            Topology::Dragonfly(net) => net.pair(from, to).iter().map(|c| c.link),
        }
    }

    /// The first switch of a group. The others follow it.
    pub(crate) fn first_switch(&self, group: GroupId) -> SwitchId {
        match self {
            Topology::Dragonfly(net) => SwitchId(net.groups[group].first),
        }
    }

    /// The unit of a switch: switches of different units affect each other only by packets, with
    /// the delay of a cable. Units are numbered from zero.
    pub(crate) fn partition_unit(&self, switch: SwitchId) -> u32 {
        match self {
            Topology::Dragonfly(net) => net.coords[switch].group.into(),
        }
    }

    pub(crate) fn n_partition_units(&self) -> u32 {
        match self {
            Topology::Dragonfly(net) => net.groups.len() as u32,
        }
    }

    /// See `Machine::has_uniform_cabling`.
    pub(crate) fn has_uniform_cabling(&self, machine: &Machine, folding: &Folding) -> bool {
        match self {
            Topology::Dragonfly(net) => net.has_uniform_cabling(machine, folding),
        }
    }

    /// This topology with uniform cabling (`Machine::with_uniform_cabling`); moves the ends of
    /// `links` as well.
    pub(crate) fn with_uniform_cabling(&self, links: &mut Links, folding: &Folding) -> Topology {
        match self {
            Topology::Dragonfly(net) => {
                Topology::Dragonfly(net.with_uniform_cabling(links, folding))
            }
        }
    }

    /// See `Machine::folded_links`.
    pub(crate) fn folded_links(
        &self,
        machine: &Machine,
        folding: &Folding,
    ) -> IndexVec<LinkId, LinkId> {
        match self {
            Topology::Dragonfly(net) => net.folded_links(machine, folding),
        }
    }

    /// See `Machine::prefetch_pair`.
    #[inline]
    pub(crate) fn prefetch_pair(&self, at: SwitchId, dst_switch: SwitchId) {
        match self {
            Topology::Dragonfly(net) => net.prefetch_pair(at, dst_switch),
        }
    }

    /// See `Machine::prefetch_global_link`.
    #[inline]
    pub(crate) fn prefetch_global_link(&self, at: SwitchId, dst_switch: SwitchId, draw: u64) {
        match self {
            Topology::Dragonfly(net) => net.prefetch_global_link(at, dst_switch, draw),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Topology::Dragonfly(net) => net.bytes(),
        }
    }
}
