//! Acknowledgements on their way back to a NIC. Nobody looks at most of them when they come, so
//! they are not events but rows in a list, counted when somebody looks.

use base::{Slab, Time};

use crate::{DueId, NONE};

/// One acknowledgement, and when it is back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    at: Time,
    before: u32,
    after: u32,
}

/// Those on their way to one NIC, soonest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DueList {
    first: u32,
    last: u32,
}

impl DueList {
    pub const EMPTY: DueList = DueList { first: NONE, last: NONE };

    pub fn first(self, dues: &Slab<DueId, Due>) -> Option<Time> {
        (self.first != NONE).then(|| dues[DueId(self.first)].at)
    }

    /// Adds one that is due `at`. Its place is looked for from the end: what is due later than a
    /// newcomer left later by a faster way, and such are few.
    #[inline]
    pub fn add(&mut self, at: Time, dues: &mut Slab<DueId, Due>) {
        let (mut before, mut after) = (self.last, NONE);
        while before != NONE && dues[DueId(before)].at > at {
            after = before;
            before = dues[DueId(before)].before;
        }
        let new = dues.insert(Due { at, before, after }).0;
        match before {
            NONE => self.first = new,
            before => dues[DueId(before)].after = new,
        }
        match after {
            NONE => self.last = new,
            after => dues[DueId(after)].before = new,
        }
    }

    /// Takes out what is due by `now`, and says how many they were.
    #[inline]
    pub fn drain(&mut self, now: Time, dues: &mut Slab<DueId, Due>) -> u32 {
        let mut n = 0;
        while self.first != NONE {
            let due = dues[DueId(self.first)];
            if due.at > now {
                dues[DueId(self.first)].before = NONE;
                return n;
            }
            dues.free(DueId(self.first));
            n += 1;
            self.first = due.after;
        }
        self.last = NONE;
        n
    }

    /// How many there are.
    pub fn len(self, dues: &Slab<DueId, Due>) -> u32 {
        let (mut n, mut at) = (0, self.first);
        while at != NONE {
            n += 1;
            at = dues[DueId(at)].after;
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;

    #[test]
    fn what_is_due_comes_out_whatever_order_it_went_in() {
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
                assert_eq!(dues.live(), naive.len());
            }
        }
        list.drain(Time(u64::MAX), &mut dues);
        assert_eq!((list, dues.live()), (DueList::EMPTY, 0));
    }
}
