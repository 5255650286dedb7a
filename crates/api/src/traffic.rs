//! Requests for synthetic traffic. Each offered load is a simulation of its own, on worker threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Instant;

use base::{Span, Time};
use machine::placement::{self, FreeNodes};
use machine::{InputError, Machine, NicId, NicPolicy, NodeId};
use serde::{Deserialize, Serialize};
use sim::traffic::{
    EngineChoice, Finish, LoadOutcome, TrafficRequest, TrafficRow, TrafficSetting, check,
    one_load_at, one_load_with_timeline,
};
use sim::{Fidelity, Progress};

use super::{Common, background, classes, engine_name, fidelity, machine_to_check, placements};
use crate::classes::RequestedClass;
use crate::congestion::{Congested, CongestionRow};
use crate::counters::{CounterRow, Tally, of_nodes};
use crate::timeline::{TimelineRow, TimelineRun};
use crate::traffic_tables::{LinkKindRow, links};

#[derive(Clone, Debug, Deserialize)]
pub struct TrafficCall {
    #[serde(flatten)]
    pub common: Common,
    /// Number of participating nodes, placed like those of a job; default all.
    #[serde(default)]
    pub nodes: Option<u32>,
    pub pattern: String,
    pub loads: Vec<f64>,
    pub packet_bytes: u64,
    pub time_s: f64,
    pub warmup_s: f64,
    /// Number of equal parts of the measured time, each with a row of its own.
    #[serde(default)]
    pub slices: u32,
    /// Whether packets between two NICs arrive in the order in which they were sent.
    #[serde(default)]
    pub ordered: bool,
    /// With background traffic: also run without it, for comparison.
    #[serde(default = "yes")]
    pub alone: bool,
}
fn yes() -> bool {
    true
}

