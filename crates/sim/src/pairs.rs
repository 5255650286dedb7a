//! Data per ordered pair of ranks: a column of rows, and a hash table from pairs to rows.

use base::IndexVec;

base::ids! {
    /// An ordered pair of ranks.
    PairId,
}

/// Rows in the order in which their pairs first occur, unless rows are removed and used again. The
/// table is open-addressed, at most half full, and used once per message; holders of an id do not
/// need it again.
pub(crate) struct Pairs<T> {
    rows: IndexVec<PairId, T>,
    names: IndexVec<PairId, (u32, u32)>,
    /// Ids at the slot of the pair's hash, or in the next free slot.
    table: Vec<PairId>,
    /// Rows without a pair, whose name is `NO_PAIR`.
    free: Vec<PairId>,
}

const FREE: PairId = PairId(u32::MAX);
const NO_PAIR: (u32, u32) = (u32::MAX, u32::MAX);

impl<T: Default> Pairs<T> {
    pub fn new() -> Pairs<T> {
        Pairs {
            rows: IndexVec::new(),
            names: IndexVec::new(),
            table: vec![FREE; 64],
            free: Vec::new(),
        }
    }

    /// The row of this pair, created on first use.
    #[inline]
    pub fn id(&mut self, from: u32, to: u32) -> PairId {
        let mut at = self.place(from, to);
        loop {
            match self.table[at] {
                FREE => return self.insert(at, from, to),
                id if self.names[id] == (from, to) => return id,
                _ => at = (at + 1) & (self.table.len() - 1),
            }
        }
    }

    /// Fibonacci hashing: the high bits of a product with 2^64 over the golden ratio.
    fn place(&self, from: u32, to: u32) -> usize {
        let key = u64::from(from) << 32 | u64::from(to);
        let bits = self.table.len().trailing_zeros();
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
    }

    fn insert(&mut self, at: usize, from: u32, to: u32) -> PairId {
        let id = match self.free.pop() {
            Some(id) => {
                self.names[id] = (from, to);
                id
            }
            None => {
                self.names.push((from, to));
                self.rows.push(T::default())
            }
        };
        self.table[at] = id;
        if (self.rows.len() - self.free.len()) * 2 > self.table.len() {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        self.table = vec![FREE; self.table.len() * 4];
        for i in 0..self.names.len() {
            let id = PairId(i as u32);
            let (from, to) = self.names[id];
            if (from, to) == NO_PAIR {
                continue;
            }
            let mut at = self.place(from, to);
            while self.table[at] != FREE {
                at = (at + 1) & (self.table.len() - 1);
            }
            self.table[at] = id;
        }
    }

    /// Removes a pair, whose row equals a new one. Its id is used again.
    pub fn remove(&mut self, id: PairId) {
        let (from, to) = std::mem::replace(&mut self.names[id], NO_PAIR);
        let last = self.table.len() - 1;
        let mut at = self.place(from, to);
        while self.table[at] != id {
            at = (at + 1) & last;
        }
        // Ids behind the gap move into it, unless they are nearer to their own slots behind it.
        let mut gap = at;
        loop {
            at = (at + 1) & last;
            let other = self.table[at];
            if other == FREE {
                break;
            }
            let (from, to) = self.names[other];
            let distance = |slot: usize| at.wrapping_sub(slot) & last;
            if distance(self.place(from, to)) >= distance(gap) {
                self.table[gap] = other;
                gap = at;
            }
        }
        self.table[gap] = FREE;
        self.free.push(id);
    }

    /// All pairs with their rows.
    pub fn iter(&self) -> impl Iterator<Item = ((u32, u32), &T)> {
        let all = (0..self.names.len()).map(|i| PairId(i as u32));
        all.map(|id| (self.names[id], &self.rows[id])).filter(|&(name, _)| name != NO_PAIR)
    }
}

impl<T> std::ops::Index<PairId> for Pairs<T> {
    type Output = T;
    fn index(&self, id: PairId) -> &T {
        &self.rows[id]
    }
}
impl<T> std::ops::IndexMut<PairId> for Pairs<T> {
    fn index_mut(&mut self, id: PairId) -> &mut T {
        &mut self.rows[id]
    }
}

/// Reorder buffer: releases items in the order of their consecutive numbers.
#[derive(Debug)]
pub(crate) struct InOrder<T> {
    next: u32,
    /// Items that arrived early.
    ahead: Vec<(u32, T)>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        InOrder { next: 0, ahead: Vec::new() }
    }
}

impl<T: Copy> InOrder<T> {
    /// Whether item number `nth` is the next, and none has arrived early.
    pub fn awaits(&self, nth: u32) -> bool {
        self.next == nth && self.ahead.is_empty()
    }
    /// Numbers begin at zero again; no item has arrived early.
    pub fn restart(&mut self) {
        self.next = 0;
    }
    /// Adds item number `nth`; `pop` returns the items that are in order.
    pub fn push(&mut self, nth: u32, item: T) {
        self.ahead.push((nth, item));
    }
    /// The next item in order, if it has arrived.
    pub fn pop(&mut self) -> Option<T> {
        let i = self.ahead.iter().position(|&(nth, _)| nth == self.next)?;
        self.next = self.next.wrapping_add(1);
        Some(self.ahead.swap_remove(i).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Idx, below, draw};
    use std::collections::BTreeMap;

    #[test]
    fn every_pair_has_one_row_however_many_there_are() {
        let mut pairs = Pairs::<u32>::new();
        let all = || (0..90u32).flat_map(|a| (0..50u32).map(move |b| (a, b * 131)));
        for (nth, (a, b)) in all().enumerate() {
            let id = pairs.id(a, b);
            assert_eq!(pairs[id], 0, "a new row for {a}, {b}");
            pairs[id] = nth as u32 + 1;
        }
        for (nth, (a, b)) in all().enumerate() {
            let id = pairs.id(a, b);
            assert_eq!((pairs[id], id.idx()), (nth as u32 + 1, nth), "{a}, {b}");
        }
        assert!(pairs.iter().map(|(names, _)| names).eq(all()));
    }

    /// Compared with a map, with as many pairs as the table has space for.
    #[test]
    fn removed_pairs_are_gone_and_their_rows_are_used_again() {
        let (mut pairs, mut naive) = (Pairs::<u32>::new(), BTreeMap::new());
        for nth in 0..40_000u32 {
            let random = |stream, n| below(draw(3, stream, nth, 0), n);
            let pair = (random(0, 12), random(1, 12) * 131);
            let id = pairs.id(pair.0, pair.1);
            let known = naive.remove(&pair).unwrap_or(0);
            assert_eq!(pairs[id], known, "step {nth}: {pair:?}");
            pairs[id] = if random(2, 2) == 0 { 0 } else { nth + 1 };
            match pairs[id] {
                0 => pairs.remove(id),
                row => assert_eq!(naive.insert(pair, row), None),
            }
        }
        let mut left: Vec<_> = pairs.iter().map(|(pair, &row)| (pair, row)).collect();
        left.sort_unstable();
        assert!(left.len() > 50 && left.iter().copied().eq(naive), "{} pairs", left.len());
        assert!(pairs.rows.len() <= 144, "rows are used again");
    }

    #[test]
    fn numbers_come_out_in_order() {
        let mut order = InOrder::default();
        let mut out = Vec::new();
        for nth in [2, 0, 1, 5, 3, 4] {
            order.push(nth, nth);
            while let Some(n) = order.pop() {
                out.push(n);
            }
        }
        assert_eq!(out, [0, 1, 2, 3, 4, 5]);
        assert_eq!(order.pop(), None);
    }
}
