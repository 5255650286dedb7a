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

#[cfg(test)]
mod tests {
    use super::SLOWEST;
    use crate::Library;
    use base::{Gap, Span};

    /// Times that can be counted stay so on the slowest cores there are.
    #[test]
    fn an_element_takes_no_longer_than_the_slowest_rate() {
        let text = "like = \"mpich\"\npack_element = \"1 us\"";
        let library = Library::parse("slow", text, "generic").expect("legal").on_cores(0.001);
        let packing = library.expect("no overhead is too long").packing;
        assert_eq!(packing.element, SLOWEST);
        assert_eq!(packing.gap(), Gap::from_bytes_per_s(1e6));
        assert_eq!(packing.copied(4 << 20, 1, 2, packing.gap()), Span(1_000_000 << 22));
        // One stretch is a copy.
        assert_eq!(packing.copied(4 << 20, 1, 1, Gap::ZERO), Span::ZERO);
    }
}
