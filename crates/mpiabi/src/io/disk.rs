//! The real file system: an open file of this process, and the mapping of system errors to MPI
//! error classes.

use std::ffi::{OsString, c_int};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use crate::abi::c;
use crate::error::{Error, Result};

/// The error class of a failed system call.
pub(super) fn class(why: &io::Error) -> i32 {
    match why.raw_os_error() {
        Some(libc::ENOENT) => c::ERR_NO_SUCH_FILE,
        Some(libc::EEXIST) => c::ERR_FILE_EXISTS,
        Some(libc::EACCES | libc::EPERM) => c::ERR_ACCESS,
        Some(libc::EROFS) => c::ERR_READ_ONLY,
        Some(libc::ENOSPC) => c::ERR_NO_SPACE,
        Some(libc::EDQUOT) => c::ERR_QUOTA,
        Some(libc::ETXTBSY | libc::EBUSY) => c::ERR_FILE_IN_USE,
        Some(libc::EISDIR | libc::ENOTDIR | libc::ELOOP | libc::ENAMETOOLONG | libc::EINVAL) => {
            c::ERR_BAD_FILE
        }
        Some(libc::ENOMEM) => c::ERR_NO_MEM,
        _ => c::ERR_IO,
    }
}

/// The error of a call that names a file.
pub(super) fn file_error(name: &OsString, why: &io::Error) -> Error {
    Error::new(class(why), format!("{}: {why}", name.display()))
}

/// The error of a call on an open file, where EINVAL does not mean a bad file name.
pub(super) fn failed(why: &io::Error) -> Error {
    let class = match class(why) {
        c::ERR_BAD_FILE | c::ERR_NO_SUCH_FILE => c::ERR_IO,
        other => other,
    };
    Error::new(class, why.to_string())
}

/// The access mode of a file.
#[derive(Clone, Copy)]
pub(super) struct Mode {
    pub read: bool,
    pub write: bool,
    pub create: bool,
    pub exclusive: bool,
}

/// Longest gap between two runs that is read with them instead of skipped, in bytes. A system call
/// costs about as much as copying this much.
const GAP: i64 = 4096;
/// Longest stretch of a file that is read at a time for this reason, in bytes.
const STRETCH: i64 = 4 << 20;

pub(super) struct Disk(File);

impl Disk {
    pub fn open(name: &OsString, mode: Mode) -> io::Result<Disk> {
        let mut options = OpenOptions::new();
        options.read(mode.read).write(mode.write).mode(0o666);
        // Not `create`: it requires write access, which the caller has checked already.
        let flags = if mode.create { libc::O_CREAT } else { 0 };
        // Marks the file for the library `clock`: storage time is charged for it.
        let flags = flags | libc::O_NOCTTY;
        options.custom_flags(flags | if mode.exclusive { libc::O_EXCL } else { 0 });
        options.open(name).map(Disk)
    }
    pub fn fd(&self) -> c_int {
        self.0.as_raw_fd()
    }
    pub fn size(&self) -> Result<i64> {
        match self.0.metadata() {
            Ok(found) => Ok(found.len() as i64),
            Err(why) => Err(failed(&why)),
        }
    }
    pub fn resize(&self, size: i64) -> Result {
        self.0.set_len(size as u64).map_err(|why| failed(&why))
    }
    /// Reserves space up to `size`; never shrinks.
    pub fn reserve(&self, size: i64) -> Result {
        if self.size()? >= size {
            return Ok(());
        }
        // SAFETY: a plain system call on an open descriptor.
        match unsafe { libc::posix_fallocate(self.0.as_raw_fd(), 0, size) } {
            0 => Ok(()),
            // If a file system cannot reserve space, the size at least is set.
            libc::EOPNOTSUPP | libc::EINVAL => self.resize(size),
            code => Err(failed(&io::Error::from_raw_os_error(code))),
        }
    }
    /// Writes the data to the device; does nothing for files without one (a pipe, `/dev/null`).
    pub fn sync(&self) -> Result {
        match self.0.sync_all() {
            Err(why) if why.raw_os_error() != Some(libc::EINVAL) => Err(failed(&why)),
            _ => Ok(()),
        }
    }

