//! Collectives executed by the network: switches or NICs reduce towards one rank and distribute the
//! result.
//!
//! Source: libfabric's cxi provider, "Accelerated Collectives". There all of them are allreduces: a
//! broadcast reduces zeros and the root's data, and every rank gets the result of a reduction.
//! docs/models/collective-offload.md has the times.

use crate::{ApplyMode, ByteRange, Collective, InNetwork, Kind, RoundSink};

/// One round up, one down.
pub(crate) const ROUNDS: u32 = 2;

/// Most bytes a switch reduces: four words of 8 B. [libfabric] CXIP_COLL_MAX_DATA_SIZE
pub const OFFLOAD_MAX: u64 = 32;

/// The equivalent sends and receives, for sinks that move bytes: all ranks send to the first, which
/// sends the result to all.
pub(crate) fn round(c: &Collective, k: u32, out: &mut impl RoundSink) {
    let (rank, size, root) = (c.member.rank, c.member.size, c.root);
    let whole = ByteRange { at: 0, len: if c.kind == Kind::Barrier { 0 } else { c.bytes } };
    if out.in_network(InNetwork { root: 0, size, bytes: whole.len, goes_up: k == 0 }) {
        return;
    }
    let sends = |rank: u32| rank > 0 && (c.kind != Kind::Bcast || rank == root);
    let receives = |rank: u32| match c.kind {
        Kind::Bcast => rank > 0 && rank != root,
        Kind::Reduce => rank > 0 && rank == root,
        _ => rank > 0,
    };
    let mode = if c.kind == Kind::Bcast { ApplyMode::Write } else { ApplyMode::CombineRight };
    match (k, rank) {
        (0, 0) => (1..size).filter(|&r| sends(r)).for_each(|r| out.recv(r, whole, mode)),
        (0, _) if sends(rank) => out.send(0, whole),
        (1, 0) => (1..size).filter(|&r| receives(r)).for_each(|r| out.send(r, whole)),
        (1, _) if receives(rank) => out.recv(0, whole, ApplyMode::Write),
        _ => {}
    }
}
