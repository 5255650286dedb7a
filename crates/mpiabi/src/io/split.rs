//! Split collectives: collective reads and writes in two calls. A file has at most one in progress.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::mem::discriminant;

use super::access::{BufferArguments, Coordination, Direction, Positioning};
use super::routines;
use crate::abi::{Datatype, File, Status, c};
use crate::error::{Result, fail};
use crate::export::{Integer, mpi_fn};
use crate::request::{InFlight, put_status};
use crate::runtime::{self, Guarded, Held};

struct Split {
    in_flight: InFlight,
    positioning: Positioning,
    direction: Direction,
}

/// Split collectives in progress, by file.
static IN_PROGRESS: Guarded<BTreeMap<File, Split>> = Guarded::new(BTreeMap::new());

/// # Safety
/// The buffer is as large as the caller's arguments say, and stays valid until the end call.
unsafe fn begin<Int: Integer>(
    fh: File,
    positioning: Positioning,
    what: BufferArguments<Int>,
    direction: Direction,
) -> Result {
    let held = &runtime::enter()?;
    if IN_PROGRESS.get(held).contains_key(&fh) {
        return fail!(c::ERR_IO, "a split collective is already in progress on this file");
    }
    let in_flight =
        routines::start(held, fh, (positioning, Coordination::Collective), what, direction)?;
    IN_PROGRESS.get(held).insert(fh, Split { in_flight, positioning, direction });
    Ok(())
}

/// # Safety
/// `status` is `MPI_STATUS_IGNORE` or writable.
unsafe fn end(
    fh: File,
    positioning: Positioning,
    direction: Direction,
    status: *mut Status,
) -> Result {
    let held = &runtime::enter()?;
    super::find(fh)?;
    let matches = |split: &Split| {
        split.direction == direction
            && discriminant(&split.positioning) == discriminant(&positioning)
    };
    let split = match IN_PROGRESS.get(held).remove(&fh) {
        None => return fail!(c::ERR_IO, "no split collective is in progress on this file"),
        Some(split) => split,
    };
    if !matches(&split) {
        IN_PROGRESS.get(held).insert(fh, split);
        return fail!(c::ERR_IO, "the split collective in progress began with another function");
    }
    let outcome = split.in_flight.wait(held);
    unsafe { put_status(status, &outcome) };
    outcome.result()
}

/// The file is about to be closed: completes the operation in progress and ignores its result.
pub(super) fn abandon(held: &Held, fh: File) {
    let split = IN_PROGRESS.get(held).remove(&fh);
    if let Some(split) = split {
        split.in_flight.wait(held);
    }
}

mpi_fn! {
    pub fn File_read_at_all_begin<Int>(
        fh: File, offset: i64, buf: *mut c_void, count: Int, datatype: Datatype,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { begin(fh, Positioning::At(offset), what, Direction::Read) }
    }
    pub fn File_read_at_all_end(fh: File, _buf: *mut c_void, status: *mut Status) {
        unsafe { end(fh, Positioning::At(0), Direction::Read, status) }
    }
    pub fn File_read_all_begin<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Positioning::Own, (buf.cast_const(), count, datatype), Direction::Read) }
    }
    pub fn File_read_all_end(fh: File, _buf: *mut c_void, status: *mut Status) {
        unsafe { end(fh, Positioning::Own, Direction::Read, status) }
    }
    pub fn File_read_ordered_begin<Int>(
        fh: File, buf: *mut c_void, count: Int, datatype: Datatype,
    ) {
        let what = (buf.cast_const(), count, datatype);
        unsafe { begin(fh, Positioning::Ordered, what, Direction::Read) }
    }
    pub fn File_read_ordered_end(fh: File, _buf: *mut c_void, status: *mut Status) {
        unsafe { end(fh, Positioning::Ordered, Direction::Read, status) }
    }
    pub fn File_write_at_all_begin<Int>(
        fh: File, offset: i64, buf: *const c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Positioning::At(offset), (buf, count, datatype), Direction::Write) }
    }
    pub fn File_write_at_all_end(fh: File, _buf: *const c_void, status: *mut Status) {
        unsafe { end(fh, Positioning::At(0), Direction::Write, status) }
    }
    pub fn File_write_all_begin<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Positioning::Own, (buf, count, datatype), Direction::Write) }
    }
    pub fn File_write_all_end(fh: File, _buf: *const c_void, status: *mut Status) {
        unsafe { end(fh, Positioning::Own, Direction::Write, status) }
    }
    pub fn File_write_ordered_begin<Int>(
        fh: File, buf: *const c_void, count: Int, datatype: Datatype,
    ) {
        unsafe { begin(fh, Positioning::Ordered, (buf, count, datatype), Direction::Write) }
    }
    pub fn File_write_ordered_end(fh: File, _buf: *const c_void, status: *mut Status) {
        unsafe { end(fh, Positioning::Ordered, Direction::Write, status) }
    }
}
