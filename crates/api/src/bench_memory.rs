//! Memory of a benchmark's message buffers, compared with that of a node: a result of the simulated
//! machine, as for programs (`memory`). It knows neither the run nor its time.
//!
//! Buffers are those of the OSU micro-benchmarks: `osu_alltoall` has one block per rank to send and
//! one to receive, `osu_allgather` one block to send and one per rank to receive, and so on. Pages
//! are counted, because each is written. OSU itself refuses more than 512 MiB per process unless
//! its option `-M` allows more.

use super::limits::{CrossedRow, LimitsRow, UseRow};
use super::memory::format_bytes;
use crate::benchmarks::Bench;
use collectives::Kind;
use machine::NodeId;
use mpi::limits::Limit;
use sim::{Blocked, Buffers, Job, LimitPolicy};

/// Memory of the node whose ranks have the most.
#[derive(Clone, Debug)]
pub(super) struct NodeBuffers {
    pub rank: u32,
    pub node: NodeId,
    pub used: u64,
    /// The part that the MPI library holds for peers, at any size.
    pub fixed: u64,
    pub bound: Option<u64>,
    /// The message if `used` exceeds `bound`.
    pub what: Option<String>,
}

impl NodeBuffers {
    /// For messages of `bytes`; none if buffers are in GPU memory.
    pub(super) fn of(job: &Job, bench: Bench, bytes: u64) -> Option<NodeBuffers> {
        if job.buffers != Buffers::Host || job.placements.is_empty() {
            return None;
        }
        // Rank 0 is a root, so its node has the most. Ranks of a node may be any.
        let node = job.placements[0].node;
        let here = (0..).zip(&job.placements).filter(|(_, placement)| placement.node == node);
        let ranks: Vec<u32> = here.map(|(rank, _)| rank).collect();
        let size = job.placements.len() as u64;
        let nodes = size.div_ceil(ranks.len() as u64);
        let own = |&rank: &u32| of_rank(bench, rank, size, nodes, bytes);
        let buffers = ranks.iter().map(own).fold(0, u64::saturating_add);
        let fixed = job.library.peer_memory.saturating_mul(size - 1) * ranks.len() as u64;
        let used = buffers.saturating_add(fixed);
        let bound = job.machine.node.memory.filter(|_| job.limits != LimitPolicy::Off);
        let what = bound.filter(|&bound| used > bound).map(|bound| {
            format!(
                "node {} out of memory: buffers of its {} ranks for {bytes} B, and what the MPI \
                 library holds for their peers, are {}, and it has {}. The kernel's out-of-memory \
                 killer ends the job there. Fix: {}",
                job.machine.node_name(node),
                ranks.len(),
                format_bytes(used),
                format_bytes(bound),
                Limit::Memory.workaround()
            )
        });
        Some(NodeBuffers { rank: 0, node, used, fixed, bound, what })
    }

    /// The end of the job, if limits end it.
    pub(super) fn failure(&self, job: &Job) -> Option<Blocked> {
        let what = self.what.clone().filter(|_| job.limits == LimitPolicy::Fail)?;
        Some(Blocked { rank: self.rank, node: self.node, what })
    }

    /// Adds it to the limits of a benchmark.
    pub(super) fn add_to(&self, limits: &mut LimitsRow, job: &Job) {
        let (limit, node) = (Limit::Memory, job.machine.node_name(self.node));
        limits.uses.push(UseRow {
            limit: limit.name(),
            used: self.used,
            bound: self.bound,
            fixed: self.fixed,
            share: self.bound.map(|bound| self.used as f64 / bound as f64),
            rank: self.rank,
            node: node.clone(),
            parameter: limit.parameter(),
            workaround: limit.workaround(),
        });
        limits.crossed.extend(self.what.clone().map(|message| CrossedRow {
            limit: limit.name(),
            rank: self.rank,
            node,
            time_s: 0.0,
            message,
        }));
    }
}

/// Bytes of the buffers of one of `p` ranks on `nodes` nodes.
fn of_rank(bench: Bench, rank: u32, p: u64, nodes: u64, bytes: u64) -> u64 {
    use Kind as K;
    let blocks = match bench {
        Bench::Collective(K::Barrier) => 0,
        Bench::Collective(K::Bcast) => 1,
        Bench::Collective(K::Allgather | K::Allgatherv) => 1 + p,
        Bench::Collective(K::Alltoall | K::Alltoallv) => 2 * p,
        Bench::Collective(K::Gather | K::Gatherv | K::Scatter | K::Scatterv) if rank == 0 => 1 + p,
        Bench::Collective(K::Gather | K::Gatherv | K::Scatter | K::Scatterv) => 1,
        // A vector of a block per rank; its own block is the result.
        Bench::Collective(K::ReduceScatterBlock) => 1 + p,
        Bench::FabricTest(test) if test.kind() == Some(K::Alltoall) => 2 * nodes,
        // Vectors to send and to receive.
        _ => 2,
    };
    blocks.saturating_mul(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 9,658 nodes of Aurora with 8 ranks each: 2 x 77,264 blocks of 1 MiB per rank are 1.2 TiB per
    /// node, of 1,134 GiB. Half as many nodes have half.
    #[test]
    fn buffers_of_a_large_alltoall_exceed_a_node() {
        let of = |nodes: u32, limits: &str, kind| {
            let common = serde_json::json!({
                "machine": { "name": "aurora" }, "fidelity": "loggp", "limits": limits,
            });
            let common: crate::Common = serde_json::from_value(common).expect("options");
            let job = crate::job(&common, nodes * 8, 8).expect("legal");
            let found = NodeBuffers::of(&job, Bench::Collective(kind), 1 << 20).expect("on hosts");
            let failure = found.failure(&job).is_some();
            (found, failure)
        };
        let (found, failure) = of(9_658, "fail", Kind::Alltoall);
        assert_eq!(found.used - found.fixed, (8 * 2 * 77_264) << 20);
        assert!(failure && found.what.is_some_and(|what| what.contains("out of memory")));
        let (found, failure) = of(9_658, "warn", Kind::Alltoall);
        assert!(!failure && found.what.is_some());
        assert!(of(9_658, "off", Kind::Alltoall).0.what.is_none());
        assert!(of(4_829, "fail", Kind::Alltoall).0.what.is_none());
        // The root of a gather has a block per rank, the other seven ranks of its node have one.
        let gather = of(100, "fail", Kind::Gather).0;
        assert_eq!(gather.used - gather.fixed, (801 + 7) << 20);
    }
}
