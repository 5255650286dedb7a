//! Requests: operations in flight, their completion, and the ways to wait for them.
//!
//! Every communicating function creates an `InFlight`: the tokens that the simulator will complete,
//! and a closure that then moves data to the user and returns the outcome. A blocking call waits
//! for it at once. A non-blocking call stores it in a request. A persistent request stores a
//! closure that creates it. An operation may have stages: its completion may start the next stage.

mod calls;

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use workload::wire::Completion;

use crate::abi::{Comm, Request, Status, c};
use crate::error::{Error, Result, fail};
use crate::init::thread_level;
use crate::runtime::{self, Guarded, Held};

/// The outcome of an operation.
pub(crate) struct Outcome {
    pub status: Status,
    pub error: Option<Error>,
    /// The next stage, if the operation is not complete: only the outcome of the last stage counts.
    /// A stage starts when the program tests or waits for this request, so no other rank may depend
    /// on it.
    pub next_stage: Option<Box<InFlight>>,
}

impl Outcome {
    /// The outcome of sends, collectives and inactive requests.
    pub fn empty() -> Outcome {
        let status = Status::new(c::ANY_SOURCE, c::ANY_TAG, c::SUCCESS);
        Outcome { status, error: None, next_stage: None }
    }
    pub fn message(source: c_int, tag: c_int, bytes: u64) -> Outcome {
        let mut status = Status::new(source, tag, c::SUCCESS);
        status.set_bytes(bytes);
        Outcome { status, ..Outcome::empty() }
    }
    pub fn proc_null() -> Outcome {
        Outcome::message(c::PROC_NULL, c::ANY_TAG, 0)
    }
    pub fn failed(error: Error) -> Outcome {
        Outcome { error: Some(error), ..Outcome::empty() }
    }
    pub fn result(self) -> Result {
        self.error.map_or(Ok(()), Err)
    }
}

pub(crate) type OnComplete = Box<dyn FnOnce(&Held, &[Completion]) -> Outcome>;

/// Submitted operations, and the closure to call when all are complete.
pub(crate) struct InFlight {
    pub tokens: Vec<u32>,
    pub on_complete: OnComplete,
}

impl InFlight {
    /// A completed operation, without tokens.
    pub fn completed(outcome: Outcome) -> InFlight {
        InFlight { tokens: Vec::new(), on_complete: Box::new(move |_, _| outcome) }
    }
    fn is_ready(&self, held: &Held) -> bool {
        self.tokens.iter().all(|&t| runtime::completion(held, t).is_some())
    }
    /// Called when all tokens are complete. Returns the outcome of this stage.
    pub fn complete(self, held: &Held) -> Outcome {
        let completions: Vec<Completion> = self
            .tokens
            .iter()
            .map(|&t| runtime::completion(held, t).expect("completed before its tokens were"))
            .collect();
        self.tokens.iter().for_each(|&t| runtime::release_token(held, t));
        (self.on_complete)(held, &completions)
    }
    /// The blocking form, through all stages.
    pub fn wait(self, held: &Held) -> Outcome {
        let mut in_flight = self;
        loop {
            wait_all(held, &in_flight.tokens);
            complete_orphans(held);
            let mut outcome = in_flight.complete(held);
            match outcome.next_stage.take() {
                Some(next) => in_flight = *next,
                None => return outcome,
            }
        }
    }
}

pub(crate) type Start = Rc<dyn Fn(&Held) -> InFlight>;

/// An operation that is more than tokens and a completion: the program marks or inquires about its
/// parts, or its tokens are shared.
pub(crate) trait Progress: Any {
    /// Starts a persistent operation, at each `MPI_Start`.
    fn start(&self, _held: &Held) {}
    fn persists(&self) -> bool {
        false
    }
    /// Processes completed tokens. Returns the outcome once the whole operation is complete.
    fn advance(&self, held: &Held) -> Option<Outcome>;
    /// Adds the tokens that it waits for. Returns whether it also waits for a call of the program.
    fn open(&self, held: &Held, tokens: &mut Vec<u32>) -> bool;
    /// Called when the request is freed while inactive: the remaining operation, whose outcome is
    /// ignored.
    fn abandon(&self) -> Option<InFlight> {
        None
    }
}

enum RequestState {
    /// Persistent, not started.
    Inactive,
    InFlight(InFlight),
    Completed(Outcome),
    Generalized(Generalized),
    /// In progress; the state is in `RequestEntry::progress`.
    Progressing,
}

