//! Calls that move data or change sizes: the library executes them on the backing file, after the
//! simulator has completed them.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

use libc::{iovec, off_t, size_t, ssize_t};
use workload::FileCallKind;
use workload::file_flag;
use workload::file_request::request_flag;

use crate::blocks;
use crate::descriptors::{self, DIRECT, Open, SYNC, may_be_simulated, simulated};
use crate::mounts;
use crate::next::{at, real};
use crate::simulator::{
    Request, Verdict, check_space, is_present, submit, submit_open, submit_path,
};
use crate::sys::{self, error, finish, sys};

/// Most elements of a vector (IOV_MAX of Linux).
const MAX_PARTS: usize = 1024;
/// Most bytes that the kernel moves in one call (`MAX_RW_COUNT`, include/linux/fs.h).
const MAX_TRANSFER: usize = 0x7fff_f000;
/// `RWF_NOAPPEND` of Linux 6.9: writes at the given position although the file is open for
/// appending.
const NO_APPEND: c_int = 0x20;

/// The file offset, as a position of `preadv2` and `pwritev2`.
const CURRENT: i64 = -1;

/// Where a transfer begins.
#[derive(Clone, Copy)]
pub enum Position {
    /// At the file offset, which advances.
    Current,
    At(i64),
}

/// The program's buffers.
#[derive(Clone, Copy)]
pub struct Buffers<'a> {
    parts: &'a [iovec],
    flags: c_int,
}

impl Buffers<'_> {
    fn total(&self) -> usize {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.iov_len))
    }
}

/// One buffer.
fn one(at: *const c_void, bytes: usize) -> [iovec; 1] {
    [iovec { iov_base: at.cast_mut(), iov_len: bytes }]
}

/// Runs `transfer` with the first `limit` bytes of the buffers.
fn limited(
    buffers: Buffers,
    limit: usize,
    transfer: impl FnOnce(&[iovec]) -> sys::Result,
) -> sys::Result {
    if limit >= buffers.total() {
        return transfer(buffers.parts);
    }
    let mut parts = [const { iovec { iov_base: std::ptr::null_mut(), iov_len: 0 } }; MAX_PARTS];
    let (mut n, mut rest) = (0, limit);
    for part in buffers.parts.iter().take(MAX_PARTS) {
        let length = part.iov_len.min(rest);
        parts[n] = iovec { iov_base: part.iov_base, iov_len: length };
        (n, rest) = (n + 1, rest - length);
        if rest == 0 {
            break;
        }
    }
    transfer(&parts[..n])
}

/// Reads, charged.
pub fn read_simulated(open: &Open, buffers: Buffers, position: Position) -> sys::Result {
    let fd = open.fd;
    let read_file = |parts: &[iovec]| unsafe {
        // SAFETY: the program's buffers.
        match (position, parts) {
            (Position::Current, [one]) if buffers.flags == 0 => {
                sys!(SYS_read, fd, one.iov_base, one.iov_len)
            }
            (Position::At(at), [one]) if buffers.flags == 0 => {
                sys!(SYS_pread64, fd, one.iov_base, one.iov_len, at)
            }
            (Position::Current, _) => {
                sys!(SYS_preadv2, fd, parts.as_ptr(), parts.len(), CURRENT, CURRENT, buffers.flags)
            }
            (Position::At(at), _) => {
                sys!(SYS_preadv2, fd, parts.as_ptr(), parts.len(), at, 0, buffers.flags)
            }
        }
    };
    let total = buffers.total().min(MAX_TRANSFER);
    if !open.is_regular() || total == 0 {
        return read_file(buffers.parts);
    }
    let is_open = sys::status_flags(fd) & libc::O_ACCMODE != libc::O_WRONLY;
    let offset = start(fd, position);
    if !is_open || offset < 0 {
        return read_file(buffers.parts);
    }
    let read = |parts: &[iovec]| match blocks::read(open, parts, offset) {
        None => read_file(parts),
        Some(moved) => advance(fd, position, offset, moved),
    };
    let verdict = submit_open(FileCallKind::Read, direct(open), open, |header| {
        (header.offset, header.bytes) = (offset as u64, total as u64);
    });
    match verdict {
        Verdict::Absent => read(buffers.parts),
        Verdict::Failed(errno) => error(errno),
        Verdict::Done(reply) => limited(buffers, reply.value.min(total as u64) as usize, read),
    }
}

