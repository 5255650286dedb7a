//! Costs of calls and messages, as functions of the job alone: CPU times, copy methods within a
//! node, transfer methods of GPU buffers, and bytes in the network.

use crate::event::ProtocolPhase;
use crate::job::{Buffers, Job};
use crate::send::{Purpose, Send};
use base::Span;
use collectives::Kind;
use net::Origin;

use GpuSide::{In, Out};

/// An end of a transfer: data leaves GPU memory, or enters it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GpuSide {
    Out,
    In,
}

/// Method by which a message leaves one buffer and enters the other; see `gpu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GpuTransfer {
    /// The buffer is in host memory, or empty.
    Host,
    Load,
    /// The CPU has the whole message copied and waits.
    Copy,
    /// The copy engine copies in pieces while the network carries others.
    Pipeline,
    Ipc,
    Nic,
}

/// Executor of a one-sided operation between nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessMethod {
    Nic,
    ActiveMessage,
}

/// Copy method between two processes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CopyMethod {
    /// The sender copies in, the receiver out.
    Cells,
    /// The receiver copies out of the sender's memory, after `start`.
    Single { start: Span },
    /// See `gpu`.
    Gpu,
}

/// Protocol and CPU time.
impl Job {
    /// Memory of the buffers of a collective's messages. Reductions of GPU buffers work on copies
    /// in host memory: MPICH's `MPIR_Coll_host_buffer_alloc`, Open MPI's `coll/accelerator`.
    #[inline]
    pub(crate) fn buffers_in(&self, kind: Kind) -> Buffers {
        match self.buffers {
            Buffers::Gpu if !kind.reduces() => Buffers::Gpu,
            _ => Buffers::Host,
        }
    }

    /// The same of a message.
    #[inline]
    pub(crate) fn buffers_of(&self, send: &Send) -> Buffers {
        match send.purpose {
            _ if self.buffers == Buffers::Host => Buffers::Host,
            Purpose::Collective { kind, .. } => self.buffers_in(kind),
            Purpose::User { .. } => Buffers::Gpu,
        }
    }

    /// Whether a message uses rendezvous.
    pub(crate) fn wants_rendezvous(&self, buffers: Buffers, same_node: bool, bytes: u64) -> bool {
        let library = &self.library;
        if !same_node {
            return bytes > library.eager_max;
        }
        let by_ipc = || buffers == Buffers::Gpu && bytes > 0 && bytes >= library.gpu.ipc_min;
        bytes > library.shm_eager_max || by_ipc()
    }

    /// CPU time of the sender for one message: its overhead, and within a node the copy of an eager
    /// message.
    pub(crate) fn send_cost(
        &self,
        buffers: Buffers,
        (from, to): (u32, u32),
        same_node: bool,
        bytes: u64,
        rendezvous: bool,
    ) -> Span {
        let library = &self.library;
        let overhead = if same_node { library.shm_send_overhead } else { library.send_overhead };
        match buffers {
            Buffers::Host if !same_node || rendezvous => overhead,
            Buffers::Host => overhead + self.copy_cost(from, to, bytes),
            Buffers::Gpu => {
                let method = self.gpu_transfer(buffers, same_node, bytes, Out);
                overhead + self.gpu_access_cost(method, bytes)
            }
        }
    }

    /// CPU time of the receiver for one message, except `eager_copy_time`. Within a node, see
    /// `intranode`.
    pub(crate) fn receive_cost(&self, send: &Send) -> Span {
        let (library, same_node) = (&self.library, send.same_node);
        let overhead = if same_node {
            library.shm_recv_overhead + self.copy_out_cost(send)
        } else {
            library.recv_overhead
        };
        match self.buffers_of(send) {
            Buffers::Host => overhead,
            Buffers::Gpu => {
                let method = self.gpu_transfer(Buffers::Gpu, same_node, send.bytes, In);
                overhead + self.gpu_access_cost(method, send.bytes)
            }
        }
    }

    /// Time to copy eager data from the network to the buffer of its receive.
    #[inline]
    pub(crate) fn eager_copy_time(&self, send: &Send) -> Span {
        if send.same_node || send.rendezvous {
            return Span::ZERO;
        }
        self.library.eager_copy_gap.span(send.bytes)
    }

    /// Bytes of a protocol phase in the network, excluding packet headers, and their origin.
    pub(crate) fn on_wire(&self, send: &Send, phase: ProtocolPhase) -> (u64, Origin) {
        let library = &self.library;
        let part = library.rendezvous_eager_part.min(send.bytes);
        match phase {
            ProtocolPhase::Eager => (send.bytes + library.control_bytes, Origin::Host),
            ProtocolPhase::RequestToSend => (part + library.control_bytes, Origin::Host),
            ProtocolPhase::Get | ProtocolPhase::Finished => (0, Origin::Nic),
            ProtocolPhase::Data => (send.bytes - part, Origin::Nic),
        }
    }

