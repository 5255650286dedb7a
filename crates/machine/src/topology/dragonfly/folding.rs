//! Folding of a dragonfly's groups: which links are equivalent.

use base::IndexVec;

use super::{Dragonfly, GlobalLink, gateways};
use crate::folding::Folding;
use crate::{GroupId, LinkEnd, LinkId, LinkKind, Links, Machine, SwitchId};

impl Dragonfly {
    /// See `Machine::has_uniform_cabling`.
    pub(crate) fn has_uniform_cabling(&self, machine: &Machine, folding: &Folding) -> bool {
        let ends_of = |at: usize| self.ends(&machine.links, &self.global_links[at]);
        let uniform = self.uniform_ends(&machine.links, folding);
        uniform.into_iter().enumerate().all(|(at, ends)| ends_of(at) == ends)
    }

    /// This dragonfly with uniform cabling; moves the ends of `links` as well.
    pub(crate) fn with_uniform_cabling(&self, links: &mut Links, folding: &Folding) -> Dragonfly {
        let mut net = self.clone();
        let uniform = self.uniform_ends(links, folding);
        for (global_link, (from, to)) in net.global_links.iter_mut().zip(uniform) {
            (global_link.from, global_link.to) =
                (net.coords[from].row_col(), net.coords[to].row_col());
            links.from[global_link.link] = LinkEnd::Switch(from);
            links.to[global_link.link] = LinkEnd::Switch(to);
        }
        (net.gateway_first, net.gateways) = gateways(links, &net.coords, &net.groups);
        net
    }

    /// The ends of each global link, in order, under uniform cabling.
    fn uniform_ends(&self, links: &Links, folding: &Folding) -> Vec<(SwitchId, SwitchId)> {
        let positions = folding.positions(self.groups.len());
        let side = |own: GroupId, other: GroupId| match (positions[own], positions[other]) {
            (Some(i), Some(j)) => self.pair(folding.groups[0], folding.at_offset(i, j)),
            (Some(_), None) => self.pair(folding.groups[0], other),
            _ => self.pair(own, other),
        };
        let moved = |global_link: &GlobalLink, group: GroupId| {
            let (at, _) = self.ends(links, global_link);
            let own_group = self.coords[at].group();
            SwitchId(self.groups[group].first + (at.0 - self.groups[own_group].first))
        };
        let mut ends = Vec::with_capacity(self.global_links.len());
        for from in self.groups.ids() {
            for to in self.groups.ids().filter(|&to| to != from) {
                let (here, there) = (side(from, to), side(to, from));
                assert_eq!(here.len(), self.pair(from, to).len(), "groups are of one kind");
                ends.extend(here.iter().zip(there).map(|(a, b)| (moved(a, from), moved(b, to))));
            }
        }
        ends
    }

    fn ends(&self, links: &Links, global_link: &GlobalLink) -> (SwitchId, SwitchId) {
        let switch = |end| match end {
            LinkEnd::Switch(switch) => switch,
            LinkEnd::Nic(nic) => unreachable!("{nic:?} is no switch"),
        };
        (switch(links.from[global_link.link]), switch(links.to[global_link.link]))
    }

    /// See `Machine::folded_links`.
    pub(crate) fn folded_links(
        &self,
        machine: &Machine,
        folding: &Folding,
    ) -> IndexVec<LinkId, LinkId> {
        let links = &machine.links;
        let first = folding.groups[0];
        let positions = folding.positions(self.groups.len());
        let mut representatives: IndexVec<LinkId, LinkId> = links.to.ids().collect();
        for link in links.to.ids() {
            let ends = (links.from[link], links.to[link]);
            representatives[link] = match (links.kind[link], ends.0, ends.1) {
                (LinkKind::Injection, LinkEnd::Nic(nic), _) => {
                    machine.injection(folding.representative[nic])
                }
                (LinkKind::Ejection, _, LinkEnd::Nic(nic)) => {
                    machine.ejection(folding.representative[nic])
                }
                (kind @ (LinkKind::Local | LinkKind::LocalBlack), LinkEnd::Switch(at), _) => {
                    let group = self.coords[at].group();
                    if positions[group].is_none() {
                        continue;
                    }
                    let same = self.groups[first].first + (at.0 - self.groups[group].first);
                    let begin = |switch: SwitchId| match kind {
                        LinkKind::Local => self.coords[switch].row_first,
                        _ => self.coords[switch].col_first,
                    };
                    LinkId(begin(SwitchId(same)) + (link.0 - begin(at)))
                }
                _ => continue,
            };
        }
        for from in self.groups.ids() {
            for to in self.groups.ids().filter(|&to| to != from) {
                let (a, b) = match (positions[from], positions[to]) {
                    (Some(i), Some(j)) => (first, folding.at_offset(i, j)),
                    (Some(_), None) => (first, to),
                    (None, Some(_)) => (from, first),
                    (None, None) => continue,
                };
                for (own, other) in self.pair(from, to).iter().zip(self.pair(a, b)) {
                    representatives[own.link] = other.link;
                }
            }
        }
        representatives
    }
}
