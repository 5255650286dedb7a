//! Transfers between the program's buffers and backing files, of which some blocks are not in the
//! file (`workload::block_index`): a block that was written to the same file before is stored once.
//!
//! A block moves back to its file (`settle`) when a part of it is overwritten or cut off. All
//! blocks of a file move back before the kernel copies it. They also do, and the file gets no more
//! (`make_plain`), before it is mapped, executed, or inherited by a program.
//!
//! The simulator orders calls of which one changes what another reads or writes, so only writes to
//! different parts of one block are simultaneous.

use std::ffi::{CStr, c_int};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use libc::iovec;
use workload::block_index::{self, BLOCK, BlockIndex, MAX_CONTENTS, Thread};

use crate::descriptors::{self, Open};
use crate::simulator::check_space;
use crate::sys::{self, error, sys};

pub const INDEX_VARIABLE: &CStr = c"ODONATA_BLOCK_INDEX";
pub const CONTENTS_VARIABLE: &CStr = c"ODONATA_BLOCK_CONTENTS";
const CONTENTS_BYTES: usize = MAX_CONTENTS as usize * BLOCK;
const PAGE: usize = 4096;

/// Null: all blocks are in their files.
static INDEX: AtomicPtr<BlockIndex> = AtomicPtr::new(null_mut());
static IS_KNOWN: AtomicBool = AtomicBool::new(false);
static CONTENTS: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Maps the index and the contents, if the environment names them. A process that cannot would read
/// wrong data, and ends. Threads that do this at the same time use one of their maps.
#[cold]
fn map() {
    // SAFETY: zero-terminated names, and mappings that stay.
    unsafe {
        let (index, contents) =
            (libc::getenv(INDEX_VARIABLE.as_ptr()), libc::getenv(CONTENTS_VARIABLE.as_ptr()));
        if index.is_null() || contents.is_null() {
            IS_KNOWN.store(true, Ordering::Release);
            return;
        }
        let rw = libc::PROT_READ | libc::PROT_WRITE;
        let index = map_file(index, libc::O_RDWR, size_of::<BlockIndex>(), rw);
        let contents = map_file(contents, libc::O_RDONLY, CONTENTS_BYTES, libc::PROT_READ);
        let (Some(index), Some(contents)) = (index, contents) else {
            sys::report(&[
                b"the blocks of simulated files need more address space: raise `ulimit -v`",
            ]);
            libc::_exit(1);
        };
        CONTENTS.store(contents, Ordering::Release);
        INDEX.store(index.cast(), Ordering::Release);
        IS_KNOWN.store(true, Ordering::Release);
    }
}

unsafe fn map_file(
    path: *const libc::c_char,
    flags: c_int,
    bytes: usize,
    access: c_int,
) -> Option<*mut u8> {
    // SAFETY: the caller's path; a new mapping.
    unsafe {
        let fd = sys!(SYS_openat, libc::AT_FDCWD, path, flags | libc::O_CLOEXEC);
        if fd < 0 {
            // The job has ended: nothing is simulated any more.
            return None;
        }
        let how = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let at = sys!(SYS_mmap, 0, bytes, access, how, fd, 0);
        sys::close(fd as c_int);
        if at <= 0 {
            return None;
        }
        // Core dumps would have all its holes.
        sys!(SYS_madvise, at, bytes, libc::MADV_DONTDUMP);
        Some(at as *mut u8)
    }
}

fn index() -> Option<&'static BlockIndex> {
    if !IS_KNOWN.load(Ordering::Acquire) {
        map();
    }
    // SAFETY: null, or mapped for the rest of the process; zeroed or valid.
    unsafe { INDEX.load(Ordering::Acquire).as_ref() }
}

/// The index, if it has blocks of the file.
fn index_of(open: &Open) -> Option<&'static BlockIndex> {
    index().filter(|index| index.count(open.status.st_ino) > 0)
}

/// The data of a content.
fn data(content: u32) -> &'static [u8] {
    let at = CONTENTS.load(Ordering::Acquire).wrapping_add(content as usize * BLOCK);
    // SAFETY: inside the mapping, and inside the file, which has its full length; constant since it
    // was published.
    unsafe { std::slice::from_raw_parts(at, BLOCK) }
}

struct Caller;

