//! System calls without the C library. Its functions may be replaced by those of this library and
//! of other preloaded ones, so what executes a call on a simulated file passes none of them.
//!
//! Results are the kernel's: a value, or the negative error.

use std::arch::asm;
use std::ffi::{CStr, c_char, c_int, c_long};

use libc::stat;

pub type Result = isize;

/// A system call.
///
/// # Safety
/// As the call.
#[cfg(target_arch = "x86_64")]
pub unsafe fn call(number: c_long, [a, b, c, d, e, f]: [usize; 6]) -> Result {
    let result: Result;
    // SAFETY: the kernel's calling convention.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// A system call.
///
/// # Safety
/// As the call.
#[cfg(target_arch = "aarch64")]
pub unsafe fn call(number: c_long, [a, b, c, d, e, f]: [usize; 6]) -> Result {
    let result: Result;
    // SAFETY: the kernel's calling convention.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number as usize,
            inlateout("x0") a as isize => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
            options(nostack),
        );
    }
    result
}

/// A system call with up to six arguments, each an integer or a pointer.
macro_rules! sys {
    ($name:ident $(, $argument:expr)* $(,)?) => {{
        let given: &[usize] = &[$($argument as usize),*];
        let mut all = [0usize; 6];
        all[..given.len()].copy_from_slice(given);
        $crate::sys::call(::libc::$name, all)
    }};
}
pub(crate) use sys;

pub fn set_errno(errno: c_int) {
    // SAFETY: this thread's own.
    unsafe { *libc::__errno_location() = errno };
}
pub fn errno() -> c_int {
    // SAFETY: this thread's own.
    unsafe { *libc::__errno_location() }
}

/// The result of a C function: the value, or -1 with `errno` set.
pub fn finish(result: Result) -> isize {
    if result < 0 {
        set_errno(-result as c_int);
        return -1;
    }
    result
}

/// A failure.
pub const fn error(errno: c_int) -> Result {
    -(errno as isize)
}

pub fn fstat(fd: c_int) -> std::result::Result<stat, c_int> {
    // SAFETY: zeroed is a valid `stat`.
    let mut found: stat = unsafe { std::mem::zeroed() };
    let result = unsafe { sys!(SYS_fstat, fd, &raw mut found) };
    if result < 0 { Err(-result as c_int) } else { Ok(found) }
}

/// # Safety
/// `path` is zero-terminated.
pub unsafe fn fstatat(
    dir: c_int,
    path: *const c_char,
    flags: c_int,
) -> std::result::Result<stat, c_int> {
    // SAFETY: zeroed is a valid `stat`.
    let mut found: stat = unsafe { std::mem::zeroed() };
    let result = unsafe { sys!(SYS_newfstatat, dir, path, &raw mut found, flags) };
    if result < 0 { Err(-result as c_int) } else { Ok(found) }
}

pub fn close(fd: c_int) -> Result {
    // SAFETY: a descriptor of the caller.
    unsafe { sys!(SYS_close, fd) }
}

pub fn lseek(fd: c_int, offset: i64, whence: c_int) -> Result {
    // SAFETY: no memory is involved.
    unsafe { sys!(SYS_lseek, fd, offset, whence) }
}

pub fn status_flags(fd: c_int) -> c_int {
    // SAFETY: no memory is involved.
    unsafe { sys!(SYS_fcntl, fd, libc::F_GETFL) as c_int }
}

pub fn pid() -> c_int {
    // SAFETY: no memory is involved.
    unsafe { sys!(SYS_getpid) as c_int }
}

/// Reads the link `/proc/self/fd/FD`, the real path of an open file, into `size` bytes at `out`.
/// Returns its length; `None` if it has no path or a longer one.
///
/// # Safety
/// `out` has that many bytes.
pub unsafe fn path_of(fd: c_int, out: *mut u8, size: usize) -> Option<usize> {
    let mut link = [0u8; 32];
    descriptor_link(fd, &mut link);
    // SAFETY: a zero-terminated path, and room for the length.
    unsafe {
        let n = sys!(SYS_readlinkat, libc::AT_FDCWD, link.as_ptr(), out, size);
        let n = usize::try_from(n).ok().filter(|&n| n > 0 && n < size)?;
        (*out == b'/').then_some(n)
    }
}

/// The path `/proc/self/fd/FD`, zero-terminated.
pub fn descriptor_link(fd: c_int, out: &mut [u8; 32]) -> usize {
    const START: &[u8] = b"/proc/self/fd/";
    let mut digits = [0u8; 10];
    let (mut n, mut rest) = (0, fd.max(0));
    while n == 0 || rest > 0 {
        digits[n] = b'0' + (rest % 10) as u8;
        rest /= 10;
        n += 1;
    }
    out[..START.len()].copy_from_slice(START);
    for i in 0..n {
        out[START.len() + i] = digits[n - 1 - i];
    }
    out[START.len() + n] = 0;
    START.len() + n
}

/// The real path of the working directory, into `size` bytes at `out`; the length.
///
/// # Safety
/// `out` has that many bytes.
pub unsafe fn working_directory(out: *mut u8, size: usize) -> std::result::Result<usize, c_int> {
    // SAFETY: room for the length. The result counts the final zero.
    let n = unsafe { sys!(SYS_getcwd, out, size) };
    if n < 0 { Err(-n as c_int) } else { Ok(n as usize - 1) }
}

/// Writes a message to the standard error of the process.
pub fn report(parts: &[&[u8]]) {
    let mut text = [0u8; 512];
    let mut n = 0;
    for part in [&b"odonata: "[..]].iter().chain(parts).chain(&[&b"\n"[..]]) {
        let length = part.len().min(text.len() - n);
        text[n..n + length].copy_from_slice(&part[..length]);
        n += length;
    }
    // SAFETY: this many initialized bytes.
    unsafe { sys!(SYS_write, 2, text.as_ptr(), n) };
}

/// The bytes of a caller's text.
///
/// # Safety
/// `text` is zero-terminated and lives longer than the result is used.
pub unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    unsafe { CStr::from_ptr(text) }.to_bytes()
}
