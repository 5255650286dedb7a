//! One call of a collective, all ranks at once on an idle machine: simulated whole, or sampled if
//! it is too large.
//!
//! Sampling uses two symmetries. Groups of a dragonfly are alike: if ranks fill them in the same
//! way and partners are at a constant distance, the ranks of one group represent all. Rounds may be
//! alike except for the partners: then some of them represent all, and their variance gives the
//! error.

use super::bench_calls::collective;
use super::rounds::{Ends, LastRounds, Rounds};
use super::rows::EngineRow;
use super::{Fidelity, LimitsRow};
use collectives::{Algorithm, Collective, Kind, NodeMap};
use flow::FlowNetwork;
use loggp::LogGpNetwork;
use net::NetworkModel;
use packet::PacketNetwork;
use serde::Serialize;
use sim::{Buffers, Job, Progress, RankPlacement, Sample, World};
use sim::{End, Outcome};
use workload::{Op, Step, Streams, WORLD};

mod budget;
pub(super) use budget::{cost, cost_of, has_long_windows, messages_allowed, messages_needed};
use budget::{cost_in_waves, piece};

/// Result of a call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timing {
    /// From the call to its return: mean over ranks, the first and the last.
    pub mean_s: f64,
    pub min_s: f64,
    pub max_s: f64,
    /// Half of the 95 % confidence interval of the mean; 0 if all rounds were simulated.
    pub error_s: f64,
    /// Over all ranks.
    pub messages: f64,
    pub bytes: f64,
    /// Of these, bytes to another node, and to another group.
    pub network_bytes: f64,
    pub global_bytes: f64,
}

/// Consecutive rounds, some of which are simulated.
#[derive(Clone, Debug, PartialEq)]
struct RoundRange {
    from: u32,
    to: u32,
    /// Number of rounds that they represent: their own, and those of ranks beyond the last whole
    /// group.
    rounds: u32,
    /// Of these, rounds that may have fewer messages than the simulated ones.
    shorter: u32,
    /// The rounds differ only in the partners.
    alike: bool,
    /// Partners are at a distance that is the same for all ranks.
    shifts: bool,
    sample: Rounds,
    /// Number of ranks that are simulated.
    ranks: u32,
}

impl RoundRange {
    fn new(from: u32, to: u32, alike: bool, shifts: bool) -> RoundRange {
        let rounds = to - from;
        let sample = Rounds::all(from..to);
        RoundRange { from, to, rounds, shorter: 0, alike, shifts, sample, ranks: 0 }
    }
}

/// How a call is simulated.
#[derive(Clone, Debug)]
pub(super) struct SamplingPlan {
    /// Rank 0's call, among the ranks of whole groups if these represent all.
    pub call: Collective,
    ranges: Vec<RoundRange>,
    /// Number of simulated ranks, if not all are.
    ranks: u32,
    /// Relative error due to a partial last group, or to rounds skipped between sampled ones.
    uneven: f64,
    /// Not all rounds are simulated, or not on all ranks.
    pub is_sample: bool,
    /// Whole calls on fewer ranks, in ascending order, that represent this one.
    smaller: Vec<Collective>,
}

impl SamplingPlan {
    /// The whole call, on all ranks.
    pub(super) fn all_rounds(call: Collective) -> SamplingPlan {
        let (rounds, ranks) = (call.rounds(), call.member.size);
        let ranges = vec![RoundRange::new(0, rounds, false, false)];
        SamplingPlan { call, ranges, ranks, uneven: 0.0, is_sample: false, smaller: Vec::new() }
    }
}

/// The simulated part of a call, for readers of its time.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct SampleRow {
    /// `exact`, or `sampled` if not all rounds were simulated, or not on all ranks. None if none
    /// was.
    pub method: Option<&'static str>,
    /// Half of the 95 % confidence interval of the time, relative to the time; 0 if all rounds were
    /// simulated.
    pub error: Option<f64>,
    pub rounds: u32,
    #[serde(rename = "rounds_played")]
    pub rounds_simulated: u32,
    #[serde(rename = "ranks_played")]
    pub ranks_simulated: u32,
}

