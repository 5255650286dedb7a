//! Pending events by unit, for models whose units affect each other only after a minimum time.
//!
//! Time is divided into windows of that length. Within a window each unit is simulated alone: its
//! events are sorted, handled, and only then the next unit has its turn. So the state of one unit
//! is in a cache while many of its events are handled. Order within a unit is that of the queue,
//! and units do not see each other within a window, so results are those of the queue.
//!
//! A *cut* is a position in the order of all events: everything before it is handled in all units
//! before anything behind it. What all units read changes only at a cut, or by the single event
//! between two successive cuts.

use std::collections::VecDeque;

use base::Time;

use crate::EventCode;
use crate::chunks::{Bucket, Chunks, EMPTY, Item, PAGE, PREFETCH_BLOCK, PREFETCH_STAGES};

/// No unit has its turn.
const NONE: usize = usize::MAX;
/// No event is pending.
const NEVER: u64 = u64::MAX;
/// Bits of a sort key: time in the window, order in the instant, position before the sort.
const OFFSET_BITS: u32 = 19;
const ORDER_BITS: u32 = 32;
const POSITION_BITS: u32 = 13;
const _: () = assert!(OFFSET_BITS + ORDER_BITS + POSITION_BITS == 64);
/// Events that are prefetched before they are handled: all stages of a block, and one block.
const AHEAD: usize = (PREFETCH_STAGES + 1) * PREFETCH_BLOCK;
/// Handled events are removed from the list of upcoming ones when there are so many.
const MAX_HANDLED: usize = 1 << 12;

/// A position in the order of all events: in front of those at time `at`, ps, whose order in the
/// instant is `order` or higher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Bound {
    at: u64,
    order: u32,
}

impl Bound {
    /// In front of all events at `at`.
    const fn at(at: u64) -> Bound {
        Bound { at, order: 0 }
    }
    #[inline(always)]
    fn is_behind(self, item: Item) -> bool {
        item.at < self.at || item.at == self.at && item.code.order() < self.order
    }
    /// Whether events at `first` may be in front of it.
    #[inline]
    fn may_be_behind(self, first: u64) -> bool {
        first < self.at || first == self.at && self.order > 0
    }
}

/// The unit of every event, and the cuts between them.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// Number of units.
    pub count: usize,
    /// Sorted by `Windows::new`.
    cuts: Vec<Bound>,
    /// Tables of units, by source or by the argument of an event.
    tables: Vec<Vec<u16>>,
    by_kind: [UnitOf; EventCode::KINDS as usize],
}

/// How the unit of a kind of events is found: by which table, and by which part of the code.
#[derive(Clone, Copy, Debug, Default)]
struct UnitOf {
    table: u8,
    /// Bits of the argument; 0 if the source is used.
    argument_bits: u32,
}

impl Units {
    /// Units are numbered in 16 bits.
    pub const MAX: usize = 1 << 16;

    pub fn new(count: usize) -> Units {
        assert!(count <= Self::MAX, "at most {} units", Self::MAX);
        Units { count, ..Units::default() }
    }

    /// Events of these kinds belong to the unit that `table` has for their source.
    pub fn by_source(&mut self, kinds: &[u8], table: Vec<u16>) {
        self.add(kinds, table, 0);
    }

    /// Events of these kinds belong to the unit that `table` has for these bits of their argument.
    pub fn by_argument(&mut self, kinds: &[u8], table: Vec<u16>, bits: u32) {
        self.add(kinds, table, bits);
    }

    /// Cuts the order in front of all events at `at`.
    pub fn cut_at(&mut self, at: Time) {
        self.cuts.push(Bound::at(at.0));
    }

    /// Cuts the order in front of the events at `at` with the order of `code`.
    pub fn cut_in_front(&mut self, at: Time, code: EventCode) {
        self.cuts.push(Bound { at: at.0, order: code.order() });
    }

