//! Datatypes: which bytes of memory form an item, and in which order they are transferred.
//!
//! A type is immutable after creation. Handles, derived types and operations in flight share it, so
//! freeing a handle never invalidates memory in use. `map` describes where the bytes are,
//! `Signature` which values they hold; both are trees that share their children.

mod builtin;
pub(crate) mod calls;
mod decode;
mod make;
pub(crate) mod map;
pub(crate) mod packing;
pub(crate) mod portable;
mod signature;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub(crate) use builtin::Number;
#[cfg(test)]
pub(crate) use builtin::all as predefined;
pub(crate) use make::Contents;
use map::Placed;
use signature::Signature;

use workload::NonContiguous;

use crate::abi::{Datatype, Kind, Registry, c};
use crate::error::{Result, fail};
use crate::foreign;

pub(crate) struct Type {
    /// Bytes of data in one item.
    pub size: u64,
    /// Lower and upper bound; the items of an array are `ub - lb` apart.
    pub lb: i64,
    pub ub: i64,
    /// Strictest alignment of a basic element.
    align: u64,
    placed: Placed,
    signature: Arc<Signature>,
    /// For predefined types, and copies of them by `MPI_Type_dup`.
    pub number: Option<Number>,
    contents: Contents,
    committed: AtomicBool,
    /// See `noncontiguous`; computed at the first use.
    touched: OnceLock<u64>,
    name: Mutex<Vec<u8>>,
}

static TYPES: Registry<Type> = Registry::new();

/// The types of Fortran kinds, by their parameters: equal parameters return the same handle.
type Selected = BTreeMap<(c_int, c_int, Option<c_int>), Datatype>;
static SELECTED: Mutex<Selected> = Mutex::new(BTreeMap::new());

/// The type of a handle.
pub(crate) fn get(handle: Datatype) -> Result<Arc<Type>> {
    if let Some(found) = builtin::find(handle) {
        return Ok(found.clone());
    }
    match handle.slot().and_then(|slot| TYPES.get(slot)) {
        Some(found) => Ok(found),
        None if handle == c::DATATYPE_NULL => fail!(c::ERR_TYPE, "the datatype is null"),
        None => {
            let (raw, more) = (handle.to_int(), foreign::clause(Kind::Datatype, handle.to_int()));
            fail!(c::ERR_TYPE, "not a datatype: {raw:#x}{more}")
        }
    }
}

/// The type of a handle, which must be committed for communication.
pub(crate) fn committed(handle: Datatype) -> Result<Arc<Type>> {
    let found = get(handle)?;
    if !found.committed.load(Ordering::Relaxed) {
        return fail!(c::ERR_TYPE, "the datatype is not committed: call MPI_Type_commit first");
    }
    Ok(found)
}

/// Checks that a count of items is not negative.
pub(crate) fn count(count: i64) -> Result<u64> {
    match u64::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => fail!(c::ERR_COUNT, "a count of {count}"),
    }
}

/// Number of types that the program has created and not freed.
pub(crate) fn created() -> usize {
    // The types of Fortran kinds belong to the library.
    TYPES.len() - SELECTED.lock().unwrap_or_else(PoisonError::into_inner).len()
}

fn insert(made: Type) -> Datatype {
    Datatype::created(TYPES.insert(Arc::new(made)))
}

