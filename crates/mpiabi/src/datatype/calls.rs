//! The C functions that create, measure and name datatypes.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::make::{self, Distribution, Width};
use super::{SELECTED, TYPES, Type, builtin, get, insert};
use crate::abi::{Aint, Count, Datatype, Kind, Status, c};
use crate::attr;
use crate::error::{Result, copy_string, fail};
use crate::export::{Integer, mpi_fn};

fn width<I: Integer>() -> Width {
    if I::LARGE { Width::Large } else { Width::Small }
}

/// An array argument, widened to 64 bits.
///
/// # Safety
/// `array` has `n` elements, unless `n` is not positive.
pub(crate) unsafe fn list<I: Integer>(array: *const I, n: i64) -> Result<Vec<i64>> {
    let n = super::count(n)? as usize;
    if n == 0 {
        return Ok(Vec::new());
    }
    if array.is_null() {
        return fail!(c::ERR_ARG, "an array of {n} elements is null");
    }
    Ok(unsafe { std::slice::from_raw_parts(array, n) }.iter().map(|v| v.wide()).collect())
}

fn write_handle(made: Result<Type>, newtype: *mut Datatype) -> Result {
    let made = made?;
    unsafe { *newtype = insert(made) };
    Ok(())
}

/// Writes a result, or `MPI_UNDEFINED` if it does not fit (MPI 5.0, 5.1.7).
fn put<I: Integer>(value: i64, out: *mut I) {
    unsafe { *out = I::narrow(value).unwrap_or(I::UNDEFINED) };
}