    /// Bytes of a message that its receiver buffers until it is received.
    pub(crate) fn held_bytes(&self, send: &Send) -> u64 {
        if send.rendezvous {
            send.bytes.min(self.library.rendezvous_eager_part)
        } else {
            send.bytes
        }
    }

    /// CPU time for packing `segments` non-contiguous pieces before a message leaves, and for
    /// unpacking one of the same layout. With GPU buffers the GPU does it.
    pub(crate) fn pack_cost(
        &self,
        buffers: Buffers,
        bytes: u64,
        segments: u32,
        block: u64,
        grain: u64,
    ) -> (Span, Span) {
        if buffers == Buffers::Gpu {
            return (Span::ZERO, Span::ZERO);
        }
        let (library, segments) = (&self.library, u64::from(segments));
        let copied = library.packing.copy_time(bytes, grain, segments, library.local_copy_gap);
        (library.packing.datatype_time(bytes / block, segments) + copied, copied)
    }
}

/// Copies of a rank's own blocks.
impl Job {
    /// CPU time to copy `bytes` from one buffer of a collective to another of the same rank. In GPU
    /// memory it is a call of the GPU's runtime, which the CPU awaits.
    pub(crate) fn local_copy_time(&self, buffers: Buffers, bytes: u64) -> Span {
        match buffers {
            Buffers::Host => self.library.local_copy_gap.span(bytes),
            Buffers::Gpu if bytes == 0 => Span::ZERO,
            Buffers::Gpu => self.gpu_access_cost(GpuTransfer::Copy, bytes),
        }
    }
}

/// One-sided operations between nodes.
impl Job {
    /// Whether NICs execute an access, or active messages do, with the target's CPU. NICs cannot
    /// execute long atomics, nor access GPU memory unless the library lets them.
    pub(crate) fn access_method(&self, request: u64, response: u64, atomic: bool) -> AccessMethod {
        let bytes = request.max(response);
        let is_staged =
            self.buffers == Buffers::Gpu && bytes > 0 && bytes < self.library.gpu.rdma_min;
        match is_staged || (atomic && bytes > self.library.nic_atomic_max) {
            true => AccessMethod::ActiveMessage,
            false => AccessMethod::Nic,
        }
    }

    /// CPU time of the origin before the request of an access leaves.
    pub(crate) fn access_cost(&self, method: AccessMethod, request: u64, response: u64) -> Span {
        let (library, is_on_gpu) = (&self.library, self.buffers == Buffers::Gpu);
        match method {
            AccessMethod::Nic if !is_on_gpu => library.rma_overhead,
            AccessMethod::Nic if request > 0 && response == 0 && self.is_injected(request) => {
                library.rma_overhead + library.gpu.overhead + library.gpu.inject_copy
            }
            AccessMethod::Nic => library.rma_overhead + library.gpu.overhead,
            AccessMethod::ActiveMessage => library.send_overhead + self.staged(request, Out),
        }
    }

    /// Whether the provider copies the data of a put before the call returns.
    pub(crate) fn is_injected(&self, request: u64) -> bool {
        request <= self.library.inject_max
    }

    /// CPU time of the target for an active message: its receipt, its effect, and the response.
    pub(crate) fn active_message_cost(&self, request: u64, response: u64, atomic: bool) -> Span {
        let library = &self.library;
        let combined = if atomic { library.reduce_gap.span(request) } else { Span::ZERO };
        // Data in GPU memory is combined in host memory; its old value is the response.
        let read = if atomic { request.max(response) } else { response };
        library.recv_overhead
            + combined
            + self.staged(read, Out)
            + self.staged(request, In)
            + library.send_overhead
    }

    /// CPU time of the origin for the response to an active message.
    pub(crate) fn response_cost(&self, response: u64) -> Span {
        self.library.recv_overhead + self.staged(response, In)
    }

    /// CPU time to copy the data of an active message between host memory and the job's buffers.
    /// What leaves is packed by a copy, however short it is.
    fn staged(&self, bytes: u64, side: GpuSide) -> Span {
        match (self.buffers, side) {
            (Buffers::Host, _) => Span::ZERO,
            (Buffers::Gpu, Out) if bytes > 0 => self.gpu_access_cost(GpuTransfer::Copy, bytes),
            (Buffers::Gpu, _) => self.staging_cost(bytes, side),
        }
    }
}

/// Copies within a node.
impl Job {
    /// Whether two ranks of a node run on different CPUs.
    fn is_far(&self, a: u32, b: u32) -> bool {
        self.placements[a as usize].binding.cpu != self.placements[b as usize].binding.cpu
    }

    /// Time until a core has the words of a message from another core's cache.
    pub(crate) fn shm_latency(&self, a: u32, b: u32) -> Span {
        let p = &self.machine.node;
        if self.is_far(a, b) { p.shm_latency + p.far_latency } else { p.shm_latency }
    }

