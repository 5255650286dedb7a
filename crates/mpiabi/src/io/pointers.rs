//! File pointers: inquiry and seeking.

use std::ffi::c_int;

use super::{OpenFile, find};
use crate::abi::{File, c};
use crate::error::{Result, fail};
use crate::export::mpi_fn;
use crate::runtime;

/// The target of a seek, in etypes. `current` is evaluated only if needed.
fn target(file: &OpenFile, offset: i64, whence: c_int, current: impl Fn() -> i64) -> Result<i64> {
    let base = match whence {
        c::SEEK_SET => 0,
        c::SEEK_CUR => current(),
        c::SEEK_END => {
            let view = file.view();
            let end = view.visible_before(file.disk.size()?);
            end.checked_div(view.unit).unwrap_or(0) as i64
        }
        _ => return fail!(c::ERR_ARG, "whence is {whence}"),
    };
    match base.checked_add(offset) {
        Some(position) if position >= 0 => Ok(position),
        _ => fail!(c::ERR_ARG, "the file pointer cannot go to etype {base} {offset:+}"),
    }
}

mpi_fn! {
    pub fn File_seek(fh: File, offset: i64, whence: c_int) {
        runtime::enter()?;
        let file = find(fh)?;
        file.check_random()?;
        let position = target(&file, offset, whence, || file.state().position)?;
        file.state().position = position;
        Ok(())
    }
    pub fn File_get_position(fh: File, offset: *mut i64) {
        runtime::enter()?;
        let file = find(fh)?;
        file.check_random()?;
        unsafe { *offset = file.state().position };
        Ok(())
    }
    pub fn File_get_byte_offset(fh: File, offset: i64, displacement: *mut i64) {
        runtime::enter()?;
        let file = find(fh)?;
        file.check_random()?;
        let view = file.view();
        match u64::try_from(offset).ok().and_then(|offset| offset.checked_mul(view.unit)) {
            Some(at) => unsafe { *displacement = view.offset_of(at) },
            None => return fail!(c::ERR_ARG, "the offset is {offset}"),
        }
        Ok(())
    }
    pub fn File_seek_shared(fh: File, offset: i64, whence: c_int) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        file.check_random()?;
        file.check_same(held, "whence", whence.into())?;
        file.check_same(held, "the offset", offset)?;
        file.on_first_rank(held, || {
            let position = target(&file, offset, whence, || file.advance_shared(held, 0))?;
            file.set_shared(held, position);
            Ok(())
        })
    }
    pub fn File_get_position_shared(fh: File, offset: *mut i64) {
        let held = &runtime::enter()?;
        let file = find(fh)?;
        file.check_random()?;
        unsafe { *offset = file.advance_shared(held, 0) };
        Ok(())
    }
}