impl Thread for Caller {
    fn number(&self) -> u32 {
        // SAFETY: no memory is involved, here and below.
        unsafe { sys!(SYS_gettid) as u32 }
    }
    fn is_alive(&self, number: u32) -> bool {
        unsafe { sys!(SYS_kill, number, 0) != error(libc::ESRCH) }
    }
    fn pause(&self) {
        unsafe { sys!(SYS_sched_yield) };
    }
}

/// Runs `work`, which takes a lock, without signals: their handlers may call these functions.
fn without_signals<R>(work: impl FnOnce() -> R) -> R {
    const WORDS: usize = 1;
    let (all, mut before) = ([u64::MAX; WORDS], [0u64; WORDS]);
    let size = size_of_val(&all);
    // SAFETY: two masks of the kernel's size.
    unsafe {
        sys!(SYS_rt_sigprocmask, libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr(), size);
        let result = work();
        let none = null_mut::<u64>();
        sys!(SYS_rt_sigprocmask, libc::SIG_SETMASK, before.as_ptr(), none, size);
        result
    }
}

/// Whether the memory is mapped. The kernel returns EFAULT for such buffers, so this library must
/// not use them itself.
fn is_mapped(at: *const u8, n: usize) -> bool {
    let mut pages = [0u8; BLOCK / PAGE + 1];
    let start = at as usize & !(PAGE - 1);
    let length = (at as usize + n).saturating_sub(start);
    // SAFETY: a byte per page.
    unsafe { sys!(SYS_mincore, start, length, pages.as_mut_ptr()) == 0 }
}

/// Whether the program may read a block there: the kernel reads a byte of each page.
fn is_readable(block: *const u8) -> bool {
    const EMPTY: iovec = iovec { iov_base: null_mut(), iov_len: 0 };
    let mut bytes = [0u8; BLOCK / PAGE + 1];
    let mut parts = [EMPTY; BLOCK / PAGE + 1];
    let (mut at, end) = (block.addr(), block.addr().saturating_add(BLOCK));
    let mut n = 0;
    while at < end {
        parts[n] = iovec { iov_base: at as *mut _, iov_len: 1 };
        (at, n) = ((at & !(PAGE - 1)) + PAGE, n + 1);
    }
    match copy_by_kernel(&parts[..n], bytes[..n].as_mut_ptr(), n) {
        None => is_mapped(block, BLOCK),
        Some(moved) => moved == n as isize,
    }
}

/// Copies memory of this process: the bytes, or EFAULT. `None` if the kernel has no such call, or
/// does not allow it in a container.
fn copy_by_kernel(from: &[iovec], to: *mut u8, bytes: usize) -> Option<sys::Result> {
    let out = iovec { iov_base: to.cast(), iov_len: bytes };
    // SAFETY: the kernel checks both sides; one part on the side that is written.
    let moved = unsafe {
        let pid = sys::pid();
        sys!(SYS_process_vm_readv, pid, &raw const out, 1, from.as_ptr(), from.len(), 0)
    };
    let is_executed = moved != error(libc::EPERM) && moved != error(libc::ENOSYS);
    is_executed.then_some(moved)
}

/// Copies to the program's buffer: the bytes, or EFAULT if the program may not write there. The
/// kernel copies, because a store by this library would end the process.
fn copy_out(from: &[u8], to: *mut u8) -> sys::Result {
    let content = iovec { iov_base: from.as_ptr().cast_mut().cast(), iov_len: from.len() };
    if let Some(moved) = copy_by_kernel(&[content], to, from.len()) {
        return moved;
    }
    if !is_mapped(to, from.len()) {
        return error(libc::EFAULT);
    }
    // SAFETY: the program's buffer.
    unsafe { to.copy_from_nonoverlapping(from.as_ptr(), from.len()) };
    from.len() as isize
}

/// Reads at a position, up to the end of the file: `None` if all data are in the file.
pub fn read(open: &Open, parts: &[iovec], at: i64) -> Option<sys::Result> {
    let index = index_of(open).filter(|_| at >= 0)?;
    let mut done = 0;
    for part in parts {
        let position = at as u64 + done as u64;
        match read_part(index, open, (part.iov_base.cast(), part.iov_len), position) {
            failed if failed < 0 => return Some(if done > 0 { done } else { failed }),
            n => done += n,
        }
        if (at as u64 + done as u64) < position + part.iov_len as u64 {
            break;
        }
    }
    Some(done)
}

