//! Files that a rank opens: those that hold the host's name are the simulated node's, of the others
//! is noted what the summary of the run says of them.
//!
//! No file system is simulated, so a run says how many files were opened by other means than MPI.
//! And simulated dates repeat, so a file named by the date may be one of an earlier run's.
//!
//! The ledger is memory that the launcher shares: two counters, of files opened to be written and
//! to be read; how many bytes of paths there are; and from `PATHS_AT` on zero-terminated paths of
//! files that were begun anew. The launcher reads it in `crates/live/src/files.rs`.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use libc::{FILE, mode_t, stat};

use crate::identity::host_file;
use crate::{mode, real};

const LEDGER: &CStr = c"ODONATA_LEDGER";
const LEDGER_BYTES: usize = 64 << 10;
const PATHS_AT: usize = 4096;
/// When the run began, in nanoseconds since 1970 of the real clock; set where dates repeat.
const STARTED: &CStr = c"ODONATA_STARTED";
/// What the kernel's coarse clock, of which files have their times, may be behind.
const COARSE_NS: u64 = 10_000_000;
/// Our MPI library opens its files with this flag, which means nothing for files.
const OF_MPI: c_int = libc::O_NOCTTY;
/// A name with fewer digits holds no date.
const LEAST_DIGITS: usize = 4;

/// The rank is between `MPI_Init` and its end.
static SEATED: AtomicBool = AtomicBool::new(false);
static AT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static BEGAN_NS: AtomicU64 = AtomicU64::new(u64::MAX);

/// The MPI library has taken its seat, or this is a copy of a process that had one.
pub(crate) fn set_seated(is_seated: bool) {
    SEATED.store(is_seated, Ordering::Relaxed);
}

fn ledger() -> Option<*mut u8> {
    let found = AT.load(Ordering::Acquire);
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
    AT.store(at, Ordering::Release);
    at
}

fn counter(ledger: *mut u8, nth: usize) -> &'static AtomicU64 {
    // SAFETY: aligned words at the beginning of a mapping that is never removed.
    unsafe { &*ledger.cast::<AtomicU64>().add(nth) }
}

