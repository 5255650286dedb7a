//! Collective reading and writing in two calls. A file has at most one under way.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::discriminant;

use super::access::{self, Place, Way, What};
use crate::abi::{Datatype, File, Status, c};
use crate::error::{Result, fail};
use crate::export::{Integer, mpi_fn};
use crate::request::{Flight, put_status};
use crate::runtime::{self, Guarded, Held};

struct Split {
    flight: Flight,
    place: Place,
    way: Way,
}

/// What is under way, by file.
static UNDER_WAY: Guarded<BTreeMap<File, Split>> = Guarded::new(BTreeMap::new());

/// # Safety
/// The buffer is as large as the caller's arguments say, and stays so until the end.
unsafe fn begin<Int: Integer>(fh: File, place: Place, what: What<Int>, way: Way) -> Result {
    let held = &runtime::enter()?;
    if UNDER_WAY.get(held).contains_key(&fh) {
        return fail!(c::ERR_IO, "a split collective is under way already on this file");
    }
    let flight = access::start(held, fh, place, what, way)?;
    UNDER_WAY.get(held).insert(fh, Split { flight, place, way });
    Ok(())
}

/// # Safety
/// `status` is `MPI_STATUS_IGNORE` or writable.
unsafe fn end(fh: File, place: Place, way: Way, status: *mut Status) -> Result {
    let held = &runtime::enter()?;
    super::find(fh)?;
    let matches =
        |split: &Split| split.way == way && discriminant(&split.place) == discriminant(&place);
    let split = match UNDER_WAY.get(held).remove(&fh) {
        None => return fail!(c::ERR_IO, "no split collective is under way on this file"),
        Some(split) => split,
    };
    if !matches(&split) {
        UNDER_WAY.get(held).insert(fh, split);
        return fail!(c::ERR_IO, "the split collective under way began with another function");
    }
    let outcome = split.flight.wait(held);
    unsafe { put_status(status, &outcome) };
    outcome.result()
}

/// The file is about to be closed: what is under way comes to its end unheard.
pub(super) fn abandon(held: &Held, fh: File) {
    let split = UNDER_WAY.get(held).remove(&fh);
    if let Some(split) = split {
        split.flight.wait(held);
    }
}

mpi_fn! {
    pub fn File_read_at_all_begin<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Place::At(offset), (buf.cast_const(), count, datatype), Way::Read) }
    }
    pub fn File_read_at_all_end(fh: File, _buf: *mut c_void, status: *mut Status) {
        unsafe { end(fh, Place::At(0), Way::Read, status) }
    }
    pub fn File_read_all_begin<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Place::Own, (buf.cast_const(), count, datatype), Way::Read) }
    }
    pub fn File_read_all_end(fh: File, _buf: *mut c_void, status: *mut Status) {
        unsafe { end(fh, Place::Own, Way::Read, status) }
    }
    pub fn File_read_ordered_begin<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Place::Ordered, (buf.cast_const(), count, datatype), Way::Read) }
    }
    pub fn File_read_ordered_end(fh: File, _buf: *mut c_void, status: *mut Status) {
        unsafe { end(fh, Place::Ordered, Way::Read, status) }
    }
    pub fn File_write_at_all_begin<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Place::At(offset), (buf, count, datatype), Way::Write) }
    }
    pub fn File_write_at_all_end(fh: File, _buf: *const c_void, status: *mut Status) {
        unsafe { end(fh, Place::At(0), Way::Write, status) }
    }
    pub fn File_write_all_begin<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Place::Own, (buf, count, datatype), Way::Write) }
    }
    pub fn File_write_all_end(fh: File, _buf: *const c_void, status: *mut Status) {
        unsafe { end(fh, Place::Own, Way::Write, status) }
    }
    pub fn File_write_ordered_begin<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Place::Ordered, (buf, count, datatype), Way::Write) }
    }
    pub fn File_write_ordered_end(fh: File, _buf: *const c_void, status: *mut Status) {
        unsafe { end(fh, Place::Ordered, Way::Write, status) }
    }
}
