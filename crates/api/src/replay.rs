//! `odonata replay`: simulates a schedule of another tool, or a recorded run.

use super::rows::{self, FailureRank, FailureRow, RankRow};
use super::timeline::{self, TimelineRow, TimelineRun};
use super::traffic_tables::{self, TrafficTables};
use super::{Common, Fidelity, HonoredEnv, RequestedClass, fidelity, job_with_files, limits};
use base::{Gap, Span, Time};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::InputError;
use net::NetworkModel;
use packet::PacketNetwork;
use serde::{Deserialize, Serialize};
use sim::{Blocked, End, Outcome};
use sim::{Job, Progress, World};
use std::collections::BTreeMap;
use workload::schedule::record::{self, Recorder};
use workload::schedule::{Dag, Schedule, ScheduleError, Volume, goal};

#[derive(Clone, Debug, Deserialize)]
pub struct ReplayRequest {
    #[serde(flatten)]
    pub common: Common,
    pub ppn: u32,
    /// Factor on recorded computation.
    pub factor: f64,
    /// Variables of the recorded run that MPI libraries honor.
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// The header of a recording.
    #[serde(default)]
    pub record: Option<RecordHeader>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordHeader {
    pub ranks: u64,
    pub communicators: Vec<(u32, Vec<u32>)>,
    /// Meaning of the codes in the column `op`.
    pub ops: Vec<String>,
    /// Core speed of the machine it was recorded on: recorded computation has that speed.
    pub core_speed: f64,
}

/// The input: GOAL, as text or binary, or the columns of a recording.
pub enum Trace<'a> {
    Goal(&'a [u8]),
    Record(&'a BTreeMap<String, Vec<u8>>),
}

/// A recorded run, for `RecordHeader` and the columns.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded {
    pub ranks: u32,
    pub communicators: Vec<(u32, Vec<u32>)>,
    pub ops: Vec<&'static str>,
    pub core_speed: f64,
    pub calls: usize,
    /// Unsuccessful polls: each is replayed for its recorded duration.
    #[serde(rename = "vain_polls")]
    pub unsuccessful_polls: u64,
    /// Why the run cannot be replayed.
    pub refused: Option<String>,
    #[serde(skip)]
    pub columns: Vec<(&'static str, Vec<u8>)>,
}

impl Recorded {
    pub(super) fn of(recorder: &Recorder, ranks: u32, job: &Job) -> Recorded {
        let table = recorder.table();
        let communicators = recorder.communicators.iter();
        Recorded {
            ranks,
            communicators: communicators.map(|(context, m)| (*context, m.clone())).collect(),
            ops: record::ops(),
            core_speed: job.machine.node.core_speed,
            calls: table.rows(),
            unsuccessful_polls: recorder.unsuccessful_polls,
            refused: recorder.refused.clone(),
            columns: table.columns(),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct ReplayResult {
    pub time_s: f64,
    pub ranks: u32,
    pub nodes: u32,
    pub machine: String,
    pub fidelity: Fidelity,
    pub mpi: String,
    pub digest: String,
    pub exit_code: i32,
    pub interrupted: bool,
    /// Calls of the schedule, and those of them that completed.
    pub calls_scheduled: usize,
    pub calls_done: usize,
    /// Messages without a receive.
    pub unreceived: u64,
    pub wall_s: f64,
    pub failure: Option<FailureRow>,
    pub rank_table: Vec<RankRow>,
    #[serde(flatten)]
    pub traffic_tables: TrafficTables,
    /// Rules and variables that are not applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineRow>,
}

pub fn replay(
    request: &ReplayRequest,
    trace: &Trace<'_>,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<ReplayResult, Vec<InputError>> {
    let wall_start = std::time::Instant::now();
    let mut input_errors = Vec::new();
    let schedule = read(request, trace).map_err(|faults| {
        input_errors.extend(faults.into_iter().map(of_trace));
    });
    if !(request.factor.is_finite() && request.factor >= 0.0) {
        let found = request.factor.to_string();
        input_errors.push(InputError::new("compute", found, "`recorded`, `none` or a factor"));
    }
    let honored_env = HonoredEnv::new(&request.common, &request.env);
    let (overrides, notes) = super::overrides(honored_env).unwrap_or_else(|more| {
        input_errors.extend(more);
        Default::default()
    });
    // Report the other input errors too, whatever the number of ranks.
    let ranks = schedule.as_ref().map_or(1, |schedule| schedule.ranks);
    let requested = RequestedClass::or_by_variable(request.common.class.as_deref(), honored_env);
    let job = job_with_files(&request.common, ranks, request.ppn.max(1), requested);
    let job =
        job.map_err(|more| input_errors.extend([more, limits::env_errors(honored_env)].concat()));
    if let (Ok(schedule), Ok(job)) = (&schedule, &job) {
        let nics = |rank: u32| {
            job.machine.nics_of_same_node(job.placements[rank as usize].nic).len() as u32
        };
        input_errors.extend(schedule.missing_nics(nics).into_iter().map(of_trace));
    }
    let (Ok(mut schedule), Ok(mut job), true) = (schedule, job, input_errors.is_empty()) else {
        return Err(input_errors);
    };
    job.library.notes.extend(notes.into_iter().map(|note| (None, note)));
    limits::apply_env(&mut job.library, &job.machine, honored_env)?;
    limits::reducers(&job, &overrides).map_or(Ok(()), |input_error| Err(vec![input_error]))?;
    too_large(&job, &schedule).map_or(Ok(()), |input_error| Err(vec![input_error]))?;
    let recorded = request.record.as_ref().map_or(job.machine.node.core_speed, |r| r.core_speed);
    let factor = request.factor * (recorded / job.machine.node.core_speed);
    if factor != 1.0 && !schedule.scale(factor) {
        let expected = "a factor with which no rank computes for more than 50 days in total";
        return Err(vec![InputError::new("compute", request.factor.to_string(), expected)]);
    }
    let nodes: Vec<u32> = job.placements.iter().map(|placement| placement.node.0).collect();
    schedule.choose(&nodes, &|case| job.library.selection.decide(case, &overrides));
    let fidelity = fidelity(&request.common.fidelity).expect("reported by `job`");
    let mut traced = TimelineRun::open(request.common.timeline.as_ref())
        .map_err(|input_error| vec![input_error])?;
    let mut result = match fidelity {
        Fidelity::Packet => simulate::<PacketNetwork>(&job, fidelity, schedule, &mut traced, tick),
        Fidelity::Flow => simulate::<FlowNetwork>(&job, fidelity, schedule, &mut traced, tick),
        Fidelity::LogGp => simulate::<LogGpNetwork>(&job, fidelity, schedule, &mut traced, tick),
    };
    result.timeline = traced.and_then(|traced| traced.row);
    result.mpi.clone_from(&request.common.mpi);
    result.wall_s = wall_start.elapsed().as_secs_f64();
    result.traffic_tables.engine.wall_s = result.wall_s;
    Ok(result)
}

fn of_trace(fault: ScheduleError) -> InputError {
    InputError::new(format!("trace, {}", fault.at), fault.found, fault.expected)
}

/// Input errors in the rows of a recording; nothing is run.
pub fn check_record(
    header: &RecordHeader,
    columns: &BTreeMap<String, Vec<u8>>,
) -> Result<(), Vec<InputError>> {
    let input_errors = |faults: Vec<ScheduleError>| faults.into_iter().map(of_trace).collect();
    read_record(header, columns).map(drop).map_err(input_errors)
}

fn read(request: &ReplayRequest, trace: &Trace<'_>) -> Result<Schedule, Vec<ScheduleError>> {
    match (trace, &request.record) {
        (Trace::Goal(file), _) => goal::read(file),
        (Trace::Record(_), None) => wrong_header("nothing", "the header of a recording"),
        (Trace::Record(columns), Some(header)) => read_record(header, columns),
    }
}

fn read_record(
    header: &RecordHeader,
    columns: &BTreeMap<String, Vec<u8>>,
) -> Result<Schedule, Vec<ScheduleError>> {
    if !(header.core_speed.is_finite() && header.core_speed > 0.0) {
        return wrong_header(&format!("core_speed {}", header.core_speed), "a number above 0");
    }
    record::read(&record::RecordInput {
        ranks: header.ranks,
        communicators: &header.communicators.iter().cloned().collect(),
        ops: &header.ops,
        columns,
    })
}

fn wrong_header(found: &str, expected: &str) -> Result<Schedule, Vec<ScheduleError>> {
    let (at, found, expected) = ("header".into(), found.into(), expected.into());
    Err(vec![ScheduleError { at, found, expected }])
}

/// An input error if packets or time could overflow. Time: all messages one after the other over
/// the slowest link, plus all storage transfers, must fit a `Time`, 213 days.
fn too_large(job: &Job, schedule: &Schedule) -> Option<InputError> {
    let machine = &job.machine;
    let (called, there) = (schedule.file_systems(), machine.file_systems.len());
    if called > there {
        let expected =
            format!("a machine with {called} file systems; {} has {there}", machine.name);
        let found = format!("calls on file system {}", called - 1);
        return Some(InputError::new("trace", found, expected));
    }
    let Volume { longest, total, stored, members, filed } = schedule.volume();
    if longest.div_ceil(machine.nic.packet_payload) >= 1 << 31 {
        let expected = "messages of fewer than 2^31 packets";
        return Some(InputError::new("trace", format!("{longest} B"), expected));
    }
    let slowest = machine.links.gap.raw.iter().max().copied().unwrap_or_default();
    let node = &machine.node;
    let slowest = slowest.max(node.shm_gap).max(node.far_gap).max(node.memory_gap);
    let packing = &job.library.packing;
    let slowest = slowest.max(packing.gap()).max(job.library.local_copy_gap);
    let storage = machine.local_storage.gap.max(machine.local_storage.node_gap);
    let too_long = |bytes: u64, gap: Gap, what: &str| {
        let expected = format!("at most the bytes that {what} within 50 days");
        let fits = gap.span(bytes) < Span(1 << 62);
        (!fits).then(|| InputError::new("trace", format!("{bytes} B in all"), expected))
    };
    too_long(total, slowest, "the slowest link carries")
        .or_else(|| too_long(stored, storage, "the storage takes"))
        .or_else(|| too_long(filed, slowest, "the slowest link carries"))
        .or_else(|| too_long(members, packing.member_gap(), "the library packs"))
}

fn simulate<N: NetworkModel>(
    job: &Job,
    fidelity: Fidelity,
    schedule: Schedule,
    traced: &mut Option<TimelineRun>,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> ReplayResult {
    let (calls, computed) = (schedule.calls(), schedule.computed());
    let mut world = World::<N, _>::new(job, Dag::new(schedule));
    let outcome = timeline::run(&mut world, job, fidelity, traced.as_mut(), tick);
    let failure = failure(job, &outcome, &world.workload);
    let n = job.placements.len();
    let sent = traffic_tables::sent(n, &outcome);
    let rank_table = (0..n).map(|rank| {
        // With several threads, or in a stopped run, computation can exceed the elapsed time.
        let end = world.workload.end_times[rank];
        let compute = computed[rank].min(end - Time::ZERO);
        let rest = end.since(Time::ZERO + compute);
        let waiting = world.workload.wait_times[rank].min(rest);
        RankRow {
            rank: rank as u32,
            node: job.machine.node_name(job.placements[rank].node),
            compute_s: compute.seconds(),
            waiting_s: waiting.seconds(),
            transfer_s: (rest - waiting).seconds(),
            other_s: outcome.time.since(end).seconds(),
            messages: sent[rank].0,
            bytes: sent[rank].1,
        }
    });
    let unreceived = world.unreceived();
    ReplayResult {
        time_s: outcome.time.seconds(),
        ranks: n as u32,
        nodes: rows::nodes(&job.placements),
        machine: job.machine.name.clone(),
        fidelity,
        mpi: String::new(),
        digest: format!("{:016x}", outcome.digest.0),
        exit_code: match &failure {
            None => 0,
            Some(row) if row.kind == "interrupted" => 130,
            Some(_) => 1,
        },
        interrupted: outcome.end == End::Interrupted,
        calls_scheduled: calls,
        calls_done: calls - world.workload.remaining(),
        unreceived: unreceived.sum(),
        wall_s: 0.0,
        failure,
        rank_table: rank_table.collect(),
        traffic_tables: TrafficTables::of(job, fidelity, &outcome),
        notes: super::notes(job, None),
        timeline: None,
    }
}

fn failure(job: &Job, outcome: &Outcome, dag: &Dag) -> Option<FailureRow> {
    let one = |blocked: &Blocked| vec![blocked.clone()];
    let (kind, message, blocked) = match &outcome.end {
        End::Finished => return None,
        End::Interrupted => ("interrupted", "interrupted".to_string(), Vec::new()),
        End::Stopped => {
            let rank = dag.rank_past_end.expect("only time stops a schedule");
            let what = format!("rank {rank} continues after 110 days, the end of simulated time");
            ("limit", what, Vec::new())
        }
        End::Deadlock(blocked) => {
            let mut ranks: Vec<u32> = blocked.iter().map(|b| b.rank).collect();
            ranks.dedup();
            let who = match ranks.len() {
                1 => "1 rank waits".to_string(),
                n => format!("{n} ranks wait"),
            };
            let text = format!("deadlock: {who} for events that cannot occur");
            ("deadlock", text, blocked.clone())
        }
        End::Erroneous(b) => {
            let text = format!("erroneous schedule: rank {}: {}", b.rank, b.what);
            ("erroneous", text, one(b))
        }
        End::Failed(b) => ("fault", b.what.clone(), one(b)),
        End::Exhausted(b) => ("limit", b.what.clone(), one(b)),
    };
    let rank = |group: &[Blocked]| FailureRank {
        rank: group[0].rank,
        node: job.machine.node_name(group[0].node),
        call: None,
        detail: group.iter().map(|b| b.what.as_str()).collect::<Vec<_>>().join("; "),
    };
    let ranks = blocked.chunk_by(|a, b| a.rank == b.rank).map(rank).collect();
    Some(FailureRow { kind, message, ranks })
}