fn read_part(index: &BlockIndex, open: &Open, (out, n): (*mut u8, usize), at: u64) -> sys::Result {
    let inode = open.status.st_ino;
    let mut done = 0;
    while done < n {
        let position = at + done as u64;
        let (block, offset) = (position / BLOCK as u64, (position % BLOCK as u64) as usize);
        let to = out.wrapping_add(done);
        if let Some(content) = index.content(inode, block) {
            let length = (BLOCK - offset).min(n - done);
            let moved = copy_out(&data(content)[offset..offset + length], to);
            if moved < 0 {
                return if done > 0 { done as isize } else { moved };
            }
            done += moved as usize;
            continue;
        }
        let end = index.next(inode, block).map_or(u64::MAX, |next| next * BLOCK as u64);
        let length = (end - position).min((n - done) as u64) as usize;
        // SAFETY: inside the program's buffer.
        let moved = unsafe { sys!(SYS_pread64, open.fd, to, length, position) };
        if moved < 0 {
            return if done > 0 { done as isize } else { moved };
        }
        done += moved as usize;
        if (moved as usize) < length {
            break;
        }
    }
    done as isize
}

/// Writes at a position of a file that is not open for appending: `None` if that concerns no block
/// outside of the file.
pub fn write(open: &Open, parts: &[iovec], at: i64) -> Option<sys::Result> {
    let index = index().filter(|_| at >= 0)?;
    let is_large = parts.iter().any(|part| part.iov_len >= BLOCK);
    let adds = is_large && index.accepts(open.status.st_ino);
    if !adds && index.count(open.status.st_ino) == 0 {
        return None;
    }
    let mut write = Write { index, open, adds, size: open.size() };
    let mut done = 0;
    for part in parts {
        let position = at as u64 + done as u64;
        match write.part((part.iov_base.cast(), part.iov_len), position) {
            failed if failed < 0 => return Some(if done > 0 { done } else { failed }),
            n => done += n,
        }
        if (at as u64 + done as u64) < position + part.iov_len as u64 {
            break;
        }
    }
    Some(done)
}

struct Write<'a> {
    index: &'a BlockIndex,
    open: &'a Open,
    /// Whether blocks may be added.
    adds: bool,
    /// A lower bound of the file's size.
    size: u64,
}

impl Write<'_> {
    fn part(&mut self, (from, n): (*const u8, usize), at: u64) -> sys::Result {
        // The data before `plain` are written, those from there to `done` not yet.
        let (mut plain, mut done) = (0, 0);
        while done < n {
            let position = at + done as u64;
            let rest = BLOCK - (position % BLOCK as u64) as usize;
            let here = from.wrapping_add(done);
            let is_block = rest == BLOCK && n - done >= BLOCK;
            let content = if self.adds && is_block { self.repeated(here) } else { None };
            let Some(content) = content else {
                done += rest.min(n - done);
                continue;
            };
            let moved = self.file((from.wrapping_add(plain), done - plain), at + plain as u64);
            if moved < (done - plain) as isize {
                return end(plain, moved);
            }
            plain = done;
            let moved = self.block(position, content);
            if moved < 0 {
                return end(plain, moved);
            }
            done += BLOCK;
            plain = done;
        }
        end(plain, self.file((from.wrapping_add(plain), done - plain), at + plain as u64))
    }

    /// The content of a block that was written to the file before.
    fn repeated(&self, from: *const u8) -> Option<u32> {
        if !is_readable(from) {
            return None;
        }
        // SAFETY: the program's buffer.
        let block = unsafe { std::slice::from_raw_parts(from, BLOCK) };
        let hash = block_index::hash(block);
        if !self.index.was_written(self.open.status.st_ino, hash) {
            return None;
        }
        let known = self.index.find_content(hash, |content| data(content) == block);
        known.or_else(|| {
            let content = self.index.new_content()?;
            store(content, block).then(|| self.index.publish(hash, content))?;
            Some(content)
        })
    }

    /// Writes a block by its content.
    fn block(&mut self, at: u64, content: u32) -> sys::Result {
        let (inode, end) = (self.open.status.st_ino, at + BLOCK as u64);
        if end > self.size {
            // Unlike `ftruncate`, this never cuts off what another process has appended.
            // SAFETY: one byte.
            let extended = unsafe { sys!(SYS_pwrite64, self.open.fd, [0u8].as_ptr(), 1, end - 1) };
            if extended < 0 {
                return extended;
            }
            self.size = end;
        }
        let block = at / BLOCK as u64;
        if !without_signals(|| self.index.add(inode, block, content, &Caller)) {
            self.adds = false;
            return self.file((data(content).as_ptr(), BLOCK), at);
        }
        let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        // A file system without holes keeps the old data, which are never read.
        // SAFETY: no memory is involved.
        unsafe { sys!(SYS_fallocate, self.open.fd, hole, at, BLOCK) };
        BLOCK as isize
    }

    /// Writes to the file; its blocks are there afterwards.
    fn file(&mut self, (from, n): (*const u8, usize), at: u64) -> sys::Result {
        if n == 0 {
            return 0;
        }
        let (index, inode) = (self.index, self.open.status.st_ino);
        let size = BLOCK as u64;
        let end = at + n as u64;
        if index.count(inode) > 0 {
            for (edge, block) in [(at, at / size), (end, end / size)] {
                if edge % size != 0
                    && let Err(errno) = settle(index, self.open, block)
                {
                    return error(errno);
                }
            }
        }
        // SAFETY: the program's buffer.
        let moved = unsafe { sys!(SYS_pwrite64, self.open.fd, from, n, at) };
        if moved <= 0 || index.count(inode) == 0 {
            return moved;
        }
        let written = at + moved as u64;
        let mut block = index.next(inode, at.div_ceil(size));
        while let Some(next) = block.filter(|next| next * size < written) {
            if (next + 1) * size > written {
                // Interrupted inside a block, whose old data are elsewhere: that part is not
                // written.
                let whole = (next * size - at) as isize;
                return if whole > 0 { whole } else { error(libc::ENOSPC) };
            }
            index.remove(inode, next);
            block = index.next(inode, next + 1);
        }
        moved
    }
}

