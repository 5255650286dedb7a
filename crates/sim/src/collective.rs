//! Execution of collectives: one cursor per rank, advanced round by round.
//!
//! A round ends when everything that its rank sends has left the buffer and everything that it
//! receives has arrived. Messages are counted, not matched. Within a round each peer sends exactly
//! one message, as the verifier of `collectives` proves, so (communicator, call, round) identifies
//! it.

use crate::agreement::Agreements;
use crate::calls::Calls;
use crate::costs::GpuSide;
use crate::event::{CallId, HostEvent, InFlight, RunId, SendId};
use crate::job::{Buffers, Job};
use crate::kernel::Kernel;
use crate::offload::{Entrant, Offload, ReductionArgs};
use crate::pairs::PairId;
use crate::round::{Named, Outgoing, Through, Traffic};
use crate::send::{Delivery, MatchState, Purpose, Send, Waiter, first_phase};
use crate::timeline::RoundOf;
use crate::transport::Transport;
use base::{Slab, Span, Time};
use collectives::{Collective, InNetwork, Kind, NodeMap};
use machine::Machine;
use net::NetworkModel;
use std::collections::BTreeMap;
use std::mem::offset_of;
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

/// The collectives of all ranks. `Rank` has the first run and the early messages of each.
pub(crate) struct Collectives {
    pub runs: Slab<RunId, Run>,
    traffic: Traffic,
    pub offload: Offload,
    pub agreements: Agreements,
    /// By job and communicator: ranks per node, for communicators whose collectives need it and do
    /// not carry it.
    nodes: BTreeMap<(u32, Context), NodeMap>,
    /// In a sample: start times of the rounds, summed over ranks, and the end of the last.
    pub round_starts: Vec<u128>,
}

impl Collectives {
    /// For `n` ranks.
    pub fn new(machine: &Machine, n: usize) -> Collectives {
        Collectives {
            runs: Slab::with_capacity(n),
            traffic: Traffic::default(),
            offload: Offload::new(machine),
            agreements: Agreements::default(),
            nodes: BTreeMap::new(),
            round_starts: Vec::new(),
        }
    }

