//! Memory of windows that MPI allocates: blocks of this rank's arena, where the ranks of its node
//! can see them.

use crate::runtime::{self, Held};

/// Recycled blocks from this size on go back to the kernel instead of being written over.
const LARGE: u64 = 1 << 16;
const PAGE: u64 = 4096;

/// A block of zeros, as fresh memory of the kernel's would be; `None` if there is no room.
pub(super) fn allocate(held: &Held, bytes: u64) -> Option<u64> {
    let block = runtime::try_alloc(held, bytes)?;
    clear(held, block, bytes);
    runtime::record_window(held, bytes, true);
    Some(block)
}

/// Gives a block back, and its pages to the kernel: a window may be large, and its block may wait
/// long for the next of its size.
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
        // SAFETY: within the block, which is this rank's alone now.
        unsafe { runtime::address(held, from).write_bytes(0, (to - from) as usize) };
    };
    if bytes < LARGE || !drop_pages(runtime::address(held, first), last - first) {
        return zero(block, block + bytes);
    }
    zero(block, first);
    zero(last, block + bytes);
}

/// Makes a hole in the segment: its pages read as zeros again. Whether that worked.
fn drop_pages(at: *mut u8, bytes: u64) -> bool {
    // SAFETY: whole pages of a block that is this rank's alone now. A private mapping (a job of
    // one) has no hole to make, and is written over instead.
    unsafe { libc::madvise(at.cast(), bytes as usize, libc::MADV_REMOVE) == 0 }
}
