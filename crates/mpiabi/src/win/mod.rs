//! One-sided communication: windows, and what other ranks do to this rank's memory.
//!
//! An operation is a block in shared memory (`Arrival` and what only origin and target understand).
//! The simulator says when it is done; the target's own process applies it, the next time it has
//! the turn or as soon as somebody must see the result.

use crate::runtime::Held;

/// Applies a list of operations on this rank's memory, in order.
pub(crate) fn apply(_held: &Held, first: u64) {
    assert!(first == 0, "an operation on a window this rank does not have");
}
