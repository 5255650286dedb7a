//! Whether members of a collective ask for the same: where lengths differ, no message need show it.
//!
//! Knows what the first of a call's members asked for, while others have not called it yet. Refuses
//! to know what collectives do. Collectives and roots that differ are told by the messages that
//! nobody expects (`collective`) or by the network's own reductions (`offload`).

use std::collections::VecDeque;

use crate::collective::Run;
use crate::world::{RunId, World};
use collectives::{Collective, Kind};
use net::NetworkModel;
use workload::Workload;

/// Calls of a communicator that some members have made and others not, from number `first` on.
#[derive(Default)]
pub(crate) struct Agreement {
    first: u32,
    calls: VecDeque<Asked>,
}

/// What the first of a call's members asked for, and how many have called it.
#[derive(Clone, Copy, Debug)]
struct Asked {
    rank: u32,
    kind: Kind,
    root: u32,
    bytes: u64,
    entered: u32,
}

/// Bytes that members of a call agree about, beside its kind and root: MPI wants what one sends to
/// be as long as what the other receives. Where each rank has a length of its own that is an affair
/// of two.
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

/// `Allreduce of 8 B`, `Gather of blocks of 8 B`.
fn said(kind: Kind, bytes: u64) -> String {
    let is_vector =
        matches!(kind, Kind::Bcast | Kind::Reduce | Kind::Allreduce | Kind::Scan | Kind::Exscan);
    format!("{kind:?} of {}{bytes} B", if is_vector { "" } else { "blocks of " })
}

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// A rank's run begins: whether it asks for as many bytes as the first of the call's `size`
    /// members. If not, the run of all ends there.
    pub(crate) fn agrees(&mut self, id: RunId, size: u32) -> bool {
        // Of a sample not all members come, and those that do follow one script.
        if self.ranks.len() < self.job.seats.len() {
            return true;
        }
        let Run { rank, context, seq, call, .. } = self.runs[id];
        let call = self.called[call].collective();
        let (kind, bytes) = (call.kind, agreed(call));
        let root = if kind.has_root() { call.root } else { 0 };
        let known = self.agreements.entry((self.job_of(rank), context)).or_default();
        let at = seq.wrapping_sub(known.first) as usize;
        if at == known.calls.len() {
            known.calls.push_back(Asked { rank, kind, root, bytes, entered: 0 });
        }
        let Some(asked) = known.calls.get_mut(at) else { return true };
        asked.entered += 1;
        let asked = *asked;
        if asked.entered == size {
            // Who has made a call has made all before it, so there are none before this one.
            known.calls.pop_front();
            known.first += 1;
        }
        if (asked.kind, asked.root) != (kind, root) || asked.bytes == bytes {
            return true;
        }
        let (first, own) = (self.own_number(asked.rank), self.own_number(rank));
        let (theirs, mine) = (said(kind, asked.bytes), said(kind, bytes));
        let what = format!("rank {first} called {theirs}, rank {own} {mine}");
        self.disagree(rank, (context, seq), &what);
        false
    }
}
