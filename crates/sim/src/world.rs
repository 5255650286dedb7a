//! The state of one run and its event loop. All control flow of a run is in `step`.
//!
//! A rank has one CPU (`Rank::cpu`). It executes the rank's calls in order and, between them, the
//! work of messages: completing receives and advancing collectives. The NIC works in parallel: a
//! rendezvous needs no CPU after the match. `protocol` turns sends into messages, `collective` runs
//! the rounds of collectives.

use crate::agreement::Agreement;
use crate::background::Sources;
use crate::intranode::Intranode;
use crate::named_nics::NamedNics;
use crate::offload::Offload;
use crate::onesided::{Access, AccessId, Channel, OneSidedOp};
use crate::outcome::{Blocked, Distance, End, Outcome};
use crate::pairs::{PairId, Pairs};
use crate::storage::Storage;
use base::{Digest, IndexVec, Slab, Span, Time, draw, packed};
use collectives::{Kind, NodeMap};
use des::{Phase, Queue};
use machine::{LinkId, NicId, NodeId};
use mpi::{Envelope, Locks, Pattern};
use net::{Completion, Counters, Cx, Event, FAILED, Message, MsgId, NetworkModel, Origin};
use std::collections::BTreeMap;
use workload::{Call, Context, Op, OpCompletion, SendMode, Token, Workload};

mod ahead;
mod ending;
mod faults;
mod host_event;
mod job;
mod limit_checker;
mod rank;

pub use job::{Buffers, Job, RankPlacement, Sample};
pub use limit_checker::LimitPolicy;

use faults::FailureState;
pub(crate) use host_event::{HostEvent, InFlight, MessageOwner, ProtocolPhase};
use limit_checker::LimitChecker;
pub(crate) use rank::CallEntry;
pub(crate) use rank::Rank;

base::ids! {
    /// A send, from its call to its last effect.
    SendId,
    /// One rank's part in a collective in progress.
    RunId,
    /// A scheduled completion.
    CompletionId,
    /// A call that its rank's CPU has not reached.
    CallId,
}

/// Progress of a run, for the caller.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub now: Time,
    pub events: u64,
    pub starting: Option<StartProgress>,
}

/// Start of a live job, until all of its ranks have called MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StartProgress {
    /// Processes that have been started.
    pub started: u32,
    /// Of these, ranks that have called `MPI_Init`.
    pub attached: u32,
    pub ranks: u32,
}

impl Progress {
    pub fn at(now: Time, events: u64) -> Progress {
        Progress { now, events, starting: None }
    }
}

/// The operation that a send belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    User {
        token: Token,
        envelope: Envelope,
        mode: SendMode,
    },
    /// With `is_in_shared_cell`, the data is already in a cell that all ranks of the node read.
    Collective {
        run: RunId,
        context: Context,
        seq: u32,
        round: u32,
        kind: Kind,
        is_in_shared_cell: bool,
    },
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Send {
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
    pub purpose: Purpose,
    /// Time of the call; for a collective, the time at which the last rank it depends on had
    /// entered.
    pub called: Time,
    /// Both ranks are on one node.
    pub same_node: bool,
    pub rendezvous: bool,
    /// Pieces of its data in flight through other NICs.
    pub pieces: u16,
    pub match_state: MatchState,
}
/// One cache line: some collectives have ten sends per rank in flight.
const _: () = assert!(size_of::<Send>() == 64);

/// Whether a send has matched a receive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum MatchState {
    /// Not matched. A user's send has this number among the sends of its pair of ranks.
    Unmatched {
        pair: PairId,
        seq: u32,
    },
    /// A collective's send that arrived before its receiver was in its round; the next such send of
    /// the receiver's list.
    Early(Option<SendId>),
    Matched(Waiter),
}

/// The receiver of a matched message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Waiter {
    User { token: Token, posted: Time },
    Run(RunId),
}

/// Sends between one ordered pair of ranks.
#[derive(Default)]
pub(crate) struct Pair {
    /// Number of user sends so far.
    pub sent: u32,
    pub arrived: u32,
    /// Arrived before an earlier send, and held until that arrives: messages must not overtake each
    /// other.
    pub ahead: Vec<SendId>,
    pub messages: u32,
    pub bytes: u64,
}

