//! `odonata run`: the ranks of an unmodified program on a simulated machine.

use super::program::{FilesRow, Program, Word};
use super::replay::Recorded;
use super::rows::{self, FailureRank, FailureRow, RankRow};
use super::timeline::{TimelineRow, TimelineRun};
use super::traffic_tables::{self, TrafficTables};
use super::{
    Common, Fidelity, HonoredEnv, RequestedClass, RulesRequest, call_notes, cray, fidelity,
    file_system_facts, file_systems, io, job_with_files, limits, memory,
};
use base::{Span, Time};
use collectives::Overrides;
use flow::FlowNetwork;
use live::{Exit, LaunchError, LaunchSpec, Launcher, Live, LiveOutcome, RankLocation};
use loggp::LogGpNetwork;
use machine::{InputError, Machine};
use mpi::Family;
use mpi::limits::Limit;
use net::NetworkModel;
use packet::PacketNetwork;
use serde::{Deserialize, Serialize};
use sim::{Blocked, End, Outcome};
use sim::{Job, LimitPolicy, Progress, RankPlacement, StartProgress, World};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::rc::Rc;
use std::time::Duration;
use workload::functions::function_name;
use workload::schedule::record::Recorder;
use workload::wire::checks;

/// Number of unsuccessful polls, over all ranks and with no other event pending, that counts as a
/// livelock: some seconds of wall time [estimate]. A program that does a million operations of its
/// own between two messages and polls after each is reported as livelocked.
const LIVELOCK_POLLS: u64 = 1_000_000;
/// Wall time to wait for ranks blocked outside MPI when no other rank can run; the same as for
/// threads (docs/models/live.md) [estimate].
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, Deserialize)]
pub struct RunRequest {
    #[serde(flatten)]
    pub common: Common,
    pub ranks: u32,
    #[serde(default)]
    pub ppn: Option<u32>,
    #[serde(flatten)]
    pub program: Program,
    #[serde(default)]
    pub hostfile_text: Option<String>,
    /// The rank order file that Cray MPICH's variable requests.
    #[serde(default)]
    pub rank_order: Option<RulesRequest>,
    /// Records the MPI calls of the ranks.
    #[serde(default)]
    pub record: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    pub time_s: f64,
    pub ranks: u32,
    pub nodes: u32,
    pub machine: String,
    pub fidelity: Fidelity,
    pub mpi: String,
    pub digest: String,
    pub exit_code: i32,
    pub interrupted: bool,
    pub mpi_calls: u64,
    pub blocking_calls: u64,
    /// Number of times ranks yielded to the simulator, in MPI calls and between them.
    pub hand_overs: u64,
    pub wall_s: f64,
    pub start: StartRow,
    pub failure: Option<FailureRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonzero_exits: Option<NonzeroExits>,
    pub rank_table: Vec<RankRow>,
    pub call_table: Vec<CallRow>,
    #[serde(flatten)]
    pub traffic_tables: TrafficTables,
    /// Rules and variables that are not applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    pub files: FilesRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineRow>,
}