impl SampleRow {
    pub(super) fn none(call: &Collective) -> SampleRow {
        let rounds = call.rounds();
        SampleRow { method: None, error: None, rounds, rounds_simulated: 0, ranks_simulated: 0 }
    }
    pub(super) fn exact(call: &Collective) -> SampleRow {
        let (rounds, ranks) = (call.rounds(), call.member.size);
        SampleRow {
            method: Some("exact"),
            error: Some(0.0),
            rounds,
            rounds_simulated: rounds,
            ranks_simulated: ranks,
        }
    }
    pub(super) fn of(parts: &SamplingPlan, timing: &Timing) -> SampleRow {
        let whole = SampleRow::exact(&parts.call);
        if !parts.is_sample {
            return whole;
        }
        if let Some(largest) = parts.smaller.last() {
            return SampleRow {
                method: Some("sampled"),
                error: Some(timing.error_s / timing.mean_s),
                rounds_simulated: parts.smaller.iter().map(Collective::rounds).sum(),
                ranks_simulated: largest.member.size,
                ..whole
            };
        }
        SampleRow {
            method: Some("sampled"),
            error: Some(timing.error_s / timing.mean_s + parts.uneven),
            rounds: parts.ranges.iter().map(|s| s.rounds).sum(),
            rounds_simulated: parts.ranges.iter().map(|s| s.sample.simulated()).sum(),
            ranks_simulated: parts.ranks,
        }
    }
}

/// Default message budget of one call.
pub(super) fn most_messages() -> u64 {
    super::vocabulary::defaults::messages()
}

/// Minimum number of sampled rounds: a few per block. Fewer if a rank sends several messages per
/// round.
const LEAST_ROUNDS: u32 = 32;
/// Minimum number of ranks of a smaller call that represents a larger one.
const LEAST_RANKS: u64 = 32;
/// Length in rounds of a wave that is simulated whole, and the number of such waves, including the
/// first.
const SHORTEST_WAVE: u32 = 16;
const LONGEST_WAVE: u32 = 64;
const LEAST_WAVES: u32 = 3;
const WAVES: u32 = 6;
/// Number of blocks of a longer wave.
const LEAST_BLOCKS: u32 = 4;
const BLOCKS: u32 = 6;
/// How to simulate a call within a budget of `messages`; `None` if it exceeds the budget and cannot
/// be sampled.
pub(super) fn parts(
    job: &Job,
    call: &Collective,
    fidelity: Fidelity,
    messages: u64,
) -> Option<SamplingPlan> {
    let (rounds, ranks) = (call.rounds(), call.member.size);
    let a_rank = partners(call);
    let is_requested = messages > most_messages();
    let allowed = messages / cost_of(call, fidelity);
    if most(call) <= allowed {
        return Some(SamplingPlan::all_rounds(call.clone()));
    }
    // With packets, the order of arrival matters. With noise or background traffic, ranks and
    // rounds differ.
    let quiet = job.noise.is_none() && job.background.is_empty() && job.buffers == Buffers::Host;
    if fidelity == Fidelity::Packet || !quiet {
        return None;
    }
    let smaller = on_fewer_ranks(job, call, allowed);
    if !smaller.is_empty() {
        let whole = SamplingPlan::all_rounds(call.clone());
        return Some(SamplingPlan { smaller, is_sample: true, ..whole });
    }
    let representatives = representatives(job, call).filter(|&(period, size)| {
        // Without adaptive routing, a round takes as long as the group with the least favorable
        // cables.
        let folding = || job.folding_by(period as usize, swaps(call, size));
        let wait = fidelity == Fidelity::Flow && !job.machine.routing.is_adaptive();
        job.machine.faults.is_none() && (!wait || job.machine.has_uniform_cabling(&folding()))
    });
    let is_costly = fidelity == Fidelity::Flow && has_long_windows(call);
    let cost = match fidelity {
        Fidelity::Flow if representatives.is_none() && a_rank == 1 => cost_in_waves(call),
        _ => 1,
    };
    let (budget, messages) = (if is_costly { allowed } else { messages / cost }, allowed);
    let (period, call) = match representatives {
        Some((period, size)) if size == ranks => (period, call.clone()),
        Some((period, size)) => {
            (period, first_call(job, call.kind, call.algorithm, size, call.bytes))
        }
        None => (ranks, call.clone()),
    };
    let mut ranges = ranges(&call)?;
    if call.member.size < ranks {
        represent_all(&mut ranges, &call, rounds)?;
    }
    let (mut left, mut alike) = (messages, ranges.iter().filter(|s| s.alike).count() as u64);
    // Rounds that are not alike are simulated first; the others share what remains of the budget.
    ranges.sort_by_key(|s| s.alike);
    for range in &mut ranges {
        range.ranks = if range.shifts { period } else { ranks };
        let a_round = u64::from(range.ranks) * a_rank;
        if range.alike {
            // A wave may exceed its share without reducing the shares of the others.
            let share = left / alike;
            let [own, most] =
                [share, budget].map(|m| (m / a_round).min(u64::from(u32::MAX)) as u32);
            alike -= 1;
            range.sample = sample_rounds(job, &call, range, fidelity, [own, most], is_requested)?;
            left -= share.min(u64::from(range.sample.simulated()) * a_round);
            continue;
        }
        left = left.checked_sub(u64::from(range.sample.simulated()) * a_round)?;
    }
    ranges.sort_by_key(|s| s.from);
    // Ranges that are simulated whole are merged into one.
    if ranges.iter().all(|s| s.shifts && s.shorter == 0 && s.sample.simulated() == s.rounds) {
        let simulated = RoundRange::new(0, rounds, false, true);
        ranges = vec![RoundRange { ranks: period, ..simulated }];
    }
    let uneven = match fidelity {
        Fidelity::Flow => uneven(&call, ranks, period) + skip_error(&call, &ranges),
        _ => skip_error(&call, &ranges) + skew_error(job, &call, &ranges),
    };
    Some(SamplingPlan { call, ranges, ranks: period, uneven, is_sample: true, smaller: Vec::new() })
}

