//! One run: its components. `handle_next` dispatches each event to its component; `event_loop.rs`
//! has the loop.
//!
//! A rank has one CPU (`Rank::cpu`). It executes the rank's calls in order and, between them, the
//! work of messages: completing receives and advancing collectives. The NIC works in parallel: a
//! rendezvous needs no CPU after the match.

use crate::calls::Calls;
use crate::collective::Collectives;
use crate::component::{Component, Context};
use crate::endpoints::{EndpointEvent, EndpointKind};
use crate::event::{HostEvent, InFlight, MAX_IDS, MessageOwner, ProtocolPhase};
use crate::event_loop::{self, Simulation};
use crate::failures::Failures;
use crate::file_systems::FileSystems;
use crate::intranode::completion_within_node;
use crate::job::Job;
use crate::kernel::Kernel;
use crate::network::Network;
use crate::onesided::{OneSided, OneSidedOp};
use crate::outcome::{Blocked, End, Outcome};
use crate::point_to_point::{PointToPoint, SendArgs};
use crate::progress::Progress;
use crate::send::{Delivery, MatchState, PostedReceive, Purpose, Waiter};
use crate::sources::Sources;
use crate::storage::Storage;
use crate::timeline::Timeline;
use crate::transport::Transport;
use base::{Span, Time};
use mpi::{Envelope, Pattern};
use net::{Event, FAILED, MsgId, NetworkModel};
use workload::{Call, CallSlice, Op, OpCompletion, Workload};

mod ahead;
mod ending;
#[cfg(test)]
mod tests;
mod windows;

use self::windows::{EngineControl, NextInWindows};

/// Number of events between two checks of a run.
const CHECK_INTERVAL: u64 = 1 << 12;

/// A run of a workload, and of a component that the caller adds (none by default).
pub struct World<'j, N: NetworkModel, W: Workload, C: Component<N> = ()> {
    pub workload: W,
    pub component: C,
    transport: Transport<'j, N>,
    calls: Calls,
    point_to_point: PointToPoint,
    collectives: Collectives,
    onesided: OneSided,
    storage: Storage,
    pub(crate) file_systems: FileSystems,
    sources: Sources<'j>,
    failures: Failures,
    /// Calls that the workload makes now.
    submitted: Vec<Call>,
    /// Returned calls of MPI functions, for the timeline.
    call_slices: Vec<CallSlice>,
    /// Maximum number of sends, accesses or completions at one time.
    max_ids: usize,
    engine: EngineControl,
}

impl<'j, N: NetworkModel, W: Workload> World<'j, N, W> {
    pub fn new(job: &'j Job, workload: W) -> Self {
        World::with_component(job, workload, ())
    }
}

impl<'j, N: NetworkModel, W: Workload, C: Component<N>> World<'j, N, W, C> {
    pub fn with_component(job: &'j Job, workload: W, component: C) -> Self {
        let n = workload.ranks() as usize;
        let simulated = job.sample.ranks.map_or(job.placements.len(), |ranks| ranks as usize);
        assert_eq!(n, simulated, "one placement a rank");
        World {
            workload,
            component,
            transport: Transport::new(job, n),
            calls: Calls::new(n),
            point_to_point: PointToPoint::new(n),
            collectives: Collectives::new(&job.machine, n),
            onesided: OneSided::new(),
            storage: Storage::new(&job.machine),
            file_systems: FileSystems::default(),
            sources: Sources::new(job),
            failures: Failures::new(job),
            submitted: Vec::new(),
            call_slices: Vec::new(),
            max_ids: MAX_IDS,
            engine: EngineControl::default(),
        }
    }

    /// Runs to the end. `tick` is called every few thousand events; false stops the run.
    pub fn run(&mut self, tick: &mut dyn FnMut(Progress) -> bool) -> Outcome {
        self.select_threads();
        let kernel = &mut self.transport.kernel;
        let machine = &kernel.job.machine;
        let Network::Shards(shards) = &kernel.network else { return self.simulate(tick) };
        let team = shards.team();
        std::thread::scope(|scope| {
            let _guard = team.start(scope, machine);
            let outcome = self.simulate(tick);
            if let Network::Shards(shards) = &mut self.transport.kernel.network {
                shards.stop();
            }
            outcome
        })
    }

