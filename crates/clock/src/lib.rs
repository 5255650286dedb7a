//! Layer 6: the clocks, the host name and the files of the node, as a rank sees them outside MPI.
//!
//! `libodonata_clock.so` precedes all other libraries of a rank's process. It replaces
//! `clock_gettime`, `sleep`, timed waits and similar functions by ones that use the rank's
//! simulated time. It does not know the simulator: the MPI library registers three functions at
//! `MPI_Init`.
//!
//! Before `MPI_Init`, after `MPI_Finalize` and in threads that never call MPI, the simulator does
//! not control time. There, time advances only by the program's own actions: a reading costs
//! `TICK_PS`, a sleep its length, a call on a simulated file its simulated time, which the preload
//! library of files reports. So every loop that waits for the clock ends, and a program sees the
//! same times in every run. No thread sees time go back.
//!
//! A process without `ODONATA_EPOCH`, and a process forked by a rank, uses the kernel's clocks; one
//! without `ODONATA_NODE` uses the host's name.
//!
//! These functions may be called inside `malloc` and in signal handlers. Nothing here allocates or
//! locks, except for lookups of nodes' names (`identity`), as in the C library.

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

/// Cost of a reading that the simulator does not charge: about its real cost [estimate].
const TICK_PS: u64 = 50_000;
/// Value of the monotonic clocks at the start of the job: one day of uptime.
const UPTIME_S: i64 = 86_400;
/// Lead of international atomic time over UTC (IERS Bulletin C 52; unchanged since 2017).
const TAI_S: i64 = 37;
const PS_PER_S: u64 = 1_000_000_000_000;
const PS_PER_NS: u64 = 1_000;
/// Longest sleep passed to the simulator, 100 days: simulated time ends after 213.
const MAX_SLEEP_PS: u64 = 100 * 86_400 * PS_PER_S;

/// Start of the job in seconds since 1970, in processes with simulated clocks.
const EPOCH: &CStr = c"ODONATA_EPOCH";

mod mode {
    pub const UNKNOWN: u32 = 0;
    /// The kernel's clocks.
    pub const REAL: u32 = 1;
    /// Time that only this process advances.
    pub const LOCAL: u32 = 2;
    /// The simulator's time.
    pub const SIMULATED: u32 = 3;
}
static MODE: AtomicU32 = AtomicU32::new(mode::UNKNOWN);
static EPOCH_S: AtomicU64 = AtomicU64::new(0);
/// Time that this process had reached by itself when it called `MPI_Init`, in picoseconds.
static LOCAL_PS: AtomicU64 = AtomicU64::new(0);
/// The part of it that calls on simulated files took. The simulator's time has it too.
static CALLS_PS: AtomicU64 = AtomicU64::new(0);

/// Latest known simulated time of the calling thread in picoseconds. If `reading` is not 0, the
/// program sees the value, and the cost of a clock reading is charged.
type Now = extern "C" fn(reading: c_int) -> u64;
/// Advances the calling thread's time by `span` picoseconds; returns 0 if the thread must do so
/// itself. If `may_wait` is 0, the call does not block and the time is only charged.
type Advance = extern "C" fn(span: u64, may_wait: c_int) -> c_int;
/// Refunds the cost of the calling thread's reading that returned `at`.
type Forget = extern "C" fn(at: u64);
static NOW: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static ADVANCE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static FORGET: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

thread_local! {
    /// The latest time this thread has seen since `MPI_Init`. It has no destructor and lies in the
    /// thread's static block, so that an access allocates nothing.
    static SEEN: Cell<u64> = const { Cell::new(0) };
    /// Its last reading and `SEEN` before it; `None` after a refund.
    static LAST_READING: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
    /// Consecutive refunded readings.
    static FORGOTTEN: Cell<u32> = const { Cell::new(0) };
}
/// Most consecutive refunds. The import of a large package takes some thousand locks, and a loop
/// around a lock and a clock has to end.
const MAX_FORGOTTEN: u32 = 1 << 20;

/// Called by the MPI library at `MPI_Init`: from here on the simulator controls time. Processes
/// that the rank starts later are no ranks and use the kernel's clocks.
#[unsafe(no_mangle)]
extern "C" fn odonata_clock_register(now: Now, advance: Advance, forget: Forget) {
    files::set_in_mpi(true);
    // SAFETY: the handler only stores to atomics; MPI is begun by one thread.
    unsafe { libc::pthread_atfork(None, None, Some(after_fork)) };
    if mode() != mode::LOCAL {
        return;
    }
    NOW.store(now as *mut c_void, Ordering::Relaxed);
    ADVANCE.store(advance as *mut c_void, Ordering::Relaxed);
    FORGET.store(forget as *mut c_void, Ordering::Relaxed);
    LOCAL_PS.fetch_sub(CALLS_PS.load(Ordering::Relaxed), Ordering::Relaxed);
    MODE.store(mode::SIMULATED, Ordering::Release);
    // SAFETY: a zero-terminated name; MPI is begun by one thread.
    unsafe { libc::unsetenv(EPOCH.as_ptr()) };
}

/// Called around each call on a simulated file: outside MPI, advances time to `at_ps` at least.
/// Returns the time.
#[unsafe(no_mangle)]
extern "C" fn odonata_clock_reach(at_ps: u64) -> u64 {
    if mode() != mode::LOCAL {
        return 0;
    }
    let before = LOCAL_PS.fetch_max(at_ps, Ordering::Relaxed);
    CALLS_PS.fetch_add(at_ps.saturating_sub(before), Ordering::Relaxed);
    before.max(at_ps)
}