    /// Cuts the order in front of the events at `at` with the order of `code`, and behind them.
    pub fn cut_around(&mut self, at: Time, code: EventCode) {
        self.cut_in_front(at, code);
        self.cuts.push(Bound { at: at.0, order: code.order() + 1 });
    }

    fn add(&mut self, kinds: &[u8], table: Vec<u16>, argument_bits: u32) {
        debug_assert!(table.iter().all(|&unit| usize::from(unit) < self.count));
        let number = self.tables.len() as u8;
        self.tables.push(table);
        for &kind in kinds {
            self.by_kind[usize::from(kind)] = UnitOf { table: number, argument_bits };
        }
    }

    /// The unit of an event.
    #[inline(always)]
    pub fn of(&self, code: EventCode) -> usize {
        let UnitOf { table, argument_bits } = self.by_kind[usize::from(code.kind())];
        let at = if argument_bits == 0 { code.source() } else { code.arg() & argument_bits };
        usize::from(self.tables[usize::from(table)][at as usize])
    }

    fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(|table| size_of_val(&table[..])).sum();
        tables + size_of_val(&self.cuts[..])
    }
}

/// Pending events of a unit, in the order of pushes.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Inbox {
    /// Time of the first one, or `NEVER`.
    first: u64,
    events: Bucket,
}

impl Inbox {
    const EMPTY: Inbox = Inbox { first: NEVER, events: EMPTY };
}

/// Pending events in windows.
pub(crate) struct Windows {
    /// Length of a window, ps.
    length: u64,
    units: Units,
    /// By unit.
    inboxes: Vec<Inbox>,
    pages: Chunks<PAGE>,
    /// End of the current window.
    end: u64,
    /// Events from here on are not taken in the current pass over the units; at most `end`.
    pass_end: Bound,
    /// The first of `units.cuts` that no completed pass has reached.
    next_cut: usize,
    /// The unit whose turn it is, or `NONE`.
    unit: usize,
    /// Its events before `pass_end`, latest first.
    turn: Vec<Item>,
    upcoming: Upcoming,
    len: usize,
    /// Scratch: the events of an inbox, and sort keys.
    emptied: Vec<Item>,
    keys: Vec<u64>,
}

/// The next turns of a pass. Units schedule no events for each other within a window, so these
/// are known some turns in advance, and can be prefetched.
struct Upcoming {
    /// Events, turn after turn; in a turn in the order of pushes.
    items: Vec<Item>,
    /// Units and numbers of events.
    turns: VecDeque<(usize, usize)>,
    /// The first event of the next turn, and the next to be prefetched.
    begin: usize,
    fetched: usize,
    /// The first unit of this pass whose events are not among them.
    unit: usize,
}