    /// A rank enters a collective.
    pub fn enter<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &mut Calls,
        workload: &W,
        (rank, context): (u32, Context),
        id: CallId,
    ) {
        let job = t.kernel.job_of(rank);
        let call = calls.collective(id);
        let members = workload.members(job, context);
        if call.algorithm.is_node_aware() && call.nodes.is_none() {
            calls.set_nodes(id, self.nodes(&t.kernel, (job, context), members));
        }
        let call = calls.collective(id);
        let (kind, member, rounds) = (call.kind, call.member, call.rounds());
        let size = members.len() as u32;
        assert_eq!(member.size, size, "a member is one of its communicator");
        let seq = t.kernel.ranks[rank as usize].next_collective(context);
        let now = t.kernel.now;
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
            ready: now,
            called: now,
            busy: now,
            local: Span::ZERO,
            combines: false,
            next: Outgoing::default(),
            rest: Vec::new(),
        });
        self.replace_run(&mut t.kernel, rank, None, Some(run));
        match self.agreements.check(&t.kernel, rank, (context, seq), call, size) {
            Ok(()) => self.begin_round(t, calls, workload, run),
            Err(what) => disagree(&mut t.kernel, rank, (context, seq), &what),
        }
    }

    /// The members of a communicator grouped by node.
    fn nodes<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        key: (u32, Context),
        members: &[u32],
    ) -> NodeMap {
        if let Some(known) = self.nodes.get(&key) {
            return known.clone();
        }
        let first = kernel.first_rank(key.0);
        let nodes = NodeMap::new(members.iter().map(|&member| kernel.node_of(first + member).0));
        self.nodes.insert(key, nodes.clone());
        nodes
    }

    /// The runs of a rank, in the order in which it entered them.
    pub fn runs_of<N: NetworkModel>(
        &self,
        kernel: &Kernel<'_, N>,
        rank: u32,
    ) -> impl Iterator<Item = RunId> {
        let after = |id: &RunId| self.runs[*id].after;
        std::iter::successors(kernel.ranks[rank as usize].run, after)
    }

    /// The run of this call on a rank that is in it.
    fn run_of<N: NetworkModel>(
        &self,
        kernel: &Kernel<'_, N>,
        rank: u32,
        (context, seq): (Context, u32),
    ) -> Option<RunId> {
        self.runs_of(kernel, rank).find(|&run| {
            let run = &self.runs[run];
            (run.context, run.seq) == (context, seq)
        })
    }

    /// In a rank's list, replaces `id` by `next`, or by the end.
    fn replace_run<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        id: Option<RunId>,
        next: Option<RunId>,
    ) {
        match self.runs_of(kernel, rank).take_while(|&run| Some(run) != id).last() {
            None => kernel.ranks[rank as usize].run = next,
            Some(before) => self.runs[before].after = next,
        }
    }

    /// The present round of a run is complete.
    pub fn advance<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &mut Calls,
        workload: &W,
        id: RunId,
    ) {
        self.runs[id].round += 1;
        self.begin_round(t, calls, workload, id);
    }

    /// Starts a round of the run: sends its messages one after the other, and expects its receives.
    fn begin_round<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &mut Calls,
        workload: &W,
        id: RunId,
    ) {
        let inputs = t.kernel.job;
        let run = &self.runs[id];
        let (rank, context, round) = (run.rank, run.context, run.round);
        let buffers = inputs.buffers_in(run.kind);
        if t.kernel.timeline.is_some() {
            trace_round(&mut t.kernel, calls, id, run);
        }
        let simulated = inputs.sample.round(round, run.rounds);
        if !inputs.sample.is_all() {
            self.note_begin(round, t.kernel.job_time());
        }
        let Some(simulated) = simulated else { return self.leave(t, calls, workload, id) };
        self.traffic.clear();
        self.traffic.network_reduces = self.offload.reducer.is_some();
        let call = calls.collective(self.runs[id].call);
        call.round(simulated, &mut self.traffic);
        let (block, grain) = (call.bytes.max(1), call.grain);
        let job = t.kernel.job_of(rank);
        let first = t.kernel.first_rank(job);
        let member = |member| first + member_of(workload, job, context, member);
        let is_far = |&&peer: &&u32| !t.kernel.shares_node(rank, member(peer));
        let far = self.traffic.recvs.iter().filter(is_far).count();
        // The CPU executes the messages one after the other, with costs that are known now.
        let (mut gone, mut awaited) = (t.kernel.now, 0);
        let mut unpacking = Span::ZERO;
        let (mut next, mut rest) = (None, Vec::new());
        if let Some(behind @ 1..) = self.traffic.sends.len().checked_sub(1) {
            rest = self.traffic.lists.pop().unwrap_or_default();
            rest.reserve(behind);
        }
        for &Named { member: to, through, bytes, segments } in &self.traffic.sends {
            let to = member(to);
            let same_node = t.kernel.shares_node(rank, to);
            // Data in GPU memory does not use shared-memory cells.
            let is_plain = buffers == Buffers::Gpu && bytes > 0;
            let through = if is_plain { Through::Message } else { through };
            // Ordinary messages may use rendezvous.
            let may_wait = through == Through::Message;
            let rendezvous = may_wait && inputs.wants_rendezvous(buffers, same_node, bytes);
            let overhead = match through {
                Through::SameCell => Span::ZERO,
                _ => inputs.send_cost(buffers, (rank, to), same_node, bytes, rendezvous),
            };
            // Data that arrives in the same round has the same datatype.
            let (packing, alike) = match segments {
                0 => (Span::ZERO, Span::ZERO),
                _ => inputs.pack_cost(buffers, bytes, segments, block, grain),
            };
            unpacking += alike;
            if rendezvous && !same_node {
                t.limit_checker.limits.claim_rendezvous_beyond_limit(rank);
            }
            let when = t.kernel.occupy_cpu(rank, packing + overhead);
            let leaves = when.max(t.kernel.now + Span(1));
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
        let (run, traffic) = (&mut self.runs[id], &self.traffic);
        // One more than the number of messages keeps the round open until all have been sent.
        run.to_come = traffic.recvs.len() as u32;
        run.outstanding = 1 + awaited + run.to_come;
        run.outstanding += u32::from(traffic.offloaded.is_some());
        run.called = run.ready;
        run.combines = traffic.combines;
        run.local = inputs.local_copy_time(buffers, traffic.moved)
            + inputs.library.reduce_gap.span(traffic.combined)
            + unpacking;
        if buffers == Buffers::Host {
            run.local += inputs.library.packing.moved * traffic.single;
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
            self.enter_offload(t, calls, workload, id, part);
        }
        let are_in_flight = !sends || self.schedule_next_sends(&mut t.kernel, id);
        // Messages that have arrived are received at once; the NIC waits for the rest.
        let early = self.accept_early(t, calls, workload, id);
        (early..far).for_each(|_| t.limit_checker.posted(&mut t.kernel, rank, ANY_SOURCE));
        if are_in_flight {
            let now = t.kernel.now;
            self.outstanding_done(&mut t.kernel, id, now);
        }
    }

    /// In a sample: a rank begins its `nth` round, or has finished the one before and leaves.
    fn note_begin(&mut self, nth: u32, now: Time) {
        let nth = nth as usize;
        if self.round_starts.len() <= nth {
            self.round_starts.resize(nth + 1, 0);
        }
        self.round_starts[nth] += u128::from(now.0);
    }

    /// Schedules the next messages of this round: all that leave at one instant, so that no other
    /// event of their rank comes between them. Returns whether these are the last.
    fn schedule_next_sends<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        id: RunId,
    ) -> bool {
        let run = &self.runs[id];
        let (rank, leaves) = (run.rank, run.next.leaves);
        let more = run.rest.iter().rev().take_while(|send| send.leaves == leaves).count();
        let are_all = more == run.rest.len();
        (0..=more).for_each(|_| kernel.schedule(rank, leaves, HostEvent::SendNext(id)));
        are_all
    }

    /// Sends the next message of the run's round.
    pub fn send_next<N: NetworkModel>(&mut self, t: &mut Transport<'_, N>, id: RunId) {
        let run = &mut self.runs[id];
        let &mut Run { rank, context, seq, round, called, next: send, kind, .. } = run;
        if let Some(next) = run.rest.pop() {
            run.next = next;
            if run.rest.is_empty() {
                self.traffic.lists.push(std::mem::take(&mut run.rest));
            }
            let now = t.kernel.now;
            if next.leaves > now && self.schedule_next_sends(&mut t.kernel, id) {
                self.outstanding_done(&mut t.kernel, id, now);
            }
        }
        let Outgoing { to, same_node, rendezvous, is_in_shared_cell, bytes, .. } = send;
        if t.kernel.job.counts_pairs {
            t.count_pair(rank, to, bytes);
        }
        t.kernel.count(rank, to, bytes);
        let send = t.sends.insert_with(|| Send {
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
        t.depart(InFlight { send, phase: first_phase(rendezvous) });
    }

    /// Accepts the messages of this round that arrived early; returns how many came through the
    /// NIC.
    fn accept_early<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &Calls,
        workload: &W,
        run_id: RunId,
    ) -> usize {
        let run = &self.runs[run_id];
        let (rank, key) = (run.rank, (run.context, run.seq, run.round));
        let first = t.kernel.ranks[rank as usize].early.map(|(first, _)| first);
        let (mut before, mut next) = (None, first);
        let mut far = 0;
        while let Some(id) = next {
            let after = after_early(t, id);
            next = after;
            if round_of(&t.sends[id]) != key {
                before = Some(id);
                continue;
            }
            let send = t.sends[id];
            set_early_successor(t, rank, before, after);
            t.limit_checker.release_unexpected(&t.kernel, &send);
            far += usize::from(!send.same_node);
            self.land(t, calls, workload, run_id, (id, &send, Delivery::Unexpected));
        }
        far
    }

    /// An envelope of a collective has arrived.
    pub fn arrive<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &Calls,
        workload: &W,
        (id, send): (SendId, &Send),
    ) {
        let to = t.kernel.representative(send.to);
        let (context, seq, round) = round_of(send);
        let there = self.run_of(&t.kernel, to, (context, seq));
        let has_begun = match there {
            Some(run) => self.runs[run].round >= round,
            None => t.kernel.ranks[to as usize].called(context) > seq,
        };
        t.limit_checker.message_arrived(&t.kernel, send, has_begun);
        if !has_begun {
            list_early(t, to, id);
            return t.limit_checker.hold_unexpected(&mut t.kernel, send);
        }
        match there.filter(|&run| self.runs[run].round == round) {
            Some(run) => {
                if !send.same_node {
                    t.limit_checker.limits.remove_posted(to);
                }
                self.land(t, calls, workload, run, (id, send, Delivery::Expected));
            }
            None => self.unexpected_message(&mut t.kernel, calls, workload, send),
        }
    }

    /// A message has arrived at a run that is in its round.
    fn land<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &Calls,
        workload: &W,
        run: RunId,
        (id, send, delivery): (SendId, &Send, Delivery),
    ) {
        if !send.same_node {
            // A search examines one element: the round is indexed by its number.
            t.limit_checker.searched(&mut t.kernel, send.to, 1);
        }
        if send.rendezvous {
            t.sends[id].match_state = MatchState::Matched(Waiter::Run(run));
            t.fetch_data(id);
        } else {
            self.receive(t, calls, workload, run, (send, delivery));
            t.sends.free(id);
        }
    }

    /// The data of a message has arrived for this run's round.
    pub fn receive<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &Calls,
        workload: &W,
        id: RunId,
        (send, delivery): (&Send, Delivery),
    ) {
        let rank = t.kernel.representative(send.to);
        if !self.awaits(id, rank, send) {
            return self.unexpected_message(&mut t.kernel, calls, workload, send);
        }
        let (cost, usable) = t.receive(send, delivery);
        let run = &mut self.runs[id];
        run.to_come -= 1;
        run.ready = run.ready.max(send.called);
        let reduce_gap = t.kernel.job.library.reduce_gap;
        let combine = if run.combines { reduce_gap.span(send.bytes) } else { Span::ZERO };
        let when = t.kernel.occupy_cpu(rank, cost + combine).max(usable + cost);
        self.outstanding_done(&mut t.kernel, id, when);
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

    /// One send or receive of this round is complete at `when`.
    pub fn outstanding_done<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        id: RunId,
        when: Time,
    ) {
        let run = &mut self.runs[id];
        run.busy = run.busy.max(when);
        run.outstanding -= 1;
        if run.outstanding == 0 {
            let (rank, over) = (run.rank, run.busy + run.local);
            kernel.schedule(rank, over, HostEvent::Advance(id));
        }
    }

    /// A rank leaves a collective after its last round.
    fn leave<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &mut Calls,
        workload: &W,
        id: RunId,
    ) {
        let Run { rank, context, seq, call, ready, after, .. } = self.runs[id];
        self.replace_run(&mut t.kernel, rank, Some(id), after);
        self.runs.free(id);
        let of_this = |&send: &SendId| {
            let of = round_of(&t.sends[send]);
            (of.0, of.1) == (context, seq)
        };
        let never = early_of(t, rank).find(of_this);
        if let Some(never) = never {
            let send = &t.sends[never];
            return self.unexpected_message(&mut t.kernel, calls, workload, send);
        }
        let result = staged_result(t.kernel.job, calls.collective(call));
        let token = calls.take(call).token;
        let done = OpCompletion { rank, token, ready, ..OpCompletion::default() };
        let kernel = &mut t.kernel;
        let unpacking = kernel.unpacking_time(rank, token, u64::MAX, |_| Span::ZERO);
        let when = match unpacking + result {
            Span::ZERO => kernel.now,
            cost => kernel.occupy_cpu(rank, cost),
        };
        kernel.complete(when, done);
    }
}

