//! `odonata bench`: one simulation per message size.

use super::auto::{self, AutoOutcome};
use super::bars::{self, Band, ReplicaRow};
use super::bench_calls::call_across_nodes;
use super::bench_checks::{
    buffers, missing_gpus, no_bars, simulated_shifts, too_large, too_long, too_many, window,
};
use super::bench_data::{BenchRequest, BenchResult, BenchRow};
use super::bench_memory::NodeBuffers;
use super::calls::{self, SampleRow, SamplingPlan, Sums, Timing};
use super::congestion::Congested;
use super::counters::{Tally, of_nodes};
use super::placement_checks::{on_other_nodes, placement_error};
use super::rows::{EngineRow, FailureRank, FailureRow};
use super::timeline::{self, TimelineRequest, TimelineRun};
use super::traffic_tables::links;
use super::{CongestionRow, Fidelity, HonoredEnv, NetworkErrors, fidelity, job, shifts, unknown};
use crate::benchmarks::{
    Bench, BenchPlan, MANY_RANKS, Measure, PUTS, SHIFTS, WINDOW, bypasses_mpi,
};
use crate::fabric_tests;
use base::{Gap, Time};
use collectives::{Algorithm, Kind, Overrides};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::InputError;
use net::NetworkModel;
use packet::PacketNetwork;
use sim::{Buffers, End, Job, Progress, World};
use std::cell::Cell;

