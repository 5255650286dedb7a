//! The rank's end of the shared memory through which it communicates with the simulator.
//!
//! This module submits operations, gives the turn to the simulator, and keeps the simulated time.
//! It knows no communicator, datatype or request. The turn is the right to access the rank's part
//! of the shared segment: either the rank has it, or the simulator. A non-blocking call only
//! appends to the submission ring. A blocking call gives the turn away (a hand-over) and sleeps on
//! a futex until the simulator returns it (a release).
//!
//! A process that was not started by odonata is a job of one rank: `singleton` completes its
//! operations in the process.
//!
//! `threads` has the lock that guards this state, `turn` implements waiting.

mod child;
mod clocks;
mod files;
mod futex;
pub mod job;
mod memory;
mod region;
mod termination;
mod threads;
mod turn;

pub use child::{call as call_as_child, can_attach};
pub use clocks::register as register_clocks;
pub use files::{FileCallInFlight, call_file, file_reply, submit_file};
pub use job::{checks, library, most_requests, node, node_name, rank, size, tag_max, tag_ub};
pub use memory::{record_window, sample};
pub use termination::{abort, fatal, finalize, record_function};
pub use threads::{Guarded, Held, callback, lock, serialize_calls};
pub use turn::is_serving;

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use workload::wire::{self, Arena, Completion, Control, Segment, Submission};

use crate::abi::c;
use crate::error::{Result, fail};
use crate::singleton::Singleton;

/// Exit status of a rank that the simulator ends: a shell's status for SIGKILL.
const EXIT_KILLED: i32 = 128 + 9;
/// Interval at which a sleeping rank checks that the simulator is alive, in seconds of the wall
/// clock.
const LIFE_CHECK_S: i64 = 2;
/// About 2 us: the time in which the simulator processes a message or two.
const SPINS: u32 = 50;
const PS_PER_S: f64 = 1e12;

/// Set in a process forked by a rank: the job attachment in its memory is its parent's.
static FORKED: AtomicBool = AtomicBool::new(false);

/// See `log_prefix`.
static LOG_PREFIX: OnceLock<String> = OnceLock::new();
static RUNTIME: Guarded<Option<Runtime>> = Guarded::new(None);
/// Whether this process holds its region (`region`). Changed under the lock.
static HOLDS_REGION: AtomicBool = AtomicBool::new(false);
static PHASE: Guarded<Phase> = Guarded::new(Phase { finalized: false });

struct Phase {
    finalized: bool,
}

/// The last simulated time known to this process, in picoseconds.
static LAST_KNOWN_PS: AtomicU64 = AtomicU64::new(0);
/// The function that returns OpenMP's addition to this thread's CPU time; null without the library
/// `clock`.
static OPENMP_EXTRA: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    /// This thread's CPU time in nanoseconds when it last left MPI (0: never), and the rank's
    /// simulated time then, in picoseconds.
    static EXIT_CPU_NS: Cell<u64> = const { Cell::new(0) };
    static EXIT_PS: Cell<u64> = const { Cell::new(0) };
}

/// Begins an MPI call that needs an attachment to the job.
pub fn enter() -> Result<Held> {
    usable(threads::lock_for(crate::function::current()))
}
/// The same for calls that any thread may make during calls of others.
pub fn enter_any() -> Result<Held> {
    usable(lock())
}
fn usable(held: Held) -> Result<Held> {
    if is_forked() {
        return fail!(
            c::ERR_OTHER,
            "this process was forked by a rank and is not a rank of the job"
        );
    }
    if is_finalized(&held) {
        return fail!(c::ERR_OTHER, "it is called after MPI_Finalize");
    }
    if !is_attached(&held) {
        return fail!(c::ERR_OTHER, "it is called before MPI_Init");
    }
    Ok(held)
}

