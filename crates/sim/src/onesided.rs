//! One-sided operations on the memory of other ranks, and window locks, as NICs execute them.
//!
//! A request goes to the target's NIC, which writes, reads or combines, and answers. The target's
//! CPU takes part only in operations that the NIC cannot execute. Within a node the origin's CPU
//! accesses the shared memory. Equations and limits: docs/models/onesided.md.

use std::collections::VecDeque;

use crate::atomic_units::AtomicUnits;
use crate::costs::AccessMethod;
use crate::event::{AccessId, HostEvent, MessageOwner};
use crate::job::{Buffers, Job};
use crate::kernel::{Kernel, Outbound};
use crate::pairs::{InOrder, PairId, Pairs};
use crate::transport::Transport;
use base::{Gap, Slab, Span, Time};
use machine::{Idle, LinkId};
use mpi::Locks;
use net::{Completion, NetworkModel, Origin};
use workload::{Context, OpCompletion, Token};

#[derive(Clone, Copy, Debug)]
pub(crate) enum OneSidedOp {
    /// `request_bytes` of data go to the target, `response_bytes` return.
    Transfer {
        request_bytes: u64,
        response_bytes: u64,
        atomic: bool,
    },
    Lock {
        context: Context,
        exclusive: bool,
    },
    Unlock {
        context: Context,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub from: u32,
    pub to: u32,
    token: Token,
    pub op: OneSidedOp,
    pair: PairId,
    /// Its number among the requests of its pair and, for an access, among the accesses.
    nth: u32,
    nth_access: u32,
    /// Time at which the target was ready for it; the time of the call until that is known.
    ready: Time,
    /// The request has taken effect, and the message in flight is the response.
    is_response: bool,
}

/// One-sided operations of one rank on another rank's memory, in the order of the calls.
#[derive(Default)]
pub(crate) struct Channel {
    requests: u32,
    accesses: u32,
    arrived_requests: InOrder<AccessId>,
    responses: InOrder<AccessId>,
    /// Time at which the latest access takes effect at the target, and at which it is complete at
    /// the origin: lower bounds for the next.
    effective: Time,
    completed: Time,
    /// Whether the channel is in `OneSided::finished`.
    is_finished: bool,
}

impl Channel {
    /// Whether no request or response is in flight.
    fn is_idle(&self) -> bool {
        self.arrived_requests.awaits(self.requests) && self.responses.awaits(self.accesses)
    }

    /// Makes the idle channel equal to a new one, which has the same effect from `effective` and
    /// `completed` on.
    fn restart(&mut self) {
        (self.requests, self.accesses) = (0, 0);
        self.arrived_requests.restart();
        self.responses.restart();
        (self.effective, self.completed) = (Time::ZERO, Time::ZERO);
    }
}

/// The one-sided operations of all ranks.
pub(crate) struct OneSided {
    pub accesses: Slab<AccessId, Access>,
    channels: Pairs<Channel>,
    /// Channels of which an access has finished, or a lock or unlock has reached the target. They
    /// may be removed: an all-to-all has as many pairs as accesses.
    finished: VecDeque<PairId>,
    locks: Locks<AccessId>,
    units: AtomicUnits,
    /// Scratch space: locks granted at this instant, and the links of a path.
    granted: Vec<AccessId>,
    path: Vec<LinkId>,
}

impl OneSided {
    pub fn new() -> OneSided {
        OneSided {
            accesses: Slab::with_capacity(0),
            channels: Pairs::new(),
            finished: VecDeque::new(),
            locks: Locks::default(),
            units: AtomicUnits::default(),
            granted: Vec::new(),
            path: Vec::new(),
        }
    }

