//! Pending acknowledgements of a NIC. Few are needed at the time they arrive. They are therefore
//! not events but times in a list, counted when the NIC checks its window.

use base::{Slab, Time};

use crate::packet::{AckLineId, NONE};

/// Times in a cache line.
const LINE: usize = 6;

/// A part of a list: arrival times, earliest first.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct AckLine {
    at: [Time; LINE],
    /// The valid entries. Only the first line of a list may begin after 0, only the last may end
    /// before `LINE`, and none is empty.
    begin: u8,
    end: u8,
    before: u32,
    pub after: u32,
}
const _: () = assert!(size_of::<AckLine>() == 64);

/// The acknowledgements in transit to one NIC, earliest first: its first and last line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PendingAcks {
    pub first: u32,
    pub last: u32,
}

impl PendingAcks {
    pub const EMPTY: PendingAcks = PendingAcks { first: NONE, last: NONE };

    pub fn first(self, ack_lines: &Slab<AckLineId, AckLine>) -> Option<Time> {
        (self.first != NONE).then(|| {
            let AckLine { at, begin, .. } = ack_lines[AckLineId(self.first)];
            at[usize::from(begin)]
        })
    }

    /// Adds one that arrives `at`. Searches from the end: later ones left later by a shorter path,
    /// and these are few.
    #[inline]
    pub fn add(&mut self, at: Time, ack_lines: &mut Slab<AckLineId, AckLine>) {
        if self.last == NONE || usize::from(ack_lines[AckLineId(self.last)].end) == LINE {
            self.lengthen(ack_lines);
        }
        let mut line = AckLineId(self.last);
        let mut to = usize::from(ack_lines[line].end);
        ack_lines[line].end += 1;
        loop {
            let AckLine { begin, before, .. } = ack_lines[line];
            let (then, place) = match before {
                _ if to > usize::from(begin) => (line, to - 1),
                NONE => break,
                before => (AckLineId(before), LINE - 1),
            };
            let other = ack_lines[then].at[place];
            if other <= at {
                break;
            }
            ack_lines[line].at[to] = other;
            (line, to) = (then, place);
        }
        ack_lines[line].at[to] = at;
    }

    /// Appends a line.
    fn lengthen(&mut self, ack_lines: &mut Slab<AckLineId, AckLine>) {
        let (at, before) = ([Time::ZERO; LINE], self.last);
        let new = ack_lines.insert(AckLine { at, begin: 0, end: 0, before, after: NONE }).0;
        match before {
            NONE => self.first = new,
            before => ack_lines[AckLineId(before)].after = new,
        }
        self.last = new;
    }

    /// Removes all that have arrived by `now`, and returns their number.
    #[inline]
    pub fn drain(&mut self, now: Time, ack_lines: &mut Slab<AckLineId, AckLine>) -> u32 {
        let mut n = 0;
        while self.first != NONE {
            let first = AckLineId(self.first);
            let ack_line = &mut ack_lines[first];
            while ack_line.begin < ack_line.end {
                if ack_line.at[usize::from(ack_line.begin)] > now {
                    return n;
                }
                ack_line.begin += 1;
                n += 1;
            }
            self.first = ack_line.after;
            ack_lines.free(first);
            match self.first {
                NONE => self.last = NONE,
                next => ack_lines[AckLineId(next)].before = NONE,
            }
        }
        n
    }

    /// Number of pending acknowledgements.
    pub fn len(self, ack_lines: &Slab<AckLineId, AckLine>) -> u32 {
        let (mut n, mut line) = (0, self.first);
        while line != NONE {
            let AckLine { begin, end, after, .. } = ack_lines[AckLineId(line)];
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
        let mut ack_lines = Slab::with_capacity(8);
        let (mut list, mut naive) = (PendingAcks::EMPTY, Vec::new());
        for step in 0..2_000u64 {
            let at = Time(step + draw(1, 0, 0, step) % 50);
            list.add(at, &mut ack_lines);
            naive.push(at);
            if step % 3 == 0 {
                assert_eq!(list.len(&ack_lines) as usize, naive.len(), "step {step}");
                let left = list.drain(Time(step), &mut ack_lines) as usize;
                let want = naive.extract_if(.., |at| *at <= Time(step)).count();
                assert_eq!(left, want, "step {step}");
                assert_eq!(list.first(&ack_lines), naive.iter().min().copied(), "step {step}");
                assert!(ack_lines.live() <= naive.len().div_ceil(LINE) + 1, "lines are full");
            }
        }
        list.drain(Time(u64::MAX), &mut ack_lines);
        assert_eq!((list, ack_lines.live()), (PendingAcks::EMPTY, 0));
    }
}
