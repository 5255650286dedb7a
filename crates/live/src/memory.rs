//! One-sided operations, locks and counters: their data, and which process applies them.
//!
//! An access takes effect when the simulator completes it. A short access to memory in the segment
//! is applied here. The block of any other access is appended to the target's list of incoming
//! accesses, which the target's process applies when it is woken. The target is woken for that
//! alone if the origin, or another rank that shares the memory, may read the result before the
//! target's next turn.

use crate::detached::DetachedRanks;
use crate::direct::apply_directly;
use crate::outcome::FailureCause;
use crate::rank::{Slot, Stage};
use crate::ranks::Ranks;
use crate::segment::lies_inside;
use std::collections::BTreeMap;
use workload::Context;
use workload::wire::{Arrival, Submission, flag, kind};

/// Longest message or access: the largest memory of a rank (see `wire::SegmentLayout`).
pub(crate) const MAX_BYTES: u64 = 1 << 36;
/// Longest transfer to or from storage: 1 PiB, more than the memory of a machine.
const MAX_STORED_BYTES: u64 = 1 << 50;

/// Checks an access, lock, unlock or transfer, on a communicator with these members.
pub(crate) fn check_access(
    s: &Submission,
    ranks: &Ranks,
    members: &[u32],
) -> Result<(), &'static str> {
    let counts = s.flags & (flag::FETCH | flag::SET);
    if s.kind == kind::STORAGE {
        if counts != 0 && members.is_empty() {
            return Err("a counter of an unregistered communicator");
        }
        if s.bytes > MAX_STORED_BYTES {
            return Err("more bytes than storage can hold");
        }
        if counts == flag::FETCH | flag::SET {
            return Err("a counter to be both read and set");
        }
        return Ok(());
    }
    if s.peer >= ranks.len() {
        return Err("an access to a rank that does not exist");
    }
    if members.is_empty() {
        return Err("an unregistered window");
    }
    if s.kind != kind::ONE_SIDED {
        return Ok(());
    }
    if !lies_inside(ranks.segment, s.block, size_of::<Arrival>() as u64, align_of::<Arrival>()) {
        return Err("a block outside the segment");
    }
    if s.bytes > MAX_BYTES || s.grain > MAX_BYTES {
        return Err("more bytes than a rank has");
    }
    // SAFETY: inside the segment and aligned; all ranks sleep.
    let arrival = unsafe { &mut *ranks.segment.ptr(s.block).cast::<Arrival>() };
    // A block that is twice in its target's list would make the list cyclic.
    if std::mem::replace(&mut arrival.is_out, 1) != 0 {
        return Err("a block that is already in flight");
    }
    Ok(())
}

/// The accesses that have completed at this instant, and the counters in storage.
#[derive(Default)]
pub(crate) struct Accesses {
    /// Ranks to be woken at this instant to apply one-sided accesses.
    to_apply: Vec<u32>,
    /// Values of the counters in storage, by communicator.
    counters: BTreeMap<Context, i64>,
}

impl Accesses {
    /// An access is complete: it is applied, or its block is appended to its target's list.
    pub fn deliver(
        &mut self,
        origin: u32,
        slot: Slot,
        ranks: &mut Ranks,
        detached: &DetachedRanks,
    ) -> Result<(), FailureCause> {
        let (target, block) = (slot.peer, slot.block);
        if detached.contains(target) {
            return Err(FailureCause::TargetBlocked { target });
        }
        if ranks[target].stage != Stage::InMpi {
            return Err(FailureCause::TargetFinalized { target });
        }
        let segment = ranks.segment;
        // SAFETY: the block was checked at submission; all ranks sleep.
        let control = unsafe { &mut *segment.control(target) };
        // Only with an empty list, to keep the order.
        if control.incoming == 0 && apply_directly(segment, slot)? {
            return Ok(());
        }
        let to = &mut ranks[target];
        let arrival = |at: u64| segment.ptr(at).cast::<Arrival>();
        unsafe { (*arrival(block)).next = 0 };
        if control.incoming == 0 {
            control.incoming = block;
        } else {
            // SAFETY: the last block was linked since the rank took the list.
            unsafe { (*arrival(to.incoming_last)).next = block };
        }
        to.incoming_last = block;
        let at_once = slot.flags & (flag::FETCH | flag::VISIBLE) != 0;
        // An origin that is its own target applies its list first anyway.
        if at_once && target != origin && !to.to_apply {
            to.to_apply = true;
            self.to_apply.push(target);
        }
        Ok(())
    }

    /// The targets of this instant that are to apply their lists.
    pub fn take_targets(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.to_apply)
    }

    /// Updates the counter of a storage access and returns its old value; 0 without a counter.
    pub fn counter_value(&mut self, slot: Slot) -> u64 {
        let counter = self.counters.entry(slot.context).or_insert(0);
        let held = *counter;
        match slot.flags {
            f if f & flag::SET != 0 => *counter = slot.op as i64,
            f if f & flag::FETCH != 0 => *counter = counter.wrapping_add(slot.op as i64),
            _ => return 0,
        }
        held as u64
    }
}
