//! Passing the turn to the simulator, and waiting for its return.
//!
//! At most one thread, the leader, exchanges the turn with the simulator. If several threads wait,
//! the leader hands over with the union of all operations that they wait for. On release it wakes
//! only the threads whose operations are complete. A thread that needs the turn while the simulator
//! has it requests a wake-up, and the simulator returns the turn as soon as it can. Before a
//! hand-over, the leader admits threads that are about to call MPI, because simulated time may
//! advance during the hand-over.
//!
//! A thread that leaves MPI and soon calls it again leads by itself. So waiting threads stay asleep
//! when it leaves, as long as threads do return (`Turns::wakes_on_leave` is false). After a limited
//! time they check whether they have to lead.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use workload::wire::{self, Combine, Control, Segment};

use super::futex::{Woken, futex_wait, futex_wake};
use super::threads::{self, Guarded, Held};
use super::{EXIT_KILLED, LAST_KNOWN_PS, address, done, fatal, is_alive, with};
use crate::op::combiners;

/// Rounds in which other threads may enter, if they are likely to: about 10 ms in total.
const ROUNDS: u32 = 200;
/// Maximum number of hand-overs without such rounds, after rounds in which no thread entered.
const MAX_SKIPPED: u32 = 63;
/// Sleep of a thread that waits for others, in nanoseconds of the wall clock. A shorter sleep does
/// not pay: a timer due before the kernel's next clock tick costs as much as a thread switch.
const SLEEP_NS: i64 = 10_000_000;
/// Number of consecutive threads that must return in time before waiting threads rely on it; and
/// its maximum, after repeated failures.
const INITIAL_REQUIRED_RETURNS: u32 = 8;
const MAX_REQUIRED_RETURNS: u32 = 1 << 13;

/// Whether the simulator has the turn. Changed only under the lock.
static SIMULATOR_HAS_TURN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// This thread is the leader.
    static LEADS: Cell<bool> = const { Cell::new(false) };
    /// This thread executes a request of the simulator: the next hand-over is the reply.
    static SERVES: Cell<bool> = const { Cell::new(false) };
    /// The futex on which the thread sleeps: 1 once another thread has woken it.
    static SIGNAL: AtomicU32 = const { AtomicU32::new(0) };
}

static TURNS: Guarded<Turns> = Guarded::new(Turns {
    led: false,
    wake_requested: false,
    turn_requests: 0,
    waiters: Vec::new(),
    next: 0,
    woken: Vec::new(),
    timed: 0,
    wakes_on_leave: true,
    returns: 0,
    required_returns: INITIAL_REQUIRED_RETURNS,
    hand_overs: 0,
    left: 0,
    skip: 0,
    skips: 0,
});

/// The waiting threads of this process.
struct Turns {
    /// A thread is the leader, or is about to be.
    led: bool,
    wake_requested: bool,
    /// Number of threads that wait for the turn only.
    turn_requests: u32,
    waiters: Vec<Waiter>,
    next: u64,
    /// Threads that can proceed and have yet to be woken.
    woken: Vec<Signal>,
    /// Number of waiters that sleep for a limited time.
    timed: u32,
    /// Whether a thread that leaves MPI wakes a waiter at once, because too few threads have
    /// returned before the next hand-over. `returns` counts consecutive returns, `required_returns`
    /// is the number needed.
    wakes_on_leave: bool,
    returns: u32,
    required_returns: u32,
    /// Number of hand-overs so far, and at the time when a thread last left MPI.
    hand_overs: u64,
    left: u64,
    /// Hand-overs still to make without admitting threads, and the number to skip after
    /// unsuccessful rounds.
    skip: u32,
    skips: u32,
}

/// A thread's `SIGNAL`.
#[derive(Clone, Copy)]
struct Signal(*const AtomicU32);

struct Waiter {
    id: u64,
    /// The MPI function of the thread; 0 if it sleeps outside MPI.
    function: u32,
    mode: u32,
    /// In the stack frame of the waiting thread.
    tokens: *const [u32],
    signal: Signal,
    /// Whether the current hand-over includes this waiter, and whether one that did has returned.
    included: bool,
    served: bool,
}

