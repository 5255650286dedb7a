//! Blocks of simulated files that are stored once for all their copies (`workload::block_index`):
//! the index in memory, and the contents in a file without a name on the disk of the store.
//!
//! Both disappear with the last process that uses them. The store of a user has none: its files
//! stay, and have all their data.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use workload::block_index::{BLOCK, BlockIndex, MAX_CONTENTS, Thread};

pub(crate) struct FileBlocks {
    index: &'static BlockIndex,
    index_file: File,
    contents: File,
}

struct Caller;

impl Thread for Caller {
    fn number(&self) -> u32 {
        // SAFETY: plain system calls, here and below.
        unsafe { libc::syscall(libc::SYS_gettid) as u32 }
    }
    fn is_alive(&self, number: u32) -> bool {
        let is_found = unsafe { libc::kill(number as i32, 0) == 0 };
        is_found || io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
    }
    fn pause(&self) {
        std::thread::yield_now();
    }
}

impl FileBlocks {
    /// Contents take at most a quarter of the disk's free space, because they stay until the end
    /// of the job.
    pub fn new(store: &Path) -> io::Result<FileBlocks> {
        let how = libc::O_TMPFILE | libc::O_CLOEXEC;
        let mut options = std::fs::OpenOptions::new();
        let contents = options.read(true).write(true).mode(0o600).custom_flags(how).open(store)?;
        contents.set_len(MAX_CONTENTS as u64 * BLOCK as u64)?;
        // SAFETY: a plain system call with a zeroed structure; the new descriptor is owned here; a
        // new mapping of zeroed memory, which is a valid index.
        unsafe {
            let mut disk: libc::statvfs = std::mem::zeroed();
            if libc::fstatvfs(contents.as_raw_fd(), &raw mut disk) != 0 {
                return Err(io::Error::last_os_error());
            }
            let fd = libc::memfd_create(c"odonata-blocks".as_ptr(), libc::MFD_CLOEXEC);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            let index_file = File::from_raw_fd(fd);
            let bytes = size_of::<BlockIndex>();
            index_file.set_len(bytes as u64)?;
            let (rw, how) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
            let at = libc::mmap(std::ptr::null_mut(), bytes, rw, how, fd, 0);
            if at == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            libc::madvise(at, bytes, libc::MADV_DONTDUMP);
            let index = &*at.cast::<BlockIndex>();
            index.limit(disk.f_bavail * disk.f_frsize / 4 / BLOCK as u64);
            Ok(FileBlocks { index, index_file, contents })
        }
    }

    /// Descriptors of the index and of the contents.
    pub fn descriptors(&self) -> (i32, i32) {
        (self.index_file.as_raw_fd(), self.contents.as_raw_fd())
    }

    /// The inode is that of a new file.
    pub fn forget(&self, inode: u64) {
        self.index.forget(inode);
    }

    /// The file is empty.
    pub fn empty(&self, inode: u64) {
        self.index.truncate(inode, 0);
    }

    /// Before a file, which is open for writing, is cut off at `length`.
    pub fn truncate(&self, file: &File, inode: u64, length: u64) -> Result<(), i32> {
        if self.index.count(inode) == 0 {
            return Ok(());
        }
        let size = BLOCK as u64;
        if !length.is_multiple_of(size) {
            let block = length / size;
            let write = |content: u32| {
                let mut data = vec![0; BLOCK];
                let read = self.contents.read_exact_at(&mut data, u64::from(content) * size);
                let written = read.and_then(|()| file.write_all_at(&data, block * size));
                written.map_err(|why| why.raw_os_error().unwrap_or(libc::EIO))
            };
            self.index.settle(inode, block, &Caller, write)?;
        }
        self.index.truncate(inode, length.div_ceil(size));
        Ok(())
    }
}

impl Drop for FileBlocks {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length; no reference to it is left.
        unsafe {
            libc::munmap(std::ptr::from_ref(self.index).cast_mut().cast(), size_of::<BlockIndex>())
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_file_keeps_the_part_of_a_block() {
        let dir = std::env::temp_dir();
        let blocks = FileBlocks::new(&dir).unwrap();
        let how = libc::O_TMPFILE | libc::O_CLOEXEC;
        let mut options = std::fs::OpenOptions::new();
        let file = options.read(true).write(true).custom_flags(how).open(&dir).unwrap();
        file.set_len(4 * BLOCK as u64).unwrap();
        blocks.contents.write_all_at(&[7; BLOCK], 0).unwrap();
        for block in 0..4 {
            assert!(blocks.index.add(1, block, 0, &Caller));
        }
        let length = BLOCK as u64 + 10;
        blocks.truncate(&file, 1, length).unwrap();
        assert_eq!((blocks.index.count(1), blocks.index.next(1, 1)), (1, None));
        let mut data = [1; BLOCK];
        file.read_exact_at(&mut data, BLOCK as u64).unwrap();
        assert!(data.iter().all(|&byte| byte == 7));
        // The first block is only in the index.
        file.read_exact_at(&mut data, 0).unwrap();
        assert!(data.iter().all(|&byte| byte == 0));
        blocks.forget(1);
        assert_eq!(blocks.index.count(1), 0);
    }
}