pub fn bench(
    request: &BenchRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<BenchResult, Vec<InputError>> {
    if let Some(input_error) = auto::tolerance_error(request) {
        return Err(vec![input_error]);
    }
    if let Some(tolerance) = request.tolerance {
        let mut run = |attempt: &_| run_at_fidelity(attempt, Some(tolerance), tick);
        return auto::choose(request, tolerance, &mut run);
    }
    match run_at_fidelity(request, None, tick)? {
        AutoOutcome::Accepted(result, _) => Ok(*result),
        _ => unreachable!("no tolerance was requested"),
    }
}

/// The result at one fidelity. With a tolerance: only if the error bars are within it.
fn run_at_fidelity(
    request: &BenchRequest,
    tolerance: Option<f64>,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<AutoOutcome, Vec<InputError>> {
    let wall_start = std::time::Instant::now();
    let mut input_errors = Vec::new();
    let benchmark = Bench::from_name(&request.name);
    if benchmark.is_none() {
        let names = Bench::TABLE.map(|entry| entry.name);
        input_errors.push(unknown("benchmark", &request.name, &names));
    }
    let ranks = request.nodes.saturating_mul(request.ppn);
    if ranks < 2 {
        let found = format!("{} nodes x {} ranks", request.nodes, request.ppn);
        input_errors.push(InputError::new("nodes", found, "at least two ranks in all"));
    }
    let mut common = request.common.clone();
    if benchmark.is_some_and(bypasses_mpi) && request.buffers.as_deref() != Some("gpu") {
        common.mpi = "none".into();
        common.mpi_toml = None;
    }
    let honored_env = HonoredEnv::new(&common, &request.env);
    let (overrides, set) = super::overrides(honored_env).unwrap_or_else(|more| {
        input_errors.extend(more);
        Default::default()
    });
    input_errors.extend(request.error_bars.then(|| no_bars(request, benchmark)).flatten());
    let window = window(request.window, benchmark).unwrap_or_else(|input_error| {
        input_errors.push(input_error);
        WINDOW
    });
    let shifts = simulated_shifts(request.shifts, benchmark, ranks).unwrap_or_else(|input_error| {
        input_errors.push(input_error);
        SHIFTS
    });
    let buffers = buffers(request.buffers.as_deref(), benchmark).unwrap_or_else(|input_error| {
        input_errors.push(input_error);
        Buffers::Host
    });
    let job = match job(&common, ranks, request.ppn.max(1)) {
        Ok(mut job) => {
            job.put_buffers(buffers);
            input_errors.extend(missing_gpus(&job));
            let placement_error = benchmark
                .and_then(|benchmark| placement_error(benchmark, request.ppn, &job.placements));
            let other = || on_other_nodes(request.nodes, request.ppn, &job.placements);
            input_errors.extend(placement_error.or_else(other));
            input_errors.extend(super::limits::reducers(&job, &overrides));
            if !input_errors.is_empty() {
                return Err(input_errors);
            }
            job
        }
        Err(more) => {
            input_errors.extend(more);
            return Err(input_errors);
        }
    };
    let benchmark = benchmark.expect("reported above");
    // Nothing reads the traffic of pairs, of which an all-to-all has as many as messages.
    let job = Job { counts_pairs: false, counts_accesses: false, ..job };
    too_large(&job, benchmark, window, &request.sizes)
        .map_or(Ok(()), |input_error| Err(vec![input_error]))?;
    let fidelity = fidelity(&common.fidelity).expect("reported by `job`");
    let mut result = BenchResult {
        name: request.name.clone(),
        machine: job.machine.name.clone(),
        fidelity,
        mpi: common.mpi.clone(),
        ranks,
        nodes: request.nodes,
        rows: Vec::new(),
        replicas: Vec::new(),
        candidates: Vec::new(),
        digest: String::new(),
        engine: EngineRow::default(),
        interrupted: false,
        failure: None,
        limits: None,
        network: None,
        congestion: None,
        counter_table: Vec::new(),
        link_kinds: Vec::new(),
        timeline: None,
        notes: [
            rule_notes(&job, benchmark),
            eager_note(&job, benchmark, &overrides, request).into_iter().collect(),
            set,
        ]
        .concat(),
    };
    // A barrier has no size.
    let sizes: &[u64] =
        if benchmark == Bench::Collective(Kind::Barrier) { &[0] } else { &request.sizes };
    let (done, parts) = (Cell::new(0), sizes.len() as u32);
    let mut tick =
        |progress: Progress| tick(Progress { parts: Some((done.get(), parts)), ..progress });
    let mut session = Session {
        job,
        benchmark,
        fidelity,
        overrides,
        ppn: request.ppn.max(1),
        window,
        shifts,
        messages: request.messages,
        sums: Sums::default(),
        congestion: Congested::default(),
        tally: Some(Tally::default()),
        network: None,
        replicas: Vec::new(),
        buffers: None,
        traced: None,
        tick: &mut tick,
    };
    if let Some(traced) = &common.timeline {
        session.traced = session.open_timeline(traced, sizes).map_err(|error| vec![error])?;
    }
    if tolerance.is_some()
        && let Some(long) = sizes.iter().find_map(|&bytes| session.too_long(bytes))
    {
        return Ok(long);
    }
    let shape = |bytes| (ranks, session.ppn, bytes);
    let mut plans =
        sizes.iter().map(|&b| plan(&session.job, benchmark, shape(b), None, &session.overrides));
    let beyond = plans.find_map(|plan| {
        let plan = BenchPlan { window, shifts, ..plan };
        if let Some(input_error) = too_many(&plan, fidelity, request.messages) {
            return Some(Err(vec![input_error]));
        }
        let long = too_long(&session.job, &plan, fidelity, request.messages)?;
        // Another fidelity may be faster.
        let slow = AutoOutcome::TooLong(plan.bytes, request.messages, "messages");
        Some(if tolerance.is_some() { Ok(slow) } else { Err(vec![long]) })
    });
    if let Some(beyond) = beyond {
        return beyond;
    }
    let bands = match request.error_bars.then_some(request.replica_packets) {
        None => Ok(vec![None; sizes.len()]),
        Some(packets) => sizes.iter().map(|&size| session.band(size, packets).map(Some)).collect(),
    };
    // Replicas have neither limits nor faults: they finish unless they are interrupted.
    result.interrupted = bands.is_err();
    let bands = bands.unwrap_or_default();
    if let Some(most) = tolerance
        && request.error_bars
        && !result.interrupted
    {
        // Check before simulating the large job.
        let widest = auto::widest(sizes.iter().copied().zip(bands.iter().copied()));
        if let Some(beyond) = auto::beyond(most, widest) {
            return Ok(beyond);
        }
    }
    for (&bytes, band) in sizes.iter().zip(bands) {
        match session.row(bytes, band) {
            Ok(row) => {
                done.set(done.get() + 1);
                result.rows.push(row);
            }
            Err(End::Interrupted) => result.interrupted = true,
            Err(end) => {
                result.failure = failed(&session.job, &end, bytes);
                assert!(result.failure.is_some(), "{} at {bytes} B: {end:?}", request.name);
            }
        }
        if result.interrupted || result.failure.is_some() {
            break;
        }
    }
    let Session { job, mut sums, congestion, tally, network, replicas, buffers, traced, .. } =
        session;
    if let (Some(limits), Some(buffers)) = (&mut sums.limits, &buffers) {
        buffers.add_to(limits, &job);
    }
    result.timeline = traced.and_then(|traced| traced.row);
    if let Some(tally) = tally {
        let nics = of_nodes(&job.machine, job.placements.iter().map(|placement| placement.nic));
        result.counter_table = tally.rows(&job.machine, fidelity, &nics);
        result.link_kinds = links(&job.machine, &tally).1;
    }
    result.congestion = CongestionRow::of(&job.machine, fidelity, &congestion);
    (result.network, result.limits, result.replicas) = (network, sums.limits, replicas);
    result.digest = format!("{:016x}", sums.digest.0);
    result.engine = EngineRow { wall_s: wall_start.elapsed().as_secs_f64(), ..sums.engine };
    // Sampling widens the error bars.
    let widest = auto::widest(result.rows.iter().map(|row| (row.bytes, row.band)));
    if let Some(most) = tolerance
        && request.error_bars
        && !result.interrupted
        && result.failure.is_none()
        && let Some(beyond) = auto::beyond(most, widest)
    {
        return Ok(beyond);
    }
    Ok(AutoOutcome::Accepted(Box::new(result), widest.ok()))
}

/// State shared by all sizes, and the results of the finished ones.
struct Session<'a> {
    job: Job,
    benchmark: Bench,
    fidelity: Fidelity,
    overrides: Overrides,
    ppn: u32,
    window: u32,
    shifts: u32,
    messages: u64,
    sums: Sums,
    congestion: Congested,
    /// `None` once a row was sampled.
    tally: Option<Tally>,
    network: Option<NetworkErrors>,
    replicas: Vec<ReplicaRow>,
    /// Those of the size with the most memory.
    buffers: Option<NodeBuffers>,
    traced: Option<TimelineRun>,
    tick: &'a mut dyn FnMut(Progress) -> bool,
}

impl Session<'_> {
    /// Simulates one size; the error is how the run ended if it did not finish.
    fn row(&mut self, bytes: u64, band: Option<Band>) -> Result<BenchRow, End> {
        let buffers = NodeBuffers::of(&self.job, self.benchmark, bytes);
        let failure = buffers.as_ref().and_then(|buffers| buffers.failure(&self.job));
        let used = |buffers: &Option<NodeBuffers>| buffers.as_ref().map_or(0, |own| own.used);
        if used(&buffers) > used(&self.buffers) {
            self.buffers = buffers;
        }
        if let Some(blocked) = failure {
            return Err(End::Exhausted(blocked));
        }
        let Session { job, benchmark, fidelity, overrides, messages, .. } = &*self;
        let mut row = match sampled(job, *benchmark, bytes, overrides, *fidelity, *messages) {
            Some(parts) => {
                self.tally = None;
                let (job, sums) = (&mut self.job, &mut self.sums);
                let timing = calls::time(job, &parts, self.fidelity, sums, self.tick)?;
                sampled_row(bytes, &parts, timing)
            }
            None => self.unsampled_row(bytes)?,
        };
        let error = row.sample.and_then(|sample| sample.error).unwrap_or(0.0);
        row.band = band.map(|band| band.widened(error));
        Ok(row)
    }

    /// The timeline of a benchmark of one size that is simulated as a whole.
    fn open_timeline(
        &self,
        request: &TimelineRequest,
        sizes: &[u64],
    ) -> Result<Option<TimelineRun>, InputError> {
        let Session { job, benchmark, fidelity, overrides, messages, .. } = self;
        let found = || request.path.0.to_string_lossy();
        let &[bytes] = sizes else {
            let expected = "one message size with a timeline (`--sizes 1KiB`)";
            return Err(InputError::new("timeline", found(), expected));
        };
        if sampled(job, *benchmark, bytes, overrides, *fidelity, *messages).is_some() {
            let expected = "a benchmark that is not sampled: fewer nodes, or more `--messages`";
            return Err(InputError::new("timeline", found(), expected));
        }
        TimelineRun::open(Some(request))
    }

    /// The reason if a call of this size cannot be simulated within the budgets: it has too many
    /// messages and cannot be sampled, or it has too many packets at fidelity `packet`.
    fn too_long(&mut self, bytes: u64) -> Option<AutoOutcome> {
        let Bench::Collective(kind) = self.benchmark else { return None };
        let size = self.job.placements.len() as u32;
        let algorithm = choose(&self.job, kind, size, bytes, &self.overrides);
        let call = calls::first_call(&self.job, kind, algorithm, size, bytes);
        let parts = calls::parts(&self.job, &call, self.fidelity, self.messages);
        let most = self.messages / calls::cost_of(&call, self.fidelity);
        let Some(parts) = parts else { return Some(AutoOutcome::TooLong(bytes, most, "messages")) };
        if self.fidelity != Fidelity::Packet {
            return None;
        }
        let mut sums = Sums::default();
        let fidelity = Fidelity::LogGp;
        // An interruption shows again in the next call.
        let _ = calls::time(&mut self.job, &parts, fidelity, &mut sums, self.tick);
        (sums.engine.packets > most).then_some(AutoOutcome::TooLong(bytes, most, "packets"))
    }

    /// The row of a size of which all rounds are simulated, on all ranks.
    fn unsampled_row(&mut self, bytes: u64) -> Result<BenchRow, End> {
        let n = self.job.placements.len() as u32;
        let plan = plan(&self.job, self.benchmark, (n, self.ppn, bytes), None, &self.overrides);
        let plan = BenchPlan { window: self.window, shifts: self.shifts, ..plan };
        let (row, outcome) =
            measure(&self.job, &plan, self.fidelity, self.traced.as_mut(), self.tick);
        self.sums.add(&self.job, &outcome);
        self.congestion.add(&outcome.counters);
        if let Some(network) = NetworkErrors::of_run(&self.job.machine, &outcome) {
            self.network.get_or_insert_default().add(network);
        }
        let (end, digest) = (outcome.end.clone(), outcome.digest);
        if let Some(tally) = &mut self.tally {
            tally.add(outcome);
        }
        if end != End::Finished {
            return Err(end);
        }
        self.sums.digest.mix(digest.0);
        Ok(row)
    }

    /// Error bars of this size from replicas with at most `packets` packets. Replicas run what the
    /// job runs: the benchmark's loop, or one call if the job is sampled.
    fn band(&mut self, bytes: u64, packets: u64) -> Result<Band, End> {
        let n = self.job.placements.len() as u32;
        let plan = plan(&self.job, self.benchmark, (n, self.ppn, bytes), None, &self.overrides);
        let Session { job, benchmark, fidelity, overrides, messages, sums, tick, .. } = self;
        let is_sample = sampled(job, *benchmark, bytes, overrides, *fidelity, *messages).is_some();
        let mut time_replica = |job: &mut Job, fidelity| {
            let plan = BenchPlan { ranks: job.placements.len() as u32, ..plan };
            // Only the large job's limits are reported.
            let mut own = Sums { engine: sums.engine.clone(), digest: sums.digest, limits: None };
            let seconds = match plan.bench {
                Bench::Collective(kind) if is_sample => {
                    let call = calls::first_call(job, kind, plan.algorithm, plan.ranks, bytes);
                    calls::time(job, &SamplingPlan::all_rounds(call), fidelity, &mut own, tick)?
                        .mean_s
                }
                _ => {
                    let (row, outcome) = measure(job, &plan, fidelity, None, tick);
                    own.add(job, &outcome);
                    if outcome.end != End::Finished {
                        return Err(outcome.end);
                    }
                    own.digest.mix(outcome.digest.0);
                    row.latency_s.expect("a collective is timed")
                }
            };
            let packets = own.engine.packets - sums.engine.packets;
            (sums.engine, sums.digest) = (own.engine, own.digest);
            Ok((seconds, packets))
        };
        let replicas = bars::replicas(job, bytes, *fidelity, packets, &mut time_replica)?;
        let band = Band::of(&replicas, bars::nodes(&self.job).len() as u32);
        self.replicas.extend(replicas);
        Ok(band)
    }
}

