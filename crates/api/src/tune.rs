//! `odonata tune`: simulates every algorithm of a collective, one call each, and writes the tuning
//! files for a real library.
//!
//! All ranks call at one instant on an idle machine, so a time is that of the algorithm alone. A
//! call with more messages than the budget is sampled by `calls`.

use super::calls::{self, SampleRow, SamplingPlan, Sums, Timing, first_call};
use super::rows::ThreadUseRow;
use super::vocabulary::defaults;
use super::{Common, Fidelity, HonoredEnv, fidelity, job, unknown};
use crate::benchmarks::{Bench, WINDOW};
use collectives::{Algorithm, Case, Collective, Kind, Overrides, TreeShape};
use machine::InputError;
use mpi::Family;
use mpi::rules::Choice;
use serde::{Deserialize, Deserializer, Serialize};
use sim::End;
use sim::{Job, LimitPolicy, Progress};
use std::cell::Cell;

#[derive(Clone, Debug, Deserialize)]
pub struct TuneRequest {
    #[serde(flatten, deserialize_with = "common_of_tune")]
    pub common: Common,
    pub collective: String,
    pub nodes: Vec<u32>,
    pub ppn: u32,
    /// Message sizes as OSU benchmarks count them, bytes.
    pub sizes: Vec<u64>,
    /// Variables that select algorithms (`MPIR_CVAR_*`).
    #[serde(default)]
    pub env: Vec<(String, String)>,
    /// Message budget of one call.
    #[serde(default = "defaults::messages_of_tune")]
    pub messages: u64,
}

/// The common options, with the default fidelity of `tune`.
fn common_of_tune<'de, D: Deserializer<'de>>(request: D) -> Result<Common, D::Error> {
    #[derive(Deserialize)]
    struct OfTune {
        #[serde(default = "defaults::fidelity_of_tune")]
        fidelity: String,
        #[serde(flatten)]
        common: Common,
    }
    let OfTune { fidelity, common } = OfTune::deserialize(request)?;
    Ok(Common { fidelity, ..common })
}

/// One algorithm at one size.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct TuneRow {
    pub nodes: u32,
    pub ranks: u32,
    pub bytes: u64,
    pub algorithm: String,
    /// From the call to its return: mean over ranks, and the last rank; none if the call was too
    /// large.
    pub latency_s: Option<f64>,
    pub latency_max_s: Option<f64>,
    #[serde(flatten)]
    pub sample: SampleRow,
    /// Mean messages and bytes that a rank sends.
    pub messages: Option<f64>,
    pub bytes_sent: Option<f64>,
    /// Bytes sent to another node, and of these to another group, over all ranks.
    pub network_bytes: Option<f64>,
    pub global_bytes: Option<f64>,
    /// Time with packets over time in closed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contention: Option<f64>,
    /// The message budget that simulates the call, if it was too large and cannot be sampled.
    pub messages_wanted: Option<u64>,
    /// The library's own selection.
    pub is_default: bool,
    /// The fastest algorithm that the library has.
    pub is_winner: bool,
}

/// A tuning file for a library.
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
    /// Of runs that request several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadUseRow>,
    pub wall_s: f64,
    /// The caller stopped the run; `rows` has the finished sizes.
    pub interrupted: bool,
    /// Rules of a rule file that are not applied.
    pub notes: Vec<String>,
}

