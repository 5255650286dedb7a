//! Asking for memory before it is needed.

/// Has the processor fetch the first cache line of `t`. Changes nothing but time.
#[inline]
pub fn prefetch<T>(t: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; no address it can be given makes it fail.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(t).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = t;
}
