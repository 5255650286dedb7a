//! Checks that ranks are placed as a row of results states: the number of nodes, and ranks per
//! node.
//!
//! `machine::placement` places ranks; a list of the user's may place them anywhere.

use crate::benchmarks::Bench;
use crate::fabric_tests;
use machine::InputError;
use sim::RankPlacement;
use std::collections::{BTreeMap, BTreeSet};

/// An error if ranks are not placed as a fabric test requires: equally many on every node, in
/// order. At least two nodes are required if ranks of one node do not communicate.
pub(super) fn placement_error(
    benchmark: Bench,
    ppn: u32,
    placements: &[RankPlacement],
) -> Option<InputError> {
    let Bench::FabricTest(test) = benchmark else { return None };
    let a_node = ppn.max(1) as usize;
    let nodes: BTreeSet<_> = placements.iter().map(|placed| placed.node).collect();
    let one_alone = test != fabric_tests::FabricTest::Bisect && nodes.len() < 2;
    let is_one = |ranks: &[RankPlacement]| ranks.iter().all(|placed| placed.node == ranks[0].node);
    let are_whole =
        nodes.len() * a_node == placements.len() && placements.chunks(a_node).all(is_one);
    let (key, expected) = if one_alone {
        ("nodes", "at least two nodes: ranks of one node do not communicate")
    } else if !are_whole {
        ("placement", "equally many ranks on every node, in order")
    } else {
        return None;
    };
    Some(InputError::new(key, format!("{} ranks, {ppn} per node", placements.len()), expected))
}

/// An error if a list of nodes has another number of nodes or of ranks per node than requested. The
/// row would state one number of nodes and measure another.
pub(super) fn on_other_nodes(
    requested: u32,
    ppn: u32,
    placements: &[RankPlacement],
) -> Option<InputError> {
    let mut ranks_of = BTreeMap::new();
    for placed in placements {
        *ranks_of.entry(placed.node).or_insert(0) += 1;
    }
    let count = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let nodes = ranks_of.len() as u32;
    let most = ranks_of.values().copied().max().unwrap_or(0);
    let found = if nodes != requested {
        format!("ranks on {}", count(nodes, "node"))
    } else if most > ppn {
        format!("{} on one of {}", count(most, "rank"), count(nodes, "node"))
    } else {
        return None;
    };
    let expected = format!("ranks on {}, {ppn} on each", count(requested, "node"));
    Some(InputError::new("placement", found, expected))
}