pub fn tune(
    request: &TuneRequest,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<TuneResult, Vec<InputError>> {
    let wall_start = std::time::Instant::now();
    let mut input_errors = Vec::new();
    let kind = Kind::from_name(&request.collective).filter(|kind| kind.algorithms().len() > 1);
    if kind.is_none() {
        let names = super::vocabulary::collectives();
        input_errors.push(unknown("collective", &request.collective, &names));
    }
    let (overrides, set) = super::overrides(HonoredEnv::new(&request.common, &request.env))
        .unwrap_or_else(|more| {
            input_errors.extend(more);
            Default::default()
        });
    let mut jobs = Vec::new();
    for &nodes in &request.nodes {
        let ranks = nodes.saturating_mul(request.ppn);
        if ranks < 2 {
            let found = format!("{nodes} nodes x {} ranks", request.ppn);
            input_errors.push(InputError::new("nodes", found, "at least two ranks in all"));
            continue;
        }
        match job(&request.common, ranks, request.ppn.max(1)) {
            Ok(job) => {
                input_errors.extend(super::limits::reducers(&job, &overrides));
                input_errors.extend(super::placement_checks::on_other_nodes(
                    nodes,
                    request.ppn,
                    &job.placements,
                ));
                jobs.push((nodes, job));
            }
            Err(more) => {
                let known: Vec<String> = input_errors.iter().map(|c| c.to_string()).collect();
                input_errors.extend(more.into_iter().filter(|c| !known.contains(&c.to_string())));
            }
        }
    }
    if request.common.machine.faults.is_some() {
        let expected = "none: algorithms are compared on a machine without faults";
        input_errors.push(InputError::new("faults", "a fault schedule", expected));
    }
    for (kind, (_, job)) in kind.iter().flat_map(|&kind| jobs.iter().map(move |job| (kind, job))) {
        let benchmark = Bench::Collective(kind);
        input_errors.extend(super::bench_checks::too_large(job, benchmark, WINDOW, &request.sizes));
    }
    if !input_errors.is_empty() {
        return Err(input_errors);
    }
    jobs.sort_by_key(|(nodes, _)| *nodes);
    jobs.dedup_by_key(|(nodes, _)| *nodes);
    let mut sizes = request.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let fidelity = fidelity(&request.common.fidelity).expect("reported by `job`");
    let (done, parts) = (Cell::new(0), (jobs.len() * sizes.len()) as u32);
    let mut tick =
        |progress: Progress| tick(Progress { parts: Some((done.get(), parts)), ..progress });
    let mut session = Session {
        kind: kind.expect("complained of above"),
        fidelity,
        messages: request.messages.max(1),
        sums: Sums::default(),
        tick: &mut tick,
    };
    let Some((_, first)) = jobs.first() else {
        return Err(vec![InputError::new("nodes", "nothing", "numbers of nodes, at least one")]);
    };
    let own = first.library.selection.clone();
    let notes = [super::notes(first, Some(session.kind)), set].concat();
    let mut result = TuneResult {
        collective: request.collective.clone(),
        machine: first.machine.name.clone(),
        fidelity,
        mpi: request.common.mpi.clone(),
        rows: Vec::new(),
        files: Vec::new(),
        digest: String::new(),
        events: 0,
        threads: Vec::new(),
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
            done.set(done.get() + 1);
            for (family, choices) in Family::ALL.into_iter().zip(&mut choices) {
                let Some(i) = best(&found, |c| family.offers(c.algorithm, &c.case)) else {
                    continue;
                };
                let Candidate { case, algorithm, .. } = found[i];
                // Of sizes that the library treats alike, the longest decides.
                let alike = |c: &Choice| (c.ranks, c.bytes) == (case.size, case.bytes);
                choices.pop_if(|last| alike(last));
                choices.push(Choice { ranks: case.size, bytes: case.bytes, algorithm });
            }
            let family = job.library.family;
            let winner = best(&found, |c| c.row.is_default || family.has(c.algorithm, &c.case));
            if let Some(winner) = winner {
                found[winner].row.is_winner = true;
            }
            let row = |c: Candidate| TuneRow { nodes: *nodes, ..c.row };
            result.rows.extend(found.into_iter().map(row));
        }
    }
    for (family, choices) in Family::ALL.into_iter().zip(choices) {
        if !choices.is_empty() {
            let text = family.write(session.kind, &choices, &own);
            result.files.push(TuneFile { name: family.file_name(), text });
        }
    }
    result.digest = format!("{:016x}", session.sums.digest.0);
    result.events = session.sums.engine.events;
    result.threads = session.sums.engine.threads;
    result.wall_s = wall_start.elapsed().as_secs_f64();
    Ok(result)
}

/// One algorithm for one call.
struct Candidate {
    case: Case,
    algorithm: Algorithm,
    row: TuneRow,
}

/// The fastest candidate that `counts` accepts; the library's own unless another is faster.
fn best(found: &[Candidate], counts: impl Fn(&Candidate) -> bool) -> Option<usize> {
    let counted = found.iter().enumerate().filter(|(_, c)| counts(c));
    let timed = counted.filter_map(|(i, c)| Some((c.row.latency_s?, !c.row.is_default, i)));
    timed.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, _, i)| i)
}

/// State shared by all calls.
struct Session<'a> {
    kind: Kind,
    fidelity: Fidelity,
    messages: u64,
    sums: Sums,
    tick: &'a mut dyn FnMut(Progress) -> bool,
}

