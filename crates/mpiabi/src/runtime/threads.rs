//! The lock that guards all state of the library, and the threads that contend for it.
//!
//! `Held` proves that the caller has the lock. It is recursive: a thread that holds it may call MPI
//! again. If only one thread may be in MPI at a time, it keeps the lock while it waits. With
//! `MPI_THREAD_MULTIPLE` it releases the lock while it waits, and while a user's callback runs. The
//! callback may need a lock of another thread that enters MPI, such as Python's global
//! lock. So no `Guarded` state may be borrowed across a wait or a callback.

use std::cell::{Cell, RefCell, RefMut, UnsafeCell};
use std::fs::File;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use workload::functions::function_name;

use super::turn;

/// Proof of holding the library's lock.
pub struct Held(PhantomData<*const ()>);

/// State guarded by the library's lock.
pub struct Guarded<T>(RefCell<T>);
// SAFETY: every access requires `Held`, which only the thread that owns the lock has.
unsafe impl<T> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub const fn new(value: T) -> Self {
        Guarded(RefCell::new(value))
    }
    /// The borrow must end before a callback into user code and before a wait.
    pub fn get<'a>(&'a self, _held: &'a Held) -> RefMut<'a, T> {
        self.0.borrow_mut()
    }
}

struct Lock(UnsafeCell<libc::pthread_mutex_t>);
// SAFETY: a pthread mutex may be shared.
unsafe impl Sync for Lock {}
static LOCK: Lock = Lock(UnsafeCell::new(libc::PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP));

/// Whether several threads may be in MPI at once.
static MULTIPLE: AtomicBool = AtomicBool::new(false);
/// Whether calls of several threads are serialized although they may not be in MPI at once.
static SERIALIZED: AtomicBool = AtomicBool::new(false);
/// The function of the thread in MPI, if no other thread may be in MPI meanwhile; else 0.
static CALL: AtomicU32 = AtomicU32::new(0);
/// Number of threads that request the lock, if several may be in MPI at once.
static LOCK_WAITERS: AtomicU32 = AtomicU32::new(0);
/// Counts the events for which threads sleep here. A futex.
static EVENTS: AtomicU32 = AtomicU32::new(0);
/// Threads that have called MPI since several threads are allowed.
static CALLERS: Guarded<Vec<Caller>> = Guarded::new(Vec::new());

struct Caller {
    inside: bool,
    /// Its status file in /proc; `None` once the thread has ended.
    stat: Option<File>,
    /// Checks still to skip, and the number to skip after it was repeatedly found asleep. A check
    /// costs as much as a call, and a thread that waits for others to end sleeps for long.
    skip: u32,
    skips: u32,
}

/// Maximum number of consecutive skipped checks of a thread.
const MAX_SKIPPED: u32 = 63;

thread_local! {
    /// How often this thread has the lock, or requests it. Set before the request, so that a signal
    /// handler does not request it in between.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
    /// Whether the thread has ever called MPI, and its index in `CALLERS`.
    static CALLED: Cell<bool> = const { Cell::new(false) };
    static CALLER_INDEX: Cell<Option<u32>> = const { Cell::new(None) };
    static ID: Cell<u32> = const { Cell::new(0) };
}

/// The kernel's id of this thread; 0 until several threads are allowed.
pub(super) fn id() -> u32 {
    ID.get()
}

pub(super) fn is_multiple() -> bool {
    MULTIPLE.load(Ordering::Relaxed)
}

/// From now on any thread may call MPI at any time.
pub(super) fn allow_many(held: &Held) {
    MULTIPLE.store(true, Ordering::Relaxed);
    record_presence(held, true);
}

/// From now on a call waits for other threads' calls to end, whatever thread level was requested:
/// the threads of different sessions need not know of each other.
pub fn serialize_calls() {
    SERIALIZED.store(true, Ordering::Relaxed);
}

/// Takes the lock, for calls that are legal at any time.
pub fn lock() -> Held {
    acquire(0)
}
/// The same for calls that only one thread may make at a time, unless several are allowed.
pub(super) fn lock_for(function: u32) -> Held {
    acquire(function)
}