/// How the ranks' processes were started.
#[derive(Clone, Debug, Serialize)]
pub struct StartRow {
    /// They are forks of one warmed-up interpreter.
    pub forked: bool,
    /// Why they are not, although the program is a Python script.
    #[serde(rename = "unfit")]
    pub fork_refusal: Option<String>,
    /// Wall time until every rank had called MPI or ended.
    pub wall_s: f64,
}
/// In a job without a failure: the number of processes with an exit status other than 0, the first
/// such rank, and its status.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NonzeroExits {
    pub ranks: u32,
    pub first: u32,
    pub status: i32,
}
#[derive(Clone, Debug, Serialize)]
pub struct CallRow {
    pub function: String,
    pub calls: u64,
    pub time_s: f64,
    pub bytes: u64,
}
pub fn run(
    request: &RunRequest,
    tick: Box<dyn FnMut(Progress) -> bool>,
) -> Result<RunResult, Vec<InputError>> {
    let wall_start = std::time::Instant::now();
    let mut common = request.common.clone();
    let mut input_errors = Vec::new();
    let ppn = request.ppn.unwrap_or(1).max(1);
    if request.ranks == 0 {
        input_errors.push(InputError::new("ranks", "0", "at least one rank"));
    }
    if let Some(text) = &request.hostfile_text {
        common.placement = Some(super::PlacementRequest::Hosts { hosts: text.clone() });
    }
    let factor = request.program.compute.factor().unwrap_or_else(|input_error| {
        input_errors.push(input_error);
        None
    });
    let honored_env = HonoredEnv::new(&request.common, request.program.env_texts());
    let (overrides, notes) = super::overrides(honored_env).unwrap_or_else(|more| {
        input_errors.extend(more);
        Default::default()
    });
    let requested = RequestedClass::or_by_variable(request.common.class.as_deref(), honored_env);
    let by_hand = common.nic_policy.is_some();
    let set =
        cray::apply_variables(&mut common, honored_env, request.ranks, request.rank_order.as_ref());
    let set = set.map_err(|more| input_errors.extend(more)).unwrap_or_default();
    let job = match job_with_files(&common, request.ranks, ppn, requested) {
        Ok(mut job) => {
            let notes = notes.into_iter().chain(set);
            job.library.notes.extend(notes.map(|note| (None, note)));
            if let Err(more) = limits::apply_env(&mut job.library, &job.machine, honored_env) {
                input_errors.extend(more);
            }
            input_errors.extend(limits::reducers(&job, &overrides));
            if let Err(more) = file_systems::mounts(&request.program, &job.machine) {
                input_errors.extend(more);
            }
            if !input_errors.is_empty() {
                return Err(input_errors);
            }
            job
        }
        Err(more) => {
            let named = |c| if by_hand { c } else { cray::of_variable(c, honored_env) };
            input_errors.extend(more.into_iter().map(named));
            input_errors.extend(limits::env_errors(honored_env));
            return Err(input_errors);
        }
    };
    let fidelity = fidelity(&common.fidelity).expect("reported by `job`");
    let mut result = match fidelity {
        Fidelity::Packet => {
            launch::<PacketNetwork>(&job, request, fidelity, factor, overrides, tick)?
        }
        Fidelity::Flow => launch::<FlowNetwork>(&job, request, fidelity, factor, overrides, tick)?,
        Fidelity::LogGp => {
            launch::<LogGpNetwork>(&job, request, fidelity, factor, overrides, tick)?
        }
    };
    result.mpi.clone_from(&common.mpi);
    result.wall_s = wall_start.elapsed().as_secs_f64();
    result.traffic_tables.engine.wall_s = result.wall_s;
    Ok(result)
}

/// The processes and the event loop share the caller's callback.
pub(super) type SharedTick = Rc<RefCell<Box<dyn FnMut(Progress) -> bool>>>;

