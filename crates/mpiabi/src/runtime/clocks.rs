//! Simulated time for clock readings and sleeps outside MPI: the functions that the library `clock`
//! calls.

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use super::threads::{self, Held};
use super::{LAST_KNOWN_PS, OPENMP_EXTRA, Runtime};
use super::{delay, flush, is_attached, is_finalized, is_forked, turn, with};

/// Registers as the source of time with the library `clock`, if it is loaded.
pub fn register() {
    type Now = extern "C" fn(c_int) -> u64;
    type Pass = extern "C" fn(u64, c_int) -> c_int;
    type Forget = extern "C" fn(u64);
    // SAFETY: NUL-terminated names.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"odonata_clock_register".as_ptr()) };
    let extra = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"odonata_clock_extra".as_ptr()) };
    OPENMP_EXTRA.store(extra, Ordering::Relaxed);
    if !found.is_null() {
        // SAFETY: only the crate `clock` defines that name.
        let register: extern "C" fn(Now, Pass, Forget) = unsafe { std::mem::transmute(found) };
        register(clock_now, clock_pass, clock_forget);
    }
}

/// Takes the lock for clock readings outside MPI, if the rank is active.
fn enter_for_clock(held: Option<Held>) -> Option<Held> {
    let held = held.filter(|h| !is_forked() && is_attached(h) && !is_finalized(h))?;
    with(&held, |rt| {
        rt.function = 0;
        rt.charge();
    });
    Some(held)
}
/// See the crate `clock`. It may be called wherever a clock may be read, even inside `malloc`.
extern "C" fn clock_now(reading: c_int) -> u64 {
    let held = if reading != 0 { enter_for_clock(threads::try_lock()) } else { None };
    let Some(held) = held.filter(|_| !turn::simulator_has_turn() && !turn::is_serving()) else {
        return LAST_KNOWN_PS.load(Ordering::Relaxed);
    };
    // During a hand-over, the simulator may request a function that needs a lock of this thread.
    // Python reads clocks while it waits for its global lock, but only if it has several threads.
    if with(&held, |rt| !rt.quiet && (!rt.combines || is_single_threaded())) {
        flush(&held);
    }
    with(&held, Runtime::tick)
}
/// Whether the calling thread's simulated time has advanced by `span_ps`.
extern "C" fn clock_pass(span_ps: u64, may_wait: c_int) -> c_int {
    let may_wait = may_wait != 0 && !turn::is_serving();
    let held = match may_wait && threads::is_multiple() {
        true => threads::lock_if_called(),
        false => threads::try_lock(),
    };
    let Some(held) = enter_for_clock(held) else { return 0 };
    if may_wait {
        delay(&held, span_ps);
    } else {
        with(&held, |rt| rt.at_ps += span_ps);
    }
    1
}
/// Takes back the tick of the reading that returned `at_ps`, unless the time has advanced since.
extern "C" fn clock_forget(at_ps: u64) {
    let held = threads::try_lock().filter(|h| !is_forked() && is_attached(h) && !is_finalized(h));
    let Some(held) = held.filter(|_| !turn::simulator_has_turn()) else { return };
    with(&held, |rt| {
        if rt.at_ps == at_ps && rt.at_ps >= rt.control().reported_ps + rt.tick_ps {
            rt.at_ps -= rt.tick_ps;
            LAST_KNOWN_PS.store(rt.at_ps, Ordering::Relaxed);
        }
    });
}

/// Whether this process has one thread, according to its C library.
fn is_single_threaded() -> bool {
    // SAFETY: a NUL-terminated name of a byte that lives as long as the process.
    unsafe {
        let known = libc::dlsym(libc::RTLD_DEFAULT, c"__libc_single_threaded".as_ptr());
        !known.is_null() && known.cast::<u8>().read_volatile() != 0
    }
}
