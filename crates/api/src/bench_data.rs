//! The request and the result of `odonata bench`.

use super::bars::{Band, ReplicaRow};
use super::calls::SampleRow;
use super::rows::{EngineRow, FailureRow};
use super::timeline::TimelineRow;
use super::vocabulary::defaults;
use super::{Common, CongestionRow, CounterRow, Fidelity, LimitsRow, LinkKindRow, NetworkErrors};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize)]
pub struct BenchRequest {
    #[serde(flatten)]
    pub common: Common,
    pub name: String,
    pub nodes: u32,
    pub ppn: u32,
    /// Message sizes, bytes.
    pub sizes: Vec<u64>,
    /// Variables that select algorithms (`MPIR_CVAR_*`).
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// Memory of the buffers: `host` or `gpu`.
    #[serde(default)]
    pub buffers: Option<String>,
    /// Messages in flight per pair, in bandwidth benchmarks.
    #[serde(default)]
    pub window: Option<u32>,
    /// Number of shifts of `put_alltoall` to simulate.
    #[serde(default)]
    pub shifts: Option<u32>,
    /// Message budget: of one call of a collective in closed form, and of one iteration of a fabric
    /// test. Larger ones are sampled.
    #[serde(default = "defaults::messages")]
    pub messages: u64,
    /// Whether to estimate the error of a collective's time from scaled-down replicas.
    #[serde(default)]
    pub error_bars: bool,
    /// Packet budget of one call on a replica; the default takes a second or two.
    #[serde(rename = "twin_packets", default = "defaults::replica_packets")]
    pub replica_packets: u64,
    /// With fidelity `auto`: maximum extent of the error bars, relative to the time.
    #[serde(default)]
    pub tolerance: Option<f64>,
}

#[derive(Clone, Debug, Default, Serialize, PartialEq)]
pub struct BenchRow {
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_s: Option<f64>,
    /// Collectives: mean time of the fastest and of the slowest rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_min_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_max_s: Option<f64>,
    #[serde(rename = "bandwidth_B_per_s", skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_per_s: Option<f64>,
    /// 99th percentile over the iterations of all ranks, for GPCNeT's tests and `bisect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p99_s: Option<f64>,
    #[serde(rename = "bandwidth_p99_B_per_s", skip_serializing_if = "Option::is_none")]
    pub bandwidth_p99: Option<f64>,
    /// Collective algorithm selected by the library's rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Collectives and `put_alltoall`: how many of the rounds and ranks are simulated.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleRow>,
    /// Error bars of the time, if requested.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub band: Option<Band>,
    /// Accepted background load, as a fraction of the injection rate of its nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_accepted: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct BenchResult {
    pub name: String,
    pub machine: String,
    pub fidelity: Fidelity,
    pub mpi: String,
    pub ranks: u32,
    pub nodes: u32,
    pub rows: Vec<BenchRow>,
    /// Scaled-down replicas that were run for error bars.
    #[serde(rename = "twins", skip_serializing_if = "Vec::is_empty")]
    pub replicas: Vec<ReplicaRow>,
    /// Fidelities that `auto` tried, and its choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CandidateRow>,
    /// Digests of all simulations, combined in the order of the sizes.
    pub digest: String,
    pub engine: EngineRow,
    /// The caller stopped the run; `rows` has the finished sizes.
    pub interrupted: bool,
    /// The simulated machine failed; `rows` has the finished sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureRow>,
    /// Maximum use of all limited resources; none if nothing was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsRow>,
    /// On a machine with a fault schedule; all sizes together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkErrors>,
    /// The same on a machine whose switches manage congestion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<CongestionRow>,
    /// All sizes together: counters of the NICs of the ranks' nodes, and links by kind. Empty if a
    /// call was sampled.
    pub counter_table: Vec<CounterRow>,
    pub link_kinds: Vec<LinkKindRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineRow>,
    /// Rules for this collective that are not applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A fidelity that was tried, and the result.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct CandidateRow {
    pub fidelity: Fidelity,
    pub is_chosen: bool,
    /// The deciding size and its error bars. Packets have none: they are the reference.
    pub bytes: Option<u64>,
    pub band_low: Option<f64>,
    pub band_high: Option<f64>,
    pub why: String,
}
