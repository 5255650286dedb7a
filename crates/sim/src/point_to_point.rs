//! Point-to-point messages: sends, receives and probes of users, matched in the order that MPI
//! guarantees. `transport` has the protocols.

use crate::event::{InFlight, ProtocolPhase, SendId};
use crate::kernel::Kernel;
use crate::named_nics::named_for;
use crate::pairs::PairId;
use crate::send::{Delivery, MatchState, PostedReceive, Purpose, Send, Waiter, first_phase};
use crate::transport::Transport;
use base::{Span, Time};
use mpi::{Envelope, Matching, Pattern};
use net::NetworkModel;
use workload::{ANY_TAG, CompletionStatus, OpCompletion, SendMode, Token};

/// Messages of a rank that wait for a receive, and receives and probes that wait for a message.
#[derive(Default)]
struct Mailbox {
    matching: Matching<PostedReceive, SendId>,
    probes: Vec<(Pattern, Token, bool)>,
    /// Messages reserved by matched probes.
    taken: Vec<(Token, Envelope, SendId)>,
}

pub(crate) struct PointToPoint {
    /// By rank; present after the first message or receive.
    mailboxes: Vec<Option<Box<Mailbox>>>,
}

/// Arguments of a send.
#[derive(Clone, Copy)]
pub(crate) struct SendArgs {
    pub token: Token,
    pub to: u32,
    pub envelope: Envelope,
    pub bytes: u64,
    pub mode: SendMode,
}

impl PointToPoint {
    /// For `n` ranks.
    pub fn new(n: usize) -> PointToPoint {
        PointToPoint { mailboxes: (0..n).map(|_| None).collect() }
    }

    #[inline]
    fn mailbox(&mut self, rank: u32) -> &mut Mailbox {
        self.mailboxes[rank as usize].get_or_insert_default()
    }

