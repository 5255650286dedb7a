//! A user's buffer: an address, a count and a datatype, checked once.

use std::ffi::c_void;
use std::sync::Arc;

use workload::NonContiguous;

use crate::abi::Datatype;
use crate::abi::c;
use crate::datatype::{self, Type};
use crate::error::{Result, fail};

/// Shares the datatype, which may be freed while the operation is in flight.
#[derive(Clone)]
pub(crate) struct Buffer {
    at: *mut u8,
    count: u64,
    pub datatype: Arc<Type>,
}

impl Buffer {
    pub fn new(at: *const c_void, count: i64, datatype: Datatype) -> Result<Buffer> {
        let count = datatype::count(count)?;
        // As in MPICH, an empty buffer may have the null datatype.
        let is_nothing = count == 0 && datatype == c::DATATYPE_NULL;
        let datatype = datatype::committed(if is_nothing { c::BYTE } else { datatype })?;
        // MPI_BOTTOM is null: the addresses are then in the datatype, whose lower bound is not
        // zero.
        if at.is_null() && count > 0 && datatype.size > 0 && datatype.true_bounds().0 == 0 {
            return fail!(c::ERR_BUFFER, "the buffer is null");
        }
        Ok(Buffer { at: at.cast_mut().cast(), count, datatype })
    }
    /// Packed size, in bytes.
    pub fn bytes(&self) -> u64 {
        self.datatype.packed_size(self.count)
    }
    /// Address of the first item, and number of items.
    pub fn address_and_count(&self) -> (*mut u8, u64) {
        (self.at, self.count)
    }
    /// Address of its bytes, if packing is a plain copy; `None` otherwise.
    pub fn contiguous_address(&self) -> Option<*mut u8> {
        self.datatype.contiguous(self.count).map(|at| self.at.wrapping_offset(at as isize))
    }
    /// Layout of its data, if it has to be packed.
    pub fn noncontiguous(&self) -> NonContiguous {
        self.datatype.noncontiguous(self.count)
    }
    /// `count` items from item `first` on.
    pub fn items(&self, first: i64, count: u64) -> Buffer {
        let offset = first * self.datatype.extent();
        let at = self.at.wrapping_offset(offset as isize);
        Buffer { at, count, datatype: self.datatype.clone() }
    }
    /// # Safety
    /// The user's memory is readable, and `out` has room for `bytes`.
    pub unsafe fn pack(&self, out: *mut u8, bytes: u64) {
        // A buffer longer than the other side's is the program's error; the copy stays within
        // bounds.
        if bytes >= self.bytes() {
            unsafe { self.datatype.pack(self.count, self.at, out) };
        } else if let Some(whole) = bytes.checked_div(self.datatype.size) {
            unsafe { self.datatype.pack(whole, self.at, out) };
        }
    }
    /// # Safety
    /// The user's memory is writable, and `from` has `bytes`.
    pub unsafe fn unpack(&self, from: *const u8, bytes: u64) {
        unsafe { self.datatype.unpack(from, bytes, self.count, self.at) };
    }
}
