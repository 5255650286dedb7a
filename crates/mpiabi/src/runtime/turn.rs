//! Giving the turn to the simulator and having it back.
//!
//! One thread at most deals with the simulator. If several wait, the one that leads hands over with
//! everything that any of them waits for. When the turn is back it wakes those threads whose
//! operations are complete, and no others. A thread that needs the turn while it is away knocks:
//! the simulator gives it back as soon as it can. Before it hands over, the leader lets those in
//! that are about to call MPI, because simulated time may run meanwhile.
//!
//! If a thread that leaves MPI calls it again soon, it leads itself. So those who wait stay asleep
//! when it leaves, as long as threads do come back (`Turns::wakes_on_leave`), and look after a limited
//! time whether they have to lead.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use workload::wire::{self, Combine, Control, Segment};

use super::threads::{self, Guarded, Held};
use super::{EXIT_KILLED, LAST_KNOWN_PS, LIFE_CHECK_S, address, done, fatal, is_alive, with};

/// Moments the others are given to come in, if they look as if they would: about 10 ms.
const ROUNDS: u32 = 200;
/// Hand-overs without such a moment after as many given in vain.
const MAX_SKIPPED: u32 = 63;
/// How long a thread waits for others, asleep, in nanoseconds of the wall clock. Not shorter: a
/// timer that is due before the next tick of the kernel's clock costs as much as a switch of
/// threads.
const SLEEP_NS: i64 = 10_000_000;
/// Threads that must come back in time, one after the other, before those who wait rely on it; and
/// the most, after that has failed again and again.
const INITIAL_REQUIRED_RETURNS: u32 = 8;
const MAX_REQUIRED_RETURNS: u32 = 1 << 13;

/// The turn is the simulator's. Changes only behind the lock.
static AWAY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// This thread deals with the simulator.
    static LEADS: Cell<bool> = const { Cell::new(false) };
    /// It does what the simulator asks for: the next turn it gives away is the answer.
    static SERVES: Cell<bool> = const { Cell::new(false) };
    /// What it sleeps on while it waits: 1 once another thread has woken it. A futex.
    static SIGNAL: AtomicU32 = const { AtomicU32::new(0) };
}

