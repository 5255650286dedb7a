//! Transfer of messages from and to buffers in GPU memory.
//!
//! There are four methods, selected by the library by message length:
//! - **Load**: the CPU loads a short message and stores it at the other end.
//! - **Copy**: a copy engine moves a longer message to or from host memory in pieces, so that the
//!   network carries one piece while the next is copied.
//! - **IPC**: within a node, the receiver's GPU reads the sender's memory over the link between
//!   them.
//! - **NIC**: the NIC accesses GPU memory directly, over the path that all NICs of a CPU share.
//!
//! Rates are parameters of the machine. Equations: docs/models/gpu-buffers.md.

use crate::world::{Buffers, HostEvent, InFlight, Job, ProtocolPhase, Send, World};
use base::{Gap, Span, Time};
use machine::{Binding, GpuParams};
use net::{NetworkModel, Origin};
use std::collections::VecDeque;
use workload::Workload;

/// Method by which a message leaves one buffer and enters the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GpuTransfer {
    /// The buffer is in host memory, or empty.
    Host,
    Load,
    Copy,
    Ipc,
    Nic,
}

/// Times at which the shared resources become free.
#[derive(Debug)]
pub(crate) struct Gpus {
    params: GpuParams,
    /// Copy engine of each rank.
    engines: Vec<Time>,
    /// By node (in the order of nodes with ranks), reading GPU, and GPU read.
    links: Vec<Time>,
    /// By node and CPU: arbiter of the reads of its NICs, and the time at which writes of its NICs
    /// are done.
    arbiters: Vec<ReadArbiter>,
    written: Vec<Time>,
    /// By rank: index of its node among the nodes with ranks, and the CPU of its NIC.
    node: Vec<u32>,
    nic_cpu: Vec<u16>,
    /// Maximum number of GPUs and of CPUs per node.
    gpus: usize,
    cpus: usize,
}

/// Arbiter of the path on which the NICs of a CPU read GPU memory: one message at a time, NICs in
/// round-robin order.
#[derive(Debug)]
struct ReadArbiter {
    free: Time,
    /// A message waits, and will be served at `free`.
    is_awaited: bool,
    /// Queue of each NIC of the node, and the NIC whose turn is next.
    queues: Vec<VecDeque<InFlight>>,
    turn: usize,
}

impl ReadArbiter {
    fn next(&mut self) -> InFlight {
        let n = self.queues.len();
        let turn = (0..n).map(|k| (self.turn + k) % n).find(|&i| !self.queues[i].is_empty());
        let turn = turn.expect("an arbiter serves only waiting messages");
        self.turn = turn + 1;
        self.queues[turn].pop_front().expect("looked at above")
    }
}

/// Serves `bytes` after all earlier requests; returns the start of service.
fn queue(server: &mut Time, now: Time, gap: Gap, bytes: u64) -> Time {
    let begin = now.max(*server);
    *server = begin + gap.span(bytes);
    begin
}

