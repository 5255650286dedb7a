//! The kernel of a run: what every component needs. It owns the clock, the event queue, the network
//! model, the CPU of each rank, and the counters and digest of the run.
//!
//! A component owns its state, and its methods take the kernel. It schedules events for ranks
//! (`schedule`) or for endpoints of its own (`push_endpoint`), occupies CPUs (`occupy_cpu`),
//! injects messages (`send`) and completes calls (`complete`). The kernel calls no component:
//! `World` dispatches events.

use crate::endpoints::EndpointRanges;
use crate::event::{CompletionId, HostEvent, MessageOwner, SendId};
use crate::job::Job;
use crate::network::Network;
use crate::network_windows::NetworkWindows;
use crate::outcome::Blocked;
use crate::rank::Rank;
use crate::send::Send;
use crate::timeline::Timeline;
use base::{Digest, IndexVec, Slab, Span, Time, draw, packed};
use des::{EventCode, Phase, Queue};
use machine::{NicId, NodeId};
use net::{ARRIVAL, Completion, Counters, Cx, Event, Message, MsgId, NetworkModel, Origin};
use workload::{ANY_SOURCE, OpCompletion, Token};

/// State of one job of the run.
pub(crate) struct JobState {
    pub first: u32,
    pub ranks: u32,
    /// Pending events and messages in the network; the alarms among them; and whether the workload
    /// has been notified that only alarms are pending.
    pub pending: usize,
    pub alarms: usize,
    pub alarms_only_reported: bool,
    pub last_completion: Time,
    pub digest: Digest,
    pub by_distance: [(u64, u64); 4],
}

/// A message of a rank, as its component gives it to the network.
pub(crate) struct Outbound {
    /// The rank that caused it.
    pub rank: u32,
    /// Source and destination.
    pub nics: (NicId, NicId),
    pub bytes: u64,
    pub origin: Origin,
    pub completion: Completion,
    /// Whether switches keep its order within its flow. On Slingshot these are envelopes, eager
    /// data and the NIC's own atomics; rendezvous data, puts and gets are routed packet by packet
    /// (HPE's Slingshot Host Software guide, on adaptive routing).
    pub in_order: bool,
    /// Processing time at the receiver's NIC, in addition to its bytes.
    pub handling: Span,
}

pub(crate) struct Kernel<'j, N: NetworkModel> {
    pub job: &'j Job,
    pub network: Network<N>,
    /// Why one thread simulates it, if the job has several.
    pub undivided_reason: Option<&'static str>,
    /// Pending events: those of hosts, and those of the network unless it is simulated in windows.
    pub queue: Queue,
    pub now: Time,
    /// If the network is simulated in windows.
    pub windows: Option<NetworkWindows>,
    /// Whether a NIC has sent a response, which its receiver may observe within a window.
    pub has_responses: bool,
    pub ranks: Vec<Rank>,
    /// Endpoints that are not ranks.
    pub endpoints: EndpointRanges,
    /// With noise: phase of each rank's core.
    phases: Vec<Span>,
    /// Time at which each rank's command queue accepts the next command; empty if that is
    /// immediate.
    command_free_at: Vec<Time>,
    pub completions: Slab<CompletionId, OpCompletion>,
    /// Completions of this instant, for the workload.
    pub done: Vec<OpCompletion>,
    /// Texts that calls on files return, for the workload: see `Workload::describe`.
    pub descriptions: Vec<(u32, Token, String)>,
    pub jobs: Vec<JobState>,
    /// Pending events and messages of all jobs.
    pub pending: usize,
    /// The job of the last event.
    pub current_job: u32,
    /// Start of the jobs: the time origin that they observe.
    pub origin: Time,
    /// Number of job messages per NIC, which indexes the random draws of routes. A job's draws
    /// therefore do not depend on other jobs.
    pub injected: IndexVec<NicId, u32>,
    /// Messages that have arrived, with the time at which the receiver sees them.
    pub delivered: Vec<(MsgId, Time)>,
    /// An erroneous call of a rank, at which the run ends.
    pub erroneous_call: Option<Blocked>,
    pub counters: Counters,
    pub digest: Digest,
    pub events: u64,
    /// Observer of the run, if requested.
    pub timeline: Option<Box<Timeline>>,
    /// Time of the timeline's next sample of links.
    pub next_sample: Time,
}

/// Random stream of the route draws.
const STREAM_ROUTE: u32 = 1;