impl Session<'_> {
    /// Simulates every algorithm for one call; `None` if the caller stopped the run.
    fn compare(
        &mut self,
        job: &mut Job,
        bytes: u64,
        overrides: &Overrides,
    ) -> Option<Vec<Candidate>> {
        let ranks = job.placements.len() as u32;
        let any = first_call(job, self.kind, self.kind.algorithms()[0], ranks, bytes);
        let case = any.case(true, true);
        let own = job.library.selection.decide(&case, overrides);
        let mut found = Vec::new();
        let mut candidates = candidates(self.kind, own);
        for algorithm in job.library.selection.node_aware(&case, overrides) {
            if !candidates.contains(&algorithm) {
                candidates.push(algorithm);
            }
        }
        let may_offload = job.machine.reducer().is_some() && !any.is_empty();
        let offloaded = Algorithm::offloaded(&case).filter(|_| may_offload);
        candidates.extend(offloaded.filter(|a| !candidates.contains(a)));
        for algorithm in candidates {
            let is_had = Family::ALL.iter().any(|family| family.has(algorithm, &case));
            if algorithm != own && !is_had && Some(algorithm) != offloaded {
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
                sample: SampleRow::none(&call),
                messages: None,
                bytes_sent: None,
                network_bytes: None,
                global_bytes: None,
                contention: None,
                messages_wanted: None,
                is_default: algorithm == own,
                is_winner: false,
            };
            if let Some(parts) = calls::parts(job, &call, self.fidelity, self.messages) {
                let timing = self.time(job, &parts, self.fidelity)?;
                row.sample = SampleRow::of(&parts, &timing);
                row.latency_s = Some(timing.mean_s);
                row.latency_max_s = Some(timing.max_s);
                row.messages = Some(timing.messages / f64::from(ranks));
                row.bytes_sent = Some(timing.bytes / f64::from(ranks));
                row.network_bytes = Some(timing.network_bytes);
                row.global_bytes = Some(timing.global_bytes);
                if self.fidelity != Fidelity::LogGp {
                    let alone = self.time(job, &parts, Fidelity::LogGp)?;
                    row.contention = Some(timing.mean_s / alone.mean_s);
                }
            } else {
                row.messages_wanted =
                    Some(calls::most(&call).saturating_mul(calls::cost_of(&call, self.fidelity)));
            }
            found.push(Candidate { case, algorithm, row });
        }
        Some(found)
    }

    fn time(&mut self, job: &mut Job, parts: &SamplingPlan, fidelity: Fidelity) -> Option<Timing> {
        // Only times are compared here; `bench` reports limits.
        job.limits = LimitPolicy::Off;
        (job.counts_pairs, job.counts_accesses) = (false, false);
        match calls::time(job, parts, fidelity, &mut self.sums, self.tick) {
            Ok(timing) => Some(timing),
            Err(End::Interrupted) => None,
            Err(end) => {
                unreachable!("a collective alone on a machine without faults ended as {end:?}")
            }
        }
    }
}

/// The candidate algorithms, including the library's own selection.
fn candidates(kind: Kind, own: Algorithm) -> Vec<Algorithm> {
    let variants = |algorithm| match algorithm {
        // With radix 2 it is recursive doubling.
        Algorithm::RecursiveExchange { .. } => {
            [4, 8, 16].map(|k| Algorithm::RecursiveExchange { k }).to_vec()
        }
        Algorithm::Scattered { throttle } => {
            vec![Algorithm::Scattered { throttle }, Algorithm::Scattered { throttle: u16::MAX }]
        }
        Algorithm::KBruck { .. } => [4, 8].map(|k| Algorithm::KBruck { k }).to_vec(),
        Algorithm::ExchangeDoubling { .. } => {
            [2, 4, 8].map(|k| Algorithm::ExchangeDoubling { k }).to_vec()
        }
        Algorithm::ExchangeHalving { .. } => {
            [2, 4].map(|k| Algorithm::ExchangeHalving { k }).to_vec()
        }
        Algorithm::Dissemination { .. } => {
            [2, 4, 8].map(|k| Algorithm::Dissemination { k }).to_vec()
        }
        Algorithm::Tree { chunk: 0, .. } => [
            (TreeShape::Kary, 2),
            (TreeShape::Knomial1, 4),
            (TreeShape::Knomial2, 4),
            (TreeShape::Knomial2, 8),
            (TreeShape::Levels, 2),
        ]
        .map(|(shape, k)| Algorithm::Tree { shape, k, chunk: 0 })
        .to_vec(),
        Algorithm::Tree { .. } => [
            (TreeShape::Kary, 2, 8 << 10),
            (TreeShape::Kary, 2, 64 << 10),
            (TreeShape::Levels, 2, 32 << 10),
            (TreeShape::Chain, 1, 32 << 10),
            (TreeShape::Chain, 4, 32 << 10),
        ]
        .map(|(shape, k, chunk)| Algorithm::Tree { shape, k, chunk })
        .to_vec(),
        // Node-aware and chunked variants are only tried as the library's own rules select them.
        Algorithm::NodeAware { .. } | Algorithm::Chunked { .. } => Vec::new(),
        other => vec![other],
    };
    let mut all: Vec<Algorithm> = kind.algorithms().iter().flat_map(|&a| variants(a)).collect();
    if !all.contains(&own) {
        all.push(own);
    }
    all
}
