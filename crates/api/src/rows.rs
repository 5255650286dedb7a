//! Rows that results of several commands contain.

use serde::Serialize;
use sim::{Engine, RankPlacement, ThreadUse};
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineRow {
    pub events: u64,
    pub packets: u64,
    pub packet_hops: u64,
    pub bytes: u64,
    pub wall_s: f64,
    /// Engines of packet networks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineUseRow>,
    /// Threads of runs that request several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadUseRow>,
}

/// An engine of packet networks, and why it was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct EngineUseRow {
    pub name: &'static str,
    pub reason: &'static str,
}

/// Threads of a run, and why there were fewer than requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ThreadUseRow {
    pub requested: usize,
    pub used: usize,
    pub reason: Option<&'static str>,
}

impl EngineRow {
    pub(crate) fn add(&mut self, e: Engine) {
        self.events += e.events;
        self.packets += e.packets;
        self.packet_hops += e.packet_hops;
        self.bytes = self.bytes.max(e.bytes);
        let used = e.used.map(|used| EngineUseRow { name: used.name(), reason: used.reason });
        self.engines.extend(used.filter(|used| !self.engines.contains(used)));
        let threads = e.threads.map(|threads| {
            let ThreadUse { requested, used, reason } = threads;
            ThreadUseRow { requested, used, reason }
        });
        self.threads.extend(threads.filter(|threads| !self.threads.contains(threads)));
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct FailureRow {
    pub kind: &'static str,
    pub message: String,
    pub ranks: Vec<FailureRank>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FailureRank {
    pub rank: u32,
    pub node: String,
    pub call: Option<String>,
    pub detail: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct RankRow {
    pub rank: u32,
    pub node: String,
    pub compute_s: f64,
    pub waiting_s: f64,
    pub transfer_s: f64,
    /// From the rank's end to the end of the run.
    pub other_s: f64,
    pub messages: u64,
    pub bytes: u64,
}

/// Number of distinct nodes.
pub(super) fn nodes(placements: &[RankPlacement]) -> u32 {
    placements.iter().map(|placed| placed.node.0).collect::<BTreeSet<u32>>().len() as u32
}

/// The function under which the table counts a call: the large-count variant (`MPI_Send_c`, which
/// mpi4py calls) counts as the plain function.
pub(super) fn without_width(function: &str) -> &str {
    function.strip_suffix("_c").unwrap_or(function)
}
