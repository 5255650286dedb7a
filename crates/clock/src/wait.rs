//! Waits with a deadline on one of our clocks. The C library would hold it against the kernel's, so
//! it is given the time that is left, from now on the kernel's clock. What ends such a wait early
//! is another thread or process, which takes real time; so the wait is a real one.

use std::ffi::{c_int, c_long, c_void};

use libc::{clockid_t, pthread_cond_t, pthread_mutex_t, pthread_rwlock_t, sem_t, timespec};

use crate::{
    begins, forget_reading, is_python, mode, now, ps_of, real, the_kernels, timespec_of, waited,
};

/// A deadline in the kernel's time.
struct Limit {
    at: timespec,
    begun: u64,
    span: u64,
}

/// `None`: neither the clock nor the deadline is ours to change.
unsafe fn limit(clock: clockid_t, deadline: *const timespec) -> Option<Limit> {
    if deadline.is_null() {
        return None;
    }
    let begun = begins(clock).map(|_| now())?;
    let span = ps_of(begins(clock)?, unsafe { &*deadline })?.saturating_sub(begun);
    let (here, left) = (the_kernels(clock), timespec_of(0, span));
    let mut at =
        timespec { tv_sec: here.tv_sec + left.tv_sec, tv_nsec: here.tv_nsec + left.tv_nsec };
    if at.tv_nsec >= 1_000_000_000 {
        at = timespec { tv_sec: at.tv_sec + 1, tv_nsec: at.tv_nsec - 1_000_000_000 };
    }
    Some(Limit { at, begun, span })
}

/// `wait` is told the deadline, and says whether it has passed.
unsafe fn until<R>(
    clock: clockid_t,
    deadline: *const timespec,
    is_over: impl FnOnce(&R) -> bool,
    wait: impl FnOnce(*const timespec) -> R,
) -> R {
    let Some(limit) = (unsafe { limit(clock, deadline) }) else { return wait(deadline) };
    let answer = wait(&limit.at);
    if is_over(&answer) {
        waited(limit.begun, limit.span);
    }
    answer
}

/// A condition variable's clock is an attribute that cannot be asked for. The deadline itself says
/// which it is: it is near the present, and the clocks are decades apart.
unsafe fn guess(deadline: *const timespec) -> clockid_t {
    if mode() == mode::REAL || deadline.is_null() {
        return libc::CLOCK_REALTIME;
    }
    let far = |clock| {
        let begins = begins(clock).unwrap_or(0);
        unsafe { (*deadline).tv_sec }.abs_diff(begins + timespec_of(0, now()).tv_sec)
    };
    match far(libc::CLOCK_MONOTONIC) < far(libc::CLOCK_REALTIME) {
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

/// One exported function a line: its arguments before the deadline, the clock, and whether an
/// answer means that the deadline has passed.
macro_rules! waits {
    ($(fn $name:ident($($arg:ident: $ty:ty),*; $at:ident) on $clock:expr, $over:ident;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty,)* $at: *const timespec) -> c_int {
            let real = real!($name($($ty,)* *const timespec) -> c_int);
            let clock = $clock;
            unsafe { until(clock, $at, $over, |at| real($($arg,)* at)) }
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

/// A Python interpreter waits in this way for its one lock, 5 ms at a time, and for nothing a
/// program can see (its own timed waits are semaphores'): what other threads do meanwhile is not
/// this one's time, and the reading before it no reading of the program's.
#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_timedwait(
    cond: Cond,
    mutex: Mutex,
    at: *const timespec,
) -> c_int {
    let real = real!(pthread_cond_timedwait(Cond, Mutex, *const timespec) -> c_int);
    let clock = unsafe { guess(at) };
    if is_python() {
        let limit = unsafe { limit(clock, at) };
        forget_reading();
        return unsafe { real(cond, mutex, limit.as_ref().map_or(at, |l| &raw const l.at)) };
    }
    unsafe { until(clock, at, timed_out, |at| real(cond, mutex, at)) }
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

/// Rust's and C++'s own locks and futures call the kernel past the C library, with deadlines.
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
    let is_over = |answer: &c_long| failed_in_time(&(*answer as c_int));
    unsafe {
        until(clock, d as *const timespec, is_over, |at| real(number, a, b, c, at as c_long, e, f))
    }
}
