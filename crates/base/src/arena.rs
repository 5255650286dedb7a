//! Allocation of large columns and arenas: on large pages, without committing unused memory.
//!
//! A column of 180 MB with random access would need 45,000 TLB entries with 4 KiB pages; a
//! processor has some thousands. So `madvise` requests large pages (Linux) before anything is
//! written, because written small pages stay small. Untouched capacity is address space, not
//! memory, so an arena may reserve generously. Only run time depends on what the system does.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

/// Size of a large page in bytes (2 MiB on x86-64, and mostly on ARM).
const LARGE_PAGE: usize = 2 << 20;
const SMALL_PAGE: usize = 4 << 10;
/// A tail shorter than this behind the last large page stays on small pages: at most 384 TLB
/// entries. A large page would hold half a megabyte of data or less.
const MIN_LARGE_TAIL: usize = LARGE_PAGE / 4 * 3;
/// From this size on, glibc allocates a mapping of its own (mallopt(3), M_MMAP_THRESHOLD: at most
/// 32 MiB). Smaller blocks may reuse freed memory, which must be zeroed, on small pages.
const MMAP_THRESHOLD: usize = 32 << 20;
/// Whether large pages are requested.
const ADVISES_LARGE_PAGES: bool = cfg!(target_os = "linux");

/// `MADV_COLLAPSE` of madvise(2), since Linux 6.1: merges small pages into a large one.
#[cfg(target_os = "linux")]
const MADV_COLLAPSE: libc::c_int = 25;

/// An empty list with capacity for `n` items, rounded up to fill its last large page.
pub fn with_capacity<T>(n: usize) -> Vec<T> {
    let requested = n * size_of::<T>();
    let n = if requested < LARGE_PAGE { n } else { rounded_bytes(requested) / size_of::<T>() };
    let items = Vec::with_capacity(n);
    advise_large_pages(&items, requested);
    items
}

/// Collects an iterator of known length into a list of that capacity.
pub fn packed<T>(items: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut all = with_capacity(items.len());
    all.extend(items);
    all
}

/// Types whose all-zero byte pattern is a valid value.
///
/// # Safety
/// All bytes zero must be a valid value of the type.
pub unsafe trait Zero: Copy {}
// SAFETY: integers, and wrappers of one integer.
unsafe impl Zero for u32 {}
unsafe impl Zero for u64 {}
unsafe impl Zero for crate::Time {}
unsafe impl Zero for crate::Span {}
unsafe impl Zero for (crate::Time, crate::Span) {}

/// `std::alloc::System` has no zeroed pages for larger alignments (64-bit words). Those lists are
/// written explicitly, after large pages have been requested.
const MAX_ZEROED_ALIGN: usize = 16;

/// A list of `n` zeros. Pages that are never written use no memory.
pub fn zeros<T: Zero>(n: usize) -> Vec<T> {
    if align_of::<T>() > MAX_ZEROED_ALIGN {
        return write_zeros(with_capacity(n), n);
    }
    let items = sparse_zeros(n);
    advise_large_pages(&items, n * size_of::<T>());
    items
}

/// A list of `n` zeros of which few are written. It stays on small pages, because the first large
/// page would be committed at once.
pub fn sparse_zeros<T: Zero>(n: usize) -> Vec<T> {
    const { assert!(size_of::<T>() > 0) };
    let whole = Layout::array::<T>(n).expect("a column is shorter than memory");
    let requested = whole.size();
    if align_of::<T>() > MAX_ZEROED_ALIGN {
        return write_zeros(Vec::with_capacity(n), n);
    }
    let room = if requested < LARGE_PAGE {
        n
    } else {
        rounded_bytes(requested.max(MMAP_THRESHOLD)) / size_of::<T>()
    };
    let layout = Layout::array::<T>(room).expect("a column is shorter than memory");
    if layout.size() == 0 {
        return Vec::new();
    }
    // SAFETY: the layout is that of a list with this capacity. It is not empty and at least `n`,
    // and `Zero` guarantees that zero bytes are a value.
    unsafe {
        let first = alloc_zeroed(layout);
        if first.is_null() {
            handle_alloc_error(layout);
        }
        Vec::from_raw_parts(first.cast(), n, room)
    }
}