/// Called when an MPI call begins.
fn begin(held: &Held) {
    if !is_forked()
        && let Some(rt) = RUNTIME.get(held).as_mut()
    {
        rt.function = crate::function::current();
        // SAFETY: the tally has a counter for every function, and only this rank writes it.
        unsafe { *rt.segment.tally(rt.rank).add(rt.function as usize) += 1 };
        rt.charge();
        rt.sample_periodically();
    }
}
/// Called when an MPI call ends, or when a user's function begins, which is not part of the call.
fn end(held: &Held) {
    if !is_forked()
        && let Some(rt) = RUNTIME.get(held).as_mut()
        && rt.factor != 0.0
    {
        EXIT_CPU_NS.set(thread_cpu_ns());
        EXIT_PS.set(rt.at_ps);
    }
}
/// Called when a thread enters MPI: the process holds its region while a thread is in MPI, and
/// while the simulator has its turn.
fn hold_region(held: &Held) {
    if is_forked() || HOLDS_REGION.load(Ordering::Relaxed) {
        return;
    }
    let mut runtime = RUNTIME.get(held);
    let Some(rt) = runtime.as_mut().filter(|rt| region::is_shared(rt.segment)) else { return };
    region::lock(rt.control, rt.pid);
    HOLDS_REGION.store(true, Ordering::Relaxed);
    let (reported_ps, now_ps) = (rt.control().reported_ps, rt.control().now_ps);
    if now_ps != rt.released_ps {
        // Another process of the rank has handed over since.
        rt.released_ps = now_ps;
        (rt.local_polls, rt.failed_probe) = (0, None);
    }
    rt.at_ps = rt.at_ps.max(reported_ps);
}
/// Called when a thread leaves MPI, or lets other threads in.
fn release_region(held: &Held) {
    if !HOLDS_REGION.load(Ordering::Relaxed) || turn::is_away() || is_forked() {
        return;
    }
    if let Some(rt) = RUNTIME.get(held).as_mut() {
        HOLDS_REGION.store(false, Ordering::Relaxed);
        region::unlock(rt.control);
    }
}
fn charge(held: &Held) {
    if let Some(rt) = RUNTIME.get(held).as_mut() {
        rt.charge();
    }
}
fn function(held: &Held) -> u32 {
    RUNTIME.get(held).as_ref().map_or(0, |rt| rt.function)
}
fn set_function(held: &Held, function: u32) {
    if let Some(rt) = RUNTIME.get(held).as_mut() {
        rt.function = function;
    }
}

/// The search key of a probe: source, tag and context.
pub type ProbeKey = (u32, i32, u32);
/// The attachment to the job, with its state.
pub struct Runtime {
    segment: Segment,
    control: *mut Control,
    rank: u32,
    size: u32,
    arena: Arena,
    /// This process, which differs from a process that shares its memory (`vfork`).
    pid: u32,
    /// Whether nothing was submitted since the last release: then the time is known.
    quiet: bool,
    /// The rank's simulated time in picoseconds. The difference to `Control::reported_ps` is
    /// computation.
    at_ps: u64,
    /// Simulated time of its last release that this process has seen.
    released_ps: u64,
    /// Simulated picoseconds per picosecond of thread CPU time; 0: not charged.
    factor: f64,
    /// CPU time of reading that clock in nanoseconds, which is not charged.
    clock_ns: u64,
    tick_ps: u64,
    tag_ub: i32,
    tag_max: i32,
    function: u32,
    /// The key of the last probe, if it found nothing.
    failed_probe: Option<ProbeKey>,
    /// Polls that the rank may answer by itself, and the number answered since the last hand-over.
    local_polls: u32,
    local_polls_used: u32,
    /// How often to check for the turn before sleeping, if the simulator waits for no other rank.
    spins: u32,
    /// Whether the simulator may request a user's function.
    combines: bool,
    free_tokens: Vec<u32>,
    next_token: u32,
    /// By token. Grows to the highest token that was waited for with several threads.
    pins: Vec<Pin>,
    /// Sends without a request: their tokens are freed on completion.
    detached: Vec<u32>,
    memory_sampler: memory::MemorySampler,
    singleton: Option<Box<Singleton>>,
}

