//! Choice of the aggregators of a file: the ranks that access it in two-phase I/O.
//!
//! ROMIO reads `cb_config_list`: `*:1` takes one rank per node, in the order in which nodes first
//! occur among the ranks ([R] `common/cb_config_list.c`). Cray's library takes one rank of each
//! node in turn, until there are `cb_nodes` (hints `cb_nodes`, `aggregator_placement_stride = -1`).

use std::collections::{BTreeMap, BTreeSet};

/// Node of a rank: its number, and the hash of its name.
pub(super) type Home = (u32, u64);

/// FNV-1a of a node name, 64 bits.
pub(super) fn name_hash(name: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    name.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// One entry of `cb_config_list`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    /// `None` stands for all nodes not named before.
    node: Option<Vec<u8>>,
    /// Ranks per node.
    most: usize,
}

/// Entries separated by commas: a node name or `*`, and `:` with a number or `*`. Without a number
/// it is 1. `None` if the list is invalid.
fn entries(list: &[u8]) -> Option<Vec<Entry>> {
    let trimmed = |text: &[u8]| text.trim_ascii().to_vec();
    let entry = |text: &[u8]| {
        let mut fields = text.splitn(2, |&byte| byte == b':');
        let node = trimmed(fields.next()?);
        let most = match fields.next().map(trimmed) {
            None => 1,
            Some(all) if all == b"*" => usize::MAX,
            Some(number) => std::str::from_utf8(&number).ok()?.parse().ok()?,
        };
        (!node.is_empty()).then(|| Entry { node: (node != b"*").then_some(node), most })
    };
    list.split(|&byte| byte == b',').map(entry).collect()
}

pub(super) fn is_valid(list: &[u8]) -> bool {
    entries(list).is_some()
}

/// At most `most` ranks by ROMIO's rule. `homes` are the nodes of all ranks. An invalid list
/// selects no rank, as an empty one.
pub(super) fn by_config_list(list: &[u8], most: usize, homes: &[Home]) -> Vec<u32> {
    if list == b"*:*" {
        return (0..homes.len().min(most) as u32).collect();
    }
    let mut ranks_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut nodes = Vec::new();
    for (rank, (node, name)) in homes.iter().enumerate() {
        let ranks = ranks_of.entry(*node).or_default();
        if ranks.is_empty() {
            nodes.push((*node, *name));
        }
        ranks.push(rank as u32);
    }
    let (mut chosen, mut used) = (Vec::new(), BTreeSet::new());
    for entry in entries(list).unwrap_or_default() {
        let wanted = entry.node.map(|name| name_hash(&name));
        for (node, name) in &nodes {
            if wanted.is_none_or(|wanted| wanted == *name) && used.insert(*node) {
                chosen.extend(ranks_of[node].iter().take(entry.most));
            }
        }
    }
    chosen.truncate(most);
    chosen
}

/// `most` ranks by Cray's rule: the first rank of each node, then the second, and so on.
pub(super) fn in_turn(most: usize, homes: &[Home]) -> Vec<u32> {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    let mut order: BTreeMap<u32, u32> = BTreeMap::new();
    let mut keyed: Vec<(u32, u32, u32)> = Vec::with_capacity(homes.len());
    for (rank, (node, _)) in homes.iter().enumerate() {
        let next = order.len() as u32;
        let place = *order.entry(*node).or_insert(next);
        let count = counts.entry(*node).or_default();
        keyed.push((*count, place, rank as u32));
        *count += 1;
    }
    keyed.sort_unstable();
    keyed.into_iter().take(most).map(|(.., rank)| rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 ranks on nodes 4, 4, 7, 7, 7, 2, 4, 2.
    fn homes() -> Vec<Home> {
        let name = |node| name_hash(format!("n{node}").as_bytes());
        [4, 4, 7, 7, 7, 2, 4, 2].map(|node| (node, name(node))).to_vec()
    }

    #[test]
    fn a_star_takes_ranks_of_each_node_in_order_of_first_use() {
        let chosen = |list: &str, most| by_config_list(list.as_bytes(), most, &homes());
        assert_eq!(chosen("*:1", 8), [0, 2, 5]);
        assert_eq!(chosen("*", 8), [0, 2, 5]);
        assert_eq!(chosen("*:2", 8), [0, 1, 2, 3, 5, 7]);
        assert_eq!(chosen("*:2", 3), [0, 1, 2]);
        assert_eq!(chosen("*:*", 8), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(chosen("n4:*,*:1", 8), [0, 1, 6, 2, 5]);
        assert_eq!(chosen("*:0", 8), [0; 0]);
    }

    #[test]
    fn named_nodes_come_first_and_are_not_matched_again() {
        let chosen = |list: &str| by_config_list(list.as_bytes(), 8, &homes());
        assert_eq!(chosen("n7:2, *:1"), [2, 3, 0, 5]);
        assert_eq!(chosen("n2:0,*:1"), [0, 2]);
        assert_eq!(chosen("n9:3,n4"), [0]);
        for invalid in ["n7:x", ",", "", ":1"] {
            assert!(!is_valid(invalid.as_bytes()));
            assert_eq!(chosen(invalid), [0; 0]);
        }
    }

    #[test]
    fn nodes_give_one_rank_each_in_turn() {
        assert_eq!(in_turn(8, &homes()), [0, 2, 5, 1, 3, 7, 6, 4]);
        assert_eq!(in_turn(4, &homes()), [0, 2, 5, 1]);
    }
}
