//! Effects of the limits of NICs, provider and library: delays, waiting, or the end of the run.
//!
//! `mpi::Limits` counts. This module decides when, how long, and with which message.

use crate::event::{HostEvent, InFlight, MessageOwner};
use crate::job::{Job, LimitPolicy};
use crate::kernel::Kernel;
use crate::outcome::{Blocked, ExceededLimit, LimitReport, LimitUse};
use crate::send::Send;
use base::{Span, Time};
use machine::{LinkEnd, Machine};
use mpi::Limits;
use mpi::contexts::{Allocation, Contexts};
use mpi::limits::{Limit, MatchMode, Nic, UNLIMITED, Verdict};
use net::NetworkModel;
use workload::Context;

pub(crate) struct LimitChecker {
    pub limits: Limits,
    contexts: Contexts,
    /// The last context id that ranks agreed on, and the number of these ranks.
    agreed: (Allocation, usize),
    policy: LimitPolicy,
    /// Time to examine one list element, and the delay of flow control.
    element: Span,
    flow_control: Span,
    /// Ranks blocked in a send until an earlier send of theirs is received.
    waiting: Vec<bool>,
    /// Time until which each rank's endpoint rejects messages; empty before the first flow control.
    closed: Vec<Time>,
    exceeded: Vec<ExceededLimit>,
    exhausted: Option<Blocked>,
    flow_controls: u64,
}

/// The limits in the machine's NIC parameters.
fn nic_of(machine: &Machine) -> Nic {
    let nic = &machine.nic;
    Nic {
        match_engines: nic.match_engines,
        match_entries: nic.match_entries,
        portal_table: nic.portal_table,
        command_queues: nic.command_queues,
    }
}

impl LimitChecker {
    pub fn new(job: &Job) -> LimitChecker {
        let mut bounds = job.library.bounds(nic_of(&job.machine));
        if job.limits == LimitPolicy::Off {
            bounds = bounds.unlimited();
        }
        LimitChecker {
            limits: Limits::new(bounds, job.placements.iter().map(|placement| placement.nic.0)),
            contexts: Contexts::new(job.placements.len()),
            agreed: Default::default(),
            policy: job.limits,
            element: job.library.provider.match_element,
            flow_control: job.library.provider.flow_control,
            waiting: vec![false; job.placements.len()],
            closed: Vec::new(),
            exceeded: Vec::new(),
            exhausted: None,
            flow_controls: 0,
        }
    }
    pub fn is_exhausted(&self) -> bool {
        self.exhausted.is_some()
    }
    /// Ends the run because a resource is exhausted.
    pub fn exhaust(&mut self, what: Blocked) {
        self.exhausted.get_or_insert(what);
    }
    pub fn take_exhausted(&mut self) -> Option<Blocked> {
        self.exhausted.take()
    }
}

