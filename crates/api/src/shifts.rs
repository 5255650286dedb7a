//! Extrapolates an all-to-all in random shifts from some of them: docs/models/aries-alltoall.md.

use super::calls::SampleRow;
use crate::benchmarks::{BenchPlan, PUTS};
use base::Time;

/// Student's t at 95 % for one to five degrees of freedom.
const STUDENT: [f64; 5] = [12.706, 4.303, 3.182, 2.776, 2.571];

/// Parts at the ends that do not represent others: in the first the skew is still building up; in
/// the last, some ranks have finished.
const ENDS: usize = 2;

/// The skew between ranks continues to grow after the simulated part. Whole runs differ by this
/// much from their extrapolation, in the mean over seeds [measured: docs/models/aries-alltoall.md].
const DRIFT: f64 = 0.01;

/// Minimum number of parts that gives a variance.
pub(super) const LEAST_PARTS: usize = ENDS + 2;

/// Time of all shifts, s, in the mean over ranks, and the simulated part.
pub(super) fn time_of_all(plan: &BenchPlan, marks: &[Vec<Time>]) -> (f64, SampleRow) {
    let ends = plan.parts();
    // Start of the first part and end of each, in the mean over ranks.
    let mean = |at: usize| marks.iter().map(|m| m[at].0 as f64 * 1e-12).sum::<f64>();
    let means: Vec<f64> = (0..=ends.len()).map(|at| mean(at) / marks.len() as f64).collect();
    let simulated = means[ends.len()] - means[0];
    let all = plan.ranks - 1;
    let sample = SampleRow {
        method: Some("exact"),
        error: Some(0.0),
        rounds: all,
        rounds_simulated: plan.shifts,
        ranks_simulated: plan.ranks,
    };
    let whole = simulated * f64::from(all) / f64::from(plan.shifts);
    if plan.shifts >= all {
        return (whole, sample); // More shifts would repeat the same ones.
    }
    if ends.len() < LEAST_PARTS {
        return (whole, SampleRow { method: Some("sampled"), error: None, ..sample });
    }
    // Time per batch in each part except the outermost. A last batch of few shifts takes at most as
    // long as a whole one, and at least in proportion to its shifts.
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
    // The mean of the remaining parts varies too: their number, at least one.
    let others = (left / (lengths.iter().sum::<f64>() / lengths.len() as f64)).max(1.0);
    let half = STUDENT[counted.len() - 2] * (variance * (1.0 / n + 1.0 / others)).sqrt();
    let time = simulated + left * mean;
    let open = (short(all) + short(plan.shifts)) / 2.0 * mean;
    let error = (left * (half + DRIFT * mean) + open) / time;
    (time, SampleRow { method: Some("sampled"), error: Some(error), ..sample })
}
