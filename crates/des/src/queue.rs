//! The queue of pending events, soonest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::{Span, Time};

use crate::EventCode;
use crate::chunks::{
    Bucket, CHUNK, Chunks, EMPTY, Item, NULL_EVENT, PAGE, PREFETCH_BLOCK, PREFETCH_STAGES,
};
use crate::windows::{Units, Windows};

/// log2 of the buckets per window; there are two windows. Most events are placed only once.
const WINDOW: u32 = 13;
/// log2 of the buckets per window from more than `LARGE_QUEUE` pending events on, which exceed
/// every cache, until they fall to an eighth of that. The contents of two short windows fit into a
/// cache. Most events wait in the far levels, grouped by window.
const SHORT_WINDOW: u32 = 9;
const LARGE_QUEUE: usize = 1 << 17;
/// Buckets of two windows at most.
const BUCKETS: usize = 2 << WINDOW;
/// log2 of the slots of each far level. Far levels count windows.
const DIGIT_BITS: u32 = 6;
const SLOTS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = (64 - SHORT_WINDOW).div_ceil(DIGIT_BITS) as usize;
/// Bits of a sort key: offset in the bucket, order in the instant, number of the push.
const OFFSET_BITS: u32 = 16;
const INDEX_BITS: u32 = 16;
/// Range of log2 of a bucket's width in ps. Wider buckets do not fit a sort key; buckets below 8 ps
/// bring nothing.
const WIDTHS: std::ops::RangeInclusive<u32> = 3..=OFFSET_BITS;
/// Target numbers of events per bucket. Short windows hold more, because each is a slot of the
/// level above, and slots are few. `RESIZE_INTERVAL` buckets are opened between two adaptations.
const TARGET_MAX: usize = 8;
const SHORT_TARGET_MAX: usize = 64;
const TARGET_MIN: usize = 2;
const RESIZE_INTERVAL: u32 = 1 << 12;
/// Minimum number of events in the sorted run after buckets are opened. Opening stops earlier after
/// half as many buckets, or after the time of the widest bucket, otherwise too many events would
/// arrive late. With prefetch, the minimum is many times larger, for several prefetch stages.
const MIN_SORTED: usize = 40;
const PREFETCH_SORTED: usize = 512;
/// With prefetch, buckets are opened while this many sorted events are left, so all are prefetched.
const PREFETCH_MARGIN: usize = 160;

/// An event that was scheduled for a bucket already opened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Late {
    at: u64,
    order: u32,
    nth: u32,
    arg: u32,
}

/// Pending events, soonest first: a timing wheel of fine buckets with exact order, and coarser
/// levels above it for distant events.
///
/// The buckets form two windows, the current one and the next. When one is exhausted, the other
/// becomes current, and distant events of the following window are placed in buckets. So an event
/// that waits no longer than a window is placed once, whenever it is pushed.
///
/// - A push appends 16 bytes to a bucket.
/// - The first non-empty buckets are sorted into a run. Later pushes for these buckets go to a heap
///   beside the run; they are few.
/// - The run is known before its events are handled. So `ahead` returns the next events, and
///   handlers can prefetch the memory that they need (docs/performance.md).
/// - The bucket width follows the density of events; it affects only speed.
///
/// All buckets share their chunks, so memory follows the number of pending events. A queue that has
/// reached its peak length allocates no more, except briefly when the width changes.
pub struct Queue {
    /// log2 of a bucket's width in ps, and of a window's buckets.
    width: u32,
    window: u32,
    /// The sorted run of opened buckets, the index of the next event, and its end.
    run: Vec<Item>,
    next: usize,
    sorted_end: usize,
    /// Events before this index have been in a prefetch block, or are handled.
    prefetched_end: usize,
    /// At this index more buckets are opened.
    refill_at: usize,
    /// Minimum length of the run, and events left when more buckets are opened.
    min_sorted: usize,
    refill_margin: usize,
    /// Scratch: a bucket as pushed, and its sort keys.
    pushed: Vec<Item>,
    order: Vec<u64>,
    late: BinaryHeap<Reverse<Late>>,
    /// Time of the first late event; `u64::MAX` if there is none.
    late_first: u64,
    n_late: u32,
    /// End of the opened buckets.
    run_end: u64,
    /// Lower bound of the times of all events outside the run.
    base: u64,
    /// Last instant of the buckets; later events are in the far levels.
    near_last: u64,
    near: Box<[Bucket; BUCKETS]>,
    /// One bit per bucket, and one bit per word of those.
    near_used: Box<[u64; BUCKETS / 64]>,
    near_words: [u64; BUCKETS / 64 / 64],
    /// `level * SLOTS + digit`.
    far: Box<[Bucket]>,
    far_used: [u64; LEVELS],
    chunks: Chunks<CHUNK>,
    pages: Chunks<PAGE>,
    last: u64,
    len: usize,
    /// Buckets opened since the last adaptation of their width, and their events, late ones
    /// included.
    n_opened: u32,
    n_popped: usize,
    /// Events pushed to the far levels since then, and when that was.
    far_pushed: usize,
    resized_at: u64,
    /// All pending events instead, if units have turns.
    windows: Option<Box<Windows>>,
}