    pub fn access<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        from: u32,
        token: Token,
        to: u32,
        op: OneSidedOp,
    ) {
        self.remove_channels(t.kernel.now);
        let pair = self.channels.id(from, to);
        let same_node = t.kernel.shares_node(from, to);
        let channel = &mut self.channels[pair];
        let (nth, nth_access) = (channel.requests, channel.accesses);
        let ready = t.kernel.now;
        let mut access =
            Access { from, to, token, op, pair, nth, nth_access, ready, is_response: false };
        match op {
            OneSidedOp::Transfer { request_bytes, response_bytes, atomic } => {
                count_access(t, from, to, request_bytes, response_bytes);
                if same_node {
                    return self.access_within_node(
                        t,
                        access,
                        request_bytes,
                        response_bytes,
                        atomic,
                    );
                }
                self.channels[pair].accesses = nth_access.wrapping_add(1);
                if needs_cpu(t.kernel.job, op) {
                    t.limit_checker.register_temporary(&mut t.kernel, from, request_bytes);
                }
                if t.kernel.job.machine.nic.response > 0 && !needs_cpu(t.kernel.job, op) {
                    // The target's NIC executes it and responds packet by packet.
                    access.is_response = true;
                    let id = self.accesses.insert(access);
                    return self.issue(t, id);
                }
            }
            OneSidedOp::Lock { .. } => {}
            OneSidedOp::Unlock { .. } => {
                let done = OpCompletion { rank: from, token, ready, ..OpCompletion::default() };
                t.kernel.complete(t.kernel.now, done);
            }
        }
        self.channels[pair].requests = nth.wrapping_add(1);
        access.nth = nth;
        let id = self.accesses.insert(access);
        if same_node {
            let when = t.kernel.now + t.kernel.job.shm_latency(from, to);
            t.kernel.schedule(to, when, HostEvent::Arrive(MessageOwner::Access(id)));
            return;
        }
        self.issue(t, id);
    }

    /// Removes channels whose state has no effect any more: at most two, so a call takes constant
    /// time, and more than one, so they become no more than the channels in use.
    fn remove_channels(&mut self, now: Time) {
        for _ in 0..2 {
            let Some(&pair) = self.finished.front() else { return };
            let channel = &mut self.channels[pair];
            let is_idle = channel.is_idle();
            if is_idle && channel.completed.max(channel.effective) > now {
                return;
            }
            self.finished.pop_front();
            // A busy channel is appended again: its access in flight finishes, or its lock or
            // unlock reaches the target.
            channel.is_finished = false;
            if is_idle {
                channel.restart();
                self.channels.remove(pair);
            }
        }
    }

    /// Marks a channel as one that may be removed when it is idle.
    fn append_finished(&mut self, pair: PairId) {
        if !std::mem::replace(&mut self.channels[pair].is_finished, true) {
            self.finished.push_back(pair);
        }
    }

    /// Number of ordered pairs of ranks with a channel.
    pub fn n_channels(&self) -> usize {
        self.channels.iter().count()
    }

