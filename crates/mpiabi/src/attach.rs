//! The buffers of buffered sends. Payloads are copied to the arena anyway, so a buffer only has to
//! be there and big enough, as a program would find out on a real machine.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::{Comm, Kind, Request, Session, c};
use crate::error::{Result, fail};
use crate::export::{Integer, mpi_fn};
use crate::request::{self, Cancellable, Flight, Outcome};
use crate::runtime;

/// Whose sends a buffer serves: a communicator's, a session's, or (`None`) those of every
/// communicator without one.
type Owner = Option<(Kind, c_int)>;
/// Address and size.
type Buffers = BTreeMap<Owner, (usize, i64)>;

static ATTACHED: Mutex<Buffers> = Mutex::new(BTreeMap::new());

fn attached() -> MutexGuard<'static, Buffers> {
    ATTACHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Complains if a message does not fit the buffer its communicator uses.
pub(crate) fn check(comm: Comm, bytes: u64) -> Result {
    let all = attached();
    let of_comm = all.get(&Some((Kind::Comm, comm.to_int())));
    let Some(&(address, room)) = of_comm.or_else(|| all.get(&None)) else {
        return fail!(c::ERR_BUFFER, "no buffer is attached; call MPI_Buffer_attach first");
    };
    if address != c::BUFFER_AUTOMATIC && bytes > room as u64 {
        return fail!(
            c::ERR_BUFFER,
            "a message of {bytes} bytes does not fit the attached buffer of {room}"
        );
    }
    Ok(())
}

/// The owner is gone.
pub(crate) fn forget(comm: Comm) {
    attached().remove(&Some((Kind::Comm, comm.to_int())));
}

fn attach(owner: Owner, buffer: *mut c_void, size: i64) -> Result {
    if size < 0 {
        return fail!(c::ERR_ARG, "the size of the buffer is {size}");
    }
    let mut all = attached();
    if all.contains_key(&owner) {
        return fail!(c::ERR_BUFFER, "a buffer is attached already");
    }
    let size = if buffer as usize == c::BUFFER_AUTOMATIC { 0 } else { size };
    all.insert(owner, (buffer as usize, size));
    Ok(())
}

unsafe fn detach<Int: Integer>(owner: Owner, address: *mut c_void, size: *mut Int) -> Result {
    let Some((buffer, room)) = attached().remove(&owner) else {
        return fail!(c::ERR_BUFFER, "no buffer is attached");
    };
    unsafe {
        *address.cast::<usize>() = buffer;
        *size = Int::narrow(room).unwrap_or(Int::UNDEFINED);
    }
    Ok(())
}

/// Buffered messages are on their way as soon as they are sent: nothing is left to flush.
fn flushed(request: *mut Request) -> Result {
    let held = &runtime::enter()?;
    let flight = Flight::landed(Outcome::empty());
    unsafe { *request = request::flying(held, c::COMM_SELF, Cancellable::No, flight) };
    Ok(())
}

fn of_comm(comm: Comm) -> Result<Owner> {
    crate::comm::find(comm)?;
    Ok(Some((Kind::Comm, comm.to_int())))
}
fn of_session(session: Session) -> Result<Owner> {
    crate::init::open_session(&runtime::enter()?, session)?;
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
        Ok(())
    }
    pub fn Buffer_iflush(request: *mut Request) {
        flushed(request)
    }
    pub fn Comm_attach_buffer<Int>(comm: Comm, buffer: *mut c_void, size: Int) {
        attach(of_comm(comm)?, buffer, size.wide())
    }
    pub fn Comm_detach_buffer<Int>(comm: Comm, address: *mut c_void, size: *mut Int) {
        unsafe { detach(of_comm(comm)?, address, size) }
    }
    pub fn Comm_flush_buffer(comm: Comm) {
        of_comm(comm).map(drop)
    }
    pub fn Comm_iflush_buffer(comm: Comm, request: *mut Request) {
        of_comm(comm)?;
        flushed(request)
    }
    pub fn Session_attach_buffer<Int>(session: Session, buffer: *mut c_void, size: Int) {
        attach(of_session(session)?, buffer, size.wide())
    }
    pub fn Session_detach_buffer<Int>(session: Session, address: *mut c_void, size: *mut Int) {
        unsafe { detach(of_session(session)?, address, size) }
    }
    pub fn Session_flush_buffer(session: Session) {
        of_session(session).map(drop)
    }
    pub fn Session_iflush_buffer(session: Session, request: *mut Request) {
        of_session(session)?;
        flushed(request)
    }
}
