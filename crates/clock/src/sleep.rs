//! Sleeps and waits for descriptors. A sleep in simulated time takes no real time. Any other sleep
//! is real, because the program may be waiting for another process.

use std::ffi::{c_int, c_uint};

use libc::{clockid_t, fd_set, pollfd, sigset_t, timespec, timeval, useconds_t};

use crate::{
    PS_PER_NS, PS_PER_S, advance, charge_wait, mode, now, origin_s, ps_of, reading, real,
    set_errno, timespec_of,
};

/// Returns 0, or the picoseconds that remained when a signal ended the sleep.
fn sleep_for(span: u64) -> u64 {
    let start = now();
    if advance(span, true) {
        return 0;
    }
    let (requested, mut remaining) = (timespec_of(0, span), timespec_of(0, 0));
    // SAFETY: two valid timespecs.
    let cut = unsafe {
        real!(nanosleep(*const timespec, *mut timespec) -> c_int)(&requested, &mut remaining) != 0
    };
    let remaining = if cut { ps_of(0, &remaining).unwrap_or(0).min(span) } else { 0 };
    charge_wait(start, span - remaining);
    remaining
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(requested: *const timespec, remaining: *mut timespec) -> c_int {
    let ours = mode::REAL != mode() && !requested.is_null();
    let span = if ours { ps_of(0, unsafe { &*requested }) } else { None };
    let Some(span) = span.filter(|_| unsafe { (*requested).tv_sec >= 0 }) else {
        return unsafe {
            real!(nanosleep(*const timespec, *mut timespec) -> c_int)(requested, remaining)
        };
    };
    match sleep_for(span) {
        0 => 0,
        cut => {
            if !remaining.is_null() {
                unsafe { *remaining = timespec_of(0, cut) };
            }
            set_errno(libc::EINTR)
        }
    }
}

/// Returns the error number, unlike `nanosleep`.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    requested: *const timespec,
    remaining: *mut timespec,
) -> c_int {
    let origin_s = if requested.is_null() { None } else { origin_s(clock) };
    let is_absolute = flags & libc::TIMER_ABSTIME != 0;
    let span = origin_s.and_then(|origin_s| {
        let requested = unsafe { &*requested };
        match is_absolute {
            true => ps_of(origin_s, requested).map(|at| at.saturating_sub(reading())),
            false => ps_of(0, requested).filter(|_| requested.tv_sec >= 0),
        }
    });
    let Some(span) = span else {
        type Time = *const timespec;
        let real = real!(clock_nanosleep(clockid_t, c_int, Time, *mut timespec) -> c_int);
        return unsafe { real(clock, flags, requested, remaining) };
    };
    match sleep_for(span) {
        0 => 0,
        cut => {
            if !is_absolute && !remaining.is_null() {
                unsafe { *remaining = timespec_of(0, cut) };
            }
            libc::EINTR
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    if mode() == mode::REAL {
        return unsafe { real!(sleep(c_uint) -> c_uint)(seconds) };
    }
    // Rounded to whole seconds.
    let remaining = sleep_for(u64::from(seconds) * PS_PER_S);
    ((remaining + PS_PER_S / 2) / PS_PER_S) as c_uint
}

#[unsafe(no_mangle)]
unsafe extern "C" fn usleep(micros: useconds_t) -> c_int {
    if mode() == mode::REAL {
        return unsafe { real!(usleep(useconds_t) -> c_int)(micros) };
    }
    match sleep_for(u64::from(micros) * 1_000 * PS_PER_NS) {
        0 => 0,
        _ => set_errno(libc::EINTR),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_sleep(requested: *const timespec, remaining: *mut timespec) -> c_int {
    match unsafe { nanosleep(requested, remaining) } {
        0 => 0,
        _ if unsafe { *libc::__errno_location() } == libc::EINTR => -1,
        _ => -2,
    }
}

// ---------------------------------------------------------------------------------------------
// Waits for descriptors with a timeout. Without descriptors it is a sleep. Otherwise the wait is
// real, and its timeout is charged if it expires.

/// Runs `wait`, which returns 0 after a timeout.
fn limited(span: Option<u64>, is_sleep: bool, wait: impl FnOnce() -> c_int) -> c_int {
    let Some(span) = span.filter(|&s| s > 0 && mode() != mode::REAL) else { return wait() };
    if is_sleep && advance(span, true) {
        return 0;
    }
    let start = now();
    let answer = wait();
    if answer == 0 {
        charge_wait(start, span);
    }
    answer
}

fn of_millis(millis: c_int) -> Option<u64> {
    u64::try_from(millis).ok().map(|ms| ms * 1_000_000 * PS_PER_NS)
}
unsafe fn of_timespec(limit: *const timespec) -> Option<u64> {
    if limit.is_null() { None } else { ps_of(0, unsafe { &*limit }) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn poll(fds: *mut pollfd, n: libc::nfds_t, millis: c_int) -> c_int {
    let real = real!(poll(*mut pollfd, libc::nfds_t, c_int) -> c_int);
    limited(of_millis(millis), n == 0, || unsafe { real(fds, n, millis) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ppoll(
    fds: *mut pollfd,
    n: libc::nfds_t,
    limit: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    let real = real!(ppoll(*mut pollfd, libc::nfds_t, *const timespec, *const sigset_t) -> c_int);
    let span = unsafe { of_timespec(limit) };
    limited(span, n == 0 && mask.is_null(), || unsafe { real(fds, n, limit, mask) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn select(
    n: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    other: *mut fd_set,
    limit: *mut timeval,
) -> c_int {
    type Set = *mut fd_set;
    let real = real!(select(c_int, Set, Set, Set, *mut timeval) -> c_int);
    let span = if limit.is_null() {
        None
    } else {
        let t = unsafe { *limit };
        let (s, us) = (u64::try_from(t.tv_sec), u64::try_from(t.tv_usec));
        s.ok().zip(us.ok()).map(|(s, us)| s.saturating_mul(PS_PER_S).saturating_add(us * 1_000_000))
    };
    let is_sleep = n == 0 || read.is_null() && write.is_null() && other.is_null();
    limited(span, is_sleep, || unsafe { real(n, read, write, other, limit) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pselect(
    n: c_int,
    read: *mut fd_set,
    write: *mut fd_set,
    other: *mut fd_set,
    limit: *const timespec,
    mask: *const sigset_t,
) -> c_int {
    type Set = *mut fd_set;
    let real = real!(pselect(c_int, Set, Set, Set, *const timespec, *const sigset_t) -> c_int);
    let span = unsafe { of_timespec(limit) };
    let is_sleep =
        mask.is_null() && (n == 0 || read.is_null() && write.is_null() && other.is_null());
    limited(span, is_sleep, || unsafe { real(n, read, write, other, limit, mask) })
}

type Event = libc::epoll_event;

#[unsafe(no_mangle)]
unsafe extern "C" fn epoll_wait(fd: c_int, events: *mut Event, n: c_int, millis: c_int) -> c_int {
    let real = real!(epoll_wait(c_int, *mut Event, c_int, c_int) -> c_int);
    limited(of_millis(millis), false, || unsafe { real(fd, events, n, millis) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn epoll_pwait(
    fd: c_int,
    events: *mut Event,
    n: c_int,
    millis: c_int,
    mask: *const sigset_t,
) -> c_int {
    let real = real!(epoll_pwait(c_int, *mut Event, c_int, c_int, *const sigset_t) -> c_int);
    limited(of_millis(millis), false, || unsafe { real(fd, events, n, millis, mask) })
}
