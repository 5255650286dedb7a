//! Minimal routing: the fewest crossings between groups, and the least loaded of two such ways.
//!
//! Source: Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology"
//! (ISCA 2008), section 4.1, "MIN"; the choice of two where groups have many links between them is
//! Aries' and Slingshot's (two minimal candidates).

use super::DecisionPoint;
use crate::LoadView;
use crate::dragonfly::{Local, Step};

#[inline]
pub(super) fn depart<L: LoadView>(point: &DecisionPoint<'_, L>) -> Step {
    point.start_leg(point.home, &Local(point.load))
}
