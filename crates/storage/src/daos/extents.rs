//! The bytes of a file that have been written. Ordered, without overlaps.

use std::collections::BTreeMap;

/// A set of bytes. A file written from its beginning needs no allocation.
#[derive(Clone, Debug, Default)]
pub struct Extents {
    /// All bytes before this one are in the set.
    prefix: u64,
    /// Extents after the prefix and not adjacent to it: start, end.
    #[expect(clippy::box_collection, reason = "every file has an `Extents`; few have extents")]
    rest: Option<Box<BTreeMap<u64, u64>>>,
}

impl Extents {
    pub fn up_to(prefix: u64) -> Extents {
        Extents { prefix, rest: None }
    }

    pub fn insert(&mut self, mut start: u64, mut end: u64) {
        if start >= end || end <= self.prefix {
            return;
        }
        if start > self.prefix {
            let rest = self.rest.get_or_insert_default();
            // Overlapping or adjacent extents become one.
            while let Some((&s, &e)) = rest.range(..=end).next_back().filter(|&(_, &e)| e >= start)
            {
                (start, end) = (start.min(s), end.max(e));
                rest.remove(&s);
            }
            rest.insert(start, end);
            return;
        }
        self.prefix = end;
        let Some(rest) = &mut self.rest else { return };
        while let Some((&s, &e)) = rest.range(..=self.prefix).next() {
            self.prefix = self.prefix.max(e);
            rest.remove(&s);
        }
        if rest.is_empty() {
            self.rest = None;
        }
    }

    /// Number of bytes of the set in a range.
    pub fn covered(&self, start: u64, end: u64) -> u64 {
        let mut sum = self.prefix.min(end).saturating_sub(start);
        if let Some(rest) = &self.rest {
            let before = rest.range(..start).next_back();
            let within = rest.range(start..end);
            sum += before
                .into_iter()
                .chain(within)
                .map(|(&s, &e)| e.min(end).saturating_sub(s.max(start)))
                .sum::<u64>();
        }
        sum
    }

    /// Removes all bytes from `size` on.
    pub fn truncate(&mut self, size: u64) {
        self.prefix = self.prefix.min(size);
        let Some(rest) = &mut self.rest else { return };
        rest.split_off(&size);
        if let Some(mut last) = rest.last_entry()
            && *last.get() > size
        {
            last.insert(size);
        }
        if rest.is_empty() {
            self.rest = None;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.prefix == 0 && self.rest.is_none()
    }

    /// Removes the first extent, or its first `most` bytes, and returns it.
    pub fn take_first(&mut self, most: u64) -> Option<(u64, u64)> {
        if self.prefix > 0 {
            // The prefix cannot begin later, so what remains of it is an extent.
            let end = std::mem::take(&mut self.prefix);
            let cut = end.min(most);
            if cut < end {
                self.rest.get_or_insert_default().insert(cut, end);
            }
            return Some((0, cut));
        }
        let rest = self.rest.as_mut()?;
        let (start, end) = rest.pop_first()?;
        let cut = end.min(start + most);
        if cut < end {
            rest.insert(cut, end);
        }
        if rest.is_empty() {
            self.rest = None;
        }
        Some((start, cut))
    }

    /// The first range of a range that is not in the set.
    pub fn first_gap(&self, start: u64, end: u64) -> Option<(u64, u64)> {
        let mut at = start.max(self.prefix);
        if let Some(rest) = &self.rest {
            if let Some((_, &e)) = rest.range(..=at).next_back() {
                at = at.max(e);
            }
            let next = rest.range(at..).next().map_or(end, |(&s, _)| s.min(end));
            return (at < next).then_some((at, next));
        }
        (at < end).then_some((at, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{below, draw};

    fn bytes(set: &Extents, from: u64, to: u64) -> Vec<bool> {
        (from..to).map(|b| set.covered(b, b + 1) == 1).collect()
    }

    #[test]
    fn random_changes_are_those_of_a_plain_set() {
        let seed = 11;
        for case in 0..200 {
            let (mut set, mut plain) = (Extents::default(), [false; 64]);
            for step in 0..40 {
                let random = |nth: u64, n| below(draw(seed, case, step, nth), n) as usize;
                let (start, length) = (random(0, 60), random(1, 12));
                let end = (start + length).min(64);
                match random(2, 8) {
                    0 => {
                        set.truncate(start as u64);
                        plain[start..].fill(false);
                    }
                    1 => {
                        let first = plain.iter().position(|&b| b);
                        let taken = set.take_first(5);
                        assert_eq!(taken.map(|t| t.0 as usize), first);
                        if let Some((s, e)) = taken {
                            plain[s as usize..e as usize].fill(false);
                        }
                    }
                    _ => {
                        set.insert(start as u64, end as u64);
                        plain[start..end].fill(true);
                    }
                }
                assert_eq!(bytes(&set, 0, 64), plain, "seed {seed}, case {case}, step {step}");
                assert_eq!(set.is_empty(), plain.iter().all(|&b| !b));
                let (a, b) = (start as u64, end as u64);
                let count = plain[start..end].iter().filter(|&&b| b).count() as u64;
                assert_eq!(set.covered(a, b), count);
                let gap = (start..end).find(|&i| !plain[i]);
                assert_eq!(set.first_gap(a, b).map(|g| g.0 as usize), gap);
                if let Some((s, e)) = set.first_gap(a, b) {
                    assert!(plain[s as usize..e as usize].iter().all(|&b| !b));
                    assert!(e == b || plain[e as usize]);
                }
            }
        }
    }
}
