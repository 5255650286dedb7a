//! Several concurrent jobs on one machine: programs and benchmarks, each on nodes of its own.
//!
//! They start together. Each is also run with the machine to itself, on the same nodes. The ratio
//! of the two times is its slowdown.

use super::bench::{self, plan, row_of};
use super::bench_checks::{too_large, too_many};
use super::bench_data::BenchRow;
use super::congestion::Congested;
use super::counters::{Tally, of_nodes};
use super::io_bench::{self, IoProgram, Plan};
use super::placement_checks::placement_error;
use super::program::{FilesRow, Program};
use super::rows::{self, EngineRow, FailureRank, FailureRow};
use super::run::{self, NonzeroExits, SharedTick};
use super::traffic_tables::{LinkRow, links};
use super::vocabulary::defaults;
use super::{
    BackgroundRow, Common, CongestionRow, CounterRow, Fidelity, FileSystemRow, HonoredEnv,
    IoBenchRequest, IoBenchRow, IoResult, JobSpec, LimitsRow, LinkKindRow, NetworkErrors,
    PlacementRequest, RequestedClass, call_notes, fidelity, file_systems, io, limits, memory,
    of_job, run_of, unknown,
};
use crate::benchmarks::{Bench, BenchPlan, WINDOW};
use base::{Digest, Span, Time};
use collectives::Overrides;
use flow::FlowNetwork;
use live::{Live, LiveOutcome};
use loggp::LogGpNetwork;
use machine::{Distance, InputError, Machine};
use mpi::Library;
use net::NetworkModel;
use packet::PacketNetwork;
use serde::{Deserialize, Serialize};
use sim::{Blocked, End, JobOutcome, Outcome};
use sim::{Job, Progress, RankPlacement, World};
use std::cell::RefCell;
use std::rc::Rc;
use workload::{Call, Context, MultiJob, OpCompletion, Streams, Workload};

