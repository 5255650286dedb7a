//! UGAL, universal globally-adaptive load-balanced routing: minimal, unless its queue times its
//! hops exceeds that of a Valiant path.
//!
//! Source: Singh, "Load-Balanced Routing in Interconnection Networks" (thesis, 2005); for
//! dragonflies Kim et al. (ISCA 2008), section 4.1. UGAL-L compares the queues of the packet's
//! switch, UGAL-G those of the links that leave its group, as if every switch knew them. There are
//! two candidates of each kind, as in Slingshot and Aries, where the papers have one.

use super::DecisionPoint;
use crate::dragonfly::{LoadMetric, NO_LINK, Step, Stream, derive_draw};
use crate::{LinkId, LoadView, Route};

/// The present queues of the first link and of the link by which the path leaves the group; no real
/// switch knows the latter. If there is no such second link, the queue of the first.
pub(super) struct GlobalLoad<'a, L>(pub &'a L);
impl<L: LoadView> LoadMetric for GlobalLoad<'_, L> {
    #[inline]
    fn weigh(&self, link: LinkId, exit: LinkId) -> u32 {
        let first = self.0.anywhere(link);
        if exit == NO_LINK { first } else { first + self.0.anywhere(exit) }
    }
}

#[inline]
pub(super) fn depart<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    metric: &impl LoadMetric,
    bias: u32,
    route: &mut Route,
) -> Step {
    let minimal = point.start_leg(point.home, metric);
    detour(point, metric, minimal, bias, [Stream::Via, Stream::OtherVia], route).unwrap_or(minimal)
}

/// The first hop of a non-minimal path that costs less than `minimal`, if any; sets `route` to it.
#[inline]
pub(super) fn detour<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    metric: &impl LoadMetric,
    minimal: Step,
    bias: u32,
    streams: [Stream; 2],
    route: &mut Route,
) -> Option<Step> {
    // An empty queue cannot be beaten.
    let weight = minimal.weight(metric);
    if weight == 0 {
        return None;
    }
    let mut least = metric.cost(weight, minimal.hops.into()).saturating_sub(bias.into());
    let mut best = None;
    for stream in streams {
        let Some(via) =
            point.net.intermediate_switch(point.at, point.home, derive_draw(point.draw, stream))
        else {
            break;
        };
        let step = point.start_leg(via, metric);
        let hops = u32::from(step.hops) + point.net.max_distance(via, point.home);
        let cost = metric.cost(step.weight(metric), hops);
        if cost < least {
            least = cost;
            best = Some((step, via));
        }
    }
    let (step, via) = best?;
    route.set_via(via);
    Some(step)
}