/// Sampling plan of a collective of which one call exceeds the budget.
fn sampled(
    job: &Job,
    benchmark: Bench,
    bytes: u64,
    overrides: &Overrides,
    fidelity: Fidelity,
    messages: u64,
) -> Option<SamplingPlan> {
    let Bench::Collective(kind) = benchmark else { return None };
    let size = job.placements.len() as u32;
    let algorithm = choose(job, kind, size, bytes, overrides);
    let call = calls::first_call(job, kind, algorithm, size, bytes);
    calls::parts(job, &call, fidelity, messages).filter(|parts| parts.is_sample)
}

fn sampled_row(bytes: u64, parts: &SamplingPlan, timing: Timing) -> BenchRow {
    BenchRow {
        bytes,
        latency_s: Some(timing.mean_s),
        latency_min_s: Some(timing.min_s),
        latency_max_s: Some(timing.max_s),
        algorithm: Some(parts.call.algorithm.name().to_string()),
        sample: Some(SampleRow::of(parts, &timing)),
        ..BenchRow::default()
    }
}

fn rule_notes(job: &Job, benchmark: Bench) -> Vec<String> {
    match benchmark {
        Bench::Collective(kind) => super::notes(job, Some(kind)),
        _ => Vec::new(),
    }
}

/// What is not known of all-to-alls whose blocks, or chunks of blocks, are eager, if cores of a
/// Slingshot machine copy them: see docs/models/library.md#eager-data. Copies of shorter blocks
/// take little of the time.
fn eager_note(
    job: &Job,
    benchmark: Bench,
    overrides: &Overrides,
    request: &BenchRequest,
) -> Option<String> {
    const SHORTEST: u64 = 1 << 10;
    let kind = match benchmark {
        Bench::Collective(kind) => kind,
        Bench::FabricTest(test) => test.kind()?,
        _ => return None,
    };
    let library = &job.library;
    let copies = !library.eager_direct && library.eager_copy_gap != Gap::ZERO;
    let is_alltoall = matches!(kind, Kind::Alltoall | Kind::Alltoallv);
    if !is_alltoall || !copies || job.machine.fabric != "slingshot" || request.nodes < 2 {
        return None;
    }
    let (ranks, ppn) = (job.placements.len() as u32, request.ppn);
    let is_eager = |&bytes: &u64| {
        let piece = match plan(job, benchmark, (ranks, ppn, bytes), None, overrides).algorithm {
            Algorithm::Chunked { chunk, .. } => {
                bytes.div_ceil(bytes.div_ceil(u64::from(chunk)).max(1))
            }
            _ => bytes,
        };
        bytes >= SHORTEST && piece <= library.eager_max
    };
    request.sizes.iter().any(is_eager).then(|| {
        "eager blocks of all-to-alls: the time that cores copy them also stands for a delay that \
         is not modeled; errors are -13 to +24 % on Elbert (docs/models/library.md#eager-data)"
            .to_string()
    })
}