/// The reasons why a token must not be reused yet: reuse clears its completion.
#[derive(Clone, Copy, Default)]
struct Pin {
    /// Threads that wait for it, which need not own it.
    waiters: u32,
    /// Its owner has released it: the last waiter frees it.
    released: bool,
}

impl Runtime {
    /// Frees the tokens of completed detached sends.
    fn reap(&mut self) {
        let mut detached = std::mem::take(&mut self.detached);
        detached.retain(|&token| {
            // SAFETY: this rank has the turn.
            let done = unsafe { (*self.segment.completion(self.rank, token)).done != 0 };
            if done {
                self.release(token);
            }
            !done
        });
        self.detached = detached;
    }
    fn release(&mut self, token: u32) {
        match self.pins.get_mut(token as usize) {
            Some(pin) if pin.waiters > 0 => pin.released = true,
            _ => self.free_tokens.push(token),
        }
    }
    fn pin(&mut self, token: u32) {
        let at = token as usize;
        if self.pins.len() <= at {
            self.pins.resize(at + 1, Pin::default());
        }
        self.pins[at].waiters += 1;
    }
    fn unpin(&mut self, token: u32) {
        let pin = &mut self.pins[token as usize];
        pin.waiters -= 1;
        if pin.waiters == 0 && std::mem::take(&mut pin.released) {
            self.free_tokens.push(token);
        }
    }
    fn charge(&mut self) {
        if self.factor == 0.0 {
            return;
        }
        let now = thread_cpu_ns();
        let left = EXIT_CPU_NS.replace(now);
        if left != 0 {
            // Threads compute in parallel, so the maximum counts.
            let computed_ns = (now - left).saturating_sub(self.clock_ns);
            let computed = (computed_ns as f64 * 1e3 * self.factor) as u64;
            self.at_ps = self.at_ps.max(EXIT_PS.get() + computed);
        }
    }
    /// Answers a poll without a hand-over, if the simulator has reported that nothing can have
    /// arrived.
    fn answer_poll_locally(&mut self) -> bool {
        if self.local_polls == 0 || self.control().in_ring > 0 {
            return false;
        }
        self.local_polls -= 1;
        self.local_polls_used += 1;
        self.at_ps += self.control().poll_ps;
        LAST_KNOWN_PS.store(self.at_ps, Ordering::Relaxed);
        true
    }
    /// Reads the clock; each reading costs one tick.
    fn tick(&mut self) -> u64 {
        self.at_ps += self.tick_ps;
        LAST_KNOWN_PS.store(self.at_ps, Ordering::Relaxed);
        self.at_ps
    }
    /// The computation since the last report, in picoseconds.
    fn report(&mut self) -> u64 {
        let at_ps = self.at_ps;
        at_ps - std::mem::replace(&mut self.control().reported_ps, at_ps)
    }
    fn control(&mut self) -> &mut Control {
        // SAFETY: the segment is mapped for the life of the process; between hand-overs only this
        // rank accesses the plain fields.
        unsafe { &mut *self.control }
    }
}

fn with<R>(held: &Held, f: impl FnOnce(&mut Runtime) -> R) -> R {
    match RUNTIME.get(held).as_mut() {
        Some(rt) => f(rt),
        None => panic!("MPI is used before MPI_Init"),
    }
}

pub fn is_attached(held: &Held) -> bool {
    RUNTIME.get(held).is_some()
}
pub fn is_finalized(held: &Held) -> bool {
    PHASE.get(held).finalized
}

/// Whether this process was forked by a rank. It may end in any way, also with `MPI_Finalize`,
/// without effect on the job.
pub fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}
extern "C" fn after_fork_in_child() {
    FORKED.store(true, Ordering::Relaxed);
    // This thread's CPU time begins anew; it has no time before.
    if EXIT_CPU_NS.get() != 0 {
        EXIT_CPU_NS.set(1);
    }
    termination::forget();
    HOLDS_REGION.store(false, Ordering::Relaxed);
    threads::reset_after_fork();
}

