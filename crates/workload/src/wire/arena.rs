//! The allocator for the blocks of a rank's arena: payloads of messages, working buffers.

use super::Segment;
use std::sync::atomic::Ordering;

/// Header of every block; the block's offset points behind it.
#[repr(C)]
struct Block {
    owner: u32,
    /// Capacity is `64 << class`.
    class: u32,
    /// Next block in its list.
    next: u64,
    _pad: [u64; 6],
}
const BLOCK_BYTES: u64 = size_of::<Block>() as u64;

/// A rank's allocator for its arena. Only the owner allocates; any process may return blocks.
pub struct Arena {
    segment: Segment,
    rank: u32,
    fresh: u64,
    end: u64,
    /// Free blocks by size class.
    free: [u64; 40],
}

impl Arena {
    /// # Safety
    /// The header has been written, and this is the only arena of `rank`.
    pub unsafe fn new(segment: Segment, rank: u32) -> Arena {
        let region = unsafe { segment.region(rank) };
        let layout = unsafe { segment.layout() };
        Arena {
            segment,
            rank,
            fresh: region + layout.arena_at(),
            end: region + layout.stride,
            free: [0; 40],
        }
    }
    /// Offset of a block of at least `bytes`, 64-byte aligned, contents undefined. `None` if the
    /// arena is full.
    pub fn alloc(&mut self, bytes: u64) -> Option<u64> {
        let class = bytes.div_ceil(64).max(1).next_power_of_two().ilog2();
        if class as usize >= self.free.len() {
            return None;
        }
        if self.free[class as usize] == 0 {
            self.take_returned();
        }
        let head = self.free[class as usize];
        if head != 0 {
            self.free[class as usize] = unsafe { (*block(self.segment, head)).next };
            return Some(head);
        }
        let need = BLOCK_BYTES + (64u64 << class);
        if self.end - self.fresh < need {
            return None;
        }
        let at = self.fresh + BLOCK_BYTES;
        self.fresh += need;
        // SAFETY: within this rank's own, so far unused, stretch of the arena.
        unsafe {
            block(self.segment, at).write(Block { owner: self.rank, class, next: 0, _pad: [0; 6] });
        }
        Some(at)
    }
    /// Takes all blocks that others have returned. The owner takes the whole stack at once, so
    /// there is no ABA problem.
    fn take_returned(&mut self) {
        let control = unsafe { self.segment.control(self.rank) };
        let mut at = unsafe { (*control).returned.swap(0, Ordering::Acquire) };
        while at != 0 {
            let b = block(self.segment, at);
            let (class, next) = unsafe { ((*b).class as usize, (*b).next) };
            unsafe { (*b).next = self.free[class] };
            self.free[class] = at;
            at = next;
        }
    }
}

fn block(segment: Segment, at: u64) -> *mut Block {
    segment.ptr(at - BLOCK_BYTES).cast()
}

/// Returns a block to its owner, from any process.
///
/// # Safety
/// `at` came from an `Arena` of this segment, and is not used afterwards.
pub unsafe fn return_block(segment: Segment, at: u64) {
    let b = block(segment, at);
    let returned = unsafe { &(*segment.control((*b).owner)).returned };
    let mut head = returned.load(Ordering::Relaxed);
    loop {
        unsafe { (*b).next = head };
        match returned.compare_exchange_weak(head, at, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => head = now,
        }
    }
}
