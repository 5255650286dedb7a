//! MPI's functions for hints, name and group of a window.

use std::ffi::{CStr, c_char, c_int};

use super::super::find;
use super::merge_hints;
use crate::abi::{Group, Info, Win, c};
use crate::error::copy_string;
use crate::export::mpi_fn;
use crate::{group, info, runtime};

mpi_fn! {
    pub fn Win_get_group(win: Win, group: *mut Group) {
        let held = &runtime::enter()?;
        unsafe { *group = group::insert(find(held, win)?.comm.members.clone()) };
        Ok(())
    }
    pub fn Win_set_name(win: Win, name: *const c_char) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let text = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let room = c::MAX_OBJECT_NAME as usize - 1;
        let cut = (0..=room.min(text.len())).rev().find(|&i| text.is_char_boundary(i));
        window.state(held).name = text[..cut.unwrap_or(0)].to_string();
        Ok(())
    }
    pub fn Win_get_name(win: Win, name: *mut c_char, length: *mut c_int) {
        let held = &runtime::enter()?;
        let text = match win {
            c::WIN_NULL => "MPI_WIN_NULL".to_string(),
            _ => find(held, win)?.state(held).name.clone(),
        };
        unsafe { *length = copy_string(text.as_bytes(), name, c::MAX_OBJECT_NAME as usize) };
        Ok(())
    }
    pub fn Win_set_info(win: Win, hints: Info) {
        let held = &runtime::enter()?;
        let window = find(held, win)?;
        let given = info::pairs(hints)?;
        merge_hints(&mut window.state(held).hints, given);
        Ok(())
    }
    pub fn Win_get_info(win: Win, hints: *mut Info) {
        let held = &runtime::enter()?;
        let own = find(held, win)?.state(held).hints.clone();
        unsafe { *hints = info::insert(own) };
        Ok(())
    }
}