struct Generalized {
    query: QueryFunction,
    free: FreeFunction,
    cancel: CancelFunction,
    extra: *mut c_void,
    complete: bool,
}

type QueryFunction = Option<unsafe extern "C" fn(*mut c_void, *mut Status) -> c_int>;
type FreeFunction = Option<unsafe extern "C" fn(*mut c_void) -> c_int>;
type CancelFunction = Option<unsafe extern "C" fn(*mut c_void, c_int) -> c_int>;

/// Which operations `MPI_Cancel` can cancel.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cancellable {
    Receive,
    /// Deprecated for sends. The message is never cancelled, which MPI allows. But a wait after the
    /// call must not depend on the receiver (MPI 5.0, 3.8.4). It need not, because the payload has
    /// been copied.
    Send,
    /// A synchronous send: only its receiver can complete it.
    Never,
    No,
}

struct RequestEntry {
    state: RequestState,
    start: Option<Start>,
    progress: Option<Rc<dyn Progress>>,
    cancellable: Cancellable,
    /// The communicator whose error handler is called.
    comm: Comm,
    /// Whether it counts as a record in use: MPICH has one shared request for operations that are
    /// complete from the start.
    counts: bool,
}

impl RequestEntry {
    fn persists(&self) -> bool {
        self.start.is_some() || self.progress.as_ref().is_some_and(|p| p.persists())
    }
    /// A started persistent request: the started operation uses a record of its own.
    fn is_started(&self) -> bool {
        self.persists() && !matches!(self.state, RequestState::Inactive)
    }
}

#[derive(Default)]
struct RequestTable {
    pending: Vec<Option<RequestEntry>>,
    free: Vec<u32>,
    /// Requests freed by the user while in flight. They are completed at the next wait, or when
    /// there are many.
    orphans: Vec<InFlight>,
    orphan_limit: usize,
    in_use: InUse,
}

/// Request records in use, counted as in MPICH: one per handle, and one more for a started
/// persistent request until the program has completed it.
#[derive(Default)]
struct InUse {
    now: u32,
    most: u32,
}

impl InUse {
    const fn none() -> InUse {
        InUse { now: 0, most: 0 }
    }
    /// Counts one more. Returns the number if it is a new maximum.
    fn take(&mut self) -> Option<u32> {
        self.now += 1;
        (self.now > self.most).then(|| {
            self.most = self.now;
            self.most
        })
    }
}

static TABLE: Guarded<RequestTable> = Guarded::new(RequestTable {
    pending: Vec::new(),
    free: Vec::new(),
    orphans: Vec::new(),
    orphan_limit: 0,
    in_use: InUse::none(),
});

/// Counts one more request record.
fn count(held: &Held) {
    let most = TABLE.get(held).in_use.take();
    if let Some(most) = most {
        runtime::most_requests(held, most);
    }
}

/// The started operation of a persistent request is about to complete.
fn uncount_started(held: &Held, slot: usize) {
    if with(held, slot, |p| p.is_started()) {
        TABLE.get(held).in_use.now -= 1;
    }
}

fn store(held: &Held, pending: RequestEntry) -> Request {
    if pending.counts {
        count(held);
    }
    let mut table = TABLE.get(held);
    match table.free.pop() {
        Some(slot) => {
            table.pending[slot as usize] = Some(pending);
            Request::created(slot)
        }
        None => {
            table.pending.push(Some(pending));
            Request::created(table.pending.len() as u32 - 1)
        }
    }
}

