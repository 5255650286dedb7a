//! Memory of a program's ranks per node, compared with the node's memory.
//!
//! Ranks report their maximum resident memory (`workload::resident`) when they end. The sum per
//! node includes what their MPI library would hold for peers. A node whose sum exceeds its memory
//! is out of memory, although the maxima of its ranks need not coincide.

use live::LiveOutcome;
use machine::NodeId;
use mpi::limits::Limit;
use sim::{Blocked, ExceededLimit, LimitUse, Outcome};
use sim::{Job, LimitPolicy};
use std::collections::BTreeMap;

/// Of one node.
#[derive(Clone, Copy, Default)]
struct NodeMemory {
    ranks: u32,
    used: u64,
    at_init: u64,
    /// The part of `used` that the library holds for peers.
    peers: u64,
    /// Maximum of one rank, and that rank.
    most: (u64, u32),
}

/// Adds the memory of these ranks to the limits of the run. Each program comes with its first rank
/// in the run. Returns the failure that ends the run, if memory is exceeded.
pub(super) fn count(
    outcome: &mut Outcome,
    job: &Job,
    programs: &[(u32, &LiveOutcome)],
) -> Option<Blocked> {
    let (node, sum) = node_with_most_memory(job, programs)?;
    let bound = job.machine.node.memory.filter(|_| job.limits != LimitPolicy::Off);
    let rank = sum.most.1;
    outcome.limit_report.uses.push(LimitUse {
        limit: Limit::Memory,
        used: sum.used,
        fixed: sum.at_init,
        bound,
        rank,
    });
    let bound = bound.filter(|&bound| sum.used > bound)?;
    let what = describe(job, node, sum, bound);
    let exceeded =
        ExceededLimit { limit: Limit::Memory, rank, node, at: outcome.time, what: what.clone() };
    outcome.limit_report.exceeded.push(exceeded);
    (job.limits == LimitPolicy::Fail).then_some(Blocked { rank, node, what })
}

/// The node with the maximum, the first of several; none if no rank reported its memory.
fn node_with_most_memory(
    job: &Job,
    programs: &[(u32, &LiveOutcome)],
) -> Option<(NodeId, NodeMemory)> {
    let mut nodes: BTreeMap<NodeId, NodeMemory> = BTreeMap::new();
    for &(first, live) in programs {
        let peers = job.library.peer_memory * (live.ranks.len() as u64 - 1);
        for (rank, report) in (first..).zip(&live.ranks) {
            let Some((at_init, peak)) = report.memory else { continue };
            let sum = nodes.entry(job.placements[rank as usize].node).or_default();
            sum.ranks += 1;
            sum.at_init += at_init;
            sum.peers += peers;
            sum.used += peak + peers;
            if peak > sum.most.0 {
                sum.most = (peak, rank);
            }
        }
    }
    nodes.into_iter().rev().max_by_key(|(_, sum)| sum.used)
}

fn describe(job: &Job, node: NodeId, sum: NodeMemory, bound: u64) -> String {
    let name = job.machine.node_name(node);
    let (most, rank) = sum.most;
    let nth = job.firsts.partition_point(|&first| first <= rank);
    let own = rank - nth.checked_sub(1).map_or(0, |nth| job.firsts[nth]);
    let ranks = if sum.ranks == 1 { "its rank".into() } else { format!("its {} ranks", sum.ranks) };
    let peers = match sum.peers {
        0 => String::new(),
        peers => format!(", {} of it the MPI library's for their peers", format_bytes(peers)),
    };
    format!(
        "node {name} out of memory: {ranks} had {} at their most{peers}, and it has {}; rank {own} \
         had {} of its own. The kernel's out-of-memory killer ends the job there (`Detected 1 \
         oom_kill event`, `Killed`, signal 9). That is known when ranks have ended. Fix: {}",
        format_bytes(sum.used),
        format_bytes(bound),
        format_bytes(most),
        Limit::Memory.workaround()
    )
}

/// Bytes with three digits and a decimal unit, as in the tables.
pub(super) fn format_bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let Some((size, unit)) = UNITS.into_iter().find(|&(size, _)| bytes >= size) else {
        return format!("{bytes} B");
    };
    let value = bytes as f64 / size as f64;
    let digits = 2 - (value.log10().floor() as i32).clamp(0, 2);
    format!("{value:.*} {unit}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::format_bytes;

    #[test]
    fn bytes_have_three_digits() {
        for (bytes, shown) in [
            (999, "999 B"),
            (1_000, "1.00 kB"),
            (65_536, "65.5 kB"),
            (177_400_000, "177 MB"),
            (1_217_623_228_416, "1.22 TB"),
        ] {
            assert_eq!(format_bytes(bytes), shown);
        }
    }
}
