//! The time of a program from its distinct parts, each simulated once: for programs of which two
//! iterations exceed the message budget.
//!
//! A part takes as long as it would alone, after a warm-up. Parts follow each other, so their times
//! add up; ranks that compute for longer than others delay all at the next collective.

use crate::Fidelity;
use crate::calls::{self, Sums};
use collectives::{Collective, Kind};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use machine::InputError;
use net::NetworkModel;
use packet::PacketNetwork;
use phases::{Compiled, PhaseRun, PhaseTotals, Unit, Units};
use sim::{End, Job, Progress, World};
use std::collections::BTreeMap;

/// Times by phase, as sums over ranks.
pub struct Composed {
    pub totals: PhaseTotals,
    pub simulated_s: f64,
    /// Relative error of sampled loops and of sampled collectives.
    pub sampling: f64,
}

impl Composed {
    pub fn empty(program: &Compiled) -> Composed {
        Composed { totals: PhaseTotals::new(program), simulated_s: 0.0, sampling: 0.0 }
    }
}

/// One execution of a part: means over ranks. Of exchanges and collectives, the first phase has
/// all.
struct Part {
    totals: PhaseTotals,
    error_s: f64,
}

/// Messages of a sample of a loop, in budgets: its parts would not overlap.
const SAMPLE: f64 = 4.0;
/// Nodes that stand for all, at least.
const LEAST_NODES: u32 = 8;
/// Nodes of whose ranks all communicators are simulated, at least.
const LEAST_OF_SOME: u32 = 2;
/// Without contention, few such nodes suffice: the fraction of what the budget allows.
const FOLDING: u32 = 8;

/// What parts are simulated with.
struct Parts<'a> {
    job: &'a mut Job,
    program: &'a Compiled,
    fidelity: Fidelity,
    messages: u64,
    sums: &'a mut Sums,
    tick: &'a mut dyn FnMut(Progress) -> bool,
}

/// The distinct parts of a program.
pub fn units(program: &Compiled, fidelity: Fidelity, messages: u64) -> Units {
    let most = calls::messages_allowed(fidelity, messages) as f64;
    Units::of(program, &|part| super::estimate(part) <= SAMPLE * most)
}

