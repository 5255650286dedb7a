//! Opening and closing files, and duplicates of descriptors.

use std::ffi::{c_char, c_int, c_long, c_uint};
use std::sync::atomic::{AtomicU32, Ordering};

use libc::mode_t;
use workload::FileCallKind;
use workload::file_flag;
use workload::file_request::request_flag;

use crate::blocks;
use crate::descriptors::{self, DIRECT, DUPLICATE, SYNC, may_be_simulated, simulated};
use crate::mount_table;
use crate::mounts;
use crate::next::{at, real};
use crate::place::Target;
use crate::simulator::{Verdict, submit_open, submit_path};
use crate::sys::{self, error, finish, sys};

/// Flags that the backing file is opened without: what they change is the simulator's.
const NOT_OF_BACKING: c_int = libc::O_DIRECT | libc::O_SYNC | libc::O_DSYNC;

/// The mask of new files' permissions; `u32::MAX` until it is known.
static UMASK: AtomicU32 = AtomicU32::new(u32::MAX);

/// The present mask.
pub fn mask() -> mode_t {
    let known = UMASK.load(Ordering::Relaxed);
    if known != u32::MAX {
        return known;
    }
    // SAFETY: no memory is involved.
    let found = unsafe {
        let found = sys!(SYS_umask, 0) as mode_t;
        sys!(SYS_umask, found);
        found
    };
    UMASK.store(found, Ordering::Relaxed);
    found
}

#[unsafe(no_mangle)]
unsafe extern "C" fn umask(new: mode_t) -> mode_t {
    if mounts::active() && descriptors::is_owner() {
        UMASK.store(new & 0o777, Ordering::Relaxed);
    }
    unsafe { real!(umask(mode_t) -> mode_t)(new) }
}

/// Opens a file of the target; the kernel's result.
pub fn open_target(target: &mut Target, flags: c_int, mode: mode_t) -> sys::Result {
    if flags & libc::O_TMPFILE == libc::O_TMPFILE {
        return error(libc::EOPNOTSUPP);
    }
    let Some(mount) = target.mount else {
        let (dir, path) = target.at();
        // SAFETY: the target's path.
        return unsafe { sys!(SYS_openat, dir, path, flags, mode) };
    };
    let backing = flags & !NOT_OF_BACKING;
    let permissions = mode & 0o7777 & !mask();
    let kind = match flags & libc::O_PATH {
        0 => FileCallKind::Open,
        _ => FileCallKind::Stat,
    };
    let verdict = submit_path(kind, flags_of(flags), target, |request| {
        request.set(|header| header.mode = libc::S_IFREG | permissions)
    });
    let (dir, path) = target.at();
    // SAFETY: the target's path, here and below.
    let fd = match verdict {
        Verdict::Absent => unsafe { sys!(SYS_openat, dir, path, backing, mode) },
        Verdict::Failed(errno) => error(errno),
        Verdict::Done(reply) => unsafe {
            let plain = backing & !(libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC);
            let fd = sys!(SYS_openat, dir, path, plain);
            // The creator may open its file whatever the permissions are.
            if fd == error(libc::EACCES) && reply.value == 1 {
                sys!(SYS_fchmodat, dir, path, 0o600 | permissions);
                let fd = sys!(SYS_openat, dir, path, plain);
                sys!(SYS_fchmodat, dir, path, permissions);
                fd
            } else {
                fd
            }
        },
    };
    // A file of the host keeps its data.
    if fd < 0 || descriptors::is_outside(fd as c_int) {
        return fd;
    }
    let mut flags_kept = if flags & libc::O_DIRECT != 0 { DIRECT } else { 0 };
    if flags & libc::O_DSYNC != 0 {
        flags_kept |= SYNC;
    }
    match descriptors::record(fd as c_int, mount, flags_kept) {
        -1 => error(sys::errno()),
        fd => {
            blocks::opened(fd);
            fd as isize
        }
    }
}

