//! Requests: operations in flight, what happens when they land, and the ways to wait for them.
//!
//! A `Flight` is what every communicating function makes: the tokens the simulator will complete
//! and a closure that then moves bytes to the user and says what came of it. A blocking call waits
//! for its flight on the spot; a non-blocking one keeps it in a `Request`; a persistent one keeps a
//! closure that makes flights.

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use workload::wire::{Completion, Submission, kind};

use crate::abi::{Comm, Request, Status, c};
use crate::error::{Error, Result, fail};
use crate::export::mpi_fn;
use crate::runtime::{self, Guarded, Held};

/// What came of an operation.
pub(crate) struct Outcome {
    pub status: Status,
    pub error: Option<Error>,
}

impl Outcome {
    /// Sends, collectives, inactive requests.
    pub fn empty() -> Outcome {
        Outcome { status: Status::new(c::ANY_SOURCE, c::ANY_TAG, c::SUCCESS), error: None }
    }
    pub fn message(source: c_int, tag: c_int, bytes: u64) -> Outcome {
        let mut status = Status::new(source, tag, c::SUCCESS);
        status.set_bytes(bytes);
        Outcome { status, error: None }
    }
    pub fn proc_null() -> Outcome {
        Outcome::message(c::PROC_NULL, c::ANY_TAG, 0)
    }
    pub fn result(self) -> Result {
        self.error.map_or(Ok(()), Err)
    }
}

pub(crate) type Land = Box<dyn FnOnce(&Held, &[Completion]) -> Outcome>;

/// Submitted operations and what to do when all are done.
pub(crate) struct Flight {
    pub tokens: Vec<u32>,
    pub land: Land,
}

impl Flight {
    /// Nothing to wait for.
    pub fn landed(outcome: Outcome) -> Flight {
        Flight { tokens: Vec::new(), land: Box::new(move |_, _| outcome) }
    }
    fn is_ready(&self, held: &Held) -> bool {
        self.tokens.iter().all(|&t| runtime::completion(held, t).is_some())
    }
    /// All tokens are done.
    pub fn land(self, held: &Held) -> Outcome {
        let completions: Vec<Completion> = self
            .tokens
            .iter()
            .map(|&t| runtime::completion(held, t).expect("landed before it was done"))
            .collect();
        self.tokens.iter().for_each(|&t| runtime::release_token(held, t));
        (self.land)(held, &completions)
    }
    /// The blocking form.
    pub fn wait(self, held: &Held) -> Outcome {
        runtime::wait_all(held, &self.tokens);
        land_orphans(held);
        self.land(held)
    }
}

pub(crate) type Start = Rc<dyn Fn(&Held) -> Flight>;

enum State {
    /// Persistent, not started.
    Inactive,
    Flying(Flight),
    Landed(Outcome),
    Generalized(Generalized),
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

/// What `MPI_Cancel` may take back.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cancellable {
    Receive,
    /// Deprecated for sends; they are always too late, which MPI allows.
    Send,
    No,
}

struct Pending {
    state: State,
    start: Option<Start>,
    cancellable: Cancellable,
    /// Whose error handler hears of what goes wrong.
    comm: Comm,
}

#[derive(Default)]
struct Table {
    pending: Vec<Option<Pending>>,
    free: Vec<u32>,
    /// Freed by the user while in flight: landed when somebody next waits.
    orphans: Vec<Flight>,
}

static TABLE: Guarded<Table> =
    Guarded::new(Table { pending: Vec::new(), free: Vec::new(), orphans: Vec::new() });