/// The rounds of a range to simulate: as many as its `share` of the messages allows, or as many as
/// are sufficient. For short waves the limit is `most`, the whole budget. `None` if that is too
/// few.
fn sample_rounds(
    job: &Job,
    call: &Collective,
    range: &RoundRange,
    fidelity: Fidelity,
    [share, most]: [u32; 2],
    is_requested: bool,
) -> Option<Rounds> {
    let rounds = range.from..range.to;
    let all = rounds.len() as u32;
    if share >= all {
        return Some(Rounds::all(rounds));
    }
    let a_rank = partners(call) as u32;
    let least = match waits_both_ways(job, call) {
        true => 2 * range.ranks,
        false => LEAST_ROUNDS.div_ceil(a_rank).max(Rounds::PARTS),
    };
    // Flows are too expensive for more, unless the user raises the budget.
    let own = if fidelity == Fidelity::Flow && !is_requested { share.min(least) } else { share };
    if !sweeps(call) {
        return (own >= least).then(|| Rounds::spread(rounds, own));
    }
    let last = match call.algorithm {
        // With exclusive or, the last partners are as far away as the others.
        _ if swaps(call, call.member.size) => LastRounds::Others,
        Algorithm::Pairwise => LastRounds::Simulated,
        _ => LastRounds::AsFirst,
    };
    let placements = &job.placements[..call.member.size as usize];
    let a_node =
        placements.iter().take_while(|placement| placement.node == placements[0].node).count()
            as u32;
    let ends = |last| {
        let least = LEAST_BLOCKS * Rounds::BLOCK;
        let ends = Ends::of((2 * a_node).div_ceil(a_rank), last, own, least);
        Ends { near: if 100 * ends.near < all { 0 } else { ends.near }, last }
    };
    if fidelity != Fidelity::Flow {
        return (own >= least).then(|| match last {
            LastRounds::Simulated => {
                let ends = Ends::of(2 * a_node, last, own, Rounds::LEAST_IN_ORDER);
                Rounds::in_order(rounds, own, ends, periods(&placements[..a_node as usize]))
            }
            LastRounds::Others | LastRounds::AsFirst => {
                Rounds::spread_between(rounds, own, ends(last))
            }
        });
    }
    let group = |placement: &RankPlacement| job.machine.folding_place(placement.nic).group;
    let a_group =
        placements.iter().take_while(|placement| group(placement) == group(&placements[0])).count()
            as u32;
    let wave = a_group.div_ceil(a_rank);
    // Several short waves are combined into one.
    let whole = wave * SHORTEST_WAVE.div_ceil(wave);
    if whole <= LONGEST_WAVE {
        // A last wave is simulated too, unless that leaves too few others.
        let lasts = [last, if last == LastRounds::Simulated { LastRounds::AsFirst } else { last }];
        return lasts.into_iter().find_map(|last| {
            let one_more = Ends { near: whole, last }.simulated() - whole;
            let [own, most] = [own, most].map(|rounds| rounds.saturating_sub(one_more) / whole);
            let waves = most.min(WAVES).max(own);
            if waves * whole + one_more >= all {
                return Some(Rounds::all(rounds.clone()));
            }
            let enough = waves >= LEAST_WAVES;
            enough.then(|| Rounds::waves(rounds.clone(), whole, waves, last))
        });
    }
    let ends = if is_requested { ends(last) } else { Ends { last, ..ends(LastRounds::AsFirst) } };
    // The minimum leaves none for the last near rounds, which are added.
    let (enough, more) = match is_requested {
        true => (own, 0),
        false => (share.min(BLOCKS * Rounds::BLOCK), ends.simulated() - ends.near),
    };
    let least = LEAST_BLOCKS * Rounds::BLOCK;
    let in_blocks = enough.max(most.min(least));
    let own = (in_blocks + more).min(all);
    if own == all {
        return Some(Rounds::all(rounds));
    }
    (in_blocks >= least).then(|| Rounds::phases(rounds, wave, own, ends))
}