    fn simulate(&mut self, tick: &mut dyn FnMut(Progress) -> bool) -> Outcome {
        let (net, mut cx) = self.transport.kernel.split();
        net.start(&mut cx);
        let kernel = &mut self.transport.kernel;
        start(kernel, EndpointKind::Source, &mut self.sources);
        start(kernel, EndpointKind::Added, &mut self.component);
        self.add_file_systems();
        let kernel = &mut self.transport.kernel;
        if self.sources.is_empty() {
            self.begin();
        } else {
            kernel.schedule(0, Time::ZERO + kernel.job.warmup, HostEvent::Begin);
        }
        self.select_engine();
        let has_ended = event_loop::run(self, CHECK_INTERVAL, |world| {
            world.check_id_count();
            world.enable_prefetch();
            world.choose_engine();
            world.report(tick)
        });
        // At the end of the jobs, links have carried what they have in the event engine.
        let now = self.transport.kernel.now;
        self.run_network(Time(now.0 + 1));
        let end = self.end(!has_ended);
        if self.transport.kernel.timeline.is_some() {
            self.sample();
            self.transport.kernel.close_timeline();
        }
        let mut outcome = self.outcome(end);
        if outcome.end == End::Finished {
            if !self.drain_network(tick) {
                outcome.end = End::Interrupted;
            }
            outcome.engine.events = self.transport.kernel.events;
        }
        outcome
    }

    fn report(&self, tick: &mut dyn FnMut(Progress) -> bool) -> bool {
        let kernel = &self.transport.kernel;
        tick(Progress::at(kernel.clock(), kernel.events))
    }

    /// Whether the run cannot continue.
    fn cannot_continue(&self) -> bool {
        self.transport.kernel.erroneous_call.is_some()
            || self.failures.failed.is_some()
            || self.transport.limit_checker.is_exhausted()
    }

    /// Drains the network after the jobs: background messages arrive, credits return. Then checks
    /// the conservation invariants of the network.
    fn drain_network(&mut self, tick: &mut dyn FnMut(Progress) -> bool) -> bool {
        Component::<N>::close(&mut self.sources);
        self.component.close();
        self.file_systems.close();
        let has_ended = event_loop::run(&mut Drain(self), CHECK_INTERVAL, |run| run.0.report(tick));
        let kernel = &self.transport.kernel;
        if has_ended {
            kernel.network.assert_idle(&kernel.job.machine);
        }
        has_ended
    }

    /// Starts all jobs.
    fn begin(&mut self) {
        let Transport { kernel, limit_checker, .. } = &mut self.transport;
        kernel.origin = kernel.now;
        kernel.start_timeline();
        Component::<N>::open(&mut self.sources);
        self.component.open();
        limit_checker.open_endpoints(kernel);
        self.call_workload(|workload, _, calls| workload.start(calls));
        // All ranks seldom call at the same instant again.
        self.submitted = Vec::new();
    }

    /// No event is pending. Returns whether the workload has more calls all the same.
    fn restart(&mut self) -> bool {
        self.call_workload(|workload, now, calls| workload.stalled(now, calls))
            || self.transport.limit_checker.waive_limit(&mut self.transport.kernel)
    }

    /// Only alarms are pending: the workload may set them anew, for an earlier time.
    fn report_alarms_only(&mut self, job: u32) {
        self.transport.kernel.jobs[job as usize].alarms_only_reported = true;
        self.call_workload(|workload, now, calls| workload.alarms_only(job, now, calls));
    }

