//! Entry points that convert more than the way of passing: one-based indices, attribute values,
//! procedures that C calls, and addresses of MPI-1, which are default integers.

use std::ffi::{c_char, c_int, c_void};

use crate::address_constants::{buffer, status, statuses};
use crate::callbacks::{
    Attribute, Grequest, Procedure, cancel_grequest, copy_attribute, delete_attribute,
    free_grequest, query_grequest,
};
use crate::report;
use crate::text::{OutputBuffer, trimmed};

/// `mpi_x_` calls `MPI_X`, `pmpi_x_` calls `PMPI_X`; the body calls either by the name after `via`.
macro_rules! handwritten {
    ($(
        $(#[$m:meta])*
        fn $mpi:ident, $pmpi:ident($($arg:ident: $ty:ty),* $(,)?)
        via $call:ident = $c:ident, $pc:ident($($cty:ty),* $(,)?) $body:block
    )*) => { $(
        $(#[$m])*
        const _: () = {
            #[allow(clippy::too_many_arguments)]
            unsafe fn body($call: unsafe extern "C" fn($($cty),*) -> c_int, $($arg: $ty),*) {
                unsafe { $body }
            }
            unsafe extern "C" {
                fn $c($(_: $cty),*) -> c_int;
                fn $pc($(_: $cty),*) -> c_int;
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $mpi($($arg: $ty),*) {
                unsafe { body($c, $($arg),*) }
            }
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $pmpi($($arg: $ty),*) {
                unsafe { body($pc, $($arg),*) }
            }
        };
    )* };
}

/// `MPI_UNDEFINED` of this ABI.
const UNDEFINED: c_int = -32766;

/// Converts an index from zero-based to one-based.
///
/// # Safety
/// `index` is writable, and C has written it or it is `UNDEFINED`.
unsafe fn to_one_based(index: *mut c_int) {
    unsafe {
        if *index != UNDEFINED {
            *index += 1;
        }
    }
}

/// Converts the first `*count` indices.
///
/// # Safety
/// As written by MPI.
unsafe fn all_to_one_based(count: *const c_int, indices: *mut c_int) {
    let n = usize::try_from(unsafe { *count }).unwrap_or(0); // MPI_UNDEFINED is negative
    (0..n).for_each(|i| unsafe { to_one_based(indices.add(i)) });
}

type RequestsFunction =
    unsafe extern "C" fn(c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;

/// Completes one of several requests.
///
/// # Safety
/// Here and below: the arguments are those that a Fortran program passes to such a function.
unsafe fn complete_any(
    call: RequestsFunction,
    count: c_int,
    requests: *mut c_int,
    index: *mut c_int,
    (flag, found): (*mut c_int, *mut c_int),
    ierror: *mut c_int,
) {
    unsafe {
        *index = UNDEFINED;
        let code = call(count, requests, index, flag, status(found));
        to_one_based(index);
        report(ierror, code);
    }
}

/// Completes several requests.
unsafe fn complete_some(
    call: RequestsFunction,
    count: c_int,
    requests: *mut c_int,
    out: *mut c_int,
    (indices, found): (*mut c_int, *mut c_int),
    ierror: *mut c_int,
) {
    unsafe {
        *out = 0;
        let code = call(count, requests, out, indices, statuses(found));
        all_to_one_based(out, indices);
        report(ierror, code);
    }
}

unsafe extern "C" {
    /// Sets in `libmpi.so.12` the language in which this thread accesses attributes.
    fn odonata_attribute_language(language: c_int);
}

/// Languages: attribute values are address-sized integers, or default integers (MPI-1).
const FORTRAN: c_int = 1;
const MPI1_FORTRAN: c_int = 2;

/// Runs a call on attributes, whose values are integers in Fortran and addresses in C.
unsafe fn as_fortran<T>(language: c_int, call: impl FnOnce() -> T) -> T {
    unsafe { odonata_attribute_language(language) };
    let result = call();
    unsafe { odonata_attribute_language(0) };
    result
}

unsafe fn create_keyval(
    call: unsafe extern "C" fn(CopyFunction, DeleteFunction, *mut c_int, *mut c_void) -> c_int,
    copy: Procedure,
    delete: Procedure,
    keyval: *mut c_int,
    extra_state: i64,
    ierror: *mut c_int,
) {
    unsafe {
        let held = Attribute::leak(copy, delete, extra_state);
        let code = as_fortran(FORTRAN, || call(copy_attribute, delete_attribute, keyval, held));
        report(ierror, code);
    }
}

/// The value of an attribute, if the object has it.
unsafe fn attribute(
    call: unsafe extern "C" fn(c_int, c_int, *mut i64, *mut c_int) -> c_int,
    object: c_int,
    keyval: c_int,
    flag: *mut c_int,
    ierror: *mut c_int,
) -> Option<i64> {
    unsafe {
        let mut found = 0;
        let code = as_fortran(FORTRAN, || call(object, c_keyval(keyval), &mut found, flag));
        report(ierror, code);
        (code == 0 && *flag != 0).then(|| attribute_value(keyval, found))
    }
}

handwritten! {
    /// Fortran does not pass the command line.
    fn mpi_init_, pmpi_init_(ierror: *mut c_int)
    via call = MPI_Init, PMPI_Init(*mut c_int, *mut c_void) {
        report(ierror, call(std::ptr::null_mut(), std::ptr::null_mut()));
    }
    fn mpi_init_thread_, pmpi_init_thread_(
        required: *const c_int, provided: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Init_thread, PMPI_Init_thread(*mut c_int, *mut c_void, c_int, *mut c_int) {
        let none = std::ptr::null_mut();
        report(ierror, call(none, none.cast(), *required, provided));
    }
    fn mpi_info_create_env_, pmpi_info_create_env_(info: *mut c_int, ierror: *mut c_int)
    via call = MPI_Info_create_env, PMPI_Info_create_env(c_int, *mut c_void, *mut c_int) {
        report(ierror, call(0, std::ptr::null_mut(), info));
    }
    fn mpi_pcontrol_, pmpi_pcontrol_(level: *const c_int, ierror: *mut c_int)
    via call = MPI_Pcontrol, PMPI_Pcontrol(c_int) {
        report(ierror, call(*level));
    }

    fn mpi_waitany_, pmpi_waitany_(
        count: *const c_int, requests: *mut c_int, index: *mut c_int, found: *mut c_int,
        ierror: *mut c_int,
    ) via call = MPI_Waitany, PMPI_Waitany(c_int, *mut c_int, *mut c_int, *mut c_int) {
        *index = UNDEFINED;
        let code = call(*count, requests, index, status(found));
        to_one_based(index);
        report(ierror, code);
    }
    fn mpi_testany_, pmpi_testany_(
        count: *const c_int, requests: *mut c_int, index: *mut c_int, flag: *mut c_int,
        found: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Testany, PMPI_Testany(
        c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int,
    ) {
        complete_any(call, *count, requests, index, (flag, found), ierror);
    }
    fn mpi_request_get_status_any_, pmpi_request_get_status_any_(
        count: *const c_int, requests: *mut c_int, index: *mut c_int, flag: *mut c_int,
        found: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Request_get_status_any, PMPI_Request_get_status_any(
        c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int,
    ) {
        complete_any(call, *count, requests, index, (flag, found), ierror);
    }
    fn mpi_waitsome_, pmpi_waitsome_(
        count: *const c_int, requests: *mut c_int, out: *mut c_int, indices: *mut c_int,
        found: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Waitsome, PMPI_Waitsome(
        c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int,
    ) {
        complete_some(call, *count, requests, out, (indices, found), ierror);
    }
    fn mpi_testsome_, pmpi_testsome_(
        count: *const c_int, requests: *mut c_int, out: *mut c_int, indices: *mut c_int,
        found: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Testsome, PMPI_Testsome(
        c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int,
    ) {
        complete_some(call, *count, requests, out, (indices, found), ierror);
    }
    fn mpi_request_get_status_some_, pmpi_request_get_status_some_(
        count: *const c_int, requests: *mut c_int, out: *mut c_int, indices: *mut c_int,
        found: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Request_get_status_some, PMPI_Request_get_status_some(
        c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int,
    ) {
        complete_some(call, *count, requests, out, (indices, found), ierror);
    }

    /// `buflen` is a number of characters without a NUL, both of the buffer and of the value.
    fn mpi_info_get_string_, pmpi_info_get_string_(
        info: *const c_int, key: *const u8, buflen: *mut c_int, value: *mut u8,
        flag: *mut c_int, ierror: *mut c_int, key_len: usize, value_len: usize,
    ) via call = MPI_Info_get_string, PMPI_Info_get_string(
        c_int, *const c_char, *mut c_int, *mut c_char, *mut c_int,
    ) {
        let key = trimmed(key, key_len);
        let wanted = (*buflen).max(0).min(value_len.try_into().unwrap_or(c_int::MAX - 1));
        let mut output = OutputBuffer::new(wanted as usize);
        let mut size = if wanted == 0 { 0 } else { wanted + 1 };
        let code = call(*info, key.as_ptr(), &mut size, output.as_mut_ptr(), flag);
        if code == 0 && *flag != 0 {
            *buflen = size - 1;
            output.copy_to(value, value_len);
        }
        report(ierror, code);
    }
    fn mpi_session_get_nth_pset_, pmpi_session_get_nth_pset_(
        session: *const c_int, info: *const c_int, n: *const c_int, length: *mut c_int,
        name: *mut u8, ierror: *mut c_int, name_len: usize,
    ) via call = MPI_Session_get_nth_pset, PMPI_Session_get_nth_pset(
        c_int, c_int, c_int, *mut c_int, *mut c_char,
    ) {
        let wanted = (*length).max(0).min(name_len.try_into().unwrap_or(c_int::MAX - 1));
        let mut output = OutputBuffer::new(wanted as usize);
        let mut size = if wanted == 0 { 0 } else { wanted + 1 };
        let code = call(*session, *info, *n, &mut size, output.as_mut_ptr());
        if code == 0 && wanted == 0 {
            *length = size - 1;
        }
        output.copy_to(name, name_len);
        report(ierror, code);
    }

    fn mpi_comm_create_keyval_, pmpi_comm_create_keyval_(
        copy: Procedure, delete: Procedure, keyval: *mut c_int, extra_state: *const i64,
        ierror: *mut c_int,
    ) via call = MPI_Comm_create_keyval, PMPI_Comm_create_keyval(
        CopyFunction, DeleteFunction, *mut c_int, *mut c_void,
    ) {
        create_keyval(call, copy, delete, keyval, *extra_state, ierror);
    }
    fn mpi_type_create_keyval_, pmpi_type_create_keyval_(
        copy: Procedure, delete: Procedure, keyval: *mut c_int, extra_state: *const i64,
        ierror: *mut c_int,
    ) via call = MPI_Type_create_keyval, PMPI_Type_create_keyval(
        CopyFunction, DeleteFunction, *mut c_int, *mut c_void,
    ) {
        create_keyval(call, copy, delete, keyval, *extra_state, ierror);
    }
    fn mpi_win_create_keyval_, pmpi_win_create_keyval_(
        copy: Procedure, delete: Procedure, keyval: *mut c_int, extra_state: *const i64,
        ierror: *mut c_int,
    ) via call = MPI_Win_create_keyval, PMPI_Win_create_keyval(
        CopyFunction, DeleteFunction, *mut c_int, *mut c_void,
    ) {
        create_keyval(call, copy, delete, keyval, *extra_state, ierror);
    }
    /// MPI-1: values and extra state are default integers, the lower halves of words.
    fn mpi_keyval_create_, pmpi_keyval_create_(
        copy: Procedure, delete: Procedure, keyval: *mut c_int, extra_state: *const c_int,
        ierror: *mut c_int,
    ) via call = MPI_Comm_create_keyval, PMPI_Comm_create_keyval(
        CopyFunction, DeleteFunction, *mut c_int, *mut c_void,
    ) {
        create_keyval(call, copy, delete, keyval, i64::from(*extra_state), ierror);
    }

    fn mpi_comm_get_attr_, pmpi_comm_get_attr_(
        comm: *const c_int, keyval: *const c_int, value: *mut i64, flag: *mut c_int,
        ierror: *mut c_int,
    ) via call = MPI_Comm_get_attr, PMPI_Comm_get_attr(c_int, c_int, *mut i64, *mut c_int) {
        if let Some(found) = attribute(call, *comm, *keyval, flag, ierror) {
            *value = found;
        }
    }
    fn mpi_attr_get_, pmpi_attr_get_(
        comm: *const c_int, keyval: *const c_int, value: *mut c_int, flag: *mut c_int,
        ierror: *mut c_int,
    ) via call = MPI_Comm_get_attr, PMPI_Comm_get_attr(c_int, c_int, *mut i64, *mut c_int) {
        if let Some(found) = attribute(call, *comm, *keyval, flag, ierror) {
            *value = found as c_int;
        }
    }
    fn mpi_comm_set_attr_, pmpi_comm_set_attr_(
        comm: *const c_int, keyval: *const c_int, value: *const i64, ierror: *mut c_int,
    ) via call = MPI_Comm_set_attr, PMPI_Comm_set_attr(c_int, c_int, i64) {
        report(ierror, as_fortran(FORTRAN, || call(*comm, *keyval, *value)));
    }
    fn mpi_type_set_attr_, pmpi_type_set_attr_(
        datatype: *const c_int, keyval: *const c_int, value: *const i64, ierror: *mut c_int,
    ) via call = MPI_Type_set_attr, PMPI_Type_set_attr(c_int, c_int, i64) {
        report(ierror, as_fortran(FORTRAN, || call(*datatype, *keyval, *value)));
    }
    fn mpi_win_set_attr_, pmpi_win_set_attr_(
        win: *const c_int, keyval: *const c_int, value: *const i64, ierror: *mut c_int,
    ) via call = MPI_Win_set_attr, PMPI_Win_set_attr(c_int, c_int, i64) {
        report(ierror, as_fortran(FORTRAN, || call(*win, *keyval, *value)));
    }
    fn mpi_attr_put_, pmpi_attr_put_(
        comm: *const c_int, keyval: *const c_int, value: *const c_int, ierror: *mut c_int,
    ) via call = MPI_Comm_set_attr, PMPI_Comm_set_attr(c_int, c_int, i64) {
        let value = i64::from(*value);
        report(ierror, as_fortran(MPI1_FORTRAN, || call(*comm, *keyval, value)));
    }
    fn mpi_type_get_attr_, pmpi_type_get_attr_(
        datatype: *const c_int, keyval: *const c_int, value: *mut i64, flag: *mut c_int,
        ierror: *mut c_int,
    ) via call = MPI_Type_get_attr, PMPI_Type_get_attr(c_int, c_int, *mut i64, *mut c_int) {
        if let Some(found) = attribute(call, *datatype, *keyval, flag, ierror) {
            *value = found;
        }
    }
    fn mpi_win_get_attr_, pmpi_win_get_attr_(
        win: *const c_int, keyval: *const c_int, value: *mut i64, flag: *mut c_int,
        ierror: *mut c_int,
    ) via call = MPI_Win_get_attr, PMPI_Win_get_attr(c_int, c_int, *mut i64, *mut c_int) {
        if let Some(found) = attribute(call, *win, *keyval, flag, ierror) {
            *value = found;
        }
    }

    fn mpi_grequest_start_, pmpi_grequest_start_(
        query: Procedure, free: Procedure, cancel: Procedure, extra_state: *mut i64,
        request: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Grequest_start, PMPI_Grequest_start(
        unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int,
        unsafe extern "C" fn(*mut c_void) -> c_int,
        unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
        *mut c_void, *mut c_int,
    ) {
        let held = Grequest::leak(query, free, cancel, extra_state);
        report(ierror, call(query_grequest, free_grequest, cancel_grequest, held, request));
    }

    /// In `mpif.h` the argument is a buffer, so no address can be returned.
    fn mpi_buffer_detach_, pmpi_buffer_detach_(
        _buffer: *mut c_void, size: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Buffer_detach, PMPI_Buffer_detach(*mut usize, *mut c_int) {
        report(ierror, call(&mut 0, size));
    }
    fn mpi_comm_detach_buffer_, pmpi_comm_detach_buffer_(
        comm: *const c_int, _buffer: *mut c_void, size: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Comm_detach_buffer, PMPI_Comm_detach_buffer(c_int, *mut usize, *mut c_int) {
        report(ierror, call(*comm, &mut 0, size));
    }
    fn mpi_session_detach_buffer_, pmpi_session_detach_buffer_(
        session: *const c_int, _buffer: *mut c_void, size: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Session_detach_buffer, PMPI_Session_detach_buffer(
        c_int, *mut usize, *mut c_int,
    ) {
        report(ierror, call(*session, &mut 0, size));
    }
    /// `mpi_f08` has a `type(c_ptr)`.
    fn mpi_buffer_detach_f08_, pmpi_buffer_detach_f08_(
        at: *mut usize, size: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Buffer_detach, PMPI_Buffer_detach(*mut usize, *mut c_int) {
        report(ierror, call(at, size));
    }
    fn mpi_comm_detach_buffer_f08_, pmpi_comm_detach_buffer_f08_(
        comm: *const c_int, at: *mut usize, size: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Comm_detach_buffer, PMPI_Comm_detach_buffer(c_int, *mut usize, *mut c_int) {
        report(ierror, call(*comm, at, size));
    }
    fn mpi_session_detach_buffer_f08_, pmpi_session_detach_buffer_f08_(
        session: *const c_int, at: *mut usize, size: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Session_detach_buffer, PMPI_Session_detach_buffer(
        c_int, *mut usize, *mut c_int,
    ) {
        report(ierror, call(*session, at, size));
    }
    fn mpi_buffer_detach_f08_c_, pmpi_buffer_detach_f08_c_(
        at: *mut usize, size: *mut i64, ierror: *mut c_int,
    ) via call = MPI_Buffer_detach_c, PMPI_Buffer_detach_c(*mut usize, *mut i64) {
        report(ierror, call(at, size));
    }
    fn mpi_comm_detach_buffer_f08_c_, pmpi_comm_detach_buffer_f08_c_(
        comm: *const c_int, at: *mut usize, size: *mut i64, ierror: *mut c_int,
    ) via call = MPI_Comm_detach_buffer_c, PMPI_Comm_detach_buffer_c(
        c_int, *mut usize, *mut i64,
    ) {
        report(ierror, call(*comm, at, size));
    }
    fn mpi_session_detach_buffer_f08_c_, pmpi_session_detach_buffer_f08_c_(
        session: *const c_int, at: *mut usize, size: *mut i64, ierror: *mut c_int,
    ) via call = MPI_Session_detach_buffer_c, PMPI_Session_detach_buffer_c(
        c_int, *mut usize, *mut i64,
    ) {
        report(ierror, call(*session, at, size));
    }

    /// The lower half of an address. Differences of two are correct up to 2 GiB. An address for use
    /// with `MPI_BOTTOM` is wrong unless it is below 2 GiB.
    fn mpi_address_, pmpi_address_(
        location: *mut c_void, address: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Get_address, PMPI_Get_address(*mut c_void, *mut i64) {
        let mut found = 0;
        let code = call(buffer(location), &mut found);
        *address = found as c_int;
        report(ierror, code);
    }
    fn mpi_type_extent_, pmpi_type_extent_(
        datatype: *const c_int, extent: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Type_get_extent, PMPI_Type_get_extent(c_int, *mut i64, *mut i64) {
        let (mut lower, mut found) = (0, 0);
        let code = call(*datatype, &mut lower, &mut found);
        *extent = saturate(found);
        report(ierror, code);
    }
    fn mpi_type_lb_, pmpi_type_lb_(
        datatype: *const c_int, at: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Type_get_extent, PMPI_Type_get_extent(c_int, *mut i64, *mut i64) {
        let (mut lower, mut found) = (0, 0);
        let code = call(*datatype, &mut lower, &mut found);
        *at = saturate(lower);
        report(ierror, code);
    }
    fn mpi_type_ub_, pmpi_type_ub_(
        datatype: *const c_int, at: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Type_get_extent, PMPI_Type_get_extent(c_int, *mut i64, *mut i64) {
        let (mut lower, mut found) = (0, 0);
        let code = call(*datatype, &mut lower, &mut found);
        *at = saturate(lower.saturating_add(found));
        report(ierror, code);
    }
    fn mpi_type_hvector_, pmpi_type_hvector_(
        count: *const c_int, length: *const c_int, stride: *const c_int, old: *const c_int,
        new: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Type_create_hvector, PMPI_Type_create_hvector(
        c_int, c_int, i64, c_int, *mut c_int,
    ) {
        report(ierror, call(*count, *length, i64::from(*stride), *old, new));
    }
    fn mpi_type_hindexed_, pmpi_type_hindexed_(
        count: *const c_int, lengths: *mut c_int, at: *const c_int, old: *const c_int,
        new: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Type_create_hindexed, PMPI_Type_create_hindexed(
        c_int, *mut c_int, *mut i64, c_int, *mut c_int,
    ) {
        let mut at = widen(at, *count);
        report(ierror, call(*count, lengths, at.as_mut_ptr(), *old, new));
    }
    fn mpi_type_struct_, pmpi_type_struct_(
        count: *const c_int, lengths: *mut c_int, at: *const c_int, types: *mut c_int,
        new: *mut c_int, ierror: *mut c_int,
    ) via call = MPI_Type_create_struct, PMPI_Type_create_struct(
        c_int, *mut c_int, *mut i64, *mut c_int, *mut c_int,
    ) {
        let mut at = widen(at, *count);
        report(ierror, call(*count, lengths, at.as_mut_ptr(), types, new));
    }
}

type CopyFunction =
    unsafe extern "C" fn(c_int, c_int, *mut c_void, i64, *mut i64, *mut c_int) -> c_int;
type DeleteFunction = unsafe extern "C" fn(c_int, c_int, i64, *mut c_void) -> c_int;

/// The value as a default integer, saturated.
fn saturate(value: i64) -> c_int {
    value.clamp(i64::from(c_int::MIN), i64::from(c_int::MAX)) as c_int
}

/// # Safety
/// `at` has `count` integers, if that is positive.
unsafe fn widen(at: *const c_int, count: c_int) -> Vec<i64> {
    let n = usize::try_from(count).unwrap_or(0);
    (0..n).map(|i| i64::from(unsafe { *at.add(i) })).collect()
}

/// Keys of predefined attributes of communicators and windows. In this ABI they are larger by one
/// in Fortran than in C: even here, odd there.
const COMM_KEYVALS: std::ops::RangeInclusive<c_int> = 0x6440_0002..=0x6440_0010;
const WIN_KEYVALS: std::ops::RangeInclusive<c_int> = 0x6600_0002..=0x6600_000a;
const WIN_BASE: c_int = 0x6600_0002;
const WIN_SIZE: c_int = 0x6600_0004;

/// The corresponding key of C.
fn c_keyval(keyval: c_int) -> c_int {
    let predefined = COMM_KEYVALS.contains(&keyval) || WIN_KEYVALS.contains(&keyval);
    if predefined { keyval - 1 } else { keyval }
}

/// The value of an attribute. C returns the address of a predefined attribute's value.
///
/// # Safety
/// `found` is what the C function gave for `keyval`.
unsafe fn attribute_value(keyval: c_int, found: i64) -> i64 {
    match keyval {
        WIN_BASE => found, // an address in Fortran as well
        WIN_SIZE => unsafe { *(found as *const i64) },
        _ if c_keyval(keyval) != keyval => i64::from(unsafe { *(found as *const c_int) }),
        _ => found,
    }
}

/// MPI's predefined attribute procedures, which a program passes as arguments. They are called by
/// [`copy_attribute`] and [`delete_attribute`], which pass whole words; MPI-1's take default
/// integers.
macro_rules! predefined {
    ($($null:ident $dup:ident $delete:ident: $word:ty;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $null(
            _object: *const c_int, _keyval: *const c_int, _extra: *const $word,
            _value: *const $word, _out: *mut $word, flag: *mut c_int, ierror: *mut c_int,
        ) {
            unsafe { *flag = 0 };
            unsafe { report(ierror, 0) };
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $dup(
            _object: *const c_int, _keyval: *const c_int, _extra: *const $word,
            value: *const $word, out: *mut $word, flag: *mut c_int, ierror: *mut c_int,
        ) {
            unsafe { (*out, *flag) = (*value, 1) };
            unsafe { report(ierror, 0) };
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $delete(
            _object: *const c_int, _keyval: *const c_int, _value: *const $word,
            _extra: *const $word, ierror: *mut c_int,
        ) {
            unsafe { report(ierror, 0) };
        }
    )* };
}
predefined! {
    mpi_null_copy_fn_ mpi_dup_fn_ mpi_null_delete_fn_: c_int;
    mpi_comm_null_copy_fn_ mpi_comm_dup_fn_ mpi_comm_null_delete_fn_: i64;
    mpi_type_null_copy_fn_ mpi_type_dup_fn_ mpi_type_null_delete_fn_: i64;
    mpi_win_null_copy_fn_ mpi_win_dup_fn_ mpi_win_null_delete_fn_: i64;
}

/// Statuses of `mpi_f08` and of `mpif.h` are the same five integers.
macro_rules! same_status {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(from: *const c_int, to: *mut c_int, ierror: *mut c_int) {
            unsafe {
                std::ptr::copy(from, to, 5);
                report(ierror, 0);
            }
        }
    )* };
}
same_status! { mpi_status_f2f08_ pmpi_status_f2f08_ mpi_status_f082f_ pmpi_status_f082f_ }

/// An opaque call: its only effect is on the compiler's optimization.
#[unsafe(no_mangle)]
extern "C" fn mpi_f_sync_reg_(_buffer: *mut c_void) {}
#[unsafe(no_mangle)]
extern "C" fn pmpi_f_sync_reg_(_buffer: *mut c_void) {}

/// Size of one element, bytes: the second word of the descriptor that Fortran passes to C for a
/// `type(*), dimension(..)` (Fortran 2018, 18.5.3).
#[unsafe(no_mangle)]
unsafe extern "C" fn odonata_sizeof(of: *const usize, size: *mut c_int, ierror: *mut c_int) {
    unsafe {
        *size = *of.add(1) as c_int;
        report(ierror, 0);
    }
}

/// `==` and `/=` of the handles of `mpi_f08`, which are one integer each.
macro_rules! compared {
    ($($equal:ident $unequal:ident)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $equal(a: *const c_int, b: *const c_int) -> c_int {
            c_int::from(unsafe { *a == *b })
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $unequal(a: *const c_int, b: *const c_int) -> c_int {
            c_int::from(unsafe { *a != *b })
        }
    )* };
}
compared! {
    odonata_comm_eq_ odonata_comm_ne_
    odonata_datatype_eq_ odonata_datatype_ne_
    odonata_errhandler_eq_ odonata_errhandler_ne_
    odonata_file_eq_ odonata_file_ne_
    odonata_group_eq_ odonata_group_ne_
    odonata_info_eq_ odonata_info_ne_
    odonata_message_eq_ odonata_message_ne_
    odonata_op_eq_ odonata_op_ne_
    odonata_request_eq_ odonata_request_ne_
    odonata_session_eq_ odonata_session_ne_
    odonata_win_eq_ odonata_win_ne_
}

/// Data representations by the program's own conversion procedures are not supported in Fortran: to
/// continue would write unreadable data.
macro_rules! refused {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            unsafe extern "C" {
                fn MPI_Abort(comm: c_int, code: c_int) -> c_int;
            }
            eprintln!("MPI_Register_datarep is not supported by odonata from Fortran");
            unsafe { MPI_Abort(0x4400_0000, 1) }; // MPI_COMM_WORLD
        }
    )* };
}
refused! {
    mpi_register_datarep_ pmpi_register_datarep_
    mpi_register_datarep_c_ pmpi_register_datarep_c_
    mpi_conversion_fn_null_ mpi_conversion_fn_null_c_
}
