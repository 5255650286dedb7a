//! Buffers with a descriptor, as gfortran passes them for `type(*), dimension(..)`. A noncontiguous
//! array section is copied for the duration of a call, as a compiler does without a descriptor.

use std::ffi::{c_int, c_void};

/// gfortran's descriptor (`gfc_array_descriptor` of libgfortran.h, since version 9). A procedure
/// without `bind(C)` receives this one, not that of ISO_Fortran_binding.h.
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
    /// Unit of the strides, in bytes.
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

/// How the called function uses a buffer.
pub enum BufferUse {
    /// Accesses it before it returns.
    DuringCall,
    /// Accesses it after it has returned; the function's name.
    AfterCall(&'static str),
    /// Uses its address only.
    AddressOnly,
}

/// A contiguous buffer.
pub struct Section {
    base: *mut u8,
    /// A copy of a noncontiguous section, and its layout. `u128` is aligned for any type.
    copy: Option<(Vec<u128>, StridedElements)>,
}

/// Layout of a section: extents and strides in bytes, first dimension first.
struct StridedElements {
    element: usize,
    dimensions: Vec<(usize, isize)>,
}

impl StridedElements {
    /// # Safety
    /// A descriptor as gfortran makes it.
    unsafe fn of(descriptor: *const Descriptor) -> StridedElements {
        let (element, span, rank) =
            unsafe { ((*descriptor).element, (*descriptor).span, (*descriptor).rank) };
        let span = if span == 0 { element as isize } else { span };
        let dimension = |i: usize| {
            // Only `rank` dimensions are present.
            let at = unsafe { (&raw const (*descriptor).dimensions).cast::<Dimension>().add(i) };
            let d = unsafe { at.read() };
            let extent = usize::try_from(d.upper - d.lower + 1).unwrap_or(0);
            (extent, d.stride * span)
        };
        let dimensions = (0..usize::try_from(rank).unwrap_or(0)).map(dimension).collect();
        StridedElements { element, dimensions }
    }
    /// Also true of an empty section. The last extent of an assumed-size array is unknown.
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
    pub unsafe fn new(descriptor: *const Descriptor, how: BufferUse) -> Section {
        let base = unsafe { (*descriptor).base };
        let elements = unsafe { StridedElements::of(descriptor) };
        if base.is_null() || matches!(how, BufferUse::AddressOnly) || elements.is_contiguous() {
            return Section { base, copy: None };
        }
        if let BufferUse::AfterCall(name) = how {
            refuse(name);
        }
        let copy = unsafe { elements.gathered(base) };
        Section { base, copy: Some((copy, elements)) }
    }
    /// The address that is passed on.
    pub fn address(&mut self) -> *mut c_void {
        match &mut self.copy {
            Some((copy, _)) => copy.as_mut_ptr().cast(),
            None => self.base.cast(),
        }
    }
    /// Writes the elements of the copy back.
    ///
    /// # Safety
    /// The buffer is writable.
    pub unsafe fn store(self) {
        if let Some((copy, elements)) = self.copy {
            unsafe { elements.scatter(&copy, self.base) };
        }
    }
}

/// Ends the job: the copy would be freed while the library still uses it.
fn refuse(name: &str) -> ! {
    unsafe extern "C" {
        fn MPI_Abort(comm: c_int, code: c_int) -> c_int;
    }
    eprintln!(
        "{name} uses its buffer after it has returned, and was given a noncontiguous array \
         section, of which only a temporary copy exists (MPI_SUBARRAYS_SUPPORTED is false): \
         pass a datatype, for example of MPI_Type_vector"
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
    fn contiguous_sections_are_recognized() {
        let mut x = [0i32; 24];
        let mut is = |shape: &[(isize, isize)]| {
            let d = descriptor(x.as_mut_ptr(), shape);
            unsafe { StridedElements::of(&d) }.is_contiguous()
        };
        // Also an empty section, and a single element with any stride.
        for shape in [&[][..], &[(24, 1)], &[(4, 1), (6, 4)], &[(3, 2), (0, 1)], &[(1, 7), (4, 1)]]
        {
            assert!(is(shape), "{shape:?}");
        }
        for shape in [&[(12, 2)][..], &[(3, 1), (6, 4)], &[(4, -1)]] {
            assert!(!is(shape), "{shape:?}");
        }
    }

    #[test]
    fn sections_are_copied_in_array_element_order_and_back() {
        // a(4, 6): every second row of every third column, from the end of both.
        let mut x: Vec<i32> = (0..24).collect();
        let last = unsafe { x.as_mut_ptr().add(23) };
        let elements = unsafe { StridedElements::of(&descriptor(last, &[(2, -2), (2, -12)])) };
        let mut copy = unsafe { elements.gathered(last.cast()) };
        let copied = copy.as_mut_ptr().cast::<i32>();
        let got: Vec<i32> = (0..4).map(|i| unsafe { *copied.add(i) }).collect();
        assert_eq!(got, [23, 21, 11, 9]);
        (0..4).for_each(|i| unsafe { *copied.add(i) = -(i as i32) - 1 });
        unsafe { elements.scatter(&copy, last.cast()) };
        assert_eq!((x[23], x[21], x[11], x[9], x[22]), (-1, -2, -3, -4, 22));
    }
}