    /// Collects the calls that the workload makes now; returns whether there are any.
    fn call_workload(&mut self, what: impl FnOnce(&mut W, Time, &mut Vec<Call>)) -> bool {
        let mut submitted = std::mem::take(&mut self.submitted);
        what(&mut self.workload, self.transport.kernel.job_time(), &mut submitted);
        if self.transport.kernel.timeline.is_some() {
            self.trace_calls();
        }
        let any = !submitted.is_empty();
        self.submit(&mut submitted);
        self.submitted = submitted;
        any
    }

    /// Records the counters of links, NICs and storage targets.
    #[cold]
    fn sample(&mut self) {
        let kernel = &mut self.transport.kernel;
        let (now, in_job) = (kernel.now, kernel.job_time());
        if let Some(timeline) = &mut kernel.timeline {
            self.file_systems.loads(now, |target, bytes, backlog| {
                timeline.sample_target(in_job, target, bytes, backlog);
            });
        }
        kernel.sample_links();
    }

    /// Names of the storage targets that have been used, by file system and number.
    pub fn target_names(&self) -> Vec<(u32, u32, String)> {
        self.file_systems.target_names()
    }

    /// Number of ordered pairs of ranks for which state of one-sided operations is held.
    pub fn access_channels(&self) -> usize {
        self.onesided.n_channels()
    }

    /// Records a timeline of this run.
    pub fn trace(&mut self, timeline: Timeline) {
        self.transport.kernel.timeline = Some(Box::new(timeline));
    }

    /// The timeline, after the run. Calls of MPI functions that ended with the run are included.
    pub fn take_timeline(&mut self) -> Option<Timeline> {
        self.trace_calls();
        self.transport.kernel.timeline.take().map(|timeline| *timeline)
    }

    #[cold]
    fn trace_calls(&mut self) {
        let Some(timeline) = &mut self.transport.kernel.timeline else { return };
        self.workload.take_call_slices(&mut self.call_slices);
        self.call_slices.drain(..).for_each(|slice| timeline.call(&slice));
    }

    /// Appends calls to the lists of their ranks. Notices without CPU time take effect at once.
    fn submit(&mut self, submitted: &mut Vec<Call>) {
        let Transport { kernel, limit_checker, .. } = &mut self.transport;
        let (mut apart, mut nics, mut notices) = (None, None, Vec::new());
        for call in submitted.drain(..) {
            let at = call.rank;
            match call.op {
                Op::Region { held, optimized } => {
                    limit_checker.region(kernel, at, held, optimized);
                }
                Op::Join { context } => {
                    let members = self.workload.members(kernel.job_of(at), context);
                    limit_checker.joined(kernel, at, context, members);
                }
                Op::Leave { context } => limit_checker.left(kernel, at, context),
                Op::Requests(held) => limit_checker.requests(kernel, at, held),
                Op::Lookup { .. } | Op::Layout { .. } => notices.push(call),
                Op::Nics { own, peer } => nics = Some((at, [own, peer])),
                Op::SendLayout(how) | Op::RecvLayout(how) => {
                    let (_, send, recv) = apart.get_or_insert((at, None, None));
                    let side = if matches!(call.op, Op::SendLayout(_)) { send } else { recv };
                    *side = Some(how);
                }
                _ => {
                    if let Some((_, send, recv)) = apart.take().filter(|entry| entry.0 == at) {
                        let extra = kernel.ranks[at as usize].extra();
                        extra.send_layouts.extend(send.map(|how| (call.token, how)));
                        extra.recv_layouts.extend(recv.map(|how| (call.token, how)));
                    }
                    if let Some((_, named)) = nics.take().filter(|named| named.0 == at) {
                        kernel.ranks[at as usize].extra().nics.push_back((call.token, named));
                    }
                    if matches!(call.op, Op::File(_)) {
                        let own = notices.drain(..).filter(|notice: &Call| notice.rank == at);
                        own.for_each(|n| self.file_systems.announce(at, call.token, n.op));
                    }
                    self.calls.append(kernel, call);
                }
            }
        }
    }

    fn add_file_systems(&mut self) {
        let kernel = &mut self.transport.kernel;
        let n = kernel.job.machine.file_systems.len();
        if n > 0 {
            let first = kernel.endpoints.add(EndpointKind::FileSystem, FileSystems::endpoints(n));
            self.file_systems.open(n, first);
        }
    }