/// Attaches to the job, or creates a job of one rank. Does nothing the second time.
pub fn attach(held: &Held) -> std::result::Result<(), String> {
    if is_attached(held) {
        return Ok(());
    }
    let (segment, rank, singleton) = match job_of_environment()? {
        Some((fd, rank)) => {
            let segment = job::map_segment(fd)?;
            // SAFETY: `map_segment` has checked the header.
            let (ranks, pid) =
                unsafe { ((*segment.header()).ranks, (*segment.header()).pid as libc::pid_t) };
            if rank >= ranks {
                return Err(format!("{}={rank}, but the job has {ranks} ranks", wire::ENV_RANK));
            }
            // SAFETY: the rank is less than the segment's number of ranks.
            let state = unsafe { (*segment.control(rank)).state.load(Ordering::Acquire) };
            if !matches!(state, wire::state::STARTING | wire::state::FILES) {
                return Err(format!(
                    "rank {rank} is already another process: a program that a rank starts cannot \
                     join the job of that rank"
                ));
            }
            die_with_parent(pid);
            (segment, rank, None)
        }
        None => {
            let (segment, singleton) = Singleton::new()?;
            (segment, 0, Some(Box::new(singleton)))
        }
    };
    // SAFETY: the header is written (by the simulator or by `Singleton::new`); no other process has
    // this rank.
    let runtime = unsafe {
        let header = &*segment.header();
        Runtime {
            segment,
            control: segment.control(rank),
            rank,
            size: header.ranks,
            arena: Arena::new(segment, rank),
            pid: std::process::id(),
            quiet: true,
            at_ps: (*segment.control(rank)).reported_ps,
            released_ps: (*segment.control(rank)).now_ps,
            factor: f64::from_bits(header.compute_factor),
            clock_ns: if header.compute_factor == 0 { 0 } else { clock_ns() },
            tick_ps: header.clock_tick_ps,
            tag_ub: header.tag_ub,
            tag_max: header.tag_max,
            function: 0,
            failed_probe: None,
            local_polls: 0,
            local_polls_used: 0,
            spins: if has_spare_core() { SPINS } else { 0 },
            combines: false,
            free_tokens: Vec::new(),
            next_token: 0,
            pins: Vec::new(),
            detached: Vec::new(),
            memory_sampler: memory::MemorySampler::new(header.inherited),
            singleton,
        }
    };
    *RUNTIME.get(held) = Some(runtime);
    hold_region(held);
    // SAFETY: the handler only stores to plain memory.
    unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) };
    with(held, |rt| {
        rt.sample();
        let control = rt.control();
        control.pid = std::process::id();
        control.state.store(wire::state::ACTIVE, Ordering::Release);
    });
    let _ = LOG_PREFIX.set(format!("rank {rank} on {}: ", node_name(held)));
    if with(held, |rt| rt.singleton.is_none()) {
        termination::begin(with(held, |rt| rt.control), crate::function::current());
    }
    Ok(())
}

type JobVariables = std::result::Result<Option<(i32, u32)>, String>;

fn job_of_environment() -> JobVariables {
    fn number<T: std::str::FromStr>(name: &str) -> std::result::Result<Option<T>, String> {
        match std::env::var(name) {
            Err(_) => Ok(None),
            Ok(text) => match text.parse() {
                Ok(n) => Ok(Some(n)),
                Err(_) => Err(format!(
                    "{name}={text:?} is not a number; start the program with odonata run"
                )),
            },
        }
    }
    match (number(wire::ENV_FD)?, number(wire::ENV_RANK)?) {
        (Some(fd), Some(rank)) => Ok(Some((fd, rank))),
        (None, None) => Ok(None),
        _ => Err(format!(
            "only one of {} and {} is set; start the program with odonata run",
            wire::ENV_FD,
            wire::ENV_RANK
        )),
    }
}

/// Makes the kernel end this process when its parent ends. The parent may be a shell between the
/// simulator and this process, so `sleep_until_turn` also checks the simulator itself.
fn die_with_parent(simulator: libc::pid_t) {
    // SAFETY: plain system calls.
    unsafe {
        let before = libc::getppid();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != before || !is_alive(simulator) {
            libc::_exit(EXIT_KILLED);
        }
    }
}

