//! Placement of keys over groups, and of shards over targets. Computed, without tables.
//!
//! DAOS walks the pool map with jump consistent hashing (object/JUMP_MAP.md). This is another hash
//! of the same statistics: shards of an object use all nodes evenly and each target once, and
//! shards of one group are on different nodes.

use base::{below, draw};

use crate::ServerId;

/// Streams of random draws.
const DOMAINS: u32 = 0xDA05_0000;
const SLOTS: u32 = 0xDA05_0001;
const KEYS: u32 = 0xDA05_0002;

#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub domains: u32,
    pub targets_per_domain: u32,
    pub seed: u64,
}

impl Placement {
    /// Target of the `index`th shard of an object. `index` is below the number of targets.
    pub fn target(&self, object: u32, index: u32) -> ServerId {
        let domain = self.domain(object, index % self.domains);
        let slot = self.slot(object, domain, index / self.domains);
        ServerId(domain * self.targets_per_domain + slot)
    }

    /// The domain of shards `position`, `position` + domains, ... of an object.
    pub fn domain(&self, object: u32, position: u32) -> u32 {
        let key = draw(self.seed, DOMAINS, object, 0);
        permute(key, self.domains, position)
    }

    /// The target in a domain of its `nth` shard of an object.
    pub fn slot(&self, object: u32, domain: u32, nth: u32) -> u32 {
        let key = draw(self.seed, SLOTS, object, u64::from(domain));
        permute(key, self.targets_per_domain, nth)
    }

    /// Hash of a distribution key of an object.
    pub fn hash(&self, object: u32, key: u64) -> u64 {
        draw(self.seed, KEYS, object, key)
    }
}

/// Redundancy group of a key with this hash.
pub fn group_of(hash: u64, groups: u32) -> u32 {
    below(hash, groups)
}

/// Position of `i` in a permutation of `0..n` that `key` chooses: four rounds of a Feistel network
/// over the next power of four, repeated until the value is below n (cycle walking).
fn permute(key: u64, n: u32, i: u32) -> u32 {
    let half = (32 - n.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1u32 << half) - 1;
    let mut value = i;
    loop {
        let (mut left, mut right) = (value >> half, value & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (draw(key, round, right, 0) as u32 & mask));
        }
        value = left << half | right;
        if value < n {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_bijections() {
        for n in [1, 2, 3, 16, 17, 32, 100, 793, 1_024] {
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let at = permute(7, n, i) as usize;
                assert!(!seen[at], "{n}: {i}");
                seen[at] = true;
            }
        }
    }

    #[test]
    fn shards_are_on_different_targets_and_groups_on_different_nodes() {
        let placement = Placement { domains: 20, targets_per_domain: 32, seed: 3 };
        for object in 0..50 {
            let targets: Vec<u32> = (0..640).map(|i| placement.target(object, i).0).collect();
            let mut sorted = targets.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 640);
            for group in targets.chunks(19) {
                let mut nodes: Vec<u32> = group.iter().map(|t| t / 32).collect();
                nodes.sort_unstable();
                nodes.dedup();
                assert_eq!(nodes.len(), group.len());
            }
        }
    }
}
