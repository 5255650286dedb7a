//! Floor 6: what the node tells a program behind MPI's back: its clocks, its name, and the files
//! that hold it.
//!
//! `libodonata_clock.so` stands in front of every other library of a rank's process and answers
//! `clock_gettime`, `sleep`, timed waits and their like with the time the rank is at. It knows no
//! simulator: the MPI library registers two functions that do when the rank takes its seat.
//!
//! Where the simulator has no say (before `MPI_Init`, after `MPI_Finalize`, in threads that never
//! call MPI) time stands still but for what the program itself does: a reading costs `TICK_PS`, a
//! sleep its length. So every loop that waits for the clock ends, and the same program sees the
//! same times again. No thread sees time go back.
//!
//! A process without `ODONATA_EPOCH`, and one that a rank has forked, has the kernel's clocks; one
//! without `ODONATA_NODE` has the host's name.
//! Whatever is called here may be called inside `malloc` and in signal handlers: nothing here
//! allocates or locks, except for lookups of nodes' names (`identity`), as in the C library.

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::mem::{transmute, transmute_copy};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use libc::{clockid_t, timespec};

mod files;
mod identity;
mod openmp;
mod read;
mod sleep;
mod wait;

/// What a reading costs where the simulator does not say: about what it costs really [estimate].
const TICK_PS: u64 = 50_000;
/// What the monotonic clocks showed when the job began: a day, as of a node that has been up.
const UPTIME_S: i64 = 86_400;
/// International atomic time is so much ahead of UTC (IERS Bulletin C 52, and since 2017).
const TAI_S: i64 = 37;
const PS_PER_S: u64 = 1_000_000_000_000;
const PS_PER_NS: u64 = 1_000;
/// Longest sleep the simulator is asked for, 100 days: simulated time ends after 213.
const LONGEST_PS: u64 = 100 * 86_400 * PS_PER_S;

/// Seconds since 1970 at which the job begins, for a process whose clocks are ours.
const EPOCH: &CStr = c"ODONATA_EPOCH";

mod mode {
    pub const UNKNOWN: u32 = 0;
    /// The kernel's clocks.
    pub const REAL: u32 = 1;
    /// Time that only this process moves.
    pub const OWN: u32 = 2;
    /// The simulator's.
    pub const SIMULATED: u32 = 3;
}
static MODE: AtomicU32 = AtomicU32::new(mode::UNKNOWN);
static EPOCH_S: AtomicU64 = AtomicU64::new(0);
/// How far this process came by itself before the simulator took over.
static OWN_PS: AtomicU64 = AtomicU64::new(0);

/// Simulated time of the calling thread in picoseconds, as far as it is known. `reading`: it is for
/// the program to see, and costs what reading a clock costs.
type Now = extern "C" fn(reading: c_int) -> u64;
/// Lets `span` picoseconds of the calling thread's time pass; 0 if the thread must do so itself.
/// `may_wait`: the thread may be kept here meanwhile; else the time is only counted.
type Pass = extern "C" fn(span: u64, may_wait: c_int) -> c_int;
/// Takes back what the calling thread's reading that answered `at` has cost.
type Forget = extern "C" fn(at: u64);
static NOW: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static PASS: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static FORGET: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

thread_local! {
    /// The latest time this thread has seen since the simulator took over. Without a destructor,
    /// and in the thread's static block: to look at it allocates nothing.
    static SEEN: Cell<u64> = const { Cell::new(0) };
    /// Its last reading, `None` once that is forgotten, and what it had seen before.
    static LAST: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
    /// Readings forgotten in a row.
    static FORGOTTEN: Cell<u32> = const { Cell::new(0) };
}
/// So many at most: the import of a large package takes some thousand locks, and a loop that looks
/// at a lock and at the clock has to end.
const MOST_FORGOTTEN: u32 = 1 << 20;