/// Starts the processes of a program on these nodes of the machine of `job`. Among several jobs the
/// program has a number.
pub(super) fn start(
    job: &Job,
    placements: &[RankPlacement],
    (number, program): (u32, &Program),
    factor: Option<f64>,
    overrides: Overrides,
    tick: &SharedTick,
) -> Result<Live, InputError> {
    let ranks = placements.len() as u32;
    let (placements, nodes) = rank_locations(&job.machine, placements);
    let library = &job.library;
    let file_systems =
        file_systems::mounts(program, &job.machine).map_err(|mut errors| errors.swap_remove(0))?;
    let of_commands = file_system_facts::variables(program, &job.machine, &file_systems);
    let given = program.env.iter().map(|(k, v)| (k.0.clone(), v.0.clone()));
    let starting = Rc::new(Cell::new(None));
    let starting_now = starting.clone();
    let spec = LaunchSpec {
        program: words(&program.program),
        warm: program.warm.as_deref().map(words),
        env: given.chain(of_commands).collect(),
        env_remove: words(&program.env_remove),
        wdir: program.wdir.as_ref().map(|dir| dir.0.clone().into()),
        ranks,
        launcher: match job.machine.launcher {
            machine::Launcher::Pals => Launcher::Pals,
            machine::Launcher::Slurm => Launcher::Slurm,
        },
        job: number,
        cores: job.machine.node.cores,
        locations: placements,
        nodes,
        compute_factor: factor.map(|f| f / job.machine.node.core_speed),
        label: program.label,
        machine: job.machine.name.clone(),
        library_version: library.version.clone(),
        checks: match library.family {
            Family::Mpich => checks::MPICH,
            Family::OpenMpi => checks::OPEN_MPI,
        },
        tag_ub: library.tag_ub,
        tag_max: if job.limits == LimitPolicy::Fail { library.tag_ub } else { i32::MAX },
        eager_max: library.eager_max.min(library.shm_eager_max),
        inject_max: library.inject_max,
        // Never 0: a program that waits for the clock must see it advance.
        clock_tick: library.call_overhead.max(Span::ns(1)),
        poll_interval: library.poll_interval,
        livelock_polls: LIVELOCK_POLLS,
        idle_timeout: IDLE_TIMEOUT,
        synchronized: overrides.synchronized,
        file_systems,
        progress: Some(Box::new(move |p: live::Progress| {
            let live::Progress { started, attached, ranks } = p;
            let is_over = attached == ranks;
            starting_now.set((!is_over).then_some(StartProgress { started, attached, ranks }));
        })),
    };
    let requested = tick.clone();
    let interrupted = Box::new(move || {
        let starting = starting.get();
        !(requested.borrow_mut())(Progress { starting, ..Progress::at(Time::ZERO, 0) })
    });
    let rules = library.clone();
    let choose =
        Box::new(move |case: &live::CollectiveCase| rules.selection.decide(case, &overrides));
    Live::launch(spec, choose, interrupted).map_err(|e| input_error(&e))
}

fn launch<N: NetworkModel>(
    job: &Job,
    request: &RunRequest,
    fidelity: Fidelity,
    factor: Option<f64>,
    overrides: Overrides,
    tick: Box<dyn FnMut(Progress) -> bool>,
) -> Result<RunResult, Vec<InputError>> {
    let mut traced = TimelineRun::open(request.common.timeline.as_ref())
        .map_err(|input_error| vec![input_error])?;
    let tick = Rc::new(RefCell::new(tick));
    let mut live = start(job, &job.placements, (0, &request.program), factor, overrides, &tick)
        .map_err(|input_error| vec![input_error])?;
    live.recorder = request.record.then(|| Recorder::new(request.ranks));
    if traced.is_some() {
        live.collect_calls();
    }
    let mut world = World::<N, _>::new(job, live);
    if let Some(traced) = &mut traced {
        traced.attach(&mut world);
    }
    let mut outcome = world.run(&mut |progress| (tick.borrow_mut())(progress));
    if matches!(outcome.end, End::Deadlock(_)) && world.workload.settle().is_some() {
        // Other ranks are blocked because this one has died.
        outcome.end = End::Stopped;
    }
    if outcome.end != End::Finished {
        world.workload.close(outcome.time);
    }
    let blocked = match &outcome.end {
        End::Deadlock(blocked) => deadlock(&job.machine, &job.placements, &world.workload, blocked),
        End::Erroneous(blocked) | End::Failed(blocked) | End::Exhausted(blocked) => {
            vec![row(&job.machine, &world.workload, blocked)]
        }
        _ => Vec::new(),
    };
    let recorder = world.workload.recorder.take();
    if let Some(traced) = &mut traced {
        traced.finish(&mut world, job, fidelity, outcome.time);
    }
    let paths =
        io::paths(&job.machine, &outcome, |system, file| world.workload.file_path(system, file));
    let live = world.workload.outcome();
    let mut blocked = blocked;
    if let Some(out) = memory::count(&mut outcome, job, &[(0, &live)])
        && outcome.end == End::Finished
        && live.failure.is_none()
    {
        blocked = vec![killed(&job.machine, &out)];
        outcome.end = End::Exhausted(out);
    }
    let mut result = result(job, fidelity, &outcome, live, blocked);
    if let Some(io) = &mut result.traffic_tables.io {
        io.name_files(&paths);
    }
    result.timeline = traced.and_then(|traced| traced.row);
    result.recorded = recorder.map(|recorder| Recorded::of(&recorder, request.ranks, job));
    Ok(result)
}

