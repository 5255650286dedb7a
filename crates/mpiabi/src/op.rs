//! Reduction operators: the predefined ones on all types for which they are defined, and functions
//! that a program registers.
//!
//! `kernel` does the arithmetic. This file decides where a reduction is computed, and unpacks data
//! for a user's function, which needs the memory layout of its datatype.

mod calls;
pub(crate) mod combiners;
mod extended;
mod half;
mod kernel;
mod real;
#[cfg(test)]
mod tests;

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use workload::wire::combine;

use crate::abi::{Datatype, Kind, Op, Registry, c};
use crate::datatype::{Number, Type};
use crate::error::{Result, fail};
use crate::foreign;
use crate::runtime::callback;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Sum,
    Prod,
    Max,
    Min,
    OnComplete,
    Band,
    Lor,
    Bor,
    Lxor,
    Bxor,
    MaxLoc,
    MinLoc,
    Replace,
    NoOp,
}

/// A function of the program: `inout[i] = in[i] op inout[i]`.
pub(crate) struct User {
    function: usize,
    /// Its count argument is an `MPI_Count`.
    large: bool,
    commutative: bool,
}

#[derive(Clone)]
pub(crate) enum Operation {
    Predefined(Operator),
    User(Arc<User>),
}

static OPERATIONS: Registry<User> = Registry::new();

const PREDEFINED: [(Op, Operator, u32); 14] = [
    (c::SUM, Operator::Sum, combine::op::SUM),
    (c::PROD, Operator::Prod, combine::op::PROD),
    (c::MAX, Operator::Max, combine::op::MAX),
    (c::MIN, Operator::Min, combine::op::MIN),
    (c::LAND, Operator::OnComplete, combine::op::LAND),
    (c::BAND, Operator::Band, combine::op::BAND),
    (c::LOR, Operator::Lor, combine::op::LOR),
    (c::BOR, Operator::Bor, combine::op::BOR),
    (c::LXOR, Operator::Lxor, combine::op::LXOR),
    (c::BXOR, Operator::Bxor, combine::op::BXOR),
    (c::MAXLOC, Operator::MaxLoc, combine::op::MAXLOC),
    (c::MINLOC, Operator::MinLoc, combine::op::MINLOC),
    (c::REPLACE, Operator::Replace, combine::op::REPLACE),
    (c::NO_OP, Operator::NoOp, combine::op::NO_OP),
];

impl Operator {
    /// The code of the operator in submissions.
    fn code(self) -> u32 {
        PREDEFINED.iter().find(|p| p.1 == self).expect("all are listed").2
    }
}

/// Number of operations that the program has created and not freed.
pub(crate) fn created() -> usize {
    OPERATIONS.len()
}

/// The operation of a handle.
pub(crate) fn get(handle: Op) -> Result<Operation> {
    if let Some(found) = PREDEFINED.iter().find(|p| p.0 == handle) {
        return Ok(Operation::Predefined(found.1));
    }
    match handle.slot().and_then(|slot| OPERATIONS.get(slot)) {
        Some(user) => Ok(Operation::User(user)),
        None if handle == c::OP_NULL => fail!(c::ERR_OP, "the operation is null"),
        None => {
            let (raw, more) = (handle.to_int(), foreign::clause(Kind::Op, handle.to_int()));
            fail!(c::ERR_OP, "not an operation: {raw:#x}{more}")
        }
    }
}

impl Operation {
    pub fn is_commutative(&self) -> bool {
        match self {
            Operation::Predefined(op) => !matches!(op, Operator::Replace | Operator::NoOp),
            Operation::User(user) => user.commutative,
        }
    }
    /// Rejects a predefined operation on a type for which it is not defined.
    pub fn check(&self, datatype: &Type) -> Result {
        let Operation::Predefined(op) = self else { return Ok(()) };
        match datatype.number {
            Some(number) if kernel::combines(*op, number) => Ok(()),
            Some(number) => fail!(c::ERR_OP, "{op:?} is not defined for {number:?} values"),
            None => fail!(c::ERR_OP, "{op:?} needs a predefined datatype, not a derived one"),
        }
    }
    /// The code that identifies the operation in submissions, wherever it is computed. All members
    /// of a reduction must use the same.
    pub fn wire_identity(&self, datatype: &Type) -> u32 {
        let Operation::Predefined(op) = self else {
            return combine::builtin(combine::op::OWN, 0);
        };
        combine::builtin(op.code(), datatype.number.map_or(0, Number::wire_identity))
    }
    /// The code by which the simulator can compute the operation; `combine::USER` if it cannot.
    pub fn on_wire(&self, datatype: &Type) -> u32 {
        let (Operation::Predefined(op), Some(number)) = (self, datatype.number) else {
            return combine::USER;
        };
        let logical = matches!(op, Operator::OnComplete | Operator::Lor | Operator::Lxor);
        let element = match number {
            Number::L8 if logical => Some(combine::element::U8),
            Number::L16 if logical => Some(combine::element::U16),
            Number::L32 if logical => Some(combine::element::U32),
            Number::L64 if logical => Some(combine::element::U64),
            number => number.on_wire(),
        };
        element.map_or(combine::USER, |element| combine::builtin(op.code(), element))
    }
}

