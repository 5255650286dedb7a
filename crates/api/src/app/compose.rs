//! The time of a program from its distinct parts, each simulated once: for programs of which two
//! iterations exceed the message budget.
//!
//! A part takes as long as it would alone, after a warm-up. Parts follow each other, so their times
//! add up; ranks that compute for longer than others delay all at the next collective.

use crate::Fidelity;
use crate::calls::{self, Sums};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use net::NetworkModel;
use packet::PacketNetwork;
use phases::{Compiled, PhaseRun, PhaseTotals, Unit, UnitUse, Units};
use sim::{End, Job, Progress, World};

/// Times by phase, as sums over ranks.
pub struct Composed {
    pub totals: PhaseTotals,
    pub simulated_s: f64,
    /// Relative error of sampled loops and of sampled collectives.
    pub sampling: f64,
}

impl Composed {
    pub fn empty(program: &Compiled) -> Composed {
        let totals = PhaseRun::new(program.clone()).totals;
        Composed { totals, simulated_s: 0.0, sampling: 0.0 }
    }
}

/// Time of one part, and its messages and bytes, as means over ranks.
#[derive(Clone, Copy, Debug, Default)]
struct PartTime {
    seconds: f64,
    error_s: f64,
    computed: f64,
    messages: f64,
    bytes: f64,
    calls: f64,
}

