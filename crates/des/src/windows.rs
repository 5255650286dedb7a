//! Pending events by unit, for models whose units affect each other only after a minimum time.
//!
//! Time is divided into windows of that length. Within a window each unit is simulated alone: its
//! events are sorted, handled, and only then the next unit has its turn. So the state of one unit
//! is in a cache while many of its events are handled. Order within a unit is that of the queue,
//! and units do not see each other within a window, so results are those of the queue.

use base::{Time, prefetch_at};

use crate::EventCode;
use crate::chunks::{Item, NULL_EVENT, PREFETCH_BLOCK, PREFETCH_STAGES};

/// Bits of a sort key: time in the window, order in the instant, position in the inbox.
const OFFSET_BITS: u32 = 19;
const POSITION_BITS: u32 = 13;
const ORDER_BITS: u32 = 32;
const _: () = assert!(OFFSET_BITS + ORDER_BITS + POSITION_BITS == 64);
/// Events that are prefetched before they are handled: all stages of a block, and one block.
const AHEAD: usize = (PREFETCH_STAGES + 1) * PREFETCH_BLOCK;
/// Events per cache line, and the number of lines of an inbox that are prefetched.
const LINE: usize = 64 / size_of::<Item>();
const LINES: usize = 48;

/// No unit has its turn.
const NONE: usize = usize::MAX;
/// No event is pending.
const NEVER: u64 = u64::MAX;

/// The unit of every event.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// Number of units.
    pub count: usize,
    /// Tables of units, by source or by the argument of an event.
    tables: Vec<Vec<u32>>,
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
    pub fn new(count: usize) -> Units {
        Units { count, ..Units::default() }
    }

    /// Events of these kinds belong to the unit that `table` has for their source.
    pub fn by_source(&mut self, kinds: &[u8], table: Vec<u32>) {
        self.add(kinds, table, 0);
    }

    /// Events of these kinds belong to the unit that `table` has for these bits of their argument.
    pub fn by_argument(&mut self, kinds: &[u8], table: Vec<u32>, bits: u32) {
        self.add(kinds, table, bits);
    }

    fn add(&mut self, kinds: &[u8], table: Vec<u32>, argument_bits: u32) {
        debug_assert!(table.iter().all(|&unit| (unit as usize) < self.count));
        let number = self.tables.len() as u8;
        self.tables.push(table);
        for &kind in kinds {
            self.by_kind[usize::from(kind)] = UnitOf { table: number, argument_bits };
        }
    }

    #[inline(always)]
    fn of(&self, code: EventCode) -> usize {
        let UnitOf { table, argument_bits } = self.by_kind[usize::from(code.kind())];
        let at = if argument_bits == 0 { code.source() } else { code.arg() & argument_bits };
        self.tables[usize::from(table)][at as usize] as usize
    }

    fn bytes(&self) -> usize {
        self.tables.iter().map(|table| size_of_val(&table[..])).sum()
    }
}

/// Pending events in windows.
pub(crate) struct Windows {
    /// Length of a window, ps.
    length: u64,
    units: Units,
    /// By unit: events that are not in `turn`, in the order of pushes.
    inboxes: Vec<Vec<Item>>,
    /// By unit: the time of the first event in the inbox, or `NEVER`.
    first: Vec<u64>,
    /// End of the current window.
    end: u64,
    /// Events from here on are not taken in the current pass over the units; at most `end`.
    pass_end: u64,
    /// The unit whose turn it is, or `NONE`, and the first unit that may follow.
    unit: usize,
    next_unit: usize,
    /// Its events before `pass_end`, latest first.
    turn: Vec<Item>,
    len: usize,
    /// Scratch: the events of a turn as pushed, and their sort keys.
    opened: Vec<Item>,
    keys: Vec<u64>,
    ahead: Ahead,
}

/// The events of later turns in this pass that have been prefetched, in the order of inboxes.
struct Ahead {
    block: [Item; PREFETCH_BLOCK],
    /// The next event: its unit, and its place in the inbox.
    unit: usize,
    place: usize,
    /// Numbers of events in this pass: prefetched ones, and those of turns that have begun.
    prefetched: usize,
    opened: usize,
}

impl Ahead {
    const NONE: Ahead =
        Ahead { block: [NULL_EVENT; _], unit: 0, place: 0, prefetched: 0, opened: 0 };
}

