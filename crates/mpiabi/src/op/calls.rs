//! MPI's functions for reduction operators.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use super::{OPERATIONS, User, combine_items, get};
use crate::abi::{Datatype, Op, c};
use crate::buffer::Buffer;
use crate::error::fail;
use crate::export::mpi_fn;
use crate::{checks, datatype};

mpi_fn! {
    pub fn Op_create<Int>(function: *const c_void, commutes: c_int, op: *mut Op) {
        if function.is_null() {
            return fail!(c::ERR_ARG, "the function is null");
        }
        let (function, commutative) = (function as usize, commutes != 0);
        let user = User { function, large: Int::LARGE, commutative };
        unsafe { *op = Op::created(OPERATIONS.insert(Arc::new(user))) };
        Ok(())
    }
    pub fn Op_free(op: *mut Op) {
        let handle = unsafe { *op };
        get(handle)?;
        let Some(slot) = handle.slot() else {
            return fail!(c::ERR_OP, "a predefined operation cannot be freed");
        };
        OPERATIONS.remove(slot);
        unsafe { *op = c::OP_NULL };
        Ok(())
    }
    pub fn Op_commutative(op: Op, commutes: *mut c_int) {
        unsafe { *commutes = c_int::from(get(op)?.is_commutative()) };
        Ok(())
    }
    pub fn Reduce_local<Int>(
        inbuf: *const c_void, inoutbuf: *mut c_void, count: Int, datatype: Datatype, op: Op,
    ) {
        let (operation, found) = (get(op)?, datatype::committed(datatype)?);
        operation.check(&found)?;
        let count = datatype::count(count.wide())?;
        if count > 0 {
            checks::alias(inbuf, inoutbuf)?;
        }
        for (name, at) in [("inbuf", inbuf), ("inoutbuf", inoutbuf.cast_const())] {
            if count > 0 && at as usize == c::IN_PLACE {
                return fail!(c::ERR_BUFFER, "buffer '{name}' cannot be MPI_IN_PLACE");
            }
            Buffer::new(at, count as i64, datatype)?;
        }
        let typed = (datatype, &*found);
        unsafe { combine_items(&operation, typed, count, inbuf.cast(), inoutbuf.cast()) };
        Ok(())
    }
}
