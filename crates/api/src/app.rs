//! `odonata app`: an application model, a program of `phases`, on a number of nodes.

mod compose;
mod listing;

pub use listing::{AppCallsRequest, AppCallsResult, app_calls};

use super::bench_checks::{self, missing_gpus};
use super::calls::Sums;
use super::compute_time::{ComputeTime, compute_time};
use super::io_bench::{failure, file_system};
use super::rows::{FailureRow, ThreadUseRow, nodes};
use super::timeline::{self, TimelineRow, TimelineRun};
use super::traffic_tables::TrafficTables;
use super::{
    Common, Fidelity, HonoredEnv, RequestedClass, calls, fidelity, job_with_files, limits, unknown,
};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::InputError;
use net::NetworkModel;
use packet::PacketNetwork;
use phases::{Compiled, PhaseRun, PhaseTotals, Program};
use serde::{Deserialize, Serialize};
use sim::{End, Job, Progress, World};

#[derive(Clone, Debug, Deserialize)]
pub struct AppRequest {
    #[serde(flatten)]
    pub common: Common,
    pub nodes: u32,
    pub ppn: u32,
    /// Variables that MPI libraries honor.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// Memory of messages and windows: `host` (default) or `gpu`.
    pub buffers: Option<String>,
    pub program: Program,
    /// Messages that may be simulated; fewer iterations of loops are simulated if they exceed it.
    #[serde(default = "super::vocabulary::defaults::messages")]
    pub messages: u64,
    /// A name of [`AppMethod`].
    #[serde(default = "auto")]
    pub method: String,
}

fn auto() -> String {
    AppMethod::Auto.name().into()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AppMethod {
    /// Composed if the simulation exceeds the budget.
    Auto,
    Simulate,
    Compose,
    /// All iterations of loops are simulated.
    All,
}

impl AppMethod {
    const ALL: [AppMethod; 4] =
        [AppMethod::Auto, AppMethod::Simulate, AppMethod::Compose, AppMethod::All];

    fn name(self) -> &'static str {
        match self {
            AppMethod::Auto => "auto",
            AppMethod::Simulate => "simulate",
            AppMethod::Compose => "compose",
            AppMethod::All => "all",
        }
    }

    fn from_name(name: &str) -> Result<AppMethod, InputError> {
        let found = AppMethod::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| unknown("method", name, &AppMethod::ALL.map(AppMethod::name)))
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct AppResult {
    pub machine: String,
    pub fidelity: Fidelity,
    pub mpi: String,
    pub nodes: u32,
    pub ranks: u32,
    /// Time of the whole application, in which a simulated iteration counts as all that it
    /// represents.
    pub time_s: f64,
    /// Simulated time.
    pub simulated_s: f64,
    /// `simulated`, or `composed` of its distinct parts.
    pub method: &'static str,
    /// Messages of a simulation of two iterations of each loop, at most.
    pub messages_estimated: f64,
    /// Energy of nodes, NICs and switches of the job; none if the machine file has no power.
    pub energy: Option<EnergyRow>,
    pub phases: Vec<AppPhaseRow>,
    pub computations: Vec<AppComputationRow>,
    pub errors: AppErrorRow,
    /// The largest number of iterations of a loop that were simulated.
    pub iterations: u32,
    pub digest: String,
    pub interrupted: bool,
    pub failure: Option<FailureRow>,
    /// Of runs that request several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadUseRow>,
    /// Of a simulation as a whole.
    #[serde(flatten)]
    pub traffic_tables: Option<TrafficTables>,
    pub wall_s: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineRow>,
}

/// Means over ranks, for the whole application.
#[derive(Clone, Debug, Serialize)]
pub struct AppPhaseRow {
    pub phase: String,
    pub time_s: f64,
    pub compute_s: f64,
    pub communication_s: f64,
    pub calls: f64,
    pub messages: f64,
    pub bytes: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct AppComputationRow {
    pub kernel: String,
    /// Mean over ranks, for the whole application.
    pub time_s: f64,
    pub calls: f64,
    pub flops: f64,
    pub bytes: f64,
    /// What limits it: `flops`, `memory`, `link`, or `stated` if the model states the time.
    pub limit: &'static str,
    /// Relative uncertainty of the rate, from the machine file.
    pub uncertainty: f64,
}

/// Errors of the time, relative to it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct AppErrorRow {
    /// Of loops of which not all iterations were simulated: the difference between the last two.
    pub repetition: f64,
    /// Of loops that are sampled: the difference to a sample of half the size.
    pub sampling: f64,
}

/// Energy in joules.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct EnergyRow {
    #[serde(rename = "energy_J")]
    pub total: f64,
    #[serde(rename = "nodes_J")]
    pub nodes: f64,
    #[serde(rename = "units_J")]
    pub units: f64,
    #[serde(rename = "network_J")]
    pub network: f64,
}

