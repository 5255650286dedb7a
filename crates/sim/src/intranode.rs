//! Messages through shared memory within a node, and the distance between ranks and NICs of other
//! CPUs. Buffers in GPU memory: see `gpu`.
//!
//! A message between two ranks of a node is handled by their two cores. Through cells, the sender's
//! core copies in and the receiver's core copies out; otherwise the receiver's core copies once.
//! Each core handles one message at a time, and waits for cache lines of the other core. A copy
//! ends then or when the node's memory has served all earlier copies, whichever is later.
//! Equations: docs/models/node.md.

use crate::gpu::Gpus;
use crate::protocol::ends;
use crate::world::{Buffers, InFlight, Job, ProtocolPhase, Purpose, Send, World};
use base::{IndexVec, Span, Time};
use machine::{Machine, NicId, NodeId};
use net::NetworkModel;
use workload::Workload;

pub struct Intranode {
    /// Time at which each node's memory has finished the copies requested so far.
    memory: IndexVec<NodeId, Time>,
    /// With GPU buffers only.
    pub(crate) gpus: Option<Box<Gpus>>,
}

/// Copy method between two processes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CopyMethod {
    /// The sender copies in, the receiver out.
    Cells,
    /// The receiver copies out of the sender's memory, after `start`.
    Single { start: Span },
    /// See `gpu`.
    Gpu,
}