/// State of one job of the run.
struct JobState {
    first: u32,
    ranks: u32,
    /// Pending events and messages in the network; the alarms among them; and whether the workload
    /// has been notified that only alarms are pending.
    pending: usize,
    alarms: usize,
    alarms_only_reported: bool,
    last_completion: Time,
    digest: Digest,
    by_distance: [(u64, u64); 4],
}

pub struct World<'j, N: NetworkModel, W: Workload> {
    pub(crate) job: &'j Job,
    net: N,
    pub workload: W,
    queue: Queue,
    pub(crate) now: Time,
    pub(crate) ranks: Vec<Rank>,
    /// The node of each rank: a quarter of the size of a placement.
    pub(crate) nodes_of: Vec<NodeId>,
    /// With noise: phase of each rank's core.
    phases: Vec<Span>,
    pub(crate) call_entries: Slab<CallId, CallEntry>,
    pub(crate) sends: Slab<SendId, Send>,
    pub(crate) named: NamedNics,
    pub(crate) runs: Slab<RunId, crate::collective::Run>,
    completions: Slab<CompletionId, OpCompletion>,
    jobs: Vec<JobState>,
    /// Pending events and messages of all jobs.
    pending: usize,
    /// The job of the last event.
    current_job: u32,
    /// Start of the jobs: the time origin that they observe.
    origin: Time,
    pub(crate) sources: Sources,
    /// Number of job messages per NIC, which indexes the random draws of routes. A job's draws
    /// therefore do not depend on other jobs.
    injected: IndexVec<NicId, u32>,
    /// Processing time per message at each receiving NIC, in addition to its bytes.
    pub(crate) handling: IndexVec<NicId, Span>,
    /// Time at which each rank's command queue accepts the next command; empty if that is
    /// immediate.
    pub(crate) command_free_at: Vec<Time>,
    pub(crate) pairs: Pairs<Pair>,
    pub(crate) accesses: Slab<AccessId, Access>,
    pub(crate) channels: Pairs<Channel>,
    pub(crate) locks: Locks<AccessId>,
    /// Scratch space: locks granted at this instant, and the links of a path.
    pub(crate) granted: Vec<AccessId>,
    pub(crate) path: Vec<LinkId>,
    storage: Storage,
    pub(crate) intranode: Intranode,
    /// In a sample: start times of the rounds, summed over ranks, and the end of the last.
    pub(crate) round_starts: Vec<u128>,
    pub(crate) traffic: crate::collective::Traffic,
    pub(crate) offload: Offload,
    /// By job and communicator: calls that not all members have made yet.
    pub(crate) agreements: BTreeMap<(u32, Context), Agreement>,
    /// Ranks per node, for communicators whose collectives need it and do not carry it.
    pub(crate) nodes: BTreeMap<(u32, Context), NodeMap>,
    /// Maximum number of sends, accesses or completions at one time.
    max_ids: usize,
    /// An erroneous call of a rank, at which the run ends.
    pub(crate) erroneous_call: Option<Blocked>,
    failure_state: FailureState,
    pub(crate) limit_checker: LimitChecker,
    delivered: Vec<(MsgId, Time)>,
    done: Vec<OpCompletion>,
    calls: Vec<Call>,
    pub(crate) counters: Counters,
    digest: Digest,
    events: u64,
}