impl<'j, N: NetworkModel> Kernel<'j, N> {
    /// For `n` simulated ranks.
    pub fn new(job: &'j Job, n: usize) -> Self {
        let (network, undivided_reason) = Network::new(job);
        let rank = |at: usize| {
            Rank::of(job.firsts.partition_point(|&first| first as usize <= at) as u32 - 1)
        };
        Kernel {
            job,
            network,
            undivided_reason,
            queue: Queue::new(),
            now: Time::ZERO,
            windows: None,
            has_responses: false,
            ranks: packed((0..n).map(rank)),
            endpoints: EndpointRanges::default(),
            phases: job.phases(),
            command_free_at: match job.machine.nic.command_gap {
                Span::ZERO => Vec::new(),
                _ => vec![Time::ZERO; n],
            },
            completions: Slab::with_capacity(n),
            done: Vec::new(),
            descriptions: Vec::new(),
            jobs: job_states(job),
            pending: 0,
            current_job: 0,
            origin: Time::ZERO,
            injected: IndexVec::zeros(job.machine.n_nics() as usize),
            delivered: Vec::new(),
            erroneous_call: None,
            counters: Counters::new(job.machine.links.to.len()),
            digest: Digest::default(),
            events: 0,
            timeline: None,
            next_sample: Time(u64::MAX),
        }
    }

    /// The latest event, of hosts or of the network.
    pub fn clock(&self) -> Time {
        if self.windows.is_some() { self.now.max(self.network.last()) } else { self.now }
    }

    /// The present time in the jobs' time.
    pub fn job_time(&self) -> Time {
        Time(self.now.0 - self.origin.0)
    }

    // Ranks, nodes and jobs.

    #[inline]
    pub fn nic_of(&self, rank: u32) -> NicId {
        self.job.placements[rank as usize].nic
    }

    #[inline]
    pub fn node_of(&self, rank: u32) -> NodeId {
        self.job.placements[rank as usize].node
    }

    /// Whether two ranks exchange messages through the memory of their node.
    #[inline]
    pub fn shares_node(&self, a: u32, b: u32) -> bool {
        self.node_of(a) == self.node_of(b) && self.job.library.shared_memory
    }

    /// Whether messages from rank `from` arrive through the NIC.
    pub fn is_remote(&self, at: u32, from: u32) -> bool {
        from == ANY_SOURCE || !self.shares_node(at, from)
    }

    /// The `nth` NIC after this one on its node, cyclically.
    pub fn nth_nic_of_node(&self, nic: NicId, nth: u32) -> NicId {
        if nth == 0 {
            return nic;
        }
        let all = self.job.machine.nics_of_same_node(nic);
        NicId(all.start + (nic.0 - all.start + nth) % all.len() as u32)
    }

    /// The rank that is simulated for this one: itself, or its representative among the first
    /// ranks.
    #[inline]
    pub fn representative(&self, rank: u32) -> u32 {
        let all = self.ranks.len() as u32;
        if rank < all { rank } else { rank % all }
    }

    /// The rank's job; without a lookup if there is only one.
    #[inline]
    pub fn job_of(&self, rank: u32) -> u32 {
        if self.jobs.len() == 1 { 0 } else { self.ranks[rank as usize].job }
    }

    pub fn first_rank(&self, job: u32) -> u32 {
        self.jobs[job as usize].first
    }

    /// The rank's job-local number.
    pub fn own_number(&self, rank: u32) -> u32 {
        rank - self.jobs[self.ranks[rank as usize].job as usize].first
    }

    // CPUs.

    /// Occupies the rank's CPU for `span` to handle a message; returns the end. Earlier work,
    /// including computation, comes first: nothing else makes progress for the rank.
    pub fn occupy_cpu(&mut self, rank: u32, span: Span) -> Time {
        let state = &self.ranks[rank as usize];
        let when = self.end_of_work(rank, state.cpu.max(self.now), span);
        self.ranks[rank as usize].cpu = when;
        when
    }

    /// End of work that takes `span` on the rank's core and starts at `start`.
    pub fn end_of_work(&self, rank: u32, start: Time, span: Span) -> Time {
        match self.job.noise {
            None => start + span,
            Some(noise) => noise.done(self.phases[rank as usize], start, span),
        }
    }

    /// A rank commands its NIC; returns when the NIC takes the command from the rank's queue.
    /// Messages that NICs send by themselves use no rank's queue.
    pub fn command(&mut self, rank: u32) -> Time {
        let gap = self.job.machine.nic.command_gap;
        if gap == Span::ZERO {
            return self.now;
        }
        let next = &mut self.command_free_at[rank as usize];
        let when = self.now.max(*next);
        *next = when + gap;
        when
    }