/// Whether no MPI call waits here, so that the rank may detach from the job. Sleeps need no
/// attachment.
pub(super) fn has_no_waiters(held: &Held) -> bool {
    let turns = TURNS.get(held);
    !turns.led && turns.turn_requests == 0 && turns.waiters.iter().all(|w| w.function == 0)
}
/// Whether the simulator has the turn, so that its part of the memory must not be read.
pub(super) fn simulator_has_turn() -> bool {
    SIMULATOR_HAS_TURN.load(Ordering::Relaxed) && !LEADS.get()
}
/// Whether no thread of this process has the turn. The lock is held.
pub(super) fn is_away() -> bool {
    SIMULATOR_HAS_TURN.load(Ordering::Relaxed)
}
/// Whether the caller executes a request of the simulator.
pub fn is_serving() -> bool {
    SERVES.get()
}

/// Ends the job if an operator of the program communicates, which MPI forbids: the simulator would
/// take the hand-over for its reply.
pub(super) fn refuse_if_serving(held: &Held) {
    if is_serving() {
        fatal(held, "the function of an MPI_Op must not call MPI to communicate");
    }
}

/// Called when the thread leaves MPI: waiting threads may have to proceed without it.
pub(super) fn leave(held: &Held) {
    if TURNS.get(held).waiters.is_empty() {
        return;
    }
    let is_over = super::is_finalized(held);
    let mut turns = TURNS.get(held);
    turns.left = turns.hand_overs;
    let is_needed = !turns.led && (turns.wakes_on_leave || turns.timed == 0);
    let wakes = |w: &&Waiter| is_over || is_needed && w.id == turns.waiters[0].id;
    let woken = turns.waiters.iter().filter(wakes).map(|w| w.signal);
    woken.filter(|signal| signal.is_new()).for_each(|signal| signal.wake());
}

/// Returns when this process has the turn.
pub(super) fn acquire_turn(held: &Held) {
    while simulator_has_turn() {
        if !std::mem::replace(&mut TURNS.get(held).wake_requested, true) {
            wake_request(held);
        }
        TURNS.get(held).turn_requests += 1;
        threads::await_event(held);
        TURNS.get(held).turn_requests -= 1;
    }
}

fn wake_request(held: &Held) {
    let (segment, control) = with(held, |rt| (rt.segment, rt.control));
    // SAFETY: both live as long as the mapping; only atomics are touched.
    let (wake_request, wake_requests) =
        unsafe { (&(*control).wake_request, &(*segment.header()).wake_requests) };
    wake_request.store(1, Ordering::Release);
    wake_requests.fetch_add(1, Ordering::AcqRel);
    futex_wake(wake_requests);
}

/// Gives the turn away until `tokens` are complete as `mode` requires.
pub(super) fn hand_over(held: &Held, mode: u32, tokens: &[u32]) {
    if mode != wire::wait::NEVER {
        refuse_if_serving(held);
    }
    if threads::is_multiple() && !LEADS.get() {
        hand_over_with_threads(held, mode, tokens);
        return;
    }
    set_list(held, 0, tokens);
    if let Err(why) = exchange(held, mode, tokens.len()) {
        fatal(held, &why);
    }
}

fn hand_over_with_threads(held: &Held, mode: u32, tokens: &[u32]) {
    acquire_turn(held);
    let function = super::function(held);
    let signal = Signal(SIGNAL.with(std::ptr::from_ref));
    let id = {
        let mut turns = TURNS.get(held);
        turns.next += 1;
        let (id, included, served) = (turns.next, false, false);
        if turns.left == turns.hand_overs {
            turns.returns += 1;
            turns.wakes_on_leave &= turns.returns < turns.required_returns;
        } else {
            turns.returns = 0;
        }
        turns.waiters.push(Waiter { id, function, mode, tokens, signal, included, served });
        id
    };
    let mut has_waited = false;
    loop {
        if !simulator_has_turn() && is_satisfied(held, id) || super::is_finalized(held) {
            break;
        }
        // Threads that can proceed do so before simulated time may advance.
        let led = TURNS.get(held).led;
        if simulator_has_turn() || led || any_satisfied(held) {
            sleep_as_waiter(held);
        } else if defers_to_others(held, has_waited) {
            sleep_as_waiter(held);
            has_waited = true;
        } else {
            lead(held, id);
            has_waited = false;
        }
    }
    wake_all(held);
    TURNS.get(held).waiters.retain(|w| w.id != id);
}

