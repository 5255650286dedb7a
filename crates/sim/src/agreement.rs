//! Consistency of collective calls: whether all members of a communicator pass matching lengths.
//! Messages alone need not reveal a mismatch of lengths.
//!
//! Stores the arguments of the first member's call until all members have called. Mismatched
//! collectives and roots are found elsewhere: by unexpected messages (`collective`), or by
//! reductions in the network (`offload`).

use std::collections::VecDeque;

use crate::collective::Run;
use crate::world::{RunId, World};
use collectives::{Collective, Kind};
use net::NetworkModel;
use workload::Workload;

/// Calls of a communicator that some members have not made yet, from number `first` on. A
/// communicator without such calls has no entry, because programs make and free communicators
/// without bound.
pub(crate) struct Agreement {
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

impl<N: NetworkModel, W: Workload> World<'_, N, W> {
    /// Checks the byte count of a rank's call against the first of the call's `size` members. On a
    /// mismatch the run ends.
    pub(crate) fn agrees(&mut self, id: RunId, size: u32) -> bool {
        // In a sample not all members call, and the simulated ones run one script.
        if self.ranks.len() < self.job.placements.len() {
            return true;
        }
        let Run { rank, context, seq, call, .. } = self.runs[id];
        let call = self.call_entries[call].collective();
        let (kind, bytes) = (call.kind, agreed(call));
        let root = if kind.has_root() { call.root } else { 0 };
        let key = (self.job_of(rank), context);
        // All earlier calls have been made by all members.
        let new = || Agreement { first: seq, calls: VecDeque::new() };
        let known = self.agreements.entry(key).or_insert_with(new);
        let at = seq.wrapping_sub(known.first) as usize;
        if at == known.calls.len() {
            known.calls.push_back(CallArgs { rank, kind, root, bytes, entered: 0 });
        }
        let Some(call_args) = known.calls.get_mut(at) else { return true };
        call_args.entered += 1;
        let call_args = *call_args;
        if call_args.entered == size {
            // A member that makes a call has made all calls before it, so entries finish in order.
            known.calls.pop_front();
            known.first += 1;
            if known.calls.is_empty() {
                self.agreements.remove(&key);
            }
        }
        if (call_args.kind, call_args.root) != (kind, root) || call_args.bytes == bytes {
            return true;
        }
        let (first, own) = (self.own_number(call_args.rank), self.own_number(rank));
        let (theirs, this_call) = (describe(kind, call_args.bytes), describe(kind, bytes));
        let what = format!("rank {first} called {theirs}, rank {own} {this_call}");
        self.report_disagreement(rank, (context, seq), &what);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;
    use crate::world::{Job, RankPlacement};
    use collectives::Algorithm;
    use loggp::LogGpNetwork;
    use machine::{MachineSpec, NicId, NodeId};
    use workload::{Op, Step, Streams};

    /// Four ranks call on 100 communicators in turn, with messages and in the network. A mismatch
    /// is still reported.
    #[test]
    fn matched_collective_calls_leave_no_state() {
        const RANKS: u32 = 4;
        let text = machine::preset("aurora").expect("a preset");
        let spec = MachineSpec::parse("aurora", text, &[]).expect("presets are legal");
        let machine = spec.resolve().expect("presets are legal");
        let text = mpi::library::preset("mpich").expect("a preset");
        let library = mpi::Library::parse("mpich", text, &machine.fabric).expect("legal");
        let placement = |n| {
            let node = NodeId(n);
            RankPlacement { node, nic: NicId(machine.node_nics[node]), binding: Default::default() }
        };
        let placements = (0..RANKS).map(placement).collect();
        let job = Job::new(machine, library, placements, 1);
        let call = |rank, algorithm, bytes| Collective {
            kind: Kind::Allreduce,
            algorithm,
            member: collectives::Member { rank, size: RANKS },
            root: 0,
            bytes,
            grain: 8,
            ragged: None,
            nodes: None,
        };
        let algorithms = [Algorithm::RecursiveDoubling, Algorithm::Offload];
        let simulate = |odd: u32| {
            let step = move |rank, nth: usize| match (1 + nth as u32 / 4, nth % 4) {
                (101.., _) => None,
                (_, 3) => Some(Step::Wait),
                (context, nth) => {
                    let bytes = if (rank, context, nth) == (2, odd, 2) { 16 } else { 8 };
                    let call = call(rank, algorithms[nth % 2], bytes);
                    Some(Step::Do(Op::Collective { context, call }))
                }
            };
            let communicators = vec![(0..RANKS).collect(); 100];
            let streams = Streams::generated(RANKS, step).with_communicators(communicators);
            let mut world = World::<LogGpNetwork, _>::new(&job, streams);
            let end = world.run(&mut |_| true).end;
            (end, world.agreements.len(), world.offload.kept())
        };
        assert_eq!(simulate(0), (End::Finished, 0, 0));
        let (End::Erroneous(blocked), ..) = simulate(100) else { panic!("they disagree") };
        assert!(blocked.what.starts_with("call 3 of communicator 100,"), "{}", blocked.what);
    }
}
