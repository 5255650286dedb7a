//! Files that a rank opens. Files with the host's name show that of the simulated node; the others
//! are counted for the summary of the run.
//!
//! Outside mounts no file system is simulated, so a run reports how many files were opened there by
//! other means than MPI. Simulated dates repeat, so a file named after the date may replace one of
//! an earlier run.
//!
//! The ledger is memory shared with the launcher. It has two counters, of files opened for writing
//! and for reading, then the number of bytes of paths, and from `PATHS_AT` on the zero-terminated
//! paths of replaced files. The launcher reads it in `crates/live/src/files.rs`.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use libc::{FILE, mode_t, stat};

use crate::identity::{is_address, open_host_file};
use crate::{mode, real};

const LEDGER: &CStr = c"ODONATA_LEDGER";
const LEDGER_BYTES: usize = 64 << 10;
const PATHS_AT: usize = 4096;
/// Start of the run in nanoseconds since 1970 of the real clock; set if dates repeat.
const STARTED: &CStr = c"ODONATA_STARTED";
/// Largest lag of the kernel's coarse clock, which gives files their times.
const COARSE_NS: u64 = 10_000_000;
/// odonata's MPI library opens its files with this flag, which has no effect on files.
const MPI_IO_FLAG: c_int = libc::O_NOCTTY;
/// A name with fewer digits contains no date.
const MIN_DATE_DIGITS: usize = 4;

/// Whether the rank is between `MPI_Init` and its end.
static IN_MPI: AtomicBool = AtomicBool::new(false);
static MAPPING: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static RUN_START_NS: AtomicU64 = AtomicU64::new(u64::MAX);

/// Called by `MPI_Init`, and after a fork in the child.
pub(crate) fn set_in_mpi(in_mpi: bool) {
    IN_MPI.store(in_mpi, Ordering::Relaxed);
}

fn ledger() -> Option<*mut u8> {
    let found = MAPPING.load(Ordering::Acquire);
    let found = if found.is_null() { map() } else { found };
    (found != libc::MAP_FAILED).then_some(found.cast())
}

#[cold]
fn map() -> *mut c_void {
    // SAFETY: a zero-terminated name and plain system calls; two threads at once map it twice.
    let at = unsafe {
        let path = libc::getenv(LEDGER.as_ptr());
        let flags = libc::O_RDWR | libc::O_CLOEXEC;
        let fd = match path.is_null() {
            true => -1,
            false => libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, flags) as c_int,
        };
        if fd < 0 {
            libc::MAP_FAILED
        } else {
            let rw = libc::PROT_READ | libc::PROT_WRITE;
            let at = libc::mmap(null_mut(), LEDGER_BYTES, rw, libc::MAP_SHARED, fd, 0);
            libc::syscall(libc::SYS_close, fd);
            at
        }
    };
    MAPPING.store(at, Ordering::Release);
    at
}

fn counter(ledger: *mut u8, nth: usize) -> &'static AtomicU64 {
    // SAFETY: aligned words at the beginning of a mapping that is never removed.
    unsafe { &*ledger.cast::<AtomicU64>().add(nth) }
}

/// Start of the run in nanoseconds since 1970; 0 if replaced files are not recorded.
fn run_start_ns() -> u64 {
    let known = RUN_START_NS.load(Ordering::Relaxed);
    if known != u64::MAX {
        return known;
    }
    // SAFETY: a zero-terminated name; the value is only read here.
    let text = unsafe { libc::getenv(STARTED.as_ptr()) };
    let text = if text.is_null() { c"" } else { unsafe { CStr::from_ptr(text) } };
    let began = text.to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    RUN_START_NS.store(began, Ordering::Relaxed);
    began
}

fn status(dir: c_int, path: *const c_char) -> Option<stat> {
    // SAFETY: plain system call; zeroed is a valid `stat`.
    unsafe {
        let mut found: stat = std::mem::zeroed();
        let answer = libc::syscall(libc::SYS_newfstatat, dir, path, &raw mut found, 0);
        (answer == 0).then_some(found)
    }
}

fn is_regular(found: &stat) -> bool {
    found.st_mode & libc::S_IFMT == libc::S_IFREG
}

/// Whether the file exists, is older than the run, and its name may contain a date.
unsafe fn is_earlier(dir: c_int, path: *const c_char) -> bool {
    let began = if mode() == mode::REAL { 0 } else { run_start_ns() };
    if began == 0 || !is_address(path) {
        return false;
    }
    // SAFETY: the caller's zero-terminated text.
    let name = unsafe { CStr::from_ptr(path) }.to_bytes();
    if name.iter().filter(|byte| byte.is_ascii_digit()).count() < MIN_DATE_DIGITS {
        return false;
    }
    status(dir, path).is_some_and(|found| {
        let changed = found.st_mtime as u64 * 1_000_000_000 + found.st_mtime_nsec as u64;
        is_regular(&found) && changed.saturating_add(COARSE_NS) < began
    })
}