/// The result of a transfer of which the first `done` bytes have been moved.
fn end(done: usize, rest: sys::Result) -> sys::Result {
    match rest {
        failed if failed < 0 && done == 0 => failed,
        failed if failed < 0 => done as isize,
        more => done as isize + more,
    }
}

/// Writes a new content; whether that succeeds.
fn store(content: u32, block: &[u8]) -> bool {
    let flags = libc::O_WRONLY | libc::O_CLOEXEC;
    // SAFETY: a zero-terminated path, and the block.
    unsafe {
        let path = libc::getenv(CONTENTS_VARIABLE.as_ptr());
        if path.is_null() {
            return false;
        }
        let fd = sys!(SYS_openat, libc::AT_FDCWD, path, flags) as c_int;
        if fd < 0 {
            return false;
        }
        let at = content as usize * BLOCK;
        let written = sys!(SYS_pwrite64, fd, block.as_ptr(), BLOCK, at);
        sys::close(fd);
        written == BLOCK as isize
    }
}

/// Moves a block to its file, if it is not there.
fn settle(index: &BlockIndex, open: &Open, block: u64) -> Result<(), c_int> {
    let inode = open.status.st_ino;
    if index.content(inode, block).is_none() {
        return Ok(());
    }
    let fd = writable(open)?;
    let write = |content: u32| {
        // SAFETY: the block's data.
        let written =
            unsafe { sys!(SYS_pwrite64, fd, data(content).as_ptr(), BLOCK, block * BLOCK as u64) };
        match written {
            n if n == BLOCK as isize => Ok(()),
            n if n < 0 => Err(-n as c_int),
            _ => Err(libc::ENOSPC),
        }
    };
    let result = without_signals(|| index.settle(inode, block, &Caller, write));
    sys::close(fd);
    if let Err(errno) = result {
        check_space(open, error(errno));
    }
    result
}

/// Opens the backing file for writing, whatever the program may do with it.
fn writable(open: &Open) -> Result<c_int, c_int> {
    let mut link = [0u8; 32];
    sys::descriptor_link(open.fd, &mut link);
    let flags = libc::O_WRONLY | libc::O_CLOEXEC;
    // SAFETY: a zero-terminated path.
    let fd = unsafe {
        let path = link.as_ptr();
        let fd = sys!(SYS_openat, libc::AT_FDCWD, path, flags);
        if fd == error(libc::EACCES) {
            let mode = open.status.st_mode & 0o7777;
            sys!(SYS_fchmodat, libc::AT_FDCWD, path, mode | 0o200);
            let fd = sys!(SYS_openat, libc::AT_FDCWD, path, flags);
            sys!(SYS_fchmodat, libc::AT_FDCWD, path, mode);
            fd
        } else {
            fd
        }
    };
    if fd < 0 { Err(-fd as c_int) } else { Ok(fd as c_int) }
}

