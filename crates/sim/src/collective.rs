//! Execution of collectives: one cursor per rank, advanced round by round.
//!
//! A round ends when everything that its rank sends has left the buffer and everything that it
//! receives has arrived. Messages are counted, not matched. Within a round each peer sends exactly
//! one message, as the verifier of `collectives` proves, so (communicator, call, round) identifies
//! it.

use crate::outcome::Blocked;
use crate::pairs::PairId;
use crate::protocol::first_phase;
use crate::world::{
    Buffers, CallId, HostEvent, InFlight, MatchState, Purpose, RunId, Send, SendId, Waiter, World,
};
use std::mem::offset_of;

use base::{Span, Time};
use collectives::{ApplyMode, ByteRange, InNetwork, Kind, NodeMap, OFFLOAD_MAX, RoundSink};
use net::NetworkModel;
use workload::{ANY_SOURCE, Context, OpCompletion, WORLD, Workload};

/// Field order: an arriving message needs only the first of its two cache lines (`ARRIVE`).
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Run {
    pub rank: u32,
    pub context: Context,
    pub seq: u32,
    pub round: u32,
    /// Sends and receives of this round that are not complete, and of these the receives. They are
    /// counted separately, because mismatched calls can send more messages than the receiver
    /// expects.
    pub outstanding: u32,
    to_come: u32,
    /// Whether data that arrives in this round is combined, which costs time per byte.
    pub combines: bool,
    kind: Kind,
    /// Time at which the last rank that this one depends on so far entered the call.
    pub ready: Time,
    /// Time at which the work for this round's messages is done.
    pub busy: Time,
    /// Time for local copies at the end of this round.
    pub local: Span,
    /// The next run that its rank entered.
    pub after: Option<RunId>,
    /// The next message of this round to leave, and the list of those behind it, last first. A
    /// message becomes a send only when its rank's CPU reaches it.
    next: Outgoing,
    rest: Vec<Outgoing>,
    /// Value of `ready` at the start of this round, which its messages carry.
    pub called: Time,
    rounds: u32,
    pub call: CallId,
}

/// A message of a round to a rank, and the time at which its sender's CPU has finished it.
#[derive(Clone, Copy, Default, Debug)]
struct Outgoing {
    to: u32,
    /// Within a node.
    same_node: bool,
    rendezvous: bool,
    is_in_shared_cell: bool,
    bytes: u64,
    leaves: Time,
}

/// A message as an algorithm addresses it: to a member of the communicator.
#[derive(Clone, Copy, Debug)]
struct Named {
    member: u32,
    through: Through,
    bytes: u64,
    /// Number of non-contiguous pieces that are packed into the message, or 0.
    segments: u32,
}

/// Traffic of a round, one entry per peer. Reused, so that it stops allocating.
#[derive(Default, Debug)]
pub(crate) struct Traffic {
    sends: Vec<Named>,
    recvs: Vec<u32>,
    combines: bool,
    /// Bytes copied locally at the end of the round.
    moved: u64,
    combined: u64,
    /// Blocks that are copied one by one.
    single: u64,
    lists: Vec<Vec<Outgoing>>,
    /// Whether the network may take part, and its part.
    network_reduces: bool,
    offloaded: Option<InNetwork>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Through {
    Message,
    /// In a cell that all ranks of the node read, written by this message or by the one before.
    Cell,
    SameCell,
}

const _: () = assert!(size_of::<Run>() == 128);
const _: () = assert!(offset_of!(Run, after) + size_of::<Option<RunId>>() <= Run::ARRIVE);

impl Run {
    pub const ARRIVE: usize = 64;

