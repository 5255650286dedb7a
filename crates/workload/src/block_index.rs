//! The index of blocks of simulated files that are not in the files themselves. Programs such as
//! I/O benchmarks write the same buffer many times. From the second time on, its blocks are stored
//! once, in a file of contents, and the backing file has holes in their place.
//!
//! All processes of the job share the index; the simulator creates it in memory, zeroed. The
//! preload library (`crates/posix`) adds and removes blocks. The simulator (`crates/live`) removes
//! those of files that it truncates or creates. This module has no I/O.
//!
//! A block is known by the inode of its file and its number. The blocks of a file lie below its
//! end. Real file systems use the number of a deleted inode again, so a new file is forgotten
//! (`forget`) before its first use.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Size of a block, in bytes. The smallest for which the index of 8 TiB fits into memory (4 bytes
/// per block), because programs repeat buffers of any size.
pub const BLOCK: usize = 64 << 10;

/// Environment variables with the paths of the index and of the contents.
pub const ENV_INDEX: &str = "ODONATA_BLOCK_INDEX";
pub const ENV_CONTENTS: &str = "ODONATA_BLOCK_CONTENTS";

/// Blocks of a record: 64 MiB of a file.
const PART: usize = 1024;
/// For 8 TiB in full records.
const RECORDS: usize = 1 << 17;
/// Most records that are compared for one that is sought.
const PROBES: usize = 64;
/// Hashes of recent blocks.
const RECENT: usize = 1 << 18;
/// Hashes of contents, of which at most a half are used.
const HASHES: usize = 1 << 17;
/// Largest number of contents: 4 GiB.
pub const MAX_CONTENTS: u32 = 1 << 16;

/// Blocks of one part of a file.
#[repr(C)]
struct Record {
    inode: AtomicU64,
    part: AtomicU32,
    is_used: AtomicU32,
    /// The record of part 0 has these of the file: the number of its blocks here, of its parts, and
    /// whether it gets no more blocks, because others use its backing file.
    count: AtomicU32,
    parts: AtomicU32,
    is_plain: AtomicU32,
    lock: AtomicU32,
    /// Number of the content plus 1; 0: the block is in the backing file.
    blocks: [AtomicU32; PART],
}

#[repr(C)]
pub struct BlockIndex {
    /// Number of contents that fit, and that exist or are being written.
    capacity: AtomicU32,
    contents: AtomicU32,
    /// Number of records. `is_full`: one did not fit, so no block is added any more.
    records_used: AtomicU32,
    is_full: AtomicU32,
    lock: AtomicU32,
    _pad: AtomicU32,
    /// By hash of inode and content: the other bits of the hash.
    recent: [AtomicU32; RECENT],
    /// Upper half: bits of a content's hash. Lower half: the content's number plus 1.
    hashes: [AtomicU64; HASHES],
    records: [Record; RECORDS],
}

/// The thread that uses the index.
pub trait Thread {
    /// Its number, not 0, as that of all threads of the computer.
    fn number(&self) -> u32;
    fn is_alive(&self, number: u32) -> bool;
    /// Lets other threads run.
    fn pause(&self);
}

/// Takes a lock whose holder may be killed. What it protects is valid at each instant.
fn with_lock<R>(lock: &AtomicU32, thread: &impl Thread, work: impl FnOnce() -> R) -> R {
    let own = thread.number();
    while let Err(holder) = lock.compare_exchange(0, own, Acquire, Relaxed) {
        let is_dead = holder != 0 && !thread.is_alive(holder);
        if is_dead && lock.compare_exchange(holder, own, Acquire, Relaxed).is_ok() {
            break;
        }
        thread.pause();
    }
    let result = work();
    lock.store(0, Release);
    result
}

fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (value ^ value >> 29).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

