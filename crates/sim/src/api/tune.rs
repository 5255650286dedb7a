//! `odonata tune`: every algorithm of a collective, one call each, and the files that carry the
//! choice to a real library.
//!
//! All ranks call at one instant and nothing was there before, so a time is that of the algorithm
//! alone. Where a call has more messages than the user wants to wait for, and its rounds are alike,
//! some of them are played and stand for all.

use super::{Common, Fidelity, fidelity, job, unknown};
use crate::bench::{Bench, collective};
use crate::outcome::{End, Outcome};
use crate::world::{Job, Policy, Progress, Sample, World};
use base::Time;
use collectives::{Algorithm, Case, Collective, Kind, Overrides, Seat};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::Complaint;
use mpi::rules::{Choice, Format};
use net::NetworkModel;
use packet::PacketNetwork;
use serde::{Deserialize, Serialize};
use workload::{Op, Step, Streams, WORLD};

#[derive(Clone, Debug, Deserialize)]
pub struct TuneRequest {
    #[serde(flatten)]
    pub common: Common,
    pub collective: String,
    pub nodes: Vec<u32>,
    pub ppn: u32,
    /// Message sizes as OSU counts them, bytes.
    pub sizes: Vec<u64>,
    /// Variables that choose algorithms (`MPIR_CVAR_*`).
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// Most messages that are simulated of one call.
    pub messages: u64,
}

/// One algorithm at one size.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct TuneRow {
    pub nodes: u32,
    pub ranks: u32,
    pub bytes: u64,
    pub algorithm: String,
    /// Mean over ranks from the call to its return, and the last one's; none if it was too much.
    pub latency_s: Option<f64>,
    pub latency_max_s: Option<f64>,
    pub rounds: u32,
    /// Of these, those that were played. Fewer than `rounds`: the time is an estimate.
    pub rounds_played: u32,
    /// Messages and bytes a rank sends, on the mean.
    pub messages: Option<f64>,
    pub bytes_sent: Option<f64>,
    /// Bytes that go to another node, and of these to another group, of all ranks.
    pub network_bytes: Option<f64>,
    pub global_bytes: Option<f64>,
    /// The packet network's time over the closed form's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contention: Option<f64>,
    /// The library's own choice.
    pub is_default: bool,
    /// The fastest of those the library has.
    pub is_winner: bool,
}

/// A file that tells a library what was found.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct TuneFile {
    pub name: &'static str,
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct TuneResult {
    pub collective: String,
    pub machine: String,
    pub fidelity: Fidelity,
    pub mpi: String,
    pub rows: Vec<TuneRow>,
    pub files: Vec<TuneFile>,
    pub digest: String,
    pub events: u64,
    pub wall_s: f64,
    /// The caller stopped it: rows are those that were done.
    pub interrupted: bool,
    /// What a file of rules says that is not followed.
    pub notes: Vec<String>,
}