/// After how many rounds with consecutive partners the ranks of a node, and their NICs, meet the
/// same ranks and NICs of another node again.
fn periods(node: &[RankPlacement]) -> [u32; 2] {
    let mut nics: Vec<_> = node.iter().map(|placement| placement.nic).collect();
    nics.sort_unstable();
    nics.dedup();
    let ranks = node.len() as u32;
    [ranks, ranks / base::gcd(ranks.into(), nics.len() as u64) as u32]
}

/// Whether the partners change every round, to the next ranks.
fn sweeps(call: &Collective) -> bool {
    matches!(call.algorithm, Algorithm::Pairwise | Algorithm::Scattered { .. })
}

/// Relative error that skipped rounds add to a pairwise exchange: after a jump, ranks wait less for
/// each other than in the whole call.
///
/// [estimate] Without it, 12 of 100 alltoalls in closed form are outside their error; with half a
/// percent, 3 are. Based on 504 calls of 144 to 288 ranks on Aurora and Frontier, 8 B to 1 MiB, 13
/// to 97 % of the rounds.
fn skip_error(call: &Collective, ranges: &[RoundRange]) -> f64 {
    if ranges_with_skips(call, ranges).next().is_some() { 0.005 } else { 0.0 }
}

/// Additional relative error with rendezvous in closed form, where the skew between ranks grows
/// over dozens of rounds: it applies if the sampled blocks are shorter. [estimate] With 100 kB
/// between 12 ranks per node, blocks of up to 23 rounds were 2.9 to 3.3 % short.
fn skew_error(job: &Job, call: &Collective, ranges: &[RoundRange]) -> f64 {
    const DOZENS: f64 = 24.0;
    let longest =
        ranges_with_skips(call, ranges).flat_map(|s| s.sample.represented_lengths()).max();
    let drift = |longest| (DOZENS / f64::from(longest)).min(1.0);
    if is_long(job, call) { 0.02 * longest.map_or(0.0, drift) } else { 0.0 }
}

/// Ranges of a pairwise exchange in which some rounds are skipped.
fn ranges_with_skips<'s>(
    call: &Collective,
    ranges: &'s [RoundRange],
) -> impl Iterator<Item = &'s RoundRange> + use<'s> {
    let is_ring = call.algorithm == Algorithm::Pairwise && !swaps(call, call.member.size);
    ranges.iter().filter(move |s| s.sample.simulated() < s.rounds && is_ring)
}

/// How much longer rounds may be due to a last group with fewer than `period` ranks, relative to
/// the time.
///
/// The partners of a group's P ranks are in two neighboring groups, r of them in one. If links
/// between these groups are the bottleneck, the larger part sets the time. Partners beyond the last
/// rank, half of all in the mean round, are shifted by s ranks. The larger part is then that of r
/// and of r + s: in the mean over r, s (1 - s / P) / 2 more than 3 P / 4. With one partner for all
/// rounds, only one group wraps around.
fn uneven(call: &Collective, ranks: u32, period: u32) -> f64 {
    let beyond = f64::from((ranks - call.member.size) % period) / f64::from(period);
    match call.algorithm {
        Algorithm::Ring | Algorithm::Neighbor | Algorithm::ScatterRing => 0.0,
        _ => beyond * (1.0 - beyond) * 2.0 / 3.0,
    }
}