fn flags_of(flags: c_int) -> u32 {
    let pairs = [
        (libc::O_CREAT, file_flag::CREATE),
        (libc::O_EXCL, file_flag::EXCLUSIVE),
        (libc::O_TRUNC, file_flag::TRUNCATE),
        (libc::O_DIRECT, file_flag::DIRECT),
        (libc::O_DSYNC, file_flag::SYNC),
        (libc::O_APPEND, file_flag::APPEND),
        (libc::O_DIRECTORY, file_flag::DIRECTORY),
    ];
    let given = pairs.iter().filter(|(flag, _)| flags & flag != 0);
    let mut sum = given.fold(0, |sum, (_, meaning)| sum | u32::from(*meaning));
    let access = flags & libc::O_ACCMODE;
    if access != libc::O_RDONLY {
        sum |= u32::from(file_flag::WRITE);
    }
    if access != libc::O_WRONLY {
        sum |= request_flag::READ;
    }
    if flags & libc::O_NOFOLLOW != 0 {
        sum |= request_flag::NO_FOLLOW;
    }
    sum
}

/// Whether `open` follows a link in the last component.
fn follows(flags: c_int) -> bool {
    let creates_new = libc::O_CREAT | libc::O_EXCL;
    flags & libc::O_NOFOLLOW == 0 && flags & creates_new != creates_new
}

/// # Safety
/// The program's path.
pub unsafe fn open_at(
    (dir, path): (c_int, *const c_char),
    flags: c_int,
    mode: mode_t,
    host: impl Fn() -> c_int,
) -> c_int {
    if let Some(table) = unsafe { mount_table::open(path, flags) } {
        return table;
    }
    let host = || {
        let fd = host();
        if fd >= 0 {
            unsafe { recognize_special(path, fd) };
        }
        fd
    };
    let open = |target: &mut Target| finish(open_target(target, flags, mode)) as c_int;
    unsafe { at((dir, path, follows(flags)), host, open) }
}

/// Links of `/proc` and `/dev` name open files.
unsafe fn recognize_special(path: *const c_char, fd: c_int) {
    if mounts::active() && !path.is_null() {
        let path = unsafe { sys::bytes(path) };
        if path.starts_with(b"/proc/") || path.starts_with(b"/dev/") {
            descriptors::recognize(fd);
        }
    }
}

