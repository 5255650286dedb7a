//! Reading and writing that return a request.
//!
//! What is written is in the file when the call returns, and what is read is in the buffer when the
//! request completes; in between storage is at work.

use std::ffi::c_void;

use super::access::{self, Place, Way, What};
use crate::abi::{Datatype, File, Request, c};
use crate::error::Result;
use crate::export::{Integer, mpi_fn};
use crate::request::{self, Cancellable};
use crate::runtime;

/// # Safety
/// The buffer is as large as the caller's arguments say, and stays so.
unsafe fn start<Int: Integer>(
    fh: File,
    place: Place,
    what: What<Int>,
    way: Way,
    request: *mut Request,
) -> Result {
    let held = &runtime::enter()?;
    let flight = access::start(held, fh, place, what, way)?;
    // Its errors name their file.
    unsafe { *request = request::flying(held, c::COMM_SELF, Cancellable::No, flight) };
    Ok(())
}

mpi_fn! {
    pub fn File_iread_at<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start(fh, Place::At(offset), what, Way::Read, request) }
    }
    pub fn File_iread_at_all<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
        request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start(fh, Place::At(offset), what, Way::Read, request) }
    }
    pub fn File_iread<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start(fh, Place::Own, what, Way::Read, request) }
    }
    pub fn File_iread_all<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start(fh, Place::Own, what, Way::Read, request) }
    }
    pub fn File_iread_shared<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { start(fh, Place::Shared, what, Way::Read, request) }
    }
    pub fn File_iwrite_at<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start(fh, Place::At(offset), what, Way::Write, request) }
    }
    pub fn File_iwrite_at_all<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
        request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start(fh, Place::At(offset), what, Way::Write, request) }
    }
    pub fn File_iwrite<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start(fh, Place::Own, what, Way::Write, request) }
    }
    pub fn File_iwrite_all<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start(fh, Place::Own, what, Way::Write, request) }
    }
    pub fn File_iwrite_shared<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype, request: *mut Request,
    ) {
        let what = (buf, count, datatype);
        unsafe { start(fh, Place::Shared, what, Way::Write, request) }
    }
}