/// When the run began; `u64::MAX` before it is looked up, 0 where no note is wanted.
fn began_ns() -> u64 {
    let known = BEGAN_NS.load(Ordering::Relaxed);
    if known != u64::MAX {
        return known;
    }
    // SAFETY: a zero-terminated name; the value is only read here.
    let text = unsafe { libc::getenv(STARTED.as_ptr()) };
    let text = if text.is_null() { c"" } else { unsafe { CStr::from_ptr(text) } };
    let began = text.to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    BEGAN_NS.store(began, Ordering::Relaxed);
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

/// Whether there is such a file, with a name that may hold a date, and was before the run began.
unsafe fn is_earlier(dir: c_int, path: *const c_char) -> bool {
    let began = if mode() == mode::REAL { 0 } else { began_ns() };
    if began == 0 || path.is_null() {
        return false;
    }
    // SAFETY: the caller's, zero-terminated.
    let name = unsafe { CStr::from_ptr(path) }.to_bytes();
    if name.iter().filter(|byte| byte.is_ascii_digit()).count() < LEAST_DIGITS {
        return false;
    }
    status(dir, path).is_some_and(|found| {
        let changed = found.st_mtime as u64 * 1_000_000_000 + found.st_mtime_nsec as u64;
        is_regular(&found) && changed.saturating_add(COARSE_NS) < began
    })
}

/// Adds a path to the ledger, unless it is there.
unsafe fn note(dir: c_int, path: *const c_char) {
    let Some(ledger) = ledger() else { return };
    // SAFETY: as above.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let mut whole = [0u8; 2 * libc::PATH_MAX as usize];
    let mut n = 0;
    if !path.starts_with(b"/") && dir == libc::AT_FDCWD {
        let (at, size) = (whole.as_mut_ptr(), libc::PATH_MAX as usize - 1);
        // SAFETY: writes at most as much, and a zero with it, which is counted.
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
        // SAFETY: inside the mapping; what others write beyond `seen` is not looked at.
        let there = unsafe { std::slice::from_raw_parts(ledger.add(PATHS_AT), seen as usize) };
        if there.split_inclusive(|&byte| byte == 0).any(|one| one == whole) {
            return;
        }
        let next = seen + whole.len() as u64;
        if at(next) > LEDGER_BYTES {
            return;
        }
        match used.compare_exchange(seen, next, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: this stretch is ours alone now.
            Ok(_) => return unsafe { ledger.add(at(seen)).copy_from(whole.as_ptr(), whole.len()) },
            Err(now) => seen = now,
        }
    }
}

/// Whether a file that is only read is one of the system's, or a program's text, and no data.
fn is_program(path: &[u8]) -> bool {
    const FOLDERS: [&[u8]; 6] = [b"/usr/", b"/lib", b"/etc/", b"/bin/", b"/sbin/", b"/opt/"];
    const ENDS: [&[u8]; 5] = [b".py", b".pyc", b".so", b".pth", b"pyvenv.cfg"];
    const PARTS: [&[u8]; 3] = [b".so.", b"/site-packages/", b"/lib/python"];
    FOLDERS.iter().any(|folder| path.starts_with(folder))
        || ENDS.iter().any(|end| path.ends_with(end))
        || PARTS.iter().any(|part| path.windows(part.len()).any(|found| found == *part))
}

/// Counts a file that has been opened.
unsafe fn count(fd: c_int, path: *const c_char, flags: c_int) {
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
    let is_kernels =
        [&b"/proc/"[..], b"/sys/", b"/dev/"].iter().any(|start| path.starts_with(start));
    if is_kernels || (!writes && is_program(path)) {
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

/// Opens a file, and notes what there is to note.
unsafe fn opened(
    (dir, path, flags): (c_int, *const c_char, c_int),
    open: impl FnOnce() -> c_int,
) -> c_int {
    if let Some(fd) = unsafe { host_file(path, flags) } {
        return fd;
    }
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
    let of_mpi = flags & OF_MPI != 0;
    let begins = flags & libc::O_TRUNC != 0 || (of_mpi && flags & libc::O_CREAT != 0);
    let replaces = writes && begins && unsafe { is_earlier(dir, path) };
    let fd = open();
    if fd >= 0 && !path.is_null() {
        // SAFETY: a path that could be opened.
        unsafe {
            if replaces {
                note(dir, path);
            }
            if SEATED.load(Ordering::Relaxed) && !of_mpi {
                let errno = libc::__errno_location();
                let before = *errno;
                count(fd, path, flags);
                *errno = before;
            }
        }
    }
    fd
}

/// `open` and its like: the last argument is there if a file may be created. Both of the C
/// library's conventions pass it as they would pass one that is always there.
macro_rules! opens {
    ($($name:ident, $checked:ident, $name_at:ident, $checked_at:ident, $create:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            let real = real!($name(*const c_char, c_int, mode_t) -> c_int);
            unsafe { opened((libc::AT_FDCWD, path, flags), || real(path, flags, mode)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $checked(path: *const c_char, flags: c_int) -> c_int {
            let real = real!($checked(*const c_char, c_int) -> c_int);
            unsafe { opened((libc::AT_FDCWD, path, flags), || real(path, flags)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_at(
            dir: c_int,
            path: *const c_char,
            flags: c_int,
            mode: mode_t,
        ) -> c_int {
            let real = real!($name_at(c_int, *const c_char, c_int, mode_t) -> c_int);
            unsafe { opened((dir, path, flags), || real(dir, path, flags, mode)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $checked_at(dir: c_int, path: *const c_char, flags: c_int) -> c_int {
            let real = real!($checked_at(c_int, *const c_char, c_int) -> c_int);
            unsafe { opened((dir, path, flags), || real(dir, path, flags)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $create(path: *const c_char, mode: mode_t) -> c_int {
            let real = real!($create(*const c_char, mode_t) -> c_int);
            let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
            unsafe { opened((libc::AT_FDCWD, path, flags), || real(path, mode)) }
        }
    )*};
}
opens! {
    open, __open_2, openat, __openat_2, creat;
    open64, __open64_2, openat64, __openat64_2, creat64;
}

/// The flags that a mode of `fopen` stands for.
unsafe fn flags_of(mode: *const c_char) -> c_int {
    if mode.is_null() {
        return 0;
    }
    // SAFETY: the caller's, zero-terminated.
    let mode = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let has = |byte: u8| mode.contains(&byte);
    let access = match mode.first() {
        _ if has(b'+') => libc::O_RDWR,
        Some(b'r') => libc::O_RDONLY,
        _ => libc::O_WRONLY,
    };
    let begins = match mode.first() {
        Some(b'w') => libc::O_CREAT | libc::O_TRUNC,
        Some(b'a') => libc::O_CREAT | libc::O_APPEND,
        _ => 0,
    };
    access | begins | if has(b'e') { libc::O_CLOEXEC } else { 0 }
}

macro_rules! streams {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, mode: *const c_char) -> *mut FILE {
            let flags = unsafe { flags_of(mode) };
            // SAFETY: a descriptor of ours becomes the stream's.
            if let Some(fd) = unsafe { host_file(path, flags) } {
                return unsafe { libc::fdopen(fd, mode) };
            }
            let real = real!($name(*const c_char, *const c_char) -> *mut FILE);
            let mut stream = null_mut();
            let open = || {
                stream = unsafe { real(path, mode) };
                if stream.is_null() { -1 } else { unsafe { libc::fileno(stream) } }
            };
            unsafe { opened((libc::AT_FDCWD, path, flags), open) };
            stream
        }
    )*};
}
streams! { fopen fopen64 }

/// A file that takes the place of an earlier run's.
unsafe fn moved(dir: c_int, path: *const c_char, rename: impl FnOnce() -> c_int) -> c_int {
    let replaces = unsafe { is_earlier(dir, path) };
    let answer = rename();
    if replaces && answer == 0 {
        unsafe { note(dir, path) };
    }
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let real = real!(rename(*const c_char, *const c_char) -> c_int);
    unsafe { moved(libc::AT_FDCWD, to, || real(from, to)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn renameat(
    from_dir: c_int,
    from: *const c_char,
    to_dir: c_int,
    to: *const c_char,
) -> c_int {
    let real = real!(renameat(c_int, *const c_char, c_int, *const c_char) -> c_int);
    unsafe { moved(to_dir, to, || real(from_dir, from, to_dir, to)) }
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
    // Any flag asks that nothing be replaced.
    let path = if flags == 0 { to } else { std::ptr::null() };
    unsafe { moved(to_dir, path, || real(from_dir, from, to_dir, to, flags)) }
}