/// Computes `inout[i] = in[i] op inout[i]` for `count` items in their memory layout.
///
/// # Safety
/// All data of the items is readable, and writable at `inout`.
pub(crate) unsafe fn combine_items(
    operation: &Operation,
    (handle, datatype): (Datatype, &Type),
    count: u64,
    from: *const u8,
    inout: *mut u8,
) {
    match operation {
        Operation::Predefined(op) => {
            let number = datatype.number.expect("checked when the operation was called");
            let stride = datatype.extent() as usize;
            unsafe { kernel::combine(*op, number, stride, count, from, inout) };
        }
        Operation::User(user) => unsafe { call(user, handle, datatype, count, from, inout) },
    }
}

/// Combines packed items: `into = from op into` if `left`, else `into = into op from`.
///
/// # Safety
/// Both point to the packed bytes of `count` items, and do not overlap.
pub(crate) unsafe fn combine_packed(
    operation: &Operation,
    (handle, datatype): (Datatype, &Type),
    count: u64,
    into: *mut u8,
    from: *const u8,
    left: bool,
) {
    let bytes = datatype.packed_size(count) as usize;
    if datatype.contiguous(count) == Some(0) {
        if left || operation.is_commutative() {
            return unsafe {
                combine_items(operation, (handle, datatype), count, from, into);
            };
        }
        let mut right = vec![0u128; bytes.div_ceil(16)];
        unsafe {
            std::ptr::copy_nonoverlapping(from, right.as_mut_ptr().cast(), bytes);
            combine_items(operation, (handle, datatype), count, into, right.as_mut_ptr().cast());
            std::ptr::copy_nonoverlapping(right.as_ptr().cast(), into, bytes);
        }
        return;
    }
    let (mut a, mut b) = (UnpackedItems::new(datatype, count), UnpackedItems::new(datatype, count));
    let (first, second) = if left { (from, into.cast_const()) } else { (into.cast_const(), from) };
    unsafe {
        datatype.unpack(first, bytes as u64, count, a.at());
        datatype.unpack(second, bytes as u64, count, b.at());
        combine_items(operation, (handle, datatype), count, a.at(), b.at());
        datatype.pack(count, b.at(), into);
    }
}

/// Memory for items in the layout of their type.
struct UnpackedItems {
    memory: Vec<u128>,
    /// Offset of the buffer address from the first byte of the memory.
    origin: i64,
}

impl UnpackedItems {
    fn new(datatype: &Type, count: u64) -> UnpackedItems {
        let (low, high) = datatype.true_bounds();
        let last = (count.max(1) as i64 - 1) * datatype.extent();
        let (low, high) = (low + last.min(0), high + last.max(0));
        // Keeps the alignment of the type's own offsets.
        let origin = (15 - low).div_euclid(16) * 16;
        let bytes = (high + origin).max(0) as usize;
        UnpackedItems { memory: vec![0; bytes.div_ceil(16)], origin }
    }
    fn at(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr().cast::<u8>().wrapping_offset(self.origin as isize)
    }
}

/// Calls the program's function, in several parts if its count is an `int` and `count` does not
/// fit.
///
/// # Safety
/// See `combine_items`; the function is the one passed to `MPI_Op_create`.
unsafe fn call(
    user: &User,
    handle: Datatype,
    datatype: &Type,
    count: u64,
    from: *const u8,
    inout: *mut u8,
) {
    type Function<I> = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut I, *mut Datatype);
    let mut handle = handle;
    if user.large {
        let mut n = count as i64;
        unsafe {
            let f = std::mem::transmute::<usize, Function<i64>>(user.function);
            callback(|| f(from.cast_mut().cast(), inout.cast(), &raw mut n, &raw mut handle));
        }
        return;
    }
    let mut done = 0;
    while done < count {
        let mut n = (count - done).min(c_int::MAX as u64) as c_int;
        let at = (done as i64 * datatype.extent()) as isize;
        done += n as u64;
        unsafe {
            let f = std::mem::transmute::<usize, Function<c_int>>(user.function);
            let (from, inout) = (from.wrapping_offset(at), inout.wrapping_offset(at));
            callback(|| f(from.cast_mut().cast(), inout.cast(), &raw mut n, &raw mut handle));
        }
    }
}