/// `function`: the call during which no other is allowed; 0 if others are.
fn acquire(function: u32) -> Held {
    let depth = INSIDE.get();
    INSIDE.set(depth + 1);
    CALLED.set(true);
    if depth > 0 {
        mutex_lock();
    } else if !is_multiple() {
        if !mutex_trylock() {
            if function != 0 {
                refuse_overlap(function);
            }
            mutex_lock();
        }
        if !is_multiple() {
            CALL.store(function, Ordering::Relaxed);
        }
    } else {
        LOCK_WAITERS.fetch_add(1, Ordering::Relaxed);
        mutex_lock();
        LOCK_WAITERS.fetch_sub(1, Ordering::Relaxed);
    }
    let held = Held(PhantomData);
    if depth == 0 {
        super::hold_region(&held);
        record_presence(&held, true);
        super::begin(&held);
    }
    held
}

/// Ends the process if two threads are in MPI at once and only one may be. Waiting could last for
/// ever: the other thread may wait for what this one is about to do.
fn refuse_overlap(function: u32) {
    let theirs = CALL.load(Ordering::Relaxed);
    if theirs == 0 || is_multiple() || SERIALIZED.load(Ordering::Relaxed) {
        return;
    }
    crate::error::write_line(&format!(
        "{}{}: it is called while another thread of this process is in {}, which only \
         MPI_THREAD_MULTIPLE allows; request it with MPI_Init_thread",
        super::log_prefix(),
        function_name(function),
        function_name(theirs),
    ));
    // SAFETY: ends the process without the lock, which may never become free.
    unsafe { libc::_exit(1) }
}

/// Takes the lock for a clock reading. `None` if the thread has never called MPI, is in MPI
/// already, or would have to wait.
pub(super) fn try_lock() -> Option<Held> {
    if !CALLED.get() || INSIDE.get() > 0 {
        return None;
    }
    INSIDE.set(1);
    if !mutex_trylock() {
        INSIDE.set(0);
        return None;
    }
    let held = Held(PhantomData);
    super::hold_region(&held);
    Some(held)
}

/// Takes the lock if the thread has called MPI before and is not in MPI.
pub(super) fn lock_if_called() -> Option<Held> {
    (CALLED.get() && INSIDE.get() == 0).then(lock)
}

/// In a forked process: the thread that had the lock does not exist here.
pub(super) fn reset_after_fork() {
    // SAFETY: the process has one thread.
    unsafe { *LOCK.0.get() = libc::PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
}

fn mutex_lock() {
    // SAFETY: the mutex is statically initialized and never destroyed.
    unsafe { libc::pthread_mutex_lock(LOCK.0.get()) };
}
fn mutex_trylock() -> bool {
    // SAFETY: as in `take`.
    unsafe { libc::pthread_mutex_trylock(LOCK.0.get()) == 0 }
}
fn mutex_unlock() {
    // SAFETY: this thread has the lock.
    unsafe { libc::pthread_mutex_unlock(LOCK.0.get()) };
}

impl Drop for Held {
    fn drop(&mut self) {
        let depth = INSIDE.get();
        if depth == 1 {
            CALL.store(0, Ordering::Relaxed);
            super::end(self);
            record_presence(self, false);
            turn::leave(self);
            super::release_region(self);
        }
        mutex_unlock();
        INSIDE.set(depth - 1);
    }
}

/// Records whether this thread is in MPI.
fn record_presence(held: &Held, inside: bool) {
    if !is_multiple() {
        return;
    }
    let mut callers = CALLERS.get(held);
    let place = match CALLER_INDEX.get() {
        Some(place) => place as usize,
        None => {
            // SAFETY: a plain system call.
            let id = unsafe { libc::syscall(libc::SYS_gettid) };
            let stat = File::open(format!("/proc/self/task/{id}/stat")).ok();
            ID.set(id as u32);
            CALLER_INDEX.set(Some(callers.len() as u32));
            callers.push(Caller { inside, stat, skip: 0, skips: 0 });
            callers.len() - 1
        }
    };
    let caller = &mut callers[place];
    (caller.inside, caller.skip, caller.skips) = (inside, 0, 0);
}

/// Whether another thread is likely to call MPI soon: it requests the lock, or it has called before
/// and is running now.
pub(super) fn others_may_enter(held: &Held) -> bool {
    if LOCK_WAITERS.load(Ordering::Relaxed) > 0 {
        return true;
    }
    let mut callers = CALLERS.get(held);
    callers.len() > 1 && callers.iter_mut().any(|c| !c.inside && c.runs())
}

impl Caller {
    fn runs(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        let runs = self.is_running();
        self.skips = if runs { 0 } else { (2 * self.skips + 1).min(MAX_SKIPPED) };
        self.skip = self.skips;
        runs
    }
    fn is_running(&mut self) -> bool {
        let Some(stat) = &self.stat else { return false };
        // The state follows the name, which is in parentheses and short.
        let mut text = [0; 64];
        match stat.read_at(&mut text, 0) {
            Ok(n) => {
                let end = text[..n].iter().rposition(|&b| b == b')');
                end.and_then(|at| text[..n].get(at + 2)) == Some(&b'R')
            }
            Err(_) => {
                self.stat = None;
                false
            }
        }
    }
}

/// Whether the calling thread is the only one of this process.
pub(super) fn is_alone() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() <= 1)
}

