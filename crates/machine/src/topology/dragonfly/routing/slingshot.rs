//! Slingshot's adaptive routing: two minimal and two nonminimal candidates, 4-bit scores, a bias
//! per class, decided anew at each switch until a global link is taken.
//!
//! Source: public notes on US 9,137,143 and De Sensi et al., SC'20, section II-C (candidates,
//! scores, biases, progressive decisions). Further source: "Scaling MPI Applications on Aurora",
//! section 3.1 (minimal without contention) and 4.2 (paths pass through lightly loaded groups). How
//! groups are compared is not public. Here the queue of the link to a group, as last reported,
//! represents the group's load, because it fills up when the group does; the better of two drawn
//! groups becomes a candidate. In kinds of groups without `group_load`, the first drawn group does.

use super::super::{Step, Stream, derive_draw};
use super::score::{BestCandidate, RouteChange, ScoreMetric};
use super::{DecisionPoint, Scoring};
use crate::{GroupId, LinkId, LoadView, Route, SwitchId};

#[inline]
pub(super) fn depart<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    scoring: Scoring,
    route: &mut Route,
) -> Step {
    let metric = ScoreMetric::new(point.load, scoring);
    let Scoring { minimal, nonminimal, .. } = scoring;
    let step = point.start_leg(point.dst_switch, &metric);
    let mut best = BestCandidate {
        cost: minimal.of(step.visible_load(&metric)),
        step,
        change: RouteChange::Keep,
    };
    if best.cost <= nonminimal.of(0) {
        return step;
    }
    for stream in [Stream::Via, Stream::OtherVia] {
        let draw = derive_draw(point.draw, stream);
        if let Some((step, via)) = candidate(point, draw, &metric) {
            best.offer(nonminimal.of(step.visible_load(&metric)), step, RouteChange::Via(via));
        }
    }
    best.take(route)
}

/// A nonminimal candidate and its intermediate switch.
#[inline]
fn candidate<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    draw: u64,
    metric: &ScoreMetric<'_, L>,
) -> Option<(Step, SwitchId)> {
    let net = point.net;
    let (here, there) = (net.coords[point.at], net.coords[point.dst_switch]);
    if here.group == there.group {
        let via = net.intermediate_switch(point.at, point.dst_switch, draw)?;
        let switch_coords = net.coords[via];
        // The queue of the second hop, as its switch reported it.
        let exit = LinkId(switch_coords.toward(there.row_col()).0);
        return Some((net.local(here, switch_coords.row_col(), exit, point.draw, metric), via));
    }
    let group = less_loaded_group(point, here.group(), there.group(), draw)?;
    let via = net.random_switch(group, draw);
    let global_link = net.drawn_global_link(here.group(), group, Stream::FirstLeg, point.draw);
    Some((net.approach(here, global_link, net.coords[via], point.draw, metric).1, via))
}

/// Of two drawn groups, the one whose link out of this group has the shorter queue.
#[inline]
fn less_loaded_group<L: LoadView>(
    point: &DecisionPoint<'_, L>,
    from: GroupId,
    to: GroupId,
    draw: u64,
) -> Option<GroupId> {
    let one = point.net.transit_group(from, to, draw);
    let other = point.net.transit_group(from, to, derive_draw(draw, Stream::LinkOrGroup));
    let (Some(a), Some(b), true) = (one, other, point.net.groups[from].compares_load) else {
        return one.or(other);
    };
    let place = point.net.coords[point.at].row_col();
    let waiting = |group| {
        let global_link = point.net.drawn_global_link(from, group, Stream::FirstLeg, point.draw);
        if global_link.from == place {
            point.load.near(global_link.link)
        } else {
            point.load.downstream(global_link.link)
        }
    };
    Some(if waiting(b) < waiting(a) { b } else { a })
}
