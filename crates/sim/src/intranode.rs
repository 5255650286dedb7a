//! Messages through shared memory within a node, and the distance between ranks and NICs of other
//! CPUs. Buffers in GPU memory: see `gpu`.
//!
//! A message between two ranks of a node is handled by their two cores. Through cells, the sender's
//! core copies in and the receiver's core copies out; otherwise the receiver's core copies once.
//! Each core handles one message at a time, and waits for cache lines of the other core. A copy
//! ends then or when the node's memory has served all earlier copies, whichever is later.
//! Equations: docs/models/node.md.

use crate::costs::{CopyMethod, GpuSide, GpuTransfer};
use crate::event::ProtocolPhase;
use crate::gpu::{Gpus, Ipc};
use crate::job::{Buffers, Job};
use crate::kernel::Kernel;
use crate::send::{Purpose, Send};
use base::{IndexVec, Span, Time};
use machine::{Machine, NodeId};
use net::{NetworkModel, Origin};

pub(crate) struct Intranode {
    /// Time at which each node's memory has finished the copies requested so far.
    memory: IndexVec<NodeId, Time>,
    /// With GPU buffers only.
    gpus: Option<Box<Gpus>>,
}

impl Intranode {
    pub fn new(job: &Job) -> Intranode {
        let nodes = job.machine.node_nics.len().saturating_sub(1);
        let gpus = (job.buffers == Buffers::Gpu).then(|| Box::new(Gpus::new(job)));
        Intranode { memory: IndexVec::zeros(nodes), gpus }
    }
    pub fn gpus(&mut self) -> &mut Gpus {
        self.gpus.as_mut().expect("with GPU buffers there are GPUs")
    }
    /// Time at which the memory of `node` has served `bytes` of a copy that began at `start`.
    fn serve(&mut self, machine: &Machine, node: NodeId, bytes: u64, start: Time) -> Time {
        let memory = &mut self.memory[node];
        *memory = (*memory).max(start) + machine.node.memory_gap.span(bytes);
        *memory
    }
}

/// Copies through the memory of a node.
impl Intranode {
    /// Time at which `bytes` between two ranks of a node are there, if a core has copied them by
    /// `copied` and the node's memory keeps up.
    pub fn copy_end<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        (a, b): (u32, u32),
        bytes: u64,
        copied: Time,
    ) -> Time {
        let start = Time(copied.0.saturating_sub(kernel.job.copy_cost(a, b, bytes).0));
        copied.max(self.serve(&kernel.job.machine, kernel.node_of(a), bytes, start))
    }

    /// Time at which a protocol phase between ranks of a node has been written. Reading it is the
    /// work of the receiving core; if that answers at once, the work is added here.
    pub fn arrives_at<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        send: &Send,
        phase: ProtocolPhase,
    ) -> Time {
        let Send { from, to, bytes, .. } = *send;
        let job = kernel.job;
        let latency = job.shm_latency(from, to);
        match (job.copy_method(send), phase) {
            (CopyMethod::Gpu, ProtocolPhase::Eager) => self.gpu_copy(kernel, from, to, bytes),
            (CopyMethod::Gpu, ProtocolPhase::Data) => {
                self.gpu_copy(kernel, from, to, bytes) + latency
            }
            (CopyMethod::Gpu, _) => kernel.now + latency,
            // The sender has copied it in, for this reader or for the first of several.
            (_, ProtocolPhase::Eager) => {
                let is_in_shared_cell =
                    matches!(send.purpose, Purpose::Collective { is_in_shared_cell: true, .. });
                let written = if is_in_shared_cell { 0 } else { bytes };
                self.copy_end(kernel, (from, to), written, kernel.now)
            }
            (_, ProtocolPhase::RequestToSend | ProtocolPhase::Finished) => kernel.now,
            // The receiver has read the request.
            (_, ProtocolPhase::Get) => kernel.occupy_cpu(kernel.representative(to), latency),
            (CopyMethod::Single { start }, ProtocolPhase::Data) => {
                let cost = latency + start + job.copy_cost(from, to, bytes);
                let copied = kernel.occupy_cpu(kernel.representative(to), cost);
                self.copy_end(kernel, (from, to), bytes, copied)
            }
            // The sender has read the request and fills cells; this is the time of the first.
            (CopyMethod::Cells, ProtocolPhase::Data) => {
                let cost = job.copy_cost(from, to, bytes);
                let copied = kernel.occupy_cpu(kernel.representative(from), latency + cost);
                let first = bytes.min(job.library.shm_cell);
                let rest = cost.0 - job.copy_cost(from, to, first).0;
                Time(self.copy_end(kernel, (from, to), bytes, copied).0 - rest)
            }
        }
    }

    /// Time at which a message that has arrived is in its receiver's buffer, excluding CPU time.
    pub fn usable_at<N: NetworkModel>(&mut self, kernel: &Kernel<'_, N>, send: &Send) -> Time {
        let (now, same_node) = (kernel.now, send.same_node);
        let job = kernel.job;
        match job.gpu_transfer(job.buffers_of(send), same_node, send.bytes, GpuSide::In) {
            GpuTransfer::Host if same_node => self.in_receive_buffer_at(kernel, send),
            // The CPU moves it after this time, or it is there.
            GpuTransfer::Host | GpuTransfer::Load | GpuTransfer::Copy | GpuTransfer::Ipc => now,
            GpuTransfer::Pipeline => {
                let last = send.bytes.min(kernel.job.library.gpu.chunk);
                self.gpus().copy_last(send.to, send.bytes, last, now)
            }
            GpuTransfer::Nic => self.gpus().written(send.to, send.bytes, now),
        }
    }

    /// The same for a message within a node: the node's memory may be the bottleneck.
    fn in_receive_buffer_at<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        send: &Send,
    ) -> Time {
        let bytes = kernel.job.in_cells(send);
        if bytes == 0 {
            return kernel.now;
        }
        let (now, node) = (kernel.now, kernel.node_of(send.from));
        let served = self.serve(&kernel.job.machine, node, bytes, now);
        let cost = kernel.job.receive_cost(send);
        now.max(Time(served.0.saturating_sub(cost.0)))
    }
}