/// `open` and similar functions. Callers pass `mode` only if a file may be created. The C calling
/// conventions pass such an optional argument like a fixed one.
macro_rules! opens {
    ($($name:ident, $checked:ident, $name_at:ident, $checked_at:ident, $create:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            let real = real!($name(*const c_char, c_int, mode_t) -> c_int);
            let host = || unsafe { real(path, flags, mode) };
            unsafe { open_at((libc::AT_FDCWD, path), flags, mode, host) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $checked(path: *const c_char, flags: c_int) -> c_int {
            let real = real!($checked(*const c_char, c_int) -> c_int);
            let host = || unsafe { real(path, flags) };
            unsafe { open_at((libc::AT_FDCWD, path), flags, 0, host) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_at(
            dir: c_int,
            path: *const c_char,
            flags: c_int,
            mode: mode_t,
        ) -> c_int {
            let real = real!($name_at(c_int, *const c_char, c_int, mode_t) -> c_int);
            let host = || unsafe { real(dir, path, flags, mode) };
            unsafe { open_at((dir, path), flags, mode, host) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $checked_at(dir: c_int, path: *const c_char, flags: c_int) -> c_int {
            let real = real!($checked_at(c_int, *const c_char, c_int) -> c_int);
            let host = || unsafe { real(dir, path, flags) };
            unsafe { open_at((dir, path), flags, 0, host) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $create(path: *const c_char, mode: mode_t) -> c_int {
            let real = real!($create(*const c_char, mode_t) -> c_int);
            let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
            let host = || unsafe { real(path, mode) };
            unsafe { open_at((libc::AT_FDCWD, path), flags, mode, host) }
        }
    )*};
}
opens! {
    open, __open_2, openat, __openat_2, creat;
    open64, __open64_2, openat64, __openat64_2, creat64;
}

/// Charges the end of an open file, before the descriptor is closed. An error of the simulated file
/// system is returned by `close`.
pub fn charge_close(fd: c_int) -> Result<(), c_int> {
    let Some(open) = simulated(fd) else { return Ok(()) };
    descriptors::forget(fd);
    if open.flags & DUPLICATE != 0 {
        return Ok(());
    }
    match submit_open(FileCallKind::Close, 0, &open, |_| {}) {
        Verdict::Failed(errno) => Err(errno),
        _ => Ok(()),
    }
}

/// `close` of a descriptor that may be a simulated file's.
pub fn close_simulated(fd: c_int) -> c_int {
    let charged = charge_close(fd);
    let result = sys::close(fd);
    finish(charged.err().filter(|_| result == 0).map_or(result, error)) as c_int
}

macro_rules! closes {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(fd: c_int) -> c_int {
            if may_be_simulated(fd) {
                return close_simulated(fd);
            }
            unsafe { real!($name(c_int) -> c_int)(fd) }
        }
    )*};
}
closes! { close __close }

#[unsafe(no_mangle)]
unsafe extern "C" fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    if mounts::active() && flags & libc::CLOSE_RANGE_CLOEXEC as c_int == 0 {
        for fd in descriptors::in_range(first, last) {
            // The function has no error for a file.
            let _ = charge_close(fd);
        }
    }
    unsafe { real!(close_range(c_uint, c_uint, c_int) -> c_int)(first, last, flags) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn closefrom(first: c_int) {
    if mounts::active() {
        for fd in descriptors::in_range(first.max(0) as u32, u32::MAX) {
            // As above.
            let _ = charge_close(fd);
        }
    }
    unsafe { real!(closefrom(c_int) -> ())(first) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn dup(fd: c_int) -> c_int {
    let new = unsafe { real!(dup(c_int) -> c_int)(fd) };
    copied(fd, new)
}

/// After a descriptor has been duplicated.
fn copied(fd: c_int, new: c_int) -> c_int {
    if new >= 0 && new != fd && (may_be_simulated(fd) || may_be_simulated(new)) {
        descriptors::copy(fd, new);
    }
    new
}

#[unsafe(no_mangle)]
unsafe extern "C" fn dup2(fd: c_int, new: c_int) -> c_int {
    if fd != new && may_be_simulated(new) && sys::status_flags(fd) >= 0 {
        // The function has no error for the file that it closes.
        let _ = charge_close(new);
    }
    let result = unsafe { real!(dup2(c_int, c_int) -> c_int)(fd, new) };
    copied(fd, result)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn dup3(fd: c_int, new: c_int, flags: c_int) -> c_int {
    if fd != new && may_be_simulated(new) && sys::status_flags(fd) >= 0 {
        // As above.
        let _ = charge_close(new);
    }
    let result = unsafe { real!(dup3(c_int, c_int, c_int) -> c_int)(fd, new, flags) };
    copied(fd, result)
}

/// The third argument is an integer or a pointer, and passed alike.
macro_rules! fcntls {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(fd: c_int, command: c_int, argument: c_long) -> c_int {
            let real = real!($name(c_int, c_int, c_long) -> c_int);
            if !may_be_simulated(fd) {
                return unsafe { real(fd, command, argument) };
            }
            unsafe { control(fd, command, argument, |a| real(fd, command, a)) }
        }
    )*};
}
fcntls! { fcntl fcntl64 __fcntl }

unsafe fn control(
    fd: c_int,
    command: c_int,
    argument: c_long,
    host: impl Fn(c_long) -> c_int,
) -> c_int {
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => copied(fd, host(argument)),
        libc::F_GETFL => {
            let Some(open) = simulated(fd) else { return host(argument) };
            let kept = |flag: u64, is: c_int| if open.flags & flag != 0 { is } else { 0 };
            let flags = host(argument);
            if flags < 0 {
                return flags;
            }
            flags | kept(DIRECT, libc::O_DIRECT) | kept(SYNC, libc::O_DSYNC)
        }
        libc::F_SETFL => {
            let Some(open) = simulated(fd) else { return host(argument) };
            let flags = argument as c_int;
            // `O_SYNC` cannot be changed.
            let direct = if flags & libc::O_DIRECT != 0 { DIRECT } else { 0 };
            descriptors::set_flags(fd, open.flags & SYNC | direct);
            host((flags & !NOT_OF_BACKING) as c_long)
        }
        libc::F_SETLK | libc::F_SETLKW | libc::F_OFD_SETLK | libc::F_OFD_SETLKW => unsafe {
            crate::locks::record_lock(fd, command, argument, host)
        },
        _ => host(argument),
    }
}
