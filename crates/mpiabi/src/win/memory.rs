//! Memory of windows that MPI allocates: blocks of this rank's arena, which the ranks of its node
//! can access.

use crate::runtime::{self, Held};

/// Reused blocks of this size or more are cleared by returning their pages to the kernel.
const LARGE: u64 = 1 << 16;
const PAGE: u64 = 4096;

/// A block of zeros; `None` if there is no room.
pub(super) fn allocate(held: &Held, bytes: u64) -> Option<u64> {
    let block = runtime::try_alloc(held, bytes)?;
    clear(held, block, bytes);
    runtime::record_window(held, bytes, true);
    Some(block)
}

/// Frees a block, and returns its pages to the kernel: a window may be large, and its block may not
/// be reused soon.
pub(super) fn free(held: &Held, block: u64, bytes: u64) {
    runtime::record_window(held, bytes, false);
    if bytes >= LARGE {
        clear(held, block, bytes);
    }
    runtime::free(held, block);
}

fn clear(held: &Held, block: u64, bytes: u64) {
    let first = block.next_multiple_of(PAGE);
    let last = (block + bytes) / PAGE * PAGE;
    let zero = |from: u64, to: u64| {
        // SAFETY: within the block, which only this rank uses now.
        unsafe { runtime::address(held, from).write_bytes(0, (to - from) as usize) };
    };
    if bytes < LARGE || !drop_pages(runtime::address(held, first), last - first) {
        return zero(block, block + bytes);
    }
    zero(block, first);
    zero(last, block + bytes);
}

/// Makes a hole in the segment, whose pages then read as zeros. Returns whether it succeeded.
fn drop_pages(at: *mut u8, bytes: u64) -> bool {
    // SAFETY: whole pages of a block that only this rank uses now. In a private mapping (a job of
    // one rank) this fails, and the block is overwritten instead.
    unsafe { libc::madvise(at.cast(), bytes as usize, libc::MADV_REMOVE) == 0 }
}
