//! Datatypes: which bytes of memory an item is made of, and in which order they travel.
//!
//! A type is immutable once made and shared by handle, by the types made from it and by operations
//! in flight, so freeing a handle never pulls memory from under anyone. `map` says where the bytes
//! are, `Signature` what they are; both are trees that share their children.

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

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

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
    /// Lower and upper bound; items of an array are `ub - lb` apart.
    pub lb: i64,
    pub ub: i64,
    /// Strictest alignment of a basic part.
    align: u64,
    placed: Placed,
    signature: Arc<Signature>,
    /// For predefined types, and copies of them by `MPI_Type_dup`.
    pub number: Option<Number>,
    contents: Contents,
    committed: AtomicBool,
    /// See `noncontiguous`, once somebody has asked.
    touched: OnceLock<u64>,
    name: Mutex<Vec<u8>>,
}

static TYPES: Registry<Type> = Registry::new();

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

/// The type of a handle that is to communicate.
pub(crate) fn committed(handle: Datatype) -> Result<Arc<Type>> {
    let found = get(handle)?;
    if !found.committed.load(Ordering::Relaxed) {
        return fail!(c::ERR_TYPE, "the datatype is not committed: call MPI_Type_commit first");
    }
    Ok(found)
}

/// A count of items, which is never negative.
pub(crate) fn count(count: i64) -> Result<u64> {
    match u64::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => fail!(c::ERR_COUNT, "a count of {count}"),
    }
}

/// How many the program has made and not freed.
pub(crate) fn created() -> usize {
    TYPES.len() - calls::selected_types()
}

fn insert(made: Type) -> Datatype {
    Datatype::created(TYPES.insert(Arc::new(made)))
}

impl Type {
    /// Distance between the items of an array, bytes.
    pub fn extent(&self) -> i64 {
        self.ub - self.lb
    }
    /// First byte of data and the byte behind the last, relative to the item.
    pub fn true_bounds(&self) -> (i64, i64) {
        self.placed.bounds().unwrap_or((0, 0))
    }
    /// Where the bytes of an item are, in the order they travel.
    pub fn placed(&self) -> &Placed {
        &self.placed
    }
    /// Bytes of one of its basic values, on the mean.
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
    /// Offset of the data of `count` items from the buffer, if they are adjacent bytes in order:
    /// packing is then a copy, or nothing.
    pub fn contiguous(&self, count: u64) -> Option<i64> {
        match *self.placed.map {
            map::Map::Run(len) if count <= 1 || len as i64 == self.extent() => Some(self.placed.at),
            _ => None,
        }
    }
    /// How the data of `count` items lies, if it has to be packed. What is predefined has not: the
    /// pairs of reductions are combined as they lie.
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
    /// All their data is readable, and `out` has the room and does not overlap them.
    pub unsafe fn pack(&self, count: u64, buf: *const u8, out: *mut u8) {
        unsafe { self.placed.pack(buf, count, self.extent(), out) }
    }
    /// Scatters `bytes` packed bytes over the first of `count` items at `buf`; what is more than
    /// they hold is ignored.
    ///
    /// # Safety
    /// `from` has that many bytes, and the items' data is writable and does not overlap them.
    pub unsafe fn unpack(&self, from: *const u8, bytes: u64, count: u64, buf: *mut u8) {
        let bytes = bytes.min(self.packed_size(count));
        unsafe { self.placed.unpack(from, bytes, buf, count, self.extent()) }
    }
    /// Tells where the bytes of `count` items lie, in the order they travel: `(at, stride, count,
    /// len)` is `count` runs of `len` bytes. Until `each` has had enough.
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
    /// What all basic elements are, if they are alike. A pair is one element, which the signature
    /// does not tell from its two values.
    pub fn element(&self) -> Option<Number> {
        if self.number.is_some() {
            return self.number;
        }
        let mut parts = self.contents.types.iter().map(|t| &t.1).filter(|t| t.size > 0);
        let first = parts.next()?;
        let element = first.element()?;
        // Most parts are the same type, asked once.
        let alike = |t: &Arc<Type>| Arc::ptr_eq(t, first) || t.element() == Some(element);
        parts.all(alike).then_some(element)
    }
    /// Whole items in `bytes` bytes; `None` if there is a rest.
    pub fn items(&self, bytes: u64) -> Option<u64> {
        match self.size {
            0 => (bytes == 0).then_some(0),
            size => bytes.is_multiple_of(size).then(|| bytes / size),
        }
    }
    /// Basic elements in `bytes` bytes; `None` if the last one is cut.
    pub fn elements(&self, bytes: u64) -> Option<u64> {
        self.signature.elements(bytes)
    }
    /// Bytes of the whole basic elements in the first `bytes` bytes of an array of items.
    pub fn whole(&self, bytes: u64) -> u64 {
        if self.size == 0 || bytes.is_multiple_of(self.size) {
            return bytes;
        }
        // An element has few bytes.
        (0..=bytes).rev().find(|&whole| self.elements(whole).is_some()).unwrap_or(0)
    }
    /// Bytes of the first `elements` basic elements of an array of items.
    pub fn bytes_of_elements(&self, elements: u64) -> u64 {
        self.signature.bytes_of(elements)
    }
}