/// The failure to report for a benchmark that did not finish.
pub(super) fn failed(job: &Job, end: &End, bytes: u64) -> Option<FailureRow> {
    let (kind, blocked) = match end {
        End::Failed(blocked) => ("fault", blocked),
        End::Exhausted(blocked) => ("limit", blocked),
        _ => return None,
    };
    let rank = FailureRank {
        rank: blocked.rank,
        node: job.machine.node_name(blocked.node),
        call: None,
        detail: format!("messages of {bytes} B"),
    };
    Some(FailureRow { kind, message: blocked.what.clone(), ranks: vec![rank] })
}

/// The plan of a benchmark; the library's rules select the algorithm of its call.
pub(super) fn plan(
    job: &Job,
    bench: Bench,
    (ranks, ppn, bytes): (u32, u32, u64),
    iterations: Option<usize>,
    overrides: &Overrides,
) -> BenchPlan {
    let algorithm = match bench {
        Bench::Collective(kind) => choose(job, kind, ranks, bytes, overrides),
        Bench::FabricTest(test) if let Some(kind) = test.kind() => {
            let call = call_across_nodes(kind, kind.algorithms()[0], ranks / ppn, bytes);
            job.library.selection.decide(&call.case(true, true), overrides)
        }
        _ => Algorithm::Dissemination { k: 2 },
    };
    let shifts = match iterations {
        Some(n) => u32::try_from(n).unwrap_or(u32::MAX).saturating_mul(PUTS),
        None => SHIFTS.min(ranks - 1),
    };
    // With other jobs or noise, calls differ whatever the number of ranks.
    let is_alone = ranks as usize == job.placements.len();
    let quiet = is_alone && job.noise.is_none() && job.background.is_empty();
    let one_call = quiet && ranks >= MANY_RANKS;
    let iterations = iterations.unwrap_or(bench.iterations(bytes, one_call));
    BenchPlan {
        bench,
        ranks,
        ppn,
        bytes,
        algorithm,
        iterations,
        window: WINDOW,
        shifts,
        seed: job.seed,
    }
}

