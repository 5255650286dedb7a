//! One-sided operations on the memory of other ranks, and window locks, as NICs execute them.
//!
//! A request goes to the target's NIC, which writes, reads or combines, and answers. The target's
//! CPU takes part only in operations that the NIC cannot execute. Within a node the origin's CPU
//! accesses the shared memory. Equations and limits: docs/models/onesided.md.

use crate::outcome::Blocked;
use crate::pairs::{InOrder, PairId};
use crate::world::{HostEvent, MessageOwner, World};
use base::{Gap, Span, Time};
use machine::Idle;
use net::{Completion, NetworkModel, Origin};
use workload::{Context, OpCompletion, Token, Workload};

base::ids! {
    /// An access, a lock or an unlock, from its call to its completion at both ends.
    AccessId,
}

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
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    pub(crate) fn access(&mut self, from: u32, token: Token, to: u32, op: OneSidedOp) {
        let pair = self.channels.id(from, to);
        let same_node = self.shares_node(from, to);
        let channel = &mut self.channels[pair];
        let (nth, nth_access) = (channel.requests, channel.accesses);
        let ready = self.now;
        let mut access =
            Access { from, to, token, op, pair, nth, nth_access, ready, is_response: false };
        match op {
            OneSidedOp::Transfer { request_bytes, response_bytes, atomic } => {
                self.count_access(from, to, request_bytes, response_bytes);
                if same_node {
                    return self.access_within_node(access, request_bytes, response_bytes, atomic);
                }
                self.channels[pair].accesses = nth_access.wrapping_add(1);
                if self.needs_cpu(op) {
                    self.register_temporary(from, request_bytes);
                }
                if self.job.machine.nic.response > 0 && !self.needs_cpu(op) {
                    // The target's NIC executes it and responds packet by packet.
                    access.is_response = true;
                    let id = self.accesses.insert(access);
                    return self.issue(id);
                }
            }
            OneSidedOp::Lock { .. } => {}
            OneSidedOp::Unlock { .. } => {
                let done = OpCompletion { rank: from, token, ready, ..OpCompletion::default() };
                self.complete(self.now, done);
            }
        }
        self.channels[pair].requests = nth.wrapping_add(1);
        access.nth = nth;
        let id = self.accesses.insert(access);
        if same_node {
            let when = self.now + self.shm_latency(from, to);
            self.schedule(to, when, HostEvent::Arrive(MessageOwner::Access(id)));
            return;
        }
        self.issue(id);
    }

    /// A core commands its NIC; the NIC's interface limits the rate of commands.
    fn issue(&mut self, id: AccessId) {
        let from = self.accesses[id].from;
        let next = self.now + self.job.machine.nic.core_gap;
        let cpu = &mut self.ranks[from as usize].cpu;
        *cpu = next.max(*cpu);
        let when = self.command(from) + self.job.machine.node.nic_latency;
        match when > self.now {
            true => self.schedule(from, when, HostEvent::Issue(id)),
            false => self.request(id),
        }
    }

    /// A request leaves its origin.
    pub(crate) fn request(&mut self, id: AccessId) {
        let Access { from, to, op, is_response, .. } = self.accesses[id];
        match op {
            // If NICs respond packet by packet, completion means that all responses have arrived.
            OneSidedOp::Transfer { request_bytes, response_bytes, .. } if is_response => {
                let nics =
                    (self.job.placements[from as usize].nic, self.job.placements[to as usize].nic);
                self.send(
                    MessageOwner::Access(id),
                    nics,
                    request_bytes,
                    (Origin::Host, Completion::Initiator(response_bytes)),
                );
            }
            OneSidedOp::Transfer { request_bytes, .. } => {
                self.send_access(id, from, to, request_bytes, Origin::Host)
            }
            OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => {
                self.send_access(id, from, to, 0, Origin::Host);
            }
        }
    }

    /// Its target, and the sum of its bytes in both directions.
    pub(crate) fn about_access(&self, id: AccessId) -> (u32, u64) {
        let Access { to, op, .. } = self.accesses[id];
        match op {
            OneSidedOp::Transfer { request_bytes, response_bytes, .. } => {
                (to, request_bytes + response_bytes)
            }
            OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => (to, 0),
        }
    }

    fn send_access(&mut self, id: AccessId, from: u32, to: u32, bytes: u64, origin: Origin) {
        let (src, dst) =
            (self.job.placements[from as usize].nic, self.job.placements[to as usize].nic);
        self.send(MessageOwner::Access(id), (src, dst), bytes, (origin, Completion::Target));
    }

    /// Within a node the origin's CPU moves and combines the bytes.
    fn access_within_node(
        &mut self,
        access: Access,
        request_bytes: u64,
        response_bytes: u64,
        atomic: bool,
    ) {
        let start = self.occupy_cpu(access.from, Span::ZERO);
        let Access { from, to, .. } = access;
        let copied = start + self.copy_cost(from, to, request_bytes + response_bytes);
        let moved = self.copy_end(from, to, request_bytes + response_bytes, copied)
            + self.shm_latency(from, to);
        let combined =
            if atomic { self.job.library.reduce_gap.span(request_bytes) } else { Span::ZERO };
        let when = moved + combined;
        let span = when.since(start);
        self.occupy_cpu(access.from, span);
        self.finish_access(&access, when);
    }

    /// A request or a response has arrived.
    pub(crate) fn access_arrives(&mut self, id: AccessId) {
        let Access { pair, nth, nth_access, is_response, .. } = self.accesses[id];
        if is_response {
            if let OneSidedOp::Lock { .. } = self.accesses[id].op {
                return self.complete_lock(id);
            }
            self.channels[pair].responses.push(nth_access, id);
            while let Some(id) = self.channels[pair].responses.pop() {
                self.complete_access(id);
            }
            return;
        }
        self.channels[pair].arrived_requests.push(nth, id);
        while let Some(id) = self.channels[pair].arrived_requests.pop() {
            self.take_effect(id);
        }
    }

    fn take_effect(&mut self, id: AccessId) {
        let access = self.accesses[id];
        match access.op {
            OneSidedOp::Transfer { request_bytes, response_bytes, atomic } => {
                let mut when = self.now;
                if self.needs_cpu(access.op) {
                    let library = &self.job.library;
                    let span = library.recv_overhead
                        + library.reduce_gap.span(request_bytes)
                        + library.send_overhead;
                    when = self.occupy_cpu(access.to, span);
                    self.accesses[id].ready = Time(when.0 - span.0);
                    // It observes the request, and commands its NIC to respond.
                    when += self.job.machine.node.nic_latency * 2;
                } else if atomic || response_bytes > 0 {
                    when += self.job.machine.nic.fetch(response_bytes);
                }
                let channel = &mut self.channels[access.pair];
                when = when.max(channel.effective);
                channel.effective = when;
                self.respond_at(id, when);
            }
            OneSidedOp::Lock { context, exclusive } => {
                if self.locks.request(context, access.to, access.from, exclusive, id) {
                    self.grant(id);
                }
            }
            OneSidedOp::Unlock { context } => {
                let mut granted = std::mem::take(&mut self.granted);
                let held = self.locks.release(context, access.to, access.from, &mut granted);
                self.accesses.free(id);
                if !held {
                    let (rank, node) =
                        (access.from, self.job.placements[access.from as usize].node);
                    let to = self.own_number(access.to);
                    let what = format!("unlock of rank {to}'s window, not locked");
                    self.erroneous_call.get_or_insert(Blocked { rank, node, what });
                }
                granted.drain(..).for_each(|id| self.grant(id));
                self.granted = granted;
            }
        }
    }

    /// Whether the target's CPU executes it, because the NIC cannot.
    fn needs_cpu(&self, op: OneSidedOp) -> bool {
        match op {
            OneSidedOp::Transfer { request_bytes, response_bytes, atomic } => {
                atomic && request_bytes.max(response_bytes) > self.job.library.nic_atomic_max
            }
            OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => false,
        }
    }

    /// Operations that NICs execute atomically: locks, and supported reductions.
    pub(crate) fn is_atomic(&self, op: OneSidedOp) -> bool {
        match op {
            OneSidedOp::Transfer { atomic, .. } => atomic && !self.needs_cpu(op),
            OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => true,
        }
    }

    /// The lock is granted: the response leaves the target's NIC, or is observed in the node's
    /// memory.
    fn grant(&mut self, id: AccessId) {
        self.accesses[id].ready = self.now;
        let Access { from, to, .. } = self.accesses[id];
        let after =
            if self.shares_node(from, to) { Span::ZERO } else { self.job.machine.nic.dma_latency };
        self.respond_at(id, self.now + after);
    }

    fn respond_at(&mut self, id: AccessId, when: Time) {
        self.accesses[id].is_response = true;
        if when == self.now {
            return self.send_response(id);
        }
        self.schedule(self.accesses[id].to, when, HostEvent::Respond(id));
    }

    /// The response leaves the target.
    pub(crate) fn send_response(&mut self, id: AccessId) {
        let Access { from, to, op, .. } = self.accesses[id];
        let response_bytes = match op {
            OneSidedOp::Transfer { response_bytes, .. } => response_bytes,
            OneSidedOp::Lock { .. } if self.shares_node(from, to) => return self.complete_lock(id),
            OneSidedOp::Lock { .. } | OneSidedOp::Unlock { .. } => 0,
        };
        if self.needs_cpu(op) {
            self.register_temporary(to, response_bytes);
            return self.send_access(id, to, from, response_bytes, Origin::Host);
        }
        if response_bytes > 0 {
            return self.send_access(id, to, from, response_bytes, Origin::Response);
        }
        // An acknowledgement or a lock response does not contend: it takes the latency of its links
        // and its wire time.
        let machine = &self.job.machine;
        let (src, dst) =
            (self.job.placements[to as usize].nic, self.job.placements[from as usize].nic);
        machine.walk(src, dst, 0, &Idle, &mut self.path);
        let latency: Span = self.path.iter().map(|&link| machine.links.latency[link]).sum();
        let slowest = self.path.iter().map(|&link| machine.links.gap[link]).max();
        let wire = slowest.unwrap_or(Gap::ZERO).span(machine.nic.response);
        self.schedule(from, self.now + latency + wire, HostEvent::Arrive(MessageOwner::Access(id)));
    }

    /// Time from the arrival at the origin's NIC until its host observes it.
    fn observation_latency(&self, from: u32, to: u32) -> Span {
        let same_node = self.shares_node(from, to);
        if same_node { Span::ZERO } else { self.job.machine.node.nic_latency }
    }

    fn complete_lock(&mut self, id: AccessId) {
        let Access { from, to, token, ready, .. } = self.accesses[id];
        self.accesses.free(id);
        let when = self.now + self.observation_latency(from, to);
        self.complete(when, OpCompletion { rank: from, token, ready, ..OpCompletion::default() });
    }

    fn complete_access(&mut self, id: AccessId) {
        let access = self.accesses[id];
        self.accesses.free(id);
        let mut when = self.now;
        if let (true, OneSidedOp::Transfer { request_bytes, response_bytes, .. }) =
            (self.needs_cpu(access.op), access.op)
        {
            self.deregister_temporary(access.from, request_bytes);
            self.deregister_temporary(access.to, response_bytes);
            when = self.occupy_cpu(access.from, self.job.library.recv_overhead);
        }
        when += self.observation_latency(access.from, access.to);
        self.finish_access(&access, when);
    }

    fn finish_access(&mut self, access: &Access, when: Time) {
        let Access { from, to, token, ready, op, pair, .. } = *access;
        let response_bytes =
            if let OneSidedOp::Transfer { response_bytes, .. } = op { response_bytes } else { 0 };
        let when = when.max(self.channels[pair].completed);
        let when = match self.scatter_cost(from, token, response_bytes, |world| {
            world.replaced_copy_time(from, to, response_bytes)
        }) {
            Span::ZERO => when,
            cost => self.occupy_cpu(from, cost).max(when + cost),
        };
        // Includes unpacking: a later unlock reports that everything is there.
        self.channels[pair].completed = when;
        self.complete(
            when,
            OpCompletion { rank: from, token, peer: to, ready, ..OpCompletion::default() },
        );
    }

    /// Counts the payload of each direction as a message; an access without payload counts for the
    /// outward direction.
    fn count_access(&mut self, from: u32, to: u32, request_bytes: u64, response_bytes: u64) {
        for (from, to, bytes, counts) in [
            (from, to, request_bytes, request_bytes > 0 || response_bytes == 0),
            (to, from, response_bytes, response_bytes > 0),
        ] {
            if counts {
                let pair = self.pairs.id(from, to);
                self.pairs[pair].messages += 1;
                self.pairs[pair].bytes += bytes;
                self.count(from, to, bytes);
            }
        }
    }

    /// Locks that ranks wait for: (rank, what).
    pub(crate) fn waiting_for_locks(&self) -> Vec<(u32, String)> {
        let say = |(id, holders): (AccessId, &[u32])| {
            let Access { from, to, op, .. } = self.accesses[id];
            let how = match op {
                OneSidedOp::Lock { exclusive: true, .. } => "exclusive",
                _ => "shared",
            };
            let who = match holders {
                &[one] => format!("rank {}", self.own_number(one)),
                &[one, ref rest @ ..] => {
                    format!("rank {} and {} more", self.own_number(one), rest.len())
                }
                [] => unreachable!("a lock with waiting ranks is held"),
            };
            let to = self.own_number(to);
            (from, format!("lock ({how}) of rank {to}'s window, which {who} holds"))
        };
        self.locks.waiting().map(say).collect()
    }
}