/// Writes, charged.
pub fn write_simulated(open: &Open, buffers: Buffers, position: Position) -> sys::Result {
    let fd = open.fd;
    // SAFETY: the program's buffers.
    let write_file = |parts: &[iovec]| unsafe { raw_write(fd, parts, position, buffers.flags) };
    let total = buffers.total().min(MAX_TRANSFER);
    if !open.is_regular() || total == 0 {
        return write_file(buffers.parts);
    }
    let status = sys::status_flags(fd);
    let is_open = status & libc::O_ACCMODE != libc::O_RDONLY;
    let offset = start(fd, position);
    if !is_open || offset < 0 {
        return write_file(buffers.parts);
    }
    let appends = status & libc::O_APPEND != 0;
    // Data at the end of a file concern no other blocks.
    let at_end = appends || buffers.flags & libc::RWF_APPEND != 0;
    let write = |parts: &[iovec]| match at_end {
        true => write_file(parts),
        false => match blocks::write(open, parts, offset) {
            None => write_file(parts),
            Some(moved) => advance(fd, position, offset, moved),
        },
    };
    let append = if appends { u32::from(file_flag::APPEND) } else { 0 };
    let sync = if open.flags & SYNC != 0 { u32::from(file_flag::SYNC) } else { 0 };
    let flags = direct(open) | append | sync;
    let verdict = submit_open(FileCallKind::Write, flags, open, |header| {
        (header.offset, header.bytes) = (offset as u64, total as u64);
    });
    match verdict {
        Verdict::Absent => write(buffers.parts),
        Verdict::Failed(errno) => error(errno),
        Verdict::Done(reply) => {
            let limit = reply.value.min(total as u64) as usize;
            if appends {
                let at = reply.offset as i64;
                let append = |parts: &[iovec]| append_at(fd, parts, at, position);
                return check_space(open, limited(buffers, limit, append));
            }
            check_space(open, limited(buffers, limit, write))
        }
    }
}

/// # Safety
/// The program's buffers.
unsafe fn raw_write(fd: c_int, parts: &[iovec], position: Position, flags: c_int) -> sys::Result {
    unsafe {
        match (position, parts) {
            (Position::Current, [one]) if flags == 0 => {
                sys!(SYS_write, fd, one.iov_base, one.iov_len)
            }
            (Position::At(at), [one]) if flags == 0 => {
                sys!(SYS_pwrite64, fd, one.iov_base, one.iov_len, at)
            }
            (Position::Current, _) => {
                sys!(SYS_pwritev2, fd, parts.as_ptr(), parts.len(), CURRENT, CURRENT, flags)
            }
            (Position::At(at), _) => {
                sys!(SYS_pwritev2, fd, parts.as_ptr(), parts.len(), at, 0, flags)
            }
        }
    }
}

/// Writes at the position that the simulator has determined for a file that is open for appending.
/// The kernel's own append would use the order of real time.
fn append_at(fd: c_int, parts: &[iovec], at: i64, position: Position) -> sys::Result {
    // SAFETY: the program's buffers.
    let mut written = unsafe { raw_write(fd, parts, Position::At(at), NO_APPEND) };
    if written == error(libc::EOPNOTSUPP) {
        let mut link = [0u8; 32];
        sys::descriptor_link(fd, &mut link);
        let flags = libc::O_WRONLY | libc::O_CLOEXEC;
        // SAFETY: a zero-terminated path, and the program's buffers.
        unsafe {
            let other = sys!(SYS_openat, libc::AT_FDCWD, link.as_ptr(), flags) as c_int;
            if other < 0 {
                return other as isize;
            }
            written = raw_write(other, parts, Position::At(at), 0);
            sys::close(other);
        }
    }
    if written > 0 && matches!(position, Position::Current) {
        sys::lseek(fd, at + written as i64, libc::SEEK_SET);
    }
    written
}

/// Advances the file offset after a transfer that the kernel has not executed; its result.
fn advance(fd: c_int, position: Position, offset: i64, moved: sys::Result) -> sys::Result {
    if moved > 0 && matches!(position, Position::Current) {
        sys::lseek(fd, offset + moved as i64, libc::SEEK_SET);
    }
    moved
}

