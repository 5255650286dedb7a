//! Layer 6: requests and results as plain data, which `crates/python` exchanges as JSON.
//!
//! A request is checked, all input errors are collected, and it becomes one run of `sim` or
//! several. Built-in benchmarks (`benchmarks`, `fabric_tests`), tuning (`tune`) and sweeps over
//! offered loads (`traffic`) are here; `sim` runs any workload.

mod app;
mod auto;
mod background;
mod bars;
mod bench;
mod bench_calls;
mod bench_checks;
mod bench_data;
mod bench_memory;
mod benchmarks;
mod call_notes;
mod calls;
mod classes;
mod compute_time;
mod congestion;
mod control_plane;
mod counters;
mod cray;
mod exchanges;
mod fabric_tests;
mod faults;
mod file_system_facts;
mod file_systems;
mod io;
mod io_bench;
mod jobs;
mod limits;
mod memory;
mod placement_checks;
mod program;
mod quantities;
mod replay;
mod rounds;
mod rows;
mod run;
mod shifts;
mod timeline;
mod traffic;
mod traffic_tables;
mod tune;
pub mod vocabulary;

pub use app::{
    AppCallsRequest, AppCallsResult, AppComputationRow, AppErrorRow, AppPhaseRow, AppRequest,
    AppResult, EnergyRow, app, app_calls,
};
pub use background::{BackgroundRequest, BackgroundRow, NoiseRequest};
pub use bars::{Band, ReplicaLayout, ReplicaRow};
pub use bench::bench;
pub use bench_data::{BenchRequest, BenchResult, BenchRow, CandidateRow};
pub use calls::SampleRow;
pub use congestion::CongestionRow;
pub use control_plane::{
    ControlRequest, ControlSnapshot, NamedMachine, control_plane, restored, snapshot,
};
pub use counters::{CounterRow, NicCounters};
pub use exchanges::{
    CableRow, ExchangesRequest, ExchangesResult, WiringRequest, WiringResult, exchanges, wiring,
};
pub use faults::{FaultsRequest, faults};
pub use file_systems::FileSystemRow;
pub use io::{
    IoCountRow, IoFileRow, IoGatewayRow, IoLimitRow, IoMediaRow, IoPhaseRow, IoPortRow, IoRatesRow,
    IoResult, IoTargetRow, IoTimeRow,
};
pub use io_bench::{IoBenchRequest, IoBenchResult, IoBenchRow, io_bench};
pub use jobs::{JobRequest, JobRow, JobsRequest, JobsResult, check_jobs, jobs};
pub use limits::{CrossedRow, LimitsRow, UseRow};
pub use quantities::{read_size, read_time};
pub use replay::{RecordHeader, Recorded, ReplayRequest, ReplayResult, Trace};
pub use replay::{check_record, replay};
pub use run::{RunRequest, RunResult, run};
pub use timeline::{TimelineRequest, TimelineRow, TimelineTables};
pub use timeline::{timeline_tables, write_perfetto};
pub use traffic::{TrafficCall, TrafficEngine, TrafficResult, sweep, traffic};
pub use traffic_tables::LinkKindRow;
pub use tune::{TuneFile, TuneRequest, TuneResult, TuneRow, tune};

pub use mpi::library::PRESETS as LIBRARIES;
pub use sim::{Fidelity, NetworkErrors};

use base::Span;
use classes::RequestedClass;
use collectives::{Kind, Overrides, Setting};
use machine::placement::{self, FreeNodes, Placement, PlacementPolicy};
use machine::{FABRICS, InputError, Machine, MachineSpec, NicPolicy, NodeId, Reorder, nearest};
use mpi::Library;
use mpi::rules::Format;
use serde::{Deserialize, Serialize};
use sim::{EngineChoice, Job, RankPlacement};
use vocabulary::defaults;

/// A machine: the name of a preset, or the text of a user's file with a name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineRequest {
    pub name: String,
    #[serde(default)]
    pub toml: Option<String>,
    /// Path of the user's file, for error messages.
    #[serde(default)]
    pub file: Option<String>,
    /// Base files of its `like` chain: paths and texts, nearest first.
    #[serde(default)]
    pub like: Vec<(String, String)>,
    /// `--set KEY=VALUE`, dotted keys of the machine file.
    #[serde(default)]
    pub set: Vec<(String, String)>,
    /// Its fault schedule.
    #[serde(default)]
    pub faults: Option<FaultsRequest>,
}