fn store(held: &Held, pending: Pending) -> Request {
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

/// A request for a flight that has started.
pub(crate) fn flying(held: &Held, comm: Comm, cancellable: Cancellable, flight: Flight) -> Request {
    store(held, Pending { state: State::Flying(flight), start: None, cancellable, comm })
}
/// An inactive request that makes a flight whenever it is started.
pub(crate) fn persistent(
    held: &Held,
    comm: Comm,
    cancellable: Cancellable,
    start: impl Fn(&Held) -> Flight + 'static,
) -> Request {
    let start: Option<Start> = Some(Rc::new(start));
    store(held, Pending { state: State::Inactive, start, cancellable, comm })
}

fn invalid(why: &str) -> Error {
    Error::new(c::ERR_REQUEST, why)
}

/// `None`: the null request.
fn slot_of(held: &Held, request: Request) -> Result<Option<usize>> {
    if request == c::REQUEST_NULL {
        return Ok(None);
    }
    let slot = request.slot().ok_or_else(|| invalid("not a request"))? as usize;
    match TABLE.get(held).pending.get(slot) {
        Some(Some(_)) => Ok(Some(slot)),
        _ => Err(invalid("a request that has been freed or completed already")),
    }
}

fn with<R>(held: &Held, slot: usize, f: impl FnOnce(&mut Pending) -> R) -> R {
    f(TABLE.get(held).pending[slot].as_mut().expect("checked by slot_of"))
}

fn is_active(held: &Held, slot: usize) -> bool {
    with(held, slot, |p| !matches!(p.state, State::Inactive))
}

fn is_ready(held: &Held, slot: usize) -> bool {
    with(held, slot, |p| match &p.state {
        State::Inactive | State::Landed(_) => true,
        State::Flying(flight) => flight.is_ready(held),
        State::Generalized(g) => g.complete,
    })
}

/// Tokens of `slots` that are not done, and whether another thread must complete something.
fn outstanding(held: &Held, slots: &[usize]) -> (Vec<u32>, bool) {
    let (mut tokens, mut generalized) = (Vec::new(), false);
    for &slot in slots {
        with(held, slot, |p| match &p.state {
            State::Flying(flight) => {
                let open = |t: &&u32| runtime::completion(held, **t).is_none();
                tokens.extend(flight.tokens.iter().filter(open));
            }
            State::Generalized(g) => generalized |= !g.complete,
            State::Inactive | State::Landed(_) => {}
        });
    }
    (tokens, generalized)
}

/// Until every one of `slots` is ready.
fn await_all(held: &Held, slots: &[usize]) {
    loop {
        let (tokens, generalized) = outstanding(held, slots);
        if tokens.is_empty() && !generalized {
            return;
        }
        runtime::wait_all(held, &tokens);
        if generalized {
            runtime::step_aside(held);
        }
    }
}
/// Until at least one of `slots` is ready.
fn await_any(held: &Held, slots: &[usize]) {
    while !slots.iter().any(|&s| is_ready(held, s)) {
        match outstanding(held, slots) {
            (tokens, false) => runtime::wait_any(held, &tokens),
            (tokens, true) => {
                runtime::poll(held, &tokens);
                runtime::step_aside(held);
            }
        }
    }
}
/// Gives the simulator a chance, unless `enough` holds already; then whether it does.
fn poll(held: &Held, slots: &[usize], enough: impl Fn() -> bool) -> bool {
    if enough() {
        return true;
    }
    let (tokens, generalized) = outstanding(held, slots);
    if tokens.is_empty() && generalized {
        runtime::step_aside(held);
    } else {
        runtime::poll(held, &tokens);
    }
    enough()
}

/// Takes what came of a ready request. An ordinary one is gone after; a persistent one inactive.
fn finish(held: &Held, request: &mut Request, slot: usize) -> (Outcome, Comm) {
    let (state, comm, persists) = with(held, slot, |p| {
        (std::mem::replace(&mut p.state, State::Inactive), p.comm, p.start.is_some())
    });
    let outcome = match state {
        State::Inactive => Outcome::empty(),
        State::Landed(outcome) => outcome,
        State::Flying(flight) => flight.land(held),
        State::Generalized(g) => {
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

/// The user's clean-up.
fn release(g: &Generalized) -> Result {
    let Some(free) = g.free else { return Ok(()) };
    // SAFETY: the user's function with the user's argument; no state is borrowed.
    match unsafe { free(g.extra) } {
        c::SUCCESS => Ok(()),
        code => fail!(code, "the free function says so"),
    }
}

fn query(g: &Generalized) -> Outcome {
    let mut outcome = Outcome::empty();
    if let Some(query) = g.query {
        // SAFETY: the user's function with the user's argument and a status of ours.
        let code = unsafe { query(g.extra, &mut outcome.status) };
        if code != c::SUCCESS {
            outcome.error = Some(Error::new(code, "the query function says so"));
        }
    }
    outcome
}

fn forget(held: &Held, slot: usize) {
    let mut table = TABLE.get(held);
    table.pending[slot] = None;
    table.free.push(slot as u32);
}

fn land_orphans(held: &Held) {
    if TABLE.get(held).orphans.is_empty() {
        return;
    }
    let orphans = std::mem::take(&mut TABLE.get(held).orphans);
    for flight in orphans {
        if flight.is_ready(held) {
            flight.land(held);
        } else {
            TABLE.get(held).orphans.push(flight);
        }
    }
}

/// Writes a status as a single completion does: its error field stays the user's.
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

/// Writes the status of a request that does not wait for anything: all of it (MPI 5.0, 3.7.3).
///
/// # Safety
/// `status` is `MPI_STATUS_IGNORE` or writable.
unsafe fn put_empty(status: *mut Status) {
    if status as usize != c::STATUS_IGNORE {
        unsafe { *status = Outcome::empty().status };
    }
}

/// The requests of an array that are neither null nor inactive, by position.
struct Active {
    at: Vec<usize>,
    slots: Vec<usize>,
}

impl Active {
    /// Which of them are ready, once the simulator has had a chance.
    fn ready_after_poll(&self, held: &Held) -> Vec<usize> {
        let ready = || (0..self.slots.len()).filter(|&i| is_ready(held, self.slots[i]));
        if !self.slots.is_empty() {
            poll(held, &self.slots, || ready().next().is_some());
        }
        ready().collect()
    }
}

unsafe fn active(held: &Held, count: c_int, requests: *mut Request) -> Result<Active> {
    if count < 0 {
        return Err(Error::new(c::ERR_COUNT, format!("{count} requests")));
    }
    let mut active = Active { at: Vec::new(), slots: Vec::new() };
    for i in 0..count as usize {
        if let Some(slot) = slot_of(held, unsafe { *requests.add(i) })?
            && is_active(held, slot)
        {
            active.at.push(i);
            active.slots.push(slot);
        }
    }
    land_orphans(held);
    Ok(active)
}

/// Finishes one request for a single-completion call.
unsafe fn finish_one(
    held: &Held,
    request: *mut Request,
    slot: usize,
    status: *mut Status,
) -> Result {
    let (outcome, comm) = finish(held, unsafe { &mut *request }, slot);
    unsafe { put_status(status, &outcome) };
    outcome.result().map_err(|e| e.on(comm))
}

/// Finishes several. Where one failed, every status says in its error field what became of it.
unsafe fn finish_many(
    held: &Held,
    requests: *mut Request,
    done: impl Iterator<Item = (usize, usize, usize)>,
    statuses: *mut Status,
) -> Result {
    let ignored = statuses as usize == c::STATUSES_IGNORE;
    let mut failed = None;
    let mut landed = Vec::new();
    for (row, at, slot) in done {
        let (outcome, comm) = finish(held, unsafe { &mut *requests.add(at) }, slot);
        if !ignored {
            unsafe { put_status(statuses.add(row), &outcome) };
        }
        let class = outcome.error.as_ref().map_or(c::SUCCESS, |e| e.code);
        landed.push((row, class));
        if let Some(error) = outcome.error {
            failed.get_or_insert((comm, error));
        }
    }
    let Some((comm, error)) = failed else { return Ok(()) };
    if ignored {
        return Err(error.on(comm));
    }
    for (row, class) in landed {
        unsafe { (*statuses.add(row)).MPI_ERROR = class };
    }
    Err(Error { code: c::ERR_IN_STATUS, ..error.on(comm) })
}

mpi_fn! {
    pub fn Wait(request: *mut Request, status: *mut Status) {
        let held = &runtime::enter()?;
        match slot_of(held, unsafe { *request })? {
            Some(slot) if is_active(held, slot) => {
                await_all(held, &[slot]);
                land_orphans(held);
                unsafe { finish_one(held, request, slot, status) }
            }
            _ => {
                unsafe { put_empty(status) };
                Ok(())
            }
        }
    }

    pub fn Test(request: *mut Request, flag: *mut c_int, status: *mut Status) {
        let held = &runtime::enter()?;
        match slot_of(held, unsafe { *request })? {
            Some(slot) if is_active(held, slot) => {
                land_orphans(held);
                let ready = poll(held, &[slot], || is_ready(held, slot));
                unsafe { *flag = c_int::from(ready) };
                if ready { unsafe { finish_one(held, request, slot, status) } } else { Ok(()) }
            }
            _ => {
                unsafe {
                    *flag = 1;
                    put_empty(status);
                }
                Ok(())
            }
        }
    }

    pub fn Waitall(count: c_int, requests: *mut Request, statuses: *mut Status) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests)? };
        await_all(held, &active.slots);
        unsafe { finish_all(held, count, requests, &active, statuses) }
    }

    pub fn Testall(count: c_int, requests: *mut Request, flag: *mut c_int, statuses: *mut Status) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests)? };
        let all = || active.slots.iter().all(|&s| is_ready(held, s));
        let ready = poll(held, &active.slots, all);
        unsafe { *flag = c_int::from(ready) };
        if ready { unsafe { finish_all(held, count, requests, &active, statuses) } } else { Ok(()) }
    }

    pub fn Waitany(
        count: c_int, requests: *mut Request, index: *mut c_int, status: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests)? };
        if !active.slots.is_empty() {
            await_any(held, &active.slots);
        }
        let mut flag = 0;
        unsafe { finish_any(held, requests, &active, index, &mut flag, status) }
    }

    pub fn Testany(
        count: c_int, requests: *mut Request, index: *mut c_int, flag: *mut c_int,
        status: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests)? };
        if !active.slots.is_empty() {
            poll(held, &active.slots, || active.slots.iter().any(|&s| is_ready(held, s)));
        }
        unsafe { finish_any(held, requests, &active, index, flag, status) }
    }

    pub fn Waitsome(
        count: c_int, requests: *mut Request, outcount: *mut c_int, indices: *mut c_int,
        statuses: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests)? };
        if !active.slots.is_empty() {
            await_any(held, &active.slots);
        }
        unsafe { finish_some(held, requests, &active, outcount, indices, statuses) }
    }

    pub fn Testsome(
        count: c_int, requests: *mut Request, outcount: *mut c_int, indices: *mut c_int,
        statuses: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests)? };
        if !active.slots.is_empty() {
            poll(held, &active.slots, || active.slots.iter().any(|&s| is_ready(held, s)));
        }
        unsafe { finish_some(held, requests, &active, outcount, indices, statuses) }
    }

    pub fn Request_free(request: *mut Request) {
        let held = &runtime::enter()?;
        let null = || invalid("the null request cannot be freed");
        let slot = slot_of(held, unsafe { *request })?.ok_or_else(null)?;
        let state = with(held, slot, |p| std::mem::replace(&mut p.state, State::Inactive));
        let mut released = Ok(());
        match state {
            State::Flying(flight) => TABLE.get(held).orphans.push(flight),
            State::Generalized(g) => released = release(&g),
            _ => {}
        }
        forget(held, slot);
        unsafe { *request = c::REQUEST_NULL };
        released
    }

    pub fn Request_get_status(request: Request, flag: *mut c_int, status: *mut Status) {
        let held = &runtime::enter()?;
        let Some(slot) = slot_of(held, request)? else {
            unsafe {
                *flag = 1;
                put_empty(status);
            }
            return Ok(());
        };
        let ready = poll(held, &[slot], || is_ready(held, slot));
        unsafe { *flag = c_int::from(ready) };
        if ready {
            unsafe { put_status(status, &peek(held, slot)) };
        }
        Ok(())
    }

    pub fn Request_get_status_all(
        count: c_int, requests: *const Request, flag: *mut c_int, statuses: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests.cast_mut())? };
        let all = || active.slots.iter().all(|&s| is_ready(held, s));
        let ready = poll(held, &active.slots, all);
        unsafe { *flag = c_int::from(ready) };
        if ready && statuses as usize != c::STATUSES_IGNORE {
            for i in 0..count as usize {
                let outcome = match slot_of(held, unsafe { *requests.add(i) })? {
                    Some(slot) => peek(held, slot),
                    None => Outcome::empty(),
                };
                unsafe { put_status(statuses.add(i), &outcome) };
            }
        }
        Ok(())
    }

    pub fn Request_get_status_any(
        count: c_int, requests: *const Request, index: *mut c_int, flag: *mut c_int,
        status: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests.cast_mut())? };
        let ready = active.ready_after_poll(held);
        unsafe {
            *flag = c_int::from(active.slots.is_empty() || !ready.is_empty());
            *index = ready.first().map_or(c::UNDEFINED, |&i| active.at[i] as c_int);
            match ready.first() {
                Some(&i) => put_status(status, &peek(held, active.slots[i])),
                None if active.slots.is_empty() => put_empty(status),
                None => {}
            }
        }
        Ok(())
    }

    pub fn Request_get_status_some(
        count: c_int, requests: *const Request, outcount: *mut c_int, indices: *mut c_int,
        statuses: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let active = unsafe { active(held, count, requests.cast_mut())? };
        let ready = active.ready_after_poll(held);
        let none = active.slots.is_empty();
        unsafe {
            *outcount = if none { c::UNDEFINED } else { ready.len() as c_int };
            for (row, &i) in ready.iter().enumerate() {
                *indices.add(row) = active.at[i] as c_int;
                if statuses as usize != c::STATUSES_IGNORE {
                    put_status(statuses.add(row), &peek(held, active.slots[i]));
                }
            }
        }
        Ok(())
    }

    pub fn Start(request: *mut Request) {
        let held = &runtime::enter()?;
        start(held, unsafe { *request })
    }

    pub fn Startall(count: c_int, requests: *mut Request) {
        let held = &runtime::enter()?;
        (0..count.max(0) as usize).try_for_each(|i| start(held, unsafe { *requests.add(i) }))
    }

    pub fn Cancel(request: *mut Request) {
        let held = &runtime::enter()?;
        let null = || invalid("the null request cannot be cancelled");
        let slot = slot_of(held, unsafe { *request })?.ok_or_else(null)?;
        cancel(held, slot)
    }

    pub fn Grequest_start(
        query: QueryFunction, free: FreeFunction, cancel: CancelFunction, extra: *mut c_void,
        request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let state =
            State::Generalized(Generalized { query, free, cancel, extra, complete: false });
        let (cancellable, comm) = (Cancellable::No, c::COMM_SELF);
        unsafe { *request = store(held, Pending { state, start: None, cancellable, comm }) };
        Ok(())
    }

    pub fn Grequest_complete(request: Request) {
        let held = &runtime::enter()?;
        let slot = slot_of(held, request)?.ok_or_else(|| invalid("the null request"))?;
        with(held, slot, |p| match &mut p.state {
            State::Generalized(g) => {
                g.complete = true;
                Ok(())
            }
            _ => Err(invalid("not a generalized request")),
        })
    }
}