#[derive(Clone, Debug, Deserialize)]
pub struct JobsRequest {
    #[serde(flatten)]
    pub common: Common,
    pub jobs: Vec<JobRequest>,
    /// Each is also run alone.
    #[serde(default)]
    pub alone: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct JobRequest {
    pub name: String,
    pub ranks: u32,
    pub ppn: u32,
    #[serde(default)]
    pub placement: Option<PlacementRequest>,
    /// Traffic class; default: from the program's environment, or best effort.
    #[serde(default)]
    pub class: Option<String>,
    #[serde(flatten)]
    pub task: Task,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Task {
    Program(Box<Program>),
    Bench {
        bench: String,
        bytes: u64,
        /// Counted iterations; default: the benchmark's own number.
        #[serde(default)]
        iterations: Option<u32>,
        /// Message budget of one iteration of a fabric test.
        #[serde(default = "defaults::messages")]
        messages: u64,
    },
    /// `ior` or `mdtest`.
    Files {
        bench: String,
        #[serde(default)]
        io_options: String,
        #[serde(default)]
        file_system: Option<String>,
    },
}

#[derive(Clone, Debug, Serialize)]
pub struct JobRow {
    pub name: String,
    pub ranks: u32,
    pub nodes: u32,
    /// From the common start to its last completion, with the other jobs.
    pub time_s: f64,
    /// The same with the machine to itself, and the ratio of the two.
    pub alone_s: Option<f64>,
    pub slowdown: Option<f64>,
    /// Of its completions and their times.
    pub digest: String,
    pub alone_digest: Option<String>,
    pub messages: u64,
    pub bytes: u64,
    /// Sent by its NICs.
    pub packets: u64,
    pub wire_bytes: u64,
    pub distance: Vec<JobDistance>,
    /// Programs: means over ranks.
    pub compute_s: Option<f64>,
    pub waiting_s: Option<f64>,
    pub transfer_s: Option<f64>,
    pub mpi_calls: Option<u64>,
    /// Benchmarks: the result with the other jobs, and alone.
    pub bench: Option<BenchRow>,
    pub alone_bench: Option<BenchRow>,
    /// Benchmarks of file systems: the phases with the other jobs, and alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<IoBenchRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alone_phases: Vec<IoBenchRow>,
    pub exit_code: i32,
    pub failure: Option<FailureRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonzero_exits: Option<NonzeroExits>,
    /// Programs only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<FilesRow>,
}

#[derive(Clone, Debug, Serialize)]
pub struct JobDistance {
    pub distance: &'static str,
    pub messages: u64,
    pub bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct JobsResult {
    pub machine: String,
    pub fidelity: Fidelity,
    pub mpi: String,
    /// End of the last job.
    pub time_s: f64,
    pub digest: String,
    pub jobs: Vec<JobRow>,
    pub background: Vec<BackgroundRow>,
    /// On a machine whose switches manage congestion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<CongestionRow>,
    pub link_table: Vec<LinkRow>,
    pub link_kinds: Vec<LinkKindRow>,
    /// File systems, of all jobs together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io: Option<IoResult>,
    /// Over the NICs of all jobs' nodes.
    pub counter_table: Vec<CounterRow>,
    pub exit_code: i32,
    pub interrupted: bool,
    /// Maximum use of all limited resources; ranks are numbered within their jobs.
    pub limits: LimitsRow,
    /// Rules and variables that are not applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// On a machine with a fault schedule; all jobs together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkErrors>,
    pub wall_s: f64,
    pub engine: EngineRow,
}

/// A task that has been validated.
enum Ready<'a> {
    Program {
        /// Its number among the jobs.
        job_index: u32,
        program: &'a Program,
        factor: Option<f64>,
        overrides: Overrides,
        /// Variables that are not applied.
        notes: Vec<String>,
    },
    Bench(BenchPlan),
    Files(Plan),
}

/// A running job: its ranks are processes, or follow a script.
enum Work {
    Program(Box<Live>),
    Bench(Box<Streams>, BenchPlan),
    Files(Box<IoProgram>),
}

impl Workload for Work {
    fn ranks(&self) -> u32 {
        match self {
            Work::Program(w) => w.ranks(),
            Work::Bench(w, _) => w.ranks(),
            Work::Files(w) => w.ranks(),
        }
    }
    fn members(&self, job: u32, context: Context) -> &[u32] {
        match self {
            Work::Program(w) => w.members(job, context),
            Work::Bench(w, _) => w.members(job, context),
            Work::Files(w) => w.members(job, context),
        }
    }
    fn start(&mut self, calls: &mut Vec<Call>) {
        match self {
            Work::Program(w) => w.start(calls),
            Work::Bench(w, _) => w.start(calls),
            Work::Files(w) => w.start(calls),
        }
    }
    fn resume(&mut self, now: Time, done: &[OpCompletion], calls: &mut Vec<Call>) {
        match self {
            Work::Program(w) => w.resume(now, done, calls),
            Work::Bench(w, _) => w.resume(now, done, calls),
            Work::Files(w) => w.resume(now, done, calls),
        }
    }
    fn stalled(&mut self, now: Time, calls: &mut Vec<Call>) {
        if let Work::Program(w) = self {
            w.stalled(now, calls);
        }
    }
    fn alarms_only(&mut self, job: u32, now: Time, calls: &mut Vec<Call>) {
        if let Work::Program(w) = self {
            w.alarms_only(job, now, calls);
        }
    }
    fn is_finished(&self) -> bool {
        match self {
            Work::Program(w) => w.is_finished(),
            Work::Bench(w, _) => w.is_finished(),
            Work::Files(w) => w.is_finished(),
        }
    }
    fn is_stopped(&self) -> bool {
        match self {
            Work::Program(w) => w.is_stopped(),
            Work::Bench(..) | Work::Files(_) => false,
        }
    }
}

/// Result of one job.
struct JobRun {
    outcome: JobOutcome,
    failure: Option<FailureRow>,
    exit_code: i32,
    live: Option<LiveOutcome>,
    bench: Option<BenchRow>,
    phases: Vec<IoBenchRow>,
}

impl JobRun {
    /// A script cannot fail by itself: the machine or another job ended it.
    fn of_script(outcome: JobOutcome, failure: Option<FailureRow>) -> JobRun {
        let exit_code = i32::from(failure.is_some() && !is_interrupted(&failure));
        JobRun { outcome, failure, exit_code, live: None, bench: None, phases: Vec::new() }
    }
}

/// The failure of a job that did not cause the end of the run.
fn with_the_run() -> FailureRow {
    let message = "ended with the run".into();
    FailureRow { kind: "interrupted", message, ranks: Vec::new() }
}

pub fn jobs(
    request: &JobsRequest,
    tick: Box<dyn FnMut(Progress) -> bool>,
) -> Result<JobsResult, Vec<InputError>> {
    let wall_start = std::time::Instant::now();
    if request.jobs.is_empty() {
        return Err(vec![InputError::new("jobs", "", "one job or more")]);
    }
    let (run, order, ready) = prepared(request)?;
    let fidelity = fidelity(&request.common.fidelity).expect("reported by `run_of`");
    let tick: SharedTick = Rc::new(RefCell::new(tick));
    let simulate = |run: &Job, ready: &[&Ready<'_>]| match fidelity {
        Fidelity::Packet => simulate::<PacketNetwork>(run, ready, &tick),
        Fidelity::Flow => simulate::<FlowNetwork>(run, ready, &tick),
        Fidelity::LogGp => simulate::<LogGpNetwork>(run, ready, &tick),
    };
    let mut by_number: Vec<&Ready<'_>> = ready.iter().collect();
    order.iter().zip(&ready).for_each(|(&number, task)| by_number[number] = task);
    let (outcome, job_runs, paths) = simulate(&run, &by_number)?;
    let mut job_runs: Vec<Option<JobRun>> = job_runs.into_iter().map(Some).collect();
    let tally = Tally::of(&outcome);
    let (link_table, link_kinds) = links(&run.machine, &tally);
    let nics = of_nodes(&run.machine, run.placements.iter().map(|placed| placed.nic));
    let mut notes = super::notes(&run, None);
    for task in &ready {
        if let Ready::Program { notes: set, .. } = task {
            notes.extend(
                set.iter().filter(|note| !notes.contains(note)).cloned().collect::<Vec<_>>(),
            );
        }
    }
    let mut io = IoResult::of(&outcome);
    if let Some(io) = &mut io {
        io.name_files(&paths);
    }
    let mut result = JobsResult {
        machine: run.machine.name.clone(),
        fidelity,
        mpi: request.common.mpi.clone(),
        time_s: outcome.time.seconds(),
        digest: hex(outcome.digest),
        jobs: Vec::new(),
        background: outcome.background.iter().map(Into::into).collect(),
        congestion: CongestionRow::of(&run.machine, fidelity, &Congested::of(&outcome.counters)),
        link_table,
        link_kinds,
        io,
        counter_table: tally.rows(&run.machine, fidelity, &nics),
        exit_code: 0,
        interrupted: outcome.end == End::Interrupted,
        limits: LimitsRow::of_run(&run, &outcome),
        notes,
        network: NetworkErrors::of_run(&run.machine, &outcome),
        wall_s: 0.0,
        engine: EngineRow::default(),
    };
    result.engine.add(outcome.engine);
    for (i, job) in request.jobs.iter().enumerate() {
        let number = order[i];
        let placements = placements_of(&run, number);
        let together = job_runs[number].take().expect("every job was run once");
        let mut row = row(job, &run.machine, placements, &together);
        if let Some(live) = &together.live {
            let of_job = file_systems::rows(live, &run.machine).into_iter();
            let io = result.io.as_mut();
            let named = of_job.map(|row| FileSystemRow { job: Some(job.name.clone()), ..row });
            io.into_iter().for_each(|io| io.file_systems.extend(named.clone()));
            let of_job = run::endings(live, together.failure.is_some()).into_iter();
            result.notes.extend(of_job.map(|note| format!("job {}: {note}", job.name)));
        }
        result.interrupted |= is_interrupted(&together.failure);
        if request.alone && !result.interrupted && together.failure.is_none() {
            let mut own =
                Job::new(run.machine.clone(), run.library.clone(), placements.to_vec(), run.seed);
            own.noise = run.noise;
            own.limits = run.limits;
            own.engine = run.engine;
            own.vnets = vec![run.vnets[number]];
            own.storage_vnets.clone_from(&run.storage_vnets);
            let (outcome, alone, _) = simulate(&own, &[&ready[i]])?;
            result.engine.add(outcome.engine);
            let alone = alone.into_iter().next().expect("one job was run");
            result.interrupted |= is_interrupted(&alone.failure) || outcome.end == End::Interrupted;
            if alone.failure.is_none() && outcome.end == End::Finished {
                let alone_s = alone.outcome.time.seconds();
                row.alone_s = Some(alone_s);
                row.slowdown = (alone_s > 0.0).then(|| row.time_s / alone_s);
                row.alone_digest = Some(hex(alone.outcome.digest));
                row.alone_bench = alone.bench;
                row.alone_phases = alone.phases;
            }
        }
        let call_notes = together.live.iter().flat_map(|live| {
            let name = job.name.as_str();
            call_notes::notes(live, &run.library.name)
                .into_iter()
                .map(move |n| format!("job {name}: {n}"))
        });
        result.notes.extend(call_notes);
        result.jobs.push(row);
    }
    // A job that failed by itself takes precedence over those that ended with the run.
    let code = |by_itself: bool| {
        let mut rows = result.jobs.iter().filter(|row| is_interrupted(&row.failure) != by_itself);
        rows.find(|row| row.exit_code != 0).map(|row| row.exit_code)
    };
    result.exit_code = code(true).or_else(|| code(false)).unwrap_or(0);
    result.wall_s = wall_start.elapsed().as_secs_f64();
    result.engine.wall_s = result.wall_s;
    Ok(result)
}

/// All input errors of a request; nothing is run. A caller that has rejected some of the jobs
/// passes the others, possibly none.
pub fn check_jobs(request: &JobsRequest) -> Result<(), Vec<InputError>> {
    prepared(request).map(|_| ())
}

/// The jobs, the internal number of each, and their tasks.
type Prepared<'a> = (Job, Vec<usize>, Vec<Ready<'a>>);

fn prepared(request: &JobsRequest) -> Result<Prepared<'_>, Vec<InputError>> {
    let JobsRequest { common, jobs, .. } = request;
    let mut input_errors = Vec::new();
    let job_specs: Vec<JobSpec<'_>> = jobs.iter().map(|job| job_spec(job, common)).collect();
    let run = run_of(common, &job_specs).map_err(|more| input_errors.extend(more)).ok();
    let mut ready = Vec::new();
    for (i, job) in jobs.iter().enumerate() {
        let task =
            prepare(job, i as u32, common, run.as_ref().map(|run| &run.0)).and_then(|task| {
                let (Some(Ready::Bench(plan)), Some((run, order))) = (&task, &run) else {
                    return Ok(task);
                };
                let Task::Bench { messages, .. } = job.task else { return Ok(task) };
                let fidelity = fidelity(&common.fidelity).expect("reported by `run_of`");
                let input_error =
                    placement_error(plan.bench, plan.ppn, placements_of(run, order[i]))
                        .or_else(|| too_many(plan, fidelity, messages));
                input_error.map_or(Ok(task), |input_error| Err(vec![input_error]))
            });
        match task {
            Ok(task) => ready.extend(task),
            Err(more) => input_errors.extend(more.into_iter().map(|c| of_job(c, jobs.len(), i))),
        }
    }
    let Some((mut run, order)) = run else {
        for (i, job) in jobs.iter().enumerate() {
            if let Task::Program(program) = &job.task {
                let more = limits::env_errors(HonoredEnv::new(common, program.env_texts()));
                input_errors.extend(more.into_iter().map(|c| of_job(c, jobs.len(), i)));
            }
        }
        return Err(input_errors);
    };
    match provider(request, &run) {
        Ok(library) => run.library = library,
        Err(more) => input_errors.extend(more),
    }
    if input_errors.is_empty() { Ok((run, order, ready)) } else { Err(input_errors) }
}

