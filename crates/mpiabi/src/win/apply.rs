//! The target's side: applies other ranks' operations to this rank's memory.
//!
//! Runs in the target's own process while it has the turn. So an operation is atomic as a whole,
//! while MPI guarantees atomicity per element only.

use workload::wire::flag;

use super::block::{Block, Header, Stride, work};
use super::{Window, by_context};
use crate::abi::{Datatype, Op};
use crate::runtime::{self, Held};
use crate::{datatype, op};

/// Applies a list of operations, in order.
pub(crate) fn apply(held: &Held, first: u64) {
    let mut next = first;
    while next != 0 {
        let block = Block::at(held, next);
        // SAFETY: the simulator links blocks made by `Block::new`, and passes them to this rank.
        let header = unsafe { block.header() };
        next = header.arrival.next;
        let Some(window) = by_context(held, header.arrival.context) else {
            refuse(held, &header, "the window has been freed here");
        };
        // SAFETY: as above; `locate` checks the window's memory.
        unsafe {
            let place = locate(held, &window, &header, block.strides());
            perform(&header, block.strides(), place, block.area());
        }
        if header.arrival.flags & flag::FETCH == 0 {
            runtime::free(held, block.offset);
        }
    }
}

/// Ends the job: the call at the origin has returned successfully, so the error cannot be reported
/// there.
fn refuse(held: &Held, header: &Header, why: &str) -> ! {
    let function = workload::functions::function_name(header.function);
    let origin = header.arrival.origin;
    runtime::fatal(held, &format!("{function} of rank {origin} on this rank's window: {why}"))
}

/// The address to which the offsets of strides are relative.
fn locate(held: &Held, window: &Window, header: &Header, strides: &[Stride]) -> *mut u8 {
    if !window.is_dynamic() {
        // The origin knows the window's size and has checked the range.
        return window.base().wrapping_offset(header.at as isize);
    }
    for s in strides {
        let last = (s.count as i64 - 1) * s.stride;
        let low = header.at + s.at + last.min(0);
        let high = header.at + s.at + last.max(0) + s.len as i64;
        if !window.has_attached(held, super::address(low), super::address(high)) {
            refuse(held, header, &format!("{low:#x} to {high:#x} is not attached to it"));
        }
    }
    std::ptr::without_provenance_mut(header.at as usize)
}

/// # Safety
/// All memory that `strides` describe from `place` on is writable, and the area has the size that
/// the work requires.
unsafe fn perform(header: &Header, strides: &[Stride], place: *mut u8, area: *mut u8) {
    match header.work {
        work::PUT => unsafe { scatter(strides, place, area) },
        work::GET => unsafe { gather(strides, place, area) },
        work::ACCUMULATE => unsafe { accumulate(header, strides, place, area) },
        work::COMPARE => unsafe { compare(header, strides, place, area) },
        other => panic!("an unknown one-sided operation: {other}"),
    }
}

/// # Safety
/// See `perform`; the area has all bytes of the strides.
unsafe fn scatter(strides: &[Stride], place: *mut u8, area: *const u8) {
    unsafe {
        each_run(strides, area.cast_mut(), |at, len, area| {
            // May overlap: the area is a separate block, but the window may be any memory.
            std::ptr::copy(area, place.wrapping_offset(at), len);
        });
    }
}

/// # Safety
/// See `scatter`.
unsafe fn gather(strides: &[Stride], place: *const u8, area: *mut u8) {
    unsafe {
        each_run(strides, area, |at, len, area| {
            std::ptr::copy(place.wrapping_offset(at), area, len);
        });
    }
}

/// # Safety
/// The area has all bytes of the strides.
unsafe fn each_run(strides: &[Stride], mut area: *mut u8, f: impl Fn(isize, usize, *mut u8)) {
    for s in strides {
        for i in 0..s.count as i64 {
            f((s.at + i * s.stride) as isize, s.len as usize, area);
            area = unsafe { area.add(s.len as usize) };
        }
    }
}

/// Memory for a copy; allocates only for more than a few elements.
struct Scratch {
    small: [u128; 4],
    large: Vec<u128>,
}

impl Scratch {
    fn new(bytes: usize) -> Scratch {
        let words = bytes.div_ceil(size_of::<u128>());
        let large = if words > 4 { vec![0; words] } else { Vec::new() };
        Scratch { small: [0; 4], large }
    }
    fn at(&mut self) -> *mut u8 {
        if self.large.is_empty() { self.small.as_mut_ptr() } else { self.large.as_mut_ptr() }.cast()
    }
}

/// The target's datatype may divide elements, because the padding of pairs is inside them. So
/// elements are combined packed: in place if they are contiguous, else in a copy.
///
/// # Safety
/// See `perform`.
unsafe fn accumulate(header: &Header, strides: &[Stride], place: *mut u8, area: *mut u8) {
    let bytes = header.bytes as usize;
    let operation = op::get(Op::from_int(header.op as i32)).expect("checked by the origin");
    let handle = Datatype::from_int(header.datatype as i32);
    let element = datatype::get(handle).expect("checked by the origin");
    let count = element.items(header.bytes).expect("checked by the origin");
    let combine = |into: *mut u8, from: *const u8| unsafe {
        op::combine_packed(&operation, (handle, &element), count, into, from, true);
    };
    let is_fetch = header.arrival.flags & flag::FETCH != 0;
    let in_place = match strides {
        [Stride { at, count: 1, .. }] => Some(place.wrapping_offset(*at as isize)),
        _ => None,
    };
    unsafe {
        let mut old = Scratch::new(if is_fetch || in_place.is_none() { bytes } else { 0 });
        if is_fetch || in_place.is_none() {
            gather(strides, place, old.at());
        }
        if let Some(into) = in_place {
            combine(into, area);
        } else if is_fetch {
            let mut new = Scratch::new(bytes);
            std::ptr::copy_nonoverlapping(old.at(), new.at(), bytes);
            combine(new.at(), area);
            scatter(strides, place, new.at());
        } else {
            combine(old.at(), area);
            scatter(strides, place, old.at());
        }
        if is_fetch {
            std::ptr::copy_nonoverlapping(old.at(), area, bytes);
        }
    }
}

/// # Safety
/// See `perform`.
unsafe fn compare(header: &Header, strides: &[Stride], place: *mut u8, area: *mut u8) {
    let bytes = header.bytes as usize;
    let mut old = [0u128; 2];
    assert!(bytes <= size_of_val(&old), "no element is longer");
    unsafe {
        let old = old.as_mut_ptr().cast::<u8>();
        gather(strides, place, old);
        let (there, expected) =
            (std::slice::from_raw_parts(old, bytes), std::slice::from_raw_parts(area, bytes));
        if there == expected {
            scatter(strides, place, area.add(bytes));
        }
        std::ptr::copy_nonoverlapping(old, area, bytes);
    }
}
