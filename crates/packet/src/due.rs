//! Acknowledgements on their way back to a NIC. Nobody looks at most of them when they come, so
//! they are not events but times in a list, counted when somebody looks.

use base::{Slab, Time};

use crate::{DueId, NONE};

/// Times of a cache line.
const LINE: usize = 6;

/// Some of a list: when each is back, soonest first.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Due {
    at: [Time; LINE],
    /// Those of the times that count. Only the first line of a list begins later than at 0, only
    /// the last one ends earlier than at `LINE`, and none is empty.
    begin: u8,
    end: u8,
    before: u32,
    pub after: u32,
}
const _: () = assert!(size_of::<Due>() == 64);

/// Those on their way to one NIC, soonest first: its first and its last line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DueList {
    pub first: u32,
    pub last: u32,
}

impl DueList {
    pub const EMPTY: DueList = DueList { first: NONE, last: NONE };

    pub fn first(self, dues: &Slab<DueId, Due>) -> Option<Time> {
        (self.first != NONE).then(|| {
            let Due { at, begin, .. } = dues[DueId(self.first)];
            at[usize::from(begin)]
        })
    }

    /// Adds one that is due `at`. Its place is looked for from the end: what is due later than a
    /// newcomer left later by a faster way, and such are few.
    #[inline]
    pub fn add(&mut self, at: Time, dues: &mut Slab<DueId, Due>) {
        if self.last == NONE || usize::from(dues[DueId(self.last)].end) == LINE {
            self.lengthen(dues);
        }
        let mut line = DueId(self.last);
        let mut to = usize::from(dues[line].end);
        dues[line].end += 1;
        loop {
            let Due { begin, before, .. } = dues[line];
            let (then, place) = match before {
                _ if to > usize::from(begin) => (line, to - 1),
                NONE => break,
                before => (DueId(before), LINE - 1),
            };
            let other = dues[then].at[place];
            if other <= at {
                break;
            }
            dues[line].at[to] = other;
            (line, to) = (then, place);
        }
        dues[line].at[to] = at;
    }

    /// Adds a line to the end.
    fn lengthen(&mut self, dues: &mut Slab<DueId, Due>) {
        let (at, before) = ([Time::ZERO; LINE], self.last);
        let new = dues.insert(Due { at, begin: 0, end: 0, before, after: NONE }).0;
        match before {
            NONE => self.first = new,
            before => dues[DueId(before)].after = new,
        }
        self.last = new;
    }

    /// Takes out what is due by `now`, and says how many they were.
    #[inline]
    pub fn drain(&mut self, now: Time, dues: &mut Slab<DueId, Due>) -> u32 {
        let mut n = 0;
        while self.first != NONE {
            let first = DueId(self.first);
            let due = &mut dues[first];
            while due.begin < due.end {
                if due.at[usize::from(due.begin)] > now {
                    return n;
                }
                due.begin += 1;
                n += 1;
            }
            self.first = due.after;
            dues.free(first);
            match self.first {
                NONE => self.last = NONE,
                next => dues[DueId(next)].before = NONE,
            }
        }
        n
    }

    /// How many there are.
    pub fn len(self, dues: &Slab<DueId, Due>) -> u32 {
        let (mut n, mut line) = (0, self.first);
        while line != NONE {
            let Due { begin, end, after, .. } = dues[DueId(line)];
            n += u32::from(end - begin);
            line = after;
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;

    #[test]
    fn pending_acks_drain_in_time_order() {
        let mut dues = Slab::with_capacity(8);
        let (mut list, mut naive) = (DueList::EMPTY, Vec::new());
        for step in 0..2_000u64 {
            let at = Time(step + draw(1, 0, 0, step) % 50);
            list.add(at, &mut dues);
            naive.push(at);
            if step % 3 == 0 {
                assert_eq!(list.len(&dues) as usize, naive.len(), "step {step}");
                let left = list.drain(Time(step), &mut dues) as usize;
                let want = naive.extract_if(.., |at| *at <= Time(step)).count();
                assert_eq!(left, want, "step {step}");
                assert_eq!(list.first(&dues), naive.iter().min().copied(), "step {step}");
                assert!(dues.live() <= naive.len().div_ceil(LINE) + 1, "lines are full");
            }
        }
        list.drain(Time(u64::MAX), &mut dues);
        assert_eq!((list, dues.live()), (DueList::EMPTY, 0));
    }
}
