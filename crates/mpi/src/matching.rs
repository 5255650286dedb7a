//! The two matching queues of a rank: posted receives and unexpected messages.
//!
//! Both are searched in order: receives as posted, messages as they arrived (MPI 5.0, section 3.5,
//! non-overtaking). The caller of `arrive` delivers messages of one sender in the order in which
//! they were sent.

use std::collections::VecDeque;
use workload::{ANY_SOURCE, ANY_TAG, Context};

/// The envelope of a message. `src` is a world rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Envelope {
    pub src: u32,
    pub context: Context,
    pub tag: i32,
}

/// The envelope that a receive or probe matches; `ANY_SOURCE` and `ANY_TAG` are wildcards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    pub from: u32,
    pub context: Context,
    pub tag: i32,
}

impl Pattern {
    #[inline]
    pub fn matches(self, e: Envelope) -> bool {
        self.context == e.context
            && (self.from == ANY_SOURCE || self.from == e.src)
            && (self.tag == ANY_TAG || self.tag == e.tag)
    }
}

/// `W` identifies a receive, `M` a message.
///
/// The queues are ring buffers, as mostly the oldest element is removed. A sender far ahead of its
/// receiver must not make every match move all elements behind it.
#[derive(Debug)]
pub struct Matching<W, M> {
    posted: VecDeque<(Pattern, W)>,
    unexpected: VecDeque<(Envelope, M)>,
    /// Elements examined by the last search: its cost for a CPU.
    pub examined: usize,
}

impl<W, M> Default for Matching<W, M> {
    fn default() -> Self {
        Matching { posted: VecDeque::new(), unexpected: VecDeque::new(), examined: 0 }
    }
}

impl<W: Copy + PartialEq, M: Copy> Matching<W, M> {
    /// Posts a receive. Returns an unexpected message that matches; then nothing is posted.
    pub fn post(&mut self, pattern: Pattern, waiter: W) -> Option<(Envelope, M)> {
        let found = self.take(pattern);
        if found.is_none() {
            self.posted.push_back((pattern, waiter));
        }
        found
    }
    /// A message arrives. Returns the posted receive that matches; otherwise the message is kept as
    /// unexpected.
    pub fn arrive(&mut self, envelope: Envelope, message: M) -> Option<(Pattern, W)> {
        let found = self.posted.iter().position(|(p, _)| p.matches(envelope));
        self.examined = found.map_or(self.posted.len(), |i| i + 1);
        match found {
            Some(i) => self.posted.remove(i),
            None => {
                self.unexpected.push_back((envelope, message));
                None
            }
        }
    }
    /// The first unexpected message that `pattern` matches; it is not removed.
    pub fn find(&mut self, pattern: Pattern) -> Option<(Envelope, M)> {
        self.search(pattern).map(|i| self.unexpected[i])
    }
    /// Removes and returns the first unexpected message that `pattern` matches.
    pub fn take(&mut self, pattern: Pattern) -> Option<(Envelope, M)> {
        let i = self.search(pattern)?;
        self.unexpected.remove(i)
    }
    fn search(&mut self, pattern: Pattern) -> Option<usize> {
        let found = self.unexpected.iter().position(|(e, _)| pattern.matches(*e));
        self.examined = found.map_or(self.unexpected.len(), |i| i + 1);
        found
    }
    /// Cancels a posted receive. False if it has matched already or was never posted.
    pub fn cancel(&mut self, waiter: W) -> bool {
        match self.posted.iter().position(|&(_, w)| w == waiter) {
            Some(i) => {
                self.posted.remove(i);
                true
            }
            None => false,
        }
    }
    /// Posted receives, oldest first.
    pub fn posted(&self) -> impl Iterator<Item = (Pattern, W)> {
        self.posted.iter().copied()
    }
    /// Unexpected messages, oldest first.
    pub fn unexpected(&self) -> impl Iterator<Item = (Envelope, M)> {
        self.unexpected.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::draw;

    fn e(src: u32, tag: i32) -> Envelope {
        Envelope { src, context: 0, tag }
    }
    fn p(from: u32, tag: i32) -> Pattern {
        Pattern { from, context: 0, tag }
    }

    #[test]
    fn wildcards_match() {
        for (pattern, envelope, yes) in [
            (p(1, 5), e(1, 5), true),
            (p(1, 5), e(2, 5), false),
            (p(1, 5), e(1, 6), false),
            (p(ANY_SOURCE, 5), e(9, 5), true),
            (p(1, ANY_TAG), e(1, 77), true),
            (p(ANY_SOURCE, ANY_TAG), e(3, 0), true),
            (Pattern { context: 1, ..p(ANY_SOURCE, ANY_TAG) }, e(3, 0), false),
        ] {
            assert_eq!(pattern.matches(envelope), yes, "{pattern:?} {envelope:?}");
        }
    }

    /// Against MPI's rule: a receive takes the earliest message that it matches, and a message the
    /// earliest receive that matches it, whichever comes first.
    #[test]
    fn random_histories_follow_the_rule() {
        for seed in 0..300 {
            let mut m = Matching::<u32, u32>::default();
            let (mut messages, mut receives) = (Vec::<(Envelope, u32)>::new(), Vec::new());
            for step in 0..60u32 {
                let r = |stream, n| draw(seed, stream, step, 0) % n;
                let (src, tag) = (r(1, 3) as u32, r(2, 3) as i32);
                if r(0, 2) == 0 {
                    let want =
                        receives.iter().position(|(q, _): &(Pattern, u32)| q.matches(e(src, tag)));
                    assert_eq!(
                        m.arrive(e(src, tag), step),
                        want.map(|i| receives[i]),
                        "seed {seed}"
                    );
                    match want {
                        Some(i) => drop(receives.remove(i)),
                        None => messages.push((e(src, tag), step)),
                    }
                    assert_eq!(m.examined, want.map_or(receives.len(), |i| i + 1), "seed {seed}");
                } else {
                    let q = p(
                        if r(3, 3) == 0 { ANY_SOURCE } else { src },
                        if r(4, 3) == 0 { ANY_TAG } else { tag },
                    );
                    let want = messages.iter().position(|(e, _)| q.matches(*e));
                    assert_eq!(m.find(q), want.map(|i| messages[i]), "seed {seed}");
                    assert_eq!(m.post(q, step), want.map(|i| messages[i]), "seed {seed}");
                    match want {
                        Some(i) => drop(messages.remove(i)),
                        None => receives.push((q, step)),
                    }
                }
            }
            assert_eq!(
                m.posted().map(|(_, w)| w).collect::<Vec<_>>(),
                receives.iter().map(|r| r.1).collect::<Vec<_>>()
            );
            assert_eq!(m.unexpected().count(), messages.len());
        }
    }

    #[test]
    fn a_cancelled_receive_matches_nothing() {
        let mut m = Matching::<u32, u32>::default();
        assert!(m.post(p(1, 1), 7).is_none());
        assert!(m.cancel(7) && !m.cancel(7));
        assert_eq!(m.arrive(e(1, 1), 0), None);
        assert_eq!(m.unexpected().count(), 1);
    }
}
