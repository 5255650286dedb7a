//! Blocks that lie apart and travel as one message.

use base::{Gap, Span};

/// What a rank's CPU does for blocks that lie apart and travel as one message: Bruck's alltoall has
/// them in every round. docs/models/library.md has how it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packing {
    /// A round's datatype is made and freed; more for each of its blocks, and for each stretch of
    /// blocks that lie side by side, packing and unpacking of which are in it.
    pub round: Span,
    pub block: Span,
    pub stretch: Span,
    /// One element is packed, or unpacked, no faster than this.
    pub element: Span,
    /// A block that is moved by itself within a rank's memory, beside its bytes.
    pub moved: Span,
}

/// As slow as the slowest rate: an element may be a byte.
pub(crate) const SLOWEST: Span = Span(1_000_000);

impl Packing {
    /// What a byte takes at most, if elements are bytes.
    pub fn gap(&self) -> Gap {
        Gap(self.element.0 << 20)
    }
    /// A round's datatype of `stretches`, `blocks` in all.
    pub fn made(&self, blocks: u64, stretches: u64) -> Span {
        self.round + self.block * blocks + self.stretch * stretches
    }
    /// `bytes` in elements of `grain` are packed, or unpacked: at the rate of copies if they are
    /// one stretch, else no faster.
    pub fn copied(&self, bytes: u64, grain: u64, stretches: u64, copy: Gap) -> Span {
        let elements = if stretches > 1 { bytes / grain.max(1) } else { 0 };
        (self.element * elements).max(copy.span(bytes))
    }
}