    /// Receiver of the next message of this round, if there is one.
    #[inline]
    pub fn receiver(&self) -> usize {
        self.next.to as usize
    }
}

impl RoundSink for Traffic {
    fn send(&mut self, to: u32, part: ByteRange) {
        // All parts for one peer form one message; algorithms list them consecutively.
        match self.sends.last_mut() {
            Some(last) if last.member == to && last.through == Through::Message => {
                last.bytes += part.len;
            }
            _ => {
                let (through, bytes) = (Through::Message, part.len);
                self.sends.push(Named { member: to, through, bytes, segments: 0 });
            }
        }
    }
    fn send_shared(&mut self, to: u32, part: ByteRange, is_first: bool) {
        let through = if is_first { Through::Cell } else { Through::SameCell };
        self.sends.push(Named { member: to, through, bytes: part.len, segments: 0 });
    }
    fn in_network(&mut self, part: InNetwork) -> bool {
        let takes = self.network_reduces && part.bytes <= OFFLOAD_MAX;
        // The result phase belongs to the reduction phase.
        self.offloaded = Some(part).filter(|part| takes && part.goes_up && part.size > 1);
        takes
    }
    fn recv(&mut self, from: u32, _: ByteRange, land: ApplyMode) {
        if self.recvs.last() != Some(&from) {
            self.recvs.push(from);
        }
        self.combines |= land != ApplyMode::Write;
    }
    fn local(&mut self, _: ByteRange, to: ByteRange, land: ApplyMode) {
        match land {
            ApplyMode::Write => self.moved += to.len,
            _ => self.combined += to.len,
        }
    }
    fn send_run(&mut self, to: u32, first: ByteRange, _: u64, count: u32) {
        if count > 0 {
            self.send(to, ByteRange { at: first.at, len: first.len * u64::from(count) });
            self.sends.last_mut().expect("just named").segments += count;
        }
    }
    fn recv_run(&mut self, from: u32, first: ByteRange, _: u64, count: u32) {
        if count > 0 {
            self.recv(from, first, ApplyMode::Write);
        }
    }
    fn local_run(&mut self, _: ByteRange, step: i64, to: ByteRange, to_step: i64, count: u32) {
        self.moved += to.len * u64::from(count);
        // Reordered blocks are copied one by one.
        self.single += u64::from(if step == to_step { 0 } else { count });
    }
}

impl Traffic {
    fn clear(&mut self) {
        self.sends.clear();
        self.recvs.clear();
        (self.combines, self.moved, self.combined, self.single) = (false, 0, 0, 0);
        self.offloaded = None;
    }
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    pub(crate) fn enter(&mut self, rank: u32, context: Context, id: CallId) {
        let job = self.job_of(rank);
        let call = self.call_entries[id].collective();
        if call.algorithm.is_node_aware() && call.nodes.is_none() {
            let nodes = self.nodes(job, context);
            self.call_entries[id].set_nodes(nodes);
        }
        let call = self.call_entries[id].collective();
        let (kind, member, rounds) = (call.kind, call.member, call.rounds());
        let size = self.workload.members(job, context).len() as u32;
        assert_eq!(member.size, size, "a member is one of its communicator");
        let seq = self.ranks[rank as usize].next_collective(context);
        let run = self.runs.insert(Run {
            rank,
            context,
            seq,
            kind,
            call: id,
            round: 0,
            rounds,
            after: None,
            outstanding: 0,
            to_come: 0,
            ready: self.now,
            called: self.now,
            busy: self.now,
            local: Span::ZERO,
            combines: false,
            next: Outgoing::default(),
            rest: Vec::new(),
        });
        self.replace_run(rank, None, Some(run));
        if self.agrees(run, size) {
            self.begin_round(run);
        }
    }

    /// Job-local rank of a member of a communicator; in the communicator of all ranks its own
    /// number.
    #[inline]
    fn member(&self, job: u32, context: Context, member: u32) -> u32 {
        match context {
            WORLD => member,
            _ => self.workload.members(job, context)[member as usize],
        }
    }

    /// The runs of a rank, in the order in which it entered them.
    pub(crate) fn runs_of(&self, rank: u32) -> impl Iterator<Item = RunId> {
        let after = |id: &RunId| self.runs[*id].after;
        std::iter::successors(self.ranks[rank as usize].run, after)
    }

    /// In a rank's list, replaces `id` by `next`, or by the end.
    fn replace_run(&mut self, rank: u32, id: Option<RunId>, next: Option<RunId>) {
        match self.runs_of(rank).take_while(|&run| Some(run) != id).last() {
            None => self.ranks[rank as usize].run = next,
            Some(before) => self.runs[before].after = next,
        }
    }

    pub(crate) fn advance(&mut self, id: RunId) {
        self.runs[id].round += 1;
        self.begin_round(id);
    }