/// The ranges of a call, with rounds that differ only in the partners and rounds that differ
/// otherwise. `None` for vectors too short for one piece per rank: empty messages are not sent.
fn ranges(call: &Collective) -> Option<Vec<RoundRange>> {
    use Algorithm as A;
    let (rounds, p) = (call.rounds(), call.member.size);
    let other = |from, to| RoundRange::new(from, to, false, true);
    let alike = |from, to| RoundRange::new(from, to, true, true);
    // Every rank has a piece of the vector.
    let full = call.counted_bytes() >= u64::from(p) * call.grain;
    let all = match (call.kind, call.algorithm) {
        (Kind::Allgather | Kind::Allgatherv, A::Ring) => vec![alike(0, rounds)],
        // Each round sends other blocks: more of them, or half of all.
        (Kind::Allgather | Kind::Allgatherv | Kind::Alltoall, A::Bruck) => vec![other(0, rounds)],
        // One block, then pairs of blocks.
        (Kind::Allgather | Kind::Allgatherv, A::Neighbor) if p.is_multiple_of(2) => {
            vec![other(0, 1), alike(1, rounds)]
        }
        // The first round also moves the rank's own block.
        (Kind::Alltoall | Kind::Alltoallv, A::Pairwise) => {
            vec![other(0, 1), alike(1, rounds)]
        }
        // The last round may have fewer messages.
        (Kind::Alltoall | Kind::Alltoallv, A::Scattered { .. }) => {
            let whole = (p - 1) / call.throttle();
            let mut all = vec![other(0, 1)];
            all.extend((whole > 1).then(|| alike(1, whole)));
            all.extend((rounds > whole.max(1)).then(|| other(whole, rounds)));
            all
        }
        (Kind::ReduceScatter | Kind::ReduceScatterBlock, A::Ring | A::Pairwise) if full => {
            vec![alike(0, rounds)]
        }
        // Half of the rounds combine.
        (Kind::Allreduce, A::Ring) if full => vec![alike(0, p - 1), alike(p - 1, rounds)],
        // First a tree from the root. Pieces are rounded up, so the last may be empty.
        // Where few ranks have no piece, rounds are alike enough.
        (Kind::Bcast, A::ScatterRing)
            if pieces(call) == u64::from(p) || call.bytes >= 8 * u64::from(p) =>
        {
            let lead = rounds - (p - 1);
            vec![RoundRange::new(0, lead, false, false), alike(lead, rounds)]
        }
        _ => return None,
    };
    Some(all)
}

/// Number of ranks whose piece of a broadcast's vector is not empty. Pieces are rounded up.
fn pieces(call: &Collective) -> u64 {
    call.bytes.div_ceil(call.bytes.div_ceil(call.member.size.into()).max(1))
}

/// Calls on the first ranks of the job that represent a broadcast by a ring in which some ranks
/// have no piece. A rank neither sends nor receives empty pieces, so its rounds are not alike. If
/// CPUs limit the ring, it takes as long as the pieces that a rank forwards; if latency does, as
/// long as all hops of one piece. Either is proportional to the ranks, if the same share of them
/// has a piece. Empty if the budget of `messages` allows no three such calls.
fn on_fewer_ranks(job: &Job, call: &Collective, messages: u64) -> Vec<Collective> {
    let p = u64::from(call.member.size);
    let full = pieces(call);
    if (call.kind, call.algorithm) != (Kind::Bcast, Algorithm::ScatterRing) || full == p {
        return Vec::new();
    }
    let piece = call.bytes.div_ceil(p);
    let first = |place: &dyn Fn(&RankPlacement) -> u32| {
        let own = place(&job.placements[0]);
        job.placements.iter().take_while(|placement| place(placement) == own).count() as u64
    };
    let a_node = first(&|placement| placement.node.0);
    let a_group = first(&|placement| job.machine.folding_place(placement.nic).group.0);
    // Whole groups, or whole nodes: then hops of each distance have their share.
    let most = (messages * 3 / 4).isqrt().min(p / 2);
    let unit = if most >= 4 * a_group { a_group } else { a_node };
    let quarter = most / unit / 4 * unit;
    if quarter < LEAST_RANKS {
        return Vec::new();
    }
    let smaller = |ranks: u64| {
        let bytes = piece * (full * ranks).div_ceil(p);
        first_call(job, call.kind, call.algorithm, ranks as u32, bytes)
    };
    [1, 2, 4].map(|times| smaller(times * quarter)).to_vec()
}

