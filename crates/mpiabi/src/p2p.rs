//! Point-to-point messages: sends of every mode, receives, and combined calls.
//!
//! A `CheckedSend` or `CheckedReceive` is one call with its arguments checked. Only the simulator
//! knows whether a send must wait for its receiver. So a blocking send waits for its completion,
//! and the rank sleeps for as long as the call would block on the machine.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use workload::NonContiguous;
use workload::wire::{Completion, Submission, accepted, flag, kind};

use crate::abi::{Comm, Datatype, Request, Status, c};
use crate::attach;
use crate::buffer::Buffer;
use crate::checks;
use crate::comm::{self, Communicator};
use crate::error::{Error, Result, fail};
use crate::export::{Integer, mpi_fn};
use crate::request::{self, Cancellable, InFlight, Outcome, put_status};
use crate::runtime::{self, Held};

/// The flags of a standard send; others are `flag::SYNCHRONOUS` and the like. A ready send is a
/// standard send whose receive is posted.
pub(crate) const STANDARD: u32 = 0;

/// A send with its arguments checked.
#[derive(Clone)]
pub(crate) struct CheckedSend {
    buffer: Buffer,
    /// World rank; `None`: `MPI_PROC_NULL`.
    to: Option<u32>,
    context: u32,
    tag: c_int,
    flags: u32,
    /// The communicator whose attached buffer a buffered send uses.
    comm: Comm,
}

impl CheckedSend {
    fn new(
        held: &Held,
        buffer: Buffer,
        dest: c_int,
        tag: c_int,
        handle: Comm,
        flags: u32,
    ) -> Result<CheckedSend> {
        let comm = comm::find(handle)?;
        let last = runtime::tag_max(held, tag);
        if tag < 0 || tag > last {
            return fail!(c::ERR_TAG, "tag is {tag}, wanted 0 to {last}");
        }
        let to = match dest {
            c::PROC_NULL => None,
            _ => Some(comm.world(comm.checked(dest, "the destination")?)),
        };
        Ok(CheckedSend { buffer, to, context: comm.context, tag, flags, comm: handle })
    }
    /// A send of the library's own.
    pub fn own(buffer: Buffer, to: Option<u32>, context: u32, tag: c_int) -> CheckedSend {
        CheckedSend { buffer, to, context, tag, flags: STANDARD, comm: c::COMM_SELF }
    }
    pub fn shift_tag(&mut self, by: c_int) {
        self.tag += by;
    }

    pub fn start(&self, held: &Held) -> InFlight {
        let Some(to) = self.to else { return InFlight::completed(Outcome::empty()) };
        let bytes = self.buffer.bytes();
        crate::tool::count_message(bytes);
        let submit = |flags| {
            let block = packed(held, bytes, |out| unsafe { self.buffer.pack(out, bytes) });
            let send_layout = self.buffer.noncontiguous();
            send(held, to, self.context, self.tag, (bytes, block, send_layout), flags)
        };
        // The user's buffer must have room when the send starts, not when it is prepared. Then it
        // is sent like any other message.
        if self.flags == flag::BUFFERED {
            let sent = attach::send(held, self.comm, bytes, || submit(STANDARD));
            return InFlight::completed(sent.map_or_else(Outcome::failed, |()| Outcome::empty()));
        }
        let tokens = vec![submit(self.flags)];
        InFlight { tokens, on_complete: Box::new(|_, _| Outcome::empty()) }
    }
}

/// A block with the payload; 0 if there is none.
pub(crate) fn packed(held: &Held, bytes: u64, fill: impl FnOnce(*mut u8)) -> u64 {
    if bytes == 0 {
        return 0;
    }
    let block = runtime::alloc(held, bytes);
    fill(runtime::address(held, block));
    block
}

pub(crate) fn send(
    held: &Held,
    to: u32,
    context: u32,
    tag: c_int,
    (bytes, block, send_layout): (u64, u64, NonContiguous),
    flags: u32,
) -> u32 {
    let token = runtime::token(held);
    let kind = kind::SEND;
    let what = Submission { kind, flags, token, peer: to, tag, context, ..Submission::default() };
    runtime::submit(held, Submission { bytes, block, send_layout, ..what });
    token
}

/// A receive with its arguments checked.
#[derive(Clone)]
pub(crate) struct CheckedReceive {
    buffer: Buffer,
    from: Source,
    context: u32,
    tag: c_int,
    comm: Arc<Communicator>,
}

/// The source of a receive or probe, as encoded in submissions.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Source {
    ProcNull,
    Rank(u32),
}

