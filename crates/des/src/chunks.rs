//! Lists of events that share one room: chunks of a few, and which comes after which.

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

/// Items of a chunk: two cache lines.
pub(crate) const CHUNK: usize = 8;
/// Of a page, which is filled and emptied from one end to the other: 16 lines.
pub(crate) const PAGE: usize = 64;
/// Items of a cache line.
const LINE: usize = 64 / size_of::<Item>();
/// How many items before its turn a place of a page is fetched, two lines: pages lie beyond the
/// caches, and a store that has to wait for its line holds up those behind it.
const AHEAD: usize = 2 * LINE;
/// "No chunk".
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Chunk<const N: usize>([Item; N]);

/// A list of chunks. All but the last are full, so the count tells how full that one is.
#[derive(Clone, Copy)]
pub(crate) struct Bucket {
    pub first: u32,
    last: u32,
    pub count: u32,
}
pub(crate) const EMPTY: Bucket = Bucket { first: NONE, last: NONE, count: 0 };

/// All chunks of a queue, those in use and those that are free.
pub(crate) struct Chunks<const N: usize> {
    items: Vec<Chunk<N>>,
    /// The chunk after it in its bucket, or in the list of free ones.
    next: Vec<u32>,
    free: u32,
}

impl<const N: usize> Chunks<N> {
    pub fn new() -> Self {
        Chunks { items: Vec::new(), next: Vec::new(), free: NONE }
    }
    /// All places of a chunk, whether they hold anything or not.
    #[inline]
    pub fn items(&self, chunk: u32) -> [Item; N] {
        self.items[chunk as usize].0
    }
    #[inline]
    pub fn item(&self, chunk: u32, nth: usize) -> Item {
        self.items[chunk as usize].0[nth]
    }
    /// Adds to the end of a bucket.
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
    /// The same where the last chunk is full. Its being the last call spares `append` a frame.
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
    /// Gives a chunk back, and says which came after it.
    pub fn free(&mut self, chunk: u32) -> u32 {
        let free = std::mem::replace(&mut self.free, chunk);
        std::mem::replace(&mut self.next[chunk as usize], free)
    }
    /// Moves what a bucket holds to the end of `to`, in the order of pushes.
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
    /// What a bucket holds, in the order of pushes.
    pub fn each(&self, bucket: Bucket, mut take: impl FnMut(Item)) {
        let (mut left, mut chunk) = (bucket.count as usize, bucket.first);
        while left > 0 {
            let n = left.min(N);
            self.items[chunk as usize].0[..n].iter().for_each(|&item| take(item));
            left -= n;
            chunk = self.next[chunk as usize];
        }
    }
    /// Has the processor fetch what a bucket holds.
    pub fn fetch(&self, bucket: Bucket) {
        let mut chunk = bucket.first;
        for _ in 0..(bucket.count as usize).div_ceil(N) {
            self.fetch_chunk(chunk);
            chunk = self.next[chunk as usize];
        }
    }
    /// Has the processor fetch the chunk after this one, whether there is one or not.
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
