//! Calls that wait for the CPU of their rank, in the order in which the rank made them.

use crate::costs::{AccessMethod, GpuSide};
use crate::event::{CallId, HostEvent};
use crate::job::Buffers;
use crate::kernel::Kernel;
use base::{Slab, Span, Time};
use collectives::{Collective, NodeMap};
use net::NetworkModel;
use workload::{Call, Op};

/// A call, and the next call of its rank. A collective's entry stays until the rank leaves it.
struct CallEntry {
    call: Option<Call>,
    next: Option<CallId>,
}

/// The calls of all ranks. `Rank::calls` has the first and the last of each.
pub(crate) struct Calls(Slab<CallId, CallEntry>);

impl Calls {
    /// For `n` ranks. Most ranks wait in one call at a time.
    pub fn new(n: usize) -> Calls {
        Calls(Slab::with_capacity(n))
    }

    #[inline]
    pub fn prefetch(&self, id: CallId) {
        self.0.prefetch(id);
    }

    pub fn call(&self, id: CallId) -> &Call {
        self.0[id].call.as_ref().expect("it is listed once")
    }

    /// The collective that it calls.
    pub fn collective(&self, id: CallId) -> &Collective {
        match &self.call(id).op {
            Op::Collective { call, .. } => call,
            op => unreachable!("{op:?} is no collective"),
        }
    }

    /// Sets the grouping of ranks by node for that collective.
    pub fn set_nodes(&mut self, id: CallId, all: NodeMap) {
        if let Some(Call { op: Op::Collective { call, .. }, .. }) = &mut self.0[id].call {
            call.nodes = Some(all);
        }
    }

    /// Appends a call to its rank's list.
    #[inline]
    pub fn append<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, call: Call) {
        let at = call.rank;
        let id = self.0.insert(CallEntry { call: Some(call), next: None });
        let rank = &mut kernel.ranks[at as usize];
        match &mut rank.calls {
            Some((_, last)) => {
                self.0[*last].next = Some(id);
                *last = id;
            }
            None => {
                rank.calls = Some((id, id));
                rank.cpu = rank.cpu.max(kernel.now);
                self.schedule_next_call(kernel, at);
            }
        }
    }

    /// Removes the rank's next call from its list; the CPU has reached it.
    pub fn next<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, rank: u32) -> CallId {
        let calls = &mut kernel.ranks[rank as usize].calls;
        let (first, last) = calls.expect("a call was started");
        *calls = self.0[first].next.map(|next| (next, last));
        first
    }

    /// Takes a call that is not on a list any more.
    pub fn take(&mut self, id: CallId) -> Call {
        let call = self.0[id].call.take().expect("it is taken once");
        self.0.free(id);
        call
    }

    /// Puts the call back at the head of its rank's list.
    pub fn put_back<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, call: Call) {
        let calls = &mut kernel.ranks[call.rank as usize].calls;
        let next = calls.map(|(first, _)| first);
        let id = self.0.insert(CallEntry { call: Some(call), next });
        *calls = Some((id, calls.map_or(id, |(_, last)| last)));
    }

    /// Schedules the effect of the rank's next call: after the computation before it and the CPU
    /// time of the call itself.
    pub fn schedule_next_call<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, rank: u32) {
        let Some((first, _)) = kernel.ranks[rank as usize].calls else { return };
        let call = self.call(first);
        let cost = call_cost(kernel, rank, &call.op) + kernel.packing_time(call);
        let start = kernel.ranks[rank as usize].cpu;
        let when = kernel.end_of_work(rank, start, call.after + cost);
        if kernel.timeline.is_some() {
            note_computation(kernel, rank, start, when, cost);
        }
        kernel.ranks[rank as usize].cpu = when.max(kernel.now + Span(1));
        kernel.schedule(rank, when, HostEvent::Execute);
    }
}

/// Records the computation before a call, which takes effect at `when`.
#[cold]
fn note_computation<N: NetworkModel>(
    kernel: &mut Kernel<'_, N>,
    rank: u32,
    start: Time,
    when: Time,
    cost: Span,
) {
    let origin = kernel.origin;
    let in_job = |at: Time| Time(at.0.saturating_sub(origin.0));
    let begin = start.max(Time(when.0.saturating_sub(cost.0)));
    if let Some(timeline) = &mut kernel.timeline {
        timeline.compute(rank, in_job(start), in_job(begin));
    }
}

/// CPU time of a call before it takes effect.
fn call_cost<N: NetworkModel>(kernel: &Kernel<'_, N>, rank: u32, op: &Op) -> Span {
    let job = kernel.job;
    let (library, is_on_gpu) = (&job.library, job.buffers == Buffers::Gpu);
    match *op {
        // The protocol of the file system charges the CPU for its calls.
        Op::Pause | Op::Alarm { .. } | Op::Delay { .. } | Op::File(_) | Op::Exit => Span::ZERO,
        Op::Send { to, bytes, .. } => {
            let same_node = kernel.shares_node(rank, to);
            let rendezvous = job.wants_rendezvous(job.buffers, same_node, bytes);
            job.send_cost(job.buffers, (rank, to), same_node, bytes, rendezvous)
        }
        Op::OneSided { to, request_bytes, response_bytes, atomic, .. } => {
            let method = job.access_method(request_bytes, response_bytes, atomic);
            let span = job.access_cost(method, request_bytes, response_bytes);
            match kernel.shares_node(rank, to) {
                true if is_on_gpu && method == AccessMethod::Nic => span,
                true => library.shm_send_overhead,
                false => span,
            }
        }
        Op::Lock { to, .. } | Op::Unlock { to, .. } => match kernel.shares_node(rank, to) {
            true => library.shm_send_overhead,
            false => library.rma_overhead,
        },
        Op::Collective { ref call, .. } if call.kind.reduces() && is_on_gpu => {
            // The library reduces copies in host memory.
            library.call_overhead + job.staging_cost(call.reduced_bytes().0, GpuSide::Out)
        }
        Op::Recv { .. } => library.post_overhead,
        _ => library.call_overhead,
    }
}