/// Records for the timeline that a rank begins a round, or has ended the last one.
#[cold]
fn trace_round<N: NetworkModel>(kernel: &mut Kernel<'_, N>, calls: &Calls, id: RunId, run: &Run) {
    let now = kernel.job_time();
    let &Run { rank, context, kind, round: begun, call, .. } = run;
    let round = RoundOf { rank, token: calls.call(call).token, kind, context, begun };
    if let Some(timeline) = &mut kernel.timeline {
        timeline.round(now, id, &round);
    }
}

/// CPU time to copy the result of a reduction to GPU memory.
fn staged_result(job: &Job, call: &Collective) -> Span {
    match (job.buffers, call.kind.reduces()) {
        (Buffers::Gpu, true) => job.staging_cost(call.reduced_bytes().1, GpuSide::In),
        _ => Span::ZERO,
    }
}

/// Reductions in the network.
impl Collectives {
    /// A run enters a reduction, which stays outstanding until the result arrives.
    fn enter_offload<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &Calls,
        workload: &W,
        id: RunId,
        part: InNetwork,
    ) {
        let entrant = self.entrant(&t.kernel, id);
        let (job, context, seq) = entrant.key;
        let call = calls.collective(self.runs[id].call);
        let args = ReductionArgs::of(call, part);
        let members = workload.members(job, context);
        if let Err(what) = self.offload.enter(&mut t.kernel, entrant, args, members) {
            disagree(&mut t.kernel, entrant.rank, (context, seq), &what);
        }
    }

    /// The root starts with the last packet, or the result has arrived at another rank.
    pub fn reduced<N: NetworkModel, W: Workload>(
        &mut self,
        t: &mut Transport<'_, N>,
        calls: &Calls,
        workload: &W,
        id: RunId,
    ) {
        let entrant = self.entrant(&t.kernel, id);
        let when = self.offload.reduced(&mut t.kernel, entrant);
        self.outstanding_done(&mut t.kernel, id, when);
        if let Some((next, part)) = self.offload.leave(entrant) {
            self.enter_offload(t, calls, workload, next, part);
        }
    }

    fn entrant<N: NetworkModel>(&self, kernel: &Kernel<'_, N>, run: RunId) -> Entrant {
        let Run { rank, context, seq, .. } = self.runs[run];
        Entrant { run, rank, key: (kernel.job_of(rank), context, seq) }
    }
}

