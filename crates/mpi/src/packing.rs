//! CPU time for packing non-contiguous data into one message.

use base::{Gap, Span};
use workload::NonContiguous;

/// CPU times for non-contiguous data that travels as one message: blocks in every round of Bruck's
/// alltoall, and datatypes of programs. docs/models/library-packing.md has equations and
/// measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packing {
    /// Creating and freeing the datatype of a round; per block; and per run of adjacent blocks,
    /// including its packing and unpacking.
    pub round: Span,
    pub block: Span,
    pub stretch: Span,
    /// Least time to pack or unpack one element.
    pub element: Span,
    /// Least time per run of like values, where there are unlike ones.
    pub member: Span,
    /// Moving one block within a rank's memory, beside its bytes.
    pub moved: Span,
}

/// Equals the slowest rate: an element or member may be one byte.
pub(crate) const MAX_ELEMENT_TIME: Span = Span(1_000_000);

impl Packing {
    /// Largest time per byte, if elements are bytes.
    pub fn gap(&self) -> Gap {
        Gap(self.element.0 << 20)
    }
    /// Creating the datatype of a round with `stretches` runs and `blocks` blocks in all.
    pub fn datatype_time(&self, blocks: u64, stretches: u64) -> Span {
        self.round + self.block * blocks + self.stretch * stretches
    }
    /// Packing or unpacking `bytes` in elements of `grain` bytes. A single run takes the rate of
    /// copies, several at most that rate.
    pub fn copy_time(&self, bytes: u64, grain: u64, stretches: u64, copy: Gap) -> Span {
        let elements = if stretches > 1 { bytes / grain.max(1) } else { 0 };
        (self.element * elements).max(copy.span(bytes))
    }
    /// Packing or unpacking by a program's datatype: the time of its elements or members, or of
    /// copying all memory that it touches, whichever is longer.
    pub fn pack_time(&self, layout: &NonContiguous, copy: Gap) -> Span {
        let values = (self.element * layout.values).max(self.member * layout.members);
        values.max(copy.span(layout.touched))
    }
    /// Largest time per member, as if it were a byte.
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

    /// Times stay within the clock on the slowest cores.
    #[test]
    fn an_element_takes_at_most_the_maximum_time() {
        let text = "like = \"mpich\"\npack_element = \"1 us\"\npack_member = \"1 us\"";
        let library = Library::parse("slow", text, "generic").expect("valid").on_cores(0.001);
        let packing = library.expect("no overhead is too long").packing;
        assert_eq!((packing.element, packing.member), (MAX_ELEMENT_TIME, MAX_ELEMENT_TIME));
        assert_eq!(packing.gap(), Gap::from_bytes_per_s(1e6));
        assert_eq!(packing.copy_time(4 << 20, 1, 2, packing.gap()), Span(1_000_000 << 22));
        // A single run is a copy.
        assert_eq!(packing.copy_time(4 << 20, 1, 1, Gap::ZERO), Span::ZERO);
    }

    /// Each of the three terms can be the largest, and no data costs nothing.
    #[test]
    fn the_slowest_part_of_packing_counts() {
        let text = "like = \"none\"\npack_element = \"2 ns\"\npack_member = \"50 ns\"";
        let packing = Library::parse("slow", text, "generic").expect("valid").packing;
        let copy = Gap::from_bytes_per_s(1e9);
        let layout =
            |values, members, touched| NonContiguous { bytes: 800, touched, values, members };
        assert_eq!(packing.pack_time(&layout(100, 3, 150), copy), Span::ns(200));
        assert_eq!(packing.pack_time(&layout(100, 5, 150), copy), Span::ns(250));
        assert_eq!(packing.pack_time(&layout(100, 3, 640), copy), copy.span(640));
        assert_eq!(packing.pack_time(&NonContiguous::default(), copy), Span::ZERO);
        // A shorter message counts its first part.
        let first = layout(100, 5, 640).first(200);
        assert_eq!((first.values, first.members, first.touched), (25, 1, 160));
        assert_eq!(layout(100, 5, 640).first(900), layout(100, 5, 640));
        // Of shorts and chars, 3 bytes are two values and two members.
        let mixed = NonContiguous { bytes: 3000, touched: 4000, values: 2000, members: 2000 };
        assert_eq!(packing.pack_time(&mixed, copy), Span::us(100));
        // A sum of layouts.
        let both = layout(100, 0, 640) + layout(400, 4, 60) + NonContiguous::default();
        assert_eq!((both.bytes, both.values, both.members), (1600, 500, 4));
    }
}