    /// Handles the next event, or all completions of an instant at once. Returns false if there is
    /// none.
    fn handle_next(&mut self) -> bool {
        let current_job = self.transport.kernel.current_job;
        let job = &self.transport.kernel.jobs[current_job as usize];
        if job.alarms > 0 && job.alarms == job.pending && !job.alarms_only_reported {
            self.report_alarms_only(current_job);
        }
        let event = if self.transport.kernel.windows.is_some() {
            match self.next_in_windows() {
                NextInWindows::Event(event) => event,
                NextInWindows::Boundary => return true,
                NextInWindows::End => return false,
            }
        } else {
            let Some(event) = self.next() else { return false };
            event
        };
        let t = &mut self.transport;
        if t.kernel.now >= t.kernel.next_sample {
            self.sample();
        }
        let t = &mut self.transport;
        while t.kernel.now >= self.failures.next_failure {
            if self.failures.fail_node(&mut t.kernel, &self.workload) {
                return true;
            }
        }
        match event {
            Event::Net(event) => {
                let (net, mut cx) = t.kernel.split();
                net.handle(event, &mut cx);
                self.deliver();
            }
            Event::Host { rank: host, token } if host as usize >= t.kernel.ranks.len() => {
                let endpoint = host - t.kernel.ranks.len() as u32;
                self.handle_endpoint(endpoint, EndpointEvent::of(token));
            }
            Event::Host { rank, token } => match t.kernel.take_event(rank, token) {
                HostEvent::Begin => self.begin(),
                HostEvent::Execute => self.execute_call(rank),
                HostEvent::SendNext(run) => self.collectives.send_next(t, run),
                HostEvent::Fetch(send) => t.depart(InFlight { send, phase: ProtocolPhase::Get }),
                HostEvent::Inject(in_flight) => t.inject_phase(in_flight),
                HostEvent::Serve(arbiter) => t.serve(arbiter),
                HostEvent::Arrive(owner) => self.dispatch_arrival(owner),
                HostEvent::Issue(access) => self.onesided.request(t, access),
                HostEvent::Respond(access) => self.onesided.send_response(t, access),
                HostEvent::Advance(run) => {
                    self.collectives.advance(t, &mut self.calls, &self.workload, run);
                }
                HostEvent::FinishReduction(run) => {
                    self.collectives.reduced(t, &self.calls, &self.workload, run);
                }
                host_event @ (HostEvent::Complete(_) | HostEvent::Alarm(_)) => {
                    self.resume(host_event)
                }
            },
        }
        true
    }

    #[inline]
    fn next(&mut self) -> Option<Event<N::Event>> {
        let event = self.transport.kernel.next()?;
        self.prefetch_next();
        Some(event)
    }

    /// Reports everything that completes at this instant to the workload.
    fn resume(&mut self, first: HostEvent) {
        let mut host_event = first;
        loop {
            let kernel = &mut self.transport.kernel;
            match host_event {
                HostEvent::Complete(done) => kernel.record_completion(done),
                HostEvent::Alarm(done) => kernel.queue_completion(done),
                _ => unreachable!("only completions share the last phase of an instant"),
            }
            if !kernel.queue.next_is_now() {
                break;
            }
            let Some(Event::Host { rank, token }) = self.next() else {
                unreachable!("only completions share the last phase of an instant")
            };
            host_event = self.transport.kernel.take_event(rank, token);
        }
        for (rank, token, text) in self.transport.kernel.descriptions.drain(..) {
            self.workload.describe(rank, token, text);
        }
        let mut done = std::mem::take(&mut self.transport.kernel.done);
        self.call_workload(|workload, now, calls| workload.resume(now, &done, calls));
        done.clear();
        self.transport.kernel.done = done;
    }

