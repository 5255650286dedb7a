//! Minimal routing: the fewest global links, and the less loaded of two such paths.
//!
//! Source: Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology"
//! (ISCA 2008), section 4.1, "MIN". The choice of two where groups have several links between them
//! is that of Aries and Slingshot (two minimal candidates).

use super::super::{LocalLoad, Step};
use super::DecisionPoint;
use crate::LoadView;

#[inline]
pub(super) fn depart<L: LoadView>(point: &DecisionPoint<'_, L>) -> Step {
    point.start_leg(point.dst_switch, &LocalLoad(point.load))
}
