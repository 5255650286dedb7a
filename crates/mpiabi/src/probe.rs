//! Probes, matched probes, and receives of matched messages.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use workload::wire::{Completion, Submission, flag, kind};

use crate::abi::{Comm, Datatype, Message, Request, Status, c};
use crate::buffer::Buffer;
use crate::comm::{self, Communicator};
use crate::error::{Result, fail};
use crate::export::mpi_fn;
use crate::p2p::{self, Source};
use crate::request::{self, Cancellable, InFlight, Outcome, put_status};
use crate::runtime::{self, Guarded, Held};

/// A message that a matched probe has reserved for this process.
struct MatchedMessage {
    /// The probe's token identifies the message until it is received.
    token: u32,
    comm: Arc<Communicator>,
    handle: Comm,
}

static MATCHED: Guarded<(Vec<Option<MatchedMessage>>, Vec<u32>)> =
    Guarded::new((Vec::new(), Vec::new()));

fn store(held: &Held, matched: MatchedMessage) -> Message {
    let (slots, free) = &mut *MATCHED.get(held);
    match free.pop() {
        Some(slot) => {
            slots[slot as usize] = Some(matched);
            Message::created(slot)
        }
        None => {
            slots.push(Some(matched));
            Message::created(slots.len() as u32 - 1)
        }
    }
}

fn take(held: &Held, message: Message) -> Result<MatchedMessage> {
    let (slots, free) = &mut *MATCHED.get(held);
    let slot = message.slot().filter(|&s| slots.get(s as usize).is_some_and(Option::is_some));
    let Some(slot) = slot else {
        let more = crate::foreign::clause(crate::abi::Kind::Message, message.to_int());
        return fail!(c::ERR_REQUEST, "not a message, or it has been received already{more}");
    };
    free.push(slot);
    Ok(slots[slot as usize].take().expect("checked above"))
}

/// Submits a probe. With `flag::TAKE` the token stays in use for a message that was found.
fn submit_probe(
    held: &Held,
    comm: &Communicator,
    peer: u32,
    tag: c_int,
    flags: u32,
) -> Option<(u32, Completion)> {
    let (kind, context) = (kind::PROBE, comm.context);
    let probe_key = (peer, tag, context);
    if flags & flag::WAIT == 0 && runtime::repeats_failed_probe(held, probe_key) {
        return None;
    }
    let token = runtime::token(held);
    runtime::submit(
        held,
        Submission { kind, flags, token, peer, tag, context, ..Submission::default() },
    );
    request::wait_all(held, &[token]);
    let completion = runtime::completion(held, token).expect("waited for");
    let found = (completion.status == 0).then_some(completion);
    if flags & flag::TAKE == 0 || found.is_none() {
        runtime::release_token(held, token);
    }
    if found.is_none() {
        runtime::record_failed_probe(held, probe_key);
    }
    found.map(|completion| (token, completion))
}

/// Whether a matching message has arrived; writes its status.
fn probe(
    held: &Held,
    (source, tag): (c_int, c_int),
    comm: Comm,
    flags: u32,
    message: Option<*mut Message>,
    status: *mut Status,
) -> Result<bool> {
    let at = comm::find(comm)?;
    let (from, tag) = p2p::envelope(held, source, tag, &at)?;
    let outcome = match from {
        Source::ProcNull => {
            if let Some(message) = message {
                unsafe { *message = c::MESSAGE_NO_PROC };
            }
            Outcome::proc_null()
        }
        Source::Rank(peer) => {
            let flags = flags | if message.is_some() { flag::TAKE } else { 0 };
            let Some((token, completion)) = submit_probe(held, &at, peer, tag, flags) else {
                if let Some(message) = message {
                    unsafe { *message = c::MESSAGE_NULL };
                }
                return Ok(false);
            };
            let outcome = p2p::found(&at, &completion);
            if let Some(message) = message {
                let matched = MatchedMessage { token, comm: at, handle: comm };
                unsafe { *message = store(held, matched) };
            }
            outcome
        }
    };
    unsafe { put_status(status, &outcome) };
    Ok(true)
}

/// Starts the receive of a matched message; also returns its communicator.
fn receive(held: &Held, buffer: Buffer, message: *mut Message) -> Result<(InFlight, Comm)> {
    let handle = unsafe { *message };
    if handle == c::MESSAGE_NO_PROC {
        unsafe { *message = c::MESSAGE_NULL };
        return Ok((InFlight::completed(Outcome::proc_null()), c::COMM_SELF));
    }
    let matched = take(held, handle)?;
    unsafe { *message = c::MESSAGE_NULL };
    let token = runtime::token(held);
    let (kind, other, context) = (kind::MATCHED_RECV, matched.token, matched.comm.context);
    let (bytes, recv_layout) = (buffer.bytes(), buffer.noncontiguous());
    runtime::submit(
        held,
        Submission { kind, token, other, context, bytes, recv_layout, ..Submission::default() },
    );
    let on_complete = move |held: &Held, done: &[Completion]| {
        runtime::release_token(held, other);
        p2p::deliver(held, &buffer, &matched.comm, &done[0])
    };
    Ok((InFlight { tokens: vec![token], on_complete: Box::new(on_complete) }, matched.handle))
}

mpi_fn! {
    pub fn Probe(source: c_int, tag: c_int, comm: Comm, status: *mut Status) {
        probe(&runtime::enter()?, (source, tag), comm, flag::WAIT, None, status).map(drop)
    }
    pub fn Iprobe(
        source: c_int, tag: c_int, comm: Comm, found: *mut c_int, status: *mut Status,
    ) {
        let yes = probe(&runtime::enter()?, (source, tag), comm, 0, None, status)?;
        unsafe { *found = c_int::from(yes) };
        Ok(())
    }
    pub fn Mprobe(
        source: c_int, tag: c_int, comm: Comm, message: *mut Message, status: *mut Status,
    ) {
        let held = &runtime::enter()?;
        probe(held, (source, tag), comm, flag::WAIT, Some(message), status).map(drop)
    }
    pub fn Improbe(
        source: c_int, tag: c_int, comm: Comm, found: *mut c_int, message: *mut Message,
        status: *mut Status,
    ) {
        let yes = probe(&runtime::enter()?, (source, tag), comm, 0, Some(message), status)?;
        unsafe { *found = c_int::from(yes) };
        Ok(())
    }
    pub fn Mrecv<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, message: *mut Message,
        status: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let (in_flight, comm) = receive(held, Buffer::new(buf, count.wide(), datatype)?, message)?;
        let outcome = in_flight.wait(held);
        unsafe { put_status(status, &outcome) };
        outcome.result().map_err(|e| e.on(comm))
    }
    pub fn Imrecv<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, message: *mut Message,
        request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let (in_flight, comm) = receive(held, Buffer::new(buf, count.wide(), datatype)?, message)?;
        unsafe { *request = request::in_flight_request(held, comm, Cancellable::No, in_flight) };
        Ok(())
    }
}