/// The MPI library, when the rank takes its seat: from here on the simulator is asked. What the
/// rank starts from here on are no ranks: they have the kernel's clocks.
#[unsafe(no_mangle)]
extern "C" fn odonata_clock_register(now: Now, pass: Pass, forget: Forget) {
    files::set_seated(true);
    // SAFETY: the handler only stores to atomics; MPI is begun by one thread.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    if mode() != mode::OWN {
        return;
    }
    NOW.store(now as *mut c_void, Ordering::Relaxed);
    PASS.store(pass as *mut c_void, Ordering::Relaxed);
    FORGET.store(forget as *mut c_void, Ordering::Relaxed);
    MODE.store(mode::SIMULATED, Ordering::Release);
    // SAFETY: a zero-terminated name; MPI is begun by one thread.
    unsafe { libc::unsetenv(EPOCH.as_ptr()) };
}

extern "C" fn in_child() {
    files::set_seated(false);
    MODE.store(mode::REAL, Ordering::Relaxed);
}

fn mode() -> u32 {
    match MODE.load(Ordering::Acquire) {
        mode::UNKNOWN => find_mode(),
        known => known,
    }
}

#[cold]
fn find_mode() -> u32 {
    // SAFETY: a zero-terminated name; the value is only read here.
    let text = unsafe { libc::getenv(EPOCH.as_ptr()) };
    let text = if text.is_null() { c"" } else { unsafe { CStr::from_ptr(text) } };
    let epoch = text.to_str().ok().and_then(|t| t.parse::<u64>().ok());
    EPOCH_S.store(epoch.unwrap_or(0), Ordering::Relaxed);
    let found = if epoch.is_some() { mode::OWN } else { mode::REAL };
    let _ = MODE.compare_exchange(mode::UNKNOWN, found, Ordering::AcqRel, Ordering::Acquire);
    MODE.load(Ordering::Acquire)
}

fn simulated(reading: bool) -> u64 {
    // SAFETY: registered before the mode said so.
    let now = unsafe { transmute::<*mut c_void, Now>(NOW.load(Ordering::Relaxed)) };
    OWN_PS.load(Ordering::Relaxed).saturating_add(now(c_int::from(reading)))
}

/// Time since the job began, for a process whose clocks are ours, as the program reads it.
fn reading() -> u64 {
    if LAST.take().is_some() {
        FORGOTTEN.set(0);
    }
    let seen = SEEN.get();
    if mode() == mode::OWN {
        let now = OWN_PS.fetch_add(TICK_PS, Ordering::Relaxed) + TICK_PS;
        LAST.set(Some((now, seen)));
        return now;
    }
    let at = simulated(true);
    LAST.set(Some((at, seen)));
    // Who asks twice and is told the same would wait for ever.
    let now = if at > seen { at } else { seen + TICK_PS };
    SEEN.set(now);
    now
}

/// The interpreter reads the clock before it takes a lock, whether or not there is a limit to the
/// wait (Python 3.11 does). No program sees such a reading, and how many there are hangs on what
/// has been imported before: so it costs nothing.
fn forget_reading() {
    let Some((at, seen)) = LAST.take() else { return };
    if FORGOTTEN.get() == MOST_FORGOTTEN || !is_python() {
        return;
    }
    FORGOTTEN.set(FORGOTTEN.get() + 1);
    if mode() == mode::OWN {
        // Unless another thread has read it since.
        let (before, order) = (at - TICK_PS, Ordering::Relaxed);
        let _ = OWN_PS.compare_exchange(at, before, order, order);
    } else if mode() == mode::SIMULATED {
        // SAFETY: registered before the mode said so.
        let forget = unsafe { transmute::<*mut c_void, Forget>(FORGET.load(Ordering::Relaxed)) };
        forget(at.saturating_sub(OWN_PS.load(Ordering::Relaxed)));
        SEEN.set(seen);
    }
}

/// Whether this process is a Python interpreter.
fn is_python() -> bool {
    static KNOWN: AtomicU32 = AtomicU32::new(0);
    match KNOWN.load(Ordering::Relaxed) {
        0 => {
            let name = c"PyThread_acquire_lock_timed";
            // SAFETY: a zero-terminated name.
            let found = !unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.is_null();
            KNOWN.store(1 + u32::from(found), Ordering::Relaxed);
            found
        }
        known => known == 2,
    }
}

