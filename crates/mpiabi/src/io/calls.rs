//! Blocking reads and writes.
//!
//! The collective forms do not synchronize, except that ordered ones divide the file among the
//! ranks.

use std::ffi::c_void;

use super::access::{BufferArguments, Direction, Positioning, run};
use crate::abi::{Datatype, File, Status};
use crate::error::Result;
use crate::export::{Integer, mpi_fn};
use crate::request::put_status;
use crate::runtime;

/// # Safety
/// The buffer is as large as the caller's arguments say; `status` may be ignored.
unsafe fn blocking<Int: Integer>(
    fh: File,
    positioning: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
    status: *mut Status,
) -> Result {
    let held = &runtime::enter()?;
    let outcome = run(held, fh, positioning, what, direction)?;
    unsafe { put_status(status, &outcome) };
    outcome.result()
}

unsafe fn read<Int: Integer>(
    fh: File,
    positioning: Positioning,
    what: (*mut c_void, Int, Datatype),
    status: *mut Status,
) -> Result {
    unsafe {
        blocking(fh, positioning, (what.0.cast_const(), what.1, what.2), Direction::Read, status)
    }
}

unsafe fn write<Int: Integer>(
    fh: File,
    positioning: Positioning,
    what: BufferArguments<Int>,
    status: *mut Status,
) -> Result {
    unsafe { blocking(fh, positioning, what, Direction::Write, status) }
}

mpi_fn! {
    pub fn File_read_at<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { read(fh, Positioning::At(offset), (buf, count, datatype), status) }
    }
    pub fn File_read_at_all<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { read(fh, Positioning::At(offset), (buf, count, datatype), status) }
    }
    pub fn File_read<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, Positioning::Own, (buf, count, datatype), status) }
    }
    pub fn File_read_all<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, Positioning::Own, (buf, count, datatype), status) }
    }
    pub fn File_read_shared<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, Positioning::Shared, (buf, count, datatype), status) }
    }
    pub fn File_read_ordered<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, Positioning::Ordered, (buf, count, datatype), status) }
    }
    pub fn File_write_at<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { write(fh, Positioning::At(offset), (buf, count, datatype), status) }
    }
    pub fn File_write_at_all<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { write(fh, Positioning::At(offset), (buf, count, datatype), status) }
    }
    pub fn File_write<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, Positioning::Own, (buf, count, datatype), status) }
    }
    pub fn File_write_all<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, Positioning::Own, (buf, count, datatype), status) }
    }
    pub fn File_write_shared<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, Positioning::Shared, (buf, count, datatype), status) }
    }
    pub fn File_write_ordered<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, Positioning::Ordered, (buf, count, datatype), status) }
    }
}
