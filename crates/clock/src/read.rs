//! Functions that read a clock.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use libc::{clock_t, clockid_t, time_t, timespec, timeval, tms};

use crate::{PS_PER_S, UPTIME_S, origin_s, reading, real, timespec_of};

/// The only time base of C11.
const TIME_UTC: c_int = 1;
const TICKS_PER_S: u64 = 100; // sysconf(_SC_CLK_TCK) of every Linux

#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: clockid_t, out: *mut timespec) -> c_int {
    match origin_s(clock) {
        Some(origin_s) if !out.is_null() => {
            unsafe { *out = timespec_of(origin_s, reading()) };
            0
        }
        _ => unsafe { real!(clock_gettime(clockid_t, *mut timespec) -> c_int)(clock, out) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(out: *mut timeval, zone: *mut c_void) -> c_int {
    let Some(origin_s) = origin_s(libc::CLOCK_REALTIME) else {
        return unsafe { real!(gettimeofday(*mut timeval, *mut c_void) -> c_int)(out, zone) };
    };
    if !zone.is_null() {
        // The time zone of this obsolete interface is the kernel's; the time is overwritten below.
        unsafe { real!(gettimeofday(*mut timeval, *mut c_void) -> c_int)(null_mut(), zone) };
    }
    if !out.is_null() {
        let t = timespec_of(origin_s, reading());
        unsafe { *out = timeval { tv_sec: t.tv_sec, tv_usec: t.tv_nsec / 1_000 } };
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn time(out: *mut time_t) -> time_t {
    let Some(origin_s) = origin_s(libc::CLOCK_REALTIME) else {
        return unsafe { real!(time(*mut time_t) -> time_t)(out) };
    };
    let t = timespec_of(origin_s, reading()).tv_sec;
    if !out.is_null() {
        unsafe { *out = t };
    }
    t
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timespec_get(out: *mut timespec, base: c_int) -> c_int {
    match origin_s(libc::CLOCK_REALTIME) {
        Some(origin_s) if base == TIME_UTC => {
            unsafe { *out = timespec_of(origin_s, reading()) };
            base
        }
        _ => unsafe { real!(timespec_get(*mut timespec, c_int) -> c_int)(out, base) },
    }
}

/// The values in `out` are real CPU time; the result is simulated time.
#[unsafe(no_mangle)]
unsafe extern "C" fn times(out: *mut tms) -> clock_t {
    let answer = unsafe { real!(times(*mut tms) -> clock_t)(out) };
    match origin_s(libc::CLOCK_MONOTONIC) {
        Some(_) => {
            (UPTIME_S as u64 * TICKS_PER_S + reading() / (PS_PER_S / TICKS_PER_S)) as clock_t
        }
        None => answer,
    }
}
