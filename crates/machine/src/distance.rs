//! Positions of NICs and switches relative to each other, for code that knows no topology.

use crate::{Machine, NicId, SwitchId};

/// Distance of two NICs: within a node, a switch or a group, or between groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    Node,
    Switch,
    Group,
    Global,
}
impl Distance {
    pub const NAMES: [&str; 4] = ["node", "switch", "group", "global"];
}

impl Machine {
    pub fn distance(&self, a: NicId, b: NicId) -> Distance {
        if self.nic_node[a] == self.nic_node[b] {
            Distance::Node
        } else if self.nic_switch[a] == self.nic_switch[b] {
            Distance::Switch
        } else if self.group_of(a) == self.group_of(b) {
            Distance::Group
        } else {
            Distance::Global
        }
    }

    /// The unit of a switch, below `n_partition_units`. Switches of different units affect each
    /// other only by packets, credits and notices, with the delay of a cable.
    pub fn partition_unit(&self, switch: SwitchId) -> u32 {
        self.topology.partition_unit(switch)
    }

    pub fn n_partition_units(&self) -> u32 {
        self.topology.n_partition_units()
    }
}