impl Windows {
    pub fn new(length: u64, units: Units) -> Windows {
        assert!(length > 0, "a window takes time");
        Windows {
            length,
            inboxes: vec![Vec::new(); units.count],
            first: vec![NEVER; units.count],
            units,
            end: length,
            pass_end: 0,
            unit: NONE,
            next_unit: 0,
            turn: Vec::with_capacity(1 << 8),
            len: 0,
            opened: Vec::with_capacity(1 << 8),
            keys: Vec::with_capacity(1 << 8),
            ahead: Ahead::NONE,
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
        if unit == self.unit && at < self.pass_end {
            return self.insert(item);
        }
        let is_alone = unit != self.unit && self.unit != NONE;
        assert!(!is_alone || at >= self.end, "an event of another unit within the window");
        self.first[unit] = self.first[unit].min(at);
        self.inboxes[unit].push(item);
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
        debug_assert!(self.pass_end <= until, "a pass over the units is completed");
        let Item { at, code } = self.turn.pop()?;
        self.len -= 1;
        Some((Time(at), code))
    }

    /// Gives the turn to the next unit with events before `until`, if there is one.
    #[inline(never)]
    fn next_turn(&mut self, until: u64) -> bool {
        loop {
            self.pass_end = self.end.min(until);
            let rest = &self.first[self.next_unit..];
            if let Some(ahead) = rest.iter().position(|&first| first < self.pass_end) {
                self.open(self.next_unit + ahead);
                return true;
            }
            (self.unit, self.next_unit, self.ahead) = (NONE, 0, Ahead::NONE);
            let first = self.earliest();
            if first >= until {
                return false;
            }
            if first >= self.end {
                self.end = (first / self.length + 1).saturating_mul(self.length);
            }
        }
    }

    /// Sorts the events of `unit` before `pass_end` for its turn.
    fn open(&mut self, unit: usize) {
        (self.unit, self.next_unit) = (unit, unit + 1);
        let (pass_end, opened) = (self.pass_end, &mut self.opened);
        let mut first = NEVER;
        opened.clear();
        self.inboxes[unit].retain(|&item| {
            let is_later = item.at >= pass_end;
            if is_later {
                first = first.min(item.at);
            } else {
                opened.push(item);
            }
            is_later
        });
        self.first[unit] = first;
        self.ahead.opened += opened.len();
        self.sort();
    }

    /// Sorts `opened` into `turn`.
    fn sort(&mut self) {
        let Windows { opened, keys, turn, .. } = self;
        if self.length > 1 << OFFSET_BITS || opened.len() > 1 << POSITION_BITS {
            turn.extend_from_slice(opened);
            // The sort is stable, and the order of pushes is reversed twice.
            turn.reverse();
            return turn.sort_by(|a, b| (b.at, b.code.order()).cmp(&(a.at, a.code.order())));
        }
        let start = self.end - self.length;
        keys.clear();
        keys.extend((0u64..).zip(&*opened).map(|(nth, item)| {
            let (offset, order) = (item.at - start, u64::from(item.code.order()));
            offset << (64 - OFFSET_BITS) | order << POSITION_BITS | nth
        }));
        keys.sort_unstable();
        let place = |key: u64| key as usize & ((1 << POSITION_BITS) - 1);
        turn.extend(keys.iter().rev().map(|&key| opened[place(key)]));
    }

    /// The next block of events of later turns for prefetch, when it is due.
    #[inline]
    pub fn next_prefetch_block(&mut self) -> Option<&[Item; PREFETCH_BLOCK]> {
        let begun = (self.ahead.opened + AHEAD).saturating_sub(self.turn.len());
        if self.ahead.prefetched >= begun {
            return None;
        }
        self.fill_block()
    }

    /// Fills a block with events of later turns. Where they are few, events are repeated.
    #[inline(never)]
    fn fill_block(&mut self) -> Option<&[Item; PREFETCH_BLOCK]> {
        let Windows { ahead, inboxes, first, pass_end, next_unit, .. } = self;
        if ahead.unit < *next_unit {
            // Its turn has begun meanwhile, so the events left in its inbox are later.
            (ahead.unit, ahead.place, ahead.prefetched) = (*next_unit, 0, ahead.opened);
        }
        let mut n = 0;
        while n < PREFETCH_BLOCK && ahead.unit < inboxes.len() {
            let inbox = if first[ahead.unit] < *pass_end { &inboxes[ahead.unit][..] } else { &[] };
            let Some(&item) = inbox.get(ahead.place) else {
                (ahead.unit, ahead.place) = (ahead.unit + 1, 0);
                if let Some(next) = inboxes.get(ahead.unit + 1) {
                    let lines = (0..next.len()).step_by(LINE).take(LINES);
                    lines.for_each(|at| prefetch_at(next, at));
                }
                continue;
            };
            ahead.place += 1;
            ahead.block[n] = item;
            n += usize::from(item.at < *pass_end);
        }
        ahead.prefetched += n;
        if n == 0 {
            // Nothing is left in this pass.
            ahead.prefetched = usize::MAX;
            return None;
        }
        let last = ahead.block[n - 1];
        ahead.block[n..].fill(last);
        Some(&ahead.block)
    }

    /// Time of the first event.
    pub fn earliest(&self) -> u64 {
        let first = self.first.iter().copied().min().unwrap_or(NEVER);
        self.turn.last().map_or(first, |item| item.at.min(first))
    }

    pub fn bytes(&self) -> usize {
        let items = self.inboxes.iter().map(Vec::capacity).sum::<usize>() + self.turn.capacity();
        items * size_of::<Item>()
            + self.inboxes.len() * size_of::<Vec<Item>>()
            + size_of_val(&self.first[..])
            + self.units.bytes()
    }
}
