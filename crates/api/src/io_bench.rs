//! `odonata bench ior` and `odonata bench mdtest`: benchmarks of a simulated file system. They make
//! the calls of IOR and mdtest (docs/models/io-benchmarks.md), without processes.

mod arguments;
mod program;

use super::rows::{EngineRow, FailureRow};
use super::{Common, Fidelity, IoResult, RequestedClass, fidelity, io, job_with_files, unknown};
use base::Span;
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::storage::Protocol;
use machine::{InputError, Machine};
use net::NetworkModel;
use packet::PacketNetwork;
pub(super) use program::{IoProgram, Plan};
use program::{Phase, PhaseTotals};
use serde::{Deserialize, Serialize};
use sim::{End, Job, Progress, World};
use workload::{LayoutComponent, LayoutRequest};

pub(super) const NAMES: [&str; 2] = ["ior", "mdtest"];

#[derive(Clone, Debug, Deserialize)]
pub struct IoBenchRequest {
    #[serde(flatten)]
    pub common: Common,
    /// `ior` or `mdtest`.
    pub name: String,
    pub nodes: u32,
    pub ppn: u32,
    /// Name of a file system of the machine; the first by default.
    #[serde(default)]
    pub file_system: Option<String>,
    /// IOR: bytes of a transfer (`-t`) and of a block (`-b`), and number of segments (`-s`).
    #[serde(default = "transfer")]
    pub transfer: u64,
    #[serde(default = "block")]
    pub block: u64,
    #[serde(default = "one")]
    pub segments: u64,
    /// IOR: a file per process (`-F`), reading the data of another node (`-C`), transfers in random
    /// order (`-z`), `fsync` after writing (`-e`), `O_DIRECT`.
    #[serde(default)]
    pub file_per_process: bool,
    #[serde(default)]
    pub reorder: bool,
    #[serde(default)]
    pub random: bool,
    #[serde(default)]
    pub fsync: bool,
    #[serde(default)]
    pub direct: bool,
    /// The program calls DFS, the library of DAOS (`-a DFS`), and not POSIX.
    #[serde(default)]
    pub dfs: bool,
    /// A rank writes or creates for this time (`-D`, `-W`), and with `wear_out` continues to the
    /// number that the fastest rank has reached.
    #[serde(default)]
    pub stonewall_s: Option<f64>,
    #[serde(default)]
    pub wear_out: bool,
    /// Phases in order. IOR: `write`, `read`. mdtest: `create`, `stat`, `read`, `remove`.
    #[serde(default)]
    pub phases: Vec<String>,
    /// mdtest: files per rank (`-n`), a directory per rank (`-u`), bytes written and read per file
    /// (`-w`, `-e`), and the distance to the rank whose files are accessed (`-N`).
    #[serde(default = "items")]
    pub items: u64,
    #[serde(default)]
    pub unique: bool,
    #[serde(default)]
    pub file_bytes: u64,
    #[serde(default)]
    pub stride: u32,
    /// Layout of the files: stripes on Lustre, object class and chunk on DAOS.
    #[serde(default)]
    pub stripe_count: Option<u32>,
    #[serde(default)]
    pub stripe_size: u64,
    #[serde(default)]
    pub object_class: String,
    #[serde(default)]
    pub directory_class: String,
    #[serde(default)]
    pub chunk_size: u64,
    /// Options in the words of the program, such as `-t 1m -b 16m -F`. They replace those above.
    #[serde(default)]
    pub io_options: String,
}

fn transfer() -> u64 {
    256 << 10
}

fn block() -> u64 {
    1 << 20
}

fn one() -> u64 {
    1
}

fn items() -> u64 {
    1000
}

#[derive(Clone, Debug, Serialize)]
pub struct IoBenchResult {
    pub name: String,
    pub machine: String,
    pub file_system: String,
    pub fidelity: Fidelity,
    pub ranks: u32,
    pub nodes: u32,
    pub time_s: f64,
    pub rows: Vec<IoBenchRow>,
    pub io: Option<IoResult>,
    pub digest: String,
    pub interrupted: bool,
    pub failure: Option<FailureRow>,
    pub engine: EngineRow,
}

