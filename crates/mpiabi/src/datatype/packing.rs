//! `MPI_Pack`, `MPI_Unpack` and their variants.

use std::ffi::{c_char, c_void};

use super::{Number, Type, committed};
use crate::abi::{Aint, Comm, Count, Datatype, c};
use crate::error::{Result, fail};
use crate::export::mpi_fn;

/// The position after `need` bytes from `position` on in a buffer of `size`.
fn advance(position: i64, need: u64, size: i64) -> Result<i64> {
    let end = position + need as i64;
    if position < 0 || end > size {
        return fail!(c::ERR_TRUNCATE, "{need} bytes at {position} of a buffer of {size}");
    }
    Ok(end)
}

mpi_fn! {
    pub fn Pack<Int>(
        inbuf: *const c_void, count: Int, datatype: Datatype, outbuf: *mut c_void, size: Int,
        position: *mut Int, _comm: Comm,
    ) {
        let found = committed(datatype)?;
        let (count, at) = (super::count(count.wide())?, unsafe { *position }.wide());
        let end = advance(at, found.packed_size(count), size.wide())?;
        unsafe {
            found.pack(count, inbuf.cast(), outbuf.cast::<u8>().offset(at as isize));
            *position = Int::narrow(end).expect("not past a size that fits");
        }
        Ok(())
    }
    pub fn Unpack<Int>(
        inbuf: *const c_void, size: Int, position: *mut Int, outbuf: *mut c_void, count: Int,
        datatype: Datatype, _comm: Comm,
    ) {
        let found = committed(datatype)?;
        let (count, at) = (super::count(count.wide())?, unsafe { *position }.wide());
        let bytes = found.packed_size(count);
        let end = advance(at, bytes, size.wide())?;
        unsafe {
            found.unpack(inbuf.cast::<u8>().offset(at as isize), bytes, count, outbuf.cast());
            *position = Int::narrow(end).expect("not past a size that fits");
        }
        Ok(())
    }
    pub fn Pack_size<Int>(count: Int, datatype: Datatype, _comm: Comm, size: *mut Int) {
        let bytes = committed(datatype)?.packed_size(super::count(count.wide())?);
        unsafe { *size = Int::narrow(bytes as i64).unwrap_or(Int::UNDEFINED) };
        Ok(())
    }
    pub fn Pack_external<Int>(
        representation: *const c_char, inbuf: *const c_void, count: Int, datatype: Datatype,
        outbuf: *mut c_void, size: Aint, position: *mut Aint,
    ) {
        check_representation(representation)?;
        let found = committed(datatype)?;
        let (count, at) = (super::count(count.wide())?, unsafe { *position });
        let end = advance(at, found.external_size(count), size)?;
        let mut native = vec![0; found.packed_size(count) as usize];
        unsafe {
            found.pack(count, inbuf.cast(), native.as_mut_ptr());
            let out = outbuf.cast::<u8>().offset(at as isize);
            let out = std::slice::from_raw_parts_mut(out, (end - at) as usize);
            convert(&found, count, to_external, &mut native, out);
            *position = end;
        }
        Ok(())
    }
    pub fn Unpack_external<Int>(
        representation: *const c_char, inbuf: *const c_void, size: Aint, position: *mut Aint,
        outbuf: *mut c_void, count: Int, datatype: Datatype,
    ) {
        check_representation(representation)?;
        let found = committed(datatype)?;
        let (count, at) = (super::count(count.wide())?, unsafe { *position });
        let end = advance(at, found.external_size(count), size)?;
        let mut native = vec![0; found.packed_size(count) as usize];
        unsafe {
            let from = inbuf.cast::<u8>().offset(at as isize);
            let mut from = std::slice::from_raw_parts(from, (end - at) as usize).to_vec();
            convert(&found, count, from_external, &mut native, &mut from);
            found.unpack(native.as_ptr(), native.len() as u64, count, outbuf.cast());
            *position = end;
        }
        Ok(())
    }
    pub fn Pack_external_size<Int>(
        representation: *const c_char, count: Int, datatype: Datatype, size: *mut Count,
    ) {
        check_representation(representation)?;
        let bytes = committed(datatype)?.external_size(super::count(count.wide())?);
        unsafe { *size = bytes as Count };
        Ok(())
    }
}