impl Type {
    /// Distance between the items of an array, in bytes.
    pub fn extent(&self) -> i64 {
        self.ub - self.lb
    }
    /// First byte of data and end of the data, relative to the item.
    pub fn true_bounds(&self) -> (i64, i64) {
        self.placed.bounds().unwrap_or((0, 0))
    }
    /// Where the bytes of an item are, in transfer order.
    pub fn placed(&self) -> &Placed {
        &self.placed
    }
    /// Mean size of its basic elements, in bytes.
    pub fn element_bytes(&self) -> u64 {
        self.signature.bytes / self.signature.values.max(1)
    }
    /// Bytes of `count` packed items.
    pub fn packed_size(&self, count: u64) -> u64 {
        self.size * count
    }
    /// The same in `external32`.
    pub fn external_size(&self, count: u64) -> u64 {
        self.signature.external * count
    }
    /// Offset of the data of `count` items from the buffer, if they are adjacent bytes in order, so
    /// that packing is a plain copy; `None` otherwise.
    pub fn contiguous(&self, count: u64) -> Option<i64> {
        match *self.placed.map {
            map::Map::Run(len) if count <= 1 || len as i64 == self.extent() => Some(self.placed.at),
            _ => None,
        }
    }
    /// Layout of the data of `count` items, if it has to be packed. Predefined types need no
    /// packing: pairs are combined with their padding.
    pub fn noncontiguous(&self, count: u64) -> NonContiguous {
        if self.number.is_some() || self.size == 0 || count == 0 || self.contiguous(count).is_some()
        {
            return NonContiguous::default();
        }
        let bytes = self.packed_size(count);
        let (values, members) = (self.signature.values * count, self.signature.members * count);
        let each = *self.touched.get_or_init(|| self.placed.touched());
        let touched = self.placed.touched_by(count, self.extent(), each);
        let touched = touched.min(bytes.saturating_mul(NonContiguous::LINE));
        NonContiguous { bytes, touched, values, members }.first(NonContiguous::MOST)
    }
    /// Gathers `count` items at `buf` into `packed_size(count)` bytes at `out`.
    ///
    /// # Safety
    /// All data of the items is readable, and `out` has the room and does not overlap them.
    pub unsafe fn pack(&self, count: u64, buf: *const u8, out: *mut u8) {
        unsafe { self.placed.pack(buf, count, self.extent(), out) }
    }
    /// Scatters `bytes` packed bytes over the first of `count` items at `buf`; excess bytes are
    /// ignored.
    ///
    /// # Safety
    /// `from` has that many bytes, and the items' data is writable and does not overlap them.
    pub unsafe fn unpack(&self, from: *const u8, bytes: u64, count: u64, buf: *mut u8) {
        let bytes = bytes.min(self.packed_size(count));
        unsafe { self.placed.unpack(from, bytes, buf, count, self.extent()) }
    }
    /// Enumerates the bytes of `count` items in transfer order: `(at, stride, count, len)` is
    /// `count` runs of `len` bytes. Stops when `each` returns `false`.
    pub fn runs(&self, count: u64, each: impl FnMut(i64, i64, u64, u64) -> bool) {
        struct Each<F>(F);
        impl<F: FnMut(i64, i64, u64, u64) -> bool> map::Visitor for Each<F> {
            fn run(&mut self, at: i64, len: u64) -> bool {
                self.0(at, 0, 1, len)
            }
            fn strided(&mut self, at: i64, stride: i64, count: u64, len: u64) -> bool {
                self.0(at, stride, count, len)
            }
        }
        self.placed.walk(count, self.extent(), &mut Each(each));
    }
    /// The type of all basic elements, if they are equal. A pair is one element, although the
    /// signature holds its two values.
    pub fn element(&self) -> Option<Number> {
        if self.number.is_some() {
            return self.number;
        }
        let mut parts = self.contents.types.iter().map(|t| &t.1).filter(|t| t.size > 0);
        let first = parts.next()?;
        let element = first.element()?;
        // Most parts share one type, which is evaluated once.
        let alike = |t: &Arc<Type>| Arc::ptr_eq(t, first) || t.element() == Some(element);
        parts.all(alike).then_some(element)
    }
    /// Whole items in `bytes` bytes; `None` if there is a remainder.
    pub fn items(&self, bytes: u64) -> Option<u64> {
        match self.size {
            0 => (bytes == 0).then_some(0),
            size => bytes.is_multiple_of(size).then(|| bytes / size),
        }
    }
    /// Basic elements in `bytes` bytes; `None` if the last one is incomplete.
    pub fn elements(&self, bytes: u64) -> Option<u64> {
        self.signature.elements(bytes)
    }
    /// Bytes of the whole basic elements in the first `bytes` bytes of an array of items.
    pub fn whole(&self, bytes: u64) -> u64 {
        if self.size == 0 || bytes.is_multiple_of(self.size) {
            return bytes;
        }
        // An element has few bytes, so the search is short.
        (0..=bytes).rev().find(|&whole| self.elements(whole).is_some()).unwrap_or(0)
    }
    /// Bytes of the first `elements` basic elements of an array of items.
    pub fn bytes_of_elements(&self, elements: u64) -> u64 {
        self.signature.bytes_of(elements)
    }
}