    /// Handles messages that have arrived, or whose arrival time is known.
    fn deliver(&mut self) {
        let mut delivered = std::mem::take(&mut self.transport.kernel.delivered);
        delivered.drain(..).for_each(|(id, seen)| self.complete_message(id, seen));
        self.transport.kernel.delivered = delivered;
    }

    /// A message is observed at `seen`, or has failed.
    #[inline]
    fn complete_message(&mut self, id: MsgId, seen: Time) {
        let owner = MessageOwner::unpack(id.0);
        if seen == FAILED {
            return self.fail_message(id, owner);
        }
        let sender = self.sender(owner);
        let kernel = &mut self.transport.kernel;
        let is_later = seen > kernel.now;
        match (sender, owner) {
            (Some(rank), _) => {
                if is_later {
                    kernel.schedule_arrival(rank, seen, owner);
                }
                kernel.remove_pending(rank);
            }
            (None, MessageOwner::Endpoint(endpoint)) if is_later => {
                kernel.schedule_endpoint_arrival(endpoint, seen);
            }
            (None, _) => {}
        }
        if !is_later {
            self.dispatch_arrival(owner);
        }
    }

    /// The rank that caused a message.
    fn sender(&self, owner: MessageOwner) -> Option<u32> {
        match owner {
            MessageOwner::Send(in_flight) => Some(self.transport.sends[in_flight.send].from),
            MessageOwner::Access(access) => Some(self.onesided.accesses[access].from),
            MessageOwner::Endpoint(_) => None,
        }
    }

    /// The network has given up a message: the failure names its sender.
    fn fail_message(&mut self, id: MsgId, owner: MessageOwner) {
        let sender = self.sender(owner);
        let kernel = &mut self.transport.kernel;
        let failure = kernel.network.failure(id).expect("the network says why a message failed");
        let Some(rank) = sender else {
            if let MessageOwner::Endpoint(endpoint) = owner {
                match kernel.endpoints.find(endpoint).0 {
                    EndpointKind::FileSystem => self.failures.give_up_file(kernel, failure),
                    _ => self.handle_endpoint(endpoint, EndpointEvent::Failed),
                }
            }
            return;
        };
        kernel.remove_pending(rank);
        if self.workload.has_ended(kernel.current_job) {
            return; // No rank waits for it any more.
        }
        let target = match owner {
            MessageOwner::Send(in_flight) => {
                let send = self.transport.sends[in_flight.send];
                (send.to, send.bytes)
            }
            MessageOwner::Access(access) => self.onesided.target(access),
            MessageOwner::Endpoint(_) => unreachable!("no rank's"),
        };
        self.failures.give_up(kernel, rank, target, failure);
    }

    fn dispatch_arrival(&mut self, owner: MessageOwner) {
        match owner {
            MessageOwner::Send(in_flight) => self.arrive(in_flight),
            MessageOwner::Access(access) => {
                self.onesided.access_arrives(&mut self.transport, access);
            }
            MessageOwner::Endpoint(endpoint) => {
                self.handle_endpoint(endpoint, EndpointEvent::Arrived);
            }
        }
    }

    /// Passes an event of an endpoint that is not a rank to its component.
    fn handle_endpoint(&mut self, endpoint: u32, event: EndpointEvent) {
        let kernel = &mut self.transport.kernel;
        let (kind, first) = kernel.endpoints.find(endpoint);
        let at = endpoint - first;
        match kind {
            EndpointKind::Source => {
                self.sources.handle(&mut Context::new(kernel, first), at, event);
            }
            EndpointKind::Added => {
                self.component.handle(&mut Context::new(kernel, first), at, event);
            }
            EndpointKind::FileSystem => self.file_systems.handle(kernel, at, event),
        }
    }

