//! Locks: the kernel grants them on the backing file, after the messages that the file system
//! exchanges for a lock.
//!
//! A process that waits in the kernel for a lock would hold up the simulated time of the process
//! that has it. So a waiting call with a simulator is repeated: each attempt takes the time of a
//! lock request. Each states which process holds the lock, so that the simulator finds cycles.

use std::ffi::{c_int, c_long};

use libc::{flock as Lock, off_t};
use workload::FileCallKind;
use workload::file_request::request_flag;

use crate::descriptors::{Open, may_be_simulated, simulated};
use crate::next::real;
use crate::simulator::{Verdict, submit_open};
use crate::sys::{self, finish, sys};

/// A process; 0 for none.
type Pid = u32;

/// Charges an attempt, of which the process `holder` has made the last one fail. Returns whether a
/// simulator has taken part.
fn charge(
    open: &Open,
    (flags, offset, bytes): (u32, u64, u64),
    holder: Pid,
) -> Result<bool, c_int> {
    let verdict = submit_open(FileCallKind::Lock, flags, open, |header| {
        (header.offset, header.bytes) = (offset, bytes);
        (header.owner, header.group) = (sys::pid() as Pid, holder);
    });
    match verdict {
        Verdict::Absent => Ok(false),
        Verdict::Done(_) => Ok(true),
        Verdict::Failed(errno) => Err(errno),
    }
}

/// Attempts to lock, charged, until it succeeds or fails for another reason than another lock.
/// `holder` is the process that holds it, if it is known, and `wait` the kernel's waiting call.
fn attempt(
    open: &Open,
    range: (u32, u64, u64),
    waits: bool,
    (try_once, holder): (impl Fn() -> c_int, impl Fn() -> Pid),
    wait: impl Fn() -> c_int,
) -> c_int {
    let mut waits_for = 0;
    loop {
        match charge(open, range, waits_for) {
            Err(errno) => return finish(sys::error(errno)) as c_int,
            Ok(false) => return if waits { wait() } else { try_once() },
            Ok(true) => {
                let result = try_once();
                let is_held = matches!(sys::errno(), libc::EAGAIN | libc::EACCES);
                if result == 0 || !waits || !is_held {
                    return result;
                }
                waits_for = holder();
            }
        }
    }
}

/// The process with a record lock that excludes this one; 0 for locks without a process.
///
/// # Safety
/// `lock` is valid.
unsafe fn holder_of(fd: c_int, lock: *const Lock) -> Pid {
    let mut found = unsafe { *lock };
    // SAFETY: a valid lock, which the kernel replaces.
    let result = unsafe { sys!(SYS_fcntl, fd, libc::F_GETLK, &raw mut found) };
    if result < 0 || c_int::from(found.l_type) == libc::F_UNLCK {
        return 0;
    }
    Pid::try_from(found.l_pid).unwrap_or(0)
}

/// Locks of `fcntl`.
///
/// # Safety
/// `argument` points to the program's lock.
pub unsafe fn record_lock(
    fd: c_int,
    command: c_int,
    argument: c_long,
    host: impl Fn(c_long) -> c_int,
) -> c_int {
    let lock = argument as *const Lock;
    let Some(open) = simulated(fd).filter(|_| !lock.is_null()) else { return host(argument) };
    let (kind, start, length) = unsafe { ((*lock).l_type, (*lock).l_start, (*lock).l_len) };
    let flags = match c_int::from(kind) {
        libc::F_UNLCK => request_flag::UNLOCK,
        libc::F_WRLCK => request_flag::LOCK_EXCLUSIVE,
        _ => 0,
    };
    let once = match command {
        libc::F_SETLKW => libc::F_SETLK,
        libc::F_OFD_SETLKW => libc::F_OFD_SETLK,
        other => other,
    };
    let range = (flags, start.max(0) as u64, length.max(0) as u64);
    // SAFETY: the program's lock, here and below.
    let try_once = || finish(unsafe { sys!(SYS_fcntl, fd, once, argument) }) as c_int;
    let holder = || match command {
        libc::F_SETLKW => unsafe { holder_of(fd, lock) },
        _ => 0,
    };
    attempt(&open, range, once != command, (try_once, holder), || host(argument))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flock(fd: c_int, operation: c_int) -> c_int {
    let real = real!(flock(c_int, c_int) -> c_int);
    let Some(open) = simulated(fd) else { return unsafe { real(fd, operation) } };
    let flags = match operation & !libc::LOCK_NB {
        libc::LOCK_UN => request_flag::UNLOCK,
        libc::LOCK_EX => request_flag::LOCK_EXCLUSIVE,
        _ => 0,
    };
    let waits = operation & libc::LOCK_NB == 0;
    let once = || unsafe { real(fd, operation | libc::LOCK_NB) };
    attempt(&open, (flags, 0, 0), waits, (once, || 0), || unsafe { real(fd, operation) })
}

macro_rules! lockfs {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(fd: c_int, command: c_int, length: off_t) -> c_int {
            let real = real!($name(c_int, c_int, off_t) -> c_int);
            let Some(open) = may_be_simulated(fd).then(|| simulated(fd)).flatten() else {
                return unsafe { real(fd, command, length) };
            };
            let (flags, once) = match command {
                libc::F_LOCK => (request_flag::LOCK_EXCLUSIVE, libc::F_TLOCK),
                libc::F_TLOCK => (request_flag::LOCK_EXCLUSIVE, command),
                libc::F_ULOCK => (request_flag::UNLOCK, command),
                _ => return unsafe { real(fd, command, length) },
            };
            let range = (flags, 0, length.unsigned_abs());
            let try_once = || unsafe { real(fd, once, length) };
            let wait = || unsafe { real(fd, command, length) };
            let at = sys::lseek(fd, 0, libc::SEEK_CUR) as off_t;
            let lock = Lock {
                l_type: libc::F_WRLCK as _,
                l_whence: libc::SEEK_SET as _,
                l_start: at,
                l_len: length,
                l_pid: 0,
            };
            // SAFETY: a valid lock.
            let holder = || unsafe { holder_of(fd, &raw const lock) };
            attempt(&open, range, once != command, (try_once, holder), wait)
        }
    )*};
}
lockfs! { lockf lockf64 }
