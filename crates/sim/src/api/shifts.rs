//! What an all-to-all in random shifts takes, of which some are played: docs/models/aries.md.

use super::calls::SampleRow;
use crate::bench::{PUTS, Plan};
use base::Time;

/// Student's t at 95 % for one to five degrees of freedom.
const STUDENT: [f64; 5] = [12.706, 4.303, 3.182, 2.776, 2.571];

/// Parts at the ends that say nothing of the others: in the first, ranks are not yet apart; in
/// the last, some have nothing left to do.
const ENDS: usize = 2;

/// Ranks go on drifting apart after what is played; whole runs differ by so much from what a few
/// shifts say in the mean over seeds [measured: docs/models/aries.md].
const DRIFT: f64 = 0.01;

/// Fewest parts whose scatter is known.
pub(super) const LEAST_PARTS: usize = ENDS + 2;

/// The time that all shifts take, s, in the mean over ranks, and what was played of them.
pub(super) fn whole(plan: &Plan, marks: &[Vec<Time>]) -> (f64, SampleRow) {
    let ends = plan.parts();
    // When the first part begins and when each ends, in the mean over ranks.
    let mean = |at: usize| marks.iter().map(|m| m[at].0 as f64 * 1e-12).sum::<f64>();
    let means: Vec<f64> = (0..=ends.len()).map(|at| mean(at) / marks.len() as f64).collect();
    let played = means[ends.len()] - means[0];
    let all = plan.ranks - 1;
    let share = SampleRow {
        method: Some("exact"),
        error: Some(0.0),
        rounds: all,
        rounds_played: plan.shifts,
        ranks_played: plan.ranks,
    };
    let whole = played * f64::from(all) / f64::from(plan.shifts);
    if plan.shifts >= all {
        return (whole, share); // More are the same ones again.
    }
    if ends.len() < LEAST_PARTS {
        return (whole, SampleRow { method: Some("sampled"), error: None, ..share });
    }
    // What a batch takes in each part but the outermost. A last batch of few shifts takes as long
    // as a whole one at most, and as many shifts of it at least.
    let short = |shifts: u32| f64::from((PUTS - shifts % PUTS) % PUTS) / f64::from(PUTS);
    let batches = |shifts: u32| f64::from(shifts.div_ceil(PUTS)) - short(shifts) / 2.0;
    let lengths: Vec<f64> =
        ends.windows(2).map(|w| (w[1] - w[0]).div_ceil(PUTS.into()) as f64).collect();
    let a_batch = |part: usize| (means[part + 1] - means[part]) / lengths[part - 1];
    let counted: Vec<f64> = (1..ends.len() - 1).map(a_batch).collect();
    let n = counted.len() as f64;
    let mean = counted.iter().sum::<f64>() / n;
    let variance = counted.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let left = batches(all) - batches(plan.shifts);
    // The others' mean scatters, too: they are so many parts, and of less than one no more.
    let others = (left / (lengths.iter().sum::<f64>() / lengths.len() as f64)).max(1.0);
    let half = STUDENT[counted.len() - 2] * (variance * (1.0 / n + 1.0 / others)).sqrt();
    let time = played + left * mean;
    let open = (short(all) + short(plan.shifts)) / 2.0 * mean;
    let error = (left * (half + DRIFT * mean) + open) / time;
    (time, SampleRow { method: Some("sampled"), error: Some(error), ..share })
}