/// Options common to all commands that simulate.
#[derive(Clone, Debug, Deserialize)]
pub struct Common {
    pub machine: MachineRequest,
    #[serde(default = "defaults::fidelity")]
    pub fidelity: String,
    #[serde(default)]
    pub routing: Option<String>,
    #[serde(default)]
    pub placement: Option<PlacementRequest>,
    /// Mapping of ranks to the NICs of their node; default `block`.
    #[serde(default)]
    pub nic_policy: Option<String>,
    /// Rank reordering by the MPI library, if any.
    #[serde(skip)]
    pub reorder: Option<Reorder>,
    /// Traffic class of the simulated job; default best effort.
    #[serde(default)]
    pub class: Option<String>,
    /// Traffic class of all file systems; default: that of the machine file.
    #[serde(default)]
    pub storage_class: Option<String>,
    #[serde(default = "defaults::mpi")]
    pub mpi: String,
    /// Text of a user's library profile, which has the name `mpi`.
    #[serde(default)]
    pub mpi_toml: Option<String>,
    /// Rule files for its collectives, of MPICH or Open MPI.
    #[serde(default)]
    pub rules: Option<RulesRequests>,
    /// Traffic of nodes without a job.
    #[serde(default)]
    pub background: Vec<BackgroundRequest>,
    /// Duration of background traffic before the jobs start.
    #[serde(default = "defaults::warmup")]
    pub warmup_s: f64,
    #[serde(default)]
    pub noise: Option<NoiseRequest>,
    /// Effect of exceeding a limit: `off`, `warn` or `fail`.
    #[serde(default = "defaults::limits")]
    pub limits: String,
    #[serde(default = "defaults::seed")]
    pub seed: u64,
    /// Threads of a simulation, or of all loads of a traffic sweep; there 0 for all cores. Never
    /// changes a result.
    #[serde(default = "defaults::threads")]
    pub threads: usize,
    /// A name of `EngineChoice`. Never changes a result.
    #[serde(default = "defaults::engine")]
    pub engine: String,
    /// A timeline of the run.
    #[serde(default)]
    pub timeline: Option<TimelineRequest>,
}
/// One rule file, or several that belong together: MPICH has three.
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

/// A user's file: its name, its text, and its format if a variable states it (`generic`,
/// `compositions`, `posix`, `openmpi`).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesRequest {
    pub name: String,
    pub text: String,
    #[serde(default)]
    pub format: Option<String>,
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

pub(crate) fn unknown(at: &str, found: &str, legal: &[&str]) -> InputError {
    InputError::new(at, found, format!("one of {}", legal.join(", ")))
        .with_hint(nearest(found, legal.iter().copied()))
}

pub fn fidelity(name: &str) -> Result<Fidelity, InputError> {
    let found = Fidelity::ALL.into_iter().find(|fidelity| fidelity.name() == name);
    found.ok_or_else(|| unknown("fidelity", name, &Fidelity::ALL.map(Fidelity::name)))
}

/// Resolves the machine with the requested routing.
pub fn machine(
    request: &MachineRequest,
    routing: Option<&str>,
) -> Result<Machine, Vec<InputError>> {
    let machine = machine_without_faults(request, routing)?;
    faults::apply(machine, request.faults.as_ref())
}

/// The same, while collecting further input errors. If only the fault schedule is invalid, this
/// returns the machine without faults.
fn machine_to_check(common: &Common, input_errors: &mut Vec<InputError>) -> Option<Machine> {
    let (request, routing) = (&common.machine, common.routing.as_deref());
    let without_faults =
        machine_without_faults(request, routing).map_err(|more| input_errors.extend(more)).ok()?;
    if request.faults.is_none() {
        return Some(without_faults);
    }
    let faulty = faults::apply(without_faults.clone(), request.faults.as_ref());
    Some(faulty.map_err(|more| input_errors.extend(more)).unwrap_or(without_faults))
}

/// The machine without its faults.
fn machine_without_faults(
    request: &MachineRequest,
    routing: Option<&str>,
) -> Result<Machine, Vec<InputError>> {
    let text = match (&request.toml, machine::preset(&request.name)) {
        (Some(text), _) => text.as_str(),
        (None, Some(text)) => text,
        (None, None) => return Err(vec![unknown("machine", &request.name, machine::PRESETS)]),
    };
    // `--routing` is short for `--set routing=`.
    let mut set = request.set.clone();
    set.extend(routing.map(|word| ("routing".to_string(), word.to_string())));
    let machine = MachineSpec::parse_with_parents(&request.name, text, &request.like, &set)
        .and_then(|spec| spec.resolve())
        .and_then(|machine| match wrong_libraries(&machine) {
            input_errors if input_errors.is_empty() => Ok(machine),
            input_errors => Err(input_errors),
        });
    machine.map_err(|more| of_file(more, request, &set))
}

