//! Error bars from scaled-down replicas: the benchmark on fewer of the job's nodes, at the
//! requested fidelity and with packets.
//!
//! The difference between the two estimates the error of the large prediction. Equations:
//! docs/models/error-bars.md.

use super::Fidelity;
use machine::NodeId;
use serde::Serialize;
use sim::End;
use sim::{Job, LimitPolicy};

/// Nodes of a replica: the first nodes of the job, which are close to each other, or evenly spaced
/// ones, which are as far apart as those of the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplicaLayout {
    First,
    Spread,
}

impl ReplicaLayout {
    const ALL: [ReplicaLayout; 2] = [ReplicaLayout::First, ReplicaLayout::Spread];

    fn nodes(self, all: &[NodeId], n: usize) -> Vec<NodeId> {
        let nth = |i: usize| match self {
            ReplicaLayout::First => all[i],
            ReplicaLayout::Spread => all[i * all.len() / n],
        };
        let mut nodes: Vec<NodeId> = (0..n).map(nth).collect();
        nodes.sort_unstable();
        nodes
    }
}

/// Result of one scaled-down replica.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct ReplicaRow {
    pub bytes: u64,
    pub nodes: u32,
    pub ranks: u32,
    pub layout: ReplicaLayout,
    /// At the requested fidelity, and with packets.
    pub latency_s: f64,
    pub packet_s: f64,
    /// `packet_s / latency_s - 1`.
    pub error: f64,
}

/// The interval in which the packet time is expected, relative to the prediction. Empty if no
/// replica was within the packet budget.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq)]
pub struct Band {
    pub band_low: Option<f64>,
    pub band_high: Option<f64>,
    /// Nodes of the largest replica.
    #[serde(rename = "twin_nodes")]
    pub replica_nodes: Option<u32>,
    /// The error with the largest magnitude over all replicas.
    #[serde(rename = "twin_error")]
    pub replica_error: Option<f64>,
}

impl Band {
    /// For a prediction on `nodes` nodes. `replicas` are sorted by size within each layout. Per
    /// doubling from the largest replica to the job, the error may change by twice its largest
    /// change from one replica to the next. With one size only, that change is the error itself.
    pub(super) fn of(replicas: &[ReplicaRow], nodes: u32) -> Band {
        let Some(largest) = replicas.iter().map(|replica| replica.nodes).max() else {
            return Band::default();
        };
        let (mut low, mut high, mut worst, mut change) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        for layout in ReplicaLayout::ALL {
            let of_layout = replicas.iter().filter(|replica| replica.layout == layout);
            let errors: Vec<f64> = of_layout.map(|replica| replica.error).collect();
            for &error in &errors {
                (low, high) = (low.min(error), high.max(error));
                worst = if error.abs() > worst.abs() { error } else { worst };
            }
            let changes = errors.windows(2).map(|pair| (pair[1] - pair[0]).abs());
            let alone = if errors.len() == 1 { errors[0].abs() } else { 0.0 };
            change = changes.fold(change.max(alone), f64::max);
        }
        let doublings = (f64::from(nodes) / f64::from(largest)).log2();
        let more = MARGIN * change * doublings;
        Band {
            band_low: Some((low - more).max(-1.0)),
            band_high: Some(high + more),
            replica_nodes: Some(largest),
            replica_error: Some(worst),
        }
    }

    /// Distance of the farther end from the prediction; infinite without error bars.
    pub(super) fn reach(self) -> f64 {
        let ends = self.band_low.zip(self.band_high);
        ends.map_or(f64::INFINITY, |(low, high)| low.abs().max(high.abs()))
    }

    /// The same, if the prediction itself has a relative error of `error`.
    pub(super) fn widened(self, error: f64) -> Band {
        Band {
            band_low: self.band_low.map(|low| (low - error).max(-1.0)),
            band_high: self.band_high.map(|high| high + error),
            ..self
        }
    }
}

/// Factor on the observed change of the error per doubling [estimate]: it changes abruptly where a
/// call first leaves a group. docs/models/error-bars.md has its validation.
const MARGIN: f64 = 2.0;

/// Number of replica sizes, each half of the next.
const SIZES: u32 = 3;

/// Runs the benchmark at a fidelity for a job on fewer nodes: seconds, and packets sent.
pub(super) type TimeReplica<'a> = dyn FnMut(&mut Job, Fidelity) -> Result<(f64, u64), End> + 'a;

