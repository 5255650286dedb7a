//! Lists of events in shared storage: linked chunks of a few events.

use base::{grow, prefetch_all_at, prefetch_at, resident_bytes};

use crate::EventCode;

/// An event and its time.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub at: u64,
    pub code: EventCode,
}
const _: () = assert!(size_of::<Item>() == 16);

pub(crate) const NULL_EVENT: Item = Item { at: 0, code: EventCode(0) };

/// Events per prefetch block.
pub const PREFETCH_BLOCK: usize = 16;
/// Prefetch stages per block.
pub const PREFETCH_STAGES: usize = 6;
/// Items per chunk: two cache lines.
pub(crate) const CHUNK: usize = 8;
/// Items per page, which is filled and emptied sequentially: 16 cache lines.
pub(crate) const PAGE: usize = 64;
/// Items per cache line.
const LINE: usize = 64 / size_of::<Item>();
/// How many items ahead a slot of a page is prefetched: two cache lines. Pages exceed the caches,
/// and a store that misses delays all later stores.
const AHEAD: usize = 2 * LINE;
/// "No chunk".
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Chunk<const N: usize>([Item; N]);

/// A linked list of chunks. All but the last are full, so `count` gives the fill of the last.
#[derive(Clone, Copy)]
pub(crate) struct Bucket {
    pub first: u32,
    last: u32,
    pub count: u32,
}
pub(crate) const EMPTY: Bucket = Bucket { first: NONE, last: NONE, count: 0 };

/// All chunks of a queue, used and free.
pub(crate) struct Chunks<const N: usize> {
    items: Vec<Chunk<N>>,
    /// The next chunk in its bucket, or in the free list.
    next: Vec<u32>,
    free: u32,
}

impl<const N: usize> Chunks<N> {
    pub fn new() -> Self {
        Chunks { items: Vec::new(), next: Vec::new(), free: NONE }
    }
    /// All slots of a chunk, used or not.
    #[inline]
    pub fn items(&self, chunk: u32) -> [Item; N] {
        self.items[chunk as usize].0
    }
    #[inline]
    pub fn item(&self, chunk: u32, nth: usize) -> Item {
        self.items[chunk as usize].0[nth]
    }
    /// Appends to a bucket.
    #[inline]
    pub fn append(&mut self, bucket: &mut Bucket, item: Item) {
        let nth = bucket.count as usize % N;
        bucket.count += 1;
        if nth == 0 {
            return self.lengthen(bucket, item);
        }
        let items = &mut self.items[bucket.last as usize].0;
        items[nth] = item;
        if N == PAGE {
            prefetch_at(&items[..], (nth + AHEAD).min(N - 1));
        }
    }
    /// Appends where the last chunk is full. The tail call spares `append` a stack frame.
    #[inline(never)]
    fn lengthen(&mut self, bucket: &mut Bucket, item: Item) {
        let new = match self.free {
            NONE => {
                grow(&mut self.items);
                self.items.push(Chunk([NULL_EVENT; N]));
                grow(&mut self.next);
                self.next.push(NONE);
                self.items.len() as u32 - 1
            }
            free => std::mem::replace(&mut self.free, self.next[free as usize]),
        };
        match bucket.last {
            NONE => bucket.first = new,
            last => self.next[last as usize] = new,
        }
        bucket.last = new;
        let items = &mut self.items[new as usize].0;
        items[0] = item;
        if N == PAGE {
            prefetch_at(&items[..], LINE);
            prefetch_at(&items[..], AHEAD);
        }
    }
    /// Frees a chunk and returns the next one.
    pub fn free(&mut self, chunk: u32) -> u32 {
        let free = std::mem::replace(&mut self.free, chunk);
        std::mem::replace(&mut self.next[chunk as usize], free)
    }
    /// Moves the contents of a bucket to the end of `to`, in the order of pushes.
    #[inline]
    pub fn empty(&mut self, bucket: Bucket, to: &mut Vec<Item>) {
        let (mut left, mut chunk) = (bucket.count as usize, bucket.first);
        while left > 0 {
            let n = left.min(N);
            to.extend_from_slice(&self.items[chunk as usize].0[..n]);
            left -= n;
            chunk = self.free(chunk);
        }
    }
    /// Visits the contents of a bucket in the order of pushes.
    pub fn each(&self, bucket: Bucket, mut take: impl FnMut(Item)) {
        let (mut left, mut chunk) = (bucket.count as usize, bucket.first);
        while left > 0 {
            let n = left.min(N);
            self.items[chunk as usize].0[..n].iter().for_each(|&item| take(item));
            left -= n;
            chunk = self.next[chunk as usize];
        }
    }
    /// Prefetches the contents of a bucket.
    pub fn fetch(&self, bucket: Bucket) {
        let mut chunk = bucket.first;
        for _ in 0..(bucket.count as usize).div_ceil(N) {
            self.fetch_chunk(chunk);
            chunk = self.next[chunk as usize];
        }
    }
    /// Prefetches the lines of a bucket with contents.
    pub fn fetch_used(&self, bucket: Bucket) {
        let (mut left, mut chunk) = (bucket.count as usize, bucket.first);
        while left > 0 {
            let (n, items) = (left.min(N), &self.items[chunk as usize].0[..]);
            (0..n).step_by(LINE).for_each(|nth| prefetch_at(items, nth));
            left -= n;
            chunk = self.next[chunk as usize];
        }
    }
    /// Prefetches the chunk after this one, if any.
    #[inline]
    pub fn fetch_next(&self, chunk: u32) {
        self.fetch_chunk(self.next[chunk as usize]);
    }
    #[inline]
    fn fetch_chunk(&self, chunk: u32) {
        prefetch_all_at(&self.items, chunk as usize);
    }
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        resident_bytes(&self.items) + resident_bytes(&self.next)
    }
}
