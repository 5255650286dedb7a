//! Room for the columns and arenas of whole machines: on large pages, and no more than is used.
//!
//! Of 180 MB that are read here and there, pages of 4 KiB would need 45,000 entries of a
//! processor's table of pages, which has some thousands. So the system is asked for large ones,
//! where there is one to ask, and before anything is written: what has small pages then keeps them.
//! Room that nobody has written to yet is addresses, not memory, so an arena may ask for plenty.
//! Nothing but time depends on what the system does.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};

/// What is smaller than a large page (2 MiB on x86-64, and mostly on ARM) is none.
const LARGE_PAGE: usize = 2 << 20;
const SMALL_PAGE: usize = 4 << 10;
/// Less than this behind the last large page lies on small ones: at most 384 of the thousands that
/// a processor's table of pages has, where a large one would be half a megabyte in use and the rest
/// in vain.
const MIN_LARGE_TAIL: usize = LARGE_PAGE / 4 * 3;
/// What is no shorter has glibc a mapping of its own for, whatever it has been given back before
/// (mallopt(3), M_MMAP_THRESHOLD: at most 32 MiB): zeros that lie among others' leavings would have
/// to be written, and on small pages. Room alone is addresses.
const MMAP_THRESHOLD: usize = 32 << 20;
/// Whether the system is asked for large pages.
const ADVISES_LARGE_PAGES: bool = cfg!(target_os = "linux");

/// `MADV_COLLAPSE` of madvise(2), from Linux 6.1 on: small pages become a large one.
#[cfg(target_os = "linux")]
const MADV_COLLAPSE: libc::c_int = 25;

/// An empty list with room for `n` items, or for as many more as fill its last large page.
pub fn with_capacity<T>(n: usize) -> Vec<T> {
    let wanted = n * size_of::<T>();
    let n = if wanted < LARGE_PAGE { n } else { rounded_bytes(wanted) / size_of::<T>() };
    let items = Vec::with_capacity(n);
    advise_large_pages(&items, wanted);
    items
}

/// A list of what an iterator gives that knows how much that is, in a room of its size.
pub fn packed<T>(items: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut all = with_capacity(items.len());
    all.extend(items);
    all
}

/// What is zero where all its bytes are.
///
/// # Safety
/// A value of it may be made of bytes that are all zero.
pub unsafe trait Zero: Copy {}
// SAFETY: integers, and wrappers of one.
unsafe impl Zero for u32 {}
unsafe impl Zero for u64 {}
unsafe impl Zero for crate::Time {}
unsafe impl Zero for crate::Span {}
unsafe impl Zero for (crate::Time, crate::Span) {}

/// What begins on a multiple of more has no zeros from the system (std::alloc::System, where words
/// are of 64 bits): they are written, better after large pages have been asked for.
const MAX_ZEROED_ALIGN: usize = 16;

/// A list of `n` zeros. Fresh from the system, those that nobody writes to are no memory.
pub fn zeros<T: Zero>(n: usize) -> Vec<T> {
    if align_of::<T>() > MAX_ZEROED_ALIGN {
        return write_zeros(with_capacity(n), n);
    }
    let items = sparse_zeros(n);
    advise_large_pages(&items, n * size_of::<T>());
    items
}

/// The same of zeros that few runs write to: on small pages, for of large ones the first is there
/// from the start.
pub fn sparse_zeros<T: Zero>(n: usize) -> Vec<T> {
    const { assert!(size_of::<T>() > 0) };
    let whole = Layout::array::<T>(n).expect("a column is shorter than memory");
    let wanted = whole.size();
    if align_of::<T>() > MAX_ZEROED_ALIGN {
        return write_zeros(Vec::with_capacity(n), n);
    }
    let room = if wanted < LARGE_PAGE {
        n
    } else {
        rounded_bytes(wanted.max(MMAP_THRESHOLD)) / size_of::<T>()
    };
    let layout = Layout::array::<T>(room).expect("a column is shorter than memory");
    if layout.size() == 0 {
        return Vec::new();
    }
    // SAFETY: the layout is that of a list with this room, which is not empty and no less than `n`,
    // and zero bytes are what `Zero` makes a value of.
    unsafe {
        let first = alloc_zeroed(layout);
        if first.is_null() {
            handle_alloc_error(layout);
        }
        Vec::from_raw_parts(first.cast(), n, room)
    }
}

fn write_zeros<T: Zero>(mut items: Vec<T>, n: usize) -> Vec<T> {
    // SAFETY: zero bytes are what `Zero` makes a value of.
    items.resize(n, unsafe { std::mem::zeroed() });
    items
}

/// So many bytes and as many more as fill their last large page: with what an allocator writes
/// before them they are whole large pages, which Linux then aligns.
fn rounded_bytes(wanted: usize) -> usize {
    (wanted + SMALL_PAGE).next_multiple_of(LARGE_PAGE) - SMALL_PAGE
}

/// Makes room in a full list for twice as many.
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

/// Bytes of memory of a list that has never been longer: the pages that have been written to. If
/// it ends a little behind a large page, it is taken to be as long as was wanted.
pub fn resident_bytes<T>(items: &Vec<T>) -> usize {
    let (used, room) = (items.len() * size_of::<T>(), items.capacity() * size_of::<T>());
    let is_small = !ADVISES_LARGE_PAGES || room < LARGE_PAGE || used % LARGE_PAGE < MIN_LARGE_TAIL;
    used.next_multiple_of(if is_small { SMALL_PAGE } else { LARGE_PAGE }).min(room)
}

#[cfg(target_os = "linux")]
fn advise_large_pages<T>(items: &Vec<T>, wanted: usize) {
    // Whole pages, or the system would cut in two what it may have to move when it grows.
    let begin = items.as_ptr() as usize / SMALL_PAGE * SMALL_PAGE;
    // Of 65,536 items of a line the end is a few bytes behind a large page, and would be one more.
    let end = match wanted % LARGE_PAGE {
        ..MIN_LARGE_TAIL => begin + wanted / LARGE_PAGE * LARGE_PAGE,
        _ => {
            let room = items.as_ptr() as usize + items.capacity() * size_of::<T>();
            (begin + SMALL_PAGE + wanted)
                .next_multiple_of(LARGE_PAGE)
                .min(room.next_multiple_of(SMALL_PAGE))
        }
    };
    if end - begin < LARGE_PAGE {
        return;
    }
    let advise = |at: usize, bytes: usize, advice| {
        // SAFETY: advice about how memory is mapped; what it holds stays, and a refusal is an
        // answer.
        unsafe { libc::madvise(at as *mut libc::c_void, bytes, advice) };
    };
    advise(begin, end - begin, libc::MADV_HUGEPAGE);
    // The allocator has written before the list, so the first page is a small one by now.
    if begin.is_multiple_of(LARGE_PAGE) {
        advise(begin, LARGE_PAGE, MADV_COLLAPSE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_large_pages<T>(_: &Vec<T>, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 65,536 lines and one more the last lies on a small page; of half as many again most of a
    /// large one is filled.
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

    /// Whatever their length and alignment, and on whichever pages.
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