mpi_fn! {
    pub fn Type_contiguous<Int>(count: Int, old: Datatype, new: *mut Datatype) {
        write_handle(make::contiguous(count.wide(), old, width::<Int>()), new)
    }
    pub fn Type_vector<Int>(
        count: Int, length: Int, stride: Int, old: Datatype, new: *mut Datatype,
    ) {
        let (n, len, stride) = (count.wide(), length.wide(), stride.wide());
        write_handle(make::vector(n, len, stride, old, width::<Int>()), new)
    }
    pub fn Type_create_hvector<Int>(
        count: Int, length: Int, stride: Aint, old: Datatype, new: *mut Datatype,
    ) {
        write_handle(make::hvector(count.wide(), length.wide(), stride, old, width::<Int>()), new)
    }
    pub fn Type_indexed<Int>(
        count: Int, lengths: *const Int, displacements: *const Int, old: Datatype,
        new: *mut Datatype,
    ) {
        let n = count.wide();
        let (lengths, at) = unsafe { (list(lengths, n)?, list(displacements, n)?) };
        write_handle(make::indexed(&lengths, &at, old, width::<Int>()), new)
    }
    pub fn Type_create_hindexed<Int>(
        count: Int, lengths: *const Int, displacements: *const Aint, old: Datatype,
        new: *mut Datatype,
    ) {
        let n = count.wide();
        let (lengths, at) = unsafe { (list(lengths, n)?, list(displacements, n)?) };
        write_handle(make::hindexed(&lengths, &at, old, width::<Int>()), new)
    }
    pub fn Type_create_indexed_block<Int>(
        count: Int, length: Int, displacements: *const Int, old: Datatype, new: *mut Datatype,
    ) {
        let at = unsafe { list(displacements, count.wide())? };
        write_handle(make::indexed_block(length.wide(), &at, old, width::<Int>()), new)
    }
    pub fn Type_create_hindexed_block<Int>(
        count: Int, length: Int, displacements: *const Aint, old: Datatype, new: *mut Datatype,
    ) {
        let at = unsafe { list(displacements, count.wide())? };
        write_handle(make::hindexed_block(length.wide(), &at, old, width::<Int>()), new)
    }
    pub fn Type_create_struct<Int>(
        count: Int, lengths: *const Int, displacements: *const Aint, types: *const Datatype,
        new: *mut Datatype,
    ) {
        let n = count.wide();
        let (lengths, at) = unsafe { (list(lengths, n)?, list(displacements, n)?) };
        let types = match n {
            0 => &[][..],
            _ => unsafe { std::slice::from_raw_parts(types, n as usize) },
        };
        write_handle(make::structure(&lengths, &at, types, width::<Int>()), new)
    }
    pub fn Type_create_resized<Int>(
        old: Datatype, lb: Aint, extent: Aint, new: *mut Datatype,
    ) {
        write_handle(make::resized(old, lb, extent, width::<Int>()), new)
    }
    pub fn Type_create_subarray<Int>(
        dimensions: c_int, sizes: *const Int, parts: *const Int, starts: *const Int,
        order: c_int, old: Datatype, new: *mut Datatype,
    ) {
        let n = i64::from(dimensions);
        let (sizes, parts, starts) =
            unsafe { (list(sizes, n)?, list(parts, n)?, list(starts, n)?) };
        write_handle(make::subarray(&sizes, &parts, &starts, order, old, width::<Int>()), new)
    }
    pub fn Type_create_darray<Int>(
        size: c_int, rank: c_int, dimensions: c_int, sizes: *const Int,
        distributions: *const c_int, arguments: *const c_int, processes: *const c_int,
        order: c_int, old: Datatype, new: *mut Datatype,
    ) {
        let per_dimension = (0..dimensions.max(0) as usize).map(|d| unsafe {
            Distribution {
                size: (*sizes.add(d)).wide(),
                distribution: *distributions.add(d),
                argument: *arguments.add(d),
                processes: *processes.add(d),
            }
        });
        let per_dimension: Vec<Distribution> = per_dimension.collect();
        write_handle(make::darray((size, rank), &per_dimension, order, old, width::<Int>()), new)
    }
    pub fn Type_dup(old: Datatype, new: *mut Datatype) {
        let made = insert(make::dup(old)?);
        unsafe { *new = c::DATATYPE_NULL };
        if let Err(error) = attr::copy_all(Kind::Datatype, old.to_int(), made.to_int()) {
            TYPES.remove(made.slot().expect("just made"));
            return Err(error);
        }
        unsafe { *new = made };
        Ok(())
    }
    pub fn Type_commit(datatype: *mut Datatype) {
        get(unsafe { *datatype })?.committed.store(true, Ordering::Relaxed);
        Ok(())
    }
    pub fn Type_free(datatype: *mut Datatype) {
        let handle = unsafe { *datatype };
        get(handle)?;
        let Some(slot) = handle.slot() else {
            return fail!(c::ERR_TYPE, "a predefined datatype cannot be freed");
        };
        attr::delete_all(Kind::Datatype, handle.to_int())?;
        TYPES.remove(slot);
        unsafe { *datatype = c::DATATYPE_NULL };
        Ok(())
    }

    pub fn Type_struct(
        count: c_int, lengths: *const c_int, displacements: *const Aint, types: *const Datatype,
        new: *mut Datatype,
    ) {
        unsafe { Type_create_struct::<c_int>(count, lengths, displacements, types, new) }
    }
    pub fn Type_hindexed(
        count: c_int, lengths: *const c_int, displacements: *const Aint, old: Datatype,
        new: *mut Datatype,
    ) {
        unsafe { Type_create_hindexed::<c_int>(count, lengths, displacements, old, new) }
    }
    pub fn Type_hvector(
        count: c_int, length: c_int, stride: Aint, old: Datatype, new: *mut Datatype,
    ) {
        unsafe { Type_create_hvector::<c_int>(count, length, stride, old, new) }
    }
}

