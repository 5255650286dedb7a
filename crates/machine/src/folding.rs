//! Groups that do the same at the same time, so that one stands for all: which of its links stands
//! for each of theirs.
//!
//! The one idea: what goes from one group to another so many places further on is carried, for all
//! that do so, by the link that leads from the first so far. It carries as much as each of those it
//! stands for, and has what each of them has.

use base::IndexVec;

use crate::dragonfly::{GlobalLink, gateways};
use crate::{GroupId, LinkEnd, LinkId, LinkKind, Machine, NicId, SwitchId, Topology};

/// Which groups do the same, and where their NICs stand in the first of them.
#[derive(Clone, Debug)]
pub struct Folding {
    /// In the order of their places; the first stands for all.
    pub groups: Vec<GroupId>,
    /// Places apart are told by exclusive or, of a power of two of groups, not by difference.
    pub swaps: bool,
    /// For each NIC of the machine the one that stands for it, in the first group; others for
    /// themselves.
    pub representative: IndexVec<NicId, NicId>,
}

impl Folding {
    /// How many places `to` is on from `from`: what the first group's cables to there are like.
    fn apart(&self, from: usize, to: usize) -> GroupId {
        let n = self.groups.len();
        self.groups[if self.swaps { from ^ to } else { (to + n - from) % n }]
    }

    /// The place of each group of a machine among those that are alike.
    fn places(&self, n_groups: usize) -> IndexVec<GroupId, Option<usize>> {
        let mut places = IndexVec::filled(None, n_groups);
        for (place, &group) in self.groups.iter().enumerate() {
            places[group] = Some(place);
        }
        places
    }
}

impl Machine {
    /// A NIC's switch, counted within its group.
    pub fn switch_in_group(&self, nic: NicId) -> u32 {
        let Topology::Dragonfly(net) = &self.topology;
        self.nic_switch[nic].0 - net.groups[self.group_of(nic)].first
    }

    /// Whether the cables from one of these groups to the one so many places further on sit, at
    /// both ends, where those of the first sit to the groups so many places further on and back.
    pub fn has_uniform_cabling(&self, folding: &Folding) -> bool {
        let Topology::Dragonfly(net) = &self.topology;
        let sits = |at: usize| {
            let link = net.global_links[at].link;
            (self.switch(self.links.from[link]), self.switch(self.links.to[link]))
        };
        self.ends_alike(folding).into_iter().enumerate().all(|(at, ends)| sits(at) == ends)
    }

    /// This machine with those groups cabled alike.
    ///
    /// Where groups deal out their ports in order, who comes from the first enters each of the
    /// others at the same switch, but the first is entered by all its cables. Links within the
    /// first would be charged for what no group's carry.
    pub fn with_uniform_cabling(&self, folding: &Folding) -> Machine {
        let mut machine = self.clone();
        let Topology::Dragonfly(net) = &mut machine.topology;
        for (global_link, (from, to)) in net.global_links.iter_mut().zip(self.ends_alike(folding)) {
            (global_link.from, global_link.to) = (net.coords[from].place(), net.coords[to].place());
            machine.links.from[global_link.link] = LinkEnd::Switch(from);
            machine.links.to[global_link.link] = LinkEnd::Switch(to);
        }
        (net.gateway_first, net.gateways) = gateways(&machine.links, &net.coords, &net.groups);
        machine
    }

    /// The ends of each link between groups, in their order, if those were cabled alike.
    fn ends_alike(&self, folding: &Folding) -> Vec<(SwitchId, SwitchId)> {
        let Topology::Dragonfly(net) = &self.topology;
        let places = folding.places(net.groups.len());
        let side = |own: GroupId, other: GroupId| match (places[own], places[other]) {
            (Some(i), Some(j)) => net.pair(folding.groups[0], folding.apart(i, j)),
            (Some(_), None) => net.pair(folding.groups[0], other),
            _ => net.pair(own, other),
        };
        let moved = |global_link: &GlobalLink, group: GroupId| {
            let at = self.switch(self.links.from[global_link.link]);
            let home = net.coords[at].group();
            SwitchId(net.groups[group].first + (at.0 - net.groups[home].first))
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

    /// For each link the one that stands for it. Groups of `folding` are alike: as many switches,
    /// linked alike, and as many cables between any two.
    ///
    /// Links from such a group to one that is none of them, and back, are stood for by those of the
    /// first; links within one that is none by themselves, though all groups' traffic may pass
    /// there.
    pub fn folded_links(&self, folding: &Folding) -> IndexVec<LinkId, LinkId> {
        let Topology::Dragonfly(net) = &self.topology;
        let first = folding.groups[0];
        let places = folding.places(net.groups.len());
        let mut stands: IndexVec<LinkId, LinkId> = self.links.to.ids().collect();
        for link in self.links.to.ids() {
            let ends = (self.links.from[link], self.links.to[link]);
            stands[link] = match (self.links.kind[link], ends.0, ends.1) {
                (LinkKind::Injection, LinkEnd::Nic(nic), _) => {
                    self.injection(folding.representative[nic])
                }
                (LinkKind::Ejection, _, LinkEnd::Nic(nic)) => {
                    self.ejection(folding.representative[nic])
                }
                (kind @ (LinkKind::Local | LinkKind::LocalBlack), LinkEnd::Switch(at), _) => {
                    let group = net.coords[at].group();
                    if places[group].is_none() {
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
                let (a, b) = match (places[from], places[to]) {
                    (Some(i), Some(j)) => (first, folding.apart(i, j)),
                    (Some(_), None) => (first, to),
                    (None, Some(_)) => (from, first),
                    (None, None) => continue,
                };
                for (own, other) in net.pair(from, to).iter().zip(net.pair(a, b)) {
                    stands[own.link] = other.link;
                }
            }
        }
        stands
    }
}
