//! Streams of the C library. Inside it, they call `read`, `write`, `close`, `lseek` and `fstat`
//! without the dynamic linker. But they do so through a table of functions, one for all streams of
//! files. This library replaces entries of that table.
//!
//! The table is in memory that the loader has made read-only; its protection is changed for the
//! time of the replacement. If the system refuses that, transfers of streams take no simulated
//! time, which is reported once.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::{FILE, stat};

use crate::data::{read_one, seek_simulated, write_one};
use crate::descriptors::{may_be_simulated, simulated};
use crate::mount_table;
use crate::next::{at, real};
use crate::open::{close_simulated, open_target};
use crate::place::Target;
use crate::status::{put, stat_open};
use crate::sys::{self, finish};

/// Entries of `struct _IO_jump_t` of glibc, counted in pointers; unchanged since glibc 2.2
/// (libio/libioP.h).
mod entry {
    pub const READ: usize = 14;
    pub const WRITE: usize = 15;
    pub const SEEK: usize = 16;
    pub const CLOSE: usize = 17;
    pub const STAT: usize = 18;
}
/// The tables of streams of bytes and of wide characters.
const TABLES: [&CStr; 2] = [c"_IO_file_jumps", c"_IO_wfile_jumps"];
/// Their functions, by which a table is recognized.
const KNOWN: [(usize, &CStr); 3] = [
    (entry::WRITE, c"_IO_file_write"),
    (entry::SEEK, c"_IO_file_seek"),
    (entry::CLOSE, c"_IO_file_close"),
];

/// `struct _IO_FILE` of 64-bit glibc: the flags at its beginning and the cached file offset.
const ERROR_SEEN: c_int = 0x20;
const OFFSET_AT: usize = 144;

type Read = unsafe extern "C" fn(*mut FILE, *mut c_void, isize) -> isize;
type Write = unsafe extern "C" fn(*mut FILE, *const c_void, isize) -> isize;
type Seek = unsafe extern "C" fn(*mut FILE, i64, c_int) -> i64;
type Close = unsafe extern "C" fn(*mut FILE) -> c_int;
type Stat = unsafe extern "C" fn(*mut FILE, *mut c_void) -> c_int;

/// The C library's functions: both tables have the same.
static READ: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static WRITE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static SEEK: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static CLOSE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static STAT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Replaces the entries of both tables, once, before the program starts.
pub fn replace_transfers() {
    for table in TABLES {
        // SAFETY: a zero-terminated name.
        let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, table.as_ptr()) }.cast::<*mut c_void>();
        if at.is_null() || !unsafe { is_known(at) } || !unsafe { replace(at) } {
            sys::report(&[
                b"the C library's streams cannot be observed: ",
                b"their transfers take no simulated time",
            ]);
            return;
        }
    }
}

/// Whether a table has the expected layout.
unsafe fn is_known(table: *mut *mut c_void) -> bool {
    KNOWN.iter().all(|&(at, name)| {
        // SAFETY: the table has more entries; a zero-terminated name.
        let (found, known) =
            unsafe { (*table.add(at), libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr())) };
        !known.is_null() && found == known
    })
}

unsafe fn replace(table: *mut *mut c_void) -> bool {
    let replacements: [(usize, &AtomicPtr<c_void>, *mut c_void); 5] = [
        (entry::READ, &READ, read_stream as Read as *mut c_void),
        (entry::WRITE, &WRITE, write_stream as Write as *mut c_void),
        (entry::SEEK, &SEEK, seek_stream as Seek as *mut c_void),
        (entry::CLOSE, &CLOSE, close_stream as Close as *mut c_void),
        (entry::STAT, &STAT, stat_stream as Stat as *mut c_void),
    ];
    // SAFETY: a static number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let start = table as usize & !(page - 1);
    let end = (table as usize + (entry::STAT + 1) * size_of::<usize>()).next_multiple_of(page);
    let protect =
        |how: c_int| unsafe { libc::mprotect(start as *mut c_void, end - start, how) == 0 };
    if !protect(libc::PROT_READ | libc::PROT_WRITE) {
        return false;
    }
    for (at, before, now) in replacements {
        // SAFETY: entries of the table, which is writable.
        unsafe {
            let entry = table.add(at);
            before.store(*entry, Ordering::Release);
            *entry = now;
        }
    }
    // Other data of the program never lie in these pages: they were read-only.
    protect(libc::PROT_READ)
}

