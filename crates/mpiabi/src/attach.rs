//! Attached buffers of buffered sends. The payload is copied to the arena like that of any other
//! send, so the program's buffer is never written. Its fill level is tracked as on a real machine.
//!
//! A message occupies its packed size and `MPI_BSEND_OVERHEAD` until the underlying send completes.
//! An eager send completes when it has left, a longer one when its receiver has received it.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use crate::abi::{Comm, Kind, Request, Session, c};
use crate::error::{Result, fail};
use crate::export::{Integer, mpi_fn};
use crate::request::{self, Outcome, Progress};
use crate::runtime::{self, Guarded, Held};

/// Whose sends use a buffer: those of a communicator, of a session, or (`None`) of every
/// communicator without a buffer of its own.
type Owner = Option<(Kind, c_int)>;

struct AttachedBuffer {
    address: usize,
    /// Bytes; ignored if the buffer is `MPI_BUFFER_AUTOMATIC`.
    capacity: i64,
    /// Messages in the buffer.
    in_buffer: Vec<BufferedMessage>,
}

#[derive(Clone, Copy)]
struct BufferedMessage {
    token: u32,
    bytes: u64,
    /// Unlike tokens, never reused.
    number: u64,
}

struct Buffers {
    buffers: BTreeMap<Owner, AttachedBuffer>,
    next_number: u64,
}

static STATE: Guarded<Buffers> = Guarded::new(Buffers { buffers: BTreeMap::new(), next_number: 0 });

impl AttachedBuffer {
    /// Removes the messages whose sends have completed.
    fn reap(&mut self, held: &Held) {
        self.in_buffer.retain(|message| {
            let is_there = runtime::completion(held, message.token).is_none();
            if !is_there {
                runtime::release_token(held, message.token);
            }
            is_there
        });
    }
    fn has_room(&self, need: u64) -> bool {
        let used: u64 = self.in_buffer.iter().map(|message| message.bytes).sum();
        self.address == c::BUFFER_AUTOMATIC || used + need <= self.capacity as u64
    }
}

/// Applies a function to a buffer, if it is attached.
fn with<R>(held: &Held, owner: Owner, f: impl FnOnce(&mut AttachedBuffer) -> R) -> Option<R> {
    STATE.get(held).buffers.get_mut(&owner).map(f)
}

/// The buffer that a communicator uses: its own, else the process's, else a session's. The session
/// of a communicator is not recorded, so any session's buffer serves.
fn owner_for(held: &Held, comm: Comm) -> Owner {
    let buffers = &STATE.get(held).buffers;
    let own = Some((Kind::Comm, comm.to_int()));
    if buffers.contains_key(&own) {
        return own;
    }
    let of_session = buffers.keys().flatten().find(|owner| owner.0 == Kind::Session);
    if buffers.contains_key(&None) { None } else { of_session.copied() }
}

/// Sends through the buffer of a communicator, if that has room for `bytes`.
pub(crate) fn send(held: &Held, comm: Comm, bytes: u64, submit: impl FnOnce() -> u32) -> Result {
    let owner = owner_for(held, comm);
    let need = bytes + c::BSEND_OVERHEAD as u64;
    let fits = |held| {
        with(held, owner, |buffer| {
            buffer.reap(held);
            buffer.has_room(need)
        })
    };
    let Some(mut has_room) = fits(held) else {
        return fail!(c::ERR_BUFFER, "no buffer is attached; call MPI_Buffer_attach first");
    };
    if !has_room {
        // Sends may have completed since this rank last synchronized with the simulator.
        runtime::flush(held);
        has_room = fits(held) == Some(true);
    }
    if !has_room {
        let capacity = with(held, owner, |buffer| buffer.capacity).unwrap_or(0);
        let full = with(held, owner, |buffer| buffer.in_buffer.len()).unwrap_or(0);
        return fail!(
            c::ERR_BUFFER,
            "a message of {bytes} bytes and {} of overhead does not fit the attached buffer of \
             {capacity} with {full} messages in it",
            c::BSEND_OVERHEAD
        );
    }
    let token = submit();
    let number = {
        let mut state = STATE.get(held);
        state.next_number += 1;
        state.next_number
    };
    with(held, owner, |buffer| {
        buffer.in_buffer.push(BufferedMessage { token, bytes: need, number })
    });
    Ok(())
}

/// The owner has been freed: messages in its buffer complete without it.
pub(crate) fn forget(kind: Kind, handle: c_int) {
    let held = &runtime::lock();
    let removed = STATE.get(held).buffers.remove(&Some((kind, handle)));
    for message in removed.into_iter().flat_map(|buffer| buffer.in_buffer) {
        runtime::detach(held, message.token);
    }
}