/// Adds a path to the ledger, unless it has it already.
unsafe fn record_path(dir: c_int, path: *const c_char) {
    let Some(ledger) = ledger() else { return };
    // SAFETY: as above.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let mut whole = [0u8; 2 * libc::PATH_MAX as usize];
    let mut n = 0;
    if !path.starts_with(b"/") && dir == libc::AT_FDCWD {
        let (at, size) = (whole.as_mut_ptr(), libc::PATH_MAX as usize - 1);
        // SAFETY: writes at most `size` bytes, with a final zero that the result counts.
        let got = unsafe { libc::syscall(libc::SYS_getcwd, at, size) };
        n = usize::try_from(got - 1).unwrap_or(0);
        whole[n] = b'/';
        n += 1;
    }
    let m = path.len().min(libc::PATH_MAX as usize);
    whole[n..n + m].copy_from_slice(&path[..m]);
    let whole = &whole[..n + m + 1];
    let used = counter(ledger, 2);
    let at = |used: u64| PATHS_AT + used as usize;
    let mut seen = used.load(Ordering::Acquire);
    loop {
        // SAFETY: inside the mapping; bytes beyond `seen`, which others write, are not read.
        let there = unsafe { std::slice::from_raw_parts(ledger.add(PATHS_AT), seen as usize) };
        if there.split_inclusive(|&byte| byte == 0).any(|one| one == whole) {
            return;
        }
        let next = seen + whole.len() as u64;
        if at(next) > LEDGER_BYTES {
            return;
        }
        match used.compare_exchange(seen, next, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: this range now belongs to this thread.
            Ok(_) => return unsafe { ledger.add(at(seen)).copy_from(whole.as_ptr(), whole.len()) },
            Err(now) => seen = now,
        }
    }
}

/// Whether a file opened for reading belongs to the system or to a program rather than to data.
fn is_program(path: &[u8]) -> bool {
    const FOLDERS: [&[u8]; 6] = [b"/usr/", b"/lib", b"/etc/", b"/bin/", b"/sbin/", b"/opt/"];
    const ENDS: [&[u8]; 5] = [b".py", b".pyc", b".so", b".pth", b"pyvenv.cfg"];
    const PARTS: [&[u8]; 3] = [b".so.", b"/site-packages/", b"/lib/python"];
    FOLDERS.iter().any(|folder| path.starts_with(folder))
        || ENDS.iter().any(|end| path.ends_with(end))
        || PARTS.iter().any(|part| path.windows(part.len()).any(|found| found == *part))
}

/// Whether a descriptor is of a file on a simulated file system (`crates/posix`).
fn is_simulated(fd: c_int) -> bool {
    type IsSimulated = extern "C" fn(c_int) -> c_int;
    // SAFETY: a zero-terminated name, which only that library defines.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"odonata_file_is_simulated".as_ptr());
        !found.is_null() && std::mem::transmute::<*mut c_void, IsSimulated>(found)(fd) != 0
    }
}

/// Counts an opened file.
unsafe fn count(fd: c_int, path: *const c_char, flags: c_int) {
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
    let is_kernels =
        [&b"/proc/"[..], b"/sys/", b"/dev/"].iter().any(|start| path.starts_with(start));
    if is_kernels || (!writes && is_program(path)) {
        return;
    }
    if is_simulated(fd) {
        return;
    }
    // SAFETY: plain system call; zeroed is a valid `stat`.
    let found = unsafe {
        let mut found: stat = std::mem::zeroed();
        (libc::syscall(libc::SYS_fstat, fd, &raw mut found) == 0).then_some(found)
    };
    if found.is_some_and(|found| is_regular(&found))
        && let Some(ledger) = ledger()
    {
        counter(ledger, usize::from(!writes)).fetch_add(1, Ordering::Relaxed);
    }
}

/// Opens a file, counts it, and records it if it replaces an earlier one.
unsafe fn open_and_count(
    (dir, path, flags): (c_int, *const c_char, c_int),
    open: impl FnOnce() -> c_int,
) -> c_int {
    if let Some(fd) = unsafe { open_host_file(path, flags) } {
        return fd;
    }
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
    let of_mpi = flags & MPI_IO_FLAG != 0;
    let creation = flags & libc::O_TRUNC != 0 || (of_mpi && flags & libc::O_CREAT != 0);
    let replaces = writes && creation && unsafe { is_earlier(dir, path) };
    let fd = open();
    if fd >= 0 && !path.is_null() {
        // SAFETY: a path that has been opened.
        unsafe {
            if replaces {
                record_path(dir, path);
            }
            if IN_MPI.load(Ordering::Relaxed) && !of_mpi {
                let errno = libc::__errno_location();
                let before = *errno;
                count(fd, path, flags);
                *errno = before;
            }
        }
    }
    fd
}