    /// Starts a round of the run: sends its messages one after the other, and expects its receives.
    fn begin_round(&mut self, id: RunId) {
        let run = &self.runs[id];
        let (rank, context, round) = (run.rank, run.context, run.round);
        let simulated = self.job.sample.round(round, run.rounds);
        if !self.job.sample.is_all() {
            self.note_begin(round);
        }
        let Some(simulated) = simulated else { return self.leave(id) };
        self.traffic.clear();
        self.traffic.network_reduces = self.offload.reducer.is_some();
        let call = self.call_entries[self.runs[id].call].collective();
        call.round(simulated, &mut self.traffic);
        let (block, grain) = (call.bytes.max(1), call.grain);
        let job = self.job_of(rank);
        let first = self.first_rank(job);
        let is_far =
            |&&peer: &&u32| !self.shares_node(rank, first + self.member(job, context, peer));
        let far = self.traffic.recvs.iter().filter(is_far).count();
        // The CPU executes the messages one after the other, with costs that are known now.
        let (mut gone, mut awaited) = (self.now, 0);
        let sends = std::mem::take(&mut self.traffic.sends);
        let mut unpacking = Span::ZERO;
        let (mut next, mut rest) = (None, Vec::new());
        if let Some(behind @ 1..) = sends.len().checked_sub(1) {
            rest = self.traffic.lists.pop().unwrap_or_default();
            rest.reserve(behind);
        }
        for &Named { member, through, bytes, segments } in &sends {
            let to = first + self.member(job, context, member);
            let same_node = self.shares_node(rank, to);
            // Data in GPU memory does not use shared-memory cells.
            let is_plain = self.job.buffers == Buffers::Gpu && bytes > 0;
            let through = if is_plain { Through::Message } else { through };
            // Ordinary messages may use rendezvous.
            let may_wait = through == Through::Message;
            let rendezvous = may_wait && self.wants_rendezvous(same_node, bytes);
            let overhead = match through {
                Through::SameCell => Span::ZERO,
                _ => self.send_cost((rank, to), same_node, bytes, rendezvous),
            };
            // Data that arrives in the same round has the same datatype.
            let (packing, alike) = match segments {
                0 => (Span::ZERO, Span::ZERO),
                _ => self.pack_cost(bytes, segments, block, grain),
            };
            unpacking += alike;
            if rendezvous && !same_node {
                self.limit_checker.limits.claim_rendezvous_beyond_limit(rank);
            }
            let when = self.occupy_cpu(rank, packing + overhead);
            let leaves = when.max(self.now + Span(1));
            let is_in_shared_cell = through == Through::SameCell;
            let message = Outgoing { to, same_node, rendezvous, is_in_shared_cell, bytes, leaves };
            match next {
                None => next = Some(message),
                Some(_) => rest.push(message),
            }
            match rendezvous {
                true => awaited += 1,
                false => gone = when,
            }
        }
        self.traffic.sends = sends;
        let (run, traffic) = (&mut self.runs[id], &self.traffic);
        // One more than the number of messages keeps the round open until all have been sent.
        run.to_come = traffic.recvs.len() as u32;
        run.outstanding = 1 + awaited + run.to_come;
        run.outstanding += u32::from(traffic.offloaded.is_some());
        run.called = run.ready;
        run.combines = traffic.combines;
        run.local = self.job.library.local_copy_gap.span(traffic.moved)
            + self.job.library.reduce_gap.span(traffic.combined)
            + unpacking;
        if self.job.buffers == Buffers::Host {
            run.local += self.job.library.packing.moved * traffic.single;
        }
        run.busy = gone;
        if !rest.is_empty() {
            rest.reverse();
            run.rest = rest;
        }
        let sends = next.is_some();
        if let Some(next) = next {
            run.next = next;
        }
        if let Some(part) = traffic.offloaded {
            self.enter_offload(id, part);
        }
        let are_in_flight = !sends || self.schedule_next_sends(id);
        // Messages that have arrived are received at once; the NIC waits for the rest.
        let early = self.accept_early(id);
        (early..far).for_each(|_| self.posted(rank, ANY_SOURCE));
        if are_in_flight {
            self.outstanding_done(id, self.now);
        }
    }