impl Intranode {
    pub fn new(job: &Job) -> Intranode {
        let nodes = job.machine.node_nics.len().saturating_sub(1);
        let gpus = (job.buffers == Buffers::Gpu).then(|| Box::new(Gpus::new(job)));
        Intranode { memory: IndexVec::zeros(nodes), gpus }
    }
    /// Time at which the memory of `node` has served `bytes` of a copy that began at `start`.
    fn serve(&mut self, machine: &Machine, node: NodeId, bytes: u64, start: Time) -> Time {
        let memory = &mut self.memory[node];
        *memory = (*memory).max(start) + machine.node.memory_gap.span(bytes);
        *memory
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    pub(crate) fn shares_node(&self, a: u32, b: u32) -> bool {
        self.nodes_of[a as usize] == self.nodes_of[b as usize]
    }

    /// Whether two ranks of a node run on different CPUs.
    fn is_far(&self, a: u32, b: u32) -> bool {
        self.job.placements[a as usize].binding.cpu != self.job.placements[b as usize].binding.cpu
    }

    /// Time until a core has the words of a message from another core's cache.
    pub(crate) fn shm_latency(&self, a: u32, b: u32) -> Span {
        let p = &self.job.machine.node;
        if self.is_far(a, b) { p.shm_latency + p.far_latency } else { p.shm_latency }
    }

    /// Time to copy between two ranks of a node.
    pub(crate) fn copy_cost(&self, a: u32, b: u32, bytes: u64) -> Span {
        let p = &self.job.machine.node;
        if self.is_far(a, b) { p.far_gap.span(bytes) } else { p.shm_gap.span(bytes) }
    }

    /// Copy time that packing or unpacking replaces: within a node, data is packed into cells, and
    /// unpacked from cells or from the sender's memory.
    pub(crate) fn replaced_copy_time(&self, rank: u32, peer: u32, bytes: u64) -> Span {
        match self.job.buffers {
            Buffers::Host if self.shares_node(rank, peer) => self.copy_cost(rank, peer, bytes),
            _ => Span::ZERO,
        }
    }

    /// The same for a received message: the copy that its receiver's core saves.
    pub(crate) fn replaced_copy_out_time(&self, send: &Send) -> Span {
        if !send.same_node {
            return Span::ZERO;
        }
        let bytes = match self.copy_method(send) {
            CopyMethod::Single { .. } => send.bytes,
            CopyMethod::Cells | CopyMethod::Gpu => self.in_cells(send),
        };
        self.copy_cost(send.from, send.to, bytes)
    }

    /// Whether only the receiver copies a message within a node.
    pub(crate) fn uses_single_copy(&self, from: u32, to: u32, bytes: u64) -> bool {
        let same_node = self.shares_node(from, to);
        let rendezvous = same_node && self.wants_rendezvous(same_node, bytes);
        rendezvous && self.job.library.single_copy_start(bytes).is_some()
    }

    /// Time at which `bytes` between two ranks of a node are there, if a core has copied them by
    /// `copied` and the node's memory keeps up.
    pub(crate) fn copy_end(&mut self, a: u32, b: u32, bytes: u64, copied: Time) -> Time {
        let start = Time(copied.0.saturating_sub(self.copy_cost(a, b, bytes).0));
        let node = self.job.placements[a as usize].node;
        copied.max(self.intranode.serve(&self.job.machine, node, bytes, start))
    }

    /// Copy method of a message within a node.
    fn copy_method(&self, send: &Send) -> CopyMethod {
        match self.job.buffers {
            Buffers::Gpu => CopyMethod::Gpu,
            Buffers::Host if !send.rendezvous => CopyMethod::Cells,
            Buffers::Host => match self.job.library.single_copy_start(send.bytes) {
                Some(start) => CopyMethod::Single { start },
                None => CopyMethod::Cells,
            },
        }
    }

    /// The next protocol phase of a matched rendezvous within a node. Through cells, the receiver
    /// requests the data; otherwise it copies the data itself.
    pub(crate) fn next_phase_within_node(&self, send: &Send) -> ProtocolPhase {
        if self.copy_method(send) == CopyMethod::Cells {
            ProtocolPhase::Get
        } else {
            ProtocolPhase::Data
        }
    }

    /// Time at which a protocol phase between ranks of a node has been written. Reading it is the
    /// work of the receiving core; if that answers at once, the work is added here.
    pub(crate) fn arrives_within_node(&mut self, send: &Send, phase: ProtocolPhase) -> Time {
        let Send { from, to, bytes, .. } = *send;
        let latency = self.shm_latency(from, to);
        match (self.copy_method(send), phase) {
            (CopyMethod::Gpu, ProtocolPhase::Eager) => self.gpu_copy_within_node(from, to, bytes),
            (CopyMethod::Gpu, ProtocolPhase::Data) => {
                self.gpu_copy_within_node(from, to, bytes) + latency
            }
            (CopyMethod::Gpu, _) => self.now + latency,
            // The sender has copied it in, for this reader or for the first of several.
            (_, ProtocolPhase::Eager) => {
                let is_in_shared_cell =
                    matches!(send.purpose, Purpose::Collective { is_in_shared_cell: true, .. });
                let written = if is_in_shared_cell { 0 } else { bytes };
                self.copy_end(from, to, written, self.now)
            }
            (_, ProtocolPhase::RequestToSend | ProtocolPhase::Finished) => self.now,
            // The receiver has read the request.
            (_, ProtocolPhase::Get) => self.occupy_cpu(self.representative(to), latency),
            (CopyMethod::Single { start }, ProtocolPhase::Data) => {
                let cost = latency + start + self.copy_cost(from, to, bytes);
                let copied = self.occupy_cpu(self.representative(to), cost);
                self.copy_end(from, to, bytes, copied)
            }
            // The sender has read the request and fills cells; this is the time of the first.
            (CopyMethod::Cells, ProtocolPhase::Data) => {
                let cost = self.copy_cost(from, to, bytes);
                let copied = self.occupy_cpu(self.representative(from), latency + cost);
                let first = bytes.min(self.job.library.shm_cell);
                let rest = cost.0 - self.copy_cost(from, to, first).0;
                Time(self.copy_end(from, to, bytes, copied).0 - rest)
            }
        }
    }

    /// Time at which the sender of a message within a node knows that it has been received.
    pub(crate) fn completion_within_node(&mut self, send: &Send) -> Time {
        let Send { from, to, rendezvous, .. } = *send;
        let cost = match self.copy_method(send) {
            CopyMethod::Gpu => return self.now,
            // Nothing is reported: the cells have been filled.
            CopyMethod::Cells if rendezvous => Span::ZERO,
            CopyMethod::Cells | CopyMethod::Single { .. } => self.shm_latency(from, to),
        };
        self.occupy_cpu(self.representative(from), cost)
    }

    /// Time of the receiver's core for a message within a node, in addition to MPI's overhead: the
    /// fetch, and the copy out of cells. Of an eager message of several cells, all but the last
    /// were copied while the sender filled the next.
    pub(crate) fn copy_out_cost(&self, send: &Send) -> Span {
        let Send { from, to, rendezvous, .. } = *send;
        match self.copy_method(send) {
            // It has already read the request.
            CopyMethod::Single { .. } => Span::ZERO,
            CopyMethod::Gpu if rendezvous => Span::ZERO,
            CopyMethod::Gpu => self.shm_latency(from, to),
            CopyMethod::Cells => {
                self.shm_latency(from, to) + self.copy_cost(from, to, self.in_cells(send))
            }
        }
    }

    /// Bytes that the receiver of a message copies out of cells.
    fn in_cells(&self, send: &Send) -> u64 {
        match self.copy_method(send) {
            // A cell with several readers is as long as their data.
            CopyMethod::Cells if send.rendezvous || send.bytes > self.job.library.shm_eager_max => {
                send.bytes
            }
            CopyMethod::Cells => send.bytes.min(self.job.library.shm_cell),
            CopyMethod::Gpu | CopyMethod::Single { .. } => 0,
        }
    }

    /// Time at which a message within a node is in its receiver's buffer, excluding CPU time: the
    /// node's memory may be the bottleneck.
    pub(crate) fn in_receive_buffer_at(&mut self, send: &Send) -> Time {
        let bytes = self.in_cells(send);
        if bytes == 0 {
            return self.now;
        }
        let (now, node) = (self.now, self.job.placements[send.from as usize].node);
        let served = self.intranode.serve(&self.job.machine, node, bytes, now);
        let cost = self.receive_cost(send);
        now.max(Time(served.0.saturating_sub(cost.0)))
    }

    /// Additional host latency of a protocol phase: the host that commands it and the host that
    /// observes it. The receiver's NIC matches a request to send and fetches the data by itself,
    /// unless its host does both; the sender's NIC sends the data.
    pub(crate) fn host_ends(&self, phase: ProtocolPhase, to: u32) -> Span {
        let ends = match phase {
            ProtocolPhase::Eager => 2,
            ProtocolPhase::RequestToSend | ProtocolPhase::Data | ProtocolPhase::Finished => 1,
            ProtocolPhase::Get
                if self.limit_checker.limits.is_software(self.representative(to)) =>
            {
                2
            }
            ProtocolPhase::Get => 0,
        };
        self.job.machine.node.nic_latency * ends
    }

    /// Additional latency of a protocol phase for ranks whose NICs are attached to other CPUs.
    #[inline]
    pub(crate) fn far_nics(&self, in_flight: InFlight) -> Span {
        let ends = if self.names_nics(in_flight.send) {
            self.far_named_nics(in_flight)
        } else {
            let Send { from, to, .. } = self.sends[in_flight.send];
            let far = |rank: u32| u64::from(self.job.placements[rank as usize].binding.has_far_nic);
            far(from) + far(to)
        };
        self.job.machine.node.far_nic_latency * ends
    }

    /// How many of the two NICs named by the workload are attached to other CPUs than their ranks'.
    fn far_named_nics(&self, in_flight: InFlight) -> u64 {
        let (src, dst) = ends(&self.sends[in_flight.send], in_flight.phase);
        let nics = self.nics_of(in_flight);
        let far = |rank: u32, nic: NicId| {
            let binding = &self.job.placements[rank as usize].binding;
            u64::from(self.job.machine.cpu_of(nic) != binding.cpu)
        };
        far(src, nics.0) + far(dst, nics.1)
    }
}
