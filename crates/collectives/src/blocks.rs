//! Positions of blocks in a working buffer: even cuts, lists of lengths, ranges of adjacent blocks.

use std::sync::Arc;

use crate::{ByteRange, Collective, Kind};

/// Positions of adjacent blocks of unequal length.
///
/// Holds prefix sums, so each lookup takes constant time: a ring of 10^5 ranks makes 10^10 of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ragged(Arc<[u64]>);

impl Ragged {
    /// From block lengths in bytes.
    pub fn new(lengths: impl IntoIterator<Item = u64>) -> Ragged {
        let mut end = 0u64;
        let ends = lengths.into_iter().map(|len| {
            end = end.saturating_add(len);
            end
        });
        Ragged(std::iter::once(0).chain(ends).collect())
    }
    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.0.len() - 1
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Block `i`; beyond the last one, an empty range at the end.
    #[inline]
    pub fn part(&self, i: usize) -> ByteRange {
        let at = self.at(i);
        ByteRange { at, len: self.at(i + 1) - at }
    }
    /// Offset of block `i`; beyond the last one, the end.
    #[inline]
    pub fn at(&self, i: usize) -> u64 {
        self.0.get(i).copied().unwrap_or_else(|| self.total())
    }
    /// Bytes of all blocks.
    pub fn total(&self) -> u64 {
        self.0.last().copied().unwrap_or(0)
    }
    /// Block lengths, in bytes.
    pub fn lengths(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.windows(2).map(|w| w[1] - w[0])
    }
}

impl From<Vec<u64>> for Ragged {
    fn from(lengths: Vec<u64>) -> Ragged {
        Ragged::new(lengths)
    }
}
impl From<&[u64]> for Ragged {
    fn from(lengths: &[u64]) -> Ragged {
        Ragged::new(lengths.iter().copied())
    }
}
impl FromIterator<u64> for Ragged {
    fn from_iter<I: IntoIterator<Item = u64>>(lengths: I) -> Ragged {
        Ragged::new(lengths)
    }
}

pub(crate) const EMPTY: ByteRange = ByteRange { at: 0, len: 0 };

/// `ceil(log2 p)`: the number of doublings from 1 to at least `p`.
#[inline]
pub(crate) fn doublings(p: u32) -> u32 {
    p.next_power_of_two().ilog2()
}

/// The number of multiplications by `radix` from 1 to at least `p`.
#[inline]
pub(crate) fn digits(p: u32, radix: u32) -> u32 {
    if p < 2 { 0 } else { (p - 1).ilog(radix) + 1 }
}

/// Offset of piece `i` when `bytes` are divided into `pieces` as evenly as whole elements of
/// `grain` bytes allow, longer pieces first (as MPICH does). `i == pieces` is the end.
#[inline]
pub(crate) fn cut(bytes: u64, grain: u64, pieces: u32, i: u32) -> u64 {
    if i >= pieces {
        return bytes;
    }
    let (grain, p, i) = (grain.max(1), u64::from(pieces), u64::from(i));
    let (base, extra) = ((bytes / grain) / p, (bytes / grain) % p);
    (i * base + i.min(extra)) * grain
}

/// Pieces `lo..hi` of such a division.
#[inline]
pub(crate) fn cuts(bytes: u64, grain: u64, pieces: u32, lo: u32, hi: u32) -> ByteRange {
    let at = cut(bytes, grain, pieces, lo);
    ByteRange { at, len: cut(bytes, grain, pieces, hi).saturating_sub(at) }
}

impl Collective {
    /// Bytes of this member's operand and of its result, in a reduction.
    pub fn reduced_bytes(&self) -> (u64, u64) {
        match self.kind {
            Kind::ReduceScatter | Kind::ReduceScatterBlock => {
                (self.at(self.member.size), self.own().len)
            }
            Kind::Reduce if self.member.rank != self.root => (self.bytes, 0),
            _ => (self.bytes, self.bytes),
        }
    }

    /// Offset of the block of rank `i`; `i == size` is the end of the area.
    #[inline]
    pub(crate) fn at(&self, i: u32) -> u64 {
        match &self.ragged {
            Some(ragged) => ragged.at(i as usize),
            None => u64::from(i) * self.bytes,
        }
    }
    #[inline]
    pub(crate) fn block(&self, i: u32) -> ByteRange {
        self.span(i, i + 1)
    }
    /// Blocks `lo..hi`, which are adjacent; empty if `lo >= hi`.
    #[inline]
    pub(crate) fn span(&self, lo: u32, hi: u32) -> ByteRange {
        let at = self.at(lo);
        ByteRange { at, len: self.at(hi).saturating_sub(at) }
    }
    /// `count <= size` blocks from `first` on, modulo the size: at most two ranges.
    #[inline]
    pub(crate) fn cyclic_range(&self, first: u32, count: u32) -> [ByteRange; 2] {
        let p = self.member.size;
        let first = first % p;
        if count <= p - first {
            [self.span(first, first + count), EMPTY]
        } else {
            [self.span(first, p), self.span(0, count - (p - first))]
        }
    }
    /// The rank `steps` further on the ring.
    #[inline]
    pub(crate) fn ahead(&self, steps: u32) -> u32 {
        let (p, r) = (self.member.size, self.member.rank);
        let to_end = p - r;
        if steps < to_end { r + steps } else { steps - to_end }
    }
    /// The rank `steps <= size` back on the ring.
    #[inline]
    pub(crate) fn behind(&self, steps: u32) -> u32 {
        let (p, r) = (self.member.size, self.member.rank);
        if steps <= r { r - steps } else { p - (steps - r) }
    }
}
