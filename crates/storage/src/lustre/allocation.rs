//! The OSTs of new objects, and objects created ahead. Sends nothing.

use std::collections::{BTreeMap, VecDeque};

use base::{below, draw};

use super::layout::Template;
use super::namespace::Target;
use super::request::RequestId;

/// Streams of random draws.
const START: u32 = 0x4c75_0001;
const WEIGHTED: u32 = 0x4c75_0002;

/// Chooses OSTs per MDT and pool.
#[derive(Clone, Debug)]
pub struct Allocator {
    seed: u64,
    imbalance_percent: u64,
    /// Next OST of round robin, by MDT and pool.
    next: BTreeMap<(u32, Option<u16>), u64>,
    draws: u64,
}

impl Allocator {
    pub fn new(seed: u64, imbalance_percent: u32) -> Self {
        let imbalance_percent = u64::from(imbalance_percent);
        Allocator { seed, imbalance_percent, next: BTreeMap::new(), draws: 0 }
    }

    /// The OSTs of a component, one per stripe. `pool` is its range of OSTs.
    pub fn choose(
        &mut self,
        mdt: u32,
        template: &Template,
        pool: std::ops::Range<u32>,
        targets: &[Target],
    ) -> Vec<u32> {
        let n = pool.len() as u32;
        let most = if template.overstriping { u32::MAX } else { n };
        let stripes =
            if template.stripes == u32::MAX { n } else { template.stripes.clamp(1, most) };
        if let Some(first) = template.first_ost {
            let from = first.checked_sub(pool.start).filter(|&i| i < n).unwrap_or(0);
            return (0..stripes).map(|i| pool.start + (from + i) % n).collect();
        }
        if stripes < n && self.imbalanced(&targets[pool.start as usize..pool.end as usize]) {
            return self.weighted(pool, stripes, targets);
        }
        let seed = self.seed;
        let start = || u64::from(below(draw(seed, START, mdt, template.pool_number()), n));
        let next = self.next.entry((mdt, template.pool)).or_insert_with(start);
        let from = *next;
        *next += u64::from(stripes);
        (0..stripes).map(|i| pool.start + ((from + u64::from(i)) % u64::from(n)) as u32).collect()
    }

    /// Whether the free space of OSTs differs by more than the threshold.
    fn imbalanced(&self, targets: &[Target]) -> bool {
        let free = targets.iter().map(Target::free);
        let (least, most) = (free.clone().min().unwrap_or(0), free.max().unwrap_or(0));
        (most - least) as u128 * 100 > u128::from(most) * u128::from(self.imbalance_percent)
    }

    /// Draws without replacement, by free space.
    fn weighted(
        &mut self,
        pool: std::ops::Range<u32>,
        stripes: u32,
        targets: &[Target],
    ) -> Vec<u32> {
        let mut candidates: Vec<u32> = pool.collect();
        let mut chosen = Vec::with_capacity(stripes as usize);
        for _ in 0..stripes {
            // In units of 1 MiB, so that the sum fits.
            let weight = |&ost: &u32| (targets[ost as usize].free() >> 20) + 1;
            let total: u64 = candidates.iter().map(weight).sum();
            self.draws += 1;
            let mut at = draw(self.seed, WEIGHTED, 0, self.draws) % total;
            let found = candidates.iter().position(|ost| {
                let w = weight(ost);
                let here = at < w;
                at = at.saturating_sub(w);
                here
            });
            chosen.push(candidates.swap_remove(found.unwrap_or(0)));
        }
        chosen
    }
}

impl Template {
    fn pool_number(&self) -> u64 {
        self.pool.map_or(0, |p| u64::from(p) + 1)
    }
}

/// Objects that an MDT has created ahead on one OST.
#[derive(Clone, Debug)]
pub struct Precreated {
    pub available: u32,
    /// Size of the last batch.
    pub batch: u32,
    pub in_flight: bool,
    /// Creates that wait for the next batch.
    pub waiting: VecDeque<RequestId>,
}

