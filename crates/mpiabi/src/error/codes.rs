//! Error classes with their texts, and the classes and codes that a program adds.

mod calls;

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use super::{Result, fail};
use crate::abi::c;

/// The error classes with their texts for `MPI_Error_string`.
#[rustfmt::skip]
pub(super) const CLASSES: &[(c_int, &str)] = &[
    (c::SUCCESS, "no error"),
    (c::ERR_BUFFER, "invalid buffer pointer"),
    (c::ERR_COUNT, "invalid count argument"),
    (c::ERR_TYPE, "invalid datatype argument"),
    (c::ERR_TAG, "invalid tag argument"),
    (c::ERR_COMM, "invalid communicator"),
    (c::ERR_RANK, "invalid rank"),
    (c::ERR_REQUEST, "invalid request"),
    (c::ERR_ROOT, "invalid root"),
    (c::ERR_GROUP, "invalid group"),
    (c::ERR_OP, "invalid operation"),
    (c::ERR_TOPOLOGY, "invalid communicator topology"),
    (c::ERR_DIMS, "invalid dimension argument"),
    (c::ERR_ARG, "invalid argument"),
    (c::ERR_UNKNOWN, "unknown error"),
    (c::ERR_TRUNCATE, "message truncated"),
    (c::ERR_OTHER, "known error of no other class"),
    (c::ERR_INTERN, "internal error"),
    (c::ERR_PENDING, "pending request"),
    (c::ERR_IN_STATUS, "error code is in the status"),
    (c::ERR_ACCESS, "permission denied"),
    (c::ERR_AMODE, "invalid file access mode"),
    (c::ERR_ASSERT, "invalid assertion argument"),
    (c::ERR_BAD_FILE, "invalid file name"),
    (c::ERR_BASE, "invalid base argument"),
    (c::ERR_CONVERSION, "error in a data conversion function"),
    (c::ERR_DISP, "invalid displacement argument"),
    (c::ERR_DUP_DATAREP, "data representation is already defined"),
    (c::ERR_FILE_EXISTS, "file exists"),
    (c::ERR_FILE_IN_USE, "file is in use"),
    (c::ERR_FILE, "invalid file handle"),
    (c::ERR_INFO_KEY, "invalid info key"),
    (c::ERR_INFO_NOKEY, "info key is not defined"),
    (c::ERR_INFO_VALUE, "invalid info value"),
    (c::ERR_INFO, "invalid info object"),
    (c::ERR_IO, "input/output error"),
    (c::ERR_KEYVAL, "invalid attribute key"),
    (c::ERR_LOCKTYPE, "invalid lock type"),
    (c::ERR_NAME, "service name is not published"),
    (c::ERR_NO_MEM, "out of memory"),
    (c::ERR_NOT_SAME, "collective argument is not the same on all ranks"),
    (c::ERR_NO_SPACE, "not enough space"),
    (c::ERR_NO_SUCH_FILE, "file does not exist"),
    (c::ERR_PORT, "invalid port"),
    (c::ERR_QUOTA, "quota exceeded"),
    (c::ERR_READ_ONLY, "file or file system is read-only"),
    (c::ERR_RMA_ATTACH, "memory cannot be attached"),
    (c::ERR_RMA_CONFLICT, "conflicting accesses to a window"),
    (c::ERR_RMA_RANGE, "target memory is not part of the window"),
    (c::ERR_RMA_SHARED, "memory cannot be shared"),
    (c::ERR_RMA_SYNC, "wrong synchronization of one-sided calls"),
    (c::ERR_SERVICE, "invalid service name"),
    (c::ERR_SIZE, "invalid size argument"),
    (c::ERR_SPAWN, "error in spawning processes"),
    (c::ERR_UNSUPPORTED_DATAREP, "unsupported data representation"),
    (c::ERR_UNSUPPORTED_OPERATION, "unsupported operation"),
    (c::ERR_WIN, "invalid window"),
    (c::ERR_RMA_FLAVOR, "window has the wrong flavor"),
    (c::ERR_PROC_ABORTED, "peer process has aborted"),
    (c::ERR_VALUE_TOO_LARGE, "value is too large to store"),
    (c::ERR_SESSION, "invalid session"),
    (c::ERR_ERRHANDLER, "invalid error handler"),
    (c::ERR_ABI, "error in an ABI function"),
    (c::T_ERR_CANNOT_INIT, "tool interface cannot be initialized"),
    (c::T_ERR_NOT_ACCESSIBLE, "tool information is not accessible"),
    (c::T_ERR_NOT_INITIALIZED, "tool interface is not initialized"),
    (c::T_ERR_NOT_SUPPORTED, "tool function is not supported"),
    (c::T_ERR_MEMORY, "out of memory in the tool interface"),
    (c::T_ERR_INVALID, "invalid use of the tool interface"),
    (c::T_ERR_INVALID_INDEX, "invalid index in the tool interface"),
    (c::T_ERR_INVALID_ITEM, "invalid item in the tool interface"),
    (c::T_ERR_INVALID_SESSION, "invalid session of the tool interface"),
    (c::T_ERR_INVALID_HANDLE, "invalid handle of the tool interface"),
    (c::T_ERR_INVALID_NAME, "invalid name in the tool interface"),
    (c::T_ERR_OUT_OF_HANDLES, "no more handles in the tool interface"),
    (c::T_ERR_OUT_OF_SESSIONS, "no more sessions in the tool interface"),
    (c::T_ERR_CVAR_SET_NOT_NOW, "control variable cannot be set now"),
    (c::T_ERR_CVAR_SET_NEVER, "control variable can never be set"),
    (c::T_ERR_PVAR_NO_WRITE, "performance variable cannot be written"),
    (c::T_ERR_PVAR_NO_STARTSTOP, "performance variable cannot be started or stopped"),
    (c::T_ERR_PVAR_NO_ATOMIC, "performance variable has no atomic read and write"),
];

/// Classes and codes that the program has added, by code.
struct Added {
    class: c_int,
    is_class: bool,
    text: String,
}

static ADDED: Mutex<(c_int, BTreeMap<c_int, Added>)> =
    Mutex::new((c::ERR_LASTCODE, BTreeMap::new()));

fn added() -> std::sync::MutexGuard<'static, (c_int, BTreeMap<c_int, Added>)> {
    ADDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `MPI_LASTUSEDCODE`.
pub(crate) fn last_used_code() -> c_int {
    added().0
}

fn add(class: Option<c_int>) -> c_int {
    let mut added = added();
    added.0 += 1;
    let code = added.0;
    let entry =
        Added { class: class.unwrap_or(code), is_class: class.is_none(), text: String::new() };
    added.1.insert(code, entry);
    code
}

/// Removes a class or code, if the program added it and nothing depends on it.
fn remove(code: c_int, is_class: bool) -> Result {
    let mut added = added();
    let known = added.1.get(&code).is_some_and(|a| a.is_class == is_class && a.text.is_empty());
    let used = is_class && added.1.values().any(|a| !a.is_class && a.class == code);
    if !known || used {
        return fail!(c::ERR_OTHER, "error code {code} was not added, has a string or is in use");
    }
    added.1.remove(&code);
    added.0 = added.1.keys().next_back().copied().unwrap_or(c::ERR_LASTCODE);
    Ok(())
}

pub(super) fn text(code: c_int) -> Option<String> {
    if let Some(class) = CLASSES.iter().find(|k| k.0 == code) {
        return Some(class.1.to_string());
    }
    added().1.get(&code).map(|a| a.text.clone())
}
