//! Inside a node: messages through shared memory, by whose CPU and how far, and NICs of another
//! CPU. Buffers in GPUs' memory have ways of their own: see `gpu`.
//!
//! One core copies, the sender's what it sends eagerly and the receiver's the rest of a rendezvous,
//! one message after another. A message is there after that and the latency, or when the node's
//! memory has served everybody's copies before it, whichever is later. Equations in
//! docs/models/node.md.

use crate::gpu::Gpus;
use crate::world::{Buffers, Job, Leg, Send, World};
use base::{IndexVec, Span, Time};
use machine::{Machine, NodeId};
use net::NetworkModel;
use workload::Workload;

pub struct Intranode {
    /// When each node's memory is through with the copies it has taken on.
    memory: IndexVec<NodeId, Time>,
    /// In a run whose buffers are GPUs'.
    pub(crate) gpus: Option<Box<Gpus>>,
}

impl Intranode {
    pub fn new(job: &Job) -> Intranode {
        let nodes = job.machine.node_nics.len().saturating_sub(1);
        let gpus = (job.buffers == Buffers::Gpu).then(|| Box::new(Gpus::new(job)));
        Intranode { memory: IndexVec::zeros(nodes), gpus }
    }
    /// When the memory of `node` has served `bytes` whose copying began at `begun`.
    fn serve(&mut self, machine: &Machine, node: NodeId, bytes: u64, begun: Time) -> Time {
        let memory = &mut self.memory[node];
        *memory = (*memory).max(begun) + machine.node.memory_gap.span(bytes);
        *memory
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    pub(crate) fn shares_node(&self, a: u32, b: u32) -> bool {
        self.nodes_of[a as usize] == self.nodes_of[b as usize]
    }

    /// Whether two ranks of a node run on different CPUs.
    fn is_far(&self, a: u32, b: u32) -> bool {
        self.job.seats[a as usize].binding.cpu != self.job.seats[b as usize].binding.cpu
    }

    /// An empty message between two ranks of a node.
    pub(crate) fn shm_latency(&self, a: u32, b: u32) -> Span {
        let p = &self.job.machine.node;
        if self.is_far(a, b) { p.shm_latency + p.far_latency } else { p.shm_latency }
    }

    /// What a core needs to copy from one rank of its node to another.
    pub(crate) fn copy_cost(&self, a: u32, b: u32, bytes: u64) -> Span {
        let p = &self.job.machine.node;
        if self.is_far(a, b) { p.far_gap.span(bytes) } else { p.shm_gap.span(bytes) }
    }

    /// When `bytes` between two ranks of a node are there, whose copying ends at `copied`.
    pub(crate) fn moved(&mut self, a: u32, b: u32, bytes: u64, copied: Time) -> Time {
        let begun = Time(copied.0.saturating_sub(self.copy_cost(a, b, bytes).0));
        let node = self.job.seats[a as usize].node;
        let served = self.intranode.serve(&self.job.machine, node, bytes, begun);
        copied.max(served) + self.shm_latency(a, b)
    }

    /// When a leg between ranks of a node is there. The sender has copied eager data already; the
    /// receiver copies the rest of a rendezvous itself.
    pub(crate) fn arrives_within_node(&mut self, send: &Send, leg: Leg) -> Time {
        let Send { from, to, bytes, .. } = *send;
        let is_data = matches!(leg, Leg::Eager | Leg::Data);
        match (self.job.buffers, leg) {
            (Buffers::Gpu, _) if is_data => {
                self.crosses_node(from, to, bytes) + self.shm_latency(from, to)
            }
            (_, Leg::Eager) => self.moved(from, to, bytes, self.now),
            (_, Leg::Data) => {
                let start = self.job.library.shm_start(bytes);
                let copied = self.work(to, start + self.copy_cost(from, to, bytes));
                self.moved(from, to, bytes, copied)
            }
            _ => self.now + self.shm_latency(from, to),
        }
    }

    /// What a leg needs more on the way between its NICs and the hosts that take part in it: who
    /// commands it, and who sees it. The receiver's NIC matches a request to send and asks for the
    /// data by itself, unless its host does both; the sender's gives it.
    pub(crate) fn host_ends(&self, leg: Leg, to: u32) -> Span {
        let ends = match leg {
            Leg::Eager => 2,
            Leg::RequestToSend | Leg::Data | Leg::Finished => 1,
            Leg::Get if self.guard.limits.is_software(self.played(to)) => 2,
            Leg::Get => 0,
        };
        self.job.machine.node.nic_latency * ends
    }

    /// What a message needs more on the way between its ranks and NICs that hang on other CPUs
    /// than theirs.
    pub(crate) fn far_nics(&self, a: u32, b: u32) -> Span {
        let far = |rank: u32| u64::from(self.job.seats[rank as usize].binding.has_far_nic);
        Span(self.job.machine.node.far_latency.0 * (far(a) + far(b)))
    }
}