fn check_representation(name: *const c_char) -> Result {
    let name = unsafe { std::ffi::CStr::from_ptr(name) };
    if name != c"external32" {
        let name = name.to_string_lossy();
        return fail!(c::ERR_ARG, "the data representation is {name:?}, not \"external32\"");
    }
    Ok(())
}

/// One value, or half of a complex value: its type and its bytes.
struct Value<'a> {
    number: Number,
    bytes: &'a mut [u8],
}

/// Calls `each` for every value of `count` packed items, with its place here and in `external32`.
fn convert(
    found: &Type,
    count: u64,
    each: impl Fn(Value, &mut [u8]),
    mut here: &mut [u8],
    mut there: &mut [u8],
) {
    use Number::*;
    for _ in 0..count {
        found.signature.for_each(&mut |number, external, n| {
            let halves = if matches!(number, C16 | C32 | C64 | C80 | C128) { 2 } else { 1 };
            let size = (number.layout().0 / halves) as usize;
            for _ in 0..n * halves {
                let (bytes, rest) = std::mem::take(&mut here).split_at_mut(size);
                let (out, left) =
                    std::mem::take(&mut there).split_at_mut((external / halves) as usize);
                each(Value { number, bytes }, out);
                (here, there) = (rest, left);
            }
        });
    }
}

/// Converts `count` packed items of this machine to `external32`.
pub(crate) fn to_external32(found: &Type, count: u64, packed: &mut [u8], out: &mut [u8]) {
    convert(found, count, to_external, packed, out);
}

/// The reverse conversion.
pub(crate) fn from_external32(found: &Type, count: u64, packed: &mut [u8], from: &mut [u8]) {
    convert(found, count, from_external, packed, from);
}

/// Big-endian. If the external value is shorter, only the lower bytes are kept: by the standard, a
/// value that does not fit is lost.
fn to_external(value: Value, out: &mut [u8]) {
    if matches!(value.number, Number::F80 | Number::C80) {
        to_quad(value.bytes);
    }
    out.copy_from_slice(&value.bytes[..out.len()]);
    out.reverse();
}

fn from_external(value: Value, from: &mut [u8]) {
    let (low, high) = value.bytes.split_at_mut(from.len());
    low.copy_from_slice(from);
    low.reverse();
    let is_signed = matches!(value.number, Number::I32 | Number::I64);
    high.fill(if is_signed && from[0] >= 0x80 { 0xff } else { 0 });
    if matches!(value.number, Number::F80 | Number::C80) {
        from_quad(value.bytes);
    }
}

/// `long double` has 64 bits of mantissa here, with an explicit leading bit; in `external32` it has
/// 112 bits with an implicit one. Exponents are the same, so this direction loses no value.
#[cfg(target_arch = "x86_64")]
fn to_quad(value: &mut [u8]) {
    let bits = u128::from_ne_bytes((&*value).try_into().expect("16 bytes"));
    let (fraction, head) = (bits & ((1 << 63) - 1), bits >> 64 & 0xffff);
    value.copy_from_slice(&(head << 112 | fraction << 49).to_ne_bytes());
}

#[cfg(target_arch = "x86_64")]
fn from_quad(value: &mut [u8]) {
    let bits = u128::from_ne_bytes((&*value).try_into().expect("16 bytes"));
    let (fraction, head) = (bits >> 49 & ((1 << 63) - 1), bits >> 112);
    let explicit = u128::from(head & 0x7fff != 0) << 63;
    value.copy_from_slice(&(head << 64 | explicit | fraction).to_ne_bytes());
}

/// On other architectures the format is the same.
#[cfg(not(target_arch = "x86_64"))]
fn to_quad(_: &mut [u8]) {}
#[cfg(not(target_arch = "x86_64"))]
fn from_quad(_: &mut [u8]) {}