/// Iterations of each loop that are simulated if the budget allows.
const MOST_ITERATIONS: u32 = 3;
/// The same otherwise: a first one, and one that represents the others.
const LEAST_ITERATIONS: u32 = 2;
/// Ranks whose calls are counted for the estimate of messages.
const COUNTED_RANKS: u32 = 512;

pub fn app(
    request: &AppRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<AppResult, Vec<InputError>> {
    let wall_start = std::time::Instant::now();
    let mut input_errors = Vec::new();
    let compiled = Compiled::new(&request.program, request.common.seed).map_err(|errors| {
        let of = |error: phases::ProgramError| {
            InputError::new(format!("model, {}", error.at), error.found, error.expected)
        };
        input_errors.extend(errors.into_iter().map(of));
    });
    let ranks = request.program.ranks;
    if ranks != request.nodes.saturating_mul(request.ppn) {
        let expected = format!("{} nodes x {} ranks", request.nodes, request.ppn);
        input_errors.push(InputError::new("model, ranks", ranks.to_string(), expected));
    }
    let method = AppMethod::from_name(&request.method).map_err(|error| input_errors.push(error));
    let honored_env = HonoredEnv::new(&request.common, &request.env);
    let (overrides, notes) = super::overrides(honored_env).unwrap_or_else(|more| {
        input_errors.extend(more);
        Default::default()
    });
    let class = RequestedClass::or_by_variable(request.common.class.as_deref(), honored_env);
    let job = job_with_files(&request.common, ranks.max(1), request.ppn.max(1), class);
    let job = job.map_err(|more| input_errors.extend(more));
    let buffers = bench_checks::buffers(request.buffers.as_deref(), None)
        .map_err(|error| input_errors.push(error));
    let (Ok(mut compiled), Ok(mut job), Ok(method), Ok(buffers), true) =
        (compiled, job, method, buffers, input_errors.is_empty())
    else {
        return Err(input_errors);
    };
    job.library.notes.extend(notes.into_iter().map(|note| (None, note)));
    limits::apply_env(&mut job.library, &job.machine, honored_env)?;
    job.put_buffers(buffers);
    missing_gpus(&job).map_or(Ok(()), |input_error| Err(vec![input_error]))?;
    limits::reducers(&job, &overrides).map_or(Ok(()), |input_error| Err(vec![input_error]))?;
    job.counts_pairs = false;
    let of_ranks: Vec<u32> = job.placements.iter().map(|placement| placement.node.0).collect();
    compiled.prepare(&of_ranks, &|case| job.library.selection.decide(case, &overrides));
    let number = |name: &String| {
        let name = Some(name.as_str()).filter(|name| !name.is_empty());
        file_system(&job.machine, name).map_err(|error| vec![error])
    };
    let numbers = compiled.file_systems.iter().map(number).collect::<Result<Vec<u8>, _>>()?;
    compiled.set_file_systems(numbers);
    let times = compute_times(&mut compiled, &job, request.ppn)?;
    let fidelity = fidelity(&request.common.fidelity).expect("reported by `job`");
    let budget = calls::messages_allowed(fidelity, request.messages) as f64;
    compiled.limit_iterations(LEAST_ITERATIONS);
    let least = estimate(&compiled);
    if method == AppMethod::Compose || (method == AppMethod::Auto && least > budget) {
        if let Some(traced) = &request.common.timeline {
            let needed = calls::messages_needed(fidelity, least);
            let expected =
                format!("an application that is simulated as a whole (`--messages {needed}`)");
            let found = traced.path.0.to_string_lossy();
            return Err(vec![InputError::new("timeline", found, expected)]);
        }
        let mut sums = Sums::default();
        let units = compose::units(&compiled, fidelity, request.messages);
        let (program, messages) = ((&compiled, &units), request.messages);
        compose::check(&mut job, program, fidelity, messages, &mut sums, tick)
            .map_err(|error| vec![error])?;
        let composed = compose::compose(&mut job, program, fidelity, messages, &mut sums, tick);
        let mut result = composed_result(&job, &compiled, &times, fidelity, composed, &sums);
        result.mpi.clone_from(&request.common.mpi);
        result.messages_estimated = least;
        result.wall_s = wall_start.elapsed().as_secs_f64();
        return Ok(result);
    }
    compiled.limit_iterations(MOST_ITERATIONS);
    let fits = estimate(&compiled) <= budget;
    compiled.limit_iterations(if fits { MOST_ITERATIONS } else { LEAST_ITERATIONS });
    if method == AppMethod::All {
        compiled.simulate_all_iterations();
    }
    let iterations = compiled.loops.iter().map(|of| of.simulated).max().unwrap_or(1);
    let mut traced = TimelineRun::open(request.common.timeline.as_ref())
        .map_err(|input_error| vec![input_error])?;
    let run = PhaseRun::new(compiled);
    let mut result = match fidelity {
        Fidelity::Packet => {
            simulate::<PacketNetwork>(&job, fidelity, run, &times, &mut traced, tick)
        }
        Fidelity::Flow => simulate::<FlowNetwork>(&job, fidelity, run, &times, &mut traced, tick),
        Fidelity::LogGp => simulate::<LogGpNetwork>(&job, fidelity, run, &times, &mut traced, tick),
    };
    result.mpi.clone_from(&request.common.mpi);
    result.iterations = iterations;
    result.timeline = traced.and_then(|traced| traced.row);
    result.messages_estimated = least;
    result.wall_s = wall_start.elapsed().as_secs_f64();
    Ok(result)
}

/// The result of a composition.
fn composed_result(
    job: &Job,
    program: &Compiled,
    times: &[ComputeTime],
    fidelity: Fidelity,
    composed: Result<compose::Composed, End>,
    sums: &Sums,
) -> AppResult {
    let (composed, end) = match composed {
        Ok(composed) => (composed, End::Finished),
        Err(end) => (compose::Composed::empty(program), end),
    };
    AppResult {
        simulated_s: composed.simulated_s,
        method: "composed",
        errors: AppErrorRow { sampling: composed.sampling, ..AppErrorRow::default() },
        iterations: LEAST_ITERATIONS,
        digest: format!("{:016x}", sums.digest.0),
        threads: sums.engine.threads.clone(),
        ..result(job, program, times, fidelity, (&composed.totals, 0.0), &end)
    }
}

/// A result without what depends on the method. Some ranks end `skew_s` before the last, in the
/// mean.
fn result(
    job: &Job,
    program: &Compiled,
    times: &[ComputeTime],
    fidelity: Fidelity,
    (totals, skew_s): (&PhaseTotals, f64),
    end: &End,
) -> AppResult {
    let phases = phase_rows(program, totals);
    let time_s = phases.iter().map(|row| row.time_s).sum::<f64>() + skew_s;
    AppResult {
        machine: job.machine.name.clone(),
        fidelity,
        mpi: String::new(),
        nodes: nodes(&job.placements),
        ranks: program.ranks,
        time_s,
        simulated_s: 0.0,
        method: "",
        messages_estimated: 0.0,
        energy: energy(job, time_s, totals),
        computations: computation_rows(program, totals, times),
        errors: AppErrorRow::default(),
        phases,
        iterations: 0,
        digest: String::new(),
        interrupted: *end == End::Interrupted,
        failure: failure(job, end),
        threads: Vec::new(),
        traffic_tables: None,
        wall_s: 0.0,
        notes: super::notes(job, None),
        timeline: None,
    }
}

/// Energy of the job's nodes, NICs, and its share of the switches.
fn energy(job: &Job, time_s: f64, totals: &PhaseTotals) -> Option<EnergyRow> {
    let (machine, power) = (&job.machine, &job.machine.power);
    let node = power.node?;
    let count = f64::from(nodes(&job.placements));
    let share = count / f64::from(machine.compute_nodes.max(1));
    let nics = machine.nic_node.len() as f64 * share;
    let switches = machine.switch_group.len() as f64 * share;
    let units = count * machine.compute.as_ref().map_or(0.0, |unit| f64::from(unit.count));
    let computed: f64 = totals.computations.iter().map(|of| of.0).sum();
    // The mean over ranks, which keep all units busy while they compute.
    let busy = (computed / job.placements.len() as f64).min(time_s);
    let of_nodes = count * node * time_s;
    let of_units = units * (busy * power.unit_busy + (time_s - busy) * power.unit_idle);
    let network = (nics * power.nic + switches * power.switch) * time_s;
    let total = of_nodes + of_units + network;
    Some(EnergyRow { total, nodes: of_nodes, units: of_units, network })
}

/// The time of each computation, which the program gets, and the variability of the units.
fn compute_times(
    compiled: &mut Compiled,
    job: &Job,
    ppn: u32,
) -> Result<Vec<ComputeTime>, Vec<InputError>> {
    let mut input_errors: Vec<InputError> = Vec::new();
    let mut times = Vec::new();
    for computation in &compiled.computations {
        match compute_time(computation, &job.machine, ppn) {
            Ok(time) => times.push(time),
            Err(error) if input_errors.contains(&error) => {}
            Err(error) => input_errors.push(error),
        }
    }
    if !input_errors.is_empty() {
        return Err(input_errors);
    }
    compiled.set_seconds(times.iter().map(|time| time.seconds));
    if let Some(unit) = &job.machine.compute {
        (compiled.spread, compiled.jitter) = (unit.spread, unit.jitter);
    }
    Ok(times)
}

/// Upper bound on the messages of the simulated iterations.
fn estimate(compiled: &Compiled) -> f64 {
    let n = compiled.ranks.min(COUNTED_RANKS);
    let ranks =
        (0..n).map(|nth| (u64::from(nth) * u64::from(compiled.ranks) / u64::from(n)) as u32);
    let most: Vec<f64> = compiled
        .collective_calls()
        .map(|call| calls::most(call) as f64 / f64::from(call.member.size))
        .collect();
    let of_rank = |rank: u32| {
        let (sends, collectives) = compiled.census(rank);
        let of_calls = collectives.iter().zip(&most).map(|(&times, most)| times as f64 * most);
        sends as f64 + of_calls.sum::<f64>()
    };
    ranks.map(of_rank).sum::<f64>() * f64::from(compiled.ranks) / f64::from(n)
}

fn simulate<N: NetworkModel>(
    job: &Job,
    fidelity: Fidelity,
    run: PhaseRun,
    times: &[ComputeTime],
    traced: &mut Option<TimelineRun>,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> AppResult {
    let mut world = World::<N, _>::new(job, run);
    let outcome = timeline::run(&mut world, job, fidelity, traced.as_mut(), tick);
    let PhaseRun { program, totals, ends, .. } = &world.workload;
    let ranks = f64::from(program.ranks);
    // Ranks that end before the last one wait for it.
    let last = ends.iter().max().map_or(0.0, |end| end.seconds());
    let skew = last - ends.iter().map(|end| end.seconds()).sum::<f64>() / ranks;
    let made = result(job, program, times, fidelity, (totals, skew), &outcome.end);
    let tables = TrafficTables::of(job, fidelity, &outcome);
    AppResult {
        simulated_s: outcome.time.seconds(),
        method: "simulated",
        errors: errors(program, totals, made.time_s * ranks),
        digest: format!("{:016x}", outcome.digest.0),
        threads: tables.engine.threads.clone(),
        traffic_tables: Some(tables),
        ..made
    }
}

fn phase_rows(program: &Compiled, totals: &PhaseTotals) -> Vec<AppPhaseRow> {
    let ranks = f64::from(program.ranks);
    let row = |(at, phase): (usize, &String)| AppPhaseRow {
        phase: phase.clone(),
        time_s: (totals.compute_s[at] + totals.communication_s[at]) / ranks,
        compute_s: totals.compute_s[at] / ranks,
        communication_s: totals.communication_s[at] / ranks,
        calls: totals.calls[at] / ranks,
        messages: totals.messages[at] / ranks,
        bytes: totals.bytes[at] / ranks,
    };
    let rows = program.phases.iter().enumerate().map(row);
    rows.filter(|row| row.calls > 0.0 || row.time_s > 0.0).collect()
}

fn computation_rows(
    program: &Compiled,
    totals: &PhaseTotals,
    times: &[ComputeTime],
) -> Vec<AppComputationRow> {
    let ranks = f64::from(program.ranks);
    let of = program.computations.iter().zip(&totals.computations).zip(times);
    let mut rows: Vec<AppComputationRow> = Vec::new();
    for ((computation, &(seconds, calls)), &ComputeTime { limit, uncertainty, .. }) in of {
        let known =
            rows.iter_mut().find(|row| row.kernel == computation.kernel && row.limit == limit);
        let more = AppComputationRow {
            kernel: computation.kernel.clone(),
            time_s: seconds / ranks,
            calls: calls / ranks,
            flops: computation.flops * calls / ranks,
            bytes: computation.bytes * calls / ranks,
            limit,
            uncertainty,
        };
        match known {
            Some(row) => {
                row.time_s += more.time_s;
                row.calls += more.calls;
                row.flops += more.flops;
                row.bytes += more.bytes;
            }
            None => rows.push(more),
        }
    }
    rows
}

/// Errors of loops, relative to all time: `total` rank-seconds.
fn errors(program: &Compiled, totals: &PhaseTotals, total: f64) -> AppErrorRow {
    let mut repetition = 0.0;
    for (of, seconds) in program.loops.iter().zip(&totals.loops) {
        let skipped = of.count - f64::from(of.simulated);
        let mut later = seconds.get(1..).unwrap_or_default().to_vec();
        if of.delays {
            // The shortest represents the others, so those next to it show how much it may differ.
            later.sort_by(|a, b| b.total_cmp(a));
        }
        if let [.., before, last] = later[..]
            && !of.is_sample
            && skipped > 0.0
        {
            // Each skipped iteration may differ from the last as much as that from the one before;
            // so do those of the iterations around it that were not simulated.
            repetition += program.represented(of) * skipped * (last - before).abs();
        }
    }
    if total <= 0.0 {
        return AppErrorRow::default();
    }
    let fine: f64 = totals.compute_s.iter().chain(&totals.communication_s).sum();
    AppErrorRow { repetition: repetition / total, sampling: (fine - totals.coarse_s).abs() / total }
}
