//! Sleeping. A sleep that the simulator lets pass takes no time of ours; any other is a real one,
//! because what the program sleeps for may be somebody outside.

use std::ffi::{c_int, c_uint};

use libc::{clockid_t, fd_set, pollfd, sigset_t, timespec, timeval, useconds_t};

use crate::{
    PS_PER_NS, PS_PER_S, begins, fail, mode, now, pass, ps_of, reading, real, timespec_of, waited,
};

/// 0, or how much of the sleep a signal has cut off.
fn sleep_for(span: u64) -> u64 {
    let begun = now();
    if pass(span, true) {
        return 0;
    }
    let (asked, mut left) = (timespec_of(0, span), timespec_of(0, 0));
    // SAFETY: two valid timespecs.
    let cut = unsafe {
        real!(nanosleep(*const timespec, *mut timespec) -> c_int)(&asked, &mut left) != 0
    };
    let left = if cut { ps_of(0, &left).unwrap_or(0).min(span) } else { 0 };
    waited(begun, span - left);
    left
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(asked: *const timespec, left: *mut timespec) -> c_int {
    let ours = mode::REAL != mode() && !asked.is_null();
    let span = if ours { ps_of(0, unsafe { &*asked }) } else { None };
    let Some(span) = span.filter(|_| unsafe { (*asked).tv_sec >= 0 }) else {
        return unsafe { real!(nanosleep(*const timespec, *mut timespec) -> c_int)(asked, left) };
    };
    match sleep_for(span) {
        0 => 0,
        cut => {
            if !left.is_null() {
                unsafe { *left = timespec_of(0, cut) };
            }
            fail(libc::EINTR)
        }
    }
}

/// Returns an error, unlike `nanosleep`.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    asked: *const timespec,
    left: *mut timespec,
) -> c_int {
    let begins = if asked.is_null() { None } else { begins(clock) };
    let is_absolute = flags & libc::TIMER_ABSTIME != 0;
    let span = begins.and_then(|begins| {
        let asked = unsafe { &*asked };
        match is_absolute {
            true => ps_of(begins, asked).map(|at| at.saturating_sub(reading())),
            false => ps_of(0, asked).filter(|_| asked.tv_sec >= 0),
        }
    });
    let Some(span) = span else {
        type Time = *const timespec;
        let real = real!(clock_nanosleep(clockid_t, c_int, Time, *mut timespec) -> c_int);
        return unsafe { real(clock, flags, asked, left) };
    };
    match sleep_for(span) {
        0 => 0,
        cut => {
            if !is_absolute && !left.is_null() {
                unsafe { *left = timespec_of(0, cut) };
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
    // Whole seconds, to the nearest.
    let left = sleep_for(u64::from(seconds) * PS_PER_S);
    ((left + PS_PER_S / 2) / PS_PER_S) as c_uint
}

#[unsafe(no_mangle)]
unsafe extern "C" fn usleep(micros: useconds_t) -> c_int {
    if mode() == mode::REAL {
        return unsafe { real!(usleep(useconds_t) -> c_int)(micros) };
    }
    match sleep_for(u64::from(micros) * 1_000 * PS_PER_NS) {
        0 => 0,
        _ => fail(libc::EINTR),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn thrd_sleep(asked: *const timespec, left: *mut timespec) -> c_int {
    match unsafe { nanosleep(asked, left) } {
        0 => 0,
        _ if unsafe { *libc::__errno_location() } == libc::EINTR => -1,
        _ => -2,
    }
}

// ---------------------------------------------------------------------------------------------
// Waits for descriptors, with a limit. With none to wait for it is a sleep; else the wait is a real
// one, and costs its limit if nothing came.

/// `wait` answers 0 when the limit is over.
fn limited(span: Option<u64>, is_sleep: bool, wait: impl FnOnce() -> c_int) -> c_int {
    let Some(span) = span.filter(|&s| s > 0 && mode() != mode::REAL) else { return wait() };
    if is_sleep && pass(span, true) {
        return 0;
    }
    let begun = now();
    let answer = wait();
    if answer == 0 {
        waited(begun, span);
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
