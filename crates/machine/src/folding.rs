//! Folding: groups that do the same at the same time are simulated by one representative group.
//! The topology maps each link to the link that represents it.
//!
//! Traffic from a group to the group k positions further on is carried, for all groups, by the link
//! from the first group to the one k positions further on. It carries as much as each link that it
//! represents, and has the same properties.

use base::IndexVec;

use crate::{GroupId, LinkId, Machine, NicId};

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
    pub(crate) fn at_offset(&self, from: usize, to: usize) -> GroupId {
        let n = self.groups.len();
        self.groups[if self.swaps { from ^ to } else { (to + n - from) % n }]
    }

    /// The position of each group of a machine in `groups`, if any.
    pub(crate) fn positions(&self, n_groups: usize) -> IndexVec<GroupId, Option<usize>> {
        let mut positions = IndexVec::filled(None, n_groups);
        for (position, &group) in self.groups.iter().enumerate() {
            positions[group] = Some(position);
        }
        positions
    }
}

/// The place of a NIC by which equivalent NICs are found: NICs of different groups may represent
/// each other if their kinds and switches are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoldingPlace {
    /// The unit that is represented as a whole.
    pub group: GroupId,
    /// Kind of the group.
    pub kind: u16,
    /// Its switch, counted within the group.
    pub switch: u32,
}

impl Machine {
    pub fn folding_place(&self, nic: NicId) -> FoldingPlace {
        let (switch, group) = (self.nic_switch[nic], self.group_of(nic));
        let switch = switch.0 - self.topology.first_switch(group).0;
        FoldingPlace { group, kind: self.group_kind[group], switch }
    }

    /// Whether cabling is uniform: the cables between any two of these groups end at the same
    /// switches, within their groups, as those of the first group at the same offset.
    pub fn has_uniform_cabling(&self, folding: &Folding) -> bool {
        self.topology.has_uniform_cabling(self, folding)
    }

    /// This machine with uniform cabling of those groups.
    ///
    /// Where groups assign their ports in order, traffic from the first group enters each other
    /// group at one switch, but the first group is entered through all of its cables. Without
    /// uniform cabling the links within the first group would be charged with load that no real
    /// group's links carry.
    pub fn with_uniform_cabling(&self, folding: &Folding) -> Machine {
        let mut machine = self.clone();
        machine.topology = self.topology.with_uniform_cabling(&mut machine.links, folding);
        machine
    }

    /// For each link the one that represents it. The groups of `folding` must be equal: as many
    /// switches, linked equally, and as many cables between any two.
    ///
    /// Links between such a group and another one are represented by those of the first group.
    /// Links within other groups represent themselves, although traffic of all groups may pass
    /// there.
    pub fn folded_links(&self, folding: &Folding) -> IndexVec<LinkId, LinkId> {
        self.topology.folded_links(self, folding)
    }
}
