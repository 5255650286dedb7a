//! The calls on requests: wait, test, get status, start, cancel and free.

use std::ffi::{c_int, c_void};

use workload::wire::{Submission, kind};

use super::*;
use crate::abi::{Request, Status, c};
use crate::error::{Error, Result, fail};
use crate::export::mpi_fn;
use crate::runtime::{self, Held};

/// The requests of an array that are neither null nor inactive, by position.
struct Active {
    at: Vec<usize>,
    slots: Vec<usize>,
}

impl Active {
    /// The ready ones, after the simulator had a chance to complete them.
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
    complete_orphans(held);
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

/// Finishes several requests. If one failed, the error field of every status holds its result.
unsafe fn finish_many(
    held: &Held,
    requests: *mut Request,
    done: impl Iterator<Item = (usize, usize, usize)>,
    statuses: *mut Status,
) -> Result {
    let ignored = statuses as usize == c::STATUSES_IGNORE;
    let mut failed = None;
    let mut completed = Vec::new();
    for (row, at, slot) in done {
        let (outcome, comm) = finish(held, unsafe { &mut *requests.add(at) }, slot);
        if !ignored {
            unsafe { put_status(statuses.add(row), &outcome) };
        }
        let class = outcome.error.as_ref().map_or(c::SUCCESS, |e| e.code);
        completed.push((row, class));
        if let Some(error) = outcome.error {
            failed.get_or_insert((comm, error));
        }
    }
    let Some((comm, error)) = failed else { return Ok(()) };
    if ignored {
        return Err(error.on(comm));
    }
    for (row, class) in completed {
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
                complete_orphans(held);
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
                complete_orphans(held);
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
        let is_busy = |p: &mut RequestEntry| {
            p.persists() && matches!(p.state, RequestState::Progressing)
        };
        if with(held, slot, is_busy) {
            return Err(invalid("an active request of partitioned communication cannot be freed"));
        }
        uncount_started(held, slot);
        let (state, progress) = with(held, slot, |p| {
            (std::mem::replace(&mut p.state, RequestState::Inactive), p.progress.clone())
        });
        let mut released = Ok(());
        match state {
            RequestState::InFlight(in_flight) => orphan(held, in_flight),
            RequestState::Generalized(g) => released = release(&g),
            _ => progress.and_then(|p| p.abandon()).into_iter().for_each(|f| orphan(held, f)),
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
            RequestState::Generalized(Generalized { query, free, cancel, extra, complete: false });
        let (cancellable, comm) = (Cancellable::No, c::COMM_SELF);
        let counts = true;
        let (start, progress) = (None, None);
        let pending = RequestEntry { state, start, progress, cancellable, comm, counts };
        unsafe { *request = store(held, pending) };
        Ok(())
    }

    pub fn Grequest_complete(request: Request) {
        let held = &runtime::enter()?;
        let slot = slot_of(held, request)?.ok_or_else(|| invalid("the null request"))?;
        with(held, slot, |p| match &mut p.state {
            RequestState::Generalized(g) => {
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

/// The status of a ready request; the request is left for the call that will finish it.
fn peek(held: &Held, slot: usize) -> Outcome {
    let state = with(held, slot, |p| std::mem::replace(&mut p.state, RequestState::Inactive));
    let status = match &state {
        RequestState::Completed(outcome) => outcome.status,
        RequestState::Generalized(g) => query(g).status,
        RequestState::Inactive | RequestState::InFlight(_) | RequestState::Progressing => {
            Outcome::empty().status
        }
    };
    with(held, slot, |p| p.state = state);
    Outcome { status, ..Outcome::empty() }
}

fn start(held: &Held, request: Request) -> Result {
    let slot = slot_of(held, request)?.ok_or_else(|| invalid("the null request"))?;
    if is_active(held, slot) {
        let comm = with(held, slot, |p| p.comm);
        return Err(invalid("the request is active already").on(comm));
    }
    let state = match with(held, slot, |p| (p.start.clone(), p.progress.clone())) {
        (Some(start), _) => RequestState::InFlight(start(held)),
        (None, Some(progress)) => {
            progress.start(held);
            RequestState::Progressing
        }
        (None, None) => return Err(invalid("not a persistent request")),
    };
    with(held, slot, |p| p.state = state);
    count(held);
    Ok(())
}

fn cancel(held: &Held, slot: usize) -> Result {
    enum Cancellation {
        Receive(u32),
        Send,
        Nothing,
        Generalized(CancelFunction, *mut c_void, bool),
        Refused,
    }
    let what = with(held, slot, |p| match (&p.state, p.cancellable) {
        (RequestState::InFlight(f), Cancellable::Receive) if f.tokens.len() == 1 => {
            Cancellation::Receive(f.tokens[0])
        }
        (RequestState::InFlight(_), Cancellable::Send) => Cancellation::Send,
        (RequestState::InFlight(_) | RequestState::Completed(_), cancellable)
            if cancellable != Cancellable::No =>
        {
            Cancellation::Nothing
        }
        (RequestState::Generalized(g), _) => {
            Cancellation::Generalized(g.cancel, g.extra, g.complete)
        }
        _ => Cancellation::Refused,
    });
    match what {
        Cancellation::Receive(other) if runtime::completion(held, other).is_none() => {
            let token = runtime::token(held);
            let kind = kind::CANCEL;
            runtime::submit(held, Submission { kind, token, other, ..Submission::default() });
            runtime::wait_all(held, &[token]);
            runtime::release_token(held, token);
            Ok(())
        }
        Cancellation::Receive(_) | Cancellation::Nothing => Ok(()),
        Cancellation::Send => {
            let completed = RequestState::Completed(Outcome::empty());
            let state = with(held, slot, |p| std::mem::replace(&mut p.state, completed));
            if let RequestState::InFlight(in_flight) = state {
                orphan(held, in_flight);
            }
            Ok(())
        }
        Cancellation::Generalized(function, extra, complete) => {
            let Some(function) = function else { return Ok(()) };
            // SAFETY: the user's function with the user's argument; no state is borrowed.
            match runtime::callback(|| unsafe { function(extra, c_int::from(complete)) }) {
                c::SUCCESS => Ok(()),
                code => fail!(code, "the cancel function returned it"),
            }
        }
        Cancellation::Refused => {
            Err(invalid("an inactive request or a collective cannot be cancelled"))
        }
    }
}