    /// CPU time for packing `segments` non-contiguous pieces before a message leaves, and for
    /// unpacking one of the same layout. With GPU buffers the GPU does it.
    fn pack_cost(&self, bytes: u64, segments: u32, block: u64, grain: u64) -> (Span, Span) {
        if self.job.buffers == Buffers::Gpu {
            return (Span::ZERO, Span::ZERO);
        }
        let (library, segments) = (&self.job.library, u64::from(segments));
        let copied = library.packing.copy_time(bytes, grain, segments, library.local_copy_gap);
        (library.packing.datatype_time(bytes / block, segments) + copied, copied)
    }

    /// Schedules the next messages of this round: all that leave at one instant, so that no other
    /// event of their rank comes between them. Returns whether these are the last.
    fn schedule_next_sends(&mut self, id: RunId) -> bool {
        let run = &self.runs[id];
        let (rank, leaves) = (run.rank, run.next.leaves);
        let more = run.rest.iter().rev().take_while(|send| send.leaves == leaves).count();
        let are_all = more == run.rest.len();
        (0..=more).for_each(|_| self.schedule(rank, leaves, HostEvent::SendNext(id)));
        are_all
    }

    /// Sends the next message of the run's round.
    pub(crate) fn send_next(&mut self, id: RunId) {
        let run = &mut self.runs[id];
        let &mut Run { rank, context, seq, round, called, next: send, kind, .. } = run;
        if let Some(next) = run.rest.pop() {
            run.next = next;
            if run.rest.is_empty() {
                self.traffic.lists.push(std::mem::take(&mut run.rest));
            }
            if next.leaves > self.now && self.schedule_next_sends(id) {
                self.outstanding_done(id, self.now);
            }
        }
        let Outgoing { to, same_node, rendezvous, is_in_shared_cell, bytes, .. } = send;
        if self.job.counts_pairs {
            let pair = self.pairs.id(rank, to);
            self.pairs[pair].messages += 1;
            self.pairs[pair].bytes += bytes;
        }
        self.count(rank, to, bytes);
        let send = self.sends.insert_with(|| Send {
            from: rank,
            to,
            bytes,
            purpose: Purpose::Collective { run: id, context, seq, round, kind, is_in_shared_cell },
            called,
            same_node,
            rendezvous,
            pieces: 0,
            match_state: MatchState::Unmatched { pair: PairId(0), seq: 0 },
        });
        self.depart(InFlight { send, phase: first_phase(rendezvous) });
    }

    /// The members of a communicator grouped by node.
    fn nodes(&mut self, job: u32, context: Context) -> NodeMap {
        if let Some(known) = self.nodes.get(&(job, context)) {
            return known.clone();
        }
        let first = self.first_rank(job);
        let members = self.workload.members(job, context);
        let node = |&member: &u32| self.job.placements[(first + member) as usize].node.0;
        let nodes = NodeMap::new(members.iter().map(node));
        self.nodes.insert((job, context), nodes.clone());
        nodes
    }

    /// The rank that is simulated for this one: itself, or its representative among the first
    /// ranks.
    #[inline]
    pub(crate) fn representative(&self, rank: u32) -> u32 {
        let all = self.ranks.len() as u32;
        if rank < all { rank } else { rank % all }
    }

    /// In a sample: a rank begins its `nth` round, or has finished the one before and leaves.
    fn note_begin(&mut self, nth: u32) {
        let nth = nth as usize;
        if self.round_starts.len() <= nth {
            self.round_starts.resize(nth + 1, 0);
        }
        self.round_starts[nth] += u128::from(self.job_time().0);
    }

    /// Accepts the messages of this round that arrived early; returns how many came through the
    /// NIC.
    fn accept_early(&mut self, id: RunId) -> usize {
        let run = &self.runs[id];
        let (rank, key) = (run.rank as usize, (run.context, run.seq, run.round));
        let (mut before, mut next) = (None, self.ranks[rank].early.map(|(first, _)| first));
        let mut far = 0;
        while let Some(send) = next {
            let after = self.after_early(send);
            next = after;
            if self.round_of(send) != key {
                before = Some(send);
                continue;
            }
            self.set_early_successor(rank, before, after);
            self.release_unexpected(send);
            far += usize::from(!self.sends[send].same_node);
            self.land(id, send);
        }
        far
    }