mpi_fn! {
    pub fn Type_size<Int>(datatype: Datatype, size: *mut Int) {
        put(get(datatype)?.size as i64, size);
        Ok(())
    }
    pub fn Type_size_x(datatype: Datatype, size: *mut Count) {
        put(get(datatype)?.size as i64, size);
        Ok(())
    }
    pub fn Type_get_extent<Int>(datatype: Datatype, lb: *mut Aint, extent: *mut Aint) {
        let found = get(datatype)?;
        unsafe { (*lb, *extent) = (found.lb, found.extent()) };
        Ok(())
    }
    pub fn Type_get_extent_x(datatype: Datatype, lb: *mut Count, extent: *mut Count) {
        unsafe { Type_get_extent::<i64>(datatype, lb, extent) }
    }
    pub fn Type_get_true_extent<Int>(datatype: Datatype, lb: *mut Aint, extent: *mut Aint) {
        let (low, high) = get(datatype)?.true_bounds();
        unsafe { (*lb, *extent) = (low, high - low) };
        Ok(())
    }
    pub fn Type_get_true_extent_x(datatype: Datatype, lb: *mut Count, extent: *mut Count) {
        unsafe { Type_get_true_extent::<i64>(datatype, lb, extent) }
    }
    pub fn Type_extent(datatype: Datatype, extent: *mut Aint) {
        unsafe { *extent = get(datatype)?.extent() };
        Ok(())
    }
    pub fn Type_lb(datatype: Datatype, displacement: *mut Aint) {
        unsafe { *displacement = get(datatype)?.lb };
        Ok(())
    }
    pub fn Type_ub(datatype: Datatype, displacement: *mut Aint) {
        unsafe { *displacement = get(datatype)?.ub };
        Ok(())
    }
    pub fn Type_set_name(datatype: Datatype, name: *const c_char) {
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        if name.len() >= c::MAX_OBJECT_NAME as usize {
            return fail!(c::ERR_ARG, "a name of {} bytes", name.len());
        }
        let found = get(datatype)?;
        *found.name.lock().unwrap_or_else(PoisonError::into_inner) = name.to_vec();
        Ok(())
    }
    pub fn Type_get_name(datatype: Datatype, name: *mut c_char, length: *mut c_int) {
        let room = c::MAX_OBJECT_NAME as usize;
        if datatype == c::DATATYPE_NULL {
            unsafe { *length = copy_string(b"MPI_DATATYPE_NULL", name, room) };
            return Ok(());
        }
        let found = get(datatype)?;
        let text = found.name.lock().unwrap_or_else(PoisonError::into_inner);
        unsafe { *length = copy_string(&text, name, room) };
        Ok(())
    }
    /// The Fortran type of a class and a size.
    pub fn Type_match_size(class: c_int, size: c_int, datatype: *mut Datatype) {
        let found = match (class, size) {
            (c::TYPECLASS_INTEGER, 1) => c::INTEGER1,
            (c::TYPECLASS_INTEGER, 2) => c::INTEGER2,
            (c::TYPECLASS_INTEGER, 4) => c::INTEGER4,
            (c::TYPECLASS_INTEGER, 8) => c::INTEGER8,
            (c::TYPECLASS_INTEGER, 16) => c::INTEGER16,
            (c::TYPECLASS_REAL, 2) => c::REAL2,
            (c::TYPECLASS_REAL, 4) => c::REAL4,
            (c::TYPECLASS_REAL, 8) => c::REAL8,
            (c::TYPECLASS_REAL, 16) => c::REAL16,
            (c::TYPECLASS_COMPLEX, 4) => c::COMPLEX4,
            (c::TYPECLASS_COMPLEX, 8) => c::COMPLEX8,
            (c::TYPECLASS_COMPLEX, 16) => c::COMPLEX16,
            (c::TYPECLASS_COMPLEX, 32) => c::COMPLEX32,
            (c::TYPECLASS_INTEGER | c::TYPECLASS_REAL | c::TYPECLASS_COMPLEX, _) => {
                return fail!(c::ERR_ARG, "no type of that class has {size} bytes");
            }
            _ => return fail!(c::ERR_ARG, "an unknown class of types: {class}"),
        };
        unsafe { *datatype = found };
        Ok(())
    }
    /// The predefined pair of a value and an index type, or the null type.
    pub fn Type_get_value_index(value: Datatype, index: Datatype, pair: *mut Datatype) {
        const PAIRS: [(Datatype, Datatype, Datatype); 6] = [
            (c::FLOAT, c::INT, c::FLOAT_INT),
            (c::DOUBLE, c::INT, c::DOUBLE_INT),
            (c::LONG, c::INT, c::LONG_INT),
            (c::INT, c::INT, c::_2INT),
            (c::SHORT, c::INT, c::SHORT_INT),
            (c::LONG_DOUBLE, c::INT, c::LONG_DOUBLE_INT),
        ];
        get(value)?;
        get(index)?;
        let found = PAIRS.iter().find(|p| (p.0, p.1) == (value, index));
        unsafe { *pair = found.map_or(c::DATATYPE_NULL, |p| p.2) };
        Ok(())
    }
}

