//! The façade as plain data: requests and results the Python door carries as JSON.

mod accepted;
mod askable;
mod auto;
mod background;
mod bars;
mod bench;
mod calls;
mod carried;
mod classes;
mod congestion;
mod counters;
mod cray;
mod faults;
mod jobs;
mod limits;
mod memory;
mod program;
mod replay;
mod rounds;
mod run;
mod seated;
mod shifts;
mod tune;

pub use auto::CandidateRow;
pub use background::{BackgroundRequest, BackgroundRow, NoiseRequest};
pub use bars::{Band, Layout, TwinRow};
pub use bench::{BenchRequest, BenchResult, BenchRow, bench};
pub use calls::Share;
pub use carried::LinkKindRow;
pub(crate) use carried::links;
pub(crate) use congestion::Congested;
pub use congestion::CongestionRow;
pub use counters::CounterRow;
pub(crate) use counters::{Tally, of_nodes};
pub use faults::{FaultsRequest, NetworkRow, faults};
pub use jobs::{JobRequest, JobRow, JobsRequest, JobsResult, check_jobs, jobs};
pub use limits::{CrossedRow, LimitsRow, UseRow};
pub use replay::{RecordHeader, Recorded, ReplayRequest, ReplayResult, Trace};
pub use replay::{check_record, replay};
pub use run::{RunRequest, RunResult, run};
pub use tune::{TuneFile, TuneRequest, TuneResult, TuneRow, tune};

pub use crate::outcome::Fidelity;
pub use mpi::library::PRESETS as LIBRARIES;

use crate::traffic::{Place, TrafficRequest, TrafficResult};
use crate::world::{Job, Progress, Seat};
use base::Span;
use classes::Asked;
use collectives::{Kind, Overrides, Setting};
use machine::placement::{self, Free, Placement, Policy};
use machine::{
    Complaint, FABRICS, Machine, MachineSpec, NicId, NicPolicy, NodeId, Reorder, nearest,
};
use mpi::Library;
use mpi::rules::Format;
use serde::Deserialize;

/// Which machine: a preset's name, or a file's text under a name of the user's.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineRequest {
    pub name: String,
    #[serde(default)]
    pub toml: Option<String>,
    /// Where the user has it, for complaints.
    #[serde(default)]
    pub file: Option<String>,
    /// Files that it is like, each like the next: where the user has them, and their texts.
    #[serde(default)]
    pub like: Vec<(String, String)>,
    /// `--set KEY=VALUE`, dotted keys of the machine file.
    #[serde(default)]
    pub set: Vec<(String, String)>,
    /// What is broken of it, and when.
    #[serde(default)]
    pub faults: Option<FaultsRequest>,
}

/// What every command that runs something takes.
#[derive(Clone, Debug, Deserialize)]
pub struct Common {
    pub machine: MachineRequest,
    #[serde(default = "packet")]
    pub fidelity: String,
    #[serde(default)]
    pub routing: Option<String>,
    #[serde(default)]
    pub placement: Option<PlacementRequest>,
    /// How ranks come to the NICs of their node; `block` unless said.
    #[serde(default)]
    pub nic_policy: Option<String>,
    /// How the library numbers the ranks that are placed, if it does.
    #[serde(skip)]
    pub reorder: Option<Reorder>,
    /// Traffic class of what is run; best effort unless said.
    #[serde(default)]
    pub class: Option<String>,
    #[serde(default = "mpich")]
    pub mpi: String,
    /// The text of a profile of the user's, under the name above.
    #[serde(default)]
    pub mpi_toml: Option<String>,
    /// Files of rules for its collectives, MPICH's or Open MPI's.
    #[serde(default)]
    pub rules: Option<RulesRequests>,
    /// What nodes no job has do meanwhile.
    #[serde(default)]
    pub background: Vec<BackgroundRequest>,
    /// For how long before the jobs start.
    #[serde(default = "warmup")]
    pub warmup_s: f64,
    #[serde(default)]
    pub noise: Option<NoiseRequest>,
    /// What happens where something is used up: `off`, `warn` or `fail`.
    #[serde(default = "fail")]
    pub limits: String,
    #[serde(default = "one")]
    pub seed: u64,
    /// Cores that a traffic sweep uses; 0 is all there are. Never changes a result, and all else
    /// runs on one.
    #[serde(default = "one_thread")]
    pub threads: usize,
}
/// One file of rules, or several that go together: MPICH has three.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum RulesRequests {
    One(RulesRequest),
    Several(Vec<RulesRequest>),
}