pub fn traffic(
    call: &TrafficCall,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TrafficResult, Vec<InputError>> {
    let mut input_errors = Vec::new();
    let fidelity = fidelity(&call.common.fidelity).map_err(|c| input_errors.push(c)).ok();
    let machine = machine_to_check(&call.common, &mut input_errors);
    let request = TrafficRequest {
        pattern: call.pattern.clone(),
        loads: call.loads.clone(),
        packet_bytes: call.packet_bytes,
        warmup: Span::from_seconds(call.warmup_s),
        window: Span::from_seconds(call.time_s),
        seed: call.common.seed,
        threads: call.common.threads,
        engine: engine_name(&call.common).unwrap_or_else(|wrong| {
            input_errors.push(wrong);
            EngineChoice::Auto
        }),
    };
    let has_faults = call.common.machine.faults.is_some();
    if has_faults && fidelity.is_some_and(|fidelity| fidelity != Fidelity::Packet) {
        let expected = "`packet` for traffic with faults";
        input_errors.push(InputError::new("fidelity", &*call.common.fidelity, expected));
    }
    if fidelity == Some(Fidelity::Flow) {
        let expected = "`packet` for traffic: it consists of single packets, flows of many";
        input_errors.push(InputError::new("fidelity", "flow", expected));
    }
    let (Some(fidelity), Some(mut machine)) = (fidelity, machine) else { return Err(input_errors) };
    let class = RequestedClass { at: "class", word: call.common.class.as_deref() };
    let vnets = classes::of(&call.common, &[class], false, &mut machine);
    let vnets = vnets.map_err(|more| input_errors.extend(more)).unwrap_or_default();
    let vnet = vnets.jobs.first().copied().unwrap_or(0);
    let mut setting = setting(call, vnet, &machine).unwrap_or_else(|more| {
        input_errors.extend(more);
        TrafficSetting::default()
    });
    if let Err(more) = check(&machine, &request, &setting) {
        input_errors.extend(more);
    }
    input_errors.extend(timeline_errors(call, request.engine));
    if !input_errors.is_empty() {
        return Err(input_errors);
    }
    let mut traced =
        TimelineRun::open(call.common.timeline.as_ref()).map_err(|error| vec![error])?;
    let mut result = match &mut traced {
        Some(traced) => recorded(&machine, fidelity, &request, &setting, traced, tick)?,
        None => sweep(&machine, fidelity, &request, &setting, tick)?,
    };
    result.timeline = traced.and_then(|traced| traced.row);
    if call.alone && !setting.background.is_empty() && !result.interrupted {
        setting.background.clear();
        let alone = sweep(&machine, fidelity, &request, &setting, tick)?;
        // After an interruption only finished loads have a row.
        for row in &mut result.rows {
            let alone = alone.rows.iter().find(|alone| alone.offered == row.offered);
            row.alone_mean_s = alone.map(|alone| alone.latency_mean_s);
            row.alone_p99_s = alone.map(|alone| alone.latency_p99_s);
        }
        result.interrupted = alone.interrupted;
    }
    Ok(result)
}

/// What excludes the timeline of a request.
fn timeline_errors(call: &TrafficCall, engine: EngineChoice) -> Vec<InputError> {
    let Some(traced) = &call.common.timeline else { return Vec::new() };
    let found = traced.path.0.to_string_lossy();
    [
        (call.loads.len() > 1, "one load with a timeline (`--load 0.5`)"),
        (!traced.ranks.is_empty(), "no selection of ranks: traffic has none"),
        (engine == EngineChoice::Window, "`--engine auto` or `event`: a timeline is in time order"),
    ]
    .into_iter()
    .filter(|(is_wrong, _)| *is_wrong)
    .map(|(_, expected)| InputError::new("timeline", found.as_ref(), expected))
    .collect()
}

/// Runs the one load of `request`, and records the loads of links.
fn recorded(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    setting: &TrafficSetting,
    traced: &mut TimelineRun,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TrafficResult, Vec<InputError>> {
    #[allow(clippy::disallowed_methods)] // Wall time, reported with the results.
    let wall_start = Instant::now();
    let Some(timeline) = traced.of_traffic() else { unreachable!("it was opened once") };
    let timeline = Mutex::new(timeline);
    let what = (request.loads[0], &timeline);
    let mut report = |now, events| tick(Progress::at(now, events));
    let outcome = one_load_with_timeline(machine, fidelity, request, setting, what, &mut report)?;
    let timeline = timeline.into_inner().expect("the simulation has ended");
    traced.finish_traffic(timeline, machine, fidelity, Time::ZERO + outcome.took);
    let wall_s = wall_start.elapsed().as_secs_f64();
    Ok(result_of(machine, fidelity, request, setting, &[Some(outcome)], wall_s))
}

/// The participating NICs and the background of a traffic request.
fn setting(
    call: &TrafficCall,
    vnet: u8,
    machine: &Machine,
) -> Result<TrafficSetting, Vec<InputError>> {
    let common = &call.common;
    let mut free = FreeNodes::all(machine);
    free.allocate(&machine.nodes_down_at_start());
    let (slices, in_order) = (call.slices, call.ordered);
    let mut setting = TrafficSetting { slices, vnet, in_order, ..TrafficSetting::default() };
    if let Some(nodes) = call.nodes {
        let all = free.clone();
        let nics = &NicPolicy::Block;
        let of = placement::JobShape { ranks: nodes, ppn: 1, nodes: None, nics, seed: common.seed };
        placements(machine, common.placement.as_ref(), of, None, &mut free)?;
        let taken = all.nodes.iter().filter(|&&node| !free.contains(node));
        let nics =
            taken.flat_map(|&node| machine.node_nics[node]..machine.node_nics[NodeId(node.0 + 1)]);
        setting.nics = nics.map(NicId).collect();
    } else if !common.background.is_empty() {
        free.nodes.clear();
    }
    setting.background = background::of(common, machine, &free)?;
    Ok(setting)
}

/// Cost of the simulation, all loads together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficEngine {
    pub events: u64,
    pub packets: u64,
    pub packet_hops: u64,
    pub wall_s: f64,
    /// Memory of the network, the queue and the sources of the largest simulation, bytes per NIC.
    pub bytes_per_endpoint: f64,
    /// Engines of packet networks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<UsedEngine>,
}

/// An engine, why it was used, and the loads that it simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsedEngine {
    pub name: String,
    pub reason: String,
    /// Of the window engine: why it handled all events of a switch, which is slower, and not only
    /// the arrivals of packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub general: Option<String>,
    pub loads: Vec<f64>,
}

