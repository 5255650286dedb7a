//! Messages between two ranks of one node: shared memory, not the network.
//!
//! A message is there after the latency and the pair's own copy, or when the node's memory has
//! served everybody's copies before it, whichever is later.

use base::{IndexVec, Time};
use machine::{Machine, NodeId};

pub struct Intranode {
    /// When each node's memory is through with the copies it has taken on.
    memory: IndexVec<NodeId, Time>,
}

impl Intranode {
    pub fn new(machine: &Machine) -> Intranode {
        let nodes = machine.node_nics.len().saturating_sub(1);
        Intranode { memory: IndexVec::filled(Time::ZERO, nodes) }
    }
    /// When `bytes` copied on `node` from `now` on have arrived.
    pub fn arrival(&mut self, machine: &Machine, node: NodeId, bytes: u64, now: Time) -> Time {
        let p = &machine.node;
        let memory = &mut self.memory[node];
        *memory = (*memory).max(now) + p.memory_gap.span(bytes);
        (now + p.shm_gap.span(bytes)).max(*memory) + p.shm_latency
    }
}