impl RulesRequests {
    fn as_slice(&self) -> &[RulesRequest] {
        match self {
            RulesRequests::One(file) => std::slice::from_ref(file),
            RulesRequests::Several(files) => files,
        }
    }
}

/// A file of the user's: its name and its text, and its format if a variable says it (`generic`,
/// `compositions`, `posix`, `openmpi`).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesRequest {
    pub name: String,
    pub text: String,
    #[serde(default)]
    pub format: Option<String>,
}

fn packet() -> String {
    "packet".into()
}
fn fail() -> String {
    "fail".into()
}
fn mpich() -> String {
    "mpich".into()
}
/// As `odonata traffic` does: several times what a packet takes through a quiet machine.
fn warmup() -> f64 {
    20e-6
}
fn one() -> u64 {
    1
}
fn one_thread() -> usize {
    1
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum PlacementRequest {
    Named(String),
    /// Node of each rank.
    Nodes {
        nodes: Vec<u32>,
    },
    /// The text of a host file.
    Hosts {
        hosts: String,
    },
}

pub(crate) fn unknown(at: &str, found: &str, legal: &[&str]) -> Complaint {
    Complaint::new(at, found, format!("one of {}", legal.join(", ")))
        .with_hint(nearest(found, legal.iter().copied()))
}

pub fn fidelity(name: &str) -> Result<Fidelity, Complaint> {
    let found = Fidelity::ALL.into_iter().find(|fidelity| fidelity.name() == name);
    found.ok_or_else(|| unknown("fidelity", name, &Fidelity::ALL.map(Fidelity::name)))
}

/// Resolves the machine with the routing asked for.
pub fn machine(request: &MachineRequest, routing: Option<&str>) -> Result<Machine, Vec<Complaint>> {
    let machine = whole(request, routing)?;
    faults::apply(machine, request.faults.as_ref())
}

/// The same while there may be more to complain of: a machine of whose faults there is something
/// to say is told as if it were whole.
fn machine_to_look_at(common: &Common, complaints: &mut Vec<Complaint>) -> Option<Machine> {
    let (request, routing) = (&common.machine, common.routing.as_deref());
    let whole = whole(request, routing).map_err(|more| complaints.extend(more)).ok()?;
    if request.faults.is_none() {
        return Some(whole);
    }
    let faulty = faults::apply(whole.clone(), request.faults.as_ref());
    Some(faulty.map_err(|more| complaints.extend(more)).unwrap_or(whole))
}

/// The machine without its faults.
fn whole(request: &MachineRequest, routing: Option<&str>) -> Result<Machine, Vec<Complaint>> {
    let text = match (&request.toml, machine::preset(&request.name)) {
        (Some(text), _) => text.as_str(),
        (None, Some(text)) => text,
        (None, None) => return Err(vec![unknown("machine", &request.name, machine::PRESETS)]),
    };
    // `--routing` is short for `--set routing=`.
    let mut set = request.set.clone();
    set.extend(routing.map(|word| ("routing".to_string(), word.to_string())));
    let machine = MachineSpec::parse_like(&request.name, text, &request.like, &set)
        .and_then(|spec| spec.resolve());
    machine.map_err(|more| of_file(more, request, &set))
}

/// A machine file's complaints have its path, but for those of keys that were changed.
fn of_file(
    mut complaints: Vec<Complaint>,
    request: &MachineRequest,
    set: &[(String, String)],
) -> Vec<Complaint> {
    let named = format!("{}, ", request.name);
    for complaint in &mut complaints {
        let like = complaint.file.take();
        let Some(file) = request.file.as_ref().map(|own| like.as_ref().unwrap_or(own)) else {
            continue;
        };
        let at = complaint.at.strip_prefix(&named).unwrap_or(&complaint.at);
        let is_below = |key: &str| at.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        if !set.iter().any(|(key, _)| key == at || is_below(key)) {
            complaint.at = format!("{file}, {at}");
        }
    }
    complaints
}

/// The library asked for, and what the file of rules says that is not followed.
fn library(common: &Common, fabric: &str, mpi_speed: f64) -> Result<Library, Vec<Complaint>> {
    let name = &common.mpi;
    let Some(text) = common.mpi_toml.as_deref().or_else(|| mpi::library::preset(name)) else {
        return Err(vec![unknown("mpi", name, mpi::library::PRESETS)]);
    };
    let complain = |at: String, errors: Vec<String>| -> Vec<Complaint> {
        errors.into_iter().map(|e| Complaint::new(at.clone(), "", e)).collect()
    };
    let mut library = Library::parse(name, text, fabric)
        .map_err(|errors| complain(format!("mpi.{name}"), errors))?
        .on_cores(mpi_speed)
        .map_err(|seconds| {
            let most = mpi::library::LONGEST_S;
            let wanted = format!("overheads of at most {most} s; one would be {seconds} s");
            vec![Complaint::new("node.mpi_speed", mpi_speed.to_string(), wanted)]
        })?;
    let rules = common.rules.as_ref().map_or(&[][..], RulesRequests::as_slice);
    let format = |rules: &RulesRequest| rules.format.as_deref().and_then(Format::named);
    // What the device composes goes over the generic selection.
    let mut rules: Vec<&RulesRequest> = rules.iter().collect();
    rules.sort_by_key(|rules| format(rules));
    let mut complaints = Vec::new();
    for rules in rules {
        match mpi::rules::read(&rules.text, format(rules), &library.selection) {
            Ok(read) => {
                let words = |kind: Kind, what: &str| {
                    (Some(kind), format!("{}: {}: {what}", rules.name, kind.name()))
                };
                library.notes.extend(read.notes.iter().map(|(kind, what)| words(*kind, what)));
                library.selection = read.over(&library.selection);
            }
            Err(errors) => {
                complaints.extend(complain(format!("coll_rules.{}", rules.name), errors));
            }
        }
    }
    if complaints.is_empty() { Ok(library) } else { Err(complaints) }
}

/// How the variables begin that this library does not listen to, though others do; none if there
/// is no such library.
pub fn deaf_to(mpi: &str, toml: Option<&str>) -> &'static [&'static str] {
    let text = toml.or_else(|| mpi::library::preset(mpi));
    text.map_or(&[], |text| mpi::deaf_to(mpi, text))
}

