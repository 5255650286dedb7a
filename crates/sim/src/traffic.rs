//! Open-loop synthetic traffic: every NIC sends packets at a rate of its own, whatever becomes of
//! them, and the network shows what it carries. Theory beside it: docs/models/saturation.md.
//!
//! A load is a world of its own: sources, an infinite queue at every NIC, one packet a message.
//! Sources start at rest; after the warm-up a window is measured; sources then go on until every
//! packet of the window has arrived, for at most as long again, so late packets meet the same load.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use base::{Span, Time};
use machine::{InputError, Machine, NicId, NodeId};
use net::Counters;
use serde::{Deserialize, Serialize};

use self::world::Load;
use crate::api::{
    Congested, CongestionRow, CounterRow, LinkKindRow, NetworkRow, Tally, links, of_nodes,
};
use crate::background::Background;
use crate::outcome::Fidelity;
pub use crate::patterns::{Destinations, PATTERNS};
use crate::world::Progress;

mod histogram;
mod shard_pool;
mod slices;
mod world;

/// A sweep over offered loads.
#[derive(Clone, Debug)]
pub struct TrafficRequest {
    /// One of `PATTERNS`.
    pub pattern: String,
    /// Offered wire bytes as a fraction of what the injection links carry.
    pub loads: Vec<f64>,
    /// Payload of a packet.
    pub packet_bytes: u64,
    pub warmup: Span,
    /// What is measured, after the warm-up.
    pub window: Span,
    pub seed: u64,
    /// Cores to use, 0 for all: loads go side by side, and what cores are left share the world of
    /// each. Never changes a result.
    pub threads: usize,
}

/// Where traffic takes place, and beside what.
#[derive(Clone, Debug, Default)]
pub struct TrafficSetting {
    /// The NICs it is between, in the order of their numbers; none for all of compute nodes.
    pub nics: Vec<NicId>,
    /// What other nodes send meanwhile: in the way of what is measured, and not counted.
    pub background: Vec<Background>,
    /// The virtual network of the traffic class of what is measured.
    pub vnet: u8,
    /// Whether packets between two NICs are to arrive as they were sent.
    pub in_order: bool,
    /// Into how many equal parts the window is cut, to see what changes; none if 0.
    pub slices: u32,
}

/// What came of one load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrafficRow {
    pub offered: f64,
    /// Wire bytes delivered in the window, as a fraction of what the injection links carry.
    pub accepted: f64,
    /// From generation to delivery, packets generated in the window and delivered before the end.
    /// The mean is exact; percentiles come from a histogram and are within 0.4 %.
    pub latency_mean_s: f64,
    pub latency_p50_s: f64,
    pub latency_p99_s: f64,
    /// Switches visited by a packet, mean over those that arrived in the window.
    pub hops_mean: f64,
    pub nonminimal_fraction: f64,
    /// Packets generated in the window, and those of them still under way at the end.
    pub packets: u64,
    pub unfinished: u64,
    /// Mean and percentile with those still under way at the age they have then: if there are any,
    /// what latencies are at least.
    pub least_mean_s: f64,
    pub least_p99_s: f64,
    /// Latencies of the same packets without the background, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_mean_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_p99_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<BackgroundLoad>,
    /// Times a NIC's link became congested, and times a sender was told to hold back for it,
    /// over the whole run.
    pub onsets: u64,
    pub holds: u64,
    /// Fingerprint of every delivery of the run.
    pub digest: String,
    /// On a machine with a plan of faults.
    #[serde(flatten)]
    pub network: Option<NetworkRow>,
    /// The window part by part, where it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceRow>,
}

/// What arrived in a part of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceRow {
    /// From the run's begin, warm-up included, as a plan of faults counts.
    pub begin_s: f64,
    pub end_s: f64,
    /// Wire bytes delivered, as a fraction of what the injection links carry.
    pub accepted: f64,
    pub packets: u64,
    /// Of those that arrived then.
    pub latency_mean_s: f64,
    pub latency_max_s: f64,
}