    /// Messages that reached a rank before it was in their round, in the order of arrival.
    fn early_of(&self, rank: u32) -> impl Iterator<Item = SendId> {
        let first = self.ranks[rank as usize].early.map(|(first, _)| first);
        std::iter::successors(first, |&send| self.after_early(send))
    }

    /// The early message after this one.
    fn after_early(&self, send: SendId) -> Option<SendId> {
        match self.sends[send].match_state {
            MatchState::Early(after) => after,
            _ => unreachable!("listed messages arrived early"),
        }
    }

    /// In a rank's list of early messages, makes `after` the successor of `before`, or the first.
    fn set_early_successor(&mut self, rank: usize, before: Option<SendId>, after: Option<SendId>) {
        let early = &mut self.ranks[rank].early;
        let (first, last) = early.expect("one was listed");
        *early = match (before, after) {
            (None, None) => None,
            (None, Some(after)) => Some((after, last)),
            (Some(before), after) => {
                self.sends[before].match_state = MatchState::Early(after);
                Some((first, if after.is_none() { before } else { last }))
            }
        };
    }

    /// A message has arrived before its receiver is in its round.
    fn list_early(&mut self, rank: usize, send: SendId) {
        self.sends[send].match_state = MatchState::Early(None);
        let early = &mut self.ranks[rank].early;
        *early = match *early {
            None => Some((send, send)),
            Some((first, last)) => {
                self.sends[last].match_state = MatchState::Early(Some(send));
                Some((first, send))
            }
        };
    }

    fn round_of(&self, send: SendId) -> (Context, u32, u32) {
        round_of(&self.sends[send])
    }

    /// An envelope of a collective has arrived.
    pub(crate) fn collective_arrival(&mut self, send: SendId) {
        let to = self.representative(self.sends[send].to);
        let (context, seq, round) = self.round_of(send);
        let there = self.run_of(to, context, seq);
        let has_begun = match there {
            Some(run) => self.runs[run].round >= round,
            None => self.ranks[to as usize].called(context) > seq,
        };
        self.message_arrived(send, has_begun);
        if !has_begun {
            self.list_early(to as usize, send);
            return self.hold_unexpected(send);
        }
        match there.filter(|&run| self.runs[run].round == round) {
            Some(run) => {
                if !self.sends[send].same_node {
                    self.limit_checker.limits.remove_posted(to);
                }
                self.land(run, send);
            }
            None => self.unexpected_round_message(send),
        }
    }

    /// The run of this call on a rank that is in it.
    fn run_of(&self, rank: u32, context: Context, seq: u32) -> Option<RunId> {
        self.runs_of(rank).find(|&run| {
            let run = &self.runs[run];
            (run.context, run.seq) == (context, seq)
        })
    }

    /// Whether `rank`'s run is in the round that this message belongs to, and still expects one.
    /// With mismatched calls another run may have reused the id, and two kinds of collective may
    /// use the same message identifiers.
    #[inline]
    fn awaits(&self, id: RunId, rank: u32, send: &Send) -> bool {
        let Purpose::Collective { context, seq, round, kind, .. } = send.purpose else {
            unreachable!("rounds are of collectives")
        };
        let run = &self.runs[id];
        let of_run = (run.rank, run.context, run.seq, run.round, run.kind);
        of_run == (rank, context, seq, round, kind) && run.to_come > 0
    }

    /// A message has arrived that its receiver does not expect, which only mismatched calls can
    /// cause. Messages are counted, so it need not be the surplus one.
    #[cold]
    fn unexpected_round_message(&mut self, id: SendId) {
        let send = self.sends[id];
        let Purpose::Collective { context, seq, round, kind, .. } = send.purpose else {
            unreachable!("rounds are of collectives")
        };
        let receiver = self.representative(send.to);
        let theirs = match self.run_of(receiver, context, seq).map(|run| &self.runs[run]) {
            Some(run) if (run.round, run.kind) == (round, kind) => {
                format!("also called it and {}", self.describe_awaited(run))
            }
            Some(run) => format!("called {:?} and does not expect it", run.kind),
            None => "has left that call".into(),
        };
        let (from, to) = (self.own_number(send.from), self.own_number(receiver));
        let what = format!("rank {from} called {kind:?} and sent to rank {to}, which {theirs}");
        self.report_disagreement(receiver, (context, seq), &what);
    }