extern "C" fn after_fork() {
    files::set_in_mpi(false);
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
    let found = if epoch.is_some() { mode::LOCAL } else { mode::REAL };
    let _ = MODE.compare_exchange(mode::UNKNOWN, found, Ordering::AcqRel, Ordering::Acquire);
    MODE.load(Ordering::Acquire)
}

fn simulated(reading: bool) -> u64 {
    // SAFETY: registered before the mode became SIMULATED.
    let now = unsafe { transmute::<*mut c_void, Now>(NOW.load(Ordering::Relaxed)) };
    LOCAL_PS.load(Ordering::Relaxed).saturating_add(now(c_int::from(reading)))
}

/// Time since the start of the job in picoseconds, for a reading by the program.
fn reading() -> u64 {
    if LAST_READING.take().is_some() {
        FORGOTTEN.set(0);
    }
    let seen = SEEN.get();
    if mode() == mode::LOCAL {
        let now = LOCAL_PS.fetch_add(TICK_PS, Ordering::Relaxed) + TICK_PS;
        LAST_READING.set(Some((now, seen)));
        return now;
    }
    let at = simulated(true);
    LAST_READING.set(Some((at, seen)));
    // A loop that reads the same time twice would never end.
    let now = if at > seen { at } else { seen + TICK_PS };
    SEEN.set(now);
    now
}

/// Refunds the last reading. Python 3.11 reads the clock before it takes a lock, even without a
/// timeout. The program does not see these readings, and their number depends on earlier imports:
/// so they cost nothing.
fn forget_reading() {
    let Some((at, seen)) = LAST_READING.take() else { return };
    if FORGOTTEN.get() == MAX_FORGOTTEN || !is_python() {
        return;
    }
    FORGOTTEN.set(FORGOTTEN.get() + 1);
    if mode() == mode::LOCAL {
        // Unless another thread has read the clock since.
        let (before, order) = (at - TICK_PS, Ordering::Relaxed);
        let _ = LOCAL_PS.compare_exchange(at, before, order, order);
    } else if mode() == mode::SIMULATED {
        // SAFETY: registered before the mode became SIMULATED.
        let forget = unsafe { transmute::<*mut c_void, Forget>(FORGET.load(Ordering::Relaxed)) };
        forget(at.saturating_sub(LOCAL_PS.load(Ordering::Relaxed)));
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

/// The present time in picoseconds, without the cost of a reading.
fn now() -> u64 {
    match mode() {
        mode::LOCAL => LOCAL_PS.load(Ordering::Relaxed),
        _ => simulated(false).max(SEEN.get()),
    }
}

/// Charges a wait that began at `start` and timed out after `span` picoseconds.
fn charge_wait(start: u64, span: u64) {
    match mode() {
        mode::LOCAL => _ = LOCAL_PS.fetch_add(span, Ordering::Relaxed),
        mode::SIMULATED if advance(span, false) => {}
        mode::SIMULATED => SEEN.set(SEEN.get().max(start.saturating_add(span))),
        _ => {}
    }
}

/// Whether the simulator advances this thread's time by `span` picoseconds.
fn advance(span: u64, may_wait: bool) -> bool {
    if mode() != mode::SIMULATED {
        return false;
    }
    // SAFETY: registered before the mode became SIMULATED.
    let advance = unsafe { transmute::<*mut c_void, Advance>(ADVANCE.load(Ordering::Relaxed)) };
    advance(span.min(MAX_SLEEP_PS), c_int::from(may_wait)) != 0
}

/// The value of `clock` at the start of the job, in seconds; `None` for clocks that stay real, such
/// as CPU time, and in processes that use the kernel's clocks.
fn origin_s(clock: clockid_t) -> Option<i64> {
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

/// `ps` after `origin_s` seconds.
fn timespec_of(origin_s: i64, ps: u64) -> timespec {
    timespec {
        tv_sec: origin_s + (ps / PS_PER_S) as i64,
        tv_nsec: (ps % PS_PER_S / PS_PER_NS) as i64,
    }
}

/// Picoseconds from `origin_s` seconds to `at`, at least 0; `None` if `at` is invalid.
fn ps_of(origin_s: i64, at: &timespec) -> Option<u64> {
    if !(0..1_000_000_000).contains(&at.tv_nsec) {
        return None;
    }
    let seconds = u64::try_from(at.tv_sec.saturating_sub(origin_s));
    Some(
        seconds.map_or(0, |s| {
            s.saturating_mul(PS_PER_S).saturating_add(at.tv_nsec as u64 * PS_PER_NS)
        }),
    )
}

/// The function of this name in the next library.
macro_rules! real {
    ($name:ident($($ty:ty),* $(,)?) -> $ret:ty) => {{
        static AT: ::std::sync::atomic::AtomicPtr<::std::ffi::c_void> =
            ::std::sync::atomic::AtomicPtr::new(::std::ptr::null_mut());
        let name = concat!(stringify!($name), "\0");
        $crate::next::<unsafe extern "C" fn($($ty),*) -> $ret>(&AT, name)
    }};
}
use real;

/// Looks a function up once. `F` is its type in the C library. Aborts if no library has the
/// function: then no program can have been linked to it.
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

fn set_errno(errno: c_int) -> c_int {
    // SAFETY: this thread's own.
    unsafe { *libc::__errno_location() = errno };
    -1
}

fn kernel_time(clock: clockid_t) -> timespec {
    let mut t = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid timespec.
    unsafe { real!(clock_gettime(clockid_t, *mut timespec) -> c_int)(clock, &mut t) };
    t
}
