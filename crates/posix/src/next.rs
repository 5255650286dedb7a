//! The functions of the next library, and the choice between them and the simulated call.

use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute_copy;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::mounts;
use crate::place::{Found, Target, enters_by_link, is_host, locate};
use crate::sys;

/// The function of this name in the next library.
macro_rules! real {
    ($name:ident($($ty:ty),* $(,)?) -> $ret:ty) => {{
        static AT: ::std::sync::atomic::AtomicPtr<::std::ffi::c_void> =
            ::std::sync::atomic::AtomicPtr::new(::std::ptr::null_mut());
        let name = concat!(stringify!($name), "\0");
        $crate::next::function::<unsafe extern "C" fn($($ty),*) -> $ret>(&AT, name)
    }};
}
pub(crate) use real;

/// Looks a function up once. `F` is its type in the C library. Aborts if no library has the
/// function: then no program can have been linked to it.
pub fn function<F: Copy>(at: &AtomicPtr<c_void>, name: &'static str) -> F {
    let mut found = at.load(Ordering::Relaxed);
    if found.is_null() {
        // SAFETY: a zero-terminated name.
        found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr().cast()) };
        if found.is_null() {
            sys::report(&[b"the C library has no ", name.trim_end_matches('\0').as_bytes()]);
            // SAFETY: ends the process.
            unsafe { libc::abort() }
        }
        at.store(found, Ordering::Relaxed);
    }
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: a pointer to a function of that type.
    unsafe { transmute_copy(&found) }
}

/// The result of a C function that reports failure by a value and `errno`.
pub trait Outcome: Copy {
    const FAILURE: Self;
    fn is_failure(self) -> bool;
}
impl Outcome for c_int {
    const FAILURE: c_int = -1;
    fn is_failure(self) -> bool {
        self == -1
    }
}
impl Outcome for isize {
    const FAILURE: isize = -1;
    fn is_failure(self) -> bool {
        self == -1
    }
}
impl<T> Outcome for *mut T {
    const FAILURE: *mut T = std::ptr::null_mut();
    fn is_failure(self) -> bool {
        self.is_null()
    }
}

/// Runs `simulated` if the path leads into a mount, or has to be changed for the kernel; else
/// `host`. `follow`: the call follows a link in the last component.
///
/// # Safety
/// `path` is the program's.
#[inline]
pub unsafe fn at<R: Outcome>(
    (dir, path, follow): (c_int, *const c_char, bool),
    host: impl Fn() -> R,
    simulated: impl FnOnce(&mut Target) -> R,
) -> R {
    if is_host(dir, path) {
        let result = host();
        if result.is_failure()
            && sys::errno() == libc::ENOENT
            && mounts::active()
            && !path.is_null()
        {
            return unsafe { linked((dir, path, follow), result, simulated) };
        }
        return result;
    }
    unsafe { located((dir, path, follow), host, simulated) }
}

#[inline(never)]
unsafe fn located<R: Outcome>(
    (dir, path, follow): (c_int, *const c_char, bool),
    host: impl Fn() -> R,
    simulated: impl FnOnce(&mut Target) -> R,
) -> R {
    let mut target = Target::new();
    match unsafe { locate(dir, path, follow, &mut target) } {
        Found::Target => simulated(&mut target),
        Found::Unchanged => host(),
        Found::Error(errno) => {
            sys::set_errno(errno);
            R::FAILURE
        }
    }
}

#[inline(never)]
unsafe fn linked<R: Outcome>(
    (dir, path, follow): (c_int, *const c_char, bool),
    result: R,
    simulated: impl FnOnce(&mut Target) -> R,
) -> R {
    let mut target = Target::new();
    if unsafe { enters_by_link(dir, path, follow, &mut target) } {
        return simulated(&mut target);
    }
    sys::set_errno(libc::ENOENT);
    result
}