    /// A core commands its NIC; the NIC's interface limits the rate of commands.
    fn issue<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId) {
        let from = self.accesses[id].from;
        let next = t.kernel.now + t.kernel.job.machine.nic.core_gap;
        let cpu = &mut t.kernel.ranks[from as usize].cpu;
        *cpu = next.max(*cpu);
        let mut when = t.kernel.command(from) + t.kernel.job.machine.node.nic_latency;
        if let OneSidedOp::Transfer { request_bytes, .. } = self.accesses[id].op {
            when = gpu_read(t, from, when, request_bytes, self.accesses[id].op);
        }
        match when > t.kernel.now {
            true => t.kernel.schedule(from, when, HostEvent::Issue(id)),
            false => self.request(t, id),
        }
    }

    /// A request leaves its origin.
    pub fn request<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId) {
        let Access { from, to, op, is_response, .. } = self.accesses[id];
        match op {
            // If NICs respond packet by packet, completion means that all responses have arrived.
            OneSidedOp::Transfer { request_bytes, response_bytes, .. } if is_response => {
                self.inject(
                    t,
                    id,
                    (from, to),
                    request_bytes,
                    (Origin::Host, Completion::Initiator(response_bytes)),
                );
            }
            OneSidedOp::Transfer { request_bytes, .. } => {
                self.inject(t, id, (from, to), request_bytes, (Origin::Host, Completion::Target))
            }
            OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => {
                self.inject(t, id, (from, to), 0, (Origin::Host, Completion::Target));
            }
        }
    }

    /// Its target, and the sum of its bytes in both directions.
    pub fn target(&self, id: AccessId) -> (u32, u64) {
        let Access { to, op, .. } = self.accesses[id];
        match op {
            OneSidedOp::Transfer { request_bytes, response_bytes, .. } => {
                (to, request_bytes + response_bytes)
            }
            OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => (to, 0),
        }
    }

    /// Injects a request or response from one rank's NIC to another's.
    fn inject<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        id: AccessId,
        (src, dst): (u32, u32),
        bytes: u64,
        (origin, completion): (Origin, Completion),
    ) {
        let Access { from, op, .. } = self.accesses[id];
        let outbound = Outbound {
            rank: from,
            nics: (t.kernel.nic_of(src), t.kernel.nic_of(dst)),
            bytes,
            origin,
            completion,
            in_order: is_atomic(t.kernel.job, op),
            handling: Span::ZERO,
        };
        t.kernel.send(MessageOwner::Access(id), outbound);
    }

    /// Within a node the origin's CPU moves and combines the bytes.
    fn access_within_node<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        access: Access,
        request_bytes: u64,
        response_bytes: u64,
        atomic: bool,
    ) {
        let start = t.kernel.occupy_cpu(access.from, Span::ZERO);
        let Access { from, to, .. } = access;
        let bytes = request_bytes + response_bytes;
        let combined =
            if atomic { t.kernel.job.library.reduce_gap.span(request_bytes) } else { Span::ZERO };
        if t.kernel.job.buffers == Buffers::Gpu && bytes > 0 {
            let (busy, when) = t.intranode.gpu_access(&t.kernel, (from, to), bytes);
            let busy = busy + combined;
            t.kernel.occupy_cpu(from, busy);
            return self.finish_access(t, &access, (start + busy).max(when));
        }
        let copied = start + t.kernel.job.copy_cost(from, to, bytes);
        let moved = t.intranode.copy_end(&t.kernel, (from, to), bytes, copied)
            + t.kernel.job.shm_latency(from, to);
        let when = moved + combined;
        let span = when.since(start);
        t.kernel.occupy_cpu(access.from, span);
        self.finish_access(t, &access, when);
    }

    /// A request or a response has arrived.
    pub fn access_arrives<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId) {
        let Access { pair, nth, nth_access, is_response, .. } = self.accesses[id];
        if is_response {
            if let OneSidedOp::Lock { .. } = self.accesses[id].op {
                return self.complete_lock(t, id);
            }
            self.channels[pair].responses.push(nth_access, id);
            while let Some(id) = self.channels[pair].responses.pop() {
                self.complete_access(t, id);
            }
            return;
        }
        self.channels[pair].arrived_requests.push(nth, id);
        while let Some(id) = self.channels[pair].arrived_requests.pop() {
            self.take_effect(t, id);
        }
    }

    fn take_effect<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId) {
        let access = self.accesses[id];
        match access.op {
            OneSidedOp::Transfer { request_bytes, response_bytes, atomic } => {
                let mut when = t.kernel.now;
                let job = t.kernel.job;
                if needs_cpu(job, access.op) {
                    let span = job.active_message_cost(request_bytes, response_bytes, atomic);
                    when = t.kernel.occupy_cpu(access.to, span);
                    self.accesses[id].ready = Time(when.0 - span.0);
                    // It observes the request, and commands its NIC to respond.
                    when += job.machine.node.nic_latency * 2;
                } else {
                    when = gpu_written(t, access.to, when, request_bytes);
                    if atomic || response_bytes > 0 {
                        when += job.machine.nic.fetch(response_bytes);
                        when = gpu_read(t, access.to, when, response_bytes, access.op);
                    }
                    if atomic {
                        when = self.units.execute(&job.machine, t.kernel.nic_of(access.to), when);
                    }
                }
                let channel = &mut self.channels[access.pair];
                when = when.max(channel.effective);
                channel.effective = when;
                self.respond_at(t, id, when);
            }
            OneSidedOp::Lock { context, exclusive } => {
                self.append_finished(access.pair);
                if self.locks.request(context, access.to, access.from, exclusive, id) {
                    self.grant(t, id);
                }
            }
            OneSidedOp::Unlock { context } => {
                self.append_finished(access.pair);
                let mut granted = std::mem::take(&mut self.granted);
                let held = self.locks.release(context, access.to, access.from, &mut granted);
                self.accesses.free(id);
                if !held {
                    let to = t.kernel.own_number(access.to);
                    let what = format!("unlock of rank {to}'s window, not locked");
                    t.kernel.erroneous(access.from, what);
                }
                granted.drain(..).for_each(|id| self.grant(t, id));
                self.granted = granted;
            }
        }
    }

    /// The lock is granted: the response leaves the target's NIC, or is observed in the node's
    /// memory.
    fn grant<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId) {
        self.accesses[id].ready = t.kernel.now;
        let Access { from, to, .. } = self.accesses[id];
        let after = if t.kernel.shares_node(from, to) {
            Span::ZERO
        } else {
            t.kernel.job.machine.nic.dma_latency
        };
        self.respond_at(t, id, t.kernel.now + after);
    }

    fn respond_at<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId, when: Time) {
        self.accesses[id].is_response = true;
        if when == t.kernel.now {
            return self.send_response(t, id);
        }
        t.kernel.schedule(self.accesses[id].to, when, HostEvent::Respond(id));
    }

    /// The response leaves the target.
    pub fn send_response<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId) {
        let Access { from, to, op, .. } = self.accesses[id];
        let response_bytes = match op {
            OneSidedOp::Transfer { response_bytes, .. } => response_bytes,
            OneSidedOp::Lock { .. } if t.kernel.shares_node(from, to) => {
                return self.complete_lock(t, id);
            }
            OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => 0,
        };
        if needs_cpu(t.kernel.job, op) {
            t.limit_checker.register_temporary(&mut t.kernel, to, response_bytes);
            return self.inject(
                t,
                id,
                (to, from),
                response_bytes,
                (Origin::Host, Completion::Target),
            );
        }
        if response_bytes > 0 {
            return self.inject(
                t,
                id,
                (to, from),
                response_bytes,
                (Origin::Response, Completion::Target),
            );
        }
        // An acknowledgement or a lock response does not contend: it takes the latency of its links
        // and its wire time.
        let machine = &t.kernel.job.machine;
        let (src, dst) = (t.kernel.nic_of(to), t.kernel.nic_of(from));
        machine.walk(src, dst, 0, &Idle, &mut self.path);
        let latency: Span = self.path.iter().map(|&link| machine.links.latency[link]).sum();
        let slowest = self.path.iter().map(|&link| machine.links.gap[link]).max();
        let wire = slowest.unwrap_or(Gap::ZERO).span(machine.nic.response);
        t.kernel.schedule(
            from,
            t.kernel.now + latency + wire,
            HostEvent::Arrive(MessageOwner::Access(id)),
        );
    }

    /// Completion of an access whose target answered packet by packet, if it took no time to read
    /// host memory or to combine. The network model leaves both out; nothing waits in between.
    fn answered_at<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        access: &Access,
        now: Time,
    ) -> Time {
        let OneSidedOp::Transfer { response_bytes, atomic, .. } = access.op else { return now };
        let machine = &kernel.job.machine;
        if !atomic {
            return now + machine.nic.read_for_get(response_bytes);
        }
        if machine.nic.atomic_gap == Span::ZERO {
            return now;
        }
        let (src, dst) = (kernel.nic_of(access.to), kernel.nic_of(access.from));
        machine.walk(src, dst, 0, &Idle, &mut self.path);
        let back: Span = self.path.iter().map(|&link| machine.links.latency[link]).sum();
        let arrived = Time(now.0.saturating_sub(back.0));
        let word = self.units.cached(&machine.nic, access.to, arrived);
        self.units.execute(machine, src, word) + back
    }

    fn complete_lock<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId) {
        let Access { from, to, token, ready, .. } = self.accesses[id];
        self.accesses.free(id);
        let when = t.kernel.now + observation_latency(&t.kernel, from, to);
        t.kernel
            .complete(when, OpCompletion { rank: from, token, ready, ..OpCompletion::default() });
    }

    fn complete_access<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: AccessId) {
        let access = self.accesses[id];
        self.accesses.free(id);
        let mut when = t.kernel.now;
        if let (true, OneSidedOp::Transfer { request_bytes, response_bytes, .. }) =
            (needs_cpu(t.kernel.job, access.op), access.op)
        {
            t.limit_checker.deregister_temporary(&t.kernel, access.from, request_bytes);
            t.limit_checker.deregister_temporary(&t.kernel, access.to, response_bytes);
            when = t.kernel.occupy_cpu(access.from, t.kernel.job.response_cost(response_bytes));
        } else if let OneSidedOp::Transfer { response_bytes, .. } = access.op {
            when = gpu_written(t, access.from, when, response_bytes);
            if t.kernel.job.machine.nic.response > 0 {
                when = self.answered_at(&t.kernel, &access, when);
            }
        }
        when += observation_latency(&t.kernel, access.from, access.to);
        self.finish_access(t, &access, when);
    }

    fn finish_access<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        access: &Access,
        when: Time,
    ) {
        let Access { from, to, token, ready, op, pair, .. } = *access;
        let response_bytes =
            if let OneSidedOp::Transfer { response_bytes, .. } = op { response_bytes } else { 0 };
        let when = when.max(self.channels[pair].completed);
        let when = match t.kernel.unpacking_time(from, token, response_bytes, |kernel| {
            kernel.replaced_copy_time(from, to, response_bytes)
        }) {
            Span::ZERO => when,
            cost => t.kernel.occupy_cpu(from, cost).max(when + cost),
        };
        // Includes unpacking: a later unlock reports that everything is there.
        self.channels[pair].completed = when;
        self.append_finished(pair);
        t.kernel.complete(
            when,
            OpCompletion { rank: from, token, peer: to, ready, ..OpCompletion::default() },
        );
    }

    /// Locks that ranks wait for: (rank, what).
    pub fn waiting_for_locks<N: NetworkModel>(&self, kernel: &Kernel<'_, N>) -> Vec<(u32, String)> {
        let say = |(id, holders): (AccessId, &[u32])| {
            let Access { from, to, op, .. } = self.accesses[id];
            let how = match op {
                OneSidedOp::Lock { exclusive: true, .. } => "exclusive",
                _ => "shared",
            };
            let who = match holders {
                &[one] => format!("rank {}", kernel.own_number(one)),
                &[one, ref rest @ ..] => {
                    format!("rank {} and {} more", kernel.own_number(one), rest.len())
                }
                [] => unreachable!("a lock with waiting ranks is held"),
            };
            let to = kernel.own_number(to);
            (from, format!("lock ({how}) of rank {to}'s window, which {who} holds"))
        };
        self.locks.waiting().map(say).collect()
    }
}

