//! Aries' routing modes that ignore load: MIN_HASH, minimal by a hash; NMIN_HASH, the same through
//! a random switch; IN_ORDER, one path per receiver.
//!
//! Source: GNI_DLVMODE_* as described in github.com/DanieleDeSensi/awr. MIN_HASH and NMIN_HASH are
//! hashed, not adaptive, and ordered per cache line; IN_ORDER is minimal, not hashed and fully
//! ordered. A packet carries at least a cache line of a transfer, so its own draw stands for the
//! hash of its address. Of IN_ORDER it is known that it does not depend on the address; here it
//! depends on the receiver.

use super::super::{IgnoreLoad, Step, Stream};
use super::DecisionPoint;
use crate::{LoadView, NicId};

#[inline]
pub(super) fn depart<L: LoadView>(point: &DecisionPoint<'_, L>) -> Step {
    point.net.drawn_step(point.at, point.dst_switch, Stream::FirstLeg, point.draw, &IgnoreLoad)
}

/// The draw of all packets for one receiver, so that they take one path and stay in order.
#[inline]
pub(super) fn of_receiver(dst: NicId) -> u64 {
    crate::topology::dragonfly::derive_draw(u64::from(dst.0), Stream::FirstLeg)
}