pub fn tune(
    request: &TuneRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TuneResult, Vec<Complaint>> {
    let begun = std::time::Instant::now();
    let mut complaints = Vec::new();
    let kind = Kind::named(&request.collective).filter(|kind| kind.algorithms().len() > 1);
    if kind.is_none() {
        let choosy = Kind::ALL.into_iter().filter(|kind| kind.algorithms().len() > 1);
        let names: Vec<&str> = choosy.map(Kind::name).collect();
        complaints.push(unknown("collective", &request.collective, &names));
    }
    let overrides = super::overrides(&request.env).unwrap_or_else(|more| {
        complaints.extend(more);
        Overrides::default()
    });
    let mut jobs = Vec::new();
    for &nodes in &request.nodes {
        let ranks = nodes.saturating_mul(request.ppn);
        if ranks < 2 {
            let found = format!("{nodes} nodes x {} ranks", request.ppn);
            complaints.push(Complaint::new("nodes", found, "at least two ranks in all"));
            continue;
        }
        match job(&request.common, ranks, request.ppn.max(1)) {
            Ok(job) => jobs.push((nodes, job)),
            Err(more) => {
                let known: Vec<String> = complaints.iter().map(|c| c.to_string()).collect();
                complaints.extend(more.into_iter().filter(|c| !known.contains(&c.to_string())));
            }
        }
    }
    if request.common.machine.faults.is_some() {
        let wanted = "none: algorithms are compared on a machine that is whole";
        complaints.push(Complaint::new("faults", "a plan of faults", wanted));
    }
    for (kind, (_, job)) in kind.iter().flat_map(|&kind| jobs.iter().map(move |job| (kind, job))) {
        let which = Bench::Collective(kind);
        complaints.extend(super::bench::too_large(job, which, &request.sizes));
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    jobs.sort_by_key(|(nodes, _)| *nodes);
    jobs.dedup_by_key(|(nodes, _)| *nodes);
    let mut sizes = request.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let fidelity = fidelity(&request.common.fidelity).expect("complained of by `job`");
    let mut session = Session {
        kind: kind.expect("complained of above"),
        fidelity,
        messages: request.messages.max(1),
        digest: base::Digest::default(),
        events: 0,
        tick,
    };
    let Some((_, first)) = jobs.first() else {
        return Err(vec![Complaint::new("nodes", "nothing", "numbers of nodes, at least one")]);
    };
    let own = first.library.selection.clone();
    let notes = super::notes(first, Some(session.kind));
    let mut result = TuneResult {
        collective: request.collective.clone(),
        machine: first.machine.name.clone(),
        fidelity,
        mpi: request.common.mpi.clone(),
        rows: Vec::new(),
        files: Vec::new(),
        digest: String::new(),
        events: 0,
        wall_s: 0.0,
        interrupted: false,
        notes,
    };
    let mut choices = [Vec::new(), Vec::new()];
    'all: for (nodes, job) in &mut jobs {
        for &bytes in &sizes {
            let Some(mut found) = session.compare(job, bytes, &overrides) else {
                result.interrupted = true;
                break 'all;
            };
            for (format, choices) in Format::ALL.into_iter().zip(&mut choices) {
                let Some(i) = best(&found, |c| format.offers(c.algorithm, &c.case)) else {
                    continue;
                };
                let Candidate { case, algorithm, .. } = found[i];
                // Of sizes that the library counts alike the longest decides.
                let alike = |c: &Choice| (c.ranks, c.bytes) == (case.size, case.bytes);
                choices.pop_if(|last| alike(last));
                choices.push(Choice { ranks: case.size, bytes: case.bytes, algorithm });
            }
            let family = Format::ALL[usize::from(request.common.mpi.contains("openmpi"))];
            let winner = best(&found, |c| c.row.is_default || family.offers(c.algorithm, &c.case));
            if let Some(winner) = winner {
                found[winner].row.is_winner = true;
            }
            let row = |c: Candidate| TuneRow { nodes: *nodes, ..c.row };
            result.rows.extend(found.into_iter().map(row));
        }
    }
    for (format, choices) in Format::ALL.into_iter().zip(choices) {
        if !choices.is_empty() {
            let text = format.write(session.kind, &choices, &own);
            result.files.push(TuneFile { name: format.file_name(), text });
        }
    }
    result.digest = format!("{:016x}", session.digest.0);
    result.events = session.events;
    result.wall_s = begun.elapsed().as_secs_f64();
    Ok(result)
}

/// An algorithm for one call.
struct Candidate {
    case: Case,
    algorithm: Algorithm,
    row: TuneRow,
}

/// The fastest of those that count; the library's own if others are not faster.
fn best(found: &[Candidate], counts: impl Fn(&Candidate) -> bool) -> Option<usize> {
    let counted = found.iter().enumerate().filter(|(_, c)| counts(c));
    let timed = counted.filter_map(|(i, c)| Some((c.row.latency_s?, !c.row.is_default, i)));
    timed.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, _, i)| i)
}

/// What is the same for all calls.
struct Session<'a> {
    kind: Kind,
    fidelity: Fidelity,
    messages: u64,
    digest: base::Digest,
    events: u64,
    tick: &'a mut dyn FnMut(Progress) -> bool,
}

/// What a call came to.
#[derive(Clone, Copy)]
struct Timing {
    mean_s: f64,
    max_s: f64,
    messages: f64,
    bytes: f64,
    network_bytes: f64,
    global_bytes: f64,
}

impl Timing {
    /// `self` and `times` what `more` has beyond it.
    fn and(self, times: f64, more: Timing) -> Timing {
        let sum = |a: f64, b: f64| a + times * (b - a);
        Timing {
            mean_s: sum(self.mean_s, more.mean_s),
            max_s: sum(self.max_s, more.max_s),
            messages: sum(self.messages, more.messages),
            bytes: sum(self.bytes, more.bytes),
            network_bytes: sum(self.network_bytes, more.network_bytes),
            global_bytes: sum(self.global_bytes, more.global_bytes),
        }
    }
}