/// Checks the envelope of a receive or probe.
pub(crate) fn envelope(
    held: &Held,
    source: c_int,
    tag: c_int,
    comm: &Communicator,
) -> Result<(Source, c_int)> {
    let last = runtime::tag_max(held, tag);
    let tag = match tag {
        c::ANY_TAG => workload::ANY_TAG,
        _ if (0..=last).contains(&tag) => tag,
        _ => return fail!(c::ERR_TAG, "tag is {tag}, wanted 0 to {last} or MPI_ANY_TAG"),
    };
    let from = match source {
        c::PROC_NULL => Source::ProcNull,
        c::ANY_SOURCE => Source::Rank(workload::ANY_SOURCE),
        _ => Source::Rank(comm.world(comm.checked(source, "the source")?)),
    };
    Ok((from, tag))
}

/// The result of a receive or probe, with ranks of the communicator.
pub(crate) fn found(comm: &Communicator, completion: &Completion) -> Outcome {
    let source = comm.rank_of(completion.peer).map_or(c::ANY_SOURCE, |r| r as c_int);
    Outcome::message(source, completion.tag, completion.bytes)
}

const CANCELLED: u32 = 2;

/// Copies a received message to the user's buffer, and checks its length.
pub(crate) fn deliver(
    held: &Held,
    buffer: &Buffer,
    comm: &Communicator,
    completion: &Completion,
) -> Outcome {
    if completion.status == CANCELLED {
        let mut outcome = Outcome::empty();
        outcome.status.set_cancelled(true);
        return outcome;
    }
    let room = buffer.bytes();
    let bytes = completion.bytes.min(room);
    // Open MPI also copies the bytes of an incomplete element.
    let whole = buffer.datatype.whole(bytes);
    let is_cut = whole < bytes && completion.bytes <= room;
    let reports_cut = is_cut && !checks::is_open_mpi();
    let bytes = if reports_cut { whole } else { bytes };
    if bytes > 0 {
        // SAFETY: the block holds the sender's bytes; the user's buffer is valid until the receive
        // completes.
        unsafe { buffer.unpack(runtime::address(held, completion.block), bytes) };
    }
    runtime::free(held, completion.block);
    let mut outcome = found(comm, completion);
    if completion.bytes > room {
        outcome.status.set_bytes(room);
        let what = format!(
            "a message of {} bytes from rank {} with tag {} arrived for a buffer of {room}",
            completion.bytes, outcome.status.MPI_SOURCE, completion.tag
        );
        outcome.error = Some(Error::new(c::ERR_TRUNCATE, what));
    } else if reports_cut {
        outcome.status.set_bytes(whole);
        let what = format!(
            "Receiving data with a datatype whose signature does not match that of the sending \
             datatype: {} bytes from rank {} with tag {} end within an element",
            completion.bytes, outcome.status.MPI_SOURCE, completion.tag
        );
        outcome.error = Some(Error::new(c::ERR_TYPE, what));
    } else if is_cut {
        checks::accept(accepted::CUT_ELEMENT);
    }
    outcome
}

impl CheckedReceive {
    fn new(
        held: &Held,
        buffer: Buffer,
        source: c_int,
        tag: c_int,
        comm: Arc<Communicator>,
    ) -> Result<CheckedReceive> {
        let (from, tag) = envelope(held, source, tag, &comm)?;
        Ok(CheckedReceive { buffer, from, context: comm.context, tag, comm })
    }
    /// A receive of the library's own.
    pub fn own(
        buffer: Buffer,
        from: Source,
        context: u32,
        tag: c_int,
        comm: Arc<Communicator>,
    ) -> CheckedReceive {
        CheckedReceive { buffer, from, context, tag, comm }
    }
    pub fn shift_tag(&mut self, by: c_int) {
        self.tag += by;
    }

    pub fn start(&self, held: &Held) -> InFlight {
        let Source::Rank(peer) = self.from else {
            return InFlight::completed(Outcome::proc_null());
        };
        let token = runtime::token(held);
        let (kind, tag, context) = (kind::RECV, self.tag, self.context);
        let (bytes, recv_layout) = (self.buffer.bytes(), self.buffer.noncontiguous());
        runtime::submit(
            held,
            Submission {
                kind,
                token,
                peer,
                tag,
                context,
                bytes,
                recv_layout,
                ..Submission::default()
            },
        );
        let (buffer, comm) = (self.buffer.clone(), self.comm.clone());
        let on_complete =
            move |held: &Held, done: &[Completion]| deliver(held, &buffer, &comm, &done[0]);
        InFlight { tokens: vec![token], on_complete: Box::new(on_complete) }
    }
}

