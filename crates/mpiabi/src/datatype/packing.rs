//! `MPI_Pack` and its kin.

use std::ffi::{c_char, c_void};

use super::committed;
use crate::abi::{Aint, Comm, Count, Datatype, c};
use crate::error::{Result, fail};
use crate::export::mpi_fn;

/// Where `need` bytes from `position` on end in a buffer of `size`.
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
        let end = advance(at, found.packed_size(count), size)?;
        unsafe {
            let out = outbuf.cast::<u8>().offset(at as isize);
            found.pack(count, inbuf.cast(), out);
            swap(&found, count, out, true);
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
        let bytes = found.packed_size(count);
        let end = advance(at, bytes, size)?;
        unsafe {
            let from = inbuf.cast::<u8>().offset(at as isize);
            let mut copy = std::slice::from_raw_parts(from, bytes as usize).to_vec();
            swap(&found, count, copy.as_mut_ptr(), false);
            found.unpack(copy.as_ptr(), bytes, count, outbuf.cast());
            *position = end;
        }
        Ok(())
    }
    pub fn Pack_external_size<Int>(
        representation: *const c_char, count: Int, datatype: Datatype, size: *mut Count,
    ) {
        check_representation(representation)?;
        let bytes = committed(datatype)?.packed_size(super::count(count.wide())?);
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

/// Turns packed values of this machine into `external32`'s big-endian ones, or back. All sizes are
/// the same there.
///
/// # Safety
/// `data` holds `count` packed items of the type.
unsafe fn swap(found: &super::Type, count: u64, data: *mut u8, to_external: bool) {
    use super::Number::*;
    let mut at = data;
    for _ in 0..count {
        found.signature.for_each(&mut |number, n| {
            let size = number.layout().0 as usize;
            let halves: &[usize] = match number {
                C80 => &[16, 16],
                C16 => &[2, 2],
                C32 => &[4, 4],
                C64 => &[8, 8],
                C128 => &[16, 16],
                _ => &[size],
            };
            for _ in 0..n {
                for &part in halves {
                    // SAFETY: within the packed items.
                    unsafe {
                        let value = std::slice::from_raw_parts_mut(at, part);
                        let long = matches!(number, F80 | C80);
                        if long && !to_external {
                            value.reverse();
                            from_quad(value);
                        } else {
                            if long {
                                to_quad(value);
                            }
                            value.reverse();
                        }
                        at = at.add(part);
                    }
                }
            }
        });
    }
}

/// `long double` has 64 bits of mantissa here, the first of them explicit, and 112 with none
/// explicit in `external32`. Exponents are the same, so no value is lost on the way out.
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

/// Elsewhere it is the same format.
#[cfg(not(target_arch = "x86_64"))]
fn to_quad(_: &mut [u8]) {}
#[cfg(not(target_arch = "x86_64"))]
fn from_quad(_: &mut [u8]) {}