    pub fn send<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, from: u32, args: SendArgs) {
        let SendArgs { token, to, envelope, bytes, mode } = args;
        let same_node = t.kernel.shares_node(from, to);
        let rendezvous = t.kernel.job.wants_rendezvous(t.kernel.job.buffers, same_node, bytes);
        t.limit_checker.tagged(&mut t.kernel, from, envelope.context, envelope.tag);
        let pair = t.pairs.id(from, to);
        let row = &mut t.pairs[pair];
        let seq = row.sent;
        row.sent = row.sent.wrapping_add(1);
        row.messages += 1;
        row.bytes += bytes;
        let purpose = Purpose::User { token, envelope, mode };
        let called = t.kernel.now;
        let send = t.sends.insert_with(|| Send {
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
        let named = match &mut t.kernel.ranks[from as usize].extra {
            Some(extra) => named_for(&mut extra.nics, token),
            None => None,
        };
        t.named.set(send, named);
        let in_flight = InFlight { send, phase: first_phase(rendezvous) };
        t.kernel.count_between(from, t.nics_of(in_flight), bytes);
        let at_once = match mode {
            SendMode::Standard => !rendezvous,
            SendMode::Buffered => true,
            SendMode::Synchronous => false,
        };
        if at_once {
            let done =
                OpCompletion { rank: from, token, ready: t.kernel.now, ..OpCompletion::default() };
            t.kernel.complete(t.kernel.now, done);
        }
        t.depart(in_flight);
    }

    /// An envelope has arrived. It is matched after all earlier messages from its sender to this
    /// rank.
    pub fn arrive<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: SendId) {
        let (row, seq) = place(t, id);
        let pair = &mut t.pairs[row];
        if pair.arrived != seq {
            pair.ahead.push(id);
            return;
        }
        pair.arrived = pair.arrived.wrapping_add(1);
        self.match_message(t, id);
        loop {
            let next = t.pairs[row].arrived;
            let is_next = |&id: &SendId| place(t, id).1 == next;
            let Some(i) = t.pairs[row].ahead.iter().position(is_next) else { return };
            let pair = &mut t.pairs[row];
            let id = pair.ahead.swap_remove(i);
            pair.arrived = pair.arrived.wrapping_add(1);
            self.match_message(t, id);
        }
    }

    fn match_message<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: SendId) {
        let send = t.sends[id];
        let Purpose::User { envelope, .. } = send.purpose else {
            unreachable!("collective messages are not matched")
        };
        let to = send.to;
        let mailbox = self.mailbox(to);
        let found = mailbox.matching.arrive(envelope, id);
        let (limits, kernel) = (&mut t.limit_checker, &mut t.kernel);
        if !send.same_node {
            limits.searched(kernel, to, mailbox.matching.examined);
        }
        limits.message_arrived(kernel, &send, found.is_some());
        if let Some((pattern, receive)) = found {
            limits.unposted(kernel, to, pattern.from);
            return self.matched(t, id, receive, Delivery::Expected);
        }
        limits.hold_unexpected(kernel, &send);
        // Unexpected message: waiting probes may match it. The first that takes it ends the search.
        let mut i = 0;
        while i < mailbox.probes.len() {
            let (pattern, token, take) = mailbox.probes[i];
            if !pattern.matches(envelope) {
                i += 1;
                continue;
            }
            mailbox.probes.remove(i);
            kernel.complete(
                kernel.now,
                matched_completion(to, token, &send, CompletionStatus::Success, send.called),
            );
            if take {
                let found = mailbox.matching.take(exactly(envelope));
                // Older messages with the same envelope went to older probes, so this one is found.
                debug_assert_eq!(found.map(|f| f.1), Some(id));
                limits.release_unexpected(kernel, &send);
                mailbox.taken.push((token, envelope, id));
                return;
            }
        }
    }

    /// This receive and this message have matched.
    fn matched<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        id: SendId,
        receive: PostedReceive,
        delivery: Delivery,
    ) {
        t.sends[id].match_state = receive.matched();
        let send = t.sends[id];
        if send.rendezvous {
            return t.fetch_data(id);
        }
        self.received(t, &send, receive, delivery);
        if let Purpose::User { mode: SendMode::Synchronous, .. } = send.purpose {
            t.depart(InFlight { send: id, phase: ProtocolPhase::Finished });
        } else {
            t.sends.free(id);
        }
    }

    /// All data is at the receiver; its CPU time remains.
    pub fn received<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        send: &Send,
        PostedReceive { token, posted }: PostedReceive,
        delivery: Delivery,
    ) {
        let (cost, usable) = t.receive(send, delivery);
        let kernel = &mut t.kernel;
        let replaced = |kernel: &Kernel<'_, N>| kernel.job.replaced_copy_out_time(send);
        let cost = cost + kernel.unpacking_time(send.to, token, send.bytes, replaced);
        let when = kernel.occupy_cpu(send.to, cost).max(usable + cost);
        let ready = send.called.max(posted);
        kernel.complete(
            when,
            matched_completion(send.to, token, send, CompletionStatus::Success, ready),
        );
    }

    /// The last message of a send's protocol has arrived; the sender knows it at `known_at`.
    pub fn finished<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        send: &Send,
        known_at: Time,
    ) {
        match send.purpose {
            Purpose::User { mode: SendMode::Buffered, .. } => {}
            Purpose::User { token, .. } => {
                let ready = match send.match_state {
                    MatchState::Matched(Waiter::User { posted, .. }) => posted,
                    _ => t.kernel.now,
                };
                let done =
                    OpCompletion { rank: send.from, token, ready, ..OpCompletion::default() };
                t.kernel.complete(known_at, done);
            }
            Purpose::Collective { .. } => unreachable!("a round's send"),
        }
    }

    pub fn recv<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        at: u32,
        token: Token,
        pattern: Pattern,
    ) {
        let (limits, kernel) = (&mut t.limit_checker, &mut t.kernel);
        if pattern.tag != ANY_TAG {
            limits.tagged(kernel, at, pattern.context, pattern.tag);
        }
        let receive = PostedReceive { token, posted: kernel.now };
        let matching = &mut self.mailbox(at).matching;
        let found = matching.post(pattern, receive);
        if kernel.is_remote(at, pattern.from) {
            limits.searched(kernel, at, matching.examined);
        }
        match found {
            Some((_, id)) => {
                limits.release_unexpected(kernel, &t.sends[id]);
                self.matched(t, id, receive, Delivery::Unexpected);
            }
            None => limits.posted(kernel, at, pattern.from),
        }
    }

    pub fn probe<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        (at, token): (u32, Token),
        pattern: Pattern,
        wait: bool,
        take: bool,
    ) {
        let (limits, kernel) = (&mut t.limit_checker, &mut t.kernel);
        if pattern.tag != ANY_TAG {
            limits.tagged(kernel, at, pattern.context, pattern.tag);
        }
        let mailbox = self.mailbox(at);
        let matching = &mut mailbox.matching;
        let found = if take { matching.take(pattern) } else { matching.find(pattern) };
        if kernel.is_remote(at, pattern.from) {
            limits.searched(kernel, at, matching.examined);
        }
        match found {
            Some((envelope, id)) => {
                if take {
                    limits.release_unexpected(kernel, &t.sends[id]);
                    mailbox.taken.push((token, envelope, id));
                }
                let send = &t.sends[id];
                kernel.complete(
                    kernel.now,
                    matched_completion(at, token, send, CompletionStatus::Success, send.called),
                );
            }
            None if wait => mailbox.probes.push((pattern, token, take)),
            None => {
                let (status, ready) = (CompletionStatus::NoMessage, kernel.now);
                kernel.complete(
                    ready,
                    OpCompletion { rank: at, token, status, ready, ..OpCompletion::default() },
                );
            }
        }
    }

    /// Receives the message that a probe reserved.
    pub fn recv_taken<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        at: u32,
        token: Token,
        probe: Token,
    ) {
        let taken = &mut self.mailbox(at).taken;
        let i = taken
            .iter()
            .position(|&(t, ..)| t == probe)
            .expect("the rank's library names a probe that took a message");
        let (_, _, id) = taken.remove(i);
        let posted = t.kernel.now;
        self.matched(t, id, PostedReceive { token, posted }, Delivery::Unexpected);
    }

    pub fn cancel<N: NetworkModel>(
        &mut self,
        t: &mut Transport<'_, N>,
        at: u32,
        token: Token,
        receive: Token,
    ) {
        let kernel = &mut t.kernel;
        let matching = &mut self.mailbox(at).matching;
        let found = matching.posted().find(|(_, posted)| posted.token == receive);
        if let Some((pattern, posted)) = found {
            matching.cancel(posted);
            t.limit_checker.unposted(kernel, at, pattern.from);
            kernel.unpacking_time(at, receive, 0, |_| Span::ZERO);
            let (status, ready) = (CompletionStatus::Cancelled, kernel.now);
            let done =
                OpCompletion { rank: at, token: receive, status, ready, ..OpCompletion::default() };
            kernel.complete(kernel.now, done);
        }
        let done = OpCompletion { rank: at, token, ready: kernel.now, ..OpCompletion::default() };
        kernel.complete(kernel.now, done);
    }

    /// Unexpected messages of a rank.
    pub fn unexpected(&self, rank: u32) -> impl Iterator<Item = (Envelope, SendId)> {
        self.mailboxes[rank as usize].iter().flat_map(|mailbox| mailbox.matching.unexpected())
    }

    /// Receives and probes that wait at a rank.
    pub fn waiting(&self, rank: u32) -> impl Iterator<Item = (&'static str, Pattern)> {
        self.mailboxes[rank as usize].iter().flat_map(|mailbox| {
            let posted = mailbox.matching.posted().map(|(pattern, _)| ("receive", pattern));
            posted.chain(mailbox.probes.iter().map(|&(pattern, ..)| ("probe", pattern)))
        })
    }

    /// Sends that are unmatched at the receiver and whose sender still waits, with their tags.
    pub fn unmatched_sends<'a>(
        &'a self,
        sends: &'a base::Slab<SendId, Send>,
    ) -> impl Iterator<Item = (&'a Send, i32)> {
        let all = (0..self.mailboxes.len() as u32).flat_map(|rank| self.unexpected(rank));
        all.filter_map(|(envelope, id)| {
            let send = &sends[id];
            let Purpose::User { mode, .. } = send.purpose else { return None };
            let waits = match mode {
                SendMode::Synchronous => true,
                SendMode::Standard => send.rendezvous,
                SendMode::Buffered => false,
            };
            waits.then_some((send, envelope.tag))
        })
    }
}

/// A user's send: its pair of ranks, and its number among the pair's sends.
fn place<N: NetworkModel>(t: &Transport<'_, N>, id: SendId) -> (PairId, u32) {
    let MatchState::Unmatched { pair, seq } = t.sends[id].match_state else {
        unreachable!("an arriving message is unmatched")
    };
    (pair, seq)
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
