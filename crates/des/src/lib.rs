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
const SORTED_AT_ONCE: u32 = 24;
/// A run that grew beyond this by late comers is dealt out again, so that none ever costs much.
const LONGEST_RUN: usize = 96;
/// Events of one chunk: four cache lines in all, for events of up to 16 bytes.
const CHUNK: usize = 7;
/// "No chunk".
const NONE: u32 = u32::MAX;

/// Some events of one slot, in no order.
#[repr(C, align(64))]
struct Chunk<E> {
    /// Items in use: all, except in the first chunk of a slot.
    len: u32,
    /// The slot's next chunk, or the next free one.
    next: u32,
    items: [(Key, E); CHUNK],
}
const _: () = assert!(size_of::<Chunk<[u32; 4]>>() == 256);

#[derive(Clone, Copy)]
struct Slot {
    first: u32,
    count: u32,
}

/// Pending events, least key first: a hierarchical timing wheel with exact order.
///
/// An event lies at the level of the highest digit in which its time differs from `base`, in the
/// slot of that digit. Popping opens the first occupied slot of the lowest occupied level: a few
/// events are sorted into `run`, from which they are popped; many are dealt out to lower levels.
/// So the wheel is as fine as the events are dense, and asks only that time never runs backwards.
///
/// A heap would miss the cache at every level; here an event is written and read in chunks two or
/// three times in its life. Chunks are shared by all slots, so memory follows the events pending
/// at once, and a queue that has seen its longest allocates no more.
pub struct Queue<E> {
    /// Latest first; all events before `run_end`.
    run: Vec<(Key, E)>,
    run_end: u64,
    /// No later than any event outside the run, and in the slot last opened.
    base: u64,
    /// `level * SLOTS + digit`.
    slots: Box<[Slot]>,
    /// One bit a slot.
    occupied: [u64; LEVELS],
    chunks: Vec<Chunk<E>>,
    free: u32,
    /// The last key popped.
    last: Key,
    len: usize,
}

impl<E: Copy> Queue<E> {
    pub fn new() -> Self {
        Queue {
            run: Vec::with_capacity(LONGEST_RUN),
            run_end: 0,
            base: 0,
            slots: vec![Slot { first: NONE, count: 0 }; LEVELS * SLOTS].into(),
            occupied: [0; LEVELS],
            chunks: Vec::new(),
            free: NONE,
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
        let slot = &mut self.slots[level as usize * SLOTS + digit];
        slot.count += 1;
        if slot.first != NONE {
            let chunk = &mut self.chunks[slot.first as usize];
            if (chunk.len as usize) < CHUNK {
                chunk.items[chunk.len as usize] = (key, ev);
                chunk.len += 1;
                return;
            }
        }
        self.occupied[level as usize] |= 1 << digit;
        match self.free {
            NONE => {
                let next = std::mem::replace(&mut slot.first, self.chunks.len() as u32);
                self.chunks.push(Chunk { items: [(key, ev); CHUNK], len: 1, next });
            }
            free => {
                let chunk = &mut self.chunks[free as usize];
                self.free = chunk.next;
                chunk.items[0] = (key, ev);
                chunk.len = 1;
                chunk.next = std::mem::replace(&mut slot.first, free);
            }
        }
    }
    fn join_run(&mut self, key: Key, ev: E) {
        if self.run.len() >= LONGEST_RUN {
            self.shorten_run();
            if key.time().0 >= self.run_end {
                return self.place(key, ev);
            }
        }
        let sooner = self.run.iter().rev().take_while(|&&(k, _)| k < key).count();
        self.run.insert(self.run.len() - sooner, (key, ev));
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
            let empty = Slot { first: NONE, count: 0 };
            let slot = std::mem::replace(&mut self.slots[level * SLOTS + digit as usize], empty);
            // Digits above the level are the base's; those below are zero at a slot's start.
            let low = level as u32 * DIGIT;
            let above = self.base.checked_shr(low + DIGIT).map_or(0, |high| high << DIGIT);
            self.base = (above | u64::from(digit)) << low;
            if level == 0 || slot.count <= SORTED_AT_ONCE {
                self.empty_out(slot.first, |queue, item| queue.run.push(item));
                self.run.sort_unstable_by_key(|&(key, _)| std::cmp::Reverse(key));
                self.run_end = self.base.saturating_add(1 << low);
                return;
            }
            self.run_end = self.base;
            self.empty_out(slot.first, |queue, (key, ev)| queue.place(key, ev));
        }
    }
    /// Hands out the items of a list of chunks, and frees the chunks.
    #[inline]
    fn empty_out(&mut self, mut at: u32, mut take: impl FnMut(&mut Self, (Key, E))) {
        while at != NONE {
            let Chunk { len, next, .. } = self.chunks[at as usize];
            for i in 0..len as usize {
                let item = self.chunks[at as usize].items[i];
                take(self, item);
            }
            self.chunks[at as usize].next = self.free;
            self.free = at;
            at = next;
        }
    }
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.run.capacity() * size_of::<(Key, E)>()
            + self.chunks.capacity() * size_of::<Chunk<E>>()
            + self.slots.len() * size_of::<Slot>()
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

    /// A far event opens a wide slot; what then comes in before it must not make the run long.
    #[test]
    fn a_burst_in_a_wide_slot_keeps_its_order() {
        let mut queue = Queue::new();
        let key = |at, n| Key::new(Time(at), Phase::Arrive, n % 7, n);
        queue.push(key(1 << 40, 0), 0);
        queue.push(key((1 << 40) + (1 << 22), 1), 1);
        assert_eq!(queue.pop().map(|(_, n)| n), Some(0));
        let mut want: Vec<(Key, u32)> = (2..5_000)
            .map(|n| (key((1 << 40) + draw(9, 0, 0, n.into()) % (1 << 23), n), n))
            .collect();
        for &(key, n) in &want {
            queue.push(key, n);
        }
        want.push((key((1 << 40) + (1 << 22), 1), 1));
        want.sort_unstable();
        for want in want {
            assert_eq!(queue.pop(), Some(want));
        }
        assert!(queue.pop().is_none() && queue.is_empty());
    }

    #[test]
    fn a_queue_that_has_seen_its_longest_holds_no_more_memory() {
        let mut queue = Queue::new();
        let mut held = 0;
        for round in 0..50u64 {
            let now = round << 30;
            for n in 0..3_000 {
                let at = Time(now + draw(4, round as u32, 0, n) % (1 << 30));
                queue.push(Key::new(at, Phase::Decide, 0, n as u32), n);
            }
            while queue.pop().is_some() {}
            assert!(round < 10 || queue.bytes() == held, "round {round}");
            held = queue.bytes();
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