pub fn compose(
    job: &mut Job,
    program: &Compiled,
    fidelity: Fidelity,
    messages: u64,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<Composed, End> {
    let units = Units::of(program);
    let ranks = f64::from(program.ranks);
    let mut composed = Composed::empty(program);
    let mut exchanges: Vec<Option<PartTime>> = vec![None; units.exchanges.len()];
    let mut collectives: Vec<Option<PartTime>> = vec![None; program.collective_calls().count()];
    let mut waits = Waits { constant_s: 0.0, variance: 0.0 };
    let (mut fine, mut coarse, mut error) = (0.0, 0.0, 0.0);
    for one in &units.uses {
        let part = match one.unit {
            Unit::Compute(of) => {
                let seconds = program.mean_seconds(of);
                composed.totals.computations[of as usize].0 += one.weight * seconds * ranks;
                composed.totals.computations[of as usize].1 += one.weight * ranks;
                waits.compute(program, of, seconds);
                PartTime { seconds, computed: seconds, ..PartTime::default() }
            }
            Unit::Exchange(at) => match exchanges[at as usize] {
                Some(known) => known,
                None => {
                    let exchange = &units.exchanges[at as usize];
                    let time = exchange_time(job, exchange, fidelity, messages, sums, tick)?;
                    *exchanges[at as usize].insert(time)
                }
            },
            Unit::Collective(at) => {
                let mut part = match collectives[at as usize] {
                    Some(known) => known,
                    None => {
                        let of = (program, at);
                        let time = collective_time(job, of, fidelity, messages, sums, tick)?;
                        *collectives[at as usize].insert(time)
                    }
                };
                part.seconds += waits.synchronize(program.ranks);
                part
            }
        };
        add(&mut composed.totals, one, &part, ranks);
        fine += one.weight * part.seconds;
        coarse += one.coarse * part.seconds;
        error += one.weight * part.error_s;
    }
    if fine > 0.0 {
        composed.sampling = ((fine - coarse).abs() + error) / fine;
    }
    let known = exchanges.iter().chain(&collectives).flatten();
    composed.simulated_s = known.map(|part| part.seconds).sum();
    Ok(composed)
}

fn add(totals: &mut PhaseTotals, one: &UnitUse, part: &PartTime, ranks: f64) {
    let (at, weight) = (one.phase as usize, one.weight * ranks);
    totals.compute_s[at] += weight * part.computed;
    totals.communication_s[at] += weight * (part.seconds - part.computed);
    totals.messages[at] += weight * part.messages;
    totals.bytes[at] += weight * part.bytes;
    totals.calls[at] += weight * part.calls;
}

/// How much later than the mean the last rank ends its computation since the last collective.
struct Waits {
    /// Deviations that are the same in each computation add up; others add up as variances.
    constant_s: f64,
    variance: f64,
}

impl Waits {
    fn compute(&mut self, program: &Compiled, of: u32, seconds: f64) {
        let (constant, noise) = program.deviations(of);
        self.constant_s += constant * seconds;
        self.variance += (noise * seconds).powi(2);
    }
    /// The expected maximum of n normal variables is about sqrt(2 ln n) standard deviations.
    fn synchronize(&mut self, ranks: u32) -> f64 {
        let deviation = (self.constant_s.powi(2) + self.variance).sqrt();
        (self.constant_s, self.variance) = (0.0, 0.0);
        deviation * (2.0 * f64::from(ranks.max(1)).ln()).sqrt()
    }
}

/// An exchange of all ranks; of some planes of the grid alone if it exceeds a fraction of the
/// budget and is alike on all planes.
fn exchange_time(
    job: &mut Job,
    exchange: &Compiled,
    fidelity: Fidelity,
    messages: u64,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<PartTime, End> {
    /// Distinct exchanges share the budget.
    const SHARE: f64 = 8.0;
    let most = calls::messages_allowed(fidelity, messages) as f64 / SHARE;
    let all = super::estimate(exchange);
    let cut = (all > most)
        .then(|| (f64::from(exchange.ranks) * most / all) as u32)
        .and_then(|ranks| exchange.cut(ranks, per_node(job)));
    match cut {
        Some((part, ranks)) => simulate_part(job, &part, &ranks, fidelity, sums, tick),
        None => simulate_whole(job, exchange, fidelity, sums, tick),
    }
}

/// Ranks of the first node.
fn per_node(job: &Job) -> u32 {
    let first = job.placements.first().map(|placement| placement.node);
    job.placements.iter().take_while(|placement| Some(placement.node) == first).count() as u32
}

/// A part on all ranks.
fn simulate_whole(
    job: &mut Job,
    part: &Compiled,
    fidelity: Fidelity,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<PartTime, End> {
    let ranks: Vec<u32> = (0..part.ranks).collect();
    simulate_part(job, part, &ranks, fidelity, sums, tick)
}

/// A part on these ranks of the job. Its program executes it twice, and the second time counts.
fn simulate_part(
    job: &mut Job,
    part: &Compiled,
    ranks: &[u32],
    fidelity: Fidelity,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<PartTime, End> {
    let chosen = ranks.iter().map(|&rank| job.placements[rank as usize]).collect();
    let all = std::mem::replace(&mut job.placements, chosen);
    let run = PhaseRun::new(part.clone());
    let time = match fidelity {
        Fidelity::Packet => run_part::<PacketNetwork>(job, run, sums, tick),
        Fidelity::Flow => run_part::<FlowNetwork>(job, run, sums, tick),
        Fidelity::LogGp => run_part::<LogGpNetwork>(job, run, sums, tick),
    };
    job.placements = all;
    time
}

fn run_part<N: NetworkModel>(
    job: &Job,
    run: PhaseRun,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<PartTime, End> {
    let mut world = World::<N, _>::new(job, run);
    let outcome = world.run(tick);
    sums.add(job, &outcome);
    if outcome.end != End::Finished {
        return Err(outcome.end);
    }
    sums.digest.mix(outcome.digest.0);
    let totals = &world.workload.totals;
    let ranks = f64::from(world.workload.program.ranks);
    let mean = |all: &[f64]| all.iter().sum::<f64>() / ranks;
    // A part that only some ranks make delays all ranks by its time on these ranks.
    let delay = ranks / f64::from(world.workload.participants().max(1) as u32);
    let computed = mean(&totals.compute_s) * delay;
    Ok(PartTime {
        seconds: computed + mean(&totals.communication_s) * delay,
        error_s: 0.0,
        computed,
        messages: mean(&totals.messages),
        bytes: mean(&totals.bytes),
        calls: mean(&totals.calls),
    })
}

/// A collective of the world, sampled as in benchmarks if possible; of other communicators all at
/// once.
fn collective_time(
    job: &mut Job,
    (program, at): (&Compiled, u32),
    fidelity: Fidelity,
    messages: u64,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<PartTime, End> {
    if let Some(call) = program.world_call(at)
        && let Some(parts) = calls::parts(job, call, fidelity, messages)
    {
        let ranks = f64::from(program.ranks);
        let timing = calls::time(job, &parts, fidelity, sums, tick)?;
        return Ok(PartTime {
            seconds: timing.mean_s,
            error_s: timing.error_s,
            messages: timing.messages / ranks,
            bytes: timing.bytes / ranks,
            calls: 1.0,
            ..PartTime::default()
        });
    }
    simulate_whole(job, &program.collective_part(at), fidelity, sums, tick)
}