fn words(all: &[Word]) -> Vec<OsString> {
    all.iter().map(|word| word.0.clone()).collect()
}

fn input_error(error: &LaunchError) -> InputError {
    let at = match error {
        LaunchError::NoDirectory(_) => "wdir",
        LaunchError::Store(_) => "keep",
        LaunchError::Space { .. } => "limits of this process",
        LaunchError::Spawn { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
            "program"
        }
        LaunchError::Locations { .. }
        | LaunchError::Spawn { .. }
        | LaunchError::Capacity { .. }
        | LaunchError::Descriptors { .. } => "ranks",
        _ => "program",
    };
    InputError::new(at, "", error.to_string())
}

fn rank_locations(machine: &Machine, placements: &[RankPlacement]) -> (Vec<RankLocation>, u32) {
    let mut local: BTreeMap<u32, u32> = BTreeMap::new();
    for placed in placements {
        *local.entry(placed.node.0).or_default() += 1;
    }
    let index: BTreeMap<u32, u32> =
        local.keys().enumerate().map(|(i, &node)| (node, i as u32)).collect();
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    let placements = placements.iter().map(|placed| {
        let at = next.entry(placed.node.0).or_default();
        *at += 1;
        RankLocation {
            node: index[&placed.node.0],
            node_name: machine.node_name(placed.node),
            local_rank: *at - 1,
            local_size: local[&placed.node.0],
        }
    });
    (placements.collect(), index.len() as u32)
}

pub(super) fn row(machine: &Machine, live: &Live, blocked: &Blocked) -> FailureRank {
    let call = live.call(blocked.rank);
    // A rank outside MPI calls is doing something else, which its detail describes.
    let detail = match call {
        Some(_) => blocked.what.clone(),
        None => format!("{}; {}", live.describe(blocked.rank), blocked.what),
    };
    FailureRank { rank: blocked.rank, node: machine.node_name(blocked.node), call, detail }
}

/// The same for a rank whose process ended before it got this far.
pub(super) fn killed(machine: &Machine, out: &Blocked) -> FailureRank {
    let node = machine.node_name(out.node);
    FailureRank { rank: out.rank, node, call: None, detail: out.what.clone() }
}

/// One row per blocked rank, with everything it waits for. One row per rank that ended abnormally,
/// which may be the cause.
pub(super) fn deadlock(
    machine: &Machine,
    placements: &[RankPlacement],
    live: &Live,
    blocked: &[Blocked],
) -> Vec<FailureRank> {
    let mut rows: Vec<FailureRank> = blocked
        .chunk_by(|a, b| a.rank == b.rank)
        .filter(|group| !live.has_left(group[0].rank).0)
        .map(|group| {
            let details: Vec<&str> = group.iter().map(|b| b.what.as_str()).collect();
            FailureRank { detail: details.join("; "), ..row(machine, live, &group[0]) }
        })
        .collect();
    for (rank, placed) in placements.iter().enumerate() {
        let rank = rank as u32;
        if let (true, Some(Exit::Status(status))) = live.has_left(rank)
            && status != 0
        {
            let what = format!("its process exited with status {status}");
            rows.push(row(machine, live, &Blocked { rank, node: placed.node, what }));
        }
    }
    rows.sort_by_key(|r| r.rank);
    rows
}