/// What became of traffic beside the one measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackgroundLoad {
    pub pattern: String,
    pub offered: f64,
    /// Wire bytes that arrived in the window, as a fraction of what its senders' links carry.
    pub accepted: f64,
    /// Where all send to one: how busy the window saw its link, whole messages or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receiver: Option<f64>,
}

/// What it cost to find out, all loads together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficEngine {
    pub events: u64,
    pub packets: u64,
    pub packet_hops: u64,
    pub wall_s: f64,
    /// Memory of the network, the queue and the sources of the largest world, per NIC.
    pub bytes_per_endpoint: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrafficResult {
    pub pattern: String,
    pub machine: String,
    pub fidelity: String,
    /// The word for the routing in force.
    pub routing: String,
    /// In the order of the loads asked for; those finished, if interrupted.
    pub rows: Vec<TrafficRow>,
    /// Of all of them together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<CongestionRow>,
    /// All loads together, warm-ups too: of the NICs of the nodes traffic is between, and by kind
    /// of link.
    pub counter_table: Vec<CounterRow>,
    pub link_kinds: Vec<LinkKindRow>,
    pub interrupted: bool,
    pub engine: TrafficEngine,
}

/// When a run of one load is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// Once the window's packets have arrived, or have had as long as warm-up and window took.
    Measured,
    /// Sources stop with the window, and the run lasts until the network is empty and its laws of
    /// conservation have been checked.
    Empty,
}

/// What one world did.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadOutcome {
    pub row: TrafficRow,
    pub events: u64,
    /// Packets generated in the whole run, and what the network counted.
    pub generated: u64,
    pub counters: Counters,
    /// How long it took: warm-up, window, and what came after.
    pub took: Span,
    pub bytes: usize,
    pub interrupted: bool,
}

/// Runs one load of `request` on its own, on `threads` cores (one if that is 0); `finish` says how
/// it ends.
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

/// The same between some NICs, and beside other traffic.
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