fn start(fd: c_int, position: Position) -> i64 {
    match position {
        Position::Current => sys::lseek(fd, 0, libc::SEEK_CUR) as i64,
        Position::At(at) => at,
    }
}

fn direct(open: &Open) -> u32 {
    if open.flags & DIRECT != 0 { u32::from(file_flag::DIRECT) } else { 0 }
}

/// Charges bytes that the kernel moves between files; the bytes that may be moved.
pub fn charge(open: &Open, kind: FileCallKind, offset: i64, bytes: u64) -> Result<u64, c_int> {
    if bytes == 0 || !open.is_regular() {
        return Ok(bytes);
    }
    let verdict = submit_open(kind, direct(open), open, |header| {
        (header.offset, header.bytes) = (offset.max(0) as u64, bytes);
    });
    match verdict {
        Verdict::Absent => Ok(bytes),
        Verdict::Done(reply) => Ok(reply.value.min(bytes)),
        Verdict::Failed(errno) => Err(errno),
    }
}

/// Transfers of one buffer. Fortified forms have the size of the buffer as last argument.
macro_rules! transfers {
    ($($simulated:ident($position:expr): $name:ident(
        $fd:ident, $at:ident: $pointer:ty, $n:ident $(, $more:ident: $ty:ty)*
    );)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            $fd: c_int,
            $at: $pointer,
            $n: size_t
            $(, $more: $ty)*
        ) -> ssize_t {
            if let Some(open) = simulated($fd) {
                let parts = one($at.cast(), $n);
                let buffers = Buffers { parts: &parts, flags: 0 };
                return finish($simulated(&open, buffers, $position));
            }
            let real = real!($name(c_int, $pointer, size_t $(, $ty)*) -> ssize_t);
            unsafe { real($fd, $at, $n $(, $more)*) }
        }
    )*};
}
type Out = *mut c_void;
type In = *const c_void;
transfers! {
    read_simulated(Position::Current): read(fd, at: Out, n);
    read_simulated(Position::Current): __read(fd, at: Out, n);
    write_simulated(Position::Current): write(fd, at: In, n);
    write_simulated(Position::Current): __write(fd, at: In, n);
    read_simulated(Position::At(offset)): pread(fd, at: Out, n, offset: off_t);
    read_simulated(Position::At(offset)): pread64(fd, at: Out, n, offset: off_t);
    write_simulated(Position::At(offset)): pwrite(fd, at: In, n, offset: off_t);
    write_simulated(Position::At(offset)): pwrite64(fd, at: In, n, offset: off_t);
}

/// Fortified reads: `room` is the size of the buffer.
macro_rules! fortified {
    ($($name:ident($plain:ident $(, $offset:ident)?);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            fd: c_int,
            at: *mut c_void,
            n: size_t,
            $($offset: off_t,)?
            room: size_t,
        ) -> ssize_t {
            if n <= room && may_be_simulated(fd) {
                return unsafe { $plain(fd, at, n $(, $offset)?) };
            }
            type V = *mut c_void;
            let real =
                real!($name(c_int, V, size_t, $(fortified!(@ $offset),)? size_t) -> ssize_t);
            unsafe { real(fd, at, n, $($offset,)? room) }
        }
    )*};
    (@ $offset:ident) => { off_t };
}
fortified! {
    __read_chk(read);
    __pread_chk(pread, offset);
    __pread64_chk(pread64, offset);
}