impl<'j, N: NetworkModel, W: Workload> World<'j, N, W> {
    pub fn new(job: &'j Job, workload: W) -> Self {
        let n = workload.ranks() as usize;
        let simulated = job.sample.ranks.map_or(job.placements.len(), |ranks| ranks as usize);
        assert_eq!(n, simulated, "one placement a rank");
        let n_links = job.machine.links.to.len();
        let jobs = job_states(job);
        let rank = |at: usize| {
            Rank::of(job.firsts.partition_point(|&first| first as usize <= at) as u32 - 1)
        };
        let mut net = N::build(&job.machine);
        if let Some(folding) = job.folding() {
            net.fold(&job.machine, folding);
        }
        World {
            job,
            net,
            workload,
            queue: Queue::new(),
            now: Time::ZERO,
            ranks: packed((0..n).map(rank)),
            nodes_of: job.placements.iter().map(|placement| placement.node).collect(),
            phases: job.phases(),
            // Most ranks wait in one call at a time.
            call_entries: Slab::with_capacity(n),
            // Unused capacity takes no physical memory.
            sends: Slab::with_capacity(16 * n),
            named: NamedNics::default(),
            runs: Slab::with_capacity(n),
            completions: Slab::with_capacity(n),
            jobs,
            pending: 0,
            current_job: 0,
            origin: Time::ZERO,
            sources: Sources::new(job),
            injected: IndexVec::zeros(job.machine.n_nics() as usize),
            handling: job.handling(),
            command_free_at: match job.machine.nic.command_gap {
                Span::ZERO => Vec::new(),
                _ => vec![Time::ZERO; n],
            },
            pairs: Pairs::new(),
            accesses: Slab::with_capacity(0),
            channels: Pairs::new(),
            locks: Locks::default(),
            granted: Vec::new(),
            path: Vec::new(),
            storage: Storage::new(&job.machine),
            intranode: Intranode::new(job),
            round_starts: Vec::new(),
            traffic: Default::default(),
            offload: Offload::new(&job.machine),
            agreements: BTreeMap::new(),
            nodes: BTreeMap::new(),
            max_ids: host_event::MAX_IDS,
            erroneous_call: None,
            failure_state: FailureState::new(job),
            limit_checker: LimitChecker::new(job),
            delivered: Vec::new(),
            done: Vec::new(),
            calls: Vec::new(),
            counters: Counters::new(n_links),
            digest: Digest::default(),
            events: 0,
        }
    }

    /// Runs to the end. `tick` is called every few thousand events; false stops the run.
    pub fn run(&mut self, tick: &mut dyn FnMut(Progress) -> bool) -> Outcome {
        let (net, mut cx) = self.split();
        net.start(&mut cx);
        if self.sources.is_empty() {
            self.begin();
        } else {
            self.start_background();
            self.schedule(0, Time::ZERO + self.job.warmup, HostEvent::Begin);
        }
        let mut interrupted = false;
        while !interrupted && !self.cannot_continue() && !self.workload.is_stopped() {
            if self.pending > 0 {
                self.step();
            } else if !self.restart() {
                break;
            }
            if self.events.is_multiple_of(1 << 12) {
                interrupted = !tick(Progress::at(self.now, self.events));
                self.check_id_count();
                self.enable_prefetch();
            }
        }
        let end = if interrupted {
            End::Interrupted
        } else if let Some(erroneous_call) = self.erroneous_call.take() {
            End::Erroneous(erroneous_call)
        } else if let Some(failed) = self.failure_state.failed.take() {
            End::Failed(failed)
        } else if let Some(exhausted) = self.limit_checker.take_exhausted() {
            End::Exhausted(exhausted)
        } else if self.workload.is_stopped() {
            End::Stopped
        } else if self.workload.is_finished() {
            End::Finished
        } else if let Some(blocked_by_limit) = self.blocked_by_limit() {
            End::Exhausted(blocked_by_limit)
        } else {
            End::Deadlock(self.blocked())
        };
        let mut outcome = self.outcome(end);
        if outcome.end == End::Finished {
            if !self.drain_network(tick) {
                outcome.end = End::Interrupted;
            }
            outcome.engine.events = self.events;
        }
        outcome
    }

    /// Drains the network after the jobs: background messages arrive, credits return. Then checks
    /// the conservation invariants of the network.
    fn drain_network(&mut self, tick: &mut dyn FnMut(Progress) -> bool) -> bool {
        self.sources.close();
        while self.step() {
            if self.events.is_multiple_of(1 << 12) && !tick(Progress::at(self.now, self.events)) {
                return false;
            }
        }
        self.net.assert_idle(&self.job.machine);
        true
    }

