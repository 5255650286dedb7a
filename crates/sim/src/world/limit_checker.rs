//! Effects of the limits of NICs, provider and library: delays, waiting, or the end of the run.
//!
//! `mpi::Limits` counts. This module decides when, how long, and with which message.

use super::{HostEvent, Send, SendId, World};
use crate::outcome::{Blocked, ExceededLimit, LimitReport, LimitUse};
use crate::world::{InFlight, Job, MessageOwner};
use base::{Span, Time};
use machine::{LinkEnd, Machine};
use mpi::Limits;
use mpi::contexts::{Allocation, Contexts};
use mpi::limits::{Limit, MatchMode, Nic, UNLIMITED, Verdict};
use net::NetworkModel;
use workload::{ANY_SOURCE, Call, Context, Workload};

/// Effect of exceeding a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitPolicy {
    /// There are no limits.
    Off,
    /// Report it, and continue as if the limit did not exist.
    Warn,
    /// End the run where the machine would fail.
    Fail,
}

impl LimitPolicy {
    pub const NAMES: [&str; 3] = ["off", "warn", "fail"];
    pub fn from_name(name: &str) -> Option<LimitPolicy> {
        let at = Self::NAMES.iter().position(|&known| known == name)?;
        Some([LimitPolicy::Off, LimitPolicy::Warn, LimitPolicy::Fail][at])
    }
}

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

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// Whether messages from rank `from` arrive through the NIC.
    pub(crate) fn is_remote(&self, at: u32, from: u32) -> bool {
        from == ANY_SOURCE || !self.shares_node(at, from)
    }

    /// Bytes of a message that its receiver buffers until it is received.
    fn held_bytes(&self, send: &Send) -> u64 {
        if send.rendezvous {
            send.bytes.min(self.job.library.rendezvous_eager_part)
        } else {
            send.bytes
        }
    }

    /// Opens the endpoints at the start of the jobs, if their ranks' NICs have room for them.
    pub(super) fn open_endpoints(&mut self) {
        if let Some((rank, limit)) = self.limit_checker.limits.start() {
            self.report_exceeded(rank, limit);
        }
    }

    /// Registers or deregisters memory of a rank for remote access.
    pub(super) fn region(&mut self, rank: u32, held: bool, optimized: bool) {
        let rank = self.representative(rank);
        if held {
            let verdict = self.limit_checker.limits.register(rank, optimized);
            self.apply_verdict(rank, verdict);
        } else {
            self.limit_checker.limits.deregister(rank, optimized);
        }
    }

    /// The rank has joined a communicator.
    pub(super) fn joined(&mut self, rank: u32, context: Context) {
        let key = (self.job_of(rank), context);
        let (first, members) = (self.first_rank(key.0), self.workload.members(key.0, context));
        if !self.limit_checker.contexts.join(key, members.len()) {
            return;
        }
        let members: Vec<u32> = members.iter().map(|&member| first + member).collect();
        if let Some(agreed) = self.limit_checker.contexts.agree(key, &members) {
            self.limit_checker.agreed = (agreed, members.len());
            let verdict = self.limit_checker.limits.context(agreed.rank, agreed.id);
            self.apply_verdict(agreed.rank, verdict);
        }
    }
    /// The rank has freed it.
    pub(super) fn left(&mut self, rank: u32, context: Context) {
        let key = (self.job_of(rank), context);
        self.limit_checker.contexts.leave(key, rank);
    }

    /// The library executes a one-sided operation with messages. If it is long, the peer reads the
    /// data from memory that stays registered until the peer reports completion.
    pub(crate) fn register_temporary(&mut self, rank: u32, bytes: u64) {
        if bytes > self.job.library.am_eager_max {
            let rank = self.representative(rank);
            let verdict = self.limit_checker.limits.register_temporary(rank);
            self.apply_verdict(rank, verdict);
        }
    }
    pub(crate) fn deregister_temporary(&mut self, rank: u32, bytes: u64) {
        if bytes > self.job.library.am_eager_max {
            self.limit_checker.limits.deregister_temporary(self.representative(rank));
        }
    }

    /// The rank's number of requests has reached a new maximum.
    pub(super) fn requests(&mut self, rank: u32, held: u32) {
        let rank = self.representative(rank);
        let verdict = self.limit_checker.limits.request(rank, held);
        self.apply_verdict(rank, verdict);
    }

    /// A receive is posted at the rank's NIC for messages from `from`.
    pub(crate) fn posted(&mut self, at: u32, from: u32) {
        if self.is_remote(at, from) {
            let at = self.representative(at);
            let verdict = self.limit_checker.limits.post(at);
            self.apply_verdict(at, verdict);
        }
    }
    /// It has matched or was cancelled.
    pub(crate) fn unposted(&mut self, at: u32, from: u32) {
        if self.is_remote(at, from) {
            self.limit_checker.limits.remove_posted(self.representative(at));
        }
    }

    /// A message has arrived; `is_expected` if a receive was posted for it.
    #[inline]
    pub(crate) fn message_arrived(&mut self, id: SendId, is_expected: bool) {
        let Send { to, rendezvous, same_node, .. } = self.sends[id];
        if !same_node {
            self.limit_checker.limits.message_arrived(
                self.representative(to),
                is_expected,
                rendezvous,
            );
        }
    }

    /// An unexpected message has arrived through the NIC and is buffered.
    pub(crate) fn hold_unexpected(&mut self, id: SendId) {
        let send = self.sends[id];
        if !send.same_node {
            let bytes = self.held_bytes(&send);
            let at = self.representative(send.to);
            let verdict = self.limit_checker.limits.add_unexpected(at, bytes);
            self.apply_verdict(at, verdict);
        }
    }
    /// It has been received, or reserved by a probe.
    pub(crate) fn release_unexpected(&mut self, id: SendId) {
        let send = self.sends[id];
        if !send.same_node {
            let bytes = self.held_bytes(&send);
            self.limit_checker.limits.take(self.representative(send.to), bytes);
        }
    }

    /// If the rank's CPU matches: it has searched `elements` list elements.
    pub(crate) fn searched(&mut self, rank: u32, elements: usize) {
        let rank = self.representative(rank);
        if self.limit_checker.limits.is_software(rank) {
            self.walk(rank, elements as u64);
        }
    }

    fn walk(&mut self, rank: u32, elements: u64) -> Time {
        self.occupy_cpu(rank, Span(self.limit_checker.element.0.saturating_mul(elements)))
    }

    pub(crate) fn tagged(&mut self, rank: u32, context: u32, tag: i32) {
        // Internal messages of the library have their own tags.
        if context & workload::wire::PRIVATE_CONTEXT == 0 {
            let verdict = self.limit_checker.limits.tag(rank, tag);
            self.apply_verdict(rank, verdict);
        }
    }

    #[inline]
    fn apply_verdict(&mut self, rank: u32, verdict: Verdict) {
        if verdict != Verdict::Fits {
            self.enforce(rank, verdict);
        }
    }

    #[cold]
    fn enforce(&mut self, rank: u32, verdict: Verdict) {
        match verdict {
            Verdict::Fits => {}
            Verdict::ToSoftware { moved } => _ = self.walk(rank, moved),
            Verdict::FlowControl { moved } => {
                self.limit_checker.flow_controls += 1;
                let moved = self.walk(rank, moved);
                self.limit_checker.closed.resize(self.job.placements.len(), Time::ZERO);
                self.limit_checker.closed[rank as usize] = moved + self.limit_checker.flow_control;
            }
            Verdict::Exceeded(limit) => self.report_exceeded(rank, limit),
        }
    }

    /// A message that arrives while the receiver's endpoint rejects messages is sent again later.
    /// Returns whether that was so.
    #[inline]
    pub(crate) fn deferred_by_flow_control(&mut self, in_flight: InFlight, to: u32) -> bool {
        if self.limit_checker.closed.is_empty() {
            return false;
        }
        let to = self.representative(to);
        let open = self.limit_checker.closed[to as usize];
        if open <= self.now {
            return false;
        }
        self.schedule(to, open, HostEvent::Arrive(MessageOwner::Send(in_flight)));
        true
    }

    /// Takes the NIC resources of a send; returns whether they were available.
    pub(crate) fn claim_send(&mut self, at: u32, to: u32, bytes: u64) -> bool {
        let by_nic = !self.shares_node(at, to);
        !(by_nic && self.wants_rendezvous(false, bytes))
            || self.limit_checker.limits.claim_rendezvous(at)
    }

    /// The rank stays in this call until one of its sends completes: the provider returns "again",
    /// and the library retries.
    #[cold]
    pub(crate) fn block_send(&mut self, call: Call) {
        self.limit_checker.waiting[call.rank as usize] = true;
        self.put_back(call);
    }

    /// A rendezvous over the network is complete.
    pub(crate) fn release_rendezvous(&mut self, send: &Send) {
        self.limit_checker.limits.release_rendezvous_id(send.from);
        self.limit_checker.limits.sent(send.from);
        if std::mem::take(&mut self.limit_checker.waiting[send.from as usize]) {
            let rank = &mut self.ranks[send.from as usize];
            rank.cpu = rank.cpu.max(self.now);
            self.schedule(send.from, self.now, HostEvent::Execute);
        }
    }

    /// No rank can continue. If a limit is the reason, and the policy is not `Fail`, waives the
    /// limit. Returns whether it did.
    pub(super) fn waive_limit(&mut self) -> bool {
        let waiting: Vec<u32> = self.waiting_to_send().map(|(rank, _)| rank).collect();
        if self.limit_checker.policy == LimitPolicy::Fail || waiting.is_empty() {
            return false;
        }
        self.report_exceeded(waiting[0], Limit::RendezvousSends);
        self.limit_checker.limits.stop_waiting_for_rendezvous();
        for rank in waiting {
            self.limit_checker.waiting[rank as usize] = false;
            self.schedule(rank, self.now, HostEvent::Execute);
        }
        true
    }

    /// No rank can continue. Returns the rank that lacks a resource, if a limit is the reason.
    pub(super) fn blocked_by_limit(&mut self) -> Option<Blocked> {
        let rank = self.limit_checker.waiting.iter().position(|&waits| waits)? as u32;
        self.report_exceeded(rank, Limit::RendezvousSends);
        self.limit_checker.exceeded.last().map(|exceeded| Blocked {
            rank,
            node: self.job.placements[rank as usize].node,
            what: exceeded.what.clone(),
        })
    }

    #[cold]
    fn report_exceeded(&mut self, rank: u32, limit: Limit) {
        let node = self.job.placements[rank as usize].node;
        if !self.limit_checker.exceeded.iter().any(|exceeded| exceeded.limit == limit) {
            let what = self.describe_exceeded(rank, limit);
            self.limit_checker.exceeded.push(ExceededLimit {
                limit,
                rank,
                node,
                at: self.job_time(),
                what,
            });
        }
        if self.limit_checker.policy == LimitPolicy::Fail && !self.limit_checker.is_exhausted() {
            let what = self.limit_checker.exceeded.last().expect("there is one now").what.clone();
            self.limit_checker.exhaust(Blocked { rank, node, what });
        }
    }

    fn describe_exceeded(&self, rank: u32, limit: Limit) -> String {
        let limits = &self.limit_checker.limits;
        let placement = self.job.placements[rank as usize];
        let machine = &self.job.machine;
        let (node, now, bound) =
            (machine.node_name(placement.node), self.job_time(), limits.bound(limit));
        let own = self.own_number(rank);
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
                let waiting = self.limit_checker.waiting.iter().filter(|&&waits| waits).count();
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
                let most = self.limit_checker.agreed.0.most - 1;
                let who = match self.limit_checker.agreed.1 {
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
    pub(super) fn waiting_to_send(&self) -> impl Iterator<Item = (u32, String)> {
        let bound = self.limit_checker.limits.bound(Limit::RendezvousSends);
        let waits = self.limit_checker.waiting.iter().zip(0u32..).filter(|(waits, _)| **waits);
        waits.map(move |(_, rank)| {
            (rank, format!("send that waits for one of {bound} rendezvous sends to be received"))
        })
    }

    pub(super) fn limit_report(&self) -> LimitReport {
        let limits = &self.limit_checker.limits;
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
            exceeded: self.limit_checker.exceeded.clone(),
            flow_controls: self.limit_checker.flow_controls,
            software_ranks: limits.software_ranks(),
            reduction_timeouts: self.offload.timeouts,
        }
    }
}
