//! The table of descriptors of simulated files. A descriptor of another file costs a comparison and
//! a load.
//!
//! The table belongs to one process. An entry holds a hash of the file's device and inode, so that
//! a descriptor that was closed by other means (inside the C library, by a raw system call) and
//! used again is recognized. Descriptors received through sockets are not in the table: calls on
//! them have their effect and take no simulated time.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use libc::stat;
use workload::file_request::MAX_MOUNTS;

use crate::mounts;
use crate::sys::{self, sys};
use crate::text::Text;

/// The kernel's default limit of descriptors per process (`fs.nr_open`).
const LIMIT: usize = 1 << 20;
static TABLE: [AtomicU64; LIMIT] = [const { AtomicU64::new(0) }; LIMIT];
/// The largest descriptor that has had an entry.
static LAST: AtomicU32 = AtomicU32::new(0);
/// The process that the table describes.
static OWNER: AtomicI32 = AtomicI32::new(0);

/// Bits of an entry: the mount plus 1, flags, then the hash.
const MOUNT: u64 = 15;
const _: () = assert!((MAX_MOUNTS as u64) <= MOUNT);
/// Opened with `O_DIRECT`, which the backing file does not have.
pub const DIRECT: u64 = 16;
/// Opened with `O_SYNC` or `O_DSYNC`, likewise.
pub const SYNC: u64 = 32;
/// A duplicate, or inherited: its `close` does not close the file.
pub const DUPLICATE: u64 = 64;
const FLAGS: u64 = DIRECT | SYNC | DUPLICATE;
const HASH: u64 = !0xff;

/// An open simulated file.
pub struct Open {
    pub fd: c_int,
    pub mount: usize,
    pub flags: u64,
    pub status: stat,
}

impl Open {
    pub fn is_regular(&self) -> bool {
        self.status.st_mode & libc::S_IFMT == libc::S_IFREG
    }
    pub fn size(&self) -> u64 {
        self.status.st_size as u64
    }
}

/// Whether the descriptor may be that of a simulated file.
#[inline]
pub fn may_be_simulated(fd: c_int) -> bool {
    TABLE.get(fd as usize).is_some_and(|entry| entry.load(Ordering::Relaxed) != 0)
        && mounts::active()
}

/// The open simulated file of a descriptor.
#[inline]
pub fn simulated(fd: c_int) -> Option<Open> {
    if may_be_simulated(fd) { verified(fd) } else { None }
}

/// The same for a caller whose other calls are real, such as the MPI library.
pub fn simulated_for_mpi(fd: c_int) -> Option<Open> {
    let entry = TABLE.get(fd as usize)?;
    if entry.load(Ordering::Relaxed) != 0 { verified(fd) } else { None }
}

/// Whether a descriptor is of a simulated file, for the library `clock`.
#[unsafe(no_mangle)]
extern "C" fn odonata_file_is_simulated(fd: c_int) -> c_int {
    c_int::from(simulated(fd).is_some())
}

#[cold]
fn verified(fd: c_int) -> Option<Open> {
    let entry = TABLE[fd as usize].load(Ordering::Relaxed);
    match sys::fstat(fd) {
        Ok(status) if entry & HASH == hash(&status) && entry & MOUNT != 0 => {
            let (mount, flags) = ((entry & MOUNT) as usize - 1, entry & FLAGS);
            Some(Open { fd, mount, flags, status })
        }
        _ => {
            forget(fd);
            None
        }
    }
}

fn hash(status: &stat) -> u64 {
    let mixed = status.st_ino.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ status.st_dev.rotate_left(40);
    mixed.wrapping_mul(0xff51_afd7_ed55_8ccd) & HASH
}

/// Whether this process may change the table. The child of `vfork` shares memory with its parent
/// but not descriptors. The owner is 0 until this library's constructor.
pub fn is_owner() -> bool {
    let owner = OWNER.load(Ordering::Relaxed);
    owner == 0 || owner == sys::pid()
}

/// Called in the child of a fork, whose descriptors are duplicates of its parent's.
pub fn forked() {
    OWNER.store(sys::pid(), Ordering::Relaxed);
    let last = LAST.load(Ordering::Relaxed);
    for fd in in_range(0, last) {
        TABLE[fd as usize].fetch_or(DUPLICATE, Ordering::Relaxed);
    }
}