/// Ranks whose processes ended with a status other than 0, and that status.
fn nonzero(live: &LiveOutcome) -> Vec<(u32, i32)> {
    let left = live.exits.iter().zip(0u32..).filter_map(|(exit, rank)| match exit {
        Exit::Status(status) if *status != 0 => Some((rank, *status)),
        _ => None,
    });
    left.collect()
}

/// Exit statuses to report for a job without another failure.
pub(super) fn nonzero_exits(
    failure: Option<&FailureRow>,
    live: &LiveOutcome,
) -> Option<NonzeroExits> {
    let left = nonzero(live);
    let (&(first, status), ranks) = (left.first()?, left.len() as u32);
    failure.is_none().then_some(NonzeroExits { ranks, first, status })
}

/// Notes about ranks that ended without `MPI_Finalize` or communicated outside MPI.
pub(super) fn endings(live: &LiveOutcome, has_failed: bool) -> Vec<String> {
    let of = live.ranks.len();
    let mut notes = Vec::new();
    if let (Some(first), false) = (live.unfinalized.first(), has_failed) {
        let n = live.unfinalized.len();
        notes.push(format!(
            "{n} of {of} ranks exited with status 0 without MPI_Finalize, first rank {first}: the \
             prediction covers everything they did"
        ));
    }
    if let Some((first, call)) = live.outside_mpi.first() {
        let n = live.outside_mpi.len();
        notes.push(format!(
            "{n} of {of} ranks waited outside MPI, first rank {first} in {call}: traffic outside \
             MPI is not modeled and takes no simulated time"
        ));
    }
    notes
}

/// The message for a deadlock, and the exit status: that of a rank that left early through
/// `MPI_Finalize`, if there is one, because it is the likely cause.
fn describe_deadlock(live: &LiveOutcome, rows: usize) -> (String, i32) {
    let left = nonzero(live);
    let n = rows.saturating_sub(left.len());
    let who = if n == 1 { "1 rank waits".into() } else { format!("{n} ranks wait") };
    let text = format!("deadlock: {who} for events that cannot occur");
    match left.first() {
        Some((rank, status)) => (format!("{text}; rank {rank} left with status {status}"), *status),
        None => (text, 1),
    }
}

pub(super) fn failure(
    end: &End,
    live: &LiveOutcome,
    ranks: Vec<FailureRank>,
) -> (Option<FailureRow>, i32) {
    let (kind, message) = match end {
        End::Deadlock(_) => {
            let (message, code) = describe_deadlock(live, ranks.len());
            return (Some(FailureRow { kind: "deadlock", message, ranks }), code);
        }
        End::Erroneous(blocked) => {
            ("erroneous", format!("erroneous program: rank {}: {}", blocked.rank, blocked.what))
        }
        End::Failed(blocked) => ("fault", blocked.what.clone()),
        End::Exhausted(blocked) => ("limit", blocked.what.clone()),
        End::Interrupted => ("interrupted", "interrupted".to_string()),
        _ if live.interrupted => ("interrupted", "interrupted".to_string()),
        _ => match &live.failure {
            None => return (None, live.exit_code),
            Some(f) => {
                let kind = match f.why {
                    live::FailureCause::Signal(_) => "killed",
                    live::FailureCause::ExitedEarly { .. }
                    | live::FailureCause::NeverInitialized { .. }
                    | live::FailureCause::EndedUnderWrapper => "early_exit",
                    live::FailureCause::Abort { .. } => "abort",
                    live::FailureCause::Tag { .. } | live::FailureCause::StoreFull { .. } => {
                        "limit"
                    }
                    live::FailureCause::Livelock { .. } => "livelock",
                    live::FailureCause::BlockedOutsideMpi { .. } => "deadlock",
                    live::FailureCause::Mismatch(_)
                    | live::FailureCause::TargetFinalized { .. }
                    | live::FailureCause::TargetBlocked { .. } => "erroneous",
                    live::FailureCause::Protocol(_) => "protocol",
                };
                let mut message = f.to_string();
                if let live::FailureCause::Tag { .. } = f.why {
                    let at = live.ranks[f.rank as usize].end;
                    message = format!("{message}, at {at}. Fix: {}", Limit::Tag.workaround());
                }
                let rank = FailureRank {
                    rank: f.rank,
                    node: f.node.clone(),
                    call: f.call.clone(),
                    detail: message.clone(),
                };
                let row = FailureRow { kind, message, ranks: vec![rank] };
                return (Some(row), live.exit_code);
            }
        },
    };
    let code = if kind == "interrupted" { 130 } else { 1 };
    (Some(FailureRow { kind, message, ranks }), code)
}

