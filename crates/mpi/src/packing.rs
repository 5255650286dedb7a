//! Blocks that lie apart and travel as one message.

use base::{Gap, Span};
use workload::NonContiguous;

/// What a rank's CPU does for blocks that lie apart and travel as one message: Bruck's alltoall has
/// them in every round, and programs have datatypes of their own. docs/models/library.md has how it
/// is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packing {
    /// A round's datatype is made and freed; more for each of its blocks, and for each stretch of
    /// blocks that lie side by side, packing and unpacking of which are in it.
    pub round: Span,
    pub block: Span,
    pub stretch: Span,
    /// One element is packed, or unpacked, no faster than this.
    pub element: Span,
    /// Nor is a stretch of like values, where there are unlike ones.
    pub member: Span,
    /// A block that is moved by itself within a rank's memory, beside its bytes.
    pub moved: Span,
}

/// As slow as the slowest rate: an element may be a byte, and a member.
pub(crate) const MAX_ELEMENT_TIME: Span = Span(1_000_000);

impl Packing {
    /// What a byte takes at most, if elements are bytes.
    pub fn gap(&self) -> Gap {
        Gap(self.element.0 << 20)
    }
    /// A round's datatype of `stretches`, `blocks` in all.
    pub fn datatype_time(&self, blocks: u64, stretches: u64) -> Span {
        self.round + self.block * blocks + self.stretch * stretches
    }
    /// `bytes` in elements of `grain` are packed, or unpacked: at the rate of copies if they are
    /// one stretch, else no faster.
    pub fn copied(&self, bytes: u64, grain: u64, stretches: u64, copy: Gap) -> Span {
        let elements = if stretches > 1 { bytes / grain.max(1) } else { 0 };
        (self.element * elements).max(copy.span(bytes))
    }
    /// What a program's datatype says is packed, or unpacked: by its elements or its members, or at
    /// the rate of copies for all the memory it lies in, whichever is slower.
    pub fn gathered(&self, apart: &NonContiguous, copy: Gap) -> Span {
        let values = (self.element * apart.values).max(self.member * apart.members);
        values.max(copy.span(apart.touched))
    }
    /// What a member takes at most, as if it were a byte.
    pub fn member_gap(&self) -> Gap {
        Gap(self.member.0 << 20)
    }
}

#[cfg(test)]
mod tests {
    use super::MAX_ELEMENT_TIME;
    use crate::Library;
    use base::{Gap, Span};
    use workload::NonContiguous;

    /// Times that can be counted stay so on the slowest cores there are.
    #[test]
    fn an_element_takes_at_most_the_maximum_time() {
        let text = "like = \"mpich\"\npack_element = \"1 us\"\npack_member = \"1 us\"";
        let library = Library::parse("slow", text, "generic").expect("legal").on_cores(0.001);
        let packing = library.expect("no overhead is too long").packing;
        assert_eq!((packing.element, packing.member), (MAX_ELEMENT_TIME, MAX_ELEMENT_TIME));
        assert_eq!(packing.gap(), Gap::from_bytes_per_s(1e6));
        assert_eq!(packing.copied(4 << 20, 1, 2, packing.gap()), Span(1_000_000 << 22));
        // One stretch is a copy.
        assert_eq!(packing.copied(4 << 20, 1, 1, Gap::ZERO), Span::ZERO);
    }

    /// Each of the three may be what takes longest, and nothing costs nothing.
    #[test]
    fn the_slowest_part_of_packing_counts() {
        let text = "like = \"none\"\npack_element = \"2 ns\"\npack_member = \"50 ns\"";
        let packing = Library::parse("slow", text, "generic").expect("legal").packing;
        let copy = Gap::from_bytes_per_s(1e9);
        let apart =
            |values, members, touched| NonContiguous { bytes: 800, touched, values, members };
        assert_eq!(packing.gathered(&apart(100, 3, 150), copy), Span::ns(200));
        assert_eq!(packing.gathered(&apart(100, 5, 150), copy), Span::ns(250));
        assert_eq!(packing.gathered(&apart(100, 3, 640), copy), copy.span(640));
        assert_eq!(packing.gathered(&NonContiguous::default(), copy), Span::ZERO);
        // Of a shorter message the first part.
        let first = apart(100, 5, 640).first(200);
        assert_eq!((first.values, first.members, first.touched), (25, 1, 160));
        assert_eq!(apart(100, 5, 640).first(900), apart(100, 5, 640));
        // Of shorts and chars, 3 bytes are two values and two members.
        let mixed = NonContiguous { bytes: 3000, touched: 4000, values: 2000, members: 2000 };
        assert_eq!(packing.gathered(&mixed, copy), Span::us(100));
        // And of several all.
        let both = apart(100, 0, 640) + apart(400, 4, 60) + NonContiguous::default();
        assert_eq!((both.bytes, both.values, both.members), (1600, 500, 4));
    }
}
