//! The lock that guards all of the library's state, and the threads that want it.
//!
//! `Held` proves that the caller has the lock. It is recursive: a thread inside may call MPI again.
//! As long as only one thread may be in MPI at a time, it keeps the lock while it waits. With
//! `MPI_THREAD_MULTIPLE` it lets go of it, and also while one of the user's callbacks runs: that
//! may need what another thread holds who wants into MPI (Python's one lock, say). So nothing that
//! is `Guarded` may be borrowed across a wait or a callback.

use std::cell::{Cell, RefCell, RefMut, UnsafeCell};
use std::fs::File;
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use workload::functions::function_name;

use super::turn;

/// Proof of holding the library's lock.
pub struct Held(PhantomData<*const ()>);

/// State behind the library's lock.
pub struct Guarded<T>(RefCell<T>);
// SAFETY: every access asks for `Held`, which only the thread that owns the lock has.
unsafe impl<T> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub const fn new(value: T) -> Self {
        Guarded(RefCell::new(value))
    }
    /// Neither across a callback into user code nor across a wait.
    pub fn get<'a>(&'a self, _held: &'a Held) -> RefMut<'a, T> {
        self.0.borrow_mut()
    }
}

struct Lock(UnsafeCell<libc::pthread_mutex_t>);
// SAFETY: a pthread mutex is made to be shared.
unsafe impl Sync for Lock {}
static LOCK: Lock = Lock(UnsafeCell::new(libc::PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP));

/// Whether several threads may be in MPI at once.
static MULTIPLE: AtomicBool = AtomicBool::new(false);
/// Whether calls of several threads take turns although they may not be in MPI at once.
static SERIALIZED: AtomicBool = AtomicBool::new(false);
/// The function that the thread inside has called, if no other may be meanwhile; else 0.
static CALL: AtomicU32 = AtomicU32::new(0);
/// Threads that ask for the lock, if several may be in MPI at once.
static LOCK_WAITERS: AtomicU32 = AtomicU32::new(0);
/// Counts what threads that sleep in here may wait for. A futex.
static EVENTS: AtomicU32 = AtomicU32::new(0);
/// The threads that have called MPI since several may.
static CALLERS: Guarded<Vec<Caller>> = Guarded::new(Vec::new());

struct Caller {
    inside: bool,
    /// Its line in /proc; `None` once it has ended.
    stat: Option<File>,
    /// Looks yet to pass over, and how many after it was found asleep again and again: a look costs
    /// as much as a call, and a thread that waits for others to end sleeps for long.
    skip: u32,
    skips: u32,
}

/// Most looks on end at a thread that are passed over.
const MAX_SKIPPED: u32 = 63;

thread_local! {
    /// How often this thread has the lock, or asks for it: set before it does, so that a signal
    /// handler does not ask for it in between.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
    /// Whether it has ever called MPI, and its place in `CALLERS`.
    static CALLED: Cell<bool> = const { Cell::new(false) };
    static CALLER_INDEX: Cell<Option<u32>> = const { Cell::new(None) };
    static ID: Cell<u32> = const { Cell::new(0) };
}

/// The kernel's number of this thread; 0 as long as nobody may ask for it.
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

/// From now on a call waits for another thread's to end, whatever was promised: threads of one
/// session and those of another need not know of each other.
pub fn serialize_calls() {
    SERIALIZED.store(true, Ordering::Relaxed);
}

/// Takes the lock, for calls that are legal at any time.
pub fn lock() -> Held {
    acquire(0)
}
/// The same for calls that only one thread may be in at a time unless several were asked for.
pub(super) fn lock_for(function: u32) -> Held {
    acquire(function)
}

/// `function`: 0, or the call no other may be under way beside.
fn acquire(function: u32) -> Held {
    let depth = INSIDE.get();
    INSIDE.set(depth + 1);
    CALLED.set(true);
    if depth > 0 {
        take();
    } else if !is_multiple() {
        if !mutex_trylock() {
            if function != 0 {
                refuse_overlap(function);
            }
            take();
        }
        if !is_multiple() {
            CALL.store(function, Ordering::Relaxed);
        }
    } else {
        LOCK_WAITERS.fetch_add(1, Ordering::Relaxed);
        take();
        LOCK_WAITERS.fetch_sub(1, Ordering::Relaxed);
    }
    let held = Held(PhantomData);
    if depth == 0 {
        record_presence(&held, true);
        super::begin(&held);
    }
    held
}

