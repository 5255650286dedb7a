//! What came of a run: plain data.

use crate::background::BackgroundTraffic;
use base::{Digest, Time};
use machine::{NicId, NodeId};
use mpi::limits::{Limit, Matches};
use net::Counters;
use serde::Serialize;
use std::collections::BTreeMap;

/// How closely the network is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fidelity {
    Packet,
    Flow,
    LogGp,
}

impl Fidelity {
    pub const ALL: [Fidelity; 3] = [Fidelity::Packet, Fidelity::Flow, Fidelity::LogGp];

    /// As a user types it.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::Packet => "packet",
            Fidelity::Flow => "flow",
            Fidelity::LogGp => "loggp",
        }
    }
}

/// How a run ended. A user's deadlock is a result, not a panic.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    Finished,
    /// The workload ended itself: an abort, or a process that died.
    Stopped,
    Interrupted,
    /// Nothing can happen any more, and ranks still wait.
    Deadlock(Vec<Blocked>),
    /// The program did what MPI forbids and no rank could go on from.
    Erroneous(Blocked),
    /// The simulated machine failed it: a message that was given up, a node that died.
    Failed(Blocked),
    /// Something was used up of which there is only so much, and no job goes on from that.
    Exhausted(Blocked),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    pub rank: u32,
    pub node: NodeId,
    pub what: String,
}

/// How far a message goes: to a rank of the same node, switch, group, or beyond.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    Node,
    Switch,
    Group,
    Global,
}
impl Distance {
    pub const NAMES: [&str; 4] = ["node", "switch", "group", "global"];
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
    /// Memory of the network model and the event queue.
    pub bytes: u64,
}

/// What one of several jobs did. Times count from the jobs' common start.
#[derive(Clone, Debug, PartialEq)]
pub struct JobOutcome {
    /// Its ranks among those of the run.
    pub first: u32,
    pub ranks: u32,
    /// When its last operation completed.
    pub time: Time,
    /// Of its completions, in its own ranks' numbers: the same wherever it stands among the jobs.
    pub digest: Digest,
    pub by_distance: [(u64, u64); 4],
    /// Packets its NICs sent, and their wire bytes.
    pub packets: u64,
    pub wire_bytes: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub end: End,
    /// From the jobs' start.
    pub time: Time,
    pub digest: Digest,
    pub engine: Engine,
    /// (messages, bytes) by `Distance`.
    pub by_distance: [(u64, u64); 4],
    /// Sorted by sender, then receiver.
    pub pairs: Vec<PairTraffic>,
    pub counters: Counters,
    /// One a job; most runs have one.
    pub jobs: Vec<JobOutcome>,
    pub background: Vec<BackgroundTraffic>,
    pub limit_report: LimitReport,
    /// What the match engines of NICs did, by NIC and engine, where they did anything.
    pub matches: BTreeMap<(NicId, u32), Matches>,
}

/// The most that was in use of something at once.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitUse {
    pub limit: Limit,
    pub used: u64,
    /// Of that, what is in use in any case.
    pub fixed: u64,
    /// None: there is no bound.
    pub bound: Option<u64>,
    /// Whose, among those of the run.
    pub rank: u32,
}

/// A limit that was exceeded, for the first time.
#[derive(Clone, Debug, PartialEq)]
pub struct ExceededLimit {
    pub limit: Limit,
    pub rank: u32,
    pub node: NodeId,
    pub at: Time,
    pub what: String,
}

/// What became of limits.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitReport {
    /// One a limit; of memory, if ranks told what they had.
    pub uses: Vec<LimitUse>,
    pub crossed: Vec<ExceededLimit>,
    /// How often a NIC without entries stopped its senders.
    pub flow_controls: u64,
    /// Ranks whose CPUs matched at the end.
    pub software_ranks: usize,
    /// Reductions whose switches did not wait for the last part.
    pub reduction_timeouts: u64,
}