unsafe fn blocking_send<Int: Integer>(
    what: (*const c_void, Int, Datatype),
    dest: c_int,
    tag: c_int,
    comm: Comm,
    flags: u32,
) -> Result {
    let held = &runtime::enter()?;
    let buffer = Buffer::new(what.0, what.1.wide(), what.2)?;
    let sending = CheckedSend::new(held, buffer, dest, tag, comm, flags)?;
    if sending.flags == STANDARD && runtime::is_eager(held, sending.buffer.bytes()) {
        // The payload has been copied, so the user's buffer is free and the rank can proceed.
        sending.start(held).tokens.iter().for_each(|&token| runtime::detach(held, token));
        return Ok(());
    }
    sending.start(held).wait(held).result()
}

unsafe fn start_send<Int: Integer>(
    what: (*const c_void, Int, Datatype),
    dest: c_int,
    tag: c_int,
    comm: Comm,
    flags: u32,
    request: *mut Request,
) -> Result {
    let held = &runtime::enter()?;
    let buffer = Buffer::new(what.0, what.1.wide(), what.2)?;
    let bytes = buffer.bytes();
    let sending = CheckedSend::new(held, buffer, dest, tag, comm, flags)?;
    let in_flight = sending.start(held);
    if flags == flag::BUFFERED {
        // A buffered send is complete already; the call itself reports a full buffer.
        in_flight.wait(held).result()?;
        let in_flight = InFlight::completed(Outcome::empty());
        unsafe { *request = request::in_flight_request(held, comm, Cancellable::Send, in_flight) };
        return Ok(());
    }
    if flags == STANDARD && runtime::is_injected(held, bytes) {
        unsafe { *request = request::injected(held, comm, in_flight) };
        return Ok(());
    }
    unsafe { *request = request::in_flight_request(held, comm, cancellable(flags), in_flight) };
    Ok(())
}

unsafe fn prepare_send<Int: Integer>(
    what: (*const c_void, Int, Datatype),
    dest: c_int,
    tag: c_int,
    comm: Comm,
    flags: u32,
    request: *mut Request,
) -> Result {
    let held = &runtime::enter()?;
    let buffer = Buffer::new(what.0, what.1.wide(), what.2)?;
    let sending = CheckedSend::new(held, buffer, dest, tag, comm, flags)?;
    let start = move |held: &Held| sending.start(held);
    unsafe { *request = request::persistent(held, comm, cancellable(flags), start) };
    Ok(())
}

fn cancellable(flags: u32) -> Cancellable {
    if flags == flag::SYNCHRONOUS { Cancellable::Never } else { Cancellable::Send }
}

/// A send and a receive; waits for both.
fn exchange(
    held: &Held,
    sending: &CheckedSend,
    receiving: &CheckedReceive,
    status: *mut Status,
) -> Result {
    let (incoming, outgoing) = (receiving.start(held), sending.start(held));
    let tokens: Vec<u32> = incoming.tokens.iter().chain(&outgoing.tokens).copied().collect();
    runtime::wait_all(held, &tokens);
    outgoing.complete(held);
    let outcome = incoming.complete(held);
    unsafe { put_status(status, &outcome) };
    outcome.result()
}

/// The same as one operation in flight: the receive's tokens come first.
fn start_exchange(held: &Held, sending: &CheckedSend, receiving: &CheckedReceive) -> InFlight {
    let (incoming, outgoing) = (receiving.start(held), sending.start(held));
    let tokens = incoming.tokens.iter().chain(&outgoing.tokens).copied().collect();
    let (n, on_complete) = (incoming.tokens.len(), incoming.on_complete);
    InFlight { tokens, on_complete: Box::new(move |held, done| on_complete(held, &done[..n])) }
}