/// Everything that is wrong with `request`, or who sends to whom.
pub(crate) fn check(
    machine: &Machine,
    request: &TrafficRequest,
    setting: &TrafficSetting,
) -> Result<Destinations, Vec<InputError>> {
    let mut input_errors = Vec::new();
    let to = match &setting.nics[..] {
        [] => Destinations::parse(&request.pattern, machine, request.seed),
        nics => Destinations::among(&request.pattern, machine, nics.to_vec(), request.seed),
    };
    if request.loads.is_empty() {
        input_errors.push(InputError::new("loads", "", "one load or more"));
    }
    for &load in &request.loads {
        // Below one in a million a run is longer than anybody waits; above 16 it only queues.
        if !(1e-6..=16.0).contains(&load) {
            let wanted = "a fraction of the injection rate, from 0.000001 to 16";
            input_errors.push(InputError::new("load", load.to_string(), wanted));
        }
    }
    let most = machine.nic.packet_payload;
    if request.packet_bytes > most {
        let wanted = format!("one packet's payload, at most {most} B on this machine");
        input_errors.push(InputError::new("packet", request.packet_bytes.to_string(), wanted));
    }
    if request.packet_bytes + machine.nic.packet_overhead == 0 {
        let wanted = "1 B or more: packets of this machine have no overhead";
        input_errors.push(InputError::new("packet", "0", wanted));
    }
    if request.window == Span::ZERO {
        input_errors.push(InputError::new("time", "0 s", "a time above zero"));
    }
    // 2^32 sequence numbers of a source, and the clock's 213 days, are far beyond this.
    if request.window.0.saturating_add(request.warmup.0) > Span::ms(1_000_000).0 {
        let found = format!("{:e} s", request.window.seconds() + request.warmup.seconds());
        input_errors.push(InputError::new("time", found, "at most 1,000 s with the warm-up"));
    }
    if setting.in_order && !machine.keeps_flows {
        let wanted = "a machine whose switches keep flows (switch.flows = \"kept\")";
        input_errors.push(InputError::new("ordered", "yes", wanted));
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

/// What a thread says to the one who waits.
enum WorkerMessage {
    Progress { index: usize, now: Time, events: u64 },
    Done { index: usize, outcome: Box<LoadOutcome> },
}

/// Runs all loads of `request`. `tick` hears of progress and says whether to go on.
pub fn traffic(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TrafficResult, Vec<InputError>> {
    traffic_at(machine, fidelity, request, &TrafficSetting::default(), tick)
}

/// The same between some NICs, and beside other traffic.
pub fn traffic_at(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    setting: &TrafficSetting,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TrafficResult, Vec<InputError>> {
    check(machine, request, setting)?;
    #[allow(clippy::disallowed_methods)] // Real time, reported beside the results.
    let began = Instant::now();
    let n = request.loads.len();
    let threads = match request.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    };
    let workers = threads.min(n);
    // Cores that find no load of their own share the worlds of the others.
    let request = &TrafficRequest { threads: threads / workers, ..request.clone() };
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut outcomes: Vec<Option<LoadOutcome>> = vec![None; n];
    std::thread::scope(|scope| {
        let (updates, inbox) = mpsc::channel();
        for _ in 0..workers {
            let (updates, next, stop) = (updates.clone(), &next, &stop);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= n || stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let mut report = |now, events| {
                        let _ = updates.send(WorkerMessage::Progress { index, now, events });
                        !stop.load(Ordering::Relaxed)
                    };
                    let load = request.loads[index];
                    let finish = Finish::Measured;
                    let done =
                        one_load_at(machine, fidelity, request, setting, load, finish, &mut report);
                    let outcome = Box::new(done.expect("the request was checked"));
                    let _ = updates.send(WorkerMessage::Done { index, outcome });
                }
            });
        }
        drop(updates);
        // Simulated time and events of all worlds together.
        let mut sums = vec![(Time::ZERO, 0); n];
        for message in inbox {
            match message {
                WorkerMessage::Progress { index, now, events } => {
                    sums[index] = (now, events);
                    let now = Time(sums.iter().map(|s| s.0.0).sum());
                    let events = sums.iter().map(|s| s.1).sum();
                    if !tick(Progress::at(now, events)) {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                WorkerMessage::Done { index, outcome } => outcomes[index] = Some(*outcome),
            }
        }
    });
    let finished = || outcomes.iter().flatten();
    let bytes = finished().map(|o| o.bytes).max().unwrap_or(0);
    let engine = TrafficEngine {
        events: finished().map(|o| o.events).sum(),
        packets: finished().map(|o| o.counters.delivered_packets).sum(),
        packet_hops: finished().map(|o| o.counters.hops).sum(),
        wall_s: began.elapsed().as_secs_f64(),
        bytes_per_endpoint: bytes as f64 / f64::from(machine.n_nics()),
    };
    let mut congestion = Congested::default();
    let mut tally = Tally::default();
    finished().for_each(|o| {
        congestion.add(&o.counters);
        tally.add_traffic(&o.counters, o.took);
    });
    let nics = match &setting.nics[..] {
        [] => (0..machine.node_nics[NodeId(machine.compute_nodes)]).map(NicId).collect(),
        some => of_nodes(machine, some.iter().copied()),
    };
    let rows: Vec<TrafficRow> =
        finished().filter(|o| !o.interrupted).map(|o| o.row.clone()).collect();
    Ok(TrafficResult {
        pattern: request.pattern.clone(),
        machine: machine.name.clone(),
        fidelity: fidelity.name().into(),
        routing: machine.routing_name.clone(),
        interrupted: rows.len() < n,
        rows,
        congestion: CongestionRow::of(machine, fidelity, &congestion),
        counter_table: tally.rows(machine, fidelity, &nics),
        link_kinds: links(machine, &tally).1,
        engine,
    })
}
