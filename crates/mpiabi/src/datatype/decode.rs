//! Envelope and contents: the arguments with which a type was created.

use std::ffi::c_int;

use super::calls::reference;
use super::{Type, get};
use crate::abi::{Aint, Count, Datatype, c};
use crate::error::{Result, fail};
use crate::export::mpi_fn;

/// The functions with int counts cannot return large counts.
fn check_small(found: &Type) -> Result {
    if !found.contents.counts.is_empty() {
        return fail!(c::ERR_TYPE, "the type was made with large counts: use the _c form");
    }
    Ok(())
}

fn check_room(found: &Type, [integers, addresses, counts, types]: [i64; 4]) -> Result {
    let r = &found.contents;
    let rooms = [
        ("integers", integers, r.integers.len()),
        ("addresses", addresses, r.addresses.len()),
        ("large counts", counts, r.counts.len()),
        ("datatypes", types, r.types.len()),
    ];
    for (what, room, need) in rooms {
        if room < need as i64 {
            return fail!(c::ERR_ARG, "room for {room} {what} of {need}");
        }
    }
    if r.combiner == c::COMBINER_NAMED {
        return fail!(c::ERR_TYPE, "a predefined datatype has no contents");
    }
    Ok(())
}

/// # Safety
/// The arrays have the sizes that `check_room` has checked.
unsafe fn write_contents(
    found: &Type,
    integers: *mut c_int,
    addresses: *mut Aint,
    counts: *mut Count,
    types: *mut Datatype,
) {
    let r = &found.contents;
    unsafe {
        for (i, &v) in r.integers.iter().enumerate() {
            *integers.add(i) = v as c_int;
        }
        for (i, &v) in r.addresses.iter().enumerate() {
            *addresses.add(i) = v;
        }
        for (i, &v) in r.counts.iter().enumerate() {
            *counts.add(i) = v;
        }
        for (i, (handle, of)) in r.types.iter().enumerate() {
            *types.add(i) = reference(*handle, of);
        }
    }
}

mpi_fn! {
    pub fn Type_get_envelope(
        datatype: Datatype, integers: *mut c_int, addresses: *mut c_int, types: *mut c_int,
        combiner: *mut c_int,
    ) {
        let found = get(datatype)?;
        check_small(&found)?;
        let r = &found.contents;
        unsafe {
            *integers = r.integers.len() as c_int;
            *addresses = r.addresses.len() as c_int;
            *types = r.types.len() as c_int;
            *combiner = r.combiner;
        }
        Ok(())
    }
    pub fn Type_get_envelope_c(
        datatype: Datatype, integers: *mut Count, addresses: *mut Count, counts: *mut Count,
        types: *mut Count, combiner: *mut c_int,
    ) {
        let found = get(datatype)?;
        let r = &found.contents;
        unsafe {
            *integers = r.integers.len() as Count;
            *addresses = r.addresses.len() as Count;
            *counts = r.counts.len() as Count;
            *types = r.types.len() as Count;
            *combiner = r.combiner;
        }
        Ok(())
    }
    pub fn Type_get_contents(
        datatype: Datatype, max_integers: c_int, max_addresses: c_int, max_types: c_int,
        integers: *mut c_int, addresses: *mut Aint, types: *mut Datatype,
    ) {
        let found = get(datatype)?;
        check_small(&found)?;
        check_room(&found, [max_integers.into(), max_addresses.into(), 0, max_types.into()])?;
        unsafe { write_contents(&found, integers, addresses, std::ptr::null_mut(), types) };
        Ok(())
    }
    pub fn Type_get_contents_c(
        datatype: Datatype, max_integers: Count, max_addresses: Count, max_counts: Count,
        max_types: Count, integers: *mut c_int, addresses: *mut Aint, counts: *mut Count,
        types: *mut Datatype,
    ) {
        let found = get(datatype)?;
        check_room(&found, [max_integers, max_addresses, max_counts, max_types])?;
        unsafe { write_contents(&found, integers, addresses, counts, types) };
        Ok(())
    }
}