/// Records a descriptor of a simulated file; -1, with `errno` set, if its number is too large.
pub fn record(fd: c_int, mount: usize, flags: u64) -> c_int {
    let Ok(status) = sys::fstat(fd) else { return fd };
    let Some(entry) = TABLE.get(fd as usize) else {
        sys::close(fd);
        sys::set_errno(libc::EMFILE);
        return -1;
    };
    if is_owner() {
        LAST.fetch_max(fd as u32, Ordering::Relaxed);
        entry.store((mount as u64 + 1) | flags | hash(&status), Ordering::Relaxed);
    }
    fd
}

/// Removes a descriptor. (Before it is closed: another thread may get its number at once.)
pub fn forget(fd: c_int) {
    if let Some(entry) = TABLE.get(fd as usize)
        && entry.load(Ordering::Relaxed) != 0
        && is_owner()
    {
        entry.store(0, Ordering::Relaxed);
    }
}

/// `to` is a duplicate of `from`.
pub fn copy(from: c_int, to: c_int) {
    let entry = TABLE.get(from as usize).map_or(0, |entry| entry.load(Ordering::Relaxed));
    if let Some(into) = TABLE.get(to as usize)
        && into.load(Ordering::Relaxed) != entry
        && is_owner()
    {
        LAST.fetch_max(to as u32, Ordering::Relaxed);
        into.store(if entry == 0 { 0 } else { entry | DUPLICATE }, Ordering::Relaxed);
    }
}

/// The file of `from`, which is about to be closed, continues as `to`.
pub fn move_to(from: c_int, to: c_int) {
    let entry = TABLE.get(from as usize).map_or(0, |entry| entry.load(Ordering::Relaxed));
    if let Some(into) = TABLE.get(to as usize)
        && is_owner()
    {
        LAST.fetch_max(to as u32, Ordering::Relaxed);
        into.store(entry, Ordering::Relaxed);
    }
    forget(from);
}

/// Changes the flags of an entry.
pub fn set_flags(fd: c_int, flags: u64) {
    if let Some(entry) = TABLE.get(fd as usize)
        && is_owner()
    {
        let before = entry.load(Ordering::Relaxed);
        let flags = flags | before & DUPLICATE;
        entry.store(before & !FLAGS | flags, Ordering::Relaxed);
    }
}

/// Descriptors in a range.
pub fn in_range(first: u32, last: u32) -> impl Iterator<Item = c_int> {
    let last = last.min(LAST.load(Ordering::Relaxed));
    let end = (last as usize + 1).min(LIMIT);
    let start = (first as usize).min(end);
    let is_used = |fd: &usize| TABLE[*fd].load(Ordering::Relaxed) != 0;
    (start..end).filter(is_used).map(|fd| fd as c_int)
}

/// The mount of a descriptor's file; `Err` if the kernel has no path of it, or a too long one.
fn mount_of(fd: c_int) -> Result<Option<usize>, ()> {
    let mut path = Text::new();
    // SAFETY: a text's buffer.
    path.fill(|out, size| unsafe { sys::path_of(fd, out, size) }.ok_or(()))?;
    Ok(mounts::backing_of(path.bytes()).map(|(mount, _)| mount))
}

/// Whether a descriptor's file is known to be outside of the mounts: a link below a mount may lead
/// there.
pub fn is_outside(fd: c_int) -> bool {
    mount_of(fd) == Ok(None)
}

/// Recognizes a descriptor that this library has not opened: the mount of its file.
pub fn recognize(fd: c_int) -> Option<usize> {
    let mount = mount_of(fd).ok().flatten()?;
    record(fd, mount, DUPLICATE);
    Some(mount)
}

/// Recognizes the descriptors that the process has at its start.
pub fn inherit() {
    forked();
    const ENTRIES: usize = 4096;
    let mut entries = [0u64; ENTRIES / 8];
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: plain system calls into memory of this function.
    unsafe {
        let dir = sys!(SYS_openat, libc::AT_FDCWD, c"/proc/self/fd".as_ptr(), flags) as c_int;
        if dir < 0 {
            return;
        }
        loop {
            let n = sys!(SYS_getdents64, dir, entries.as_mut_ptr(), ENTRIES);
            let Some(n) = usize::try_from(n).ok().filter(|&n| n > 0) else { break };
            let bytes = std::slice::from_raw_parts(entries.as_ptr().cast::<u8>(), n);
            for name in crate::entries::names(bytes) {
                let digits = name.iter().all(u8::is_ascii_digit);
                let fd = name.iter().fold(0, |n, digit| n * 10 + c_int::from(digit & 15));
                if digits && fd != dir {
                    recognize(fd);
                }
            }
        }
        sys::close(dir);
    }
}
