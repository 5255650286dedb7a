//! Point to point: eager and rendezvous, in the order MPI promises.
//!
//! Eager: envelope and data travel together. Rendezvous: a request to send carries the first part;
//! once it has matched, the receiver's NIC gets the rest from the sender's, and a last message
//! tells the sender. Within a node the receiver copies it itself, or the sender lays it in cells.

use crate::gpu::Way;
use crate::pairs::PairId;
use crate::world::{
    Buffers, Cargo, Due, Flight, Leg, Met, Purpose, Send, SendId, Waiter, World, about,
};
use base::{Span, Time};
use machine::NicId;
use mpi::{Envelope, Pattern};
use net::{NetworkModel, Origin, Told};
use workload::{ANY_TAG, Done, Found, Op, SendMode, Token, Workload};

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    pub(crate) fn user_send(
        &mut self,
        from: u32,
        token: Token,
        to: u32,
        envelope: Envelope,
        bytes: u64,
        mode: SendMode,
    ) {
        let near = self.shares_node(from, to);
        let rendezvous = self.wants_rendezvous(near, bytes);
        self.tagged(from, envelope.context, envelope.tag);
        let pair = self.pairs.id(from, to);
        let row = &mut self.pairs[pair];
        let seq = row.sent;
        row.sent = row.sent.wrapping_add(1);
        row.messages += 1;
        row.bytes += bytes;
        let purpose = Purpose::User { token, envelope, mode };
        let called = self.now;
        let send = self.sends.insert_with(|| Send {
            from,
            to,
            bytes,
            purpose,
            called,
            near,
            rendezvous,
            pieces: 0,
            met: Met::NotYet { pair, seq },
        });
        let named = self.take_nics(from, token);
        self.named.set(send, named);
        let flight = Flight { send, leg: first_leg(rendezvous) };
        let nics = self.nics_of(flight);
        self.count_between(from, nics, bytes);
        let at_once = match mode {
            SendMode::Standard => !rendezvous,
            SendMode::Buffered => true,
            SendMode::Synchronous => false,
        };
        if at_once {
            self.complete(self.now, Done { rank: from, token, ready: self.now, ..Done::default() });
        }
        self.depart(flight);
    }

    /// Whether a message waits for its receiver to ask for its data.
    pub(crate) fn wants_rendezvous(&self, near: bool, bytes: u64) -> bool {
        let library = &self.job.library;
        if !near {
            return bytes > library.eager_max;
        }
        bytes > library.shm_eager_max || self.way(true, bytes) == Way::Ipc
    }

    /// CPU time of a call before it takes effect.
    pub(crate) fn call_cost(&self, rank: u32, op: &Op) -> Span {
        let library = &self.job.library;
        match *op {
            Op::Pause | Op::Alarm { .. } | Op::Delay { .. } | Op::Exit => Span::ZERO,
            Op::Send { to, bytes, .. } => {
                let near = self.shares_node(rank, to);
                self.send_cost((rank, to), near, bytes, self.wants_rendezvous(near, bytes))
            }
            Op::OneSided { to, .. } | Op::Lock { to, .. } | Op::Unlock { to, .. } => {
                match self.shares_node(rank, to) {
                    true => library.shm_send_overhead,
                    false => library.send_overhead,
                }
            }
            _ => library.call_overhead,
        }
    }

    /// The sender's CPU time for one message: its overhead, and within a node the copy of one that
    /// does not wait for its receiver.
    pub(crate) fn send_cost(
        &self,
        (from, to): (u32, u32),
        near: bool,
        bytes: u64,
        rendezvous: bool,
    ) -> Span {
        let library = &self.job.library;
        if !near {
            return library.send_overhead + self.touch_cost(near, bytes);
        }
        match self.job.buffers {
            Buffers::Host if rendezvous => library.shm_send_overhead,
            Buffers::Host => library.shm_send_overhead + self.copy_cost(from, to, bytes),
            Buffers::Gpu => library.shm_send_overhead + self.touch_cost(near, bytes),
        }
    }

    /// A leg leaves now: through the node's memory or the NIC.
    pub(crate) fn depart(&mut self, flight: Flight) {
        if self.sends[flight.send].near {
            let send = self.sends[flight.send];
            let (_, dst) = ends(&send, flight.leg);
            let when = self.arrives_within_node(&send, flight.leg);
            return self.schedule(dst, when, Due::Arrive(Cargo::Leg(flight)));
        }
        if self.job.buffers == Buffers::Host || self.admits(flight) {
            self.set_off(flight);
        }
    }

    /// A leg leaves for the network, now or once what is beside it lets it.
    pub(crate) fn set_off(&mut self, flight: Flight) {
        let when = self.leaves_at(flight);
        if when > self.now {
            let rank = self.played(ends(&self.sends[flight.send], flight.leg).0);
            self.schedule(rank, when, Due::Inject(flight));
        } else {
            self.inject_leg(flight);
        }
    }

    /// A leg enters the network.
    pub(crate) fn inject_leg(&mut self, flight: Flight) {
        let send = &self.sends[flight.send];
        let src = ends(send, flight.leg).0;
        let nics = self.nics_of(flight);
        let (bytes, origin) = self.on_wire(send, flight.leg);
        let data = self.on_wire(send, Leg::Data).0;
        let pieces = match flight.leg {
            Leg::Data if !self.names_nics(flight.send) => self.stripes(send, nics),
            _ => 1,
        };
        if matches!(flight.leg, Leg::Eager | Leg::RequestToSend) {
            self.guard.limits.send(src);
        }
        if flight.leg == Leg::Get && self.job.machine.nic.response > 0 {
            // The receiver's NIC gets the data itself: it comes as the answers to what it asks.
            let flight = Flight { leg: Leg::Data, ..flight };
            return self.send(Cargo::Leg(flight), nics, 0, (origin, Told::Back(data)));
        }
        self.sends[flight.send].pieces = pieces - 1;
        let pieces = u32::from(pieces);
        for piece in 0..pieces {
            let share = |n: u32| bytes / u64::from(pieces) * u64::from(n);
            let last = piece + 1 == pieces;
            let bytes = if last { bytes } else { share(piece + 1) } - share(piece);
            let nics = self.piece_nics(nics, piece);
            self.send(Cargo::Leg(flight), nics, bytes, (origin, Told::There));
        }
    }

    /// Bytes of a leg in the network beside its headers, and where they come from.
    pub(crate) fn on_wire(&self, send: &Send, leg: Leg) -> (u64, Origin) {
        let library = &self.job.library;
        let part = library.rendezvous_eager_part.min(send.bytes);
        match leg {
            Leg::Eager => (send.bytes + library.control_bytes, Origin::Host),
            Leg::RequestToSend => (part + library.control_bytes, Origin::Host),
            Leg::Get | Leg::Finished => (0, Origin::Nic),
            Leg::Data => (send.bytes - part, Origin::Nic),
        }
    }

    /// What a message takes of its receiver's NIC beside its bytes: MPI's are posted, matched and
    /// told of there.
    pub(crate) fn handling(&self, cargo: Cargo, dst: NicId) -> Span {
        match cargo {
            Cargo::Leg(Flight { leg: Leg::Eager | Leg::RequestToSend | Leg::Data, .. }) => {
                self.handling[dst]
            }
            _ => Span::ZERO,
        }
    }

    /// A rank gives its NIC a command: when the NIC has it from the rank's queue. What NICs send
    /// of their own accord is in no rank's queue.
    pub(crate) fn command(&mut self, rank: u32) -> Time {
        let gap = self.job.machine.nic.command_gap;
        if gap == Span::ZERO {
            return self.now;
        }
        let next = &mut self.commanded[rank as usize];
        let when = self.now.max(*next);
        *next = when + gap;
        when
    }

    /// In how many pieces the data of a rendezvous travels, each through other NICs.
    fn stripes(&self, send: &Send, (src, dst): (NicId, NicId)) -> u16 {
        let nics = |nic| self.job.machine.nics_beside(nic).len() as u32;
        let most = nics(src).min(nics(dst)).min(u16::MAX.into());
        self.job.library.stripes(send.bytes, most) as u16
    }

    /// The NICs of the `nth` piece: the ranks' own, then the next ones of their nodes.
    fn piece_nics(&self, (src, dst): (NicId, NicId), nth: u32) -> (NicId, NicId) {
        (self.nic_beside(src, nth), self.nic_beside(dst, nth))
    }

    /// A leg has arrived.
    pub(crate) fn arrive(&mut self, flight: Flight) {
        let Flight { send: id, leg } = flight;
        let send = self.sends[id];
        let near = send.near;
        match leg {
            Leg::Eager | Leg::RequestToSend => {
                if !near {
                    if self.turned_away(flight, send.to) {
                        return;
                    }
                    if leg == Leg::Eager {
                        self.guard.limits.sent(send.from);
                    }
                }
                match send.purpose {
                    Purpose::User { .. } => self.in_order(id),
                    Purpose::Collective { .. } => self.collective_arrival(id),
                }
            }
            Leg::Get => self.depart(Flight { send: id, leg: Leg::Data }),
            Leg::Data if send.pieces > 0 => self.sends[id].pieces -= 1,
            Leg::Data => {
                let Met::By(waiter) = send.met else {
                    unreachable!("data was asked for by a matched receive")
                };
                self.received(id, waiter);
                self.depart(Flight { send: id, leg: Leg::Finished });
            }
            Leg::Finished => {
                if send.rendezvous && !near {
                    self.let_go(&send);
                }
                let told = if near { self.told_within_node(&send) } else { self.now };
                match send.purpose {
                    Purpose::User { mode: SendMode::Buffered, .. } => {}
                    Purpose::User { token, .. } => {
                        let ready = match send.met {
                            Met::By(Waiter::User { posted, .. }) => posted,
                            _ => self.now,
                        };
                        let done = Done { rank: send.from, token, ready, ..Done::default() };
                        self.complete(told, done);
                    }
                    // Its round waits for this.
                    Purpose::Collective { run, .. } => self.owe_less(run, told),
                }
                self.sends.free(id);
            }
        }
    }

    /// Hands a message to matching once all its sender sent this rank before it are there.
    fn in_order(&mut self, id: SendId) {
        let (row, seq) = self.place(id);
        let pair = &mut self.pairs[row];
        if pair.arrived != seq {
            pair.ahead.push(id);
            return;
        }
        pair.arrived = pair.arrived.wrapping_add(1);
        self.match_message(id);
        loop {
            let next = self.pairs[row].arrived;
            let place = |&id: &SendId| self.place(id).1 == next;
            let Some(i) = self.pairs[row].ahead.iter().position(place) else { return };
            let pair = &mut self.pairs[row];
            let id = pair.ahead.swap_remove(i);
            pair.arrived = pair.arrived.wrapping_add(1);
            self.match_message(id);
        }
    }

    /// A user's send among those of its pair of ranks.
    fn place(&self, id: SendId) -> (PairId, u32) {
        let Met::NotYet { pair, seq } = self.sends[id].met else {
            unreachable!("what comes has not been matched")
        };
        (pair, seq)
    }

    fn match_message(&mut self, id: SendId) {
        let send = self.sends[id];
        let Purpose::User { envelope, .. } = send.purpose else {
            unreachable!("collective messages are not matched")
        };
        let to = send.to as usize;
        let near = send.near;
        let matching = &mut self.ranks[to].inbox().matching;
        let found = matching.arrive(envelope, id);
        if !near {
            let walked = matching.walked;
            self.searched(send.to, walked);
        }
        self.came(id, found.is_some());
        if let Some((pattern, waiter)) = found {
            self.unposted(send.to, pattern.from);
            self.matched(id, waiter);
            return;
        }
        self.kept(id);
        // Nobody has posted a receive: it stays unexpected, and probes that wait may see it. The
        // first that takes it ends the search.
        let mut i = 0;
        while i < self.ranks[to].inbox().probes.len() {
            let (pattern, token, take) = self.ranks[to].inbox().probes[i];
            if !pattern.admits(envelope) {
                i += 1;
                continue;
            }
            self.ranks[to].inbox().probes.remove(i);
            self.complete(self.now, about(send.to, token, &send, Found::Yes, send.called));
            if take {
                let found = self.ranks[to].inbox().matching.take(exactly(envelope));
                // Older messages with the same envelope went to older probes, so this is ours.
                debug_assert_eq!(found.map(|f| f.1), Some(id));
                self.unkept(id);
                self.ranks[to].inbox().taken.push((token, envelope, id));
                return;
            }
        }
    }

    /// `waiter`'s receive and this message have found each other.
    fn matched(&mut self, id: SendId, waiter: Waiter) {
        self.sends[id].met = Met::By(waiter);
        let send = self.sends[id];
        if send.rendezvous {
            self.ask_for_data(id);
            return;
        }
        self.received(id, waiter);
        if let Purpose::User { mode: SendMode::Synchronous, .. } = send.purpose {
            self.depart(Flight { send: id, leg: Leg::Finished });
        } else {
            self.sends.free(id);
        }
    }

    /// The rest of a rendezvous: over the network the receiver's NIC gets it; within a node the
    /// receiver copies it, or has the sender send it.
    pub(crate) fn ask_for_data(&mut self, id: SendId) {
        let send = self.sends[id];
        if send.near {
            let leg = self.asks_within_node(&send);
            return self.depart(Flight { send: id, leg });
        }
        let flight = Flight { send: id, leg: Leg::Get };
        let to = self.played(send.to);
        if self.guard.limits.is_software(to) {
            // The CPU that has found the match asks, not the NIC.
            self.depart_after(to, Span::ZERO, flight);
            return;
        }
        self.guard.limits.offload(to);
        self.depart(flight);
    }

    /// All bytes are at the receiver; what remains is its own work.
    fn received(&mut self, id: SendId, waiter: Waiter) {
        let send = self.sends[id];
        match waiter {
            Waiter::User { token, posted } => {
                let (cost, usable) = (self.receive_cost(&send), self.usable_at(&send));
                let cost = cost
                    + self.scatter_cost(send.to, token, send.bytes, |world| {
                        world.spared_taking(&send)
                    });
                let when = self.work(send.to, cost).max(usable + cost);
                let ready = send.called.max(posted);
                self.complete(when, about(send.to, token, &send, Found::Yes, ready));
            }
            Waiter::Run(run) => self.collective_data(run, id, &send),
        }
    }

    /// The receiver's CPU time for one message: its overhead, and the copy out of the bounce
    /// buffer where the data came eagerly over the network; within a node what `intranode` says.
    pub(crate) fn receive_cost(&self, send: &Send) -> Span {
        let (library, near) = (&self.job.library, send.near);
        let overhead = if near {
            library.shm_recv_overhead + self.taking_cost(send)
        } else if send.rendezvous {
            library.recv_overhead
        } else {
            library.recv_overhead + library.eager_copy_gap.span(send.bytes)
        };
        overhead + self.touch_cost(near, send.bytes)
    }

    pub(crate) fn user_recv(&mut self, at: u32, token: Token, pattern: Pattern) {
        if pattern.tag != ANY_TAG {
            self.tagged(at, pattern.context, pattern.tag);
        }
        let waiter = Waiter::User { token, posted: self.now };
        let matching = &mut self.ranks[at as usize].inbox().matching;
        let found = matching.post(pattern, waiter);
        let walked = matching.walked;
        if self.is_remote(at, pattern.from) {
            self.searched(at, walked);
        }
        match found {
            Some((_, id)) => {
                self.unkept(id);
                self.matched(id, waiter);
            }
            None => self.posted(at, pattern.from),
        }
    }

    pub(crate) fn probe(
        &mut self,
        at: u32,
        token: Token,
        pattern: Pattern,
        wait: bool,
        take: bool,
    ) {
        if pattern.tag != ANY_TAG {
            self.tagged(at, pattern.context, pattern.tag);
        }
        let matching = &mut self.ranks[at as usize].inbox().matching;
        let found = if take { matching.take(pattern) } else { matching.find(pattern) };
        let walked = matching.walked;
        if self.is_remote(at, pattern.from) {
            self.searched(at, walked);
        }
        match found {
            Some((envelope, id)) => {
                if take {
                    self.unkept(id);
                    self.ranks[at as usize].inbox().taken.push((token, envelope, id));
                }
                let send = self.sends[id];
                self.complete(self.now, about(at, token, &send, Found::Yes, send.called));
            }
            None if wait => self.ranks[at as usize].inbox().probes.push((pattern, token, take)),
            None => {
                let done =
                    Done { rank: at, token, found: Found::No, ready: self.now, ..Done::default() };
                self.complete(self.now, done);
            }
        }
    }

    pub(crate) fn recv_taken(&mut self, at: u32, token: Token, probe: Token) {
        let taken = &mut self.ranks[at as usize].inbox().taken;
        let i = taken
            .iter()
            .position(|&(t, ..)| t == probe)
            .expect("the rank's library names a probe that took a message");
        let (_, _, id) = taken.remove(i);
        self.matched(id, Waiter::User { token, posted: self.now });
    }

    pub(crate) fn cancel(&mut self, at: u32, token: Token, receive: Token) {
        let matching = &mut self.ranks[at as usize].inbox().matching;
        let found = matching.posted().find(|(_, w)| match w {
            Waiter::User { token, .. } => *token == receive,
            Waiter::Run(_) => false,
        });
        if let Some((pattern, waiter)) = found {
            matching.cancel(waiter);
            self.unposted(at, pattern.from);
            self.scatter_cost(at, receive, 0, |_| Span::ZERO);
            let found = Found::Cancelled;
            let done = Done { rank: at, token: receive, found, ready: self.now, ..Done::default() };
            self.complete(self.now, done);
        }
        self.complete(self.now, Done { rank: at, token, ready: self.now, ..Done::default() });
    }

    /// Sends whose message lies unmatched at its receiver and whose sender still waits:
    /// (from, to, tag, bytes).
    pub(crate) fn unmatched_sends(&self) -> Vec<(u32, u32, i32, u64)> {
        let mut sends = Vec::new();
        for rank in &self.ranks {
            for (envelope, id) in rank.unexpected() {
                let send = &self.sends[id];
                let synchronous =
                    matches!(send.purpose, Purpose::User { mode: SendMode::Synchronous, .. });
                let buffered =
                    matches!(send.purpose, Purpose::User { mode: SendMode::Buffered, .. });
                if synchronous || send.rendezvous && !buffered {
                    sends.push((send.from, send.to, envelope.tag, send.bytes));
                }
            }
        }
        sends
    }

    /// When a leg that costs the CPU `overhead` may leave.
    pub(crate) fn depart_after(&mut self, rank: u32, overhead: Span, flight: Flight) -> Time {
        let when = self.work(rank, overhead);
        self.schedule(rank, when, Due::Depart(flight));
        when
    }
}

/// Who a leg leaves, and to whom it goes.
pub(crate) fn ends(send: &Send, leg: Leg) -> (u32, u32) {
    if is_back(leg) { (send.to, send.from) } else { (send.from, send.to) }
}

/// Whether a leg goes from the receiver to the sender.
pub(crate) fn is_back(leg: Leg) -> bool {
    match leg {
        Leg::Get | Leg::Finished => true,
        Leg::Eager | Leg::RequestToSend | Leg::Data => false,
    }
}

pub(crate) fn first_leg(rendezvous: bool) -> Leg {
    if rendezvous { Leg::RequestToSend } else { Leg::Eager }
}

fn exactly(e: Envelope) -> Pattern {
    Pattern { from: e.src, context: e.context, tag: e.tag }
}