/// A request for an operation in flight.
pub(crate) fn in_flight_request(
    held: &Held,
    comm: Comm,
    cancellable: Cancellable,
    in_flight: InFlight,
) -> Request {
    let counts = !in_flight.tokens.is_empty();
    let state = RequestState::InFlight(in_flight);
    store(held, RequestEntry { state, start: None, progress: None, cancellable, comm, counts })
}
/// The same for a send that completes at once in the simulated library.
pub(crate) fn injected(held: &Held, comm: Comm, in_flight: InFlight) -> Request {
    let (state, cancellable) = (RequestState::InFlight(in_flight), Cancellable::Send);
    let counts = false;
    store(held, RequestEntry { state, start: None, progress: None, cancellable, comm, counts })
}
/// An inactive request that starts an operation whenever it is started.
pub(crate) fn persistent(
    held: &Held,
    comm: Comm,
    cancellable: Cancellable,
    start: impl Fn(&Held) -> InFlight + 'static,
) -> Request {
    let start: Option<Start> = Some(Rc::new(start));
    let state = RequestState::Inactive;
    let counts = true;
    store(held, RequestEntry { state, start, progress: None, cancellable, comm, counts })
}
/// A request for an operation with its own progress; inactive if it is persistent.
pub(crate) fn progressing(held: &Held, comm: Comm, progress: Rc<dyn Progress>) -> Request {
    let state =
        if progress.persists() { RequestState::Inactive } else { RequestState::Progressing };
    let (progress, cancellable) = (Some(progress), Cancellable::No);
    let counts = true;
    store(held, RequestEntry { state, start: None, progress, cancellable, comm, counts })
}
/// The operation behind a request, and whether it is active; `None` if it is of another type.
pub(crate) fn operation<T: Progress>(
    held: &Held,
    request: Request,
) -> Result<Option<(Rc<T>, bool)>> {
    let slot = slot_of(held, request)?.ok_or_else(|| invalid("the request is null"))?;
    let progress = with(held, slot, |p| p.progress.clone());
    let progress = progress.map(|progress| -> Rc<dyn Any> { progress });
    let Some(found) = progress.and_then(|progress| progress.downcast().ok()) else {
        return Ok(None);
    };
    advance(held, slot);
    Ok(Some((found, is_active(held, slot))))
}

/// Number of requests that are started and not completed.
pub(crate) fn active_requests(held: &Held) -> usize {
    let table = TABLE.get(held);
    let is_active = |p: &&RequestEntry| !matches!(p.state, RequestState::Inactive);
    table.pending.iter().flatten().filter(is_active).count()
}

/// Number of persistent requests that are neither started nor freed.
pub(crate) fn inactive_requests(held: &Held) -> usize {
    let table = TABLE.get(held);
    let is_inactive = |p: &&RequestEntry| matches!(p.state, RequestState::Inactive);
    table.pending.iter().flatten().filter(is_inactive).count()
}

fn invalid(why: &str) -> Error {
    Error::new(c::ERR_REQUEST, why)
}

/// The slot of a request; `None` for the null request.
fn slot_of(held: &Held, request: Request) -> Result<Option<usize>> {
    if request == c::REQUEST_NULL {
        return Ok(None);
    }
    let slot = request.slot().ok_or_else(|| {
        let more = crate::foreign::clause(crate::abi::Kind::Request, request.to_int());
        invalid(&format!("not a request{more}"))
    })? as usize;
    match TABLE.get(held).pending.get(slot) {
        Some(Some(_)) => Ok(Some(slot)),
        _ => Err(invalid("a request that has been freed or completed already")),
    }
}

fn with<R>(held: &Held, slot: usize, f: impl FnOnce(&mut RequestEntry) -> R) -> R {
    f(TABLE.get(held).pending[slot].as_mut().expect("checked by slot_of"))
}

/// Whether the request still exists. Another thread may have completed or freed it, although MPI
/// forbids that.
fn is_there(held: &Held, slot: usize) -> bool {
    TABLE.get(held).pending[slot].is_some()
}

fn is_active(held: &Held, slot: usize) -> bool {
    with(held, slot, |p| !matches!(p.state, RequestState::Inactive))
}

/// Completes what has arrived, and starts the next stage if there is one.
fn advance(held: &Held, slot: usize) {
    loop {
        let arrived =
            with(held, slot, |p| match std::mem::replace(&mut p.state, RequestState::Inactive) {
                RequestState::InFlight(in_flight) if in_flight.is_ready(held) => Some(in_flight),
                other => {
                    p.state = other;
                    None
                }
            });
        let Some(in_flight) = arrived else { break };
        let mut outcome = in_flight.complete(held);
        let state = match outcome.next_stage.take() {
            Some(next) => RequestState::InFlight(*next),
            None => RequestState::Completed(outcome),
        };
        with(held, slot, |p| p.state = state);
    }
    let progress = with(held, slot, |p| match p.state {
        RequestState::Progressing => p.progress.clone(),
        _ => None,
    });
    if let Some(outcome) = progress.and_then(|progress| progress.advance(held)) {
        with(held, slot, |p| p.state = RequestState::Completed(outcome));
    }
}

