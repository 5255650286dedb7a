//! Blocking reads and writes.
//!
//! On files outside simulated file systems the collective forms do not synchronize, except that
//! ordered ones divide the file among the ranks.

use std::ffi::c_void;

use super::access::Coordination::{self, Collective, Noncollective};
use super::access::{BufferArguments, Direction, Positioning};
use super::routines;
use crate::abi::{Datatype, File, Status};
use crate::error::Result;
use crate::export::{Integer, mpi_fn};
use crate::request::put_status;
use crate::runtime;

/// # Safety
/// The buffer is as large as the caller's arguments say; `status` may be ignored.
unsafe fn blocking<Int: Integer>(
    fh: File,
    how: (Positioning, Coordination),
    what: BufferArguments<Int>,
    direction: Direction,
    status: *mut Status,
) -> Result {
    let held = &runtime::enter()?;
    let outcome = routines::run(held, fh, how, what, direction)?;
    unsafe { put_status(status, &outcome) };
    outcome.result()
}

unsafe fn read<Int: Integer>(
    fh: File,
    how: (Positioning, Coordination),
    what: (*mut c_void, Int, Datatype),
    status: *mut Status,
) -> Result {
    unsafe { blocking(fh, how, (what.0.cast_const(), what.1, what.2), Direction::Read, status) }
}

unsafe fn write<Int: Integer>(
    fh: File,
    how: (Positioning, Coordination),
    what: BufferArguments<Int>,
    status: *mut Status,
) -> Result {
    unsafe { blocking(fh, how, what, Direction::Write, status) }
}

mpi_fn! {
    pub fn File_read_at<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        let how = (Positioning::At(offset), Noncollective);
        unsafe { read(fh, how, (buf, count, datatype), status) }
    }
    pub fn File_read_at_all<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { read(fh, (Positioning::At(offset), Collective), (buf, count, datatype), status) }
    }
    pub fn File_read<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, (Positioning::Own, Noncollective), (buf, count, datatype), status) }
    }
    pub fn File_read_all<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, (Positioning::Own, Collective), (buf, count, datatype), status) }
    }
    pub fn File_read_shared<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, (Positioning::Shared, Noncollective), (buf, count, datatype), status) }
    }
    pub fn File_read_ordered<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, (Positioning::Ordered, Collective), (buf, count, datatype), status) }
    }
    pub fn File_write_at<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        let how = (Positioning::At(offset), Noncollective);
        unsafe { write(fh, how, (buf, count, datatype), status) }
    }
    pub fn File_write_at_all<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { write(fh, (Positioning::At(offset), Collective), (buf, count, datatype), status) }
    }
    pub fn File_write<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, (Positioning::Own, Noncollective), (buf, count, datatype), status) }
    }
    pub fn File_write_all<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, (Positioning::Own, Collective), (buf, count, datatype), status) }
    }
    pub fn File_write_shared<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, (Positioning::Shared, Noncollective), (buf, count, datatype), status) }
    }
    pub fn File_write_ordered<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, (Positioning::Ordered, Collective), (buf, count, datatype), status) }
    }
}