fn has_spare_core() -> bool {
    std::thread::available_parallelism().is_ok_and(|n| n.get() > 1)
}

fn is_alive(pid: libc::pid_t) -> bool {
    // SAFETY: signal 0 only checks for existence.
    pid == 0
        || unsafe { libc::kill(pid, 0) } == 0
        || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

/// CPU time of this thread in nanoseconds. In OpenMP's parallel regions it is the time of the
/// slowest thread (see the crate `clock`).
fn thread_cpu_ns() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    let extra = OPENMP_EXTRA.load(Ordering::Relaxed);
    let extra_ns = match extra.is_null() {
        true => 0,
        // SAFETY: the function of the library `clock`, found by its name.
        false => unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> u64>(extra)() },
    };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64 + extra_ns
}

/// The least CPU time of reading the clock of `thread_cpu_ns`. The time between two calls of MPI
/// contains one reading.
fn clock_ns() -> u64 {
    const READINGS: usize = 32;
    let reading = |_| {
        let before = thread_cpu_ns();
        thread_cpu_ns().saturating_sub(before)
    };
    (0..READINGS).map(reading).min().unwrap_or(0)
}

// ---------------------------------------------------------------------------------------------
// Memory shared with the simulator and other ranks.

/// Allocates a block of the arena, with undefined contents. Ends the job if there is no room.
pub fn alloc(held: &Held, bytes: u64) -> u64 {
    match with(held, |rt| rt.arena.alloc(bytes)) {
        Some(at) => at,
        None => {
            // SAFETY: the header is written before any rank starts.
            let room = with(held, |rt| unsafe { rt.segment.layout() }.stride) >> 20;
            fatal(
                held,
                &format!(
                    "{bytes} bytes do not fit: this rank's {room} MiB for messages in flight \
                     are full. Receive more of them before sending, or use fewer ranks"
                ),
            )
        }
    }
}
/// The same for callers that can proceed without; `None` if there is no room.
pub fn try_alloc(held: &Held, bytes: u64) -> Option<u64> {
    with(held, |rt| rt.arena.alloc(bytes))
}
/// Returns a block to its owner's arena.
pub fn free(held: &Held, block: u64) {
    if block != 0 {
        with(held, |rt| {
            // SAFETY: the offset came from an arena of this segment (this rank's, or that of a
            // completion), and the caller no longer uses it.
            unsafe { wire::return_block(rt.segment, block) };
        });
    }
}
pub fn address(held: &Held, offset: u64) -> *mut u8 {
    with(held, |rt| rt.segment.ptr(offset))
}
/// The offset of an address in the job's segment; `None` elsewhere.
pub fn offset_of(held: &Held, address: *const u8) -> Option<u64> {
    // SAFETY: the header is written before any rank starts.
    let (first, bytes) =
        with(held, |rt| (rt.segment.ptr(0) as usize, unsafe { rt.segment.bytes() }));
    let offset = (address as usize).checked_sub(first)? as u64;
    (offset < bytes).then_some(offset)
}

// ---------------------------------------------------------------------------------------------
// Submitting and waiting.