/// Ranks, placement and class that a job requests.
fn job_spec<'a>(job: &'a JobRequest, common: &Common) -> JobSpec<'a> {
    let JobRequest { ranks, ppn, placement, class, .. } = job;
    let env: &[_] = match &job.task {
        Task::Program(program) => program.env_texts(),
        Task::Bench { .. } | Task::Files { .. } => &[],
    };
    let class = RequestedClass::or_by_variable(class.as_deref(), HonoredEnv::new(common, env));
    let uses_files = matches!(job.task, Task::Program(_) | Task::Files { .. });
    let (ppn, placement) = ((*ppn).max(1), placement.as_ref());
    JobSpec { ranks: *ranks, ppn, placement, class, uses_files }
}

/// The library, with its provider set by the environments of all programs.
fn provider(request: &JobsRequest, run: &Job) -> Result<Library, Vec<InputError>> {
    let JobsRequest { common, jobs, .. } = request;
    let (mut set, mut input_errors) = (Vec::new(), Vec::new());
    for (i, job) in jobs.iter().enumerate() {
        if let Task::Program(program) = &job.task {
            let mut library = run.library.clone();
            let honored_env = HonoredEnv::new(common, program.env_texts());
            match limits::apply_env(&mut library, &run.machine, honored_env) {
                Ok(()) => set.push(library),
                Err(more) => {
                    input_errors.extend(more.into_iter().map(|c| of_job(c, jobs.len(), i)))
                }
            }
        }
    }
    if !input_errors.is_empty() {
        return Err(input_errors);
    }
    if set.windows(2).any(|two| two[0] != two[1]) {
        let expected = "the same FI_CXI_ variables in all jobs of a run";
        return Err(vec![InputError::new("env", "jobs with others", expected)]);
    }
    Ok(set.pop().unwrap_or_else(|| run.library.clone()))
}