/// Unknown names and keys in tables `[libraries.NAME]`, also for commands without MPI.
fn wrong_libraries(machine: &Machine) -> Vec<InputError> {
    let mut input_errors = Vec::new();
    for (name, keys) in &machine.libraries {
        let at = format!("libraries.{name}");
        if mpi::library::preset(name).is_none() {
            input_errors.push(unknown(&at, name, LIBRARIES));
            continue;
        }
        let legal: Vec<&str> = mpi::library::machine_keys().collect();
        let keys = keys.as_table().into_iter().flat_map(|keys| keys.keys());
        let wrong = keys.filter(|key| !legal.contains(&key.as_str()));
        input_errors.extend(wrong.map(|key| {
            InputError::new(format!("{at}.{key}"), key, "a key of library profiles")
                .with_hint(nearest(key, legal.iter().copied()))
        }));
    }
    input_errors
}

/// Adds the file's path to the errors of a machine file, except for errors in keys set with
/// `--set`.
fn of_file(
    mut input_errors: Vec<InputError>,
    request: &MachineRequest,
    set: &[(String, String)],
) -> Vec<InputError> {
    let named = format!("{}, ", request.name);
    for input_error in &mut input_errors {
        let like = input_error.file.take();
        let Some(file) = request.file.as_ref().map(|own| like.as_ref().unwrap_or(own)) else {
            continue;
        };
        let at = input_error.at.strip_prefix(&named).unwrap_or(&input_error.at);
        let is_below = |key: &str| at.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        if !set.iter().any(|(key, _)| key == at || is_below(key)) {
            input_error.at = format!("{file}, {at}");
        }
    }
    input_errors
}

/// The requested library. Its notes name the rules of a rule file that are not applied.
/// On a known machine it has that machine's keys of library profiles and speed of cores.
fn library(
    common: &Common,
    fabric: &str,
    machine: Option<&Machine>,
) -> Result<Library, Vec<InputError>> {
    let mpi_speed = machine.map_or(1.0, |machine| machine.node.mpi_speed);
    let name = &common.mpi;
    let Some(text) = common.mpi_toml.as_deref().or_else(|| mpi::library::preset(name)) else {
        return Err(vec![unknown("mpi", name, mpi::library::PRESETS)]);
    };
    let complain = |at: String, errors: Vec<String>| -> Vec<InputError> {
        errors.into_iter().map(|e| InputError::new(at.clone(), "", e)).collect()
    };
    let library = match machine {
        Some(machine) => Library::parse_on(name, text, fabric, &machine.libraries),
        None => Library::parse(name, text, fabric),
    };
    let mut library = library
        .map_err(|errors| complain(format!("mpi.{name}"), errors))?
        .on_cores(mpi_speed)
        .map_err(|seconds| {
            let most = mpi::library::MAX_TIME_S;
            let expected = format!("overheads of at most {most} s; one would be {seconds} s");
            vec![InputError::new("node.mpi_speed", mpi_speed.to_string(), expected)]
        })?;
    let rules = common.rules.as_ref().map_or(&[][..], RulesRequests::as_slice);
    let format = |rules: &RulesRequest| rules.format.as_deref().and_then(Format::from_name);
    // Compositions take precedence over the generic selection.
    let mut rules: Vec<&RulesRequest> = rules.iter().collect();
    rules.sort_by_key(|rules| format(rules));
    let mut input_errors = Vec::new();
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
                input_errors.extend(complain(format!("coll_rules.{}", rules.name), errors));
            }
        }
    }
    if input_errors.is_empty() { Ok(library) } else { Err(input_errors) }
}

/// Prefixes of variables that this library ignores although other libraries honor them; none if the
/// library is unknown.
pub fn unsupported_prefixes(mpi: &str, toml: Option<&str>) -> &'static [&'static str] {
    let text = toml.or_else(|| mpi::library::preset(mpi));
    text.map_or(&[], |text| mpi::unsupported_prefixes(mpi, text))
}

/// The part of a program's environment that the requested library honors.
#[derive(Clone, Copy)]
pub(crate) struct HonoredEnv<'a> {
    env: &'a [(String, String)],
    unsupported_prefixes: &'static [&'static str],
}