impl Precreated {
    pub fn new(batch: u32) -> Self {
        Precreated { available: batch, batch, in_flight: false, waiting: VecDeque::new() }
    }
    /// Takes an object. False: none is left, and the request waits.
    pub fn take(&mut self, request: RequestId) -> bool {
        if self.available == 0 {
            self.waiting.push_back(request);
            return false;
        }
        self.available -= 1;
        true
    }
    /// The number of objects to create now, if any. Batches double up to `largest`.
    pub fn refill(&mut self, largest: u32) -> Option<u32> {
        if self.in_flight || self.available * 2 > self.batch {
            return None;
        }
        self.in_flight = true;
        self.batch = (self.batch * 2).min(largest);
        Some(self.batch)
    }
    /// A batch has been created. Returns the requests that waited and have an object.
    pub fn created(&mut self, objects: u32) -> Vec<RequestId> {
        self.in_flight = false;
        self.available += objects;
        let n = self.waiting.len().min(self.available as usize);
        self.available -= n as u32;
        self.waiting.drain(..n).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lustre::extents::EOF;

    fn template(stripes: u32) -> Template {
        Template {
            end: EOF,
            stripes,
            stripe_size: 1 << 20,
            first_ost: None,
            pool: None,
            on_mdt: false,
            overstriping: false,
        }
    }
    fn targets(used: &[u64]) -> Vec<Target> {
        let capacity = 1 << 40;
        used.iter().map(|&used| Target { capacity, used, ..Target::default() }).collect()
    }

    #[test]
    fn round_robin_uses_every_ost_equally() {
        let targets = targets(&[0; 7]);
        let mut allocator = Allocator::new(3, 17);
        let mut counts = [0; 7];
        for _ in 0..7 {
            for ost in allocator.choose(0, &template(3), 0..7, &targets) {
                counts[ost as usize] += 1;
            }
        }
        assert_eq!(counts, [3; 7]);
    }

    #[test]
    fn all_osts_overstriping_and_a_first_ost() {
        let targets = targets(&[0; 4]);
        let mut allocator = Allocator::new(3, 17);
        let mut sorted = allocator.choose(0, &template(u32::MAX), 0..4, &targets);
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3]);
        assert_eq!(allocator.choose(0, &template(9), 0..4, &targets).len(), 4);
        let over = Template { overstriping: true, ..template(9) };
        assert_eq!(allocator.choose(0, &over, 0..4, &targets).len(), 9);
        let first = Template { first_ost: Some(3), ..template(2) };
        assert_eq!(allocator.choose(0, &first, 0..4, &targets), [3, 0]);
    }

    #[test]
    fn an_imbalanced_pool_prefers_empty_osts() {
        let full = (1 << 40) - (1 << 36);
        let targets = targets(&[full, 0, 0, 0]);
        let mut allocator = Allocator::new(5, 17);
        let mut counts = [0; 4];
        for _ in 0..4_900 {
            counts[allocator.choose(0, &template(1), 0..4, &targets)[0] as usize] += 1;
        }
        // A share of (1/16) / (3 + 1/16) = 1/49: 100 of 4,900, standard deviation 10.
        assert!((40..160).contains(&counts[0]), "{counts:?}");
    }

    #[test]
    fn precreation_doubles_its_batches() {
        let mut ahead = Precreated::new(32);
        for i in 0..16 {
            assert_eq!(ahead.refill(100), None, "{i} taken");
            assert!(ahead.take(RequestId(0)));
        }
        assert_eq!(ahead.refill(100), Some(64));
        assert_eq!(ahead.refill(100), None, "one request at a time");
        for _ in 0..16 {
            assert!(ahead.take(RequestId(0)));
        }
        assert!(!ahead.take(RequestId(7)));
        assert_eq!(ahead.created(64), [RequestId(7)]);
        assert_eq!(ahead.available, 63);
    }
}