/// Whether another thread is about to enter, and can lead.
fn defers_to_others(held: &Held, has_waited: bool) -> bool {
    {
        let turns = TURNS.get(held);
        if turns.wakes_on_leave || turns.turn_requests == 0 && turns.skip > 0 {
            return false; // `admit_threads` does it.
        }
    }
    let enters = TURNS.get(held).turn_requests > 0 || threads::others_may_enter(held);
    let mut turns = TURNS.get(held);
    if !enters {
        turns.skips = 0;
    } else if has_waited {
        turns.skips = (2 * turns.skips + 1).min(MAX_SKIPPED);
        turns.skip = turns.skips;
    }
    enters && !has_waited
}

/// Sleeps until another thread wakes this one. The sleep has a limit, unless there was no hand-over
/// since it began to wait.
fn sleep_as_waiter(held: &Held) {
    let mut limit = Some(SLEEP_NS);
    let (mut woken, mut before) = {
        let mut turns = TURNS.get(held);
        turns.timed += 1;
        (std::mem::take(&mut turns.woken), turns.hand_overs)
    };
    loop {
        let woken = std::mem::take(&mut woken);
        let is_woken = SIGNAL.with(|signal| {
            threads::unlocked(held, true, || {
                woken.iter().for_each(|other| other.wake());
                futex_wait_private_for(signal, 0, limit);
            });
            // Only threads with the lock write to it, so no signal is lost.
            signal.swap(0, Ordering::Relaxed) != 0
        });
        let led = TURNS.get(held).led;
        let others_may_enter = is_woken || led || threads::others_may_enter(held);
        let mut turns = TURNS.get(held);
        if limit.is_some() && (is_woken || !led || turns.hand_overs == before) {
            turns.timed -= 1;
            limit = None;
        }
        if !others_may_enter {
            // The thread that left has not returned.
            (turns.wakes_on_leave, turns.returns) = (true, 0);
            turns.required_returns = (4 * turns.required_returns).min(MAX_REQUIRED_RETURNS);
        }
        if is_woken || !led {
            return;
        }
        before = turns.hand_overs;
    }
}

/// Wakes threads that can proceed. This is delayed until the lock is free.
fn wake_all(held: &Held) {
    let woken = std::mem::take(&mut TURNS.get(held).woken);
    woken.iter().for_each(|signal| signal.wake());
}

fn is_satisfied(held: &Held, id: u64) -> bool {
    TURNS.get(held).waiters.iter().any(|w| w.id == id && w.is_satisfied(held))
}
fn any_satisfied(held: &Held) -> bool {
    TURNS.get(held).waiters.iter().any(|w| w.is_satisfied(held))
}

impl Signal {
    /// Whether its thread, which waits in `hand_over_with_threads`, has not been woken yet.
    fn is_new(self) -> bool {
        // SAFETY: the thread exists as long as it waits.
        unsafe { (*self.0).swap(1, Ordering::Relaxed) == 0 }
    }
    /// Wakes the thread. The kernel uses the address only, so the thread may have left already.
    fn wake(self) {
        let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the kernel does not dereference the address.
        unsafe { libc::syscall(libc::SYS_futex, self.0, op, 1, 0, 0, 0) };
    }
}

impl Waiter {
    /// Whether its thread may proceed. This process has the turn.
    fn is_satisfied(&self, held: &Held) -> bool {
        match self.mode {
            wire::wait::ALL => self.tokens().iter().all(|t| done(held, t)),
            wire::wait::ANY => {
                self.tokens().is_empty() || self.tokens().iter().any(|t| done(held, t))
            }
            _ => self.served,
        }
    }
    fn tokens(&self) -> &[u32] {
        // SAFETY: its thread is inside `hand_over_with_threads`, so the list exists.
        unsafe { &*self.tokens }
    }
}

/// Hands over once for all waiters, and wakes those that can proceed then. The caller is the waiter
/// `id`.
fn lead(held: &Held, id: u64) {
    TURNS.get(held).led = true;
    admit_threads(held);
    let (mode, count) = merge_waits(held);
    SIMULATOR_HAS_TURN.store(true, Ordering::Relaxed);
    LEADS.set(true);
    let answer = exchange(held, mode, count);
    LEADS.set(false);
    SIMULATOR_HAS_TURN.store(false, Ordering::Relaxed);
    let turn_requests = {
        let mut turns = TURNS.get(held);
        (turns.led, turns.wake_requested) = (false, false);
        turns.hand_overs += 1;
        turns.waiters.iter_mut().for_each(|w| w.served |= std::mem::take(&mut w.included));
        let turns = &mut *turns;
        let others = turns.waiters.iter().filter(|w| w.id != id && w.is_satisfied(held));
        turns.woken.extend(others.map(|w| w.signal).filter(|signal| signal.is_new()));
        turns.turn_requests
    };
    if turn_requests > 0 {
        threads::signal_event(held);
    }
    if let Err(why) = answer {
        // Without a simulator, only another thread of this process can complete the operation.
        if threads::is_alone() {
            fatal(held, &why);
        }
        threads::pause(held, true, u32::MAX);
    }
}