impl Windows {
    pub fn new(length: u64, mut units: Units) -> Windows {
        assert!(length > 0, "a window takes time");
        units.cuts.sort_unstable();
        units.cuts.dedup();
        let (items, turns) = (Vec::with_capacity(2 * MAX_HANDLED), VecDeque::with_capacity(AHEAD));
        Windows {
            length,
            inboxes: vec![Inbox::EMPTY; units.count],
            units,
            pages: Chunks::new(),
            end: length,
            pass_end: Bound::at(0),
            next_cut: 0,
            unit: NONE,
            turn: Vec::with_capacity(1 << 8),
            upcoming: Upcoming { items, turns, begin: 0, fetched: 0, unit: 0 },
            len: 0,
            emptied: Vec::with_capacity(1 << 8),
            keys: Vec::with_capacity(1 << 8),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Schedules an event: of the unit whose turn it is at any time, of others not within the
    /// window.
    #[inline]
    pub fn push(&mut self, at: u64, code: EventCode) {
        self.len += 1;
        let (unit, item) = (self.units.of(code), Item { at, code });
        if unit == self.unit && self.pass_end.is_behind(item) {
            return self.insert(item);
        }
        let is_of_other = unit != self.unit && self.unit != NONE;
        assert!(!is_of_other || at >= self.end, "an event of another unit within the window");
        self.store(unit, item);
    }

    #[inline]
    fn store(&mut self, unit: usize, item: Item) {
        let inbox = &mut self.inboxes[unit];
        inbox.first = inbox.first.min(item.at);
        self.pages.append(&mut inbox.events, item);
    }

    /// Inserts an event of this turn, behind those of its instant and order.
    fn insert(&mut self, item: Item) {
        let key = (item.at, item.code.order());
        // Most are due soon, so they are near the end.
        let later = self.turn.iter().rposition(|other| (other.at, other.code.order()) > key);
        self.turn.insert(later.map_or(0, |at| at + 1), item);
    }

    /// The next event of the unit whose turn it is; after its last, the first of the next unit.
    /// None if no event is before `until`.
    #[inline]
    pub fn pop_before(&mut self, until: u64) -> Option<(Time, EventCode)> {
        if self.turn.is_empty() && !self.next_turn(until) {
            return None;
        }
        debug_assert!(self.pass_end <= Bound::at(until), "a pass over the units is completed");
        let Item { at, code } = self.turn.pop()?;
        self.len -= 1;
        Some((Time(at), code))
    }

    /// Gives the turn to the next unit with events before `until`, if there is one.
    #[inline(never)]
    fn next_turn(&mut self, until: u64) -> bool {
        loop {
            let cut = self.units.cuts.get(self.next_cut).copied();
            let window = Bound::at(self.end.min(until));
            self.pass_end = cut.map_or(window, |cut| cut.min(window));
            if self.upcoming.turns.is_empty() {
                self.collect_turns();
            }
            if let Some((unit, count)) = self.upcoming.turns.pop_front() {
                self.unit = unit;
                self.sort(count);
                self.collect_turns();
                return true;
            }
            self.unit = NONE;
            // Others are not skipped even if no event is in front of them: the caller may schedule
            // one there after `until`.
            while self.units.cuts.get(self.next_cut).is_some_and(|&cut| cut <= self.pass_end) {
                self.next_cut += 1;
            }
            let Upcoming { items, begin, fetched, unit, .. } = &mut self.upcoming;
            items.clear();
            (*begin, *fetched, *unit) = (0, 0, 0);
            let first = self.earliest();
            if first >= until {
                return false;
            }
            if first >= self.end {
                self.end = (first / self.length + 1).saturating_mul(self.length);
            }
        }
    }

    /// Takes the events before `pass_end` from the inboxes of the next units with such events, for
    /// at least one turn and as many events as are prefetched.
    fn collect_turns(&mut self) {
        let pass_end = self.pass_end;
        while self.upcoming.items.len() < self.upcoming.begin + AHEAD + PREFETCH_BLOCK {
            let rest = &self.inboxes[self.upcoming.unit..];
            let mut firsts = rest.iter().map(|inbox| inbox.first);
            let Some(skipped) = firsts.position(|first| pass_end.may_be_behind(first)) else {
                self.upcoming.unit = self.inboxes.len();
                return;
            };
            let unit = self.upcoming.unit + skipped;
            self.upcoming.unit = unit + 1;
            if let Some(later) = self.inboxes.get(unit + 2) {
                self.pages.fetch_used(later.events);
            }
            self.empty_inbox(unit);
        }
    }

    /// Moves the events of `unit` before `pass_end` to the upcoming ones.
    fn empty_inbox(&mut self, unit: usize) {
        let Inbox { events, .. } = std::mem::replace(&mut self.inboxes[unit], Inbox::EMPTY);
        let mut emptied = std::mem::take(&mut self.emptied);
        emptied.clear();
        self.pages.empty(events, &mut emptied);
        let before = self.upcoming.items.len();
        for &item in &emptied {
            if self.pass_end.is_behind(item) {
                self.upcoming.items.push(item);
            } else {
                self.store(unit, item);
            }
        }
        self.emptied = emptied;
        let count = self.upcoming.items.len() - before;
        // All events of the instant of a cut may be behind it.
        if count > 0 {
            self.upcoming.turns.push_back((unit, count));
        }
    }

    /// Sorts the next `count` events into `turn`.
    fn sort(&mut self, count: usize) {
        let Windows { upcoming, keys, turn, .. } = self;
        let items = &upcoming.items[upcoming.begin..][..count];
        if self.length > 1 << OFFSET_BITS || count > 1 << POSITION_BITS {
            // The sort is stable, and the order of pushes is reversed twice.
            turn.extend(items.iter().rev());
            turn.sort_by_key(|item| std::cmp::Reverse((item.at, item.code.order())));
        } else {
            let start = self.end - self.length;
            keys.clear();
            keys.extend((0u64..).zip(items).map(|(nth, item)| {
                let (offset, order) = (item.at - start, u64::from(item.code.order()));
                offset << (64 - OFFSET_BITS) | order << POSITION_BITS | nth
            }));
            keys.sort_unstable();
            let place = |key: u64| key as usize & ((1 << POSITION_BITS) - 1);
            turn.extend(keys.iter().rev().map(|&key| items[place(key)]));
        }
        upcoming.begin += count;
        if upcoming.begin > MAX_HANDLED {
            upcoming.items.drain(..upcoming.begin);
            upcoming.fetched = upcoming.fetched.saturating_sub(upcoming.begin);
            upcoming.begin = 0;
        }
    }

    /// Removes all events, unit by unit, each in the order of pushes.
    pub fn drain(&mut self, mut each: impl FnMut(Time, EventCode)) {
        assert!(self.turn.is_empty() && self.unit == NONE, "a pass over the units is completed");
        for inbox in &mut self.inboxes {
            let Inbox { events, .. } = std::mem::replace(inbox, Inbox::EMPTY);
            self.emptied.clear();
            self.pages.empty(events, &mut self.emptied);
            self.emptied.iter().for_each(|&Item { at, code }| each(Time(at), code));
        }
        self.len = 0;
    }

    /// The next block of events of later turns for prefetch, when it is due.
    #[inline]
    pub fn next_prefetch_block(&mut self) -> Option<&[Item; PREFETCH_BLOCK]> {
        let Upcoming { items, begin, fetched, .. } = &mut self.upcoming;
        // Turns in progress are prefetched, or too late.
        let at = (*fetched).max(*begin);
        if at + self.turn.len() > *begin + AHEAD {
            return None;
        }
        let block = items.get(at..)?.first_chunk()?;
        *fetched = at + PREFETCH_BLOCK;
        Some(block)
    }

    /// Time of the first event.
    pub fn earliest(&self) -> u64 {
        let first = self.inboxes.iter().map(|inbox| inbox.first).min().unwrap_or(NEVER);
        self.turn.last().map_or(first, |item| item.at.min(first))
    }

    pub fn bytes(&self) -> usize {
        self.pages.bytes()
            + (self.turn.capacity() + self.upcoming.items.capacity()) * size_of::<Item>()
            + size_of_val(&self.inboxes[..])
            + self.units.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Phase, Queue};
    use base::{Span, draw};

    const UNITS: u64 = 7;
    /// Events of this kind change what all units see.
    const CHANGE: u8 = 3;

    /// An event as its unit sees it: time, argument, and state of the whole model.
    type Seen = (Time, u32, (usize, usize));

    /// Events of some units that change the state of all, several of them at the same instant.
    fn changes() -> impl Iterator<Item = (Time, EventCode)> {
        (0..60).map(|nth: u32| {
            let source = draw(9, 0, 0, u64::from(nth)) % (UNITS * UNITS);
            let code = EventCode::new(Phase::Arrive, CHANGE, source as u32, nth);
            (Time(1 + draw(9, 1, 0, u64::from(nth / 4)) % 3_000), code)
        })
    }

    /// Times at which the state that all units see changes without an event.
    fn changes_without_events() -> impl Iterator<Item = Time> {
        (0..40).map(|nth| Time(1 + draw(9, 2, 0, nth) % 3_000))
    }

    /// A model of units that schedule events for themselves at any time, and for others at the end
    /// of the window or later. `source` names both units, so only one unit schedules its events.
    fn run(mut queue: Queue, window: u64, cuts: u64) -> Vec<Vec<Seen>> {
        let code = |from: u64, to: u64, nth: u64| {
            let phase = [Phase::Arrive, Phase::Decide][nth as usize % 2];
            // Some of one instant are in front of changes, others behind them.
            EventCode::new(
                phase,
                [0, 1, 4][nth as usize % 3],
                (from * UNITS + to) as u32,
                nth as u32,
            )
        };
        for unit in 0..UNITS {
            queue.push(Time(unit * 10), code(unit, unit, 0));
        }
        changes().for_each(|(at, code)| queue.push(at, code));
        let mut seen = vec![Vec::new(); UNITS as usize];
        let (mut n_changes, mut latest) = (0, Time::ZERO);
        for nth_cut in 1.. {
            let until = if nth_cut > 400 { Time(u64::MAX) } else { Time(nth_cut * cuts) };
            while let Some((now, code_now)) = queue.pop_before(until) {
                let unit = u64::from(code_now.source()) % UNITS;
                let own = &mut seen[unit as usize];
                n_changes += usize::from(code_now.kind() == CHANGE);
                latest = latest.max(now);
                let passed = changes_without_events().filter(|&at| at <= latest).count();
                own.push((now, code_now.arg(), (n_changes, passed)));
                let nth = own.len() as u64;
                let random = |stream| draw(5, stream, unit as u32, nth);
                if code_now.kind() == CHANGE {
                    // At this instant, in front of further changes or behind them.
                    queue.push(now, code(unit, unit, random(4) % 6));
                }
                // Few units are busy at the end, so windows without events occur.
                if nth < 300 {
                    let at = now.0 + random(0) % [30, 3 * window][nth as usize % 2];
                    queue.push(Time(at), code(unit, unit, nth));
                }
                if nth < 200 && random(1).is_multiple_of(2) {
                    let at = (now.0 / window + 1) * window + random(2) % (2 * window);
                    queue.push(Time(at), code(unit, random(3) % UNITS, nth));
                }
            }
            if until.0 == u64::MAX {
                break;
            }
        }
        assert!(queue.is_empty() && queue.earliest_bound() == Time(u64::MAX));
        seen
    }

    /// Every unit handles the same events in the same order as with one queue for all, wherever
    /// runs are interrupted, and with windows longer than a sort key covers. Every event sees the
    /// same changes of the whole.
    #[test]
    fn every_unit_sees_the_order_of_the_queue() {
        for (window, cuts) in [(100, 37), (100, 100), (1_000, 90_000), (1 << 20, 12_345)] {
            let mut units = Units::new(UNITS as usize);
            let of_source = (0..UNITS * UNITS).map(|source| (source % UNITS) as u16);
            units.by_source(&[0, 1, CHANGE, 4], of_source.collect());
            changes().for_each(|(at, code)| units.cut_around(at, code));
            changes_without_events().for_each(|at| units.cut_at(at));
            let expected = run(Queue::new(), window, cuts);
            let found = run(Queue::in_windows(Span(window), units), window, cuts);
            assert!(expected.iter().all(|seen| seen.len() >= 300), "{expected:?}");
            let states = expected.iter().flatten().map(|seen| seen.2).max();
            assert!(states.is_some_and(|(n, passed)| n == 60 && passed > 30), "{states:?}");
            assert_eq!(found, expected, "windows of {window} ps, cuts of {cuts} ps");
        }
    }
}