fn is_ready(held: &Held, slot: usize) -> bool {
    if !is_there(held, slot) {
        return true;
    }
    advance(held, slot);
    with(held, slot, |p| match &p.state {
        RequestState::Inactive | RequestState::Completed(_) => true,
        RequestState::InFlight(_) | RequestState::Progressing => false,
        RequestState::Generalized(g) => g.complete,
    })
}

/// Operations that `slots` still wait for.
#[derive(Default)]
struct Outstanding {
    tokens: Vec<u32>,
    /// A call that another thread has to make.
    calls: Option<&'static str>,
}

fn outstanding(held: &Held, slots: &[usize]) -> Outstanding {
    let mut found = Outstanding::default();
    for &slot in slots {
        if is_ready(held, slot) {
            continue;
        }
        with(held, slot, |p| match (&p.state, &p.progress) {
            (RequestState::InFlight(in_flight), _) => {
                let open = |t: &&u32| runtime::completion(held, **t).is_none();
                found.tokens.extend(in_flight.tokens.iter().filter(open));
            }
            (RequestState::Generalized(g), _) if !g.complete => {
                found.calls = Some("MPI_Grequest_complete of its request");
            }
            (RequestState::Progressing, Some(progress))
                if progress.open(held, &mut found.tokens) =>
            {
                found.calls = Some("MPI_Pready of a partition that was never marked ready");
            }
            _ => {}
        });
    }
    found
}

/// Admits other threads to MPI, if one of them has to make a call that this one waits for.
fn yield_to_threads(held: &Held, for_what: &str) {
    if thread_level(held) < c::THREAD_SERIALIZED {
        let why = format!("waits for {for_what}, and no other thread of it may call MPI");
        runtime::fatal(held, &why);
    }
    runtime::yield_to_threads(held);
}

/// Continues operations in the background as far as possible, and adds the tokens that they wait
/// for.
type Background = fn(&Held, &mut Vec<u32>);
static BACKGROUND: Guarded<Option<Background>> = Guarded::new(None);

/// Sets the function that continues operations of several stages while the rank waits for another
/// operation: other ranks may need their next stages.
pub(crate) fn set_background(held: &Held, proceed: Background) {
    *BACKGROUND.get(held) = Some(proceed);
}

fn background(held: &Held, tokens: &mut Vec<u32>) {
    let proceed = *BACKGROUND.get(held);
    if let Some(proceed) = proceed {
        proceed(held, tokens);
    }
}

/// Waits until all tokens are complete. Operations in the background continue.
pub(crate) fn wait_all(held: &Held, tokens: &[u32]) {
    let is_open = |token: &u32| runtime::completion(held, *token).is_none();
    let mut others = Vec::new();
    loop {
        background(held, &mut others);
        if others.is_empty() {
            return runtime::wait_all(held, tokens);
        }
        let open: Vec<u32> = tokens.iter().copied().filter(is_open).collect();
        if open.is_empty() {
            return;
        }
        others.extend(open);
        runtime::wait_any(held, &others);
        others.clear();
    }
}

/// Returns when every one of `slots` is ready.
fn await_all(held: &Held, slots: &[usize]) {
    loop {
        let Outstanding { tokens, calls } = outstanding(held, slots);
        if tokens.is_empty() && calls.is_none() {
            return;
        }
        wait_all(held, &tokens);
        if let (true, Some(calls)) = (tokens.is_empty(), calls) {
            yield_to_threads(held, calls);
        }
    }
}
/// Returns when at least one of `slots` is ready.
fn await_any(held: &Held, slots: &[usize]) {
    while !slots.iter().any(|&s| is_ready(held, s)) {
        match outstanding(held, slots) {
            Outstanding { mut tokens, calls: None } => {
                background(held, &mut tokens);
                runtime::wait_any(held, &tokens);
            }
            Outstanding { tokens, calls: Some(calls) } => {
                if !tokens.is_empty() {
                    runtime::poll(held, &tokens);
                }
                yield_to_threads(held, calls);
            }
        }
    }
}
/// Lets the simulator proceed, unless `enough` is true already; returns whether it is true then.
fn poll(held: &Held, slots: &[usize], enough: impl Fn() -> bool) -> bool {
    if enough() {
        return true;
    }
    let found = outstanding(held, slots);
    if found.tokens.is_empty() && found.calls.is_some() {
        runtime::yield_to_threads(held);
    } else {
        runtime::poll(held, &found.tokens);
    }
    enough()
}