    // Events.

    /// Schedules an event for `rank`, never at the present instant: an operation without duration
    /// would let a rank loop forever within one instant.
    #[inline(always)] // Callers pass a constant kind of event.
    pub fn schedule(&mut self, rank: u32, when: Time, host_event: HostEvent) {
        let phase = match host_event {
            HostEvent::Complete(_) | HostEvent::Alarm(_) => Phase::Resume,
            _ => Phase::Decide,
        };
        self.add_pending(rank).alarms += usize::from(matches!(host_event, HostEvent::Alarm(_)));
        self.push_host(when.max(self.now + Span(1)), phase, rank, host_event.pack());
    }

    /// A message of `rank` in the network will arrive at `when`, which is later than now.
    pub fn schedule_arrival(&mut self, rank: u32, when: Time, owner: MessageOwner) {
        self.add_pending(rank);
        let token = HostEvent::Arrive(owner).pack();
        self.queue.push(when, Event::<N::Event>::arrival(rank, token));
    }

    /// The same for a message of an endpoint that is not a rank.
    pub fn schedule_endpoint_arrival(&mut self, endpoint: u32, when: Time) {
        let host = self.ranks.len() as u32 + endpoint;
        self.queue.push(when, Event::<N::Event>::arrival(host, crate::endpoints::ARRIVAL));
    }

    /// Schedules an event of an endpoint that is not a rank (`EndpointRanges`). Its component
    /// interprets the token. No job waits for such an event.
    pub fn push_endpoint(&mut self, endpoint: u32, when: Time, token: u32) {
        self.push_host(when, Phase::Decide, self.ranks.len() as u32 + endpoint, token);
    }

    fn push_host(&mut self, when: Time, phase: Phase, host: u32, token: u32) {
        self.queue.push(when, Event::<N::Event>::host(phase, host, token));
    }

    /// Removes the next event from the queue, and advances the clock to it.
    #[inline]
    pub fn next(&mut self) -> Option<Event<N::Event>> {
        let (now, what) = self.queue.pop()?;
        Some(self.begin_event(now, what))
    }

    /// Events of the network are not part of the digest: their order depends on the engine. Their
    /// effects are: arrivals, and counters.
    #[inline]
    pub fn begin_event(&mut self, now: Time, what: EventCode) -> Event<N::Event> {
        self.now = now;
        self.events += 1;
        if what.kind() >= ARRIVAL {
            self.digest.mix(now.0 ^ u64::from(what.order()).rotate_left(32));
        }
        Event::of(what)
    }

    /// Decodes an event of a rank, which is not pending any more.
    #[inline]
    pub fn take_event(&mut self, rank: u32, token: u32) -> HostEvent {
        let host_event = HostEvent::unpack(token);
        let job = self.remove_pending(rank);
        job.alarms -= usize::from(matches!(host_event, HostEvent::Alarm(_)));
        host_event
    }

    /// Removes one pending event of the rank's job.
    #[inline]
    pub fn remove_pending(&mut self, rank: u32) -> &mut JobState {
        self.current_job = self.job_of(rank);
        self.pending -= 1;
        let job = &mut self.jobs[self.current_job as usize];
        job.pending -= 1;
        job.alarms_only_reported = false;
        job
    }

    /// The rank's job waits for a call that has no event of its own.
    pub fn await_call(&mut self, rank: u32) {
        self.add_pending(rank);
    }

    /// That call has completed, or its completion is scheduled.
    pub fn call_ends(&mut self, rank: u32) {
        self.remove_pending(rank);
    }

    #[inline]
    fn add_pending(&mut self, rank: u32) -> &mut JobState {
        self.pending += 1;
        let job = self.job_of(rank);
        let job = &mut self.jobs[job as usize];
        job.pending += 1;
        job
    }

    // Completions of calls.

    pub fn complete(&mut self, when: Time, done: OpCompletion) {
        let id = self.completions.insert(done);
        self.schedule(done.rank, when, HostEvent::Complete(id));
    }

    /// Schedules the completion of an alarm.
    pub fn set_alarm(&mut self, when: Time, done: OpCompletion) {
        let id = self.completions.insert(done);
        self.schedule(done.rank, when, HostEvent::Alarm(id));
    }

    /// Records a completion, which is progress of its job.
    pub fn record_completion(&mut self, id: CompletionId) {
        let done = self.completions[id];
        let now = self.job_time();
        let job = self.job_of(done.rank);
        let job = &mut self.jobs[job as usize];
        job.last_completion = now;
        job.digest.mix(now.0);
        job.digest.mix(u64::from(done.rank - job.first) << 32 | u64::from(done.token));
        if let Some(timeline) = &mut self.timeline {
            timeline.complete(now, &done, Time(done.ready.0 - self.origin.0));
        }
        self.queue_completion(id);
    }

