//! MPI's functions for error classes and codes.

use std::ffi::{CStr, c_char, c_int};

use super::{CLASSES, add, added, remove, text};
use crate::abi::c;
use crate::error::{copy_string, fail};
use crate::export::mpi_fn;

mpi_fn! {
    pub fn Error_class(code: c_int, class: *mut c_int) {
        let known = CLASSES.iter().find(|k| k.0 == code).map(|k| k.0);
        let Some(found) = known.or_else(|| added().1.get(&code).map(|a| a.class)) else {
            return fail!(c::ERR_ARG, "{code} is not an error code");
        };
        unsafe { *class = found };
        Ok(())
    }
    pub fn Error_string(code: c_int, string: *mut c_char, length: *mut c_int) {
        let Some(text) = text(code) else {
            return fail!(c::ERR_ARG, "{code} is not an error code");
        };
        unsafe { *length = copy_string(text.as_bytes(), string, c::MAX_ERROR_STRING as usize) };
        Ok(())
    }
    pub fn Add_error_class(class: *mut c_int) {
        unsafe { *class = add(None) };
        Ok(())
    }
    pub fn Add_error_code(class: c_int, code: *mut c_int) {
        let known = CLASSES.iter().any(|k| k.0 == class)
            || added().1.get(&class).is_some_and(|a| a.is_class);
        if !known {
            return fail!(c::ERR_ARG, "{class} is not an error class");
        }
        unsafe { *code = add(Some(class)) };
        Ok(())
    }
    pub fn Add_error_string(code: c_int, string: *const c_char) {
        let string = unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned();
        if string.len() >= c::MAX_ERROR_STRING as usize {
            return fail!(c::ERR_ARG, "an error string of {} bytes", string.len());
        }
        match added().1.get_mut(&code) {
            Some(entry) => entry.text = string,
            None => return fail!(c::ERR_ARG, "{code} is not a code the program added"),
        }
        Ok(())
    }
    pub fn Remove_error_class(class: c_int) {
        remove(class, true)
    }
    pub fn Remove_error_code(code: c_int) {
        remove(code, false)
    }
    pub fn Remove_error_string(code: c_int) {
        match added().1.get_mut(&code) {
            Some(entry) if !entry.text.is_empty() => entry.text.clear(),
            _ => return fail!(c::ERR_ARG, "{code} has no string the program added"),
        }
        Ok(())
    }
}