/// `open` and similar functions. Callers pass `mode` only if a file may be created. The C calling
/// conventions pass such an optional argument like a fixed one.
macro_rules! opens {
    ($($name:ident, $checked:ident, $name_at:ident, $checked_at:ident, $create:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            let real = real!($name(*const c_char, c_int, mode_t) -> c_int);
            unsafe { open_and_count((libc::AT_FDCWD, path, flags), || real(path, flags, mode)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $checked(path: *const c_char, flags: c_int) -> c_int {
            let real = real!($checked(*const c_char, c_int) -> c_int);
            unsafe { open_and_count((libc::AT_FDCWD, path, flags), || real(path, flags)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_at(
            dir: c_int,
            path: *const c_char,
            flags: c_int,
            mode: mode_t,
        ) -> c_int {
            let real = real!($name_at(c_int, *const c_char, c_int, mode_t) -> c_int);
            unsafe { open_and_count((dir, path, flags), || real(dir, path, flags, mode)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $checked_at(dir: c_int, path: *const c_char, flags: c_int) -> c_int {
            let real = real!($checked_at(c_int, *const c_char, c_int) -> c_int);
            unsafe { open_and_count((dir, path, flags), || real(dir, path, flags)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $create(path: *const c_char, mode: mode_t) -> c_int {
            let real = real!($create(*const c_char, mode_t) -> c_int);
            let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
            unsafe { open_and_count((libc::AT_FDCWD, path, flags), || real(path, mode)) }
        }
    )*};
}
opens! {
    open, __open_2, openat, __openat_2, creat;
    open64, __open64_2, openat64, __openat64_2, creat64;
}

/// The flags of `open` that correspond to a mode of `fopen`.
unsafe fn flags_of(mode: *const c_char) -> c_int {
    if mode.is_null() {
        return 0;
    }
    // SAFETY: the caller's zero-terminated text.
    let mode = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let has = |byte: u8| mode.contains(&byte);
    let access = match mode.first() {
        _ if has(b'+') => libc::O_RDWR,
        Some(b'r') => libc::O_RDONLY,
        _ => libc::O_WRONLY,
    };
    let creation = match mode.first() {
        Some(b'w') => libc::O_CREAT | libc::O_TRUNC,
        Some(b'a') => libc::O_CREAT | libc::O_APPEND,
        _ => 0,
    };
    access | creation | if has(b'e') { libc::O_CLOEXEC } else { 0 }
}

macro_rules! streams {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, mode: *const c_char) -> *mut FILE {
            let flags = unsafe { flags_of(mode) };
            // SAFETY: the new descriptor becomes the stream's.
            if let Some(fd) = unsafe { open_host_file(path, flags) } {
                return unsafe { libc::fdopen(fd, mode) };
            }
            let real = real!($name(*const c_char, *const c_char) -> *mut FILE);
            let mut stream = null_mut();
            let open = || {
                stream = unsafe { real(path, mode) };
                if stream.is_null() { -1 } else { unsafe { libc::fileno(stream) } }
            };
            unsafe { open_and_count((libc::AT_FDCWD, path, flags), open) };
            stream
        }
    )*};
}
streams! { fopen fopen64 }

/// Renames a file, and records the target if it was one of an earlier run.
unsafe fn rename_and_record(
    dir: c_int,
    path: *const c_char,
    rename: impl FnOnce() -> c_int,
) -> c_int {
    let replaces = unsafe { is_earlier(dir, path) };
    let answer = rename();
    if replaces && answer == 0 {
        unsafe { record_path(dir, path) };
    }
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let real = real!(rename(*const c_char, *const c_char) -> c_int);
    unsafe { rename_and_record(libc::AT_FDCWD, to, || real(from, to)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn renameat(
    from_dir: c_int,
    from: *const c_char,
    to_dir: c_int,
    to: *const c_char,
) -> c_int {
    let real = real!(renameat(c_int, *const c_char, c_int, *const c_char) -> c_int);
    unsafe { rename_and_record(to_dir, to, || real(from_dir, from, to_dir, to)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn renameat2(
    from_dir: c_int,
    from: *const c_char,
    to_dir: c_int,
    to: *const c_char,
    flags: c_uint,
) -> c_int {
    let real = real!(renameat2(c_int, *const c_char, c_int, *const c_char, c_uint) -> c_int);
    // With any flag, nothing is replaced.
    let path = if flags == 0 { to } else { std::ptr::null() };
    unsafe { rename_and_record(to_dir, path, || real(from_dir, from, to_dir, to, flags)) }
}