/// Transfers of several buffers. `-1` as position of the `v2` forms is the file offset.
macro_rules! vectors {
    ($($simulated:ident($position:expr, $flags:expr): $name:ident(
        $fd:ident, $parts:ident, $n:ident $(, $more:ident: $ty:ty)*
    );)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            $fd: c_int,
            $parts: *const iovec,
            $n: c_int
            $(, $more: $ty)*
        ) -> ssize_t {
            if (1..=MAX_PARTS as c_int).contains(&$n)
                && !$parts.is_null()
                && let Some(open) = simulated($fd)
            {
                // SAFETY: the program's buffers.
                let parts = unsafe { std::slice::from_raw_parts($parts, $n as usize) };
                let buffers = Buffers { parts, flags: $flags };
                return finish($simulated(&open, buffers, $position));
            }
            unsafe {
                real!($name(c_int, *const iovec, c_int $(, $ty)*) -> ssize_t)(
                    $fd, $parts, $n $(, $more)*
                )
            }
        }
    )*};
}
fn of_v2(offset: off_t) -> Position {
    if offset == -1 { Position::Current } else { Position::At(offset) }
}
vectors! {
    read_simulated(Position::Current, 0): readv(fd, parts, n);
    write_simulated(Position::Current, 0): writev(fd, parts, n);
    read_simulated(Position::At(offset), 0): preadv(fd, parts, n, offset: off_t);
    read_simulated(Position::At(offset), 0): preadv64(fd, parts, n, offset: off_t);
    write_simulated(Position::At(offset), 0): pwritev(fd, parts, n, offset: off_t);
    write_simulated(Position::At(offset), 0): pwritev64(fd, parts, n, offset: off_t);
    read_simulated(of_v2(offset), flags): preadv2(fd, parts, n, offset: off_t, flags: c_int);
    read_simulated(of_v2(offset), flags): preadv64v2(fd, parts, n, offset: off_t, flags: c_int);
    write_simulated(of_v2(offset), flags): pwritev2(fd, parts, n, offset: off_t, flags: c_int);
    write_simulated(of_v2(offset), flags): pwritev64v2(fd, parts, n, offset: off_t, flags: c_int);
}

macro_rules! seeks {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(fd: c_int, offset: off_t, whence: c_int) -> off_t {
            if !matches!(whence, libc::SEEK_SET | libc::SEEK_CUR)
                && let Some(open) = simulated(fd)
            {
                return seek_simulated(&open, offset, whence) as off_t;
            }
            unsafe { real!($name(c_int, off_t, c_int) -> off_t)(fd, offset, whence) }
        }
    )*};
}
seeks! { lseek lseek64 }

/// A seek that needs the size of the file.
pub fn seek_simulated(open: &Open, offset: i64, whence: c_int) -> isize {
    let needs_size = !matches!(whence, libc::SEEK_SET | libc::SEEK_CUR);
    if needs_size && let Verdict::Failed(errno) = submit_open(FileCallKind::Stat, 0, open, |_| {}) {
        return finish(error(errno));
    }
    if matches!(whence, libc::SEEK_DATA | libc::SEEK_HOLE)
        && let Err(errno) = blocks::settle_all(open)
    {
        return finish(error(errno));
    }
    finish(sys::lseek(open.fd, offset, whence))
}

macro_rules! syncs {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(fd: c_int) -> c_int {
            let real = real!($name(c_int) -> c_int);
            let Some(open) = simulated(fd) else { return unsafe { real(fd) } };
            match submit_open(FileCallKind::Sync, 0, &open, |_| {}) {
                Verdict::Absent => unsafe { real(fd) },
                Verdict::Failed(errno) => finish(error(errno)) as c_int,
                Verdict::Done(_) => 0,
            }
        }
    )*};
}
syncs! { fsync fdatasync }

