//! Room for the columns and arenas of whole machines: on large pages, and growing by little.
//!
//! Of 180 MB that are read here and there, pages of 4 KiB would need 45,000 entries of a
//! processor's table of pages, which has some thousands. So the system is asked for large ones,
//! where there is one to ask. Nothing but time depends on what it does.

/// What is smaller than a large page (2 MiB on x86-64, and mostly on ARM) is none.
const LARGE: usize = 2 << 20;

/// An empty list with room for `n` items.
pub fn with_room<T>(n: usize) -> Vec<T> {
    let items = Vec::with_capacity(n);
    want_large_pages(&items);
    items
}

/// Makes room in a full list: for twice as many, or where it is large for a 32nd more. Half of an
/// arena that has doubled may never be used.
#[inline]
pub fn grow<T>(items: &mut Vec<T>) {
    if items.len() == items.capacity() {
        grow_full(items);
    }
}

#[cold]
fn grow_full<T>(items: &mut Vec<T>) {
    let part = if items.len() * size_of::<T>() < LARGE { 1 } else { 32 };
    items.reserve_exact(items.len() / part + 16);
    want_large_pages(items);
}

#[cfg(target_os = "linux")]
fn want_large_pages<T>(items: &Vec<T>) {
    const PAGE: usize = 4 << 10;
    let begin = items.as_ptr() as usize;
    let end = begin + items.capacity() * size_of::<T>();
    if end - begin < LARGE {
        return;
    }
    // Whole pages, or the system would cut in two what it may have to move when it grows.
    let (begin, end) = (begin / PAGE * PAGE, end.next_multiple_of(PAGE));
    // SAFETY: advice about how memory is mapped; what it holds stays, and a refusal is an answer.
    unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn want_large_pages<T>(items: &Vec<T>) {
    let _ = (items, LARGE);
}