    /// A protocol phase has arrived: the transport continues the protocol, and the component of the
    /// send gets envelope, data and end.
    fn arrive(&mut self, in_flight: InFlight) {
        let InFlight { send: id, phase } = in_flight;
        let t = &mut self.transport;
        let send = t.sends[id];
        match phase {
            ProtocolPhase::Eager | ProtocolPhase::RequestToSend => {
                if !t.accepts(in_flight, &send) {
                    return;
                }
                if phase == ProtocolPhase::Eager {
                    t.kernel.trace_message(id, &send);
                }
                match send.purpose {
                    Purpose::User { .. } => self.point_to_point.arrive(t, id),
                    Purpose::Collective { .. } => {
                        self.collectives.arrive(t, &self.calls, &self.workload, (id, &send));
                    }
                }
            }
            ProtocolPhase::Get => t.depart(InFlight { send: id, phase: ProtocolPhase::Data }),
            ProtocolPhase::Data if send.pieces > 0 => t.sends[id].pieces -= 1,
            ProtocolPhase::Data => {
                t.kernel.trace_message(id, &send);
                match send.match_state {
                    MatchState::Matched(Waiter::User { token, posted }) => {
                        let receive = PostedReceive { token, posted };
                        self.point_to_point.received(t, &send, receive, Delivery::Expected);
                    }
                    MatchState::Matched(Waiter::Run(run)) => {
                        let data = (&send, Delivery::Expected);
                        self.collectives.receive(t, &self.calls, &self.workload, run, data);
                    }
                    _ => unreachable!("data was fetched by a matched receive"),
                }
                t.depart(InFlight { send: id, phase: ProtocolPhase::Finished });
            }
            ProtocolPhase::Finished => {
                if send.rendezvous && !send.same_node {
                    t.limit_checker.release_rendezvous(&mut t.kernel, &send);
                }
                let known_at = match send.same_node {
                    true => completion_within_node(&mut t.kernel, &send),
                    false => t.observe_end(&send),
                };
                match send.purpose {
                    Purpose::User { .. } => self.point_to_point.finished(t, &send, known_at),
                    // Its round waits for this completion.
                    Purpose::Collective { run, .. } => {
                        self.collectives.outstanding_done(&mut t.kernel, run, known_at);
                    }
                }
                t.sends.free(id);
            }
        }
    }

    /// The rank's CPU has reached its next call, which takes effect.
    fn execute_call(&mut self, at: u32) {
        let t = &mut self.transport;
        let id = self.calls.next(&mut t.kernel, at);
        if let Op::Collective { context, .. } = self.calls.call(id).op {
            if let Some(timeline) = &mut t.kernel.timeline {
                let call = self.calls.call(id);
                timeline.begin(at, call.token, &call.op, &self.workload);
            }
            self.collectives.enter(t, &mut self.calls, &self.workload, (at, context), id);
            return self.calls.schedule_next_call(&mut t.kernel, at);
        }
        let Call { token, op, .. } = self.calls.take(id);
        let now = t.kernel.now;
        if let Some(timeline) = &mut t.kernel.timeline {
            timeline.begin(at, token, &op, &self.workload);
        }
        let done = OpCompletion { rank: at, token, ready: now, ..OpCompletion::default() };
        match op {
            Op::Pause => t.kernel.complete(now, done),
            Op::Alarm { span } => t.kernel.set_alarm(now + span, done),
            Op::Exit => {
                t.kernel.ranks[at as usize].exited = true;
                t.kernel.complete(now, done);
            }
            Op::Send { to, context, tag, bytes, mode } => {
                if !t.limit_checker.claim_send(&t.kernel, at, to, bytes) {
                    if let Some(timeline) = &mut t.kernel.timeline {
                        timeline.withdraw(at, token);
                    }
                    let call = Call { rank: at, token, after: Span::ZERO, op };
                    t.limit_checker.block_send(at);
                    return self.calls.put_back(&mut t.kernel, call);
                }
                let envelope = Envelope { src: at, context, tag };
                let args = SendArgs { token, to, envelope, bytes, mode };
                self.point_to_point.send(t, at, args);
            }
            Op::Recv { from, context, tag, .. } => {
                self.point_to_point.recv(t, at, token, Pattern { from, context, tag });
            }
            Op::Probe { from, context, tag, wait, take } => {
                let pattern = Pattern { from, context, tag };
                self.point_to_point.probe(t, (at, token), pattern, wait, take);
            }
            Op::MatchedRecv { probe, .. } => self.point_to_point.recv_taken(t, at, token, probe),
            Op::Cancel { token: receive } => self.point_to_point.cancel(t, at, token, receive),
            Op::Delay { span } => {
                t.kernel.complete(now + span, OpCompletion { ready: now + span, ..done })
            }
            Op::OneSided { to, request_bytes, response_bytes, atomic, .. } => {
                let op = OneSidedOp::Transfer { request_bytes, response_bytes, atomic };
                self.onesided.access(t, at, token, to, op);
            }
            Op::Lock { context, to, exclusive } => {
                self.onesided.access(t, at, token, to, OneSidedOp::Lock { context, exclusive });
            }
            Op::Unlock { context, to } => {
                self.onesided.access(t, at, token, to, OneSidedOp::Unlock { context });
            }
            Op::Storage { bytes, .. } => {
                let node = t.kernel.node_of(at);
                let when = self.storage.transfer(&t.kernel.job.machine, node, bytes, now);
                t.kernel.complete(when, done);
            }
            Op::File(call) => self.file_systems.call(&mut t.kernel, (at, token), call),
            Op::Collective { .. } => unreachable!("entered above"),
            Op::Region { .. }
            | Op::Join { .. }
            | Op::Leave { .. }
            | Op::SendLayout(_)
            | Op::RecvLayout(_)
            | Op::Nics { .. }
            | Op::Lookup { .. }
            | Op::Layout { .. }
            | Op::Requests(_) => unreachable!("handled when it was submitted"),
        }
        self.calls.schedule_next_call(&mut t.kernel, at);
    }

