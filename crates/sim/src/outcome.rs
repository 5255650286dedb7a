//! The result of a run, as plain data.

use crate::background::BackgroundTraffic;
use crate::engine::{EngineUse, ThreadUse};
use crate::file_systems::FileSystemOutcome;
use base::{Digest, Time};
use machine::{Machine, NicId, NodeId};
use mpi::limits::{Limit, Matches};
use net::Counters;
use serde::Serialize;
use std::collections::BTreeMap;

/// Level of detail of the network model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fidelity {
    Packet,
    Flow,
    LogGp,
}

impl Fidelity {
    pub const ALL: [Fidelity; 3] = [Fidelity::Packet, Fidelity::Flow, Fidelity::LogGp];

    /// The name in the user interface.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::Packet => "packet",
            Fidelity::Flow => "flow",
            Fidelity::LogGp => "loggp",
        }
    }
}

/// How a run ended. A deadlock of the user's program is a result, not a panic.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    Finished,
    /// The workload ended itself: an abort, or a process that died.
    Stopped,
    Interrupted,
    /// No event is left, and some ranks are still blocked.
    Deadlock(Vec<Blocked>),
    /// The program made an erroneous MPI call that no rank can continue from.
    Erroneous(Blocked),
    /// The simulated machine failed: a message was given up, or a node went down.
    Failed(Blocked),
    /// A limited resource was exhausted, and the job cannot continue.
    Exhausted(Blocked),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    pub rank: u32,
    pub node: NodeId,
    pub what: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairTraffic {
    pub from: u32,
    pub to: u32,
    pub messages: u32,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Engine {
    pub events: u64,
    pub packets: u64,
    pub packet_hops: u64,
    /// Memory of the network model and the event queue, bytes.
    pub bytes: u64,
    /// How packets were simulated, at this fidelity.
    pub used: Option<EngineUse>,
    /// If the job has several threads.
    pub threads: Option<ThreadUse>,
}

/// Result of one job. Times count from the common start of the jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct JobOutcome {
    /// First rank of the job, in the numbering of the run.
    pub first: u32,
    pub ranks: u32,
    /// Time of the last completion.
    pub time: Time,
    /// Digest of the job's completions, with job-local rank numbers. It does not depend on the
    /// job's position among the jobs.
    pub digest: Digest,
    pub by_distance: [(u64, u64); 4],
    /// Packets sent by the NICs of the job's ranks, and their wire bytes.
    pub packets: u64,
    pub wire_bytes: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub end: End,
    /// Since the start of the jobs.
    pub time: Time,
    pub digest: Digest,
    pub engine: Engine,
    /// (messages, bytes) by `machine::Distance`.
    pub by_distance: [(u64, u64); 4],
    /// Sorted by sender, then receiver.
    pub pairs: Vec<PairTraffic>,
    pub counters: Counters,
    /// One entry per job; most runs have one.
    pub jobs: Vec<JobOutcome>,
    pub background: Vec<BackgroundTraffic>,
    pub limit_report: LimitReport,
    /// Counts of the match engines that were used, by NIC and engine.
    pub matches: BTreeMap<(NicId, u32), Matches>,
    /// One entry per file system that was called, by number.
    pub file_systems: Vec<FileSystemOutcome>,
}

/// Maximum use of one limited resource at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitUse {
    pub limit: Limit,
    pub used: u64,
    /// The part of `used` that is always in use.
    pub fixed: u64,
    /// `None`: unbounded.
    pub bound: Option<u64>,
    /// The rank with the maximum, in the numbering of the run.
    pub rank: u32,
}

/// First time at which a limit was exceeded.
#[derive(Clone, Debug, PartialEq)]
pub struct ExceededLimit {
    pub limit: Limit,
    pub rank: u32,
    pub node: NodeId,
    pub at: Time,
    pub what: String,
}

/// Use of all limited resources.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitReport {
    /// One entry per limit; for memory, if ranks reported their memory.
    pub uses: Vec<LimitUse>,
    pub exceeded: Vec<ExceededLimit>,
    /// Times a NIC without free entries applied flow control to its senders.
    pub flow_controls: u64,
    /// Ranks matched in software at the end of the run.
    pub software_ranks: usize,
    /// Reductions in switches that timed out before the last contribution.
    pub reduction_timeouts: u64,
}

/// Network errors that an MPI library reports at the end of a job, on a machine with a fault
/// schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NetworkErrors {
    /// Packet timers of NICs that expired: Cray MPICH's "network timeouts", `spt_timeouts` of the
    /// retry handler.
    pub network_timeouts: u64,
    pub packets_lost: u64,
    pub packets_resent: u64,
    /// Packets that a link sent again after a bit error: `llr_tx_replay_event`.
    pub link_retries: u64,
    pub messages_failed: u64,
}

impl NetworkErrors {
    pub fn of(counters: &Counters) -> NetworkErrors {
        NetworkErrors {
            network_timeouts: counters.timeouts,
            packets_lost: counters.lost_packets,
            packets_resent: counters.resent_packets,
            link_retries: counters.link_retries,
            messages_failed: counters.failed_messages,
        }
    }
    /// Adds those of another run.
    pub fn add(&mut self, other: NetworkErrors) {
        self.network_timeouts += other.network_timeouts;
        self.packets_lost += other.packets_lost;
        self.packets_resent += other.packets_resent;
        self.link_retries += other.link_retries;
        self.messages_failed += other.messages_failed;
    }
    /// Of a run on a machine with a fault schedule.
    pub fn of_run(machine: &Machine, outcome: &Outcome) -> Option<NetworkErrors> {
        machine.faults.as_ref().map(|_| NetworkErrors::of(&outcome.counters))
    }
}
