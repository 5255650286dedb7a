//! Point-to-point messages: eager and rendezvous, in the order that MPI guarantees.
//!
//! Eager: envelope and data travel together. Rendezvous: a request to send carries the first part.
//! After the match, the receiver's NIC fetches the rest from the sender's NIC, and a last message
//! notifies the sender. Within a node the receiver copies the data itself, or the sender writes it
//! to cells.

use crate::gpu::GpuTransfer;
use crate::pairs::PairId;
use crate::world::{
    Buffers, HostEvent, InFlight, MatchState, MessageOwner, ProtocolPhase, Purpose, Send, SendId,
    Waiter, World,
};
use base::{Span, Time};
use machine::NicId;
use mpi::{Envelope, Pattern};
use net::{Completion, NetworkModel, Origin};
use workload::{ANY_TAG, CompletionStatus, Op, OpCompletion, SendMode, Token, Workload};

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
        let same_node = self.shares_node(from, to);
        let rendezvous = self.wants_rendezvous(same_node, bytes);
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
            same_node,
            rendezvous,
            pieces: 0,
            match_state: MatchState::Unmatched { pair, seq },
        });
        let named = self.take_nics(from, token);
        self.named.set(send, named);
        let in_flight = InFlight { send, phase: first_phase(rendezvous) };
        let nics = self.nics_of(in_flight);
        self.count_between(from, nics, bytes);
        let at_once = match mode {
            SendMode::Standard => !rendezvous,
            SendMode::Buffered => true,
            SendMode::Synchronous => false,
        };
        if at_once {
            self.complete(
                self.now,
                OpCompletion { rank: from, token, ready: self.now, ..OpCompletion::default() },
            );
        }
        self.depart(in_flight);
    }

    /// Whether a message uses rendezvous.
    pub(crate) fn wants_rendezvous(&self, same_node: bool, bytes: u64) -> bool {
        let library = &self.job.library;
        if !same_node {
            return bytes > library.eager_max;
        }
        bytes > library.shm_eager_max || self.gpu_transfer(true, bytes) == GpuTransfer::Ipc
    }

    /// CPU time of a call before it takes effect.
    pub(crate) fn call_cost(&self, rank: u32, op: &Op) -> Span {
        let library = &self.job.library;
        match *op {
            Op::Pause | Op::Alarm { .. } | Op::Delay { .. } | Op::Exit => Span::ZERO,
            Op::Send { to, bytes, .. } => {
                let same_node = self.shares_node(rank, to);
                self.send_cost(
                    (rank, to),
                    same_node,
                    bytes,
                    self.wants_rendezvous(same_node, bytes),
                )
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

    /// CPU time of the sender for one message: its overhead, and within a node the copy of an eager
    /// message.
    pub(crate) fn send_cost(
        &self,
        (from, to): (u32, u32),
        same_node: bool,
        bytes: u64,
        rendezvous: bool,
    ) -> Span {
        let library = &self.job.library;
        if !same_node {
            return library.send_overhead + self.gpu_access_cost(same_node, bytes);
        }
        match self.job.buffers {
            Buffers::Host if rendezvous => library.shm_send_overhead,
            Buffers::Host => library.shm_send_overhead + self.copy_cost(from, to, bytes),
            Buffers::Gpu => library.shm_send_overhead + self.gpu_access_cost(same_node, bytes),
        }
    }

    /// Starts a protocol phase: through the node's memory or the NIC.
    pub(crate) fn depart(&mut self, in_flight: InFlight) {
        if self.sends[in_flight.send].same_node {
            let send = self.sends[in_flight.send];
            let (_, dst) = ends(&send, in_flight.phase);
            let when = self.arrives_within_node(&send, in_flight.phase);
            return self.schedule(dst, when, HostEvent::Arrive(MessageOwner::Send(in_flight)));
        }
        if self.job.buffers == Buffers::Host || self.admits(in_flight) {
            self.start_phase(in_flight);
        }
    }

    /// Starts a protocol phase through the network, now or when other delays are over.
    pub(crate) fn start_phase(&mut self, in_flight: InFlight) {
        let when = self.leaves_at(in_flight);
        if when > self.now {
            let rank = self.representative(ends(&self.sends[in_flight.send], in_flight.phase).0);
            self.schedule(rank, when, HostEvent::Inject(in_flight));
        } else {
            self.inject_phase(in_flight);
        }
    }

    /// A protocol phase enters the network.
    pub(crate) fn inject_phase(&mut self, in_flight: InFlight) {
        let send = &self.sends[in_flight.send];
        let src = ends(send, in_flight.phase).0;
        let nics = self.nics_of(in_flight);
        let (bytes, origin) = self.on_wire(send, in_flight.phase);
        let data = self.on_wire(send, ProtocolPhase::Data).0;
        let pieces = match in_flight.phase {
            ProtocolPhase::Data if !self.names_nics(in_flight.send) => self.stripes(send, nics),
            _ => 1,
        };
        if matches!(in_flight.phase, ProtocolPhase::Eager | ProtocolPhase::RequestToSend) {
            self.limit_checker.limits.send(src);
        }
        if in_flight.phase == ProtocolPhase::Get && self.job.machine.nic.response > 0 {
            // The receiver's NIC fetches the data: it arrives as the response to the request.
            let in_flight = InFlight { phase: ProtocolPhase::Data, ..in_flight };
            return self.send(
                MessageOwner::Send(in_flight),
                nics,
                0,
                (origin, Completion::Initiator(data)),
            );
        }
        self.sends[in_flight.send].pieces = pieces - 1;
        let pieces = u32::from(pieces);
        for piece in 0..pieces {
            let share = |n: u32| bytes / u64::from(pieces) * u64::from(n);
            let last = piece + 1 == pieces;
            let bytes = if last { bytes } else { share(piece + 1) } - share(piece);
            let nics = self.piece_nics(nics, piece);
            self.send(MessageOwner::Send(in_flight), nics, bytes, (origin, Completion::Target));
        }
    }

    /// Bytes of a protocol phase in the network, excluding packet headers, and their origin.
    pub(crate) fn on_wire(&self, send: &Send, phase: ProtocolPhase) -> (u64, Origin) {
        let library = &self.job.library;
        let part = library.rendezvous_eager_part.min(send.bytes);
        match phase {
            ProtocolPhase::Eager => (send.bytes + library.control_bytes, Origin::Host),
            ProtocolPhase::RequestToSend => (part + library.control_bytes, Origin::Host),
            ProtocolPhase::Get | ProtocolPhase::Finished => (0, Origin::Nic),
            ProtocolPhase::Data => (send.bytes - part, Origin::Nic),
        }
    }

    /// Processing time of a message at its receiver's NIC, in addition to its bytes: MPI messages
    /// are posted, matched and completed there.
    pub(crate) fn handling(&self, owner: MessageOwner, dst: NicId) -> Span {
        match owner {
            MessageOwner::Send(InFlight {
                phase: ProtocolPhase::Eager | ProtocolPhase::RequestToSend | ProtocolPhase::Data,
                ..
            }) => self.handling[dst],
            _ => Span::ZERO,
        }
    }

    /// A rank commands its NIC; returns when the NIC takes the command from the rank's queue.
    /// Messages that NICs send by themselves use no rank's queue.
    pub(crate) fn command(&mut self, rank: u32) -> Time {
        let gap = self.job.machine.nic.command_gap;
        if gap == Span::ZERO {
            return self.now;
        }
        let next = &mut self.command_free_at[rank as usize];
        let when = self.now.max(*next);
        *next = when + gap;
        when
    }

    /// Number of pieces of the data of a rendezvous, each through another NIC.
    fn stripes(&self, send: &Send, (src, dst): (NicId, NicId)) -> u16 {
        let nics = |nic| self.job.machine.nics_of_same_node(nic).len() as u32;
        let most = nics(src).min(nics(dst)).min(u16::MAX.into());
        self.job.library.stripes(send.bytes, most) as u16
    }

    /// The NICs of the `nth` piece: the ranks' own, then the next ones of their nodes.
    fn piece_nics(&self, (src, dst): (NicId, NicId), nth: u32) -> (NicId, NicId) {
        (self.nth_nic_of_node(src, nth), self.nth_nic_of_node(dst, nth))
    }

    /// A protocol phase has arrived.
    pub(crate) fn arrive(&mut self, in_flight: InFlight) {
        let InFlight { send: id, phase } = in_flight;
        let send = self.sends[id];
        let same_node = send.same_node;
        match phase {
            ProtocolPhase::Eager | ProtocolPhase::RequestToSend => {
                if !same_node {
                    if self.deferred_by_flow_control(in_flight, send.to) {
                        return;
                    }
                    if phase == ProtocolPhase::Eager {
                        self.limit_checker.limits.sent(send.from);
                    }
                }
                match send.purpose {
                    Purpose::User { .. } => self.in_order(id),
                    Purpose::Collective { .. } => self.collective_arrival(id),
                }
            }
            ProtocolPhase::Get => self.depart(InFlight { send: id, phase: ProtocolPhase::Data }),
            ProtocolPhase::Data if send.pieces > 0 => self.sends[id].pieces -= 1,
            ProtocolPhase::Data => {
                let MatchState::Matched(waiter) = send.match_state else {
                    unreachable!("data was fetched by a matched receive")
                };
                self.received(id, waiter);
                self.depart(InFlight { send: id, phase: ProtocolPhase::Finished });
            }
            ProtocolPhase::Finished => {
                if send.rendezvous && !same_node {
                    self.release_rendezvous(&send);
                }
                let known_at =
                    if same_node { self.completion_within_node(&send) } else { self.now };
                match send.purpose {
                    Purpose::User { mode: SendMode::Buffered, .. } => {}
                    Purpose::User { token, .. } => {
                        let ready = match send.match_state {
                            MatchState::Matched(Waiter::User { posted, .. }) => posted,
                            _ => self.now,
                        };
                        let done = OpCompletion {
                            rank: send.from,
                            token,
                            ready,
                            ..OpCompletion::default()
                        };
                        self.complete(known_at, done);
                    }
                    // Its round waits for this completion.
                    Purpose::Collective { run, .. } => self.outstanding_done(run, known_at),
                }
                self.sends.free(id);
            }
        }
    }

    /// Passes a message to matching after all earlier messages from its sender to this rank.
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

    /// A user's send: its pair of ranks, and its number among the pair's sends.
    fn place(&self, id: SendId) -> (PairId, u32) {
        let MatchState::Unmatched { pair, seq } = self.sends[id].match_state else {
            unreachable!("an arriving message is unmatched")
        };
        (pair, seq)
    }

    fn match_message(&mut self, id: SendId) {
        let send = self.sends[id];
        let Purpose::User { envelope, .. } = send.purpose else {
            unreachable!("collective messages are not matched")
        };
        let to = send.to as usize;
        let same_node = send.same_node;
        let matching = &mut self.ranks[to].inbox().matching;
        let found = matching.arrive(envelope, id);
        if !same_node {
            let examined = matching.examined;
            self.searched(send.to, examined);
        }
        self.message_arrived(id, found.is_some());
        if let Some((pattern, waiter)) = found {
            self.unposted(send.to, pattern.from);
            self.matched(id, waiter);
            return;
        }
        self.hold_unexpected(id);
        // Unexpected message: waiting probes may match it. The first that takes it ends the search.
        let mut i = 0;
        while i < self.ranks[to].inbox().probes.len() {
            let (pattern, token, take) = self.ranks[to].inbox().probes[i];
            if !pattern.matches(envelope) {
                i += 1;
                continue;
            }
            self.ranks[to].inbox().probes.remove(i);
            self.complete(
                self.now,
                matched_completion(send.to, token, &send, CompletionStatus::Success, send.called),
            );
            if take {
                let found = self.ranks[to].inbox().matching.take(exactly(envelope));
                // Older messages with the same envelope went to older probes, so this one is found.
                debug_assert_eq!(found.map(|f| f.1), Some(id));
                self.release_unexpected(id);
                self.ranks[to].inbox().taken.push((token, envelope, id));
                return;
            }
        }
    }

    /// The receive of `waiter` and this message have matched.
    fn matched(&mut self, id: SendId, waiter: Waiter) {
        self.sends[id].match_state = MatchState::Matched(waiter);
        let send = self.sends[id];
        if send.rendezvous {
            self.fetch_data(id);
            return;
        }
        self.received(id, waiter);
        if let Purpose::User { mode: SendMode::Synchronous, .. } = send.purpose {
            self.depart(InFlight { send: id, phase: ProtocolPhase::Finished });
        } else {
            self.sends.free(id);
        }
    }

    /// Fetches the rest of a rendezvous. In the network the receiver's NIC fetches it. Within a
    /// node the receiver copies it, or has the sender write it to cells.
    pub(crate) fn fetch_data(&mut self, id: SendId) {
        let send = self.sends[id];
        if send.same_node {
            let phase = self.next_phase_within_node(&send);
            return self.depart(InFlight { send: id, phase });
        }
        let in_flight = InFlight { send: id, phase: ProtocolPhase::Get };
        let to = self.representative(send.to);
        if self.limit_checker.limits.is_software(to) {
            // Matched in software: the CPU issues the fetch, not the NIC.
            self.depart_after(to, Span::ZERO, in_flight);
            return;
        }
        self.limit_checker.limits.offload(to);
        self.depart(in_flight);
    }

    /// All data is at the receiver; its CPU time remains.
    fn received(&mut self, id: SendId, waiter: Waiter) {
        let send = self.sends[id];
        match waiter {
            Waiter::User { token, posted } => {
                let (cost, usable) = (self.receive_cost(&send), self.usable_at(&send));
                let cost = cost
                    + self.scatter_cost(send.to, token, send.bytes, |world| {
                        world.replaced_copy_out_time(&send)
                    });
                let when = self.occupy_cpu(send.to, cost).max(usable + cost);
                let ready = send.called.max(posted);
                self.complete(
                    when,
                    matched_completion(send.to, token, &send, CompletionStatus::Success, ready),
                );
            }
            Waiter::Run(run) => self.collective_data(run, id, &send),
        }
    }

    /// CPU time of the receiver for one message: its overhead, and the copy out of the bounce
    /// buffer for eager data from the network. Within a node, see `intranode`.
    pub(crate) fn receive_cost(&self, send: &Send) -> Span {
        let (library, same_node) = (&self.job.library, send.same_node);
        let overhead = if same_node {
            library.shm_recv_overhead + self.copy_out_cost(send)
        } else if send.rendezvous {
            library.recv_overhead
        } else {
            library.recv_overhead + library.eager_copy_gap.span(send.bytes)
        };
        overhead + self.gpu_access_cost(same_node, send.bytes)
    }

    pub(crate) fn user_recv(&mut self, at: u32, token: Token, pattern: Pattern) {
        if pattern.tag != ANY_TAG {
            self.tagged(at, pattern.context, pattern.tag);
        }
        let waiter = Waiter::User { token, posted: self.now };
        let matching = &mut self.ranks[at as usize].inbox().matching;
        let found = matching.post(pattern, waiter);
        let examined = matching.examined;
        if self.is_remote(at, pattern.from) {
            self.searched(at, examined);
        }
        match found {
            Some((_, id)) => {
                self.release_unexpected(id);
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
        let examined = matching.examined;
        if self.is_remote(at, pattern.from) {
            self.searched(at, examined);
        }
        match found {
            Some((envelope, id)) => {
                if take {
                    self.release_unexpected(id);
                    self.ranks[at as usize].inbox().taken.push((token, envelope, id));
                }
                let send = self.sends[id];
                self.complete(
                    self.now,
                    matched_completion(at, token, &send, CompletionStatus::Success, send.called),
                );
            }
            None if wait => self.ranks[at as usize].inbox().probes.push((pattern, token, take)),
            None => {
                let done = OpCompletion {
                    rank: at,
                    token,
                    status: CompletionStatus::NoMessage,
                    ready: self.now,
                    ..OpCompletion::default()
                };
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
            let status = CompletionStatus::Cancelled;
            let done = OpCompletion {
                rank: at,
                token: receive,
                status,
                ready: self.now,
                ..OpCompletion::default()
            };
            self.complete(self.now, done);
        }
        self.complete(
            self.now,
            OpCompletion { rank: at, token, ready: self.now, ..OpCompletion::default() },
        );
    }

    /// Sends that are unmatched at the receiver and whose sender still waits: (from, to, tag,
    /// bytes).
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

    /// Time at which a protocol phase that costs the CPU `overhead` may leave.
    pub(crate) fn depart_after(&mut self, rank: u32, overhead: Span, in_flight: InFlight) -> Time {
        let when = self.occupy_cpu(rank, overhead);
        self.schedule(rank, when, HostEvent::Depart(in_flight));
        when
    }
}

/// Source and destination rank of a protocol phase.
pub(crate) fn ends(send: &Send, phase: ProtocolPhase) -> (u32, u32) {
    if is_back(phase) { (send.to, send.from) } else { (send.from, send.to) }
}

/// Whether a protocol phase goes from the receiver to the sender.
pub(crate) fn is_back(phase: ProtocolPhase) -> bool {
    match phase {
        ProtocolPhase::Get | ProtocolPhase::Finished => true,
        ProtocolPhase::Eager | ProtocolPhase::RequestToSend | ProtocolPhase::Data => false,
    }
}

pub(crate) fn first_phase(rendezvous: bool) -> ProtocolPhase {
    if rendezvous { ProtocolPhase::RequestToSend } else { ProtocolPhase::Eager }
}

fn exactly(e: Envelope) -> Pattern {
    Pattern { from: e.src, context: e.context, tag: e.tag }
}

/// The result of a probe or receive that matched a message.
fn matched_completion(
    rank: u32,
    token: Token,
    send: &Send,
    status: CompletionStatus,
    ready: Time,
) -> OpCompletion {
    let Purpose::User { token: peer_token, envelope, .. } = send.purpose else {
        unreachable!("collective messages match no user receive")
    };
    OpCompletion {
        rank,
        token,
        peer: envelope.src,
        tag: envelope.tag,
        bytes: send.bytes,
        peer_token,
        status,
        ready,
    }
}