    /// Ends the run if ids are nearly exhausted. Called from time to time.
    fn check_id_count(&mut self) {
        let Transport { kernel, limit_checker, sends, .. } = &mut self.transport;
        let sorts = [
            (sends.peak(), "messages"),
            (self.onesided.accesses.peak(), "one-sided operations"),
            (kernel.completions.peak(), "completions"),
            (self.collectives.runs.peak(), "collectives"),
        ];
        let sorts = sorts.into_iter().find(|sort| sort.0 > self.max_ids).map(|sort| sort.1);
        let files = self.file_systems.is_nearly_full().then_some("messages of file systems");
        let Some(what) = sorts.or(files) else { return };
        let rank = kernel.jobs[kernel.current_job as usize].first;
        let what = format!(
            "more than {} {what} in flight at once at {}, the most that odonata can distinguish. \
             Fix: fewer ranks, or fewer of them in flight at once",
            self.max_ids,
            kernel.job_time()
        );
        limit_checker.exhaust(Blocked { rank, node: kernel.node_of(rank), what });
    }
}

impl<N: NetworkModel, W: Workload, C: Component<N>> Simulation for World<'_, N, W, C> {
    #[inline]
    fn step(&mut self) -> bool {
        if self.cannot_continue() || self.workload.is_stopped() {
            return false;
        }
        if self.transport.kernel.pending == 0 {
            return self.restart();
        }
        // A call on a file may wait for what never happens.
        self.handle_next()
    }
    #[inline]
    fn events(&self) -> u64 {
        self.transport.kernel.events
    }
}

/// A run whose jobs have ended, until its network is empty.
struct Drain<'w, 'j, N: NetworkModel, W: Workload, C: Component<N>>(&'w mut World<'j, N, W, C>);

impl<N: NetworkModel, W: Workload, C: Component<N>> Simulation for Drain<'_, '_, N, W, C> {
    fn step(&mut self) -> bool {
        self.0.handle_next()
    }
    fn events(&self) -> u64 {
        self.0.events()
    }
}

/// Adds the endpoints of a component, and starts it.
fn start<N: NetworkModel>(
    kernel: &mut Kernel<'_, N>,
    kind: EndpointKind,
    component: &mut impl Component<N>,
) {
    let first = kernel.endpoints.add(kind, component.endpoints());
    component.start(&mut Context::new(kernel, first));
}