    /// Starts all jobs.
    fn begin(&mut self) {
        self.origin = self.now;
        self.sources.open();
        self.open_endpoints();
        self.call_workload(|workload, _, calls| workload.start(calls));
        // All ranks seldom call at the same instant again.
        self.calls = Vec::new();
    }

    /// No event is pending. Returns whether the workload has more calls all the same.
    fn restart(&mut self) -> bool {
        self.call_workload(|workload, now, calls| workload.stalled(now, calls))
            || self.waive_limit()
    }

    /// Only alarms are pending: the workload may set them anew, for an earlier time.
    fn report_alarms_only(&mut self, job: u32) {
        self.jobs[job as usize].alarms_only_reported = true;
        self.call_workload(|workload, now, calls| workload.alarms_only(job, now, calls));
    }

    /// Collects the calls that the workload makes now; returns whether there are any.
    fn call_workload(&mut self, what: impl FnOnce(&mut W, Time, &mut Vec<Call>)) -> bool {
        let mut calls = std::mem::take(&mut self.calls);
        let now = self.job_time();
        what(&mut self.workload, now, &mut calls);
        let any = !calls.is_empty();
        self.calls = calls;
        self.submit();
        any
    }

    /// The present time in the jobs' time.
    pub(crate) fn job_time(&self) -> Time {
        Time(self.now.0 - self.origin.0)
    }

    /// Handles the next event, or all completions of an instant at once.
    fn step(&mut self) -> bool {
        let job = &self.jobs[self.current_job as usize];
        if job.alarms > 0 && job.alarms == job.pending && !job.alarms_only_reported {
            self.report_alarms_only(self.current_job);
        }
        let Some(event) = self.next() else { return false };
        while self.now >= self.failure_state.next_failure {
            if self.fail_node() {
                return true;
            }
        }
        match event {
            Event::Net(event) => {
                let (net, mut cx) = self.split();
                net.handle(event, &mut cx);
                self.deliver();
            }
            Event::Host { rank, token } if rank as usize >= self.ranks.len() => {
                self.handle_source_event(rank - self.ranks.len() as u32, token);
            }
            Event::Host { rank, token } => match self.take_event(rank, token) {
                HostEvent::Begin => self.begin(),
                HostEvent::Execute => self.execute_call(rank),
                HostEvent::SendNext(run) => self.send_next(run),
                HostEvent::Depart(in_flight) => self.depart(in_flight),
                HostEvent::Inject(in_flight) => self.inject_phase(in_flight),
                HostEvent::Serve(arbiter) => self.serve(arbiter),
                HostEvent::Arrive(owner) => self.dispatch_arrival(owner),
                HostEvent::Issue(access) => self.request(access),
                HostEvent::Respond(access) => self.send_response(access),
                HostEvent::Advance(run) => self.advance(run),
                HostEvent::FinishReduction(run) => self.reduced(run),
                host_event @ (HostEvent::Complete(_) | HostEvent::Alarm(_)) => {
                    self.resume(host_event)
                }
            },
        }
        true
    }

    /// Reports everything that completes at this instant to the workload.
    fn resume(&mut self, first: HostEvent) {
        let mut host_event = first;
        loop {
            match host_event {
                HostEvent::Complete(done) => self.record_completion(done),
                HostEvent::Alarm(done) => self.queue_completion(done),
                _ => unreachable!("only completions share the last phase of an instant"),
            }
            if !self.queue.next_is_now() {
                break;
            }
            let Some(Event::Host { rank, token }) = self.next() else {
                unreachable!("only completions share the last phase of an instant")
            };
            host_event = self.take_event(rank, token);
        }
        let mut done = std::mem::take(&mut self.done);
        self.call_workload(|workload, now, calls| workload.resume(now, &done, calls));
        done.clear();
        self.done = done;
    }

    #[inline]
    fn next(&mut self) -> Option<Event<N::Event>> {
        let (now, what) = self.queue.pop()?;
        self.now = now;
        self.events += 1;
        self.digest.mix(now.0 ^ u64::from(what.order()).rotate_left(32));
        self.prefetch_next();
        Some(Event::of(what))
    }