/// A hash of a block. Contents are compared as well, so it need not be secure.
pub fn hash(block: &[u8]) -> u64 {
    let mut lanes = [1_u64, 2, 3, 4];
    for words in block.chunks_exact(32) {
        for (lane, word) in lanes.iter_mut().zip(words.chunks_exact(8)) {
            let word = u64::from_ne_bytes(word.try_into().expect("eight bytes"));
            *lane = (*lane ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }
    lanes.iter().fold(0, |sum, lane| mix(sum ^ lane))
}

impl BlockIndex {
    /// Called once, by the simulator: at most this number of contents fit on the disk.
    pub fn limit(&self, contents: u64) {
        let contents = contents.min(u64::from(MAX_CONTENTS)) as u32;
        self.capacity.store(contents, Release);
    }

    fn find(&self, inode: u64, part: u32) -> Option<&Record> {
        let start = mix(inode ^ mix(u64::from(part) + 1)) as usize;
        for probe in 0..PROBES {
            let record = &self.records[(start + probe) % RECORDS];
            if record.is_used.load(Acquire) == 0 {
                return None;
            }
            if record.inode.load(Relaxed) == inode && record.part.load(Relaxed) == part {
                return Some(record);
            }
        }
        None
    }

    /// The record of a part of a file, which is made if it does not exist and fits.
    fn find_or_make(&self, inode: u64, part: u32, thread: &impl Thread) -> Option<&Record> {
        if let Some(found) = self.find(inode, part) {
            return Some(found);
        }
        with_lock(&self.lock, thread, || {
            let start = mix(inode ^ mix(u64::from(part) + 1)) as usize;
            let mut slots = (0..PROBES).map(|probe| &self.records[(start + probe) % RECORDS]);
            let is_own =
                |r: &Record| r.inode.load(Relaxed) == inode && r.part.load(Relaxed) == part;
            let found = slots.find(|r| r.is_used.load(Acquire) == 0 || is_own(r));
            let Some(record) = found else {
                self.is_full.store(1, Relaxed);
                return None;
            };
            if record.is_used.load(Acquire) == 0 {
                record.inode.store(inode, Relaxed);
                record.part.store(part, Relaxed);
                record.is_used.store(1, Release);
                self.records_used.fetch_add(1, Relaxed);
            }
            Some(record)
        })
    }

    /// The record of a file, which is that of its first part.
    fn file(&self, inode: u64) -> Option<&Record> {
        if self.records_used.load(Acquire) == 0 { None } else { self.find(inode, 0) }
    }

    /// Number of blocks of a file that are not in its backing file.
    pub fn count(&self, inode: u64) -> u32 {
        self.file(inode).map_or(0, |file| file.count.load(Acquire))
    }

    /// Whether blocks of a file may be added.
    pub fn accepts(&self, inode: u64) -> bool {
        self.is_full.load(Relaxed) == 0
            && self.capacity.load(Acquire) > 0
            && self.file(inode).is_none_or(|file| file.is_plain.load(Acquire) == 0)
    }

    /// The content of a block that is not in the backing file.
    pub fn content(&self, inode: u64, block: u64) -> Option<u32> {
        let record = self.find(inode, (block / PART as u64) as u32)?;
        record.blocks[block as usize % PART].load(Acquire).checked_sub(1)
    }

    /// Whether this content was written to this file recently; from now on it was.
    pub fn was_written(&self, inode: u64, hash: u64) -> bool {
        let mixed = mix(hash ^ mix(inode));
        let tag = (mixed >> 32) as u32 | 1;
        let slot = &self.recent[mixed as usize % RECENT];
        let found = slot.load(Relaxed) == tag;
        if !found {
            slot.store(tag, Relaxed);
        }
        found
    }

    /// A content with this hash for which `is_equal`.
    pub fn find_content(&self, hash: u64, is_equal: impl Fn(u32) -> bool) -> Option<u32> {
        for probe in 0..PROBES {
            let entry = self.hashes[(hash as usize + probe) % HASHES].load(Acquire);
            if entry == 0 {
                return None;
            }
            let number = entry as u32 - 1;
            if entry >> 32 == hash >> 32 && is_equal(number) {
                return Some(number);
            }
        }
        None
    }

    /// The number of a new content, if one more fits. Its data are to be written before `publish`.
    pub fn new_content(&self) -> Option<u32> {
        let number = self.contents.fetch_add(1, Relaxed);
        if number < self.capacity.load(Acquire) {
            return Some(number);
        }
        self.contents.fetch_sub(1, Relaxed);
        None
    }

    /// The data of a new content are complete.
    pub fn publish(&self, hash: u64, number: u32) {
        let entry = hash >> 32 << 32 | u64::from(number + 1);
        for probe in 0..PROBES {
            let slot = &self.hashes[(hash as usize + probe) % HASHES];
            if slot.compare_exchange(0, entry, Release, Relaxed).is_ok() {
                return;
            }
        }
    }

    /// From now on the block is not in the backing file. `false` if the index is full.
    pub fn add(&self, inode: u64, block: u64, content: u32, thread: &impl Thread) -> bool {
        let part = (block / PART as u64) as u32;
        let Some(file) = self.find_or_make(inode, 0, thread) else { return false };
        let Some(record) = self.find_or_make(inode, part, thread) else { return false };
        file.parts.fetch_max(part + 1, AcqRel);
        let before = record.blocks[block as usize % PART].swap(content + 1, AcqRel);
        if before == 0 {
            file.count.fetch_add(1, AcqRel);
        }
        true
    }

    /// From now on the block is in the backing file.
    pub fn remove(&self, inode: u64, block: u64) {
        let Some(record) = self.find(inode, (block / PART as u64) as u32) else { return };
        self.remove_from(inode, record, block as usize % PART);
    }

    fn remove_from(&self, inode: u64, record: &Record, at: usize) {
        if record.blocks[at].load(Acquire) != 0
            && record.blocks[at].swap(0, AcqRel) != 0
            && let Some(file) = self.file(inode)
        {
            file.count.fetch_sub(1, AcqRel);
        }
    }

    /// Moves a block to the backing file by `write`, once, if it is not there.
    pub fn settle(
        &self,
        inode: u64,
        block: u64,
        thread: &impl Thread,
        write: impl FnOnce(u32) -> Result<(), i32>,
    ) -> Result<(), i32> {
        let Some(record) = self.find(inode, (block / PART as u64) as u32) else { return Ok(()) };
        with_lock(&record.lock, thread, || match self.content(inode, block) {
            None => Ok(()),
            Some(content) => {
                write(content)?;
                self.remove(inode, block);
                Ok(())
            }
        })
    }

    /// The first block of a file from `block` on that is not in the backing file.
    pub fn next(&self, inode: u64, block: u64) -> Option<u64> {
        let file = self.file(inode)?;
        if file.count.load(Acquire) == 0 {
            return None;
        }
        let first = (block / PART as u64) as u32;
        for part in first..file.parts.load(Acquire) {
            let Some(record) = self.find(inode, part) else { continue };
            let start = if part == first { block as usize % PART } else { 0 };
            let found = (start..PART).find(|&at| record.blocks[at].load(Acquire) != 0);
            if let Some(at) = found {
                return Some(u64::from(part) * PART as u64 + at as u64);
            }
        }
        None
    }

    /// Removes the blocks from `block` on: the file is truncated.
    pub fn truncate(&self, inode: u64, block: u64) {
        let mut at = block;
        while let Some(found) = self.next(inode, at) {
            self.remove(inode, found);
            at = found + 1;
        }
    }

    /// The file gets no more blocks.
    pub fn make_plain(&self, inode: u64, thread: &impl Thread) {
        // Without a record the index is full, and no file gets blocks.
        if let Some(file) = self.find_or_make(inode, 0, thread) {
            file.is_plain.store(1, Release);
        }
    }

    /// The inode is that of a new file.
    pub fn forget(&self, inode: u64) {
        if let Some(file) = self.file(inode) {
            self.truncate(inode, 0);
            file.is_plain.store(0, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A thread of number 7; all others are dead.
    struct Only(Cell<u32>);
    impl Thread for Only {
        fn number(&self) -> u32 {
            7
        }
        fn is_alive(&self, number: u32) -> bool {
            number == 7
        }
        fn pause(&self) {
            self.0.set(self.0.get() + 1);
            assert!(self.0.get() < 10, "waits for a dead thread");
        }
    }

    fn new(contents: u64) -> Box<BlockIndex> {
        let layout = std::alloc::Layout::new::<BlockIndex>();
        // SAFETY: zeroed atomics are valid, and the layout is that of the type.
        let index = unsafe { Box::from_raw(std::alloc::alloc_zeroed(layout).cast::<BlockIndex>()) };
        index.limit(contents);
        index
    }

    #[test]
    fn blocks_are_found_until_they_are_removed() {
        let (index, thread) = (new(10), Only(Cell::new(0)));
        assert_eq!((index.count(5), index.content(5, 0), index.next(5, 0)), (0, None, None));
        // 8 TiB have 2^27 blocks.
        for (inode, block, content) in [(5, 0, 3), (5, 1023, 4), (5, 1024, 3), (6, 0, 9)] {
            assert!(index.add(inode, block, content, &thread));
        }
        assert!(index.add(5, 1 << 27, 0, &thread));
        assert_eq!((index.count(5), index.count(6)), (4, 1));
        assert_eq!((index.content(5, 1023), index.content(5, 1 << 27)), (Some(4), Some(0)));
        assert_eq!((index.content(5, 1), index.content(6, 0)), (None, Some(9)));
        let all = |from| std::iter::successors(index.next(5, from), |&at| index.next(5, at + 1));
        assert_eq!(all(0).collect::<Vec<_>>(), [0, 1023, 1024, 1 << 27]);
        index.remove(5, 0);
        index.remove(5, 0);
        assert_eq!((index.count(5), index.next(5, 0)), (3, Some(1023)));
        index.truncate(5, 1024);
        assert_eq!((index.count(5), all(0).collect::<Vec<_>>()), (1, vec![1023]));
        index.make_plain(5, &thread);
        assert!(!index.accepts(5) && index.accepts(6) && index.accepts(77));
        index.forget(5);
        assert_eq!((index.count(5), index.accepts(5), index.count(6)), (0, true, 1));
    }

    #[test]
    fn a_content_is_found_by_its_hash_if_it_is_equal() {
        let index = new(2);
        let (a, b) = (hash(&[1; BLOCK]), hash(&[2; BLOCK]));
        assert_ne!(a, b);
        assert!(!index.was_written(5, a) && index.was_written(5, a));
        // Not in this file.
        assert!(!index.was_written(6, a) && !index.was_written(5, b));
        assert_eq!(index.find_content(a, |_| true), None);
        let first = index.new_content().unwrap();
        index.publish(a, first);
        assert_eq!(index.find_content(a, |number| number == first), Some(first));
        assert_eq!(index.find_content(a, |_| false), None);
        assert_eq!(index.find_content(b, |_| true), None);
        assert!(index.new_content().is_some());
        assert_eq!((index.new_content(), index.new_content()), (None, None));
        assert!(!new(0).accepts(5));
    }

    #[test]
    fn each_byte_of_a_block_counts() {
        let mut block = vec![0; BLOCK];
        let empty = hash(&block);
        for at in [0, 7, 8, 31, 32, BLOCK - 1] {
            block[at] = 1;
            assert_ne!(hash(&block), empty, "{at}");
            block[at] = 0;
        }
    }

    #[test]
    fn a_block_is_settled_once_and_stays_if_that_fails() {
        let (index, thread) = (new(10), Only(Cell::new(0)));
        assert!(index.add(5, 3, 8, &thread));
        assert_eq!(index.settle(5, 3, &thread, |_| Err(28)), Err(28));
        assert_eq!(index.content(5, 3), Some(8));
        assert_eq!(
            index.settle(5, 3, &thread, |content| if content == 8 { Ok(()) } else { Err(1) }),
            Ok(())
        );
        assert_eq!(index.settle(5, 3, &thread, |_| Err(28)), Ok(()));
        assert_eq!((index.content(5, 3), index.count(5)), (None, 0));
    }

    #[test]
    fn the_lock_of_a_dead_thread_is_taken() {
        let (index, thread) = (new(10), Only(Cell::new(0)));
        index.lock.store(99, Relaxed);
        assert!(index.add(5, 3, 8, &thread));
        index.find(5, 0).unwrap().lock.store(99, Relaxed);
        assert_eq!(index.settle(5, 3, &thread, |_| Ok(())), Ok(()));
    }

    #[test]
    fn a_full_index_adds_nothing() {
        let (index, thread) = (new(10), Only(Cell::new(0)));
        // All records are used: none is compared equal.
        for record in &index.records {
            record.inode.store(u64::MAX, Relaxed);
            record.is_used.store(1, Relaxed);
        }
        assert!(index.accepts(5) && !index.add(5, 0, 1, &thread) && !index.accepts(5));
    }
}
