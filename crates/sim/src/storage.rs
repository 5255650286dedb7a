//! The machine's storage: reads and writes of nodes, in call order.
//!
//! A transfer ends when both its node and the storage have served all earlier bytes and its own,
//! plus a latency. See docs/models/storage.md.

use base::{IndexVec, Time};
use machine::{Machine, NodeId};

pub struct Storage {
    /// Time at which each node's storage path, and the storage itself, have served all transfers so
    /// far.
    nodes: IndexVec<NodeId, Time>,
    all: Time,
}

impl Storage {
    pub fn new(machine: &Machine) -> Storage {
        let nodes = machine.node_nics.len().saturating_sub(1);
        Storage { nodes: IndexVec::filled(Time::ZERO, nodes), all: Time::ZERO }
    }
    /// Completion of a transfer of `bytes` between `node` and the storage that starts at `now`.
    pub fn transfer(&mut self, machine: &Machine, node: NodeId, bytes: u64, now: Time) -> Time {
        let p = &machine.local_storage;
        let own = &mut self.nodes[node];
        *own = (*own).max(now) + p.node_gap.span(bytes);
        self.all = self.all.max(now) + p.gap.span(bytes);
        (*own).max(self.all) + p.latency
    }
}
