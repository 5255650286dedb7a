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

use crate::event::InFlight;
use crate::job::{Job, RankPlacement};
use base::{Gap, Time};
use machine::{Binding, GpuParams};
use std::collections::VecDeque;

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
        let number = |placement: &RankPlacement| {
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
    pub fn copy(&mut self, rank: u32, bytes: u64, first: u64, now: Time) -> Time {
        let p = &self.params;
        let begin = queue(&mut self.engines[rank as usize], now, p.gap, bytes);
        begin + p.copy_latency + p.gap.span(first)
    }

    /// The same, if the last `last` bytes arrive now and all others have arrived before. Returns
    /// the end.
    pub fn copy_last(&mut self, rank: u32, bytes: u64, last: u64, now: Time) -> Time {
        let p = &self.params;
        let engine = &mut self.engines[rank as usize];
        *engine = (*engine + p.gap.span(bytes)).max(now + p.gap.span(last));
        *engine + p.copy_latency
    }

    /// The GPU of `to` reads `bytes` from the memory of the GPU of `from`; returns the end.
    pub fn read(&mut self, (from, a): (u32, Binding), (to, b): (u32, Binding), what: Ipc) -> Time {
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
    pub fn written(&mut self, rank: u32, bytes: u64, now: Time) -> Time {
        let (at, span) = (self.arbiter(rank), self.params.nic_gap.span(bytes));
        let start = Time(now.0.saturating_sub(span.0));
        queue(&mut self.written[at], start, self.params.nic_gap, bytes) + span
    }

    /// The NIC of `rank` reads `bytes` after all that its arbiter serves. Returns the time at which
    /// the first packet can leave.
    pub fn read_by_nic(&mut self, rank: u32, bytes: u64, now: Time) -> Time {
        let at = self.arbiter(rank);
        queue(&mut self.arbiters[at].free, now, self.params.nic_gap, bytes)
    }

    /// A message of `rank` requests to read `bytes` through the `nth` NIC of its node.
    pub fn admit(
        &mut self,
        (rank, in_flight): (u32, InFlight),
        nth: u32,
        bytes: u64,
        now: Time,
    ) -> Admission {
        let (at, span) = (self.arbiter(rank), self.params.nic_gap.span(bytes));
        let arbiter = &mut self.arbiters[at];
        if arbiter.free <= now && !arbiter.is_awaited {
            arbiter.free = now + span;
            return Admission::Admitted;
        }
        arbiter.queues[nth as usize].push_back(in_flight);
        let starts = !arbiter.is_awaited;
        arbiter.is_awaited = true;
        Admission::Queued(starts.then_some((at as u32, arbiter.free)))
    }

    /// The next message that an arbiter serves.
    pub fn next(&mut self, arbiter: u32) -> InFlight {
        self.arbiters[arbiter as usize].next()
    }

    /// An arbiter serves `bytes` from now. Returns the time of the next service, if a message
    /// waits.
    pub fn serve(&mut self, arbiter: u32, bytes: u64, now: Time) -> Option<Time> {
        let arbiter = &mut self.arbiters[arbiter as usize];
        // One-sided reads may have been admitted since.
        arbiter.free = arbiter.free.max(now) + self.params.nic_gap.span(bytes);
        arbiter.is_awaited = arbiter.queues.iter().any(|queue| !queue.is_empty());
        arbiter.is_awaited.then_some(arbiter.free)
    }
}

/// A copy between two GPUs, at most at the library's rate (`gap`).
pub(crate) struct Ipc {
    pub bytes: u64,
    pub gap: Gap,
    pub now: Time,
}

/// Progress of an arbiter.
pub(crate) enum Admission {
    /// The message may leave now.
    Admitted,
    /// It waits. With a number and a time, that arbiter serves the next message then.
    Queued(Option<(u32, Time)>),
}