fn attach(owner: Owner, buffer: *mut c_void, size: i64) -> Result {
    let held = &runtime::enter()?;
    if size < 0 {
        return fail!(c::ERR_ARG, "the size of the buffer is {size}");
    }
    let buffers = &mut STATE.get(held).buffers;
    if buffers.contains_key(&owner) {
        return fail!(c::ERR_BUFFER, "a buffer is attached already");
    }
    let address = buffer as usize;
    let capacity = if address == c::BUFFER_AUTOMATIC { 0 } else { size };
    buffers.insert(owner, AttachedBuffer { address, capacity, in_buffer: Vec::new() });
    Ok(())
}

/// Waits until every message in the buffer has left.
fn flush(held: &Held, owner: Owner) {
    let in_buffer = with(held, owner, |buffer| buffer.in_buffer.clone()).unwrap_or_default();
    let tokens: Vec<u32> = in_buffer.iter().map(|message| message.token).collect();
    runtime::wait_all(held, &tokens);
    with(held, owner, |buffer| buffer.reap(held));
}

unsafe fn detach<Int: Integer>(owner: Owner, address: *mut c_void, size: *mut Int) -> Result {
    let held = &runtime::enter()?;
    flush(held, owner);
    let Some(removed) = STATE.get(held).buffers.remove(&owner) else {
        return fail!(c::ERR_BUFFER, "no buffer is attached");
    };
    unsafe {
        *address.cast::<usize>() = removed.address;
        *size = Int::narrow(removed.capacity).unwrap_or(Int::UNDEFINED);
    }
    Ok(())
}

/// A non-blocking flush, completed by a request.
struct Flush {
    owner: Owner,
    /// Number of the last message that was in the buffer; numbers ascend.
    last: u64,
}

impl Flush {
    fn in_buffer(&self, held: &Held) -> Vec<u32> {
        let reached = |buffer: &mut AttachedBuffer| {
            buffer.reap(held);
            let before = buffer.in_buffer.iter().filter(|message| message.number <= self.last);
            before.map(|message| message.token).collect()
        };
        with(held, self.owner, reached).unwrap_or_default()
    }
}

impl Progress for Flush {
    fn advance(&self, held: &Held) -> Option<Outcome> {
        self.in_buffer(held).is_empty().then(Outcome::empty)
    }
    fn open(&self, held: &Held, tokens: &mut Vec<u32>) -> bool {
        tokens.extend(self.in_buffer(held));
        false
    }
}

fn iflush(owner: Owner, request: *mut Request) -> Result {
    let held = &runtime::enter()?;
    let last = STATE.get(held).next_number;
    let operation = Rc::new(Flush { owner, last });
    unsafe { *request = request::progressing(held, c::COMM_SELF, operation) };
    Ok(())
}

fn of_comm(comm: Comm) -> Result<Owner> {
    crate::comm::find(comm)?;
    Ok(Some((Kind::Comm, comm.to_int())))
}
fn of_session(session: Session) -> Result<Owner> {
    crate::session::check(&runtime::enter()?, session)?;
    Ok(Some((Kind::Session, session.to_int())))
}

mpi_fn! {
    pub fn Buffer_attach<Int>(buffer: *mut c_void, size: Int) {
        attach(None, buffer, size.wide())
    }
    pub fn Buffer_detach<Int>(address: *mut c_void, size: *mut Int) {
        unsafe { detach(None, address, size) }
    }
    pub fn Buffer_flush() {
        flush(&runtime::enter()?, None);
        Ok(())
    }
    pub fn Buffer_iflush(request: *mut Request) {
        iflush(None, request)
    }
    pub fn Comm_attach_buffer<Int>(comm: Comm, buffer: *mut c_void, size: Int) {
        attach(of_comm(comm)?, buffer, size.wide())
    }
    pub fn Comm_detach_buffer<Int>(comm: Comm, address: *mut c_void, size: *mut Int) {
        unsafe { detach(of_comm(comm)?, address, size) }
    }
    pub fn Comm_flush_buffer(comm: Comm) {
        let owner = of_comm(comm)?;
        flush(&runtime::enter()?, owner);
        Ok(())
    }
    pub fn Comm_iflush_buffer(comm: Comm, request: *mut Request) {
        iflush(of_comm(comm)?, request)
    }
    pub fn Session_attach_buffer<Int>(session: Session, buffer: *mut c_void, size: Int) {
        attach(of_session(session)?, buffer, size.wide())
    }
    pub fn Session_detach_buffer<Int>(session: Session, address: *mut c_void, size: *mut Int) {
        unsafe { detach(of_session(session)?, address, size) }
    }
    pub fn Session_flush_buffer(session: Session) {
        let owner = of_session(session)?;
        flush(&runtime::enter()?, owner);
        Ok(())
    }
    pub fn Session_iflush_buffer(session: Session, request: *mut Request) {
        iflush(of_session(session)?, request)
    }
}
