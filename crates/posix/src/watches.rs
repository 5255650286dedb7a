//! Other functions that take a path: watches, limits, file handles.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

use crate::next::{at, real};
use crate::place::Target;
use crate::sys;

#[unsafe(no_mangle)]
unsafe extern "C" fn inotify_add_watch(fd: c_int, path: *const c_char, mask: c_uint) -> c_int {
    let real = real!(inotify_add_watch(c_int, *const c_char, c_uint) -> c_int);
    let follow = mask & libc::IN_DONT_FOLLOW == 0;
    let host = || unsafe { real(fd, path, mask) };
    let add = |target: &mut Target| unsafe { real(fd, target.absolute(), mask) };
    unsafe { at((libc::AT_FDCWD, path, follow), host, add) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pathconf(path: *const c_char, name: c_int) -> c_long {
    let real = real!(pathconf(*const c_char, c_int) -> c_long);
    let host = || unsafe { real(path, name) as isize };
    let find = |target: &mut Target| unsafe { real(target.absolute(), name) as isize };
    unsafe { at((libc::AT_FDCWD, path, true), host, find) as c_long }
}

/// A key of System V, from the attributes of a file.
#[unsafe(no_mangle)]
unsafe extern "C" fn ftok(path: *const c_char, id: c_int) -> c_int {
    let real = real!(ftok(*const c_char, c_int) -> c_int);
    let find = |target: &mut Target| unsafe { real(target.absolute(), id) };
    unsafe { at((libc::AT_FDCWD, path, true), || real(path, id), find) }
}

/// A handle names a file by the real disk's numbers, and opens it past the simulated file system.
#[unsafe(no_mangle)]
unsafe extern "C" fn name_to_handle_at(
    dir: c_int,
    path: *const c_char,
    handle: *mut c_void,
    mount: *mut c_int,
    flags: c_int,
) -> c_int {
    type V = *mut c_void;
    let real = real!(name_to_handle_at(c_int, *const c_char, V, *mut c_int, c_int) -> c_int);
    let follow = flags & libc::AT_SYMLINK_FOLLOW != 0;
    let refuse = |_: &mut Target| {
        sys::report(&[b"name_to_handle_at is not supported on a simulated file system"]);
        sys::set_errno(libc::EOPNOTSUPP);
        -1
    };
    unsafe { at((dir, path, follow), || real(dir, path, handle, mount, flags), refuse) }
}