impl<'a> HonoredEnv<'a> {
    pub fn new(common: &Common, env: &'a [(String, String)]) -> HonoredEnv<'a> {
        HonoredEnv {
            env,
            unsupported_prefixes: unsupported_prefixes(&common.mpi, common.mpi_toml.as_deref()),
        }
    }
    /// Names and values.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let is_honored = move |name: &str| {
            !self.unsupported_prefixes.iter().any(|start| name.starts_with(start))
        };
        let all = self.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        all.filter(move |(name, _)| is_honored(name))
    }
    pub fn get(self, name: &str) -> Option<&'a str> {
        self.iter().find(|(found, _)| *found == name).map(|(_, value)| value)
    }
}

/// Places the ranks of a job on free nodes, and removes these nodes from `free`.
fn placements(
    machine: &Machine,
    request: Option<&PlacementRequest>,
    job_shape: placement::JobShape<'_>,
    reorder: Option<&Reorder>,
    free: &mut FreeNodes,
) -> Result<Vec<RankPlacement>, Vec<InputError>> {
    let ppn = job_shape.ppn;
    let policy = match request {
        None => PlacementPolicy::Block,
        Some(PlacementRequest::Named(word)) => {
            PlacementPolicy::from_name(word).map_err(|c| vec![c])?
        }
        Some(PlacementRequest::Nodes { nodes }) => {
            PlacementPolicy::Nodes(nodes.iter().copied().map(NodeId).collect())
        }
        Some(PlacementRequest::Hosts { hosts }) => {
            PlacementPolicy::Hosts(placement::parse_hosts(machine, hosts, ppn)?)
        }
    };
    let named: Vec<NodeId> = match &policy {
        PlacementPolicy::Nodes(nodes) => nodes.clone(),
        PlacementPolicy::Hosts(hosts) => hosts.iter().map(|host| host.0).collect(),
        _ => Vec::new(),
    };
    // Source of an explicit node list, for error messages.
    let list = if matches!(policy, PlacementPolicy::Hosts(_)) { "host file" } else { "placement" };
    if let Some(&node) = named.iter().find(|node| machine.nodes_down_at_start().contains(node)) {
        let found = machine.node_name(node);
        let expected = "nodes that are up: the fault schedule has it down from the start";
        return Err(vec![InputError::new(list, found, expected)]);
    }
    let fits = |most: u32| {
        let expected = format!(
            "at most {}, the cores of a node of `{}` (`--set node.cores={most}` for more)",
            machine.node.cores, machine.name
        );
        let (at, found) = match named.is_empty() {
            true => ("ppn", most.to_string()),
            false => (list, format!("{most} ranks on a node")),
        };
        let fits = most <= machine.node.cores;
        fits.then_some(()).ok_or_else(|| vec![InputError::new(at, found, expected)])
    };
    if named.is_empty() && job_shape.ranks > 0 && ppn > 0 {
        // By the pigeonhole principle, some node has this many ranks. This also bounds memory.
        fits(job_shape.ranks.div_ceil(job_shape.ranks.div_ceil(ppn)))?;
    }
    let placed =
        Placement::on_free_nodes(machine, &policy, job_shape, free).map_err(|mut more| {
            // A policy has several names; report the one that the user gave.
            if let Some(PlacementRequest::Named(word)) = request {
                let placement = more.iter_mut().filter(|input_error| input_error.at == "placement");
                placement.for_each(|input_error| input_error.found.clone_from(word));
            }
            more
        })?;
    fits(placed.local.iter().max().map_or(0, |&local| local + 1))?;
    free.allocate(&placed.node);
    let placed = match reorder {
        Some(order) => placed.reordered(order),
        None => placed,
    };
    let placements = placed.node.into_iter().zip(placed.nic).zip(placed.binding);
    Ok(placements.map(|((node, nic), binding)| RankPlacement { node, nic, binding }).collect())
}

/// A job to place: ranks, ranks per node, placement and class.
pub(crate) struct JobSpec<'a> {
    pub ranks: u32,
    pub ppn: u32,
    pub placement: Option<&'a PlacementRequest>,
    pub class: RequestedClass<'a>,
    /// Whether it may call the file systems of the machine.
    pub uses_files: bool,
}

/// The job of `common`, or all input errors of the request.
pub(crate) fn job(common: &Common, ranks: u32, ppn: u32) -> Result<Job, Vec<InputError>> {
    let class = RequestedClass { at: "class", word: common.class.as_deref() };
    Ok(run_of(common, &[JobSpec::new(common, ranks, ppn, class)])?.0)
}