impl LimitChecker {
    /// Opens the endpoints at the start of the jobs, if their ranks' NICs have room for them.
    pub fn open_endpoints<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>) {
        if let Some((rank, limit)) = self.limits.start() {
            self.report_exceeded(kernel, rank, limit);
        }
    }

    /// Registers or deregisters memory of a rank for remote access.
    pub fn region<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        held: bool,
        optimized: bool,
    ) {
        let rank = kernel.representative(rank);
        if held {
            let verdict = self.limits.register(rank, optimized);
            self.apply_verdict(kernel, rank, verdict);
        } else {
            self.limits.deregister(rank, optimized);
        }
    }

    /// The rank has joined a communicator of these members, in job-local numbers.
    pub fn joined<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        context: Context,
        members: &[u32],
    ) {
        let key = (kernel.job_of(rank), context);
        let first = kernel.first_rank(key.0);
        if !self.contexts.join(key, members.len()) {
            return;
        }
        let members: Vec<u32> = members.iter().map(|&member| first + member).collect();
        if let Some(agreed) = self.contexts.agree(key, &members) {
            self.agreed = (agreed, members.len());
            let verdict = self.limits.context(agreed.rank, agreed.id);
            self.apply_verdict(kernel, agreed.rank, verdict);
        }
    }
    /// The rank has freed it.
    pub fn left<N: NetworkModel>(&mut self, kernel: &Kernel<'_, N>, rank: u32, context: Context) {
        let key = (kernel.job_of(rank), context);
        self.contexts.leave(key, rank);
    }

    /// The library executes a one-sided operation with messages. If it is long, the peer reads the
    /// data from memory that stays registered until the peer reports completion.
    pub fn register_temporary<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        bytes: u64,
    ) {
        if bytes > kernel.job.library.am_eager_max {
            let rank = kernel.representative(rank);
            let verdict = self.limits.register_temporary(rank);
            self.apply_verdict(kernel, rank, verdict);
        }
    }
    pub fn deregister_temporary<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        rank: u32,
        bytes: u64,
    ) {
        if bytes > kernel.job.library.am_eager_max {
            self.limits.deregister_temporary(kernel.representative(rank));
        }
    }

    /// The rank's number of requests has reached a new maximum.
    pub fn requests<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, rank: u32, held: u32) {
        let rank = kernel.representative(rank);
        let verdict = self.limits.request(rank, held);
        self.apply_verdict(kernel, rank, verdict);
    }

    /// A receive is posted at the rank's NIC for messages from `from`.
    pub fn posted<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, at: u32, from: u32) {
        if kernel.is_remote(at, from) {
            let at = kernel.representative(at);
            let verdict = self.limits.post(at);
            self.apply_verdict(kernel, at, verdict);
        }
    }
    /// It has matched or was cancelled.
    pub fn unposted<N: NetworkModel>(&mut self, kernel: &Kernel<'_, N>, at: u32, from: u32) {
        if kernel.is_remote(at, from) {
            self.limits.remove_posted(kernel.representative(at));
        }
    }

    /// A message has arrived; `is_expected` if a receive was posted for it.
    #[inline]
    pub fn message_arrived<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        send: &Send,
        is_expected: bool,
    ) {
        let Send { to, rendezvous, same_node, .. } = *send;
        if !same_node {
            self.limits.message_arrived(kernel.representative(to), is_expected, rendezvous);
        }
    }

    /// An unexpected message has arrived through the NIC and is buffered.
    pub fn hold_unexpected<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, send: &Send) {
        if !send.same_node {
            let bytes = kernel.job.held_bytes(send);
            let at = kernel.representative(send.to);
            let verdict = self.limits.add_unexpected(at, bytes);
            self.apply_verdict(kernel, at, verdict);
        }
    }
    /// It has been received, or reserved by a probe.
    pub fn release_unexpected<N: NetworkModel>(&mut self, kernel: &Kernel<'_, N>, send: &Send) {
        if !send.same_node {
            let bytes = kernel.job.held_bytes(send);
            self.limits.take(kernel.representative(send.to), bytes);
        }
    }

    /// If the rank's CPU matches: it has searched `elements` list elements.
    pub fn searched<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        elements: usize,
    ) {
        let rank = kernel.representative(rank);
        if self.limits.is_software(rank) {
            self.walk(kernel, rank, elements as u64);
        }
    }

    fn walk<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        elements: u64,
    ) -> Time {
        kernel.occupy_cpu(rank, Span(self.element.0.saturating_mul(elements)))
    }

    pub fn tagged<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        context: u32,
        tag: i32,
    ) {
        // Internal messages of the library have their own tags.
        if context & workload::wire::PRIVATE_CONTEXT == 0 {
            let verdict = self.limits.tag(rank, tag);
            self.apply_verdict(kernel, rank, verdict);
        }
    }

    #[inline]
    fn apply_verdict<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        verdict: Verdict,
    ) {
        if verdict != Verdict::Fits {
            self.enforce(kernel, rank, verdict);
        }
    }

    #[cold]
    fn enforce<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        rank: u32,
        verdict: Verdict,
    ) {
        match verdict {
            Verdict::Fits => {}
            Verdict::ToSoftware { moved } => _ = self.walk(kernel, rank, moved),
            Verdict::FlowControl { moved } => {
                self.flow_controls += 1;
                let moved = self.walk(kernel, rank, moved);
                self.closed.resize(kernel.job.placements.len(), Time::ZERO);
                self.closed[rank as usize] = moved + self.flow_control;
            }
            Verdict::Exceeded(limit) => self.report_exceeded(kernel, rank, limit),
        }
    }

    /// A message that arrives while the receiver's endpoint rejects messages is sent again later.
    /// Returns whether that was so.
    #[inline]
    pub fn deferred_by_flow_control<N: NetworkModel>(
        &mut self,
        kernel: &mut Kernel<'_, N>,
        in_flight: InFlight,
        to: u32,
    ) -> bool {
        if self.closed.is_empty() {
            return false;
        }
        let to = kernel.representative(to);
        let open = self.closed[to as usize];
        if open <= kernel.now {
            return false;
        }
        kernel.schedule(to, open, HostEvent::Arrive(MessageOwner::Send(in_flight)));
        true
    }

    /// Takes the NIC resources of a send; returns whether they were available.
    pub fn claim_send<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        at: u32,
        to: u32,
        bytes: u64,
    ) -> bool {
        let by_nic = !kernel.shares_node(at, to);
        !(by_nic && kernel.job.wants_rendezvous(kernel.job.buffers, false, bytes))
            || self.limits.claim_rendezvous(at)
    }

    /// The rank stays in this call until one of its sends completes: the provider returns "again",
    /// and the library retries.
    #[cold]
    pub fn block_send(&mut self, rank: u32) {
        self.waiting[rank as usize] = true;
    }

    /// A rendezvous over the network is complete.
    pub fn release_rendezvous<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>, send: &Send) {
        self.limits.release_rendezvous_id(send.from);
        self.limits.sent(send.from);
        if std::mem::take(&mut self.waiting[send.from as usize]) {
            let rank = &mut kernel.ranks[send.from as usize];
            rank.cpu = rank.cpu.max(kernel.now);
            kernel.schedule(send.from, kernel.now, HostEvent::Execute);
        }
    }

    /// No rank can continue. If a limit is the reason, and the policy is not `Fail`, waives the
    /// limit. Returns whether it did.
    pub fn waive_limit<N: NetworkModel>(&mut self, kernel: &mut Kernel<'_, N>) -> bool {
        let waiting: Vec<u32> = self.waiting_to_send().map(|(rank, _)| rank).collect();
        if self.policy == LimitPolicy::Fail || waiting.is_empty() {
            return false;
        }
        self.report_exceeded(kernel, waiting[0], Limit::RendezvousSends);
        self.limits.stop_waiting_for_rendezvous();
        for rank in waiting {
            self.waiting[rank as usize] = false;
            kernel.schedule(rank, kernel.now, HostEvent::Execute);
        }
        true
    }

    /// No rank can continue. Returns the rank that lacks a resource, if a limit is the reason.
    pub fn blocked_by_limit<N: NetworkModel>(&mut self, kernel: &Kernel<'_, N>) -> Option<Blocked> {
        let rank = self.waiting.iter().position(|&waits| waits)? as u32;
        self.report_exceeded(kernel, rank, Limit::RendezvousSends);
        self.exceeded.last().map(|exceeded| Blocked {
            rank,
            node: kernel.node_of(rank),
            what: exceeded.what.clone(),
        })
    }

    #[cold]
    fn report_exceeded<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        rank: u32,
        limit: Limit,
    ) {
        let node = kernel.node_of(rank);
        if !self.exceeded.iter().any(|exceeded| exceeded.limit == limit) {
            let what = self.describe_exceeded(kernel, rank, limit);
            self.exceeded.push(ExceededLimit { limit, rank, node, at: kernel.job_time(), what });
        }
        if self.policy == LimitPolicy::Fail && !self.is_exhausted() {
            let what = self.exceeded.last().expect("there is one now").what.clone();
            self.exhaust(Blocked { rank, node, what });
        }
    }

    fn describe_exceeded<N: NetworkModel>(
        &self,
        kernel: &Kernel<'_, N>,
        rank: u32,
        limit: Limit,
    ) -> String {
        let limits = &self.limits;
        let placement = kernel.job.placements[rank as usize];
        let machine = &kernel.job.machine;
        let (node, now, bound) =
            (machine.node_name(placement.node), kernel.job_time(), limits.bound(limit));
        let own = kernel.own_number(rank);
        let (posted, unexpected) = limits.lists(rank);
        let lists = format!("{posted} posted receives and {unexpected} unexpected messages");
        let what = match limit {
            Limit::Tag => {
                let tag = limits.high_water(limit).used;
                format!("rank {own} on {node} used tag {tag} at {now}: MPI_TAG_UB is {bound}")
            }
            Limit::MatchEntries => {
                let nic = machine.end_name(LinkEnd::Nic(placement.nic));
                let others = match limits.ranks_on_engine(rank) - 1 {
                    0 => String::new(),
                    1 => " and 1 rank more shares them".into(),
                    n => format!(" and {n} ranks more share them"),
                };
                format!(
                    "match entries used up at {nic} at {now}: all {bound} of a match engine are \
                     taken, where rank {own} on {node} has {lists}{others}. With \
                     FI_CXI_RX_MATCH_MODE={} the provider ends the job there (`LE resources not \
                     recovered during flow control`)",
                    MatchMode::Hardware.name()
                )
            }
            Limit::EventQueue => format!(
                "event queue overflow at {now}: rank {own} on {node} has {lists}; with its sends \
                 that is up to {} events, and its queue has {bound} slots. The provider ends the \
                 job there (`Cassini Event Queue overflow detected`)",
                limits.events(rank)
            ),
            Limit::RendezvousSends => {
                let waiting = self.waiting.iter().filter(|&&waits| waits).count();
                let who = match waiting {
                    1 => "it waits".into(),
                    n => format!("{n} ranks wait"),
                };
                format!(
                    "rendezvous sends used up at {now}: rank {own} on {node} has {bound} in \
                     progress, the maximum, and is blocked in the next; {who}, and no rank receives"
                )
            }
            Limit::Communicators => {
                // The communicator being made is not in use yet.
                let most = self.agreed.0.most - 1;
                let who = match self.agreed.1 {
                    1 => "1 rank makes".into(),
                    n => format!("{n} ranks make"),
                };
                let (why, says) = match u64::from(most) >= bound {
                    true => (format!("all {bound} are in use"), "Too many communicators"),
                    false => (
                        format!("{most} are in use, the most, and none of {bound} is free on all"),
                        "Cannot allocate context ID because of fragmentation",
                    ),
                };
                format!(
                    "context ids used up at {now}: {who} a communicator, and on rank {own} on \
                     {node} {why}. MPI ends the job there (`{says}`)"
                )
            }
            Limit::EagerBuffers => unreachable!("nothing bounds them"),
            Limit::Memory => unreachable!("it is counted when the ranks have ended"),
            Limit::Regions => {
                let nic = machine.end_name(LinkEnd::Nic(placement.nic));
                format!(
                    "match entries used up by registered memory at {nic} at {now}: all {bound} of \
                     a match engine are taken, where rank {own} on {node} has {} windows, {} long \
                     accumulates in progress, {lists}; {} ranks share the engine. None is left for \
                     the next (`FI_ENOSPC`)",
                    limits.regions(rank).0,
                    limits.temporary_regions(rank),
                    limits.ranks_on_engine(rank)
                )
            }
            Limit::PortalTable => {
                let nic = machine.end_name(LinkEnd::Nic(placement.nic));
                format!(
                    "portal table used up at {nic} at {now}: all {bound} entries are taken, where \
                     rank {own} on {node} has {} optimized windows and {} ranks share the NIC. \
                     The window cannot be made there (`FI_ENOSPC`)",
                    limits.regions(rank).1,
                    limits.ranks_on_nic(rank)
                )
            }
            Limit::Requests => {
                let held = limits.high_water(limit).used;
                format!(
                    "requests used up at {now}: rank {own} on {node} has {held} at once, \
                     including complete ones that were not waited for; its library has {bound}. \
                     It ends the job there (`req != NULL`)"
                )
            }
            Limit::CommandQueues => {
                let nic = machine.end_name(LinkEnd::Nic(placement.nic));
                format!(
                    "command queues used up at {nic} at {now}: it has {bound}, one for the \
                     endpoint of each rank, and {} ranks, among them rank {own} on {node}. \
                     MPI_Init fails there (`Unable to allocate CMDQ`)",
                    limits.ranks_on_nic(rank)
                )
            }
        };
        format!("{what}. Fix: {}", limit.workaround())
    }

    /// Ranks blocked in a send, for the list of blocked ranks.
    pub fn waiting_to_send(&self) -> impl Iterator<Item = (u32, String)> {
        let bound = self.limits.bound(Limit::RendezvousSends);
        let waits = self.waiting.iter().zip(0u32..).filter(|(waits, _)| **waits);
        waits.map(move |(_, rank)| {
            (rank, format!("send that waits for one of {bound} rendezvous sends to be received"))
        })
    }

    /// With the number of reductions in switches that timed out.
    pub fn report(&self, reduction_timeouts: u64) -> LimitReport {
        let limits = &self.limits;
        // Memory is counted by the process launcher.
        let counted = Limit::ALL.iter().filter(|&&limit| limit != Limit::Memory);
        let uses = counted.map(|&limit| {
            let high_water = limits.high_water(limit);
            let bound = limits.bound(limit);
            LimitUse {
                limit,
                used: high_water.used,
                fixed: limits.fixed(limit),
                bound: (bound != UNLIMITED).then_some(bound),
                rank: high_water.rank,
            }
        });
        LimitReport {
            uses: uses.collect(),
            exceeded: self.exceeded.clone(),
            flow_controls: self.flow_controls,
            software_ranks: limits.software_ranks(),
            reduction_timeouts,
        }
    }
}