/// The descriptor of a stream.
unsafe fn descriptor(stream: *mut FILE) -> c_int {
    unsafe extern "C" {
        fn fileno_unlocked(stream: *mut FILE) -> c_int;
    }
    unsafe { fileno_unlocked(stream) }
}

unsafe extern "C" fn read_stream(stream: *mut FILE, out: *mut c_void, n: isize) -> isize {
    let fd = unsafe { descriptor(stream) };
    if let Some(open) = simulated(fd) {
        return finish(unsafe { read_one(&open, out, n.max(0) as usize) });
    }
    // SAFETY: stored as this type before the table was changed; likewise below.
    let real = unsafe { transmute::<*mut c_void, Read>(READ.load(Ordering::Relaxed)) };
    unsafe { real(stream, out, n) }
}

/// As `_IO_new_file_write`: writes all, and advances the cached offset.
unsafe extern "C" fn write_stream(stream: *mut FILE, data: *const c_void, n: isize) -> isize {
    let fd = unsafe { descriptor(stream) };
    if !may_be_simulated(fd) || simulated(fd).is_none() {
        let real = unsafe { transmute::<*mut c_void, Write>(WRITE.load(Ordering::Relaxed)) };
        return unsafe { real(stream, data, n) };
    }
    let mut done = 0;
    while done < n {
        let Some(open) = simulated(fd) else { break };
        // SAFETY: inside the stream's data.
        let at = unsafe { data.byte_add(done as usize) };
        let written = finish(unsafe { write_one(&open, at, (n - done) as usize) });
        if written < 0 {
            unsafe { *stream.cast::<c_int>() |= ERROR_SEEN };
            break;
        }
        done += written;
    }
    // SAFETY: a field of the stream.
    unsafe {
        let offset = stream.byte_add(OFFSET_AT).cast::<i64>();
        if *offset >= 0 {
            *offset += done as i64;
        }
    }
    done
}

unsafe extern "C" fn seek_stream(stream: *mut FILE, offset: i64, whence: c_int) -> i64 {
    let fd = unsafe { descriptor(stream) };
    if let Some(open) = simulated(fd) {
        return seek_simulated(&open, offset, whence) as i64;
    }
    let real = unsafe { transmute::<*mut c_void, Seek>(SEEK.load(Ordering::Relaxed)) };
    unsafe { real(stream, offset, whence) }
}

unsafe extern "C" fn close_stream(stream: *mut FILE) -> c_int {
    let fd = unsafe { descriptor(stream) };
    if may_be_simulated(fd) {
        return close_simulated(fd);
    }
    let real = unsafe { transmute::<*mut c_void, Close>(CLOSE.load(Ordering::Relaxed)) };
    unsafe { real(stream) }
}

unsafe extern "C" fn stat_stream(stream: *mut FILE, out: *mut c_void) -> c_int {
    let fd = unsafe { descriptor(stream) };
    if let Some(open) = simulated(fd) {
        return unsafe { put(stat_open(&open), out.cast::<stat>()) };
    }
    let real = unsafe { transmute::<*mut c_void, Stat>(STAT.load(Ordering::Relaxed)) };
    unsafe { real(stream, out) }
}