static TURNS: Guarded<Turns> = Guarded::new(Turns {
    led: false,
    knocked: false,
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

/// What the threads of this process wait for, if there may be several.
struct Turns {
    /// A thread deals with the simulator, or is about to.
    led: bool,
    knocked: bool,
    /// Threads that wait for nothing but the turn.
    turn_requests: u32,
    waiters: Vec<Waiter>,
    next: u64,
    /// Those who can go on and have yet to be woken.
    woken: Vec<Signal>,
    /// Waiters that sleep for a limited time.
    timed: u32,
    /// Whether a thread that leaves wakes a waiter at once, because not enough have come back
    /// before the next hand-over: how many have, one after the other, and how many have to.
    wakes_on_leave: bool,
    returns: u32,
    required_returns: u32,
    /// Hand-overs so far, and how many there had been when a thread left last.
    hand_overs: u64,
    left: u64,
    /// Hand-overs yet to make without looking who comes, and how many after looking in vain.
    skip: u32,
    skips: u32,
}

/// A thread's `SIGNAL`.
#[derive(Clone, Copy)]
struct Signal(*const AtomicU32);

struct Waiter {
    id: u64,
    /// MPI function it is in; 0: none, it sleeps.
    function: u32,
    mode: u32,
    /// Lives in the frame of the thread that waits.
    tokens: *const [u32],
    signal: Signal,
    /// Whether the hand-over under way is for this one too, and one that was has come back.
    included: bool,
    served: bool,
}

/// Whether no call of MPI waits in here, so that the seat may be left. Sleeps need no seat.
pub(super) fn has_no_waiters(held: &Held) -> bool {
    let turns = TURNS.get(held);
    !turns.led && turns.turn_requests == 0 && turns.waiters.iter().all(|w| w.function == 0)
}
/// Whether what the simulator writes is not to be looked at.
pub(super) fn is_away() -> bool {
    AWAY.load(Ordering::Relaxed) && !LEADS.get()
}
/// Whether the caller acts for the simulator now.
pub(super) fn is_serving() -> bool {
    SERVES.get()
}

/// Ends the job where one of the program's operators communicates, which MPI forbids: the simulator
/// would take the turn for its answer.
pub(super) fn refuse_if_serving(held: &Held) {
    if is_serving() {
        fatal(held, "the function of an MPI_Op must not call MPI to communicate");
    }
}

/// The thread leaves MPI: those who wait may have to go on without it.
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

/// Returns with the turn.
pub(super) fn acquire_turn(held: &Held) {
    while is_away() {
        if !std::mem::replace(&mut TURNS.get(held).knocked, true) {
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

/// Gives the turn away until what is waited for has come.
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
        if !is_away() && is_satisfied(held, id) || super::is_finalized(held) {
            break;
        }
        // Whoever can go on does so before simulated time may.
        let led = TURNS.get(held).led;
        if is_away() || led || any_satisfied(held) {
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

/// Whether another thread is about to come in, and can lead.
fn defers_to_others(held: &Held, has_waited: bool) -> bool {
    {
        let turns = TURNS.get(held);
        if turns.wakes_on_leave || turns.turn_requests == 0 && turns.skip > 0 {
            return false; // `admit_threads` sees to it.
        }
    }
    let come = TURNS.get(held).turn_requests > 0 || threads::others_may_enter(held);
    let mut turns = TURNS.get(held);
    if !come {
        turns.skips = 0;
    } else if has_waited {
        turns.skips = (2 * turns.skips + 1).min(MAX_SKIPPED);
        turns.skip = turns.skips;
    }
    come && !has_waited
}

/// Sleeps until another thread wakes this one, for a limited time unless nothing has been handed
/// over since.
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
            // Only those who have the lock write to it, so none is missed.
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
            // The thread that left does not come back.
            (turns.wakes_on_leave, turns.returns) = (true, 0);
            turns.required_returns = (4 * turns.required_returns).min(MAX_REQUIRED_RETURNS);
        }
        if is_woken || !led {
            return;
        }
        before = turns.hand_overs;
    }
}

/// Wakes those who can go on, as far as that has been put off until the lock is free.
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
    /// Whether its thread has to be woken for this, which waits in `hand_over_with_threads`.
    fn is_new(self) -> bool {
        // SAFETY: the thread is there as long as it waits.
        unsafe { (*self.0).swap(1, Ordering::Relaxed) == 0 }
    }
    /// Has the kernel wake the thread, wherever it is by now: only its address counts.
    fn wake(self) {
        let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the kernel does not follow the address.
        unsafe { libc::syscall(libc::SYS_futex, self.0, op, 1, 0, 0, 0) };
    }
}

impl Waiter {
    /// Whether its thread may go on. The turn is here.
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
        // SAFETY: its thread is inside `hand_over_with_threads`, so the list is there.
        unsafe { &*self.tokens }
    }
}

/// Hands over once for all that wait, and wakes those who can go on then. The caller is the waiter
/// `id`.
fn lead(held: &Held, id: u64) {
    TURNS.get(held).led = true;
    admit_threads(held);
    let (mode, count) = merge_waits(held);
    AWAY.store(true, Ordering::Relaxed);
    LEADS.set(true);
    let answer = exchange(held, mode, count);
    LEADS.set(false);
    AWAY.store(false, Ordering::Relaxed);
    let turn_requests = {
        let mut turns = TURNS.get(held);
        (turns.led, turns.knocked) = (false, false);
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
        // Nobody simulates: only another thread of this process can bring what is waited for.
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
            return; // `defers_to_others` has seen to it.
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

/// Writes down what any waiter waits for; the mode and how many tokens that is.
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
                // Whoever is left out looks again after a while.
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
        // SAFETY: room for WAITS tokens, ours until the turn is given away.
        unsafe {
            let list = rt.segment.waits(rt.rank).add(at);
            list.copy_from_nonoverlapping(tokens.as_ptr(), tokens.len());
        }
    });
}

