//! Software prefetch of cache lines.

const LINE: usize = 64;

/// Prefetches the cache line in which `t` begins. Affects only run time.
#[inline]
pub fn prefetch<T>(t: &T) {
    prefetch_line(std::ptr::from_ref(t).cast());
}

/// Prefetches the first cache line of item `at` of a list.
#[inline]
pub fn prefetch_at<T>(items: &[T], at: usize) {
    debug_assert!(at < items.len(), "{at} of {}", items.len());
    prefetch_line(items.as_ptr().wrapping_add(at).cast());
}

/// Prefetches all cache lines of item `at`. Any index is allowed: an index beyond the end is
/// replaced by the end, without a branch, which would be unpredictable.
#[inline]
pub fn prefetch_all_at<T>(items: &[T], at: usize) {
    prefetch_first_at(items, at, size_of::<T>());
    // The item may end in a line in which neither its start nor a full step lies.
    if align_of::<T>() < LINE && size_of::<T>() > align_of::<T>() {
        prefetch_line(address(items, at).wrapping_add(size_of::<T>() - 1));
    }
}

/// Prefetches the first `bytes` of item `at`.
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
    // SAFETY: a hint; no address makes it fail.
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

    /// Unused ids may be prefetched too.
    #[test]
    fn out_of_range_prefetch_is_harmless() {
        for at in [0, 1, 2, 1 << 40, usize::MAX] {
            prefetch_all_at::<[u8; 100]>(&[], at);
            prefetch_all_at(&[[0u8; 100]; 2], at);
            prefetch_first_at(&[0u64; 2], at, 300);
        }
    }
}