fn hex(digest: Digest) -> String {
    format!("{:016x}", digest.0)
}

fn is_interrupted(failure: &Option<FailureRow>) -> bool {
    failure.as_ref().is_some_and(|f| f.kind == "interrupted")
}

/// The placements of the job of this number.
fn placements_of(run: &Job, number: usize) -> &[RankPlacement] {
    let end = run.firsts.get(number + 1).map_or(run.placements.len(), |&end| end as usize);
    &run.placements[run.firsts[number] as usize..end]
}

/// Validates the tasks and prepares them. Without a machine there is nothing to prepare.
fn prepare<'a>(
    job: &'a JobRequest,
    job_index: u32,
    common: &Common,
    run: Option<&Job>,
) -> Result<Option<Ready<'a>>, Vec<InputError>> {
    match &job.task {
        Task::Program(program) => {
            let factor = program.compute.factor().map_err(|c| vec![c])?;
            let (overrides, notes) =
                super::overrides(HonoredEnv::new(common, program.env_texts()))?;
            let lacks = run.and_then(|run| limits::reducers(run, &overrides));
            lacks.map_or(Ok(()), |input_error| Err(vec![input_error]))?;
            Ok(Some(Ready::Program { job_index, program, factor, overrides, notes }))
        }
        Task::Bench { bench, bytes, iterations, .. } => {
            let Some(benchmark) = Bench::from_name(bench) else {
                let names = Bench::TABLE.map(|entry| entry.name);
                return Err(vec![unknown("bench", bench, &names)]);
            };
            if job.ranks < 2 {
                let (found, expected) =
                    (job.ranks.to_string(), "at least two ranks for a benchmark");
                return Err(vec![InputError::new("ranks", found, expected)]);
            }
            let Some(run) = run else { return Ok(None) };
            // Count each byte of each iteration: the total must fit the clock.
            let all = bytes.saturating_mul(u64::from(iterations.unwrap_or(1)).max(1));
            if let Some(input_error) = too_large(run, benchmark, WINDOW, &[all]) {
                return Err(vec![input_error]);
            }
            let iterations = iterations.map(|n| n.max(1) as usize);
            let overrides = Overrides::default();
            if let Some(input_error) = limits::reducers(run, &overrides) {
                return Err(vec![input_error]);
            }
            let plan =
                plan(run, benchmark, (job.ranks, job.ppn.max(1), *bytes), iterations, &overrides);
            Ok(Some(Ready::Bench(plan)))
        }
        Task::Files { bench, io_options, file_system } => {
            let ppn = job.ppn.max(1);
            let of = (bench.as_str(), job.ranks.div_ceil(ppn), ppn);
            let file_system = file_system.clone();
            let request = IoBenchRequest::of_job(common, of, io_options);
            let request = IoBenchRequest { file_system, ..request };
            let plan = io_bench::planned(&request, job.ranks, run.map(|run| &run.machine))?;
            Ok(plan.map(Ready::Files))
        }
    }
}