fn admit_threads(held: &Held) {
    {
        let mut turns = TURNS.get(held);
        if turns.turn_requests == 0 && turns.skip > 0 {
            turns.skip -= 1;
            return;
        }
        if !turns.wakes_on_leave {
            return; // `defers_to_others` has done it.
        }
    }
    for round in 0..ROUNDS {
        if TURNS.get(held).turn_requests == 0 && !threads::others_may_enter(held) {
            TURNS.get(held).skips = 0;
            return;
        }
        threads::pause(held, true, round);
    }
    let mut turns = TURNS.get(held);
    turns.skips = (2 * turns.skips + 1).min(MAX_SKIPPED);
    turns.skip = turns.skips;
}

/// Writes the union of all waits to the control block. Returns the mode and the number of tokens.
fn merge_waits(held: &Held) -> (u32, usize) {
    let mut turns = TURNS.get(held);
    turns.waiters.iter_mut().for_each(|w| w.included = true);
    if let [one] = &turns.waiters[..] {
        set_list(held, 0, one.tokens());
        return (one.mode, one.tokens().len());
    }
    let mut mode = wire::wait::ANY;
    let mut count = 0;
    for waiter in &turns.waiters {
        match waiter.mode {
            wire::wait::NONE => mode = wire::wait::NONE,
            wire::wait::POLL if mode != wire::wait::NONE => mode = wire::wait::POLL,
            _ => {}
        }
        let open = waiter.tokens().iter().filter(|t| !done(held, t));
        for &token in open {
            if count == wire::WAITS {
                // A waiter that does not fit checks again later.
                return (if mode == wire::wait::NONE { mode } else { wire::wait::POLL }, count);
            }
            set_list(held, count, &[token]);
            count += 1;
        }
    }
    (mode, count)
}

fn set_list(held: &Held, at: usize, tokens: &[u32]) {
    with(held, |rt| {
        // SAFETY: there is room for WAITS tokens, and the process has the turn.
        unsafe {
            let list = rt.segment.waits(rt.rank).add(at);
            list.copy_from_nonoverlapping(tokens.as_ptr(), tokens.len());
        }
    });
}

/// Gives the turn away with `count` tokens in the list, and executes requests of the simulator
/// until the release. An error states why there can be no release.
fn exchange(held: &Held, mode: u32, count: usize) -> std::result::Result<(), String> {
    super::termination::stop_if_aborted();
    loop {
        write_hand_over(held, mode, count);
        let turn = with(held, |rt| match rt.singleton.as_mut() {
            Some(singleton) => Turn::Answered(singleton.step()),
            None => Turn::Away { segment: rt.segment, control: rt.control, spins: rt.spins },
        });
        match turn {
            Turn::Answered(answer) => answer?,
            Turn::Away { segment, control, spins } => {
                let away = || sleep_until_turn(segment, control, spins);
                if threads::is_multiple() { threads::unlocked(held, true, away) } else { away() }
            }
        }
        let (command, combine, incoming) = with(held, |rt| {
            let control = rt.control();
            (control.command, control.combine, std::mem::take(&mut control.incoming))
        });
        if command != wire::command::DIE {
            crate::win::apply(held, incoming);
        }
        match command {
            wire::command::RUN => {
                with(held, |rt| {
                    rt.quiet = true;
                    let free_polls = rt.control().unsuccessful_polls;
                    // Otherwise this thread may wait for another thread.
                    rt.local_polls =
                        if free_polls > 0 && threads::is_alone() { free_polls } else { 0 };
                    rt.reap();
                    let now = rt.control().now_ps;
                    rt.control().reported_ps = now;
                    rt.released_ps = now;
                    rt.at_ps = rt.at_ps.max(now);
                    LAST_KNOWN_PS.store(rt.at_ps, Ordering::Relaxed);
                });
                return Ok(());
            }
            wire::command::APPLY => {}
            wire::command::COMBINE => apply(held, &combine),
            _ => {
                super::sample(held);
                // SAFETY: ends the process without running user code.
                unsafe { libc::_exit(EXIT_KILLED) }
            }
        }
    }
}

