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
use workload::{Context, Done, Token, Workload};

base::ids! {
    /// An access, a lock or an unlock, from its call to its completion at both ends.
    AccessId,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Want {
    /// `out` bytes go to the target, `back` bytes return.
    Access {
        out: u64,
        back: u64,
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
    pub want: Want,
    pair: PairId,
    /// Its number among the requests of its pair and, for an access, among the accesses.
    nth: u32,
    nth_access: u32,
    /// Time at which the target was ready for it; the time of the call until that is known.
    ready: Time,
    /// The request has taken effect, and the message in flight is the response.
    answered: bool,
}

/// One-sided operations of one rank on another rank's memory, in the order of the calls.
#[derive(Default)]
pub(crate) struct Channel {
    requests: u32,
    accesses: u32,
    arrived: InOrder<AccessId>,
    answered: InOrder<AccessId>,
    /// Time at which the latest access takes effect at the target, and at which it is complete at
    /// the origin: lower bounds for the next.
    effective: Time,
    completed: Time,
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    pub(crate) fn access(&mut self, from: u32, token: Token, to: u32, want: Want) {
        let pair = self.channels.id(from, to);
        let same_node = self.shares_node(from, to);
        let channel = &mut self.channels[pair];
        let (nth, nth_access) = (channel.requests, channel.accesses);
        let ready = self.now;
        let mut access =
            Access { from, to, token, want, pair, nth, nth_access, ready, answered: false };
        match want {
            Want::Access { out, back, atomic } => {
                self.count_access(from, to, out, back);
                if same_node {
                    return self.reach(access, out, back, atomic);
                }
                self.channels[pair].accesses = nth_access.wrapping_add(1);
                if self.needs_cpu(want) {
                    self.register_temporary(from, out);
                }
                if self.job.machine.nic.response > 0 && !self.needs_cpu(want) {
                    // The target's NIC executes it and responds packet by packet.
                    access.answered = true;
                    let id = self.accesses.insert(access);
                    return self.issue(id);
                }
            }
            Want::Lock { .. } => {}
            Want::Unlock { .. } => {
                let done = Done { rank: from, token, ready, ..Done::default() };
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
        let Access { from, to, want, answered, .. } = self.accesses[id];
        match want {
            // If NICs respond packet by packet, completion means that all responses have arrived.
            Want::Access { out, back, .. } if answered => {
                let nics =
                    (self.job.placements[from as usize].nic, self.job.placements[to as usize].nic);
                self.send(
                    MessageOwner::Access(id),
                    nics,
                    out,
                    (Origin::Host, Completion::Initiator(back)),
                );
            }
            Want::Access { out, .. } => self.send_access(id, from, to, out, Origin::Host),
            Want::Lock { .. } | Want::Unlock { .. } => {
                self.send_access(id, from, to, 0, Origin::Host);
            }
        }
    }

    /// Its target, and the sum of its bytes in both directions.
    pub(crate) fn about_access(&self, id: AccessId) -> (u32, u64) {
        let Access { to, want, .. } = self.accesses[id];
        match want {
            Want::Access { out, back, .. } => (to, out + back),
            Want::Lock { .. } | Want::Unlock { .. } => (to, 0),
        }
    }

    fn send_access(&mut self, id: AccessId, from: u32, to: u32, bytes: u64, origin: Origin) {
        let (src, dst) =
            (self.job.placements[from as usize].nic, self.job.placements[to as usize].nic);
        self.send(MessageOwner::Access(id), (src, dst), bytes, (origin, Completion::Target));
    }

    /// Within a node the origin's CPU moves and combines the bytes.
    fn reach(&mut self, access: Access, out: u64, back: u64, atomic: bool) {
        let start = self.work(access.from, Span::ZERO);
        let Access { from, to, .. } = access;
        let copied = start + self.copy_cost(from, to, out + back);
        let moved = self.moved(from, to, out + back, copied) + self.shm_latency(from, to);
        let combined = if atomic { self.job.library.reduce_gap.span(out) } else { Span::ZERO };
        let when = moved + combined;
        let span = when.since(start);
        self.work(access.from, span);
        self.finish_access(&access, when);
    }

    /// A request or a response has arrived.
    pub(crate) fn access_arrives(&mut self, id: AccessId) {
        let Access { pair, nth, nth_access, answered, .. } = self.accesses[id];
        if answered {
            if let Want::Lock { .. } = self.accesses[id].want {
                return self.locked(id);
            }
            self.channels[pair].answered.push(nth_access, id);
            while let Some(id) = self.channels[pair].answered.pop() {
                self.answered(id);
            }
            return;
        }
        self.channels[pair].arrived.push(nth, id);
        while let Some(id) = self.channels[pair].arrived.pop() {
            self.takes_effect(id);
        }
    }

    fn takes_effect(&mut self, id: AccessId) {
        let access = self.accesses[id];
        match access.want {
            Want::Access { out, back, atomic } => {
                let mut when = self.now;
                if self.needs_cpu(access.want) {
                    let library = &self.job.library;
                    let span = library.recv_overhead
                        + library.reduce_gap.span(out)
                        + library.send_overhead;
                    when = self.work(access.to, span);
                    self.accesses[id].ready = Time(when.0 - span.0);
                    // It observes the request, and commands its NIC to respond.
                    when += self.job.machine.node.nic_latency * 2;
                } else if atomic || back > 0 {
                    when += self.job.machine.nic.fetch(back);
                }
                let channel = &mut self.channels[access.pair];
                when = when.max(channel.effective);
                channel.effective = when;
                self.respond_at(id, when);
            }
            Want::Lock { context, exclusive } => {
                if self.locks.request(context, access.to, access.from, exclusive, id) {
                    self.grant(id);
                }
            }
            Want::Unlock { context } => {
                let mut granted = std::mem::take(&mut self.granted);
                let held = self.locks.release(context, access.to, access.from, &mut granted);
                self.accesses.free(id);
                if !held {
                    let (rank, node) =
                        (access.from, self.job.placements[access.from as usize].node);
                    let to = self.own_number(access.to);
                    let what = format!("unlock of rank {to}'s window, not locked");
                    self.broken.get_or_insert(Blocked { rank, node, what });
                }
                granted.drain(..).for_each(|id| self.grant(id));
                self.granted = granted;
            }
        }
    }

    /// Whether the target's CPU executes it, because the NIC cannot.
    fn needs_cpu(&self, want: Want) -> bool {
        match want {
            Want::Access { out, back, atomic } => {
                atomic && out.max(back) > self.job.library.nic_atomic_max
            }
            Want::Lock { .. } | Want::Unlock { .. } => false,
        }
    }

    /// Operations that NICs execute atomically: locks, and supported reductions.
    pub(crate) fn is_atomic(&self, want: Want) -> bool {
        match want {
            Want::Access { atomic, .. } => atomic && !self.needs_cpu(want),
            Want::Lock { .. } | Want::Unlock { .. } => true,
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
        self.accesses[id].answered = true;
        if when == self.now {
            return self.send_response(id);
        }
        self.schedule(self.accesses[id].to, when, HostEvent::Answer(id));
    }

    /// The response leaves the target.
    pub(crate) fn send_response(&mut self, id: AccessId) {
        let Access { from, to, want, .. } = self.accesses[id];
        let back = match want {
            Want::Access { back, .. } => back,
            Want::Lock { .. } if self.shares_node(from, to) => return self.locked(id),
            Want::Lock { .. } | Want::Unlock { .. } => 0,
        };
        if self.needs_cpu(want) {
            self.register_temporary(to, back);
            return self.send_access(id, to, from, back, Origin::Host);
        }
        if back > 0 {
            return self.send_access(id, to, from, back, Origin::Answer);
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
    fn seen_after(&self, from: u32, to: u32) -> Span {
        let same_node = self.shares_node(from, to);
        if same_node { Span::ZERO } else { self.job.machine.node.nic_latency }
    }

    fn locked(&mut self, id: AccessId) {
        let Access { from, to, token, ready, .. } = self.accesses[id];
        self.accesses.free(id);
        let when = self.now + self.seen_after(from, to);
        self.complete(when, Done { rank: from, token, ready, ..Done::default() });
    }

    fn answered(&mut self, id: AccessId) {
        let access = self.accesses[id];
        self.accesses.free(id);
        let mut when = self.now;
        if let (true, Want::Access { out, back, .. }) = (self.needs_cpu(access.want), access.want) {
            self.deregister_temporary(access.from, out);
            self.deregister_temporary(access.to, back);
            when = self.work(access.from, self.job.library.recv_overhead);
        }
        when += self.seen_after(access.from, access.to);
        self.finish_access(&access, when);
    }

    fn finish_access(&mut self, access: &Access, when: Time) {
        let Access { from, to, token, ready, want, pair, .. } = *access;
        let back = if let Want::Access { back, .. } = want { back } else { 0 };
        let when = when.max(self.channels[pair].completed);
        let when = match self.scatter_cost(from, token, back, |world| world.spared(from, to, back))
        {
            Span::ZERO => when,
            cost => self.work(from, cost).max(when + cost),
        };
        // Includes unpacking: a later unlock reports that everything is there.
        self.channels[pair].completed = when;
        self.complete(when, Done { rank: from, token, peer: to, ready, ..Done::default() });
    }

    /// Counts the payload of each direction as a message; an access without payload counts for the
    /// outward direction.
    fn count_access(&mut self, from: u32, to: u32, out: u64, back: u64) {
        for (from, to, bytes, counts) in
            [(from, to, out, out > 0 || back == 0), (to, from, back, back > 0)]
        {
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
            let Access { from, to, want, .. } = self.accesses[id];
            let how = match want {
                Want::Lock { exclusive: true, .. } => "exclusive",
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
