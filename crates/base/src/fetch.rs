//! Asking for memory before it is needed.

const LINE: usize = 64;

/// Has the processor fetch the cache line in which `t` begins. Changes nothing but time.
#[inline]
pub fn prefetch<T>(t: &T) {
    prefetch_line(std::ptr::from_ref(t).cast());
}

/// The same for an item of a list. Beyond its end is an address like others, so nothing has to be
/// asked first, which no processor could guess.
#[inline]
pub fn prefetch_at<T>(items: &[T], at: usize) {
    prefetch_line(items.as_ptr().wrapping_add(at).cast());
}

/// The same for the lines of all of the item.
#[inline]
pub fn prefetch_all_at<T>(items: &[T], at: usize) {
    prefetch_first_at(items, at, size_of::<T>());
    // It may end in a line in which it neither begins nor has a whole step.
    if align_of::<T>() < LINE && size_of::<T>() > align_of::<T>() {
        let end = items.as_ptr().wrapping_add(at).cast::<u8>().wrapping_add(size_of::<T>() - 1);
        prefetch_line(end);
    }
}

/// The same for the lines of its first bytes.
#[inline]
pub fn prefetch_first_at<T>(items: &[T], at: usize, bytes: usize) {
    let start = items.as_ptr().wrapping_add(at).cast::<u8>();
    (0..bytes).step_by(LINE).for_each(|at| prefetch_line(start.wrapping_add(at)));
}

#[inline]
fn prefetch_line(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; no address it can be given makes it fail.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
