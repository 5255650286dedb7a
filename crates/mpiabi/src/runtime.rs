//! The rank's end of the wire: one process, one seat in the shared segment.
//!
//! Knows how to submit operations, when to hand the turn to the simulator, and what time it is
//! there. Knows no communicator, datatype or request. Its one idea: a call that need not block only
//! appends to the ring; a call that must wait gives its turn away and sleeps on a futex.
//!
//! A process started without a seat is a job of one rank: `singleton` then answers in its own memory.
//!
//! `threads` has the lock that guards all of this, `turn` the waiting.

pub mod job;
mod memory;
mod termination;
mod threads;
mod turn;

pub use job::{checks, library, most_requests, node, node_name, rank, size, tag_max, tag_ub};
pub use memory::{record_window, sample};
pub use termination::{abort, fatal, finalize, record_function};
pub use threads::{Guarded, Held, callback, lock, serialize_calls};

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use workload::wire::{self, Arena, Completion, Control, Segment, Submission};

use crate::abi::c;
use crate::error::{Result, fail};
use crate::singleton::Singleton;

/// Exit status of a rank that the simulator ends: as if by SIGKILL, in a shell's reckoning.
const EXIT_KILLED: i32 = 128 + 9;
/// How often a sleeping rank looks whether the simulator still lives, in seconds of the wall clock.
const LIFE_CHECK_S: i64 = 2;
/// About 2 us: what the simulator needs for a message or two.
const SPINS: u32 = 50;
const PS_PER_S: f64 = 1e12;

/// Set in a process that a rank has forked: it has the memory of a seat that is not its own.
static FORKED: AtomicBool = AtomicBool::new(false);

/// See `log_prefix`.
static LOG_PREFIX: OnceLock<String> = OnceLock::new();
static RUNTIME: Guarded<Option<Runtime>> = Guarded::new(None);
static PHASE: Guarded<Phase> = Guarded::new(Phase { finalized: false });

struct Phase {
    finalized: bool,
}

/// Simulated picoseconds, the last that anybody here has heard of.
static LAST_KNOWN_PS: AtomicU64 = AtomicU64::new(0);
/// The function that says what OpenMP adds to this thread's CPU time; null without the clock.
static OPENMP_EXTRA: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    /// This thread's CPU time in nanoseconds when it last left MPI (0: it never has), and how far
    /// the rank had come then, in picoseconds.
    static EXIT_CPU_NS: Cell<u64> = const { Cell::new(0) };
    static EXIT_PS: Cell<u64> = const { Cell::new(0) };
}

/// Begins an MPI call that needs a seat.
pub fn enter() -> Result<Held> {
    usable(threads::lock_for(crate::export::function()))
}
/// The same for calls that any thread may make at any time in between.
pub fn enter_any() -> Result<Held> {
    usable(lock())
}
fn usable(held: Held) -> Result<Held> {
    if is_forked() {
        return fail!(c::ERR_OTHER, "this process was forked by a rank and has no seat of its own");
    }
    if is_finalized(&held) {
        return fail!(c::ERR_OTHER, "it is called after MPI_Finalize");
    }
    if !is_attached(&held) {
        return fail!(c::ERR_OTHER, "it is called before MPI_Init");
    }
    Ok(held)
}

