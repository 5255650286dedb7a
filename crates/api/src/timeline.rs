//! Timelines of runs: opens the file that `sim::timeline` writes, and ends it with the names of
//! ranks, operations and links. `perfetto` and `tables` convert it; Python has the other formats.

mod perfetto;
mod reader;
mod tables;

use super::Fidelity;
use super::program::Word;
use super::rows::without_width;
use super::traffic_tables::{end_name, kind_name};
use base::{Span, Time};
use collectives::Kind;
use machine::{InputError, LinkId, Machine, NodeId};
use net::NetworkModel;
use serde::{Deserialize, Serialize};
use sim::timeline::{OP_NAMES, Timeline, TimelineCounts, TimelineScope};
use sim::{Job, Outcome, Progress, World};
use std::fs::File;
use workload::Workload;
use workload::functions::FUNCTIONS;

pub use perfetto::write as write_perfetto;
pub use tables::{TimelineTables, tables as timeline_tables};

#[derive(Clone, Debug, Deserialize)]
pub struct TimelineRequest {
    /// The file to write.
    pub path: Word,
    /// Part of the run, seconds; by default all of it.
    #[serde(default)]
    pub window_s: Option<(f64, f64)>,
    /// Ranges of ranks; by default all of them.
    #[serde(default)]
    pub ranks: Vec<(u32, u32)>,
    /// Interval between two samples of links, seconds.
    #[serde(default)]
    pub sample_s: Option<f64>,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimelineRow {
    pub operations: u64,
    pub calls: u64,
    pub messages: u64,
    /// Rounds of collectives.
    pub rounds: u64,
    /// Of links, NICs and storage targets.
    pub samples: u64,
    /// Records outside the window, or of other ranks.
    pub omitted: u64,
    /// Last interval between two samples of links.
    pub sample_s: f64,
    /// Why the file is not complete.
    pub unwritten: Option<String>,
}

#[derive(Serialize)]
struct Footer<'a> {
    machine: &'a str,
    fidelity: Fidelity,
    time_s: f64,
    ranks: u32,
    /// Names of the nodes of the ranks, and the position of each rank's node in that list.
    nodes: Vec<String>,
    node_of_rank: Vec<u32>,
    operations: Vec<&'a str>,
    functions: Vec<&'a str>,
    links: Vec<LinkEntry>,
    /// Numbers and names of the NICs that sent messages.
    nics: Vec<(u32, String)>,
    /// File system, number and name of the storage targets in use.
    targets: Vec<(u32, u32, String)>,
    /// Members of the communicators in which ranks communicate, except the world.
    communicators: Vec<(u32, &'a [u32])>,
    window_s: Option<(f64, f64)>,
    selected_ranks: &'a [(u32, u32)],
    sample_s: f64,
    counts: CountsEntry,
}

#[derive(Serialize)]
struct LinkEntry {
    link: u32,
    from: String,
    to: String,
    kind: &'static str,
    bytes_per_s: f64,
}

#[derive(Serialize)]
struct CountsEntry {
    operations: u64,
    calls: u64,
    messages: u64,
    rounds: u64,
    samples: u64,
    omitted: u64,
}

/// A timeline that a run records, and what it has recorded.
pub(super) struct TimelineRun {
    request: TimelineRequest,
    scope: TimelineScope,
    file: Option<File>,
    pub row: Option<TimelineRow>,
}

impl TimelineRun {
    /// Creates the requested file, if any.
    pub fn open(request: Option<&TimelineRequest>) -> Result<Option<TimelineRun>, InputError> {
        let Some(request) = request else { return Ok(None) };
        let scope = scope(request)?;
        let file = File::create(&request.path.0).map_err(|error| {
            let expected = format!("a file that can be written ({error})");
            InputError::new("timeline", request.path.0.to_string_lossy(), expected)
        })?;
        Ok(Some(TimelineRun { request: request.clone(), scope, file: Some(file), row: None }))
    }

    /// Lets a run record the timeline.
    pub fn attach<N: NetworkModel, W: Workload>(&mut self, world: &mut World<'_, N, W>) {
        if let Some(file) = self.file.take() {
            let ranks = world.workload.ranks();
            world.trace(Timeline::new(Box::new(file), &self.scope, ranks));
        }
    }

    /// The timeline of synthetic traffic, which has no ranks.
    pub fn of_traffic(&mut self) -> Option<Timeline> {
        self.file.take().map(|file| Timeline::new(Box::new(file), &self.scope, 0))
    }

    /// Ends the timeline of synthetic traffic that took `time`.
    pub fn finish_traffic(
        &mut self,
        timeline: Timeline,
        machine: &Machine,
        fidelity: Fidelity,
        time: Time,
    ) {
        let (nodes, targets) = (Vec::new(), Vec::new());
        let of = Recorded { machine, fidelity, time, ranks: 0, nodes, targets };
        self.row = Some(end(timeline, &self.request, of));
    }