    /// Description of the call and round of a run that has received all its messages.
    fn describe_awaited(&self, run: &Run) -> String {
        let mut traffic =
            Traffic { network_reduces: self.offload.reducer.is_some(), ..Traffic::default() };
        if let Some(simulated) = self.job.sample.round(run.round, run.rounds) {
            self.call_entries[run.call].collective().round(simulated, &mut traffic);
        }
        let job = self.job_of(run.rank);
        let member = |from| self.member(job, run.context, from);
        match traffic.recvs[..] {
            [] => "expects no message in this round".into(),
            [from] => {
                format!(
                    "expects one in this round, from rank {}, and has received one",
                    member(from)
                )
            }
            [from, ..] => {
                let n = traffic.recvs.len();
                format!(
                    "expects {n} in this round, one from rank {}, and has received all",
                    member(from)
                )
            }
        }
    }

    /// Ends the run because of mismatched calls, which `rank` has detected.
    #[cold]
    pub(crate) fn report_disagreement(
        &mut self,
        rank: u32,
        (context, seq): (Context, u32),
        what: &str,
    ) {
        let what = format!(
            "call {} of communicator {context}, whose arguments differ between members \
             (collective, lengths, root or algorithm): {what}",
            seq + 1
        );
        self.erroneous(rank, what);
    }

    fn land(&mut self, run: RunId, id: SendId) {
        let send = self.sends[id];
        if !send.same_node {
            // A search examines one element: the round is indexed by its number.
            self.searched(send.to, 1);
        }
        if send.rendezvous {
            self.sends[id].match_state = MatchState::Matched(Waiter::Run(run));
            self.fetch_data(id);
        } else {
            self.collective_data(run, id, &send);
            self.sends.free(id);
        }
    }

    /// The data of a message has arrived for this run's round.
    pub(crate) fn collective_data(&mut self, id: RunId, name: SendId, send: &Send) {
        let rank = self.representative(send.to);
        if !self.awaits(id, rank, send) {
            return self.unexpected_round_message(name);
        }
        let (cost, usable) = (self.receive_cost(send), self.usable_at(send));
        let run = &mut self.runs[id];
        run.to_come -= 1;
        run.ready = run.ready.max(send.called);
        let combine =
            if run.combines { self.job.library.reduce_gap.span(send.bytes) } else { Span::ZERO };
        let when = self.occupy_cpu(rank, cost + combine).max(usable + cost);
        self.outstanding_done(id, when);
    }

    /// One send or receive of this round is complete at `when`.
    pub(crate) fn outstanding_done(&mut self, id: RunId, when: Time) {
        let run = &mut self.runs[id];
        run.busy = run.busy.max(when);
        run.outstanding -= 1;
        if run.outstanding == 0 {
            let (rank, over) = (run.rank, run.busy + run.local);
            self.schedule(rank, over, HostEvent::Advance(id));
        }
    }

    fn leave(&mut self, id: RunId) {
        let Run { rank, context, seq, call, ready, after, .. } = self.runs[id];
        self.replace_run(rank, Some(id), after);
        self.runs.free(id);
        let of_this = |&send: &SendId| {
            let of = self.round_of(send);
            (of.0, of.1) == (context, seq)
        };
        let never = self.early_of(rank).find(of_this);
        if let Some(never) = never {
            return self.unexpected_round_message(never);
        }
        let token = self.take_call(call).token;
        let done = OpCompletion { rank, token, ready, ..OpCompletion::default() };
        let when = match self.scatter_cost(rank, token, u64::MAX, |_| Span::ZERO) {
            Span::ZERO => self.now,
            cost => self.occupy_cpu(rank, cost),
        };
        self.complete(when, done);
    }

    pub(crate) fn describe_run(&self, run: &Run) -> String {
        let job = self.job_of(run.rank);
        let mut absent: Vec<u32> = self
            .workload
            .members(job, run.context)
            .iter()
            .copied()
            .filter(|&m| {
                let member = self.representative(self.first_rank(job) + m);
                self.ranks[member as usize].called(run.context) <= run.seq
            })
            .collect();
        let n = absent.len();
        absent.truncate(8);
        let list: Vec<String> = absent.iter().map(u32::to_string).collect();
        let more = if n > 8 { format!(" and {} more", n - 8) } else { String::new() };
        let who = match n {
            0 => "every member has called it".to_string(),
            _ => format!("not called by rank {}{more}", list.join(", ")),
        };
        format!("{:?} (call {} of its communicator): {who}", run.kind, run.seq + 1)
    }

