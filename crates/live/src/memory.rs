//! One-sided operations, locks and counters: their data, and which process applies them.
//!
//! An access takes effect when the simulator completes it. A short access to memory in the segment
//! is applied here. The block of any other access is appended to the target's list of incoming
//! accesses, which the target's process applies when it is woken. The target is woken for that
//! alone if the origin, or another rank that shares the memory, may read the result before the
//! target's next turn.

use crate::Live;
use crate::outcome::FailureCause;
use crate::rank::{Slot, Stage};
use std::sync::atomic::Ordering;
use workload::Workload;
use workload::wire::{self, Arrival, Submission, command, flag, kind};

/// Longest message or access: the largest memory of a rank (see `wire::SegmentLayout`).
pub(crate) const MAX_BYTES: u64 = 1 << 36;
/// Longest transfer to or from storage: 1 PiB, more than the memory of a machine.
const MAX_STORED_BYTES: u64 = 1 << 50;

impl Live {
    /// Checks an access, lock, unlock or transfer.
    pub(crate) fn check_access(&self, s: &Submission) -> Result<(), &'static str> {
        let counts = s.flags & (flag::FETCH | flag::SET);
        if s.kind == kind::STORAGE {
            if counts != 0 && self.matcher.members(s.context).is_empty() {
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
        if s.peer as usize >= self.ranks.len() {
            return Err("an access to a rank that does not exist");
        }
        if self.matcher.members(s.context).is_empty() {
            return Err("an unregistered window");
        }
        if s.kind != kind::ONE_SIDED {
            return Ok(());
        }
        if !self.lies_inside(s.block, size_of::<Arrival>() as u64, align_of::<Arrival>()) {
            return Err("a block outside the segment");
        }
        if s.bytes > MAX_BYTES || s.grain > MAX_BYTES {
            return Err("more bytes than a rank has");
        }
        // SAFETY: inside the segment and aligned; all ranks sleep.
        let arrival = unsafe { &mut *self.shared.segment.ptr(s.block).cast::<Arrival>() };
        // A block that is twice in its target's list would make the list cyclic.
        if std::mem::replace(&mut arrival.is_out, 1) != 0 {
            return Err("a block that is already in flight");
        }
        Ok(())
    }

    /// Whether a range lies inside the ranks' regions.
    pub(crate) fn lies_inside(&self, at: u64, bytes: u64, align: usize) -> bool {
        // SAFETY: the header is written.
        let end = unsafe { self.shared.segment.scratch() };
        let fits = at.checked_add(bytes).is_some_and(|e| e <= end);
        fits && at >= wire::HEADER_BYTES && at.is_multiple_of(align as u64)
    }

    /// An access is complete: it is applied, or its block is appended to its target's list.
    pub(crate) fn deliver_access(&mut self, origin: u32, slot: Slot) -> Result<(), FailureCause> {
        let (target, block) = (slot.peer, slot.block);
        if self.outside_mpi.is_detached(target) {
            return Err(FailureCause::TargetBlocked { target });
        }
        if self.ranks[target as usize].stage != Stage::InMpi {
            return Err(FailureCause::TargetFinalized { target });
        }
        // SAFETY: the block was checked at submission; all ranks sleep.
        let control = unsafe { &mut *self.shared.segment.control(target) };
        // Only with an empty list, to keep the order.
        if control.incoming == 0 && self.apply_directly(slot)? {
            return Ok(());
        }
        let to = &mut self.ranks[target as usize];
        let arrival = |at: u64| self.shared.segment.ptr(at).cast::<Arrival>();
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

    /// Wakes all targets of this instant to apply their lists, before any other rank continues.
    pub(crate) fn apply_arrivals(&mut self) {
        let targets = std::mem::take(&mut self.to_apply);
        if targets.is_empty() || self.is_stopped() {
            return;
        }
        for &at in &targets {
            self.ranks[at as usize].to_apply = false;
            // SAFETY: the rank sleeps: it is inside MPI, and no rank has been released yet.
            unsafe { (*self.control(at)).command = command::APPLY };
        }
        self.turns.running().fetch_add(targets.len() as u32, Ordering::Relaxed);
        let batch = std::mem::replace(&mut self.batch, targets);
        for &at in &self.batch {
            self.turns.give(at);
        }
        self.wait_for_all();
        let targets = std::mem::replace(&mut self.batch, batch);
        for &at in &targets {
            // SAFETY: the field is atomic.
            let state = unsafe { (*self.control(at)).state.load(Ordering::Acquire) };
            if state == wire::state::ABORTED {
                self.aborted(at);
            }
        }
    }

    /// Updates the counter of a storage access and returns its old value; 0 without a counter.
    pub(crate) fn counter_value(&mut self, slot: Slot) -> u64 {
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