/// A program's environment, as far as the library asked for listens to it.
#[derive(Clone, Copy)]
pub(crate) struct Heard<'a> {
    env: &'a [(String, String)],
    deaf_to: &'static [&'static str],
}

impl<'a> Heard<'a> {
    pub fn new(common: &Common, env: &'a [(String, String)]) -> Heard<'a> {
        Heard { env, deaf_to: deaf_to(&common.mpi, common.mpi_toml.as_deref()) }
    }
    /// Names and values.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let is_heard = move |name: &str| !self.deaf_to.iter().any(|start| name.starts_with(start));
        let all = self.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        all.filter(move |(name, _)| is_heard(name))
    }
    pub fn get(self, name: &str) -> Option<&'a str> {
        self.iter().find(|(found, _)| *found == name).map(|(_, value)| value)
    }
}

/// Seats for what is wanted, on nodes that are free; they are not any more.
fn seats(
    machine: &Machine,
    request: Option<&PlacementRequest>,
    wanted: placement::JobShape<'_>,
    reorder: Option<&Reorder>,
    free: &mut Free,
) -> Result<Vec<Seat>, Vec<Complaint>> {
    let ppn = wanted.ppn;
    let policy = match request {
        None => Policy::Block,
        Some(PlacementRequest::Named(word)) => Policy::from_word(word).map_err(|c| vec![c])?,
        Some(PlacementRequest::Nodes { nodes }) => {
            Policy::Nodes(nodes.iter().copied().map(NodeId).collect())
        }
        Some(PlacementRequest::Hosts { hosts }) => {
            Policy::Hosts(placement::parse_hosts(machine, hosts, ppn)?)
        }
    };
    let named: Vec<NodeId> = match &policy {
        Policy::Nodes(nodes) => nodes.clone(),
        Policy::Hosts(hosts) => hosts.iter().map(|host| host.0).collect(),
        _ => Vec::new(),
    };
    // Who names nodes says in which file or list.
    let list = if matches!(policy, Policy::Hosts(_)) { "host file" } else { "placement" };
    if let Some(&node) = named.iter().find(|node| machine.dead_at_start().contains(node)) {
        let found = machine.node_name(node);
        let wanted = "nodes that are up: the plan of faults has it down from the start";
        return Err(vec![Complaint::new(list, found, wanted)]);
    }
    let fits = |most: u32| {
        let wanted = format!(
            "at most {}, the cores of a node of `{}` (`--set node.cores={most}` for more)",
            machine.node.cores, machine.name
        );
        let (at, found) = match named.is_empty() {
            true => ("ppn", most.to_string()),
            false => (list, format!("{most} ranks on a node")),
        };
        let fits = most <= machine.node.cores;
        fits.then_some(()).ok_or_else(|| vec![Complaint::new(at, found, wanted)])
    };
    if named.is_empty() && wanted.ranks > 0 && ppn > 0 {
        // Some node has as many, wherever they sit. Billions would not fit into memory either.
        fits(wanted.ranks.div_ceil(wanted.ranks.div_ceil(ppn)))?;
    }
    let placed = Placement::among(machine, &policy, wanted, free).map_err(|mut more| {
        // A policy has several names; the user knows the one that was given.
        if let Some(PlacementRequest::Named(word)) = request {
            let placement = more.iter_mut().filter(|complaint| complaint.at == "placement");
            placement.for_each(|complaint| complaint.found.clone_from(word));
        }
        more
    })?;
    fits(placed.local.iter().max().map_or(0, |&local| local + 1))?;
    free.take(&placed.node);
    let placed = match reorder {
        Some(order) => placed.reordered(order),
        None => placed,
    };
    let seats = placed.node.into_iter().zip(placed.nic).zip(placed.binding);
    Ok(seats.map(|((node, nic), binding)| Seat { node, nic, binding }).collect())
}

