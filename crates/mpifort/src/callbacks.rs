//! Fortran procedures that C calls and whose arguments differ from C's.
//!
//! Reductions and error handlers need no conversion: they take addresses in either language, and
//! handles are integers in both (the integer of a file is the lower half of its address).

use std::ffi::{c_int, c_void};

/// The address of a procedure, as a Fortran compiler passes it.
pub type Procedure = *const c_void;

type Copy = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *const i64,
    *const i64,
    *mut i64,
    *mut c_int,
    *mut c_int,
);
type Delete = unsafe extern "C" fn(*const c_int, *const c_int, *const i64, *const i64, *mut c_int);

/// Target of C's `extra_state` of an attribute. Never freed: a key may be freed while objects still
/// have values under it, whose copy and delete functions use it.
pub struct Attribute {
    copy: Copy,
    delete: Delete,
    extra_state: i64,
}

impl Attribute {
    /// # Safety
    /// Procedures with the interfaces of `MPI_*_COPY_ATTR_FUNCTION` and
    /// `MPI_*_DELETE_ATTR_FUNCTION`.
    pub unsafe fn leak(copy: Procedure, delete: Procedure, extra_state: i64) -> *mut c_void {
        let held = unsafe {
            Attribute {
                copy: std::mem::transmute::<Procedure, Copy>(copy),
                delete: std::mem::transmute::<Procedure, Delete>(delete),
                extra_state,
            }
        };
        Box::into_raw(Box::new(held)).cast()
    }
}

/// The copy function for C. The attribute value, an address in C, is the word itself.
///
/// # Safety
/// As MPI calls a copy function whose extra state came from [`Attribute::leak`].
pub unsafe extern "C" fn copy_attribute(
    object: c_int,
    keyval: c_int,
    extra_state: *mut c_void,
    value: i64,
    out: *mut i64,
    flag: *mut c_int,
) -> c_int {
    let attribute = unsafe { &*extra_state.cast::<Attribute>() };
    let extra = &attribute.extra_state;
    let (mut copied, mut kept, mut code) = (0i64, 0, 0);
    unsafe {
        (attribute.copy)(&object, &keyval, extra, &value, &mut copied, &mut kept, &mut code);
        *out = copied;
        *flag = c_int::from(kept != 0);
    }
    code
}

/// # Safety
/// As MPI calls a delete function whose extra state came from [`Attribute::leak`].
pub unsafe extern "C" fn delete_attribute(
    object: c_int,
    keyval: c_int,
    value: i64,
    extra_state: *mut c_void,
) -> c_int {
    let attribute = unsafe { &*extra_state.cast::<Attribute>() };
    let mut code = 0;
    unsafe {
        (attribute.delete)(&object, &keyval, &value, &attribute.extra_state, &mut code);
    }
    code
}

type Query = unsafe extern "C" fn(*mut i64, *mut c_int, *mut c_int);
type Free = unsafe extern "C" fn(*mut i64, *mut c_int);
type Cancel = unsafe extern "C" fn(*mut i64, *const c_int, *mut c_int);

/// The procedures of a generalized request; `free` is called last. They receive the program's own
/// `extra_state` and may change it: MPICH does not copy it either.
pub struct Grequest {
    query: Query,
    free: Free,
    cancel: Cancel,
    extra_state: *mut i64,
}

impl Grequest {
    /// # Safety
    /// Procedures with the interfaces of `MPI_GREQUEST_*_FUNCTION`; `extra_state` is valid
    /// until the request is complete and freed.
    pub unsafe fn leak(
        query: Procedure,
        free: Procedure,
        cancel: Procedure,
        extra_state: *mut i64,
    ) -> *mut c_void {
        let held = unsafe {
            Grequest {
                query: std::mem::transmute::<Procedure, Query>(query),
                free: std::mem::transmute::<Procedure, Free>(free),
                cancel: std::mem::transmute::<Procedure, Cancel>(cancel),
                extra_state,
            }
        };
        Box::into_raw(Box::new(held)).cast()
    }
}

/// # Safety
/// Called by MPI, with extra state from [`Grequest::leak`].
pub unsafe extern "C" fn query_grequest(extra_state: *mut c_void, status: *mut c_int) -> c_int {
    let (of, mut code) = (unsafe { &*extra_state.cast::<Grequest>() }, 0);
    unsafe { (of.query)(of.extra_state, status, &mut code) };
    code
}

/// # Safety
/// See [`query_grequest`].
pub unsafe extern "C" fn free_grequest(extra_state: *mut c_void) -> c_int {
    let (of, mut code) = (unsafe { Box::from_raw(extra_state.cast::<Grequest>()) }, 0);
    unsafe { (of.free)(of.extra_state, &mut code) };
    code
}

/// # Safety
/// See [`query_grequest`].
pub unsafe extern "C" fn cancel_grequest(extra_state: *mut c_void, complete: c_int) -> c_int {
    let (of, mut code) = (unsafe { &*extra_state.cast::<Grequest>() }, 0);
    unsafe { (of.cancel)(of.extra_state, &complete, &mut code) };
    code
}
