//! Reading and writing that return when the data have moved.
//!
//! The collective forms promise no more than the others: nobody waits for anybody, but that ordered
//! ones share out the file among ranks.

use std::ffi::c_void;

use super::access::{Place, Way, What, run};
use crate::abi::{Datatype, File, Status};
use crate::error::Result;
use crate::export::{Integer, mpi_fn};
use crate::request::put_status;
use crate::runtime;

/// # Safety
/// The buffer is as large as the caller's arguments say; `status` may be ignored.
unsafe fn blocking<Int: Integer>(
    fh: File,
    place: Place,
    what: What<Int>,
    way: Way,
    status: *mut Status,
) -> Result {
    let held = &runtime::enter()?;
    let outcome = run(held, fh, place, what, way)?;
    unsafe { put_status(status, &outcome) };
    outcome.result()
}

unsafe fn read<Int: Integer>(
    fh: File,
    place: Place,
    what: (*mut c_void, Int, Datatype),
    status: *mut Status,
) -> Result {
    unsafe { blocking(fh, place, (what.0.cast_const(), what.1, what.2), Way::Read, status) }
}

unsafe fn write<Int: Integer>(
    fh: File,
    place: Place,
    what: What<Int>,
    status: *mut Status,
) -> Result {
    unsafe { blocking(fh, place, what, Way::Write, status) }
}

mpi_fn! {
    pub fn File_read_at<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { read(fh, Place::At(offset), (buf, count, datatype), status) }
    }
    pub fn File_read_at_all<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { read(fh, Place::At(offset), (buf, count, datatype), status) }
    }
    pub fn File_read<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, Place::Own, (buf, count, datatype), status) }
    }
    pub fn File_read_all<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, Place::Own, (buf, count, datatype), status) }
    }
    pub fn File_read_shared<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, Place::Shared, (buf, count, datatype), status) }
    }
    pub fn File_read_ordered<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { read(fh, Place::Ordered, (buf, count, datatype), status) }
    }
    pub fn File_write_at<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { write(fh, Place::At(offset), (buf, count, datatype), status) }
    }
    pub fn File_write_at_all<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        status: *mut Status,
    ) {
        unsafe { write(fh, Place::At(offset), (buf, count, datatype), status) }
    }
    pub fn File_write<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, Place::Own, (buf, count, datatype), status) }
    }
    pub fn File_write_all<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, Place::Own, (buf, count, datatype), status) }
    }
    pub fn File_write_shared<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, Place::Shared, (buf, count, datatype), status) }
    }
    pub fn File_write_ordered<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, status: *mut Status,
    ) {
        unsafe { write(fh, Place::Ordered, (buf, count, datatype), status) }
    }
}
