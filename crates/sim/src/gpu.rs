//! Buffers in the memory of GPUs: how a message gets out of one and into another.
//!
//! Four ways. The CPU **loads** a short message and stores it at the other end. A **copy** engine
//! moves a longer one to or from host memory, piece by piece, so that the network carries one piece
//! while the next is copied. Within a node the receiver's GPU reads the sender's (**IPC**), over
//! the link between the two. The **NIC** reads and writes GPU memory itself, through the way that
//! all NICs of a CPU share. Which one it is, the library decides by length; rates are the
//! machine's. Equations in docs/models/node.md.

use crate::world::{Buffers, HostEvent, InFlight, Job, ProtocolPhase, Send, World};
use base::{Gap, Span, Time};
use machine::{Binding, GpuParams};
use net::{NetworkModel, Origin};
use std::collections::VecDeque;
use workload::Workload;

/// How the data of a message leaves a buffer, and enters one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GpuTransfer {
    /// The buffer is the host's, or there is none.
    Host,
    Load,
    Copy,
    Ipc,
    Nic,
}

/// Until when everything is taken that messages share.
#[derive(Debug)]
pub(crate) struct Gpus {
    params: GpuParams,
    /// A rank's copy engine: a stream of its own.
    engines: Vec<Time>,
    /// By node, reading GPU and GPU read: those of the nodes that have ranks, in order.
    links: Vec<Time>,
    /// By node and CPU: what its NICs read, and until when what they write is taken.
    arbiters: Vec<ReadArbiter>,
    written: Vec<Time>,
    /// By rank: its node's number among those, and the CPU its NIC hangs on.
    node: Vec<u32>,
    nic_cpu: Vec<u16>,
    /// GPUs and CPUs of a node, at most.
    gpus: usize,
    cpus: usize,
}

/// The way by which the NICs of a CPU read GPUs' memory: one message after another, of each NIC in
/// turn.
#[derive(Debug)]
struct ReadArbiter {
    free: Time,
    /// Something waits, and is served at `free`.
    is_awaited: bool,
    /// By NIC of the node; and whose turn is next.
    queues: Vec<VecDeque<InFlight>>,
    turn: usize,
}

impl ReadArbiter {
    fn next(&mut self) -> InFlight {
        let n = self.queues.len();
        let turn = (0..n).map(|k| (self.turn + k) % n).find(|&i| !self.queues[i].is_empty());
        let turn = turn.expect("a gate is served when something waits");
        self.turn = turn + 1;
        self.queues[turn].pop_front().expect("looked at above")
    }
}

/// `bytes` are served after all before them: when that begins.
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

    /// The copy engine of `rank` moves `bytes` from `now` on: when the first so many have been.
    fn copy(&mut self, rank: u32, bytes: u64, first: u64, now: Time) -> Time {
        let p = &self.params;
        let begin = queue(&mut self.engines[rank as usize], now, p.gap, bytes);
        begin + p.copy_latency + p.gap.span(first)
    }

    /// The same where the last so many come now and those before them have come already.
    fn copy_last(&mut self, rank: u32, bytes: u64, last: u64, now: Time) -> Time {
        let p = &self.params;
        let engine = &mut self.engines[rank as usize];
        *engine = (*engine + p.gap.span(bytes)).max(now + p.gap.span(last));
        *engine + p.copy_latency
    }

    /// The GPU of `to` reads `bytes` of the memory of `from`'s.
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

    /// The gate of the NIC of `rank`.
    fn arbiter(&self, rank: u32) -> usize {
        self.node[rank as usize] as usize * self.cpus + usize::from(self.nic_cpu[rank as usize])
    }

    /// The NIC of `rank` has written `bytes` by now, if no other of its CPU has: else when.
    fn written(&mut self, rank: u32, bytes: u64, now: Time) -> Time {
        let (at, span) = (self.arbiter(rank), self.params.nic_gap.span(bytes));
        let begun = Time(now.0.saturating_sub(span.0));
        queue(&mut self.written[at], begun, self.params.nic_gap, bytes) + span
    }
}

/// A copy between two GPUs, no faster than the library's `gap`.
struct Ipc {
    bytes: u64,
    gap: Gap,
    now: Time,
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// The way of a message of `bytes`, within a node or not.
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

    /// What a CPU does, on each side, to move a message to or from GPU memory.
    pub(crate) fn touch_cost(&self, same_node: bool, bytes: u64) -> Span {
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
        self.intranode.gpus.as_mut().expect("GPUs' buffers have their ways")
    }

    /// When data between GPUs of a node is out of the sender's buffer: in host memory, or in the
    /// receiver's.
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

    /// Whether a leg may leave its rank now: else it will, after others have read GPUs' memory.
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

    /// A gate is free: the next leg goes through.
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
        self.set_off(in_flight);
    }

    /// When a leg's data can enter the network.
    #[inline]
    pub(crate) fn leaves_at(&mut self, in_flight: InFlight) -> Time {
        let Send { from, to, .. } = self.sends[in_flight.send];
        let commanded = match in_flight.phase {
            ProtocolPhase::Eager | ProtocolPhase::RequestToSend => {
                self.command(self.representative(from))
            }
            ProtocolPhase::Get | ProtocolPhase::Data | ProtocolPhase::Finished => self.now,
        };
        let now = commanded + self.far_nics(in_flight) + self.host_ends(in_flight.phase, to);
        match self.job.buffers {
            Buffers::Host => now,
            Buffers::Gpu => self.leaves_gpu_at(in_flight, now),
        }
    }

    /// The same of what may lie in a GPU's memory, if the host's would leave `now`.
    fn leaves_gpu_at(&mut self, InFlight { send, phase }: InFlight, now: Time) -> Time {
        let send = self.sends[send];
        let (bytes, origin) = self.on_wire(&send, phase);
        let library = self.job.library.gpu;
        let nic = &self.job.machine.nic;
        match self.gpu_transfer(false, send.bytes) {
            GpuTransfer::Host | GpuTransfer::Load | GpuTransfer::Ipc => now,
            // Pieces follow each other: the first is awaited, and the engine's time for all.
            GpuTransfer::Copy
                if matches!(phase, ProtocolPhase::Eager | ProtocolPhase::RequestToSend) =>
            {
                let first = send.bytes.min(library.chunk);
                self.gpus().copy(send.from, send.bytes, first, now)
            }
            GpuTransfer::Copy => now,
            GpuTransfer::Nic => {
                // The network takes data of this length to be in the command.
                let fetched = origin == Origin::Host
                    && bytes <= nic.immediate_max
                    && send.bytes > library.immediate_max;
                if fetched { now + nic.fetch(bytes) } else { now }
            }
        }
    }

    /// When a message whose data has come is in its receiver's buffer, but for what the CPU does.
    pub(crate) fn usable_at(&mut self, send: &Send) -> Time {
        let (now, same_node) = (self.now, send.same_node);
        match self.gpu_transfer(same_node, send.bytes) {
            GpuTransfer::Host if same_node => self.copied_out_at(send),
            GpuTransfer::Host | GpuTransfer::Load | GpuTransfer::Ipc => now,
            GpuTransfer::Copy => {
                let last = send.bytes.min(self.job.library.gpu.chunk);
                self.gpus().copy_last(send.to, send.bytes, last, now)
            }
            GpuTransfer::Nic => self.gpus().written(send.to, send.bytes, now),
        }
    }
}