unsafe fn finish_all(
    held: &Held,
    count: c_int,
    requests: *mut Request,
    active: &Active,
    statuses: *mut Status,
) -> Result {
    if statuses as usize != c::STATUSES_IGNORE {
        for i in 0..count as usize {
            unsafe { put_empty(statuses.add(i)) };
        }
    }
    let done = active.at.iter().zip(&active.slots).map(|(&at, &slot)| (at, at, slot));
    unsafe { finish_many(held, requests, done, statuses) }
}

unsafe fn finish_any(
    held: &Held,
    requests: *mut Request,
    active: &Active,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut Status,
) -> Result {
    let ready = active.slots.iter().position(|&s| is_ready(held, s));
    unsafe {
        *flag = c_int::from(ready.is_some() || active.slots.is_empty());
        *index = ready.map_or(c::UNDEFINED, |i| active.at[i] as c_int);
        match ready {
            Some(i) => finish_one(held, requests.add(active.at[i]), active.slots[i], status),
            None => {
                if active.slots.is_empty() {
                    put_empty(status);
                }
                Ok(())
            }
        }
    }
}

unsafe fn finish_some(
    held: &Held,
    requests: *mut Request,
    active: &Active,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut Status,
) -> Result {
    if active.slots.is_empty() {
        unsafe { *outcount = c::UNDEFINED };
        return Ok(());
    }
    let ready: Vec<(usize, usize)> = (active.at.iter().zip(&active.slots))
        .filter(|(_, slot)| is_ready(held, **slot))
        .map(|(&at, &slot)| (at, slot))
        .collect();
    unsafe { *outcount = ready.len() as c_int };
    for (row, (at, _)) in ready.iter().enumerate() {
        unsafe { *indices.add(row) = *at as c_int };
    }
    let done = ready.iter().enumerate().map(|(row, &(at, slot))| (row, at, slot));
    unsafe { finish_many(held, requests, done, statuses) }
}