/// Lets the rounds of a call on whole groups represent all `rounds` of the larger call: its
/// additional rounds are alike. The last, partial round differs between the two calls, and counts
/// as a whole one.
fn represent_all(ranges: &mut Vec<RoundRange>, call: &Collective, rounds: u32) -> Option<()> {
    let scattered = matches!(call.algorithm, Algorithm::Scattered { .. });
    if call.algorithm == Algorithm::Bruck {
        // Each message has additional blocks for the additional ranks: less than one round.
        ranges[0].shorter = 1;
        return (call.rounds() == rounds).then_some(());
    }
    if scattered {
        ranges.pop_if(|last| last.from > 0 && !last.alike);
    }
    let theirs: u32 = ranges.iter().map(|s| s.rounds).sum();
    let alike = ranges.iter_mut().find(|s| s.alike)?;
    alike.rounds += rounds - theirs;
    alike.shorter = u32::from(scattered);
    Some(())
}

/// Whether a rank and its partners, the same in every round, wait for each other. A delay then
/// propagates by one rank per round. It reaches all ranks after half of the distance to the next
/// equally slow rank, which must be within the first quarter of the simulated rounds.
fn waits_both_ways(job: &Job, call: &Collective) -> bool {
    match call.algorithm {
        Algorithm::Neighbor => true,
        Algorithm::Ring | Algorithm::ScatterRing => is_long(job, call),
        _ => false,
    }
}

/// Whether some or all pieces for one rank use rendezvous.
fn is_long(job: &Job, call: &Collective) -> bool {
    piece(call) > job.library.eager_max.min(job.library.shm_eager_max)
}

/// Upper bound on the messages of all rounds and ranks.
pub(super) fn most(call: &Collective) -> u64 {
    let (rounds, ranks) = (u64::from(call.rounds()), u64::from(call.member.size));
    match call.algorithm {
        // Along a tree, each rank takes part in at most one message per round.
        Algorithm::Tree { .. } | Algorithm::NodeAware { .. } => rounds * ranks,
        _ => rounds * ranks * partners(call),
    }
}

/// Upper bound on the messages that a rank sends in a round.
fn partners(call: &Collective) -> u64 {
    match call.algorithm {
        Algorithm::Scattered { .. } | Algorithm::Chunked { .. } => {
            u64::from(call.throttle().min(call.member.size - 1))
        }
        Algorithm::RecursiveExchange { k }
        | Algorithm::Dissemination { k }
        | Algorithm::KBruck { k }
        | Algorithm::ExchangeDoubling { k }
        | Algorithm::ExchangeHalving { k } => u64::from(k) - 1,
        _ => 1,
    }
}

/// Whether partners among `ranks` ranks are given by exclusive or instead of a distance.
fn swaps(call: &Collective, ranks: u32) -> bool {
    let exchanges = matches!(call.kind, Kind::Alltoall | Kind::Alltoallv);
    exchanges && call.algorithm == Algorithm::Pairwise && ranks.is_power_of_two()
}

