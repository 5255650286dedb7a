//! Non-blocking reads and writes.
//!
//! Written data are in the file when the call returns, and read data are in the buffer when the
//! request completes. In between, the simulated storage processes the request. (On a simulated file
//! system, written data move at completion.)
//!
//! On a simulated file system the collective forms are `pending` calls: the data of ranks are
//! aggregated while these test or wait for their requests. Elsewhere each rank transfers its own
//! data.

use std::ffi::c_void;

use super::access::{BufferArguments, Coordination, Direction, Positioning};
use super::routines::{self, Started};
use crate::abi::{Datatype, File, Request, c};
use crate::error::Result;
use crate::export::{Integer, mpi_fn};
use crate::request::{self, Cancellable};
use crate::runtime;

/// # Safety
/// The buffer is as large as the caller's arguments say, and stays valid until the request
/// completes.
unsafe fn start<Int: Integer>(
    fh: File,
    positioning: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
    request: *mut Request,
) -> Result {
    let held = &runtime::enter()?;
    let in_flight =
        routines::start(held, fh, (positioning, Coordination::Noncollective), what, direction)?;
    // The errors of the operation belong to the file.
    unsafe {
        *request = request::in_flight_request(held, c::COMM_SELF, Cancellable::No, in_flight)
    };
    Ok(())
}

/// The collective form.
///
/// # Safety
/// As `start`.
unsafe fn start_all<Int: Integer>(
    fh: File,
    positioning: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
    request: *mut Request,
) -> Result {
    let held = &runtime::enter()?;
    let started = routines::start_collective(held, fh, positioning, what, direction)?;
    let created = match started {
        Started::Alone(in_flight) => {
            request::in_flight_request(held, c::COMM_SELF, Cancellable::No, in_flight)
        }
        Started::Pending(pending) => request::progressing(held, c::COMM_SELF, pending),
    };
    unsafe { *request = created };
    Ok(())
}

mpi_fn! {
    pub fn File_iread_at<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start(fh, Positioning::At(offset), what, Direction::Read, request) }
    }
    pub fn File_iread_at_all<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start_all(fh, Positioning::At(offset), what, Direction::Read, request) }
    }
    pub fn File_iread<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start(fh, Positioning::Own, what, Direction::Read, request) }
    }
    pub fn File_iread_all<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start_all(fh, Positioning::Own, what, Direction::Read, request) }
    }
    pub fn File_iread_shared<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start(fh, Positioning::Shared, what, Direction::Read, request) }
    }
    pub fn File_iwrite_at<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start(fh, Positioning::At(offset), what, Direction::Write, request) }
    }
    pub fn File_iwrite_at_all<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start_all(fh, Positioning::At(offset), what, Direction::Write, request) }
    }
    pub fn File_iwrite<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start(fh, Positioning::Own, what, Direction::Write, request) }
    }
    pub fn File_iwrite_all<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start_all(fh, Positioning::Own, what, Direction::Write, request) }
    }
    pub fn File_iwrite_shared<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start(fh, Positioning::Shared, what, Direction::Write, request) }
    }
}