    /// Ends the timeline of a run that took `time`.
    pub fn finish<N: NetworkModel, W: Workload>(
        &mut self,
        world: &mut World<'_, N, W>,
        job: &Job,
        fidelity: Fidelity,
        time: Time,
    ) {
        if let Some(timeline) = world.take_timeline() {
            let (ranks, targets) = (world.workload.ranks(), world.target_names());
            let nodes = job.placements.iter().map(|placed| placed.node).collect();
            let of = Recorded { machine: &job.machine, fidelity, time, ranks, nodes, targets };
            self.row = Some(end(timeline, &self.request, of));
        }
    }
}

/// Runs to the end, with a timeline if there is one.
pub(super) fn run<N: NetworkModel, W: Workload>(
    world: &mut World<'_, N, W>,
    job: &Job,
    fidelity: Fidelity,
    traced: Option<&mut TimelineRun>,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Outcome {
    let Some(traced) = traced else { return world.run(tick) };
    traced.attach(world);
    let outcome = world.run(tick);
    traced.finish(world, job, fidelity, outcome.time);
    outcome
}

fn scope(request: &TimelineRequest) -> Result<TimelineScope, InputError> {
    // 50 days: far from the end of simulated time.
    let seconds = |at: f64| (0.0..4.32e6).contains(&at).then(|| Span::from_seconds(at));
    let window = match request.window_s {
        None => (Time::ZERO, Time(u64::MAX)),
        Some((from, to)) => match (seconds(from), seconds(to)) {
            (Some(begin), Some(end)) if begin < end => (Time::ZERO + begin, Time::ZERO + end),
            _ => {
                let expected = "a start before the end, both within 50 days";
                let found = format!("{from}:{to}");
                return Err(InputError::new("timeline_window", found, expected));
            }
        },
    };
    let sample = match request.sample_s.map(seconds) {
        None => None,
        Some(Some(span)) if span >= Span::ns(1) => Some(span),
        Some(_) => {
            let found = request.sample_s.unwrap_or_default().to_string();
            return Err(InputError::new("timeline_sample", found, "at least 1 ns"));
        }
    };
    Ok(TimelineScope { window, ranks: request.ranks.clone(), sample })
}

/// A run that has been recorded.
struct Recorded<'a> {
    machine: &'a Machine,
    fidelity: Fidelity,
    time: Time,
    ranks: u32,
    /// By rank.
    nodes: Vec<NodeId>,
    targets: Vec<(u32, u32, String)>,
}

/// Writes the footer of a run.
fn end(timeline: Timeline, request: &TimelineRequest, of: Recorded<'_>) -> TimelineRow {
    let Recorded { machine, fidelity, time, ranks, nodes: of_rank, targets } = of;
    let TimelineCounts { operations, calls, messages, rounds, samples, omitted } = timeline.counts;
    let counts = CountsEntry { operations, calls, messages, rounds, samples, omitted };
    let mut row = TimelineRow {
        operations,
        calls,
        messages,
        rounds,
        samples,
        omitted,
        sample_s: timeline.interval().seconds(),
        unwritten: None,
    };
    let mut nodes = of_rank.clone();
    nodes.sort_unstable();
    nodes.dedup();
    let position = |node| nodes.partition_point(|&other| other < node) as u32;
    let footer = Footer {
        machine: &machine.name,
        fidelity,
        time_s: time.seconds(),
        ranks,
        nodes: nodes.iter().map(|&node| machine.node_name(node)).collect(),
        node_of_rank: of_rank.iter().map(|&node| position(node)).collect(),
        operations: OP_NAMES.into_iter().chain(Kind::ALL.map(Kind::name)).collect(),
        functions: FUNCTIONS.map(without_width).to_vec(),
        links: timeline.links().map(|link| entry(machine, link)).collect(),
        nics: timeline.nics().map(|nic| (nic.0, machine.nic_name(nic))).collect(),
        targets,
        communicators: timeline.communicators().collect(),
        window_s: request.window_s,
        selected_ranks: &request.ranks,
        sample_s: row.sample_s,
        counts,
    };
    let footer = serde_json::to_vec(&footer).expect("plain data");
    row.unwritten = timeline.finish(&footer).err().map(|error| error.to_string());
    row
}

fn entry(machine: &Machine, link: LinkId) -> LinkEntry {
    let links = &machine.links;
    LinkEntry {
        link: link.0,
        from: end_name(machine, links.from[link]),
        to: end_name(machine, links.to[link]),
        kind: kind_name(links.kind[link]),
        bytes_per_s: links.gap[link].bytes_per_s(),
    }
}