/// Whether the target's CPU executes it, because the NIC cannot.
fn needs_cpu(job: &Job, op: OneSidedOp) -> bool {
    match op {
        OneSidedOp::Transfer { request_bytes, response_bytes, atomic } => {
            job.access_method(request_bytes, response_bytes, atomic) == AccessMethod::ActiveMessage
        }
        OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => false,
    }
}

/// Time at which the NIC of `rank` has the first packet of `bytes` of the rank's buffer, if it has
/// it from host memory at `when`.
fn gpu_read<N: NetworkModel>(
    t: &mut Transport<'_, N>,
    rank: u32,
    when: Time,
    bytes: u64,
    op: OneSidedOp,
) -> Time {
    let job = t.kernel.job;
    if job.buffers == Buffers::Host || bytes == 0 || needs_cpu(job, op) {
        return when;
    }
    let is_put = matches!(op, OneSidedOp::Transfer { response_bytes: 0, atomic: false, .. });
    if is_put && job.is_injected(bytes) {
        return when;
    }
    t.intranode.gpus().read_by_nic(rank, bytes, when) + job.gpu_read_latency()
}

/// Time at which the NIC of `rank` has written `bytes` to the rank's buffer, if they are in host
/// memory at `now`.
fn gpu_written<N: NetworkModel>(
    t: &mut Transport<'_, N>,
    rank: u32,
    now: Time,
    bytes: u64,
) -> Time {
    match t.kernel.job.buffers {
        Buffers::Gpu if bytes > 0 => t.intranode.gpus().written(rank, bytes, now),
        _ => now,
    }
}

/// Operations that NICs execute atomically: locks, and supported reductions.
fn is_atomic(job: &Job, op: OneSidedOp) -> bool {
    match op {
        OneSidedOp::Transfer { atomic, .. } => atomic && !needs_cpu(job, op),
        OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => true,
    }
}

/// Time from the arrival at the origin's NIC until its host observes it.
fn observation_latency<N: NetworkModel>(kernel: &Kernel<'_, N>, from: u32, to: u32) -> Span {
    let same_node = kernel.shares_node(from, to);
    if same_node { Span::ZERO } else { kernel.job.machine.node.nic_latency }
}

/// Counts the payload of each direction as a message; an access without payload counts for the
/// outward direction.
fn count_access<N: NetworkModel>(
    t: &mut Transport<'_, N>,
    from: u32,
    to: u32,
    request_bytes: u64,
    response_bytes: u64,
) {
    for (from, to, bytes, counts) in [
        (from, to, request_bytes, request_bytes > 0 || response_bytes == 0),
        (to, from, response_bytes, response_bytes > 0),
    ] {
        if counts {
            if t.kernel.job.counts_accesses {
                t.count_pair(from, to, bytes);
            }
            t.kernel.count(from, to, bytes);
        }
    }
}
