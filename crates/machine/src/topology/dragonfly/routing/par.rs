//! Progressive adaptive routing (PAR): UGAL-L, repeated at every further switch of the source group
//! while the packet is minimal. The later switches see the load of the global link to which the
//! packet goes.
//!
//! Source: Jiang, Kim and Dally, "Indirect Adaptive Routing on Large Scale Interconnection
//! Networks" (ISCA 2009), section 3.3. A diverted packet crosses its group a second time, which
//! needs virtual channels of its own: hence one more class.

use super::super::{LocalLoad, Step, Stream};
use super::{DecisionPoint, ugal};
use crate::{LoadView, Route, SwitchId};

#[inline]
pub(super) fn onward<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    bias: u32,
    route: &mut Route,
) -> Step {
    let metric = LocalLoad(point.load);
    if route.via != 0 {
        return point.continue_leg(SwitchId(route.via - 1), &metric);
    }
    let minimal = point.continue_leg(point.dst_switch, &metric);
    let streams = [Stream::LaterVia, Stream::OtherLaterVia];
    match ugal::nonminimal_step(point, &metric, minimal, bias, streams, route) {
        Some(step) => {
            route.class += 1;
            step
        }
        None => minimal,
    }
}
