//! Requests for synthetic traffic, and their results.

use base::{Span, Time};
use machine::NicId;
use net::Counters;
use serde::{Deserialize, Serialize};

use crate::background::Background;
use crate::engine::EngineChoice;
use crate::outcome::NetworkErrors;

/// A sweep over offered loads.
#[derive(Clone, Debug)]
pub struct TrafficRequest {
    /// One of `PATTERNS`.
    pub pattern: String,
    /// Offered wire bytes as a fraction of the capacity of the injection links.
    pub loads: Vec<f64>,
    /// Payload of a packet, bytes.
    pub packet_bytes: u64,
    pub warmup: Span,
    /// Duration of the measurement, after the warm-up.
    pub window: Span,
    pub seed: u64,
    /// Cores to use, 0 for all. Loads run in parallel; remaining cores share the simulation of each
    /// load. Never changes a result.
    pub threads: usize,
    /// Never changes a result either.
    pub engine: EngineChoice,
}

impl TrafficRequest {
    /// The run ends at this time at the latest, except with `Finish::Empty`.
    pub(super) fn latest_end(&self) -> Time {
        Time::ZERO + (self.warmup + self.window) * 2
    }
}

/// The engine of a load, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Engine {
    pub uses_windows: bool,
    pub reason: &'static str,
    /// Of the window engine: why it handles all events of a switch (`des::Units`) and not only the
    /// arrivals of packets (`packet::Turns`), which is faster.
    pub general: Option<&'static str>,
}

impl Engine {
    /// The name in the user interface.
    pub fn name(self) -> &'static str {
        if self.uses_windows { "window" } else { "event" }
    }
}

/// NICs, class and background of the measured traffic.
#[derive(Clone, Debug, Default)]
pub struct TrafficSetting {
    /// Participating NICs in ascending order; empty for all NICs of compute nodes.
    pub nics: Vec<NicId>,
    /// Traffic of other nodes. It loads the network but is not counted.
    pub background: Vec<Background>,
    /// Virtual network of the measured traffic's class.
    pub vnet: u8,
    /// Whether packets between two NICs must arrive in the order in which they were sent.
    pub in_order: bool,
    /// Number of equal parts of the window that are reported separately; 0 for none.
    pub slices: u32,
}

/// Result of one load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrafficRow {
    pub offered: f64,
    /// Wire bytes delivered in the window, as a fraction of the capacity of the injection links.
    pub accepted: f64,
    /// From generation to delivery, of packets generated in the window and delivered before the
    /// end. The mean is exact; percentiles come from a histogram and are within 0.4 %.
    pub latency_mean_s: f64,
    pub latency_p50_s: f64,
    pub latency_p99_s: f64,
    /// Mean number of switches visited by the packets that arrived in the window.
    pub hops_mean: f64,
    pub nonminimal_fraction: f64,
    /// Packets generated in the window, and those of them still in flight at the end.
    pub packets: u64,
    pub unfinished: u64,
    /// Mean and percentile including packets in flight at the end, with their age then. If there
    /// are any, these are lower bounds.
    pub least_mean_s: f64,
    pub least_p99_s: f64,
    /// Latencies of the same packets without background traffic, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_mean_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_p99_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<BackgroundLoad>,
    /// Over the whole run: times a NIC's link became congested, and times a sender was throttled
    /// for it.
    pub onsets: u64,
    pub holds: u64,
    /// Digest of all deliveries of the run.
    pub digest: String,
    /// On a machine with a fault schedule.
    #[serde(flatten)]
    pub network: Option<NetworkErrors>,
    /// Results per part of the window, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceRow>,
}

/// Traffic that arrived in one part of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceRow {
    /// Since the start of the run, including the warm-up, as in a fault schedule.
    pub begin_s: f64,
    pub end_s: f64,
    /// Wire bytes delivered, as a fraction of the capacity of the injection links.
    pub accepted: f64,
    pub packets: u64,
    /// Of packets that arrived in this part.
    pub latency_mean_s: f64,
    pub latency_max_s: f64,
}

/// Result of background traffic beside the measured traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackgroundLoad {
    pub pattern: String,
    pub offered: f64,
    /// Wire bytes that arrived in the window, as a fraction of the capacity of the senders' links.
    pub accepted: f64,
    /// If all sources send to one NIC: utilization of its link in the window, including partial
    /// messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<f64>,
}

/// End condition of the run of one load.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// When all packets of the window have arrived, or after as long again as warm-up and window.
    Measured,
    /// Sources stop at the end of the window. The run continues until the network is empty, and
    /// then checks its conservation invariants.
    Empty,
}

/// Result of the simulation of one load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOutcome {
    pub row: TrafficRow,
    pub events: u64,
    /// Packets generated in the whole run, and the counters of the network.
    pub generated: u64,
    pub counters: Counters,
    /// Simulated time: warm-up, window, and the time after it.
    pub took: Span,
    pub bytes: usize,
    pub interrupted: bool,
    /// Of a packet network.
    pub engine: Option<Engine>,
}