fn selected(combiner: c_int, digits: c_int, range: Option<c_int>, new: *mut Datatype) -> Result {
    let mut known = SELECTED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (combiner, digits, range);
    let found = match known.get(&key) {
        Some(found) => *found,
        None => {
            let made = insert(make::selected(combiner, digits, range)?);
            known.insert(key, made);
            made
        }
    };
    unsafe { *new = found };
    Ok(())
}

mpi_fn! {
    pub fn Type_create_f90_integer(digits: c_int, new: *mut Datatype) {
        selected(c::COMBINER_F90_INTEGER, digits, None, new)
    }
    pub fn Type_create_f90_real(digits: c_int, range: c_int, new: *mut Datatype) {
        selected(c::COMBINER_F90_REAL, digits, Some(range), new)
    }
    pub fn Type_create_f90_complex(digits: c_int, range: c_int, new: *mut Datatype) {
        selected(c::COMBINER_F90_COMPLEX, digits, Some(range), new)
    }
}

/// Number of whole items in `bytes`; `MPI_UNDEFINED` if there is a remainder.
fn items(found: &Type, bytes: u64) -> i64 {
    found.items(bytes).map_or(i64::from(c::UNDEFINED), |n| n as i64)
}

fn elements(found: &Type, bytes: u64) -> i64 {
    found.elements(bytes).map_or(i64::from(c::UNDEFINED), |n| n as i64)
}

mpi_fn! {
    pub fn Get_count<Int>(status: *const Status, datatype: Datatype, count: *mut Int) {
        put(items(&*get(datatype)?, unsafe { (*status).bytes() }), count);
        Ok(())
    }
    pub fn Get_elements<Int>(status: *const Status, datatype: Datatype, count: *mut Int) {
        put(elements(&*get(datatype)?, unsafe { (*status).bytes() }), count);
        Ok(())
    }
    pub fn Get_elements_x(status: *const Status, datatype: Datatype, count: *mut Count) {
        put(elements(&*get(datatype)?, unsafe { (*status).bytes() }), count);
        Ok(())
    }
    pub fn Status_set_elements<Int>(status: *mut Status, datatype: Datatype, count: Int) {
        // Counts basic elements, as MPI_Get_elements returns them (MPI 5.0, 13.3).
        let bytes = get(datatype)?.bytes_of_elements(super::count(count.wide())?);
        unsafe { (*status).set_bytes(bytes) };
        Ok(())
    }
    pub fn Status_set_elements_x(status: *mut Status, datatype: Datatype, count: Count) {
        unsafe { Status_set_elements::<i64>(status, datatype, count) }
    }
    pub fn Get_address(location: *const c_void, address: *mut Aint) {
        unsafe { *address = location as Aint };
        Ok(())
    }
    pub fn Address(location: *const c_void, address: *mut Aint) {
        unsafe { *address = location as Aint };
        Ok(())
    }
}

/// A new handle to the type, or the predefined handle itself.
pub(crate) fn reference(handle: Datatype, of: &Arc<Type>) -> Datatype {
    match builtin::find(handle) {
        Some(_) => handle,
        None => Datatype::created(TYPES.insert(of.clone())),
    }
}