/// A call of MPI begins.
fn begin(held: &Held) {
    if !is_forked()
        && let Some(rt) = RUNTIME.get(held).as_mut()
    {
        rt.function = crate::export::function();
        // SAFETY: the tally has a counter for every function and is this rank's to write.
        unsafe { *rt.segment.tally(rt.rank).add(rt.function as usize) += 1 };
        rt.charge();
        rt.sample_periodically();
    }
}
/// It ends, or one of the user's functions does not belong to it.
fn end(held: &Held) {
    if let Some(rt) = RUNTIME.get(held).as_mut()
        && rt.factor != 0.0
    {
        EXIT_CPU_NS.set(thread_cpu_ns());
        EXIT_PS.set(rt.at_ps);
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

/// What a probe looks for: source, tag and context.
pub type ProbeKey = (u32, i32, u32);
/// The seat and everything that goes with it.
pub struct Runtime {
    segment: Segment,
    control: *mut Control,
    rank: u32,
    size: u32,
    arena: Arena,
    /// Submissions in the ring.
    submitted: u32,
    /// Whether anything went into the ring since the last release: if not, the time is known.
    quiet: bool,
    /// How far the rank has come, in simulated picoseconds, and how much of that the simulator has
    /// been told. What is between is computation.
    at_ps: u64,
    reported_ps: u64,
    /// Simulated picoseconds per picosecond of thread CPU time; 0: not charged.
    factor: f64,
    tick_ps: u64,
    tag_ub: i32,
    tag_max: i32,
    function: u32,
    /// What the probe sought that the last release answered, if in vain.
    failed_probe: Option<ProbeKey>,
    /// Polls that may be answered here, and how many were since the last hand-over.
    spared_polls: u32,
    spent_polls: u32,
    /// How often to look for the turn before sleeping, when the simulator waits for nobody else.
    spins: u32,
    /// Whether the simulator may ask for a function of the user's.
    combines: bool,
    free_tokens: Vec<u32>,
    next_token: u32,
    /// By token, as far as any has been waited for since there may be several threads.
    pins: Vec<Pin>,
    /// Sends nobody waits for: their tokens are free again once done.
    detached: Vec<u32>,
    memory_sampler: memory::MemorySampler,
    singleton: Option<Box<Singleton>>,
}

/// Why a token must not be used again yet, for its completion would be cleared.
#[derive(Clone, Copy, Default)]
struct Pin {
    /// Threads that wait for it, not necessarily as its only owners.
    waiters: u32,
    /// Its owner has released it: the last of them frees it.
    released: bool,
}

impl Runtime {
    /// Frees the tokens of detached sends that are done.
    fn reap(&mut self) {
        let mut detached = std::mem::take(&mut self.detached);
        detached.retain(|&token| {
            // SAFETY: the turn is this rank's.
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
            // Threads that compute do so side by side.
            let computed = ((now - left) as f64 * 1e3 * self.factor) as u64;
            self.at_ps = self.at_ps.max(EXIT_PS.get() + computed);
        }
    }
    /// Answers a poll here if the simulator has said that nothing can have come.
    fn answer_poll_locally(&mut self) -> bool {
        if self.spared_polls == 0 || self.submitted > 0 {
            return false;
        }
        self.spared_polls -= 1;
        self.spent_polls += 1;
        self.at_ps += self.control().poll_ps;
        LAST_KNOWN_PS.store(self.at_ps, Ordering::Relaxed);
        true
    }
    /// A reading of the clock, which costs its tick.
    fn tick(&mut self) -> u64 {
        self.at_ps += self.tick_ps;
        LAST_KNOWN_PS.store(self.at_ps, Ordering::Relaxed);
        self.at_ps
    }
    fn control(&mut self) -> &mut Control {
        // SAFETY: the segment is mapped for the life of the process; between hand-overs this rank
        // is the only one to touch the plain fields.
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

/// Whether this process was forked by a rank. It may end as it likes, also by way of
/// `MPI_Finalize`, but the job hears nothing of it.
pub fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}
extern "C" fn after_fork_in_child() {
    FORKED.store(true, Ordering::Relaxed);
    termination::forget();
    threads::reset_after_fork();
}

/// Finds this process's seat, or makes a job of one. Does nothing the second time.
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
            // SAFETY: the rank is one of the segment's.
            let state = unsafe { (*segment.control(rank)).state.load(Ordering::Acquire) };
            if state != wire::state::STARTING {
                return Err(format!(
                    "rank {rank} is another process already: a program that a rank starts cannot \
                     be of the same job"
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
    // SAFETY: the header is written (by the simulator or by `Singleton::new`); this process is the only
    // one with this rank.
    let runtime = unsafe {
        let header = &*segment.header();
        Runtime {
            segment,
            control: segment.control(rank),
            rank,
            size: header.ranks,
            arena: Arena::new(segment, rank),
            submitted: 0,
            quiet: true,
            at_ps: 0,
            reported_ps: 0,
            factor: f64::from_bits(header.compute_factor),
            tick_ps: header.clock_tick_ps,
            tag_ub: header.tag_ub,
            tag_max: header.tag_max,
            function: 0,
            failed_probe: None,
            spared_polls: 0,
            spent_polls: 0,
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
        termination::begin(with(held, |rt| rt.control), crate::export::function());
        register_clocks();
    }
    Ok(())
}

/// Has the clocks of this process ask us, if they are not the kernel's.
fn register_clocks() {
    type Now = extern "C" fn(c_int) -> u64;
    type Pass = extern "C" fn(u64, c_int) -> c_int;
    type Forget = extern "C" fn(u64);
    // SAFETY: zero-terminated names.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"odonata_clock_register".as_ptr()) };
    let extra = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"odonata_clock_extra".as_ptr()) };
    OPENMP_EXTRA.store(extra, Ordering::Relaxed);
    if !found.is_null() {
        // SAFETY: nothing but the crate `clock` has that name.
        let register: extern "C" fn(Now, Pass, Forget) = unsafe { std::mem::transmute(found) };
        register(clock_now, clock_pass, clock_forget);
    }
}

type JobVariables = std::result::Result<Option<(i32, u32)>, String>;

fn job_of_environment() -> JobVariables {
    fn number<T: std::str::FromStr>(name: &str) -> std::result::Result<Option<T>, String> {
        match std::env::var(name) {
            Err(_) => Ok(None),
            Ok(text) => match text.parse() {
                Ok(n) => Ok(Some(n)),
                Err(_) => {
                    Err(format!("{name}={text:?} is not a number; start me with odonata run"))
                }
            },
        }
    }
    match (number(wire::ENV_FD)?, number(wire::ENV_RANK)?) {
        (Some(fd), Some(rank)) => Ok(Some((fd, rank))),
        (None, None) => Ok(None),
        _ => Err(format!(
            "only one of {} and {} is set; start me with odonata run",
            wire::ENV_FD,
            wire::ENV_RANK
        )),
    }
}

/// No orphans: the kernel ends this process when its parent goes. The parent may be a shell between
/// the simulator and us, which is why `sleep_until_turn` also looks for the simulator itself.
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
    // SAFETY: signal 0 only asks.
    pid == 0
        || unsafe { libc::kill(pid, 0) } == 0
        || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}

/// CPU time of this thread in nanoseconds; of OpenMP's parallel regions, that of the slowest thread
/// (see the crate `clock`).
fn thread_cpu_ns() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    let extra = OPENMP_EXTRA.load(Ordering::Relaxed);
    let extra_ns = match extra.is_null() {
        true => 0,
        // SAFETY: the clock's function, found by its name.
        false => unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> u64>(extra)() },
    };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64 + extra_ns
}

// ---------------------------------------------------------------------------------------------
// Memory the simulator and other ranks see.

/// A block of the arena, contents undefined. Ends the job if there is no room.
pub fn alloc(held: &Held, bytes: u64) -> u64 {
    match with(held, |rt| rt.arena.alloc(bytes)) {
        Some(at) => at,
        None => {
            // SAFETY: the header is written before any rank starts.
            let room = with(held, |rt| unsafe { rt.segment.layout() }.stride) >> 20;
            fatal(
                held,
                &format!(
                    "{bytes} bytes do not fit: this rank's {room} MiB for messages on their way \
                     are full. Receive more of them before sending, or use fewer ranks"
                ),
            )
        }
    }
}
/// The same for who can go on without; `None` if there is no room.
pub fn try_alloc(held: &Held, bytes: u64) -> Option<u64> {
    with(held, |rt| rt.arena.alloc(bytes))
}
/// Gives a block back, whoever owns it.
pub fn free(held: &Held, block: u64) {
    if block != 0 {
        with(held, |rt| {
            // SAFETY: the offset came from an arena of this segment (ours, or a completion's), and
            // the caller is done with it.
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

/// A token nobody has; its completion is cleared.
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
        fatal(held, &format!("more than {most} operations of one rank at a time"));
    };
    // SAFETY: one of the layout's; nobody else uses a token that is free.
    with(held, |rt| unsafe {
        *rt.segment.completion(rt.rank, token) = Completion::default();
    });
    token
}
/// Nobody asks for it again; threads that wait for it now still find it done.
pub fn release_token(held: &Held, token: u32) {
    with(held, |rt| {
        // SAFETY: the turn is this rank's, and the token is the layout's.
        let completion = unsafe { &mut *rt.segment.completion(rt.rank, token) };
        if completion.done != 0 {
            completion.done |= wire::REPORTED;
        }
        rt.release(token);
    });
}
/// Leaves `token` to complete by itself.
pub fn detach(held: &Held, token: u32) {
    with(held, |rt| rt.detached.push(token));
}
/// Whether a standard send of `bytes` completes without its receiver, so that nobody need wait.
pub fn is_eager(held: &Held, bytes: u64) -> bool {
    // SAFETY: written before any rank started.
    with(held, |rt| rt.singleton.is_none() && bytes <= unsafe { (*rt.segment.header()).eager_max })
}
/// Longest such send, in bytes.
/// Whether the simulated library has a standard send of `bytes` complete as it returns.
pub fn is_injected(held: &Held, bytes: u64) -> bool {
    // SAFETY: as above.
    with(held, |rt| bytes <= unsafe { (*rt.segment.header()).inject_max })
}
pub fn eager_max(held: &Held) -> u64 {
    // SAFETY: written before any rank started.
    with(held, |rt| unsafe { (*rt.segment.header()).eager_max })
}
/// What came of `token`, if it is done as far as this rank has heard.
pub fn completion(held: &Held, token: u32) -> Option<Completion> {
    if turn::is_away() {
        return None;
    }
    // SAFETY: written by the simulator only while this rank sleeps.
    let completion = with(held, |rt| unsafe { *rt.segment.completion(rt.rank, token) });
    (completion.done != 0).then_some(completion)
}

/// Appends to the ring; hands over first if it is full.
pub fn submit(held: &Held, mut submission: Submission) {
    turn::refuse_if_serving(held);
    turn::acquire_turn(held);
    // More than once where other threads fill it again before this one has the lock back.
    while with(held, |rt| rt.submitted as usize == wire::RING) {
        turn::hand_over(held, wire::wait::NONE, &[]);
    }
    with(held, |rt| {
        submission.function = rt.function;
        // What is only told takes no part in the rank's time.
        if !matches!(submission.kind, wire::kind::COMM | wire::kind::REGION) {
            submission.after_ps = rt.at_ps - rt.reported_ps;
            rt.reported_ps = rt.at_ps;
        }
        rt.quiet = false;
        rt.combines |= submission.combine == wire::combine::USER;
        let slot = rt.submitted as usize;
        // SAFETY: the ring is this rank's until it hands over.
        unsafe { *rt.segment.submission(rt.rank, slot) = submission };
        rt.submitted += 1;
    });
}

fn done(held: &Held, token: &u32) -> bool {
    completion(held, *token).is_some()
}

/// Waits with `wait`, and keeps the tokens from being used again meanwhile: another thread may be
/// the first to see that one is done, and release it.
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
/// Returns when every token is done.
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
/// Returns when at least one token is done; `tokens` is not empty.
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
/// Gives the simulator a chance to complete one of `tokens`, unless one is done already.
pub fn poll(held: &Held, tokens: &[u32]) {
    if !tokens.iter().any(|t| done(held, t)) && !with(held, Runtime::answer_poll_locally) {
        let some = &tokens[..tokens.len().min(wire::WAITS)];
        pinned(held, some, || turn::hand_over(held, wire::wait::POLL, some));
    }
}
/// Whether a probe for what the last one sought in vain is in vain without asking.
pub fn repeats_failed_probe(held: &Held, probe_key: ProbeKey) -> bool {
    with(held, |rt| rt.failed_probe == Some(probe_key) && rt.answer_poll_locally())
}
/// The probe just answered has found nothing.
pub fn record_failed_probe(held: &Held, probe_key: ProbeKey) {
    with(held, |rt| rt.failed_probe = Some(probe_key));
}
/// Lets the process's other threads into MPI for a moment, where this one waits for them.
pub fn yield_to_threads(held: &Held) {
    threads::pause(held, false, u32::MAX);
}
/// Lets `span_ps` picoseconds pass, as a sleep does.
pub fn delay(held: &Held, span_ps: u64) {
    let (kind, token) = (wire::kind::DELAY, token(held));
    submit(held, Submission { kind, token, bytes: span_ps, ..Submission::default() });
    wait_all(held, &[token]);
    release_token(held, token);
}
/// Lets the simulator take what was submitted, and returns when the rank's CPU is through with it.
pub fn flush(held: &Held) {
    turn::hand_over(held, wire::wait::NONE, &[]);
}

// ---------------------------------------------------------------------------------------------
// Time, and the end.

/// When this rank last got its turn, in picoseconds: the same until it gives it away again.
pub fn released_ps(held: &Held) -> u64 {
    with(held, |rt| rt.control().now_ps)
}

/// Simulated seconds since the job began. Every call costs `Header::clock_tick_ps`, so that a loop
/// that waits for the clock ends.
pub fn wtime(held: &Held) -> f64 {
    if let Some(elapsed) =
        with(held, |rt| rt.singleton.as_ref().map(|singleton| singleton.elapsed()))
    {
        return elapsed.as_secs_f64();
    }
    // Who waits for the turn here may be waited for by who has to give it back.
    if !turn::is_away() && !turn::is_serving() && with(held, |rt| !rt.quiet) {
        flush(held);
    }
    with(held, Runtime::tick) as f64 / PS_PER_S
}
/// Resolution of `wtime`, in seconds.
pub fn wtick(held: &Held) -> f64 {
    with(held, |rt| rt.tick_ps.max(1)) as f64 / PS_PER_S
}

/// The simulator, as far as clocks are concerned that are read behind MPI's back.
fn enter_for_clock(held: Option<Held>) -> Option<Held> {
    let held = held.filter(|h| !is_forked() && is_attached(h) && !is_finalized(h))?;
    with(&held, |rt| {
        rt.function = 0;
        rt.charge();
    });
    Some(held)
}
/// See the crate `clock`. It may be called wherever a clock may be read, even inside `malloc`.
pub extern "C" fn clock_now(reading: c_int) -> u64 {
    let held = if reading != 0 { enter_for_clock(threads::try_lock()) } else { None };
    let Some(held) = held.filter(|_| !turn::is_away() && !turn::is_serving()) else {
        return LAST_KNOWN_PS.load(Ordering::Relaxed);
    };
    // While we hand over, the simulator may ask for a function that needs what this thread holds:
    // Python reads clocks as it waits for its lock, but only if it has several threads.
    if with(&held, |rt| !rt.quiet && (!rt.combines || is_single_threaded())) {
        flush(&held);
    }
    with(&held, Runtime::tick)
}
/// Whether the calling thread's time has gone on by `span_ps`.
pub extern "C" fn clock_pass(span_ps: u64, may_wait: c_int) -> c_int {
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
/// Takes back the tick of the reading that answered `at_ps`, unless something has happened since.
pub extern "C" fn clock_forget(at_ps: u64) {
    let held = threads::try_lock().filter(|h| !is_forked() && is_attached(h) && !is_finalized(h));
    let Some(held) = held.filter(|_| !turn::is_away()) else { return };
    with(&held, |rt| {
        if rt.at_ps == at_ps && rt.at_ps >= rt.reported_ps + rt.tick_ps {
            rt.at_ps -= rt.tick_ps;
            LAST_KNOWN_PS.store(rt.at_ps, Ordering::Relaxed);
        }
    });
}

/// Whether this process has one thread, as its C library knows.
fn is_single_threaded() -> bool {
    // SAFETY: a zero-terminated name, of a byte that is there as long as the process.
    unsafe {
        let known = libc::dlsym(libc::RTLD_DEFAULT, c"__libc_single_threaded".as_ptr());
        !known.is_null() && known.cast::<u8>().read_volatile() != 0
    }
}

/// Threads may call MPI at any time, at once.
pub fn allow_threads(held: &Held) {
    threads::allow_many(held);
    with(held, |rt| rt.control().threads = 1);
}

/// "rank 3 on x1000c0s0b0n0: ", as far as this process has a seat.
pub fn log_prefix() -> String {
    LOG_PREFIX.get().cloned().unwrap_or_default()
}