/// Takes the outcome of a ready request. An ordinary request is then freed; a persistent one
/// becomes inactive.
fn finish(held: &Held, request: &mut Request, slot: usize) -> (Outcome, Comm) {
    // The first of two equal handles in a list has completed the request, or the first of two
    // threads that wait for it. The slot may even hold another request now.
    if !matches!(slot_of(held, *request), Ok(Some(_))) || !is_ready(held, slot) {
        let error = invalid("the request is twice in one list, or two threads wait for it");
        return (Outcome::failed(error), c::COMM_SELF);
    }
    uncount_started(held, slot);
    let (state, comm, persists) = with(held, slot, |p| {
        (std::mem::replace(&mut p.state, RequestState::Inactive), p.comm, p.persists())
    });
    let outcome = match state {
        RequestState::Inactive => Outcome::empty(),
        RequestState::Completed(outcome) => outcome,
        RequestState::InFlight(_) | RequestState::Progressing => {
            panic!("a request finished before it was ready")
        }
        RequestState::Generalized(g) => {
            let mut outcome = query(&g);
            let error = release(&g).err();
            outcome.error = outcome.error.or(error);
            outcome
        }
    };
    if !persists {
        forget(held, slot);
        *request = c::REQUEST_NULL;
    }
    (outcome, comm)
}

/// Calls the user's free function.
fn release(g: &Generalized) -> Result {
    let Some(free) = g.free else { return Ok(()) };
    // SAFETY: the user's function with the user's argument; no state is borrowed.
    match runtime::callback(|| unsafe { free(g.extra) }) {
        c::SUCCESS => Ok(()),
        code => fail!(code, "the free function returned it"),
    }
}

fn query(g: &Generalized) -> Outcome {
    let mut outcome = Outcome::empty();
    if let Some(query) = g.query {
        // SAFETY: the user's function with the user's argument and a status of the library's own.
        let code = runtime::callback(|| unsafe { query(g.extra, &mut outcome.status) });
        if code != c::SUCCESS {
            outcome.error = Some(Error::new(code, "the query function returned it"));
        }
    }
    outcome
}

fn forget(held: &Held, slot: usize) {
    let mut table = TABLE.get(held);
    let counts = table.pending[slot].take().is_some_and(|p| p.counts);
    table.free.push(slot as u32);
    table.in_use.now -= u32::from(counts);
}

/// No handle refers to the operation any more, but it holds memory until it completes.
fn orphan(held: &Held, in_flight: InFlight) {
    /// Orphans that are kept without a check.
    const FEW: usize = 64;
    let (count, orphan_limit) = {
        let mut table = TABLE.get(held);
        table.orphans.push(in_flight);
        (table.orphans.len(), table.orphan_limit)
    };
    if count >= orphan_limit {
        complete_orphans(held);
        let mut table = TABLE.get(held);
        table.orphan_limit = FEW.max(2 * table.orphans.len());
    }
}

fn complete_orphans(held: &Held) {
    if TABLE.get(held).orphans.is_empty() {
        return;
    }
    let orphans = std::mem::take(&mut TABLE.get(held).orphans);
    for in_flight in orphans {
        let mut stage = Some(in_flight);
        while let Some(in_flight) = stage.take() {
            if !in_flight.is_ready(held) {
                TABLE.get(held).orphans.push(in_flight);
                break;
            }
            stage = in_flight.complete(held).next_stage.map(|next| *next);
        }
    }
}

/// Writes the status of a single completion; its error field is left unchanged.
///
/// # Safety
/// `status` is `MPI_STATUS_IGNORE` or writable.
pub(crate) unsafe fn put_status(status: *mut Status, outcome: &Outcome) {
    if status as usize != c::STATUS_IGNORE {
        let mut new = outcome.status;
        unsafe {
            new.MPI_ERROR = (*status).MPI_ERROR;
            *status = new;
        }
    }
}

/// Writes the empty status of a null or inactive request, including the error field (MPI 5.0,
/// 3.7.3).
///
/// # Safety
/// `status` is `MPI_STATUS_IGNORE` or writable.
unsafe fn put_empty(status: *mut Status) {
    if status as usize != c::STATUS_IGNORE {
        unsafe { *status = Outcome::empty().status };
    }
}