/// An unused token, with its completion cleared.
pub fn token(held: &Held) -> u32 {
    let token = with(held, |rt| match rt.free_tokens.pop() {
        Some(token) => Some(token),
        // SAFETY: the header is written before any rank starts.
        None if u64::from(rt.next_token) < unsafe { rt.segment.layout() }.tokens => {
            rt.next_token += 1;
            Some(rt.next_token - 1)
        }
        None => None,
    });
    let Some(token) = token else {
        let most = with(held, |rt| rt.next_token);
        fatal(held, &format!("more than {most} operations of one rank in flight"));
    };
    // SAFETY: a token of the layout; a free token has no other user.
    with(held, |rt| unsafe {
        *rt.segment.completion(rt.rank, token) = Completion::default();
    });
    token
}
/// Releases a token. Threads that wait for it now still find it complete.
pub fn release_token(held: &Held, token: u32) {
    with(held, |rt| {
        // SAFETY: this rank has the turn, and the token is one of the layout's.
        let completion = unsafe { &mut *rt.segment.completion(rt.rank, token) };
        if completion.done != 0 {
            completion.done |= wire::REPORTED;
        }
        rt.release(token);
    });
}
/// Lets `token` complete without a wait.
pub fn detach(held: &Held, token: u32) {
    with(held, |rt| rt.detached.push(token));
}
/// Whether a standard send of `bytes` completes without its receiver, so that no wait is needed.
pub fn is_eager(held: &Held, bytes: u64) -> bool {
    // SAFETY: written before any rank started.
    with(held, |rt| rt.singleton.is_none() && bytes <= unsafe { (*rt.segment.header()).eager_max })
}
/// Whether a standard send of `bytes` is complete when it returns, in the simulated library.
pub fn is_injected(held: &Held, bytes: u64) -> bool {
    // SAFETY: as above.
    with(held, |rt| bytes <= unsafe { (*rt.segment.header()).inject_max })
}
/// Longest standard send that completes without its receiver, in bytes.
pub fn eager_max(held: &Held) -> u64 {
    // SAFETY: written before any rank started.
    with(held, |rt| unsafe { (*rt.segment.header()).eager_max })
}
/// The completion of `token`, if this rank has received it.
pub fn completion(held: &Held, token: u32) -> Option<Completion> {
    if turn::simulator_has_turn() {
        return None;
    }
    // SAFETY: the simulator writes it only while this rank sleeps.
    let completion = with(held, |rt| unsafe { *rt.segment.completion(rt.rank, token) });
    (completion.done != 0).then_some(completion)
}

/// Appends to the ring; hands over first if the ring is full.
pub fn submit(held: &Held, mut submission: Submission) {
    turn::refuse_if_serving(held);
    turn::acquire_turn(held);
    // Repeated if other threads fill the ring before this one has the lock again.
    while with(held, |rt| rt.control().in_ring as usize == wire::RING) {
        turn::hand_over(held, wire::wait::NONE, &[]);
    }
    with(held, |rt| {
        submission.function = rt.function;
        // Registrations take no simulated time.
        if !matches!(submission.kind, wire::kind::COMM | wire::kind::REGION) {
            submission.after_ps = rt.report();
        }
        rt.quiet = false;
        rt.combines |= submission.combine == wire::combine::USER;
        let slot = rt.control().in_ring as usize;
        // SAFETY: the ring belongs to this rank until it hands over.
        unsafe { *rt.segment.submission(rt.rank, slot) = submission };
        rt.control().in_ring += 1;
    });
}

fn done(held: &Held, token: &u32) -> bool {
    completion(held, *token).is_some()
}