/// The flags of `open` that correspond to a mode of `fopen`; `None` if it is invalid.
unsafe fn flags_of(mode: *const c_char) -> Option<c_int> {
    if mode.is_null() {
        return None;
    }
    // SAFETY: the caller's zero-terminated text.
    let mode = unsafe { sys::bytes(mode) };
    let (access, creation) = match mode.first()? {
        b'r' => (libc::O_RDONLY, 0),
        b'w' => (libc::O_WRONLY, libc::O_CREAT | libc::O_TRUNC),
        b'a' => (libc::O_WRONLY, libc::O_CREAT | libc::O_APPEND),
        _ => return None,
    };
    // As in the C library, flags end at a comma.
    let flags = mode[1..].split(|&byte| byte == b',').next().unwrap_or(&[]);
    let has = |byte: u8| flags.contains(&byte);
    let access = if has(b'+') { libc::O_RDWR } else { access };
    let given = |byte, flag| if has(byte) { flag } else { 0 };
    Some(access | creation | given(b'e', libc::O_CLOEXEC) | given(b'x', libc::O_EXCL))
}

/// Opens a target; the new descriptor or -1.
unsafe fn open_stream(target: &mut Target, mode: *const c_char) -> c_int {
    let Some(flags) = (unsafe { flags_of(mode) }) else {
        sys::set_errno(libc::EINVAL);
        return -1;
    };
    finish(open_target(target, flags, 0o666)) as c_int
}

macro_rules! opens {
    ($($name:ident $again:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, mode: *const c_char) -> *mut FILE {
            let real = real!($name(*const c_char, *const c_char) -> *mut FILE);
            let flags = unsafe { flags_of(mode) };
            if let Some(flags) = flags
                && let Some(table) = unsafe { mount_table::open(path, flags) }
            {
                // SAFETY: the new descriptor becomes the stream's.
                return unsafe { libc::fdopen(table, mode) };
            }
            let open = |target: &mut Target| {
                let fd = unsafe { open_stream(target, mode) };
                if fd < 0 {
                    return null_mut();
                }
                // SAFETY: the new descriptor becomes the stream's.
                let stream = unsafe { libc::fdopen(fd, mode) };
                if stream.is_null() {
                    let errno = sys::errno();
                    close_simulated(fd);
                    sys::set_errno(errno);
                }
                stream
            };
            let follow = flags.is_none_or(|flags| flags & libc::O_EXCL == 0);
            let host = || unsafe { real(path, mode) };
            unsafe { at((libc::AT_FDCWD, path, follow), host, open) }
        }
        /// The stream is opened again by the name of a descriptor, which is then closed.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $again(
            path: *const c_char,
            mode: *const c_char,
            stream: *mut FILE,
        ) -> *mut FILE {
            let real = real!($again(*const c_char, *const c_char, *mut FILE) -> *mut FILE);
            let open = |target: &mut Target| {
                let fd = unsafe { open_stream(target, mode) };
                if fd < 0 {
                    return null_mut();
                }
                let mut link = [0u8; 32];
                sys::descriptor_link(fd, &mut link);
                let mut plain = [0u8; 8];
                unsafe { without_exclusive(mode, &mut plain) };
                let result = unsafe { real(link.as_ptr().cast(), plain.as_ptr().cast(), stream) };
                if !result.is_null() {
                    crate::descriptors::move_to(fd, unsafe { descriptor(result) });
                }
                sys::close(fd);
                result
            };
            let host = || unsafe { real(path, mode, stream) };
            unsafe { at((libc::AT_FDCWD, path, true), host, open) }
        }
    )*};
}
opens! { fopen freopen; fopen64 freopen64; }

/// Copies a mode without `x`, which the existing file would not pass, and cut at a comma.
unsafe fn without_exclusive(mode: *const c_char, out: &mut [u8; 8]) {
    let mode = unsafe { sys::bytes(mode) };
    let kept = mode.iter().take_while(|&&byte| byte != b',').filter(|&&byte| byte != b'x');
    for (into, &byte) in out.iter_mut().take(7).zip(kept) {
        *into = byte;
    }
}
