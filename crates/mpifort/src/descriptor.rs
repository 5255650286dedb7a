//! Buffers with a descriptor, as gfortran passes them for `type(*), dimension(..)`. A section of an
//! array that is not contiguous becomes a contiguous copy for the time of a call, as the compiler
//! makes one where there is no descriptor.

use std::ffi::{c_int, c_void};

/// gfortran's own (`gfc_array_descriptor` of libgfortran.h, since version 9); a procedure without
/// `bind(C)` gets this one, not that of ISO_Fortran_binding.h.
#[repr(C)]
pub struct Descriptor {
    base: *mut u8,
    _offset: isize,
    /// Bytes of an element.
    element: usize,
    _version: c_int,
    rank: i8,
    _kind: i8,
    _attribute: i16,
    /// Bytes that the strides count.
    span: isize,
    dimensions: [Dimension; 15],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Dimension {
    stride: isize,
    lower: isize,
    upper: isize,
}
const _: () = assert!(std::mem::offset_of!(Descriptor, dimensions) == 40);

/// What the called function does with a buffer.
pub enum Use {
    /// Reads or writes it before it returns.
    Now,
    /// Goes on using it after that; the function's name.
    Kept(&'static str),
    /// Nothing: its address is all that counts.
    Place,
}

/// A buffer in one piece.
pub struct Section {
    base: *mut u8,
    /// The pieces of one that is not, and where they came from. Words are aligned for any type.
    copy: Option<(Vec<u128>, Pieces)>,
}

/// Elements in array element order: extents and strides in bytes, first dimension first.
struct Pieces {
    element: usize,
    dimensions: Vec<(usize, isize)>,
}

impl Pieces {
    /// # Safety
    /// A descriptor as gfortran makes it.
    unsafe fn of(descriptor: *const Descriptor) -> Pieces {
        let (element, span, rank) =
            unsafe { ((*descriptor).element, (*descriptor).span, (*descriptor).rank) };
        let span = if span == 0 { element as isize } else { span };
        let dimension = |i: usize| {
            // Only as many as it has are there.
            let at = unsafe { (&raw const (*descriptor).dimensions).cast::<Dimension>().add(i) };
            let d = unsafe { at.read() };
            let extent = usize::try_from(d.upper - d.lower + 1).unwrap_or(0);
            (extent, d.stride * span)
        };
        let dimensions = (0..usize::try_from(rank).unwrap_or(0)).map(dimension).collect();
        Pieces { element, dimensions }
    }
    /// Nothing is in one piece, too. Of an array of assumed size the last extent is unknown.
    fn is_contiguous(&self) -> bool {
        let mut expected = self.element as isize;
        let whole = self.dimensions.iter().all(|&(extent, stride)| {
            let fits = extent <= 1 || stride == expected;
            expected *= extent as isize;
            fits
        });
        whole || self.dimensions.iter().any(|d| d.0 == 0)
    }
    fn bytes(&self) -> usize {
        self.element * self.dimensions.iter().map(|d| d.0).product::<usize>()
    }
    /// # Safety
    /// The elements at `base` are readable.
    unsafe fn gathered(&self, base: *const u8) -> Vec<u128> {
        let mut copy = vec![0u128; self.bytes().div_ceil(size_of::<u128>())];
        let mut to = copy.as_mut_ptr().cast::<u8>();
        self.for_each(|offset| unsafe {
            std::ptr::copy_nonoverlapping(base.offset(offset), to, self.element);
            to = to.add(self.element);
        });
        copy
    }
    /// # Safety
    /// The elements at `base` are writable, and `copy` is as `gathered` makes it.
    unsafe fn scatter(&self, copy: &[u128], base: *mut u8) {
        let mut from = copy.as_ptr().cast::<u8>();
        self.for_each(|offset| unsafe {
            std::ptr::copy_nonoverlapping(from, base.offset(offset), self.element);
            from = from.add(self.element);
        });
    }
    /// Offsets of the elements in memory, in order.
    fn for_each(&self, mut each: impl FnMut(isize)) {
        let mut at = vec![0; self.dimensions.len()];
        let mut offset = 0;
        loop {
            each(offset);
            let mut i = 0;
            loop {
                let Some(&(extent, stride)) = self.dimensions.get(i) else { return };
                at[i] += 1;
                offset += stride;
                if at[i] < extent {
                    break;
                }
                offset -= stride * extent as isize;
                at[i] = 0;
                i += 1;
            }
        }
    }
}

impl Section {
    /// # Safety
    /// `descriptor` is of a buffer that the program passed.
    pub unsafe fn new(descriptor: *const Descriptor, how: Use) -> Section {
        let base = unsafe { (*descriptor).base };
        let pieces = unsafe { Pieces::of(descriptor) };
        if base.is_null() || matches!(how, Use::Place) || pieces.is_contiguous() {
            return Section { base, copy: None };
        }
        if let Use::Kept(name) = how {
            refuse(name);
        }
        let copy = unsafe { pieces.gathered(base) };
        Section { base, copy: Some((copy, pieces)) }
    }
    /// What is passed on.
    pub fn address(&mut self) -> *mut c_void {
        match &mut self.copy {
            Some((copy, _)) => copy.as_mut_ptr().cast(),
            None => self.base.cast(),
        }
    }
    /// Writes the copy's elements back.
    ///
    /// # Safety
    /// The buffer is writable.
    pub unsafe fn store(self) {
        if let Some((copy, pieces)) = self.copy {
            unsafe { pieces.scatter(&copy, self.base) };
        }
    }
}

/// Ends the job: a copy would be gone before the library is done with it.
fn refuse(name: &str) -> ! {
    unsafe extern "C" {
        fn MPI_Abort(comm: c_int, code: c_int) -> c_int;
    }
    eprintln!(
        "{name} keeps its buffer after it has returned, and was given a section of an array that \
         is not contiguous, so a copy that is gone by then (MPI_SUBARRAYS_SUPPORTED is false): \
         pass a datatype such as MPI_Type_vector makes"
    );
    unsafe { MPI_Abort(0x4400_0000, 1) }; // MPI_COMM_WORLD
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(base: *mut i32, dimensions: &[(isize, isize)]) -> Descriptor {
        let none = Dimension { stride: 0, lower: 1, upper: 0 };
        let mut all = [none; 15];
        for (to, &(extent, stride)) in all.iter_mut().zip(dimensions) {
            *to = Dimension { stride, lower: 1, upper: extent };
        }
        Descriptor {
            base: base.cast(),
            _offset: 0,
            element: 4,
            _version: 0,
            rank: dimensions.len() as i8,
            _kind: 1,
            _attribute: 0,
            span: 4,
            dimensions: all,
        }
    }

    #[test]
    fn what_is_in_one_piece_is_known() {
        let mut x = [0i32; 24];
        let mut is = |shape: &[(isize, isize)]| {
            let d = descriptor(x.as_mut_ptr(), shape);
            unsafe { Pieces::of(&d) }.is_contiguous()
        };
        // Also nothing at all, and one element however far the next would be.
        for shape in [&[][..], &[(24, 1)], &[(4, 1), (6, 4)], &[(3, 2), (0, 1)], &[(1, 7), (4, 1)]]
        {
            assert!(is(shape), "{shape:?}");
        }
        for shape in [&[(12, 2)][..], &[(3, 1), (6, 4)], &[(4, -1)]] {
            assert!(!is(shape), "{shape:?}");
        }
    }

    #[test]
    fn pieces_are_copied_in_array_element_order_and_back() {
        // a(4, 6): every second row of every third column, from the end of both.
        let mut x: Vec<i32> = (0..24).collect();
        let last = unsafe { x.as_mut_ptr().add(23) };
        let pieces = unsafe { Pieces::of(&descriptor(last, &[(2, -2), (2, -12)])) };
        let mut copy = unsafe { pieces.gathered(last.cast()) };
        let copied = copy.as_mut_ptr().cast::<i32>();
        let got: Vec<i32> = (0..4).map(|i| unsafe { *copied.add(i) }).collect();
        assert_eq!(got, [23, 21, 11, 9]);
        (0..4).for_each(|i| unsafe { *copied.add(i) = -(i as i32) - 1 });
        unsafe { pieces.scatter(&copy, last.cast()) };
        assert_eq!((x[23], x[21], x[11], x[9], x[22]), (-1, -2, -3, -4, 22));
    }
}