impl<'a> JobSpec<'a> {
    /// The only job of a request, without calls on files.
    pub fn new(common: &'a Common, ranks: u32, ppn: u32, class: RequestedClass<'a>) -> Self {
        let placement = common.placement.as_ref();
        JobSpec { ranks, ppn, placement, class, uses_files: false }
    }
}

/// The same for a job that may call file systems, with a class that may come from elsewhere.
pub(crate) fn job_with_files(
    common: &Common,
    ranks: u32,
    ppn: u32,
    class: RequestedClass<'_>,
) -> Result<Job, Vec<InputError>> {
    let spec = JobSpec { uses_files: true, ..JobSpec::new(common, ranks, ppn, class) };
    Ok(run_of(common, &[spec])?.0)
}

/// Several concurrent jobs and their background. If there are several jobs, an input error names
/// its job.
///
/// Internally, jobs are numbered by their first node, so that their order in the request has no
/// effect. `order[i]` is the internal number of job `i` of the request.
pub(crate) fn run_of(
    common: &Common,
    job_specs: &[JobSpec<'_>],
) -> Result<(Job, Vec<usize>), Vec<InputError>> {
    let mut input_errors = Vec::new();
    input_errors.extend(fidelity(&common.fidelity).err());
    let Some(mut machine) = machine_to_check(common, &mut input_errors) else {
        input_errors.extend(wrong_on_any(common, job_specs));
        return Err(input_errors);
    };
    let library =
        library(common, &machine.fabric, Some(&machine)).map_err(|more| input_errors.extend(more));
    input_errors.extend(faults::fit(&mut machine, &common.fidelity).err());
    let engine = engine(common, Some(&machine)).map_err(|c| input_errors.push(c));
    let mut free = FreeNodes::all(&machine);
    free.allocate(&machine.nodes_down_at_start());
    let nics = common.nic_policy.as_deref().map_or(Ok(NicPolicy::Block), NicPolicy::from_name);
    let nics = nics.map_err(|input_error| input_errors.push(input_error)).unwrap_or_default();
    let mut groups: Vec<Vec<RankPlacement>> = Vec::new();
    for (i, &JobSpec { ranks, ppn, placement, .. }) in job_specs.iter().enumerate() {
        let of = placement::JobShape { ranks, ppn, nodes: None, nics: &nics, seed: common.seed };
        match placements(&machine, placement, of, common.reorder.as_ref(), &mut free) {
            Ok(placements) => groups.push(placements),
            Err(more) => {
                input_errors.extend(more.into_iter().map(|c| of_job(c, job_specs.len(), i)))
            }
        }
    }
    let requested: Vec<RequestedClass<'_>> = job_specs.iter().map(|w| w.class).collect();
    let uses_files = job_specs.iter().any(|job| job.uses_files);
    let vnets = classes::of(common, &requested, uses_files, &mut machine)
        .map_err(|c| input_errors.extend(c));
    let background = background::of(common, &machine, &free).map_err(|c| input_errors.extend(c));
    let noise = background::noise(common).map_err(|c| input_errors.push(c));
    let limits = limits::policy(common).map_err(|c| input_errors.push(c));
    let (Ok(library), Ok(vnets), Ok(background), Ok(noise), Ok(limits), Ok(engine), true) =
        (library, vnets, background, noise, limits, engine, input_errors.is_empty())
    else {
        return Err(input_errors);
    };
    let mut by_node: Vec<usize> = (0..groups.len()).collect();
    by_node.sort_by_key(|&i| groups[i].iter().map(|placed| placed.node).min());
    let mut run = Job::new(machine, library, Vec::new(), common.seed);
    run.firsts.clear();
    run.vnets.clear();
    let mut order = vec![0; groups.len()];
    for (number, &i) in by_node.iter().enumerate() {
        order[i] = number;
        run.firsts.push(run.placements.len() as u32);
        run.vnets.push(vnets.jobs[i]);
        run.placements.append(&mut groups[i]);
    }
    run.storage_vnets = vnets.storage;
    // A load of zero changes nothing and needs no warm-up.
    run.warmup =
        if background.is_empty() { Span::ZERO } else { Span::from_seconds(common.warmup_s) };
    run.background = background;
    run.noise = noise;
    run.limits = limits;
    run.engine = engine;
    run.threads = common.threads;
    Ok((run, order))
}

/// Input errors that do not depend on the machine, which is unknown. For a library profile: the
/// errors on every type of network.
fn wrong_on_any(common: &Common, job_specs: &[JobSpec<'_>]) -> Vec<InputError> {
    let on = |fabric: &&str| library(common, fabric, None).err().unwrap_or_default();
    let (mut input_errors, others) = (on(&FABRICS[0]), FABRICS[1..].iter().map(on));
    others.for_each(|of_other| input_errors.retain(|input_error| of_other.contains(input_error)));
    input_errors.extend(common.nic_policy.as_deref().and_then(|w| NicPolicy::from_name(w).err()));
    for (i, job) in job_specs.iter().enumerate() {
        if let Some(PlacementRequest::Named(word)) = job.placement {
            let input_error = PlacementPolicy::from_name(word).err();
            input_errors.extend(input_error.map(|c| of_job(c, job_specs.len(), i)));
        }
    }
    input_errors.extend(background::noise(common).err());
    input_errors.extend(limits::policy(common).err());
    input_errors.extend(engine(common, None).err());
    input_errors
}

/// The engine of a run of jobs. `window` must be possible.
fn engine(common: &Common, machine: Option<&Machine>) -> Result<EngineChoice, InputError> {
    let choice = engine_name(common)?;
    if choice != EngineChoice::Window {
        return Ok(choice);
    }
    let obstacle = match machine {
        _ if common.timeline.is_some() => Some("a timeline is recorded in the order of time"),
        None => None,
        Some(machine) => sim::window_obstacle(machine),
    };
    let wrong = |reason| InputError::new("engine", "window", format!("`event`: {reason}"));
    obstacle.map_or(Ok(choice), |reason| Err(wrong(reason)))
}

/// The requested engine. Only packets have engines.
fn engine_name(common: &Common) -> Result<EngineChoice, InputError> {
    let name = &*common.engine;
    let choice = EngineChoice::from_name(name)
        .ok_or_else(|| InputError::new("engine", name, "`auto`, `event` or `window`"))?;
    let is_packet = common.fidelity == Fidelity::Packet.name();
    if choice != EngineChoice::Auto && !is_packet && fidelity(&common.fidelity).is_ok() {
        let expected = "`auto`: only packets have engines (`fidelity` packet)";
        return Err(InputError::new("engine", name, expected));
    }
    Ok(choice)
}

/// Prefixes an input error with the number of its job.
fn of_job(mut input_error: InputError, jobs: usize, nth: usize) -> InputError {
    if jobs > 1 {
        input_error.at = format!("job {}: {}", nth + 1, input_error.at);
    }
    input_error
}

/// Requested library settings that are not applied: all, or those of one collective.
fn notes(job: &Job, of: Option<Kind>) -> Vec<String> {
    let notes = job.library.notes.iter().filter(|(kind, _)| of.is_none() || *kind == of);
    notes.map(|(_, words)| words.clone()).collect()
}

/// Facts of the resolved machine, `show --json`.
pub fn show(
    request: &MachineRequest,
    routing: Option<&str>,
) -> Result<machine::Summary, Vec<InputError>> {
    Ok(machine(request, routing)?.summary())
}

/// The algorithms that the user selects in the environment, and notes on values that are not
/// modeled. Invalid values are input errors.
pub(crate) fn overrides(
    honored_env: HonoredEnv<'_>,
) -> Result<(Overrides, Vec<String>), Vec<InputError>> {
    let mut overrides = Overrides::default();
    let mut notes = Vec::new();
    let mut input_errors = Vec::new();
    for (name, value) in honored_env.iter() {
        match overrides.set(name, value) {
            Ok(Setting::NotModeled(note)) => notes.push(note),
            Ok(_) => {}
            Err(what) => {
                let expected =
                    what.split_once("expected ").map_or(&*what, |(_, expected)| expected);
                input_errors.push(InputError::new(format!("env.{name}"), value, expected));
            }
        }
    }
    match mpi::rules::forced(honored_env.iter()) {
        Ok(forced) => {
            overrides.rules = forced.rules;
            notes.extend(forced.notes);
        }
        Err(wrong) => input_errors.extend(wrong.into_iter().map(|(name, expected)| {
            let found = honored_env.get(&name).unwrap_or_default();
            InputError::new(format!("env.{name}"), found, expected)
        })),
    }
    if input_errors.is_empty() { Ok((overrides, notes)) } else { Err(input_errors) }
}
