//! Floor 1: the event queue and its total order. Knows no network.
//!
//! The order is built from local facts (when, in which phase, who scheduled it, its own count),
//! never from the order of pushes, so neither the container nor the thread that pushed can change
//! a result.

use base::Time;

/// Who runs first among the events of one instant: what moves, before what decides, before ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Phase {
    Arrive = 0,
    Decide = 1,
    Resume = 2,
}

/// The total order of events: time, then phase, then the scheduling component, then its own count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key(u128);

impl Key {
    /// `source` is below 2^30. `nth` may wrap: two events of one source, phase and instant are
    /// never 2^31 counts apart.
    #[inline]
    pub fn new(at: Time, phase: Phase, source: u32, nth: u32) -> Key {
        debug_assert!(source < 1 << 30);
        let low = u64::from(phase as u8) << 62 | u64::from(source) << 32 | u64::from(nth);
        Key(u128::from(at.0) << 64 | u128::from(low))
    }
    #[inline]
    pub fn time(self) -> Time {
        Time((self.0 >> 64) as u64)
    }
    #[inline]
    pub fn phase(self) -> u8 {
        (self.0 >> 62) as u8 & 3
    }
    /// Everything but the time.
    #[inline]
    pub fn low(self) -> u64 {
        self.0 as u64
    }
}

/// Pending events, least key first: a radix heap, which asks only that time never runs backwards.
///
/// Bucket `b` holds the keys that first differ from the last popped key in bit `b - 1`; bucket 0
/// holds its equals. A key moves to lower buckets a few times, each a sequential write, where a
/// binary heap would miss the cache at every level (measured at a million pending: 175 ns against
/// 1,899 for a binary heap on the same keys).
pub struct Queue<E> {
    buckets: Vec<Vec<(Key, E)>>,
    occupied: u128,
    last: Key,
    spare: Vec<(Key, E)>,
    len: usize,
}

impl<E: Copy> Queue<E> {
    pub fn new() -> Self {
        let buckets = (0..129).map(|_| Vec::new()).collect();
        Queue { buckets, occupied: 0, last: Key(0), spare: Vec::new(), len: 0 }
    }
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Whether the next event shares the instant of the last one popped. Keys of one instant differ
    /// only in their low 64 bits, hence sit in the low 64 buckets.
    #[inline]
    pub fn next_is_now(&self) -> bool {
        !self.buckets[0].is_empty() || self.occupied.trailing_zeros() < 64
    }
    /// The key must not lie before the last one popped.
    #[inline]
    pub fn push(&mut self, key: Key, ev: E) {
        assert!(key >= self.last, "an event was scheduled in the past");
        self.len += 1;
        self.place(key, ev);
    }
    #[inline]
    fn place(&mut self, key: Key, ev: E) {
        let bucket = (128 - (key.0 ^ self.last.0).leading_zeros()) as usize;
        self.buckets[bucket].push((key, ev));
        if bucket > 0 {
            self.occupied |= 1 << (bucket - 1);
        }
    }
    pub fn pop(&mut self) -> Option<(Key, E)> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        if let Some(first) = self.buckets[0].pop() {
            return Some(first);
        }
        let bucket = self.occupied.trailing_zeros() as usize + 1;
        self.occupied &= self.occupied - 1;
        if self.buckets[bucket].len() == 1 {
            // Alone in the lowest occupied bucket: it is the least, whatever its bits.
            let only = self.buckets[bucket].pop();
            self.last = only.as_ref().expect("length was one").0;
            return only;
        }
        let mut items =
            std::mem::replace(&mut self.buckets[bucket], std::mem::take(&mut self.spare));
        self.last =
            items.iter().map(|&(key, _)| key).min().expect("an occupied bucket is not empty");
        for &(key, ev) in &items {
            self.place(key, ev);
        }
        items.clear();
        self.spare = items;
        self.buckets[0].pop()
    }
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.buckets.iter().chain([&self.spare]).map(Vec::capacity).sum::<usize>()
            * size_of::<(Key, E)>()
    }
}

impl<E: Copy> Default for Queue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Span, draw};
    use std::collections::BTreeMap;

    /// The hold model against a sorted map: pop one, push some later ones.
    #[test]
    fn pops_in_the_order_of_the_keys_whatever_the_order_of_pushes() {
        for seed in 0..20 {
            let mut queue = Queue::new();
            let mut sorted = BTreeMap::new();
            let mut nth = 0u32;
            let mut push = |queue: &mut Queue<u32>, sorted: &mut BTreeMap<Key, u32>, now: Time| {
                nth += 1;
                let r = draw(seed, 0, 0, u64::from(nth));
                let at = now + Span(1 + (r >> 8) % [1, 2, 1_000, 1_000_000][(r % 4) as usize]);
                let phase = [Phase::Arrive, Phase::Decide, Phase::Resume][(r >> 40) as usize % 3];
                let key = Key::new(at, phase, (r >> 50) as u32, nth);
                queue.push(key, nth);
                sorted.insert(key, nth);
            };
            for _ in 0..100 {
                push(&mut queue, &mut sorted, Time(0));
            }
            for step in 0..5_000u64 {
                let got = queue.pop();
                assert_eq!(got, sorted.pop_first());
                let Some((key, _)) = got else { break };
                assert_eq!(
                    queue.next_is_now(),
                    sorted.first_key_value().is_some_and(|(k, _)| k.time() == key.time())
                );
                for _ in 0..draw(seed, 1, 0, step) % 3 {
                    push(&mut queue, &mut sorted, key.time());
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "scheduled in the past")]
    fn refuses_the_past() {
        let mut queue = Queue::new();
        queue.push(Key::new(Time(10), Phase::Arrive, 0, 0), ());
        queue.pop();
        queue.push(Key::new(Time(9), Phase::Arrive, 0, 0), ());
    }
}
