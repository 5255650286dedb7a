//! The NICs that a schedule names: a send has its own, and its receiver that of the matching
//! receive.
//!
//! Matching is determined as if every rank posted its receives and made its sends in file order,
//! one rank after another. Where a run matches otherwise (wildcards, dependencies) a message keeps
//! the NIC found here.

use super::{ANY, FilePosition, OpKind, PositionStyle, RankOps, position};
use std::collections::{BTreeMap, VecDeque};

/// Every NIC but 0 named by a send or receive, with its rank and position in the file.
pub(super) fn named(parts: &[RankOps], style: PositionStyle) -> Vec<(u32, u8, FilePosition)> {
    let mut all = Vec::new();
    for (rank, part) in (0u32..).zip(parts) {
        let ops = part.ops.iter().filter(|op| op.kind != OpKind::Calc && op.nic != 0);
        all.extend(ops.map(|op| (rank, op.nic, position(style, rank, op))));
    }
    all
}

/// By operation, rank after rank: for a send its NIC and that of its receive, or 0 if it has none.
/// `None` if no operation names a NIC but 0.
pub(super) fn of_sends(parts: &[RankOps]) -> Option<Vec<[u8; 2]>> {
    let mut ops = parts.iter().flat_map(|part| &part.ops);
    if ops.all(|op| op.kind == OpKind::Calc || op.nic == 0) {
        return None;
    }
    let mut receives = Receives::new(parts);
    let mut all = Vec::new();
    for (rank, part) in (0u32..).zip(parts) {
        all.extend(part.ops.iter().map(|op| match op.kind {
            OpKind::Send => [op.nic, receives.take(op.peer, rank, op.tag)],
            _ => [op.nic, 0],
        }));
    }
    Some(all)
}

/// Unmatched receives by receiver, source and tag: their indices among those of their rank, and
/// their NICs.
struct Receives(BTreeMap<(u32, u32, u32), VecDeque<(usize, u8)>>);

impl Receives {
    fn new(parts: &[RankOps]) -> Receives {
        let mut all: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        for (rank, part) in (0u32..).zip(parts) {
            for (nth, op) in part.ops.iter().enumerate().filter(|(_, op)| op.kind == OpKind::Recv) {
                all.entry((rank, op.peer, op.tag)).or_default().push_back((nth, op.nic));
            }
        }
        Receives(all)
    }

    /// The NIC of the first receive of `to` that matches this message.
    fn take(&mut self, to: u32, from: u32, tag: u32) -> u8 {
        let keys = [(to, from, tag), (to, from, ANY), (to, ANY, tag), (to, ANY, ANY)];
        let first = |key: &(u32, u32, u32)| self.0.get(key)?.front().map(|first| first.0);
        let Some(key) = keys.into_iter().filter(|key| first(key).is_some()).min_by_key(first)
        else {
            return 0;
        };
        let found = self.0.get_mut(&key).and_then(VecDeque::pop_front);
        found.expect("it has a first").1
    }
}