/// The same without its cost.
fn now() -> u64 {
    match mode() {
        mode::OWN => OWN_PS.load(Ordering::Relaxed),
        _ => simulated(false).max(SEEN.get()),
    }
}

/// A wait that began at `begun` has lasted `span` without anything having come of it.
fn waited(begun: u64, span: u64) {
    match mode() {
        mode::OWN => _ = OWN_PS.fetch_add(span, Ordering::Relaxed),
        mode::SIMULATED if pass(span, false) => {}
        mode::SIMULATED => SEEN.set(SEEN.get().max(begun.saturating_add(span))),
        _ => {}
    }
}

/// Whether the simulator lets the time pass for this thread.
fn pass(span: u64, may_wait: bool) -> bool {
    if mode() != mode::SIMULATED {
        return false;
    }
    // SAFETY: registered before the mode said so.
    let pass = unsafe { transmute::<*mut c_void, Pass>(PASS.load(Ordering::Relaxed)) };
    pass(span.min(LONGEST_PS), c_int::from(may_wait)) != 0
}

/// What `clock` shows when the job begins, in seconds; `None` for clocks that are not ours, as of
/// CPU time, and in processes whose clocks are the kernel's.
fn begins(clock: clockid_t) -> Option<i64> {
    if mode() == mode::REAL {
        return None;
    }
    let epoch = EPOCH_S.load(Ordering::Relaxed) as i64;
    match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_REALTIME_ALARM => {
            Some(epoch)
        }
        libc::CLOCK_TAI => Some(epoch + TAI_S),
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME
        | libc::CLOCK_BOOTTIME_ALARM => Some(UPTIME_S),
        _ => None,
    }
}

/// `ps` after `begins` seconds.
fn timespec_of(begins: i64, ps: u64) -> timespec {
    timespec {
        tv_sec: begins + (ps / PS_PER_S) as i64,
        tv_nsec: (ps % PS_PER_S / PS_PER_NS) as i64,
    }
}

/// Picoseconds from `begins` seconds to `at`, 0 if that is before; `None` if it is no time.
fn ps_of(begins: i64, at: &timespec) -> Option<u64> {
    if !(0..1_000_000_000).contains(&at.tv_nsec) {
        return None;
    }
    let seconds = u64::try_from(at.tv_sec.saturating_sub(begins));
    Some(
        seconds.map_or(0, |s| {
            s.saturating_mul(PS_PER_S).saturating_add(at.tv_nsec as u64 * PS_PER_NS)
        }),
    )
}

/// The next library's function of that name.
macro_rules! real {
    ($name:ident($($ty:ty),* $(,)?) -> $ret:ty) => {{
        static AT: ::std::sync::atomic::AtomicPtr<::std::ffi::c_void> =
            ::std::sync::atomic::AtomicPtr::new(::std::ptr::null_mut());
        let name = concat!(stringify!($name), "\0");
        $crate::next::<unsafe extern "C" fn($($ty),*) -> $ret>(&AT, name)
    }};
}
use real;

/// Asks the loader once. `F` is what the C library declares. One that lacks the function has no
/// program that calls it.
fn next<F: Copy>(at: &AtomicPtr<c_void>, name: &'static str) -> F {
    let mut found = at.load(Ordering::Relaxed);
    if found.is_null() {
        // SAFETY: a zero-terminated name.
        found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr().cast()) };
        if found.is_null() {
            // SAFETY: ends the process.
            unsafe { libc::abort() }
        }
        at.store(found, Ordering::Relaxed);
    }
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: a pointer to a function of that type.
    unsafe { transmute_copy(&found) }
}

fn fail(errno: c_int) -> c_int {
    // SAFETY: this thread's own.
    unsafe { *libc::__errno_location() = errno };
    -1
}

fn the_kernels(clock: clockid_t) -> timespec {
    let mut t = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid timespec.
    unsafe { real!(clock_gettime(clockid_t, *mut timespec) -> c_int)(clock, &mut t) };
    t
}
