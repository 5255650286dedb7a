//! Whether ranks sit as a row of results says: on so many nodes, as many on each.
//!
//! Where anybody sits is `machine::placement`'s; a list of the user's may put them anywhere.

use crate::bench::Bench;
use crate::validation;
use crate::world::RankPlacement;
use machine::InputError;
use std::collections::{BTreeMap, BTreeSet};

/// A complaint where ranks do not sit as a test of a fabric counts them: as many on every node, one
/// after the other, and on two nodes at least if those of one have nothing to say to each other.
pub(super) fn misplaced(
    which: Bench,
    ppn: u32,
    placements: &[RankPlacement],
) -> Option<InputError> {
    let Bench::Validation(test) = which else { return None };
    let a_node = ppn.max(1) as usize;
    let nodes: BTreeSet<_> = placements.iter().map(|placed| placed.node).collect();
    let one_alone = test != validation::Test::Bisect && nodes.len() < 2;
    let is_one = |ranks: &[RankPlacement]| ranks.iter().all(|placed| placed.node == ranks[0].node);
    let are_whole =
        nodes.len() * a_node == placements.len() && placements.chunks(a_node).all(is_one);
    let (key, wanted) = if one_alone {
        ("nodes", "at least two nodes: ranks of one do not talk to each other")
    } else if !are_whole {
        ("placement", "as many ranks on every node, one after the other")
    } else {
        return None;
    };
    Some(InputError::new(key, format!("{} ranks, {ppn} a node", placements.len()), wanted))
}

/// A complaint where a list of nodes has another number of them than is asked for, or other
/// numbers of ranks on them: a row would say so many nodes, and measure the memory of one.
pub(super) fn on_other_nodes(
    asked: u32,
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
    let found = if nodes != asked {
        format!("ranks on {}", count(nodes, "node"))
    } else if most > ppn {
        format!("{} on one of {}", count(most, "rank"), count(nodes, "node"))
    } else {
        return None;
    };
    let wanted = format!("ranks on {}, {ppn} on each", count(asked, "node"));
    Some(InputError::new("placement", found, wanted))
}