/// A phase, from the first open to the last close.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IoBenchRow {
    pub phase: &'static str,
    pub time_s: f64,
    pub bytes: u64,
    #[serde(rename = "rate_B_per_s")]
    pub rate: f64,
    /// Transfers, or files.
    pub operations: u64,
    pub operations_per_s: f64,
    /// Fewest and most operations of a rank when the stonewall was hit, the time of the slowest
    /// rank, and the rates until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stonewall: Option<StonewallRow>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StonewallRow {
    pub operations_min: u64,
    pub operations_max: u64,
    pub time_s: f64,
    #[serde(rename = "rate_B_per_s")]
    pub rate: f64,
    pub operations_per_s: f64,
}

impl IoBenchRequest {
    /// The benchmark as one of several jobs.
    pub(super) fn of_job(common: &Common, job: (&str, u32, u32), options: &str) -> IoBenchRequest {
        let (name, nodes, ppn) = job;
        IoBenchRequest {
            common: common.clone(),
            name: name.into(),
            nodes,
            ppn,
            file_system: None,
            transfer: transfer(),
            block: block(),
            segments: one(),
            file_per_process: false,
            reorder: false,
            random: false,
            fsync: false,
            direct: false,
            dfs: false,
            stonewall_s: None,
            wear_out: false,
            phases: Vec::new(),
            items: items(),
            unique: false,
            file_bytes: 0,
            stride: 0,
            stripe_count: None,
            stripe_size: 0,
            object_class: String::new(),
            directory_class: String::new(),
            chunk_size: 0,
            io_options: options.into(),
        }
    }
}

impl IoBenchRow {
    fn of(phase: Phase, totals: &PhaseTotals, bytes: u64) -> IoBenchRow {
        let time_s = totals.last.since(totals.first).seconds();
        let per_s = |amount: u64, seconds: f64| {
            if seconds > 0.0 { amount as f64 / seconds } else { 0.0 }
        };
        let stonewall = totals.wall.map(|wall| {
            let time_s = wall.last.since(totals.first).seconds();
            StonewallRow {
                operations_min: wall.least,
                operations_max: wall.most,
                time_s,
                rate: per_s(wall.all * bytes, time_s),
                operations_per_s: per_s(wall.all, time_s),
            }
        });
        IoBenchRow {
            phase: phase.name(),
            time_s,
            bytes: totals.operations * bytes,
            rate: per_s(totals.operations * bytes, time_s),
            operations: totals.operations,
            operations_per_s: per_s(totals.operations, time_s),
            stonewall,
        }
    }
}

/// Calls of a run that may be simulated: 2^40 would take months.
const MAX_CALLS: u64 = 1 << 40;