    /// Records a completion, which is progress of its job.
    fn record_completion(&mut self, id: CompletionId) {
        let done = self.completions[id];
        let now = self.job_time();
        let job = self.job_of(done.rank);
        let job = &mut self.jobs[job as usize];
        job.last_completion = now;
        job.digest.mix(now.0);
        job.digest.mix(u64::from(done.rank - job.first) << 32 | u64::from(done.token));
        self.queue_completion(id);
    }

    /// Adds a completion to the report at the end of the instant.
    fn queue_completion(&mut self, id: CompletionId) {
        let done = self.completions[id];
        self.completions.free(id);
        let ready = Time(done.ready.0 - self.origin.0);
        self.done.push(OpCompletion { ready, ..done });
    }

    #[inline]
    fn take_event(&mut self, rank: u32, token: u32) -> HostEvent {
        let host_event = HostEvent::unpack(token);
        let job = self.remove_pending(rank);
        job.alarms -= usize::from(matches!(host_event, HostEvent::Alarm(_)));
        host_event
    }

    /// Removes one pending event of the rank's job.
    #[inline]
    fn remove_pending(&mut self, rank: u32) -> &mut JobState {
        self.current_job = self.job_of(rank);
        self.pending -= 1;
        let job = &mut self.jobs[self.current_job as usize];
        job.pending -= 1;
        job.alarms_only_reported = false;
        job
    }

    #[inline]
    fn add_pending(&mut self, rank: u32) -> &mut JobState {
        self.pending += 1;
        let job = self.job_of(rank);
        let job = &mut self.jobs[job as usize];
        job.pending += 1;
        job
    }

    fn split(&mut self) -> (&mut N, Cx<'_>) {
        let cx = Cx {
            now: self.now,
            machine: &self.job.machine,
            queue: &mut self.queue,
            delivered: &mut self.delivered,
            counters: &mut self.counters,
        };
        (&mut self.net, cx)
    }

    pub(crate) fn inject(&mut self, owner: MessageOwner, message: Message) {
        let (net, mut cx) = self.split();
        net.inject(MsgId(owner.pack()), message, &mut cx);
        debug_assert!(self.delivered.is_empty(), "a network delivers in `handle` alone");
    }

    /// Handles messages that have arrived, or whose arrival time is known.
    fn deliver(&mut self) {
        // Almost always there is only one; then no list is needed.
        if self.delivered.len() == 1
            && let Some((id, seen)) = self.delivered.pop()
        {
            return self.complete_message(id, seen);
        }
        let mut delivered = std::mem::take(&mut self.delivered);
        delivered.drain(..).for_each(|(id, seen)| self.complete_message(id, seen));
        self.delivered = delivered;
    }

    /// A message is observed at `seen`, or has failed.
    #[inline]
    fn complete_message(&mut self, id: MsgId, seen: Time) {
        let owner = MessageOwner::unpack(id.0);
        if seen == FAILED {
            return self.fail_message(id, owner);
        }
        let is_later = seen > self.now;
        match (self.sender(owner), owner) {
            (Some(rank), _) => {
                if is_later {
                    self.schedule(rank, seen, HostEvent::Arrive(owner));
                }
                self.remove_pending(rank);
            }
            (None, MessageOwner::Background(source)) if is_later => {
                self.schedule_arrival(source, seen)
            }
            (None, _) => {}
        }
        if !is_later {
            self.dispatch_arrival(owner);
        }
    }

    fn dispatch_arrival(&mut self, owner: MessageOwner) {
        match owner {
            MessageOwner::Send(in_flight) => self.arrive(in_flight),
            MessageOwner::Access(access) => self.access_arrives(access),
            MessageOwner::Background(source) => self.background_arrives(source),
        }
    }

    /// The rank that caused a message.
    fn sender(&self, owner: MessageOwner) -> Option<u32> {
        match owner {
            MessageOwner::Send(in_flight) => Some(self.sends[in_flight.send].from),
            MessageOwner::Access(access) => Some(self.accesses[access].from),
            MessageOwner::Background(_) => None,
        }
    }

