//! Progressive adaptive routing: UGAL-L, and a packet that still goes minimally is asked again at
//! every switch of its group. There it sees the queue of the very link it was headed for.
//!
//! Source: Jiang, Kim and Dally, "Indirect Adaptive Routing on Large Scale Interconnection
//! Networks" (ISCA 2009), section 3.3. A packet that turns away makes a second way through its
//! group, which needs virtual channels of its own: hence a class more.

use super::{DecisionPoint, ugal};
use crate::dragonfly::{Local, Step, Stream};
use crate::{LoadView, Route, SwitchId};

#[inline]
pub(super) fn onward<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    bias: u32,
    route: &mut Route,
) -> Step {
    let metric = Local(point.load);
    if route.via != 0 {
        return point.continue_leg(SwitchId(route.via - 1), &metric);
    }
    let minimal = point.continue_leg(point.home, &metric);
    let streams = [Stream::Again, Stream::OtherAgain];
    match ugal::detour(point, &metric, minimal, bias, streams, route) {
        Some(step) => {
            route.class += 1;
            step
        }
        None => minimal,
    }
}