/// Runs the replicas of the job. Sizes are powers of two; the largest has at most half of the job's
/// nodes and is within the packet budget. Empty if there is none.
pub(super) fn replicas(
    job: &mut Job,
    bytes: u64,
    fidelity: Fidelity,
    most_packets: u64,
    time_replica: &mut TimeReplica<'_>,
) -> Result<Vec<ReplicaRow>, End> {
    let all = nodes(job);
    let mut run_on = |layout: ReplicaLayout, n: usize, fidelity| {
        on(job, &layout.nodes(&all, n), |job| {
            let (seconds, packets) = time_replica(job, fidelity)?;
            Ok((seconds, job.placements.len() as u32, packets))
        })
    };
    let mut largest = None;
    for n in (1..).map(|i| 1usize << i).take_while(|n| 2 * n <= all.len()) {
        if run_on(ReplicaLayout::First, n, Fidelity::LogGp)?.2 > most_packets {
            break;
        }
        largest = Some(n);
    }
    let mut rows = Vec::new();
    let sizes = (0..SIZES).rev().filter_map(|i| Some(largest? >> i)).filter(|&n| n >= 2);
    for (n, layout) in sizes.flat_map(|n| ReplicaLayout::ALL.map(|layout| (n, layout))) {
        let (latency_s, ranks, _) = run_on(layout, n, fidelity)?;
        let (packet_s, ..) = run_on(layout, n, Fidelity::Packet)?;
        let error = packet_s / latency_s - 1.0;
        let nodes = n as u32;
        rows.push(ReplicaRow { bytes, nodes, ranks, layout, latency_s, packet_s, error });
    }
    Ok(rows)
}

/// The job's nodes in rank order.
pub(super) fn nodes(job: &Job) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    let mut seen = vec![false; job.machine.node_nics.len()];
    for placement in &job.placements {
        if !std::mem::replace(&mut seen[placement.node.0 as usize], true) {
            nodes.push(placement.node);
        }
    }
    nodes
}

/// Calls `run_on` with the job restricted to its ranks on `nodes`, which are sorted. Limits are
/// off, because they apply to the large job.
fn on<R>(job: &mut Job, nodes: &[NodeId], run_on: impl FnOnce(&mut Job) -> R) -> R {
    let here =
        job.placements.iter().filter(|placement| nodes.binary_search(&placement.node).is_ok());
    let placements = here.copied().collect();
    let placements = std::mem::replace(&mut job.placements, placements);
    let limits = std::mem::replace(&mut job.limits, LimitPolicy::Off);
    let result = run_on(job);
    (job.placements, job.limits) = (placements, limits);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replicas(layout: ReplicaLayout, errors: &[f64]) -> Vec<ReplicaRow> {
        let row = |(i, &error): (usize, &f64)| {
            let nodes = 8 << i;
            let (bytes, ranks) = (8, nodes);
            ReplicaRow { bytes, nodes, ranks, layout, latency_s: 1.0, packet_s: 1.0 + error, error }
        };
        errors.iter().enumerate().map(row).collect()
    }

    #[test]
    fn a_band_has_all_errors_and_those_that_grow_go_on() {
        let near = |band: Band, low: f64, high: f64, worst: f64| {
            let found = [band.band_low, band.band_high, band.replica_error];
            for (found, expected) in found.into_iter().zip([low, high, worst]) {
                let found = found.expect("there are replicas");
                assert!((found - expected).abs() < 1e-12, "{band:?}: {low} {high} {worst}");
            }
        };
        let first = |errors: &[f64]| replicas(ReplicaLayout::First, errors);
        // From 32 nodes to 256 are three doublings, each with a change of up to twice 0.08.
        near(Band::of(&first(&[0.02, 0.10, 0.15]), 256), -0.48, 0.15 + 0.48, 0.15);
        near(Band::of(&first(&[0.02, -0.01, -0.03]), 64), -0.09, 0.08, -0.03);
        // The largest replica has half of the job's nodes, and the errors do not change.
        near(Band::of(&first(&[0.05, 0.05]), 32), 0.0, 0.05, 0.05);
        // With one size, its change is unknown.
        near(Band::of(&first(&[-0.05]), 32), -0.25, 0.20, -0.05);
        // The sampling error is added, and times are never negative.
        near(Band::of(&first(&[0.05, 0.05]), 32).widened(0.01), -0.01, 0.06, 0.05);
        near(Band::of(&first(&[-0.2, -0.6]), 64), -1.0, 1.6, -0.6);
        // The layouts are independent.
        let both = [first(&[0.10, 0.10]), replicas(ReplicaLayout::Spread, &[0.02, 0.12])].concat();
        near(Band::of(&both, 32), -0.20, 0.12 + 0.20, 0.12);
        assert_eq!(Band::of(&[], 256), Band::default());
    }

    #[test]
    fn replicas_use_the_first_nodes_or_every_nth() {
        let all: Vec<NodeId> = [7, 3, 9, 1, 5, 8].map(NodeId).to_vec();
        let of =
            |layout: ReplicaLayout, n| layout.nodes(&all, n).iter().map(|node| node.0).collect();
        let found: [Vec<u32>; 2] = ReplicaLayout::ALL.map(|layout| of(layout, 3));
        assert_eq!(found, [vec![3, 7, 9], vec![5, 7, 9]]);
    }
}
