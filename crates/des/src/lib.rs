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

/// Digits of a time: base 64, eleven of them make 64 bits.
const DIGIT: u32 = 6;
const SLOTS: usize = 1 << DIGIT;
const LEVELS: usize = 64usize.div_ceil(DIGIT as usize);
/// A slot of so many events is sorted at once; a fuller one is first dealt out to finer slots.
const SORTED_AT_ONCE: usize = 24;
/// A run that grew beyond this by late comers is dealt out again, so that none ever costs much.
const LONGEST_RUN: usize = 96;

/// Pending events, least key first: a hierarchical timing wheel with exact order.
///
/// An event lies at the level of the highest digit in which its time differs from `base`, in the
/// slot of that digit. Popping opens the first occupied slot of the lowest occupied level: a few
/// events are sorted into `run`, from which they are popped; many are dealt out to lower levels.
/// So the wheel is as fine as the events are dense, and asks only that time never runs backwards.
/// Every step is a sequential write where a heap would miss the cache at every level; a radix
/// heap, the same idea in base 2, moved each event about twice as often and took twice as long.
pub struct Queue<E> {
    /// Latest first; all events before `run_end`.
    run: Vec<(Key, E)>,
    run_end: u64,
    /// No later than any event outside the run, and in the slot last opened.
    base: u64,
    /// `level * SLOTS + digit`.
    slots: Vec<Vec<(Key, E)>>,
    /// One bit a slot.
    occupied: [u64; LEVELS],
    /// The last key popped.
    last: Key,
    len: usize,
}

impl<E: Copy> Queue<E> {
    pub fn new() -> Self {
        Queue {
            run: Vec::new(),
            run_end: 0,
            base: 0,
            slots: (0..LEVELS * SLOTS).map(|_| Vec::new()).collect(),
            occupied: [0; LEVELS],
            last: Key(0),
            len: 0,
        }
    }
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Whether the next event shares the instant of the last one popped. Such events are in the
    /// run: the last one was, and slots do not divide instants.
    #[inline]
    pub fn next_is_now(&self) -> bool {
        self.run.last().is_some_and(|(key, _)| key.time() == self.last.time())
    }
    /// The key must not lie before the last one popped.
    #[inline]
    pub fn push(&mut self, key: Key, ev: E) {
        assert!(key >= self.last, "an event was scheduled in the past");
        self.len += 1;
        if key.time().0 >= self.run_end {
            self.place(key, ev);
        } else {
            self.join_run(key, ev);
        }
    }
    #[inline]
    fn place(&mut self, key: Key, ev: E) {
        let time = key.time().0;
        let level = (63 - ((time ^ self.base) | 1).leading_zeros()) / DIGIT;
        let digit = (time >> (level * DIGIT)) as usize % SLOTS;
        self.slots[level as usize * SLOTS + digit].push((key, ev));
        self.occupied[level as usize] |= 1 << digit;
    }
    fn join_run(&mut self, key: Key, ev: E) {
        if self.run.len() >= LONGEST_RUN {
            self.shorten_run();
            if key.time().0 >= self.run_end {
                return self.place(key, ev);
            }
        }
        let later = self.run.iter().rev().position(|&(k, _)| k > key);
        let at = self.run.len() - later.unwrap_or(self.run.len());
        self.run.insert(at, (key, ev));
    }
    /// Leaves only the present instant in the run.
    #[cold]
    fn shorten_run(&mut self) {
        // The present is in the slot last opened, so what lies outside the run stays where it is.
        self.base = self.last.time().0;
        self.run_end = self.base + 1;
        let mut run = std::mem::take(&mut self.run);
        let now = run.partition_point(|&(key, _)| key.time().0 >= self.run_end);
        for (key, ev) in run.drain(..now) {
            self.place(key, ev);
        }
        self.run = run;
    }
    #[inline]
    pub fn pop(&mut self) -> Option<(Key, E)> {
        if self.run.is_empty() {
            if self.len == 0 {
                return None;
            }
            self.open();
        }
        self.len -= 1;
        let first = self.run.pop();
        self.last = first.as_ref().expect("an opened slot is not empty").0;
        first
    }
    /// Fills the empty run with the events of the first slot.
    fn open(&mut self) {
        loop {
            let level = self.occupied.iter().position(|&o| o != 0).expect("events are pending");
            let digit = self.occupied[level].trailing_zeros();
            self.occupied[level] &= self.occupied[level] - 1;
            let at = level * SLOTS + digit as usize;
            // Digits above the level are the base's; those below are zero at a slot's start.
            let low = level as u32 * DIGIT;
            let above = self.base.checked_shr(low + DIGIT).map_or(0, |high| high << DIGIT);
            self.base = (above | u64::from(digit)) << low;
            if level == 0 || self.slots[at].len() <= SORTED_AT_ONCE {
                std::mem::swap(&mut self.run, &mut self.slots[at]);
                self.run.sort_unstable_by(|a, b| b.0.cmp(&a.0));
                self.run_end = self.base.saturating_add(1 << low);
                return;
            }
            self.run_end = self.base;
            let mut items = std::mem::take(&mut self.slots[at]);
            for (key, ev) in items.drain(..) {
                self.place(key, ev);
            }
            self.slots[at] = items;
        }
    }
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.slots.iter().chain([&self.run]).map(Vec::capacity).sum::<usize>()
            * size_of::<(Key, E)>()
            + self.slots.len() * size_of::<Vec<(Key, E)>>()
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