/// What is to be seated: ranks, ranks a node, and where.
pub(crate) struct Wanted<'a> {
    pub ranks: u32,
    pub ppn: u32,
    pub placement: Option<&'a PlacementRequest>,
    pub class: Asked<'a>,
}

/// The job of `common`, or everything that is wrong with the request.
pub(crate) fn job(common: &Common, ranks: u32, ppn: u32) -> Result<Job, Vec<Complaint>> {
    let class = Asked { at: "class", word: common.class.as_deref() };
    job_of_class(common, ranks, ppn, class)
}

/// The same, whose class may have been asked for elsewhere.
pub(crate) fn job_of_class(
    common: &Common,
    ranks: u32,
    ppn: u32,
    class: Asked<'_>,
) -> Result<Job, Vec<Complaint>> {
    let placement = common.placement.as_ref();
    Ok(run_of(common, &[Wanted { ranks, ppn, placement, class }])?.0)
}

/// Several jobs side by side, and what is beside them. A complaint about one of several jobs says
/// which.
///
/// Inside, jobs are numbered by their first node, so that the order of their names means nothing:
/// `order[i]` is the number that job `i` of the request has.
pub(crate) fn run_of(
    common: &Common,
    wanted: &[Wanted<'_>],
) -> Result<(Job, Vec<usize>), Vec<Complaint>> {
    let mut complaints = Vec::new();
    complaints.extend(fidelity(&common.fidelity).err());
    let Some(mut machine) = machine_to_look_at(common, &mut complaints) else {
        complaints.extend(wrong_on_any(common, wanted));
        return Err(complaints);
    };
    let library = library(common, &machine.fabric, machine.node.mpi_speed)
        .map_err(|more| complaints.extend(more));
    complaints.extend(faults::fit(&mut machine, &common.fidelity).err());
    let mut free = Free::all(&machine);
    free.take(&machine.dead_at_start());
    let nics = common.nic_policy.as_deref().map_or(Ok(NicPolicy::Block), NicPolicy::from_word);
    let nics = nics.map_err(|complaint| complaints.push(complaint)).unwrap_or_default();
    let mut groups: Vec<Vec<Seat>> = Vec::new();
    for (i, &Wanted { ranks, ppn, placement, .. }) in wanted.iter().enumerate() {
        let of = placement::JobShape { ranks, ppn, nodes: None, nics: &nics, seed: common.seed };
        match seats(&machine, placement, of, common.reorder.as_ref(), &mut free) {
            Ok(seats) => groups.push(seats),
            Err(more) => complaints.extend(more.into_iter().map(|c| of_job(c, wanted.len(), i))),
        }
    }
    let asked: Vec<Asked<'_>> = wanted.iter().map(|w| w.class).collect();
    let vnets = classes::of(common, &asked, &mut machine).map_err(|c| complaints.extend(c));
    let background = background::of(common, &machine, &free).map_err(|c| complaints.extend(c));
    let noise = background::noise(common).map_err(|c| complaints.push(c));
    let limits = limits::policy(common).map_err(|c| complaints.push(c));
    let (Ok(library), Ok(vnets), Ok(background), Ok(noise), Ok(limits), true) =
        (library, vnets, background, noise, limits, complaints.is_empty())
    else {
        return Err(complaints);
    };
    let mut by_node: Vec<usize> = (0..groups.len()).collect();
    by_node.sort_by_key(|&i| groups[i].iter().map(|seat| seat.node).min());
    let mut run = Job::new(machine, library, Vec::new(), common.seed);
    run.firsts.clear();
    run.vnets.clear();
    let mut order = vec![0; groups.len()];
    for (number, &i) in by_node.iter().enumerate() {
        order[i] = number;
        run.firsts.push(run.seats.len() as u32);
        run.vnets.push(vnets[i]);
        run.seats.append(&mut groups[i]);
    }
    // Nothing to warm up: a load of zero changes nothing.
    run.warmup =
        if background.is_empty() { Span::ZERO } else { Span::from_seconds(common.warmup_s) };
    run.background = background;
    run.noise = noise;
    run.limits = limits;
    Ok((run, order))
}

/// What is wrong with a request whatever its machine is, which is not known: of a profile, what is
/// wrong for every family of networks.
fn wrong_on_any(common: &Common, wanted: &[Wanted<'_>]) -> Vec<Complaint> {
    let on = |fabric: &&str| library(common, fabric, 1.0).err().unwrap_or_default();
    let (mut complaints, others) = (on(&FABRICS[0]), FABRICS[1..].iter().map(on));
    others.for_each(|of_other| complaints.retain(|complaint| of_other.contains(complaint)));
    complaints.extend(common.nic_policy.as_deref().and_then(|w| NicPolicy::from_word(w).err()));
    for (i, job) in wanted.iter().enumerate() {
        if let Some(PlacementRequest::Named(word)) = job.placement {
            let complaint = Policy::from_word(word).err();
            complaints.extend(complaint.map(|c| of_job(c, wanted.len(), i)));
        }
    }
    complaints.extend(background::noise(common).err());
    complaints.extend(limits::policy(common).err());
    complaints
}

/// A complaint about the `nth` of several jobs.
fn of_job(mut complaint: Complaint, jobs: usize, nth: usize) -> Complaint {
    if jobs > 1 {
        complaint.at = format!("job {}: {}", nth + 1, complaint.at);
    }
    complaint
}

/// What was asked of the library that is not followed: all of it, or that of one collective.
fn notes(job: &Job, of: Option<Kind>) -> Vec<String> {
    let notes = job.library.notes.iter().filter(|(kind, _)| of.is_none() || *kind == of);
    notes.map(|(_, words)| words.clone()).collect()
}

/// Facts of the resolved machine, `show --json`.
pub fn show(
    request: &MachineRequest,
    routing: Option<&str>,
) -> Result<machine::Summary, Vec<Complaint>> {
    Ok(machine(request, routing)?.summary())
}

#[derive(Clone, Debug, Deserialize)]
pub struct TrafficCall {
    #[serde(flatten)]
    pub common: Common,
    /// Between so many nodes, placed as jobs are; all unless said.
    #[serde(default)]
    pub nodes: Option<u32>,
    pub pattern: String,
    pub loads: Vec<f64>,
    pub packet_bytes: u64,
    pub time_s: f64,
    pub warmup_s: f64,
    /// Into how many equal parts the measured time is cut, each with a row of its own.
    #[serde(default)]
    pub slices: u32,
    /// Whether packets between two NICs arrive as they were sent.
    #[serde(default)]
    pub ordered: bool,
    /// Where there is a background: the same without it, to compare.
    #[serde(default = "yes")]
    pub alone: bool,
}
fn yes() -> bool {
    true
}

pub fn traffic(
    call: &TrafficCall,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TrafficResult, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let fidelity = fidelity(&call.common.fidelity).map_err(|c| complaints.push(c)).ok();
    let machine = machine_to_look_at(&call.common, &mut complaints);
    let request = TrafficRequest {
        pattern: call.pattern.clone(),
        loads: call.loads.clone(),
        packet_bytes: call.packet_bytes,
        warmup: Span::from_seconds(call.warmup_s),
        window: Span::from_seconds(call.time_s),
        seed: call.common.seed,
        threads: call.common.threads,
    };
    let has_faults = call.common.machine.faults.is_some();
    if has_faults && fidelity.is_some_and(|fidelity| fidelity != Fidelity::Packet) {
        let wanted = "`packet` for traffic with faults";
        complaints.push(Complaint::new("fidelity", &*call.common.fidelity, wanted));
    }
    if fidelity == Some(Fidelity::Flow) {
        let wanted = "`packet` for traffic, which is of single packets: flows are of many";
        complaints.push(Complaint::new("fidelity", "flow", wanted));
    }
    let (Some(fidelity), Some(mut machine)) = (fidelity, machine) else { return Err(complaints) };
    let class = Asked { at: "class", word: call.common.class.as_deref() };
    let vnets = classes::of(&call.common, &[class], &mut machine);
    let vnets = vnets.map_err(|more| complaints.extend(more)).unwrap_or(vec![0]);
    let mut place = place(call, vnets[0], &machine).unwrap_or_else(|more| {
        complaints.extend(more);
        Place::default()
    });
    if let Err(more) = crate::traffic::check(&machine, &request, &place) {
        complaints.extend(more);
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let mut result = crate::traffic::traffic_at(&machine, fidelity, &request, &place, tick)?;
    if call.alone && !place.background.is_empty() && !result.interrupted {
        place.background.clear();
        let alone = crate::traffic::traffic_at(&machine, fidelity, &request, &place, tick)?;
        for (row, alone) in result.rows.iter_mut().zip(&alone.rows) {
            row.alone_mean_s = Some(alone.latency_mean_s);
            row.alone_p99_s = Some(alone.latency_p99_s);
        }
        result.interrupted = alone.interrupted;
    }
    Ok(result)
}

/// The nodes that traffic is between, and what the others do meanwhile.
fn place(call: &TrafficCall, vnet: u8, machine: &Machine) -> Result<Place, Vec<Complaint>> {
    let common = &call.common;
    let mut free = Free::all(machine);
    free.take(&machine.dead_at_start());
    let (slices, in_order) = (call.slices, call.ordered);
    let mut place = Place { slices, vnet, in_order, ..Place::default() };
    if let Some(nodes) = call.nodes {
        let all = free.clone();
        let nics = &NicPolicy::Block;
        let of = placement::JobShape { ranks: nodes, ppn: 1, nodes: None, nics, seed: common.seed };
        seats(machine, common.placement.as_ref(), of, None, &mut free)?;
        let taken = all.nodes.iter().filter(|&&node| !free.has(node));
        let nics =
            taken.flat_map(|&node| machine.node_nics[node]..machine.node_nics[NodeId(node.0 + 1)]);
        place.nics = nics.map(NicId).collect();
    } else if !common.background.is_empty() {
        free.nodes.clear();
    }
    place.background = background::of(common, machine, &free)?;
    Ok(place)
}

/// The user's choices of algorithms among `env`, and notes on values that are not modeled; values
/// that mean nothing are complaints.
pub(crate) fn overrides(heard: Heard<'_>) -> Result<(Overrides, Vec<String>), Vec<Complaint>> {
    let mut overrides = Overrides::default();
    let mut notes = Vec::new();
    let mut complaints = Vec::new();
    for (name, value) in heard.iter() {
        match overrides.set(name, value) {
            Ok(Setting::NotModeled(note)) => notes.push(note),
            Ok(_) => {}
            Err(what) => {
                let wanted = what.split_once("expected ").map_or(&*what, |(_, wanted)| wanted);
                complaints.push(Complaint::new(format!("env.{name}"), value, wanted));
            }
        }
    }
    match mpi::rules::forced(heard.iter()) {
        Ok(forced) => {
            overrides.rules = forced.rules;
            notes.extend(forced.notes);
        }
        Err(wrong) => complaints.extend(wrong.into_iter().map(|(name, wanted)| {
            let found = heard.get(&name).unwrap_or_default();
            Complaint::new(format!("env.{name}"), found, wanted)
        })),
    }
    if complaints.is_empty() { Ok((overrides, notes)) } else { Err(complaints) }
}