fn write_zeros<T: Zero>(mut items: Vec<T>, n: usize) -> Vec<T> {
    // SAFETY: `Zero` guarantees that zero bytes are a value.
    items.resize(n, unsafe { std::mem::zeroed() });
    items
}

/// Rounds up so that the block fills its last large page, including the allocator's header before
/// it. Linux then aligns it to large pages.
fn rounded_bytes(requested: usize) -> usize {
    (requested + SMALL_PAGE).next_multiple_of(LARGE_PAGE) - SMALL_PAGE
}

/// Doubles the capacity of a full list.
#[inline]
pub fn grow<T>(items: &mut Vec<T>) {
    if items.len() == items.capacity() {
        grow_cold(items);
    }
}

#[cold]
fn grow_cold<T>(items: &mut Vec<T>) {
    let mut more = with_capacity(2 * items.len() + 16);
    more.append(items);
    *items = more;
}

/// Resident bytes of a list that has never been longer: the pages that have been written. A tail a
/// little behind a large page counts as small pages.
pub fn resident_bytes<T>(items: &Vec<T>) -> usize {
    let (used, room) = (items.len() * size_of::<T>(), items.capacity() * size_of::<T>());
    let is_small = !ADVISES_LARGE_PAGES || room < LARGE_PAGE || used % LARGE_PAGE < MIN_LARGE_TAIL;
    used.next_multiple_of(if is_small { SMALL_PAGE } else { LARGE_PAGE }).min(room)
}

#[cfg(target_os = "linux")]
fn advise_large_pages<T>(items: &Vec<T>, requested: usize) {
    // Whole pages, otherwise the kernel splits a mapping that it may have to move.
    let begin = items.as_ptr() as usize / SMALL_PAGE * SMALL_PAGE;
    // With 65,536 cache lines the end lies a few bytes behind a large page, which would need one
    // more.
    let end = match requested % LARGE_PAGE {
        ..MIN_LARGE_TAIL => begin + requested / LARGE_PAGE * LARGE_PAGE,
        _ => {
            let room = items.as_ptr() as usize + items.capacity() * size_of::<T>();
            (begin + SMALL_PAGE + requested)
                .next_multiple_of(LARGE_PAGE)
                .min(room.next_multiple_of(SMALL_PAGE))
        }
    };
    if end - begin < LARGE_PAGE {
        return;
    }
    let advise = |at: usize, bytes: usize, advice| {
        // SAFETY: advice on the mapping of memory; its contents stay, and a failure is harmless.
        unsafe { libc::madvise(at as *mut libc::c_void, bytes, advice) };
    };
    advise(begin, end - begin, libc::MADV_HUGEPAGE);
    // The allocator has written its header before the list, so the first page is small already.
    if begin.is_multiple_of(LARGE_PAGE) {
        advise(begin, LARGE_PAGE, MADV_COLLAPSE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_large_pages<T>(_: &Vec<T>, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// 65,537 cache lines: the last one is on a small page. 98,000 lines: most of a large page is
    /// used.
    #[test]
    fn a_short_tail_uses_small_pages() {
        let of_lines = |n: usize| {
            let mut lines: Vec<[u8; 64]> = with_capacity(n);
            lines.resize(n, [1; 64]);
            resident_bytes(&lines)
        };
        assert_eq!(of_lines(1), 64);
        assert_eq!(of_lines(65_537), 2 * LARGE_PAGE + SMALL_PAGE);
        if ADVISES_LARGE_PAGES {
            assert_eq!(of_lines(98_000), 3 * LARGE_PAGE - SMALL_PAGE);
        }
    }

    /// For every length, alignment and page size.
    #[test]
    fn zeros_have_the_requested_length() {
        #[derive(Clone, Copy)]
        #[repr(align(64))]
        struct Line(u64);
        // SAFETY: an integer.
        unsafe impl Zero for Line {}
        for n in [0, 1, 1000, LARGE_PAGE / 8 - 1, LARGE_PAGE / 8, 500_000] {
            for words in [zeros::<u64>(n), sparse_zeros(n)] {
                assert!(words.len() == n && words.iter().all(|&word| word == 0), "{n}");
            }
            for lines in [zeros::<Line>(n / 8), sparse_zeros(n / 8)] {
                assert!(lines.len() == n / 8 && lines.iter().all(|line| line.0 == 0), "{n}");
            }
        }
    }
}
