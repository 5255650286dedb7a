//! A file that all processes of a job share: mounts that commands of the job add and remove, such
//! as `dfuse` and `fusermount3`.
//!
//! The simulator creates it in memory. A command appends an entry, or changes whether one is
//! removed, and then increments the version (`python/odonata/storage_commands/mounting.py`). The
//! preload library reads it (`crates/posix`). Entries are never deleted.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Environment variable with its path.
pub const ENV_MOUNT_FILE: &str = "ODONATA_MOUNT_FILE";
/// Most entries, and bytes of the text of one.
pub const ENTRIES: usize = 16;
pub const ENTRY: usize = 1016;

/// Its contents. All numbers are little-endian.
#[repr(C)]
pub struct MountFile {
    version: AtomicU32,
    count: AtomicU32,
    entries: [Entry; ENTRIES],
}

/// A mount in the form of `file_request::encode_mounts`.
#[repr(C)]
pub struct Entry {
    removed: AtomicU32,
    length: AtomicU32,
    text: [AtomicU8; ENTRY],
}

impl MountFile {
    /// It differs after every change.
    pub fn version(&self) -> u32 {
        self.version.load(Ordering::Acquire)
    }
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let n = self.count.load(Ordering::Acquire) as usize;
        self.entries.iter().take(n)
    }
}

impl Entry {
    pub fn is_removed(&self) -> bool {
        self.removed.load(Ordering::Acquire) != 0
    }
    /// Copies the text; its length.
    pub fn read(&self, out: &mut [u8; ENTRY]) -> usize {
        for (to, from) in out.iter_mut().zip(&self.text) {
            *to = from.load(Ordering::Relaxed);
        }
        (self.length.load(Ordering::Acquire) as usize).min(ENTRY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_commands_write_them() {
        // mounting.py: a header of two words, then entries of 1,024 bytes.
        assert_eq!(size_of::<MountFile>(), 8 + ENTRIES * 1024);
        let mut bytes = vec![0u8; size_of::<MountFile>()];
        bytes[0..4].copy_from_slice(&3_u32.to_le_bytes());
        bytes[4..8].copy_from_slice(&2_u32.to_le_bytes());
        let second = 8 + 1024;
        bytes[second..second + 4].copy_from_slice(&1_u32.to_le_bytes());
        bytes[second + 4..second + 8].copy_from_slice(&5_u32.to_le_bytes());
        bytes[second + 8..second + 13].copy_from_slice(b"0=/a=");
        let mut aligned = vec![0u32; bytes.len() / 4];
        for (word, part) in aligned.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_ne_bytes([part[0], part[1], part[2], part[3]]);
        }
        // SAFETY: aligned, long enough, and every value is valid.
        let file = unsafe { &*aligned.as_ptr().cast::<MountFile>() };
        assert_eq!(file.version(), 3);
        let found: Vec<(bool, Vec<u8>)> = file
            .entries()
            .map(|entry| {
                let mut text = [0; ENTRY];
                let n = entry.read(&mut text);
                (entry.is_removed(), text[..n].to_vec())
            })
            .collect();
        assert_eq!(found, [(false, Vec::new()), (true, b"0=/a=".to_vec())]);
    }
}