/// Buffers in GPU memory.
impl Intranode {
    /// Time at which data between GPUs of a node has left the sender's buffer: it is in host
    /// memory, or in the receiver's buffer.
    fn gpu_copy<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        from: u32,
        to: u32,
        bytes: u64,
    ) -> Time {
        let (job, now) = (kernel.job, kernel.now);
        match job.gpu_transfer(Buffers::Gpu, true, bytes, GpuSide::Out) {
            // The CPU has moved it.
            GpuTransfer::Host | GpuTransfer::Load | GpuTransfer::Copy | GpuTransfer::Nic => now,
            GpuTransfer::Pipeline => self.gpus().copy(from, bytes, bytes, now),
            GpuTransfer::Ipc => {
                let at = |rank: u32| (rank, job.placements[rank as usize].binding);
                let what = Ipc { bytes, gap: job.library.gpu.ipc_gap, now };
                self.gpus().read(at(from), at(to), what)
            }
        }
    }

    /// A rank accesses `bytes` in GPU memory of another rank of its node: its CPU time, and the
    /// time at which the copy engine or the NIC ends. MPICH uses shared memory only for windows
    /// that it has allocated; otherwise the NIC sends to itself.
    pub fn gpu_access<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        (from, to): (u32, u32),
        bytes: u64,
    ) -> (Span, Time) {
        let (job, now) = (kernel.job, kernel.now);
        if job.gpu_transfer(Buffers::Gpu, true, bytes, GpuSide::Out) == GpuTransfer::Ipc {
            let at = |rank: u32| (rank, job.placements[rank as usize].binding);
            let what = Ipc { bytes, gap: job.library.gpu.ipc_gap, now };
            return (Span::ZERO, self.gpus().read(at(to), at(from), what));
        }
        if bytes >= job.library.gpu.rdma_min {
            let nic = &job.machine.nic;
            let read = self.gpus().read_by_nic(to, bytes, now + nic.send_latency);
            let moved =
                nic.fetch(bytes) + job.gpu_read_latency() + nic.host_gap_one_way.span(bytes);
            return (Span::ZERO, self.gpus().written(from, bytes, read + moved) + nic.recv_latency);
        }
        // Out of one GPU's memory, and into the other's.
        let staged = job.staging_cost(bytes, GpuSide::Out) + job.staging_cost(bytes, GpuSide::In);
        (job.shm_latency(from, to) + staged, now)
    }

    /// Time at which the data of a protocol phase in GPU memory can enter the network, if data in
    /// host memory would leave at `now`.
    pub fn leaves_gpu_at(
        &mut self,
        job: &Job,
        send: &Send,
        phase: ProtocolPhase,
        now: Time,
    ) -> Time {
        let (bytes, origin) = job.on_wire(send, phase);
        let library = job.library.gpu;
        let nic = &job.machine.nic;
        match job.gpu_transfer(job.buffers_of(send), false, send.bytes, GpuSide::Out) {
            GpuTransfer::Host | GpuTransfer::Load | GpuTransfer::Copy | GpuTransfer::Ipc => now,
            // In pieces: wait for the first; the engine is busy for all.
            GpuTransfer::Pipeline
                if matches!(phase, ProtocolPhase::Eager | ProtocolPhase::RequestToSend) =>
            {
                let first = send.bytes.min(library.chunk);
                self.gpus().copy(send.from, send.bytes, first, now)
            }
            GpuTransfer::Pipeline => now,
            GpuTransfer::Nic => {
                // The network model assumes that data of this length is in the command.
                let in_command = origin == Origin::Host && bytes <= nic.immediate_max;
                match (bytes > 0, in_command, send.bytes > library.immediate_max) {
                    (false, ..) | (true, true, false) => now,
                    (true, true, true) => now + nic.fetch(bytes) + job.gpu_read_latency(),
                    (true, false, _) => now + job.gpu_read_latency(),
                }
            }
        }
    }
}

/// Time at which the sender of a message within a node knows that it has been received.
pub(crate) fn completion_within_node<N: NetworkModel>(
    kernel: &mut Kernel<'_, N>,
    send: &Send,
) -> Time {
    let Send { from, to, rendezvous, .. } = *send;
    let cost = match kernel.job.copy_method(send) {
        CopyMethod::Gpu => return kernel.now,
        // Nothing is reported: the cells have been filled.
        CopyMethod::Cells if rendezvous => Span::ZERO,
        CopyMethod::Cells | CopyMethod::Single { .. } => kernel.job.shm_latency(from, to),
    };
    kernel.occupy_cpu(kernel.representative(from), cost)
}
