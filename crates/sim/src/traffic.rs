//! Open-loop synthetic traffic: every NIC generates packets at a constant mean rate, whether or not
//! the network keeps up. The result is the accepted load and the latency. Theory:
//! docs/models/saturation.md.
//!
//! Each load is a simulation of its own: sources, an infinite queue per NIC, one packet per
//! message. Sources start idle, and a window is measured after the warm-up. Sources then continue
//! until every packet of the window has arrived, so that late packets see the same load. That lasts
//! at most as long as warm-up and window did.

use base::{Span, Time};
use machine::{InputError, Machine, NicId};
use net::Counters;
use serde::{Deserialize, Serialize};

use self::world::Load;
use crate::background::Background;
use crate::outcome::{Fidelity, NetworkErrors};
pub use crate::patterns::{Destinations, PATTERNS};

mod histogram;
mod shard_pool;
mod slices;
mod world;

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
}

/// Runs one load of `request` on `threads` cores (0 means one). `finish` selects the end condition.
/// Fails if the request is invalid.
pub fn one_load(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    load: f64,
    finish: Finish,
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> Result<LoadOutcome, Vec<InputError>> {
    one_load_at(machine, fidelity, request, &TrafficSetting::default(), load, finish, tick)
}

/// The same between selected NICs, and with background traffic.
pub fn one_load_at(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    setting: &TrafficSetting,
    load: f64,
    finish: Finish,
    tick: &mut dyn FnMut(Time, u64) -> bool,
) -> Result<LoadOutcome, Vec<InputError>> {
    let destinations = &check(machine, request, setting)?;
    let load = Load { machine, destinations, request, setting, load, finish };
    let threads = request.threads.max(1);
    Ok(match fidelity {
        Fidelity::Packet => load.run::<packet::PacketNetwork>(threads, tick),
        Fidelity::Flow => load.run::<flow::FlowNetwork>(threads, tick),
        Fidelity::LogGp => load.run::<loggp::LogGpNetwork>(threads, tick),
    })
}

/// The destinations of `request`, or all of its input errors.
pub fn check(
    machine: &Machine,
    request: &TrafficRequest,
    setting: &TrafficSetting,
) -> Result<Destinations, Vec<InputError>> {
    let mut input_errors = Vec::new();
    let to = match &setting.nics[..] {
        [] => Destinations::parse(&request.pattern, machine, request.seed),
        nics => Destinations::between(&request.pattern, machine, nics.to_vec(), request.seed),
    };
    if request.loads.is_empty() {
        input_errors.push(InputError::new("loads", "", "one load or more"));
    }
    for &load in &request.loads {
        // Below one in a million a run takes too long; above 16 it only grows queues.
        if !(1e-6..=16.0).contains(&load) {
            let expected = "a fraction of the injection rate, from 0.000001 to 16";
            input_errors.push(InputError::new("load", load.to_string(), expected));
        }
    }
    let most = machine.nic.packet_payload;
    if request.packet_bytes > most {
        let expected = format!("one packet's payload, at most {most} B on this machine");
        input_errors.push(InputError::new("packet", request.packet_bytes.to_string(), expected));
    }
    if request.packet_bytes + machine.nic.packet_overhead == 0 {
        let expected = "1 B or more: packets of this machine have no overhead";
        input_errors.push(InputError::new("packet", "0", expected));
    }
    if request.window == Span::ZERO {
        input_errors.push(InputError::new("time", "0 s", "a time above zero"));
    }
    // Far below 2^32 sequence numbers per source and the clock's 213 days.
    if request.window.0.saturating_add(request.warmup.0) > Span::ms(1_000_000).0 {
        let found = format!("{:e} s", request.window.seconds() + request.warmup.seconds());
        input_errors.push(InputError::new("time", found, "at most 1,000 s with the warm-up"));
    }
    if setting.in_order && !machine.keeps_flows {
        let expected = "a machine whose switches keep flows (switch.flows = \"kept\")";
        input_errors.push(InputError::new("ordered", "yes", expected));
    }
    match to {
        Ok(to) if input_errors.is_empty() => Ok(to),
        Ok(_) => Err(input_errors),
        Err(input_error) => {
            input_errors.insert(0, input_error);
            Err(input_errors)
        }
    }
}
