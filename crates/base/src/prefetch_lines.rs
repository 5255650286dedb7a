//! Asking for memory before it is needed.

const LINE: usize = 64;

/// Has the processor fetch the cache line in which `t` begins. Changes nothing but time.
#[inline]
pub fn prefetch<T>(t: &T) {
    prefetch_line(std::ptr::from_ref(t).cast());
}

/// The same for an item of a list.
#[inline]
pub fn prefetch_at<T>(items: &[T], at: usize) {
    debug_assert!(at < items.len(), "{at} of {}", items.len());
    prefetch_line(items.as_ptr().wrapping_add(at).cast());
}

/// The same for the lines of all of an item. `at` may be anything: whatever is beyond the end is
/// taken for the end, and nobody branches on it, which no processor could guess.
#[inline]
pub fn prefetch_all_at<T>(items: &[T], at: usize) {
    prefetch_first_at(items, at, size_of::<T>());
    // It may end in a line in which it neither begins nor has a whole step.
    if align_of::<T>() < LINE && size_of::<T>() > align_of::<T>() {
        prefetch_line(address(items, at).wrapping_add(size_of::<T>() - 1));
    }
}

/// The same for the lines of its first bytes.
#[inline]
pub(crate) fn prefetch_first_at<T>(items: &[T], at: usize, bytes: usize) {
    let start = address(items, at);
    (0..bytes).step_by(LINE).for_each(|at| prefetch_line(start.wrapping_add(at)));
}

#[inline]
fn address<T>(items: &[T], at: usize) -> *const u8 {
    items.as_ptr().wrapping_add(at.min(items.len())).cast()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids that name nothing are asked for as well.
    #[test]
    fn out_of_range_prefetch_is_harmless() {
        for at in [0, 1, 2, 1 << 40, usize::MAX] {
            prefetch_all_at::<[u8; 100]>(&[], at);
            prefetch_all_at(&[[0u8; 100]; 2], at);
            prefetch_first_at(&[0u64; 2], at, 300);
        }
    }
}
