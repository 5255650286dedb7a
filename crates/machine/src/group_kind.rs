//! A kind of group of a machine file: its switches, nodes and cabling.

use base::gcd;

/// Maximum number of NICs of a machine: congestion notices hold a NIC id in 24 bits.
pub(crate) const MAX_NICS: u64 = 1 << 24;

/// A resolved kind of group.
#[derive(Clone, Debug)]
pub struct GroupKind {
    pub name: String,
    pub compute: bool,
    pub groups: u32,
    /// Switches and chassis per group.
    pub switches: u32,
    pub chassis: u32,
    /// Parallel links between two switches of a chassis, and between chassis.
    pub local_links: u32,
    pub chassis_links: u32,
    /// Ports per switch reserved for links within the group, used or not.
    pub local_ports: u32,
    /// Maximum number of ports per switch for links to other groups.
    pub global_ports: Option<u32>,
    pub transit: bool,
    /// Whether its switches compare the loads of intermediate groups.
    pub group_load: bool,
    pub nodes: u32,
    pub nics: u32,
    /// For each NIC of a node, which of the node's switches it is cabled to.
    pub spread: Vec<u32>,
    pub cpus: u32,
    pub gpus: u32,
    pub gpu_tiles: u32,
}

impl GroupKind {
    /// Number of switches that a node is cabled to.
    pub(crate) fn width(&self) -> u32 {
        self.spread.iter().max().map_or(1, |m| m + 1)
    }
    pub(crate) fn slots(&self) -> u32 {
        self.switches / self.chassis
    }
    /// Links of a switch within its group.
    pub(crate) fn local_degree(&self) -> u32 {
        (self.slots() - 1) * self.local_links + (self.chassis - 1) * self.chassis_links
    }
    /// The switch, counted within its group, that NIC `nic` of node `node` is cabled to. Nodes fill
    /// blocks of `width` switches evenly and in order.
    pub(crate) fn switch_of(&self, node: u32, nic: u32) -> u32 {
        let blocks = self.switches / self.width();
        let block = (u64::from(node) * u64::from(blocks) / u64::from(self.nodes)) as u32;
        block * self.width() + self.spread[nic as usize]
    }
    /// The `nth` switch, counted within its group, to get a link to another group. Consecutive ones
    /// differ in chassis and in slot, so that the links to one group are spread over both.
    pub(crate) fn link_switch(&self, nth: u64) -> u32 {
        let (rows, cols) = (u64::from(self.chassis), u64::from(self.slots()));
        let nth = nth % (rows * cols);
        // Along the diagonal; after a complete cycle of rows and columns, along the next one.
        let cycle = rows / gcd(rows, cols) * cols;
        ((nth % rows) * cols + (nth + nth / cycle) % cols) as u32
    }
    /// NICs of the switch that has most.
    pub(crate) fn most_edge_ports(&self) -> u64 {
        let mut of_switch = vec![0u64; self.switches as usize];
        for node in 0..self.nodes {
            for nic in 0..self.nics {
                of_switch[self.switch_of(node, nic) as usize] += 1;
            }
        }
        of_switch.into_iter().max().unwrap_or(0)
    }
}
