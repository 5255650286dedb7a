//! Changing attributes: permissions, owners, times, extended attributes.

use std::ffi::{c_char, c_int, c_void};

use libc::{gid_t, mode_t, size_t, ssize_t, timespec, timeval, uid_t, utimbuf};
use workload::FileCallKind;
use workload::file_request::{
    FileReply, FileRequest, LAYOUT_NAMES, STORED_LAYOUT, attribute, request_flag,
};

use crate::descriptors::{Open, simulated};
use crate::next::{Outcome, at, real};
use crate::place::Target;
use crate::simulator::{
    MAX_VALUE, Verdict, submit_open, submit_path, submit_path_into, submit_xattr,
};
use crate::sys::{self, error, finish, sys};

/// Attributes to set: those of a request.
#[derive(Clone, Copy, Default)]
struct Change {
    attributes: u32,
    mode: mode_t,
    owner: uid_t,
    group: gid_t,
    accessed: i64,
    modified: i64,
}

impl Change {
    fn write(self, header: &mut FileRequest) {
        header.attributes = self.attributes;
        (header.mode, header.owner, header.group) = (self.mode, self.owner, self.group);
        (header.accessed_ns, header.modified_ns) = (self.accessed, self.modified);
    }
    fn mode(mode: mode_t) -> Change {
        Change { attributes: attribute::MODE, mode: mode & 0o7777, ..Change::default() }
    }
    /// An id of -1 is left as it is.
    fn owner(owner: uid_t, group: gid_t) -> Change {
        let set = |id: u32, flag| if id == u32::MAX { 0 } else { flag };
        let attributes = set(owner, attribute::OWNER) | set(group, attribute::GROUP);
        Change { attributes, owner, group, ..Change::default() }
    }
    /// The times of `utimensat`, `None` for the present.
    fn times(times: Option<&[timespec; 2]>) -> Change {
        let mut change = Change::default();
        let Some([accessed, modified]) = times else {
            change.attributes = attribute::ACCESSED_NOW | attribute::MODIFIED_NOW;
            return change;
        };
        let of = |time: &timespec, given, now| match time.tv_nsec {
            libc::UTIME_OMIT => (0, 0),
            libc::UTIME_NOW => (now, 0),
            ns => (given, time.tv_sec.saturating_mul(1_000_000_000).saturating_add(ns)),
        };
        let accessed = of(accessed, attribute::ACCESSED, attribute::ACCESSED_NOW);
        let modified = of(modified, attribute::MODIFIED, attribute::MODIFIED_NOW);
        change.attributes = accessed.0 | modified.0;
        (change.accessed, change.modified) = (accessed.1, modified.1);
        change
    }
}

/// Changes the attributes of a target; `kernel` does so without a simulator.
fn change_target(
    target: &mut Target,
    (change, flags): (Change, c_int),
    kernel: impl FnOnce(&mut Target) -> sys::Result,
) -> c_int {
    let no_follow = flags & libc::AT_SYMLINK_NOFOLLOW != 0;
    let meaning = if no_follow { request_flag::NO_FOLLOW } else { 0 };
    let verdict = submit_path(FileCallKind::SetAttributes, meaning, target, |request| {
        request.set(|header| change.write(header))
    });
    finish(match verdict {
        Verdict::Absent => kernel(target),
        Verdict::Failed(errno) => error(errno),
        Verdict::Done(_) => 0,
    }) as c_int
}

/// Changes the attributes of an open file, which has a simulator or not.
fn change_open(open: &Open, change: Change, kernel: impl FnOnce() -> c_int) -> c_int {
    let set = |header: &mut FileRequest| change.write(header);
    match submit_open(FileCallKind::SetAttributes, 0, open, set) {
        Verdict::Failed(errno) => finish(error(errno)) as c_int,
        _ => kernel(),
    }
}

/// # Safety
/// The program's path.
unsafe fn chmod_at(
    (dir, path): (c_int, *const c_char),
    mode: mode_t,
    flags: c_int,
    host: impl Fn() -> c_int,
) -> c_int {
    let follow = flags & libc::AT_SYMLINK_NOFOLLOW == 0;
    let change = |target: &mut Target| {
        // Linux has no permissions of links.
        if !follow && is_link(target) {
            return finish(error(libc::EOPNOTSUPP)) as c_int;
        }
        change_target(target, (Change::mode(mode), flags), |target| {
            let (dir, path) = target.at();
            // SAFETY: the target's path.
            unsafe { sys!(SYS_fchmodat, dir, path, mode) }
        })
    };
    unsafe { at((dir, path, follow), host, change) }
}