impl UsedEngine {
    /// The engines of these loads, in the order of their first loads.
    fn all<'a>(outcomes: impl Iterator<Item = &'a LoadOutcome>) -> Vec<UsedEngine> {
        let mut all: Vec<UsedEngine> = Vec::new();
        for outcome in outcomes {
            let Some(used) = outcome.engine else { continue };
            let load = outcome.row.offered;
            let mut one = UsedEngine {
                name: used.name().into(),
                reason: used.reason.into(),
                general: used.general.map(Into::into),
                loads: Vec::new(),
            };
            let is_alike = |known: &UsedEngine| {
                (&known.name, &known.reason, &known.general)
                    == (&one.name, &one.reason, &one.general)
            };
            match all.iter_mut().find(|known| is_alike(known)) {
                Some(known) => known.loads.push(load),
                None => {
                    one.loads.push(load);
                    all.push(one);
                }
            }
        }
        all
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrafficResult {
    pub pattern: String,
    pub machine: String,
    pub fidelity: String,
    /// Name of the routing in use.
    pub routing: String,
    /// In the order of the requested loads; only finished ones after an interruption.
    pub rows: Vec<TrafficRow>,
    /// All loads together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<CongestionRow>,
    /// All loads together, including warm-ups: counters of the NICs of the participating nodes, and
    /// links by kind.
    pub counter_table: Vec<CounterRow>,
    pub link_kinds: Vec<LinkKindRow>,
    pub interrupted: bool,
    pub engine: TrafficEngine,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineRow>,
}

/// From a worker thread to the main thread.
enum WorkerMessage {
    Progress { index: usize, now: Time, events: u64 },
    Outcome { index: usize, outcome: Box<LoadOutcome> },
}

/// Runs all loads of `request`. `tick` receives progress and returns whether to continue. Fails if
/// the request is invalid.
pub fn sweep(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    setting: &TrafficSetting,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TrafficResult, Vec<InputError>> {
    check(machine, request, setting)?;
    #[allow(clippy::disallowed_methods)] // Wall time, reported with the results.
    let wall_start = Instant::now();
    let n = request.loads.len();
    let threads = match request.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    };
    let workers = threads.min(n);
    // Cores without a load of their own share the simulations of the others.
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
                    let _ = updates.send(WorkerMessage::Outcome { index, outcome });
                }
            });
        }
        drop(updates);
        // Simulated time and events, summed over all simulations.
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
                WorkerMessage::Outcome { index, outcome } => outcomes[index] = Some(*outcome),
            }
        }
    });
    let wall_s = wall_start.elapsed().as_secs_f64();
    Ok(result_of(machine, fidelity, request, setting, &outcomes, wall_s))
}

/// The result of the loads that were simulated.
fn result_of(
    machine: &Machine,
    fidelity: Fidelity,
    request: &TrafficRequest,
    setting: &TrafficSetting,
    outcomes: &[Option<LoadOutcome>],
    wall_s: f64,
) -> TrafficResult {
    let finished = || outcomes.iter().flatten();
    let bytes = finished().map(|o| o.bytes).max().unwrap_or(0);
    let engine = TrafficEngine {
        events: finished().map(|o| o.events).sum(),
        packets: finished().map(|o| o.counters.delivered_packets).sum(),
        packet_hops: finished().map(|o| o.counters.hops).sum(),
        wall_s,
        bytes_per_endpoint: bytes as f64 / f64::from(machine.n_nics()),
        engines: UsedEngine::all(finished()),
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
    TrafficResult {
        pattern: request.pattern.clone(),
        machine: machine.name.clone(),
        fidelity: fidelity.name().into(),
        routing: machine.routing_name.clone(),
        interrupted: rows.len() < outcomes.len(),
        rows,
        congestion: CongestionRow::of(machine, fidelity, &congestion),
        counter_table: tally.rows(machine, fidelity, &nics),
        link_kinds: links(machine, &tally).1,
        engine,
        timeline: None,
    }
}