/// `sync` of all file systems; the real disk is not part of the simulation.
#[unsafe(no_mangle)]
unsafe extern "C" fn sync() {
    if !mounts::active() || !is_present() {
        return unsafe { real!(sync() -> ())() };
    }
    for mount in 0..mounts::all().len() {
        let request = Request::new(FileCallKind::SyncAll, mount, 0);
        submit(&request.header, workload::file_request::FileReply::new());
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn syncfs(fd: c_int) -> c_int {
    let real = real!(syncfs(c_int) -> c_int);
    let Some(open) = simulated(fd) else { return unsafe { real(fd) } };
    match submit_open(FileCallKind::SyncAll, 0, &open, |_| {}) {
        Verdict::Absent => unsafe { real(fd) },
        Verdict::Failed(errno) => finish(error(errno)) as c_int,
        Verdict::Done(_) => 0,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sync_file_range(fd: c_int, start: off_t, n: off_t, flags: c_uint) -> c_int {
    let real = real!(sync_file_range(c_int, off_t, off_t, c_uint) -> c_int);
    let waits = flags & (libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WAIT_AFTER) != 0;
    if waits && let Some(open) = simulated(fd) {
        match submit_open(FileCallKind::Sync, 0, &open, |_| {}) {
            Verdict::Absent => {}
            Verdict::Failed(errno) => return finish(error(errno)) as c_int,
            Verdict::Done(_) => return 0,
        }
    }
    unsafe { real(fd, start, n, flags) }
}

macro_rules! truncations {
    ($($name:ident $by_path:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(fd: c_int, length: off_t) -> c_int {
            let real = real!($name(c_int, off_t) -> c_int);
            let Some(open) = simulated(fd) else { return unsafe { real(fd, length) } };
            let is_open = sys::status_flags(fd) & libc::O_ACCMODE != libc::O_RDONLY;
            if !is_open || length < 0 || !open.is_regular() {
                return unsafe { real(fd, length) };
            }
            let set = |header: &mut workload::file_request::FileRequest| {
                header.bytes = length as u64;
            };
            match submit_open(FileCallKind::Truncate, 0, &open, set) {
                Verdict::Failed(errno) => finish(error(errno)) as c_int,
                // SAFETY: no memory is involved.
                _ => finish(match blocks::truncate(&open, length) {
                    Ok(()) => unsafe { sys!(SYS_ftruncate, fd, length) },
                    Err(errno) => error(errno),
                }) as c_int,
            }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $by_path(path: *const c_char, length: off_t) -> c_int {
            let real = real!($by_path(*const c_char, off_t) -> c_int);
            let host = || unsafe { real(path, length) };
            unsafe {
                at((libc::AT_FDCWD, path, true), host, |target| {
                    if length < 0 {
                        return finish(error(libc::EINVAL)) as c_int;
                    }
                    let verdict = submit_path(FileCallKind::Truncate, 0, target, |request| {
                        request.set(|header| header.bytes = length as u64)
                    });
                    finish(match verdict {
                        Verdict::Absent => {
                            let path = target.absolute();
                            match blocks::on_path(path, |open| blocks::truncate(open, length)) {
                                Ok(()) => sys!(SYS_truncate, path, length),
                                Err(errno) => error(errno),
                            }
                        }
                        Verdict::Failed(errno) => error(errno),
                        Verdict::Done(_) => 0,
                    }) as c_int
                })
            }
        }
    )*};
}
truncations! { ftruncate truncate; ftruncate64 truncate64; }

/// Reserves space: the kernel's result. The backing file is extended without blocks, because its
/// blocks are real.
fn allocate_simulated(open: &Open, mode: c_int, offset: i64, length: i64) -> sys::Result {
    const PLAIN: c_int = libc::FALLOC_FL_KEEP_SIZE;
    let is_open = sys::status_flags(open.fd) & libc::O_ACCMODE != libc::O_RDONLY;
    // SAFETY: no memory is involved, here and below.
    let host = || unsafe { sys!(SYS_fallocate, open.fd, mode, offset, length) };
    if offset < 0 || length <= 0 || !is_open || !open.is_regular() {
        return host();
    }
    let verdict = submit_open(FileCallKind::Allocate, request_flag::FALLOCATE, open, |header| {
        header.mode = mode as u32;
        (header.offset, header.bytes) = (offset as u64, length as u64);
    });
    if let Verdict::Failed(errno) = verdict {
        return error(errno);
    }
    if mode & !PLAIN != 0 {
        return match blocks::settle_all(open) {
            Ok(()) => check_space(open, host()),
            Err(errno) => error(errno),
        };
    }
    let Some(end) = offset.checked_add(length) else { return error(libc::EFBIG) };
    if mode & PLAIN != 0 || end as u64 <= open.size() {
        return 0;
    }
    unsafe { sys!(SYS_ftruncate, open.fd, end) }
}

/// `posix_fallocate`. Where the file system does not reserve space, the C library writes a byte to
/// each block that has none (sysdeps/posix/posix_fallocate64.c of glibc).
fn allocate_posix(open: &Open, offset: i64, length: i64) -> sys::Result {
    const MAX_BLOCK: i64 = 4096;
    let result = allocate_simulated(open, 0, offset, length);
    if result != error(libc::EOPNOTSUPP) {
        return result;
    }
    if sys::status_flags(open.fd) & libc::O_APPEND != 0 {
        return error(libc::EBADF);
    }
    let (mut at, mut left) = (offset + (length - 1) % MAX_BLOCK, length);
    while left > 0 {
        left -= MAX_BLOCK;
        let mut found = [0u8];
        let parts = one(found.as_mut_ptr().cast(), 1);
        let has_data = (at as u64) < open.size()
            && match read_simulated(open, Buffers { parts: &parts, flags: 0 }, Position::At(at)) {
                error if error < 0 => return error,
                n => n == 1 && found != [0],
            };
        if !has_data {
            let zero = one([0u8].as_ptr().cast(), 1);
            let buffers = Buffers { parts: &zero, flags: 0 };
            let result = write_simulated(open, buffers, Position::At(at));
            if result < 0 {
                return result;
            }
        }
        at += MAX_BLOCK;
    }
    0
}

macro_rules! allocations {
    ($($name:ident $posix:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(fd: c_int, mode: c_int, offset: off_t, n: off_t) -> c_int {
            if let Some(open) = simulated(fd) {
                return finish(allocate_simulated(&open, mode, offset, n)) as c_int;
            }
            unsafe { real!($name(c_int, c_int, off_t, off_t) -> c_int)(fd, mode, offset, n) }
        }
        /// Returns the error and leaves `errno`.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $posix(fd: c_int, offset: off_t, n: off_t) -> c_int {
            if let Some(open) = simulated(fd) {
                return -(allocate_posix(&open, offset, n) as c_int);
            }
            unsafe { real!($posix(c_int, off_t, off_t) -> c_int)(fd, offset, n) }
        }
    )*};
}
allocations! { fallocate posix_fallocate; fallocate64 posix_fallocate64; }

/// One side of a copy in the kernel.
struct Side {
    fd: c_int,
    open: Option<Open>,
    offset: i64,
}

impl Side {
    /// # Safety
    /// `offset` is null or points to the program's offset.
    unsafe fn new(fd: c_int, offset: *const off_t) -> Side {
        let open = simulated(fd);
        let offset = match offset.is_null() {
            true => sys::lseek(fd, 0, libc::SEEK_CUR) as i64,
            false => unsafe { *offset },
        };
        Side { fd, open, offset }
    }
    /// Bytes from the offset to the end of a regular file.
    fn left(&self) -> Option<u64> {
        let size = match &self.open {
            Some(open) => open.size(),
            None => {
                let status = sys::fstat(self.fd).ok()?;
                (status.st_mode & libc::S_IFMT == libc::S_IFREG).then_some(status.st_size as u64)?
            }
        };
        Some(size.saturating_sub(self.offset.max(0) as u64))
    }
    fn charge(&self, kind: FileCallKind, bytes: u64) -> Result<u64, c_int> {
        self.open.as_ref().map_or(Ok(bytes), |open| charge(open, kind, self.offset, bytes))
    }
}

/// Charges a copy from one descriptor to another; the bytes to copy.
///
/// # Safety
/// As `Side::new`.
unsafe fn charge_copy(
    from: (c_int, *const off_t),
    to: (c_int, *const off_t),
    bytes: usize,
) -> Result<usize, c_int> {
    let (from, to) = unsafe { (Side::new(from.0, from.1), Side::new(to.0, to.1)) };
    let mut bytes = bytes.min(MAX_TRANSFER) as u64;
    if let Some(left) = from.left() {
        bytes = bytes.min(left);
    }
    bytes = from.charge(FileCallKind::Read, bytes)?;
    bytes = to.charge(FileCallKind::Write, bytes)?;
    // Now, when the calls before this one in simulated time have stored their blocks.
    for open in [&from.open, &to.open].into_iter().flatten() {
        blocks::settle_all(open)?;
    }
    Ok(bytes as usize)
}

macro_rules! sendfiles {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            to: c_int,
            from: c_int,
            offset: *mut off_t,
            n: size_t,
        ) -> ssize_t {
            let real = real!($name(c_int, c_int, *mut off_t, size_t) -> ssize_t);
            let mut n = n;
            if may_be_simulated(to) || may_be_simulated(from) {
                match unsafe { charge_copy((from, offset), (to, std::ptr::null()), n) } {
                    Ok(charged) => n = charged,
                    Err(errno) => return finish(error(errno)),
                }
            }
            copied(to, unsafe { real(to, from, offset, n) })
        }
    )*};
}
sendfiles! { sendfile sendfile64 }

/// The result of the C library's copy to a descriptor.
fn copied(to: c_int, moved: ssize_t) -> ssize_t {
    if moved < 0
        && let Some(open) = simulated(to)
    {
        check_space(&open, error(sys::errno()));
    }
    moved
}

#[unsafe(no_mangle)]
unsafe extern "C" fn copy_file_range(
    from: c_int,
    from_at: *mut off_t,
    to: c_int,
    to_at: *mut off_t,
    n: size_t,
    flags: c_uint,
) -> ssize_t {
    type At = *mut off_t;
    let real = real!(copy_file_range(c_int, At, c_int, At, size_t, c_uint) -> ssize_t);
    let mut n = n;
    if may_be_simulated(to) || may_be_simulated(from) {
        let mount = |fd| simulated(fd).map(|open| open.mount);
        if !mounts::is_same(mount(from), mount(to)) {
            return finish(error(libc::EXDEV));
        }
        match unsafe { charge_copy((from, from_at), (to, to_at), n) } {
            Ok(charged) => n = charged,
            Err(errno) => return finish(error(errno)),
        }
    }
    copied(to, unsafe { real(from, from_at, to, to_at, n, flags) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn splice(
    from: c_int,
    from_at: *mut off_t,
    to: c_int,
    to_at: *mut off_t,
    n: size_t,
    flags: c_uint,
) -> ssize_t {
    type At = *mut off_t;
    let real = real!(splice(c_int, At, c_int, At, size_t, c_uint) -> ssize_t);
    let host = |n| unsafe { real(from, from_at, to, to_at, n, flags) };
    if may_be_simulated(from) {
        return match unsafe { charge_copy((from, from_at), (to, std::ptr::null()), n) } {
            Ok(charged) => host(charged),
            Err(errno) => finish(error(errno)),
        };
    }
    // The bytes in the pipe are known after the call.
    let to_side = may_be_simulated(to).then(|| unsafe { Side::new(to, to_at) });
    if let Some(Side { open: Some(open), .. }) = &to_side
        && let Err(errno) = blocks::settle_all(open)
    {
        return finish(error(errno));
    }
    let moved = copied(to, host(n));
    if let Some(side) = to_side
        && moved > 0
        && let Err(errno) = side.charge(FileCallKind::Write, moved as u64)
    {
        return finish(error(errno));
    }
    moved
}

/// Copies of files by reference: file systems of this kind do not have them.
#[unsafe(no_mangle)]
unsafe extern "C" fn ioctl(fd: c_int, request: std::ffi::c_ulong, argument: c_long) -> c_int {
    // FICLONE, FICLONERANGE, FIDEDUPERANGE of linux/fs.h.
    const REFERENCES: [u32; 3] = [0x4004_9409, 0x4020_940d, 0xc018_9436];
    if may_be_simulated(fd) && REFERENCES.contains(&(request as u32)) && simulated(fd).is_some() {
        return finish(error(libc::EOPNOTSUPP)) as c_int;
    }
    unsafe { real!(ioctl(c_int, std::ffi::c_ulong, c_long) -> c_int)(fd, request, argument) }
}

/// Reads into one buffer, for callers in this library.
///
/// # Safety
/// The buffer is valid.
pub unsafe fn read_one(open: &Open, at: *mut c_void, n: usize) -> sys::Result {
    let parts = one(at, n);
    read_simulated(open, Buffers { parts: &parts, flags: 0 }, Position::Current)
}

/// Writes one buffer, for callers in this library.
///
/// # Safety
/// The buffer is valid.
pub unsafe fn write_one(open: &Open, at: *const c_void, n: usize) -> sys::Result {
    let parts = one(at, n);
    write_simulated(open, Buffers { parts: &parts, flags: 0 }, Position::Current)
}

/// Charges a transfer that other functions execute.
pub fn charge_at(fd: c_int, kind: FileCallKind, offset: i64, bytes: u64) -> Result<(), c_int> {
    match descriptors::simulated(fd) {
        Some(open) => {
            charge(&open, kind, offset, bytes)?;
            // Now, as in `charge_copy`.
            blocks::make_plain(&open)
        }
        None => Ok(()),
    }
}
