//! What comes home later: credits to a link, acknowledgements to a NIC. Nobody looks at most of
//! them when they come, so they are not events but rows in a list, counted when somebody looks.

use base::{Slab, Time};

use crate::{DueId, NONE};

/// An amount and the time it is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    at: Time,
    amount: u32,
    before: u32,
    after: u32,
}

/// Amounts on their way to one place, soonest first.
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

    /// Adds `amount`, due `at`. Its place is looked for from the end: what is due later than a
    /// newcomer left later by a faster way, and such are few.
    #[inline]
    pub fn add(&mut self, at: Time, amount: u32, dues: &mut Slab<DueId, Due>) {
        let (mut before, mut after) = (self.last, NONE);
        while before != NONE && dues[DueId(before)].at > at {
            after = before;
            before = dues[DueId(before)].before;
        }
        let new = dues.insert(Due { at, amount, before, after }).0;
        match before {
            NONE => self.first = new,
            before => dues[DueId(before)].after = new,
        }
        match after {
            NONE => self.last = new,
            after => dues[DueId(after)].before = new,
        }
    }

    /// Takes out what is due by `now`, and says how much it was.
    #[inline]
    pub fn drain(&mut self, now: Time, dues: &mut Slab<DueId, Due>) -> u32 {
        let mut sum = 0;
        while self.first != NONE {
            let due = dues[DueId(self.first)];
            if due.at > now {
                dues[DueId(self.first)].before = NONE;
                return sum;
            }
            dues.free(DueId(self.first));
            sum += due.amount;
            self.first = due.after;
        }
        self.last = NONE;
        sum
    }

    /// How much is due by `now`.
    pub fn sum(self, now: Time, dues: &Slab<DueId, Due>) -> u32 {
        let (mut sum, mut at) = (0, self.first);
        while at != NONE && dues[DueId(at)].at <= now {
            sum += dues[DueId(at)].amount;
            at = dues[DueId(at)].after;
        }
        sum
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
            let (at, amount) = (Time(step + draw(1, 0, 0, step) % 50), 1 + step as u32 % 7);
            list.add(at, amount, &mut dues);
            naive.push((at, amount));
            if step % 3 == 0 {
                let due = |&(at, _): &(Time, u32)| at <= Time(step);
                let want: u32 = naive.iter().filter(|d| due(d)).map(|d| d.1).sum();
                assert_eq!(list.sum(Time(step), &dues), want, "step {step}");
                assert_eq!(list.drain(Time(step), &mut dues), want, "step {step}");
                naive.retain(|d| !due(d));
                assert_eq!(list.first(&dues), naive.iter().map(|d| d.0).min(), "step {step}");
                assert_eq!(dues.live(), naive.len());
            }
        }
        list.drain(Time(u64::MAX), &mut dues);
        assert_eq!((list, dues.live()), (DueList::EMPTY, 0));
    }
}