impl Session<'_> {
    /// Every algorithm for one call; `None` if the caller stopped it.
    fn compare(
        &mut self,
        job: &mut Job,
        bytes: u64,
        overrides: &Overrides,
    ) -> Option<Vec<Candidate>> {
        let ranks = job.seats.len() as u32;
        let any = call(self.kind, self.kind.algorithms()[0], ranks, bytes);
        let case = any.case(true, true);
        let own = job.library.selection.decide(&case, overrides);
        let mut found = Vec::new();
        for algorithm in candidates(self.kind, own) {
            let offered = Format::ALL.iter().any(|format| format.offers(algorithm, &case));
            if algorithm != own && !offered {
                continue;
            }
            let call = Collective { algorithm, ..any.clone() };
            let mut row = TuneRow {
                nodes: 0,
                ranks,
                bytes,
                algorithm: algorithm.label(),
                latency_s: None,
                latency_max_s: None,
                rounds: call.rounds(),
                rounds_played: 0,
                messages: None,
                bytes_sent: None,
                network_bytes: None,
                global_bytes: None,
                contention: None,
                is_default: algorithm == own,
                is_winner: false,
            };
            if let Some(parts) = self.parts(&call) {
                row.rounds_played = parts.played;
                let timing = self.time(job, &call, &parts, self.fidelity)?;
                row.latency_s = Some(timing.mean_s);
                row.latency_max_s = Some(timing.max_s);
                row.messages = Some(timing.messages / f64::from(ranks));
                row.bytes_sent = Some(timing.bytes / f64::from(ranks));
                row.network_bytes = Some(timing.network_bytes);
                row.global_bytes = Some(timing.global_bytes);
                if self.fidelity != Fidelity::LogGp {
                    let alone = self.time(job, &call, &parts, Fidelity::LogGp)?;
                    row.contention = Some(timing.mean_s / alone.mean_s);
                }
            }
            found.push(Candidate { case, algorithm, row });
        }
        Some(found)
    }

    /// How a call is played; `None` if it is too much.
    fn parts(&self, call: &Collective) -> Option<Parts> {
        let rounds = call.rounds();
        let a_round = u64::from(call.seat.size) * partners(call);
        let whole = Parts { played: rounds, lead: None, sample: Sample::ALL, times: 1.0 };
        if u64::from(rounds) * a_round <= self.messages {
            return Some(whole);
        }
        // With contention, which rounds meet in the network matters.
        let lead = alike_from(call).filter(|_| self.fidelity == Fidelity::LogGp)?;
        let alike = rounds - lead;
        let fit = (self.messages / a_round).min(u64::from(alike));
        if fit < 2 || fit * partners(call) < LEAST_MESSAGES {
            return None;
        }
        let fit = fit as u32;
        let every = alike.div_ceil(fit);
        let played = alike.div_ceil(every);
        let sample = Sample { lead, every, most: u32::MAX };
        let times = f64::from(alike) / f64::from(played);
        let lead_alone = Sample { most: lead, ..sample };
        Some(Parts { played: lead + played, lead: Some(lead_alone), sample, times })
    }

    fn time(
        &mut self,
        job: &mut Job,
        call: &Collective,
        parts: &Parts,
        fidelity: Fidelity,
    ) -> Option<Timing> {
        let played = self.play(job, call, parts.sample, fidelity)?;
        let Some(lead) = parts.lead else { return Some(played) };
        Some(self.play(job, call, lead, fidelity)?.and(parts.times, played))
    }

    fn play(
        &mut self,
        job: &mut Job,
        call: &Collective,
        sample: Sample,
        fidelity: Fidelity,
    ) -> Option<Timing> {
        job.sample = sample;
        // What a call runs out of is for a benchmark to say; here times are compared.
        job.limits = Policy::Off;
        let (outcome, marks) = match fidelity {
            Fidelity::Packet => one_call::<PacketNetwork>(job, call, self.tick),
            Fidelity::Flow => one_call::<FlowNetwork>(job, call, self.tick),
            Fidelity::LogGp => one_call::<LogGpNetwork>(job, call, self.tick),
        };
        self.events += outcome.engine.events;
        match outcome.end {
            End::Finished => {}
            End::Interrupted => return None,
            end => unreachable!("a collective alone on a machine that is whole ended as {end:?}"),
        }
        self.digest.mix(outcome.digest.0);
        let spans = marks.iter().map(|m| (m[1] - m[0]).seconds());
        let (messages, bytes) =
            outcome.by_distance.iter().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        Some(Timing {
            mean_s: spans.clone().sum::<f64>() / marks.len() as f64,
            max_s: spans.fold(0.0, f64::max),
            messages: messages as f64,
            bytes: bytes as f64,
            network_bytes: bytes as f64 - outcome.by_distance[0].1 as f64,
            global_bytes: outcome.by_distance[3].1 as f64,
        })
    }
}