    /// Adds a completion to the report at the end of the instant.
    pub fn queue_completion(&mut self, id: CompletionId) {
        let done = self.completions[id];
        self.completions.free(id);
        let ready = Time(done.ready.0 - self.origin.0);
        self.done.push(OpCompletion { ready, ..done });
    }

    /// Ends the run because of an erroneous call of this rank.
    pub fn erroneous(&mut self, rank: u32, what: String) {
        let node = self.node_of(rank);
        self.erroneous_call.get_or_insert(Blocked { rank, node, what });
    }

    // The network.

    pub fn split(&mut self) -> (&mut Network<N>, Cx<'_>) {
        let cx = Cx {
            now: self.now,
            machine: &self.job.machine,
            queue: &mut self.queue,
            delivered: &mut self.delivered,
            counters: &mut self.counters,
        };
        (&mut self.network, cx)
    }

    pub fn inject(&mut self, owner: MessageOwner, message: Message) {
        self.has_responses |= message.origin == Origin::Response;
        if self.windows.is_some() {
            return self.network.command(self.now, MsgId(owner.pack()), message);
        }
        let (net, mut cx) = self.split();
        net.inject(MsgId(owner.pack()), message, &mut cx);
        debug_assert!(self.delivered.is_empty(), "a network delivers in `handle` alone");
    }

    /// Injects a message of a job into the network.
    #[inline]
    pub fn send(&mut self, owner: MessageOwner, outbound: Outbound) {
        let Outbound { rank, nics: (src, dst), bytes, origin, completion, .. } = outbound;
        let Outbound { in_order, handling, .. } = outbound;
        let nth = &mut self.injected[src];
        *nth = nth.wrapping_add(1);
        let draw = draw(self.job.seed, STREAM_ROUTE, src.0, u64::from(*nth));
        self.add_pending(rank);
        let vnet = self.job.vnets[self.job_of(rank) as usize];
        let message =
            Message { src, dst, bytes, origin, vnet, completion, draw, in_order, handling };
        self.inject(owner, message);
    }

    // The timeline.

    /// Records that a message has arrived with all of its data.
    #[inline]
    pub fn trace_message(&mut self, id: SendId, send: &Send) {
        let now = self.job_time();
        if let Some(timeline) = &mut self.timeline {
            let nic = self.job.placements[send.from as usize].nic;
            timeline.message(now, id, send);
            if !send.same_node {
                timeline.dequeue(nic, send.bytes);
            }
        }
    }

    /// Records that the data of a message are at the NIC of its sender.
    #[inline]
    pub fn trace_queue(&mut self, send: &Send) {
        if let Some(timeline) = &mut self.timeline {
            let nic = self.job.placements[send.from as usize].nic;
            timeline.queue(nic, send.bytes);
        }
    }

    /// Starts the timeline, if any, with the jobs.
    pub fn start_timeline(&mut self) {
        if let Some(timeline) = &self.timeline {
            self.next_sample = self.origin + (timeline.next_sample() - Time::ZERO);
        }
    }

    /// Records the bytes that links have carried since the last sample.
    #[cold]
    pub fn sample_links(&mut self) {
        let now = self.job_time();
        let Some(timeline) = &mut self.timeline else { return };
        timeline.begin_sample(self.counters.links.len());
        self.network.carried(&self.counters, |link, bytes| timeline.sample(now, link, bytes));
        timeline.end_sample(now);
        self.next_sample = Time(timeline.next_sample().0.saturating_add(self.origin.0));
    }

    /// Ends the timeline at the end of the jobs, before the network drains.
    pub fn close_timeline(&mut self) {
        let now = self.job_time();
        if let Some(timeline) = &mut self.timeline {
            timeline.close(now);
        }
        self.next_sample = Time(u64::MAX);
    }

    /// Counts a message by its distance.
    pub fn count(&mut self, from: u32, to: u32, bytes: u64) {
        self.count_between(from, (self.nic_of(from), self.nic_of(to)), bytes);
    }

    pub fn count_between(&mut self, from: u32, (a, b): (NicId, NicId), bytes: u64) {
        let distance = self.job.machine.distance(a, b);
        let job = self.job_of(from);
        let job = &mut self.jobs[job as usize];
        let row = &mut job.by_distance[distance as usize];
        row.0 += 1;
        row.1 += bytes;
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
