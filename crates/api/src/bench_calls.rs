//! Collective calls of benchmarks.

use collectives::{Algorithm, Collective, Kind, Member, Ragged};
use workload::{Op, WORLD};

/// A collective call of one rank as that of another; for calls that differ only in the rank.
pub(crate) fn as_rank(op: &Op, rank: u32) -> Op {
    let mut op = op.clone();
    if let Op::Collective { call, .. } = &mut op {
        call.member.rank = rank;
    }
    op
}

/// The call of one rank. `bytes` is the vector for broadcasts, reductions, scans and reduce_scatter
/// (as in OSU), and one rank's block for all others.
pub fn collective(kind: Kind, algorithm: Algorithm, member: Member, bytes: u64) -> Op {
    let p = u64::from(member.size);
    // OSU reduces floats.
    let grain = match kind {
        _ if kind.reduces() => 4,
        _ => 1,
    };
    let even = |blocks: usize| Ragged::new(std::iter::repeat_n(bytes, blocks));
    let ragged = match kind {
        Kind::Allgatherv => Some(even(p as usize)),
        Kind::Gatherv | Kind::Scatterv if member.rank == 0 => Some(even(p as usize)),
        Kind::Alltoallv => Some(even(2 * p as usize)),
        Kind::ReduceScatter => {
            let grains = bytes / grain;
            Some((0..p).map(|i| (grains / p + u64::from(i < grains % p)) * grain).collect())
        }
        _ => None,
    };
    let bytes = if kind == Kind::Barrier { 0 } else { bytes };
    let call = Collective { kind, algorithm, member, root: 0, bytes, grain, ragged, nodes: None };
    Op::Collective { context: WORLD, call }
}

/// Rank 0's call in a communicator with one rank per node, as fabric tests use.
pub(super) fn call_across_nodes(
    kind: Kind,
    algorithm: Algorithm,
    size: u32,
    bytes: u64,
) -> Collective {
    match collective(kind, algorithm, Member { rank: 0, size }, bytes) {
        Op::Collective { call, .. } => call,
        _ => unreachable!("a collective is built"),
    }
}