impl Gpus {
    pub fn new(job: &Job) -> Gpus {
        let params = job.machine.node.gpu.clone().expect("checked with the request");
        let mut nodes: Vec<_> = job.placements.iter().map(|placement| placement.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let number = |placement: &crate::RankPlacement| {
            nodes.binary_search(&placement.node).expect("listed") as u32
        };
        let nic_cpu: Vec<u16> = job.placements.iter().map(|s| job.machine.cpu_of(s.nic)).collect();
        let most = |all: &mut dyn Iterator<Item = u16>| usize::from(all.max().unwrap_or(0)) + 1;
        let gpus = most(&mut job.placements.iter().map(|placement| placement.binding.gpu));
        let cpus = most(&mut nic_cpu.iter().copied());
        let nics = job.placements.iter().map(|s| job.machine.nics_of_same_node(s.nic).len());
        let nics = nics.max().unwrap_or(0);
        let arbiter = |_| ReadArbiter {
            free: Time::ZERO,
            is_awaited: false,
            queues: (0..nics).map(|_| VecDeque::new()).collect(),
            turn: 0,
        };
        Gpus {
            params,
            engines: vec![Time::ZERO; job.placements.len()],
            links: vec![Time::ZERO; nodes.len() * gpus * gpus],
            arbiters: (0..nodes.len() * cpus).map(arbiter).collect(),
            written: vec![Time::ZERO; nodes.len() * cpus],
            node: job.placements.iter().map(number).collect(),
            nic_cpu,
            gpus,
            cpus,
        }
    }

    /// The copy engine of `rank` moves `bytes`, starting at `now` or when free. Returns the time at
    /// which the first `first` bytes are copied.
    fn copy(&mut self, rank: u32, bytes: u64, first: u64, now: Time) -> Time {
        let p = &self.params;
        let begin = queue(&mut self.engines[rank as usize], now, p.gap, bytes);
        begin + p.copy_latency + p.gap.span(first)
    }

    /// The same, if the last `last` bytes arrive now and all others have arrived before. Returns
    /// the end.
    fn copy_last(&mut self, rank: u32, bytes: u64, last: u64, now: Time) -> Time {
        let p = &self.params;
        let engine = &mut self.engines[rank as usize];
        *engine = (*engine + p.gap.span(bytes)).max(now + p.gap.span(last));
        *engine + p.copy_latency
    }

    /// The GPU of `to` reads `bytes` from the memory of the GPU of `from`; returns the end.
    fn read(&mut self, (from, a): (u32, Binding), (to, b): (u32, Binding), what: Ipc) -> Time {
        let Ipc { bytes, gap, now } = what;
        let p = &self.params;
        let link_gap = if a.gpu == b.gpu { p.tile_gap } else { p.link_gap };
        let at = self.node[from as usize] as usize * self.gpus * self.gpus;
        let link = &mut self.links[at + usize::from(b.gpu) * self.gpus + usize::from(a.gpu)];
        let by_link = queue(link, now, link_gap, bytes) + link_gap.span(bytes);
        let engine = &mut self.engines[to as usize];
        let by_engine = queue(engine, now, gap, bytes) + gap.span(bytes);
        by_link.max(by_engine) + p.copy_latency
    }

    /// The arbiter of the NIC of `rank`.
    fn arbiter(&self, rank: u32) -> usize {
        self.node[rank as usize] as usize * self.cpus + usize::from(self.nic_cpu[rank as usize])
    }

    /// The NIC of `rank` writes `bytes`, which end now unless another NIC of the same CPU delays
    /// them. Returns the end.
    fn written(&mut self, rank: u32, bytes: u64, now: Time) -> Time {
        let (at, span) = (self.arbiter(rank), self.params.nic_gap.span(bytes));
        let start = Time(now.0.saturating_sub(span.0));
        queue(&mut self.written[at], start, self.params.nic_gap, bytes) + span
    }
}

/// A copy between two GPUs, at most at the library's rate (`gap`).
struct Ipc {
    bytes: u64,
    gap: Gap,
    now: Time,
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// The transfer method for a message of `bytes`.
    pub(crate) fn gpu_transfer(&self, same_node: bool, bytes: u64) -> GpuTransfer {
        let library = &self.job.library.gpu;
        match self.job.buffers {
            Buffers::Host => GpuTransfer::Host,
            Buffers::Gpu if bytes == 0 => GpuTransfer::Host,
            Buffers::Gpu if same_node && bytes >= library.ipc_min => GpuTransfer::Ipc,
            Buffers::Gpu if !same_node && bytes >= library.rdma_min => GpuTransfer::Nic,
            Buffers::Gpu if bytes <= library.load_max => GpuTransfer::Load,
            Buffers::Gpu => GpuTransfer::Copy,
        }
    }

    /// CPU time on each side to move a message to or from GPU memory.
    pub(crate) fn gpu_access_cost(&self, same_node: bool, bytes: u64) -> Span {
        let library = &self.job.library.gpu;
        match self.gpu_transfer(same_node, bytes) {
            GpuTransfer::Host | GpuTransfer::Copy | GpuTransfer::Ipc => Span::ZERO,
            GpuTransfer::Load => {
                let gpu = self.job.machine.node.gpu.as_ref();
                library.load_overhead + gpu.map_or(Span::ZERO, |p| p.gap.span(bytes))
            }
            GpuTransfer::Nic => library.overhead,
        }
    }

    fn gpus(&mut self) -> &mut Gpus {
        self.intranode.gpus.as_mut().expect("with GPU buffers there are GPUs")
    }

    /// Time at which data between GPUs of a node has left the sender's buffer: it is in host
    /// memory, or in the receiver's buffer.
    pub(crate) fn gpu_copy_within_node(&mut self, from: u32, to: u32, bytes: u64) -> Time {
        let now = self.now;
        match self.gpu_transfer(true, bytes) {
            GpuTransfer::Host | GpuTransfer::Load | GpuTransfer::Nic => now,
            GpuTransfer::Copy => self.gpus().copy(from, bytes, bytes, now),
            GpuTransfer::Ipc => {
                let at = |rank: u32| (rank, self.job.placements[rank as usize].binding);
                let (a, b) = (at(from), at(to));
                let what = Ipc { bytes, gap: self.job.library.gpu.ipc_gap, now };
                self.gpus().read(a, b, what)
            }
        }
    }