/// The outcome of a ready request, which stays as it is for the call that will finish it.
fn peek(held: &Held, slot: usize) -> Outcome {
    let state = with(held, slot, |p| std::mem::replace(&mut p.state, State::Inactive));
    let (state, status) = match state {
        State::Inactive => (State::Inactive, Outcome::empty().status),
        State::Landed(outcome) => {
            let status = outcome.status;
            (State::Landed(outcome), status)
        }
        State::Flying(flight) => {
            let outcome = flight.land(held);
            let status = outcome.status;
            (State::Landed(outcome), status)
        }
        State::Generalized(g) => {
            let status = query(&g).status;
            (State::Generalized(g), status)
        }
    };
    with(held, slot, |p| p.state = state);
    Outcome { status, error: None }
}

fn start(held: &Held, request: Request) -> Result {
    let slot = slot_of(held, request)?.ok_or_else(|| invalid("the null request"))?;
    if is_active(held, slot) {
        return Err(invalid("the request is active already"));
    }
    let start = with(held, slot, |p| p.start.clone());
    let start = start.ok_or_else(|| invalid("not a persistent request"))?;
    let flight = start(held);
    with(held, slot, |p| p.state = State::Flying(flight));
    Ok(())
}

fn cancel(held: &Held, slot: usize) -> Result {
    enum What {
        Receive(u32),
        Nothing,
        Generalized(CancelFunction, *mut c_void, bool),
        Refused,
    }
    let what = with(held, slot, |p| match (&p.state, p.cancellable) {
        (State::Flying(f), Cancellable::Receive) if f.tokens.len() == 1 => {
            What::Receive(f.tokens[0])
        }
        (State::Flying(_) | State::Landed(_), Cancellable::Receive | Cancellable::Send) => {
            What::Nothing
        }
        (State::Generalized(g), _) => What::Generalized(g.cancel, g.extra, g.complete),
        _ => What::Refused,
    });
    match what {
        What::Receive(other) if runtime::completion(held, other).is_none() => {
            let token = runtime::token(held);
            let kind = kind::CANCEL;
            runtime::submit(held, Submission { kind, token, other, ..Submission::default() });
            runtime::wait_all(held, &[token]);
            runtime::release_token(held, token);
            Ok(())
        }
        What::Receive(_) | What::Nothing => Ok(()),
        What::Generalized(function, extra, complete) => {
            let Some(function) = function else { return Ok(()) };
            // SAFETY: the user's function with the user's argument; no state is borrowed.
            match unsafe { function(extra, c_int::from(complete)) } {
                c::SUCCESS => Ok(()),
                code => fail!(code, "the cancel function says so"),
            }
        }
        What::Refused => Err(invalid("an inactive request or a collective cannot be cancelled")),
    }
}