/// Runs `f` without the lock. `inside`: the thread still counts as being in MPI.
pub(super) fn unlocked<R>(held: &Held, inside: bool, f: impl FnOnce() -> R) -> R {
    let depth = INSIDE.get();
    let function = super::function(held);
    if !inside {
        record_presence(held, false);
        turn::leave(held);
    }
    super::release_region(held);
    (0..depth).for_each(|_| mutex_unlock());
    INSIDE.set(u32::from(inside));
    let result = f();
    INSIDE.set(depth);
    LOCK_WAITERS.fetch_add(1, Ordering::Relaxed);
    (0..depth).for_each(|_| mutex_lock());
    LOCK_WAITERS.fetch_sub(1, Ordering::Relaxed);
    super::hold_region(held);
    if !inside {
        record_presence(held, true);
    }
    super::set_function(held, function);
    result
}

/// Runs a user's callback, from anywhere in the library.
pub fn callback<R>(f: impl FnOnce() -> R) -> R {
    if INSIDE.get() == 0 {
        return f();
    }
    // Only this thread can hold it: a thread in MPI that does not wait holds the lock.
    let held = std::mem::ManuallyDrop::new(Held(PhantomData));
    super::end(&held);
    let result = if is_multiple() { unlocked(&held, false, f) } else { f() };
    // The simulator charges the time of a reduction.
    if !turn::is_serving() {
        super::charge(&held);
    }
    result
}

/// Sleeps until an event is signaled, without the lock.
pub(super) fn await_event(held: &Held) {
    let seen = EVENTS.load(Ordering::Relaxed);
    unlocked(held, true, || turn::futex_wait_private(&EVENTS, seen));
}
pub(super) fn signal_event(_held: &Held) {
    EVENTS.fetch_add(1, Ordering::Relaxed);
    turn::futex_wake_all(&EVENTS);
}

/// Lets other threads run for a moment, without the lock; longer with every round.
pub(super) fn pause(held: &Held, inside: bool, round: u32) {
    /// Rounds that only yield, and the sleep of later rounds in nanoseconds.
    const YIELDS: u32 = 20;
    const SLEEP_NS: i64 = 50_000;
    unlocked(held, inside, || {
        let nap = libc::timespec { tv_sec: 0, tv_nsec: SLEEP_NS };
        // SAFETY: plain system calls, because the C library's sleep may be a simulated one.
        unsafe {
            if round < YIELDS {
                libc::sched_yield();
            } else {
                libc::syscall(libc::SYS_nanosleep, &nap, 0);
            }
        }
    });
}