/// Calls `wait`, and prevents reuse of the tokens during it: another thread may be the first to see
/// a completion, and release the token.
fn pinned(held: &Held, tokens: &[u32], wait: impl FnOnce()) {
    let shared = threads::is_multiple();
    if shared {
        with(held, |rt| tokens.iter().for_each(|&t| rt.pin(t)));
    }
    wait();
    if shared {
        with(held, |rt| tokens.iter().for_each(|&t| rt.unpin(t)));
    }
}
/// Returns when every token is complete.
pub fn wait_all(held: &Held, tokens: &[u32]) {
    let is_done = |some: &[u32]| some.iter().all(|t| done(held, t));
    if is_done(tokens) {
        return;
    }
    pinned(held, tokens, || {
        for some in tokens.chunks(wire::WAITS) {
            if !is_done(some) {
                turn::hand_over(held, wire::wait::ALL, some);
            }
        }
    });
}
/// Returns when at least one token is complete; `tokens` is not empty.
pub fn wait_any(held: &Held, tokens: &[u32]) {
    let is_done = || tokens.iter().any(|t| done(held, t));
    if is_done() {
        return;
    }
    pinned(held, tokens, || {
        while !is_done() {
            if tokens.len() <= wire::WAITS {
                turn::hand_over(held, wire::wait::ANY, tokens);
            } else {
                tokens
                    .chunks(wire::WAITS)
                    .for_each(|some| turn::hand_over(held, wire::wait::POLL, some));
            }
        }
    });
}
/// Lets the simulator complete one of `tokens`, unless one is complete already.
pub fn poll(held: &Held, tokens: &[u32]) {
    if !tokens.iter().any(|t| done(held, t)) && !with(held, Runtime::answer_poll_locally) {
        let some = &tokens[..tokens.len().min(wire::WAITS)];
        pinned(held, some, || turn::hand_over(held, wire::wait::POLL, some));
    }
}
/// Whether a probe repeats the last, unsuccessful one and can fail without a hand-over.
pub fn repeats_failed_probe(held: &Held, probe_key: ProbeKey) -> bool {
    with(held, |rt| rt.failed_probe == Some(probe_key) && rt.answer_poll_locally())
}
/// Records that the last probe found nothing.
pub fn record_failed_probe(held: &Held, probe_key: ProbeKey) {
    with(held, |rt| rt.failed_probe = Some(probe_key));
}
/// Admits the process's other threads to MPI, if this one waits for them.
pub fn yield_to_threads(held: &Held) {
    threads::pause(held, false, u32::MAX);
}
/// Lets `span_ps` picoseconds of simulated time pass, as a sleep does.
pub fn delay(held: &Held, span_ps: u64) {
    let (kind, token) = (wire::kind::DELAY, token(held));
    submit(held, Submission { kind, token, bytes: span_ps, ..Submission::default() });
    wait_all(held, &[token]);
    release_token(held, token);
}
/// Whether this process is attached to a simulator, itself and not by its parent.
fn is_own(held: &Held) -> bool {
    let is_own = |rt: &Runtime| rt.singleton.is_none() && rt.pid == std::process::id();
    !is_forked() && RUNTIME.get(held).as_ref().is_some_and(is_own)
}
/// Whether this process is the rank's in MPI, and its calls are simulated.
pub fn is_simulated(held: &Held) -> bool {
    is_own(held) && !is_finalized(held)
}
/// Whether this process has left MPI.
pub fn has_left(held: &Held) -> bool {
    is_own(held) && is_finalized(held)
}
/// Passes all submissions to the simulator, and returns when the rank's simulated CPU has processed
/// them.
pub fn flush(held: &Held) {
    turn::hand_over(held, wire::wait::NONE, &[]);
}

// ---------------------------------------------------------------------------------------------
// Simulated time.

/// Simulated time of the last release, in picoseconds. It stays the same until the next hand-over.
pub fn released_ps(held: &Held) -> u64 {
    with(held, |rt| rt.control().now_ps)
}

/// Simulated seconds since the job began. Every call costs `Header::clock_tick_ps`, so that a loop
/// that waits for a time ends.
pub fn wtime(held: &Held) -> f64 {
    if let Some(elapsed) =
        with(held, |rt| rt.singleton.as_ref().map(|singleton| singleton.elapsed()))
    {
        return elapsed.as_secs_f64();
    }
    // A thread that waits for the turn here may block the one that has to return it.
    if !turn::simulator_has_turn() && !turn::is_serving() && with(held, |rt| !rt.quiet) {
        flush(held);
    }
    with(held, Runtime::tick) as f64 / PS_PER_S
}
/// Resolution of `wtime`, in seconds.
pub fn wtick(held: &Held) -> f64 {
    with(held, |rt| rt.tick_ps.max(1)) as f64 / PS_PER_S
}

/// From now on several threads may call MPI at the same time.
pub fn allow_threads(held: &Held) {
    threads::allow_many(held);
    with(held, |rt| rt.control().threads = 1);
}

/// The prefix of messages, "rank 3 on x1000c0s0b0n0: "; empty without an attachment to a job.
pub fn log_prefix() -> String {
    LOG_PREFIX.get().cloned().unwrap_or_default()
}
