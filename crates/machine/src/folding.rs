//! Folding: groups that do the same at the same time are simulated by one representative group.
//! This file maps each link to the link that represents it.
//!
//! Traffic from a group to the group k positions further on is carried, for all groups, by the link
//! from the first group to the one k positions further on. It carries as much as each link that it
//! represents, and has the same properties.

use base::IndexVec;

use crate::topology::dragonfly::{GlobalLink, gateways};
use crate::{GroupId, LinkEnd, LinkId, LinkKind, Machine, NicId, SwitchId, Topology};

/// The groups that do the same, and the representatives of their NICs.
#[derive(Clone, Debug)]
pub struct Folding {
    /// In the order of their positions; the first represents all.
    pub groups: Vec<GroupId>,
    /// Offsets between positions are exclusive ors, of a power of two of groups, not differences.
    pub swaps: bool,
    /// For each NIC of the machine its representative in the first group; other NICs represent
    /// themselves.
    pub representative: IndexVec<NicId, NicId>,
}

impl Folding {
    /// The group at the offset of `to` from `from`, whose cables from the first group are
    /// equivalent.
    fn at_offset(&self, from: usize, to: usize) -> GroupId {
        let n = self.groups.len();
        self.groups[if self.swaps { from ^ to } else { (to + n - from) % n }]
    }

    /// The position of each group of a machine in `groups`, if any.
    fn positions(&self, n_groups: usize) -> IndexVec<GroupId, Option<usize>> {
        let mut positions = IndexVec::filled(None, n_groups);
        for (position, &group) in self.groups.iter().enumerate() {
            positions[group] = Some(position);
        }
        positions
    }
}

impl Machine {
    /// A NIC's switch, counted within its group.
    pub fn switch_in_group(&self, nic: NicId) -> u32 {
        let Topology::Dragonfly(net) = &self.topology;
        self.nic_switch[nic].0 - net.groups[self.group_of(nic)].first
    }

    /// Whether cabling is uniform: the cables between any two of these groups end at the same
    /// switches, within their groups, as those of the first group at the same offset.
    pub fn has_uniform_cabling(&self, folding: &Folding) -> bool {
        let Topology::Dragonfly(net) = &self.topology;
        let ends_of = |at: usize| {
            let link = net.global_links[at].link;
            (self.switch(self.links.from[link]), self.switch(self.links.to[link]))
        };
        self.uniform_ends(folding).into_iter().enumerate().all(|(at, ends)| ends_of(at) == ends)
    }

    /// This machine with uniform cabling of those groups.
    ///
    /// Where groups assign their ports in order, traffic from the first group enters each other
    /// group at one switch, but the first group is entered through all of its cables. Without
    /// uniform cabling the links within the first group would be charged with load that no real
    /// group's links carry.
    pub fn with_uniform_cabling(&self, folding: &Folding) -> Machine {
        let mut machine = self.clone();
        let Topology::Dragonfly(net) = &mut machine.topology;
        for (global_link, (from, to)) in net.global_links.iter_mut().zip(self.uniform_ends(folding))
        {
            (global_link.from, global_link.to) =
                (net.coords[from].row_col(), net.coords[to].row_col());
            machine.links.from[global_link.link] = LinkEnd::Switch(from);
            machine.links.to[global_link.link] = LinkEnd::Switch(to);
        }
        (net.gateway_first, net.gateways) = gateways(&machine.links, &net.coords, &net.groups);
        machine
    }

    /// The ends of each global link, in order, under uniform cabling.
    fn uniform_ends(&self, folding: &Folding) -> Vec<(SwitchId, SwitchId)> {
        let Topology::Dragonfly(net) = &self.topology;
        let positions = folding.positions(net.groups.len());
        let side = |own: GroupId, other: GroupId| match (positions[own], positions[other]) {
            (Some(i), Some(j)) => net.pair(folding.groups[0], folding.at_offset(i, j)),
            (Some(_), None) => net.pair(folding.groups[0], other),
            _ => net.pair(own, other),
        };
        let moved = |global_link: &GlobalLink, group: GroupId| {
            let at = self.switch(self.links.from[global_link.link]);
            let own_group = net.coords[at].group();
            SwitchId(net.groups[group].first + (at.0 - net.groups[own_group].first))
        };
        let mut ends = Vec::with_capacity(net.global_links.len());
        for from in net.groups.ids() {
            for to in net.groups.ids().filter(|&to| to != from) {
                let (here, there) = (side(from, to), side(to, from));
                assert_eq!(here.len(), net.pair(from, to).len(), "groups are of one kind");
                ends.extend(here.iter().zip(there).map(|(a, b)| (moved(a, from), moved(b, to))));
            }
        }
        ends
    }

    fn switch(&self, end: LinkEnd) -> SwitchId {
        match end {
            LinkEnd::Switch(switch) => switch,
            LinkEnd::Nic(nic) => unreachable!("{nic:?} is no switch"),
        }
    }

    /// For each link the one that represents it. The groups of `folding` must be equal: as many
    /// switches, linked equally, and as many cables between any two.
    ///
    /// Links between such a group and another one are represented by those of the first group.
    /// Links within other groups represent themselves, although traffic of all groups may pass
    /// there.
    pub fn folded_links(&self, folding: &Folding) -> IndexVec<LinkId, LinkId> {
        let Topology::Dragonfly(net) = &self.topology;
        let first = folding.groups[0];
        let positions = folding.positions(net.groups.len());
        let mut representatives: IndexVec<LinkId, LinkId> = self.links.to.ids().collect();
        for link in self.links.to.ids() {
            let ends = (self.links.from[link], self.links.to[link]);
            representatives[link] = match (self.links.kind[link], ends.0, ends.1) {
                (LinkKind::Injection, LinkEnd::Nic(nic), _) => {
                    self.injection(folding.representative[nic])
                }
                (LinkKind::Ejection, _, LinkEnd::Nic(nic)) => {
                    self.ejection(folding.representative[nic])
                }
                (kind @ (LinkKind::Local | LinkKind::LocalBlack), LinkEnd::Switch(at), _) => {
                    let group = net.coords[at].group();
                    if positions[group].is_none() {
                        continue;
                    }
                    let same = net.groups[first].first + (at.0 - net.groups[group].first);
                    let begin = |switch: SwitchId| match kind {
                        LinkKind::Local => net.coords[switch].row_first,
                        _ => net.coords[switch].col_first,
                    };
                    LinkId(begin(SwitchId(same)) + (link.0 - begin(at)))
                }
                _ => continue,
            };
        }
        for from in net.groups.ids() {
            for to in net.groups.ids().filter(|&to| to != from) {
                let (a, b) = match (positions[from], positions[to]) {
                    (Some(i), Some(j)) => (first, folding.at_offset(i, j)),
                    (Some(_), None) => (first, to),
                    (None, Some(_)) => (from, first),
                    (None, None) => continue,
                };
                for (own, other) in net.pair(from, to).iter().zip(net.pair(a, b)) {
                    representatives[own.link] = other.link;
                }
            }
        }
        representatives
    }
}
