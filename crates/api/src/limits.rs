//! Limits of NICs, provider and library: settings in requests, and use in results.

use super::{Common, HonoredEnv, unknown};
use collectives::{Kind, Overrides};
use machine::{InputError, Machine};
use mpi::Library;
use serde::Serialize;
use sim::Outcome;
use sim::{Job, LimitPolicy};

/// `--limits`.
pub(super) fn policy(common: &Common) -> Result<LimitPolicy, InputError> {
    LimitPolicy::from_name(&common.limits)
        .ok_or_else(|| unknown("limits", &common.limits, &LimitPolicy::NAMES))
}

/// Applies a program's environment to the library and its provider. Other fabrics have other
/// providers.
pub(super) fn apply_env(
    library: &mut Library,
    machine: &Machine,
    honored_env: HonoredEnv<'_>,
) -> Result<(), Vec<InputError>> {
    let mut input_errors = Vec::new();
    for (name, value) in honored_env.iter() {
        if name.starts_with("FI_CXI_") && machine.fabric != "slingshot" {
            continue;
        }
        if let Err(expected) = library.set(name, value) {
            input_errors.push(InputError::new(format!("env.{name}"), value, expected));
        }
    }
    if input_errors.is_empty() { Ok(()) } else { Err(input_errors) }
}

/// Invalid settings on any fabric, for a machine that is unknown.
pub(super) fn env_errors(honored_env: HonoredEnv<'_>) -> Vec<InputError> {
    let text = mpi::library::preset("none").expect("a preset");
    let mut any = Library::parse("none", text, "generic").expect("presets are legal");
    let mut input_errors = Vec::new();
    for (name, value) in honored_env.iter().filter(|(name, _)| !name.starts_with("FI_CXI_")) {
        if let Err(expected) = any.set(name, value) {
            input_errors.push(InputError::new(format!("env.{name}"), value, expected));
        }
    }
    input_errors
}

/// An error if an algorithm is offloaded to a network that does not support it.
pub(crate) fn reducers(job: &Job, overrides: &Overrides) -> Option<InputError> {
    if job.machine.reducer().is_some() {
        return None;
    }
    let forced = overrides.forced.iter().filter(|(_, a)| a.is_offloaded()).map(|&(kind, _)| kind);
    let ruled = Kind::ALL.into_iter().filter(|&kind| {
        job.library.selection.rules(kind).iter().any(|rule| rule.algorithm.is_offloaded())
    });
    let kind = forced.chain(ruled).next()?;
    let expected = "an algorithm with messages: only Slingshot's switches and Aries' NICs reduce, \
                    on a machine without faults";
    Some(InputError::new(format!("algorithm of {}", kind.name()), "offload", expected))
}

/// Maximum use of all limited resources.
#[derive(Clone, Debug, Serialize)]
pub struct LimitsRow {
    /// Digest of the machine's keys: predictions from several runs require the same machine.
    pub machine_digest: String,
    pub match_mode: &'static str,
    pub uses: Vec<UseRow>,
    /// Limits that were exceeded, each reported once.
    pub crossed: Vec<CrossedRow>,
    /// Times a NIC without free entries applied flow control to its senders.
    pub flow_controls: u64,
    /// Ranks matched in software at the end.
    pub software_ranks: usize,
    /// Reductions in switches that timed out before the last rank: `FI_CXI_COLL_TIMEOUT_USEC`.
    pub reduction_timeouts: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct UseRow {
    pub limit: &'static str,
    /// Maximum at one time.
    pub used: u64,
    pub bound: Option<u64>,
    /// The part of `used` that is always in use.
    pub fixed: u64,
    /// `used / bound`.
    pub share: Option<f64>,
    /// Job-local number.
    pub rank: u32,
    pub node: String,
    pub parameter: &'static str,
    #[serde(rename = "cure")]
    pub workaround: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub struct CrossedRow {
    pub limit: &'static str,
    pub rank: u32,
    pub node: String,
    pub time_s: f64,
    pub message: String,
}

impl LimitsRow {
    /// Merges another run into the runs so far.
    pub fn gather(all: &mut Option<LimitsRow>, more: LimitsRow) {
        match all {
            None => *all = Some(more),
            Some(all) => all.merge(more),
        }
    }

    pub fn of_run(job: &Job, outcome: &Outcome) -> LimitsRow {
        let limit_report = &outcome.limit_report;
        let node = |rank: u32| job.machine.node_name(job.placements[rank as usize].node);
        let own = |rank: u32| {
            let nth = job.firsts.partition_point(|&first| first <= rank);
            rank - nth.checked_sub(1).map_or(0, |nth| job.firsts[nth])
        };
        let uses = limit_report.uses.iter().map(|row| UseRow {
            limit: row.limit.name(),
            used: row.used,
            bound: row.bound,
            fixed: row.fixed,
            share: row.bound.map(|bound| row.used as f64 / bound as f64),
            rank: own(row.rank),
            node: node(row.rank),
            parameter: row.limit.parameter(),
            workaround: row.limit.workaround(),
        });
        let crossed = limit_report.exceeded.iter().map(|row| CrossedRow {
            limit: row.limit.name(),
            rank: own(row.rank),
            node: node(row.rank),
            time_s: row.at.seconds(),
            message: row.what.clone(),
        });
        LimitsRow {
            machine_digest: format!("{:016x}", job.machine.digest.0),
            match_mode: job.library.provider.match_mode.name(),
            uses: uses.collect(),
            crossed: crossed.collect(),
            flow_controls: limit_report.flow_controls,
            software_ranks: limit_report.software_ranks,
            reduction_timeouts: limit_report.reduction_timeouts,
        }
    }
}

impl LimitsRow {
    /// Merges two runs of one job: the maximum of both.
    pub fn merge(&mut self, other: LimitsRow) {
        for (mine, others) in self.uses.iter_mut().zip(other.uses) {
            if others.used > mine.used {
                *mine = others;
            }
        }
        let is_new = |row: &CrossedRow| self.crossed.iter().all(|known| known.limit != row.limit);
        let new: Vec<_> = other.crossed.into_iter().filter(is_new).collect();
        self.crossed.extend(new);
        self.flow_controls += other.flow_controls;
        self.reduction_timeouts += other.reduction_timeouts;
        self.software_ranks = self.software_ranks.max(other.software_ranks);
    }
}
