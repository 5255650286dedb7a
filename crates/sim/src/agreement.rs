//! Consistency of collective calls: whether all members of a communicator pass matching lengths.
//! Messages alone need not reveal a mismatch of lengths.
//!
//! Stores the arguments of the first member's call until all members have called. Mismatched
//! collectives and roots are found elsewhere: by unexpected messages (`collective`), or by
//! reductions in the network (`offload`).

use std::collections::{BTreeMap, VecDeque};

use crate::kernel::Kernel;
use collectives::{Collective, Kind};
use net::NetworkModel;
use workload::Context;

/// Calls of a communicator that some members have not made yet, from number `first` on. A
/// communicator without such calls has no entry, because programs make and free communicators
/// without bound.
struct Agreement {
    first: u32,
    calls: VecDeque<CallArgs>,
}

/// Arguments of the first member's call, and the number of members that have called.
#[derive(Clone, Copy, Debug)]
struct CallArgs {
    rank: u32,
    kind: Kind,
    root: u32,
    bytes: u64,
    entered: u32,
}

/// By job and communicator: calls that not all members have made yet.
#[derive(Default)]
pub(crate) struct Agreements(BTreeMap<(u32, Context), Agreement>);

/// The byte count on which members must agree, beside kind and root: MPI requires that the sent and
/// received lengths match. Lengths per rank concern only pairs of ranks, and give 0.
fn agreed(call: &Collective) -> u64 {
    match call.kind {
        Kind::Allgatherv
        | Kind::Alltoallv
        | Kind::Gatherv
        | Kind::Scatterv
        | Kind::ReduceScatter => 0,
        _ => call.bytes,
    }
}

/// For example `Allreduce of 8 B`, `Gather of blocks of 8 B`.
fn describe(kind: Kind, bytes: u64) -> String {
    let is_vector =
        matches!(kind, Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Scan | Kind::Exscan);
    format!("{kind:?} of {}{bytes} B", if is_vector { "" } else { "blocks of " })
}

impl Agreements {
    /// Checks the byte count of a rank's call, the `seq`-th on `context`, against the first of the
    /// call's `size` members. Fails with both, if they differ.
    pub fn check<N: NetworkModel>(
        &mut self,
        kernel: &Kernel<'_, N>,
        rank: u32,
        (context, seq): (Context, u32),
        call: &Collective,
        size: u32,
    ) -> Result<(), String> {
        // In a sample not all members call, and the simulated ones run one script.
        if kernel.ranks.len() < kernel.job.placements.len() {
            return Ok(());
        }
        let (kind, bytes) = (call.kind, agreed(call));
        let root = if kind.has_root() { call.root } else { 0 };
        let key = (kernel.job_of(rank), context);
        // All earlier calls have been made by all members.
        let new = || Agreement { first: seq, calls: VecDeque::new() };
        let known = self.0.entry(key).or_insert_with(new);
        let at = seq.wrapping_sub(known.first) as usize;
        if at == known.calls.len() {
            known.calls.push_back(CallArgs { rank, kind, root, bytes, entered: 0 });
        }
        let Some(call_args) = known.calls.get_mut(at) else { return Ok(()) };
        call_args.entered += 1;
        let call_args = *call_args;
        if call_args.entered == size {
            // A member that makes a call has made all calls before it, so entries finish in order.
            known.calls.pop_front();
            known.first += 1;
            if known.calls.is_empty() {
                self.0.remove(&key);
            }
        }
        if (call_args.kind, call_args.root) != (kind, root) || call_args.bytes == bytes {
            return Ok(());
        }
        let (first, own) = (kernel.own_number(call_args.rank), kernel.own_number(rank));
        let (theirs, this_call) = (describe(kind, call_args.bytes), describe(kind, bytes));
        Err(format!("rank {first} called {theirs}, rank {own} {this_call}"))
    }

    /// Number of communicators with stored state.
    #[cfg(test)]
    pub fn kept(&self) -> usize {
        self.0.len()
    }
}