    /// Whether a message may leave its rank now. Otherwise it is queued behind other reads of GPU
    /// memory.
    pub(crate) fn admits(&mut self, in_flight: InFlight) -> bool {
        let send = self.sends[in_flight.send];
        let is_read = !matches!(in_flight.phase, ProtocolPhase::Get | ProtocolPhase::Finished);
        if !is_read || self.gpu_transfer(false, send.bytes) != GpuTransfer::Nic {
            return true;
        }
        let (now, (bytes, _)) = (self.now, self.on_wire(&send, in_flight.phase));
        let nic = self.nics_of(in_flight).0;
        let nth = nic.0 - self.job.machine.nics_of_same_node(nic).start;
        let gpus = self.gpus();
        let (at, span) = (gpus.arbiter(send.from), gpus.params.nic_gap.span(bytes));
        let arbiter = &mut gpus.arbiters[at];
        if arbiter.free <= now && !arbiter.is_awaited {
            arbiter.free = now + span;
            return true;
        }
        arbiter.queues[nth as usize].push_back(in_flight);
        if !arbiter.is_awaited {
            arbiter.is_awaited = true;
            let when = arbiter.free;
            self.schedule(send.from, when, HostEvent::Serve(at as u32));
        }
        false
    }

    /// The arbiter is free: serves the next message.
    pub(crate) fn serve(&mut self, at: u32) {
        let now = self.now;
        let in_flight = self.gpus().arbiters[at as usize].next();
        let send = self.sends[in_flight.send];
        let (bytes, _) = self.on_wire(&send, in_flight.phase);
        let gpus = self.gpus();
        let when = now + gpus.params.nic_gap.span(bytes);
        let arbiter = &mut gpus.arbiters[at as usize];
        arbiter.free = when;
        arbiter.is_awaited = arbiter.queues.iter().any(|queue| !queue.is_empty());
        if arbiter.is_awaited {
            self.schedule(send.from, when, HostEvent::Serve(at));
        }
        self.start_phase(in_flight);
    }

    /// Time at which the data of a protocol phase can enter the network.
    #[inline]
    pub(crate) fn leaves_at(&mut self, in_flight: InFlight) -> Time {
        let Send { from, to, .. } = self.sends[in_flight.send];
        let command_time = match in_flight.phase {
            ProtocolPhase::Eager | ProtocolPhase::RequestToSend => {
                self.command(self.representative(from))
            }
            ProtocolPhase::Get | ProtocolPhase::Data | ProtocolPhase::Finished => self.now,
        };
        let now = command_time + self.far_nics(in_flight) + self.host_ends(in_flight.phase, to);
        match self.job.buffers {
            Buffers::Host => now,
            Buffers::Gpu => self.leaves_gpu_at(in_flight, now),
        }
    }

    /// The same for data in GPU memory, if data in host memory would leave at `now`.
    fn leaves_gpu_at(&mut self, InFlight { send, phase }: InFlight, now: Time) -> Time {
        let send = self.sends[send];
        let (bytes, origin) = self.on_wire(&send, phase);
        let library = self.job.library.gpu;
        let nic = &self.job.machine.nic;
        match self.gpu_transfer(false, send.bytes) {
            GpuTransfer::Host | GpuTransfer::Load | GpuTransfer::Ipc => now,
            // In pieces: wait for the first; the engine is busy for all.
            GpuTransfer::Copy
                if matches!(phase, ProtocolPhase::Eager | ProtocolPhase::RequestToSend) =>
            {
                let first = send.bytes.min(library.chunk);
                self.gpus().copy(send.from, send.bytes, first, now)
            }
            GpuTransfer::Copy => now,
            GpuTransfer::Nic => {
                // The network model assumes that data of this length is in the command.
                let fetched = origin == Origin::Host
                    && bytes <= nic.immediate_max
                    && send.bytes > library.immediate_max;
                if fetched { now + nic.fetch(bytes) } else { now }
            }
        }
    }

    /// Time at which a message that has arrived is in its receiver's buffer, excluding CPU time.
    pub(crate) fn usable_at(&mut self, send: &Send) -> Time {
        let (now, same_node) = (self.now, send.same_node);
        match self.gpu_transfer(same_node, send.bytes) {
            GpuTransfer::Host if same_node => self.in_receive_buffer_at(send),
            GpuTransfer::Host | GpuTransfer::Load | GpuTransfer::Ipc => now,
            GpuTransfer::Copy => {
                let last = send.bytes.min(self.job.library.gpu.chunk);
                self.gpus().copy_last(send.to, send.bytes, last, now)
            }
            GpuTransfer::Nic => self.gpus().written(send.to, send.bytes, now),
        }
    }
}