/// Writes the hand-over into the control block.
fn write_hand_over(held: &Held, mode: u32, count: usize) {
    let thread = threads::id();
    with(held, |rt| {
        let function = rt.function;
        let after_ps = rt.report();
        let spent = std::mem::take(&mut rt.local_polls_used);
        (rt.failed_probe, rt.local_polls) = (None, 0);
        let control = rt.control();
        control.submitted = std::mem::take(&mut control.in_ring);
        control.wait_mode = mode;
        control.wait_count = count as u32;
        control.function = function;
        control.after_ps = after_ps;
        control.local_polls_used = spent;
        control.thread = thread;
    });
}

/// Hands over without waiting for a release, because there is none.
pub(super) fn hand_over_finally(held: &Held) {
    write_hand_over(held, wire::wait::NEVER, 0);
    let (segment, control) = with(held, |rt| (rt.segment, rt.control));
    release_turn(segment, control);
}

/// The result of giving the turn away.
enum Turn {
    Answered(std::result::Result<(), String>),
    Away { segment: Segment, control: *mut Control, spins: u32 },
}

/// Passes the region to the simulator. Returns whether this was the last running rank.
pub(super) fn release_turn(segment: Segment, control: *mut Control) -> bool {
    // SAFETY: both live as long as the mapping; only atomics are accessed.
    let (turn, presence, running, wake_requests) = unsafe {
        let (control, header) = (&*control, &*segment.header());
        (&control.turn, &control.presence, &header.running, &header.wake_requests)
    };
    turn.store(0, Ordering::Relaxed);
    if presence.swap(wire::presence::HANDED_OVER, Ordering::AcqRel) == wire::presence::DETACHED {
        wake_requests.fetch_add(1, Ordering::AcqRel);
        futex_wake(wake_requests);
        return false;
    }
    let is_last = running.fetch_sub(1, Ordering::AcqRel) == 1;
    if is_last {
        futex_wake(running);
    }
    is_last
}

/// Gives the turn away and waits for its return. Spins first: a simulator on another core that
/// waits for no other rank may answer within a microsecond (measured: 0.44 us awake, 24-30 us
/// asleep). Then sleeps.
pub(super) fn sleep_until_turn(segment: Segment, control: *mut Control, spins: u32) {
    let spins = if release_turn(segment, control) { spins } else { 0 };
    await_turn(segment, control, spins);
}

/// Waits for the turn.
pub(super) fn await_turn(segment: Segment, control: *mut Control, spins: u32) {
    // SAFETY: as above.
    let (turn, simulator) = unsafe { (&(*control).turn, (*segment.header()).pid as libc::pid_t) };
    for _ in 0..spins {
        if turn.load(Ordering::Acquire) == 1 {
            return;
        }
        std::hint::spin_loop();
    }
    while turn.load(Ordering::Acquire) != 1 {
        if futex_wait(turn, 0) == Woken::TimedOut && !is_alive(simulator) {
            // SAFETY: ends the process; the simulator no longer exists.
            unsafe { libc::_exit(EXIT_KILLED) }
        }
    }
}

fn apply(held: &Held, combine: &Combine) {
    let (into, from) = (address(held, combine.into), address(held, combine.from));
    SERVES.set(true);
    // SAFETY: the simulator passes ranges of shared memory that no running rank accesses now.
    unsafe {
        combiners::combine(held, combine.op, into, from, combine.bytes, combine.left != 0);
    }
    SERVES.set(false);
}

/// Waits within the process, without a limit.
pub(super) fn futex_wait_private(word: &AtomicU32, expected: u32) {
    futex_wait_private_for(word, expected, None);
}
/// The same, for at most `limit_ns` nanoseconds.
fn futex_wait_private_for(word: &AtomicU32, expected: u32, limit_ns: Option<i64>) {
    let op = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    let limit = limit_ns.map(|tv_nsec| libc::timespec { tv_sec: 0, tv_nsec });
    let limit = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: word and limit outlive the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), op, expected, limit, 0, 0) };
}
pub(super) fn futex_wake_all(word: &AtomicU32) {
    let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word outlives the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), op, i32::MAX, 0, 0, 0) };
}