mpi_fn! {
    pub fn Send<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
    ) {
        unsafe { blocking_send((buf, count, datatype), dest, tag, comm, STANDARD) }
    }
    pub fn Ssend<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
    ) {
        unsafe { blocking_send((buf, count, datatype), dest, tag, comm, flag::SYNCHRONOUS) }
    }
    pub fn Bsend<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
    ) {
        unsafe { blocking_send((buf, count, datatype), dest, tag, comm, flag::BUFFERED) }
    }
    pub fn Rsend<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
    ) {
        unsafe { blocking_send((buf, count, datatype), dest, tag, comm, STANDARD) }
    }

    pub fn Isend<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        unsafe { start_send((buf, count, datatype), dest, tag, comm, STANDARD, request) }
    }
    pub fn Issend<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        unsafe { start_send((buf, count, datatype), dest, tag, comm, flag::SYNCHRONOUS, request) }
    }
    pub fn Ibsend<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        unsafe { start_send((buf, count, datatype), dest, tag, comm, flag::BUFFERED, request) }
    }
    pub fn Irsend<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        unsafe { start_send((buf, count, datatype), dest, tag, comm, STANDARD, request) }
    }

    pub fn Send_init<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        unsafe { prepare_send((buf, count, datatype), dest, tag, comm, STANDARD, request) }
    }
    pub fn Ssend_init<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        unsafe { prepare_send((buf, count, datatype), dest, tag, comm, flag::SYNCHRONOUS, request) }
    }
    pub fn Bsend_init<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        unsafe { prepare_send((buf, count, datatype), dest, tag, comm, flag::BUFFERED, request) }
    }
    pub fn Rsend_init<Int>(
        buf: *const c_void, count: Int, datatype: Datatype, dest: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        unsafe { prepare_send((buf, count, datatype), dest, tag, comm, STANDARD, request) }
    }

    pub fn Recv<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, source: c_int, tag: c_int, comm: Comm,
        status: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let buffer = Buffer::new(buf, count.wide(), datatype)?;
        let receiving = CheckedReceive::new(held, buffer, source, tag, comm::find(comm)?)?;
        let outcome = receiving.start(held).wait(held);
        unsafe { put_status(status, &outcome) };
        outcome.result()
    }
    pub fn Irecv<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, source: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let buffer = Buffer::new(buf, count.wide(), datatype)?;
        let receiving = CheckedReceive::new(held, buffer, source, tag, comm::find(comm)?)?;
        let in_flight = receiving.start(held);
        let cancellable = Cancellable::Receive;
        unsafe { *request = request::in_flight_request(held, comm, cancellable, in_flight) };
        Ok(())
    }
    pub fn Recv_init<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, source: c_int, tag: c_int, comm: Comm,
        request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let buffer = Buffer::new(buf, count.wide(), datatype)?;
        let receiving = CheckedReceive::new(held, buffer, source, tag, comm::find(comm)?)?;
        let start = move |held: &Held| receiving.start(held);
        unsafe { *request = request::persistent(held, comm, Cancellable::Receive, start) };
        Ok(())
    }

    pub fn Sendrecv<Int>(
        sendbuf: *const c_void, sendcount: Int, sendtype: Datatype, dest: c_int, sendtag: c_int,
        recvbuf: *mut c_void, recvcount: Int, recvtype: Datatype, source: c_int, recvtag: c_int,
        comm: Comm, status: *mut Status,
    ) {
        let held = &runtime::enter()?;
        let at = comm::find(comm)?;
        let out = Buffer::new(sendbuf, sendcount.wide(), sendtype)?;
        let sending = CheckedSend::new(held, out, dest, sendtag, comm, STANDARD)?;
        let into = Buffer::new(recvbuf, recvcount.wide(), recvtype)?;
        let receiving = CheckedReceive::new(held, into, source, recvtag, at)?;
        exchange(held, &sending, &receiving, status)
    }
    pub fn Sendrecv_replace<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, dest: c_int, sendtag: c_int,
        source: c_int, recvtag: c_int, comm: Comm, status: *mut Status,
    ) {
        // The payload is copied when it is submitted, so one buffer is enough.
        let held = &runtime::enter()?;
        let at = comm::find(comm)?;
        let buffer = Buffer::new(buf, count.wide(), datatype)?;
        let sending = CheckedSend::new(held, buffer.clone(), dest, sendtag, comm, STANDARD)?;
        let receiving = CheckedReceive::new(held, buffer, source, recvtag, at)?;
        exchange(held, &sending, &receiving, status)
    }
    pub fn Isendrecv<Int>(
        sendbuf: *const c_void, sendcount: Int, sendtype: Datatype, dest: c_int, sendtag: c_int,
        recvbuf: *mut c_void, recvcount: Int, recvtype: Datatype, source: c_int, recvtag: c_int,
        comm: Comm, request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let at = comm::find(comm)?;
        let out = Buffer::new(sendbuf, sendcount.wide(), sendtype)?;
        let sending = CheckedSend::new(held, out, dest, sendtag, comm, STANDARD)?;
        let into = Buffer::new(recvbuf, recvcount.wide(), recvtype)?;
        let receiving = CheckedReceive::new(held, into, source, recvtag, at)?;
        let in_flight = start_exchange(held, &sending, &receiving);
        unsafe { *request = request::in_flight_request(held, comm, Cancellable::No, in_flight) };
        Ok(())
    }
    pub fn Isendrecv_replace<Int>(
        buf: *mut c_void, count: Int, datatype: Datatype, dest: c_int, sendtag: c_int,
        source: c_int, recvtag: c_int, comm: Comm, request: *mut Request,
    ) {
        let held = &runtime::enter()?;
        let at = comm::find(comm)?;
        let buffer = Buffer::new(buf, count.wide(), datatype)?;
        let sending = CheckedSend::new(held, buffer.clone(), dest, sendtag, comm, STANDARD)?;
        let receiving = CheckedReceive::new(held, buffer, source, recvtag, at)?;
        let in_flight = start_exchange(held, &sending, &receiving);
        unsafe { *request = request::in_flight_request(held, comm, Cancellable::No, in_flight) };
        Ok(())
    }
}