/// Refuses a program if parts that cannot be sampled exceed the budget together: with contention in
/// the network, collectives of rows and columns, and exchanges of which no planes of the grid stand
/// for all. The number of messages does not depend on the budget, so that a larger one allows more.
pub fn check(
    job: &mut Job,
    (program, units): (&Compiled, &Units),
    fidelity: Fidelity,
    messages: u64,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<(), InputError> {
    if fidelity == Fidelity::LogGp {
        return Ok(());
    }
    let parts = Parts { job, program, fidelity, messages, sums, tick };
    let mut is_used = vec![false; program.collective_calls().count()];
    for one in &units.uses {
        if let Unit::Collective(at) = one.unit {
            is_used[at as usize] = true;
        }
    }
    let used = (0..).zip(&is_used).filter(|(_, is_used)| **is_used);
    let of_collectives = used.map(|(at, _)| parts.least_of_collective(at));
    let of_exchanges = units.exchanges.iter().map(|exchange| parts.least_of_exchange(exchange));
    let all = of_collectives.chain(of_exchanges).sum::<f64>();
    if all <= calls::messages_allowed(fidelity, messages) as f64 {
        return Ok(());
    }
    let needed = calls::messages_needed(fidelity, all);
    let expected = format!(
        "at least {needed} (`--messages {needed}`) with fidelity {}, or fidelity loggp: \
         communication of rows, columns and neighbors is simulated on all nodes",
        fidelity.name()
    );
    Err(InputError::new("messages", messages.to_string(), expected))
}

pub fn compose(
    job: &mut Job,
    (program, units): (&Compiled, &Units),
    fidelity: Fidelity,
    messages: u64,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<Composed, End> {
    let ranks = f64::from(program.ranks);
    let mut composed = Composed::empty(program);
    let mut exchanges: Vec<Option<Part>> = units.exchanges.iter().map(|_| None).collect();
    let mut collectives: Vec<Option<Part>> = program.collective_calls().map(|_| None).collect();
    let mut waits = Waits::default();
    let (mut fine, mut coarse, mut error) = (0.0, 0.0, 0.0);
    let mut parts = Parts { job, program, fidelity, messages, sums, tick };
    for one in &units.uses {
        let (own, known, phase);
        let part = match one.unit {
            Unit::Compute(of) => {
                waits.compute(program, of, one.weight);
                (own, phase) = (parts.computation(of, one.share), Some(one.phase));
                &own
            }
            Unit::Sample(at) => {
                (own, phase) = (parts.whole(&units.samples[at as usize])?, None);
                composed.simulated_s += own.totals.seconds();
                &own
            }
            Unit::Exchange(at) => {
                phase = Some(one.phase);
                known = &mut exchanges[at as usize];
                if known.is_none() {
                    *known = Some(parts.exchange(&units.exchanges[at as usize])?);
                }
                known.as_ref().expect("known")
            }
            Unit::Collective(at) => {
                phase = Some(one.phase);
                known = &mut collectives[at as usize];
                if known.is_none() {
                    *known = Some(parts.collective(at)?);
                }
                known.as_ref().expect("known")
            }
        };
        composed.totals.add(&part.totals, one.weight * ranks, phase);
        let seconds = part.totals.seconds();
        let waited_s = waits.synchronize(one.synchronized, one.weight);
        composed.totals.communication_s[one.phase as usize] += waited_s * ranks;
        fine += one.weight * seconds + waited_s;
        coarse += one.coarse * (seconds + waited_s / one.weight.max(f64::MIN_POSITIVE));
        error += one.weight * part.error_s;
    }
    if fine > 0.0 {
        composed.sampling = ((fine - coarse).abs() + error) / fine;
    }
    let known = exchanges.iter().chain(&collectives).flatten();
    composed.simulated_s += known.map(|part| part.totals.seconds()).sum::<f64>();
    Ok(composed)
}

/// How much later than the mean the last rank ends its computation since the last collective.
#[derive(Default)]
struct Waits {
    /// Computations since then: number of executions, and deviations of one. Those that are the
    /// same in each computation add up; others add up as variances.
    pending: Vec<(f64, f64, f64)>,
}

impl Waits {
    fn compute(&mut self, program: &Compiled, of: u32, weight: f64) {
        let (constant, noise) = program.deviations(of);
        let seconds = program.mean_seconds(of);
        self.pending.push((weight, constant * seconds, (noise * seconds).powi(2)));
    }

    /// The seconds that all `weight` executions of a collective of so many ranks wait for the last
    /// of them; none if it is no collective. Computations that are executed less often delay as
    /// many executions, and those that are executed more often delay each one several times.
    fn synchronize(&mut self, ranks: u32, weight: f64) -> f64 {
        if ranks == 0 || weight <= 0.0 {
            return 0.0;
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut waited, mut constant_s, mut variance) = (0.0, 0.0, 0.0);
        for (nth, &(of, constant, own)) in pending.iter().enumerate() {
            let times = (of / weight).max(1.0);
            constant_s += times * constant;
            variance += times * own;
            let next = pending.get(nth + 1).map_or(0.0, |next| next.0);
            let executions = of.min(weight) - next.min(weight);
            waited += executions * (constant_s * constant_s + variance).sqrt();
        }
        waited * largest_deviation(ranks)
    }
}

/// The expected maximum of n standard normal variables. Of few the exact value (Harter, Expected
/// Values of Normal Order Statistics, Biometrika 48, 1961, table 1). Else the mean of the Gumbel
/// distribution that is its limit (Cramer, Mathematical Methods of Statistics, 28.6): of 21 it is
/// 4 % more, of 96 2 %.
fn largest_deviation(n: u32) -> f64 {
    const EULER: f64 = 0.577_216;
    const EXACT: [f64; 21] = [
        0.0, 0.0, 0.56419, 0.84628, 1.02938, 1.16296, 1.26721, 1.35218, 1.42360, 1.48501, 1.53875,
        1.58644, 1.62923, 1.66799, 1.70338, 1.73591, 1.76599, 1.79394, 1.82003, 1.84448, 1.86748,
    ];
    if let Some(&exact) = EXACT.get(n as usize) {
        return exact;
    }
    let most = (2.0 * f64::from(n).ln()).sqrt();
    let below = (f64::from(n).ln().ln() + (4.0 * std::f64::consts::PI).ln()) / 2.0;
    most - (below - EULER) / most
}

impl Parts<'_> {
    /// A computation of a share of the ranks, for which the others wait.
    fn computation(&self, of: u32, share: f64) -> Part {
        let mut totals = PhaseTotals::new(self.program);
        let seconds = self.program.mean_seconds(of);
        totals.computations[of as usize] = (share * seconds, share);
        (totals.compute_s[0], totals.communication_s[0]) =
            (share * seconds, (1.0 - share) * seconds);
        Part { totals, error_s: 0.0 }
    }

    /// An exchange of all ranks. If it exceeds a fraction of the budget: of some planes of the grid
    /// if it is alike on all planes, or else of some nodes.
    fn exchange(&mut self, exchange: &Compiled) -> Result<Part, End> {
        let most = self.most();
        let all = super::estimate(exchange);
        if all <= most {
            return self.whole(exchange);
        }
        let ranks = (f64::from(exchange.ranks) * most / all) as u32;
        let (cut, per_node) = self.cut(exchange, ranks);
        let is_small = cut.as_ref().is_some_and(|(_, own)| own.len() as u32 <= ranks);
        // With contention in the network, the nodes that stand for all have too little of it.
        let folded = (!is_small && self.fidelity == Fidelity::LogGp).then(|| {
            let nodes = (ranks / FOLDING / per_node.max(1)).max(LEAST_NODES);
            exchange.folded(&self.nodes(), nodes)
        });
        match folded.flatten().or(cut) {
            Some((part, ranks)) => self.simulate(&part, &ranks),
            None => self.whole(exchange),
        }
    }

    /// Some planes of the grid that stand for all, with their ranks, and the number of ranks of the
    /// first node.
    fn cut(&self, exchange: &Compiled, ranks: u32) -> (Option<(Compiled, Vec<u32>)>, u32) {
        let (order, per_node) = self.by_node();
        // Planes of the grid fill nodes only if ranks follow each other on a node.
        (order.is_sorted().then(|| exchange.cut(ranks, per_node)).flatten(), per_node)
    }

    /// Messages of the fewest planes that stand for an exchange with contention in the network, or
    /// of all ranks.
    fn least_of_exchange(&self, exchange: &Compiled) -> f64 {
        let all = super::estimate(exchange);
        self.cut(exchange, 0).0.map_or(all, |(part, _)| super::estimate(&part).min(all))
    }

    /// Messages of a collective that cannot be sampled. A sampled one keeps to any budget, so that
    /// it counts as none, also if this budget allows all of it.
    fn least_of_collective(&self, at: u32) -> f64 {
        let sampled = |call: &Collective| {
            let whole = calls::most(call).saturating_mul(calls::cost_of(call, self.fidelity));
            let messages = self.messages.min(whole.saturating_sub(1));
            calls::parts(self.job, call, self.fidelity, messages).is_some()
        };
        if self.program.world_call(at).is_some_and(sampled) {
            return 0.0;
        }
        super::estimate(&self.program.collective_part(at))
    }

    /// The ranks node by node, and the number of ranks of the first node.
    fn by_node(&self) -> (Vec<u32>, u32) {
        let by_node = ranks_by_node(&self.nodes());
        let per_node = by_node.first().map_or(0, Vec::len) as u32;
        (by_node.concat(), per_node)
    }

    /// The node of each rank.
    fn nodes(&self) -> Vec<u32> {
        self.job.placements.iter().map(|placement| placement.node.0).collect()
    }

    /// A collective of the world, sampled as in benchmarks if possible; of other communicators all
    /// at once.
    fn collective(&mut self, at: u32) -> Result<Part, End> {
        let program = self.program;
        if let Some(call) = program.world_call(at)
            && let Some(parts) = calls::parts(self.job, call, self.fidelity, self.messages)
        {
            let ranks = f64::from(program.ranks);
            let timing = calls::time(self.job, &parts, self.fidelity, self.sums, self.tick)?;
            let mut totals = PhaseTotals::new(program);
            totals.communication_s[0] = timing.mean_s;
            totals.messages[0] = timing.messages / ranks;
            totals.bytes[0] = timing.bytes / ranks;
            totals.calls[0] = 1.0;
            return Ok(Part { totals, error_s: timing.error_s });
        }
        let part = program.collective_part(at);
        let all = super::estimate(&part);
        if let Some(call) = program.world_call(at)
            && all > self.most()
            && self.fidelity == Fidelity::LogGp
            && grows_by_rounds(call)
        {
            return self.extrapolated(at, self.most() / all);
        }
        let ranks = (f64::from(program.ranks) * self.most() / all) as u32;
        let (order, per_node) = self.by_node();
        let least = LEAST_OF_SOME * per_node;
        let some = (all > self.most() && self.fidelity == Fidelity::LogGp)
            .then(|| program.some_communicators(at, &order, ranks, least));
        match some.flatten() {
            Some((part, ranks)) => self.simulate(&part, &ranks),
            None => self.whole(&part),
        }
    }

    /// A collective of which each doubling of the nodes adds a round, from two smaller numbers of
    /// nodes. `share` of the nodes fits the budget.
    fn extrapolated(&mut self, at: u32, share: f64) -> Result<Part, End> {
        let of_ranks = self.nodes();
        let by_node = ranks_by_node(&of_ranks);
        let all = by_node.len();
        let most = ((all as f64 * share) as usize).max(LEAST_NODES as usize).min(all);
        let large = 1_usize << most.ilog2();
        let mut on = |nodes: usize| {
            let chosen = (0..nodes).flat_map(|nth| &by_node[nth * all / nodes]);
            let mut ranks: Vec<u32> = chosen.copied().collect();
            ranks.sort_unstable();
            let own: Vec<u32> = ranks.iter().map(|&rank| of_ranks[rank as usize]).collect();
            self.simulate(&self.program.world_part(at, &own), &ranks)
        };
        let (small, mut part) = (on((large / 4).max(1))?, on(large)?);
        // Two rounds more than with a quarter of the nodes.
        let a_round = (part.totals.seconds() - small.totals.seconds()) / 2.0;
        let more_s = a_round * (all as f64 / large as f64).log2();
        part.totals.communication_s[0] += more_s;
        part.error_s = more_s.abs() / 2.0; // Rounds differ by half of one [estimate].
        Ok(part)
    }

    /// Messages of one part.
    fn most(&self) -> f64 {
        /// Distinct parts share the budget.
        const SHARE: f64 = 8.0;
        calls::messages_allowed(self.fidelity, self.messages) as f64 / SHARE
    }

    /// A part on all ranks.
    fn whole(&mut self, part: &Compiled) -> Result<Part, End> {
        let ranks: Vec<u32> = (0..part.ranks).collect();
        self.simulate(part, &ranks)
    }

    /// A part on these ranks of the job. Its program warms up, and executes it once.
    fn simulate(&mut self, part: &Compiled, ranks: &[u32]) -> Result<Part, End> {
        let chosen = ranks.iter().map(|&rank| self.job.placements[rank as usize]).collect();
        let all = std::mem::replace(&mut self.job.placements, chosen);
        let run = PhaseRun::new(part.clone());
        let part = match self.fidelity {
            Fidelity::Packet => self.run::<PacketNetwork>(run),
            Fidelity::Flow => self.run::<FlowNetwork>(run),
            Fidelity::LogGp => self.run::<LogGpNetwork>(run),
        };
        self.job.placements = all;
        part
    }

    fn run<N: NetworkModel>(&mut self, run: PhaseRun) -> Result<Part, End> {
        let mut world = World::<N, _>::new(self.job, run);
        let outcome = world.run(self.tick);
        self.sums.add(self.job, &outcome);
        if outcome.end != End::Finished {
            return Err(outcome.end);
        }
        self.sums.digest.mix(outcome.digest.0);
        let (program, sums) = (&world.workload.program, &world.workload.totals);
        let ranks = f64::from(program.ranks);
        let mut totals = PhaseTotals::new(program);
        totals.add(sums, 1.0 / ranks, None);
        // A part that only some ranks make delays all ranks by its time on these ranks.
        let delay = ranks / f64::from(world.workload.participants().max(1) as u32);
        for (waited, computed) in totals.communication_s.iter_mut().zip(&totals.compute_s) {
            *waited = *waited * delay + computed * (delay - 1.0);
        }
        Ok(Part { totals, error_s: 0.0 })
    }
}

/// Whether each doubling of the ranks adds a round of the same messages.
fn grows_by_rounds(call: &Collective) -> bool {
    matches!(call.kind, Kind::Barrier | Kind::Bcast | Kind::Reduce | Kind::Allreduce)
        && call.rounds() <= 4 * (call.member.size.ilog2() + 1)
}

/// The ranks of each node, which are in the order of their first ranks.
fn ranks_by_node(of_ranks: &[u32]) -> Vec<Vec<u32>> {
    let mut numbers = BTreeMap::new();
    let mut found: Vec<Vec<u32>> = Vec::new();
    for (rank, node) in (0..).zip(of_ranks) {
        let number = *numbers.entry(node).or_insert(found.len());
        if number == found.len() {
            found.push(Vec::new());
        }
        found[number].push(rank);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral of x n f(x) F(x)^(n-1), where f is the normal density and F its integral.
    fn integrated(n: u32) -> f64 {
        const STEP: f64 = 1e-3;
        let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let (mut below, mut sum) = (0.0, 0.0);
        for nth in -10_000..10_000 {
            let x = (f64::from(nth) + 0.5) * STEP;
            let probability = density(x) * STEP;
            sum +=
                x * f64::from(n) * probability * (below + probability / 2.0_f64).powi(n as i32 - 1);
            below += probability;
        }
        sum
    }

    #[test]
    fn the_largest_of_few_deviations_is_exact() {
        assert!((integrated(2) - std::f64::consts::PI.sqrt().recip()).abs() < 1e-6);
        for n in 1..=20 {
            let (found, exact) = (largest_deviation(n), integrated(n));
            assert!((found - exact).abs() < 2e-5, "{n}: {found} {exact}");
        }
        for (n, within) in [(21, 0.045), (96, 0.025), (1000, 0.015)] {
            let (found, exact) = (largest_deviation(n), integrated(n));
            assert!((found / exact - 1.0).abs() < within, "{n}: {found} {exact}");
        }
    }
}