/// Gives the turn away, with `count` tokens in the list, and does what the simulator asks for until
/// it says to go on. An error says why nobody can.
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
                    let spared = rt.control().unsuccessful_polls;
                    // Another thread may be what this one waits for.
                    rt.spared_polls = if spared > 0 && threads::is_alone() { spared } else { 0 };
                    rt.reap();
                    let now = rt.control().now_ps;
                    (rt.reported_ps, rt.at_ps) = (now, rt.at_ps.max(now));
                    LAST_KNOWN_PS.store(rt.at_ps, Ordering::Relaxed);
                });
                return Ok(());
            }
            wire::command::APPLY => {}
            wire::command::COMBINE => apply(held, &combine),
            _ => {
                super::sample(held);
                // SAFETY: ends the process without running anything of the user's.
                unsafe { libc::_exit(EXIT_KILLED) }
            }
        }
    }
}

/// Writes the hand-over into the control block.
fn write_hand_over(held: &Held, mode: u32, count: usize) {
    let thread = threads::id();
    with(held, |rt| {
        let (submitted, function) = (std::mem::take(&mut rt.submitted), rt.function);
        let after_ps = rt.at_ps - rt.reported_ps;
        rt.reported_ps = rt.at_ps;
        let spent = std::mem::take(&mut rt.spent_polls);
        (rt.failed_probe, rt.spared_polls) = (None, 0);
        let control = rt.control();
        control.submitted = submitted;
        control.wait_mode = mode;
        control.wait_count = count as u32;
        control.function = function;
        control.after_ps = after_ps;
        control.spent_polls = spent;
        control.thread = thread;
    });
}

/// Hands over and does not wait for the turn, which does not come back.
pub(super) fn hand_over_finally(held: &Held) {
    write_hand_over(held, wire::wait::NEVER, 0);
    let (segment, control) = with(held, |rt| (rt.segment, rt.control));
    release_turn(segment, control);
}

/// What came of giving the turn away.
enum Turn {
    Answered(std::result::Result<(), String>),
    Away { segment: Segment, control: *mut Control, spins: u32 },
}

/// From here on the region is the simulator's. Whether this rank was the last one out.
fn release_turn(segment: Segment, control: *mut Control) -> bool {
    // SAFETY: both live as long as the mapping; only atomics are touched.
    let (turn, presence, running, wake_requests) = unsafe {
        let (control, header) = (&*control, &*segment.header());
        (&control.turn, &control.presence, &header.running, &header.wake_requests)
    };
    turn.store(0, Ordering::Relaxed);
    if presence.swap(wire::presence::BACK, Ordering::AcqRel) == wire::presence::AWAY {
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

/// Gives the turn away. Looks a few times whether it is back, for a simulator on another core that
/// has nobody else to wait for may answer within a microsecond (measured: 0.44 us awake, 24-30 us
/// asleep); then sleeps.
fn sleep_until_turn(segment: Segment, control: *mut Control, spins: u32) {
    let spins = if release_turn(segment, control) { spins } else { 0 };
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
            // SAFETY: nobody is left to account to.
            unsafe { libc::_exit(EXIT_KILLED) }
        }
    }
}

fn apply(held: &Held, combine: &Combine) {
    let (into, from) = (address(held, combine.into), address(held, combine.from));
    SERVES.set(true);
    // SAFETY: the simulator names stretches of shared memory that no running rank touches now.
    unsafe {
        crate::coll::combine_packed(held, combine.op, into, from, combine.bytes, combine.left != 0);
    }
    SERVES.set(false);
}

#[derive(PartialEq)]
enum Woken {
    Woken,
    TimedOut,
}

fn futex_wait(word: &AtomicU32, expected: u32) -> Woken {
    let limit = libc::timespec { tv_sec: LIFE_CHECK_S, tv_nsec: 0 };
    // SAFETY: the word outlives the call. Not FUTEX_PRIVATE: the segment is shared.
    let answer = unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, expected, &limit, 0, 0)
    };
    if answer != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ETIMEDOUT) {
        Woken::TimedOut
    } else {
        Woken::Woken
    }
}

fn futex_wake(word: &AtomicU32) {
    // SAFETY: the word outlives the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1, 0, 0, 0) };
}

/// Within the process, for as long as it takes.
pub(super) fn futex_wait_private(word: &AtomicU32, expected: u32) {
    futex_wait_private_for(word, expected, None);
}
/// The same, for so many nanoseconds at most.
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