/// The algorithm that the library's rules select for a benchmark's call.
fn choose(job: &Job, kind: Kind, size: u32, bytes: u64, overrides: &Overrides) -> Algorithm {
    let any = kind.algorithms()[0];
    let call = calls::first_call(job, kind, any, size, bytes);
    job.library.selection.decide(&call.case(true, true), overrides)
}

fn measure(
    job: &Job,
    plan: &BenchPlan,
    fidelity: Fidelity,
    traced: Option<&mut TimelineRun>,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> (BenchRow, sim::Outcome) {
    match fidelity {
        Fidelity::Packet => simulate::<PacketNetwork>(job, plan, fidelity, traced, tick),
        Fidelity::Flow => simulate::<FlowNetwork>(job, plan, fidelity, traced, tick),
        Fidelity::LogGp => simulate::<LogGpNetwork>(job, plan, fidelity, traced, tick),
    }
}

fn simulate<N: NetworkModel>(
    job: &Job,
    plan: &BenchPlan,
    fidelity: Fidelity,
    traced: Option<&mut TimelineRun>,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> (BenchRow, sim::Outcome) {
    let mut world = World::<N, _>::new(job, plan.streams());
    let outcome = timeline::run(&mut world, job, fidelity, traced, tick);
    let mut row = BenchRow { bytes: plan.bytes, ..BenchRow::default() };
    if outcome.end == End::Finished {
        row = row_of(job, plan, &world.workload.marks);
        let accepted =
            outcome.background.iter().map(|b| b.accepted * f64::from(b.nics)).sum::<f64>();
        let nics = outcome.background.iter().map(|b| b.nics).sum::<u32>();
        row.background_accepted = (nics > 0).then_some(accepted / f64::from(nics));
    }
    (row, outcome)
}

/// The result in the time marks of a benchmark's ranks.
pub(super) fn row_of(job: &Job, plan: &BenchPlan, marks: &[Vec<Time>]) -> BenchRow {
    let BenchPlan { bench: benchmark, ranks: n, bytes, algorithm, .. } = *plan;
    let mut row = BenchRow { bytes, ..BenchRow::default() };
    let iterations = plan.iterations as f64;
    let span = |from: Time, to: Time| (to - from).seconds();
    match benchmark.measure() {
        Measure::OneWay => {
            let trips = marks.iter().take(benchmark.pairs(n) as usize).map(|m| span(m[0], m[1]));
            let mean = trips.sum::<f64>() / f64::from(benchmark.pairs(n));
            row.latency_s = Some(mean / iterations / 2.0);
        }
        Measure::OperationTime => row.latency_s = Some(span(marks[0][0], marks[0][1]) / iterations),
        Measure::Bandwidth => {
            let marked = || marks.iter().filter(|m| m.len() == 2);
            let begin = marked().map(|m| m[0]).min().expect("a pair measures");
            let end = marked().map(|m| m[1]).max().expect("a pair measures");
            let time = span(begin, end);
            let messages = plan.messages_moved() as f64 * iterations;
            row.bandwidth = Some(messages * bytes as f64 / time);
            row.messages_per_s = Some(messages / time);
        }
        Measure::PerRank => {
            let (time, sample) = shifts::time_of_all(plan, marks);
            let puts = f64::from(n - 1);
            row.bandwidth = Some(bytes as f64 * puts / time);
            row.messages_per_s = Some(puts / time);
            row.sample = Some(sample);
        }
        Measure::MeanAndTail => {
            let Bench::FabricTest(test) = benchmark else {
                unreachable!("only validation tests report this")
            };
            let (mean, p99) = fabric_tests::results(test, &plan.of_fabric_test(), marks);
            if test.is_rate() {
                (row.bandwidth, row.bandwidth_p99) = (Some(mean), Some(p99));
            } else {
                (row.latency_s, row.latency_p99_s) = (Some(mean), Some(p99));
            }
            row.algorithm = test.kind().map(|_| algorithm.name().to_string());
        }
        Measure::CallDuration => {
            let Bench::Collective(kind) = benchmark else { unreachable!("calls are collectives'") };
            let means: Vec<f64> = marks
                .iter()
                .map(|m| {
                    // The first call is the warm-up.
                    m.chunks(2).skip(1).map(|c| span(c[0], c[1])).sum::<f64>() / iterations
                })
                .collect();
            row.latency_s = Some(means.iter().sum::<f64>() / means.len() as f64);
            row.latency_min_s = means.iter().copied().reduce(f64::min);
            row.latency_max_s = means.iter().copied().reduce(f64::max);
            row.algorithm = Some(algorithm.name().to_string());
            let call = calls::first_call(job, kind, algorithm, n, bytes);
            row.sample = Some(SampleRow::exact(&call));
        }
    }
    row
}
