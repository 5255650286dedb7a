//! The tool interface (`MPI_T_*`), as empty as the standard allows: no variables, no events, no
//! categories. Tools that look find none, instead of an abort.

use std::ffi::{c_char, c_int};

use crate::abi::c;
use crate::export::mpi_fn;

/// # Safety
/// `count` is writable.
unsafe fn none(count: *mut c_int) -> c_int {
    unsafe { *count = 0 };
    c::SUCCESS
}

mpi_fn! {
    pub fn T_init_thread(required: c_int, provided: *mut c_int) -> c_int {
        unsafe { *provided = required };
        c::SUCCESS
    }
    pub fn T_finalize() -> c_int { c::SUCCESS }
    pub fn T_cvar_get_num(count: *mut c_int) -> c_int { unsafe { none(count) } }
    pub fn T_pvar_get_num(count: *mut c_int) -> c_int { unsafe { none(count) } }
    pub fn T_event_get_num(count: *mut c_int) -> c_int { unsafe { none(count) } }
    pub fn T_source_get_num(count: *mut c_int) -> c_int { unsafe { none(count) } }
    pub fn T_category_get_num(count: *mut c_int) -> c_int { unsafe { none(count) } }
    pub fn T_category_changed(stamp: *mut c_int) -> c_int { unsafe { none(stamp) } }
    pub fn T_cvar_get_index(_name: *const c_char, _index: *mut c_int) -> c_int {
        c::T_ERR_INVALID_NAME
    }
    pub fn T_pvar_get_index(_name: *const c_char, _class: c_int, _index: *mut c_int) -> c_int {
        c::T_ERR_INVALID_NAME
    }
    pub fn T_event_get_index(_name: *const c_char, _index: *mut c_int) -> c_int {
        c::T_ERR_INVALID_NAME
    }
    pub fn T_category_get_index(_name: *const c_char, _index: *mut c_int) -> c_int {
        c::T_ERR_INVALID_NAME
    }
}