    /// Writes `data` to consecutive runs. Returns the bytes written, and the error that stopped the
    /// call.
    pub fn write(&self, runs: impl Runs, data: &[u8]) -> (u64, Option<Error>) {
        let (mut done, mut error) = (0, None);
        runs.each(&mut |at, len| {
            let part = &data[done..done + len as usize];
            let (some, why) = write_fully(&self.0, part, at);
            done += some;
            error = why.map(|why| failed(&why));
            error.is_none()
        });
        (done as u64, error)
    }

    /// Reads consecutive runs into `out`, up to the end of the file.
    pub fn read(&self, runs: impl Runs, out: &mut [u8]) -> (u64, Option<Error>) {
        let mut sieve = Sieve { file: &self.0, out, done: 0, batch: Vec::new(), error: None };
        let mut scratch = Vec::new();
        runs.each(&mut |at, len| sieve.take(at, len, &mut scratch));
        sieve.flush(&mut scratch);
        (sieve.done as u64, sieve.error)
    }
}

/// Ranges of a file, in the order in which their bytes are read or written.
pub(super) trait Runs {
    /// Calls `visit` with offset and length of each range until it returns `false`.
    fn each(self, visit: &mut dyn FnMut(i64, u64) -> bool);
}

/// Returns the bytes written, and the error that stopped the call.
fn write_fully(file: &File, data: &[u8], at: i64) -> (usize, Option<io::Error>) {
    let mut done = 0;
    while done < data.len() {
        match file.write_at(&data[done..], offset(at, done)) {
            Ok(0) => return (done, Some(io::Error::from_raw_os_error(libc::EIO))),
            Ok(n) => done += n,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return (done, Some(why)),
        }
    }
    (done, None)
}

/// Reads until `out` is full or the file ends.
fn read_fully(file: &File, out: &mut [u8], at: i64) -> (usize, Option<io::Error>) {
    let mut done = 0;
    while done < out.len() {
        match file.read_at(&mut out[done..], offset(at, done)) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return (done, Some(why)),
        }
    }
    (done, None)
}

/// The kernel itself reports offsets that it cannot address.
fn offset(at: i64, done: usize) -> u64 {
    (at as u64).saturating_add(done as u64)
}

/// Data sieving: reads many short runs by few long reads, and keeps the requested bytes only.
struct Sieve<'a> {
    file: &'a File,
    out: &'a mut [u8],
    done: usize,
    /// Adjacent runs that have not been read yet.
    batch: Vec<(i64, u64)>,
    error: Option<Error>,
}

impl Sieve<'_> {
    fn take(&mut self, at: i64, len: u64, scratch: &mut Vec<u8>) -> bool {
        if let (Some(first), Some(last)) = (self.batch.first(), self.batch.last()) {
            let gap = at.saturating_sub(last.0 + last.1 as i64);
            let span = at.saturating_add(len as i64).saturating_sub(first.0);
            let near = (0..=GAP).contains(&gap) && span <= STRETCH;
            if !near && !self.flush(scratch) {
                return false;
            }
        }
        self.batch.push((at, len));
        true
    }
    /// Returns `false` if the file ends within the batch, or cannot be read.
    fn flush(&mut self, scratch: &mut Vec<u8>) -> bool {
        let batch = std::mem::take(&mut self.batch);
        let (Some(first), Some(last)) = (batch.first(), batch.last()) else {
            return self.error.is_none();
        };
        let requested: u64 = batch.iter().map(|run| run.1).sum();
        let span = (last.0 + last.1 as i64 - first.0) as usize;
        let before = self.done;
        let direct = batch.len() == 1;
        let (got, why) = if direct {
            read_fully(self.file, &mut self.out[before..before + span], first.0)
        } else {
            scratch.resize(span, 0);
            read_fully(self.file, scratch, first.0)
        };
        self.error = why.map(|why| failed(&why));
        for &(at, len) in &batch {
            let from = (at - first.0) as usize;
            let n = got.saturating_sub(from).min(len as usize);
            if !direct {
                let to = &mut self.out[self.done..self.done + n];
                to.copy_from_slice(&scratch[from..from + n]);
            }
            self.done += n;
        }
        self.error.is_none() && self.done - before == requested as usize
    }
}
