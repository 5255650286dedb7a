//! Groups that do the same at the same time, so that one stands for all: which of its links stands
//! for each of theirs.
//!
//! The one idea: what goes from one group to another so many places further on is carried, for all
//! that do so, by the link that leads from the first so far. It carries as much as each of those it
//! stands for, and has what each of them has.

use base::IndexVec;

use crate::{End, GroupId, LinkId, LinkKind, Machine, NicId, SwitchId, Topology};

/// Which groups do the same, and where their NICs stand in the first of them.
#[derive(Clone, Debug)]
pub struct Folding {
    /// In the order of their places; the first stands for all.
    pub groups: Vec<GroupId>,
    /// Places apart are told by exclusive or, of a power of two of groups, not by difference.
    pub swaps: bool,
    /// For each NIC of the machine the one that stands for it, in the first group; others for
    /// themselves.
    pub twin: IndexVec<NicId, NicId>,
}

impl Machine {
    /// For each link the one that stands for it. Groups of `folding` are alike: as many switches,
    /// linked alike, and as many cables between any two.
    ///
    /// Links from such a group to one that is none of them, and back, are stood for by those of the
    /// first; links within one that is none by themselves, though all groups' traffic may pass
    /// there.
    pub fn folded_links(&self, folding: &Folding) -> IndexVec<LinkId, LinkId> {
        let Topology::Dragonfly(net) = &self.topology;
        let n = folding.groups.len();
        let first = folding.groups[0];
        let mut places = IndexVec::filled(None, net.groups.len());
        for (place, &group) in folding.groups.iter().enumerate() {
            places[group] = Some(place);
        }
        let mut stands: IndexVec<LinkId, LinkId> = self.links.to.ids().collect();
        for link in self.links.to.ids() {
            let ends = (self.links.from[link], self.links.to[link]);
            stands[link] = match (self.links.kind[link], ends.0, ends.1) {
                (LinkKind::Injection, End::Nic(nic), _) => self.injection(folding.twin[nic]),
                (LinkKind::Ejection, _, End::Nic(nic)) => self.ejection(folding.twin[nic]),
                (kind @ (LinkKind::Local | LinkKind::LocalBlack), End::Switch(at), _) => {
                    let group = net.seats[at].group();
                    if places[group].is_none() {
                        continue;
                    }
                    let twin = net.groups[first].first + (at.0 - net.groups[group].first);
                    let begin = |switch: SwitchId| match kind {
                        LinkKind::Local => net.seats[switch].row_first,
                        _ => net.seats[switch].col_first,
                    };
                    LinkId(begin(SwitchId(twin)) + (link.0 - begin(at)))
                }
                _ => continue,
            };
        }
        for from in net.groups.ids() {
            for to in net.groups.ids().filter(|&to| to != from) {
                let (a, b) = match (places[from], places[to]) {
                    (Some(i), Some(j)) => {
                        let apart = if folding.swaps { i ^ j } else { (j + n - i) % n };
                        (first, folding.groups[apart])
                    }
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
