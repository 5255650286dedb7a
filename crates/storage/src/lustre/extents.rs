//! Sets of bytes as sorted extents. Knows no file, client or lock.
//!
//! Key idea: a set costs memory by its number of fragments, never by its bytes.

/// Bytes from `start` up to, not including, `end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    pub start: u64,
    pub end: u64,
}

/// The end of an extent up to the end of any file.
pub const EOF: u64 = u64::MAX;
/// Page size of clients and servers, x86-64.
pub const PAGE: u64 = 4096;

impl Extent {
    pub const ALL: Extent = Extent { start: 0, end: EOF };

    pub fn new(start: u64, end: u64) -> Self {
        debug_assert!(start <= end);
        Extent { start, end }
    }
    pub fn bytes(self) -> u64 {
        self.end - self.start
    }
    pub fn overlaps(self, other: Extent) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }
    pub fn covers(self, other: Extent) -> bool {
        self.start <= other.start && other.end <= self.end
    }
    /// The common part; empty if there is none.
    pub fn common(self, other: Extent) -> Extent {
        let start = self.start.max(other.start);
        Extent { start, end: self.end.min(other.end).max(start) }
    }
    /// Extended to whole pages.
    pub fn pages(self) -> Extent {
        let end = match self.end.checked_add(PAGE - 1) {
            Some(end) => end & !(PAGE - 1),
            None => EOF,
        };
        Extent { start: self.start & !(PAGE - 1), end }
    }
}

/// A set of bytes: extents in order that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtentSet {
    extents: Vec<Extent>,
    bytes: u64,
}

impl ExtentSet {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    pub fn is_empty(&self) -> bool {
        self.extents.is_empty()
    }
    pub fn iter(&self) -> impl Iterator<Item = Extent> + '_ {
        self.extents.iter().copied()
    }
    /// Index of the first extent that ends after `at`.
    fn after(&self, at: u64) -> usize {
        self.extents.partition_point(|e| e.end <= at)
    }
    pub fn covers(&self, extent: Extent) -> bool {
        extent.bytes() == 0
            || self.extents.get(self.after(extent.start)).is_some_and(|e| e.covers(extent))
    }
    pub fn overlaps(&self, extent: Extent) -> bool {
        self.extents.get(self.after(extent.start)).is_some_and(|e| e.overlaps(extent))
    }
    /// The parts of `extent` in the set.
    pub fn within(&self, extent: Extent) -> impl Iterator<Item = Extent> + '_ {
        self.extents[self.after(extent.start)..]
            .iter()
            .take_while(move |e| e.start < extent.end)
            .map(move |e| e.common(extent))
    }
    /// The parts of `extent` that are not in the set.
    pub fn missing(&self, extent: Extent) -> impl Iterator<Item = Extent> + '_ {
        let ends = self.within(extent).chain([Extent { start: extent.end, end: extent.end }]);
        let mut at = extent.start;
        ends.filter_map(move |e| {
            let gap = Extent { start: at, end: e.start };
            at = e.end;
            (gap.start < gap.end).then_some(gap)
        })
    }
    /// Adds bytes and returns how many are new.
    pub fn insert(&mut self, extent: Extent) -> u64 {
        if extent.bytes() == 0 {
            return 0;
        }
        if self.extents.is_empty() {
            // Most sets have one extent.
            self.extents.reserve_exact(1);
        }
        // Those that overlap or touch.
        let from = self.extents.partition_point(|e| e.end < extent.start);
        let to = from + self.extents[from..].partition_point(|e| e.start <= extent.end);
        let before: u64 = self.extents[from..to].iter().map(|e| e.bytes()).sum();
        let mut whole = extent;
        if from < to {
            whole.start = whole.start.min(self.extents[from].start);
            whole.end = whole.end.max(self.extents[to - 1].end);
            self.extents[from] = whole;
            self.extents.drain(from + 1..to);
        } else {
            self.extents.insert(from, whole);
        }
        self.bytes += whole.bytes() - before;
        whole.bytes() - before
    }
    /// Removes bytes and returns how many were in the set.
    pub fn remove(&mut self, extent: Extent) -> u64 {
        let from = self.after(extent.start);
        let to = from + self.extents[from..].partition_point(|e| e.start < extent.end);
        if from == to || extent.bytes() == 0 {
            return 0;
        }
        let before: u64 = self.extents[from..to].iter().map(|e| e.bytes()).sum();
        let left = Extent { start: self.extents[from].start, end: extent.start };
        let right = Extent { start: extent.end, end: self.extents[to - 1].end };
        let rest = [left, right].into_iter().filter(|e| e.start < e.end);
        let kept: u64 = rest.clone().map(Extent::bytes).sum();
        self.extents.splice(from..to, rest);
        self.bytes -= before - kept;
        before - kept
    }
    pub fn clear(&mut self) {
        self.extents.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares each operation with a bitmap of 64 bytes.
    #[test]
    fn a_set_of_extents_equals_a_bitmap() {
        let (mut set, mut bits) = (ExtentSet::default(), [false; 64]);
        for i in 0..4_000 {
            let d = base::draw(7, 0, 0, i);
            let (a, b) = (d % 64, (d >> 8) % 65);
            let e = Extent::new(a.min(b), a.max(b));
            let range = e.start as usize..e.end as usize;
            let held = bits[range.clone()].iter().filter(|&&x| x).count() as u64;
            assert_eq!(set.covers(e), held == e.bytes(), "{set:?} {e:?}");
            assert_eq!(set.overlaps(e), held > 0, "{set:?} {e:?}");
            assert_eq!(set.within(e).map(Extent::bytes).sum::<u64>(), held);
            assert_eq!(set.missing(e).map(Extent::bytes).sum::<u64>(), e.bytes() - held);
            if (d >> 16).is_multiple_of(2) {
                assert_eq!(set.insert(e), e.bytes() - held);
                bits[range].fill(true);
            } else {
                assert_eq!(set.remove(e), held);
                bits[range].fill(false);
            }
            assert_eq!(set.bytes(), bits.iter().filter(|&&x| x).count() as u64);
            assert!(set.iter().all(|e| bits[e.start as usize..e.end as usize].iter().all(|&x| x)));
            assert!(set.extents.windows(2).all(|w| w[0].end < w[1].start), "{set:?}");
        }
    }

    #[test]
    fn pages_of_the_last_byte_end_at_the_end_of_any_file() {
        assert_eq!(Extent::new(1, 4097).pages(), Extent::new(0, 8192));
        assert_eq!(Extent::new(5, EOF).pages(), Extent::ALL);
    }
}