    /// Time to copy between two ranks of a node.
    pub(crate) fn copy_cost(&self, a: u32, b: u32, bytes: u64) -> Span {
        let p = &self.machine.node;
        if self.is_far(a, b) { p.far_gap.span(bytes) } else { p.shm_gap.span(bytes) }
    }

    /// Copy time that packing or unpacking replaces: within a node, data is packed into cells, and
    /// unpacked from cells or from the sender's memory.
    pub(crate) fn replaced_copy_time(
        &self,
        same_node: bool,
        (a, b): (u32, u32),
        bytes: u64,
    ) -> Span {
        match self.buffers {
            Buffers::Host if same_node => self.copy_cost(a, b, bytes),
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
    pub(crate) fn uses_single_copy(&self, same_node: bool, bytes: u64) -> bool {
        let rendezvous = same_node && self.wants_rendezvous(self.buffers, same_node, bytes);
        rendezvous && self.library.single_copy_start(bytes).is_some()
    }

    /// Copy method of a message within a node.
    pub(crate) fn copy_method(&self, send: &Send) -> CopyMethod {
        match self.buffers_of(send) {
            Buffers::Gpu => CopyMethod::Gpu,
            Buffers::Host if !send.rendezvous => CopyMethod::Cells,
            Buffers::Host => match self.library.single_copy_start(send.bytes) {
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

    /// Time of the receiver's core for a message within a node, in addition to MPI's overhead: the
    /// fetch, and the copy out of cells. Of an eager message of several cells, all but the last
    /// were copied while the sender filled the next.
    fn copy_out_cost(&self, send: &Send) -> Span {
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
    pub(crate) fn in_cells(&self, send: &Send) -> u64 {
        match self.copy_method(send) {
            // A cell with several readers is as long as their data.
            CopyMethod::Cells if send.rendezvous || send.bytes > self.library.shm_eager_max => {
                send.bytes
            }
            CopyMethod::Cells => send.bytes.min(self.library.shm_cell),
            CopyMethod::Gpu | CopyMethod::Single { .. } => 0,
        }
    }
}

/// Buffers in GPU memory.
impl Job {
    /// The transfer method for a message of `bytes`, at one of its ends.
    #[inline]
    pub(crate) fn gpu_transfer(
        &self,
        buffers: Buffers,
        same_node: bool,
        bytes: u64,
        side: GpuSide,
    ) -> GpuTransfer {
        let library = &self.library.gpu;
        let load_max = match side {
            GpuSide::Out => library.load_max.min(library.read_max),
            GpuSide::In => library.load_max,
        };
        match buffers {
            Buffers::Host => GpuTransfer::Host,
            Buffers::Gpu if bytes == 0 => GpuTransfer::Host,
            Buffers::Gpu if same_node && bytes >= library.ipc_min => GpuTransfer::Ipc,
            Buffers::Gpu if !same_node && bytes >= library.rdma_min => GpuTransfer::Nic,
            Buffers::Gpu if bytes <= load_max => GpuTransfer::Load,
            Buffers::Gpu if bytes >= library.pipeline_min => GpuTransfer::Pipeline,
            Buffers::Gpu => GpuTransfer::Copy,
        }
    }

    /// CPU time to move `bytes` to or from GPU memory by that method, at one end.
    pub(crate) fn gpu_access_cost(&self, method: GpuTransfer, bytes: u64) -> Span {
        let library = &self.library.gpu;
        let copied = || self.machine.node.gpu.as_ref().map_or(Span::ZERO, |p| p.gap.span(bytes));
        match method {
            GpuTransfer::Host | GpuTransfer::Pipeline | GpuTransfer::Ipc => Span::ZERO,
            GpuTransfer::Load => library.load_overhead + copied(),
            GpuTransfer::Copy => self.gpu_copy_latency() + copied(),
            GpuTransfer::Nic => library.overhead,
        }
    }

    /// CPU time to copy `bytes` between host and GPU memory, whole.
    pub(crate) fn staging_cost(&self, bytes: u64, side: GpuSide) -> Span {
        let library = &self.library.gpu;
        let load_max = match side {
            GpuSide::Out => library.load_max.min(library.read_max),
            GpuSide::In => library.load_max,
        };
        let method = match bytes {
            0 => GpuTransfer::Host,
            _ if bytes <= load_max => GpuTransfer::Load,
            _ => GpuTransfer::Copy,
        };
        self.gpu_access_cost(method, bytes)
    }

    fn gpu_copy_latency(&self) -> Span {
        self.machine.node.gpu.as_ref().map_or(Span::ZERO, |p| p.copy_latency)
    }

    /// Added where a NIC reads GPU memory instead of host memory.
    pub(crate) fn gpu_read_latency(&self) -> Span {
        self.machine.node.gpu.as_ref().map_or(Span::ZERO, |p| p.nic_latency)
    }
}