pub fn io_bench(
    request: &IoBenchRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<IoBenchResult, Vec<InputError>> {
    let wall_start = std::time::Instant::now();
    let ranks = request.nodes.saturating_mul(request.ppn);
    let class = RequestedClass { at: "class", word: request.common.class.as_deref() };
    let job = job_with_files(&request.common, ranks.max(1), request.ppn.max(1), class);
    let mut errors = Vec::new();
    let job = job.map_err(|more| errors.extend(more)).ok();
    let plan = planned(request, ranks, job.as_ref().map(|job| &job.machine));
    let plan = plan.map_err(|more| errors.extend(more));
    let (Some(job), Ok(Some(plan)), true) = (job, plan, errors.is_empty()) else {
        return Err(errors);
    };
    let fidelity = fidelity(&request.common.fidelity).expect("reported by `job`");
    let mut result = match fidelity {
        Fidelity::Packet => simulate::<PacketNetwork>(&job, request, plan, tick),
        Fidelity::Flow => simulate::<FlowNetwork>(&job, request, plan, tick),
        Fidelity::LogGp => simulate::<LogGpNetwork>(&job, request, plan, tick),
    };
    result.fidelity = fidelity;
    result.engine.wall_s = wall_start.elapsed().as_secs_f64();
    Ok(result)
}

/// The plan of a request; nothing without a machine. Reports all errors that do not concern the
/// job.
pub(super) fn planned(
    request: &IoBenchRequest,
    ranks: u32,
    machine: Option<&Machine>,
) -> Result<Option<Plan>, Vec<InputError>> {
    let mut request = request.clone();
    let mut errors = arguments::read(&request.io_options.clone(), &mut request);
    let request = &request;
    if !NAMES.contains(&request.name.as_str()) {
        errors.push(unknown("benchmark", &request.name, &NAMES));
    }
    check(request, ranks, &mut errors);
    let number = machine.map(|machine| file_system(machine, request.file_system.as_deref()));
    let number = number.transpose().map_err(|error| errors.push(error));
    let phases = phases(request, &mut errors);
    if let (Some(machine), Ok(Some(number))) = (machine, &number) {
        let system = &machine.file_systems[usize::from(*number)];
        if request.dfs && !matches!(system.protocol, Protocol::Daos(_)) {
            let found = format!("DFS on {}", system.name);
            errors.push(InputError::new("io_options", found, "-a POSIX, or DAOS"));
        }
    }
    let (Ok(number), true) = (number, errors.is_empty()) else { return Err(errors) };
    Ok(number.map(|number| plan(request, ranks, number, phases)))
}

/// The phases that have started.
pub(super) fn rows(program: &IoProgram) -> Vec<IoBenchRow> {
    let plan = program.plan();
    let bytes_of = |phase: Phase| if phase.is_ior() { plan.transfer } else { plan.file_bytes };
    let rows =
        program.totals().map(|(phase, totals)| IoBenchRow::of(phase, totals, bytes_of(phase)));
    rows.collect()
}

/// Errors of numbers.
fn check(request: &IoBenchRequest, ranks: u32, errors: &mut Vec<InputError>) {
    let mut refuse = |at: &str, found: String, expected: &str| {
        errors.push(InputError::new(at, found, expected));
    };
    let IoBenchRequest { transfer, block, segments, items, .. } = *request;
    if ranks == 0 {
        let found = format!("{} nodes x {} ranks", request.nodes, request.ppn);
        refuse("nodes", found, "at least one rank");
    }
    if request.name == "ior" {
        if transfer == 0 || transfer > 1 << 40 {
            refuse("transfer", format!("{transfer} B"), "from 1 B to 1 TiB");
        } else if block == 0 || !block.is_multiple_of(transfer) || block > 1 << 50 {
            let expected = "a multiple of the transfer, at most 1 PiB";
            refuse("block", format!("{block} B"), expected);
        }
        if segments == 0 || segments > 1 << 32 {
            refuse("segments", segments.to_string(), "from 1 to 4294967296");
        }
        let all = u128::from(block) * u128::from(segments) * u128::from(ranks.max(1));
        if all > 1 << 62 {
            refuse("block", format!("{all} B in all"), "at most 4 EiB in all");
        }
    }
    let per_rank = match request.name.as_str() {
        "ior" => (block / transfer.max(1)).saturating_mul(segments),
        _ => items.saturating_mul(4),
    };
    if request.name == "mdtest" && items.saturating_mul(ranks.into()) > 1 << 30 {
        refuse("items", items.to_string(), "at most 2^30 files in all");
    }
    if request.stonewall_s.is_none() && per_rank.saturating_mul(ranks.into()) > MAX_CALLS {
        refuse("block", format!("{per_rank} calls per rank"), "at most 2^40 calls in all");
    }
    if request.file_bytes > 1 << 40 {
        refuse("file_bytes", request.file_bytes.to_string(), "at most 1 TiB");
    }
    let limit = request.stonewall_s.unwrap_or(1.0);
    if !(limit > 0.0 && limit <= 86_400.0) {
        refuse("stonewall", format!("{limit} s"), "more than 0 s, at most a day");
    }
}

/// The number of the file system of this name.
pub(super) fn file_system(machine: &Machine, name: Option<&str>) -> Result<u8, InputError> {
    let names: Vec<&str> = machine.file_systems.iter().map(|of| of.name.as_str()).collect();
    let found = name.unwrap_or(names.first().copied().unwrap_or(""));
    match names.iter().position(|&known| known == found) {
        Some(at) => Ok(at as u8),
        None if names.is_empty() => {
            let expected = "a machine whose file declares `[[storage]]`";
            Err(InputError::new("machine", &machine.name, expected))
        }
        None => Err(unknown("file_system", found, &names)),
    }
}

fn phases(request: &IoBenchRequest, errors: &mut Vec<InputError>) -> Vec<Phase> {
    let known = match request.name.as_str() {
        "ior" => &[Phase::Write, Phase::Read][..],
        _ => &[Phase::Create, Phase::Stat, Phase::ReadFiles, Phase::Remove],
    };
    if request.phases.is_empty() {
        return known.to_vec();
    }
    let mut phases = Vec::new();
    for word in &request.phases {
        match known.iter().find(|phase| phase.name() == word.as_str()) {
            Some(&phase) => phases.push(phase),
            None => {
                let names: Vec<&str> = known.iter().map(|phase| phase.name()).collect();
                errors.push(unknown("phases", word, &names));
            }
        }
    }
    phases
}

fn plan(request: &IoBenchRequest, ranks: u32, file_system: u8, phases: Vec<Phase>) -> Plan {
    let IoBenchRequest { transfer, block, segments, items, .. } = *request;
    let component = request.stripe_count.map(|stripe_count| LayoutComponent {
        stripe_count,
        stripe_size: request.stripe_size,
        ..LayoutComponent::default()
    });
    let layout = LayoutRequest {
        components: component.into_iter().collect(),
        object_class: request.object_class.clone(),
        directory_class: request.directory_class.clone(),
        chunk_size: request.chunk_size,
        ..LayoutRequest::default()
    };
    Plan {
        file_system,
        ranks,
        ppn: request.ppn,
        phases,
        layout: (layout != LayoutRequest::default()).then_some(layout),
        transfer,
        per_block: block / transfer.max(1),
        segments,
        file_per_process: request.file_per_process,
        reorder: request.reorder,
        random: request.random,
        fsync: request.fsync,
        direct: request.direct,
        dfs: request.dfs,
        stonewall: request.stonewall_s.map(Span::from_seconds),
        wear_out: request.wear_out,
        items,
        unique: request.unique,
        file_bytes: request.file_bytes,
        stride: request.stride,
    }
}

fn simulate<N: NetworkModel>(
    job: &Job,
    request: &IoBenchRequest,
    plan: Plan,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> IoBenchResult {
    let system = job.machine.file_systems[usize::from(plan.file_system)].name.clone();
    let ranks = plan.ranks;
    let mut world = World::<N, _>::new(job, IoProgram::new(plan));
    let outcome = world.run(tick);
    let mut io = IoResult::of(&outcome);
    if let Some(io) = &mut io {
        let path = |_, file| world.workload.path(file);
        io.name_files(&io::paths(&job.machine, &outcome, path));
    }
    let mut engine = EngineRow::default();
    engine.add(outcome.engine);
    IoBenchResult {
        name: request.name.clone(),
        machine: job.machine.name.clone(),
        file_system: system,
        fidelity: Fidelity::Packet,
        ranks,
        nodes: request.nodes,
        time_s: outcome.time.seconds(),
        rows: rows(&world.workload),
        io,
        digest: format!("{:016x}", outcome.digest.0),
        interrupted: outcome.end == End::Interrupted,
        failure: failure(job, &outcome.end),
        engine,
    }
}

/// Why the run did not finish, other than an interruption.
pub(super) fn failure(job: &Job, end: &End) -> Option<FailureRow> {
    let (kind, blocked) = match end {
        End::Failed(blocked) => ("fault", std::slice::from_ref(blocked)),
        End::Exhausted(blocked) => ("limit", std::slice::from_ref(blocked)),
        End::Erroneous(blocked) => ("error", std::slice::from_ref(blocked)),
        End::Deadlock(all) => ("deadlock", &all[..]),
        End::Finished | End::Interrupted | End::Stopped => return None,
    };
    let message = match blocked.first() {
        Some(first) => first.what.clone(),
        None => "no rank can continue".into(),
    };
    let ranks = blocked.iter().take(20).map(|blocked| super::rows::FailureRank {
        rank: blocked.rank,
        node: job.machine.node_name(blocked.node),
        call: None,
        detail: blocked.what.clone(),
    });
    Some(FailureRow { kind, message, ranks: ranks.collect() })
}