/// The period of equivalent ranks (the distance to the corresponding rank of the next group), and
/// the number of ranks in whole groups. That is all ranks, or nearly all if what each sends does
/// not depend on it. Groups are alike except for how their global links are spread over the
/// switches.
fn representatives(job: &Job, call: &Collective) -> Option<(u32, u32)> {
    let (machine, ranks) = (&job.machine, call.member.size as usize);
    let place = |rank: usize| machine.folding_place(job.placements[rank].nic);
    let group = |rank: usize| place(rank).group;
    let period = (1..ranks).find(|&rank| group(rank) != group(0))?;
    let size = ranks / period * period;
    use Kind as K;
    let blocks = matches!(
        call.kind,
        K::Allgather | K::Allgatherv | K::Alltoall | K::Alltoallv | K::ReduceScatterBlock
    );
    let swaps = swaps(call, ranks as u32) || swaps(call, size as u32);
    if size != ranks && (!blocks || swaps || size < 4 * period) {
        return None;
    }
    // Pieces of a broadcast are rounded up. If the last ranks get none, they are not equivalent.
    let p = ranks as u64;
    if call.kind == Kind::Bcast && call.bytes.div_ceil(p) * (p - 1) >= call.bytes {
        return None;
    }
    // Exclusive or preserves blocks of a power of two. Neighbor exchange alternates odd and even
    // ranks, and is a ring for an odd number of ranks.
    let odd = call.algorithm == Algorithm::Neighbor && !(period | ranks).is_multiple_of(2);
    if odd || swaps && !period.is_power_of_two() {
        return None;
    }
    let mut groups: Vec<_> = (0..size).step_by(period).map(group).collect();
    groups.sort_unstable();
    groups.dedup();
    let apart = |a: usize, b: usize| {
        let (a, b) = (job.placements[a], job.placements[b]);
        (i64::from(a.nic.0) - i64::from(b.nic.0), i64::from(a.node.0) - i64::from(b.node.0))
    };
    let is_equivalent = |rank: usize| {
        let first = rank / period * period;
        group(rank) == group(first)
            && place(rank).kind == place(0).kind
            && place(rank).switch == place(rank % period).switch
            && apart(rank, first) == apart(rank % period, 0)
            && job.placements[rank].binding == job.placements[rank % period].binding
    };
    // Other ranks in a whole group would make it different from the rest.
    let is_beyond = |rank: usize| groups.binary_search(&group(rank)).is_err();
    let all = groups.len() == size / period
        && (period..size).all(is_equivalent)
        && (size..ranks).all(is_beyond);
    all.then_some((period as u32, size as u32))
}

