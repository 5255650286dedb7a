//! One-sided operations that the simulator applies itself, while all ranks sleep.
//!
//! Only short operations on contiguous memory in the segment. The block is written by a rank and
//! checked: a range outside the ranks' regions ends the job.

use crate::combine;
use crate::outcome::FailureCause;
use crate::rank::Slot;
use crate::segment::lies_inside;
use workload::wire::{self, Arrival, Direct, Segment, flag, work};

/// Longest element of a compare-and-swap, in bytes.
const MAX_COMPARED_BYTES: u64 = 16;

/// Applies the completed operation of `slot`. False if only its target can.
pub(crate) fn apply_directly(segment: Segment, slot: Slot) -> Result<bool, FailureCause> {
    // SAFETY: the block was checked at submission; all ranks sleep.
    let Arrival { direct, .. } = unsafe { *segment.ptr(slot.block).cast::<Arrival>() };
    if direct.work == 0 {
        return Ok(false);
    }
    let returns = slot.flags & flag::FETCH != 0;
    if !is_valid(segment, &direct, returns) {
        let why = format!("a one-sided operation outside the ranks' memory: {direct:?}");
        return Err(FailureCause::Protocol(why));
    }
    let bytes = direct.bytes as usize;
    let area_bytes = if direct.work == work::COMPARE { 2 * bytes } else { bytes };
    // SAFETY: two disjoint ranges of the ranks' regions, and all ranks sleep.
    let (memory, area) = unsafe {
        (
            std::slice::from_raw_parts_mut(segment.ptr(direct.at), bytes),
            std::slice::from_raw_parts_mut(segment.ptr(direct.area), area_bytes),
        )
    };
    if !perform(&direct, returns, memory, area) {
        return Ok(false);
    }
    if !returns {
        // SAFETY: the origin does not access the block until it is applied.
        unsafe { wire::return_block(segment, slot.block) };
    }
    Ok(true)
}

fn is_valid(segment: Segment, direct: &Direct, returns: bool) -> bool {
    let Direct { work, at, area, bytes, .. } = *direct;
    let (most, area_bytes) = match work {
        work::COMPARE => (MAX_COMPARED_BYTES, 2 * bytes.min(MAX_COMPARED_BYTES)),
        _ => (wire::DIRECT_BYTES, bytes),
    };
    let needs_return = matches!(work, work::GET | work::COMPARE);
    bytes <= most
        && (returns || !needs_return)
        && lies_inside(segment, at, bytes, 1)
        && lies_inside(segment, area, area_bytes, 1)
        && (at + bytes <= area || area + area_bytes <= at)
}

/// Applies the operation like the target's process (see `work`). False if only that one can.
fn perform(direct: &Direct, returns: bool, memory: &mut [u8], area: &mut [u8]) -> bool {
    match direct.work {
        work::PUT => memory.copy_from_slice(area),
        work::GET => area.copy_from_slice(memory),
        work::ACCUMULATE => {
            let mut space = [0; wire::DIRECT_BYTES as usize];
            let old = &mut space[..if returns { memory.len() } else { 0 }];
            old.copy_from_slice(&memory[..old.len()]);
            if !combine::apply(direct.combine, memory, area, true) {
                return false;
            }
            area[..old.len()].copy_from_slice(old);
        }
        work::COMPARE => {
            let (expected, new) = area.split_at_mut(memory.len());
            if memory == expected {
                memory.copy_from_slice(new);
            } else {
                expected.copy_from_slice(memory);
            }
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::wire::combine::{builtin, element, op};

    /// Contents of the memory and the area after an operation on three bytes.
    fn after(direct: Direct, returns: bool, area: &[u8]) -> (bool, Vec<u8>, Vec<u8>) {
        let (mut memory, mut area) = (vec![1, 2, 250], area.to_vec());
        let done = perform(&direct, returns, &mut memory, &mut area);
        (done, memory, area)
    }

    #[test]
    fn operations_follow_the_standard() {
        let of = |work, combine| Direct { work, combine, ..Direct::default() };
        let sum = builtin(op::SUM, element::U8);
        for (direct, returns, area, memory_after, area_after) in [
            (of(work::PUT, 0), false, &[7, 8, 9][..], [7, 8, 9], &[7, 8, 9][..]),
            (of(work::GET, 0), true, &[7, 8, 9], [1, 2, 250], &[1, 2, 250]),
            (of(work::ACCUMULATE, sum), false, &[7, 8, 9], [8, 10, 3], &[7, 8, 9]),
            (of(work::ACCUMULATE, sum), true, &[7, 8, 9], [8, 10, 3], &[1, 2, 250]),
            (of(work::COMPARE, 0), true, &[1, 2, 250, 7, 8, 9], [7, 8, 9], &[1, 2, 250, 7, 8, 9]),
            (of(work::COMPARE, 0), true, &[1, 2, 3, 7, 8, 9], [1, 2, 250], &[1, 2, 250, 7, 8, 9]),
        ] {
            let want = (true, memory_after.to_vec(), area_after.to_vec());
            assert_eq!(after(direct, returns, area), want, "{direct:?}");
        }
    }

    #[test]
    fn unsupported_operations_change_nothing() {
        let direct = Direct {
            work: work::ACCUMULATE,
            combine: builtin(op::MAXLOC, element::I32),
            ..Direct::default()
        };
        assert_eq!(after(direct, true, &[7, 8, 9]), (false, vec![1, 2, 250], vec![7, 8, 9]));
    }
}