fn result(
    job: &Job,
    fidelity: Fidelity,
    outcome: &Outcome,
    live: LiveOutcome,
    blocked: Vec<FailureRank>,
) -> RunResult {
    let (failure, exit_code) = failure(&outcome.end, &live, blocked);
    let mut notes = super::notes(job, None);
    notes.extend(endings(&live, failure.is_some()));
    notes.extend(call_notes::notes(&live, &job.library.name));
    let files = FilesRow::of(&live, &job.machine);
    let mut traffic_tables = TrafficTables::of(job, fidelity, outcome);
    let file_systems = file_systems::rows(&live, &job.machine);
    if !file_systems.is_empty() {
        traffic_tables.io.get_or_insert_default().file_systems = file_systems;
    }
    let nonzero_exits = nonzero_exits(failure.as_ref(), &live);
    let n = job.placements.len();
    let sent = traffic_tables::sent(n, outcome);
    let rank_table = live.ranks.iter().enumerate().map(|(i, r)| RankRow {
        rank: i as u32,
        node: job.machine.node_name(job.placements[i].node),
        compute_s: r.compute.seconds(),
        waiting_s: r.waiting.seconds(),
        transfer_s: r.transfer.seconds(),
        other_s: outcome.time.since(r.end).seconds(),
        messages: sent[i].0,
        bytes: sent[i].1,
    });
    let mut calls: BTreeMap<&str, (u64, f64, u64)> = BTreeMap::new();
    for f in live.ranks.iter().flat_map(|r| &r.functions) {
        let row = calls.entry(rows::without_width(function_name(f.function))).or_default();
        row.0 += f.calls;
        row.1 += f.blocked.seconds();
        row.2 += f.bytes;
    }
    let mut call_table: Vec<CallRow> = calls
        .into_iter()
        .map(|(f, (calls, time_s, bytes))| CallRow {
            function: f.to_string(),
            calls,
            time_s,
            bytes,
        })
        .collect();
    call_table.sort_by(|a, b| b.time_s.total_cmp(&a.time_s).then(a.function.cmp(&b.function)));
    RunResult {
        time_s: outcome.time.seconds(),
        ranks: n as u32,
        nodes: rows::nodes(&job.placements),
        machine: job.machine.name.clone(),
        fidelity,
        mpi: String::new(),
        digest: format!("{:016x}", outcome.digest.0),
        exit_code,
        interrupted: failure.as_ref().is_some_and(|f| f.kind == "interrupted"),
        mpi_calls: live.mpi_calls,
        blocking_calls: live.blocking_calls,
        hand_overs: live.hand_overs,
        wall_s: 0.0,
        start: StartRow {
            forked: live.start.forked,
            fork_refusal: live.start.fork_refusal,
            wall_s: live.start.wall_s,
        },
        failure,
        nonzero_exits,
        rank_table: rank_table.collect(),
        call_table,
        traffic_tables,
        notes,
        files,
        recorded: None,
        timeline: None,
    }
}