/// Mismatched calls, and blocked ranks.
impl Collectives {
    /// A message has arrived that its receiver does not expect, which only mismatched calls can
    /// cause. Messages are counted, so it need not be the surplus one.
    #[cold]
    fn unexpected_message<N: NetworkModel, W: Workload>(
        &self,
        kernel: &mut Kernel<'_, N>,
        calls: &Calls,
        workload: &W,
        send: &Send,
    ) {
        let Purpose::Collective { context, seq, round, kind, .. } = send.purpose else {
            unreachable!("rounds are of collectives")
        };
        let receiver = kernel.representative(send.to);
        let run = self.run_of(kernel, receiver, (context, seq)).map(|run| &self.runs[run]);
        let theirs = match run {
            Some(run) if (run.round, run.kind) == (round, kind) => {
                let awaited = self.describe_awaited(kernel, calls, workload, run);
                format!("also called it and {awaited}")
            }
            Some(run) => format!("called {:?} and does not expect it", run.kind),
            None => "has left that call".into(),
        };
        let (from, to) = (kernel.own_number(send.from), kernel.own_number(receiver));
        let what = format!("rank {from} called {kind:?} and sent to rank {to}, which {theirs}");
        disagree(kernel, receiver, (context, seq), &what);
    }

    /// Description of the call and round of a run that has received all its messages.
    fn describe_awaited<N: NetworkModel, W: Workload>(
        &self,
        kernel: &Kernel<'_, N>,
        calls: &Calls,
        workload: &W,
        run: &Run,
    ) -> String {
        let mut traffic =
            Traffic { network_reduces: self.offload.reducer.is_some(), ..Traffic::default() };
        if let Some(simulated) = kernel.job.sample.round(run.round, run.rounds) {
            calls.collective(run.call).round(simulated, &mut traffic);
        }
        let job = kernel.job_of(run.rank);
        let member = |from| member_of(workload, job, run.context, from);
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

    /// What the runs of a blocked rank wait for.
    pub fn describe_runs<N: NetworkModel, W: Workload>(
        &self,
        kernel: &Kernel<'_, N>,
        workload: &W,
        rank: u32,
    ) -> impl Iterator<Item = String> {
        self.runs_of(kernel, rank).map(|run| describe_run(kernel, workload, &self.runs[run]))
    }
}

fn describe_run<N: NetworkModel, W: Workload>(
    kernel: &Kernel<'_, N>,
    workload: &W,
    run: &Run,
) -> String {
    let job = kernel.job_of(run.rank);
    let mut absent: Vec<u32> = workload
        .members(job, run.context)
        .iter()
        .copied()
        .filter(|&m| {
            let member = kernel.representative(kernel.first_rank(job) + m);
            kernel.ranks[member as usize].called(run.context) <= run.seq
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

/// Ends the run because of mismatched calls, which `rank` has detected.
#[cold]
fn disagree<N: NetworkModel>(
    kernel: &mut Kernel<'_, N>,
    rank: u32,
    (context, seq): (Context, u32),
    what: &str,
) {
    let what = format!(
        "call {} of communicator {context}, whose arguments differ between members (collective, \
         lengths, root or algorithm): {what}",
        seq + 1
    );
    kernel.erroneous(rank, what);
}

/// Job-local rank of a member of a communicator; in the communicator of all ranks its own number.
#[inline]
fn member_of<W: Workload>(workload: &W, job: u32, context: Context, member: u32) -> u32 {
    match context {
        WORLD => member,
        _ => workload.members(job, context)[member as usize],
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

// Messages that reached a rank before it was in their round: a linked list in the order of arrival.

fn early_of<N: NetworkModel>(t: &Transport<'_, N>, rank: u32) -> impl Iterator<Item = SendId> {
    let first = t.kernel.ranks[rank as usize].early.map(|(first, _)| first);
    std::iter::successors(first, |&send| after_early(t, send))
}

/// The early message after this one.
fn after_early<N: NetworkModel>(t: &Transport<'_, N>, send: SendId) -> Option<SendId> {
    match t.sends[send].match_state {
        MatchState::Early(after) => after,
        _ => unreachable!("listed messages arrived early"),
    }
}

/// Makes `after` the successor of `before`, or the first.
fn set_early_successor<N: NetworkModel>(
    t: &mut Transport<'_, N>,
    rank: u32,
    before: Option<SendId>,
    after: Option<SendId>,
) {
    let early = &mut t.kernel.ranks[rank as usize].early;
    let (first, last) = early.expect("one was listed");
    *early = match (before, after) {
        (None, None) => None,
        (None, Some(after)) => Some((after, last)),
        (Some(before), after) => {
            t.sends[before].match_state = MatchState::Early(after);
            Some((first, if after.is_none() { before } else { last }))
        }
    };
}

/// A message has arrived before its receiver is in its round.
fn list_early<N: NetworkModel>(t: &mut Transport<'_, N>, rank: u32, send: SendId) {
    t.sends[send].match_state = MatchState::Early(None);
    let early = &mut t.kernel.ranks[rank as usize].early;
    *early = match *early {
        None => Some((send, send)),
        Some((first, last)) => {
            t.sends[last].match_state = MatchState::Early(Some(send));
            Some((first, send))
        }
    };
}
