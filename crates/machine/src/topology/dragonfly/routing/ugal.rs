//! UGAL, universal globally-adaptive load-balanced routing: minimal, unless its load times its hops
//! exceeds that of a Valiant path plus a bias.
//!
//! Source: Singh, "Load-Balanced Routing in Interconnection Networks" (thesis, 2005); for
//! dragonflies Kim et al. (ISCA 2008), section 4.1. The load is that of the first link, near end
//! plus far end according to credits (`LoadView::backlog`). UGAL-G adds the load of the link by
//! which the path leaves the group, which a real source switch could not know.
//!
//! There are two candidates of each kind, as in Slingshot and Aries; the papers have one.
//! `nonminimal_step` draws two intermediate switches. `Dragonfly::step` draws two global links for
//! each first leg, the minimal path's included, and returns the cheaper, where groups have several.

use super::super::{LoadMetric, NO_LINK, Step, Stream, derive_draw};
use super::DecisionPoint;
use crate::{LinkId, LoadView, Route};

/// Sum of the current loads of the first link and of the global link by which the path leaves the
/// group, which no real switch has. Only the first link, if the path stays in the group or that
/// link is the first.
pub(super) struct GlobalLoad<'a, L>(pub &'a L);
impl<L: LoadView> LoadMetric for GlobalLoad<'_, L> {
    #[inline]
    fn visible_load(&self, link: LinkId, exit: LinkId) -> u32 {
        let first = self.0.remote_backlog(link);
        if exit == NO_LINK { first } else { first + self.0.remote_backlog(exit) }
    }
}

#[inline]
pub(super) fn depart<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    metric: &impl LoadMetric,
    bias: u32,
    route: &mut Route,
) -> Step {
    let minimal = point.start_leg(point.dst_switch, metric);
    nonminimal_step(point, metric, minimal, bias, [Stream::Via, Stream::OtherVia], route)
        .unwrap_or(minimal)
}

/// The first hop of the cheaper of two nonminimal paths, if its cost plus `bias` is below the cost
/// of `minimal`; sets `route` to it. `streams` select the two random intermediate switches.
#[inline]
pub(super) fn nonminimal_step<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    metric: &impl LoadMetric,
    minimal: Step,
    bias: u32,
    streams: [Stream; 2],
    route: &mut Route,
) -> Option<Step> {
    // No path costs less than an idle minimal one.
    let visible_load = minimal.visible_load(metric);
    if visible_load == 0 {
        return None;
    }
    let mut least = metric.cost(visible_load, minimal.hops.into()).saturating_sub(bias.into());
    let mut best = None;
    for stream in streams {
        let Some(via) = point.net.intermediate_switch(
            point.at,
            point.dst_switch,
            derive_draw(point.draw, stream),
        ) else {
            break;
        };
        let step = point.start_leg(via, metric);
        let hops = u32::from(step.hops) + point.net.max_distance(via, point.dst_switch);
        let cost = metric.cost(step.visible_load(metric), hops);
        if cost < least {
            least = cost;
            best = Some((step, via));
        }
    }
    let (step, via) = best?;
    route.set_via(via);
    Some(step)
}