/// A boxed array, not built on the stack.
fn boxed_array<T: Copy, const N: usize>(item: T) -> Box<[T; N]> {
    let items: Box<[T]> = vec![item; N].into();
    items.try_into().unwrap_or_else(|_| unreachable!("there are as many"))
}

impl Default for Queue {
    fn default() -> Self {
        Self::new()
    }
}

impl Queue {
    pub fn new() -> Self {
        Queue {
            width: 10,
            window: WINDOW,
            run: Vec::with_capacity(1 << 8),
            next: 0,
            sorted_end: 0,
            prefetched_end: 0,
            refill_at: 0,
            min_sorted: MIN_SORTED,
            refill_margin: 0,
            pushed: Vec::with_capacity(1 << 8),
            order: Vec::with_capacity(1 << 8),
            late: BinaryHeap::with_capacity(1 << 8),
            late_first: u64::MAX,
            n_late: 0,
            run_end: 0,
            base: 0,
            near_last: (2 << (WINDOW + 10)) - 1,
            near: boxed_array(EMPTY),
            near_used: boxed_array(0),
            near_words: [0; _],
            far: vec![EMPTY; LEVELS * SLOTS].into(),
            far_used: [0; LEVELS],
            chunks: Chunks::new(),
            pages: Chunks::new(),
            last: 0,
            len: 0,
            n_opened: 0,
            n_popped: 0,
            far_pushed: 0,
            resized_at: 0,
            windows: None,
        }
    }
    /// A queue in which each unit has its turn once per window of `length`. Within a window units
    /// schedule events for themselves only.
    pub fn in_windows(length: Span, units: Units) -> Self {
        // Nothing is ever placed in buckets, so neither pushes nor pops of other queues are slower.
        let windows = Some(Box::new(Windows::new(length.0, units)));
        Queue { windows, run_end: u64::MAX, ..Queue::new() }
    }
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Schedules `code`, not before the last popped event.
    #[inline]
    pub fn push(&mut self, at: Time, code: EventCode) {
        assert!(at.0 >= self.last, "an event was scheduled in the past");
        self.len += 1;
        if at.0 >= self.run_end {
            self.place(Item { at: at.0, code });
        } else {
            self.push_late(at.0, code);
        }
    }
    #[inline]
    fn place(&mut self, item: Item) {
        if item.at > self.near_last {
            return self.place_far(item);
        }
        let at = self.bucket_index(item.at);
        let bucket = &mut self.near[at];
        if bucket.count == 0 {
            self.near_used[at / 64] |= 1 << (at % 64);
            self.near_words[at / 64 / 64] |= 1 << (at / 64 % 64);
        }
        self.chunks.append(bucket, item);
    }
    /// The bucket of an instant within either window.
    #[inline(always)]
    fn bucket_index(&self, at: u64) -> usize {
        (at >> self.width) as usize & ((2 << self.window) - 1) & (BUCKETS - 1)
    }
    #[inline(never)]
    fn place_far(&mut self, item: Item) {
        self.far_pushed += 1;
        let (level, digit) = self.slot(item.at, self.near_last);
        self.far_used[level] |= 1 << digit;
        self.pages.append(&mut self.far[level * SLOTS + digit], item);
    }
    /// The far level and slot of an instant in a window after that of `last`: by the highest digit
    /// in which the numbers of the two windows differ.
    #[inline]
    fn slot(&self, at: u64, last: u64) -> (usize, usize) {
        let window = self.width + self.window;
        let level = (63 - ((at ^ last) >> window).leading_zeros()) / DIGIT_BITS;
        (level as usize, (at >> (window + level * DIGIT_BITS)) as usize % SLOTS)
    }
    /// Makes the window that begins at `start` current. Distant events of the next window move to
    /// buckets.
    fn enter_window(&mut self, start: u64) {
        let last = self.near_last;
        self.base = start;
        self.near_last = self.end_of_next();
        if self.near_last > last {
            let (level, digit) = self.slot(self.near_last, last);
            self.redistribute_slot(level, digit);
        }
    }
    /// Last instant of the window after that of `base`, or of its own window if that is the last
    /// one.
    fn end_of_next(&self) -> u64 {
        let window = 1 << (self.width + self.window);
        (self.base | (window - 1)).saturating_add(window)
    }
    /// Places the contents of a far slot again.
    fn redistribute_slot(&mut self, level: usize, digit: usize) {
        self.far_used[level] &= !(1 << digit);
        let slot = std::mem::replace(&mut self.far[level * SLOTS + digit], EMPTY);
        self.redistribute(slot);
    }
    #[inline(never)]
    fn push_late(&mut self, at: u64, code: EventCode) {
        if let Some(windows) = &mut self.windows {
            windows.push(at, code);
            return;
        }
        if self.late_first == u64::MAX {
            self.n_late = 0;
        }
        let nth = self.n_late;
        self.n_late += 1;
        self.n_popped += 1;
        let (order, arg) = (code.order(), code.arg());
        self.late.push(Reverse(Late { at, order, nth, arg }));
        self.late_first = self.late_first.min(at);
    }
    /// Removes all pending events, and passes them to `each` in an order that keeps that of every
    /// unit. No unit has its turn. Only of a queue in windows: any other is empty after `pop`.
    pub fn drain(&mut self, each: impl FnMut(Time, EventCode)) {
        self.windows.as_mut().expect("called only in windows").drain(each);
        self.len = 0;
    }
    /// The `n`th next event (0 is the next), if it is in the run. A hint only.
    #[inline]
    pub fn ahead(&self, n: usize) -> Option<EventCode> {
        self.run[..self.sorted_end].get(self.next + n).map(|item| item.code)
    }
    /// The next block of events for prefetch, when it is due: early enough that the last stage, one
    /// per block, comes before the events are handled.
    #[inline(always)]
    pub fn next_prefetch_block(&mut self) -> Option<&[Item; PREFETCH_BLOCK]> {
        if self.prefetched_end > self.next + (PREFETCH_STAGES - 1) * PREFETCH_BLOCK {
            return None;
        }
        let at = self.prefetched_end.max(self.next);
        let rest = self.run[..self.sorted_end].get(at..).unwrap_or_default();
        let Some(block) = rest.first_chunk() else {
            return self.windows.as_mut()?.next_prefetch_block();
        };
        self.prefetched_end = at + PREFETCH_BLOCK;
        Some(block)
    }
    /// Keeps a longer run, for callers that prefetch.
    pub fn enable_prefetch(&mut self) {
        (self.min_sorted, self.refill_margin) = (PREFETCH_SORTED, PREFETCH_MARGIN);
    }
    pub fn has_prefetch(&self) -> bool {
        self.min_sorted == PREFETCH_SORTED
    }
    /// The next event of the run.
    #[inline]
    fn next_in_run(&self) -> Option<&Item> {
        self.run[..self.sorted_end].get(self.next)
    }
    /// The next event, if it is before `end`.
    #[inline(always)]
    pub fn pop_before(&mut self, end: Time) -> Option<(Time, EventCode)> {
        if let Some(&item) = self.run[..self.refill_at].get(self.next)
            && item.at < self.late_first
            && item.at < end.0
        {
            return Some(self.pop_from_run(item));
        }
        self.pop_slow(end)
    }
    /// `pop_before` where more buckets may have to be opened, or a late event may be next.
    #[inline(never)]
    fn pop_slow(&mut self, end: Time) -> Option<(Time, EventCode)> {
        if let Some(windows) = &mut self.windows {
            let popped = windows.pop_before(end.0);
            self.len = windows.len();
            return popped;
        }
        loop {
            if let Some(&item) = self.run[..self.refill_at].get(self.next)
                && item.at < self.late_first
            {
                return (item.at < end.0).then(|| self.pop_from_run(item));
            }
            if self.next == self.refill_at && self.refill_at < self.sorted_end {
                self.open(end.0);
                continue;
            }
            if self.late_first != u64::MAX {
                return self.pop_with_late(end);
            }
            // Far events stay far: earlier events may be pushed after an `end`.
            if self.len == 0 || !self.open(end.0) {
                return None;
            }
        }
    }
    /// Takes `item`, the next event of the run.
    #[inline(always)]
    fn pop_from_run(&mut self, item: Item) -> (Time, EventCode) {
        self.next += 1;
        self.len -= 1;
        self.last = item.at;
        (Time(item.at), item.code)
    }
    /// `pop_before` where a late event may be next.
    #[inline(never)]
    fn pop_with_late(&mut self, end: Time) -> Option<(Time, EventCode)> {
        let late = self.late.peek().expect("it has a time").0;
        let first = self.next_in_run().copied();
        let first = first.filter(|item| (item.at, item.code.order()) <= (late.at, late.order));
        let item = match first {
            Some(item) => item,
            None => Item {
                at: late.at,
                code: EventCode(u64::from(late.order) << 32 | u64::from(late.arg)),
            },
        };
        if item.at >= end.0 {
            return None;
        }
        if first.is_some() {
            self.next += 1;
        } else {
            self.late.pop();
            self.late_first = self.late.peek().map_or(u64::MAX, |late| late.0.at);
        }
        self.len -= 1;
        self.last = item.at;
        Some((Time(item.at), item.code))
    }
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, EventCode)> {
        self.pop_before(Time(u64::MAX))
    }
    /// Whether the next event has the time of the last one popped. Such events are in the run or
    /// late, because a bucket does not divide an instant.
    pub fn next_is_now(&self) -> bool {
        self.next_in_run().is_some_and(|item| item.at == self.last) || self.late_first == self.last
    }

    /// A lower bound of all pending times, exact once its bucket is open. After a `pop_before` with
    /// a later end the bound has advanced. `u64::MAX` if nothing is pending.
    pub fn earliest_bound(&self) -> Time {
        if let Some(windows) = &self.windows {
            return Time(windows.earliest());
        }
        let sorted_end = self.next_in_run().map_or(u64::MAX, |item| item.at).min(self.late_first);
        let at = match (sorted_end, self.len) {
            (_, 0) => u64::MAX,
            (u64::MAX, _) => self.first_near().unwrap_or_else(|| self.first_far()).2,
            (sorted_end, _) => sorted_end,
        };
        Time(at)
    }
    /// The first non-empty bucket: the word of its bit, its index, and its start.
    #[inline]
    fn first_near(&self) -> Option<(usize, usize, u64)> {
        let present = self.base >> (self.width + self.window);
        // Words of a window's bits: whole words of `near_words` or a part of one.
        let words = (1usize << self.window) / 64;
        for window in [present, present + 1] {
            let first = window as usize % 2 * words;
            let bits = (u64::MAX >> 64usize.saturating_sub(words)) << (first % 64);
            let mut of_words = first / 64..(first + words).div_ceil(64);
            let Some(word) = of_words.find(|&word| self.near_words[word] & bits != 0) else {
                continue;
            };
            let word = word * 64 + (self.near_words[word] & bits).trailing_zeros() as usize;
            let at = word * 64 + self.near_used[word].trailing_zeros() as usize;
            let nth = at as u64 % (1 << self.window);
            return Some((word, at, (window << self.window | nth) << self.width));
        }
        None
    }
    /// The first non-empty far slot, if no bucket has events: its level, its index there, its
    /// start.
    fn first_far(&self) -> (usize, usize, u64) {
        let level = self.far_used.iter().position(|&used| used != 0).expect("events pend");
        let digit = self.far_used[level].trailing_zeros();
        let low = self.width + self.window + level as u32 * DIGIT_BITS;
        // Digits above the level are those of the last window; those below are zero at a slot's
        // start.
        let above =
            self.near_last.checked_shr(low + DIGIT_BITS).map_or(0, |high| high << DIGIT_BITS);
        (level, digit as usize, (above | u64::from(digit)) << low)
    }

    /// Moves the first non-empty buckets into the run, none that begins at `end` or later. False if
    /// there is none.
    #[inline(never)]
    fn open(&mut self, end: u64) -> bool {
        let is_time = self.n_opened >= RESIZE_INTERVAL
            || self.n_popped > RESIZE_INTERVAL as usize * TARGET_MAX;
        // All pending events may be placed again, so adaptation must be rare.
        if is_time && self.n_popped >= self.len {
            self.adapt_width();
        }
        let refill_margin = self.sorted_end - self.next;
        self.run.copy_within(self.next..self.sorted_end, 0);
        self.prefetched_end = self.prefetched_end.saturating_sub(self.next);
        (self.next, self.sorted_end) = (0, refill_margin);
        self.open_from(end);
        let is_more = self.sorted_end > refill_margin;
        self.refill_at = if is_more {
            self.sorted_end.saturating_sub(self.refill_margin).max(1)
        } else {
            self.sorted_end
        };
        is_more
    }
    fn open_from(&mut self, mut end: u64) {
        let refill_margin = self.sorted_end;
        while self.sorted_end < self.min_sorted && self.sorted_end < self.len {
            if let Some((word, at, start)) = self.first_near() {
                if start >= end {
                    return;
                }
                if self.sorted_end == refill_margin {
                    let span = ((self.min_sorted as u64 / 2) << self.width).min(1 << WIDTHS.end());
                    end = end.min(start.saturating_add(span));
                }
                self.near_used[word] &= self.near_used[word] - 1;
                if self.near_used[word] == 0 {
                    self.near_words[word / 64] &= !(1 << (word % 64));
                }
                let bucket = std::mem::replace(&mut self.near[at], EMPTY);
                if self.has_prefetch() {
                    self.chunks.fetch(self.near[(at + 2) & ((2 << self.window) - 1)]);
                }
                if (start ^ self.base) >> (self.width + self.window) != 0 {
                    self.enter_window(start);
                }
                self.base = start;
                self.run_end = start.saturating_add(1 << self.width);
                self.n_opened += 1;
                self.n_popped += bucket.count as usize;
                self.sort(bucket, start);
                continue;
            }
            // Far events are later than everything in the run.
            if self.sorted_end > 0 {
                return;
            }
            let (level, digit, start) = self.first_far();
            if start >= end {
                return;
            }
            self.run_end = start;
            // Its first window is the next one until its contents are placed.
            self.near_last = start | ((1 << (self.width + self.window)) - 1);
            self.base = start;
            self.redistribute_slot(level, digit);
            self.enter_window(start);
        }
    }
    /// Places the contents of a slot again.
    fn redistribute(&mut self, slot: Bucket) {
        let (mut refill_margin, mut page) = (slot.count as usize, slot.first);
        while refill_margin > 0 {
            let n = refill_margin.min(PAGE);
            refill_margin -= n;
            self.pages.fetch_next(page);
            for nth in 0..n {
                self.place(self.pages.item(page, nth));
            }
            page = self.pages.free(page);
        }
    }

    /// Appends the contents of a bucket that begins at `start` to the run, in order. Sorts one word
    /// per event: offset in the bucket, order in the instant, number of the push.
    #[inline]
    fn sort(&mut self, bucket: Bucket, start: u64) {
        let key = |item: Item, nth: usize| {
            let (offset, order) = (item.at - start, u64::from(item.code.order()));
            offset << (64 - OFFSET_BITS) | order << INDEX_BITS | nth as u64
        };
        let (n, before) = (bucket.count as usize, self.sorted_end);
        self.sorted_end += n;
        if self.run.len() < self.sorted_end {
            self.run.resize(self.sorted_end.next_power_of_two(), NULL_EVENT);
        }
        let run = &mut self.run[before..self.sorted_end];
        if n <= CHUNK {
            // Every key is compared with all before it, so no branch depends on their order.
            let items = self.chunks.items(bucket.first);
            let mut keys = [0; CHUNK];
            for (nth, &item) in items[..n].iter().enumerate() {
                let mut last = key(item, nth);
                for before in &mut keys[..nth] {
                    (*before, last) = (last.min(*before), last.max(*before));
                }
                keys[nth] = last;
            }
            for (item, key) in run.iter_mut().zip(keys) {
                *item = items[key as usize % CHUNK];
            }
            self.chunks.free(bucket.first);
            return;
        }
        self.pushed.clear();
        self.chunks.empty(bucket, &mut self.pushed);
        if n > 1 << INDEX_BITS {
            run.copy_from_slice(&self.pushed);
            return run.sort_by_key(|item| (item.at, item.code.order()));
        }
        self.order.clear();
        self.order.extend(self.pushed.iter().enumerate().map(|(nth, &item)| key(item, nth)));
        self.order.sort_unstable();
        for (item, &key) in run.iter_mut().zip(&self.order) {
            *item = self.pushed[key as usize % (1 << INDEX_BITS)];
        }
    }

    /// Adapts the width of buckets to the number of events in them.
    fn adapt_width(&mut self) {
        let mean = self.n_popped / (self.n_opened as usize).max(1);
        // Fraction of events pushed to far levels, which are placed twice: in 64ths.
        let far = 64 * self.far_pushed / self.n_popped.max(1);
        // By Little's law, the mean wait of an event is the time to handle as many as are pending.
        // `share` is this wait in 64ths of the time span of all buckets.
        let elapsed = u128::from(self.last - self.resized_at);
        let wait = self.len as u128 * elapsed / self.n_popped.max(1) as u128;
        let share = |width: u32| (64 * wait) >> (width + self.window + 1);
        (self.n_opened, self.n_popped, self.far_pushed) = (0, 0, 0);
        self.resized_at = self.last;
        let is_short = self.window == SHORT_WINDOW;
        if !is_short && self.len > LARGE_QUEUE {
            return self.rebuild(self.width, SHORT_WINDOW);
        }
        if is_short && self.len < LARGE_QUEUE / 8 {
            return self.rebuild(self.width, WINDOW);
        }
        let width = match mean {
            // The far fraction depends on the position within a window; the mean wait does not.
            SHORT_TARGET_MAX.. if is_short => self.width - 1,
            TARGET_MIN.. if is_short => return,
            _ if !is_short && far >= 32 && share(self.width) >= 32 => self.width + 1,
            // A bucket should stay well below the number at which it is narrowed.
            TARGET_MAX.. => {
                let steps = ((mean / TARGET_MAX).ilog2() + 1).min(3);
                let mut finer = self.width.saturating_sub(steps)..self.width;
                finer.find(|&width| share(width) < 32).unwrap_or(self.width)
            }
            ..TARGET_MIN => self.width + 1,
            _ => return,
        };
        let width = width.clamp(*WIDTHS.start(), *WIDTHS.end());
        if width == self.width {
            return;
        }
        self.rebuild(width, self.window);
    }
    /// Places all events in buckets of this width and windows of this size. Equal events share a
    /// bucket and keep their order.
    fn rebuild(&mut self, width: u32, window: u32) {
        let near = std::mem::replace(&mut self.near, boxed_array(EMPTY));
        let far = std::mem::replace(&mut self.far, vec![EMPTY; LEVELS * SLOTS].into());
        self.near_used.fill(0);
        self.near_words = [0; _];
        self.far_used = [0; _];
        (self.width, self.window) = (width, window);
        // Events still to be scheduled for the current bucket go beside the run.
        self.base = self.last.max(self.run_end.saturating_sub(1));
        self.near_last = self.end_of_next();
        // Other bucket widths need other numbers of chunks, so the old storage is freed.
        let chunks = std::mem::replace(&mut self.chunks, Chunks::new());
        let pages = std::mem::replace(&mut self.pages, Chunks::new());
        near.iter().for_each(|&bucket| chunks.each(bucket, |item| self.place(item)));
        far.iter().for_each(|&slot| pages.each(slot, |item| self.place(item)));
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.run.capacity() + self.pushed.capacity()) * size_of::<Item>()
            + self.order.capacity() * size_of::<u64>()
            + self.late.capacity() * size_of::<Late>()
            + self.chunks.bytes()
            + self.pages.bytes()
            + size_of_val(&self.near[..])
            + size_of_val(&self.near_used[..])
            + size_of_val(&self.far[..])
            + self.windows.as_ref().map_or(0, |windows| windows.bytes())
    }
}

#[cfg(test)]
mod boundaries;

#[cfg(test)]
mod tests;
