//! Waits with a deadline on a simulated clock. The C library compares deadlines with the kernel's
//! clock, so they are converted to that clock. Another thread or process, which runs in real time,
//! ends such a wait early. The wait is therefore real.

use std::ffi::{c_int, c_long, c_void};

use libc::{clockid_t, pthread_cond_t, pthread_mutex_t, pthread_rwlock_t, sem_t, timespec};

use crate::{
    charge_wait, forget_reading, is_python, kernel_time, mode, now, origin_s, ps_of, real,
    timespec_of,
};

/// A deadline on the kernel's clock.
struct Deadline {
    at: timespec,
    start: u64,
    span: u64,
}

/// The converted deadline; `None` if the clock is real or the deadline is invalid.
unsafe fn own_deadline(clock: clockid_t, deadline: *const timespec) -> Option<Deadline> {
    if deadline.is_null() {
        return None;
    }
    let start = origin_s(clock).map(|_| now())?;
    let span = ps_of(origin_s(clock)?, unsafe { &*deadline })?.saturating_sub(start);
    let (here, remaining) = (kernel_time(clock), timespec_of(0, span));
    let mut at = timespec {
        tv_sec: here.tv_sec + remaining.tv_sec,
        tv_nsec: here.tv_nsec + remaining.tv_nsec,
    };
    if at.tv_nsec >= 1_000_000_000 {
        at = timespec { tv_sec: at.tv_sec + 1, tv_nsec: at.tv_nsec - 1_000_000_000 };
    }
    Some(Deadline { at, start, span })
}

/// Runs `wait` with the converted deadline. `has_expired` is true if its result is a timeout.
unsafe fn wait_until<R>(
    clock: clockid_t,
    deadline: *const timespec,
    has_expired: impl FnOnce(&R) -> bool,
    wait: impl FnOnce(*const timespec) -> R,
) -> R {
    let Some(own_deadline) = (unsafe { own_deadline(clock, deadline) }) else {
        return wait(deadline);
    };
    let answer = wait(&own_deadline.at);
    if has_expired(&answer) {
        charge_wait(own_deadline.start, own_deadline.span);
    }
    answer
}

/// The clock of a condition variable, an attribute that cannot be queried. The deadline identifies
/// it, because deadlines are near the present and the clocks differ by decades.
unsafe fn guess_clock(deadline: *const timespec) -> clockid_t {
    if mode() == mode::REAL || deadline.is_null() {
        return libc::CLOCK_REALTIME;
    }
    let distance = |clock| {
        let origin_s = origin_s(clock).unwrap_or(0);
        unsafe { (*deadline).tv_sec }.abs_diff(origin_s + timespec_of(0, now()).tv_sec)
    };
    match distance(libc::CLOCK_MONOTONIC) < distance(libc::CLOCK_REALTIME) {
        true => libc::CLOCK_MONOTONIC,
        false => libc::CLOCK_REALTIME,
    }
}

const THRD_TIMEDOUT: c_int = 4;
fn timed_out(answer: &c_int) -> bool {
    *answer == libc::ETIMEDOUT
}
fn thread_timed_out(answer: &c_int) -> bool {
    *answer == THRD_TIMEDOUT
}
fn failed_in_time(answer: &c_int) -> bool {
    // SAFETY: this thread's own.
    *answer != 0 && unsafe { *libc::__errno_location() } == libc::ETIMEDOUT
}

/// One exported function per line: its arguments before the deadline, the clock, and the predicate
/// that recognizes a timeout.
macro_rules! waits {
    ($(fn $name:ident($($arg:ident: $ty:ty),*; $at:ident) on $clock:expr, $over:ident;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty,)* $at: *const timespec) -> c_int {
            let real = real!($name($($ty,)* *const timespec) -> c_int);
            let clock = $clock;
            unsafe { wait_until(clock, $at, $over, |at| real($($arg,)* at)) }
        }
    )* };
}

type Cond = *mut pthread_cond_t;
type Mutex = *mut pthread_mutex_t;
type Rwlock = *mut pthread_rwlock_t;

waits! {
    fn pthread_cond_clockwait(cond: Cond, mutex: Mutex, clock: clockid_t; at) on clock, timed_out;
    fn pthread_mutex_timedlock(mutex: Mutex; at) on libc::CLOCK_REALTIME, timed_out;
    fn pthread_mutex_clocklock(mutex: Mutex, clock: clockid_t; at) on clock, timed_out;
    fn pthread_rwlock_timedrdlock(lock: Rwlock; at) on libc::CLOCK_REALTIME, timed_out;
    fn pthread_rwlock_timedwrlock(lock: Rwlock; at) on libc::CLOCK_REALTIME, timed_out;
    fn pthread_rwlock_clockrdlock(lock: Rwlock, clock: clockid_t; at) on clock, timed_out;
    fn pthread_rwlock_clockwrlock(lock: Rwlock, clock: clockid_t; at) on clock, timed_out;
    fn sem_timedwait(sem: *mut sem_t; at) on libc::CLOCK_REALTIME, failed_in_time;
    fn sem_clockwait(sem: *mut sem_t, clock: clockid_t; at) on clock, failed_in_time;
    fn cnd_timedwait(cond: *mut c_void, mutex: *mut c_void; at)
        on libc::CLOCK_REALTIME, thread_timed_out;
    fn mtx_timedlock(mutex: *mut c_void; at) on libc::CLOCK_REALTIME, thread_timed_out;
    fn pthread_timedjoin_np(thread: libc::pthread_t, value: *mut *mut c_void; at)
        on libc::CLOCK_REALTIME, timed_out;
}

/// A Python interpreter waits in this way for its global lock, 5 ms at a time, and for nothing that
/// a program can see (its timed waits use semaphores). The work of other threads during the wait is
/// not charged to this thread, and the clock reading before the wait is refunded.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_timedwait(
    cond: Cond,
    mutex: Mutex,
    at: *const timespec,
) -> c_int {
    let real = real!(pthread_cond_timedwait(Cond, Mutex, *const timespec) -> c_int);
    let clock = unsafe { guess_clock(at) };
    if is_python() {
        let own_deadline = unsafe { own_deadline(clock, at) };
        forget_reading();
        return unsafe { real(cond, mutex, own_deadline.as_ref().map_or(at, |l| &raw const l.at)) };
    }
    unsafe { wait_until(clock, at, timed_out, |at| real(cond, mutex, at)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_wait(sem: *mut sem_t) -> c_int {
    forget_reading();
    unsafe { real!(sem_wait(*mut sem_t) -> c_int)(sem) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn sem_trywait(sem: *mut sem_t) -> c_int {
    forget_reading();
    unsafe { real!(sem_trywait(*mut sem_t) -> c_int)(sem) }
}

/// Locks and futures of Rust and C++ pass futex deadlines to the kernel directly.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    type L = c_long;
    let real = real!(syscall(L, L, L, L, L, L, L) -> L);
    let op = b as c_int & libc::FUTEX_CMD_MASK;
    if number != libc::SYS_futex || op != libc::FUTEX_WAIT_BITSET || mode() == mode::REAL {
        return unsafe { real(number, a, b, c, d, e, f) };
    }
    let clock = match b as c_int & libc::FUTEX_CLOCK_REALTIME {
        0 => libc::CLOCK_MONOTONIC,
        _ => libc::CLOCK_REALTIME,
    };
    let has_expired = |answer: &c_long| failed_in_time(&(*answer as c_int));
    unsafe {
        wait_until(clock, d as *const timespec, has_expired, |at| {
            real(number, a, b, c, at as c_long, e, f)
        })
    }
}