    pub(crate) fn erroneous(&mut self, rank: u32, what: String) {
        let node = self.job.placements[rank as usize].node;
        self.erroneous_call.get_or_insert(Blocked { rank, node, what });
    }
}

/// Identifier of a collective's message: communicator, call, round.
#[inline]
fn round_of(send: &Send) -> (Context, u32, u32) {
    match send.purpose {
        Purpose::Collective { context, seq, round, .. } => (context, seq, round),
        Purpose::User { .. } => unreachable!("rounds are of collectives"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use collectives::{Collective, Member, Ragged};
    use workload::{Op, Step, Streams};

    /// `Traffic` merges only adjacent parts into a message. That gives one message per peer because
    /// algorithms list the parts for a peer consecutively.
    #[test]
    fn parts_for_one_peer_are_contiguous_in_a_round() {
        let mut traffic = Traffic::default();
        for kind in Kind::ALL {
            for &algorithm in kind.algorithms() {
                for size in 1..=17 {
                    for rank in 0..size {
                        let even = Ragged::new(std::iter::repeat_n(24, 2 * size as usize));
                        let one = Ragged::new(std::iter::repeat_n(24, size as usize));
                        let ragged = match kind {
                            Kind::Alltoallv => Some(even),
                            Kind::Allgatherv | Kind::ReduceScatter => Some(one),
                            Kind::Gatherv | Kind::Scatterv if rank == 0 => Some(one),
                            _ => None,
                        };
                        let member = Member { rank, size };
                        let call = Collective {
                            kind,
                            algorithm,
                            member,
                            root: 0,
                            bytes: 24,
                            grain: 8,
                            ragged,
                            nodes: Some(NodeMap::new((0..size).map(|r| r / 3))),
                        };
                        for k in 0..call.rounds() {
                            traffic.clear();
                            call.round(k, &mut traffic);
                            let at =
                                format!("{kind:?} {algorithm:?} rank {rank} of {size}, round {k}");
                            let mut to: Vec<u32> = traffic.sends.iter().map(|s| s.member).collect();
                            let mut from = traffic.recvs.clone();
                            for peers in [&mut to, &mut from] {
                                let named = peers.len();
                                peers.sort_unstable();
                                peers.dedup();
                                assert_eq!(peers.len(), named, "{at}");
                            }
                        }
                    }
                }
            }
        }
    }

    /// 64 ranks in two groups, of which the first is simulated for both. The partner one group
    /// further is represented by the rank itself, but is on another node.
    #[test]
    fn a_message_from_a_representative_completes_a_receive() {
        let text = machine::preset("dragonfly-1056").expect("a preset");
        let spec = machine::MachineSpec::parse("dragonfly-1056", text, &[]).expect("legal");
        let machine = spec.resolve().expect("presets are legal");
        let text = mpi::library::preset("mpich").expect("a preset");
        let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("legal");
        let placement = |n| crate::RankPlacement {
            node: machine::NodeId(n),
            nic: machine::NicId(n),
            binding: Default::default(),
        };
        let sample = crate::Sample { ranks: Some(32), ..crate::Sample::ALL };
        let placements = (0..64).map(placement).collect();
        let job = crate::Job { sample, ..crate::Job::new(machine, library, placements, 1) };
        let call = |rank| Collective {
            kind: Kind::Alltoall,
            algorithm: collectives::Algorithm::Pairwise,
            member: Member { rank, size: 64 },
            root: 0,
            bytes: 8,
            grain: 1,
            ragged: None,
            nodes: None,
        };
        let step = move |rank, nth| match nth {
            0 => Some(Step::Do(Op::Collective { context: WORLD, call: call(rank) })),
            1 => Some(Step::Wait),
            _ => None,
        };
        let streams = Streams::generated(32, step).of(64);
        let mut world = World::<loggp::LogGpNetwork, _>::new(&job, streams);
        assert_eq!(world.run(&mut |_| true).end, crate::End::Finished);
        for rank in 0..32 {
            assert_eq!(world.limit_checker.limits.lists(rank), (0, 0), "rank {rank}");
        }
    }
}
