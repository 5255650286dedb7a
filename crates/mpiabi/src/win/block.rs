//! The encoding of an operation between origin and target: one block of shared memory.
//!
//! Layout: `Header`, its `Stride`s, then the area. The area holds the data for the target, packed
//! in the order of the target's datatype, and afterwards the returned data, in the same order.

use workload::wire::Arrival;

use crate::datatype::Type;
use crate::runtime::{self, Held};

pub(super) use workload::wire::work;

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct Header {
    pub arrival: Arrival,
    pub work: u32,
    /// The MPI function of the origin, for error messages.
    pub function: u32,
    /// Byte of the window (address, if the window is dynamic) to which strides are relative.
    pub at: i64,
    /// Packed bytes of target memory that are accessed.
    pub bytes: u64,
    pub strides: u64,
    /// Accumulate: handles of the operation and of the predefined datatype of the elements. All
    /// processes of a job use the same library, so a predefined handle has the same meaning in
    /// both.
    pub op: u64,
    pub datatype: u64,
}

/// `count` runs of `len` bytes, `stride` apart.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stride {
    pub at: i64,
    pub stride: i64,
    pub count: u64,
    pub len: u64,
}

/// The first `bytes` bytes of `count` items, in transfer order.
pub(super) fn strides(datatype: &Type, count: u64, bytes: u64) -> Vec<Stride> {
    let (mut found, mut left) = (Vec::new(), bytes);
    datatype.runs(count, |at, stride, count, len| {
        let whole = count.min(left / len);
        if whole > 0 {
            found.push(Stride { at, stride, count: whole, len });
        }
        left -= whole * len;
        if whole < count && left > 0 {
            let at = at + whole as i64 * stride;
            found.push(Stride { at, stride: 0, count: 1, len: left });
            left = 0;
        }
        left > 0
    });
    found
}

/// A block, mapped by its owner or its reader.
pub(super) struct Block {
    pub offset: u64,
    base: *mut u8,
}

const HEADER: usize = size_of::<Header>();
/// Alignment of the area: no element needs more.
const ALIGN: usize = 16;

impl Block {
    /// A new block with room for `area` bytes after header and strides, which are written.
    pub fn new(held: &Held, mut header: Header, strides: &[Stride], area: u64) -> Block {
        header.strides = strides.len() as u64;
        let offset = runtime::alloc(held, (area_at(strides.len()) as u64) + area);
        header.arrival.direct.area = offset + area_at(strides.len()) as u64;
        let block = Block::at(held, offset);
        // SAFETY: a new block with room for all three.
        unsafe {
            block.base.cast::<Header>().write(header);
            let list = block.base.add(HEADER).cast::<Stride>();
            list.copy_from_nonoverlapping(strides.as_ptr(), strides.len());
        }
        block
    }
    pub fn at(held: &Held, offset: u64) -> Block {
        Block { offset, base: runtime::address(held, offset) }
    }
    /// # Safety
    /// The block was created by `new`, and its header is not written any more.
    pub unsafe fn header(&self) -> Header {
        unsafe { self.base.cast::<Header>().read() }
    }
    /// # Safety
    /// As for `header`; the block outlives the result.
    pub unsafe fn strides(&self) -> &[Stride] {
        unsafe {
            let list = self.base.add(HEADER).cast::<Stride>();
            std::slice::from_raw_parts(list, self.header().strides as usize)
        }
    }
    /// # Safety
    /// As for `header`.
    pub unsafe fn area(&self) -> *mut u8 {
        unsafe { self.base.add(area_at(self.header().strides as usize)) }
    }
}

fn area_at(strides: usize) -> usize {
    (HEADER + strides * size_of::<Stride>()).next_multiple_of(ALIGN)
}

const _: () = assert!(std::mem::offset_of!(Header, arrival) == 0);
const _: () = assert!(align_of::<Header>() == 8 && align_of::<Stride>() == 8);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{Datatype, c};
    use crate::datatype::calls::{Type_contiguous, Type_vector};
    use crate::datatype::{self, Number};
    use crate::error::Result;

    fn make(f: impl FnOnce(*mut Datatype) -> Result) -> Datatype {
        let mut made = c::DATATYPE_NULL;
        f(&raw mut made).expect("a datatype");
        made
    }
    /// Every byte of `strides`, in order.
    fn byte_offsets(strides: &[Stride]) -> Vec<i64> {
        let runs =
            strides.iter().flat_map(|s| (0..s.count as i64).map(|i| (s.at + i * s.stride, s.len)));
        runs.flat_map(|(at, len)| (0..len as i64).map(move |b| at + b)).collect()
    }

    #[test]
    fn strides_cover_the_leading_bytes_in_order() {
        let pairs = make(|new| unsafe { Type_vector::<i64>(3, 2, -4, c::SHORT, new) });
        let nested = make(|new| unsafe { Type_vector::<i64>(2, 1, 3, pairs, new) });
        for handle in [c::INT, c::SHORT_INT, pairs, nested] {
            let found = datatype::get(handle).expect("a type");
            let mut all = Vec::new();
            for item in 0..3 {
                found.runs(1, |at, stride, count, len| {
                    let stride = Stride { at: at + item * found.extent(), stride, count, len };
                    all.extend(byte_offsets(&[stride]));
                    true
                });
            }
            assert_eq!(all.len() as u64, found.packed_size(3), "{handle:?}");
            for bytes in 0..=all.len() {
                let cut = byte_offsets(&strides(&found, 3, bytes as u64));
                assert_eq!(cut, all[..bytes], "{handle:?}, {bytes} bytes");
            }
        }
    }

    #[test]
    fn a_vector_is_one_stride_however_long() {
        let long = make(|new| unsafe { Type_vector::<i64>(1_000_000, 1, 2, c::DOUBLE, new) });
        let found = datatype::get(long).expect("a type");
        let whole = Stride { at: 0, stride: 16, count: 1_000_000, len: 8 };
        assert_eq!(strides(&found, 1, found.size), [whole]);
    }

    #[test]
    fn a_pair_is_one_element_in_derived_types_too() {
        let check = |handle, expect| {
            assert_eq!(datatype::get(handle).expect("a type").element(), expect, "{handle:?}");
        };
        let of = |handle| make(|new| unsafe { Type_contiguous::<i64>(4, handle, new) });
        check(c::SHORT_INT, Some(Number::ShortInt));
        check(of(c::SHORT_INT), Some(Number::ShortInt));
        check(of(of(c::DOUBLE_INT)), Some(Number::DoubleInt));
        check(of(c::INT), Some(Number::I32));
    }
}