/// Ends the process where two threads are in MPI at once and no more than one may be. Waiting could
/// be for ever: the other may wait for what this one is about to do.
fn refuse_overlap(function: u32) {
    let theirs = CALL.load(Ordering::Relaxed);
    if theirs == 0 || is_multiple() || SERIALIZED.load(Ordering::Relaxed) {
        return;
    }
    crate::error::write_line(&format!(
        "{}{}: it is called while another thread of this process is in {}, which only \
         MPI_THREAD_MULTIPLE allows; ask MPI_Init_thread for that",
        super::log_prefix(),
        function_name(function),
        function_name(theirs),
    ));
    // SAFETY: ends the process without the lock, which nobody may ever give back.
    unsafe { libc::_exit(1) }
}

/// The lock, for a thread that only looks in: unless it has never called MPI, is inside already, or
/// would have to wait.
pub(super) fn try_lock() -> Option<Held> {
    if !CALLED.get() || INSIDE.get() > 0 {
        return None;
    }
    INSIDE.set(1);
    if !mutex_trylock() {
        INSIDE.set(0);
        return None;
    }
    Some(Held(PhantomData))
}

/// The lock, for a thread that has called MPI before and is not inside.
pub(super) fn lock_if_called() -> Option<Held> {
    (CALLED.get() && INSIDE.get() == 0).then(lock)
}

/// In a process just forked: whoever had the lock is not here to give it back.
pub(super) fn reset_after_fork() {
    // SAFETY: the process has one thread.
    unsafe { *LOCK.0.get() = libc::PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
}

fn take() {
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
        }
        mutex_unlock();
        INSIDE.set(depth - 1);
    }
}

/// Remembers whether this thread is in MPI.
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

/// Whether another thread is about to call MPI, as far as one can tell: it asks for the lock, or
/// has called before and is computing now.
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
        // The state stands behind the name, which is in parentheses and short.
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

/// Whether this process has threads beside the calling one.
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
    (0..depth).for_each(|_| mutex_unlock());
    INSIDE.set(u32::from(inside));
    let result = f();
    INSIDE.set(depth);
    LOCK_WAITERS.fetch_add(1, Ordering::Relaxed);
    (0..depth).for_each(|_| take());
    LOCK_WAITERS.fetch_sub(1, Ordering::Relaxed);
    if !inside {
        record_presence(held, true);
    }
    super::set_function(held, function);
    result
}

/// Runs one of the user's callbacks, wherever in the library.
pub fn callback<R>(f: impl FnOnce() -> R) -> R {
    if INSIDE.get() == 0 {
        return f();
    }
    // Only this thread can have it: whoever is inside, and does not wait, holds the lock.
    let held = std::mem::ManuallyDrop::new(Held(PhantomData));
    super::end(&held);
    let result = if is_multiple() { unlocked(&held, false, f) } else { f() };
    // What a reduction costs is the simulator's affair.
    if !turn::is_serving() {
        super::charge(&held);
    }
    result
}

/// Sleeps until there is news, without the lock.
pub(super) fn await_event(held: &Held) {
    let seen = EVENTS.load(Ordering::Relaxed);
    unlocked(held, true, || turn::futex_wait_private(&EVENTS, seen));
}
pub(super) fn signal_event(_held: &Held) {
    EVENTS.fetch_add(1, Ordering::Relaxed);
    turn::futex_wake_all(&EVENTS);
}

/// A moment for others, without the lock: longer with every round.
pub(super) fn pause(held: &Held, inside: bool, round: u32) {
    /// Rounds that only yield, and how long later ones sleep, in nanoseconds.
    const YIELDS: u32 = 20;
    const SLEEP_NS: i64 = 50_000;
    unlocked(held, inside, || {
        let nap = libc::timespec { tv_sec: 0, tv_nsec: SLEEP_NS };
        // SAFETY: plain system calls; not the C library's, whose sleep may be a simulated one.
        unsafe {
            if round < YIELDS {
                libc::sched_yield();
            } else {
                libc::syscall(libc::SYS_nanosleep, &nap, 0);
            }
        }
    });
}