    /// Injects a message of a job into the network.
    pub(crate) fn send(
        &mut self,
        owner: MessageOwner,
        (src, dst): (NicId, NicId),
        bytes: u64,
        (origin, completion): (Origin, Completion),
    ) {
        let nth = &mut self.injected[src];
        *nth = nth.wrapping_add(1);
        let draw = draw(self.job.seed, STREAM_ROUTE, src.0, u64::from(*nth));
        let rank = self.sender(owner).expect("messages of jobs come from ranks");
        self.add_pending(rank);
        let vnet = self.job.vnets[self.job_of(rank) as usize];
        let receiver = if completion == Completion::Target { dst } else { src };
        let (in_order, handling) = (self.is_in_order(owner), self.handling(owner, receiver));
        let message =
            Message { src, dst, bytes, origin, vnet, completion, draw, in_order, handling };
        self.inject(owner, message);
    }

    /// Whether switches must keep the order of a message within its flow. On Slingshot these are
    /// envelopes, eager data and the NIC's own atomics; rendezvous data, puts and gets are routed
    /// packet by packet (HPE's Slingshot Host Software guide, on adaptive routing).
    fn is_in_order(&self, owner: MessageOwner) -> bool {
        match owner {
            MessageOwner::Send(in_flight) => in_flight.phase != ProtocolPhase::Data,
            MessageOwner::Access(id) => self.is_atomic(self.accesses[id].op),
            MessageOwner::Background(_) => false,
        }
    }

    /// Schedules an event for `rank`, never at the present instant: an operation without duration
    /// would let a rank loop forever within one instant.
    #[inline(always)] // Callers pass a constant kind of event.
    pub(crate) fn schedule(&mut self, rank: u32, when: Time, host_event: HostEvent) {
        let phase = match host_event {
            HostEvent::Complete(_) | HostEvent::Alarm(_) => Phase::Resume,
            _ => Phase::Decide,
        };
        self.add_pending(rank).alarms += usize::from(matches!(host_event, HostEvent::Alarm(_)));
        self.push_host(when.max(self.now + Span(1)), phase, rank, host_event.pack());
    }

    /// An event of a rank or, for numbers above the ranks, of a source of background traffic.
    pub(crate) fn push_host(&mut self, when: Time, phase: Phase, host: u32, token: u32) {
        self.queue.push(when, Event::<N::Event>::host(phase, host, token));
    }

    pub(crate) fn complete(&mut self, when: Time, done: OpCompletion) {
        let id = self.completions.insert(done);
        self.schedule(done.rank, when, HostEvent::Complete(id));
    }

    /// Occupies the rank's CPU for `span` to handle a message; returns the end. Earlier work,
    /// including computation, comes first: nothing else makes progress for the rank.
    pub(crate) fn occupy_cpu(&mut self, rank: u32, span: Span) -> Time {
        let state = &self.ranks[rank as usize];
        let when = self.end_of_work(rank, state.cpu.max(self.now), span);
        self.ranks[rank as usize].cpu = when;
        when
    }

    /// End of work that takes `span` on the rank's core and starts at `start`.
    fn end_of_work(&self, rank: u32, start: Time, span: Span) -> Time {
        match self.job.noise {
            None => start + span,
            Some(noise) => noise.done(self.phases[rank as usize], start, span),
        }
    }