/// The rounds of a call that are played.
struct Parts {
    played: u32,
    /// If not all are: those before the rounds that are alike.
    lead: Option<Sample>,
    sample: Sample,
    /// How often those played that are alike make all of them.
    times: f64,
}

/// Messages of a rank that stand for all, at least.
const LEAST_MESSAGES: u64 = 32;

/// The first round from which on all are alike but for who the partners are. Not where vectors are
/// too short for a piece a rank: messages without bytes are not sent.
fn alike_from(call: &Collective) -> Option<u32> {
    use Algorithm as A;
    let p = u64::from(call.seat.size);
    match (call.kind, call.algorithm) {
        (Kind::Allgather | Kind::Allgatherv, A::Ring) => Some(0),
        // Not the exchange of neighbors: it waits both ways, so the slowest link of all is felt
        // only after as many rounds as it is ranks away.
        // The first moves the own block as well.
        (Kind::Alltoall | Kind::Alltoallv, A::Pairwise | A::Scattered { .. }) => Some(1),
        (Kind::ReduceScatter | Kind::ReduceScatterBlock, A::Ring | A::Pairwise) => {
            (call.counted_bytes() >= p * call.grain).then_some(0)
        }
        // Pieces are rounded up, so the last may be empty.
        (Kind::Bcast, A::ScatterRing) => {
            (call.bytes >= 8 * p).then_some(call.rounds() - (call.seat.size - 1))
        }
        _ => None,
    }
}

/// Messages a rank sends in a round, at most.
fn partners(call: &Collective) -> u64 {
    match call.algorithm {
        Algorithm::Scattered { throttle } => u64::from(throttle).min(u64::from(call.seat.size) - 1),
        Algorithm::RecursiveExchange { k } => u64::from(k) - 1,
        _ => 1,
    }
}

/// The algorithms that are tried, and the library's own choice.
fn candidates(kind: Kind, own: Algorithm) -> Vec<Algorithm> {
    let variants = |algorithm| match algorithm {
        // Of radix 2 it is recursive doubling.
        Algorithm::RecursiveExchange { .. } => {
            [4, 8, 16].map(|k| Algorithm::RecursiveExchange { k }).to_vec()
        }
        Algorithm::Scattered { throttle } => {
            vec![Algorithm::Scattered { throttle }, Algorithm::Scattered { throttle: u16::MAX }]
        }
        other => vec![other],
    };
    let mut all: Vec<Algorithm> = kind.algorithms().iter().flat_map(|&a| variants(a)).collect();
    if !all.contains(&own) {
        all.push(own);
    }
    all
}

/// Rank 0's call.
fn call(kind: Kind, algorithm: Algorithm, size: u32, bytes: u64) -> Collective {
    match collective(kind, algorithm, Seat { rank: 0, size }, bytes) {
        Op::Collective { call, .. } => call,
        _ => unreachable!("a collective is built"),
    }
}

/// All ranks make the call at once.
fn one_call<N: NetworkModel>(
    job: &Job,
    call: &Collective,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> (Outcome, Vec<Vec<Time>>) {
    let size = call.seat.size;
    let program = |rank| {
        // The lists of lengths are shared: 10^5 ranks, each with its own, would fill memory.
        let call = Collective { seat: Seat { rank, size }, ..call.clone() };
        let call = Step::Do(Op::Collective { context: WORLD, call });
        vec![Step::Mark, call, Step::Wait, Step::Mark]
    };
    let mut world = World::<N, _>::new(job, Streams::new((0..size).map(program)));
    let outcome = world.run(tick);
    let marks = std::mem::take(&mut world.workload.marks);
    (outcome, marks)
}