fn is_link(target: &Target) -> bool {
    let (dir, path) = target.at();
    // SAFETY: the target's path.
    let found = unsafe { sys::fstatat(dir, path, libc::AT_SYMLINK_NOFOLLOW) };
    found.is_ok_and(|status| status.st_mode & libc::S_IFMT == libc::S_IFLNK)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn chmod(path: *const c_char, mode: mode_t) -> c_int {
    let real = real!(chmod(*const c_char, mode_t) -> c_int);
    unsafe { chmod_at((libc::AT_FDCWD, path), mode, 0, || real(path, mode)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn lchmod(path: *const c_char, mode: mode_t) -> c_int {
    let real = real!(lchmod(*const c_char, mode_t) -> c_int);
    let how = libc::AT_SYMLINK_NOFOLLOW;
    unsafe { chmod_at((libc::AT_FDCWD, path), mode, how, || real(path, mode)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn fchmodat(
    dir: c_int,
    path: *const c_char,
    mode: mode_t,
    flags: c_int,
) -> c_int {
    let real = real!(fchmodat(c_int, *const c_char, mode_t, c_int) -> c_int);
    unsafe { chmod_at((dir, path), mode, flags, || real(dir, path, mode, flags)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn fchmod(fd: c_int, mode: mode_t) -> c_int {
    let host = || unsafe { real!(fchmod(c_int, mode_t) -> c_int)(fd, mode) };
    match simulated(fd) {
        Some(open) => change_open(&open, Change::mode(mode), host),
        None => host(),
    }
}

/// # Safety
/// The program's path.
unsafe fn chown_at(
    (dir, path): (c_int, *const c_char),
    (owner, group): (uid_t, gid_t),
    flags: c_int,
    host: impl Fn() -> c_int,
) -> c_int {
    let follow = flags & libc::AT_SYMLINK_NOFOLLOW == 0;
    let change = |target: &mut Target| {
        change_target(target, (Change::owner(owner, group), flags), |target| {
            let (dir, path) = target.at();
            // SAFETY: the target's path.
            unsafe { sys!(SYS_fchownat, dir, path, owner, group, flags) }
        })
    };
    unsafe { at((dir, path, follow), host, change) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn chown(path: *const c_char, owner: uid_t, group: gid_t) -> c_int {
    let real = real!(chown(*const c_char, uid_t, gid_t) -> c_int);
    let cwd = libc::AT_FDCWD;
    unsafe { chown_at((cwd, path), (owner, group), 0, || real(path, owner, group)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn lchown(path: *const c_char, owner: uid_t, group: gid_t) -> c_int {
    let real = real!(lchown(*const c_char, uid_t, gid_t) -> c_int);
    let how = libc::AT_SYMLINK_NOFOLLOW;
    let host = || unsafe { real(path, owner, group) };
    unsafe { chown_at((libc::AT_FDCWD, path), (owner, group), how, host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn fchownat(
    dir: c_int,
    path: *const c_char,
    owner: uid_t,
    group: gid_t,
    flags: c_int,
) -> c_int {
    let real = real!(fchownat(c_int, *const c_char, uid_t, gid_t, c_int) -> c_int);
    let host = || unsafe { real(dir, path, owner, group, flags) };
    let is_empty = flags & libc::AT_EMPTY_PATH != 0 && !path.is_null() && unsafe { *path } == 0;
    if is_empty && let Some(open) = simulated(dir) {
        return change_open(&open, Change::owner(owner, group), host);
    }
    unsafe { chown_at((dir, path), (owner, group), flags, host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn fchown(fd: c_int, owner: uid_t, group: gid_t) -> c_int {
    let host = || unsafe { real!(fchown(c_int, uid_t, gid_t) -> c_int)(fd, owner, group) };
    match simulated(fd) {
        Some(open) => change_open(&open, Change::owner(owner, group), host),
        None => host(),
    }
}

/// # Safety
/// The program's path.
unsafe fn times_at(
    (dir, path): (c_int, *const c_char),
    times: Option<[timespec; 2]>,
    flags: c_int,
    host: impl Fn() -> c_int,
) -> c_int {
    let follow = flags & libc::AT_SYMLINK_NOFOLLOW == 0;
    let change = |target: &mut Target| {
        change_target(target, (Change::times(times.as_ref()), flags), |target| {
            let (dir, path) = target.at();
            let times = times.as_ref().map_or(std::ptr::null(), |times| times.as_ptr());
            // SAFETY: the target's path.
            unsafe { sys!(SYS_utimensat, dir, path, times, flags) }
        })
    };
    unsafe { at((dir, path, follow), host, change) }
}

unsafe fn read_times<T: Copy, const N: usize>(times: *const T) -> Option<[T; N]> {
    // SAFETY: null, or the program's array.
    (!times.is_null()).then(|| unsafe { times.cast::<[T; N]>().read() })
}

fn of_timevals(times: Option<[timeval; 2]>) -> Option<[timespec; 2]> {
    times.map(|times| {
        times.map(|time| timespec { tv_sec: time.tv_sec, tv_nsec: time.tv_usec * 1_000 })
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn utimensat(
    dir: c_int,
    path: *const c_char,
    times: *const timespec,
    flags: c_int,
) -> c_int {
    let real = real!(utimensat(c_int, *const c_char, *const timespec, c_int) -> c_int);
    let host = || unsafe { real(dir, path, times, flags) };
    unsafe { times_at((dir, path), read_times(times), flags, host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn futimens(fd: c_int, times: *const timespec) -> c_int {
    let host = || unsafe { real!(futimens(c_int, *const timespec) -> c_int)(fd, times) };
    let Some(open) = simulated(fd) else { return host() };
    let change = Change::times(unsafe { read_times(times) }.as_ref());
    change_open(&open, change, host)
}
#[unsafe(no_mangle)]
unsafe extern "C" fn utimes(path: *const c_char, times: *const timeval) -> c_int {
    let host = || unsafe { real!(utimes(*const c_char, *const timeval) -> c_int)(path, times) };
    let given = of_timevals(unsafe { read_times(times) });
    unsafe { times_at((libc::AT_FDCWD, path), given, 0, host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn lutimes(path: *const c_char, times: *const timeval) -> c_int {
    let host = || unsafe { real!(lutimes(*const c_char, *const timeval) -> c_int)(path, times) };
    let given = of_timevals(unsafe { read_times(times) });
    unsafe { times_at((libc::AT_FDCWD, path), given, libc::AT_SYMLINK_NOFOLLOW, host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn futimesat(dir: c_int, path: *const c_char, times: *const timeval) -> c_int {
    let real = real!(futimesat(c_int, *const c_char, *const timeval) -> c_int);
    let given = of_timevals(unsafe { read_times(times) });
    unsafe { times_at((dir, path), given, 0, || real(dir, path, times)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn futimes(fd: c_int, times: *const timeval) -> c_int {
    let host = || unsafe { real!(futimes(c_int, *const timeval) -> c_int)(fd, times) };
    let Some(open) = simulated(fd) else { return host() };
    let given = of_timevals(unsafe { read_times(times) });
    change_open(&open, Change::times(given.as_ref()), host)
}
#[unsafe(no_mangle)]
unsafe extern "C" fn utime(path: *const c_char, times: *const utimbuf) -> c_int {
    let host = || unsafe { real!(utime(*const c_char, *const utimbuf) -> c_int)(path, times) };
    let given = unsafe { read_times::<utimbuf, 1>(times) }
        .map(|[times]| [times.actime, times.modtime].map(|tv_sec| timespec { tv_sec, tv_nsec: 0 }));
    unsafe { times_at((libc::AT_FDCWD, path), given, 0, host) }
}

/// One call on an extended attribute.
struct Xattr<'a> {
    name: &'a [u8],
    flags: u32,
    value: &'a [u8],
}

/// The flags of a request for those of `setxattr`.
fn xattr_flags(flags: c_int) -> u32 {
    let given = |flag, is| if flags & flag != 0 { is } else { 0 };
    given(libc::XATTR_CREATE, request_flag::XATTR_CREATE)
        | given(libc::XATTR_REPLACE, request_flag::XATTR_REPLACE)
}

/// # Safety
/// Null or the program's text.
unsafe fn name_of<'a>(name: *const c_char) -> &'a [u8] {
    if name.is_null() { b"" } else { unsafe { sys::bytes(name) } }
}

/// # Safety
/// The program's buffer of `n` bytes.
unsafe fn value_of<'a>(value: *const c_void, n: size_t) -> &'a [u8] {
    if value.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(value.cast(), n) } }
}

/// Sets or removes an attribute of a target: the simulator's result, or `None` without one.
fn set_simulated(target: &mut Target, xattr: &Xattr) -> Option<sys::Result> {
    if target.mount.is_some() && xattr.value.len() > MAX_VALUE {
        return Some(error(libc::E2BIG));
    }
    let verdict = submit_path(FileCallKind::SetXattr, xattr.flags, target, |request| {
        request.with_other(xattr.name).with_value(xattr.value)
    });
    match verdict {
        Verdict::Absent => None,
        Verdict::Failed(errno) => Some(error(errno)),
        Verdict::Done(_) => Some(0),
    }
}

/// Reads an attribute, or the list of names: data of the simulator, or `None` for those of the
/// backing file.
fn get_simulated(
    target: &mut Target,
    xattr: &Xattr,
    (out, size): (*mut c_void, size_t),
) -> Option<sys::Result> {
    let reply = FileReply { data: out.cast(), capacity: size as u64, ..FileReply::new() };
    let verdict = submit_path_into(
        FileCallKind::GetXattr,
        xattr.flags,
        target,
        |request| request.with_other(xattr.name),
        reply,
    );
    returned(verdict, size)
}

/// The length of returned data, or `None` for those of the backing file.
fn returned(verdict: Verdict, size: size_t) -> Option<sys::Result> {
    match verdict {
        Verdict::Absent => None,
        Verdict::Failed(errno) => Some(error(errno)),
        Verdict::Done(reply) if reply.data_bytes == u64::MAX => None,
        Verdict::Done(reply) if size > 0 && reply.data_bytes > size as u64 => {
            Some(error(libc::ERANGE))
        }
        Verdict::Done(reply) => Some(reply.data_bytes as isize),
    }
}

/// Runs one call on an extended attribute of a path.
unsafe fn xattr_at<R: Outcome>(
    (path, follow): (*const c_char, bool),
    host: impl Fn(*const c_char) -> R,
    simulated: impl FnOnce(&mut Target) -> Option<sys::Result>,
    finished: impl FnOnce(isize) -> R,
) -> R {
    let run = |target: &mut Target| match simulated(target) {
        Some(result) => finished(finish(result)),
        None => host(target.absolute()),
    };
    unsafe { at((libc::AT_FDCWD, path, follow), || host(path), run) }
}

/// Stores or removes the layout of an open file.
fn store_layout(fd: c_int, xattr: &Xattr) -> sys::Result {
    let (name, value) = (STORED_LAYOUT.as_ptr(), xattr.value);
    // SAFETY: a zero-terminated name, and a value with its length.
    let result = unsafe {
        if xattr.flags & request_flag::XATTR_REMOVE != 0 {
            sys!(SYS_fremovexattr, fd, name)
        } else {
            sys!(SYS_fsetxattr, fd, name, value.as_ptr(), value.len(), 0)
        }
    };
    // A disk without extended attributes cannot keep it; the simulation has it.
    if result == error(libc::EOPNOTSUPP) { 0 } else { result }
}

/// The stored layout of an open file; empty without one.
fn stored_layout(fd: c_int, out: &mut [u8; MAX_VALUE]) -> &[u8] {
    let name = STORED_LAYOUT.as_ptr();
    // SAFETY: a zero-terminated name, and a buffer with its length.
    let n = unsafe { sys!(SYS_fgetxattr, fd, name, out.as_mut_ptr(), MAX_VALUE) };
    &out[..usize::try_from(n).unwrap_or(0)]
}

/// Sets or removes an attribute of an open file: the result, or `None` for the backing file's.
fn set_open(fd: c_int, xattr: &Xattr) -> Option<sys::Result> {
    let open = simulated(fd)?;
    if xattr.value.len() > MAX_VALUE {
        return Some(error(libc::E2BIG));
    }
    let parts = (xattr.name, xattr.value, xattr.flags);
    match submit_xattr(FileCallKind::SetXattr, &open, parts, FileReply::new()) {
        Verdict::Failed(errno) => Some(error(errno)),
        Verdict::Done(_) if LAYOUT_NAMES.contains(&xattr.name) => Some(store_layout(fd, xattr)),
        _ => None,
    }
}

/// Reads an attribute of an open file, or the list of names, as `get_simulated`.
fn get_open(fd: c_int, xattr: &Xattr, (out, size): (*mut c_void, size_t)) -> Option<sys::Result> {
    let open = simulated(fd)?;
    let reply = FileReply { data: out.cast(), capacity: size as u64, ..FileReply::new() };
    let mut stored = [0; MAX_VALUE];
    let value = match LAYOUT_NAMES.contains(&xattr.name) {
        true => stored_layout(fd, &mut stored),
        false => xattr.value,
    };
    let parts = (xattr.name, value, xattr.flags);
    returned(submit_xattr(FileCallKind::GetXattr, &open, parts, reply), size)
}

macro_rules! xattrs {
    ($($set:ident $get:ident $list:ident $delete:ident $follow:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $set(
            path: *const c_char,
            name: *const c_char,
            value: *const c_void,
            n: size_t,
            flags: c_int,
        ) -> c_int {
            type C = *const c_char;
            let real = real!($set(C, C, *const c_void, size_t, c_int) -> c_int);
            let link = if $follow { 0 } else { request_flag::NO_FOLLOW };
            let flags_of = xattr_flags(flags) | link;
            let host = |path| unsafe { real(path, name, value, n, flags) };
            let (name, value) = unsafe { (name_of(name), value_of(value, n)) };
            let xattr = Xattr { name, flags: flags_of, value };
            let set = |target: &mut Target| set_simulated(target, &xattr);
            unsafe { xattr_at((path, $follow), host, set, |result| result as c_int) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $get(
            path: *const c_char,
            name: *const c_char,
            out: *mut c_void,
            n: size_t,
        ) -> ssize_t {
            type C = *const c_char;
            let real = real!($get(C, C, *mut c_void, size_t) -> ssize_t);
            let flags = if $follow { 0 } else { request_flag::NO_FOLLOW };
            let host = |path| unsafe { real(path, name, out, n) };
            let xattr = Xattr { name: unsafe { name_of(name) }, flags, value: &[] };
            let get = |target: &mut Target| get_simulated(target, &xattr, (out, n));
            unsafe { xattr_at((path, $follow), host, get, |result| result) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $list(path: *const c_char, out: *mut c_char, n: size_t) -> ssize_t {
            let real = real!($list(*const c_char, *mut c_char, size_t) -> ssize_t);
            let link = if $follow { 0 } else { request_flag::NO_FOLLOW };
            let host = |path| unsafe { real(path, out, n) };
            let xattr = Xattr { name: b"", flags: request_flag::XATTR_LIST | link, value: &[] };
            let get = |target: &mut Target| get_simulated(target, &xattr, (out.cast(), n));
            unsafe { xattr_at((path, $follow), host, get, |result| result) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $delete(path: *const c_char, name: *const c_char) -> c_int {
            let real = real!($delete(*const c_char, *const c_char) -> c_int);
            let link = if $follow { 0 } else { request_flag::NO_FOLLOW };
            let host = |path| unsafe { real(path, name) };
            let flags = request_flag::XATTR_REMOVE | link;
            let xattr = Xattr { name: unsafe { name_of(name) }, flags, value: &[] };
            let set = |target: &mut Target| set_simulated(target, &xattr);
            unsafe { xattr_at((path, $follow), host, set, |result| result as c_int) }
        }
    )*};
}
xattrs! {
    setxattr getxattr listxattr removexattr true;
    lsetxattr lgetxattr llistxattr lremovexattr false;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fsetxattr(
    fd: c_int,
    name: *const c_char,
    value: *const c_void,
    n: size_t,
    flags: c_int,
) -> c_int {
    let real = real!(fsetxattr(c_int, *const c_char, *const c_void, size_t, c_int) -> c_int);
    let flags_of = xattr_flags(flags);
    let (name_text, data) = unsafe { (name_of(name), value_of(value, n)) };
    match set_open(fd, &Xattr { name: name_text, flags: flags_of, value: data }) {
        Some(result) => finish(result) as c_int,
        None => unsafe { real(fd, name, value, n, flags) },
    }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn fremovexattr(fd: c_int, name: *const c_char) -> c_int {
    let real = real!(fremovexattr(c_int, *const c_char) -> c_int);
    let flags = request_flag::XATTR_REMOVE;
    match set_open(fd, &Xattr { name: unsafe { name_of(name) }, flags, value: &[] }) {
        Some(result) => finish(result) as c_int,
        None => unsafe { real(fd, name) },
    }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn fgetxattr(
    fd: c_int,
    name: *const c_char,
    out: *mut c_void,
    n: size_t,
) -> ssize_t {
    let real = real!(fgetxattr(c_int, *const c_char, *mut c_void, size_t) -> ssize_t);
    let xattr = Xattr { name: unsafe { name_of(name) }, flags: 0, value: &[] };
    match get_open(fd, &xattr, (out, n)) {
        Some(result) => finish(result),
        None => unsafe { real(fd, name, out, n) },
    }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn flistxattr(fd: c_int, out: *mut c_char, n: size_t) -> ssize_t {
    let real = real!(flistxattr(c_int, *mut c_char, size_t) -> ssize_t);
    let xattr = Xattr { name: b"", flags: request_flag::XATTR_LIST, value: &[] };
    match get_open(fd, &xattr, (out.cast(), n)) {
        Some(result) => finish(result),
        None => unsafe { real(fd, out, n) },
    }
}