    fn execute_call(&mut self, at: u32) {
        let id = self.next_call(at);
        if let Op::Collective { context, .. } = self.call_entries[id].call().op {
            self.enter(at, context, id);
            return self.schedule_next_call(at);
        }
        let Call { token, op, .. } = self.take_call(id);
        let done = OpCompletion { rank: at, token, ready: self.now, ..OpCompletion::default() };
        match op {
            Op::Pause => self.complete(self.now, done),
            Op::Alarm { span } => {
                let id = self.completions.insert(done);
                self.schedule(at, self.now + span, HostEvent::Alarm(id));
            }
            Op::Exit => {
                self.ranks[at as usize].exited = true;
                self.complete(self.now, done);
            }
            Op::Send { to, context, tag, bytes, mode } => {
                if !self.claim_send(at, to, bytes) {
                    let op = Op::Send { to, context, tag, bytes, mode };
                    return self.block_send(Call { rank: at, token, after: Span::ZERO, op });
                }
                self.user_send(at, token, to, Envelope { src: at, context, tag }, bytes, mode);
            }
            Op::Recv { from, context, tag, .. } => {
                self.user_recv(at, token, Pattern { from, context, tag });
            }
            Op::Probe { from, context, tag, wait, take } => {
                self.probe(at, token, Pattern { from, context, tag }, wait, take);
            }
            Op::MatchedRecv { probe, .. } => self.recv_taken(at, token, probe),
            Op::Cancel { token: receive } => self.cancel(at, token, receive),
            Op::Delay { span } => {
                self.complete(self.now + span, OpCompletion { ready: self.now + span, ..done })
            }
            Op::OneSided { to, request_bytes, response_bytes, atomic } => {
                self.access(
                    at,
                    token,
                    to,
                    OneSidedOp::Transfer { request_bytes, response_bytes, atomic },
                );
            }
            Op::Lock { context, to, exclusive } => {
                self.access(at, token, to, OneSidedOp::Lock { context, exclusive });
            }
            Op::Unlock { context, to } => {
                self.access(at, token, to, OneSidedOp::Unlock { context })
            }
            Op::Storage { bytes, .. } => {
                let node = self.job.placements[at as usize].node;
                let when = self.storage.transfer(&self.job.machine, node, bytes, self.now);
                self.complete(when, done);
            }
            Op::Collective { .. } => unreachable!("entered above"),
            Op::Region { .. }
            | Op::Join { .. }
            | Op::Leave { .. }
            | Op::SendLayout(_)
            | Op::RecvLayout(_)
            | Op::Nics { .. }
            | Op::Requests(_) => unreachable!("handled when it was submitted"),
        }
        self.schedule_next_call(at);
    }

    /// Counts a message by its distance.
    pub(crate) fn count(&mut self, from: u32, to: u32, bytes: u64) {
        let nic = |rank: u32| self.job.placements[rank as usize].nic;
        self.count_between(from, (nic(from), nic(to)), bytes);
    }

    pub(crate) fn count_between(&mut self, from: u32, (a, b): (NicId, NicId), bytes: u64) {
        let machine = &self.job.machine;
        let distance = if machine.nic_node[a] == machine.nic_node[b] {
            Distance::Node
        } else if machine.nic_switch[a] == machine.nic_switch[b] {
            Distance::Switch
        } else if machine.group_of(a) == machine.group_of(b) {
            Distance::Group
        } else {
            Distance::Global
        };
        let job = self.job_of(from);
        let job = &mut self.jobs[job as usize];
        let row = &mut job.by_distance[distance as usize];
        row.0 += 1;
        row.1 += bytes;
    }

    /// The rank's job; without a lookup if there is only one.
    #[inline]
    pub(crate) fn job_of(&self, rank: u32) -> u32 {
        if self.jobs.len() == 1 { 0 } else { self.ranks[rank as usize].job }
    }

    pub(crate) fn first_rank(&self, job: u32) -> u32 {
        self.jobs[job as usize].first
    }

    /// The rank's job-local number.
    pub(crate) fn own_number(&self, rank: u32) -> u32 {
        rank - self.jobs[self.ranks[rank as usize].job as usize].first
    }
}

fn job_states(job: &Job) -> Vec<JobState> {
    let ranks = job.sample.ranks.unwrap_or(job.placements.len() as u32);
    let ends = job.firsts[1..].iter().copied().chain([ranks]);
    let job_states = |(&first, end): (&u32, u32)| JobState {
        first,
        ranks: end - first,
        pending: 0,
        alarms: 0,
        alarms_only_reported: false,
        last_completion: Time::ZERO,
        digest: Digest::default(),
        by_distance: [(0, 0); 4],
    };
    job.firsts.iter().zip(ends).map(job_states).collect()
}

/// Random stream of the route draws.
const STREAM_ROUTE: u32 = 1;
