//! Events, their sources, and enumerations of values. There are none, so every index and handle is
//! invalid.

use std::ffi::{c_char, c_int, c_void};

use super::{put, with_initialized};
use crate::abi::{Aint, Count, Datatype, Info, c};
use crate::export::mpi_fn;

/// # Safety
/// `count` is null or writable.
unsafe fn none(count: *mut c_int) -> c_int {
    with_initialized(|_| {
        unsafe { put(count, 0) };
        Ok(())
    })
}

fn no_index() -> c_int {
    with_initialized(|_| Err(c::T_ERR_INVALID_INDEX))
}
fn no_handle() -> c_int {
    with_initialized(|_| Err(c::T_ERR_INVALID_HANDLE))
}

mpi_fn! {
    pub fn T_enum_get_info(
        _kind: usize, _count: *mut c_int, _name: *mut c_char, _len: *mut c_int,
    ) -> c_int { no_handle() }
    pub fn T_enum_get_item(
        _kind: usize, _index: c_int, _value: *mut c_int, _name: *mut c_char, _len: *mut c_int,
    ) -> c_int { no_handle() }

    pub fn T_source_get_num(count: *mut c_int) -> c_int { unsafe { none(count) } }
    pub fn T_source_get_info(
        _index: c_int, _name: *mut c_char, _name_len: *mut c_int, _desc: *mut c_char,
        _desc_len: *mut c_int, _ordering: *mut c_int, _ticks: *mut Count, _max: *mut Count,
        _info: *mut Info,
    ) -> c_int { no_index() }
    pub fn T_source_get_timestamp(_index: c_int, _stamp: *mut Count) -> c_int { no_index() }

    pub fn T_event_get_num(count: *mut c_int) -> c_int { unsafe { none(count) } }
    pub fn T_event_get_index(_name: *const c_char, _index: *mut c_int) -> c_int {
        with_initialized(|_| Err(c::T_ERR_INVALID_NAME))
    }
    pub fn T_event_get_info(
        _index: c_int, _name: *mut c_char, _name_len: *mut c_int, _verbosity: *mut c_int,
        _datatypes: *mut Datatype, _displacements: *mut Aint, _count: *mut c_int,
        _kind: *mut usize, _info: *mut Info, _desc: *mut c_char, _desc_len: *mut c_int,
        _bind: *mut c_int,
    ) -> c_int { no_index() }
    pub fn T_event_handle_alloc(
        _index: c_int, _object: *mut c_void, _info: Info, _registration: *mut usize,
    ) -> c_int { no_index() }
    pub fn T_event_handle_free(
        _registration: usize, _data: *mut c_void, _function: usize,
    ) -> c_int { no_handle() }
    pub fn T_event_handle_get_info(_registration: usize, _info: *mut Info) -> c_int {
        no_handle()
    }
    pub fn T_event_handle_set_info(_registration: usize, _info: Info) -> c_int { no_handle() }
    pub fn T_event_register_callback(
        _registration: usize, _safety: c_int, _info: Info, _data: *mut c_void, _function: usize,
    ) -> c_int { no_handle() }
    pub fn T_event_callback_get_info(
        _registration: usize, _safety: c_int, _info: *mut Info,
    ) -> c_int { no_handle() }
    pub fn T_event_callback_set_info(
        _registration: usize, _safety: c_int, _info: Info,
    ) -> c_int { no_handle() }
    pub fn T_event_set_dropped_handler(_registration: usize, _function: usize) -> c_int {
        no_handle()
    }
    pub fn T_event_read(_instance: usize, _index: c_int, _out: *mut c_void) -> c_int {
        no_handle()
    }
    pub fn T_event_copy(_instance: usize, _out: *mut c_void) -> c_int { no_handle() }
    pub fn T_event_get_source(_instance: usize, _index: *mut c_int) -> c_int { no_handle() }
    pub fn T_event_get_timestamp(_instance: usize, _stamp: *mut Count) -> c_int { no_handle() }
}