/// Moves all blocks of a file to it, before the kernel reads or changes it.
pub fn settle_all(open: &Open) -> Result<(), c_int> {
    let Some(index) = index_of(open) else { return Ok(()) };
    let mut block = index.next(open.status.st_ino, 0);
    while let Some(next) = block {
        settle(index, open, next)?;
        block = index.next(open.status.st_ino, next + 1);
    }
    Ok(())
}

/// Moves all blocks of a file to it, for good: the file is used without this library from now on.
pub fn make_plain(open: &Open) -> Result<(), c_int> {
    let Some(index) = index().filter(|_| open.is_regular()) else { return Ok(()) };
    without_signals(|| index.make_plain(open.status.st_ino, &Caller));
    settle_all(open)
}

/// The same for the descriptors that a program inherits which this process starts: it may be
/// without this library.
pub fn make_inherited_plain() {
    if index().is_none() {
        return;
    }
    for fd in descriptors::in_range(0, u32::MAX) {
        // SAFETY: no memory is involved.
        let flags = unsafe { sys!(SYS_fcntl, fd, libc::F_GETFD) } as c_int;
        if flags >= 0
            && flags & libc::FD_CLOEXEC == 0
            && let Some(open) = descriptors::simulated(fd)
        {
            // The end of the job has been requested if the disk is full.
            let _ = make_plain(&open);
        }
    }
}

/// Runs `work` for the file of a real path, if it is a regular one of a mount.
pub fn on_path(
    path: *const libc::c_char,
    work: impl FnOnce(&Open) -> Result<(), c_int>,
) -> Result<(), c_int> {
    if index().is_none() {
        return Ok(());
    }
    // SAFETY: a zero-terminated path.
    let fd = unsafe { sys!(SYS_openat, libc::AT_FDCWD, path, libc::O_PATH | libc::O_CLOEXEC) };
    if fd < 0 {
        return Ok(());
    }
    let fd = fd as c_int;
    let result = sys::fstat(fd).and_then(|status| {
        let open = Open { fd, mount: 0, flags: 0, status };
        let is_simulated = open.is_regular() && !descriptors::is_outside(fd);
        if is_simulated { work(&open) } else { Ok(()) }
    });
    sys::close(fd);
    result
}

/// Before the file is cut off at `length`.
pub fn truncate(open: &Open, length: i64) -> Result<(), c_int> {
    let Some(index) = index_of(open).filter(|_| length >= 0) else { return Ok(()) };
    let (length, size) = (length as u64, BLOCK as u64);
    if length % size != 0 {
        settle(index, open, length / size)?;
    }
    index.truncate(open.status.st_ino, length.div_ceil(size));
    Ok(())
}

/// An opened file: an empty one has no blocks. (Its inode may be that of a deleted file.)
pub fn opened(fd: c_int) {
    if let Some(index) = index()
        && let Ok(status) = sys::fstat(fd)
        && status.st_size == 0
    {
        index.truncate(status.st_ino, 0);
    }
}

/// What the file uses on the disk beyond its backing file, in units of 512 bytes (`st_blocks`).
pub fn used(inode: u64) -> u64 {
    let count = index().map_or(0, |index| index.count(inode));
    u64::from(count) * (BLOCK as u64 / 512)
}

/// Moves data of an open file for the MPI library, which has charged them.
///
/// # Safety
/// The caller's buffer.
#[unsafe(no_mangle)]
unsafe extern "C" fn odonata_file_move(
    fd: c_int,
    writes: c_int,
    at: *mut u8,
    n: usize,
    offset: i64,
) -> isize {
    let parts = [iovec { iov_base: at.cast(), iov_len: n }];
    let open = descriptors::simulated_for_mpi(fd);
    // SAFETY: the caller's buffer.
    unsafe {
        let moved = match (&open, writes) {
            (Some(open), 0) => read(open, &parts, offset),
            (Some(open), _) => write(open, &parts, offset),
            _ => None,
        };
        moved.unwrap_or_else(|| match writes {
            0 => sys!(SYS_pread64, fd, at, n, offset),
            _ => sys!(SYS_pwrite64, fd, at, n, offset),
        })
    }
}
