//! The machine's storage: what nodes write to it and read from it, one after the other.
//!
//! A transfer is over when its node and the storage have served everybody's bytes before it and its
//! own, whichever is later, and a latency after. See docs/models/storage.md.

use base::{IndexVec, Time};
use machine::{Machine, NodeId};

pub struct Storage {
    /// When each node's way to the storage, and the storage itself, are through with what they have
    /// taken on.
    nodes: IndexVec<NodeId, Time>,
    all: Time,
}

impl Storage {
    pub fn new(machine: &Machine) -> Storage {
        let nodes = machine.node_nics.len().saturating_sub(1);
        Storage { nodes: IndexVec::filled(Time::ZERO, nodes), all: Time::ZERO }
    }
    /// When `bytes` moved between `node` and the storage from `now` on are there.
    pub fn transfer(&mut self, machine: &Machine, node: NodeId, bytes: u64, now: Time) -> Time {
        let p = &machine.storage;
        let own = &mut self.nodes[node];
        *own = (*own).max(now) + p.node_gap.span(bytes);
        self.all = self.all.max(now) + p.gap.span(bytes);
        (*own).max(self.all) + p.latency
    }
}