/// Simulates a call; the error is how the run ended if it did not finish.
pub(super) fn time(
    job: &mut Job,
    parts: &SamplingPlan,
    fidelity: Fidelity,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<Timing, End> {
    if !parts.smaller.is_empty() {
        return time_of_larger(job, parts, fidelity, sums, tick);
    }
    let call = &parts.call;
    let ranks = f64::from(job.placements.len() as u32);
    let mut sum = Timing::default();
    for (nth, range) in parts.ranges.iter().enumerate() {
        let &RoundRange { rounds, shorter, ranks: first, ref sample, .. } = range;
        if parts.is_sample {
            let first = (first < call.member.size).then_some(first);
            let swaps = swaps(call, call.member.size);
            job.sample = Sample { blocks: sample.blocks.clone(), ranks: first, swaps };
        }
        // Flows of the first group must share links as those of the other groups would.
        let folding = job.folding().filter(|_| fidelity == Fidelity::Flow);
        let alike = folding.map(|folding| job.machine.with_uniform_cabling(&folding));
        let own = alike.map(|alike| std::mem::replace(&mut job.machine, alike));
        let ended = run_at(fidelity, job, call, sums, tick);
        job.sample = Sample::ALL;
        if let Some(own) = own {
            job.machine = own;
        }
        let SampledCall { timing, round_starts } = ended?;
        if !parts.is_sample {
            return Ok(timing);
        }
        let (span, error) = sample.extrapolate(&round_starts, rounds);
        // The call's own overhead counts once.
        sum.mean_s += span + if nth == 0 { round_starts[0] } else { 0.0 };
        sum.error_s += error + f64::from(shorter) * span / f64::from(rounds.max(1));
        // Skew between ranks at the end.
        sum.min_s = timing.min_s - timing.mean_s;
        sum.max_s = timing.max_s - timing.mean_s;
        let times = ranks / f64::from(first) * f64::from(rounds) / f64::from(sample.simulated());
        sum.messages += times * timing.messages;
        sum.bytes += times * timing.bytes;
        sum.network_bytes += times * timing.network_bytes;
        sum.global_bytes += times * timing.global_bytes;
    }
    sum.min_s += sum.mean_s;
    sum.max_s += sum.mean_s;
    Ok(sum)
}

/// The time of a call in those of three smaller ones, of n, 2 n and 4 n ranks: linear from the two
/// larger ones. The two smaller ones give the error.
fn time_of_larger(
    job: &mut Job,
    parts: &SamplingPlan,
    fidelity: Fidelity,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<Timing, End> {
    let ranks = |call: &Collective| f64::from(call.member.size);
    let mut timings = Vec::new();
    for call in &parts.smaller {
        let first = job.placements[..call.member.size as usize].to_vec();
        let all = std::mem::replace(&mut job.placements, first);
        let ended = run_at(fidelity, job, call, sums, tick);
        job.placements = all;
        timings.push((ranks(call), ended?.timing));
    }
    let [(_, first), (half, second), (most, third)] = timings[..] else {
        unreachable!("three calls")
    };
    let beyond = ranks(&parts.call) - most;
    let pace = |less: &Timing, more: &Timing, ranks: f64| (more.mean_s - less.mean_s) / ranks;
    let [early, late] = [pace(&first, &second, half / 2.0), pace(&second, &third, half)];
    let added = beyond * late;
    // A rank sends a message per rank with a piece.
    let times = (ranks(&parts.call) / most).powi(2);
    Ok(Timing {
        mean_s: third.mean_s + added,
        min_s: third.min_s + added,
        max_s: third.max_s + added,
        error_s: beyond * (late - early).abs(),
        messages: third.messages * times,
        bytes: third.bytes * times,
        network_bytes: third.network_bytes * times,
        global_bytes: third.global_bytes * times,
    })
}

fn run_at(
    fidelity: Fidelity,
    job: &Job,
    call: &Collective,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<SampledCall, End> {
    match fidelity {
        Fidelity::Packet => run::<PacketNetwork>(job, call, sums, tick),
        Fidelity::Flow => run::<FlowNetwork>(job, call, sums, tick),
        Fidelity::LogGp => run::<LogGpNetwork>(job, call, sums, tick),
    }
}

/// Accumulated results of the simulations of several calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    pub digest: base::Digest,
    pub engine: EngineRow,
    pub limits: Option<LimitsRow>,
}

impl Sums {
    /// Adds one simulation. Digests are added only for finished runs.
    pub(super) fn add(&mut self, job: &Job, outcome: &Outcome) {
        self.engine.add(outcome.engine);
        LimitsRow::gather(&mut self.limits, LimitsRow::of_run(job, outcome));
    }
}

struct SampledCall {
    timing: Timing,
    round_starts: Vec<f64>,
}

fn run<N: NetworkModel>(
    job: &Job,
    call: &Collective,
    sums: &mut Sums,
    tick: &mut dyn FnMut(Progress) -> bool,
) -> Result<SampledCall, End> {
    let size = call.member.size;
    let ranks = job.sample.ranks.unwrap_or(size);
    let call = call.clone();
    let program = move |rank, nth| {
        let call = || Collective { member: collectives::Member { rank, size }, ..call.clone() };
        match nth {
            0 | 3 => Some(Step::Mark),
            1 => Some(Step::Do(Op::Collective { context: WORLD, call: call() })),
            2 => Some(Step::Wait),
            _ => None,
        }
    };
    let streams = Streams::generated(ranks, program).of(size);
    let mut world = World::<N, _>::new(job, streams);
    let outcome = world.run(tick);
    sums.add(job, &outcome);
    let Outcome { end, digest, by_distance, .. } = outcome;
    if end != End::Finished {
        return Err(end);
    }
    sums.digest.mix(digest.0);
    let spans = world.workload.marks.iter().map(|m| (m[1] - m[0]).seconds());
    let (messages, bytes) =
        by_distance.iter().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    let timing = Timing {
        mean_s: spans.clone().sum::<f64>() / f64::from(ranks),
        min_s: spans.clone().fold(f64::INFINITY, f64::min),
        max_s: spans.fold(0.0, f64::max),
        error_s: 0.0,
        messages: messages as f64,
        bytes: bytes as f64,
        network_bytes: (bytes - by_distance[0].1) as f64,
        global_bytes: by_distance[3].1 as f64,
    };
    let mean = |&sum: &u128| sum as f64 * 1e-12 / f64::from(ranks);
    Ok(SampledCall { timing, round_starts: world.round_starts().iter().map(mean).collect() })
}

/// Rank 0's call.
pub(super) fn first_call(
    job: &Job,
    kind: Kind,
    algorithm: Algorithm,
    size: u32,
    bytes: u64,
) -> Collective {
    match collective(kind, algorithm, collectives::Member { rank: 0, size }, bytes) {
        Op::Collective { call, .. } => {
            let nodes = job.placements.iter().take(size as usize).map(|placement| placement.node.0);
            Collective { nodes: Some(NodeMap::new(nodes)), ..call }
        }
        _ => unreachable!("a collective is built"),
    }
}

#[cfg(test)]
mod tests;