/// What a simulation returns: its outcome, the jobs, and paths of files.
type Simulated = (Outcome, Vec<JobRun>, io::Paths);

/// Runs the jobs together; results in the order of their internal numbers.
fn simulate<N: NetworkModel>(
    run: &Job,
    ready: &[&Ready<'_>],
    tick: &SharedTick,
) -> Result<Simulated, Vec<InputError>> {
    let mut works = Vec::new();
    for (number, task) in ready.iter().enumerate() {
        works.push(match task {
            Ready::Program { job_index, program, factor, overrides, .. } => {
                let placements = placements_of(run, number);
                let live = run::start(
                    run,
                    placements,
                    (*job_index, *program),
                    *factor,
                    overrides.clone(),
                    tick,
                )
                .map_err(|c| vec![of_job(c, ready.len(), number)])?;
                Work::Program(Box::new(live))
            }
            Ready::Bench(plan) => Work::Bench(Box::new(plan.streams()), *plan),
            Ready::Files(plan) => Work::Files(Box::new(IoProgram::new(plan.clone()))),
        });
    }
    let mut world = World::<N, _>::new(run, MultiJob::new(works));
    let outcome = world.run(&mut |progress| (tick.borrow_mut())(progress));
    let works = world.workload.jobs;
    let n_jobs = works.len() as u32;
    // The numbers of files are those that `MultiJob` gives them.
    let paths =
        io::paths(&run.machine, &outcome, |system, file| match &works[(file % n_jobs) as usize] {
            Work::Program(live) => live.file_path(system, file / n_jobs),
            Work::Files(program) => program.path(file / n_jobs),
            Work::Bench(..) => None,
        });
    let job_runs = works.into_iter().zip(outcome.jobs.clone()).map(|(work, job)| match work {
        Work::Program(live) => ended(run, &outcome, job, *live),
        Work::Bench(streams, plan) => {
            let finished = streams.is_finished();
            let bench = finished.then(|| row_of(run, &plan, &streams.marks));
            let failed = bench::failed(run, &own_end(&outcome.end, &job), plan.bytes);
            let failure = (!finished).then(|| failed.unwrap_or_else(with_the_run));
            JobRun { bench, ..JobRun::of_script(job, failure) }
        }
        Work::Files(program) => {
            let failed = io_bench::failure(run, &own_end(&outcome.end, &job));
            let failure = (!program.is_finished()).then(|| failed.unwrap_or_else(with_the_run));
            JobRun { phases: io_bench::rows(&program), ..JobRun::of_script(job, failure) }
        }
    });
    let mut job_runs: Vec<JobRun> = job_runs.collect();
    let mut outcome = outcome;
    let programs: Vec<_> =
        job_runs.iter().filter_map(|one| Some((one.outcome.first, one.live.as_ref()?))).collect();
    if let Some(out) = memory::count(&mut outcome, run, &programs) {
        let of = |one: &&mut JobRun| one.outcome.first <= out.rank;
        let hit = job_runs.iter_mut().filter(of).max_by_key(|one| one.outcome.first);
        if let Some(hit) = hit.filter(|hit| hit.failure.is_none()) {
            let own = Blocked { rank: out.rank - hit.outcome.first, ..out };
            let (message, ranks) = (own.what.clone(), vec![run::killed(&run.machine, &own)]);
            hit.failure = Some(FailureRow { kind: "limit", message, ranks });
            hit.exit_code = 1;
        }
    }
    Ok((outcome, job_runs, paths))
}

/// How the run ended for one of its jobs, in job-local rank numbers.
fn own_end(end: &End, job: &JobOutcome) -> End {
    let own = |one: &Blocked| {
        let rank = one.rank.checked_sub(job.first).filter(|&rank| rank < job.ranks)?;
        Some(Blocked { rank, ..one.clone() })
    };
    let if_own = |one: &Blocked, end: fn(Blocked) -> End| own(one).map_or(End::Interrupted, end);
    match end {
        End::Deadlock(all) => End::Deadlock(all.iter().filter_map(own).collect()),
        End::Erroneous(one) => if_own(one, End::Erroneous),
        End::Failed(one) => if_own(one, End::Failed),
        End::Exhausted(one) => if_own(one, End::Exhausted),
        _ => End::Interrupted,
    }
}

/// How a program's job ended.
fn ended(run: &Job, outcome: &Outcome, job: JobOutcome, mut live: Live) -> JobRun {
    let placements = &run.placements[job.first as usize..][..job.ranks as usize];
    let mut ending = match &outcome.end {
        _ if live.is_finished() => End::Finished,
        _ if live.is_stopped() => End::Stopped,
        end => own_end(end, &job),
    };
    if matches!(ending, End::Deadlock(_)) && live.settle().is_some() {
        // Other ranks are blocked because one has died.
        ending = End::Stopped;
    }
    if ending != End::Finished {
        // The other jobs may run for much longer.
        live.close(job.time);
    }
    let rows: Vec<FailureRank> = match &ending {
        End::Deadlock(blocked) => run::deadlock(&run.machine, placements, &live, blocked),
        End::Erroneous(blocked) | End::Failed(blocked) | End::Exhausted(blocked) => {
            vec![run::row(&run.machine, &live, blocked)]
        }
        _ => Vec::new(),
    };
    let live = live.outcome();
    let (failure, exit_code) = run::failure(&ending, &live, rows);
    JobRun { outcome: job, failure, exit_code, live: Some(live), bench: None, phases: Vec::new() }
}

fn row(
    job: &JobRequest,
    machine: &Machine,
    placements: &[RankPlacement],
    job_runs: &JobRun,
) -> JobRow {
    let JobRun { outcome, failure, exit_code, live, bench, phases } = job_runs;
    let mean = |of: fn(&live::RankOutcome) -> Span| {
        let ranks = &live.as_ref()?.ranks;
        Some(ranks.iter().map(|r| of(r).seconds()).sum::<f64>() / ranks.len().max(1) as f64)
    };
    let distances = Distance::NAMES.iter().zip(outcome.by_distance);
    JobRow {
        name: job.name.clone(),
        ranks: outcome.ranks,
        nodes: rows::nodes(placements),
        time_s: outcome.time.seconds(),
        alone_s: None,
        slowdown: None,
        digest: hex(outcome.digest),
        alone_digest: None,
        messages: outcome.by_distance.iter().map(|d| d.0).sum(),
        bytes: outcome.by_distance.iter().map(|d| d.1).sum(),
        packets: outcome.packets,
        wire_bytes: outcome.wire_bytes,
        distance: distances
            .map(|(&distance, (messages, bytes))| JobDistance { distance, messages, bytes })
            .collect(),
        compute_s: mean(|r| r.compute),
        waiting_s: mean(|r| r.waiting),
        transfer_s: mean(|r| r.transfer),
        mpi_calls: live.as_ref().map(|live| live.mpi_calls),
        bench: bench.clone(),
        alone_bench: None,
        phases: phases.clone(),
        alone_phases: Vec::new(),
        exit_code: *exit_code,
        failure: failure.clone(),
        nonzero_exits: live.as_ref().and_then(|live| run::nonzero_exits(failure.as_ref(), live)),
        files: live.as_ref().map(|live| FilesRow::of(live, machine)),
    }
}
